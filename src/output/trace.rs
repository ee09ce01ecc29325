//! Call traces for scripts.

use std::collections::HashMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::style::{Attribute, ContentStyle};
use ratatui::backend::IntoCrossterm;
use ratatui::style::{Modifier, Style};

use super::failure::{failure_lines, failure_note, fetch_stack};
use super::{
    CliError, ignore_broken_pipe, print_note, print_progress, transaction_error, with_progress,
};
use crate::abi::SignatureDb;
use crate::api::contract::Contract;
use crate::api::failure_line::FailureStack;
use crate::api::logs::Log;
use crate::api::token_transfers::TokenTransfer;
use crate::api::{Item, Next, Query, TransactionQuery};
use crate::app_message::{Priority, TRACE_TIMEOUT};
use crate::calls::diagnostics::{RecoveryHints, no_calls_message, problems};
use crate::calls::failing_source::failure_places;
use crate::calls::fallback::{FallbackStep, TraceFallback, may_have_internal_transactions};
use crate::calls::formatter::CallFormatter;
use crate::calls::placed_logs::{self, ExportedEvents};
use crate::calls::results::outcome_role;
use crate::calls::trace_contracts::called_contracts;
use crate::calls::trace_contracts::{MAX_NAME_PAGES, MAX_NAMED_CONTRACTS};
use crate::calls::transfer_matching::TransferMap;
use crate::chain::amount::Grouped;
use crate::chain::network::{Endpoint, Network};
use crate::chain::{Address, TxHash};
use crate::messages::Count;
use crate::messages::export::{self, ExportNote};
use crate::name_cache::{NameCache, add_verified_abi};
use crate::net::provider::Provider;
use crate::net::response_body::ResponseBody;
use crate::sanitize::sanitize;
use crate::trace::export::{CallEvents, ExportScope, TraceExport, TraceExportFormat};
use crate::trace::parser::parse_trace;
use crate::trace::tree::format_path;
use crate::trace::{CallFrame, CallOutcome, CallTree, TraceParser};
use crate::ui::ascii;
use crate::ui::theme::Styles;

/// Maximum events that are fetched.
const MAX_EVENTS: usize = 10_000;
/// Maximum pages of token transfers that are fetched for events.
const MAX_TRANSFER_PAGES: usize = 4;
const MAX_CHUNK_BYTES: usize = 4 << 20;
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

const ATTRIBUTES: [(Modifier, Attribute); 5] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::ITALIC, Attribute::Italic),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
];

#[derive(Debug, Clone)]
pub struct TextStyle {
    /// The styles, or `None` without colours.
    pub styles: Option<Styles>,
    pub ascii: bool,
}

#[derive(Debug, Clone)]
pub struct TraceOutputOptions {
    pub transaction: TxHash,
    pub format: TraceExportFormat,
    /// The path of the first call; `None` starts at the root.
    pub node: Option<Vec<u32>>,
    /// Levels below the first call; `None` prints all.
    pub max_depth: Option<u16>,
    pub max_bytes: u64,
    /// `true` to fetch the names and ABIs of the called contracts.
    pub asks_names: bool,
    /// `true` to fetch the events, for the JSON formats.
    pub asks_events: bool,
    pub style: TextStyle,
}

/// Everything that a printed trace requires besides the response.
#[derive(Debug)]
pub struct TraceContext<'a> {
    pub network: &'a Network,
    pub signatures: SignatureDb,
    pub name_cache: NameCache,
}

/// Fetches the names and ABIs of the first contracts and their implementations. A contract that the explorer does
/// not have stays unknown.
pub async fn fetch_contract_names(
    provider: &Provider,
    mut contracts: Vec<Address>,
    signatures: &mut SignatureDb,
    name_cache: &mut NameCache,
) {
    contracts.truncate(MAX_NAMED_CONTRACTS);
    let called = contracts.len();
    let mut asked = 0;
    while let Some(address) = contracts.get(asked).copied() {
        asked += 1;
        let query = Query::Contract(address);
        let Ok(reply) = provider.fetch(&query, None, Priority::Prefetch).await else {
            continue;
        };
        name_cache.ingest(&query, &reply);
        let item = reply.item::<Contract>();
        let Some(Ok(contract)) = item.map(|item| item.parsed.as_ref()) else { continue };
        let behind =
            add_verified_abi(signatures, address, contract).into_iter().filter(|_| asked <= called);
        let new: Vec<_> = behind.filter(|address| !contracts.contains(address)).collect();
        contracts.extend(new);
    }
}

/// Fetches the names of the contracts that a transaction calls, from a node's chain. Explorers would
/// count these requests.
pub async fn fetch_transaction_names(
    provider: &Provider,
    transaction: TxHash,
    names: &mut NameCache,
) {
    let query = Query::Transaction(transaction, TransactionQuery::Details);
    if let Ok(reply) = provider.fetch(&query, None, Priority::Interactive).await {
        names.ingest(&query, &reply);
    }
    let query = Query::Transaction(transaction, TransactionQuery::InternalTransactions);
    let mut cursor = None;
    for _ in 0..MAX_NAME_PAGES {
        let reply = provider.fetch(&query, cursor.as_ref(), Priority::Interactive).await;
        let Ok(reply) = reply else { return };
        names.ingest(&query, &reply);
        let Some(Next::Page(next)) = reply.next() else { return };
        cursor = Some(next.clone());
    }
}

/// Prints the call trace of a transaction. An incomplete one is an error, a closed pipe is not.
pub async fn print_trace(
    provider: &Provider,
    mut context: TraceContext<'_>,
    options: &TraceOutputOptions,
) -> Result<(), CliError> {
    let mut progress = TraceProgress { last_shown: Instant::now(), is_shown: false };
    let fetched = fetch(provider, options, &mut progress).await;
    progress.clear();
    let tree = fetched?;
    let whole = match &options.node {
        Some(path) => ExportScope::subtree(&tree, find_call(&tree, path)?),
        None => ExportScope::all(&tree),
    };
    let scope = whole.levels(options.max_depth);
    if options.asks_names {
        let contracts = called_contracts(&tree, 0..tree.len());
        let TraceContext { signatures, name_cache, .. } = &mut context;
        fetch_contract_names(provider, contracts, signatures, name_cache).await;
    }
    let events = if options.asks_events {
        Some(fetch_events(provider, options.transaction, &tree, &context.signatures).await?)
    } else {
        None
    };
    let has_failed = |call| tree.get(call).is_some_and(CallFrame::failed);
    let needs_stack = provider.is_node() && options.format.has_failure_places();
    let stack = if needs_stack && (0..tree.len()).any(has_failed) {
        fetch_stack(provider, options.transaction).await
    } else {
        None
    };
    let known_stack = stack.as_ref().and_then(|stack| stack.as_ref().ok());
    let places = known_stack.map(|stack| failure_places(&tree, stack));
    let (signatures, name_cache) = (&context.signatures, &context.name_cache);
    let transfers = TransferMap::default();
    let names = CallFormatter {
        failure_places: places.as_ref(),
        full_addresses: !io::stdout().is_terminal(),
        ..CallFormatter::new(&tree, signatures, name_cache, context.network, &transfers)
    };
    print(names, &scope, events.as_ref(), options)?;
    if has_failed(0) && options.format == TraceExportFormat::Tree && options.node.is_none() {
        if let Some(why) = stack.as_ref().and_then(failure_note) {
            print_note(&sanitize(&why.to_string()));
        }
        if let Some(stack) = known_stack {
            print_failure(stack, &names, options).or_else(ignore_broken_pipe)?;
        }
    }
    match tree.summary().and_then(|summary| summary.error.as_ref()) {
        Some(_) => Err(CliError::Runtime(export::INCOMPLETE_TRACE.into())),
        None => Ok(()),
    }
}

/// Fetches the logs, and returns them by their calls. Those without a known call are at the first one.
async fn fetch_events(
    provider: &Provider,
    transaction: TxHash,
    tree: &CallTree,
    signatures: &SignatureDb,
) -> Result<CallEvents, CliError> {
    let mut logs = fetch_logs(provider, transaction).await?;
    logs.sort_by_key(|log| placed_logs::index(log).unwrap_or(u64::MAX));
    let mut places = placed_logs::place_kept_logs(tree, &logs, &HashMap::new());
    if places.iter().any(|place| place.is_none_or(|place| !place.is_call_certain())) {
        let transfers = fetch_transfers(provider, transaction).await;
        let transfers: Vec<_> =
            transfers.iter().filter_map(|row| row.parsed.as_ref().ok()).collect();
        let calls = TransferMap::build(tree, &transfers).calls_by_log();
        places = placed_logs::place_kept_logs(tree, &logs, &calls);
    }
    let events = ExportedEvents::new(&logs, &places, signatures);
    events.notes().for_each(|note| print_note(&note));
    Ok(events.by_call)
}

/// Fetches the first token transfers, whose calls may be known by their parties and amounts.
async fn fetch_transfers(
    provider: &Provider,
    transaction: TxHash,
) -> Vec<Arc<Item<TokenTransfer>>> {
    let query = Query::Transaction(transaction, TransactionQuery::TokenTransfers);
    let (mut transfers, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_TRANSFER_PAGES {
        let response = provider.fetch(&query, cursor.as_ref(), Priority::Interactive);
        let reply = with_progress(provider, response).await;
        let Some(page) = reply.ok().and_then(|reply| reply.page::<TokenTransfer>()) else { break };
        transfers.extend(page.items);
        match page.next {
            Next::Page(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
            _ => break,
        }
    }
    transfers
}

/// Fetches all logs. Without the last ones, others would be at wrong calls.
async fn fetch_logs(
    provider: &Provider,
    transaction: TxHash,
) -> Result<Vec<Arc<Item<Log>>>, CliError> {
    let in_calls = provider.is_node() || provider.network().endpoint == Endpoint::Embedded;
    let list = if in_calls { TransactionQuery::LogsInCalls } else { TransactionQuery::Logs };
    let query = Query::Transaction(transaction, list);
    let (mut logs, mut cursor) = (Vec::new(), None);
    loop {
        let response = provider.fetch(&query, cursor.as_ref(), Priority::Interactive);
        let reply = with_progress(provider, response)
            .await
            .map_err(|error| CliError::from_api(&error, provider.network()))?;
        let Some(page) = reply.page::<Log>() else { return Ok(logs) };
        logs.extend(page.items);
        match page.next {
            Next::Page(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
            _ => return Ok(logs),
        }
        if logs.len() >= MAX_EVENTS {
            let limit = Grouped(MAX_EVENTS);
            return Err(CliError::Runtime(ExportNote::TooManyEvents { limit }.to_string()));
        }
    }
}

/// Fetches the trace. If the explorer has none, builds one from the internal transactions and prints a
/// note.
async fn fetch(
    provider: &Provider,
    options: &TraceOutputOptions,
    progress: &mut TraceProgress,
) -> Result<CallTree, CliError> {
    let transaction = options.transaction;
    let query = Query::Transaction(transaction, TransactionQuery::RawTrace);
    let response = async {
        provider.prepare_cache(transaction).await;
        provider.open_stream(&query, TRACE_TIMEOUT, Priority::Interactive).await
    };
    let (reason, error) = match with_progress(provider, response).await {
        Ok(body) => {
            let tree = read(body, provider.network(), options, progress).await?;
            if !tree.is_empty() {
                return Ok(tree);
            }
            (describe_empty(&tree, transaction), None)
        }
        // An explorer without the transaction refuses its internal transactions too.
        Err(error) if may_have_internal_transactions(&error, true) => {
            (error.to_string(), Some(error))
        }
        Err(error) => return Err(CliError::from_api(&error, provider.network())),
    };
    let Some((tree, note)) = fetch_internal_transactions(provider, transaction).await else {
        return Err(match error {
            Some(error) => transaction_error(provider, transaction, &error).await,
            None => CliError::Runtime(reason),
        });
    };
    print_note(&sanitize(&reason));
    print_note(&sanitize(&note));
    Ok(tree)
}

/// Builds a tree from the internal transactions, if there are any, with a note about the missing parts.
async fn fetch_internal_transactions(
    provider: &Provider,
    transaction: TxHash,
) -> Option<(CallTree, String)> {
    let mut fallback = TraceFallback::default();
    let query = fallback.start(transaction)?;
    let mut cursor = None;
    loop {
        let response = provider.fetch(&query, cursor.as_ref(), Priority::Interactive);
        match fallback.on_reply(with_progress(provider, response).await) {
            FallbackStep::Fetch(next) => cursor = Some(next),
            FallbackStep::Show(body) => return Some((parse_trace(body), fallback.status_text()?)),
            FallbackStep::Done => return None,
        }
    }
}

/// Reads the whole response. Fails as soon as it is known to be too large.
async fn read(
    mut body: ResponseBody,
    network: &Network,
    options: &TraceOutputOptions,
    progress: &mut TraceProgress,
) -> Result<CallTree, CliError> {
    if let Some(bytes) = body.expected_bytes.filter(|bytes| *bytes > options.max_bytes) {
        let error = ExportNote::LargeTrace { bytes: Grouped(bytes) };
        return Err(CliError::Runtime(error.to_string()));
    }
    let mut parser = TraceParser::default();
    let mut tree = CallTree::default();
    let mut received = 0_u64;
    loop {
        let chunk = body.chunk().await.map_err(|error| CliError::from_api(&error, network))?;
        let Some(chunk) = chunk else { break };
        received = received.saturating_add(chunk.len() as u64);
        if received > options.max_bytes {
            let error = ExportNote::TraceOverLimit { limit: Grouped(options.max_bytes) };
            return Err(CliError::Runtime(error.to_string()));
        }
        parser.feed(chunk);
        while let Some(chunk) = parser.next_chunk(MAX_CHUNK_BYTES) {
            tree.apply_chunk(chunk);
        }
        progress.update(received, &tree);
    }
    tree.apply_chunk(parser.finish(None));
    Ok(tree)
}

fn describe_empty(tree: &CallTree, transaction: TxHash) -> String {
    let raw_view = ExportNote::RawTraceCommand { transaction }.to_string();
    let retry = export::REPEAT_COMMAND;
    let hints = RecoveryHints { retry, retry_longer: retry, raw_view: &raw_view };
    let message = no_calls_message(tree.format(), hints);
    match tree.summary().and_then(|summary| summary.error.as_ref()) {
        Some(error) => format!("{message} ({error})"),
        None => message,
    }
}

/// Finds the call at a path. The error names the deepest call on the path that exists.
fn find_call(tree: &CallTree, path: &[u32]) -> Result<u32, CliError> {
    if let Some(node) = tree.find(path) {
        return Ok(node);
    }
    let mut ancestors = (0..path.len()).rev().filter_map(|levels| path.get(..levels));
    let error = match ancestors.find_map(|ancestor| Some((ancestor, tree.find(ancestor)?))) {
        Some((ancestor, node)) => {
            let [path, parent] = [path, ancestor].map(format_path);
            let (path, parent) = (&*path, &*parent);
            match tree.children(node).count() {
                0 => ExportNote::NoInnerCalls { path, parent }.to_string(),
                calls => {
                    ExportNote::NoCall { path, parent, calls: Count(calls, "call") }.to_string()
                }
            }
        }
        None => export::NO_ROOT_CALL.into(),
    };
    // What is missing of a trace that ended early may exist.
    let is_whole = tree.summary().is_some_and(|summary| summary.error.is_none());
    Err(if is_whole { CliError::NotFound(error) } else { CliError::Runtime(error) })
}

fn print(
    names: CallFormatter<'_>,
    scope: &ExportScope,
    events: Option<&CallEvents>,
    options: &TraceOutputOptions,
) -> Result<(), CliError> {
    let TextStyle { styles, ascii } = &options.style;
    let styles = styles.as_ref().filter(|_| io::stdout().is_terminal());
    let line_style = |outcome, line: &str| style_line(outcome, line, styles, *ascii);
    let export = TraceExport {
        tree: names.tree,
        names: &names,
        transaction: options.transaction,
        scope,
        events,
        line_style: Some(&line_style),
    };
    let warning = export.warning(options.format).map_err(|why| CliError::Runtime(why.into()))?;
    for note in problems(names.tree).into_iter().chain(warning) {
        print_note(&sanitize(&note));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    export.write(options.format, &mut out).and_then(|()| out.flush()).or_else(ignore_broken_pipe)
}

/// Prints the source and the stack of a transaction that failed.
fn print_failure(
    stack: &FailureStack,
    names: &CallFormatter<'_>,
    options: &TraceOutputOptions,
) -> io::Result<()> {
    let calls = stack.calls.value().map(Vec::as_slice).unwrap_or_default();
    let styles = options.style.styles.as_ref().filter(|_| io::stdout().is_terminal());
    let mut out = BufWriter::new(io::stdout().lock());
    let cause = stack.cause.value().map(|cause| {
        [(CallOutcome::Succeeded, String::new()), (CallOutcome::Failed, cause.to_string())]
    });
    let lines = failure_lines(calls, names.name_cache, names.signatures);
    for (outcome, line) in cause.into_iter().flatten().chain(lines) {
        writeln!(out, "{}", style_line(outcome, &sanitize(&line), styles, options.style.ascii))?;
    }
    out.flush()
}

/// Styles a line of the tree format for the terminal. Calls that succeeded are plain, so that the
/// others stand out.
pub fn style_line(
    outcome: CallOutcome,
    line: &str,
    styles: Option<&Styles>,
    ascii: bool,
) -> String {
    let line = if ascii { ascii::to_ascii(line) } else { line.into() };
    match styles.filter(|_| outcome != CallOutcome::Succeeded) {
        Some(styles) => terminal_style(styles.of(outcome_role(outcome))).apply(line).to_string(),
        None => line.into_owned(),
    }
}

fn terminal_style(style: Style) -> ContentStyle {
    let mut styled = ContentStyle::new();
    styled.foreground_color = style.fg.map(IntoCrossterm::into_crossterm);
    styled.background_color = style.bg.map(IntoCrossterm::into_crossterm);
    for (modifier, attribute) in ATTRIBUTES {
        if style.add_modifier.contains(modifier) {
            styled.attributes.set(attribute);
        }
    }
    styled
}

struct TraceProgress {
    last_shown: Instant,
    is_shown: bool,
}

impl TraceProgress {
    fn update(&mut self, received: u64, tree: &CallTree) {
        if self.last_shown.elapsed() >= PROGRESS_INTERVAL && io::stderr().is_terminal() {
            let (bytes, calls) = (Grouped(received), Grouped(tree.len()));
            print_progress(&format!("{bytes} bytes, {calls} calls…"));
            self.last_shown = Instant::now();
            self.is_shown = true;
        }
    }

    fn clear(&self) {
        if self.is_shown {
            print_progress("");
        }
    }
}
