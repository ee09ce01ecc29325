//! The rows of a chain in immutable snapshots, filled from the demo archive or from a node.
//!
//! A snapshot has segments, each a run of consecutive blocks with all their rows, and the state that
//! explorers show next to them: accounts, tokens, instances and balances.

mod balance_changes;
mod balance_effects;
mod balance_shift;
mod records;
mod segment;
pub mod serde_util;
mod snapshot;
mod state;
mod table;
mod transfer_batch;

pub use balance_changes::TokenShift;
pub use balance_effects::BalanceEffect;
pub use balance_shift::{BalanceShift, BlockBalance, TokenHolding};
pub use records::{
    AccountRecord, BalanceRecord, BlockNumHash, BlockRecord, CallFailure, ContractCode, FailedCall,
    ImplementationRecord, InstanceRecord, InternalTransactionRecord, LogOrigin, LogRecord,
    TagRecord, TokenRecord, TokenStandard, TransactionPosition, TransactionRecord,
    WithdrawalRecord, Withdrawals,
};
pub use segment::{Segment, UnreadableBlock};
pub use snapshot::{ServedChain, Snapshot};
pub use state::{
    AccountTable, ChainState, InstanceTable, StateKey, StateParts, TokenTable, VerifiedContracts,
};
pub use table::{StoreError, Table};
pub use transfer_batch::{TransferLog, TransferPosition, TransferRecord, expand_batch};
