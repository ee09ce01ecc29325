//! Scans JSON token by token, in a window of a body that may end anywhere.
//!
//! Only the structure is checked: of a skipped value, only the end is looked for.

use memchr::memchr;

use crate::messages::trace_format;
use crate::trace::BodySpan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanError {
    /// The window ends before the token does.
    Incomplete,
    Invalid(&'static str),
}

pub(super) type ScanResult<T> = Result<T, ScanError>;

#[derive(Debug, Clone, Copy)]
pub(super) struct ScannedToken<'a> {
    pub(super) text: &'a [u8],
    pub(super) span: BodySpan,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ScannedValue<'a> {
    String(ScannedToken<'a>),
    /// A number, or a malformed one.
    Number(ScannedToken<'a>),
    Null,
    False,
    /// `true`, an object, an array, or an unknown word.
    Other(ScannedToken<'a>),
}

#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    window: &'a [u8],
    pub(super) position: usize,
    window_offset: u64,
    is_final: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(window: &'a [u8], window_offset: u64, is_final: bool) -> Self {
        Self { window, position: 0, window_offset, is_final }
    }

    pub(super) fn offset(&self) -> u64 {
        self.window_offset + self.position as u64
    }

    pub(super) fn span_from(&self, start: u64) -> BodySpan {
        BodySpan::new(start, self.offset().saturating_sub(start))
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.position >= self.window.len()
    }

    pub(super) fn skip_remaining(&mut self) {
        self.position = self.window.len();
    }

    /// Skips white space up to the end of the body.
    pub(super) fn expect_end(&mut self) -> ScanResult<()> {
        match self.peek() {
            Ok(_) => Err(ScanError::Invalid(trace_format::DATA_AFTER_END)),
            Err(_) => Ok(()),
        }
    }

    pub(super) fn skip_byte_order_mark(&mut self) -> ScanResult<()> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let rest = self.remaining();
        if self.offset() == 0 && rest.starts_with(MARK) {
            self.position += MARK.len();
        } else if self.offset() == 0 && !self.is_final && MARK.starts_with(rest) {
            return Err(ScanError::Incomplete);
        }
        Ok(())
    }

    pub(super) fn rewind(&mut self, position: usize) {
        self.position = position;
    }

    #[inline]
    pub(super) fn remaining(&self) -> &'a [u8] {
        self.window.get(self.position..).unwrap_or_default()
    }

    /// Skips white space and returns the next byte without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> ScanResult<u8> {
        match self.window.get(self.position) {
            Some(byte) if *byte > b' ' => Ok(*byte),
            _ => self.peek_past_whitespace(),
        }
    }

    fn peek_past_whitespace(&mut self) -> ScanResult<u8> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.position += self.remaining().iter().take_while(|byte| blank(byte)).count();
        self.window.get(self.position).copied().ok_or(ScanError::Incomplete)
    }

    /// Consumes the byte that [`peek`](Self::peek) returned.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.position += 1;
    }

    pub(super) fn advance_by(&mut self, len: usize) {
        self.position += len;
    }

    /// Consumes a byte that must be next.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8, error: &'static str) -> ScanResult<()> {
        if self.peek()? != byte {
            return Err(ScanError::Invalid(error));
        }
        self.advance();
        Ok(())
    }

    /// Returns the next key of an object and moves to its value, or returns `None` at the object's end.
    /// `first` is `true` if no key precedes.
    #[inline]
    pub(super) fn next_key(&mut self, first: &mut bool) -> ScanResult<Option<&'a [u8]>> {
        match (self.peek()?, *first) {
            (b'}', _) => {
                self.advance();
                return Ok(None);
            }
            (b',', false) => self.advance(),
            (_, true) => *first = false,
            _ => return Err(ScanError::Invalid(trace_format::NO_COMMA_IN_OBJECT)),
        }
        if self.peek()? != b'"' {
            return Err(ScanError::Invalid(trace_format::NO_KEY));
        }
        let key = self.string()?;
        self.expect(b':', trace_format::NO_COLON)?;
        Ok(Some(key.text))
    }

    /// Moves to the next element of an array, or consumes the end and returns `false`.
    #[inline]
    pub(super) fn next_element(&mut self, first: &mut bool) -> ScanResult<bool> {
        match (self.peek()?, *first) {
            (b']', _) => {
                self.advance();
                return Ok(false);
            }
            (b',', false) => self.advance(),
            (_, true) => *first = false,
            _ => return Err(ScanError::Invalid(trace_format::NO_COMMA_IN_ARRAY)),
        }
        match self.peek()? {
            b']' | b',' => Err(ScanError::Invalid(trace_format::NO_ELEMENT)),
            _ => Ok(true),
        }
    }

    /// Scans a string at its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> ScanResult<ScannedToken<'a>> {
        self.advance();
        let rest = self.remaining();
        let mut len = find_quote(rest).ok_or(ScanError::Incomplete)?;
        if is_escaped(rest, len) {
            len = find_unescaped_quote(rest, len)?;
        }
        let token = self.token(self.position, len);
        self.position += len + 1;
        Ok(token)
    }

    fn token(&self, start: usize, len: usize) -> ScannedToken<'a> {
        let text = self.window.get(start..start + len).unwrap_or_default();
        ScannedToken { text, span: BodySpan::new(self.window_offset + start as u64, len as u64) }
    }

    #[inline]
    pub(super) fn value(&mut self) -> ScanResult<ScannedValue<'a>> {
        match self.peek()? {
            b'"' => Ok(ScannedValue::String(self.string()?)),
            b'{' | b'[' => {
                let start = self.position;
                self.skip_container()?;
                Ok(ScannedValue::Other(self.token(start, self.position - start)))
            }
            _ => self.word(),
        }
    }

    fn word(&mut self) -> ScanResult<ScannedValue<'a>> {
        let rest = self.remaining();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
        let len = rest.iter().take_while(|byte| is_part(byte)).count();
        if len == rest.len() && !self.is_final {
            return Err(ScanError::Incomplete);
        }
        let token = self.token(self.position, len);
        self.position += len;
        match token.text {
            [] => Err(ScanError::Invalid(trace_format::NO_VALUE)),
            b"null" => Ok(ScannedValue::Null),
            b"false" => Ok(ScannedValue::False),
            [b'0'..=b'9' | b'-', ..] => Ok(ScannedValue::Number(token)),
            _ => Ok(ScannedValue::Other(token)),
        }
    }

    #[inline]
    pub(super) fn skip(&mut self) -> ScanResult<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' | b'[' => self.skip_container(),
            _ => self.word().map(|_| ()),
        }
    }

    /// Skips an object or an array of any depth, without checking its contents.
    fn skip_container(&mut self) -> ScanResult<()> {
        let mut depth = 0_u64;
        loop {
            let mark = |byte: &u8| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']');
            self.position += self.remaining().iter().position(mark).ok_or(ScanError::Incomplete)?;
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// Finds the first quote. The first bytes are searched inline, eight at a time: for keys and small
/// numbers that is faster than a call to `memchr`.
#[inline]
fn find_quote(text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    let mut at = 0;
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk)
        && at < 24
    {
        let zero_where_quote = u64::from_le_bytes(*eight) ^ QUOTES;
        let found = zero_where_quote.wrapping_sub(ONES) & !zero_where_quote & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    Some(at + memchr(b'"', text.get(at..)?)?)
}

#[inline]
fn is_escaped(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.last() == Some(&b'\\')
        && before.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

fn find_unescaped_quote(text: &[u8], escaped: usize) -> ScanResult<usize> {
    let mut at = escaped;
    while is_escaped(text, at) {
        let after = text.get(at + 1..).unwrap_or_default();
        at += 1 + find_quote(after).ok_or(ScanError::Incomplete)?;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Scanner<'_> {
        Scanner::new(text.as_bytes(), 0, false)
    }

    #[test]
    fn string_ends_at_first_unescaped_quote() {
        for (body, inside) in [
            (r#""", 1"#, ""),
            (r#""abc" "#, "abc"),
            (r#""a\"b\\" "#, r#"a\"b\\"#),
            (r#""\\\"\"\\\\" "#, r#"\\\"\"\\\\"#),
        ] {
            assert_eq!(scan(body).string().unwrap().text, inside.as_bytes(), "{body}");
        }
        for open in [r#"""#, r#""abc"#, r#""abc\""#, r#""\\\""#] {
            assert_eq!(scan(open).string().unwrap_err(), ScanError::Incomplete, "{open}");
        }
    }

    #[test]
    fn skipped_values_may_be_deep() {
        let deep = format!("{}{}7", "[{\"a\":".repeat(100_000), "}]".repeat(100_000));
        let mut scan = scan(&deep);
        scan.skip().unwrap();
        assert_eq!(scan.position, deep.len() - 1);
    }

    #[test]
    fn brackets_in_strings_are_ignored() {
        let body = r#"{"a":"]}\"}","b":[1,"["]} ,"#;
        let mut scan = scan(body);
        scan.skip().unwrap();
        assert_eq!(scan.peek(), Ok(b','));
    }

    #[test]
    fn numbers_end_before_other_bytes() {
        assert_eq!(scan("12").skip(), Err(ScanError::Incomplete), "it may go on");
        assert!(matches!(scan("12,").value(), Ok(ScannedValue::Number(t)) if t.text == b"12"));
        assert!(matches!(Scanner::new(b"12", 0, true).value(), Ok(ScannedValue::Number(_))));
        assert!(matches!(scan("NaN]").value(), Ok(ScannedValue::Other(_))));
        assert!(matches!(scan(",").value(), Err(ScanError::Invalid(_))));
    }
}
