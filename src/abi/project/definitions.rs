//! Functions, modifiers and constructors of a Solidity source, and the places of their code.
//!
//! A lexer is enough: a definition begins with its keyword outside of any function, and ends with its brace.

use std::ops::Range;

/// A definition with a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Definition<'a> {
    /// `None` outside of contracts.
    contract: Option<&'a str>,
    pub(super) kind: DefinitionKind,
    /// Name of the function or the modifier, or the keyword.
    pub(super) name: &'a str,
    /// The bytes from the keyword to the closing brace.
    pub(super) range: Range<usize>,
    /// The byte of the brace that begins the body.
    body: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefinitionKind {
    Function,
    Modifier,
    Constructor,
    /// `receive` or `fallback`.
    Fallback,
}

/// A keyword whose braces have not begun yet.
#[derive(Debug, Clone, Copy)]
struct Header<'a> {
    /// `None` of a contract.
    kind: Option<DefinitionKind>,
    name: Option<&'a str>,
    start: usize,
}

#[derive(Debug)]
enum Scope<'a> {
    Contract(&'a str),
    /// The index of the definition.
    Definition(usize),
    Other,
}

impl Definition<'_> {
    /// Returns contract and name: `Vault.deposit`.
    pub(super) fn qualified_name(&self) -> String {
        self.contract
            .map_or_else(|| self.name.to_owned(), |contract| [contract, ".", self.name].concat())
    }

    /// Returns the place of a word between the name and the body.
    pub(super) fn find_in_header(&self, text: &str, word: &str) -> Option<usize> {
        let header = self.range.start..self.body;
        let found =
            words(text.get(..header.end)?, header.start).find(|(_, token)| *token == word)?;
        Some(found.0)
    }
}

/// Returns the definition that contains a byte of its source.
pub(super) fn definition_at<'a, 'b>(
    definitions: &'b [Definition<'a>],
    byte: usize,
) -> Option<&'b Definition<'a>> {
    let after = definitions.partition_point(|definition| definition.range.start <= byte);
    definitions.get(after.checked_sub(1)?).filter(|definition| definition.range.contains(&byte))
}

/// Returns the definitions of a source in their order.
pub(super) fn definitions(text: &str) -> Vec<Definition<'_>> {
    let mut found: Vec<Definition<'_>> = Vec::new();
    let mut scopes: Vec<Scope<'_>> = Vec::new();
    let mut header: Option<Header<'_>> = None;
    let mut parentheses = 0_usize;
    for (at, token) in words(text, 0) {
        let is_outside = matches!(scopes.last(), None | Some(Scope::Contract(_)));
        match token {
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.saturating_sub(1),
            "{" if parentheses == 0 => {
                scopes.push(match header.take().filter(|_| is_outside) {
                    Some(Header { kind: None, name: Some(name), .. }) => Scope::Contract(name),
                    Some(Header { kind: Some(kind), name: Some(name), start }) => {
                        let contract = scopes.iter().rev().find_map(|scope| match scope {
                            Scope::Contract(name) => Some(*name),
                            _ => None,
                        });
                        let (range, body) = (start..text.len(), at);
                        found.push(Definition { contract, kind, name, range, body });
                        Scope::Definition(found.len() - 1)
                    }
                    _ => Scope::Other,
                });
            }
            "}" if parentheses == 0 => {
                if let Some(Scope::Definition(ended)) = scopes.pop()
                    && let Some(definition) = found.get_mut(ended)
                {
                    definition.range.end = at + 1;
                }
            }
            ";" => (header, parentheses) = (None, 0),
            _ if !is_outside || parentheses > 0 => {}
            _ => match &mut header {
                Some(Header { name: name @ None, .. }) if is_name(token) => *name = Some(token),
                Some(_) => {}
                None => header = header_of(token, at),
            },
        }
    }
    found
}

/// Returns the header that a keyword begins.
fn header_of(keyword: &str, start: usize) -> Option<Header<'_>> {
    let (kind, name) = match keyword {
        "contract" | "library" | "interface" => (None, None),
        "function" => (Some(DefinitionKind::Function), None),
        "modifier" => (Some(DefinitionKind::Modifier), None),
        "constructor" => (Some(DefinitionKind::Constructor), Some(keyword)),
        "receive" | "fallback" => (Some(DefinitionKind::Fallback), Some(keyword)),
        _ => return None,
    };
    Some(Header { kind, name, start })
}

fn is_name(token: &str) -> bool {
    token.starts_with(is_name_char)
}

fn is_name_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$')
}

/// Returns the words and signs of a text from a byte on, without comments and strings.
fn words(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = start;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            let skipped = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.get(2..)?.find("*/").map_or(rest.len(), |end| end + 4)
            } else if matches!(first, '"' | '\'') {
                string_length(rest, first)
            } else if first.is_whitespace() {
                first.len_utf8()
            } else {
                let word = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
                let length = word.max(first.len_utf8());
                let found = (at, rest.get(..length)?);
                at += length;
                return Some(found);
            };
            at += skipped;
        }
    })
}

/// Returns the bytes of a string with its quotes.
fn string_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return at,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOURCE: &str = r#"
// function no() {}
import {a as b} from "x.sol";
function free(uint x) pure returns (uint) { return x; }
abstract contract Base /* contract C { */ is A(S({x: 1})), B {
    string s = "function no() { }"; bytes q = 'it\'s {';
    function (uint) internal pure returns (uint) pointer = free;
    struct P { function (uint) external f; }
    modifier limit(uint by) virtual { require(by < 2); _; }
    modifier open { _; }
    constructor(address o) B(o) { owner = o; }
    function bump(uint by)
        external
        limit(by) open
    { unchecked { n += by; } assembly { function inner() -> r { r := 1 } } }
    function none() external virtual;
    receive() external payable {}
    fallback(bytes calldata) external returns (bytes memory) { if (true) {} }
}
library Lib { function get() internal {} }
"#;

    #[test]
    fn definitions_have_their_contract_and_range() {
        let found = definitions(SOURCE);
        let names: Vec<String> = found.iter().map(Definition::qualified_name).collect();
        let expected = [
            "free",
            "Base.limit",
            "Base.open",
            "Base.constructor",
            "Base.bump",
            "Base.receive",
            "Base.fallback",
            "Lib.get",
        ];
        assert_eq!(names, expected);
        for definition in &found {
            let text = &SOURCE[definition.range.clone()];
            assert!(text.ends_with('}') && text.matches('{').count() == text.matches('}').count());
            assert!(
                ["function", "modifier", "constructor", "receive", "fallback"]
                    .iter()
                    .any(|word| text.starts_with(word)),
                "{text}"
            );
        }
        let at = |text: &str| {
            definition_at(&found, SOURCE.find(text).unwrap()).map(Definition::qualified_name)
        };
        assert_eq!(at("n += by"), Some("Base.bump".to_owned()));
        assert_eq!(at("r := 1"), Some("Base.bump".to_owned()));
        assert_eq!(at("require"), Some("Base.limit".to_owned()));
        assert_eq!(at("pointer"), None);
    }

    #[test]
    fn modifier_is_found_in_the_header() {
        let found = definitions(SOURCE);
        let bump = found.iter().find(|definition| definition.name == "bump").unwrap();
        assert_eq!(bump.find_in_header(SOURCE, "limit"), SOURCE.find("limit(by) open"));
        assert_eq!(bump.find_in_header(SOURCE, "inner"), None);
    }

    proptest! {
        #[test]
        fn any_text_has_ordered_definitions(text in "[a-z{}();\"'/*\\\\ é\n]{0,60}|(function |contract |a|\\{|\\}|;|\\(|\\)|//|\n| ){0,40}") {
            let found = definitions(&text);
            prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
            prop_assert!(found.iter().all(|one| text.get(one.range.clone()).is_some()));
        }
    }
}
