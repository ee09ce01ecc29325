//! Rows of a tree with logs between the calls. Logs are few: they are kept apart from the calls, each
//! with the number of calls above it.

use std::cmp::Reverse;

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
pub struct LogRows(Vec<LogRow>);

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
        let rows = between.chain(below).enumerate();
        Self(
            rows.map(|(n, (above, shown))| LogRow { row: above + n, calls_above: above, shown })
                .collect(),
        )
    }

    /// Returns the number of rows, calls included.
    pub fn count(&self, visible: &VisibleFrames) -> usize {
        visible.rows().len() + self.0.len()
    }

    pub fn get(&self, visible: &VisibleFrames, row: usize) -> Option<TraceRow> {
        match self.0.binary_search_by_key(&row, |log| log.row) {
            Ok(found) => self.0.get(found).map(|log| log.shown),
            Err(above) => visible.rows().get(row - above).copied().map(TraceRow::Call),
        }
    }

    /// Returns the row of a call, or of the collapsed call that contains it.
    pub fn row_of_call(&self, visible: &VisibleFrames, call: u32) -> usize {
        let row = visible.row_of(call);
        row + self.0.partition_point(|log| log.calls_above <= row)
    }

    /// Returns the row of a log or of the heading, if it is shown.
    pub fn row_of_log(&self, shown: TraceRow) -> Option<usize> {
        self.0.iter().find(|log| log.shown == shown).map(|log| log.row)
    }

    /// Returns the logs that are shown, from the top.
    pub fn logs(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(LogRow::log)
    }

    /// Returns the logs below a log, and the first call below it.
    pub fn below(
        &self,
        visible: &VisibleFrames,
        log: usize,
    ) -> (impl Iterator<Item = usize>, Option<u32>) {
        let mut rows = self.0.iter();
        let found = rows.find(|row| row.log() == Some(log));
        let call = found.and_then(|row| visible.rows().get(row.calls_above)).copied();
        (rows.filter_map(LogRow::log), call)
    }

    /// Returns the visible calls among some rows.
    pub fn calls<'a>(&self, visible: &'a VisibleFrames, rows: std::ops::Range<usize>) -> &'a [u32] {
        let call = |row: usize| row - self.0.partition_point(|log| log.row < row);
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
    use crate::trace::test_util::{calls_by_level_ups, sample_tree};

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
                is_placed.then_some(LogPlace { call, before: first.unwrap_or(tree.end(call)), is_certain: true })
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
}
