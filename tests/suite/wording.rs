//! The vocabulary of the code: words that are not used, and type names that are unique.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::architecture::{documents, root, rust_files};

/// Words of a private vocabulary. Documentation speaks of code, and of modules and layers.
const FORBIDDEN: [&str; 9] =
    ["room", "rooms", "house", "houses", "nobody", "somebody", "someone", "whoever", "anybody"];

/// Words that name nothing in code. In comments they are plain verbs and pronouns.
const FORBIDDEN_IN_CODE: [&str; 6] = ["dialect", "heard", "news", "said", "wants", "whom"];

/// Splits text into words, and identifiers into their parts.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

fn texts() -> Vec<PathBuf> {
    let mut files = documents();
    files.push(root().join("CHANGELOG.md"));
    files.extend(["assets/config.toml", "assets/keymap.toml"].map(|path| root().join(path)));
    files.extend(
        ["src", "tests/suite", "tests/dev_tools", "tests/benches"].map(rust_files).concat(),
    );
    files.extend(rust_files("tests/fuzz/fuzz_targets"));
    files.retain(|path| !path.ends_with("wording.rs"));
    files
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.contains(&word.to_lowercase().as_str())
}

#[test]
fn private_vocabulary_is_not_used() {
    let mut found = Vec::new();
    for path in texts() {
        for (n, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let private = words(line).filter(|word| is_one_of(word, &FORBIDDEN));
            let code = line.split("//").next().filter(|_| path.extension() == Some("rs".as_ref()));
            let in_code = words(code.unwrap_or_default());
            let in_code = in_code.filter(|word| is_one_of(word, &FORBIDDEN_IN_CODE));
            for word in private.chain(in_code) {
                found.push(format!("{}:{}: {word}", relative(&path), n + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The name of the type that a line defines, outside functions.
fn defined_type(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let keyword = words.next()?;
    let is_definition = matches!(keyword, "struct" | "enum" | "trait" | "type" | "union");
    // In macros and modules they are `pub`; an associated type is not.
    let is_associated = line.starts_with("    ") && !line.trim_start().starts_with("pub");
    if !is_definition || is_associated {
        return None;
    }
    words.next()?.split(|c: char| !c.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

#[test]
fn type_names_are_unique() {
    let mut definitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in rust_files("src") {
        let source = fs::read_to_string(&path).unwrap();
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for name in source.lines().filter_map(defined_type) {
            definitions.entry(name.to_owned()).or_default().push(relative(&path));
        }
    }
    assert!(definitions.len() > 300, "only {} types found", definitions.len());
    definitions.retain(|_, paths| paths.len() > 1);
    assert!(definitions.is_empty(), "{definitions:#?}");
}
