//! Reads the JSON files of a folder, within bounds. This is the only part of `abi` that reads folders.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::messages::abi::JsonFolderError;
use crate::sanitize::SafeText;

/// Maximum bytes of a file. Compilers write a few hundred kilobytes, most of it bytecode.
pub(super) const MAX_FILE_BYTES: u64 = 16 << 20;
const MAX_DEPTH: usize = 12;
const MAX_ENTRIES: usize = 10_000;
const MAX_TOTAL_BYTES: u64 = 256 << 20;
const MAX_TIME: Duration = Duration::from_secs(10);
const MAX_PROBLEMS: usize = 100;

/// Folders that compilers put next to the ABIs.
const SKIPPED_DIRS: &[&str] = &["build-info", "cache", "node_modules"];

#[derive(Default)]
struct JsonFiles {
    files: Vec<PathBuf>,
    entries: usize,
    problems: Vec<SafeText>,
}

/// Number of JSON files in a folder, and the newest modification time.
pub(super) type FolderVersion = (usize, Option<SystemTime>);

pub(super) fn version(folder: &Path) -> FolderVersion {
    let files = JsonFiles::find(folder).files;
    let written = files.iter().filter_map(|file| file.symlink_metadata().ok()?.modified().ok());
    (files.len(), written.max())
}

/// Passes each JSON file of a folder and its subfolders to `add`, and returns the problems. Links are
/// not followed. A folder that does not exist counts as empty.
pub(super) fn read_each<E: Display>(
    folder: &Path,
    read: fn(&Path, u64) -> io::Result<String>,
    mut add: impl FnMut(&Path, &str) -> Result<(), E>,
) -> Vec<SafeText> {
    let started = Instant::now();
    let mut found = JsonFiles::find(folder);
    // Directory order is arbitrary, and if two files have the same function, the last one is shown.
    found.files.sort_unstable();
    let mut left = MAX_TOTAL_BYTES;
    for path in std::mem::take(&mut found.files) {
        if left == 0 || started.elapsed() > MAX_TIME {
            found.report(folder, &JsonFolderError::TooLarge);
            break;
        }
        let json = read(&path, MAX_FILE_BYTES);
        left = left.saturating_sub(json.as_ref().map_or(MAX_FILE_BYTES, |json| json.len() as u64));
        match json.map(|json| add(&path, &json)) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => found.report(&path, &why),
            Err(why) => found.report(&path, &why),
        }
    }
    found.problems
}

impl JsonFiles {
    fn find(folder: &Path) -> Self {
        let mut found = Self::default();
        if folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            found.visit_dir(folder, 0);
        }
        found
    }

    fn report(&mut self, path: &Path, why: &dyn Display) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(SafeText::new(&format!("{}: {why}", path.display())));
        }
    }

    fn visit_dir(&mut self, folder: &Path, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => return self.report(folder, &e),
        };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return self.report(folder, &JsonFolderError::TooManyFiles);
            }
            // The type of the entry itself: a link is neither a file nor a folder.
            let Ok(file_type) = entry.file_type() else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if file_type.is_dir() && depth < MAX_DEPTH && !SKIPPED_DIRS.contains(&&*name) {
                self.visit_dir(&entry.path(), depth + 1);
            } else if file_type.is_file() && is_abi_file_name(&name) {
                self.files.push(entry.path());
            }
        }
    }
}

/// Returns `true` if a file may be an ABI. Hardhat writes an `X.dbg.json` next to each.
fn is_abi_file_name(name: &str) -> bool {
    let Some((stem, "json")) = name.rsplit_once('.') else { return false };
    !matches!(stem.rsplit_once('.'), Some((_, "dbg" | "metadata")))
}
