//! `get`: a list of the explorer's, printed.

use std::process::ExitCode;

use clap::Subcommand;

use super::filters::{DirectionArg, TypesArg, parse_address};
use crate::api::Query;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::nft_collections::Collection;
use crate::api::token_balances::TokenBalance;
use crate::api::token_instances::TokenInstance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::batch::{self, CliError, ListOptions, OutputStyle};
use crate::chain::network::Network;
use crate::chain::{Address, TxHash};
use crate::net::provider::Provider;

/// Which list.
#[derive(Debug, Subcommand)]
pub(super) enum GetCommand {
    /// An address's transactions
    Transactions {
        /// The address
        #[arg(value_parser = parse_address)]
        address: Address,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An address's internal transactions
    InternalTransactions {
        /// The address
        #[arg(value_parser = parse_address)]
        address: Address,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An address's token transfers, or without one the whole chain's
    TokenTransfers {
        /// The address
        #[arg(value_parser = parse_address)]
        address: Option<Address>,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        types: TypesArg,
        /// Only of this token contract
        #[arg(long, requires = "address", value_parser = parse_address)]
        token: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The tokens an address holds
    Tokens {
        /// The address
        #[arg(value_parser = parse_address)]
        address: Address,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The NFT collections an address holds pieces of
    NftCollections {
        /// The address
        #[arg(value_parser = parse_address)]
        address: Address,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// A transaction's raw trace as the chain's node gave it: an array is printed an entry a line
    RawTrace {
        /// The transaction
        transaction: TxHash,
    },
    /// The instances of a token contract
    Instances {
        /// The token contract
        #[arg(value_parser = parse_address)]
        token: Address,
        /// Only those held by this address
        #[arg(long, value_parser = parse_address)]
        holder: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct OutputArgs {
    /// How many rows [default: 50]
    #[arg(long, conflicts_with = "all")]
    limit: Option<usize>,
    /// All rows, page after page
    #[arg(long)]
    all: bool,
    /// `table` for reading, `jsonl` as the server sent it, `csv` with full values
    #[arg(long, value_enum, default_value_t = batch::OutputFormat::Table)]
    format: batch::OutputFormat,
}

impl From<OutputArgs> for ListOptions {
    fn from(args: OutputArgs) -> Self {
        let chosen = if args.all { Some(usize::MAX) } else { args.limit };
        Self { limit: chosen.unwrap_or(50), format: args.format, hint_more: chosen.is_none() }
    }
}

/// Prints a list.
pub(super) async fn print_list(
    get: GetCommand,
    network: Network,
    source: Provider,
    manner: &OutputStyle,
) -> Result<ExitCode, CliError> {
    let to = |direction: DirectionArg| direction.filter.map(Into::into);
    match get {
        GetCommand::Transactions { address, direction, output } => {
            let query = Query::Transactions { address, direction: to(direction) };
            batch::print_list::<Transaction>(&source, query, &network, output.into(), manner).await
        }
        GetCommand::InternalTransactions { address, direction, output } => {
            let query = Query::InternalTransactions { address, direction: to(direction) };
            batch::print_list::<InternalTransaction>(
                &source,
                query,
                &network,
                output.into(),
                manner,
            )
            .await
        }
        GetCommand::TokenTransfers {
            address: None,
            direction: DirectionArg { filter: Some(_) },
            ..
        } => Err(CliError::Usage("--filter needs an address: to or from whom?".into())),
        GetCommand::TokenTransfers {
            address,
            direction,
            types: TypesArg { types },
            token,
            output,
        } => {
            let query = Query::TokenTransfers { address, direction: to(direction), types, token };
            batch::print_list::<TokenTransfer>(&source, query, &network, output.into(), manner)
                .await
        }
        GetCommand::Tokens { address, types: TypesArg { types }, output } => {
            let query = Query::Tokens { address, types };
            batch::print_list::<TokenBalance>(&source, query, &network, output.into(), manner).await
        }
        GetCommand::NftCollections { address, types: TypesArg { types }, output } => {
            let query = Query::Collections { address, types };
            batch::print_list::<Collection>(&source, query, &network, output.into(), manner).await
        }
        GetCommand::RawTrace { transaction } => batch::print_raw_trace(&source, transaction).await,
        GetCommand::Instances { token, holder, output } => {
            let query = Query::Instances { token, holder };
            batch::print_list::<TokenInstance>(&source, query, &network, output.into(), manner)
                .await
        }
    }?;
    Ok(ExitCode::SUCCESS)
}
