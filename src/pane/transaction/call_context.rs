//! The calls around one of a transaction's calls, in lines below a transfer, a log or the call itself.

use super::call_lines::{call_cells, result};
use super::revert_trace::gas_text;
use crate::chain::amount::Grouped;
use crate::messages::call::CallNote;
use crate::pane::PaneContext;
use crate::pane::known_trace::KnownTrace;
use crate::trace::CallTree;
use crate::trace::tree::to_index;
use crate::ui::document::{DocumentEntry, EntryCell, EntryValue};
use crate::ui::theme::Role;

/// Fewer lines have space for little but the calls that the fields name.
const MIN_LINES: usize = 5;
/// The share of the lines for the calls above the others that called them.
const CALLER_SHARE: usize = 3;
/// The mark of the call itself.
const OWN_MARK: &str = "▶ ";
/// Columns between number, gas and call.
const GAP: u16 = 2;

/// Returns a call among the calls before and after it, in at most `lines`, or nothing without enough of them.
pub(in crate::pane) fn call_context(
    trace: &KnownTrace<'_>,
    own: u32,
    lines: usize,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let formatter = trace.formatter();
    let tree = formatter.tree;
    if lines < MIN_LINES || tree.len() < 2 {
        return Vec::new();
    }
    let calls = calls_around(tree, own, lines - 1);
    let number = |call: u32| format!("#{}", Grouped(u64::from(call) + 1));
    let columns = |texts: &dyn Fn(u32) -> String| {
        let widths = calls.iter().map(|call| EntryCell::new(texts(*call), Role::Dim).width());
        widths.max().unwrap_or_default()
    };
    let gas = |call: u32| gas_text(tree, call);
    let number_end = EntryCell::new(OWN_MARK, Role::Dim).width() + columns(&number);
    let gas_end = number_end + GAP + columns(&gas);
    let row = |call: &u32| {
        let (mark, role) = if *call == own { (OWN_MARK, Role::Accent) } else { ("", Role::Dim) };
        let number = EntryCell::new([mark, &number(*call)].concat(), role);
        let number_x = number_end.saturating_sub(number.width());
        let gas = EntryCell::new(gas(*call), Role::Dim);
        let gas_x = gas_end.saturating_sub(gas.width());
        let outcome = result(&formatter, *call, (None, false));
        let called =
            call_cells(&formatter, (trace.transaction(), *call), (gas_end + GAP, outcome), cx);
        let row = [number.at(number_x), gas.at(gas_x)].into_iter().chain(called).collect();
        DocumentEntry::new("", EntryValue::Cells(row)).at_level(1)
    };
    let (shown, all) = (Grouped(calls.len()), Grouped(to_index(tree.len())));
    let note = if shown.0 == all.0 {
        CallNote::AllCallsWithGas { all }
    } else {
        CallNote::CallsWithGas { shown, all }
    };
    let header = DocumentEntry::text("calls", note.to_string()).fold(true);
    [header].into_iter().chain(calls.iter().map(row)).collect()
}

/// Returns the calls before and after one in the order of the trace, as many as have space, below the calls that made the
/// first of them.
fn calls_around(tree: &CallTree, own: u32, space: usize) -> Vec<u32> {
    let all = tree.len();
    let most = u32::try_from(space).unwrap_or(u32::MAX);
    if all <= most {
        return (0..all).collect();
    }
    let mut callers: Vec<u32> = tree.ancestors(own).take(space / CALLER_SHARE).collect();
    callers.reverse();
    let window = most - u32::try_from(callers.len()).unwrap_or(most);
    let first = own.saturating_sub(window / 2).min(all - window);
    // Callers in the window leave it their lines.
    callers.retain(|caller| *caller < first);
    let above = u32::try_from(callers.len()).unwrap_or(most);
    let end = first.saturating_add(most - above).min(all);
    callers.into_iter().chain(first..end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    #[test]
    fn calls_around_one_have_their_callers_above_them() {
        let paths: Vec<Vec<u32>> =
            [vec![], vec![0]].into_iter().chain((0..40).map(|n| vec![0, n])).collect();
        let calls: Vec<_> = paths.iter().map(|path| SampleCall::at(path)).collect();
        let tree = sample_tree(&calls);
        assert_eq!(calls_around(&tree, 20, 7), [0, 1, 18, 19, 20, 21, 22]);
        assert_eq!(calls_around(&tree, 41, 7), [0, 1, 37, 38, 39, 40, 41], "the last one");
        assert_eq!(calls_around(&tree, 2, 7), [0, 1, 2, 3, 4, 5, 6], "a caller is no other call");
        assert_eq!(calls_around(&tree, 9, 42).len(), 42);
    }
}
