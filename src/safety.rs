//! Protections against deceptive names, addresses and links.

pub mod address_poisoning;
pub mod confusables;
pub mod label_marks;
pub mod url_policy;
