//! Calldata and revert data as decoded by the server.

use super::json::{Json, scalar};
use super::json_fields::{Field, FromJson, RawObject, json_object};
use std::fmt;
use std::ops::Deref;

use alloy_primitives::hex;

use crate::messages::api_error::NO_DIAGNOSIS;
use crate::safety::name_marks::{guard_declaration, guard_identifier, is_quoted};
use crate::sanitize::{SafeText, json_line};

json_object! {
    /// A decoded call: `decoded_input`, or a `revert_reason` with a known error.
    pub struct DecodedInput {
        /// `transfer(address to, uint256 v)`.
        pub method_call: Field<AbiDeclaration>,
        /// The selector, four bytes in hex, with or without `0x`.
        pub method_id: Field<SafeText>,
        pub parameters: Field<Vec<DecodedParameter>>,
    }
}

json_object! {
    pub struct DecodedParameter {
        /// The name, often empty.
        pub name: Field<AbiIdentifier>,
        pub kind: Field<SafeText> = "type",
        /// The value: a string, or the JSON of an array or a tuple.
        pub value: Field<JsonText>,
        /// `true` for a topic of an event's log.
        pub indexed: Field<bool>,
    }
}

/// A name from an ABI, or the selector of a function without one. Anything else is quoted and cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiIdentifier(pub SafeText);

/// A name with parameters. What no compiler can have written is quoted and cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiDeclaration(pub SafeText);

impl AbiIdentifier {
    /// Returns the selector, if there is no name.
    pub fn selector(&self) -> Option<[u8; 4]> {
        hex::decode(self.strip_prefix("0x")?).ok()?.try_into().ok()
    }
}

impl AbiDeclaration {
    /// Returns the part before the parameters.
    pub fn name(&self) -> &str {
        if is_quoted(self) { self } else { self.split('(').next().unwrap_or_default() }
    }
}

impl FromJson for AbiIdentifier {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let name = SafeText::from_json(json)?;
        let digits = name.strip_prefix("0x").unwrap_or_default();
        let is_selector = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        Ok(Self(if is_selector { name } else { guard_identifier(&name) }))
    }
}

impl FromJson for AbiDeclaration {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        SafeText::from_json(json).map(|text| Self(guard_declaration(&text)))
    }
}

impl Deref for AbiIdentifier {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Deref for AbiDeclaration {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AbiIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for AbiDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
                _ => Err(NO_DIAGNOSIS.into()),
            },
        }
    }
}
