//! Shows sample responses of all server versions and checks that no field is missing.

use std::fs;
use std::io::Write;
use std::path::Path;

use chainglass::test_api::api::{
    AddressQuery, ApiError, ChainQuery, Query, TokenQuery, TransactionQuery,
};
use serde_json::Value;

use super::demo_items::SWAP;
use super::session::{ALICE, Session, size};

/// The file name prefix of an endpoint's samples, the keys that show it, and its query.
const ENDPOINTS: &[(&str, &str, IsQuery)] = &[
    ("address-transactions--", "1", |q| {
        matches!(q, Query::Address(_, AddressQuery::Transactions { .. }))
    }),
    ("address-internal-transactions--", "2", |q| {
        matches!(q, Query::Address(_, AddressQuery::InternalTransactions { .. }))
    }),
    ("address-token-transfers--", "3", |q| {
        matches!(q, Query::Address(_, AddressQuery::TokenTransfers { .. }))
    }),
    ("token-transfers--", "T", |q| matches!(q, Query::Chain(ChainQuery::Transfers { .. }))),
    ("address-tokens--", "4", |q| matches!(q, Query::Address(_, AddressQuery::Tokens { .. }))),
    ("address-nft-collections--", "5", |q| {
        matches!(q, Query::Address(_, AddressQuery::Collections { .. }))
    }),
    ("transaction-token-transfers--", "3", |q| {
        matches!(q, Query::Transaction(_, TransactionQuery::TokenTransfers))
    }),
    ("transaction-logs--", "4", |q| matches!(q, Query::Transaction(_, TransactionQuery::Logs))),
    ("transaction-state-changes--", "6", |q| {
        matches!(q, Query::Transaction(_, TransactionQuery::StateChanges))
    }),
    ("token-instances--", "5 enter", |q| {
        matches!(q, Query::Token(_, TokenQuery::Instances { .. }))
    }),
    ("address-coin-balance-history--", "8", |q| {
        matches!(q, Query::Address(_, AddressQuery::BalanceHistory))
    }),
    ("token-holders--", "i 2", |q| matches!(q, Query::Token(_, TokenQuery::Holders))),
];

type IsQuery = fn(&Query) -> bool;

/// A collection, to open its instances from.
const COLLECTION: &str = r#"{"items":[{"token":{"address_hash":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","type":"ERC-721"}}],"next_page_params":null}"#;

#[tokio::test]
async fn every_sample_field_is_shown() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/spec/samples");
    let Ok(files) = fs::read_dir(samples) else {
        std::io::stderr().write_all(b"skipped: ../shared is not here\n").unwrap();
        return;
    };
    let mut seen = 0;
    for path in files.map(|file| file.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some((_, keys, is_asked)) =
            ENDPOINTS.iter().find(|(start, ..)| name.starts_with(start))
        else {
            continue;
        };
        let body = fs::read_to_string(&path).unwrap();
        let json: Value = serde_json::from_str(&body).unwrap();
        let rows = json["items"].as_array().unwrap().len();
        let target = if name.starts_with("transaction") { SWAP } else { ALICE };
        let mut session = Session::canned(size(200, 60), target, move |query, cursor| {
            match query {
                // The samples have one page.
                _ if cursor.is_some() => Err(ApiError::TimedOut { seconds: 1 }),
                _ if is_asked(query) => Ok(body.clone()),
                Query::Address(_, AddressQuery::Collections { .. }) => Ok(COLLECTION.into()),
                _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
            }
        })
        .await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(!screen.contains("unreadable row"), "{name}\n{screen}");
        let has_rows = rows == 0 || screen.contains(&format!(" of {rows}"));
        assert!(has_rows, "{name}: {rows} rows\n{screen}");
        let mut items = json["items"].as_array().unwrap().clone();
        if name.starts_with("transaction-token-transfers") {
            // Batches are listed as they happened.
            let log = |row: &Value| [row["transaction_hash"].clone(), row["log_index"].clone()];
            items.chunk_by_mut(|one, next| log(one) == log(next)).for_each(<[Value]>::reverse);
        }
        for row in &items {
            session.keys("d z R").await;
            let mut shown = session.screen();
            for _ in 0..4 {
                session.keys("ctrl-f").await;
                shown += &session.screen();
            }
            for field in row.as_object().unwrap().keys() {
                assert!(shown.contains(field.as_str()), "{name}: {field}\n{shown}");
            }
            session.keys("esc I esc enter esc j").await;
        }
        seen += 1;
    }
    assert!(seen > 30, "only {seen} samples found");
}
