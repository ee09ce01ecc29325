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
use tokio::time::timeout;

use crate::chain::B256;
use crate::rpc::{RpcClient, RpcError};
use crate::store::{BlockRecord, Snapshot, StateKey, TransactionFailure, TransactionRecord};

use super::call_replay::replay;
use super::transaction_steps::{BareStepsReader, BlockPlace, check_count, check_gas};
use crate::indexer::block_rows::revert_data;

/// Time that a response waits for failures. The rest are read meanwhile, for the next one.
const FAILURES_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_KNOWN_FAILURES: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// Reads failures, and remembers them.
#[derive(Debug)]
pub(in crate::indexer) struct FailureReader(Arc<SharedReader>);

/// The reader of a response, and of what it left behind.
#[derive(Debug)]
struct SharedReader {
    client: RpcClient,
    steps: Arc<BareStepsReader>,
    /// `None` if the node has none.
    known: Mutex<LruCache<BlockPlace, Option<TransactionFailure>>>,
    /// Held while one is read: several responses ask for the same.
    turn: tokio::sync::Mutex<()>,
}

fn place(tx: &TransactionRecord) -> BlockPlace {
    (tx.hash, tx.block_number)
}

impl FailureReader {
    pub(in crate::indexer) fn new(client: RpcClient, steps: Arc<BareStepsReader>) -> Self {
        let known = Mutex::new(LruCache::new(MAX_KNOWN_FAILURES));
        Self(Arc::new(SharedReader { client, steps, known, turn: tokio::sync::Mutex::default() }))
    }

    /// Returns the failures among `parts` that the node has, `None` for those that are still read. Little gas comes
    /// first: it has few steps, and one slow answer must not delay all others.
    pub(in crate::indexer) async fn read(
        &self,
        snapshot: &Snapshot,
        parts: &HashSet<StateKey>,
    ) -> HashMap<B256, Option<TransactionFailure>> {
        let asked = parts.iter().copied().filter_map(StateKey::try_as_failure);
        let mut asked: Vec<&TransactionRecord> =
            asked.filter_map(|hash| snapshot.transaction(hash).ok().flatten()).collect();
        asked.sort_unstable_by_key(|tx| (tx.gas_used, Reverse(tx.position())));
        let unread: Vec<_> = { asked.iter() }
            .filter(|tx| !self.0.known.lock().contains(&place(tx)))
            .map(|tx| ((*tx).clone(), snapshot.block(tx.block_number).ok().flatten().cloned()))
            .collect();
        if !unread.is_empty() {
            let reading = tokio::spawn(Arc::clone(&self.0).read_all(unread));
            drop(timeout(FAILURES_TIMEOUT, reading).await);
        }
        let mut known = self.0.known.lock();
        let found = asked.into_iter().filter_map(|tx| match known.get(&place(tx)) {
            Some(None) => None,
            failure => Some((tx.hash, failure.cloned().flatten())),
        });
        found.collect()
    }
}

impl SharedReader {
    async fn read_all(self: Arc<Self>, unread: Vec<(TransactionRecord, Option<BlockRecord>)>) {
        for (tx, block) in unread {
            let _turn = self.turn.lock().await;
            if self.known.lock().contains(&place(&tx)) {
                continue;
            }
            match self.ask(&tx, block.as_ref()).await {
                Err(error) if !error.is_refusal() => return, // perhaps the node is gone
                answer => drop(self.known.lock().put(place(&tx), answer.ok().flatten())),
            }
        }
    }

    /// Asks for the result of the steps, which Hardhat sends, or else for the memory that was returned.
    async fn ask(
        &self,
        tx: &TransactionRecord,
        block: Option<&BlockRecord>,
    ) -> Result<Option<TransactionFailure>, RpcError> {
        if check_gas(tx).is_err() {
            return Ok(None);
        }
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
                let failure = failures[&failed.hash].as_ref();
                let TransactionFailure { error, revert_data } = failure.unwrap();
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

    #[tokio::test(start_paused = true)]
    async fn what_a_response_left_behind_is_read_for_the_next_one() {
        let failed = |hash: u8, gas: u64| {
            let hash = B256::with_last_byte(hash);
            transaction(0, json!({ "hash": hash, "result": "error", "gas_used": gas.to_string() }))
        };
        let sent = vec![failed(1, 60_000), failed(2, 50_000)];
        let parts: HashSet<_> = sent.iter().map(|tx| StateKey::Failure(tx.hash)).collect();
        let chain = snapshot(BlockRows { transactions: sent, ..BlockRows::default() });
        static ORDER: Mutex<Vec<Value>> = Mutex::new(Vec::new());
        let client = client(|_, params| {
            ORDER.lock().push(params[0].clone());
            answer(true, params)
        });
        let reader = FailureReader::new(client.clone(), Arc::new(BareStepsReader::new(client)));
        let slow = reader.0.turn.lock().await;
        let failures = reader.read(&chain, &parts).await;
        assert!(failures.len() == 2 && failures.values().all(Option::is_none));
        drop(slow);
        while reader.0.known.lock().len() < 2 {
            tokio::task::yield_now().await;
        }
        let failures = reader.read(&chain, &parts).await;
        assert!(failures.len() == 2 && failures.values().all(Option::is_some));
        let [first, second] = [2, 1].map(|hash| json!(B256::with_last_byte(hash)));
        assert_eq!(*ORDER.lock(), [first, second], "each once, little gas first");
    }
}
