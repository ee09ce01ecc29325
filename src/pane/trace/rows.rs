//! The rows of the tree: calls and events, with columns of gas before them.
//!
//! Only the visible rows are made, for each frame again: [`gas_columns`] has the widths that they share.

pub mod call_row;
pub mod gas_columns;
mod log_row;
