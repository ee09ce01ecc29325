//! Lists for scripts: the same client and the same columns as the screen, without a screen.

pub mod trace;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::pin::pin;
use std::slice;

use clap::ValueEnum;
use jiff::Timestamp;

use crate::api::json_fields::parse_array;
use crate::api::paged_rows::{PagedRows, TailState};
use crate::api::{ApiError, Item, Query, Reply};
use crate::chain::network::Network;
use crate::chain::{Address, TxHash};
use crate::columns::column::column_widths;
use crate::columns::text::{csv_header, csv_line, table_header, table_row};
use crate::columns::{Row, RowContext};
use crate::msg::{NetworkEvent, Priority};
use crate::name_cache::NameCache;
use crate::net::provider::Provider;
use crate::runtime::user_data_writer;
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::json_line;
use crate::ui::ascii;
use crate::ui::number_format::FormatOptions;

/// What is printed.
#[derive(Debug, Clone, Copy)]
pub struct ListOptions {
    /// At most so many rows.
    pub limit: usize,
    /// In which form.
    pub format: OutputFormat,
    /// Whether to say that there are more: the limit is ours, not the user's.
    pub hint_more: bool,
}

/// How a table is written; the other forms are for programs, and always the same.
#[derive(Debug, Clone, Default)]
pub struct OutputStyle {
    /// How amounts of the coin and times are.
    pub format: FormatOptions,
    /// Whether it has only ASCII.
    pub ascii: bool,
}

/// In which form rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For reading: shortened to the width of the terminal.
    Table,
    /// Each item as the server sent it, one a line.
    Jsonl,
    /// Full values, one row a line, with a head.
    Csv,
}

/// Why the program ends badly.
#[derive(Debug)]
pub enum CliError {
    /// It was called wrongly.
    Usage(String),
    /// The server, the network or the terminal failed.
    Runtime(String),
}

impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        Self::Runtime(format!("{error} ({})", error.hint()))
    }
}

/// Columns of a table that nobody looks at on a terminal.
const DEFAULT_TABLE_WIDTH: u16 = 200;

/// Prints the rows that answer `query`, page after page. A closed pipe ends it quietly.
pub async fn print_list<T: Row>(
    source: &Provider,
    query: Query,
    network: &Network,
    output: ListOptions,
    manner: &OutputStyle,
) -> Result<(), CliError> {
    let mut printer =
        RowPrinter::new(output.format, network, query.viewed_address(), source.now(), manner);
    if output.format == OutputFormat::Table {
        printer.seen = load_labels(network);
    }
    let result = print_pages::<T>(source, query, output.limit, &mut printer).await;
    printer.clear_progress();
    match result {
        Ok(more) => {
            printer.finish().or_else(|e| ignore_broken_pipe(&e))?;
            if more && output.hint_more {
                let words = format!("{} rows; there are more: --all, or --limit N", output.limit);
                let _ = writeln!(io::stderr(), "{words}"); // nobody reads it
            }
            Ok(())
        }
        Err(PrintError::Io(error)) => ignore_broken_pipe(&error),
        Err(PrintError::Api(error)) => {
            printer.finish().or_else(|e| ignore_broken_pipe(&e))?;
            Err(error.into())
        }
    }
}

/// Prints a transaction's raw trace, an array an entry a line.
pub async fn print_raw_trace(source: &Provider, transaction: TxHash) -> Result<(), CliError> {
    let query = Query::RawTrace(transaction);
    let Reply::RawTrace(raw) =
        with_progress(source, source.fetch(&query, None, Priority::Interactive)).await?
    else {
        return Ok(()); // the answer to another kind of question
    };
    let mut out = BufWriter::new(io::stdout());
    let entries = parse_array(&raw).unwrap_or_else(|_| vec![&*raw]);
    let mut lines = entries.into_iter().map(|entry| writeln!(out, "{}", json_line(entry.get())));
    let written = lines.try_for_each(|line| line);
    drop(lines);
    written.and_then(|()| out.flush()).or_else(|e| ignore_broken_pipe(&e))
}

/// What the user says of addresses. What is wrong with it is told on stderr.
pub fn load_labels(network: &Network) -> NameCache {
    let mut seen = NameCache::default();
    let key = network.storage_key();
    let labels = user_data_writer::load_labels(&key);
    let wrong = labels.as_ref().map_or_else(slice::from_ref, |labels| labels.problems());
    for problem in wrong {
        let _ = writeln!(io::stderr(), "labels/{key}.csv: {problem}"); // nobody reads it
    }
    seen.set_labels(labels.unwrap_or_default());
    seen
}

/// Waits for an answer of `source`, and says on a terminal meanwhile what it has to wait for.
async fn with_progress<T>(source: &Provider, answer: impl Future<Output = T>) -> T {
    let mut news = source.subscribe();
    let mut answer = pin!(answer);
    let mut is_shown = false;
    let answer = loop {
        let news = tokio::select! {
            answer = &mut answer => break answer,
            Some(news) = news.recv() => news,
        };
        if let NetworkEvent::Status(standing) = news
            && io::stderr().is_terminal()
        {
            let words = standing.wait_text().unwrap_or_default();
            let _ = write!(io::stderr(), "\r\x1b[K{words}"); // nobody reads it
            is_shown = !words.is_empty();
        }
    };
    if is_shown {
        let _ = write!(io::stderr(), "\r\x1b[K"); // nobody reads it
    }
    answer
}

/// Why printing stopped early.
enum PrintError {
    Io(io::Error),
    Api(ApiError),
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn ignore_broken_pipe(error: &io::Error) -> Result<(), CliError> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(CliError::Runtime(error.to_string())),
    }
}

/// Prints pages up to the limit; whether there are more.
async fn print_pages<T: Row>(
    source: &Provider,
    query: Query,
    limit: usize,
    printer: &mut RowPrinter<'_>,
) -> Result<bool, PrintError> {
    let mut paged = PagedRows::<T, T::Id>::default();
    while let Some(ask) = paged.request_next().filter(|_| printer.rows < limit) {
        let reply =
            with_progress(source, source.fetch(&query, ask.cursor.as_ref(), Priority::Interactive))
                .await;
        let page = match reply.map(T::page) {
            Ok(Some(page)) => Ok(page),
            Ok(None) => return Ok(false), // the answer to another kind of question
            Err(error) => Err(error),
        };
        if page.is_ok() && printer.rows == 0 {
            printer.head::<T>()?;
        }
        paged.receive(page, |item| item.parsed.as_ref().ok().and_then(Row::id));
        for item in paged.take_rows().iter().take(limit - printer.rows) {
            printer.row(item)?;
        }
        printer.progress();
    }
    match paged.tail() {
        TailState::Failed(_, error) if printer.rows < limit => Err(PrintError::Api(error.clone())),
        tail => Ok(*tail != TailState::End),
    }
}

/// Writes rows in one format.
struct RowPrinter<'a> {
    format: OutputFormat,
    network: &'a Network,
    viewed: Option<Address>,
    now: Timestamp,
    style: &'a OutputStyle,
    /// Nobody: a list that is printed warns of nothing.
    known: KnownAddresses,
    /// What the user says of addresses.
    seen: NameCache,
    out: BufWriter<io::Stdout>,
    /// Table columns.
    width: u16,
    rows: usize,
    /// Whether a progress line is on stderr.
    progress: bool,
}

impl<'a> RowPrinter<'a> {
    fn new(
        format: OutputFormat,
        network: &'a Network,
        viewed: Option<Address>,
        now: Timestamp,
        manner: &'a OutputStyle,
    ) -> Self {
        let room = match crossterm::terminal::size() {
            Ok((columns, _)) if io::stdout().is_terminal() => columns,
            _ => DEFAULT_TABLE_WIDTH,
        };
        let out = BufWriter::new(io::stdout());
        let (known, seen) = (KnownAddresses::default(), NameCache::default());
        Self {
            format,
            network,
            viewed,
            now,
            style: manner,
            known,
            seen,
            out,
            width: room,
            rows: 0,
            progress: false,
        }
    }

    fn head<T: Row>(&mut self) -> io::Result<()> {
        match self.format {
            OutputFormat::Jsonl => Ok(()),
            OutputFormat::Csv => writeln!(self.out, "{}", csv_header::<T>()),
            OutputFormat::Table => {
                let widths = column_widths::<T>(self.width, 11, &self.style.format);
                let line = table_header::<T>(&self.cx(), &widths);
                self.line(&line)
            }
        }
    }

    fn row<T: Row>(&mut self, item: &Item<T>) -> io::Result<()> {
        self.rows += 1;
        match (self.format, &item.parsed) {
            (OutputFormat::Jsonl, _) => writeln!(self.out, "{}", json_line(item.raw.get())),
            (_, Err(why)) => {
                self.clear_progress();
                self.out.flush()?;
                writeln!(io::stderr(), "row {} cannot be read: {why}", self.rows)
            }
            (OutputFormat::Csv, Ok(row)) => writeln!(self.out, "{}", csv_line(row)),
            (OutputFormat::Table, Ok(row)) => {
                let widths = column_widths::<T>(self.width, 11, &self.style.format);
                let line = table_row(row, &self.cx(), &widths);
                self.line(&line)
            }
        }
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        let line = if self.style.ascii { ascii::to_ascii(line) } else { line.into() };
        writeln!(self.out, "{line}")
    }

    /// What cells are written with.
    fn cx(&self) -> RowContext<'_> {
        let (viewed, now, network) = (self.viewed, self.now, self.network);
        let (known, seen, notation) = (&self.known, &self.seen, &self.style.format);
        RowContext {
            viewed,
            now,
            network,
            known_addresses: known,
            name_cache: seen,
            abbreviator: None,
            format: notation,
        }
    }

    /// Says on a terminal how far it is.
    fn progress(&mut self) {
        // With the rows on the same terminal the rows are progress enough.
        if io::stderr().is_terminal() && !io::stdout().is_terminal() {
            let _ = write!(io::stderr(), "\r{} rows…", self.rows); // nobody reads it
            self.progress = true;
        }
    }

    fn clear_progress(&mut self) {
        if std::mem::take(&mut self.progress) {
            let _ = write!(io::stderr(), "\r\x1b[K"); // nobody reads it
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
