//! The compiler's input and output as Hardhat keeps them: artifacts of Hardhat 2 lack where the code
//! has its immutable values, and all of Hardhat's lack the sources.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::compiler_output::{BuildOutput, ByContract, ImmutableSpans, SourceNumbers};
use super::json_files::MAX_FILE_BYTES;
use crate::secure_fs;

/// Maximum bytes of the compiler's input and output for a whole project.
const MAX_BYTES: u64 = 128 << 20;
/// Files of Foundry's, of which each run of the compiler leaves one.
const MAX_RUNS: usize = 1_000;
pub(super) const FOLDER: &str = "build-info";

/// The immutable values in the outputs of a folder, each read when first asked for.
pub(super) struct BuildInfos {
    folder: PathBuf,
    outputs: HashMap<OsString, ByContract<ImmutableSpans>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DebugFile {
    /// A path relative to this file.
    build_info: PathBuf,
}

impl BuildInfos {
    pub(super) fn in_folder(artifacts: &Path) -> Self {
        Self { folder: artifacts.join(FOLDER), outputs: HashMap::new() }
    }

    /// Returns where the code of an artifact has its immutable values. The file beside the artifact
    /// tells which output it is from: there may be older ones.
    pub(super) fn immutables(
        &mut self,
        artifact: &Path,
        source: &str,
        name: &str,
    ) -> Option<ImmutableSpans> {
        let file_name = file_name(artifact)?;
        let path = self.folder.join(&file_name);
        let read = || read_immutables(&path).unwrap_or_default();
        let output = self.outputs.entry(file_name).or_insert_with(read);
        output.get_mut(source)?.remove(name)
    }
}

/// Returns the file name of the input and output that an artifact of Hardhat 2 is from.
fn file_name(artifact: &Path) -> Option<OsString> {
    let file = secure_fs::read_text(&artifact.with_extension("dbg.json"), MAX_FILE_BYTES).ok()?;
    let file: DebugFile = serde_json::from_str(&file).ok()?;
    file.build_info.file_name().map(ToOwned::to_owned)
}

/// Returns the names of the files with the input and the output that an artifact is from: one file
/// in Hardhat 2, two in Hardhat 3, whose artifacts have an id.
pub(super) fn file_names(artifact: &Path, id: Option<&str>) -> Option<[OsString; 2]> {
    let Some(id) = id else { return file_name(artifact).map(|name| [name.clone(), name]) };
    let is_name = Path::new(id).file_name().is_some_and(|name| name == id);
    is_name.then(|| ["", ".output"].map(|part| format!("{id}{part}.json").into()))
}

/// Reads a file of the compiler, unless it is a link.
pub(super) fn read(path: &Path) -> Option<String> {
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| secure_fs::read_text(path, MAX_BYTES).ok())?
}

#[derive(Deserialize)]
struct FoundryRun {
    source_id_to_path: SourceNumbers,
}

/// Returns the numbers of the sources of each run of Foundry's compiler.
pub(super) fn foundry_runs(output: &Path) -> Vec<SourceNumbers> {
    let entries = fs::read_dir(output.join(FOLDER)).into_iter().flatten().flatten();
    let mut left = MAX_BYTES;
    let run = |entry: fs::DirEntry| {
        let json = read(&entry.path()).filter(|_| left > 0)?;
        left = left.saturating_sub(json.len() as u64);
        Some(serde_json::from_str::<FoundryRun>(&json).ok()?.source_id_to_path)
    };
    entries.take(MAX_RUNS).filter_map(run).collect()
}

fn read_immutables(path: &Path) -> Option<ByContract<ImmutableSpans>> {
    let json = read(path)?;
    let BuildOutput { output } = serde_json::from_str(&json).ok()?;
    Some(output.immutables())
}
