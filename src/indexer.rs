//! Indexes the chain of a bare JSON-RPC node and follows it: rows in memory, newest blocks first.

mod account_code;
mod block_reader;
mod call_replay;
mod contract_calls;
mod contract_reader;
mod evm_step;
mod failed_steps;
mod flat_trace;
mod follower;
mod holder_candidates;
mod log_origins;
mod node_chain;
mod pending;
mod plan;
mod progress;
mod rows;
mod segment_list;
mod state_reader;
mod token_balances;
mod token_index;
mod token_metadata;
mod token_standards;
mod transfer_logs;

pub use node_chain::{IndexWatch, NodeChain};
pub use progress::{IndexCoverage, IndexProgress, Rollback};
pub use segment_list::IndexLimits;
