//! The detail of the selected call: outcome, parties, gas, value, decoded input and output.
//!
//! [`entries`] makes them a document, with the input and the output from `data`. The [`panel`] keeps it for the
//! selected call, with a focus of its own: without it, long data is not decoded.

mod data;
pub mod panel;

use serde_json::value::RawValue;

use super::failure_lines::LineAnswer;
use crate::abi::ValueFormat;
use crate::api::address::proxy_name;
use crate::calls::diagnostics::impossible_gas;
use crate::calls::formatter::{CallFormatter, DELEGATED, byte_count};
use crate::calls::gas::{gas_share, own_gas};
use crate::calls::results::outcome_role;
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::percent::Percent;
use crate::chain::target::TargetKind;
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::messages::call::{self, CallNote};
use crate::messages::column;
use crate::messages::page::PageMessage;
use crate::pane::PaneContext;
use crate::pane::detail::unfolded_json;
use crate::trace::frame_json::raw_json;
use crate::trace::revert_origin::is_passed_up;
use crate::trace::tree::format_path;
use crate::trace::{BodySpan, CallFrame, CallKind, CallOutcome, CallTree};
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::document::{CopyText, DocumentEntry, EntryLink, EntryValue, value_column};
use crate::ui::format::width;
use crate::ui::theme::Role;

/// Label of the token that a call moved.
const TOKEN_LABEL: &str = "token";
const GAS_USED_LABEL: &str = "gas used";
/// Maximum digits of the data of a call whose JSON is shown.
const MAX_JSON_BYTES: u64 = 16 << 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct DetailOptions<'a> {
    pub(super) value_format: ValueFormat,
    /// `true` to decode long data, which is too slow for each call that the selection passes.
    pub(super) full: bool,
    /// Columns of the panel.
    pub(super) columns: u16,
    pub(super) keys: KeyPlaceholders<'a>,
    pub(super) failure_line: Option<&'a LineAnswer>,
    /// `true` next to another call: addresses are in full, and names without their origins.
    pub(super) is_compared: bool,
}

struct CallDetail<'a> {
    formatter: &'a CallFormatter<'a>,
    number: u32,
    frame: &'a CallFrame,
    options: DetailOptions<'a>,
}

/// Returns the detail of a call outside of its trace.
pub fn entries_alone(
    formatter: &CallFormatter<'_>,
    number: u32,
    columns: u16,
    keys: KeyPlaceholders<'_>,
) -> Vec<DocumentEntry> {
    entries(formatter, number, options_alone(columns, keys))
}

/// Returns the detail of a call next to another, with addresses in full until [`shorten_addresses`].
pub fn compared_entries(
    formatter: &CallFormatter<'_>,
    number: u32,
    columns: u16,
    keys: KeyPlaceholders<'_>,
) -> Vec<DocumentEntry> {
    let options = DetailOptions { is_compared: true, ..options_alone(columns, keys) };
    entries(formatter, number, options)
}

fn options_alone(columns: u16, keys: KeyPlaceholders<'_>) -> DetailOptions<'_> {
    DetailOptions {
        value_format: ValueFormat::Natural,
        full: true,
        columns,
        keys,
        failure_line: None,
        is_compared: false,
    }
}

pub(super) fn entries(
    formatter: &CallFormatter<'_>,
    number: u32,
    options: DetailOptions<'_>,
) -> Vec<DocumentEntry> {
    let Some(frame) = formatter.tree.get(number) else { return Vec::new() };
    let detail = CallDetail { formatter, number, frame, options };
    // What was called and what came of it first, the bytes last.
    let mut entries = detail.header();
    entries.extend(detail.arguments_and_results());
    entries.extend(detail.parties());
    if options.is_compared && detail.ran_no_code() {
        // All gas of a plain send is the transaction's own.
        entries.push(DocumentEntry::text(GAS_USED_LABEL, "0"));
    } else {
        entries.extend(detail.gas());
    }
    entries.push(detail.value());
    entries.push(detail.path());
    entries.extend(detail.data());
    if options.full && !options.is_compared {
        entries.extend(detail.calls_around());
    }
    if !options.is_compared {
        shorten_long_addresses(&mut entries, options.columns);
    }
    entries
}

/// Returns the JSON of a call as a tree in some lines below its detail, if they have space for it. Inner calls are left
/// out.
pub(super) fn call_json(
    tree: &CallTree,
    call: u32,
    lines: usize,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let is_short = |frame: &&CallFrame| frame.input.len() + frame.output.len() <= MAX_JSON_BYTES;
    let json = tree.get(call).filter(is_short).map(|_| raw_json(tree, call));
    let json = json.and_then(|json| RawValue::from_string(json).ok());
    json.and_then(|json| unfolded_json(&json, lines.saturating_sub(1), cx)).unwrap_or_default()
}

/// Shortens the addresses among the arguments, or among the other entries, if one of them does not fit on a
/// line with its name. A token's line is shortened by itself. They are copied in full.
fn shorten_long_addresses(entries: &mut [DocumentEntry], columns: u16) {
    for is_inner in [false, true] {
        let is_named = |entry: &DocumentEntry| entry.side_note > 0;
        let value = value_column(entries, columns);
        let concerns = |entry: &DocumentEntry| (entry.level > 0) == is_inner;
        if entries.iter().any(|e| concerns(e) && is_named(e) && is_long(e, value, columns)) {
            entries.iter_mut().filter(|entry| concerns(entry)).for_each(shorten_address);
        }
    }
    let value = value_column(entries, columns);
    let is_token = |entry: &DocumentEntry| entry.level == 0 && &*entry.label == TOKEN_LABEL;
    let tokens = entries.iter_mut().filter(|entry| is_token(entry));
    tokens.filter(|entry| is_long(entry, value, columns)).for_each(shorten_address);
}

/// Shortens the addresses of a detail that do not fit on a line with their names.
pub fn shorten_addresses(entries: &mut [DocumentEntry], columns: u16) {
    let long = entries.iter_mut().filter(|entry| is_long(entry, 0, columns));
    long.for_each(shorten_address);
}

/// Returns `true` for an address that does not fit on a line after the column of the values.
fn is_long(entry: &DocumentEntry, value: u16, columns: u16) -> bool {
    match &entry.value {
        EntryValue::Text(text) if entry.address().is_some() => {
            usize::from(value + MARK_WIDTH) + width(text) > columns.into()
        }
        _ => false,
    }
}

fn shorten_address(entry: &mut DocumentEntry) {
    let Some(address) = entry.address() else { return };
    let EntryValue::Text(text) = &entry.value else { return };
    let full = address.to_string();
    if let Some(rest) = text.strip_prefix(&full) {
        let shown = [&*abbreviate(&address), rest].concat();
        entry.copy.get_or_insert_with(|| CopyText::Text(full.into()));
        entry.value = EntryValue::Text(shown.into());
    }
}

const CALLS_LABEL: &str = "calls";
/// Maximum calls of a call that its detail lists.
const MAX_LISTED_CALLS: usize = 20;
/// Error of a node for a call whose reason is in its revert data.
const REVERTED: &str = "reverted";

impl<'a> CallDetail<'a> {
    /// Returns the formatter of the rows, which shortens amounts.
    fn in_words(&self) -> CallFormatter<'a> {
        CallFormatter { short_amounts: true, ..*self.formatter }
    }

    fn header(&self) -> Vec<DocumentEntry> {
        let tree = self.formatter.tree;
        let outcome = tree.outcome(self.number).unwrap_or(CallOutcome::Succeeded);
        // The kind says that it is delegated.
        let label = self.in_words().call_label(self.number).without_arrow();
        let description = match (outcome, tree.parent(self.number)) {
            (CallOutcome::Failed, None) => "failed",
            (CallOutcome::Failed, _) if !is_passed_up(tree, self.number) => {
                call::THEN_CALLER_FAILED
            }
            _ => describe_outcome(outcome),
        };
        let outcome_text = format!("{} {description}", outcome.symbol());
        let mut entries = vec![
            DocumentEntry::text(self.frame.kind.words(), label).role(Role::Accent),
            DocumentEntry::text("outcome", outcome_text).role(outcome_role(outcome)),
        ];
        if self.frame.failed() {
            let reason = self.in_words().failure_reason(self.number);
            let exact = self.formatter.exact_failure_reason(self.number);
            // That it reverted is said by the outcome.
            let node_error = tree
                .text(self.frame.error)
                .filter(|error| **error != *exact && !error.eq_ignore_ascii_case(REVERTED));
            let reason = DocumentEntry::text("reason", reason).copy(exact);
            entries.push(reason.role(outcome_role(outcome)));
            entries.extend(node_error.map(|error| DocumentEntry::text("node error", error)));
            entries.extend(self.options.failure_line.into_iter().flat_map(LineAnswer::entries));
        }
        if self.frame.is_orphan() {
            let note = call::ATTACHED;
            entries.push(DocumentEntry::text("! orphan", note).role(Role::Warning));
        }
        entries
    }

    /// Returns the calls around it, and those that it made.
    fn calls_around(&self) -> Vec<DocumentEntry> {
        let tree = self.formatter.tree;
        let labels = std::iter::once(column::CALLED_BY).chain(std::iter::repeat(""));
        let callers = labels.zip(tree.ancestors(self.number));
        let mut entries: Vec<DocumentEntry> =
            callers.map(|(label, call)| self.other_call(label, call)).collect();
        let made = tree.children(self.number).count();
        if made > 0 {
            entries.push(DocumentEntry::text(CALLS_LABEL, Grouped(made).to_string()).fold(true));
        }
        let listed = tree.children(self.number).take(MAX_LISTED_CALLS);
        entries.extend(listed.map(|call| self.other_call("", call).at_level(1)));
        let hidden = made.saturating_sub(MAX_LISTED_CALLS);
        let more = PageMessage::MoreCalls { calls: Grouped(hidden) }.to_string();
        entries.extend((hidden > 0).then(|| DocumentEntry::note("", more).at_level(1)));
        entries
    }

    /// Returns a line for another call of the trace.
    fn other_call(&self, label: &str, call: u32) -> DocumentEntry {
        let number = Grouped(u64::from(call) + 1);
        let called = self.in_words().call_label(call).without_arrow();
        let text = CallNote::Numbered { number, call: &called }.to_string();
        let entry = DocumentEntry::text(label, text);
        match self.formatter.transaction {
            Some(own) => entry.link(EntryLink::Call(own.hash, self.formatter.tree.path(call))),
            None => entry,
        }
    }

    fn path(&self) -> DocumentEntry {
        let tree = self.formatter.tree;
        let path = format_path(&tree.path(self.number));
        let is_root = tree.parent(self.number).is_none();
        // Without brackets it reads as a distance.
        let shown = if is_root { path.clone() } else { format!("[{path}]") };
        let position = format!(
            "{shown} · call {} of {} · depth {}",
            Grouped(u64::from(self.number) + 1),
            Grouped(tree.len()),
            self.frame.depth
        );
        DocumentEntry::text("path", position).copy(path)
    }

    fn parties(&self) -> Vec<DocumentEntry> {
        let frame = self.frame;
        let (from, to) = match frame.kind {
            CallKind::Create | CallKind::Create2 => ("from", "created"),
            CallKind::SelfDestruct => ("contract", "beneficiary"),
            CallKind::DelegateCall | CallKind::CallCode => ("runs as", "code of"),
            CallKind::Reward => ("from", "author"),
            _ => ("from", "to"),
        };
        let mut entries = Vec::new();
        if frame.kind != CallKind::Reward {
            entries.push(self.party(from, frame.from));
        }
        entries.push(match (frame.kind.creates(), frame.failed()) {
            (true, true) => DocumentEntry::note(to, "— (failed)"),
            _ => self.party(to, frame.to),
        });
        entries
    }

    fn party(&self, label: &str, span: BodySpan) -> DocumentEntry {
        let tree = self.formatter.tree;
        match tree.address(span) {
            Some(address) => {
                let entry = DocumentEntry::text(label, address.to_string())
                    .link(EntryLink::Target(TargetKind::Address(address)))
                    .role(Role::Link);
                match self.address_note(&address) {
                    Some(note) => entry.side_note(&note),
                    None => entry,
                }
            }
            None if tree.text(span).is_some() => self.unreadable(label, span),
            None => DocumentEntry::note(label, "—"),
        }
    }

    fn address_note(&self, address: &Address) -> Option<String> {
        let formatter = self.formatter;
        let is_called = formatter.tree.address(self.frame.to) == Some(*address);
        let former = formatter.former_proxy_name(self.number).filter(|_| is_called);
        let name = formatter.name_cache.name(address)?;
        let (label, implementation) = if let Some(own) = former {
            (own.into(), None)
        } else {
            let label = formatter.name_cache.name_without_label(address)?;
            let behind = name.implementations.iter().find_map(|(_, name)| name.as_deref());
            let unnamed = behind.filter(|behind| proxy_name(&label, behind).is_none());
            (label, unnamed)
        };
        let proxied = implementation.map(|name| format!(" {DELEGATED}{name}")).unwrap_or_default();
        let scam = if name.is_scam { " ! scam" } else { "" };
        let is_of = |hash: String| name.origin.ends_with(&hash);
        let origin = match self.formatter.transaction {
            Some(own) if is_of(abbreviate(&own.hash)) => String::new(),
            _ if is_of(abbreviate(address)) || self.options.is_compared => String::new(),
            // Known before any transaction.
            _ if [column::DEMO_ACCOUNT, column::DEVELOPMENT_ACCOUNT].contains(&&*name.origin) => {
                String::new()
            }
            _ => format!(" {}", CallNote::NameSeenIn { transaction: &name.origin }),
        };
        Some(format!("{label}{proxied}{scam}{origin}"))
    }

    fn ran_no_code(&self) -> bool {
        (self.frame.gas(), self.frame.stated_gas_used()) == (Some(0), Some(0))
    }

    fn gas(&self) -> [DocumentEntry; 2] {
        let frame = self.frame;
        let tree = self.formatter.tree;
        let grouped =
            |gas: Option<u64>| gas.map_or_else(|| "?".into(), |gas| Grouped(gas).to_string());
        let raw = |gas: Option<u64>| gas.map_or_else(String::new, |gas| gas.to_string());
        let shares = match tree.parent(self.number) {
            Some(0) => {
                let share = gas_share(tree, self.number, false);
                format!(" · {}", CallNote::ShareOfRoot { share: &share })
            }
            Some(_) => {
                let of_root = gas_share(tree, self.number, false);
                let of_parent = gas_share(tree, self.number, true);
                format!(" · {}", CallNote::GasShares { of_root: &of_root, of_parent: &of_parent })
            }
            None => String::new(),
        };
        let total = frame.format_gas_used(|gas| Grouped(gas).to_string());
        let own = own_gas(frame, |gas| Grouped(gas).to_string());
        let used = format!("{total} (self {own}){shares}");
        let used = DocumentEntry::text(GAS_USED_LABEL, used).copy(raw(frame.stated_gas_used()));
        let used = match impossible_gas(frame) {
            Some(text) => used.side_note(&format!("! {text}")).role(Role::Warning),
            None if frame.is_gas_inferred() => used.side_note(call::INFERRED_GAS),
            None => used,
        };
        let percent = self.percent_of_forwardable_gas();
        let note =
            percent.map(|percent| format!(" {}", CallNote::ShareOfForwardableGas { percent }));
        let limit = grouped(frame.gas()) + &note.unwrap_or_default();
        [used, DocumentEntry::text("gas limit", limit).copy(raw(frame.gas()))]
    }

    /// Returns the gas limit in percent of the gas that the parent could forward: 63/64 of its own
    /// (EIP-150).
    fn percent_of_forwardable_gas(&self) -> Option<Percent> {
        let tree = self.formatter.tree;
        let parent_gas = tree.get(tree.parent(self.number)?)?.gas()?;
        let forwardable = parent_gas - parent_gas / 64;
        Percent::of(self.frame.gas()?, forwardable.max(1))
    }

    fn value(&self) -> DocumentEntry {
        let frame = self.frame;
        let label = if frame.kind == CallKind::SelfDestruct { "balance" } else { "value" };
        if !frame.value.is_some() {
            return DocumentEntry::note(label, "—");
        }
        let Some(wei) = self.formatter.tree.value(self.number) else {
            return self.unreadable(label, frame.value);
        };
        let entry =
            DocumentEntry::text(label, self.formatter.coin_amount(wei)).copy(wei.to_string());
        match (wei.is_zero(), frame.kind.moves_value(), frame.is_committed()) {
            (true, ..) => entry,
            (_, false, _) if frame.kind != CallKind::Reward => {
                entry.side_note(call::INHERITED_VALUE)
            }
            (_, _, false) => entry.side_note(call::NOT_TRANSFERRED),
            _ if self.is_selfdestruct_to_itself() => entry.side_note(call::TO_ITSELF),
            _ => entry.role(Role::Value),
        }
    }

    fn is_selfdestruct_to_itself(&self) -> bool {
        let address = |span| self.formatter.tree.address(span);
        self.frame.kind == CallKind::SelfDestruct
            && address(self.frame.from).is_some_and(|from| address(self.frame.to) == Some(from))
    }

    fn unreadable(&self, label: &str, span: BodySpan) -> DocumentEntry {
        let text = self.formatter.tree.text(span).unwrap_or_default();
        DocumentEntry::text(label, format!("? ({text})")).role(Role::Warning)
    }
}

fn describe_outcome(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Succeeded => "ok",
        CallOutcome::Failed => call::PASSED_UP,
        CallOutcome::Caught => call::CAUGHT,
        CallOutcome::RolledBack => call::ROLLED_BACK,
    }
}
