//! The endpoints of a transaction.

use serde_json::value::RawValue;
use strum::{IntoStaticStr, VariantNames};

use super::{ApiEndpoint, item, object, page, raw_json};
use crate::api::console_lines::ConsoleLine;
use crate::api::cursor::Cursor;
use crate::api::failure_line::FailureStack;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::logs::Log;
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::api::state_changes::{StateChange, group_by_address};
use crate::api::subject::Subject;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::TxHash;
use crate::sanitize::SafeText;

/// A query for a transaction, or for something of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum TransactionQuery {
    Details,
    InternalTransactions,
    TokenTransfers,
    Logs,
    /// The logs with the calls that emitted them, which cost a trace. Only this program's own server
    /// knows it.
    LogsInCalls,
    StateChanges,
    /// The console output of its calls. Only this program's own server knows it.
    Console,
    /// The logs of calls that failed. Only this program's own server knows them.
    UndoneLogs,
    /// The calls that failed with it, with their source lines. Only this program's own server knows
    /// them.
    FailureStack,
    /// The raw trace, in the format of the chain's node.
    RawTrace,
}

impl TransactionQuery {
    pub(super) fn endpoint(&self, hash: TxHash) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Transaction(hash), path, decode);
        match self {
            Self::Details => row("", item::<Transaction>),
            Self::InternalTransactions => row("internal-transactions", page::<InternalTransaction>),
            Self::TokenTransfers => row("token-transfers", page::<TokenTransfer>),
            Self::Logs => row("logs", page::<Log>),
            Self::LogsInCalls => {
                ApiEndpoint { params: vec![("calls", "true".into())], ..row("logs", page::<Log>) }
            }
            Self::StateChanges => ApiEndpoint {
                accepts_null: |key| key == "state_changes",
                ..row("state-changes", state_changes)
            },
            Self::Console => row("console-lines", page::<ConsoleLine>),
            Self::UndoneLogs => row("undone-logs", page::<Log>),
            Self::FailureStack => row("failure-stack", object::<FailureStack>),
            Self::RawTrace => row("raw-trace", raw_json),
        }
    }
}

/// Reads state changes and groups them by address.
fn state_changes(json: &RawValue, sent: Option<&Cursor>) -> Result<Reply, SafeText> {
    let mut page = Page::<StateChange>::from_json(json, sent)?;
    group_by_address(&mut page.items);
    Ok(Reply::new(page))
}
