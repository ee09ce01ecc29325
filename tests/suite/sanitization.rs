//! Hostile text is sanitized in every output: the screen, copies, files, opened URLs, stdout, stderr
//! and the log.

use std::collections::{BTreeSet, HashMap};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::safety::UntrustedUrl;
use chainglass::test_api::sanitize::{SafeText, json_line};
use proptest::prelude::*;
use serde_json::Value;

use crate::demo_items::SWALLOW_ALL;
use crate::demo_server_client::{ServerClient, demo_server};
use crate::fake_server::{FakeServer, fake_server, json};
use crate::session::{ALICE, Session, size};
use crate::terminal_widths::{ATTACKS, Counts, Emulator};

/// Fragments of hostile text.
const PIECES: &[&str] = &[
    "\x1b[31;5mred\x1b[2J",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1bP+q544e\x1b\\",
    "\x1b]0;title\x07",
    "\u{9b}2J\u{90}x\u{9c}\u{9d}52;c;eA==\u{9c}",
    "\x07\x08\0\x7f\x0b\x0c\x1a",
    "\u{202e}desrever\u{202c}\u{2066}\u{2069}\u{200f}\u{61c}",
    "\u{e0001}\u{e0041}\u{e007f}",
    "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f\u{ad}g",
    "\r\nnext,line\t\u{2028}\u{2029}\u{85}",
    "z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}",
    "\u{301}\u{489}\u{20dd}lead",
    "👩‍👩‍👧❤️‍🔥🏳️‍🌈美元💰🇨🇭🇨👍\u{1f3fd}1\u{fe0f}\u{20e3}",
    "\u{d4e}\u{d4e}⬛\u{200d}⬛\u{200d}⬛\u{200d}⬛",
    "क\u{94d}क\u{94d}क\u{94d}क\u{94d}क\u{94d}কা\u{1100}\u{1100}\u{1161}ກ\u{eb3}\u{eb3}\u{eb3}\u{eb3}",
    "\u{2800}\u{1d159}\u{fffc}\u{3164}\u{115f}\u{ffa0}\u{e000}\u{fffd}\u{fff9}\u{10ffff}",
    "=HYPERLINK(\"http://x\")",
    "@SUM(A1)",
    "a;=1+1;b",
    " \u{a0}=1+1; \"=1+1\"",
    "+1|cmd",
    "-1",
    "javascript:alert(1)",
    "http://127.1:8545/?a\u{202e}b",
    "Glass Dollar",
];

/// Returns whether a character is allowed in output.
fn is_allowed(c: char) -> bool {
    let acts = c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{34f}' | '\u{1100}'..='\u{11ff}' | '\u{180b}'..='\u{180f}'
        )
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2800}' | '\u{fffc}')
        || matches!(c, '\u{d4e}' | '\u{fe00}'..='\u{fe0f}' | '\u{1d159}' | '\u{1f3fb}'..='\u{1f3ff}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}');
    !acts
}

/// The first forbidden character of an output line.
fn forbidden(line: &str) -> Option<String> {
    let mut marks = 0;
    for c in line.chars() {
        if !is_allowed(c) {
            return Some(format!("{c:?} in {:?}", line.chars().take(400).collect::<String>()));
        }
        marks = if matches!(c, '\u{300}'..='\u{36f}') { marks + 1 } else { 0 };
        if marks > 3 {
            return Some(format!("a stack in {line:?}"));
        }
    }
    None
}

#[track_caller]
fn assert_sanitized(sink: &str, text: &str) {
    for line in text.split('\n') {
        assert_eq!(forbidden(line), None, "{sink}");
    }
}

static DEMO_SERVER: LazyLock<ServerClient> = LazyLock::new(|| {
    // The first user may be inside a runtime, which cannot block on another.
    std::thread::spawn(|| demo_server(50)).join().unwrap()
});
static BODIES: LazyLock<Mutex<HashMap<String, Value>>> = LazyLock::new(Mutex::default);

/// The demo server's response.
fn body(path: &str) -> Value {
    let mut bodies = BODIES.lock().unwrap();
    bodies.entry(path.into()).or_insert_with(|| DEMO_SERVER.json(&format!("/{path}"))).clone()
}

/// Replaces user-written text, or all text, with hostile text.
fn insert_text(value: &mut Value, text: &str, everywhere: bool) {
    match value {
        Value::String(old) => {
            let plain = old.starts_with("0x") || old.parse::<f64>().is_ok();
            let by_people = !plain && !old.contains('Z') && !old.starts_with("ERC-");
            if by_people || everywhere {
                text.clone_into(old);
            }
        }
        Value::Array(items) => {
            for item in items {
                insert_text(item, text, everywhere);
            }
        }
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(_, field)| insert_text(field, text, everywhere));
            if fields.contains_key("metadata") {
                fields["metadata"] = serde_json::json!({ text: text, "name": text, "image": text });
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn hostile_body(query: &Query, text: &str, everywhere: bool) -> String {
    let mut body = body(&query.path());
    match &mut body {
        // Every other item keeps its hash: items with equal hashes would be one row.
        Value::Object(page) if page.contains_key("items") => {
            page["next_page_params"] = Value::Null;
            let items = page["items"].as_array_mut().unwrap();
            items.truncate(6);
            items.iter_mut().step_by(2).for_each(|item| insert_text(item, text, false));
            items
                .iter_mut()
                .skip(1)
                .step_by(2)
                .for_each(|item| insert_text(item, text, everywhere));
        }
        body => insert_text(body, text, everywhere),
    }
    body.to_string()
}

/// The outputs that were produced.
type Outputs = BTreeSet<String>;

/// Checks the screen and the effects so far.
fn check_outputs(session: &mut Session, doing: &str, seen: &mut Outputs) {
    assert_sanitized(&format!("the screen after {doing}"), &session.screen());
    for effect in session.effects.drain(..) {
        match effect {
            Effect::Copy { what, text } => {
                assert_sanitized(&format!("a copy after {doing}"), &text);
                seen.insert(what.into());
            }
            Effect::Save { path, lines, what } => {
                assert_sanitized("the word about a file", &what);
                seen.insert(path.display().to_string());
                let is_csv = path.extension().is_some_and(|kind| kind == "csv");
                for line in lines {
                    assert_eq!(forbidden(&line), None, "{} after {doing}", path.display());
                    assert!(!is_csv || no_formula(&line), "{line}");
                }
            }
            _ => {}
        }
    }
}

/// Returns whether no cell of a CSV line is a formula, whatever separates cells.
fn no_formula(line: &str) -> bool {
    let mut reader = csv::ReaderBuilder::new();
    [b',', b';'].into_iter().all(|delimiter| {
        let reader = reader.has_headers(false).delimiter(delimiter);
        let row = reader.from_reader(line.as_bytes()).records().next().unwrap().unwrap();
        row.iter().all(|cell| {
            let cell = cell.trim_start_matches(|c: char| c.is_whitespace() || c == '"');
            !cell.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        })
    })
}

/// A file name for each export format.
const EXPORT_FILES: &[&str] =
    &["a.csv", "a.jsonl", "a.txt", "a.json", "a.folded", "a.speedscope.json"];

async fn produce_every_output(text: &str, everywhere: bool) {
    let owned = text.to_owned();
    let answer = move |query: &Query, _: Option<&_>| Ok(hostile_body(query, &owned, everywhere));
    let mut seen = Outputs::new();
    for target in [ALICE, SWALLOW_ALL] {
        let mut session = Session::canned(size(150, 40), target, answer.clone()).await;
        for tab in ["1", "2", "3", "4", "5"] {
            for keys in [
                tab, "j", "y y", "y a", "enter", "esc", "y r", "y j", "y v", "y m", "I", "esc",
                "d", "y j", "esc", "O", "esc", "l", "y y", "enter", "y y", "y j", "j", "enter",
                "esc", "esc",
            ] {
                session.keys(keys).await;
                check_outputs(&mut session, &format!("{tab} {keys}"), &mut seen);
            }
            for file in EXPORT_FILES {
                session.keys("x").await;
                for _ in 0..60 {
                    session.press("backspace");
                }
                session.type_text(file).await;
                check_outputs(&mut session, file, &mut seen);
                session.keys("esc").await;
            }
        }
        for keys in ["s", "/"] {
            session.keys(keys).await;
            let effects = session.app.update(Msg::Paste(text.to_owned()));
            session.settle(effects).await;
            check_outputs(&mut session, "a paste", &mut seen);
            session.keys("enter").await;
            check_outputs(&mut session, "what was pasted", &mut seen);
            session.keys("esc").await;
        }
    }
    // Stacks need the gas of calls, which the text replaces.
    let lacks_gas = |sink: &str| everywhere && ["a.folded", "a.speedscope.json"].contains(&sink);
    let sinks = ["JSON", "row", "method"].iter().chain(EXPORT_FILES);
    for sink in sinks.filter(|sink| !lacks_gas(sink)) {
        assert!(seen.contains(*sink), "no output to {sink}: {seen:?}");
    }
}

/// Checks the messages of failures.
fn check_errors(text: &str) {
    let quoted = serde_json::to_string(text).unwrap();
    for body in [
        quoted.clone(),
        format!("{{\"message\":{quoted}}}"),
        format!("{{\"errors\":[{{\"detail\":{quoted},\"source\":{{\"pointer\":{quoted}}}}}]}}"),
        text.to_owned(),
    ] {
        let error = ApiError::from_error_body(500, body.as_bytes());
        assert_sanitized("an error", &format!("{error} {error:?}"));
        let query =
            Query::Address(ALICE.parse().unwrap(), AddressQuery::Transactions { direction: None });
        if let Err(error) = query.decode(body.as_bytes(), None) {
            assert_sanitized("an error", &error.to_string());
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

#[tokio::test]
async fn escape_sequences_are_sanitized_in_every_output() {
    produce_every_output("\u{1b}[31;5mred\u{1b}[2J", false).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn hostile_text_is_sanitized_in_every_output(text in hostile(), everywhere in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(produce_every_output(&text, everywhere));
    }
}

proptest! {
    #[test]
    fn hostile_text_is_sanitized_in_errors_and_urls(text in hostile()) {
        check_errors(&text);
        assert_sanitized("a line", &SafeText::new(&text));
        assert_sanitized("lines", &SafeText::multiline(&text));
        let quoted = serde_json::to_string(&text).unwrap();
        assert_sanitized("a line of JSON", &json_line(&quoted));
        for scheme in ["", "http://", "https://", "data:", "ipfs://", "https://a.example/"] {
            let media = UntrustedUrl::parse(&format!("{scheme}{text}"));
            assert_sanitized("an address", &media.display_text());
            if let Ok(url) = media.openable() {
                prop_assert!(matches!(url.scheme(), "http" | "https") && url.as_str().is_ascii());
                assert_sanitized("what is opened", url.as_str());
            }
        }
    }
}

#[test]
fn megabytes_of_hostile_errors_are_sanitized() {
    let all = PIECES.concat();
    check_errors(&all.repeat((1 << 20) / all.len()));
}

#[tokio::test]
async fn megabytes_of_hostile_text_are_sanitized() {
    let all = PIECES.concat();
    let text = all.repeat((1 << 20) / all.len() / 16);
    let answer = move |query: &Query, _: Option<&_>| Ok(hostile_body(query, &text, false));
    let mut session = Session::canned(size(150, 40), ALICE, answer).await;
    let mut seen = Outputs::new();
    for keys in ["y y", "y j", "y r", "3", "y j", "y t", "d", "esc", "4", "enter"] {
        session.keys(keys).await;
        check_outputs(&mut session, keys, &mut seen);
    }
}

#[tokio::test]
async fn wide_text_leaves_other_rows_as_they_are() {
    for attack in ATTACKS.map(|attack| attack()) {
        let answer = move |query: &Query, _: Option<&_>| Ok(hostile_body(query, &attack, false));
        let mut session = Session::canned(size(150, 40), ALICE, answer).await;
        let mut frames = vec![session.buffer()];
        for keys in ["3", "j", "j", "enter", "esc", "4", "d", ":"] {
            session.keys(keys).await;
            frames.push(session.buffer());
        }
        for counts in [Counts::Characters, Counts::Graphemes] {
            Emulator::showing(counts, &frames).assert_shows_ascii_of(&frames[frames.len() - 1]);
        }
    }
}

/// A server with the demo chain's responses and hostile text.
fn hostile_server(text: String) -> FakeServer {
    fake_server(move |request, _| {
        if request.is_probe() {
            return json(405, "");
        }
        let mut body = body(request.path().trim_start_matches('/'));
        insert_text(&mut body, &text, false);
        if body.get("next_page_params").is_some() {
            body["next_page_params"] = Value::Null;
        }
        json(200, body.to_string())
    })
}

#[test]
fn cli_output_and_log_are_sanitized() {
    let (folder, text) = (tempfile::tempdir().unwrap(), PIECES.concat());
    let (hostile, log) = (hostile_server(text.clone()), folder.path().join("log"));
    // A status that is not retried.
    let refusing = fake_server(move |_, _| json(404, serde_json::to_string(&text).unwrap()));
    let list = |list: &'static str, format| vec!["get", list, ALICE, "--format", format];
    let mut calls: Vec<Vec<&str>> = vec![vec!["get", "raw-trace", SWALLOW_ALL]];
    for format in ["table", "csv", "jsonl"] {
        calls.push(list("transactions", format));
        calls.push(list("token-transfers", format));
    }
    for format in ["tree", "json", "jsonl", "folded", "speedscope"] {
        calls.push(vec!["trace", SWALLOW_ALL, "--format", format]);
    }
    for server in [&hostile, &refusing] {
        for call in &calls {
            let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
            program.args(call).args(["--chain", server.base().as_str()]).arg("--log").arg(&log);
            program.env("XDG_CONFIG_HOME", folder.path()).stdin(Stdio::null());
            program.env("XDG_STATE_HOME", crate::session::UNUSABLE_DIR);
            program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR);
            let output = program.output().unwrap();
            assert_sanitized(&format!("{call:?}"), &String::from_utf8(output.stdout).unwrap());
            assert_sanitized(&format!("{call:?}"), &String::from_utf8(output.stderr).unwrap());
        }
    }
    let log = std::fs::read_to_string(log).unwrap();
    assert_sanitized("the log", &log);
    // A refused trace is made of internal transactions.
    let fallbacks = calls.iter().filter(|call| call[0] == "trace").count();
    let is_response = |line: &&str| line.contains(" GET ") && line.contains(" status=");
    let responses = log.lines().filter(is_response).count();
    // Each command asks first what is at the URL.
    assert_eq!(responses, 2 * 2 * calls.len() + fallbacks, "{log}");
}

#[tokio::test]
async fn arguments_of_digits_that_are_no_numbers_stay_as_sent() {
    let hash = format!("0x{}", "12".repeat(32));
    let row = format!(
        r#"{{"hash":"{hash}","block_number":9,"method":"setCode","status":"ok",
            "from":{{"hash":"{ALICE}"}},"to":{{"hash":"{ALICE}"}},"raw_input":"0x12345678",
            "decoded_input":{{"method_call":"setCode(string code, uint256 n)","method_id":"12345678",
            "parameters":[{{"name":"code","type":"string","value":"0012345678901234567890"}},
            {{"name":"n","type":"uint256","value":"1234567"}}]}}}}"#
    );
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(row.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let session = Session::canned(size(160, 60), &hash, answer).await;
    let sentence = "setCode(code 0012345678901234567890, n 1,234,567)";
    assert!(session.screen().contains(sentence), "{}", session.screen());
}

/// A function of a verified contract can have any name, which the explorer repeats.
#[tokio::test]
async fn names_of_functions_cannot_pass_for_what_the_program_says() {
    const ODD: &str = "transfer(address to) ✓ verified «alice» 0x12";
    let parameter = format!(r#"{{"name":"{ODD}","type":"bool","value":"true"}}"#);
    let call =
        format!(r#"{{"method_call":"{ODD}","method_id":"12345678","parameters":[{parameter}]}}"#);
    let hash = format!("0x{}", "12".repeat(32));
    let row = format!(
        r#"{{"hash":"{hash}","block_number":9,"method":"{ODD}","status":"error",
            "from":{{"hash":"{ALICE}"}},"to":{{"hash":"{ALICE}"}},"raw_input":"0x12345678",
            "decoded_input":{call},"revert_reason":{call}}}"#
    );
    let log = format!(
        r#"{{"transaction_hash":"{hash}","index":0,"address":{{"hash":"{ALICE}"}},
            "topics":[],"data":"0x","decoded":{call}}}"#
    );
    let page = |item: &str| format!(r#"{{"items":[{item}],"next_page_params":null}}"#);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(row.clone()),
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&row)),
        Query::Transaction(_, TransactionQuery::Logs) => Ok(page(&log)),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    for target in [ALICE, &hash] {
        let mut session = Session::canned(size(150, 60), target, answer.clone()).await;
        for _ in 0..8 {
            // Free lines have the JSON as received: in quotes.
            let screen = session.screen().replace(&format!("\"{ODD}\""), "");
            assert!(!screen.contains("verified") && !screen.contains("«alice»"), "{screen}");
            session.keys("}").await;
        }
    }
    let session = Session::canned(size(160, 60), &hash, answer.clone()).await;
    assert!(session.screen().contains("“transfer(address to) ✓ v…”"), "{}", session.screen());
    // Wide screens have the JSON as received next to a log: in quotes.
    let mut session = Session::canned(size(160, 60), &hash, answer).await;
    let quoted = format!("\"{ODD}\"");
    let mut found = 0;
    for _ in 0..8 {
        let screen = session.screen();
        found += screen.matches(&quoted).count();
        let unquoted = screen.replace(&quoted, "");
        assert!(!unquoted.contains("verified") && !unquoted.contains("«alice»"), "{screen}");
        session.keys("}").await;
    }
    assert!(found > 0);
}
