//! JSON-RPC as explorers offer it: `eth_call` at the newest block, and nothing that writes.

use alloy_primitives::{Address, Bytes};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::messages::chain_data::CallRequestError;
use crate::store::{CallFailure, ServedChain};

const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const SERVER_ERROR: i64 = -32000;
const REVERTED: i64 = 3;

#[derive(Deserialize)]
struct RpcCallRequest {
    #[serde(default)]
    id: Value,
    method: String,
    #[serde(default)]
    params: Vec<Value>,
}

#[derive(Deserialize)]
struct CallObject {
    to: Address,
    #[serde(alias = "input")]
    data: Bytes,
}

/// Answers a request.
pub(super) fn respond(chain: &dyn ServedChain, body: &[u8]) -> Value {
    let request = serde_json::from_slice::<RpcCallRequest>(body);
    let (id, answer) = match request {
        Err(error) => (Value::Null, Err((INVALID_PARAMS, error.to_string(), None))),
        Ok(request) => (request.id.clone(), answer(chain, request)),
    };
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message, data)) => {
            let error = json!({ "code": code, "message": message, "data": data });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

fn answer(
    chain: &dyn ServedChain,
    request: RpcCallRequest,
) -> Result<Bytes, (i64, String, Option<Bytes>)> {
    if request.method != "eth_call" {
        let error = CallRequestError::Method(request.method.into());
        return Err((METHOD_NOT_FOUND, error.to_string(), None));
    }
    let mut params = request.params.into_iter();
    let call = params.next().unwrap_or_default();
    let call: CallObject =
        serde_json::from_value(call).map_err(|error| (INVALID_PARAMS, error.to_string(), None))?;
    if params.next().is_some_and(|block| block != "latest") {
        return Err((INVALID_PARAMS, CallRequestError::Block.to_string(), None));
    }
    let outcome = chain.call(call.to, &call.data);
    let outcome = outcome.map_err(|error| (SERVER_ERROR, error.to_string(), None))?;
    outcome.map_err(|CallFailure { message, data }| (REVERTED, message.into(), data))
}
