//! Transactions, in a list and alone.

use std::cmp::Reverse;
use std::collections::HashSet;

use alloy_primitives::{Address, B256, U256, hex};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{
    AddressResponse, TransferResponse, address, created_contract,
    decoded_call::DecodedCallResponse, decoded_input, decoded_revert, method, nested_transfer,
    tagged_address,
};
use crate::api_server::error::ApiServerError;
use crate::api_server::request::{JsonResult, RequestContext, to_json};
use crate::api_server::seen_transactions::SeenTransactions;
use crate::chain::coverage::MissingBlocks;
use crate::store::{
    AccountRecord, BlobCosts, KnownFailure, Snapshot, StoreResult, TransactionRecord,
    TransferRecord, serde_util,
};

const MAX_PREVIEW_TRANSFERS: usize = 10;
/// The result of a transaction that left the pool, or its block.
const DROPPED: &str = "dropped/replaced";
/// The EIP-2718 type of a transaction that delegates accounts to code (EIP-7702).
const SET_CODE_ENVELOPE: u8 = 4;
/// The least and the greatest time until a transaction of the demo chain was in a block, in
/// milliseconds. No node reports it.
const DEMO_CONFIRMATION: [u32; 2] = [0, 12_000];

#[derive(Debug, Serialize)]
pub(crate) struct TransactionResponse<'a> {
    #[serde(flatten)]
    record: &'a TransactionRecord,
    authorization_list: AuthorizationsResponse<'a>,
    #[serde(flatten)]
    blobs: Option<&'a BlobCosts>,
    from: AddressResponse<'a>,
    to: Option<AddressResponse<'a>>,
    created_contract: Option<AddressResponse<'a>>,
    /// `None` of a failure that is still read, or of an unknown outcome.
    result: Option<&'a str>,
    status: Option<&'static str>,
    #[serde(with = "serde_util::time_option")]
    timestamp: Option<Timestamp>,
    #[serde(with = "serde_util::option")]
    priority_fee: Option<U256>,
    #[serde(rename = "transaction_burnt_fee", with = "serde_util::option")]
    burnt_fee: Option<U256>,
    decoded_input: Option<DecodedCallResponse>,
    method: Option<String>,
    #[serde(rename = "transaction_types")]
    kinds: Vec<&'static str>,
    confirmations: u64,
    confirmation_duration: &'static [u32],
    fee: FeeResponse,
    revert_reason: Option<RevertReasonResponse>,
    token_transfers: Option<Vec<TransferResponse<'a>>>,
    token_transfers_overflow: Option<bool>,
    exchange_rate: Option<&'a str>,
    historic_exchange_rate: Option<&'a str>,
    #[serde(rename = "transaction_tag")]
    tag: Option<()>,
    /// The number of lines on the console, where calls are known. Not in the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    console_line_count: Option<usize>,
    /// The error of the last call of a transaction that reverted without data, if it is no revert.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_call_error: Option<&'a str>,
    is_pending_update: bool,
    fhe_operations_count: u32,
}

#[derive(Debug, Serialize)]
struct FeeResponse {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(with = "serde_util::option")]
    value: Option<U256>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum RevertReasonResponse {
    Raw {
        raw: String,
    },
    /// As Blockscout sends it until it has asked.
    Unread {
        raw: (),
    },
    Decoded(DecodedCallResponse),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum AuthorizationsResponse<'a> {
    Whole(&'a RawValue),
    LeftOut([(); 0]),
}

/// Most nonces that a transaction waits for in a response.
const MAX_AWAITED_NONCES: usize = 10;

/// Renders a transaction in a list: without transfers, with an undecoded revert reason.
pub(crate) fn transaction<'a>(
    snapshot: &'a Snapshot,
    record: &'a TransactionRecord,
) -> StoreResult<TransactionResponse<'a>> {
    render(snapshot, record, address)
}

fn render<'a>(
    snapshot: &'a Snapshot,
    record: &'a TransactionRecord,
    address: fn(&'a Snapshot, Address) -> StoreResult<AddressResponse<'a>>,
) -> StoreResult<TransactionResponse<'a>> {
    let head = snapshot.head()?.map_or(record.block_number, |head| head.number);
    let state = &snapshot.state;
    let failure = state.failure(record);
    let lacks_data = lacks_revert_data(snapshot, record);
    let (result, status) = match &failure {
        Some(failure) => (failure.error, Some("error")),
        None if record.has_unknown_outcome => (None, None),
        None => (Some("success"), Some("ok")),
    };
    Ok(TransactionResponse {
        record,
        authorization_list: if state.imitates_blockscout {
            AuthorizationsResponse::LeftOut([])
        } else {
            AuthorizationsResponse::Whole(&record.authorizations)
        },
        blobs: record.blobs(),
        from: address(snapshot, record.from)?,
        to: record.to.map(|to| address(snapshot, to)).transpose()?,
        created_contract: created_contract(snapshot, record.created_contract)?,
        result,
        status,
        timestamp: snapshot.block_time(record.block_number)?,
        priority_fee: record.priority_fee(),
        burnt_fee: record.burnt_fee(),
        decoded_input: decoded_input(snapshot, record)?,
        method: method(snapshot, record)?,
        kinds: kinds(snapshot, record)?,
        confirmations: head.saturating_sub(record.block_number) + 1,
        confirmation_duration: if state.imitates_blockscout { &DEMO_CONFIRMATION } else { &[] },
        fee: FeeResponse { kind: "actual", value: record.fee() },
        revert_reason: failure.and_then(|failure| match failure {
            KnownFailure { error: None, .. } => Some(RevertReasonResponse::Unread { raw: () }),
            KnownFailure { revert_data, .. } => revert_data.map(|data| RevertReasonResponse::Raw {
                raw: if lacks_data { String::new() } else { data.to_string() },
            }),
        }),
        token_transfers: None,
        token_transfers_overflow: None,
        exchange_rate: state.coin_exchange_rate.as_deref(),
        historic_exchange_rate: state.historic_coin_exchange_rate.as_deref(),
        tag: None,
        console_line_count: console_line_count(snapshot, record),
        last_call_error: failure.and_then(|failure| last_call_error(snapshot, record, &failure)),
        is_pending_update: false,
        fhe_operations_count: 0,
    })
}

fn console_line_count(snapshot: &Snapshot, record: &TransactionRecord) -> Option<usize> {
    let lines = (!snapshot.state.imitates_blockscout)
        .then(|| snapshot.console_lines_of(record.position()).ok());
    lines.flatten().map(|lines| lines.len())
}

/// Returns the error of the last call, which its callers passed up if they reverted without data.
fn last_call_error<'a>(
    snapshot: &'a Snapshot,
    record: &TransactionRecord,
    failure: &KnownFailure<'_>,
) -> Option<&'a str> {
    let is_revert = |error: &str| error.to_ascii_lowercase().contains("revert");
    let is_bare = failure.error.is_some_and(is_revert)
        && failure.revert_data.is_none_or(|data| data.is_empty())
        && !snapshot.state.imitates_blockscout;
    let mut calls = snapshot.internal_transactions_of(record.position()).ok()?;
    let last = calls.next().filter(|last| is_bare && last.index > 0)?;
    last.error.as_deref().filter(|error| !is_revert(error))
}

/// Returns `true` for a failed creation in Blockscout: it repeats a call to learn why it reverted, and
/// cannot repeat a creation.
fn lacks_revert_data(snapshot: &Snapshot, record: &TransactionRecord) -> bool {
    snapshot.state.imitates_blockscout && record.to.is_none()
}

/// Returns the kinds of a transaction, in the API's words.
fn kinds(snapshot: &Snapshot, record: &TransactionRecord) -> StoreResult<Vec<&'static str>> {
    let is_contract =
        |to| snapshot.state.account(to).map(|account| account.is_some_and(AccountRecord::has_code));
    let is_token = |created| snapshot.state.token(created).map(|token| token.is_some());
    let kinds = [
        ("coin_transfer", !record.value.is_zero()),
        ("contract_call", record.to.map(is_contract).transpose()?.unwrap_or_default()),
        ("contract_creation", record.to.is_none()),
        ("token_creation", record.created_contract.map(is_token).transpose()?.unwrap_or_default()),
        ("token_transfer", transfers_in(snapshot, record)?.next().is_some()),
        ("blob_transaction", record.blobs().is_some()),
        ("set_code_transaction", record.envelope == SET_CODE_ENVELOPE),
    ];
    Ok(kinds.into_iter().filter_map(|(kind, applies)| applies.then_some(kind)).collect())
}

pub(crate) fn transfers_in<'a>(
    snapshot: &'a Snapshot,
    tx: &TransactionRecord,
) -> StoreResult<impl Iterator<Item = &'a TransferRecord> + use<'a>> {
    let hash = tx.hash;
    Ok(snapshot.transfers_in(tx.block_number)?.filter(move |row| row.transaction_hash == hash))
}

/// Renders a transaction that is in no block.
pub(crate) fn pending_transaction(
    request: &RequestContext<'_>,
    record: &TransactionRecord,
) -> JsonResult {
    let mut response = render(request.snapshot, record, tagged_address)?;
    response.token_transfers = Some(Vec::new());
    response.token_transfers_overflow = Some(false);
    let mut response = without_block(response)?;
    let awaited = awaited_nonces(request, record);
    if !awaited.is_empty() {
        response["awaited_nonces"] = awaited.into();
    }
    to_json(&response)
}

/// Returns the first nonces before a transaction's own of which its sender has neither mined nor pending
/// transactions, as far as is known.
fn awaited_nonces(request: &RequestContext<'_>, record: &TransactionRecord) -> Vec<u64> {
    let Some(next) = request.chain.next_nonce(record.from) else { return Vec::new() };
    if next >= record.nonce {
        return Vec::new();
    }
    let Ok(pool) = request.pool(Some(record.from)) else { return Vec::new() };
    let of_sender = pool.iter().filter(|other| other.from == record.from);
    let pending: HashSet<u64> = of_sender.map(|other| other.nonce).collect();
    let awaited = (next..record.nonce).filter(|nonce| !pending.contains(nonce));
    awaited.take(MAX_AWAITED_NONCES).collect()
}

/// The way of a transaction out of the pool or out of its block. Not in the API.
#[derive(Debug, Default, Serialize)]
struct PoolExitResponse {
    /// A transaction with the same sender and nonce.
    replaced_by: Option<B256>,
    /// Its block, if it is in one.
    replaced_in: Option<u64>,
    /// The block that the transaction was in.
    rolled_back_from: Option<u64>,
    /// `false` if a replacement may be unknown, `None` if the transaction itself may be in a block.
    is_dropped: Option<bool>,
}

impl PoolExitResponse {
    /// Returns `false` if the transaction may be in a block that is not indexed yet.
    fn is_known(&self) -> bool {
        self.replaced_by.is_some() || self.rolled_back_from.is_some() || self.is_dropped.is_some()
    }
}

/// Renders a transaction that was in a block or in the pool, and is in neither now.
pub(crate) fn lost_transaction(
    request: &RequestContext<'_>,
    record: TransactionRecord,
    seen: &SeenTransactions,
) -> JsonResult {
    let exit = pool_exit(request, &record, seen)?;
    // Its outcome is gone with its block, and must not be asked for.
    let record = TransactionRecord { error: None, revert_data: None, ..record };
    let mut response = render(request.snapshot, &record, tagged_address)?;
    response.token_transfers = Some(Vec::new());
    response.token_transfers_overflow = Some(false);
    let paid = if exit.rolled_back_from.is_some() { "actual" } else { "maximum" };
    let mut response = without_block(response)?;
    response["fee"]["type"] = paid.into();
    if exit.is_known() {
        response["result"] = DROPPED.into();
    }
    response["left_pool"] = serde_json::to_value(&exit).map_err(ApiServerError::internal)?;
    to_json(&response)
}

fn pool_exit(
    request: &RequestContext<'_>,
    record: &TransactionRecord,
    seen: &SeenTransactions,
) -> StoreResult<PoolExitResponse> {
    if record.block_number != u64::MAX {
        let rolled_back_from = Some(record.block_number);
        return Ok(PoolExitResponse { rolled_back_from, ..Default::default() });
    }
    let is_other = |other: &TransactionRecord| {
        other.from == record.from && other.nonce == record.nonce && other.hash != record.hash
    };
    // The sender's transactions are in the order of their nonces: older ones have smaller.
    let may_precede =
        |row: &&TransactionRecord| row.from != record.from || row.nonce >= record.nonce;
    let all = request.snapshot.transactions(u64::MAX)?;
    let mined = all.take_while(may_precede).find(|row| is_other(row));
    let pool = request.pool(Some(record.from));
    let pooled = pool.iter().flatten().find(|row| is_other(row));
    // A node may have lost the replacement too.
    let replaced_by = seen.replacement(record.hash, mined.or(pooled).map(|other| other.hash));
    let is_dropped = pool.is_ok() && request.snapshot.first_indexed().is_none();
    // A node with a fork is not asked for transactions by their hashes, which it would ask another node for.
    let may_be_mined = request.snapshot.coverage.as_ref().is_some_and(|coverage| {
        matches!(coverage.older, Some(MissingBlocks::Forked { .. })) || coverage.unreadable > 0
    });
    Ok(PoolExitResponse {
        replaced_by,
        replaced_in: mined.map(|other| other.block_number),
        rolled_back_from: None,
        is_dropped: (replaced_by.is_none() && !may_be_mined).then_some(is_dropped),
    })
}

/// Renders a transaction that is in no block, in a list.
pub(crate) fn listed_pending(
    snapshot: &Snapshot,
    record: &TransactionRecord,
) -> StoreResult<Value> {
    without_block(transaction(snapshot, record)?)
}

/// Removes the fields that depend on the block. The fee is the most that the transaction would pay.
fn without_block(mut response: TransactionResponse<'_>) -> StoreResult<Value> {
    const UNKNOWN: [&str; 11] = [
        "status",
        "timestamp",
        "block_number",
        "position",
        "gas_used",
        "priority_fee",
        "transaction_burnt_fee",
        "has_error_in_internal_transactions",
        "is_pending_update",
        "created_contract",
        "console_line_count",
    ];
    response.result = Some("pending");
    response.confirmations = 0;
    response.fee.kind = "maximum";
    let mut response = serde_json::to_value(&response).map_err(anyhow::Error::from)?;
    for field in UNKNOWN {
        response[field] = Value::Null;
    }
    Ok(response)
}

/// Decodes revert data, if their error is known.
pub(crate) fn revert_reason(snapshot: &Snapshot, data: &[u8]) -> StoreResult<RevertReasonResponse> {
    Ok(match decoded_revert(snapshot, data)? {
        Some(decoded) => RevertReasonResponse::Decoded(decoded),
        None => RevertReasonResponse::Raw { raw: hex::encode_prefixed(data) },
    })
}

pub(crate) fn transaction_detail(
    request: &RequestContext<'_>,
    record: &TransactionRecord,
) -> JsonResult {
    let snapshot = request.snapshot;
    let mut detail = render(snapshot, record, tagged_address)?;
    let mut rows: Vec<_> = transfers_in(snapshot, record)?.collect();
    rows.sort_unstable_by_key(|TransferRecord { position, .. }| {
        (position.log_index, Reverse(position.index_in_batch))
    });
    let shown = rows.iter().take(MAX_PREVIEW_TRANSFERS).map(|row| nested_transfer(snapshot, row));
    detail.token_transfers = Some(shown.collect::<Result<_, _>>()?);
    detail.token_transfers_overflow = Some(rows.len() > MAX_PREVIEW_TRANSFERS);
    detail.authorization_list = AuthorizationsResponse::Whole(&record.authorizations);
    let data = snapshot.state.failure(record).and_then(|failure| failure.revert_data);
    if let Some(data) = data.filter(|_| !lacks_revert_data(snapshot, record)) {
        detail.revert_reason = Some(revert_reason(snapshot, data)?);
    }
    to_json(&detail)
}
