//! Drawing of a document.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{CodeLine, Document, DocumentEntry, DocumentLine, EntryValue, cells, code};
use crate::chain::Address;
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format::{cut, width};
use crate::ui::selection::draw_selection;
use crate::ui::text::{WORD_LINE_COLUMNS, hex_digits, hex_offset};
use crate::ui::theme::{Role, Styles};

/// Columns between text and an area to the right of it.
const AREA_GAP: u16 = 2;

impl Document {
    /// Draws the visible lines and the cursor. `highlight` is the address to highlight.
    pub fn view(&self, area: Rect, highlight: Option<Address>, buf: &mut Buffer, styles: &Styles) {
        self.draw_lines(area, highlight, buf, styles);
        let selected = self.selected_lines(area.height.into());
        let lines = self.viewport.visible(self.lines.len(), usize::from(area.height));
        for (row, _) in area.rows().zip(lines).filter(|(_, line)| selected.contains(line)) {
            match (self.selected().map(|entry| &entry.value), self.selected_cell()) {
                (Some(EntryValue::Cells(all)), Some(cell)) => {
                    cells::draw_selection(all, cell, row, buf, styles);
                }
                _ => draw_selection(buf, row, styles.selection()),
            }
        }
    }

    /// Returns the free area to the right of the visible lines from an unfolded entry on, the last outermost one of its
    /// label, at the end of the document.
    pub fn area_after(&self, label: &str, area: Rect) -> Option<Rect> {
        let visible = self.viewport.visible(self.lines.len(), usize::from(area.height));
        let lines = self.lines.get(visible)?;
        let is_head = |line: &DocumentLine| {
            let entry = self.entries.get(line.entry).filter(|entry| entry.level == 0);
            entry.is_some_and(|entry| &*entry.label == label && entry.open == Some(true))
        };
        let head = lines.iter().rposition(is_head)?;
        let y = area.rows().nth(head)?.y;
        let ends = lines.get(head + 1..)?.iter().map(|line| self.line_end(line));
        let x = area
            .x
            .saturating_add(ends.max()?)
            .saturating_add(AREA_GAP)
            .max(area.x + area.width / 2);
        let (right, height) = (area.right(), area.bottom() - y);
        (x < right).then(|| Rect { x, y, width: right - x, height })
    }

    /// Returns the column after the text of a line.
    fn line_end(&self, line: &DocumentLine) -> u16 {
        let Some(entry) = self.entries.get(line.entry) else { return 0 };
        let columns = match &entry.value {
            EntryValue::Text(text) => width(text.get(line.range.clone()).unwrap_or_default()),
            EntryValue::Hex(_) => WORD_LINE_COLUMNS.into(),
            EntryValue::Cells(_) | EntryValue::Code(_) | EntryValue::Rule(_) => 0,
        };
        let mark = if entry.mark.is_some() { MARK_WIDTH } else { 0 };
        line.left.saturating_add(mark).saturating_add(u16::try_from(columns).unwrap_or(u16::MAX))
    }

    /// Draws the visible lines of a document without focus.
    pub fn draw_lines(
        &self,
        area: Rect,
        highlight: Option<Address>,
        buf: &mut Buffer,
        styles: &Styles,
    ) {
        let visible = self.viewport.visible(self.lines.len(), usize::from(area.height));
        let lines = self.lines.get(visible).unwrap_or_default();
        for (line, row) in lines.iter().zip(area.rows()) {
            let Some(entry) = self.entries.get(line.entry) else { continue };
            match &entry.value {
                EntryValue::Cells(all) => cells::draw_cells(all, row, highlight, buf, styles),
                EntryValue::Rule(rule) => rule.draw(row, buf, styles),
                EntryValue::Text(_) | EntryValue::Hex(_) | EntryValue::Code(_) => {
                    let highlight = highlight.filter(|_| entry.address() == highlight);
                    let style = highlight.map(|_| styles.of(Role::Highlight)).unwrap_or_default();
                    draw_line((entry, style), line, row, buf, styles);
                }
            }
        }
    }
}

fn draw_line(
    (entry, highlight): (&DocumentEntry, Style),
    line: &DocumentLine,
    at: Rect,
    buf: &mut Buffer,
    styles: &Styles,
) {
    let (indent, left) = (line.label, line.left);
    if line.has_label && !entry.label.is_empty() {
        let mark = match entry.open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "",
        };
        let text = format!("{:1$}{mark}{2}", "", usize::from(indent), entry.label);
        let width = usize::from(left.saturating_sub(1));
        buf.set_stringn(at.x, at.y, cut(&text, width), width, styles.of(entry.label_role()));
    }
    let Range { start, end } = line.range;
    let rest = |x: u16| usize::from(at.right().saturating_sub(x));
    let mut x = at.x.saturating_add(left);
    let (head, value, side_note): (Cow<'_, str>, Cow<'_, str>, _) = match &entry.value {
        EntryValue::Code(code) => {
            let part = (start..end, line.has_label);
            return draw_code((code, entry.role), part, (at, x), buf, styles);
        }
        EntryValue::Text(text) => {
            let head = entry.head.clamp(start, end);
            let note = text.len().saturating_sub(entry.side_note).clamp(head, end);
            let part = |range: Range<usize>| text.get(range).unwrap_or_default();
            (part(start..head).into(), part(head..note).into(), part(note..end))
        }
        EntryValue::Hex(_) if start == end => return,
        EntryValue::Hex(bytes) => {
            let digits = hex_digits(bytes.get(start..end).unwrap_or_default());
            (hex_offset(start).into(), digits.into(), "")
        }
        EntryValue::Cells(_) | EntryValue::Rule(_) => return,
    };
    if let Some(mark) = entry.mark {
        if start == 0 && end > 0 {
            mark.draw(buf, x, at.y, styles);
        }
        x = x.saturating_add(MARK_WIDTH);
    }
    let head_role = match (&entry.value, &entry.link) {
        (EntryValue::Hex(_), _) => Role::Dim,
        (_, Some(_)) => Role::Link,
        (_, None) => Role::Title,
    };
    let (mut x, _) = buf.set_stringn(x, at.y, head, rest(x), styles.of(head_role));
    let style = styles.of(entry.role).patch(highlight);
    for (part, role) in parts_of(entry, &value, line.range.start) {
        let style = if role == Role::Plain { style } else { style.patch(styles.of(role)) };
        (x, _) = buf.set_stringn(x, at.y, part, rest(x), style);
    }
    let blank = value.get(value.trim_end().len()..).unwrap_or_default();
    let (x, _) = buf.set_stringn(x, at.y, blank, rest(x), Style::new());
    buf.set_stringn(x, at.y, side_note, rest(x), styles.of(Role::Dim));
}

/// Returns the parts of a line's text, which begins at a byte of all text, without blanks at its end.
fn parts_of<'t>(entry: &DocumentEntry, line: &'t str, start: usize) -> Vec<(&'t str, Role)> {
    let shown = line.trim_end();
    let mut from = 0;
    let mut parts = Vec::new();
    for (part_end, role) in entry.parts.iter().copied().chain([(usize::MAX, Role::Plain)]) {
        let end = part_end.saturating_sub(start).min(shown.len());
        if let Some(part) = shown.get(from..end).filter(|part| !part.is_empty()) {
            parts.push((part, role));
            from = end;
        }
    }
    parts
}

/// Draws a part of a line of code, with its number if it is the first. A line with a role has a mark at its number.
fn draw_code(
    (code, role): (&CodeLine, Role),
    (shown, is_first): (Range<usize>, bool),
    (at, mut x): (Rect, u16),
    buf: &mut Buffer,
    styles: &Styles,
) {
    let (mark, role) = if role == Role::Plain { ("", Role::Dim) } else { ("▸", role) };
    let digits = usize::from(code::NUMBER_WIDTH) - 1;
    let number = format!("{mark}{:>1$}", code.number, digits - mark.chars().count());
    if is_first {
        let start = x.saturating_sub(code::NUMBER_WIDTH);
        buf.set_stringn(start, at.y, number, usize::from(at.width), styles.of(role));
    }
    for (token, role) in code.tokens() {
        let text = token.start.max(shown.start)..token.end.min(shown.end);
        let text = code.text.get(text).unwrap_or_default();
        let columns = usize::from(at.right().saturating_sub(x));
        (x, _) = buf.set_stringn(x, at.y, cut(text, columns), columns, styles.of(role));
    }
}
