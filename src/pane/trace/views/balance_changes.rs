//! The view of balance changes: gains and losses of each account, and the fee.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::account_blocks::{AMOUNT_GAP, AccountBlock, ShownAccount, TITLE_INDENT, draw_at_end};
use super::account_moves::move_lines;
use super::balance_table::{BalanceTable, LostFee, MIN_WIDE_COLUMNS};
use super::transfer_list::{DrawnCalls, TransferCalls, calls_title, draw_transfers};

use crate::action::Step;
use crate::api::state_changes::StateChange;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{Field, Item};
use crate::chain::amount::Grouped;
use crate::chain::{Address, TxHash, U256};
use crate::messages::trace::{self, TraceNote};
use crate::messages::{column, prompt};
use crate::name_cache::ContradictedChange;
use crate::pane::PaneContext;
use crate::pane::addresses::lookalike_marks::mark_addresses;
use crate::pane::balance_changes::lines::{
    AmountText, AssetFormatter, BalanceLine, NO_CHANGE, Party, add_token_transfer,
};
use crate::pane::balance_changes::rows::asset_bars;
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;
use crate::trace::CallTree;
use crate::trace::balance_changes::{Asset, BalanceChange, BalanceLedger};
use crate::trace::coin_changes::{CoinChangeSum, CoinChanges};
use crate::ui::document::{
    Document, DocumentClick, DocumentEntry, EntryCell, EntryLink, EntryValue, Rule, RuleSplit,
};
use crate::ui::format::width;
use crate::ui::frame::{draw_divider, draw_frame_title};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Minimum columns of a view with bars.
const MIN_WIDTH: u16 = 60;
/// Columns around a title before the legend.
const LEGEND_GAP: usize = 2;
/// Columns of a divider, with a blank after it.
const DIVIDER_COLUMNS: u16 = 2;
/// Maximum accounts listed that gained as much as they lost.
const MAX_UNCHANGED: usize = 20;

/// Gains and losses of accounts, texts for each amount that is the difference of both.
type GrossTexts = HashMap<Address, Vec<Option<[String; 2]>>>;

/// Inputs of the current lines.
#[derive(Debug, PartialEq, Eq)]
struct ShownFlow {
    width: u16,
    is_complete: bool,
    transfers: usize,
    contradicted: usize,
    balances: usize,
    fee: Option<U256>,
}

/// Known data about a transaction's tokens.
struct TokenMoves<'a> {
    transfers: &'a [&'a TokenTransfer],
    contradicted: &'a [ContradictedChange],
}

#[derive(Debug, Default)]
pub struct BalanceChangesView {
    flow: CoinChanges,
    /// The sum of the coin, until it is complete.
    sum: Option<CoinChangeSum>,
    document: Document,
    /// The number of the account to select when its amounts are known, from 1, until the user moves.
    start_account: Option<usize>,
    shown: Option<ShownFlow>,
    accounts: Vec<ShownAccount>,
    /// The balances before and after, by account and token, or the coin.
    balances: HashMap<(Address, Option<Address>), [U256; 2]>,
    /// The exact amounts of the account under the cursor.
    block: Option<AccountBlock>,
    /// The titles of the columns, blank if amounts have none.
    titles: String,
    /// `true` if amounts have their worth in dollars.
    has_prices: bool,
    check: BalanceCheck,
}

/// Comparison with the balances before and after: events alone may lie.
#[derive(Debug, Default, PartialEq, Eq)]
enum BalanceCheck {
    #[default]
    NotRequested,
    Requested,
    Failed(SafeText),
}

impl BalanceChangesView {
    pub fn new(tree: &CallTree) -> Self {
        let mut view = Self { sum: Some(CoinChangeSum::default()), ..Self::default() };
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

    /// Adds balances before and after.
    pub fn add_balances(&mut self, changes: &[Arc<Item<StateChange>>]) {
        for change in changes.iter().filter_map(|item| item.parsed.as_ref().ok()) {
            let (before, after) = (&change.balance_before, &change.balance_after);
            let token = match &change.token {
                Field::Absent => Some(None),
                token => token.value().and_then(|token| token.address.value().copied()).map(Some),
            };
            let is_amount = change.slot == Field::Absent && change.token_id == Field::Absent;
            if let (Some(before), Some(after)) = (before.value(), after.value())
                && let (Some(account), Some(token)) = (change.address.hash(), token)
                && is_amount
            {
                self.balances.insert((account, token), [*before, *after]);
            }
        }
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
        let transaction =
            cx.name_cache.transaction(&hash).and_then(|item| item.parsed.as_ref().ok());
        let transfers = cx.name_cache.transfers(&hash);
        let fee =
            transaction.and_then(|transaction| transaction.fee.value()?.value.value()).copied();
        let (width, is_complete) = (all.width, self.is_complete());
        let contradicted = cx.name_cache.contradicted_changes(&hash);
        let now = ShownFlow {
            width,
            is_complete,
            transfers: transfers.len(),
            contradicted: contradicted.len(),
            balances: self.balances.len(),
            fee,
        };
        if self.shown.as_ref() != Some(&now) {
            let tokens = TokenMoves { transfers: &transfers, contradicted };
            let entries = self.entries(transaction, &tokens, width, cx);
            self.document.resize(all);
            self.document.set(entries);
            self.shown = Some(now);
        }
        let accounts = self.accounts_area(all);
        self.document.resize(accounts);
        self.go_to_start_account(accounts.height);
        let area = self.split(0, all).block;
        self.block = self.selected_account().map(|own| AccountBlock::new(own, area, cx));
    }

    /// Selects an account by its number, from 1, once its amounts are known.
    pub fn select_account(&mut self, number: Option<usize>) {
        self.start_account = number;
    }

    fn go_to_start_account(&mut self, height: u16) {
        let index = self.start_account.and_then(|number| number.checked_sub(1));
        let Some(account) = index.and_then(|index| self.accounts.get(index)) else { return };
        let lines = account.first.checked_signed_diff(self.document.cursor_line());
        self.document.move_cursor(lines.unwrap_or_default(), height);
    }

    /// Returns the number of the account under the cursor, or of the one to select, from 1.
    pub fn account_number(&self) -> Option<usize> {
        let selected = self.accounts_to_cursor().max(1);
        self.start_account.or((!self.accounts.is_empty()).then_some(selected))
    }

    /// Returns the area of the accounts, at most half of a wide view: they are above the transfers there.
    fn accounts_area(&self, area: Rect) -> Rect {
        let lines = u16::try_from(self.document.line_count()).unwrap_or(u16::MAX);
        let height = if is_wide(area) { lines.min(area.height / 2) } else { area.height };
        Rect { height, ..area }
    }

    /// Returns the lines of a wide view without a limit.
    pub fn needed_lines(&self) -> usize {
        let moved = self.flow.transfers + self.shown.as_ref().map_or(0, |shown| shown.transfers);
        // The same for all accounts, or the lines below would move with the cursor.
        let amounts = self.accounts.iter().map(|shown| shown.line.amounts.len()).max();
        // A rule is above, and a blank line and titles are before the transfers of an account.
        self.document.line_count() + amounts.unwrap_or_default() + 3 + moved
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
        let mut assets = AssetFormatter::new(cx.network, cx.format.unit, rate, transfers.clone());
        let mut ledger = self.flow.ledger.clone();
        let unread =
            transfers.filter(|transfer| !add_token_transfer(&mut ledger, transfer)).count();
        let payer = transaction.and_then(|transaction| Some(transaction.from.value()?.hash));
        let mut lines = assets.lines(&ledger, payer);
        assets.mark_contradicted(&mut lines, tokens.contradicted);
        let parties = lines.len();
        let unchanged = ledger.unchanged().into_iter().take(MAX_UNCHANGED).map(|(account, all)| {
            let nothing = |asset: &Asset| assets.amount(*asset, U256::ZERO, NO_CHANGE);
            let dim = |a| AmountText { role: Role::Dim, fiat: String::new(), ..a };
            let amounts = all.iter().map(nothing).map(dim).collect();
            BalanceLine { party: Party::Account(account), amounts }
        });
        lines.extend(unchanged);
        let fee = transaction.and_then(|transaction| transaction.fee.value());
        let fee = payer.zip(fee).and_then(|(payer, fee)| {
            Some(LostFee { payer: Party::Account(payer), amount: assets.fee(fee)? })
        });
        let (with_fee, BalanceTable { titles, mut rows, .. }) = match &fee {
            Some(fee) => fee.table(&lines, width, cx),
            None => (lines.clone(), BalanceTable::new(&lines, column::LOST, width, width, cx)),
        };
        self.titles = titles;
        let mut shown = with_fee.iter().flat_map(|line| &line.amounts);
        self.has_prices = shown.any(|amount| !amount.fiat.is_empty());
        let sums = lines.iter().filter_map(|line| gross_texts(line, &ledger, &assets));
        let gross: GrossTexts = sums.collect();
        self.accounts = self.account_lines(&with_fee, (&rows, &gross), &assets);
        self.push_net_worth(&mut rows, width);
        self.push_gross(&mut rows, width);
        lines.truncate(parties);
        let bars =
            if width < MIN_WIDTH { Vec::new() } else { asset_bars(&lines, &assets, width, cx) };
        // Below the accounts, on the first of which the cursor begins. Without a copy or a link, it skips
        // the note.
        let note = self.note(&assets, tokens.transfers.is_empty(), unread);
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

    /// Appends the column of net worth, if that sums up amounts of an account and has space.
    fn push_net_worth(&mut self, rows: &mut [Vec<Vec<EntryCell>>], width: u16) {
        let ends = rows.iter().flatten().flatten().map(EntryCell::end);
        let x = ends.max().unwrap_or_default().saturating_add(AMOUNT_GAP);
        let cells = self.accounts.iter().filter_map(|shown| {
            let net = match (shown.is_unchanged(), &*shown.line.amounts) {
                (true, [amount]) => &amount.text,
                (true, _) => return None,
                (false, _) => shown.net.as_deref().unwrap_or("?"),
            };
            let role = match net.chars().next() {
                Some('+') => Role::Ok,
                Some('−') => Role::Loss,
                _ => Role::Dim,
            };
            Some((shown.first, shown.is_unchanged(), EntryCell::new(net, role)))
        });
        let mut nets: Vec<_> = cells.collect();
        let widest = nets.iter().map(|(.., net)| net.width()).max().unwrap_or_default();
        for (.., net) in &mut nets {
            net.x = x + widest - net.width();
        }
        let has_space = nets.iter().all(|(.., net)| net.end() <= width);
        if self.titles.is_empty() || !has_space || !self.accounts.iter().any(ShownAccount::sums_up)
        {
            return;
        }
        let [x, widest] = [x, widest].map(usize::from);
        self.titles = format!("{:<x$}{:>widest$}", self.titles, column::NET_WORTH);
        for (first, is_unchanged, net) in nets {
            let Some(row) = rows.iter_mut().flatten().nth(first) else { continue };
            if is_unchanged {
                row.truncate(1);
            }
            row.push(net);
        }
    }

    /// Appends columns of all losses and all gains, if each row has one amount and there is space.
    fn push_gross(&mut self, rows: &mut [Vec<Vec<EntryCell>>], width: u16) {
        let by_line: Option<Vec<_>> =
            self.accounts.iter().map(ShownAccount::gross_by_line).collect();
        let by_line = by_line.into_iter().flatten().flatten();
        // In the order of the net amounts.
        let sums: Vec<_> = by_line.map(|(line, [gained, lost])| (line, [lost, gained])).collect();
        if self.titles.is_empty() || sums.is_empty() {
            return;
        }
        let titles = [column::ALL_LOST, column::ALL_GAINED];
        let widest = |n: usize| {
            let texts = sums.iter().map(|(_, sums)| &*sums[n]).chain([titles[n]]);
            texts.map(|text| EntryCell::new(text, Role::Plain).width()).max().unwrap_or_default()
        };
        let ends = rows.iter().flatten().flatten().map(EntryCell::end).max().unwrap_or_default();
        let left = ends.saturating_add(AMOUNT_GAP);
        let columns = [widest(0), widest(0) + AMOUNT_GAP + widest(1)].map(|end| left + end);
        if columns[1] > width {
            return;
        }
        let at_end = |(text, end): (&str, u16)| {
            let cell = EntryCell::new(text, Role::Plain);
            let x = end - cell.width();
            cell.at(x)
        };
        for (line, [lost, gained]) in &sums {
            let Some(row) = rows.iter_mut().flatten().nth(*line) else { continue };
            row.extend([(&**lost, columns[0]), (&**gained, columns[1])].map(at_end));
        }
        let [first, second] = [widest(0), AMOUNT_GAP + widest(1)].map(usize::from);
        let left = usize::from(left);
        self.titles = format!("{:<left$}{:>first$}{:>second$}", self.titles, titles[0], titles[1]);
        self.accounts.iter_mut().for_each(|shown| shown.gross.fill(None));
    }

    fn note(&self, assets: &AssetFormatter<'_>, has_no_tokens: bool, unread: usize) -> String {
        let mut parts = Vec::new();
        if self.flow.transfers == 0 && has_no_tokens {
            parts.push(trace::NO_TRANSFERS.to_owned());
        }
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
        self.accounts.partition_point(|shown| shown.first <= self.document.cursor_line())
    }

    /// Returns the account under the cursor, if it is on the lines of one.
    fn selected_account(&self) -> Option<&ShownAccount> {
        self.document.row_address()?;
        self.accounts.get(self.accounts_to_cursor().checked_sub(1)?)
    }

    /// Returns the accounts among the rows of all parties.
    fn account_lines(
        &self,
        lines: &[BalanceLine],
        (rows, sums): (&[Vec<Vec<EntryCell>>], &GrossTexts),
        assets: &AssetFormatter<'_>,
    ) -> Vec<ShownAccount> {
        let ranges = rows.iter().scan(0, |next, rows| {
            let first = *next;
            *next += rows.len();
            Some((first, rows.len()))
        });
        let shown = lines.iter().zip(ranges).filter_map(|(line, (first, line_count))| {
            let Party::Account(account) = line.party else { return None };
            let texts = line.amounts.iter().map(|amount| {
                let known = match amount.asset {
                    Asset::Instance(..) => None,
                    asset => self.balances.get(&(account, asset.token())),
                };
                known.map_or_else(String::new, |known| {
                    let [before, after] = known.map(|all| assets.digits(amount.asset, all));
                    format!("{before} → {after}")
                })
            });
            let balances = texts.collect();
            let net = assets.net_worth(&line.amounts);
            // The fee comes after the other amounts.
            let mut gross = sums.get(&account).cloned().unwrap_or_default();
            gross.resize(line.amounts.len(), None);
            Some(ShownAccount { first, line_count, line: line.clone(), balances, gross, net })
        });
        shown.collect()
    }

    /// Returns the lines of the account under the cursor.
    fn selected_lines(&self) -> Range<usize> {
        let Some(account) = self.selected_account() else { return 0..0 };
        account.first..account.first + account.line_count
    }

    pub fn selected_address(&self) -> Option<Address> {
        self.document.selected_address()
    }

    /// Returns the address of the account under the cursor.
    pub fn account_address(&self) -> Option<Address> {
        self.document.row_address()
    }

    /// Returns the name of the selected cell's value and its text, which is an amount in the smallest unit.
    pub fn copied_cell(&self) -> Option<(&'static str, Option<SafeText>)> {
        let cell = self.document.selected_cell()?;
        let is_account = cell.link.as_ref().and_then(EntryLink::address) == self.account_address();
        let what = if is_account { "account's address" } else { "raw amount" };
        Some((what, self.document.copied_text()))
    }

    /// Returns the selected amount in the smallest unit.
    pub fn raw_amount(&self) -> Option<SafeText> {
        self.document.selected_amount().cloned()
    }

    pub fn move_selection(&mut self, by: isize, height: u16) {
        self.start_account = None;
        self.document.move_cursor(by, height);
    }

    pub fn move_cell(&mut self, step: Step) {
        self.document.move_cell(step);
    }

    pub fn click(&mut self, at: Position, area: Rect) -> Option<bool> {
        self.start_account = None;
        self.document
            .click(at, self.accounts_area(area))
            .map(|click| click == DocumentClick::SelectedLine)
    }

    /// Draws the accounts below the titles of their columns, the transfers as they happened, and the exact amounts and
    /// transfers of the account under the cursor. If there is not enough space for all transfers of a narrow view, only
    /// that account's are listed.
    pub fn draw(
        &self,
        (hash, calls): (TxHash, &TransferCalls<'_>),
        (titles, area): (Rect, Rect),
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let all = calls.moves(hash, None, cx);
        let parts = self.split(all.rows.len(), area);
        draw_text(buf, titles, &self.titles, cx.styles.of(Role::Title));
        self.draw_accounts(parts.accounts, cx, buf);
        let account = self.document.row_address();
        let is_cut = all.rows.len() > parts.transfers.height.into();
        let of_account = account.filter(|_| is_cut && !parts.is_wide());
        let own = account.map(|account| calls.moves(hash, Some(account), cx));
        let shown = own.as_ref().filter(|_| of_account.is_some()).unwrap_or(&all);
        let has_transfers =
            parts.transfers.height > 0 && (shown.has_others || !shown.rows.is_empty());
        if has_transfers {
            let title = of_account.map_or(prompt::TRANSFERS.into(), |account| {
                let account = &cx.short_name(&account);
                Cow::from(TraceNote::TransfersOf { account }.to_string())
            });
            let more = if shown.has_others { "+" } else { "" };
            let heading = format!("{title} · {}{more}", Grouped(shown.rows.len()));
            let selected = account.filter(|_| cx.settings.address_highlight);
            let drawn = draw_transfers(shown, (selected, calls), parts.transfers, cx, buf);
            parts.draw_transfer_titles(&heading, drawn, cx, buf);
        }
        let Some(block) = self.block.as_ref().filter(|_| parts.block.height > 0) else { return };
        if !(parts.is_wide() && has_transfers) {
            let line = Rect { y: parts.block_frame.y, height: 1, ..parts.accounts };
            Rule::default().draw(line, buf, cx.styles);
        }
        block.draw_title(parts.block_frame, cx, buf);
        let own = own.zip(account).map(|(moves, account)| {
            let assets = calls.assets(&moves.rows, cx);
            let space = (parts.block.width, block.free_lines(parts.block));
            move_lines(&moves, (account, calls.tree), &assets, space, cx)
        });
        block.draw(parts.block, own.unwrap_or_default(), cx, buf);
    }

    /// Divides the view: accounts above the transfers, next to which a wide view has the block of the selected account.
    /// A narrow one has it below them, if there is space.
    fn split(&self, transfers: usize, area: Rect) -> ViewParts {
        let accounts = self.accounts_area(area);
        let lines = u16::try_from(self.document.line_count()).unwrap_or(u16::MAX);
        let below = |lines: u16| {
            let y = area.y.saturating_add(lines).saturating_add(1).min(area.bottom());
            Rect { y, height: area.bottom() - y, ..area }
        };
        if is_wide(area) {
            let below = below(accounts.height);
            let left = area.width * 11 / 20;
            let x = below.x + left + DIVIDER_COLUMNS;
            let block = Rect { x, width: below.right() - x, ..below };
            let (y, width) = (below.y.saturating_sub(1), block.width + DIVIDER_COLUMNS);
            let block_frame = Rect { x: x - DIVIDER_COLUMNS, y, width, height: 1 };
            let transfers = Rect { width: left, ..below };
            return ViewParts { accounts, transfers, block_frame, block };
        }
        let moved = u16::try_from(transfers).unwrap_or(u16::MAX);
        let used = lines.saturating_add(moved).saturating_add(1);
        let details = self.block.as_ref().map_or(0, AccountBlock::height_with_rule);
        let has_details = details > 0 && used.saturating_add(details) <= area.height;
        let block =
            if has_details { below(used) } else { Rect { y: area.bottom(), height: 0, ..area } };
        // Titles begin a column after the text.
        let x = area.x.saturating_sub(2);
        let block_frame =
            Rect { x, y: block.y.saturating_sub(1), width: area.right() - x, height: 1 };
        let transfers = below(lines);
        let bottom = if has_details { block_frame.y } else { area.bottom() };
        let transfers = Rect { height: bottom.saturating_sub(transfers.y), ..transfers };
        ViewParts { accounts, transfers, block_frame, block }
    }

    /// Draws the accounts, with all lines of the one under the cursor selected.
    fn draw_accounts(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let highlight = self.selected_address().filter(|_| cx.settings.address_highlight);
        self.document.view(area, highlight, buf, cx.styles);
        let first = self.document.extent(area).offset;
        let others = self.selected_lines().filter(|line| *line != self.document.cursor_line());
        for line in others.filter_map(|line| line.checked_sub(first)) {
            if let Some(row) = area.rows().nth(line) {
                draw_selection(buf, row, cx.styles.of(Role::SelectionInactive));
            }
        }
    }
}

/// The places of the view's parts.
struct ViewParts {
    accounts: Rect,
    transfers: Rect,
    /// The line above the block of the selected account, for its title.
    block_frame: Rect,
    block: Rect,
}

impl ViewParts {
    /// Returns `true` if the block is next to the transfers.
    fn is_wide(&self) -> bool {
        self.block.x > self.transfers.x
    }

    /// Draws the rule above the transfers with their title, and with another over the column of their calls.
    fn draw_transfer_titles(
        &self,
        title: &str,
        calls: Option<DrawnCalls>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let Rect { x, y, width: columns, .. } = self.transfers;
        let line = Rect { y: y - 1, height: 1, ..self.transfers };
        let whole = Rect { width: self.block.right().max(line.right()) - x, ..line };
        let split = self.is_wide().then(|| RuleSplit {
            x: self.block_frame.x - x,
            joint: "┬",
            title: "".into(),
        });
        Rule { title: title.to_owned().into(), split }.draw(whole, buf, cx.styles);
        if self.is_wide() {
            let Rect { height, .. } = self.transfers;
            draw_divider(
                buf,
                Rect { y, width: 1, height, ..self.block_frame },
                cx.styles.of(Role::Border),
            );
        }
        let title_columns = u16::try_from(width(title)).unwrap_or(u16::MAX);
        let has_space = |x: &u16| *x > title_columns.saturating_add(TITLE_INDENT);
        let has_guesses = calls.as_ref().is_some_and(|calls| calls.has_guesses);
        let after_title = calls.map(|calls| calls.x).filter(has_space);
        let calls_title = calls_title(columns);
        if let Some(column) = after_title {
            let x = x + column - TITLE_INDENT;
            let frame = Rect { x, width: line.right().saturating_sub(x), ..line };
            draw_frame_title(buf, frame, &calls_title, cx.styles.in_frame(Role::Title));
        }
        let used = after_title.map(|x| usize::from(x) + width(&calls_title) + LEGEND_GAP);
        let space = used.and_then(|used| usize::from(columns).checked_sub(used));
        let fits = |legend: &&str| space.is_some_and(|space| width(legend) + LEGEND_GAP <= space);
        let legends = [trace::NAMES_GUESSED, trace::NAMES_GUESSED_IN_SHORT];
        if let Some(legend) = legends.into_iter().find(fits).filter(|_| has_guesses) {
            draw_at_end(&format!(" {legend} "), line, cx, buf);
        }
    }
}

fn is_wide(area: Rect) -> bool {
    area.width >= MIN_WIDE_COLUMNS
}

/// Returns the account of a line with the gain and the loss of each amount that is the difference of both.
fn gross_texts(
    line: &BalanceLine,
    ledger: &BalanceLedger,
    assets: &AssetFormatter<'_>,
) -> Option<(Address, Vec<Option<[String; 2]>>)> {
    let Party::Account(account) = line.party else { return None };
    let texts = line.amounts.iter().map(|amount| {
        let BalanceChange { gained, lost, .. } = ledger.change(&account, amount.asset);
        let is_gross = gained.is_zero() || lost.is_zero() || amount.raw.is_none();
        let is_apart = !is_gross && !matches!(amount.asset, Asset::Instance(..));
        is_apart.then(|| [gained, lost].map(|sum| assets.exact(amount.asset, sum)))
    });
    Some((account, texts.collect()))
}
