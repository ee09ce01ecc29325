//! The HTTP client against faulty servers, and the exit status and output of the program.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Output, Stdio},
    time::Duration,
};

use chainglass::test_api::api::{
    AddressQuery, ApiError, BlockQuery, ChainQuery, Client, Cursor, Direction, InstanceKey,
    InstanceQuery, Next, Page, Query, Reply, TokenQuery, Transaction, TransactionQuery, decode,
    exchange::RateLimit,
};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::{BlockId, Chains, TokenStandard, TxHash, U256};
use chainglass::test_api::net::Provider;
use chainglass::test_api::sanitize::SafeText;
use tokio::time::timeout;
use url::Url;

use crate::{
    demo_server_client::ALICE,
    fake_server::{
        Behavior, ClosedPort, FakeServer, Request, fake_host, fake_server, gzip, gzip_response,
        json, page, response_head, scripted, with_type,
    },
};

/// A transaction with only a hash.
const ROW: &str =
    r#"{"hash":"0x1111111111111111111111111111111111111111111111111111111111111111"}"#;

fn transactions() -> Query {
    Query::Address(ALICE.parse().unwrap(), AddressQuery::Transactions { direction: None })
}

async fn fetch(server: &FakeServer, query: &Query, at: Option<&Cursor>) -> Result<Reply, ApiError> {
    fetch_at(&server.base(), query, at).await
}

async fn fetch_at(base: &Url, query: &Query, at: Option<&Cursor>) -> Result<Reply, ApiError> {
    let exchange = Client::new(base).unwrap().fetch(query, at).await;
    decode(query, exchange.body?, at).await
}

/// The reply to a list query from a server with this behavior.
async fn fetch_from(behavior: Behavior) -> Result<Reply, ApiError> {
    fetch(&scripted([behavior]), &transactions(), None).await
}

fn rows(reply: &Reply) -> Page<Transaction> {
    reply.page().unwrap()
}

/// The cursor of a reply of any kind.
fn next(reply: &Reply) -> Cursor {
    match reply.next() {
        Some(Next::Page(cursor)) => cursor.clone(),
        other => panic!("{other:?}"),
    }
}

/// The decoded query of a request.
fn sent_query(request: &Request) -> String {
    let pairs = request.query().into_iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join("&")
}

#[tokio::test]
async fn cursor_is_sent_with_the_original_query() {
    let address = ALICE.parse().unwrap();
    let to = Some(Direction::To);
    let both = vec![TokenStandard::Erc20, TokenStandard::Erc721];
    let id = "115792050666661005089728720832241754613649434876690179486688455171151146993437";
    for (query, cursor, expected) in [
        (
            Query::Address(address, AddressQuery::Transactions { direction: to }),
            r#"{"filter":"to","block_number":7,"index":null,"fee":null,"hash":"0xab"}"#,
            "filter=to&block_number=7&index=null&hash=0xab",
        ),
        (
            Query::Address(address, AddressQuery::InternalTransactions { direction: to }),
            r#"{"filter":null,"block_number":null,"transaction_index":null}"#,
            "filter=to",
        ),
        (
            Query::Transaction(TxHash::ZERO, TransactionQuery::InternalTransactions),
            r#"{"index":50,"block_number":7,"transaction_index":0,"items_count":50}"#,
            "index=50&block_number=7&transaction_index=0&items_count=50",
        ),
        (
            Query::Chain(ChainQuery::Transfers { types: both }),
            r#"{"block_number":7,"index":3}"#,
            "type=ERC-20,ERC-721&block_number=7&index=3",
        ),
        (
            Query::Address(address, AddressQuery::Tokens { types: vec![] }),
            r#"{"fiat_value":null,"value":null,"id":null,"items_count":50}"#,
            "fiat_value=null&value=null&items_count=50",
        ),
        (
            Query::Address(address, AddressQuery::Tokens { types: vec![] }),
            r#"{"fiat_value":"1.2E-7","id":1.0e3}"#,
            "fiat_value=0.00000012&id=1000",
        ),
        (
            Query::Token(address, TokenQuery::Instances { holder: Some(address) }),
            &format!("{{\"unique_token\":{id}}}"),
            &format!("holder_address_hash={address}&unique_token={id}"),
        ),
        (
            Query::Address(address, AddressQuery::Collections { types: vec![] }),
            r#"{"token[name]":"ü &=?#+%\u202e","new":true}"#,
            "token[name]=ü &=?#+%\u{202e}&new=true",
        ),
    ] {
        let server = scripted([page("", cursor), page("", "null")]);
        let first = fetch(&server, &query, None).await.unwrap();
        fetch(&server, &query, Some(&next(&first))).await.unwrap();
        let requests = server.requests();
        assert_eq!(sent_query(&requests[1]), expected);
        assert_eq!(requests[1].path(), requests[0].path());
    }
}

#[tokio::test]
async fn duplicate_cursor_key_uses_the_changed_value() {
    let query = Query::Token(ALICE.parse().unwrap(), TokenQuery::Instances { holder: None });
    let twice = r#"{"unique_token":"9","unique_token":8}"#;
    let server = scripted([page("", r#"{"unique_token":9}"#), page("", twice), page("", "null")]);
    let first = next(&fetch(&server, &query, None).await.unwrap());
    let second = next(&fetch(&server, &query, Some(&first)).await.unwrap());
    fetch(&server, &query, Some(&second)).await.unwrap();
    let queries: Vec<String> = server.requests().iter().map(sent_query).collect();
    assert_eq!(queries, ["", "unique_token=9", "unique_token=8"]);
}

#[tokio::test]
async fn refused_null_parameter_is_dropped_once() {
    let refuse = |key: &str| {
        let pointer = format!("{{\"errors\":[{{\"source\":{{\"pointer\":\"/{key}\"}}}}]}}");
        json(422, pointer)
    };
    let cursor = r#"{"value":null,"index":null,"hash":null,"id":7}"#;
    for (answers, expected) in [
        (vec![refuse("value"), page("", "null")], &["index=null&id=7"][..]),
        (vec![refuse("value"), refuse("index"), page("", "null")], &["index=null&id=7"]),
        // A parameter that was not sent, or not as null, is not the reason.
        (vec![refuse("hash"), page("", "null")], &[]),
        (vec![refuse("id"), page("", "null")], &[]),
        (vec![json(422, r#"{"message":"Invalid parameter(s)"}"#), page("", "null")], &[]),
        (vec![json(400, r#"{"message":"value"}"#), page("", "null")], &[]),
    ] {
        let answers = [vec![page("", cursor)], answers].concat();
        let server = scripted(answers);
        let at = next(&fetch(&server, &transactions(), None).await.unwrap());
        let source = Provider::new(&Chains::default().network_at(&server.base()));
        let second = source.fetch(&transactions(), Some(&at), Priority::Interactive).await;
        let retried: Vec<String> = server.requests().iter().skip(2).map(sent_query).collect();
        assert_eq!(retried, expected, "{second:?}");
    }
}

#[tokio::test]
async fn requests_identify_the_client() {
    let server = scripted([page("", "null")]);
    fetch(&server, &transactions(), None).await.unwrap();
    let request = &server.requests()[0];
    let ours = concat!("chainglass/", env!("CARGO_PKG_VERSION"));
    assert_eq!(request.header("user-agent"), [ours]);
    assert_eq!(request.header("accept"), ["application/json"]);
    assert_eq!(request.header("accept-encoding"), ["gzip"]);
}

#[tokio::test]
async fn exchange_records_status_limits_and_delay() {
    let limited = [
        ("content-type", "application/json"),
        ("x-ratelimit-limit", "3"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1500"),
        ("x-credits-remaining", "-7"),
        ("retry-after", "2"),
    ];
    let body = br#"{"message":"Too Many Requests"}"#;
    let server = scripted([Behavior::Respond([&response_head(429, &limited)[..], body].concat())]);
    let query = transactions();
    let exchange = Client::new(&server.base()).unwrap().fetch(&query, None).await;
    assert_eq!(exchange.url.path(), format!("/{}", query.path()));
    assert_eq!((exchange.method, exchange.status, exchange.bytes), ("GET", Some(429), 31));
    let reset_ms = Some(1500);
    let limits = RateLimit { remaining: Some(0), limit: Some(3), reset_ms, credits: Some(-7) };
    assert_eq!(exchange.rate_limit, Some(limits));
    assert_eq!(exchange.retry_after, Some(Duration::from_secs(2)));
    assert_eq!(exchange.body, Err(ApiError::from_error_body(429, body)));

    let opened =
        Client::new(&server.base()).unwrap().open_stream(&query, Duration::from_mins(1)).await;
    assert_eq!((opened.status, opened.rate_limit, opened.bytes), (Some(429), Some(limits), 31));
    assert_eq!(opened.body.unwrap_err(), ApiError::from_error_body(429, body));

    let closing = Client::new(&scripted([Behavior::Reset(Vec::new())]).base()).unwrap();
    let exchange = closing.fetch(&query, None).await;
    assert_eq!((exchange.status, exchange.rate_limit, exchange.bytes), (None, None, 0));

    let delayed = response_head(
        503,
        &[
            ("content-type", "application/json"),
            ("date", "Wed, 21 Oct 2015 07:27:30 GMT"),
            ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),
        ],
    );
    let server = scripted([Behavior::Respond(delayed)]);
    let exchange = Client::new(&server.base()).unwrap().fetch(&query, None).await;
    assert_eq!((exchange.status, exchange.retry_after), (Some(503), Some(Duration::from_secs(30))));
}

#[tokio::test]
async fn valid_responses_decode_in_every_encoding() {
    let body = format!("{{\"items\":[{ROW}],\"next_page_params\":null}}");
    let large = body.replace("\"hash\"", &format!("\"x\":\"{}\",\"hash\"", "y".repeat(1 << 20)));
    let chunked = [
        &response_head(
            200,
            &[("content-type", "application/json"), ("transfer-encoding", "chunked")],
        )[..],
        format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).as_bytes(),
    ]
    .concat();
    let unmeasured = [&response_head(200, &[])[..], body.as_bytes()].concat();
    let json_type = ("content-type", "application/json");
    let x_gzip = response_head(200, &[json_type, ("content-encoding", "X-GZIP")]);
    for behavior in [
        json(200, &body),
        json(200, format!("\u{feff}{body}")),
        json(200, large),
        gzip_response(&gzip(body.as_bytes())),
        gzip_response(&[gzip(&body.as_bytes()[..20]), gzip(&body.as_bytes()[20..])].concat()),
        Behavior::Respond([&x_gzip[..], &gzip(body.as_bytes())].concat()),
        with_type(200, "text/html", format!("\u{feff} \n{body}")),
        Behavior::Respond(chunked),
        Behavior::Respond(unmeasured),
    ] {
        let page = rows(&fetch_from(behavior).await.unwrap());
        assert!(page.items.len() == 1 && page.items[0].parsed.is_ok() && page.next == Next::End);
    }
}

#[tokio::test]
async fn reply_about_another_object_is_invalid() {
    let other = "0x2222222222222222222222222222222222222222222222222222222222222222";
    let hash = TxHash::repeat_byte(0x11);
    let address = ALICE.parse().unwrap();
    let transaction = |query| Query::Transaction(hash, query);
    let block = |id| Query::Block(id, BlockQuery::Details);
    let key = InstanceKey { token: address, id: U256::ONE };
    let list = r#"{"items":[ROW],"next_page_params":null}"#;
    let log = ROW.replace("hash", "transaction_hash");
    let cases = [
        (transaction(TransactionQuery::Details), ROW.to_owned(), ROW.replace("11", "22")),
        (
            transaction(TransactionQuery::Logs),
            list.replace("ROW", &log),
            list.replace("ROW", &log.replace("11", "22")),
        ),
        (block(BlockId::Number(7)), r#"{"height":7}"#.into(), r#"{"height":8}"#.into()),
        (block(BlockId::Hash(hash)), ROW.into(), ROW.replace("11", "22")),
        (
            Query::Address(address, AddressQuery::Details),
            format!(r#"{{"hash":"{ALICE}"}}"#),
            format!(r#"{{"hash":"{}"}}"#, &other[..42]),
        ),
        (
            Query::Token(address, TokenQuery::Details),
            format!(r#"{{"address_hash":"{ALICE}"}}"#),
            format!(r#"{{"address_hash":"{}"}}"#, &other[..42]),
        ),
        (
            Query::Instance(key, InstanceQuery::Details),
            r#"{"id":"1"}"#.into(),
            r#"{"id":"2"}"#.into(),
        ),
        (
            Query::Instance(key, InstanceQuery::Details),
            format!(r#"{{"id":"1","token":{{"address_hash":"{ALICE}"}}}}"#),
            format!(r#"{{"id":"1","token":{{"address_hash":"{}"}}}}"#, &other[..42]),
        ),
    ];
    for (query, own, another) in cases {
        let reply = fetch(&scripted([json(200, &own)]), &query, None).await;
        assert!(reply.is_ok(), "{query:?}: {reply:?}");
        let error = fetch(&scripted([json(200, &another)]), &query, None).await.unwrap_err();
        let text = "invalid response: it is about another object than the requested one";
        assert_eq!(error.to_string(), text, "{query:?}");
    }
}

#[tokio::test]
async fn endless_responses_stop_at_the_limit() {
    let bomb = gzip_response(&gzip(&vec![b' '; 70 << 20]));
    let Behavior::Respond(bytes) = &bomb else { unreachable!() };
    assert!(bytes.len() < 1 << 20, "it is small when compressed");
    assert_eq!(fetch_from(bomb).await.unwrap_err(), ApiError::TooLarge { limit: 64 });

    let json = [("content-type", "application/json")];
    let server = scripted([Behavior::Endless(response_head(200, &json), vec![b' '; 1 << 20])]);
    let answer = fetch(&server, &transactions(), None).await;
    assert_eq!(answer.unwrap_err(), ApiError::TooLarge { limit: 64 });
    server.until_closed(1).await;
}

#[tokio::test]
async fn interrupted_responses_are_errors() {
    let zipped = gzip(ROW.repeat(100).as_bytes());
    let mut spoilt = zipped.clone();
    spoilt[20] ^= 0xff;
    let short =
        |length| [&response_head(200, &[("content-length", length)])[..], b"{\"items\":["].concat();
    let chunk =
        [&response_head(200, &[("transfer-encoding", "chunked")])[..], b"a\r\n{\"items\":["]
            .concat();
    for behavior in [
        gzip_response(&zipped[..zipped.len() / 2]),
        gzip_response(&zipped[..zipped.len() - 1]),
        gzip_response(&spoilt),
        gzip_response(b"not gzip"),
        Behavior::Respond(short("100")),
        Behavior::Reset(short("100")),
        Behavior::Respond(chunk.clone()),
        Behavior::Respond([&chunk[..], b"\r\nzz\r\n"].concat()),
    ] {
        let error = fetch_from(behavior).await.unwrap_err();
        assert!(matches!(error, ApiError::Interrupted { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn non_http_server_is_unreachable() {
    for behavior in [
        Behavior::Respond(b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec()),
        Behavior::Respond(vec![0; 1000]),
        Behavior::Respond(Vec::new()),
        Behavior::Reset(Vec::new()),
        Behavior::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: y\r\n".repeat(1000)),
    ] {
        let error = fetch_from(behavior).await.unwrap_err();
        assert!(matches!(error, ApiError::Unreachable { .. }), "{error:?}");
    }
    let port = ClosedPort::bind();
    let base: Url = format!("http://{}", port.address()).parse().unwrap();
    let error = fetch_at(&base, &transactions(), None).await.unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn non_api_pages_are_recognized() {
    let html = "<!DOCTYPE html><title>Just a moment...</title>";
    let cdn = [("content-type", "text/html"), ("server", "cloudflare")];
    let challenge = response_head(403, &[&cdn[..], &[("cf-mitigated", "challenge")]].concat());
    for (behavior, what) in [
        (
            with_type(200, "text/html; charset=utf-8", html),
            "a web page, not a Blockscout API (HTTP 200)",
        ),
        (
            with_type(502, "text/html", html),
            "the proxy gets no answer from the explorer (HTTP 502)",
        ),
        (with_type(503, "text/html", html), "not available at the moment (HTTP 503)"),
        (
            with_type(406, "text/html", "Not Acceptable"),
            "a web page, not a Blockscout API (HTTP 406)",
        ),
        (
            Behavior::Respond(response_head(403, &cdn)),
            "a web page, not a Blockscout API (HTTP 403)",
        ),
        (Behavior::Respond(challenge), "127.0.0.1: the CDN asks for a browser (HTTP 403)"),
        (
            Behavior::Respond(response_head(204, &[])),
            "not a Blockscout API: HTTP 204, no content type",
        ),
        (json(202, "{}"), "not a Blockscout API: HTTP 202, application/json"),
    ] {
        let error = fetch_from(behavior).await.unwrap_err();
        assert_eq!(error.to_string(), what);
    }
}

#[tokio::test]
async fn failure_of_an_explorer_that_has_answered_is_its_own() {
    let html = |status| with_type(status, "text/html", "<html>");
    let server = scripted([
        json(200, "{}"),
        html(500),
        Behavior::Respond(response_head(500, &[("content-length", "0")])),
        html(503),
        html(403),
    ]);
    let client = Client::new(&server.base()).unwrap();
    client.fetch(&transactions(), None).await.body.unwrap();
    for what in [
        "the explorer answered 500: internal server error",
        "the explorer answered 500: internal server error",
        "the explorer answered 503: service unavailable",
        "a web page, not a Blockscout API (HTTP 403)",
    ] {
        let error = client.fetch(&transactions(), None).await.body.unwrap_err();
        assert_eq!(error.to_string(), what);
    }
}

#[tokio::test]
async fn refusals_quote_the_server() {
    let two = r#"{"errors":[{"title":"Invalid value","source":{"pointer":"/sort"},"detail":"Invalid value for enum"},{"title":"t"}]}"#;
    for (status, body, words) in [
        (400, r#"{"status":"0","message":"Params 'module'","result":null}"#, "Params 'module'"),
        (401, r#"{"error":"Unauthorized"}"#, "Unauthorized"),
        (403, r#"{"message":"Restricted access"}"#, "Restricted access"),
        (404, r#"{"message":"Not found"}"#, "Not found"),
        (422, r#"{"message":"Invalid parameter(s)"}"#, "Invalid parameter(s)"),
        (422, two, "sort: Invalid value for enum; t"),
        (429, r#"{"message":"Too Many Requests"}"#, "Too Many Requests"),
        (500, r#""Internal server error""#, "Internal server error"),
        (501, r#"{"message":"ServerClient is disabled"}"#, "ServerClient is disabled"),
        (502, r#"{"error":"Bad gateway","source":"upstream"}"#, "Bad gateway"),
        (504, r#"{"message":"cut of"#, "gateway timeout"),
        (500, "", "internal server error"),
        (500, "{\"message\":\"\u{202e}\\u001b[2J\\n\"}", "␦␛[2J␊"),
        (500, "\u{feff}{\"message\":\"marked\"}", "marked"),
    ] {
        let error = fetch_from(json(status, body)).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the explorer answered {status}: {words}"));
    }
    let credits = json(402, r#"{"error":"Out of credits","source":"upstream"}"#);
    assert_eq!(fetch_from(credits).await.unwrap_err(), ApiError::OutOfCredits);
}

#[tokio::test]
async fn transient_failures_may_pass_by_themselves() {
    let html = |status| with_type(status, "text/html", "<!DOCTYPE html>");
    let unavailable = |status| json(status, r#"{"message":"try again"}"#);
    let passing = [429, 502, 503, 504, 511, 520, 522, 525, 527].map(|status| (status, true));
    let lasting = [400, 401, 403, 404, 422, 500, 501].map(|status| (status, false));
    for (status, is_transient) in passing.into_iter().chain(lasting) {
        for behavior in [html(status), unavailable(status)] {
            let error = fetch_from(behavior).await.unwrap_err();
            assert_eq!(error.is_transient(), is_transient, "{status}: {error}");
        }
    }
    for (behavior, is_transient) in [
        (Behavior::Respond(Vec::new()), true),
        (Behavior::Reset(Vec::new()), true),
        (Behavior::Reset(response_head(200, &[("content-length", "9")])), true),
        (html(200), false),
        (json(200, "{}"), false),
    ] {
        let error = fetch_from(behavior).await.unwrap_err();
        assert_eq!(error.is_transient(), is_transient, "{error}");
    }
}

#[tokio::test]
async fn failures_of_a_cdn_are_not_the_explorers() {
    for (status, body) in [(520, "<html>"), (522, "<html>"), (527, r#"{"message":"cloudflare"}"#)] {
        let server = scripted([with_type(status, "text/html", body)]);
        let sentence = format!("127.0.0.1: the CDN cannot reach the server (HTTP {status})");
        let error = fetch(&server, &transactions(), None).await.unwrap_err();
        assert_eq!((error.to_string(), error.hint()), (sentence.clone(), ""));
        let client = Client::new(&server.base()).unwrap();
        let opened = client.open_stream(&transactions(), Duration::from_mins(1)).await;
        assert_eq!(opened.body.unwrap_err().to_string(), sentence);
    }
}

#[tokio::test]
async fn redirect_to_a_sign_in_page_is_named() {
    let server = fake_server(|request, _| match request.path() {
        "/oauth2/sign_in" => with_type(200, "text/html", "<!DOCTYPE html>"),
        _ => Behavior::Respond(response_head(302, &[("location", "/oauth2/sign_in?rd=x")])),
    });
    let sign_in = "127.0.0.1: redirected to the sign-in page of 127.0.0.1";
    let error = fetch(&server, &transactions(), None).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.is_transient()), (sign_in, true));
    let client = Client::new(&server.base()).unwrap();
    let opened = client.open_stream(&transactions(), Duration::from_mins(1)).await;
    assert_eq!(opened.body.unwrap_err(), error);
}

#[test]
fn captive_portal_is_named() {
    for (portal, asked) in [("http://wifi.example.com/welcome", 2), ("http://192.168.1.1/", 1)] {
        let network = fake_server(move |request, _| match request.target.as_str() {
            target if target.starts_with("http://wifi.example.com/") => {
                with_type(200, "text/html", "<!DOCTYPE html>")
            }
            _ => Behavior::Respond(response_head(302, &[("location", portal)])),
        });
        let mut program = program("http://explorer.example.com", &["--format", "jsonl"]);
        let (status, _, stderr) =
            finished(&program.env("http_proxy", network.base().as_str()).output().unwrap());
        let host = portal.split('/').nth(2).unwrap();
        let named = format!("explorer.example.com: redirected to the sign-in page of {host}");
        assert_eq!((status, stderr), (Some(1), format!("chainglass: {named}\n")));
        assert_eq!(network.api_requests().len(), asked, "{:?}", network.requests());
    }
}

#[test]
fn failure_that_passes_decides_nothing_about_an_unknown_url() {
    let html = |status| with_type(status, "text/html", "<!DOCTYPE html>");
    let portal = response_head(302, &[("location", "http://192.168.1.1/")]);
    for (behavior, message, asked) in [
        (html(503), "not available at the moment (HTTP 503)", 4),
        (html(522), "explorer.example.com: the CDN cannot reach the server (HTTP 522)", 3),
        (
            Behavior::Respond(portal),
            "explorer.example.com: redirected to the sign-in page of 192.168.1.1",
            1,
        ),
        (html(404), "neither a node nor an explorer at explorer.example.com: HTTP 404", 2),
        (
            json(500, r#"{"message":"Internal server error"}"#),
            "neither a node nor an explorer at explorer.example.com: HTTP 500",
            3,
        ),
    ] {
        let network = fake_host(move |_, _| behavior.clone());
        let mut program = program("http://explorer.example.com", &[]);
        let (status, _, stderr) =
            finished(&program.env("http_proxy", network.base().as_str()).output().unwrap());
        assert_eq!(status, Some(1));
        assert!(stderr.contains(message), "{stderr}");
        assert_eq!(network.requests().len(), asked, "{message}");
    }
}

#[test]
fn busy_explorer_of_a_private_network_is_not_taken_for_nothing() {
    let too_many = r#"{"message":"Too many requests"}"#;
    for (busy, message) in [
        (with_type(503, "text/html", "<!DOCTYPE html>"), "HTTP 503"),
        (with_type(429, "application/json", too_many), "429: Too many requests"),
    ] {
        let server = fake_host(move |request, _| match request.path() {
            "/api/v2/main-page/indexing-status" => busy.clone(),
            _ => with_type(404, "text/html", "<!DOCTYPE html>"),
        });
        let (status, _, stderr) = run(&server, &[]);
        assert_eq!(status, Some(1));
        assert!(stderr.contains(message) && !stderr.contains("neither"), "{stderr}");
    }
}

#[test]
fn busy_node_at_an_unknown_url_is_not_taken_for_nothing() {
    let too_many =
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"too many requests"}}"#;
    let network = fake_host(move |request, _| {
        if request.asks_chain_id() { json(429, too_many) } else { with_type(404, "text/html", "") }
    });
    let mut program = program("http://node.example.com", &[]);
    let (status, _, stderr) =
        finished(&program.env("http_proxy", network.base().as_str()).output().unwrap());
    assert_eq!(status, Some(1));
    assert!(stderr.contains("node.example.com: too many requests"), "{stderr}");
}

#[test]
fn table_has_the_names_of_methods_that_the_screen_has() {
    let row = ROW.replacen('{', r#"{"method":"0xa9059cbb","block_number":7,"#, 1);
    let server = fake_server(move |_, _| page(&row, "null"));
    let (_, table, stderr) = run(&server, &[]);
    assert!(table.contains(" transfer? "), "{table}{stderr}");
    let (_, csv, _) = run(&server, &["--format", "csv"]);
    assert!(csv.contains("0xa9059cbb"), "as sent: {csv}");
}

#[test]
fn explorer_without_an_indexing_status_is_an_explorer() {
    for status in [
        json(500, r#""Internal server error""#),
        json(400, r#"{"message":"Unknown API v2 action"}"#),
    ] {
        let server = fake_host(move |request, _| match request.path() {
            "/api/v2/main-page/indexing-status" => status.clone(),
            path if path.ends_with("/transactions") => page(ROW, "null"),
            _ => with_type(404, "text/html", "<!DOCTYPE html>"),
        });
        let (status, stdout, stderr) = run(&server, &["--format", "jsonl"]);
        assert_eq!((status, stdout.lines().count()), (Some(0), 1), "{stderr}");
    }
}

#[tokio::test]
async fn redirects_are_followed_up_to_the_limit() {
    let moved = |to: &str| Behavior::Respond(response_head(302, &[("location", to)]));
    let server = fake_server(move |request, _| match request.path() {
        "/new/home" => page(ROW, "null"),
        path if path.starts_with("/loop") => moved(path),
        _ => moved("/new/home?a=b"),
    });
    rows(&fetch(&server, &transactions(), None).await.unwrap());
    assert_eq!(server.requests()[1].target, "/new/home?a=b");

    let base = server.base().join("loop/").unwrap();
    let error = fetch_at(&base, &transactions(), None).await.unwrap_err();
    assert!(error.to_string().contains("too many redirects"), "{error}");
    assert_eq!(server.requests().len(), 2 + 6);
}

#[tokio::test]
async fn redirects_from_a_private_base_lead_to_no_other_private_host() {
    let other = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let port = other.local_addr().unwrap().port();
    for host in
        ["127.0.0.2", "2130706434", "[::ffff:127.0.0.2]", "localhost.", "127.0.0.2.nip.home"]
    {
        let to = format!("http://{host}:{port}/x");
        let server = scripted([Behavior::Respond(response_head(302, &[("location", &to)]))]);
        let error = fetch(&server, &transactions(), None).await.unwrap_err();
        assert!(error.to_string().contains("a redirect to a private network"), "{to}: {error}");
    }
    other.accept().unwrap_err();
}

/// A response that stops in the middle of its body.
fn stalled_body() -> Behavior {
    let json = [("content-type", "application/json"), ("content-length", "1000")];
    Behavior::Stall([&response_head(200, &json)[..], b"{\"items\":["].concat())
}

#[tokio::test]
async fn dropped_request_closes_the_connection() {
    for behavior in [Behavior::Stall(Vec::new()), stalled_body()] {
        let server = scripted([behavior]);
        let question = transactions();
        tokio::select! {
            answer = fetch(&server, &question, None) => panic!("{answer:?}"),
            () = server.until_requested(1) => {}
        }
        server.until_closed(1).await;
    }
}

#[tokio::test]
async fn silent_server_times_out() {
    for behavior in [Behavior::Stall(Vec::new()), stalled_body()] {
        let server = scripted([behavior]);
        let question = transactions();
        // A paused clock jumps to the next deadline when all tasks are idle.
        let jump = async {
            server.until_requested(1).await;
            tokio::time::pause();
        };
        let answer = timeout(Duration::from_mins(1), fetch(&server, &question, None));
        let (answer, ()) = tokio::join!(answer, jump);
        let answer = answer.expect("the client gave up by itself");
        assert_eq!(answer.unwrap_err(), ApiError::TimedOut { seconds: 40 });
        tokio::time::resume();
        server.until_closed(1).await;
    }
}

/// The program in a clean environment.
fn program(chain: &str, more: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(["get", "transactions", ALICE, "--chain", chain]).args(more);
    for name in ["CHAINGLASS_CHAIN", "NO_PROXY", "no_proxy"] {
        program.env_remove(name);
    }
    program.env("XDG_STATE_HOME", crate::session::UNUSABLE_DIR);
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR).stdin(Stdio::null());
    program
}

/// Runs the program against a server.
fn run(server: &FakeServer, more: &[&str]) -> (Option<i32>, String, String) {
    finished(&program(server.base().as_str(), more).output().unwrap())
}

fn finished(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Transactions with these numbers as hashes.
fn numbered_rows(numbers: std::ops::Range<u64>) -> String {
    let rows = numbers.map(|n| format!("{{\"hash\":\"0x{n:064x}\"}}"));
    rows.collect::<Vec<_>>().join(",")
}

#[test]
fn loopback_bypasses_the_proxy() {
    let proxy = scripted([page(ROW, "null")]);
    let through_proxy = |chain: &str| {
        let mut program = program(chain, &["--limit", "1", "--format", "jsonl"]);
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
            program.env(name, proxy.base().as_str());
        }
        finished(&program.output().unwrap())
    };
    let (status, rows, stderr) = through_proxy("demo");
    assert_eq!((status, rows.lines().count(), stderr.as_str()), (Some(0), 1, ""));
    assert!(proxy.requests().is_empty());

    let (status, rows, stderr) = through_proxy("http://explorer.invalid");
    assert_eq!((status, rows.as_str(), stderr.as_str()), (Some(0), &*format!("{ROW}\n"), ""));
    assert!(proxy.api_requests()[0].target.starts_with("http://explorer.invalid/api/v2/"));
}

#[test]
fn dead_proxy_is_named_without_credentials() {
    let port = ClosedPort::bind();
    let address = port.address();
    for chain in ["http://explorer.example.com", "https://eth.blockscout.com"] {
        let mut program = program(chain, &["--format", "jsonl"]);
        program.env("ALL_PROXY", format!("http://user:secret@{address}"));
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"] {
            program.env_remove(name);
        }
        let (status, _, stderr) = finished(&program.output().unwrap());
        assert!(stderr.contains(&format!("proxy {address}: connection refused")), "{stderr}");
        assert!(status == Some(1) && !stderr.contains("secret"), "{stderr}");
    }
}

#[test]
fn errors_are_one_line_with_the_right_exit_status() {
    let hostile = json(500, "{\"message\":\"one\\ntwo\\u001b[2J\u{202e}\"}");
    for (behavior, status, message) in [
        (page(ROW, "null"), 0, ""),
        (page("", "null"), 0, "no transactions\n"),
        (hostile, 1, "chainglass: HOST answered 500: one␊two␛[2J␦\n"),
        (
            json(404, r#"{"message":"Not found"}"#),
            3,
            "chainglass: HOST answered 404: Not found (not found on this chain)\n",
        ),
        (
            page("7", "null"),
            1,
            "cannot read row 1: expected an object, found 7\nchainglass: 1 row left out: not readable\n",
        ),
        (
            json(401, r#"{"message":"no key"}"#),
            1,
            "chainglass: HOST answered 401: no key (wrong or no key: add the host to [keys] in config.toml)\n",
        ),
    ] {
        let server = scripted([behavior]);
        let (exit_status, _, stderr) = run(&server, &["--format", "csv"]);
        let message = message.replace("HOST", server.base().authority());
        assert_eq!((exit_status, stderr), (Some(status), message));
    }
    let rows: Vec<_> = (0..1_001).map(|n| format!(r#"{{"hash":"0x{n:064x}"}}"#)).collect();
    for (limit, status) in [("1000", 0), ("1001", 1)] {
        let server = scripted([page(&rows.join(","), "null")]);
        let (exit_status, _, stderr) = run(&server, &["--format", "csv", "--limit", limit]);
        assert_eq!(exit_status, Some(status), "{limit}: {stderr}");
        assert!(stderr.contains("page cut at 1,000 of 1,001 rows"), "{stderr}");
    }
    for wrong in [&["--limit", "x"][..], &["--limit", "1", "--all"], &["--filter", "both"]] {
        let (exit_status, stdout, stderr) = finished(&program("demo", wrong).output().unwrap());
        assert_eq!((exit_status, stdout.as_str()), (Some(2), ""), "{stderr}");
        assert!(!stderr.is_empty());
    }
    let (exit_status, _, stderr) = finished(&program("nowhere", &[]).output().unwrap());
    assert_eq!((exit_status, stderr.lines().count()), (Some(2), 1), "{stderr}");
}

#[test]
fn closed_pipe_exits_successfully() {
    let mut child = program("demo", &["--all", "--format", "jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // Dropping the pipe closes it.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with('{'), "{line}");
    let (status, _, stderr) = finished(&child.wait_with_output().unwrap());
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
}

#[test]
fn limit_spans_pages() {
    let pages = || {
        fake_server(|request, before| match before {
            _ if request.is_probe() => json(405, ""),
            0 => page(&numbered_rows(0..50), "{\"at\":1}"),
            1 => page(&numbered_rows(49..99), "{\"at\":2}"),
            2 => page(&numbered_rows(99..110), "null"),
            _ => json(500, "\"a page too many\""),
        })
    };
    for (limit, rows, asked) in [
        (&[][..], 50, 1),
        (&["--limit", "1"], 1, 1),
        (&["--limit", "51"], 51, 2),
        (&["--limit", "99"], 99, 2),
        (&["--limit", "100"], 100, 3),
        (&["--limit", "1000"], 110, 3),
        (&["--all"], 110, 3),
    ] {
        let server = pages();
        let (status, stdout, stderr) = run(&server, &[limit, &["--format", "jsonl"]].concat());
        let more = "50 rows; more with --all or --limit N\n";
        let note = if limit.is_empty() { more } else { "" };
        assert_eq!((status, stderr.as_str()), (Some(0), note), "{limit:?}");
        let expected = numbered_rows(0..rows).replace("},{", "}\n{");
        assert_eq!(stdout.trim_end(), expected, "{limit:?}: the row on two pages comes once");
        assert_eq!(server.api_requests().len(), asked, "{limit:?}");
    }
    let (status, stdout, stderr) = run(&pages(), &["--limit", "0"]);
    assert_eq!((status, &*stdout), (Some(2), ""), "no rows were asked for: {stderr}");
}

#[test]
fn rows_before_a_failure_are_printed() {
    let cursor = "{\"at\":1}";
    for (second, message) in [
        (json(500, "\"Internal server error\""), " answered 500: Internal server error"),
        (page("", cursor), ": the pages repeat after 1 row (no more"),
        (page("", "7"), "invalid response: expected an object, found 7"),
    ] {
        let server = fake_server(move |request, before| match before {
            _ if request.is_probe() => json(405, ""),
            0 => page(ROW, cursor),
            _ => second.clone(),
        });
        let (status, stdout, stderr) = run(&server, &["--all", "--format", "jsonl"]);
        assert_eq!((status, stdout.as_str()), (Some(1), &*format!("{ROW}\n")));
        assert!(stderr.contains(message) && stderr.lines().count() == 1, "{stderr}");
    }
}

#[test]
fn csv_formula_cells_are_escaped() {
    let methods = ["=HYPERLINK(\"http://x\",1)", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", "a,b"];
    let rows = methods.iter().zip(0..).map(|(method, n)| {
        let method = serde_json::to_string(method).unwrap();
        format!("{{\"hash\":\"0x{n:064x}\",\"method\":{method}}}")
    });
    let server = scripted([page(&rows.collect::<Vec<_>>().join(","), "null")]);
    let (_, stdout, _) = run(&server, &["--format", "csv"]);
    let mut table = csv::Reader::from_reader(stdout.as_bytes());
    let column = table.headers().unwrap().iter().position(|name| name == "method").unwrap();
    let read: Vec<String> = table.records().map(|row| row.unwrap()[column].to_owned()).collect();
    // No function has such a name, so they are quoted too.
    let safe = methods.map(|method| format!("“{}”", SafeText::new(method)));
    assert_eq!(read, safe);
}

#[test]
fn jsonl_is_verbatim_but_sanitized() {
    let row = "{ \"hash\" : 1.0e3,\n \"a\":[-0,1E+2,115792089237316195423570985008687907853269984665640564039457584007913129639935],\"n\":\"\u{202e}\u{7f}\u{9b}\\u001b\u{e0041}\\\"\",\"k\u{200b}\":0.10,\"a\":null}";
    let safe = r#"{"hash":1.0e3,"a":[-0,1E+2,115792089237316195423570985008687907853269984665640564039457584007913129639935],"n":"\u202e\u007f\u009b\u001b\udb40\udc41\"","k\u200b":0.10,"a":null}"#;
    let (status, stdout, _) = run(&scripted([page(row, "null")]), &["--format", "jsonl"]);
    assert_eq!((status, stdout.trim_end()), (Some(0), safe));
}
