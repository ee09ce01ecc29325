//! Messages of exported and printed lists and traces.

use super::Count;
use crate::chain::amount::Grouped;
use crate::chain::coverage::BlockCoverage;
use crate::chain::{Address, TxHash};
use crate::sanitize::SafeText;

super::sentences! {
    TOO_LARGE = "larger than 1 GB in this format";
    INCOMPLETE_TRACE = "the trace is incomplete";
    REPEAT_COMMAND = "repeat the command to retry";
    NO_ROOT_CALL = "the trace has no root call";
    NO_GAS = "the gas of all calls is unknown: stacks have no weights";
}

/// A note about exported or printed rows and calls.
#[derive(Debug, strum::Display)]
pub enum ExportNote<'a> {
    #[strum(to_string = "cannot export: {why}")]
    Failed { why: &'a str },
    /// The finished part of an export.
    #[strum(to_string = "exporting {percent}%…")]
    Progress { percent: usize },
    #[strum(to_string = "the name must end in {extensions}")]
    UnknownExtension { extensions: &'a str },
    #[strum(to_string = "left out {calls} of unknown gas (part of their callers' own)")]
    CallsLeftOut { calls: Count },
    /// The command that prints the response.
    #[strum(to_string = "`chainglass get raw-trace {transaction}`")]
    RawTraceCommand { transaction: TxHash },
    #[strum(to_string = "{rows} rows; more with --all or --limit N")]
    MoreRows { rows: usize },
    #[strum(to_string = "{variable}: only {slots} slots; more as {variable}+{slots}")]
    MoreSlots { variable: SafeText, slots: usize },
    #[strum(to_string = "{address} is a token: `transfers-of-token` lists its transfers")]
    IsToken { address: Address },
    #[strum(to_string = "{address} is not a known token")]
    NoToken { address: Address },
    #[strum(to_string = "{address} is not a verified contract")]
    NoContract { address: Address },
    #[strum(to_string = "after block {block}; tokens that are gone since are left out")]
    PastTokens { block: Grouped<u64> },
    #[strum(to_string = "{events} of unknown calls: in the first object")]
    UnplacedEvents { events: Count },
    #[strum(to_string = "the transaction has more than {limit} events: leave out --events")]
    TooManyEvents { limit: Grouped<usize> },
    #[strum(to_string = "{rows} left out: not readable")]
    RowsLeftOut { rows: Count },
    /// Failures that a search by their reasons does not find.
    #[strum(to_string = "{failures} left out: reasons not read")]
    UnreadReasons { failures: Count },
    #[strum(to_string = "no more {blocks}")]
    NoMore { blocks: &'a BlockCoverage },
    #[strum(to_string = "no readable block {blocks}")]
    NoReadableBlock { blocks: &'a BlockCoverage },
    #[strum(to_string = "cannot read row {number}: {why}")]
    UnreadableRow { number: usize, why: &'a str },
    #[strum(to_string = "the trace has {bytes} bytes: raise --max-bytes")]
    LargeTrace { bytes: Grouped<u64> },
    #[strum(to_string = "the trace has more than {limit} bytes: raise --max-bytes")]
    TraceOverLimit { limit: Grouped<u64> },
    #[strum(to_string = "no call {path}: {parent} has {calls}")]
    NoCall { path: &'a str, parent: &'a str, calls: Count },
    #[strum(to_string = "no call {path}: {parent} has no calls")]
    NoInnerCalls { path: &'a str, parent: &'a str },
}
