//! Looks for another call to the same target, or with the same selector.
//!
//! The calls are compared in slices: the scan waits in [`TracePane`] for its next slice, and the next key or click
//! ends it.

use super::TracePane;
use crate::action::{Action, Step};
use crate::messages::trace;
use crate::pane::Command;
use crate::time_slice::TimeSlice;
use crate::trace::CallTree;

/// A search for the nearest call that is alike.
#[derive(Debug)]
pub(super) struct SameCallScan {
    alike: Alike,
    step: Step,
    /// The last call that was compared.
    at: u32,
}

#[derive(Debug)]
enum Alike {
    Target(Vec<u8>),
    Selector([u8; 4]),
}

impl SameCallScan {
    fn matches(&self, number: u32, tree: &CallTree) -> bool {
        match &self.alike {
            Alike::Target(target) => {
                tree.get(number).is_some_and(|frame| *tree.body.prefix(frame.to, 64) == **target)
            }
            Alike::Selector(selector) => tree.selector(number) == Some(*selector),
        }
    }

    fn next(&mut self, tree: &CallTree) -> Option<u32> {
        let next = match self.step {
            Step::Next => self.at.checked_add(1),
            Step::Previous => self.at.checked_sub(1),
        };
        self.at = next.filter(|next| *next < tree.len())?;
        Some(self.at)
    }

    fn describe(&self) -> &'static str {
        match (&self.alike, self.step) {
            (Alike::Target(_), Step::Next) => trace::SAME_TARGET_BELOW,
            (Alike::Target(_), Step::Previous) => trace::SAME_TARGET_ABOVE,
            (Alike::Selector(_), _) => trace::SAME_SELECTOR_BELOW,
        }
    }
}

impl TracePane {
    /// Goes to the nearest call that is like the selected one.
    pub(super) fn find_same(&mut self, action: Action) -> Option<Vec<Command>> {
        let step = match action {
            Action::PreviousSameTarget => Step::Previous,
            _ => Step::Next,
        };
        let alike = match action {
            Action::NextSameTarget | Action::PreviousSameTarget => {
                let to = self.tree.get(self.cursor.call).map(|frame| frame.to).unwrap_or_default();
                let target = self.tree.body.prefix(to, 64).into_owned();
                Some(Alike::Target(target)).filter(|_| !to.is_empty())
            }
            Action::NextSameSelector => self.tree.selector(self.cursor.call).map(Alike::Selector),
            _ => return None,
        };
        let notice = match alike {
            Some(alike) => {
                self.finding.same_call = Some(SameCallScan { alike, step, at: self.cursor.call });
                self.continue_scan()
            }
            None => Some(Command::Notify(trace::NOTHING_TO_COMPARE.into())),
        };
        Some(notice.into_iter().collect())
    }

    /// Compares the next calls, if the search for the same call is not finished.
    pub(super) fn continue_scan(&mut self) -> Option<Command> {
        let mut scan = self.finding.same_call.take()?;
        let mut slice = TimeSlice::begin();
        while slice.has_time() {
            match scan.next(&self.tree) {
                Some(number) if scan.matches(number, &self.tree) => return self.go_to(number),
                Some(_) => {}
                None => {
                    let notice = format!("no {}", scan.describe());
                    return Some(Command::Notify(notice.into()));
                }
            }
        }
        self.finding.same_call = Some(scan);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_pane_looks_for_no_call() {
        let scan = SameCallScan { alike: Alike::Selector([0; 4]), step: Step::Next, at: 0 };
        let mut pane = TracePane::default();
        pane.finding.same_call = Some(scan);
        assert!(pane.is_working());
        pane.cancel();
        assert!(!pane.is_working());
    }
}
