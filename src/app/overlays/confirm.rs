//! Confirmations: lines to read, and an effect to confirm.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Paragraph, Widget, Wrap};

use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::pane::Confirmation;
use crate::ui::popup::Popup;
use crate::ui::theme::{Role, Styles};

pub(super) fn view(
    confirm: &Confirmation,
    screen: Rect,
    buf: &mut Buffer,
    styles: &Styles,
    keys: KeyPlaceholders<'_>,
) {
    let width = screen.width.min(110);
    let inside = usize::from(width.saturating_sub(4)).max(1);
    let lines: usize =
        confirm.lines.iter().map(|l| crate::ui::format::width(l).div_ceil(inside).max(1)).sum();
    let height = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2);
    let title = keys.expand(confirm.title);
    let border = if confirm.effect.is_some() { Role::Warning } else { Role::Accent };
    let popup = Popup::centered(screen, width, height).title(&title).border(border);
    let inner = popup.draw(buf, styles);
    let text: Vec<ratatui::text::Line<'_>> =
        confirm.lines.iter().map(|line| ratatui::text::Line::raw(&**line)).collect();
    Paragraph::new(text).wrap(Wrap { trim: false }).render(inner, buf);
}
