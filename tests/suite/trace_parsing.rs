//! Parses the demo chain's traces and samples from all kinds of nodes.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use chainglass::test_api::chain::Address;
use chainglass::test_api::trace::{
    CallKind, CallTree, EmittedLog, TraceFormat, parser, place_logs,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Each sample with its format, number of frames and number of mismatches.
const SAMPLES: [(&str, TraceFormat, u32, u32); 24] = [
    ("backend-controller-test", TraceFormat::Parity, 1, 0),
    ("besu-trace-transaction", TraceFormat::Parity, 2, 0),
    ("conflux-like-hex-numbers", TraceFormat::Parity, 1, 0),
    ("empty", TraceFormat::Empty, 0, 0),
    ("geth-calltracer-create", TraceFormat::CallTracer, 1, 0),
    ("geth-calltracer-errors", TraceFormat::CallTracer, 3, 0),
    ("geth-calltracer-fixture", TraceFormat::CallTracer, 16, 0),
    ("geth-calltracer-nested-uniswap", TraceFormat::CallTracer, 10, 0),
    ("geth-calltracer-optimism-deposit", TraceFormat::CallTracer, 2, 0),
    ("geth-calltracer-selfdestruct", TraceFormat::CallTracer, 3, 0),
    ("geth-calltracer-stop", TraceFormat::CallTracer, 1, 0),
    ("geth-js-tracer-call", TraceFormat::Flat, 1, 0),
    ("geth-js-tracer-create", TraceFormat::Flat, 1, 0),
    ("geth-js-tracer-nested-uniswap", TraceFormat::Flat, 10, 0),
    ("geth-opcode-tracer", TraceFormat::StructLogs, 0, 0),
    ("nethermind-parity-call-nested-real", TraceFormat::Parity, 2, 0),
    ("nethermind-parity-create-real", TraceFormat::Parity, 1, 0),
    ("nethermind-parity-nested-calls", TraceFormat::Parity, 6, 0),
    ("nethermind-replay-docs", TraceFormat::Parity, 1, 0),
    // The sample holds only the root.
    ("parity-call-reverted", TraceFormat::Parity, 1, 1),
    ("parity-create-error", TraceFormat::Parity, 1, 0),
    ("parity-reward", TraceFormat::Parity, 1, 0),
    ("parity-suicide", TraceFormat::Parity, 2, 0),
    // Composed of examples from a specification, with the path of another call.
    ("seed-shape-legacy-spec", TraceFormat::Parity, 1, 0),
];

#[derive(Deserialize)]
struct Row {
    block: u64,
    position: u64,
    trace: Box<RawValue>,
}

/// A folder next to the repository. Returns `None` if it is missing.
fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if !path.exists() {
        std::io::stderr().write_all(b"skipped: ../shared is not here\n").unwrap();
        return None;
    }
    Some(path)
}

fn parse(body: impl Into<Bytes>) -> CallTree {
    parser::parse_trace(body.into())
}

/// Returns the hashes of the demo chain's transactions by block and position.
fn demo_hashes() -> HashMap<(u64, u64), String> {
    let mut hashes = HashMap::new();
    for_each_demo_row("transactions/", |row| {
        let number = |name: &str| row[name].as_u64().unwrap();
        let hash = row["hash"].as_str().unwrap().to_owned();
        hashes.insert((number("block_number"), number("position")), hash);
    });
    hashes
}

/// Calls `visit` with every trace of the demo chain and the hash of its transaction.
fn for_each_demo_trace(mut visit: impl FnMut(&str, CallTree)) {
    let hashes = demo_hashes();
    for_each_demo_line("raw_traces/", |line| {
        let row: Row = serde_json::from_str(line).unwrap();
        visit(&hashes[&(row.block, row.position)], parse(row.trace.get().to_owned()));
    });
}

/// Calls `visit` with every row of a table of the demo chain.
fn for_each_demo_row(table: &str, mut visit: impl FnMut(serde_json::Value)) {
    for_each_demo_line(table, |line| visit(serde_json::from_str(line).unwrap()));
}

/// Calls `visit` with every line of the members of a table.
fn for_each_demo_line(table: &str, mut visit: impl FnMut(&str)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/chain.zip");
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    for n in 0..archive.len() {
        let member = archive.by_index(n).unwrap();
        if member.name().starts_with(table) {
            BufReader::new(member).lines().for_each(|line| visit(&line.unwrap()));
        }
    }
}

#[test]
fn demo_logs_stand_at_calls_of_their_contracts() {
    let hashes = demo_hashes();
    let mut emitters: HashMap<String, Vec<(u64, Address)>> = HashMap::new();
    for_each_demo_row("logs/", |row| {
        let number = |name: &str| row[name].as_u64().unwrap();
        let place = (number("block_number"), number("transaction_index"));
        let address = row["address"].as_str().unwrap().parse().unwrap();
        let logs = emitters.entry(hashes[&place].clone()).or_default();
        logs.push((number("index"), address));
    });
    let (mut certain, mut all) = (0, 0);
    for_each_demo_trace(|hash, tree| {
        let Some(mut logs) = emitters.remove(hash) else { return };
        logs.sort_unstable();
        let log = |(_, emitter): &(u64, Address)| EmittedLog {
            emitter: Some(*emitter),
            ..EmittedLog::default()
        };
        let places = place_logs(&tree, &logs.iter().map(log).collect::<Vec<_>>());
        for ((_, emitter), place) in logs.iter().zip(&places) {
            let Some(place) = place else { continue };
            let mut calls = std::iter::once(place.call).chain(tree.ancestors(place.call));
            let own = calls.find(|it| !tree.get(*it).unwrap().kind.is_delegated());
            assert_eq!(own.and_then(|it| tree.target_address(it)), Some(*emitter), "{hash}");
            assert!(tree.get(place.call).unwrap().is_committed(), "{hash}");
        }
        certain += places.iter().flatten().count();
        all += places.len();
    });
    assert!(emitters.is_empty(), "logs without a trace");
    assert_eq!((certain, all), (4776, 5274));
}

#[test]
fn demo_traces_parse_completely() {
    let (mut traces, mut frames) = (0, 0);
    for_each_demo_trace(|hash, tree| {
        let ending = tree.summary().unwrap();
        assert_eq!(ending.format, TraceFormat::Parity, "{hash}");
        assert_eq!(
            (ending.unreadable, ending.child_count_mismatches, tree.orphan_count()),
            (0, 0, 0),
            "{hash}"
        );
        assert_eq!((&ending.error, tree.roots().count()), (&None, 1), "{hash}");
        for (n, frame) in tree.frames().iter().enumerate() {
            assert_ne!(frame.kind, CallKind::Other, "{hash}");
            assert!(tree.address(frame.from).is_some(), "{hash}: frame {n}");
        }
        traces += 1;
        frames += tree.len();
    });
    assert_eq!((traces, frames), (2458, 24_805));
}

#[test]
fn sample_traces_parse_as_their_format() {
    let Some(folder) = shared("spec/samples") else { return };
    for (name, format, frames, mismatches) in SAMPLES {
        let body = fs::read(folder.join(format!("raw-trace--{name}.json"))).unwrap();
        let tree = parse(body);
        let ending = tree.summary().unwrap();
        assert_eq!((&ending.format, tree.len()), (&format, frames), "{name}");
        assert_eq!((ending.unreadable, ending.child_count_mismatches), (0, mismatches), "{name}");
        assert_eq!(ending.error, None, "{name}");
        assert_eq!(tree.orphan_count(), u32::from(name.starts_with("seed")), "{name}");
    }
    let is_trace = |name: &str| name.starts_with("raw-trace--");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(files.filter(|name| is_trace(name.to_str().unwrap())).count(), SAMPLES.len());
}

/// Compares a call with the reference tracer's row: depth, path, type, from, to, value, gas, gas
/// used, error, selector.
fn compare_call(tree: &CallTree, row: &str, n: u32, of: &str) {
    let cells: Vec<&str> = row.split('\t').collect();
    let [depth, path, kind, from, to, value, gas, used, error, selector] = cells[..] else {
        panic!("{of}: {row}")
    };
    let frame = tree.get(n).unwrap();
    let numbers: Vec<String> = tree.path(n).iter().map(ToString::to_string).collect();
    let is_path = if path.contains('x') {
        path.ends_with(&format!("x{}", numbers.len()))
    } else {
        path == if numbers.is_empty() { "-".to_owned() } else { numbers.join(".") }
    };
    assert!(is_path, "{of}: {path} is {numbers:?}");
    assert_eq!(frame.depth.to_string(), depth, "{of} {path}");
    assert_eq!(format!("{:?}", frame.kind).to_lowercase(), kind, "{of} {path}");
    let address = |span| tree.address(span).map_or("-".into(), |a| a.to_string().to_lowercase());
    assert_eq!((address(frame.from), address(frame.to)), (from.into(), to.into()), "{of} {path}");
    let text = |number: Option<u64>| number.map(|n| n.to_string());
    if frame.kind.moves_value() {
        assert_eq!(tree.value(n).unwrap().to_string(), value, "{of} {path}");
    }
    if frame.kind != CallKind::SelfDestruct {
        assert_eq!(text(frame.gas()).as_deref(), Some(gas), "{of} {path}");
    }
    if let Some(ours) = text(frame.gas_used()).filter(|_| used != "-") {
        assert_eq!(ours, used, "{of} {path}");
    }
    assert_eq!(frame.failed(), error != "-", "{of} {path}");
    let ours = tree.selector(n).map_or("-".into(), |s| {
        s.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
    });
    if selector != "-" {
        assert_eq!(ours, selector, "{of} {path}");
    }
}

#[test]
fn demo_traces_agree_with_reference_tracer() {
    let Some(folder) = shared("devnet/oracle") else { return };
    let mut trees = HashMap::new();
    for_each_demo_trace(|hash, tree| drop(trees.insert(hash.to_owned(), tree)));
    let mut checked = 0;
    for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "tsv") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let hash = text.split("# tx ").nth(1).unwrap().split_whitespace().next().unwrap();
        let tree = &trees[hash];
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for (row, n) in rows.zip(0..) {
            compare_call(tree, row, n, name);
            count = n + 1;
        }
        assert_eq!(count, tree.len(), "{name}");
        checked += 1;
    }
    assert!(checked > 40, "only {checked} trees were compared");
}
