//! Token instances (NFTs) of a token contract.

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::json_fields::{Field, Object, Read};
use super::token::Token;
use crate::chain::{Address, U256};
use crate::sanitize::Text;

/// One NFT.
#[derive(Debug, Clone)]
pub struct TokenInstance {
    /// Which one of its contract.
    pub id: Field<U256>,
    /// Whether there is only one of it. Absent where not computed.
    pub is_unique: Field<bool>,
    /// Who holds it. Absent unless it is unique.
    pub owner: Field<AddressRef>,
    /// Its contract. Absent inside a collection.
    pub token: Field<Token>,
    /// In the specification only; never seen from a server.
    pub holder_address_hash: Field<Address>,
    /// What its maker says of it: any JSON, in its original text.
    pub metadata: Field<Metadata>,
    /// Where pictures, films and pages of it are said to be. Never fetched.
    pub media: Media,
    /// The standard, in lists of what somebody holds.
    pub token_type: Field<Text>,
    /// How many are held, in lists of what somebody holds.
    pub value: Field<U256>,
    /// Fields this build does not know.
    pub rest: Vec<(Text, Text)>,
}

/// Addresses of an NFT's media, written by strangers.
#[derive(Debug, Clone)]
pub struct Media {
    /// A picture; may be a `data:` URI.
    pub image_url: Field<Text>,
    /// A film.
    pub animation_url: Field<Text>,
    /// A page.
    pub external_app_url: Field<Text>,
    /// The medium itself: servers since 6.10.
    pub media_url: Field<Text>,
    /// Its MIME type.
    pub media_type: Field<Text>,
}

/// Free-form metadata, kept as the server's own text: it may nest without end or hold megabytes.
#[derive(Debug, Clone)]
pub struct Metadata(pub Box<RawValue>);

impl Read for Metadata {
    fn read(json: &RawValue) -> Result<Self, Text> {
        Ok(Self(json.to_owned()))
    }
}

impl Read for Box<TokenInstance> {
    fn read(json: &RawValue) -> Result<Self, Text> {
        TokenInstance::read(json).map(Box::new)
    }
}

impl Read for TokenInstance {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            id: object.field(&["id"]),
            is_unique: object.field(&["is_unique"]),
            owner: object.field(&["owner"]),
            token: object.field(&["token"]),
            holder_address_hash: object.field(&["holder_address_hash"]),
            metadata: object.field(&["metadata"]),
            media: Media {
                image_url: object.field(&["image_url"]),
                animation_url: object.field(&["animation_url"]),
                external_app_url: object.field(&["external_app_url"]),
                media_url: object.field(&["media_url"]),
                media_type: object.field(&["media_type"]),
            },
            token_type: object.field(&["token_type"]),
            value: object.field(&["value"]),
            rest: object.rest(),
        })
    }
}
