//! Deposits to the beacon chain of Ethereum and its relatives.

use alloy_primitives::address;

use super::address::AddressRef;
use super::json_fields::{Field, json_object};
use super::reply::reply_data;
use crate::chain::{Address, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// The deposit contract of Ethereum.
pub const DEPOSIT_CONTRACT: Address = address!("00000000219ab540356cbb839cbe05303d7705fa");

json_object! {
    pub struct BeaconDeposit {
        pub index: Field<u64>,
        pub block_number: Field<u64> = "block_number" | "block",
        pub block_timestamp: Field<Timestamp>,
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// The sender of the transaction.
        pub from_address: Field<AddressRef>,
        /// The public key of the validator.
        pub pubkey: Field<SafeText>,
        pub withdrawal_address: Field<AddressRef>,
        pub withdrawal_credentials: Field<SafeText>,
        /// In wei.
        pub amount: Field<U256>,
        /// `invalid`, `pending`, `completed`.
        pub status: Field<SafeText>,
    }
}

reply_data!(BeaconDeposit: from_address, withdrawal_address);
