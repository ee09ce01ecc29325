//! Notes on one call of a trace.

use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;

super::sentences! {
    ATTACHED = "parent missing, attached to the nearest call";
    GUESSED_CALL = "(a guess by its selector)";
    INFERRED_GAS = "(inferred: this failure burns the limit)";
    INHERITED_VALUE = "(inherited value, nothing transferred)";
    NOT_TRANSFERRED = "(not transferred: failed or rolled back)";
    TO_ITSELF = "(to itself: destroyed if created here, or before Cancun)";
    PASSED_UP = "failed, passed up to its caller";
    THEN_CALLER_FAILED = "failed, then its caller failed too";
    CAUGHT = "failed, caught by its caller";
    ROLLED_BACK = "succeeded, then rolled back by a failed parent";
    NO_SIGNATURE = "unknown selector";
    UNKNOWN_SELECTOR = "unknown selector · {signature} enters its signature, {look_up} looks it up";
    LINE_WITHOUT_GAS = "the trace lacks its gas or contract";
    NOT_A_LINE = "the answer is not a line";
    ASKING_NODE = "asking the node…";
    FROM_TRANSFER_LIST = "(from the list of token transfers)";
    DECODES = "{focus} decodes it";
    ONLY_SELECTOR = "4 bytes, the selector";
    SHOWS_BYTES = "{focus} shows them";
}

/// A note next to a value of the call.
#[derive(Debug, strum::Display)]
pub enum CallNote<'a> {
    #[strum(to_string = "(seen in {transaction})")]
    NameSeenIn { transaction: &'a str },
    #[strum(to_string = "{share} of root")]
    ShareOfRoot { share: &'a str },
    #[strum(to_string = "{of_root} of root, {of_parent} of parent")]
    GasShares { of_root: &'a str, of_parent: &'a str },
    /// A call gets at most 63/64 of its parent's gas (EIP-150).
    #[strum(to_string = "({percent}% of the most its caller could pass on)")]
    ShareOfForwardableGas { percent: Percent },
    #[strum(to_string = "new {contract}")]
    Creation { contract: &'a str },
    /// The result of a creation.
    #[strum(to_string = "→ {size} of code")]
    CreatedCode { size: &'a str },
    /// Amount of a transfer that differs from the call's argument.
    #[strum(to_string = "moved {amount}")]
    Moved { amount: &'a str },
    #[strum(to_string = "{size} after the arguments")]
    TrailingBytes { size: &'a str },
    /// The number that an amount is in the data.
    #[strum(to_string = "raw {number}")]
    Raw { number: &'a str },
    #[strum(to_string = "first {lines} lines only")]
    FirstLines { lines: Grouped<usize> },
    /// The number of a call in a trace.
    #[strum(to_string = "call #{number}")]
    Number { number: Grouped<u64> },
    #[strum(to_string = "call #{number} of {calls}")]
    Position { number: Grouped<u64>, calls: Grouped<u64> },
    #[strum(to_string = "call #{number} {call}")]
    Numbered { number: Grouped<u64>, call: &'a str },
    #[strum(to_string = "{shown} of {all}, with gas")]
    CallsWithGas { shown: Grouped<usize>, all: Grouped<usize> },
    #[strum(to_string = "all {all}, with gas")]
    AllCallsWithGas { all: Grouped<usize> },
}
