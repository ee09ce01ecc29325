//! Lists for scripts: the same client and the same columns as the screen, without a screen.

pub mod trace;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::pin::pin;
use std::slice;

use clap::ValueEnum;
use jiff::Timestamp;

use crate::api::json_fields::array;
use crate::api::{ApiError, Item, Query, Reply};
use crate::chain::network::Network;
use crate::chain::{Address, TxHash};
use crate::msg::{NetNews, Why};
use crate::name_cache::Seen;
use crate::net::provider::Source;
use crate::pane::paged::{Paged, Tail};
use crate::pane::row::{Row, RowCx, csv_head, csv_line, table_line, widths};
use crate::runtime::user_data_writer;
use crate::safety::address_poisoning::Known;
use crate::sanitize::json_line;
use crate::ui::ascii;
use crate::ui::number_format::Notation;

/// What is printed.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// At most so many rows.
    pub limit: usize,
    /// In which form.
    pub format: Format,
    /// Whether to say that there are more: the limit is ours, not the user's.
    pub say_more: bool,
}

/// How a table is written; the other forms are for programs, and always the same.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// How amounts of the coin and times are.
    pub notation: Notation,
    /// Whether it has only ASCII.
    pub ascii: bool,
}

/// In which form rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading: shortened to the width of the terminal.
    Table,
    /// Each item as the server sent it, one a line.
    Jsonl,
    /// Full values, one row a line, with a head.
    Csv,
}

/// Why the program ends badly.
#[derive(Debug)]
pub enum Failure {
    /// It was called wrongly.
    Usage(String),
    /// The server, the network or the terminal failed.
    Answer(String),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Answer(format!("{error} ({})", error.hint()))
    }
}

/// Columns of a table that nobody looks at on a terminal.
const WIDE: u16 = 200;

/// Prints the rows that answer `query`, page after page. A closed pipe ends it quietly.
pub async fn list<T: Row>(
    source: &Source,
    query: Query,
    network: &Network,
    output: Output,
    manner: &Manner,
) -> Result<(), Failure> {
    let mut printer = Printer::new(output.format, network, query.viewed(), source.now(), manner);
    if output.format == Format::Table {
        printer.seen = own(network);
    }
    let result = pages::<T>(source, query, output.limit, &mut printer).await;
    printer.clear_progress();
    match result {
        Ok(more) => {
            printer.finish().or_else(|e| quiet(&e))?;
            if more && output.say_more {
                let words = format!("{} rows; there are more: --all, or --limit N", output.limit);
                let _ = writeln!(io::stderr(), "{words}"); // nobody reads it
            }
            Ok(())
        }
        Err(Stop::Io(error)) => quiet(&error),
        Err(Stop::Api(error)) => {
            printer.finish().or_else(|e| quiet(&e))?;
            Err(error.into())
        }
    }
}

/// Prints a transaction's raw trace, an array an entry a line.
pub async fn raw_trace(source: &Source, transaction: TxHash) -> Result<(), Failure> {
    let query = Query::RawTrace(transaction);
    let Reply::RawTrace(raw) = patiently(source, source.fetch(&query, None, Why::Asked)).await?
    else {
        return Ok(()); // the answer to another kind of question
    };
    let mut out = BufWriter::new(io::stdout());
    let entries = array(&raw).unwrap_or_else(|_| vec![&*raw]);
    let mut lines = entries.into_iter().map(|entry| writeln!(out, "{}", json_line(entry.get())));
    let written = lines.try_for_each(|line| line);
    drop(lines);
    written.and_then(|()| out.flush()).or_else(|e| quiet(&e))
}

/// What the user says of addresses. What is wrong with it is told on stderr.
pub fn own(network: &Network) -> Seen {
    let mut seen = Seen::default();
    let key = network.key();
    let labels = user_data_writer::labels(&key);
    let wrong = labels.as_ref().map_or_else(slice::from_ref, |labels| labels.problems());
    for problem in wrong {
        let _ = writeln!(io::stderr(), "labels/{key}.csv: {problem}"); // nobody reads it
    }
    seen.set_labels(labels.unwrap_or_default());
    seen
}

/// Waits for an answer of `source`, and says on a terminal meanwhile what it has to wait for.
async fn patiently<T>(source: &Source, answer: impl Future<Output = T>) -> T {
    let mut news = source.news();
    let mut answer = pin!(answer);
    let mut is_shown = false;
    let answer = loop {
        let news = tokio::select! {
            answer = &mut answer => break answer,
            Some(news) = news.recv() => news,
        };
        if let NetNews::Standing(standing) = news
            && io::stderr().is_terminal()
        {
            let words = standing.words().unwrap_or_default();
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
enum Stop {
    Io(io::Error),
    Api(ApiError),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn quiet(error: &io::Error) -> Result<(), Failure> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failure::Answer(error.to_string())),
    }
}

/// Prints pages up to the limit; whether there are more.
async fn pages<T: Row>(
    source: &Source,
    query: Query,
    limit: usize,
    printer: &mut Printer<'_>,
) -> Result<bool, Stop> {
    let mut paged = Paged::<T, T::Id>::default();
    while let Some(ask) = paged.advance().filter(|_| printer.rows < limit) {
        let reply = patiently(source, source.fetch(&query, ask.cursor.as_ref(), Why::Asked)).await;
        let page = match reply.map(T::page) {
            Ok(Some(page)) => Ok(page),
            Ok(None) => return Ok(false), // the answer to another kind of question
            Err(error) => Err(error),
        };
        if page.is_ok() && printer.rows == 0 {
            printer.head::<T>()?;
        }
        paged.receive(page, |item| item.read.as_ref().ok().and_then(Row::id));
        for item in paged.take_rows().iter().take(limit - printer.rows) {
            printer.row(item)?;
        }
        printer.progress();
    }
    match paged.tail() {
        Tail::Failed(_, error) if printer.rows < limit => Err(Stop::Api(error.clone())),
        tail => Ok(*tail != Tail::End),
    }
}

/// Writes rows in one format.
struct Printer<'a> {
    format: Format,
    network: &'a Network,
    viewed: Option<Address>,
    now: Timestamp,
    manner: &'a Manner,
    /// Nobody: a list that is printed warns of nothing.
    known: Known,
    /// What the user says of addresses.
    seen: Seen,
    out: BufWriter<io::Stdout>,
    /// Table columns.
    room: u16,
    rows: usize,
    /// Whether a progress line is on stderr.
    progress: bool,
}

impl<'a> Printer<'a> {
    fn new(
        format: Format,
        network: &'a Network,
        viewed: Option<Address>,
        now: Timestamp,
        manner: &'a Manner,
    ) -> Self {
        let room = match crossterm::terminal::size() {
            Ok((columns, _)) if io::stdout().is_terminal() => columns,
            _ => WIDE,
        };
        let out = BufWriter::new(io::stdout());
        let (known, seen) = (Known::default(), Seen::default());
        Self {
            format,
            network,
            viewed,
            now,
            manner,
            known,
            seen,
            out,
            room,
            rows: 0,
            progress: false,
        }
    }

    fn head<T: Row>(&mut self) -> io::Result<()> {
        match self.format {
            Format::Jsonl => Ok(()),
            Format::Csv => writeln!(self.out, "{}", csv_head::<T>()),
            Format::Table => {
                let (cx, widths) = (self.cx(), widths::<T>(self.room, 11, &self.manner.notation));
                let columns = T::columns().iter().zip(&widths);
                let titles = columns.map(|(c, room)| c.head(&cx, (*room).into()).into_owned());
                let titles: Vec<String> = titles.collect();
                self.line::<T>(&titles, &widths)
            }
        }
    }

    fn row<T: Row>(&mut self, item: &Item<T>) -> io::Result<()> {
        self.rows += 1;
        match (self.format, &item.read) {
            (Format::Jsonl, _) => writeln!(self.out, "{}", json_line(item.raw.get())),
            (_, Err(why)) => {
                self.clear_progress();
                self.out.flush()?;
                writeln!(io::stderr(), "row {} cannot be read: {why}", self.rows)
            }
            (Format::Csv, Ok(row)) => writeln!(self.out, "{}", csv_line(row)),
            (Format::Table, Ok(row)) => {
                let (cx, widths) = (self.cx(), widths::<T>(self.room, 11, &self.manner.notation));
                let columns = T::columns().iter().zip(&widths);
                let cells =
                    columns.map(|(c, room)| (c.cell)(row, &cx, (*room).into()).text.into_owned());
                let cells: Vec<String> = cells.collect();
                self.line::<T>(&cells, &widths)
            }
        }
    }

    /// A line of a table, each cell in its column.
    fn line<T: Row>(&mut self, cells: &[String], widths: &[u16]) -> io::Result<()> {
        let line = table_line::<T>(cells, widths);
        let line = if self.manner.ascii { ascii::text(&line) } else { line.into() };
        writeln!(self.out, "{line}")
    }

    /// What cells are written with.
    fn cx(&self) -> RowCx<'_> {
        let (viewed, now, network) = (self.viewed, self.now, self.network);
        let (known, seen, notation) = (&self.known, &self.seen, &self.manner.notation);
        RowCx { viewed, now, network, known, seen, short: None, notation }
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
