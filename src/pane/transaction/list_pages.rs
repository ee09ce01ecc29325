//! The pages of a list that a transaction's page needs, but does not show as a list.

use std::sync::Arc;

use crate::api::{ApiError, Cursor, Item, Next, ReplyData, ReplyResult};
use crate::messages::transaction::{MissingTransfers, TransferList};
use crate::pane::PaneContext;

/// Maximum pages that are requested.
const MAX_PAGES: usize = 10;

#[derive(Debug, Default)]
pub(super) struct ListPages {
    /// Number of pages so far.
    count: usize,
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Unasked,
    Partial,
    Complete,
    Failed(ApiError),
}

impl ListPages {
    pub(super) fn is_unasked(&self) -> bool {
        matches!(self.state, State::Unasked)
    }

    /// Returns `true` if there are more pages than are requested.
    pub(super) fn is_limited(&self) -> bool {
        self.has_more() && self.count >= MAX_PAGES
    }

    /// Returns `true` if a further page was not requested.
    pub(super) fn has_more(&self) -> bool {
        matches!(self.state, State::Partial)
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, State::Complete)
    }

    /// Adds a further page and its rows, unless the reply is of another list. Returns the cursor of the
    /// next one.
    pub(super) fn add<T: ReplyData + Clone>(
        &mut self,
        reply: ReplyResult,
        add_rows: impl FnOnce(Vec<Arc<Item<T>>>),
    ) -> Option<Cursor> {
        let next = match reply {
            Ok(reply) => {
                let page = reply.page::<T>()?;
                add_rows(page.items);
                Ok(page.next)
            }
            Err(error) => Err(error),
        };
        self.advance(next)
    }

    /// Adds the result for a further page. Returns the cursor of the next one.
    pub(super) fn advance(&mut self, page: Result<Next, ApiError>) -> Option<Cursor> {
        self.count += 1;
        match page {
            Ok(Next::Page(cursor)) => {
                self.state = State::Partial;
                Some(cursor).filter(|_| self.count < MAX_PAGES)
            }
            Ok(Next::End) => {
                self.state = State::Complete;
                None
            }
            Ok(Next::Invalid(why)) => {
                self.state = State::Failed(ApiError::InvalidResponse { why });
                None
            }
            Err(error) => {
                self.state = State::Failed(error);
                None
            }
        }
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        if let State::Failed(error) = &self.state { Some(error) } else { None }
    }

    /// Returns the missing part of the list.
    pub(super) fn missing(
        &self,
        list: TransferList,
        cx: &PaneContext<'_>,
    ) -> Option<MissingTransfers> {
        match &self.state {
            State::Failed(error) => Some(MissingTransfers::Failed(list, cx.reason(error).into())),
            State::Partial => Some(MissingTransfers::FirstPages(list, self.count)),
            State::Unasked | State::Complete => None,
        }
    }
}
