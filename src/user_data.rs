//! Data that the user keeps per chain: labels and recent pages.
//!
//! Both are text files, which the user and other running programs may edit meanwhile. Here are their
//! formats, edits and files; the runtime reads and writes them on another thread.

pub mod files;
pub mod labels;
pub mod recents;
