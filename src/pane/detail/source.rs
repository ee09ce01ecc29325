//! Objects of detail panes, and their requests.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::value::RawValue;

use super::reading::{CallableFunction, StateReads};
use crate::abi::SlotExpression;
use crate::action::Action;
use crate::api::{
    ApiError, BlockQuery, Cursor, InstanceQuery, Item, Query, Reply, ReplyResult, TransactionQuery,
};
use crate::app_message::Priority;
use crate::calls::trace_contracts::UnknownContracts;
use crate::chain::Address;
use crate::columns::table::any_row::AnyRow;
use crate::columns::{CopyValue, Row};
use crate::pane::export::SourcePlace;
use crate::pane::{PaneContext, PaneKind, RowCount};
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::document::DocumentEntry;

/// An object that a detail pane shows.
pub trait DetailSource {
    /// Computes what its chart needs, before its entries are laid out: frames only draw it.
    fn prepare_chart(&mut self, _cx: &PaneContext<'_>) {}

    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry>;

    /// Returns the entries below the others, next to its JSON, in at most so many lines.
    fn entries_below(&self, _lines: usize, _cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        Vec::new()
    }

    /// Draws a chart into the lines that its document leaves free.
    fn draw_below(&self, _area: Rect, _cx: &PaneContext<'_>, _buf: &mut Buffer) {}

    /// Draws a chart into the area that its unfolded JSON leaves free, from a divider on.
    fn draw_next_to_json(&self, _area: Rect, _cx: &PaneContext<'_>, _buf: &mut Buffer) {}

    /// Returns the most lines of JSON below the entries, of the lines that they leave free: none if it stays folded.
    fn json_lines(&self, free: usize, _cx: &PaneContext<'_>) -> usize {
        if self.has_json_column() { free } else { 0 }
    }

    /// Returns the value that `action` copies, seen from the viewed address.
    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue> {
        self.row()?.copy_value(action, viewed)
    }

    /// Returns the reason of its failure, with exact values.
    fn failure_reason(&self, _cx: &PaneContext<'_>) -> Option<SafeText> {
        None
    }

    /// Returns the source line that its failure began at, with the contract: none if a creation failed there.
    fn source_place(&self) -> Option<(Option<Address>, SourcePlace)> {
        None
    }

    /// Returns it as a row, which is copied as CSV, and decides on copied values, evidence and warnings.
    fn row(&self) -> Option<&dyn AnyRow> {
        None
    }

    /// Returns the evidence for its addresses, seen from the viewed address.
    fn evidence(&self, viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        self.row().map(|row| row.evidence(viewed)).unwrap_or_default()
    }

    /// Returns further queries that are needed to show it.
    fn missing(&self, _cx: &PaneContext<'_>) -> Vec<Query> {
        Vec::new()
    }

    /// Returns the part that is requested once another is known.
    fn follow_up(&self, _known: &Query, _cx: &PaneContext<'_>) -> Option<(Query, Priority)> {
        None
    }

    /// Returns the contracts whose ABIs decode more of it.
    fn unknown_contracts(&self, _cx: &PaneContext<'_>) -> Option<UnknownContracts> {
        None
    }

    /// Returns the tokens of its call that are unknown.
    fn unknown_tokens(&self, _cx: &PaneContext<'_>) -> Vec<Address> {
        Vec::new()
    }

    /// Adds the response to one of the queries of [`Self::missing`]. Returns the cursor of the next page.
    fn add(
        &mut self,
        _query: &Query,
        _reply: ReplyResult,
        _cx: &PaneContext<'_>,
    ) -> Option<Cursor> {
        None
    }

    /// Returns the failure of one of these queries.
    fn failure(&self) -> Option<&ApiError> {
        None
    }

    /// Makes the failed queries missing again.
    fn forget_failures(&mut self) {}

    /// Returns `true` if it may still come into a block.
    fn awaits_block(&self) -> bool {
        false
    }

    /// Returns `true` if a new block may change it.
    fn may_change_with_blocks(&self) -> bool {
        self.awaits_block()
    }

    /// Returns the warnings about the object itself, apart from its addresses.
    fn warnings(&self) -> Vec<SafeText> {
        self.row().map(Row::warnings).unwrap_or_default()
    }

    /// Returns the URL of the picture next to it.
    fn picture(&self) -> Option<&SafeText> {
        None
    }

    /// Returns the mark that is drawn if there is no picture.
    fn mark(&self) -> Option<AddressMark> {
        None
    }

    /// Returns it as a contract, whose state can be requested, and whose code is next to it.
    fn contract(&self) -> Option<&dyn ShownContract> {
        None
    }

    fn contract_mut(&mut self) -> Option<&mut dyn ShownContract> {
        None
    }

    /// Returns the total number of rows in the tab of a kind on its page, as far as it shows that.
    fn row_count(&self, _: PaneKind) -> Option<RowCount> {
        None
    }

    /// Returns `true` if its values begin in one column, after the widest label.
    fn has_one_column(&self) -> bool {
        false
    }

    /// Returns `true` if wide panes show its JSON next to the fields.
    fn has_json_column(&self) -> bool {
        false
    }

    /// Returns `true` if it has ages, which grow.
    fn has_ages(&self) -> bool {
        true
    }

    /// Returns `true` for raw JSON, which is copied as such.
    fn is_json(&self) -> bool {
        false
    }
}

opaque_debug!(DetailSource);

/// A contract that a detail pane shows.
pub trait ShownContract {
    /// Returns the function that an entry's link calls.
    fn callable(&self, function: usize) -> Option<CallableFunction<'_>>;

    /// Returns the state that was requested.
    fn state_reads(&self) -> &StateReads;

    fn state_reads_mut(&mut self) -> &mut StateReads;

    /// Parses a storage slot. Returns it with the address of the contract.
    fn storage_slot(&self, text: &str) -> Result<(Address, SlotExpression), SafeText>;

    /// Returns the query for the variables in its storage, unless they were read or are unknown.
    fn unread_variables(&self, cx: &PaneContext<'_>) -> Option<Query>;

    fn has_code(&self) -> bool;

    /// Returns its code in files, which wide panes show next to it.
    fn code(&self) -> Vec<DocumentEntry>;

    /// Returns the number of the line of all its code that is shown first.
    fn first_code_line(&self) -> Option<usize>;

    /// Returns the number of the line of all its code where a place is.
    fn code_line(&self, place: &SourcePlace) -> Option<usize>;
}

#[derive(Debug)]
pub struct LoadedDetail {
    /// The object, or the reason why it cannot be parsed.
    pub source: Result<Box<dyn DetailSource>, SafeText>,
    /// The JSON that the explorer sent, if it is shown below the fields.
    pub raw: Option<Arc<RawValue>>,
}

impl LoadedDetail {
    /// Returns the object of an item with its JSON, or the reason why the item cannot be parsed.
    pub fn of_item<T, S: DetailSource + 'static>(
        item: &Item<T>,
        source: impl FnOnce(&T) -> S,
    ) -> Self {
        let parsed = item.parsed.as_ref().map_err(Clone::clone);
        let source = parsed.map(|parsed| Box::new(source(parsed)) as _);
        Self { source, raw: Some(item.raw.clone()) }
    }

    pub(super) fn can_copy(&self, action: Action, cx: &PaneContext<'_>) -> bool {
        match (action, &self.source) {
            // Do not build the JSON, which may be long.
            (Action::CopyJson, _) if self.raw.is_some() => true,
            (Action::CopyJson, Ok(source)) => source.is_json(),
            (Action::CopyReason, Ok(source)) => source.failure_reason(cx).is_some(),
            (Action::CopyRow, Ok(source)) => source.row().is_some(),
            (_, Ok(source)) => {
                source.copy_value(action, cx.known_addresses.viewed_address()).is_some()
            }
            (_, Err(_)) => false,
        }
    }
}

#[derive(Debug, Clone)]
pub struct DetailRequest {
    pub query: Query,
    pub load: fn(&Query, &Reply, &PaneContext<'_>) -> Option<LoadedDetail>,
}

impl DetailRequest {
    /// Returns the word for the requested object.
    pub fn subject(&self) -> Option<&'static str> {
        match self.query {
            Query::Block(_, BlockQuery::Details) => Some("block"),
            Query::Transaction(_, TransactionQuery::Details | TransactionQuery::RawTrace) => {
                Some("transaction")
            }
            Query::Instance(_, InstanceQuery::Details) => Some("NFT"),
            Query::Batch(..) => Some("batch"),
            Query::UserOperation(_) => Some("user operation"),
            _ => None,
        }
    }
}
