//! The demo server's responses to invalid requests and misbehaving clients.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
};

use chainglass::test_api::chain::{Network, Timestamp, U256};
use chainglass::test_api::demo_server::HIGHLIGHTS;
use chainglass::test_api::net::Provider;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::demo_items::{NEVER_USED, RECURSOR, SWALLOW_ALL, TREE_11_2};
use crate::demo_server_client::{ALICE, ServerClient, demo_server};

/// A transaction with 51 payments.
const SPLIT: &str = "0x99337d67e257212b7878b14088d66654ec97d8c544c5ef6ee28d0989cbf98a3d";

fn error(server: &ServerClient, target: &str, status: u16) -> Value {
    let (ours, body) = server.get(target);
    assert_eq!(ours, status, "{target}: {body}");
    serde_json::from_str(&body).unwrap()
}

/// The parameters and details of the errors that a 422 response has.
fn errors(server: &ServerClient, target: &str) -> Vec<(String, String)> {
    let body = error(server, target, 422);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = body["errors"].as_array().unwrap().iter();
    errors.map(|it| (text(&it["source"]["pointer"]), text(&it["detail"]))).collect()
}

/// The invalid parameters that a 422 response names.
fn pointers(server: &ServerClient, target: &str) -> Vec<String> {
    let mut pointers: Vec<_> = errors(server, target).into_iter().map(|it| it.0).collect();
    pointers.dedup();
    pointers
}

#[test]
fn missing_items_return_404() {
    let server = demo_server(50);
    let hash = "ab".repeat(32);
    let not_found = json!({ "message": "Not found", "code": "not-found" });
    for target in [
        format!("/api/v2/transactions/0x{hash}"),
        format!("/api/v2/transactions/0x{hash}/raw-trace"),
        format!("/api/v2/transactions/0x{hash}/internal-transactions"),
        format!("/api/v2/tokens/{ALICE}"),
        format!("/api/v2/tokens/{ALICE}/instances"),
    ] {
        assert_eq!(error(&server, &target, 404), not_found);
    }
    let gld = "/api/v2/tokens/0x5fbdb2315678afecb367f032d93f642f64180aa3/instances";
    assert!(server.page(gld).items.is_empty());
    assert_eq!(error(&server, &format!("{gld}?holder_address_hash={ALICE}"), 404), not_found);
}

#[test]
fn unknown_actions_return_400() {
    let server = demo_server(50);
    let unknown = json!({ "message": "Unknown API v2 action" });
    for target in ["/api/v2", "/api/v2/nothing", "/api/v2/gas-price-oracle"] {
        assert_eq!(error(&server, target, 400), unknown);
    }
    let disabled = json!({ "message": "Service is disabled" });
    let target = "/api/v2/proxy/account-abstraction/operations";
    assert_eq!(error(&server, target, 501), disabled);
    for target in ["/", "/robots.txt"] {
        assert_eq!(error(&server, target, 404), json!("Page not found"));
    }
}

#[test]
fn block_of_a_time_is_the_newest_one_before() {
    let server = demo_server(50);
    let block: Value = server.json("/api/v2/blocks/333");
    let time: Timestamp = block["timestamp"].as_str().unwrap().parse().unwrap();
    let head = server.json("/api/v2/main-page/blocks")[0]["height"].to_string();
    let ask =
        |query: &str| server.json(&format!("/api?module=block&action=getblocknobytime&{query}"));
    let seconds = time.as_second();
    for (time, closest, number) in [
        (seconds, "before", "333"),
        (seconds - 1, "before", "332"),
        (seconds, "after", "333"),
        (seconds - 1, "after", "333"),
        (seconds + 1, "before", "333"),
        (i64::from(u32::MAX), "before", &head),
        (0, "before", "-1"),
        (0, "after", "0"),
    ] {
        let answer = ask(&format!("timestamp={time}&closest={closest}"));
        let expected =
            json!({ "message": "OK", "result": { "blockNumber": number }, "status": "1" });
        assert_eq!(answer, expected, "{time} {closest}");
    }
    for (query, message) in [
        ("closest=before", "Query parameter 'timestamp' is required"),
        ("timestamp=1", "Query parameter 'closest' is required"),
        ("timestamp=x&closest=before", "Invalid `timestamp` param"),
        ("timestamp=1&closest=here", "Invalid `closest` param"),
    ] {
        let expected = json!({ "message": message, "result": null, "status": "0" });
        assert_eq!(ask(query), expected, "{query}");
    }
    for (query, message) in [
        ("", "Params 'module' and 'action' are required parameters"),
        ("?module=block&action=getblockreward", "Unknown action"),
        ("?module=account&action=balance", "Unknown module"),
    ] {
        let expected = json!({ "message": message, "result": null, "status": "0" });
        assert_eq!(error(&server, &format!("/api{query}"), 400), expected);
    }
}

#[test]
fn posts_are_taken_as_json_at_their_path_only() {
    let server = demo_server(50);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}"#;
    let post = |path: &str, kind: &str| {
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}");
        server.send(format!("{head}\r\ncontent-type: {kind}\r\n\r\n{body}").as_bytes())
    };
    for (path, kind, status, answer) in [
        ("/", "application/json", 404, "Page not found"),
        ("/api/v2/token-transfers", "application/json", 400, "Unknown API v2 action"),
        ("/api/eth-rpc", "application/json; charset=utf-8", 200, "no eth_chainId here"),
        ("/api/eth-rpc", "text/plain", 415, "not application/json"),
        ("/api/eth-rpc", "application/x-www-form-urlencoded", 415, "not application/json"),
    ] {
        let ours = post(path, kind);
        assert!(ours.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {kind}: {ours}");
        assert!(ours.contains(answer), "{path} {kind}: {ours}");
    }
}

/// Answers to JSON-RPC: the result, or the error.
pub(crate) fn rpc(server: &ServerClient, method: &str, params: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = post(server, &body);
    assert_eq!(answer["id"], 7, "{answer}");
    answer.get("result").or_else(|| answer.get("error")).unwrap().clone()
}

fn post(server: &ServerClient, body: &Value) -> Value {
    let body = body.to_string();
    let head = "POST /api/eth-rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    let answer =
        server.send(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

#[test]
fn batch_has_an_answer_for_each_request() {
    let server = demo_server(50);
    let gold = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
    let read = |slot: u64, block: &str| {
        json!({ "jsonrpc": "2.0", "id": slot, "method": "eth_getStorageAt",
            "params": [gold, format!("{slot:#x}"), block] })
    };
    let answers = |requests: Vec<Value>| post(&server, &requests.into());
    let word = |n: u64| json!(format!("{n:#066x}"));
    for block in ["latest", "0x0"] {
        // Words after two blocks are not read at once.
        let all = answers(vec![read(2, "latest"), read(0xffff, block)]);
        let results: Vec<&Value> =
            all.as_array().unwrap().iter().flat_map(|one| [&one["id"], &one["result"]]).collect();
        assert_eq!(results, [&json!(2), &word(6), &json!(0xffff), &word(0)]);
    }
    let failed = answers(vec![read(0, "0xffff"), read(1, "0xffff")]);
    assert_eq!(failed[1]["error"]["message"], "no block 65,535 yet");
    let too_many = answers((0..257).map(|slot| read(slot, "latest")).collect());
    assert_eq!(too_many["error"], "too many requests in a batch");
}

#[test]
fn state_of_old_blocks_is_what_the_transfers_say() {
    let server = demo_server(50);
    let gold = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
    let holder = format!("{:0>64}", ALICE.trim_start_matches("0x").to_lowercase());
    let balance = |block: &str| {
        let call = json!([{ "to": gold, "data": format!("0x70a08231{holder}") }, block]);
        let word = rpc(&server, "eth_call", &call);
        U256::from_str_radix(word.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    };
    let page = format!("/api/v2/addresses/{ALICE}/token-transfers");
    let transfers = server.all_items(&page, &format!("token={gold}"));
    assert!(transfers.len() > 3);
    // Newest first: the balance before each is the one after the block before.
    let number = |transfer: &Value| transfer["block_number"].as_u64().unwrap();
    let mut after = balance("latest");
    for (n, transfer) in transfers.iter().enumerate() {
        if n.checked_sub(1).is_none_or(|n| number(&transfers[n]) != number(transfer)) {
            assert_eq!(balance(&format!("{:#x}", number(transfer))), after, "{transfer}");
        }
        let amount: U256 = transfer["total"]["value"].as_str().unwrap().parse().unwrap();
        let is = |side: &str| transfer[side]["hash"].as_str().unwrap().eq_ignore_ascii_case(ALICE);
        after = if is("to") { after - amount } else { after };
        after = if is("from") { after + amount } else { after };
    }
    assert_eq!((balance("earliest"), after), (U256::ZERO, U256::ZERO));
}

#[test]
fn parameters_of_state_are_refused_where_blockscout_refuses_them() {
    let server = demo_server(50);
    let call = |block: Value| json!([{ "to": ALICE, "data": "0x" }, block]);
    for (method, params, expected) in [
        ("eth_call", json!([]), "incorrect number of params"),
        ("eth_call", json!([{ "to": ALICE }]), "incorrect number of params"),
        ("eth_call", json!([{}, "latest"]), "missed `to` address"),
        ("eth_call", json!([{ "to": "0x1" }, "latest"]), "invalid `to` address"),
        ("eth_call", call(json!("100")), "invalid block number"),
        ("eth_call", call(json!(100)), "invalid block number"),
        ("eth_getStorageAt", json!([ALICE, "0x0"]), "incorrect number of params"),
        ("eth_getStorageAt", json!(["alice.eth", "0x0", "latest"]), "invalid address"),
        ("eth_getStorageAt", json!([ALICE, "0", "latest"]), "invalid integer"),
        ("eth_getStorageAt", json!([ALICE, "0x0", "newest"]), "invalid block number"),
        ("eth_sendRawTransaction", json!(["0x"]), "no eth_sendRawTransaction here"),
    ] {
        let error = rpc(&server, method, &params);
        let error = error.as_str().unwrap_or_else(|| panic!("{params}: {error}"));
        assert!(error.starts_with(expected), "{params}: {error}");
    }
    let later = rpc(&server, "eth_getStorageAt", &json!([ALICE, "0x0", "0xffff"]));
    assert_eq!(later["message"], "no block 65,535 yet");
}

#[test]
fn storage_is_what_the_chain_wrote() {
    let server = demo_server(50);
    let gold = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
    let factory = "0x0116686e2291dbd5e317f47fadbfb43b599786ef";
    let vault = "0x261d8c5e9742e6f7f1076fa1f560894524e19cad";
    let implementation = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    for (contract, slot, block, expected) in [
        (gold, "0x2", "latest", "0x6"),
        (gold, "0x2", "0x0", "0x0"),
        (gold, "0xffff", "latest", "0x0"),
        (factory, "0x0", "0xf", "0x0"),
        (factory, "0x0", "0x10", "0x3154b81043feed1095f2b351fede1ce3ecb96f3c"),
        (factory, "0x0", "0x2e", "0x3154b81043feed1095f2b351fede1ce3ecb96f3c"),
        (factory, "0x0", "0x2f", "0x4eda9e9daae4014e1d8b17792efba0ccca773567"),
        (vault, implementation, "latest", "0x57ef64e23666f000b34ae31332854acbd1c8544"),
        (ALICE, "0x0", "latest", "0x0"),
    ] {
        let word = rpc(&server, "eth_getStorageAt", &json!([contract, slot, block]));
        let word: U256 = word.as_str().unwrap().parse().unwrap();
        assert_eq!(word, expected.parse::<U256>().unwrap(), "{contract} {slot} {block}");
    }
}

#[test]
fn all_invalid_parameters_are_reported() {
    let server = demo_server(50);
    let list = format!("/api/v2/addresses/{ALICE}/transactions");
    for (query, expected) in [
        ("filter=", &["/filter"][..]),
        ("filter=both", &["/filter"]),
        ("sort=nonce&order=up", &["/order", "/sort"]),
        ("page=2&page_size=10", &["/page", "/page_size"]),
        ("type=ERC-20", &["/type"]),
        ("block_number=x&index=-1", &["/block_number", "/index"]),
        ("items_count=0", &["/items_count"]),
        ("items_count=51", &["/items_count"]),
        ("inserted_at=yesterday", &["/inserted_at"]),
        ("hash=0x12", &["/hash"]),
        ("fee=null", &["/fee"]),
        ("value=1.5", &["/value"]),
        ("index=4294967296", &["/index"]),
    ] {
        assert_eq!(pointers(&server, &format!("{list}?{query}")), expected, "{query}");
    }
    let both = pointers(&server, "/api/v2/addresses/0xAB/transactions?nope=1");
    assert_eq!(both, ["/address_hash_param", "/nope"]);
}

#[test]
fn parameter_of_several_forms_has_an_error_for_each() {
    let server = demo_server(50);
    let details = |target: &str| -> Vec<String> {
        let list = format!("/api/v2/addresses/{ALICE}/{target}");
        errors(&server, &list).into_iter().map(|it| it.1).collect()
    };
    let types = "ERC-20|ERC-721|ERC-1155|ERC-404|ERC-7984";
    assert_eq!(
        details("tokens?type=ERC-21"),
        [
            r#"Failed to cast value using any of: Schema(type: :string), Schema(title: "EmptyString", type: :string)"#,
            "String length is larger than maxLength: 0",
            &format!(r"Invalid format. Expected ~r/^\[?({types})(,({types}))*\]?$/i"),
        ]
    );
    assert_eq!(
        details("transactions?index=x"),
        [
            r#"Failed to cast value using any of: Schema(title: "NullString", type: :string), Schema(title: "EmptyString", type: :string), Schema(type: :integer)"#,
            "Invalid integer. Got: string",
            "String length is larger than maxLength: 0",
            "Invalid format. Expected ~r/^null$/",
        ]
    );
    for target in ["tokens?fiat_value=1.", "tokens?value=x", "transactions?block_number=x"] {
        assert_eq!(details(target).len(), 4, "{target}");
    }
    assert_eq!(details("token-transfers?index=x").len(), 1);
}

#[test]
fn limit_counts_logs() {
    let server = demo_server(50);
    let all = server.page("/api/v2/token-transfers").items;
    for (limit, items) in [(0, 0), (1, 1), (5, 7)] {
        let page = server.page(&format!("/api/v2/token-transfers?limit={limit}"));
        assert_eq!(page.items, all[..items]);
        assert!(page.next_page_params.is_none());
    }
    let ignored = server.page("/api/v2/token-transfers?limit=1000");
    assert_eq!(ignored.items, all);
    assert_eq!(ignored.cursor().unwrap()["limit"], "1000");
}

#[test]
fn collections_ignore_a_filter_for_fungible_tokens() {
    let server = demo_server(50);
    let list = |types: &str| {
        let path = format!("/api/v2/addresses/{ALICE}/nft/collections");
        server.all_items(&path, &format!("type={types}")).len()
    };
    assert_eq!((list(""), list("ERC-20")), (58, 58));
    let nfts = list("ERC-721");
    assert!(0 < nfts && nfts < 58);
    assert_eq!(list("ERC-20,ERC-721"), nfts);
}

#[test]
fn malformed_parameters_are_rejected() {
    let server = demo_server(50);
    for (target, expected) in [
        (format!("/api/v2/addresses/{ALICE}/token-transfers?type=ERC-21"), "/type"),
        (format!("/api/v2/addresses/{ALICE}/token-transfers?type=ERC-20,"), "/type"),
        (format!("/api/v2/addresses/{ALICE}/token-transfers?token=0x1"), "/token"),
        (format!("/api/v2/addresses/{ALICE}/tokens?fiat_value=1.2E-7"), "/fiat_value"),
        (format!("/api/v2/addresses/{ALICE}/tokens?id=null"), "/id"),
        (
            format!("/api/v2/addresses/{ALICE}/internal-transactions?transaction_index="),
            "/transaction_index",
        ),
        (format!("/api/v2/addresses/{ALICE}/nft/collections?token_type=ERC"), "/token_type"),
        ("/api/v2/token-transfers?items_count=50".to_owned(), "/items_count"),
        ("/api/v2/token-transfers?limit=-1".to_owned(), "/limit"),
        (format!("/api/v2/tokens/{ALICE}/instances?unique_token=0x1"), "/unique_token"),
        (format!("/api/v2/tokens/{ALICE}/instances?items_count=1"), "/items_count"),
        ("/api/v2/transactions/0x12".to_owned(), "/transaction_hash_param"),
        ("/api/v2/transactions/%ff/raw-trace".to_owned(), "/transaction_hash_param"),
        ("/api/v2/transactions/0x1/internal-transactions".to_owned(), "/transaction_hash_param"),
        (format!("/api/v2/transactions/{SWALLOW_ALL}/internal-transactions?filter=to"), "/filter"),
        (format!("/api/v2/transactions/{SWALLOW_ALL}/internal-transactions?index=x"), "/index"),
        (format!("/api/v2/addresses/{}", ALICE.to_uppercase()), "/address_hash_param"),
    ] {
        assert_eq!(pointers(&server, &target), [expected], "{target}");
    }
}

#[test]
fn addresses_ignore_letter_case() {
    let server = demo_server(10);
    let checksummed = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    let upper = ALICE.to_uppercase().replace("0X", "0x");
    let bodies = [ALICE, checksummed, &upper]
        .map(|address| server.get(&format!("/api/v2/addresses/{address}/transactions")));
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let swap = "0x0BBCD8EA5B312D9E1693F5E77A955F7DBF9C14BDA6904452FBD0FDD01A64B5E5";
    let lower = swap.to_lowercase();
    assert_eq!(
        server.json(&format!("/api/v2/transactions/{swap}")),
        server.json(&format!("/api/v2/transactions/{lower}")),
    );
}

#[test]
fn api_keys_are_accepted_and_not_echoed() {
    let server = demo_server(10);
    let list = format!("/api/v2/addresses/{ALICE}/transactions");
    let page = server.page(&format!("{list}?apikey=secret&key=secret&filter=from"));
    let cursor = page.cursor().unwrap();
    assert_eq!(cursor.get("filter"), Some(&"\"from\""));
    assert!(!cursor.contains_key("apikey") && !cursor.contains_key("key"), "{cursor:?}");
}

#[test]
fn search_finds_the_exact_symbol_first() {
    let found = demo_server(50).json("/api/v2/search?q=gld");
    let items = found["items"].as_array().unwrap();
    assert_eq!(items[0]["symbol"], "GLD", "{found}");
    assert!(items.iter().any(|item| item["symbol"] == "gvGLD"), "{found}");
}

#[test]
fn search_redirects_to_existing_items() {
    let server = demo_server(50);
    let redirect = |q: &str| server.json(&format!("/api/v2/search/check-redirect?q={q}"));
    for place in HIGHLIGHTS {
        let found = redirect(place.hash);
        let kind = if place.hash.len() == 42 { "address" } else { "transaction" };
        assert_eq!((&found["type"], &found["parameter"]), (&json!(kind), &json!(place.hash)));
    }
    let block = redirect("334");
    let hash = block["parameter"].as_str().unwrap();
    assert_eq!((&block["type"], hash.len()), (&json!("block"), 66));
    assert_eq!(redirect(hash), block);
    assert_eq!(redirect(&hash[2..]), block, "the prefix is optional");
    assert_eq!(redirect(&ALICE[2..]), redirect(ALICE));
    let unused = "0x1234567890123456789012345678901234567890";
    assert_eq!(redirect(unused)["parameter"], unused);
    let nothing = json!({ "redirect": false, "type": null, "parameter": null });
    for (name, whose) in [
        ("alice.eth", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
        ("%20ALICE.eth%20", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    ] {
        let found = redirect(name);
        assert_eq!((&found["type"], &found["parameter"]), (&json!("address"), &json!(whose)));
    }
    let nowhere = [
        "335",
        "",
        "alice",
        "Glass",
        "99999999999",
        "0x12",
        "GLD",
        "Glass%20Dollar",
        "g234567890123456789012345678901234567890",
    ];
    assert!(nowhere.iter().all(|q| redirect(q) == nothing));
}

#[test]
fn verified_contracts_have_names_and_abis() {
    let server = demo_server(50);
    let contract = |address: &str| server.json(&format!("/api/v2/smart-contracts/{address}"));
    let recursor = contract(RECURSOR);
    assert_eq!((&recursor["name"], &recursor["is_verified"]), (&json!("Recursor"), &json!(true)));
    let abi = recursor["abi"].as_array().unwrap();
    let tree = abi.iter().find(|entry| entry["name"] == "tree").unwrap();
    assert_eq!(
        tree["inputs"][1],
        json!({ "internalType": "uint256", "name": "f", "type": "uint256" })
    );
    let address = server.json(&format!("/api/v2/addresses/{RECURSOR}"));
    assert_eq!((&address["name"], &address["is_verified"]), (&json!("Recursor"), &json!(true)));

    let frozen = contract("0x2e983a1ba5e8b38aaaec4b440b9ddcfbf72e15d1");
    assert!(frozen.get("abi").is_none() && frozen.get("name").is_none(), "{frozen}");
    assert_eq!(frozen["creation_status"], "success");
    for nothing in [ALICE, NEVER_USED] {
        error(&server, &format!("/api/v2/smart-contracts/{nothing}"), 404);
    }
}

/// As a real server answers, in `blockscout-11.2.7.jsonl.gz`.
#[test]
fn lists_have_no_authorizations_and_creations_no_reasons() {
    let server = demo_server(50);
    let delegated = "/api/v2/addresses/0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097";
    assert_eq!(server.json(delegated)["creation_status"], "success");
    let list = server.page(&format!("{delegated}/transactions")).items;
    assert!(list.iter().all(|row| row["authorization_list"] == json!([])), "{list:?}");
    let details = list
        .iter()
        .map(|row| server.json(&format!("/api/v2/transactions/{}", row["hash"].as_str().unwrap())));
    let authorizations = details.map(|row| row["authorization_list"].as_array().unwrap().len());
    assert_eq!(authorizations.sum::<usize>(), 1);
    let failed = server.json(
        "/api/v2/transactions/0x37ca3b6399aebb6b6cf5ee3eb9d988cf80d95df42ed4a3a03c7cfc169effcba6",
    );
    assert_eq!(failed["revert_reason"], json!({ "raw": "" }));
    assert_eq!(failed["created_contract"]["is_contract"], true);
}

/// Checks that the server still responds correctly.
fn assert_alive(server: &ServerClient) {
    assert_eq!(server.page("/api/v2/token-transfers?limit=1").items.len(), 1);
}

#[test]
fn garbage_requests_are_refused() {
    let server = demo_server(50);
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"\0\0\0\0\r\n\r\n",
        b"hello\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(garbage).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // Either a 400 response or a closed connection.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400 "), "{answer:?}");
    }
    assert_alive(&server);
}

#[test]
fn oversized_headers_are_refused() {
    let server = demo_server(50);
    let line = format!("GET /?{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(1 << 20));
    let headers =
        format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(1000));
    for head in [line, headers, many] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        // The server stops reading before the end of the request.
        let _ = stream.write_all(head.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(
            !answer.starts_with(b"HTTP/1.1 2"),
            "headers of {} bytes were accepted",
            head.len()
        );
    }
    assert_alive(&server);
}

#[test]
fn only_local_hosts_are_served() {
    let server = demo_server(50);
    let status = |target: &str, headers: &str| {
        let answer = server.send(format!("GET {target} HTTP/1.1\r\n{headers}\r\n").as_bytes());
        answer[9..12].parse::<u16>().unwrap()
    };
    let path = "/api/v2/token-transfers";
    let own = server.address().to_string();
    for host in [&*own, "localhost", "LOCALHOST:1", "127.9.9.9", "[::1]:4000", "127.0.0.1"] {
        assert_eq!(status(path, &format!("Host: {host}\r\n")), 200, "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.nip.io",
        "localhost.evil.example",
        "10.0.0.1",
        "[::2]",
        "0x7f.1",
        "",
        "localhost\r\nHost: evil.example",
    ] {
        assert_eq!(status(path, &format!("Host: {host}\r\n")), 421, "{host}");
        assert_eq!(status("/", &format!("Host: {host}\r\n")), 421, "{host}");
    }
    assert_eq!(status(&format!("http://evil.example{path}"), "Host: localhost\r\n"), 421);
    assert_eq!(status(&format!("http://{own}{path}"), "Host: localhost\r\n"), 200);
}

#[test]
fn idle_connections_do_not_block_others() {
    let server = demo_server(50);
    let mut idle: Vec<TcpStream> = Vec::new();
    for number in 0..200 {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET /api/v2/token-transfers HTTP/1.1\r\nhost: lo").unwrap();
        }
        idle.push(stream);
    }
    assert_alive(&server);
    drop(idle);
    assert_alive(&server);
}

#[test]
fn unread_responses_do_not_block_others() {
    let server = demo_server(50);
    let request = format!(
        "GET /api/v2/transactions/{TREE_11_2}/raw-trace HTTP/1.1\r\nhost: localhost\r\n\r\n"
    );
    let idle: Vec<TcpStream> = (0..70)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_alive(&server);
    drop(idle);
}

#[test]
fn aborted_connections_are_cleaned_up() {
    let server = demo_server(50);
    for _ in 0..200 {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream
            .write_all(b"GET /api/v2/token-transfers HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .unwrap();
    }
    assert_alive(&server);
}

#[test]
fn connections_close_after_one_request() {
    let server = demo_server(50);
    let request = "GET /api/v2/token-transfers?limit=1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let answer = server.send(request.as_bytes());
    assert!(answer.to_lowercase().contains("\r\nconnection: close\r\n"), "{answer}");
}

#[test]
fn stopping_frees_the_port() {
    let server = demo_server(50);
    let address = server.address();
    server.stop();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn stopping_closes_open_connections() {
    let server = demo_server(50);
    let mut silent = TcpStream::connect(server.address()).unwrap();
    assert_alive(&server);
    silent.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
    server.stop();
    let read = silent.read(&mut [0; 1]);
    assert!(matches!(&read, Ok(0)) || read.is_err_and(|e| e.kind() != ErrorKind::WouldBlock));
}

#[test]
fn internal_transactions_are_in_call_order() {
    let server = demo_server(50);
    for (transaction, calls, failed, pages) in [(SWALLOW_ALL, 10, 9, 1), (SPLIT, 51, 0, 2)] {
        let path = format!("/api/v2/transactions/{transaction}/internal-transactions");
        let all = server.pages(&path, "");
        assert_eq!(all.len(), pages);
        let rows: Vec<&Value> = all.iter().flat_map(|page| &page.items).collect();
        assert!(rows.iter().all(|row| row["transaction_hash"] == transaction));
        let numbers: Vec<u64> = rows.iter().map(|row| row["index"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=calls).collect::<Vec<_>>(), "the top-level call is excluded");
        assert_eq!(rows.iter().filter(|row| row["success"] == false).count(), failed);
    }
    let first = server.page(&format!("/api/v2/transactions/{SPLIT}/internal-transactions"));
    let cursor = first.cursor().unwrap();
    let keys: Vec<&str> = cursor.keys().copied().collect();
    assert_eq!(keys, ["block_number", "index", "items_count", "transaction_index"]);
    assert_eq!((cursor["index"], cursor["items_count"]), ("50", "50"));
}

#[test]
fn internal_transaction_is_the_same_in_both_lists() {
    let server = demo_server(10);
    let inside =
        server.all_items(&format!("/api/v2/transactions/{SWALLOW_ALL}/internal-transactions"), "");
    let sender = inside[0]["from"]["hash"].as_str().unwrap();
    let of_sender =
        server.all_items(&format!("/api/v2/addresses/{sender}/internal-transactions"), "");
    assert!(of_sender.contains(&inside[0]));
}

#[test]
fn demo_clock_starts_at_the_last_block() {
    let (_, body) = demo_server(50).get("/api/v2/blocks");
    let page: Value = serde_json::from_str(&body).unwrap();
    let last: Timestamp = page["items"][0]["timestamp"].as_str().unwrap().parse().unwrap();
    let clock = Provider::new(&Network::demo()).now();
    assert!((last..last + SignedDuration::from_mins(5)).contains(&clock), "{last} {clock}");
}
