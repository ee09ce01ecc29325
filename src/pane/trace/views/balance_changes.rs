//! The view of balance changes: gains and losses of each account, and the fee.

use std::collections::HashMap;

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
    AmountText, AssetFormatter, BalanceLine, Party, add_token_transfer, moved_asset,
};
use crate::pane::lookalike_marks::mark_addresses;
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;
use crate::trace::CallTree;
use crate::trace::balance_changes::Asset;
use crate::trace::coin_changes::{CoinChangeSum, CoinChanges};
use crate::trace::tree::FrameClass;
use crate::ui::document::{Document, DocumentClick, DocumentEntry, EntryCell, EntryValue};
use crate::ui::format::width;
use crate::ui::marked_text::MarkedText;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// Minimum columns of a view with bars.
const MIN_WIDTH: u16 = 60;
/// Minimum columns of accounts and transfers side by side, and the columns between them.
const MIN_SIDE_BY_SIDE_COLUMNS: u16 = 170;
const PANEL_GAP: u16 = 2;
/// Maximum accounts listed that gained as much as they lost.
const MAX_UNCHANGED: usize = 20;
/// Maximum calls with value whose transfers are listed at once. The others are counted.
const MAX_COIN_MOVES: usize = 200;

/// Inputs of the current lines.
#[derive(Debug, PartialEq, Eq)]
struct ShownFlow {
    width: u16,
    is_complete: bool,
    transfers: usize,
    contradicted: usize,
    fee: Option<U256>,
}

/// The calls that made the transfers.
pub struct TransferCalls<'a> {
    pub tree: &'a CallTree,
    /// The calls of token transfers by their logs.
    pub by_log: HashMap<u64, u32>,
    /// Returns the caller of a call and the call in words.
    pub names: &'a dyn Fn(u32) -> (Option<String>, String),
}

impl TransferCalls<'_> {
    /// Returns a call after the one that made it, which alone says more of a transfer, if both do not fit.
    fn text(&self, call: u32, columns: usize) -> String {
        let (caller, call) = (self.names)(call);
        let Some(caller) = caller else { return call };
        let whole = format!("{caller} → {call}");
        if width(&whole) > columns { caller } else { whole }
    }

    /// Returns the transfers of tokens and of the coin in the order of their calls: all, or an account's.
    fn moves(&self, hash: TxHash, account: Option<Address>, cx: &PaneContext<'_>) -> Moves {
        let tokens = cx.name_cache.transfers(&hash);
        let transaction = cx.name_cache.transaction(&hash).map(|item| item.parsed.as_ref());
        let rate = transaction.and_then(|known| known.ok()?.current_coin_rate());
        let listed = tokens.iter().copied();
        let assets = &AssetFormatter::new(cx.network, cx.format.unit, rate, listed);
        let with_value = self.tree.frames_of(FrameClass::WithValue).iter().copied();
        let calls: Vec<u32> = with_value.filter(|call| self.moves_coin(*call, account)).collect();
        let left_out = calls.len().saturating_sub(MAX_COIN_MOVES);
        let coin = calls.iter().take(MAX_COIN_MOVES);
        let coin = coin.filter_map(|call| Move::of_coin(*call, self.tree, assets));
        let numbered = tokens.iter().zip(1..).filter(|(transfer, _)| {
            account.is_none_or(|one| parties(transfer).contains(&Some(one)))
        });
        let tokens =
            numbered.map(|(transfer, number)| Move::of_token(number, transfer, assets, self));
        let mut listed: Vec<Move> = coin.chain(tokens).collect();
        // A transfer without its call is the last.
        listed.sort_by_key(|moved| moved.call.unwrap_or(u32::MAX));
        Moves { listed, left_out }
    }

    /// Returns `true` if a call moves coin, from or to an account if one is given.
    fn moves_coin(&self, call: u32, account: Option<Address>) -> bool {
        let Some(frame) = self.tree.get(call) else { return false };
        let has_value = || self.tree.value(call).is_some_and(|wei| !wei.is_zero());
        let is_party =
            |one| [frame.from, frame.to].iter().any(|party| self.tree.address(*party) == Some(one));
        frame.kind.moves_value()
            && frame.is_committed()
            && account.is_none_or(is_party)
            && has_value()
    }
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
    /// The lines that begin with an account.
    account_lines: Vec<usize>,
    /// The titles of the columns, blank if amounts have none.
    pub titles: String,
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
        let titles = String::new();
        let account_lines = Vec::new();
        let (shown, check, has_prices) = (None, BalanceCheck::NotRequested, false);
        let mut view =
            Self { flow, sum, document, shown, account_lines, titles, has_prices, check };
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
        self.document
            .click(at, accounts_area(area))
            .map(|click| click == DocumentClick::SelectedLine)
    }

    /// Draws the accounts, and next to them or below the transfers as they happened: of all accounts, or of
    /// the one under the cursor if there is not enough space.
    pub fn draw(
        &self,
        (hash, calls): (TxHash, &TransferCalls<'_>),
        area: Rect,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let highlight = self.selected_address().filter(|_| cx.settings.address_highlight);
        let accounts = accounts_area(area);
        self.document.view(accounts, highlight, buf, cx.styles);
        let lines = u16::try_from(self.document.extent(accounts).len).unwrap_or(u16::MAX);
        let rest = if accounts.width < area.width {
            let x = accounts.right() + PANEL_GAP;
            Rect { x, width: area.right().saturating_sub(x), ..area }
        } else {
            let free = area.height.saturating_sub(lines.saturating_add(1));
            Rect { y: area.bottom() - free, height: free, ..area }
        };
        let free = rest.height;
        if free < 2 {
            return;
        }
        let mut moves = calls.moves(hash, None, cx);
        let account = self.document.row_address();
        let of_account = account.filter(|_| moves.count() >= free.into()).map(|account| {
            moves = calls.moves(hash, Some(account), cx);
            TraceNote::TransfersOf { account: &cx.short_name(&account) }.to_string()
        });
        let title = of_account.as_deref().unwrap_or(prompt::TRANSFERS);
        let selected = account.filter(|_| cx.settings.address_highlight);
        draw_moves((title, moves), (selected, calls), rest, cx, buf);
    }
}

/// Returns the part of the view for the accounts: nearly half of a wide one, next to the transfers.
fn accounts_area(area: Rect) -> Rect {
    if area.width < MIN_SIDE_BY_SIDE_COLUMNS {
        area
    } else {
        Rect { width: area.width * 9 / 20, ..area }
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

/// Returns sender and receiver of a transfer.
fn parties(transfer: &TokenTransfer) -> [Option<Address>; 2] {
    [transfer.from.hash(), transfer.to.hash()]
}

/// Transfers in the order of their calls.
struct Moves {
    listed: Vec<Move>,
    /// The number of transfers of coin that are not listed.
    left_out: usize,
}

impl Moves {
    fn count(&self) -> usize {
        self.listed.len() + self.left_out
    }
}

/// A transfer of a token or of the chain's coin.
struct Move {
    /// The number among the token transfers.
    number: String,
    /// The call that made it, if it is known.
    call: Option<u32>,
    parties: [Option<Address>; 2],
    amount: String,
    /// ` ($12.34)` by today's rate, or nothing.
    fiat: String,
}

impl Move {
    fn of_token(
        number: usize,
        transfer: &TokenTransfer,
        assets: &AssetFormatter<'_>,
        calls: &TransferCalls<'_>,
    ) -> Self {
        let fiat = moved_asset(transfer).map(|(asset, all)| assets.amount(asset, all, "").fiat);
        Self {
            number: number.to_string(),
            call: transfer.log_index.value().and_then(|log| calls.by_log.get(log)).copied(),
            parties: parties(transfer),
            amount: transfer.short_summary(),
            fiat: fiat.unwrap_or_default(),
        }
    }

    fn of_coin(call: u32, tree: &CallTree, assets: &AssetFormatter<'_>) -> Option<Self> {
        let frame = tree.get(call)?;
        let value = tree.value(call)?;
        let moved = assets.amount(Asset::Coin, value, "");
        Some(Self {
            number: String::new(),
            call: Some(call),
            parties: [frame.from, frame.to].map(|party| tree.address(party)),
            amount: moved.text,
            fiat: moved.fiat,
        })
    }

    /// Returns sender and receiver, a selected one as such.
    fn cells(&self, selected: Option<Address>, cx: &PaneContext<'_>) -> [MarkedText; 2] {
        let [from, to] = self.parties;
        [(from, "mint"), (to, "burn")].map(|(party, word)| match party {
            Some(party) if party.is_zero() && !self.number.is_empty() => {
                MarkedText::new(word, Role::Dim)
            }
            Some(party) => {
                let role = if selected == Some(party) { Role::Highlight } else { Role::Link };
                let mark = cx.address_mark(&party);
                MarkedText { mark, ..MarkedText::new(cx.short_name(&party), role) }
            }
            None => MarkedText::new("?", Role::Warning),
        })
    }
}

/// Draws transfers below a title. Those without space are counted.
fn draw_moves(
    (title, moves): (&str, Moves),
    (selected, calls): (Option<Address>, &TransferCalls<'_>),
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let space = usize::from(area.height.saturating_sub(1));
    let (count, mut moves) = (moves.count(), moves.listed);
    moves.truncate(if count > space { space.saturating_sub(1) } else { count });
    let (shown, hidden) = (moves.len(), count - moves.len());
    let parties: Vec<_> = moves.iter().map(|moved| moved.cells(selected, cx)).collect();
    let [from, to] = [0, 1].map(|side| {
        let widths = parties.iter().map(|parties| parties[side].width());
        widths.max().unwrap_or_default()
    });
    let widest = |text: fn(&Move) -> &str| {
        moves.iter().map(|moved| width(text(moved))).max().unwrap_or_default()
    };
    let (numbers, amounts) = (widest(|moved| &moved.number), widest(|moved| &moved.amount));
    let worth = widest(|moved| &moved.fiat);
    let mut lines = area.rows();
    if let Some(line) = lines.next().filter(|_| shown > 0) {
        draw_text(buf, line, title, cx.styles.of(Role::Title));
    }
    let dim = cx.styles.of(Role::Dim);
    for ((moved, [sender, receiver]), line) in moves.iter().zip(&parties).zip(lines.by_ref()) {
        let number = format!("{:>numbers$} ", moved.number);
        let arrow = format!("{:1$} → ", "", from - sender.width());
        let gap = " ".repeat(to - receiver.width() + 2 + amounts - width(&moved.amount));
        let amount = format!("{}{:<worth$}", moved.amount, moved.fiat);
        let after = [(&*gap, Style::new()), (&*amount, cx.styles.of(Role::Value))];
        let used = numbers + 1 + from + 3 + to + 2 + amounts + worth + 2;
        let space = usize::from(area.width).saturating_sub(used);
        let call = moved.call.map(|call| ["  ", &*calls.text(call, space)].concat());
        let call = (call.as_deref().unwrap_or_default(), dim);
        let pieces = [(&*number, dim)]
            .into_iter()
            .chain(sender.pieces(cx.styles))
            .chain([(&*arrow, dim)])
            .chain(receiver.pieces(cx.styles))
            .chain(after)
            .chain([call]);
        draw_pieces(buf, line, pieces);
    }
    if let Some(line) = lines.next().filter(|_| hidden > 0) {
        draw_text(buf, line, &format!("… {} more", Grouped(hidden)), dim);
    }
}
