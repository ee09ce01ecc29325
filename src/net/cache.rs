//! Cache of responses that are final: confirmed and indexed transactions, and complete traces.

mod disk;
mod memory;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::task::spawn_blocking;
use tracing::warn;
use url::Url;

use crate::api::{Query, Reply};
use crate::chain::TxHash;
use crate::trace::{TraceFormat, TraceParser};
pub use disk::{CacheStats, DiskCache};
use memory::MemoryCache;

pub const MAX_ENTRY_BYTES: usize = 16 << 20;
const MAX_MEMORY_CACHE_BYTES: usize = 64 << 20;
const FINALITY_CONFIRMATIONS: u64 = 12;
/// Fields of a transaction that change after it is final.
const VOLATILE_FIELDS: [&str; 2] = ["confirmations", "exchange_rate"];
const MAX_CHUNK_BYTES: usize = 4 << 20;

/// A cache of response bodies by URL. Clones share its contents.
#[derive(Debug, Clone)]
pub struct ResponseCache {
    memory: Arc<Mutex<MemoryCache>>,
    disk: Option<Arc<DiskCache>>,
}

impl ResponseCache {
    pub fn in_memory() -> Self {
        Self { memory: Arc::new(Mutex::new(MemoryCache::new(MAX_MEMORY_CACHE_BYTES))), disk: None }
    }

    pub fn on_disk(folder: PathBuf) -> Self {
        Self { disk: Some(Arc::new(DiskCache::new(folder))), ..Self::in_memory() }
    }

    #[must_use]
    pub fn without_disk(self) -> Self {
        Self { disk: None, ..self }
    }

    pub async fn get(&self, url: &Url) -> Option<Bytes> {
        if let Some(body) = self.memory().get(url.as_str()) {
            return Some(body);
        }
        let disk = self.disk.clone()?;
        let cache = self.clone();
        let url = url.clone();
        let read = spawn_blocking(move || {
            let body = disk.read(url.as_str())?;
            cache.memory().put(url.as_str(), body.clone());
            Some(body)
        });
        read.await.ok().flatten()
    }

    /// Caches a body if it is final, and otherwise removes the one cached before.
    pub async fn put(&self, query: &Query, url: &Url, body: &Bytes) {
        let cache = self.clone();
        let query = query.clone();
        let url = url.clone();
        let body = body.clone();
        let stored = spawn_blocking(move || match final_body(&query, &body) {
            Some(body) => cache.store(url.as_str(), &body),
            None => cache.remove(url.as_str()),
        });
        // The response is usable without the cache.
        if let Err(error) = stored.await {
            warn!(%error, "cache");
        }
    }

    fn store(&self, url: &str, body: &[u8]) {
        // Copied, because a slice would keep the whole buffer alive.
        self.memory().put(url, Bytes::copy_from_slice(body));
        if let Some(disk) = &self.disk
            && let Err(error) = disk.write(url, body)
        {
            warn!(%error, "cache");
        }
    }

    fn remove(&self, url: &str) {
        self.memory().remove(url);
        if let Some(disk) = &self.disk {
            disk.remove(url);
        }
    }

    fn memory(&self) -> MutexGuard<'_, MemoryCache> {
        // The entries are usable after a panic.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn is_cacheable(query: &Query) -> bool {
    matches!(query, Query::Transaction(_) | Query::RawTrace(_))
}

/// Returns the part of a body that will never change, if it is final.
fn final_body(query: &Query, body: &Bytes) -> Option<Bytes> {
    match query {
        _ if body.len() > MAX_ENTRY_BYTES => None,
        Query::Transaction(hash) if is_final(query, *hash, body) => strip_volatile(body),
        Query::RawTrace(_) if is_complete_trace(body.clone()) => Some(body.clone()),
        _ => None,
    }
}

/// Removes the volatile fields of a transaction, which are shown as missing rather than outdated.
fn strip_volatile(body: &[u8]) -> Option<Bytes> {
    let mut fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(body).ok()?;
    fields.retain(|name, _| !VOLATILE_FIELDS.contains(&&**name));
    serde_json::to_vec(&fields).ok().map(Bytes::from)
}

fn is_final(query: &Query, hash: TxHash, body: &[u8]) -> bool {
    let Ok(Reply::Transaction(item)) = query.decode(body, None) else { return false };
    item.parsed.as_ref().is_ok_and(|transaction| {
        let confirmations = transaction.confirmations.value();
        transaction.hash == hash
            && transaction.is_complete()
            && confirmations.is_some_and(|blocks| *blocks >= FINALITY_CONFIRMATIONS)
    })
}

/// Returns whether a trace has calls and an end.
fn is_complete_trace(body: Bytes) -> bool {
    let mut parser = TraceParser::default();
    parser.feed(body);
    let mut has_calls = false;
    while let Some(chunk) = parser.next_chunk(MAX_CHUNK_BYTES) {
        has_calls |= !chunk.frames.is_empty();
    }
    let last = parser.finish(None);
    has_calls |= !last.frames.is_empty();
    last.summary.is_some_and(|summary| {
        let is_known = matches!(
            summary.format,
            TraceFormat::Parity | TraceFormat::CallTracer | TraceFormat::Flat
        );
        has_calls && is_known && summary.unreadable == 0 && summary.error.is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";
    const TRACE: &str = r#"[{"action":{"callType":"call","from":"0x0000000000000000000000000000000000000001","gas":"0x10","input":"0x","to":"0x0000000000000000000000000000000000000002","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}]"#;

    fn url() -> Url {
        "https://explorer.example/api/v2/transactions/0x1".parse().unwrap()
    }

    /// What a transfer of coins has once it is indexed.
    const INDEXED: &str = r#""status":"ok","to":{"hash":"0x0000000000000000000000000000000000000001","is_contract":false},
        "raw_input":"0x","gas_used":"21000","token_transfers":[],"has_error_in_internal_transactions":false"#;

    fn transaction(fields: &str) -> Bytes {
        format!(r#"{{"hash":"{HASH}",{INDEXED},{fields}}}"#).into()
    }

    #[test]
    fn only_confirmed_transactions_are_cached_without_volatile_fields() {
        let query = Query::Transaction(HASH.parse().unwrap());
        for (fields, is_cached) in [
            (r#""block_number":5,"confirmations":12"#, true),
            (r#""block_number":5,"confirmations":11"#, false),
            (r#""block_number":null,"confirmations":12"#, false),
            (r#""block_number":"?","confirmations":12"#, false),
            (r#""block_number":5"#, false),
            (r#""block_number":5,"confirmations":-12"#, false),
        ] {
            assert_eq!(final_body(&query, &transaction(fields)).is_some(), is_cached, "{fields}");
        }
        let deep = transaction(r#""block_number":5,"confirmations":99"#);
        assert_eq!(
            final_body(&Query::Transaction(TxHash::ZERO), &deep),
            None,
            "another transaction"
        );
        assert_eq!(final_body(&Query::TransactionInternals(TxHash::ZERO), &deep), None);
        let kept = String::from_utf8(final_body(&query, &deep).unwrap().to_vec()).unwrap();
        assert!(kept.contains("block_number") && !kept.contains("confirmations"), "{kept}");
    }

    #[test]
    fn transactions_are_not_cached_while_the_server_indexes() {
        let query = Query::Transaction(HASH.parse().unwrap());
        let contract = |is_contract| {
            format!(
                r#""to":{{"hash":"0x0000000000000000000000000000000000000001","is_contract":{is_contract}}}"#
            )
        };
        let call = |is_contract, method| {
            let contract = contract(is_contract);
            format!(r#"{contract},"raw_input":"0xa9059cbb","method":{method},"gas_used":"52000""#)
        };
        let creation = |status, is_contract| {
            let created = contract(is_contract).replace("to", "created_contract");
            format!(r#""status":"{status}","to":null,"raw_input":"0x60",{created}"#)
        };
        let (revert, counted) =
            (r#""status":"error","revert_reason""#, "has_error_in_internal_transactions");
        for (fields, is_cached) in [
            (call(true, r#""transfer""#), true),
            (call(true, "null"), false),
            (call(false, "null"), false),
            (format!(r#"{},"gas_used":"23000""#, contract(true)), true),
            (r#""gas_used":"23000""#.to_owned(), false),
            (creation("ok", true), true),
            (creation("ok", false), false),
            (creation("error", false), true),
            (format!(r#"{revert}:{{"raw":"0x"}}"#), true),
            (format!(r#"{revert}:{{"raw":null}}"#), false),
            (r#""status":null"#.to_owned(), false),
            (r#""status":"error","result":"awaiting_internal_transactions""#.to_owned(), false),
            (format!(r#""{counted}":null"#), false),
            (r#""is_pending_update":true"#.to_owned(), false),
            (r#""is_pending_update":false"#.to_owned(), true),
            (r#""token_transfers":null"#.to_owned(), false),
            (r#""token_transfers":[{"token":{"symbol":null,"name":null}}]"#.to_owned(), false),
            (r#""token_transfers":[{"token":{"symbol":"T","name":null}}]"#.to_owned(), true),
        ] {
            let body = transaction(r#""block_number":5,"confirmations":99"#);
            let mut body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let changes: serde_json::Value =
                serde_json::from_str(&format!("{{{fields}}}")).unwrap();
            for (name, value) in changes.as_object().unwrap() {
                body[name] = value.clone();
            }
            let body = Bytes::from(body.to_string());
            assert_eq!(final_body(&query, &body).is_some(), is_cached, "{fields}");
        }
    }

    #[test]
    fn only_complete_traces_with_calls_are_cached() {
        let query = Query::RawTrace(TxHash::ZERO);
        let is_final =
            |body: &str| final_body(&query, &Bytes::copy_from_slice(body.as_bytes())).is_some();
        assert!(is_final(TRACE));
        for body in ["", "[]", "null", "\"words\"", "{}", "[1]", &TRACE[..TRACE.len() - 1]] {
            assert!(!is_final(body), "{body}");
        }
    }

    #[tokio::test]
    async fn disk_entries_survive_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let cache = || ResponseCache::on_disk(folder.path().join("cache"));
        let query = Query::RawTrace(TxHash::ZERO);
        let first = Bytes::from(TRACE);
        cache().put(&query, &url(), &first).await;
        let next = cache();
        assert_eq!(next.get(&url()).await, Some(first.clone()));
        assert_eq!(cache().without_disk().get(&url()).await, None);
        next.put(&query, &url(), &Bytes::from("[]")).await;
        assert_eq!((next.get(&url()).await, cache().get(&url()).await), (None, None));
    }
}
