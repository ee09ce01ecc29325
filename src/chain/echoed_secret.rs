//! A secret in text from a server, which may repeat it in any case, plainly or escaped as in JSON and URLs.

/// Maximum bytes of an escaped character: `\u0061`, `%61`, and either escaped again.
const MAX_ESCAPE_BYTES: usize = 16;

/// A secret without escapes.
#[derive(Clone)]
pub struct EchoedSecret(Box<[u8]>);

impl EchoedSecret {
    /// Creates a secret from its text, which may be escaped.
    pub fn new(text: &str) -> Self {
        let (mut secret, mut rest) = (Vec::new(), text.as_bytes());
        while let Some((byte, after)) = unescape_first(rest) {
            secret.push(byte);
            rest = after;
        }
        Self([&secret, rest].concat().trim_ascii().into())
    }

    pub fn byte_len(&self) -> usize {
        self.0.len()
    }

    /// Returns the text with `mark` in place of the secret, if that is in it.
    pub fn redact(&self, text: &[u8], mark: &str) -> Option<Vec<u8>> {
        let (mut redacted, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = self.find(rest) {
            redacted.extend_from_slice(before);
            redacted.extend_from_slice(mark.as_bytes());
            rest = after;
        }
        (rest.len() < text.len()).then(|| [&redacted, rest].concat())
    }

    /// Returns the text before and after the first occurrence of the secret.
    pub fn find<'a>(&self, text: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let first = self.0.first()?;
        let is_start = |byte: &u8| byte.eq_ignore_ascii_case(first) || matches!(byte, b'\\' | b'%');
        let mut starts = text.iter().enumerate().filter(|(_, byte)| is_start(byte));
        starts.find_map(|(at, _)| {
            let (before, from) = text.split_at(at);
            match self.match_start(from) {
                SecretMatch::Whole(after) => Some((before, after)),
                SecretMatch::Partial | SecretMatch::None => None,
            }
        })
    }

    /// Returns the number of bytes at the end of `piece` that may be the start of the secret.
    pub fn partial_match_len(&self, piece: &[u8]) -> usize {
        let max_len = piece.len().min(self.byte_len() * MAX_ESCAPE_BYTES);
        (1..=max_len)
            .rev()
            .find(|n| {
                let end = piece.get(piece.len() - n..).unwrap_or_default();
                matches!(self.match_start(end), SecretMatch::Partial)
            })
            .unwrap_or_default()
    }

    fn match_start<'a>(&self, text: &'a [u8]) -> SecretMatch<'a> {
        let mut rest = text;
        for expected in &self.0 {
            match unescape_first(rest) {
                Some((byte, after)) if byte.eq_ignore_ascii_case(expected) => rest = after,
                Some(_) => return SecretMatch::None,
                None => return SecretMatch::Partial,
            }
        }
        SecretMatch::Whole(rest)
    }
}

/// The match of a text's beginning with a secret.
enum SecretMatch<'a> {
    /// The secret, followed by this.
    Whole(&'a [u8]),
    /// The text ends inside a possible secret.
    Partial,
    None,
}

/// Returns the first character, unescaped, and the rest. Returns `None` if the text may end within the
/// character.
fn unescape_first(text: &[u8]) -> Option<(u8, &[u8])> {
    let (first, after) = text.split_first()?;
    // Escaping again doubles backslashes, and puts `25` after a percent sign.
    let (mark, digits, len) = match first {
        b'\\' => match skip_repeated(after, b"\\").split_first()? {
            (b'u', digits) => (b'u', digits, 4),
            (byte, after) => return Some((*byte, after)),
        },
        b'%' => (b'%', skip_repeated(after, b"25"), 2),
        byte => return Some((*byte, after)),
    };
    let (hex, after) = digits.split_at_checked(len)?;
    let byte = str::from_utf8(hex).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
    Some(byte.map_or((mark, digits), |byte| (byte, after)))
}

fn skip_repeated<'a>(mut text: &'a [u8], part: &[u8]) -> &'a [u8] {
    for _ in 0..MAX_ESCAPE_BYTES / 2 / part.len() {
        text = text.strip_prefix(part).unwrap_or(text);
    }
    text
}
