//! Reads the JSON files of a folder, within bounds. This is the only part of `abi` that reads folders.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::messages::abi::JsonFolderError;
use crate::sanitize::SafeText;
use crate::secure_fs;

/// Maximum bytes of a file. Compilers write a few hundred kilobytes, most of it bytecode.
pub(super) const MAX_FILE_BYTES: u64 = 16 << 20;
const MAX_DEPTH: usize = 12;
const MAX_ENTRIES: usize = 10_000;
const MAX_TOTAL_BYTES: u64 = 256 << 20;
const MAX_TIME: Duration = Duration::from_secs(10);
const MAX_PROBLEMS: usize = 100;

/// Folders that compilers and scripts put next to the ABIs.
const SKIPPED_DIRS: &[&str] = &["build-info", "cache", "node_modules", "solcInputs"];

/// The owner of a folder decides what its links may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderKind {
    /// A folder of the user's settings: links are followed.
    Settings,
    /// A folder that another user may have prepared: links and files of others are skipped.
    Project,
}

struct JsonFiles {
    kind: FolderKind,
    /// The folders read so far: links can form a cycle.
    visited: HashSet<PathBuf>,
    files: Vec<PathBuf>,
    entries: usize,
    problems: Vec<SafeText>,
}

/// Number of JSON files in a project's folder, and the newest modification time.
pub(super) type FolderVersion = (usize, Option<SystemTime>);

pub(super) fn version(folder: &Path) -> FolderVersion {
    let files = JsonFiles::find(folder, FolderKind::Project).files;
    let written = files.iter().filter_map(|file| file.symlink_metadata().ok()?.modified().ok());
    (files.len(), written.max())
}

/// Passes each JSON file of a folder and its subfolders to `add`, and returns the problems. A folder
/// that does not exist counts as empty.
pub(super) fn read_each<E: Display>(
    folder: &Path,
    kind: FolderKind,
    mut add: impl FnMut(&Path, &str) -> Result<(), E>,
) -> Vec<SafeText> {
    let started = Instant::now();
    let mut found = JsonFiles::find(folder, kind);
    // Directory order is arbitrary, and if two files have the same function, the last one is shown.
    found.files.sort_unstable();
    let mut left = MAX_TOTAL_BYTES;
    for path in std::mem::take(&mut found.files) {
        if left == 0 || started.elapsed() > MAX_TIME {
            found.report(folder, &JsonFolderError::TooLarge);
            break;
        }
        let json = kind.read(&path);
        left = left.saturating_sub(json.as_ref().map_or(MAX_FILE_BYTES, |json| json.len() as u64));
        match json.map(|json| add(&path, without_bom(&json))) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => found.report(&path, &why),
            Err(why) => found.report(&path, &why),
        }
    }
    found.problems
}

/// Returns a text without the byte-order mark that some editors write.
fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

impl FolderKind {
    fn read(self, path: &Path) -> io::Result<String> {
        match self {
            Self::Settings => secure_fs::read_text(path, MAX_FILE_BYTES),
            Self::Project => secure_fs::read_own_text(path, MAX_FILE_BYTES),
        }
    }

    fn metadata(self, path: &Path) -> io::Result<Metadata> {
        match self {
            Self::Settings => path.metadata(),
            Self::Project => path.symlink_metadata(),
        }
    }
}

impl JsonFiles {
    fn find(folder: &Path, kind: FolderKind) -> Self {
        let mut found = Self {
            kind,
            visited: HashSet::new(),
            files: Vec::new(),
            entries: 0,
            problems: Vec::new(),
        };
        if kind.metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
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
        if !folder.canonicalize().is_ok_and(|folder| self.visited.insert(folder)) {
            return;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => return self.report(folder, &e),
        };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return self.report(folder, &JsonFolderError::TooManyFiles);
            }
            let path = entry.path();
            let file_name = entry.file_name();
            let name = file_name.to_string_lossy();
            let is_abi = is_abi_file_name(&name);
            let is_read = depth < MAX_DEPTH && !SKIPPED_DIRS.contains(&&*name);
            match self.kind.metadata(&path) {
                Ok(metadata) if metadata.is_dir() && is_read => self.visit_dir(&path, depth + 1),
                Ok(metadata) if metadata.is_file() && is_abi => self.files.push(path),
                Err(error) if is_abi => self.report(&path, &error),
                _ => {}
            }
        }
    }
}

/// Returns `true` if a file may be an ABI. Hardhat writes an `X.dbg.json` next to each.
fn is_abi_file_name(name: &str) -> bool {
    let Some((stem, "json")) = name.rsplit_once('.') else { return false };
    !matches!(stem.rsplit_once('.'), Some((_, "dbg" | "metadata")))
}
