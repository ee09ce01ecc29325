//! Chain-level types: addresses, amounts, targets, and the chains themselves.
//!
//! [`chains`] finds a [`Network`](network::Network) by name, id or URL, with the endpoint that is asked about
//! it. `target_parser` reads what a user types or pastes into a [`target`]. Numbers are exact: [`amount`] formats
//! integers, [`decimal`] has fractions, [`significant_digits`] rounds for the eye.

pub mod amount;
pub mod block_id;
pub mod call_kind;
pub mod chains;
pub mod checksum;
pub mod coverage;
pub mod data_input;
pub mod decimal;
pub mod development_accounts;
pub mod echoed_secret;
mod explorer_links;
pub mod fiat_value;
pub mod hash_abbreviation;
pub mod network;
pub mod node_url;
pub mod percent;
pub mod raw_transaction;
pub mod significant_digits;
pub mod target;
mod target_parser;
pub mod time_input;
pub mod token_standard;

pub use alloy_primitives::{Address, B256, Bytes, U256, address, b256};
pub use block_id::BlockId;
pub use jiff::Timestamp;

pub type TxHash = B256;

/// Bytes of a word of the EVM, and of each value in encoded arguments.
pub const WORD_BYTES: usize = U256::BYTES;
/// Gas of a transfer to an account, which runs no code. Every transaction takes it first.
pub const TRANSFER_GAS: u64 = 21_000;
