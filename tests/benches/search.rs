//! Times searches without a hit, of traces and of lists.
//!
//! `cargo bench --bench search`

mod synthetic;

use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::api::Transaction;
use chainglass::test_api::api::{AddressQuery, Item, Query};
use chainglass::test_api::chain::Address;
use chainglass::test_api::chain::Network;
use chainglass::test_api::chain::Unit;
use chainglass::test_api::columns::{ListRow, RowContext};
use chainglass::test_api::name_cache::NameCache;
use chainglass::test_api::pane::{CallFormatter, CallSearch, RowMatcher, TransferMap};
use chainglass::test_api::trace::parser::parse_trace;
use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;

/// A word, the digits of an address, and an amount.
const WORDS: [&str; 3] = ["nowhere", "0x123456789abcdef1234", "98765432198765"];
const CALLS: u32 = 100_000;
const ROWS: u32 = 10_000;

fn main() {
    divan::main();
}

#[divan::bench(args = WORDS)]
fn trace(bencher: Bencher, word: &str) {
    let tree = parse_trace(synthetic::trace(CALLS as usize).into());
    let (network, transfers) = (Network::demo(), TransferMap::default());
    let (signatures, name_cache) = (SignatureDb::builtin(), NameCache::default());
    let formatter = CallFormatter {
        tree: &tree,
        signatures: &signatures,
        name_cache: &name_cache,
        network: &network,
        transaction: None,
        transfers: &transfers,
        failure_places: None,
        unit: Unit::Coin,
        full_addresses: false,
        short_amounts: false,
        token_symbols: false,
    };
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        let mut search = CallSearch::parse(word, network.decimals).ok()?;
        while !search.resume(&formatter) {}
        Some(search.hits().len())
    });
}

fn rows() -> Vec<Arc<Item<Transaction>>> {
    let page = include_bytes!("../data/golden/transactions_alice.json");
    let query = Query::Address(Address::ZERO, AddressQuery::Transactions { direction: None });
    query
        .decode(page, None)
        .ok()
        .and_then(|reply| reply.page())
        .map_or(Vec::new(), |page| page.items)
}

#[divan::bench(args = WORDS)]
fn list(bencher: Bencher, word: &str) {
    let rows = rows();
    let cx = RowContext::blank();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let mut matcher = RowMatcher::new(Transaction::KIND, word, &cx).ok()??;
        let rows = rows.iter().cycle().take(ROWS as usize);
        Some(rows.filter(|row| matcher.matches(row.as_ref(), &cx)).count())
    });
}
