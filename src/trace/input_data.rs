//! The bytes of a trace, in the pieces in which they came, and ranges of them.

use std::borrow::Cow;

use bytes::Bytes;

/// Where a range begins: 40 bits, a terabyte.
const OFFSET_BITS: u32 = 40;
/// The longest range that is written down; of a longer one only the beginning is, and its end is
/// looked for where it is needed.
pub const MAX_SPAN_LEN: u64 = (1 << (64 - OFFSET_BITS)) - 1;

/// A range of the body: the inside of a JSON string, or an entry. Eight bytes, because a million
/// frames have seven each.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BodySpan(u64);

/// Nothing: a field that is absent or `null`.
const NONE: u64 = u64::MAX;

impl BodySpan {
    /// A field that is not there.
    pub const NONE: Self = Self(NONE);

    /// The bytes from `offset`, `len` of them. A range beyond the first terabyte is none.
    pub fn new(at: u64, len: u64) -> Self {
        if at >= (1 << OFFSET_BITS) - 1 {
            return Self::NONE;
        }
        Self(len.min(MAX_SPAN_LEN) << OFFSET_BITS | at)
    }

    /// Whether there is anything, even if it is empty.
    pub fn is_some(self) -> bool {
        self.0 != NONE
    }

    /// Where it begins.
    pub fn offset(self) -> u64 {
        self.0 & ((1 << OFFSET_BITS) - 1)
    }

    /// How long it is; [`MAX_SPAN_LEN`] means so long or longer.
    pub fn len(self) -> u64 {
        if self.is_some() { self.0 >> OFFSET_BITS } else { 0 }
    }

    /// Whether it has no bytes.
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

/// A body in pieces.
#[derive(Debug, Clone, Default)]
pub struct TraceBody {
    /// Where each piece begins, and it.
    chunks: Vec<(u64, Bytes)>,
    len: u64,
}

impl TraceBody {
    /// Goes on with these bytes.
    pub fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            let at = self.len;
            self.len += bytes.len() as u64;
            self.chunks.push((at, bytes));
        }
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of a range; copied only where it lies in more than one piece.
    pub fn bytes(&self, span: BodySpan) -> Cow<'_, [u8]> {
        match span.len() {
            0 => Cow::Borrowed(&[]),
            MAX_SPAN_LEN => self.slice(span.offset(), self.string_end(span.offset())),
            len => self.slice(span.offset(), span.offset() + len),
        }
    }

    /// The first bytes of a range, at most `most`.
    pub fn prefix(&self, span: BodySpan, most: u64) -> Cow<'_, [u8]> {
        if span.is_empty() {
            return Cow::Borrowed(&[]);
        }
        self.slice(span.offset(), span.offset() + span.len().min(most))
    }

    /// How long a range really is.
    pub fn full_len(&self, span: BodySpan) -> u64 {
        match span.len() {
            MAX_SPAN_LEN => self.string_end(span.offset()) - span.offset(),
            len => len,
        }
    }

    /// The bytes between two places.
    pub fn slice(&self, from: u64, to: u64) -> Cow<'_, [u8]> {
        let mut pieces = self.chunks_from(from).take_while(|(at, _)| *at < to);
        let cut = |(at, piece): &(u64, Bytes)| {
            let (start, end) = (from.saturating_sub(*at), (to - at).min(piece.len() as u64));
            // In range: both are at most the length of the piece.
            usize::try_from(start).ok().zip(usize::try_from(end).ok())
        };
        let Some(first) = pieces.next() else { return Cow::Borrowed(&[]) };
        let slice = |piece: &'_ (u64, Bytes)| cut(piece).map(|(start, end)| start..end);
        let head = slice(first).and_then(|range| first.1.get(range)).unwrap_or_default();
        let mut rest = pieces.peekable();
        if rest.peek().is_none() {
            return Cow::Borrowed(head);
        }
        let mut all = head.to_vec();
        for piece in rest {
            all.extend_from_slice(
                slice(piece).and_then(|range| piece.1.get(range)).unwrap_or_default(),
            );
        }
        Cow::Owned(all)
    }

    fn chunks_from(&self, at: u64) -> impl Iterator<Item = &(u64, Bytes)> {
        let first = self.chunks.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        self.chunks.iter().skip(first)
    }

    /// Where the JSON string ends that `offset` is in: at its closing quote.
    fn string_end(&self, at: u64) -> u64 {
        let mut escaped = false;
        for (start, piece) in self.chunks_from(at) {
            let skip = usize::try_from(at.saturating_sub(*start)).unwrap_or(usize::MAX);
            for (n, byte) in piece.iter().enumerate().skip(skip) {
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
    fn a_span_is_eight_bytes_and_knows_none_from_empty() {
        assert_eq!(size_of::<BodySpan>(), 8);
        assert!(!BodySpan::NONE.is_some() && BodySpan::new(7, 0).is_some());
        assert!(BodySpan::new(7, 0).is_empty() && BodySpan::NONE.is_empty());
        assert_eq!(BodySpan::new(5 << 32, 3).offset(), 5 << 32, "bodies pass 4 GB");
        assert_eq!(BodySpan::new(1 << 41, 3), BodySpan::NONE);
    }

    #[test]
    fn a_range_longer_than_can_be_written_is_still_read_whole() {
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
        fn pieces_do_not_show(cuts in prop::collection::vec(1usize..9, 0..20), at in 0usize..99, len in 0usize..99) {
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
