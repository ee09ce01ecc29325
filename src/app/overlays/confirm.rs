//! Confirmations: lines to read, and an effect to confirm.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::pane::Confirmation;
use crate::ui::format::wrapped_lines;
use crate::ui::popup::Popup;
use crate::ui::text::draw_text;
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
    let lines: Vec<_> = confirm
        .lines
        .iter()
        .flat_map(|line| indented_lines(line, confirm.indent, inside))
        .collect();
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let title = keys.expand(confirm.title);
    let border = if confirm.effect.is_some() { Role::Warning } else { Role::Accent };
    let popup = Popup::centered(screen, width, height).title(&title).border(border);
    let inner = popup.draw(buf, styles);
    for ((label, text), line) in lines.into_iter().zip(inner.rows()) {
        draw_text(buf, line, label, styles.of(Role::Dim));
        let indent = u16::try_from(confirm.indent).unwrap_or(u16::MAX).min(line.width);
        let rest = Rect { x: line.x + indent, width: line.width - indent, ..line };
        draw_text(buf, rest, text, styles.of(Role::Plain));
    }
}

/// Breaks a line into its label, which stands on the first of its lines, and the parts of the rest.
fn indented_lines(line: &str, indent: usize, columns: usize) -> Vec<(&str, &str)> {
    let (label, text) = line.split_at_checked(indent).unwrap_or(("", line));
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels.zip(wrapped_lines(text, columns.saturating_sub(indent).max(2))).collect()
}
