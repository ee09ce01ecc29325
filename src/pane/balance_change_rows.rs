//! Balance changes of accounts as lines of cells.

use super::PaneContext;
use super::balance_changes::{AmountText, BalanceLine, Party};
use crate::chain::U256;
use crate::ui::bars::{bar, bar_to_left};
use crate::ui::document::{EntryCell, EntryLink, flow_cells};
use crate::ui::theme::Role;

/// The columns between the amounts of an account.
const GAP: u16 = 2;

/// Returns the lines of each party, between two columns.
pub fn balance_rows(
    lines: &[BalanceLine],
    (left, right): (u16, u16),
    cx: &PaneContext<'_>,
) -> Vec<Vec<Vec<EntryCell>>> {
    let parties: Vec<EntryCell> = lines.iter().map(|line| party_cell(line.party, cx)).collect();
    let widest = parties.iter().map(EntryCell::width).max().unwrap_or_default();
    let amounts_left = left.saturating_add(widest).saturating_add(GAP);
    let rows = lines.iter().zip(parties).map(|(line, party)| {
        let amounts = line.amounts.iter().map(|amount| amount_cell(amount, line.party));
        let mut rows = flow_cells(amounts, (amounts_left, right), GAP);
        if let Some(first) = rows.first_mut() {
            first.insert(0, party.at(left));
        }
        rows
    });
    rows.collect()
}

fn party_cell(party: Party, cx: &PaneContext<'_>) -> EntryCell {
    match party {
        Party::Account(account) => cx.address_cell(account),
        Party::Word(word) => EntryCell::new(word, Role::Dim),
    }
}

fn amount_cell(amount: &AmountText, party: Party) -> EntryCell {
    let is_fee = party == Party::Word("fee");
    let text = if is_fee { &amount.exact } else { &amount.text };
    let cell = EntryCell::new([&**text, &amount.fiat].concat(), amount.role);
    let cell = match amount.asset.token() {
        Some(token) => cell.link(EntryLink::Token(token)),
        None => cell,
    };
    cell.copy(amount.raw.to_string())
}

/// Appends bars to both sides of an axis, `columns` wide each, if all rows are of one asset.
pub fn append_bars(lines: &[BalanceLine], rows: &mut [Vec<Vec<EntryCell>>], columns: u16) {
    let amounts = || lines.iter().filter_map(|line| line.amounts.first());
    let first = amounts().next().map(|amount| amount.asset);
    let is_one = lines.iter().all(|line| line.amounts.len() == 1)
        && amounts().all(|amount| Some(amount.asset) == first);
    if !is_one || columns == 0 {
        return;
    }
    let most = amounts().map(|amount| amount.raw).max().unwrap_or_default();
    let ends = rows.iter().flatten().filter_map(|row| row.last()).map(EntryCell::end);
    let x = ends.max().unwrap_or_default().saturating_add(GAP);
    let cells = usize::from(columns);
    for (amount, row) in amounts().zip(rows.iter_mut().filter_map(|rows| rows.first_mut())) {
        let [lost, gained] = match amount.role {
            Role::Ok => [U256::ZERO, amount.raw],
            _ => [amount.raw, U256::ZERO],
        };
        row.extend([
            EntryCell::new(bar_to_left(lost, most, cells), amount.role).at(x),
            EntryCell::new("┊", Role::Dim).at(x.saturating_add(columns)),
            EntryCell::new(bar(gained, most, cells), amount.role).at(x.saturating_add(columns + 1)),
        ]);
    }
}
