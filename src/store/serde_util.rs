//! `serde(with)` modules for numbers, addresses and hashes, which the API writes as strings.
//!
//! The formats are the `Display` forms: decimal digits, EIP-55, and lower case hex.

use serde::{Deserialize, Deserializer};

pub mod text {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Borrows a `&str` instead of allocating a `String`: the tables have hundreds of thousands of
    /// these values, and none contains an escape.
    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        <&str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

pub mod option {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ToString::to_string).serialize(to)
    }

    pub fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<&str>::deserialize(from)?;
        text.map(str::parse).transpose().map_err(D::Error::custom)
    }
}

pub mod list {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, de::Error};

    pub fn deserialize<'de, T, D>(from: D) -> Result<Option<Vec<T>>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let Some(texts) = Option::<Vec<&str>>::deserialize(from)? else { return Ok(None) };
        let values: Result<_, _> = texts.into_iter().map(str::parse).collect();
        values.map(Some).map_err(D::Error::custom)
    }
}

pub mod time {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes microseconds, as the API does.
    pub fn serialize<S: Serializer>(value: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{value:.6}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        <&str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

pub mod time_option {
    use jiff::Timestamp;
    use serde::{Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    /// Writes microseconds, as the API does.
    pub fn serialize<S: Serializer>(value: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        value.map(|time| format!("{time:.6}")).serialize(to)
    }
}

pub mod call_kind {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::chain::call_kind::CallKind;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub fn serialize<S: Serializer>(kind: &CallKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<CallKind, D::Error> {
        Ok(CallKind::from_name(<&str>::deserialize(from)?.as_bytes()))
    }
}

/// Reads the `result` of a transaction, which is its error unless it is `success`.
pub fn failure<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<str>>, D::Error> {
    let result = Box::<str>::deserialize(from)?;
    Ok((&*result != "success").then_some(result))
}
