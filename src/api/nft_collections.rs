//! The NFT collections an address holds pieces of.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use super::token::Token;
use super::token_instances::TokenInstance;
use crate::chain::U256;
use crate::sanitize::SafeText;

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
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

impl FromJson for Collection {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            token: object.field(&["token"]),
            amount: object.field(&["amount"]),
            instances: object.field(&["token_instances"]),
            extra_fields: object.extra_fields(),
        })
    }
}
