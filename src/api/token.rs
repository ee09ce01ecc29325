//! Token contracts.

use super::json_fields::{Field, json_object};
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

json_object! {
    pub struct Token {
        pub address: Field<Address> = "address_hash" | "address",
        /// The name, chosen by the contract's deployer.
        pub name: Field<SafeText>,
        /// The symbol, chosen by the deployer and not unique.
        pub symbol: Field<SafeText>,
        pub decimals: Field<u8>,
        /// `ERC-20`, `ERC-721`, `ERC-1155`, `ERC-404`, `ERC-7984`, `ZRC-2`: an open set.
        pub kind: Field<SafeText> = "type",
        pub holders: Field<u64> = "holders_count" | "holders",
        /// The total supply in the smallest unit.
        pub total_supply: Field<U256>,
        /// The price in US dollars, decimal, possibly `5.95E-7`.
        pub exchange_rate: Field<SafeText>,
        /// The market cap in US dollars, decimal.
        pub circulating_market_cap: Field<SafeText>,
        /// The trading volume in US dollars, decimal.
        pub volume_24h: Field<SafeText>,
        /// The circulating supply, decimal.
        pub circulating_supply: Field<SafeText>,
        /// The URL of an icon, which is never fetched.
        pub icon_url: Field<SafeText>,
        /// The server's rating (`ok`, `scam`).
        pub reputation: Field<SafeText>,
    }
}
