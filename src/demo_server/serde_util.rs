//! Numbers, addresses and hashes as the API writes them: text inside JSON.
//!
//! Decimal digits for numbers, EIP-55 for addresses, lower case for hashes: each is what the
//! type's own `Display` writes, so two `serde(with)` modules serve them all.

/// A value that is always there.
pub(crate) mod text {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Reads `&str`, not `String`: none of these values holds an escape, and the tables have
    /// hundreds of thousands of them.
    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        <&str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A value that may be null.
pub(crate) mod option {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ToString::to_string).serialize(to)
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<&str>::deserialize(from)?;
        text.map(str::parse).transpose().map_err(D::Error::custom)
    }
}

/// A list of values that may be null.
pub(crate) mod list {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, de::Error};

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Option<Vec<T>>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let Some(texts) = Option::<Vec<&str>>::deserialize(from)? else { return Ok(None) };
        let values: Result<_, _> = texts.into_iter().map(str::parse).collect();
        values.map(Some).map_err(D::Error::custom)
    }
}
