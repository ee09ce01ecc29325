//! Transactions, in a list and alone.

use alloy_primitives::{Address, U256};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{AddressResponse, TransferResponse, address, nested_transfer, tagged_address};
use crate::demo_server::{
    demo_chain::DemoDataError,
    models::TransactionRecord,
    request::{JsonResult, RequestContext, to_json},
    serde_util,
    store::Store,
};

const MAX_PREVIEW_TRANSFERS: usize = 10;

#[derive(Debug, Serialize)]
pub(crate) struct TransactionResponse<'a> {
    #[serde(flatten)]
    record: &'a TransactionRecord,
    from: AddressResponse<'a>,
    to: Option<AddressResponse<'a>>,
    created_contract: Option<AddressResponse<'a>>,
    confirmations: u32,
    confirmation_duration: [u32; 2],
    fee: FeeResponse,
    revert_reason: Option<RevertReasonResponse<'a>>,
    token_transfers: Option<Vec<TransferResponse<'a>>>,
    token_transfers_overflow: Option<bool>,
    exchange_rate: &'a str,
    historic_exchange_rate: &'a str,
    #[serde(rename = "transaction_tag")]
    tag: Option<()>,
    is_pending_update: bool,
    fhe_operations_count: u32,
}

#[derive(Debug, Serialize)]
struct FeeResponse {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(with = "serde_util::text")]
    value: U256,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RevertReasonResponse<'a> {
    Raw { raw: &'a str },
    Decoded(&'a RawValue),
}

/// Renders a transaction in a list: without transfers, with an undecoded revert reason.
pub(crate) fn transaction<'a>(
    store: &'a Store,
    record: &'a TransactionRecord,
) -> Result<TransactionResponse<'a>, DemoDataError> {
    render(store, record, address)
}

fn render<'a>(
    store: &'a Store,
    record: &'a TransactionRecord,
    address: fn(&'a Store, Address) -> Result<AddressResponse<'a>, DemoDataError>,
) -> Result<TransactionResponse<'a>, DemoDataError> {
    let meta = store.meta()?;
    Ok(TransactionResponse {
        record,
        from: address(store, record.from)?,
        to: record.to.map(|to| address(store, to)).transpose()?,
        created_contract: record.created_contract.map(|it| address(store, it)).transpose()?,
        confirmations: meta.head.saturating_sub(record.block_number) + 1,
        confirmation_duration: [0, 12_000],
        fee: FeeResponse { kind: "actual", value: record.fee },
        revert_reason: record.revert_reason.as_deref().map(|raw| RevertReasonResponse::Raw { raw }),
        token_transfers: None,
        token_transfers_overflow: None,
        exchange_rate: &meta.coin_exchange_rate,
        historic_exchange_rate: &meta.coin_historic_exchange_rate,
        tag: None,
        is_pending_update: false,
        fhe_operations_count: 0,
    })
}

pub(crate) fn transaction_detail(
    request: &RequestContext<'_>,
    record: &TransactionRecord,
) -> JsonResult {
    let store = request.store;
    let mut detail = render(store, record, tagged_address)?;
    let rows = store.transfers()?.iter().filter(|row| row.transaction_hash == record.hash);
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|row| row.position.log_index);
    let shown = rows.iter().take(MAX_PREVIEW_TRANSFERS).map(|row| nested_transfer(store, row));
    detail.token_transfers = Some(shown.collect::<Result<_, _>>()?);
    detail.token_transfers_overflow = Some(rows.len() > MAX_PREVIEW_TRANSFERS);
    if let Some(decoded) = &record.revert_decoded {
        detail.revert_reason = Some(RevertReasonResponse::Decoded(decoded));
    }
    to_json(&detail)
}
