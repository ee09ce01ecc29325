//! Calldata and revert data that the server has already decoded.

use serde_json::value::RawValue;

use super::json_fields::{Field, Object, Read, scalar};
use crate::sanitize::{Text, json_line};

/// A decoded call: `decoded_input`, or a `revert_reason` with a known error.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// `transfer(address to, uint256 v)`.
    pub method_call: Field<Text>,
    /// The selector, four bytes in hex, with or without `0x`.
    pub method_id: Field<Text>,
    /// The arguments in order.
    pub parameters: Field<Vec<Parameter>>,
}

/// One decoded argument.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name, often empty.
    pub name: Field<Text>,
    /// Its Solidity type.
    pub kind: Field<Text>,
    /// Its value: the string itself, or the JSON of an array or a tuple.
    pub value: Field<Value>,
}

/// A value of any JSON shape, as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value(pub Text);

impl Read for Value {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let text = scalar(json).unwrap_or_else(|| json_line(json.get()).into());
        Ok(Self(Text::new(&text)))
    }
}

impl Read for Parameter {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            name: object.field(&["name"]),
            kind: object.field(&["type"]),
            value: object.field(&["value"]),
        })
    }
}

impl Read for Decoded {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            method_call: object.field(&["method_call"]),
            method_id: object.field(&["method_id"]),
            parameters: object.field(&["parameters"]),
        })
    }
}

/// Why a transaction reverted, as far as the server says.
#[derive(Debug, Clone)]
pub enum RevertReason {
    /// The revert data in hex, possibly empty.
    Raw(Text),
    /// A known error.
    Decoded(Decoded),
}

impl Read for RevertReason {
    fn read(json: &RawValue) -> Result<Self, Text> {
        if let Some(text) = scalar(json) {
            return Ok(Self::Raw(Text::new(&text)));
        }
        let object = Object::parse(json)?;
        match object.field(&["raw"]) {
            Field::Read(raw) => Ok(Self::Raw(raw)),
            Field::Absent => Decoded::read(json).map(Self::Decoded),
            Field::Unread(why) => Err(why),
        }
    }
}
