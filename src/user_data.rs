//! Data that the user keeps per chain: labels and recent pages.

pub mod labels;
pub mod recents;
