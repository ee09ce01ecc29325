//! Rows of the bundled tables.
//!
//! Serializing a record writes the fields that the API returns unchanged; [`super::responses`] adds
//! those that need other records.

use alloy_primitives::{Address, B256, U256};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use strum::{EnumString, IntoStaticStr};

use super::serde_util;

/// A token standard, in the order in which collections are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "&str", into = "&str")]
#[derive(EnumString, IntoStaticStr)]
#[strum(ascii_case_insensitive)]
pub(crate) enum DemoTokenType {
    #[strum(serialize = "ERC-20")]
    Erc20,
    #[strum(serialize = "ERC-721")]
    Erc721,
    #[strum(serialize = "ERC-1155")]
    Erc1155,
    #[strum(serialize = "ERC-404")]
    Erc404,
    #[strum(serialize = "ERC-7984")]
    Erc7984,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct TransactionRecord {
    #[serde(with = "serde_util::text")]
    pub(crate) hash: B256,
    result: Box<str>,
    status: Box<str>,
    pub(crate) block_number: u32,
    pub(crate) timestamp: Box<str>,
    #[serde(with = "serde_util::text", skip_serializing)]
    pub(crate) from: Address,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub(crate) to: Option<Address>,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub(crate) created_contract: Option<Address>,
    #[serde(with = "serde_util::text")]
    pub(crate) value: U256,
    gas_price: Box<str>,
    #[serde(rename = "type")]
    envelope: u8,
    gas_used: Box<str>,
    gas_limit: Box<str>,
    max_fee_per_gas: Option<Box<str>>,
    max_priority_fee_per_gas: Option<Box<str>>,
    base_fee_per_gas: Box<str>,
    priority_fee: Option<Box<str>>,
    #[serde(rename = "transaction_burnt_fee")]
    burnt_fee: Option<Box<str>>,
    #[serde(with = "serde_util::text", skip_serializing)]
    pub(crate) fee: U256,
    nonce: u64,
    pub(crate) position: u32,
    #[serde(skip_serializing)]
    pub(crate) revert_reason: Option<Box<str>>,
    #[serde(skip_serializing)]
    pub(crate) revert_decoded: Option<Box<RawValue>>,
    raw_input: Box<str>,
    decoded_input: Option<Box<RawValue>>,
    pub(crate) method: Option<Box<str>>,
    #[serde(rename = "transaction_types")]
    kinds: Box<RawValue>,
    has_error_in_internal_transactions: bool,
    authorization_list: Box<RawValue>,
}

impl TransactionRecord {
    pub(crate) fn is_received_by(&self, address: Address) -> bool {
        self.to == Some(address) || self.created_contract == Some(address)
    }

    pub(crate) fn involves(&self, address: Address) -> bool {
        self.from == address || self.is_received_by(address)
    }
}

/// A call, creation or destruction inside a transaction, its top-level call included.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct InternalTransactionRecord {
    #[serde(with = "serde_util::text", skip_serializing)]
    pub(crate) from: Address,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub(crate) to: Option<Address>,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub(crate) created_contract: Option<Address>,
    #[serde(rename = "type")]
    pub(crate) kind: Box<str>,
    #[serde(with = "serde_util::text")]
    value: U256,
    #[serde(with = "serde_util::text")]
    gas_limit: u64,
    pub(crate) error: Option<Box<str>>,
    #[serde(with = "serde_util::text", rename(deserialize = "tx", serialize = "transaction_hash"))]
    transaction_hash: B256,
    pub(crate) transaction_index: u32,
    pub(crate) block_number: u32,
    pub(crate) index: u32,
}

impl InternalTransactionRecord {
    /// Returns the block number, the index in the block and the index in the transaction. Newer
    /// positions are greater.
    pub(crate) fn position(&self) -> (u32, u32, u32) {
        (self.block_number, self.transaction_index, self.index)
    }

    pub(crate) fn is_received_by(&self, address: Address) -> bool {
        self.to == Some(address) || self.created_contract == Some(address)
    }

    /// Returns `true` for the top-level call of a transaction, which lists leave out.
    pub(crate) fn is_top_call(&self) -> bool {
        self.index == 0 && &*self.kind == "call"
    }
}

/// A token transfer log, which is several transfers if it is a batch.
#[derive(Debug, Deserialize)]
pub(crate) struct TransferLogRecord {
    pub(crate) block: u32,
    pub(crate) log_index: u32,
    #[serde(with = "serde_util::text")]
    pub(crate) tx: B256,
    #[serde(with = "serde_util::text")]
    pub(crate) token: Address,
    #[serde(rename = "type")]
    pub(crate) token_type: DemoTokenType,
    #[serde(with = "serde_util::text")]
    pub(crate) from: Address,
    #[serde(with = "serde_util::text")]
    pub(crate) to: Address,
    #[serde(with = "serde_util::list")]
    pub(crate) ids: Option<Vec<U256>>,
    #[serde(with = "serde_util::option")]
    pub(crate) amount: Option<U256>,
    #[serde(with = "serde_util::list")]
    pub(crate) amounts: Option<Vec<U256>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AccountRecord {
    #[serde(with = "serde_util::text")]
    pub(crate) hash: Address,
    pub(crate) is_contract: bool,
    pub(crate) name: Option<Box<str>>,
    pub(crate) is_verified: Option<bool>,
    pub(crate) proxy_type: Option<Box<str>>,
    pub(crate) implementations: Vec<ImplementationRecord>,
    pub(crate) coin_balance: Box<str>,
    #[serde(with = "serde_util::option")]
    pub(crate) creator: Option<Address>,
    #[serde(with = "serde_util::option")]
    pub(crate) creation_tx: Option<B256>,
    pub(crate) gas_used: Box<str>,
    pub(crate) ens: Option<Box<str>>,
    pub(crate) tags: Option<Vec<TagRecord>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ImplementationRecord {
    address_hash: Box<str>,
    name: Option<Box<str>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct TagRecord {
    pub(crate) slug: Box<str>,
    pub(crate) name: Box<str>,
    #[serde(rename = "tagType")]
    kind: Box<str>,
    ordinal: i64,
    meta: Box<RawValue>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct TokenRecord {
    #[serde(with = "serde_util::text")]
    pub(crate) address_hash: Address,
    pub(crate) symbol: Option<Box<str>>,
    pub(crate) name: Option<Box<str>>,
    pub(crate) decimals: Option<Box<str>>,
    #[serde(rename = "type")]
    pub(crate) standard: DemoTokenType,
    holders_count: Option<Box<str>>,
    pub(crate) exchange_rate: Option<Box<str>>,
    volume_24h: Option<Box<str>>,
    total_supply: Option<Box<str>>,
    icon_url: Option<Box<str>>,
    circulating_market_cap: Option<Box<str>>,
    circulating_supply: Option<Box<str>>,
    reputation: Box<str>,
}

/// An NFT, or an id of an ERC-1155 token.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct InstanceRecord {
    #[serde(with = "serde_util::text", skip_serializing)]
    pub(crate) token: Address,
    #[serde(with = "serde_util::text")]
    pub(crate) id: U256,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub(crate) owner: Option<Address>,
    #[serde(skip_serializing)]
    pub(crate) is_unique: bool,
    metadata: Option<Box<RawValue>>,
    image_url: Option<Box<str>>,
    animation_url: Option<Box<str>>,
    external_app_url: Option<Box<str>>,
    media_url: Option<Box<str>>,
}

/// A token balance of an address, per contract or per id of an ERC-1155 token.
#[derive(Debug, Deserialize)]
pub(crate) struct BalanceRecord {
    pub(crate) id: u64,
    #[serde(with = "serde_util::text")]
    pub(crate) address: Address,
    #[serde(with = "serde_util::text")]
    pub(crate) token: Address,
    #[serde(rename = "type")]
    pub(crate) token_type: DemoTokenType,
    #[serde(with = "serde_util::option")]
    pub(crate) token_id: Option<U256>,
    #[serde(with = "serde_util::text")]
    pub(crate) value: U256,
}

#[derive(Debug, Deserialize)]
pub(crate) struct BlockRecord {
    #[serde(with = "serde_util::text")]
    pub(crate) hash: B256,
    pub(crate) timestamp: Box<str>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContractRecord {
    pub(crate) name: Box<str>,
    pub(crate) abi: Box<RawValue>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ChainMetaRecord {
    pub(crate) head: u32,
    pub(crate) coin_exchange_rate: Box<str>,
    pub(crate) coin_historic_exchange_rate: Box<str>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RawTraceRecord {
    #[serde(with = "serde_util::text")]
    pub(crate) hash: B256,
    pub(crate) trace: Box<RawValue>,
}
