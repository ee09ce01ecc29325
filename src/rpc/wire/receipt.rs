//! Receipts and logs.

use serde::de::Deserializer;

use super::{lenient, wire_object};
use crate::chain::{Address, B256, Bytes, U256};

wire_object! {
    pub struct RpcReceipt {
        pub transaction_hash: B256,
        pub logs: Vec<RpcLog>,
        #[serde(default, deserialize_with = "named_contract")]
        contract_address: Option<NamedContract>,
    } or unknown {
        #[serde(rename = "type")]
        pub kind: u64,
        /// 1 for success, 0 for failure.
        pub status: u64,
        pub transaction_index: u64,
        pub block_hash: B256,
        pub block_number: u64,
        pub from: Address,
        pub to: Address,
        pub gas_used: u64,
        pub cumulative_gas_used: u64,
        pub effective_gas_price: U256,
        /// Gas of the blobs, on some rollups of the other data.
        pub blob_gas_used: U256,
        pub blob_gas_price: U256,
        /// Wei that a rollup of the OP stack took for the chain below.
        pub l1_fee: U256,
        pub l1_gas_used: U256,
        /// Parameters of a fee of such a rollup that the receipt does not contain.
        pub operator_fee_scalar: U256,
        pub operator_fee_constant: U256,
        /// The part of the gas that Arbitrum took for the chain below.
        pub gas_used_for_l1: U256,
        /// The block of the chain below that Arbitrum knew.
        pub l1_block_number: U256,
        /// The batch in which zkSync proves it.
        pub l1_batch_number: U256,
        /// The time of its block, which lists of Otterscan's methods add.
        pub timestamp: u64,
    }
}

impl RpcReceipt {
    /// Returns `false` if it, or one of its logs, is of another transaction or block.
    pub fn is_of(&self, transaction: B256, block: B256) -> bool {
        self.transaction_hash == transaction
            && self.block_hash.is_none_or(|hash| hash == block)
            && self.logs.iter().all(|log| log.is_of(transaction))
    }

    /// Returns `true` if it has fields that only rollups add.
    pub fn is_of_rollup(&self) -> bool {
        let added = [
            self.l1_fee,
            self.l1_gas_used,
            self.gas_used_for_l1,
            self.l1_block_number,
            self.l1_batch_number,
        ];
        added.iter().any(Option::is_some)
    }

    /// Returns the created contract. Some nodes name one for a creation that failed too.
    pub fn created_contract(&self) -> Option<Address> {
        self.contract_address?.0.filter(|_| self.status != Some(0))
    }

    /// Returns `true` if it has the field of a created contract, which may be null.
    pub fn has_contract_field(&self) -> bool {
        self.contract_address.is_some()
    }
}

/// The created contract in a receipt, unless it is null or cannot be read.
#[derive(Debug, Clone, Copy)]
struct NamedContract(Option<Address>);

fn named_contract<'de, D: Deserializer<'de>>(json: D) -> Result<Option<NamedContract>, D::Error> {
    Ok(Some(NamedContract(lenient(json)?)))
}

wire_object! {
    pub struct RpcLog {
        pub address: Address,
        pub topics: Vec<B256>,
        pub data: Bytes,
    } or unknown {
        /// `true` if a reorganization removed it.
        pub removed: bool,
        /// Counts through the block; in ganache, through each receipt.
        pub log_index: u64,
        pub transaction_hash: B256,
        pub transaction_index: u64,
        pub block_hash: B256,
        pub block_number: u64,
    }
}

impl RpcLog {
    /// Returns `false` if it was removed, or is of another transaction.
    fn is_of(&self, transaction: B256) -> bool {
        self.removed != Some(true) && self.transaction_hash.is_none_or(|hash| hash == transaction)
    }
}
