//! Draws a comparison.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::style::Style;

use super::folds::{DiffLine, run_end};
use super::format::{TextUse, change_mark, elsewhere_note};
use super::gas_text::{RowGas, format_delta, format_delta_with};
use super::{ComparedTrace, DiffPane, PaneContext};
use crate::calls::gas::abbreviate_gas;
use crate::calls::results::outcome_role;
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::messages::{diff, trace};
use crate::pane::trace::has_short_badges;
use crate::trace::CallFrame;
use crate::trace::diff::{CallChange, DiffRow};
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format::{width, wrapped_lines};
use crate::ui::selection::draw_selection;
use crate::ui::text::{draw_pieces, draw_text, fit_text};
use crate::ui::theme::Role;

/// Columns of branches from which a call shows its depth as a number.
const MAX_BRANCH_COLUMNS: usize = 26;

/// Minimum lines of the rows and the calls below them.
const MIN_LINES_WITH_CALLS: u16 = 8;
/// Lower screens have the differences on one line, without the sources of the gas, and less of the calls below.
const MIN_LINES_WITH_SUMS: u16 = 30;
/// Maximum lines of the calls below rows that need the space.
const MAX_DETAIL_LINES: u16 = 12;
/// Columns of the outcome, after two blanks.
const OUTCOME_COLUMNS: usize = 6;
/// Minimum columns of a row with the place of its call in the other trace.
const MIN_NOTED_COLUMNS: u16 = 76;
/// Columns before the meaning of the marks.
const LEGEND_GAP: u16 = 3;

pub(super) struct DiffLayout {
    header: Rect,
    titles: Rect,
    pub(super) rows: Rect,
    rule: Rect,
    /// The details of the selected call in both traces.
    pub(super) calls: Rect,
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
            60..90 => (7, 8, 0),
            _ => (0, 9, 0),
        };
        Self { is_abbreviated, gas, delta, own_delta }
    }

    fn gas(&self, call: &CallFrame) -> String {
        if self.is_abbreviated {
            return call.format_gas_used(abbreviate_gas);
        }
        call.format_gas_used(|gas| Grouped(gas).to_string())
    }

    fn delta(&self, delta: Option<i128>) -> String {
        match delta.map(i128::unsigned_abs).map(u64::try_from) {
            Some(Ok(gas)) if self.is_abbreviated => {
                format_delta_with(delta, |_| abbreviate_gas(gas))
            }
            _ => format_delta(delta),
        }
    }

    /// Returns the gas in both traces, and its changes.
    fn line(&self, [left, right, delta, own_delta]: [&str; 4]) -> [String; 2] {
        let aligned = |cells: [(&str, usize); 2]| -> String {
            let shown = cells.into_iter().filter(|(_, width)| *width > 0);
            shown.map(|(cell, width)| format!("{cell:>width$}")).collect::<Vec<_>>().concat()
        };
        let gas = aligned([(left, self.gas), (right, self.gas)]);
        [gas, aligned([(delta, self.delta), (own_delta, self.own_delta)])]
    }
}

impl DiffPane {
    pub(super) fn layout(&self, cx: &PaneContext<'_>) -> DiffLayout {
        let header = u16::try_from(self.header_lines(cx).len()).unwrap_or(u16::MAX);
        let free = cx.area.height.saturating_sub(header + 1);
        let rows = u16::try_from(self.folds.lines().len()).unwrap_or(u16::MAX);
        let detail = if free < MIN_LINES_WITH_CALLS {
            0
        } else {
            let share = if cx.area.height < MIN_LINES_WITH_SUMS { 3 } else { 2 };
            free.saturating_sub(rows.saturating_add(1)).max((free / share).min(MAX_DETAIL_LINES))
        };
        // The detail is directly below the rows.
        let around = u16::from(detail > 0).saturating_add(detail);
        let heights = [
            Constraint::Length(header),
            Constraint::Length(1),
            Constraint::Length(rows.min(free.saturating_sub(around))),
            Constraint::Length(u16::from(detail > 0)),
            Constraint::Length(detail),
        ];
        let [header, titles, rows, rule, detail] = cx.area.layout(&Layout::vertical(heights));
        DiffLayout { header, titles, rows, rule, calls: detail }
    }

    fn header_lines(&self, cx: &PaneContext<'_>) -> Vec<(String, Role)> {
        let is_low = cx.area.height < MIN_LINES_WITH_SUMS;
        let table = self.head_table(cx).filter(|_| !is_low);
        let mut lines = table.unwrap_or_else(|| {
            let heads = self.head_lines(cx).into_iter().map(|line| (line, Role::Accent));
            let summary = self.summary(cx.area.width, is_low, cx).into_iter();
            heads.chain(summary.map(|line| (line, Role::Title))).collect()
        });
        let sums = self.gas_breakdown(cx.area.width).filter(|_| !is_low);
        lines.extend(sums.map(|text| (text, Role::Plain)));
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
        let titles = DiffColumns::new(cx.area.width)
            .line(["A gas", "B gas", "change", "self change"])
            .concat();
        let outcome = self.outcome_text("ok");
        let titles = format!("  {titles}{outcome}call");
        let end = draw_text(buf, layout.titles, &titles, cx.styles.of(Role::Title));
        let x = end.saturating_add(LEGEND_GAP);
        let legend = Rect { x, width: layout.titles.right().saturating_sub(x), ..layout.titles };
        let fits = |text: &String| width(text) <= legend.width.into();
        let letters = self.letters_on_screen(&layout, cx);
        let forms = [diff::MARKS, diff::MARKS_IN_SHORT]
            .into_iter()
            .flat_map(|marks| [[&[marks][..], &letters].concat().join(" · "), marks.to_owned()]);
        if let Some(text) = forms.into_iter().find(fits) {
            draw_text(buf, legend, &text, cx.styles.of(Role::Dim));
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
        if layout.rule.height > 0 {
            self.calls.draw([layout.rule, layout.calls], cx, buf);
        }
    }

    /// Returns the meanings of the letters before calls on the screen.
    fn letters_on_screen(&self, layout: &DiffLayout, cx: &PaneContext<'_>) -> Vec<&'static str> {
        let lines = self.folds.lines().iter().skip(self.top).take(layout.rows.height.into());
        let rows = lines.filter_map(|line| self.diff.row(line.call()?));
        let kinds: Vec<_> = rows.filter_map(|row| self.name(row, TextUse::Screen, cx).0).collect();
        let letters = [
            (CallKind::StaticCall, trace::STATIC_LETTER),
            (CallKind::DelegateCall, trace::DELEGATE_LETTER),
        ];
        let is_shown = |kind: &CallKind| has_short_badges(cx.area.width) && kinds.contains(kind);
        letters.iter().filter(|(kind, _)| is_shown(kind)).map(|(_, text)| *text).collect()
    }

    pub(super) fn fold_mark_column(&self, line: DiffLine, line_width: u16) -> Option<usize> {
        let row = self.diff.row(line.row())?;
        let numbers = DiffColumns::new(line_width).line([""; 4]).concat();
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
        let blank = DiffColumns::new(width).line([""; 4]).concat();
        // If an ancestor failed in one trace all calls of the run have the same two outcomes.
        let outcome =
            Some(self.outcome(row)).filter(|outcome| outcome.contains('→')).unwrap_or_default();
        let outcome = self.outcome_text(&outcome);
        let mark = change_mark(row.change);
        format!("{mark} {blank}{outcome}{lead}{}", self.run_label(first))
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
        let target = |(trace, frame): (&ComparedTrace, Option<u32>)| {
            let called = trace.tree.get(frame?)?;
            let has_target = !called.kind.creates() && called.kind != CallKind::SelfDestruct;
            trace.tree.address(called.to).filter(|_| has_target)
        };
        let mut targets =
            self.sides(row).into_iter().filter(|(_, frame)| frame.is_some()).map(target);
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
        let [gas, changes] = self.gas_columns(row, cx.area.width);
        let (kind, name) = self.name(row, TextUse::Screen, cx);
        let is_narrow = has_short_badges(cx.area.width);
        let badge =
            kind.map_or("", if is_narrow { CallKind::short_badge } else { CallKind::badge });
        let mark = self.target_mark(row, cx);
        let mark_columns = if mark.is_empty() { 0 } else { usize::from(MARK_WIDTH) };
        let used = 2
            + width(&gas)
            + width(&changes)
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
        let is_alone = row.left.is_none() || row.right.is_none();
        let result = match self.result(row, TextUse::Screen, cx) {
            result if result.is_empty() => result,
            // A part of it says little where there is nothing to compare.
            result if is_alone && failure.is_none() && width(&result) + 2 > free => String::new(),
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
            (gas, plain),
            (changes, style),
            (self.outcome_text(&self.outcome(row)), self.outcome_style(row, cx)),
            (lead, dim),
            (badge.to_owned(), cx.styles.of(Role::Badge)),
        ];
        let call = [
            (shown_name, plain),
            (result, failure.map_or(plain, |outcome| cx.styles.of(outcome_role(outcome)))),
            (after, dim),
        ];
        before.into_iter().chain(mark).chain(call).collect()
    }

    /// Returns the gas of a call in both traces, and its changes.
    fn gas_columns(&self, row: &DiffRow, width: u16) -> [String; 2] {
        let columns = DiffColumns::new(width);
        let gas = RowGas::of(row, &self.left.tree, &self.right.tree);
        let [left, right] = [gas.left, gas.right]
            .map(|call| call.map_or_else(|| "—".to_owned(), |call| columns.gas(call)));
        if !row.differs && gas.delta == Some(0) {
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
}

fn row_role(row: &DiffRow) -> Role {
    match (row.change, row.differs_itself) {
        (CallChange::Same, _) => Role::Dim,
        (CallChange::Added, _) => Role::Ok,
        (CallChange::Removed, _) => Role::Loss,
        (CallChange::Gas | CallChange::Outcome, true) => Role::Warning,
        // Another call is the cause.
        (CallChange::Gas | CallChange::Outcome, false) => Role::Plain,
    }
}

fn branch_columns(depth: u16) -> usize {
    (usize::from(depth) * 2).min(MAX_BRANCH_COLUMNS)
}
