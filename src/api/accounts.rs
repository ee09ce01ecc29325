//! Accounts and contracts in lists of the whole chain.

use super::address::AddressRef;
use super::json_fields::{Field, json_object};
use super::reply::{ReplyData, reply_data};
use crate::chain::{Timestamp, U256};
use crate::sanitize::SafeText;

json_object! {
    /// An address in the list by balance.
    pub struct RankedAccount {
        /// In wei.
        pub coin_balance: Field<U256>,
        /// Servers send an empty text until they have counted them.
        pub transactions_count: Field<u64> = "transactions_count" | "transaction_count" | "tx_count",
        pub address: AddressRef,
    }
}

impl ReplyData for RankedAccount {
    fn parties(&self) -> Vec<&AddressRef> {
        vec![&self.address]
    }
}

json_object! {
    pub struct VerifiedContract {
        pub address: Field<AddressRef>,
        /// `solidity`, `vyper`, `yul`, …: an open set.
        pub language: Field<SafeText>,
        pub compiler_version: Field<SafeText>,
        pub optimization_enabled: Field<bool>,
        pub license_type: Field<SafeText>,
        pub verified_at: Field<Timestamp>,
        /// In wei.
        pub coin_balance: Field<U256>,
        pub transactions_count: Field<u64> = "transactions_count" | "transaction_count" | "tx_count",
        /// In US dollars, decimal.
        pub market_cap: Field<SafeText>,
    }
}

reply_data!(VerifiedContract: address);

json_object! {
    /// A contract with its use in the time that the list is about.
    pub struct HotContract {
        pub contract_address: Field<AddressRef>,
        pub transactions_count: Field<u64>,
        pub total_gas_used: Field<U256>,
        /// In wei.
        pub balance: Field<U256>,
    }
}

reply_data!(HotContract: contract_address);
