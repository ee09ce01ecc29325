//! Lines of cells, each of which can be copied and opened: the rows of panels side by side.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::frame::{draw_frame_title, draw_rule};
use super::super::selection;
use super::super::table::{Align, RowCell, TableCell, draw_row};
use super::super::theme::{Role, Styles};
use super::{Document, DocumentEntry, DocumentLine, EntryLink, EntryValue};
use crate::action::Step;
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId};
use crate::sanitize::SafeText;
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::text::{hex_digits, hex_offset};

/// The columns between two facts, for a dot.
const FACT_GAP: u16 = 3;
/// Separates two panels.
const DIVIDER: &str = "│";

/// A piece of a line.
#[derive(Debug, Clone)]
pub struct EntryCell {
    /// First column in the document.
    pub x: u16,
    pub cell: TableCell,
    pub copy: Option<SafeText>,
    pub link: Option<EntryLink>,
}

/// A line across the document, with the title of the panel below, or of two panels side by side.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    pub title: Cow<'static, str>,
    pub split: Option<RuleSplit>,
}

/// Begin or end of the border between panels side by side.
#[derive(Debug, Clone)]
pub struct RuleSplit {
    pub x: u16,
    pub joint: &'static str,
    /// Title of the panel to the right.
    pub title: Cow<'static, str>,
}

impl Rule {
    pub(super) fn titles(&self) -> impl Iterator<Item = &str> {
        let right = self.split.as_ref().map(|split| &*split.title);
        [&*self.title].into_iter().chain(right)
    }

    /// Draws the rule across the pane around a line of text.
    pub fn draw(&self, text: Rect, buf: &mut Buffer, styles: &Styles) {
        let line = up_to_frame(text, buf);
        draw_rule(buf, line, styles.of(Role::Border));
        let from = |x: u16| Rect { x, width: line.right().saturating_sub(x), ..line };
        let mut titles = vec![(line.x.saturating_sub(1), &*self.title)];
        if let Some(RuleSplit { x, joint, title }) = &self.split {
            buf.set_stringn(text.x + x, line.y, joint, 1, styles.of(Role::Border));
            titles.push((text.x + x, title));
        }
        for (x, title) in titles.into_iter().filter(|(_, title)| !title.is_empty()) {
            draw_frame_title(buf, from(x), title, styles.in_frame(Role::Title));
        }
    }
}

impl EntryCell {
    pub fn new(text: impl Into<SafeText>, role: Role) -> Self {
        let text = text.into().to_string();
        Self { x: 0, cell: TableCell::new(text, role), copy: None, link: None }
    }

    /// Returns a cell that leads to a block.
    pub fn block(number: u64) -> Self {
        let link = EntryLink::Target(TargetKind::Block(BlockId::Number(number)));
        Self::new(format!("block {number}"), Role::Link).link(link).copy(number.to_string())
    }

    pub fn divider(x: u16) -> Self {
        Self { x, ..Self::new(DIVIDER, Role::Border) }
    }

    #[must_use]
    pub fn at(self, x: u16) -> Self {
        Self { x, ..self }
    }

    #[must_use]
    pub fn copy(self, text: impl Into<SafeText>) -> Self {
        Self { copy: Some(text.into()), ..self }
    }

    /// Gives the cell a link, which is also copied if it is an address.
    #[must_use]
    pub fn link(mut self, link: EntryLink) -> Self {
        self.cell.address = link.address();
        self.copy = link.address().map(|address| address.to_string().into());
        Self { link: Some(link), ..self }
    }

    pub fn width(&self) -> u16 {
        self.cell.extent(Align::Left).width()
    }

    pub fn end(&self) -> u16 {
        self.x.saturating_add(self.width())
    }

    fn is_selectable(&self) -> bool {
        self.copy.is_some() || self.link.is_some()
    }

    /// Returns the amount in the smallest unit that the cell copies.
    fn amount(&self) -> Option<&SafeText> {
        let is_amount =
            matches!(self.cell.role, Role::Value | Role::Ok | Role::Loss | Role::Failed);
        let is_number = |text: &&SafeText| text.bytes().all(|byte| byte.is_ascii_digit());
        self.copy.as_ref().filter(|_| is_amount).filter(is_number)
    }

    fn is_divider(&self) -> bool {
        self.cell.role == Role::Border
    }
}

/// Lays cells out between two columns, `gap` apart, and on further lines.
pub fn flow_cells(
    cells: impl IntoIterator<Item = EntryCell>,
    (left, right): (u16, u16),
    gap: u16,
) -> Vec<Vec<EntryCell>> {
    let mut lines: Vec<Vec<EntryCell>> = Vec::new();
    for cell in cells {
        let after = lines.last().and_then(|line| line.last()).map(|last| last.end() + gap);
        let fits = after.filter(|x| x.saturating_add(cell.width()) <= right);
        let cell = cell.at(fits.unwrap_or(left));
        match lines.last_mut().filter(|_| fits.is_some()) {
            Some(line) => line.push(cell),
            None => lines.push(vec![cell]),
        }
    }
    lines
}

/// Returns facts as lines of `columns`, with dots between them.
pub fn fact_lines(
    facts: impl IntoIterator<Item = EntryCell>,
    columns: u16,
) -> impl Iterator<Item = DocumentEntry> {
    let mut lines = flow_cells(facts, (0, columns), FACT_GAP);
    accompany_last(&mut lines, columns);
    lines.into_iter().map(|mut line| {
        let dots: Vec<_> =
            line.iter().skip(1).map(|cell| EntryCell::new("·", Role::Dim).at(cell.x - 2)).collect();
        line.extend(dots);
        DocumentEntry::new("", EntryValue::Cells(line))
    })
}

/// Moves a fact to the last line if one is alone there, both have space, and others stay above.
fn accompany_last(lines: &mut [Vec<EntryCell>], columns: u16) {
    let [.., above, last] = lines else { return };
    let [alone] = &mut **last else { return };
    let fits = |before: &EntryCell| before.width() + FACT_GAP + alone.width() <= columns;
    let has_others = above.len() > 2;
    let Some(before) = above.pop_if(|before| has_others && fits(before)) else { return };
    alone.x = before.width() + FACT_GAP;
    last.insert(0, before.at(0));
}

impl Document {
    /// Returns the lines of entries, none of which is folded, as cells from a column on: of a panel next to another.
    pub fn cell_lines(
        mut entries: Vec<DocumentEntry>,
        x: u16,
        columns: u16,
    ) -> Vec<Vec<EntryCell>> {
        for entry in &mut entries {
            entry.open = None;
        }
        let mut document = Self::with_one_column();
        document.resize(Rect { width: columns, ..Rect::ZERO });
        document.set(entries);
        let line_cells = |line: &DocumentLine| {
            let entry = document.entries.get(line.entry);
            let cells = entry.map_or_else(Vec::new, |entry| line_cells(entry, line));
            cells.into_iter().map(|cell| EntryCell { x: cell.x.saturating_add(x), ..cell })
        };
        document.lines.iter().map(|line| line_cells(line).collect()).collect()
    }

    /// Returns the selected cell of the selected line, if that has cells.
    pub fn selected_cell(&self) -> Option<&EntryCell> {
        self.cell_at(self.viewport.selected)
    }

    /// Returns the amount in the selected cell or, next to an address, the first one after it, in the smallest
    /// unit.
    pub fn selected_amount(&self) -> Option<&SafeText> {
        let selected = self.selected_cell()?;
        let entry = self.entries.get(self.lines.get(self.viewport.selected)?.entry)?;
        let EntryValue::Cells(cells) = &entry.value else { return None };
        let is_address = selected.cell.address.is_some();
        let mut near =
            cells.iter().filter(|cell| cell.x == selected.x || (is_address && cell.x > selected.x));
        near.find_map(EntryCell::amount)
    }

    /// Returns the cell of a line that is nearest to the cursor's column.
    fn cell_at(&self, line: usize) -> Option<&EntryCell> {
        let entry = self.entries.get(self.lines.get(line)?.entry)?;
        let EntryValue::Cells(cells) = &entry.value else { return None };
        let selectable = cells.iter().filter(|cell| cell.is_selectable());
        selectable.min_by_key(|cell| match self.column {
            column if column < cell.x => cell.x - column,
            column => column.saturating_sub(cell.end().saturating_sub(1)),
        })
    }

    /// Selects the next or the previous cell of the line. Returns `false` if there is none.
    pub fn move_cell(&mut self, step: Step) -> bool {
        let Some(selected) = self.selected_cell().map(|cell| cell.x) else { return false };
        let entry =
            self.lines.get(self.viewport.selected).and_then(|line| self.entries.get(line.entry));
        let Some(EntryValue::Cells(cells)) = entry.map(|entry| &entry.value) else { return false };
        let places = cells.iter().filter(|cell| cell.is_selectable()).map(|cell| cell.x);
        let next = match step {
            Step::Next => places.filter(|x| *x > selected).min(),
            Step::Previous => places.filter(|x| *x < selected).max(),
        };
        if let Some(x) = next {
            self.column = x;
        }
        true
    }

    /// Returns `true` if a line has something to select.
    pub(super) fn can_select(&self, line: usize) -> bool {
        let entry = self.lines.get(line).and_then(|line| self.entries.get(line.entry));
        match entry.map(|entry| &entry.value) {
            Some(EntryValue::Cells(_)) => self.cell_at(line).is_some(),
            Some(EntryValue::Rule(_)) | None => false,
            Some(_) => true,
        }
    }
}

/// Returns a line of an entry as cells: its label, and the part of its value in the line.
fn line_cells(entry: &DocumentEntry, line: &DocumentLine) -> Vec<EntryCell> {
    let label = EntryCell::new(entry.label.clone(), entry.label_role()).at(line.label);
    let label = [label].into_iter().filter(|label| line.has_label && label.width() > 0);
    let Range { start, end } = line.range;
    let value = match &entry.value {
        EntryValue::Cells(cells) => return cells.clone(),
        EntryValue::Text(text) => {
            let mut cell =
                EntryCell::new(text.get(start..end).unwrap_or_default().trim_end(), entry.role);
            let note = text.len().saturating_sub(entry.side_note).clamp(start, end);
            cell.cell.tail = cell.cell.text.len().saturating_sub(note - start);
            cell.link.clone_from(&entry.link);
            cell.cell.address = entry.address();
            let mark_columns = if entry.mark.is_some() { MARK_WIDTH } else { 0 };
            cell.cell.mark = entry.mark.filter(|_| start == 0);
            let hanging = if start == 0 { 0 } else { mark_columns };
            vec![cell.copy(entry.copy_text()).at(line.left.saturating_add(hanging))]
        }
        EntryValue::Hex(bytes) => {
            let offset = EntryCell::new(hex_offset(start), Role::Dim).at(line.left);
            let digits = hex_digits(bytes.get(start..end).unwrap_or_default());
            let data = EntryCell::new(digits, entry.role).copy(entry.copy_text()).at(offset.end());
            vec![offset, data]
        }
        EntryValue::Rule(_) | EntryValue::Code(_) => Vec::new(),
    };
    label.chain(value.into_iter().filter(|cell| cell.width() > 0)).collect()
}

pub(super) fn draw_cells(
    cells: &[EntryCell],
    line: Rect,
    highlight: Option<Address>,
    buf: &mut Buffer,
    styles: &Styles,
) {
    for cell in cells {
        let x = line.x.saturating_add(cell.x);
        let area = Rect { x, width: line.right().saturating_sub(x), ..line };
        let is_highlighted = highlight.is_some() && cell.cell.address == highlight;
        let shown = TableCell { is_highlighted, ..cell.cell.clone() };
        draw_row(buf, area, [RowCell::new(shown, cell.width(), Align::Left)], styles);
    }
}

/// Tints the selected cell, and the panel around it.
pub(super) fn draw_selection(
    cells: &[EntryCell],
    selected: &EntryCell,
    line: Rect,
    buf: &mut Buffer,
    styles: &Styles,
) {
    let dividers = cells.iter().filter(|cell| cell.is_divider()).map(|cell| cell.x);
    let left = dividers.clone().filter(|x| *x < selected.x).map(|x| x + 1).max().unwrap_or(0);
    let right = dividers.filter(|x| *x > selected.x).min().unwrap_or(line.width);
    let part = |from: u16, to: u16| {
        let area = Rect { x: line.x + from, width: to.saturating_sub(from), ..line };
        area.intersection(line)
    };
    selection::draw_selection(buf, part(left, right), styles.selection());
    selection::draw_selection(buf, part(selected.x, selected.end()), styles.of(Role::Cell));
}

/// Returns a line up to the frame around its margins.
fn up_to_frame(line: Rect, buf: &Buffer) -> Rect {
    let is_side = |x: u16| {
        buf.cell((x, line.y)).is_some_and(|cell| ["│", "├", "┤", "┃"].contains(&cell.symbol()))
    };
    let left = line.x.checked_sub(2).is_some_and(|x| is_side(x) && !is_side(x + 1));
    // A rule next to a picture would look cut on one side.
    let right = left && is_side(line.right() + 1) && !is_side(line.right());
    let (left, right) = (u16::from(left), u16::from(right));
    Rect { x: line.x - left, width: line.width + left + right, ..line }
}
