//! Indexes the chain of a bare JSON-RPC node and follows it: rows in memory, newest blocks first.
//!
//! [`NodeChain::follow`] starts a task, the follower, which repeats one step: it asks the node for its
//! head, plans the next blocks, reads them with their receipts and calls
//! (`block_reader`), converts them (`block_rows`, `transfer_logs`), adds them to the segments
//! (`segment_list`), and publishes a snapshot (`published_index`). Older blocks come last; a block that the
//! node replaces is dropped with all after it.
//!
//! Blocks do not contain code, balances and metadata of tokens. A response that needs them is made of a
//! snapshot to which `state_reader` adds them, and the calls and steps of a transaction are read for each
//! request (`node_transaction`, from `traces`). Blocks before the index are read for one response as well
//! (`older_blocks`), also those that have rows of an address. `node_chain` serves all of it as a
//! [`ServedChain`](crate::store::ServedChain).

mod block_by_time;
mod block_reader;
mod block_rows;
mod console_lines;
mod contract_calls;
mod contract_reader;
mod failed_calls;
mod follower;
mod node_chain;
mod node_error;
mod node_transaction;
mod older_blocks;
mod pending_transactions;
mod progress;
mod published_index;
mod segment_list;
mod state_reader;
#[cfg(test)]
mod tests;
mod traces;
mod transfer_logs;

pub use node_chain::NodeChain;
pub use progress::{IndexCoverage, IndexProgress, TransactionInBlock};
pub use published_index::IndexWatch;
pub use segment_list::IndexLimits;
