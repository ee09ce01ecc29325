//! The view of balance changes: gains and losses of each account, and the fee.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

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
use crate::ui::document::{Document, DocumentClick, DocumentEntry, EntryCell, EntryValue};
use crate::ui::format::width;
use crate::ui::marked_text::MarkedText;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// Minimum columns of a view with bars.
const MIN_WIDTH: u16 = 60;
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

/// Returns the call that made a transfer, in words.
pub type TransferOrigin<'a> = dyn Fn(&TokenTransfer) -> Option<String> + 'a;

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
    /// The lines that begin with an account.
    account_lines: Vec<usize>,
    /// The titles of the columns, blank if amounts have none.
    pub titles: String,
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
        let titles = String::new();
        let account_lines = Vec::new();
        let (shown, check) = (None, BalanceCheck::NotRequested);
        let mut view = Self { flow, sum, document, shown, account_lines, titles, check };
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

    /// Writes the lines again if more is known about the transaction, or the width has changed.
    pub fn update(&mut self, hash: TxHash, area: Rect, cx: &PaneContext<'_>) {
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
        if has_prices && !self.titles.is_empty() {
            self.titles.extend(["  (", prompt::PRICES_OF_TODAY, ")"]);
        }
        let rows = balance_rows(&with_fee, (0, width), cx);
        self.account_lines = account_lines(&with_fee, &rows);
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
        if self.account_lines.is_empty() {
            return String::new();
        }
        let before =
            self.account_lines.partition_point(|line| *line <= self.document.cursor_line());
        let accounts = Grouped(self.account_lines.len());
        TraceNote::Account { number: Grouped(before.max(1)), accounts }.to_string()
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
        self.document.click(at, area).map(|click| click == DocumentClick::SelectedLine)
    }

    /// Draws the accounts, and below them the token transfers of the one under the cursor, with the calls
    /// that `origin` knows.
    pub fn draw(
        &self,
        (hash, origin): (TxHash, &TransferOrigin<'_>),
        area: Rect,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let highlight = self.selected_address().filter(|_| cx.settings.address_highlight);
        self.document.view(area, highlight, buf, cx.styles);
        let lines = u16::try_from(self.document.extent(area).len).unwrap_or(u16::MAX);
        let free = area.height.saturating_sub(lines.saturating_add(1));
        let Some(account) = self.document.row_address().filter(|_| free > 1) else { return };
        let rest = Rect { y: area.bottom() - free, height: free, ..area };
        let transfers = cx.name_cache.transfers(&hash);
        let moves = transfers.iter().enumerate().filter_map(|(n, transfer)| {
            Some((AccountMove::new(n + 1, account, transfer, cx)?, *transfer))
        });
        draw_moves((account, moves.collect(), origin), rest, cx, buf);
    }
}

/// Returns the lines that begin with an account, among the rows of all parties.
fn account_lines(lines: &[BalanceLine], rows: &[Vec<Vec<EntryCell>>]) -> Vec<usize> {
    let starts = rows.iter().scan(0, |next, rows| {
        let start = *next;
        *next += rows.len();
        Some(start)
    });
    let accounts = lines.iter().zip(starts);
    accounts
        .filter(|(line, _)| matches!(line.party, Party::Account(_)))
        .map(|(_, start)| start)
        .collect()
}

/// A token transfer of an account.
struct AccountMove {
    number: usize,
    /// `→` if the account sent it.
    arrow: &'static str,
    other: MarkedText,
    amount: String,
}

impl AccountMove {
    fn new(
        number: usize,
        account: Address,
        transfer: &TokenTransfer,
        cx: &PaneContext<'_>,
    ) -> Option<Self> {
        let (from, to) = (transfer.from.hash(), transfer.to.hash());
        let (arrow, other) = match (from == Some(account), to == Some(account)) {
            (true, _) => ("→", to),
            (_, true) => ("←", from),
            _ => return None,
        };
        let other = match other {
            Some(other) => MarkedText {
                mark: cx.address_mark(&other),
                ..MarkedText::new(cx.short_name(&other), Role::Link)
            },
            None => MarkedText::new("?", Role::Warning),
        };
        Some(Self { number, arrow, other, amount: transfer.short_summary() })
    }
}

/// An account, its token transfers, and the calls that made them.
type AccountMoves<'a> = (Address, Vec<(AccountMove, &'a TokenTransfer)>, &'a TransferOrigin<'a>);

/// Draws the token transfers of an account, and their calls, below a title. Those without space are
/// counted.
fn draw_moves(
    (account, mut moves, origin): AccountMoves<'_>,
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let space = usize::from(area.height.saturating_sub(1));
    let shown = if moves.len() > space { space.saturating_sub(1) } else { moves.len() };
    let hidden = moves.len() - shown;
    moves.truncate(shown);
    let widest = moves.iter().map(|(moved, _)| moved.other.width()).max().unwrap_or_default();
    let amounts = moves.iter().map(|(moved, _)| width(&moved.amount)).max().unwrap_or_default();
    let mut lines = area.rows();
    if let Some(title) = lines.next().filter(|_| !moves.is_empty()) {
        let text = TraceNote::TransfersOf { account: &cx.short_name(&account) }.to_string();
        draw_text(buf, title, &text, cx.styles.of(Role::Title));
    }
    for ((moved, transfer), line) in moves.into_iter().zip(lines.by_ref()) {
        let AccountMove { number, arrow, other, amount } = moved;
        let lead = format!("{number:>2} {arrow} ");
        let gap = " ".repeat(widest - other.width() + 2 + amounts - width(&amount));
        let origin = origin(transfer).map(|call| format!("  {call}")).unwrap_or_default();
        let before = [(&*lead, cx.styles.of(Role::Dim))].into_iter().chain(other.pieces(cx.styles));
        let after = [
            (&*gap, Style::new()),
            (&*amount, cx.styles.of(Role::Value)),
            (&*origin, cx.styles.of(Role::Dim)),
        ];
        draw_pieces(buf, line, before.chain(after));
    }
    if let Some(line) = lines.next().filter(|_| hidden > 0) {
        draw_text(buf, line, &format!("… {} more", Grouped(hidden)), cx.styles.of(Role::Dim));
    }
}
