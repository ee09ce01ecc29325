//! Transactions that are in no block: replaced, dropped from the pool, or pending. They paid nothing.

use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TransactionQuery};

use crate::session::{ALICE, Session, size};

/// An answer of a real explorer, of a transaction of a replaced block.
const DROPPED: &str = include_str!("../data/real/dropped_transaction.json");
const HASH: &str = "0x6a74013f229f27db509b0e1423f415108614a2bac3cbbb8983384b6139a44a22";

/// The same transaction while it is in the pool.
fn pending() -> String {
    let pending = DROPPED.replace(r#""status":"error""#, r#""status":null"#);
    pending.replace("dropped/replaced", "pending")
}

async fn open(body: String, target: &str) -> Session {
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            Ok(format!(r#"{{"items":[{}]}}"#, body.trim()))
        }
        _ => Err(ApiError::from_error_body(404, b"")),
    };
    Session::canned(size(120, 40), target, answer).await
}

#[tokio::test]
async fn dropped_transaction_paid_nothing() {
    let screen = open(DROPPED.to_owned(), HASH).await.screen();
    for text in [
        "✗ dropped or replaced: nothing was paid",
        "fee would have been 0.000021 ETH at most",
        "would have sent 0.777 ETH to",
    ] {
        assert!(screen.contains(text), "no {text}\n{screen}");
    }
    for text in ["Balance changes", "− 0.777", "failed", "sends"] {
        assert!(!screen.contains(text), "{text}\n{screen}");
    }
}

#[tokio::test]
async fn pending_transaction_would_pay() {
    let screen = open(pending(), HASH).await.screen();
    for text in [
        "pending",
        "fee would be 0.000021 ETH at most",
        "would send 0.777 ETH to",
        "Balances would change",
        "It would transfer",
    ] {
        assert!(screen.contains(text), "no {text}\n{screen}");
    }
    assert!(!screen.contains("as they happened"), "{screen}");
}

#[tokio::test]
async fn list_has_no_fee_of_a_dropped_transaction() {
    // The column of fees is left out without any.
    for (body, fee) in [(DROPPED.to_owned(), "0.777"), (pending(), "0.000021")] {
        let screen = open(body, ALICE).await.screen();
        let row = screen.lines().find(|line| line.contains("0x6a74")).expect(&screen);
        let row = row.trim_end_matches(['│', ' ']).trim_end_matches(" ETH");
        let last = row.split(' ').next_back();
        assert!(last.is_some_and(|shown| shown.starts_with(fee)), "{fee}: {screen}");
    }
}
