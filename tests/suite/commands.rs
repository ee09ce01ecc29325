//! The program's own `trace`: its forms on the demo chain, and what it says when there is none.

use std::io::Read;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::rogue::{Rogue, in_turn, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_chainglass");
const CREATE_AND_DESTROY: &str =
    "0x55b0dc4f6de7e3fc16c629b1d866c7877fcbacdd7200d08f70c46daa8a128522";
const MULTICALL: &str = "0xab63ed8c33e594f9459b0de86c602823e0901a558435f1005bc7e53f6b2b2d3c";
const SWALLOW_ALL: &str = "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f";
const SLIPPAGE: &str = "0xc2b74c678eae4d24d74793fbfeb9759e925965b6ccb9a6349091a6bb7c1b0abe";
const TREE_11_2: &str = "0x324f2c0d897af906ef4ffe6b72dcff7eaa14268e9264a1aeed0d2d72523ac882";

/// The program, without what the user's own settings would add.
fn program(chain: &str, args: &[&str]) -> Command {
    let mut program = Command::new(PROGRAM);
    program.args(["--chain", chain, "trace"]).args(args);
    program
        .env("LC_ALL", "C.UTF-8")
        .env_remove("CHAINGLASS_CHAIN")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", crate::session::NOWHERE);
    program.env("XDG_CACHE_HOME", crate::session::NOWHERE);
    program
}

fn run(chain: &str, args: &[&str]) -> Output {
    program(chain, args).output().unwrap()
}

/// What it prints.
fn printed(args: &[&str]) -> String {
    let output = run("demo", args);
    assert!(output.status.success(), "{args:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says on stderr.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn notable_transactions_in_every_form() {
    for (name, hash) in [
        ("create_and_destroy", CREATE_AND_DESTROY),
        ("multicall_strict", MULTICALL),
        ("swallow_all", SWALLOW_ALL),
        ("swap_slippage", SLIPPAGE),
    ] {
        for format in ["tree", "jsonl", "folded"] {
            let name = format!("trace_{name}_{format}");
            insta::assert_snapshot!(name, printed(&[hash, "--format", format]));
        }
    }
    insta::assert_snapshot!("trace_speedscope", printed(&[SWALLOW_ALL, "--format", "speedscope"]));
    assert_eq!(printed(&[SLIPPAGE]), printed(&[SLIPPAGE, "--format", "tree"]));
}

#[test]
fn an_array_holds_the_objects_of_the_lines() {
    let array: Vec<Value> =
        serde_json::from_str(&printed(&[SLIPPAGE, "--format", "json"])).unwrap();
    let lines = printed(&[SLIPPAGE, "--format", "jsonl"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((array.len(), &array), (26, &lines));
}

#[test]
fn a_node_and_levels_below_it() {
    let paths = |args: &[&str]| -> Vec<String> {
        let args = [&[TREE_11_2, "--format", "jsonl"], args].concat();
        let rows = printed(&args);
        let row = |row: &str| serde_json::from_str::<Value>(row).unwrap();
        rows.lines().map(|line| row(line)["trace_address"].to_string()).collect()
    };
    assert_eq!(paths(&["--node", "1.0", "--depth", "0"]), ["[1,0]"]);
    assert_eq!(paths(&["--node", "1.0", "--depth", "1"]), ["[1,0]", "[1,0,0]", "[1,0,1]"]);
    assert_eq!(paths(&["--depth", "1"]), ["[]", "[0]", "[1]"]);
    assert_eq!(paths(&["--node", "root", "--depth", "2"]).len(), 7);
    assert_eq!(paths(&["--node", "0"]).len(), 2047);
    let tree = printed(&[TREE_11_2, "--node", "1.0", "--depth", "1"]);
    assert_eq!(tree.lines().count(), 3);
    assert!(tree.starts_with('✓') && tree.contains("\n├─ ") && tree.contains("\n└─ "), "{tree}");
}

#[test]
fn a_node_that_is_not_there_is_an_error_that_says_how_far_the_path_goes() {
    for (node, words) in [
        ("7", "no call is at 7: root is there, with 3 calls in it"),
        ("2.0.1.9", "no call is at 2.0.1.9: 2.0 is there, with no call in it"),
        ("2.1", "no call is at 2.1: 2 is there, with 1 call in it"),
    ] {
        let output = run("demo", &[CREATE_AND_DESTROY, "--node", node]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{node}");
        assert_eq!(said(&output).trim_end(), format!("chainglass: {words}"));
    }
}

#[test]
fn wrong_arguments_end_with_2() {
    let address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    for args in [
        &[][..],
        &["0x12"],
        &[address],
        &[SLIPPAGE, "--format", "svg"],
        &[SLIPPAGE, "--node", "0..1"],
        &[SLIPPAGE, "--depth", "-1"],
        &[SLIPPAGE, "--max-bytes", "lots"],
    ] {
        let output = run("demo", args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn an_unknown_transaction_is_an_error_of_the_server() {
    let unknown = format!("0x{}", "12".repeat(32));
    let output = run("demo", &[&unknown]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said(&output).contains("404"), "{}", said(&output));
}

#[test]
fn a_web_address_says_where_to_ask() {
    let explorer = serving(r#"[{"type":"call","action":{"from":"0x00"}}]"#);
    let address = format!("{}tx/{SLIPPAGE}", explorer.base());
    let mut program = Command::new(PROGRAM);
    let output = program.args(["trace", &address]).env_remove("CHAINGLASS_CHAIN").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let asked = explorer.requests();
    assert_eq!(asked.len(), 1, "nothing but the trace is asked for");
    assert_eq!(asked[0].target, format!("/api/v2/transactions/{SLIPPAGE}/raw-trace"));
}

fn serving(body: &str) -> Rogue {
    in_turn([json(200, body)])
}

fn from(body: &str, args: &[&str]) -> Output {
    let explorer = serving(body);
    run(explorer.base().as_str(), &[&[SLIPPAGE], args].concat())
}

#[test]
fn an_answer_without_calls_is_an_error_that_says_what_came() {
    for (body, words) in [
        ("[]", "empty list"),
        ("null", "found no trace"),
        (r#"{"gas":1,"structLogs":[]}"#, "struct logs"),
        (r#""historical state is not available \u001b[2J""#, "not available ␛[2J"),
        ("7", "no trace that is known here"),
        ("", "empty"),
    ] {
        let output = from(body, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{body}");
        assert!(said(&output).contains(words), "{body}: {}", said(&output));
        assert_eq!(said(&output).lines().count(), 1, "{body}");
    }
}

#[test]
fn more_bytes_than_allowed_print_nothing() {
    let body = format!(r#"[{{"type":"call","action":{{"input":"0x{}"}}}}]"#, "00".repeat(5_000));
    let output = from(&body, &["--max-bytes", "10000"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said(&output).contains("--max-bytes"), "{}", said(&output));
    let enough = (body.len()).to_string();
    assert!(from(&body, &["--max-bytes", &enough]).status.success());
}

#[test]
fn what_is_wrong_with_a_trace_is_said_beside_it() {
    let body = r#"[{"type":"call","traceAddress":[],"subtraces":3},7,{"type":"call","traceAddress":[0,1]}"#;
    let output = from(body, &["--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(1), "it is not the whole trace");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    for words in ["1 call without its caller", "1 entry cannot be read", "incomplete"] {
        assert!(said(&output).contains(words), "{words}: {}", said(&output));
    }
}

#[test]
fn there_are_colours_only_on_a_terminal() {
    assert!(!printed(&[SWALLOW_ALL]).contains('\u{1b}'));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut program = program("demo", &[TREE_11_2, "--format", "json"]);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
}

#[test]
fn a_tree_where_the_locale_has_only_ascii() {
    let shown = |locale| program("demo", &[SWALLOW_ALL]).env("LC_ALL", locale).output().unwrap();
    let (ascii, other) = (shown("C"), shown("en_GB.UTF-8"));
    assert!(ascii.stdout.is_ascii() && !other.stdout.is_ascii());
    let lines = |output: &Output| String::from_utf8_lossy(&output.stdout).lines().count();
    assert_eq!(lines(&ascii), lines(&other));
    let ascii = String::from_utf8_lossy(&ascii.stdout).into_owned();
    assert!(ascii.starts_with("+ call [") && ascii.contains("+- ! "), "{ascii}");
}
