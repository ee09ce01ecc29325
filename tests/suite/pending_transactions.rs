//! Lists of pending transactions: rows stay when their transactions leave the pool, and show where they
//! went.

use std::cell::RefCell;
use std::rc::Rc;

use jiff::SignedDuration;

use chainglass::test_api::api::{
    AddressQuery, ApiError, ChainQuery, Cursor, Query, TransactionQuery,
};
use chainglass::test_api::app_message::Msg;

use crate::session::{ALICE, Session, now, size};

/// A transaction of Alice by a number, in a block or in none.
fn row(number: u64, nonce: u64, block: Option<u64>) -> String {
    let block_number = block.map_or("null".into(), |block| block.to_string());
    let (status, result) =
        if block.is_some() { (r#""ok""#, "success") } else { ("null", "pending") };
    format!(
        r#"{{"hash":"0x{number:064x}","nonce":{nonce},"block_number":{block_number},"status":{status},"result":"{result}","from":{{"hash":"{ALICE}"}},"max_fee_per_gas":"2500000000"}}"#
    )
}

fn page(rows: &[String], next: &str) -> String {
    format!(r#"{{"items":[{}],"next_page_params":{next}}}"#, rows.join(","))
}

/// The answers of an explorer, which change during a test.
#[derive(Debug, Clone)]
struct Answers {
    pool: String,
    /// Of each transaction that is asked for by its hash.
    details: Result<String, ApiError>,
    sent: Result<String, ApiError>,
}

fn not_found() -> ApiError {
    ApiError::from_error_body(404, br#"{"message":"Not found"}"#)
}

/// A session, and the answers of its explorer.
struct Pool {
    session: Session,
    answers: Rc<RefCell<Answers>>,
    polls: i64,
}

impl Pool {
    /// Opens the pending transactions of the chain.
    async fn open(rows: &[String]) -> Self {
        let pool = page(rows, "null");
        let answers = Answers { pool, details: Err(not_found()), sent: Ok(page(&[], "null")) };
        let answers = Rc::new(RefCell::new(answers));
        let source = answers.clone();
        let answer = move |query: &Query, _: Option<&Cursor>| {
            let answers = source.borrow();
            match query {
                Query::Chain(ChainQuery::Pending) => Ok(answers.pool.clone()),
                Query::Transaction(_, TransactionQuery::Details) => answers.details.clone(),
                Query::Address(_, AddressQuery::Transactions { .. }) => answers.sent.clone(),
                _ => Err(not_found()),
            }
        };
        let mut session = Session::explorer(size(110, 30), "", answer).await;
        session.keys("g l p e n d enter").await;
        Self { session, answers, polls: 0 }
    }

    /// Lets the list ask again, and returns the screen.
    async fn poll(&mut self, rows: &[String]) -> String {
        self.poll_page(page(rows, "null")).await
    }

    async fn poll_page(&mut self, pool: String) -> String {
        self.answers.borrow_mut().pool = pool;
        self.polls += 1;
        let tick = Msg::Tick(now() + SignedDuration::from_secs(10 * self.polls));
        let effects = self.session.app.update(tick);
        self.session.settle(effects).await;
        self.session.screen()
    }

    fn set_details(&self, details: Result<String, ApiError>) {
        self.answers.borrow_mut().details = details;
    }
}

/// Returns `true` if the bottom border of a live list has this position, perhaps after the lines of its detail.
fn is_live_at(screen: &str, position: &str) -> bool {
    screen.lines().any(|line| line.contains(" live ") && line.contains(position))
}

/// Returns the line of a transaction.
fn line(screen: &str, number: u64) -> &str {
    let end = format!("…{number:04x} ");
    let is_row = |line: &&str| line.contains("0x0000") && line.contains(&end);
    screen.lines().find(is_row).unwrap_or_else(|| panic!("no {number}\n{screen}"))
}

#[tokio::test]
async fn pending_transactions_have_nonces_and_prices() {
    let screen = Pool::open(&[row(2, 9, None), row(1, 8, None)]).await.session.screen();
    for text in ["pending", " 9 ", "2.5"] {
        assert!(line(&screen, 2).contains(text), "no {text}\n{screen}");
    }
    assert!(is_live_at(&screen, "1 of 2") && !screen.contains("filter="), "{screen}");
}

#[tokio::test]
async fn rows_are_found_by_their_state_and_nonce() {
    let mut pool = Pool::open(&[row(2, 8, None), row(1, 7, None)]).await;
    for (words, found) in [("pending", " of 2 for"), ("nonce:8", " of 1 for")] {
        pool.session.keys("/").await;
        pool.session.type_text(words).await;
        assert!(pool.session.screen().contains(found), "{}", pool.session.screen());
    }
}

#[tokio::test]
async fn mined_transaction_keeps_its_row_and_opens_its_block() {
    let mut pool = Pool::open(&[row(2, 9, None), row(1, 8, None)]).await;
    pool.session.keys("j").await;
    pool.set_details(Ok(row(1, 8, Some(777))));
    let screen = pool.poll(&[row(3, 10, None), row(2, 9, None)]).await;
    assert!(line(&screen, 1).contains("in block 777"), "{screen}");
    assert!(line(&screen, 2).contains("pending") && line(&screen, 3).contains("pending"));
    assert!(is_live_at(&screen, "3 of 3"), "the selected row stays\n{screen}");
    pool.session.keys("h enter").await;
    assert!(pool.session.screen().contains("block 777"), "{}", pool.session.screen());
}

#[tokio::test]
async fn replaced_transaction_names_the_one_in_the_pool() {
    let mut pool = Pool::open(&[row(1, 8, None)]).await;
    let asked = pool.session.requests.len();
    let screen = pool.poll(&[row(0xbeef, 8, None)]).await;
    assert!(line(&screen, 1).contains("replaced by 0x0000"), "{screen}");
    assert!(line(&screen, 1).contains("beef"), "{screen}");
    assert_eq!(pool.session.requests.len(), asked + 1, "the page says it already");
}

#[tokio::test]
async fn replaced_transaction_names_the_one_in_a_block() {
    let mut pool = Pool::open(&[row(1, 8, None)]).await;
    pool.answers.borrow_mut().sent = Ok(page(&[row(0xbeef, 8, Some(7))], r#"{"index":1}"#));
    let screen = pool.poll(&[]).await;
    assert!(line(&screen, 1).contains("replaced by 0x0000"), "{screen}");
    pool.session.keys("h enter").await;
    let screen = pool.session.screen();
    assert!(screen.contains("› transaction 0x0000") && screen.contains("beef"), "{screen}");
}

#[tokio::test]
async fn dropped_transaction_is_called_so_only_when_no_other_can_have_its_nonce() {
    for (sent, state) in [
        (page(&[row(5, 7, Some(6))], r#"{"index":1}"#), "dropped "),
        (page(&[], "null"), "dropped "),
        (page(&[row(5, 12, Some(6))], r#"{"index":1}"#), "dropped or replaced"),
    ] {
        let mut pool = Pool::open(&[row(1, 8, None)]).await;
        pool.answers.borrow_mut().sent = Ok(sent.clone());
        let screen = pool.poll(&[]).await;
        assert!(line(&screen, 1).contains(state), "{sent}: no {state}\n{screen}");
        let is_unsure = line(&screen, 1).contains("dropped or replaced");
        assert_eq!(is_unsure, state == "dropped or replaced", "{screen}");
    }
}

#[tokio::test]
async fn sender_of_several_rows_is_asked_for_once() {
    let mut pool = Pool::open(&[row(2, 9, None), row(1, 8, None)]).await;
    pool.poll(&[]).await;
    let is_of_sender = |(query, _): &&(Query, Option<Cursor>)| {
        matches!(query, Query::Address(_, AddressQuery::Transactions { .. }))
    };
    assert_eq!(pool.session.requests.iter().filter(is_of_sender).count(), 1);
}

#[tokio::test]
async fn state_is_unknown_until_the_server_answers() {
    let mut pool = Pool::open(&[row(1, 8, None)]).await;
    pool.set_details(Err(ApiError::TimedOut { seconds: 1 }));
    let screen = pool.poll(&[]).await;
    assert!(line(&screen, 1).contains("not in the pool any more"), "{screen}");
    pool.set_details(Ok(row(1, 8, None)));
    let screen = pool.poll(&[]).await;
    assert!(line(&screen, 1).contains("not in the pool any more"), "{screen}");
    pool.set_details(Ok(row(1, 8, Some(777))));
    let screen = pool.poll(&[]).await;
    assert!(line(&screen, 1).contains("in block 777"), "{screen}");
    let screen = pool.poll(&[row(1, 8, None)]).await;
    assert!(line(&screen, 1).contains("pending"), "after a reorganization\n{screen}");
}

#[tokio::test]
async fn rows_of_a_list_with_more_pages_are_asked_for_by_their_hashes() {
    let mut pool = Pool::open(&[row(2, 9, None), row(1, 8, None)]).await;
    pool.set_details(Ok(row(1, 8, None)));
    let newer = page(&[row(4, 11, None), row(3, 10, None)], r#"{"hash":"0x3"}"#);
    let screen = pool.poll_page(newer.clone()).await;
    assert!(line(&screen, 1).contains("pending"), "it may be on another page\n{screen}");
    pool.set_details(Err(ApiError::TimedOut { seconds: 1 }));
    pool.session.keys("j").await;
    pool.set_details(Ok(row(1, 8, Some(777))));
    let screen = pool.poll_page(newer).await;
    assert!(line(&screen, 1).contains("in block 777"), "{screen}");
}

#[tokio::test]
async fn refresh_lists_the_pool_only() {
    let mut pool = Pool::open(&[row(2, 9, None), row(1, 8, None)]).await;
    let screen = pool.poll(&[row(2, 9, None)]).await;
    assert!(screen.contains("of 2"), "{screen}");
    pool.session.keys("r").await;
    let screen = pool.session.screen();
    assert!(screen.contains("of 1") && !screen.contains("dropped"), "{screen}");
}

#[tokio::test]
async fn address_has_its_own_list_of_pending_transactions() {
    let rows = [row(2, 9, None), row(1, 8, None), row(7, 7, Some(5))];
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. } | AddressQuery::Pending) => {
            Ok(page(&rows, r#"{"index":1}"#))
        }
        _ => Err(not_found()),
    };
    let mut session = Session::explorer(size(120, 30), ALICE, answer).await;
    session.keys(": p e n d enter").await;
    let screen = session.screen();
    assert!(screen.contains("Pending") && is_live_at(&screen, "1 of 2"), "{screen}");
    session.keys("G G").await;
    assert!(session.screen().contains("2 of 2"), "{}", session.screen());
}

#[tokio::test]
async fn node_that_lists_no_pool_is_not_taken_for_an_empty_one() {
    let body = r#"{"items":[],"next_page_params":null,"pool_failure":"no such method"}"#;
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. } | AddressQuery::Pending) => {
            Ok(body.to_owned())
        }
        _ => Err(not_found()),
    };
    let mut session = Session::explorer(size(120, 30), ALICE, answer).await;
    session.keys(": p e n d enter").await;
    let screen = session.screen();
    assert!(screen.contains("no such method"), "{screen}");
    assert!(!screen.contains("no pending transactions"), "{screen}");
}

#[tokio::test]
async fn page_of_a_lost_transaction_says_where_it_went() {
    let hash = format!("0x{:064x}", 7);
    let other = format!("0x{:064x}", 0xbeef);
    for (exit, shown) in [
        (r#"{"rolled_back_from":5}"#.to_owned(), "✗ rolled back from block 5".to_owned()),
        (
            format!(r#"{{"replaced_by":"{other}","replaced_in":6}}"#),
            format!("✗ replaced by {other} (same nonce) in block 6"),
        ),
        (format!(r#"{{"replaced_by":"{other}"}}"#), format!("✗ replaced by {other}")),
        (r#"{"is_dropped":true}"#.to_owned(), "✗ dropped".to_owned()),
        (r#"{"is_dropped":null}"#.to_owned(), "not in the pool any more".to_owned()),
    ] {
        let sent = row(7, 1, None);
        let body = format!(r#"{},"left_pool":{exit}}}"#, sent.strip_suffix('}').unwrap());
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
            _ => Err(not_found()),
        };
        let session = Session::explorer(size(130, 30), &hash, answer).await;
        assert!(session.screen().contains(&shown), "{shown}: {}", session.screen());
    }
}

#[tokio::test]
async fn page_of_a_new_transaction_is_asked_for_again() {
    let hash = format!("0x{:064x}", 7);
    let details = Rc::new(RefCell::new(Err(not_found())));
    let (source, requests) = (details.clone(), Rc::new(RefCell::new(0)));
    let count = requests.clone();
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => {
            *count.borrow_mut() += 1;
            source.borrow().clone()
        }
        _ => Err(not_found()),
    };
    let mut session = Session::explorer(size(110, 30), &hash, answer).await;
    let mut seconds = 0;
    assert!(session.screen().contains("no such transaction"), "{}", session.screen());
    for (reply, shown, is_asked) in [
        (row(7, 1, None), "pending", true),
        (row(7, 1, Some(5)), "✓ ok", true),
        (row(7, 1, Some(5)), "✓ ok", false),
    ] {
        *details.borrow_mut() = Ok(reply);
        let before = *requests.borrow();
        for elapsed in [9, 10] {
            let tick = Msg::Tick(now() + SignedDuration::from_secs(seconds + elapsed));
            let effects = session.app.update(tick);
            session.settle(effects).await;
            let asked = *requests.borrow() > before;
            assert_eq!(asked, is_asked && elapsed == 10, "{shown} after {elapsed} s");
        }
        seconds += 10;
        assert!(session.screen().contains(shown), "{shown}: {}", session.screen());
    }
}
