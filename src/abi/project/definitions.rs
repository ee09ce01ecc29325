//! Functions, modifiers and constructors of a Solidity source, and the places of their code.
//!
//! A lexer is enough: a definition begins with its keyword outside of any function, and ends with its brace.

use std::ops::Range;

/// The text of a source with its definitions in their order.
#[derive(Debug)]
pub(super) struct ParsedSource {
    pub(super) text: Box<str>,
    definitions: Vec<Definition>,
}

/// A definition with a body. Its ranges are bytes of the source.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// The name of its contract, `None` outside of contracts.
    contract: Option<Range<usize>>,
    pub(super) kind: DefinitionKind,
    /// Name of the function or the modifier, or the keyword.
    name: Range<usize>,
    /// From the keyword to the closing brace.
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
#[derive(Debug, Clone)]
struct Header {
    /// `None` of a contract.
    kind: Option<DefinitionKind>,
    name: Option<Range<usize>>,
    start: usize,
}

#[derive(Debug)]
enum Scope {
    /// The name of the contract.
    Contract(Range<usize>),
    /// The index of the definition.
    Definition(usize),
    Other,
}

impl ParsedSource {
    pub(super) fn new(text: Box<str>) -> Self {
        Self { definitions: definitions(&text), text }
    }

    /// Returns the definition that contains a byte of the source.
    pub(super) fn definition_at(&self, byte: usize) -> Option<&Definition> {
        let found = &self.definitions;
        let after = found.partition_point(|definition| definition.range.start <= byte);
        found.get(after.checked_sub(1)?).filter(|definition| definition.range.contains(&byte))
    }

    /// Returns the name of a definition of this source, or its keyword.
    pub(super) fn name(&self, definition: &Definition) -> &str {
        self.text.get(definition.name.clone()).unwrap_or_default()
    }

    /// Returns contract and name of a definition: `Vault.deposit`.
    pub(super) fn qualified_name(&self, definition: &Definition) -> String {
        let name = self.name(definition);
        let contract = definition.contract.clone().and_then(|contract| self.text.get(contract));
        contract.map_or_else(|| name.to_owned(), |contract| [contract, ".", name].concat())
    }

    /// Returns the place of a word between the name of a definition and its body.
    pub(super) fn find_in_header(&self, definition: &Definition, word: &str) -> Option<usize> {
        let header = self.text.get(..definition.body)?;
        let mut tokens = words(header, definition.range.start);
        tokens.find(|(_, token)| *token == word).map(|(at, _)| at)
    }
}

/// Returns the definitions of a source in their order.
fn definitions(text: &str) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    let mut header: Option<Header> = None;
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
                            Scope::Contract(name) => Some(name.clone()),
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
                Some(Header { name: name @ None, .. }) if is_name(token) => {
                    *name = Some(at..at + token.len());
                }
                Some(_) => {}
                None => header = header_of(token, at),
            },
        }
    }
    found
}

/// Returns the header that a keyword begins.
fn header_of(keyword: &str, start: usize) -> Option<Header> {
    let own_name = Some(start..start + keyword.len());
    let (kind, name) = match keyword {
        "contract" | "library" | "interface" => (None, None),
        "function" => (Some(DefinitionKind::Function), None),
        "modifier" => (Some(DefinitionKind::Modifier), None),
        "constructor" => (Some(DefinitionKind::Constructor), own_name),
        "receive" | "fallback" => (Some(DefinitionKind::Fallback), own_name),
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
        let source = ParsedSource::new(SOURCE.into());
        let name = |definition| source.qualified_name(definition);
        let names: Vec<String> = source.definitions.iter().map(name).collect();
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
        for definition in &source.definitions {
            let text = &SOURCE[definition.range.clone()];
            assert!(text.ends_with('}') && text.matches('{').count() == text.matches('}').count());
            assert!(
                ["function", "modifier", "constructor", "receive", "fallback"]
                    .iter()
                    .any(|word| text.starts_with(word)),
                "{text}"
            );
        }
        let at = |text: &str| source.definition_at(SOURCE.find(text).unwrap()).map(name);
        assert_eq!(at("n += by"), Some("Base.bump".to_owned()));
        assert_eq!(at("r := 1"), Some("Base.bump".to_owned()));
        assert_eq!(at("require"), Some("Base.limit".to_owned()));
        assert_eq!(at("pointer"), None);
    }

    #[test]
    fn modifier_is_found_in_the_header() {
        let source = ParsedSource::new(SOURCE.into());
        let bump = source.definition_at(SOURCE.find("n += by").unwrap()).unwrap();
        assert_eq!(source.find_in_header(bump, "limit"), SOURCE.find("limit(by) open"));
        assert_eq!(source.find_in_header(bump, "inner"), None);
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
