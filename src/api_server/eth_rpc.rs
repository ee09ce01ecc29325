//! JSON-RPC as explorers offer it: state of contracts after a block, logs, and nothing that writes. Like
//! Blockscout, it refuses parameters with a sentence for an error.

use alloy_primitives::{Address, Bytes, U256};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::eth_logs;
use crate::messages::chain_data::{CallRequestError, LogFilterError};
use crate::store::{CallFailure, ServedChain, StoreError, StoreResult};

const SERVER_ERROR: i64 = -32000;
const REVERTED: i64 = 3;
/// Maximum requests of a batch.
const MAX_BATCH_REQUESTS: usize = 256;

#[derive(Deserialize)]
struct RpcCallRequest {
    #[serde(default)]
    id: Value,
    method: String,
    #[serde(default)]
    params: Vec<Value>,
}

/// An error of a request, or of its execution.
#[derive(Serialize)]
#[serde(untagged)]
enum RpcCallError {
    Request(String),
    Execution {
        code: i64,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Bytes>,
    },
}

impl From<CallRequestError> for RpcCallError {
    fn from(error: CallRequestError) -> Self {
        Self::Request(error.to_string())
    }
}

impl From<LogFilterError> for RpcCallError {
    fn from(error: LogFilterError) -> Self {
        Self::Request(error.to_string())
    }
}

impl From<StoreError> for RpcCallError {
    fn from(error: StoreError) -> Self {
        Self::Execution { code: SERVER_ERROR, message: error.to_string(), data: None }
    }
}

impl From<CallFailure> for RpcCallError {
    fn from(CallFailure { message, data }: CallFailure) -> Self {
        Self::Execution { code: REVERTED, message: message.into(), data }
    }
}

/// Answers a request, or a batch of them.
pub(super) fn respond(chain: &dyn ServedChain, body: &[u8]) -> Value {
    if let Ok(requests) = serde_json::from_slice::<Vec<RpcCallRequest>>(body) {
        return respond_to_batch(chain, requests);
    }
    match serde_json::from_slice::<RpcCallRequest>(body) {
        Err(error) => response(Value::Null, Err(RpcCallError::Request(error.to_string()))),
        Ok(request) => response(request.id, answer(chain, request.method, &request.params)),
    }
}

fn response(id: Value, answer: Result<Value, RpcCallError>) -> Value {
    match answer {
        Ok(mut answer) => {
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = id;
            answer
        }
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

/// Answers each request of a batch. Words of one contract after one block are read at once.
fn respond_to_batch(chain: &dyn ServedChain, requests: Vec<RpcCallRequest>) -> Value {
    if requests.len() > MAX_BATCH_REQUESTS {
        return response(Value::Null, Err(CallRequestError::BatchTooLarge.into()));
    }
    let reads: Option<Vec<WordRead>> = requests.iter().map(word_read).collect();
    let words = reads.and_then(|reads| words_of_one_contract(chain, &reads));
    let answers: Vec<Value> = match words {
        Some(Ok(words)) => requests
            .into_iter()
            .zip(words)
            .map(|(request, word)| response(request.id, Ok(returned_word(word))))
            .collect(),
        Some(Err(why)) => requests
            .into_iter()
            .map(|request| response(request.id, Err(why.clone().into())))
            .collect(),
        None => requests
            .into_iter()
            .map(|request| response(request.id, answer(chain, request.method, &request.params)))
            .collect(),
    };
    answers.into()
}

/// Reads the words of one contract after one block.
fn words_of_one_contract(
    chain: &dyn ServedChain,
    reads: &[WordRead],
) -> Option<StoreResult<Vec<U256>>> {
    let (address, _, block) = *reads.first()?;
    let slot = |read: &WordRead| ((read.0, read.2) == (address, block)).then_some(read.1);
    let slots: Vec<U256> = reads.iter().map(slot).collect::<Option<_>>()?;
    Some(chain.storage_words(address, &slots, block))
}

/// A contract, a slot and a block.
type WordRead = (Address, U256, Option<u64>);

fn word_read(request: &RpcCallRequest) -> Option<WordRead> {
    let [address, slot, block] = &request.params[..] else { return None };
    let is_read = request.method == "eth_getStorageAt";
    is_read.then_some((parsed(address)?, integer(slot)?, block_number(block).ok()?))
}

fn returned_word(word: U256) -> Value {
    json!({ "result": Bytes::from(word.to_be_bytes::<32>()) })
}

/// Returns an object with the result.
fn answer(
    chain: &dyn ServedChain,
    method: String,
    params: &[Value],
) -> Result<Value, RpcCallError> {
    let returned = |bytes: Bytes| json!({ "result": bytes });
    match (&*method, params) {
        ("eth_call", [call, block]) => {
            let (to, data) = called(call)?;
            Ok(returned(chain.call(to, &data, block_number(block)?)??))
        }
        ("eth_getStorageAt", [address, slot, block]) => {
            let address = parsed(address).ok_or(CallRequestError::Address)?;
            let slot = integer(slot).ok_or(CallRequestError::Integer)?;
            Ok(returned_word(chain.storage_at(address, slot, block_number(block)?)?))
        }
        ("eth_getLogs", [filter]) => {
            let filter = eth_logs::read_filter(filter)?;
            Ok(json!(eth_logs::list(chain, &filter)?))
        }
        ("eth_call" | "eth_getLogs" | "eth_getStorageAt", _) => {
            Err(CallRequestError::ParameterCount.into())
        }
        _ => Err(CallRequestError::Method(method.into()).into()),
    }
}

/// Returns the address that a call is to, and its data.
fn called(call: &Value) -> Result<(Address, Bytes), CallRequestError> {
    let to = call.get("to").ok_or(CallRequestError::MissingTo)?;
    let to = parsed(to).ok_or(CallRequestError::To)?;
    let input = call.get("input").or_else(|| call.get("data"));
    let data = input.map_or(Some(Bytes::new()), parsed).ok_or(CallRequestError::Input)?;
    Ok((to, data))
}

/// Returns the number of a block, or `None` for the newest.
fn block_number(block: &Value) -> Result<Option<u64>, CallRequestError> {
    match block.as_str() {
        Some("latest") => Ok(None),
        Some("earliest") => Ok(Some(0)),
        Some("pending") => Err(CallRequestError::Pending),
        _ => {
            let number = integer(block).and_then(|number| number.try_into().ok());
            number.map(Some).ok_or(CallRequestError::Block)
        }
    }
}

/// Parses hex digits after `0x`.
fn integer(value: &Value) -> Option<U256> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    U256::from_str_radix(digits, 16).ok().filter(|_| is_hex && !digits.is_empty())
}

fn parsed<T: std::str::FromStr>(value: &Value) -> Option<T> {
    value.as_str().filter(|text| text.starts_with("0x"))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_hex_numbers_or_tags() {
        for (block, expected) in [
            (json!("latest"), Ok(None)),
            (json!("earliest"), Ok(Some(0))),
            (json!("0x64"), Ok(Some(100))),
            (json!("pending"), Err(CallRequestError::Pending)),
            (json!("100"), Err(CallRequestError::Block)),
            (json!(100), Err(CallRequestError::Block)),
            (json!("0x"), Err(CallRequestError::Block)),
            (json!("0x_1"), Err(CallRequestError::Block)),
            (json!("0x10000000000000000"), Err(CallRequestError::Block)),
            (json!(null), Err(CallRequestError::Block)),
        ] {
            assert_eq!(block_number(&block), expected, "{block}");
        }
    }

    #[test]
    fn calls_name_their_target_and_data() {
        let to = Address::repeat_byte(0x11);
        for (call, expected) in [
            (json!({ "to": to, "data": "0x01" }), Ok((to, [1].into()))),
            (json!({ "to": to, "input": "0x02", "data": "0x01" }), Ok((to, [2].into()))),
            (json!({ "to": to }), Ok((to, Bytes::new()))),
            (json!({ "data": "0x01" }), Err(CallRequestError::MissingTo)),
            (json!("0x01"), Err(CallRequestError::MissingTo)),
            (json!({ "to": "0x01" }), Err(CallRequestError::To)),
            (json!({ "to": to, "data": "0x1" }), Err(CallRequestError::Input)),
        ] {
            assert_eq!(called(&call), expected, "{call}");
        }
    }
}
