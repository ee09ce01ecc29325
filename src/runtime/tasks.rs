//! Requests under way, by the pane that waits for them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn};
use tokio::time::sleep;

use url::Url;

use super::{Parcel, external_program, save};
use crate::api::{Cursor, Query};
use crate::chain::TxHash;
use crate::chain::network::Network;
use crate::msg::{Alarm, ChainIndex, Msg, PaneId, Terms, Ticket, Viewer, Why};
use crate::net::provider::Source;
use crate::net::providers::{Connect, Connection, Sources};
use crate::net::trace_stream;
use crate::sanitize::Text;

/// Runs fetches and ends those that nobody waits for. That saves the server work; correctness does
/// not depend on it, since an answer may be on its way already: the app drops stale tickets.
pub(super) struct Tasks<'a> {
    sources: HashMap<ChainIndex, Source>,
    connect: Box<Connect<'a>>,
    outbox: UnboundedSender<Parcel>,
    running: HashMap<PaneId, Vec<AbortHandle>>,
    /// How many bytes of its trace a pane may have.
    limits: HashMap<PaneId, watch::Sender<u64>>,
    saving: Option<AbortHandle>,
}

impl<'a> Tasks<'a> {
    pub(super) fn new(sources: Sources<'a>, outbox: UnboundedSender<Parcel>) -> Self {
        let Sources { first, connect } = sources;
        let (running, limits) = (HashMap::new(), HashMap::new());
        let sources = HashMap::new();
        let mut tasks = Self { sources, connect, outbox, running, limits, saving: None };
        tasks.add(ChainIndex::default(), first);
        tasks
    }

    /// Finds out who answers for a chain.
    pub(super) fn connect(&mut self, chain: ChainIndex, network: &Network) {
        let ready = match (self.connect)(network) {
            Ok(Connection { source, warning }) => {
                self.add(chain, source);
                Ok(warning)
            }
            Err(error) => Err(Text::new(&format!("{error:#}"))),
        };
        self.tell(Msg::Connected { chain, ready });
    }

    /// Asks `source` what is asked about a chain, and hands on what is heard of the requests to it.
    fn add(&mut self, chain: ChainIndex, source: Source) {
        let (mut news, outbox) = (source.news(), self.outbox.clone());
        spawn(async move {
            while let Some(news) = news.recv().await {
                // The loop may be gone already; then nobody waits for the news.
                let _ = outbox.send(Parcel::Msg(Msg::Net(chain, news)));
            }
        });
        self.sources.insert(chain, source);
    }

    /// Who answers for a chain. The app opens a chain before it asks about it; that a question goes
    /// to another chain's explorer must not happen in any case.
    fn source(&self, chain: ChainIndex) -> Option<Source> {
        self.sources.get(&chain).cloned()
    }

    fn tell(&self, msg: Msg) {
        // The loop may be gone already; then nobody waits for the word.
        let _ = self.outbox.send(Parcel::Msg(msg));
    }

    /// Starts a request.
    pub(super) fn fetch(&mut self, ticket: Ticket, query: Query, cursor: Option<Cursor>, why: Why) {
        let Some(source) = self.source(ticket.chain) else { return };
        let outbox = self.outbox.clone();
        self.run(ticket.pane, async move {
            let reply = source.fetch(&query, cursor.as_ref(), why).await;
            // The loop may be gone already; then nobody waits for the answer.
            let _ = outbox.send(Parcel::Msg(Msg::Fetched { ticket, query, reply }));
        });
    }

    /// Starts to fetch a trace.
    pub(super) fn trace(&mut self, ticket: Ticket, transaction: TxHash, terms: &Terms) {
        let Some(source) = self.source(ticket.chain) else { return };
        let outbox = self.outbox.clone();
        let (limit, allowed) = watch::channel(terms.allowed);
        self.limits.retain(|_, limit| !limit.is_closed());
        self.limits.insert(ticket.pane, limit);
        let (patience, why) = (terms.patience, terms.why);
        let tell = move |news| {
            // The loop may be gone already; then nobody waits for the news.
            let _ = outbox.send(Parcel::Msg(Msg::Traced { ticket, news }));
        };
        self.run(ticket.pane, async move {
            trace_stream::fetch(&source, transaction, (patience, why), allowed, tell).await;
        });
    }

    /// Lets the trace that a pane fetches go on, up to so many bytes in all.
    pub(super) fn allow(&self, pane: PaneId, bytes: u64) {
        if let Some(limit) = self.limits.get(&pane) {
            limit.send_replace(bytes);
        }
    }

    /// Runs something that a pane waits for.
    fn run(&mut self, pane: PaneId, work: impl Future<Output = ()> + Send + 'static) {
        let tasks = self.running.entry(pane).or_default();
        tasks.retain(|task| !task.is_finished());
        tasks.push(spawn(work).abort_handle());
    }

    /// Writes a file; one at a time, a newer one ends an older.
    pub(super) fn save(&mut self, path: PathBuf, lines: Vec<String>, what: Text) {
        self.stop_saving();
        self.saving =
            Some(spawn(save::save(path, lines, what, self.outbox.clone())).abort_handle());
    }

    /// Writes what is to be shown in another program; one at a time, as any file.
    pub(super) fn view(&mut self, viewer: Viewer, name: String, lines: Vec<String>) {
        self.stop_saving();
        let writing = external_program::write(viewer, name, lines, self.outbox.clone());
        self.saving = Some(spawn(writing).abort_handle());
    }

    /// Adds a line to the file of signatures.
    pub(super) fn keep(&self, signature: Text) {
        spawn(save::keep(signature, self.outbox.clone()));
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
                open::that_detached(url.as_str()).map_err(|e| Text::new(&e.to_string()))
            }
            other => Err(Text::new(&format!("{other} addresses are not opened"))),
        };
        self.tell(Msg::Opened(opened));
    }

    /// Rings after a pause.
    pub(super) fn ring(&self, alarm: Alarm, pause: Duration) {
        let outbox = self.outbox.clone();
        spawn(async move {
            sleep(pause).await;
            // The loop may be gone already; then nobody waits for the bell.
            let _ = outbox.send(Parcel::Msg(Msg::Rang(alarm)));
        });
    }

    /// Ends whatever a pane waits for.
    pub(super) fn cancel(&mut self, pane: PaneId) {
        self.limits.remove(&pane);
        for task in self.running.remove(&pane).unwrap_or_default() {
            task.abort();
        }
    }
}
