//! The view of balance changes: gains and losses of each account, and the fee.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::transfer_list::{TransferCalls, draw_transfers};

use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::amount::Grouped;
use crate::chain::{Address, TxHash, U256};
use crate::messages::Count;
use crate::messages::prompt;
use crate::messages::trace::{self, TraceNote};
use crate::name_cache::ContradictedChange;
use crate::pane::PaneContext;
use crate::pane::balance_change_rows::{asset_bars, balance_rows, balance_titles};
use crate::pane::balance_changes::{
    AmountText, AssetFormatter, BalanceLine, Party, add_token_transfer,
};
use crate::pane::lookalike_marks::mark_addresses;
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;
use crate::trace::CallTree;
use crate::trace::balance_changes::Asset;
use crate::trace::coin_changes::{CoinChangeSum, CoinChanges};
use crate::ui::document::{
    Document, DocumentClick, DocumentEntry, EntryCell, EntryLink, EntryValue, Rule,
};
use crate::ui::frame::draw_divider;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Minimum columns of a view with bars.
const MIN_WIDTH: u16 = 60;
/// Minimum columns of accounts and transfers side by side, and the columns between them.
const MIN_SIDE_BY_SIDE_COLUMNS: u16 = 170;
const PANEL_GAP: u16 = 2;
/// Columns between the parts of an account's amount.
const AMOUNT_GAP: u16 = 2;
/// Maximum accounts listed that gained as much as they lost.
const MAX_UNCHANGED: usize = 20;

/// Inputs of the current lines.
#[derive(Debug, PartialEq, Eq)]
struct ShownFlow {
    width: u16,
    is_complete: bool,
    transfers: usize,
    contradicted: usize,
    fee: Option<U256>,
}

/// Known data about a transaction's tokens.
struct TokenMoves<'a> {
    transfers: &'a [&'a TokenTransfer],
    contradicted: &'a [ContradictedChange],
}

#[derive(Debug)]
pub struct BalanceChangesView {
    flow: CoinChanges,
    /// The sum of the coin, until it is complete.
    sum: Option<CoinChangeSum>,
    document: Document,
    shown: Option<ShownFlow>,
    /// The accounts, each with the line that begins with it.
    accounts: Vec<(usize, BalanceLine)>,
    /// The exact amounts of the account under the cursor.
    account: Document,
    /// The titles of the columns, blank if amounts have none.
    titles: String,
    /// `true` if amounts have their worth in dollars.
    has_prices: bool,
    check: BalanceCheck,
}

/// Comparison with the balances before and after: events alone may lie.
#[derive(Debug, PartialEq, Eq)]
enum BalanceCheck {
    NotRequested,
    Requested,
    Failed(SafeText),
}

impl BalanceChangesView {
    pub fn new(tree: &CallTree) -> Self {
        let sum = Some(CoinChangeSum::default());
        let (flow, document) = (CoinChanges::default(), Document::default());
        let (titles, accounts, account) = (String::new(), Vec::new(), Document::default());
        let (shown, check, has_prices) = (None, BalanceCheck::NotRequested, false);
        let mut view =
            Self { flow, sum, document, shown, accounts, account, titles, has_prices, check };
        view.continue_sum(tree);
        view
    }

    /// Returns `true` if the balances before and after have not been requested.
    pub fn begin_check(&mut self) -> bool {
        let is_new = self.check == BalanceCheck::NotRequested;
        if is_new {
            self.check = BalanceCheck::Requested;
        }
        is_new
    }

    pub fn fail_check(&mut self, why: &str) {
        self.check = BalanceCheck::Failed(SafeText::new(why));
        self.invalidate();
    }

    /// Checks the balances again if they could not be requested.
    pub fn retry_check(&mut self) {
        if let BalanceCheck::Failed(_) = self.check {
            self.check = BalanceCheck::NotRequested;
            self.invalidate();
        }
    }

    pub fn is_complete(&self) -> bool {
        self.sum.is_none()
    }

    /// Adds the next calls to the sum, if it is not complete.
    pub fn continue_sum(&mut self, tree: &CallTree) {
        let Some(mut sum) = self.sum.take() else { return };
        let mut slice = TimeSlice::begin();
        while slice.has_time() {
            if !sum.add_next(tree) {
                self.flow = sum.finish();
                return;
            }
        }
        self.sum = Some(sum);
    }

    /// Makes the next update write the lines again.
    pub fn invalidate(&mut self) {
        self.shown = None;
    }

    /// Returns the title of the view, with the time of the prices in it.
    pub fn title(&self) -> String {
        let basis = if self.has_prices { prompt::PRICES_OF_TODAY } else { "" };
        let dot = if basis.is_empty() { "" } else { " · " };
        [prompt::BALANCES_WITH_FEE, dot, basis].concat()
    }

    /// Writes the lines again if more is known about the transaction, or the width has changed.
    pub fn update(&mut self, hash: TxHash, all: Rect, cx: &PaneContext<'_>) {
        let area = accounts_area(all);
        let transaction =
            cx.name_cache.transaction(&hash).and_then(|item| item.parsed.as_ref().ok());
        let transfers = cx.name_cache.transfers(&hash);
        let fee =
            transaction.and_then(|transaction| transaction.fee.value()?.value.value()).copied();
        let (width, is_complete) = (area.width, self.is_complete());
        let contradicted = cx.name_cache.contradicted_changes(&hash);
        let now = ShownFlow {
            width,
            is_complete,
            transfers: transfers.len(),
            contradicted: contradicted.len(),
            fee,
        };
        if self.shown.as_ref() != Some(&now) {
            let tokens = TokenMoves { transfers: &transfers, contradicted };
            let entries = self.entries(transaction, &tokens, width, cx);
            self.document.resize(area);
            self.document.set(entries);
            self.shown = Some(now);
        }
        self.document.resize(area);
        let account = self.selected_line().map(|line| account_entries(line, all.width, cx));
        self.account.resize(all);
        self.account.set(account.unwrap_or_default());
    }

    fn entries(
        &mut self,
        transaction: Option<&Transaction>,
        tokens: &TokenMoves<'_>,
        width: u16,
        cx: &PaneContext<'_>,
    ) -> Vec<DocumentEntry> {
        let rate = transaction.and_then(Transaction::current_coin_rate);
        let transfers = tokens.transfers.iter().copied();
        let assets = AssetFormatter::new(cx.network, cx.format.unit, rate, transfers.clone());
        let mut ledger = self.flow.ledger.clone();
        let unread =
            transfers.filter(|transfer| !add_token_transfer(&mut ledger, transfer)).count();
        let payer = transaction.and_then(|transaction| Some(transaction.from.value()?.hash));
        let mut lines = assets.lines(&ledger, payer);
        assets.mark_contradicted(&mut lines, tokens.contradicted);
        let has_prices = lines.iter().flat_map(|line| &line.amounts).any(|a| !a.fiat.is_empty());
        let parties = lines.len();
        let unchanged = ledger.unchanged().into_iter().take(MAX_UNCHANGED).map(|(account, all)| {
            let nothing = |asset: &Asset| assets.amount(*asset, U256::ZERO, "± ");
            let dim = |a| AmountText { role: Role::Dim, fiat: String::new(), ..a };
            let amounts = all.iter().map(nothing).map(dim).collect();
            BalanceLine { party: Party::Account(account), amounts }
        });
        lines.extend(unchanged);
        let mut with_fee = lines.clone();
        let fee = transaction.and_then(|transaction| transaction.fee.value()?.value.value());
        if let Some((payer, fee)) = payer.zip(fee) {
            let rate = transaction.and_then(Transaction::coin_rate);
            assets.add_fee(&mut with_fee, payer, *fee, rate);
        }
        self.titles = balance_titles(&with_fee, width, cx);
        self.has_prices = has_prices;
        let rows = balance_rows(&with_fee, (0, width), cx);
        self.accounts = account_lines(&with_fee, &rows);
        lines.truncate(parties);
        let bars =
            if width < MIN_WIDTH { Vec::new() } else { asset_bars(&lines, &assets, width, cx) };
        // Below the accounts, on the first of which the cursor begins. Without a copy or a link, it skips
        // the note.
        let note = self.note(&assets, tokens.transfers.len(), unread);
        let note_row = (!note.is_empty()).then(|| vec![EntryCell::new(note, Role::Dim)]);
        let mut entries: Vec<_> = rows
            .into_iter()
            .flatten()
            .chain(note_row)
            .chain(bars)
            .map(|row| DocumentEntry::new("", EntryValue::Cells(row)))
            .collect();
        mark_addresses(&mut entries, cx);
        entries
    }

    fn note(&self, assets: &AssetFormatter<'_>, tokens: usize, unread: usize) -> String {
        // The line above counts token transfers.
        let mut parts = match (self.flow.transfers, tokens) {
            (0, 0) => vec![trace::NO_TRANSFERS.to_owned()],
            (0, _) => Vec::new(),
            (transfers, _) => vec![Count(transfers, "coin transfer").to_string()],
        };
        if !self.is_complete() {
            parts.push(trace::ADDING_UP.into());
        }
        if self.flow.rolled_back > 0 {
            parts.push(TraceNote::RolledBack { transfers: self.flow.rolled_back }.to_string());
        }
        if self.flow.unreadable + unread > 0 {
            let transfers = self.flow.unreadable + unread;
            parts.push(TraceNote::Unreadable { transfers }.to_string());
        }
        if !self.flow.uncertain.is_zero() {
            let coin = assets.amount(Asset::Coin, self.flow.uncertain, "").text;
            parts.push(TraceNote::SelfDestructed { coin: &coin }.to_string());
        }
        if let BalanceCheck::Failed(why) = &self.check {
            parts.push(TraceNote::UncheckedBalances { why }.to_string());
        }
        parts.join(" · ")
    }

    /// Describes the account under the cursor: `account 1 of 5`.
    pub fn describe_position(&self) -> String {
        if self.accounts.is_empty() {
            return String::new();
        }
        let accounts = Grouped(self.accounts.len());
        let number = Grouped(self.accounts_to_cursor().max(1));
        TraceNote::Account { number, accounts }.to_string()
    }

    /// Returns the number of accounts up to the cursor.
    fn accounts_to_cursor(&self) -> usize {
        self.accounts.partition_point(|(line, _)| *line <= self.document.cursor_line())
    }

    /// Returns the account under the cursor, if it is on the lines of one.
    fn selected_line(&self) -> Option<&BalanceLine> {
        self.document.row_address()?;
        let (_, line) = self.accounts.get(self.accounts_to_cursor().checked_sub(1)?)?;
        Some(line)
    }

    pub fn selected_address(&self) -> Option<Address> {
        self.document.selected_address()
    }

    pub fn move_selection(&mut self, by: isize, height: u16) {
        self.document.move_cursor(by, height);
    }

    pub fn move_cell(&mut self, ahead: bool) {
        self.document.move_cell(ahead);
    }

    pub fn click(&mut self, at: Position, area: Rect) -> Option<bool> {
        self.document
            .click(at, accounts_area(area))
            .map(|click| click == DocumentClick::SelectedLine)
    }

    /// Draws the accounts below the titles of their columns, next to them or below the transfers as they
    /// happened, and the amounts of the account under the cursor. If there is not enough space for all, only
    /// that account's transfers are listed.
    pub fn draw(
        &self,
        (hash, calls): (TxHash, &TransferCalls<'_>),
        (titles, area): (Rect, Rect),
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let highlight = self.selected_address().filter(|_| cx.settings.address_highlight);
        let accounts = accounts_area(area);
        draw_text(buf, titles, &self.titles, cx.styles.of(Role::Dim));
        self.document.view(accounts, highlight, buf, cx.styles);
        let lines = height_of(&self.document, accounts);
        let is_wide = accounts.width < area.width;
        let all = calls.moves(hash, None, cx);
        let used = u16::try_from(all.rows.len()).unwrap_or(u16::MAX);
        let used =
            if is_wide { lines.max(used) } else { lines.saturating_add(used).saturating_add(1) };
        let details = height_of(&self.account, area).saturating_add(1);
        let shows_account = details > 1 && used.saturating_add(details) <= area.height;
        let bottom = if shows_account { area.y + used } else { area.bottom() };
        let transfers = if is_wide {
            let x = accounts.right() + PANEL_GAP;
            let column = Rect { x: accounts.right(), width: 1, ..titles };
            let column = Rect { height: bottom - column.y, ..column };
            draw_divider(buf, column, cx.styles.of(Role::Border));
            Rect { x, width: area.right() - x, height: bottom - area.y, ..area }
        } else {
            let y = area.y.saturating_add(lines).saturating_add(1).min(bottom);
            Rect { y, height: bottom - y, ..area }
        };
        if shows_account {
            let split = is_wide.then(|| (accounts.width, "┴", "".into()));
            let title = self.selected_line().map(|line| account_title(line.party, cx));
            let rule = Rule { title: title.unwrap_or_default().into(), split };
            rule.draw(Rect { y: bottom, height: 1, ..area }, buf, cx.styles);
            let details = Rect { y: bottom + 1, height: area.bottom() - bottom - 1, ..area };
            self.account.draw_lines(details, None, buf, cx.styles);
        }
        let account = self.document.row_address();
        let of_account = account.filter(|_| all.rows.len() > transfers.height.into());
        let moves = of_account.map_or(all, |account| calls.moves(hash, Some(account), cx));
        if transfers.height == 0 || moves.rows.is_empty() && !moves.has_others {
            return;
        }
        let title = of_account.map_or(prompt::TRANSFERS.into(), |account| {
            let account = &cx.short_name(&account);
            Cow::from(TraceNote::TransfersOf { account }.to_string())
        });
        if is_wide {
            let Rect { x, width, .. } = transfers;
            draw_text(buf, Rect { x, width, ..titles }, &title, cx.styles.of(Role::Title));
        } else {
            let line = Rect { y: transfers.y - 1, height: 1, ..area };
            Rule { title, split: None }.draw(line, buf, cx.styles);
        }
        let selected = account.filter(|_| cx.settings.address_highlight);
        draw_transfers(&moves, (selected, calls), transfers, cx, buf);
    }
}

fn height_of(document: &Document, area: Rect) -> u16 {
    u16::try_from(document.extent(area).len).unwrap_or(u16::MAX)
}

/// Returns the name and the address of an account.
fn account_title(party: Party, cx: &PaneContext<'_>) -> String {
    let Party::Account(account) = party else { return String::new() };
    let name = cx.name_cache.short_name(&account);
    name.map_or_else(|| account.to_string(), |name| format!("{name} {account}"))
}

/// Returns the exact amounts of an account, their values and their tokens.
fn account_entries(line: &BalanceLine, width: u16, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let rows: Vec<[EntryCell; 3]> = line
        .amounts
        .iter()
        .map(|amount| {
            let fiat = EntryCell::new(amount.fiat.trim_start(), amount.role);
            [EntryCell::new(&*amount.exact, amount.role), fiat, token_cell(amount, cx)]
        })
        .collect();
    let mut left = 0;
    let columns = [0, 1, 2].map(|n| {
        let x = left;
        let widest = rows.iter().map(|row| row[n].width()).max().unwrap_or_default();
        left += if widest > 0 { widest + AMOUNT_GAP } else { 0 };
        x
    });
    let placed = rows.into_iter().map(|row| {
        let cells = row.into_iter().zip(columns).map(|(cell, x)| cell.at(x));
        let shown = cells.filter(|cell| cell.width() > 0 && cell.end() <= width).collect();
        DocumentEntry::new("", EntryValue::Cells(shown))
    });
    placed.collect()
}

/// Returns the address and the name of an amount's token, or nothing for the coin.
fn token_cell(amount: &AmountText, cx: &PaneContext<'_>) -> EntryCell {
    let Some(token) = amount.asset.token() else { return EntryCell::new("", Role::Plain) };
    let name = cx.name_cache.short_name(&token).unwrap_or_default();
    let text = format!("{token} {name}");
    let mut cell = EntryCell::new(text.trim_end(), Role::Link).link(EntryLink::Token(token));
    cell.cell.tail = name.len();
    cell.cell.mark = cx.address_mark(&token);
    cell
}

/// Returns the part of the view for the accounts: nearly half of a wide one, next to the transfers.
fn accounts_area(area: Rect) -> Rect {
    if area.width < MIN_SIDE_BY_SIDE_COLUMNS {
        area
    } else {
        Rect { width: area.width * 9 / 20, ..area }
    }
}

/// Returns the accounts and the lines that begin with them, among the rows of all parties.
fn account_lines(lines: &[BalanceLine], rows: &[Vec<Vec<EntryCell>>]) -> Vec<(usize, BalanceLine)> {
    let starts = rows.iter().scan(0, |next, rows| {
        let start = *next;
        *next += rows.len();
        Some(start)
    });
    let accounts = lines.iter().zip(starts);
    accounts
        .filter(|(line, _)| matches!(line.party, Party::Account(_)))
        .map(|(line, start)| (start, line.clone()))
        .collect()
}
