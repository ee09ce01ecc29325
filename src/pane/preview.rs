//! What the selected row of a list leads to, when that is shown beside the list.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::row::Row;
use super::{Kind, Link};
use crate::api::Item;
use crate::api::transactions::{Outcome, Transaction};
use crate::chain::Address;
use crate::chain::target::Subject;
use crate::name_cache::Seen;

/// Where a row leads, and the row.
#[derive(Debug, Clone)]
pub struct Beside {
    /// Where it leads.
    pub link: Link,
    /// The row, as the server sent it.
    raw: Arc<RawValue>,
}

impl Beside {
    /// Of a row in the list of `viewed`.
    pub fn of<T: Row>(item: &Arc<Item<T>>, viewed: Option<Address>, seen: &Seen) -> Self {
        let raw = item.raw.clone();
        let row = match &item.read {
            Ok(row) => row,
            Err(why) => {
                let link = Link::Unread { why: why.clone(), raw: raw.clone() };
                return Self { link, raw };
            }
        };
        let link = match T::columns().iter().find_map(|c| (c.link)(item, row, viewed)) {
            Some(Link::Subject(Subject::Transaction(hash))) => match seen.transaction(&hash) {
                Some(known) => Link::Transaction(known.clone()),
                None => Link::Subject(Subject::Transaction(hash)),
            },
            // An address is a place with a list of its own: of its row there is more to say.
            None | Some(Link::Subject(Subject::Address(_))) => Link::Row(raw.clone()),
            Some(link) => link,
        };
        Self { link, raw }
    }

    /// Whether what `other` leads to is shown already. Rows change in what does not matter, like the
    /// count of confirmations, and several rows lead to one transaction.
    pub fn is_as(&self, other: &Self) -> bool {
        match (&self.link, &other.link) {
            (
                Link::Instances { token, holder },
                Link::Instances { token: other_token, holder: other_holder },
            ) => (token, holder) == (other_token, other_holder),
            (ours, theirs) => match (ours.subject(), theirs.subject()) {
                (None, None) => {
                    Arc::ptr_eq(&self.raw, &other.raw) || self.raw.get() == other.raw.get()
                }
                (ours_is, theirs_is) => ours_is == theirs_is && went_as(ours, theirs),
            },
        }
    }

    /// Whether its pane of this kind has all that it shows at first without asking the explorer.
    pub fn is_at_hand(&self, kind: Kind) -> bool {
        match kind {
            Kind::Transaction => matches!(self.link, Link::Transaction(_)),
            Kind::Instance | Kind::Row => true,
            _ => false,
        }
    }
}

/// Whether a transaction is not known to have gone otherwise meanwhile: one that was pending ends.
fn went_as(ours: &Link, theirs: &Link) -> bool {
    let outcome = |link: &Link| -> Option<Outcome> {
        let Link::Transaction(item) = link else { return None };
        item.read.as_ref().ok().map(Transaction::outcome)
    };
    outcome(ours).is_none_or(|ours| outcome(theirs).is_none_or(|theirs| ours == theirs))
}
