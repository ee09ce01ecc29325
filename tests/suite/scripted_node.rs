//! JSON-RPC nodes: scripted ones, and real ones as they were recorded.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::LazyLock;

use chainglass::test_api::rpc::{RpcBlock, RpcClient, RpcRequest, RpcTransaction};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::architecture::root;
use crate::fake_server::{Behavior, FakeServer, fake_host, json as json_response};

/// The nodes whose answers about the small world of `tests/nodes` are recorded.
pub(crate) const NODES: [&str; 4] = ["anvil", "hardhat3", "hardhat2", "ganache"];

#[derive(Deserialize)]
struct RecordedCall {
    method: String,
    params: Value,
    result: Option<Value>,
    error: Option<Value>,
}

/// The recorded responses of a node, without ids, by request.
type Recording = HashMap<(String, String), Value>;

static RECORDINGS: LazyLock<[Recording; 4]> = LazyLock::new(|| NODES.map(read_recording));

/// The lines of a file of `tests/data/node`.
pub(crate) fn read_lines<T: DeserializeOwned>(name: &str) -> impl Iterator<Item = T> {
    let path = root().join(format!("tests/data/node/{name}.jsonl.gz"));
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn read_recording(node: &str) -> Recording {
    let read = |RecordedCall { method, params, result, error }| {
        let response = error.map_or(json!({ "result": result }), |error| json!({ "error": error }));
        ((method, params.to_string()), response)
    };
    read_lines(node).map(read).collect()
}

/// The recorded response to a request, with `result` or `error`.
pub(crate) fn recorded_response(node: &str, request: &RpcRequest) -> Option<&'static Value> {
    let index = NODES.iter().position(|name| *name == node).unwrap();
    RECORDINGS[index].get(&(request.method.to_owned(), request.params.to_string()))
}

/// The recorded result of a request.
pub(crate) fn recorded<T: DeserializeOwned>(node: &str, request: &RpcRequest) -> T {
    let response = recorded_response(node, request).unwrap_or_else(|| panic!("{request:?}"));
    serde_json::from_str(&response["result"].to_string())
        .unwrap_or_else(|error| panic!("{node} {request:?}: {error}"))
}

pub(crate) fn recorded_block(node: &str, number: u64) -> RpcBlock<RpcTransaction> {
    let params = json!([format!("{number:#x}"), true]);
    recorded(node, &RpcRequest::new("eth_getBlockByNumber", params))
}

/// A node that answers what was recorded, and `null` to anything else.
pub(crate) fn recorded_node(node: &'static str) -> FakeServer {
    node_with(move |method, params| recorded_answer(node, method, params))
}

/// The newest block of the small world.
const RECORDED_HEAD: u64 = 23;

/// Names a call at the head as it was recorded: at `latest`, and without the limit of its gas.
pub(crate) fn name_call_as_recorded(method: &str, params: &mut Value, head: u64) {
    if method == "eth_call" {
        params[0].as_object_mut().unwrap().remove("gas");
        if params[1] == format!("{head:#x}") {
            params[1] = "latest".into();
        }
    }
}

/// The answer of [`recorded_node`].
pub(crate) fn recorded_answer(node: &str, method: &str, params: &Value) -> Value {
    let index = NODES.iter().position(|name| *name == node).unwrap();
    let mut params = params.clone();
    // The answer to other options of struct logs is larger or smaller, but not another.
    if method == "debug_traceTransaction" && params[1]["tracer"].is_null() {
        params[1] = json!({ "disableStorage": true, "enableMemory": true });
    }
    // Code does not change.
    if method == "eth_getCode" {
        params[1] = "latest".into();
    }
    name_call_as_recorded(method, &mut params, RECORDED_HEAD);
    // Blocks are recorded whole.
    let hashes_only = method == "eth_getBlockByNumber" && params[1] == false;
    if hashes_only {
        params[1] = true.into();
    }
    let response = RECORDINGS[index].get(&(method.to_owned(), params.to_string()));
    let mut response = response.cloned().unwrap_or_else(|| json!({ "result": null }));
    let transactions = response.pointer_mut("/result/transactions").filter(|_| hashes_only);
    for transaction in transactions.and_then(Value::as_array_mut).into_iter().flatten() {
        *transaction = transaction["hash"].take();
    }
    response
}

/// A node that answers each request, also in batches, with an object that has `result` or `error`.
pub(crate) fn node_with(
    answer: impl Fn(&str, &Value) -> Value + Send + Sync + 'static,
) -> FakeServer {
    fake_host(move |request, _| json_response(200, respond(&request.body, &answer)))
}

/// The response to a request or a batch. To anything else it is Hardhat's.
pub(crate) fn respond(body: &[u8], answer: impl Fn(&str, &Value) -> Value) -> String {
    let answer_one = |request: &Value| {
        let mut response = answer(request["method"].as_str().unwrap(), &request["params"]);
        response["jsonrpc"] = "2.0".into();
        response["id"] = request["id"].clone();
        response
    };
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        let error = json!({ "code": -32700, "message": "Parse error" });
        return json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    };
    let response = match request.as_array() {
        Some(batch) => batch.iter().map(answer_one).collect(),
        None => answer_one(&request),
    };
    response.to_string()
}

/// A client of a node that is simulated without a network, so that time can be paused.
pub(crate) fn simulated_client(
    answer: impl Fn(&str, &Value) -> Value + Send + Sync + 'static,
) -> RpcClient {
    let nowhere: url::Url = "http://127.0.0.1:1".parse().unwrap();
    let client = RpcClient::new(nowhere.try_into().unwrap()).unwrap();
    client.simulated(move |body| respond(body, &answer).into_bytes())
}

pub(crate) fn client(server: &FakeServer) -> RpcClient {
    RpcClient::new(server.base().try_into().unwrap()).unwrap()
}

/// A response to the first request.
pub(crate) fn answer(member: &str) -> Behavior {
    json_response(200, format!(r#"{{"jsonrpc":"2.0","id":1,{member}}}"#))
}
