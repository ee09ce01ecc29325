//! Parses and edits the label file: CSV that the user may also edit by hand or in a spreadsheet.
//!
//! An edit rewrites the rows of one address. Everything else is kept: other rows, comments, rows that
//! cannot be parsed, and the user's own columns.

use std::iter;

use csv::{QuoteStyle, Terminator, WriterBuilder};

use super::{Label, LabelEdit, LabelField, Labels, MAX_LABEL_CHARS, parse_name};
use crate::chain::Address;
use crate::chain::target::{TargetKind, has_checksum_mismatch};
use crate::csv_record::{escape_formula, unescape_formula};
use crate::messages::labels::LabelFileError;
use crate::sanitize::SafeText;

/// First line of a new file.
const HEADER: &str = "address,name,watch";
/// Maximum lines of a record, so that an unclosed quote spoils its own line only, and many of them are
/// parsed in linear time.
const MAX_RECORD_LINES: usize = 16;
const MAX_PROBLEMS: usize = 100;

struct LabelFile<'a> {
    layout: Layout,
    records: Vec<LabelRecord<'a>>,
}

/// A record with its text, including the line break.
struct LabelRecord<'a> {
    text: &'a str,
    line: usize,
    kind: RecordKind,
}

enum RecordKind {
    /// A blank line, a comment or the header.
    Other,
    Row(LabelRow),
    /// A row that cannot be parsed, with the reason.
    Invalid(LabelFileError),
}

struct LabelRow {
    address: Address,
    label: Label,
    fields: Vec<String>,
    /// `true` if the last field has a quote that its line does not close. Without the rows that an
    /// edit removes, a later line could.
    is_open: bool,
}

/// The columns of a file, and the format of its records.
struct Layout {
    address: usize,
    name: Option<usize>,
    watch: Option<usize>,
    /// Spreadsheets write a semicolon in locales with a decimal comma.
    delimiter: u8,
    line_break: &'static str,
}

pub(super) fn parse(text: &str) -> Labels {
    let mut labels = Labels::default();
    let file = match LabelFile::parse(text) {
        Ok(file) => file,
        Err(why) => return Labels { problems: vec![why.into()], ..labels },
    };
    for record in file.records {
        let problem = match record.kind {
            RecordKind::Other => continue,
            RecordKind::Row(row) if labels.get(&row.address).is_some() => {
                LabelFileError::Duplicate(row.address)
            }
            RecordKind::Row(row) => {
                if !row.label.is_empty() {
                    labels.set(row.address, row.label);
                }
                continue;
            }
            RecordKind::Invalid(why) => why,
        };
        if labels.problems.len() < MAX_PROBLEMS {
            labels.problems.push(SafeText::new(&format!("line {}: {problem}", record.line)));
        }
    }
    labels
}

/// Returns the text of a label file after an edit. Fails without a column for the edited field.
pub fn apply_edit(text: &str, edit: &LabelEdit) -> Result<String, SafeText> {
    let LabelFile { layout, records } = LabelFile::parse(text)?;
    layout.check_column_of(&edit.field)?;
    // A duplicate row gets the label of the first.
    let mut label: Option<Label> = None;
    let mut out = String::with_capacity(text.len() + 128);
    for record in records {
        match record.kind {
            RecordKind::Row(mut row) if row.address == edit.address => {
                let label = label.get_or_insert_with(|| {
                    let mut label = row.label.clone();
                    label.set(&edit.field);
                    label
                });
                row.set_label(label, &layout);
                out.push_str(&row.to_line(&layout).unwrap_or_default());
            }
            RecordKind::Row(mut row) if row.is_open => {
                row.drop_last_line_break();
                out.push_str(&row.to_line(&layout).unwrap_or_default());
            }
            _ => out.push_str(record.text),
        }
    }
    if label.is_none() {
        append_row(&mut out, edit, &layout);
    }
    Ok(out)
}

fn append_row(out: &mut String, edit: &LabelEdit, layout: &Layout) {
    let mut label = Label::default();
    label.set(&edit.field);
    let mut row = LabelRow {
        address: edit.address,
        label: Label::default(),
        fields: Vec::new(),
        is_open: false,
    };
    row.set_field(Some(layout.address), &edit.address.to_string());
    row.set_field(layout.name, "");
    row.set_field(layout.watch, "");
    row.set_label(&label, layout);
    let Some(line) = row.to_line(layout) else { return };
    if out.trim_matches('\u{feff}').is_empty() {
        out.push_str(HEADER);
    }
    if !out.ends_with('\n') {
        // Half of a line break may be there.
        out.push_str(if out.ends_with('\r') { "\n" } else { layout.line_break });
    }
    out.push_str(&line);
}

impl<'a> LabelFile<'a> {
    fn parse(text: &'a str) -> Result<Self, LabelFileError> {
        let first = text.lines().find(|line| !is_blank_or_comment(line)).unwrap_or_default();
        let (layout, mut header_is_due) = Layout::parse(trim(first), text.contains("\r\n"))?;
        let mut rest = text;
        let mut line = 1;
        let records = iter::from_fn(|| {
            let first = rest.split_inclusive('\n').next()?;
            let (text, kind) = if is_blank_or_comment(first) || std::mem::take(&mut header_is_due) {
                (first, RecordKind::Other)
            } else {
                layout.parse_record(rest, first)
            };
            let record = LabelRecord { text, line, kind };
            line += text.matches('\n').count();
            rest = rest.get(text.len()..).unwrap_or_default();
            Some(record)
        })
        .collect();
        Ok(Self { layout, records })
    }
}

fn trim(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

fn is_blank_or_comment(line: &str) -> bool {
    trim(line).is_empty() || trim(line).starts_with('#')
}

impl Layout {
    /// Parses the first line. The flag is `true` if that is a header.
    fn parse(first: &str, has_crlf: bool) -> Result<(Self, bool), LabelFileError> {
        let other = [b';', b'\t'].into_iter().find(|c| first.contains(char::from(*c)));
        let delimiter = other.filter(|_| !first.contains(',')).unwrap_or(b',');
        let line_break = if has_crlf { "\r\n" } else { "\n" };
        let titles = split_fields(first, delimiter);
        let at = |title: &str| titles.iter().position(|t| t.trim().eq_ignore_ascii_case(title));
        if let Some(address) = at("address") {
            let layout =
                Self { address, name: at("name"), watch: at("watch"), delimiter, line_break };
            return Ok((layout, true));
        }
        let is_row = titles.iter().any(|field| field.trim().starts_with("0x"));
        if !first.is_empty() && !is_row {
            return Err(LabelFileError::NoColumn("address"));
        }
        Ok((Self { address: 0, name: Some(1), watch: Some(2), delimiter, line_break }, false))
    }

    fn check_column_of(&self, field: &LabelField) -> Result<(), LabelFileError> {
        match field {
            LabelField::Name(_) if self.name.is_none() => Err(LabelFileError::NoColumn("name")),
            LabelField::Watched(_) if self.watch.is_none() => {
                Err(LabelFileError::NoColumn("watch"))
            }
            _ => Ok(()),
        }
    }

    /// Parses the first record of `rest`, whose first line is `first`. A record of several lines
    /// that cannot be parsed counts as its first line only.
    fn parse_record<'a>(&self, rest: &'a str, first: &'a str) -> (&'a str, RecordKind) {
        let candidate = split_record(rest, self.delimiter);
        let record = candidate.filter(|record| record.is_well_quoted && record.end > first.len());
        let text = record.as_ref().and_then(|record| rest.get(..record.end));
        if let Some((text, Ok(row))) = text.map(|text| (text, self.parse_row(record))) {
            return (text, RecordKind::Row(row));
        }
        let row = self.parse_row(split_record(first, self.delimiter));
        (first, row.map_or_else(RecordKind::Invalid, RecordKind::Row))
    }

    fn parse_row(&self, record: Option<SplitRecord>) -> Result<LabelRow, LabelFileError> {
        let SplitRecord { fields, is_open, .. } = record.ok_or(LabelFileError::InvalidCsv)?;
        let field = |at: Option<usize>| at.and_then(|at| fields.get(at)).map_or("", String::as_str);
        let own = [Some(self.address), self.name, self.watch];
        if own.iter().any(|column| field(*column).contains(['\n', '\r'])) {
            return Err(LabelFileError::LineBreak);
        }
        let address = parse_address(field(Some(self.address)).trim())?;
        let name = parse_name(&unescape_formula(field(self.name)));
        if name.as_ref().is_some_and(|name| name.chars().count() > MAX_LABEL_CHARS) {
            return Err(LabelFileError::LongName { max: MAX_LABEL_CHARS });
        }
        let watched = parse_flag(field(self.watch).trim())?;
        Ok(LabelRow { address, label: Label { name, watched }, fields, is_open })
    }
}

fn parse_address(text: &str) -> Result<Address, LabelFileError> {
    let text = text.trim();
    match text.parse() {
        Ok(kind) if has_checksum_mismatch(text, &kind) => Err(LabelFileError::Checksum),
        Ok(TargetKind::Address(address)) => Ok(address),
        _ => Err(LabelFileError::NoAddress),
    }
}

fn parse_flag(text: &str) -> Result<bool, LabelFileError> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" | "1" | "x" => Ok(true),
        "no" | "n" | "false" | "0" | "" => Ok(false),
        _ => Err(LabelFileError::InvalidFlag),
    }
}

impl LabelRow {
    /// Removes the line break that an unclosed quote includes in the last field.
    fn drop_last_line_break(&mut self) {
        if let Some(field) = self.fields.last_mut() {
            field.truncate(field.trim_end_matches(['\n', '\r']).len());
        }
    }

    /// Rewrites the fields that change; others stay as the user wrote them.
    fn set_label(&mut self, label: &Label, layout: &Layout) {
        if self.label.name != label.name {
            let name = label.name.as_ref().map(|name| escape_formula(name)).unwrap_or_default();
            self.set_field(layout.name, &name);
        }
        if self.label.watched != label.watched {
            self.set_field(layout.watch, if label.watched { "yes" } else { "" });
        }
        self.label = label.clone();
    }

    fn set_field(&mut self, column: Option<usize>, text: &str) {
        let Some(column) = column else { return };
        if self.fields.len() <= column {
            self.fields.resize(column + 1, String::new());
        }
        if let Some(field) = self.fields.get_mut(column) {
            text.clone_into(field);
        }
    }

    /// Formats the row as a line, or returns `None` if it has neither a label nor a field of the
    /// user's own.
    fn to_line(&self, layout: &Layout) -> Option<String> {
        let own = [Some(layout.address), layout.name, layout.watch];
        let mut others = self.fields.iter().enumerate().filter(|(at, _)| !own.contains(&Some(*at)));
        if self.label.is_empty() && others.all(|(_, field)| field.trim().is_empty()) {
            return None;
        }
        let line = self.quoted_line(layout, QuoteStyle::Necessary);
        // A line that would read as a comment is quoted.
        line.filter(|line| !line.trim_start().starts_with('#'))
            .or_else(|| self.quoted_line(layout, QuoteStyle::Always))
    }

    fn quoted_line(&self, layout: &Layout, quotes: QuoteStyle) -> Option<String> {
        let is_lf = layout.line_break == "\n";
        let terminator = if is_lf { Terminator::Any(b'\n') } else { Terminator::CRLF };
        let mut builder = WriterBuilder::new();
        builder.delimiter(layout.delimiter).terminator(terminator).quote_style(quotes);
        let mut writer = builder.from_writer(Vec::new());
        writer.write_record(&self.fields).ok()?;
        String::from_utf8(writer.into_inner().ok()?).ok()
    }
}

/// The fields of a record.
struct SplitRecord {
    fields: Vec<String>,
    /// Offset of the next record.
    end: usize,
    /// `true` if each quote is closed, at the end of its field.
    is_well_quoted: bool,
    /// `true` if the last field has a quote that is not closed.
    is_open: bool,
}

pub(super) fn split_fields(text: &str, delimiter: u8) -> Vec<String> {
    split_record(text, delimiter).map(|record| record.fields).unwrap_or_default()
}

/// Splits off the first record. Returns `None` for a lone carriage return outside of quotes.
///
/// Quotes are read as leniently as in the csv crate. That crate is not used because it builds a table
/// for each reader, so that a file with many records would take seconds.
fn split_record(text: &str, delimiter: u8) -> Option<SplitRecord> {
    #[derive(Clone, Copy, PartialEq)]
    enum QuoteState {
        FieldStart,
        Unquoted,
        Quoted,
        /// After a quote that ends the field unless another follows.
        Closed,
    }
    use QuoteState::{Closed, FieldStart, Quoted, Unquoted};
    let body = text.trim_start_matches('\u{feff}');
    let (mut fields, mut field, mut state) = (Vec::new(), String::new(), FieldStart);
    let (mut end, mut lines, mut is_well_quoted) = (text.len(), 1, true);
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        lines += usize::from(c == '\n');
        match (state, c) {
            (Quoted, '"') => state = Closed,
            (Quoted, _) if lines > MAX_RECORD_LINES => break,
            (Quoted, _) => field.push(c),
            (FieldStart, '"') => state = Quoted,
            (Closed, '"') => {
                field.push(c);
                state = Quoted;
            }
            (_, '\r') if chars.peek().is_none_or(|(_, next)| *next == '\n') => {}
            (_, '\r') => return None,
            (_, '\n') => {
                end = text.len() - body.len() + at + 1;
                break;
            }
            _ if c == char::from(delimiter) => {
                fields.push(std::mem::take(&mut field));
                state = FieldStart;
            }
            _ => {
                is_well_quoted &= state != Closed;
                field.push(c);
                state = Unquoted;
            }
        }
    }
    fields.push(field);
    let is_open = state == Quoted;
    Some(SplitRecord { fields, end, is_well_quoted: is_well_quoted && !is_open, is_open })
}
