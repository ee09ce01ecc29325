//! Reconstructs the calls of a transaction from the steps of the EVM, for nodes without a tracer, with the
//! slots of storage that they write.
//!
//! A step that begins a call is followed by a deeper one, by which the call opens; it closes with the
//! first step that is less deep, whose stack has its result. A call without a deeper step ran no code.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::evm_step::{AskedCall, EvmStep, Halt, MemoryRange};
use super::replayed_gas::{gas_used, gas_without_steps, max_gas_without_code};
use crate::abi::precompile_number;
use crate::chain::call_kind::CallKind;
use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::chain_data::ReplayError;
use crate::rpc::wire::call::{RpcCall, RpcCallLog};
use crate::rpc::wire::struct_log::RpcStructLogs;
use crate::store::{TransactionRecord, UNTRACED_ERROR};

/// Maximum bytes of inputs, outputs and places in all: steps may repeat a large memory.
const MAX_BYTES: usize = 64 << 20;
const DEPOSIT_GAS_PER_BYTE: u64 = 200;

/// A call that has not ended yet.
struct RunningCall {
    /// Its index.
    call: usize,
    /// The index of the account in whose name its code runs.
    account: usize,
    children: u32,
    /// The gas at its first step.
    gas: Option<u64>,
    value: Option<U256>,
}

/// The calls of a transaction, in the order of execution.
#[derive(Debug)]
pub(in crate::indexer) struct ReplayedCalls {
    pub(in crate::indexer) calls: Vec<RpcCall>,
    /// The slots that the calls wrote, failed ones too, by the accounts whose storage it is. Unknown if
    /// a step has no stack.
    pub(in crate::indexer) written_slots: Option<BTreeSet<(Address, U256)>>,
}

struct CallReplay {
    calls: Vec<RpcCall>,
    /// The index of the account that makes each call.
    callers: Vec<usize>,
    /// Accounts whose code runs. A created account is known at the end of its creation, if that succeeds.
    accounts: Vec<Option<Address>>,
    open: Vec<RunningCall>,
    logs: Vec<ReplayedLog>,
    /// Slots by the indices of their accounts, unless one is unknown.
    written_slots: Option<BTreeSet<(usize, U256)>>,
    bytes_left: usize,
}

/// A log, with the indices of its call and of the account that emitted it.
struct ReplayedLog {
    call: usize,
    account: usize,
    topics: Vec<B256>,
    data: Bytes,
    /// The number of calls before it.
    position: u64,
}

/// Returns the calls of a transaction. Fails without steps if it `may_call_code` and its gas says so.
pub(in crate::indexer) fn replay(
    struct_logs: &RawValue,
    tx: &TransactionRecord,
    may_call_code: bool,
) -> Result<ReplayedCalls, ReplayError> {
    let logs: RpcStructLogs<'_> = serde_json::from_str(struct_logs.get())
        .map_err(|error| ReplayError::Unreadable(error.to_string().into()))?;
    // Receipts before Byzantium do not say it.
    let has_failed = tx.has_unknown_outcome && logs.failed == Some(true);
    let error = tx.error.as_deref().or(has_failed.then_some(UNTRACED_ERROR));
    let root = RpcCall {
        kind: if tx.to.is_some() { CallKind::Call } else { CallKind::Create },
        from: Some(tx.from),
        to: tx.to.or(tx.created_contract.filter(|_| tx.error.is_none())),
        value: Some(tx.value),
        gas: Some(tx.gas_limit),
        input: Some(tx.input.clone()),
        error: error.map(Into::into),
        ..RpcCall::default()
    };
    let mut steps =
        logs.struct_logs.into_iter().map(|json| EvmStep::parse(json).ok_or(ReplayError::NotAStep));
    let Some(first) = steps.next().transpose()? else {
        if may_call_code && tx.gas_used > max_gas_without_code(tx) {
            return Err(ReplayError::NoSteps);
        }
        let is_precompiled = root.to.as_ref().and_then(precompile_number).is_some();
        let gas_used = (!is_precompiled).then_some(0);
        let calls = vec![RpcCall { gas_used, output: logs.return_value, ..root }];
        return Ok(ReplayedCalls { calls, written_slots: Some(BTreeSet::new()) });
    };
    // A creation that fails calls in the name of the contract that it would have created.
    let account = tx.to.or(tx.created_contract).unwrap_or_else(|| tx.from.create(tx.nonce));
    let mut replay = CallReplay::new(root, Some(account), first.gas());
    let outermost = first.depth;
    let mut last = first;
    for step in steps {
        let step = step?;
        replay.advance(&last, &step, outermost)?;
        last = step;
    }
    replay.finish(&last)
}

impl CallReplay {
    fn new(root: RpcCall, account: Option<Address>, gas: Option<u64>) -> Self {
        let value = root.value;
        Self {
            accounts: vec![account],
            callers: vec![0],
            open: vec![RunningCall { call: 0, account: 0, children: 0, gas, value }],
            calls: vec![root],
            logs: Vec::new(),
            written_slots: Some(BTreeSet::new()),
            bytes_left: MAX_BYTES,
        }
    }

    fn advance(
        &mut self,
        last: &EvmStep<'_>,
        step: &EvmStep<'_>,
        outermost: u64,
    ) -> Result<(), ReplayError> {
        let depth = step.depth.checked_sub(outermost).ok_or(ReplayError::Skipped)?;
        let depth = usize::try_from(depth).map_err(|_| ReplayError::Skipped)? + 1;
        let kind = last.call_kind();
        if depth > self.open.len() + 1 || (depth > self.open.len() && kind.is_none()) {
            return Err(ReplayError::Skipped);
        }
        self.add_written_slot(last);
        if depth < self.open.len() {
            return self.leave(last, step, depth);
        }
        let Some(kind) = kind else { return self.add_log(last) };
        let asked = last.call_of(kind).ok_or(ReplayError::NoStack)?;
        let is_entered = depth > self.open.len();
        let account = self.begin(last, asked)?;
        let call = self.calls.len() - 1;
        if is_entered {
            let value = self.calls[call].value;
            self.open.push(RunningCall { call, account, children: 0, gas: step.gas(), value });
        } else {
            self.pass(last, step, asked, account)?;
        }
        Ok(())
    }

    /// Adds the slot that a step writes, if it does. It may be the last of its call: some nodes report
    /// no end of code.
    fn add_written_slot(&mut self, step: &EvmStep<'_>) {
        if !step.writes_storage() {
            return;
        }
        let slot =
            self.open.last().and_then(|running| Some((running.account, step.written_slot()?)));
        match (slot, &mut self.written_slots) {
            (Some(slot), Some(written)) => drop(written.insert(slot)),
            (_, written) => *written = None,
        }
    }

    /// Adds the log of a step, if it emits one. Its data is unknown without a memory.
    fn add_log(&mut self, step: &EvmStep<'_>) -> Result<(), ReplayError> {
        let Some(log) = step.log() else { return Ok(()) };
        let Some(data) = self.bytes(step, log.data)? else { return Ok(()) };
        let Some(running) = self.open.last() else { return Err(ReplayError::Skipped) };
        let (call, account, position) = (running.call, running.account, running.children.into());
        self.logs.push(ReplayedLog { call, account, topics: log.topics, data, position });
        Ok(())
    }

    /// Adds a call, and returns the account that it runs in.
    fn begin(&mut self, step: &EvmStep<'_>, asked: AskedCall) -> Result<usize, ReplayError> {
        let input = self.bytes(step, asked.input)?;
        let Some(caller) = self.open.last_mut() else { return Err(ReplayError::Skipped) };
        let mut trace_address = self.calls[caller.call].trace_address.clone();
        trace_address.push(caller.children);
        caller.children += 1;
        self.callers.push(caller.account);
        self.calls.push(RpcCall {
            kind: asked.kind,
            to: asked.to,
            value: asked.value.or(caller.value),
            input,
            trace_address,
            ..RpcCall::default()
        });
        let account = if asked.kind.is_delegated() {
            caller.account
        } else {
            self.accounts.push(asked.to);
            self.accounts.len() - 1
        };
        let bytes = (self.calls.last()).map_or(0, |call| size_of_val(&*call.trace_address));
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(ReplayError::TooLarge)?;
        Ok(account)
    }

    fn bytes(
        &mut self,
        step: &EvmStep<'_>,
        range: MemoryRange,
    ) -> Result<Option<Bytes>, ReplayError> {
        if range.length > U256::from(self.bytes_left) {
            return Err(ReplayError::TooLarge);
        }
        let bytes = step.bytes(range, self.bytes_left);
        self.bytes_left -= bytes.as_ref().map_or(0, Vec::len);
        Ok(bytes.map(Bytes::from))
    }

    /// Completes the newest call, which ran no code: to a plain account or a precompile, or one that
    /// could not be made.
    fn pass(
        &mut self,
        last: &EvmStep<'_>,
        step: &EvmStep<'_>,
        asked: AskedCall,
        account: usize,
    ) -> Result<(), ReplayError> {
        let result = step.result().ok_or(ReplayError::NoStack)?;
        let output = match asked.to.as_ref().and_then(precompile_number) {
            Some(2 | 3) if asked.output.length >= U256::from(32) => {
                let length = U256::from(32);
                self.bytes(step, MemoryRange { length, ..asked.output })?
            }
            Some(4) => self.calls.last().and_then(|call| call.input.clone()),
            Some(_) => None,
            None => Some(Bytes::new()),
        };
        let Some(call) = self.calls.last_mut() else { return Ok(()) };
        (call.gas, call.gas_used) = gas_without_steps(last, step, asked);
        if result.is_zero() {
            call.error = Some("error".into());
            return Ok(());
        }
        call.output = output;
        if asked.kind.creates() {
            call.to = Some(Address::from_word(result.into()));
            self.accounts[account] = call.to;
        }
        Ok(())
    }

    /// Completes the calls that are deeper than `step`, of which `last` is the last one's last.
    fn leave(
        &mut self,
        last: &EvmStep<'_>,
        step: &EvmStep<'_>,
        depth: usize,
    ) -> Result<(), ReplayError> {
        let mut halt = Some(last);
        while self.open.len() > depth {
            // Only the outermost call's caller continues; some nodes report no end of code without one.
            let result = if self.open.len() == depth + 1 {
                step.result()
            } else {
                let is_failed =
                    halt.is_some_and(|last| matches!(last.halt(), Halt::Revert(_) | Halt::Other));
                Some(U256::from(u8::from(!is_failed)))
            };
            self.close(halt.take(), result.ok_or(ReplayError::NoStack)?)?;
        }
        Ok(())
    }

    /// Completes the innermost call, whose caller finds `result` on its stack.
    fn close(&mut self, last: Option<&EvmStep<'_>>, result: U256) -> Result<(), ReplayError> {
        let Some(open) = self.open.pop() else { return Err(ReplayError::Skipped) };
        let is_failed = result.is_zero();
        let halt = match last {
            // The range of a return or revert that ran out of gas was never read.
            Some(last) if is_failed && last.is_out_of_gas() => Halt::Other,
            last => last.map_or(Halt::Stop, EvmStep::halt),
        };
        let output = match halt {
            Halt::Return(range) if !is_failed => {
                last.map(|last| self.bytes(last, range)).transpose()?.flatten()
            }
            Halt::Revert(range) if is_failed => {
                last.map(|last| self.bytes(last, range)).transpose()?.flatten()
            }
            _ => (!is_failed).then(Bytes::new),
        };
        // There a write fails with any gas.
        let is_static = [&open]
            .into_iter()
            .chain(&self.open)
            .any(|running| self.calls[running.call].kind == CallKind::StaticCall);
        let call = &mut self.calls[open.call];
        call.gas = call.gas.or(open.gas);
        call.gas_used = last.and_then(|last| gas_used(open.gas?, last, halt, is_failed));
        if is_failed {
            call.error = Some(failure(last, halt, is_static).into());
        } else if call.kind.creates() {
            let deposit = output.as_ref().map(|code| code.len() as u64 * DEPOSIT_GAS_PER_BYTE);
            call.gas_used =
                call.gas_used.zip(deposit).and_then(|(used, deposit)| used.checked_add(deposit));
            if open.call > 0 {
                call.to = Some(Address::from_word(result.into()));
                self.accounts[open.account] = call.to;
            }
        }
        call.output = output;
        if let Halt::SelfDestruct(to) = halt
            && !is_failed
        {
            let mut trace_address = call.trace_address.clone();
            trace_address.push(open.children);
            self.callers.push(open.account);
            let kind = CallKind::SelfDestruct;
            self.calls.push(RpcCall { kind, to: Some(to), trace_address, ..RpcCall::default() });
        }
        Ok(())
    }

    fn finish(mut self, last: &EvmStep<'_>) -> Result<ReplayedCalls, ReplayError> {
        if self.open.len() > 1 {
            return Err(ReplayError::Skipped);
        }
        self.add_written_slot(last);
        let is_failed = self.calls[0].error.is_some();
        self.close(Some(last), U256::from(u8::from(!is_failed)))?;
        for (call, caller) in self.calls.iter_mut().zip(&self.callers).skip(1) {
            call.from = self.accounts[*caller];
        }
        for ReplayedLog { call, account, topics, data, position } in self.logs {
            if let Some(address) = self.accounts[account] {
                let position = Some(position);
                let log = RpcCallLog { address, topics, data, position, index: None };
                self.calls[call].logs.push(log);
            }
        }
        let address = |(account, slot): (usize, U256)| Some((self.accounts[account]?, slot));
        let written =
            self.written_slots.map(|slots| slots.into_iter().filter_map(address).collect());
        Ok(ReplayedCalls { written_slots: written, calls: self.calls })
    }
}

/// Returns the error of a failed call, in the words of other nodes.
fn failure(last: Option<&EvmStep<'_>>, halt: Halt, is_static: bool) -> &'static str {
    let Some(last) = last else { return "error" };
    match halt {
        Halt::Revert(_) => "Reverted",
        _ if last.op() == "INVALID" => "Bad instruction",
        Halt::Other if last.lacks_gas() && !(is_static && last.writes_storage()) => "Out of gas",
        _ => "error",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const CALLEE: u64 = 0xcafe;

    fn transaction() -> TransactionRecord {
        let zero = format!("0x{}", "0".repeat(64));
        let record = json!({
            "hash": zero, "block_number": 1, "position": 0, "value": "7", "gas_price": "1",
            "from": Address::ZERO, "to": Address::repeat_byte(1), "created_contract": null,
            "type": 2, "gas_used": "50000", "gas_limit": "90000", "max_fee_per_gas": null,
            "max_priority_fee_per_gas": null, "base_fee_per_gas": null, "nonce": 0,
            "raw_input": "0x", "result": "success", "revert_reason": null,
            "has_error_in_internal_transactions": false, "authorization_list": [],
        });
        serde_json::from_str(&record.to_string()).unwrap()
    }

    fn step(depth: u64, op: &str, stack: &[U256], memory: &Value) -> Value {
        let stack: Vec<String> = stack.iter().rev().map(|word| format!("{word:064x}")).collect();
        json!({"depth": depth, "op": op, "gas": 60_000, "gasCost": 3, "stack": stack, "memory": memory})
    }

    /// A call whose input is a part of the memory.
    fn call(depth: u64, offset: U256, length: U256, memory: &Value) -> Value {
        let [gas, zero] = [U256::from(30_000), U256::ZERO];
        let stack = [gas, U256::from(CALLEE), U256::from(5), offset, length, zero, zero];
        step(depth, "CALL", &stack, memory)
    }

    fn replayed(steps: &[Value]) -> Result<Vec<RpcCall>, ReplayError> {
        let answer = json!({ "structLogs": steps }).to_string();
        let replayed = replay(&RawValue::from_string(answer).unwrap(), &transaction(), true)?;
        Ok(replayed.calls)
    }

    #[test]
    fn steps_say_whether_a_transaction_without_a_status_failed() {
        let unknown = TransactionRecord { has_unknown_outcome: true, ..transaction() };
        for failed in [true, false] {
            let answer = json!({ "failed": failed, "structLogs": [plain(1)] }).to_string();
            let steps = RawValue::from_string(answer).unwrap();
            let calls = replay(&steps, &unknown, true).unwrap().calls;
            assert_eq!(calls[0].error.is_some(), failed);
        }
    }

    fn plain(depth: u64) -> Value {
        step(depth, "STOP", &[U256::ONE], &json!([]))
    }

    #[test]
    fn steps_that_skip_a_call_are_refused() {
        let call = || call(1, U256::ZERO, U256::ZERO, &json!([]));
        let skipped = Err(ReplayError::Skipped);
        for depths in [vec![1, 2, 1], vec![3, 2, 3], vec![1, u64::MAX], vec![1, 0]] {
            let steps: Vec<Value> = depths.iter().map(|depth| plain(*depth)).collect();
            assert_eq!(replayed(&steps).map(|calls| calls.len()), skipped, "{depths:?}");
        }
        assert_eq!(replayed(&[call(), plain(3), plain(1)]).map(|calls| calls.len()), skipped);
        assert_eq!(replayed(&[call(), plain(2)]).map(|calls| calls.len()), skipped);
        assert_eq!(replayed(&[call(), plain(2), plain(1)]).map(|calls| calls.len()), Ok(2));
    }

    #[test]
    fn creation_that_fails_calls_in_the_name_of_the_contract_that_is_not() {
        let failed = TransactionRecord {
            to: None,
            error: Some("Reverted".into()),
            nonce: 7,
            ..transaction()
        };
        let steps = [call(1, U256::ZERO, U256::ZERO, &json!([])), plain(2), plain(1)];
        let answer = json!({ "structLogs": steps }).to_string();
        let calls = replay(&RawValue::from_string(answer).unwrap(), &failed, true).unwrap().calls;
        assert_eq!((calls[0].to, calls[1].from), (None, Some(failed.from.create(7))));
    }

    #[test]
    fn logs_are_at_the_call_that_emitted_them() {
        let (zero, word) = (U256::ZERO, U256::from(32));
        let memory = json!(["ab".repeat(32)]);
        let log = |depth, op: &str, topics: &[u64]| {
            let topics = topics.iter().map(|topic| U256::from(*topic));
            let stack: Vec<U256> = [zero, word].into_iter().chain(topics).collect();
            step(depth, op, &stack, &memory)
        };
        let steps = [
            log(1, "LOG2", &[1, 2]),
            call(1, zero, zero, &memory),
            log(2, "LOG0", &[]),
            plain(2),
            log(1, "LOG1", &[3]),
            // It runs out of gas.
            call(1, zero, zero, &memory),
            log(2, "LOG4", &[1, 2, 3, 4]),
            plain(1),
        ];
        let calls = replayed(&steps).unwrap();
        let logs = |call: &RpcCall| -> Vec<_> {
            call.logs.iter().map(|log| (log.topics.len(), log.position, log.address)).collect()
        };
        let (root, callee) =
            (Address::repeat_byte(1), Address::from_word(U256::from(CALLEE).into()));
        assert_eq!(logs(&calls[0]), [(2, Some(0), root), (1, Some(1), root)]);
        assert_eq!(logs(&calls[1]), [(0, Some(0), callee)]);
        assert_eq!(logs(&calls[2]), []);
        assert_eq!(calls[1].logs[0].data[..], [0xab; 32]);
        assert_eq!(calls[0].logs[0].topics[1], B256::from(U256::from(2)));
    }

    #[test]
    fn revert_without_gas_for_its_range_reads_none_of_it() {
        let (zero, empty) = (U256::ZERO, json!([]));
        let mut revert = step(2, "REVERT", &[zero, U256::MAX], &empty);
        revert["gasCost"] = 70_000.into();
        let failed = step(1, "STOP", &[zero], &empty);
        let calls = replayed(&[call(1, zero, zero, &empty), revert, failed]).unwrap();
        assert_eq!((calls[1].error.as_deref(), &calls[1].output), (Some("Out of gas"), &None));
    }

    #[test]
    fn failed_step_that_costs_all_gas_is_out_of_it() {
        let (zero, empty) = (U256::ZERO, json!([]));
        let failed = step(1, "STOP", &[zero], &empty);
        for (op, cost, error) in [
            ("SSTORE", 60_000, "Out of gas"),
            ("SSTORE", 59_999, "error"),
            ("INVALID", 60_000, "Bad instruction"),
            ("REVERT", 60_000, "Reverted"),
        ] {
            let mut last = step(2, op, &[zero, zero], &empty);
            last["gasCost"] = cost.into();
            let calls = replayed(&[call(1, zero, zero, &empty), last, failed.clone()]).unwrap();
            assert_eq!(calls[1].error.as_deref(), Some(error), "{op} {cost}");
        }
    }

    #[test]
    fn slot_is_not_written_with_the_gas_of_a_stipend() {
        let (zero, empty) = (U256::ZERO, json!([]));
        let failed = step(1, "STOP", &[zero], &empty);
        let mut viewing = call(1, zero, zero, &empty);
        viewing["op"] = "STATICCALL".into();
        for (caller, op, gas, error) in [
            (call(1, zero, zero, &empty), "SSTORE", 2_300, "Out of gas"),
            (call(1, zero, zero, &empty), "SSTORE", 2_301, "error"),
            (call(1, zero, zero, &empty), "MSTORE", 2_300, "error"),
            (viewing, "SSTORE", 2_300, "error"),
        ] {
            let mut last = step(2, op, &[zero, zero], &empty);
            (last["gas"], last["gasCost"]) = (gas.into(), 0.into());
            let calls = replayed(&[caller, last, failed.clone()]).unwrap();
            assert_eq!(calls[1].error.as_deref(), Some(error), "{op} {gas}");
        }
    }

    #[test]
    fn slots_are_of_the_account_in_whose_name_code_runs() {
        let (zero, empty) = (U256::ZERO, json!([]));
        let write = |depth, slot: u64| step(depth, "SSTORE", &[U256::from(slot), zero], &empty);
        let delegated = [U256::from(30_000), U256::from(CALLEE), zero, zero, zero, zero];
        let steps = [
            write(1, 1),
            call(1, zero, zero, &empty),
            write(2, 2),
            plain(2),
            step(1, "DELEGATECALL", &delegated, &empty),
            write(2, 3),
            plain(2),
            write(1, 1),
            plain(1),
        ];
        let answer = json!({ "structLogs": steps }).to_string();
        let replayed = replay(&RawValue::from_string(answer).unwrap(), &transaction(), true);
        let (root, callee) =
            (Address::repeat_byte(1), Address::from_word(U256::from(CALLEE).into()));
        let mut expected = [(root, 1_u64), (root, 3), (callee, 2)]
            .map(|(account, slot)| (account, U256::from(slot)));
        expected.sort_unstable();
        assert_eq!(replayed.unwrap().written_slots, Some(expected.into()));
    }

    #[test]
    fn last_steps_write_slots_too() {
        let (zero, empty) = (U256::ZERO, json!([]));
        let write = |depth, slot: u64| step(depth, "SSTORE", &[U256::from(slot), zero], &empty);
        // Neither code ends with a STOP.
        let mut steps = [
            call(1, zero, zero, &empty),
            write(2, 2),
            step(1, "POP", &[U256::ONE], &empty),
            write(1, 1),
        ];
        let written_slots = |steps: &[Value]| {
            let answer = json!({ "structLogs": steps }).to_string();
            let replayed =
                replay(&RawValue::from_string(answer).unwrap(), &transaction(), true).unwrap();
            assert_eq!(replayed.calls.len(), 2);
            replayed.written_slots
        };
        let (root, callee) =
            (Address::repeat_byte(1), Address::from_word(U256::from(CALLEE).into()));
        let expected = [(root, U256::ONE), (callee, U256::from(2))];
        assert_eq!(written_slots(&steps), Some(expected.into()));
        steps[1]["stack"] = json!(null);
        assert_eq!(written_slots(&steps), None, "a stack is unreadable");
    }

    #[test]
    fn what_steps_do_not_show_is_unknown() {
        let (zero, word) = (U256::ZERO, U256::from(32));
        for memory in [json!(null), json!(7), json!(["zz"]), json!(["00"])] {
            let calls = replayed(&[call(1, zero, word, &memory), plain(2), plain(1)]).unwrap();
            assert_eq!((calls[1].input.as_ref(), calls[1].value), (None, Some(U256::from(5))));
        }
        // Memory is zero beyond its end.
        let memory = json!(["ff".repeat(32)]);
        let calls =
            replayed(&[call(1, U256::from(31), word, &memory), plain(2), plain(1)]).unwrap();
        assert_eq!(calls[1].input.as_ref().unwrap()[..2], [0xff, 0]);
        assert_eq!((calls[1].from, calls[1].gas), (Some(Address::repeat_byte(1)), Some(60_000)));
        let mut without_gas = plain(2);
        without_gas["gas"] = json!("0x10000000000000000");
        let calls = replayed(&[call(1, zero, zero, &memory), without_gas, plain(1)]).unwrap();
        assert_eq!((calls[1].gas, calls[1].gas_used), (None, None));
        let far = call(1, U256::MAX, word, &memory);
        assert_eq!(replayed(&[far, plain(2), plain(1)]).unwrap()[1].input, None);
    }

    #[test]
    fn hostile_stacks_and_sizes_are_refused() {
        let too_large = Err(ReplayError::TooLarge);
        let huge = call(1, U256::ZERO, U256::MAX, &json!([]));
        assert_eq!(replayed(&[huge, plain(2), plain(1)]).map(|calls| calls.len()), too_large);
        // Each is zeros that the node need not send.
        let many = call(1, U256::ZERO, U256::from(9 << 20), &json!([]));
        let repeated: Vec<Value> =
            (0..8).flat_map(|_| [many.clone(), plain(2), plain(1)]).collect();
        assert_eq!(replayed(&repeated).map(|calls| calls.len()), too_large);
        // The places of nested calls take the square of their depth.
        let deep = (1..9_000).map(|depth| call(depth, U256::ZERO, U256::ZERO, &json!([])));
        assert_eq!(replayed(&deep.collect::<Vec<_>>()).map(|calls| calls.len()), too_large);
        for stack in
            [json!(null), json!([]), json!(["zz"]), json!(vec!["f".repeat(65); 7]), json!([7])]
        {
            let mut asked = call(1, U256::ZERO, U256::ZERO, &json!([]));
            asked["stack"] = stack;
            let calls = replayed(&[asked, plain(2)]);
            assert_eq!(calls.map(|calls| calls.len()), Err(ReplayError::NoStack));
        }
        assert!(matches!(replayed(&[json!({"op": "STOP"})]), Err(ReplayError::NotAStep)));
        assert_eq!(replayed(&[]).map(|calls| calls.len()), Err(ReplayError::NoSteps));
    }
}
