//! The scanner: JSON token by token, from a window of a body that may end anywhere.
//!
//! It reads what must be read to find its way and no more: what is inside a value that nobody asks
//! for is only searched for its end.

use memchr::memchr;

use crate::trace::BodySpan;

/// Why a token could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanError {
    /// The window ends before the token does.
    Incomplete,
    /// This stands where it must not.
    Invalid(&'static str),
}

/// What was read, or why not.
pub(super) type ScanResult<T> = Result<T, ScanError>;

/// A piece of the window, and where it is in the body.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScannedToken<'a> {
    pub(super) text: &'a [u8],
    pub(super) span: BodySpan,
}

/// A value.
#[derive(Debug, Clone, Copy)]
pub(super) enum ScannedValue<'a> {
    /// The inside of a string.
    String(ScannedToken<'a>),
    /// Digits, or what begins like them.
    Number(ScannedToken<'a>),
    /// `null`.
    Null,
    /// `false`.
    False,
    /// `true`, a container, or a word that JSON does not know.
    Other(ScannedToken<'a>),
}

/// A place in a window.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    window: &'a [u8],
    position: usize,
    /// Where the window is in the body.
    window_offset: u64,
    /// Whether the body ends with the window.
    is_final: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(window: &'a [u8], base: u64, last: bool) -> Self {
        Self { window, position: 0, window_offset: base, is_final: last }
    }

    /// How far it is in the window.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Where it is in the body.
    pub(super) fn offset(&self) -> u64 {
        self.window_offset + self.position as u64
    }

    /// The range from a place up to here.
    pub(super) fn span_from(&self, from: u64) -> BodySpan {
        BodySpan::new(from, self.offset().saturating_sub(from))
    }

    /// Whether the window is used up.
    pub(super) fn is_at_end(&self) -> bool {
        self.position >= self.window.len()
    }

    /// Passes all that is left.
    pub(super) fn skip_remaining(&mut self) {
        self.position = self.window.len();
    }

    /// Passes what may come after the value: white space.
    pub(super) fn expect_end(&mut self) -> ScanResult<()> {
        match self.peek() {
            Ok(_) => Err(ScanError::Invalid("something comes after the end")),
            Err(_) => Ok(()),
        }
    }

    /// Passes the mark with which some begin a text.
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

    /// Goes back to where it was.
    pub(super) fn rewind(&mut self, at: usize) {
        self.position = at;
    }

    /// What is left of the window.
    #[inline]
    pub(super) fn remaining(&self) -> &'a [u8] {
        self.window.get(self.position..).unwrap_or_default()
    }

    /// The next byte that is not white space; it stays the next.
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

    /// Passes the byte that was peeked at.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.position += 1;
    }

    /// Passes bytes that were looked at.
    pub(super) fn advance_by(&mut self, len: usize) {
        self.position += len;
    }

    /// Passes a byte that must come next.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8, otherwise: &'static str) -> ScanResult<()> {
        if self.peek()? != byte {
            return Err(ScanError::Invalid(otherwise));
        }
        self.advance();
        Ok(())
    }

    /// The next key of an object, up to its value; none at the object's end. `first` says whether
    /// no key came before.
    #[inline]
    pub(super) fn next_key(&mut self, first: &mut bool) -> ScanResult<Option<&'a [u8]>> {
        match (self.peek()?, *first) {
            (b'}', _) => {
                self.advance();
                return Ok(None);
            }
            (b',', false) => self.advance(),
            (_, true) => *first = false,
            _ => return Err(ScanError::Invalid("a comma or the end of an object is missing")),
        }
        if self.peek()? != b'"' {
            return Err(ScanError::Invalid("a key is missing"));
        }
        let key = self.string()?;
        self.expect(b':', "a colon is missing")?;
        Ok(Some(key.text))
    }

    /// Whether an array has another element, up to it; passes the end if not.
    #[inline]
    pub(super) fn element(&mut self, first: &mut bool) -> ScanResult<bool> {
        match (self.peek()?, *first) {
            (b']', _) => {
                self.advance();
                return Ok(false);
            }
            (b',', false) => self.advance(),
            (_, true) => *first = false,
            _ => return Err(ScanError::Invalid("a comma or the end of an array is missing")),
        }
        match self.peek()? {
            b']' | b',' => Err(ScanError::Invalid("an element is missing")),
            _ => Ok(true),
        }
    }

    /// A string, from its opening quote on.
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

    fn token(&self, at: usize, len: usize) -> ScannedToken<'a> {
        let text = self.window.get(at..at + len).unwrap_or_default();
        ScannedToken { text, span: BodySpan::new(self.window_offset + at as u64, len as u64) }
    }

    /// Any value.
    #[inline]
    pub(super) fn value(&mut self) -> ScanResult<ScannedValue<'a>> {
        match self.peek()? {
            b'"' => Ok(ScannedValue::String(self.string()?)),
            b'{' | b'[' => {
                let from = self.position;
                self.container()?;
                Ok(ScannedValue::Other(self.token(from, self.position - from)))
            }
            _ => self.word(),
        }
    }

    /// A number, or a word without quotes.
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
            [] => Err(ScanError::Invalid("a value is missing")),
            b"null" => Ok(ScannedValue::Null),
            b"false" => Ok(ScannedValue::False),
            [b'0'..=b'9' | b'-', ..] => Ok(ScannedValue::Number(token)),
            _ => Ok(ScannedValue::Other(token)),
        }
    }

    /// Passes a value.
    #[inline]
    pub(super) fn skip(&mut self) -> ScanResult<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' | b'[' => self.container(),
            _ => self.word().map(|_| ()),
        }
    }

    /// Passes an object or an array. Whether what is in it is well formed is nobody's concern; how
    /// deep it is costs nothing.
    fn container(&mut self) -> ScanResult<()> {
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

/// The first quote. Keys and small numbers are looked through here, eight bytes at once, because
/// to call somebody else would take longer than that.
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

/// Whether an odd number of backslashes stands before a place.
#[inline]
fn is_escaped(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.last() == Some(&b'\\')
        && before.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

/// The first quote after an escaped one that is not escaped itself.
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
    fn a_string_ends_at_the_first_quote_that_is_not_escaped() {
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
    fn what_is_passed_may_be_deep() {
        let deep = format!("{}{}7", "[{\"a\":".repeat(100_000), "}]".repeat(100_000));
        let mut scan = scan(&deep);
        scan.skip().unwrap();
        assert_eq!(scan.position(), deep.len() - 1);
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        let body = r#"{"a":"]}\"}","b":[1,"["]} ,"#;
        let mut scan = scan(body);
        scan.skip().unwrap();
        assert_eq!(scan.peek(), Ok(b','));
    }

    #[test]
    fn a_number_ends_where_something_else_begins() {
        assert_eq!(scan("12").skip(), Err(ScanError::Incomplete), "it may go on");
        assert!(matches!(scan("12,").value(), Ok(ScannedValue::Number(t)) if t.text == b"12"));
        assert!(matches!(Scanner::new(b"12", 0, true).value(), Ok(ScannedValue::Number(_))));
        assert!(matches!(scan("NaN]").value(), Ok(ScannedValue::Other(_))));
        assert!(matches!(scan(",").value(), Err(ScanError::Invalid(_))));
    }
}
