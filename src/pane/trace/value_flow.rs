//! The view of balance changes: the accounts that gained or lost native coins.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::call_labels::CallFormatter;
use super::draw::draw_text;
use crate::chain::Address;
use crate::chain::amount::group_digits;
use crate::trace::CallTree;
use crate::trace::value_flow::{BalanceChange, BalanceChanges, balance_changes};
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// Lines above the first account.
const HEADER_LINES: u16 = 2;

/// The balance changes of a trace and the selected account.
#[derive(Debug)]
pub(super) struct ValueFlowView {
    changes: BalanceChanges,
    selected: usize,
}

impl ValueFlowView {
    pub(super) fn new(tree: &CallTree) -> Self {
        Self { changes: balance_changes(tree), selected: 0 }
    }

    pub(super) fn selected_account(&self) -> Option<Address> {
        self.changes.accounts.get(self.selected).map(|(address, _)| *address)
    }

    pub(super) fn move_selection(&mut self, by: isize) {
        let last = self.changes.accounts.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Selects the account at a position. Returns whether it was selected before, or `None` if there is
    /// no account.
    pub(super) fn click(&mut self, at: Position, area: Rect) -> Option<bool> {
        let rows = account_area(area);
        let row = rows.contains(at).then(|| usize::from(at.y - rows.y))?;
        let account = self.first_account(rows) + row;
        (account < self.changes.accounts.len())
            .then(|| std::mem::replace(&mut self.selected, account) == account)
    }

    fn first_account(&self, rows: Rect) -> usize {
        self.selected.saturating_sub(usize::from(rows.height).saturating_sub(1))
    }

    pub(super) fn draw(
        &self,
        formatter: &CallFormatter<'_>,
        area: Rect,
        buf: &mut Buffer,
        styles: &Styles,
    ) {
        for (line, (text, role)) in area.rows().zip(self.header(formatter)) {
            draw_text(&text, line, role, styles, buf);
        }
        let rows = account_area(area);
        let first = self.first_account(rows);
        for (row, (address, change)) in rows.rows().zip(self.changes.accounts.iter().skip(first)) {
            draw_account(*address, change, formatter, row, buf, styles);
            if usize::from(row.y - rows.y) + first == self.selected {
                buf.set_style(row, styles.selection());
            }
        }
    }

    fn header(&self, formatter: &CallFormatter<'_>) -> [(String, Role); 2] {
        let coin = formatter.network.symbol.as_deref().unwrap_or("coin");
        let transfers = match self.changes.transfers {
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
        let minted = match self.changes.minted {
            wei if wei.is_zero() => String::new(),
            wei => format!(", block rewards of {} included", formatter.coin_amount(wei)),
        };
        [
            (format!("{coin} balance changes: {transfers}{rolled_back}{unreadable}"), Role::Title),
            (format!("fees not included{minted}"), Role::Dim),
        ]
    }
}

/// Returns the lines below the header.
fn account_area(area: Rect) -> Rect {
    let y = area.y.saturating_add(HEADER_LINES).min(area.bottom());
    Rect { y, height: area.bottom() - y, ..area }
}

fn draw_account(
    address: Address,
    change: &BalanceChange,
    formatter: &CallFormatter<'_>,
    line: Rect,
    buf: &mut Buffer,
    styles: &Styles,
) {
    let (is_gain, net) = change.net();
    let sign = match (is_gain, net.is_zero()) {
        (_, true) => "±",
        (true, _) => "+",
        (false, _) => "−",
    };
    let amount = format!("{sign}{}", formatter.coin_amount(net));
    let left_width = usize::from(line.width).saturating_sub(width(&amount) + 1);
    let label = formatter.label(&address).map(|label| format!("  {label}")).unwrap_or_default();
    let mut left = format!("{address}{label}");
    if width(&left) > left_width {
        left = format!("{}{label}", formatter.address(&address));
    }
    let gained = formatter.coin_amount(change.gained);
    let in_and_out = format!("  in {gained}  out {}", formatter.coin_amount(change.lost));
    if width(&left) + width(&in_and_out) < left_width {
        left.push_str(&in_and_out);
    }
    let left = cut(&left, left_width);
    buf.set_stringn(line.x, line.y, left, left_width, styles.of(Role::Plain));
    let x = line.right().saturating_sub(u16::try_from(width(&amount)).unwrap_or(0)).max(line.x);
    let role = if is_gain { Role::Ok } else { Role::Failed };
    buf.set_string(x, line.y, cut(&amount, usize::from(line.width)), styles.of(role));
}
