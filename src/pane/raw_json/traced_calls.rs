//! The calls in a raw trace, named as in its call tree.

use std::collections::HashMap;
use std::sync::Arc;

use crate::calls::formatter::CallFormatter;
use crate::calls::results::outcome_role;
use crate::chain::amount::Unit;
use crate::chain::{TxHash, U256};
use crate::messages::Count;
use crate::messages::page::PageMessage;
use crate::pane::PaneContext;
use crate::pane::known_trace::KnownTrace;
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::ui::document::{CopyText, DocumentEntry, EntryValue};
use crate::ui::format::{cut, width};
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;

/// Level of the calls of a trace.
const CALL_LEVEL: u8 = 1;
/// Columns of a call's fold, with the sign of its number and the blank after it.
const CALL_MARK_COLUMNS: usize = 6;
/// Least columns of the arguments of a call before its result.
const MIN_ARGUMENT_COLUMNS: usize = 4;
/// The result of a call that returns nothing.
const NO_RESULT: &str = "()";
/// A result that does not fit.
const CUT_RESULT: &str = " → …";
/// The fields of a call with its result and the coin that it sends.
const OUTPUT_LABEL: &str = "output";
const VALUE_LABEL: &str = "value";

/// The calls of a transaction, unless there are too many to name them.
#[derive(Debug)]
pub(super) struct TracedCalls {
    pub(super) transaction: TxHash,
    pub(super) tree: Option<Arc<CallTree>>,
}

/// Names the calls of a trace as the tree of its calls does: number, contract, function and failure. A call
/// beyond the maximum size of a known trace keeps its place in the JSON.
pub(super) fn name_calls(
    entries: &mut [DocumentEntry],
    traced: &TracedCalls,
    cx: &PaneContext<'_>,
) {
    let Some(tree) = &traced.tree else { return };
    let trace = KnownTrace::new(tree, &traced.transaction, cx);
    let formatter = trace.formatter();
    let digits = width(&tree.len().to_string());
    let columns = usize::from(cx.area.width).saturating_sub(CALL_MARK_COLUMNS + digits);
    if let Some(root) = entries.first_mut() {
        let calls = Count(tree.len() as usize, "call");
        root.value = EntryValue::Text(PageMessage::TraceAsReceived { calls }.to_string().into());
    }
    let starts = (0..).zip(tree.frames()).map(|(call, frame)| (frame.entry.offset(), call));
    let calls: HashMap<u64, u32> = starts.collect();
    let mut around = None;
    for entry in entries.iter_mut() {
        if entry.level == CALL_LEVEL {
            let Some(CopyText::Part { at, .. }) = &entry.copy else { continue };
            around = calls.get(&(at.start as u64)).copied();
            let Some(call) = around else { continue };
            // The calls begin in one column.
            entry.label = SafeText::new(&format!("#{:<digits$}", call + 1));
            entry.is_heading = true;
            let shown = DocumentEntry::of_parts("", &call_parts(&formatter, call, columns));
            (entry.value, entry.parts, entry.role) = (shown.value, shown.parts, Role::Plain);
        } else if let Some(call) = around {
            let number = || U256::from_str_radix(entry.copy_text().strip_prefix("0x")?, 16).ok();
            let note = match &*entry.label {
                // Longer data have their size there.
                OUTPUT_LABEL if entry.open.is_none() => returned_text(&formatter, call),
                VALUE_LABEL => number().map(|wei| Unit::Coin.describe(wei, cx.network)),
                _ => None,
            };
            if let Some(note) = note {
                *entry = entry.clone().without_side_note().side_note(&format!("= {note}"));
            }
        }
    }
}

/// Returns a call in the colours of the tree, indented by its depth: `  static Pool.getReserves() → 5 GLD, 4 WTH`.
fn call_parts(formatter: &CallFormatter<'_>, call: u32, columns: usize) -> Vec<MarkedText> {
    let Some(frame) = formatter.tree.get(call) else {
        return vec![MarkedText::new("?", Role::Dim)];
    };
    let label = formatter.call_label(call);
    let failed = formatter.tree.outcome(call).filter(|_| frame.failed());
    let failure = failed.map_or(Role::Dim, outcome_role);
    let contract = match formatter.tree.target_address(call) {
        Some(_) if !frame.failed() => Role::Link,
        _ => Role::Plain,
    };
    let mark = failed.map(|outcome| [outcome.symbol(), " "].concat()).unwrap_or_default();
    let result = match returned_text(formatter, call) {
        _ if frame.failed() => format!(" · {}", formatter.failure_reason(call)),
        Some(result) => format!(" → {result}"),
        None => String::new(),
    };
    let inside = formatter.argument_parts(call, &label);
    let indent = " ".repeat(2 * usize::from(frame.depth));
    let before = [
        MarkedText::new(cut(&indent, columns / 3).into_owned(), Role::Plain),
        MarkedText::new(mark, failure),
        MarkedText::new(frame.kind.badge(), Role::Badge),
        MarkedText::new(label.contract.clone(), contract),
        MarkedText::new(label.dot(), Role::Plain),
        MarkedText::new(label.name.clone(), Role::Title),
    ];
    let name_width: usize = before.iter().map(MarkedText::width).sum();
    let space = columns.saturating_sub(name_width);
    // Arguments are cut before the result, whose number would be another if it were cut.
    let is_cut = !frame.failed() && width(&result) + MIN_ARGUMENT_COLUMNS > space;
    let shown = if is_cut && !result.is_empty() { CUT_RESULT.to_owned() } else { result };
    let least = if frame.failed() { space / 3 } else { MIN_ARGUMENT_COLUMNS };
    let inside_space = space.saturating_sub(width(&shown)).max(least);
    let outcome = MarkedText::new(shown, if frame.failed() { failure } else { Role::Dim });
    let parts = before.into_iter().chain(cut_parts(inside, inside_space)).chain([outcome]);
    cut_parts(parts.collect(), columns)
}

/// Returns as much of a text as fits, with a sign at its end if that is not all.
fn cut_parts(parts: Vec<MarkedText>, columns: usize) -> Vec<MarkedText> {
    let whole: usize = parts.iter().map(MarkedText::width).sum();
    if whole <= columns {
        return parts;
    }
    let mut left = columns;
    let mut shown = Vec::new();
    for part in parts.into_iter().filter(|part| !part.text.is_empty()) {
        if part.width() >= left {
            // More follows, if only the rest of the text.
            let text = cut(&[&part.text, " "].concat(), left).into_owned();
            shown.push(MarkedText { text: text.into(), ..part });
            return shown;
        }
        left -= part.width();
        shown.push(part);
    }
    shown
}

/// Returns the values that a call returned, if it returned any that its arguments do not describe.
fn returned_text(formatter: &CallFormatter<'_>, call: u32) -> Option<String> {
    let result = formatter.result_text(call);
    let values = result.strip_prefix("→ ").filter(|values| *values != NO_RESULT)?;
    Some(values.to_owned())
}
