//! Addresses in panes: cells and labels, and marks of look-alikes.

pub mod cells;
pub mod labels;
pub mod lookalike_marks;
