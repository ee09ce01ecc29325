//! Lines of source code with the colours of Solidity and Vyper.

use std::ops::Range;

use super::super::theme::Role;
use crate::sanitize::SafeText;

/// A line of a source file.
#[derive(Debug, Clone)]
pub struct CodeLine {
    pub number: usize,
    pub text: SafeText,
    /// `true` if a comment of several lines began in a line before.
    pub is_in_comment: bool,
}

/// Columns of the line numbers, and of the space after.
pub(super) const NUMBER_WIDTH: u16 = 6;

const KEYWORDS: &[&str] = &[
    "abstract",
    "anonymous",
    "as",
    "assembly",
    "assert",
    "break",
    "calldata",
    "case",
    "catch",
    "constant",
    "constructor",
    "continue",
    "contract",
    "def",
    "default",
    "delete",
    "do",
    "elif",
    "else",
    "emit",
    "enum",
    "error",
    "event",
    "extcall",
    "external",
    "fallback",
    "for",
    "from",
    "function",
    "if",
    "immutable",
    "implements",
    "import",
    "in",
    "indexed",
    "interface",
    "internal",
    "is",
    "let",
    "leave",
    "library",
    "log",
    "memory",
    "modifier",
    "new",
    "override",
    "pass",
    "payable",
    "pragma",
    "private",
    "public",
    "pure",
    "raise",
    "receive",
    "require",
    "return",
    "returns",
    "revert",
    "self",
    "staticcall",
    "storage",
    "struct",
    "super",
    "switch",
    "this",
    "transient",
    "try",
    "type",
    "unchecked",
    "using",
    "view",
    "virtual",
    "while",
];
const TYPES: &[&str] = &[
    "address", "bool", "bytes", "byte", "decimal", "DynArray", "false", "fixed", "HashMap", "int",
    "mapping", "String", "string", "True", "False", "true", "ufixed", "uint", "var",
];

impl CodeLine {
    /// Numbers the lines of a file.
    pub fn of_file(lines: &[SafeText]) -> impl Iterator<Item = Self> + '_ {
        let mut is_in_comment = false;
        lines.iter().enumerate().map(move |(at, text)| {
            let line = Self { number: at + 1, text: text.clone(), is_in_comment };
            is_in_comment = Tokens { text, at: 0, is_in_comment }.ends_in_comment();
            line
        })
    }

    pub(super) fn tokens(&self) -> impl Iterator<Item = (Range<usize>, Role)> + '_ {
        Tokens { text: &self.text, at: 0, is_in_comment: self.is_in_comment }
    }
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
    is_in_comment: bool,
}

impl Tokens<'_> {
    fn ends_in_comment(mut self) -> bool {
        while self.next().is_some() {}
        self.is_in_comment
    }

    /// Returns the length of the comment that the rest begins with, or is in.
    fn comment(&mut self, rest: &str) -> usize {
        let from = if self.is_in_comment { 0 } else { 2.min(rest.len()) };
        let end = rest.get(from..).and_then(|inside| inside.find("*/"));
        self.is_in_comment = end.is_none();
        end.map_or(rest.len(), |end| from + end + 2)
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Range<usize>, Role);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let word = || rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (length, role) = match first {
            _ if self.is_in_comment || rest.starts_with("/*") => (self.comment(rest), Role::Dim),
            '#' => (rest.len(), Role::Dim),
            _ if rest.starts_with("//") => (rest.len(), Role::Dim),
            '"' | '\'' => (string_length(rest, first), Role::Ok),
            '0'..='9' => (word(), Role::Value),
            _ if is_word(first) => (word(), word_role(rest.get(..word()).unwrap_or_default())),
            _ => (first.len_utf8(), Role::Plain),
        };
        let start = self.at;
        self.at += length;
        Some((start..self.at, role))
    }
}

fn word_role(word: &str) -> Role {
    match word {
        word if KEYWORDS.contains(&word) => Role::Accent,
        word if TYPES.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())) => Role::Title,
        _ => Role::Plain,
    }
}

fn string_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn roles(source: &str) -> Vec<(String, Role)> {
        let lines: Vec<SafeText> = source.lines().map(SafeText::from).collect();
        let lines: Vec<CodeLine> = CodeLine::of_file(&lines).collect();
        let tokens = lines
            .iter()
            .flat_map(|line| line.tokens().map(|(part, role)| (line.text[part].to_owned(), role)));
        tokens.filter(|(text, role)| *role != Role::Plain && !text.is_empty()).collect()
    }

    #[test]
    fn words_have_roles() {
        let shown = |source: &str| {
            let roles = roles(source).into_iter();
            roles.map(|(text, role)| format!("{text}:{role:?}")).collect::<Vec<_>>().join(" ")
        };
        for (source, expected) in [
            (
                "function f(uint256 a) external { emit E(\"a \\\" b\", 0x1f); } // x",
                "function:Accent uint256:Title external:Accent emit:Accent \"a \\\" b\":Ok \
                 0x1f:Value // x:Dim",
            ),
            ("a /* b\nc */ return 1;", "/* b:Dim c */:Dim return:Accent 1:Value"),
            ("/*/ x */ new", "/*/ x */:Dim new:Accent"),
            ("def f(x: uint8): # no", "def:Accent uint8:Title # no:Dim"),
            ("'open", "'open:Ok"),
            ("contracts _contract ünder", ""),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_the_whole_line(text in any::<String>(), is_in_comment in any::<bool>()) {
            let line = CodeLine { number: 1, text: SafeText::new(&text), is_in_comment };
            let all: String = line.tokens().map(|(part, _)| &line.text[part]).collect();
            prop_assert_eq!(&all, &*line.text);
        }
    }
}
