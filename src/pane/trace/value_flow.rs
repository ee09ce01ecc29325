//! The table of who gained and lost.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::call_labels::CallFormatter;
use crate::chain::amount::group_digits;
use crate::trace::value_flow::BalanceChanges;
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// Lines before the first account.
const HEADER_LINES: usize = 2;

/// Draws the flow, with `selected` of its accounts marked.
pub(super) fn draw(
    (flow, selected): (&BalanceChanges, usize),
    names: &CallFormatter<'_>,
    area: Rect,
    buf: &mut Buffer,
    styles: &Styles,
) {
    let room = usize::from(area.width);
    let mut lines = area.rows();
    for (text, role) in header(flow).into_iter().zip([Role::Title, Role::Dim]) {
        let Some(line) = lines.next() else { return };
        buf.set_stringn(line.x, line.y, cut(&text, room), room, styles.of(role));
    }
    let (top, height) = visible_range(selected, area);
    let shown = flow.accounts.iter().enumerate().skip(top).take(height);
    for ((n, (address, account)), line) in shown.zip(lines.by_ref()) {
        let (gained, net) = account.net();
        let sign = match (gained, net.is_zero()) {
            (_, true) => "±",
            (true, _) => "+",
            (false, _) => "−",
        };
        let amount = format!("{sign}{}", names.coin_amount(net));
        let label = names.label(address).map(|l| format!("  {l}")).unwrap_or_default();
        let sides = format!(
            "  in {}  out {}",
            names.coin_amount(account.gained),
            names.coin_amount(account.lost)
        );
        let who = format!("{address}{label}");
        let left = room.saturating_sub(width(&amount) + 1);
        let who =
            if width(&who) > left { format!("{}{label}", names.address(address)) } else { who };
        let sides = if width(&who) + width(&sides) < left { sides } else { String::new() };
        let role = if gained { Role::Ok } else { Role::Failed };
        buf.set_stringn(line.x, line.y, cut(&(who + &sides), left), left, styles.of(Role::Plain));
        let x = line.right().saturating_sub(u16::try_from(width(&amount)).unwrap_or(0));
        buf.set_string(x.max(line.x), line.y, cut(&amount, room), styles.of(role));
        if n == selected {
            buf.set_style(line, styles.selection());
        }
    }
    if let Some(line) = lines.next() {
        buf.set_stringn(
            line.x,
            line.y,
            cut(&balance_check(flow, names), room),
            room,
            styles.of(Role::Dim),
        );
    }
}

/// The first account in sight, and how many are.
fn visible_range(selected: usize, area: Rect) -> (usize, usize) {
    let height = usize::from(area.height).saturating_sub(HEADER_LINES + 1).max(1);
    (selected.saturating_sub(height - 1), height)
}

/// The account that is drawn on the screen's line `y`.
pub(super) fn account_at(
    flow: &BalanceChanges,
    selected: usize,
    area: Rect,
    y: u16,
) -> Option<usize> {
    let (top, height) = visible_range(selected, area);
    let below = usize::from(y.checked_sub(area.y)?).checked_sub(HEADER_LINES)?;
    Some(top + below).filter(|n| below < height && *n < flow.accounts.len())
}

fn header(flow: &BalanceChanges) -> [String; 2] {
    let undone = match flow.rolled_back {
        0 => String::new(),
        n => format!(" · {} failed or undone, left out", group_digits(&n.to_string())),
    };
    let unread = match flow.unreadable {
        0 => String::new(),
        n => format!(" · ? {n} cannot be read: this is not all of it"),
    };
    let moves = group_digits(&flow.transfers.to_string());
    [
        format!("Value flow: {moves} kept moves of the coin{undone}{unread}"),
        "calls, creations and selfdestructs; without fees, which no call carries".into(),
    ]
}

/// The proof that nothing was lost on the way.
fn balance_check(flow: &BalanceChanges, names: &CallFormatter<'_>) -> String {
    match (flow.minted.is_zero(), flow.unreadable) {
        (_, 1..) => "the nets sum to ?: not every move can be read".into(),
        (true, 0) => "the nets sum to zero".into(),
        (false, 0) => format!("minted {}: the nets sum to it", names.coin_amount(flow.minted)),
    }
}
