//! Refreshing never erases: after a failed refresh the old data stays, marked with its age.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use chainglass::test_api::api::{ApiError, Cursor, Query};
use chainglass::test_api::app_message::Msg;
use chainglass::test_api::messages::connect_error::ConnectError;
use jiff::SignedDuration;

use crate::fault_cases::{queries, query_kind};
use crate::session::{ALICE, Session, now, size};

pub(crate) const SWAP: &str = "0x20337b4229c894f9ab51ba87ade1e4ff5dbfd4f4448c164aa8eba54c34daf47b";

const LAST_PAGE: &str = r#"{"items":[],"next_page_params":null}"#;

/// A page on a network that can be taken down.
pub(crate) struct UnstableNetwork {
    pub(crate) session: Session,
    pub(crate) is_down: Rc<Cell<bool>>,
}

impl UnstableNetwork {
    async fn open(target: &str) -> Self {
        Self::start(target, false, |_| true).await
    }

    /// Opens a page, whose queries fail while the network is down.
    pub(crate) async fn start(target: &str, is_down: bool, fails: fn(&Query) -> bool) -> Self {
        let error = move |query: &Query| fails(query).then(no_dns);
        Self::start_with_errors(target, is_down, error).await
    }

    /// Opens a page, whose queries fail with these errors while the network is down.
    pub(crate) async fn start_with_errors(
        target: &str,
        is_down: bool,
        error: impl Fn(&Query) -> Option<ApiError> + 'static,
    ) -> Self {
        let bodies = queries().into_iter().map(|(query, body)| (query_kind(&query), body));
        let bodies: HashMap<_, _> = bodies.collect();
        let is_down = Rc::new(Cell::new(is_down));
        let is_unreachable = is_down.clone();
        let answer = move |query: &Query, cursor: Option<&Cursor>| {
            let error = error(query).filter(|_| is_unreachable.get());
            match (error, bodies.get(&query_kind(query))) {
                (Some(error), _) => Err(error),
                (None, Some(_)) if cursor.is_some() => Ok(LAST_PAGE.to_owned()),
                (None, Some(body)) => Ok(body.clone()),
                (None, None) => Err(ApiError::from_error_body(501, b"")),
            }
        };
        let session = Session::canned(size(120, 40), target, answer).await;
        Self { session, is_down }
    }

    async fn refresh_without_network(&mut self) -> String {
        self.is_down.set(true);
        self.wait(40).await;
        self.session.keys("r").await;
        self.session.screen()
    }

    async fn wait(&mut self, seconds: i64) {
        let later = now() + SignedDuration::from_secs(seconds);
        let effects = self.session.app.update(Msg::Tick(later));
        self.session.settle(effects).await;
    }
}

pub(crate) fn no_dns() -> ApiError {
    let (host, why) = ("eth.blockscout.com".into(), ConnectError::NoAddress);
    ApiError::Unreachable { host, why }
}

/// Checks that a page stays, with these marks, when it cannot be refreshed.
async fn check_kept(target: &str, keys: &str, content: &[&str], marks: &[&str]) {
    let mut network = UnstableNetwork::open(target).await;
    if !keys.is_empty() {
        network.session.keys(keys).await;
    }
    let before = network.session.screen();
    for text in content {
        assert!(before.contains(text), "{target}: no {text:?} at first\n{before}");
    }
    assert!(!before.contains(" old"), "{before}");
    let after = network.refresh_without_network().await;
    for text in content.iter().chain(marks) {
        assert!(after.contains(text), "{target}: no {text:?}\n{after}");
    }
    network.is_down.set(false);
    network.session.keys("r").await;
    let healed = network.session.screen();
    assert!(!healed.contains(" old"), "{target}: still marked\n{healed}");
}

#[tokio::test]
async fn list_and_header_of_an_address_stay() {
    let marks = ["✗ 40 s old  ", "no DNS (offline?) · 40 s old · retrying in 5 s · 1 of "];
    check_kept(ALICE, "", &["account", " ETH", "0x"], &marks).await;
}

#[tokio::test]
async fn details_of_a_transaction_stay() {
    check_kept(
        SWAP,
        "",
        &["Overview", "confirmed"],
        &["offline?) · 40 s old · retrying in 5 s · lines 1"],
    )
    .await;
}

#[tokio::test]
async fn calls_and_events_of_a_trace_stay() {
    let marks = ["no DNS (offline?) · 40 s old · retrying in 5 s · call 1 of "];
    check_kept(SWAP, "2", &["calls", "call 1 of "], &marks).await;
}

#[tokio::test]
async fn header_of_a_block_stays() {
    check_kept("13", "", &["base fee", "previous"], &["✗ 40 s old  "]).await;
}

#[tokio::test]
async fn header_of_a_token_stays() {
    check_kept(ALICE, "4 enter", &["supply", "Holders"], &["✗ 40 s old  "]).await;
}

#[tokio::test]
async fn plot_of_balances_stays() {
    check_kept(ALICE, "8", &["last 10 changes"], &["· 40 s old · retrying in 5 s · 1 of 10"]).await;
}

#[tokio::test]
async fn feed_of_the_start_page_stays() {
    let marks = ["Latest blocks · ✗ 40 s old", "Latest transactions · ✗ 40 s old", "✗ 40 s old · "];
    check_kept("", "", &["Latest blocks", "333"], &marks).await;
}

#[tokio::test]
async fn balance_of_a_watched_address_stays() {
    let mut network = UnstableNetwork::open("").await;
    network.session.keys("w").await;
    assert!(network.session.screen().contains(" ETH  "), "{}", network.session.screen());
    let after = network.refresh_without_network().await;
    assert!(after.contains(" ETH  ✗ 40 s old"), "{after}");
}

#[tokio::test]
async fn refreshed_trace_keeps_its_cursor_and_folds() {
    let mut network = UnstableNetwork::open(SWAP).await;
    network.session.keys("2 j c").await;
    let before = network.session.screen();
    assert!(before.contains("call 2 of "), "{before}");
    network.session.keys("r").await;
    let calls = |screen: &str| screen.split("\n├").next().map(str::to_owned);
    let after = network.session.screen();
    // The fold has left more space to the detail, in which the refresh unfolds what fits.
    assert_eq!(calls(&after), calls(&before));
    assert!(after.contains("call 2 of "), "{after}");
}

#[tokio::test]
async fn refreshed_trace_keeps_the_cursor_and_the_folds_of_its_detail() {
    let mut network = UnstableNetwork::open(SWAP).await;
    network.session.keys("2 j tab G space k k").await;
    let above_footer = |content: &str| content.rsplit_once('\n').map(|(above, _)| above.to_owned());
    let before = network.session.content();
    network.session.keys("r").await;
    assert_eq!(above_footer(&network.session.content()), above_footer(&before));
    network.session.keys("y y").await;
    let copied = network.session.copied().map(str::to_owned);
    network.session.keys("r y y").await;
    assert_eq!(network.session.copied(), copied.as_deref());
}

/// A reason that does not fit is cut, in the header, the list and the trace.
#[tokio::test]
async fn countdown_is_visible_at_80_columns() {
    let fail = |_: &Query, _: Option<&Cursor>| {
        let why = ConnectError::Proxy {
            proxy: "proxy.corporation.example:3128".into(),
            why: Box::new(ConnectError::TimedOut { seconds: 10 }),
        };
        Err(ApiError::Unreachable { host: "eth.blockscout.com".into(), why })
    };
    let session = Session::canned(size(80, 24), ALICE, fail).await;
    let screen = session.screen();
    assert_eq!(screen.matches("retrying in 5 s").count(), 1, "{screen}");
    assert!(screen.contains("✗ cannot reach eth.blockscout.com: proxy proxy.c"), "{screen}");
    let mut session = Session::canned(size(80, 24), SWAP, fail).await;
    session.keys("2").await;
    let screen = session.screen();
    assert_eq!(screen.matches("retrying in 5 s").count(), 1, "{screen}");
}
