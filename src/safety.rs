//! Protections against deceptive names, addresses and links.
//!
//! Nothing here hides data: a suspicious address, symbol or name is shown with a mark and a reason. Only
//! URLs are refused, before anything is fetched or opened.

pub mod address_poisoning;
pub mod confusables;
mod lookalike_digits;
pub mod name_marks;
pub mod public_hosts;
pub mod url_policy;
