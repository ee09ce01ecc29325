//! The contracts of the project that the program was started in.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::warn;

use crate::abi::{ArtifactIndex, Project, ProjectVersion};
use crate::store::{Table, VerifiedContracts};

/// Time between two looks for artifacts that are new.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// What is known of the contracts of a project.
#[derive(Debug)]
pub(super) struct NamedContracts {
    pub(super) artifacts: ArtifactIndex,
    pub(super) verified: Arc<Table<VerifiedContracts>>,
}

/// The contracts of a project, read when the first is looked up, and again when they were compiled
/// anew.
#[derive(Debug)]
pub(super) struct ProjectContracts {
    project: Option<Project>,
    loaded: Mutex<Option<LoadedContracts>>,
}

#[derive(Debug)]
struct LoadedContracts {
    contracts: Arc<NamedContracts>,
    version: ProjectVersion,
    checked_at: Instant,
}

impl ProjectContracts {
    pub(super) fn new(project: Option<Project>) -> Self {
        Self { project, loaded: Mutex::default() }
    }

    /// Returns the contracts, which have been compiled anew perhaps if one of the codes is none of
    /// theirs. It may take as long as reading all artifacts does.
    pub(super) fn for_codes<'a>(
        &self,
        mut codes: impl Iterator<Item = &'a [u8]>,
    ) -> Arc<NamedContracts> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = loaded.as_mut() {
            let artifacts = &loaded.contracts.artifacts;
            let is_due = loaded.checked_at.elapsed() > CHECK_INTERVAL;
            let is_fresh = !is_due || codes.all(|code| artifacts.find(code).is_some()) || {
                loaded.checked_at = Instant::now();
                loaded.version == version(self.project.as_ref())
            };
            if is_fresh {
                return Arc::clone(&loaded.contracts);
            }
        }
        let read = loaded.insert(LoadedContracts::read(self.project.as_ref()));
        Arc::clone(&read.contracts)
    }
}

fn version(project: Option<&Project>) -> ProjectVersion {
    project.map(Project::version).unwrap_or_default()
}

impl LoadedContracts {
    fn read(project: Option<&Project>) -> Self {
        // Files that are written while they are read are read again.
        let version = version(project);
        let (artifacts, problems) = project.map(Project::load).unwrap_or_default();
        for problem in problems {
            warn!(%problem, "artifact");
        }
        let verified = VerifiedContracts::from(artifacts.signatures());
        let contracts = NamedContracts { artifacts, verified: Arc::new(Table::loaded(verified)) };
        Self { contracts: Arc::new(contracts), version, checked_at: Instant::now() }
    }
}
