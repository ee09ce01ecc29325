//! Lists of activity on the chain: blocks, transactions, transfers and logs.

use clap::Subcommand;

use super::super::address_arg::{AddressArg, TargetArg, has_block};
use super::super::filters::{ActivityTypesArg, DirectionArg, TypesArg, parse_address};
use super::super::trace::TraceTarget;
use super::{ListArgs, OutputArgs};
use crate::api::activity::{Activity, ActivityBounds, ActivityFilter};
use crate::api::console_lines::ConsoleLine;
use crate::api::endpoints::block::{Block, Withdrawal};
use crate::api::internal_transactions::InternalTransaction;
use crate::api::logs::Log;
use crate::api::state_changes::StateChange;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{AddressQuery, BlockQuery, ChainQuery, Direction, Query, TransactionQuery};
use crate::chain::decimal::Decimal;
use crate::chain::target::{LinkedChain, TargetKind};
use crate::chain::time_input::TimeInput;
use crate::chain::{Address, BlockId};
use crate::columns::ListRow;
use crate::messages::cli::{self, CliProblem};
use crate::net::provider::Provider;
use crate::output::{CliError, age_clock};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ActivityCommand {
    /// Transactions of an address, of a block, or of the whole chain
    Transactions {
        /// Address or block, link to one, or name
        target: Option<TargetArg>,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Transactions, internal transactions and token transfers in one list, of an address or the chain
    Activity {
        /// Address, link to one, or name
        address: Option<AddressArg>,
        #[command(flatten)]
        filter: Box<ActivityArgs>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Latest blocks, or those that an address validated
    Blocks {
        /// Address, link to one, or name
        address: Option<AddressArg>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Withdrawals of an address, in a block, or of the whole chain
    Withdrawals {
        /// Address or block, link to one, or name
        target: Option<TargetArg>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Internal transactions of an address, a transaction, a block or the whole chain
    #[command(visible_alias = "internal")]
    InternalTransactions {
        /// Address, transaction or block, link to one, or name
        target: Option<TargetArg>,
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
    /// Lines that contracts printed on the console, of a transaction or of a node's whole chain
    Console {
        /// Transaction hash, or a link to one
        transaction: Option<TraceTarget>,
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
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ActivityArgs {
    #[command(flatten)]
    direction: DirectionArg,
    #[command(flatten)]
    types: ActivityTypesArg,
    /// Only transfers of this token contract
    #[arg(long, value_parser = parse_address)]
    token: Option<Address>,
    /// Only since this time of UTC (2026-01-01, "yesterday noon", "12h ago")
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<TimeInput>,
    /// Only until this time of UTC
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<TimeInput>,
    /// Only amounts of at least so many coins or tokens
    #[arg(long, value_name = "AMOUNT")]
    min: Option<Decimal>,
    /// Only amounts of at most so many coins or tokens
    #[arg(long, value_name = "AMOUNT")]
    max: Option<Decimal>,
}

impl ActivityArgs {
    async fn query(
        self,
        address: Option<AddressArg>,
        provider: &Provider,
    ) -> Result<Query, CliError> {
        let Self { direction, types, token, since, until, min, max } = self;
        if direction.filter.is_some() && address.is_none() {
            return Err(needs_address("--filter"));
        }
        // Explorers ignore such a maximum.
        if max.is_some_and(|max| max <= min.unwrap_or_default()) {
            return Err(CliError::Usage(cli::NO_AMOUNTS.into()));
        }
        let address = match address {
            Some(address) => Some(address.resolve(provider).await?),
            None => None,
        };
        let now = age_clock(provider).now();
        let at = |time: Option<TimeInput>| time.and_then(|time| time.resolve(now));
        let mut bounds =
            ActivityBounds { from: at(since), to: at(until), ..ActivityBounds::default() };
        if bounds.from.zip(bounds.to).is_some_and(|(from, to)| to < from) {
            return Err(CliError::Usage(cli::NO_TIMES.into()));
        }
        bounds.add_amounts(min, max);
        let direction = direction.filter;
        let filter = ActivityFilter { direction, token, bounds, ..Default::default() };
        let query = Query::activity(address, filter);
        Ok(types.types.into_iter().fold(query, Query::filtered))
    }
}

fn parse_time(text: &str) -> Result<TimeInput, &'static str> {
    TimeInput::parse_past(text).ok_or(cli::NOT_A_TIME)
}

impl ActivityCommand {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Logs { target, .. } => target.linked_chain(),
            Self::Transactions { target, .. }
            | Self::Withdrawals { target, .. }
            | Self::InternalTransactions { target, .. }
            | Self::TokenTransfers { target, .. } => target.as_ref()?.linked_chain(),
            Self::Activity { address, .. } | Self::Blocks { address, .. } => {
                address.as_ref()?.linked_chain()
            }
            Self::StateChanges { transaction, .. } => transaction.chain.as_ref(),
            Self::Console { transaction, .. } => transaction.as_ref()?.chain.as_ref(),
        }
    }

    pub(super) async fn list(self, provider: &Provider) -> Result<ListArgs, CliError> {
        Ok(match self {
            Self::Transactions { target, direction, output } => {
                let target = resolve_list_target(target, provider).await?;
                let query = transactions_query(target.as_ref(), direction.filter)?;
                (Transaction::KIND, query, output)
            }
            Self::Activity { address, filter, output } => {
                (Activity::KIND, filter.query(address, provider).await?, output)
            }
            Self::Blocks { address: None, output } => {
                (Block::KIND, Query::Chain(ChainQuery::Blocks), output)
            }
            Self::Blocks { address: Some(address), output } => {
                let address = address.resolve(provider).await?;
                (Block::KIND, Query::Address(address, AddressQuery::Blocks), output)
            }
            Self::Withdrawals { target, output } => {
                let target = resolve_any(target, provider).await?;
                let query = withdrawals_query(target.as_ref());
                (Withdrawal::KIND, query, output)
            }
            Self::InternalTransactions { target, direction, output } => {
                let target = resolve_any(target, provider).await?;
                let query = internals_query(target.as_ref(), direction.filter)?;
                (InternalTransaction::KIND, query, output)
            }
            Self::Logs { target, output } => {
                let query = match target.resolve(provider).await? {
                    TargetKind::Address(address) => Query::Address(address, AddressQuery::Logs),
                    TargetKind::Transaction(hash) => {
                        Query::Transaction(hash, TransactionQuery::Logs)
                    }
                    TargetKind::Block(_) => return Err(no_list("logs")),
                };
                (Log::KIND, query, output)
            }
            Self::StateChanges { transaction, output } => {
                let query = Query::Transaction(transaction.hash, TransactionQuery::StateChanges);
                (StateChange::KIND, query, output)
            }
            Self::Console { transaction, output } => {
                let query = transaction.map_or(Query::Chain(ChainQuery::Console), |transaction| {
                    Query::Transaction(transaction.hash, TransactionQuery::Console)
                });
                (ConsoleLine::KIND, query, output)
            }
            Self::TokenTransfers { target, direction, types, token, output } => {
                let target = resolve_any(target, provider).await?;
                let query = transfers_query(target.as_ref(), direction, types, token)?;
                (TokenTransfer::KIND, query, output)
            }
        })
    }
}

fn needs_address(option: &str) -> CliError {
    CliError::Usage(CliProblem::NeedsAddress { option }.to_string())
}

pub(super) fn no_list(list: &str) -> CliError {
    CliError::Usage(CliProblem::NoList { list }.to_string())
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

/// Like [`resolve_any`], but a hash may be a block's.
async fn resolve_list_target(
    target: Option<TargetArg>,
    provider: &Provider,
) -> Result<Option<TargetKind>, CliError> {
    Ok(match resolve_any(target, provider).await? {
        Some(TargetKind::Transaction(hash)) if has_block(BlockId::Hash(hash), provider).await? => {
            Some(TargetKind::Block(BlockId::Hash(hash)))
        }
        target => target,
    })
}

fn transactions_query(
    target: Option<&TargetKind>,
    direction: Option<Direction>,
) -> Result<Query, CliError> {
    Ok(match target {
        Some(&TargetKind::Address(address)) => {
            Query::Address(address, AddressQuery::Transactions { direction })
        }
        _ if direction.is_some() => return Err(needs_address("--filter")),
        Some(&TargetKind::Block(block)) => Query::Block(block, BlockQuery::Transactions),
        Some(TargetKind::Transaction(_)) => {
            return Err(CliError::Usage(cli::ONE_TRANSACTION.into()));
        }
        None => Query::Chain(ChainQuery::Transactions),
    })
}

fn internals_query(
    target: Option<&TargetKind>,
    direction: Option<Direction>,
) -> Result<Query, CliError> {
    Ok(match target {
        Some(&TargetKind::Address(address)) => {
            Query::Address(address, AddressQuery::InternalTransactions { direction })
        }
        _ if direction.is_some() => return Err(needs_address("--filter")),
        Some(&TargetKind::Transaction(hash)) => {
            Query::Transaction(hash, TransactionQuery::InternalTransactions)
        }
        Some(&TargetKind::Block(block)) => Query::Block(block, BlockQuery::InternalTransactions),
        None => Query::Chain(ChainQuery::InternalTransactions),
    })
}

fn withdrawals_query(target: Option<&TargetKind>) -> Query {
    match target {
        Some(&TargetKind::Address(address)) => Query::Address(address, AddressQuery::Withdrawals),
        Some(&TargetKind::Block(block)) => Query::Block(block, BlockQuery::Withdrawals),
        // The hash of a block, as typed.
        Some(&TargetKind::Transaction(hash)) => {
            Query::Block(BlockId::Hash(hash), BlockQuery::Withdrawals)
        }
        None => Query::Chain(ChainQuery::Withdrawals),
    }
}

fn transfers_query(
    target: Option<&TargetKind>,
    DirectionArg { filter: direction }: DirectionArg,
    TypesArg { types }: TypesArg,
    token: Option<Address>,
) -> Result<Query, CliError> {
    Ok(match target {
        Some(&TargetKind::Address(address)) => {
            Query::Address(address, AddressQuery::TokenTransfers { direction, types, token })
        }
        _ if direction.is_some() => return Err(needs_address("--filter")),
        None | Some(TargetKind::Transaction(_)) if token.is_some() => {
            return Err(needs_address("--token"));
        }
        Some(TargetKind::Transaction(_)) if !types.is_empty() => {
            return Err(needs_address("--type"));
        }
        Some(&TargetKind::Transaction(hash)) => {
            Query::Transaction(hash, TransactionQuery::TokenTransfers)
        }
        Some(TargetKind::Block(_)) => return Err(no_list("token transfers")),
        None => Query::Chain(ChainQuery::Transfers { types }),
    })
}
