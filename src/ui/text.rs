//! Text on lines of the screen, and bytes as lines of hex digits.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::format::{cut, fits, width, wrap};

/// The frames of the spinner, and the time that each is shown.
const SPINNER: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠟"];
pub const SPINNER_INTERVAL: Duration = Duration::from_millis(120);

/// Returns the frame of the spinner after some time.
pub fn spinner(elapsed: Duration) -> &'static str {
    let frame = elapsed.as_millis() / SPINNER_INTERVAL.as_millis();
    SPINNER[usize::try_from(frame).unwrap_or(0) % SPINNER.len()]
}

/// Draws at most `max_width` columns of a text from a cell on. Returns the column after it.
pub fn set_text(buf: &mut Buffer, at: Position, text: &str, max_width: usize, style: Style) -> u16 {
    let area = buf.area;
    if !text.chars().all(is_narrow) || !area.contains(at) {
        return buf.set_stringn(at.x, at.y, text, max_width, style).0;
    }
    let columns = usize::from(area.right() - at.x).min(max_width);
    let first = buf.index_of(at.x, at.y);
    let cells = buf.content.get_mut(first..first + columns).unwrap_or_default();
    let mut x = at.x;
    for (cell, symbol) in cells.iter_mut().zip(text.chars()) {
        cell.set_char(symbol).set_style(style);
        x += 1;
    }
    x
}

/// Returns `true` for characters of one column that join no other of them, which are most of what is
/// drawn. Graphemes are looked for in other texts only.
fn is_narrow(c: char) -> bool {
    matches!(c, ' '..='~' | '·' | '…' | '←'..='↓' | '⋅' | '─'..='▟')
}

/// Draws a text on the first line of `area`, cut to its width. Returns the column after it.
pub fn draw_text(buf: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    draw_pieces(buf, area, [(text, style)])
}

/// Draws pieces of text one after the other, cut where they do not fit. Returns the column after the last.
pub fn draw_pieces<S: AsRef<str>>(
    buf: &mut Buffer,
    area: Rect,
    pieces: impl IntoIterator<Item = (S, Style)>,
) -> u16 {
    let mut x = area.x;
    let mut pieces = pieces.into_iter().filter(|(text, _)| !text.as_ref().is_empty()).peekable();
    while let Some((text, style)) = pieces.next() {
        let columns = usize::from(area.right().saturating_sub(x));
        if area.height == 0 || columns == 0 {
            break;
        }
        let whole = text.as_ref();
        // No column is left to show that there is more.
        let is_cut = pieces.peek().is_some() && fits(whole, columns) && !fits(whole, columns - 1);
        let more = if is_cut { [whole, "…"].concat() } else { String::new() };
        let shown = cut(if is_cut { &more } else { whole }, columns);
        x = set_text(buf, Position { x, y: area.y }, &shown, columns, style);
    }
    x
}

/// Shortens text of several styles to some columns, so that no argument of a call or amount is cut: after a
/// whole one or, in a sentence, after a whole word. What has no such place is not shortened.
pub fn fit_words(mut pieces: Vec<(String, Style)>, columns: usize) -> Vec<(String, Style)> {
    let text: String = pieces.iter().map(|(text, _)| &**text).collect();
    let Some(mut left) = last_word_end(&text, columns) else { return pieces };
    pieces.retain_mut(|(piece, _)| {
        let kept = piece.len().min(left);
        left -= kept;
        piece.truncate(kept);
        kept > 0
    });
    if let Some((last, _)) = pieces.last_mut() {
        last.push('…');
    }
    pieces
}

/// Shortens a text like [`fit_words`], or at its end.
pub fn fit_text(text: String, columns: usize) -> String {
    let shown = fit_words(vec![(text, Style::new())], columns);
    shown.iter().map(|(text, _)| cut(text, columns)).collect()
}

/// Returns the bytes to keep of a text that does not fit, before a `…`.
fn last_word_end(text: &str, columns: usize) -> Option<usize> {
    if fits(text, columns) {
        return None;
    }
    // One column is for the `…`.
    let space = columns.checked_sub(1)?;
    let fits_before = |end: &usize| text.get(..*end).is_some_and(|kept| fits(kept, space));
    let is_call = ends_with_arguments(text) || text.contains('→');
    if is_call {
        let ends = |separator: &'static str| {
            text.match_indices(separator).map(|(at, separator)| at + separator.len())
        };
        return ["(", "[", ", ", " · ", "→ "].into_iter().flat_map(ends).filter(fits_before).max();
    }
    let words = text.match_indices(' ').map(|(at, _)| text.get(..at).map_or(at, without_comma));
    words
        .filter(fits_before)
        .max()
        .filter(|end| text.get(..*end).is_some_and(|kept| !fits(kept, columns / 2)))
}

/// Returns `true` for a call or a list, and `false` for a sentence with a note in brackets.
fn ends_with_arguments(text: &str) -> bool {
    let opening = text.find(['(', '[']).and_then(|at| text.get(..at));
    text.ends_with([')', ']']) && opening.is_some_and(|before| !before.ends_with(' '))
}

/// Returns the length of a text without a comma at its end.
fn without_comma(text: &str) -> usize {
    text.trim_end_matches([',', ':']).len()
}

/// Lines of a notice: what there is, a blank one, and a hint. Fewer begin at the same height.
const USUAL_NOTICE_LINES: usize = 3;

/// A line of a notice: its text and style, and the places of keys in it.
pub type NoticeLine<'a> = (Cow<'a, str>, Style, Vec<Range<usize>>);

/// Draws lines of text in the middle of the upper part of an area that has nothing else. Long ones are
/// broken. Keys have a style of their own.
pub fn draw_notice(buf: &mut Buffer, area: Rect, lines: &[NoticeLine<'_>], key_style: Style) {
    let columns = usize::from(area.width).max(2);
    let broken = lines.iter().flat_map(|(text, style, keys)| {
        wrap(text, columns).into_iter().map(move |part| (&**text, part, *style, keys))
    });
    let parts: Vec<_> = broken.collect();
    let above = usize::from(area.height).saturating_sub(parts.len().max(USUAL_NOTICE_LINES)) / 3;
    for ((text, part, style, keys), line) in parts.into_iter().zip(area.rows().skip(above)) {
        let shown = width(text.get(part.clone()).unwrap_or_default().trim_end());
        let left = u16::try_from(columns.saturating_sub(shown) / 2).unwrap_or(0);
        let x = line.x.saturating_add(left);
        let pieces = styled_parts(text, part, keys, (style, key_style));
        draw_pieces(buf, Rect { x, ..line }.intersection(line), pieces);
    }
}

/// Divides a part of a text into its keys and what is between them.
pub fn styled_parts<'a>(
    text: &'a str,
    part: Range<usize>,
    keys: &[Range<usize>],
    (plain, key_style): (Style, Style),
) -> Vec<(&'a str, Style)> {
    let mut pieces = Vec::new();
    let mut at = part.start;
    for key in keys.iter().filter(|key| part.start <= key.start && key.end <= part.end) {
        pieces.push((text.get(at..key.start).unwrap_or_default(), plain));
        pieces.push((text.get(key.clone()).unwrap_or_default(), key_style));
        at = key.end;
    }
    pieces.push((text.get(at..part.end).unwrap_or_default(), plain));
    pieces
}

/// Returns a whole, half or quarter word of calldata.
pub fn bytes_per_line(width: usize) -> usize {
    let offset = usize::from(HEX_OFFSET_COLUMNS);
    [32, 16, 8].into_iter().find(|n| n * 2 + offset <= width).unwrap_or(4)
}

/// Columns of the number of a line of bytes.
pub const HEX_OFFSET_COLUMNS: u16 = 7;
/// Columns of a line of 32 bytes after its number.
pub const WORD_LINE_COLUMNS: u16 = HEX_OFFSET_COLUMNS + 64;

pub fn hex_line(bytes: &[u8], offset: usize) -> String {
    hex_offset(offset) + &hex_digits(bytes)
}

/// Returns the beginning of a line of bytes.
pub fn hex_offset(offset: usize) -> String {
    format!("{offset:>6} ")
}

pub fn hex_digits(bytes: &[u8]) -> String {
    alloy_primitives::hex::encode(bytes)
}

pub fn line_ranges(len: usize, by: usize) -> Vec<Range<usize>> {
    let starts = (0..len.max(1)).step_by(by);
    starts.map(|start| start..(start + by).min(len)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_and_amounts_are_not_cut() {
        for (text, columns, shown) in [
            ("swap(bob.eth, 2,500 GLD)", 24, "swap(bob.eth, 2,500 GLD)"),
            ("swap(bob.eth, 2,500 GLD)", 23, "swap(bob.eth, …"),
            ("swap(bob.eth, 2,500 GLD)", 10, "swap(…"),
            ("swap(bob.eth, 2,500 GLD)", 4, "swa…"),
            ("→ 5,001,000 GLD, 4,99 WTH", 24, "→ 5,001,000 GLD, …"),
            ("→ 5,001,000 GLD, 4,99 WTH", 12, "→ …"),
            ("went wrong, because of reasons", 26, "went wrong, because of…"),
            ("went wrong, because of reasons", 14, "went wrong…"),
            ("Panic(0x11): arithmetic overflow", 26, "Panic(0x11): arithmetic…"),
            ("Ownable: caller, not the owner (0x12)", 34, "Ownable: caller, not the owner…"),
            ("[bob.eth, 2,500 GLD]", 14, "[bob.eth, …"),
        ] {
            assert_eq!(fit_text(text.to_owned(), columns), shown, "{text} {columns}");
        }
    }

    proptest! {
        #[test]
        fn text_is_drawn_as_ratatui_draws_it(
            text in "[a-z …→─▌·美é\\u{301}\\u{600}\\u{200d}]{0,12}",
            x in 0_u16..14,
            max_width in 0_usize..12,
        ) {
            let area = Rect::new(2, 1, 9, 2);
            let [mut drawn, mut expected] = [(); 2].map(|()| Buffer::empty(area));
            let (x, style) = (x.clamp(area.x, area.right() - 1), Style::new().bold());
            let end = set_text(&mut drawn, Position { x, y: 2 }, &text, max_width, style);
            prop_assert_eq!((end, 2), expected.set_stringn(x, 2, &text, max_width, style));
            prop_assert_eq!(drawn, expected);
        }
    }
}
