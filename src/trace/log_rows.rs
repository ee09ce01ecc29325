//! Rows of a tree with logs between the calls. Logs are few: they are kept apart from the calls, each
//! with the number of calls above it.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::log_places::LogPlace;
use super::{CallTree, VisibleFrames};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceRow {
    Call(u32),
    /// A log, by its index.
    Log(usize),
    /// Heading of the logs whose call is unknown.
    Unplaced,
}

#[derive(Debug, Clone, Default)]
pub struct LogRows {
    rows: Vec<LogRow>,
    /// The last of the logs of each call, by its number among the rows.
    last_of_calls: HashMap<u32, usize>,
}

#[derive(Debug, Clone, Copy)]
struct LogRow {
    row: usize,
    calls_above: usize,
    shown: TraceRow,
}

impl LogRow {
    fn log(&self) -> Option<usize> {
        match self.shown {
            TraceRow::Log(log) => Some(log),
            _ => None,
        }
    }
}

impl LogRows {
    /// Collects the rows of logs with these places: logs of expanded calls, and below all calls the
    /// heading of logs without a place, which may be listed below it.
    pub fn collect(
        tree: &CallTree,
        visible: &VisibleFrames,
        places: &[Option<LogPlace>],
        lists_unplaced: bool,
    ) -> Self {
        let key = |(log, place): (usize, &Option<LogPlace>)| {
            let place = (*place)?;
            let depth = Reverse(tree.get(place.call)?.depth);
            Some((calls_above(tree, visible, place)?, depth, log))
        };
        let mut keys: Vec<_> = places.iter().enumerate().filter_map(key).collect();
        keys.sort_unstable();
        let between = keys.into_iter().map(|(above, _, log)| (above, TraceRow::Log(log)));
        let mut unplaced = (0..)
            .zip(places)
            .filter(|(_, place)| place.is_none())
            .map(|(log, _)| TraceRow::Log(log))
            .peekable();
        let heading = unplaced.peek().map(|_| TraceRow::Unplaced);
        let listed = unplaced.filter(|_| lists_unplaced);
        let below = heading.into_iter().chain(listed).map(|shown| (visible.rows().len(), shown));
        let numbered = between.chain(below).enumerate();
        let rows: Vec<LogRow> = numbered
            .map(|(n, (above, shown))| LogRow { row: above + n, calls_above: above, shown })
            .collect();
        let call = |row: &LogRow| Some(places.get(row.log()?)?.as_ref()?.call);
        let calls = rows.iter().enumerate().filter_map(|(n, row)| Some((call(row)?, n)));
        let last_of_calls = calls.collect();
        Self { rows, last_of_calls }
    }

    /// Returns the number of rows, calls included.
    pub fn count(&self, visible: &VisibleFrames) -> usize {
        visible.rows().len() + self.rows.len()
    }

    pub fn get(&self, visible: &VisibleFrames, row: usize) -> Option<TraceRow> {
        match self.rows.binary_search_by_key(&row, |log| log.row) {
            Ok(found) => self.rows.get(found).map(|log| log.shown),
            Err(above) => visible.rows().get(row - above).copied().map(TraceRow::Call),
        }
    }

    /// Returns the row of a call, or of the collapsed call that contains it.
    pub fn row_of_call(&self, visible: &VisibleFrames, call: u32) -> usize {
        let row = visible.row_of(call);
        row + self.rows.partition_point(|log| log.calls_above <= row)
    }

    /// Returns the row of a log or of the heading, if it is shown.
    pub fn row_of_log(&self, shown: TraceRow) -> Option<usize> {
        self.rows.iter().find(|log| log.shown == shown).map(|log| log.row)
    }

    /// Returns the last log of a call that is shown, and the first call below it.
    pub fn last_of(&self, visible: &VisibleFrames, call: u32) -> Option<(usize, Option<u32>)> {
        let row = self.rows.get(*self.last_of_calls.get(&call)?)?;
        Some((row.log()?, visible.rows().get(row.calls_above).copied()))
    }

    /// Returns the visible calls among some rows.
    pub fn calls<'a>(&self, visible: &'a VisibleFrames, rows: std::ops::Range<usize>) -> &'a [u32] {
        let call = |row: usize| row - self.rows.partition_point(|log| log.row < row);
        let calls = visible.rows();
        calls.get(call(rows.start)..call(rows.end).min(calls.len())).unwrap_or_default()
    }
}

/// Returns the number of visible calls above a log, or `None` if its call is collapsed or hidden. While
/// siblings are sorted, logs stand directly below their calls.
fn calls_above(tree: &CallTree, visible: &VisibleFrames, place: LogPlace) -> Option<usize> {
    // An implementation may be hidden behind its proxy.
    let is_merged = visible.is_hidden(place.call) && tree.get(place.call)?.kind.is_delegated();
    let call = if is_merged { tree.parent(place.call)? } else { place.call };
    if !visible.is_visible(call) || !visible.is_expanded(call) {
        return None;
    }
    Some(if visible.is_sorted() {
        visible.row_of(call) + 1
    } else {
        visible.rows().partition_point(|frame| *frame < place.before)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::log_places::PlaceCertainty;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    proptest! {
        #[test]
        fn every_row_is_found_again(
            ups in prop::collection::vec(0usize..4, 0..30),
            folds in prop::collection::vec(0u32..31, 0..6),
            logs in prop::collection::vec((0u32..31, any::<bool>(), any::<bool>()), 0..12),
            (sorted, listed) in any::<(bool, bool)>(),
        ) {
            let tree = sample_tree(&calls_by_level_ups(&ups));
            let mut visible = VisibleFrames::default();
            visible.extend(&tree);
            for fold in folds {
                visible.set_expanded(&tree, fold % tree.len(), false);
            }
            if sorted {
                visible.sort_siblings(&tree, Some((0..u128::from(tree.len())).collect()));
            }
            let places: Vec<Option<LogPlace>> = logs.iter().map(|(call, is_placed, is_first)| {
                let call = call % tree.len();
                let first = tree.children(call).next().filter(|_| *is_first);
                is_placed.then_some(LogPlace { call, before: first.unwrap_or(tree.end(call)), certainty: PlaceCertainty::Certain })
            }).collect();
            let rows = LogRows::collect(&tree, &visible, &places, listed);
            let all: Vec<TraceRow> = (0..rows.count(&visible)).map(|row| rows.get(&visible, row).unwrap()).collect();
            prop_assert_eq!(rows.get(&visible, all.len()), None);
            let calls: Vec<u32> = all.iter().filter_map(|row| match row {
                TraceRow::Call(call) => Some(*call),
                _ => None,
            }).collect();
            prop_assert_eq!(&calls, visible.rows());
            for (n, row) in all.iter().enumerate() {
                prop_assert_eq!(n, match row {
                    TraceRow::Call(call) => rows.row_of_call(&visible, *call),
                    log => rows.row_of_log(*log).unwrap(),
                });
                prop_assert_eq!(rows.calls(&visible, 0..n), &calls[..all[..n].iter().filter(|row| matches!(row, TraceRow::Call(_))).count()]);
            }
            for call in 0..tree.len() {
                let is_of_call = |row: &TraceRow| matches!(row, TraceRow::Log(log)
                    if places[*log].is_some_and(|place| place.call == call));
                let last = all.iter().rposition(is_of_call);
                let below = last.and_then(|last| all[last..].iter().find_map(|row| match row {
                    TraceRow::Call(call) => Some(*call),
                    _ => None,
                }));
                let found = rows.last_of(&visible, call);
                prop_assert_eq!(found.map(|(log, _)| TraceRow::Log(log)), last.map(|at| all[at]));
                prop_assert_eq!(found.and_then(|(_, below)| below), below);
            }
            for (log, place) in places.iter().enumerate() {
                let shown = all.iter().position(|row| *row == TraceRow::Log(log));
                let is_shown = match place {
                    None => listed,
                    Some(place) => visible.is_visible(place.call) && visible.is_expanded(place.call),
                };
                prop_assert_eq!(shown.is_some(), is_shown);
                if let (Some(shown), Some(place)) = (shown, place) {
                    let call = rows.row_of_call(&visible, place.call);
                    prop_assert!(shown > call);
                    let between = &all[call + 1..shown];
                    let is_inside = |row: &TraceRow| match row {
                        TraceRow::Call(below) => tree.subtree(place.call).contains(below),
                        TraceRow::Log(log) => {
                            tree.subtree(place.call).contains(&places[*log].unwrap().call)
                        }
                        TraceRow::Unplaced => false,
                    };
                    prop_assert!(between.iter().all(is_inside));
                }
            }
        }
    }

    #[test]
    fn logs_of_a_hidden_implementation_are_below_its_proxy() {
        let below = |kind| {
            let [root, proxy, inner] = [&[][..], &[0], &[0, 0]].map(SampleCall::at);
            let tree = sample_tree(&[root, proxy, inner.kind(kind)]);
            let mut visible = VisibleFrames::default();
            visible.extend(&tree);
            visible.arrange(&tree, vec![false, false, true], None);
            calls_above(
                &tree,
                &visible,
                LogPlace { call: 2, before: 3, certainty: PlaceCertainty::Certain },
            )
        };
        assert_eq!(["delegatecall", "call"].map(below), [Some(2), None]);
    }
}
