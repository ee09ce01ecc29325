//! Headers of pages: what they say, and the focus on what they show.

use chainglass::test_api::api::{AddressQuery, Cursor, Query, TokenQuery};
use chainglass::test_api::app_message::Effect;

use super::demo_items::SWAP;
use super::session::{ALICE, Session, size};

/// A contract of the demo chain, created by [`CREATOR`].
const SPLITTER: &str = "0xbdEd0D2bf404bdcBa897a74E6657f1f12e5C6fb6";
const CREATOR: &str = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";

#[tokio::test]
async fn header_of_a_contract_has_its_creator_transaction_and_age() {
    for width in [80, 120] {
        let screen = Session::demo(size(width, 24), SPLITTER).await.screen();
        let facts = screen.lines().nth(2).unwrap();
        assert!(facts.contains("created by ") && facts.contains(" 0x15d3…6A65 in 0x"), "{screen}");
        assert!(facts.contains(" ago "), "{screen}");
    }
    let screen = Session::demo(size(120, 24), ALICE).await.screen();
    assert!(!screen.contains("created by"), "an account has none: {screen}");
}

#[tokio::test]
async fn header_of_a_proxy_names_the_contract_behind_it() {
    let proxy = "0x261D8c5e9742e6f7f1076Fa1F560894524e19cad";
    let screen = Session::demo(size(120, 24), proxy).await.screen();
    assert!(screen.lines().nth(1).unwrap().contains("  proxy of "), "{screen}");
}

#[tokio::test]
async fn delegated_account_is_no_contract() {
    let account = "0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097";
    let screen = Session::demo(size(120, 24), account).await.screen();
    assert!(screen.lines().nth(1).unwrap().contains("─ account with code  "), "{screen}");
}

#[tokio::test]
async fn creator_that_an_explorer_does_not_have_is_absent() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Details) => {
            Ok(format!(r#"{{"hash":"{SPLITTER}","is_contract":true}}"#))
        }
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
    };
    let session = Session::explorer(size(120, 24), SPLITTER, answer).await;
    assert!(session.screen().contains("created by — "), "{}", session.screen());
}

#[tokio::test]
async fn transactions_of_one_moment_have_no_chart() {
    for (second, is_drawn) in [(0, false), (9, true)] {
        let rows = [(1, 0), (2, second)].map(|(hash, second)| {
            let time = format!("2023-01-01T00:00:0{second}Z");
            format!(r#"{{"hash":"0x{hash:064}","timestamp":"{time}"}}"#)
        });
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => {
                let rows = rows.join(",");
                Ok(format!(r#"{{"items":[{rows}],"next_page_params":null}}"#))
            }
            _ => Ok(format!(r#"{{"hash":"{SPLITTER}"}}"#)),
        };
        let screen = Session::explorer(size(120, 24), SPLITTER, answer).await.screen();
        assert_eq!(screen.contains("last 2 tx in "), is_drawn, "{screen}");
    }
}

#[tokio::test]
async fn rating_of_the_explorer_is_in_the_header() {
    for (reputation, is_shown) in [("suspicious", true), ("ok", false)] {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Details) | Query::Token(_, TokenQuery::Details) => {
                Ok(format!(
                    r#"{{"hash":"{SPLITTER}","is_contract":true,"reputation":"{reputation}",
                    "address_hash":"{SPLITTER}","name":"Splitter","symbol":"SPL","type":"ERC-20"}}"#
                ))
            }
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
        };
        let token = format!("http://127.0.0.1:1/token/{SPLITTER}");
        for target in [SPLITTER, &token] {
            let screen = Session::explorer(size(120, 24), target, answer).await.screen();
            let title = screen.lines().nth(1).unwrap();
            assert_eq!(title.contains("  rated suspicious "), is_shown, "{target}: {screen}");
        }
    }
}

#[tokio::test]
async fn header_has_the_filecoin_forms_of_an_address() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Details) => Ok(format!(
            r#"{{"hash":"{SPLITTER}","is_contract":true,"filecoin":{{"actor_type":"evm",
            "id":"f02977693","robust":"f410fuiwj6a3yxajbohrl5vu6ns6o2e2jriul52lvzci"}}}}"#
        )),
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
    };
    let mut session = Session::explorer(size(160, 24), SPLITTER, answer).await;
    let facts = session.screen().lines().nth(2).unwrap().to_owned();
    assert!(
        facts.contains(" · f02977693 · f410fuiwj6a3yxajbohrl5vu6ns6o2e2jriul52lvzci"),
        "{facts}"
    );
    session.keys("shift-tab l l y y").await;
    assert_eq!(session.copied(), Some("f02977693"));
}

#[tokio::test]
async fn focused_header_is_copied_labelled_and_opened() {
    let mut session = Session::demo(size(80, 24), SPLITTER).await;
    for focus in ["tab", "shift-tab"] {
        session.keys(focus).await;
        session.keys("y y").await;
        assert_eq!(session.copied(), Some(SPLITTER), "{focus}");
        session.keys("l y y").await;
        assert_eq!(session.copied(), Some("4000000000000000026"), "{focus}");
        session.keys("l y y").await;
        assert_eq!(session.copied(), Some(CREATOR), "{focus}");
        session.keys("a").await;
        assert!(session.screen().contains("Label of 0x15d3…6A65"), "{}", session.screen());
        session.keys("esc h h h").await;
        session.keys("a").await;
        assert!(session.screen().contains("Label of Splitter 0xbdEd…6fb6"), "{}", session.screen());
        session.keys("esc esc y y").await;
        assert!(session.copied().is_some_and(|text| text.len() == 66), "the list has the focus");
    }
    session.keys("tab l l l enter").await;
    assert!(session.screen().starts_with(" ◆ demo › Splitter › "), "{}", session.screen());
    assert!(session.screen().contains(" 1 Overview "), "{}", session.screen());
}

#[tokio::test]
async fn focused_header_gives_the_focus_back() {
    let mut session = Session::demo(size(80, 24), SPLITTER).await;
    for key in ["j", "2", "esc", "tab", "shift-tab"] {
        session.keys("1 shift-tab").await;
        session.keys(key).await;
        session.keys("d").await;
        assert!(session.screen().contains(" › "), "{}", session.screen());
        assert!(session.screen().contains("› all fields of "), "{key}: {}", session.screen());
        session.keys("esc").await;
    }
}

#[tokio::test]
async fn refresh_with_the_focus_on_the_header_includes_the_list() {
    let mut session = Session::demo(size(80, 24), SPLITTER).await;
    session.keys("tab").await;
    let effects = session.press("r");
    let asked = effects.iter().filter(|effect| matches!(effect, Effect::Request { .. })).count();
    assert_eq!(asked, 4, "{effects:?}");
}

#[tokio::test]
async fn pages_without_a_header_say_so() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("shift-tab").await;
    assert!(session.screen().contains("no header to select here"), "{}", session.screen());
}

#[tokio::test]
async fn header_of_a_token_copies_its_address() {
    let token = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    let mut session = Session::demo(size(80, 24), token).await;
    session.keys("i tab y y").await;
    assert!(session.screen().contains("Holders"), "{}", session.screen());
    assert_eq!(session.copied(), Some(token));
}
