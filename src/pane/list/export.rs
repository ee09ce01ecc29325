//! The rows of a list as lines of a file: CSV, the original JSON, or a table for the pager. The lines are
//! written in slices, of the rows as they were listed at first, and the file gets them all at once.

use std::path::Path;
use std::sync::Arc;

use super::super::export::ExportDestination;
use super::super::{Command, ExternalTool, PaneContext, PanePrompt};
use super::ListPane;
use super::rows::order::RowOrder;
use super::rows::store::{ListedRow, RowReader};
use crate::api::page::paged_rows::TailState;
use crate::columns::RowContext;
use crate::columns::table::any_row::SentRow;
use crate::columns::table::column::{ColumnHead, column_fields};
use crate::columns::table::csv::{csv_header, csv_row};
use crate::columns::table::extent::{PlacedColumn, TableExtent};
use crate::columns::table::text_table::{table_header, table_row};
use crate::messages::export::ExportNote;
use crate::messages::list::{self, ListNotice, SavedRows};
use crate::sanitize::json_line;
use crate::time_slice::{TimeSlice, free_in_background};

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

/// The rows of an export, as they were listed when it began.
#[derive(Debug)]
struct ExportedRows {
    listed: Arc<Vec<ListedRow>>,
    /// Their numbers in the order of the explorer, in which they are read fastest.
    numbers: Vec<usize>,
}

impl ExportedRows {
    fn get(&self, position: usize) -> Option<&ListedRow> {
        self.listed.get(*self.numbers.get(position)?)
    }
}

/// An export that is not complete yet.
#[derive(Debug)]
pub(super) struct RowExport {
    destination: ExportDestination,
    format: LineFormat,
    /// The fields that are written, or `None` for all.
    fields: Option<Vec<&'static str>>,
    rows: ExportedRows,
    /// The positions of the first rows of the file among them.
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
        slice: &mut TimeSlice,
    ) -> bool {
        let fields = self.fields.as_deref();
        if let LineFormat::Table(table) = &mut self.format {
            table.resume((&self.rows, fields), reader, cx, slice);
        }
        while let Some(row) = self.rows.get(self.lines.len()) {
            if slice.is_over() {
                return false;
            }
            self.lines.push(self.format.line(row, fields, reader, cx));
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
        (measured + self.lines.len() + self.placed, steps * self.rows.numbers.len())
    }

    /// Returns the command that writes the file.
    fn finish(self) -> Command {
        let header = usize::from(matches!(self.format, LineFormat::Csv));
        let (rows, has_more) = (self.lines.len(), self.has_more);
        let left_out = (rows + header).saturating_sub(self.file.len());
        let what = SavedRows { rows, left_out, has_more }.to_string().into();
        free_in_background(self.rows);
        self.destination.write(self.file, what)
    }
}

impl LineFormat {
    /// Returns the fields on which the lines depend, or `None` if they may be any, as for warnings.
    fn fields(&self, columns: &[ColumnHead]) -> Option<Vec<&'static str>> {
        let numbers: Vec<usize> = (0..columns.len()).collect();
        match self {
            Self::Json => column_fields(columns, &[]),
            Self::Csv => None,
            Self::Table(_) => column_fields(columns, &numbers),
        }
    }

    fn header(&self, columns: &[ColumnHead], cx: &RowContext<'_>) -> Option<String> {
        match self {
            Self::Json => None,
            Self::Csv => Some(csv_header(columns)),
            Self::Table(table) => Some(table_header(columns, cx, &table.columns)),
        }
    }

    fn line(
        &self,
        row: &ListedRow,
        fields: Option<&[&str]>,
        reader: &mut RowReader,
        cx: &RowContext<'_>,
    ) -> Option<String> {
        match self {
            Self::Json => reader.json(row).map(json_line),
            Self::Csv => {
                reader.scan(row, fields, |sent| Some(csv_row(sent.row.ok()?, cx).to_string()))?
            }
            Self::Table(table) => reader.scan(row, fields, |sent| match sent.row {
                Ok(row) => table_row(row, cx, &table.columns),
                Err(why) => ListNotice::Unreadable { why }.to_string(),
            }),
        }
    }
}

impl TableMeasure {
    fn resume(
        &mut self,
        (rows, fields): (&ExportedRows, Option<&[&str]>),
        reader: &mut RowReader,
        cx: &RowContext<'_>,
        slice: &TimeSlice,
    ) {
        let columns = reader.columns();
        while let Some(row) = rows.get(self.measured).filter(|_| !slice.is_over()) {
            let measure =
                |sent: SentRow<'_>| Some(TableExtent::new(columns, &[sent.row.ok()?], cx));
            if let Some(extent) = reader.scan(row, fields, measure).flatten() {
                self.extent.extend(&extent);
            }
            self.measured += 1;
        }
        if self.measured == rows.numbers.len() && self.columns.is_empty() {
            self.columns = self.extent.layout(columns, u16::MAX, cx);
        }
    }
}

impl ListPane {
    /// Begins to save the rows as shown.
    pub(super) fn save_as(&mut self, path: &str, cx: &PaneContext<'_>) -> Vec<Command> {
        self.export = Some(path.into());
        let extension = Path::new(path).extension();
        let format = match extension.and_then(|extension| extension.to_str()) {
            Some("jsonl") => LineFormat::Json,
            Some("csv") => LineFormat::Csv,
            _ => {
                return vec![Command::RefusePrompt(PanePrompt::Export, list::EXPORT_NAME.into())];
            }
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
        if self.is_filtering() || self.is_sorting() {
            return vec![Command::Notify(list::NOT_FILTERED.into())];
        }
        // The calls of folds are rows of the file.
        let rows = if self.filter.has_folds() { self.paged.rows().len() } else { self.len() };
        let number = |at| if self.filter.has_folds() { Some(at) } else { self.filter.unsorted(at) };
        self.row_export = Some(RowExport {
            destination,
            fields: format.fields(self.kind.columns),
            format,
            rows: ExportedRows {
                listed: self.paged.shared_rows(),
                numbers: (0..rows).filter_map(number).collect(),
            },
            order: self.filter.order().map(RowOrder::rows).unwrap_or_default(),
            has_more: *self.paged.tail() != TailState::End,
            lines: Vec::new(),
            file: Vec::new(),
            placed: 0,
        });
        self.continue_export(&mut TimeSlice::begin(), cx).into_iter().collect()
    }

    /// Writes the next lines of an export, and the file after the last.
    pub(super) fn continue_export(
        &mut self,
        slice: &mut TimeSlice,
        cx: &PaneContext<'_>,
    ) -> Option<Command> {
        let row_cx = self.row_context(cx, None);
        let mut export = self.row_export.take()?;
        if export.resume(self.reader.get_mut(), self.kind.columns, &row_cx, slice) {
            return Some(export.finish());
        }
        self.row_export = Some(export);
        None
    }

    pub(super) fn stop_export(&mut self) {
        if let Some(export) = self.row_export.take() {
            free_in_background(export);
        }
    }

    /// Describes the finished part of an export.
    pub(super) fn export_progress(&self) -> Option<String> {
        let (done, all) = self.row_export.as_ref()?.progress();
        Some(ExportNote::Progress { percent: done * 100 / all.max(1) }.to_string())
    }
}
