//! A user of a faulty server, whose clock skips waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chainglass::test_api::app_message::{ConnectionStatus, NetworkEvent, RetryProgress};
use chainglass::test_api::chain::Chains;
use chainglass::test_api::net::Provider;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::fake_server::{FakeServer, Request, fake_server, json, page};
use crate::fault_cases::{FaultCase, ROW};
use crate::session::{Session, size};

/// The rows of the pages before the fault.
pub(crate) const FIRST_PAGE_ROWS: &str = r#"{"hash":"0xaaaa000000000000000000000000000000000000000000000000000000000001"},{"hash":"0xbbbb000000000000000000000000000000000000000000000000000000000002"}"#;
/// The row of another tab.
const TOKEN_ROW: &str = r#"{"value":"7","token":{"address_hash":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","name":"Sound","symbol":"SND","decimals":"0","type":"ERC-20"}}"#;
/// Longer than any timeout or delay.
const TIME_SKIP: Duration = Duration::from_secs(62);

/// A server whose transaction lists are faulty until it is fixed, and a session that uses it.
pub(crate) struct SimulatedUser {
    pub(crate) server: FakeServer,
    is_fixed: Arc<AtomicBool>,
    source: Provider,
    events: UnboundedReceiver<NetworkEvent>,
    /// Stalled connections so far.
    stalled: usize,
    /// The last reported retry.
    retrying: Option<RetryProgress>,
}

/// Returns whether a request is for the faulty list.
fn is_faulty(request: &Request) -> bool {
    request.path().ends_with("/transactions")
}

impl SimulatedUser {
    /// Uses a server that is faulty after this number of valid pages.
    pub(crate) fn new(fault: &FaultCase, pages: usize) -> Self {
        let (behavior, is_fixed) = (fault.behavior.clone(), Arc::new(AtomicBool::new(false)));
        let fixed = Arc::clone(&is_fixed);
        let server = fake_server(move |request, before| match request {
            r if r.path().ends_with("/tokens") => page(TOKEN_ROW, "null"),
            r if !is_faulty(r) => json(404, r#"{"message":"Not found"}"#),
            _ if before < pages => page(FIRST_PAGE_ROWS, "{\"at\":1}"),
            _ if fixed.load(Ordering::Relaxed) => page(ROW, "null"),
            _ => behavior.clone(),
        });
        Self { is_fixed, ..Self::at(server) }
    }

    /// Uses any server.
    pub(crate) fn at(server: FakeServer) -> Self {
        let source = Provider::new(&Chains::default().network_at(&server.base()));
        let (is_fixed, events) = (Arc::default(), source.subscribe());
        Self { server, is_fixed, source, events, stalled: 0, retrying: None }
    }

    pub(crate) fn fix_server(&self) {
        self.is_fixed.store(true, Ordering::Relaxed);
    }

    /// The number of requests for the faulty list.
    pub(crate) fn attempts(&self) -> usize {
        self.server.requests().iter().filter(|request| is_faulty(request)).count()
    }

    /// Opens a target.
    pub(crate) async fn open(&mut self, target: &str) -> Session {
        let network = Chains::default().network_at(&self.server.base());
        let source = self.source.clone();
        self.with_fast_clock(Box::pin(Session::at(source, network, size(159, 40), target))).await
    }

    /// Completes `work` with all waits skipped. Polls the clock first, so that it is never left paused.
    pub(crate) async fn with_fast_clock<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            () = self.skip_waits() => unreachable!("it goes on for ever"),
            done = work => done,
        }
    }

    /// Advances the clock whenever a connection stalls or a delay starts.
    async fn skip_waits(&mut self) {
        loop {
            tokio::select! {
                () = self.server.until_stalled(self.stalled + 1) => self.stalled += 1,
                Some(events) = self.events.recv() => if !self.starts_waiting(events) { continue },
            }
            tokio::time::pause();
            tokio::time::advance(TIME_SKIP).await;
            tokio::time::resume();
        }
    }

    /// Returns whether this event, or one queued behind it, starts a delay.
    fn starts_waiting(&mut self, events: NetworkEvent) -> bool {
        let mut begins = false;
        let mut next = Some(events);
        while let Some(events) = next {
            if let NetworkEvent::Status(ConnectionStatus {
                limited_secs: waiting, retrying, ..
            }) = events
            {
                begins |= waiting.is_some() || retrying.is_some() && retrying != self.retrying;
                self.retrying = retrying;
            }
            next = self.events.try_recv().ok();
        }
        begins
    }
}
