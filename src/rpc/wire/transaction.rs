//! Transactions as nodes send them, and the indexes over them that Otterscan's methods answer from.

use super::receipt::RpcReceipt;
use super::wire_object;
use crate::chain::{Address, B256, Bytes, U256};

wire_object! {
    /// A transaction.
    pub struct RpcTransaction {
        pub hash: B256,
        pub from: Address,
        /// The delegations of an EIP-7702 transaction.
        #[serde(default)]
        pub authorization_list: Option<Vec<RpcAuthorization>>,
        /// `None` for a legacy transaction of an old node.
        #[serde(rename = "type", default, deserialize_with = "super::optional")]
        pub kind: Option<u64>,
        /// `None` for the creation of a contract.
        #[serde(default, deserialize_with = "super::optional")]
        pub to: Option<Address>,
        /// Wei that a deposit of the OP stack brings from the chain below.
        #[serde(default, deserialize_with = "super::optional")]
        pub mint: Option<U256>,
        /// The hashes of its blobs (EIP-4844).
        #[serde(default)]
        pub blob_versioned_hashes: Option<Vec<B256>>,
    } or unknown {
        pub nonce: u64,
        pub value: U256,
        pub gas: u64,
        pub gas_price: U256,
        pub max_fee_per_gas: U256,
        pub max_priority_fee_per_gas: U256,
        pub max_fee_per_blob_gas: U256,
        pub input: Bytes,
        /// Another name of the input in some nodes, sent instead or as well.
        pub data: Bytes,
        pub chain_id: u64,
        /// Not known for a pending transaction.
        pub block_hash: B256,
        pub block_number: u64,
        pub transaction_index: u64,
        pub v: U256,
        pub r: U256,
        pub s: U256,
        pub y_parity: u64,
    }
}

impl RpcTransaction {
    /// Returns the number of bytes of the input.
    pub fn input_len(&self) -> u64 {
        let input = self.input.as_ref().or(self.data.as_ref());
        input.map_or(0, |input| input.len() as u64)
    }
}

wire_object! {
    /// Transactions in which an address takes part, newest first, with their receipts.
    pub struct RpcTransactionPage {
        pub txs: Vec<RpcTransaction>,
        pub receipts: Vec<RpcReceipt>,
        pub last_page: bool,
    } or unknown {
    }
}

wire_object! {
    /// The account and the transaction that created a contract.
    #[derive(Copy)]
    pub struct RpcContractCreator {
        pub hash: B256,
        pub creator: Address,
    } or unknown {
    }
}

wire_object! {
    pub struct RpcAuthorization {
    } or unknown {
        pub chain_id: U256,
        pub address: Address,
        pub nonce: u64,
        pub r: U256,
        pub s: U256,
        pub y_parity: u64,
    }
}
