//! Token instances (NFTs) of a token contract.

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::json_fields::{Field, FromJson, RawObject};
use super::token::Token;
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

#[derive(Debug, Clone)]
pub struct TokenInstance {
    pub id: Field<U256>,
    /// Whether there is a single one. Absent if not computed.
    pub is_unique: Field<bool>,
    /// The owner. Absent unless it is unique.
    pub owner: Field<AddressRef>,
    /// The contract. Absent inside a collection.
    pub token: Field<Token>,
    /// In the specification, but not sent by any known server.
    pub holder_address_hash: Field<Address>,
    pub metadata: Field<InstanceMetadata>,
    pub media: MediaLinks,
    /// The token standard, in lists of holdings.
    pub token_type: Field<SafeText>,
    /// The amount held, in lists of holdings.
    pub value: Field<U256>,
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

/// URLs of an NFT's media. They are untrusted.
#[derive(Debug, Clone)]
pub struct MediaLinks {
    /// An image, possibly a `data:` URI.
    pub image_url: Field<SafeText>,
    pub animation_url: Field<SafeText>,
    pub external_app_url: Field<SafeText>,
    /// The media file. Sent by servers since version 6.10.
    pub media_url: Field<SafeText>,
    pub media_type: Field<SafeText>,
}

/// Free-form metadata as JSON text, because it can be deeply nested or have megabytes.
#[derive(Debug, Clone)]
pub struct InstanceMetadata(pub Box<RawValue>);

impl FromJson for InstanceMetadata {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        Ok(Self(json.to_owned()))
    }
}

impl FromJson for Box<TokenInstance> {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        TokenInstance::from_json(json).map(Box::new)
    }
}

impl FromJson for TokenInstance {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            id: object.field(&["id"]),
            is_unique: object.field(&["is_unique"]),
            owner: object.field(&["owner"]),
            token: object.field(&["token"]),
            holder_address_hash: object.field(&["holder_address_hash"]),
            metadata: object.field(&["metadata"]),
            media: MediaLinks {
                image_url: object.field(&["image_url"]),
                animation_url: object.field(&["animation_url"]),
                external_app_url: object.field(&["external_app_url"]),
                media_url: object.field(&["media_url"]),
                media_type: object.field(&["media_type"]),
            },
            token_type: object.field(&["token_type"]),
            value: object.field(&["value"]),
            extra_fields: object.extra_fields(),
        })
    }
}
