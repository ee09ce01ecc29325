//! The module structure: layers, import cycles, and the files and keys that the documentation names.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// From the bottom up. A module imports only from lower layers.
const LAYERS: &[&[&str]] = &[
    &["action", "csv_record", "memory_limit", "sanitize", "secure_fs", "time_slice"],
    &["chain", "toml_reader"],
    &["messages"],
    &["disk_cache", "http"],
    &["safety", "search_terms"],
    &["user_data"],
    &["abi", "api", "picture", "rpc", "trace"],
    &["store"],
    &["api_server", "demo_chain", "indexer"],
    &["app_message"],
    &["config", "name_cache"],
    &["keymap", "net", "route", "ui"],
    &["columns"],
    &["calls", "watch"],
    &["pane"],
    &["app"],
    &["runtime"],
    &["output"],
    &["cli"],
];

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Collects the files below a folder that end in `extension`.
fn files_below(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, extension, files);
        } else if path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
}

pub(crate) fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    files_below(&root().join(folder), "rs", &mut files);
    assert!(!files.is_empty(), "{folder} has no Rust files");
    files
}

/// The documents that describe keys, files and commands.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    files_below(&root().join("assets/manual"), "md", &mut files);
    files
}

#[test]
fn imports_run_one_way() {
    let src = root().join("src");
    let mut imports = 0;
    for file in rust_files("src") {
        let path = file.strip_prefix(&src).unwrap();
        let module = path.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        let Some(own_layer) = layer(module) else {
            let is_root = matches!(module, "lib" | "main" | "test_api");
            assert!(is_root, "{module} has no layer: add it to LAYERS");
            continue;
        };
        for (n, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            for import in line.split("crate::").skip(1) {
                let imported: String = import.chars().take_while(|c| is_ident(*c)).collect();
                let Some(other_layer) = layer(&imported).filter(|_| imported != module) else {
                    continue;
                };
                imports += 1;
                assert!(
                    other_layer < own_layer,
                    "{}:{}: `{module}` imports `{imported}`, which is not in a lower layer",
                    path.display(),
                    n + 1
                );
            }
        }
    }
    assert!(imports > 100, "only {imports} imports found");
}

#[test]
fn contributing_lists_the_layers() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let diagram = text.split("```").find(|block| block.contains(" < cli")).unwrap();
    let layers = diagram.trim_start_matches("text").split('<').map(|layer| {
        let modules = layer.split(',').map(|module| module.trim().to_owned());
        modules.collect::<Vec<_>>()
    });
    assert_eq!(layers.collect::<Vec<_>>(), LAYERS);
}

#[test]
fn files_named_in_documents_exist() {
    let mut checked = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let is_path =
            |word: &&str| ["src/", "tests/", "assets/"].iter().any(|p| word.starts_with(p));
        let in_ticks = text.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        for path in in_ticks.filter(is_path).filter(|path| !path.contains(['{', '*'])) {
            assert!(root().join(path).exists(), "{}: {path}", document.display());
            checked += 1;
        }
        let folder = document.parent().unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !link.starts_with("http") && !link.starts_with('#') {
                assert!(folder.join(link).exists(), "{}: {link}", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "only {checked} paths found");
}

/// The keys in the first column of a document's tables whose header is `key`.
fn documented_keys(document: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let tables = text.split("| key |").skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(2).take_while(|l| l.starts_with('|')));
    let cells = rows.map(|row| row.split(" | ").next().unwrap());
    let keys = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    keys.map(|key| key.replace('\\', "")).collect()
}

#[test]
fn documented_keys_are_bound() {
    let keymap = fs::read_to_string(root().join("assets/keymap.toml")).unwrap();
    let (readme, manual) = (documented_keys("README.md"), documented_keys("assets/manual/keys.md"));
    assert!(readme.len() > 20 && manual.len() > 100, "{} and {}", readme.len(), manual.len());
    for key in readme.iter().chain(&manual) {
        let chord = match key.strip_prefix('^') {
            Some(letter) => format!("ctrl-{letter}"),
            None if key.chars().count() == 2 => format!("{} {}", &key[..1], &key[1..]),
            None if key.chars().count() > 2 => key.to_lowercase(), // Enter, Esc, Space
            None => key.clone(),
        };
        assert!(keymap.contains(&format!("\"{chord}\" =")), "{key} is not bound");
    }
}

#[test]
fn snapshots_are_few_enough_to_review() {
    let mut snapshots = Vec::new();
    files_below(&root().join("tests/suite/snapshots"), "snap", &mut snapshots);
    assert!(snapshots.len() <= 100, "{} snapshots: see CONTRIBUTING.md", snapshots.len());
}

fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The parts of a file's module path, such as `pane`, `trace` and `row`.
fn module_path(file: &Path) -> Vec<String> {
    let path = file.strip_prefix(root().join("src")).unwrap().with_extension("");
    path.iter().map(|part| part.to_str().unwrap().to_owned()).collect()
}

/// The paths in the crate that a file names, outside its unit tests. Of a group, each word counts.
fn named_paths(file: &Path, pattern: &Regex) -> Vec<Vec<String>> {
    let source = fs::read_to_string(file).unwrap();
    let source = source.split("#[cfg(test)]").next().unwrap();
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let source = code.collect::<Vec<_>>().join("\n");
    let own = module_path(file);
    let mut paths = Vec::new();
    for names in pattern.captures_iter(&source) {
        let ups = names[1].matches("super::").count();
        let kept = if ups == 0 { 0 } else { own.len() - ups };
        let folder = own[..kept].iter().map(String::as_str);
        let folder: Vec<&str> = folder.chain(names[2].split_terminator("::")).collect();
        for name in names[3].split(|c| !is_ident(c)).filter(|name| !name.is_empty()) {
            paths.push(folder.iter().copied().chain([name]).map(str::to_owned).collect());
        }
    }
    paths
}

/// Removes the modules that import no other remaining module until none is left to remove: what
/// remains is on a cycle, or imports one.
fn import_cycles(imports: &HashSet<(String, String)>) -> BTreeSet<String> {
    let importers = imports.iter().map(|(importer, _)| importer.clone());
    let mut remaining: BTreeSet<String> = importers.collect();
    loop {
        let before = remaining.clone();
        let is_importer = |module: &String| {
            imports.iter().any(|(one, two)| one == module && before.contains(two))
        };
        remaining.retain(is_importer);
        if remaining.len() == before.len() {
            return remaining;
        }
    }
}

#[test]
fn modules_have_no_import_cycles() {
    let pattern = Regex::new(r"\b(crate::|(?:super::)+)((?:\w+::)*)(\w+|\{[^;]*)").unwrap();
    let files = rust_files("src");
    let files: Vec<_> = files.iter().filter(|file| !file.ends_with("tests.rs")).collect();
    let modules: HashSet<Vec<String>> = files.iter().map(|file| module_path(file)).collect();
    // Between the modules of one folder, at every level.
    let mut imports: HashMap<Vec<String>, HashSet<(String, String)>> = HashMap::new();
    for file in files {
        let own = module_path(file);
        for named in named_paths(file, &pattern) {
            let shared = own.iter().zip(&named).take_while(|(one, two)| one == two).count();
            if let (Some(importer), Some(imported)) = (own.get(shared), named.get(shared))
                && shared > 0
                && modules.contains(&named[..=shared])
            {
                let folder = imports.entry(own[..shared].to_vec()).or_default();
                folder.insert((importer.clone(), imported.clone()));
            }
        }
    }
    assert!(imports.len() > 20, "only {} folders", imports.len());
    for (folder, imports) in imports {
        assert_eq!(import_cycles(&imports), BTreeSet::new(), "in `{}`", folder.join("::"));
    }
}

#[test]
fn files_have_enough_lines_and_folders_enough_files() {
    const MIN_LINES: usize = 30;
    const MAX_FILES: usize = 20;
    let mut files_in: HashMap<PathBuf, usize> = HashMap::new();
    for file in rust_files("src") {
        *files_in.entry(file.parent().unwrap().to_owned()).or_default() += 1;
        let is_head = file.with_extension("").is_dir() || file.ends_with("src/main.rs");
        // A subject may have few sentences.
        let is_of_sentences = file.parent().unwrap().ends_with("src/messages");
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(
            lines >= MIN_LINES || is_head || is_of_sentences,
            "{}: {lines} lines",
            file.display()
        );
    }
    for (folder, files) in &files_in {
        assert!(*files > 1, "{} has one file", folder.display());
    }
    for folder in ["src/abi", "src/app", "src/pane/trace"] {
        let files = files_in[&root().join(folder)];
        assert!(files <= MAX_FILES, "{folder} has {files} files on one level");
    }
}
