//! Decodes calldata, return data, revert data and logs without requests.
//!
//! `signatures` finds candidates by selector or topic, and `decode` tries them on the bytes: a decoding
//! is accepted only if encoding the values again gives the same bytes. A signature that is matched by
//! its selector alone is still a guess, as a function can be crafted to have any four bytes. `project`
//! adds the contracts of the user's own project, which are recognised by their whole code.

mod call_decoder;
mod call_risk;
mod code_selectors;
mod console_log;
mod contract_abi;
mod data_meaning;
mod decode;
mod json_files;
mod multi_send;
mod multicall3;
mod precompile;
mod project;
mod revert_reason;
mod selector;
mod signatures;
mod sol_type;
mod storage;
mod value;

pub use crate::messages::abi::SignatureSource;
pub use call_risk::{CallRisk, is_unlimited};
pub use code_selectors::code_selectors;
pub use console_log::{CONSOLE_ADDRESS, ConsoleLog, decode_console_log, is_console_selector};
pub use contract_abi::{AbiEvent, AbiFunction, AbiKind, ContractAbi, RejectedCall};
pub use data_meaning::{
    DataMeaning, DeclarationKind, DeclaredSignature, hashed_slot, is_likely_number, likely_address,
};
pub use decode::returned_text;
pub use multicall3::{MULTICALL3, decode_results, encode_calls};
pub use precompile::{Precompile, decode_precompile, is_in_precompile_name, precompile_number};
pub use project::{
    Artifact, ArtifactIndex, CompiledContracts, ContractSource, Deployments, Project,
    ProjectContracts, SourceLine,
};
pub use revert_reason::DecodedRevert;
pub use selector::{PANIC_SELECTOR, SELECTOR_BYTES, Selector, SpecialFunction, panic_text};
pub use signatures::{
    DecodedEvent, EventArgument, LogEmitter, SignatureDb, SignatureHash, abi_dir,
    declared_arguments,
};
pub use sol_type::AbiParameter;
pub use storage::{
    ChangedStorage, ChangedVariable, IMPLEMENTATION_SLOT, MAX_PLAIN_SLOTS, PROXY_SLOTS, PlainSlots,
    SlotExpression, StorageLayout, StorageShift, StoredVariable, UPGRADED, known_slot,
    known_slot_name, proxy_address, upgraded_code,
};
pub use value::format::{ValueFormat, plain_text};
pub use value::{AbiValue, Argument, DecodedCall, ValueLine, distinguish_numbers, struct_text};

#[cfg(test)]
mod tests;
