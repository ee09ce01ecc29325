//! Storage layouts of compiled contracts: in Foundry's artifacts with
//! `extra_output = ["storageLayout"]`, and in the build info of Hardhat, there also by its syntax trees.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::artifact::{Artifact, parse_code};
use super::compiler_output::{self, BuildOutput};
use super::{ast_layout, build_info};
use crate::abi::StorageLayout;
use crate::abi::json_files::MAX_FILE_BYTES;
use crate::secure_fs;

/// The fields of an artifact that lead to its layout.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutOrigin<'a> {
    #[serde(borrow)]
    storage_layout: Option<&'a RawValue>,
    contract_name: Option<String>,
    source_name: Option<String>,
    input_source_name: Option<String>,
    build_info_id: Option<String>,
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
        let json = secure_fs::read_own_text(&self.place.file, MAX_FILE_BYTES).ok()?;
        let now = Self::parse(self.place.clone(), &json).ok()??;
        let origin: LayoutOrigin<'_> = serde_json::from_str(&json).ok()?;
        if now.code != self.code {
            return None;
        }
        match origin.storage_layout {
            Some(layout) => Some(layout.to_owned()),
            None => self.layout_from_build(&origin),
        }
    }

    fn layout_from_build(&self, origin: &LayoutOrigin<'_>) -> Option<Box<RawValue>> {
        let [_, output] =
            build_info::file_names(&self.place.file, origin.build_info_id.as_deref())?;
        let json = build_info::read(&self.place.output.join(build_info::FOLDER).join(output))?;
        let BuildOutput { output } = serde_json::from_str(&json).ok()?;
        let source = origin.input_source_name.as_ref().or(origin.source_name.as_ref())?;
        let contract = output.contract(source, origin.contract_name.as_ref()?)?;
        let (code, _) = parse_code(contract.evm.deployed_bytecode.object.as_deref()?)?;
        if code != self.code {
            return None;
        }
        let Some(layout) = contract.storage_layout else {
            let trees = compiler_output::syntax_trees(&json)?;
            return ast_layout::storage_layout(&trees, source, origin.contract_name.as_ref()?);
        };
        let trees = layout.get().contains("\"t_enum").then(|| compiler_output::syntax_trees(&json));
        let named =
            trees.flatten().and_then(|trees| ast_layout::with_enum_members(&trees, &layout));
        Some(named.unwrap_or(layout))
    }
}
