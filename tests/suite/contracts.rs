//! The pane of a contract, and reading one, on the demo chain and with hostile servers.

use chainglass::test_api::api::{ApiError, Cursor, Query};
use serde_json::json;

use super::session::{ALICE, Session, size};

/// A token whose name is hostile, with a plain source.
const TOKEN: &str = "0x0165878A594ca255338adfa4d48449f69242Eb8F";
const PROXY: &str = "0x261d8c5e9742e6f7f1076fa1f560894524e19cad";
const UNVERIFIED: &str = "0x01aacf98cbd7b7e2b03840cbc512ea23ce61bd91";

/// Goes through the tabs to the one that asks for a contract.
async fn open_tab(session: &mut Session) {
    let asked = |session: &Session| {
        session.requests.iter().filter(|(query, _)| matches!(query, Query::Contract(_))).count()
    };
    let before = asked(session);
    for _ in 0..12 {
        session.keys("}").await;
        if asked(session) > before {
            return;
        }
    }
    panic!("no such tab in\n{}", session.screen());
}

async fn opened(address: &str, width: u16, height: u16) -> Session {
    let mut session = Session::demo(size(width, height), address).await;
    open_tab(&mut session).await;
    session
}

fn assert_shows(session: &Session, all: &[&str]) {
    let screen = session.screen();
    for part in all {
        assert!(screen.contains(part), "{part:?} is not in\n{screen}");
    }
}

async fn search(session: &mut Session, text: &str) {
    session.keys("/").await;
    session.type_text(text).await;
}

#[tokio::test]
async fn verified_contract_has_settings_functions_and_arguments() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let session = opened(TOKEN, width, height).await;
        assert_shows(&session, &["Token20", "yes, 200 runs", "prague", "constructor", "string n"]);
    }
    let session = opened(TOKEN, 120, 60).await;
    assert_shows(
        &session,
        &["0x70a08231", "balanceOf(address) → uint256", "Tokens.sol · ", "bytes"],
    );
}

#[tokio::test]
async fn search_finds_lines_of_a_folded_source() {
    let mut session = opened(TOKEN, 120, 30).await;
    search(&mut session, "MKR-STYLE").await;
    assert_shows(&session, &["/// MKR-style token", "contract Bytes32Token {"]);
    session.keys("n").await;
    search(&mut session, "no such text").await;
    assert_eq!(session.app.notice().map(|it| &**it), Some("nothing here has no such text"));
}

#[tokio::test]
async fn proxy_leads_to_its_implementation() {
    let mut session = opened(PROXY, 120, 40).await;
    assert_shows(&session, &["eip1967", "0x057ef64E23666F000b34aE31332854aCBd1c8544 Vault"]);
    assert_shows(&session, &["of Vault (Enter on one calls it)", "totalAssets()"]);
    search(&mut session, "0x06fdde03").await;
    session.keys("enter").await;
    assert_shows(&session, &["Glass Vault Share"]);
    session.keys("g g").await;
    search(&mut session, "0x057ef64").await;
    session.keys("enter").await;
    open_tab(&mut session).await;
    assert_shows(&session, &["totalAssets()"]);
}

#[tokio::test]
async fn unverified_contract_has_the_selectors_of_its_code() {
    let session = opened(UNVERIFIED, 120, 40).await;
    assert_shows(&session, &["verified", "no", "selectors", "code", "bytes"]);
}

#[tokio::test]
async fn account_without_code_says_so_in_a_line() {
    let session = opened(ALICE, 120, 40).await;
    assert_shows(&session, &["not found"]);
}

#[tokio::test]
async fn functions_are_called_with_arguments_of_their_types() {
    let mut session = opened(TOKEN, 120, 50).await;
    search(&mut session, "symbol()").await;
    session.keys("enter").await;
    assert_shows(&session, &["→ string"]);
    search(&mut session, "0x70a08231").await;
    session.keys("enter").await;
    assert_shows(&session, &["balanceOf · address", "(1/1)"]);
    session.type_text("Alice").await;
    assert_shows(&session, &["not of type address: Alice"]);
    session.keys("ctrl-u").await;
    session.type_text(ALICE).await;
    assert_shows(&session, &["→ uint256", "of"]);
    search(&mut session, "0x8da5cb5b").await;
    session.keys("enter").await;
    assert_shows(&session, &["the demo chain runs no code"]);
    let calls = session.requests.iter().filter(|(query, _)| matches!(query, Query::Call(_)));
    assert_eq!(calls.count(), 3);
}

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    let line = "string a = \"\u{1b}]0;x\u{7}\u{202e}\"; /* \u{9b}31m\r\n";
    match query {
        Query::Contract(_) => Ok(json!({
            "name": "\u{1b}[2J«Alice»", "is_verified": true, "is_changed_bytecode": true,
            "compiler_version": "\u{202e}v0", "language": ["x"], "evm_version": 7,
            "optimization_enabled": "perhaps", "optimization_runs": -1,
            "proxy_type": "\u{1b}c", "implementations": [{"address_hash": 5, "name": "\u{200b}"}],
            "constructor_args": "zz", "file_path": "../\u{1b}[31m.sol",
            "source_code": line.repeat(60_000), "additional_sources": [5],
            "abi": [{"type": "function", "name": "\u{1b}f", "stateMutability": "view",
                     "inputs": [{"name": "\u{202e}", "type": "uint8"}],
                     "outputs": [{"name": "\u{7}", "type": "string"}]}, 5],
            "deployed_bytecode": "0x6", "creation_bytecode": {},
        })
        .to_string()),
        Query::Call(_) => {
            let error = json!({"code": 3, "message": "\u{1b}[31mno", "data": "0x08c379a0"});
            Ok(json!({ "error": error }).to_string())
        }
        _ => Err(ApiError::from_error_body(404, b"")),
    }
}

#[tokio::test]
async fn hostile_contract_is_harmless() {
    let mut session = Session::canned(size(120, 40), TOKEN, hostile).await;
    open_tab(&mut session).await;
    assert_shows(&session, &["“␛[2J‹Alice›”", "the code is no longer that of the source", "?"]);
    search(&mut session, "string a").await;
    assert_shows(&session, &["string a = \"␛]0;x␇␦\"; /* ␦31m"]);
    search(&mut session, "more lines").await;
    assert_shows(&session, &["40,000 more lines, only in the JSON"]);
    search(&mut session, "f(uint8").await;
    session.keys("enter").await;
    session.type_text("256").await;
    assert_shows(&session, &["not of type uint8: 256"]);
    session.keys("backspace").await;
    session.keys("enter").await;
    assert_shows(&session, &["✗", "0x08c379a0"]);
    let screen = session.screen();
    assert!(!screen.contains(['\u{1b}', '\u{202e}', '\u{7}', '\u{9b}']), "{screen}");
}

#[tokio::test]
async fn servers_without_contracts_cost_the_tab_its_content() {
    for status in [404, 422, 500, 501] {
        let refuse = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Contract(_) | Query::Address(_) => Err(ApiError::from_error_body(status, b"")),
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
        };
        let mut session = Session::canned(size(80, 24), TOKEN, refuse).await;
        assert!(!session.requests.iter().any(|(query, _)| matches!(query, Query::Contract(_))));
        open_tab(&mut session).await;
        assert_shows(&session, &["✗ failed (r retries)"]);
    }
}
