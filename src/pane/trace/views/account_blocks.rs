//! The exact amounts of the selected account and its transfers, in a block below the balance changes: next to the
//! transfers of all accounts, or below them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::chain::Address;
use crate::messages::trace::TraceNote;
use crate::pane::PaneContext;
use crate::pane::balance_changes::lines::{AmountText, BalanceLine, NO_CHANGE, Party};
use crate::ui::address_mark::{AddressMark, MARK_WIDTH};
use crate::ui::document::{Document, DocumentEntry, EntryCell, EntryLink, EntryValue};
use crate::ui::format::width;
use crate::ui::frame::draw_frame_title;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// Columns between the parts of an account's amount.
pub const AMOUNT_GAP: u16 = 2;
/// Columns from the beginning of a title's frame to the title.
pub const TITLE_INDENT: u16 = 3;

/// An account among the lines of balance changes.
#[derive(Debug)]
pub struct ShownAccount {
    /// The line that begins with it.
    pub first: usize,
    pub line_count: usize,
    pub line: BalanceLine,
    /// The balances before and after of each amount, or nothing.
    pub balances: Vec<String>,
    /// The gain and the loss of each amount, or nothing if it is one of them or a column has them.
    pub gross: Vec<Option<[String; 2]>>,
    /// Gains less losses in dollars, if all have a price.
    pub net: Option<String>,
}

impl ShownAccount {
    pub fn is_unchanged(&self) -> bool {
        self.line.amounts.iter().all(|amount| amount.sign == NO_CHANGE)
    }

    /// Returns `true` if the net worth says more than the one amount.
    pub fn sums_up(&self) -> bool {
        self.net.is_some() && self.line.amounts.len() > 1
    }

    /// Returns the lines with the gain and the loss of an amount each, or `None` if a line has several.
    pub fn gross_by_line(&self) -> Option<Vec<(usize, [String; 2])>> {
        let mut by_line = Vec::new();
        for gains in [false, true] {
            let amounts = self.line.amounts.iter().zip(&self.gross);
            let column = amounts.filter(|(amount, _)| (amount.role == Role::Ok) == gains);
            for (line, (_, gross)) in column.enumerate() {
                by_line.extend(gross.clone().map(|gross| (self.first + line, gross)));
            }
        }
        by_line.sort_unstable();
        let is_unique = by_line.windows(2).all(|pair| pair[0].0 != pair[1].0);
        is_unique.then_some(by_line)
    }

    fn address(&self) -> Option<Address> {
        match self.line.party {
            Party::Account(account) => Some(account),
            Party::Word(_) => None,
        }
    }

    /// Returns its name and its address, and what it gained or lost in all.
    fn title(&self, cx: &PaneContext<'_>) -> BlockTitle {
        let Some(account) = self.address() else { return BlockTitle::default() };
        let name = cx.name_cache.short_name(&account);
        let account = name.map_or_else(|| account.to_string(), |name| format!("{name} {account}"));
        let net = self.net.as_ref().filter(|_| self.sums_up());
        let net = net.map(|dollars| format!(" · {}", TraceNote::NetWorth { dollars }));
        BlockTitle { account, net: net.unwrap_or_default() }
    }

    /// Returns the exact amounts with their values, the balances before and after, gains and losses, and their tokens, of
    /// amounts with more of that than their line.
    fn cells(&self, cx: &PaneContext<'_>) -> Vec<[EntryCell; 4]> {
        let amounts = self.line.amounts.iter().zip(self.balances.iter().zip(&self.gross));
        let cells = amounts.map(|(amount, (balances, gross))| {
            let exact = EntryCell::new([&*amount.exact, &amount.fiat].concat(), amount.role);
            let gross = gross.as_ref().map_or_else(String::new, |[gained, lost]| {
                TraceNote::GainAndLoss { gained, lost }.to_string()
            });
            let [balances, gross] =
                [&**balances, &gross].map(|text| EntryCell::new(text, Role::Plain));
            let says_more = amount.exact != amount.text;
            (says_more, [exact, balances, gross, token_cell(amount, cx)])
        });
        // The line of the account has the same.
        let is_new = |(says_more, [_, others @ ..]): &(bool, [EntryCell; 4])| {
            *says_more || others.iter().any(|cell| cell.width() > 0)
        };
        cells.filter(is_new).map(|(_, cells)| cells).collect()
    }

    /// Returns the amounts in columns, which only cells before others widen.
    fn rows(&self, cx: &PaneContext<'_>) -> Vec<Vec<EntryCell>> {
        let rows = self.cells(cx);
        let mut left = 0;
        let columns = [0, 1, 2, 3].map(|n| {
            let x = left;
            let before_others =
                rows.iter().filter(|row| row[n + 1..].iter().any(|cell| cell.width() > 0));
            let widest = before_others.map(|row| row[n].width()).max().unwrap_or_default();
            left += if widest > 0 { widest + AMOUNT_GAP } else { 0 };
            x
        });
        let placed = rows.into_iter().map(|row| {
            let cells = row.into_iter().zip(columns).map(|(cell, x)| cell.at(x));
            cells.filter(|cell| cell.width() > 0).collect()
        });
        placed.collect()
    }
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

/// The title of a block.
#[derive(Debug, Default)]
struct BlockTitle {
    /// The name and the address, after blanks for the mark.
    account: String,
    /// The net worth, or nothing.
    net: String,
}

impl BlockTitle {
    fn width(&self) -> usize {
        width(&self.account) + width(&self.net)
    }

    /// Returns the title for a number of columns: an amount is whole or left out.
    fn within(&self, columns: usize) -> String {
        let net = if self.width() <= columns { &*self.net } else { "" };
        [&self.account, net].concat()
    }
}

/// The block of the selected account.
#[derive(Debug)]
pub struct AccountBlock {
    title: BlockTitle,
    mark: Option<AddressMark>,
    amounts: Vec<Vec<EntryCell>>,
}

impl AccountBlock {
    /// Makes the block of an account for an area, without the cells that it has no space for.
    pub fn new(selected: &ShownAccount, area: Rect, cx: &PaneContext<'_>) -> Self {
        let mut title = selected.title(cx);
        let mark = selected.address().and_then(|address| cx.address_mark(&address));
        let space = " ".repeat(mark.map_or(0, |_| usize::from(MARK_WIDTH)));
        title.account.insert_str(0, &space);
        let mut amounts = selected.rows(cx);
        for row in &mut amounts {
            row.retain(|cell| cell.end() <= area.width);
        }
        Self { title, mark, amounts }
    }

    /// Returns the lines of the amounts with the rule above.
    pub fn height_with_rule(&self) -> u16 {
        u16::try_from(self.amounts.len()).unwrap_or(u16::MAX).saturating_add(1)
    }

    /// Draws the title into a rule.
    pub fn draw_title(&self, frame: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let columns = frame.width.saturating_sub(2 * TITLE_INDENT);
        let title = self.title.within(columns.into());
        draw_frame_title(buf, frame, &title, cx.styles.in_frame(Role::Title));
        if let Some(mark) = self.mark {
            let x = frame.x + TITLE_INDENT;
            let place = Rect { x, width: frame.right().saturating_sub(x), ..frame };
            draw_pieces(buf, place, mark.glyphs(cx.styles));
        }
    }

    /// Returns the blank line between amounts and transfers, if there are amounts.
    fn gap(&self) -> Vec<Vec<EntryCell>> {
        if self.amounts.is_empty() { Vec::new() } else { vec![Vec::new()] }
    }

    /// Returns the lines of an area that the amounts leave, below a blank one.
    pub fn free_lines(&self, area: Rect) -> usize {
        usize::from(area.height).saturating_sub(self.amounts.len() + self.gap().len())
    }

    /// Draws the amounts, and below a blank line the transfers.
    pub fn draw(
        &self,
        area: Rect,
        moves: Vec<Vec<EntryCell>>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let rows = self.amounts.iter().cloned().chain(self.gap()).chain(moves);
        let entries = rows.map(|row| DocumentEntry::new("", EntryValue::Cells(row)));
        let mut document = Document::default();
        document.resize(area);
        document.set(entries.collect());
        document.draw_lines(area, None, buf, cx.styles);
    }
}

/// Draws a text at the right end of a rule.
pub fn draw_at_end(text: &str, rule: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    let columns = u16::try_from(width(text)).unwrap_or(u16::MAX).min(rule.width);
    let end = Rect { x: rule.right() - columns, width: columns, ..rule };
    draw_text(buf, end, text, cx.styles.in_frame(Role::Dim));
}
