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

/// A project's contracts, as of its last compilation.
#[derive(Debug, Default)]
pub struct CompiledContracts {
    pub artifacts: ArtifactIndex,
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
        if let Some(loaded) = loaded.as_mut() {
            let is_due = loaded.checked_at.elapsed() > CHECK_INTERVAL;
            let is_current = !is_due || {
                loaded.checked_at = Instant::now();
                loaded.version == self.project.version()
            };
            if is_current {
                return Some(Arc::clone(&loaded.contracts));
            }
        }
        let earlier = loaded.take().map(|loaded| loaded.contracts);
        let read = loaded.insert(LoadedContracts::read(&self.project, earlier.as_deref()));
        Some(Arc::clone(&read.contracts))
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
        let contracts = Arc::new(CompiledContracts { artifacts, signatures, deployments });
        Self { contracts, version, checked_at: Instant::now() }
    }
}
