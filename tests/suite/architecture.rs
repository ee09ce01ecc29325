//! Imports run one way: a module names only modules of lower layers.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. Modules of one layer do not name each other.
const LAYERS: &[&[&str]] = &[
    &["text"],
    &["chain", "sheet"],
    &["api", "abi", "trace", "explorer"],
    &["config", "msg", "seen"],
    &["ui", "keymap"],
    &["pane"],
    &["app"],
    &["runtime"],
    &["oneshot"],
    &["cli"],
];

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn imports_run_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut checked = 0;
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let module = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        let Some(own) = rank(module) else {
            assert!(matches!(module, "lib" | "main"), "{module} has no layer: add it to LAYERS");
            continue;
        };
        for (n, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            for named in line.split("crate::").skip(1) {
                let named: String = named.chars().take_while(|c| c.is_alphanumeric()).collect();
                let Some(other) = rank(&named).filter(|_| named != module) else { continue };
                checked += 1;
                assert!(
                    other < own,
                    "{}:{}: `{module}` names `{named}`, which is not below it",
                    inside.display(),
                    n + 1
                );
            }
        }
    }
    assert!(checked > 100, "only {checked} imports were found: the test looks in the wrong place");
}

#[test]
fn files_named_in_contributing_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let paths: Vec<&str> = text.split('`').filter(|word| word.starts_with("src/")).collect();
    assert!(paths.len() >= 5, "the recipe names its files");
    for path in paths.iter().filter(|path| !path.contains("logs")) {
        assert!(root.join(path).exists(), "{path} is gone");
    }
}

#[test]
fn documented_keys_are_bound() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("README.md")).unwrap();
    let keys = text.split("## Keys").nth(1).unwrap().split("## ").next().unwrap();
    let keymap = fs::read_to_string(root.join("assets/keymap.toml")).unwrap();
    let mut checked = 0;
    for row in keys.lines().filter(|line| line.starts_with("| `")) {
        let cell = row.split('|').nth(1).unwrap();
        for key in cell.split('`').skip(1).step_by(2) {
            let chord = match key.strip_prefix('^') {
                Some(letter) => format!("ctrl-{letter}"),
                None if key.len() == 2 => format!("{} {}", &key[..1], &key[1..]),
                None if key.len() > 2 => key.to_lowercase(), // Enter, Esc, Space
                None => key.to_owned(),
            };
            assert!(keymap.contains(&format!("\"{chord}\" =")), "{key} is not bound");
            checked += 1;
        }
    }
    assert!(checked > 30, "only {checked} keys were found");
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The files of a room that a file of it names.
fn named_in_room(room: &str, path: &Path, files: &[String]) -> Vec<String> {
    let source = fs::read_to_string(path).unwrap();
    let source = source.split("#[cfg(test)]").next().unwrap();
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let source = code.collect::<Vec<_>>().join("\n");
    let depth = path.iter().rev().position(|part| part == room).unwrap();
    let up = "super::".repeat(depth);
    let source = source.replace(&format!("crate::{room}::"), &up);
    let words = source.split(&up).skip(1).flat_map(|rest| {
        let ends = |c: char| if rest.starts_with('{') { c == ';' } else { !is_of_word(c) };
        let named = rest.split(ends).next().unwrap();
        named.split(|c| !is_of_word(c)).map(str::to_owned)
    });
    words.filter(|word| files.contains(word)).collect()
}

/// Drops the files that name none of the others, until all do: then each leads into a circle.
fn circles(room: &str, src: &Path) -> Vec<String> {
    let mut found = Vec::new();
    sources(&src.join(room), &mut found);
    let own = |path: &Path| {
        let inside = path.strip_prefix(src.join(room)).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        first.trim_end_matches(".rs").to_owned()
    };
    found.retain(|path| !path.ends_with("tests.rs"));
    let mut files: Vec<String> = found.iter().map(|path| own(path)).collect();
    let all = files.clone();
    let mut names: Vec<(String, String)> = Vec::new();
    for path in &found {
        let others = named_in_room(room, path, &all).into_iter();
        names.extend(others.map(|other| (own(path), other)).filter(|(one, other)| one != other));
    }
    assert!(found.len() < 6 || !names.is_empty(), "{room}: no file names another");
    loop {
        let before = files.len();
        let left = files.clone();
        files.retain(|file| names.iter().any(|(one, other)| one == file && left.contains(other)));
        if files.len() == before {
            files.sort();
            files.dedup();
            return files;
        }
    }
}

#[test]
fn modules_have_no_import_cycles() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in LAYERS.iter().copied().flatten().filter(|room| src.join(room).is_dir()) {
        assert_eq!(circles(room, &src), [""; 0], "in `{room}`");
    }
}
