//! The rows of a chain in immutable snapshots, filled from the demo archive or from a node.
//!
//! A snapshot has segments, each a run of consecutive blocks with all their rows, and the state that
//! explorers show next to them: accounts, tokens, instances and balances. A response is made of one
//! snapshot, so that all its parts are of one moment; blocks that come meanwhile are in the next one,
//! which shares the segments that did not change.
//!
//! The demo chain is one segment with all of its state. Of a node's chain, the segments grow at both
//! ends and some blocks may be missing ([`Snapshot::coverage`]), and the state has only the parts that
//! a response asked for ([`StateParts`]): others are looked up in vain, noted, loaded, and the response
//! is made again.

mod balance_changes;
mod balance_effects;
mod balance_shift;
mod lazy_table;
mod records;
mod segment;
pub mod serde_util;
mod snapshot;
mod state;
mod transfer_batch;

pub use balance_changes::TokenShift;
pub use balance_effects::BalanceEffect;
pub use balance_shift::{BalanceShift, BlockBalance, TokenHolding};
pub use lazy_table::{StoreError, StoreResult, Table};
pub use records::{
    AccountRecord, BalanceRecord, BlobCosts, BlockNumHash, BlockRecord, CallFailure,
    ConsoleLineRecord, ContractCode, DELEGATION, DeployedBuildRecord, FailedCall,
    ImplementationRecord, InstanceRecord, InternalTransactionRecord, LayerCosts, LogOrigin,
    LogRecord, RunningFunction, StorageChanges, TagRecord, TokenRecord, TransactionFailure,
    TransactionPosition, TransactionRecord, UNTRACED_ERROR, UndoneLog, WithdrawalRecord,
    Withdrawals,
};
pub use segment::{Segment, UnreadableBlock};
pub use snapshot::{HistoryEnd, ServedChain, Snapshot};
pub use state::{
    AccountTable, ChainState, HistoryKey, HistoryList, InstanceTable, KnownFailure, StateKey,
    StateParts, TokenTable, VerifiedContracts,
};
pub use transfer_batch::{TransferLog, TransferPosition, TransferRecord, expand_batch};
