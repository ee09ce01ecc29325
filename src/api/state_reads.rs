//! State of contracts, through the JSON-RPC that explorers offer: calls of view functions, and words of
//! storage. Both are of the newest block, or of an older one, which the node behind the explorer may no
//! longer have.

use serde_json::{Value, json};

use super::exchange::RequestText;
use super::json::{Json, scalar, type_error};
use super::json_fields::{Field, FromJson, RawObject, error_text};
use super::reply::ReplyData;
use crate::chain::{Address, B256, Bytes, U256};
use crate::http::node_errors::lacks_state;
use crate::sanitize::SafeText;

/// A call that writes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EthCall {
    pub to: Address,
    pub data: Bytes,
    /// `None` for the newest.
    pub block: Option<u64>,
}

/// A word of a contract's storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StorageRead {
    pub address: Address,
    pub slot: U256,
    /// `None` for the newest.
    pub block: Option<u64>,
}

/// Words of a contract's storage, which are read at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StorageBatch {
    pub address: Address,
    pub slots: Vec<U256>,
    /// `None` for the newest.
    pub block: Option<u64>,
}

/// An answer, or an error of the node, which may be a contract's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateResponse<T> {
    Returned(T),
    /// The node's message, and the revert data of the call.
    Failed(SafeText, Bytes),
}

/// A word of storage. Some nodes leave out its leading zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageWord(pub U256);

pub type CallResponse = StateResponse<Bytes>;
pub type StorageResponse = StateResponse<StorageWord>;

/// The words of a batch, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageWords(pub Vec<StorageResponse>);

impl ReplyData for StorageWords {}

impl ReplyData for CallResponse {}

impl ReplyData for StorageResponse {}

/// A request to the node of the explorer. The fragment of its URL, which is not sent, distinguishes it from others.
#[derive(Debug)]
pub(super) struct NodeRequest {
    pub(super) body: RequestText,
    pub(super) fragment: RequestText,
}

impl NodeRequest {
    fn new(method: &str, mut params: Vec<Value>, fragment: &str, block: Option<u64>) -> Self {
        let at = block.map(|block| format!("{block:#x}"));
        params.push(at.as_deref().unwrap_or("latest").into());
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let at = at.map(|at| format!(",{at}")).unwrap_or_default();
        Self { body: body.to_string(), fragment: format!("{method},{fragment}{at}") }
    }
}

impl From<&EthCall> for NodeRequest {
    fn from(EthCall { to, data, block }: &EthCall) -> Self {
        let call = json!({ "to": to, "data": data });
        Self::new("eth_call", vec![call], &format!("{to},{data}"), *block)
    }
}

impl From<&StorageRead> for NodeRequest {
    fn from(StorageRead { address, slot, block }: &StorageRead) -> Self {
        let slot = B256::from(*slot);
        let params = vec![json!(address), json!(slot)];
        Self::new("eth_getStorageAt", params, &format!("{address},{slot}"), *block)
    }
}

impl From<&StorageBatch> for NodeRequest {
    fn from(StorageBatch { address, slots, block }: &StorageBatch) -> Self {
        let at = block.map_or_else(|| "latest".to_owned(), |block| format!("{block:#x}"));
        let read = |(id, slot): (usize, &U256)| {
            json!({ "jsonrpc": "2.0", "id": id, "method": "eth_getStorageAt",
                "params": [address, B256::from(*slot), at] })
        };
        let body = slots.iter().enumerate().map(read).collect::<Value>().to_string();
        let digits: Vec<_> = slots.iter().map(|slot| format!("{slot:x}")).collect();
        Self { body, fragment: format!("words,{address},{},{at}", digits.join("+")) }
    }
}

impl<T> StateResponse<T> {
    /// Returns `true` if the node lacks the state of the block. A contract cannot answer this: its
    /// error has data, or the words of a revert.
    pub fn lacks_state(&self) -> bool {
        matches!(self, Self::Failed(message, data) if data.is_empty() && lacks_state(message))
    }
}

impl<T: FromJson> FromJson for StateResponse<T> {
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

impl FromJson for StorageWords {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        FromJson::from_json(json).map(Self)
    }
}

impl FromJson for StorageWord {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let text = scalar(json).unwrap_or_default();
        let digits = text.strip_prefix("0x").unwrap_or_default();
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let word = U256::from_str_radix(digits, 16).ok().filter(|_| is_hex && !digits.is_empty());
        word.map(Self).ok_or_else(|| type_error("a word in hex", json))
    }
}

/// Reads an error with its revert data.
fn failure<T>(error: Json<'_>) -> StateResponse<T> {
    let Ok(object) = RawObject::parse(error) else {
        return StateResponse::Failed(error_text(error), Bytes::new());
    };
    let inside = object.raw(&["data"]).and_then(|data| RawObject::parse(error.part(data)).ok());
    let field = inside.as_ref().unwrap_or(&object).field::<Bytes>(&["data"]);
    let data = field.value().cloned().unwrap_or_default();
    StateResponse::Failed(error_text(error), data)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn read<T: FromJson>(body: &str) -> Result<StateResponse<T>, SafeText> {
        FromJson::from_json(serde_json::from_str::<&RawValue>(body).unwrap().into())
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
        assert!(read::<Bytes>(r#"{"result":7}"#).is_err());
    }

    #[test]
    fn words_may_lack_leading_zeros() {
        let word = |result: &str| read(&format!(r#"{{"result":{result}}}"#));
        let full = format!("\"{:#066x}\"", 42);
        for text in [r#""0x2a""#, &full] {
            assert_eq!(
                word(text),
                Ok(StateResponse::Returned(StorageWord(U256::from(42)))),
                "{text}"
            );
        }
        let large = format!("\"0x1{}\"", "0".repeat(64));
        for text in
            [&large, r#""0xzz""#, r#""0x""#, r#""42""#, r#""0x_1""#, "42", "null", "[]", "{}"]
        {
            assert!(word(text).is_err(), "{text}");
        }
    }

    #[test]
    fn missing_state_is_no_answer_of_a_contract() {
        for (error, expected) in [
            (r#"{"code":-32000,"message":"missing trie node 0a1b (path ) state is gone"}"#, true),
            (r#"{"code":-32000,"message":"header not found"}"#, true),
            (r#"{"code":3,"message":"execution reverted: header not found"}"#, false),
            (r#"{"code":3,"message":"header not found","data":"0x08c379a0"}"#, false),
            (r#"{"code":-32601,"message":"Method not found"}"#, false),
        ] {
            let answer = read::<StorageWord>(&format!(r#"{{"error":{error}}}"#)).unwrap();
            assert_eq!(answer.lacks_state(), expected, "{error}");
        }
    }

    #[test]
    fn requests_name_their_block() {
        let to = Address::repeat_byte(0x11);
        let call = |block| NodeRequest::from(&EthCall { to, data: Bytes::new(), block });
        assert!(call(None).body.contains(r#","latest"]"#));
        assert!(call(Some(100)).body.contains(r#""0x64"]"#));
        assert_ne!(call(None).fragment, call(Some(100)).fragment);
        let read = StorageRead { address: to, slot: U256::from(5), block: Some(7) };
        let expected = format!(r#""params":["{to:?}","{:#066x}","0x7"]"#, 5);
        assert!(NodeRequest::from(&read).body.contains(&expected));
    }
}
