//! The tokens an address holds.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use super::token::Token;
use super::token_instances::TokenInstance;
use crate::chain::U256;
use crate::sanitize::SafeText;

/// How much of one token an address holds: one row a contract for ERC-20 and ERC-721 (where the
/// value counts pieces), one row an id for ERC-1155 and ERC-404.
#[derive(Debug, Clone)]
pub struct TokenBalance {
    /// In the smallest unit, or pieces.
    pub value: Field<U256>,
    /// Which one, where the row is about one id.
    pub token_id: Field<U256>,
    /// The token.
    pub token: Field<Token>,
    /// The NFT, where the row is about one id.
    pub token_instance: Field<Box<TokenInstance>>,
    /// Fields this build does not know.
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
