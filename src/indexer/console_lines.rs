//! The console output of a transaction: its calls to the console of Hardhat and Foundry.

use alloy_primitives::hex;

use crate::abi::{CONSOLE_ADDRESS, decode_console_log};
use crate::rpc::wire::call::RpcCall;
use crate::sanitize::SafeText;
use crate::store::{ConsoleLineRecord, RunningFunction, TransactionPosition};

use super::failed_calls::FailedCalls;

/// Returns the lines of the transaction at a place, in the order of execution.
pub(super) fn console_lines(
    TransactionPosition { block_number, index: transaction_index }: TransactionPosition,
    calls: &[RpcCall],
) -> Vec<ConsoleLineRecord> {
    let mut failed = None;
    // The calls around the current one, the outermost first.
    let mut around: Vec<&RpcCall> = Vec::new();
    let mut lines = Vec::new();
    for (index, call) in (0..).zip(calls) {
        around.truncate(call.trace_address.len());
        if call.to == Some(CONSOLE_ADDRESS)
            && let (Some(contract), Some(caller)) = (call.from, around.last())
        {
            let failed = failed.get_or_insert_with(|| FailedCalls::new(calls));
            lines.push(ConsoleLineRecord {
                block_number,
                transaction_index,
                index,
                contract,
                function: running_function(caller),
                text: printed(call),
                is_undone: failed.contain(call),
            });
        }
        around.push(call);
    }
    lines
}

/// Returns the line of a call to the console, or its calldata if it has an unknown form.
fn printed(call: &RpcCall) -> SafeText {
    let input = call.input.as_ref().map_or(&[][..], |input| &input[..]);
    let log = decode_console_log(&CONSOLE_ADDRESS, input);
    log.map_or_else(|| SafeText::new(&hex::encode_prefixed(input)), |log| log.line())
}

fn running_function(call: &RpcCall) -> RunningFunction {
    if call.kind.creates() {
        return RunningFunction::Constructor;
    }
    let input = call.input.as_ref().map_or(&[][..], |input| &input[..]);
    let code = call.to.unwrap_or_default();
    match input.first_chunk().copied() {
        Some(selector) => RunningFunction::Function { code, selector },
        None => RunningFunction::WithoutSelector { code, is_empty: input.is_empty() },
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, address};
    use serde_json::{Value, json};

    use super::*;
    use crate::rpc::wire::call::RpcCalls;

    const CONTRACT: Address = address!("00000000000000000000000000000000000000c1");

    fn call(kind: &str, to: Address, input: &str, calls: &[Value]) -> Value {
        json!({ "type": kind, "from": CONTRACT, "to": to, "input": input, "calls": calls })
    }

    fn printing(text: &str) -> Value {
        let word = |n: usize| format!("{n:064x}");
        let text = hex::encode(text);
        let input = format!("0x41304fac{}{}{text:0<64}", word(32), word(text.len() / 2));
        call("STATICCALL", CONSOLE_ADDRESS, &input, &[])
    }

    #[test]
    fn lines_have_the_function_around_them_and_whether_it_was_undone() {
        let library = Address::repeat_byte(0xdd);
        let mut failing = call("DELEGATECALL", library, "0x0badf00d", &[printing("undone")]);
        failing["error"] = "execution reverted".into();
        let unknown = call("STATICCALL", CONSOLE_ADDRESS, "0xdeadbeef", &[]);
        let create = call("CREATE", CONTRACT, "0x6080", &[printing("built")]);
        let calls = [printing("first"), failing, create, unknown];
        let root = call("CALL", CONTRACT, "0x12345678", &calls);
        let RpcCalls(calls) = serde_json::from_str(&root.to_string()).unwrap();
        let lines = console_lines(TransactionPosition { block_number: 7, index: 2 }, &calls);
        let shown: Vec<_> = lines
            .iter()
            .map(|line| (line.index, &*line.text, line.function, line.is_undone))
            .collect();
        let outer =
            RunningFunction::Function { code: CONTRACT, selector: [0x12, 0x34, 0x56, 0x78] };
        let inner = RunningFunction::Function { code: library, selector: [0x0b, 0xad, 0xf0, 0x0d] };
        assert_eq!(
            shown,
            [
                (1, "first", outer, false),
                (3, "undone", inner, true),
                (5, "built", RunningFunction::Constructor, false),
                (6, "0xdeadbeef", outer, false),
            ]
        );
    }
}
