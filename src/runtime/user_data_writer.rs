//! Files of the user's that several programs may change, each time from what is in them: labels, and
//! the places that were visited lately.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, spawn, spawn_blocking};
use tokio::time::timeout;

use super::RuntimeEvent;
use crate::config;
use crate::msg::Msg;
use crate::sanitize::SafeText;
use crate::secure_fs;
use crate::user_data::labels::{self, LabelEdit, Labels};
use crate::user_data::recents::{Recents, RecentsChange};

/// A file is not longer.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// What must be held while a file of the folder is changed.
const LOCK_FILE: &str = ".lock";
/// How long the last changes may take when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Something to be done to the files, one after the other.
#[derive(Debug)]
enum WriteJob {
    LoadLabels(String),
    EditLabel(String, LabelEdit),
    LoadRecents(String),
    EditRecents(String, RecentsChange),
}

/// Carries out what is to be done to the files, in its order.
#[derive(Debug)]
pub(super) struct UserDataWriter {
    jobs: UnboundedSender<WriteJob>,
    worker: JoinHandle<()>,
}

impl UserDataWriter {
    pub(super) fn new(outbox: UnboundedSender<RuntimeEvent>) -> Self {
        let (jobs, inbox) = unbounded_channel();
        Self { jobs, worker: spawn(run_jobs(inbox, outbox)) }
    }

    pub(super) fn load_labels(&self, key: String) {
        self.enqueue(WriteJob::LoadLabels(key));
    }

    pub(super) fn edit_label(&self, key: String, change: LabelEdit) {
        self.enqueue(WriteJob::EditLabel(key, change));
    }

    pub(super) fn load_recents(&self, key: String) {
        self.enqueue(WriteJob::LoadRecents(key));
    }

    pub(super) fn edit_recents(&self, key: String, step: RecentsChange) {
        self.enqueue(WriteJob::EditRecents(key, step));
    }

    fn enqueue(&self, job: WriteJob) {
        // It works for as long as it can be given anything.
        let _ = self.jobs.send(job);
    }

    /// Waits until all is done: what was changed just before the end is kept too.
    pub(super) async fn shutdown(self) {
        drop(self.jobs);
        // A file that cannot be written in that time must not keep the user here.
        let _ = timeout(SHUTDOWN_TIMEOUT, self.worker).await;
    }
}

async fn run_jobs(mut jobs: UnboundedReceiver<WriteJob>, outbox: UnboundedSender<RuntimeEvent>) {
    while let Some(job) = jobs.recv().await {
        let Ok(Some(msg)) = spawn_blocking(|| job.run()).await else { continue };
        // The loop may be gone already; then nobody waits for the word.
        let _ = outbox.send(RuntimeEvent::Msg(msg));
    }
}

impl WriteJob {
    fn run(self) -> Option<Msg> {
        Some(match self {
            Self::LoadLabels(key) => {
                let labels = load_labels(&key);
                Msg::LabelsLoaded { labels: labels.map(Box::new), key }
            }
            Self::EditLabel(key, change) => {
                let labels = edit_label(&key, &change);
                Msg::LabelsLoaded { labels: labels.map(Box::new), key }
            }
            Self::LoadRecents(key) => Msg::RecentsLoaded { visits: load_recents(&key), key },
            Self::EditRecents(key, step) => {
                let why = record_visit(&key, step).err()?;
                Msg::RecentsLoaded { visits: Err(why), key }
            }
        })
    }
}

/// The user's labels of a chain; none where there is no file.
pub fn load_labels(key: &str) -> Result<Labels, SafeText> {
    let Some(folder) = config::labels_dir() else { return Ok(Labels::default()) };
    let path = folder.join(labels_file_name(key));
    read_or_empty(&path).map(|text| Labels::from_csv(&text)).map_err(|e| with_path(&path, &e))
}

fn edit_label(key: &str, change: &LabelEdit) -> Result<Labels, SafeText> {
    let folder = config::labels_dir().ok_or("there is no folder for settings")?;
    let revise = |text: &str| labels::apply_edit(text, change);
    edit_file(&folder, &labels_file_name(key), revise).map(|text| Labels::from_csv(&text))
}

fn labels_file_name(key: &str) -> String {
    format!("{key}.csv")
}

fn load_recents(key: &str) -> Result<Recents, SafeText> {
    let Some(folder) = config::recents_dir() else { return Ok(Recents::default()) };
    let path = folder.join(key);
    read_or_empty(&path).map(|text| Recents::parse(&text)).map_err(|e| with_path(&path, &e))
}

fn record_visit(key: &str, step: RecentsChange) -> Result<(), SafeText> {
    let folder = config::recents_dir().ok_or("there is no folder for it")?;
    let revise = |text: &str| {
        let mut visits = Recents::parse(text);
        visits.apply(step);
        Ok(visits.to_text())
    };
    edit_file(&folder, key, revise).map(drop)
}

fn with_path(path: &Path, error: &io::Error) -> SafeText {
    SafeText::new(&format!("{error} ({})", path.display()))
}

/// What is in a file; nothing where there is none.
fn read_or_empty(path: &Path) -> io::Result<String> {
    match secure_fs::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        file => secure_fs::read_to_string(file?, MAX_FILE_BYTES),
    }
}

/// Changes a file of a folder of the user's from what is in it now, while nobody else does. It is there
/// whole, as it was or as it is to be. Returns what is in it then.
fn edit_file(
    folder: &Path,
    name: &str,
    revise: impl FnOnce(&str) -> Result<String, SafeText>,
) -> Result<String, SafeText> {
    let path = folder.join(name);
    let io = |error: io::Error| with_path(&path, &error);
    secure_fs::create_dir_all(folder).map_err(io)?;
    let _held = lock_dir(folder).map_err(io)?;
    let text = read_or_empty(&path).map_err(io)?;
    let revised =
        revise(&text).map_err(|why| SafeText::new(&format!("{why} ({})", path.display())))?;
    if u64::try_from(revised.len()).is_ok_and(|bytes| bytes > MAX_FILE_BYTES) {
        return Err(with_path(&path, &io::Error::other("it would be larger than 1 MB")));
    }
    if revised != text {
        let write = |file: &mut File| {
            file.write_all(revised.as_bytes())?;
            file.sync_all()
        };
        secure_fs::write_atomically(&path, write).map_err(io)?;
    }
    Ok(revised)
}

/// Held until it is dropped.
fn lock_dir(folder: &Path) -> io::Result<File> {
    let file = secure_fs::append(&folder.join(LOCK_FILE))?;
    match file.lock() {
        // Some file systems know no locks; then the file is only read again just before it is written.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        locked => locked?,
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;
    use crate::chain::Address;

    fn change(n: u64, name: &str) -> LabelEdit {
        LabelEdit::name(Address::left_padding_from(&n.to_be_bytes()), name).unwrap()
    }

    fn named(folder: &Path, n: u64, name: &str) -> Result<String, SafeText> {
        edit_file(folder, "1.csv", |text| labels::apply_edit(text, &change(n, name)))
    }

    #[test]
    fn two_writers_lose_none_of_each_others_names() {
        let folder = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for writer in 0..2 {
                let folder = folder.path();
                scope.spawn(move || {
                    for n in 0..50 {
                        named(folder, 2 * n + writer, &format!("writer {writer}")).unwrap();
                    }
                });
            }
        });
        let text = read_or_empty(&folder.path().join("1.csv")).unwrap();
        let labels = Labels::from_csv(&text);
        for n in 0..100 {
            let name = labels.name(&change(n, "").address).cloned();
            assert_eq!(name, Some(format!("writer {}", n % 2).into()), "{n}");
        }
        let names = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
        assert_eq!(names.filter(|name| name != LOCK_FILE && name != "1.csv").count(), 0);
    }

    #[test]
    fn what_was_changed_outside_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        named(folder.path(), 1, "one").unwrap();
        let edited = fs::read_to_string(&path).unwrap() + "# by hand\n";
        fs::write(&path, &edited).unwrap();
        let text = named(folder.path(), 2, "two").unwrap();
        assert!(text.starts_with(&edited) && text.contains(",two,"), "{text}");
    }

    #[test]
    fn a_file_that_is_no_text_or_too_long_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        for (bytes, words) in [
            (b"address,name,watch\n\xff\n".to_vec(), "not UTF-8"),
            (vec![b'\n'; (1 << 20) + 1], "larger than 1 MB"),
        ] {
            fs::write(&path, &bytes).unwrap();
            let why = named(folder.path(), 1, "one").unwrap_err();
            assert!(why.contains(words), "{why}");
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[cfg(unix)]
    #[test]
    fn it_is_the_users_alone_and_no_link_is_written_through() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("labels");
        named(&own, 1, "one").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&own), mode(&own.join("1.csv"))), (0o700, 0o600));
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(own.join("1.csv"), &elsewhere).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        symlink(&elsewhere, own.join("1.csv")).unwrap();
        assert!(named(&own, 2, "two").unwrap_err().contains("link"));
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
    }
}
