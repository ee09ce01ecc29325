//! Internal transactions.

use serde::Serialize;

use super::{AddressResponse, address};
use crate::demo_server::{demo_chain::DemoDataError, models, store::Store};

/// An internal transaction, in a list.
#[derive(Debug, Serialize)]
pub(crate) struct InternalTransactionResponse<'a> {
    #[serde(flatten)]
    record: &'a models::InternalTransactionRecord,
    from: AddressResponse<'a>,
    to: Option<AddressResponse<'a>>,
    created_contract: Option<AddressResponse<'a>>,
    success: bool,
    timestamp: Option<&'a str>,
}

/// Renders an internal transaction.
pub(crate) fn internal_transaction<'a>(
    ledger: &'a Store,
    record: &'a models::InternalTransactionRecord,
) -> Result<InternalTransactionResponse<'a>, DemoDataError> {
    Ok(InternalTransactionResponse {
        record,
        from: address(ledger, record.from)?,
        to: record.to.map(|to| address(ledger, to)).transpose()?,
        created_contract: record.created_contract.map(|it| address(ledger, it)).transpose()?,
        success: record.error.is_none(),
        timestamp: ledger.block(record.block_number)?.map(|block| &*block.timestamp),
    })
}
