//! A user without a terminal at a server that is at fault, and what becomes of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chainglass::chain::network::Network;

use crate::catalogue::{Fault, ROW};
use crate::rogue::{Act, Request, Rogue, json, page, rogue};
use crate::session::{ALICE, Session, size};

/// What a list holds before its server is at fault.
pub(crate) const BEFORE: &str = r#"{"hash":"0xaaaa000000000000000000000000000000000000000000000000000000000001"},{"hash":"0xbbbb000000000000000000000000000000000000000000000000000000000002"}"#;
/// What another tab holds.
const TOKEN: &str = r#"{"value":"7","token":{"address_hash":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","name":"Sound","symbol":"SND","decimals":"0","type":"ERC-20"}}"#;
/// Longer than anything here is waited for.
const LONG: Duration = Duration::from_secs(62);

/// A server whose lists of transactions are at fault from one page on, until it is well.
pub(crate) struct Patient {
    pub(crate) rogue: Rogue,
    well: Arc<AtomicBool>,
}

/// How many requests were for transactions.
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
        Self { rogue, well }
    }

    pub(crate) fn recovers(&self) {
        self.well.store(true, Ordering::Relaxed);
    }

    /// Requests for what is at fault.
    pub(crate) fn tries(&self) -> usize {
        self.rogue.requests().iter().filter(|request| is_ill(request)).count()
    }

    /// Looks at an address.
    pub(crate) async fn visited(&self, act: &Act) -> Session {
        let network = Network::at(&self.rogue.base());
        self.patiently(act, Session::at(network, size(180, 40), ALICE)).await
    }

    /// Waits for what would take a minute without waiting for it.
    pub(crate) async fn patiently<T>(&self, act: &Act, work: impl Future<Output = T>) -> T {
        if !matches!(act, Act::Stall(_)) {
            return work.await;
        }
        // First the clock, so that it is never left standing.
        tokio::select! {
            biased;
            () = jumps(&self.rogue) => unreachable!("it goes on for ever"),
            done = work => done,
        }
    }
}

/// Lets time pass whenever one more peer waits for what does not come.
pub(crate) async fn jumps(rogue: &Rogue) {
    for peers in 1.. {
        rogue.stalled(peers).await;
        tokio::time::pause();
        tokio::time::advance(LONG).await;
        tokio::time::resume();
    }
}
