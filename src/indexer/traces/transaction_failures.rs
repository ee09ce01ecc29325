//! Failures of transactions on development nodes that list no calls: from their steps, for the responses
//! with such transactions.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use lru::LruCache;
use parking_lot::Mutex;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use crate::chain::B256;
use crate::rpc::{RpcClient, RpcError};
use crate::store::{Snapshot, StateKey, TransactionFailure, TransactionRecord};

use super::call_replay::replay;
use super::transaction_steps::{BareStepsReader, BlockPlace, check_count, check_gas};
use crate::indexer::block_rows::revert_data;

/// Time that a response waits for failures. The rest have their reasons in the next one.
const FAILURES_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_KNOWN_FAILURES: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// Reads failures, and remembers them.
#[derive(Debug)]
pub(in crate::indexer) struct FailureReader {
    client: RpcClient,
    steps: Arc<BareStepsReader>,
    /// `None` if the node has none.
    known: Mutex<LruCache<BlockPlace, Option<TransactionFailure>>>,
}

impl FailureReader {
    pub(in crate::indexer) fn new(client: RpcClient, steps: Arc<BareStepsReader>) -> Self {
        Self { client, steps, known: Mutex::new(LruCache::new(MAX_KNOWN_FAILURES)) }
    }

    /// Returns the failures among `parts`, newest first as far as there is time.
    pub(in crate::indexer) async fn read(
        &self,
        snapshot: &Snapshot,
        parts: &HashSet<StateKey>,
    ) -> HashMap<B256, TransactionFailure> {
        let asked = parts.iter().copied().filter_map(StateKey::try_as_failure);
        let mut asked: Vec<&TransactionRecord> =
            asked.filter_map(|hash| snapshot.transaction(hash).ok().flatten()).collect();
        asked.sort_unstable_by_key(|tx| Reverse(tx.position()));
        let deadline = Instant::now() + FAILURES_TIMEOUT;
        let mut failures = HashMap::new();
        for tx in asked {
            let failure = timeout_at(deadline, self.failure(snapshot, tx)).await.ok().flatten();
            failures.extend(failure.map(|failure| (tx.hash, failure)));
        }
        failures
    }

    async fn failure(
        &self,
        snapshot: &Snapshot,
        tx: &TransactionRecord,
    ) -> Option<TransactionFailure> {
        let place = (tx.hash, tx.block_number);
        if let Some(failure) = self.known.lock().get(&place) {
            return failure.clone();
        }
        let failure = match self.ask(snapshot, tx).await {
            Err(error) if !error.is_refusal() => return None,
            answer => answer.ok().flatten(),
        };
        self.known.lock().put(place, failure.clone());
        failure
    }

    /// Asks for the result of the steps, which Hardhat sends, or else for the memory that was returned.
    async fn ask(
        &self,
        snapshot: &Snapshot,
        tx: &TransactionRecord,
    ) -> Result<Option<TransactionFailure>, RpcError> {
        if check_gas(tx).is_err() {
            return Ok(None);
        }
        let block = snapshot.block(tx.block_number).ok().flatten();
        let bare = self.steps.read(tx, block).await?;
        if let Some(data) = bare.return_value.as_ref().filter(|data| !data.is_empty()) {
            return Ok(Some(TransactionFailure {
                error: "Reverted".into(),
                revert_data: Some(data.clone()),
            }));
        }
        if check_count(&bare).is_err() {
            return Ok(None);
        }
        let with_memory = json!([tx.hash, { "disableStorage": true, "enableMemory": true }]);
        let steps: Box<RawValue> = self.client.call("debug_traceTransaction", with_memory).await?;
        let replayed = replay(&steps, tx, true).ok();
        let root = replayed.and_then(|replayed| replayed.calls.into_iter().next());
        Ok(root.and_then(|root| {
            let error = root.error.as_deref()?.into();
            Some(TransactionFailure { error, revert_data: revert_data(&root) })
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::Value;

    use super::*;
    use crate::chain::Bytes;
    use crate::indexer::block_rows::BlockRows;
    use crate::indexer::tests::{client, snapshot, transaction};

    static ASKED: AtomicUsize = AtomicUsize::new(0);

    /// As Hardhat 2 sends the result, and ganache the memory.
    fn answer(sends_result: bool, params: &Value) -> Value {
        ASKED.fetch_add(1, Ordering::Relaxed);
        if sends_result {
            return json!({ "returnValue": "01020304", "structLogs": [{ "op": "REVERT" }] });
        }
        let is_bare = params[1]["disableMemory"] == true;
        let memory = if is_bare { json!([]) } else { json!([format!("01020304{:056}", 0)]) };
        json!({ "returnValue": "", "structLogs": [{ "pc": 0, "op": "REVERT", "depth": 1,
            "gas": "0x9", "gasCost": 0, "stack": ["4", "0"], "memory": memory }] })
    }

    #[tokio::test]
    async fn failure_is_read_once_from_the_result_or_the_memory() {
        let failed = transaction(0, json!({ "result": "error", "to": format!("0x{:040x}", 7) }));
        let chain =
            snapshot(BlockRows { transactions: vec![failed.clone()], ..BlockRows::default() });
        let parts = HashSet::from([StateKey::Failure(failed.hash)]);
        let reader = |client: RpcClient| {
            FailureReader::new(client.clone(), Arc::new(BareStepsReader::new(client)))
        };
        let hardhat = reader(client(|_, params| answer(true, params)));
        let ganache = reader(client(|_, params| answer(false, params)));
        for (reader, requests) in [(hardhat, 1), (ganache, 2)] {
            ASKED.store(0, Ordering::Relaxed);
            for _ in 0..2 {
                let failures = reader.read(&chain, &parts).await;
                let TransactionFailure { error, revert_data } = &failures[&failed.hash];
                assert_eq!(&**error, "Reverted");
                assert_eq!(*revert_data, Some(Bytes::from_static(&[1, 2, 3, 4])));
            }
            assert_eq!(ASKED.load(Ordering::Relaxed), requests);
        }
    }

    // Fifty thousand steps may take longer to decode than a response waits.
    #[tokio::test(start_paused = true)]
    async fn memory_of_many_steps_is_not_requested() {
        let client = client(|_, params| {
            assert_eq!(params[1]["disableMemory"], true);
            json!({ "structLogs": vec![json!({ "op": "JUMPDEST" }); 50_001] })
        });
        for (gas_used, is_read) in [(3_000_000, true), (30_000_000, false)] {
            let failed = transaction(
                0,
                json!({ "result": "error", "to": format!("0x{:040x}", 7), "gas_used": gas_used.to_string() }),
            );
            let chain =
                snapshot(BlockRows { transactions: vec![failed.clone()], ..BlockRows::default() });
            let steps = Arc::new(BareStepsReader::new(client.clone()));
            let reader = FailureReader::new(client.clone(), Arc::clone(&steps));
            let parts = HashSet::from([StateKey::Failure(failed.hash)]);
            assert!(reader.read(&chain, &parts).await.is_empty());
            assert_eq!(steps.has_read(&failed), is_read);
        }
    }

    #[tokio::test]
    async fn failure_is_unknown_where_steps_are_refused() {
        let failed = transaction(0, json!({ "result": "error" }));
        let chain =
            snapshot(BlockRows { transactions: vec![failed.clone()], ..BlockRows::default() });
        let parts = HashSet::from([StateKey::Failure(failed.hash)]);
        let client = client(|_, _| Value::Null);
        let reader = FailureReader::new(client.clone(), Arc::new(BareStepsReader::new(client)));
        assert!(reader.read(&chain, &parts).await.is_empty());
    }
}
