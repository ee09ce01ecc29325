//! What the user keeps per chain: labels and recently visited pages.

pub mod labels;
pub mod recents;
