//! Token contracts.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

#[derive(Debug, Clone)]
pub struct Token {
    pub address: Field<Address>,
    /// The name, chosen by the contract's deployer.
    pub name: Field<SafeText>,
    /// The symbol, chosen by the deployer and not unique.
    pub symbol: Field<SafeText>,
    pub decimals: Field<u8>,
    /// `ERC-20`, `ERC-721`, `ERC-1155`, `ERC-404`, `ERC-7984`, `ZRC-2`: an open set.
    pub kind: Field<SafeText>,
    pub holders: Field<u64>,
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
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

impl FromJson for Token {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
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
            extra_fields: object.extra_fields(),
        })
    }
}
