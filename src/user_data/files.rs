//! The files of labels and recents. Several programs may edit them, so each edit reads the file again and
//! holds a lock.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tracing::warn;

use super::labels::{self, LabelEdit, Labels};
use super::recents::{Recents, RecentsChange};
use crate::chain::network::FormerStorageKey;
use crate::messages::notice::UserDataNotice;
use crate::messages::system::{self, UserFileProblem};
use crate::sanitize::SafeText;
use crate::secure_fs;

/// Maximum size of a file of visits.
const MAX_RECENTS_BYTES: u64 = 1 << 20;
/// Maximum size of a label file: 100,000 names of the maximum length, each of the widest characters.
const MAX_LABELS_BYTES: u64 = 32 << 20;
const LOCK_FILE: &str = ".lock";
/// Maximum time that another program may hold the lock. An edit takes milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The folders of the files, which are named after the storage keys of chains.
#[derive(Debug, Clone, Default)]
pub struct UserDataFiles {
    /// `None` if the user has no such folder.
    pub labels: Option<PathBuf>,
    pub recents: Option<PathBuf>,
}

impl UserDataFiles {
    /// Renames the labels and recents of a chain if their names may contain a key.
    pub fn rename_former(&self, key: &FormerStorageKey) {
        let FormerStorageKey { name, replacement } = key;
        for (folder, extension) in [(&self.labels, ".csv"), (&self.recents, "")] {
            let renamed =
                folder.as_ref().map(|folder| rename_in(folder, extension, name, replacement));
            if let Some(Err(error)) = renamed {
                let name = &format!("{replacement}{extension}");
                warn!(%error, "{}", UserFileProblem::NotRenamed { name });
            }
        }
    }

    /// Loads the user's labels of a chain. A missing file has none.
    pub fn load_labels(&self, key: &str) -> Result<Labels, SafeText> {
        let Some(folder) = &self.labels else { return Ok(Labels::default()) };
        let path = folder.join(format!("{key}.csv"));
        read_labels(&path, MAX_LABELS_BYTES).map_err(|error| at_path(&path, &io_error(error)))
    }

    pub fn edit_label(&self, key: &str, edit: &LabelEdit) -> Result<Labels, SafeText> {
        let folder = self.labels.as_ref().ok_or(system::NO_CONFIG_FOLDER)?;
        let name = format!("{key}.csv");
        let apply = |text: &str| labels::apply_edit(text, edit);
        let edited = edit_file(folder, &name, MAX_LABELS_BYTES, apply);
        let text = edited.map_err(|why| at_path(&folder.join(&name), &why))?;
        Ok(Labels::from_csv(&text))
    }

    pub fn load_recents(&self, key: &str) -> Result<Recents, SafeText> {
        let Some(folder) = &self.recents else { return Ok(Recents::default()) };
        let path = folder.join(key);
        let text = read_or_empty(&path, MAX_RECENTS_BYTES).map_err(io_error)?;
        Ok(Recents::parse(&text))
    }

    pub fn edit_recents(&self, key: &str, change: RecentsChange) -> Result<(), SafeText> {
        let folder = self.recents.as_ref().ok_or(system::NO_STATE_FOLDER)?;
        edit_file(folder, key, MAX_RECENTS_BYTES, |text| {
            let mut recents = Recents::parse(text);
            recents.apply(change);
            Ok(recents.to_text())
        })
        .map(drop)
    }
}

/// Renames a file if it exists. A file that already has the new name is kept: a number is added.
fn rename_in(folder: &Path, extension: &str, from: &str, to: &str) -> io::Result<()> {
    let former = folder.join(format!("{from}{extension}"));
    if !former.exists() {
        return Ok(());
    }
    let _lock = lock_dir(folder)?;
    let mut path = folder.join(format!("{to}{extension}"));
    for number in 2.. {
        if !path.exists() {
            break;
        }
        path = folder.join(format!("{to}-{number}{extension}"));
    }
    match fs::rename(&former, &path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()), // or another program renamed it
    }
}

/// Reads the rows of a file within `max_bytes`, and reports the others as a problem.
fn read_labels(path: &Path, max_bytes: u64) -> io::Result<Labels> {
    let Some(file) = open_if_present(path)? else { return Ok(Labels::default()) };
    let is_cut = file.metadata()?.len() > max_bytes;
    let mut bytes = secure_fs::read_to_end(file.take(max_bytes), max_bytes)?;
    if is_cut {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
    }
    let mut labels = Labels::from_csv(&secure_fs::read_to_string(&*bytes, max_bytes)?);
    if is_cut {
        let left_out = UserDataNotice::LabelsLeftOut { megabytes: max_bytes >> 20 };
        labels.add_problem(SafeText::new(&left_out.to_string()));
    }
    Ok(labels)
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped to it")]
fn io_error(error: io::Error) -> SafeText {
    SafeText::new(&error.to_string())
}

fn at_path(path: &Path, why: &str) -> SafeText {
    UserFileProblem::AtPath { why, path: &path.display().to_string() }.into()
}

/// Opens a file of the user, or the file that it links to: managed settings are often links.
fn open_if_present(path: &Path) -> io::Result<Option<File>> {
    match secure_fs::open(&secure_fs::link_target(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}

fn read_or_empty(path: &Path, max_bytes: u64) -> io::Result<String> {
    let file = open_if_present(path)?;
    file.map_or(Ok(String::new()), |file| secure_fs::read_to_string(file, max_bytes))
}

/// Replaces the contents of a file by the result of `apply`, atomically and under a lock. Returns the
/// new contents.
fn edit_file(
    folder: &Path,
    name: &str,
    max_bytes: u64,
    apply: impl FnOnce(&str) -> Result<String, SafeText>,
) -> Result<String, SafeText> {
    let path = secure_fs::link_target(&folder.join(name));
    secure_fs::create_dir_all(folder).map_err(io_error)?;
    let _lock = lock_dir(folder).map_err(io_error)?;
    let text = read_or_empty(&path, max_bytes).map_err(io_error)?;
    let edited = apply(&text)?;
    if u64::try_from(edited.len()).is_ok_and(|bytes| bytes > max_bytes) {
        return Err(UserFileProblem::TooLarge { megabytes: max_bytes >> 20 }.into());
    }
    if edited != text {
        secure_fs::write_atomically(&path, |file| {
            file.write_all(edited.as_bytes())?;
            file.sync_all()
        })
        .map_err(io_error)?;
    }
    Ok(edited)
}

fn lock_dir(folder: &Path) -> io::Result<File> {
    let file = secure_fs::append(&folder.join(LOCK_FILE))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => wait_for_lock(file),
        // Some file systems have no locks. Reading just before writing is the best option then.
        Err(TryLockError::Error(e)) if e.kind() != io::ErrorKind::Unsupported => Err(e),
        _ => Ok(file),
    }
}

/// Waits for another program, in a thread of its own because the call cannot be cancelled.
fn wait_for_lock(file: File) -> io::Result<File> {
    let (sender, locked) = mpsc::channel();
    thread::spawn(move || sender.send(file.lock().map(|()| file)));
    locked.recv_timeout(LOCK_TIMEOUT).map_err(|_| io::Error::other(system::LOCKED))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Address;

    fn edit(n: u64, name: &str) -> LabelEdit {
        LabelEdit::name(Address::left_padding_from(&n.to_be_bytes()), name).unwrap()
    }

    fn set_label(folder: &Path, n: u64, name: &str) -> Result<String, SafeText> {
        let apply = |text: &str| labels::apply_edit(text, &edit(n, name));
        edit_file(folder, "1.csv", MAX_LABELS_BYTES, apply)
    }

    #[test]
    fn concurrent_writers_keep_each_others_labels() {
        let folder = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for writer in 0..2 {
                let folder = folder.path();
                scope.spawn(move || {
                    for n in 0..50 {
                        set_label(folder, 2 * n + writer, &format!("writer {writer}")).unwrap();
                    }
                });
            }
        });
        let text = read_or_empty(&folder.path().join("1.csv"), MAX_LABELS_BYTES).unwrap();
        let labels = Labels::from_csv(&text);
        for n in 0..100 {
            let name = labels.name(&edit(n, "").address).cloned();
            assert_eq!(name, Some(format!("writer {}", n % 2).into()), "{n}");
        }
        let names = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
        assert_eq!(names.filter(|name| name != LOCK_FILE && name != "1.csv").count(), 0);
    }

    #[test]
    fn failure_names_the_path_if_there_is_one() {
        let why = |labels| {
            let files = UserDataFiles { labels, recents: None };
            files.edit_label("1", &edit(1, "one")).err()
        };
        assert_eq!(why(None), Some(system::NO_CONFIG_FOLDER.into()));
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("1.csv")).unwrap();
        let path = folder.path().join("1.csv").display().to_string();
        let reason = why(Some(folder.path().into())).unwrap();
        assert!(reason.ends_with(&format!(" · {path}")), "{reason}");
    }

    #[test]
    fn held_lock_is_an_error_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let text = set_label(folder.path(), 1, "one").unwrap();
        let lock = lock_dir(folder.path()).unwrap();
        let reason = set_label(folder.path(), 2, "two").unwrap_err();
        assert_eq!(reason, "another program holds the lock");
        assert_eq!(fs::read_to_string(folder.path().join("1.csv")).unwrap(), text);
        drop(lock);
        assert!(set_label(folder.path(), 3, "three").unwrap().contains("three"));
    }

    #[cfg(unix)]
    #[test]
    fn unchanged_file_is_not_replaced() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let file_after = |name| {
            set_label(folder.path(), 1, name).unwrap();
            fs::metadata(folder.path().join("1.csv")).unwrap().ino()
        };
        let first = file_after("one");
        assert_eq!(file_after("one"), first);
        assert_ne!(file_after("two"), first);
    }

    #[test]
    fn edit_beyond_the_limit_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let edit = |bytes: usize| edit_file(folder.path(), "1.csv", 10, |_| Ok("a".repeat(bytes)));
        assert!(edit(10).is_ok());
        assert!(edit(11).is_err());
        assert_eq!(fs::read_to_string(folder.path().join("1.csv")).unwrap().len(), 10);
    }

    #[test]
    fn edits_by_hand_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        set_label(folder.path(), 1, "one").unwrap();
        let edited = fs::read_to_string(&path).unwrap() + "# by hand\n";
        fs::write(&path, &edited).unwrap();
        let text = set_label(folder.path(), 2, "two").unwrap();
        assert!(text.starts_with(&edited) && text.contains(",two,"), "{text}");
    }

    #[test]
    fn invalid_or_oversized_file_is_left_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        for (bytes, message) in [
            (b"address,name,watch\n\xff\n".to_vec(), "not UTF-8"),
            (vec![b'\n'; (32 << 20) + 1], "larger than 32 MB"),
        ] {
            fs::write(&path, &bytes).unwrap();
            let reason = set_label(folder.path(), 1, "one").unwrap_err();
            assert!(reason.contains(message), "{reason}");
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_are_private_and_links_are_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("labels");
        set_label(&own, 1, "one").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&own), mode(&own.join("1.csv"))), (0o700, 0o600));
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(own.join("1.csv"), &elsewhere).unwrap();
        symlink(&elsewhere, own.join("1.csv")).unwrap();
        let text = set_label(&own, 2, "two").unwrap();
        assert!(text.contains(",one,") && text.contains(",two,"), "{text}");
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), text);
        assert!(own.join("1.csv").symlink_metadata().unwrap().is_symlink(), "it stays a link");
    }

    #[test]
    fn rows_over_the_limit_are_reported_and_stay_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.csv");
        let rows: Vec<String> =
            (0..100).map(|n| format!("{},name {n},\n", edit(n, "").address)).collect();
        fs::write(&path, rows.concat()).unwrap();
        let labels = read_labels(&path, rows[..42].concat().len() as u64 + 10).unwrap();
        let labelled = (0..100).filter(|n| labels.name(&edit(*n, "").address).is_some());
        assert_eq!(labelled.count(), 42);
        assert_eq!(labels.problems().len(), 1, "{:?}", labels.problems());
        assert_eq!(fs::read_to_string(&path).unwrap(), rows.concat());
        assert!(read_labels(&path, MAX_LABELS_BYTES).unwrap().problems().is_empty());
    }
}
