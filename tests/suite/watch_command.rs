//! The command `watch`: what it prints while an explorer's lists change and the explorer fails.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use super::fake_server::{Behavior, FakeServer, Request, fake_server, json, page};
use super::session::{ALICE, UNUSABLE_DIR};
use super::terminal::Terminal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_chainglass");
const BOB: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const PAGE_ROWS: usize = 20;

/// The transactions of an explorer, newest first, and the failure of its answers.
#[derive(Default)]
struct Explorer {
    transactions: Vec<String>,
    is_down: bool,
}

type SharedExplorer = Arc<Mutex<Explorer>>;

impl Explorer {
    fn add(&mut self, number: usize, sender: &str) {
        let time = "2026-01-02T03:04:05.000000Z";
        self.transactions.insert(
            0,
            format!(
                r#"{{"hash":"{number:#066x}","block_number":{},"timestamp":"{time}","status":"ok",
                    "from":{{"hash":"{BOB}","name":"{sender}"}},"to":{{"hash":"{ALICE}"}},
                    "value":"{number}","position":{number}}}"#,
                100 + number.div_ceil(3)
            ),
        );
    }

    fn answer(&self, request: &Request) -> Behavior {
        if self.is_down {
            return json(503, r#"{"message":"maintenance"}"#);
        }
        if !request.path().ends_with("/transactions") {
            return page("", "null");
        }
        let at = request.query().into_iter().find(|(name, _)| name == "at");
        let start = at.map_or(0, |(_, at)| at.parse().unwrap());
        let end = (start + PAGE_ROWS).min(self.transactions.len());
        let next = if end < self.transactions.len() {
            format!("{{\"at\":{end}}}")
        } else {
            "null".to_owned()
        };
        page(&self.transactions[start..end].join(","), &next)
    }
}

/// A running `watch`, ended when this is dropped.
struct Watching {
    process: Child,
    lines: Option<Lines<BufReader<ChildStdout>>>,
    notes: Lines<BufReader<ChildStderr>>,
}

impl Watching {
    fn start(server: &FakeServer, args: &[&str]) -> Self {
        let base = server.base().to_string();
        let mut process = Command::new(PROGRAM)
            .args(["watch", ALICE, "--interval", "1", "--chain", &base, "--no-cache"])
            .args(args)
            .env("CHAINGLASS_CONFIG", UNUSABLE_DIR)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = process.stdout.take().map(|out| BufReader::new(out).lines());
        let notes = BufReader::new(process.stderr.take().unwrap()).lines();
        Self { process, lines, notes }
    }

    fn lines(&mut self, count: usize) -> Vec<String> {
        self.lines.as_mut().unwrap().take(count).map(Result::unwrap).collect()
    }

    /// Waits for a note with these words.
    fn until_noted(&mut self, words: &str) {
        let notes = self.notes.by_ref().map(Result::unwrap);
        let (mut notes, mut before) = (notes, Vec::new());
        let found = notes.any(|note| {
            before.push(note);
            before.last().is_some_and(|note| note.contains(words))
        });
        assert!(found, "no `{words}`: {before:?}");
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn explorer() -> (SharedExplorer, FakeServer) {
    let explorer = SharedExplorer::default();
    explorer.lock().unwrap().add(0, "");
    let shared = Arc::clone(&explorer);
    let server = fake_server(move |request, _| shared.lock().unwrap().answer(request));
    (explorer, server)
}

fn hash(number: usize) -> String {
    format!("{number:#066x}")
}

#[test]
fn nothing_is_lost_or_repeated_in_an_outage() {
    let (explorer, server) = explorer();
    let mut watching = Watching::start(&server, &[]);
    watching.until_noted("watching on");
    explorer.lock().unwrap().add(1, "");
    assert!(watching.lines(1)[0].ends_with(&hash(1)), "what was there before is not new");
    {
        let mut explorer = explorer.lock().unwrap();
        explorer.is_down = true;
        (2..70).for_each(|n| explorer.add(n, ""));
    }
    watching.until_noted("; retrying");
    explorer.lock().unwrap().is_down = false;
    let lines = watching.lines(68);
    assert!((2..70).zip(&lines).all(|(n, line)| line.ends_with(&hash(n))), "{lines:#?}");
    watching.until_noted("works again");
    explorer.lock().unwrap().add(70, "");
    assert!(watching.lines(1)[0].ends_with(&hash(70)));
}

#[test]
fn lines_are_complete_in_both_formats_and_safe() {
    let (explorer, server) = explorer();
    explorer.lock().unwrap().add(1, "Eve\\u001b]0;x\\u0007\\u202e");
    let mut watching = Watching::start(&server, &["--since", "100"]);
    let lines = watching.lines(2);
    let expected = format!("2026-01-02 03:04:05 UTC  {ALICE}  0.000000000000000001 ?  ← ");
    assert!(lines[1].starts_with(&expected), "{lines:#?}");
    assert!(lines[1].contains("Eve") && lines[1].contains(BOB), "{lines:#?}");
    assert!(!lines[1].contains(['\u{1b}', '\u{7}', '\u{202e}']), "{lines:?}");
    let mut watching = Watching::start(&server, &["--since", "100", "--format", "jsonl"]);
    let lines = watching.lines(2);
    assert!(!lines[1].contains(['\u{1b}', '\u{7}', '\u{202e}']), "{lines:?}");
    let line: serde_json::Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!((&line["direction"], &line["value"]), (&"in".into(), &"1".into()));
    assert_eq!(line["list"], "transactions");
    assert_eq!((&line["counterparty"], &line["token"]), (&BOB.into(), &serde_json::Value::Null));
    assert_eq!(line["item"]["hash"], hash(1));
}

#[test]
fn failures_have_their_reasons_as_in_lists() {
    let (explorer, server) = explorer();
    {
        let mut explorer = explorer.lock().unwrap();
        explorer.add(1, "");
        let data = format!("0x4e487b71{:064x}", 1);
        let reason =
            format!(r#""status":"error","result":"Reverted","revert_reason":{{"raw":"{data}"}}"#);
        explorer.transactions[0] = explorer.transactions[0].replace(r#""status":"ok""#, &reason);
    }
    let why = "Panic(0x01): assertion failed";
    let line = Watching::start(&server, &["--since", "100"]).lines(2).pop().unwrap();
    assert!(line.contains(&format!("  ✗ {why}  ")), "{line}");
    let line = Watching::start(&server, &["--since", "100", "--format", "jsonl"]).lines(2).pop();
    let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
    assert_eq!(line["failure"], why);
}

#[test]
fn closed_pipe_and_interruption_end_it_without_a_word() {
    let (_explorer, server) = explorer();
    let mut watching = Watching::start(&server, &[]);
    watching.until_noted("watching on");
    watching.lines = None;
    assert_eq!(watching.exit_code(), Some(0), "before the next line");
    assert_eq!(watching.notes.next().transpose().unwrap(), None);
    for signal in ["INT", "TERM"] {
        let mut watching = Watching::start(&server, &[]);
        watching.until_noted("watching on");
        let pid = watching.process.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        assert_eq!(watching.exit_code(), Some(0), "{signal}");
        assert_eq!(watching.notes.next().transpose().unwrap(), None);
    }
}

#[test]
fn notifications_are_sent_only_if_wanted_and_hold_no_sequence() {
    let (explorer, server) = explorer();
    let base = server.base().to_string();
    let args = ["watch", ALICE, "--interval", "1", "--no-cache", "--chain", &base];
    let written = |terminal: &Terminal| String::from_utf8_lossy(&terminal.written).into_owned();
    let mut silent = Terminal::open_with(PROGRAM.into(), &args, &[]);
    let wanted = [&args[..], &["--notify", "osc777"]].concat();
    let mut terminal = Terminal::open_with(PROGRAM.into(), &wanted, &[]);
    silent.wait_for("watching on");
    terminal.wait_for("watching on");
    explorer.lock().unwrap().add(1, "Eve;\\u001b\\\\\\u0007\\u009c");
    terminal.until("a notification", |terminal| {
        let written = written(terminal);
        let sent = written.split_once("\x1b]777;notify;chainglass;");
        sent.is_some_and(|(_, text)| text.contains("\x1b\\"))
    });
    let all = written(&terminal);
    let (_, sent) = all.split_once("\x1b]777;notify;chainglass;").unwrap();
    let (text, _) = sent.split_once("\x1b\\").unwrap();
    assert!(text.contains(ALICE) && text.contains("Eve,"), "{text:?}");
    assert!(!text.contains(|c: char| c.is_control() || c == ';'), "{text:?}");
    (2..5).for_each(|number| explorer.lock().unwrap().add(number, ""));
    terminal.until("all rows", |terminal| written(terminal).contains(&hash(4)));
    silent.until("all rows", |terminal| written(terminal).contains(&hash(4)));
    assert!(!written(&silent).contains(['\u{1b}', '\u{7}']), "off unless set");
    for mut terminal in [silent, terminal] {
        terminal.press("\x03");
        assert_eq!(terminal.exit_restored(), 0);
    }
}

#[test]
fn refusal_at_the_beginning_is_an_error() {
    let server = fake_server(|_, _| json(402, r#"{"message":"no key"}"#));
    let mut watching = Watching::start(&server, &[]);
    watching.until_noted("402");
    assert_eq!(watching.exit_code(), Some(1));
}

#[test]
fn unknown_address_has_nothing_yet() {
    let (explorer, _) = explorer();
    let shared = Arc::clone(&explorer);
    let server = fake_server(move |request, _| match shared.lock().unwrap() {
        explorer if explorer.transactions.len() == 1 => json(404, r#"{"message":"Not found"}"#),
        explorer => explorer.answer(request),
    });
    let mut watching = Watching::start(&server, &[]);
    watching.until_noted("watching on");
    explorer.lock().unwrap().add(1, "");
    assert!(watching.lines(2)[1].ends_with(&hash(1)));
}

#[test]
fn demo_chain_has_nothing_new() {
    let args = ["watch", ALICE, "--chain", "demo", "--since", "1"];
    let output = Command::new(PROGRAM).args(args).output().unwrap();
    let (lines, notes) = (output.stdout, String::from_utf8(output.stderr).unwrap());
    let lines = String::from_utf8(lines).unwrap().lines().count();
    assert!(output.status.success() && lines == 826 + 25 + 2_000, "{lines} {notes}");
    assert!(notes.contains("2,000 new rows"), "{notes}");
    assert!(notes.ends_with("stands still: nothing new will come\n"), "{notes}");
}
