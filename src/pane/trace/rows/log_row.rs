//! Draws a log as a row between the calls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::call_row::{CallPainter, Piece, RIGHT_PADDING, total_width};
use super::gas_columns::GasColumns;
use crate::api::Item;
use crate::api::logs::Log;
use crate::calls::formatter::Confidence;
use crate::calls::placed_logs::emitter;
use crate::columns::logs::{event_line, is_guessed};
use crate::messages::Count;
use crate::messages::trace::TraceNote;
use crate::pane::trace::logs::is_undone;
use crate::trace::log_rows::TraceRow;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

impl CallPainter<'_> {
    pub fn draw_log_row(&self, row: TraceRow, columns: &GasColumns, area: Rect, buf: &mut Buffer) {
        if let TraceRow::Call(number) = row {
            return self.draw_row(number, columns, area, buf);
        }
        let space = area.width.saturating_sub(RIGHT_PADDING);
        let pieces = self.row_pieces(row, columns, area.width, space.into());
        draw_pieces(buf, Rect { width: space, ..area }, pieces);
    }

    /// Returns `true` if the name of a function or an event in a row is a guess by its selector or topic.
    pub fn has_guessed_name(&self, row: TraceRow) -> bool {
        match row {
            TraceRow::Call(number) => self.call_label(number).confidence == Confidence::Guess,
            TraceRow::Log(number) => {
                let log = self.logs.get(number).and_then(|log| log.parsed.as_ref().ok());
                log.is_some_and(|log| is_guessed(log, &self.log_context))
            }
            TraceRow::Unplaced => false,
        }
    }

    /// Returns the row of a log, or the heading of logs without a call, for some columns.
    pub(super) fn row_pieces(
        &self,
        row: TraceRow,
        columns: &GasColumns,
        row_width: u16,
        space: usize,
    ) -> Vec<Piece> {
        // One column for the gutter.
        let gas = (" ".repeat(1 + columns.width()), Style::new());
        let left = space.saturating_sub(columns.width() + 1);
        let pieces = match row {
            TraceRow::Call(_) => Vec::new(),
            TraceRow::Unplaced => vec![self.unplaced_heading()],
            TraceRow::Log(log) => self.log_pieces(log, row_width, left),
        };
        [gas].into_iter().chain(pieces).collect()
    }

    fn unplaced_heading(&self) -> Piece {
        let mark = if self.logs.lists_unplaced { "▾" } else { "▸" };
        let events = Count(self.logs.unplaced_count(), "event");
        (format!("{mark} {}", TraceNote::UnclearCalls { events }), self.styles.of(Role::Dim))
    }

    fn log_pieces(&self, number: usize, row_width: u16, space: usize) -> Vec<Piece> {
        let dim = self.styles.of(Role::Dim);
        let Some(log) = self.logs.get(number) else { return Vec::new() };
        let emit = if is_undone(log) {
            ("undone ".to_owned(), self.styles.of(Role::Failed))
        } else {
            ("emit ".to_owned(), self.styles.of(Role::Badge))
        };
        let lead = if let Some(place) = self.logs.place(number) {
            let branches = self.branches(row_width).of_log(number, place.call);
            let mark = if place.is_certain() { "·" } else { "?" };
            vec![(format!("{branches}{mark} "), dim), emit]
        } else {
            let emitter =
                emitter(log).map_or("?".into(), |address| self.formatter.address(&address));
            vec![("  ".to_owned(), dim), emit, (format!("{emitter}."), Style::new())]
        };
        let event = self.event_pieces(log, space.saturating_sub(total_width(&lead)));
        lead.into_iter().chain(event).collect()
    }

    fn event_pieces(&self, log: &Item<Log>, columns: usize) -> Vec<Piece> {
        let of = |role| self.styles.of(role);
        match &log.parsed {
            Ok(log) => {
                let is_undone = log.is_undone.value() == Some(&true);
                let parts = event_line(log, &self.log_context, columns).into_iter();
                let role = |own| if is_undone { Role::Dim } else { own };
                parts.map(|part| (part.text.into_owned(), of(role(part.role)))).collect()
            }
            Err(why) => vec![(format!("? ({why})"), of(Role::Warning))],
        }
    }
}
