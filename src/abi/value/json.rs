//! Decoded values as JSON, the same in all formats for programs: numbers are decimal strings, bytes are hex, and a
//! call in bytes is an object.

use alloy_primitives::hex;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{AbiValue, Argument, DecodedCall};
use crate::chain::checksum::checksummed;

impl Serialize for DecodedCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut call = serializer.serialize_struct("DecodedCall", 6)?;
        call.serialize_field("name", &*self.name)?;
        call.serialize_field("signature", &*self.signature)?;
        call.serialize_field("source", &*self.source.describe())?;
        call.serialize_field("is_guess", &self.is_guess())?;
        call.serialize_field("alternatives", &self.alternatives)?;
        call.serialize_field("arguments", &self.arguments)?;
        call.end()
    }
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_argument(serializer, &self.name, &self.type_name, &self.value)
    }
}

impl Serialize for AbiValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(is) => serializer.serialize_bool(*is),
            Self::Uint(number) => serializer.collect_str(number),
            Self::Int(number) => serializer.collect_str(number),
            Self::Address(address) => serializer.serialize_str(checksummed(address).as_str()),
            Self::FixedBytes(word, bytes) => {
                let bytes = word.get(..*bytes).unwrap_or_default();
                serializer.serialize_str(&hex::encode_prefixed(bytes))
            }
            Self::Bytes(bytes) => serializer.collect_str(bytes),
            Self::String(text) => serializer.serialize_str(&String::from_utf8_lossy(text)),
            Self::Call(bytes, call) => {
                let mut object = serializer.serialize_struct("Call", 2)?;
                object.serialize_field("bytes", &bytes.to_string())?;
                object.serialize_field("call", call)?;
                object.end()
            }
            Self::Array(_, items) => serializer.collect_seq(items),
            Self::Tuple(fields, values) => {
                let parts = fields.iter().zip(values);
                serializer.collect_seq(parts.map(|(field, value)| StructField {
                    name: &field.name,
                    kind: field.ty.to_string(),
                    value,
                }))
            }
        }
    }
}

/// A field of a struct with its value.
struct StructField<'a> {
    name: &'a str,
    kind: String,
    value: &'a AbiValue,
}

impl Serialize for StructField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_argument(serializer, self.name, &self.kind, self.value)
    }
}

fn serialize_argument<S: Serializer>(
    serializer: S,
    name: &str,
    kind: &str,
    value: &AbiValue,
) -> Result<S::Ok, S::Error> {
    let mut argument = serializer.serialize_struct("Argument", 3)?;
    argument.serialize_field("name", name)?;
    argument.serialize_field("type", kind)?;
    argument.serialize_field("value", value)?;
    argument.end()
}
