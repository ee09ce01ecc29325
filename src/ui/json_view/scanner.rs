//! The tokens of a JSON text, without recursion.

use std::borrow::Cow;
use std::ops::Range;

use crate::sanitize::{SafeText, json_line, string_end};

/// Iterates over the tokens of valid JSON. Returns some tokens of any other text, and ends.
#[derive(Clone)]
pub(super) struct JsonScanner<'a> {
    pub(super) json: &'a str,
    pub(super) at: usize,
}

pub(super) enum JsonToken {
    Open {
        object: bool,
        at: usize,
    },
    Close,
    /// A key, or a value that is neither an object nor an array.
    Scalar(Range<usize>),
}

impl JsonScanner<'_> {
    pub(super) fn skip_container(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next() {
                None => return,
                Some(JsonToken::Open { .. }) => depth += 1,
                Some(JsonToken::Close) => depth -= 1,
                Some(JsonToken::Scalar(_)) => {}
            }
        }
    }
}

impl Iterator for JsonScanner<'_> {
    type Item = JsonToken;

    fn next(&mut self) -> Option<JsonToken> {
        let between = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':');
        let rest = self.json.as_bytes().get(self.at..)?;
        let at = self.at + rest.iter().position(|b| !between(b))?;
        let rest = self.json.as_bytes().get(at..)?;
        let (token, length) = match rest.first()? {
            b'{' => (JsonToken::Open { object: true, at }, 1),
            b'[' => (JsonToken::Open { object: false, at }, 1),
            b'}' | b']' => (JsonToken::Close, 1),
            b'"' => (JsonToken::Scalar(at..at + string_end(rest)), string_end(rest)),
            _ => {
                let length = rest
                    .iter()
                    .position(|b| between(b) || matches!(b, b'}' | b']'))
                    .unwrap_or(rest.len());
                (JsonToken::Scalar(at..at + length), length)
            }
        };
        self.at = at + length;
        Some(token)
    }
}

/// Returns the copied form of a value: the characters of a string, JSON of anything else.
pub(super) fn copy_text(json: &str) -> SafeText {
    if json.starts_with('"') { unquote(json).into() } else { json_line(json).into() }
}

/// Returns the characters of a JSON string, or its source if it contains half a surrogate pair, or the
/// source of anything else.
pub(super) fn unquote(json: &str) -> Cow<'_, str> {
    let quoted = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
    match quoted {
        None => Cow::Borrowed(json),
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        Some(plain) => serde_json::from_str(json).map_or(Cow::Borrowed(plain), Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn scanner_ends_on_any_text(text in any::<String>(), like in r#"[\[\]{}":, \\a1é]{0,60}"#) {
            for text in [text, like] {
                let mut scan = JsonScanner { json: &text, at: 0 };
                scan.skip_container();
                let tokens = JsonScanner { json: &text, at: 0 }.count();
                prop_assert!(tokens <= text.len());
            }
        }
    }
}
