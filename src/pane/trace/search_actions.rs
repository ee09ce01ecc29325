//! Runs the search and the filter of the pane, and goes from hit to hit.

use super::fetch::FetchState;
use super::{TracePane, TraceView};
use crate::action::Action;
use crate::calls::search::CallSearch;
use crate::pane::{Command, PaneContext};

impl TracePane {
    /// Goes to the next or previous hit of the search. Returns whether the action does that.
    pub(super) fn go_to_match(&mut self, action: Action) -> bool {
        match action {
            Action::NextMatch => self.next_match(true),
            Action::PreviousMatch => self.next_match(false),
            _ => return false,
        }
        true
    }

    fn next_match(&mut self, ahead: bool) {
        let search = self.search.as_ref();
        let Some(hit) = search.and_then(|search| search.next_hit(self.selected, ahead)) else {
            return self.notify_keys("no match");
        };
        let opened = self.visible.reveal(&self.tree, hit);
        if let Some(search) = &mut self.search {
            search.opened_folds.extend(opened);
        }
        self.go_to(hit);
    }

    /// Goes on with what is not done.
    pub(super) fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.continue_scan();
        match &mut self.view {
            TraceView::Functions(view) => view.continue_sum(&self.tree),
            TraceView::ValueFlow(view) => view.continue_sum(&self.tree),
            _ => {}
        }
        self.select_call_of_function();
        self.continue_search(cx);
        self.pending_notice.take().into_iter().collect()
    }

    /// Searches the next calls: for the search until it is done, then for the filter.
    pub(super) fn continue_search(&mut self, cx: &PaneContext<'_>) {
        if self.is_unfinished(self.search.as_ref()) {
            self.resume_search(cx);
        } else if self.is_unfinished(self.filter.as_ref()) {
            self.resume_filter(cx);
        }
    }

    /// Searches the next calls and selects the first hit.
    fn resume_search(&mut self, cx: &PaneContext<'_>) {
        let Some(mut search) = self.search.take() else { return };
        let is_done = search.resume(&self.formatter(cx));
        if is_done {
            search.add_events(self.placed_events(cx));
        }
        let has_hits = !search.hits().is_empty();
        let is_on_hit = search.is_hit(self.selected);
        let was_settled = std::mem::replace(&mut search.is_settled, is_done || has_hits);
        self.search = Some(search);
        match (was_settled, has_hits) {
            (false, true) if !is_on_hit => self.next_match(true),
            (false, false) if is_done => self.notify_keys("no match"),
            _ => {}
        }
    }

    /// Searches the next calls, and hides the others after the last ones.
    fn resume_filter(&mut self, cx: &PaneContext<'_>) {
        let Some(mut filter) = self.filter.take() else { return };
        let is_done = filter.resume(&self.formatter(cx));
        if is_done {
            filter.add_events(self.placed_events(cx));
        }
        let is_in_vain =
            is_done && filter.hits().is_empty() && matches!(self.fetch.state, FetchState::Complete);
        if is_in_vain {
            self.notify_keys("no match");
        }
        self.filter = (!is_in_vain).then_some(filter);
        if is_done {
            self.apply_hidden();
        }
    }

    /// Repeats the search and the filter with names and signatures that may be new.
    pub(super) fn search_again(&mut self) {
        let searches = [&mut self.search, &mut self.filter];
        searches.into_iter().flatten().for_each(CallSearch::restart);
    }

    /// Returns whether [`Self::on_tick`] has something to do.
    pub(super) fn is_working(&self) -> bool {
        let is_summing = match &self.view {
            TraceView::Functions(view) => !view.is_complete(),
            TraceView::ValueFlow(view) => !view.is_complete(),
            _ => false,
        };
        is_summing
            || self.same_call.is_some()
            || self.is_unfinished(self.search.as_ref())
            || self.is_unfinished(self.filter.as_ref())
    }

    fn is_unfinished(&self, search: Option<&CallSearch>) -> bool {
        search.is_some_and(|search| !search.is_done(&self.tree))
    }
}
