//! Contracts: their sources, ABIs and code.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::address::ProxyImplementation;
use super::json::{Json, scalar, type_error};
use super::json_fields::{Field, FromJson, json_object};
use super::reply::ReplyData;
use crate::chain::{Address, Bytes, Timestamp};
use crate::sanitize::SafeText;

/// Longer lines of a source are cut.
const MAX_LINE_CHARS: usize = 2_000;
const TAB: &str = "    ";

/// Kinds of proxies that are clones of their implementations.
const CLONES: [&str; 2] = ["eip1167", "clone_with_immutable_arguments"];

json_object! {
    pub struct Contract {
        pub name: Field<SafeText>,
        pub is_verified: Field<bool>,
        pub is_partially_verified: Field<bool>,
        /// The file of a project with its code, only from the server of a node.
        pub compiled_artifact: Field<SafeText>,
        /// The compiler's layout of the storage, only from the server of a node.
        pub storage_layout: Field<LayoutJson>,
        /// `true` if the deployed code no longer matches the verified source.
        pub is_changed_bytecode: Field<bool>,
        pub verified_at: Field<Timestamp>,
        pub language: Field<SafeText>,
        pub compiler_version: Field<SafeText>,
        pub evm_version: Field<SafeText>,
        pub optimization_enabled: Field<bool>,
        pub optimization_runs: Field<u64>,
        pub license_type: Field<SafeText>,
        pub proxy_type: Field<SafeText>,
        pub implementations: Field<Vec<ProxyImplementation>>,
        /// Libraries that the code is linked with.
        pub libraries: Field<Vec<LinkedLibrary>> = "external_libraries",
        /// A contract with the same code, whose source this one has.
        pub twin: Field<Address> = "verified_twin_address_hash",
        pub constructor_args: Field<HexDigits>,
        pub abi: Field<AbiJson>,
        pub file_path: Field<SafeText>,
        pub source_code: Field<SourceCode>,
        pub additional_sources: Field<Vec<SourceFile>>,
        /// Reasons for missing files, from the project of a node's contracts.
        pub source_problems: Field<Vec<SafeText>>,
        pub creation_bytecode: Field<HexDigits>,
        pub deployed_bytecode: Field<HexDigits>,
    }
}

impl ReplyData for Contract {}

json_object! {
    pub struct LinkedLibrary {
        pub name: Field<SafeText>,
        pub address: Field<Address> = "address_hash" | "address",
    }
}

/// Returns the usual spelling of a language or of a version of the EVM, which explorers send in small letters.
pub fn usual_spelling(sent: &SafeText) -> SafeText {
    match sent.split_at_checked(1) {
        Some((first, rest)) => SafeText::new(&[&*first.to_ascii_uppercase(), rest].concat()),
        None => sent.clone(),
    }
}

/// Returns the usual name of a licence, or what the explorer sent.
pub fn licence_name(sent: &str) -> &str {
    match sent {
        "mit" => "MIT",
        "unlicense" => "Unlicense",
        "gnu_gpl_v2" => "GPL-2.0",
        "gnu_gpl_v3" => "GPL-3.0",
        "gnu_lgpl_v2_1" => "LGPL-2.1",
        "gnu_lgpl_v3" => "LGPL-3.0",
        "gnu_agpl_v3" => "AGPL-3.0",
        "bsd_2_clause" => "BSD-2-Clause",
        "bsd_3_clause" => "BSD-3-Clause",
        "mpl_2_0" => "MPL-2.0",
        "osl_3_0" => "OSL-3.0",
        "apache_2_0" => "Apache-2.0",
        "bsl_1_1" => "BSL-1.1",
        other => other,
    }
}

json_object! {
    pub struct SourceFile {
        pub file_path: Field<SafeText>,
        pub source_code: Field<SourceCode>,
    }
}

impl Contract {
    /// Returns the ABI, with the name of its contract.
    pub fn named_abi(&self) -> Option<(&SafeText, &RawValue)> {
        Some((self.name.value()?, &self.abi.value()?.0))
    }

    pub fn implementation_addresses(&self) -> Vec<Address> {
        let behind = self.implementations.value().into_iter().flatten();
        behind.filter_map(|one| one.address.value().copied()).collect()
    }

    /// Returns `true` for a proxy with slots for its parts. A clone has its implementation in its code.
    pub fn has_proxy_slots(&self) -> bool {
        let is_clone = self.proxy_type.value().is_some_and(|kind| CLONES.contains(&&**kind));
        !is_clone && !self.implementation_addresses().is_empty()
    }

    /// Returns `true` if it never changes: the source is known, and there is no implementation.
    pub fn is_final(&self) -> bool {
        let is_proxy = self.implementations.value().is_some_and(|behind| !behind.is_empty());
        self.is_verified.value() == Some(&true) && self.abi.value().is_some() && !is_proxy
    }
}

/// The lines of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCode(pub Arc<[SafeText]>);

impl FromJson for SourceCode {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let text = scalar(json).ok_or_else(|| type_error("text", json))?;
        text.lines()
            .map(|line| {
                // Sanitized text can become three times as long.
                json.spend(size_of::<SafeText>() + 3 * line.len().min(4 * MAX_LINE_CHARS))?;
                Ok(SafeText::bounded(&line.replace('\t', TAB), MAX_LINE_CHARS))
            })
            .collect::<Result<_, SafeText>>()
            .map(Self)
    }
}

/// The compiler's JSON of an ABI, as it was sent.
#[derive(Debug, Clone)]
pub struct AbiJson(pub Arc<RawValue>);

impl FromJson for AbiJson {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        json.spend(json.get().len())?;
        if !json.get().starts_with('[') {
            return Err(type_error("an array", json));
        }
        Ok(Self(Arc::from(json.to_raw()?)))
    }
}

/// The compiler's JSON of a storage layout, as it was sent.
#[derive(Debug, Clone)]
pub struct LayoutJson(pub Arc<RawValue>);

impl FromJson for LayoutJson {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        json.spend(json.get().len())?;
        if !json.get().starts_with('{') {
            return Err(type_error("an object", json));
        }
        Ok(Self(Arc::from(json.to_raw()?)))
    }
}

/// Bytes in hex, which some servers begin with `0x`.
#[derive(Debug, Clone)]
pub struct HexDigits(pub Bytes);

impl FromJson for HexDigits {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        json.spend(json.get().len() / 2)?;
        let bytes = scalar(json).and_then(|text| text.parse().ok());
        bytes.map(Self).ok_or_else(|| type_error("hex digits", json))
    }
}
