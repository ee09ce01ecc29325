//! The transfers from and to an account, with its gain or loss of each asset up to them.

use std::collections::HashMap;

use super::transfer_list::{Move, Moves};
use crate::chain::amount::Grouped;
use crate::chain::{Address, U256};
use crate::messages::column;
use crate::pane::PaneContext;
use crate::pane::balance_changes::lines::{AssetFormatter, NO_CHANGE};
use crate::trace::CallTree;
use crate::trace::balance_changes::{Asset, BalanceChange};
use crate::ui::document::EntryCell;
use crate::ui::theme::Role;

/// Columns between the parts of a line.
const GAP: u16 = 2;

/// The columns of a transfer: depth of its call, direction and other party, amount, and sum up to it.
const COLUMN_COUNT: usize = 4;

/// Returns the first transfers in some lines of an area, below the titles of their columns. Further ones are counted.
pub fn move_lines(
    moves: &Moves<'_>,
    (account, tree): (Address, &CallTree),
    assets: &AssetFormatter<'_>,
    (columns, lines): (u16, usize),
    cx: &PaneContext<'_>,
) -> Vec<Vec<EntryCell>> {
    let space = lines.saturating_sub(1);
    let all = moves.rows.len();
    let shown = if all > space { space.saturating_sub(1) } else { all };
    if shown == 0 {
        return Vec::new();
    }
    let title = |text: &str| EntryCell::new(text, Role::Title);
    let titles = [column::DEPTH, column::OTHER_PARTY, column::AMOUNT, column::NET_SO_FAR];
    let mut sums = HashMap::new();
    let first = moves.rows.iter().take(shown);
    let cells = first.map(|row| cells(row, (account, tree), &mut sums, assets, cx));
    let rows: Vec<[EntryCell; COLUMN_COUNT]> =
        [titles.map(title)].into_iter().chain(cells).collect();
    let mut left = 0;
    let columns_at = [0, 1, 2, 3].map(|n: usize| {
        let widest = rows.iter().map(|row| row[n].width()).max().unwrap_or_default();
        let place = (left, widest);
        left += widest + GAP;
        place
    });
    let line = |row: [EntryCell; COLUMN_COUNT]| {
        let placed = row.into_iter().zip(columns_at).enumerate().map(|(n, (cell, (x, widest)))| {
            // The other party begins its column, numbers end theirs.
            let indent = if n == 1 { 0 } else { widest - cell.width() };
            cell.at(x + indent)
        });
        placed.filter(|cell| cell.width() > 0 && cell.end() <= columns).collect()
    };
    let hidden = Grouped(all - shown);
    let others = (hidden.0 > 0).then(|| format!("… {hidden} more"));
    let count = others.map(|text| vec![EntryCell::new(text, Role::Dim)]);
    rows.into_iter().map(line).chain(count).collect()
}

/// Returns the cells of a transfer, and adds it to the sums of the account.
fn cells(
    moved: &Move<'_>,
    (account, tree): (Address, &CallTree),
    sums: &mut HashMap<Asset, BalanceChange>,
    assets: &AssetFormatter<'_>,
    cx: &PaneContext<'_>,
) -> [EntryCell; COLUMN_COUNT] {
    let depth =
        moved.call().map_or_else(String::new, |call| tree.ancestors(call).count().to_string());
    let [from, to] = moved.parties(tree);
    let is = |party: Option<Address>| party == Some(account);
    let (arrow, other, sign, role) = match (is(from), is(to)) {
        (true, true) => ("↔ ", to, NO_CHANGE, Role::Dim),
        (true, false) => ("→ ", to, "−", Role::Loss),
        (false, _) => ("← ", from, "+", Role::Ok),
    };
    let mut party =
        other.map_or_else(|| EntryCell::new("?", Role::Warning), |other| cx.address_cell(other));
    party.cell.lead = Some((arrow.trim_end(), Role::Dim));
    let depth = EntryCell::new(depth, Role::Dim);
    let Some((asset, amount)) = moved.amount(tree) else {
        let unknown = || EntryCell::new("?", Role::Warning);
        return [depth, party, unknown(), unknown()];
    };
    let sum = sums.entry(asset).or_default();
    if is(from) {
        sum.lost = sum.lost.saturating_add(amount);
    }
    if is(to) {
        sum.gained = sum.gained.saturating_add(amount);
    }
    let (is_gain, net) = sum.net();
    let (net_sign, net_role) = match (net.is_zero(), is_gain) {
        (true, _) => (NO_CHANGE, Role::Dim),
        (false, true) => ("+", Role::Ok),
        (false, false) => ("−", Role::Loss),
    };
    let shown =
        |amount: U256, sign, role| EntryCell::new(assets.amount(asset, amount, sign).text, role);
    [depth, party, shown(amount, sign, role), shown(net, net_sign, net_role)]
}
