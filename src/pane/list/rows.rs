//! The loaded rows of a list: in memory, searched, filtered and sorted.
//!
//! `store` has each row, packed unless it was loaded last. `filter` has the numbers of the shown rows in their order:
//! `search` and `order` compute them in slices, with `matcher` to rule rows out by their JSON.

pub(super) mod cell_number;
pub(super) mod filter;
mod fold;
pub mod matcher;
pub(super) mod memory;
mod merge_sort;
pub(super) mod order;
pub(super) mod prefilter;
pub(super) mod scopes;
pub(super) mod search;
pub(super) mod store;
pub(super) mod text;
