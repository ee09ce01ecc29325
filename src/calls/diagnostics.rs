//! Messages about traces without calls and about problems in a trace.

use crate::chain::amount::group_digits;
use crate::trace::{CallFrame, CallTree, TraceFormat};

/// Hints for the messages, in terms of the program that shows them.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryHints<'a> {
    pub retry: &'a str,
    pub retry_longer: &'a str,
    /// Name of the view with the raw response.
    pub raw_view: &'a str,
}

/// Explains a response without calls, with a remedy.
pub fn no_calls_message(format: &TraceFormat, hints: RecoveryHints<'_>) -> String {
    let RecoveryHints { retry, retry_longer, raw_view } = hints;
    match format {
        TraceFormat::Unknown => format!("empty response · {retry}"),
        TraceFormat::Empty => format!("no trace: pending, or pruned by the node · {retry}"),
        TraceFormat::Null => {
            format!("no trace: the node sent `null` for this transaction · {retry}")
        }
        TraceFormat::StructLogs => format!(
            "the node sent opcodes, not calls (struct logs of the default tracer); try another \
             explorer of this chain, or a node with callTracer · {raw_view} shows the response"
        ),
        TraceFormat::Message(message) => {
            format!("the node could not trace this transaction: “{message}” · {retry_longer}")
        }
        TraceFormat::Other(kind) => {
            format!("unknown trace format ({kind}) · {raw_view} shows the response")
        }
        _ => format!("no readable call in the response · {raw_view} shows it"),
    }
}

/// Reports gas used above the limit.
pub fn impossible_gas(frame: &CallFrame) -> Option<String> {
    let (used, limit) = frame.gas_used().zip(frame.gas()).filter(|(used, limit)| used > limit)?;
    let [used, limit] = [used, limit].map(|gas| group_digits(&gas.to_string()));
    Some(format!("impossible gas from the node: {used} used of {limit}"))
}

pub fn problems(tree: &CallTree) -> Vec<String> {
    let mut problems: Vec<String> = tree.get(0).and_then(impossible_gas).into_iter().collect();
    let mut count = |n: u32, one: &str, many: &str| {
        if n > 0 {
            let noun = if n == 1 { one } else { many };
            problems.push(format!("{} {noun}", group_digits(&n.to_string())));
        }
    };
    count(tree.orphan_count(), "call without its parent", "calls without their parents");
    if let Some(summary) = tree.summary() {
        count(summary.unreadable, "unreadable entry", "unreadable entries");
        count(
            summary.child_count_mismatches,
            "wrong `subtraces` count",
            "wrong `subtraces` counts",
        );
        problems.extend(summary.error.as_ref().map(|error| format!("incomplete: {error}")));
    }
    problems
}
