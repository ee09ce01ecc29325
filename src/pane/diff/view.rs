//! Draws a comparison.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::style::Style;

use super::folds::{DiffLine, run_end};
use super::format::{
    GasUsed, RowGas, TextUse, change_mark, differing_parts, elsewhere_note, format_delta,
    format_delta_with, format_gas, sent_coin,
};
use super::{DiffPane, PaneContext};
use crate::calls::formatter::CallFormatter;
use crate::calls::gas::abbreviate_gas;
use crate::calls::results::outcome_role;
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::messages::diff;
use crate::pane::addresses::labels::label_entries;
use crate::pane::addresses::lookalike_marks::mark_addresses;
use crate::pane::trace::entries_alone;
use crate::route::DiffBaseline;
use crate::trace::diff::{CallChange, DiffRow};
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::document::{DocumentEntry, EntryValue, Rule};
use crate::ui::format::{width, wrap, wrapped_lines};
use crate::ui::selection::draw_selection;
use crate::ui::text::{draw_pieces, draw_text, fit_text};
use crate::ui::theme::Role;

/// Columns of branches from which a call shows its depth as a number.
const MAX_BRANCH_COLUMNS: usize = 26;

/// Maximum lines of the calls below the rows.
const MAX_DETAIL_LINES: u16 = 12;
/// Columns of the letter of a trace.
const LABEL_COLUMNS: usize = 3;
const CALL_LABEL_COLUMNS: u16 = 3;
/// Columns between the details of two calls.
const SIDE_GAP: u16 = 2;
/// Columns of the outcome, after two blanks.
const OUTCOME_COLUMNS: usize = 6;
/// Least columns and lines of the details of two calls side by side.
const MIN_CALL_COLUMNS: u16 = 70;
const MIN_CALL_LINES: u16 = 14;
/// Width of rows from which the kind of a call is a word.
const MIN_BADGE_COLUMNS: u16 = 90;
/// Minimum columns of a row with the place of its call in the other trace.
const MIN_NOTED_COLUMNS: u16 = 76;
/// Columns before the meaning of the marks.
const LEGEND_GAP: u16 = 3;

pub(super) struct DiffLayout {
    header: Rect,
    titles: Rect,
    pub(super) rows: Rect,
    rule: Rect,
    detail: Rect,
    /// The details of both calls, if they have space side by side.
    calls: Option<[Rect; 2]>,
}

/// Widths of the gas columns; 0 hides one.
struct DiffColumns {
    is_abbreviated: bool,
    gas: usize,
    delta: usize,
    own_delta: usize,
}

impl DiffColumns {
    fn new(width: u16) -> Self {
        let is_abbreviated = width < 90;
        let (gas, delta, own_delta) = match width {
            110.. => (11, 11, 13),
            90..110 => (11, 11, 0),
            60..90 => (6, 7, 0),
            _ => (0, 9, 0),
        };
        Self { is_abbreviated, gas, delta, own_delta }
    }

    fn gas(&self, gas: GasUsed) -> String {
        if self.is_abbreviated {
            return format_gas(gas, abbreviate_gas);
        }
        format_gas(gas, |gas| Grouped(gas).to_string())
    }

    fn delta(&self, delta: Option<i128>) -> String {
        match delta.map(i128::unsigned_abs).map(u64::try_from) {
            Some(Ok(gas)) if self.is_abbreviated => {
                format_delta_with(delta, |_| abbreviate_gas(gas))
            }
            _ => format_delta(delta),
        }
    }

    fn line(&self, cells: [&str; 4]) -> String {
        let widths = [self.gas, self.gas, self.delta, self.own_delta];
        let shown = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
        let aligned: Vec<String> = shown.map(|(cell, width)| format!("{cell:>width$}")).collect();
        aligned.concat()
    }
}

impl DiffPane {
    pub(super) fn layout(&self, cx: &PaneContext<'_>) -> DiffLayout {
        let header = u16::try_from(self.header_lines(cx).len()).unwrap_or(u16::MAX);
        let free = cx.area.height.saturating_sub(header + 1);
        let detail = match free {
            ..8 => 0,
            8..12 => 2,
            _ => self.detail_lines(free, cx),
        };
        // The detail is directly below the rows.
        let around = u16::from(detail > 0).saturating_add(detail);
        let rows = u16::try_from(self.folds.lines().len()).unwrap_or(u16::MAX);
        let heights = [
            Constraint::Length(header),
            Constraint::Length(1),
            Constraint::Length(rows.min(free.saturating_sub(around))),
            Constraint::Length(u16::from(detail > 0)),
            Constraint::Length(detail),
            Constraint::Fill(1),
        ];
        let [header, titles, rows, rule, detail, rest] = cx.area.layout(&Layout::vertical(heights));
        let sides = Layout::horizontal([Constraint::Fill(1); 2]).spacing(SIDE_GAP);
        let below = Rect { y: detail.y, height: detail.height + rest.height, ..rest };
        let [left, right] = below.layout(&sides);
        let has_space = left.width >= MIN_CALL_COLUMNS && below.height >= MIN_CALL_LINES;
        let calls = (has_space && detail.height > 0).then_some([left, right]);
        DiffLayout { header, titles, rows, rule, detail, calls }
    }

    /// Builds the details of the selected call, in which values that differ between the traces stand out.
    pub(super) fn show_calls(&mut self, cx: &PaneContext<'_>) {
        let Some(areas) = self.layout(cx).calls else { return };
        let row = self.selected.call().and_then(|row| self.diff.row(row));
        let frames = row.map(|row| [row.left, row.right]).unwrap_or_default();
        let entries = |trace: &DiffBaseline, frame: Option<u32>, area: Rect| {
            let columns = area.width.saturating_sub(CALL_LABEL_COLUMNS);
            let formatter = CallFormatter { short_amounts: true, ..self.formatter(trace, cx) };
            let mut entries = entries_alone(&formatter, frame?, columns, cx.keys);
            let sent = entries.first_mut().zip(sent_coin(&formatter, frame?));
            if let Some((call, text)) = sent {
                call.value = EntryValue::Text(text.into());
            }
            label_entries(&mut entries, cx.name_cache.labels());
            mark_addresses(&mut entries, cx);
            Some(entries)
        };
        let [left, right] = areas;
        let mut sides = [
            entries(&self.left, frames[0], left).unwrap_or_default(),
            entries(&self.right, frames[1], right).unwrap_or_default(),
        ];
        // Of calls of different functions, nearly everything differs.
        let selector = |trace: &DiffBaseline, frame: Option<u32>| trace.tree.selector(frame?);
        if selector(&self.left, frames[0]) == selector(&self.right, frames[1]) {
            mark_differences(&mut sides);
        }
        for ((document, area), entries) in self.calls.iter_mut().zip(areas).zip(sides) {
            document.resize(call_area(area));
            document.set(entries);
        }
    }

    /// Returns the height of the selected calls, which have the same number of lines: more if there are
    /// few rows.
    fn detail_lines(&self, free: u16, cx: &PaneContext<'_>) -> u16 {
        let rows = u16::try_from(self.folds.lines().len()).unwrap_or(u16::MAX);
        let most = free.saturating_sub(rows.saturating_add(1)).clamp(4, MAX_DETAIL_LINES);
        let columns = usize::from(cx.area.width).saturating_sub(LABEL_COLUMNS).max(2);
        let lines = self.details(cx).map(|text| wrap(&text, columns).len());
        let lines = u16::try_from(lines.into_iter().max().unwrap_or_default()).unwrap_or(most);
        // Below each call are its place, gas and address.
        lines.saturating_add(1).saturating_mul(2).clamp(4, most) & !1
    }

    fn header_lines(&self, cx: &PaneContext<'_>) -> Vec<(String, Role)> {
        let heads = self.head_lines(cx).into_iter().map(|line| (line, Role::Accent));
        let mut lines: Vec<_> = heads.collect();
        lines.push((self.summary(cx.area.width, cx), Role::Title));
        lines.extend(self.gas_breakdown(cx.area.width).map(|text| (text, Role::Plain)));
        let notes = self.notes(cx);
        if !notes.is_empty() {
            lines.push((notes.join(" · "), Role::Warning));
        }
        let columns = usize::from(cx.area.width).max(2);
        let wrapped = lines.iter().flat_map(|(text, role)| {
            wrapped_lines(text, columns).take(2).map(|line| (line.to_owned(), *role))
        });
        wrapped.collect()
    }

    pub(super) fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let layout = self.layout(cx);
        for ((text, role), line) in self.header_lines(cx).iter().zip(layout.header.rows()) {
            draw_text(buf, line, text, cx.styles.of(*role));
        }
        if self.diff.rows.is_empty() {
            return;
        }
        let titles =
            DiffColumns::new(cx.area.width).line(["A gas", "B gas", "change", "self change"]);
        let outcome = self.outcome_text("ok");
        let titles = format!("  {titles}{outcome}call");
        let end = draw_text(buf, layout.titles, &titles, cx.styles.of(Role::Title));
        let x = end.saturating_add(LEGEND_GAP);
        let legend = Rect { x, width: layout.titles.right().saturating_sub(x), ..layout.titles };
        let fits = |text: &&str| width(text) <= legend.width.into();
        if let Some(text) = [diff::MARKS, diff::MARKS_IN_SHORT].into_iter().find(fits) {
            draw_text(buf, legend, text, cx.styles.of(Role::Dim));
        }
        for (line, at) in self.folds.lines().iter().skip(self.top).zip(layout.rows.rows()) {
            self.draw_line(*line, at, cx, buf);
            if *line == self.selected {
                // Up to the frame, if there are margins.
                let is_inset = buf.cell((at.right(), at.y)).is_some_and(|c| c.symbol() == " ");
                let whole = at.outer(Margin::new(u16::from(is_inset), 0));
                draw_selection(buf, whole, cx.styles.selection());
            }
        }
        self.draw_detail(&layout, cx, buf);
    }

    pub(super) fn fold_mark_column(&self, line: DiffLine, line_width: u16) -> Option<usize> {
        let row = self.diff.row(line.row())?;
        let numbers = DiffColumns::new(line_width).line([""; 4]);
        Some(2 + width(&numbers) + self.outcome_columns() + branch_columns(row.depth))
    }

    /// Returns the columns of outcomes, none if all calls succeeded.
    fn outcome_columns(&self) -> usize {
        if self.has_failures { OUTCOME_COLUMNS } else { 2 }
    }

    /// Returns an outcome, or blanks if all calls succeeded.
    fn outcome_text(&self, outcome: &str) -> String {
        let shown = if self.has_failures { outcome } else { "" };
        format!("  {shown:<rest$}", rest = self.outcome_columns() - 2)
    }

    fn draw_line(&self, line: DiffLine, at: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let Some(row) = self.diff.row(line.row()) else { return };
        let expanded = self.folds.is_expanded(&self.diff, line);
        let mark = expanded.map_or("·", |expanded| if expanded { "▾" } else { "▸" });
        let lead = format!("{}{mark} ", self.branches(line, row));
        match line {
            DiffLine::Run(first) => {
                let text = self.run_text(first, row, &lead, cx.area.width);
                draw_text(buf, at, &text, cx.styles.of(Role::Dim));
            }
            DiffLine::Call(number) => {
                let below = row.end.saturating_sub(number + 1);
                let hidden = match expanded {
                    Some(false) => format!("  ({} more)", Grouped(below)),
                    _ => String::new(),
                };
                let note = elsewhere_note(row).filter(|_| at.width >= MIN_NOTED_COLUMNS);
                let after = note.map_or(hidden.clone(), |note| [&*hidden, "  ", &note].concat());
                draw_pieces(buf, at, self.call_pieces(row, lead, after, cx));
            }
        }
    }

    fn run_text(&self, first: u32, row: &DiffRow, lead: &str, width: u16) -> String {
        let blank = DiffColumns::new(width).line([""; 4]);
        // If an ancestor failed in one trace all calls of the run have the same two outcomes.
        let outcome =
            Some(self.outcome(row)).filter(|outcome| outcome.contains('→')).unwrap_or_default();
        let outcome = self.outcome_text(&outcome);
        format!("  {blank}{outcome}{lead}{}", self.run_label(first))
    }

    /// Returns the branches to a line, as a trace has them.
    fn branches(&self, line: DiffLine, row: &DiffRow) -> String {
        let has_sibling_at =
            |end: u32, depth: u16| self.diff.row(end).is_some_and(|next| next.depth == depth);
        let end = match line {
            // The calls of an expanded run stand below it, at its depth.
            DiffLine::Run(first) if self.folds.is_expanded(&self.diff, line) == Some(true) => first,
            DiffLine::Run(first) => run_end(&self.diff, first),
            DiffLine::Call(_) => row.end,
        };
        let elbow = match row.depth {
            0 => return String::new(),
            depth if has_sibling_at(end, depth) => "├─",
            _ => "└─",
        };
        let columns = branch_columns(row.depth);
        let above = columns - width(elbow);
        if columns == MAX_BRANCH_COLUMNS {
            return format!("{:<above$}{elbow}", format!("depth {}", row.depth));
        }
        // The level of the outermost call has no line.
        let ancestors = self.diff.ancestors(line.row()).filter_map(|row| self.diff.row(row));
        let mut levels: Vec<&str> = ancestors
            .filter(|above| above.depth > 0)
            .map(|above| if has_sibling_at(above.end, above.depth) { "│ " } else { "  " })
            .collect();
        levels.reverse();
        levels.concat() + elbow
    }

    /// Returns the mark of the called address, if it is the same in both traces, and a space.
    fn target_mark(&self, row: &DiffRow, cx: &PaneContext<'_>) -> Vec<(String, Style)> {
        let target = |(trace, frame): (&DiffBaseline, Option<u32>)| {
            let called = trace.tree.get(frame?)?;
            let has_target = !called.kind.creates() && called.kind != CallKind::SelfDestruct;
            trace.tree.address(called.to).filter(|_| has_target)
        };
        let mut targets = [(&self.left, row.left), (&self.right, row.right)]
            .into_iter()
            .filter(|(_, frame)| frame.is_some())
            .map(target);
        let Some(first) = targets.next() else { return Vec::new() };
        let is_same = targets.all(|other| other == first);
        let Some(mark) = first.filter(|_| is_same).and_then(|address| cx.address_mark(&address))
        else {
            return Vec::new();
        };
        let [left, right] = mark.glyphs(cx.styles);
        [left, right, (" ", Style::new())].map(|(glyph, style)| (glyph.to_owned(), style)).into()
    }

    fn call_pieces(
        &self,
        row: &DiffRow,
        lead: String,
        after: String,
        cx: &PaneContext<'_>,
    ) -> Vec<(String, Style)> {
        let numbers = self.gas_columns(row, cx.area.width);
        let (kind, name) = self.name(row, TextUse::Screen, cx);
        let is_narrow = cx.area.width < MIN_BADGE_COLUMNS;
        let badge =
            kind.map_or("", if is_narrow { CallKind::short_badge } else { CallKind::badge });
        let mark = self.target_mark(row, cx);
        let mark_columns = if mark.is_empty() { 0 } else { usize::from(MARK_WIDTH) };
        let used = 2
            + width(&numbers)
            + self.outcome_columns()
            + width(&lead)
            + width(badge)
            + mark_columns
            + width(&after);
        let columns = usize::from(cx.area.width).saturating_sub(used);
        let failure = self.failure(row);
        // The reason of a failure has precedence over the last arguments.
        let free = columns.saturating_sub(width(&name.to_string()));
        let most = if failure.is_some() { free.max(columns * 2 / 5) } else { free };
        let result = match self.result(row, TextUse::Screen, cx) {
            result if result.is_empty() => result,
            result => fit_text(format!("  {result}"), most),
        };
        let shown_name = name.fit(columns.saturating_sub(width(&result)));
        let dim = cx.styles.of(Role::Dim);
        let style = cx.styles.of(row_role(row));
        let plain = if row.differs { Style::new() } else { dim };
        // The note after the call has not always space.
        let elsewhere_mark = if row.elsewhere.is_some() { "=" } else { " " };
        let before = [
            (format!("{}{elsewhere_mark}", change_mark(row.change)), style),
            (numbers, style),
            (self.outcome_text(&self.outcome(row)), self.outcome_style(row, cx)),
            (lead, dim),
            (badge.to_owned(), cx.styles.of(Role::Badge)),
        ];
        let call = [
            // Red text would look like a failure.
            (shown_name, if row.change == CallChange::Outcome { style } else { plain }),
            (result, failure.map_or(plain, |outcome| cx.styles.of(outcome_role(outcome)))),
            (after, dim),
        ];
        before.into_iter().chain(mark).chain(call).collect()
    }

    fn gas_columns(&self, row: &DiffRow, width: u16) -> String {
        let columns = DiffColumns::new(width);
        let gas = RowGas::of(row, &self.left.tree, &self.right.tree);
        let [left, right] = [gas.left, gas.right].map(|gas| match gas {
            GasUsed::Absent => String::new(),
            gas => columns.gas(gas),
        });
        if row.change == CallChange::Same && gas.delta == Some(0) {
            return columns.line([&left, &right, "", ""]);
        }
        columns.line([&left, &right, &columns.delta(gas.delta), &columns.delta(gas.own_delta)])
    }

    fn outcome_style(&self, row: &DiffRow, cx: &PaneContext<'_>) -> Style {
        let right = row.right.and_then(|frame| self.right.tree.get(frame));
        let was_undone = right.is_some_and(|frame| !frame.is_committed());
        cx.styles.of(match (row.change, was_undone) {
            (CallChange::Outcome, true) => Role::Failed,
            (CallChange::Outcome, false) => Role::Ok,
            _ => self.failure(row).map_or(Role::Dim, outcome_role),
        })
    }

    /// Draws the selected call of both traces, each in half of the lines.
    fn draw_detail(&self, layout: &DiffLayout, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if layout.detail.height == 0 {
            return;
        }
        Rule::default().draw(layout.rule, buf, cx.styles);
        if let Some(areas) = layout.calls {
            return self.draw_calls(areas, cx, buf);
        }
        let line_count = usize::from(layout.detail.height / 2);
        let text_lines = line_count - usize::from(line_count > 1);
        let columns = usize::from(layout.detail.width).saturating_sub(LABEL_COLUMNS).max(2);
        let mut lines = layout.detail.rows();
        let details = self.details(cx);
        let [left, right] = &details;
        let differing = differing_parts([left, right]);
        let sides = details.iter().zip(self.facts(columns)).zip(["A  ", "B  "]);
        for (((text, facts), side), differing) in sides.zip(differing) {
            let parts = wrap(text, columns).into_iter().map(|part| part.start);
            let starts: Vec<usize> = parts.take(text_lines).collect();
            let blank = line_count - starts.len();
            let starts_len = starts.len();
            for (n, start) in starts.into_iter().enumerate() {
                let Some(line) = lines.next() else { return };
                let rest = text.get(start..).unwrap_or_default();
                // The last line is cut instead of wrapped.
                let end = wrap(rest, columns).first().map_or(0, |part| part.end);
                let is_last = n + 1 == starts_len && n + 1 == text_lines;
                let end = if is_last { text.len() } else { start + end };
                let label = (if n == 0 { side } else { "   " }, cx.styles.of(Role::Dim));
                let from = differing.start.clamp(start, end);
                let to = differing.end.clamp(from, end);
                let part = |range: Range<usize>| text.get(range).unwrap_or_default();
                let changed = (part(from..to), cx.styles.of(Role::Warning));
                let [before, after] = [start..from, to..end].map(|same| (part(same), Style::new()));
                draw_pieces(buf, line, [label, before, changed, after]);
            }
            for n in 0..blank {
                let Some(line) = lines.next() else { return };
                let shown = if n == 0 { &*facts } else { "" };
                draw_text(buf, line, &format!("   {shown}"), cx.styles.of(Role::Dim));
            }
        }
    }
}

impl DiffPane {
    /// Draws the details of the selected call in both traces side by side.
    fn draw_calls(&self, areas: [Rect; 2], cx: &PaneContext<'_>, buf: &mut Buffer) {
        let dim = cx.styles.of(Role::Dim);
        let row = self.selected.call().and_then(|row| self.diff.row(row));
        let frames = row.map(|row| [row.left, row.right]).unwrap_or_default();
        let sides = ["A", "B"].into_iter().zip(areas).zip(&self.calls);
        let absence = self.details(cx).into_iter().zip(frames);
        for (((side, area), document), (absent, frame)) in sides.zip(absence) {
            draw_text(buf, area, side, dim);
            if frame.is_none() {
                draw_text(buf, call_area(area), &absent, dim);
            } else {
                document.draw_lines(call_area(area), None, buf, cx.styles);
            }
        }
    }
}

/// Returns the area of a call's detail after the letter of its trace.
fn call_area(area: Rect) -> Rect {
    let x = area.x.saturating_add(CALL_LABEL_COLUMNS);
    Rect { x, width: area.width.saturating_sub(CALL_LABEL_COLUMNS), ..area }
}

/// Gives the entries of two calls that have the same label but another value the colour of a change. Of
/// several with one label, such as the fields of tuples, each is compared with the one in its place.
fn mark_differences([left, right]: &mut [Vec<DocumentEntry>; 2]) {
    let is_value = |entry: &DocumentEntry| matches!(entry.value, EntryValue::Text(_));
    let key = |entry: &DocumentEntry| (entry.label.clone(), entry.level);
    let mut others: HashMap<_, VecDeque<&mut DocumentEntry>> = HashMap::new();
    for other in right.iter_mut().filter(|other| is_value(other)) {
        others.entry(key(other)).or_default().push_back(other);
    }
    for entry in left.iter_mut().filter(|entry| is_value(entry)) {
        let same = others.get_mut(&key(entry)).and_then(VecDeque::pop_front);
        if let Some(other) = same.filter(|other| other.copy_text() != entry.copy_text()) {
            other.role = Role::Warning;
            entry.role = Role::Warning;
        }
    }
}

fn row_role(row: &DiffRow) -> Role {
    match (row.change, row.differs_itself) {
        (CallChange::Same, _) => Role::Dim,
        (CallChange::Added, _) => Role::Ok,
        (CallChange::Removed, _) => Role::Loss,
        (CallChange::Outcome, _) | (CallChange::Gas, true) => Role::Warning,
        // Only a call below it differs.
        (CallChange::Gas, false) => Role::Plain,
    }
}

fn branch_columns(depth: u16) -> usize {
    (usize::from(depth) * 2).min(MAX_BRANCH_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_label_are_compared_by_their_place() {
        let side = |values: [&str; 2]| values.map(|text| DocumentEntry::text("address", text));
        let mut sides = [side(["A", "B"]).to_vec(), side(["A", "C"]).to_vec()];
        mark_differences(&mut sides);
        for [first, second] in sides.map(|side| [0, 1].map(|n| side[n].role == Role::Warning)) {
            assert!(!first && second);
        }
    }
}
