//! JSON-RPC: a client of a node, and what nodes send.

pub mod answer;
pub mod call_source;
pub mod client;
pub mod error;
pub mod wire;

pub use call_source::CallSource;
pub use client::{RpcClient, RpcRequest};
pub use error::RpcError;
