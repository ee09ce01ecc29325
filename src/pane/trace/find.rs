//! Searching and filtering as the pane does it: slice by slice, opening folds.

use super::Trace;
use super::search::Search;
use crate::msg::Action;
use crate::pane::{Cx, Want};

impl Trace {
    /// Goes to the next hit of the search, or the one before.
    pub(super) fn seek(&mut self, action: Action) -> bool {
        match action {
            Action::NextMatch => self.next_hit(true),
            Action::PreviousMatch => self.next_hit(false),
            _ => return false,
        }
        true
    }

    pub(super) fn next_hit(&mut self, ahead: bool) {
        let Some(search) = &self.search else {
            self.said = Some(Want::Tell("nothing is searched for: {search} searches"));
            return;
        };
        let Some((_, hit)) = search.next(self.selected, ahead) else {
            self.said = Some(Want::Tell("no call matches"));
            return;
        };
        let opened = self.outline.reveal(&self.tree, hit);
        if let Some(search) = &mut self.search {
            search.opened.extend(opened);
        }
        self.go_to(hit);
    }

    /// Looks at the next slice of calls for what is searched for.
    pub(super) fn search_on(&mut self, cx: &Cx<'_>) {
        if let Some(mut search) = self.search.take() {
            let none_yet = search.hits().is_empty();
            let done = search.go_on(&self.names(cx));
            let first = none_yet && !search.hits().is_empty();
            let nothing = done && search.hits().is_empty();
            self.search = Some(search);
            if first && !self.search.as_ref().is_some_and(|s| s.is_hit(self.selected)) {
                self.next_hit(true);
            }
            if nothing {
                self.said = Some(Want::Tell("no call matches"));
            }
        }
        if let Some(mut filter) = self.filter.take() {
            let done = filter.is_done(&self.tree) || filter.go_on(&self.names(cx));
            self.filter = Some(filter);
            if done {
                self.apply_left();
            }
        }
    }

    pub(super) fn is_searching(&self) -> bool {
        let unfinished = |s: &Option<Search>| s.as_ref().is_some_and(|s| !s.is_done(&self.tree));
        unfinished(&self.search) || unfinished(&self.filter)
    }
}
