//! Trace export formats: against a reference tracer, over the whole demo chain, and with malformed
//! traces. `trace_command` tests the command-line interface.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::api::{ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::Effect;
use chainglass::test_api::chain::Network;
use chainglass::test_api::chain::TxHash;
use chainglass::test_api::name_cache::NameCache;
use chainglass::test_api::output::style_line;
use chainglass::test_api::pane::CallFormatter;
use chainglass::test_api::pane::TransferMap;
use chainglass::test_api::sanitize::SafeText;
use chainglass::test_api::trace::{CallFrame, CallTree, parser};
use chainglass::test_api::trace::{
    ExportScope, ExportSteps, LineStyle, TraceExport, TraceExportFormat,
};
use chainglass::test_api::ui::Styles;
use flate2::read::MultiGzDecoder;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::demo_items::{SWAP, SWAP_SLIPPAGE};
use crate::demo_server_client::demo_server;
use crate::session::{Session, size};

/// A call with more value than its caller has.
const VALUE_TOO_BIG: &str = "0xa2bf932d9273ee4e877a98472e34ae150b6205373964e7b7dfc01ed9d241b69d";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Exports a trace, or one of its subtrees.
fn lines(
    tree: &CallTree,
    book: &SignatureDb,
    format: TraceExportFormat,
    node: Option<u32>,
) -> Vec<String> {
    let scope =
        node.map_or_else(|| ExportScope::all(tree), |node| ExportScope::subtree(tree, node));
    export(tree, book, format, &scope, None)
}

/// Exports calls in steps, as the app does, and checks that this is what the command line writes.
fn export(
    tree: &CallTree,
    book: &SignatureDb,
    format: TraceExportFormat,
    scope: &ExportScope,
    line_style: Option<&LineStyle<'_>>,
) -> Vec<String> {
    let (seen, overlay, network) =
        (&NameCache::default(), &TransferMap::default(), &Network::demo());
    let names = CallFormatter::new(tree, book, seen, network, overlay);
    let transaction = TxHash::ZERO;
    let export = TraceExport { tree, names: &names, transaction, scope, events: None, line_style };
    let mut steps = ExportSteps::new(format, scope);
    let mut percents = vec![steps.percent(scope)];
    while !steps.step(&export).unwrap() {
        percents.push(steps.percent(scope));
    }
    assert!(percents.is_sorted() && percents.iter().all(|percent| *percent <= 100), "{percents:?}");
    let lines = steps.into_lines();
    let mut written = Vec::new();
    export.write(format, &mut written).unwrap();
    assert!(String::from_utf8(written).unwrap().lines().eq(&lines));
    lines
}

/// All traces of the demo chain.
fn demo_traces() -> Vec<CallTree> {
    #[derive(serde::Deserialize)]
    struct Row {
        trace: Box<RawValue>,
    }
    let file = File::open(root().join("assets/demo/chain.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).unwrap();
    let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    let mut trees = Vec::new();
    for name in names.iter().filter(|name| name.starts_with("raw_traces/")) {
        let rows = std::io::read_to_string(archive.by_name(name).unwrap()).unwrap();
        let rows = rows.lines().map(|row| serde_json::from_str::<Row>(row).unwrap());
        trees.extend(rows.map(|row| parser::parse_trace(row.trace.get().to_owned().into())));
    }
    assert_eq!(trees.len(), 2458);
    trees
}

fn gas_used(tree: &CallTree, node: u32) -> u64 {
    tree.get(node).and_then(CallFrame::gas_used).unwrap_or_default()
}

fn reference_files() -> Vec<PathBuf> {
    let Ok(folder) = fs::read_dir(root().join("../shared/devnet/oracle")) else {
        std::io::stderr().write_all(b"skipped: ../shared is not here\n").unwrap();
        return Vec::new();
    };
    let paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    let references: Vec<PathBuf> =
        paths.into_iter().filter(|path| path.to_string_lossy().ends_with(".tree.tsv")).collect();
    assert!(references.len() >= 40, "{}", references.len());
    references
}

/// A row as the reference tracer writes it, without gas and error messages.
fn reference_columns(row: &Value) -> Vec<String> {
    let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let path: Vec<String> =
        row["trace_address"].as_array().unwrap().iter().map(Value::to_string).collect();
    let path = match path.len() {
        0 => "-".to_owned(),
        1..=64 => path.join("."),
        n => format!("{}x{n}", path[0]),
    };
    let kind = row["call_type"].as_str().or(row["type"].as_str()).unwrap();
    let failed = matches!(row["outcome"].as_str(), Some("failed" | "caught"));
    vec![
        row["depth"].to_string(),
        path,
        kind.to_owned(),
        text("from").to_lowercase(),
        text("to").to_lowercase(),
        text("value"),
        failed.to_string(),
        text("selector"),
    ]
}

#[test]
fn jsonl_export_agrees_with_reference_tracer() {
    let (server, book) = (demo_server(50), SignatureDb::builtin());
    let mut compared = 0;
    let references = reference_files();
    for path in &references {
        let reference = fs::read_to_string(path).unwrap();
        let hash = reference.split("# tx ").nth(1).unwrap().split(' ').next().unwrap();
        let (status, body) = server.get(&format!("/api/v2/transactions/{hash}/raw-trace"));
        assert_eq!(status, 200, "{hash}");
        let tree = parser::parse_trace(body.into());
        let ours = lines(&tree, &book, TraceExportFormat::Jsonl, None);
        let theirs: Vec<&str> = reference.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(ours.len(), theirs.len(), "{}", path.display());
        for (n, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let at = format!("{}:{n}", path.display());
            let row: Value = serde_json::from_str(ours).unwrap();
            let cells: Vec<&str> = theirs.split('\t').collect();
            let [depth, path, kind, from, to, value, gas, used, error, selector] = cells[..] else {
                panic!("{at}: {theirs}");
            };
            let failed = (error != "-").to_string();
            let theirs = [depth, path, kind, from, to, value, &failed, selector];
            assert_eq!(reference_columns(&row), theirs, "{at}");
            for (key, expected) in [("gas", gas), ("gas_used", used)] {
                let is_compared = n > 0 || key == "gas";
                if let Some(ours) = row[key].as_str().filter(|_| is_compared) {
                    assert_eq!(ours, expected, "{at}: {key}");
                    compared += 1;
                }
            }
        }
    }
    assert!(
        references.is_empty() || compared > 20_000,
        "only {compared} numbers of gas were compared"
    );
}

#[test]
fn folded_stacks_sum_to_the_gas_used() {
    // Names take most of the time and do not matter here.
    let book = SignatureDb::default();
    for tree in demo_traces() {
        assert_eq!(tree.orphan_count(), 0);
        let ending = tree.summary().unwrap();
        assert_eq!(
            (ending.child_count_mismatches, ending.unreadable, &ending.error),
            (0, 0, &None)
        );
        // The root and its largest child.
        let largest = tree.children(0).max_by_key(|call| tree.end(*call) - call);
        for node in std::iter::once(0).chain(largest.filter(|call| gas_used(&tree, *call) > 0)) {
            let stacks = lines(&tree, &book, TraceExportFormat::Folded, Some(node));
            let weights = stacks.iter().map(|line| line.rsplit_once(' ').unwrap().1);
            let total: u64 = weights.map(|own| own.parse::<u64>().unwrap()).sum();
            assert_eq!(total, gas_used(&tree, node));
        }
    }
}

#[test]
fn folded_stacks_of_a_payment_have_a_line_without_gas() {
    let payment = r#"[{"action":{"callType":"call","from":"0x11","to":"0x22","gas":"0x0","value":"0x5",
        "input":"0x"},"result":{"gasUsed":"0x0","output":"0x"},"traceAddress":[],"type":"call"}]"#;
    let tree = parser::parse_trace(payment.into());
    let stacks = lines(&tree, &SignatureDb::default(), TraceExportFormat::Folded, None);
    assert!(matches!(&*stacks, [only] if only.ends_with(" 0")), "{stacks:?}");
    let reverted = r#"[{"action":{"callType":"call","from":"0x11","to":"0x22","gas":"0x5208","value":"0x0",
        "input":"0x"},"error":"Reverted","result":null,"traceAddress":[],"type":"call"}]"#;
    let tree = parser::parse_trace(reverted.into());
    let stacks = lines(&tree, &SignatureDb::default(), TraceExportFormat::Folded, None);
    assert!(stacks.is_empty(), "unknown gas is not zero: {stacks:?}");
}

/// Two threads format the rows.
#[test]
fn rows_of_long_traces_are_in_order() {
    let entry = |n: u32| {
        let path = if n == 0 { String::new() } else { (n - 1).to_string() };
        format!(r#"{{"action":{{"callType":"call"}},"traceAddress":[{path}],"type":"call"}}"#)
    };
    let body = format!("[{}]", (0..10_000).map(entry).collect::<Vec<_>>().join(","));
    let tree = parser::parse_trace(body.into());
    let export = |format| lines(&tree, &SignatureDb::default(), format, None);
    let rows = export(TraceExportFormat::Jsonl);
    assert_eq!(rows.len(), 10_000);
    for (n, row) in rows.iter().enumerate().skip(1) {
        assert!(row.starts_with(&format!(r#"{{"depth":1,"trace_address":[{}],"#, n - 1)), "{row}");
    }
    let array = export(TraceExportFormat::Json);
    assert_eq!(array.join("\n"), format!("[\n{}\n]", rows.join(",\n")));
}

/// Checks a profile against speedscope's schema for evented profiles, and that calls nest.
fn check_speedscope(tree: &CallTree, book: &SignatureDb) {
    let file: Value =
        serde_json::from_str(&lines(tree, book, TraceExportFormat::Speedscope, None).join("\n"))
            .unwrap();
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let names = file["shared"]["frames"].as_array().unwrap();
    let names: Vec<&str> = names.iter().map(|frame| frame["name"].as_str().unwrap()).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "names are unique");
    let [profile] = &file["profiles"].as_array().unwrap()[..] else { panic!("one profile") };
    assert_eq!((&profile["type"], &profile["unit"]), (&"evented".into(), &"none".into()));
    assert!(profile["name"].is_string());
    assert_eq!(
        (&profile["startValue"], &profile["endValue"]),
        (&0.into(), &gas_used(tree, 0).into())
    );
    let events = profile["events"].as_array().unwrap();
    assert_eq!(events.len(), tree.frames().len() * 2);
    let (mut open, mut before) = (Vec::new(), 0);
    for event in events {
        let (frame, at) = (event["frame"].as_u64().unwrap(), event["at"].as_u64().unwrap());
        assert!(usize::try_from(frame).unwrap() < names.len());
        assert!(at >= before, "events are in order");
        before = at;
        match event["type"].as_str().unwrap() {
            "O" => open.push(frame),
            "C" => assert_eq!(open.pop(), Some(frame), "the innermost call ends first"),
            other => panic!("{other}"),
        }
    }
    assert!(open.is_empty() && before <= gas_used(tree, 0));
}

#[test]
fn speedscope_profile_follows_the_schema() {
    let (server, book) = (demo_server(50), SignatureDb::builtin());
    for hash in [
        "0x55b0dc4f6de7e3fc16c629b1d866c7877fcbacdd7200d08f70c46daa8a128522",
        "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f",
        "0x7428c68b0ebe39dcf8ef73b8247e143f306eaa03cb4a680f0dd1820c918e757e",
        "0x4cebf4d17f733ff924325170e3ed07628a54ed6b645ee45d8a5792e941375109",
    ] {
        let (status, body) = server.get(&format!("/api/v2/transactions/{hash}/raw-trace"));
        assert_eq!(status, 200, "{hash}");
        check_speedscope(&parser::parse_trace(body.into()), &book);
    }
}

/// A call of a Parity trace.
fn parity_call(kind: &str, path: &str, error: &str) -> String {
    let party = "0x00000000000000000000000000000000000000aa";
    format!(
        r#"{{"type":"{kind}","traceAddress":{path},"action":{{"from":"{party}","to":"{party}","gas":"0x9","value":"0x0","input":"0x"}},"result":{{"gasUsed":"0x5"}}{error}}}"#
    )
}

fn rows(body: String) -> Vec<Value> {
    let lines = lines(
        &parser::parse_trace(body.into()),
        &SignatureDb::default(),
        TraceExportFormat::Jsonl,
        None,
    );
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn unknown_call_type_keeps_its_original_name() {
    let parity =
        format!("[{},{}]", parity_call("call", "[]", ""), parity_call("AuthCall", "[0]", ""));
    let nested = r#"{"type":"CALL","calls":[{"calls":[{"type":"STOP"}],"type":"AUTHCALL"}]}"#;
    for body in [parity, nested.to_owned()] {
        let rows = rows(body);
        assert_eq!((&rows[0]["type"], &rows[1]["type"]), (&"call".into(), &"authcall".into()));
        assert_eq!(rows[1]["call_type"], Value::Null);
    }
    let nameless = rows(r#"{"type":"CALL","calls":[{"from":"0x00"}]}"#.to_owned());
    assert_eq!(nameless[1]["type"], "unknown");
}

#[test]
fn inferred_gas_is_marked_and_null_in_json() {
    let burnt = parity_call("call", "[0]", r#","error":"Bad instruction""#);
    let burnt = burnt.replace(r#""result":{"gasUsed":"0x5"}"#, r#""result":null"#);
    let body = format!("[{},{burnt}]", parity_call("call", "[]", ""));
    let tree = parser::parse_trace(body.clone().into());
    let text = |format| lines(&tree, &SignatureDb::default(), format, None).join("\n");
    let drawn = text(TraceExportFormat::Tree);
    assert!(drawn.contains("✓ call [5]") && drawn.contains("! call [≈9]"), "{drawn}");
    let rows = rows(body);
    assert_eq!((&rows[0]["gas_used"], &rows[1]["gas_used"]), (&"5".into(), &Value::Null));
    assert_eq!(rows[1]["gas"], "9");
    for format in [TraceExportFormat::Folded, TraceExportFormat::Speedscope] {
        assert!(text(format).contains("aa≈"), "{}", text(format));
    }
}

#[test]
fn folded_stacks_have_gas_of_their_own() {
    let body = format!("[{},{}]", parity_call("call", "[]", ""), parity_call("call", "[0]", ""));
    let tree = parser::parse_trace(body.into());
    let stacks = lines(&tree, &SignatureDb::default(), TraceExportFormat::Folded, None);
    // The call inside used all gas.
    assert!(matches!(&*stacks, [only] if only.ends_with(" 5")), "{stacks:?}");
}

#[test]
fn reason_in_words_is_the_error_of_a_call_without_one() {
    let nested = r#"{"type":"Call","error":null,"revertReason":"too low","output":"0x"}"#;
    let row = rows(nested.to_owned()).remove(0);
    assert_eq!((&row["error"], &row["outcome"]), (&"too low".into(), &"failed".into()));
}

#[test]
fn orphan_call_keeps_its_trace_address() {
    let calls = [
        parity_call("call", "[]", ""),
        parity_call("call", "[4,1,2]", ""),
        parity_call("call", "[4,1,2,7]", ""),
    ];
    let rows = rows(format!("[{}]", calls.join(",")));
    let paths: Vec<String> = rows.iter().map(|row| row["trace_address"].to_string()).collect();
    assert_eq!(paths, ["[]", "[4,1,2]", "[4,1,2,7]"]);
    let depths: Vec<u64> = rows.iter().map(|row| row["depth"].as_u64().unwrap()).collect();
    assert_eq!(depths, [0, 1, 2], "it is attached to the nearest call");
}

#[test]
fn node_text_is_sanitized_in_every_format() {
    let error = r#","error":"\u001b]52;c;cHduZWQ=\u0007\u202e\nRevert \u200bed""#;
    let body = format!(
        "[{},{}]",
        parity_call("call", "[]", error),
        parity_call("\\u001b[2J;a b", "[0]", "")
    );
    let tree = parser::parse_trace(body.into());
    for format in [
        TraceExportFormat::Tree,
        TraceExportFormat::Json,
        TraceExportFormat::Jsonl,
        TraceExportFormat::Folded,
        TraceExportFormat::Speedscope,
    ] {
        for line in lines(&tree, &SignatureDb::default(), format, None) {
            let bad = |c: char| c.is_control() || "\u{202e}\u{200b}".contains(c);
            assert!(!line.contains(bad) && !line.contains("\\u"), "{format:?}: {line:?}");
        }
    }
    let rows = lines(&tree, &SignatureDb::default(), TraceExportFormat::Jsonl, None);
    assert!(rows[0].contains("␛]52;c;cHduZWQ=␇␦␊Revert ␦ed"), "{}", rows[0]);
}

#[test]
fn failed_calls_are_coloured() {
    let error = r#","error":"Reverted""#;
    let body = format!("[{},{}]", parity_call("call", "[]", ""), parity_call("call", "[0]", error));
    let tree = parser::parse_trace(body.into());
    let (scope, styles) = (ExportScope::all(&tree), Styles::new(true));
    let style = |outcome, line: &str| style_line(outcome, line, Some(&styles), false);
    let lines =
        export(&tree, &SignatureDb::default(), TraceExportFormat::Tree, &scope, Some(&style));
    assert!(lines[0].starts_with('✓'), "{:?}", lines[0]);
    assert!(lines[1].starts_with("\u{1b}["), "{:?}", lines[1]);
    assert!(lines[1].ends_with('m') && lines[1].contains("└─ ! call"), "{:?}", lines[1]);
}

#[tokio::test]
async fn trace_pane_exports_every_format() {
    let mut session = Session::demo(size(120, 30), VALUE_TOO_BIG).await;
    session.keys("2").await;
    for (file, first) in [
        ("a.txt", "✓ call [14,455]"),
        ("a.json", "["),
        ("a.jsonl", r#"{"depth":0,"#),
        ("a.folded", "valueTooBig@0x1eb835eb7beeee9e6bbfe08f16a2d2ef668204bd 14455"),
        ("a.speedscope.json", r#"{"$schema":"#),
        ("a.svg", ""),
    ] {
        match saved(&mut session, file).await {
            Some((path, lines, what)) => {
                assert_eq!((path.to_str(), lines[0].contains(first)), (Some(file), true));
                let left_out = file.contains("folded") || file.contains("speedscope");
                assert_eq!(what.contains("left out 1 call of unknown gas"), left_out, "{what}");
            }
            _ => assert_eq!(file, "a.svg", "{}", session.screen()),
        }
    }
    assert!(session.screen().contains(".folded, .json, .jsonl"), "{}", session.screen());
}

/// Exports the trace on the screen to a file.
async fn saved(session: &mut Session, file: &str) -> Option<(PathBuf, Vec<String>, SafeText)> {
    session.keys("x").await;
    for _ in 0..60 {
        session.press("backspace");
    }
    session.type_text(file).await;
    match session.effects.pop() {
        Some(Effect::Save { path, lines, what }) => Some((path, lines, what)),
        _ => None,
    }
}

#[tokio::test]
async fn saved_rows_have_the_events_if_all_are_known() {
    let events = |saved: Option<(PathBuf, Vec<String>, SafeText)>| -> Vec<Value> {
        let (_, rows, _) = saved.unwrap();
        rows.iter()
            .map(|row| serde_json::from_str::<Value>(row).unwrap()["events"].take())
            .collect()
    };
    for (transaction, expected) in [(SWAP, 14), (SWAP_SLIPPAGE, 0)] {
        let mut session = Session::demo(size(120, 30), transaction).await;
        session.keys("2").await;
        let calls = events(saved(&mut session, "a.jsonl").await);
        assert_eq!(
            calls.iter().map(|events| events.as_array().unwrap().len()).sum::<usize>(),
            expected
        );
    }
    // A transaction of a rollup's own uses no gas, and may have events.
    for gas in ["0x9", "0x0"] {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::RawTrace) => {
                Ok(format!(r#"{{"type":"CALL","gasUsed":"{gas}","from":"0x00","to":"0x00"}}"#))
            }
            _ => Err(ApiError::from_error_body(500, b"")),
        };
        let mut session = Session::canned(size(120, 30), SWAP, answer).await;
        session.keys("2").await;
        assert_eq!(events(saved(&mut session, "a.jsonl").await), [Value::Null], "{gas}");
    }
}

#[tokio::test]
async fn export_says_all_that_its_events_lack() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => {
            Ok(r#"{"type":"CALL","gasUsed":"0x9","from":"0x00","to":"0x00"}"#.to_owned())
        }
        Query::Transaction(_, TransactionQuery::Logs | TransactionQuery::LogsInCalls) => {
            let elsewhere = json!({ "index": 3, "address": { "hash": format!("0x{}", "cd".repeat(20)) }, "topics": [] });
            Ok(json!({ "items": [elsewhere, "no log"], "next_page_params": null }).to_string())
        }
        _ => Err(ApiError::from_error_body(500, b"")),
    };
    let mut session = Session::canned(size(120, 30), SWAP, answer).await;
    session.keys("2").await;
    let (_, _, what) = saved(&mut session, "a.jsonl").await.unwrap();
    assert!(
        what.contains("1 event of unknown calls") && what.contains("1 event left out"),
        "{what}"
    );
}

#[tokio::test]
async fn stacks_without_gas_are_refused() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => {
            Ok(r#"{"type":"CALL","from":"0x00","to":"0x00"}"#.to_owned())
        }
        _ => Err(ApiError::from_error_body(500, b"")),
    };
    let mut session = Session::canned(size(120, 30), SWAP, answer).await;
    session.keys("2").await;
    assert_eq!(saved(&mut session, "a.folded").await, None);
    assert!(
        session.screen().contains("cannot export: the gas of all calls"),
        "{}",
        session.screen()
    );
}

/// The recorded trace of a transaction on a development node.
fn node_trace(node: &str, transaction: &str) -> CallTree {
    let file = File::open(root().join(format!("tests/data/node/{node}.jsonl.gz"))).unwrap();
    let wanted = |exchange: &Value| {
        let is_trace = exchange["method"].as_str().unwrap().contains("trace");
        is_trace
            && exchange["params"][0] == transaction
            && exchange["result"][0]["action"].is_object()
    };
    let mut lines = BufReader::new(MultiGzDecoder::new(file)).lines();
    let trace = lines.find_map(|line| {
        let exchange: Value = serde_json::from_str(&line.unwrap()).unwrap();
        wanted(&exchange).then(|| exchange["result"].to_string())
    });
    parser::parse_trace(trace.unwrap().into())
}

#[test]
fn console_lines_are_shown_where_they_were_printed() {
    let talk = "0xfed24ca236e8af50eb3432f8871798ff1080114cfcce799ac91412b477141bd6";
    let mumble = "0xb3accc344440cd41184892d529466d15128c837f6b1bb571f64badb62c6c713b";
    let printed = |node, transaction| {
        let tree = node_trace(node, transaction);
        let rows = lines(&tree, &SignatureDb::builtin(), TraceExportFormat::Jsonl, None);
        let rows = rows
            .iter()
            .filter(|row| !row.is_empty())
            .map(|row| serde_json::from_str::<Value>(row).unwrap());
        let printed: Vec<String> = rows
            .filter_map(|row| Some(format!("{} {}", row["depth"], row["console"].as_str()?)))
            .collect();
        let text = lines(&tree, &SignatureDb::builtin(), TraceExportFormat::Tree, None);
        let labels = text.iter().filter(|line| line.contains("] console.log: "));
        assert_eq!(labels.count(), printed.len(), "{text:?}");
        printed
    };
    for node in ["anvil", "hardhat3"] {
        let lines = printed(node, talk);
        let sender = "1 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 true";
        let expected =
            ["1 hello", "1 number 42", "1 42", sender, "1 a format: value", "2 before the revert"];
        assert_eq!(lines, expected, "{node}");
        // Anvil fails these.
        assert_eq!(printed(node, mumble), ["1 number 42", "1 42", "1 0x00ff"], "{node}");
    }
}
