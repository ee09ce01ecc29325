//! Named ways in which a response goes wrong, and the message that the user sees.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use chainglass::test_api::api::{
    AddressQuery, BatchQuery, BlockQuery, ChainQuery, EthCall, FailureQuery, InstanceKey,
    InstanceQuery, LogFilter, LogTimes, Query, StorageBatch, StorageRead, TokenQuery,
    TransactionQuery,
};
use chainglass::test_api::chain::{Address, BlockId, Bytes, Timestamp, TxHash, U256};

use crate::fake_server::{Behavior, gzip, gzip_response, json, page, response_head, with_type};

/// A transaction with only a hash.
pub(crate) const ROW: &str =
    r#"{"hash":"0x1111111111111111111111111111111111111111111111111111111111111111"}"#;
/// Its abbreviated hash.
pub(crate) const ROW_TEXT: &str = "0x1111";

/// The content type of JSON responses.
const JSON: (&str, &str) = ("content-type", "application/json");

/// The outcome on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The rows, despite the fault.
    Rows,
    /// An error instead of rows.
    Error,
}

/// A faulty response.
#[derive(Debug, Clone)]
pub(crate) struct FaultCase {
    pub(crate) name: &'static str,
    /// Sent instead of a page of transactions.
    pub(crate) behavior: Behavior,
    pub(crate) expected: Expected,
    /// Part of the expected message.
    pub(crate) message: &'static str,
}

fn error_case(name: &'static str, behavior: Behavior, message: &'static str) -> FaultCase {
    FaultCase { name, behavior, expected: Expected::Error, message }
}

fn rows_case(name: &'static str, behavior: Behavior) -> FaultCase {
    FaultCase { name, behavior, expected: Expected::Rows, message: ROW_TEXT }
}

/// A valid page with one row.
pub(crate) fn page_body() -> String {
    format!("{{\"items\":[{ROW}],\"next_page_params\":null}}")
}

/// The valid page with a part replaced.
fn page_with(part: &str, other: &str) -> String {
    page_body().replacen(part, other, 1)
}

fn json_response(headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    [&response_head(200, &[&[JSON], headers].concat())[..], body].concat()
}

/// Compressed once because it takes a while.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| gzip(&vec![b' '; 70 << 20]));

/// All fault cases.
pub(crate) fn fault_cases() -> Vec<FaultCase> {
    [transport_faults(&page_body()), unreadable_bodies(), unusual_json()].concat()
}

/// A query of each kind, with a valid response.
pub(crate) fn queries() -> Vec<(Query, String)> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    let golden = |file: &str| std::fs::read_to_string(golden.join(file)).unwrap();
    let (address, token, hash) = (Address::ZERO, Address::ZERO, TxHash::ZERO);
    let (block, key) = (BlockId::Number(13), InstanceKey { token, id: U256::ONE });
    let holder = None;
    let by_file = [
        (Query::Contract(address), "contract_proxy.json"),
        (Query::Transaction(hash, TransactionQuery::Details), "tx_swap.json"),
        (Query::Transaction(hash, TransactionQuery::InternalTransactions), "internal_factory.json"),
        (Query::Transaction(hash, TransactionQuery::TokenTransfers), "transfers_of_swap.json"),
        (Query::Transaction(hash, TransactionQuery::Logs), "logs_swap.json"),
        (Query::Transaction(hash, TransactionQuery::LogsInCalls), "logs_swap.json"),
        (Query::Transaction(hash, TransactionQuery::StateChanges), "state_changes_swap.json"),
        (Query::Transaction(hash, TransactionQuery::RawTrace), "trace_swap.json"),
        (Query::Transaction(hash, TransactionQuery::Console), "console_desk.json"),
        (Query::Transaction(hash, TransactionQuery::UndoneLogs), "logs_swap.json"),
        (Query::Redirect("alice.eth".into()), "redirect_tx.json"),
        (Query::Block(block, BlockQuery::Details), "block_13.json"),
        (Query::Block(block, BlockQuery::Transactions), "in_block_transactions.json"),
        (Query::Block(block, BlockQuery::InternalTransactions), "in_block_internals.json"),
        (Query::Block(block, BlockQuery::Withdrawals), "in_block_withdrawals.json"),
        (Query::Block(block, BlockQuery::BeaconDeposits), "beacon_deposits.json"),
        (Query::Batch(120, BatchQuery::Details), "optimism_batch.json"),
        (Query::Batch(120, BatchQuery::Blocks), "blocks.json"),
        (Query::Batch(120, BatchQuery::Transactions), "chain_transactions.json"),
        (Query::UserOperation(hash), "user_operation.json"),
        (Query::LatestBlocks, "main_blocks.json"),
        (Query::LatestTransactions, "main_transactions.json"),
        (Query::Stats, "stats.json"),
        (Query::WebConfig, "web_config.json"),
        (Query::DailyTransactions, "chart_transactions.json"),
        (Query::Search("gl".into()), "search_gl.json"),
        (Query::token_transfers(Some(address)), "transfers_alice.json"),
        (Query::Token(token, TokenQuery::Instances { holder }), "instances_pane.json"),
        (Query::Instance(key, InstanceQuery::Details), "instance_pane.json"),
        (Query::Instance(key, InstanceQuery::Transfers), "transfers_item_1.json"),
        (Query::Instance(key, InstanceQuery::Holders), "holders_item_1.json"),
        (Query::Token(token, TokenQuery::Details), "token_sat.json"),
        (Query::Token(token, TokenQuery::Counters), "token-counters_item.json"),
        (Query::Token(token, TokenQuery::Transfers), "transfers_of_item.json"),
        (Query::Token(token, TokenQuery::Holders), "holders_item.json"),
    ];
    let further = transaction_parts(hash).into_iter().chain(address_queries(address));
    let by_file = by_file.into_iter().chain(further);
    let by_file = by_file.map(|(query, file)| (query, golden(file).trim().to_owned()));
    let of_chain = chain_queries().map(|(file, query)| {
        (Query::Chain(query), golden(&format!("{file}.json")).trim().to_owned())
    });
    by_file.chain(of_chain).chain(written_queries(address, hash)).collect()
}

/// Queries whose responses are short, or not recorded.
fn written_queries(address: Address, hash: TxHash) -> impl Iterator<Item = (Query, String)> {
    let call = Query::Call(EthCall { to: address, data: Bytes::new(), block: Some(100) });
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":"0x01"}"#;
    let slot = Query::Storage(StorageRead { address, slot: U256::ZERO, block: None });
    let words = StorageBatch { address, slots: vec![U256::ZERO], block: None };
    let failed = FailureQuery { transaction: hash, contract: None, depth: 1, gas: None };
    let line = r#"{"file_path":"Vault.sol","line":7,"is_exact":true}"#;
    let stack = r#"{"calls":[{"function":"go","file_path":"Vault.sol","line":7}],"left_out":0}"#;
    let asked_stack = Query::Transaction(hash, TransactionQuery::FailureStack);
    let filter = LogFilter { contract: Some(address), topics: Vec::new(), after: None };
    let listed = r#"{"jsonrpc":"2.0","id":1,"result":[]}"#;
    let times = LogTimes { topics: [hash; 2], first_block: 1, last_block: 7 };
    let timed_logs = r#"{"message":"OK","result":[],"status":"1"}"#;
    let block_by_time = Query::BlockByTime(Timestamp::UNIX_EPOCH);
    let number = r#"{"message":"OK","result":{"blockNumber":"7"},"status":"1"}"#;
    let written = [
        (call, answer),
        (slot, answer),
        (Query::StorageWords(words), r#"[{"jsonrpc":"2.0","id":0,"result":"0x01"}]"#),
        (Query::Logs(filter), listed),
        (Query::LogTimes(times), timed_logs),
        (Query::FailureLine(failed), line),
        (asked_stack, stack),
        (block_by_time, number),
    ];
    written.into_iter().map(|(query, body)| (query, body.to_owned()))
}

/// The lists of the whole chain, each with the name of its responses.
pub(crate) fn chain_queries() -> impl Iterator<Item = (&'static str, ChainQuery)> {
    let queries = [
        ("blocks", ChainQuery::Blocks),
        ("chain_transactions", ChainQuery::Transactions),
        ("transfers_alice", ChainQuery::Transfers { types: Vec::new() }),
        ("chain_tokens", ChainQuery::Tokens { types: Vec::new() }),
        ("activity_alice", ChainQuery::Activity(Box::default())),
        ("console_desk", ChainQuery::Console),
        ("pending_transactions", ChainQuery::Pending),
        ("internal_factory", ChainQuery::InternalTransactions),
        ("accounts", ChainQuery::Accounts),
        ("verified_contracts", ChainQuery::VerifiedContracts),
        ("hot_contracts", ChainQuery::HotContracts),
        ("withdrawals", ChainQuery::Withdrawals),
        ("beacon_deposits", ChainQuery::BeaconDeposits),
        ("user_operations", ChainQuery::UserOperations),
        ("bundles", ChainQuery::Bundles),
        ("smart_accounts", ChainQuery::SmartAccounts),
        ("paymasters", ChainQuery::Bundlers),
        ("paymasters", ChainQuery::Factories),
        ("paymasters", ChainQuery::Paymasters),
        ("optimism_batches", ChainQuery::OptimismBatches),
        ("optimism_deposits", ChainQuery::OptimismDeposits),
        ("optimism_withdrawals", ChainQuery::OptimismWithdrawals),
        ("dispute_games", ChainQuery::DisputeGames),
        ("output_roots", ChainQuery::OutputRoots),
    ];
    queries.into_iter()
}

/// The lists that a transaction carried, each with the file of its response.
fn transaction_parts(hash: TxHash) -> [(Query, &'static str); 4] {
    let queries = [
        (TransactionQuery::Blobs, "blobs.json"),
        (TransactionQuery::BeaconDeposits, "beacon_deposits.json"),
        (TransactionQuery::UserOperations, "user_operations.json"),
        (TransactionQuery::ExternalTransactions, "external_transactions.json"),
    ];
    queries.map(|(query, file)| (Query::Transaction(hash, query), file))
}

/// The queries of an address, each with the file of its response.
fn address_queries(address: Address) -> [(Query, &'static str); 19] {
    let (direction, types) = (None, Vec::new);
    let queries = [
        (AddressQuery::Details, "address_alice.json"),
        (AddressQuery::Counters, "counters_alice.json"),
        (AddressQuery::TabCounters, "tab_counters_alice.json"),
        (AddressQuery::Transactions { direction }, "transactions_alice.json"),
        (AddressQuery::Pending, "pending_transactions.json"),
        (AddressQuery::InternalTransactions { direction }, "internal_factory.json"),
        (AddressQuery::Logs, "logs_swap.json"),
        (AddressQuery::Events { topic: TxHash::ZERO }, "logs_swap.json"),
        (AddressQuery::Tokens { types: types() }, "tokens_alice.json"),
        (AddressQuery::PastTokens { types: types(), block: 100 }, "tokens_alice.json"),
        (AddressQuery::Collections { types: types() }, "collections_alice.json"),
        (AddressQuery::Approvals { is_history: false }, "approvals_alice.json"),
        (AddressQuery::Activity(Box::default()), "activity_alice.json"),
        (AddressQuery::BalanceHistory, "balances_alice.json"),
        (AddressQuery::DailyBalances, "days_alice.json"),
        (AddressQuery::Withdrawals, "withdrawals.json"),
        (AddressQuery::Blocks, "blocks.json"),
        (AddressQuery::BeaconDeposits, "beacon_deposits.json"),
        (AddressQuery::UserOperations, "user_operations.json"),
    ];
    queries.map(|(query, file)| (Query::Address(address, query), file))
}

/// The variants of a query, without its values: `Block Withdrawals`.
pub(crate) fn query_kind(query: &Query) -> String {
    let own: &str = match query {
        Query::Address(_, query) => query.into(),
        Query::Batch(_, query) => query.into(),
        Query::Block(_, query) => query.into(),
        Query::Chain(query) => query.into(),
        Query::Instance(_, query) => query.into(),
        Query::Token(_, query) => query.into(),
        Query::Transaction(_, query) => query.into(),
        _ => "",
    };
    format!("{} {own}", <&str>::from(query))
}

/// The cases of [`transport_faults`] that take no time.
pub(crate) fn quick_faults(body: &str) -> Vec<FaultCase> {
    let mut faults =
        [interrupted_responses(body), non_http_responses(), client_errors(), server_errors()]
            .concat();
    faults.push(rows_case("a whole response", json(200, body)));
    faults
}

/// The cases that are the same for every kind of `body`, which is a valid one.
pub(crate) fn transport_faults(body: &str) -> Vec<FaultCase> {
    [
        slow_responses(body),
        interrupted_responses(body),
        oversized_responses(body),
        non_http_responses(),
        client_errors(),
        server_errors(),
    ]
    .concat()
}

fn slow_responses(body: &str) -> Vec<FaultCase> {
    let good = json(200, body);
    let Behavior::Respond(bytes) = &good else { return Vec::new() };
    vec![
        rows_case("latency", Behavior::Delay(Duration::from_millis(20), Box::new(good.clone()))),
        rows_case("one byte at a time", Behavior::Trickle(bytes.clone())),
        error_case(
            "a hang before the headers",
            Behavior::Stall(Vec::new()),
            "no response within 40 s",
        ),
        error_case(
            "a hang in the body",
            Behavior::Stall(json_response(&[("content-length", "1000")], b"{\"items\":[")),
            "no response within 40 s",
        ),
    ]
}

fn interrupted_responses(body: &str) -> Vec<FaultCase> {
    let half = &body.as_bytes()[..body.len() / 2];
    let zipped = gzip(body.repeat(50).as_bytes());
    let (less, more) = ((body.len() - 9).to_string(), (body.len() + 9).to_string());
    let chunk = format!("{:x}\r\n{body}\r\n", body.len());
    let chunked = json_response(&[("transfer-encoding", "chunked")], chunk.as_bytes());
    let cut = "the response was cut off: ";
    vec![
        error_case(
            "closed before the headers",
            Behavior::Respond(Vec::new()),
            "cannot reach 127.0.0.1: ",
        ),
        error_case(
            "a reset before the headers",
            Behavior::Reset(Vec::new()),
            "cannot reach 127.0.0.1: ",
        ),
        error_case(
            "a reset in the body",
            Behavior::Reset(json_response(&[("content-length", &more)], half)),
            cut,
        ),
        error_case(
            "a short body",
            Behavior::Respond(json_response(&[("content-length", &more)], half)),
            cut,
        ),
        error_case(
            "a content-length that is too small",
            Behavior::Respond(json_response(&[("content-length", &less)], body.as_bytes())),
            "invalid response: ",
        ),
        error_case(
            "two content-lengths",
            Behavior::Respond(json_response(
                &[("content-length", &less), ("content-length", &more)],
                half,
            )),
            "cannot reach 127.0.0.1: ",
        ),
        error_case("a missing last chunk", Behavior::Respond(chunked.clone()), cut),
        error_case("a bad chunk", Behavior::Respond([&chunked[..], b"zz\r\n"].concat()), cut),
        error_case("a truncated gzip", gzip_response(&zipped[..zipped.len() / 2]), cut),
        error_case("a gzip that is none", gzip_response(body.as_bytes()), cut),
    ]
}

fn oversized_responses(body: &str) -> Vec<FaultCase> {
    let large = "the response is larger than 64 MB (a narrower filter may help)";
    let megabyte = vec![b' '; 1 << 20];
    let length = (300_u64 << 20).to_string();
    let measured = json_response(&[("content-length", &length)], b"");
    vec![
        error_case("a gzip bomb", gzip_response(&BOMB), large),
        error_case("a body of 300 MB", Behavior::Flood(measured, megabyte.clone(), 300), large),
        error_case(
            "an endless body",
            Behavior::Endless(json_response(&[], b"{\"items\":["), megabyte),
            large,
        ),
        error_case(
            "endless headers",
            Behavior::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: y\r\n".repeat(1000)),
            "cannot reach 127.0.0.1: ",
        ),
        error_case(
            "a header of 1 MB",
            Behavior::Respond(json_response(&[("x", &"y".repeat(1 << 20))], body.as_bytes())),
            "cannot reach 127.0.0.1: ",
        ),
    ]
}

fn non_http_responses() -> Vec<FaultCase> {
    let nowhere = "cannot reach 127.0.0.1: ";
    let moved = |to: &str| Behavior::Respond(response_head(302, &[("location", to)]));
    vec![
        error_case(
            "SSH instead of HTTP",
            Behavior::Respond(b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec()),
            nowhere,
        ),
        error_case("zeros instead of HTTP", Behavior::Respond(vec![0; 1000]), nowhere),
        error_case("a redirect loop", moved("?again"), "too many redirects"),
        error_case(
            "a redirect to no web address",
            moved("file:///etc/passwd"),
            "a redirect to a URL that is not http(s) was not followed",
        ),
        error_case(
            "a redirect without a place",
            Behavior::Respond(response_head(301, &[])),
            "not a Blockscout API: HTTP 301",
        ),
    ]
}

const HTML: &str = "<!DOCTYPE html><title>Just a moment...</title>";

fn client_errors() -> Vec<FaultCase> {
    let base = "(is this a Blockscout URL?)";
    vec![
        error_case("400", json(400, r#"{"message":"Params 'module'"}"#), base),
        error_case(
            "400 of a path that the explorer lacks",
            json(400, r#"{"message":"Unknown API v2 action"}"#),
            "(this explorer lacks it)",
        ),
        error_case(
            "401",
            json(401, r#"{"error":"Unauthorized"}"#),
            "401: Unauthorized (wrong or no key: ",
        ),
        error_case(
            "402",
            json(402, r#"{"error":"Out of credits"}"#),
            "out of credits of the API key (--chain URL bypasses the PRO API)",
        ),
        error_case(
            "403",
            json(403, r#"{"message":"Restricted access"}"#),
            "403: Restricted access",
        ),
        error_case("404", json(404, r#"{"message":"Not found"}"#), "not found on "),
        error_case(
            "406",
            with_type(406, "text/html", "Not Acceptable"),
            "a web page, not a Blockscout API (HTTP 406)",
        ),
        error_case(
            "422, the old form",
            json(422, r#"{"message":"Invalid parameter(s)"}"#),
            "422: Invalid parameter(s)",
        ),
        error_case(
            "422, the new form",
            json(
                422,
                r#"{"errors":[{"title":"Invalid value","source":{"pointer":"/sort"},"detail":"Unexpected field: sort"}]}"#,
            ),
            "422: sort: Unexpected field: sort",
        ),
    ]
}

fn server_errors() -> Vec<FaultCase> {
    let waiting = json(429, r#"{"message":"Too many requests"}"#);
    let limited =
        response_head(429, &[JSON, ("x-ratelimit-reset", "100"), ("x-ratelimit-limit", "5")]);
    let long = "\u{202e}\u{1b}[2J\u{1b}]52;c;AAAA\u{7}".repeat(10_000);
    vec![
        error_case("429 without headers", waiting, "429: Too many requests (wait a moment)"),
        error_case("429 with headers", Behavior::Respond(limited), "429"),
        error_case(
            "500, a bare string",
            json(500, r#""Internal server error""#),
            "500: Internal server error",
        ),
        error_case(
            "501",
            json(501, r#"{"message":"ServerClient is disabled"}"#),
            "501: ServerClient is disabled",
        ),
        // A web page, or "answered 502" once the API has answered.
        error_case("502 as HTML", with_type(502, "text/html", HTML), "502"),
        error_case("503 as HTML", with_type(503, "text/html", HTML), "503"),
        error_case("504 as HTML", with_type(504, "text/html", HTML), "504"),
        error_case(
            "522 as HTML",
            with_type(522, "text/html", HTML),
            "127.0.0.1: the CDN cannot reach the server (HTTP 522)",
        ),
        error_case(
            "200 with HTML",
            with_type(200, "text/html", HTML),
            "a web page, not a Blockscout API (HTTP 200)",
        ),
        error_case("204", Behavior::Respond(response_head(204, &[])), "HTTP 204"),
        error_case(
            "an error of hostile words",
            json(500, serde_json::json!({ "message": long }).to_string()),
            "500: ␦␛[2J␛]52;c;AAAA␇",
        ),
        error_case(
            "an error in broken JSON",
            json(503, "{\"message\":\"cut of"),
            "(wait a moment)",
        ),
    ]
}

fn unreadable_bodies() -> Vec<FaultCase> {
    let no = "invalid response: ";
    let read = |name, body: &[u8]| error_case(name, json(200, body), no);
    let body = page_body();
    vec![
        read("an empty body", b""),
        read("invalid JSON", page_with(":[", "=[").as_bytes()),
        read("truncated JSON", &body.as_bytes()[..body.len() - 5]),
        read("more after the JSON", [&body[..], "}"].concat().as_bytes()),
        read("10,000 arrays in each other", "[".repeat(10_000).as_bytes()),
        read(
            "bad UTF-8",
            &page_with("null", "\"x\"").replace('x', "\u{80}").into_bytes()[..]
                .iter()
                .map(|b| if *b == 0xc2 { 0xff } else { *b })
                .collect::<Vec<_>>(),
        ),
        read("NaN", page_with("null", "NaN").as_bytes()),
        read("null", b"null"),
        read("items that are null", b"{\"items\":null,\"next_page_params\":null}"),
        read("items that are an object", b"{\"items\":{\"0\":{}},\"next_page_params\":null}"),
        read("no items", b"{\"next_page_params\":null}"),
    ]
}

fn unusual_json() -> Vec<FaultCase> {
    let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    let good = |name, body: String| rows_case(name, json(200, body));
    let mixed = format!("[7,null,\"x\",[],{ROW},{{}},{deep}]");
    vec![
        good("a byte order mark", ["\u{feff}", &page_body()].concat()),
        good("a key given twice", page_with("\"hash\"", "\"fee\":1,\"fee\":2,\"hash\"")),
        good("items of every type", page_with(&format!("[{ROW}]"), &mixed)),
        good("10,000 arrays in a row", page_with("{\"hash\"", &format!("{{\"x\":{deep},\"hash\""))),
        good("a cursor that is a string", page_with("null", "\"next\"")),
        good("a cursor that is an array", page_with("null", "[1]")),
        rows_case(
            "no content type",
            Behavior::Respond([&response_head(200, &[])[..], page_body().as_bytes()].concat()),
        ),
        rows_case("JSON that says it is HTML", with_type(200, "text/html", page_body())),
        rows_case("no cursor", page_without_cursor()),
    ]
}

fn page_without_cursor() -> Behavior {
    let Behavior::Respond(_) = page(ROW, "null") else { return Behavior::Respond(Vec::new()) };
    json(200, format!("{{\"items\":[{ROW}]}}"))
}
