//! What the selected row of a list leads to, when that is shown beside the list.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{PaneKind, Route};
use crate::api::Item;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::columns::Row;
use crate::name_cache::NameCache;

/// Where a row leads, and the row.
#[derive(Debug, Clone)]
pub struct PreviewTarget {
    /// Where it leads.
    pub link: Route,
    /// The row, as the server sent it.
    raw: Arc<RawValue>,
}

impl PreviewTarget {
    /// Of a row in the list of `viewed`.
    pub fn from_row<T: Row>(
        item: &Arc<Item<T>>,
        viewed: Option<Address>,
        seen: &NameCache,
    ) -> Self {
        let raw = item.raw.clone();
        let row = match &item.parsed {
            Ok(row) => row,
            Err(why) => {
                let link = Route::Unreadable { why: why.clone(), raw: raw.clone() };
                return Self { link, raw };
            }
        };
        let link = match T::COLUMNS.iter().find_map(|c| (c.route)(item, row, viewed)) {
            Some(Route::Target(TargetKind::Transaction(hash))) => match seen.transaction(&hash) {
                Some(known) => Route::Transaction(known.clone()),
                None => Route::Target(TargetKind::Transaction(hash)),
            },
            // An address is a place with a list of its own: of its row there is more to say.
            None | Some(Route::Target(TargetKind::Address(_))) => Route::Row(raw.clone()),
            Some(link) => link,
        };
        Self { link, raw }
    }

    /// Whether what `other` leads to is shown already. Rows change in what does not matter, like the
    /// count of confirmations, and several rows lead to one transaction.
    pub fn shows_same(&self, other: &Self) -> bool {
        match (&self.link, &other.link) {
            (
                Route::Instances { token, holder },
                Route::Instances { token: other_token, holder: other_holder },
            ) => (token, holder) == (other_token, other_holder),
            (ours, theirs) => match (ours.target(), theirs.target()) {
                (None, None) => {
                    Arc::ptr_eq(&self.raw, &other.raw) || self.raw.get() == other.raw.get()
                }
                (ours_is, theirs_is) => ours_is == theirs_is && same_outcome(ours, theirs),
            },
        }
    }

    /// Whether its pane of this kind has all that it shows at first without asking the explorer.
    pub fn is_loaded(&self, kind: PaneKind) -> bool {
        match kind {
            PaneKind::Transaction => matches!(self.link, Route::Transaction(_)),
            PaneKind::TokenInstance | PaneKind::RawRow => true,
            _ => false,
        }
    }
}

/// Whether a transaction is not known to have gone otherwise meanwhile: one that was pending ends.
fn same_outcome(ours: &Route, theirs: &Route) -> bool {
    let outcome = |link: &Route| -> Option<TransactionOutcome> {
        let Route::Transaction(item) = link else { return None };
        item.parsed.as_ref().ok().map(Transaction::outcome)
    };
    outcome(ours).is_none_or(|ours| outcome(theirs).is_none_or(|theirs| ours == theirs))
}
