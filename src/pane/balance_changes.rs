//! The balance changes of a transaction, as lines and as rows.

pub mod lines;
pub mod rows;
