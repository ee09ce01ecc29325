//! The response to one or more requests, which it names by id.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::error::{RpcError, clean};
use crate::chain;
use crate::chain::node_url::NodeUrl;
use crate::sanitize::SafeText;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const PAYLOAD_TOO_LARGE: u16 = 413;
const TOO_MANY_REQUESTS: u16 = 429;

/// A node's response over HTTP.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The content type and the server's software.
    pub(super) content: SafeText,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Bytes,
    pub(super) url: NodeUrl,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct ErrorObject<'a> {
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// Reads a value that may be `null`, unlike a missing one.
fn present<'de, D: Deserializer<'de>>(json: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(json).map(Some)
}

/// Reads the data of an error, which Hardhat puts into an object.
fn revert_data(json: &RawValue) -> Option<chain::Bytes> {
    #[derive(Deserialize)]
    struct Nested {
        data: chain::Bytes,
    }
    serde_json::from_str(json.get())
        .ok()
        .or_else(|| serde_json::from_str::<Nested>(json.get()).ok().map(|nested| nested.data))
}

impl Answer {
    /// Returns the results of the requests with the ids from 1 to `count`, in this order. Fails if
    /// none was answered.
    pub(super) fn results(
        &self,
        count: usize,
    ) -> Result<Vec<Result<&RawValue, RpcError>>, RpcError> {
        let body = self.body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.body);
        if let Ok(entries) = serde_json::from_slice::<Vec<&RawValue>>(body) {
            let entries = entries.iter().filter_map(|json| serde_json::from_str(json.get()).ok());
            return Ok(self.match_entries(entries, count));
        }
        match serde_json::from_slice::<Entry<'_>>(body) {
            Ok(Entry { error: Some(error), .. }) => Err(self.error(error)),
            Ok(entry @ Entry { result: Some(_), .. }) => Ok(self.match_entries([entry], count)),
            _ => Err(self.http_error()),
        }
    }

    /// Takes the first entry of each id. A request without any gets the error that is for all.
    fn match_entries<'a>(
        &self,
        entries: impl IntoIterator<Item = Entry<'a>>,
        count: usize,
    ) -> Vec<Result<&'a RawValue, RpcError>> {
        let mut results = vec![None; count];
        let mut refusal = None;
        for entry in entries {
            let result = match (entry.error, entry.result) {
                (Some(error), _) => Err(self.error(error)),
                (None, result) => result.ok_or(RpcError::Unanswered),
            };
            // Geth refuses a batch that is too large in its first entry, and leaves out the rest.
            if let Err(error @ (RpcError::TooLarge { .. } | RpcError::RateLimited { .. })) = &result
            {
                refusal.get_or_insert_with(|| error.clone());
            }
            match entry.id {
                None => refusal = refusal.or(result.err()),
                Some(id) => {
                    let place = index_from_id(id).and_then(|index| results.get_mut(index));
                    if let Some(place @ None) = place {
                        *place = Some(result);
                    }
                }
            }
        }
        let for_all = refusal.unwrap_or(RpcError::Unanswered);
        results.into_iter().map(|result| result.unwrap_or_else(|| Err(for_all.clone()))).collect()
    }

    fn error(&self, json: &RawValue) -> RpcError {
        let error = serde_json::from_str::<ErrorObject<'_>>(json.get());
        let (sent_code, message, data) = match error {
            Ok(ErrorObject { code, message, data }) => {
                (code, message.map(text).unwrap_or_default(), data.and_then(revert_data))
            }
            Err(_) => (None, text(json), None),
        };
        let is_http_error = self.status >= 400;
        let code = sent_code
            .and_then(|code| code.get().parse().ok())
            .or(is_http_error.then_some(self.status.into()));
        match RpcError::from_node(code, &message, &self.url) {
            RpcError::RateLimited { address, .. } => {
                RpcError::RateLimited { address, retry_after: self.retry_after }
            }
            RpcError::Other { address, code, message, .. } => {
                self.limit_error().unwrap_or(RpcError::Other { address, code, message, data })
            }
            error => error,
        }
    }

    /// Returns the error of a response that is not JSON-RPC.
    fn http_error(&self) -> RpcError {
        let (address, what) = (self.url.shown_address(), clean(&self.content, &self.url));
        let not_json_rpc = RpcError::NotJsonRpc { address, status: self.status, what };
        self.limit_error().unwrap_or(not_json_rpc)
    }

    fn limit_error(&self) -> Option<RpcError> {
        let address = self.url.shown_address();
        match self.status {
            TOO_MANY_REQUESTS => {
                Some(RpcError::RateLimited { address, retry_after: self.retry_after })
            }
            PAYLOAD_TOO_LARGE => Some(RpcError::TooLarge { address, why: "HTTP 413".into() }),
            _ => None,
        }
    }
}

/// Returns the index of the request with an id, which some servers return as a string.
fn index_from_id(id: &RawValue) -> Option<usize> {
    id.get().trim_matches('"').parse::<usize>().ok()?.checked_sub(1)
}

/// Returns a JSON string's text, or the JSON of another value.
fn text(json: &RawValue) -> String {
    serde_json::from_str(json.get()).unwrap_or_else(|_| json.get().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    proptest! {
        /// The result of a request is its id, and an id that comes again has a result of 0.
        #[test]
        fn results_are_those_of_their_ids(
            ids in prop::collection::vec(0_usize..12, 0..20),
            as_text: bool,
            count in 1_usize..9,
        ) {
            let mark = if as_text { "\"" } else { "" };
            let entry = |(n, id): (usize, &usize)| {
                let is_first = !ids[..n].contains(id);
                format!(r#"{{"result":{},"id":{mark}{id}{mark}}}"#, if is_first { *id } else { 0 })
            };
            let entries: Vec<String> = ids.iter().enumerate().map(entry).collect();
            let url = Url::parse("http://localhost").unwrap().try_into().unwrap();
            let body = format!("[{}]", entries.join(",")).into();
            let content = SafeText::default();
            let answer = Answer { status: 200, content, retry_after: None, body, url };
            let results = answer.results(count).unwrap();
            prop_assert_eq!(results.len(), count);
            for (id, result) in (1..).zip(results) {
                let expected = if ids.contains(&id) { Ok(id) } else { Err(RpcError::Unanswered) };
                prop_assert_eq!(result.map(|json| json.get().parse().unwrap()), expected);
            }
        }
    }
}
