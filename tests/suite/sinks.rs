//! Whatever strangers write, nothing that could act on a terminal or hide in it leaves the program:
//! on the screen, in copies, in files, in addresses that are opened, and in what is printed.

use std::collections::{BTreeSet, HashMap};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use chainglass::api::{ApiError, Query};
use chainglass::msg::{Effect, Msg};
use chainglass::safety::url_policy::UntrustedUrl;
use chainglass::sanitize::{SafeText, json_line};
use proptest::prelude::*;
use serde_json::Value;

use crate::peer::{Service, service};
use crate::rogue::{Rogue, json, rogue};
use crate::session::{ALICE, Session, size};

/// Pieces of hostile text; each says what it would do.
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
    "👩‍👩‍👧❤️‍🔥🏳️‍🌈美元💰🇨🇭",
    "\u{3164}\u{115f}\u{ffa0}\u{e000}\u{fffd}\u{fff9}\u{10ffff}",
    "=HYPERLINK(\"http://x\")",
    "@SUM(A1)",
    "+1|cmd",
    "-1",
    "javascript:alert(1)",
    "http://127.1:8545/?a\u{202e}b",
    "Glass Dollar",
];

/// Whether a character may leave the program; what stands before it decides for the joiner of emoji.
fn may_leave(c: char, before: char) -> bool {
    let acts = c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        )
        || matches!(c, '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}');
    !acts && (c != '\u{200d}' || !(before.is_ascii() || before == '␦'))
}

/// What is wrong with a line that leaves the program.
fn wrong(line: &str) -> Option<String> {
    let (mut before, mut marks) = (' ', 0);
    for c in line.chars() {
        if !may_leave(c, before) {
            return Some(format!("{c:?} in {:?}", line.chars().take(400).collect::<String>()));
        }
        marks = if matches!(c, '\u{300}'..='\u{36f}') { marks + 1 } else { 0 };
        if marks > 3 {
            return Some(format!("a stack in {line:?}"));
        }
        before = c;
    }
    None
}

#[track_caller]
fn harmless(sink: &str, text: &str) {
    for line in text.split('\n') {
        assert_eq!(wrong(line), None, "{sink}");
    }
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    // Whoever asks first may be in a runtime of its own.
    std::thread::spawn(|| service(50)).join().unwrap()
});
static BODIES: LazyLock<Mutex<HashMap<String, Value>>> = LazyLock::new(Mutex::default);

/// What the demo chain's explorer answers.
fn body(path: &str) -> Value {
    let mut bodies = BODIES.lock().unwrap();
    bodies.entry(path.into()).or_insert_with(|| SERVICE.json(&format!("/{path}"))).clone()
}

/// Puts hostile text wherever a person wrote, or wherever there is text at all.
fn poison(value: &mut Value, text: &str, everywhere: bool) {
    match value {
        Value::String(old) => {
            let plain = old.starts_with("0x") || old.parse::<f64>().is_ok();
            let by_people = !plain && !old.contains('Z') && !old.starts_with("ERC-");
            if by_people || everywhere {
                text.clone_into(old);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, text, everywhere)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(_, field)| poison(field, text, everywhere));
            if fields.contains_key("metadata") {
                fields["metadata"] = serde_json::json!({ text: text, "name": text, "image": text });
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn poisoned(query: &Query, text: &str, everywhere: bool) -> String {
    let mut body = body(&query.path());
    match &mut body {
        // The items stay where they are: a page of one hash would be one row.
        Value::Object(page) if page.contains_key("items") => {
            page["next_page_params"] = Value::Null;
            let items = page["items"].as_array_mut().unwrap();
            items.truncate(6);
            items.iter_mut().step_by(2).for_each(|item| poison(item, text, false));
            items.iter_mut().skip(1).step_by(2).for_each(|item| poison(item, text, everywhere));
        }
        body => poison(body, text, everywhere),
    }
    body.to_string()
}

/// The sinks that something came out of.
type Seen = BTreeSet<String>;

/// What the app wants done outside, and what it shows.
fn look(session: &mut Session, doing: &str, seen: &mut Seen) {
    harmless(&format!("the screen after {doing}"), &session.screen());
    for effect in session.effects.drain(..) {
        match effect {
            Effect::Copy { what, text } => {
                harmless(&format!("a copy after {doing}"), &text);
                seen.insert(what.into());
            }
            Effect::Save { path, lines, what } => {
                harmless("the word about a file", &what);
                seen.insert(path.display().to_string());
                let is_csv = path.extension().is_some_and(|kind| kind == "csv");
                for line in lines {
                    assert_eq!(wrong(&line), None, "{} after {doing}", path.display());
                    assert!(!is_csv || no_formula(&line), "{line}");
                }
            }
            _ => {}
        }
    }
}

/// Whether no cell of a line of CSV is a formula.
fn no_formula(line: &str) -> bool {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(line.as_bytes());
    let row = reader.records().next().unwrap().unwrap();
    row.iter()
        .all(|cell| !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']))
}

const SWALLOW_ALL: &str = "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f";

/// A file of each form that there is.
const FILES: &[&str] = &["a.csv", "a.jsonl", "a.txt", "a.json", "a.folded", "a.speedscope.json"];

async fn use_every_sink(text: &str, everywhere: bool) {
    let owned = text.to_owned();
    let answer = move |query: &Query, _: Option<&_>| Ok(poisoned(query, &owned, everywhere));
    let mut seen = Seen::new();
    for target in [ALICE, SWALLOW_ALL] {
        let mut session = Session::canned(size(150, 40), target, answer.clone()).await;
        for tab in ["1", "2", "3", "4", "5"] {
            for keys in [
                tab, "j", "y y", "y a", "enter", "esc", "y r", "y j", "y v", "y m", "I", "esc",
                "d", "y j", "esc", "O", "esc", "l", "y y", "enter", "y y", "y j", "j", "enter",
                "esc", "esc",
            ] {
                session.keys(keys).await;
                look(&mut session, &format!("{tab} {keys}"), &mut seen);
            }
            for file in FILES {
                session.keys("x").await;
                for _ in 0..60 {
                    session.press("backspace");
                }
                session.types(file).await;
                look(&mut session, file, &mut seen);
                session.keys("esc").await;
            }
        }
        for keys in ["s", "/"] {
            session.keys(keys).await;
            let effects = session.app.update(Msg::Paste(text.to_owned()));
            session.settle(effects).await;
            look(&mut session, "a paste", &mut seen);
            session.keys("enter").await;
            look(&mut session, "what was pasted", &mut seen);
            session.keys("esc").await;
        }
    }
    for sink in ["JSON", "row", "method"].iter().chain(FILES) {
        assert!(seen.contains(*sink), "nothing came out of {sink}: {seen:?}");
    }
}

/// The words of failures.
fn complain(text: &str) {
    let quoted = serde_json::to_string(text).unwrap();
    for body in [
        quoted.clone(),
        format!("{{\"message\":{quoted}}}"),
        format!("{{\"errors\":[{{\"detail\":{quoted},\"source\":{{\"pointer\":{quoted}}}}}]}}"),
        text.to_owned(),
    ] {
        let error = ApiError::from_error_body(500, body.as_bytes());
        harmless("an error", &format!("{error} {error:?}"));
        let query = Query::Transactions { address: ALICE.parse().unwrap(), direction: None };
        if let Err(error) = query.decode(body.as_bytes(), None) {
            harmless("an error", &error.to_string());
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn what_strangers_write_acts_nowhere(text in hostile(), everywhere in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(use_every_sink(&text, everywhere));
    }
}

proptest! {
    #[test]
    fn what_strangers_write_is_harmless_in_words_and_addresses(text in hostile()) {
        complain(&text);
        harmless("a line", &SafeText::new(&text));
        harmless("lines", &SafeText::multiline(&text));
        let quoted = serde_json::to_string(&text).unwrap();
        harmless("a line of JSON", &json_line(&quoted));
        for scheme in ["", "http://", "https://", "data:", "ipfs://", "https://a.example/"] {
            let media = UntrustedUrl::parse(&format!("{scheme}{text}"));
            harmless("an address", &media.display_text());
            if let Ok(url) = media.openable() {
                prop_assert!(matches!(url.scheme(), "http" | "https") && url.as_str().is_ascii());
                harmless("what is opened", url.as_str());
            }
        }
    }
}

#[tokio::test]
async fn a_megabyte_of_each_acts_nowhere() {
    let all = PIECES.concat();
    complain(&all.repeat((1 << 20) / all.len()));
    let text = all.repeat((1 << 20) / all.len() / 16);
    let answer = move |query: &Query, _: Option<&_>| Ok(poisoned(query, &text, false));
    let mut session = Session::canned(size(150, 40), ALICE, answer).await;
    let mut seen = Seen::new();
    for keys in ["y y", "y j", "y r", "3", "y j", "y t", "d", "esc", "4", "enter"] {
        session.keys(keys).await;
        look(&mut session, keys, &mut seen);
    }
}

/// A server of the demo chain's answers, poisoned.
fn poisoner(text: String) -> Rogue {
    rogue(move |request, _| {
        let mut body = body(request.path().trim_start_matches('/'));
        poison(&mut body, &text, false);
        if body.get("next_page_params").is_some() {
            body["next_page_params"] = Value::Null;
        }
        json(200, body.to_string())
    })
}

#[test]
fn what_the_program_prints_and_logs_is_harmless() {
    let (folder, text) = (tempfile::tempdir().unwrap(), PIECES.concat());
    let (hostile, log) = (poisoner(text.clone()), folder.path().join("log"));
    // Not a status that is asked again.
    let refusing = rogue(move |_, _| json(404, serde_json::to_string(&text).unwrap()));
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
            program.env("XDG_STATE_HOME", crate::session::NOWHERE);
            program.env("XDG_CACHE_HOME", crate::session::NOWHERE);
            let output = program.output().unwrap();
            harmless(&format!("{call:?}"), &String::from_utf8(output.stdout).unwrap());
            harmless(&format!("{call:?}"), &String::from_utf8(output.stderr).unwrap());
        }
    }
    let log = std::fs::read_to_string(log).unwrap();
    harmless("the log", &log);
    assert_eq!(log.matches("status=").count(), 2 * calls.len(), "{log}");
}
