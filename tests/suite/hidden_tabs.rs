//! Tabs that most pages lack: shown once something on the page shows that they have rows, or when the user
//! opens them.

use chainglass::test_api::api::{AddressQuery, ApiError, ChainQuery, Query, TransactionQuery};

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
    assert!(screen.contains("Withdrawals 3") && screen.contains("Deposits 50+"), "{screen}");
    assert!(!screen.contains("Blocks") && !screen.contains("User ops"), "{screen}");
    session.keys("8 }").await;
    let screen = session.screen();
    assert!(screen.contains("5,070") && screen.contains("70 gwei"), "{screen}");
    let asked = session.requests.iter();
    let asked = asked.filter(|(query, _)| *query == withdrawals()).count();
    assert_eq!(asked, 1);
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
async fn lists_without_keys_are_those_of_the_chain() {
    let lists = |screen: &str| screen.matches("list of the whole chain").count();
    let mut demo = Session::demo(size(160, 40), "").await;
    demo.keys("g l").await;
    assert_eq!(lists(&demo.screen()), 3, "{}", demo.screen());
    let mut explorer = Session::explorer(size(160, 40), "", |_, _| Err(not_found())).await;
    explorer.keys("g l").await;
    assert_eq!(lists(&explorer.screen()), 17, "{}", explorer.screen());
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
