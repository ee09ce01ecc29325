//! The head of a transaction's page, and its panels: who gained and who lost, and the transfers.

use std::borrow::Cow;

use super::call_lines::StatedFailures;
use super::caught_failures::caught_lines;
use super::coin_moves::{CoinMove, FailedInnerCall};
use super::panels::{CellLine, Panel, PanelPair};
use super::sentence::{call_sentence, exact_call_sentence, failure_sentence, tense};
use super::{TransactionDetail, inner_outcome};
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::{PoolState, Transaction, TransactionOutcome};
use crate::calls::results::outcome_role;
use crate::chain::amount::Grouped;
use crate::chain::target::TargetKind;
use crate::chain::{Address, U256};
use crate::columns::Row;
use crate::columns::cells::fee::{fee_worth, short_fee};
use crate::messages::trace::TraceNote;
use crate::messages::transaction::{
    self, InnerFailures, MissingTransfers, TransferList, UnknownBalances,
};
use crate::messages::{prompt, trace};
use crate::pane::balance_changes::lines::{AssetFormatter, add_token_transfer, moved_asset};
use crate::pane::balance_changes::rows::{AccountForm, balance_rows};
use crate::pane::detail::DetailSource;
use crate::pane::known_trace::KnownTrace;
use crate::pane::{PaneContext, PanePlace};
use crate::trace::CallOutcome;
use crate::trace::balance_changes::{Asset, BalanceLedger};
use crate::trace::tree::FrameClass;
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue, fact_lines};
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Least width of panels side by side.
const MIN_SIDE_BY_SIDE_COLUMNS: u16 = 110;
/// Rows of a panel on low screens.
const MIN_PANEL_ROWS: usize = 12;

/// Returns status, block, time and fee, the call, and the reason of its failure.
pub(super) fn head(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let reason = failure_sentence(transaction, cx);
    let has_age = age_below(detail, transaction, cx).is_none();
    let mut entries = fact_entries(detail, transaction, has_age, cx);
    if let Some(reason) = reason {
        let exact = detail.failure_reason(cx).unwrap_or_default();
        entries.push(DocumentEntry::text("", reason).role(Role::Failed).copy(exact));
    }
    if let Some(sentence) = call_sentence(transaction, cx) {
        let exact = exact_call_sentence(transaction, cx).unwrap_or_default();
        entries.push(DocumentEntry::of_parts("", &sentence).role(Role::Title).copy(exact));
    }
    entries
}

/// Returns the lines of outcome, block, time and fee.
fn fact_entries(
    detail: &TransactionDetail,
    transaction: &Transaction,
    has_age: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let has_reason = failure_sentence(transaction, cx).is_some();
    // The header and the row have the others.
    let is_on_page = !cx.is_in_block;
    let facts = [
        Some(status_cell(transaction, has_reason)),
        inner_failure_cell(detail, transaction, cx),
        transaction
            .block_number
            .value()
            .filter(|_| is_on_page)
            .map(|block| EntryCell::block(*block)),
        transaction.timestamp.value().filter(|_| is_on_page).map(|then| {
            let full = || cx.format.full_time(*then, cx.ages());
            let text = if has_age { full() } else { cx.format.date_time(*then) };
            EntryCell::new(text, Role::Plain).copy(then.to_string())
        }),
        fee_cell(transaction, cx).filter(|_| is_on_page && !shows_failure(transaction, cx)),
    ];
    fact_lines(facts.into_iter().flatten(), cx.area.width).collect()
}

/// Returns the age that the head leaves out for a line less. It is next to the confirmations then, which
/// development nodes lack.
pub(super) fn age_below(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<String> {
    let then = transaction.timestamp.value().filter(|_| !cx.network.is_development())?;
    let [with_age, without] =
        [true, false].map(|has_age| fact_entries(detail, transaction, has_age, cx).len());
    (without < with_age).then(|| cx.ages().ago(*then))
}

/// Returns `true` if the page shows the failure of a transaction first, and its fee last: on a node,
/// where fees are play money.
pub(super) fn shows_failure(transaction: &Transaction, cx: &PaneContext<'_>) -> bool {
    cx.network.endpoint.is_node()
        && cx.network.is_development()
        && transaction.outcome() == TransactionOutcome::Failed
}

fn cells_entry(cells: CellLine) -> DocumentEntry {
    DocumentEntry::new("", EntryValue::Cells(cells))
}

fn status_cell(transaction: &Transaction, has_reason: bool) -> EntryCell {
    let (mark, role) = match transaction.outcome() {
        TransactionOutcome::Ok | TransactionOutcome::OkInnerFailure => ("✓ ", Role::Ok),
        TransactionOutcome::Unknown => ("", Role::Warning),
        TransactionOutcome::Failed => ("✗ ", Role::Failed),
        TransactionOutcome::Dropped => ("✗ ", Role::Warning),
        TransactionOutcome::Pending => ("", Role::Dim),
    };
    let outcome = match transaction.outcome() {
        TransactionOutcome::OkInnerFailure => "ok".into(),
        TransactionOutcome::Failed if has_reason => "failed".into(),
        _ => transaction.describe_outcome(),
    };
    let cell = EntryCell::new([mark, &outcome].concat(), role).copy(&*outcome);
    match transaction.pool_state() {
        PoolState::Replaced(hash) => cell.link(EntryLink::Target(TargetKind::Transaction(hash))),
        _ => cell,
    }
}

/// Returns the failures of inner calls, which the transaction may have survived.
fn inner_failure_cell(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<EntryCell> {
    let last = detail.coin_moves.last_failure();
    // Of too many calls the list is not known.
    let contract = match last {
        Some(call) => call.to,
        None => detail.revert_trace.last_failed_contract(),
    };
    let name = contract.map(|contract| cx.short_name(&contract));
    // The status states the transaction's own error.
    let own_error = transaction.describe_outcome();
    let error =
        last.and_then(FailedInnerCall::error).filter(|error| !own_error.contains(&***error));
    let caught = detail.revert_trace.last_caught_reason(transaction, contract, cx);
    let origin = detail.revert_trace.origin(transaction, cx).or_else(|| detail.failure.origin(cx));
    // The last failure of the list may be another one, which was caught.
    let contract = origin.as_ref().map_or(contract, |(_, origin)| *origin);
    let is_origin = contract == last.and_then(|call| call.to);
    // Of too many calls, the server of a node reports the last one's.
    let unlisted = transaction.last_call_error.value().filter(|_| last.is_none());
    let error = error.filter(|_| is_origin).or(unlisted);
    let origin = origin.map(|(origin, _)| match error {
        Some(error) => format!("{origin}: {error}"),
        None => origin,
    });
    let error = caught.as_deref().or(error.map(|error| &**error));
    // A panel lists them.
    let is_listed = lists_caught(detail, transaction);
    // In a transaction that failed, the last call that did need not be the origin.
    let has_failed = transaction.outcome() == TransactionOutcome::Failed;
    let (name, error) = if is_listed || has_failed { (None, None) } else { (name, error) };
    let text = match (transaction.outcome(), detail.coin_moves.failed_calls()) {
        (TransactionOutcome::Failed, _) if let Some(origin) = &origin => origin.clone(),
        (TransactionOutcome::OkInnerFailure | TransactionOutcome::Failed, Some(counts)) => {
            // The list has the inner calls, and seldom the transaction's own, which a trace counts too.
            let unlisted = usize::from(!detail.coin_moves.lists_own_failure());
            let own = if has_failed { unlisted } else { 0 };
            let (failed, calls) = (counts.0 + own, counts.1 + unlisted);
            if calls == 1 {
                return None;
            }
            InnerFailures { failed, calls, contract: name.as_deref(), error }.to_string()
        }
        (TransactionOutcome::OkInnerFailure, None) => {
            let traced = detail.revert_trace.failed_calls(transaction);
            let contract = name.as_deref();
            traced.map_or_else(
                || unlisted_failures(transaction, cx),
                |(failed, calls)| InnerFailures { failed, calls, contract, error }.to_string(),
            )
        }
        _ => return None,
    };
    let outcome = inner_outcome(transaction);
    // The status has the sign of a failure that reverted everything.
    let mark = if outcome == CallOutcome::Failed { "" } else { "! " };
    let cell = EntryCell::new([mark, &text].concat(), outcome_role(outcome)).copy(text);
    Some(match contract {
        Some(contract) => cell.link(EntryLink::Target(TargetKind::Address(contract))),
        None => cell,
    })
}

/// States failures of inner calls that are not loaded: in previews by a trace that another pane has received, or with
/// the key that loads them.
fn unlisted_failures(transaction: &Transaction, cx: &PaneContext<'_>) -> String {
    match cx.place {
        PanePlace::Preview => traced_failures(transaction, cx)
            .unwrap_or_else(|| cx.keys.expand(transaction::INNER_CALLS_NOT_LOADED).into_owned()),
        _ => transaction::INNER_CALLS_FAILED.to_owned(),
    }
}

fn traced_failures(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<String> {
    let trace = KnownTrace::of_transaction(&transaction.hash, cx)?;
    let formatter = trace.formatter();
    let failed = formatter.tree.frames_of(FrameClass::Failed);
    let last = *failed.last()?;
    let contract = formatter.tree.target_address(last).map(|contract| cx.short_name(&contract));
    let (contract, error) = (contract.as_deref(), formatter.failure_reason(last));
    let (failed, calls) = (failed.len(), formatter.tree.len() as usize);
    Some(InnerFailures { failed, calls, contract, error: Some(&error) }.to_string())
}

fn fee_cell(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<EntryCell> {
    let fee = transaction.fee.value()?;
    let Some(value) = fee.value.value() else {
        let text = format!("{} ?", tense(transaction).fee());
        return Some(EntryCell::new(text, Role::Warning));
    };
    let amount = short_fee(fee, (cx.format.unit, cx.network))?;
    let most = if transaction.has_maximum_fee() { " at most" } else { "" };
    let fiat = fee_worth(transaction, cx.network).unwrap_or_default();
    let text = format!("{} {amount}{fiat}{most}", tense(transaction).fee());
    Some(EntryCell::new(text, Role::Value).copy(value.to_string()))
}

fn is_pending(transaction: &Transaction) -> bool {
    transaction.outcome() == TransactionOutcome::Pending
}

/// Returns the panel of the calls that failed: those that the transaction survived, or the path to its own failure if
/// it moved nothing.
pub(super) fn failure_panel(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<Panel> {
    caught_panel(detail, transaction, cx).or_else(|| {
        let panels = Panels::new(detail, transaction, cx);
        if shows_failure(transaction, cx) || !panels.is_without_moves() {
            return None;
        }
        let path = detail.revert_trace.path_panel(transaction, most_rows(cx), cx);
        let has_stack = !detail.failure.stack().is_empty();
        path.or_else(|| if has_stack { None } else { panels.failed_calls() })
    })
}

/// Returns `true` if a panel has the failures that the transaction survived.
fn lists_caught(detail: &TransactionDetail, transaction: &Transaction) -> bool {
    !detail.revert_trace.caught_calls(transaction).is_empty()
        || !detail.failure.caught().0.is_empty()
}

/// Returns the failures that the transaction survived: of an explorer's, only if there are several.
fn caught_panel(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<Panel> {
    let (caught, left_out) = detail.failure.caught();
    let most = most_rows(cx);
    if !caught.is_empty() {
        let mut lines = caught_lines(caught, transaction.hash, cx);
        let all = lines.len().saturating_add(usize::try_from(left_out).unwrap_or(usize::MAX));
        count_missing(&mut lines, all, (most, 0), " calls");
        return Some(panel(prompt::FAILED_CALLS, lines));
    }
    let calls = detail.revert_trace.caught_calls(transaction);
    if calls.is_empty() {
        return None;
    }
    let shown = calls.get(..most).unwrap_or(calls);
    let mut lines = detail.revert_trace.failure_lines(shown, transaction, cx);
    // The gas is the last of their cells, all the others of which have links.
    let has_gas = lines.iter().flatten().any(|cell| cell.link.is_none());
    let title = match (has_gas, detail.revert_trace.is_gas_inferred(shown)) {
        (false, _) => prompt::FAILED_CALLS.to_owned(),
        (true, false) => format!("{} · gas", prompt::FAILED_CALLS),
        (true, true) => format!("{} · {}", prompt::FAILED_CALLS, trace::GAS_PARTLY_INFERRED),
    };
    count_missing(&mut lines, calls.len(), (most, 0), " calls");
    Some(panel(title, lines))
}

fn panel(title: impl Into<Cow<'static, str>>, lines: Vec<CellLine>) -> Panel {
    Panel { title: title.into(), entries: lines.into_iter().map(cells_entry).collect() }
}

/// Returns the failures that the page states above its calls.
pub(super) fn stated_failures(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> StatedFailures {
    let reasons = states_all_reasons(detail, transaction, cx);
    let calls = reasons && !detail.revert_trace.caught_calls(transaction).is_empty();
    StatedFailures { path: detail.revert_trace.has_path(transaction), reasons, calls }
}

/// Returns `true` if the page has the reason of each failure that the transaction survived: of the only one in its
/// head, of several in the lines of a panel.
fn states_all_reasons(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> bool {
    if !lists_caught(detail, transaction) {
        return states_only_reason(detail, transaction, cx);
    }
    let of_trace = detail.revert_trace.caught_calls(transaction).len();
    let (of_node, left_out) = detail.failure.caught();
    left_out == 0 && of_trace.max(of_node.len()) <= most_rows(cx)
}

/// Returns `true` if the head has the reason of the only failure that the transaction survived.
fn states_only_reason(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> bool {
    let contract = detail.coin_moves.last_failure().and_then(|call| call.to);
    detail.coin_moves.failed_calls().is_some()
        && detail.revert_trace.last_caught_reason(transaction, contract, cx).is_some()
}

/// Returns the most rows of a panel, further ones of which are counted.
fn most_rows(cx: &PaneContext<'_>) -> usize {
    MIN_PANEL_ROWS.max(usize::from(cx.area.height / 3))
}

/// Returns the balance changes and the transfers between two rules: side by side if both fit whole, else one above the
/// other.
pub(super) fn balance_panels(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    if shows_failure(transaction, cx) {
        return vec![DocumentEntry::rule("")];
    }
    let panels = Panels::new(detail, transaction, cx);
    let [balances_title, transfers_title] = match transaction.outcome() {
        TransactionOutcome::Dropped => return vec![DocumentEntry::rule("")],
        TransactionOutcome::Pending => [prompt::BALANCES_IF_MINED, prompt::TRANSFERS_IF_MINED],
        _ => [panels.balances_title(), panels.transfers_title()],
    };
    let balances_title = panels.with_price_basis(balances_title);
    let all = cx.area.width;
    let moved = panels.transfer_rows((0, all));
    let is_stated = panels.is_without_moves() || panels.balances_note().is_some();
    if is_stated {
        return vec![DocumentEntry::rule("")];
    }
    let Some(middle) = panels.divider(&moved) else {
        // The failures are above it.
        if panels.lists_failures_alone() {
            return vec![DocumentEntry::rule("")];
        }
        let changed = panels.balance_rows((0, all)).into_iter().map(cells_entry);
        let title = (!moved.is_empty()).then(|| DocumentEntry::rule(transfers_title));
        let moved = title.into_iter().chain(moved.into_iter().map(cells_entry));
        return [DocumentEntry::rule(balances_title)]
            .into_iter()
            .chain(changed)
            .chain(moved)
            .chain([DocumentEntry::rule("")])
            .collect();
    };
    let lines = [panels.balance_rows((0, middle - 1)), panels.transfer_rows((middle + 2, all))];
    PanelPair { middle, titles: [balances_title, transfers_title.into()], lines }.entries()
}

/// Returns the note in place of the panels of balances, and its role.
pub(super) fn balances_note(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<(String, Role)> {
    Panels::new(detail, transaction, cx).balances_note()
}

struct Panels<'a> {
    detail: &'a TransactionDetail,
    transaction: &'a Transaction,
    transfers: Vec<&'a TokenTransfer>,
    assets: AssetFormatter<'a>,
    cx: &'a PaneContext<'a>,
}

/// One movement of an asset, as cells.
struct Movement {
    number: String,
    parties: [Option<EntryCell>; 2],
    amount: EntryCell,
    /// Columns of the amount without its value in dollars.
    amount_width: u16,
}

impl<'a> Panels<'a> {
    fn new(
        detail: &'a TransactionDetail,
        transaction: &'a Transaction,
        cx: &'a PaneContext<'a>,
    ) -> Self {
        let transfers = detail.transfers(cx);
        let rate = transaction.current_coin_rate();
        let shown = transfers.iter().copied();
        let assets = AssetFormatter::new(cx.network, cx.format.unit, rate, shown);
        Self { detail, transaction, transfers, assets, cx }
    }

    /// Returns `true` if the transaction moved nothing, and a panel has the failures that it survived.
    fn lists_failures_alone(&self) -> bool {
        lists_caught(self.detail, self.transaction)
            && self.transfer_rows((0, self.cx.area.width)).is_empty()
            && self.changes((0, self.cx.area.width)).is_empty()
    }

    fn is_failed(&self) -> bool {
        self.transaction.outcome() == TransactionOutcome::Failed
    }

    /// Returns `true` if the transaction failed, and has neither transfers nor balance changes.
    fn is_without_moves(&self) -> bool {
        let columns = (0, self.cx.area.width);
        self.is_failed()
            && self.transfer_rows(columns).is_empty()
            && self.balance_rows(columns).is_empty()
    }

    /// Returns `true` if a preview, which is passed by, has no transfers of either kind.
    fn is_unasked(&self) -> bool {
        let not_loaded = |list| MissingTransfers::NotLoaded(list);
        self.cx.place == PanePlace::Preview
            && self.transfers.is_empty()
            && self.missing_coin() == Some(not_loaded(TransferList::Internal))
            && self.detail.transfer_note(self.cx)
                == Some(not_loaded(TransferList::Token).to_string())
    }

    /// Returns the reason why there are no panels: nothing was loaded, changed but for the fee, or is known.
    fn balances_note(&self) -> Option<(String, Role)> {
        use TransactionOutcome::{Dropped, OkInnerFailure};
        let outcome = self.transaction.outcome();
        if outcome == Dropped || shows_failure(self.transaction, self.cx) {
            None
        } else if self.is_unasked() {
            let note = self.cx.keys.expand(transaction::BALANCES_NOT_LOADED);
            Some((note.into_owned(), Role::Dim))
        } else if self.lists_failures_alone() {
            // A panel has the failures that the transaction survived.
            (outcome == OkInnerFailure)
                .then(|| (transaction::BALANCES_UNCHANGED.to_owned(), Role::Dim))
        } else {
            let unknown = self.unknown_balances()?;
            // By its failure, or by the panel of transfers.
            let is_stated =
                self.is_without_moves() || !self.transfer_rows((0, self.cx.area.width)).is_empty();
            (!is_stated).then(|| (unknown.to_string(), Role::Warning))
        }
    }

    /// Returns the column between the panels if they fit side by side.
    fn divider(&self, moved: &[CellLine]) -> Option<u16> {
        let all = self.cx.area.width;
        let least = columns_of(&self.balance_rows((0, u16::MAX))) + 1;
        let most = all.checked_sub(columns_of(moved) + 2)?;
        let has_space = all >= MIN_SIDE_BY_SIDE_COLUMNS && !moved.is_empty() && least <= most;
        has_space.then(|| (all / 2).clamp(least, most))
    }

    /// Returns the coin that the transaction itself transferred.
    fn coin_sent(&self) -> Option<CoinMove> {
        let to = self.transaction.to.value().or_else(|| self.transaction.created().value())?;
        let wei = *self.transaction.value.value().filter(|wei| !wei.is_zero())?;
        let sent = CoinMove { from: self.transaction.from.value()?.hash, to: to.hash, wei };
        (!self.is_failed()).then_some(sent)
    }

    /// Returns the internal transfers that are not known.
    fn missing_coin(&self) -> Option<MissingTransfers> {
        use TransactionOutcome::{Ok, OkInnerFailure};
        let may_send = self.transaction.value.value().is_none_or(|wei| !wei.is_zero());
        let is_unreadable = matches!(self.transaction.outcome(), Ok | OkInnerFailure)
            && may_send
            && self.coin_sent().is_none();
        if is_unreadable {
            return Some(MissingTransfers::UnknownMove);
        }
        self.detail.coin_moves.missing(self.transaction, self.cx)
    }

    fn knows_tokens(&self) -> bool {
        self.is_failed()
            || self.detail.transfer_note(self.cx).is_none() && !self.transaction.may_yet_transfer()
    }

    /// Returns the title of the balance changes: without the coin while a part of its moves is unknown.
    fn balances_title(&self) -> &'static str {
        match (self.knows_tokens(), self.missing_coin().is_none()) {
            (true, true) => prompt::BALANCES,
            (true, false) => prompt::BALANCES_OF_TOKENS,
            (false, true) if self.transfers.is_empty() => prompt::BALANCES_OF_COIN,
            (false, false) if self.transfers.is_empty() => prompt::UNKNOWN_BALANCES,
            (false, true) => prompt::BALANCES_OF_FIRST,
            (false, false) => prompt::BALANCES_OF_FIRST_TOKENS,
        }
    }

    fn transfers_title(&self) -> &'static str {
        match self.missing_coin() {
            Some(MissingTransfers::SeeTrace) => prompt::TRANSFERS_WITHOUT_INTERNAL,
            _ => prompt::TRANSFERS,
        }
    }

    /// Returns the reason why the balance changes of a transaction without token transfers are unknown: its calls are too
    /// many.
    fn unknown_balances(&self) -> Option<UnknownBalances> {
        match self.missing_coin()? {
            MissingTransfers::FirstPages(..) if self.transfers.is_empty() => {
                let calls = Grouped(self.detail.coin_moves.loaded_calls());
                Some(UnknownBalances { calls })
            }
            _ => None,
        }
    }

    /// Adds to a title the time of the prices below, if there are any.
    fn with_price_basis(&self, title: &'static str) -> Cow<'static, str> {
        let has_prices =
            self.transfers.iter().any(|moved| moved.token.value().is_some_and(has_price))
                || self.transaction.current_coin_rate().is_some() && self.moves_coin();
        if has_prices {
            format!("{title} · {}", prompt::PRICES_OF_TODAY).into()
        } else {
            title.into()
        }
    }

    fn moves_coin(&self) -> bool {
        let calls = &self.detail.coin_moves;
        self.coin_sent().is_some()
            || !calls.moves(self.cx).is_empty()
            || !calls.selfdestructs(self.cx).is_empty()
    }

    /// Returns the panel of the inner calls that failed, if there are any.
    fn failed_calls(&self) -> Option<Panel> {
        let failures = self.detail.coin_moves.failures();
        let party = |address: Option<Address>| match address {
            Some(address) => self.cx.address_cell(address),
            None => EntryCell::new("?", Role::Dim),
        };
        let callers = failures.iter().map(|call| party(call.from).width());
        let to_x = callers.max().unwrap_or_default() + 3;
        let alike = failures.chunk_by(|one, next| (one.from, one.to) == (next.from, next.to));
        let row = |calls: &[FailedInnerCall]| {
            let call = calls.first()?;
            let to = party(call.to).at(to_x);
            let arrow = EntryCell::new("→", Role::Dim).at(to_x - 2);
            let times = (calls.len() > 1).then(|| {
                let text = format!("× {}", Grouped(calls.len()));
                EntryCell::new(text, Role::Dim).at(to.end() + 2)
            });
            Some([party(call.from), arrow, to].into_iter().chain(times).collect())
        };
        let mut rows: Vec<CellLine> = alike.filter_map(row).collect();
        count_hidden(&mut rows, most_rows(self.cx), 0, " calls");
        (!rows.is_empty()).then(|| panel(prompt::FAILED_CALLS, rows))
    }

    /// Returns the balance changes, or a line that says that there are none.
    fn balance_rows(&self, columns: (u16, u16)) -> Vec<CellLine> {
        let mut rows = self.changes(columns);
        if rows.is_empty() && !self.is_failed() {
            let is_known = self.knows_tokens() && self.missing_coin().is_none();
            let none = if is_known { "none" } else { "?" };
            rows.push(vec![EntryCell::new(none, Role::Dim).at(columns.0)]);
        }
        rows
    }

    /// Returns the balance changes, without the fee that the head states.
    fn changes(&self, columns: (u16, u16)) -> Vec<CellLine> {
        let payer = self.transaction.from.hash();
        let missing_coin = self.missing_coin();
        let mut ledger = BalanceLedger::default();
        let mut uncertain = U256::ZERO;
        if missing_coin.is_none() {
            uncertain = self.add_selfdestructs(&mut ledger);
            let sent = self.coin_sent();
            for CoinMove { from, to, wei } in
                sent.iter().chain(self.detail.coin_moves.moves(self.cx))
            {
                ledger.transfer(Asset::Coin, *from, *to, *wei);
            }
        }
        let unread = self
            .transfers
            .iter()
            .filter(|transfer| !add_token_transfer(&mut ledger, transfer))
            .count();
        let lines = self.assets.lines(&ledger, payer);
        let mut rows: Vec<CellLine> = balance_rows(&lines, columns, AccountForm::Short, self.cx)
            .into_iter()
            .flatten()
            .collect();
        count_hidden(&mut rows, most_rows(self.cx), columns.0, "");
        if !uncertain.is_zero() {
            let coin = self.assets.amount(Asset::Coin, uncertain, "").text;
            let note = TraceNote::SelfDestructed { coin: &coin }.to_string();
            rows.push(vec![EntryCell::new(note, Role::Warning).at(columns.0)]);
        }
        let unread = (unread > 0).then_some(MissingTransfers::Unreadable(unread));
        // The title says it.
        let missing_coin = missing_coin.filter(|missing| !is_without_calls(missing));
        rows.extend([unread, missing_coin].into_iter().flatten().map(|missing| {
            let is_elsewhere = missing == MissingTransfers::SeeTrace;
            let role = if is_elsewhere { Role::Dim } else { Role::Warning };
            vec![EntryCell::new(missing.to_string(), role).at(columns.0)]
        }));
        rows
    }

    /// Adds the coin of contracts that selfdestructed to themselves, and returns the part that only later forks keep.
    fn add_selfdestructs(&self, ledger: &mut BalanceLedger) -> U256 {
        let calls = &self.detail.coin_moves;
        let own = self.transaction.created().value().map(|created| created.hash);
        let mut uncertain = U256::ZERO;
        for CoinMove { from, wei, .. } in calls.selfdestructs(self.cx) {
            if own == Some(*from) || calls.has_created(from) {
                ledger.burn(Asset::Coin, *from, *wei);
            } else {
                ledger.doubt(*from, *wei);
                uncertain = uncertain.saturating_add(*wei);
            }
        }
        uncertain
    }

    /// Returns the coin sent, then the token transfers in their order, then the internal transfers. A
    /// failed transaction moves nothing, and needs no line for it.
    fn transfer_rows(&self, columns: (u16, u16)) -> Vec<CellLine> {
        let coin = |moved: &CoinMove| {
            let parties = [moved.from, moved.to].map(|party| Some(self.party_cell(party, "")));
            let text = self.assets.amount(Asset::Coin, moved.wei, "").text;
            let amount = EntryCell::new(text, Role::Value).copy(moved.wei.to_string());
            let amount_width = amount.width();
            Movement { number: String::new(), parties, amount, amount_width }
        };
        let sent = self.coin_sent();
        let mut moves: Vec<Movement> = sent.iter().map(coin).collect();
        let tokens = self.transfers.iter().enumerate();
        moves
            .extend(tokens.map(|(n, transfer)| self.token_movement((n + 1).to_string(), transfer)));
        moves.extend(self.detail.coin_moves.moves(self.cx).iter().map(coin));
        let mut rows = movement_lines(moves, columns);
        count_hidden(&mut rows, most_rows(self.cx), columns.0, " transfers");
        let note = match self.detail.transfer_note(self.cx) {
            Some(note) => (!self.is_failed()).then_some(note),
            None if rows.is_empty() && is_pending(self.transaction) => {
                Some(transaction::UNKNOWN_UNTIL_MINED.to_owned())
            }
            None => None,
        };
        let missing_coin = self.missing_coin().filter(is_without_calls);
        let notes = note.into_iter().chain(missing_coin.map(|missing| missing.to_string()));
        rows.extend(notes.map(|note| vec![EntryCell::new(note, Role::Dim).at(columns.0)]));
        rows
    }

    fn token_movement(&self, number: String, transfer: &TokenTransfer) -> Movement {
        let from = transfer.from.value().map(|from| self.party_cell(from.hash, "mint"));
        let to = transfer.to.value().map(|to| self.party_cell(to.hash, "burn"));
        let mark = if transfer.warnings().is_empty() { "" } else { "!" };
        let role = if mark.is_empty() { Role::Value } else { Role::Warning };
        let (text, fiat) = match moved_asset(transfer) {
            Some((asset, amount)) => {
                let shown = self.assets.amount(asset, amount, mark);
                (shown.text, shown.fiat)
            }
            None => (transfer.summary(), String::new()),
        };
        let amount_width = EntryCell::new(&*text, role).width();
        let amount = EntryCell::new([&*text, &fiat].concat(), role);
        let amount = match transfer.token.value().and_then(|token| token.address.value()) {
            Some(token) => amount.link(EntryLink::Token(*token)),
            None => amount,
        };
        let copied = transfer.describe_amount();
        Movement { number, parties: [from, to], amount: amount.copy(copied), amount_width }
    }

    /// Returns the cell of a party, which may be the zero address.
    fn party_cell(&self, address: Address, word: &'static str) -> EntryCell {
        let cell = self.cx.address_cell(address);
        if address.is_zero() && !word.is_empty() {
            EntryCell { cell: TableCell::new(word, Role::Dim), ..cell }
        } else {
            cell
        }
    }
}

/// Returns `true` if no call is known.
fn is_without_calls(missing: &MissingTransfers) -> bool {
    matches!(missing, MissingTransfers::NotLoaded(_) | MissingTransfers::NotIndexed(_))
}

/// Places movements in columns: number, sender, receiver and amount.
fn movement_lines(moves: Vec<Movement>, (left, right): (u16, u16)) -> Vec<CellLine> {
    let most = |widths: Vec<u16>| widths.into_iter().max().unwrap_or_default();
    let numbers = most(
        moves.iter().map(|movement| u16::try_from(movement.number.len()).unwrap_or(0)).collect(),
    );
    let width_of = |n: usize| {
        move |movement: &Movement| movement.parties[n].as_ref().map_or(1, EntryCell::width)
    };
    let [from, to] = [0, 1].map(|n| most(moves.iter().map(width_of(n)).collect()));
    let from_x = left + numbers + u16::from(numbers > 0);
    let to_x = from_x + from + 3;
    let amount_x = to_x + to + 2;
    // The amounts end in one column, before their values in dollars.
    let amounts = most(moves.iter().map(|movement| movement.amount_width).collect());
    let ends =
        moves.iter().map(|movement| amounts - movement.amount_width + movement.amount.width());
    let beyond = (amount_x + most(ends.collect())).saturating_sub(right);
    let line = |movement: Movement| {
        let [from, to] =
            movement.parties.map(|cell| cell.unwrap_or(EntryCell::new("?", Role::Warning)));
        let space = amounts.saturating_sub(movement.amount_width).saturating_sub(beyond);
        vec![
            EntryCell::new(movement.number, Role::Dim).at(left),
            from.at(from_x),
            EntryCell::new("→", Role::Dim).at(to_x - 2),
            to.at(to_x),
            movement.amount.at(amount_x + space),
        ]
    };
    moves.into_iter().map(line).collect()
}

fn has_price(token: &Token) -> bool {
    token.exchange_rate.value().is_some()
}

fn columns_of(rows: &[CellLine]) -> u16 {
    rows.iter().flatten().map(EntryCell::end).max().unwrap_or_default()
}

/// Replaces the rows that exceed a panel by their number.
pub(super) fn count_hidden(rows: &mut Vec<CellLine>, most: usize, x: u16, what: &str) {
    count_missing(rows, rows.len(), (most, x), what);
}

/// Replaces the rows that exceed a panel by the number of all rows that it lacks.
fn count_missing(rows: &mut Vec<CellLine>, all: usize, (most, x): (usize, u16), what: &str) {
    if all > most || all > rows.len() {
        rows.truncate(most - 1);
        let hidden = all - rows.len();
        rows.push(vec![EntryCell::new(format!("… {hidden} more{what}"), Role::Dim).at(x)]);
    }
}
