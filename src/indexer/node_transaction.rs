//! Calls, balances and storage of one transaction, as far as its node has them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use super::block_rows::FIRST_ROLLUP_TYPE;
use super::node_chain::NodeChain;
use super::node_error::refused;
use super::traces::call_replay::{ReplayedCalls, replay};
use super::traces::flat_trace::flat_trace;
use super::traces::storage_changes::{MAX_WRITTEN_SLOTS, changed_words, hash_preimages};
use super::traces::transaction_steps::{
    MAX_GAS_OF_FEW_STEPS, check_count, check_gas, transaction_steps,
};
use crate::abi::StorageShift;
use crate::chain::{Address, Bytes};
use crate::messages::chain_data::{ChainDataError, ReplayError};
use crate::rpc::wire::block::RpcBlock;
use crate::rpc::wire::call::{RpcCall, RpcCalls, RpcRootCall};
use crate::rpc::wire::state_diff::RpcStateDiff;
use crate::rpc::wire::struct_log::RpcBareSteps;
use crate::rpc::wire::transaction::RpcTransaction;
use crate::rpc::{BlockTag, CallSource, CallSupport, NodeCapabilities};
use crate::store::{
    BalanceShift, ServedChain, Snapshot, StorageChanges, StoreError, StoreResult, TransactionRecord,
};

/// Returns `false` for a trace whose outermost call belongs to another transaction. Calls of a rollup's own types differ
/// from their transactions.
fn may_be_trace_of(trace: &RawValue, tx: &TransactionRecord) -> bool {
    let Ok(RpcRootCall(Some(root))) = serde_json::from_str(trace.get()) else { return true };
    u64::from(tx.envelope) >= FIRST_ROLLUP_TYPE
        || root.may_be_root_of(tx.hash, [Some(tx.from), tx.to], Some(tx.value))
}

impl NodeChain {
    /// Requests the calls of one transaction. The source of the response determines its form.
    pub(super) async fn trace(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<Option<(CallSource, Box<RawValue>)>> {
        let Some(source) = self.call_source(tx).await? else { return Ok(None) };
        if source == CallSource::StructLogs && tx.gas_used > MAX_GAS_OF_FEW_STEPS {
            let run = self.read_bare_steps(tx).await?;
            check_count(&run).map_err(|why| StoreError::Unsupported(why.into()))?;
        }
        let request = source.request_for_one(tx.block_number, tx.hash);
        let trace: Result<Box<RawValue>, _> =
            self.client.call(request.method, request.params).await;
        let trace = trace.map_err(|error| refused(&error, tx.block_number))?;
        if source != CallSource::StructLogs && !may_be_trace_of(&trace, tx) {
            return Err(StoreError::Unsupported(ChainDataError::WrongCalls));
        }
        Ok(Some((source, trace)))
    }

    /// Reads the calls of one transaction in a form that is a trace.
    pub(super) fn read_raw_trace(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<Option<Box<RawValue>>> {
        let Some((source, trace)) = self.block_on(self.trace(tx))? else {
            return Ok(None);
        };
        if source != CallSource::StructLogs {
            return Ok(Some(trace));
        }
        let trace = flat_trace(&self.block_on(self.replayed(&trace, tx))?.calls);
        trace.map(Some).map_err(|error| {
            StoreError::Unsupported(ReplayError::Unreadable(error.to_string().into()).into())
        })
    }

    /// Returns the way to request the calls of a transaction. While other transactions did not decide
    /// it, this one is tried. Returns `None` if the node lacks it.
    async fn call_source(&self, tx: &TransactionRecord) -> StoreResult<Option<CallSource>> {
        let calls = self.published.borrow().capabilities.as_ref().map(|node| node.calls.clone());
        let calls = match calls {
            Some(CallSupport::Undecided) | None => {
                let params = json!([BlockTag::Number(tx.block_number), true]);
                let block: Option<RpcBlock<RpcTransaction>> = self
                    .client
                    .call("eth_getBlockByNumber", params)
                    .await
                    .map_err(|error| refused(&error, tx.block_number))?;
                let Some(mut block) = block else { return Ok(None) };
                block.transactions.retain(|sent| sent.hash == tx.hash);
                let found = NodeCapabilities::find(&self.client, &block)
                    .await
                    .map_err(|error| refused(&error, tx.block_number))?;
                let Some(found) = found else { return Ok(None) };
                found.calls
            }
            Some(calls) => calls,
        };
        match calls {
            CallSupport::Supported(source) => Ok(Some(source)),
            // It has no steps, as it calls no code.
            CallSupport::Undecided => Ok(Some(CallSource::StructLogs)),
            CallSupport::Unsupported { why } => Err(StoreError::Unsupported(why.into())),
        }
    }

    /// Returns the calls of a transaction, unless the node provides the calls of whole blocks.
    pub(super) fn unlisted_calls(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<Option<Vec<RpcCall>>> {
        let calls = self.published.borrow().capabilities.as_ref().map(|node| node.calls.clone());
        if !matches!(
            calls,
            Some(CallSupport::Supported(CallSource::StructLogs) | CallSupport::Undecided) | None
        ) {
            return Ok(None);
        }
        let Some((source, trace)) = self.block_on(self.trace(tx))? else {
            return Ok(None);
        };
        if source == CallSource::StructLogs {
            return self.block_on(self.replayed(&trace, tx)).map(|replayed| Some(replayed.calls));
        }
        let calls = self.client.decode(&trace).map(|RpcCalls(calls)| Some(calls));
        calls.map_err(|error| refused(&error, tx.block_number))
    }

    /// Returns the calls of a transaction whose steps a node sent.
    pub(super) async fn replayed(
        &self,
        steps: &RawValue,
        tx: &TransactionRecord,
    ) -> StoreResult<ReplayedCalls> {
        let replayed = match replay(steps, tx, true) {
            Err(ReplayError::NoSteps) if !self.calls_code(tx).await? => replay(steps, tx, false),
            replayed => replayed,
        };
        replayed.map_err(|error| StoreError::Unsupported(error.into()))
    }

    /// Returns `true` if a transaction may have called code.
    async fn calls_code(&self, tx: &TransactionRecord) -> StoreResult<bool> {
        let Some(to) = tx.to else { return Ok(true) };
        let params = json!([to, BlockTag::Number(tx.block_number)]);
        let code: Result<Bytes, _> = self.client.call("eth_getCode", params).await;
        code.map(|code| !code.is_empty()).map_err(|error| refused(&error, tx.block_number))
    }

    /// Reads the steps of a transaction without stack and memory.
    pub(super) fn bare_steps(&self, tx: &TransactionRecord) -> StoreResult<Arc<RpcBareSteps>> {
        self.block_on(self.read_bare_steps(tx))
    }

    async fn read_bare_steps(&self, tx: &TransactionRecord) -> StoreResult<Arc<RpcBareSteps>> {
        check_gas(tx).map_err(|why| StoreError::Unsupported(why.into()))?;
        let snapshot = self.published.borrow().snapshot();
        let block = snapshot.as_ref().and_then(|at| at.block(tx.block_number).ok().flatten());
        let steps = self.bare_steps.read(tx, block).await;
        steps.map_err(|error| refused(&error, tx.block_number))
    }

    /// Reads the steps of a transaction with stack and memory, if they are not too many for the node.
    pub(super) fn steps_with_memory(&self, tx: &TransactionRecord) -> StoreResult<Box<RawValue>> {
        let bare = self.bare_steps(tx)?;
        check_count(&bare).map_err(|why| StoreError::Unsupported(why.into()))?;
        let snapshot = self.published.borrow().snapshot();
        let block = snapshot.as_ref().and_then(|at| at.block(tx.block_number).ok().flatten());
        let options = json!({ "disableStorage": true, "enableMemory": true });
        let steps = transaction_steps(&self.client, tx, block, &options);
        self.block_on(steps).map_err(|error| refused(&error, tx.block_number))
    }

    /// Asks for the accounts before and after a transaction. Returns `None` if the node has no tracer
    /// for them.
    pub(super) async fn state_diff(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<Option<RpcStateDiff>> {
        let has_diff = self.published.borrow().capabilities.as_ref().map(|node| node.state_diff);
        if has_diff == Some(false) {
            return Ok(None);
        }
        let options = json!({ "tracer": "prestateTracer", "tracerConfig": { "diffMode": true } });
        let diff = self.client.call("debug_traceTransaction", json!([tx.hash, options])).await;
        diff.map(Some).map_err(|error| refused(&error, tx.block_number))
    }

    pub(super) fn storage_of_diff(
        &self,
        tx: &TransactionRecord,
        diff: &RpcStateDiff,
    ) -> StorageChanges {
        let mut changes = StorageChanges::default();
        for ((address, slot), (before, after)) in diff.storage() {
            let shift = StorageShift { before: before.into(), after: after.into() };
            changes.contracts.entry(address).or_default().insert(slot.into(), shift);
        }
        if !changes.contracts.is_empty() {
            // Without steps, slots behind hashes have no names.
            let steps = self.steps_with_memory(tx);
            changes.preimages = steps.map(|steps| hash_preimages(&steps)).unwrap_or_default();
        }
        changes
    }

    /// Returns the chain, if the block of a transaction changed nothing else.
    fn snapshot_without_others(&self, tx: &TransactionRecord) -> StoreResult<Snapshot> {
        let snapshot = self
            .published
            .borrow()
            .snapshot()
            .ok_or(StoreError::Unsupported(ChainDataError::EmptyIndex))?;
        let has_others = snapshot.transactions_in(tx.block_number)?.nth(1).is_some()
            || snapshot.block(tx.block_number)?.is_none_or(|block| {
                block.withdrawals.0.as_ref().is_some_and(|withdrawals| !withdrawals.is_empty())
            });
        if has_others {
            return Err(StoreError::Unsupported(ChainDataError::NoBalanceTracer));
        }
        Ok(snapshot)
    }

    /// Returns the storage that a transaction changed, from the words before and after its block in the
    /// slots that its steps write.
    pub(super) fn storage_of_block(&self, tx: &TransactionRecord) -> StoreResult<StorageChanges> {
        self.snapshot_without_others(tx)?;
        let steps = self.steps_with_memory(tx)?;
        let written = self
            .block_on(self.replayed(&steps, tx))?
            .written_slots
            .ok_or(StoreError::Unsupported(ReplayError::NoStack.into()))?;
        if written.len() > MAX_WRITTEN_SLOTS {
            let slots = written.len();
            return Err(StoreError::Unsupported(ChainDataError::TooManySlots { slots }));
        }
        let words = self.block_on(changed_words(&self.client, &written, tx.block_number));
        let contracts = words.map_err(|error| refused(&error, tx.block_number))?;
        Ok(StorageChanges { contracts, preimages: hash_preimages(&steps) })
    }

    /// Returns the coin balances that a transaction changed, from the balances before and after its
    /// block.
    pub(super) fn changes_of_block(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<BTreeMap<Address, BalanceShift>> {
        let snapshot = self.snapshot_without_others(tx)?;
        let calls = match snapshot.internal_transactions_of(tx.position()) {
            Ok(calls) => calls.cloned().collect(),
            Err(error) => self.internal_transactions(tx)?.ok_or(error)?,
        };
        let in_calls =
            calls.iter().flat_map(|call| [Some(call.from), call.to, call.created_contract]);
        let miner = snapshot.block(tx.block_number)?.and_then(|block| block.miner);
        let parties: BTreeSet<Address> =
            in_calls.chain([Some(tx.from), tx.to, tx.created_contract, miner]).flatten().collect();
        let blocks = [tx.block_number.saturating_sub(1), tx.block_number];
        let asked: Vec<_> =
            parties.iter().flat_map(|party| blocks.map(|block| (*party, block))).collect();
        let balances = self.block_on(self.balances(&asked))?;
        let (pairs, _) = balances.as_chunks();
        let changed = parties.into_iter().zip(pairs).filter(|(_, [before, after])| before != after);
        Ok(changed
            .map(|(address, [before, after])| (address, BalanceShift::between(*before, *after)))
            .collect())
    }
}
