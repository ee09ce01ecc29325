//! The pane of one transaction.
//!
//! It is a [`DetailPane`] whose object has further parts: the transaction may come from a row of a list,
//! and its transfers, the coin that its calls moved, its console output and the source of its failure
//! have requests of their own. `overview` makes the head and the panels of what was moved, `facts` and `call_data` the
//! fields; `panels` places them.

mod call_context;
mod call_data;
mod call_lines;
mod call_warnings;
mod caught_failures;
mod chain_fields;
mod coin_moves;
mod console;
mod fact_columns;
mod facts;
mod failure;
mod fields;
mod gas_facts;
mod list_pages;
mod other_tokens;
mod overview;
mod panels;
pub(in crate::pane) mod parameters;
mod revert_trace;
mod sentence;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::detail::value_entries::{shown_lines, unfold_what_fits};
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use super::export::SourcePlace;
use super::{PaneContext, PaneKind, PanePlace, RowCount};
use crate::api::account_abstraction::ENTRY_POINTS;
use crate::api::beacon_deposits::DEPOSIT_CONTRACT;
use crate::api::token_transfers::{TokenTransfer, without_repeats};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{ApiError, Cursor, Field, Item, Query, Reply, ReplyResult, TransactionQuery};
use crate::app_message::Priority;
use crate::calls::trace_contracts::{UnknownContracts, called_contracts};
use crate::calls::transfer_matching::TransferMap;
use crate::chain::{Address, TxHash};
use crate::columns::Row;
use crate::columns::cells::failure_reason::exact_reason;
use crate::columns::cells::token_call::unknown_token;
use crate::columns::table::any_row::AnyRow;
use crate::messages::transaction::{self, MissingTransfers, TransferList};
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::trace::CallOutcome;
use crate::ui::document::{DocumentEntry, EntryLink};
pub(in crate::pane) use call_context::call_context;
use call_data::call_entries;
use call_lines::{call_panel, draw_gas, draw_gas_next_to_json, json_lines};
use call_warnings::transaction_warnings;
pub use chain_fields::push_block_fields;
use coin_moves::CoinMoves;
use console::ConsoleOutput;
pub(in crate::pane) use facts::at_most_seconds;
use facts::{push_extras, push_facts};
use failure::FailureDetails;
use list_pages::ListPages;
pub(in crate::pane) use other_tokens::other_tokens;
use panels::{Panel, PanelPair};
use revert_trace::RevertTrace;
pub use sentence::call_text;

pub fn from_hash(hash: TxHash) -> DetailPane {
    DetailPane::from_query(request(hash), hash.to_string().into())
}

fn request(hash: TxHash) -> DetailRequest {
    DetailRequest { query: Query::Transaction(hash, TransactionQuery::Details), load: load_detail }
}

pub fn from_item(item: &Arc<Item<Transaction>>) -> DetailPane {
    let request = item.parsed.as_ref().ok().map(|transaction| request(transaction.hash));
    let detail = DetailPane::from_loaded(loaded_detail(item), request);
    if item.parsed.as_ref().is_ok_and(Transaction::is_complete) {
        detail.complete()
    } else {
        detail
    }
}

fn load_detail(_: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    reply.item().map(loaded_detail)
}

fn loaded_detail(item: &Arc<Item<Transaction>>) -> LoadedDetail {
    LoadedDetail::of_item(item, |_| TransactionDetail {
        item: item.clone(),
        coin_moves: CoinMoves::default(),
        transfers: ListPages::default(),
        console: ConsoleOutput::default(),
        failure: FailureDetails::default(),
        revert_trace: RevertTrace::default(),
        traced_transfers: None,
    })
}

const INPUT_LABEL: &str = "input";
/// Width from which the facts in two columns have a bar, and calldata is not folded.
const MIN_WIDE_COLUMNS: u16 = 150;
/// Least free lines of a page whose calls are requested for them.
const MIN_LINES_FOR_CALLS: usize = 10;
/// Lines of the rules around a panel.
const RULE_LINES: usize = 2;
/// Maximum contracts of the listed calls whose functions are requested.
const MAX_CALLED_CONTRACTS: usize = 10;

#[derive(Debug)]
struct TransactionDetail {
    item: Arc<Item<Transaction>>,
    /// The coin that its calls moved.
    coin_moves: CoinMoves,
    /// The list of its token transfers, of which the transaction itself contains ten.
    transfers: ListPages,
    console: ConsoleOutput,
    failure: FailureDetails,
    revert_trace: RevertTrace,
    /// The transfers in its trace, if that is known.
    traced_transfers: Option<TransferMap>,
}

impl TransactionDetail {
    fn transaction(&self) -> Option<&Transaction> {
        self.item.parsed.as_ref().ok()
    }

    /// Learns from the list of calls if one failed, which a node that traces no blocks leaves open.
    fn learn_inner_failures(&mut self) {
        if self.coin_moves.call_count().is_some()
            && let Ok(transaction) = &mut Arc::make_mut(&mut self.item).parsed
            && transaction.has_inner_error == Field::Absent
        {
            let has_failures = !self.coin_moves.failures().is_empty();
            transaction.has_inner_error = Field::Present(has_failures);
        }
    }

    /// Returns `true` if the trace of its failed calls is neither known nor requested.
    fn is_trace_missing(&self, cx: &PaneContext<'_>) -> bool {
        self.transaction().is_some_and(|transaction| {
            let has_failed = transaction.outcome() == TransactionOutcome::Failed
                || self.coin_moves.failed_calls().is_some();
            let calls = self.coin_moves.call_count().filter(|_| has_failed);
            self.revert_trace.is_missing(transaction, calls, cx)
                || self.coin_moves.is_limited() && self.revert_trace.is_free(cx)
        })
    }

    /// Returns `true` if the trace of a transaction that succeeded is to be requested for the free lines of its page.
    fn lacks_calls(&self, cx: &PaneContext<'_>) -> bool {
        let Some(transaction) = self.transaction() else { return false };
        // On a wide page the calls are next to the call.
        let call = panels::is_wide(cx).then(|| call_entries(self, transaction, cx));
        let call_lines = call.map_or(0, |call| shown_lines(&call));
        transaction.outcome() == TransactionOutcome::Ok
            && !cx.network.endpoint.takes_credits()
            && cx.name_cache.trace(&transaction.hash).is_none()
            && self.revert_trace.can_request(self.coin_moves.call_count(), cx)
            && free_lines(&self.entries(cx), cx) + call_lines >= MIN_LINES_FOR_CALLS
    }

    /// Returns the contracts of the calls that the page lists.
    fn listed_contracts(&self, transaction: &Transaction, cx: &PaneContext<'_>) -> Vec<Address> {
        let trace = cx.name_cache.trace(&transaction.hash);
        let Some(tree) = trace.filter(|_| !cx.network.endpoint.takes_credits()) else {
            return Vec::new();
        };
        let entries = self.entries(cx);
        let links = entries.iter().flat_map(DocumentEntry::cell_links);
        let calls = links.filter_map(|link| match link {
            EntryLink::Call(_, path) => tree.find(path),
            _ => None,
        });
        let mut contracts = called_contracts(tree, calls);
        contracts.truncate(MAX_CALLED_CONTRACTS);
        contracts
    }

    /// Appends the panels of a wide page, on which the call is next to a list of calls: of those that failed, or else of
    /// the first ones.
    fn push_wide_panels(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
        entries: &mut Vec<DocumentEntry>,
    ) {
        let half = panels::half(cx);
        let failures = overview::failure_panel(self, transaction, &half);
        let below = self.balances_and_facts(transaction, Vec::new(), cx);
        let lines = [&*entries, &below].map(|entries| shown_lines(entries)).iter().sum::<usize>();
        let free = usize::from(cx.area.height).saturating_sub(lines + RULE_LINES);
        let mut call = call_entries(self, transaction, &half);
        unfold_what_fits(&mut call, free);
        let [call, folded] = panels::split_folded(call);
        let space = free.saturating_sub(shown_lines(&folded));
        let call = Panel { title: "".into(), entries: call };
        if let Some(failures) = failures {
            panels::append(entries, PanelPair::new([failures, call], cx).entries());
            panels::append(entries, below);
            entries.extend(folded);
            push_extras(transaction, cx, entries);
            let space = free_lines(entries, cx).saturating_sub(RULE_LINES);
            return panels::append(entries, self.first_calls(transaction, space, cx));
        }
        panels::append(entries, below);
        let stated = overview::stated_failures(self, transaction, cx);
        if let Some(calls) = call_panel(transaction.hash, (space, stated), &half) {
            panels::append(entries, PanelPair::new([call, calls], cx).entries());
            entries.extend(folded);
        } else {
            entries.extend(call_entries(self, transaction, cx));
            let height = usize::from(cx.area.height).saturating_sub(1);
            unfold_what_fits(entries, height);
        }
        push_extras(transaction, cx, entries);
    }

    /// Returns balance changes and transfers with their warnings, and below them the facts.
    fn balances_and_facts(
        &self,
        transaction: &Transaction,
        call: Vec<DocumentEntry>,
        cx: &PaneContext<'_>,
    ) -> Vec<DocumentEntry> {
        let mut entries = overview::balance_panels(self, transaction, cx);
        let mut warnings: Vec<SafeText> = Vec::new();
        for warning in self.transfers(cx).into_iter().flat_map(Row::warnings) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        entries.extend(warnings.iter().map(DocumentEntry::warning));
        push_facts(self, transaction, call, cx, &mut entries);
        entries
    }

    /// Returns the first calls between two rules, in at most `space` lines.
    fn first_calls(
        &self,
        transaction: &Transaction,
        space: usize,
        cx: &PaneContext<'_>,
    ) -> Vec<DocumentEntry> {
        let stated = overview::stated_failures(self, transaction, cx);
        let calls = call_panel(transaction.hash, (space, stated), cx).into_iter();
        calls.flat_map(|calls| calls.below_rule().chain([DocumentEntry::rule("")])).collect()
    }

    /// Returns the token transfers that are known, in the order of their logs: without those after the
    /// first that is unknown.
    fn transfers<'a>(&'a self, cx: &PaneContext<'a>) -> Vec<&'a TokenTransfer> {
        let Some(transaction) = self.transaction() else { return Vec::new() };
        let known = cx.name_cache.transfers(&transaction.hash);
        let own = transaction.token_transfers.value().into_iter().flatten();
        let has_gaps = self.transfers.is_unasked() && self.transfer_note(cx).is_some();
        if known.is_empty() || has_gaps { without_repeats(own) } else { known }
    }

    /// Describes the missing transfers.
    fn transfer_note(&self, cx: &PaneContext<'_>) -> Option<String> {
        let transaction = self.transaction()?;
        match &transaction.token_transfers {
            _ if cx.name_cache.knows_all_transfers(&transaction.hash) => None,
            Field::Present(_) if transaction.token_transfers_overflow.value() != Some(&true) => {
                None
            }
            Field::Present(_) if self.transfers.is_complete() => None,
            Field::Present(_) if self.transfers.is_unasked() => {
                Some(transaction::MORE_TRANSFERS.into())
            }
            Field::Present(_) => {
                let missing = self.transfers.missing(TransferList::Token, cx);
                missing.map(|missing| missing.to_string())
            }
            Field::Invalid(why) => Some(format!("? ({why})")),
            Field::Absent if transaction.runs_no_code() => None,
            Field::Absent => Some(MissingTransfers::NotLoaded(TransferList::Token).to_string()),
        }
    }
}

impl DetailSource for TransactionDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Some(transaction) = self.transaction() else { return Vec::new() };
        let mut entries = overview::head(self, transaction, cx);
        entries.extend(self.failure.stack_entries(transaction, cx));
        entries.extend(transaction_warnings(transaction, cx));
        entries.extend(self.console.entries(cx));
        entries.extend(self.failure.event_entries(cx));
        if panels::is_wide(cx) {
            self.push_wide_panels(transaction, cx, &mut entries);
            return entries;
        }
        entries.extend(
            overview::failure_panel(self, transaction, cx).into_iter().flat_map(Panel::below_rule),
        );
        let call = call_entries(self, transaction, cx);
        panels::append(&mut entries, self.balances_and_facts(transaction, call, cx));
        push_extras(transaction, cx, &mut entries);
        // The JSON has a line too.
        unfold_what_fits(&mut entries, usize::from(cx.area.height).saturating_sub(1));
        // The arguments say the same.
        let says_same = transaction.decoded_input.value().is_some();
        let input = entries.iter_mut().find(|entry| &*entry.label == INPUT_LABEL);
        if let Some(input) = input.filter(|_| says_same) {
            input.open = input.open.map(|_| false);
        }
        let space = free_lines(&entries, cx).saturating_sub(RULE_LINES);
        entries.extend(self.first_calls(transaction, space, cx));
        entries
    }

    fn prepare_chart(&mut self, cx: &PaneContext<'_>) {
        let hash = self.transaction().map(|transaction| transaction.hash);
        self.traced_transfers = hash.and_then(|hash| {
            let tree = cx.name_cache.trace(&hash)?;
            Some(TransferMap::build(tree, &cx.name_cache.transfers(&hash)))
        });
    }

    fn draw_below(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if let Some((transaction, transfers)) =
            self.transaction().zip(self.traced_transfers.as_ref())
        {
            draw_gas((transaction.hash, transfers), area, cx, buf);
        }
    }

    fn draw_next_to_json(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if let Some((transaction, transfers)) =
            self.transaction().zip(self.traced_transfers.as_ref())
        {
            draw_gas_next_to_json((transaction.hash, transfers), area, cx, buf);
        }
    }

    fn json_lines(&self, free: usize, cx: &PaneContext<'_>) -> usize {
        self.transaction().map_or(0, |transaction| json_lines(transaction.hash, free, cx))
    }

    fn missing(&self, cx: &PaneContext<'_>) -> Vec<Query> {
        // A preview is passed by: only a chain on this machine is asked for all of it.
        let is_wanted = cx.place != PanePlace::Preview || cx.network.endpoint.is_on_this_machine();
        let Some(transaction) = self.transaction().filter(|_| is_wanted) else {
            return Vec::new();
        };
        let has_more = transaction.token_transfers_overflow.value() == Some(&true);
        let coin = self.coin_moves.are_missing(transaction, cx);
        let missing = [
            (self.console.is_missing(transaction, cx), TransactionQuery::Console),
            (coin, TransactionQuery::InternalTransactions),
            (has_more && self.transfers.is_unasked(), TransactionQuery::TokenTransfers),
        ]
        .into_iter()
        .filter(|(is_missing, _)| *is_missing)
        .map(|(_, query)| query);
        let missing = self.failure.missing(transaction, cx).chain(missing);
        missing.map(|query| Query::Transaction(transaction.hash, query)).collect()
    }

    fn follow_up(&self, known: &Query, cx: &PaneContext<'_>) -> Option<(Query, Priority)> {
        let query = |part| Some(Query::Transaction(self.transaction()?.hash, part));
        if *known != query(TransactionQuery::InternalTransactions)? {
            return None;
        }
        // A node that traces no blocks reports failed calls with the list.
        let has_caught = self.coin_moves.failed_calls().is_some();
        if has_caught && self.failure.is_stack_unasked(cx) {
            return Some((query(TransactionQuery::FailureStack)?, Priority::Interactive));
        }
        let priority = if self.is_trace_missing(cx) {
            Priority::Interactive
        } else if self.lacks_calls(cx) {
            Priority::Prefetch
        } else {
            return None;
        };
        Some((query(TransactionQuery::RawTrace)?, priority))
    }

    fn add(&mut self, query: &Query, reply: ReplyResult, cx: &PaneContext<'_>) -> Option<Cursor> {
        match (query, reply) {
            (Query::Transaction(hash, TransactionQuery::RawTrace), _) => {
                self.revert_trace.add(hash, cx);
                None
            }
            (Query::Transaction(_, TransactionQuery::Console), reply) => self.console.add(reply),
            (Query::Transaction(_, TransactionQuery::FailureStack), reply) => {
                self.failure.add_stack(reply);
                None
            }
            (Query::Transaction(_, TransactionQuery::UndoneLogs), reply) => {
                self.failure.add_undone_logs(reply)
            }
            // The name cache has the transfers.
            (Query::Transaction(_, TransactionQuery::TokenTransfers), reply) => {
                let next = reply.map(|reply| reply.next().cloned()).transpose()?;
                self.transfers.advance(next)
            }
            (_, reply) => {
                let next = self.coin_moves.add(reply);
                self.learn_inner_failures();
                let hash = self.transaction().map(|own| own.hash);
                let known = hash.filter(|hash| cx.name_cache.trace(hash).is_some());
                if let Some(hash) = known.filter(|_| self.is_trace_missing(cx)) {
                    self.revert_trace.add(&hash, cx);
                }
                next
            }
        }
    }

    fn source_place(&self) -> Option<(Option<Address>, SourcePlace)> {
        self.failure.source_place()
    }

    fn failure(&self) -> Option<&ApiError> {
        let of_failure = self.failure.failure().or(self.console.failure());
        self.coin_moves.failure().or_else(|| self.transfers.failure()).or(of_failure)
    }

    fn forget_failures(&mut self) {
        if self.coin_moves.failure().is_some() {
            self.coin_moves = CoinMoves::default();
        }
        if self.transfers.failure().is_some() {
            self.transfers = ListPages::default();
        }
        if self.console.failure().is_some() {
            self.console = ConsoleOutput::default();
        }
        if self.failure.failure().is_some() {
            self.failure = FailureDetails::default();
        }
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        let transaction = self.transaction()?;
        let called = transaction.to.hash()?;
        match kind {
            PaneKind::Blobs => transaction
                .blob_hashes
                .value()
                .and_then(|hashes| u64::try_from(hashes.len()).ok())
                .map(RowCount::Exactly),
            PaneKind::TokenTransfers
                if transaction.token_transfers_overflow.value() == Some(&false)
                    && !transaction.may_yet_transfer() =>
            {
                transaction
                    .token_transfers
                    .value()
                    .map(|all| RowCount::Exactly(without_repeats(all).len() as u64))
            }
            PaneKind::Logs if transaction.outcome() == TransactionOutcome::Failed => {
                Some(RowCount::Exactly(0))
            }
            PaneKind::InternalTransactions => self.coin_moves.call_count().map(RowCount::Exactly),
            PaneKind::UserOperations if ENTRY_POINTS.contains(&called) => {
                Some(RowCount::MoreThan(0))
            }
            PaneKind::BeaconDeposits if called == DEPOSIT_CONTRACT => Some(RowCount::MoreThan(0)),
            _ => None,
        }
    }

    fn awaits_block(&self) -> bool {
        self.transaction().is_some_and(|transaction| {
            // What left a block or the pool of a node may come into a block again.
            transaction.outcome() == TransactionOutcome::Pending
                || transaction.pool_exit.value().is_some()
        })
    }

    fn may_change_with_blocks(&self) -> bool {
        self.awaits_block() || self.transaction().is_some_and(Transaction::awaits_reason)
    }

    /// Returns the contracts that may be called by bytes in the arguments: the called one itself, and the last
    /// of those that failed. Further ones are in the lists of failed and of first calls.
    fn unknown_contracts(&self, cx: &PaneContext<'_>) -> Option<UnknownContracts> {
        let transaction = self.transaction()?;
        let decoded = transaction.decoded_input.value();
        let parameters = decoded.and_then(|decoded| decoded.parameters.value());
        let mut kinds =
            parameters.into_iter().flatten().filter_map(|parameter| parameter.kind.value());
        let has_bytes =
            kinds.any(|kind| kind.starts_with("bytes") && !kind.contains(char::is_numeric));
        let to = transaction.to.value().map(|to| to.hash);
        let failed = self.coin_moves.last_failure().and_then(|call| call.to);
        let in_arguments = [to, failed].into_iter().flatten().filter(|_| has_bytes);
        let listed = self.revert_trace.caught_contracts(transaction);
        let in_calls = self.listed_contracts(transaction, cx);
        let all = in_arguments.chain(listed).chain(in_calls);
        UnknownContracts::new(transaction.hash, all.collect())
    }

    fn unknown_tokens(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        let Some(transaction) = self.transaction() else { return Vec::new() };
        let called = unknown_token(transaction, cx.name_cache);
        called.into_iter().chain(self.revert_trace.unknown_tokens(transaction, cx)).collect()
    }

    fn row(&self) -> Option<&dyn AnyRow> {
        Some(self.transaction()?)
    }

    fn failure_reason(&self, cx: &PaneContext<'_>) -> Option<SafeText> {
        let of_node = self.failure.revert_reason();
        let reason = self.transaction()?.revert_reason.value().or(of_node)?;
        exact_reason(reason, cx.signature_db)
    }

    fn evidence(&self, viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        let Some(transaction) = self.transaction() else { return Vec::new() };
        let transfers = transaction.token_transfers.value().into_iter().flatten();
        let in_transfers = transfers.flat_map(|transfer| transfer.evidence(viewed));
        transaction.evidence(viewed).into_iter().chain(in_transfers).collect()
    }
}

/// Returns the lines that entries leave free, and the line of the JSON.
fn free_lines(entries: &[DocumentEntry], cx: &PaneContext<'_>) -> usize {
    usize::from(cx.area.height).saturating_sub(shown_lines(entries) + 1)
}

/// Returns the outcome of an inner call that failed.
fn inner_outcome(transaction: &Transaction) -> CallOutcome {
    if transaction.outcome() == TransactionOutcome::Failed {
        CallOutcome::Failed
    } else {
        CallOutcome::Caught
    }
}
