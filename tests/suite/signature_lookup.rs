//! Looking signatures up in a database: what is sent to it, and what its answers name.

use chainglass::test_api::abi::{SignatureDb, SignatureHash};
use chainglass::test_api::app::Setup;
use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::chain::{Network, TxHash};
use chainglass::test_api::http::TransportConfig;
use chainglass::test_api::net::{ResponseCache, SignatureDatabase};
use serde_json::json;

use super::demo_items::{DEEP_ERROR, SWAP};
use super::fake_server::{FakeServer, json as json_response, scripted};
use super::session::{Session, setup, size};

const UNVERIFIED: &str = "0x01aacf98cbd7b7e2b03840cbc512ea23ce61bd91";
const TRANSFER: SignatureHash = SignatureHash::Selector([0xa9, 0x05, 0x9c, 0xbb]);

fn database(server: &FakeServer, cache: Option<ResponseCache>) -> SignatureDatabase {
    let url = server.base().join("v1/lookup").unwrap();
    SignatureDatabase::new(url, TransportConfig::default(), cache).unwrap()
}

fn answer(kind: &str, hash: &str, names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| json!({"name": name, "filtered": false})).collect();
    json!({"ok": true, "result": {kind: {hash: names}}}).to_string()
}

#[tokio::test]
async fn only_the_hash_is_sent_and_what_is_found_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = || Some(ResponseCache::new(folder.path().join("v1")));
    let body = answer("function", "0xa9059cbb", &["transfer(address,uint256)"]);
    let lie = answer("function", "0xa9059cbb", &["stolen(address)"]);
    let server = scripted([json_response(200, lie), json_response(200, body)]);
    let find = async || {
        let found = database(&server, cache()).look_up(&[TRANSFER]).await.unwrap();
        found.into_values().flatten().collect::<Vec<_>>()
    };
    assert!(find().await.is_empty());
    for _ in 0..2 {
        assert_eq!(find().await, ["transfer(address,uint256)"]);
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "nothing that was found is asked for again");
    for request in &requests {
        assert_eq!(request.target, "/v1/lookup?function=0xa9059cbb");
        assert!(request.body.is_empty(), "{request:?}");
    }
}

#[tokio::test]
async fn hashes_of_a_kind_are_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let events = json!({"result": {}}).to_string();
    let functions = answer("function", "0xa9059cbb", &["transfer(address,uint256)"]);
    let server = scripted([events, functions].map(|body| json_response(200, body)));
    let database = database(&server, Some(ResponseCache::new(folder.path().join("v1"))));
    let topic = TxHash::repeat_byte(0xab);
    let unknown = SignatureHash::Selector([1; 4]);
    let hashes = [TRANSFER, SignatureHash::Topic(topic), unknown];
    let found = database.look_up(&hashes).await.unwrap();
    assert_eq!(found[&TRANSFER], ["transfer(address,uint256)"]);
    assert!(found[&unknown].is_empty() && found.len() == 3, "{found:?}");
    let targets: Vec<_> = server.requests().into_iter().map(|it| it.target).collect();
    let event = format!("/v1/lookup?event={topic}");
    assert_eq!(targets, [&*event, "/v1/lookup?function=0xa9059cbb%2C0x01010101"]);
    assert_eq!(database.look_up(&[TRANSFER]).await.unwrap()[&TRANSFER].len(), 1, "it is kept");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn errors_of_the_database_are_one_line() {
    for (status, body, reason) in [
        (404, "{}", "404"),
        (200, "<html>", "cannot read the answer: not JSON"),
        (200, "[", "cannot read the answer: not JSON"),
        (200, "{}", "cannot read the answer: no result in it"),
    ] {
        let server = scripted([json_response(status, body)]);
        let why = database(&server, None).look_up(&[TRANSFER]).await.unwrap_err();
        assert!(why.contains(reason) && !why.contains('\n'), "{why}");
    }
}

fn setup_with_database(has_database: bool) -> Setup {
    let mut setup = setup(Network::demo());
    let url = "https://signatures.example/lookup".parse().unwrap();
    setup.settings.signature_database = has_database.then_some(url);
    setup
}

/// Opens the contract of which only the code is known, with the cursor on its selectors.
async fn selectors(looks_signatures_up: bool) -> Session {
    let setup = setup_with_database(looks_signatures_up);
    let mut session = Session::demo_with(setup, size(120, 40), UNVERIFIED).await;
    session.keys("7 /").await;
    session.type_text("selectors").await;
    session
}

fn looked_up(effects: &[Effect]) -> Vec<SignatureHash> {
    let hashes = |effect: &Effect| match effect {
        Effect::LookUpSignatures(hashes) => Some(hashes.clone()),
        _ => None,
    };
    effects.iter().filter_map(hashes).flatten().collect()
}

#[tokio::test]
async fn unknown_selectors_are_looked_up_once_the_user_has_named_a_database() {
    let mut session = selectors(false).await;
    assert!(looked_up(&session.press("g s")).is_empty());
    assert!(
        session.screen().contains("set signature_database in config.toml"),
        "{}",
        session.screen()
    );
    let mut session = selectors(true).await;
    let asked = looked_up(&session.press("g s"));
    assert!(!asked.is_empty(), "{}", session.screen());
    assert!(looked_up(&session.press("g s")).is_empty(), "they are being looked up");
    let hash = asked[0];
    let found = |session: &mut Session, names: &[&str]| {
        let names = names.iter().map(|name| (*name).into()).collect();
        let outcome = Ok([(hash, names)].into());
        session.app.update(Msg::SignaturesFound { hashes: vec![hash], outcome });
        session.screen()
    };
    let lie = found(&mut session, &["stolen(address)", "\u{1b}[31m"]);
    assert!(lie.contains(&format!("the signature database does not have {hash}")), "{lie}");
    let failed = Err("HTTP 503".into());
    session.app.update(Msg::SignaturesFound { hashes: vec![hash], outcome: failed });
    assert!(session.screen().contains(&format!("cannot look {hash} up: HTTP 503")));
    let hashes = vec![hash, TRANSFER];
    let outcome = Ok([(TRANSFER, vec!["transfer(address,uint256)".into()])].into());
    session.app.update(Msg::SignaturesFound { hashes, outcome });
    assert!(session.screen().contains("found 1 of 2 signatures"), "{}", session.screen());
    assert_eq!(looked_up(&session.press("g s")), [hash], "the others are still being looked up");
}

#[tokio::test]
async fn call_and_error_of_a_trace_are_looked_up() {
    let setup = setup_with_database(true);
    let mut session = Session::demo_with(setup, size(120, 40), DEEP_ERROR).await;
    session.keys("2 j").await;
    assert!(session.screen().contains("gs looks it up"), "{}", session.screen());
    let asked = looked_up(&session.press("g s"));
    let [hash] = asked[..] else { panic!("{asked:?}") };
    let screen = session.screen();
    assert!(screen.contains(&hash.to_string()) && screen.contains("looking"), "{screen}");
    session.keys("k").await;
    assert!(looked_up(&session.press("g s")).is_empty(), "{}", session.screen());
    assert!(session.screen().contains("no unknown signature here"), "{}", session.screen());
}

#[tokio::test]
async fn known_event_of_an_unknown_call_is_not_looked_up() {
    let setup = setup_with_database(true);
    let mut session = Session::demo_with(setup, size(120, 40), SWAP).await;
    session.keys("2 j j j j j").await;
    assert!(!looked_up(&session.press("g s")).is_empty(), "{}", session.screen());
    session.keys("j j j j j").await;
    assert!(session.screen().contains("event 3 of 14"), "{}", session.screen());
    assert!(looked_up(&session.press("g s")).is_empty(), "{}", session.screen());
    assert!(session.screen().contains("no unknown signature here"), "{}", session.screen());
}

#[test]
fn looked_up_signatures_decode_as_guesses() {
    let mut signatures = SignatureDb::default();
    let word = |n: u8| [&[0; 31][..], &[n]].concat();
    let call = [&[0xa9, 0x05, 0x9c, 0xbb][..], &word(1), &word(2)].concat();
    assert!(signatures.decode_call(None, &[], &call).is_none());
    // All three have this selector.
    let sent = [
        "many_msg_babbage(bytes1)",
        "transfer(bytes4[9],bytes5[6],int48[11])",
        "transfer(address,uint256)",
    ];
    let sent: Vec<_> = sent.into_iter().map(Into::into).collect();
    assert_eq!(signatures.add_database_signatures(TRANSFER, &sent).len(), 3);
    let decoded = signatures.decode_call(None, &[], &call).unwrap();
    assert_eq!((&*decoded.signature, decoded.is_guess()), ("transfer(address, uint256)", true));
    assert_eq!(decoded.source.describe(), "the signature database");
}
