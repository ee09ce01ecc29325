//! Decoding of responses from all server versions, truncated ones and hostile ones: an invalid value
//! never affects others.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use chainglass::test_api::{
    api::{
        AbstractionParty, Activity, AddressInfo, AddressQuery, ApiError, Approval, BatchQuery,
        BeaconDeposit, Blob, Block, BlockQuery, ChainQuery, CoinBalanceChange, Collection,
        ConsoleLine, Contract, DisputeGame, EthLog, ExternalTransaction, Holder, HotContract,
        InstanceKey, InstanceQuery, InternalTransaction, Log, Next, OperationBundle, OptimismBatch,
        OptimismDeposit, OptimismWithdrawal, OutputRoot, Query, RankedAccount, Reply, ReplyData,
        SearchResult, SmartAccount, StateChange, Token, TokenBalance, TokenInstance, TokenQuery,
        TokenTransfer, Transaction, TransactionQuery, UserOperation, VerifiedContract, Withdrawal,
    },
    chain::{BlockId, U256},
};
use proptest::{collection::vec, prelude::*, sample};
use serde_json::{Value, json};

use crate::demo_server_client::ALICE;
use crate::fault_cases::{chain_queries, queries};

/// The query of each kind of sample by file name prefix: recorded samples, if there are any, then ours.
fn sample_queries() -> Vec<(&'static str, &'static str, Query)> {
    let token = ALICE.parse().unwrap();
    let (types, holder) = (vec![], None);
    let key = InstanceKey { token, id: U256::ONE };
    let block = |query| Query::Block(BlockId::Number(13), query);
    let mut queries = vec![
        ("advanced-filters--", "activity_", Query::activity(None, <_>::default())),
        (
            "token-transfers--",
            "transfers_global",
            Query::Chain(ChainQuery::Transfers { types: vec![] }),
        ),
        ("token-instances--", "instances_", Query::Token(token, TokenQuery::Instances { holder })),
        ("token-instance--", "instance_", Query::Instance(key, InstanceQuery::Details)),
        ("token--", "token_", Query::Token(token, TokenQuery::Details)),
        ("token-counters--", "token-counters_", Query::Token(token, TokenQuery::Counters)),
        ("token-holders--", "holders_", Query::Token(token, TokenQuery::Holders)),
        ("", "chain_tokens", Query::Chain(ChainQuery::Tokens { types })),
        ("", "chain_transactions", Query::Chain(ChainQuery::Transactions)),
        ("", "chart_transactions", Query::DailyTransactions),
        ("", "contract_", Query::Contract(token)),
        ("", "in_block_withdrawals", block(BlockQuery::Withdrawals)),
        ("", "optimism_batch.", Query::Batch(120, BatchQuery::Details)),
        ("", "approvals_", Query::Address(token, AddressQuery::Approvals { is_history: false })),
        ("", "search_gl", Query::Search("gl".into())),
        ("", "blocks", Query::Chain(ChainQuery::Blocks)),
        ("", "console_", Query::Chain(ChainQuery::Console)),
        ("", "stats", Query::Stats),
        ("", "web_config", Query::WebConfig),
        ("", "main_blocks", Query::LatestBlocks),
        ("", "main_transactions", Query::LatestTransactions),
        ("", "block_", block(BlockQuery::Details)),
    ];
    queries.extend(chain_queries().map(|(prefix, query)| ("", prefix, Query::Chain(query))));
    queries.extend(address_queries());
    queries.extend(transaction_queries());
    queries
}

fn address_queries() -> impl Iterator<Item = (&'static str, &'static str, Query)> {
    let (direction, types) = (None, Vec::new);
    let transfers = AddressQuery::TokenTransfers { direction, types: types(), token: None };
    let queries = [
        ("address--", "address_", AddressQuery::Details),
        ("address-counters--", "counters_", AddressQuery::Counters),
        ("address-tabs-counters--", "tab_counters_", AddressQuery::TabCounters),
        ("address-transactions--", "transactions_", AddressQuery::Transactions { direction }),
        (
            "address-internal-transactions--",
            "internal_",
            AddressQuery::InternalTransactions { direction },
        ),
        ("address-token-transfers--", "transfers_", transfers),
        ("address-tokens--", "tokens_", AddressQuery::Tokens { types: types() }),
        ("address-nft-collections--", "collections_", AddressQuery::Collections { types: types() }),
        ("address-coin-balance-history--", "balances_", AddressQuery::BalanceHistory),
        ("address-coin-balance-history-by-day--", "days_", AddressQuery::DailyBalances),
    ];
    let address = ALICE.parse().unwrap();
    queries
        .into_iter()
        .map(move |(sample, ours, query)| (sample, ours, Query::Address(address, query)))
}

fn transaction_queries() -> impl Iterator<Item = (&'static str, &'static str, Query)> {
    let hash = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
    let hash = hash.parse().unwrap();
    let queries = [
        ("transaction--", "tx_", TransactionQuery::Details),
        ("transaction-token-transfers--", "transfers_of_", TransactionQuery::TokenTransfers),
        ("transaction-logs--", "logs_", TransactionQuery::Logs),
        ("transaction-state-changes--", "state_changes_", TransactionQuery::StateChanges),
        ("", "blobs", TransactionQuery::Blobs),
        ("", "external_transactions", TransactionQuery::ExternalTransactions),
    ];
    queries
        .into_iter()
        .map(move |(sample, ours, query)| (sample, ours, Query::Transaction(hash, query)))
}

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The files of a folder with this name prefix.
fn files(folder: &Path, prefix: &str) -> Vec<(String, String)> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.starts_with(prefix));
    names.sort();
    let body = |name: &String| fs::read_to_string(folder.join(name)).unwrap();
    names.iter().map(|name| (name.clone(), body(name))).collect()
}

/// Returns the decoded items without their raw JSON, or the object: `Ok(…)` or `Err(…)`.
pub(crate) fn items(reply: &Reply) -> Vec<String> {
    match list_items(reply) {
        Some((_, items)) => items,
        None => vec![format!("Ok({reply:?})")],
    }
}

/// Returns the type of a list's items, and the items. `None` of an object.
#[expect(clippy::cognitive_complexity, reason = "the same condition for each type")]
pub(crate) fn list_items(reply: &Reply) -> Option<(&'static str, Vec<String>)> {
    macro_rules! of_types {
        ($($item:ident),* $(,)?) => {$(
            if let Some(page) = reply.page::<$item>() {
                let items = page.items.iter().map(|item| format!("{:?}", item.parsed));
                return Some((stringify!($item), items.collect()));
            }
        )*};
    }
    of_types!(
        AbstractionParty,
        Activity,
        Approval,
        BeaconDeposit,
        Blob,
        Block,
        CoinBalanceChange,
        Collection,
        ConsoleLine,
        Contract,
        DisputeGame,
        EthLog,
        ExternalTransaction,
        Holder,
        HotContract,
        InternalTransaction,
        Log,
        OperationBundle,
        OptimismBatch,
        OptimismDeposit,
        OptimismWithdrawal,
        OutputRoot,
        RankedAccount,
        SearchResult,
        SmartAccount,
        StateChange,
        Token,
        TokenBalance,
        TokenInstance,
        TokenTransfer,
        Transaction,
        UserOperation,
        VerifiedContract,
        Withdrawal,
    );
    assert_eq!(reply.next(), None, "list its type above");
    None
}

/// The types of the items of all lists, each with a query.
pub(crate) fn list_types() -> BTreeMap<&'static str, Query> {
    let typed = queries().into_iter().filter_map(|(query, body)| {
        let reply = query.decode(body.as_bytes(), None).unwrap();
        Some((list_items(&reply)?.0, query))
    });
    typed.collect()
}

#[test]
fn fuzz_target_reads_every_list() {
    let target = fs::read_to_string(data("tests/fuzz/fuzz_targets/responses.rs")).unwrap();
    let (_, types) = target.split_once("of_types!(").unwrap();
    let types: Vec<&str> = types.split_once(");").unwrap().0.split(',').map(str::trim).collect();
    // An object, and rows that become others or are in a prompt.
    for name in list_types()
        .into_keys()
        .filter(|name| !["Contract", "EthLog", "SearchResult"].contains(name))
    {
        assert!(types.contains(&name), "{name} is not in tests/fuzz/fuzz_targets/responses.rs");
    }
}

fn read(query: &Query, body: &str) -> Vec<String> {
    match query.decode(body.as_bytes(), None) {
        Ok(reply) => items(&reply),
        Err(error) => vec![format!("Err({error:?})")],
    }
}

/// The fields of an item that could not be decoded, with the reason.
fn unread(item: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = item.split(": Invalid(\"").collect();
    let pairs = parts.windows(2).map(|pair| {
        let field = pair[0].rsplit([' ', '{', '(']).next().unwrap();
        (field, pair[1].split("\")").next().unwrap())
    });
    pairs.collect()
}

/// Values in samples that are none: the mocks' block hash, and a reason that was not fetched yet.
const QUIRKS: [(&str, &str); 2] = [
    ("block_hash", "expected a 32-byte hash, found \\\"1\\\""),
    ("revert_reason", "the explorer does not know it yet"),
];
/// A sample with only a part of a transaction.
const FRAGMENT: &str = "transaction--decoded-input-nested.json";

#[test]
fn samples_decode_every_field() {
    let samples = data("../shared/spec/samples");
    if !samples.is_dir() {
        // Visible with `--nocapture`: the samples are not part of this repository.
        let skipped = format!("skipped: there is no {}\n", samples.display());
        std::io::stderr().write_all(skipped.as_bytes()).unwrap();
        return;
    }
    let mut surprises = Vec::new();
    for (prefix, _, query) in sample_queries().into_iter().filter(|(prefix, ..)| !prefix.is_empty())
    {
        let mut files = files(&samples, prefix);
        files.retain(|(name, _)| name != FRAGMENT);
        assert!(!files.is_empty(), "{prefix}");
        for (name, body) in files {
            for item in read(&query, &body) {
                if !item.starts_with("Ok(") {
                    surprises.push(format!("{name}: {item}"));
                }
                let odd = unread(&item).into_iter().filter(|odd| !QUIRKS.contains(odd));
                surprises.extend(odd.map(|(field, why)| format!("{name}: {field}: {why}")));
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

/// Renamed fields, new name first.
const RENAMED: [(&str, &str); 9] = [
    ("address_hash", "address"),
    ("block_number", "block"),
    ("creation_transaction_hash", "creation_tx_hash"),
    ("has_error_in_internal_transactions", "has_error_in_internal_txs"),
    ("holders_count", "holders"),
    ("transaction_burnt_fee", "tx_burnt_fee"),
    ("transaction_hash", "tx_hash"),
    ("transaction_tag", "tx_tag"),
    ("transaction_types", "tx_types"),
];

#[test]
fn historic_field_names_are_accepted() {
    let mut renamed = [0; RENAMED.len()];
    for (_, prefix, query) in sample_queries() {
        for (name, body) in files(&data("tests/data/golden"), prefix) {
            if name == "tx_7702.json" {
                continue; // its delegations are shown as they come, names and all
            }
            let body = serde_json::from_str::<Value>(&body).unwrap().to_string();
            let body = body.replace("\"transaction_tag\":null", "\"transaction_tag\":\"a note\"");
            let expected = read(&query, &body);
            for ((new, old), count) in RENAMED.iter().zip(&mut renamed) {
                let new = format!("\"{new}\":");
                *count += body.matches(&new).count() - body.matches(&format!("{new}null")).count();
                for aged in [
                    body.replace(&new, &format!("\"{old}\":")),
                    body.replace(&new, &format!("{new}null,\"{old}\":")),
                    // A null is ignored; any other value of the new field overrides the old one.
                    body.replace(&new, &format!("\"{old}\":null,{new}")),
                    body.replace(&format!("{new}\""), &format!("\"{old}\":\"stale\",{new}\"")),
                ] {
                    assert_eq!(read(&query, &aged), expected, "{name}: {old}");
                }
            }
        }
    }
    let unused: Vec<_> = RENAMED.iter().zip(renamed).filter(|(_, count)| *count == 0).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

/// The decoded fields that all server versions have in common.
fn common_fields(reply: &Reply) -> String {
    fn first<T: ReplyData + Clone>(reply: &Reply) -> Option<T> {
        Some(reply.page::<T>()?.items[0].parsed.clone().unwrap())
    }
    let common_fields = if let Some(it) = reply.parsed_item::<AddressInfo>() {
        let fields = (&it.creator, &it.creation_transaction, &it.coin_balance);
        format!("{:?}", (it.address.hash, fields))
    } else if let Some(it) = first::<Transaction>(reply) {
        let fields = (it.has_inner_error, it.gas.burnt_fee, it.transaction_types);
        format!(
            "{:?}",
            (
                it.hash,
                it.block_number,
                it.timestamp,
                it.fee.value().map(|fee| (&fee.kind, &fee.value)),
                fields
            )
        )
    } else if let Some(it) = first::<InternalTransaction>(reply) {
        format!("{:?}", (it.transaction_hash, it.block_number, it.index, it.gas_limit))
    } else if let Some(it) = first::<TokenTransfer>(reply) {
        let token = it.token.value().unwrap().clone();
        format!("{:?}", (it.transaction_hash, it.log_index, it.timestamp, token.address))
            + &format!("{:?}", (token.holders, token.symbol))
    } else if let Some(it) = first::<TokenBalance>(reply) {
        let token = it.token.value().unwrap().clone();
        format!("{:?}", (it.value, token.address, token.holders, token.decimals))
    } else if let Some(it) = first::<Collection>(reply) {
        let token = it.token.value().unwrap().clone();
        let piece = it.instances.value().unwrap()[0].clone();
        format!("{:?}", (it.amount, token.address, token.holders, piece.id))
    } else if let Some(it) = first::<TokenInstance>(reply) {
        let token = it.token.value().unwrap().clone();
        let owner = it.owner.value().unwrap().hash;
        format!("{:?}", (it.id, it.is_unique, owner, token.address, token.holders))
    } else {
        panic!("{reply:?}")
    };
    assert!(
        !common_fields.contains("Invalid") && !common_fields.contains("Absent"),
        "{common_fields}"
    );
    common_fields
}

#[test]
fn server_versions_decode_alike() {
    let mut compared = 0;
    for (_, prefix, query) in sample_queries() {
        for (name, ages) in files(&data("tests/data/server_versions"), prefix) {
            let ages: BTreeMap<String, Value> = serde_json::from_str(&ages).unwrap();
            let versions = ages.iter().map(|(age, item)| {
                let alone = matches!(query, Query::Address(_, AddressQuery::Details));
                let body = if alone { item.clone() } else { json!({ "items": [item] }) };
                (age, common_fields(&query.decode(body.to_string().as_bytes(), None).unwrap()))
            });
            compared += 1;
            let versions: Vec<_> = versions.collect();
            assert!(
                versions.len() > 1 && versions.iter().all(|it| it.1 == versions[0].1),
                "{name}: {versions:#?}"
            );
        }
    }
    assert_eq!(compared, 7);
}

fn transactions() -> Query {
    Query::Address(ALICE.parse().unwrap(), AddressQuery::Transactions { direction: None })
}

/// A valid row.
const GOOD: &str =
    r#"{"hash":"0x1111111111111111111111111111111111111111111111111111111111111111"}"#;

#[test]
fn broken_json_is_rejected() {
    let whole = format!("{{\"items\":[{GOOD}],\"next_page_params\":null}}");
    transactions().decode(whole.as_bytes(), None).unwrap();
    let spoilt = |from: &str, to: &[u8]| {
        let at = whole.find(from).unwrap();
        [&whole.as_bytes()[..at], to, &whole.as_bytes()[at + from.len()..]].concat()
    };
    for body in [
        Vec::new(),
        b"\xef\xbb\xbf".to_vec(),
        whole.as_bytes()[..whole.len() - 1].to_vec(),
        [whole.as_bytes(), b"}"].concat(),
        [whole.as_bytes(), whole.as_bytes()].concat(),
        [whole.as_bytes(), b"\0"].concat(),
        spoilt("null", b"NaN"),
        spoilt("null", b"nul"),
        spoilt("null", b"01"),
        spoilt("hash", b"ha\xffsh"),
        spoilt("hash", b"ha\xed\xa0\x80sh"),
        spoilt("hash", b"ha\nsh"),
        spoilt("items", b"item"),
        spoilt(&format!("[{GOOD}]"), GOOD.as_bytes()),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"\"Internal server error\"".to_vec(),
        b"{\"items\":null}".to_vec(),
        "[".repeat(10_000).into_bytes(),
    ] {
        let answer = transactions().decode(&body, None);
        let text = String::from_utf8_lossy(&body);
        assert!(matches!(answer, Err(ApiError::InvalidResponse { .. })), "{text:.200}: {answer:?}");
    }
}

#[test]
fn unusual_json_loses_no_other_row() {
    let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    let hash = GOOD.trim_start_matches('{').trim_end_matches('}');
    for (row, kept) in [
        (&format!("{{\"x\":{deep},{hash}}}")[..], true),
        (&format!("{{\"from\":{deep},{hash},\"value\":1e999999999}}"), true),
        (&format!("{{\"\\ud800\":1,\"method\":\"\\udfff\",{hash}}}"), true),
        (&format!("{{\"\":0,{hash},{hash},\"hash\":null}}"), true),
        (&deep, false),
        ("null", false),
        ("{}", false),
        ("-0.0e-0", false),
        (r#"{"hash":"0x12"}"#, false),
        (r#""\ud800""#, false),
    ] {
        let body = format!("{{\"\\ud800\":[],\"items\":[{GOOD},{row},{GOOD}],\"more\":{deep}}}");
        let reply = transactions().decode(body.as_bytes(), None).unwrap();
        let page = reply.page::<Transaction>().unwrap();
        let read: Vec<bool> = page.items.iter().map(|item| item.parsed.is_ok()).collect();
        assert_eq!(read, [true, kept, true], "{row:.80}");
        assert_eq!(page.items[1].raw.get(), row, "the raw JSON is kept verbatim");
    }
}

#[test]
fn long_page_is_cut_and_its_cursor_kept() {
    let rows = vec![GOOD; 1_234].join(",");
    let body = format!("{{\"items\":[{rows}],\"next_page_params\":{{\"at\":7}}}}");
    let reply = transactions().decode(body.as_bytes(), None).unwrap();
    let page = reply.page::<Transaction>().unwrap();
    assert_eq!((page.items.len(), page.left_out), (1_000, 234));
    assert_eq!(page.cut_note().unwrap(), "page cut at 1,000 of 1,234 rows");
    assert!(matches!(page.next, Next::Page(_)));
}

/// A few bytes of JSON can be a kilobyte in memory.
#[test]
fn row_that_takes_too_much_memory_loses_only_its_own_fields() {
    let hash = GOOD.trim_start_matches('{').trim_end_matches('}');
    let transfers = vec!["{}"; 1_000].join(",");
    let row = format!("{{{hash},\"token_transfers\":[{transfers}],\"method\":\"swap\"}}");
    let body = format!("{{\"items\":[{row},{GOOD}]}}");
    let reply = transactions().decode(body.as_bytes(), None).unwrap();
    let page = reply.page::<Transaction>().unwrap();
    let [large, good] = [0, 1].map(|row| page.items[row].parsed.as_ref().unwrap());
    assert_eq!(large.token_transfers.value().map(Vec::len), None);
    assert!(good.method.value().is_some() == GOOD.contains("method"));
}

#[test]
fn invalid_cursor_loses_no_row() {
    for (next, expected) in [
        ("7", Next::Invalid("expected an object, found 7".into())),
        ("[\"\u{202e}\"]", Next::Invalid("expected an object, found [\"␦\"]".into())),
        ("null", Next::End),
    ] {
        let body = format!("{{\"items\":[{GOOD}],\"next_page_params\":{next}}}");
        let reply = transactions().decode(body.as_bytes(), None).unwrap();
        let page = reply.page::<Transaction>().unwrap();
        assert!(page.items[0].parsed.is_ok() && page.next == expected, "{next}: {:?}", page.next);
    }
}

/// A recorded page, and the row number and JSON pointer of every value in its rows.
struct SamplePage {
    query: Query,
    page: Value,
    places: Vec<(usize, String)>,
}

static SAMPLE_PAGES: LazyLock<Vec<SamplePage>> = LazyLock::new(|| {
    let files = [
        "address_vault_proxy.json",
        "counters_alice.json",
        "tab_counters_alice.json",
        "tx_swap.json",
        "tx_7702.json",
        "transactions_thrower.json",
        "internal_factory.json",
        "transfers_alice.json",
        "transfers_global.json",
        "tokens_alice_1155.json",
        "collections_alice.json",
        "instances_pane.json",
        "blocks.json",
        "chain_tokens.json",
        "contract_proxy.json",
        "search_gl.json",
        "block_13.json",
        "console_desk.json",
        "stats.json",
    ];
    let golden = data("tests/data/golden");
    let sample_page = |file: &&str| {
        let (.., query) =
            sample_queries().into_iter().rfind(|(_, ours, _)| file.starts_with(ours)).unwrap();
        let page = fs::read_to_string(golden.join(file)).unwrap();
        let page: Value = serde_json::from_str(&page).unwrap();
        let mut places = Vec::new();
        match page.get("items").and_then(Value::as_array) {
            None => fields(&page, 0, "", &mut places),
            Some(rows) => rows.iter().enumerate().for_each(|(row, item)| {
                fields(item, row, &format!("/items/{row}"), &mut places);
            }),
        }
        SamplePage { query, page, places }
    };
    files.iter().map(sample_page).collect()
});

/// Adds the JSON pointers of all nested values.
fn fields(value: &Value, row: usize, at: &str, places: &mut Vec<(usize, String)>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, v)| (name.clone(), v)).collect(),
        Value::Array(values) => {
            values.iter().zip(0..).map(|(v, n): (_, u32)| (n.to_string(), v)).collect()
        }
        _ => return,
    };
    for (name, value) in inside {
        let at = format!("{at}/{name}");
        fields(value, row, &at, places);
        places.push((row, at));
    }
}

/// Arbitrary JSON text.
fn any_json() -> impl Strategy<Value = String> {
    let text = any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap());
    let name = prop_oneof![
        sample::select(vec!["hash", "tags", "raw", "name", "value", "address", "parameters"])
            .prop_map(|name| format!("\"{name}\"")),
        text.clone(),
        Just("\"\\ud800\"".to_owned()),
    ];
    let leaf = prop_oneof![
        sample::select(vec!["null", "true", "\"\"", "\"0x\"", "\"\\udfff\"", "{}", "[]"])
            .prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,90})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,12})?",
        "\"0x[0-9a-fA-F]{0,70}\"",
        text,
        Just(["[".repeat(10_000), "]".repeat(10_000)].concat()),
    ];
    leaf.prop_recursive(3, 20, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            vec((name.clone(), inner), 0..4).prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, value)| format!("{name}:{value}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

/// Decodes a balance with this number in all numeric fields.
fn balance(number: &str) -> [Option<U256>; 6] {
    let body = format!(
        "{{\"items\":[{{\"value\":{number},\"token_id\":{number},\"token\":{{\"holders\":{number},\
         \"decimals\":{number},\"total_supply\":{number}}},\"token_instance\":{{\"id\":{number}}}\
         }}]}}"
    );
    let query = Query::Address(ALICE.parse().unwrap(), AddressQuery::Tokens { types: vec![] });
    let reply = query.decode(body.as_bytes(), None).unwrap();
    let page = reply.page::<TokenBalance>().unwrap();
    let item = page.items[0].parsed.as_ref().unwrap();
    let (token, piece) = (item.token.value().unwrap(), item.token_instance.value().unwrap());
    [
        item.value.value().copied(),
        item.token_id.value().copied(),
        token.total_supply.value().copied(),
        piece.id.value().copied(),
        token.holders.value().copied().map(U256::from),
        token.decimals.value().copied().map(U256::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn invalid_value_affects_only_its_row(
        sample_page in 0..SAMPLE_PAGES.len(),
        place in any::<sample::Index>(),
        value in any_json(),
    ) {
        let SamplePage { query, page, places } = &SAMPLE_PAGES[sample_page];
        let (row, place) = place.get(places);
        let mut spoilt = page.clone();
        *spoilt.pointer_mut(place).unwrap() = "here".into();
        let body = spoilt.to_string().replace("\"here\"", &value);
        let mut expected = read(query, &page.to_string());
        let mut items = read(query, &body);
        // Only the hash of an address or a transaction is required.
        let name = place == "/hash" || *place == format!("/items/{row}/hash");
        prop_assert!(items[*row].starts_with("Ok(") || name, "{place}: {}", items[*row]);
        items.remove(*row);
        expected.remove(*row);
        prop_assert_eq!(items, expected);
    }

    #[test]
    fn amounts_decode_exactly(limbs in any::<[u64; 4]>(), zeros in 0_usize..4) {
        let amount = U256::from_limbs(limbs);
        let point = "0".repeat(zeros);
        for number in [
            amount.to_string(),
            format!("\"{amount}\""),
            format!("{amount}.0{point}"),
            format!("\"{amount}.0{point}e0\""),
        ] {
            prop_assert_eq!(&balance(&number)[..4], [Some(amount); 4], "{}", number);
        }
    }

    #[test]
    fn oversized_numbers_are_rejected(digits in "[1-9][0-9]{78,600}", e in 78..999) {
        let beyond = U256::MAX.to_string();
        let beyond = format!("{}6", &beyond[..beyond.len() - 1]);
        for number in [&digits, &format!("\"{digits}\""), &format!("1e{e}"), &beyond] {
            prop_assert_eq!(balance(number), [None; 6], "{}", number);
        }
    }

    #[test]
    fn narrow_integer_fields_reject_overflow(number in prop_oneof![0_u128..300, 0_u128..1 << 66]) {
        let [.., holders, decimals] = balance(&number.to_string());
        prop_assert_eq!(holders, u64::try_from(number).ok().map(U256::from));
        prop_assert_eq!(decimals, u8::try_from(number).ok().map(U256::from));
    }
}
