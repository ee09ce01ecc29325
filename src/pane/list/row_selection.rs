//! The rows that a program asks for: those that match a search, in the order of a column.

use std::sync::Arc;

use super::rows::matcher::RowMatcher;
use super::rows::order::{SortValue, key_order, sort_key};
use super::rows::scopes::column_names;
use super::sorting::find_column;
use crate::api::Query;
use crate::columns::table::any_row::{AnyItem, RowKind};
use crate::columns::transactions::REASON_TITLE;
use crate::columns::{Row, RowContext};
use crate::messages::cli::CliProblem;
use crate::pane::export::RowSort;
use crate::sanitize::SafeText;

/// A search and an order of rows. Without them, all rows are selected, in the order of the server.
#[derive(Debug, Default)]
pub struct RowSelection {
    matcher: Option<RowMatcher>,
    is_newest_first: bool,
    /// The column to sort by, and `true` for the greatest value first.
    order: Option<(usize, bool)>,
}

impl RowSelection {
    /// # Errors
    ///
    /// Returns a message about a word of the search that cannot be understood, or about a column that is not in the
    /// list.
    pub fn new(
        (kind, query): (&'static RowKind, &Query),
        matching: Option<&str>,
        sort: Option<&RowSort>,
        cx: &RowContext<'_>,
    ) -> Result<Self, SafeText> {
        let subject = query.subject();
        let matcher = matching.map(|text| RowMatcher::new(kind, text, cx)).transpose()?.flatten();
        let is_newest_first = kind.is_newest_first(subject);
        let order = sort.map(|RowSort { column, descending }| {
            let found = find_column(kind.columns, subject, column);
            found.map(|found| (found, *descending)).ok_or_else(|| {
                let listed = kind.columns.iter().filter(|column| column.usage.includes(subject));
                let names = &column_names(listed).join(", ");
                SafeText::new(&CliProblem::NoSortColumn { column, names }.to_string())
            })
        });
        Ok(Self { matcher, is_newest_first, order: order.transpose()? })
    }

    pub fn is_sorted(&self) -> bool {
        self.order.is_some()
    }

    /// Returns the words of the search.
    pub fn text(&self) -> Option<&str> {
        self.matcher.as_ref().map(RowMatcher::text)
    }

    /// Returns `true` if it is unknown whether a row matches: its reason is searched, and not read yet.
    pub fn cannot_judge(&self, item: &dyn AnyItem) -> bool {
        let is_asked = self.matcher.as_ref().is_some_and(|by| by.searches_in(REASON_TITLE));
        is_asked && item.row().is_ok_and(Row::lacks_reason)
    }

    /// Returns `true` if a row matches.
    pub fn admits(&mut self, item: &dyn AnyItem, cx: &RowContext<'_>) -> bool {
        self.matcher.as_mut().is_none_or(|matcher| matcher.matches(item, cx))
    }

    /// Returns `true` if no row after this one matches, because all of them are older than the search allows.
    pub fn is_past(&self, item: &dyn AnyItem) -> bool {
        let matcher = self.matcher.as_ref().filter(|_| self.is_newest_first);
        matcher.is_some_and(|matcher| item.row().is_ok_and(|row| matcher.is_past(row)))
    }

    /// Returns rows in the order of the column, if there is one.
    pub fn sorted(
        &self,
        items: Vec<Arc<dyn AnyItem>>,
        cx: &RowContext<'_>,
    ) -> Vec<Arc<dyn AnyItem>> {
        let Some((column, descending)) = self.order else { return items };
        let key = |item: &Arc<dyn AnyItem>| {
            item.row().ok().and_then(|row| sort_key(row, SortValue::Column(column), cx))
        };
        let mut keyed: Vec<_> =
            items.into_iter().map(|item| (key(&item).unwrap_or_default(), item)).collect();
        keyed.sort_by(|(one, _), (other, _)| key_order(descending, one, other));
        keyed.into_iter().map(|(_, item)| item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ChainQuery;
    use crate::api::transactions::Transaction;
    use crate::chain::TxHash;
    use crate::columns::ListRow;

    #[test]
    fn failures_without_a_known_reason_cannot_be_judged_by_it() {
        let query = Query::Chain(ChainQuery::Transactions);
        for (search, status, result, is_known) in [
            ("reason:bottom", "error", "null", false),
            ("reason:bottom", "error", r#""awaiting_internal_transactions""#, false),
            ("reason:bottom", "error", r#""Reverted""#, true),
            ("reason:bottom", "ok", r#""success""#, true),
            ("status:failed", "error", "null", true),
        ] {
            let page = format!(
                r#"{{"items":[{{"hash":"{}","block_number":1,"status":"{status}","result":{result}}}],
                "next_page_params":null}}"#,
                TxHash::ZERO
            );
            let reply = query.decode(page.as_bytes(), None).unwrap();
            let items = reply.page::<Transaction>().unwrap().items;
            let cx = RowContext::blank();
            let selection =
                RowSelection::new((Transaction::KIND, &query), Some(search), None, &cx).unwrap();
            assert_eq!(selection.cannot_judge(&*items[0]), !is_known, "{search} {result}");
        }
    }
}
