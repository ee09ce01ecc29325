//! Blocks.

use super::wire_object;
use alloy_primitives::b256;
use serde::{Deserialize, Deserializer};

use crate::chain::{Address, B256, U256};

wire_object! {
    /// A block with its transactions or their hashes, as was asked for.
    ///
    /// A pending block has no number on Hardhat, and no hash on Geth.
    pub struct RpcBlock<T> {
        pub transactions: Vec<T>,
        /// Unknown if one of them cannot be read.
        #[serde(default, deserialize_with = "read_withdrawals")]
        pub withdrawals: Option<Vec<RpcWithdrawal>>,
    } or unknown {
        pub number: u64,
        pub hash: B256,
        /// Zero for most blocks that `hardhat_mine` made.
        pub parent_hash: B256,
        pub timestamp: u64,
        pub miner: Address,
        pub gas_limit: u64,
        pub gas_used: u64,
        pub base_fee_per_gas: U256,
        pub transactions_root: B256,
        pub size: u64,
        pub nonce: u64,
        pub difficulty: U256,
        /// The block of the chain below that Arbitrum knew.
        pub l1_block_number: U256,
        /// The batch in which zkSync proves it.
        pub l1_batch_number: U256,
    }
}

wire_object! {
    /// The names of a block, which may be readable if the rest is not. Without a hash it is none.
    pub struct RpcBlockHeader {
        pub hash: B256,
    } or unknown {
        pub number: u64,
        pub parent_hash: B256,
    }
}

/// A payment of the consensus layer to an address.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct RpcWithdrawal {
    #[serde(deserialize_with = "super::lenient")]
    pub index: Option<u64>,
    #[serde(deserialize_with = "super::lenient")]
    pub validator_index: Option<u64>,
    pub address: Address,
    /// In gwei.
    #[serde(deserialize_with = "super::lenient")]
    pub amount: Option<U256>,
}

fn read_withdrawals<'de, D: Deserializer<'de>>(
    json: D,
) -> Result<Option<Vec<RpcWithdrawal>>, D::Error> {
    Ok(serde_json::from_value(serde_json::Value::deserialize(json)?).ok())
}

/// The root of a block without transactions.
const EMPTY_ROOT: B256 = b256!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");

impl<T> RpcBlock<T> {
    pub fn header(&self) -> Option<RpcBlockHeader> {
        let Self { number, parent_hash, .. } = *self;
        Some(RpcBlockHeader { hash: self.hash?, number, parent_hash })
    }

    /// Returns `true` if it has fields that only rollups add.
    pub fn is_of_rollup(&self) -> bool {
        self.l1_block_number.or(self.l1_batch_number).is_some()
    }

    /// Returns `true` if the node has pruned the block's transactions: it lists none, but the header
    /// contains some.
    pub fn lacks_transactions(&self) -> bool {
        self.transactions.is_empty()
            && self.gas_used.is_some_and(|gas| gas > 0)
            && self.transactions_root != Some(EMPTY_ROOT)
    }
}
