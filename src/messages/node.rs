//! Errors of nodes, and of the server that shows the chain of a node.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::connect_error::ConnectError;
use crate::chain::Bytes;
use crate::sanitize::SafeText;

/// Reasons why a transaction, block or token is not found although the chain may have it.
pub const NOT_INDEXED: &str = "not in the indexed blocks: unknown, or rolled back";
pub const PENDING: &str = "pending: not in a block yet";
pub const NOT_ANSWERED: &str = "the node has not answered yet";
pub const ABANDONED: &str = "the request was cancelled";

/// Reason of an error response, sent by the embedded server next to its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum NodeErrorCode {
    NotFound,
    /// Blocks before the indexed ones may have it.
    OutsideIndex,
    /// The transaction is in no block yet.
    Pending,
    /// The transaction was in a block or in the pool, and is in neither now.
    Dropped,
    /// Earlier blocks, which are still being indexed, may have it.
    StillIndexing,
    /// No process listens at the node's address, which is on this machine.
    NoLocalNode,
    /// The node does not respond.
    Unavailable,
    /// The node lacks a method or a block.
    Unsupported,
    Internal,
}

impl NodeErrorCode {
    /// Returns `true` if the response has the status 404.
    pub fn is_not_found(self) -> bool {
        matches!(self, Self::NotFound | Self::OutsideIndex | Self::Pending | Self::Dropped)
    }

    /// Returns `true` if more blocks of the node may contain the requested object.
    pub fn may_come_with_blocks(self) -> bool {
        self.is_not_found()
            || matches!(self, Self::StillIndexing | Self::NoLocalNode | Self::Unavailable)
    }

    /// Adds to the message of an error what would end it.
    pub fn with_remedy(self, message: &str) -> String {
        match self {
            Self::NoLocalNode => format!("{message}: waiting for anvil, connects by itself"),
            _ => message.to_owned(),
        }
    }
}

/// A node that cannot be read now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeOutage {
    /// No process listens at an address on this machine.
    NoLocalNode {
        address: SafeText,
    },
    /// It answers, but what it sends about its blocks cannot be used.
    Unusable(SafeText),
    Other(SafeText),
}

impl NodeOutage {
    pub fn code(&self) -> NodeErrorCode {
        match self {
            Self::NoLocalNode { .. } => NodeErrorCode::NoLocalNode,
            Self::Unusable(_) | Self::Other(_) => NodeErrorCode::Unavailable,
        }
    }

    /// Describes the outage of a node that is asked again.
    pub fn while_retrying(&self) -> String {
        match self {
            Self::Unusable(why) | Self::Other(why) => format!("{why}; retrying"),
            Self::NoLocalNode { .. } => self.code().with_remedy(&self.to_string()),
        }
    }
}

impl fmt::Display for NodeOutage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLocalNode { address } => f.write_str(&no_node(address)),
            Self::Unusable(why) | Self::Other(why) => why.fmt(f),
        }
    }
}

fn no_node(address: &SafeText) -> String {
    format!("no node at {address}")
}

impl From<&str> for NodeOutage {
    fn from(why: &str) -> Self {
        Self::Other(why.into())
    }
}

impl From<&RpcError> for NodeOutage {
    fn from(error: &RpcError) -> Self {
        Self::Other(SafeText::new(&error.to_string()))
    }
}

/// Notices about the chain of a node.
#[derive(Debug, strum::Display)]
pub enum ChainNotice<'a> {
    #[strum(
        to_string = "fork of {chain} at block {block}; earlier blocks are not indexed{way_out}"
    )]
    Fork { chain: &'a str, block: &'a str, way_out: &'a str },
    #[strum(to_string = "transaction {hash} failed in block {block} ({key} lists it)")]
    Failed { hash: &'a str, block: &'a str, key: &'a str },
    #[strum(to_string = "the node's chain is {id}, not {expected} as before")]
    Changed { id: u64, expected: u64 },
    #[strum(to_string = "the node's chain is {id}, not {expected} as in the settings")]
    Unexpected { id: u64, expected: u64 },
}

/// Reasons why a node's response is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseDefect {
    #[error("the response is larger than {megabytes} MB")]
    TooLarge { megabytes: u64 },
    #[error("larger than 2 MB")]
    LargeCall,
    #[error("the calls nest too deep")]
    DeepCalls,
    #[error("a value cannot be read")]
    UnreadableValue,
    #[error("it is null")]
    Null,
    #[error("no `{0}`")]
    MissingField(&'static str),
}

impl From<ResponseDefect> for SafeText {
    fn from(defect: ResponseDefect) -> Self {
        defect.to_string().into()
    }
}

/// A request to a node without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RpcError {
    /// The node lacks the method, or the tracer that was asked for.
    #[error("method not supported")]
    Unsupported,
    /// The response, a range of blocks or a batch exceeds a limit: a smaller request may work.
    #[error("{address}: too much at once: {why}")]
    TooLarge { address: SafeText, why: SafeText },
    /// The node lacks the block or its state, or has them no longer.
    #[error("not kept by {address}: {why}")]
    Pruned { address: SafeText, why: SafeText },
    #[error("{address}: too many requests")]
    RateLimited {
        address: SafeText,
        /// The delay that the node asks for.
        retry_after: Option<Duration>,
    },
    #[error("{}", unreachable_text(address, why))]
    Unreachable { address: SafeText, why: ConnectError },
    #[error("the response of {address} was cut off: {why}")]
    Interrupted { address: SafeText, why: SafeText },
    #[error("{address}: no response within {seconds} s")]
    Timeout { address: SafeText, seconds: u64 },
    /// A response of something else: a gateway, a web page, another service.
    #[error("{address}: not a JSON-RPC response (HTTP {status}, {what})")]
    NotJsonRpc {
        address: SafeText,
        status: u16,
        /// The content type and the server's software.
        what: SafeText,
    },
    #[error("the node did not answer this request")]
    Unanswered,
    /// A result that is not what the method returns.
    #[error("cannot read the response: {why}")]
    Unreadable { why: SafeText },
    #[error("{address} answered {}: {message}", code.map_or("?".into(), |code| code.to_string()))]
    Other {
        address: SafeText,
        code: Option<i64>,
        message: SafeText,
        /// The bytes that a call reverted with.
        data: Option<Bytes>,
    },
}

/// Words the failure of a connection: nothing may listen at the address at all.
fn unreachable_text(address: &SafeText, why: &ConnectError) -> String {
    match why {
        ConnectError::Refused => no_node(address),
        why => format!("cannot reach {address}: {why}"),
    }
}
