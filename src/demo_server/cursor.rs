//! Where a page ended: the keys a client sends back to get the next one.

use alloy_primitives::{Address, B256, U256};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use super::query_params::Params;

/// Filters that the cursor repeats, so that sending it back alone asks the same question.
/// `type` is not among them: the real service forgets it, and clients must send it again.
const ECHOED: [&str; 5] = ["filter", "token", "sort", "order", "holder_address_hash"];

/// A value of a cursor.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    Null,
    Number(u64),
    /// Written as a JSON number, all 78 digits of it.
    Huge(U256),
    Text(String),
}

impl From<u32> for Mark {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Mark {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Mark {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<B256> for Mark {
    fn from(hash: B256) -> Self {
        Self::Text(hash.to_string())
    }
}

impl From<Address> for Mark {
    /// Lower case: the real service does not checksum addresses here.
    fn from(address: Address) -> Self {
        Self::Text(format!("{address:#x}"))
    }
}

impl From<&str> for Mark {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Mark>> From<Option<T>> for Mark {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Number(number) => to.serialize_u64(*number),
            Self::Huge(number) => RawValue::from_string(number.to_string())
                .map_err(serde::ser::Error::custom)?
                .serialize(to),
            Self::Text(text) => to.serialize_str(text),
        }
    }
}

/// The `next_page_params` of a page.
#[derive(Clone, Debug)]
pub(crate) struct Cursor(Vec<(&'static str, Mark)>);

impl Cursor {
    /// A cursor that repeats the filters of the request.
    pub(crate) fn echo(params: &Params) -> Self {
        let echoed = ECHOED.iter().filter_map(|&name| Some((name, params.text(name)?.into())));
        Self(echoed.collect())
    }

    /// The same with one more key.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, mark: impl Into<Mark>) -> Self {
        self.0.push((name, mark.into()));
        self
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, mark) in &self.0 {
            map.serialize_entry(name, mark)?;
        }
        map.end()
    }
}
