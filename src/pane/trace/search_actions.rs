//! Runs the search and the filter of the pane, and goes from hit to hit.

use super::TracePane;
use super::same_call::SameCallScan;
use super::views::TraceView;
use crate::action::{Action, Step};
use crate::calls::search::CallSearch;
use crate::messages::trace;
use crate::pane::{Command, PaneContext, TypedMatches};

/// The calls that the user looks for.
#[derive(Debug, Default)]
pub(super) struct CallFinding {
    pub(super) search: Option<CallSearch>,
    /// The search that is being typed.
    pub(super) typed: Option<CallSearch>,
    pub(super) filter: Option<CallSearch>,
    pub(super) same_call: Option<SameCallScan>,
    /// The last call selected by its gas.
    pub(super) hottest: Option<u32>,
}

impl TracePane {
    /// Goes to the next or previous hit of the search.
    pub(super) fn go_to_match(&mut self, action: Action) -> Option<Vec<Command>> {
        let step = match action {
            Action::NextMatch => Step::Next,
            Action::PreviousMatch => Step::Previous,
            _ => return None,
        };
        Some(self.select_match(step).into_iter().collect())
    }

    fn select_match(&mut self, step: Step) -> Option<Command> {
        let search = self.finding.search.as_ref();
        let Some(hit) = search.and_then(|search| search.next_hit(self.cursor.call, step)) else {
            return Some(Command::NotifyKeys(trace::NO_MATCH));
        };
        let opened = self.folding.visible.reveal(&self.tree, hit);
        if let Some(search) = &mut self.finding.search {
            search.opened_folds.extend(opened);
        }
        self.go_to(hit)
    }

    /// Continues unfinished work.
    pub(super) fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands: Vec<Command> = self.continue_scan().into_iter().collect();
        commands.extend(self.continue_copy(cx));
        commands.extend(self.continue_export(cx));
        match &mut self.view {
            TraceView::Functions(view) => view.continue_sum(&self.tree),
            TraceView::BalanceChanges(view) => view.continue_sum(&self.tree),
            _ => {}
        }
        self.select_call_of_function();
        commands.extend(self.continue_search(cx));
        commands
    }

    /// Searches the next calls: for the search until it is done, then for the filter.
    pub(super) fn continue_search(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        if self.is_unfinished(self.finding.typed.as_ref()) {
            self.resume_typed(cx);
            None
        } else if self.is_unfinished(self.finding.search.as_ref()) {
            self.resume_search(cx)
        } else if self.is_unfinished(self.finding.filter.as_ref()) {
            self.resume_filter(cx)
        } else {
            None
        }
    }

    /// Begins the search that is being typed, or ends it.
    pub(super) fn on_search_typed(&mut self, text: Option<&str>, cx: &PaneContext<'_>) {
        let text = text.filter(|text| !text.trim().is_empty());
        let parsed = text.map(|text| CallSearch::parse(text, cx.network.decimals));
        self.finding.typed = parsed.and_then(Result::ok);
        self.resume_typed(cx);
    }

    fn resume_typed(&mut self, cx: &PaneContext<'_>) {
        let Some(mut typed) = self.finding.typed.take() else { return };
        if typed.resume(&self.formatter(cx)) {
            typed.add_events(self.placed_events(cx));
        }
        self.finding.typed = Some(typed);
    }

    /// Returns the matches of the search that is being typed.
    pub(super) fn matches_of_typed(&self) -> Option<TypedMatches> {
        let typed = self.finding.typed.as_ref()?;
        let is_all = typed.is_done(&self.tree);
        let count = typed.hits().len();
        Some(TypedMatches::Found { count, loaded: None, is_all, is_filtered: false })
    }

    /// Searches the next calls and selects the first hit.
    fn resume_search(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let mut search = self.finding.search.take()?;
        let is_done = search.resume(&self.formatter(cx));
        if is_done {
            search.add_events(self.placed_events(cx));
        }
        let has_hits = !search.hits().is_empty();
        let is_on_hit = search.is_hit(self.cursor.call);
        let was_settled = std::mem::replace(&mut search.is_settled, is_done || has_hits);
        self.finding.search = Some(search);
        match (was_settled, has_hits) {
            (false, true) if !is_on_hit => self.select_match(Step::Next),
            (false, false) if is_done => Some(Command::NotifyKeys(trace::NO_MATCH)),
            _ => None,
        }
    }

    /// Searches the next calls, and hides the others at the end.
    fn resume_filter(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let mut filter = self.finding.filter.take()?;
        let is_done = filter.resume(&self.formatter(cx));
        if is_done {
            filter.add_events(self.placed_events(cx));
        }
        let is_in_vain = is_done && filter.hits().is_empty() && self.loading.fetch.is_complete();
        self.finding.filter = (!is_in_vain).then_some(filter);
        if is_done {
            self.apply_hidden();
        }
        is_in_vain.then_some(Command::NotifyKeys(trace::NO_MATCH))
    }

    /// Repeats the search and the filter with names and signatures that may be new.
    pub(super) fn search_again(&mut self) {
        let CallFinding { search, typed, filter, .. } = &mut self.finding;
        let searches = [search, typed, filter];
        searches.into_iter().flatten().for_each(CallSearch::restart);
    }

    /// Returns `true` if [`Self::on_tick`] has something to do.
    pub(super) fn is_working(&self) -> bool {
        let is_summing = match &self.view {
            TraceView::Functions(view) => !view.is_complete(),
            TraceView::BalanceChanges(view) => !view.is_complete(),
            _ => false,
        };
        is_summing
            || self.finding.same_call.is_some()
            || self.tree_copy.is_some()
            || self.call_export.is_some()
            || self.is_unfinished(self.finding.typed.as_ref())
            || self.is_unfinished(self.finding.search.as_ref())
            || self.is_unfinished(self.finding.filter.as_ref())
    }

    fn is_unfinished(&self, search: Option<&CallSearch>) -> bool {
        search.is_some_and(|search| !search.is_done(&self.tree))
    }
}
