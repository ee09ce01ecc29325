//! The contracts of a Foundry or Hardhat project, recognised by their code.

use std::collections::HashMap;
use std::env;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tracing::warn;

use super::artifact::{Artifact, ArtifactPlace};
use super::compilation::SourceLine;
use super::json_files::{self, FolderVersion};
use super::signature_db::SignatureDb;
use crate::sanitize::SafeText;
use crate::secure_fs;

const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// Maximum bytes of all artifacts together, as they are kept. Large projects have some 20 MB.
const MAX_KEPT_BYTES: usize = 64 << 20;
const HARDHAT_EXTENSIONS: [&str; 6] = ["js", "ts", "cjs", "mjs", "cts", "mts"];

/// A project, and the folders in it that its compiler writes into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: Arc<Path>,
    folders: Vec<Arc<Path>>,
}

/// What changes whenever a project is compiled anew.
pub(super) type ProjectVersion = Vec<FolderVersion>;

impl Project {
    pub fn of_current_dir() -> Option<Self> {
        Self::find(&env::current_dir().ok()?)
    }

    /// Finds the project that a folder is in. Those of other users do not count: anyone can put one
    /// into `/tmp`.
    pub fn find(folder: &Path) -> Option<Self> {
        folder.canonicalize().ok()?.ancestors().find_map(Self::at)
    }

    fn at(root: &Path) -> Option<Self> {
        let is_file = |path: &PathBuf| path.is_file();
        let foundry = Some(root.join("foundry.toml")).filter(is_file);
        let hardhat = HARDHAT_EXTENSIONS.iter();
        let mut hardhat = hardhat.map(|it| root.join(format!("hardhat.config.{it}")));
        let hardhat = hardhat.find(is_file);
        for path in [&foundry, &hardhat].into_iter().flatten() {
            if !is_own(root) || !is_own(path) {
                warn!(path = %path.display(), "not read: the project belongs to another user");
                return None;
            }
        }
        let foundry = foundry.map(|config| root.join(foundry_output(&config)));
        let hardhat = hardhat.map(|_| root.join("artifacts"));
        let folders: Vec<_> = foundry.into_iter().chain(hardhat).map(Arc::from).collect();
        (!folders.is_empty()).then(|| Self { root: root.into(), folders })
    }

    /// Returns the folders that the compiler writes into, but for those of other users or behind a
    /// link, which can lead anywhere.
    fn outputs(&self) -> impl Iterator<Item = &Arc<Path>> {
        let is_real = |folder: &Path| folder.canonicalize().is_ok_and(|real| real == folder);
        self.folders.iter().filter(move |folder| is_real(folder) && is_own(folder))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn version(&self) -> ProjectVersion {
        self.outputs().map(|folder| json_files::version(folder)).collect()
    }

    /// Reads the artifacts, and returns the problems too. It takes as long as reading the files does.
    pub fn load(&self) -> (ArtifactIndex, Vec<SafeText>) {
        let mut index = ArtifactIndex::default();
        let mut problems = Vec::new();
        for folder in self.outputs() {
            problems.extend(json_files::read_each(
                folder,
                secure_fs::read_own_text,
                |path, json| {
                    let (root, output) = (Arc::clone(&self.root), Arc::clone(folder));
                    let place = ArtifactPlace { root, output, file: path.to_owned() };
                    Artifact::parse(place, json)?.map_or(Ok(()), |artifact| index.insert(artifact))
                },
            ));
        }
        (index, problems)
    }
}

fn is_own(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| secure_fs::is_own(&metadata))
}

/// Returns the folder inside the project that Foundry is configured to write into.
fn foundry_output(config: &Path) -> PathBuf {
    let configured = || {
        let text = secure_fs::read_own_text(config, MAX_CONFIG_BYTES).ok()?;
        let config: toml::Table = toml::from_str(&text).ok()?;
        let out = PathBuf::from(config.get("profile")?.get("default")?.get("out")?.as_str()?);
        let is_inside =
            out.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        is_inside.then_some(out)
    };
    configured().unwrap_or_else(|| "out".into())
}

/// Artifacts by the length of their code.
#[derive(Debug, Default)]
pub struct ArtifactIndex {
    by_length: HashMap<usize, Vec<Arc<Artifact>>>,
    kept_bytes: usize,
}

impl ArtifactIndex {
    fn insert(&mut self, artifact: Artifact) -> Result<(), SafeText> {
        self.kept_bytes = self.kept_bytes.saturating_add(artifact.kept_bytes());
        if self.kept_bytes > MAX_KEPT_BYTES {
            return Err("skipped: the contracts before take 64 MB".into());
        }
        self.by_length.entry(artifact.code.len()).or_default().push(Arc::new(artifact));
        Ok(())
    }

    /// Returns the functions and errors of all contracts, by the names of these.
    pub fn signatures(&self) -> SignatureDb {
        let mut signatures = SignatureDb::default();
        for artifact in self.by_length.values().flatten() {
            // An entry that cannot be parsed decodes nothing.
            let _ = signatures.add_contract_abi(None, &artifact.name, artifact.abi.get());
        }
        signatures
    }

    /// Returns the line that a creation ended at, whose steps are positions in its input, or why that
    /// cannot be told.
    pub fn line_of_creation_end(
        &self,
        input: &[u8],
        steps: &[usize],
    ) -> Result<SourceLine, SafeText> {
        let mut artifacts = self.by_length.values().flatten();
        let found = artifacts.find_map(|it| it.line_of_creation_end(input, steps));
        found.unwrap_or_else(|| Err("not compiled in this project".into()))
    }

    /// Finds the artifact of a deployed code: equal byte for byte, but for immutable values and the
    /// addresses of libraries. Code that is another contract's as well has no name, as one of the two
    /// would be wrong.
    pub fn find(&self, code: &[u8]) -> Option<&Arc<Artifact>> {
        let mut equal = self.by_length.get(&code.len())?.iter().filter(|one| one.matches(code));
        let first = equal.next()?;
        equal.all(|other| other.name == first.name).then_some(first)
    }
}
