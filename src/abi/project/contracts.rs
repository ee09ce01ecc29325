//! Contracts of the project in the folder where the program was started.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::warn;

use super::artifact::Artifact;
use super::artifact_index::ArtifactIndex;
use super::{Deployments, Project, ProjectVersion};
use crate::abi::signatures::SignatureDb;
use crate::sanitize::SafeText;

/// Interval between checks for new artifacts.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A project's contracts, as of its last compilation and deployment.
#[derive(Debug, Default)]
pub struct CompiledContracts {
    pub artifacts: Arc<ArtifactIndex>,
    pub signatures: Arc<SignatureDb>,
    pub deployments: Deployments,
}

/// Lazily loaded contracts of a project, reloaded after each compilation.
///
/// Without the user's permission they are only used on the user's own chains: a folder can give any
/// name to any contract.
#[derive(Debug)]
pub struct ProjectContracts {
    project: Project,
    is_chain_local: AtomicBool,
    is_allowed: AtomicBool,
    loaded: Mutex<Option<LoadedContracts>>,
}

#[derive(Debug)]
struct LoadedContracts {
    contracts: Arc<CompiledContracts>,
    version: ProjectVersion,
    checked_at: Instant,
}

impl ProjectContracts {
    pub fn new(project: Project) -> Self {
        let (is_chain_local, is_allowed) = Default::default();
        Self { project, is_chain_local, is_allowed, loaded: Mutex::default() }
    }

    /// Returns the folder of the project.
    pub fn root(&self) -> SafeText {
        SafeText::new(&self.project.root().display().to_string())
    }

    /// Sets whether the user runs the chain.
    pub fn set_chain_local(&self, is_local: bool) {
        self.is_chain_local.store(is_local, Ordering::Relaxed);
    }

    /// Allows naming the contracts of any chain.
    pub fn allow(&self) {
        self.is_allowed.store(true, Ordering::Relaxed);
    }

    pub fn is_allowed(&self) -> bool {
        self.is_allowed.load(Ordering::Relaxed)
    }

    /// Returns the contracts of the last compilation, if they may be used. May take as long as reading
    /// all artifacts.
    pub fn current(&self) -> Option<Arc<CompiledContracts>> {
        if !self.is_allowed() && !self.is_chain_local.load(Ordering::Relaxed) {
            return None;
        }
        let mut loaded = self.loaded.lock();
        if let Some(loaded) = loaded.as_mut()
            && loaded.checked_at.elapsed() > CHECK_INTERVAL
        {
            loaded.update(&self.project);
        }
        let loaded = loaded.get_or_insert_with(|| LoadedContracts::read(&self.project, None));
        Some(Arc::clone(&loaded.contracts))
    }

    /// Returns the artifacts of deployed contracts that are not kept yet, once.
    pub fn take_unkept<'a>(
        &self,
        deployed: impl Iterator<Item = &'a Arc<Artifact>>,
    ) -> Vec<Arc<Artifact>> {
        let cache = self.project.cache.as_ref();
        cache.map(|cache| cache.take_unkept(deployed)).unwrap_or_default()
    }

    /// Keeps artifacts for after the next compilation, also in other runs of the program. Takes as long
    /// as reading the compiler's output.
    pub fn keep(&self, deployed: &[Arc<Artifact>]) {
        if let Some(cache) = &self.project.cache {
            cache.keep(deployed);
        }
    }
}

impl LoadedContracts {
    /// Reads the artifacts. Contracts of an earlier compilation may be deployed: its artifacts
    /// stay.
    fn read(project: &Project, earlier: Option<&CompiledContracts>) -> Self {
        // Taken before reading, so that a file written meanwhile is read again.
        let version = project.version();
        let (mut artifacts, problems) = project.load();
        for problem in problems {
            warn!(%problem, "artifact");
        }
        if let Some(earlier) = earlier {
            artifacts.add_older(&earlier.artifacts);
        } else {
            for artifact in project.cache.iter().flat_map(|cache| cache.artifacts()) {
                artifacts.add_older_build(&artifact);
            }
        }
        let signatures = Arc::new(artifacts.signatures());
        let deployments = project.deployments();
        let artifacts = Arc::new(artifacts);
        let contracts = Arc::new(CompiledContracts { artifacts, signatures, deployments });
        Self { contracts, version, checked_at: Instant::now() }
    }

    /// Reads again what has changed. A deployment leaves the artifacts.
    fn update(&mut self, project: &Project) {
        let version = project.version();
        if version.artifacts != self.version.artifacts {
            *self = Self::read(project, Some(&self.contracts));
        } else if version.deployments != self.version.deployments {
            let CompiledContracts { artifacts, signatures, .. } = &*self.contracts;
            let (artifacts, signatures) = (Arc::clone(artifacts), Arc::clone(signatures));
            let deployments = project.deployments();
            self.contracts = Arc::new(CompiledContracts { artifacts, signatures, deployments });
            self.version = version;
        }
        self.checked_at = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::chain::Address;

    #[test]
    fn deployment_leaves_the_artifacts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("foundry.toml"), "").unwrap();
        let project = Project::find(&root).unwrap();
        let mut loaded = LoadedContracts::read(&project, None);
        let artifacts = Arc::clone(&loaded.contracts.artifacts);
        let run = root.join("broadcast/Deploy.s.sol/1");
        fs::create_dir_all(&run).unwrap();
        let address = Address::with_last_byte(7);
        let sent = json!({ "transactionType": "CREATE", "contractName": "Gold",
            "contractAddress": address });
        fs::write(run.join("run-latest.json"), json!({ "transactions": [sent] }).to_string())
            .unwrap();
        loaded.update(&project);
        let named = loaded.contracts.deployments.name(1, address, &["Gold"]);
        assert_eq!(named.as_deref(), Some("Gold"));
        assert!(Arc::ptr_eq(&artifacts, &loaded.contracts.artifacts));
        fs::create_dir_all(root.join("out")).unwrap();
        fs::write(root.join("out/Gold.json"), "{}").unwrap();
        loaded.update(&project);
        assert!(!Arc::ptr_eq(&artifacts, &loaded.contracts.artifacts), "it was compiled");
    }
}
