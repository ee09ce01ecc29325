//! Inconsistent pages, and rows whose fields have unexpected types, on the screen.

use std::cell::RefCell;
use std::rc::Rc;

use chainglass::test_api::api::{
    AddressQuery, ApiError, BlockQuery, ChainQuery, Cursor, InstanceQuery, Query, TokenQuery,
    TransactionQuery,
};
use chainglass::test_api::app_message::Effect;
use chainglass::test_api::chain::Chains;
use chainglass::test_api::net::Provider;
use serde_json::{Value, json};

use crate::demo_items::SWAP;
use crate::fake_server::{FakeServer, fake_server, page};
use crate::fault_cases::queries;
use crate::response_decoding::{list_items, list_types};
use crate::session::{ALICE, Session, size};

/// Transactions with these numbers as hashes.
fn rows(numbers: &[u64]) -> String {
    let rows = numbers.iter().map(|n| format!("{{\"hash\":\"0x{n:064x}\",\"value\":\"{n}\"}}"));
    rows.collect::<Vec<_>>().join(",")
}

/// A server with these pages of transactions, which repeats the last one.
fn pages(pages: Vec<(String, &'static str)>) -> FakeServer {
    fake_server(move |request, before| {
        if !request.path().ends_with("/transactions") {
            return crate::fake_server::json(404, r#"{"message":"Not found"}"#);
        }
        let (items, next) = &pages[before.min(pages.len() - 1)];
        page(items, next)
    })
}

/// Loads all pages; returns the session and the number of requests.
async fn load_all(server: &FakeServer) -> (String, usize) {
    let network = Chains::default().network_at(&server.base());
    let source = Provider::new(&network);
    let mut session = Session::at(source, network, size(120, 30), ALICE).await;
    session.keys("G G").await;
    let asked = server.requests();
    let asked = asked.iter().filter(|request| request.path().ends_with("/transactions")).count();
    (session.screen(), asked)
}

/// A name, the pages, the number of requests, and the expected message.
type Shape = (&'static str, Vec<(String, &'static str)>, usize, &'static str);

fn cursors() -> Vec<Shape> {
    let one = |n: u64| rows(&[n]);
    vec![
        (
            "a cursor that never moves",
            vec![(one(1), "{\"at\":1}"), (one(2), "{\"at\":1}"), (one(3), "{\"at\":1}")],
            2,
            "the pages repeat after 2 rows (no more rows can be loaded)",
        ),
        (
            "a cycle of three",
            vec![
                (one(1), "{\"at\":1}"),
                (one(2), "{\"at\":2}"),
                (one(3), "{\"at\":3}"),
                (one(4), "{\"at\":1}"),
            ],
            4,
            "the pages repeat after 4 rows",
        ),
        (
            "an empty page with a cursor",
            vec![(one(1), "{\"at\":1}"), (String::new(), "{\"at\":2}"), (one(2), "null")],
            3,
            "of 2 ─╯",
        ),
        (
            "empty pages without end",
            vec![
                (one(1), "{\"at\":1}"),
                (String::new(), "{\"at\":2}"),
                (String::new(), "{\"at\":3}"),
                (String::new(), "{\"at\":4}"),
                (String::new(), "{\"at\":5}"),
                (String::new(), "{\"at\":6}"),
                (String::new(), "{\"at\":7}"),
            ],
            6,
            "5 pages in a row had no new rows, and there are more",
        ),
    ]
}

fn repeats() -> Vec<Shape> {
    let one = |n: u64| rows(&[n]);
    vec![
        (
            "rows that come again",
            vec![(rows(&[1, 2]), "{\"at\":1}"), (rows(&[2, 3]), "null")],
            2,
            "of 3 ─╯",
        ),
        (
            "rows that come again in another order",
            vec![(rows(&[1, 2, 3]), "{\"at\":1}"), (rows(&[3, 1, 4, 2]), "null")],
            2,
            "of 4 ─╯",
        ),
        (
            "a row that changes",
            vec![(rows(&[1, 2]), "{\"at\":1}"), (rows(&[2]).replace("\"2\"", "\"777\""), "null")],
            2,
            "of 2 ─╯",
        ),
        (
            "a cursor that is a string",
            vec![(one(1), "\"2\"")],
            1,
            "expected an object, found \"2\"",
        ),
        ("a cursor that is an array", vec![(one(1), "[2]")], 1, "expected an object, found [2]"),
        (
            "a first page without end",
            vec![(rows(&[1, 2]), "{\"at\":1}"), (rows(&[1, 2]), "{\"at\":2}")],
            2,
            "the pages begin again after 2 rows",
        ),
        ("a cursor of nothing", vec![(one(1), "{}"), (one(2), "{}")], 2, "the pages repeat"),
    ]
}

#[tokio::test]
async fn inconsistent_pages_are_handled() {
    for (name, list, asked, message) in cursors().into_iter().chain(repeats()) {
        let (screen, tries) = load_all(&pages(list)).await;
        assert!(screen.contains(message), "{name}: {message:?}\n{screen}");
        assert!(screen.contains("0001 "), "{name}: the rows stay\n{screen}");
        assert!(!screen.contains("loading"), "{name}: nothing is under way\n{screen}");
        assert_eq!(tries, asked, "{name}");
    }
}

/// A name with control, bidirectional and combining characters.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]8;;http://x\u{7}\u{1b}]52;c;QQ==\u{1b}\\\u{1b}Pq\u{90}\u{9b}31m\u{0}\u{202e}\u{2066}\u{e0041}\u{200b}\u{feff}\r\n\u{7f}e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{1f469}\u{200d}\u{1f467}\u{fdfd}";

/// Returns whether a text has no characters that act on a terminal.
fn is_sanitized(text: &str) -> bool {
    let hidden = |c: char| matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
    let stacked = text.contains("\u{301}\u{301}\u{301}\u{301}");
    !stacked && text.chars().all(|c| c == '\n' || !(c.is_control() || hidden(c)))
}

/// The values that replace each field; the first stands for a missing field.
fn odd_values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(null),
        json!(true),
        json!(-1),
        json!("9".repeat(501)),
        json!("an unknown value"),
        json!([]),
        json!({ HOSTILE: HOSTILE }),
        json!([HOSTILE]),
        json!(HOSTILE),
    ]
}

/// The JSON pointers of all nested values.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, v)| (name.clone(), v)).collect(),
        Value::Array(values) => values.iter().zip(0..).map(|(v, n)| (format!("{n}"), v)).collect(),
        _ => return,
    };
    for (name, value) in inside {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        pointers(value, &at, found);
        found.push(at);
    }
}

/// The object with each field replaced by each odd value.
fn variants(object: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    pointers(object, "", &mut found);
    let mut all = Vec::new();
    for place in found {
        for (n, value) in odd_values().into_iter().enumerate() {
            let mut variant = object.clone();
            let (above, name) = place.rsplit_once('/').unwrap();
            match variant.pointer_mut(above).unwrap() {
                Value::Object(fields) if n == 0 => drop(fields.remove(name)),
                _ => *variant.pointer_mut(&place).unwrap() = value,
            }
            all.push(variant);
        }
    }
    all
}

/// The row of a recorded page with the fewest empty fields.
fn recorded_row(file: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    let page = std::fs::read_to_string(path.join(file)).unwrap();
    serde_json::from_str(&page).unwrap()
}

/// Each list: its page, the keys that show it, a recorded body, and its query.
type IsQuery = fn(&Query) -> bool;
const LISTS: &[(&str, &str, &str, IsQuery)] = &[
    (ALICE, "1", "transactions_alice.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::Transactions { .. }))
    }),
    (ALICE, "2", "internal_factory.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::InternalTransactions { .. }))
    }),
    (ALICE, "3", "transfers_alice_nft.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::TokenTransfers { .. }))
    }),
    (ALICE, "4", "tokens_alice_1155.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::Tokens { .. }))
    }),
    (ALICE, "5", "collections_alice.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::Collections { .. }))
    }),
    (ALICE, "5 enter", "instances_pane.json", |q| {
        matches!(q, Query::Token(_, TokenQuery::Instances { .. }))
    }),
    (ALICE, "6", "logs_swap.json", |q| matches!(q, Query::Address(_, AddressQuery::Logs))),
    (ALICE, "8", "balances_alice.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::BalanceHistory))
    }),
    (ALICE, "9", "approvals_alice.json", |q| {
        matches!(q, Query::Address(_, AddressQuery::Approvals { .. }))
    }),
    (SWAP, "4", "logs_swap.json", |q| matches!(q, Query::Transaction(_, TransactionQuery::Logs))),
    (SWAP, "6", "state_changes_swap.json", |q| {
        matches!(q, Query::Transaction(_, TransactionQuery::StateChanges))
    }),
    (ALICE, "i 2", "holders_item.json", |q| matches!(q, Query::Token(_, TokenQuery::Holders))),
    ("", "g i", "chain_tokens.json", |q| matches!(q, Query::Chain(ChainQuery::Tokens { .. }))),
    ("", "B", "blocks.json", |q| matches!(q, Query::Chain(ChainQuery::Blocks))),
    ("", "g l p e n d enter", "pending_transactions.json", |q| is_of_chain(q, ChainQuery::Pending)),
    ("", "g l t o p enter", "accounts.json", |q| is_of_chain(q, ChainQuery::Accounts)),
    ("", "g l v e r i enter", "verified_contracts.json", |q| {
        is_of_chain(q, ChainQuery::VerifiedContracts)
    }),
    ("", "g l b u s y enter", "hot_contracts.json", |q| is_of_chain(q, ChainQuery::HotContracts)),
    ("", "g l b e a c o n enter", "beacon_deposits.json", |q| {
        is_of_chain(q, ChainQuery::BeaconDeposits)
    }),
    ("", "g l u s e r enter", "user_operations.json", |q| {
        is_of_chain(q, ChainQuery::UserOperations)
    }),
    ("", "g l b u n d l e s enter", "bundles.json", |q| is_of_chain(q, ChainQuery::Bundles)),
    ("", "g l s m a r t enter", "smart_accounts.json", |q| {
        is_of_chain(q, ChainQuery::SmartAccounts)
    }),
    ("", "g l p a y enter", "paymasters.json", |q| is_of_chain(q, ChainQuery::Paymasters)),
    ("", "g l b a t c h enter", "optimism_batches.json", |q| {
        is_of_chain(q, ChainQuery::OptimismBatches)
    }),
    ("", "g l o p t space d e p enter", "optimism_deposits.json", |q| {
        is_of_chain(q, ChainQuery::OptimismDeposits)
    }),
    ("", "g l o p t space w i t h enter", "optimism_withdrawals.json", |q| {
        is_of_chain(q, ChainQuery::OptimismWithdrawals)
    }),
    ("", "g l g a m e enter", "dispute_games.json", |q| is_of_chain(q, ChainQuery::DisputeGames)),
    ("", "g l r o o t enter", "output_roots.json", |q| is_of_chain(q, ChainQuery::OutputRoots)),
    (SWAP, ": b l o b s enter", "blobs.json", |q| {
        matches!(q, Query::Transaction(_, TransactionQuery::Blobs))
    }),
    ("", "g o", "console_desk.json", |q| matches!(q, Query::Chain(ChainQuery::Console))),
    ("", "g a", "activity_alice.json", Query::is_activity),
    ("", "g l w i t h d r a w a l s enter", "withdrawals.json", |q| {
        is_of_chain(q, ChainQuery::Withdrawals)
    }),
];

/// Items without columns of fields: objects, strings, logs that become rows of others, results in a
/// prompt.
const EXEMPT_ITEMS: [&str; 4] = ["Contract", "ExternalTransaction", "EthLog", "SearchResult"];

#[test]
fn every_list_is_malformed() {
    let queries = queries();
    let is_tested = |name: &str| {
        let of_type = queries.iter().filter(|(query, body)| {
            let reply = query.decode(body.as_bytes(), None).unwrap();
            list_items(&reply).is_some_and(|(listed, _)| listed == name)
        });
        let tested = |query: &Query| LISTS.iter().any(|(_, _, _, asks)| asks(query));
        of_type.into_iter().any(|(query, _)| tested(query))
    };
    for name in list_types().into_keys().filter(|name| !EXEMPT_ITEMS.contains(name)) {
        assert!(is_tested(name), "{name} is not in LISTS");
    }
}

fn is_of_chain(query: &Query, list: ChainQuery) -> bool {
    *query == Query::Chain(list)
}

/// A link to an item of a token.
const ITEM: &str = "https://127.0.0.1/token/0x948B3c65b89DF0B4894ABE91E6D02FE579834F8F/instance/7";

/// A collection, to open its instances from.
const COLLECTION: &str = r#"{"items":[{"token":{"address_hash":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","type":"ERC-721"}}],"next_page_params":null}"#;

/// A session that shows a list with these rows.
async fn list_session(target: &str, keys: &str, asks: IsQuery, rows: &[Value]) -> Session {
    let body = json!({ "items": rows, "next_page_params": null }).to_string();
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        _ if asks(query) => Ok(body.clone()),
        Query::Address(_, AddressQuery::Collections { .. }) => Ok(COLLECTION.into()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = match keys {
        "g o" => Session::node(size(150, 50), target, answer).await,
        // Nodes and the demo chain have few of the lists that share a key.
        _ if keys.starts_with("g l") => Session::explorer(size(150, 50), target, answer).await,
        _ => Session::canned(size(150, 50), target, answer).await,
    };
    session.keys(keys).await;
    session
}

#[tokio::test]
async fn list_fields_of_any_type_are_handled() {
    for &(target, keys, file, asks) in LISTS {
        let page = recorded_row(file);
        // A page has at most 1,000 rows, and fewer need no comma.
        for rows in variants(&page["items"][0]).chunks(999) {
            check_rows(file, list_session(target, keys, asks, rows).await, rows.len()).await;
        }
    }
}

async fn check_rows(file: &str, mut session: Session, rows: usize) {
    // Rows of one transaction fold in a list of activity, but not for a search.
    let may_fold = file.starts_with("activity");
    if may_fold {
        session.keys("/").await;
        session.type_text("no such row").await;
    }
    let place = format!("1 of {rows}");
    assert!(session.screen().contains(&place), "{file}: {rows}\n{}", session.screen());
    if may_fold {
        session.keys("esc").await;
    }
    for n in 0..rows {
        if n % 25 == 0 {
            assert!(is_sanitized(&session.screen()), "{file}:\n{:?}", session.screen());
        }
        if n % 40 == 10 {
            session.keys("d y j esc").await;
            session.copied_row().await;
        }
        session.press("j");
    }
    let copies = session.effects.iter().filter_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text),
        _ => None,
    });
    assert!(copies.into_iter().all(|text| is_sanitized(text)), "{file}");
    session.keys("x enter").await;
    let Some(Effect::Save { lines, .. }) = session.effects.pop() else {
        panic!("{file}: {}", session.screen())
    };
    assert!(lines.iter().all(|line| is_sanitized(line)), "{file}");
}

#[tokio::test]
async fn megabyte_names_are_handled() {
    for &(target, keys, file, asks) in LISTS {
        let mut row = recorded_row(file)["items"][0].clone();
        let mut found = Vec::new();
        pointers(&row, "", &mut found);
        let named = |place: &&String| {
            let text = row.pointer(place).is_some_and(Value::is_string);
            text && ["name", "symbol", "method"].iter().any(|end| place.ends_with(end))
        };
        let place = found.iter().find(named).cloned();
        // Internal transactions of this server version are identified only by their type.
        let place = place.unwrap_or_else(|| "/type".to_owned());
        let Some(text) = row.pointer_mut(&place) else { continue }; // a row of numbers only
        *text = json!("\u{202e}".repeat((1 << 20) / '\u{202e}'.len_utf8()));
        let mut session = list_session(target, keys, asks, &[row]).await;
        assert!(session.screen().contains("of 1 ─╯"), "{}", session.screen());
        session.keys("d esc").await;
        assert!(is_sanitized(&session.screen()), "{file}");
    }
}

#[tokio::test]
async fn detail_fields_of_any_type_are_handled() {
    let hash = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
    for (target, keys, file, asks) in [
        (
            ALICE,
            "",
            "address_vault_proxy.json",
            (|q| matches!(q, Query::Address(_, AddressQuery::Details))) as IsQuery,
        ),
        (ALICE, "", "counters_alice.json", |q| {
            matches!(q, Query::Address(_, AddressQuery::Counters))
        }),
        (ALICE, "", "tab_counters_alice.json", |q| {
            matches!(q, Query::Address(_, AddressQuery::TabCounters))
        }),
        (ALICE, "i", "token_evil.json", |q| matches!(q, Query::Token(_, TokenQuery::Details))),
        (ALICE, "i", "token-counters_item.json", |q| {
            matches!(q, Query::Token(_, TokenQuery::Counters))
        }),
        (ALICE, "8", "days_alice.json", |q| {
            matches!(q, Query::Address(_, AddressQuery::DailyBalances))
        }),
        (ALICE, "7", "contract_proxy.json", |q| matches!(q, Query::Contract(_))),
        ("13", "", "block_13.json", |q| matches!(q, Query::Block(_, BlockQuery::Details))),
        ("", "", "stats.json", |q| matches!(q, Query::Stats)),
        ("", "", "chart_transactions.json", |q| matches!(q, Query::DailyTransactions)),
        (ITEM, "", "instance_pane.json", |q| {
            matches!(q, Query::Instance(_, InstanceQuery::Details))
        }),
        (hash, "", "tx_swap.json", |q| {
            matches!(q, Query::Transaction(_, TransactionQuery::Details))
        }),
    ] {
        let body = Rc::new(RefCell::new(recorded_row(file).to_string()));
        let answer = Rc::clone(&body);
        let mut session = Session::canned(size(150, 50), target, move |query, _| match query {
            _ if asks(query) => Ok(answer.borrow().clone()),
            Query::Address(_, AddressQuery::Details) => {
                Ok(recorded_row("address_alice.json").to_string())
            }
            Query::Token(_, TokenQuery::Details) => Ok(recorded_row("token_evil.json").to_string()),
            _ => Ok("{\"items\":[]}".into()),
        })
        .await;
        if !keys.is_empty() {
            session.keys(keys).await;
        }
        for variant in variants(&recorded_row(file)).iter().step_by(7) {
            *body.borrow_mut() = variant.to_string();
            session.keys("r").await;
            assert!(is_sanitized(&session.screen()), "{file}: {variant}");
        }
        *body.borrow_mut() = recorded_row(file).to_string();
        session.keys("r").await;
        assert!(!session.screen().contains('✗'), "{file}:\n{}", session.screen());
    }
}
