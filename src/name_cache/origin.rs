//! Names of responses, for the origin of a name.

use crate::api::{InstanceKey, Query};
use crate::chain::abbreviate::abbreviate;
use crate::sanitize::SafeText;

pub(super) fn describe_query(query: &Query) -> SafeText {
    let what = match query {
        Query::Address(_) | Query::Counters(_) => "address",
        Query::Contract(_) => "contract",
        Query::Call(_) => "call",
        Query::Transaction(_) | Query::RawTrace(_) | Query::FailureLine(_) => "transaction",
        Query::Transactions { .. }
        | Query::ChainTransactions
        | Query::BlockTransactions(_)
        | Query::LatestTransactions => "transactions",
        Query::InternalTransactions { .. }
        | Query::TransactionInternals(_)
        | Query::BlockInternals(_) => "internal transactions",
        Query::Block(_) => "block",
        Query::Blocks | Query::LatestBlocks => "blocks",
        Query::BlockWithdrawals(_) => "withdrawals",
        Query::Stats | Query::DailyTransactions => "stats",
        Query::TokenTransfers { .. }
        | Query::TransactionTransfers(_)
        | Query::TransfersOfToken(_)
        | Query::InstanceTransfers(_) => "token transfers",
        Query::Search(_) => "search",
        Query::TransactionLogs(_) | Query::LogsInCalls(_) | Query::AddressLogs(_) => "logs",
        Query::StateChanges(_) => "state changes",
        Query::Tokens { .. } | Query::ChainTokens { .. } => "tokens",
        Query::Collections { .. } => "collections",
        Query::Instances { .. } => "instances",
        Query::Instance(_) => "instance",
        Query::Token(_) | Query::TokenCounters(_) => "token",
        Query::Holders(_) | Query::InstanceHolders(_) => "holders",
        Query::BalanceHistory(_) | Query::DailyBalances(_) => "balances",
        Query::Redirect(_) => "name",
    };
    SafeText::from([what, &describe_subject(query)].concat())
}

fn describe_subject(query: &Query) -> String {
    match query {
        Query::Address(address)
        | Query::Counters(address)
        | Query::Contract(address)
        | Query::Token(address)
        | Query::TokenCounters(address) => [" ", &abbreviate(address)].concat(),
        Query::Transaction(hash) | Query::RawTrace(hash) => [" ", &abbreviate(hash)].concat(),
        Query::TransactionInternals(hash)
        | Query::TransactionTransfers(hash)
        | Query::TransactionLogs(hash)
        | Query::LogsInCalls(hash)
        | Query::StateChanges(hash) => [" of ", &abbreviate(hash)].concat(),
        Query::Block(id) => format!(" {}", abbreviate(id)),
        Query::BlockTransactions(id) | Query::BlockInternals(id) | Query::BlockWithdrawals(id) => {
            format!(" of block {}", abbreviate(id))
        }
        Query::Instances { token, .. }
        | Query::TransfersOfToken(token)
        | Query::Instance(InstanceKey { token, .. })
        | Query::InstanceTransfers(InstanceKey { token, .. })
        | Query::InstanceHolders(InstanceKey { token, .. }) => {
            [" of ", &abbreviate(token)].concat()
        }
        _ => query
            .viewed_address()
            .map(|address| [" of ", &abbreviate(&address)].concat())
            .unwrap_or_default(),
    }
}
