//! Movements between an Optimism chain and its L1, and the proofs for them.

use super::address::AddressRef;
use super::decoded_input::JsonText;
use super::json_fields::{Field, json_object};
use super::reply::{ReplyData, reply_data};
use crate::chain::{Address, B256, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

json_object! {
    /// A batch of blocks that was posted to L1.
    pub struct OptimismBatch {
        pub number: Field<u64> = "number" | "internal_id",
        pub l1_timestamp: Field<Timestamp>,
        pub first_block: Field<u64> = "l2_start_block_number" | "l2_block_start",
        pub last_block: Field<u64> = "l2_end_block_number" | "l2_block_end",
        pub transactions_count: Field<u64> = "transactions_count" | "transaction_count" | "tx_count",
        /// `in_blob4844`, `in_calldata`, `in_celestia`, …: an open set.
        pub container: Field<SafeText> = "batch_data_container",
        pub l1_transactions: Field<Vec<B256>> = "l1_transaction_hashes" | "l1_tx_hashes",
        /// The blobs that it is in, each as JSON. Absent in lists.
        pub blobs: Field<Vec<JsonText>>,
    }
}

impl ReplyData for OptimismBatch {}

json_object! {
    /// A deposit from L1.
    pub struct OptimismDeposit {
        pub l1_block_number: Field<u64>,
        pub l1_block_timestamp: Field<Timestamp>,
        pub l1_transaction_hash: Field<B256> = "l1_transaction_hash" | "l1_tx_hash",
        /// The sender on L1.
        pub l1_origin: Field<Address> = "l1_transaction_origin" | "l1_tx_origin",
        pub l2_transaction_hash: Field<TxHash> = "l2_transaction_hash" | "l2_tx_hash",
        pub l2_gas_limit: Field<U256> = "l2_transaction_gas_limit" | "l2_tx_gas_limit",
    }
}

impl ReplyData for OptimismDeposit {}

json_object! {
    /// A withdrawal to L1.
    pub struct OptimismWithdrawal {
        pub nonce: Field<u64> = "msg_nonce",
        pub from: Field<AddressRef>,
        pub l2_timestamp: Field<Timestamp>,
        pub l2_transaction_hash: Field<TxHash> = "l2_transaction_hash" | "l2_tx_hash",
        pub status: Field<SafeText>,
        pub challenge_period_end: Field<Timestamp>,
        pub l1_transaction_hash: Field<B256> = "l1_transaction_hash" | "l1_tx_hash",
    }
}

reply_data!(OptimismWithdrawal: from);

json_object! {
    /// A dispute game about the state at a block.
    pub struct DisputeGame {
        pub index: Field<u64>,
        pub game_type: Field<u64>,
        /// The game's contract on L1.
        pub contract: Field<Address> = "contract_address_hash" | "contract_address",
        pub l2_block_number: Field<u64>,
        pub created_at: Field<Timestamp>,
        pub status: Field<SafeText>,
        pub resolved_at: Field<Timestamp>,
    }
}

impl ReplyData for DisputeGame {}

json_object! {
    /// A root of the chain's state that was posted to L1.
    pub struct OutputRoot {
        pub index: Field<u64> = "l2_output_index",
        pub l1_timestamp: Field<Timestamp>,
        pub l1_block_number: Field<u64>,
        pub l1_transaction_hash: Field<B256> = "l1_transaction_hash" | "l1_tx_hash",
        pub l2_block_number: Field<u64>,
        pub output_root: Field<B256>,
    }
}

impl ReplyData for OutputRoot {}
