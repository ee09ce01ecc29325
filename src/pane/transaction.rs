//! The pane of one transaction.
//!
//! It is a [`DetailPane`] whose object has further parts: the transaction may come from a row of a list,
//! and its transfers, the coin that its calls moved, its console output and the source of its failure
//! have requests of their own. `overview` draws the head and the panels, the rest is an entry for each
//! field.

mod call_lines;
mod call_warnings;
mod caught_failures;
mod chain_fields;
mod coin_moves;
mod console;
mod fact_columns;
mod failure;
mod list_pages;
mod overview;
mod panels;
mod parameters;
mod revert_trace;
mod sentence;

use std::sync::Arc;

use super::detail::field_entries::{display_entry, field_entry, missing_entry};
use super::detail::value_entries::{
    SELECTOR_LABEL, bytes_entries, calldata_entries, only_selector_entry, shown_lines,
    unfold_what_fits,
};
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use super::{PaneContext, PaneKind, PanePlace, RowCount};
use crate::abi::{DecodedRevert, SELECTOR_BYTES};
use crate::api::account_abstraction::ENTRY_POINTS;
use crate::api::address::AddressRef;
use crate::api::beacon_deposits::DEPOSIT_CONTRACT;
use crate::api::decoded_input::{DecodedInput, RevertReason};
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::{Transaction, TransactionFee, TransactionOutcome};
use crate::api::{ApiError, Cursor, Field, Item, Query, Reply, ReplyResult, TransactionQuery};
use crate::calls::trace_contracts::{UnknownContracts, called_contracts};
use crate::chain::amount::{Grouped, Unit};
use crate::chain::percent::Percent;
use crate::chain::{Address, BlockId, Bytes, TxHash, U256, amount};
use crate::columns::Row;
use crate::columns::cells::address_line;
use crate::columns::cells::called_method::CalledMethod;
use crate::columns::cells::failure_reason::exact_reason;
use crate::columns::cells::fee::{exact_fee, fee_token_amount};
use crate::columns::cells::token_amount::token_amount;
use crate::columns::cells::token_call::unknown_token;
use crate::columns::table::any_row::AnyRow;
use crate::messages::page::PageMessage;
use crate::messages::transaction::{self, MissingTransfers, TransferList};
use crate::msg::Priority;
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::trace::CallOutcome;
use crate::ui::charts::gauge;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::format::fits;
use crate::ui::theme::Role;
use call_lines::call_panel;
use call_warnings::transaction_warnings;
pub use chain_fields::push_block_fields;
use chain_fields::push_chain_fields;
use coin_moves::CoinMoves;
use console::ConsoleOutput;
use fact_columns::{MIN_FACT_COLUMNS, side_by_side};
use failure::FailureDetails;
use list_pages::ListPages;
use panels::{Panel, PanelPair};
use parameters::{
    CALL_LABEL, decode_arguments, decoded_entries, guessed_call, guessed_entries,
    mark_failed_items, states_selector,
};
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
    })
}

const FEE_LABEL: &str = "fee";
const INPUT_LABEL: &str = "input";
/// Columns of both prices of the coin: next to other facts there is no space for more.
const MAX_PRICE_COLUMNS: usize = 26;
/// Width from which the facts in two columns have a bar, and calldata is not folded.
const MIN_WIDE_COLUMNS: u16 = 150;
/// Least free lines of a page whose calls are requested for them.
const MIN_LINES_FOR_CALLS: usize = 10;
/// Lines of the rules around a panel.
const RULE_LINES: usize = 2;
/// Maximum contracts of the first calls whose functions are requested.
const MAX_CALLED_CONTRACTS: usize = 10;
/// Longer calldata is folded on wide screens too.
const MAX_OPEN_INPUT_BYTES: usize = 1_000;
/// Categories of transactions that the head and the panels show.
const SHOWN_CATEGORIES: [&str; 4] =
    ["coin_transfer", "contract_call", "contract_creation", "token_transfer"];

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
}

impl TransactionDetail {
    fn transaction(&self) -> Option<&Transaction> {
        self.item.parsed.as_ref().ok()
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
        let beside = call.map_or(0, |call| shown_lines(&call));
        transaction.outcome() == TransactionOutcome::Ok
            && !cx.network.endpoint.takes_credits()
            && cx.name_cache.trace(&transaction.hash).is_none()
            && self.revert_trace.can_request(self.coin_moves.call_count(), cx)
            && free_lines(&self.entries(cx), cx) + beside >= MIN_LINES_FOR_CALLS
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
        match call_panel(transaction.hash, (space, stated), &half) {
            Some(calls) => {
                panels::append(entries, PanelPair::new([call, calls], cx).entries());
                entries.extend(folded);
            }
            None => {
                entries.extend(call_entries(self, transaction, cx));
                let height = usize::from(cx.area.height).saturating_sub(1);
                unfold_what_fits(entries, height);
            }
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
        if known.is_empty() || has_gaps { own.collect() } else { known }
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
            (Query::Transaction(_, TransactionQuery::TokenTransfers), Err(error)) => {
                self.transfers.advance(Err(error))
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
            (Query::Transaction(_, TransactionQuery::TokenTransfers), Ok(reply)) => {
                self.transfers.advance(Ok(reply.next()?.clone()))
            }
            (_, reply) => {
                let next = self.coin_moves.add(reply);
                let hash = self.transaction().map(|own| own.hash);
                let known = hash.filter(|hash| cx.name_cache.trace(hash).is_some());
                if let Some(hash) = known.filter(|_| self.is_trace_missing(cx)) {
                    self.revert_trace.add(&hash, cx);
                }
                next
            }
        }
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
                transaction.token_transfers.value().map(|all| RowCount::Exactly(all.len() as u64))
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

    fn may_change_with_blocks(&self) -> bool {
        self.transaction().is_some_and(|transaction| {
            // What left a block or the pool of a node may come into a block again.
            transaction.outcome() == TransactionOutcome::Pending
                || transaction.pool_exit.value().is_some()
        })
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
        let trace = cx.name_cache.trace(&transaction.hash);
        let trace = trace.filter(|_| !cx.network.endpoint.takes_credits());
        let called = trace.map(|tree| called_contracts(tree, 0..tree.len()));
        let first_called = called.into_iter().flatten().take(MAX_CALLED_CONTRACTS);
        let all = in_arguments.chain(listed).chain(first_called);
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

/// Appends the facts that are not in the head and the panels, with the entries of the call among them.
fn push_facts(
    detail: &TransactionDetail,
    transaction: &Transaction,
    call: Vec<DocumentEntry>,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let hash = DocumentEntry::text("hash", transaction.hash.to_string()).role(Role::Accent);
    let (mut parties, mut gas, mut block_data) = (vec![hash], Vec::new(), Vec::new());
    push_outcome(detail, transaction, cx, &mut parties);
    push_parties(transaction, cx, &mut parties);
    if overview::states_no_changes(detail, transaction, cx) {
        let unchanged = DocumentEntry::text("balances", transaction::BALANCES_UNCHANGED);
        parties.push(unchanged.copy("").role(Role::Dim));
    }
    if overview::shows_failure(transaction, cx) {
        push_folded_gas(transaction, cx, &mut gas);
    } else {
        push_gas(transaction, cx, &mut gas);
    }
    push_block_data(transaction, &mut block_data);
    let prices = price_entries(transaction, cx);
    if cx.area.width < MIN_FACT_COLUMNS {
        entries.append(&mut parties);
        entries.extend(call.into_iter().chain(gas).chain(block_data).chain(prices));
    } else {
        parties.append(&mut block_data);
        gas.extend(prices);
        panels::append(entries, side_by_side(parties, gas, cx));
        entries.extend(call);
    }
}

/// Returns the outcome of an inner call that failed.
fn inner_outcome(transaction: &Transaction) -> CallOutcome {
    if transaction.outcome() == TransactionOutcome::Failed {
        CallOutcome::Failed
    } else {
        CallOutcome::Caught
    }
}

pub fn number_entry(label: &str, value: &Field<u64>) -> DocumentEntry {
    field_entry(label, value, |n| {
        DocumentEntry::text(label, Grouped(n).to_string()).copy(n.to_string())
    })
}

pub fn address_entry(
    label: &str,
    value: &Field<AddressRef>,
    cx: &PaneContext<'_>,
) -> DocumentEntry {
    field_entry(label, value, |a| {
        let line = address_line(a, cx.name_cache);
        let whole = a.hash.to_string();
        let name = line.strip_prefix(&*whole).unwrap_or_default().trim_start().to_owned();
        DocumentEntry::text(label, whole).link_address(a.hash).side_note(&name)
    })
}

/// Returns the entry of an amount of the chain's coin, which is copied in wei.
pub fn coin_entry(label: &str, value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry(label, value, |wei| {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        let amount = cx.format.unit.format_exact(*wei, cx.network);
        DocumentEntry::text(label, amount).copy(wei.to_string()).role(role)
    })
}

/// Returns the entry of the coin that a transaction sends, in a smaller unit if it is tiny, as lists have it.
fn value_entry(value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    let entry = coin_entry("value", value, cx);
    let Some(wei) = value.value().filter(|wei| !wei.is_zero()) else { return entry };
    let unit = cx.format.unit.for_amount(*wei, cx.network);
    let shown = EntryValue::Text(unit.format_exact(*wei, cx.network).into());
    DocumentEntry { value: shown, ..entry }
}

/// Returns the entry of a gas price in gwei, which is copied in wei.
pub fn gas_price_entry(label: &str, value: &Field<U256>) -> DocumentEntry {
    field_entry(label, value, |wei| {
        let gwei = format!("{} gwei", amount::format_exact(*wei, 9));
        DocumentEntry::text(label, gwei).copy(wei.to_string())
    })
}

/// Returns the entry of a gas price in a token.
fn token_price_entry(label: &str, price: &Field<U256>, token: &Field<Box<Token>>) -> DocumentEntry {
    field_entry(label, price, |price| {
        let amount = fee_token_amount(token, *price, token_amount);
        DocumentEntry::text(label, amount).copy(price.to_string())
    })
}

fn push_outcome(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    if !status_says_result(transaction) {
        entries.push(display_entry("result", &transaction.result));
    }
    match &transaction.revert_reason {
        Field::Absent if transaction.outcome() != TransactionOutcome::Failed => {}
        // The head contains the reason, and a message has no other parts.
        Field::Present(RevertReason::Decoded(decoded)) if is_message(decoded) => {}
        Field::Present(RevertReason::Decoded(decoded)) => {
            entries.extend(decoded_entries("revert", decoded, &[], transaction, cx));
        }
        Field::Present(RevertReason::Raw(raw)) => entries.extend(raw_reason_entries(raw, cx)),
        missing => entries.extend(missing_entry("revert", missing)),
    }
    entries.extend(missing_entry("time", &transaction.timestamp));
    entries.extend(missing_entry("block", &transaction.block_number));
    // A development node mines when it is asked to, and nothing has to be confirmed.
    if !cx.network.is_development() {
        let confirmed = confirmations_entry(transaction);
        let waited = waited_text(&transaction.confirmation_duration)
            .map(|waited| format!("{} {waited}", transaction::TIME_IN_POOL));
        let notes = overview::age_below(detail, transaction, cx).into_iter().chain(waited);
        let joined = notes.map(|note| format!("· {note}")).collect::<Vec<_>>().join(" ");
        entries.push(confirmed.side_note(&joined));
    }
}

/// Returns `true` for `Error(string)`.
fn is_message(error: &DecodedInput) -> bool {
    let parameters = error.parameters.value().map(Vec::as_slice).unwrap_or_default();
    error.method_call.value().is_some_and(|call| call.name() == "Error") && parameters.len() == 1
}

fn confirmations_entry(transaction: &Transaction) -> DocumentEntry {
    match (&transaction.confirmations, &transaction.block_number) {
        // A transaction in a block has some.
        (Field::Absent, Field::Present(_)) => {
            DocumentEntry::text("confirmed", "?").copy("").role(Role::Dim)
        }
        (confirmations, _) => field_entry("confirmed", confirmations, |n| {
            let blocks = if *n == 1 { "block" } else { "blocks" };
            let text = format!("by {} {blocks}", Grouped(n));
            DocumentEntry::text("confirmed", text).copy(n.to_string())
        }),
    }
}

/// Returns `true` if the status already contains the result.
fn status_says_result(transaction: &Transaction) -> bool {
    use TransactionOutcome::{Dropped, Failed, Pending, Unknown};
    match (transaction.outcome(), transaction.result.value()) {
        (Failed | Dropped | Pending | Unknown, result) => result.is_some(),
        (_, result) => result.is_some_and(|result| result == "success"),
    }
}

/// Returns revert data that the explorer did not decode, by known signatures.
fn raw_reason_entries(raw: &SafeText, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    match raw.parse::<Bytes>() {
        Ok(data) if data.is_empty() => {
            vec![DocumentEntry::text("revert", "empty").copy("0x").role(Role::Dim)]
        }
        Ok(data) => match cx.signature_db.revert_reason(&data) {
            DecodedRevert::Empty | DecodedRevert::Unknown { .. } => bytes_entries("revert", data),
            // The head has the reason in short.
            DecodedRevert::Custom(error) => {
                let decoded = guessed_entries("revert", &error, cx).into_iter();
                decoded.chain(bytes_entries("revert data", data)).collect()
            }
            known => vec![DocumentEntry::text("revert", known.describe()).copy(raw.clone())],
        },
        Err(_) => vec![DocumentEntry::text("revert", raw.clone())],
    }
}

fn push_parties(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    entries.push(address_entry("from", &transaction.from, cx));
    entries.push(address_entry("to", &transaction.to, cx));
    match (&transaction.created_contract, transaction.created()) {
        (Field::Absent, _) => {}
        (_, Field::Absent) => {
            entries.push(DocumentEntry::text("created", "— (failed)").copy("").role(Role::Dim));
        }
        (_, created) => entries.push(address_entry("created", created, cx)),
    }
    entries.push(value_entry(&transaction.value, cx));
}

/// Returns the entries of the call and of its data, or none of a plain send.
fn call_entries(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let mut entries = Vec::new();
    let mut has_selector = false;
    match &transaction.decoded_input {
        Field::Present(decoded) => {
            let arguments = decode_arguments(transaction, decoded, cx);
            let mut call = decoded_entries(CALL_LABEL, decoded, &arguments, transaction, cx);
            has_selector = states_selector(decoded, cx);
            let to = transaction.to.value();
            let self_calls = to.map(|to| detail.coin_moves.failed_self_calls(to.hash));
            mark_failed_items(
                &mut call,
                &self_calls.unwrap_or_default(),
                inner_outcome(transaction),
            );
            entries.append(&mut call);
        }
        _ if transaction.is_plain_send() => return entries,
        other => {
            let method = CalledMethod::new(transaction, cx.name_cache, cx.signature_db);
            let guess = guessed_call(transaction, cx).filter(|call| {
                matches!(other, Field::Absent)
                    && method.value().is_some_and(|method| method.name == call.name)
            });
            let call = display_entry(CALL_LABEL, &method);
            match (other, &method, guess) {
                (_, _, Some(guess)) => entries.append(&mut guessed_entries(CALL_LABEL, &guess, cx)),
                (Field::Absent, Field::Present(_), None) => {
                    entries.push(call.side_note(transaction::NO_ABI));
                }
                _ => entries.push(call),
            }
            let invalid = matches!(other, Field::Invalid(_));
            entries.extend(missing_entry("arguments", other).filter(|_| invalid));
        }
    }
    entries.push(field_entry(INPUT_LABEL, &transaction.raw_input, |bytes| match bytes.len() {
        0 => DocumentEntry::text(INPUT_LABEL, "empty").copy("0x").role(Role::Dim),
        SELECTOR_BYTES => only_selector_entry(INPUT_LABEL, bytes),
        n => {
            let size = format!("{} bytes", Grouped(n));
            let is_open = cx.area.width >= MIN_WIDE_COLUMNS && n <= MAX_OPEN_INPUT_BYTES;
            DocumentEntry::text(INPUT_LABEL, size).copy(bytes.to_string()).fold(is_open)
        }
    }));
    let bytes = transaction.raw_input.value().filter(|bytes| bytes.len() > SELECTOR_BYTES);
    // The call above may have the selector.
    let is_new = |entry: &DocumentEntry| !has_selector || &*entry.label != SELECTOR_LABEL;
    entries.extend(bytes.into_iter().flat_map(calldata_entries).filter(is_new));
    entries
}

fn push_gas(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    let gas = &transaction.gas;
    let (used, limit) = (gas.used.value(), gas.limit.value());
    let percent = used.zip(limit).and_then(|(used, limit)| Percent::of(*used, *limit));
    entries.push(field_entry("gas used", &gas.used, |used| {
        let share = percent.map(|percent| format!(" {}", PageMessage::ShareOfLimit { percent }));
        let shown = [Grouped(used).to_string(), share.unwrap_or_default()].concat();
        DocumentEntry::text("gas used", shown).copy(used.to_string())
    }));
    entries.push(field_entry("gas limit", &gas.limit, |limit| {
        // An empty bar says less than the share above it.
        let bar = percent
            .filter(|percent| percent.is_visible())
            .map(|percent| format!("  {}", gauge(percent)));
        let shown = [Grouped(limit).to_string(), bar.unwrap_or_default()].concat();
        DocumentEntry::text("gas limit", shown).copy(limit.to_string())
    }));
    let paid_price = |label, price| match transaction.fee_token() {
        Some(token) => token_price_entry(label, price, token),
        None => gas_price_entry(label, price),
    };
    entries.push(paid_price("gas price", &gas.price));
    let base_fee = gas_price_entry("base fee", &gas.base_fee);
    // A legacy transaction has no such prices, and an old chain none at all.
    let later = [
        (&gas.base_fee, base_fee),
        (&gas.max_fee, paid_price("max fee", &gas.max_fee)),
        (&gas.max_priority_fee, paid_price("max tip", &gas.max_priority_fee)),
    ];
    let sent = later.into_iter().filter(|(price, _)| **price != Field::Absent);
    entries.extend(sent.map(|(_, entry)| entry));
    entries.push(fee_entry(transaction, cx));
    let fee = transaction.fee.value().and_then(TransactionFee::wei);
    // Then there is no tip.
    let [tip, burnt] = transaction.fee_parts();
    let is_all_burnt = fee.is_some_and(|fee| !fee.is_zero()) && burnt.value() == fee;
    let parts = [("tip", &tip), ("burnt", &burnt)]
        .into_iter()
        .filter(|(label, part)| **part != Field::Absent && !(is_all_burnt && *label == "tip"));
    entries.extend(parts.map(|(label, part)| match part.value().filter(|wei| !wei.is_zero()) {
        Some(wei) if Some(wei) == fee => {
            DocumentEntry::text(label, transaction::WHOLE_FEE).copy(wei.to_string())
        }
        _ => coin_entry(label, part, cx),
    }));
}

/// Returns the entry of the fee with every digit.
fn fee_entry(transaction: &Transaction, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry(FEE_LABEL, &transaction.fee, |fee| {
        if fee.is_in_coin() {
            return coin_entry(FEE_LABEL, &fee.value, cx);
        }
        field_entry(FEE_LABEL, &fee.value, |value| {
            let amount = exact_fee(fee, (cx.format.unit, cx.network)).unwrap_or_default();
            DocumentEntry::text(FEE_LABEL, amount).copy(value.to_string()).role(Role::Value)
        })
    })
}

/// Appends what a failure cost in an entry that is folded.
fn push_folded_gas(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let mut parts = Vec::new();
    push_gas(transaction, cx, &mut parts);
    parts.retain(|part| &*part.label != FEE_LABEL);
    entries.push(fee_entry(transaction, cx).fold(false));
    entries.extend(parts.into_iter().map(|part| part.at_level(1)));
}

/// Returns the entry of the index, which leads to the block.
fn place_entry(transaction: &Transaction) -> DocumentEntry {
    field_entry("index", &transaction.position, |position| {
        let index = Grouped(*position).to_string();
        let Some(number) = transaction.block_number.value() else {
            return DocumentEntry::text("index", index).copy(position.to_string());
        };
        let place = format!("{index} {}", PageMessage::InBlock { number: *number });
        DocumentEntry::text("index", place)
            .copy(position.to_string())
            .link_block(BlockId::Number(*number))
    })
}

fn push_block_data(transaction: &Transaction, entries: &mut Vec<DocumentEntry>) {
    entries.push(number_entry("nonce", &transaction.nonce));
    entries.push(place_entry(transaction));
    entries.push(field_entry("type", &transaction.kind, |n| {
        DocumentEntry::text("type", format!("{n}{}", transaction::type_name(*n)))
            .copy(n.to_string())
    }));
    entries.extend(category_entry(&transaction.transaction_types));
    if !matches!(transaction.transaction_tag, Field::Absent) {
        entries.push(display_entry("tag", &transaction.transaction_tag));
    }
    // All are reverted with a transaction that failed.
    if transaction.outcome() != TransactionOutcome::Failed {
        entries.extend(missing_entry("inner calls", &transaction.has_inner_error));
    }
    let waited = &transaction.confirmation_duration;
    if waited_text(waited).is_none() && !waited.value().is_some_and(Vec::is_empty) {
        entries.push(list_entry(transaction::TIME_IN_POOL, waited));
    }
}

/// Returns the price of the coin then and now. Nodes know no prices.
fn price_entries(transaction: &Transaction, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    if cx.network.endpoint.is_node() {
        return Vec::new();
    }
    let coin = Unit::Coin.name(cx.network);
    let [then, now] = [&transaction.historic_exchange_rate, &transaction.exchange_rate];
    let label = format!("{coin} then");
    if let (Some(before), Some(current)) = (then.value(), now.value()) {
        let both = format!("{} · now {}", price_text(before), price_text(current));
        if fits(&both, MAX_PRICE_COLUMNS) {
            return vec![DocumentEntry::text(&label, both)];
        }
    }
    vec![price_entry(&label, then), price_entry(&format!("{coin} now"), now)]
}

/// Returns the entry of further kinds of the transaction.
fn category_entry(kinds: &Field<Vec<SafeText>>) -> Option<DocumentEntry> {
    let Field::Present(kinds) = kinds else { return Some(list_entry("category", kinds)) };
    let others: Vec<String> = kinds
        .iter()
        .filter(|kind| !SHOWN_CATEGORIES.contains(&&***kind))
        .map(|kind| kind.replace('_', " "))
        .collect();
    (!others.is_empty()).then(|| DocumentEntry::text("category", others.join(", ")))
}

/// Returns the entry of the price of the chain's coin in US dollars.
fn price_entry(label: &str, price: &Field<SafeText>) -> DocumentEntry {
    field_entry(label, price, |price| {
        DocumentEntry::text(label, price_text(price)).copy(price.clone())
    })
}

fn price_text(price: &SafeText) -> String {
    let (whole, fraction) = price.split_at(price.find('.').unwrap_or(price.len()));
    let is_number = whole.bytes().all(|digit| digit.is_ascii_digit());
    let whole = if is_number { Grouped(whole).to_string() } else { whole.to_owned() };
    format!("${whole}{fraction}")
}

/// Returns the maximum of the times until it was in a block, which are in milliseconds.
fn waited_text(range: &Field<Vec<SafeText>>) -> Option<String> {
    at_most_seconds(range.value()?.last()?)
}

/// Returns milliseconds as a maximum of seconds: `≤ 12 s`.
pub(in crate::pane) fn at_most_seconds(ms: &str) -> Option<String> {
    let (whole, fraction) = ms.split_once('.').unwrap_or((ms, ""));
    let is_more = fraction.bytes().any(|digit| digit != b'0');
    let ms = whole.parse::<u64>().ok()?.checked_add(is_more.into())?;
    let tenths = ms.div_ceil(100);
    let seconds = format!("≤ {}.{} s", tenths / 10, tenths % 10);
    Some(seconds.replace(".0 s", " s"))
}

fn list_entry(label: &str, texts: &Field<Vec<SafeText>>) -> DocumentEntry {
    field_entry(label, texts, |texts| match texts.as_slice() {
        [] => DocumentEntry::text(label, "none").role(Role::Dim),
        texts => {
            DocumentEntry::text(label, texts.iter().map(|t| &**t).collect::<Vec<_>>().join(", "))
        }
    })
}

fn push_extras(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    let actions = transaction.actions.value().into_iter().flatten();
    entries.extend(actions.map(|action| {
        let protocol = action.protocol.display_with(|p| (&**p).into());
        let kind = action.kind.display_with(|k| (&**k).into());
        let data = action.data.display_with(|d| (&*d.0).into());
        DocumentEntry::text("action", format!("{protocol} {kind} {data}"))
    }));
    push_chain_fields(transaction, cx, entries);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_wait_is_rounded_up() {
        let waits = ["6364", "1200.0", "2000.5", "12000"].map(at_most_seconds);
        assert_eq!(waits.map(Option::unwrap), ["≤ 6.4 s", "≤ 1.2 s", "≤ 2.1 s", "≤ 12 s"]);
        assert_eq!(["", "-1", "x"].map(at_most_seconds), [None, None, None]);
    }
}
