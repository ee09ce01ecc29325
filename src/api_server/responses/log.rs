//! Logs, with the events that the ABI of their contract names.

use alloy_primitives::B256;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::decoded_call::{DecodedCallResponse, decoded_event};
use super::{AddressResponse, address};
use crate::api_server::error::ApiServerError;
use crate::store::{
    AccountRecord, LogOrigin, LogRecord, Snapshot, StoreResult, UndoneLog, serde_util,
};

#[derive(Debug, Serialize)]
pub(crate) struct LogResponse<'a> {
    #[serde(flatten)]
    record: &'a LogRecord,
    address: AddressResponse<'a>,
    /// The contract again, where its source is known.
    smart_contract: Option<AddressResponse<'a>>,
    decoded: Option<DecodedCallResponse>,
    #[serde(with = "serde_util::option")]
    transaction_hash: Option<B256>,
    #[serde(with = "serde_util::option")]
    block_hash: Option<B256>,
    #[serde(with = "serde_util::time_option")]
    block_timestamp: Option<Timestamp>,
    /// Not in the API: only nodes report it.
    #[serde(flatten)]
    origin: Option<&'a LogOrigin>,
}

/// Renders a log of a failed call. It has no number.
pub(crate) fn undone_log(snapshot: &Snapshot, undone: &UndoneLog) -> Result<Value, ApiServerError> {
    let log = log(snapshot, &undone.record, Some(&undone.origin))?;
    let mut log = serde_json::to_value(&log).map_err(ApiServerError::internal)?;
    log["index"] = Value::Null;
    log["is_undone"] = true.into();
    Ok(log)
}

pub(crate) fn log<'a>(
    snapshot: &'a Snapshot,
    record: &'a LogRecord,
    origin: Option<&'a LogOrigin>,
) -> StoreResult<LogResponse<'a>> {
    let block = snapshot.block(record.block_number)?;
    let emitter = snapshot.state.account(record.address)?;
    let is_known = emitter.is_some_and(AccountRecord::has_known_abi);
    let contract = is_known.then(|| address(snapshot, record.address)).transpose()?;
    Ok(LogResponse {
        record,
        address: address(snapshot, record.address)?,
        smart_contract: contract,
        decoded: decoded_event(snapshot, record)?,
        transaction_hash: snapshot.transaction_hash(record.transaction())?,
        block_hash: block.map(|block| block.hash),
        block_timestamp: block.map(|block| block.timestamp),
        origin,
    })
}
