//! Pagination of the demo server: complete, without duplicates, and independent of the page size.

use std::collections::HashSet;

use proptest::{prelude::*, sample};
use serde_json::Value;

use crate::demo_server_client::{ALICE, ServerClient, demo_server};

const ZERO: &str = "0x0000000000000000000000000000000000000000";
const BOB: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const RECURSOR: &str = "0x7ef8e99980da5bcedcf7c10f41e55f759f6a174b";
const FACTORY: &str = "0x0116686e2291dbd5e317f47fadbfb43b599786ef";
const PANE: &str = "0x948b3c65b89df0b4894abe91e6d02fe579834f8f";
const GNS: &str = "0x712516e61c8b383df4a63cfe83d7701bce54b03e";
const ITEM: &str = "0x8438ad1c834623cff278ab6829a248e37c2d7e3f";

/// A batch of 120 ids, and 120 names one by one.
const BATCHES: &str = "0x8c2f34b5f44221cbfaae74705c6e2149f134ec119f56cc83f5f5eb359d471d28";
const NAMES: &str = "0x7e2f919e4f9caaf754731562299b121e53de8da0ab4f1a71558e06549ac9cf09";

/// A limit above the length of any list.
const ALL: usize = 1_000_000;

fn list_path(address: &str, list: &str) -> String {
    format!("/api/v2/addresses/{address}/{list}")
}

fn instances_path(token: &str) -> String {
    format!("/api/v2/tokens/{token}/instances")
}

fn assert_unique(items: &[Value]) {
    let texts: HashSet<String> = items.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), items.len(), "duplicate row");
}

/// Reads a list in pages of fifty and checks the number of rows and that none is repeated.
fn assert_rows(server: &ServerClient, path: &str, rows: usize) {
    let items = server.all_items(path, "");
    assert_eq!(items.len(), rows, "{path}");
    assert_unique(&items);
}

#[test]
fn every_row_is_listed_once() {
    let server = demo_server(50);
    assert_rows(&server, &list_path(ALICE, "transactions"), 826);
    assert_rows(&server, &list_path(ALICE, "token-transfers"), 2238);
    assert_rows(&server, &list_path(ALICE, "tokens"), 277);
    assert_rows(&server, &list_path(ALICE, "nft/collections"), 58);
    assert_rows(&server, "/api/v2/token-transfers", 3563);
    assert_rows(&server, "/api/v2/blocks", 335);
    assert_rows(&server, "/api/v2/transactions", 2458);
    assert_rows(&server, "/api/v2/tokens", 133);
    assert_rows(&server, "/api/v2/addresses", 44);
    assert_rows(&demo_server(3), "/api/v2/smart-contracts", 33);
    let hot = "/api/v2/stats/hot-smart-contracts";
    let by_use = demo_server(50).all_items(hot, "scale=30d");
    assert_eq!(by_use, demo_server(3).all_items(hot, "scale=30d"));
    assert!(
        by_use.len() > 50
            && by_use.iter().all(|row| row["contract_address"]["is_contract"] == true)
    );
    assert_unique(&by_use);
    assert_rows(&server, "/api/v2/withdrawals", 0);
    assert_rows(&server, &list_path(ZERO, "blocks-validated"), 335);
    assert_rows(&server, &list_path(ALICE, "withdrawals"), 0);
    assert_rows(&demo_server(7), "/api/v2/tokens", 133);
    let (gns, item) = (format!("/api/v2/tokens/{GNS}"), format!("/api/v2/tokens/{ITEM}"));
    for path in [
        &format!("{gns}/transfers"),
        &format!("{item}/instances/1/transfers"),
        &format!("{item}/instances/1/holders"),
        &list_path(GNS, "logs"),
        &format!("/api/v2/transactions/{BATCHES}/token-transfers"),
        "/api/v2/transactions/0xc2b74c678eae4d24d74793fbfeb9759e925965b6ccb9a6349091a6bb7c1b0abe/internal-transactions",
    ] {
        let items = demo_server(1).all_items(path, "");
        assert!(items.len() > 1, "{path}: {}", items.len());
        assert_unique(&items);
    }
    assert_rows(&demo_server(2), "/api/v2/blocks/13/transactions", 6);
    assert_rows(&demo_server(3), "/api/v2/blocks/13/internal-transactions", 89);
    assert_rows(&server, &format!("/api/v2/transactions/{BATCHES}/state-changes"), 242);
    assert_rows(&server, &format!("/api/v2/transactions/{NAMES}/logs"), 120);
    assert_rows(&server, &instances_path(GNS), 120);
    assert_rows(&server, &instances_path(PANE), 130);
    assert_rows(&server, &list_path(ZERO, "coin-balance-history"), 304);
    assert_rows(&server, &format!("/api/v2/tokens/{PANE}/transfers"), 272);
    assert_rows(&server, &format!("/api/v2/tokens/{ITEM}/transfers"), 487);
    assert_rows(&server, &format!("/api/v2/tokens/{ITEM}/holders"), 403);
}

#[test]
fn list_without_a_null_key_of_its_cursor_begins_again() {
    let server = demo_server(50);
    let changes = format!("/api/v2/transactions/{BATCHES}/state-changes");
    for (path, needed) in [
        (&*changes, &["state_changes"][..]),
        (
            "/api/v2/advanced-filters",
            &["internal_transaction_index", "token_transfer_index", "token_transfer_batch_index"],
        ),
        ("/api/v2/tokens", &["market_cap", "holders_count", "name", "is_name_null"]),
        (&list_path(ALICE, "tokens"), &["fiat_value"]),
    ] {
        let first = server.page(path);
        let cursor = first.query().unwrap();
        assert_ne!(server.page(&format!("{path}?{cursor}")).items, first.items, "{path}");
        for name in needed {
            let without = cursor.split('&').filter(|pair| !pair.starts_with(name));
            let without = without.collect::<Vec<_>>().join("&");
            assert_eq!(server.page(&format!("{path}?{without}")).items, first.items, "{without}");
        }
    }
    let (status, body) =
        server.get(&format!("/api/v2/tokens?contract_address_hash={GNS}&market_cap=null"));
    assert_eq!((status, body.as_str()), (500, "\"Internal server error\""));
}

#[test]
fn activity_is_listed_once_at_any_page_size() {
    let path = "/api/v2/advanced-filters";
    let query = format!("from_address_hashes_to_include={ZERO}&transaction_types=ERC-1155,ERC-721");
    let whole = demo_server(ALL).all_items(path, &query);
    assert!(whole.len() > 120, "a batch of 120 is included");
    for size in [7, 50] {
        assert!(demo_server(size).all_items(path, &query) == whole, "pages of {size}");
    }
    let query = format!(
        "from_address_hashes_to_include={ALICE}&to_address_hashes_to_include={ALICE}&address_relation=or"
    );
    let items = demo_server(50).all_items(path, &query);
    assert_eq!(items.len(), 3089);
    assert_unique(&items);
}

#[test]
fn every_internal_transaction_is_listed_once() {
    assert_rows(&demo_server(50), &list_path(RECURSOR, "internal-transactions"), 17_378);
    assert_rows(&demo_server(1_000), "/api/v2/internal-transactions", 22_389);
}

#[test]
fn exactly_full_page_is_the_last() {
    let server = demo_server(50);
    for (address, list, rows) in [
        ("0xbcd4042de499d14e55001ccbb24a551f3b954096", "transactions", 50),
        ("0x71be63f3384f5fb98995898a86b02fb2426c5788", "transactions", 51),
        ("0xfabb0ac9d68b0b445fb7357272ff202c5651694a", "transactions", 100),
        ("0x9999999999999999999999999999999999999999", "transactions", 0),
        ("0x5050505050505050505050505050505050505050", "token-transfers", 50),
        ("0x5151515151515151515151515151515151515151", "token-transfers", 51),
        ("0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", "token-transfers", 100),
        ("0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0", "internal-transactions", 50),
        ("0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1", "internal-transactions", 51),
    ] {
        let pages = server.pages(&list_path(address, list), "");
        let sizes: Vec<usize> = pages.iter().map(|page| page.items.len()).collect();
        let full = vec![50; rows / 50];
        let rest = (rows % 50 != 0 || rows == 0).then_some(rows % 50);
        assert_eq!(sizes, full.into_iter().chain(rest).collect::<Vec<_>>(), "{address} {list}");
    }
}

#[test]
fn unknown_address_has_empty_lists() {
    let server = demo_server(50);
    let unknown = "0x1234567890123456789012345678901234567890";
    for list in
        ["transactions", "internal-transactions", "token-transfers", "tokens", "nft/collections"]
    {
        let page = server.page(&list_path(unknown, list));
        assert!(page.items.is_empty() && page.next_page_params.is_none(), "{list}");
    }
    let page = server.json(&format!("/api/v2/addresses/{unknown}"));
    assert_eq!(page["is_contract"], false);
    assert_eq!(page["coin_balance"], Value::Null);
}

#[test]
fn batch_split_across_pages_loses_no_row() {
    let (path, query) = (list_path(ZERO, "token-transfers"), "type=ERC-1155&filter=from");
    let whole = demo_server(ALL).all_items(&path, query);
    assert!(whole.len() > 120, "a batch of 120 is included");
    assert_unique(&whole);
    for size in 1..=7 {
        assert!(demo_server(size).all_items(&path, query) == whole, "pages of {size}");
    }
}

#[test]
fn cursor_inside_a_batch_names_the_last_complete_log() {
    let server = demo_server(50);
    let pages = server.pages(&list_path(ZERO, "token-transfers"), "type=ERC-1155&filter=from");
    let cut =
        pages.iter().find_map(|page| page.cursor().filter(|it| it.contains_key("index_in_batch")));
    let cut = cut.expect("a batch of 120 does not fit on a page");
    for key in ["batch_log_index", "batch_block_hash", "batch_transaction_hash"] {
        assert!(cut.contains_key(key), "{cut:?}");
    }
    assert_eq!(cut.contains_key("block_number"), cut.contains_key("index"));
}

#[test]
fn repeated_token_id_in_a_batch_is_one_row() {
    let hash = "0xd6c80dc5d0bf45bbee794a79e1c406bb780560966957f7f3a24a923b96b78000";
    let page = demo_server(50).json(&format!("/api/v2/transactions/{hash}"));
    let rows = page["token_transfers"].as_array().unwrap();
    let total = |row: &Value| (row["total"]["token_id"].clone(), row["total"]["value"].clone());
    let totals: Vec<_> = rows.iter().map(total).collect();
    // The log has the ids 5, 6, 5, 7, 5 with the amounts 1 to 5; the last one is listed first.
    assert_eq!(totals, [("7", "4"), ("6", "2"), ("5", "9")].map(|(id, n)| (id.into(), n.into())));
}

/// Every list with the parameters that change its order or rows.
fn lists() -> Vec<(String, &'static str)> {
    let mut lists = vec![
        (list_path(FACTORY, "internal-transactions"), ""),
        (list_path(FACTORY, "internal-transactions"), "filter=to"),
        (list_path(ALICE, "tokens"), ""),
        (list_path(ALICE, "tokens"), "type=ERC-1155,ERC-721"),
        (list_path(ALICE, "nft/collections"), ""),
        (list_path(BOB, "token-transfers"), ""),
        (list_path(BOB, "token-transfers"), "filter=to&type=ERC-20"),
        ("/api/v2/token-transfers".to_owned(), "type=ERC-1155"),
        ("/api/v2/tokens".to_owned(), ""),
        ("/api/v2/tokens".to_owned(), "type=ERC-721"),
        ("/api/v2/blocks".to_owned(), ""),
        (format!("/api/v2/tokens/{ITEM}/holders"), ""),
        (format!("/api/v2/tokens/{ITEM}/transfers"), ""),
        (list_path(GNS, "logs"), ""),
        (list_path(ALICE, "coin-balance-history"), ""),
        (instances_path(GNS), ""),
        (format!("/api/v2/transactions/{BATCHES}/state-changes"), ""),
        (format!("/api/v2/transactions/{NAMES}/logs"), ""),
        (format!("/api/v2/transactions/{NAMES}/token-transfers"), ""),
        (instances_path(ITEM), "holder_address_hash=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
    ];
    let sorts = ["", "filter=from", "sort=value&order=asc", "sort=value&order=desc"];
    let more = ["sort=fee&order=asc", "sort=fee&order=desc", "sort=block_number&order=asc"];
    lists
        .extend(sorts.into_iter().chain(more).map(|query| (list_path(BOB, "transactions"), query)));
    lists
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..Default::default() })]

    #[test]
    fn page_size_does_not_change_the_rows(
        size in 1_usize..130,
        (path, query) in sample::select(lists()),
    ) {
        let (whole, walked) = (demo_server(ALL).all_items(&path, query), demo_server(size).all_items(&path, query));
        prop_assert!(whole == walked, "{path}?{query} in pages of {size}");
    }
}
