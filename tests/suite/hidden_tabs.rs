//! Tabs that most pages lack: shown once something on the page shows that they have rows, or when the user
//! opens them.

use chainglass::test_api::api::{
    AddressQuery, ApiError, BlockQuery, ChainQuery, ListAccess, ListEntry, Query, TransactionQuery,
};
use chainglass::test_api::app_message::Msg;
use strum::IntoEnumIterator;

use crate::demo_items::SWAP;
use crate::session::{ALICE, Session, size};

fn not_found() -> ApiError {
    ApiError::from_error_body(404, br#"{"message":"Not found"}"#)
}

/// A session at an explorer that counts the rows of an address's tabs.
async fn counted(counters: &'static str) -> Session {
    Session::explorer(size(159, 40), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::TabCounters) => Ok(counters.into()),
        Query::Address(_, AddressQuery::Details) => Ok(format!("{{\"hash\":\"{ALICE}\"}}")),
        Query::Address(_, AddressQuery::Withdrawals) => {
            Ok(include_str!("../data/golden/withdrawals.json").into())
        }
        _ => Err(not_found()),
    })
    .await
}

#[tokio::test]
async fn tabs_that_the_explorer_counts_are_shown() {
    let counters = r#"{"withdrawals_count":3,"validations_count":0,"beacon_deposits_count":51}"#;
    let mut session = counted(counters).await;
    let screen = session.screen();
    assert!(screen.contains("Withdrawals") && screen.contains("Deposits"), "{screen}");
    assert!(!screen.contains("Blocks") && !screen.contains("User ops"), "{screen}");
    session.keys(": w i t h d r a w a l s enter").await;
    let screen = session.screen();
    assert!(screen.contains("5,070") && screen.contains("Receiver 0xf39F"), "{screen}");
    let first_page = (withdrawals(), None);
    assert_eq!(session.requests.iter().filter(|asked| **asked == first_page).count(), 1);
}

/// The explorer counts to 50.
#[tokio::test]
async fn tabs_count_at_least_the_loaded_rows() {
    let mut pages = 0..3_u64;
    let mut session = Session::explorer(size(159, 40), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::TabCounters) => {
            Ok(r#"{"transactions_count":51,"logs_count":51}"#.into())
        }
        Query::Address(_, AddressQuery::Details) => Ok(format!("{{\"hash\":\"{ALICE}\"}}")),
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            let page = pages.next().unwrap();
            let row = |n: u64| format!(r#"{{"hash":"0x{:064x}"}}"#, 50 * page + n);
            let rows = (0..50).map(row).collect::<Vec<_>>().join(",");
            let next = if page < 2 { format!("{{\"page\":{page}}}") } else { "null".into() };
            Ok(format!(r#"{{"items":[{rows}],"next_page_params":{next}}}"#))
        }
        _ => Err(not_found()),
    })
    .await;
    for (keys, count) in [("j", "Tx 100+"), ("G j", "Tx 150 ")] {
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains(count) && screen.contains("Logs 50+"), "{count}\n{screen}");
    }
}

fn withdrawals() -> Query {
    Query::Address(ALICE.parse().unwrap(), AddressQuery::Withdrawals)
}

#[tokio::test]
async fn tabs_without_counts_are_opened_by_name() {
    let mut session = counted("{}").await;
    assert!(!session.screen().contains("Withdrawals"), "{}", session.screen());
    assert!(session.requests.iter().all(|(query, _)| *query != withdrawals()));
    session.keys(": w i t h d r a w a l s enter").await;
    assert!(session.screen().contains("5,070"), "{}", session.screen());
    session.keys(": u s e r space o p s enter").await;
    let screen = session.screen();
    assert!(screen.contains("User ops") && screen.contains("not found on 127.0.0.1:1"), "{screen}");
}

#[tokio::test]
async fn empty_page_opens_on_rows_until_a_key_is_pressed() {
    const COUNTERS: &str = r#"{"transactions_count":0,"token_transfers_count":3}"#;
    for (key, switches) in [(None, true), (Some("j"), false)] {
        let mut session = Session::explorer(size(120, 40), "", |query, _| match query {
            Query::Address(_, AddressQuery::TabCounters) => Ok(COUNTERS.into()),
            Query::Address(_, AddressQuery::Details) => Ok(format!("{{\"hash\":\"{ALICE}\"}}")),
            Query::Address(_, AddressQuery::Transactions { .. }) => {
                Ok(r#"{"items":[],"next_page_params":null}"#.into())
            }
            _ => Err(not_found()),
        })
        .await;
        let mut effects = session.app.update(Msg::Paste(ALICE.into()));
        effects.extend(key.into_iter().flat_map(|key| session.press(key)));
        session.settle(effects).await;
        let is_transfers =
            |query: &Query| matches!(query, Query::Address(_, AddressQuery::TokenTransfers { .. }));
        let has_switched = session.requests.iter().any(|(query, _)| is_transfers(query));
        assert_eq!(has_switched, switches, "{key:?}: {}", session.screen());
    }
}

/// The tab line of a transaction's page with these fields.
async fn tabs_of_transaction(fields: &str) -> String {
    let body = format!("{{\"hash\":\"{SWAP}\",{fields}}}");
    let session = Session::explorer(size(160, 40), SWAP, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
        _ => Err(not_found()),
    })
    .await;
    let screen = session.screen();
    screen.lines().find(|line| line.contains("Overview")).unwrap().to_owned()
}

#[tokio::test]
async fn transactions_show_the_tabs_that_they_fill() {
    for (fields, tab) in [
        (r#""to":{"hash":"0x0000000071727De22E5E9d8BAf0edAc6f37da032"}"#, "User ops"),
        (r#""to":{"hash":"0x00000000219ab540356cBB839Cbe05303d7705Fa"}"#, "Deposits"),
        (
            r#""to":{"hash":"0x0000000000000000000000000000000000000001"},"blob_versioned_hashes":["0x01a8"]"#,
            "Blobs",
        ),
    ] {
        let line = tabs_of_transaction(fields).await;
        let others = ["User ops", "Deposits", "Blobs", "External"];
        for other in others {
            assert_eq!(line.contains(other), other == tab, "{other}: {line}");
        }
    }
}

#[tokio::test]
async fn lists_are_those_of_the_chain() {
    let lists = |screen: &str| {
        let names = screen.split("│   ").skip(1);
        names.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())).count()
    };
    let mut demo = Session::demo(size(160, 40), "").await;
    demo.keys("g l").await;
    assert_eq!(lists(&demo.screen()), 10, "{}", demo.screen());
    let mut explorer = Session::explorer(size(160, 40), "", |_, _| Err(not_found())).await;
    explorer.keys("g l").await;
    // Those of rollups come after the first page.
    assert_eq!(lists(&explorer.screen()), 20, "{}", explorer.screen());
    explorer.keys("d i s p u t e enter").await;
    let screen = explorer.screen();
    assert!(
        screen.contains("dispute games") && screen.contains("not found on 127.0.0.1:1"),
        "{screen}"
    );
    let asked = explorer.requests.iter();
    let asked = asked.filter(|(query, _)| *query == Query::Chain(ChainQuery::DisputeGames));
    assert_eq!(asked.count(), 1);
}

#[tokio::test]
async fn fields_of_other_chains_have_names_and_units() {
    let fields = r#"
        "type":126,"to":{"hash":"0x0000000000000000000000000000000000000001"},
        "blob_versioned_hashes":["0x01a8c328b0370068aaaef49c107f70901cd79adcda81e3599a88855532122e09"],
        "max_fee_per_blob_gas":"60000000000","blob_gas_used":"131072","l1_fee":"1584574188135760",
        "l1_fee_scalar":0.684,"op_withdrawals":[{"nonce":7,"status":"Proven","l1_transaction_hash":null}],
        "arbitrum":{"batch_number":743991,"poster_fee":"1297730000000","unknown_part":1,"commitment_transaction":{"hash":"0x71a2","status":"unfinalized","timestamp":null}},
        "scroll":{"l2_fee":{"type":"actual","value":"7000000000000000"},"l2_block_status":"Committed","l1_fee_overhead":"0"},
        "zilliqa":{"is_scilla":true},
        "zksync":{"batch_number":null,"status":"Sealed on L2"},
        "celo":{"gas_token":{"symbol":"cUSD","decimals":"18","address_hash":"0x874069Fa1Eb16D44d622F2e0Ca25eeA172369bC1"}},
        "operator_fee":"many","authorization_list":[{"address_hash":"0x77c7E3905c21177Be97956c6620567596492C497",
            "authority":"0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097","chain_id":"1","nonce":"0","status":"ok","r":"1","s":"2","v":1}],
        "of_the_future":{"x":1}"#;
    let body = format!("{{\"hash\":\"{SWAP}\",{fields}}}");
    let mut session = Session::explorer(size(160, 90), SWAP, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
        _ => Err(not_found()),
    })
    .await;
    session.keys("z R").await;
    let screen = session.screen();
    let text = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "blob 0x01a8c328b0370068aaaef49c107f70901cd79adcda81e3599a88855532122e09",
        "max blob price 60 gwei",
        "blob gas 131,072",
        "L1 fee 0.00158457418813576",
        "L1 fee scalar 0.684",
        "to L1 nonce 7 · status Proven",
        "batch 743,991",
        "poster fee 0.00000129773",
        "commitment L1 0x71a2",
        "commitment unfinalized",
        "rollup status Sealed on L2",
        "rollup status Committed",
        "L2 fee 0.007",
        "L1 fee overhead 0",
        "calls Scilla true",
        "gas token cUSD",
        "operator fee ? (many)",
        "type 126 (deposit from L1)",
        "0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097",
        "0x77c7E3905c21177Be97956c6620567596492C497",
        "authorization status ok · nonce 0 · chain id 1",
        "raw fields 2",
        r#"{"unknown_part":1}"#,
        "of_the_future",
    ] {
        assert!(text.contains(line), "{line}:\n{screen}");
    }
}

/// A transaction of 0.5 coin whose fee is in a token.
fn paid_in_token(fields: &str) -> String {
    format!(
        r#"{{"hash":"{SWAP}","status":"ok","result":"success","block_number":7,"type":2,
        "from":{{"hash":"0x0000000000000000000000000000000000000003"}},
        "to":{{"hash":"0x0000000000000000000000000000000000000001"}},"raw_input":"0x",
        "value":"500000000000000000","gas_used":"148816","gas_price":"48000000000",
        "max_fee_per_gas":"40000000000","base_fee_per_gas":"10000000000","priority_fee":"1299672384375000",
        "transaction_burnt_fee":"461030000000000","exchange_rate":"2512.33",
        "fee":{{"type":"actual","value":"7143168000000000"}},{fields}}}"#
    )
}

const FEE_TOKEN: &str = r#"{"symbol":"cUSD","decimals":"18","exchange_rate":"0.42","address_hash":"0x874069Fa1Eb16D44d622F2e0Ca25eeA172369bC1"}"#;

#[tokio::test]
async fn fee_paid_in_a_token_is_an_amount_of_that_token() {
    for (fields, fee, price) in [
        (format!(r#""celo":{{"gas_token":{FEE_TOKEN}}}"#), "0.007143168 cUSD", "0.000000048 cUSD"),
        (
            format!(r#""stability_fee":{{"token":{FEE_TOKEN},"total_fee":"68762500000000"}}"#),
            "0.0000687625 cUSD",
            "0.000000048 cUSD",
        ),
        (r#""stability_fee":{"total_fee":"68762500000000"}"#.to_owned(), "?", "?"),
        (r#""celo":{"gas_token":[]}"#.to_owned(), "?", "?"),
        (r#""celo":{"gas_token":null}"#.to_owned(), "0.007143168 ?", "48 gwei"),
    ] {
        let body = paid_in_token(&fields);
        let mut session = Session::explorer(size(160, 60), SWAP, move |query, _| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
            _ => Err(not_found()),
        })
        .await;
        session.keys("z R").await;
        let screen = session.screen();
        let text = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in [format!("fee {fee}"), format!("gas price {price}"), "base fee 10 gwei".into()]
        {
            assert!(text.contains(&line), "{line}:\n{screen}");
        }
        let is_in_coin = fee.ends_with(" ?");
        assert_eq!(text.contains(" burnt "), is_in_coin, "{screen}");
        assert_eq!(text.contains("fee 0.00714317 ? ($17.95 now)"), is_in_coin, "{screen}");
        let has_worth = text.contains("fee 0.00714317 cUSD (<$0.01 now)");
        assert_eq!(has_worth, fee.starts_with("0.007143168 cUSD"), "{screen}");
    }
}

#[tokio::test]
async fn fee_in_a_token_has_its_unit_in_lists() {
    let fields = format!(r#""celo":{{"gas_token":{FEE_TOKEN}}}"#);
    let page = format!(r#"{{"items":[{}],"next_page_params":null}}"#, paid_in_token(&fields));
    let mut session = Session::explorer(size(120, 40), "", move |query, _| match query {
        Query::Chain(ChainQuery::Transactions) => Ok(page.clone()),
        _ => Err(not_found()),
    })
    .await;
    session.keys("g t").await;
    let screen = session.screen();
    assert_eq!(screen.matches("0.00714317 cUSD").count(), 2, "row with preview: {screen}");
    assert!(!screen.contains("0.00714317 ETH"), "{screen}");
}

#[tokio::test]
async fn fields_of_blocks_of_other_chains_have_names_and_units() {
    let body = r#"{"height":13,"minimum_gas_price":"59240000","hash_for_merged_mining":"0x481d",
        "bitcoin_merged_mining_header":"0x0000","blob_gas_price":"21518435987","burnt_blob_fees":"8461393325064192",
        "zilliqa":{"view":1137735,"quorum_certificate":{"signers":[1]}}}"#;
    let mut session = Session::explorer(size(160, 60), "13", move |query, _| match query {
        Query::Block(_, BlockQuery::Details) => Ok(body.to_owned()),
        _ => Err(not_found()),
    })
    .await;
    session.keys("4 z R").await;
    let screen = session.screen();
    let text = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "minimum gas price 0.05924 gwei",
        "merged mining hash 0x481d",
        "Bitcoin header 0x0000",
        "blob gas price 21.518435987 gwei",
        "burnt for blobs 0.008461393325064192",
        "view 1,137,735",
        "raw fields 1",
        r#"{"quorum_certificate":{"signers":[1]}}"#,
    ] {
        assert!(text.contains(line), "{line}:\n{screen}");
    }
}

#[tokio::test]
async fn every_list_of_the_chain_opens_or_costs_a_line() {
    for list in ChainQuery::iter() {
        let ListEntry { title, access, .. } = list.entry();
        let ListAccess::Listed { is_served_here, .. } = access else { continue };
        let asked = |session: &Session| {
            let queries = session.requests.iter().map(|(query, _)| query);
            queries.filter(|query| **query == Query::Chain(list.clone())).count()
        };
        let mut explorer = Session::explorer(size(120, 40), "", |_, _| Err(not_found())).await;
        explorer.keys("g l").await;
        explorer.type_text(title).await;
        let screen = explorer.screen();
        let failures = screen.lines().filter(|line| line.contains('✗')).count();
        assert!(failures == 1 && screen.contains("not found on 127.0.0.1:1"), "{title}: {screen}");
        assert_eq!(asked(&explorer), 1, "{title}");
        if is_served_here {
            let mut demo = Session::demo(size(120, 40), "").await;
            demo.keys("g l").await;
            demo.type_text(title).await;
            let screen = demo.screen();
            assert!(!screen.contains('✗') && asked(&demo) > 0, "{title}: {screen}");
            let has_end = ["1 of ", "no "].iter().any(|words| screen.contains(words));
            assert!(has_end, "{title}: {screen}");
        }
    }
}
