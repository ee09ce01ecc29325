//! Loads the ABI files of a folder. This is the only part of `abi` that reads files.

use std::fs;
use std::path::{Path, PathBuf};

use super::abi_json::MAX_FILE_BYTES;
use super::signature_db::SignatureDb;
use crate::sanitize::SafeText;
use crate::secure_fs;

const MAX_DEPTH: usize = 4;
const MAX_ENTRIES: usize = 10_000;
const MAX_TOTAL_BYTES: u64 = 256 << 20;
const MAX_PROBLEMS: usize = 100;

/// Folders that compilers put beside the ABIs.
const SKIPPED_DIRS: &[&str] = &["build-info", "cache", "node_modules"];

#[derive(Default)]
struct AbiLoader {
    files: Vec<PathBuf>,
    entries: usize,
    problems: Vec<SafeText>,
}

/// Adds the ABI files of a folder and of the folders inside, and returns the problems. Links are not
/// followed. A folder that does not exist counts as empty.
pub fn load(db: &mut SignatureDb, folder: &Path) -> Vec<SafeText> {
    let mut loader = AbiLoader::default();
    if folder.exists() {
        loader.visit_dir(folder, 0);
    }
    // Directory order is arbitrary, and of two files with one function the last is shown.
    loader.files.sort_unstable();
    let mut left = MAX_TOTAL_BYTES;
    for path in std::mem::take(&mut loader.files) {
        if left == 0 {
            loader.report(folder, "more than 256 MB of ABIs; the rest is skipped");
            break;
        }
        if let Err(why) = add_file(db, &path, &mut left) {
            loader.report(&path, &why);
        }
    }
    loader.problems
}

impl AbiLoader {
    fn report(&mut self, path: &Path, why: &str) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(SafeText::new(&format!("{}: {why}", path.display())));
        }
    }

    fn visit_dir(&mut self, folder: &Path, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) => return self.report(folder, &e.to_string()),
        };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return self.report(folder, "more than 10,000 files; the rest is skipped");
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

/// Returns whether a file may be an ABI. Hardhat writes `X.dbg.json` beside each.
fn is_abi_file_name(name: &str) -> bool {
    let Some((stem, "json")) = name.rsplit_once('.') else { return false };
    !matches!(stem.rsplit_once('.'), Some((_, "dbg" | "metadata")))
}

fn add_file(db: &mut SignatureDb, path: &Path, left: &mut u64) -> Result<(), SafeText> {
    let json = secure_fs::read_text(path, MAX_FILE_BYTES as u64);
    let read = json.as_ref().map_or(MAX_FILE_BYTES, String::len);
    *left = left.saturating_sub(read as u64);
    db.add_abi(path, &json.map_err(|e| SafeText::new(&e.to_string()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABI: &str = r#"[{"type":"function","name":"poke","inputs":[],"outputs":[]}]"#;

    #[test]
    fn folders_inside_are_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("out/Child.sol/Child.json", &format!(r#"{{"abi":{ABI},"bytecode":{{}}}}"#));
        write("out/build-info/1.json", "{}");
        write("out/Child.sol/Child.dbg.json", "{}");
        write("broken.json", "[");
        write("notes.txt", "[");
        write("1/2/3/4/5/deep.json", "[");
        let mut db = SignatureDb::default();
        let problems = load(&mut db, folder.path());
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("broken.json: not an ABI"), "{problems:?}");
        let poke = alloy_primitives::keccak256("poke()");
        let decoded = db.decode_call(None, &["Child"], &poke[..4]).unwrap();
        assert_eq!((&*decoded.name, decoded.is_guess()), ("poke", false));
        assert!(load(&mut db, &folder.path().join("none")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("A.json"), "[").unwrap();
        std::os::unix::fs::symlink(other.path(), folder.path().join("all")).unwrap();
        std::os::unix::fs::symlink(other.path().join("A.json"), folder.path().join("B.json"))
            .unwrap();
        assert!(load(&mut SignatureDb::default(), folder.path()).is_empty());
    }
}
