//! Decodes a hostile answer, or reads a hostile ABI, and prints the memory that this took at its peak.
//!
//! `cargo run --release --example dev_tools -- answer-memory SHAPE MEGABYTES`; without arguments it lists the
//! shapes.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::api::{AddressQuery, Query, TokenQuery, TransactionQuery, decode};
use chainglass::test_api::chain::{Address, TxHash};
use chainglass::test_api::name_cache::NameCache;
use chainglass::test_api::trace::{VisibleFrames, parser};

/// An answer to a query: a piece as often as it takes, between a start and an end.
struct Shape {
    name: &'static str,
    input: Input,
    parts: [&'static str; 3],
}

#[derive(Clone, Copy)]
enum Input {
    Answer(fn() -> Query),
    StreamedTrace,
    /// ABI files of 4 MB, in which `#` is a number.
    AbiFiles,
}

const ALL: &[Shape] = &[
    list("unreadable rows", [r#"{"items":["#, "1,", "1]}"]),
    list("empty rows", [r#"{"items":["#, "{},", "{}]}"]),
    list("fields of a row", [r#"{"items":[{"hash":"0x1"#, r#"","a":"1"#, r#""}]}"#]),
    list(
        "fields of rows",
        [
            r#"{"items":["#,
            r#"{"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1},"#,
            "{}]}",
        ],
    ),
    list("control characters", [r#"{"items":[{"method":""#, "\u{7f}", r#""}]}"#]),
    list("escaped name of a field", [r#"{"items":[{""#, r"\ud800", r#"":1}]}"#]),
    list("envelope", ["{", r#""a":1,"#, r#""items":[]}"#]),
    list(
        "tags",
        [
            r#"{"items":[{"from":{"hash":"0x0000000000000000000000000000000000000001","public_tags":["#,
            "{},",
            "{}]}}]}",
        ],
    ),
    list(
        "implementations",
        [
            r#"{"items":[{"from":{"hash":"0x0000000000000000000000000000000000000001","implementations":["#,
            r#"{"name":[]},"#,
            "{}]}}]}",
        ],
    ),
    Shape {
        name: "items of a collection",
        input: Input::Answer(|| {
            Query::Address(Address::ZERO, AddressQuery::Collections { types: Vec::new() })
        }),
        parts: [r#"{"items":[{"token_instances":["#, "{},", "{}]}]}"],
    },
    Shape {
        name: "owners of items",
        input: Input::Answer(|| {
            Query::Token(Address::ZERO, TokenQuery::Instances { holder: None })
        }),
        parts: [r#"{"items":["#, r#"{"token":{},"id":[],"value":[],"metadata":1},"#, "{}]}"],
    },
    transaction("transfers", [r#""token_transfers":["#, "{},", "{}]}"]),
    Shape {
        name: "transfers of listed rows",
        input: Input::Answer(|| {
            Query::Address(Address::ZERO, AddressQuery::Transactions { direction: None })
        }),
        parts: [
            r#"{"items":["#,
            r#"{"hash":"0x1111111111111111111111111111111111111111111111111111111111111111",
                "token_transfers":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},
                {},{},{},{},{},{},{},{},{},{},{},{},{},{}]},"#,
            "{}]}",
        ],
    },
    transaction(
        "unreadable fields",
        [
            r#""token_transfers":["#,
            r#"{"from":[],"to":[],"token":{"name":[]},"total":{"token_instance":{"owner":[]}},"type":[]},"#,
            "{}]}",
        ],
    ),
    transaction("texts", [r#""transaction_types":["#, r#""","#, r#"""]}"#]),
    transaction("authorizations", [r#""authorization_list":["#, "{},", "{}]}"]),
    transaction("parameters", [r#""decoded_input":{"parameters":["#, "{},", "{}]}}"]),
    Shape {
        name: "implementations of an address",
        input: Input::Answer(|| Query::Address(Address::ZERO, AddressQuery::Details)),
        parts: [
            r#"{"hash":"0x0000000000000000000000000000000000000001","implementations":["#,
            "{},",
            "{}]}",
        ],
    },
    trace("calls without fields", [r#"{"calls":["#, "{},", "{}]}"]),
    trace("calls with a value", [r#"{"calls":["#, r#"{"value":1,"error":1},"#, "{}]}"]),
    trace(
        "calls as short as allowed",
        [
            r#"{"calls":["#,
            r#"{"value":1,"error":1,"input":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},"#,
            "{}]}",
        ],
    ),
    abi("items of ABIs", ["[", "5,", "5]"]),
    abi("functions of ABIs", ["[", r#"{"name":"f#"},"#, r#"{"name":"f"}]"#]),
    abi(
        "anonymous events of ABIs",
        [
            "[",
            r#"{"type":"event","name":"e#","anonymous":true},"#,
            r#"{"type":"event","name":"e"}]"#,
        ],
    ),
    abi(
        "parameters of ABIs",
        [r#"[{"name":"f","inputs":["#, r#"{"type":"bool"},"#, r#"{"type":"bool"}]}]"#],
    ),
    trace("nested calls", ["", r#"{"type":"CALL","calls":["#, "{}"]),
    trace("entries in order", [r#"[{"action":{}}"#, r#",{"traceAddress":[]}"#, "]"]),
    trace("entries out of order", [r#"[{"action":{}}"#, r#",{"traceAddress":[1,1]}"#, "]"]),
];

const fn list(name: &'static str, parts: [&'static str; 3]) -> Shape {
    Shape { name, input: Input::Answer(|| Query::token_transfers(None)), parts }
}

/// The start lacks the hash.
const fn transaction(name: &'static str, parts: [&'static str; 3]) -> Shape {
    Shape {
        name,
        input: Input::Answer(|| Query::Transaction(TxHash::ZERO, TransactionQuery::Details)),
        parts,
    }
}

const fn trace(name: &'static str, parts: [&'static str; 3]) -> Shape {
    Shape { name, input: Input::StreamedTrace, parts }
}

const fn abi(name: &'static str, parts: [&'static str; 3]) -> Shape {
    Shape { name, input: Input::AbiFiles, parts }
}

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let [name, megabytes] = args else {
        return Ok(ALL.iter().try_for_each(|shape| writeln!(out, "{}", shape.name))?);
    };
    let shape = ALL.iter().find(|shape| shape.name == *name).context("no such shape")?;
    let before = peak_kilobytes()?;
    let len = megabytes.parse::<usize>()? << 20;
    let kept = match shape.input {
        Input::AbiFiles => shape.read_abis(len),
        Input::Answer(query) => Shape::decode(&query(), shape.body(len))?,
        Input::StreamedTrace => Shape::parse_trace(shape.body(len)),
    };
    writeln!(out, "{} kB of {} kB: {kept}", peak_kilobytes()? - before, len >> 10)?;
    Ok(())
}

impl Shape {
    fn body(&self, len: usize) -> Bytes {
        const HASH: &str =
            "{\"hash\":\"0x1111111111111111111111111111111111111111111111111111111111111111\",";
        let is_transaction = match self.input {
            Input::Answer(query) => {
                matches!(query(), Query::Transaction(_, TransactionQuery::Details))
            }
            Input::StreamedTrace | Input::AbiFiles => false,
        };
        let [start, piece, end] = self.parts;
        let mut body = String::with_capacity(len + (1 << 10));
        body.push_str(if is_transaction { HASH } else { "" });
        body.push_str(start);
        while body.len() < len {
            body.push_str(piece);
        }
        (body + end).into()
    }

    /// Adds ABI files, and describes the last problem.
    fn read_abis(&self, len: usize) -> String {
        const FILE_BYTES: usize = 4 << 20;
        let [start, piece, end] = self.parts;
        let (mut signatures, mut numbers) = (SignatureDb::default(), 0..);
        let mut problem = String::new();
        for file in 0..len / FILE_BYTES {
            let mut json = start.to_owned();
            while json.len() < FILE_BYTES {
                let number = numbers.next().unwrap_or(0).to_string();
                json.push_str(&piece.replace('#', &number));
            }
            let added = signatures.add_abi(Path::new(&format!("{file}.json")), &(json + end));
            problem = added.err().map(|why| why.to_string()).unwrap_or_default();
        }
        problem
    }

    fn parse_trace(body: Bytes) -> String {
        let tree = parser::parse_trace(body);
        let mut visible = VisibleFrames::default();
        visible.extend(&tree);
        format!("{} calls, {} rows", tree.len(), visible.rows().len())
    }

    /// Decodes the body as the program does, and describes what is kept of it.
    fn decode(query: &Query, body: Bytes) -> anyhow::Result<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let reply = runtime.block_on(decode(query, body, None));
        let reply = match reply {
            Ok(reply) => Arc::new(reply),
            Err(error) => return Ok(error.to_string()),
        };
        let mut names = NameCache::default();
        names.ingest(query, &reply);
        Ok(format!("{} names", names.addresses().count()))
    }
}

/// Returns the peak of this process's memory.
fn peak_kilobytes() -> anyhow::Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).context("no number")?.parse()?)
}
