//! Calldata and revert data as decoded by the server.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject, json_object, scalar};
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
    }
}

/// Any JSON value, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(pub SafeText);

impl FromJson for JsonText {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let text = scalar(json).unwrap_or_else(|| json_line(json.get()).into());
        Ok(Self(SafeText::new(&text)))
    }
}

#[derive(Debug, Clone)]
pub enum RevertReason {
    /// The revert data in hex, possibly empty.
    Raw(SafeText),
    Decoded(DecodedInput),
}

impl FromJson for RevertReason {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        if let Some(text) = scalar(json) {
            return Ok(Self::Raw(SafeText::new(&text)));
        }
        let object = RawObject::parse(json)?;
        match object.field(&["raw"]) {
            Field::Present(raw) => Ok(Self::Raw(raw)),
            Field::Absent => DecodedInput::from_json(json).map(Self::Decoded),
            Field::Invalid(reason) => Err(reason),
        }
    }
}
