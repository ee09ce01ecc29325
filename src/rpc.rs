//! JSON-RPC: a client of a node, what nodes send, and what a node can do.

pub mod answer;
pub mod call_source;
pub mod capabilities;
pub mod client;
pub mod error;
pub mod wire;

pub use call_source::{CallSource, calls_with_logs};
pub use capabilities::{CallSupport, ForkedNetwork, NodeCapabilities, NodeIdentity, RunIdentity};
pub use client::{RpcClient, RpcRequest};
pub use error::RpcError;
