//! The endpoints of a transaction.

use std::sync::Arc;

use serde_json::value::RawValue;
use strum::{IntoStaticStr, VariantNames};

use super::{ApiEndpoint, EndpointPath, array, object, page, raw_json};
use crate::api::account_abstraction::{OPERATIONS_PATH, UserOperation};
use crate::api::beacon_deposits::BeaconDeposit;
use crate::api::console_lines::ConsoleLine;
use crate::api::endpoints::subject::Subject;
use crate::api::failure_line::FailureStack;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::json::Json;
use crate::api::json_fields::{Field, FromJson, JsonNames, json_object};
use crate::api::logs::Log;
use crate::api::page::cursor::Cursor;
use crate::api::page::{Item, Page};
use crate::api::reply::{Reply, ReplyData};
use crate::api::state_changes::{StateChange, group_by_address};
use crate::api::token_transfers::{TokenTransfer, order_batches};
use crate::api::transactions::Transaction;
use crate::chain::{B256, TxHash};
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
    /// The blobs that it carried.
    Blobs,
    BeaconDeposits,
    /// The user operations that it bundled.
    UserOperations,
    /// The transactions of another chain that it caused.
    ExternalTransactions,
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
    pub fn is_of_logs(&self) -> bool {
        matches!(self, Self::Logs | Self::LogsInCalls | Self::UndoneLogs)
    }

    pub(super) fn endpoint(&self, hash: TxHash) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Transaction(hash), path, decode);
        match self {
            Self::Details => row("", details),
            Self::InternalTransactions => row("internal-transactions", page::<InternalTransaction>),
            Self::TokenTransfers => row("token-transfers", token_transfers),
            Self::Logs => row("logs", page::<Log>),
            Self::LogsInCalls => {
                ApiEndpoint { params: vec![("calls", "true".into())], ..row("logs", page::<Log>) }
            }
            Self::StateChanges => ApiEndpoint {
                accepts_null: |key| key == "state_changes",
                ..row("state-changes", state_changes)
            },
            Self::Blobs => row("blobs", page::<Blob>),
            Self::BeaconDeposits => row("beacon/deposits", page::<BeaconDeposit>),
            Self::UserOperations => ApiEndpoint {
                path: EndpointPath::OfChain(OPERATIONS_PATH),
                params: vec![("transaction_hash", hash.to_string())],
                ..row("user-operations", page::<UserOperation>)
            },
            Self::ExternalTransactions => {
                row("external-transactions", array::<ExternalTransaction>)
            }
            Self::Console => row("console-lines", page::<ConsoleLine>),
            Self::UndoneLogs => row("undone-logs", page::<Log>),
            Self::FailureStack => row("failure-stack", object::<FailureStack>),
            Self::RawTrace => row("raw-trace", raw_json),
        }
    }
}

json_object! {
    /// A blob (EIP-4844), of which the JSON has the data.
    pub struct Blob {
        /// The versioned hash.
        pub hash: Field<B256>,
        pub kzg_commitment: Field<SafeText>,
        pub kzg_proof: Field<SafeText>,
    }
}

impl ReplyData for Blob {}

/// The hash of a transaction of another chain, in its notation.
#[derive(Debug, Clone)]
pub struct ExternalTransaction {
    pub hash: Field<SafeText>,
}

impl JsonNames for ExternalTransaction {}

impl FromJson for ExternalTransaction {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        SafeText::from_json(json).map(|hash| Self { hash: Field::Present(hash) })
    }
}

impl ReplyData for ExternalTransaction {}

/// Reads a transaction, whose transfers are in the order in which they happened.
#[expect(clippy::unnecessary_wraps, reason = "a decoder may fail")]
fn details(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    let mut item = Item::<Transaction>::from_json(json);
    if let Ok(Transaction { token_transfers: Field::Present(transfers), .. }) = &mut item.parsed {
        order_batches(transfers, TokenTransfer::log);
    }
    Ok(Reply::new(Arc::new(item)))
}

/// Reads token transfers, in the order in which they happened.
fn token_transfers(json: &RawValue, sent: Option<&Cursor>) -> Result<Reply, SafeText> {
    let mut page = Page::<TokenTransfer>::from_json(json, sent)?;
    order_batches(&mut page.items, |item| item.parsed.as_ref().ok()?.log());
    Ok(Reply::new(page))
}

/// Reads state changes and groups them by address.
fn state_changes(json: &RawValue, sent: Option<&Cursor>) -> Result<Reply, SafeText> {
    let mut page = Page::<StateChange>::from_json(json, sent)?;
    group_by_address(&mut page.items);
    Ok(Reply::new(page))
}
