//! Sentences for traces that hold no calls, and for what is wrong with one that does.

use crate::chain::amount::grouped;
use crate::trace::{Dialect, Tree};

/// What can be done, in the words of whoever shows the sentence.
#[derive(Debug, Clone, Copy)]
pub struct Advice<'a> {
    /// To ask again.
    pub again: &'a str,
    /// To ask again and wait longer.
    pub longer: &'a str,
    /// Where the answer is shown as it came.
    pub raw: &'a str,
}

/// A sentence for each kind of answer that holds no calls.
pub fn without_calls(dialect: &Dialect, advice: Advice<'_>) -> String {
    let Advice { again, longer, raw } = advice;
    match dialect {
        Dialect::Unknown => format!("the explorer's answer is empty: {again}"),
        Dialect::Empty => format!(
            "the explorer sent an empty list: its node kept no trace of this transaction, or the \
             transaction is pending. {again}"
        ),
        Dialect::Null => format!(
            "the explorer sent `null`: its node found no trace of this transaction. {again}"
        ),
        Dialect::StructLogs => format!(
            "the explorer sent struct logs, which are opcodes, not calls: its node traces with the \
             default tracer (opcode). Another explorer of this chain, or a node with the \
             callTracer, has the calls; {raw} shows what was sent"
        ),
        Dialect::Words(words) => format!(
            "the explorer sent words instead of a trace: “{words}”. Its node could not trace this \
             transaction: {longer}"
        ),
        Dialect::Other(what) => {
            format!("the explorer's answer is no trace that is known here ({what}): {raw} shows it")
        }
        _ => format!("the explorer's answer holds no call that can be read: {raw} shows it"),
    }
}

/// What is wrong with a trace.
pub fn troubles(tree: &Tree) -> Vec<String> {
    let mut troubles = Vec::new();
    let mut count = |n: u32, one: &str, many: &str| {
        if n > 0 {
            let noun = if n == 1 { one } else { many };
            troubles.push(format!("{} {noun}", grouped(&n.to_string())));
        }
    };
    count(tree.strays(), "call without its caller", "calls without their callers");
    if let Some(ending) = tree.ending() {
        count(ending.unread, "entry cannot be read", "entries cannot be read");
        let mismatch = "call whose subtraces do not match";
        count(ending.mismatches, mismatch, "calls whose subtraces do not match");
        troubles.extend(ending.broken.as_ref().map(|why| format!("incomplete: {why}")));
    }
    troubles
}
