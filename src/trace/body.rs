//! The response body of a trace, in the chunks in which it was parsed, and ranges of it.

use std::borrow::Cow;

use bytes::Bytes;

/// Bits of a span's offset, for bodies up to a terabyte.
const OFFSET_BITS: u32 = 40;
/// Size of the blocks of a body by which its chunks are found, as a power of two.
const BLOCK_BITS: u32 = 16;

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
    /// For each block of the body, the number of the chunk at its start: a trace has thousands of chunks, and a
    /// million calls have ten spans each.
    blocks: Vec<usize>,
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
            let blocks = usize::try_from(self.len.div_ceil(1 << BLOCK_BITS)).unwrap_or(usize::MAX);
            self.blocks.resize(blocks, self.chunks.len() - 1);
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
        let mut rest = self.chunks_from(from).peekable();
        if let Some((offset, chunk)) = rest.peek()
            && let [Ok(start), Ok(end)] = [from, to].map(|at| usize::try_from(at - offset))
            && let Some(whole) = chunk.get(start..end)
        {
            return Cow::Borrowed(whole);
        }
        let chunks = rest.take_while(|(offset, _)| *offset < to);
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
        let block = usize::try_from(offset >> BLOCK_BITS).unwrap_or(usize::MAX);
        let first = self.blocks.get(block).copied().unwrap_or(self.chunks.len());
        let next_block = block.checked_add(1).and_then(|next| self.blocks.get(next));
        let end = next_block.map_or(self.chunks.len(), |last| last + 1);
        let in_block = self.chunks.get(first..end).unwrap_or_default();
        let before = in_block.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        self.chunks.get(first + before..).unwrap_or_default().iter()
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

    #[test]
    fn chunks_are_found_by_their_blocks() {
        let whole: Vec<u8> =
            (0..400_000_u32).map(|n| n.to_le_bytes()[usize::from(n % 7 == 0)]).collect();
        let mut body = TraceBody::default();
        let mut rest = &whole[..];
        for cut in [65_535, 1, 1, 70_000, 9, 9, 130_000, 3, 65_536, 68_906] {
            let (piece, more) = rest.split_at(cut);
            body.push(Bytes::copy_from_slice(piece));
            rest = more;
        }
        assert!(rest.is_empty() && body.blocks.len() == 7);
        let edges = (0..7).map(|block| block << BLOCK_BITS).chain([135_537, 135_546, 399_990]);
        for edge in edges {
            for from in edge.max(12) - 12..edge + 12 {
                for len in [0, 1, 9, 30, 70_000] {
                    let [start, end] = [from, from + len].map(|at| whole.len().min(at));
                    let found = body.slice(from as u64, (from + len) as u64);
                    assert!(*found == whole[start..end], "{from}+{len}");
                }
            }
        }
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
