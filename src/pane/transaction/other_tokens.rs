//! The other tokens of an account whose balance a transaction changed.

use super::PaneContext;
use super::overview::count_hidden;
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::chain::fiat_value::FiatValue;
use crate::chain::significant_digits::{format_balances, format_readable};
use crate::chain::{Address, TxHash, U256};
use crate::columns::Row;
use crate::columns::cells::symbol_cell;
use crate::columns::cells::token_amount::{short_token_amount, token_decimals};
use crate::messages::Count;
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue};
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Maximum tokens that are shown.
const MAX_TOKENS: usize = 20;
/// Columns of the longest symbol.
const SYMBOL_COLUMNS: usize = 16;
/// Columns between two cells.
const GAP: u16 = 2;
/// Columns of a fold's content from the edge.
const INDENT: u16 = 4;

/// Balances of a token before and after the transaction.
struct TokenBalances<'a> {
    contract: Address,
    token: &'a Token,
    balances: [U256; 2],
}

/// Returns the other tokens of the account that the transaction moved, as far as their balances are known, in at most so
/// many lines.
pub(in crate::pane) fn other_tokens(
    hash: &TxHash,
    change: &StateChange,
    lines: usize,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let Some(account) = change.address.value().map(|account| account.hash) else {
        return Vec::new();
    };
    let own = change.token().and_then(|token| token.address.value()).copied();
    let names = cx.name_cache;
    let mut others: Vec<TokenBalances<'_>> = Vec::new();
    for token in names.transfers(hash).into_iter().filter_map(|moved| moved.token()) {
        let Some(contract) = token.address.value().copied() else { continue };
        let is_listed =
            own == Some(contract) || others.iter().any(|other| other.contract == contract);
        let known = || names.token_balances(hash, account, contract);
        if !is_listed && let Some(balances) = known() {
            others.push(TokenBalances { contract, token, balances });
        }
    }
    let most = lines.saturating_sub(1).min(MAX_TOKENS);
    if others.is_empty() || most == 0 {
        return Vec::new();
    }
    let count = Count(others.len(), if own.is_some() { "other token" } else { "token" });
    let header = DocumentEntry::text("balances", count.to_string()).fold(true);
    let mut rows = aligned(others.iter().map(|other| token_cells(other, cx)).collect());
    count_hidden(&mut rows, most, INDENT, "");
    let entries = rows.into_iter().map(|cells| DocumentEntry::new("", EntryValue::Cells(cells)));
    [header].into_iter().chain(entries.map(|entry| entry.at_level(1))).collect()
}

/// Returns the symbol, the balances, the change and its value in dollars.
fn token_cells(other: &TokenBalances<'_>, cx: &PaneContext<'_>) -> [EntryCell; 6] {
    let TokenBalances { contract, token, balances: [before, after] } = other;
    let decimals = token_decimals(token);
    let (is_loss, change) = (after < before, before.abs_diff(*after));
    let [shown_before, shown_after, shown_change] = match decimals {
        Some(decimals) => {
            let [before, after] = format_balances(other.balances, decimals);
            [before, after, format_readable(change, decimals).text.clone()]
        }
        None => [*before, *after, change].map(|units| short_token_amount(units, None)),
    };
    let (sign, role) = if is_loss { ("−", Role::Loss) } else { ("+", Role::Ok) };
    let rate = token.exchange_rate.value().zip(decimals);
    let worth = rate.and_then(|(rate, decimals)| FiatValue::new(change, decimals, rate));
    let worth = worth.map(|worth| [worth.sign(is_loss), &*worth.readable()].concat());
    let (worth, worth_role) = worth.map_or(("—".into(), Role::Dim), |worth| (worth, role));
    let cell = symbol_cell(token, &cx.row_context(None), SYMBOL_COLUMNS);
    let mark = cx.address_mark(contract);
    let symbol = EntryCell { x: 0, cell: TableCell { mark, ..cell }, copy: None, link: None };
    let amount =
        |text: String, value: &U256, role| EntryCell::new(text, role).copy(value.to_string());
    [
        symbol.link(EntryLink::Token(*contract)),
        amount(shown_before, before, Role::Value),
        EntryCell::new("→", Role::Dim),
        amount(shown_after, after, Role::Value),
        amount([sign, &shown_change].concat(), &change, role),
        EntryCell::new(worth, worth_role),
    ]
}

/// Places cells in columns: the first on the left, all others on the right.
fn aligned<const N: usize>(rows: Vec<[EntryCell; N]>) -> Vec<Vec<EntryCell>> {
    let mut widths = [0; N];
    for cells in &rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = cell.width().max(*width);
        }
    }
    let place = |cells: [EntryCell; N]| {
        let mut start = INDENT;
        let placed = cells.into_iter().zip(widths).enumerate().map(|(n, (cell, width))| {
            let x = if n == 0 { start } else { start + width - cell.width() };
            start += width + GAP;
            cell.at(x)
        });
        placed.collect()
    };
    rows.into_iter().map(place).collect()
}
