//! The file of labels: CSV that the user may also edit by hand or in a spreadsheet. Only the rows that
//! a change is about are written anew; everything else in it stays byte for byte.

use std::iter;

use csv::{QuoteStyle, ReaderBuilder, Terminator, WriterBuilder};

use super::{Label, LabelEdit, LabelField, Labels, MAX_LABEL_CHARS, name};
use crate::chain::Address;
use crate::chain::target::{Target, TargetKind};
use crate::csv_output::{escape_formula, unescape_formula};
use crate::sanitize::SafeText;

/// What a new file begins with.
const HEADER: &str = "address,name,watch";
/// A record with line breaks in it has no more bytes: a quote that was left open spoils its own line only.
const MAX_RECORD_BYTES: usize = 4 << 10;
/// No more problems are told.
const MAX_PROBLEMS: usize = 100;

/// The file, record by record.
struct LabelFile<'a> {
    columns: LabelColumns,
    records: Vec<LabelRecord<'a>>,
}

/// A record, with its line break.
struct LabelRecord<'a> {
    text: &'a str,
    /// The number of its first line.
    line: usize,
    kind: LineKind,
}

enum LineKind {
    /// A blank line, a comment, or the head.
    Other,
    Row(LabelRow),
    /// It cannot be read, because of this.
    Invalid(String),
}

struct LabelRow {
    address: Address,
    label: Label,
    fields: Vec<String>,
}

/// Which column is where.
struct LabelColumns {
    address: usize,
    name: Option<usize>,
    watch: Option<usize>,
    /// What stands between them: a semicolon where the spreadsheet's user writes `0,5`.
    delimiter: u8,
}

/// Reads the file.
pub(super) fn read(text: &str) -> Labels {
    let mut labels = Labels::default();
    let sheet = match LabelFile::parse(text) {
        Ok(sheet) => sheet,
        Err(why) => return Labels { problems: vec![why], ..labels },
    };
    for record in sheet.records {
        let problem = match record.kind {
            LineKind::Other => None,
            LineKind::Invalid(why) => Some(why),
            LineKind::Row(row) if labels.of(&row.address).is_some() => {
                Some(format!("{} stands further up already", row.address))
            }
            LineKind::Row(row) => {
                if !row.label.is_empty() {
                    labels.add(row.address, row.label);
                }
                None
            }
        };
        let told = problem.map(|why| SafeText::new(&format!("line {}: {why}", record.line)));
        labels.problems.extend(told.filter(|_| labels.problems.len() < MAX_PROBLEMS));
    }
    labels
}

/// The file after a change, or why it cannot hold it.
pub fn apply_edit(text: &str, change: &LabelEdit) -> Result<String, SafeText> {
    let sheet = LabelFile::parse(text)?;
    let column = match change.field {
        LabelField::Name(_) => sheet.columns.name.ok_or("its head has no column `name`")?,
        LabelField::Watched(_) => sheet.columns.watch.ok_or("its head has no column `watch`")?,
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + 128);
    let mut label: Option<Label> = None;
    for record in sheet.records {
        match record.kind {
            LineKind::Row(mut row) if row.address == change.address => {
                row.set(column, &change.field);
                // Should it stand there twice, both rows say the same from now on.
                let label = label.get_or_insert_with(|| row.label.clone());
                if row.label != *label {
                    row.become_like(label, &sheet.columns);
                }
                out.push_str(&row.written(&sheet.columns, line_break).unwrap_or_default());
            }
            _ => out.push_str(record.text),
        }
    }
    if label.is_none() {
        let mut row = LabelRow::new(change.address, &sheet.columns);
        row.set(column, &change.field);
        append_row(&mut out, &row, &sheet.columns, line_break);
    }
    Ok(out)
}

fn append_row(out: &mut String, row: &LabelRow, columns: &LabelColumns, line_break: &str) {
    let Some(written) = row.written(columns, line_break) else { return };
    if out.trim_matches('\u{feff}').is_empty() {
        out.push_str(HEADER);
    }
    if !out.ends_with('\n') {
        out.push_str(line_break);
    }
    out.push_str(&written);
}

impl<'a> LabelFile<'a> {
    fn parse(text: &'a str) -> Result<Self, SafeText> {
        let body = |record: &str| record.trim_start_matches('\u{feff}').trim().to_owned();
        let is_aside = |record: &str| record.is_empty() || record.starts_with('#');
        let first = text.lines().map(body).find(|line| !is_aside(line)).unwrap_or_default();
        let (columns, has_head) = LabelColumns::read(&first)?;
        let mut head_is_due = has_head;
        let (mut rest, mut line) = (text, 1);
        let records = iter::from_fn(|| {
            let (first, _) = rest.split_at(line_end(rest));
            let aside = is_aside(&body(first));
            let (text, kind) = if aside || std::mem::take(&mut head_is_due) {
                (first, LineKind::Other)
            } else {
                columns.record(rest, first)
            };
            let at = line;
            line += text.matches('\n').count();
            rest = rest.get(text.len()..).unwrap_or_default();
            (!text.is_empty()).then_some(LabelRecord { text, line: at, kind })
        });
        let records = records.collect();
        Ok(Self { columns, records })
    }
}

/// Where the first line ends, with its line break.
fn line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

impl LabelColumns {
    /// What the first line says, and whether it is a head.
    fn read(first: &str) -> Result<(Self, bool), SafeText> {
        let other = [b';', b'\t'].into_iter().find(|c| first.contains(char::from(*c)));
        let delimiter = other.filter(|_| !first.contains(',')).unwrap_or(b',');
        let titles = fields(first, delimiter).unwrap_or_default();
        let at = |title: &str| titles.iter().position(|t| t.trim().eq_ignore_ascii_case(title));
        if let Some(address) = at("address") {
            return Ok((Self { address, name: at("name"), watch: at("watch"), delimiter }, true));
        }
        let is_row = titles.iter().any(|field| field.trim().starts_with("0x"));
        if !first.is_empty() && !is_row {
            return Err("its head has no column `address`".into());
        }
        Ok((Self { address: 0, name: Some(1), watch: Some(2), delimiter }, false))
    }

    /// The first record of `rest`, whose first line is `first`.
    fn record<'a>(&self, rest: &'a str, first: &'a str) -> (&'a str, LineKind) {
        let whole = record_end(rest, self.delimiter).and_then(|end| rest.get(..end));
        match whole.filter(|whole| whole.len() > first.len()).map(|whole| (whole, self.row(whole)))
        {
            Some((whole, Ok(row))) => (whole, LineKind::Row(row)),
            _ => (first, self.row(first).map_or_else(LineKind::Invalid, LineKind::Row)),
        }
    }

    fn row(&self, record: &str) -> Result<LabelRow, String> {
        let fields = fields(record, self.delimiter).ok_or("this is no CSV")?;
        let field = |at: Option<usize>| at.and_then(|at| fields.get(at)).map_or("", String::as_str);
        let address = address(field(Some(self.address)).trim())?;
        let shown = unescape_formula(field(self.name));
        if shown.trim().contains(['\n', '\r']) {
            return Err("there is a line break in the name: was a quote left open?".into());
        }
        let name = name(shown);
        if name.as_ref().is_some_and(|name| name.chars().count() > MAX_LABEL_CHARS) {
            return Err(format!("the name has more than {MAX_LABEL_CHARS} characters"));
        }
        let watched = is_yes(field(self.watch).trim())?;
        Ok(LabelRow { address, label: Label { name, watched }, fields })
    }
}

fn address(text: &str) -> Result<Address, String> {
    match text.parse() {
        Ok(Target {
            kind: TargetKind::Address(address),
            explorer: None,
            checksum_mismatch: false,
        }) => Ok(address),
        Ok(Target { checksum_mismatch: true, .. }) => {
            Err("the checksum of the address does not match: a digit may be wrong".into())
        }
        _ => Err("there is no address (0x and 40 hex digits)".into()),
    }
}

fn is_yes(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" | "1" | "x" => Ok(true),
        "no" | "n" | "false" | "0" | "" => Ok(false),
        _ => Err("`watch` is neither yes nor no".into()),
    }
}

impl LabelRow {
    fn new(address: Address, columns: &LabelColumns) -> Self {
        let mut row = Self { address, label: Label::default(), fields: Vec::new() };
        for column in [columns.name, columns.watch].into_iter().flatten() {
            row.put(column, String::new());
        }
        row.put(columns.address, address.to_string());
        row
    }

    fn put(&mut self, column: usize, text: String) {
        if self.fields.len() <= column {
            self.fields.resize(column + 1, String::new());
        }
        if let Some(field) = self.fields.get_mut(column) {
            *field = text;
        }
    }

    fn set(&mut self, column: usize, to: &LabelField) {
        self.label.set(to);
        self.put(
            column,
            match to {
                LabelField::Name(name) => {
                    name.as_ref().map(|name| escape_formula(name).into_owned()).unwrap_or_default()
                }
                LabelField::Watched(true) => "yes".to_owned(),
                LabelField::Watched(false) => String::new(),
            },
        );
    }

    fn become_like(&mut self, label: &Label, columns: &LabelColumns) {
        let name = columns.name.map(|column| (column, LabelField::Name(label.name.clone())));
        let watch = columns.watch.map(|column| (column, LabelField::Watched(label.watched)));
        for (column, to) in name.into_iter().chain(watch) {
            self.set(column, &to);
        }
    }

    /// As a line; none for one that says nothing any more.
    fn written(&self, columns: &LabelColumns, line_break: &str) -> Option<String> {
        let own = [Some(columns.address), columns.name, columns.watch];
        let mut others = self.fields.iter().enumerate().filter(|(at, _)| !own.contains(&Some(*at)));
        if self.label.is_empty() && others.all(|(_, field)| field.trim().is_empty()) {
            return None;
        }
        let line = self.line(columns.delimiter, line_break, QuoteStyle::Necessary);
        // What begins like a comment is none.
        line.filter(|line| !line.trim_start().starts_with('#'))
            .or_else(|| self.line(columns.delimiter, line_break, QuoteStyle::Always))
    }

    fn line(&self, delimiter: u8, line_break: &str, quotes: QuoteStyle) -> Option<String> {
        let terminator = if line_break == "\n" { Terminator::Any(b'\n') } else { Terminator::CRLF };
        let mut writer = WriterBuilder::new();
        writer.delimiter(delimiter).terminator(terminator).quote_style(quotes);
        let mut writer = writer.from_writer(Vec::new());
        writer.write_record(&self.fields).ok()?;
        String::from_utf8(writer.into_inner().ok()?).ok()
    }
}

/// The fields of one record; none where there are two, as after a line break of old.
fn fields(record: &str, delimiter: u8) -> Option<Vec<String>> {
    let record = record.trim_start_matches('\u{feff}');
    let mut reader = ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(delimiter);
    reader.buffer_capacity(record.len().max(1));
    let mut records = reader.from_reader(record.as_bytes()).into_records();
    let record = records.next()?.ok()?;
    records.next().is_none().then_some(())?;
    Some(record.iter().map(str::to_owned).collect())
}

/// Where the first record ends; none when a quote is left open, or closed where no field ends.
fn record_end(text: &str, delimiter: u8) -> Option<usize> {
    /// Where in a field.
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Start,
        Plain,
        Quoted,
        /// After a quote that ends the field, unless another follows.
        Closed,
    }
    let mut at = At::Start;
    for (n, byte) in text.bytes().enumerate().take(MAX_RECORD_BYTES) {
        at = match (at, byte) {
            (At::Quoted, b'"') => At::Closed,
            (At::Start | At::Closed, b'"') | (At::Quoted, _) => At::Quoted,
            (_, b'\n') => return Some(n + 1),
            (_, byte) if byte == delimiter => At::Start,
            (At::Closed, byte) if byte != b'\r' => return None,
            _ => At::Plain,
        };
    }
    (text.len() <= MAX_RECORD_BYTES && at != At::Quoted).then_some(text.len())
}
