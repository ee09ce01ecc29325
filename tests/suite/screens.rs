//! Snapshots of every screen, on the demo chain and with faulty servers.

use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TokenQuery};
use chainglass::test_api::ui::Styles;
use insta::assert_snapshot;

use super::demo_items::{BOB, DEEP_ERROR, NEVER_USED, RECURSOR, SWAP};
use super::session::{ALICE, Session, size};

/// Screens at sizes with another layout than 120x40.
const OTHER_LAYOUTS: [(&str, u16, u16); 9] = [
    ("address", 40, 10),
    ("address", 80, 24),
    ("address", 200, 60),
    ("detail", 80, 24),
    ("detail", 200, 60),
    ("start", 200, 60),
    ("trace", 80, 24),
    ("trace", 200, 60),
    ("transfers", 80, 24),
];

/// A name for the snapshot, the target, and the keys to press.
pub(crate) const SCREENS: [(&str, &str, &str); 26] = [
    ("start", "", "j"),
    ("address", ALICE, "j j j"),
    ("address_end", ALICE, "G G"),
    ("empty", NEVER_USED, "j"),
    ("detail", ALICE, "enter"),
    ("detail_by_hash", SWAP, "j"),
    ("detail_reverted", DEEP_ERROR, "j"),
    ("block", "13", "j"),
    ("trace", DEEP_ERROR, "2 j"),
    ("raw_trace", DEEP_ERROR, "7 j"),
    ("help", ALICE, "?"),
    ("internals", RECURSOR, "2 j"),
    ("logs", SWAP, "4 j"),
    ("transfers", ALICE, "3 j j"),
    ("transfers_hostile", BOB, "3 & E V enter"),
    ("tokens", ALICE, "4 j"),
    ("all_tokens", "", "g i j"),
    ("accounts", "", ": t o p space a c c enter j"),
    ("collections", ALICE, "5 j"),
    ("balance", ALICE, "8 j"),
    ("approvals", ALICE, "{ j"),
    ("feed", "", "T j"),
    ("instances", ALICE, "5 & P A N E enter enter j"),
    ("instance", ALICE, "5 & P A N E enter enter enter"),
    ("filters", ALICE, "3 f j space j space"),
    ("provenance", ALICE, "3 l l l l l I"),
];

#[tokio::test]
async fn demo_screens_match_their_snapshots() {
    for (name, target, keys) in SCREENS {
        let look = Styles::new(true).into();
        let mut session = Session::with_snapshot_keys(size(120, 40), target, look).await;
        session.keys(keys).await;
        assert_snapshot!(format!("{name}_120x40"), session.screen());
    }
}

#[tokio::test]
async fn other_layouts_match_their_snapshots() {
    for (name, width, height) in OTHER_LAYOUTS {
        let (_, target, keys) = SCREENS.into_iter().find(|screen| screen.0 == name).unwrap();
        let mut session = Session::demo(size(width, height), target).await;
        session.keys(keys).await;
        assert_snapshot!(format!("{name}_{width}x{height}"), session.screen());
    }
}

#[tokio::test]
async fn empty_lists_match_their_snapshot() {
    let mut session = Session::demo(size(120, 40), NEVER_USED).await;
    let mut bodies = String::new();
    for keys in ["2 1", "2", "3", "4", "5"] {
        session.keys(keys).await;
        let screen = session.screen();
        let body = screen.lines().skip(3).filter(|line| !line.is_empty());
        bodies.extend(body.flat_map(|line| [line, "\n"]));
    }
    assert_snapshot!("empty_lists", bodies);
}

#[tokio::test]
async fn loading_screen_matches_its_snapshot() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.press("enter");
    assert_snapshot!("loading", session.screen());
}

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            Ok(include_str!("../data/hostile/transactions.json").into())
        }
        Query::Address(_, AddressQuery::Details) => {
            Err(ApiError::from_error_body(500, br#""Internal server error""#))
        }
        _ => Err(ApiError::Unreachable {
            host: "eth.blockscout.com".into(),
            why: "connection refused".into(),
        }),
    }
}

#[tokio::test]
async fn hostile_transactions_match_their_snapshots() {
    let mut session = Session::canned(size(120, 40), ALICE, hostile).await;
    assert_snapshot!("hostile", session.screen());
    session.keys("enter").await;
    assert_snapshot!("hostile_detail", session.screen());
}

/// A hostile body for each list: what is missing, null, of another type or out to deceive.
fn hostile_list(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    Ok(match query {
        Query::Address(_, AddressQuery::InternalTransactions { .. }) => {
            include_str!("../data/hostile/internals.json")
        }
        Query::Address(_, AddressQuery::TokenTransfers { .. }) => {
            include_str!("../data/hostile/transfers.json")
        }
        Query::Address(_, AddressQuery::Tokens { .. }) => {
            include_str!("../data/hostile/tokens.json")
        }
        Query::Address(_, AddressQuery::Collections { .. }) => {
            include_str!("../data/hostile/collections.json")
        }
        Query::Token(_, TokenQuery::Instances { .. }) => {
            include_str!("../data/hostile/instances.json")
        }
        _ => return Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    }
    .into())
}

#[tokio::test]
async fn hostile_lists_match_their_snapshots() {
    for (name, keys) in [
        ("internals", "2"),
        ("transfers", "3"),
        ("tokens", "4"),
        ("collections", "5"),
        ("instances", "5 enter"),
        ("instance", "5 enter enter"),
    ] {
        let mut session = Session::canned(size(120, 30), ALICE, hostile_list).await;
        session.keys(keys).await;
        assert_snapshot!(format!("hostile_{name}"), session.screen());
    }
}

#[tokio::test]
async fn failed_lists_count_down_to_the_next_attempt() {
    let tabs = |target, keys: [&'static str; 5]| keys.map(|key| (target, key));
    let lists = [tabs(ALICE, ["2", "3", "4", "5", "6"]), tabs(SWAP, ["3", "4", "5", "6", "7"])];
    for (target, tab) in lists.concat() {
        let mut session = Session::canned(size(80, 24), target, refusing).await;
        session.keys(tab).await;
        assert!(session.screen().contains("retrying in 5 s"), "{}", session.screen());
    }
}

#[tokio::test]
async fn start_page_reports_an_unreachable_explorer_once() {
    let mut session = Session::canned(size(80, 24), "", refusing).await;
    let screen = session.screen();
    assert_eq!(screen.matches("retrying in 5 s").count(), 1, "{screen}");
    assert!(screen.contains("╭─ Latest activity ─") && screen.contains("! requests"), "{screen}");
    assert!(!session.press("r").is_empty());
    let screen = session.screen();
    assert!(screen.contains("╭─ Latest activity ─"), "no other panels meanwhile\n{screen}");
}

fn refusing(_: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    Err(ApiError::NotJson { status: 503, what: "text/html, server cloudflare".into() })
}

#[tokio::test]
async fn failure_is_reported_whole_and_once_with_the_keys_that_help() {
    let words = "statement timeout after 60 s, connection closed by peer, and the last words";
    let fail = move |_: &Query, _: Option<&Cursor>| -> Result<String, ApiError> {
        Err(ApiError::from_error_body(500, format!("\"{words}\"").as_bytes()))
    };
    for (target, keys, request) in [
        (ALICE, "1", "requested: transactions of 0xf39F…2266 from demo"),
        (ALICE, "7", "requested: contract 0xf39F…2266 from demo"),
        (SWAP, "1", "requested: transaction 0x0bbc…b5e5 from demo"),
        (SWAP, "2", "requested: raw trace of 0x0bbc…b5e5 from demo"),
        (SWAP, "6", "requested: state changes of 0x0bbc…b5e5 from demo"),
    ] {
        for screen in [size(80, 24), size(120, 40)] {
            let mut session = Session::canned(screen, target, fail).await;
            session.keys(keys).await;
            let screen = session
                .screen()
                .replace("│\n│", " ")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert_eq!(
                screen.matches("and the last words").count(),
                1,
                "{target} {keys}: {screen}"
            );
            for text in [request, "r retries · gc another chain · ! requests"] {
                assert!(screen.contains(text), "{target} {keys} {text}: {screen}");
            }
        }
    }
}

#[tokio::test]
async fn refused_screens_match_their_snapshots() {
    let session = Session::canned(size(80, 24), ALICE, refusing).await;
    assert_snapshot!("refused", session.screen());
    let session = Session::canned(size(80, 24), SWAP, refusing).await;
    assert_snapshot!("refused_transaction", session.screen());
}
