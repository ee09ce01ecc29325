//! Lists printed page after page, in the formats of `chainglass get`.

use std::any::Any;
use std::cmp::Reverse;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::Arc;

use clap::ValueEnum;
use jiff::Timestamp;

use super::{
    CliError, OutputStyle, ignore_broken_pipe, learn_from_node, load_labels, print_note,
    print_progress, terminal_width, transaction_error, wait_for_index, with_progress,
};
use crate::abi::SignatureDb;
use crate::api::approvals::Approval;
use crate::api::endpoints::block::Block;
use crate::api::page::ItemPage;
use crate::api::page::paged_rows::{PagedRows, TailState};
use crate::api::transactions::Transaction;
use crate::api::{
    AddressQuery, ApiError, Cursor, InstanceKey, InstanceQuery, ListSubject, Query, TokenQuery,
    TransactionQuery, latest_block,
};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::coverage::BlockCoverage;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::chain::network::Network;
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId};
use crate::columns::table::any_row::{AnyItem, AnyRow, RowKind, row_id};
use crate::columns::table::csv::{csv_header, csv_row};
use crate::columns::table::extent::{PlacedColumn, TableExtent};
use crate::columns::table::text_table::{table_header, table_row};
use crate::columns::{ListRow, RowContext};
use crate::messages::Count;
use crate::messages::export::ExportNote;
use crate::messages::list::{Covered, ListNotice, ListTail, PENDING_TRANSACTIONS};
use crate::messages::page::PageMessage;
use crate::name_cache::NameCache;
use crate::net::provider::Provider;
use crate::pane::export::RowSort;
use crate::pane::list::row_selection::RowSelection;
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::json_line;
use crate::ui::ascii;

#[derive(Debug, Clone)]
pub struct ListOptions {
    pub limit: usize,
    pub format: OutputFormat,
    /// Words of the rows that are printed.
    pub matching: Option<String>,
    pub sort: Option<RowSort>,
    /// `true` to mention further rows, because the limit is the default.
    pub hint_more: bool,
}

/// The output format of a list. The variants' comments are part of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Columns shortened to the width of the terminal
    Table,
    /// One item per line, exactly as sent by the explorer
    Jsonl,
    /// The items of `jsonl` in one array
    Json,
    /// Full values, with a header line
    Csv,
}

/// Prints lists of one chain.
#[derive(Clone, Copy)]
pub struct ListPrinter<'a> {
    pub network: &'a Network,
    pub provider: &'a Provider,
    pub signatures: &'a SignatureDb,
    pub style: &'a OutputStyle,
}

impl ListPrinter<'_> {
    /// Prints the rows of a query, page after page. A closed pipe is not an error.
    pub async fn print(
        self,
        kind: &'static RowKind,
        query: Query,
        options: ListOptions,
    ) -> Result<(), CliError> {
        let Self { network, provider, signatures, style } = self;
        let is_selected = options.matching.is_some() || options.sort.is_some();
        let has_cells = is_selected || options.format == OutputFormat::Table;
        let name_cache = match options.format {
            OutputFormat::Jsonl | OutputFormat::Json if !has_cells => NameCache::default(),
            _ => load_labels(network),
        };
        let name_cache = with_token(name_cache, provider, &query, has_cells).await;
        let mut printer = RowPrinter {
            kind,
            format: options.format,
            network: network.clone(),
            viewed: query.viewed_address(),
            subject: printed_subject(&query),
            now: provider.now(),
            style,
            known_addresses: KnownAddresses::default(),
            name_cache,
            signatures,
            abbreviator: Abbreviator::default(),
            out: BufWriter::new(io::stdout()),
            width: terminal_width(),
            columns: Vec::new(),
            has_header: false,
            rows: 0,
            unreadable_rows: 0,
            has_progress_line: false,
        };
        let (matching, sort) = (options.matching.as_deref(), options.sort.as_ref());
        let selection = RowSelection::new((kind, &query), matching, sort, &printer.row_context())
            .map_err(|why| CliError::Usage(why.to_string()))?;
        let result = print_pages(provider, &query, (options.limit, selection), &mut printer).await;
        printer.clear_progress();
        let has_more = match result {
            Err(PrintError::Io(error)) => return ignore_broken_pipe(error),
            result => {
                printer
                    .end_array()
                    .and_then(|()| printer.out.flush())
                    .or_else(ignore_broken_pipe)?;
                match result {
                    Ok(has_more) => has_more,
                    Err(error) => return Err(error.into_cli_error(&query, provider).await),
                }
            }
        };
        print_list_note((has_more, printer.rows), &query, &options, provider).await;
        match printer.unreadable_rows {
            0 => Ok(()),
            rows => {
                let note = ExportNote::RowsLeftOut { rows: Count(rows, "row") };
                Err(CliError::Runtime(note.to_string()))
            }
        }
    }
}

/// Returns the subject of a list whose heading names it. The columns of any other subject stay.
fn printed_subject(query: &Query) -> ListSubject {
    match (query, query.subject()) {
        (Query::Transaction(_, TransactionQuery::Details), _) => ListSubject::Other,
        (
            _,
            subject @ (ListSubject::Transaction
            | ListSubject::Pool
            | ListSubject::Past
            | ListSubject::History),
        ) => subject,
        _ => ListSubject::Other,
    }
}

/// Mentions further rows, or the list that was meant where this one has none.
async fn print_list_note(
    (has_more, rows): (bool, usize),
    query: &Query,
    options: &ListOptions,
    provider: &Provider,
) {
    if has_more && options.hint_more {
        print_note(&ExportNote::MoreRows { rows: options.limit }.to_string());
    } else if !has_more
        && rows == 0
        && options.matching.is_none()
        && let Some(address) = token_without_transfers(provider, query).await
    {
        print_note(&ExportNote::IsToken { address }.to_string());
    }
}

/// Adds the decimals and the supply of a token to the names, for the cells of holders: they are printed, searched or
/// sorted. Without a reply they are unknown.
async fn with_token(
    mut name_cache: NameCache,
    provider: &Provider,
    query: &Query,
    has_cells: bool,
) -> NameCache {
    if let Query::Token(token, TokenQuery::Holders)
    | Query::Instance(InstanceKey { token, .. }, InstanceQuery::Holders) = query
        && has_cells
    {
        let query = Query::Token(*token, TokenQuery::Details);
        if let Ok(reply) = provider.fetch(&query, None, Priority::Interactive).await {
            name_cache.ingest(&query, &reply);
        }
    }
    name_cache
}

/// Returns the address of a list of transfers if it is a token: more often than its own transfers, the
/// user means the transfers of the token.
async fn token_without_transfers(provider: &Provider, query: &Query) -> Option<Address> {
    let Query::Address(address, AddressQuery::TokenTransfers { .. }) = query else { return None };
    let query = Query::Token(*address, TokenQuery::Details);
    let reply = provider.fetch(&query, None, Priority::Interactive).await;
    reply.is_ok().then_some(*address)
}

/// Converts the error of a list. If its subject does not exist, it says so.
async fn list_error(query: &Query, error: &ApiError, provider: &Provider) -> CliError {
    match query {
        Query::Token(address, _) if error.is_missing() => {
            // The explorer may lack the list of a token that it knows.
            let query = Query::Token(*address, TokenQuery::Details);
            let token = provider.fetch(&query, None, Priority::Interactive).await;
            if token.is_err_and(|error| error.is_missing()) {
                CliError::NotFound(ExportNote::NoToken { address: *address }.to_string())
            } else {
                CliError::from_api(error, provider.network())
            }
        }
        Query::Transaction(_, TransactionQuery::Details) if error.is_missing() => {
            CliError::from_absence(error, Transaction::SINGULAR, provider.network())
        }
        Query::Transaction(hash, _) => transaction_error(provider, *hash, error).await,
        Query::Block(BlockId::Hash(_), _) if error.is_missing() => {
            CliError::from_absence(error, Block::SINGULAR, provider.network())
        }
        Query::Block(BlockId::Number(number), _) if error.is_missing() => {
            let latest = provider.fetch(&Query::LatestBlocks, None, Priority::Interactive).await;
            match latest_block(&latest, None) {
                Ok(TargetKind::Block(BlockId::Number(newest))) if newest < *number => {
                    let block = Grouped(*number);
                    CliError::NotFound(PageMessage::NoBlock { block }.to_string())
                }
                _ => CliError::from_api(error, provider.network()),
            }
        }
        _ => CliError::from_api(error, provider.network()),
    }
}

enum PrintError {
    Io(io::Error),
    Api(ApiError),
    /// None of the blocks can be read, so that nothing is known of the rows.
    NoReadableBlock(BlockCoverage),
}

impl PrintError {
    async fn into_cli_error(self, query: &Query, provider: &Provider) -> CliError {
        match self {
            Self::Io(error) => error.into(),
            Self::Api(error) => list_error(query, &error, provider).await,
            Self::NoReadableBlock(blocks) => {
                let why = ExportNote::NoReadableBlock { blocks: &blocks };
                CliError::Runtime(why.to_string())
            }
        }
    }
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Prints selected rows up to the limit, page after page, and returns `true` if there are more. What is sorted or
/// searched for a table is printed after the last page, and so are approvals, which stand in the order of their risk.
async fn print_pages(
    provider: &Provider,
    query: &Query,
    (limit, mut selection): (usize, RowSelection),
    printer: &mut RowPrinter<'_>,
) -> Result<bool, PrintError> {
    let mut paged = PagedRows::<Arc<dyn AnyItem>, _>::new(printer.kind.newest_first);
    // The columns of a table are sized for its first rows, which may be few on the first page with any.
    let is_table = printer.format == OutputFormat::Table;
    let is_held =
        query.has_risks() || selection.is_sorted() || is_table && selection.text().is_some();
    let mut held: Vec<Arc<dyn AnyItem>> = Vec::new();
    let (mut read, mut matches, mut unread, mut is_past) = (0, 0, 0, false);
    while let Some(request) =
        paged.request_next().filter(|_| !is_past && printer.rows + held.len() < limit)
    {
        let Some(page) = fetch_page(provider, query, request.cursor.as_ref(), printer).await else {
            return Ok(false); // unreachable: the reply is of the query's kind
        };
        let left_out = page.as_ref().map_or(0, |page| page.left_out);
        if let Some(note) = page.as_ref().ok().and_then(ItemPage::cut_note) {
            printer.clear_progress();
            print_note(&note);
        }
        paged.receive(page, |item| row_id(&**item));
        let mut rows = paged.take_rows();
        read += rows.len();
        is_past = rows.last().is_some_and(|last| selection.is_past(&**last));
        unread += rows.iter().filter(|row| selection.cannot_judge(&***row)).count();
        rows.retain(|row| selection.admits(&**row, &printer.row_context()));
        matches += rows.len();
        if is_held {
            held.extend(rows);
        } else {
            printer.print_rows(&rows, limit - printer.rows)?;
        }
        if printer.rows + held.len() < limit {
            printer.unreadable_rows += left_out;
        }
        printer.show_progress(read, is_held);
    }
    printer.clear_progress();
    printer.print_held(held, limit, &selection)?;
    if unread > 0 {
        print_note(&ExportNote::UnreadReasons { failures: Count(unread, "failure") }.to_string());
    }
    let tail = if is_past { &TailState::End } else { paged.tail() };
    let has_more = matches > printer.rows || *tail != TailState::End;
    if !has_more {
        let blocks = paged.coverage().filter(|blocks| printer.rows == 0 && blocks.is_unreadable());
        if let Some(blocks) = blocks {
            return Err(PrintError::NoReadableBlock(blocks.clone()));
        }
        let searched = selection.text().filter(|_| read > 0);
        printer.print_end(paged.coverage(), searched.map(|text| (text, read)));
    }
    match tail {
        TailState::Failed(_, error) if printer.rows < limit => Err(PrintError::Api(error.clone())),
        _ => {
            // Only CSV has a header without rows.
            if printer.format == OutputFormat::Csv {
                printer.print_header(&[])?;
            }
            Ok(has_more)
        }
    }
}

/// Fetches a page, once the blocks are indexed that may have its rows.
async fn fetch_page(
    provider: &Provider,
    query: &Query,
    cursor: Option<&Cursor>,
    printer: &mut RowPrinter<'_>,
) -> Option<Result<ItemPage<Arc<dyn AnyItem>>, ApiError>> {
    let fetch = || provider.fetch(query, cursor, Priority::Interactive);
    let mut response = with_progress(provider, fetch()).await;
    if response.as_ref().is_err_and(ApiError::awaits_blocks) {
        wait_for_index(provider).await;
        response = with_progress(provider, fetch()).await;
    }
    if let (OutputFormat::Csv, Ok(reply)) = (printer.format, &response) {
        printer.name_cache.ingest(query, reply);
    }
    learn_from_node(&mut printer.network, provider);
    response.map(|reply| (printer.kind.page)(&reply)).transpose()
}

struct RowPrinter<'a> {
    kind: &'static RowKind,
    format: OutputFormat,
    network: Network,
    viewed: Option<Address>,
    subject: ListSubject,
    now: Timestamp,
    style: &'a OutputStyle,
    /// Empty: in printed lists, only imitations of labelled addresses are marked.
    known_addresses: KnownAddresses,
    name_cache: NameCache,
    signatures: &'a SignatureDb,
    abbreviator: Abbreviator,
    out: BufWriter<io::Stdout>,
    width: Option<u16>,
    /// Columns of a table, sized for the first page.
    columns: Vec<PlacedColumn>,
    has_header: bool,
    rows: usize,
    unreadable_rows: usize,
    has_progress_line: bool,
}

impl RowPrinter<'_> {
    /// Prints the first rows, which are sorted, or approvals, those with the most at risk first.
    fn print_held(
        &mut self,
        mut items: Vec<Arc<dyn AnyItem>>,
        limit: usize,
        selection: &RowSelection,
    ) -> io::Result<()> {
        if selection.is_sorted() {
            items.truncate(limit);
            items = selection.sorted(items, &self.row_context());
        } else {
            items.sort_by_cached_key(|item| {
                let row = item.row().ok().map(|row| row as &dyn Any);
                Reverse(row.and_then(|row| row.downcast_ref()).and_then(Approval::risk_rank))
            });
            items.truncate(limit);
        }
        self.print_rows(&items, limit)
    }

    /// Prints some rows, below the header if there are any.
    fn print_rows(&mut self, items: &[Arc<dyn AnyItem>], most: usize) -> io::Result<()> {
        let within_limit = items.get(..most).unwrap_or(items);
        if !within_limit.is_empty() {
            let rows: Vec<_> = within_limit.iter().filter_map(|item| item.row().ok()).collect();
            self.print_header(&rows)?;
        }
        within_limit.iter().try_for_each(|item| self.print_row(&**item))
    }

    /// Prints the header before the first rows.
    fn print_header(&mut self, rows: &[&dyn AnyRow]) -> io::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        match self.format {
            OutputFormat::Jsonl | OutputFormat::Json => Ok(()),
            OutputFormat::Csv => writeln!(self.out, "{}", csv_header(self.kind.columns)),
            OutputFormat::Table => {
                let (cx, columns) = (self.row_context(), self.kind.columns);
                let width = self.width.unwrap_or(u16::MAX);
                let placed = TableExtent::new(columns, rows, &cx).layout(columns, width, &cx);
                let line = table_header(columns, &cx, &placed);
                self.columns = placed;
                self.print_line(&line)
            }
        }
    }

    fn print_row(&mut self, item: &dyn AnyItem) -> io::Result<()> {
        self.rows += 1;
        match (self.format, item.row()) {
            (OutputFormat::Jsonl, _) => writeln!(self.out, "{}", json_line(item.raw().get())),
            (OutputFormat::Json, _) => {
                let begin = if self.rows == 1 { "[" } else { "," };
                write!(self.out, "{begin}\n{}", json_line(item.raw().get()))
            }
            (_, Err(error)) => {
                self.unreadable_rows += 1;
                self.clear_progress();
                self.out.flush()?;
                let note = ExportNote::UnreadableRow { number: self.rows, why: error };
                writeln!(io::stderr(), "{note}")
            }
            (OutputFormat::Csv, Ok(row)) => {
                let line = csv_row(row, &self.row_context());
                writeln!(self.out, "{line}")
            }
            (OutputFormat::Table, Ok(row)) => {
                let line = table_row(row, &self.row_context(), &self.columns);
                self.print_line(&line)
            }
        }
    }

    /// Ends the list with the blocks that it is from, or with a sentence if it has no rows, or if none of the searched
    /// ones matches.
    fn print_end(&self, coverage: Option<&BlockCoverage>, searched: Option<(&str, usize)>) {
        if let (0, Some((text, read))) = (self.rows, searched) {
            let rows = Count(read, self.kind.singular);
            print_note(&ListNotice::NoMatch { text, rows }.to_string());
        } else if self.rows == 0 {
            let is_pool = self.subject == ListSubject::Pool;
            let plural = if is_pool { PENDING_TRANSACTIONS } else { self.kind.plural };
            print_note(&ListTail::NoRows { plural, covered: Covered(coverage) }.to_string());
        } else if let Some(blocks) = coverage {
            print_note(&ExportNote::NoMore { blocks }.to_string());
        }
    }

    /// Ends the array of the JSON format.
    fn end_array(&mut self) -> io::Result<()> {
        match (self.format, self.rows) {
            (OutputFormat::Json, 0) => writeln!(self.out, "[]"),
            (OutputFormat::Json, _) => writeln!(self.out, "\n]"),
            _ => Ok(()),
        }
    }

    fn print_line(&mut self, line: &str) -> io::Result<()> {
        let line = if self.style.ascii { ascii::to_ascii(line) } else { line.into() };
        writeln!(self.out, "{line}")
    }

    fn row_context(&self) -> RowContext<'_> {
        RowContext {
            viewed: self.viewed,
            subject: self.subject,
            now: self.now,
            network: &self.network,
            known_addresses: &self.known_addresses,
            name_cache: &self.name_cache,
            signatures: self.signatures,
            abbreviator: self.width.map(|_| &self.abbreviator),
            transaction: None,
            is_below_part: false,
            bar_scale: None,
            balances: None,
            format: &self.style.format,
        }
    }

    /// Shows the number of received rows on stderr, unless they are printed on the same terminal by now.
    fn show_progress(&mut self, read: usize, is_held: bool) {
        if io::stderr().is_terminal() && (is_held || !io::stdout().is_terminal()) {
            print_progress(&format!("{read} rows…"));
            self.has_progress_line = true;
        }
    }

    fn clear_progress(&mut self) {
        if std::mem::take(&mut self.has_progress_line) {
            print_progress("");
        }
    }
}
