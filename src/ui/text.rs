//! Text on lines of the screen, and bytes as lines of hex digits.

use std::fmt::Write;
use std::ops::Range;

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

/// Returns a whole, half or quarter word of calldata.
pub fn bytes_per_line(width: usize) -> usize {
    [32, 16, 8].into_iter().find(|n| n * 2 + 8 <= width).unwrap_or(4)
}

pub fn hex_line(bytes: &[u8], offset: usize) -> String {
    let mut out = format!("{offset:>6} ");
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

pub fn line_ranges(len: usize, by: usize) -> Vec<Range<usize>> {
    let starts = (0..len.max(1)).step_by(by);
    starts.map(|start| start..(start + by).min(len)).collect()
}
