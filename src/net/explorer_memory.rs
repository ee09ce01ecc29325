//! Memory of the URLs of explorers: one that a probe has identified is not probed at the next start.
//!
//! The first answer proves the memory, or refutes it: then the URL is probed again. Only the URLs of
//! public hosts without a path are remembered, since a path may be a key.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::cache::ResponseCache;
use crate::chain::network::{Endpoint, Network};

/// Facts about an explorer that are kept between starts. The key has its URL.
const IS_EXPLORER: &[u8] = b"explorer";

#[derive(Debug)]
pub(super) struct ExplorerMemory {
    cache: ResponseCache,
    key: String,
    is_refuted: AtomicBool,
}

impl ExplorerMemory {
    /// Returns the memory of the URL of an undecided chain.
    pub(super) fn new(network: &Network, cache: ResponseCache) -> Option<Self> {
        let Endpoint::Undecided(url) = &network.endpoint else { return None };
        let key = format!("explorer at {}", url.without_keys());
        (!url.has_keys()).then_some(Self { cache, key, is_refuted: AtomicBool::new(false) })
    }

    /// Returns `true` if an explorer was at the URL, and no answer has refuted it since.
    pub(super) async fn is_explorer(&self) -> bool {
        !self.is_refuted() && self.cache.read(self.key.clone()).await.is_some()
    }

    pub(super) fn is_refuted(&self) -> bool {
        self.is_refuted.load(Ordering::Relaxed)
    }

    pub(super) async fn record(&self) {
        self.cache.write(self.key.clone(), Bytes::from_static(IS_EXPLORER)).await;
    }

    pub(super) async fn refute(&self) {
        self.is_refuted.store(true, Ordering::Relaxed);
        self.cache.remove(self.key.clone()).await;
    }
}

/// Returns `true` for the answer of a node.
pub(super) fn is_json_rpc(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "the name is compared")]
    struct RpcAnswer {
        jsonrpc: IgnoredAny,
    }
    serde_json::from_slice::<RpcAnswer>(body).is_ok()
}
