//! Calldata and revert data as decoded by the server.

use super::json::{Json, scalar};
use super::json_fields::{Field, FromJson, RawObject, json_object};
use crate::sanitize::{SafeText, json_line};

json_object! {
    /// A decoded call: `decoded_input`, or a `revert_reason` with a known error.
    pub struct DecodedInput {
        /// `transfer(address to, uint256 v)`.
        pub method_call: Field<SafeText>,
        /// The selector, four bytes in hex, with or without `0x`.
        pub method_id: Field<SafeText>,
        pub parameters: Field<Vec<DecodedParameter>>,
    }
}

json_object! {
    pub struct DecodedParameter {
        /// The name, often empty.
        pub name: Field<SafeText>,
        pub kind: Field<SafeText> = "type",
        /// The value: a string, or the JSON of an array or a tuple.
        pub value: Field<JsonText>,
        /// Whether it is a topic of an event's log.
        pub indexed: Field<bool>,
    }
}

/// Any JSON value, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(pub SafeText);

impl FromJson for JsonText {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let text = scalar(json).unwrap_or_else(|| json_line(json.get()).into());
        json.safe_text(&text).map(Self)
    }
}

#[derive(Debug, Clone)]
pub enum RevertReason {
    /// The revert data in hex. Empty data is `0x`.
    Raw(SafeText),
    Decoded(DecodedInput),
}

impl FromJson for RevertReason {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let raw = match scalar(json) {
            Some(text) => Field::Present(json.safe_text(&text)?),
            None => RawObject::parse(json)?.field(&["raw"]),
        };
        match raw {
            Field::Present(raw) if !raw.is_empty() => Ok(Self::Raw(raw)),
            Field::Invalid(reason) => Err(reason),
            // Lists have `{"raw": null}` until a node was asked, failed creations `{"raw": ""}`.
            _ => match DecodedInput::from_json(json) {
                Ok(decoded) if decoded.method_call != Field::Absent => Ok(Self::Decoded(decoded)),
                _ => Err("the server does not know it yet".into()),
            },
        }
    }
}
