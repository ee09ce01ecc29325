//! Addresses, inside other objects and alone.

use alloy_primitives::{Address as Hash, B256};
use serde::Serialize;

use crate::api_server::coverage::CoverageResponse;
use crate::api_server::request::{JsonResult, RequestContext, to_json};
use crate::sanitize::SafeText;
use crate::store::{
    AccountRecord, DeployedBuildRecord, ImplementationRecord, Snapshot, StoreResult, TagRecord,
    TokenRecord, TransferRecord, serde_util,
};

#[derive(Debug, Serialize)]
pub(crate) struct AddressResponse<'a> {
    #[serde(with = "serde_util::text")]
    hash: Hash,
    is_contract: Option<bool>,
    name: Option<&'a str>,
    #[serde(flatten)]
    build: Option<&'a DeployedBuildRecord>,
    /// `None` on a node, as its reputation and its verification: no node has an opinion.
    is_scam: Option<bool>,
    reputation: Option<&'static str>,
    proxy_type: Option<&'a str>,
    implementations: &'a [ImplementationRecord],
    is_verified: Option<bool>,
    ens_domain_name: Option<&'a str>,
    metadata: Option<AddressMetadataResponse<'a>>,
    private_tags: [(); 0],
    watchlist_names: [(); 0],
    public_tags: Vec<PublicTagResponse<'a>>,
}

#[derive(Debug, Serialize)]
struct AddressMetadataResponse<'a> {
    tags: &'a [TagRecord],
}

#[derive(Debug, Serialize)]
struct PublicTagResponse<'a> {
    #[serde(with = "serde_util::text")]
    address_hash: Hash,
    display_name: &'a str,
    label: &'a str,
}

/// Renders an address inside another object. An address that is unknown to the chain has only
/// defaults.
pub(crate) fn address(snapshot: &Snapshot, hash: Hash) -> StoreResult<AddressResponse<'_>> {
    let account = snapshot.state.account(hash)?;
    let tags = account.and_then(|account| account.tags.as_deref());
    let is_explorer = snapshot.state.imitates_blockscout;
    Ok(AddressResponse {
        hash,
        is_contract: account.map_or(Some(false), |account| account.is_contract),
        name: account.and_then(|account| account.name.as_deref()),
        build: account.map(|account| &account.build),
        is_scam: is_explorer.then_some(false),
        reputation: is_explorer.then_some("ok"),
        proxy_type: account.and_then(|account| account.proxy_type.as_deref()),
        implementations: account.map_or(&[], |account| &account.implementations),
        is_verified: is_verified(snapshot, account),
        ens_domain_name: account.and_then(|account| account.ens.as_deref()),
        metadata: tags.map(|tags| AddressMetadataResponse { tags }),
        private_tags: [],
        watchlist_names: [],
        public_tags: Vec::new(),
    })
}

/// Returns `None` on a node, which verifies no contracts.
pub(crate) fn is_verified(snapshot: &Snapshot, account: Option<&AccountRecord>) -> Option<bool> {
    let is_explorer = snapshot.state.imitates_blockscout;
    is_explorer.then(|| account.is_some_and(|account| account.is_verified == Some(true)))
}

pub(crate) fn optional_address(
    snapshot: &Snapshot,
    hash: Option<Hash>,
) -> StoreResult<Option<AddressResponse<'_>>> {
    hash.map(|hash| address(snapshot, hash)).transpose()
}

/// Renders a created contract, which counts as one even if the creation failed.
pub(crate) fn created_contract(
    snapshot: &Snapshot,
    hash: Option<Hash>,
) -> StoreResult<Option<AddressResponse<'_>>> {
    let created = optional_address(snapshot, hash)?;
    Ok(created.map(|created| AddressResponse { is_contract: Some(true), ..created }))
}

/// Renders an address with public tags, which only the responses of one address or transaction
/// have.
pub(crate) fn tagged_address(snapshot: &Snapshot, hash: Hash) -> StoreResult<AddressResponse<'_>> {
    let account = snapshot.state.account(hash)?;
    let tags = account.and_then(|account| account.tags.as_deref()).unwrap_or_default();
    let public_tags = tags
        .iter()
        .filter(|tag| !tag.is_name())
        .map(|tag| PublicTagResponse {
            address_hash: hash,
            display_name: &tag.name,
            label: &tag.slug,
        })
        .collect();
    Ok(AddressResponse { public_tags, ..address(snapshot, hash)? })
}

#[derive(Debug, Serialize)]
struct AddressDetailResponse<'a> {
    #[serde(flatten)]
    address: AddressResponse<'a>,
    #[serde(with = "serde_util::option")]
    creator_address_hash: Option<Hash>,
    #[serde(with = "serde_util::option")]
    creation_transaction_hash: Option<B256>,
    creation_status: Option<&'static str>,
    token: Option<&'a TokenRecord>,
    coin_balance: Option<&'a str>,
    exchange_rate: Option<&'a str>,
    block_number_balance_updated_at: Option<u64>,
    has_validated_blocks: bool,
    has_logs: Option<bool>,
    has_tokens: Option<bool>,
    has_token_transfers: Option<bool>,
    watchlist_address_id: Option<()>,
    has_beacon_chain_withdrawals: bool,
    /// The file of the project with its code. Explorers have no such field.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled_artifact: Option<SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageResponse>,
}

/// Renders an address alone, known to the chain or not. What older blocks may have is `null`.
pub(crate) fn address_detail(request: &RequestContext<'_>, hash: Hash) -> JsonResult {
    let snapshot = request.snapshot;
    let if_known = |has: bool| (has || snapshot.coverage.is_none()).then_some(has);
    let account = snapshot.state.account_detail(hash)?;
    let creator = account.and_then(|account| account.creator);
    let has_transfer = |is_wanted: &dyn Fn(&TransferRecord) -> bool| {
        snapshot.newest_transfers(1, is_wanted).map(|found| !found.is_empty())
    };
    let may_have_logs = !snapshot.state.never_had_code(hash)?;
    to_json(&AddressDetailResponse {
        address: tagged_address(snapshot, hash)?,
        creator_address_hash: creator,
        creation_transaction_hash: account.and_then(|account| account.creation_tx),
        creation_status: account.filter(|account| account.has_code()).map(|_| "success"),
        token: snapshot.state.token(hash)?,
        coin_balance: account.and_then(|account| account.coin_balance.as_deref()),
        exchange_rate: snapshot.state.coin_exchange_rate.as_deref(),
        block_number_balance_updated_at: account.and(snapshot.head()?).map(|head| head.number),
        has_validated_blocks: false,
        // The only logs in the tables are of token transfers.
        has_logs: if_known(may_have_logs && has_transfer(&|row| row.token == hash)?),
        has_tokens: if_known(snapshot.state.balances(hash)?.next().is_some()),
        has_token_transfers: if_known(has_transfer(&|row| row.involves(hash))?),
        watchlist_address_id: None,
        has_beacon_chain_withdrawals: false,
        compiled_artifact: account
            .and_then(|account| account.artifact.as_ref())
            .map(|artifact| artifact.path()),
        coverage: request.coverage(),
    })
}

#[derive(Debug, Serialize)]
struct AddressCountersResponse {
    #[serde(rename = "transactions_count", with = "serde_util::option")]
    transactions: Option<usize>,
    #[serde(rename = "token_transfers_count", with = "serde_util::option")]
    token_transfers: Option<usize>,
    #[serde(rename = "gas_usage_count", with = "serde_util::option")]
    gas_usage: Option<u64>,
    #[serde(rename = "validations_count")]
    validations: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageResponse>,
}

/// Counts the items of an address, unless only some blocks are known. A batch of token transfers
/// counts once, as in Blockscout.
pub(crate) fn address_counters(request: &RequestContext<'_>, hash: Hash) -> JsonResult {
    let snapshot = request.snapshot;
    if snapshot.coverage.is_some() {
        // Answered without them in the end.
        let _ = snapshot.require_older_blocks();
        return to_json(&AddressCountersResponse {
            transactions: None,
            token_transfers: None,
            gas_usage: None,
            validations: "0",
            coverage: request.coverage(),
        });
    }
    let mut transactions = 0;
    let mut gas_usage = 0_u64;
    for row in snapshot.transactions(u64::MAX)?.filter(|row| row.involves(hash)) {
        transactions += 1;
        if row.from == hash {
            gas_usage = gas_usage.saturating_add(row.gas_used);
        }
    }
    let mut positions: Vec<_> = snapshot
        .transfers(u64::MAX)?
        .filter(|row| row.involves(hash))
        .map(|row| row.position)
        .collect();
    positions.dedup_by(|next, position| next.is_same_log(*position));
    to_json(&AddressCountersResponse {
        transactions: Some(transactions),
        token_transfers: Some(positions.len()),
        gas_usage: Some(gas_usage),
        validations: "0",
        coverage: None,
    })
}
