//! Sentences for traces that hold no calls, and for what is wrong with one that does.

use crate::chain::amount::group_digits;
use crate::trace::{CallTree, TraceFormat};

/// What can be done, in the words of whoever shows the sentence.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryHints<'a> {
    /// To ask again.
    pub retry: &'a str,
    /// To ask again and wait longer.
    pub retry_longer: &'a str,
    /// Where the answer is shown as it came.
    pub raw_view: &'a str,
}

/// A sentence for each kind of answer that holds no calls.
pub fn no_calls_message(dialect: &TraceFormat, advice: RecoveryHints<'_>) -> String {
    let RecoveryHints { retry: again, retry_longer: longer, raw_view: raw } = advice;
    match dialect {
        TraceFormat::Unknown => format!("the explorer's answer is empty: {again}"),
        TraceFormat::Empty => format!(
            "the explorer sent an empty list: its node kept no trace of this transaction, or the \
             transaction is pending. {again}"
        ),
        TraceFormat::Null => format!(
            "the explorer sent `null`: its node found no trace of this transaction. {again}"
        ),
        TraceFormat::StructLogs => format!(
            "the explorer sent struct logs, which are opcodes, not calls: its node traces with the \
             default tracer (opcode). Another explorer of this chain, or a node with the \
             callTracer, has the calls; {raw} shows what was sent"
        ),
        TraceFormat::Message(words) => format!(
            "the explorer sent words instead of a trace: “{words}”. Its node could not trace this \
             transaction: {longer}"
        ),
        TraceFormat::Other(what) => {
            format!("the explorer's answer is no trace that is known here ({what}): {raw} shows it")
        }
        _ => format!("the explorer's answer holds no call that can be read: {raw} shows it"),
    }
}

/// What is wrong with a trace.
pub fn problems(tree: &CallTree) -> Vec<String> {
    let mut troubles = Vec::new();
    let mut count = |n: u32, one: &str, many: &str| {
        if n > 0 {
            let noun = if n == 1 { one } else { many };
            troubles.push(format!("{} {noun}", group_digits(&n.to_string())));
        }
    };
    count(tree.orphan_count(), "call without its caller", "calls without their callers");
    if let Some(ending) = tree.summary() {
        count(ending.unreadable, "entry cannot be read", "entries cannot be read");
        let mismatch = "call whose subtraces do not match";
        count(ending.child_count_mismatches, mismatch, "calls whose subtraces do not match");
        troubles.extend(ending.error.as_ref().map(|why| format!("incomplete: {why}")));
    }
    troubles
}
