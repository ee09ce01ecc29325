//! Going from call to call.

use super::TracePane;
use super::fetch::FetchState;
use super::folds::hot_path;
use crate::msg::Action;
use crate::pane::Command;
use crate::sanitize::SafeText;
use crate::trace::revert_origin;
use crate::trace::tree::{FrameClass, format_path};

/// What is said of a call that is not to be seen.
const HIDDEN_NOTICE: &str = "that call is left out ({hide_static}, {merge_proxies}, {only_failures}, \
                        {filter_rows}): this is the one above it";

impl TracePane {
    /// Goes where the action says; whether it was one that goes somewhere.
    pub(super) fn jump(&mut self, action: Action) -> bool {
        let at = self.selected;
        let (to, what) = match action {
            Action::NextSibling => (self.sibling(true), "sibling after this one"),
            Action::PreviousSibling => (self.sibling(false), "sibling before this one"),
            Action::Parent => (self.tree.parent(at), "caller: this is the transaction's own call"),
            Action::NextFailure => {
                (self.next_of_class(FrameClass::Failed, true), "failed call below")
            }
            Action::PreviousFailure => {
                (self.next_of_class(FrameClass::Failed, false), "failed call above")
            }
            Action::NextValue => {
                (self.next_of_class(FrameClass::WithValue, true), "call with a value below")
            }
            Action::PreviousValue => {
                (self.next_of_class(FrameClass::WithValue, false), "call with a value above")
            }
            Action::NextDelegate => {
                (self.next_of_class(FrameClass::Delegated, true), "delegatecall below")
            }
            Action::PreviousDelegate => {
                (self.next_of_class(FrameClass::Delegated, false), "delegatecall above")
            }
            Action::NextCreate => {
                (self.next_of_class(FrameClass::Creation, true), "creation below")
            }
            Action::PreviousCreate => {
                (self.next_of_class(FrameClass::Creation, false), "creation above")
            }
            Action::NextSameTarget => {
                (self.next_same_target(true), "other call of this target below")
            }
            Action::PreviousSameTarget => {
                (self.next_same_target(false), "other call of this target above")
            }
            Action::NextSameSelector => {
                (self.next_same_selector(), "other call with this selector below")
            }
            Action::HotPath => (hot_path(&self.tree, at).last().copied(), "gas to follow"),
            Action::RevertOrigin => return self.go_to_revert_origin(),
            _ => return false,
        };
        match to {
            Some(to) => self.go_to(to),
            None => {
                self.pending_notice = Some(Command::Notify(SafeText::from(format!("no {what}"))))
            }
        }
        true
    }

    /// Selects a call, opening what hides it.
    pub(super) fn go_to(&mut self, number: u32) {
        self.visible.reveal(&self.tree, number);
        self.selected = number;
        if !self.visible.is_visible(number) {
            self.pending_notice = Some(Command::NotifyKeys(HIDDEN_NOTICE));
            self.select_visible_ancestor();
        }
    }

    /// Goes to the call that a command line named, unless the user has gone elsewhere meanwhile.
    pub(super) fn go_to_target_path(&mut self) {
        let complete = matches!(self.fetch.state, FetchState::Complete);
        if self.user_interacted || self.target_path.is_empty() {
            return self.target_path.clear();
        }
        match self.tree.find(&self.target_path) {
            Some(number) => self.go_to(number),
            None if complete => {
                let words = format!("this trace has no call {}", format_path(&self.target_path));
                self.pending_notice = Some(Command::Notify(words.into()));
            }
            None => {}
        }
        if complete {
            // Folds are as they will be, so it stays in sight from now on.
            self.target_path.clear();
        }
    }

    fn next_of_class(&self, sort: FrameClass, ahead: bool) -> Option<u32> {
        self.tree.nearest_of(self.selected, sort, ahead)
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

    fn next_same_target(&self, ahead: bool) -> Option<u32> {
        let target = |number: &u32| self.tree.get(*number).map(|f| self.tree.body.prefix(f.to, 64));
        let ours = target(&self.selected).filter(|target| !target.is_empty())?;
        let same = |number: &u32| target(number).is_some_and(|target| target == ours);
        if ahead {
            (self.selected + 1..self.tree.len()).find(same)
        } else {
            (0..self.selected).rev().find(same)
        }
    }

    fn next_same_selector(&self) -> Option<u32> {
        let ours = self.tree.selector(self.selected)?;
        (self.selected + 1..self.tree.len()).find(|f| self.tree.selector(*f) == Some(ours))
    }

    /// Where the failure began that the selected call is part of, else the transaction's. At the
    /// origin already: on to the failure whose reason it did not pass on.
    fn go_to_revert_origin(&mut self) -> bool {
        let outermost = revert_origin::outermost_failure(&self.tree, self.selected);
        let from = outermost.or_else(|| revert_origin::outermost_failure(&self.tree, 0));
        let Some(from) = from else {
            self.pending_notice = Some(Command::NotifyKeys(
                "neither this call nor the transaction failed: {next_failure} goes to failures",
            ));
            return true;
        };
        let mut found = revert_origin::find_origin(&self.tree, from);
        // The chain of causes, as far as the selected call is down in it already.
        while let Some(below) = found.as_ref().and_then(|r| {
            r.rethrown.filter(|below| {
                r.frame() == Some(self.selected)
                    || self.tree.subtree(*below).contains(&self.selected)
            })
        }) {
            found = revert_origin::find_origin(&self.tree, below);
        }
        let Some(found) = found else { return true };
        let same = found.frame() == Some(self.selected);
        if let Some(origin) = found.frame() {
            self.go_to(origin);
        }
        self.pending_notice = Some(Command::NotifyKeys(match (found.rethrown, same) {
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
