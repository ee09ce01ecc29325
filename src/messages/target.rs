//! Errors of what a user types: chains, targets, URLs, numbers. `chain` defines the values, and the reasons
//! why a chain is read from its endpoint.

use std::fmt;

use crate::chain::chains::custom_chain::ChainConfigError;
use crate::chain::chains::endpoint::EndpointReason;
use crate::chain::chains::unknown_chain::UnknownChainError;
use crate::chain::decimal::ParseDecimalError;
use crate::chain::node_url::NodeUrlError;
use crate::chain::target::{LinkedChain, ParseTargetError};

const MAX_LISTED_CHAINS: usize = 8;

/// The note of a list or trace on stderr if nothing chose a chain.
pub const DEMO_CHAIN_NOTE: &str =
    "chainglass: invented data of the demo chain (--chain NAME for another)";

pub fn mistyped_subcommand(typed: &str, meant: &str) -> String {
    format!("unknown subcommand {typed:?}: did you mean `{meant}`?")
}

impl fmt::Display for ChainConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(key) => write!(
                f,
                "chains.{key}: url must be an explorer's base URL (https://…), rpc a node's"
            ),
            Self::Name(key) => write!(f, "chains.{key}: not a valid chain name"),
        }
    }
}

impl fmt::Display for UnknownChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { text, near } => {
                write!(f, "unknown chain {text:?}: ")?;
                match &near[..] {
                    [] => f.write_str("use"),
                    [one] => write!(f, "did you mean {one}? Otherwise use"),
                    [others @ .., last] => {
                        write!(f, "did you mean {} or {last}? Otherwise use", others.join(", "))
                    }
                }?;
                f.write_str(" a name or ID of `chainglass chains`, or https://…")
            }
            Self::NoExplorer { text, id } => write!(
                f,
                "no Blockscout explorer is known for {text} (chain {id}): use a node's https://…"
            ),
            Self::WebSocket { http } => {
                write!(f, "nodes are read over HTTP, not WebSocket: try {http}")
            }
            Self::Ambiguous { text, fitting } => {
                let shown = fitting.get(..MAX_LISTED_CHAINS).unwrap_or(fitting).join(", ");
                write!(f, "{text:?} matches several chains: {shown}")?;
                match fitting.len().saturating_sub(MAX_LISTED_CHAINS) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

impl fmt::Display for ParseTargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("not an address, hash, block number, date, explorer link or name")
            }
            Self::Time => {
                f.write_str("expected a time such as 2024-05-01, yesterday 22:30 or 2h ago")
            }
            Self::Unclear(_) => f.write_str("pass only one address or hash, without other text"),
        }
    }
}

impl fmt::Display for NodeUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the URL of a node: expected http:// or https:// and a host")
    }
}

impl fmt::Display for ParseDecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal number")
    }
}

impl fmt::Display for LinkedChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(base) => write!(f, "the chain at {base}"),
            Self::Id(id) => write!(f, "chain {id}"),
        }
    }
}

impl EndpointReason {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Demo => "built in",
            Self::LocalNode => "running on this machine",
            Self::Config => "your configuration",
            Self::Pro => "PRO API (your key)",
            Self::NoKey => "own explorer",
            Self::NotServed => "own explorer (not on PRO)",
        }
    }
}
