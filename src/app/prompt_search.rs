//! The search for what is typed in a prompt, and its results.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::picker::{PickerEntry, draw_entries};
use crate::action::Action;
use crate::api::Page;
use crate::api::search_results::SearchResult;
use crate::chain::BlockId;
use crate::chain::target::TargetKind;
use crate::msg::{Effect, PaneRequest, Ticket};
use crate::pane::Route;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::theme::Styles;
use crate::ui::viewport::Viewport;

const MAX_RESULTS: usize = 8;

/// The search for the text of a prompt as it is now.
#[derive(Debug, Default)]
pub(super) struct PromptSearch {
    /// That of the latest text: answers to others are stale.
    pub(super) ticket: Option<Ticket>,
    results: Vec<FoundPlace>,
    viewport: Viewport,
}

#[derive(Debug)]
struct FoundPlace {
    entry: PickerEntry,
    route: Route,
}

impl PromptSearch {
    pub(super) fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    pub(super) fn height(&self) -> u16 {
        u16::try_from(self.results.len()).unwrap_or(u16::MAX)
    }

    pub(super) fn selected_route(&self) -> Option<Route> {
        Some(self.results.get(self.viewport.selected)?.route.clone())
    }

    /// Moves the selection. Returns `false` if the action does not move.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let Some(by) = action.row_delta(MAX_RESULTS).filter(|_| self.has_results()) else {
            return false;
        };
        self.viewport.step(by, self.results.len(), MAX_RESULTS);
        true
    }

    /// Selects the next result, after the last one the first.
    pub(super) fn select_next(&mut self) {
        let next = (self.viewport.selected + 1) % self.results.len().max(1);
        self.viewport.select(next, self.results.len(), MAX_RESULTS);
    }

    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let visible = self.viewport.visible(self.results.len(), area.height.into());
        let selected = self.viewport.selected - visible.start;
        let shown: Vec<&PickerEntry> =
            self.results[visible].iter().map(|found| &found.entry).collect();
        draw_entries(area, buf, (&shown, selected), &[], styles);
    }

    /// Returns the effect that cancels the request for an earlier text.
    pub(super) fn cancel(&mut self) -> Option<Effect> {
        let ticket = std::mem::take(self).ticket?;
        Some(Effect::Request { ticket, request: PaneRequest::Cancel })
    }

    pub(super) fn list(&mut self, page: &Page<SearchResult>, has_marks: bool) {
        let read = page.items.iter().filter_map(|item| item.parsed.as_ref().ok());
        let read = read.filter_map(|item| found_place(item, has_marks));
        self.results = read.take(MAX_RESULTS).collect();
        // A token may have the name of a domain, and a domain is found by its whole name only.
        self.results.sort_by_key(|found| &*found.entry.right != "ens domain");
    }
}

/// Returns a result that can be opened.
fn found_place(result: &SearchResult, has_marks: bool) -> Option<FoundPlace> {
    let kind = result.kind.value()?;
    let block = result.block_number.value().map(|number| BlockId::Number(*number));
    let block = block.or_else(|| result.block_hash.value().map(|hash| BlockId::Hash(*hash)));
    let route = match (&**kind, result.address.value()) {
        ("token", Some(token)) => Route::Token(*token),
        ("transaction", _) => {
            Route::Target(TargetKind::Transaction(*result.transaction_hash.value()?))
        }
        ("block", _) => Route::Target(TargetKind::Block(block?)),
        (_, address) => Route::Target(TargetKind::Address(*address?)),
    };
    let hash = match &route {
        Route::Token(token) => token.to_string(),
        route => route.target()?.to_string(),
    };
    let names = [result.symbol.value(), result.name.value()];
    let names: Vec<String> =
        names.into_iter().flatten().map(|name| guard_name(name.clone()).to_string()).collect();
    let kind = SafeText::new(&kind.replace('_', " "));
    let (name, right) = if names.is_empty() {
        (kind, SafeText::default())
    } else {
        (SafeText::new(&names.join(" · ")), kind)
    };
    let mark = result.address.value().filter(|_| has_marks).map(AddressMark::new);
    let entry = PickerEntry { name, detail: hash.into(), right, mark, ..PickerEntry::default() };
    Some(FoundPlace { entry, route })
}
