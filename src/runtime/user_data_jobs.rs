//! Runs the jobs on the user's labels and recents, one after the other.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, spawn, spawn_blocking};
use tokio::time::timeout;

use super::Outbox;
use crate::app_message::{Msg, UserDataJob};
use crate::config;
use crate::messages::system::{self, UserFileProblem};
use crate::sanitize::SafeText;
use crate::user_data::files::UserDataFiles;

/// Maximum time for the pending edits when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The queue of jobs.
#[derive(Debug)]
pub(super) struct UserDataJobs {
    jobs: UnboundedSender<UserDataJob>,
    worker: JoinHandle<Result<(), SafeText>>,
}

impl UserDataJobs {
    pub(super) fn new(outbox: Outbox) -> Self {
        let (jobs, inbox) = unbounded_channel();
        Self { jobs, worker: spawn(run_jobs(inbox, outbox)) }
    }

    pub(super) fn enqueue(&self, job: UserDataJob) {
        // The worker runs until the sender is dropped.
        let _ = self.jobs.send(job);
    }

    /// Waits for the pending jobs, but not for a file that cannot be written in time. Returns the error
    /// of a lost change, because the screen is gone.
    pub(super) async fn shutdown(self) -> Result<(), SafeText> {
        drop(self.jobs);
        match timeout(SHUTDOWN_TIMEOUT, self.worker).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Err(system::NOT_SAVED_IN_TIME.into()),
        }
    }
}

/// Runs jobs until the sender is dropped. Returns the last error of a label edit since then; a lost
/// visit is not a failure.
async fn run_jobs(
    mut jobs: UnboundedReceiver<UserDataJob>,
    outbox: Outbox,
) -> Result<(), SafeText> {
    let mut result = Ok(());
    while let Some(job) = jobs.recv().await {
        let done = spawn_blocking(|| run(job, &config::user_data_files())).await;
        let Ok(Some(msg)) = done else { continue };
        if let Msg::LabelNotSaved { why, .. } = &msg
            && jobs.is_closed()
        {
            result = Err(why.clone());
        }
        outbox.send(msg);
    }
    result
}

fn run(job: UserDataJob, files: &UserDataFiles) -> Option<Msg> {
    use UserFileProblem::{LabelsNotLoaded, LabelsNotSaved, Recents};
    Some(match job {
        UserDataJob::RenameFormer(key) => {
            files.rename_former(&key);
            return None;
        }
        UserDataJob::LoadLabels(key) => {
            let loaded = files.load_labels(&key).map(Arc::new);
            let labels = loaded.map_err(|why| LabelsNotLoaded { why: &why }.into());
            Msg::LabelsLoaded { labels, key }
        }
        UserDataJob::EditLabel { key, change } => match files.edit_label(&key, &change) {
            Ok(labels) => Msg::LabelsLoaded { labels: Ok(Arc::new(labels)), key },
            Err(why) => Msg::LabelNotSaved { key, why: LabelsNotSaved { why: &why }.into() },
        },
        UserDataJob::LoadRecents(key) => {
            let recents =
                files.load_recents(&key).map_err(|why| Recents { key: &key, why: &why }.into());
            Msg::RecentsLoaded { recents, key }
        }
        UserDataJob::UpdateRecents { key, change } => {
            let why = files.edit_recents(&key, change).err()?;
            let recents = Err(Recents { key: &key, why: &why }.into());
            Msg::RecentsLoaded { recents, key }
        }
    })
}
