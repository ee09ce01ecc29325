//! Compiled contracts of a project, found by their code.

use std::sync::Arc;

use super::artifact::Artifact;
use crate::abi::signatures::SignatureDb;
use crate::messages::project::ArtifactError;

/// Maximum memory of all artifacts in bytes. Large projects take some 20 MB.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Artifacts in the order of their files.
#[derive(Debug, Default)]
pub struct ArtifactIndex {
    current: Vec<Arc<Artifact>>,
    /// Artifacts of earlier compilations, whose contracts may be deployed.
    older: Vec<Arc<Artifact>>,
    kept_bytes: usize,
}

impl ArtifactIndex {
    pub(super) fn insert(&mut self, artifact: Artifact) -> Result<(), ArtifactError> {
        self.kept_bytes = self.kept_bytes.saturating_add(artifact.kept_bytes());
        if self.kept_bytes > MAX_KEPT_BYTES {
            return Err(ArtifactError::MemoryLimit);
        }
        self.current.push(Arc::new(artifact));
        Ok(())
    }

    /// Keeps the artifacts of an earlier compilation whose code is another one now, as far as there is
    /// memory for them.
    pub(super) fn add_older(&mut self, earlier: &Self) {
        for artifact in earlier.current.iter().chain(&earlier.older) {
            self.add_older_build(artifact);
        }
    }

    /// Keeps an artifact of an earlier compilation.
    pub(super) fn add_older_build(&mut self, artifact: &Artifact) {
        let kept_bytes = self.kept_bytes.saturating_add(artifact.kept_bytes());
        if self.find(&artifact.code).is_none() && kept_bytes <= MAX_KEPT_BYTES {
            self.kept_bytes = kept_bytes;
            let mut older = artifact.clone();
            older.is_older_build = true;
            self.older.push(Arc::new(older));
        }
    }

    /// Returns the functions and errors of all contracts, by contract name, also of earlier compilations.
    pub fn signatures(&self) -> SignatureDb {
        let mut signatures = SignatureDb::default();
        // Of equal signatures, the last is kept.
        for artifact in self.older.iter().chain(&self.current) {
            // An entry that cannot be parsed decodes nothing.
            let abi = artifact.abi.get();
            let _ = signatures.add_compiled(&artifact.name, abi, artifact.creation.as_ref());
            for (selector, declaration) in artifact.library_functions() {
                signatures.add_library_function(&artifact.name, selector, &declaration);
            }
        }
        signatures
    }

    /// Finds the artifact of a contract by its init code, unless contracts of other names have the same code.
    pub fn find_creation(&self, init_code: &[u8]) -> Option<&Arc<Artifact>> {
        let all = self.current.iter().chain(&self.older);
        let mut equal = all.filter(|artifact| artifact.is_created_by(init_code));
        let first = equal.next()?;
        equal.all(|other| other.name == first.name).then_some(first)
    }

    /// Finds the artifact of a deployed code: equal byte for byte, except for immutable values and
    /// library addresses, or else also except for the hash of the metadata, or else of an earlier
    /// compilation. Code that several contracts share has no name, as it could be the wrong one.
    pub fn find(&self, code: &[u8]) -> Option<&Arc<Artifact>> {
        let mut equal: Vec<_> = self.current.iter().filter(|one| one.matches(code)).collect();
        if equal.is_empty() {
            equal.extend(self.current.iter().filter(|one| one.matches_executed(code)));
        }
        if equal.is_empty() {
            equal.extend(self.older.iter().filter(|one| one.matches(code)));
        }
        let (first, others) = equal.split_first()?;
        others.iter().all(|other| other.name == first.name).then_some(*first)
    }
}
