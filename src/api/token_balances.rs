//! Token balances of an address.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use super::nft_instances::TokenInstance;
use super::token::Token;
use crate::chain::U256;
use crate::sanitize::SafeText;

/// The balance of a token: one per contract for ERC-20 and ERC-721 (where the value is the number
/// of items), one per id for ERC-1155 and ERC-404.
#[derive(Debug, Clone)]
pub struct TokenBalance {
    /// The amount in the smallest unit, or the number of items.
    pub value: Field<U256>,
    /// The id, if the balance is of one id.
    pub token_id: Field<U256>,
    pub token: Field<Token>,
    /// The NFT, if the balance is of one id.
    pub token_instance: Field<Box<TokenInstance>>,
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

impl FromJson for TokenBalance {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            value: object.field(&["value"]),
            token_id: object.field(&["token_id"]),
            token: object.field(&["token"]),
            token_instance: object.field(&["token_instance"]),
            extra_fields: object.extra_fields(),
        })
    }
}
