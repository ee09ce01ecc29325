//! Decodes calldata, return data and revert data without requests.
//!
//! A decoding is accepted only if encoding the values again gives the same bytes. A signature that is
//! matched by its selector alone is still a guess: a function can be made to have any four bytes.

pub mod abi_dir;
mod abi_json;
mod abi_name;
mod code_selectors;
mod console_log;
mod contract_abi;
mod decode;
mod event;
mod json_files;
mod looked_up;
mod nested_calls;
mod panic_code;
mod precompile;
mod project;
mod revert_reason;
mod signature;
mod signature_db;
mod signature_parser;
mod signature_source;
mod signature_table;
mod sol_type;
mod value;
mod value_format;

pub use code_selectors::code_selectors;
pub use console_log::{CONSOLE_ADDRESS, ConsoleLog, decode_console_log, is_console_selector};
pub use contract_abi::{AbiFunction, AbiKind, ContractAbi};
pub use event::{DecodedEvent, EventArgument, LogEmitter};
pub use looked_up::SignatureHash;
pub use panic_code::{PANIC_SELECTOR, panic_text};
pub use precompile::{Precompile, decode_precompile, is_in_precompile_name};
pub use project::{
    Artifact, ArtifactIndex, CompiledContracts, ContractSource, Project, ProjectContracts,
};
pub use revert_reason::DecodedRevert;
pub use signature::{Selector, special_function_name};
pub use signature_db::SignatureDb;
pub use signature_source::SignatureSource;
pub use sol_type::AbiParameter;
pub use value::{AbiValue, Argument, DecodedCall, ValueLine};
pub use value_format::ValueFormat;

#[cfg(test)]
mod tests;
