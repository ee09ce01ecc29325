//! Addresses in panes: cells and labels, and marks of those that could be mistaken for others.

pub mod cells;
pub mod labels;
pub mod lookalike_marks;
