//! Failures of transactions on development nodes that list no calls: from their steps, for the responses
//! with such transactions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use lru::LruCache;
use parking_lot::Mutex;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use crate::chain::B256;
use crate::rpc::{RpcClient, RpcError};
use crate::store::{
    BlockRecord, Snapshot, StateKey, TransactionFailure, TransactionPosition, TransactionRecord,
};

use super::call_replay::replay;
use super::transaction_steps::{BareStepsReader, TransactionInclusion, check_count, check_gas};
use crate::indexer::block_rows::revert_data;
use crate::indexer::published_index::PublishedIndex;

/// Time that a response waits for failures. The rest are read meanwhile, for the next one.
const FAILURES_TIMEOUT: Duration = Duration::from_secs(1);
/// Time until a failure is asked for again that the node did not answer for.
const RETRY_INTERVAL: Duration = Duration::from_mins(5);
const MAX_KNOWN_FAILURES: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();
const MAX_WANTED_FAILURES: usize = 1_000;

/// Reads failures one after the other, and remembers them. The reading ends when this is dropped.
#[derive(Debug)]
pub(in crate::indexer) struct FailureReader {
    shared: Arc<SharedReader>,
    task: AbortHandle,
}

#[derive(Debug)]
struct SharedReader {
    client: RpcClient,
    steps: Arc<BareStepsReader>,
    known: Mutex<LruCache<TransactionInclusion, Outcome>>,
    /// The failures to read, with the one that is read now, in their turn.
    wanted: watch::Sender<BTreeMap<Turn, WantedFailure>>,
    /// Notified of each failure that comes after the response that it was for.
    publisher: watch::Sender<PublishedIndex>,
}

/// Little gas comes first: it has few steps, and one slow answer must not delay all others.
type Turn = (u64, Reverse<TransactionPosition>, TransactionInclusion);

#[derive(Debug, Clone)]
struct WantedFailure {
    tx: TransactionRecord,
    block: Option<BlockRecord>,
    /// `true` if a response was made without it.
    is_late: bool,
}

#[derive(Debug)]
enum Outcome {
    /// `None` if the node has none.
    Read(Option<TransactionFailure>),
    Unanswered {
        since: Instant,
    },
}

impl Outcome {
    fn is_final(&self) -> bool {
        match self {
            Self::Read(_) => true,
            Self::Unanswered { since } => since.elapsed() < RETRY_INTERVAL,
        }
    }
}

impl WantedFailure {
    fn new(tx: &TransactionRecord, snapshot: &Snapshot) -> Self {
        let block = snapshot.block(tx.block_number).ok().flatten().cloned();
        Self { tx: tx.clone(), block, is_late: false }
    }

    fn inclusion(&self) -> TransactionInclusion {
        TransactionInclusion::new(&self.tx, self.block.as_ref())
    }

    fn turn(&self) -> Turn {
        (self.tx.gas_used, Reverse(self.tx.position()), self.inclusion())
    }
}

impl FailureReader {
    /// Begins to wait for failures to read. Must be called in a runtime.
    pub(in crate::indexer) fn new(
        client: RpcClient,
        steps: Arc<BareStepsReader>,
        publisher: watch::Sender<PublishedIndex>,
    ) -> Self {
        let known = Mutex::new(LruCache::new(MAX_KNOWN_FAILURES));
        let wanted = watch::Sender::default();
        let shared = Arc::new(SharedReader { client, steps, known, wanted, publisher });
        let task = tokio::spawn(Arc::clone(&shared).read_wanted()).abort_handle();
        Self { shared, task }
    }

    /// Returns the failures among `parts` that the node has, `None` for those that are not read yet.
    pub(in crate::indexer) async fn read(
        &self,
        snapshot: &Snapshot,
        parts: &HashSet<StateKey>,
    ) -> HashMap<B256, Option<TransactionFailure>> {
        let asked = parts.iter().copied().filter_map(StateKey::try_as_failure);
        let asked: Vec<WantedFailure> = asked
            .filter_map(|hash| snapshot.transaction(hash).ok().flatten())
            .map(|tx| WantedFailure::new(tx, snapshot))
            .collect();
        let unread: Vec<&WantedFailure> =
            asked.iter().filter(|failure| !self.shared.has_outcome(failure)).collect();
        if !unread.is_empty() {
            self.shared.want(&unread);
            self.shared.wait_for(&unread).await;
        }
        let mut known = self.shared.known.lock();
        let found = asked.iter().filter_map(|asked| match known.get(&asked.inclusion()) {
            Some(Outcome::Read(None)) => None,
            Some(Outcome::Read(failure)) => Some((asked.tx.hash, failure.clone())),
            Some(Outcome::Unanswered { .. }) | None => Some((asked.tx.hash, None)),
        });
        found.collect()
    }
}

impl Drop for FailureReader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SharedReader {
    fn has_outcome(&self, failure: &WantedFailure) -> bool {
        self.known.lock().get(&failure.inclusion()).is_some_and(Outcome::is_final)
    }

    /// Adds failures to those to read. Too many are left to later responses.
    fn want(&self, unread: &[&WantedFailure]) {
        self.wanted.send_modify(|wanted| {
            for failure in unread {
                wanted.entry(failure.turn()).or_insert_with(|| (*failure).clone());
            }
            while wanted.len() > MAX_WANTED_FAILURES {
                wanted.pop_last();
            }
        });
    }

    /// Waits for failures, or as long as a response may.
    async fn wait_for(&self, unread: &[&WantedFailure]) {
        let mut wanted = self.wanted.subscribe();
        let is_over = wanted
            .wait_for(|wanted| !unread.iter().any(|failure| wanted.contains_key(&failure.turn())));
        if timeout(FAILURES_TIMEOUT, is_over).await.is_ok() {
            return;
        }
        self.wanted.send_if_modified(|wanted| {
            for failure in unread {
                if let Some(left_out) = wanted.get_mut(&failure.turn()) {
                    left_out.is_late = true;
                }
            }
            false // nothing waits for this
        });
    }

    /// Reads what is wanted, for ever.
    async fn read_wanted(self: Arc<Self>) {
        let mut wanted = self.wanted.subscribe();
        loop {
            let first = match wanted.wait_for(|wanted| !wanted.is_empty()).await {
                Ok(wanted) => wanted.first_key_value().map(|(_, first)| first.clone()),
                Err(_) => return, // unreachable: this has the sender
            };
            if let Some(first) = first {
                self.read_one(&first).await;
            }
        }
    }

    /// Reads one failure. One that the node does not answer for is put off: others may have an answer.
    async fn read_one(&self, failure: &WantedFailure) {
        let outcome = match self.ask(&failure.tx, failure.block.as_ref()).await {
            Err(RpcError::Unreachable { .. }) => {
                self.wanted.send_modify(BTreeMap::clear); // later responses ask for them again
                return;
            }
            Err(error) if !error.is_refusal() => Outcome::Unanswered { since: Instant::now() },
            answer => Outcome::Read(answer.ok().flatten()),
        };
        let is_read = matches!(outcome, Outcome::Read(_));
        self.known.lock().put(failure.inclusion(), outcome);
        let mut is_late = false;
        self.wanted.send_modify(|wanted| {
            is_late = wanted.remove(&failure.turn()).is_some_and(|read| read.is_late);
        });
        if is_late && is_read {
            self.publisher.send_modify(|_| ()); // what shows it as unknown asks again
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
    use crate::indexer::tests::{client, snapshot, snapshot_of, transaction};

    /// Time that a test waits for what must happen.
    const PATIENCE: Duration = Duration::from_mins(1);

    fn reader(client: RpcClient) -> FailureReader {
        let steps = Arc::new(BareStepsReader::new(client.clone()));
        FailureReader::new(client, steps, watch::Sender::default())
    }

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
            let reader = reader(client.clone());
            let parts = HashSet::from([StateKey::Failure(failed.hash)]);
            assert!(reader.read(&chain, &parts).await.is_empty());
            assert_eq!(reader.shared.steps.has_read(&failed), is_read);
        }
    }

    #[tokio::test]
    async fn failure_is_unknown_where_steps_are_refused() {
        let failed = transaction(0, json!({ "result": "error" }));
        let chain =
            snapshot(BlockRows { transactions: vec![failed.clone()], ..BlockRows::default() });
        let parts = HashSet::from([StateKey::Failure(failed.hash)]);
        let reader = reader(client(|_, _| Value::Null));
        assert!(reader.read(&chain, &parts).await.is_empty());
    }

    #[tokio::test]
    async fn failure_is_of_the_block_that_the_transaction_is_in() {
        static RESULT: Mutex<&str> = Mutex::new("");
        let failed = transaction(0, json!({ "result": "error" }));
        let parts = HashSet::from([StateKey::Failure(failed.hash)]);
        let reader = reader(client(
            |_, _| json!({ "returnValue": *RESULT.lock(), "structLogs": [{ "op": "REVERT" }] }),
        ));
        // The same number, as of a development node that begins again.
        for (block, result) in [(1, "01"), (2, "02")] {
            *RESULT.lock() = result;
            let rows = BlockRows { transactions: vec![failed.clone()], ..BlockRows::default() };
            let chain = snapshot_of(B256::with_last_byte(block), rows);
            let failures = reader.read(&chain, &parts).await;
            let data = failures[&failed.hash].as_ref().and_then(|read| read.revert_data.as_ref());
            assert_eq!(data.map(|data| data[..].to_vec()), Some(vec![block]));
        }
    }

    // As a loop of many steps on a node that takes minutes to list them.
    #[tokio::test(start_paused = true)]
    async fn reading_goes_on_after_a_failure_without_an_answer() {
        static ORDER: Mutex<Vec<Value>> = Mutex::new(Vec::new());
        let failed = |hash: u8, gas: u64| {
            let hash = B256::with_last_byte(hash);
            transaction(0, json!({ "hash": hash, "result": "error", "gas_used": gas.to_string() }))
        };
        let sent = vec![failed(1, 60_000), failed(2, 50_000), failed(3, 70_000)];
        let parts: HashSet<_> = sent.iter().map(|tx| StateKey::Failure(tx.hash)).collect();
        let chain = snapshot(BlockRows { transactions: sent, ..BlockRows::default() });
        let [first, slow, last] = [2, 1, 3].map(B256::with_last_byte);
        let client = client(|_, _| Value::Null).simulated(move |body| {
            let request: Value = serde_json::from_slice(body).unwrap();
            ORDER.lock().push(request["params"][0].clone());
            if request["params"][0] == json!(slow) {
                return Vec::new();
            }
            let result = answer(true, &request["params"]);
            json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string().into()
        });
        let reader = reader(client);
        let mut late = reader.shared.publisher.subscribe();

        let failures = reader.read(&chain, &parts).await;
        assert!(
            failures[&first].is_some() && failures[&slow].is_none() && failures[&last].is_none()
        );
        timeout(PATIENCE, late.changed()).await.unwrap().unwrap();
        for asked_again in [false, true] {
            let failures = reader.read(&chain, &parts).await;
            assert!(failures[&slow].is_none() && failures[&last].is_some());
            let once = [first, slow, last].map(|hash| json!(hash));
            let order = std::mem::replace(&mut *ORDER.lock(), once.to_vec());
            assert_eq!(order[..3], once, "little gas first");
            assert_eq!(order.len() > 3, asked_again);
            tokio::time::advance(RETRY_INTERVAL).await;
        }
        assert!(!late.has_changed().unwrap(), "no list is loaded again for nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn reading_ends_with_its_chain() {
        let failed = transaction(0, json!({ "result": "error" }));
        let parts = HashSet::from([StateKey::Failure(failed.hash)]);
        let chain = snapshot(BlockRows { transactions: vec![failed], ..BlockRows::default() });
        let reader = reader(client(|_, _| Value::Null).simulated(|_| Vec::new()));
        assert!(reader.read(&chain, &parts).await.values().all(Option::is_none));
        let shared = Arc::downgrade(&reader.shared);
        drop(reader);
        let ended = async {
            while shared.upgrade().is_some() {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, ended).await.unwrap();
    }
}
