//! Tokens: the contract behind transfers, balances and NFTs.

use serde_json::value::RawValue;

use super::json_fields::{Field, Object, Read};
use crate::chain::{Address, U256};
use crate::sanitize::Text;

/// A token contract.
#[derive(Debug, Clone)]
pub struct Token {
    /// The contract.
    pub address: Field<Address>,
    /// Its name, chosen by whoever deployed it.
    pub name: Field<Text>,
    /// Its symbol, likewise: no two need differ.
    pub symbol: Field<Text>,
    /// How many digits of an amount stand after the point.
    pub decimals: Field<u8>,
    /// `ERC-20`, `ERC-721`, `ERC-1155`, `ERC-404`, `ERC-7984`, `ZRC-2`: an open set.
    pub kind: Field<Text>,
    /// Accounts that hold some.
    pub holders: Field<u64>,
    /// All there is, in the smallest unit.
    pub total_supply: Field<U256>,
    /// Price of one token in US dollars, decimal, possibly `5.95E-7`.
    pub exchange_rate: Field<Text>,
    /// In US dollars, decimal.
    pub circulating_market_cap: Field<Text>,
    /// In US dollars, decimal.
    pub volume_24h: Field<Text>,
    /// Decimal.
    pub circulating_supply: Field<Text>,
    /// Where a picture of it is said to be. Never fetched.
    pub icon_url: Field<Text>,
    /// What the server thinks of it (`ok`, `scam`).
    pub reputation: Field<Text>,
    /// Fields this build does not know.
    pub rest: Vec<(Text, Text)>,
}

impl Read for Token {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            address: object.field(&["address_hash", "address"]),
            name: object.field(&["name"]),
            symbol: object.field(&["symbol"]),
            decimals: object.field(&["decimals"]),
            kind: object.field(&["type"]),
            holders: object.field(&["holders_count", "holders"]),
            total_supply: object.field(&["total_supply"]),
            exchange_rate: object.field(&["exchange_rate"]),
            circulating_market_cap: object.field(&["circulating_market_cap"]),
            volume_24h: object.field(&["volume_24h"]),
            circulating_supply: object.field(&["circulating_supply"]),
            icon_url: object.field(&["icon_url"]),
            reputation: object.field(&["reputation"]),
            rest: object.rest(),
        })
    }
}
