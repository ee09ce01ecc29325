//! The vocabulary of the code: words that are not used, first lines of documentation, names of
//! parameters, and type names that are unique.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::architecture::{documents, root, rust_files};

/// Words of a private vocabulary. Documentation speaks of code, and of modules and layers.
const FORBIDDEN: [&str; 9] =
    ["room", "rooms", "house", "houses", "nobody", "somebody", "someone", "whoever", "anybody"];

/// Words that name nothing in code. In comments they are plain verbs and pronouns.
const FORBIDDEN_IN_CODE: [&str; 6] = ["dialect", "heard", "news", "said", "wants", "whom"];

/// Words that others replace in sources and documents: "again", "next to", "reports".
const REPLACED: [&str; 5] = ["anew", "beside", "tell", "tells", "told"];

/// Phrases in comments of `src` that name a thing by a clause where English has a noun.
const CLAUSES: &str = r"\bReturns (whether|what|where|how|why|which)\b|\b([Tt]hat|[Tt]hose) of\b";

/// Documentation that begins with a clause. A share is left for the few that have no noun.
const CLAUSE_AT_START: &str = r"^(What|Whether|How|Where|Why)\b";
const MAX_CLAUSE_PERCENT: usize = 1;

/// Documentation that cannot be read without the item above it.
const DEPENDENT_START: &str =
    r"^(Returns |Does )?[Tt]he same([.,:]| (as|with|if|without|for|until)\b|$)";

/// Parameters that are called by no noun: `|it|` and `of: &Address`.
const PARAMETER_WITHOUT_NOUN: &str = r"\|[^|]*\bit\b[^|]*\||(^|[(|,])\s*of: ";

/// Maximum lines in a thousand that bind a value again under its own name. Most trim or unwrap a
/// parameter: steps that follow each other are one chain, or have names.
const MAX_REBINDINGS_PER_THOUSAND: usize = 3;

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
            let is_test = path.starts_with(root().join("tests"));
            let private = words(line).filter(|word| {
                is_one_of(word, &FORBIDDEN) || (!is_test && is_one_of(word, &REPLACED))
            });
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

/// A block of consecutive comment lines of one kind.
struct CommentBlock {
    path: String,
    line: usize,
    is_documentation: bool,
    text: String,
}

/// Returns the comment blocks of `src`, each as one line of text.
fn comment_blocks() -> Vec<CommentBlock> {
    let mut blocks: Vec<CommentBlock> = Vec::new();
    for path in rust_files("src") {
        let mut previous = "";
        let source = fs::read_to_string(&path).unwrap();
        for (n, line) in source.lines().enumerate() {
            let line = line.trim_start();
            let mark = ["///", "//!", "//"].into_iter().find(|mark| line.starts_with(mark));
            let mark = mark.unwrap_or_default();
            let text = line[mark.len()..].trim();
            match blocks.last_mut() {
                _ if mark.is_empty() => {}
                Some(block) if mark == previous => block.text.extend([" ", text]),
                _ => blocks.push(CommentBlock {
                    path: relative(&path),
                    line: n + 1,
                    is_documentation: mark != "//",
                    text: text.to_owned(),
                }),
            }
            previous = mark;
        }
    }
    blocks
}

/// Formats the blocks that match a pattern, one per line.
fn matching_blocks<'a>(
    blocks: impl Iterator<Item = &'a CommentBlock>,
    pattern: &str,
) -> Vec<String> {
    let pattern = Regex::new(pattern).unwrap();
    let found = blocks.filter(|block| pattern.is_match(&block.text));
    found.map(|block| format!("{}:{}: {}", block.path, block.line, block.text)).collect()
}

#[test]
fn comments_name_things_by_nouns() {
    let blocks = comment_blocks();
    assert!(blocks.len() > 3_000, "only {} comments", blocks.len());
    let found = matching_blocks(blocks.iter(), CLAUSES);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn documentation_begins_with_a_noun_or_a_verb() {
    let blocks = comment_blocks();
    let documentation: Vec<_> = blocks.iter().filter(|block| block.is_documentation).collect();
    let dependent = matching_blocks(documentation.iter().copied(), DEPENDENT_START);
    assert!(dependent.is_empty(), "{}", dependent.join("\n"));
    let max = documentation.len() * MAX_CLAUSE_PERCENT / 100;
    let found = matching_blocks(documentation.into_iter(), CLAUSE_AT_START);
    assert!(found.len() <= max, "{} of at most {max}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn parameters_are_called_by_nouns() {
    let pattern = Regex::new(PARAMETER_WITHOUT_NOUN).unwrap();
    let mut found = Vec::new();
    for path in rust_files("src") {
        let path_text = relative(&path);
        for (n, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if pattern.is_match(code) {
                found.push(format!("{path_text}:{}: {}", n + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn values_are_seldom_bound_again_under_their_own_name() {
    let binding = Regex::new(r"^let (?:mut )?(\w+)(?:: .*?)? = [&*]*(?:mut )?(\w+)").unwrap();
    let binds_again = |line: &str| binding.captures(line).is_some_and(|names| names[1] == names[2]);
    assert!(binds_again("let mut text = text.trim();") && binds_again("let x: u8 = *x;"));
    assert!(!binds_again("let text = texts.join(text);"));
    let (mut lines, mut found) = (0, Vec::new());
    for path in rust_files("src") {
        let source = fs::read_to_string(&path).unwrap();
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code = source.lines().map(str::trim);
        for line in code.filter(|line| !line.is_empty() && !line.starts_with("//")) {
            lines += 1;
            found.extend(binds_again(line).then(|| format!("{}: {line}", relative(&path))));
        }
    }
    let max = lines * MAX_REBINDINGS_PER_THOUSAND / 1_000;
    assert!(found.len() <= max, "{} of at most {max}:\n{}", found.len(), found.join("\n"));
}

/// The name of the type that a line defines, outside functions.
fn defined_type(line: &str) -> Option<&str> {
    // `pub(in path)` is two words.
    let mut words =
        line.split_whitespace().skip_while(|word| word.starts_with("pub") || word.ends_with(')'));
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
