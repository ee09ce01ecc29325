//! Requests that no single pane makes.

mod block_hashes;
pub(super) mod contract_names;
mod signature_lookup;
