//! Requests under way, by the pane that waits for them.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{AbortHandle, spawn};

use super::Parcel;
use super::source::Source;
use crate::api::{Cursor, Query};
use crate::msg::{Msg, PaneId, Ticket};

/// Public explorers allow about three requests a second without a key.
const AT_ONCE: usize = 3;

/// Runs fetches and ends those that nobody waits for. That saves the server work; correctness does
/// not depend on it, since an answer may be on its way already: the app drops stale tickets.
#[derive(Debug)]
pub(super) struct Tasks {
    source: Source,
    outbox: UnboundedSender<Parcel>,
    slots: Arc<Semaphore>,
    running: HashMap<PaneId, Vec<AbortHandle>>,
}

impl Tasks {
    pub(super) fn new(source: Source, outbox: UnboundedSender<Parcel>) -> Self {
        Self { source, outbox, slots: Arc::new(Semaphore::new(AT_ONCE)), running: HashMap::new() }
    }

    /// Starts a request.
    pub(super) fn fetch(&mut self, ticket: Ticket, query: Query, cursor: Option<Cursor>) {
        let (source, outbox, slots) =
            (self.source.clone(), self.outbox.clone(), self.slots.clone());
        let task = spawn(async move {
            let _slot = slots.acquire().await;
            let reply = source.fetch(&query, cursor.as_ref()).await;
            // The loop may be gone already; then nobody waits for the answer.
            let _ = outbox.send(Parcel::Msg(Msg::Fetched { ticket, query, reply }));
        });
        let tasks = self.running.entry(ticket.pane).or_default();
        tasks.retain(|task| !task.is_finished());
        tasks.push(task.abort_handle());
    }

    /// Ends whatever a pane waits for.
    pub(super) fn cancel(&mut self, pane: PaneId) {
        for task in self.running.remove(&pane).unwrap_or_default() {
            task.abort();
        }
    }
}
