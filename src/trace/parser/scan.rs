//! The scanner: JSON token by token, from a window of a body that may end anywhere.
//!
//! It reads what must be read to find its way and no more: what is inside a value that nobody asks
//! for is only searched for its end.

use memchr::memchr;

use crate::trace::Span;

/// Why a token could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The window ends before the token does.
    More,
    /// This stands where it must not.
    Bad(&'static str),
}

/// What was read, or why not.
pub(super) type Read<T> = Result<T, Stop>;

/// A piece of the window, and where it is in the body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) text: &'a [u8],
    pub(super) span: Span,
}

/// A value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// The inside of a string.
    Text(Token<'a>),
    /// Digits, or what begins like them.
    Number(Token<'a>),
    /// `null`.
    Null,
    /// `false`.
    False,
    /// `true`, a container, or a word that JSON does not know.
    Other(Token<'a>),
}

/// A place in a window.
#[derive(Debug, Clone)]
pub(super) struct Scan<'a> {
    window: &'a [u8],
    at: usize,
    /// Where the window is in the body.
    base: u64,
    /// Whether the body ends with the window.
    last: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(window: &'a [u8], base: u64, last: bool) -> Self {
        Self { window, at: 0, base, last }
    }

    /// How far it is in the window.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Where it is in the body.
    pub(super) fn place(&self) -> u64 {
        self.base + self.at as u64
    }

    /// The range from a place up to here.
    pub(super) fn since(&self, from: u64) -> Span {
        Span::new(from, self.place().saturating_sub(from))
    }

    /// Whether the window is used up.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.window.len()
    }

    /// Passes all that is left.
    pub(super) fn pass_all(&mut self) {
        self.at = self.window.len();
    }

    /// Passes what may come after the value: white space.
    pub(super) fn end(&mut self) -> Read<()> {
        match self.peek() {
            Ok(_) => Err(Stop::Bad("something comes after the end")),
            Err(_) => Ok(()),
        }
    }

    /// Passes the mark with which some begin a text.
    pub(super) fn pass_mark(&mut self) -> Read<()> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let rest = self.rest();
        if self.place() == 0 && rest.starts_with(MARK) {
            self.at += MARK.len();
        } else if self.place() == 0 && !self.last && MARK.starts_with(rest) {
            return Err(Stop::More);
        }
        Ok(())
    }

    /// Goes back to where it was.
    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    /// What is left of the window.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.window.get(self.at..).unwrap_or_default()
    }

    /// The next byte that is not white space; it stays the next.
    #[inline]
    pub(super) fn peek(&mut self) -> Read<u8> {
        match self.window.get(self.at) {
            Some(byte) if *byte > b' ' => Ok(*byte),
            _ => self.peek_far(),
        }
    }

    fn peek_far(&mut self) -> Read<u8> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += self.rest().iter().take_while(|byte| blank(byte)).count();
        self.window.get(self.at).copied().ok_or(Stop::More)
    }

    /// Passes the byte that was peeked at.
    #[inline]
    pub(super) fn pass(&mut self) {
        self.at += 1;
    }

    /// Passes bytes that were looked at.
    pub(super) fn pass_by(&mut self, len: usize) {
        self.at += len;
    }

    /// Passes a byte that must come next.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8, otherwise: &'static str) -> Read<()> {
        if self.peek()? != byte {
            return Err(Stop::Bad(otherwise));
        }
        self.pass();
        Ok(())
    }

    /// The next key of an object, up to its value; none at the object's end. `first` says whether
    /// no key came before.
    #[inline]
    pub(super) fn key(&mut self, first: &mut bool) -> Read<Option<&'a [u8]>> {
        match (self.peek()?, *first) {
            (b'}', _) => {
                self.pass();
                return Ok(None);
            }
            (b',', false) => self.pass(),
            (_, true) => *first = false,
            _ => return Err(Stop::Bad("a comma or the end of an object is missing")),
        }
        if self.peek()? != b'"' {
            return Err(Stop::Bad("a key is missing"));
        }
        let key = self.string()?;
        self.expect(b':', "a colon is missing")?;
        Ok(Some(key.text))
    }

    /// Whether an array has another element, up to it; passes the end if not.
    #[inline]
    pub(super) fn element(&mut self, first: &mut bool) -> Read<bool> {
        match (self.peek()?, *first) {
            (b']', _) => {
                self.pass();
                return Ok(false);
            }
            (b',', false) => self.pass(),
            (_, true) => *first = false,
            _ => return Err(Stop::Bad("a comma or the end of an array is missing")),
        }
        match self.peek()? {
            b']' | b',' => Err(Stop::Bad("an element is missing")),
            _ => Ok(true),
        }
    }

    /// A string, from its opening quote on.
    #[inline]
    pub(super) fn string(&mut self) -> Read<Token<'a>> {
        self.pass();
        let rest = self.rest();
        let mut len = quote(rest).ok_or(Stop::More)?;
        if is_escaped(rest, len) {
            len = far_quote(rest, len)?;
        }
        let token = self.token(self.at, len);
        self.at += len + 1;
        Ok(token)
    }

    fn token(&self, at: usize, len: usize) -> Token<'a> {
        let text = self.window.get(at..at + len).unwrap_or_default();
        Token { text, span: Span::new(self.base + at as u64, len as u64) }
    }

    /// Any value.
    #[inline]
    pub(super) fn value(&mut self) -> Read<Value<'a>> {
        match self.peek()? {
            b'"' => Ok(Value::Text(self.string()?)),
            b'{' | b'[' => {
                let from = self.at;
                self.container()?;
                Ok(Value::Other(self.token(from, self.at - from)))
            }
            _ => self.word(),
        }
    }

    /// A number, or a word without quotes.
    fn word(&mut self) -> Read<Value<'a>> {
        let rest = self.rest();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
        let len = rest.iter().take_while(|byte| is_part(byte)).count();
        if len == rest.len() && !self.last {
            return Err(Stop::More);
        }
        let token = self.token(self.at, len);
        self.at += len;
        match token.text {
            [] => Err(Stop::Bad("a value is missing")),
            b"null" => Ok(Value::Null),
            b"false" => Ok(Value::False),
            [b'0'..=b'9' | b'-', ..] => Ok(Value::Number(token)),
            _ => Ok(Value::Other(token)),
        }
    }

    /// Passes a value.
    #[inline]
    pub(super) fn skip(&mut self) -> Read<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' | b'[' => self.container(),
            _ => self.word().map(|_| ()),
        }
    }

    /// Passes an object or an array. Whether what is in it is well formed is nobody's concern; how
    /// deep it is costs nothing.
    fn container(&mut self) -> Read<()> {
        let mut depth = 0_u64;
        loop {
            let mark = |byte: &u8| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']');
            self.at += self.rest().iter().position(mark).ok_or(Stop::More)?;
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.pass();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// The first quote. Keys and small numbers are looked through here, eight bytes at once, because
/// to call somebody else would take longer than that.
#[inline]
fn quote(text: &[u8]) -> Option<usize> {
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
fn far_quote(text: &[u8], escaped: usize) -> Read<usize> {
    let mut at = escaped;
    while is_escaped(text, at) {
        let after = text.get(at + 1..).unwrap_or_default();
        at += 1 + quote(after).ok_or(Stop::More)?;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Scan<'_> {
        Scan::new(text.as_bytes(), 0, false)
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
            assert_eq!(scan(open).string().unwrap_err(), Stop::More, "{open}");
        }
    }

    #[test]
    fn what_is_passed_may_be_deep() {
        let deep = format!("{}{}7", "[{\"a\":".repeat(100_000), "}]".repeat(100_000));
        let mut scan = scan(&deep);
        scan.skip().unwrap();
        assert_eq!(scan.at(), deep.len() - 1);
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
        assert_eq!(scan("12").skip(), Err(Stop::More), "it may go on");
        assert!(matches!(scan("12,").value(), Ok(Value::Number(t)) if t.text == b"12"));
        assert!(matches!(Scan::new(b"12", 0, true).value(), Ok(Value::Number(_))));
        assert!(matches!(scan("NaN]").value(), Ok(Value::Other(_))));
        assert!(matches!(scan(",").value(), Err(Stop::Bad(_))));
    }
}
