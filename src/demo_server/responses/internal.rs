//! Internal transactions.

use serde::Serialize;

use super::{Address, address};
use crate::demo_server::{demo_chain::Broken, models, store::Ledger};

/// An internal transaction, in a list.
#[derive(Debug, Serialize)]
pub(crate) struct Internal<'a> {
    #[serde(flatten)]
    record: &'a models::Internal,
    from: Address<'a>,
    to: Option<Address<'a>>,
    created_contract: Option<Address<'a>>,
    success: bool,
    timestamp: Option<&'a str>,
}

/// Renders an internal transaction.
pub(crate) fn internal<'a>(
    ledger: &'a Ledger,
    record: &'a models::Internal,
) -> Result<Internal<'a>, Broken> {
    Ok(Internal {
        record,
        from: address(ledger, record.from)?,
        to: record.to.map(|to| address(ledger, to)).transpose()?,
        created_contract: record.created_contract.map(|it| address(ledger, it)).transpose()?,
        success: record.error.is_none(),
        timestamp: ledger.block(record.block_number)?.map(|block| &*block.timestamp),
    })
}
