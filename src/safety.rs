//! Protections against deceptive names, addresses and links.

pub mod address_poisoning;
pub mod confusables;
mod lookalike_digits;
pub mod name_marks;
pub mod public_hosts;
pub mod url_policy;
