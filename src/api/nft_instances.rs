//! Token instances (NFTs) of a token contract.

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::json::Json;
use super::json_fields::{ExtraFields, Field, FromJson, RawObject, json_object};
use super::reply::reply_data;
use super::token::Token;
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

json_object! {
    pub struct TokenInstance {
        pub id: Field<U256>,
        /// `true` if there is a single one. Absent if not computed.
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
        pub extra_fields: ExtraFields,
    }
}

reply_data!(TokenInstance: owner; token);

json_object! {
    /// URLs of an NFT's media, which are untrusted and fetched only if the user asks.
    pub struct MediaLinks {
        /// An image, possibly a `data:` URI.
        pub image_url: Field<SafeText>,
        pub animation_url: Field<SafeText>,
        pub external_app_url: Field<SafeText>,
        /// The media file. Sent by servers since version 6.10.
        pub media_url: Field<SafeText>,
        pub media_type: Field<SafeText>,
    }
}

/// Free-form metadata as JSON text, because it can be deeply nested or have megabytes.
#[derive(Debug, Clone)]
pub struct InstanceMetadata {
    pub json: Box<RawValue>,
    /// The name in it. Rows are drawn with every frame.
    pub name: Option<SafeText>,
}

impl FromJson for InstanceMetadata {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        json.spend(json.get().len())?;
        let object = RawObject::parse(json).ok();
        let name = object.and_then(|object| object.field(&["name"]).value().cloned());
        Ok(Self { json: json.to_raw()?, name })
    }
}
