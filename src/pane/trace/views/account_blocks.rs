//! The exact amounts of accounts below their balance changes: a block for each account, the selected one first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::chain::Address;
use crate::messages::trace::TraceNote;
use crate::pane::PaneContext;
use crate::pane::balance_changes::lines::{AmountText, BalanceLine, NO_CHANGE, Party};
use crate::ui::address_mark::{AddressMark, MARK_WIDTH};
use crate::ui::document::{
    Document, DocumentEntry, EntryCell, EntryLink, EntryValue, Rule, RuleSplit,
};
use crate::ui::frame::draw_divider;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// Maximum blocks: no screen has more.
const MAX_BLOCKS: usize = 60;
/// Columns between the parts of an account's amount.
pub const AMOUNT_GAP: u16 = 2;
/// Columns between panels side by side.
pub const PANEL_GAP: u16 = 2;
/// Columns from the beginning of a block's rule to its mark.
const TITLE_INDENT: u16 = 1;
/// Columns from the border between two blocks to the mark of the right one.
pub const RULE_TITLE_INDENT: u16 = 3;

/// An account among the lines of balance changes.
#[derive(Debug)]
pub struct ShownAccount {
    /// The line that begins with it.
    pub first: usize,
    pub line_count: usize,
    pub line: BalanceLine,
    /// The balances before and after of each amount, or nothing.
    pub balances: Vec<String>,
    /// The gain and the loss of each amount, or nothing if it is one of them.
    pub gross: Vec<String>,
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

    fn address(&self) -> Option<Address> {
        match self.line.party {
            Party::Account(account) => Some(account),
            Party::Word(_) => None,
        }
    }

    /// Returns its name and its address, and what it gained or lost in all.
    fn title(&self, cx: &PaneContext<'_>) -> String {
        let Some(account) = self.address() else { return String::new() };
        let name = cx.name_cache.short_name(&account);
        let title = name.map_or_else(|| account.to_string(), |name| format!("{name} {account}"));
        match self.net.as_ref().filter(|_| self.sums_up()) {
            Some(dollars) => format!("{title} · {}", TraceNote::NetWorth { dollars }),
            None => title,
        }
    }

    /// Returns the exact amounts, their values, the balances before and after, gains and losses, and their tokens.
    fn cells(&self, cx: &PaneContext<'_>) -> Vec<[EntryCell; 5]> {
        let amounts = self.line.amounts.iter().zip(self.balances.iter().zip(&self.gross));
        let cells = amounts.map(|(amount, texts)| {
            let exact = EntryCell::new(&*amount.exact, amount.role);
            let fiat = EntryCell::new(amount.fiat.trim_start(), amount.role);
            let [balances, gross] =
                <[_; 2]>::from(texts).map(|text| EntryCell::new(&**text, Role::Plain));
            [exact, fiat, balances, gross, token_cell(amount, cx)]
        });
        cells.collect()
    }

    /// Returns the amounts in columns.
    fn rows(&self, cx: &PaneContext<'_>) -> Vec<Vec<EntryCell>> {
        let rows = self.cells(cx);
        let mut left = 0;
        let columns = [0, 1, 2, 3, 4].map(|n| {
            let x = left;
            let widest = rows.iter().map(|row| row[n].width()).max().unwrap_or_default();
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

#[derive(Debug)]
struct AccountBlock {
    /// The title, with blanks for the mark.
    title: String,
    mark: Option<AddressMark>,
    amounts: Document,
    /// Lines of the amounts.
    height: u16,
}

/// The blocks of accounts, one below the other or in two columns.
#[derive(Debug, Default)]
pub struct AccountBlocks {
    blocks: Vec<AccountBlock>,
    /// The border between two columns.
    middle: Option<u16>,
}

impl AccountBlocks {
    /// Makes the blocks of accounts, in two columns with a border between them if all amounts have space there.
    pub fn new<'a>(
        accounts: impl Iterator<Item = &'a ShownAccount>,
        border: Option<u16>,
        area: Rect,
        cx: &PaneContext<'_>,
    ) -> Self {
        let all: Vec<_> =
            accounts.take(MAX_BLOCKS).map(|account| (account, account.rows(cx))).collect();
        let ends = all.iter().flat_map(|(_, rows)| rows).flatten().map(EntryCell::end);
        let widest = ends.max().unwrap_or_default();
        let fits = |x: &u16| {
            let right = area.width.saturating_sub(x + PANEL_GAP);
            all.len() > 1 && widest < *x && widest <= right
        };
        let middle = border.filter(fits);
        let blocks = all.into_iter().map(|(account, rows)| {
            let mark = account.address().and_then(|address| cx.address_mark(&address));
            let space = " ".repeat(mark.map_or(0, |_| usize::from(MARK_WIDTH)));
            let is_shown = |cell: &EntryCell| cell.end() <= area.width;
            let entries = rows.into_iter().map(|row| {
                let cells = row.into_iter().filter(is_shown).collect();
                DocumentEntry::new("", EntryValue::Cells(cells))
            });
            let mut amounts = Document::default();
            amounts.resize(area);
            amounts.set(entries.collect());
            let height = u16::try_from(amounts.line_count()).unwrap_or(u16::MAX);
            let title = [&*space, &account.title(cx)].concat();
            AccountBlock { title, mark, amounts, height }
        });
        Self { blocks: blocks.collect(), middle }
    }

    /// Returns the lines of the first blocks with their rule, or 0 without any.
    pub fn least_height(&self) -> u16 {
        self.rows().next().map_or(0, row_height)
    }

    fn rows(&self) -> impl Iterator<Item = &[AccountBlock]> {
        self.blocks.chunks(if self.middle.is_some() { 2 } else { 1 })
    }

    /// Draws as many blocks as fit. A border above ends at the first rule.
    pub fn draw(&self, area: Rect, border: Option<u16>, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if let Some(middle) = self.middle {
            let x = area.x + middle;
            let column = Rect { x, y: area.y + 1, width: 1, height: area.height.saturating_sub(1) };
            draw_divider(buf, column, cx.styles.of(Role::Border));
        }
        let mut line = Rect { height: 1, ..area };
        for row in self.rows() {
            let height = row_height(row);
            let is_first = line.y == area.y;
            if !is_first && line.y.saturating_add(height) > area.bottom() {
                return;
            }
            let right = row.get(1).map(|block| block.title.clone()).unwrap_or_default();
            let joint = if self.middle.is_some() { "┼" } else { "┴" };
            let split_x = self.middle.or(border.filter(|_| is_first));
            let split = split_x.map(|x| RuleSplit { x, joint, title: right.into() });
            let title = row.first().map(|block| block.title.clone()).unwrap_or_default();
            Rule { title: title.into(), split }.draw(line, buf, cx.styles);
            let right = self.middle.unwrap_or_default();
            let places = [(TITLE_INDENT, 0), (right + RULE_TITLE_INDENT, right + PANEL_GAP)];
            for (block, (mark_x, x)) in row.iter().zip(places) {
                if let Some(mark) = block.mark {
                    let x = line.x + mark_x;
                    let place = Rect { x, width: line.right().saturating_sub(x), ..line };
                    draw_pieces(buf, place, mark.glyphs(cx.styles));
                }
                let (x, y) = (area.x + x, line.y + 1);
                let (width, height) =
                    (area.right().saturating_sub(x), area.bottom().saturating_sub(y));
                let amounts = Rect { x, y, width, height: height.min(block.height) };
                block.amounts.draw_lines(amounts, None, buf, cx.styles);
            }
            line.y = line.y.saturating_add(height);
        }
    }
}

/// Returns the lines of blocks side by side, with their rule.
fn row_height(row: &[AccountBlock]) -> u16 {
    row.iter().map(|block| block.height).max().unwrap_or_default().saturating_add(1)
}
