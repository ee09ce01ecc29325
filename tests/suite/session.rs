//! The whole app without a terminal: keys in, effects carried out, the screen as text.

use std::collections::HashMap;

use bytes::Bytes;
use chainglass::abi::SignatureDb;
use chainglass::api::{ApiError, Cursor, Query, Reply};
use chainglass::app::{App, Setup};
use chainglass::chain::chains::Chains;
use chainglass::chain::network::Network;
use chainglass::chain::{Timestamp, TxHash};
use chainglass::keymap::{Chord, Keymap};
use chainglass::msg::{
    ChainIndex, Effect, FetchProgress, Msg, NetworkEvent, PaneId, Priority, Ticket, TraceEvent,
    TraceOptions,
};
use chainglass::net::provider::Provider;
use chainglass::net::trace_stream;
use chainglass::sanitize::SafeText;
use chainglass::trace::TraceParser;
use chainglass::ui::number_format::FormatOptions;
use chainglass::ui::theme::{Appearance, Styles};
use jiff::tz::{TimeZone, offset};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use tokio::sync::{mpsc, watch};

/// A cache folder that cannot be made, so that no test finds what another left.
pub(crate) const NOWHERE: &str = "/dev/null";
pub(crate) const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// Who answers.
enum Answers {
    /// An explorer, over HTTP.
    Live(Provider),
    /// A function from a question to a body.
    Canned(Box<Answer>),
}

type Answer = dyn FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError>;

/// An app in use.
pub(crate) struct Session {
    /// On the heap: the futures that hold a session would be large.
    pub(crate) app: Box<App>,
    answers: Answers,
    /// Who answers for the chains that were switched to.
    others: HashMap<ChainIndex, Provider>,
    /// Why no other chain can be opened, if none can.
    pub(crate) refused: Option<&'static str>,
    size: Size,
    /// Traces that wait until more of them is allowed.
    paused: HashMap<PaneId, Running>,
    /// Every request so far.
    pub(crate) asked: Vec<(Query, Option<Cursor>)>,
    /// Every other effect so far.
    pub(crate) effects: Vec<Effect>,
}

/// A trace on its way.
struct Running {
    ticket: Ticket,
    limit: watch::Sender<u64>,
    news: mpsc::UnboundedReceiver<TraceEvent>,
}

/// Seven minutes after the demo chain's last block.
pub(crate) fn now() -> Timestamp {
    "2023-11-15T00:00:00Z".parse().unwrap()
}

/// What an app starts with, if nothing is said of it.
pub(crate) fn setup(network: Network) -> Setup {
    let mut book = SignatureDb::builtin();
    book.add_demo();
    Setup {
        network,
        chains: Chains::default(),
        appearance: Styles::new(true).into(),
        // A zone that no machine of ours is in.
        format: FormatOptions { zone: TimeZone::fixed(offset(-5)), ..FormatOptions::default() },
        keymap: Keymap::embedded().unwrap(),
        signature_db: book,
        now: now(),
        problems: Vec::new(),
        split: true,
        records_recents: true,
        mouse: false,
    }
}

pub(crate) const fn size(width: u16, height: u16) -> Size {
    Size { width, height }
}

impl Session {
    /// On the demo chain, everything loaded that the first screen asks for.
    pub(crate) async fn demo(size: Size, target: &str) -> Self {
        let network = Network::demo();
        Self::at(Provider::new(&network), network, size, target).await
    }

    /// On a chain whose explorer is asked over HTTP.
    pub(crate) async fn at(source: Provider, network: Network, size: Size, target: &str) -> Self {
        Self::begun(Self::with(Answers::Live(source), setup(network), size), target).await
    }

    /// On the demo chain, with another look.
    pub(crate) async fn looking(look: Appearance, size: Size, target: &str) -> Self {
        let setup = Setup { appearance: look, ..setup(Network::demo()) };
        let answers = Answers::Live(Provider::new(&setup.network));
        Self::begun(Self::with(answers, setup, size), target).await
    }

    /// Opens the first place.
    async fn begun(mut session: Self, target: &str) -> Self {
        let effects = session.app.start(session.size, target.parse().ok());
        session.settle(effects).await;
        session
    }

    /// What is heard of the requests from now on.
    pub(crate) fn news(&self) -> mpsc::UnboundedReceiver<NetworkEvent> {
        match &self.answers {
            Answers::Live(source) => source.subscribe(),
            Answers::Canned(_) => panic!("nothing is sent"),
        }
    }

    /// Against canned answers.
    pub(crate) async fn canned(
        size: Size,
        target: &str,
        answer: impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> + 'static,
    ) -> Self {
        let answers = Answers::Canned(Box::new(answer));
        Self::begun(Self::with(answers, setup(Network::demo()), size), target).await
    }

    /// On the demo chain, which others look at too, with other keys.
    pub(crate) async fn keyed(source: &Provider, size: Size, target: &str, keymap: Keymap) -> Self {
        let setup = Setup { keymap, ..setup(Network::demo()) };
        Self::begun(Self::with(Answers::Live(source.clone()), setup, size), target).await
    }

    /// On a chain whose explorer refuses everything.
    pub(crate) fn silent(network: Network, size: Size, recent: bool) -> Self {
        let refuse = |_: &Query, _: Option<&Cursor>| Err(ApiError::from_error_body(404, b""));
        let setup = Setup { records_recents: recent, ..setup(network) };
        Self::with(Answers::Canned(Box::new(refuse)), setup, size)
    }

    fn with(answers: Answers, setup: Setup, size: Size) -> Self {
        let app = Box::new(App::new(setup));
        let (paused, asked, effects) = (HashMap::new(), Vec::new(), Vec::new());
        let (others, refused) = (HashMap::new(), None);
        Self { app, answers, others, refused, size, paused, asked, effects }
    }

    /// Presses keys, written as in the key map, and waits for what they ask for.
    pub(crate) async fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let effects = self.press(key);
            self.settle(effects).await;
        }
    }

    /// Types text into a box, and Enter.
    pub(crate) async fn types(&mut self, text: &str) {
        for c in text.chars() {
            self.press(&if c == ' ' { "space".to_owned() } else { c.to_string() });
        }
        self.keys("enter").await;
    }

    /// Presses one key and carries nothing out.
    pub(crate) fn press(&mut self, key: &str) -> Vec<Effect> {
        let chord: Chord = key.parse().unwrap();
        chord.0.into_iter().flat_map(|key| self.app.update(Msg::Key(key))).collect()
    }

    /// Answers requests until there are none.
    pub(crate) async fn settle(&mut self, effects: Vec<Effect>) {
        let mut queue = std::collections::VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            match effect {
                Effect::Fetch { ticket, query, cursor, why } => {
                    self.asked.push((query.clone(), cursor.clone()));
                    let reply = self.answer(ticket.chain, &query, cursor.as_ref(), why).await;
                    queue.extend(self.app.update(Msg::Fetched { ticket, query, reply }));
                }
                Effect::Connect { chain, network } => {
                    let ready = self.connect(chain, &network);
                    queue.extend(self.app.update(Msg::Connected { chain, ready }));
                }
                Effect::FetchTrace { ticket, transaction, terms } => {
                    self.asked.push((Query::RawTrace(transaction), None));
                    queue.extend(self.trace(ticket, transaction, terms).await);
                }
                Effect::RaiseTraceLimit { pane, bytes } => {
                    if let Some(running) = self.paused.remove(&pane) {
                        running.limit.send_replace(bytes);
                        queue.extend(self.hear(running).await);
                    }
                }
                // In a test every pause is over at once.
                Effect::StartTimer(alarm, _) => {
                    queue.extend(self.app.update(Msg::TimerFired(alarm)))
                }
                other => {
                    if let Effect::Cancel(pane) = other {
                        self.paused.remove(&pane);
                    }
                    self.effects.push(other);
                }
            }
        }
    }

    fn connect(
        &mut self,
        chain: ChainIndex,
        network: &Network,
    ) -> Result<Option<SafeText>, SafeText> {
        if let Some(why) = self.refused {
            return Err(why.into());
        }
        self.others.insert(chain, Provider::new(network));
        Ok(None)
    }

    /// Fetches a trace until it ends or pauses. A canned one comes in one piece and never pauses.
    async fn trace(
        &mut self,
        ticket: Ticket,
        transaction: TxHash,
        terms: TraceOptions,
    ) -> Vec<Effect> {
        let (limit, allowed) = watch::channel(terms.max_bytes);
        let (tell, news) = mpsc::unbounded_channel();
        match &mut self.answers {
            Answers::Live(source) => {
                let source = self.others.get(&ticket.chain).unwrap_or(source).clone();
                tokio::spawn(async move {
                    // Nobody hears it when the test is over.
                    let tell = |news| drop(tell.send(news));
                    trace_stream::fetch(
                        &source,
                        transaction,
                        (terms.timeout, terms.priority),
                        allowed,
                        tell,
                    )
                    .await;
                });
            }
            Answers::Canned(answer) => {
                // Dropped when all is told: whoever hears it waits for that.
                let tell = tell;
                let body = answer(&Query::RawTrace(transaction), None);
                for news in canned(body) {
                    tell.send(news).unwrap();
                }
            }
        }
        self.hear(Running { ticket, limit, news }).await
    }

    /// Hands on what is heard of a trace until it ends or pauses.
    async fn hear(&mut self, mut running: Running) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some(news) = running.news.recv().await {
            let paused = matches!(news, TraceEvent::Paused(_));
            let ticket = running.ticket;
            effects.extend(self.app.update(Msg::TraceUpdate { ticket, news }));
            if paused {
                self.paused.insert(ticket.pane, running);
                break;
            }
        }
        effects
    }

    async fn answer(
        &mut self,
        chain: ChainIndex,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Priority,
    ) -> Result<Reply, ApiError> {
        if let Some(other) = self.others.get(&chain) {
            return other.fetch(query, cursor, why).await;
        }
        assert_eq!(chain, ChainIndex::default(), "who answers for it?");
        match &mut self.answers {
            Answers::Live(source) => source.fetch(query, cursor, why).await,
            Answers::Canned(answer) => query.decode(answer(query, cursor)?.as_bytes(), cursor),
        }
    }

    pub(crate) async fn resize(&mut self, size: Size) {
        self.size = size;
        let effects = self.app.update(Msg::Resized(size));
        self.settle(effects).await;
    }

    /// The screen with its styles.
    pub(crate) fn buffer(&self) -> Buffer {
        let mut terminal =
            Terminal::new(TestBackend::new(self.size.width, self.size.height)).unwrap();
        let mut frame = terminal.get_frame();
        self.app.view(&mut frame);
        std::mem::take(frame.buffer_mut())
    }

    /// The screen as text, one line a row.
    pub(crate) fn screen(&self) -> String {
        let buffer = self.buffer();
        let lines = buffer.content().chunks(usize::from(self.size.width).max(1)).map(|cells| {
            let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The selected row as CSV.
    pub(crate) async fn copied_row(&mut self) -> String {
        self.keys("y r").await;
        self.copied().unwrap_or_default().to_owned()
    }

    /// The last text that was copied.
    pub(crate) fn copied(&self) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Copy { text, .. } => Some(&**text),
            _ => None,
        })
    }
}

/// What is heard of a trace whose whole body is there.
fn canned(body: Result<String, ApiError>) -> Vec<TraceEvent> {
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
    let dialect = reader.format();
    parts.push(reader.finish(None));
    let parts = parts.into_iter().map(|part| TraceEvent::Chunk {
        dialect: part.summary.as_ref().map_or(&dialect, |ending| &ending.format).clone(),
        part: Box::new(part),
        progress,
    });
    std::iter::once(TraceEvent::Started { expected }).chain(parts).collect()
}
