//! Internal transactions.

use alloy_primitives::B256;
use jiff::Timestamp;
use serde::Serialize;

use super::{AddressResponse, address, created_contract, optional_address};
use crate::store::{InternalTransactionRecord, Snapshot, StoreResult, serde_util};

#[derive(Debug, Serialize)]
pub(crate) struct InternalTransactionResponse<'a> {
    #[serde(flatten)]
    record: &'a InternalTransactionRecord,
    from: AddressResponse<'a>,
    to: Option<AddressResponse<'a>>,
    created_contract: Option<AddressResponse<'a>>,
    #[serde(with = "serde_util::option")]
    transaction_hash: Option<B256>,
    success: bool,
    #[serde(with = "serde_util::time_option")]
    timestamp: Option<Timestamp>,
}

pub(crate) fn internal_transaction<'a>(
    snapshot: &'a Snapshot,
    record: &'a InternalTransactionRecord,
) -> StoreResult<InternalTransactionResponse<'a>> {
    Ok(InternalTransactionResponse {
        record,
        from: address(snapshot, record.from)?,
        to: optional_address(snapshot, record.to)?,
        created_contract: created_contract(snapshot, record.created_contract)?,
        transaction_hash: snapshot.transaction_hash(record.transaction())?,
        success: record.error.is_none(),
        timestamp: snapshot.block_time(record.block_number)?,
    })
}
