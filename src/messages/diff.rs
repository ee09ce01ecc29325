//! Messages of the comparison of two traces.

use super::Count;
use crate::chain::amount::Grouped;
use crate::sanitize::SafeText;

super::sentences! {
    NO_DIFFERENCE_BELOW = "no difference below";
    NO_DIFFERENCE_ABOVE = "no difference above";
    NO_CALL_ADDRESS = "this call has no address to open";
    NO_CALLS_TO_FOLD = "nothing to fold: this call makes no calls";
    ROOT_CALL = "no parent: this is the root call";
    NOT_EXPORTED = "a comparison cannot be exported as data: {pager} shows it as text";
    NO_CALLS = "neither trace has calls";
    DIFFERENT_ROOTS = "the transactions call different contracts or functions";
    MARKS = "− only A · + only B · ~ differs · = the same call elsewhere";
    MARKS_IN_SHORT = "− only A · + only B · ~ differs";
    NOTHING_TO_SCROLL = "nothing to scroll: all of the call is visible";
    NO_SPACE = "no space for the details of the calls";
    OWN_GAS_OF_COMMON_CALLS = "self gas of common calls";
    OWN_GAS_OF_COMMON = "self of common";
    OUTSIDE_CALLS = "outside calls";
    INTRINSIC_AND_REFUNDS = "outside calls − refunds";
}

impl DiffText<'_> {
    /// Says that an added or removed call is in the other trace as well, elsewhere.
    pub fn elsewhere(side: &str, call: u32) -> String {
        DiffText::Elsewhere { side, call: Grouped(u64::from(call) + 1) }.to_string()
    }
}

/// A line of a comparison.
#[derive(Debug, strum::Display)]
pub enum DiffText<'a> {
    #[strum(to_string = "{transaction} compared with itself")]
    Itself { transaction: &'a str },
    #[strum(to_string = "no difference: {calls} with the same gas and outcome")]
    NoDifference { calls: Count },
    #[strum(to_string = "{added} added, {removed} removed")]
    AddedAndRemoved { added: Count, removed: Grouped<u32> },
    #[strum(to_string = "{added} added, {removed} removed, {differ} with other gas")]
    ShortCounts { added: Grouped<u32>, removed: Grouped<u32>, differ: Grouped<u32> },
    #[strum(to_string = "{calls} with other gas")]
    OtherGas { calls: Count },
    #[strum(to_string = "{calls} differs")]
    Differs { calls: Count },
    #[strum(to_string = "{calls} differ")]
    Differ { calls: Count },
    #[strum(to_string = "gas in calls {left} → {right}")]
    GasOfCalls { left: &'a str, right: &'a str },
    #[strum(to_string = "calls {left} → {right} ({change})")]
    GasInCalls { left: &'a str, right: &'a str, change: &'a str },
    #[strum(to_string = "{gas} total gas")]
    TotalGas { gas: &'a str },
    #[strum(to_string = "gas {left} → {right} ({change})")]
    GasOfTransactions { left: &'a str, right: &'a str, change: &'a str },
    /// The gas of two transactions as the sum of its parts.
    #[strum(to_string = "{gas} = calls {calls} + {others} {rest}")]
    GasInParts { gas: &'a str, calls: &'a str, others: &'static str, rest: &'a str },
    /// The change of the gas of two transactions as the sum of its parts.
    #[strum(to_string = "{gas} = calls {calls}, {others} {rest}")]
    ChangesInParts { gas: &'a str, calls: &'a str, others: &'static str, rest: &'a str },
    #[strum(to_string = "calls {change} = {sources}")]
    SourcesInCalls { change: &'a str, sources: &'a str },
    #[strum(to_string = "send {amount} → {recipient}")]
    Send { amount: &'a str, recipient: &'a str },
    #[strum(to_string = "{calls} with another outcome")]
    OtherOutcome { calls: Count },
    #[strum(to_string = "unknown gas in {calls}")]
    UnknownGas { calls: Count },
    #[strum(to_string = "trace {side} is incomplete: {why}")]
    Incomplete { side: &'a str, why: &'a SafeText },
    #[strum(to_string = "not in {side}")]
    NotIn { side: &'a str },
    #[strum(to_string = "in {side} as call {call}")]
    Elsewhere { side: &'a str, call: Grouped<u64> },
    #[strum(to_string = "= {calls} with equal gas")]
    EqualGas { calls: Count },
    #[strum(to_string = "{calls} more calls only in {side}")]
    MoreOfOne { calls: Grouped<u32>, side: &'a str },
    #[strum(to_string = "… and {lines} more lines")]
    MoreLines { lines: usize },
}
