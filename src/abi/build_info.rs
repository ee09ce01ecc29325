//! Where code has its immutable values, from the compiler's output: artifacts of Hardhat 2 lack it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::json_files::MAX_FILE_BYTES;
use crate::secure_fs;

/// Maximum bytes of the compiler's input and output for a whole project.
const MAX_BYTES: u64 = 128 << 20;

#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct CodeSpan {
    pub(super) start: usize,
    pub(super) length: usize,
}

/// Where the code has the immutable values, by the number of each in the compiler.
pub(super) type ImmutableSpans = HashMap<String, Vec<CodeSpan>>;
/// The outputs of the compiler in a folder, each read when first asked for.
pub(super) struct BuildInfos {
    folder: PathBuf,
    outputs: HashMap<OsString, Option<CompilerOutput>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DebugFile {
    /// A path relative to this file.
    build_info: PathBuf,
}

#[derive(Deserialize)]
struct BuildInfo {
    output: CompilerOutput,
}

#[derive(Deserialize)]
struct CompilerOutput {
    /// By source and name.
    contracts: HashMap<String, HashMap<String, CompiledContract>>,
}

#[derive(Deserialize)]
struct CompiledContract {
    evm: CompiledCode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompiledCode {
    deployed_bytecode: DeployedReferences,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeployedReferences {
    #[serde(default)]
    immutable_references: ImmutableSpans,
}

impl BuildInfos {
    pub(super) fn in_folder(artifacts: &Path) -> Self {
        Self { folder: artifacts.join("build-info"), outputs: HashMap::new() }
    }

    /// Returns where the code of an artifact has its immutable values. The file beside the artifact
    /// tells which output it is from: there may be older ones.
    pub(super) fn immutables(
        &mut self,
        artifact: &Path,
        source: &str,
        name: &str,
    ) -> Option<ImmutableSpans> {
        let debug_file =
            secure_fs::read_text(&artifact.with_extension("dbg.json"), MAX_FILE_BYTES).ok()?;
        let debug_file: DebugFile = serde_json::from_str(&debug_file).ok()?;
        let file_name = debug_file.build_info.file_name()?.to_owned();
        let path = self.folder.join(&file_name);
        let output = self.outputs.entry(file_name).or_insert_with(|| read_output(&path));
        let contract = output.as_mut()?.contracts.get_mut(source)?.remove(name)?;
        Some(contract.evm.deployed_bytecode.immutable_references)
    }
}

fn read_output(path: &Path) -> Option<CompilerOutput> {
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let json = is_file.then(|| secure_fs::read_text(path, MAX_BYTES).ok())??;
    serde_json::from_str::<BuildInfo>(&json).ok().map(|info| info.output)
}
