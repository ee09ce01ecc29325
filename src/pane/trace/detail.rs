//! The selected call in full: who, how much, what was asked and what came back.

use super::call_labels::{Names, bytes, read_server};
use super::copy::{dotted, target};
use super::gas::share;
use super::row::{kind_name, outcome_mark, outcome_role, own_gas};
use crate::abi::{Argument, Decoded, Line, Mode, Reason, Value};
use crate::api::decoded_input::Decoded as ServerDecoded;
use crate::chain::amount::grouped;
use crate::chain::target::Subject;
use crate::chain::{Address, Bytes, U256};
use crate::keymap::key_hints::Keys;
use crate::trace::{Frame, Kind, Outcome, Span};
use crate::ui::document::{Body, Entry, Leads};
use crate::ui::theme::Role;

/// Calldata up to here is decoded and written out as soon as a call is selected; more of it when the
/// detail is entered.
const BRIEF: u64 = 64 << 10;
/// Lines of decoded arguments.
const LINES: usize = 2_000;

/// How a call is to be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct How<'a> {
    /// The form of its arguments.
    pub(super) mode: Mode,
    /// It is being read, not passed by: however long it is, all of it is wanted.
    pub(super) whole: bool,
    /// Which keys do what.
    pub(super) keys: Keys<'a>,
}

/// The entries of a call.
pub(super) fn entries(names: &Names<'_>, number: u32, how: How<'_>) -> Vec<Entry> {
    let Some(frame) = names.tree.get(number) else { return Vec::new() };
    let mut out = head(names, number, frame);
    out.extend(parties(names, frame));
    out.extend(gas(names, number, frame));
    out.push(value(names, number, frame));
    out.extend(input(names, number, frame, how));
    out.extend(output(names, number, frame, how));
    out
}

fn head(names: &Names<'_>, number: u32, frame: &Frame) -> Vec<Entry> {
    let tree = names.tree;
    let outcome = tree.outcome(number).unwrap_or(Outcome::Kept);
    let called = names.called(number).line();
    let place = format!(
        "{} · call {} of {} · depth {}",
        dotted(&tree.path(number)),
        grouped(&(u64::from(number) + 1).to_string()),
        grouped(&tree.len().to_string()),
        frame.depth
    );
    let mut out = vec![Entry::text(kind_name(frame.kind), called.as_str()).role(Role::Accent)];
    let words = format!("{} {}", outcome_mark(outcome), outcome_words(outcome));
    out.push(Entry::text("outcome", words.as_str()).role(outcome_role(outcome)));
    if frame.failed() {
        out.push(Entry::text("reason", names.reason(number).as_str()).role(outcome_role(outcome)));
        if let Some(word) = tree.text(frame.error) {
            out.push(Entry::text("node says", word));
        }
    }
    let path = dotted(&tree.path(number));
    out.push(Entry::text("path", place.as_str()).copy(path.as_str()));
    if frame.is_stray() {
        let words = "its caller is missing in the trace: it hangs on the nearest call above";
        out.push(Entry::text("! stray", words).role(Role::Warning));
    }
    out
}

fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Kept => "succeeded, and what it did remains",
        Outcome::Failed => "failed, and so did its caller",
        Outcome::Caught => "failed, but its caller went on",
        Outcome::Undone => "succeeded, but was undone: a call above it failed",
    }
}

fn parties(names: &Names<'_>, frame: &Frame) -> Vec<Entry> {
    let (from, to) = match frame.kind {
        Kind::Create | Kind::Create2 => ("from", "created"),
        Kind::SelfDestruct => ("contract", "heir"),
        Kind::DelegateCall | Kind::CallCode => ("runs as", "code of"),
        Kind::Reward => ("from", "author"),
        _ => ("from", "to"),
    };
    let mut out = Vec::new();
    if frame.kind != Kind::Reward {
        out.push(party(names, from, frame.from));
    }
    out.push(match (frame.kind.creates(), frame.failed()) {
        (true, true) => Entry::text(to, "— nothing: it failed").copy("").role(Role::Dim),
        _ => party(names, to, frame.to),
    });
    out
}

/// An address with its name, and where the name is from.
fn party(names: &Names<'_>, label: &str, span: Span) -> Entry {
    let Some(address) = names.tree.address(span) else {
        return match names.tree.text(span) {
            Some(odd) => Entry::text(label, format!("? ({odd})").as_str()).role(Role::Warning),
            None => Entry::text(label, "—").copy("").role(Role::Dim),
        };
    };
    let entry = Entry::text(label, address.to_string().as_str())
        .leads(Leads::To(Subject::Address(address)))
        .role(Role::Link);
    match about(names, &address) {
        Some(aside) => entry.aside(&aside),
        None => entry,
    }
}

fn about(names: &Names<'_>, address: &Address) -> Option<String> {
    let label = names.given(address)?;
    let name = names.seen.name(address)?;
    let behind = name.implementations.iter().find_map(|(_, name)| name.as_ref());
    let behind = behind.map(|name| format!(" ↪ {name}")).unwrap_or_default();
    let scam = if name.is_scam { " ! scam" } else { "" };
    Some(format!("{label}{behind}{scam} (from {})", name.origin))
}

fn gas(names: &Names<'_>, number: u32, frame: &Frame) -> Vec<Entry> {
    let all = |gas: Option<u64>| gas.map_or_else(|| "?".into(), |gas| grouped(&gas.to_string()));
    let raw = |gas: Option<u64>| gas.map_or_else(String::new, |gas| gas.to_string());
    let (root, caller) = (share(names.tree, number, false), share(names.tree, number, true));
    let shares = match names.tree.parent(number) {
        Some(_) => format!(" · {root} of the root, {caller} of the caller"),
        None => String::new(),
    };
    let used = format!("{} · itself {}{shares}", all(frame.used()), own_gas(frame));
    let mut limit = all(frame.gas());
    if let Some(percent) = given(names, number, frame) {
        limit.push_str(&percent);
    }
    vec![
        Entry::text("gas used", used.as_str()).copy(raw(frame.used()).as_str()),
        Entry::text("gas limit", limit.as_str()).copy(raw(frame.gas()).as_str()),
    ]
}

/// How much of what its caller could give at most (63/64 of its own limit) a call was given.
fn given(names: &Names<'_>, number: u32, frame: &Frame) -> Option<String> {
    let above = names.tree.get(names.tree.parent(number)?)?.gas()?;
    let most = above - above / 64;
    let percent = u128::from(frame.gas()?) * 100 / u128::from(most.max(1));
    Some(format!(" ({percent}% of 63/64 of the caller's)"))
}

fn value(names: &Names<'_>, number: u32, frame: &Frame) -> Entry {
    let label = if frame.kind == Kind::SelfDestruct { "balance" } else { "value" };
    if !frame.value.is_some() {
        return Entry::text(label, "—").copy("").role(Role::Dim);
    }
    let Some(wei) = names.tree.value(number) else {
        let odd = names.tree.text(frame.value).unwrap_or_default();
        return Entry::text(label, format!("? ({odd})").as_str()).role(Role::Warning);
    };
    let entry = Entry::text(label, names.coin(wei).as_str()).copy(wei.to_string().as_str());
    let why = match (wei.is_zero(), frame.kind.moves_value(), frame.is_kept()) {
        (true, ..) => return entry,
        (_, false, _) if frame.kind != Kind::Reward => {
            "repeats the value of the call it runs in: nothing moves"
        }
        (_, _, false) => "did not move: the call failed or was undone",
        _ => return entry.role(Role::Value),
    };
    entry.aside(&format!("({why})"))
}

fn input(names: &Names<'_>, number: u32, frame: &Frame, how: How<'_>) -> Vec<Entry> {
    let (label, length) = match (frame.kind, names.tree.hex_len(frame.input)) {
        (Kind::SelfDestruct | Kind::Reward, _) => return Vec::new(),
        (kind, length) => (if kind.creates() { "init code" } else { "input" }, length),
    };
    let Some(length) = length else {
        return vec![Entry::text(label, "—").copy("").role(Role::Dim)];
    };
    let mut out = Vec::new();
    if !frame.kind.creates() {
        out.extend(call(names, number, frame, length, how));
    }
    out.extend(raw(names, label, frame.input, length, how));
    out
}

/// What the calldata mean.
fn call(
    names: &Names<'_>,
    number: u32,
    frame: &Frame,
    length: u64,
    How { mode, whole, keys }: How<'_>,
) -> Vec<Entry> {
    let to = names.tree.address(frame.to);
    let mut out = Vec::new();
    if let Some(selector) = names.tree.selector(number) {
        let hex = alloy_primitives::hex::encode_prefixed(selector);
        out.push(Entry::text("selector", hex.as_str()));
    }
    if length > BRIEF && !whole {
        let words = keys.sentence("decoded when you enter the detail ({focus})");
        out.push(Entry::text("call", &*words).copy("").role(Role::Dim));
        return out;
    }
    let data = names.tree.hex(frame.input, usize::MAX).unwrap_or_default();
    if let Some(server) = names.by_server(number, frame) {
        match read_server(server, &data) {
            Some(decoded) => out.extend(meant(names, &decoded, "decoded by the explorer", mode)),
            None => out.extend(by_server(server)),
        }
    } else if let Some(precompile) = to.and_then(|to| crate::abi::precompile(&to, &data)) {
        out.push(Entry::text("precompile", precompile.name));
        out.extend(arguments(&precompile.arguments, mode));
    } else if let Some(decoded) = names.decoded(to, &data) {
        out.extend(understood(names, &decoded, mode));
    } else if data.len() >= 4 {
        let words =
            keys.sentence("nobody here knows this selector: {signature} types its signature");
        out.push(Entry::text("signature", &*words).copy("").role(Role::Dim));
    }
    out
}

fn understood(names: &Names<'_>, decoded: &Decoded, mode: Mode) -> Vec<Entry> {
    let guess = if decoded.is_guess() { "? " } else { "" };
    let source = format!("{guess}{}", decoded.source.words());
    meant(names, decoded, &source, mode)
}

fn meant(names: &Names<'_>, decoded: &Decoded, source: &str, mode: Mode) -> Vec<Entry> {
    let source = format!("({source})");
    let mut out = vec![Entry::text("signature", decoded.signature.clone()).aside(&source)];
    if !decoded.others.is_empty() {
        let others: Vec<&str> = decoded.others.iter().map(|other| &**other).collect();
        out.push(Entry::text("or", others.join(" or ").as_str()).role(Role::Warning));
    }
    out.extend(named_arguments(names, &decoded.arguments, mode));
    if decoded.trailing > 0 {
        let words = format!("{} after the arguments", bytes(decoded.trailing as u64));
        out.push(Entry::text("more", words.as_str()).copy("").role(Role::Dim));
    }
    out
}

fn arguments(arguments: &[Argument], mode: Mode) -> Vec<Entry> {
    let lines = arguments.iter().flat_map(|argument| argument.lines(LINES)).take(LINES);
    lines.map(|line| entry(&line, mode)).collect()
}

/// Arguments with the names of the addresses among them.
fn named_arguments(names: &Names<'_>, arguments: &[Argument], mode: Mode) -> Vec<Entry> {
    let lines = arguments.iter().flat_map(|argument| argument.lines(LINES)).take(LINES);
    let mut out: Vec<Entry> = lines
        .map(|line| {
            let entry = entry(&line, mode);
            match line.value {
                Value::Address(address) if mode == Mode::Natural => {
                    let entry = entry.leads(Leads::To(Subject::Address(*address)));
                    match names.given(address) {
                        Some(label) => entry.aside(label),
                        None => entry,
                    }
                }
                _ => entry,
            }
        })
        .collect();
    if out.len() == LINES {
        let words = format!("only the first {} lines are shown", grouped(&LINES.to_string()));
        out.push(Entry::text("…", words.as_str()).copy("").role(Role::Dim));
    }
    out
}

fn entry(line: &Line<'_>, mode: Mode) -> Entry {
    let label = match (line.label.is_empty(), line.kind.is_empty()) {
        (true, _) => line.kind.to_string(),
        (_, true) => line.label.to_string(),
        _ => format!("{} {}", line.kind, line.label),
    };
    let level = u8::try_from(line.level + 1).unwrap_or(u8::MAX);
    let whole = line.value.whole(mode);
    let shown = match line.value {
        // A call in the calldata: what it means, as long as nobody asks for its bytes.
        Value::Call(..) if mode == Mode::Natural => line.value.line(),
        value => value.shown(mode),
    };
    let entry = Entry::text(&label, shown.clone()).under(level);
    // Long values are cut on the screen only.
    if whole == shown { entry } else { entry.copy(whole) }
}

fn by_server(decoded: &ServerDecoded) -> Vec<Entry> {
    let signature = decoded.method_call.known().cloned().unwrap_or_else(|| "?".into());
    let mut out = vec![Entry::text("signature", signature).aside("(decoded by the explorer)")];
    for parameter in decoded.parameters.known().into_iter().flatten() {
        let text = |field: &crate::api::Field<crate::sanitize::Text>| {
            field.show(|t| (&**t).into()).into_owned()
        };
        let label = format!("{} {}", text(&parameter.kind), text(&parameter.name));
        out.push(
            Entry::field(label.trim(), &parameter.value, |value| {
                Entry::text(label.trim(), value.0.clone())
            })
            .under(1),
        );
    }
    out
}

/// Bytes as such: written out when they are few or being read.
fn raw(names: &Names<'_>, label: &str, span: Span, length: u64, how: How<'_>) -> Vec<Entry> {
    let size = bytes(length);
    if length == 0 {
        return vec![Entry::text(label, "0x (empty)").copy("0x").role(Role::Dim)];
    }
    if length > BRIEF && !how.whole {
        let words = format!("{size}: {}", how.keys.sentence("{focus} reads them"));
        return vec![Entry::text(label, words.as_str()).copy("").role(Role::Dim)];
    }
    if let Some(data) = names.tree.hex(span, usize::MAX) {
        let data = Bytes::from(data);
        let whole = crate::sanitize::Text::new(&data.to_string());
        vec![
            Entry::text(label, size.as_str()).fold(false).copy(whole),
            Entry::new("", Body::Hex(data)).under(1),
        ]
    } else {
        let odd = names.tree.text(span).unwrap_or_default();
        vec![Entry::text(label, format!("? ({odd})").as_str()).role(Role::Warning)]
    }
}

fn output(names: &Names<'_>, number: u32, frame: &Frame, how: How<'_>) -> Vec<Entry> {
    let label = match (frame.kind.creates(), frame.failed()) {
        (_, true) => "revert data",
        (true, false) => "code",
        (false, false) => "returned",
    };
    let mut out = Vec::new();
    if let Some(transfer) = names.overlay.of(number) {
        let line = names.transferred(transfer);
        out.push(
            Entry::text("transfer", line.as_str())
                .aside("(the explorer's list of token transfers)"),
        );
    }
    let Some(length) = names.tree.hex_len(frame.output) else {
        if !matches!(frame.kind, Kind::SelfDestruct | Kind::Reward) {
            out.push(Entry::text(label, "—").copy("").role(Role::Dim));
        }
        return out;
    };
    if length <= BRIEF || how.whole {
        out.extend(meaning(names, frame, how.mode));
    }
    out.extend(raw(names, label, frame.output, length, how));
    out
}

/// What the returned bytes mean: values, or the reason of a failure.
fn meaning(names: &Names<'_>, frame: &Frame, mode: Mode) -> Vec<Entry> {
    let output = names.tree.hex(frame.output, usize::MAX).unwrap_or_default();
    if frame.failed() {
        return match names.book.reason(&output) {
            Reason::Custom(decoded) => understood(names, &decoded, mode),
            Reason::Panic { code, meaning } => vec![panic(code, meaning)],
            _ => Vec::new(),
        };
    }
    if frame.kind.creates() {
        return Vec::new();
    }
    let input = names.tree.hex(frame.input, usize::MAX).unwrap_or_default();
    let decoded = names.decoded(names.tree.address(frame.to), &input);
    let returned = decoded.and_then(|decoded| names.book.returned(&decoded, &output));
    returned.map_or_else(Vec::new, |values| named_arguments(names, &values, mode))
}

fn panic(code: U256, meaning: Option<&'static str>) -> Entry {
    let words =
        format!("Panic({code:#04x}): {}", meaning.unwrap_or("a code that nobody here knows"));
    Entry::text("panic", words.as_str()).role(Role::Failed)
}

/// The address that Enter leads to.
pub(super) fn leads(names: &Names<'_>, number: u32) -> Option<Subject> {
    target(names, number).map(Subject::Address)
}
