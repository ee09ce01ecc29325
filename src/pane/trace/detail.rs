//! The selected call in full: who, how much, what was asked and what came back.

use super::call_decoding::redecode_server_call;
use super::call_labels::{CallFormatter, byte_count};
use super::gas::gas_share;
use super::row::{outcome_role, own_gas};
use crate::abi::{AbiValue, Argument, DecodedCall, DecodedRevert, ValueFormat, ValueLine};
use crate::api::decoded_input::DecodedInput as ServerDecoded;
use crate::chain::amount::group_digits;
use crate::chain::target::TargetKind;
use crate::chain::{Address, Bytes, U256};
use crate::keymap::key_hints::KeyHints;
use crate::trace::tree::format_path;
use crate::trace::{BodySpan, CallFrame, CallKind, CallOutcome};
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::theme::Role;

/// Calldata up to here is decoded and written out as soon as a call is selected; more of it when the
/// detail is entered.
const MAX_BRIEF_BYTES: u64 = 64 << 10;
/// Lines of decoded arguments.
const MAX_ARGUMENT_LINES: usize = 2_000;

/// How a call is to be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct DetailOptions<'a> {
    /// The form of its arguments.
    pub(super) value_format: ValueFormat,
    /// It is being read, not passed by: however long it is, all of it is wanted.
    pub(super) full: bool,
    /// Which keys do what.
    pub(super) keys: KeyHints<'a>,
}

/// The entries of a call.
pub(super) fn entries(
    names: &CallFormatter<'_>,
    number: u32,
    how: DetailOptions<'_>,
) -> Vec<DocumentEntry> {
    let Some(frame) = names.tree.get(number) else { return Vec::new() };
    let mut out = header_entries(names, number, frame);
    out.extend(party_entries(names, frame));
    out.extend(gas_entries(names, number, frame));
    out.push(value_entry(names, number, frame));
    out.extend(input_entries(names, number, frame, how));
    out.extend(output_entries(names, number, frame, how));
    out
}

fn header_entries(names: &CallFormatter<'_>, number: u32, frame: &CallFrame) -> Vec<DocumentEntry> {
    let tree = names.tree;
    let outcome = tree.outcome(number).unwrap_or(CallOutcome::Succeeded);
    let called = names.call_label(number).line();
    let place = format!(
        "{} · call {} of {} · depth {}",
        format_path(&tree.path(number)),
        group_digits(&(u64::from(number) + 1).to_string()),
        group_digits(&tree.len().to_string()),
        frame.depth
    );
    let mut out = vec![DocumentEntry::text(frame.kind.name(), called.as_str()).role(Role::Accent)];
    let words = format!("{} {}", outcome.symbol(), outcome_text(outcome));
    out.push(DocumentEntry::text("outcome", words.as_str()).role(outcome_role(outcome)));
    if frame.failed() {
        out.push(
            DocumentEntry::text("reason", names.failure_reason(number).as_str())
                .role(outcome_role(outcome)),
        );
        if let Some(word) = tree.text(frame.error) {
            out.push(DocumentEntry::text("node says", word));
        }
    }
    let path = format_path(&tree.path(number));
    out.push(DocumentEntry::text("path", place.as_str()).copy(path.as_str()));
    if frame.is_orphan() {
        let words = "its caller is missing in the trace: it hangs on the nearest call above";
        out.push(DocumentEntry::text("! stray", words).role(Role::Warning));
    }
    out
}

fn outcome_text(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Succeeded => "succeeded, and what it did remains",
        CallOutcome::Failed => "failed, and so did its caller",
        CallOutcome::Caught => "failed, but its caller went on",
        CallOutcome::RolledBack => "succeeded, but was undone: a call above it failed",
    }
}

fn party_entries(names: &CallFormatter<'_>, frame: &CallFrame) -> Vec<DocumentEntry> {
    let (from, to) = match frame.kind {
        CallKind::Create | CallKind::Create2 => ("from", "created"),
        CallKind::SelfDestruct => ("contract", "heir"),
        CallKind::DelegateCall | CallKind::CallCode => ("runs as", "code of"),
        CallKind::Reward => ("from", "author"),
        _ => ("from", "to"),
    };
    let mut out = Vec::new();
    if frame.kind != CallKind::Reward {
        out.push(party_entry(names, from, frame.from));
    }
    out.push(match (frame.kind.creates(), frame.failed()) {
        (true, true) => DocumentEntry::text(to, "— nothing: it failed").copy("").role(Role::Dim),
        _ => party_entry(names, to, frame.to),
    });
    out
}

/// An address with its name, and where the name is from.
fn party_entry(names: &CallFormatter<'_>, label: &str, span: BodySpan) -> DocumentEntry {
    let Some(address) = names.tree.address(span) else {
        return match names.tree.text(span) {
            Some(odd) => {
                DocumentEntry::text(label, format!("? ({odd})").as_str()).role(Role::Warning)
            }
            None => DocumentEntry::text(label, "—").copy("").role(Role::Dim),
        };
    };
    let entry = DocumentEntry::text(label, address.to_string().as_str())
        .link(EntryLink::Target(TargetKind::Address(address)))
        .role(Role::Link);
    match address_note(names, &address) {
        Some(aside) => entry.side_note(&aside),
        None => entry,
    }
}

fn address_note(names: &CallFormatter<'_>, address: &Address) -> Option<String> {
    let label = names.cached_name(address)?;
    let name = names.name_cache.name(address)?;
    let behind = name.implementations.iter().find_map(|(_, name)| name.as_ref());
    let behind = behind.map(|name| format!(" ↪ {name}")).unwrap_or_default();
    let scam = if name.is_scam { " ! scam" } else { "" };
    Some(format!("{label}{behind}{scam} (from {})", name.origin))
}

fn gas_entries(names: &CallFormatter<'_>, number: u32, frame: &CallFrame) -> Vec<DocumentEntry> {
    let all =
        |gas: Option<u64>| gas.map_or_else(|| "?".into(), |gas| group_digits(&gas.to_string()));
    let raw = |gas: Option<u64>| gas.map_or_else(String::new, |gas| gas.to_string());
    let (root, caller) =
        (gas_share(names.tree, number, false), gas_share(names.tree, number, true));
    let shares = match names.tree.parent(number) {
        Some(_) => format!(" · {root} of the root, {caller} of the caller"),
        None => String::new(),
    };
    let used = format!("{} · itself {}{shares}", all(frame.gas_used()), own_gas(frame));
    let mut limit = all(frame.gas());
    if let Some(percent) = percent_of_allowance(names, number, frame) {
        limit.push_str(&percent);
    }
    vec![
        DocumentEntry::text("gas used", used.as_str()).copy(raw(frame.gas_used()).as_str()),
        DocumentEntry::text("gas limit", limit.as_str()).copy(raw(frame.gas()).as_str()),
    ]
}

/// How much of what its caller could give at most (63/64 of its own limit) a call was given.
fn percent_of_allowance(
    names: &CallFormatter<'_>,
    number: u32,
    frame: &CallFrame,
) -> Option<String> {
    let above = names.tree.get(names.tree.parent(number)?)?.gas()?;
    let most = above - above / 64;
    let percent = u128::from(frame.gas()?) * 100 / u128::from(most.max(1));
    Some(format!(" ({percent}% of 63/64 of the caller's)"))
}

fn value_entry(names: &CallFormatter<'_>, number: u32, frame: &CallFrame) -> DocumentEntry {
    let label = if frame.kind == CallKind::SelfDestruct { "balance" } else { "value" };
    if !frame.value.is_some() {
        return DocumentEntry::text(label, "—").copy("").role(Role::Dim);
    }
    let Some(wei) = names.tree.value(number) else {
        let odd = names.tree.text(frame.value).unwrap_or_default();
        return DocumentEntry::text(label, format!("? ({odd})").as_str()).role(Role::Warning);
    };
    let entry =
        DocumentEntry::text(label, names.coin_amount(wei).as_str()).copy(wei.to_string().as_str());
    let why = match (wei.is_zero(), frame.kind.moves_value(), frame.is_committed()) {
        (true, ..) => return entry,
        (_, false, _) if frame.kind != CallKind::Reward => {
            "repeats the value of the call it runs in: nothing moves"
        }
        (_, _, false) => "did not move: the call failed or was undone",
        _ => return entry.role(Role::Value),
    };
    entry.side_note(&format!("({why})"))
}

fn input_entries(
    names: &CallFormatter<'_>,
    number: u32,
    frame: &CallFrame,
    how: DetailOptions<'_>,
) -> Vec<DocumentEntry> {
    let (label, length) = match (frame.kind, names.tree.hex_len(frame.input)) {
        (CallKind::SelfDestruct | CallKind::Reward, _) => return Vec::new(),
        (kind, length) => (if kind.creates() { "init code" } else { "input" }, length),
    };
    let Some(length) = length else {
        return vec![DocumentEntry::text(label, "—").copy("").role(Role::Dim)];
    };
    let mut out = Vec::new();
    if !frame.kind.creates() {
        out.extend(calldata_entries(names, number, frame, length, how));
    }
    out.extend(hex_entries(names, label, frame.input, length, how));
    out
}

/// What the calldata mean.
fn calldata_entries(
    names: &CallFormatter<'_>,
    number: u32,
    frame: &CallFrame,
    length: u64,
    DetailOptions { value_format: mode, full: whole, keys }: DetailOptions<'_>,
) -> Vec<DocumentEntry> {
    let to = names.tree.address(frame.to);
    let mut out = Vec::new();
    if let Some(selector) = names.tree.selector(number) {
        let hex = alloy_primitives::hex::encode_prefixed(selector);
        out.push(DocumentEntry::text("selector", hex.as_str()));
    }
    if length > MAX_BRIEF_BYTES && !whole {
        let words = keys.expand("decoded when you enter the detail ({focus})");
        out.push(DocumentEntry::text("call", &*words).copy("").role(Role::Dim));
        return out;
    }
    let data = names.tree.hex(frame.input, usize::MAX).unwrap_or_default();
    if let Some(server) = names.server_decoding(number, frame) {
        match redecode_server_call(server, &data) {
            Some(decoded) => {
                out.extend(signature_entries(names, &decoded, "decoded by the explorer", mode))
            }
            None => out.extend(server_entries(server)),
        }
    } else if let Some(precompile) = to.and_then(|to| crate::abi::decode_precompile(&to, &data)) {
        out.push(DocumentEntry::text("precompile", precompile.name));
        out.extend(argument_entries(&precompile.arguments, mode));
    } else if let Some(decoded) = names.decode(to, &data) {
        out.extend(decoded_entries(names, &decoded, mode));
    } else if data.len() >= 4 {
        let words = keys.expand("nobody here knows this selector: {signature} types its signature");
        out.push(DocumentEntry::text("signature", &*words).copy("").role(Role::Dim));
    }
    out
}

fn decoded_entries(
    names: &CallFormatter<'_>,
    decoded: &DecodedCall,
    mode: ValueFormat,
) -> Vec<DocumentEntry> {
    let guess = if decoded.is_guess() { "? " } else { "" };
    let source = format!("{guess}{}", decoded.source.describe());
    signature_entries(names, decoded, &source, mode)
}

fn signature_entries(
    names: &CallFormatter<'_>,
    decoded: &DecodedCall,
    source: &str,
    mode: ValueFormat,
) -> Vec<DocumentEntry> {
    let source = format!("({source})");
    let mut out =
        vec![DocumentEntry::text("signature", decoded.signature.clone()).side_note(&source)];
    if !decoded.alternatives.is_empty() {
        let others: Vec<&str> = decoded.alternatives.iter().map(|other| &**other).collect();
        out.push(DocumentEntry::text("or", others.join(" or ").as_str()).role(Role::Warning));
    }
    out.extend(labelled_argument_entries(names, &decoded.arguments, mode));
    if decoded.trailing_bytes > 0 {
        let words = format!("{} after the arguments", byte_count(decoded.trailing_bytes as u64));
        out.push(DocumentEntry::text("more", words.as_str()).copy("").role(Role::Dim));
    }
    out
}

fn argument_entries(arguments: &[Argument], mode: ValueFormat) -> Vec<DocumentEntry> {
    let lines = arguments
        .iter()
        .flat_map(|argument| argument.lines(MAX_ARGUMENT_LINES))
        .take(MAX_ARGUMENT_LINES);
    lines.map(|line| argument_entry(&line, mode)).collect()
}

/// Arguments with the names of the addresses among them.
fn labelled_argument_entries(
    names: &CallFormatter<'_>,
    arguments: &[Argument],
    mode: ValueFormat,
) -> Vec<DocumentEntry> {
    let lines = arguments
        .iter()
        .flat_map(|argument| argument.lines(MAX_ARGUMENT_LINES))
        .take(MAX_ARGUMENT_LINES);
    let mut out: Vec<DocumentEntry> = lines
        .map(|line| {
            let entry = argument_entry(&line, mode);
            match line.value {
                AbiValue::Address(address) if mode == ValueFormat::Natural => {
                    let entry = entry.link(EntryLink::Target(TargetKind::Address(*address)));
                    match names.cached_name(address) {
                        Some(label) => entry.side_note(label),
                        None => entry,
                    }
                }
                _ => entry,
            }
        })
        .collect();
    if out.len() == MAX_ARGUMENT_LINES {
        let words = format!(
            "only the first {} lines are shown",
            group_digits(&MAX_ARGUMENT_LINES.to_string())
        );
        out.push(DocumentEntry::text("…", words.as_str()).copy("").role(Role::Dim));
    }
    out
}

fn argument_entry(line: &ValueLine<'_>, mode: ValueFormat) -> DocumentEntry {
    let label = match (line.label.is_empty(), line.type_name.is_empty()) {
        (true, _) => line.type_name.to_string(),
        (_, true) => line.label.to_string(),
        _ => format!("{} {}", line.type_name, line.label),
    };
    let level = u8::try_from(line.depth + 1).unwrap_or(u8::MAX);
    let whole = line.value.format_full(mode);
    let shown = match line.value {
        // A call in the calldata: what it means, as long as nobody asks for its bytes.
        AbiValue::Call(..) if mode == ValueFormat::Natural => line.value.summary(),
        value => value.format(mode),
    };
    let entry = DocumentEntry::text(&label, shown.clone()).at_level(level);
    // Long values are cut on the screen only.
    if whole == shown { entry } else { entry.copy(whole) }
}

fn server_entries(decoded: &ServerDecoded) -> Vec<DocumentEntry> {
    let signature = decoded.method_call.value().cloned().unwrap_or_else(|| "?".into());
    let mut out =
        vec![DocumentEntry::text("signature", signature).side_note("(decoded by the explorer)")];
    for parameter in decoded.parameters.value().into_iter().flatten() {
        let text = |field: &crate::api::Field<crate::sanitize::SafeText>| {
            field.display_with(|t| (&**t).into()).into_owned()
        };
        let label = format!("{} {}", text(&parameter.kind), text(&parameter.name));
        out.push(
            DocumentEntry::field(label.trim(), &parameter.value, |value| {
                DocumentEntry::text(label.trim(), value.0.clone())
            })
            .at_level(1),
        );
    }
    out
}

/// Bytes as such: written out when they are few or being read.
fn hex_entries(
    names: &CallFormatter<'_>,
    label: &str,
    span: BodySpan,
    length: u64,
    how: DetailOptions<'_>,
) -> Vec<DocumentEntry> {
    let size = byte_count(length);
    if length == 0 {
        return vec![DocumentEntry::text(label, "0x (empty)").copy("0x").role(Role::Dim)];
    }
    if length > MAX_BRIEF_BYTES && !how.full {
        let words = format!("{size}: {}", how.keys.expand("{focus} reads them"));
        return vec![DocumentEntry::text(label, words.as_str()).copy("").role(Role::Dim)];
    }
    if let Some(data) = names.tree.hex(span, usize::MAX) {
        let data = Bytes::from(data);
        let whole = crate::sanitize::SafeText::new(&data.to_string());
        vec![
            DocumentEntry::text(label, size.as_str()).fold(false).copy(whole),
            DocumentEntry::new("", EntryValue::Hex(data)).at_level(1),
        ]
    } else {
        let odd = names.tree.text(span).unwrap_or_default();
        vec![DocumentEntry::text(label, format!("? ({odd})").as_str()).role(Role::Warning)]
    }
}

fn output_entries(
    names: &CallFormatter<'_>,
    number: u32,
    frame: &CallFrame,
    how: DetailOptions<'_>,
) -> Vec<DocumentEntry> {
    let label = match (frame.kind.creates(), frame.failed()) {
        (_, true) => "revert data",
        (true, false) => "code",
        (false, false) => "returned",
    };
    let mut out = Vec::new();
    if let Some(transfer) = names.transfers.get(number) {
        let line = names.transfer_text(transfer);
        out.push(
            DocumentEntry::text("transfer", line.as_str())
                .side_note("(the explorer's list of token transfers)"),
        );
    }
    let Some(length) = names.tree.hex_len(frame.output) else {
        if !matches!(frame.kind, CallKind::SelfDestruct | CallKind::Reward) {
            out.push(DocumentEntry::text(label, "—").copy("").role(Role::Dim));
        }
        return out;
    };
    if length <= MAX_BRIEF_BYTES || how.full {
        out.extend(output_meaning(names, frame, how.value_format));
    }
    out.extend(hex_entries(names, label, frame.output, length, how));
    out
}

/// What the returned bytes mean: values, or the reason of a failure.
fn output_meaning(
    names: &CallFormatter<'_>,
    frame: &CallFrame,
    mode: ValueFormat,
) -> Vec<DocumentEntry> {
    let output = names.tree.hex(frame.output, usize::MAX).unwrap_or_default();
    if frame.failed() {
        return match names.signatures.revert_reason(&output) {
            DecodedRevert::Custom(decoded) => decoded_entries(names, &decoded, mode),
            DecodedRevert::Panic { code, meaning } => vec![panic_entry(code, meaning)],
            _ => Vec::new(),
        };
    }
    if frame.kind.creates() {
        return Vec::new();
    }
    let input = names.tree.hex(frame.input, usize::MAX).unwrap_or_default();
    let decoded = names.decode(names.tree.address(frame.to), &input);
    let returned = decoded.and_then(|decoded| names.signatures.decode_output(&decoded, &output));
    returned.map_or_else(Vec::new, |to_values| labelled_argument_entries(names, &to_values, mode))
}

fn panic_entry(code: U256, meaning: Option<&'static str>) -> DocumentEntry {
    let words =
        format!("Panic({code:#04x}): {}", meaning.unwrap_or("a code that nobody here knows"));
    DocumentEntry::text("panic", words.as_str()).role(Role::Failed)
}

/// The address that Enter leads to.
pub(super) fn enter_target(names: &CallFormatter<'_>, number: u32) -> Option<TargetKind> {
    names.tree.target_address(number).map(TargetKind::Address)
}
