//! Loads the ABI files of a folder.

use std::path::Path;

use super::signature_db::SignatureDb;
use crate::abi::json_files::{self, FolderKind};
use crate::sanitize::SafeText;

/// Adds the ABI files of a folder and its subfolders, and returns the problems.
pub fn load(db: &mut SignatureDb, folder: &Path) -> Vec<SafeText> {
    json_files::read_each(folder, FolderKind::Settings, |path, json| db.add_abi(path, json))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        write("Marked.json", &format!("\u{feff}{ABI}"));
        write("out/build-info/1.json", "{}");
        write("out/Child.sol/Child.dbg.json", "{}");
        write("broken.json", "[");
        write("notes.txt", "[");
        write(&format!("{}deep.json", "1/".repeat(13)), "[");
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
    fn links_are_followed_within_bounds() {
        use std::os::unix::fs::symlink;
        let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        fs::write(other.path().join("A.json"), "[").unwrap();
        let [abis, inside] = ["abis", "inside"].map(|name| folder.path().join(name));
        symlink(other.path(), &abis).unwrap();
        symlink(other.path().join("A.json"), other.path().join("B.json")).unwrap();
        symlink(other.path().join("missing"), other.path().join("C.json")).unwrap();
        symlink(&inside, other.path().join("loop")).unwrap();
        symlink(other.path(), &inside).unwrap();
        let problems = load(&mut SignatureDb::default(), &abis);
        for name in ["A.json: not an ABI", "B.json: not an ABI", "C.json: No such file"] {
            assert!(problems.iter().any(|problem| problem.contains(name)), "{problems:?}");
        }
    }
}
