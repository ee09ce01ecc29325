//! The words of the chain: addresses, hashes, amounts, times, and which chain is meant.

pub mod amount;
pub mod chains;
pub mod fiat;
pub mod imitation;
pub mod known;
pub mod labels;
pub mod lookalike;
pub mod media;
pub mod network;
pub mod route;
pub mod subject;
pub mod times;
pub mod unknown;
pub mod visits;

pub use alloy_primitives::{Address, B256, Bytes, U256};
pub use jiff::Timestamp;

/// The 32-byte hash that names a transaction.
pub type TxHash = B256;
