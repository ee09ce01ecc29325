//! The JSON-RPC client against misbehaving nodes.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chainglass::test_api::chain::{NodeUrl, TxHash};
use chainglass::test_api::http::TransportConfig;
use chainglass::test_api::rpc::{RpcClient, RpcError, RpcRequest};
use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;

use crate::fake_server::{
    Behavior, ClosedPort, FakeServer, Request, fake_host, fake_server, json as json_response,
    response_head, scripted, with_type,
};
use crate::fault_cases::{Expected, transport_faults};
use crate::scripted_node::{answer, client, node_with};

async fn chain_id(server: &FakeServer) -> Result<u64, RpcError> {
    client(server).quantity("eth_chainId", json!([])).await
}

async fn chain_id_from(behavior: Behavior) -> Result<u64, RpcError> {
    chain_id(&scripted([behavior])).await
}

/// The results of a batch of this many requests, as text.
async fn batch_from(
    behavior: Behavior,
    count: usize,
) -> Result<Vec<Result<String, RpcError>>, RpcError> {
    batch(&scripted([behavior]), count).await
}

async fn batch(
    server: &FakeServer,
    count: usize,
) -> Result<Vec<Result<String, RpcError>>, RpcError> {
    let requests = vec![RpcRequest::new("eth_chainId", json!([])); count];
    let results = client(server).batch(&requests).await?;
    Ok(results.into_iter().map(|result| result.map(|json| json.get().to_owned())).collect())
}

/// Replaces the address of a fake node, whose port differs from run to run.
fn without_port(error: RpcError) -> RpcError {
    let address = "127.0.0.1".into();
    match error {
        RpcError::TooLarge { why, .. } => RpcError::TooLarge { address, why },
        RpcError::Pruned { why, .. } => RpcError::Pruned { address, why },
        RpcError::RateLimited { retry_after, .. } => RpcError::RateLimited { address, retry_after },
        RpcError::Other { code, message, data, .. } => {
            RpcError::Other { address, code, message, data }
        }
        error => error,
    }
}

fn too_large(why: &str) -> RpcError {
    RpcError::TooLarge { address: "127.0.0.1".into(), why: why.into() }
}

fn rate_limited(retry_after: Option<Duration>) -> RpcError {
    RpcError::RateLimited { address: "127.0.0.1".into(), retry_after }
}

#[tokio::test]
async fn requests_are_posted() {
    let server = node_with(|method, params| json!({ "result": [method, params] }));
    let client = client(&server);
    let result: Value = client.call("eth_call", json!([{ "to": null }, "latest"])).await.unwrap();
    assert_eq!(result, json!(["eth_call", [{ "to": null }, "latest"]]));
    let requests = ["a", "b", "c"].map(|method| RpcRequest::new(method, json!([])));
    let results = client.batch(&requests).await.unwrap().into_iter().map(Result::unwrap);
    let results: Vec<Value> = results.map(|json| client.decode(&json).unwrap()).collect();
    assert_eq!(results, [json!(["a", []]), json!(["b", []]), json!(["c", []])]);
    assert_eq!(client.batch(&[]).await.unwrap().len(), 0);
    let sent = server.requests();
    assert_eq!(sent.len(), 2, "no empty batch");
    assert_eq!(sent[0].header("content-type"), ["application/json"]);
    let ids: Value = serde_json::from_slice(&sent[1].body).unwrap();
    assert_eq!(
        (&ids[0]["id"], &ids[2]["id"], &ids[1]["jsonrpc"]),
        (&1.into(), &3.into(), &"2.0".into())
    );
}

#[tokio::test]
async fn batches_are_matched_by_id() {
    let unanswered = || Err(RpcError::Unanswered);
    let ok = |text: &str| Ok(text.to_owned());
    for (body, expected) in [
        (r#"[{"id":2,"result":"b"},{"id":1,"result":"a"}]"#, vec![ok(r#""a""#), ok(r#""b""#)]),
        (r#"[{"id":"1","result":1},{"id":"2","result":null}]"#, vec![ok("1"), ok("null")]),
        (r#"[{"id":2,"result":1},{"id":2,"result":2}]"#, vec![unanswered(), ok("1")]),
        (
            r#"[{"id":3,"result":1},{"id":0,"result":2},{"id":-1,"result":2}]"#,
            vec![unanswered(), unanswered()],
        ),
        (
            r#"[{"result":1},{"id":null,"result":2},{"id":2,"result":3}]"#,
            vec![unanswered(), ok("3")],
        ),
        (
            r#"[7,null,[],{},{"id":1},{"id":2,"result":{"a":[1,2]}}]"#,
            vec![unanswered(), ok(r#"{"a":[1,2]}"#)],
        ),
        ("[]", vec![unanswered(), unanswered()]),
        (
            r#"[{"id":2,"error":{"code":-32601,"message":"x"}},{"id":1,"result":0,"error":null}]"#,
            vec![ok("0"), Err(RpcError::Unsupported)],
        ),
    ] {
        // What is asked again alone is not answered.
        let server = scripted([json_response(200, body), json_response(200, "[]")]);
        assert_eq!(batch(&server, 2).await, Ok(expected), "{body}");
    }
}

#[tokio::test]
async fn error_instead_of_a_batch_is_for_all() {
    let error = r#"{"code":-32600,"message":"batch too large"}"#;
    let object = format!(r#"{{"id":null,"error":{error}}}"#);
    // Geth names the first request, others none.
    let entries = [object.replace("null", "1"), object.clone()].map(|entry| format!("[{entry}]"));
    for body in [object].into_iter().chain(entries) {
        let results = batch_from(json_response(200, body), 3).await.unwrap();
        for result in results {
            assert_eq!(result.map_err(without_port), Err(too_large("batch too large")));
        }
    }
    let waiting = response_head(429, &[("retry-after", "7")]);
    let result = batch_from(Behavior::Respond(waiting), 2).await.map_err(without_port);
    assert_eq!(result, Err(rate_limited(Some(Duration::from_secs(7)))));
}

/// The ways in which nodes answer a batch if they take none.
#[derive(Debug, Clone, Copy)]
enum WithoutBatches {
    Page,
    Error,
    FirstOnly,
    Nothing,
}

fn node_without_batches(way: WithoutBatches) -> FakeServer {
    fake_host(move |request, _| {
        let parsed: Value = serde_json::from_slice(&request.body).unwrap();
        let answer = |of: &Value| json!({ "id": of["id"], "result": of["params"] }).to_string();
        match (way, parsed.as_array()) {
            (_, None) => json_response(200, answer(&parsed)),
            (WithoutBatches::Page, _) => json_response(400, "Bad Request"),
            (WithoutBatches::Error, _) => {
                let error = json!({ "code": -32600, "message": "Invalid Request" });
                json_response(200, json!({ "id": null, "error": error }).to_string())
            }
            (WithoutBatches::FirstOnly, Some(batch)) => json_response(200, answer(&batch[0])),
            (WithoutBatches::Nothing, _) => json_response(200, "[]"),
        }
    })
}

#[tokio::test]
async fn node_without_batches_is_asked_one_by_one() {
    use WithoutBatches::{Error, FirstOnly, Nothing, Page};
    for way in [Page, Error, FirstOnly, Nothing] {
        let node = node_without_batches(way);
        let requests: Vec<_> = (0..9).map(|n| RpcRequest::new("some", json!([n]))).collect();
        let client = client(&node);
        let results = client.batch(&requests).await.unwrap();
        let results: Vec<String> =
            results.iter().map(|r| r.as_ref().unwrap().to_string()).collect();
        let expected: Vec<String> = (0..9).map(|n| format!("[{n}]")).collect();
        assert_eq!(results, expected, "{way:?}");
        let asked = node.requests().len();
        client.batch(&requests).await.unwrap();
        assert!(node.requests().len() - asked <= 9, "{way:?}: it is not tried again");
    }
}

#[tokio::test]
async fn gateway_without_its_node_is_not_asked_one_by_one() {
    for status in 502..=504 {
        let server = scripted([json_response(status, "unavailable"), json_response(200, "[]")]);
        let refused = batch(&server, 2).await;
        assert!(matches!(refused, Err(RpcError::NotJsonRpc { .. })), "{status}: {refused:?}");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn error_of_a_request_that_is_sent_alone_is_its_own() {
    let reverted = answer(r#""error":{"code":3,"message":"execution reverted"}"#);
    let node = scripted([reverted]);
    let request = RpcRequest::new("eth_call", json!([]));
    let results = client(&node).batch(&[request]).await.unwrap();
    assert!(matches!(&*results, [Err(RpcError::Other { code: Some(3), .. })]), "{results:?}");
}

#[tokio::test]
async fn limited_requests_are_sent_again_after_a_short_wait() {
    let limited = || Behavior::Respond(response_head(429, &[("retry-after", "1")]));
    let node = scripted([limited(), limited(), answer(r#""result":"0x7""#)]);
    let started = Instant::now();
    assert_eq!(chain_id(&node).await, Ok(7));
    assert!(started.elapsed() >= Duration::from_secs(2), "as long as it asks for");
    let ours = r#"[{"id":1,"result":1},{"id":2,"error":{"code":-32005,"message":"rate limit"}}]"#;
    let node = scripted([limited(), json_response(200, ours), answer(r#""result":2"#)]);
    let requests = ["a", "b"].map(|method| RpcRequest::new(method, json!([])));
    let results = client(&node).batch(&requests).await.unwrap();
    assert!(results.iter().all(Result::is_ok) && results.len() == 2, "{results:?}");
    let node = scripted([limited()]);
    let error = rate_limited(Some(Duration::from_secs(1)));
    assert_eq!(chain_id(&node).await.map_err(without_port), Err(error));
    assert_eq!(node.requests().len(), 3);
}

#[tokio::test]
async fn answers_of_calls_have_a_bound_of_their_own() {
    let large = format!(r#""result":"0x{}""#, "00".repeat(2 << 20));
    let node = scripted([answer(&large)]);
    let client = client(&node);
    let request = RpcRequest::new("eth_call", json!([]));
    let result = client.call::<Value>(request.method, request.params.clone()).await;
    let expected = too_large("the response is larger than 2 MB");
    assert_eq!(result.map_err(without_port), Err(expected));
    assert!(client.call::<Value>("eth_getBlockByNumber", json!([])).await.is_ok());
    let result = json!({ "id": 2, "result": "0x" });
    let node = scripted([json_response(200, format!(r#"[{{"id":1,{large}}},{result}]"#))]);
    let results = self::client(&node).batch(&[request.clone(), request]).await.unwrap();
    assert!(results[0].is_err() && results[1].is_ok(), "each by itself");
}

/// The requests of a batch, or the only one.
fn sent(request: &Request) -> Vec<Value> {
    let sent: Value = serde_json::from_slice(&request.body).unwrap();
    sent.as_array().cloned().unwrap_or_else(|| vec![sent])
}

/// A node that refuses larger batches, in one of three ways.
fn limited_node(limit: usize, way: usize) -> FakeServer {
    fake_server(move |request, _| {
        let batch = sent(request);
        let answer = |request: &Value| json!({ "id": request["id"], "result": request["params"] });
        let error = json!({ "code": -32600, "message": "batch limit exceeded" });
        if batch.len() <= limit {
            return json_response(200, batch.iter().map(answer).collect::<Value>().to_string());
        }
        match way {
            0 => json_response(413, "too large"),
            1 => json_response(200, json!({ "id": null, "error": error }).to_string()),
            _ => {
                let mut answers: Vec<_> = batch[..limit].iter().map(answer).collect();
                answers.push(json!({ "id": batch[limit]["id"], "error": error }));
                json_response(200, Value::from(answers).to_string())
            }
        }
    })
}

#[tokio::test]
async fn limits_of_batches_are_obeyed() {
    let requests: Vec<_> = (0..250).map(|n| RpcRequest::new("eth_call", json!([n]))).collect();
    for (limit, way) in [(1_000, 0), (100, 0), (10, 0), (10, 1), (10, 2), (1, 1)] {
        let server = limited_node(limit, way);
        let client = client(&server);
        for _ in 0..2 {
            let results = client.batch(&requests).await.unwrap();
            let results = results.iter().map(|result| client.decode(result.as_ref().unwrap()));
            let results: Vec<Value> = results.map(Result::unwrap).collect();
            assert_eq!(results, requests.iter().map(|it| it.params.clone()).collect::<Vec<_>>());
        }
        let sizes = server.requests().into_iter().map(|request| sent(&request).len());
        let sizes: Vec<usize> = sizes.collect();
        assert!(sizes.iter().all(|size| *size <= 100), "{sizes:?}");
        // Once it is known, no batch is larger.
        let refused = sizes.iter().rposition(|size| *size > limit);
        assert!(way == 2 || refused.is_none_or(|last| last < 8), "{limit}: {sizes:?}");
    }
    // One that is too large by itself makes the others no smaller.
    let server = fake_server(|request, _| {
        let batch = sent(request);
        if batch[0]["params"] == json!([0]) {
            return json_response(413, "");
        }
        let answers = batch.iter().map(|it| json!({ "id": it["id"], "result": 1 }));
        json_response(200, answers.collect::<Value>().to_string())
    });
    let results = client(&server).batch(&requests[..101]).await.unwrap();
    let refused: Vec<_> = results.iter().map(Result::is_err).collect();
    assert_eq!(refused, [&[true][..], &[false; 100]].concat());
    assert_eq!(server.requests().len(), 8);
}

#[tokio::test]
async fn transport_faults_are_values() {
    let faults = transport_faults(r#"{"jsonrpc":"2.0","id":1,"result":"0x7a69"}"#);
    assert!(faults.len() > 40, "{}", faults.len());
    for fault in faults {
        let mut transport = TransportConfig::default();
        if let Behavior::Stall(_) = fault.behavior {
            transport.response_timeout = Duration::from_secs(1);
        }
        let server = scripted([fault.behavior.clone()]);
        let url = server.base().try_into().unwrap();
        let client = RpcClient::with_transport(url, transport).unwrap();
        let result = client.quantity("eth_chainId", json!([])).await;
        if fault.expected == Expected::Rows {
            assert_eq!(result, Ok(31_337), "{}", fault.name);
            continue;
        }
        let message = result.unwrap_err().to_string();
        let expected = match fault.message {
            says if says.starts_with("cannot reach 127.0.0.1") => " 127.0.0.1:",
            says if says.contains("was cut off") => " was cut off: ",
            says if says.starts_with("no response") => "no response within 1 s",
            says if says.contains("64 MB") => "too much at once: the response is larger than 64 MB",
            says if says.starts_with("429") => "too many requests",
            says if says.starts_with("401") => " answered 401: Unauthorized",
            says if says.starts_with("out of credits") => " answered 402: Out of credits",
            _ => ": not a JSON-RPC response (HTTP ",
        };
        assert!(message.contains(expected), "{}: {message}", fault.name);
    }
}

#[tokio::test]
async fn large_responses_are_read_up_to_the_limit() {
    let padding = " ".repeat(50 << 20);
    let result = chain_id_from(answer(&format!(r#""result":"0x1"{padding}"#))).await;
    assert_eq!(result, Ok(1));
    let server = scripted([answer(&format!(r#""result":"0x1"{padding}"#))]);
    let transport = TransportConfig { max_body_bytes: 1 << 20, ..TransportConfig::default() };
    let url = server.base().try_into().unwrap();
    let client = RpcClient::with_transport(url, transport).unwrap();
    let error = client.quantity("eth_chainId", json!([])).await.unwrap_err();
    assert_eq!(without_port(error), too_large("the response is larger than 1 MB"));
}

#[tokio::test]
async fn numbers_past_64_bits_are_no_numbers() {
    for (number, expected) in [
        (r#""0xffffffffffffffff""#, Some(u64::MAX)),
        (r#""0x10000000000000000""#, None),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("1e3", None),
        ("-1", None),
        ("null", None),
        (r#""0x00000000000000000000000000007a69""#, Some(31_337)),
        (r#""0x""#, None),
        (r#""0x+1""#, None),
        (r#""10""#, None),
        ("{\"x\":[1]}", None),
        ("true", None),
    ] {
        let result = chain_id_from(answer(&format!(r#""result":{number}"#))).await;
        assert_eq!(result.ok(), expected, "{number}");
    }
}

#[tokio::test]
async fn refusals_are_recognized() {
    let pruned = |why: &str| RpcError::Pruned { address: "127.0.0.1".into(), why: why.into() };
    let other = |code, message: &str| {
        let address = "127.0.0.1".into();
        RpcError::Other { address, code, message: message.into(), data: None }
    };
    let limited = rate_limited(None);
    let hardhat2 = "Hardhat currently only supports the default tracer, so no tracer parameter should be passed.";
    for (code, message, expected) in [
        (-32601, "Method not found", RpcError::Unsupported),
        (-32004, "Method trace_block is not supported", RpcError::Unsupported),
        (-32700, "The method trace_block does not exist/is not available", RpcError::Unsupported),
        (-32602, hardhat2, RpcError::Unsupported),
        (-32000, "missing trie node 0a (path )", pruned("missing trie node 0a (path )")),
        (-32000, "header not found", pruned("header not found")),
        (
            -32005,
            "query returned more than 10000 results",
            too_large("query returned more than 10000 results"),
        ),
        (-32602, "Log response size exceeded.", too_large("Log response size exceeded.")),
        (-32005, "daily request count exceeded", limited.clone()),
        (429, "Your app has exceeded its compute units per second capacity", limited.clone()),
        (-32000, "Unknown transaction 0x11", other(Some(-32000), "Unknown transaction 0x11")),
        (-32700, "Unknown transaction", other(Some(-32700), "Unknown transaction")),
        // What a contract says is no limit of the node.
        (3, "execution reverted: rate limit", other(Some(3), "execution reverted: rate limit")),
        (
            -32000,
            "VM Exception while processing transaction: revert block range",
            other(Some(-32000), "VM Exception while processing transaction: revert block range"),
        ),
    ] {
        let error = json!({ "code": code, "message": message });
        let result = chain_id_from(answer(&format!(r#""error":{error}"#))).await;
        assert_eq!(result.map_err(without_port), Err(expected), "{message}");
    }
}

#[tokio::test]
async fn error_objects_of_any_form_are_read() {
    let shown = |text: &str| format!(" answered {text}");
    let long = "x".repeat(300);
    for (error, expected) in [
        (r#"{"code":1,"message":"\u001b[2J\u202e"}"#.to_owned(), shown("1: ␛[2J␦")),
        (format!(r#"{{"code":1,"message":"{long}"}}"#), shown(&format!("1: {}…", &long[..200]))),
        (r#"{"code":"x","message":{"a":1}}"#.to_owned(), shown(r#"?: {"a":1}"#)),
        (r#""no""#.to_owned(), shown("?: no")),
        ("7".to_owned(), shown("?: 7")),
        ("{}".to_owned(), shown("?: ")),
    ] {
        let result = chain_id_from(answer(&format!(r#""error":{error}"#))).await;
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with("127.0.0.1:") && error.ends_with(&expected), "{error}");
    }
    let page = with_type(404, "text/html", "<h1>Not found</h1>");
    let error = chain_id_from(page).await.unwrap_err().to_string();
    let (address, reason) = error.split_once(": ").unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{error}");
    assert_eq!(reason, "not a JSON-RPC response (HTTP 404, text/html)");
    let other_json = json_response(200, r#"{"items":[]}"#);
    let error = chain_id_from(other_json).await.unwrap_err().to_string();
    assert!(error.ends_with(": not a JSON-RPC response (HTTP 200, application/json)"), "{error}");
    let port = ClosedPort::bind();
    let unused = port.address();
    let url: Url = format!("http://{unused}").parse().unwrap();
    let client = RpcClient::new(url.try_into().unwrap()).unwrap();
    let error = client.quantity("eth_chainId", json!([])).await.unwrap_err().to_string();
    assert_eq!(error, format!("no node at {unused}"));
}

/// Responses that repeat what was sent, in each place that reaches an error.
fn echoes(request: &Request) -> Vec<Behavior> {
    let user = request.header("authorization").concat();
    let encoded = user.trim_start_matches("Basic ");
    let plain = BASE64_STANDARD.decode(encoded).unwrap();
    let text = format!("{} {user} {}", request.target, String::from_utf8_lossy(&plain));
    let error = json!({ "code": 1, "message": text });
    vec![
        answer(&format!("\"error\":{error}")),
        answer(&format!("\"error\":{}", json!(text))),
        answer(&format!("\"error\":{}", json!({ "message": { "x": text } }))),
        answer(&format!("\"error\":{}", json!({ "message": format!("pruned {text}") }))),
        answer(&format!("\"result\":{}", json!({ text.clone(): text }))),
        answer(&format!("\"result\":{}", json!(text))),
        with_type(403, &format!("text/html, {text}"), &text),
        Behavior::Respond(response_head(302, &[("location", &text), ("server", &text)])),
        Behavior::Respond(format!("{text}\r\n\r\n").into_bytes()),
        Behavior::Reset(Vec::new()),
    ]
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn keys_are_in_no_error(
        key in "[a-zA-Z0-9%/+=&?#é]{4}canary[a-zA-Z0-9 ]{2}",
        case in 0_usize..10,
        place in 0_usize..4,
    ) {
        // Not sent at all if it is no text once decoded.
        prop_assume!(place < 2 || !key.contains('%'));
        let server = fake_server(move |request, _| echoes(request).swap_remove(case));
        let mut url = server.base();
        match place {
            0 => drop(url.path_segments_mut().unwrap().extend(["v2", &key])),
            1 => drop(url.query_pairs_mut().append_pair("key", &key)),
            2 => url.set_username(&key).unwrap(),
            _ => url.set_password(Some(&key)).unwrap(),
        }
        let url = NodeUrl::try_from(url).unwrap();
        let client = RpcClient::new(url.clone()).unwrap();
        let request = RpcRequest::new("eth_getBlockByNumber", json!(["0x0", false]));
        let (single, batch) = runtime().block_on(async {
            let single = client.call::<Option<TxHash>>("eth_chainId", json!([])).await;
            (single, client.batch(&[request]).await)
        });
        let results = batch.iter().flatten();
        let decode = |json: &Result<Box<_>, RpcError>| client.decode::<u8>(json.as_ref().map_err(Clone::clone)?);
        let results: Vec<_> = results.map(decode).collect();
        let text = format!("{url} {url:?} {client:?} {single:?} {results:?} {}", single.clone().unwrap_err());
        prop_assert!(!text.contains("canary"), "{}", text);
        prop_assert!(!text.contains("Y2FuYXJ5"), "{}", text);
        let sent = server.requests();
        prop_assert!(sent.iter().all(|request| request.text().contains("canary") || place >= 2));
        prop_assert!(sent.iter().all(|request| request.header("authorization").is_empty() == (place < 2)));
    }
}
