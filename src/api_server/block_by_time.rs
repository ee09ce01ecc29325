//! The block of a time, by the older API of explorers: parameters name a module and its action, and
//! every answer to a known action has status 200.

use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::error::ApiServerError;
use crate::store::{ServedChain, StoreError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closest {
    Before,
    After,
}

#[derive(Debug)]
pub(super) struct BlockRequest {
    time: Timestamp,
    closest: Closest,
}

impl BlockRequest {
    /// Parses a query string, or returns the response to a wrong one.
    pub(super) fn parse(query: &str) -> Result<Self, (StatusCode, Value)> {
        Self::read(query).map_err(|(status, why)| {
            (status, json!({ "message": why, "result": null, "status": "0" }))
        })
    }

    fn read(query: &str) -> Result<Self, (StatusCode, &'static str)> {
        let param = |name: &str| {
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find(|(known, _)| known == name).map(|(_, value)| value)
        };
        let (bad, ok) = (StatusCode::BAD_REQUEST, StatusCode::OK);
        match (param("module").as_deref(), param("action").as_deref()) {
            (Some("block"), Some("getblocknobytime")) => {}
            (Some("block"), Some(_)) => return Err((bad, "Unknown action")),
            (Some(_), Some(_)) => return Err((bad, "Unknown module")),
            _ => return Err((bad, "Params 'module' and 'action' are required parameters")),
        }
        let text = param("timestamp").ok_or((ok, "Query parameter 'timestamp' is required"))?;
        let closest = param("closest").ok_or((ok, "Query parameter 'closest' is required"))?;
        let time = text
            .parse()
            .ok()
            .and_then(|time| Timestamp::from_second(time).ok())
            .ok_or((ok, "Invalid `timestamp` param"))?;
        let closest = match &*closest {
            "before" => Closest::Before,
            "after" => Closest::After,
            _ => return Err((ok, "Invalid `closest` param")),
        };
        Ok(Self { time, closest })
    }

    /// Returns the response. Blockscout's number may be one that no block has: -1 is before the first,
    /// and the number after the last one's is in the future.
    pub(super) fn respond(
        &self,
        chain: &dyn ServedChain,
        is_awaited: &dyn Fn() -> bool,
    ) -> Result<Value, ApiServerError> {
        let until = |time| chain.block_until(time, is_awaited);
        let number = match self.closest {
            Closest::Before => {
                until(self.time)?.map_or("-1".to_owned(), |number| number.to_string())
            }
            Closest::After => {
                let earlier = self.time.checked_sub(SignedDuration::from_secs(1)).ok();
                let older = earlier.map_or(Ok::<_, StoreError>(None), until)?;
                older.map_or(0, |number| number + 1).to_string()
            }
        };
        Ok(json!({ "message": "OK", "result": { "blockNumber": number }, "status": "1" }))
    }
}
