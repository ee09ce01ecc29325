//! Addresses: the short object inside other objects, and the page of one address.

use alloy_primitives::{Address as Hash, B256};
use serde::Serialize;

use crate::demo_server::{
    demo_chain::DemoDataError,
    models::{ImplementationRecord, TagRecord, TokenRecord},
    serde_util,
    store::Store,
    transfer_batches::DemoTransfer,
};

/// An address as it appears inside other objects.
#[derive(Debug, Serialize)]
pub(crate) struct AddressResponse<'a> {
    #[serde(with = "serde_util::text")]
    hash: Hash,
    is_contract: bool,
    name: Option<&'a str>,
    is_scam: bool,
    reputation: &'static str,
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

/// The short object; of an address the chain never saw, one without particulars.
pub(crate) fn address(ledger: &Store, hash: Hash) -> Result<AddressResponse<'_>, DemoDataError> {
    let account = ledger.accounts()?.get(&hash);
    let tags = account.and_then(|it| it.tags.as_deref());
    Ok(AddressResponse {
        hash,
        is_contract: account.is_some_and(|it| it.is_contract),
        name: account.and_then(|it| it.name.as_deref()),
        is_scam: false,
        reputation: "ok",
        proxy_type: account.and_then(|it| it.proxy_type.as_deref()),
        implementations: account.map_or(&[], |it| &it.implementations),
        is_verified: account.and_then(|it| it.is_verified),
        ens_domain_name: account.and_then(|it| it.ens.as_deref()),
        metadata: tags.map(|tags| AddressMetadataResponse { tags }),
        private_tags: [],
        watchlist_names: [],
        public_tags: Vec::new(),
    })
}

/// The short object with public tags, which only the pages of one address or transaction show.
pub(crate) fn tagged_address(
    ledger: &Store,
    hash: Hash,
) -> Result<AddressResponse<'_>, DemoDataError> {
    let account = ledger.accounts()?.get(&hash);
    let tags = account.and_then(|it| it.tags.as_deref()).unwrap_or_default();
    let public_tags = tags
        .iter()
        .map(|tag| PublicTagResponse {
            address_hash: hash,
            display_name: &tag.name,
            label: &tag.slug,
        })
        .collect();
    Ok(AddressResponse { public_tags, ..address(ledger, hash)? })
}

/// The page of one address.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are the API's")]
pub(crate) struct AddressDetailResponse<'a> {
    #[serde(flatten)]
    address: AddressResponse<'a>,
    #[serde(with = "serde_util::option")]
    creator_address_hash: Option<Hash>,
    #[serde(with = "serde_util::option")]
    creation_transaction_hash: Option<B256>,
    creation_status: Option<&'static str>,
    token: Option<&'a TokenRecord>,
    coin_balance: Option<&'a str>,
    exchange_rate: &'a str,
    block_number_balance_updated_at: Option<u32>,
    has_validated_blocks: bool,
    has_logs: bool,
    has_tokens: bool,
    has_token_transfers: bool,
    watchlist_address_id: Option<()>,
    has_beacon_chain_withdrawals: bool,
}

/// Renders the page of one address, known to the chain or not.
pub(crate) fn address_detail(
    ledger: &Store,
    hash: Hash,
) -> Result<AddressDetailResponse<'_>, DemoDataError> {
    let meta = ledger.meta()?;
    let account = ledger.accounts()?.get(&hash);
    let transfers = ledger.transfers()?;
    let creator = account.and_then(|it| it.creator);
    Ok(AddressDetailResponse {
        address: tagged_address(ledger, hash)?,
        creator_address_hash: creator,
        creation_transaction_hash: account.and_then(|it| it.creation_tx),
        creation_status: creator.map(|_| "success"),
        token: ledger.tokens()?.get(&hash),
        coin_balance: account.map(|it| &*it.coin_balance),
        exchange_rate: &meta.coin_exchange_rate,
        block_number_balance_updated_at: account.map(|_| meta.head),
        has_validated_blocks: false,
        // The only logs in the tables are those of token transfers.
        has_logs: transfers.iter().any(|it| it.token == hash),
        has_tokens: ledger.balances()?.iter().any(|it| it.address == hash),
        has_token_transfers: transfers.iter().any(|it| it.involves(hash)),
        watchlist_address_id: None,
        has_beacon_chain_withdrawals: false,
    })
}

/// How much there is of everything on an address.
#[derive(Debug, Serialize)]
pub(crate) struct AddressCountersResponse<'a> {
    #[serde(rename = "transactions_count", with = "serde_util::text")]
    transactions: usize,
    #[serde(rename = "token_transfers_count", with = "serde_util::text")]
    token_transfers: usize,
    #[serde(rename = "gas_usage_count")]
    gas_usage: &'a str,
    #[serde(rename = "validations_count")]
    validations: &'static str,
}

/// Counts what an address took part in. Of token transfers it counts logs, not list items, as
/// the real service does: a batch is one.
pub(crate) fn address_counters(
    ledger: &Store,
    hash: Hash,
) -> Result<AddressCountersResponse<'_>, DemoDataError> {
    let transactions = ledger.transactions()?.rows.iter().filter(|row| row.involves(hash));
    let mut places: Vec<_> = ledger
        .transfers()?
        .iter()
        .filter(|row| row.involves(hash))
        .map(DemoTransfer::position)
        .collect();
    places.dedup_by(|next, place| next.is_same_log(*place));
    Ok(AddressCountersResponse {
        transactions: transactions.count(),
        token_transfers: places.len(),
        gas_usage: ledger.accounts()?.get(&hash).map_or("0", |it| &it.gas_used),
        validations: "0",
    })
}
