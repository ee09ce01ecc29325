//! Balance changes of accounts as lines of cells, and as bars of each asset.

use super::lines::{AmountText, AssetFormatter, BalanceLine, Party};
use crate::chain::{Address, U256};
use crate::messages::column;
use crate::pane::PaneContext;
use crate::trace::balance_changes::Asset;
use crate::ui::charts::{bar, bar_to_left};
use crate::ui::document::{EntryCell, EntryLink, flow_cells};
use crate::ui::format::width;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// The columns between the amounts of an account.
const GAP: u16 = 2;
/// Accounts of an asset from which there are bars: the gain of one is the loss of the other.
const MIN_BARS: usize = 3;

/// Form of accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountForm {
    /// The name, or else the address in short.
    Short,
    /// The name, and the address in full.
    Full,
}

/// Returns the lines of each party, between two columns.
pub fn balance_rows(
    lines: &[BalanceLine],
    (left, right): (u16, u16),
    form: AccountForm,
    cx: &PaneContext<'_>,
) -> Vec<Vec<Vec<EntryCell>>> {
    let parties: Vec<EntryCell> =
        lines.iter().map(|line| party_cell(line.party, form, cx)).collect();
    let widest = parties.iter().map(EntryCell::width).max().unwrap_or_default();
    let amounts_left = left.saturating_add(widest).saturating_add(GAP);
    let gains_column = gains_left(lines, (amounts_left, right));
    let widths = [false, true].map(|is_gain| AmountWidths::of(lines, is_gain).text);
    let rows = lines.iter().zip(parties).map(|(line, party)| {
        let mut rows = if let Some(gains) = gains_column {
            two_columns(line, [amounts_left, gains], widths)
        } else {
            let amounts = line.amounts.iter().map(amount_cell);
            flow_cells(amounts, (amounts_left, right), GAP)
        };
        if let Some(first) = rows.first_mut() {
            first.insert(0, party.at(left));
        }
        rows
    });
    rows.collect()
}

/// Returns the titles of the columns of losses and gains, if they are apart. A title of the losses that has no space is
/// replaced by the usual one.
pub fn balance_titles(
    lines: &[BalanceLine],
    lost: &str,
    right: u16,
    form: AccountForm,
    cx: &PaneContext<'_>,
) -> String {
    let parties = lines.iter().map(|line| party_cell(line.party, form, cx).width());
    let amounts_left = parties.max().unwrap_or_default().saturating_add(GAP);
    gains_left(lines, (amounts_left, right)).map_or_else(String::new, |gains_left| {
        // The titles end where the values in dollars do.
        let end = |left, is_gain| usize::from(left + AmountWidths::of(lines, is_gain).whole);
        let [lost_end, gained_end] = [end(amounts_left, false), end(gains_left, true)];
        let account = column::ACCOUNT;
        let space = lost_end.saturating_sub(width(account));
        let lost = if width(lost) < space { lost } else { column::LOST };
        let titles = format!("{account}{lost:>space$}");
        let rest = gained_end.saturating_sub(width(&titles));
        format!("{titles}{:>rest$}", column::GAINED)
    })
}

/// Returns the column of the gains to the right of all losses, if there is space for both.
fn gains_left(lines: &[BalanceLine], (left, right): (u16, u16)) -> Option<u16> {
    let [losses, gains] = [false, true].map(|is_gain| AmountWidths::of(lines, is_gain).whole);
    let gains_left = left.saturating_add(losses).saturating_add(GAP);
    let fits = losses > 0 && gains > 0 && gains_left.saturating_add(gains) <= right;
    fits.then_some(gains_left)
}

/// The columns of the losses or the gains of all lines.
#[derive(Debug, Default)]
struct AmountWidths {
    /// The amounts without their values in dollars: they end in one column.
    text: u16,
    whole: u16,
}

impl AmountWidths {
    fn of(lines: &[BalanceLine], is_gain: bool) -> Self {
        let amounts = || {
            let all = lines.iter().flat_map(|line| &line.amounts);
            all.filter(move |amount| (amount.role == Role::Ok) == is_gain)
        };
        let text = amounts().map(text_width).max().unwrap_or_default();
        let whole = amounts().map(|amount| text - text_width(amount) + amount_cell(amount).width());
        Self { text, whole: whole.max().unwrap_or_default() }
    }
}

fn text_width(amount: &AmountText) -> u16 {
    EntryCell::new(&*amount.text, amount.role).width()
}

/// Returns losses in one column and gains in another.
fn two_columns(line: &BalanceLine, columns: [u16; 2], widths: [u16; 2]) -> Vec<Vec<EntryCell>> {
    let (gains, losses): (Vec<_>, Vec<_>) =
        line.amounts.iter().partition(|amount| amount.role == Role::Ok);
    // The line of an account without either has its fee.
    (0..losses.len().max(gains.len()).max(1))
        .map(|row| {
            let amounts = [losses.get(row), gains.get(row)].into_iter().zip(columns).zip(widths);
            let cells = amounts.filter_map(|((amount, x), width)| {
                let indent = width.saturating_sub(text_width(amount?));
                Some(amount_cell(amount?).at(x + indent))
            });
            cells.collect()
        })
        .collect()
}

fn party_cell(party: Party, form: AccountForm, cx: &PaneContext<'_>) -> EntryCell {
    match party {
        Party::Account(account) if form == AccountForm::Full => full_account_cell(account, cx),
        Party::Account(account) => cx.address_cell(account),
        Party::Word(word) => EntryCell::new(word, Role::Dim),
    }
}

/// Returns the name of an account before its address.
fn full_account_cell(account: Address, cx: &PaneContext<'_>) -> EntryCell {
    let cell = cx.address_cell(account);
    let address = account.to_string();
    match cx.name_cache.short_name(&account) {
        Some(name) => {
            let text = format!("{name} {address}").into();
            EntryCell { cell: TableCell { text, tail: address.len(), ..cell.cell }, ..cell }
        }
        None => EntryCell { cell: TableCell { text: address.into(), ..cell.cell }, ..cell },
    }
}

/// Returns the cell of an amount with its value in dollars.
pub fn amount_cell(amount: &AmountText) -> EntryCell {
    let cell = EntryCell::new([&*amount.text, &amount.fiat].concat(), amount.role);
    let cell = match amount.asset.token() {
        Some(token) => cell.link(EntryLink::Token(token)),
        None => cell,
    };
    match amount.raw {
        Some(raw) => cell.copy(raw.to_string()),
        None => cell,
    }
}

/// Returns the bars of each asset that at least [`MIN_BARS`] accounts gained or lost, to both sides of an axis.
pub fn asset_bars(
    lines: &[BalanceLine],
    assets: &AssetFormatter<'_>,
    width: u16,
    cx: &PaneContext<'_>,
) -> Vec<Vec<EntryCell>> {
    let mut rows = Vec::new();
    let mut shown: Vec<Asset> = Vec::new();
    for amount in lines.iter().flat_map(|line| &line.amounts) {
        if !shown.contains(&amount.asset) && !matches!(amount.asset, Asset::Instance(..)) {
            shown.push(amount.asset);
            let all = lines.iter().flat_map(|line| &line.amounts);
            if all.filter(|other| other.asset == amount.asset).count() < MIN_BARS {
                continue;
            }
            let title = EntryCell::new(assets.name(amount.asset), Role::Title);
            rows.extend([Vec::new(), vec![title]]);
            rows.extend(bars_of(amount.asset, lines, width, cx));
        }
    }
    rows
}

/// Returns a bar for each account with a change of an asset, before its amount.
fn bars_of(
    asset: Asset,
    lines: &[BalanceLine],
    width: u16,
    cx: &PaneContext<'_>,
) -> Vec<Vec<EntryCell>> {
    let changes = || {
        lines.iter().filter_map(|line| {
            let amount = line.amounts.iter().find(|amount| amount.asset == asset)?;
            Some((line.party, amount.clone()))
        })
    };
    let parties = lines.iter().map(|line| party_cell(line.party, AccountForm::Short, cx).width());
    let bars_left = parties.max().unwrap_or_default().saturating_add(GAP);
    let amounts = lines
        .iter()
        .flat_map(|line| &line.amounts)
        .map(|amount| EntryCell::new(&*amount.text, Role::Plain).width());
    let amounts_width = amounts.max().unwrap_or_default();
    let columns = width.saturating_sub(bars_left + amounts_width + GAP) / 2;
    let most = changes().filter_map(|(_, amount)| amount.raw).max().unwrap_or_default();
    let bars = changes().map(|(party, amount)| {
        let bars = bar_cells(&amount, most, bars_left, columns);
        let text = AmountText { fiat: String::new(), exact: amount.text.clone(), ..amount };
        let text = amount_cell(&text);
        let x = width.saturating_sub(text.width());
        [party_cell(party, AccountForm::Short, cx)]
            .into_iter()
            .chain(bars)
            .chain([text.at(x)])
            .collect()
    });
    bars.collect()
}

/// Returns the bar of an amount to the left of an axis, which a gain to its right hides, `columns` wide on
/// each side.
fn bar_cells(amount: &AmountText, most: U256, x: u16, columns: u16) -> [EntryCell; 2] {
    let (cells, axis) = (usize::from(columns), x.saturating_add(columns));
    let length = amount.raw.unwrap_or_default();
    if amount.role == Role::Ok {
        let gained = bar(length, most, cells);
        [EntryCell::new("", Role::Plain).at(x), EntryCell::new(gained, amount.role).at(axis)]
    } else {
        let lost = bar_to_left(length, most, cells);
        [EntryCell::new(lost, amount.role).at(x), EntryCell::new("▏", Role::Dim).at(axis)]
    }
}
