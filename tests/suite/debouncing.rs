//! Steps in fast succession: the screen follows each, but only the first and the last are loaded.

use std::time::Duration;

use chainglass::test_api::api::{AddressQuery, BlockQuery, ChainQuery, Query};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg, Priority, RequestId};
use chainglass::test_api::chain::Network;

use super::session::{ALICE, Session, size};

/// Time between two keys of a held key.
const REPEAT: Duration = Duration::from_millis(33);
const REST: Duration = Duration::from_millis(250);

/// An app with a clock for its timers, whose requests are never answered.
struct TimedSession {
    session: Session,
    time: Duration,
    timers: Vec<(Duration, RequestId)>,
    requests: Vec<ChainRequest>,
}

impl TimedSession {
    fn start(target: &str) -> Self {
        let session = Session::refusing(Network::demo(), size(120, 40), false);
        let mut timed = Self::of(session);
        let effects = timed.session.app.start(size(120, 40), target.parse().ok());
        timed.execute(effects);
        timed.wait(REST);
        timed
    }

    fn of(session: Session) -> Self {
        Self { session, time: Duration::ZERO, timers: Vec::new(), requests: Vec::new() }
    }

    fn execute(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Request { request, .. } => self.requests.push(request),
                Effect::StartTimer(timer, delay) => self.timers.push((self.time + delay, timer)),
                _ => {}
            }
        }
    }

    /// Lets time pass, in which timers fire.
    fn wait(&mut self, time: Duration) {
        let end = self.time + time;
        while let Some(first) = (0..self.timers.len()).min_by_key(|at| self.timers[*at].0)
            && self.timers[first].0 <= end
        {
            let (due, timer) = self.timers.remove(first);
            self.time = due;
            let effects = self.session.app.update(Msg::TimerFired(timer));
            self.execute(effects);
        }
        self.time = end;
    }

    fn press(&mut self, key: &str) {
        let effects = self.session.press(key);
        self.execute(effects);
    }

    fn hold(&mut self, key: &str, times: usize) {
        for _ in 0..times {
            self.press(key);
            self.wait(REPEAT);
        }
    }

    /// The requests since the last call.
    fn take_requests(&mut self) -> Vec<ChainRequest> {
        std::mem::take(&mut self.requests)
    }
}

fn queries(requests: &[ChainRequest]) -> Vec<&Query> {
    let fetched = requests.iter().filter_map(|request| match request {
        ChainRequest::Fetch { query, .. } => Some(query),
        ChainRequest::FetchTrace { .. } => None,
    });
    fetched.collect()
}

#[test]
fn held_key_loads_the_first_and_the_last_block() {
    let mut timed = TimedSession::start("12");
    timed.take_requests();
    for block in 13..103 {
        timed.press(">");
        let title = timed.session.screen().lines().next().unwrap_or_default().to_owned();
        assert!(title.contains(&format!("block {block}")), "the screen follows: {title}");
        timed.wait(REPEAT);
    }
    assert_eq!(timed.take_requests().len(), 2, "list and header of block 13");
    assert!(timed.session.screen().contains("loading…"), "{}", timed.session.screen());
    timed.wait(REST);
    let requests = timed.take_requests();
    let [list, header] = queries(&requests)[..] else { panic!("{requests:?}") };
    assert!(
        matches!(list, Query::Block(id, BlockQuery::Transactions) if id.to_string() == "102"),
        "{list:?}"
    );
    assert!(
        matches!(header, Query::Block(id, BlockQuery::Details) if id.to_string() == "102"),
        "{header:?}"
    );
}

#[test]
fn step_after_a_rest_loads_at_once() {
    let mut timed = TimedSession::start("12");
    timed.take_requests();
    for _ in 0..3 {
        timed.press(">");
        assert_eq!(timed.take_requests().len(), 2);
        timed.wait(REST);
    }
}

#[test]
fn tabs_passed_by_are_not_loaded() {
    let mut timed = TimedSession::start(ALICE);
    timed.take_requests();
    timed.hold("}", 6);
    let requests = timed.take_requests();
    let [Query::Address(_, AddressQuery::InternalTransactions { .. })] = queries(&requests)[..]
    else {
        panic!("{requests:?}")
    };
    timed.wait(REST);
    let requests = timed.take_requests();
    assert!(matches!(queries(&requests)[..], [Query::Contract(_)]), "{requests:?}");
    timed.wait(REST * 10);
    assert_eq!(timed.take_requests(), [], "once");
}

#[test]
fn pages_of_the_history_passed_by_are_not_loaded() {
    let mut timed = TimedSession::start("12");
    for key in ["T", "T", "T", "T"] {
        timed.press(key);
    }
    timed.wait(REST);
    timed.take_requests();
    timed.hold("H", 4);
    timed.wait(REST);
    let requests = timed.take_requests();
    let [
        Query::Chain(ChainQuery::Transfers { .. }),
        Query::Block(_, BlockQuery::Transactions),
        Query::Block(_, BlockQuery::Details),
    ] = queries(&requests)[..]
    else {
        panic!("{requests:?}")
    };
}

#[test]
fn page_opened_while_steps_wait_is_loaded_at_once() {
    let mut timed = TimedSession::start("12");
    timed.hold(">", 5);
    timed.take_requests();
    timed.press("T");
    let requests = timed.take_requests();
    assert!(
        matches!(queries(&requests)[..], [Query::Chain(ChainQuery::Transfers { .. })]),
        "{requests:?}"
    );
    timed.wait(REST);
    assert_eq!(timed.take_requests(), [], "the block was left");
}

#[test]
fn interrupt_drops_what_waits() {
    let mut timed = TimedSession::start("12");
    timed.hold(">", 5);
    timed.take_requests();
    timed.press("ctrl-c");
    timed.wait(REST);
    assert_eq!(timed.take_requests(), []);
    assert!(timed.session.screen().contains("not loaded"), "{}", timed.session.screen());
    timed.press("r");
    assert_eq!(timed.take_requests().len(), 2);
}

#[tokio::test]
async fn previews_passed_by_are_not_loaded() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys("tab 2 esc").await;
    let mut timed = TimedSession::of(session);
    timed.hold("j", 20);
    timed.wait(REST);
    let requests = timed.take_requests();
    let traces = requests.iter().filter_map(|request| match request {
        ChainRequest::FetchTrace { options, .. } => Some(options.priority),
        ChainRequest::Fetch { .. } => None,
    });
    assert!(traces.eq([Priority::Prefetch; 2]), "the user may pass it by: {requests:?}");
}

#[tokio::test]
async fn preview_is_loaded_at_once_when_it_gets_the_focus() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys("tab 2 esc").await;
    let mut timed = TimedSession::of(session);
    timed.hold("j", 20);
    timed.take_requests();
    timed.press("tab");
    let requests = timed.take_requests();
    let Some(ChainRequest::FetchTrace { options, .. }) = requests.first() else {
        panic!("{requests:?}")
    };
    assert_eq!(options.priority, Priority::Interactive);
    timed.wait(REST);
    assert_eq!(timed.take_requests(), [], "once");
}
