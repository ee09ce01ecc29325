//! Page cursors: the keys that a client sends back to get the next page.

use alloy_primitives::{Address, B256, U256};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use super::query_params::QueryParams;

/// Filters that the cursor repeats, so that the cursor alone continues the same list.
/// `type` is not among them: Blockscout leaves it out, and clients must send it again.
const ECHOED_FILTERS: [&str; 5] = ["filter", "token", "sort", "order", "holder_address_hash"];

#[derive(Clone, Debug)]
pub(crate) enum CursorValue {
    Null,
    Number(u64),
    /// Serialized as a JSON number of up to 78 digits.
    BigNumber(U256),
    Text(String),
}

impl From<u32> for CursorValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for CursorValue {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for CursorValue {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<B256> for CursorValue {
    fn from(hash: B256) -> Self {
        Self::Text(hash.to_string())
    }
}

impl From<Address> for CursorValue {
    /// Formats in lower case: Blockscout does not checksum addresses here.
    fn from(address: Address) -> Self {
        Self::Text(format!("{address:#x}"))
    }
}

impl From<&str> for CursorValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<CursorValue>> From<Option<T>> for CursorValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Serialize for CursorValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Number(number) => to.serialize_u64(*number),
            Self::BigNumber(number) => RawValue::from_string(number.to_string())
                .map_err(serde::ser::Error::custom)?
                .serialize(to),
            Self::Text(text) => to.serialize_str(text),
        }
    }
}

/// The `next_page_params` of a page.
#[derive(Clone, Debug)]
pub(crate) struct DemoCursor(Vec<(&'static str, CursorValue)>);

impl DemoCursor {
    /// Creates a cursor that repeats the filters of the request.
    pub(crate) fn echo(params: &QueryParams) -> Self {
        let echoed =
            ECHOED_FILTERS.iter().filter_map(|&name| Some((name, params.raw(name)?.into())));
        Self(echoed.collect())
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<CursorValue>) -> Self {
        self.0.push((name, value.into()));
        self
    }
}

impl Serialize for DemoCursor {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
