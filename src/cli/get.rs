//! `get`: prints a list.

use std::process::ExitCode;

use clap::Subcommand;

use super::address_arg::{AddressArg, TargetArg};
use super::filters::{DirectionArg, TypesArg, parse_address};
use super::signatures::load_all_signatures;
use super::trace::TraceTarget;
use crate::abi::SignatureDb;
use crate::api::balance_history::BalanceChange;
use crate::api::blocks::{Block, Withdrawal};
use crate::api::holders::Holder;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::logs::Log;
use crate::api::nft_collections::Collection;
use crate::api::nft_instances::TokenInstance;
use crate::api::state_changes::StateChange;
use crate::api::token_balances::TokenBalance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{Direction, Query};
use crate::chain::Address;
use crate::chain::network::Network;
use crate::chain::target::{LinkedChain, TargetKind};
use crate::columns::Row;
use crate::net::provider::Provider;
use crate::output::list_formats::{self, ListOptions};
use crate::output::{self, CliError, OutputStyle};

const DEFAULT_LIMIT: usize = 50;

#[derive(Debug, Subcommand)]
pub(super) enum GetCommand {
    /// Transactions of an address, of a block, or of the whole chain
    Transactions {
        /// Address or block, link to one, or name
        target: Option<TargetArg>,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Latest blocks
    Blocks {
        #[command(flatten)]
        output: OutputArgs,
    },
    /// One block
    Block(BlockArgs),
    /// Withdrawals in a block
    Withdrawals(BlockArgs),
    /// Internal transactions of an address, a transaction or a block
    #[command(visible_alias = "internal")]
    InternalTransactions {
        /// Address, transaction or block, link to one, or name
        target: TargetArg,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Logs of a contract or a transaction
    Logs {
        /// Address or transaction, link to one, or name
        target: TargetArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Balances before and after a transaction
    #[command(visible_alias = "state")]
    StateChanges {
        /// Transaction hash, or a link to one
        transaction: TraceTarget,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Token transfers of an address, of a transaction, or of the whole chain
    #[command(visible_alias = "transfers")]
    TokenTransfers {
        /// Address or transaction, link to one, or name
        target: Option<TargetArg>,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        types: TypesArg,
        /// Only transfers of this token contract
        #[arg(long, requires = "target", value_parser = parse_address)]
        token: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Token balances of an address
    Tokens(HoldingsArgs),
    /// NFT collections held by an address
    NftCollections(HoldingsArgs),
    /// Raw trace of a transaction as sent by the node (arrays: one entry per line)
    RawTrace {
        /// Transaction hash, or a link to one
        transaction: TraceTarget,
    },
    /// A contract as sent by the explorer: its source, ABI and code
    Contract {
        /// Contract, link to one, or name
        address: AddressArg,
    },
    /// Instances of a token contract
    Instances {
        /// Token contract, link to one, or name
        token: AddressArg,
        /// Only instances held by this address
        #[arg(long, value_parser = parse_address)]
        holder: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Coin balance of an address after each change
    BalanceHistory(AddressListArgs),
    /// Holders of a token
    Holders(TokenArgs),
    /// Transfers of a token
    TransfersOfToken(TokenArgs),
}

impl GetCommand {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Tokens(HoldingsArgs { address, .. })
            | Self::NftCollections(HoldingsArgs { address, .. })
            | Self::BalanceHistory(AddressListArgs { address, .. })
            | Self::Holders(TokenArgs { token: address, .. })
            | Self::TransfersOfToken(TokenArgs { token: address, .. })
            | Self::Contract { address }
            | Self::Instances { token: address, .. } => address.linked_chain(),
            Self::InternalTransactions { target, .. } | Self::Logs { target, .. } => {
                target.linked_chain()
            }
            Self::Transactions { target, .. } | Self::TokenTransfers { target, .. } => {
                target.as_ref()?.linked_chain()
            }
            Self::Block(BlockArgs { block, .. }) | Self::Withdrawals(BlockArgs { block, .. }) => {
                block.linked_chain()
            }
            Self::Blocks { .. } => None,
            Self::RawTrace { transaction } | Self::StateChanges { transaction, .. } => {
                transaction.chain.as_ref()
            }
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct BlockArgs {
    /// Number or hash, or a link to one
    block: TargetArg,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct HoldingsArgs {
    /// Address, link to one, or name
    address: AddressArg,
    #[command(flatten)]
    types: TypesArg,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct AddressListArgs {
    /// Address, link to one, or name
    address: AddressArg,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct TokenArgs {
    /// Token contract, link to one, or name
    token: AddressArg,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct OutputArgs {
    /// Maximum number of rows [default: 50]
    #[arg(long, conflicts_with = "all")]
    limit: Option<usize>,
    /// Print all rows, page after page
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = list_formats::OutputFormat::Table)]
    format: list_formats::OutputFormat,
}

impl From<OutputArgs> for ListOptions {
    fn from(args: OutputArgs) -> Self {
        let chosen = if args.all { Some(usize::MAX) } else { args.limit };
        let limit = chosen.unwrap_or(DEFAULT_LIMIT);
        Self { limit, format: args.format, hint_more: chosen.is_none() }
    }
}

pub(super) async fn print_list(
    command: GetCommand,
    network: &Network,
    provider: &Provider,
    style: &OutputStyle,
) -> Result<ExitCode, CliError> {
    let signatures = match command {
        GetCommand::Logs { .. } => load_all_signatures(provider).await,
        _ => SignatureDb::default(),
    };
    let lists = ListPrinter { network, provider, signatures: &signatures, style };
    match command {
        GetCommand::Transactions { target, direction, output } => {
            let target = resolve_any(target, provider).await?;
            let query = transactions_query(target, direction.filter)?;
            lists.print::<Transaction>(query, output).await
        }
        GetCommand::Blocks { output } => lists.print::<Block>(Query::Blocks, output).await,
        GetCommand::Block(BlockArgs { block, output }) => {
            let query = Query::Block(block.resolve_block(provider).await?);
            lists.print::<Block>(query, output).await
        }
        GetCommand::Withdrawals(BlockArgs { block, output }) => {
            let query = Query::BlockWithdrawals(block.resolve_block(provider).await?);
            lists.print::<Withdrawal>(query, output).await
        }
        GetCommand::InternalTransactions { target, direction, output } => {
            let query = internals_query(target.resolve(provider).await?, direction.filter)?;
            lists.print::<InternalTransaction>(query, output).await
        }
        GetCommand::Logs { target, output } => {
            let query = match target.resolve(provider).await? {
                TargetKind::Address(address) => Query::AddressLogs(address),
                TargetKind::Transaction(hash) => Query::TransactionLogs(hash),
                TargetKind::Block(_) => return Err(no_list("logs")),
            };
            lists.print::<Log>(query, output).await
        }
        GetCommand::StateChanges { transaction, output } => {
            lists.print::<StateChange>(Query::StateChanges(transaction.hash), output).await
        }
        GetCommand::TokenTransfers { target, direction, types, token, output } => {
            let target = resolve_any(target, provider).await?;
            let query = transfers_query(target, direction, types, token)?;
            lists.print::<TokenTransfer>(query, output).await
        }
        GetCommand::Tokens(HoldingsArgs { address, types, output }) => {
            let address = address.resolve(provider).await?;
            lists.print::<TokenBalance>(Query::Tokens { address, types: types.types }, output).await
        }
        GetCommand::NftCollections(HoldingsArgs { address, types, output }) => {
            let address = address.resolve(provider).await?;
            let query = Query::Collections { address, types: types.types };
            lists.print::<Collection>(query, output).await
        }
        GetCommand::RawTrace { transaction } => {
            output::print_raw_trace(provider, transaction.hash).await
        }
        GetCommand::Contract { address } => {
            output::print_contract(provider, address.resolve(provider).await?).await
        }
        GetCommand::Instances { token, holder, output } => {
            let token = token.resolve(provider).await?;
            lists.print::<TokenInstance>(Query::Instances { token, holder }, output).await
        }
        GetCommand::BalanceHistory(AddressListArgs { address, output }) => {
            let address = address.resolve(provider).await?;
            lists.print::<BalanceChange>(Query::BalanceHistory(address), output).await
        }
        GetCommand::Holders(TokenArgs { token, output }) => {
            let token = token.resolve(provider).await?;
            lists.print::<Holder>(Query::Holders(token), output).await
        }
        GetCommand::TransfersOfToken(TokenArgs { token, output }) => {
            let token = token.resolve(provider).await?;
            lists.print::<TokenTransfer>(Query::TransfersOfToken(token), output).await
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

fn needs_address(option: &str) -> CliError {
    CliError::Usage(format!("{option} needs an address"))
}

fn no_list(of: &str) -> CliError {
    CliError::Usage(format!("the explorer has no list of {of} for this"))
}

async fn resolve_any(
    target: Option<TargetArg>,
    provider: &Provider,
) -> Result<Option<TargetKind>, CliError> {
    match target {
        Some(target) => target.resolve(provider).await.map(Some),
        None => Ok(None),
    }
}

fn transactions_query(
    target: Option<TargetKind>,
    direction: Option<Direction>,
) -> Result<Query, CliError> {
    Ok(match target {
        Some(TargetKind::Address(address)) => Query::Transactions { address, direction },
        _ if direction.is_some() => return Err(needs_address("--filter")),
        Some(TargetKind::Block(block)) => Query::BlockTransactions(block),
        Some(TargetKind::Transaction(_)) => return Err(no_list("transactions")),
        None => Query::ChainTransactions,
    })
}

fn internals_query(target: TargetKind, direction: Option<Direction>) -> Result<Query, CliError> {
    Ok(match target {
        TargetKind::Address(address) => Query::InternalTransactions { address, direction },
        _ if direction.is_some() => return Err(needs_address("--filter")),
        TargetKind::Transaction(hash) => Query::TransactionInternals(hash),
        TargetKind::Block(block) => Query::BlockInternals(block),
    })
}

fn transfers_query(
    target: Option<TargetKind>,
    DirectionArg { filter: direction }: DirectionArg,
    TypesArg { types }: TypesArg,
    token: Option<Address>,
) -> Result<Query, CliError> {
    let address = match target {
        Some(TargetKind::Address(address)) => Some(address),
        _ if direction.is_some() => return Err(needs_address("--filter")),
        Some(TargetKind::Transaction(_)) if token.is_some() => {
            return Err(needs_address("--token"));
        }
        Some(TargetKind::Transaction(_)) if !types.is_empty() => {
            return Err(needs_address("--type"));
        }
        Some(TargetKind::Transaction(hash)) => return Ok(Query::TransactionTransfers(hash)),
        Some(TargetKind::Block(_)) => return Err(no_list("token transfers")),
        None => None,
    };
    Ok(Query::TokenTransfers { address, direction, types, token })
}

struct ListPrinter<'a> {
    network: &'a Network,
    provider: &'a Provider,
    signatures: &'a SignatureDb,
    style: &'a OutputStyle,
}

impl ListPrinter<'_> {
    async fn print<T: Row>(&self, query: Query, output: OutputArgs) -> Result<(), CliError> {
        let Self { network, provider, signatures, style } = *self;
        let options = output.into();
        list_formats::print_list::<T>(provider, query, network, signatures, options, style).await
    }
}
