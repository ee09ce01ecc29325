//! Data that the user keeps per chain: labels and recent pages.
//!
//! Both are text files, which the user and other running programs may edit meanwhile. Here are their
//! formats and edits; the runtime reads and writes the files.

pub mod labels;
pub mod recents;
