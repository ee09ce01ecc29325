//! The failures that a transaction on a node survived: the calls, the reason and the line of each.

use super::failure::called_function;
use super::sentence::reason_sentence;
use crate::api::failure_line::CaughtFailure;
use crate::calls::failing_source::StackFrame;
use crate::calls::results::in_words;
use crate::chain::TxHash;
use crate::columns::cells::failure_reason::exact_reason;
use crate::messages::trace_problem;
use crate::pane::PaneContext;
use crate::sanitize::SafeText;
use crate::ui::document::{EntryCell, EntryLink};
use crate::ui::text::fit_text;
use crate::ui::theme::Role;

/// Columns between the calls, the reason and the line.
const GAP: u16 = 2;
/// Least columns of the calls and of the reason.
const MIN_COLUMNS: u16 = 24;

struct CaughtLine {
    calls: String,
    reason: SafeText,
    exact_reason: SafeText,
    /// The line as shown, and in full.
    place: Option<(String, String)>,
    link: EntryLink,
}

/// Returns a line for each failure.
pub(super) fn caught_lines(
    failures: &[CaughtFailure],
    transaction: TxHash,
    cx: &PaneContext<'_>,
) -> Vec<Vec<EntryCell>> {
    let lines: Vec<CaughtLine> =
        failures.iter().map(|failure| caught_line(failure, transaction, cx)).collect();
    let widest =
        |columns: &dyn Fn(&CaughtLine) -> u16| lines.iter().map(columns).max().unwrap_or_default();
    let width = |text: &str| EntryCell::new(text.to_owned(), Role::Plain).width();
    let place_columns = widest(&|line| line.place.as_ref().map_or(0, |(shown, _)| width(shown)));
    let other_columns = MIN_COLUMNS + place_columns + 2 * GAP;
    let most_calls = cx.area.width.saturating_sub(other_columns).max(MIN_COLUMNS);
    let reason_x = widest(&|line| width(&line.calls)).min(most_calls) + GAP;
    let place_space = if place_columns > 0 { place_columns + GAP } else { 0 };
    let most_reason = cx.area.width.saturating_sub(reason_x + place_space).max(MIN_COLUMNS);
    let place_x = reason_x + widest(&|line| width(&line.reason)).min(most_reason) + GAP;
    let cells = |line: CaughtLine| {
        let calls = fit_text(line.calls, (reason_x - GAP).into());
        let reason = fit_text(line.reason.to_string(), most_reason.into());
        let place = line.place.map(|(shown, place)| {
            EntryCell::new(shown, Role::Accent).link(line.link.clone()).copy(place).at(place_x)
        });
        let shown = [
            EntryCell::new(calls, Role::Plain).link(line.link.clone()),
            EntryCell::new(reason, Role::Warning)
                .link(line.link)
                .copy(line.exact_reason)
                .at(reason_x),
        ];
        shown.into_iter().chain(place).collect()
    };
    lines.into_iter().map(cells).collect()
}

fn caught_line(failure: &CaughtFailure, transaction: TxHash, cx: &PaneContext<'_>) -> CaughtLine {
    let calls = failure.calls.value().map(Vec::as_slice).unwrap_or_default();
    let frames: Vec<StackFrame<'_>> =
        calls.iter().flat_map(|call| call.frames(&called_function(call, cx))).collect();
    let innermost = frames.iter().rfind(|frame| frame.place().is_some());
    let place = innermost.and_then(|frame| frame.short_place().zip(frame.place()));
    let left_out = failure.left_out.value().is_some_and(|calls| *calls > 0).then_some("…");
    let between = (calls.len() > 2).then_some("…");
    let [first, last] = [calls.first(), calls.get(1..).and_then(<[_]>::last)]
        .map(|call| call.map(|call| called_function(call, cx)));
    let named = [left_out, first.as_deref(), between, last.as_deref()];
    let sent = failure.revert_reason.value();
    let sentence = sent.and_then(|reason| reason_sentence(reason, cx)).map(SafeText::from);
    let of_node = failure.error.value().map_or(trace_problem::NO_REASON.into(), in_words);
    let cause = failure.cause.value().cloned();
    let reason = sentence.or(cause).unwrap_or_else(|| of_node.into());
    let exact = sent.and_then(|reason| exact_reason(reason, cx.signature_db));
    let address = failure.trace_address.value().into_iter().flatten();
    let path = address.map(|index| u32::try_from(*index).unwrap_or(u32::MAX)).collect();
    CaughtLine {
        calls: named.into_iter().flatten().collect::<Vec<_>>().join(" → "),
        exact_reason: exact.unwrap_or_else(|| reason.clone()),
        reason,
        place,
        link: EntryLink::Call(transaction, path),
    }
}
