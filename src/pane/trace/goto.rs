//! Going from call to call.

use super::fetch::State;
use super::folds::hot_path;
use super::{Trace, copy};
use crate::msg::Action;
use crate::pane::Want;
use crate::sanitize::Text;
use crate::trace::revert_origin;
use crate::trace::tree::Sort;

/// What is said of a call that is not to be seen.
const LEFT_OUT: &str = "that call is left out ({hide_static}, {merge_proxies}, {only_failures}, \
                        {filter_rows}): this is the one above it";

impl Trace {
    /// Goes where the action says; whether it was one that goes somewhere.
    pub(super) fn jump(&mut self, action: Action) -> bool {
        let at = self.selected;
        let (to, what) = match action {
            Action::NextSibling => (self.sibling(true), "sibling after this one"),
            Action::PreviousSibling => (self.sibling(false), "sibling before this one"),
            Action::Parent => (self.tree.parent(at), "caller: this is the transaction's own call"),
            Action::NextFailure => (self.sorted(Sort::Failed, true), "failed call below"),
            Action::PreviousFailure => (self.sorted(Sort::Failed, false), "failed call above"),
            Action::NextValue => (self.sorted(Sort::Valued, true), "call with a value below"),
            Action::PreviousValue => (self.sorted(Sort::Valued, false), "call with a value above"),
            Action::NextDelegate => (self.sorted(Sort::Delegated, true), "delegatecall below"),
            Action::PreviousDelegate => (self.sorted(Sort::Delegated, false), "delegatecall above"),
            Action::NextCreate => (self.sorted(Sort::Created, true), "creation below"),
            Action::PreviousCreate => (self.sorted(Sort::Created, false), "creation above"),
            Action::NextSameTarget => (self.same_target(true), "other call of this target below"),
            Action::PreviousSameTarget => {
                (self.same_target(false), "other call of this target above")
            }
            Action::NextSameSelector => {
                (self.same_selector(), "other call with this selector below")
            }
            Action::HotPath => (hot_path(&self.tree, at).last().copied(), "gas to follow"),
            Action::RevertOrigin => return self.go_to_origin(),
            _ => return false,
        };
        match to {
            Some(to) => self.go_to(to),
            None => self.said = Some(Want::Say(Text::from(format!("no {what}")))),
        }
        true
    }

    /// Selects a call, opening what hides it.
    pub(super) fn go_to(&mut self, number: u32) {
        self.outline.reveal(&self.tree, number);
        self.selected = number;
        if !self.outline.is_in_sight(number) {
            self.said = Some(Want::Tell(LEFT_OUT));
            self.stay_in_sight();
        }
    }

    /// Goes to the call that a command line named, unless the user has gone elsewhere meanwhile.
    pub(super) fn find_sought(&mut self) {
        let complete = matches!(self.fetch.state, State::Complete);
        if self.touched || self.sought.is_empty() {
            return self.sought.clear();
        }
        match self.tree.find(&self.sought) {
            Some(number) => self.go_to(number),
            None if complete => {
                let words = format!("this trace has no call {}", copy::dotted(&self.sought));
                self.said = Some(Want::Say(words.into()));
            }
            None => {}
        }
        if complete {
            // Folds are as they will be, so it stays in sight from now on.
            self.sought.clear();
        }
    }

    fn sorted(&self, sort: Sort, ahead: bool) -> Option<u32> {
        self.tree.jump(self.selected, sort, ahead)
    }

    fn sibling(&self, ahead: bool) -> Option<u32> {
        let at = self.selected;
        match (self.tree.parent(at), ahead) {
            (Some(parent), true) => {
                Some(self.tree.end(at)).filter(|next| *next < self.tree.end(parent))
            }
            (Some(parent), false) => {
                self.tree.children(parent).take_while(|child| *child < at).last()
            }
            (None, true) => Some(self.tree.end(at)).filter(|next| *next < self.tree.len()),
            (None, false) => self.tree.roots().take_while(|root| *root < at).last(),
        }
    }

    fn same_target(&self, ahead: bool) -> Option<u32> {
        let target = |number: &u32| self.tree.get(*number).map(|f| self.tree.body.head(f.to, 64));
        let ours = target(&self.selected).filter(|target| !target.is_empty())?;
        let same = |number: &u32| target(number).is_some_and(|target| target == ours);
        if ahead {
            (self.selected + 1..self.tree.len()).find(same)
        } else {
            (0..self.selected).rev().find(same)
        }
    }

    fn same_selector(&self) -> Option<u32> {
        let ours = self.tree.selector(self.selected)?;
        (self.selected + 1..self.tree.len()).find(|f| self.tree.selector(*f) == Some(ours))
    }

    /// Where the failure began that the selected call is part of, else the transaction's. At the
    /// origin already: on to the failure whose reason it did not pass on.
    fn go_to_origin(&mut self) -> bool {
        let outermost = revert_origin::outermost(&self.tree, self.selected);
        let from = outermost.or_else(|| revert_origin::outermost(&self.tree, 0));
        let Some(from) = from else {
            self.said = Some(Want::Tell(
                "neither this call nor the transaction failed: {next_failure} goes to failures",
            ));
            return true;
        };
        let mut found = revert_origin::origin(&self.tree, from);
        // The chain of causes, as far as the selected call is down in it already.
        while let Some(below) = found.as_ref().and_then(|r| {
            r.rethrown.filter(|below| {
                r.origin() == Some(self.selected)
                    || self.tree.subtree(*below).contains(&self.selected)
            })
        }) {
            found = revert_origin::origin(&self.tree, below);
        }
        let Some(found) = found else { return true };
        let same = found.origin() == Some(self.selected);
        if let Some(origin) = found.origin() {
            self.go_to(origin);
        }
        self.said = Some(Want::Tell(match (found.rethrown, same) {
            (Some(_), _) => {
                "it reverts for a reason of its own; a call below failed before: {revert_origin} goes \
                 there"
            }
            (None, true) => "the failure began here",
            (None, false) => "the failure began here, and came up unchanged",
        }));
        true
    }
}
