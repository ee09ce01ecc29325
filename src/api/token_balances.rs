//! The tokens an address holds.

use serde_json::value::RawValue;

use super::json_fields::{Field, Object, Read};
use super::token::Token;
use super::token_instances::TokenInstance;
use crate::chain::U256;
use crate::sanitize::Text;

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
    pub rest: Vec<(Text, Text)>,
}

impl Read for TokenBalance {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            value: object.field(&["value"]),
            token_id: object.field(&["token_id"]),
            token: object.field(&["token"]),
            token_instance: object.field(&["token_instance"]),
            rest: object.rest(),
        })
    }
}
