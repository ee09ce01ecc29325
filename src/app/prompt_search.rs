//! The search for what is typed in a prompt, and its results.

use crate::action::Action;
use crate::api::Page;
use crate::api::search_results::SearchResult;
use crate::chain::BlockId;
use crate::chain::target::TargetKind;
use crate::msg::{Effect, PaneRequest, Ticket};
use crate::pane::Route;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;

const MAX_RESULTS: usize = 8;

/// The search for the text of a prompt as it is now.
#[derive(Debug, Default)]
pub(super) struct PromptSearch {
    /// That of the latest text: answers to others are stale.
    pub(super) ticket: Option<Ticket>,
    results: Vec<FoundPlace>,
    selected: Option<usize>,
}

#[derive(Debug)]
struct FoundPlace {
    text: SafeText,
    route: Route,
}

impl PromptSearch {
    pub(super) fn results(&self) -> impl Iterator<Item = (&SafeText, bool)> {
        let texts = self.results.iter().map(|found| &found.text);
        texts.enumerate().map(|(n, text)| (text, self.selected == Some(n)))
    }

    pub(super) fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    pub(super) fn selected_route(&self) -> Option<Route> {
        Some(self.results.get(self.selected?)?.route.clone())
    }

    pub(super) fn first_route(&self) -> Option<Route> {
        self.results.first().map(|found| found.route.clone())
    }

    /// Moves the cursor through the results; above the first it is on the text itself.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let Some(by) = action.row_delta(MAX_RESULTS).filter(|_| self.has_results()) else {
            return false;
        };
        let last = self.results.len();
        let at = self.selected.map_or(0, |at| at + 1).saturating_add_signed(by).min(last);
        self.selected = at.checked_sub(1);
        true
    }

    /// Returns the effect that cancels the request for an earlier text.
    pub(super) fn cancel(&mut self) -> Option<Effect> {
        let ticket = std::mem::take(self).ticket?;
        Some(Effect::Request { ticket, request: PaneRequest::Cancel })
    }

    pub(super) fn list(&mut self, page: &Page<SearchResult>) {
        let read = page.items.iter().filter_map(|item| item.parsed.as_ref().ok());
        self.results = read.filter_map(found_place).take(MAX_RESULTS).collect();
    }
}

/// Returns a result that can be opened, as a line.
fn found_place(result: &SearchResult) -> Option<FoundPlace> {
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
    let what = match &route {
        Route::Token(token) => token.to_string(),
        route => route.target()?.to_string(),
    };
    let names = [result.symbol.value(), result.name.value()];
    let names: Vec<String> =
        names.into_iter().flatten().map(|name| guard_name(name.clone()).to_string()).collect();
    let text = format!("{:<11} {}  {what}", kind.replace('_', " "), names.join(" · "));
    Some(FoundPlace { text: SafeText::new(&text), route })
}
