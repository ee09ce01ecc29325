//! NFT collections by holder.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use super::nft_instances::TokenInstance;
use super::token::Token;
use crate::chain::U256;
use crate::sanitize::SafeText;

/// A collection with the first items that an address holds.
#[derive(Debug, Clone)]
pub struct Collection {
    pub token: Field<Token>,
    /// The number of items held; for ERC-1155 the number of ids, not of units.
    pub amount: Field<U256>,
    /// At most nine of the items held.
    pub instances: Field<Vec<TokenInstance>>,
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
