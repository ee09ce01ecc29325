//! Outages on the clock of the test: every page is complete soon after their end, without a key, and
//! few requests are sent in the meantime.

use std::time::Duration;

use chainglass::test_api::api::ApiError;
use chainglass::test_api::app_message::Msg;
use chainglass::test_api::messages::connect_error::ConnectError;

use crate::public_explorer::{PublicExplorer, black_hole};
use crate::session::{ALICE, size};
use crate::simulated_network::SimulatedAnswer;
use crate::timed_session::TimedSession;

/// Requests a second that the explorer answers.
const MAX_RATE: usize = 8;
/// Time from the end of an outage to the complete page.
const MAX_RECOVERY: Duration = Duration::from_secs(15);
/// Time from the end of a sleep to the complete page. The goal is 10 s.
const MAX_WAKING: Duration = Duration::from_secs(6);
const BLOCK: &str = "https://explorer.example.com/block/100";
const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

/// Pages, the key that leads to a tab, and text of the complete page.
const PAGES: [(&str, &str, &str); 6] = [
    ("", "esc", "│   333  "),
    (ALICE, "esc", "9,999,999.38 ETH"),
    (ALICE, "3", "ERC-1155"),
    (BLOCK, "esc", "block 100  2023"),
    (SWAP, "esc", "swapExactIn"),
    (SWAP, "2", "26 calls"),
];

fn unreachable(why: ConnectError) -> SimulatedAnswer {
    let host = "explorer.example.com".into();
    SimulatedAnswer::failed(ApiError::Unreachable { host, why }).after(10)
}

fn faults() -> [(&'static str, SimulatedAnswer); 6] {
    let cdn = ApiError::CdnFailed { host: "explorer.example.com".into(), status: 522 };
    let reset = ApiError::Interrupted { why: "reset".into() };
    [
        ("black hole", black_hole()),
        ("no DNS", unreachable(ConnectError::NoAddress)),
        ("refused", unreachable(ConnectError::Refused)),
        ("reset", SimulatedAnswer::failed(reset)),
        ("bad gateway", SimulatedAnswer::refused(502)),
        ("CDN without a server", SimulatedAnswer::failed(cdn)),
    ]
}

/// A page during an outage.
struct Outage {
    session: TimedSession,
    explorer: PublicExplorer,
    length: Duration,
}

impl Outage {
    /// Opens a page `before` an outage of this length.
    async fn start(
        (target, key): (&str, &str),
        fault: &SimulatedAnswer,
        before: Duration,
        length: Duration,
    ) -> Self {
        let fault = fault.clone();
        let explorer = PublicExplorer::new(MAX_RATE).with_fault(move |elapsed, _| {
            (before..before + length).contains(&elapsed).then(|| fault.clone())
        });
        let mut session = TimedSession::open(&explorer.network(), size(120, 40), target);
        session.wait(before).await;
        session.press(key);
        Self { session, explorer, length }
    }

    /// Waits until the page is complete. Returns the time since the end of the outage.
    async fn recovery(&mut self, content: &str) -> Result<Duration, String> {
        self.session.wait(self.length).await;
        until_complete(&mut self.session, content, MAX_RECOVERY).await
    }
}

/// Waits until a page is complete. Returns the time, or the screen after the longest time.
async fn until_complete(
    session: &mut TimedSession,
    content: &str,
    longest: Duration,
) -> Result<Duration, String> {
    const STEP: Duration = Duration::from_millis(500);
    let mut time = Duration::ZERO;
    while time < longest {
        let screen = session.screen();
        let is_unfinished = ["loading", "✗", "unavailable", "retrying", "not loaded", " old"]
            .iter()
            .any(|text| screen.contains(text));
        if screen.contains(content) && !is_unfinished {
            return Ok(time);
        }
        session.wait(STEP).await;
        time += STEP;
    }
    Err(session.screen())
}

/// The requests in flight are lost, and no error comes.
#[tokio::test(start_paused = true)]
async fn every_page_is_complete_soon_after_a_sleep() {
    for (target, key, content) in PAGES {
        for before in [0, 200, 600, 1_200].map(Duration::from_millis) {
            let network = PublicExplorer::new(MAX_RATE).network();
            let mut session = TimedSession::open(&network, size(120, 40), target);
            session.press(key);
            session.wait(before).await;
            network.suspend();
            let time = until_complete(&mut session, content, MAX_WAKING).await;
            if let Err(screen) = time {
                panic!("{before:?}: {target} {key}\n{screen}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_page_is_complete_15_seconds_after_an_outage() {
    let lengths = [20, 33].map(Duration::from_secs);
    for (name, fault) in faults() {
        for (target, key, content) in PAGES {
            for length in lengths {
                let mut outage = Outage::start((target, key), &fault, Duration::ZERO, length).await;
                if let Err(screen) = outage.recovery(content).await {
                    panic!("{name}, {length:?}: {target} {key}\n{screen}");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn few_requests_are_sent_during_an_outage() {
    let length = Duration::from_secs(20);
    for (name, fault) in faults() {
        let limit = if name == "black hole" { 6 } else { 15 };
        let mut outage = Outage::start((ALICE, "esc"), &fault, Duration::ZERO, length).await;
        outage.session.wait(Duration::from_millis(19_999)).await;
        let count = outage.explorer.requests().len();
        assert!(count <= limit, "{name}: {count} requests");
    }
}

/// Requests on their way are lost, and nothing else.
#[tokio::test(start_paused = true)]
async fn lost_requests_are_sent_again() {
    let (before, length) = (Duration::from_secs(6), Duration::from_millis(500));
    let mut outage = Outage::start((ALICE, "3"), &black_hole(), before, length).await;
    let recovery = outage.recovery("ERC-1155").await.unwrap();
    assert!(recovery < Duration::from_secs(12), "{recovery:?}");
}

/// Returns the number of times that the app wakes up in ten minutes, a minute after it was opened.
async fn count_wakeups(session: &mut TimedSession) -> usize {
    session.wait(Duration::from_mins(1)).await;
    let before = session.wakeups;
    session.wait(Duration::from_mins(10)).await;
    session.wakeups - before
}

#[tokio::test(start_paused = true)]
async fn idle_pages_wake_up_for_their_ages_alone() {
    for target in [ALICE, BLOCK, SWAP] {
        let explorer = PublicExplorer::new(MAX_RATE);
        let mut session = TimedSession::open(&explorer.network(), size(120, 40), target);
        let wakeups = count_wakeups(&mut session).await;
        assert!(wakeups <= 10, "{target}: {wakeups} in ten minutes, with ages by the minute");
    }
}

#[tokio::test(start_paused = true)]
async fn failing_start_page_wakes_up_for_its_attempts_alone() {
    let fault = unreachable(ConnectError::Refused);
    let explorer = PublicExplorer::new(MAX_RATE).with_fault(move |_, _| Some(fault.clone()));
    let mut session = TimedSession::open(&explorer.network(), size(120, 40), "");
    session.wait(Duration::from_secs(30)).await;
    assert!(session.screen().contains("retrying in "), "{}", session.screen());
    assert!(session.wakeups <= 2 * 30, "{} in 30 s, with a countdown", session.wakeups);
    let wakeups = count_wakeups(&mut session).await;
    assert!(session.screen().contains("retrying within 8 min"), "{}", session.screen());
    assert!(wakeups <= 40, "{wakeups} in ten minutes, with three attempts");
    session.update(Msg::FocusChanged(false));
    let wakeups = count_wakeups(&mut session).await;
    assert!(wakeups <= 1, "no attempt unless the user looks, but a last timer: {wakeups}");
}

#[tokio::test(start_paused = true)]
async fn nothing_wakes_up_after_an_outage_of_an_hour() {
    let (hour, fault) = (Duration::from_hours(1), unreachable(ConnectError::Refused));
    let explorer = PublicExplorer::new(MAX_RATE).with_fault(move |_, _| Some(fault.clone()));
    let mut session = TimedSession::open(&explorer.network(), size(120, 40), "");
    session.wait(hour + hour / 2).await;
    let (requests, wakeups) = (explorer.requests().len(), session.wakeups);
    session.wait(hour).await;
    assert_eq!((explorer.requests().len(), session.wakeups), (requests, wakeups));
    assert!(!session.screen().contains("retrying"), "{}", session.screen());
    session.press("r");
    session.wait(Duration::from_secs(1)).await;
    assert!(session.screen().contains("retrying in "), "another hour: {}", session.screen());
}

#[tokio::test(start_paused = true)]
async fn page_opened_late_in_an_outage_has_attempts_of_its_own() {
    let fault = unreachable(ConnectError::Refused);
    let explorer = PublicExplorer::new(MAX_RATE).with_fault(move |_, _| Some(fault.clone()));
    for late in [Duration::from_mins(10), Duration::from_hours(2)] {
        let mut session = TimedSession::open(&explorer.network(), size(120, 40), "");
        session.wait(late).await;
        assert!(!session.screen().contains("retrying in "), "{}", session.screen());
        session.update(Msg::Paste(ALICE.into()));
        for key in ["", "3", "esc"] {
            if !key.is_empty() {
                session.press(key);
            }
            session.wait(Duration::from_secs(2)).await;
            assert!(session.screen().contains("retrying in "), "{key}: {}", session.screen());
            session.wait(late).await;
            assert!(!session.screen().contains("retrying in "), "{key}: {}", session.screen());
        }
    }
}

/// An answer that no repetition changes comes again with the blocks only.
#[tokio::test(start_paused = true)]
async fn refused_feed_is_polled_less_and_less_often() {
    let fault = SimulatedAnswer::refused(500);
    let explorer = PublicExplorer::new(MAX_RATE).with_fault(move |_, _| Some(fault.clone()));
    let mut session = TimedSession::open(&explorer.network(), size(120, 40), "");
    session.wait(Duration::from_mins(10)).await;
    let requests = explorer.requests().len();
    session.wait(Duration::from_mins(10)).await;
    let requests = explorer.requests().len() - requests;
    assert!((1..=18).contains(&requests), "{requests} in ten minutes");
}
