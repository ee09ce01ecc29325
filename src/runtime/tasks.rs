//! Requests under way, by the pane that waits for them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn};
use tokio::time::sleep;

use url::Url;

use super::{RuntimeEvent, external_program, save};
use crate::api::{Cursor, Query};
use crate::chain::TxHash;
use crate::chain::network::Network;
use crate::msg::{
    ChainIndex, ExternalTool, Msg, PaneId, PaneRequest, Priority, Ticket, Timer, TraceOptions,
};
use crate::net::provider::Provider;
use crate::net::providers::{ConnectedProvider, ProviderFactory, Providers};
use crate::net::trace_stream;
use crate::sanitize::SafeText;

/// Runs fetches and ends those that nobody waits for. That saves the server work; correctness does
/// not depend on it, since an answer may be on its way already: the app drops stale tickets.
pub(super) struct Tasks<'a> {
    providers: HashMap<ChainIndex, Provider>,
    connect: Box<ProviderFactory<'a>>,
    outbox: UnboundedSender<RuntimeEvent>,
    running: HashMap<PaneId, Vec<AbortHandle>>,
    /// How many bytes of its trace a pane may have.
    byte_limits: HashMap<PaneId, watch::Sender<u64>>,
    saving: Option<AbortHandle>,
}

impl<'a> Tasks<'a> {
    pub(super) fn new(sources: Providers<'a>, outbox: UnboundedSender<RuntimeEvent>) -> Self {
        let Providers { first, connect } = sources;
        let (running, limits) = (HashMap::new(), HashMap::new());
        let sources = HashMap::new();
        let mut tasks = Self {
            providers: sources,
            connect,
            outbox,
            running,
            byte_limits: limits,
            saving: None,
        };
        tasks.add_provider(ChainIndex::default(), first);
        tasks
    }

    /// Finds out who answers for a chain.
    pub(super) fn connect(&mut self, chain: ChainIndex, network: &Network) {
        let ready = match (self.connect)(network) {
            Ok(ConnectedProvider { provider: source, warning }) => {
                self.add_provider(chain, source);
                Ok(warning)
            }
            Err(error) => Err(SafeText::new(&format!("{error:#}"))),
        };
        self.send(Msg::Connected { chain, ready });
    }

    /// Asks `provider` what is asked about a chain, and hands on what is heard of the requests to it.
    fn add_provider(&mut self, chain: ChainIndex, source: Provider) {
        let (mut news, outbox) = (source.subscribe(), self.outbox.clone());
        spawn(async move {
            while let Some(news) = news.recv().await {
                // The loop may be gone already; then nobody waits for the news.
                let _ = outbox.send(RuntimeEvent::Msg(Msg::Network(chain, news)));
            }
        });
        self.providers.insert(chain, source);
    }

    /// Who answers for a chain. The app opens a chain before it asks about it; that a question goes
    /// to another chain's explorer must not happen in any case.
    fn provider(&self, chain: ChainIndex) -> Option<Provider> {
        self.providers.get(&chain).cloned()
    }

    fn send(&self, msg: Msg) {
        // The loop may be gone already; then nobody waits for the word.
        let _ = self.outbox.send(RuntimeEvent::Msg(msg));
    }

    /// Carries out a pane's request.
    pub(super) fn start(&mut self, ticket: Ticket, request: PaneRequest) {
        match request {
            PaneRequest::Fetch { query, cursor, priority } => {
                self.fetch(ticket, query, cursor, priority);
            }
            PaneRequest::FetchTrace { transaction, options } => {
                self.trace(ticket, transaction, options);
            }
            PaneRequest::RaiseTraceLimit(bytes) => {
                if let Some(limit) = self.byte_limits.get(&ticket.pane) {
                    limit.send_replace(bytes);
                }
            }
            PaneRequest::Cancel => self.cancel(ticket.pane),
        }
    }

    /// Starts a request.
    fn fetch(&mut self, ticket: Ticket, query: Query, cursor: Option<Cursor>, why: Priority) {
        let Some(source) = self.provider(ticket.chain) else { return };
        let outbox = self.outbox.clone();
        self.spawn_for(ticket.pane, async move {
            let reply = source.fetch(&query, cursor.as_ref(), why).await;
            // The loop may be gone already; then nobody waits for the answer.
            let _ = outbox.send(RuntimeEvent::Msg(Msg::Fetched { ticket, query, reply }));
        });
    }

    /// Starts to fetch a trace.
    fn trace(&mut self, ticket: Ticket, transaction: TxHash, options: TraceOptions) {
        let Some(source) = self.provider(ticket.chain) else { return };
        let outbox = self.outbox.clone();
        let (limit, allowed) = watch::channel(options.max_bytes);
        self.byte_limits.retain(|_, limit| !limit.is_closed());
        self.byte_limits.insert(ticket.pane, limit);
        let tell = move |news| {
            // The loop may be gone already; then nobody waits for the news.
            let _ = outbox.send(RuntimeEvent::Msg(Msg::TraceUpdate { ticket, news }));
        };
        self.spawn_for(ticket.pane, async move {
            trace_stream::fetch(&source, transaction, &options, allowed, tell).await;
        });
    }

    /// Runs something that a pane waits for.
    fn spawn_for(&mut self, pane: PaneId, work: impl Future<Output = ()> + Send + 'static) {
        let tasks = self.running.entry(pane).or_default();
        tasks.retain(|task| !task.is_finished());
        tasks.push(spawn(work).abort_handle());
    }

    /// Writes a file; one at a time, a newer one ends an older.
    pub(super) fn save(&mut self, path: PathBuf, lines: Vec<String>, what: SafeText) {
        self.stop_saving();
        self.saving =
            Some(spawn(save::save(path, lines, what, self.outbox.clone())).abort_handle());
    }

    /// Writes what is to be shown in another program; one at a time, as any file.
    pub(super) fn view(&mut self, viewer: ExternalTool, name: String, lines: Vec<String>) {
        self.stop_saving();
        let writing = external_program::write_document(viewer, name, lines, self.outbox.clone());
        self.saving = Some(spawn(writing).abort_handle());
    }

    /// Adds a line to the file of signatures.
    pub(super) fn save_signature(&self, signature: SafeText) {
        spawn(save::append_signature(signature, self.outbox.clone()));
    }

    /// Ends the writing of a file; what is written of it goes.
    pub(super) fn stop_saving(&mut self) {
        if let Some(task) = self.saving.take() {
            task.abort();
        }
    }

    /// Hands a web address to the browser.
    pub(super) fn open(&self, url: &Url) {
        let opened = match url.scheme() {
            "http" | "https" => {
                open::that_detached(url.as_str()).map_err(|e| SafeText::new(&e.to_string()))
            }
            other => Err(SafeText::new(&format!("{other} addresses are not opened"))),
        };
        self.send(Msg::BrowserOpened(opened));
    }

    /// Rings after a pause.
    pub(super) fn start_timer(&self, alarm: Timer, pause: Duration) {
        let outbox = self.outbox.clone();
        spawn(async move {
            sleep(pause).await;
            // The loop may be gone already; then nobody waits for the bell.
            let _ = outbox.send(RuntimeEvent::Msg(Msg::TimerFired(alarm)));
        });
    }

    /// Ends whatever a pane waits for.
    fn cancel(&mut self, pane: PaneId) {
        self.byte_limits.remove(&pane);
        for task in self.running.remove(&pane).unwrap_or_default() {
            task.abort();
        }
    }
}
