//! Lines that contracts printed on the console.

use alloy_primitives::B256;
use jiff::Timestamp;
use serde::Serialize;

use super::{AddressResponse, address, function_name, special_function};
use crate::store::{ConsoleLineRecord, RunningFunction, Snapshot, StoreResult, serde_util};

#[derive(Debug, Serialize)]
pub(crate) struct ConsoleLineResponse<'a> {
    #[serde(flatten)]
    record: &'a ConsoleLineRecord,
    #[serde(with = "serde_util::option")]
    transaction_hash: Option<B256>,
    #[serde(with = "serde_util::time_option")]
    timestamp: Option<Timestamp>,
    contract: AddressResponse<'a>,
    function: String,
}

pub(crate) fn console_line<'a>(
    snapshot: &'a Snapshot,
    record: &'a ConsoleLineRecord,
) -> StoreResult<ConsoleLineResponse<'a>> {
    Ok(ConsoleLineResponse {
        record,
        transaction_hash: snapshot.transaction_hash(record.transaction())?,
        timestamp: snapshot.block_time(record.block_number)?,
        contract: address(snapshot, record.contract)?,
        function: match record.function {
            RunningFunction::Constructor => "constructor".to_owned(),
            RunningFunction::WithoutSelector { code, is_empty } => {
                special_function(snapshot, code, is_empty)?.name().to_owned()
            }
            RunningFunction::Function { code, selector } => {
                function_name(snapshot, code, selector)?
            }
        },
    })
}
