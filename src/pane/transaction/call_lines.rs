//! The first calls of a transaction in the lines that its page leaves free, if its trace is known.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::panels::{Panel, is_wide};
use super::revert_trace::{LEVEL_COLUMNS, function_cells, gas_text};
use crate::calls::formatter::CallFormatter;
use crate::calls::results::{ORIGIN_MARK, outcome_role};
use crate::calls::transfer_matching::TransferMap;
use crate::chain::TxHash;
use crate::chain::amount::Grouped;
use crate::messages::page::PageMessage;
use crate::messages::prompt;
use crate::messages::trace::TraceNote;
use crate::pane::PaneContext;
use crate::pane::icicle::IciclePainter;
use crate::pane::known_trace::KnownTrace;
use crate::trace::body::BodySpan;
use crate::trace::revert_origin::{find_origin, is_origin};
use crate::trace::tree::FrameClass;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue};
use crate::ui::frame::draw_divider;
use crate::ui::text::{draw_text, fit_text};
use crate::ui::theme::Role;

/// Fewer calls say no more than the call of the transaction.
const MIN_CALLS: usize = 2;
/// Least lines of the chart of their gas, with its rule.
const MIN_CHART_LINES: u16 = 10;
/// The rule above the chart, and its legend.
const LINES_AROUND_CHART: usize = 2;
/// Lines of a call in a chart above unfolded JSON.
const MIN_BAR_LINES: usize = 4;
/// Lines of the JSON of most transactions, with its objects folded.
const MIN_LINES_BELOW_CHART: usize = 40;
/// Least lines of JSON next to the chart, or alone, on a wide page.
const MIN_WIDE_LINES: usize = 16;
/// Least columns of the chart next to JSON.
const MIN_CHART_COLUMNS: u16 = 60;
/// Columns between the chart and the divider before it.
const DIVIDER_GAP: u16 = 2;
/// Least repeated calls in a row that are counted, and the number of those that are not.
const MIN_RUN: usize = 4;
const SHOWN_OF_RUN: usize = 2;
/// Columns between gas, call and result.
const GAP: u16 = 2;

/// The failures that other panels of a transaction's page state.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatedFailures {
    /// The path to the failure of the transaction.
    pub(super) path: bool,
    /// The reasons of all failures that the transaction survived.
    pub(super) reasons: bool,
    /// All calls whose failures the transaction survived.
    pub(super) calls: bool,
}

/// Returns the panel of the calls in at most `space` lines, or nothing without enough of them. Failures that the page
/// states are left out: their reasons, calls without others in them, and calls that are all on the path.
pub(super) fn call_panel(
    hash: TxHash,
    (space, stated): (usize, StatedFailures),
    cx: &PaneContext<'_>,
) -> Option<Panel> {
    let trace = KnownTrace::of_transaction(&hash, cx).filter(|_| space >= MIN_CALLS)?;
    let formatter = trace.formatter();
    let tree = formatter.tree;
    let path = find_origin(tree, 0).map(|origin| origin.path);
    let is_path = |path: &Vec<u32>| stated.path && path.len() == tree.len() as usize;
    if path.as_ref().is_some_and(is_path) {
        return None;
    }
    let is_listed = |call: &u32| {
        let failed = tree.get(*call).is_some_and(CallFrame::failed);
        stated.calls && failed && tree.children(*call).next().is_none()
    };
    let listed = tree.frames_of(FrameClass::Failed).iter().filter(|call| is_listed(call)).count();
    let all = (tree.len() as usize).saturating_sub(listed);
    if all < MIN_CALLS {
        return None;
    }
    let origin = path.and_then(|path| path.last().copied());
    let others: Vec<u32> = (0..tree.len()).filter(|call| !is_listed(call)).collect();
    let lines = call_lines(tree, &others, space);
    let calls: Vec<u32> = lines.iter().filter_map(CallLine::call).collect();
    let gas_columns = calls.iter().map(|call| gas_cell(tree, *call).width()).max();
    let left = gas_columns.unwrap_or_default() + GAP;
    let half = cx.area.width / 2;
    // The first level for which the half before the calls has no space.
    let depth = half.saturating_sub(left) / LEVEL_COLUMNS + 1;
    let is_deep = |call: &&u32| tree.get(**call).is_some_and(|frame| frame.depth >= depth);
    let deep: Vec<u32> = calls.iter().filter(is_deep).copied().collect();
    let first_deep = deep.first().copied();
    let own_depth = first_deep.filter(|_| deep.len() == 1).and_then(|call| tree.get(call));
    let note = indent_note(depth, own_depth.map(|frame| frame.depth), (left, half));
    let note_cells =
        |message: PageMessage<'_>| vec![EntryCell::new(message.to_string(), Role::Dim).at(left)];
    let row = |line: &CallLine| match line {
        CallLine::Call(call) => {
            let gas = gas_cell(tree, *call);
            let indent = (left - GAP).saturating_sub(gas.width());
            let outcome = result(&formatter, *call, (origin, stated.reasons));
            let line = call_cells(&formatter, (hash, *call), (left, outcome), cx);
            let own_note = note.clone().filter(|_| first_deep == Some(*call));
            [gas.at(indent)].into_iter().chain(own_note).chain(line).collect()
        }
        CallLine::Repeated(calls) => {
            note_cells(PageMessage::RepeatedCalls { calls: Grouped(*calls) })
        }
        CallLine::Hidden(calls) => note_cells(PageMessage::MoreCalls { calls: Grouped(*calls) }),
    };
    let rows = lines.iter().map(|line| DocumentEntry::new("", EntryValue::Cells(row(line))));
    let title = if listed > 0 { prompt::OTHER_CALLS_WITH_GAS } else { prompt::CALLS_WITH_GAS };
    Some(Panel { title: title.into(), entries: rows.collect() })
}

/// Returns the note before the first call that is too deep to be indented, if it has space. The only one has its own
/// depth.
fn indent_note(depth: u16, own: Option<u16>, (left, right): (u16, u16)) -> Option<EntryCell> {
    let notes = match own.map(Grouped) {
        Some(depth) => vec![TraceNote::AtDepth { depth }],
        None => vec![TraceNote::DeepestIndent { depth }, TraceNote::ShortDeepestIndent { depth }],
    };
    notes
        .into_iter()
        .map(|note| EntryCell::new(note.to_string(), Role::Dim).at(left))
        .find(|note| note.end() < right)
}

/// A line of the list: a call, or a number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallLine {
    Call(u32),
    /// Further calls that repeat the one above.
    Repeated(usize),
    Hidden(usize),
}

impl CallLine {
    fn call(&self) -> Option<u32> {
        match self {
            Self::Call(call) => Some(*call),
            Self::Repeated(_) | Self::Hidden(_) => None,
        }
    }

    /// Returns the number of its calls.
    fn count(&self) -> usize {
        match self {
            Self::Call(_) => 1,
            Self::Repeated(calls) | Self::Hidden(calls) => *calls,
        }
    }
}

/// Returns the lines of some calls in some space, at least two lines. If the calls have no space, repeated ones are counted
/// after the first two, and further calls at the end, but not the first call that failed.
fn call_lines(tree: &CallTree, calls: &[u32], space: usize) -> Vec<CallLine> {
    if calls.len() <= space {
        return calls.iter().copied().map(CallLine::Call).collect();
    }
    let runs = calls.chunk_by(|one, next| are_repeated(tree, *one, *next));
    let lines = runs.flat_map(|run| {
        let shown = if run.len() < MIN_RUN { run.len() } else { SHOWN_OF_RUN };
        let repeated = Some(run.len() - shown).filter(|calls| *calls > 0).map(CallLine::Repeated);
        run.iter().copied().take(shown).map(CallLine::Call).chain(repeated)
    });
    let mut lines: Vec<CallLine> = lines.collect();
    if lines.len() > space {
        let failed = |line: &CallLine| {
            line.call().and_then(|call| tree.get(call)).is_some_and(CallFrame::failed)
        };
        let failed = lines.iter().position(failed).filter(|at| *at + 1 >= space && space > 2);
        let last = failed.and_then(|at| lines.get(at).copied());
        let rest = lines.split_off(space - 1 - usize::from(last.is_some()));
        let hidden = rest.iter().map(CallLine::count).sum::<usize>() - last.iter().count();
        lines.extend([Some(CallLine::Hidden(hidden)), last].into_iter().flatten());
    }
    lines
}

/// Returns `true` for two calls of one function with the same arguments that succeeded, both for good or both undone by
/// a caller. Their results may differ.
fn are_repeated(tree: &CallTree, one: u32, next: u32) -> bool {
    let have_one_outcome = tree.outcome(one) == tree.outcome(next);
    let Some([one, next]) = tree.get(one).zip(tree.get(next)).map(<[_; 2]>::from) else {
        return false;
    };
    let same = |part: fn(&CallFrame) -> BodySpan| {
        tree.body.bytes(part(one)) == tree.body.bytes(part(next))
    };
    have_one_outcome
        && one.kind == next.kind
        && !one.failed()
        && !next.failed()
        && same(|frame| frame.to)
        && same(|frame| frame.value)
        && same(|frame| frame.input)
}

fn gas_cell(tree: &CallTree, call: u32) -> EntryCell {
    EntryCell::new(gas_text(tree, call), Role::Dim)
}

/// Draws the gas of all calls of a transaction, if its trace is known and there is space.
pub(super) fn draw_gas(
    (hash, transfers): (TxHash, &TransferMap),
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let known = cx.name_cache.trace(&hash).filter(|_| area.height >= MIN_CHART_LINES);
    let Some(tree) = known else { return };
    if tree.len() as usize >= MIN_CALLS && !is_chain(tree) {
        painter((tree, hash, transfers), cx).draw_all(area, buf);
    }
}

/// Draws the gas of all calls next to the JSON of a transaction, whose lines leave that area free, after a divider.
pub(super) fn draw_gas_next_to_json(
    (hash, transfers): (TxHash, &TransferMap),
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let width = area.width.saturating_sub(DIVIDER_GAP);
    let chart = Rect { x: area.right() - width, width, ..area };
    let has_space = width >= MIN_CHART_COLUMNS && usize::from(area.height) >= MIN_WIDE_LINES;
    let known = cx.name_cache.trace(&hash).filter(|_| has_space);
    let Some(tree) = known.filter(|tree| tree.len() as usize >= MIN_CALLS) else { return };
    draw_divider(buf, Rect { width: 1, ..area }, cx.styles.of(Role::Border));
    let [title, chart] =
        chart.layout(&Layout::vertical([Constraint::Length(1), Constraint::Min(0)]));
    draw_text(buf, title, prompt::ICICLE_OF_ALL, cx.styles.of(Role::Title));
    painter((tree, hash, transfers), cx).draw_chart(chart, buf);
}

fn painter<'a>(
    (tree, hash, transfers): (&'a CallTree, TxHash, &'a TransferMap),
    cx: &'a PaneContext<'_>,
) -> IciclePainter<'a> {
    let formatter = cx.call_formatter(tree, &hash, transfers);
    let (styles, format) = (cx.styles, cx.format);
    IciclePainter { formatter, styles, format, share_of_parent: false, selected: None }
}

/// Returns the most lines of JSON, of some free lines: all of them next to an icicle of a wide page, or if an icicle of a
/// chain of calls would say no more than their list, or else those below the icicle, if they have space for all fields.
pub(super) fn json_lines(hash: TxHash, free: usize, cx: &PaneContext<'_>) -> usize {
    if is_wide(cx) && free >= MIN_WIDE_LINES {
        return free;
    }
    let has_space = free >= MIN_CHART_LINES.into();
    let known = cx.name_cache.trace(&hash).filter(|_| has_space);
    let Some(tree) = known.filter(|tree| tree.len() as usize >= MIN_CALLS) else { return 0 };
    if is_chain(tree) {
        return free;
    }
    let depths = (0..tree.len()).filter_map(|call| tree.get(call).map(|frame| frame.depth));
    let levels = usize::from(depths.max().unwrap_or_default()) + 1;
    let rest = free.saturating_sub(levels * MIN_BAR_LINES + LINES_AROUND_CHART);
    if rest >= MIN_LINES_BELOW_CHART { rest } else { 0 }
}

/// Returns `true` if each call makes at most one: the list of the calls shows their gas as well.
fn is_chain(tree: &CallTree) -> bool {
    (0..tree.len()).all(|call| tree.children(call).nth(1).is_none())
}

/// Returns the kind, the call and its result, from a column on.
pub(super) fn call_cells(
    formatter: &CallFormatter<'_>,
    (hash, call): (TxHash, u32),
    (left, result): (u16, (String, Role)),
    cx: &PaneContext<'_>,
) -> Vec<EntryCell> {
    let Some(frame) = formatter.tree.get(call) else { return Vec::new() };
    let outcome = formatter.tree.outcome(call).unwrap_or(CallOutcome::Succeeded);
    let width = cx.area.width;
    let x = left.saturating_add(frame.depth.saturating_mul(LEVEL_COLUMNS)).min(width / 2);
    let sign = match outcome {
        CallOutcome::Succeeded => String::new(),
        outcome => [outcome.symbol(), " "].concat(),
    };
    let sign = EntryCell::new(sign, outcome_role(outcome)).at(x);
    let kind = EntryCell::new(frame.kind.badge(), Role::Badge).at(sign.end());
    let called = function_cells(formatter, call, (kind.end(), width), cx);
    let end = called.last().map_or(x, EntryCell::end).saturating_add(GAP);
    let text = fit_text(result.0, width.saturating_sub(end).into());
    let link = EntryLink::Call(hash, formatter.tree.path(call));
    let result = EntryCell::new(text, result.1).at(end).link(link);
    let shown = |cell: &EntryCell| cell.width() > 0;
    [sign, kind].into_iter().chain(called).chain([result]).filter(shown).collect()
}

/// Returns the result of a call, or the reason of a failure that began in it, unless the page has that above.
pub(super) fn result(
    formatter: &CallFormatter<'_>,
    call: u32,
    (origin, states_reasons): (Option<u32>, bool),
) -> (String, Role) {
    if !formatter.tree.get(call).is_some_and(CallFrame::failed) {
        return (formatter.value_and_result(call), Role::Dim);
    }
    if origin == Some(call) {
        return (ORIGIN_MARK.to_owned(), Role::Failed);
    }
    let is_shown = !states_reasons && is_origin(formatter.tree, call);
    let reason = is_shown.then(|| formatter.failure_reason(call));
    // Many coloured lines would look worse than an outcome that is fine.
    (reason.unwrap_or_default(), Role::Plain)
}

#[cfg(test)]
mod tests {
    use CallLine::{Call, Hidden, Repeated};

    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    /// Returns the lines of a chain of calls, each to the function of its letter. Calls to `!` fail.
    fn lines(functions: &str, space: usize) -> Vec<CallLine> {
        let calls = (0..).zip(functions.chars()).map(|(n, function)| {
            let path: &[u32] = if n == 0 { &[] } else { &[n - 1] };
            let call = SampleCall::at(path).input(&format!("0x{:08x}", u32::from(function)));
            if function == '!' { call.failed("0x") } else { call }
        });
        let tree = sample_tree(&calls.collect::<Vec<_>>());
        call_lines(&tree, &(0..tree.len()).collect::<Vec<_>>(), space)
    }

    #[test]
    fn calls_without_space_for_their_indent_have_a_note_as_long_as_fits() {
        let shown = |own, right| Some(indent_note(20, own, (10, right))?.cell.text.to_string());
        assert_eq!(shown(None, 60).unwrap(), "depth 20 and deeper, not indented");
        assert_eq!(shown(None, 30).unwrap(), "depth ≥ 20");
        assert_eq!(shown(Some(1_025), 60).unwrap(), "depth 1,025");
        assert_eq!(shown(Some(1_025), 20), None);
    }

    #[test]
    fn repeated_calls_are_counted_if_not_all_have_space() {
        assert_eq!(lines("abbbbb", 6), [0, 1, 2, 3, 4, 5].map(Call));
        assert_eq!(lines("abbbbb", 5), [Call(0), Call(1), Call(2), Repeated(3)]);
        assert_eq!(
            lines("abbbbbcde", 6),
            [Call(0), Call(1), Call(2), Repeated(3), Call(6), Hidden(2)]
        );
        assert_eq!(lines("abbbc", 4), [Call(0), Call(1), Call(2), Hidden(2)], "few");
    }

    #[test]
    fn undone_calls_do_not_repeat_others() {
        let call = |path: &[u32]| SampleCall::at(path).input("0x01");
        let undone = [0, 1, 2].map(|n| call(&[0, n]));
        let others = [1, 2, 3].map(|n| call(&[n]));
        let parents = [call(&[]).input("0x02"), call(&[0]).input("0x03").failed("0x")];
        let tree = sample_tree(&[&parents[..], &undone, &others].concat());
        let lines = call_lines(&tree, &(0..tree.len()).collect::<Vec<_>>(), 7);
        let shown: Vec<_> = (0..6).map(Call).chain([Hidden(2)]).collect();
        assert_eq!(lines, shown);
    }

    #[test]
    fn first_failed_call_has_a_line() {
        assert_eq!(lines("abbbbb!", 5), [Call(0), Call(1), Call(2), Repeated(3), Call(6)]);
        assert_eq!(lines("abcdef!!", 5), [Call(0), Call(1), Call(2), Hidden(4), Call(6)]);
        assert_eq!(lines("ab!cdef", 4), [Call(0), Call(1), Call(2), Hidden(4)], "it has one");
        assert_eq!(lines("abc!de", 4), [Call(0), Call(1), Hidden(3), Call(3)]);
    }
}
