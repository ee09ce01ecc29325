//! Runs the app without a terminal: takes keys, executes effects, and returns the screen as text.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use bytes::Bytes;
use chainglass::test_api::api::{ApiError, Cursor, Query, Reply, TransactionQuery};
use chainglass::test_api::app::{App, Setup};
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, Effect, FetchProgress, Msg, Priority, RequestId, TraceEvent,
    TraceOptions,
};
use chainglass::test_api::chain::{Chains, CustomChain, Network};
use chainglass::test_api::chain::{Timestamp, TxHash};
use chainglass::test_api::config::AppSettings;
use chainglass::test_api::keymap::{Chord, Keymap};
use chainglass::test_api::net::Provider;
use chainglass::test_api::net::trace_stream::{self, MemoryLimit, PauseControl};
use chainglass::test_api::picture::{DecoderProcess, PictureMode, PictureOptions};
use chainglass::test_api::sanitize::SafeText;
use chainglass::test_api::trace::TraceParser;
use chainglass::test_api::ui::Appearance;
use chainglass::test_api::ui::FormatOptions;
use jiff::tz::{TimeZone, offset};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use tokio::sync::mpsc;

/// A folder that cannot be created, so that tests share no files.
pub(crate) const UNUSABLE_DIR: &str = "/dev/null";
pub(crate) const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// The first delay before failed requests are repeated, longer than those of all other timers.
pub(crate) const MIN_RETRY_DELAY: Duration = Duration::from_secs(5);

/// A zone that test machines are unlikely to be in.
static FIVE_HOURS_WEST: LazyLock<TimeZone> = LazyLock::new(|| TimeZone::fixed(offset(-5)));

/// Responds to requests.
enum Responder {
    /// A server, over HTTP.
    Live(Provider),
    /// The embedded service, which is asked once for each reply: its chain never changes.
    Embedded(Provider),
    /// A function from a query to a body.
    Canned(Box<CannedResponse>),
}

pub(crate) type CannedResponse = dyn FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError>;

/// A running app.
pub(crate) struct Session {
    /// Boxed to keep futures that hold a session small.
    pub(crate) app: Box<App>,
    responder: Responder,
    /// The providers of the chains that were switched to.
    other_sources: HashMap<ChainIndex, Provider>,
    /// The error of every attempt to switch chains, if any.
    pub(crate) connect_error: Option<&'static str>,
    size: Size,
    /// Traces that wait for the user.
    paused: HashMap<RequestId, RunningTrace>,
    /// All requests so far.
    pub(crate) requests: Vec<(Query, Option<Cursor>)>,
    /// All other effects so far.
    pub(crate) effects: Vec<Effect>,
}

/// A trace download.
struct RunningTrace {
    id: RequestId,
    continues: mpsc::UnboundedSender<()>,
    events: mpsc::UnboundedReceiver<TraceEvent>,
}

/// Seven minutes after the demo chain's last block.
pub(crate) fn now() -> Timestamp {
    "2023-11-15T00:00:00Z".parse().unwrap()
}

/// The defaults, once for all sessions: the key map is parsed for them.
static DEFAULTS: LazyLock<Setup> = LazyLock::new(Setup::default);

/// The default options of a test app.
pub(crate) fn setup(network: Network) -> Setup {
    Setup {
        network,
        format: FormatOptions { zone: &FIVE_HOURS_WEST, ..FormatOptions::default() },
        now: now(),
        // Tests of it count its requests.
        settings: AppSettings { fetches_contract_names: false, ..AppSettings::default() },
        ..DEFAULTS.clone()
    }
}

pub(crate) const fn size(width: u16, height: u16) -> Size {
    Size { width, height }
}

type EmbeddedReplies = HashMap<(Query, Option<Cursor>), Reply>;

/// The replies of the embedded service to all tests of the process.
static EMBEDDED_REPLIES: LazyLock<Mutex<EmbeddedReplies>> = LazyLock::new(Mutex::default);

async fn embedded_reply(
    source: &Provider,
    query: &Query,
    cursor: Option<&Cursor>,
    priority: Priority,
) -> Result<Reply, ApiError> {
    let asked = (query.clone(), cursor.cloned());
    let known = EMBEDDED_REPLIES.lock().unwrap().get(&asked).cloned();
    if let Some(reply) = known {
        return Ok(reply);
    }
    let reply = source.fetch(query, cursor, priority).await?;
    EMBEDDED_REPLIES.lock().unwrap().insert(asked, reply.clone());
    Ok(reply)
}

/// Decodes pictures with the program under test, which examples are not given.
pub(crate) fn decoder() -> DecoderProcess {
    DecoderProcess::new(option_env!("CARGO_BIN_EXE_chainglass").unwrap_or_default().into())
}

impl Session {
    /// Opens a target on the demo chain and loads the first screen.
    pub(crate) async fn demo(size: Size, target: &str) -> Self {
        Self::demo_with(setup(Network::demo()), size, target).await
    }

    /// Opens a target on any chain, over HTTP.
    pub(crate) async fn at(source: Provider, network: Network, size: Size, target: &str) -> Self {
        Self::started(Self::with(Responder::Live(source), setup(network), size), target).await
    }

    /// Opens a target on the demo chain with another appearance.
    pub(crate) async fn with_appearance(look: Appearance, size: Size, target: &str) -> Self {
        Self::demo_with(Setup { appearance: look, ..setup(Network::demo()) }, size, target).await
    }

    /// Opens a target on the demo chain with keys that stay the same.
    pub(crate) async fn with_snapshot_keys(size: Size, target: &str, look: Appearance) -> Self {
        let keymap = Keymap::parse(include_str!("../data/keymap.toml")).unwrap();
        let setup = Setup { keymap, appearance: look, ..setup(Network::demo()) };
        Self::demo_with(setup, size, target).await
    }

    /// Opens a target on the demo chain with other options.
    pub(crate) async fn demo_with(setup: Setup, size: Size, target: &str) -> Self {
        let responder = Responder::Embedded(Provider::new(&setup.network));
        Self::started(Self::with(responder, setup, size), target).await
    }

    /// Opens the target and loads the first screen.
    async fn started(mut session: Self, target: &str) -> Self {
        let effects = session.app.start(session.size, target.parse().ok());
        session.settle(effects).await;
        session
    }

    /// Opens a target on the demo chain, with pictures as half blocks.
    pub(crate) async fn with_pictures(size: Size, target: &str, look: Appearance) -> Self {
        let mode = PictureMode::Blocks { truecolor: true };
        let pictures = PictureOptions { mode, ..PictureOptions::default() };
        let setup = Setup { appearance: look, pictures, ..setup(Network::demo()) };
        let responder = Responder::Embedded(Provider::new(&setup.network));
        Self::started(Self::with(responder, setup, size), target).await
    }

    /// Opens a target with responses from a function.
    pub(crate) async fn canned(
        size: Size,
        target: &str,
        answer: impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> + 'static,
    ) -> Self {
        let responder = Responder::Canned(Box::new(answer));
        Self::started(Self::with(responder, setup(Network::demo()), size), target).await
    }

    /// Opens a target on a chain with a public explorer, with responses from a function.
    pub(crate) async fn explorer(
        size: Size,
        target: &str,
        answer: impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> + 'static,
    ) -> Self {
        let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
        let responder = Responder::Canned(Box::new(answer));
        Self::started(Self::with(responder, setup(network), size), target).await
    }

    /// Opens a target on an explorer named by its URL, with the requests of the app itself.
    pub(crate) async fn unknown_explorer(
        size: Size,
        target: &str,
        answer: impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> + 'static,
    ) -> Self {
        let network = Chains::default().network_at(&"https://mine.example".parse().unwrap());
        let setup = Setup { settings: AppSettings::default(), ..setup(network) };
        Self::started(Self::with(Responder::Canned(Box::new(answer)), setup, size), target).await
    }

    /// Opens a target on the chain of a node, with responses from a function.
    pub(crate) async fn node(
        size: Size,
        target: &str,
        answer: impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> + 'static,
    ) -> Self {
        let rpc = Some("http://127.0.0.1:1".to_owned());
        let own = CustomChain { key: "mine".into(), rpc, ..CustomChain::default() };
        let network = Chains::new(vec![own], false).unwrap().resolve("mine").unwrap();
        let responder = Responder::Canned(Box::new(answer));
        Self::started(Self::with(responder, setup(network), size), target).await
    }

    /// Opens a target on the demo chain with a shared provider and another key map.
    pub(crate) async fn with_keymap(
        source: &Provider,
        size: Size,
        target: &str,
        keymap: Keymap,
    ) -> Self {
        let setup = Setup { keymap, ..setup(Network::demo()) };
        Self::started(Self::with(Responder::Embedded(source.clone()), setup, size), target).await
    }

    /// Opens a target with contracts that are asked for their names, with responses from a function or
    /// else of the demo chain.
    pub(crate) async fn learning(
        size: Size,
        target: &str,
        answer: Option<Box<CannedResponse>>,
    ) -> Self {
        let setup = Setup { settings: AppSettings::default(), ..setup(Network::demo()) };
        let demo = || Responder::Embedded(Provider::new(&setup.network));
        let responder = answer.map_or_else(demo, Responder::Canned);
        Self::started(Self::with(responder, setup, size), target).await
    }

    /// A session that is not started, on a chain whose server refuses all requests.
    pub(crate) fn refusing(network: Network, size: Size, recent: bool) -> Self {
        let refuse = |_: &Query, _: Option<&Cursor>| {
            Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
        };
        let mut setup = setup(network);
        setup.settings.remembers_recents = recent;
        Self::with(Responder::Canned(Box::new(refuse)), setup, size)
    }

    fn with(responder: Responder, setup: Setup, size: Size) -> Self {
        let app = Box::new(App::new(setup));
        let (paused, requests, effects) = (HashMap::new(), Vec::new(), Vec::new());
        let (other_sources, connect_error) = (HashMap::new(), None);
        Self { app, responder, other_sources, connect_error, size, paused, requests, effects }
    }

    /// Presses keys, written as in the key map, and executes their effects.
    pub(crate) async fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let effects = self.press(key);
            self.settle(effects).await;
        }
    }

    /// Types text and presses Enter.
    pub(crate) async fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.press(&if c == ' ' { "space".to_owned() } else { c.to_string() });
        }
        self.keys("enter").await;
    }

    /// Presses one key without executing its effects.
    pub(crate) fn press(&mut self, key: &str) -> Vec<Effect> {
        let chord: Chord = key.parse().unwrap();
        chord.0.into_iter().flat_map(|key| self.app.update(Msg::Key(key))).collect()
    }

    /// Executes effects until there are none left.
    pub(crate) async fn settle(&mut self, effects: Vec<Effect>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front().or_else(|| self.finish_slices(&mut queue)) {
            match effect {
                Effect::Request {
                    id,
                    chain,
                    request: ChainRequest::Fetch { query, cursor, priority },
                } => {
                    self.requests.push((query.clone(), cursor.clone()));
                    let reply = self.respond(chain, &query, cursor.as_ref(), priority).await;
                    queue.extend(self.app.update(Msg::Fetched { id, query, reply }));
                }
                Effect::OpenProvider { chain, network } => {
                    let ready = self.connect(chain, &network);
                    queue.extend(self.app.update(Msg::ProviderOpened { chain, outcome: ready }));
                }
                Effect::Request {
                    id,
                    chain,
                    request: ChainRequest::FetchTrace { transaction, options },
                } => {
                    self.requests
                        .push((Query::Transaction(transaction, TransactionQuery::RawTrace), None));
                    queue.extend(self.trace((id, chain), transaction, options).await);
                }
                Effect::ContinueTrace(id) => {
                    if let Some(running) = self.paused.remove(&id) {
                        running.continues.send(()).unwrap();
                        queue.extend(self.drain_trace(running).await);
                    }
                }
                Effect::DecodePictures(pictures) => {
                    for picture in pictures {
                        let key = picture.key;
                        let outcome = picture.decode(&decoder()).await.map(Arc::new);
                        let decoded = Msg::PictureDecoded { key, outcome };
                        queue.extend(self.app.update(decoded));
                    }
                }
                // Timers fire immediately, except those of attempts after failures.
                Effect::StartTimer(alarm, delay) if delay < MIN_RETRY_DELAY => {
                    queue.extend(self.app.update(Msg::TimerFired(alarm)));
                }
                other => {
                    if let Effect::Cancel(requests) = &other {
                        self.paused.retain(|id, _| !requests.contains(id));
                    }
                    self.effects.push(other);
                }
            }
        }
    }

    /// Ticks until no pane has unfinished work, as the event loop does, and returns the first effect.
    fn finish_slices(&mut self, queue: &mut VecDeque<Effect>) -> Option<Effect> {
        while queue.is_empty() && self.app.tick_interval() == Some(Duration::ZERO) {
            queue.extend(self.app.update(Msg::Tick(now())));
        }
        queue.pop_front()
    }

    fn connect(
        &mut self,
        chain: ChainIndex,
        network: &Network,
    ) -> Result<Option<SafeText>, SafeText> {
        if let Some(why) = self.connect_error {
            return Err(why.into());
        }
        self.other_sources.insert(chain, Provider::new(network));
        Ok(None)
    }

    /// Downloads a trace until it ends or pauses. One from a function never pauses.
    async fn trace(
        &mut self,
        (id, chain): (RequestId, ChainIndex),
        transaction: TxHash,
        options: TraceOptions,
    ) -> Vec<Effect> {
        let (continue_sender, continues) = mpsc::unbounded_channel();
        let (events_tx, events) = mpsc::unbounded_channel();
        match &mut self.responder {
            Responder::Live(source) | Responder::Embedded(source) => {
                let source = self.other_sources.get(&chain).unwrap_or(source).clone();
                tokio::spawn(async move {
                    // Fails once the test is over.
                    let events_tx = |events| drop(events_tx.send(events));
                    let pause =
                        PauseControl { limit: MemoryLimit { max_bytes: u64::MAX }, continues };
                    trace_stream::fetch(&source, transaction, options, pause, events_tx).await;
                });
            }
            Responder::Canned(answer) => {
                // Dropped at the end, which the receiver waits for.
                let events_tx = events_tx;
                let body =
                    answer(&Query::Transaction(transaction, TransactionQuery::RawTrace), None);
                for events in trace_events(body) {
                    events_tx.send(events).unwrap();
                }
            }
        }
        self.drain_trace(RunningTrace { id, continues: continue_sender, events }).await
    }

    /// Forwards the events of a trace to the app until it ends or pauses.
    async fn drain_trace(&mut self, mut running: RunningTrace) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some(events) = running.events.recv().await {
            let paused = matches!(events, TraceEvent::Paused { .. });
            let id = running.id;
            effects.extend(self.app.update(Msg::TraceUpdate { id, event: events }));
            if paused {
                self.paused.insert(id, running);
                break;
            }
        }
        effects
    }

    async fn respond(
        &mut self,
        chain: ChainIndex,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Priority,
    ) -> Result<Reply, ApiError> {
        if let Some(other) = self.other_sources.get(&chain) {
            return other.fetch(query, cursor, why).await;
        }
        assert_eq!(chain, ChainIndex::default(), "no provider for {chain:?}");
        match &mut self.responder {
            Responder::Live(source) => source.fetch(query, cursor, why).await,
            Responder::Embedded(source) => embedded_reply(source, query, cursor, why).await,
            Responder::Canned(answer) => query.decode(answer(query, cursor)?.as_bytes(), cursor),
        }
    }

    pub(crate) async fn resize(&mut self, size: Size) {
        self.size = size;
        let effects = self.app.update(Msg::Resized(size));
        self.settle(effects).await;
    }

    /// The screen with its styles.
    pub(crate) fn buffer(&self) -> Buffer {
        draw(&self.app, self.size)
    }

    /// The screen as text.
    pub(crate) fn screen(&self) -> String {
        screen(&self.app, self.size)
    }

    /// The screen without the sides of frames and the margin after them.
    pub(crate) fn content(&self) -> String {
        let screen = self.screen();
        let lines = screen.lines().map(|line| {
            let inside = line.trim_matches(['│', '┃']).trim_end();
            inside.strip_prefix(' ').unwrap_or(inside)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The selected row as CSV.
    pub(crate) async fn copied_row(&mut self) -> String {
        self.keys("y r").await;
        self.copied().unwrap_or_default().to_owned()
    }

    /// The last copied text.
    pub(crate) fn copied(&self) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Copy { text, .. } => Some(&**text),
            _ => None,
        })
    }
}

/// Draws an app, with its styles.
fn draw(app: &App, size: Size) -> Buffer {
    let mut frame = Buffer::empty(Rect::from((Position::ORIGIN, size)));
    app.view(&mut frame);
    frame
}

/// Draws an app as text.
pub(crate) fn screen(app: &App, size: Size) -> String {
    let buffer = draw(app, size);
    let lines = buffer.content().chunks(usize::from(size.width).max(1)).map(|cells| {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The events of a trace whose body is available at once.
pub(crate) fn trace_events(body: Result<String, ApiError>) -> Vec<TraceEvent> {
    let body = match body {
        Ok(body) => Bytes::from(body),
        Err(error) => return vec![TraceEvent::Failed(error)],
    };
    let received = body.len() as u64;
    let expected = Some(received);
    let progress = FetchProgress { received, expected, elapsed: std::time::Duration::ZERO };
    let mut reader = TraceParser::default();
    reader.feed(body);
    let mut parts: Vec<_> = std::iter::from_fn(|| reader.next_chunk(4 << 20)).collect();
    let format = reader.format();
    parts.push(reader.finish(None));
    let parts = parts.into_iter().map(|part| TraceEvent::Chunk {
        format: part.summary.as_ref().map_or(&format, |ending| &ending.format).clone(),
        chunk: Box::new(part),
        progress,
    });
    let started = TraceEvent::Started { expected };
    std::iter::once(started).chain(parts).chain([TraceEvent::Ended]).collect()
}

/// Returns `true` if an effect cancels a request.
pub(crate) fn cancels(effect: &Effect, id: RequestId) -> bool {
    matches!(effect, Effect::Cancel(requests) if requests.contains(&id))
}
