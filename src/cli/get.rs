//! `get`: prints a list, or one object.
//!
//! Each subcommand turns its arguments into a query, a kind of rows and a format. The rows are printed page
//! after page by [`output`], with the columns that the screen has.

mod activity;
mod holdings;
mod lists_by_name;
mod one_item;
mod storage;

use std::process::ExitCode;

use clap::builder::RangedU64ValueParser;
use clap::{Subcommand, ValueEnum};

use super::address_arg::AddressArg;
use super::context::load_all_signatures;
use super::trace::TraceTarget;
use crate::abi::SignatureDb;
use crate::api::{AddressQuery, Query, TransactionQuery};
use crate::chain::network::Network;
use crate::chain::target::LinkedChain;
use crate::columns::table::any_row::RowKind;
use crate::net::provider::Provider;
use crate::output::list_formats::{ListOptions, ListPrinter, OutputFormat};
use crate::output::{self, CliError, OutputStyle};
use crate::pane::export::RowSort;
use activity::ActivityCommand;
use holdings::HoldingsCommand;
use lists_by_name::ListByNameCommand;
use one_item::ItemCommand;
use storage::StorageArgs;

const DEFAULT_LIMIT: usize = 50;

/// A list and its output format.
type ListArgs = (&'static RowKind, Query, OutputArgs);

#[derive(Debug, Subcommand)]
pub(super) enum GetCommand {
    #[command(flatten)]
    Item(ItemCommand),
    #[command(flatten)]
    Activity(ActivityCommand),
    #[command(flatten)]
    Holdings(HoldingsCommand),
    #[command(flatten)]
    Further(ListByNameCommand),
    /// Raw trace of a transaction as sent by the node (arrays: one entry per line)
    RawTrace {
        /// Transaction hash, or a link to one
        transaction: TraceTarget,
    },
    /// A contract as sent by the explorer, always as JSON: its source, ABI and code
    Contract {
        /// Contract, link to one, or name
        address: AddressArg,
        /// Output format
        #[arg(long, value_enum, default_value_t = ContractFormat::Json)]
        format: ContractFormat,
    },
    /// Storage slots of a contract, each as a line of JSON
    Storage(StorageArgs),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ContractFormat {
    /// One line
    Json,
}

impl GetCommand {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Item(command) => command.linked_chain(),
            Self::Activity(command) => command.linked_chain(),
            Self::Holdings(command) => command.linked_chain(),
            Self::Further(command) => command.linked_chain(),
            Self::RawTrace { transaction } => transaction.chain.as_ref(),
            Self::Contract { address, .. } | Self::Storage(StorageArgs { address, .. }) => {
                address.linked_chain()
            }
        }
    }
}

#[derive(Debug, Clone, clap::Args)]
pub(super) struct OutputArgs {
    /// Maximum number of rows [default: 50]
    #[arg(long, conflicts_with = "all", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: Option<usize>,
    /// Print all rows, page after page
    #[arg(long)]
    all: bool,
    /// Only rows with these words, as after `&` on the screen: `status:failed value:>1`
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    matching: Option<String>,
    /// Column to sort the rows by that are read for --limit or --all, with :asc or :desc [default: desc]
    #[arg(long, value_name = "COLUMN")]
    sort: Option<RowSort>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    format: OutputFormat,
}

impl From<OutputArgs> for ListOptions {
    fn from(args: OutputArgs) -> Self {
        let chosen = if args.all { Some(usize::MAX) } else { args.limit };
        let limit = chosen.unwrap_or(DEFAULT_LIMIT);
        let OutputArgs { format, matching, sort, .. } = args;
        Self { limit, format, matching, sort, hint_more: chosen.is_none() }
    }
}

pub(super) async fn print_list(
    command: GetCommand,
    network: &Network,
    provider: &Provider,
    style: &OutputStyle,
) -> Result<ExitCode, CliError> {
    // Lists of activity begin with the newest blocks, which are indexed first.
    let needs_index = match &command {
        GetCommand::Activity(_) => false,
        GetCommand::Item(item) => !item.is_in_block(),
        _ => true,
    };
    if needs_index {
        output::wait_for_index(provider).await;
    }
    let (kind, query, output) = match command {
        GetCommand::Item(command) => command.list(provider).await?,
        GetCommand::Activity(command) => command.list(provider).await?,
        GetCommand::Holdings(command) => command.list(provider).await?,
        GetCommand::Further(command) => command.list(provider).await?,
        GetCommand::RawTrace { transaction } => {
            output::print_raw_trace(provider, transaction.hash).await?;
            return Ok(ExitCode::SUCCESS);
        }
        GetCommand::Contract { address, format: ContractFormat::Json } => {
            output::print_contract(provider, address.resolve(provider).await?).await?;
            return Ok(ExitCode::SUCCESS);
        }
        GetCommand::Storage(args) => {
            storage::print_storage(args, provider).await?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let is_of_logs = matches!(
        query,
        Query::Address(_, AddressQuery::Logs) | Query::Transaction(_, TransactionQuery::Logs)
    );
    // Items of JSON have methods and reasons as they were sent.
    let is_of_columns = matches!(output.format, OutputFormat::Table | OutputFormat::Csv);
    let has_cells = is_of_columns || output.matching.is_some() || output.sort.is_some();
    let signatures = if is_of_logs || has_cells && kind.has_methods() {
        load_all_signatures(provider).await
    } else {
        SignatureDb::default()
    };
    let lists = ListPrinter { network, provider, signatures: &signatures, style };
    lists.print(kind, query, output.into()).await?;
    Ok(ExitCode::SUCCESS)
}
