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

/// A list, read whole once and then narrowed in several ways.
struct Whole<'a> {
    service: &'a Service,
    path: String,
    rows: Vec<Value>,
}

impl<'a> Whole<'a> {
    fn of(service: &'a Service, path: &str) -> Self {
        Self { service, path: path.to_owned(), rows: service.walk(path, "") }
    }

    /// Narrowed by the query, it is the whole list without the rows that are not wanted.
    fn assert_narrows(&self, query: &str, wanted: impl Fn(&Value) -> bool) {
        let by_hand: Vec<&Value> = self.rows.iter().filter(|row| wanted(row)).collect();
        assert!(!by_hand.is_empty() && by_hand.len() < self.rows.len(), "{query} does nothing");
        let narrowed = self.service.walk(&self.path, query);
        assert!(narrowed.iter().eq(by_hand), "{}?{query}", self.path);
    }
}

#[test]
fn direction() {
    let service = service(50);
    for list in ["transactions", "internal-transactions", "token-transfers"] {
        let whole = Whole::of(&service, &alice(list));
        whole.assert_narrows("filter=from", |row| is_alice(&row["from"]));
        whole.assert_narrows("filter=to", |row| {
            is_alice(&row["to"]) || is_alice(&row["created_contract"])
        });
    }
}

#[test]
fn token_types() {
    let service = service(50);
    let paths = ["/api/v2/token-transfers", &alice("token-transfers"), &alice("tokens")];
    let wholes = paths.map(|path| Whole::of(&service, path));
    for (query, types) in [
        ("type=ERC-721,ERC-1155", &["ERC-721", "ERC-1155"][..]),
        ("type=%5BERC-721%2CERC-1155%5D", &["ERC-721", "ERC-1155"]),
        ("type=erc-1155", &["ERC-1155"]),
    ] {
        let wanted = |kind: &Value| kind.as_str().is_some_and(|kind| types.contains(&kind));
        for whole in &wholes {
            whole.assert_narrows(query, |row| {
                wanted(&row["token_type"]) || wanted(&row["token"]["type"])
            });
        }
    }
}

#[test]
fn types_of_collections() {
    let service = service(50);
    let whole = Whole::of(&service, &alice("nft/collections"));
    whole.assert_narrows("type=ERC-1155", |row| row["token"]["type"] == "ERC-1155");
    assert!(service.walk(&whole.path, "type=ERC-404").is_empty());
    assert_eq!(service.walk(&whole.path, "type="), whole.rows);
}

#[test]
fn token() {
    let service = service(50);
    let gld = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    let whole = Whole::of(&service, &alice("token-transfers"));
    for query in [format!("token={gld}"), format!("token={}", gld.to_lowercase())] {
        whole.assert_narrows(&query, |row| row["token"]["address_hash"] == gld);
    }
    assert!(service.walk(&whole.path, &format!("token={ALICE}")).is_empty());
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
