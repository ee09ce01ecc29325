//! Requests and timers in any order: nothing waits forever, and replies to cancelled requests change
//! nothing.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use chainglass::test_api::api::{ApiError, Query, TransactionQuery};
use chainglass::test_api::app::App;
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, Effect, Msg, NetworkEvent, RequestId, TraceEvent,
};
use chainglass::test_api::chain::Network;
use chainglass::test_api::indexer::IndexProgress;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::messages::index::Rollback;
use proptest::prelude::*;
use ratatui::buffer::Buffer;

use crate::demo_items::SWAP;
use crate::fault_cases::{queries, query_kind};
use crate::session::{ALICE, MIN_RETRY_DELAY, now, setup, size, trace_events};

const KEYS: [&str; 24] = [
    "s",
    "a",
    "l",
    "esc",
    "enter",
    "tab",
    "j",
    "k",
    "1",
    "2",
    "3",
    "5",
    "r",
    "ctrl-c",
    "backspace",
    "G",
    "L",
    "u",
    "b",
    "}",
    "space",
    "i",
    "o",
    "f",
];

/// An app whose requests are answered when the test says so.
struct SlowSession {
    app: App,
    /// By the kind of the query.
    bodies: HashMap<String, String>,
    /// Requests and timers that have not ended, with their messages to come.
    open: Vec<(RequestId, VecDeque<Msg>)>,
    cancelled: HashSet<RequestId>,
    rollbacks: u32,
}

impl SlowSession {
    fn start(target: &str) -> Self {
        let bodies = queries().into_iter().map(|(query, body)| (query_kind(&query), body));
        let mut session = Self {
            app: App::new(setup(Network::demo())),
            bodies: bodies.collect(),
            open: Vec::new(),
            cancelled: HashSet::new(),
            rollbacks: 0,
        };
        let effects = session.app.start(size(170, 40), target.parse().ok());
        session.execute(effects);
        session
    }

    fn execute(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Request { id, request, .. } => {
                    let replies = self.replies(id, request);
                    self.open.push((id, replies));
                }
                Effect::StartTimer(id, delay) if delay < MIN_RETRY_DELAY => {
                    self.open.push((id, [Msg::TimerFired(id)].into()));
                }
                Effect::Cancel(requests) => {
                    for id in requests {
                        assert!(self.open.iter().any(|(open, _)| *open == id), "{id:?} has ended");
                        assert!(self.cancelled.insert(id), "{id:?} is cancelled already");
                    }
                }
                _ => {}
            }
        }
    }

    fn replies(&self, id: RequestId, request: ChainRequest) -> VecDeque<Msg> {
        let timed_out = || ApiError::TimedOut { seconds: 1 };
        match request {
            ChainRequest::Fetch { query, cursor, .. } => {
                let body = self.bodies.get(&query_kind(&query)).filter(|_| !id.0.is_multiple_of(5));
                let reply = body.ok_or_else(timed_out);
                let reply = reply.and_then(|body| query.decode(body.as_bytes(), cursor.as_ref()));
                [Msg::Fetched { id, query, reply }].into()
            }
            ChainRequest::FetchTrace { transaction, .. } => {
                let query = Query::Transaction(transaction, TransactionQuery::RawTrace);
                let body = self.bodies.get(&query_kind(&query));
                let mut events = trace_events(body.cloned().ok_or_else(timed_out));
                if id.0.is_multiple_of(3) {
                    events.pop();
                    events.push(TraceEvent::Failed(timed_out()));
                }
                events.into_iter().map(|event| Msg::TraceUpdate { id, event }).collect()
            }
        }
    }

    fn update(&mut self, msg: Msg) {
        let effects = self.app.update(msg);
        self.execute(effects);
    }

    fn press(&mut self, key: &str) {
        let chord: Chord = key.parse().unwrap();
        chord.0.into_iter().for_each(|key| self.update(Msg::Key(key)));
    }

    /// Delivers the next message of a request or a timer. One of a cancelled request changes nothing.
    fn deliver(&mut self, at: usize) {
        let Some((id, messages)) = self.open.get_mut(at) else { return };
        let (id, msg) = (*id, messages.pop_front());
        if messages.is_empty() {
            self.open.remove(at);
        }
        let Some(msg) = msg else { return };
        if !self.cancelled.contains(&id) {
            return self.update(msg);
        }
        let before = self.visible();
        assert_eq!(self.app.update(msg), [], "of a cancelled request");
        assert_eq!(self.visible(), before, "after a cancelled request");
    }

    /// Returns the screen and the names that are known.
    fn visible(&self) -> (String, String) {
        let mut frame = Buffer::empty(ratatui::layout::Rect::new(0, 0, 170, 40));
        self.app.view(&mut frame);
        let screen = frame.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        (screen, format!("{:?}", self.app.name_cache()))
    }

    /// Replaces the blocks of the chain, as after a restart of its node. That cancels all requests.
    fn roll_back(&mut self) {
        self.rollbacks += 1;
        let requests = self
            .open
            .iter()
            .filter(|(_, replies)| !matches!(replies.front(), Some(Msg::TimerFired(_))));
        let requests: Vec<RequestId> = requests.map(|(id, _)| *id).collect();
        let rollback =
            Rollback { ordinal: self.rollbacks, last_block: None, blocks: 3, transactions: 3 };
        let progress = IndexProgress { rollback: Some(rollback), ..IndexProgress::default() };
        self.update(Msg::Network(ChainIndex::default(), NetworkEvent::Index(Box::new(progress))));
        assert!(requests.iter().all(|id| self.cancelled.contains(id)), "{requests:?}");
    }

    fn step(&mut self, step: u8, choice: usize) {
        match step {
            0..4 => self.press(KEYS[choice % KEYS.len()]),
            4..9 if !self.open.is_empty() => self.deliver(choice % self.open.len()),
            9 => self.roll_back(),
            _ => self.update(Msg::Tick(now())),
        }
    }

    /// Delivers everything that is open.
    fn drain(&mut self) {
        let mut delivered = 0;
        while !self.open.is_empty() {
            self.deliver(0);
            delivered += 1;
            assert!(delivered < 5_000, "requests without end");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    #[test]
    fn everything_in_flight_ends_and_old_replies_change_nothing(
        target in prop::sample::select(vec!["", ALICE, SWAP, "12"]),
        steps in prop::collection::vec((0u8..11, 0usize..1_000), 0..60),
    ) {
        let mut session = SlowSession::start(target);
        for (step, choice) in steps {
            session.step(step, choice);
        }
        session.drain();
        prop_assert!(session.app.is_idle());
        let spinner = Some(Duration::from_millis(120));
        prop_assert_ne!(session.app.tick_interval(), spinner, "a pane is busy");
    }
}

#[test]
fn reply_to_a_request_before_a_rollback_is_not_cached() {
    let mut session = SlowSession::start(ALICE);
    let old: Vec<RequestId> = session.open.iter().map(|(id, _)| *id).collect();
    assert!(!old.is_empty());
    session.roll_back();
    assert!(old.iter().all(|id| session.cancelled.contains(id)), "{:?}", session.cancelled);
    let (_, empty) = session.visible();
    while session.open.iter().any(|(id, _)| old.contains(id)) {
        session.deliver(0);
    }
    assert_eq!(session.visible().1, empty);
    session.drain();
    assert_ne!(session.visible().1, empty, "the new requests are");
}

#[test]
fn trace_that_ends_or_fails_leaves_nothing_in_flight() {
    let mut session = SlowSession::start(SWAP);
    session.press("2");
    for _ in 0..6 {
        session.drain();
        assert!(session.app.is_idle(), "{}", session.visible().0);
        session.press("r");
    }
}

#[test]
fn resolution_of_a_name_is_repeated_after_a_rollback() {
    let mut session = SlowSession::start("");
    session.drain();
    for key in ["s", "b", "o", "b", "enter"] {
        session.press(key);
    }
    session.roll_back();
    assert!(session.visible().0.contains("asking the explorer"), "{}", session.visible().0);
    session.drain();
    assert!(session.app.is_idle());
}
