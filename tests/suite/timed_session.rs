//! An app and its provider on the clock of the test: keys, answers and timers come when they are due, as
//! in the event loop, but nothing waits.

use std::collections::HashMap;
use std::time::Duration;

use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, Effect, Msg, NotificationMethod, RequestId,
};
use chainglass::test_api::chain::Timestamp;
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::net::Provider;
use chainglass::test_api::net::trace_stream::{self, MemoryLimit, PauseControl};
use chainglass::test_api::sanitize::SafeText;
use ratatui::layout::Size;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, spawn, yield_now};
use tokio::time::{Instant, sleep, sleep_until};

use crate::session::{now, screen, setup};
use crate::simulated_network::SimulatedNetwork;

/// The time at the start, when no age of the demo chain's last transactions is about to change.
fn start() -> Timestamp {
    now() + Duration::from_secs(30)
}

/// A running app. Its requests end when it is dropped with the runtime of the test.
pub(crate) struct TimedSession {
    pub(crate) app: Box<App>,
    size: Size,
    provider: Provider,
    started: Instant,
    last_tick: Instant,
    outbox: UnboundedSender<Msg>,
    inbox: UnboundedReceiver<Msg>,
    running: HashMap<RequestId, AbortHandle>,
    /// The number of times at which events and ticks woke the app.
    pub(crate) wakeups: usize,
    last_wakeup: Instant,
    /// The notifications to the terminal.
    pub(crate) notifications: Vec<(NotificationMethod, SafeText)>,
}

impl TimedSession {
    /// Opens a target, or the start page, and sends the first requests.
    pub(crate) fn open(network: &SimulatedNetwork, size: Size, target: &str) -> Self {
        Self::open_with(network, size, target, AppSettings::default())
    }

    pub(crate) fn open_with(
        network: &SimulatedNetwork,
        size: Size,
        target: &str,
        settings: AppSettings,
    ) -> Self {
        let app = Box::new(App::new(Setup {
            settings,
            now: start(),
            ..setup(SimulatedNetwork::chain())
        }));
        let (outbox, inbox) = unbounded_channel();
        let (provider, running) = (network.provider(), HashMap::new());
        let (started, last_tick) = (Instant::now(), Instant::now());
        let mut events = provider.subscribe();
        let report = outbox.clone();
        spawn(async move {
            while let Some(event) = events.recv().await {
                report.send(Msg::Network(ChainIndex::default(), event)).ok();
            }
        });
        let mut session = Self {
            app,
            size,
            provider,
            started,
            last_tick,
            outbox,
            inbox,
            running,
            wakeups: 0,
            last_wakeup: started,
            notifications: Vec::new(),
        };
        let effects = session.app.start(size, target.parse().ok());
        session.execute(effects);
        session
    }

    /// Presses keys, written as in the key map, without waiting.
    pub(crate) fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let chord: Chord = key.parse().unwrap();
            chord.0.into_iter().for_each(|key| self.update(Msg::Key(key)));
        }
    }

    pub(crate) fn update(&mut self, msg: Msg) {
        let effects = self.app.update(msg);
        self.execute(effects);
    }

    /// Handles what happens in this time.
    pub(crate) async fn wait(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            // Other tasks come before a tick that is due at once.
            yield_now().await;
            let tick = self.app.tick_interval();
            let msg = tokio::select! {
                biased;
                Some(msg) = self.inbox.recv() => Some(msg),
                () = sleep_until(end) => return,
                () = sleep_until(self.last_tick + tick.unwrap_or_default()), if tick.is_some() => {
                    None
                }
            };
            // The event loop handles all that is queued in one turn.
            self.wakeups += usize::from(Instant::now() > self.last_wakeup);
            self.last_wakeup = Instant::now();
            match msg {
                Some(msg) => self.update(msg),
                None => self.tick(),
            }
        }
    }

    /// Passes the time to the app.
    pub(crate) fn tick(&mut self) {
        self.last_tick = Instant::now();
        self.update(Msg::Tick(start() + self.started.elapsed()));
    }

    pub(crate) fn screen(&self) -> String {
        screen(&self.app, self.size)
    }

    pub(crate) fn execute(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Request { id, request, .. } => self.start(id, request),
                Effect::StartTimer(id, delay) => {
                    let outbox = self.outbox.clone();
                    spawn(async move {
                        sleep(delay).await;
                        outbox.send(Msg::TimerFired(id)).ok();
                    });
                }
                Effect::Cancel(requests) => {
                    let cancelled = requests.iter().filter_map(|id| self.running.remove(id));
                    cancelled.for_each(|task| task.abort());
                }
                Effect::NotifyUser { method, text } => self.notifications.push((method, text)),
                _ => {}
            }
        }
    }

    fn start(&mut self, id: RequestId, request: ChainRequest) {
        let (provider, outbox) = (self.provider.clone(), self.outbox.clone());
        let task = spawn(async move {
            match request {
                ChainRequest::Fetch { query, cursor, priority } => {
                    let reply = provider.fetch(&query, cursor.as_ref(), priority).await;
                    outbox.send(Msg::Fetched { id, query, reply }).ok();
                }
                ChainRequest::FetchTrace { transaction, options } => {
                    let (_sender, continues) = unbounded_channel();
                    let pause =
                        PauseControl { limit: MemoryLimit { max_bytes: u64::MAX }, continues };
                    let send = |event| drop(outbox.send(Msg::TraceUpdate { id, event }));
                    trace_stream::fetch(&provider, transaction, options, pause, send).await;
                }
            }
        });
        self.running.insert(id, task.abort_handle());
    }
}
