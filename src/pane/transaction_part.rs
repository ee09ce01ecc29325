//! The pane of one row of a transaction's lists: a token transfer, a call or a state change, with what the
//! trace and the other lists of the transaction add to it.

use super::PaneContext;
use super::detail::field_entries::address_entry;
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use super::known_trace::KnownTrace;
use super::log::{self, LogDisplay};
use super::trace::entries_alone;
use super::transaction::{call_context, other_tokens};
use crate::api::address::AddressRef;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::{Field, ListSubject};
use crate::chain::amount::Grouped;
use crate::chain::{Address, TxHash, U256};
use crate::columns::cells::called_method::KnownCall;
use crate::columns::cells::symbol;
use crate::columns::cells::token_amount::{token_amount, token_decimals};
use crate::columns::common::dollars;
use crate::columns::table::any_row::AnyRow;
use crate::columns::{Row, RowContext};
use crate::messages::column;
use crate::messages::transaction::ShownTransfers;
use crate::pane::detail::field_entries::{display_entry, field_entry};
use crate::pane::detail::value_entries::deeper;
use crate::route::TransactionPart;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

/// Maximum transfers of a state change that are shown.
const MAX_TRANSFERS: usize = 20;

pub fn pane(transaction: TxHash, part: &TransactionPart) -> DetailPane {
    let detail = |row| PartDetail { transaction, row };
    let loaded = match part {
        TransactionPart::Transfer(item) => {
            LoadedDetail::of_item(item, |row| detail(PartRow::Transfer(row.clone())))
        }
        TransactionPart::Call(item) => {
            LoadedDetail::of_item(item, |row| detail(PartRow::Call(row.clone())))
        }
        TransactionPart::StateChange(item) => {
            LoadedDetail::of_item(item, |row| detail(PartRow::StateChange(row.clone())))
        }
        TransactionPart::Log(item) => return log::pane(item, LogDisplay::OnTransaction),
    };
    DetailPane::from_loaded(loaded, None)
}

#[derive(Debug)]
struct PartDetail {
    transaction: TxHash,
    row: PartRow,
}

#[derive(Debug)]
enum PartRow {
    Transfer(TokenTransfer),
    Call(InternalTransaction),
    StateChange(StateChange),
}

impl PartDetail {
    fn page<'a>(&self, cx: &'a PaneContext<'a>) -> PartPage<'a> {
        let hash = self.transaction;
        PartPage { hash, trace: KnownTrace::of_transaction(&hash, cx), cx }
    }
}

impl DetailSource for PartDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let page = self.page(cx);
        match &self.row {
            PartRow::Transfer(transfer) => page.transfer(transfer),
            PartRow::Call(call) => page.call(call),
            PartRow::StateChange(change) => page.state_change(change),
        }
    }

    fn entries_below(&self, lines: usize, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let page = self.page(cx);
        let mut entries = match &self.row {
            PartRow::StateChange(change) => other_tokens(&page.hash, change, lines, cx),
            PartRow::Transfer(_) | PartRow::Call(_) => Vec::new(),
        };
        let free = lines.saturating_sub(entries.len());
        let own = page.trace.as_ref().and_then(|trace| Some((trace, page.own_call(&self.row)?)));
        entries.extend(own.into_iter().flat_map(|(trace, own)| call_context(trace, own, free, cx)));
        entries
    }

    fn row(&self) -> Option<&dyn AnyRow> {
        Some(match &self.row {
            PartRow::Transfer(row) => row,
            PartRow::Call(row) => row,
            PartRow::StateChange(row) => row,
        })
    }

    fn has_one_column(&self) -> bool {
        true
    }

    fn has_ages(&self) -> bool {
        false
    }

    fn has_json_column(&self) -> bool {
        true
    }
}

struct PartPage<'a> {
    hash: TxHash,
    trace: Option<KnownTrace<'a>>,
    cx: &'a PaneContext<'a>,
}

impl PartPage<'_> {
    /// Returns the call of a row: of a state change, the call of the first transfer in it, or else the first call from or
    /// to the account.
    fn own_call(&self, row: &PartRow) -> Option<u32> {
        let trace = self.trace.as_ref()?;
        match row {
            PartRow::Transfer(transfer) => trace.call_of(transfer),
            PartRow::Call(call) => Some(call.known_call(self.cx.name_cache)?.number),
            PartRow::StateChange(change) => {
                let moved = self.transfers_in(change).find_map(|sum| trace.call_of(sum.transfer));
                moved.or_else(|| trace.first_call_of(change.address.value()?.hash))
            }
        }
    }

    fn transfer(&self, transfer: &TokenTransfer) -> Vec<DocumentEntry> {
        let amount = DocumentEntry::text("amount", transfer.describe_amount()).role(Role::Value);
        let value = transfer.total.value().and_then(|total| total.value.value());
        let mut entries = vec![match value {
            Some(value) => amount.copy(value.to_string()),
            None => amount,
        }];
        let worth = transfer.worth_now().map(|worth| [&*worth.readable(), " now"].concat());
        entries.extend(worth.map(|worth| DocumentEntry::text("worth", worth)));
        entries.extend(self.moving_calls(transfer));
        for (label, party) in [("from", &transfer.from), ("to", &transfer.to)] {
            entries.extend(self.holder(label, party, transfer.token()));
        }
        entries.extend(transfer.token().into_iter().flat_map(token_entries));
        entries.push(display_entry("log", &transfer.log_index));
        entries
    }

    /// Returns a party of a transfer, with its balances before and after the transaction.
    fn holder(
        &self,
        label: &str,
        party: &Field<AddressRef>,
        token: Option<&Token>,
    ) -> Vec<DocumentEntry> {
        let entry = address_entry(label, party, self.cx);
        let known = || {
            let contract = *token?.address.value()?;
            let names = self.cx.name_cache;
            Some((token?, names.token_balances(&self.hash, party.value()?.hash, contract)?))
        };
        let Some((token, balances)) = known() else { return vec![entry] };
        let labelled = ["before", "after"].into_iter().zip(balances);
        let amounts = labelled.map(|(label, balance)| {
            DocumentEntry::text(label, amount_of(balance, token)).copy(balance.to_string())
        });
        std::iter::once(entry.fold(true)).chain(deeper(amounts)).collect()
    }

    /// Returns the call that made a transfer, and the calls around it.
    fn moving_calls(&self, transfer: &TokenTransfer) -> Vec<DocumentEntry> {
        let made = || {
            let trace = self.trace.as_ref()?;
            Some(trace.call_entries(column::MOVED_BY, trace.call_of(transfer)?))
        };
        made().unwrap_or_default()
    }

    /// Returns the detail of a call by its trace, or its fields if the trace is not known.
    fn call(&self, call: &InternalTransaction) -> Vec<DocumentEntry> {
        let cx = self.cx;
        let known = call.known_call(cx.name_cache);
        if let (Some(trace), Some(KnownCall { number, .. })) = (&self.trace, known) {
            return entries_alone(&trace.formatter(), number, cx.area.width, cx.keys);
        }
        line_entries(&call.detail_lines(&self.row_context()))
    }

    fn state_change(&self, change: &StateChange) -> Vec<DocumentEntry> {
        let mut lines = change.detail_lines(&self.row_context());
        lines.retain(|(label, _)| !matches!(*label, "transfers" | ""));
        let mut entries = line_entries(&lines);
        entries.extend(self.transfers(change));
        entries.extend(change.token().into_iter().flat_map(token_entries));
        entries
    }

    /// Returns the transfers that a change of a balance sums up.
    fn transfers_in(&self, change: &StateChange) -> impl Iterator<Item = SummedTransfer<'_>> {
        let account = change.address.value().map(|account| account.hash);
        let token = change.token().and_then(|token| token.address.value()).copied();
        let hash = |party: &Field<AddressRef>| party.value().map(|party| party.hash);
        let numbered = (1..).zip(self.cx.name_cache.transfers(&self.hash));
        numbered.filter_map(move |(number, transfer)| {
            let (account, token) = (account?, token?);
            let moved = transfer.token()?.address.value()?;
            let (word, other) = match (hash(&transfer.from), hash(&transfer.to)) {
                _ if *moved != token => return None,
                (Some(from), _) if from == account => ("to", &transfer.to),
                (_, Some(to)) if to == account => ("from", &transfer.from),
                _ => return None,
            };
            Some(SummedTransfer { number, transfer, word, other })
        })
    }

    fn transfers(&self, change: &StateChange) -> Vec<DocumentEntry> {
        let mut own = self.transfers_in(change);
        let mut entries = Vec::new();
        let mut shown = 0;
        for SummedTransfer { number, transfer, word, other } in own.by_ref().take(MAX_TRANSFERS) {
            shown += 1;
            let header = address_entry(&format!("#{number} {word}"), other, self.cx).fold(true);
            let amount = DocumentEntry::text("amount", transfer.describe_amount());
            let parts = std::iter::once(amount).chain(self.moving_calls(transfer));
            entries.extend(std::iter::once(header).chain(deeper(parts)));
        }
        let are_all_known = self.cx.name_cache.knows_all_transfers(&self.hash);
        let count = ShownTransfers { shown, known: shown + own.count(), are_all_known };
        let header =
            (shown > 0).then(|| DocumentEntry::text("transfers", count.to_string()).fold(true));
        header.into_iter().chain(deeper(entries)).collect()
    }

    fn row_context(&self) -> RowContext<'_> {
        let transaction = Some(self.hash);
        let subject = ListSubject::Transaction;
        RowContext { subject, transaction, ..self.cx.row_context(None) }
    }
}

/// A transfer that the change of a balance sums up.
struct SummedTransfer<'a> {
    /// Its place among all transfers of the transaction.
    number: usize,
    transfer: &'a TokenTransfer,
    /// The word for the side of the other party.
    word: &'static str,
    other: &'a Field<AddressRef>,
}

/// Returns the lines of a row as entries, with the links of the addresses that begin them.
fn line_entries(lines: &[(&'static str, SafeText)]) -> Vec<DocumentEntry> {
    let entry = |(label, text): &(&str, SafeText)| {
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        match first.parse::<Address>() {
            Ok(address) => DocumentEntry::text(label, first).link_address(address).side_note(rest),
            Err(_) => DocumentEntry::text(label, text.clone()).role(line_role(label, text)),
        }
    };
    lines.iter().map(entry).collect()
}

fn line_role(label: &str, text: &str) -> Role {
    match (label, text.chars().next()) {
        ("warning", _) => Role::Warning,
        ("change", Some('+')) | ("status", Some('✓')) => Role::Ok,
        ("change", Some('−')) => Role::Loss,
        ("status", Some('✗')) => Role::Failed,
        _ => Role::Plain,
    }
}

fn amount_of(value: U256, token: &Token) -> String {
    [&*token_amount(value, token_decimals(token)), " ", &symbol(token)].concat()
}

/// Returns a token with its facts, as far as they are known.
fn token_entries(token: &Token) -> Vec<DocumentEntry> {
    let name = token.name.value().map(|name| guard_name(name.clone()));
    let contract = field_entry("token", &token.address, |address| {
        let entry = DocumentEntry::text("token", address.to_string()).link_token(*address);
        entry.side_note(name.as_deref().unwrap_or_default()).fold(true)
    });
    let decimals = token.decimals.value().map(|decimals| format!("{decimals} decimals"));
    let kind = token.kind.value().map(|kind| [&**kind, " ", &symbol(token)].concat());
    let standard: Vec<String> = kind.into_iter().chain(decimals).collect();
    let facts = [
        ("standard", Some(standard.join(" · ")).filter(|text| !text.is_empty())),
        ("price", token.exchange_rate.value().map(dollars)),
        ("supply", token.total_supply.value().map(|supply| amount_of(*supply, token))),
        ("holders", token.holders.value().map(|holders| Grouped(*holders).to_string())),
    ];
    let known =
        facts.into_iter().filter_map(|(label, text)| Some(DocumentEntry::text(label, text?)));
    std::iter::once(contract).chain(deeper(known)).collect()
}
