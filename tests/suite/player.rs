//! A user without a terminal at a server that is at fault, and what becomes of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chainglass::chain::chains::Chains;
use chainglass::msg::{ConnectionStatus, NetworkEvent};
use chainglass::net::provider::Provider;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::catalogue::{Fault, ROW};
use crate::rogue::{Request, Rogue, json, page, rogue};
use crate::session::{Session, size};

/// What a list holds before its server is at fault.
pub(crate) const BEFORE: &str = r#"{"hash":"0xaaaa000000000000000000000000000000000000000000000000000000000001"},{"hash":"0xbbbb000000000000000000000000000000000000000000000000000000000002"}"#;
/// What another tab holds.
const TOKEN: &str = r#"{"value":"7","token":{"address_hash":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","name":"Sound","symbol":"SND","decimals":"0","type":"ERC-20"}}"#;
/// Longer than anything here is waited for.
const LONG: Duration = Duration::from_secs(62);

/// A server whose lists of transactions are at fault from one page on, until it is well; and who
/// asks it.
pub(crate) struct Patient {
    pub(crate) rogue: Rogue,
    well: Arc<AtomicBool>,
    source: Provider,
    news: UnboundedReceiver<NetworkEvent>,
    /// Peers that waited in vain so far.
    stalled: usize,
    /// The last word about what is tried again.
    retrying: Option<(u8, u8)>,
}

/// Whether a request is for transactions.
fn is_ill(request: &Request) -> bool {
    request.path().ends_with("/transactions")
}

impl Patient {
    /// At fault after so many good pages.
    pub(crate) fn new(fault: &Fault, pages: usize) -> Self {
        let (act, well) = (fault.act.clone(), Arc::new(AtomicBool::new(false)));
        let is_well = Arc::clone(&well);
        let rogue = rogue(move |request, before| match request {
            r if r.path().ends_with("/tokens") => page(TOKEN, "null"),
            r if !is_ill(r) => json(404, r#"{"message":"Not found"}"#),
            _ if before < pages => page(BEFORE, "{\"at\":1}"),
            _ if is_well.load(Ordering::Relaxed) => page(ROW, "null"),
            _ => act.clone(),
        });
        Self { well, ..Self::of(rogue) }
    }

    /// At any server.
    pub(crate) fn of(rogue: Rogue) -> Self {
        let source = Provider::new(&Chains::default().network_at(&rogue.base()));
        let (well, news) = (Arc::default(), source.subscribe());
        Self { rogue, well, source, news, stalled: 0, retrying: None }
    }

    pub(crate) fn recovers(&self) {
        self.well.store(true, Ordering::Relaxed);
    }

    /// Requests for what is at fault.
    pub(crate) fn tries(&self) -> usize {
        self.rogue.requests().iter().filter(|request| is_ill(request)).count()
    }

    /// Looks at something.
    pub(crate) async fn visited(&mut self, target: &str) -> Session {
        let network = Chains::default().network_at(&self.rogue.base());
        let source = self.source.clone();
        self.patiently(Box::pin(Session::at(source, network, size(159, 40), target))).await
    }

    /// Waits without the time for it. First the clock, so that it is never left standing.
    pub(crate) async fn patiently<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            () = self.jumps() => unreachable!("it goes on for ever"),
            done = work => done,
        }
    }

    /// Lets time pass whenever one more peer waits for what does not come, or a pause begins.
    async fn jumps(&mut self) {
        loop {
            tokio::select! {
                () = self.rogue.stalled(self.stalled + 1) => self.stalled += 1,
                Some(news) = self.news.recv() => if !self.begins_a_pause(news) { continue },
            }
            tokio::time::pause();
            tokio::time::advance(LONG).await;
            tokio::time::resume();
        }
    }

    /// Whether this or what was told with it means that a request waits.
    fn begins_a_pause(&mut self, news: NetworkEvent) -> bool {
        let mut begins = false;
        let mut next = Some(news);
        while let Some(news) = next {
            if let NetworkEvent::Status(ConnectionStatus {
                limited_secs: waiting, retrying, ..
            }) = news
            {
                begins |= waiting.is_some() || retrying.is_some() && retrying != self.retrying;
                self.retrying = retrying;
            }
            next = self.news.try_recv().ok();
        }
        begins
    }
}
