//! JSON-RPC: a client of a node, the objects that nodes send, and the capabilities of a node.
//!
//! `client` sends requests, alone or in batches as large as the node accepts, and `response` assigns the
//! results to them. Errors are classified by `error`, as their codes differ from node to node: some
//! mean that a smaller request works, some that a later one does, all others are final. `wire` decodes
//! the results, and `capabilities` tries the methods that only some nodes have.

pub mod call_source;
pub mod capabilities;
pub mod client;
pub mod error;
pub mod request;
mod response;
pub mod wire;

pub use call_source::{CallSource, calls_with_logs};
pub use capabilities::{CallSupport, ForkedNetwork, NodeCapabilities, NodeIdentity, RunIdentity};
pub use client::RpcClient;
pub use error::RpcError;
pub use request::{BlockTag, RpcRequest};
