//! Internal transactions.

use serde::Serialize;

use super::{AddressResponse, address};
use crate::demo_server::{demo_chain::DemoDataError, models, store::Store};

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

pub(crate) fn internal_transaction<'a>(
    store: &'a Store,
    record: &'a models::InternalTransactionRecord,
) -> Result<InternalTransactionResponse<'a>, DemoDataError> {
    Ok(InternalTransactionResponse {
        record,
        from: address(store, record.from)?,
        to: record.to.map(|to| address(store, to)).transpose()?,
        created_contract: record.created_contract.map(|it| address(store, it)).transpose()?,
        success: record.error.is_none(),
        timestamp: store.block(record.block_number)?.map(|block| &*block.timestamp),
    })
}
