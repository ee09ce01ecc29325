//! The table of the accounts in the balance changes, with the fee in a column of its own where there is space.

use super::account_blocks::AMOUNT_GAP;
use crate::messages::{column, transaction};
use crate::pane::PaneContext;
use crate::pane::balance_changes::lines::{AmountText, BalanceLine, Party};
use crate::pane::balance_changes::rows::{AccountForm, amount_cell, balance_rows, balance_titles};
use crate::ui::document::EntryCell;
use crate::ui::theme::Role;

/// Minimum columns of a view with the selected account next to the transfers, and with whole addresses.
pub(super) const MIN_WIDE_COLUMNS: u16 = 150;
/// Minimum columns of a view with a column of the fee.
const MIN_WIDTH_FEE: u16 = 96;

/// The rows of the accounts, with the titles of their columns if there are any.
pub(super) struct BalanceTable {
    form: AccountForm,
    pub(super) titles: String,
    pub(super) rows: Vec<Vec<Vec<EntryCell>>>,
}

impl BalanceTable {
    /// Makes the rows in the first columns of a view, with full addresses if a wide one has space for them.
    pub(super) fn new(
        lines: &[BalanceLine],
        lost: &str,
        width: u16,
        columns: u16,
        cx: &PaneContext<'_>,
    ) -> Self {
        let titles = |form| balance_titles(lines, lost, columns, form, cx);
        let full = Some(titles(AccountForm::Full)).filter(|titles| !titles.is_empty());
        let (form, titles) = match full.filter(|_| width >= MIN_WIDE_COLUMNS) {
            Some(titles) => (AccountForm::Full, titles),
            None => (AccountForm::Short, titles(AccountForm::Short)),
        };
        Self { form, titles, rows: balance_rows(lines, (0, columns), form, cx) }
    }
}

/// The fee, which is no part of the transfers.
pub(super) struct LostFee {
    pub(super) payer: Party,
    pub(super) amount: AmountText,
}

impl LostFee {
    /// Returns the lines with the fee, and their table, in which it has a column if there is space next to whole
    /// addresses.
    pub(super) fn table(
        &self,
        lines: &[BalanceLine],
        width: u16,
        cx: &PaneContext<'_>,
    ) -> (Vec<BalanceLine>, BalanceTable) {
        let has_line = lines.iter().any(|line| line.party == self.payer);
        let own = BalanceLine { party: self.payer, amounts: Vec::new() };
        let all: Vec<BalanceLine> =
            (!has_line).then_some(own).into_iter().chain(lines.iter().cloned()).collect();
        let mut with_fee = all.clone();
        let [text, exact] = [&self.amount.text, &self.amount.exact]
            .map(|text| [text, " ", transaction::FEE].concat());
        let named = AmountText { text, exact, ..self.amount.clone() };
        if let Some(line) = with_fee.iter_mut().find(|line| line.party == self.payer) {
            line.amounts.push(named);
        }
        // The losses have the fee among them.
        let without = BalanceTable::new(&with_fee, column::LOST_AND_FEE, width, width, cx);
        let shortens = |column: &BalanceTable| {
            (without.form, column.form) == (AccountForm::Full, AccountForm::Short)
        };
        let column = self.column(&all, width, cx).filter(|column| !shortens(column));
        (with_fee, column.unwrap_or(without))
    }

    /// Returns the table of lines without the fee, to the left of a column with it.
    fn column(
        &self,
        lines: &[BalanceLine],
        width: u16,
        cx: &PaneContext<'_>,
    ) -> Option<BalanceTable> {
        let cell = amount_cell(&self.amount);
        let title = EntryCell::new(transaction::FEE, Role::Title);
        let columns = cell.width().max(title.width());
        let others = width.checked_sub(columns + AMOUNT_GAP)?;
        let BalanceTable { form, titles, mut rows } =
            BalanceTable::new(lines, column::LOST, width, others, cx);
        let payer = lines.iter().position(|line| line.party == self.payer)?;
        let left = rows.iter().flatten().flatten().map(EntryCell::end).max()? + AMOUNT_GAP;
        let x = left + columns - cell.width();
        rows.get_mut(payer)?.first_mut()?.push(cell.at(x));
        let [left, columns] = [left, columns].map(usize::from);
        let has_space = !titles.is_empty() && width >= MIN_WIDTH_FEE;
        let titles = format!("{titles:<left$}{:>columns$}", transaction::FEE);
        has_space.then_some(BalanceTable { form, titles, rows })
    }
}
