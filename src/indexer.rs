//! Indexes the chain of a bare JSON-RPC node and follows it: rows in memory, newest blocks first.

mod block_reader;
mod follower;
mod node_chain;
mod plan;
mod progress;
mod rows;
mod state_reader;
mod token_index;
mod token_metadata;
mod transfer_logs;

pub use follower::{IndexLimits, PollPace};
pub use node_chain::{IndexWatch, NodeChain};
pub use progress::{IndexCoverage, IndexProgress, MissingBlocks, SetBack};
