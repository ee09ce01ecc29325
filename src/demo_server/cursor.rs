//! Where a page ended: the keys a client sends back to get the next one.

use alloy_primitives::{Address, B256, U256};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use super::query_params::QueryParams;

/// Filters that the cursor repeats, so that sending it back alone asks the same question.
/// `type` is not among them: the real service forgets it, and clients must send it again.
const ECHOED_FILTERS: [&str; 5] = ["filter", "token", "sort", "order", "holder_address_hash"];

/// A value of a cursor.
#[derive(Clone, Debug)]
pub(crate) enum CursorValue {
    Null,
    Number(u64),
    /// Written as a JSON number, all 78 digits of it.
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
    /// Lower case: the real service does not checksum addresses here.
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
    /// A cursor that repeats the filters of the request.
    pub(crate) fn echo(params: &QueryParams) -> Self {
        let echoed =
            ECHOED_FILTERS.iter().filter_map(|&name| Some((name, params.raw(name)?.into())));
        Self(echoed.collect())
    }

    /// The same with one more key.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, mark: impl Into<CursorValue>) -> Self {
        self.0.push((name, mark.into()));
        self
    }
}

impl Serialize for DemoCursor {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, mark) in &self.0 {
            map.serialize_entry(name, mark)?;
        }
        map.end()
    }
}
