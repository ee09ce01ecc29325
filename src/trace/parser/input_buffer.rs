//! Buffers received bytes until they are parsed.

use bytes::{Bytes, BytesMut};

/// Size of the pieces that small chunks are gathered into. The end of a piece that is too small for the
/// next chunk is wasted, and chunks can be 400 kB.
const PIECE_BYTES: usize = 4 << 20;
const MIN_ZERO_COPY_BYTES: usize = 256 << 10;
/// Size of the first piece, as most traces are small.
const FIRST_PIECE_BYTES: usize = 1 << 14;

/// A contiguous window of unparsed bytes. A large chunk that arrives when the window is empty becomes
/// the window, so that a complete body is never copied; small chunks are gathered into pieces.
#[derive(Debug, Default)]
pub(super) struct InputBuffer {
    /// The rest of a chunk used without copying; `buffer` is empty meanwhile.
    chunk: Bytes,
    buffer: BytesMut,
    /// Minimum length of the window for another attempt at parsing it.
    min_len: usize,
    /// The offset of the window in the body.
    pub(super) offset: u64,
}

impl InputBuffer {
    pub(super) fn push(&mut self, chunk: Bytes) {
        if self.window().is_empty() && chunk.len() >= MIN_ZERO_COPY_BYTES {
            self.chunk = chunk;
            return;
        }
        let rest = std::mem::take(&mut self.chunk);
        self.append(&rest);
        self.append(&chunk);
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
        if self.chunk.is_empty() { &self.buffer } else { &self.chunk }
    }

    pub(super) fn is_ready(&self) -> bool {
        !self.window().is_empty() && self.window().len() >= self.min_len
    }

    /// Removes parsed bytes from the front. If the rest is the beginning of an incomplete entry, the
    /// window is ready again when it has doubled.
    pub(super) fn advance(&mut self, len: usize, is_incomplete: bool) -> Bytes {
        let len = len.min(self.window().len());
        let bytes = if self.chunk.is_empty() {
            self.buffer.split_to(len).freeze()
        } else {
            self.chunk.split_to(len)
        };
        self.offset += bytes.len() as u64;
        self.min_len = if is_incomplete { self.window().len().saturating_mul(2) } else { 0 };
        bytes
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
