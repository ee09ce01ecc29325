//! The withdrawals in a block, newest first.

use super::{ITEMS_COUNT_PARAM, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext},
    responses,
};
use crate::store::{BlockRecord, StoreError, WithdrawalRecord};

pub(crate) const PARAMETERS: &[ParamSpec] = &[("index", ParamRule::Integer(0)), ITEMS_COUNT_PARAM];

pub(crate) fn list_in_block(request: &RequestContext<'_>, block: &BlockRecord) -> JsonResult {
    let unknown = || StoreError::Unsupported("the node sends no withdrawals".into());
    let rows = block.withdrawals.0.as_ref().ok_or_else(unknown)?;
    let after: Option<u64> = request.params.get("index");
    let rows = rows.iter().rev().filter(|row| after.is_none_or(|after| row.index < after));
    let cursor = |last: &&WithdrawalRecord, items_count| {
        NextPageParams::echo(request.params)
            .with("index", last.index)
            .with("items_count", items_count)
    };
    page(request, rows, |_| Ok(()), cursor, |row| responses::withdrawal(request.snapshot, row))
}
