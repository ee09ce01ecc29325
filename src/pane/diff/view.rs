//! Draws a comparison. Reads only.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;

use super::folds::DiffLine;
use super::format::{GasUsed, RowGas, change_mark, format_delta, format_gas};
use super::{DiffPane, PaneContext};
use crate::chain::amount::group_digits;
use crate::pane::trace::gas::abbreviate_gas;
use crate::trace::diff::{CallChange, DiffRow};
use crate::ui::format::{cut, width, wrap};
use crate::ui::theme::Role;

/// Indentation is not wider; deeper calls say how deep they are.
const MAX_INDENT_COLUMNS: usize = 24;

/// Where what is.
pub(super) struct DiffLayout {
    head: Rect,
    titles: Rect,
    pub(super) rows: Rect,
    rule: Rect,
    detail: Rect,
}

/// How wide the columns of numbers are; 0 for one that is left out.
struct DiffColumns {
    full: bool,
    gas: usize,
    delta: usize,
    own: usize,
}

impl DiffColumns {
    fn new(room: u16) -> Self {
        let (full, gas, by, own) = match room {
            110.. => (true, 11, 11, 11),
            90..110 => (true, 11, 11, 0),
            60..90 => (false, 6, 11, 0),
            _ => (false, 0, 9, 0),
        };
        Self { full, gas, delta: by, own }
    }

    fn gas(&self, gas: GasUsed) -> String {
        if self.full {
            return format_gas(gas, |gas| group_digits(&gas.to_string()));
        }
        format_gas(gas, abbreviate_gas)
    }

    /// Numbers under their titles.
    fn line(&self, cells: [&str; 4]) -> String {
        let widths = [self.gas, self.gas, self.delta, self.own];
        let shown = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
        let aligned: Vec<String> = shown.map(|(cell, width)| format!("{cell:>width$}")).collect();
        aligned.concat()
    }
}

impl DiffPane {
    pub(super) fn parts(&self, cx: &PaneContext<'_>) -> DiffLayout {
        let head = u16::try_from(self.head(cx).len()).unwrap_or(u16::MAX);
        let free = cx.area.height.saturating_sub(head + 1);
        let detail = match free {
            ..8 => 0,
            8..12 => 2,
            _ => 4,
        };
        let heights = [
            Constraint::Length(head),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(u16::from(detail > 0)),
            Constraint::Length(detail),
        ];
        let [head, titles, rows, rule, detail] = cx.area.layout(&Layout::vertical(heights));
        DiffLayout { head, titles, rows, rule, detail }
    }

    /// The lines above the rows.
    fn head(&self, cx: &PaneContext<'_>) -> Vec<(String, Role)> {
        let mut lines =
            vec![(self.title(cx.area.width), Role::Accent), (self.summary(), Role::Title)];
        lines.extend(self.gas_breakdown().map(|words| (words, Role::Plain)));
        let notes = self.notes();
        if !notes.is_empty() {
            lines.push((notes.join(" · "), Role::Warning));
        }
        let room = usize::from(cx.area.width).max(2);
        let wrapped = lines.iter().flat_map(|(text, role)| {
            wrap(text, room)
                .into_iter()
                .take(2)
                .map(|part| (text.get(part).unwrap_or_default().to_owned(), *role))
        });
        wrapped.collect()
    }

    pub(super) fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let parts = self.parts(cx);
        for ((text, role), line) in self.head(cx).iter().zip(parts.head.rows()) {
            draw_pieces(buf, line, [(text.as_str(), cx.styles.of(*role))]);
        }
        if self.diff.rows.is_empty() {
            return;
        }
        let titles =
            DiffColumns::new(cx.area.width).line(["left", "right", "difference", "itself"]);
        draw_pieces(buf, parts.titles, [(&*format!("  {titles}"), cx.styles.of(Role::Dim))]);
        for (line, at) in self.folds.lines().iter().skip(self.top).zip(parts.rows.rows()) {
            self.draw_line(*line, at, cx, buf);
            if *line == self.selected {
                buf.set_style(at, cx.styles.selection());
            }
        }
        self.draw_detail(&parts, cx, buf);
    }

    /// The column, from the first, in which a line of this width has the mark of its fold.
    pub(super) fn mark_column(&self, line: DiffLine, room: u16) -> Option<usize> {
        let row = self.diff.row(line.row())?;
        let numbers = DiffColumns::new(room).line([""; 4]);
        Some(2 + width(&numbers) + 5 + width(&indent(row.depth)))
    }

    fn draw_line(&self, line: DiffLine, at: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let Some(row) = self.diff.row(line.row()) else { return };
        let columns = DiffColumns::new(at.width);
        let dim = cx.styles.of(Role::Dim);
        let open = self.folds.is_expanded(&self.diff, line);
        let fold = open.map_or("·", |open| if open { "▾" } else { "▸" });
        let lead = format!("{}{fold} ", indent(row.depth));
        let DiffLine::Call(number) = line else {
            let blank = columns.line([""; 4]);
            let outcome = self.outcome(row);
            // All of them are undone in one trace only, with what they are in.
            let outcome = if outcome.contains('→') { outcome } else { String::new() };
            let words = self.run_label(line.row());
            let pieces = [(&*format!("  {blank} {outcome:<4}{lead}"), dim), (&*words, dim)];
            return draw_pieces(buf, at, pieces);
        };
        let gas = RowGas::of(row, &self.traces[0].tree, &self.traces[1].tree);
        let (by, own) = if row.change == CallChange::Same && gas.delta == Some(0) {
            (String::new(), String::new())
        } else {
            (format_delta(gas.delta), format_delta(gas.own_delta))
        };
        let numbers = columns.line([&columns.gas(gas.left), &columns.gas(gas.right), &by, &own]);
        let (kind, name) = self.name(row, cx);
        let hidden = match open {
            Some(false) => {
                format!("  ({} more)", group_digits(&(row.end - number - 1).to_string()))
            }
            _ => String::new(),
        };
        let style = cx.styles.of(row_role(row));
        let used = 2 + width(&numbers) + 5 + width(&lead) + 5 + width(&hidden);
        let room = usize::from(at.width).saturating_sub(used);
        // The reason of a failure says more than the last arguments.
        let reason = match self.reason(row, cx) {
            reason if reason.is_empty() => reason,
            reason => cut(&format!("  {reason}"), room / 2).into_owned(),
        };
        let name = cut(&name, room.saturating_sub(width(&reason))).into_owned();
        let plain = if row.differs { Style::new() } else { dim };
        let pieces = [
            (&*format!("{} ", change_mark(row.change)), style),
            (&*numbers, style),
            (&*format!(" {:<4}", self.outcome(row)), self.outcome_style(row, cx)),
            (&*lead, plain),
            (&*format!("{kind:<4} "), dim),
            (&*name, if row.change == CallChange::Same { plain } else { style }),
            (&*reason, cx.styles.of(Role::Failed)),
            (&*hidden, dim),
        ];
        draw_pieces(buf, at, pieces);
    }

    fn outcome_style(&self, row: &DiffRow, cx: &PaneContext<'_>) -> Style {
        let failed = row.right.and_then(|frame| self.traces[1].tree.get(frame));
        let failed = failed.is_some_and(|frame| !frame.is_committed());
        cx.styles.of(match (row.change, failed) {
            (CallChange::Outcome, true) => Role::Failed,
            (CallChange::Outcome, false) => Role::Ok,
            _ => Role::Dim,
        })
    }

    fn draw_detail(&self, parts: &DiffLayout, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let rule = "─".repeat(usize::from(parts.rule.width));
        if parts.detail.height == 0 {
            return;
        }
        draw_pieces(buf, parts.rule, [(&*rule, cx.styles.of(Role::Dim))]);
        let each = usize::from(parts.detail.height / 2);
        let room = usize::from(parts.detail.width).saturating_sub(7).max(2);
        let mut lines = parts.detail.rows();
        for (text, side) in self.details(cx).iter().zip(["left   ", "right  "]) {
            let starts = wrap(text, room).into_iter().map(|part| part.start);
            for (n, start) in starts.chain(std::iter::repeat(text.len())).take(each).enumerate() {
                let Some(line) = lines.next() else { return };
                let rest = text.get(start..).unwrap_or_default();
                // The last line holds what is left, and is cut.
                let end = wrap(rest, room).first().map_or(0, |part| part.end);
                let part = if n + 1 == each { rest } else { rest.get(..end).unwrap_or_default() };
                let label = if n == 0 { side } else { "       " };
                draw_pieces(buf, line, [(label, cx.styles.of(Role::Dim)), (part, Style::new())]);
            }
        }
    }
}

fn row_role(row: &DiffRow) -> Role {
    match (row.change, row.differs_itself) {
        (CallChange::Same, _) => Role::Dim,
        (CallChange::Added, _) => Role::Ok,
        (CallChange::Removed, _) => Role::Failed,
        (CallChange::Outcome, _) | (CallChange::Gas, true) => Role::Warning,
        // Only because of what is below it.
        (CallChange::Gas, false) => Role::Plain,
    }
}

fn indent(depth: u16) -> String {
    let columns = usize::from(depth) * 2;
    if columns <= MAX_INDENT_COLUMNS {
        " ".repeat(columns)
    } else {
        format!("{:<MAX_INDENT_COLUMNS$}", format!("⋯{depth}"))
    }
}

/// Writes pieces one after the other, as far as there is room.
fn draw_pieces<'a>(buf: &mut Buffer, at: Rect, pieces: impl IntoIterator<Item = (&'a str, Style)>) {
    let mut x = at.x;
    for (text, style) in pieces {
        let room = usize::from(at.right().saturating_sub(x));
        if at.height > 0 && room > 0 {
            (x, _) = buf.set_stringn(x, at.y, cut(text, room), room, style);
        }
    }
}
