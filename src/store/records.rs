//! The rows of a chain.
//!
//! They are deserialized from the bundled tables, and serialized as the part of the API's objects that
//! needs no other record.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy_primitives::{Address, B256, Bytes, U256};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::serde_util;
use crate::abi::{Artifact, Selector, StorageShift};
use crate::chain::call_kind::CallKind;
use crate::chain::token_standard::TokenStandard;
use crate::sanitize::SafeText;

/// The error of a failed transaction whose calls are unknown, in Blockscout's words.
pub const UNTRACED_ERROR: &str = "error";

/// Type of proxy of an account that delegates to a contract (EIP-7702), in Blockscout's words.
pub const DELEGATION: &str = "eip7702";

/// A block by number and hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNumHash {
    pub number: u64,
    pub hash: B256,
}

/// The error of a transaction, and the data if it was reverted.
#[derive(Clone, Debug)]
pub struct TransactionFailure {
    pub error: Box<str>,
    pub revert_data: Option<Bytes>,
}

/// The place of a transaction in the chain. Newer ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransactionPosition {
    pub block_number: u64,
    pub index: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TransactionRecord {
    #[serde(with = "serde_util::text")]
    pub hash: B256,
    pub block_number: u64,
    #[serde(rename = "position")]
    pub index: u32,
    #[serde(with = "serde_util::text", skip_serializing)]
    pub from: Address,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub to: Option<Address>,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub created_contract: Option<Address>,
    #[serde(with = "serde_util::text")]
    pub value: U256,
    /// Wei that were paid for a unit of gas.
    #[serde(with = "serde_util::text")]
    pub gas_price: u128,
    /// The EIP-2718 type, 0 for a legacy transaction.
    #[serde(rename = "type")]
    pub envelope: u8,
    #[serde(with = "serde_util::text")]
    pub gas_used: u64,
    #[serde(with = "serde_util::text")]
    pub gas_limit: u64,
    #[serde(with = "serde_util::option")]
    pub max_fee_per_gas: Option<u128>,
    #[serde(with = "serde_util::option")]
    pub max_priority_fee_per_gas: Option<u128>,
    #[serde(with = "serde_util::option")]
    pub base_fee_per_gas: Option<u128>,
    pub nonce: u64,
    #[serde(with = "serde_util::text", rename = "raw_input")]
    pub input: Bytes,
    /// Reason of the failure, in the words of traces.
    #[serde(rename(deserialize = "result"), deserialize_with = "serde_util::failure")]
    #[serde(skip_serializing)]
    pub error: Option<Box<str>>,
    /// `true` if neither the receipt nor the calls say whether it failed: it has no error then.
    #[serde(skip)]
    pub has_unknown_outcome: bool,
    /// Revert data of the outermost call.
    #[serde(with = "serde_util::option", rename(deserialize = "revert_reason"), skip_serializing)]
    pub revert_data: Option<Bytes>,
    /// `true` if a call inside failed. `None` if the node does not trace.
    #[serde(rename = "has_error_in_internal_transactions")]
    pub has_internal_error: Option<bool>,
    /// The authorizations of a set-code transaction, as the API shows them.
    #[serde(rename(deserialize = "authorization_list"), skip_serializing)]
    pub authorizations: Box<RawValue>,
    #[serde(skip)]
    pub layer_costs: Option<Box<LayerCosts>>,
}

/// Coin that a transaction pays and receives besides its value and its gas: for blobs, and on a rollup.
#[derive(Clone, Debug)]
pub struct LayerCosts {
    /// Wei for its data on the chain below, or for its blobs. `None` if unknown.
    pub data_fee: Option<U256>,
    /// Wei that a deposit brings from the chain below, even if it fails.
    pub minted: U256,
    /// `true` on a rollup, which burns no base fee.
    pub is_rollup: bool,
    pub blobs: Option<BlobCosts>,
}

/// Blobs of a transaction (EIP-4844), and their gas, which is unknown until it is in a block.
#[derive(Clone, Debug, Serialize)]
pub struct BlobCosts {
    #[serde(rename = "blob_versioned_hashes")]
    pub hashes: Option<Box<[B256]>>,
    #[serde(rename = "blob_gas_used", with = "serde_util::option")]
    pub gas_used: Option<U256>,
    #[serde(rename = "blob_gas_price", with = "serde_util::option")]
    pub gas_price: Option<U256>,
    #[serde(rename = "max_fee_per_blob_gas", with = "serde_util::option")]
    pub max_gas_price: Option<U256>,
    /// Their part of the fee.
    #[serde(rename = "burnt_blob_fee", with = "serde_util::option")]
    pub fee: Option<U256>,
}

impl TransactionRecord {
    pub fn position(&self) -> TransactionPosition {
        TransactionPosition { block_number: self.block_number, index: self.index }
    }

    /// Returns the fee, unless a part of it is unknown.
    pub fn fee(&self) -> Option<U256> {
        let data_fee = self.layer_costs.as_ref().map_or(Some(U256::ZERO), |costs| costs.data_fee);
        self.gas_fee().checked_add(data_fee?)
    }

    /// Returns the part of the fee that is for the gas.
    pub fn gas_fee(&self) -> U256 {
        U256::from(self.gas_price) * U256::from(self.gas_used)
    }

    /// Returns the wei that came from the chain below.
    pub fn minted(&self) -> U256 {
        self.layer_costs.as_ref().map_or(U256::ZERO, |costs| costs.minted)
    }

    /// Returns `true` if it shows that its chain is a rollup, which burns no base fee.
    pub fn is_on_rollup(&self) -> bool {
        self.layer_costs.as_ref().is_some_and(|costs| costs.is_rollup)
    }

    /// Returns the part of the fee that went to the block's producer. Legacy transactions do not
    /// separate it.
    pub fn priority_fee(&self) -> Option<U256> {
        self.max_fee_per_gas?;
        let tip = self.gas_price.checked_sub(self.base_fee_per_gas?)?;
        Some(U256::from(tip) * U256::from(self.gas_used))
    }

    pub fn burnt_fee(&self) -> Option<U256> {
        if self.is_on_rollup() {
            return Some(U256::ZERO);
        }
        self.max_fee_per_gas?;
        Some(U256::from(self.base_fee_per_gas?) * U256::from(self.gas_used))
    }

    /// Returns its blobs, if it may have any.
    pub fn blobs(&self) -> Option<&BlobCosts> {
        self.layer_costs.as_ref()?.blobs.as_ref()
    }

    pub fn is_received_by(&self, address: Address) -> bool {
        self.to == Some(address) || self.created_contract == Some(address)
    }

    pub fn involves(&self, address: Address) -> bool {
        self.from == address || self.is_received_by(address)
    }
}

/// A call, creation or destruction inside a transaction, its top-level call included.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct InternalTransactionRecord {
    #[serde(with = "serde_util::text", skip_serializing)]
    pub from: Address,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub to: Option<Address>,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub created_contract: Option<Address>,
    #[serde(rename = "type", with = "serde_util::call_kind")]
    pub kind: CallKind,
    #[serde(with = "serde_util::option")]
    pub value: Option<U256>,
    #[serde(with = "serde_util::option")]
    pub gas_limit: Option<u64>,
    pub error: Option<Box<str>>,
    pub transaction_index: u32,
    pub block_number: u64,
    pub index: u32,
}

impl InternalTransactionRecord {
    pub fn transaction(&self) -> TransactionPosition {
        TransactionPosition { block_number: self.block_number, index: self.transaction_index }
    }

    /// Returns the place of its transaction, and its index there. Newer positions are greater.
    pub fn position(&self) -> (TransactionPosition, u32) {
        (self.transaction(), self.index)
    }

    pub fn is_received_by(&self, address: Address) -> bool {
        self.to == Some(address) || self.created_contract == Some(address)
    }

    /// Returns `true` for the top-level call of a transaction, which lists leave out.
    pub fn is_top_call(&self) -> bool {
        self.index == 0 && self.kind == CallKind::Call
    }
}

/// A line that a contract printed with `console.log` of Hardhat or Foundry.
#[derive(Clone, Debug, Serialize)]
pub struct ConsoleLineRecord {
    pub block_number: u64,
    pub transaction_index: u32,
    /// The index of the call to the console in its transaction.
    pub index: u32,
    #[serde(skip)]
    pub contract: Address,
    #[serde(skip)]
    pub function: RunningFunction,
    pub text: SafeText,
    /// `true` if a call around it failed: only the line is left of what that call did.
    pub is_undone: bool,
}

/// The function that a contract ran, by its calldata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningFunction {
    Constructor,
    /// A function of the code at an address.
    Function {
        code: Address,
        selector: Selector,
    },
    /// Without a selector in the calldata, which may be empty.
    WithoutSelector {
        code: Address,
        is_empty: bool,
    },
}

impl ConsoleLineRecord {
    pub fn transaction(&self) -> TransactionPosition {
        let index = self.transaction_index;
        TransactionPosition { block_number: self.block_number, index }
    }

    /// Returns the place of its transaction, and its index there. Newer positions are greater.
    pub fn position(&self) -> (TransactionPosition, u32) {
        (self.transaction(), self.index)
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct AccountRecord {
    #[serde(with = "serde_util::text")]
    pub hash: Address,
    /// `true` if it has code. `None` if the node does not say.
    pub is_contract: Option<bool>,
    pub name: Option<Box<str>>,
    pub is_verified: Option<bool>,
    /// The artifact of the project with its code. Its source is not verified: anyone can make an
    /// artifact of any code.
    #[serde(skip)]
    pub artifact: Option<Arc<Artifact>>,
    #[serde(skip)]
    pub build: DeployedBuildRecord,
    pub proxy_type: Option<Box<str>>,
    pub implementations: Vec<ImplementationRecord>,
    pub coin_balance: Option<Box<str>>,
    #[serde(with = "serde_util::option")]
    pub creator: Option<Address>,
    #[serde(with = "serde_util::option")]
    pub creation_tx: Option<B256>,
    pub ens: Option<Box<str>>,
    pub tags: Option<Vec<TagRecord>>,
}

impl AccountRecord {
    /// Creates an account without code, of which nothing else is known.
    pub fn new(hash: Address) -> Self {
        Self { hash, is_contract: Some(false), ..Self::default() }
    }

    /// Returns `true` if it has code, as far as is known.
    pub fn has_code(&self) -> bool {
        self.is_contract == Some(true)
    }

    /// Returns `true` if it delegates all calls to another contract. It has no source of its own.
    pub fn is_clone(&self) -> bool {
        self.proxy_type.as_deref() == Some("eip1167")
    }

    /// Returns the contract whose code an account runs that delegates to it (EIP-7702).
    pub fn delegate(&self) -> Option<Address> {
        let is_delegation = self.proxy_type.as_deref() == Some(DELEGATION);
        self.implementations.first().filter(|_| is_delegation).map(|behind| behind.address_hash)
    }

    /// Returns `true` if its own source is verified.
    pub fn has_verified_source(&self) -> bool {
        self.is_verified == Some(true) && !self.is_clone()
    }

    /// Returns `true` if its ABI is known: its source is verified, or it was compiled in the project.
    pub fn has_known_abi(&self) -> bool {
        self.is_verified == Some(true) || self.artifact.is_some()
    }
}

/// The code of a contract, as far as it is known.
#[derive(Debug, Default)]
pub struct ContractCode {
    /// Code that created it, with the arguments of its constructor.
    pub creation: Option<Bytes>,
    pub deployed: Option<Bytes>,
}

/// Identification of a failed call in its transaction.
#[derive(Debug, Clone, Copy)]
pub struct FailedCall {
    /// The number of calls around it.
    pub depth: u64,
    /// Gas at its start. The outermost call's is not needed, and nodes differ in it.
    pub gas: Option<u64>,
}

/// Origin of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogOrigin {
    #[serde(skip)]
    pub emitter: Address,
    /// The path of the call.
    pub trace_address: Vec<u32>,
    /// The number of calls that the call made before.
    pub call_position: u64,
}

impl LogOrigin {
    /// Returns a key that grows with the time of emission: a log comes before the call with the number
    /// of its position, and so before the logs in that call.
    pub fn emission_time(&self) -> Vec<u64> {
        let calls = self.trace_address.iter().map(|call| u64::from(*call));
        calls.chain([self.call_position]).collect()
    }
}

/// A log of a failed call, which is in no block.
#[derive(Debug)]
pub struct UndoneLog {
    /// Its number in the block says nothing.
    pub record: LogRecord,
    pub origin: LogOrigin,
}

/// The storage slots that a transaction changed.
#[derive(Debug, Default)]
pub struct StorageChanges {
    pub contracts: BTreeMap<Address, BTreeMap<U256, StorageShift>>,
    /// Inputs of the hashes by which it found slots, as far as they are known.
    pub preimages: Vec<Bytes>,
}

/// Reason of a call's failure, in the node's words, with its revert data.
#[derive(Debug)]
pub struct CallFailure {
    pub message: Box<str>,
    pub data: Option<Bytes>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ImplementationRecord {
    #[serde(with = "serde_util::text")]
    pub address_hash: Address,
    pub name: Option<Box<str>>,
    #[serde(flatten, skip_deserializing)]
    pub build: DeployedBuildRecord,
}

/// A contract of a project's artifact. Explorers have no such fields.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DeployedBuildRecord {
    /// Its place among the contracts of its artifact, counted from 1 for the oldest, if there are
    /// several and it has no other name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment_number: Option<usize>,
    /// The name that the project's scripts gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment_name: Option<Box<str>>,
    /// `true` if its code is of an earlier compilation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_older_build: Option<bool>,
    /// `true` for a proxy that may have run other code in older blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_upgraded: Option<bool>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TagRecord {
    pub slug: Box<str>,
    pub name: Box<str>,
    #[serde(rename = "tagType")]
    kind: Box<str>,
    ordinal: i64,
    meta: Option<Box<RawValue>>,
}

impl TagRecord {
    /// Creates a name tag.
    pub fn of_name(name: Box<str>) -> Self {
        let words =
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase().into();
        Self { slug, name, kind: "name".into(), ordinal: 0, meta: None }
    }

    pub fn is_name(&self) -> bool {
        &*self.kind == "name"
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TokenRecord {
    #[serde(with = "serde_util::text")]
    pub address_hash: Address,
    pub symbol: Option<Box<str>>,
    pub name: Option<Box<str>>,
    pub decimals: Option<Box<str>>,
    #[serde(rename = "type")]
    pub standard: TokenStandard,
    pub holders_count: Option<Box<str>>,
    pub exchange_rate: Option<Box<str>>,
    pub volume_24h: Option<Box<str>>,
    pub total_supply: Option<Box<str>>,
    pub icon_url: Option<Box<str>>,
    pub circulating_market_cap: Option<Box<str>>,
    pub circulating_supply: Option<Box<str>>,
    pub reputation: Option<Box<str>>,
}

impl TokenRecord {
    /// Creates a token of which nothing else is known.
    pub fn new(address_hash: Address, standard: TokenStandard) -> Self {
        Self {
            address_hash,
            symbol: None,
            name: None,
            decimals: None,
            standard,
            holders_count: None,
            exchange_rate: None,
            volume_24h: None,
            total_supply: None,
            icon_url: None,
            circulating_market_cap: None,
            circulating_supply: None,
            reputation: None,
        }
    }
}

/// An NFT, or an id of an ERC-1155 token.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct InstanceRecord {
    #[serde(with = "serde_util::text", skip_serializing)]
    pub token: Address,
    #[serde(with = "serde_util::text")]
    pub id: U256,
    #[serde(with = "serde_util::option", skip_serializing)]
    pub owner: Option<Address>,
    /// `true` if the contract does not report the owner: it is then the last receiver, who may not have it any more.
    #[serde(skip)]
    pub is_owner_unknown: bool,
    #[serde(skip_serializing)]
    pub is_unique: bool,
    pub metadata: Option<Box<RawValue>>,
    pub image_url: Option<Box<str>>,
    pub animation_url: Option<Box<str>>,
    pub external_app_url: Option<Box<str>>,
    pub media_url: Option<Box<str>>,
}

impl InstanceRecord {
    /// Creates an instance of which nothing else is known.
    pub fn new(token: Address, id: U256) -> Self {
        Self { token, id, ..Self::default() }
    }

    /// Returns the amount of a unique instance that its owner has, which is unknown with the owner.
    pub fn held_by_owner(&self) -> Option<U256> {
        (!self.is_owner_unknown).then_some(U256::ONE)
    }
}

/// A token balance of an address, per contract or per id of an ERC-1155 token.
#[derive(Clone, Debug, Deserialize)]
pub struct BalanceRecord {
    pub id: u64,
    #[serde(with = "serde_util::text")]
    pub address: Address,
    #[serde(with = "serde_util::text")]
    pub token: Address,
    #[serde(rename = "type")]
    pub token_type: TokenStandard,
    #[serde(with = "serde_util::option")]
    pub token_id: Option<U256>,
    /// `None` if the token does not report it.
    #[serde(with = "serde_util::option")]
    pub value: Option<U256>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct BlockRecord {
    pub number: u64,
    #[serde(with = "serde_util::text")]
    pub hash: B256,
    #[serde(with = "serde_util::time")]
    pub timestamp: Timestamp,
    #[serde(with = "serde_util::option")]
    pub parent_hash: Option<B256>,
    #[serde(with = "serde_util::option")]
    pub miner: Option<Address>,
    /// Bytes of the encoded block.
    pub size: Option<u64>,
    pub gas_limit: Option<u64>,
    pub gas_used: Option<u64>,
    /// Wei that are burnt for a unit of gas, unknown before EIP-1559.
    #[serde(with = "serde_util::option")]
    pub base_fee_per_gas: Option<u128>,
    #[serde(skip)]
    pub withdrawals: Withdrawals,
}

impl BlockRecord {
    pub fn id(&self) -> BlockNumHash {
        BlockNumHash { number: self.number, hash: self.hash }
    }
}

/// Withdrawals in a block, oldest first; `None` if the node does not report them. The bundled chain has
/// none.
#[derive(Clone, Debug)]
pub struct Withdrawals(pub Option<Box<[WithdrawalRecord]>>);

impl Default for Withdrawals {
    fn default() -> Self {
        Self(Some(Box::default()))
    }
}

/// A payment of the consensus layer to an address.
#[derive(Clone, Debug, Serialize)]
pub struct WithdrawalRecord {
    pub index: u64,
    pub validator_index: u64,
    #[serde(skip)]
    pub receiver: Address,
    /// In wei.
    #[serde(with = "serde_util::text")]
    pub amount: U256,
}

/// An event that a contract emitted.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct LogRecord {
    pub block_number: u64,
    #[serde(skip_serializing)]
    pub transaction_index: u32,
    /// Counts through the block.
    pub index: u32,
    #[serde(with = "serde_util::text", skip_serializing)]
    pub address: Address,
    /// The hash of the event's signature, unless it is anonymous, and its indexed arguments.
    pub topics: Box<[B256]>,
    pub data: Bytes,
}

impl LogRecord {
    pub fn transaction(&self) -> TransactionPosition {
        let index = self.transaction_index;
        TransactionPosition { block_number: self.block_number, index }
    }

    /// Returns the number of its block, and its index there. Newer positions are greater.
    pub fn position(&self) -> (u64, u32) {
        (self.block_number, self.index)
    }
}
