//! Traces that are missing, incomplete or impossible.

/// A response without calls. The ways out are in terms of the program that shows it.
#[derive(Debug, strum::Display)]
pub enum NoCalls<'a> {
    #[strum(to_string = "empty response · {retry}")]
    Empty { retry: &'a str },
    #[strum(to_string = "no trace: pending, or pruned by the node · {retry}")]
    Pruned { retry: &'a str },
    #[strum(to_string = "no trace: the node sent `null` for this transaction · {retry}")]
    Null { retry: &'a str },
    #[strum(
        to_string = "opcodes, not calls: needs a node with callTracer · {raw_view} shows the response"
    )]
    StructLogs { raw_view: &'a str },
    #[strum(to_string = "the node could not trace this transaction: “{message}” · {retry_longer}")]
    Refused { message: &'a str, retry_longer: &'a str },
    #[strum(to_string = "unknown trace format ({kind}) · {raw_view} shows the response")]
    UnknownFormat { kind: &'a str, raw_view: &'a str },
    #[strum(to_string = "no readable call in the response · {raw_view} shows it")]
    NoReadableCall { raw_view: &'a str },
}

/// Data of a trace that contradict each other.
#[derive(Debug, strum::Display)]
pub enum TraceProblem<'a> {
    #[strum(to_string = "impossible gas from the node: {used} used of {limit}")]
    ImpossibleGas { used: &'a str, limit: &'a str },
    #[strum(to_string = "incomplete: {why}")]
    Incomplete { why: &'a str },
    /// A scoped word of a search that no call can match.
    #[strum(to_string = "no {scope}:, only to: from: fn: sel: err: val: gas: at:")]
    UnknownScope { scope: &'a str },
}

/// State of the internal transactions that are shown in place of a trace.
#[derive(Debug, strum::Display)]
pub enum FallbackNote<'a> {
    #[strum(to_string = "loading internal transactions instead…")]
    Loading,
    #[strum(to_string = "no internal transactions either")]
    NoRows,
    #[strum(to_string = "from internal transactions: no gas, no calldata, ordered by index")]
    Complete,
    #[strum(
        to_string = "from the first {rows} internal transactions: no gas, no calldata, ordered by index"
    )]
    FirstRows { rows: usize },
    #[strum(to_string = "internal transactions are not available either: {why}")]
    Failed { why: &'a str },
}

/// The parts of a transaction's gas.
#[derive(Debug, strum::Display)]
pub enum GasParts<'a> {
    #[strum(to_string = "? in calls")]
    Unknown,
    #[strum(to_string = "{calls} in calls + {rest} outside calls")]
    Intrinsic { calls: &'a str, rest: &'a str },
    /// Gas outside of calls only, where there is little space.
    #[strum(to_string = "{rest} outside calls")]
    IntrinsicAlone { rest: &'a str },
    #[strum(to_string = "{calls} in calls + outside calls − refunds")]
    Refunded { calls: &'a str },
}

super::sentences! {
    NO_REASON = "failed, no reason given";
    REVERTED_WITHOUT_REASON = "reverted without a reason";
    NO_CODE = " (an address without code?)";
    NO_FUNCTION = " (the contract has no such function)";
    INVALID_PATH = "at: expects a path such as 0.3.1";
    ORPHAN = "call without its parent";
    ORPHANS = "calls without their parents";
    UNREADABLE_ENTRY = "unreadable entry";
    UNREADABLE_ENTRIES = "unreadable entries";
}
