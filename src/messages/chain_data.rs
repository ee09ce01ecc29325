//! Reasons why a chain that this program serves lacks data.

use super::Count;
use super::node::{ResponseDefect, RpcError};
use super::project::SourceError;
use crate::chain::amount::Grouped;
use crate::sanitize::SafeText;

/// Data that the node, or the demo chain, does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainDataError {
    #[error("this node cannot list internal transactions; a transaction's trace has them")]
    CallsOnDemand,
    #[error("a node does not list its accounts")]
    NoAccountList,
    #[error("a node does not verify contracts")]
    NoVerifiedContracts,
    #[error("this node does not trace calls ({0})")]
    NoTracer(TracerError),
    #[error("unknown whether this node traces calls")]
    UnknownTracer,
    #[error("this node does not trace all calls ({0})")]
    TraceRefused(RpcError),
    #[error("this node lists no calls of block {}", Grouped(block))]
    NoCalls { block: u64 },
    #[error("calls of block {} cannot be read", Grouped(block))]
    UnreadableCalls { block: u64 },
    #[error("the node sent the calls of another transaction")]
    WrongCalls,
    #[error("this node has no state of block {} any more", Grouped(block))]
    NoState { block: u64 },
    #[error("block {} is unreadable: {why}", Grouped(block))]
    UnreadableBlock { block: u64, why: SafeText },
    #[error("this node has no block {}", Grouped(block))]
    NoBlock { block: u64 },
    #[error("the index is empty")]
    EmptyIndex,
    #[error("no balances within a block: this node has no prestateTracer")]
    NoBalanceTracer,
    #[error("no balance of the address")]
    NoBalance,
    #[error("rows that changed the balance are missing")]
    NoBalanceChanges,
    #[error("the node sends no withdrawals")]
    NoWithdrawals,
    #[error("the node sends no hashes of blobs")]
    NoBlobHashes,
    #[error("too many possible holders to ask the node for each")]
    TooManyHolders,
    #[error("the demo chain runs no code: only token data is recorded")]
    NoCode,
    #[error("the demo chain runs no code: of old blocks only balances are known")]
    NoOldAnswers,
    #[error("no block {} yet", Grouped(block))]
    NoBlockYet { block: u64 },
    #[error("{} written: too many to ask the node for each", Count(*slots, "slot"))]
    TooManySlots { slots: usize },
    #[error(transparent)]
    Tracer(#[from] TracerError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Steps(#[from] StepsError),
    #[error(transparent)]
    Rpc(#[from] RpcError),
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// A JSON-RPC request that the embedded server refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallRequestError {
    #[error("no {0} here, only eth_call, eth_getLogs and eth_getStorageAt")]
    Method(SafeText),
    #[error("no pending block here")]
    Pending,
    #[error("incorrect number of params")]
    ParameterCount,
    #[error("invalid block number")]
    Block,
    #[error("invalid address")]
    Address,
    #[error("invalid integer")]
    Integer,
    #[error("missed `to` address")]
    MissingTo,
    #[error("invalid `to` address")]
    To,
    #[error("invalid `input` data")]
    Input,
    #[error("too many requests in a batch")]
    BatchTooLarge,
}

/// A filter of logs that the embedded server refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogFilterError {
    #[error("must supply one of address and topics")]
    NoAddressOrTopics,
    #[error("invalid block number")]
    BlockNumber,
    #[error("invalid paging_options: hex digits without 0x")]
    PagingOptions,
    #[error("invalid filter: {0}")]
    Invalid(SafeText),
}

/// A tracer's answer that has no calls.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TracerError {
    #[error("debug_traceTransaction: no steps recorded")]
    NoSteps,
    #[error("no debug_traceTransaction; Geth needs --http.api eth,net,web3,debug")]
    Unsupported,
    #[error("debug_traceTransaction: {0}")]
    Failed(RpcError),
}

/// Steps of the EVM that are not a run of it, or too large.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("cannot read the steps: {0}")]
    Unreadable(SafeText),
    #[error("cannot read the steps: not a step")]
    NotAStep,
    /// Some nodes make up an answer without any.
    #[error("no steps recorded")]
    NoSteps,
    #[error("the steps have no stack")]
    NoStack,
    #[error("the steps skip a call")]
    Skipped,
    #[error("more than 64 MB of calls")]
    TooLarge,
}

/// A failed call that cannot be found among the steps of its transaction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepsError {
    #[error("too many steps for the node's memory: {}", Grouped(*steps as u64))]
    TooMany { steps: usize },
    #[error("too many steps for the node's memory: {} gas", Grouped(gas))]
    TooMuchGas { gas: u64 },
    #[error("no steps recorded: start anvil with --steps-tracing")]
    NoSteps,
    #[error("no steps recorded on this chain")]
    NoneOnChain,
    #[error("the steps have no depth")]
    NoDepth,
    #[error("the steps have no position in the code")]
    NoPosition,
    #[error("the node's steps have no such call")]
    NoSuchCall,
    #[error("ambiguous: several failed calls used the same gas")]
    Ambiguous,
}

/// Blocks that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Rpc(#[from] RpcError),
    #[error(transparent)]
    Block(#[from] BlockError),
    #[error("the node changed from chain {before} to chain {now}")]
    OtherChain { before: u64, now: u64 },
}

/// A block that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BlockError {
    /// The answers are of different chains: it changed between them.
    #[error("the chain changed while it was read")]
    Inconsistent,
    #[error("the node's logs and transactions disagree")]
    LogsDisagree,
    #[error("the node lacks one of its blocks")]
    Absent,
    #[error("the node lacks receipts of a block")]
    NoReceipts,
    #[error("the node sends receipts of other transactions")]
    WrongReceipts,
    /// The node traces calls, but lists none of a block with transactions.
    #[error("the node lists no calls of a block")]
    Untraced,
    /// A field that every node sends is missing or out of range.
    #[error("a block cannot be read: no `{0}`")]
    MissingField(&'static str),
    /// Some of the blocks cannot be decoded, perhaps this time only.
    #[error("blocks cannot be read")]
    Unreadable,
}

impl BlockError {
    /// Describes the defect of a block that is named.
    pub fn describe(self) -> SafeText {
        match self {
            Self::MissingField(field) => ResponseDefect::MissingField(field).into(),
            error => SafeText::new(&error.to_string()),
        }
    }
}
