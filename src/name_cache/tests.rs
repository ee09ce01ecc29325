use super::transactions::MAX_TRANSFERS;
use super::*;
use crate::api::{AddressQuery, Query, TokenQuery, TransactionQuery};
use crate::chain::development_accounts::DEVELOPMENT_ACCOUNTS;

const A: &str = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const C: &str = "0xcccccccccccccccccccccccccccccccccccccccc";

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

fn hash(n: u64) -> TxHash {
    format!("0x{n:064x}").parse().unwrap()
}

fn ingest(cache: &mut NameCache, query: &Query, body: &str) {
    cache.ingest(query, &query.decode(body.as_bytes(), None).unwrap());
}

fn transactions() -> Query {
    Query::Address(address(A), AddressQuery::Transactions { direction: None })
}

/// Returns the JSON of a page with these items.
fn page(items: &str) -> String {
    format!("{{\"items\":[{items}],\"next_page_params\":null}}")
}

fn label<'a>(cache: &'a NameCache, account: &str) -> Option<&'a str> {
    cache.name(&address(account))?.label.as_deref()
}

#[test]
fn better_name_replaces_a_worse_one() {
    let mut cache = NameCache::default();
    let mut says = |fields: &str| {
        let item = format!(r#"{{"hash":"{}","to":{{"hash":"{A}"{fields}}}}}"#, hash(1));
        ingest(&mut cache, &transactions(), &page(&item));
        cache.name(&address(A)).cloned()
    };
    assert_eq!(says(""), None, "an address without metadata is not kept");
    assert_eq!(says(r#","is_verified":false,"name":"""#), None);
    let named = says(r#","name":"Vault","is_verified":true"#).unwrap();
    assert_eq!(named.label, Some("Vault".into()));
    assert_eq!(&*named.origin, "transactions of 0xaAaA…aaAa");
    assert!(named.is_verified && !named.is_scam);
    assert_eq!(says(""), Some(named.clone()));
    assert_eq!(says(r#","is_verified":true"#), Some(named));
    let ens = says(r#","name":"Vault","ens_domain_name":"vault.eth","is_scam":true"#).unwrap();
    assert_eq!((ens.label, ens.is_scam), (Some("vault.eth".into()), true));
    assert!(says(r#","name":"Vault","is_scam":false"#).unwrap().is_scam, "a warning stays");
}

#[test]
fn price_of_the_coin_is_the_last_one() {
    let mut cache = NameCache::default();
    let details = Query::Address(address(A), AddressQuery::Details);
    for (rate, known) in [(r#""2500.17""#, Some("2500.17")), ("null", None)] {
        ingest(&mut cache, &details, &format!(r#"{{"hash":"{A}","exchange_rate":{rate}}}"#));
        assert_eq!(cache.coin_rate(), known);
    }
}

#[test]
fn token_names_replace_contract_names() {
    let mut cache = NameCache::default();
    let tokens = Query::Address(address(A), AddressQuery::Tokens { types: vec![] });
    let token = |more: &str| page(&format!(r#"{{"token":{{"address_hash":"{B}"{more}}}}}"#));
    let item = format!(r#"{{"hash":"{}","to":{{"hash":"{B}","name":"GoldToken"}}}}"#, hash(1));
    ingest(&mut cache, &transactions(), &page(&item));
    assert_eq!(label(&cache, B), Some("GoldToken"));
    ingest(&mut cache, &tokens, &token(r#","symbol":"GLD""#));
    assert_eq!(label(&cache, B), Some("GLD"));
    let contract = |cache: &NameCache| cache.name(&address(B)).unwrap().contract.clone();
    assert_eq!(contract(&cache), Some("GoldToken".into()), "ABIs go by it");
    ingest(&mut cache, &tokens, &token(r#","name":"Gold","decimals":"18""#));
    assert_eq!(label(&cache, B), Some("Gold"));
    let known = cache.name(&address(B)).unwrap().token.clone().unwrap();
    let expected = TokenMetadata {
        symbol: Some("GLD".into()),
        decimals: Some(18),
        ..TokenMetadata::default()
    };
    assert_eq!(known, expected);
    ingest(&mut cache, &transactions(), &page(&item));
    ingest(&mut cache, &tokens, &token(r#","name":"Gold","reputation":"scam""#));
    assert_eq!(label(&cache, B), Some("Gold"));
    assert!(cache.name(&address(B)).unwrap().is_scam);
}

#[test]
fn symbol_does_not_replace_a_label_or_digits() {
    let mut cache = NameCache::default();
    let tokens = Query::Address(address(A), AddressQuery::Tokens { types: vec![] });
    let token_with = |contract: &str, name: &str, symbol: &str| {
        let token =
            format!(r#"{{"address_hash":"{contract}","name":"{name}","symbol":"{symbol}"}}"#);
        page(&format!(r#"{{"token":{token}}}"#))
    };
    let token = |contract: &str, name: &str| token_with(contract, name, "USDC");
    let symbol = |cache: &NameCache| cache.symbol_as_name(&address(A)).map(ToString::to_string);
    for given in ["0xdAC1…1ec7", "USDC ETH", "VERYLONGS"] {
        ingest(&mut cache, &tokens, &token_with(A, "USD Coin", given));
        assert_eq!(symbol(&cache), None, "{given} is no plain word");
    }
    ingest(&mut cache, &tokens, &token(A, "USD Coin"));
    assert_eq!(symbol(&cache).as_deref(), Some("USDC"));
    for (fake, given) in [("USD Coins", "USDC"), ("USDC", "FAKE")] {
        let mut cache = NameCache::default();
        ingest(&mut cache, &tokens, &token(A, "USD Coin"));
        ingest(&mut cache, &tokens, &token_with(B, fake, given));
        assert_eq!(symbol(&cache), None, "another token has the symbol");
    }
    cache.set_labels(Labels::from_csv(&format!("address,name\n{A},Fake\n")).into());
    assert_eq!(symbol(&cache), None, "labelled");
    cache.set_labels(Labels::default().into());
    ingest(&mut cache, &tokens, &token(B, "USD Coin"));
    assert_eq!(symbol(&cache), None, "another token has the name");
}

#[test]
fn name_of_several_addresses_is_ambiguous() {
    let mut cache = NameCache::default();
    let mut named = |owner: &str, name: &str| {
        let to = format!(r#"{{"hash":"{owner}","name":"{name}"}}"#);
        let item = format!(r#"{{"hash":"{}","to":{to}}}"#, hash(1));
        ingest(&mut cache, &transactions(), &page(&item));
        cache.is_ambiguous("Pool")
    };
    assert!(!named(A, "Pool") && !named(A, "Pool") && !named(B, "Router"));
    assert!(named(B, "Pool") && named(C, "Vault"), "it stays so");
}

#[test]
fn proxy_is_found_by_its_own_name() {
    let mut cache = NameCache::default();
    let body = format!(
        r#"{{"hash":"{A}","name":"Proxy","implementations":[{{"address_hash":"{B}","name":"Logic"}}]}}"#
    );
    ingest(&mut cache, &Query::Address(address(A), AddressQuery::Details), &body);
    let named = ["proxy", "Proxy › Logic", "logic"].map(|name| cache.address_named(name));
    assert_eq!(named, [Some(address(A)), Some(address(A)), Some(address(B))]);
}

#[test]
fn proxy_keeps_its_implementations() {
    let mut cache = NameCache::default();
    let body = format!(
        r#"{{"hash":"{A}","name":"Proxy","implementations":[{{"address_hash":"{B}","name":"Logic"}},7],
            "token":{{"symbol":"USD","decimals":"6"}}}}"#
    );
    let whole = body.replace(",7", "");
    ingest(&mut cache, &Query::Address(address(A), AddressQuery::Details), &whole);
    let name = cache.name(&address(A)).unwrap();
    assert_eq!(name.implementations, [(Some(address(B)), Some("Logic".into()))]);
    assert_eq!(name.token.as_ref().unwrap().decimals, Some(6), "it is its own token");
    assert_eq!((label(&cache, A), label(&cache, B)), (Some("USD"), Some("Logic")));
    assert_eq!(&*cache.name(&address(B)).unwrap().origin, "address 0xaAaA…aaAa");
    // An implementation that cannot be parsed drops the list, but not the known ones.
    ingest(&mut cache, &Query::Address(address(A), AddressQuery::Details), &body);
    assert_eq!(cache.name(&address(A)).unwrap().implementations.len(), 1);
}

#[test]
fn every_kind_of_response_is_ingested() {
    let of = |letter: &str, name: &str| {
        format!(r#"{{"hash":"0x{}","name":"{name}"}}"#, letter.repeat(40))
    };
    let token = format!(r#"{{"address_hash":"{C}","name":"Coin"}}"#);
    let piece = format!(r#"{{"id":"1","owner":{},"token":{token}}}"#, of("b", "Owner"));
    let address_a = address(A);
    let token_of = address(C);
    let direction = None;
    let types = vec![];
    let parties = format!(
        r#"{{"from":{},"to":{},"created_contract":{}}}"#,
        of("a", "From"),
        of("b", "To"),
        of("c", "Made")
    );
    for (query, item, names) in [
        (
            Query::Address(address_a, AddressQuery::InternalTransactions { direction }),
            parties.clone(),
            [Some("From"), Some("To"), Some("Made")],
        ),
        (
            Query::Transaction(hash(1), TransactionQuery::InternalTransactions),
            parties,
            [Some("From"), Some("To"), Some("Made")],
        ),
        (
            Query::token_transfers(None),
            format!(
                r#"{{"from":{},"token":{token},"total":{{"token_instance":{piece}}}}}"#,
                of("a", "From")
            ),
            [Some("From"), Some("Owner"), Some("Coin")],
        ),
        (
            Query::Address(address_a, AddressQuery::Tokens { types: types.clone() }),
            format!(r#"{{"token":{token},"token_instance":{piece}}}"#),
            [None, Some("Owner"), Some("Coin")],
        ),
        (
            Query::Address(address_a, AddressQuery::Collections { types }),
            format!(r#"{{"token":{token},"token_instances":[{piece}]}}"#),
            [None, Some("Owner"), Some("Coin")],
        ),
        (
            Query::Token(token_of, TokenQuery::Instances { holder: None }),
            piece.clone(),
            [None, Some("Owner"), Some("Coin")],
        ),
    ] {
        let mut cache = NameCache::default();
        ingest(&mut cache, &query, &page(&item));
        assert_eq!([A, B, C].map(|account| label(&cache, account)), names, "{query:?}");
    }
}

#[test]
fn most_complete_transaction_is_kept() {
    let mut cache = NameCache::default();
    let body = |more: &str| format!(r#"{{"hash":"{}"{more}}}"#, hash(1));
    let method = |cache: &NameCache| {
        let item = cache.transaction(&hash(1)).unwrap();
        item.parsed.as_ref().unwrap().method.value().map(ToString::to_string)
    };
    let own = Query::Transaction(hash(1), TransactionQuery::Details);
    ingest(&mut cache, &own, &body(r#","method":"pending""#));
    ingest(&mut cache, &transactions(), &page(&body(r#","method":"listed","status":"ok""#)));
    assert_eq!(method(&cache).as_deref(), Some("listed"), "a final object is more complete");
    ingest(&mut cache, &own, &body(r#","method":"own","status":"ok""#));
    ingest(&mut cache, &transactions(), &page(&body(r#","method":"listed","status":"ok""#)));
    assert_eq!(method(&cache).as_deref(), Some("own"));
    ingest(&mut cache, &own, &body(r#","method":"newer","status":"ok""#));
    assert_eq!(method(&cache).as_deref(), Some("newer"));
    ingest(&mut cache, &own, &body(r#","method":"pendingAgain""#));
    assert_eq!(method(&cache).as_deref(), Some("pendingAgain"), "the chain was reorganized");
    assert!(cache.transaction(&hash(2)).is_none());
}

#[test]
fn stale_row_of_a_list_does_not_decide() {
    let mut cache = NameCache::default();
    let item = |is_contract: bool, method: &str| {
        let to = format!(r#"{{"hash":"{B}","is_contract":{is_contract}}}"#);
        page(&format!(r#"{{"hash":"{}","method":{method},"to":{to}}}"#, hash(1)))
    };
    let own = |is_contract: bool| format!(r#"{{"hash":"{B}","is_contract":{is_contract}}}"#);
    let known = |cache: &NameCache| {
        (cache.method_name(&hash(1)).map(ToString::to_string), cache.has_code(&address(B)))
    };
    ingest(&mut cache, &transactions(), &item(false, "null"));
    assert_eq!(known(&cache), (None, None));
    ingest(&mut cache, &Query::Address(address(B), AddressQuery::Details), &own(false));
    ingest(&mut cache, &transactions(), &item(true, r#""0xa9059cbb""#));
    assert_eq!(known(&cache), (None, Some(true)), "code came since");
    ingest(&mut cache, &transactions(), &item(true, r#""transfer""#));
    for stale in [item(false, "null"), item(true, r#""0xa9059cbb""#)] {
        ingest(&mut cache, &transactions(), &stale);
        assert_eq!(known(&cache), (Some("transfer".to_owned()), Some(true)));
    }
    ingest(&mut cache, &Query::Address(address(B), AddressQuery::Details), &own(false));
    assert_eq!(known(&cache).1, Some(false), "its own page knows");
}

#[test]
fn transfers_of_two_responses_are_merged() {
    let mut cache = NameCache::default();
    let transfer = |log: u64, id: u64| {
        format!(
            r#"{{"transaction_hash":"{}","log_index":{log},"from":{{"hash":"{A}"}},"token":{{"address_hash":"{C}"}},"total":{{"token_id":"{id}","value":"1"}}}}"#,
            hash(1)
        )
    };
    let logs = |cache: &NameCache| -> Vec<u64> {
        let transfers = cache.transfers(&hash(1));
        transfers.iter().map(|transfer| *transfer.log_index.value().unwrap()).collect()
    };
    let list = page(&[transfer(9, 1), transfer(5, 2), transfer(5, 1)].join(","));
    ingest(&mut cache, &Query::token_transfers(None), &list);
    ingest(&mut cache, &Query::token_transfers(Some(address(A))), &list);
    assert_eq!(logs(&cache), [5, 5, 9], "a batch is one log");
    assert!(cache.transaction(&hash(1)).is_none() && !cache.knows_all_transfers(&hash(1)));
    let own = |overflow: &str| {
        let transfers = [transfer(2, 1), transfer(5, 1), transfer(2, 1)].join(",");
        format!(
            r#"{{"hash":"{}","status":"ok","token_transfers":[{transfers}]{overflow}}}"#,
            hash(1)
        )
    };
    for (overflow, all) in [
        ("", false),
        (r#","token_transfers_overflow":null"#, false),
        (r#","token_transfers_overflow":true"#, false),
        (r#","token_transfers_overflow":false"#, true),
    ] {
        ingest(&mut cache, &Query::Transaction(hash(1), TransactionQuery::Details), &own(overflow));
        assert_eq!(logs(&cache), [2, 5, 5, 9], "each once");
        assert_eq!(cache.knows_all_transfers(&hash(1)), all, "{overflow}");
    }
    for block in [7, 8] {
        let overflow = format!(r#","block_number":{block}"#);
        ingest(
            &mut cache,
            &Query::Transaction(hash(1), TransactionQuery::Details),
            &own(&overflow),
        );
    }
    assert_eq!(logs(&cache), [2, 5], "those of another block are not listed");
}

#[test]
fn amount_that_one_token_moved_leads_to_it() {
    let mut cache = NameCache::default();
    let transfer = |log: u64, token: &str, total: &str| {
        format!(
            r#"{{"transaction_hash":"{}","log_index":{log},"total":{total},
            "token":{{"address_hash":"{token}","symbol":"GLD","decimals":"6"}}}}"#,
            hash(1)
        )
    };
    let list = page(
        &[
            transfer(1, A, r#"{"value":"2500000000"}"#),
            transfer(2, A, r#"{"value":"7000"}"#),
            transfer(3, B, r#"{"value":"7000"}"#),
            transfer(4, A, r#"{"value":"999"}"#),
            transfer(5, A, r#"{"value":"5000","token_id":"1"}"#),
        ]
        .join(","),
    );
    ingest(&mut cache, &Query::token_transfers(None), &list);
    let token = |amount: u64| cache.token_of_amount(&hash(1), &U256::from(amount)).copied();
    assert_eq!(token(2_500_000_000), Some(address(A)));
    assert_eq!(token(7_000), None, "of two tokens");
    assert_eq!([999, 5_000, 1].map(token), [None; 3], "small, of an NFT, not moved");
    let activity = |token: &str, amount: u64| {
        format!(
            r#"{{"hash":"{}","type":"ERC-20","total":{{"value":"{amount}"}},
            "token":{{"address_hash":"{token}"}}}}"#,
            hash(2)
        )
    };
    let list = page(&[activity(A, 8_000), activity(A, 8_000), activity(B, 9_000)].join(","));
    ingest(&mut cache, &Query::activity(None, <_>::default()), &list);
    let own = format!(r#"{{"hash":"{}","status":"ok"}}"#, hash(2));
    ingest(&mut cache, &Query::Transaction(hash(2), TransactionQuery::Details), &own);
    let token = |amount: u64| cache.token_of_amount(&hash(2), &U256::from(amount)).copied();
    assert_eq!([8_000, 9_000].map(token), [Some(address(A)), Some(address(B))], "of activity");
}

#[test]
fn least_recently_ingested_entry_is_evicted() {
    let mut map: BoundedMap<u32, u32> = bounded_map(10);
    for key in 0..100 {
        *map.get_or_insert_mut(key, u32::default) += 1;
        *map.get_or_insert_mut(0, u32::default) += 1;
        assert!(map.len() <= 10);
    }
    assert_eq!(map.peek(&0), Some(&101), "it is touched all the time");
    assert_eq!((map.peek(&91), map.peek(&90)), (Some(&1), None));
    assert!(map.iter().map(|(key, _)| *key).eq([0].into_iter().chain((91..100).rev())));
}

#[test]
fn transfers_per_transaction_are_bounded() {
    let mut cache = NameCache::default();
    let transfer = |log| format!(r#"{{"transaction_hash":"{}","log_index":{log}}}"#, hash(1));
    let all: Vec<String> = (0..2 * MAX_TRANSFERS).map(transfer).collect();
    ingest(&mut cache, &Query::token_transfers(None), &page(&all.join(",")));
    assert_eq!(cache.transfers(&hash(1)).len(), MAX_TRANSFERS);
}

#[test]
fn address_without_a_token_is_remembered() {
    let mut cache = NameCache::default();
    assert!(cache.may_be_token(&address(A)));
    cache.mark_no_token(address(A));
    assert!(!cache.may_be_token(&address(A)) && cache.may_be_token(&address(B)));
}

#[test]
fn only_an_unverified_contract_without_a_name_lacks_its_source() {
    for (contract, lacks_source) in [
        (r#"{"is_verified":false}"#, true),
        (r#"{"is_verified":true}"#, false),
        (r#"{"is_verified":false,"name":"Vault"}"#, false),
    ] {
        let mut cache = NameCache::default();
        ingest(&mut cache, &Query::Contract(address(A)), contract);
        let known = cache.name(&address(A)).map(|name| name.lacks_source);
        assert_eq!(known, Some(lacks_source), "{contract}");
    }
}

#[test]
fn development_accounts_have_numbers_unless_a_reply_names_them() {
    let mut cache = NameCache::default();
    let [first, last] = [DEVELOPMENT_ACCOUNTS[0], DEVELOPMENT_ACCOUNTS[9]];
    let own = format!(r#"{{"hash":"{last}","name":"Faucet"}}"#);
    ingest(&mut cache, &Query::Address(last, AddressQuery::Details), &own);
    cache.name_development_accounts();
    let name = |cache: &NameCache, account| cache.short_name(account).map(String::from);
    assert_eq!(name(&cache, &first).as_deref(), Some("#0"));
    assert_eq!(name(&cache, &last).as_deref(), Some("Faucet"));
    let named = |cache: &NameCache| ["#0", "faucet"].map(|name| cache.address_named(name));
    assert_eq!(named(&cache), [Some(first), Some(last)]);
    let own = own.replace(&last.to_string(), &first.to_string());
    ingest(&mut cache, &Query::Address(first, AddressQuery::Details), &own);
    assert!(name(&cache, &first).unwrap().starts_with("Faucet"));
    assert_eq!(named(&cache), [None, None], "two have the name");
}

#[test]
fn trace_is_dropped_with_the_block_of_its_transaction() {
    let mut cache = NameCache::default();
    let trace = Query::Transaction(hash(1), TransactionQuery::RawTrace);
    let details = Query::Transaction(hash(1), TransactionQuery::Details);
    let mut keeps_trace = |place: &str| {
        ingest(&mut cache, &trace, "[]");
        ingest(&mut cache, &details, &format!(r#"{{"hash":"{}",{place}}}"#, hash(1)));
        cache.trace(&hash(1)).is_some()
    };
    let at =
        |second: u8| format!(r#""block_number":5,"timestamp":"2024-01-01T00:00:{second:02}Z""#);
    assert!(keeps_trace(&at(0)));
    assert!(keeps_trace(&at(0)), "the same block");
    assert!(!keeps_trace(&at(12)), "another block of the same height");
    assert!(!keeps_trace(r#""block_number":null"#), "no block");
}

#[test]
fn large_trace_is_left_to_its_own_tab() {
    let mut cache = NameCache::default();
    let trace = Query::Transaction(hash(1), TransactionQuery::RawTrace);
    let max = usize::try_from(MAX_TRACE_BYTES).unwrap();
    for (bytes, is_kept) in [(max + 1, false), (10, true)] {
        ingest(&mut cache, &trace, &format!("\"{}\"", "0".repeat(bytes - 2)));
        assert_eq!(cache.trace(&hash(1)).is_some(), is_kept, "{bytes}");
    }
}

#[test]
fn nfts_are_not_divided() {
    let tokens = Query::Address(address(A), AddressQuery::Tokens { types: vec![] });
    let decimals = |kind: &str| {
        let token = format!(r#""address_hash":"{B}","type":"{kind}","decimals":"18""#);
        let mut cache = NameCache::default();
        ingest(&mut cache, &tokens, &page(&format!(r#"{{"token":{{{token}}}}}"#)));
        cache.name(&address(B)).unwrap().token.as_ref().unwrap().decimals
    };
    assert_eq!([decimals("ERC-20"), decimals("ERC-721")], [Some(18), None]);
}

#[test]
fn scam_without_a_name_is_remembered() {
    let mut cache = NameCache::default();
    let item = format!(r#"{{"hash":"{}","to":{{"hash":"{A}","is_scam":true}}}}"#, hash(1));
    ingest(&mut cache, &transactions(), &page(&item));
    assert!(cache.name(&address(A)).is_some_and(|name| name.is_scam));
}
