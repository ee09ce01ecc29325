//! The panes of a transaction's page: what one of them has fetched, the others do not request again.

use std::fs;
use std::path::Path;

use chainglass::test_api::api::{ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{ChainRequest, Effect};

use super::demo_items::SWAP;
use super::fault_cases::{queries, query_kind};
use super::session::{Session, size};

/// A response of an explorer. Lists have one page, but logs have two.
fn respond(query: &Query, cursor: Option<&Cursor>) -> Result<String, ApiError> {
    let known = queries().into_iter().find(|(known, _)| query_kind(known) == query_kind(query));
    let Some((_, body)) = known else {
        return Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#));
    };
    let is_of_logs = matches!(query, Query::Transaction(_, TransactionQuery::Logs));
    let body = match cursor {
        None if is_of_logs => return Ok(body),
        None => body,
        Some(_) => {
            let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
            fs::read_to_string(golden.join("logs_swap.page2.json")).unwrap()
        }
    };
    let mut json: serde_json::Value = serde_json::from_str(&body).unwrap();
    if let Some(next) = json.get_mut("next_page_params") {
        *next = serde_json::Value::Null;
    }
    Ok(json.to_string())
}

async fn open() -> Session {
    Session::explorer(size(120, 40), SWAP, respond).await
}

/// The number of requests for something of the transaction.
fn count(session: &Session, wanted: &TransactionQuery) -> usize {
    let is_wanted =
        |query: &Query| matches!(query, Query::Transaction(_, asked) if asked == wanted);
    session.requests.iter().filter(|(query, _)| is_wanted(query)).count()
}

#[tokio::test]
async fn tabs_show_what_overview_and_trace_have_fetched() {
    let mut session = open().await;
    assert_eq!(count(&session, &TransactionQuery::InternalTransactions), 1, "of the overview");
    session.keys("2").await;
    assert_eq!(count(&session, &TransactionQuery::Logs), 2, "the pages of the trace");
    let asked = session.requests.len();
    session.keys("4").await;
    assert!(session.screen().contains("Transfer"), "{}", session.screen());
    session.keys("G 5").await;
    assert!(session.screen().contains("1 of 10 ─╯"), "{}", session.screen());
    assert_eq!(session.requests.len(), asked, "{:?}", &session.requests[asked..]);
}

#[tokio::test]
async fn trace_shows_what_tabs_have_fetched() {
    let mut session = open().await;
    session.keys("4 G").await;
    let logs = count(&session, &TransactionQuery::Logs);
    session.keys("2").await;
    assert_eq!(count(&session, &TransactionQuery::Logs), logs);
    assert_eq!(count(&session, &TransactionQuery::Details), 1);
    assert!(session.screen().contains(" events"), "{}", session.screen());
}

#[tokio::test]
async fn refresh_requests_again_what_is_shared() {
    let mut session = open().await;
    session.keys("2 4").await;
    let logs = count(&session, &TransactionQuery::Logs);
    session.keys("r").await;
    assert!(count(&session, &TransactionQuery::Logs) > logs);
    let internals = count(&session, &TransactionQuery::InternalTransactions);
    session.keys("5").await;
    assert_eq!(count(&session, &TransactionQuery::InternalTransactions), internals + 1);
}

#[tokio::test]
async fn logs_are_asked_for_with_the_trace() {
    let mut session = open().await;
    let effects = session.press("2");
    let [
        Effect::Request { request: ChainRequest::FetchTrace { .. }, .. },
        Effect::Request { request: ChainRequest::Fetch { query, .. }, .. },
        Effect::StartTimer(..),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(matches!(query, Query::Transaction(_, TransactionQuery::Logs)), "{query:?}");
}

/// Opens a transaction that failed.
async fn open_failed() -> Session {
    Session::explorer(size(120, 40), SWAP, |query, cursor| {
        let body = respond(query, cursor)?;
        let is_details = matches!(query, Query::Transaction(_, TransactionQuery::Details));
        Ok(if is_details { body.replace(r#""status":"ok""#, r#""status":"error""#) } else { body })
    })
    .await
}

#[tokio::test]
async fn overview_asks_once_for_the_trace_of_its_failure() {
    let mut session = open_failed().await;
    assert_eq!(count(&session, &TransactionQuery::RawTrace), 1);
    session.keys("r").await;
    assert_eq!(count(&session, &TransactionQuery::Details), 2);
    assert_eq!(count(&session, &TransactionQuery::RawTrace), 1);
}

#[tokio::test]
async fn failed_transaction_has_no_logs_to_ask_for() {
    let mut session = open_failed().await;
    let effects = session.press("2");
    let is_for_logs = |effect: &Effect| {
        let text = format!("{effect:?}");
        text.contains("Logs")
    };
    assert!(!effects.iter().any(is_for_logs), "{effects:?}");
}
