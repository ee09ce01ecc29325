//! The lines of a picker: names, keys next to them, and details, or columns with keys at the right.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::entry::{EntryDetail, PickerEntry};
use super::query_match::{FuzzyMatcher, QueryTerm};
use crate::chain::hash_abbreviation::keep_ends;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// Below this width only the selected entry has a detail.
pub(super) const NARROW_WIDTH: u16 = 60;
/// Columns before a name.
const LEAD_WIDTH: usize = 2;
/// Columns between the parts of a line.
const GAP: usize = 2;
/// Minimum columns of a cell that is shortened.
const MIN_CELL_WIDTH: usize = 16;
/// Minimum columns of the last cell, a list that is cut after any of its items.
const MIN_LIST_WIDTH: usize = 12;

pub(super) struct PickerColumns<'a> {
    name: usize,
    detail: usize,
    /// Columns of the cells that fit, with `true` for numbers.
    cells: Vec<(usize, bool)>,
    right: usize,
    styles: &'a Styles,
}

impl<'a> PickerColumns<'a> {
    pub(super) fn new(
        space: u16,
        (header, shown): (Option<&PickerEntry>, &[&PickerEntry]),
        styles: &'a Styles,
    ) -> Self {
        let rest = usize::from(space).saturating_sub(LEAD_WIDTH);
        let lines = || header.into_iter().chain(shown.iter().copied());
        let widest = |part: fn(&PickerEntry) -> &SafeText| {
            lines().map(|entry| width(part(entry))).max().unwrap_or(0)
        };
        let right = widest(|entry| &entry.right).min(rest / 3);
        let rest = rest.saturating_sub(right + GAP);
        if space + 2 < NARROW_WIDTH {
            return Self { name: rest, detail: 0, cells: Vec::new(), right, styles };
        }
        let name = widest(|entry| &entry.name).min(rest / 2);
        let detail = rest.saturating_sub(name + GAP);
        let mut cells: Vec<usize> = Vec::new();
        for entry in lines() {
            let EntryDetail::Cells(texts) = &entry.detail else { continue };
            cells.resize(cells.len().max(texts.len()), 0);
            for (columns, text) in cells.iter_mut().zip(texts) {
                *columns = width(text).max(*columns);
            }
        }
        let is_number = |column: usize| {
            let texts = shown.iter().filter_map(|entry| match &entry.detail {
                EntryDetail::Cells(texts) => texts.get(column),
                _ => None,
            });
            texts.clone().next().is_some()
                && texts.flat_map(|text| text.bytes()).all(|c| c.is_ascii_digit())
        };
        let fitted = fit_cells(cells, detail).into_iter().enumerate();
        let cells = fitted.map(|(column, columns)| (columns, is_number(column))).collect();
        let texts = lines().map(|entry| match &entry.detail {
            EntryDetail::Text(text) => width(text),
            EntryDetail::Address(_) | EntryDetail::Cells(_) => detail,
        });
        let detail = texts.max().unwrap_or(0).min(detail);
        Self { name, detail, cells, right, styles }
    }

    /// Draws cells. The last has the space to the end of the line.
    fn draw_cells(&self, texts: &[SafeText], terms: &[QueryTerm], line: Rect, buf: &mut Buffer) {
        let mut finder = FuzzyMatcher::default();
        let mut x = line.x;
        let shown = texts.get(..self.cells.len()).unwrap_or(texts);
        for ((n, text), (columns, is_number)) in texts.iter().enumerate().zip(&self.cells) {
            let mut hits = Vec::new();
            for term in terms {
                finder.append_positions(&term.whole, text, &mut hits);
            }
            let style = self.styles.of(Role::Dim);
            let has_commas = text.contains(", ");
            let is_last = n + 1 == shown.len();
            let space = if is_last { line.right().saturating_sub(x).into() } else { *columns };
            let text = if has_commas { cut_list(text, space) } else { cut(text, space) };
            let before = if *is_number { columns.saturating_sub(width(&text)) } else { 0 };
            let at = x.saturating_add(u16::try_from(before).unwrap_or(u16::MAX));
            draw_highlighted(buf, (at, line.y), (&text, &hits), style, self.styles);
            x = x.saturating_add(u16::try_from(columns + GAP).unwrap_or(u16::MAX));
        }
    }

    pub(super) fn draw(
        &self,
        entry: &PickerEntry,
        terms: &[QueryTerm],
        line: Rect,
        buf: &mut Buffer,
    ) {
        let styles = self.styles;
        let plain = styles.of(if entry.dim { Role::Dim } else { Role::Plain });
        let [name, detail] = &FuzzyMatcher::default().match_positions(terms, entry);
        let column = |used: usize| line.x.saturating_add(u16::try_from(used).unwrap_or(u16::MAX));
        buf.set_stringn(line.x, line.y, entry.sign, LEAD_WIDTH, styles.of(Role::Accent));
        let at = (column(LEAD_WIDTH), line.y);
        draw_highlighted(buf, at, (&cut(&entry.name, self.name), name), plain, styles);
        let after_name = column(LEAD_WIDTH + self.name + GAP);
        let right = cut(&entry.right, self.right);
        let edge = column(usize::from(line.width).saturating_sub(width(&right)));
        let right_x = match &entry.detail {
            EntryDetail::Cells(texts) => {
                let gap = if right.is_empty() { 0 } else { GAP };
                let end = column(usize::from(edge - line.x).saturating_sub(gap));
                let cells = Rect { x: after_name, width: end.saturating_sub(after_name), ..line };
                self.draw_cells(texts, terms, cells, buf);
                edge
            }
            _ if self.detail > 0 => {
                let right = if self.right == 0 { 0 } else { self.right + GAP };
                let at = (column(LEAD_WIDTH + self.name + GAP + right), line.y);
                let whole = entry.detail.text();
                let text = if detail.is_empty() && whole.starts_with("0x") {
                    keep_ends(&whole, self.detail / 2, (self.detail - 1) / 2).into()
                } else {
                    cut(&whole, self.detail)
                };
                draw_highlighted(buf, at, (&text, detail), styles.of(Role::Dim), styles);
                after_name
            }
            _ => edge,
        };
        let role = if entry.has_key && !entry.dim { Role::Accent } else { Role::Dim };
        buf.set_stringn(right_x, line.y, right, self.right, styles.of(role));
    }
}

/// Draws entries, one of them selected, as many as there are lines for.
pub(super) fn draw_entries(
    area: Rect,
    buf: &mut Buffer,
    (shown, selected): (&[&PickerEntry], Option<usize>),
    terms: &[QueryTerm],
    columns: &PickerColumns<'_>,
) {
    for ((n, entry), line) in shown.iter().enumerate().zip(area.rows()) {
        columns.draw(entry, terms, line, buf);
        if selected == Some(n) {
            buf.set_style(line, columns.styles.selection());
        }
    }
}

/// Returns the columns of cells in so many columns: the last one is shortened, or left out, and then the widest is
/// shortened, else the last are left out.
fn fit_cells(mut cells: Vec<usize>, space: usize) -> Vec<usize> {
    let all = cells.len();
    while !cells.is_empty() {
        let mut fitted = cells.clone();
        let used = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>();
        let missing = used(&fitted).saturating_sub(space + GAP);
        let has_list = fitted.len() == all;
        if let Some(last) = fitted.last_mut().filter(|last| has_list && **last > MIN_LIST_WIDTH) {
            *last = last.saturating_sub(missing).max(MIN_LIST_WIDTH);
        }
        while !has_list
            && used(&fitted) > space + GAP
            && let Some(widest) = fitted.iter_mut().max().filter(|width| **width > MIN_CELL_WIDTH)
        {
            *widest -= 1;
        }
        if used(&fitted) <= space + GAP {
            return fitted;
        }
        cells.pop();
    }
    cells
}

/// Cuts a text to so many columns, after a whole item of a list with commas.
fn cut_list(text: &str, columns: usize) -> Cow<'_, str> {
    let shown = cut(text, columns);
    match shown.strip_suffix('…').and_then(|part| part.rsplit_once(", ")) {
        Some((whole, _)) => format!("{whole}, …").into(),
        None => shown,
    }
}

/// Draws a text with the characters at some positions marked.
pub(in crate::app::overlays) fn draw_highlighted(
    buf: &mut Buffer,
    (mut x, y): (u16, u16),
    (text, marks): (&str, &[u32]),
    plain: Style,
    styles: &Styles,
) {
    let marked = styles.of(Role::Accent).add_modifier(Modifier::UNDERLINED);
    let mut number = 0;
    for grapheme in text.graphemes(true) {
        let end = number + u32::try_from(grapheme.chars().count()).unwrap_or(0);
        let hit = marks.iter().any(|mark| (number..end).contains(mark));
        x = buf.set_stringn(x, y, grapheme, usize::MAX, if hit { marked } else { plain }).0;
        number = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widest_cells_are_shortened() {
        assert_eq!(fit_cells(vec![5, 40, 27], 80), [5, 40, 27]);
        assert_eq!(fit_cells(vec![5, 40, 27], 66), [5, 40, 17]);
        assert_eq!(fit_cells(vec![5, 40, 27], 61), [5, 40, 12]);
        assert_eq!(fit_cells(vec![5, 40, 27], 60), [5, 40], "a host is not shortened for its list");
        assert_eq!(fit_cells(vec![5, 40, 27], 30), [5, 23]);
        assert_eq!(fit_cells(vec![5, 40, 27], 20), [5], "so is a host of which too little is left");
    }

    #[test]
    fn lists_are_cut_after_a_whole_item() {
        assert_eq!(cut_list("arb, arbitrum, arbitrum-one", 20), "arb, arbitrum, …");
        assert_eq!(cut_list("arb, arbitrum", 20), "arb, arbitrum");
    }
}
