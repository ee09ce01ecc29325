//! The words of the chain: addresses, hashes, amounts, times, and which chain is meant.

pub mod amount;
pub mod chains;
pub mod endpoint;
pub mod fiat_value;
pub mod network;
pub mod registry;
pub mod suggest;
pub mod target;

pub use alloy_primitives::{Address, B256, Bytes, U256};
pub use jiff::Timestamp;

/// The 32-byte hash that names a transaction.
pub type TxHash = B256;
