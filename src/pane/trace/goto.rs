//! Jumps from call to call: siblings, failures, values, the same target, the origin of a revert.

use super::TracePane;
use super::fetch::FetchState;
use super::folds::hottest_call;
use crate::action::Action;
use crate::trace::revert_origin;
use crate::trace::tree::{FrameClass, format_path};

const HIDDEN_NOTICE: &str = "that call is hidden ({hide_static}, {merge_proxies}, {only_failures}, {filter_rows}); \
                             selected the one above it";

impl TracePane {
    /// Jumps to another call. Returns whether the action does that.
    pub(super) fn jump(&mut self, action: Action) -> bool {
        let at = self.selected;
        let (to, what) = match action {
            Action::NextSibling => (self.sibling(true), "next sibling"),
            Action::PreviousSibling => (self.sibling(false), "previous sibling"),
            Action::Parent => (self.tree.parent(at), "parent: this is the root call"),
            Action::NextFailure => {
                (self.next_of_class(FrameClass::Failed, true), "failed call below")
            }
            Action::PreviousFailure => {
                (self.next_of_class(FrameClass::Failed, false), "failed call above")
            }
            Action::NextValue => {
                (self.next_of_class(FrameClass::WithValue, true), "call with value below")
            }
            Action::PreviousValue => {
                (self.next_of_class(FrameClass::WithValue, false), "call with value above")
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
            Action::HotPath => (self.next_hottest(), "other call with gas of its own"),
            Action::RevertOrigin => return self.go_to_revert_origin(),
            _ => return self.find_same(action),
        };
        match to {
            Some(to) if to == at => {
                self.notify_keys("this is the call with the most gas of its own");
            }
            Some(to) => self.go_to(to),
            None => self.notify(format!("no {what}")),
        }
        true
    }

    /// Selects a call and expands its ancestors.
    pub(super) fn go_to(&mut self, number: u32) {
        self.visible.reveal(&self.tree, number);
        self.select(number);
        if !self.visible.is_visible(number) {
            self.notify_keys(HIDDEN_NOTICE);
            self.select_visible_ancestor();
        }
    }

    /// Selects the call that the location names, unless the user has acted meanwhile.
    pub(super) fn go_to_target_path(&mut self) {
        let is_complete = matches!(self.fetch.state, FetchState::Complete);
        if self.user_interacted || self.target_path.is_empty() {
            return self.target_path.clear();
        }
        match self.tree.find(&self.target_path) {
            Some(number) => self.go_to(number),
            None if is_complete => {
                self.notify(format!("no call {} in this trace", format_path(&self.target_path)));
            }
            None => {}
        }
        if is_complete {
            // The initial folds are set, so the call stays visible.
            self.target_path.clear();
        }
    }

    fn next_of_class(&self, class: FrameClass, ahead: bool) -> Option<u32> {
        self.tree.nearest_of(self.selected, class, ahead)
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

    /// Returns the call with the most self gas, or after that the next one in this order.
    fn next_hottest(&mut self) -> Option<u32> {
        let last = self.hottest.filter(|last| *last == self.selected);
        let is_shown = |number| !self.visible.is_hidden(number);
        self.hottest = hottest_call(&self.tree, last, is_shown);
        self.hottest
    }

    /// Selects the origin of the failure around the selected call, else of the transaction's. From the
    /// origin it goes on to an earlier failure whose reason was not passed on.
    fn go_to_revert_origin(&mut self) -> bool {
        if self.fetch.is_in_flight() {
            self.goes_to_origin = true;
            return true;
        }
        let first_failure = || self.tree.frames_of(FrameClass::Failed).first().copied();
        let Some(from) = self.outermost_failure().or_else(first_failure) else {
            self.notify("no call failed".into());
            return true;
        };
        let mut found = revert_origin::find_origin(&self.tree, from);
        // Follow the chain of causes down to the selected call.
        while let Some(below) = found.as_ref().and_then(|r| {
            r.rethrown.filter(|below| {
                r.frame() == Some(self.selected)
                    || self.tree.subtree(*below).contains(&self.selected)
            })
        }) {
            found = revert_origin::find_origin(&self.tree, below);
        }
        let Some(found) = found else { return true };
        let passed_up = found.path.len() > 1 && found.frame() != Some(self.selected);
        if let Some(origin) = found.frame() {
            self.go_to(origin);
            self.failure_lines.want(origin);
        }
        self.notify_keys(match (found.rethrown, passed_up) {
            (Some(_), _) => "reverts for its own reason · {revert_origin} earlier failure below",
            (None, false) => "revert starts here · {source} its source",
            (None, true) if found.is_wrapped => {
                "revert starts here, passed up wrapped · {source} its source"
            }
            (None, true) => "revert starts here, passed up unchanged · {source} its source",
        });
        true
    }

    /// Goes to the origin that was asked for while the trace was loading.
    pub(super) fn go_to_pending_origin(&mut self) {
        if std::mem::take(&mut self.goes_to_origin) {
            self.go_to_revert_origin();
        }
    }
}
