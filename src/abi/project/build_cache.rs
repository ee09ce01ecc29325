//! Builds of deployed contracts, in the disk cache.
//!
//! The project no longer has them after the next compilation, but the contracts are still there. One
//! entry of the cache lists the artifacts of a project. Another for each of them has its compilation,
//! with the sources, which are read only for the contract that is looked at.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tracing::warn;

use super::artifact::{Artifact, ArtifactPlace};
use crate::abi::signatures::CreationCode;
use crate::chain::Bytes;
use crate::disk_cache::DiskCache;
use crate::sanitize::SafeText;

/// Maximum bytes of a project's list. The artifacts that were deployed last stay.
const MAX_LIST_BYTES: usize = 8 << 20;

/// The part of the disk cache with the builds of one project.
#[derive(Debug)]
pub(super) struct BuildCache {
    disk: Arc<DiskCache>,
    root: Arc<Path>,
    /// Keys of the compilations that this process has kept.
    kept: Mutex<HashSet<String>>,
    /// Held while the list of artifacts is read and written again.
    writer: Mutex<()>,
}

#[derive(Deserialize, Serialize)]
struct CachedArtifact {
    name: SafeText,
    abi: Box<RawValue>,
    file: PathBuf,
    code: Bytes,
    fixed: Vec<Range<usize>>,
    executed: Option<Vec<Range<usize>>>,
    #[serde(default)]
    creation: Option<CreationCode>,
}

impl BuildCache {
    pub(super) fn new(folder: PathBuf, root: Arc<Path>) -> Self {
        let disk = Arc::new(DiskCache::new(folder));
        Self { disk, root, kept: Mutex::default(), writer: Mutex::default() }
    }

    pub(super) fn disk(&self) -> Arc<DiskCache> {
        Arc::clone(&self.disk)
    }

    /// Returns the artifacts of the project that were deployed, newest first.
    pub(super) fn artifacts(&self) -> Vec<Artifact> {
        self.list().into_iter().map(|cached| self.artifact(cached)).collect()
    }

    /// Returns the artifacts that this process has not kept yet, and counts them as kept.
    pub(super) fn take_unkept<'a>(
        &self,
        deployed: impl Iterator<Item = &'a Arc<Artifact>>,
    ) -> Vec<Arc<Artifact>> {
        let mut kept = self.kept.lock();
        deployed.filter(|artifact| kept.insert(artifact.cache_key())).cloned().collect()
    }

    /// Keeps artifacts with their compilations. Takes as long as reading the compiler's output.
    pub(super) fn keep(&self, deployed: &[Arc<Artifact>]) {
        let _writer = self.writer.lock();
        if let Err(error) = self.write(deployed) {
            warn!(%error, "cache"); // the program works without it
        }
    }

    fn write(&self, deployed: &[Arc<Artifact>]) -> io::Result<()> {
        let mut listed: Vec<CachedArtifact> =
            deployed.iter().map(|artifact| CachedArtifact::new(artifact)).collect();
        let is_new = |code: &[u8]| deployed.iter().any(|artifact| artifact.code == code);
        listed.extend(self.list().into_iter().filter(|cached| !is_new(&cached.code)));
        let mut left = MAX_LIST_BYTES;
        listed.retain(|cached| {
            left = left.saturating_sub(cached.abi.get().len() + 2 * cached.code.len());
            left > 0
        });
        self.disk.write(&self.list_key(), &serde_json::to_vec(&listed)?)?;
        for artifact in deployed {
            let key = artifact.cache_key();
            // Reading it also makes it the last that the cache evicts.
            if self.disk.read(&key).is_none()
                && let Some(compilation) =
                    artifact.compilation_to_cache(artifact.storage_layout_json())
            {
                self.disk.write(&key, &serde_json::to_vec(&compilation)?)?;
            }
        }
        Ok(())
    }

    fn list(&self) -> Vec<CachedArtifact> {
        let list = self.disk.read(&self.list_key());
        list.and_then(|list| serde_json::from_slice(&list).ok()).unwrap_or_default()
    }

    fn artifact(&self, cached: CachedArtifact) -> Artifact {
        let CachedArtifact { name, abi, file, code, fixed, executed, creation } = cached;
        let (root, output) = (Arc::clone(&self.root), Arc::clone(&self.root));
        let place = ArtifactPlace { root, output, file, cache: Some(self.disk()) };
        Artifact::new(place, (name, abi.into()), (code.to_vec(), creation), fixed, executed)
    }

    fn list_key(&self) -> String {
        format!("builds:{}", self.root.display())
    }
}

impl CachedArtifact {
    fn new(artifact: &Artifact) -> Self {
        Self {
            name: artifact.name.clone(),
            abi: (*artifact.abi).to_owned(),
            file: artifact.place.file.clone(),
            code: artifact.code.clone().into(),
            fixed: artifact.fixed.clone(),
            executed: artifact.executed.clone(),
            creation: artifact.creation.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(name: &'static str, code: u8) -> Arc<Artifact> {
        let root: Arc<Path> = Path::new("/project").into();
        let file = Path::new(name).with_extension("json");
        let place = ArtifactPlace { output: Arc::clone(&root), root, file, cache: None };
        let abi = RawValue::from_string("[]".to_owned()).unwrap();
        Arc::new(Artifact::new(
            place,
            (name.into(), abi.into()),
            (vec![code; 40], None),
            Vec::new(),
            None,
        ))
    }

    #[test]
    fn kept_artifacts_are_listed_once_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = BuildCache::new(folder.path().join("cache"), Path::new("/project").into());
        for kept in [artifact("Former", 1), artifact("Other", 2), artifact("Latter", 1)] {
            cache.keep(&[kept]);
        }
        let names: Vec<_> = cache.artifacts().into_iter().map(|artifact| artifact.name).collect();
        assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["Latter", "Other"]);
    }
}
