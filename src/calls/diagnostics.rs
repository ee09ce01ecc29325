//! Messages about traces without calls and about problems in a trace.

use crate::chain::amount::Grouped;
use crate::messages::trace_problem::{self, NoCalls, TraceProblem};
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
    let message = match format {
        TraceFormat::Unknown => NoCalls::Empty { retry },
        TraceFormat::Empty => NoCalls::Pruned { retry },
        TraceFormat::Null => NoCalls::Null { retry },
        TraceFormat::StructLogs => NoCalls::StructLogs { raw_view },
        TraceFormat::Message(message) => NoCalls::Refused { message, retry_longer },
        TraceFormat::Other(kind) => NoCalls::UnknownFormat { kind, raw_view },
        _ => NoCalls::NoReadableCall { raw_view },
    };
    message.to_string()
}

/// Reports gas used above the limit.
pub fn impossible_gas(frame: &CallFrame) -> Option<String> {
    let (used, limit) = frame.gas_used().zip(frame.gas()).filter(|_| frame.has_impossible_gas())?;
    let [used, limit] = [used, limit].map(|gas| Grouped(gas).to_string());
    Some(TraceProblem::ImpossibleGas { used: &used, limit: &limit }.to_string())
}

pub fn problems(tree: &CallTree) -> Vec<String> {
    let mut problems: Vec<String> = tree.get(0).and_then(impossible_gas).into_iter().collect();
    let mut count = |n: u32, one: &str, many: &str| {
        if n > 0 {
            let noun = if n == 1 { one } else { many };
            problems.push(format!("{} {noun}", Grouped(n)));
        }
    };
    count(tree.orphan_count(), trace_problem::ORPHAN, trace_problem::ORPHANS);
    if let Some(summary) = tree.summary() {
        count(
            summary.unreadable,
            trace_problem::UNREADABLE_ENTRY,
            trace_problem::UNREADABLE_ENTRIES,
        );
        count(
            summary.child_count_mismatches,
            "wrong `subtraces` count",
            "wrong `subtraces` counts",
        );
        problems.extend(
            summary
                .error
                .as_ref()
                .map(|error| TraceProblem::Incomplete { why: &error.to_string() }.to_string()),
        );
    }
    problems
}
