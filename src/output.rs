//! Output for scripts: lists, raw traces and call traces with the same client as the screen.
//!
//! Rows are written by the columns of the screen's lists, and calls by the words of its traces, so that
//! both say the same. Data goes to stdout as it arrives; notes and progress go to stderr. A closed pipe
//! ends the output without an error.

pub mod decoded_data;
mod failure;
pub mod list_formats;
pub mod trace;
pub mod watch;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::pin::pin;
use std::slice;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::api::contract::Contract;
use crate::api::json::for_each_element;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Query, TransactionQuery};
use crate::app_message::{NetworkEvent, Priority};
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::chain::{Address, TxHash};
use crate::columns::ListRow;
use crate::config;
use crate::messages::export::ExportNote;
use crate::name_cache::NameCache;
use crate::net::provider::Provider;
use crate::sanitize::{json_line, sanitize};
use crate::ui::age::AgeClock;
use crate::ui::format_options::FormatOptions;

/// Style of tables; the formats for programs do not vary.
#[derive(Debug, Clone, Default)]
pub struct OutputStyle {
    pub format: FormatOptions,
    pub ascii: bool,
}

/// An error that ends the program.
#[derive(Debug)]
pub enum CliError {
    /// Invalid arguments or settings.
    Usage(String),
    /// A failure of the explorer, the network or the terminal.
    Runtime(String),
    /// The requested object does not exist, as far as the explorer or the node knows.
    NotFound(String),
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Runtime(error.to_string())
    }
}

impl CliError {
    /// Converts the error of a request to an explorer or a node.
    pub fn from_api(error: &ApiError, network: &Network) -> Self {
        let why = match error {
            ApiError::Node { .. } => error.to_string(),
            _ => error.with_hint(network.endpoint.host().as_deref()),
        };
        if error.is_missing() { Self::NotFound(why) } else { Self::Runtime(why) }
    }

    /// Converts the error of the request for an object by itself, which says that the chain does not have it.
    fn from_absence(error: &ApiError, subject: &str, network: &Network) -> Self {
        let host = network.endpoint.host();
        Self::NotFound(error.on_page(Some(subject), &network.name, host.as_deref()))
    }
}

/// Converts the error of a request about a transaction. If the chain does not have that transaction, it says so.
async fn transaction_error(provider: &Provider, transaction: TxHash, error: &ApiError) -> CliError {
    if error.is_missing() {
        // The explorer may lack the list of a transaction that it knows.
        let query = Query::Transaction(transaction, TransactionQuery::Details);
        let details = provider.fetch(&query, None, Priority::Interactive).await;
        if let Some(absence) = details.err().filter(ApiError::is_missing) {
            return CliError::from_absence(&absence, Transaction::SINGULAR, provider.network());
        }
    }
    CliError::from_api(error, provider.network())
}

/// Prints the raw trace of a transaction, an array with one entry per line.
pub async fn print_raw_trace(provider: &Provider, transaction: TxHash) -> Result<(), CliError> {
    let query = Query::Transaction(transaction, TransactionQuery::RawTrace);
    let response = provider.fetch(&query, None, Priority::Interactive);
    let reply = match with_progress(provider, response).await {
        Ok(reply) => reply,
        Err(error) => return Err(transaction_error(provider, transaction, &error).await),
    };
    let Some(raw) = reply.get::<Arc<RawValue>>() else {
        return Ok(()); // unreachable: the query decides
    };
    let mut out = BufWriter::new(io::stdout());
    let mut written = Ok(());
    let mut print = |entry: &RawValue| {
        if written.is_ok() {
            written = writeln!(out, "{}", json_line(entry.get()));
        }
    };
    if for_each_element(&**raw, &mut print).is_err() {
        print(raw);
    }
    written.and_then(|()| out.flush()).or_else(ignore_broken_pipe)
}

/// Prints a contract as one line of JSON.
pub async fn print_contract(provider: &Provider, address: Address) -> Result<(), CliError> {
    let query = Query::Contract(address);
    let reply = provider.fetch(&query, None, Priority::Interactive);
    let reply = with_progress(provider, reply).await.map_err(|error| {
        if error.is_missing() {
            CliError::NotFound(ExportNote::NoContract { address }.to_string())
        } else {
            CliError::from_api(&error, provider.network())
        }
    })?;
    let Some(item) = reply.item::<Contract>() else {
        return Ok(()); // unreachable: the query decides
    };
    writeln!(io::stdout(), "{}", json_line(item.raw.get())).or_else(ignore_broken_pipe)
}

/// Returns the width of the terminal, or `None` if the output is not one: tables are in full then.
pub fn terminal_width() -> Option<u16> {
    // crossterm would run `tput` twice where nothing is a terminal.
    let size = io::stdout().is_terminal().then(crossterm::terminal::size)?;
    size.ok().map(|(columns, _)| columns)
}

/// Loads the user's labels into a name cache, and prints their problems to stderr.
pub fn load_labels(network: &Network) -> NameCache {
    let mut name_cache = NameCache::default();
    let files = config::user_data_files();
    if let Some(former) = network.former_storage_key() {
        files.rename_former(&former);
    }
    let key = network.storage_key();
    let labels = files.load_labels(&key);
    let problems = labels.as_ref().map_or_else(slice::from_ref, |labels| labels.problems());
    for problem in problems {
        print_note(&format!("labels/{key}.csv: {problem}"));
    }
    name_cache.set_labels(Arc::new(labels.unwrap_or_default()));
    name_cache
}

/// Prints lines to stdout, sanitized.
pub fn print_lines(text: &str) -> Result<(), CliError> {
    let mut lines = text.lines();
    let printed = lines.try_for_each(|line| writeln!(io::stdout(), "{}", sanitize(line)));
    printed.or_else(ignore_broken_pipe)
}

/// Prints a line to stderr. A closed pipe is ignored.
pub fn print_note(note: &str) {
    let _ = writeln!(io::stderr(), "{note}");
}

/// Replaces the progress line on stderr, which is a terminal.
fn print_progress(progress: &str) {
    let _ = write!(io::stderr(), "\r\x1b[K{progress}");
}

/// Waits for a response; meanwhile shows retries and rate limits if stderr is a terminal.
pub async fn with_progress<T>(provider: &Provider, response: impl Future<Output = T>) -> T {
    let mut events = provider.subscribe();
    let mut response = pin!(response);
    let mut is_shown = false;
    let response = loop {
        let event = tokio::select! {
            response = &mut response => break response,
            Some(event) = events.recv() => event,
        };
        if let NetworkEvent::Status(status) = event
            && io::stderr().is_terminal()
        {
            let text = status.wait_text().unwrap_or_default();
            print_progress(&text);
            is_shown = !text.is_empty();
        }
    };
    if is_shown {
        print_progress("");
    }
    response
}

/// Waits until the chain of a node is indexed; meanwhile shows the progress if stderr is a terminal.
pub async fn wait_for_index(provider: &Provider) {
    provider
        .wait_for_index(|progress| {
            if io::stderr().is_terminal()
                && let Some(coverage) = &progress.coverage
            {
                print_progress(
                    &coverage.indexing().map(|blocks| blocks.to_string()).unwrap_or_default(),
                );
            }
        })
        .await;
}

/// Sets the id that a node reports, the coin of the chain with that id, and the clock of a development chain, if the node
/// is connected.
pub fn learn_from_node(network: &mut Network, provider: &Provider) {
    let Some(progress) = provider.index_progress() else { return };
    network.is_local_development = progress.is_local;
    if let Some(id) = progress.chain_id {
        Chains::replace_id(network, id, progress.is_own_chain(), false);
    }
    // A bare URL turned out to be a node's.
    let is_development = progress.is_local || network.is_development();
    network.newest_block = progress.newest_block.filter(|_| is_development);
}

/// Returns the clock of the chain, which a node may have moved.
pub fn age_clock(provider: &Provider) -> AgeClock {
    let mut network = provider.network().clone();
    learn_from_node(&mut network, provider);
    AgeClock::new(&network, provider.now())
}

/// Converts an error of writing to stdout, where a closed pipe is success.
pub fn ignore_broken_pipe(error: io::Error) -> Result<(), CliError> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error.into()),
    }
}
