//! The embedded explorer before requests that are wrong and peers that misbehave.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
};

use chainglass::demo_server::HIGHLIGHTS;
use serde_json::{Value, json};

use crate::peer::{ALICE, Service, service};

/// Nine calls fail inside it.
const SWALLOW: &str = "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f";
/// It pays fifty-one times.
const SPLIT: &str = "0x99337d67e257212b7878b14088d66654ec97d8c544c5ef6ee28d0989cbf98a3d";

fn error(service: &Service, target: &str, status: u16) -> Value {
    let (ours, body) = service.get(target);
    assert_eq!(ours, status, "{target}: {body}");
    serde_json::from_str(&body).unwrap()
}

/// The parameters a 422 complains about.
fn pointers(service: &Service, target: &str) -> Vec<String> {
    let body = error(service, target, 422);
    let errors = body["errors"].as_array().unwrap();
    errors.iter().map(|it| it["source"]["pointer"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_not_there() {
    let service = service(50);
    let hash = "ab".repeat(32);
    let not_found = json!({ "message": "Not found" });
    for target in [
        format!("/api/v2/transactions/0x{hash}"),
        format!("/api/v2/transactions/0x{hash}/raw-trace"),
        format!("/api/v2/transactions/0x{hash}/internal-transactions"),
        format!("/api/v2/tokens/{ALICE}"),
        format!("/api/v2/tokens/{ALICE}/instances"),
    ] {
        assert_eq!(error(&service, &target, 404), not_found);
    }
    let gld = "/api/v2/tokens/0x5fbdb2315678afecb367f032d93f642f64180aa3/instances";
    assert!(service.page(gld).items.is_empty());
    assert_eq!(error(&service, &format!("{gld}?holder_address_hash={ALICE}"), 404), not_found);
}

#[test]
fn unknown_actions() {
    let service = service(50);
    let unknown = json!({ "message": "Unknown API v2 action" });
    for target in ["/", "/api/v2", "/api/v2/nothing", "/api/v2/addresses", "/robots.txt"] {
        assert_eq!(error(&service, target, 400), unknown);
    }
    let answer = service.send(b"POST /api/v2/token-transfers HTTP/1.1\r\nhost: demo\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
}

#[test]
fn every_complaint_at_once() {
    let service = service(50);
    let list = format!("/api/v2/addresses/{ALICE}/transactions");
    for (query, expected) in [
        ("filter=", &["/filter"][..]),
        ("filter=both", &["/filter"]),
        ("sort=nonce&order=up", &["/sort", "/order"]),
        ("page=2&page_size=10", &["/page", "/page_size"]),
        ("type=ERC-20", &["/type"]),
        ("block_number=x&index=-1", &["/block_number", "/index"]),
        ("items_count=0", &["/items_count"]),
        ("inserted_at=yesterday", &["/inserted_at"]),
        ("hash=0x12", &["/hash"]),
        ("fee=null", &["/fee"]),
        ("value=1.5", &["/value"]),
        ("index=4294967296", &["/index"]),
    ] {
        assert_eq!(pointers(&service, &format!("{list}?{query}")), expected, "{query}");
    }
    let both = pointers(&service, "/api/v2/addresses/0xAB/transactions?nope=1");
    assert_eq!(both, ["/address_hash_param", "/nope"]);
}

#[test]
fn malformed_parameters_of_the_other_lists() {
    let service = service(50);
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
        ("/api/v2/token-transfers?limit=0".to_owned(), "/limit"),
        (format!("/api/v2/tokens/{ALICE}/instances?unique_token=0x1"), "/unique_token"),
        (format!("/api/v2/tokens/{ALICE}/instances?items_count=1"), "/items_count"),
        ("/api/v2/transactions/0x12".to_owned(), "/transaction_hash_param"),
        ("/api/v2/transactions/%ff/raw-trace".to_owned(), "/transaction_hash_param"),
        ("/api/v2/transactions/0x1/internal-transactions".to_owned(), "/transaction_hash_param"),
        (format!("/api/v2/transactions/{SWALLOW}/internal-transactions?filter=to"), "/filter"),
        (format!("/api/v2/transactions/{SWALLOW}/internal-transactions?index=x"), "/index"),
        (format!("/api/v2/addresses/{}", ALICE.to_uppercase()), "/address_hash_param"),
    ] {
        assert_eq!(pointers(&service, &target), [expected], "{target}");
    }
}

#[test]
fn letter_case_does_not_matter() {
    let service = service(10);
    let checksummed = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    let upper = ALICE.to_uppercase().replace("0X", "0x");
    let bodies = [ALICE, checksummed, &upper]
        .map(|address| service.get(&format!("/api/v2/addresses/{address}/transactions")));
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let swap = "0x0BBCD8EA5B312D9E1693F5E77A955F7DBF9C14BDA6904452FBD0FDD01A64B5E5";
    let lower = swap.to_lowercase();
    assert_eq!(
        service.json(&format!("/api/v2/transactions/{swap}")),
        service.json(&format!("/api/v2/transactions/{lower}")),
    );
}

#[test]
fn keys_are_taken_and_not_repeated() {
    let service = service(10);
    let list = format!("/api/v2/addresses/{ALICE}/transactions");
    let page = service.page(&format!("{list}?apikey=secret&key=secret&filter=from"));
    let cursor = page.cursor().unwrap();
    assert_eq!(cursor.get("filter"), Some(&"\"from\""));
    assert!(!cursor.contains_key("apikey") && !cursor.contains_key("key"), "{cursor:?}");
}

#[test]
fn search_leads_to_what_there_is() {
    let service = service(50);
    let redirect = |q: &str| service.json(&format!("/api/v2/search/check-redirect?q={q}"));
    for place in HIGHLIGHTS {
        let found = redirect(place.hash);
        let kind = if place.hash.len() == 42 { "address" } else { "transaction" };
        assert_eq!((&found["type"], &found["parameter"]), (&json!(kind), &json!(place.hash)));
    }
    assert_eq!(redirect("334")["type"], "block");
    let nothing = json!({ "redirect": false, "type": null, "parameter": null });
    for (name, whose) in [
        ("alice.eth", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
        ("%20ALICE.eth%20", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
        ("gld", "0x5FbDB2315678afecb367f032d93F642f64180aa3"),
        ("Glass%20Dollar", "0x5FbDB2315678afecb367f032d93F642f64180aa3"),
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
        "0x1234567890123456789012345678901234567890",
    ];
    assert!(nowhere.iter().all(|q| redirect(q) == nothing));
}

/// The service still answers, and as it should.
fn assert_alive(service: &Service) {
    assert_eq!(service.page("/api/v2/token-transfers?limit=1").items.len(), 1);
}

#[test]
fn garbage_is_refused() {
    let service = service(50);
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"\0\0\0\0\r\n\r\n",
        b"hello\r\n\r\n",
    ] {
        let mut peer = TcpStream::connect(service.address()).unwrap();
        peer.write_all(garbage).unwrap();
        peer.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // Refused in words or by hanging up; in neither case served.
        let _ = peer.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400 "), "{answer:?}");
    }
    assert_alive(&service);
}

#[test]
fn huge_heads_are_refused() {
    let service = service(50);
    let line = format!("GET /?{} HTTP/1.1\r\nhost: demo\r\n\r\n", "a".repeat(1 << 20));
    let headers = format!("GET / HTTP/1.1\r\nhost: demo\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(1000));
    for head in [line, headers, many] {
        let mut peer = TcpStream::connect(service.address()).unwrap();
        // The service stops listening before all is said.
        let _ = peer.write_all(head.as_bytes());
        let mut answer = Vec::new();
        let _ = peer.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "a head of {} bytes was served", head.len());
    }
    assert_alive(&service);
}

#[test]
fn silent_peers_do_not_keep_others_out() {
    let service = service(50);
    let mut crowd: Vec<TcpStream> = Vec::new();
    for number in 0..200 {
        let mut peer = TcpStream::connect(service.address()).unwrap();
        if number % 2 == 0 {
            peer.write_all(b"GET /api/v2/token-transfers HTTP/1.1\r\nhost: de").unwrap();
        }
        crowd.push(peer);
    }
    assert_alive(&service);
    drop(crowd);
    assert_alive(&service);
}

#[test]
fn peers_that_do_not_read_do_not_keep_others_out() {
    let service = service(50);
    let trace = "0x324f2c0d897af906ef4ffe6b72dcff7eaa14268e9264a1aeed0d2d72523ac882";
    let request =
        format!("GET /api/v2/transactions/{trace}/raw-trace HTTP/1.1\r\nhost: demo\r\n\r\n");
    let crowd: Vec<TcpStream> = (0..70)
        .map(|_| {
            let mut peer = TcpStream::connect(service.address()).unwrap();
            peer.write_all(request.as_bytes()).unwrap();
            peer
        })
        .collect();
    assert_alive(&service);
    drop(crowd);
}

#[test]
fn peers_that_leave_early_leave_nothing_behind() {
    let service = service(50);
    for _ in 0..200 {
        let mut peer = TcpStream::connect(service.address()).unwrap();
        peer.write_all(b"GET /api/v2/token-transfers HTTP/1.1\r\nhost: demo\r\n\r\n").unwrap();
    }
    assert_alive(&service);
}

#[test]
fn one_connection_is_one_request() {
    let service = service(50);
    let request = "GET /api/v2/token-transfers?limit=1 HTTP/1.1\r\nhost: demo\r\n\r\n";
    let answer = service.send(request.as_bytes());
    assert!(answer.to_lowercase().contains("\r\nconnection: close\r\n"), "{answer}");
}

#[test]
fn stopping_frees_the_port() {
    let service = service(50);
    let address = service.address();
    service.stop();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn what_happened_inside_a_transaction_in_the_order_of_its_calls() {
    let service = service(50);
    for (transaction, calls, failed, pages) in [(SWALLOW, 10, 9, 1), (SPLIT, 51, 0, 2)] {
        let path = format!("/api/v2/transactions/{transaction}/internal-transactions");
        let all = service.pages(&path, "");
        assert_eq!(all.len(), pages);
        let rows: Vec<&Value> = all.iter().flat_map(|page| &page.items).collect();
        assert!(rows.iter().all(|row| row["transaction_hash"] == transaction));
        let numbers: Vec<u64> = rows.iter().map(|row| row["index"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=calls).collect::<Vec<_>>(), "the call itself is left out");
        assert_eq!(rows.iter().filter(|row| row["success"] == false).count(), failed);
    }
    let first = service.page(&format!("/api/v2/transactions/{SPLIT}/internal-transactions"));
    let cursor = first.cursor().unwrap();
    let keys: Vec<&str> = cursor.keys().copied().collect();
    assert_eq!(keys, ["block_number", "index", "items_count", "transaction_index"]);
    assert_eq!((cursor["index"], cursor["items_count"]), ("50", "50"));
}

#[test]
fn a_call_is_the_same_item_inside_its_transaction_and_at_its_address() {
    let service = service(10);
    let inside = service.walk(&format!("/api/v2/transactions/{SWALLOW}/internal-transactions"), "");
    let sender = inside[0]["from"]["hash"].as_str().unwrap();
    let of_sender = service.walk(&format!("/api/v2/addresses/{sender}/internal-transactions"), "");
    assert!(of_sender.contains(&inside[0]));
}
