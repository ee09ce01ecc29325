//! Page cursors: the keys that a client sends back to get the next page.

use alloy_primitives::U256;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::{RawValue, Value};

use super::query_params::QueryParams;

/// Filters that the cursor repeats, so that the cursor alone continues the same list.
/// `type` is not among them: Blockscout leaves it out, and clients must send it again.
const ECHOED_FILTERS: [&str; 5] = ["filter", "token", "sort", "order", "holder_address_hash"];

#[derive(Clone, Debug)]
pub(crate) enum CursorValue {
    Json(Value),
    /// A JSON number of up to 78 digits, which [`Value`] cannot hold.
    BigNumber(U256),
}

impl<T: Into<Value>> From<T> for CursorValue {
    fn from(value: T) -> Self {
        Self::Json(value.into())
    }
}

impl Serialize for CursorValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(to),
            Self::BigNumber(number) => RawValue::from_string(number.to_string())
                .map_err(serde::ser::Error::custom)?
                .serialize(to),
        }
    }
}

/// The `next_page_params` of a page.
#[derive(Clone, Debug)]
pub(crate) struct NextPageParams(Vec<(&'static str, CursorValue)>);

impl NextPageParams {
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

impl Serialize for NextPageParams {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
