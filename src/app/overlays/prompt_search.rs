//! The search for the text in a prompt, and its results.
//!
//! A search begins after a pause in typing. Its results are visible for a moment before one of them is
//! selected: until then `Enter` refers to the typed text. Further pages are loaded at the end of the
//! list.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::found_place::{FoundPlace, ResultColumns};
use super::picker::{FuzzyMatcher, QueryTerm};
use crate::action::Action;
use crate::api::search_results::SearchResult;
use crate::api::{ApiError, Cursor, Next, Page};
use crate::messages::failed_refresh::NextRetry;
use crate::messages::page::PageMessage;
use crate::messages::prompt::{self, OverlayText};
use crate::name_cache::NameCache;
use crate::pane::Route;
use crate::safety::address_poisoning::{Evidence, KnownAddresses};
use crate::sanitize::SafeText;
use crate::ui::format::wrapped_lines;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;
use crate::user_data::labels::Labels;

/// Results on the screen at once.
const MAX_LINES: usize = 8;
/// Labelled addresses among the results.
const MAX_LABELLED_RESULTS: usize = 20;
/// Results after which no further page is loaded.
const MAX_RESULTS: usize = 1_000;
/// Maximum width of a result: name, address and kind are next to each other.
const MAX_COLUMNS_WIDTH: u16 = 100;

/// The search for the text of a prompt as it is now.
#[expect(clippy::struct_excessive_bools, reason = "they do not depend on each other")]
#[derive(Debug, Default)]
pub(in crate::app) struct PromptSearch {
    stage: SearchStage,
    results: Vec<FoundPlace>,
    /// The cursor of the page after the results, unless it is requested already.
    next: Option<Cursor>,
    /// `true` if there are more results than those loaded.
    has_more: bool,
    failure: Option<SearchFailure>,
    has_marks: bool,
    viewport: Viewport,
    /// `true` until the first page is requested.
    is_unrequested: bool,
    /// `true` once the text is known to be no place by itself, so that `Enter` can only refer to a result.
    is_no_place: bool,
}

#[derive(Debug)]
struct SearchFailure {
    why: String,
    /// `true` if it may pass by itself.
    is_transient: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SearchStage {
    /// There is nothing to search for.
    #[default]
    Idle,
    /// Typing has not rested yet.
    Typing,
    Requested,
    /// There are results or a failure, but nothing is selected.
    Answered,
    Selectable,
}

impl PromptSearch {
    /// Begins the search for another text, which is requested once typing rests. The user's own labels are
    /// listed at once.
    pub(super) fn restart(&mut self, text: Option<&str>, labels: &Labels, has_marks: bool) {
        let stage = if text.is_some() { SearchStage::Typing } else { SearchStage::Idle };
        let results = text.map(|text| labelled_places(text, labels)).unwrap_or_default();
        let is_unrequested = text.is_some();
        *self = Self { stage, results, has_marks, is_unrequested, ..Self::default() };
    }

    pub(super) fn can_recover(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.is_transient)
    }

    /// Begins the same search again. Its first page is requested now, so only own labels stay listed.
    pub(super) fn repeat(&mut self) {
        let mut results = std::mem::take(&mut self.results);
        results.retain(|found| found.labelled_address().is_some());
        let has_marks = self.has_marks;
        *self = Self { stage: SearchStage::Requested, results, has_marks, ..Self::default() };
    }

    /// Advances when a timer fires. Returns `true` if the search is to be requested now.
    pub(super) fn on_timer(&mut self) -> bool {
        self.stage = match self.stage {
            SearchStage::Typing => SearchStage::Requested,
            SearchStage::Answered => SearchStage::Selectable,
            stage => stage,
        };
        std::mem::take(&mut self.is_unrequested)
    }

    /// Returns `true` if the text is searched for.
    pub(super) fn has_begun(&self) -> bool {
        self.stage != SearchStage::Idle
    }

    /// Selects the first result, now or when it arrives, of a text that is no place by itself.
    pub(super) fn select_first(&mut self) {
        self.is_no_place = true;
        if self.has_results() {
            self.stage = SearchStage::Selectable;
        }
    }

    pub(in crate::app) fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    /// Returns the lines of the results, with space for the longest warning.
    pub(super) fn height(&self, width: u16) -> u16 {
        let lines = u16::try_from(self.results.len().min(MAX_LINES)).unwrap_or(u16::MAX);
        lines + self.warning_height(width)
    }

    fn warning_height(&self, width: u16) -> u16 {
        let warnings = self.results.iter().filter_map(|found| found.warning.as_ref());
        let height = warnings.map(|warning| warning_lines(warning, width).len()).max();
        height.and_then(|height| u16::try_from(height).ok()).unwrap_or(0)
    }

    /// Returns the message in place of results, with its role.
    pub(super) fn message(
        &self,
        typed: &str,
        next_retry: Option<NextRetry>,
    ) -> Option<(String, Role)> {
        match (&self.failure, self.stage) {
            (_, SearchStage::Idle) => None,
            (Some(failure), _) => {
                let retry =
                    next_retry.filter(|_| failure.is_transient).map(|retry| format!(" · {retry}"));
                let failed = OverlayText::SearchFailed { why: &failure.why };
                let words = format!("{failed}{}", retry.unwrap_or_default());
                Some((words, Role::Failed))
            }
            (None, SearchStage::Typing | SearchStage::Requested) => {
                Some((prompt::SEARCHING.to_owned(), Role::Dim))
            }
            (None, _) if self.results.is_empty() => {
                Some((PageMessage::NoMatch { text: typed }.to_string(), Role::Dim))
            }
            (None, _) => None,
        }
    }

    /// Returns the number of the selected result, and of all: `3 of 50+`.
    pub(super) fn position(&self) -> Option<String> {
        let more = if self.has_more { "+" } else { "" };
        self.has_results()
            .then(|| format!(" {} of {}{more} ", self.viewport.selected + 1, self.results.len()))
    }

    pub(super) fn selected_route(&self) -> Option<Route> {
        Some(self.selected()?.route.clone())
    }

    fn selected(&self) -> Option<&FoundPlace> {
        let is_selectable = self.stage == SearchStage::Selectable;
        self.results.get(self.viewport.selected).filter(|_| is_selectable)
    }

    /// Moves the selection. Returns `false` if the action does not move.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let Some(by) = action.row_delta(MAX_LINES).filter(|_| self.has_results()) else {
            return false;
        };
        self.stage = SearchStage::Selectable;
        self.viewport.step(by, self.results.len(), MAX_LINES);
        true
    }

    /// Selects the next result, after the last one the first.
    pub(in crate::app) fn select_next(&mut self) {
        self.stage = SearchStage::Selectable;
        let next = (self.viewport.selected + 1) % self.results.len().max(1);
        self.viewport.select(next, self.results.len(), MAX_LINES);
    }

    /// Takes the cursor of the next page if the selection is at the end.
    pub(super) fn take_next(&mut self) -> Option<Cursor> {
        let is_at_end = self.viewport.selected + 1 >= self.results.len();
        self.next.take_if(|_| is_at_end && self.results.len() < MAX_RESULTS)
    }

    pub(super) fn fail(&mut self, error: &ApiError, host: Option<&str>) {
        self.answer();
        let is_transient = error.is_transient();
        self.failure = Some(SearchFailure { why: error.with_host(host), is_transient });
    }

    /// Appends a page, and compares its addresses with `known`, the user's own and each other.
    pub(super) fn append(
        &mut self,
        page: &Page<SearchResult>,
        searched: &str,
        (mut known, names): (KnownAddresses, &NameCache),
        has_marks: bool,
    ) {
        self.answer();
        let (before, lower) = (self.results.len(), searched.to_lowercase());
        let read = page.items.iter().filter_map(|item| item.parsed.as_ref().ok());
        let (mut own, mut found): (Vec<_>, Vec<_>) = read
            .filter_map(|item| FoundPlace::new(item, &lower, names.labels()))
            .partition(|place| place.labelled_address().is_some());
        mark_names(own.iter_mut().chain(&mut found), searched);
        // The explorer knows more of an address than its label.
        for listed in &mut self.results {
            let address = listed.labelled_address();
            if let Some(at) = own.iter().position(|place| place.labelled_address() == address) {
                *listed = own.swap_remove(at);
            }
        }
        own.append(&mut found);
        self.results.append(&mut own);
        for address in self.results.iter().filter_map(|found| found.address) {
            known.add(address, Evidence::Seen);
        }
        for found in &mut self.results {
            found.update_warning(&known, names.labelled_addresses());
        }
        if let Some(added) = self.results.get_mut(before..) {
            added.sort_by_key(FoundPlace::rank);
        }
        self.has_marks = has_marks;
        self.has_more = !matches!(page.next, Next::End);
        self.next = match &page.next {
            Next::Page(cursor) if !self.results.is_empty() => Some(cursor.clone()),
            _ => None,
        };
    }

    fn answer(&mut self) {
        if self.stage != SearchStage::Selectable {
            self.stage =
                if self.is_no_place { SearchStage::Selectable } else { SearchStage::Answered };
        }
    }

    /// Draws the results, and the warning of the selected one below them.
    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let warned = self.selected().and_then(|found| found.warning.as_ref());
        let heights = [Constraint::Min(1), Constraint::Length(self.warning_height(area.width))];
        let [list, below] = area.layout(&Layout::vertical(heights));
        let visible = self.viewport.visible(self.results.len(), list.height.into());
        let shown = self.results.get(visible.clone()).unwrap_or_default();
        let width = list.width.min(MAX_COLUMNS_WIDTH);
        let columns = ResultColumns::new(width, shown, self.has_marks, styles);
        for ((n, found), line) in visible.zip(shown).zip(list.rows()) {
            columns.draw(found, line, buf);
            if self.selected().is_some() && n == self.viewport.selected {
                buf.set_style(line, styles.selection());
            }
        }
        let lines = warned.map(|warning| warning_lines(warning, area.width)).unwrap_or_default();
        for (text, line) in lines.iter().zip(below.rows()) {
            draw_text(buf, line, text, styles.of(Role::Warning));
        }
    }
}

/// Returns the addresses whose labels contain a text.
fn labelled_places(text: &str, labels: &Labels) -> Vec<FoundPlace> {
    let searched = text.to_lowercase();
    let found = labels.containing(&searched);
    let own = found.filter_map(|address| FoundPlace::labelled(*address, &searched, labels));
    let mut places: Vec<FoundPlace> = own.take(MAX_LABELLED_RESULTS).collect();
    mark_names(places.iter_mut(), text);
    places.sort_by_key(FoundPlace::rank);
    places
}

/// Marks a text in the names of results.
fn mark_names<'a>(places: impl Iterator<Item = &'a mut FoundPlace>, text: &str) {
    let (term, mut finder) = (QueryTerm::new(text), FuzzyMatcher::default());
    for place in places {
        place.marks = finder.whole_positions(&term, &place.names);
    }
}

fn warning_lines(warning: &SafeText, width: u16) -> Vec<String> {
    wrapped_lines(&["! ", warning].concat(), width.into()).map(str::to_owned).collect()
}
