//! Jumps from call to call: siblings, failures, values, the same target, the origin of a revert.

use super::TracePane;
use super::folds::hottest_call;
use super::views::TraceView;
use crate::action::{Action, Step};
use crate::messages::trace::{self, TraceNote};
use crate::pane::{Command, PaneContext};
use crate::trace::revert_origin::{self, RevertOrigin};
use crate::trace::tree::{FrameClass, format_path};

impl TracePane {
    /// Jumps to another call.
    pub(super) fn jump(&mut self, action: Action) -> Option<Vec<Command>> {
        let at = self.cursor.call;
        let next = |class| self.tree.nearest_of(at, class, Step::Next);
        let previous = |class| self.tree.nearest_of(at, class, Step::Previous);
        let (to, what) = match action {
            Action::NextSibling => (self.sibling(Step::Next), trace::NEXT_SIBLING),
            Action::PreviousSibling => (self.sibling(Step::Previous), trace::PREVIOUS_SIBLING),
            Action::Parent => (self.tree.parent(at), trace::PARENT),
            Action::NextFailure => (next(FrameClass::Failed), trace::FAILED_BELOW),
            Action::PreviousFailure => (previous(FrameClass::Failed), trace::FAILED_ABOVE),
            Action::NextValue => (next(FrameClass::WithValue), trace::VALUE_BELOW),
            Action::PreviousValue => (previous(FrameClass::WithValue), trace::VALUE_ABOVE),
            Action::NextDelegate => (next(FrameClass::Delegated), trace::DELEGATECALL_BELOW),
            Action::PreviousDelegate => {
                (previous(FrameClass::Delegated), trace::DELEGATECALL_ABOVE)
            }
            Action::NextCreate => (next(FrameClass::Creation), trace::CREATION_BELOW),
            Action::PreviousCreate => (previous(FrameClass::Creation), trace::CREATION_ABOVE),
            Action::HottestCall => (self.next_hottest(), trace::OTHER_HOT_CALL),
            _ => return self.find_same(action),
        };
        Some(match to {
            Some(to) if to == at => {
                vec![Command::NotifyKeys(trace::HOTTEST_CALL)]
            }
            Some(to) => self.go_to(to).into_iter().collect(),
            None => vec![Command::Notify(format!("no {what}").into())],
        })
    }

    /// Selects a call and expands its ancestors. Returns a notice if the call is hidden.
    pub(super) fn go_to(&mut self, number: u32) -> Option<Command> {
        self.folding.visible.reveal(&self.tree, number);
        self.select(number);
        let is_hidden = !self.folding.visible.is_visible(number);
        if is_hidden {
            self.select_visible_ancestor();
        }
        is_hidden.then_some(Command::NotifyKeys(trace::HIDDEN_CALL))
    }

    /// Selects a call in the tree, now or once the trace is loaded.
    pub(super) fn show_call(&mut self, path: Vec<u32>) -> Option<Command> {
        self.view = TraceView::Tree;
        let found = self.tree.find(&path);
        let is_settled = found.is_some() && !self.loading.fetch.is_in_flight();
        self.user_interacted = is_settled;
        self.start.path = if is_settled { Vec::new() } else { path };
        // The path of the outermost call is empty, as if there were no target.
        match found {
            Some(number) => self.go_to(number),
            None => self.go_to_target_path(),
        }
    }

    /// Selects the call that the location names, unless the user has acted meanwhile. Returns a notice
    /// if it is hidden, or if the whole trace does not have it.
    pub(super) fn go_to_target_path(&mut self) -> Option<Command> {
        if self.user_interacted || self.start.path.is_empty() {
            self.start.path.clear();
            return None;
        }
        let notice = match self.tree.find(&self.start.path) {
            Some(number) => self.go_to(number),
            None if self.loading.fetch.is_complete() => {
                let path = format_path(&self.start.path);
                Some(Command::notify(&TraceNote::NoCall { path: &path }))
            }
            None => None,
        };
        if self.loading.fetch.is_complete() {
            // The initial folds are set, so the call stays visible.
            self.start.path.clear();
        }
        notice
    }

    fn sibling(&self, step: Step) -> Option<u32> {
        let at = self.cursor.call;
        match (self.tree.parent(at), step) {
            (Some(parent), Step::Next) => {
                Some(self.tree.end(at)).filter(|next| *next < self.tree.end(parent))
            }
            (Some(parent), Step::Previous) => {
                self.tree.children(parent).take_while(|child| *child < at).last()
            }
            (None, Step::Next) => Some(self.tree.end(at)).filter(|next| *next < self.tree.len()),
            (None, Step::Previous) => self.tree.roots().take_while(|root| *root < at).last(),
        }
    }

    /// Returns the call with the most self gas, or after that the next one in this order.
    fn next_hottest(&mut self) -> Option<u32> {
        let last = self.finding.hottest.filter(|last| *last == self.cursor.call);
        self.finding.hottest =
            hottest_call(&self.tree, last, |number| !self.folding.visible.is_hidden(number));
        self.finding.hottest
    }

    /// Selects the origin of the failure around the selected call, else of the transaction's failure,
    /// and requests its line. From the origin it continues to an earlier failure whose reason was not
    /// passed on.
    pub(super) fn go_to_revert_origin(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.loading.fetch.is_in_flight() {
            self.start.action = Some(Action::RevertOrigin);
            return Vec::new();
        }
        let first_failure = || self.tree.frames_of(FrameClass::Failed).first().copied();
        let Some(from) = self.outermost_failure().or_else(first_failure) else {
            return vec![Command::Notify(trace::NO_CALL_FAILED.into())];
        };
        let Some(found) = self.revert_origin_below(from) else { return Vec::new() };
        let Some(origin) = found.frame() else { return Vec::new() };
        let notice = Command::NotifyKeys(self.describe_origin(&found));
        let hidden_notice = self.go_to(origin);
        let request = self.ask_failure_line(origin, cx);
        hidden_notice.into_iter().chain([notice]).chain(request).collect()
    }

    /// Finds the origin of a failure. If that is selected, the origin of the failure that it hid.
    fn revert_origin_below(&self, from: u32) -> Option<RevertOrigin> {
        let mut found = revert_origin::find_origin(&self.tree, from);
        // Follow the chain of causes down to the selected call.
        while let Some(below) = found.as_ref().and_then(|r| {
            r.rethrown.filter(|below| {
                r.frame() == Some(self.cursor.call)
                    || self.tree.subtree(*below).contains(&self.cursor.call)
            })
        }) {
            found = revert_origin::find_origin(&self.tree, below);
        }
        found
    }

    fn describe_origin(&self, found: &RevertOrigin) -> &'static str {
        let is_passed_up = found.path.len() > 1 && found.frame() != Some(self.cursor.call);
        match (found.rethrown, is_passed_up) {
            (Some(_), _) => trace::OWN_REVERT,
            (None, false) => trace::REVERT_ORIGIN,
            (None, true) if found.is_wrapped => trace::REVERT_WRAPPED,
            (None, true) => trace::REVERT_UNCHANGED,
        }
    }
}
