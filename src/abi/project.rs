//! The contracts of a Foundry or Hardhat project, recognised by their code.
//!
//! A [`Project`] is found from the current folder. Its [`ProjectContracts`] read the artifacts that the
//! compiler wrote, on first use, and again after the next compilation. An [`ArtifactIndex`] finds the
//! [`Artifact`] of a deployed code, and a `build_cache` keeps it for after the next compilation. `compilation`
//! reads the sources of that contract alone, with which `source_map` finds the line of an instruction. Names of
//! deployed contracts are in [`Deployments`].

mod artifact;
mod artifact_index;
mod artifact_layout;
mod ast_layout;
mod build_cache;
mod build_info;
mod compilation;
mod compiler_output;
mod contracts;
mod definitions;
mod deployments;
mod library_functions;
mod source_frames;
mod source_map;

use std::env;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tracing::warn;

use super::json_files::{self, FolderKind, FolderVersion};
use crate::messages::project;
use crate::sanitize::SafeText;
use crate::secure_fs;
use artifact::ArtifactPlace;
use build_cache::BuildCache;
use deployments::DEPLOYMENT_FOLDERS;

pub use artifact::Artifact;
pub use artifact_index::ArtifactIndex;
pub use compilation::{ContractSource, SourceLine};
pub use contracts::{CompiledContracts, ProjectContracts};
pub use deployments::Deployments;

const MAX_CONFIG_BYTES: u64 = 1 << 20;
const HARDHAT_EXTENSIONS: [&str; 6] = ["js", "ts", "cjs", "mjs", "cts", "mts"];

/// A project, with the output folders of its compilers.
#[derive(Debug, Clone)]
pub struct Project {
    root: Arc<Path>,
    folders: Vec<Arc<Path>>,
    cache: Option<Arc<BuildCache>>,
}

/// Changes whenever the project is compiled or deployed.
#[derive(Debug, PartialEq, Eq)]
struct ProjectVersion {
    artifacts: Vec<FolderVersion>,
    deployments: [FolderVersion; DEPLOYMENT_FOLDERS.len()],
}

impl Project {
    pub fn of_current_dir() -> Option<Self> {
        Self::find(&env::current_dir().ok()?)
    }

    /// Finds the project that contains `folder`. Projects of other users are ignored: anyone can put
    /// one into `/tmp`.
    pub fn find(folder: &Path) -> Option<Self> {
        folder.canonicalize().ok()?.ancestors().find_map(Self::at)
    }

    fn at(root: &Path) -> Option<Self> {
        let is_file = |path: &PathBuf| path.is_file();
        let foundry_config = Some(root.join("foundry.toml")).filter(is_file);
        let hardhat_config = HARDHAT_EXTENSIONS
            .iter()
            .map(|extension| root.join(format!("hardhat.config.{extension}")))
            .find(is_file);
        for path in [&foundry_config, &hardhat_config].into_iter().flatten() {
            if !is_own(root) || !is_own(path) {
                warn!(path = %path.display(), "{}", project::OTHER_OWNER);
                return None;
            }
        }
        let foundry = foundry_config.map(|config| root.join(foundry_output(&config)));
        let hardhat = hardhat_config.map(|_| root.join("artifacts"));
        let folders: Vec<_> = foundry.into_iter().chain(hardhat).map(Arc::from).collect();
        (!folders.is_empty()).then(|| Self { root: root.into(), folders, cache: None })
    }

    /// Keeps the builds of deployed contracts in a folder, and knows those that are there.
    #[must_use]
    pub fn with_cache(mut self, folder: Option<PathBuf>) -> Self {
        self.cache = folder.map(|folder| Arc::new(BuildCache::new(folder, Arc::clone(&self.root))));
        self
    }

    /// Returns the output folders, unless they belong to another user or are behind a link, which can
    /// lead anywhere.
    fn outputs(&self) -> impl Iterator<Item = &Arc<Path>> {
        let is_real = |folder: &Path| folder.canonicalize().is_ok_and(|real| real == folder);
        self.folders.iter().filter(move |folder| is_real(folder) && is_own(folder))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    fn version(&self) -> ProjectVersion {
        let deployments =
            DEPLOYMENT_FOLDERS.map(|folder| json_files::version(&self.root.join(folder)));
        let artifacts = self.outputs().map(|folder| json_files::version(folder)).collect();
        ProjectVersion { artifacts, deployments }
    }

    /// Reads the names of its deployments.
    fn deployments(&self) -> Deployments {
        Deployments::read(&self.root)
    }

    /// Reads the artifacts, and returns them with the problems. Takes as long as reading the files.
    pub fn load(&self) -> (ArtifactIndex, Vec<SafeText>) {
        let mut index = ArtifactIndex::default();
        let mut problems = Vec::new();
        for folder in self.outputs() {
            problems.extend(json_files::read_each(folder, FolderKind::Project, |path, json| {
                let (root, output) = (Arc::clone(&self.root), Arc::clone(folder));
                let (file, cache) = (path.to_owned(), self.cache.as_deref().map(BuildCache::disk));
                let place = ArtifactPlace { root, output, file, cache };
                Artifact::parse(place, json)?.map_or(Ok(()), |artifact| index.insert(artifact))
            }));
        }
        (index, problems)
    }
}

fn is_own(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| secure_fs::is_own(&metadata))
}

/// Returns Foundry's output folder, if it is inside the project.
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
