//! Transactions that are in no block: replaced, dropped from the pool, or pending. They paid nothing.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{ChainIndex, Msg, NetworkEvent};
use chainglass::test_api::messages::node::NodeErrorCode;
use chainglass::test_api::messages::transaction::DROPPED_BY_RESTART;
use jiff::SignedDuration;

use crate::demo_items::SWAP;
use crate::session::{ALICE, Session, now, size};

/// An answer of a real explorer, of a transaction of a replaced block.
const DROPPED: &str = include_str!("../data/real/dropped_transaction.json");
const HASH: &str = "0x6a74013f229f27db509b0e1423f415108614a2bac3cbbb8983384b6139a44a22";

/// The same transaction while it is in the pool.
fn pending() -> String {
    let pending = DROPPED.replace(r#""status":"error""#, r#""status":null"#);
    pending.replace("dropped/replaced", "pending")
}

async fn open(body: String, target: &str) -> Session {
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            Ok(format!(r#"{{"items":[{}]}}"#, body.trim()))
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    Session::canned(size(120, 40), target, answer).await
}

#[tokio::test]
async fn dropped_transaction_paid_nothing() {
    let screen = open(DROPPED.to_owned(), HASH).await.screen();
    for text in [
        "✗ dropped or replaced: nothing was paid",
        "fee would have been 0.000021 ETH at most",
        "would have sent 0.777 ETH to",
    ] {
        assert!(screen.contains(text), "no {text}\n{screen}");
    }
    for text in ["Balance changes", "−0.777", "failed", "sends"] {
        assert!(!screen.contains(text), "{text}\n{screen}");
    }
}

#[tokio::test]
async fn dropped_transaction_has_no_facts_of_a_mined_one() {
    let mut body = DROPPED.to_owned();
    for (before, after) in [
        (r#""confirmations":0"#, r#""confirmations":2"#),
        (r#""gas_used":null"#, r#""gas_used":"20999""#),
        (r#""transaction_burnt_fee":null"#, r#""transaction_burnt_fee":"5000000000000""#),
    ] {
        assert!(body.contains(before), "{before}");
        body = body.replace(before, after);
    }
    let mut session = open(body, HASH).await;
    let mut page = session.screen();
    session.keys("G").await;
    page.push_str(&session.screen());
    assert!(page.contains(" nonce "), "{page}");
    for text in ["confirmed", "20,999", "burnt"] {
        assert!(!page.contains(text), "{text}\n{page}");
    }
}

#[tokio::test]
async fn fee_without_a_value_is_unknown_everywhere() {
    let body = DROPPED
        .replace(r#""status":"error""#, r#""status":"ok""#)
        .replace("dropped/replaced", "success")
        .replace(r#""block_number":null"#, r#""block_number":4"#)
        .replace(r#""maximum","value":"21000000693000""#, r#""actual","value":null"#);
    let page = open(body.clone(), HASH).await.screen();
    assert!(page.contains("fee ?"), "{page}");
    assert!(page.contains(" fee       ? "), "{page}");
    let list = open(body, ALICE).await.screen();
    let row = list.lines().find(|line| line.contains("0x6a74")).expect(&list);
    assert!(row.contains(" ?"), "{list}");
}

/// The lists are loaded while it is in the pool, and are not asked for again.
#[tokio::test]
async fn empty_lists_of_a_transaction_say_that_it_is_in_no_block() {
    let details = Rc::new(RefCell::new(pending()));
    let shown = Rc::clone(&details);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(shown.borrow().clone()),
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.into()),
    };
    let mut session = Session::canned(size(120, 40), HASH, answer).await;
    let is_on_tabs = async |session: &mut Session, text: &str| {
        for key in ["3", "4", "5", "6"] {
            session.keys(key).await;
            let screen = session.screen();
            assert!(screen.contains(text), "{key}: {screen}");
        }
    };
    is_on_tabs(&mut session, "pending: not in a block yet").await;
    details.replace(DROPPED.to_owned());
    session.keys("1 r").await;
    is_on_tabs(&mut session, "dropped or replaced: nothing was paid").await;
    details.replace(SWAP_DETAILS.replace(SWAP, HASH));
    session.keys("1 r").await;
    session.keys("4").await;
    assert!(session.screen().contains("no logs"), "{}", session.screen());
}

#[tokio::test]
async fn dropped_hash_has_no_other_meaning() {
    let answer = |_: &Query, _: Option<&Cursor>| {
        Err(ApiError::Node { code: NodeErrorCode::Dropped, why: DROPPED_BY_RESTART.into() })
    };
    let screen = Session::canned(size(120, 40), HASH, answer).await.screen();
    assert!(screen.contains("✗ dropped by a restart of the node"), "{screen}");
    for text in ["topic", "another chain"] {
        assert!(!screen.contains(text), "{text}: {screen}");
    }
}

#[tokio::test]
async fn pending_transaction_would_pay() {
    let screen = open(pending(), HASH).await.screen();
    for text in [
        "pending",
        "fee would be 0.000021 ETH at most",
        "would send 0.777 ETH to",
        "Balances would change",
        "It would transfer",
    ] {
        assert!(screen.contains(text), "no {text}\n{screen}");
    }
    assert!(!screen.contains("as they happened"), "{screen}");
}

#[tokio::test]
async fn fee_and_price_of_a_pending_transaction_are_bounds() {
    let body = pending().replace(r#""max_fee_per_gas":null"#, r#""max_fee_per_gas":"1000000033""#);
    let mut session = open(body, HASH).await;
    session.keys("G").await;
    let facts = session.screen();
    for (label, bound) in [("fee", "≤ 0.000021000000693 ETH"), ("gas price", "≤ ")] {
        let has_bound = |line: &str| {
            line.split(label).nth(1).is_some_and(|rest| rest.trim_start().starts_with(bound))
        };
        assert!(facts.lines().any(has_bound), "{label}\n{facts}");
    }
    let session = open(DROPPED.replace("maximum", "actual"), HASH).await;
    assert!(!session.screen().contains('≤'), "{}", session.screen());
}

#[tokio::test]
async fn pending_transaction_names_the_nonces_that_it_waits_for() {
    for (awaited, shown) in [
        ("[5]", "pending: waits for nonce 5"),
        ("[5,6]", "pending: waits for nonces 5, 6"),
        ("[]", "pending "),
    ] {
        let body = pending().replacen('{', &format!(r#"{{"awaited_nonces":{awaited},"#), 1);
        let screen = open(body, HASH).await.screen();
        assert!(screen.contains(shown), "{awaited}\n{screen}");
        assert_eq!(screen.contains("waits for"), awaited != "[]", "{screen}");
    }
}

#[tokio::test]
async fn transfers_of_a_pending_call_are_unknown() {
    let body = |input: &str| {
        format!(
            r#"{{"hash":"{HASH}","status":null,"result":"pending","from":{{"hash":"{ALICE}"}},
            "to":{{"hash":"0x5FbDB2315678afecb367f032d93F642f64180aa3","is_contract":true}},"value":"0",
            "raw_input":"{input}","fee":{{"type":"maximum","value":"21000000000000"}},
            "historic_exchange_rate":"1301.2","token_transfers":[],"token_transfers_overflow":false}}"#
        )
    };
    for (input, is_known) in [("0xa9059cbb", false), ("0x", true)] {
        let screen = open(body(input), HASH).await.screen();
        let counted = screen.lines().any(|line| line.contains("transfers 0"));
        assert_eq!(counted, is_known, "{screen}");
        let changes = screen.lines().skip_while(|line| !line.contains("Balances would change"));
        let changes: Vec<&str> = changes.skip(1).take(1).collect();
        assert_eq!(changes.concat().contains("none"), is_known, "{screen}");
        assert_eq!(changes.concat().contains('?'), !is_known, "{screen}");
        assert!(screen.contains("fee would be 0.000021 ETH at most"), "{screen}");
    }
}

#[tokio::test]
async fn list_has_no_fee_of_a_dropped_transaction() {
    // The column of fees is left out without any.
    for (body, fee) in [(DROPPED.to_owned(), "0.777"), (pending(), "0.000021")] {
        let screen = open(body, ALICE).await.screen();
        let row = screen.lines().find(|line| line.contains("0x6a74")).expect(&screen);
        let row = row.trim_end_matches(['│', ' ']).trim_end_matches(" ETH");
        let last = row.split(' ').next_back();
        assert!(last.is_some_and(|shown| shown.starts_with(fee)), "{fee}: {screen}");
    }
}

const SWAP_DETAILS: &str = include_str!("../data/golden/tx_swap.json");
const SWAP_CHANGES: &str = include_str!("../data/golden/state_changes_swap.json");

/// The response with a transaction, which a test changes, or the status of its failure.
type Details = Rc<RefCell<Result<String, u16>>>;

/// The state changes of a swap.
async fn open_state(details: &Details) -> Session {
    let details = Rc::clone(details);
    let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => details
            .borrow()
            .clone()
            .map_err(|status| ApiError::from_error_body(status, br#"{"message":"Not found"}"#)),
        Query::Transaction(_, TransactionQuery::StateChanges) if cursor.is_none() => {
            Ok(SWAP_CHANGES.to_owned())
        }
        Query::Transaction(_, TransactionQuery::StateChanges) => Ok(r#"{"items":[]}"#.into()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(160, 40), SWAP, answer).await;
    session.keys("6").await;
    session
}

#[tokio::test]
async fn refresh_of_a_tab_asks_for_a_pending_transaction_again() {
    let pending = r#"{"hash":"HASH","status":null,"result":"pending"}"#.replace("HASH", SWAP);
    let details = Details::new(RefCell::new(Ok(pending)));
    let mut session = open_state(&details).await;
    assert!(!session.screen().contains("(the fee)"), "{}", session.screen());
    *details.borrow_mut() = Ok(SWAP_DETAILS.to_owned());
    session.keys("r").await;
    assert!(session.screen().contains("(the fee)"), "{}", session.screen());
}

#[tokio::test]
async fn failure_of_a_transaction_is_shown_on_its_tabs() {
    let details = Details::new(RefCell::new(Err(500)));
    let mut session = open_state(&details).await;
    let screen = session.screen();
    assert!(screen.contains("✗"), "{screen}");
    assert!(!screen.contains("(the fee)"), "{screen}");
    *details.borrow_mut() = Ok(SWAP_DETAILS.to_owned());
    session.keys("r").await;
    let screen = session.screen();
    assert!(screen.contains("(the fee)") && !screen.contains("✗"), "{screen}");
}

#[tokio::test]
async fn failure_of_a_transaction_ends_when_another_tab_has_loaded_it() {
    let details = Details::new(RefCell::new(Err(500)));
    let mut session = open_state(&details).await;
    assert!(session.screen().contains("✗"), "{}", session.screen());
    *details.borrow_mut() = Ok(SWAP_DETAILS.to_owned());
    session.keys("1 r 6").await;
    let screen = session.screen();
    assert!(screen.contains("(the fee)") && !screen.contains("✗"), "{screen}");
}

/// A node reports its head before the rows of the block.
#[tokio::test]
async fn transaction_that_is_mined_while_it_is_asked_for_is_asked_for_again() {
    let asked = Cell::new(0);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => {
            asked.set(asked.get() + 1);
            Ok(if asked.get() < 3 { pending().replace(HASH, SWAP) } else { SWAP_DETAILS.into() })
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::node(size(120, 40), SWAP, answer).await;
    assert!(session.screen().contains("pending"), "{}", session.screen());
    let mut advance = || {
        let event = NetworkEvent::Index(Box::default());
        session.app.update(Msg::Network(ChainIndex::default(), event))
    };
    let effects = [advance(), advance()].concat();
    session.settle(effects).await;
    assert!(!session.screen().contains("pending"), "{}", session.screen());
}

#[tokio::test]
async fn page_of_a_failure_is_loaded_again_for_its_reason() {
    let reason = Rc::new(Cell::new("null"));
    let sent = Rc::clone(&reason);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(format!(
            r#"{{"hash":"{SWAP}","block_number":7,"status":"error","result":{}}}"#,
            sent.get()
        )),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::node(size(120, 40), SWAP, answer).await;
    assert!(session.screen().contains("✗ failed"), "{}", session.screen());
    reason.set(r#""Out of gas""#);
    let event = NetworkEvent::Index(Box::default());
    let effects = session.app.update(Msg::Network(ChainIndex::default(), event));
    session.settle(effects).await;
    assert!(session.screen().contains("Out of gas"), "{}", session.screen());
}

#[tokio::test]
async fn failure_without_a_reason_is_not_polled() {
    let requests = Rc::new(Cell::new(0));
    let count = Rc::clone(&requests);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => {
            count.set(count.get() + 1);
            Ok(format!(r#"{{"hash":"{SWAP}","block_number":7,"status":"error","result":null}}"#))
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::explorer(size(120, 40), SWAP, answer).await;
    for seconds in [20, 40] {
        let tick = Msg::Tick(now() + SignedDuration::from_secs(seconds));
        let effects = session.app.update(tick);
        session.settle(effects).await;
    }
    assert_eq!(requests.get(), 1, "{}", session.screen());
}
