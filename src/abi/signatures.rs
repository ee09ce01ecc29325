//! Signatures of functions, errors and events: parsing, and look-up by selector or topic.
//!
//! Text and ABI files are parsed into [`Signature`]s and event signatures. A [`SignatureDb`] indexes
//! them by contract and by selector, next to the built-in table, and returns the [`Candidate`]s for a
//! call in the order of [`LookupScope`]. The parent module tries them on the bytes: a selector alone
//! does not identify a function.

pub mod abi_dir;
mod abi_json;
mod creations;
mod database_signatures;
mod event;
mod json_arguments;
mod lazy_signature;
mod recorded_abis;
mod signature;
mod signature_db;
mod signature_parser;
mod signature_table;

pub(super) use abi_json::{ParsedEntry, parse_entries};
pub(super) use creations::{CreationCode, link_addresses};
pub use database_signatures::SignatureHash;
pub use event::{DecodedEvent, EventArgument, LogEmitter};
pub use json_arguments::declared_arguments;
pub(super) use signature::{Candidate, Signature, SignatureKind};
pub use signature_db::SignatureDb;
pub(super) use signature_db::{CallTarget, LookupScope};
