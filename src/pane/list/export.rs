//! The rows of a list as lines of a file: CSV, the original JSON, or a table for the pager. The lines are
//! written in slices, of the rows as they were listed at first, and the file gets them all at once.

use std::path::Path;

use super::super::export::ExportDestination;
use super::super::{Command, ExternalTool, PaneContext};
use super::ListPane;
use super::row_store::{ListedRow, RowReader};
use crate::api::paged_rows::TailState;
use crate::columns::RowContext;
use crate::columns::column::ColumnHead;
use crate::columns::table_extent::{PlacedColumn, TableExtent};
use crate::columns::text::{csv_header, csv_line, table_header, table_row};
use crate::messages::list::{self, ListNotice, SavedRows};
use crate::sanitize::json_line;
use crate::time_slice::TimeSlice;

#[derive(Debug)]
enum LineFormat {
    Json,
    /// Rows that cannot be read are left out.
    Csv,
    /// A table with everything in full: a pager scrolls sideways.
    Table(TableMeasure),
}

/// The widths of a table, whose rows are all measured before the first line is written.
#[derive(Debug, Default)]
struct TableMeasure {
    measured: usize,
    extent: TableExtent,
    columns: Vec<PlacedColumn>,
}

/// An export that is not complete yet.
#[derive(Debug)]
pub(super) struct RowExport {
    destination: ExportDestination,
    format: LineFormat,
    /// The shown rows in the order of the server, in which they are read fastest.
    rows: Vec<ListedRow>,
    /// The numbers of the first rows of the file among them.
    order: Vec<usize>,
    has_more: bool,
    /// The lines of the rows so far.
    lines: Vec<Option<String>>,
    /// The lines of the file so far: put together last.
    file: Vec<String>,
    placed: usize,
}

impl RowExport {
    /// Writes the next lines while there is time. Returns `true` after the last.
    fn resume(
        &mut self,
        reader: &mut RowReader,
        columns: &[ColumnHead],
        cx: &RowContext<'_>,
    ) -> bool {
        let mut slice = TimeSlice::begin();
        if let LineFormat::Table(table) = &mut self.format {
            table.resume((&self.rows, reader), columns, cx, &slice);
        }
        while self.lines.len() < self.rows.len() && !slice.is_over() {
            let row = self.rows.get(self.lines.len());
            self.lines.push(row.and_then(|row| self.format.line(row, reader, cx)));
        }
        if self.lines.len() < self.rows.len() {
            return false;
        }
        if self.placed == 0 {
            self.file.extend(self.format.header(columns, cx));
        }
        while self.placed < self.lines.len() && slice.has_time() {
            let number = self.order.get(self.placed).copied().unwrap_or(self.placed);
            self.file.extend(self.lines.get_mut(number).and_then(Option::take));
            self.placed += 1;
        }
        self.placed == self.lines.len()
    }

    /// Returns the finished steps, and all: every row is written and placed, and measured for a table.
    fn progress(&self) -> (usize, usize) {
        let (measured, steps) = match &self.format {
            LineFormat::Table(table) => (table.measured, 3),
            LineFormat::Json | LineFormat::Csv => (0, 2),
        };
        (measured + self.lines.len() + self.placed, steps * self.rows.len())
    }

    /// Returns the command that writes the file.
    fn finish(self) -> Command {
        let header = usize::from(matches!(self.format, LineFormat::Csv));
        let (rows, has_more) = (self.rows.len(), self.has_more);
        let left_out = (rows + header).saturating_sub(self.file.len());
        let what = SavedRows { rows, left_out, has_more }.to_string().into();
        self.destination.write(self.file, what)
    }
}

impl LineFormat {
    fn header(&self, columns: &[ColumnHead], cx: &RowContext<'_>) -> Option<String> {
        match self {
            Self::Json => None,
            Self::Csv => Some(csv_header(columns)),
            Self::Table(table) => Some(table_header(columns, cx, &table.columns)),
        }
    }

    fn line(&self, row: &ListedRow, reader: &mut RowReader, cx: &RowContext<'_>) -> Option<String> {
        match self {
            Self::Json => reader.json(row).map(json_line),
            Self::Csv => Some(csv_line(reader.scan(row)?.row().ok()?).to_string()),
            Self::Table(table) => Some(match reader.scan(row)?.row() {
                Ok(row) => table_row(row, cx, &table.columns),
                Err(why) => ListNotice::Unreadable { why }.to_string(),
            }),
        }
    }
}

impl TableMeasure {
    fn resume(
        &mut self,
        (rows, reader): (&[ListedRow], &mut RowReader),
        columns: &[ColumnHead],
        cx: &RowContext<'_>,
        slice: &TimeSlice,
    ) {
        while let Some(row) = rows.get(self.measured).filter(|_| !slice.is_over()) {
            let item = reader.scan(row);
            let row: Vec<_> = item.iter().filter_map(|item| item.row().ok()).collect();
            self.extent.extend(&TableExtent::new(columns, &row, cx));
            self.measured += 1;
        }
        if self.measured == rows.len() && self.columns.is_empty() {
            self.columns = self.extent.layout(columns, u16::MAX, cx);
        }
    }
}

impl ListPane {
    /// Begins to save the rows as shown.
    pub(super) fn save_as(&mut self, path: &str, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.is_filtering() || self.is_sorting() {
            return vec![Command::Notify(list::NOT_FILTERED.into())];
        }
        self.export = Some(path.into());
        let extension = Path::new(path).extension();
        let format = match extension.and_then(|extension| extension.to_str()) {
            Some("jsonl") => LineFormat::Json,
            Some("csv") => LineFormat::Csv,
            _ => return vec![Command::Notify(list::EXPORT_NAME.into())],
        };
        self.begin_export(ExportDestination::File(path.into()), format, cx)
    }

    /// Begins to write the rows as shown for an external program.
    pub(super) fn open_in(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.len() == 0 {
            return vec![Command::Notify(self.why_empty().into())];
        }
        let (extension, format) = match tool {
            ExternalTool::Editor => ("jsonl", LineFormat::Json),
            ExternalTool::Pager => ("txt", LineFormat::Table(TableMeasure::default())),
        };
        let name = format!("{}.{extension}", self.kind.list_name);
        self.begin_export(ExportDestination::Program(tool, name), format, cx)
    }

    fn begin_export(
        &mut self,
        destination: ExportDestination,
        format: LineFormat,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let (numbers, order) = self.filter.placed_rows(self.paged.rows().len());
        let rows = numbers.filter_map(|number| self.paged.rows().get(number).cloned());
        self.row_export = Some(RowExport {
            destination,
            format,
            rows: rows.collect(),
            order: order.to_vec(),
            has_more: *self.paged.tail() != TailState::End,
            lines: Vec::new(),
            file: Vec::new(),
            placed: 0,
        });
        self.continue_export(cx).into_iter().collect()
    }

    /// Writes the next lines of an export, and the file after the last.
    pub(super) fn continue_export(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let row_cx = self.row_context(cx, None);
        let mut export = self.row_export.take()?;
        if export.resume(self.reader.get_mut(), self.kind.columns, &row_cx) {
            return Some(export.finish());
        }
        self.row_export = Some(export);
        None
    }

    /// Describes the finished part of an export.
    pub(super) fn export_progress(&self) -> Option<String> {
        let (done, all) = self.row_export.as_ref()?.progress();
        Some(format!("exporting {}%… ", done * 100 / all.max(1)))
    }
}
