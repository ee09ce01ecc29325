//! The response body of a trace, in the chunks in which it was parsed, and ranges of it.

use std::borrow::Cow;

use bytes::Bytes;

/// Bits of a span's offset, for bodies up to a terabyte.
const OFFSET_BITS: u32 = 40;
/// Maximum length in a span. A span of this length may be longer: its end is searched for when its
/// bytes are needed.
pub const MAX_SPAN_LEN: u64 = (1 << (64 - OFFSET_BITS)) - 1;

/// A range of the body: the inside of a JSON string, or an entry. It takes eight bytes because each of
/// a million frames has seven.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BodySpan(u64);

const NONE: u64 = u64::MAX;

impl BodySpan {
    /// An absent or `null` field.
    pub const NONE: Self = Self(NONE);

    /// Creates a span. One beyond the first terabyte is absent.
    pub fn new(offset: u64, len: u64) -> Self {
        if offset >= (1 << OFFSET_BITS) - 1 {
            return Self::NONE;
        }
        Self(len.min(MAX_SPAN_LEN) << OFFSET_BITS | offset)
    }

    /// Returns `true` if the field is present; it may be empty.
    pub fn is_some(self) -> bool {
        self.0 != NONE
    }

    pub fn offset(self) -> u64 {
        self.0 & ((1 << OFFSET_BITS) - 1)
    }

    /// Returns the length in bytes; [`MAX_SPAN_LEN`] is a lower bound.
    pub fn len(self) -> u64 {
        if self.is_some() { self.0 >> OFFSET_BITS } else { 0 }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl Default for BodySpan {
    fn default() -> Self {
        Self::NONE
    }
}

impl std::fmt::Debug for BodySpan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_some() {
            write!(f, "{}+{}", self.offset(), self.len())
        } else {
            f.write_str("none")
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct TraceBody {
    chunks: Vec<(u64, Bytes)>,
    pub(super) len: u64,
}

impl TraceBody {
    /// Returns the number of bytes in all chunks.
    pub fn size(&self) -> u64 {
        self.len
    }

    pub fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            let len = bytes.len() as u64;
            self.chunks.push((self.len, bytes));
            self.len += len;
        }
    }

    /// Returns the bytes of a span, copied only if they cross a chunk boundary.
    pub fn bytes(&self, span: BodySpan) -> Cow<'_, [u8]> {
        match span.len() {
            0 => Cow::Borrowed(&[]),
            MAX_SPAN_LEN => self.slice(span.offset(), self.string_end(span.offset())),
            len => self.slice(span.offset(), span.offset() + len),
        }
    }

    pub fn prefix(&self, span: BodySpan, max: u64) -> Cow<'_, [u8]> {
        if span.is_empty() {
            return Cow::Borrowed(&[]);
        }
        self.slice(span.offset(), span.offset() + span.len().min(max))
    }

    /// Returns the length of a span, even beyond [`MAX_SPAN_LEN`].
    pub fn full_len(&self, span: BodySpan) -> u64 {
        match span.len() {
            MAX_SPAN_LEN => self.string_end(span.offset()) - span.offset(),
            len => len,
        }
    }

    pub fn slice(&self, from: u64, to: u64) -> Cow<'_, [u8]> {
        let chunks = self.chunks_from(from).take_while(|(offset, _)| *offset < to);
        let mut parts = chunks.map(|(offset, chunk)| {
            let start = usize::try_from(from.saturating_sub(*offset)).ok();
            let end = usize::try_from((to - offset).min(chunk.len() as u64)).ok();
            start.zip(end).and_then(|(start, end)| chunk.get(start..end)).unwrap_or_default()
        });
        let Some(first) = parts.next() else { return Cow::Borrowed(&[]) };
        let Some(second) = parts.next() else { return Cow::Borrowed(first) };
        let mut all = [first, second].concat();
        parts.for_each(|part| all.extend_from_slice(part));
        Cow::Owned(all)
    }

    fn chunks_from(&self, offset: u64) -> impl Iterator<Item = &(u64, Bytes)> {
        let first = self.chunks.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        self.chunks.iter().skip(first)
    }

    /// Returns the offset of the closing quote of the JSON string that contains `offset`.
    fn string_end(&self, offset: u64) -> u64 {
        let mut escaped = false;
        for (start, chunk) in self.chunks_from(offset) {
            let skip = usize::try_from(offset.saturating_sub(*start)).unwrap_or(usize::MAX);
            for (n, byte) in chunk.iter().enumerate().skip(skip) {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' => escaped = true,
                    b'"' => return start + n as u64,
                    _ => {}
                }
            }
        }
        self.len
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn span_is_eight_bytes_and_absent_differs_from_empty() {
        assert_eq!(size_of::<BodySpan>(), 8);
        assert!(!BodySpan::NONE.is_some() && BodySpan::new(7, 0).is_some());
        assert!(BodySpan::new(7, 0).is_empty() && BodySpan::NONE.is_empty());
        assert_eq!(BodySpan::new(5 << 32, 3).offset(), 5 << 32, "bodies pass 4 GB");
        assert_eq!(BodySpan::new(1 << 41, 3), BodySpan::NONE);
    }

    #[test]
    fn spans_longer_than_the_maximum_are_read_whole() {
        let mut body = TraceBody::default();
        let long = "7".repeat(usize::try_from(MAX_SPAN_LEN).unwrap() + 5);
        body.push(Bytes::from(format!("\"{long}")));
        body.push(Bytes::from("8\\\"9\" and more"));
        let span = BodySpan::new(1, MAX_SPAN_LEN + 9);
        assert_eq!(span.len(), MAX_SPAN_LEN);
        assert_eq!(body.full_len(span), MAX_SPAN_LEN + 9);
        assert!(body.bytes(span).ends_with(b"78\\\"9"));
        assert_eq!(&*body.prefix(span, 3), b"777");
    }

    proptest! {
        #[test]
        fn slices_do_not_depend_on_chunks(cuts in prop::collection::vec(1usize..9, 0..20), at in 0usize..99, len in 0usize..99) {
            let whole: Vec<u8> = (b'a'..=b'z').cycle().take(cuts.iter().sum()).collect();
            let mut body = TraceBody::default();
            let mut rest = &whole[..];
            for cut in cuts {
                let (piece, more) = rest.split_at(cut);
                body.push(Bytes::copy_from_slice(piece));
                rest = more;
            }
            let from = at.min(whole.len());
            let to = (at + len).min(whole.len());
            let span = BodySpan::new(at as u64, len as u64);
            prop_assert_eq!(&*body.bytes(span), &whole[from..to]);
        }
    }
}
