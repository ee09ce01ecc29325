//! The same trace in every format, order and chunking yields the same tree.

use bytes::Bytes;
use proptest::prelude::*;

use super::{TraceParser, parse_trace};
use crate::chain::U256;
use crate::trace::{CallKind, CallOutcome, CallTree, TraceBody, TraceFormat};

/// A call to write in every format.
#[derive(Debug, Clone)]
struct ExpectedCall {
    path: Vec<u32>,
    children: u32,
    kind: CallKind,
    from: u64,
    to: u64,
    value: Option<u128>,
    gas: Option<u64>,
    used: Option<u64>,
    error: Option<&'static str>,
    input: Vec<u8>,
}

/// The part of a frame that every format contains.
#[derive(Debug, PartialEq)]
struct NormalizedFrame {
    path: Vec<u32>,
    kind: CallKind,
    from: Option<String>,
    to: Option<String>,
    value: Option<U256>,
    has_value: bool,
    gas: Option<u64>,
    used: Option<u64>,
    error: Option<String>,
    outcome: Option<CallOutcome>,
    selector: Option<[u8; 4]>,
}

const ERRORS: [Option<&str>; 6] =
    [None, None, None, Some("Reverted"), Some("Out of gas"), Some("execution \\\"x\\\" \\u0041")];
const KINDS: [CallKind; 8] = [
    CallKind::Call,
    CallKind::Call,
    CallKind::StaticCall,
    CallKind::DelegateCall,
    CallKind::CallCode,
    CallKind::Create,
    CallKind::Create2,
    CallKind::SelfDestruct,
];

type RawCall =
    (usize, CallKind, (u64, u64), Option<u128>, Option<u64>, Option<u64>, usize, Vec<u8>);

fn calls() -> impl Strategy<Value = Vec<ExpectedCall>> {
    let value = prop::option::of(prop_oneof![Just(0_u128), any::<u128>()]);
    let gas = || prop::option::of(0_u64..1 << 40);
    let input = prop::collection::vec(any::<u8>(), 0..40);
    let call = (
        0_usize..4,
        prop::sample::select(KINDS.to_vec()),
        any::<(u64, u64)>(),
        value,
        gas(),
        gas(),
        0_usize..ERRORS.len(),
        input,
    );
    prop::collection::vec(call, 1..40).prop_map(with_paths)
}

/// Gives each call a path: below the last call, or after one of its ancestors.
fn with_paths(raw: Vec<RawCall>) -> Vec<ExpectedCall> {
    let mut calls: Vec<ExpectedCall> = Vec::new();
    let mut spine: Vec<usize> = Vec::new();
    for (up, kind, (from, to), value, gas, used, error, input) in raw {
        let depth = spine.len().saturating_sub(up).max(1).min(spine.len());
        spine.truncate(depth);
        let mut path = Vec::new();
        if let Some(above) = spine.last().and_then(|above| calls.get_mut(*above)) {
            path.clone_from(&above.path);
            path.push(above.children);
            above.children += 1;
        }
        let error = ERRORS[error];
        let is_leaf = kind == CallKind::SelfDestruct;
        if !is_leaf || spine.is_empty() {
            spine.push(calls.len());
        }
        let call =
            ExpectedCall { path, children: 0, kind, from, to, value, gas, used, error, input };
        calls.push(if is_leaf { selfdestruct(call) } else { call });
    }
    calls
}

/// Clears the fields that selfdestructs have in no format.
fn selfdestruct(call: ExpectedCall) -> ExpectedCall {
    ExpectedCall { gas: None, used: None, error: None, input: Vec::new(), ..call }
}

fn address(number: u64) -> String {
    format!("0x{number:040x}")
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"0x{}\"", digits.concat())
}

fn quantity(number: impl std::fmt::LowerHex) -> String {
    format!("\"{number:#x}\"")
}

impl ExpectedCall {
    fn creates(&self) -> bool {
        self.kind.creates()
    }

    /// The frame that any reader should return, without its outcome.
    fn normal(&self) -> NormalizedFrame {
        let to = (!self.creates() || self.error.is_none()).then(|| address(self.to));
        let out_of_gas = self.error == Some("Out of gas");
        let selector = self.input.first_chunk().copied().filter(|_| !self.creates());
        NormalizedFrame {
            path: self.path.clone(),
            kind: self.kind,
            from: Some(address(self.from)),
            to,
            value: self.value.map(U256::from),
            has_value: self.value.is_some_and(|value| value > 0),
            gas: self.gas,
            used: self.used.or(self.gas.filter(|_| out_of_gas)),
            error: self.error.map(|e| e.replace("\\\"", "\"").replace("\\u0041", "A")),
            outcome: None,
            selector,
        }
    }
}

struct BodyRng(u64);

impl BodyRng {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % most.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn blank(&mut self) -> &'static str {
        ["", "", "", " ", "\n\t"][self.below(5)]
    }

    /// Writes an object of the present members, in any order and with unknown ones among them.
    fn object(&mut self, members: Vec<(&str, Option<String>)>) -> String {
        const NOISE: [(&str, &str); 5] = [
            ("time", "\"48.3ms\""),
            ("valid", "true"),
            ("x", r#"{"calls":[{"type":"CALL"}],"to":"]}\""}"#),
            ("blockNumber", "12"),
            ("transactionHash", "null"),
        ];
        let mut members: Vec<(&str, String)> =
            members.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        for _ in 0..self.below(3) {
            let (key, value) = NOISE[self.below(NOISE.len())];
            members.push((key, value.to_owned()));
        }
        self.shuffle(&mut members);
        let mut text = String::from("{");
        for (n, (key, value)) in members.into_iter().enumerate() {
            let (a, b, c) = (self.blank(), self.blank(), self.blank());
            let comma = if n == 0 { "" } else { "," };
            text += &[comma, a, "\"", key, "\"", b, ":", c, &value].concat();
        }
        text + self.blank() + "}"
    }

    fn array(&mut self, items: &[String]) -> String {
        let blank = self.blank();
        format!("[{blank}{}{blank}]", items.join(&format!("{blank},{blank}")))
    }
}

fn path(call: &ExpectedCall) -> String {
    format!("{:?}", call.path)
}

fn parity(call: &ExpectedCall, rng: &mut BodyRng) -> String {
    let from = Some(format!("\"{}\"", address(call.from)));
    let to = Some(format!("\"{}\"", address(call.to)));
    let value = call.value.map(quantity);
    let (gas, used) = (call.gas.map(quantity), call.used.map(quantity));
    let input = Some(hex(&call.input));
    let (word, action, result) = match call.kind {
        CallKind::SelfDestruct => {
            ("suicide", vec![("address", from), ("refundAddress", to), ("balance", value)], vec![])
        }
        kind if kind.creates() => {
            let method = (kind == CallKind::Create2).then(|| "\"create2\"".to_owned());
            let action = vec![
                ("from", from),
                ("gas", gas),
                ("init", input),
                ("value", value),
                ("creationMethod", method),
            ];
            let code = call.error.is_none().then(|| "\"0x60\"".to_owned());
            ("create", action, vec![("address", to), ("code", code), ("gasUsed", used)])
        }
        kind => {
            let word = Some(format!("\"{kind:?}\"").to_lowercase());
            let action = vec![
                ("callType", word),
                ("from", from),
                ("gas", gas),
                ("input", input),
                ("to", to),
                ("value", value),
            ];
            ("call", action, vec![("gasUsed", used), ("output", Some("\"0x\"".to_owned()))])
        }
    };
    let result = if result.is_empty() { "null".to_owned() } else { rng.object(result) };
    let members = vec![
        ("action", Some(rng.object(action))),
        ("result", Some(result)),
        ("error", call.error.map(|error| format!("\"{error}\""))),
        ("subtraces", Some(call.children.to_string())),
        ("traceAddress", Some(path(call))),
        ("type", Some(format!("\"{word}\""))),
    ];
    rng.object(members)
}

fn flat(call: &ExpectedCall, rng: &mut BodyRng) -> String {
    let word = match call.kind {
        CallKind::SelfDestruct => "selfdestruct",
        CallKind::Create => "create",
        CallKind::Create2 => "create2",
        _ => "call",
    };
    let is_call = word == "call";
    let to = format!("\"{}\"", address(call.to));
    let (created, to) = if call.creates() { (Some(to), None) } else { (None, Some(to)) };
    let (init, input) = if call.creates() {
        (Some(hex(&call.input)), None)
    } else {
        (None, Some(hex(&call.input)))
    };
    let members = vec![
        ("type", Some(format!("\"{word}\""))),
        ("callType", is_call.then(|| format!("\"{:?}\"", call.kind).to_lowercase())),
        ("from", Some(format!("\"{}\"", address(call.from)))),
        ("to", to),
        ("createdContractAddressHash", created),
        ("init", init),
        ("input", input),
        ("value", call.value.map(quantity)),
        ("gas", call.gas.map(|gas| gas.to_string())),
        ("gasUsed", call.used.map(|used| format!("\"{used}\""))),
        ("error", call.error.map(|error| format!("\"{error}\""))),
        ("traceAddress", Some(path(call))),
    ];
    rng.object(members)
}

/// Writes the call at `next` with its descendants as one object.
fn nested(calls: &[ExpectedCall], next: &mut usize, rng: &mut BodyRng) -> String {
    let call = &calls[*next];
    *next += 1;
    let inner: Vec<String> = (0..call.children).map(|_| nested(calls, next, rng)).collect();
    let members = vec![
        ("type", Some(format!("\"{:?}\"", call.kind).to_uppercase())),
        ("from", Some(format!("\"{}\"", address(call.from)))),
        ("to", Some(format!("\"{}\"", address(call.to)))),
        ("value", call.value.map(quantity)),
        ("gas", call.gas.map(quantity)),
        ("gasUsed", call.used.map(quantity)),
        ("input", Some(hex(&call.input))),
        ("error", call.error.map(|error| format!("\"{error}\""))),
        ("calls", (!inner.is_empty() || rng.below(4) == 0).then(|| rng.array(&inner))),
    ];
    rng.object(members)
}

/// Parses a body in chunks of random sizes, and checks that its bytes are kept.
fn parse_in_chunks(body: &[u8], rng: &mut BodyRng) -> CallTree {
    let largest = [1, 7, 200, 5000][rng.below(4)];
    let most = [1, 300, 1 << 20][rng.below(3)];
    let (mut parser, mut tree) = (TraceParser::default(), CallTree::default());
    let mut rest = body;
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at((1 + rng.below(largest)).min(rest.len()));
        parser.feed(Bytes::copy_from_slice(chunk));
        rest = more;
        while let Some(part) = parser.next_chunk(most) {
            tree.apply_chunk(part);
        }
    }
    tree.apply_chunk(parser.finish(None));
    assert_eq!(all_bytes(&tree.body), body);
    tree
}

fn all_bytes(body: &TraceBody) -> Vec<u8> {
    body.slice(0, body.len).into_owned()
}

fn normalized(tree: &CallTree) -> Vec<NormalizedFrame> {
    let each = |n| {
        let frame = tree.get(n).unwrap();
        let lower = |span| tree.text(span).map(|text| text.to_lowercase());
        NormalizedFrame {
            path: tree.path(n),
            kind: frame.kind,
            from: lower(frame.from),
            to: lower(frame.to),
            value: tree.value(n),
            has_value: frame.has_value(),
            gas: frame.gas(),
            used: frame.gas_used(),
            error: tree.text(frame.error).map(|text| text.to_string()),
            outcome: tree.outcome(n),
            selector: tree.selector(n),
        }
    };
    (0..tree.len()).map(each).collect()
}

/// Returns the expected frames with their outcomes.
fn expected(calls: &[ExpectedCall]) -> Vec<NormalizedFrame> {
    let failed = |path: &[u32]| calls.iter().any(|c| c.path == path && c.error.is_some());
    let is_last = |path: &[u32], above: &[u32]| {
        let siblings = calls.iter().filter(|c| c.path.len() == path.len());
        !siblings.filter(|c| c.path.starts_with(above)).any(|c| *c.path > *path)
    };
    let outcome = |path: &[u32]| match path.split_last() {
        None if failed(path) => CallOutcome::Failed,
        Some((_, above)) if failed(path) && failed(above) && is_last(path, above) => {
            CallOutcome::Failed
        }
        Some(_) if failed(path) => CallOutcome::Caught,
        _ if (0..path.len()).any(|len| failed(&path[..len])) => CallOutcome::RolledBack,
        _ => CallOutcome::Succeeded,
    };
    calls
        .iter()
        .map(|call| NormalizedFrame { outcome: Some(outcome(&call.path)), ..call.normal() })
        .collect()
}

/// Compares indexes and totals with a linear search.
fn check_index(tree: &CallTree) {
    use crate::trace::tree::FrameClass;
    let failed: Vec<u32> = (0..tree.len()).filter(|n| tree.get(*n).unwrap().failed()).collect();
    assert_eq!(tree.frames_of(FrameClass::Failed), failed);
    assert_eq!(
        tree.frames_of(FrameClass::Creation),
        (0..tree.len()).filter(|n| tree.get(*n).unwrap().kind.creates()).collect::<Vec<_>>()
    );
    for n in 0..tree.len() {
        let below = |list: &[u32]| list.iter().filter(|f| tree.subtree(n).contains(f)).count();
        let moved = (n + 1..tree.end(n))
            .filter(|f| {
                let frame = tree.get(*f).unwrap();
                frame.is_committed() && frame.kind.moves_value()
            })
            .fold(U256::ZERO, |sum, f| sum + tree.value(f).unwrap_or_default());
        let sum = tree.subtree_totals(n);
        assert_eq!((sum.failed, sum.value_moved), (below(&failed), Some(moved)), "frame {n}");
        let inner: u64 = tree.children(n).filter_map(|c| tree.get(c).unwrap().gas_used()).sum();
        let used = tree.get(n).unwrap().gas_used();
        let is_exact = tree.children(n).all(|c| tree.get(c).unwrap().gas_used().is_some());
        let own = used.map(|used| (used.saturating_sub(inner), is_exact));
        assert_eq!(tree.get(n).unwrap().own_gas(), own, "frame {n}");
        assert_eq!(tree.find(&tree.path(n)), Some(n));
    }
}

fn check(tree: &CallTree, calls: &[ExpectedCall], format: &TraceFormat) {
    let summary = tree.summary().unwrap();
    assert_eq!(&summary.format, format);
    assert_eq!((summary.unreadable, summary.child_count_mismatches, &summary.error), (0, 0, &None));
    assert_eq!(tree.orphan_count(), 0);
    assert_eq!(normalized(tree), expected(calls));
    assert!(tree.frames().iter().all(|frame| !frame.is_unfinished()));
    check_index(tree);
}

proptest! {
    #[test]
    fn parity_array_in_chunks(calls in calls(), seed: u64) {
        let mut rng = BodyRng(seed);
        let entries: Vec<String> = calls.iter().map(|c| parity(c, &mut rng)).collect();
        let body = rng.array(&entries);
        check(&parse_in_chunks(body.as_bytes(), &mut rng), &calls, &TraceFormat::Parity);
    }

    #[test]
    fn flat_array_in_chunks(calls in calls(), seed: u64) {
        let mut rng = BodyRng(seed);
        let entries: Vec<String> = calls.iter().map(|c| flat(c, &mut rng)).collect();
        let body = rng.array(&entries);
        check(&parse_in_chunks(body.as_bytes(), &mut rng), &calls, &TraceFormat::Flat);
    }

    #[test]
    fn entries_in_any_order(calls in calls(), seed: u64) {
        let mut rng = BodyRng(seed);
        for (write, format) in [
            (parity as fn(&ExpectedCall, &mut BodyRng) -> String, TraceFormat::Parity),
            (flat, TraceFormat::Flat),
        ] {
            let mut entries: Vec<String> = calls.iter().map(|c| write(c, &mut rng)).collect();
            rng.shuffle(&mut entries);
            let body = rng.array(&entries);
            check(&parse_in_chunks(body.as_bytes(), &mut rng), &calls, &format);
        }
    }

    #[test]
    fn nested_calls_in_chunks(calls in calls(), seed: u64) {
        let mut rng = BodyRng(seed);
        let mut body = nested(&calls, &mut 0, &mut rng);
        if rng.below(4) == 0 {
            body = format!("[{body}]");
        }
        check(&parse_in_chunks(body.as_bytes(), &mut rng), &calls, &TraceFormat::CallTracer);
    }

    /// No input panics, and the result does not depend on chunks.
    #[test]
    fn damaged_body_does_not_depend_on_chunks(
        calls in calls(),
        seed: u64,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4), 0..6),
    ) {
        let mut rng = BodyRng(seed);
        let entries: Vec<String> = calls.iter().map(|c| parity(c, &mut rng)).collect();
        let body = match rng.below(3) {
            0 => rng.array(&entries),
            1 => nested(&calls, &mut 0, &mut rng),
            _ => {
                let entries: Vec<String> = calls.iter().map(|c| flat(c, &mut rng)).collect();
                rng.array(&entries)
            }
        };
        let mut body = body.into_bytes();
        for (at, byte, how) in damage {
            if body.is_empty() {
                break;
            }
            let at = at.index(body.len());
            match how {
                0 => body[at] = byte,
                1 => body[at] = b"{}[],:\"\\0x n"[usize::from(byte) % 12],
                2 => drop(body.remove(at)),
                _ => body.truncate(at + 1),
            }
        }
        check_chunks_do_not_matter(&body, &mut rng);
    }

    #[test]
    fn arbitrary_bytes_do_not_depend_on_chunks(
        body in prop::collection::vec(prop::sample::select(br#"{}[]":,\0n calse"#.to_vec()), 0..80),
        seed: u64,
    ) {
        check_chunks_do_not_matter(&body, &mut BodyRng(seed));
    }
}

#[test]
fn malformed_body_keeps_frames_and_reports_the_position() {
    let root = r#"{"action":{"from":"0x1"},"traceAddress":[],"type":"call"}"#;
    for (body, frames, error) in [
        ("", 0, "the response is empty"),
        (" \n", 0, "the response is empty"),
        ("<html>", 0, "expected a value at byte 0"),
        ("[] x", 0, "unexpected data after the end at byte 3"),
        ("[ROOT", 1, "the response ends at byte 58, after 1 entry"),
        ("[ROOT,{\"action\":{", 1, "the response ends at byte 70, after 1 entry"),
        ("[ROOT,{\"action\" 7", 1, "expected a colon at byte 69, after 1 entry"),
        ("[ROOT ROOT]", 1, "expected a comma or the end of an array at byte 59, after 1 entry"),
        ("[ROOT,]", 1, "expected an element at byte 59, after 1 entry"),
        ("[ROOT,{7", 1, "expected a key at byte 60, after 1 entry"),
        (
            "{\"type\":\"CALL\",\"calls\":[{\"to\"",
            2,
            "the response ends at byte 29, after 2 entries",
        ),
    ] {
        let body = body.replace("ROOT", root);
        let tree = parse_trace(Bytes::from(body.clone()));
        let actual = tree.summary().unwrap().error.as_deref();
        assert_eq!((tree.len(), actual), (frames, Some(error)), "{body}");
    }
}

#[test]
fn message_of_an_error_goes_before_its_kind() {
    for body in [r#"{"error":"kind","message":"words"}"#, r#"{"message":"words","error":"kind"}"#] {
        let tree = parse_trace(Bytes::from(body));
        assert_eq!(tree.format(), &TraceFormat::Message("words".into()), "{body}");
    }
}

#[test]
fn interrupted_body_keeps_the_reason() {
    let mut parser = TraceParser::default();
    parser.feed(Bytes::from_static(b"{\"type\":\"CALL\",\"gas\":12"));
    let mut tree = CallTree::default();
    tree.apply_chunk(parser.finish(Some("the line was cut".into())));
    assert_eq!(tree.summary().unwrap().error.as_deref(), Some("the line was cut"));
    assert_eq!(
        tree.get(0).map(|f| (f.kind, f.gas())),
        Some((CallKind::Call, None)),
        "it may go on"
    );
}

fn check_chunks_do_not_matter(body: &[u8], rng: &mut BodyRng) {
    let at_once = parse_trace(Bytes::copy_from_slice(body));
    assert_eq!(all_bytes(&at_once.body), body);
    let in_chunks = parse_in_chunks(body, rng);
    assert_eq!(in_chunks.frames(), at_once.frames());
    let ends = |tree: &CallTree| (0..tree.len()).map(|n| tree.end(n)).collect::<Vec<_>>();
    assert_eq!(ends(&in_chunks), ends(&at_once));
    assert_eq!(format!("{:?}", in_chunks.summary()), format!("{:?}", at_once.summary()));
    for tree in [&at_once, &in_chunks] {
        assert!(tree.frames().iter().all(|frame| !frame.is_unfinished()));
    }
}
