//! The steps of a transaction. A node that kept none may repeat it on the state before its block.
//!
//! A node has all steps in its memory at once, some with a copy of the EVM's memory each: a loop of a few million gas
//! can take it gigabytes. So steps are read first without stack and memory, of transactions up to a bound of gas, and
//! with memory only if they are few.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::chain::{B256, Bytes};
use crate::messages::chain_data::StepsError;
use crate::rpc::wire::struct_log::RpcBareSteps;
use crate::rpc::{RpcClient, RpcError};
use crate::store::{BlockRecord, TransactionRecord};

/// A transaction in a block: a script that runs again may send the same one to other contracts, in a block of the same
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::indexer) struct TransactionInclusion {
    transaction: B256,
    /// The number of its block, and the hash, `None` if the index lacks the block.
    block: (u64, Option<B256>),
}

impl TransactionInclusion {
    pub(in crate::indexer) fn new(tx: &TransactionRecord, block: Option<&BlockRecord>) -> Self {
        let hash = block.map(|block| block.hash);
        Self { transaction: tx.hash, block: (tx.block_number, hash) }
    }
}

/// Maximum gas of a call whose steps are read: most cost three gas or more. A creation pays for its code too.
const MAX_GAS: u64 = 4_000_000;
/// Maximum number of steps that are kept, 56 bytes each: of such a call.
const MAX_KEPT_STEPS: usize = 1_400_000;
/// Maximum number of steps that are read with memory: at the usual 10 kB each, the node needs half a gigabyte.
const MAX_STEPS_WITH_MEMORY: usize = 50_000;
/// Gas of a transaction that has fewer steps.
pub(in crate::indexer) const MAX_GAS_OF_FEW_STEPS: u64 = 3 * MAX_STEPS_WITH_MEMORY as u64;

/// Reads steps without stack and memory. The last ones are kept: the reason of a failure is read from
/// them, and its lines.
#[derive(Debug)]
pub(in crate::indexer) struct BareStepsReader {
    client: RpcClient,
    last: Mutex<Option<(TransactionInclusion, Arc<SharedSteps>)>>,
}

/// Empty while they are read: a second request waits for them, but not one for another transaction.
type SharedSteps = OnceCell<Arc<RpcBareSteps>>;

impl BareStepsReader {
    pub(in crate::indexer) fn new(client: RpcClient) -> Self {
        Self { client, last: Mutex::default() }
    }

    #[cfg(test)]
    pub(in crate::indexer) fn has_read(&self, tx: &TransactionRecord) -> bool {
        let last = self.last.lock();
        { last.as_ref() }
            .is_some_and(|(asked, steps)| asked.transaction == tx.hash && steps.initialized())
    }

    pub(in crate::indexer) async fn read(
        &self,
        tx: &TransactionRecord,
        block: Option<&BlockRecord>,
    ) -> Result<Arc<RpcBareSteps>, RpcError> {
        let inclusion = TransactionInclusion::new(tx, block);
        let shared = self.shared_steps(inclusion);
        let read = shared.get_or_try_init(async || {
            let options =
                json!({ "disableStorage": true, "disableMemory": true, "disableStack": true });
            let answer = transaction_steps(&self.client, tx, block, &options).await?;
            self.client.decode(&answer).map(Arc::new)
        });
        let steps = Arc::clone(read.await?);
        if steps.steps.len() > MAX_KEPT_STEPS {
            self.last.lock().take_if(|(asked, _)| *asked == inclusion);
        }
        Ok(steps)
    }

    fn shared_steps(&self, inclusion: TransactionInclusion) -> Arc<SharedSteps> {
        let mut last = self.last.lock();
        let known = last.take_if(|(asked, _)| *asked == inclusion);
        let (_, steps) = last.insert(known.unwrap_or_else(|| (inclusion, Arc::default())));
        Arc::clone(steps)
    }
}

/// Fails for a transaction that may have too many steps for its node.
pub(in crate::indexer) fn check_gas(tx: &TransactionRecord) -> Result<(), StepsError> {
    let gas = tx.gas_used;
    if gas > MAX_GAS && tx.to.is_some() { Err(StepsError::TooMuchGas { gas }) } else { Ok(()) }
}

/// Fails for steps that are too many for the memory of their node.
pub(in crate::indexer) fn check_count(run: &RpcBareSteps) -> Result<(), StepsError> {
    let steps = run.steps.len();
    if steps > MAX_STEPS_WITH_MEMORY { Err(StepsError::TooMany { steps }) } else { Ok(()) }
}

/// The result of a run, by which a repetition is recognized.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunSummary<'a> {
    gas: Option<u64>,
    failed: Option<bool>,
    return_value: Option<Bytes>,
    #[serde(borrow)]
    struct_logs: Vec<&'a RawValue>,
}

/// Asks for the steps of a transaction, with the options of struct logs.
pub(in crate::indexer) async fn transaction_steps(
    client: &RpcClient,
    tx: &TransactionRecord,
    block: Option<&BlockRecord>,
    options: &Value,
) -> Result<Box<RawValue>, RpcError> {
    let kept: Box<RawValue> =
        client.call("debug_traceTransaction", json!([tx.hash, options])).await?;
    let run = serde_json::from_str::<RunSummary<'_>>(kept.get());
    if run.is_ok_and(|run| run.struct_logs.is_empty())
        && let Some(repeated) = repeat(client, tx, block, options).await
    {
        return Ok(repeated);
    }
    Ok(kept)
}

/// Repeats the first transaction of a block, without a change of the chain. Returns `None` if the node
/// cannot, or if the run differs in gas or result.
async fn repeat(
    client: &RpcClient,
    tx: &TransactionRecord,
    block: Option<&BlockRecord>,
    options: &Value,
) -> Option<Box<RawValue>> {
    let block = block.filter(|block| tx.index == 0 && block.number == tx.block_number)?;
    let before = tx.block_number.checked_sub(1)?;
    let quantity = |number: u128| format!("{number:#x}");
    let call = json!({
        "from": tx.from, "to": tx.to, "value": tx.value, "data": tx.input,
        "gas": quantity(tx.gas_limit.into()), "gasPrice": quantity(tx.gas_price),
        "nonce": quantity(tx.nonce.into()),
    });
    let mut options = options.clone();
    options["blockOverrides"] = json!({
        "number": quantity(block.number.into()),
        "time": quantity(u64::try_from(block.timestamp.as_second()).ok()?.into()),
        "baseFee": block.base_fee_per_gas.map(quantity),
    });
    let params = json!([call, quantity(before.into()), options]);
    let steps: Box<RawValue> = client.call("debug_traceCall", params).await.ok()?;
    let run: RunSummary<'_> = serde_json::from_str(steps.get()).ok()?;
    let is_same = run.gas == Some(tx.gas_used)
        && (tx.has_unknown_outcome || run.failed == Some(tx.error.is_some()))
        && (tx.revert_data.is_none() || tx.revert_data == run.return_value);
    is_same.then_some(steps)
}
