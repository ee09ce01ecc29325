//! Filters and orders of the lists, against the same done by hand on the whole list.

use alloy_primitives::U256;
use serde_json::Value;

use crate::peer::{ALICE, Service, service};

fn alice(list: &str) -> String {
    format!("/api/v2/addresses/{ALICE}/{list}")
}

fn is_alice(party: &Value) -> bool {
    party["hash"].as_str().is_some_and(|hash| hash.eq_ignore_ascii_case(ALICE))
}

/// A list narrowed by a query is the whole list without the rows that are not wanted.
fn assert_filters(service: &Service, list: &str, query: &str, wanted: impl Fn(&Value) -> bool) {
    let whole = service.walk(list, "");
    let by_hand: Vec<&Value> = whole.iter().filter(|row| wanted(row)).collect();
    assert!(!by_hand.is_empty() && by_hand.len() < whole.len(), "{query} filters nothing");
    let filtered = service.walk(list, query);
    assert!(filtered.iter().eq(by_hand), "{list}?{query}");
}

#[test]
fn direction() {
    let service = service(50);
    for list in ["transactions", "internal-transactions", "token-transfers"] {
        let list = alice(list);
        assert_filters(&service, &list, "filter=from", |row| is_alice(&row["from"]));
        assert_filters(&service, &list, "filter=to", |row| {
            is_alice(&row["to"]) || is_alice(&row["created_contract"])
        });
    }
}

#[test]
fn token_types() {
    let service = service(50);
    for (query, types) in [
        ("type=ERC-20", &["ERC-20"][..]),
        ("type=ERC-721,ERC-1155", &["ERC-721", "ERC-1155"]),
        ("type=%5BERC-721%2CERC-1155%5D", &["ERC-721", "ERC-1155"]),
        ("type=erc-1155", &["ERC-1155"]),
    ] {
        let wanted = |kind: &Value| kind.as_str().is_some_and(|kind| types.contains(&kind));
        let global = "/api/v2/token-transfers";
        assert_filters(&service, global, query, |row| wanted(&row["token_type"]));
        assert_filters(&service, &alice("token-transfers"), query, |row| {
            wanted(&row["token_type"])
        });
        assert_filters(&service, &alice("tokens"), query, |row| wanted(&row["token"]["type"]));
    }
    let collections = alice("nft/collections");
    assert_filters(&service, &collections, "type=ERC-1155", |row| {
        row["token"]["type"] == "ERC-1155"
    });
    assert!(service.walk(&collections, "type=ERC-404").is_empty());
    assert_eq!(service.walk(&collections, "type="), service.walk(&collections, ""));
}

#[test]
fn token() {
    let service = service(50);
    let gld = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    let transfers = alice("token-transfers");
    for query in [format!("token={gld}"), format!("token={}", gld.to_lowercase())] {
        assert_filters(&service, &transfers, &query, |row| row["token"]["address_hash"] == gld);
    }
    assert!(service.walk(&transfers, &format!("token={ALICE}")).is_empty());
}

#[test]
fn holder() {
    let service = service(50);
    let holder = format!("holder_address_hash={ALICE}");
    let pane = "/api/v2/tokens/0x948b3c65b89df0b4894abe91e6d02fe579834f8f/instances";
    let item = "/api/v2/tokens/0x8438ad1c834623cff278ab6829a248e37c2d7e3f/instances";
    let owned = service.walk(pane, &holder);
    assert!(owned.iter().all(|row| is_alice(&row["owner"]) && row["value"] == "1"));
    let by_hand = service.walk(pane, "").into_iter().filter(|row| is_alice(&row["owner"])).count();
    assert_eq!(owned.len(), by_hand);

    let ids = |rows: &[Value], id: &str| -> Vec<(String, String)> {
        let mut ids: Vec<_> =
            rows.iter().map(|row| (row[id].to_string(), row["value"].to_string())).collect();
        ids.sort();
        ids
    };
    let balances = service.walk(&alice("tokens"), "type=ERC-1155");
    let balances: Vec<Value> =
        balances.into_iter().filter(|row| row["token"]["symbol"] == "ITEM").collect();
    assert_eq!(ids(&service.walk(item, &holder), "id"), ids(&balances, "token_id"));
}

#[test]
fn top_calls_are_left_out() {
    let items = service(50).walk(&alice("internal-transactions"), "");
    assert!(items.iter().all(|row| row["index"] != 0 || row["type"] != "call"));
    assert!(items.iter().any(|row| row["index"] == 0 && row["type"] == "create"));
}

#[test]
fn sorted_by_worth() {
    let service = service(50);
    for (sort, field) in [("value", "/value"), ("fee", "/fee/value")] {
        let list =
            |order| service.walk(&alice("transactions"), &format!("sort={sort}&order={order}"));
        let keys = |rows: Vec<Value>| -> Vec<U256> {
            let text = |row: &Value| row.pointer(field).unwrap().as_str().unwrap().parse().unwrap();
            rows.iter().map(text).collect()
        };
        let (up, down) = (keys(list("asc")), keys(list("desc")));
        assert!(up.is_sorted(), "{sort}");
        assert!(down.iter().rev().eq(&up), "{sort}");
    }
    let newest = service.walk(&alice("transactions"), "");
    let mut oldest = service.walk(&alice("transactions"), "sort=block_number&order=asc");
    oldest.reverse();
    assert_eq!(newest, oldest);
    assert_eq!(newest, service.walk(&alice("transactions"), "sort=value"), "sort without order");
}

#[test]
fn limit_gives_one_page() {
    let service = service(10);
    let page = service.page("/api/v2/token-transfers?limit=37");
    assert_eq!((page.items.len(), page.next_page_params.is_none()), (37, true));
    let page = service.page("/api/v2/token-transfers?limit=51");
    assert_eq!((page.items.len(), page.next_page_params.is_none()), (10, false));
}

#[test]
fn nulls_in_cursors() {
    let service = service(10);
    let first = service.json(&alice("transactions"));
    for query in ["block_number=null&index=null", "block_number=&index=&value=null"] {
        assert_eq!(service.json(&format!("{}?{query}", alice("transactions"))), first);
    }
    // A balance without a price comes after all that have one.
    let page = service.page(&format!("{}?fiat_value=null&value=0&id=0", alice("tokens")));
    assert!(page.items.is_empty());
}
