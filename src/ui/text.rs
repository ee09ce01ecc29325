//! Draws text on lines of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::cut;

/// Draws a text on the first line of `area`, cut to its width. Returns the column after it.
pub fn draw_text(buf: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    draw_pieces(buf, area, [(text, style)])
}

/// Draws pieces of text one after the other. Returns the column after the last.
pub fn draw_pieces<S: AsRef<str>>(
    buf: &mut Buffer,
    area: Rect,
    pieces: impl IntoIterator<Item = (S, Style)>,
) -> u16 {
    let mut x = area.x;
    for (text, style) in pieces {
        let columns = usize::from(area.right().saturating_sub(x));
        if area.height > 0 && columns > 0 {
            x = buf.set_stringn(x, area.y, cut(text.as_ref(), columns), columns, style).0;
        }
    }
    x
}
