//! Scripted JSON-RPC nodes.

use chainglass::test_api::rpc::RpcClient;
use serde_json::Value;

use crate::fake_server::{Behavior, FakeServer, fake_server, json as json_response};

/// A node that answers each request, also in batches, with an object that has `result` or `error`.
pub(crate) fn node_with(
    answer: impl Fn(&str, &Value) -> Value + Send + Sync + 'static,
) -> FakeServer {
    fake_server(move |request, _| {
        let answer_one = |request: &Value| {
            let mut response = answer(request["method"].as_str().unwrap(), &request["params"]);
            response["jsonrpc"] = "2.0".into();
            response["id"] = request["id"].clone();
            response
        };
        let request: Value = serde_json::from_slice(&request.body).unwrap();
        let response = match request.as_array() {
            Some(batch) => batch.iter().map(answer_one).collect(),
            None => answer_one(&request),
        };
        json_response(200, response.to_string())
    })
}

pub(crate) fn client(server: &FakeServer) -> RpcClient {
    RpcClient::new(server.base().try_into().unwrap()).unwrap()
}

/// A response to the first request.
pub(crate) fn answer(member: &str) -> Behavior {
    json_response(200, format!(r#"{{"jsonrpc":"2.0","id":1,{member}}}"#))
}
