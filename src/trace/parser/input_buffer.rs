//! Buffers received bytes until they are parsed.

use bytes::{Buf as _, Bytes, BytesMut};

/// Size of the pieces that small chunks are gathered into. The end of a piece that is too small for the
/// next chunk is wasted, and chunks can be 400 kB.
const PIECE_BYTES: usize = 4 << 20;
const MIN_ZERO_COPY_BYTES: usize = 256 << 10;
/// Maximum beginning of an entry that is joined with the start of a large chunk instead of all of it.
const MAX_JOINED_BYTES: usize = 64 << 10;
/// Bytes of such a chunk that are copied at first to complete the entry.
const JOINED_HEAD_BYTES: usize = 4 << 10;
/// Size of the first piece, as most traces are small.
const FIRST_PIECE_BYTES: usize = 1 << 14;

/// A contiguous window of unparsed bytes. Large chunks become the window without being copied, once the entry
/// that the chunk before them ended within is complete; small chunks are gathered into pieces.
#[derive(Debug, Default)]
pub(super) struct InputBuffer {
    /// The rest of a chunk used without copying: the window if `buffer` is empty.
    chunk: Bytes,
    /// The window otherwise: the bytes before `chunk`, and a copy of its first ones.
    buffer: BytesMut,
    /// The number of bytes of `chunk` that are copied.
    copied: usize,
    /// Minimum length of the window for another attempt at parsing it.
    min_len: usize,
    /// The offset of the window in the body.
    pub(super) offset: u64,
}

impl InputBuffer {
    pub(super) fn push(&mut self, chunk: Bytes) {
        let rest = std::mem::take(&mut self.chunk);
        self.append(rest.get(self.copied..).unwrap_or_default());
        self.copied = 0;
        if chunk.len() < MIN_ZERO_COPY_BYTES || self.buffer.len() > MAX_JOINED_BYTES {
            self.append(&chunk);
            return;
        }
        self.chunk = chunk;
        if !self.buffer.is_empty() {
            self.copy_to(self.min_len.max(self.buffer.len() + JOINED_HEAD_BYTES));
        }
    }

    /// Copies the start of the chunk until the window has some length.
    fn copy_to(&mut self, len: usize) {
        let from = self.copied;
        let more = len.saturating_sub(self.buffer.len());
        let to = from.saturating_add(more).min(self.chunk.len());
        let chunk = self.chunk.clone();
        self.append(chunk.get(from..to).unwrap_or_default());
        self.copied = to;
    }

    fn append(&mut self, chunk: &[u8]) {
        let len = self.buffer.len();
        if self.buffer.capacity() - len < chunk.len() {
            // At least doubles, so that a long entry is moved only a few times.
            let piece_len = usize::try_from(self.offset)
                .unwrap_or(PIECE_BYTES)
                .clamp(FIRST_PIECE_BYTES, PIECE_BYTES);
            self.buffer.reserve(chunk.len().max(len).max(piece_len));
        }
        self.buffer.extend_from_slice(chunk);
    }

    pub(super) fn window(&self) -> &[u8] {
        if self.buffer.is_empty() { &self.chunk } else { &self.buffer }
    }

    pub(super) fn is_ready(&self) -> bool {
        !self.window().is_empty() && self.window().len() >= self.min_len
    }

    /// Removes parsed bytes from the front. If the rest is the beginning of an incomplete entry, the
    /// window is ready again when it has doubled.
    pub(super) fn advance(&mut self, len: usize, is_incomplete: bool) -> Bytes {
        let len = len.min(self.window().len());
        self.offset += len as u64;
        self.min_len = 0;
        if self.buffer.is_empty() {
            let bytes = self.chunk.split_to(len);
            self.min_len = if is_incomplete { self.chunk.len().saturating_mul(2) } else { 0 };
            return bytes;
        }
        let before_chunk = self.buffer.len() - self.copied;
        let bytes = self.buffer.split_to(len).freeze();
        match len.checked_sub(before_chunk) {
            // What is left is in the chunk.
            Some(parsed) if self.copied > 0 => {
                self.chunk.advance(parsed);
                self.buffer.clear();
                self.copied = 0;
            }
            _ if is_incomplete => {
                self.min_len = self.buffer.len().saturating_mul(2);
                self.copy_to(self.min_len);
            }
            _ => {}
        }
        bytes
    }

    /// Makes the window all that is left.
    pub(super) fn join(&mut self) {
        if !self.buffer.is_empty() {
            self.copy_to(usize::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_body_is_not_copied() {
        let body = Bytes::from(vec![7; PIECE_BYTES]);
        let mut input = InputBuffer::default();
        input.push(body.clone());
        let first = input.advance(1000, false);
        let second = input.advance(PIECE_BYTES, false);
        assert_eq!((first.as_ptr(), second.len()), (body.as_ptr(), PIECE_BYTES - 1000));
        assert_eq!(second.as_ptr(), body.slice(1000..).as_ptr());
    }

    /// Returns lines that end with a byte and are this long, in chunks.
    fn lines_in_chunks(line: usize, lines: usize, chunk: usize) -> Vec<Bytes> {
        let body: Vec<u8> =
            (0..line * lines).map(|n| if n % line == line - 1 { b'\n' } else { b'x' }).collect();
        body.chunks(chunk).map(Bytes::copy_from_slice).collect()
    }

    /// Reads lines, and returns the whole input and the number of its bytes that are parts of the chunks.
    fn read_lines(chunks: &[Bytes]) -> (Vec<u8>, usize) {
        let ranges: Vec<_> = chunks.iter().map(|chunk| chunk.as_ptr_range()).collect();
        let (mut input, mut all, mut uncopied) = (InputBuffer::default(), Vec::new(), 0);
        let mut take = |bytes: Bytes| {
            let is_part = ranges.iter().any(|range| range.contains(&bytes.as_ptr()));
            uncopied += if is_part { bytes.len() } else { 0 };
            all.extend_from_slice(&bytes);
        };
        for chunk in chunks {
            input.push(chunk.clone());
            while input.is_ready() {
                let window = input.window();
                let end = window.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let is_incomplete = end < window.len();
                take(input.advance(end, is_incomplete));
            }
        }
        input.join();
        take(input.advance(usize::MAX, false));
        (all, uncopied)
    }

    #[test]
    fn large_chunks_are_not_copied_but_for_the_entries_between_them() {
        for line in [1, 1_000, 5_003, 60_001, 300_007, 1_200_001] {
            for chunk in [MIN_ZERO_COPY_BYTES, 400_000, 1 << 20] {
                let chunks = lines_in_chunks(line, 4_000_000 / line, chunk);
                let (all, uncopied) = read_lines(&chunks);
                assert!(all == chunks.concat(), "{line} {chunk}");
                let copied = all.len() - uncopied;
                let at_ends = chunks.len() * 2 * (line + JOINED_HEAD_BYTES) + MIN_ZERO_COPY_BYTES;
                assert!(line > MAX_JOINED_BYTES || copied <= at_ends, "{line} {chunk}: {copied}");
            }
        }
    }

    #[test]
    fn small_chunks_are_gathered_into_few_pieces() {
        let mut input = InputBuffer::default();
        let (mut all, mut pieces) = (Vec::new(), std::collections::HashSet::new());
        for n in 0..60_000_u32 {
            input.push(Bytes::copy_from_slice(&n.to_le_bytes()));
            if n % 7 == 0 {
                let bytes = input.advance(9, false);
                pieces.insert(bytes.as_ptr() as usize >> 12);
                all.extend_from_slice(&bytes);
            }
        }
        all.extend_from_slice(&input.advance(usize::MAX, false));
        assert!(all.chunks(4).map(|n| u32::from_le_bytes(n.try_into().unwrap())).eq(0..60_000));
        assert!(pieces.len() <= 90, "{} pages", pieces.len());
    }

    #[test]
    fn incomplete_window_is_ready_when_it_has_doubled() {
        let mut input = InputBuffer::default();
        input.push(Bytes::from_static(b"abcde"));
        assert!(input.is_ready());
        input.advance(2, true);
        assert!(!input.is_ready());
        input.push(Bytes::from_static(b"fg"));
        assert!(!input.is_ready());
        input.push(Bytes::from_static(b"h"));
        assert!(input.is_ready());
    }
}
