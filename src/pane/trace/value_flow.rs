//! The view of balance changes: the accounts that gained or lost native coins.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::call_labels::CallFormatter;
use super::chart_cursor::ChartCursor;
use super::draw::draw_text;
use super::row::CallPainter;
use crate::chain::amount::group_digits;
use crate::chain::{Address, U256};
use crate::pane::time_slice::TimeSlice;
use crate::trace::CallTree;
use crate::trace::value_flow::{BalanceChange, BalanceChanges, BalanceSum};
use crate::ui::format::width;
use crate::ui::plot::{bar, bar_to_left};
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// Width from which there are bars.
const BARS_FROM: u16 = 60;
const MAX_BAR_COLUMNS: usize = 24;
/// Lines above the first account.
const HEADER_LINES: u16 = 2;

/// The balance changes of a trace and the selected account.
#[derive(Debug)]
pub(super) struct ValueFlowView {
    changes: BalanceChanges,
    /// The sum of the changes, until it is complete.
    sum: Option<BalanceSum>,
    cursor: ChartCursor,
}

impl ValueFlowView {
    pub(super) fn new(tree: &CallTree) -> Self {
        let sum = Some(BalanceSum::default());
        let mut view =
            Self { changes: BalanceChanges::default(), sum, cursor: ChartCursor::default() };
        view.continue_sum(tree);
        view
    }

    pub(super) fn is_complete(&self) -> bool {
        self.sum.is_none()
    }

    /// Adds the next calls to the sum, if it is not complete.
    pub(super) fn continue_sum(&mut self, tree: &CallTree) {
        let Some(mut sum) = self.sum.take() else { return };
        let mut slice = TimeSlice::begin();
        while slice.has_time() {
            if !sum.add_next(tree) {
                self.changes = sum.finish();
                return;
            }
        }
        self.sum = Some(sum);
    }

    pub(super) fn selected_account(&self) -> Option<Address> {
        self.changes.accounts.get(self.cursor.selected).map(|(address, _)| *address)
    }

    pub(super) fn move_selection(&mut self, by: isize) {
        self.cursor.step(by, self.changes.accounts.len());
    }

    pub(super) fn click(&mut self, at: Position, area: Rect) -> Option<bool> {
        self.cursor.click(at, account_area(area), self.changes.accounts.len())
    }

    pub(super) fn draw(&self, painter: &CallPainter<'_>, area: Rect, buf: &mut Buffer) {
        for (line, (text, role)) in area.rows().zip(self.header(&painter.formatter)) {
            draw_text(&text, line, role, painter.styles, buf);
        }
        let rows = account_area(area);
        let accounts = self.changes.accounts.iter().enumerate().skip(self.cursor.first(rows));
        let scale = self.scale(&painter.formatter, rows);
        for (row, (number, account)) in rows.rows().zip(accounts) {
            draw_account(account, scale, painter, row, buf);
            if number == self.cursor.selected {
                buf.set_style(row, painter.styles.selection());
            }
        }
    }

    /// Returns the largest change, and the width of the changes on the screen.
    fn scale(&self, formatter: &CallFormatter<'_>, rows: Rect) -> (U256, usize) {
        let accounts = self.changes.accounts.iter();
        let most = accounts.clone().next().map(|(_, change)| change.net().1).unwrap_or_default();
        let shown = accounts.skip(self.cursor.first(rows)).take(usize::from(rows.height));
        let widths = shown.map(|(_, change)| width(&net_text(change, formatter)));
        (most, widths.max().unwrap_or_default())
    }

    fn header(&self, formatter: &CallFormatter<'_>) -> [(String, Role); 2] {
        let coin = formatter.network.symbol.as_deref().unwrap_or("coin");
        let transfers = match self.changes.transfers {
            _ if !self.is_complete() => "adding up…".into(),
            0 => "none".into(),
            1 => "1 transfer".into(),
            n => format!("{} transfers", group_digits(&n.to_string())),
        };
        let rolled_back = match self.changes.rolled_back {
            0 => String::new(),
            n => format!(" · {} rolled back, not counted", group_digits(&n.to_string())),
        };
        let unreadable = match self.changes.unreadable {
            0 => String::new(),
            n => format!(" · ? {n} unreadable: incomplete"),
        };
        let uncertain = match self.changes.uncertain {
            wei if wei.is_zero() => String::new(),
            wei => {
                let coin = formatter.coin_amount(wei);
                format!(" · ? {coin} selfdestructed to itself: destroyed before Cancun, kept since")
            }
        };
        let destroyed = match self.changes.destroyed {
            wei if wei.is_zero() => String::new(),
            wei => {
                format!(", {} destroyed by a selfdestruct to itself", formatter.coin_amount(wei))
            }
        };
        let minted = match self.changes.minted {
            wei if wei.is_zero() => String::new(),
            wei => format!(", block rewards of {} included", formatter.coin_amount(wei)),
        };
        [
            (
                format!("{coin} balance changes: {transfers}{rolled_back}{unreadable}{uncertain}"),
                Role::Title,
            ),
            (format!("fees not included{minted}{destroyed}"), Role::Dim),
        ]
    }
}

/// Returns the lines below the header.
fn account_area(area: Rect) -> Rect {
    let y = area.y.saturating_add(HEADER_LINES).min(area.bottom());
    Rect { y, height: area.bottom() - y, ..area }
}

/// Draws an account on a line: its net change, a bar of it to the left or to the right, and its name.
fn draw_account(
    (address, change): &(Address, BalanceChange),
    (most, amount_width): (U256, usize),
    painter: &CallPainter<'_>,
    line: Rect,
    buf: &mut Buffer,
) {
    let (is_gain, net) = change.net();
    let cells = match line.width {
        ..BARS_FROM => 0,
        columns => usize::from(columns / 10).min(MAX_BAR_COLUMNS),
    };
    let [lost, gained] = if is_gain { [U256::ZERO, net] } else { [net, U256::ZERO] };
    let mut text = format!("{:>amount_width$}  ", net_text(change, &painter.formatter));
    if !change.uncertain.is_zero() {
        let or = net_text(&change.without_uncertain(), &painter.formatter);
        text = format!("{} or {or}  ", net_text(change, &painter.formatter));
    }
    let bars = [bar_to_left(lost, most, cells), bar(gained, most, cells)];
    let style = painter.styles.of(if is_gain { Role::Ok } else { Role::Failed });
    let dim = painter.styles.of(Role::Dim);
    let [left, right] = bars;
    let axis = if cells > 0 { "│" } else { "" };
    let x = draw_pieces(
        buf,
        line,
        [(&*text, style), (&*left, style), (axis, dim), (&*right, style), ("  ", dim)],
    );
    let rest = Rect { x, width: line.right().saturating_sub(x), ..line };
    let account = account_text(address, change, &painter.formatter, usize::from(rest.width));
    draw_text(&account, rest, Role::Plain, painter.styles, buf);
}

fn net_text(change: &BalanceChange, formatter: &CallFormatter<'_>) -> String {
    let (is_gain, net) = change.net();
    let sign = match (is_gain, net.is_zero()) {
        (_, true) => "±",
        (true, _) => "+",
        (false, _) => "−",
    };
    format!("{sign}{}", formatter.coin_amount(net))
}

fn account_text(
    address: &Address,
    change: &BalanceChange,
    formatter: &CallFormatter<'_>,
    columns: usize,
) -> String {
    let label = formatter.label(address).map(|label| format!("  {label}")).unwrap_or_default();
    let mut text = format!("{address}{label}");
    if width(&text) > columns {
        text = format!("{}{label}", formatter.address(address));
    }
    let gained = formatter.coin_amount(change.gained);
    let in_and_out = format!("  in {gained}  out {}", formatter.coin_amount(change.lost));
    if width(&text) + width(&in_and_out) < columns {
        text.push_str(&in_and_out);
    }
    text
}
