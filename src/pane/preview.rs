//! Content of the preview next to a list: the page of the selected row.

use std::any::Any;
use std::sync::Arc;

use super::{Pane, PaneKind, PaneOfKind, Route};
use crate::api::Item;
use crate::api::accounts::VerifiedContract;
use crate::api::endpoints::block::Block;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::columns::table::any_row::AnyItem;
use crate::columns::{ListRow, RowPreview};
use crate::name_cache::NameCache;

/// The page of a row, and the row itself.
#[derive(Debug, Clone)]
pub struct PreviewTarget {
    pub link: Route,
    row: Arc<dyn AnyItem>,
}

/// Returns the page of a row's own object, not of a party or of the transaction around it.
pub fn own_page(item: &Arc<dyn AnyItem>, viewed: Option<Address>) -> Option<Route> {
    let page = item.clone().row_route(viewed)?;
    let is_own = match page {
        Route::Target(TargetKind::Transaction(_)) => false,
        Route::Target(TargetKind::Address(_)) | Route::Token(_) => {
            item.row().ok()?.kind().preview == RowPreview::Accounts
        }
        _ => page.target().is_some(),
    };
    is_own.then_some(page)
}

impl PreviewTarget {
    /// Returns the page of a row. `None` if it says no more about the row than its cells and its details
    /// do.
    pub fn from_row(
        item: &Arc<dyn AnyItem>,
        viewed: Option<Address>,
        seen: &NameCache,
    ) -> Option<Self> {
        let link = match item.clone().row_route(viewed)? {
            Route::Target(TargetKind::Transaction(hash)) => match seen.transaction(&hash) {
                Some(known) => Route::Transaction(known.clone()),
                None => Route::Target(TargetKind::Transaction(hash)),
            },
            Route::Transaction(own) => Route::Transaction(complete(&own, seen)),
            link @ (Route::Target(TargetKind::Address(_)) | Route::Token(_)) => {
                let preview = item.row().ok()?.kind().preview;
                Some(link).filter(|_| preview == RowPreview::Accounts)?
            }
            link => link,
        };
        Some(Self { link, row: item.clone() })
    }

    /// Returns the preview of a row in a transaction's own lists, whose page is open already.
    pub fn from_part(item: &Arc<dyn AnyItem>, transaction: TxHash) -> Option<Self> {
        Some(Self { link: item.clone().part_route(transaction)?, row: item.clone() })
    }

    /// Creates the panes of the preview.
    pub fn create_panes(&self) -> Vec<PaneOfKind> {
        let panes = PaneKind::create_all(&self.link).into_iter();
        panes.filter(|(kind, _)| !kind.is_header()).collect()
    }

    /// Returns the tab that says most about a row, if that is not the first.
    pub fn usual_kind(&self) -> Option<PaneKind> {
        match &self.link {
            Route::Target(TargetKind::Block(_)) if !self.has_transactions() => {
                Some(PaneKind::Block)
            }
            Route::Target(TargetKind::Address(_)) if self.is_of_code() => Some(PaneKind::Contract),
            Route::Transaction(_) => Some(PaneKind::Transaction),
            _ => None,
        }
    }

    /// Returns `true` if the row is a block with transactions, or one whose count is unknown. Rows of another
    /// type are about the block, not about what is in it.
    fn has_transactions(&self) -> bool {
        let row = self.row.row().ok().map(|row| row as &dyn Any);
        let block: Option<&Block> = row.and_then(<dyn Any>::downcast_ref);
        block.is_some_and(|block| block.transactions_count.value() != Some(&0))
    }

    fn is_of_code(&self) -> bool {
        self.row.row().is_ok_and(|row| row.kind().list_name == VerifiedContract::LIST_NAME)
    }

    /// Creates the pane that the row itself has the data of, if there is one.
    pub fn pane_of_row(&self) -> Option<Box<dyn Pane>> {
        let is_in_row =
            matches!(self.link, Route::Transaction(_) | Route::Log(_) | Route::Part { .. });
        self.create_panes().into_iter().find(|_| is_in_row).map(|(_, pane)| pane)
    }

    /// Returns `true` if the preview of `other` would look the same. Rows change in insignificant ways,
    /// such as confirmations, and several rows may belong to one transaction.
    pub fn shows_same(&self, other: &Self) -> bool {
        match (&self.link, &other.link) {
            (
                Route::Instances { token, holder },
                Route::Instances { token: other_token, holder: other_holder },
            ) => (token, holder) == (other_token, other_holder),
            (ours, theirs) => match (ours.target(), theirs.target()) {
                (None, None) => {
                    let (ours, theirs) = (self.row.raw(), other.row.raw());
                    Arc::ptr_eq(ours, theirs) || ours.get() == theirs.get()
                }
                (ours_is, theirs_is) => ours_is == theirs_is && same_outcome(ours, theirs),
            },
        }
    }

    /// Returns `true` if a pane of this kind can show all of it without a request.
    pub fn is_loaded(&self, kind: PaneKind) -> bool {
        match kind {
            PaneKind::Transaction => match &self.link {
                Route::Transaction(item) => {
                    item.parsed.as_ref().is_ok_and(Transaction::is_complete)
                }
                _ => false,
            },
            PaneKind::TokenInstance | PaneKind::Log | PaneKind::Part | PaneKind::RawRow => true,
            _ => false,
        }
    }
}

/// Returns `true` if the outcome is still the same: a pending transaction may have ended meanwhile.
fn same_outcome(ours: &Route, theirs: &Route) -> bool {
    let outcome = |link: &Route| -> Option<TransactionOutcome> {
        let Route::Transaction(item) = link else { return None };
        item.parsed.as_ref().ok().map(Transaction::outcome)
    };
    outcome(ours).is_none_or(|ours| outcome(theirs).is_none_or(|theirs| ours == theirs))
}

/// Returns the transaction of a row, or the cached one if that is complete.
fn complete(own: &Arc<Item<Transaction>>, seen: &NameCache) -> Arc<Item<Transaction>> {
    let known = own.parsed.as_ref().ok().and_then(|own| seen.transaction(&own.hash));
    known
        .filter(|known| known.parsed.as_ref().is_ok_and(Transaction::is_complete))
        .unwrap_or(own)
        .clone()
}
