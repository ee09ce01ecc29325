//! Pictures of every screen at several sizes, on the demo chain and in its bad moments.

use chainglass::api::{ApiError, Cursor, Query};
use insta::assert_snapshot;

use super::session::{ALICE, Session, size};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
const DEEP_ERROR: &str = "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c";
const NEVER_USED: &str = "0x9999999999999999999999999999999999999999";

/// A name for the picture, where to start, and what to press.
const SCREENS: [(&str, &str, &str); 8] = [
    ("start", "", "j"),
    ("address", ALICE, "j j j"),
    ("address_end", ALICE, "G G"),
    ("empty", NEVER_USED, "j"),
    ("detail", ALICE, "enter"),
    ("detail_by_hash", SWAP, "j"),
    ("detail_reverted", DEEP_ERROR, "j"),
    ("help", ALICE, "?"),
];

#[tokio::test]
async fn on_the_demo_chain() {
    for (width, height) in SIZES {
        for (name, target, keys) in SCREENS {
            let mut session = Session::demo(size(width, height), target).await;
            session.keys(keys).await;
            assert_snapshot!(format!("{name}_{width}x{height}"), session.screen());
        }
    }
}

#[tokio::test]
async fn as_small_as_it_gets() {
    for (name, target, keys) in SCREENS {
        let mut session = Session::demo(size(40, 10), target).await;
        session.keys(keys).await;
        assert_snapshot!(format!("{name}_40x10"), session.screen());
    }
}

#[tokio::test]
async fn while_loading() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.press("enter");
    assert_snapshot!("loading", session.screen());
}

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    match query {
        Query::Transactions { .. } => Ok(include_str!("../data/hostile/transactions.json").into()),
        Query::Address(_) => Err(ApiError::refused(500, br#""Internal server error""#)),
        _ => Err(ApiError::Unreachable("connection refused".into())),
    }
}

#[tokio::test]
async fn answered_by_a_hostile_server() {
    let mut session = Session::canned(size(120, 40), ALICE, hostile).await;
    assert_snapshot!("hostile", session.screen());
    session.keys("enter").await;
    assert_snapshot!("hostile_detail", session.screen());
}

fn refusing(_: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    Err(ApiError::NotJson { status: 503, what: "text/html, server cloudflare".into() })
}

#[tokio::test]
async fn when_nothing_comes() {
    let session = Session::canned(size(80, 24), ALICE, refusing).await;
    assert_snapshot!("refused", session.screen());
    let session = Session::canned(size(80, 24), SWAP, refusing).await;
    assert_snapshot!("refused_transaction", session.screen());
}
