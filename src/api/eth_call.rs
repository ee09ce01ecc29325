//! Calls of view functions, through the JSON-RPC that explorers offer.

use serde_json::json;

use super::json::{Json, scalar, type_error};
use super::json_fields::{Field, FromJson, RawObject};
use super::reply::ReplyData;
use crate::chain::{Address, Bytes};
use crate::messages::explorer::NO_REASON;
use crate::sanitize::SafeText;

/// A call that writes nothing, as of the newest block.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EthCall {
    pub to: Address,
    pub data: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResponse {
    Returned(Bytes),
    /// The node's message, and the revert data of the call.
    Failed(SafeText, Bytes),
}

impl ReplyData for CallResponse {}

impl EthCall {
    /// Returns the request's body.
    #[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
    pub(super) fn body(&self) -> String {
        let params = json!([{ "to": self.to, "data": self.data }, "latest"]);
        json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": params }).to_string()
    }

    /// Returns the part of a URL that distinguishes calls, which is not sent.
    #[expect(clippy::disallowed_types, reason = "part of a URL")]
    pub(super) fn fragment(&self) -> String {
        format!("eth_call,{},{}", self.to, self.data)
    }
}

impl FromJson for CallResponse {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let response = RawObject::parse(json)?;
        if let Some(error) = response.raw(&["error"]) {
            return Ok(failure(json.part(error)));
        }
        match response.field(&["result"]) {
            Field::Present(result) => Ok(Self::Returned(result)),
            Field::Absent => Err(type_error("a result or an error", json)),
            Field::Invalid(why) => Err(why),
        }
    }
}

/// Reads an error, which is an object or a sentence.
fn failure(error: Json<'_>) -> CallResponse {
    let Ok(object) = RawObject::parse(error) else {
        let text = scalar(error).unwrap_or_default();
        return CallResponse::Failed(SafeText::bounded(&text, MAX_MESSAGE_CHARS), Bytes::new());
    };
    let message = object.field::<SafeText>(&["message"]);
    let message = message.value().map_or(NO_REASON, |message| &**message);
    let inside = object.raw(&["data"]).and_then(|data| RawObject::parse(error.part(data)).ok());
    let data = inside.as_ref().unwrap_or(&object).field::<Bytes>(&["data"]);
    let data = data.value().cloned().unwrap_or_default();
    CallResponse::Failed(SafeText::bounded(message, MAX_MESSAGE_CHARS), data)
}

const MAX_MESSAGE_CHARS: usize = 300;

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn read(body: &str) -> Result<CallResponse, SafeText> {
        CallResponse::from_json(serde_json::from_str::<&RawValue>(body).unwrap().into())
    }

    #[test]
    fn results_and_errors_of_many_servers_are_read() {
        let failed = |message: &str, data: &'static [u8]| {
            Ok(CallResponse::Failed(message.into(), Bytes::from_static(data)))
        };
        for (body, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":"0x01"}"#, Ok(CallResponse::Returned([1].into()))),
            (r#"{"result":"0x","error":null}"#, Ok(CallResponse::Returned(Bytes::new()))),
            (r#"{"error":"Method not found"}"#, failed("Method not found", &[])),
            (
                r#"{"error":{"code":3,"message":"reverted","data":"0x0102"}}"#,
                failed("reverted", &[1, 2]),
            ),
            (
                r#"{"error":{"data":{"message":"x","data":"0x03"}}}"#,
                failed("no reason given", &[3]),
            ),
            (r#"{"error":{"message":"a\u001b[31m\u202e","data":7}}"#, failed("a␛[31m␦", &[])),
            (r#"{"error":[]}"#, failed("", &[])),
            (r#"{"id":1}"#, Err("expected a result or an error, found {\"id\":1}".into())),
        ] {
            assert_eq!(read(body), expected, "{body}");
        }
        assert!(read(r#"{"result":7}"#).is_err());
    }
}
