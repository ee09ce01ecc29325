//! Tokens and their transfers: amounts of every standard, contracts and marks, which all views share.

use chainglass::test_api::api::{AddressQuery, ApiError, Query, TokenQuery, TransactionQuery};
use serde_json::{Value, json};

use super::demo_items::BATCH_TRANSFER;
use super::session::{ALICE, Session, size};

/// A standard, the token's decimals, an amount in the smallest unit, and how it is shown.
const AMOUNTS: [(&str, Option<&str>, &str, &str); 8] = [
    ("ERC-20", Some("6"), "1500000", "1.5"),
    ("ERC-404", Some("18"), "2500000000000000000", "2.5"),
    ("ERC-1155", Some("2"), "275", "2.75"),
    ("ERC-1155", None, "4200", "4,200"),
    ("ERC-721", Some("18"), "7", "7"),
    ("ERC-20", None, "1234567", "1,234,567 units"),
    ("ERC-404", None, "7654321", "7,654,321 units"),
    ("ZRC-2", None, "2345678", "2,345,678 units"),
];

fn token(standard: &str, decimals: Option<&str>) -> Value {
    json!({
        "address_hash": format!("0x{:040x}", standard.len()), "symbol": "TKN", "name": "Token",
        "type": standard, "decimals": decimals,
    })
}

/// A list of one row on a wide screen.
async fn one_row(tab: &str, row: Value) -> String {
    let page = json!({"items": [row], "next_page_params": null}).to_string();
    let mut session = Session::canned(size(159, 40), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::Tokens { .. } | AddressQuery::TokenTransfers { .. }) => {
            Ok(page.clone())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys(tab).await;
    session.screen()
}

/// Returns whether a line of the screen that begins with `start` has `text` as words of its own.
fn has_words(screen: &str, start: &str, text: &str) -> bool {
    let is_before = |c| matches!(c, ' ' | '│' | '\u{25a0}'..='\u{25ff}');
    let mut lines = screen.lines().map(|line| line.trim_start_matches(is_before));
    let line = lines.find(|line| line.starts_with(start.trim_start())).unwrap_or_default();
    let line = line.split(['│', '┃']).next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    format!(" {} ", words.join(" ")).contains(&format!(" {text} "))
}

#[tokio::test]
async fn column_of_the_standard_is_for_others_than_erc_20() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("4").await;
    let screen = session.screen();
    assert!(screen.contains(" holders ") && !screen.contains(" standard "), "{screen}");
    let token = token("ERC-404", Some("6"));
    let screen = one_row("4", json!({"token": token, "token_id": null, "value": "7"})).await;
    assert!(screen.contains(" standard ") && screen.contains(" ERC-404 "), "{screen}");
}

#[tokio::test]
async fn details_of_an_amount_in_units_say_why() {
    for (decimals, is_known) in [(Some("6"), true), (None, false)] {
        let token = token("ERC-20", decimals);
        let screen = one_row("4", json!({"token": token, "token_id": null, "value": "7"})).await;
        let has_note = screen.contains("7 units TKN · not divided: unknown decimals ");
        assert_eq!(has_note, !is_known, "{screen}");
    }
}

#[tokio::test]
async fn one_rule_divides_the_amounts_of_all_standards() {
    for (standard, decimals, value, shown) in AMOUNTS {
        let mut token = token(standard, decimals);
        token["total_supply"] = value.into();
        let total = json!({"value": value, "decimals": null});
        let balance = json!({"token": token, "token_id": null, "value": value});
        let transfer = json!({"token": token, "total": total, "log_index": 1});
        for (tab, row, start, text) in [
            ("4", balance.clone(), " TKN", shown),
            ("4", balance.clone(), "holds", shown),
            ("4", balance, "supply", shown),
            ("3", transfer.clone(), "  —", shown),
            ("3", transfer, "amount", shown),
        ] {
            let screen = one_row(tab, row).await;
            let case = format!("{standard} with decimals {decimals:?}, {start}: {text}");
            assert!(has_words(&screen, start, text), "{case}\n{screen}");
        }
    }
}

#[tokio::test]
async fn links_open_the_pages_of_tokens_and_items() {
    let (gld, pane) = (
        "0x5FbDB2315678afecb367f032d93F642f64180aa3",
        "0x948B3c65b89DF0B4894ABE91E6D02FE579834F8F",
    );
    for (link, parts) in [
        (format!("token/{gld}"), ["› Glass Dollar", "2 Holders"]),
        (format!("token/{gld}?tab=holders"), ["› Glass Dollar", "2 Holders"]),
        (format!("token/{pane}/instance/7"), ["› Glass Panes #7", "owner"]),
        (format!("token/{pane}?a=7"), ["› Glass Panes #7", "owner"]),
        (format!("address/{gld}"), ["› Glass Dollar", "3 Own transfers"]),
    ] {
        let link = format!("https://explorer.example/{link}");
        let screen = Session::demo(size(120, 40), &link).await.screen();
        assert!(parts.iter().all(|part| screen.contains(part)), "{link}: {parts:?}\n{screen}");
    }
}

#[tokio::test]
async fn all_tokens_are_listed_in_the_order_of_the_server() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), "").await;
        session.keys("g i").await;
        let screen = session.screen();
        assert!(screen.contains("› all tokens") && screen.contains("holders"), "{screen}");
        let row = |symbol| screen.lines().position(|line| line.contains(&format!(" {symbol} ")));
        assert!(row("GLD").is_some() && row("GLD") < row("SAT"), "{screen}");
        session.keys("enter").await;
        assert!(session.screen().contains("› all tokens › Glass Dollar"), "{}", session.screen());
    }
    let mut session = Session::demo(size(200, 40), "").await;
    session.keys("g i f j space esc").await;
    let screen = session.screen();
    assert!(screen.contains("60,000,000") || screen.contains("PANE"), "{screen}");
}

#[tokio::test]
async fn balance_without_an_amount_is_unknown() {
    let balance = json!({"token": token("ERC-20", Some("6")), "token_id": null, "value": null});
    let screen = one_row("4", balance).await;
    assert!(has_words(&screen, " TKN", "?") && has_words(&screen, "holds", "? TKN"), "{screen}");
}

#[tokio::test]
async fn tokens_without_a_price_are_ordered_by_their_holders() {
    let row = |symbol: Option<&str>, rate: Option<&str>, holders: Option<&str>, rating: &str| {
        let mut token = token("ERC-20", Some("0"));
        token["address_hash"] =
            format!("0x{:040x}", symbol.map_or(0, |symbol| symbol.as_bytes()[0])).into();
        token["symbol"] = symbol.into();
        token["exchange_rate"] = rate.into();
        token["holders_count"] = holders.into();
        token["reputation"] = rating.into();
        json!({"token": token, "token_id": null, "value": "7"})
    };
    let mut nft = row(Some("ITEM"), None, Some("77777"), "ok");
    nft["token_id"] = "1".into();
    let rows = [
        row(Some("RICH"), Some("2"), Some("1"), "ok"),
        row(Some("POOR"), Some("1"), Some("9"), "ok"),
        row(Some("SCAM"), None, Some("999999"), "scam"),
        nft,
        row(None, None, Some("500"), "ok"),
        row(Some("UNCOUNTED"), None, None, "ok"),
        row(Some("FEW"), None, Some("9"), "ok"),
        row(Some("zebra"), None, Some("10"), "ok"),
        row(Some("APE"), None, Some("10"), "ok"),
        row(Some("MANY"), None, Some("100000"), "ok"),
    ];
    // On two pages, which are ordered together.
    let (first, last) = rows.split_at(5);
    let pages = [(first, json!({"items_count": 5})), (last, Value::Null)]
        .map(|(rows, next)| json!({"items": rows, "next_page_params": next}).to_string());
    let mut session = Session::canned(size(120, 40), ALICE, move |query, cursor| match query {
        Query::Address(_, AddressQuery::Tokens { .. }) => {
            Ok(pages[usize::from(cursor.is_some())].clone())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("4").await;
    let screen = session.screen();
    let line = |text: &str| screen.lines().position(|line| line.contains(text));
    let wanted =
        ["RICH", "POOR", "MANY", "APE", "zebra", "FEW", "UNCOUNTED", "ITEM", "500", "SCAM"];
    let lines: Vec<_> = wanted.iter().map(|text| line(&format!("{text} "))).collect();
    assert!(lines.is_sorted() && lines[0].is_some(), "{lines:?}\n{screen}");
    assert!(screen.contains("≈ worth ↓"), "the explorer's order comes first\n{screen}");
}

#[tokio::test]
async fn rate_that_was_sent_is_never_missing() {
    let tiny = format!("0.{}1", "0".repeat(44));
    let largest = "9".repeat(150);
    let overlong = format!("0.{}1", "0".repeat(250));
    for (value, decimals, rate, cell, worth) in [
        ("2500000000000000000", Some("18"), Some("1484.13"), "$3,710", "≈ $3,710.33"),
        ("7", Some("0"), Some(&*tiny), "<$0.01", "≈ <$0.01"),
        (&*"9".repeat(77), Some("0"), Some(&largest), "?", "? (cannot be computed)"),
        ("7", Some("0"), Some(&overlong), "?", "? (cannot be computed)"),
        ("7", None, Some("1.5"), "?", "? (unknown amount)"),
        ("7", Some("0"), None, "7", "no rate"),
    ] {
        let mut token = token("ERC-404", decimals);
        token["exchange_rate"] = rate.into();
        let screen = one_row("4", json!({"token": token, "token_id": "1", "value": value})).await;
        assert!(has_words(&screen, " TKN", cell), "{value} at {rate:?}: {cell}\n{screen}");
        assert!(has_words(&screen, "worth", worth), "{value} at {rate:?}: {worth}\n{screen}");
    }
}

const HASH: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";

fn fake_token() -> Value {
    json!({
        "address_hash": "0x0000000000000000000000000000000000000070", "symbol": "U\u{405}DC",
        "name": "Fake", "type": "ERC-404", "decimals": "6", "reputation": "scam",
    })
}

fn transfer(kind: &str, from: u8, value: &str) -> Value {
    json!({
        "type": kind, "token": fake_token(), "total": {"value": value, "decimals": null},
        "from": {"hash": format!("0x{from:040x}")},
        "to": {"hash": "0x0000000000000000000000000000000000000002"},
    })
}

/// A transaction of which a call makes the only transfer.
async fn transaction_with(transfers: Vec<Value>) -> Session {
    let transaction = json!({
        "hash": HASH, "status": "ok", "result": "success", "block_number": 1,
        "token_transfers": transfers,
    });
    let (sender, receiver, token) = (format!("0x{:040x}", 1), 2, format!("0x{:040x}", 0x70));
    let input = format!("0xa9059cbb{receiver:064x}{:064x}", 0);
    let trace = json!({
        "type": "CALL", "from": sender, "to": token, "gas": "0x900", "gasUsed": "0x100",
        "input": input, "output": "0x", "value": "0x0",
    });
    Session::canned(size(120, 40), HASH, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(transaction.to_string()),
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.to_string()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await
}

#[tokio::test]
async fn transfers_of_a_transaction_name_their_token_and_their_marks() {
    let kinds = [("token_minting", "5"), ("token_burning", "1500000"), ("token_transfer", "0")];
    let transfers = kinds.into_iter().map(|(kind, value)| transfer(kind, 1, value)).collect();
    let screen = transaction_with(transfers).await.screen();
    for amount in ["!0.000005 !UЅDC", "!1.5 !UЅDC", "!0 !UЅDC"] {
        assert!(screen.contains(amount), "{amount}\n{screen}");
    }
    for warning in [
        "the explorer calls this token a scam",
        "the token's name UЅDC imitates USDC",
        "a transfer of 0: any contract can log one",
    ] {
        assert_eq!(screen.matches(warning).count(), 1, "{warning}\n{screen}");
    }
}

#[tokio::test]
async fn transfers_on_calls_have_the_marks_of_the_list() {
    let mut session = transaction_with(vec![transfer("token_minting", 1, "0")]).await;
    session.keys("2").await;
    let screen = session.screen();
    for text in [
        "moved mint !0 UЅDC",
        "the explorer calls this token a scam",
        "0x0000000000000000000000000000000000000070 Fake · ERC-404 UЅDC",
    ] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
}

const GLD: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

#[tokio::test]
async fn tokens_lead_to_their_page_and_back_to_their_address() {
    for (target, keys) in [
        (ALICE, "4 & G L D enter enter"),
        (ALICE, "4 & G L D enter l l enter"),
        ("", "T & t o k e n : G L D enter l l l l l l enter"),
        (GLD, "i"),
    ] {
        let mut session = Session::demo(size(160, 40), target).await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains("─ Glass Dollar  ERC-20 GLD ─"), "{keys}\n{screen}");
        assert!(
            screen.contains("supply 60,000,000 · ") && screen.contains(" decimals · 12 holders "),
            "{screen}"
        );
        session.keys("i").await;
        assert!(session.screen().contains("ERC-20 GLD"), "{keys}\n{}", session.screen());
    }
}

#[tokio::test]
async fn market_capitalization_is_compared_with_supply_and_price() {
    for (cap, shown) in [
        ("50", "market cap $50 (25% of supply × price)"),
        ("199", "market cap $199 · "),
        ("900", "market cap $900 (!more than supply × price)"),
        ("much", "market cap ? · "),
    ] {
        let token = json!({
            "address_hash": ALICE, "type": "ERC-20", "symbol": "TKN", "decimals": "2",
            "total_supply": "10000", "exchange_rate": "2", "circulating_market_cap": cap,
        });
        let mut session = Session::canned(size(160, 30), ALICE, move |query, _| match query {
            Query::Token(_, TokenQuery::Details) => Ok(token.to_string()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        })
        .await;
        session.keys("i").await;
        assert!(session.screen().contains(shown), "{shown}: {}", session.screen());
    }
}

#[tokio::test]
async fn recent_token_opens_its_page_again() {
    let mut session = Session::demo(size(120, 40), GLD).await;
    session.keys("i : g o space 5 F b D enter").await;
    assert!(session.screen().contains("─ Glass Dollar  ERC-20 GLD"), "{}", session.screen());
}

fn holder(value: &str) -> Value {
    json!({"address": {"hash": format!("0x{:040x}", value.len())}, "token_id": null, "value": value})
}

/// The page of a token with a supply, and its holders.
async fn holders_of(supply: &str, holders: Vec<Value>) -> String {
    let mut token = token("ERC-20", Some("2"));
    token["total_supply"] = supply.into();
    token["address_hash"] = ALICE.into();
    let page = json!({"items": holders, "next_page_params": null}).to_string();
    let mut session = Session::canned(size(120, 40), ALICE, move |query, _| match query {
        Query::Token(_, TokenQuery::Details) => Ok(token.to_string()),
        Query::Token(_, TokenQuery::Holders) => Ok(page.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("i 2").await;
    session.screen()
}

#[tokio::test]
async fn share_of_a_holder_is_exact() {
    let largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    for (supply, value, share, holds) in [
        ("30000", "10000", "33.33", "holds 100 TKN · 33.33 % of the supply"),
        ("30000", "30000", "100", "holds 300 TKN · 100 % of the supply"),
        ("30000", "1", "<0.01", "holds 0.01 TKN · <0.01 % of the supply"),
        (largest, largest, "100", "holds 1,157,920,892"),
        ("30000", "29999", ">99.99", "holds 299.99 TKN · >99.99 % of the supply"),
        ("2", "5", ">100", "holds 0.05 TKN · >100 % of the supply"),
        ("0", "5", "?", "holds 0.05 TKN"),
        ("many", "5", "?", "holds 0.05 TKN"),
    ] {
        let screen = holders_of(supply, vec![holder(value)]).await;
        let row = screen
            .lines()
            .find(|line| line.starts_with("│") && line.contains("0x0000"))
            .unwrap_or_else(|| panic!("{screen}"));
        let mut words = row.split_whitespace();
        assert!(words.any(|word| word == share), "{value} of {supply}: {share}\n{screen}");
        let details = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(details.contains(holds), "{value} of {supply}: {holds}\n{screen}");
    }
}

#[tokio::test]
async fn long_name_of_a_token_leaves_space_for_its_standard() {
    let mut session =
        Session::demo(size(80, 24), "0x0165878A594ca255338adfa4d48449f69242Eb8F").await;
    session.keys("i").await;
    let screen = session.screen();
    let title = screen.lines().nth(1).unwrap();
    assert!(title.contains("…  ERC-20 ␛[5mEV␦L") && title.contains(" 0x0165"), "{screen}");
}

#[tokio::test]
async fn names_with_hidden_characters_have_a_note() {
    let note = "│ ! hidden characters in the name  ";
    for (target, keys, is_noted) in [
        ("0x0165878A594ca255338adfa4d48449f69242Eb8F", "i", true),
        ("0x0165878A594ca255338adfa4d48449f69242Eb8F", "", true),
        ("0x5FbDB2315678afecb367f032d93F642f64180aa3", "i", false),
    ] {
        let mut session = Session::demo(size(120, 40), target).await;
        if !keys.is_empty() {
            session.keys(keys).await;
        }
        let screen = session.screen();
        assert_eq!(screen.contains(note), is_noted, "{screen}");
        let title = screen.lines().nth(1).unwrap();
        assert!(keys.is_empty() || title.find("  ERC-20").unwrap() < 60, "capped: {screen}");
    }
}

#[tokio::test]
async fn title_of_amounts_is_above_them() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("4").await;
    let screen = session.screen();
    let end = |text: &str| {
        let line = screen.lines().find(|line| line.contains(text)).unwrap();
        line.split(text).next().unwrap().chars().count() + text.chars().count()
    };
    assert_eq!(end("price $"), end("3,150.42"), "{screen}");
    session.keys("3").await;
    let screen = session.screen();
    assert!(screen.contains(" 283.652  ●▽ WTH "), "an amount is next to its token: {screen}");
}

#[tokio::test]
async fn token_page_of_a_server_without_tokens_says_so() {
    let mut session = Session::canned(size(120, 40), ALICE, |_, _| {
        Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
    })
    .await;
    session.keys("i").await;
    let screen = session.screen();
    assert!(screen.contains("─ no token at this address ─"), "{screen}");
    assert!(!screen.contains("supply"), "no emptiness is invented\n{screen}");
    for tab in ["1", "2", "4"] {
        session.keys(tab).await;
        assert!(session.screen().contains("✗ no such token on "), "{}", session.screen());
    }
}

#[tokio::test]
async fn account_without_a_token_opens_none() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("i").await;
    let screen = session.screen();
    assert!(screen.contains("not a known token"), "{screen}");
    assert!(screen.contains("1 Tx 826"), "the page stays\n{screen}");
}

#[tokio::test]
async fn page_of_an_erc20_token_has_no_instances() {
    let link = format!("https://127.0.0.1/token/{GLD}");
    for (start, keys) in [(GLD, "i"), (&*link, "1"), ("", "s g l d enter")] {
        let mut session = Session::demo(size(120, 40), start).await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains("─ 3 Code ─") && !screen.contains("Instances"), "{screen}");
    }
}

#[tokio::test]
async fn hidden_tabs_of_a_token_are_not_asked_for() {
    let asked = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let log = std::rc::Rc::clone(&asked);
    let mut session = Session::canned(size(120, 40), ALICE, move |query, _| {
        log.borrow_mut().push(query.clone());
        Ok(r#"{"items":[],"next_page_params":null}"#.into())
    })
    .await;
    asked.borrow_mut().clear();
    session.keys("i").await;
    let token = ALICE.parse().unwrap();
    let wanted = [
        Query::Token(token, TokenQuery::Transfers),
        Query::Token(token, TokenQuery::Details),
        Query::Token(token, TokenQuery::Counters),
    ];
    assert_eq!(*asked.borrow(), wanted);
}

#[tokio::test]
async fn tokens_of_a_batch_are_listed_as_they_moved() {
    let mut session = Session::demo(size(120, 40), BATCH_TRANSFER).await;
    for view in ["g g", "3"] {
        session.keys(view).await;
        let screen = session.screen();
        let transfers = screen.rsplit("as they happened").next().unwrap();
        let ids = ["#92", "#110", "#116"].map(|id| transfers.find(id));
        assert!(ids.is_sorted() && ids[0].is_some(), "{ids:?}\n{screen}");
    }
}
