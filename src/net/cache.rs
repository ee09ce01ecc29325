//! Disk cache of traces of final transactions, verified contracts, signatures by hash, and the URLs of
//! explorers.
//!
//! Nothing else is kept, because all else can change: responses about transactions contain prices,
//! names, tags and verdicts of the day. After a restart, a chain may have an old hash with another
//! trace, so a trace is only taken from the cache once the explorer has reported, in the same run, that
//! the transaction is final and in the same block.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use lru::LruCache;
use parking_lot::Mutex;
use tokio::task::{JoinError, spawn_blocking};
use tracing::warn;
use url::Url;

use crate::api::contract::Contract;
use crate::api::transactions::Transaction;
use crate::api::{Query, Reply};
use crate::chain::Address;
use crate::disk_cache::{DiskCache, MAX_ENTRY_BYTES};
use crate::trace::{TraceFormat, TraceParser};

/// Ethereum finalizes within 96 blocks; the deepest reorganization of a large chain had 157.
const FINALITY_CONFIRMATIONS: u64 = 256;
const MAX_FINAL_TRANSACTIONS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();
const MAX_CHUNK_BYTES: usize = 4 << 20;

/// A cache of responses by URL: traces, contracts, signatures and addresses of explorers. Clones share its
/// contents.
#[derive(Debug, Clone)]
pub struct ResponseCache {
    disk: Arc<DiskCache>,
    /// Key of each trace whose transaction is known to be final, by the trace's URL.
    keys: Arc<Mutex<LruCache<String, String>>>,
}

impl ResponseCache {
    pub fn new(folder: PathBuf) -> Self {
        Self {
            disk: Arc::new(DiskCache::new(folder)),
            keys: Arc::new(Mutex::new(LruCache::new(MAX_FINAL_TRANSACTIONS))),
        }
    }

    /// Records the explorer's report of the transaction whose trace is at `url`, or that it has none.
    pub fn record_transaction(&self, url: &Url, transaction: Option<&Transaction>) {
        match transaction.and_then(|transaction| key(url, transaction)) {
            Some(key) => drop(self.keys.lock().put(url.to_string(), key)),
            None => drop(self.keys.lock().pop(url.as_str())),
        }
    }

    pub async fn get(&self, url: &Url) -> Option<Bytes> {
        self.read(self.key_of(url)?).await
    }

    /// Returns the body that [`Self::write`] stored.
    pub(super) async fn read(&self, key: String) -> Option<Bytes> {
        let disk = Arc::clone(&self.disk);
        spawn_blocking(move || disk.read(&key)).await.ok().flatten()
    }

    /// Stores a body that never changes.
    pub(super) async fn write(&self, key: String, body: Bytes) {
        let disk = Arc::clone(&self.disk);
        log_error(spawn_blocking(move || disk.write(&key, &body)).await);
    }

    pub(super) async fn remove(&self, key: String) {
        let disk = Arc::clone(&self.disk);
        log_error(spawn_blocking(move || disk.remove(&key)).await.map(Ok));
    }

    /// Caches a contract that never changes, or a complete trace of a final transaction. Otherwise
    /// removes an earlier body.
    pub async fn put(&self, url: &Url, body: Bytes) {
        let Some(key) = self.key_of(url) else { return };
        let disk = Arc::clone(&self.disk);
        let is_contract = is_contract(url);
        let stored = spawn_blocking(move || {
            let is_kept = if is_contract {
                is_final_contract(&body)
            } else {
                is_complete_trace(body.clone())
            };
            if is_kept {
                return disk.write(&key, &body);
            }
            disk.remove(&key);
            Ok(())
        });
        log_error(stored.await);
    }

    fn key_of(&self, url: &Url) -> Option<String> {
        if is_contract(url) {
            return Some(url.to_string());
        }
        self.keys.lock().get(url.as_str()).cloned()
    }
}

/// Logs an error of storing. The program works without the cache.
fn log_error(stored: Result<io::Result<()>, JoinError>) {
    if let Err(error) = stored.unwrap_or_else(|error| Err(error.into())) {
        warn!(%error, "cache");
    }
}

/// Returns the URL of a trace with the block of its transaction, if that is final.
fn key(url: &Url, transaction: &Transaction) -> Option<String> {
    let block = transaction.block_number.value()?;
    let time = transaction.timestamp.value()?;
    let confirmations = *transaction.confirmations.value()?;
    let is_final = transaction.is_indexed() && confirmations >= FINALITY_CONFIRMATIONS;
    is_final.then(|| format!("{url}#{block} {time}"))
}

fn is_contract(url: &Url) -> bool {
    url.path().contains("/api/v2/smart-contracts/")
}

fn is_final_contract(body: &[u8]) -> bool {
    let reply = Query::Contract(Address::ZERO).decode(body, None).ok();
    let item = reply.as_ref().and_then(Reply::item::<Contract>);
    item.is_some_and(|item| item.parsed.as_ref().is_ok_and(Contract::is_final))
}

/// Returns `true` if a trace has calls and an end.
fn is_complete_trace(body: Bytes) -> bool {
    if body.len() > MAX_ENTRY_BYTES {
        return false;
    }
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
    use std::path::Path;

    use super::*;
    use crate::api::TransactionQuery;
    use crate::chain::TxHash;

    const TRACE: &str = r#"[{"action":{"callType":"call","from":"0x0000000000000000000000000000000000000001","gas":"0x10","input":"0x","to":"0x0000000000000000000000000000000000000002","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}]"#;

    fn url() -> Url {
        "https://explorer.example/api/v2/transactions/0x1/raw-trace".parse().unwrap()
    }

    /// Returns an indexed transfer of coins with `changes` made to its fields.
    fn transaction(changes: &str) -> Transaction {
        let mut body = serde_json::json!({
            "hash": TxHash::ZERO.to_string(), "status": "ok", "block_number": 5,
            "timestamp": "2023-11-14T23:12:00Z", "confirmations": FINALITY_CONFIRMATIONS,
            "to": {"hash": "0x0000000000000000000000000000000000000001", "is_contract": false},
            "raw_input": "0x", "gas_used": "21000", "has_error_in_internal_transactions": false,
        });
        let changes: serde_json::Value = serde_json::from_str(&format!("{{{changes}}}")).unwrap();
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::Details);
        let reply = query.decode(body.to_string().as_bytes(), None).unwrap();
        reply.item::<Transaction>().unwrap().parsed.clone().unwrap()
    }

    #[test]
    fn transaction_is_final_once_it_is_deep_and_indexed() {
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
        for (fields, is_final) in [
            (String::new(), true),
            (r#""confirmations":255"#.to_owned(), false),
            (r#""confirmations":null"#.to_owned(), false),
            (r#""confirmations":-256"#.to_owned(), false),
            (r#""block_number":null"#.to_owned(), false),
            (r#""block_number":"?""#.to_owned(), false),
            (r#""timestamp":null"#.to_owned(), false),
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
        ] {
            assert_eq!(key(&url(), &transaction(&fields)).is_some(), is_final, "{fields}");
        }
    }

    #[test]
    fn only_traces_with_calls_and_an_end_are_complete() {
        assert!(is_complete_trace(TRACE.into()));
        for body in ["", "[]", "null", "\"words\"", "{}", "[1]", &TRACE[..TRACE.len() - 1]] {
            assert!(!is_complete_trace(Bytes::copy_from_slice(body.as_bytes())), "{body}");
        }
    }

    fn cache(folder: &Path) -> ResponseCache {
        ResponseCache::new(folder.join("cache"))
    }

    #[tokio::test]
    async fn trace_survives_a_restart_as_long_as_its_transaction_is_in_the_same_block() {
        let folder = tempfile::tempdir().unwrap();
        let cache = || cache(folder.path());
        let before = cache();
        before.record_transaction(&url(), Some(&transaction("")));
        before.put(&url(), TRACE.into()).await;
        assert_eq!(before.get(&url()).await, Some(TRACE.into()));

        let after = cache();
        assert_eq!(after.get(&url()).await, None, "the transaction is not known to be final");
        for (fields, is_cached) in [
            (Some(""), true),
            (Some(r#""confirmations":1000"#), true),
            (Some(r#""confirmations":3"#), false),
            (Some(r#""block_number":6"#), false),
            (Some(r#""timestamp":"2024-01-01T00:00:00Z""#), false),
            (None, false),
        ] {
            let transaction = fields.map(transaction);
            after.record_transaction(&url(), transaction.as_ref());
            assert_eq!(after.get(&url()).await.is_some(), is_cached, "{fields:?}");
        }
    }

    #[tokio::test]
    async fn incomplete_trace_removes_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        cache.put(&url(), TRACE.into()).await;
        assert!(!folder.path().join("cache").exists(), "not known to be final");
        cache.record_transaction(&url(), Some(&transaction("")));
        cache.put(&url(), TRACE.into()).await;
        assert!(cache.get(&url()).await.is_some());
        cache.put(&url(), Bytes::from("[]")).await;
        assert_eq!(cache.get(&url()).await, None);
    }
}
