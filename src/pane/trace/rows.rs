//! The rows of the tree: calls and events, with columns of gas before them.

pub mod call_row;
pub mod gas_columns;
mod log_row;
