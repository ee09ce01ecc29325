//! Server-side filters and sort orders, compared with filtering the full list.

use alloy_primitives::U256;
use serde_json::Value;

use crate::demo_items::RECURSOR;
use crate::demo_server_client::{ALICE, ServerClient, demo_server};

/// A contract that calls others and is called.
const CLONE: &str = "0xce85cd1568ae660cd72b4810de6ac9edeb3d8a67";

fn alice(list: &str) -> String {
    format!("/api/v2/addresses/{ALICE}/{list}")
}

fn is_alice(party: &Value) -> bool {
    is(party, ALICE)
}

fn is(party: &Value, address: &str) -> bool {
    party["hash"].as_str().is_some_and(|hash| hash.eq_ignore_ascii_case(address))
}

/// A list with all its rows.
struct FullList<'a> {
    server: &'a ServerClient,
    path: String,
    rows: Vec<Value>,
}

impl<'a> FullList<'a> {
    fn of(server: &'a ServerClient, path: &str) -> Self {
        Self { server, path: path.to_owned(), rows: server.all_items(path, "") }
    }

    /// Checks that the query returns exactly the rows for which `wanted` holds.
    fn assert_narrows(&self, query: &str, wanted: impl Fn(&Value) -> bool) {
        let by_hand: Vec<&Value> = self.rows.iter().filter(|row| wanted(row)).collect();
        assert!(!by_hand.is_empty() && by_hand.len() < self.rows.len(), "{query} does nothing");
        let narrowed = self.server.all_items(&self.path, query);
        assert!(narrowed.iter().eq(by_hand), "{}?{query}", self.path);
    }
}

#[test]
fn direction_filter_keeps_matching_rows() {
    let server = demo_server(50);
    for (list, whose) in
        [("transactions", ALICE), ("internal-transactions", CLONE), ("token-transfers", ALICE)]
    {
        let list = FullList::of(&server, &format!("/api/v2/addresses/{whose}/{list}"));
        list.assert_narrows("filter=from", |row| is(&row["from"], whose));
        list.assert_narrows("filter=to", |row| {
            is(&row["to"], whose) || is(&row["created_contract"], whose)
        });
    }
}

#[test]
fn activity_filters_keep_matching_rows() {
    let server = demo_server(1_000);
    let path = "/api/v2/advanced-filters";
    // Of one address: the calls of the whole chain are many.
    let of_alice =
        format!("from_address_hashes_to_include={ALICE}&to_address_hashes_to_include={ALICE}");
    let all = server.all_items(path, &of_alice);
    let gld = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
    let amount = |row: &Value| -> Option<f64> {
        let (value, decimals) = match &row["total"] {
            Value::Null => (&row["value"], 18.0),
            total => {
                (&total["value"], total["decimals"].as_str().map_or(0.0, |d| d.parse().unwrap()))
            }
        };
        Some(value.as_str()?.parse::<f64>().unwrap() / 10_f64.powf(decimals))
    };
    let is_gld = |row: &Value| {
        let address = row["token"]["address_hash"].as_str();
        address.is_some_and(|address| address.eq_ignore_ascii_case(gld))
    };
    let time = |row: &Value| row["timestamp"].as_str().unwrap().to_owned();
    let kind = |row: &Value, kinds: &[&str]| kinds.contains(&row["type"].as_str().unwrap());
    let check = |query: &str, wanted: &dyn Fn(&Value) -> bool| {
        let by_hand: Vec<&Value> = all.iter().filter(|row| wanted(row)).collect();
        assert!(!by_hand.is_empty() && by_hand.len() < all.len(), "{query} does nothing");
        let narrowed = server.all_items(path, &format!("{of_alice}&{query}"));
        assert_eq!(narrowed.len(), by_hand.len(), "{query}");
        assert!(narrowed.iter().eq(by_hand), "{query}");
    };
    let times = "age_from=2023-11-14T22:30:00Z&age_to=2023-11-14T23:00:00Z";
    check(times, &|row| ("2023-11-14T22:30:00".."2023-11-14T23:00:01").contains(&&*time(row)));
    check("amount_from=1000", &|row| amount(row).is_some_and(|amount| amount >= 1_000.0));
    check("amount_from=2&amount_to=3.5", &|row| {
        amount(row).is_some_and(|amount| (2.0..=3.5).contains(&amount))
    });
    check("transaction_types=COIN_TRANSFER,erc-721", &|row| {
        kind(row, &["coin_transfer", "ERC-721"])
    });
    check("transaction_types=CONTRACT_CREATION", &|row| kind(row, &["contract_creation"]));
    check(&format!("token_contract_address_hashes_to_include={gld}"), &is_gld);
    check(&format!("token_contract_address_hashes_to_include={gld},native"), &|row| {
        is_gld(row) || row["token"].is_null()
    });
    check("token_contract_address_hashes_to_exclude=native", &|row| !row["token"].is_null());
    check("methods=0xa9059cbb", &|row| {
        row["method"] == "transfer" || row["method"] == "0xa9059cbb"
    });
    check("address_relation=and", &|row| is_alice(&row["from"]) && is_alice(&row["to"]));
}

#[test]
fn type_filter_keeps_matching_rows() {
    let server = demo_server(50);
    let paths = ["/api/v2/token-transfers", &alice("token-transfers"), &alice("tokens")];
    let wholes = paths.map(|path| FullList::of(&server, path));
    for (query, types) in [
        ("type=ERC-721,ERC-1155", &["ERC-721", "ERC-1155"][..]),
        ("type=%5BERC-721%2CERC-1155%5D", &["ERC-721", "ERC-1155"]),
        ("type=erc-1155", &["ERC-1155"]),
    ] {
        let wanted = |kind: &Value| kind.as_str().is_some_and(|kind| types.contains(&kind));
        for list in &wholes {
            list.assert_narrows(query, |row| {
                wanted(&row["token_type"]) || wanted(&row["token"]["type"])
            });
        }
    }
}

#[test]
fn collection_type_filter_keeps_matching_rows() {
    let server = demo_server(50);
    let list = FullList::of(&server, &alice("nft/collections"));
    list.assert_narrows("type=ERC-1155", |row| row["token"]["type"] == "ERC-1155");
    assert!(server.all_items(&list.path, "type=ERC-404").is_empty());
    assert_eq!(server.all_items(&list.path, "type="), list.rows);
}

#[test]
fn token_filter_keeps_matching_rows() {
    let server = demo_server(50);
    let gld = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    let list = FullList::of(&server, &alice("token-transfers"));
    for query in [format!("token={gld}"), format!("token={}", gld.to_lowercase())] {
        list.assert_narrows(&query, |row| row["token"]["address_hash"] == gld);
    }
    assert!(server.all_items(&list.path, &format!("token={ALICE}")).is_empty());
}

#[test]
fn holder_filter_keeps_matching_rows() {
    let server = demo_server(50);
    let holder = format!("holder_address_hash={ALICE}");
    let pane = "/api/v2/tokens/0x948b3c65b89df0b4894abe91e6d02fe579834f8f/instances";
    let item = "/api/v2/tokens/0x8438ad1c834623cff278ab6829a248e37c2d7e3f/instances";
    let owned = server.all_items(pane, &holder);
    assert!(owned.iter().all(|row| is_alice(&row["owner"]) && row["value"] == "1"));
    let by_hand =
        server.all_items(pane, "").into_iter().filter(|row| is_alice(&row["owner"])).count();
    assert_eq!(owned.len(), by_hand);

    let ids = |rows: &[Value], id: &str| -> Vec<(String, String)> {
        let mut ids: Vec<_> =
            rows.iter().map(|row| (row[id].to_string(), row["value"].to_string())).collect();
        ids.sort();
        ids
    };
    let balances = server.all_items(&alice("tokens"), "type=ERC-1155");
    let balances: Vec<Value> =
        balances.into_iter().filter(|row| row["token"]["symbol"] == "ITEM").collect();
    assert_eq!(ids(&server.all_items(item, &holder), "id"), ids(&balances, "token_id"));
}

#[test]
fn top_level_calls_are_excluded() {
    let server = demo_server(50);
    let path = format!("/api/v2/addresses/{RECURSOR}/internal-transactions");
    assert!(server.all_items(&path, "").iter().all(|row| row["index"] != 0));
    // Creations are in the lists of their transactions only.
    let created = server.json(&format!("/api/v2/addresses/{RECURSOR}"));
    let creation = created["creation_transaction_hash"].as_str().unwrap();
    let path = format!("/api/v2/transactions/{creation}/internal-transactions");
    let items = server.all_items(&path, "");
    assert!(items.iter().any(|row| row["index"] == 0 && row["type"] == "create"));
}

#[test]
fn tokens_are_sorted_by_fiat_value() {
    let server = demo_server(50);
    for (sort, field) in [("value", "/value"), ("fee", "/fee/value")] {
        let list =
            |order| server.all_items(&alice("transactions"), &format!("sort={sort}&order={order}"));
        let keys = |rows: Vec<Value>| -> Vec<U256> {
            let text = |row: &Value| row.pointer(field).unwrap().as_str().unwrap().parse().unwrap();
            rows.iter().map(text).collect()
        };
        let (up, down) = (keys(list("asc")), keys(list("desc")));
        assert!(up.is_sorted(), "{sort}");
        assert!(down.iter().rev().eq(&up), "{sort}");
    }
    let newest = server.all_items(&alice("transactions"), "");
    let mut oldest = server.all_items(&alice("transactions"), "sort=block_number&order=asc");
    oldest.reverse();
    assert_eq!(newest, oldest);
    assert_eq!(
        newest,
        server.all_items(&alice("transactions"), "sort=value"),
        "sort without order"
    );
}

#[test]
fn null_cursor_values_are_accepted() {
    let server = demo_server(10);
    let first = server.json(&alice("transactions"));
    for query in ["block_number=null&index=null", "block_number=&index=&value=null"] {
        assert_eq!(server.json(&format!("{}?{query}", alice("transactions"))), first);
    }
    // Balances without a price come last.
    let page = server.page(&format!("{}?fiat_value=null&value=0&id=0", alice("tokens")));
    assert!(page.items.is_empty());
}
