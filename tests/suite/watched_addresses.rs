//! New rows at watched addresses in the app: the marks of the start page, the terminal's title and
//! notifications, and the requests that they cost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chainglass::test_api::app_message::{Msg, NotificationMethod};
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::user_data::Labels;

use crate::demo_items::SWAP;
use crate::session::{ALICE, size};
use crate::simulated_network::{SimulatedAnswer, SimulatedNetwork};
use crate::timed_session::TimedSession;

const BOB: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
/// The time until each list was read again.
const ROUND: Duration = Duration::from_secs(150);

/// The transactions of Alice at an explorer, newest first.
#[derive(Default)]
struct Explorer {
    transactions: Vec<String>,
    is_down: bool,
}

type SharedExplorer = Arc<Mutex<Explorer>>;

impl Explorer {
    fn add(&mut self, number: usize) {
        let time = "2023-11-15T00:00:00.000000Z";
        self.transactions.insert(
            0,
            format!(
                r#"{{"hash":"{number:#066x}","block_number":{},"timestamp":"{time}","status":"ok",
                    "from":{{"hash":"{BOB}","name":"Eve\u001b]0;x\u0007"}},"to":{{"hash":"{ALICE}"}},
                    "value":"{number}","position":0}}"#,
                100 + number
            ),
        );
    }

    fn answer(&self, path: &str) -> SimulatedAnswer {
        let path = path.to_lowercase();
        let rows = if self.is_down {
            return SimulatedAnswer::refused(503);
        } else if path.ends_with(&format!("{}/transactions", ALICE.to_lowercase())) {
            self.transactions.join(",")
        } else if path.contains("/main-page/") {
            return SimulatedAnswer::ok("[]");
        } else {
            String::new()
        };
        SimulatedAnswer::ok(format!(r#"{{"items":[{rows}],"next_page_params":null}}"#))
    }
}

/// An app that watches Alice, at an explorer.
struct WatchingApp {
    explorer: SharedExplorer,
    network: SimulatedNetwork,
    session: TimedSession,
}

impl WatchingApp {
    fn open(target: &str, notification: NotificationMethod) -> Self {
        let explorer = SharedExplorer::default();
        explorer.lock().unwrap().add(0);
        let shared = Arc::clone(&explorer);
        let network = SimulatedNetwork::new(move |path, _| shared.lock().unwrap().answer(path));
        let settings = AppSettings { notification, ..AppSettings::default() };
        let mut session = TimedSession::open_with(&network, size(120, 40), target, settings);
        let labels =
            Labels::from_csv(&format!("address,name,watch\n{ALICE},Me,true\n{BOB},,true\n"));
        let key = SimulatedNetwork::chain().storage_key();
        session.update(Msg::LabelsLoaded { key, labels: Ok(labels.into()) });
        Self { explorer, network, session }
    }

    /// Opens the start page, and waits until the addresses were read once.
    async fn begin() -> Self {
        let mut app = Self::open("", NotificationMethod::Off);
        app.session.wait(Duration::from_secs(30)).await;
        assert_eq!(app.looks(), 4, "{:#?}", app.network.requests());
        app
    }

    fn add(&self, numbers: std::ops::Range<usize>) {
        numbers.for_each(|number| self.explorer.lock().unwrap().add(number));
    }

    /// Returns the number of requests for the lists of addresses.
    fn looks(&self) -> usize {
        let lists = ["/transactions", "/token-transfers"];
        let requests = self.network.requests();
        let is_look = |path: &str| {
            path.contains("/addresses/") && lists.iter().any(|list| path.ends_with(list))
        };
        requests.iter().filter(|request| is_look(&request.path)).count()
    }

    fn has_mark(&self, mark: &str) -> bool {
        let screen = self.session.screen();
        screen.lines().any(|line| line.contains("«Me»") && line.contains(mark))
    }
}

#[tokio::test(start_paused = true)]
async fn new_rows_are_marked_until_the_address_is_opened() {
    let mut app = WatchingApp::begin().await;
    assert!(!app.has_mark("new"), "{}", app.session.screen());
    assert_eq!(app.session.app.title(), None);
    app.add(1..3);
    app.session.wait(ROUND).await;
    assert!(app.has_mark(" 2 new "), "{}", app.session.screen());
    assert!(app.session.screen().contains("«Me»: 2 new rows"), "{}", app.session.screen());
    assert_eq!(app.session.app.title().as_deref(), Some("(2) chainglass"));
    app.add(3..4);
    app.session.wait(ROUND).await;
    assert!(app.has_mark(" 3 new "), "{}", app.session.screen());
    app.session.press("enter");
    assert_eq!(app.session.app.title(), None, "{}", app.session.screen());
    app.session.press("esc");
    app.session.wait(ROUND).await;
    assert!(!app.has_mark("new"), "{}", app.session.screen());
    assert!(app.session.notifications.is_empty(), "none is wanted");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_unless_the_start_page_is_looked_at() {
    let mut app = WatchingApp::open(SWAP, NotificationMethod::Off);
    app.session.wait(Duration::from_mins(20)).await;
    assert_eq!(app.looks(), 0, "another page");
    let mut app = WatchingApp::open("", NotificationMethod::Off);
    app.session.wait(Duration::from_secs(2)).await;
    app.session.press("enter");
    app.session.wait(Duration::from_mins(20)).await;
    assert_eq!(app.looks(), 1, "the list on the page of the address");
    let mut app = WatchingApp::begin().await;
    app.session.update(Msg::FocusChanged(false));
    app.session.wait(Duration::from_mins(20)).await;
    assert_eq!(app.looks(), 4, "without the focus");
    app.session.update(Msg::FocusChanged(true));
    app.session.wait(Duration::from_secs(30)).await;
    assert_eq!(app.looks(), 8, "soon when it is back");
}

#[tokio::test(start_paused = true)]
async fn address_costs_a_request_a_minute_one_at_a_time() {
    let mut app = WatchingApp::begin().await;
    app.session.wait(Duration::from_hours(1)).await;
    let looks = app.looks() - 4;
    assert!((100..=2 * 60).contains(&looks), "{looks} in an hour for two addresses");
    for _ in 0..20 {
        app.session.update(Msg::FocusChanged(false));
        app.session.update(Msg::FocusChanged(true));
        app.session.wait(Duration::from_millis(100)).await;
    }
    assert!(app.looks() - 4 - looks <= 4, "focus comes and goes: {}", app.looks());
}

#[tokio::test(start_paused = true)]
async fn outage_is_waited_for_and_loses_nothing() {
    let mut app = WatchingApp::begin().await;
    app.explorer.lock().unwrap().is_down = true;
    app.add(1..40);
    app.session.wait(Duration::from_mins(20)).await;
    let asked = app.looks() - 4;
    assert!(asked <= 4 * 10, "{asked} in twenty minutes, with the client's own attempts");
    assert!(!app.has_mark("new"), "{}", app.session.screen());
    app.explorer.lock().unwrap().is_down = false;
    app.session.wait(2 * ROUND).await;
    assert!(app.has_mark(" 39 new "), "{}", app.session.screen());
}

#[tokio::test(start_paused = true)]
async fn user_is_notified_on_every_page_if_that_is_set() {
    let mut app = WatchingApp::open(SWAP, NotificationMethod::Osc9);
    app.session.update(Msg::FocusChanged(false));
    app.session.wait(Duration::from_mins(3)).await;
    assert_eq!(app.looks(), 4);
    app.add(1..2);
    app.session.wait(Duration::from_mins(3)).await;
    let [(method, text)] = &app.session.notifications[..] else {
        panic!("{:?}", app.session.notifications)
    };
    assert_eq!(*method, NotificationMethod::Osc9);
    assert!(text.starts_with("«Me»  0.000000000000000001 ETH") && text.contains("← Eve"), "{text}");
    assert!(!text.contains(char::is_control), "{text:?}");
    assert!(app.session.screen().contains("«Me»  0.000"), "{}", app.session.screen());
    assert_eq!(app.session.app.title().as_deref(), Some("(1) chainglass"));
}

#[tokio::test(start_paused = true)]
async fn rows_of_the_address_on_the_screen_are_not_unread() {
    let mut app = WatchingApp::open(ALICE, NotificationMethod::Bell);
    app.session.wait(Duration::from_mins(3)).await;
    app.add(1..2);
    app.session.wait(Duration::from_mins(3)).await;
    assert_eq!(app.session.notifications.len(), 1, "the list does not show it by itself");
    assert_eq!(app.session.app.title(), None);
    app.session.press("F");
    app.add(2..3);
    app.session.wait(Duration::from_mins(3)).await;
    assert_eq!(app.session.notifications.len(), 1, "it is in the live list");
    app.session.update(Msg::FocusChanged(false));
    app.add(3..4);
    app.session.wait(Duration::from_mins(3)).await;
    assert_eq!(app.session.notifications.len(), 2, "the user does not look");
    assert_eq!(app.session.app.title().as_deref(), Some("(1) chainglass"));
    app.session.update(Msg::FocusChanged(true));
    assert_eq!(app.session.app.title(), None);
}

#[tokio::test(start_paused = true)]
async fn live_list_hides_no_rows_of_other_lists() {
    let mut app = WatchingApp::open(ALICE, NotificationMethod::Bell);
    app.session.press("2");
    app.session.wait(Duration::from_mins(3)).await;
    app.session.press("F");
    app.session.wait(Duration::from_secs(5)).await;
    let screen = app.session.screen();
    assert!(screen.contains("no internal transactions") && screen.contains(" live ─╯"), "{screen}");
    app.add(1..2);
    app.session.wait(Duration::from_mins(3)).await;
    assert_eq!(app.session.notifications.len(), 1, "{}", app.session.screen());
}

#[tokio::test(start_paused = true)]
async fn address_that_is_no_longer_watched_has_no_marks() {
    let mut app = WatchingApp::begin().await;
    app.add(1..2);
    app.session.wait(ROUND).await;
    assert!(app.session.app.title().is_some());
    let key = SimulatedNetwork::chain().storage_key();
    app.session.update(Msg::LabelsLoaded { key, labels: Ok(Labels::from_csv("").into()) });
    assert_eq!(app.session.app.title(), None);
    let looks = app.looks();
    app.session.wait(ROUND).await;
    assert_eq!(app.looks(), looks);
}
