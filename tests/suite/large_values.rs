//! Values as large as on long chains, which the demo chain does not have.

use chainglass::test_api::api::{AddressQuery, ApiError, Query};
use serde_json::{Value, json};

use super::session::{ALICE, Session, size};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
const BLOCK: &str = "399123456";
const INDEX: &str = "123456";
const HOLDERS: &str = "123456789";
const GAS: &str = "1125899906842624";
/// 2^256 - 1, of 78 digits.
const MOST: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
const SYMBOL: &str = "FORTYCHARACTERSFORTYCHARACTERSFORTYCHARS";
const HASH: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

fn party() -> Value {
    json!({ "hash": ALICE, "name": null, "is_contract": true, "implementations": [] })
}

fn token(standard: &str) -> Value {
    json!({
        "address_hash": "0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", "symbol": SYMBOL,
        "name": SYMBOL, "decimals": "18", "type": standard, "holders_count": HOLDERS,
        "total_supply": MOST, "exchange_rate": "123456789.123456789",
    })
}

/// A row of the list that a query asks for.
fn row(query: &Query, timestamp: &str) -> Option<Value> {
    let block: u64 = BLOCK.parse().unwrap();
    let index: u64 = INDEX.parse().unwrap();
    Some(match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => json!({
            "hash": HASH, "status": "ok", "result": "success", "block_number": block,
            "timestamp": timestamp, "from": party(), "to": party(), "value": MOST,
            "fee": { "type": "actual", "value": MOST }, "nonce": u64::MAX, "position": index,
            "confirmations": block, "gas_limit": GAS, "gas_used": GAS, "method": SYMBOL,
            "has_error_in_internal_transactions": false,
        }),
        Query::Address(_, AddressQuery::InternalTransactions { .. }) => json!({
            "transaction_hash": HASH, "index": index, "block_number": block, "success": true,
            "timestamp": timestamp, "from": party(), "to": party(), "value": MOST,
            "gas_limit": GAS, "type": "delegatecall", "error": null, "transaction_index": index,
        }),
        Query::Address(_, AddressQuery::TokenTransfers { .. }) => json!({
            "transaction_hash": HASH, "log_index": u32::MAX, "block_number": block,
            "timestamp": timestamp, "from": party(), "to": party(), "type": "token_transfer",
            "token": token("ERC-1155"), "token_type": "ERC-1155", "method": SYMBOL,
            "total": { "value": MOST, "token_id": MOST, "decimals": null },
        }),
        Query::Address(_, AddressQuery::Tokens { .. }) => {
            json!({ "token": token("ERC-20"), "value": MOST, "token_id": null })
        }
        Query::Address(_, AddressQuery::Collections { .. }) => {
            json!({ "token": token("ERC-721"), "amount": "12345678", "token_instances": [] })
        }
        _ => return None,
    })
}

async fn session((width, height): (u16, u16), timestamp: &'static str) -> Session {
    Session::canned(size(width, height), ALICE, move |query, _| {
        let row = row(query, timestamp)
            .ok_or_else(|| ApiError::from_error_body(404, br#"{"message":"Not found"}"#))?;
        Ok(json!({ "items": [row], "next_page_params": null }).to_string())
    })
    .await
}

/// Checks that a value is whole if its column is on the screen.
fn assert_whole(screen: &str, title: &str, value: &str) {
    // The first line has the newest block of the chain.
    let is_shown = screen.lines().skip(1).any(|line| {
        line.split("  ").any(|cell| cell.trim() == title)
            || line.split_whitespace().any(|word| word == title)
    });
    let digits = screen.replace(',', "");
    assert!(!is_shown || digits.contains(value), "{title} is cut\n{screen}");
}

#[tokio::test]
async fn numbers_are_whole_or_left_out() {
    for at in SIZES {
        let mut session = session(at, "2023-11-14T22:13:20.000000Z").await;
        for (tab, columns) in [
            ("1", &[("block", BLOCK)][..]),
            ("2", &[("block", BLOCK), ("call", INDEX), ("gas limit", GAS)]),
            ("3", &[("block", BLOCK)]),
            ("4", &[("holders", HOLDERS)]),
            ("5", &[("items", "12345678")]),
        ] {
            session.keys(tab).await;
            let screen = session.screen();
            assert!(screen.contains("1 of 1"), "{screen}");
            for (title, value) in columns {
                assert_whole(&screen, title, value);
            }
        }
    }
}

#[tokio::test]
async fn wide_screens_have_block_numbers() {
    for tab in ["1", "2", "3"] {
        let mut session = session((120, 40), "2023-11-14T22:13:20.000000Z").await;
        session.keys(tab).await;
        assert!(session.screen().contains(BLOCK), "{}", session.screen());
    }
}

#[tokio::test]
async fn fields_have_all_digits() {
    for at in SIZES {
        for (tab, values) in [
            ("1", &["18446744073709551615", BLOCK, INDEX, GAS][..]),
            ("2", &[INDEX, GAS, BLOCK]),
            ("3", &["4294967295", MOST, SYMBOL]),
            ("4", &[HOLDERS, MOST, SYMBOL]),
        ] {
            let mut session = session(at, "2023-11-14T22:13:20.000000Z").await;
            session.keys(tab).await;
            session.keys("d").await;
            let mut text = String::new();
            for _ in 0..8 {
                // Long values are broken into lines, in one of two columns on a wide screen.
                let content = session.content();
                for column in 0..2 {
                    let lines = content.lines().filter_map(|line| line.split('│').nth(column));
                    text.extend(lines.flat_map(str::split_whitespace));
                }
                session.keys("ctrl-d").await;
            }
            let text = text.replace(',', "");
            for value in values {
                assert!(text.contains(value), "{tab} at {at:?}: {value}\n{}", session.screen());
            }
        }
    }
}

#[tokio::test]
async fn ages_of_all_years_are_whole() {
    for at in SIZES {
        for (timestamp, age) in [
            ("1970-01-01T00:00:00.000000Z", "53y"),
            ("2015-07-30T15:26:28.000000Z", "8y"),
            ("2023-11-14T23:53:28.000000Z", "0s"),
        ] {
            for tab in ["1", "2", "3"] {
                let mut session = session(at, timestamp).await;
                session.keys(tab).await;
                let screen = session.content();
                assert!(screen.split_whitespace().any(|word| word == age), "{age}\n{screen}");
            }
        }
        let mut session = session(at, "2106-02-07T06:28:15.000000Z").await;
        session.keys("3").await;
        assert!(!session.screen().contains("lat…"), "{}", session.screen());
    }
}
