//! JSON from outside, formatted for the screen, the clipboard and files.

use std::fmt::{self, Write};

use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{MAX_COMBINING_MARKS, SafeText, is_mark, replacement};

/// Formats JSON on one line without changing its meaning: white space between tokens is dropped,
/// numbers keep their text, and characters that could control a terminal are escaped as `\uXXXX`.
///
/// `json` must be valid.
pub fn json_line(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut quoted = false;
    let mut marks = 0;
    while !rest.is_empty() {
        // Copies plain runs at once.
        let run = rest
            .bytes()
            .position(|b| {
                let inside = matches!(b, b'"' | b'\\' | 0x7f) || !b.is_ascii();
                let between = matches!(b, b'"' | b' ' | b'\t' | b'\n' | b'\r');
                if quoted { inside } else { between }
            })
            .unwrap_or(rest.len());
        let (plain, after) = rest.split_at(run);
        out.push_str(plain);
        marks = if plain.is_empty() { marks } else { 0 };
        let mut chars = after.chars();
        match chars.next() {
            None => break,
            Some('"') => {
                out.push('"');
                quoted = !quoted;
            }
            Some('\\') => {
                out.push('\\');
                out.extend(chars.next());
            }
            Some(_) if !quoted => {} // white space between tokens
            Some(c) => {
                marks = if is_mark(c) { marks + 1 } else { 0 };
                push_sanitized(&mut out, c, marks > MAX_COMBINING_MARKS);
            }
        }
        rest = chars.as_str();
    }
    out
}

/// Appends a character of a JSON string, escaped if it could control a terminal or be invisible.
fn push_sanitized(out: &mut String, c: char, too_tall: bool) {
    if !too_tall && replacement(c) == c {
        return out.push(c);
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Maximum characters of a string in [`json_pretty`].
const MAX_STRING_CHARS: usize = 2_000;
/// Maximum lines of [`json_pretty`].
const MAX_PRETTY_LINES: usize = 5_000;
/// Maximum bytes of JSON that [`json_pretty_full`] breaks into lines.
const MAX_PRETTY_BYTES: usize = 4 << 20;
/// Maximum columns of indentation; nesting depth is unbounded.
const MAX_INDENT: usize = 40;

/// Formats JSON for the screen. Long strings and documents are cut, with a note.
///
/// `json` must be valid.
pub fn json_pretty(json: &str) -> Vec<SafeText> {
    pretty_lines(&json_line(json), MAX_STRING_CHARS, MAX_PRETTY_LINES)
}

/// Formats JSON in full for another program; on one line if it is larger than
/// [`MAX_PRETTY_BYTES`], as its lines would take too much memory.
///
/// `json` must be valid.
pub fn json_pretty_full(json: &str) -> Vec<SafeText> {
    let json = json_line(json);
    if json.len() > MAX_PRETTY_BYTES {
        return vec![SafeText::new(&json)];
    }
    pretty_lines(&json, usize::MAX, usize::MAX)
}

/// Breaks one line of JSON into at most `max_lines`, with strings of at most `max_chars`.
fn pretty_lines(json: &str, max_chars: usize, max_lines: usize) -> Vec<SafeText> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut depth = 0_usize;
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        if lines.len() == max_lines {
            let note = format!("… {} more bytes", rest.len());
            lines.push(SafeText::new(&note));
            return lines;
        }
        let token = match c {
            '"' => string_end(rest.as_bytes()),
            _ => c.len_utf8(),
        };
        let (text, after) = rest.split_at(token);
        rest = after;
        let closes = matches!(c, '}' | ']');
        depth = depth.saturating_sub(usize::from(closes));
        if closes && !line.trim_end().ends_with(['{', '[']) {
            lines.push(SafeText::new(&std::mem::take(&mut line)));
            line = " ".repeat((depth * 2).min(MAX_INDENT));
        }
        match text.char_indices().nth(max_chars) {
            Some((cut, _)) => {
                let _ = write!(line, "{}…\" ({} bytes)", &text[..cut], text.len() - 2);
            }
            None => line.push_str(text),
        }
        match c {
            ':' => line.push(' '),
            '{' | '[' | ',' => {
                depth += usize::from(c != ',');
                if !rest.starts_with(['}', ']']) {
                    lines.push(SafeText::new(&std::mem::take(&mut line)));
                    line = " ".repeat((depth * 2).min(MAX_INDENT));
                }
            }
            _ => {}
        }
    }
    lines.push(SafeText::new(&line));
    lines
}

/// Passes the elements of a JSON array to `visit` one at a time, also those before an error.
pub fn for_each_element<'a>(
    array: &'a str,
    visit: impl FnMut(&'a RawValue),
) -> serde_json::Result<()> {
    struct ElementVisitor<F>(F);

    impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for ElementVisitor<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
            while let Some(element) = elements.next_element()? {
                (self.0)(element);
            }
            Ok(())
        }
    }

    let mut json = serde_json::Deserializer::from_str(array);
    json.deserialize_seq(ElementVisitor(visit))?;
    json.end()
}

/// Returns the length of the string at the start of `json`, with its quotes.
pub fn string_end(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(rest) = json.get(at..) {
        match rest.iter().position(|b| matches!(b, b'"' | b'\\')) {
            Some(stop) if rest.get(stop) == Some(&b'"') => return at + stop + 1,
            Some(stop) => at += stop + 2, // the backslash and the escaped byte
            None => break,
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn json_line_keeps_the_meaning() {
        let json = "{ \"a\" : [ 1.0e3 , -0 ],\n\"k\\\" \":\"x\u{202e} \\u001b \u{85}\" }";
        assert_eq!(json_line(json), r#"{"a":[1.0e3,-0],"k\" ":"x\u202e \u001b \u0085"}"#);
        assert_eq!(json_line("\"\u{e0041}\""), r#""\udb40\udc41""#);
        assert_eq!(json_line("\"fill\u{3164}er\u{fffd}\""), r#""fill\u3164er\ufffd""#);
        let stack = json_line("\"z\u{301}\u{302}\u{303}\u{304}\u{305}e\u{301}\"");
        assert_eq!(stack, "\"z\u{301}\u{302}\u{303}\\u0304\\u0305e\u{301}\"");
    }

    #[test]
    fn json_pretty_indents_and_cuts() {
        let printed = json_pretty(r#"{"a":[1,{"b":"x, {y}"}],"c":[],"d":{}}"#);
        let lines: Vec<&str> = printed.iter().map(|line| &**line).collect();
        assert_eq!(
            lines,
            [
                "{",
                "  \"a\": [",
                "    1,",
                "    {",
                "      \"b\": \"x, {y}\"",
                "    }",
                "  ],",
                "  \"c\": [],",
                "  \"d\": {}",
                "}"
            ]
        );
        let deep = json_pretty(&["[".repeat(50), "1".into(), "]".repeat(50)].concat());
        let indent = |line: &SafeText| line.len() - line.trim_start().len();
        assert_eq!(deep.iter().map(indent).max(), Some(MAX_INDENT));
        let long = json_pretty(&format!("[\"{}\"]", "f".repeat(1 << 20)));
        assert!(long[1].ends_with("…\" (1048576 bytes)"), "{}", long[1].len());
    }

    proptest! {
        #[test]
        fn json_line_parses_to_the_same_value(text in any::<String>(), number in any::<i64>()) {
            let value = serde_json::json!({ text.as_str(): [text.as_str(), number] });
            let line = json_line(&serde_json::to_string_pretty(&value).unwrap());
            prop_assert!(!line.chars().any(|c| replacement(c) != c));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), value);
        }
    }
}
