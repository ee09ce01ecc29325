//! Sanitizing of untrusted text.
//!
//! Names, symbols, methods, error strings and metadata come from the chain or a server. They are
//! decoded into [`SafeText`], so that the screen, the clipboard, printed output, exports and error
//! messages contain the same harmless string, and no sink has to filter.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Deref;

use compact_str::CompactString;
use serde::{Deserialize, Serialize, Serializer};
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

/// Replaces a character that must not reach a terminal and has no control picture.
const REPLACEMENT: char = '␦';
/// The zero-width joiner. It joins emoji; after any other character it is an invisible one.
const ZWJ: char = '\u{200d}';
/// Combining marks per letter. Scripts need two, rarely three; higher stacks overlap other lines.
const MAX_COMBINING_MARKS: usize = 3;

/// A string that is safe to print: without control, format, bidirectional, tag or private-use
/// characters, and without tall stacks of combining marks. These are replaced by `␛` or `␦`, not
/// dropped, so that a name with a hidden character differs from the name without it.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub struct SafeText(CompactString);

impl SafeText {
    pub fn new(from_outside: &str) -> Self {
        Self(CompactString::from(sanitize(from_outside)))
    }

    /// Sanitizes several lines. Line feeds stay: the result is for the clipboard and files, not for
    /// a line of the screen.
    pub fn multiline(from_outside: &str) -> Self {
        let lines: Vec<Cow<'_, str>> = from_outside.lines().map(sanitize).collect();
        Self(CompactString::from(lines.join("\n")))
    }
}

impl Deref for SafeText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for SafeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<T: AsRef<str>> From<T> for SafeText {
    fn from(value: T) -> Self {
        Self::new(value.as_ref())
    }
}

/// Replaces every character that could control a terminal or be invisible. Idempotent.
pub fn sanitize(from_outside: &str) -> Cow<'_, str> {
    if from_outside.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return Cow::Borrowed(from_outside);
    }
    let mut out = String::with_capacity(from_outside.len());
    let mut marks = MAX_COMBINING_MARKS; // a leading mark would attach to the text before
    let mut previous = ' ';
    for c in from_outside.chars() {
        let joins = c == ZWJ && previous.is_emoji_char() && !previous.is_ascii();
        let safe = if joins { c } else { replacement(c) };
        marks = if is_mark(safe) { marks + 1 } else { 0 };
        if marks <= MAX_COMBINING_MARKS {
            out.push(safe);
        } else if marks == MAX_COMBINING_MARKS + 1 {
            out.push(REPLACEMENT); // once for all further marks
        }
        // A variation selector may precede the joiner.
        if safe != '\u{fe0f}' {
            previous = safe;
        }
    }
    Cow::Owned(out)
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

fn replacement(c: char) -> char {
    match c {
        ' '..='~' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(REPLACEMENT),
        '\x7f' => '␡',
        // Blank letters and marks, and U+FFFD, which some terminals drop.
        '\u{115f}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{34f}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{e0100}'..='\u{e01ef}'
        | '\u{fffd}' => REPLACEMENT,
        _ if is_control_or_hidden(c) => REPLACEMENT,
        _ => c,
    }
}

/// Returns `true` for characters of categories that control, are invisible, or depend on a font.
fn is_control_or_hidden(c: char) -> bool {
    let separates_lines = matches!(c, '\u{2028}' | '\u{2029}');
    separates_lines || c.general_category_group() == GeneralCategoryGroup::Other
}

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
        let stops = |b: u8| {
            let inside = matches!(b, b'"' | b'\\' | 0x7f) || !b.is_ascii();
            let between = matches!(b, b'"' | b' ' | b'\t' | b'\n' | b'\r');
            if quoted { inside } else { between }
        };
        let run = rest.bytes().position(stops).unwrap_or(rest.len());
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

/// Characters of a string in [`json_pretty`].
const MAX_STRING_CHARS: usize = 2_000;
/// Lines of [`json_pretty`].
const MAX_PRETTY_LINES: usize = 5_000;
/// JSON of more bytes stays on one line in [`json_pretty_full`].
const MAX_PRETTY_BYTES: usize = 4 << 20;
/// Columns of indentation; nesting depth is unbounded.
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
            let note = format!("… {} more bytes (yj copies everything)", rest.len());
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
    fn plain_text_is_borrowed() {
        assert!(matches!(sanitize("Glass Dollar (GLD) v2.1"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_and_hidden_characters_are_replaced() {
        for (from, to) in [
            ("\x1b[31mRED\x07", "␛[31mRED␇"),
            ("a\u{202e}b", "a␦b"),
            ("a\u{200b}b", "a␦b"),
            ("U\u{200d}S", "U␦S"),
            ("x\u{9b}y", "x␦y"),
            ("2\nlines\t", "2␊lines␉"),
            ("\u{e0041}tag", "␦tag"),
            ("\u{301}lead", "␦lead"),
            ("z\u{301}\u{302}\u{303}\u{304}\u{305}z", "z\u{301}\u{302}\u{303}␦z"),
            ("fill\u{3164}er", "fill␦er"),
            ("bad\u{fffd}", "bad␦"),
        ] {
            assert_eq!(sanitize(from), to, "{from:?}");
        }
    }

    #[test]
    fn scripts_and_emoji_are_unchanged() {
        for text in ["Tökën 美元💰", "👩‍👩‍👧", "❤️‍🔥", "नमस्ते", "e\u{301}", "مرحبا"]
        {
            assert_eq!(sanitize(text), text);
        }
    }

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
        let lines = json_pretty(r#"{"a":[1,{"b":"x, {y}"}],"c":[],"d":{}}"#);
        let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
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
        let long = json_pretty(&format!("[\"{}\"]", "f".repeat(1 << 20)));
        assert!(long[1].ends_with("…\" (1048576 bytes)"), "{}", long[1].len());
    }

    proptest! {
        #[test]
        fn sanitize_is_idempotent(text in any::<String>()) {
            let once = sanitize(&text).into_owned();
            prop_assert_eq!(sanitize(&once).into_owned(), once.clone());
            prop_assert!(!once.chars().any(char::is_control));
            let bidi = once.contains('\u{202e}');
            prop_assert!(!bidi);
        }

        #[test]
        fn json_line_parses_to_the_same_value(text in any::<String>(), number in any::<i64>()) {
            let value = serde_json::json!({ text.as_str(): [text.as_str(), number] });
            let line = json_line(&serde_json::to_string_pretty(&value).unwrap());
            prop_assert!(!line.chars().any(|c| c.is_control() || is_control_or_hidden(c)));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), value);
        }
    }
}
