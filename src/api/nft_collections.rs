//! The NFT collections an address holds pieces of.

use serde_json::value::RawValue;

use super::json_fields::{Field, Object, Read};
use super::token::Token;
use super::token_instances::TokenInstance;
use crate::chain::U256;
use crate::sanitize::Text;

/// One collection, with the first few of the pieces held.
#[derive(Debug, Clone)]
pub struct Collection {
    /// The collection's contract.
    pub token: Field<Token>,
    /// Pieces held; for ERC-1155 the number of different ids, not of units.
    pub amount: Field<U256>,
    /// At most nine of the pieces held.
    pub instances: Field<Vec<TokenInstance>>,
    /// Fields this build does not know.
    pub rest: Vec<(Text, Text)>,
}

impl Read for Collection {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            token: object.field(&["token"]),
            amount: object.field(&["amount"]),
            instances: object.field(&["token_instances"]),
            rest: object.rest(),
        })
    }
}
