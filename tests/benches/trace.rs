//! Times parsing a raw trace into a call tree, next to `serde_json`.
//!
//! `cargo bench --bench trace`; `TRACE=path cargo bench --bench trace` reads a file as well.

mod synthetic;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::{fmt, io};

use bytes::Bytes;
use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::chain::{Network, TxHash, Unit};
use chainglass::test_api::name_cache::NameCache;
use chainglass::test_api::pane::{CallFormatter, TransferMap};
use chainglass::test_api::trace::{
    CallTree, ExportScope, TraceExport, TraceExportFormat, VisibleFrames, parser,
};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serde::Deserialize;

static BODIES: LazyLock<Vec<Body>> = LazyLock::new(|| {
    let made = [1_000, 10_000, 100_000].map(|calls| Body {
        name: format!("{calls} calls"),
        bytes: synthetic::trace(calls).into(),
    });
    let file = std::env::var("TRACE").ok().and_then(|path| {
        let bytes = std::fs::read(&path).ok()?.into();
        Some(Body { name: path, bytes })
    });
    made.into_iter().chain(file).collect()
});

struct Body {
    name: String,
    bytes: Bytes,
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The fields that a parser based on `serde_json` would need.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read, and thrown away")]
struct Entry<'a> {
    #[serde(borrow)]
    action: Action<'a>,
    #[serde(borrow)]
    result: Option<Answer<'a>>,
    #[serde(borrow)]
    error: Option<Cow<'a, str>>,
    subtraces: u32,
    trace_address: Vec<u32>,
    r#type: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read, and thrown away")]
struct Action<'a> {
    call_type: Option<&'a str>,
    from: Option<&'a str>,
    gas: Option<&'a str>,
    input: Option<&'a str>,
    init: Option<&'a str>,
    to: Option<&'a str>,
    value: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read, and thrown away")]
struct Answer<'a> {
    gas_used: Option<&'a str>,
    output: Option<&'a str>,
    address: Option<&'a str>,
    code: Option<&'a str>,
}

fn main() {
    divan::main();
}

fn bodies() -> impl Iterator<Item = &'static Body> {
    BODIES.iter()
}

fn grown(body: &Body) -> (CallTree, VisibleFrames) {
    let tree = parser::parse_trace(body.bytes.clone());
    let mut outline = VisibleFrames::default();
    outline.extend(&tree);
    (tree, outline)
}

fn throughput(bencher: Bencher, body: &Body, read: impl Fn(&[u8]) + Sync) {
    bencher.counter(BytesCount::of_slice(&body.bytes)).bench(|| read(black_box(&body.bytes)));
}

#[divan::bench(args = bodies())]
fn read_into_a_tree(bencher: Bencher, body: &Body) {
    bencher.counter(BytesCount::of_slice(&body.bytes)).bench(|| grown(black_box(body)));
}

#[divan::bench(args = bodies())]
fn serde_json_typed(bencher: Bencher, body: &Body) {
    bencher
        .counter(BytesCount::of_slice(&body.bytes))
        .bench(|| serde_json::from_slice::<Vec<Entry<'_>>>(black_box(&body.bytes)));
}

#[divan::bench(args = bodies())]
fn serde_json_ignored(bencher: Bencher, body: &Body) {
    throughput(bencher, body, |bytes| {
        let read = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
        black_box(read).ok();
    });
}

#[divan::bench(args = bodies(), max_time = 3)]
fn serde_json_value(bencher: Bencher, body: &Body) {
    bencher
        .counter(BytesCount::of_slice(&body.bytes))
        .bench(|| serde_json::from_slice::<serde_json::Value>(black_box(&body.bytes)));
}

#[divan::bench(args = bodies())]
fn export_json_lines(bencher: Bencher, body: &Body) {
    let (tree, _) = grown(body);
    let names = CallFormatter {
        tree: &tree,
        signatures: &SignatureDb::builtin(),
        name_cache: &NameCache::default(),
        network: &Network::demo(),
        transaction: None,
        transfers: &TransferMap::default(),
        failure_places: None,
        unit: Unit::Coin,
        full_addresses: true,
        short_amounts: false,
        token_symbols: false,
    };
    let (names, scope) = (&names, &ExportScope::all(&tree));
    let (transaction, line_style) = (TxHash::ZERO, None);
    let export = TraceExport { tree: &tree, names, transaction, scope, events: None, line_style };
    bencher.bench_local(|| export.write(TraceExportFormat::Jsonl, &mut io::sink()));
}

#[divan::bench(args = bodies())]
fn fold_and_unfold_the_root(bencher: Bencher, body: &Body) {
    let (tree, outline) = grown(body);
    bencher.with_inputs(|| outline.clone()).bench_local_refs(|outline| {
        outline.set_expanded(&tree, 0, false);
        outline.set_expanded(&tree, 0, true);
    });
}
