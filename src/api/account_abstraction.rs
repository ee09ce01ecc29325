//! Account abstraction (ERC-4337): user operations, the transactions that bundle them, and the parties.

use alloy_primitives::address;

use super::address::AddressRef;
use super::json_fields::{Field, json_object};
use super::reply::reply_data;
use crate::chain::{Address, B256, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// The canonical entry points: versions 0.6 to 0.9.
pub const ENTRY_POINTS: [Address; 4] = [
    address!("5ff137d4b0fdcd49dca30c7cf57e578a026d2789"),
    address!("0000000071727de22e5e9d8baf0edac6f37da032"),
    address!("4337084d9e255ff0702461cf8895ce9e3b5ff108"),
    address!("433709009b8330fda32311df1c2afa402ed8d009"),
];

/// Path of the list of user operations. Each is below it.
pub(super) const OPERATIONS_PATH: &str = "proxy/account-abstraction/operations";

json_object! {
    /// A user operation in a list.
    pub struct UserOperation {
        pub hash: Field<B256>,
        /// `true` if it succeeded.
        pub status: Field<bool>,
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp>,
        /// The transaction of its bundle.
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// The smart account. Servers before version 7 send only its hash.
        pub sender: Field<AddressRef> = "address" | "sender",
        pub entry_point: Field<AddressRef>,
        pub entry_point_version: Field<SafeText>,
        /// In wei.
        pub fee: Field<U256>,
    }
}

reply_data!(UserOperation: sender, entry_point);

json_object! {
    /// A transaction that carries user operations to an entry point.
    pub struct OperationBundle {
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// The index of the bundle in its transaction.
        pub bundle_index: Field<u64>,
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp>,
        pub bundler: Field<AddressRef>,
        pub total_ops: Field<u64>,
    }
}

reply_data!(OperationBundle: bundler);

json_object! {
    pub struct SmartAccount {
        pub address: Field<AddressRef>,
        pub creation_timestamp: Field<Timestamp>,
        pub creation_transaction_hash: Field<TxHash> =
            "creation_transaction_hash" | "creation_tx_hash",
        pub factory: Field<AddressRef>,
        pub total_ops: Field<u64>,
    }
}

reply_data!(SmartAccount: address, factory);

json_object! {
    /// A bundler, a factory or a paymaster, with the counts that its kind has.
    pub struct AbstractionParty {
        pub address: Field<AddressRef>,
        pub total_accounts: Field<u64>,
        pub total_bundles: Field<u64>,
        pub total_ops: Field<u64>,
    }
}

reply_data!(AbstractionParty: address);
