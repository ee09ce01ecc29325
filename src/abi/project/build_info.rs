//! Build info: the compiler's input and output as Hardhat keeps them, since its artifacts lack the
//! sources, and Foundry's numbers of sources.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::compiler_output::{SourceNumbers, few_entries};
use crate::abi::json_files::MAX_FILE_BYTES;
use crate::secure_fs;

/// Maximum bytes of the compiler's input and output for a whole project.
const MAX_BYTES: u64 = 128 << 20;
/// Maximum build-info files of Foundry, which writes one in each run of the compiler.
const MAX_RUNS: usize = 1_000;
pub(super) const FOLDER: &str = "build-info";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DebugFile {
    /// A path relative to this file.
    build_info: PathBuf,
}

/// Returns the name of the build-info file of a Hardhat 2 artifact.
fn file_name(artifact: &Path) -> Option<OsString> {
    let file =
        secure_fs::read_own_text(&artifact.with_extension("dbg.json"), MAX_FILE_BYTES).ok()?;
    let file: DebugFile = serde_json::from_str(&file).ok()?;
    file.build_info.file_name().map(ToOwned::to_owned)
}

/// Returns the names of the files with the input and the output of an artifact's compilation: the same
/// file in Hardhat 2, two in Hardhat 3, whose artifacts have an id.
pub(super) fn file_names(artifact: &Path, id: Option<&str>) -> Option<[OsString; 2]> {
    let Some(id) = id else { return file_name(artifact).map(|name| [name.clone(), name]) };
    let is_name = Path::new(id).file_name().is_some_and(|name| name == id);
    is_name.then(|| ["", ".output"].map(|part| format!("{id}{part}.json").into()))
}

/// Reads a file of the compiler, unless it belongs to another user, or it or its folder is a link.
pub(super) fn read(path: &Path) -> Option<String> {
    read_at_most(path, MAX_BYTES)
}

fn read_at_most(path: &Path, max_bytes: u64) -> Option<String> {
    path.canonicalize().ok().filter(|real| real == path)?;
    secure_fs::read_own_text(path, max_bytes).ok()
}

#[derive(Deserialize)]
struct FoundryRun<'a> {
    #[serde(borrow)]
    source_id_to_path: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct RunNumbers(#[serde(deserialize_with = "few_entries")] SourceNumbers);

/// Returns the source numbers of each run of Foundry's compiler.
pub(super) fn foundry_runs(output: &Path) -> impl Iterator<Item = SourceNumbers> {
    let entries = fs::read_dir(output.join(FOLDER)).into_iter().flatten().flatten();
    let mut left = MAX_BYTES;
    entries.take(MAX_RUNS).filter_map(move |entry| {
        let json = read_at_most(&entry.path(), left)?;
        left -= json.len() as u64;
        let run: FoundryRun<'_> = serde_json::from_str(&json).ok()?;
        let RunNumbers(numbers) = serde_json::from_str(run.source_id_to_path.get()).ok()?;
        Some(numbers)
    })
}
