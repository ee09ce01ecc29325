//! Protections against deceptive names, addresses and links.

pub mod address_poisoning;
pub mod confusables;
pub mod url_policy;
