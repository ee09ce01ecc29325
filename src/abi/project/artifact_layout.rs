//! Storage layouts of compiled contracts: in Foundry's artifacts with
//! `extra_output = ["storageLayout"]`, and in the build info of Hardhat, there also by its syntax trees.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::artifact::{Artifact, parse_code};
use super::compiler_output::{self, BuildOutput, ContractOutput};
use super::library_functions::MethodIdentifiers;
use super::{ast_layout, build_info};
use crate::abi::StorageLayout;
use crate::abi::json_files::MAX_FILE_BYTES;
use crate::secure_fs;

/// The fields of an artifact that lead to its layout, and to other parts of the compiler's output.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutOrigin<'a> {
    #[serde(borrow)]
    storage_layout: Option<&'a RawValue>,
    /// Only Foundry's artifacts have them.
    #[serde(borrow)]
    method_identifiers: Option<&'a RawValue>,
    contract_name: Option<String>,
    source_name: Option<String>,
    input_source_name: Option<String>,
    build_info_id: Option<String>,
}

impl LayoutOrigin<'_> {
    fn source(&self) -> Option<&String> {
        self.input_source_name.as_ref().or(self.source_name.as_ref())
    }
}

impl Artifact {
    /// Returns the layout of the contract's storage, if the compiler wrote it.
    pub fn storage_layout(&self) -> Option<StorageLayout> {
        StorageLayout::parse(self.storage_layout_json()?.get())
    }

    /// Returns this layout as the compiler wrote it.
    pub fn storage_layout_json(&self) -> Option<Box<RawValue>> {
        self.layout_in_project().or_else(|| self.cached_compilation()?.storage_layout)
    }

    fn layout_in_project(&self) -> Option<Box<RawValue>> {
        let json = self.current_json()?;
        let origin: LayoutOrigin<'_> = serde_json::from_str(&json).ok()?;
        match origin.storage_layout {
            Some(layout) => Some(layout.to_owned()),
            None => self.layout_from_build(&origin),
        }
    }

    /// Returns the artifact's file, if it still has this code.
    fn current_json(&self) -> Option<String> {
        let json = secure_fs::read_own_text(&self.place.file, MAX_FILE_BYTES).ok()?;
        let now = Self::parse(self.place.clone(), &json).ok()??;
        (now.code == self.code).then_some(json)
    }

    /// Returns the functions that the compiler lists, with their selectors.
    pub(super) fn method_identifiers(&self) -> Option<MethodIdentifiers> {
        let json = self.current_json()?;
        let origin: LayoutOrigin<'_> = serde_json::from_str(&json).ok()?;
        if let Some(listed) = origin.method_identifiers {
            return serde_json::from_str(listed.get()).ok();
        }
        self.contract_in_build(&origin, &self.build_output(&origin)?)?.evm.method_identifiers
    }

    /// Returns the compiler's output that a Hardhat artifact is from.
    fn build_output(&self, origin: &LayoutOrigin<'_>) -> Option<String> {
        let [_, output] =
            build_info::file_names(&self.place.file, origin.build_info_id.as_deref())?;
        build_info::read(&self.place.output.join(build_info::FOLDER).join(output))
    }

    fn contract_in_build(&self, origin: &LayoutOrigin<'_>, json: &str) -> Option<ContractOutput> {
        let BuildOutput { output } = serde_json::from_str(json).ok()?;
        let contract = output.contract(origin.source()?, origin.contract_name.as_ref()?)?;
        let (code, _) = parse_code(contract.evm.deployed_bytecode.object.as_deref()?)?;
        (code == self.code).then_some(contract)
    }

    fn layout_from_build(&self, origin: &LayoutOrigin<'_>) -> Option<Box<RawValue>> {
        let json = self.build_output(origin)?;
        let contract = self.contract_in_build(origin, &json)?;
        let Some(layout) = contract.storage_layout else {
            let trees = compiler_output::syntax_trees(&json)?;
            let (source, name) = (origin.source()?, origin.contract_name.as_ref()?);
            return ast_layout::storage_layout(&trees, source, name);
        };
        let trees = layout.get().contains("\"t_enum").then(|| compiler_output::syntax_trees(&json));
        let named =
            trees.flatten().and_then(|trees| ast_layout::with_enum_members(&trees, &layout));
        Some(named.unwrap_or(layout))
    }
}
