//! Searching and filtering as the pane does it: slice by slice, opening folds.

use super::TracePane;
use super::search::CallSearch;
use crate::msg::Action;
use crate::pane::{Command, PaneContext};

impl TracePane {
    /// Goes to the next hit of the search, or the one before.
    pub(super) fn go_to_match(&mut self, action: Action) -> bool {
        match action {
            Action::NextMatch => self.next_match(true),
            Action::PreviousMatch => self.next_match(false),
            _ => return false,
        }
        true
    }

    pub(super) fn next_match(&mut self, ahead: bool) {
        let Some(search) = &self.search else {
            self.pending_notice =
                Some(Command::NotifyKeys("nothing is searched for: {search} searches"));
            return;
        };
        let Some((_, hit)) = search.next_hit(self.selected, ahead) else {
            self.pending_notice = Some(Command::NotifyKeys("no call matches"));
            return;
        };
        let opened = self.visible.reveal(&self.tree, hit);
        if let Some(search) = &mut self.search {
            search.opened_folds.extend(opened);
        }
        self.go_to(hit);
    }

    /// Looks at the next slice of calls for what is searched for.
    pub(super) fn continue_search(&mut self, cx: &PaneContext<'_>) {
        if let Some(mut search) = self.search.take() {
            let none_yet = search.matches().is_empty();
            let done = search.resume(&self.formatter(cx));
            let first = none_yet && !search.matches().is_empty();
            let nothing = done && search.matches().is_empty();
            self.search = Some(search);
            if first && !self.search.as_ref().is_some_and(|s| s.is_hit(self.selected)) {
                self.next_match(true);
            }
            if nothing {
                self.pending_notice = Some(Command::NotifyKeys("no call matches"));
            }
        }
        if let Some(mut filter) = self.filter.take() {
            let done = filter.is_done(&self.tree) || filter.resume(&self.formatter(cx));
            self.filter = Some(filter);
            if done {
                self.apply_hidden();
            }
        }
    }

    pub(super) fn is_searching(&self) -> bool {
        let unfinished =
            |s: &Option<CallSearch>| s.as_ref().is_some_and(|s| !s.is_done(&self.tree));
        unfinished(&self.search) || unfinished(&self.filter)
    }
}
