//! Objects that nodes send. A field that a node leaves out, or sends in a form that cannot be read, is
//! unknown: it never invalidates its record, and never becomes a wrong number. Only a field whose absence
//! has a meaning, such as the recipient of a creation, invalidates its record if it cannot be read.

pub mod block;
pub mod call;
pub mod receipt;
pub mod state_diff;
pub mod struct_log;
pub mod transaction;

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::node::ResponseDefect;
use crate::sanitize::SafeText;

/// Defines a record by the names of its fields on the wire. Those after `or unknown` are optional
/// and read with [`lenient`].
macro_rules! wire_object {
    (
        $(#[$attribute:meta])*
        $vis:vis struct $object:ident$(<$lifetime:lifetime>)?$(<$content:ident>)? {
            $($(#[$known_attribute:meta])* $known_vis:vis $known:ident: $known_type:ty,)*
        } or unknown {
            $($(#[$field_attribute:meta])* $field_vis:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase", expecting = "an object")]
        $vis struct $object$(<$lifetime>)?$(<$content>)? {
            $($(#[$known_attribute])* $known_vis $known: $known_type,)*
            $(
                $(#[$field_attribute])*
                #[serde(default, deserialize_with = "crate::rpc::wire::lenient")]
                $field_vis $field: Option<$type>,
            )*
        }
    };
}
pub(super) use wire_object;

/// A value that is read from a JSON string, or from a number.
pub trait FromWire: Sized {
    fn from_text(text: &str) -> Option<Self>;

    fn from_number(_: u64) -> Option<Self> {
        None
    }

    fn from_bool(_: bool) -> Option<Self> {
        None
    }
}

/// Reads a value of any JSON type. One that `T` cannot represent is unknown.
pub(super) fn lenient<'de, T, D>(json: D) -> Result<Option<T>, D::Error>
where
    T: FromWire,
    D: Deserializer<'de>,
{
    json.deserialize_any(LenientVisitor(PhantomData))
}

/// Reads a field whose absence has a meaning: one in a form that cannot be read is an error.
pub(super) fn optional<'de, T, D>(json: D) -> Result<Option<T>, D::Error>
where
    T: FromWire,
    D: Deserializer<'de>,
{
    Ok(Option::<Readable<T>>::deserialize(json)?.map(|Readable(value)| value))
}

/// A result that is a value by itself. Decoding fails if it cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readable<T>(pub T);

impl<'de, T: FromWire> Deserialize<'de> for Readable<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        lenient(json)?.map(Self).ok_or_else(|| D::Error::custom(ResponseDefect::UnreadableValue))
    }
}

struct LenientVisitor<T>(PhantomData<T>);

impl<'de, T: FromWire> Visitor<'de> for LenientVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<T>, E> {
        Ok(T::from_text(text))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Option<T>, E> {
        Ok(T::from_number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<T>, E> {
        Ok(None) // also an integer past 2^64
    }

    fn visit_bool<E>(self, value: bool) -> Result<Option<T>, E> {
        Ok(T::from_bool(value))
    }

    fn visit_unit<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<T>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Option<T>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Returns the digits of a hex quantity, which may have leading zeros.
fn hex_digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(digits)
}

impl FromWire for bool {
    fn from_text(_: &str) -> Option<Self> {
        None
    }

    fn from_bool(value: bool) -> Option<Self> {
        Some(value)
    }
}

impl FromWire for u64 {
    fn from_text(text: &str) -> Option<Self> {
        u64::from_str_radix(hex_digits(text)?, 16).ok()
    }

    fn from_number(number: u64) -> Option<Self> {
        Some(number)
    }
}

impl FromWire for U256 {
    fn from_text(text: &str) -> Option<Self> {
        let digits = hex_digits(text)?;
        // The parser takes no digits for zero.
        U256::from_str_radix(digits, 16).ok().filter(|_| !digits.is_empty())
    }

    fn from_number(number: u64) -> Option<Self> {
        Some(Self::from(number))
    }
}

impl FromWire for Address {
    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromWire for B256 {
    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromWire for Bytes {
    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromWire for SafeText {
    fn from_text(text: &str) -> Option<Self> {
        Some(Self::new(text)).filter(|text| !text.is_empty())
    }

    fn from_number(number: u64) -> Option<Self> {
        Some(Self::new(&number.to_string()))
    }
}
