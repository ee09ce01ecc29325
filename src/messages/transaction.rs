//! Messages of a transaction's page.

use std::fmt;

use crate::chain::amount::Grouped;
use crate::sanitize::SafeText;

super::sentences! {
    MORE_TRANSFERS = "… and more";
    BALANCES_NOT_LOADED = "not loaded, nor are transfers ({open} opens the transaction)";
    UNKNOWN_UNTIL_MINED = "unknown until it is in a block";
    TIME_IN_POOL = "waited";
    BALANCES_UNCHANGED = "unchanged but for the fee";
    INNER_CALLS_FAILED = "inner calls failed";
    INNER_CALLS_NOT_LOADED = "inner calls failed ({open} shows which)";
    WHOLE_FEE = "the whole fee";
    FEE = "fee";
    NO_ABI = "· no ABI";
    REASON_NOT_INDEXED = "failed: reason not indexed yet";
    ALL_GAS_USED = "all gas used: out of gas, or an invalid opcode";
    NOTHING_PAID = "dropped or replaced: nothing was paid";
    PENDING = "pending";
    DROPPED_FROM_POOL = "dropped";
    DROPPED_OR_REPLACED = "dropped or replaced";
    NOT_IN_POOL = "not in the pool any more";
    DROPPED_BY_RESTART = "dropped by a restart of the node";
    STATE_IN_POOL = "in the last answer, or asked for by its hash";
    BLOB_GAS_PRICE = "blob gas price";
    MAX_BLOB_PRICE = "max blob price";
    BURNT_FOR_BLOBS = "burnt for blobs";
    L2_FEE_TYPE = "L2 fee type";
    L1_GAS_USED = "L1 gas used";
    L1_GAS_PRICE = "L1 gas price";
    L1_BASE_FEE = "L1 base fee";
    L1_BLOB_BASE_FEE = "L1 blob base fee";
    L1_FEE_SCALAR = "L1 fee scalar";
    L1_COMMIT_SCALAR = "L1 commit scalar";
    L1_BLOB_SCALAR = "L1 blob scalar";
    L1_FEE_OVERHEAD = "L1 fee overhead";
    GAS_FOR_L1 = "gas for L1";
    GAS_VERSUS_TARGET = "gas vs target";
    GAS_FOR_L2 = "gas for L2";
    FOOTPRINT_SCALAR = "DA footprint scalar";
    EXCESS_BLOB_GAS = "excess blob gas";
    MIN_GAS_PRICE = "minimum gas price";
    MERGED_MINING = "merged mining hash";
    SCILLA = "calls Scilla";
    RUN_CODE = "runs code of";
    GAS_TOKEN_NAME = "gas token name";
    NO_CREATED_CONTRACT = "a constructor failed: there is no contract to open";
}

/// Most nonces that a transaction is said to wait for.
const MAX_SHOWN_NONCES: usize = 4;

/// The way of a transaction through the pool.
#[derive(Debug)]
pub enum PoolMessage<'a> {
    InBlock {
        number: u64,
    },
    /// By one with the same nonce, which may be in a block.
    ReplacedBy {
        hash: &'a str,
        block: Option<u64>,
    },
    RolledBack {
        block: u64,
    },
    /// It cannot be mined before others of its sender.
    Awaits {
        nonces: &'a [u64],
    },
}

impl fmt::Display for PoolMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InBlock { number } => write!(f, "in block {number}"),
            Self::ReplacedBy { hash, block: None } => write!(f, "replaced by {hash}"),
            Self::ReplacedBy { hash, block: Some(block) } => {
                write!(f, "replaced by {hash} (same nonce) in block {}", Grouped(block))
            }
            Self::RolledBack { block } => write!(f, "rolled back from block {}", Grouped(block)),
            Self::Awaits { nonces } => {
                let shown = nonces.iter().take(MAX_SHOWN_NONCES).map(u64::to_string);
                let further = (nonces.len() > MAX_SHOWN_NONCES).then(|| "…".to_owned());
                let shown = shown.chain(further).collect::<Vec<_>>().join(", ");
                let plural = if nonces.len() == 1 { "" } else { "s" };
                write!(f, "pending: waits for nonce{plural} {shown}")
            }
        }
    }
}

/// A list of transfers that a transaction's page is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferList {
    Token,
    Internal,
}

impl fmt::Display for TransferList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token => "token transfers",
            Self::Internal => "internal transfers",
        })
    }
}

/// Transfers that the page lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingTransfers {
    Unreadable(usize),
    UnreadableCalls(usize),
    /// Calls inside failed, and only the trace shows which others were reverted with them.
    SeeTrace,
    /// It is unknown whether the transaction succeeded.
    UnknownOutcome,
    /// Its own value or a party of it cannot be read, or is not indexed yet.
    UnknownMove,
    NotLoaded(TransferList),
    /// The explorer has not indexed the calls, or never does.
    NotIndexed(TransferList),
    Failed(TransferList, SafeText),
    /// Further pages are not loaded.
    FirstPages(TransferList, usize),
}

impl fmt::Display for MissingTransfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(1) => f.write_str("? 1 transfer cannot be read: incomplete"),
            Self::Unreadable(count) => {
                write!(f, "? {count} transfers cannot be read: incomplete")
            }
            Self::UnreadableCalls(1) => f.write_str("? 1 call cannot be read: incomplete"),
            Self::UnreadableCalls(count) => {
                write!(f, "? {count} calls cannot be read: incomplete")
            }
            Self::SeeTrace => {
                f.write_str("? calls that moved coin may have been reverted: see Trace")
            }
            Self::UnknownOutcome => f.write_str("? its outcome is unknown"),
            Self::UnknownMove => f.write_str("? its value or a party of it is unknown"),
            Self::NotLoaded(list) => write!(f, "{list}: not loaded"),
            Self::NotIndexed(list) => write!(f, "{list}: not indexed by the explorer"),
            Self::Failed(list, why) => write!(f, "? {list}: {why}"),
            Self::FirstPages(list, pages) => write!(f, "? {list}: only the first {pages} pages"),
        }
    }
}

/// Balance changes that are not added up, because only the first calls are loaded.
#[derive(Debug, Clone, Copy)]
pub struct UnknownBalances {
    pub calls: Grouped<usize>,
}

impl fmt::Display for UnknownBalances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not computed: over {} inner calls (see Trace)", self.calls)
    }
}

/// The number of transfers: `20 of 300+` if only the first are shown, and there may be more than are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownTransfers {
    pub shown: usize,
    pub known: usize,
    pub are_all_known: bool,
}

impl fmt::Display for ShownTransfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shown < self.known {
            write!(f, "{} of ", Grouped(self.shown))?;
        }
        let rest = if self.are_all_known { "" } else { "+" };
        write!(f, "{}{rest}", Grouped(self.known))
    }
}

/// Failures of calls, the contract that the last of them called, and its error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerFailures<'a> {
    pub failed: usize,
    pub calls: usize,
    pub contract: Option<&'a str>,
    pub error: Option<&'a str>,
}

impl fmt::Display for InnerFailures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failed, calls, contract, error } = self;
        write!(f, "{} of {} calls failed", Grouped(failed), Grouped(calls))?;
        match contract {
            Some(contract) if *failed == 1 => write!(f, ", in {contract}")?,
            Some(contract) => write!(f, ", the last in {contract}")?,
            None => {}
        }
        error.map_or(Ok(()), |error| write!(f, ": {error}"))
    }
}

/// Console output that the page lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsoleNote {
    Failed(SafeText),
    /// Further lines are not loaded.
    FirstLines(usize),
}

impl fmt::Display for ConsoleNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) => write!(f, "? console: {why}"),
            Self::FirstLines(lines) => {
                write!(f, "? console: only the first {} lines", Grouped(lines))
            }
        }
    }
}

/// Parts of a failure that the page lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureNote {
    NoStack(SafeText),
    NoLine(SafeText),
    /// Further calls around the stack.
    LeftOut(u64),
    NoUndoneEvents(SafeText),
}

impl fmt::Display for FailureNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStack(why) => write!(f, "? stack: {why}"),
            Self::NoLine(why) => write!(f, "? source line: {why}"),
            Self::LeftOut(1) => f.write_str("… and 1 call around these"),
            Self::LeftOut(calls) => write!(f, "… and {} calls around these", Grouped(calls)),
            Self::NoUndoneEvents(why) => write!(f, "? undone events: {why}"),
        }
    }
}

/// Tense of the sentences about a transaction: it is in a block, may come into one, or was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    Mined,
    Pending,
    Dropped,
}

impl Tense {
    pub fn creates(self) -> &'static str {
        match self {
            Self::Mined => "creates",
            Self::Pending => "would create",
            Self::Dropped => "would have created",
        }
    }

    pub fn sends(self) -> &'static str {
        match self {
            Self::Mined => "sends",
            Self::Pending => "would send",
            Self::Dropped => "would have sent",
        }
    }

    pub fn fee(self) -> &'static str {
        match self {
            Self::Mined => "fee",
            Self::Pending => "fee would be",
            Self::Dropped => "fee would have been",
        }
    }
}

/// Returns the name of a transaction type, which all chains share below 100. Above, each family of chains has
/// numbers of its own.
pub fn type_name(kind: u64) -> &'static str {
    match kind {
        0 => " (legacy)",
        1 => " (access list, EIP-2930)",
        2 => " (dynamic fee, EIP-1559)",
        3 => " (blobs, EIP-4844)",
        4 => " (delegation, EIP-7702)",
        100 => " (deposit, Arbitrum)",
        101 => " (unsigned, Arbitrum)",
        102 => " (contract, Arbitrum)",
        104 => " (retry, Arbitrum)",
        105 => " (retryable ticket, Arbitrum)",
        106 => " (internal, Arbitrum)",
        113 => " (EIP-712, ZKsync)",
        122 => " (Celo, CIP-66)",
        123 => " (Celo, CIP-64)",
        124 => " (Celo, CIP-42)",
        126 => " (deposit from L1)",
        254 => " (upgrade, ZKsync)",
        255 => " (from L1, ZKsync)",
        _ => "",
    }
}
