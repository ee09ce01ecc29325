//! Internal transactions.

use serde::Serialize;

use super::{Address, address};
use crate::explorer::{demo::Broken, ledger::Ledger, records};

/// An internal transaction, in a list.
#[derive(Debug, Serialize)]
pub(crate) struct Internal<'a> {
    #[serde(flatten)]
    record: &'a records::Internal,
    from: Address<'a>,
    to: Option<Address<'a>>,
    created_contract: Option<Address<'a>>,
    success: bool,
    timestamp: Option<&'a str>,
}

/// Renders an internal transaction.
pub(crate) fn internal<'a>(
    ledger: &'a Ledger,
    record: &'a records::Internal,
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
