//! The bytes that have come and are not read yet.

use bytes::{Bytes, BytesMut};

/// The pieces of a body that comes in crumbs. What is left of one when the next chunk does not fit is
/// lost, and chunks can be 400 kB.
const PIECE_BYTES: usize = 4 << 20;
/// A chunk that is as long is a piece by itself.
const MIN_ZERO_COPY_BYTES: usize = 256 << 10;
/// The first piece: most traces are smaller.
const FIRST_PIECE_BYTES: usize = 1 << 14;

/// Bytes that wait, in one window. A large chunk that comes when none wait is taken over as it is,
/// so that a body in hand is never copied; small ones are gathered into pieces.
#[derive(Debug, Default)]
pub(super) struct InputBuffer {
    /// What waits of a chunk that was taken over; then nothing is gathered.
    chunk: Bytes,
    buffer: BytesMut,
    /// How many bytes there must be before it is worth to look at them again.
    min_len: usize,
    /// How many have been handed out.
    consumed: u64,
}

impl InputBuffer {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, chunk: Bytes) {
        if self.window().is_empty() && chunk.len() >= MIN_ZERO_COPY_BYTES {
            self.chunk = chunk;
            return;
        }
        let taken = std::mem::take(&mut self.chunk);
        self.append(&taken);
        self.append(&chunk);
    }

    fn append(&mut self, chunk: &[u8]) {
        let held = self.buffer.len();
        if self.buffer.capacity() - held < chunk.len() {
            // At least as much again as is held, so that a long entry is moved a few times only.
            let so_far = usize::try_from(self.consumed)
                .unwrap_or(PIECE_BYTES)
                .clamp(FIRST_PIECE_BYTES, PIECE_BYTES);
            self.buffer.reserve(chunk.len().max(held).max(so_far));
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// All that waits.
    pub(super) fn window(&self) -> &[u8] {
        if self.chunk.is_empty() { &self.buffer } else { &self.chunk }
    }

    /// Where the window is in the body.
    pub(super) fn offset(&self) -> u64 {
        self.consumed
    }

    /// Whether something new may be read from what waits.
    pub(super) fn is_ready(&self) -> bool {
        !self.window().is_empty() && self.window().len() >= self.min_len
    }

    /// Hands out the first bytes, as read. `short` says that what is left is the beginning of
    /// something whose end has not come: it is looked at again when it has doubled.
    pub(super) fn advance(&mut self, len: usize, short: bool) -> Bytes {
        let len = len.min(self.window().len());
        let bytes = if self.chunk.is_empty() {
            self.buffer.split_to(len).freeze()
        } else {
            self.chunk.split_to(len)
        };
        self.consumed += bytes.len() as u64;
        self.min_len = if short { self.window().len().saturating_mul(2) } else { 0 };
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_in_hand_is_not_copied() {
        let body = Bytes::from(vec![7; PIECE_BYTES]);
        let mut pending = InputBuffer::default();
        pending.push(body.clone());
        let first = pending.advance(1000, false);
        let second = pending.advance(PIECE_BYTES, false);
        assert_eq!((first.as_ptr(), second.len()), (body.as_ptr(), PIECE_BYTES - 1000));
        assert_eq!(second.as_ptr(), body.slice(1000..).as_ptr());
    }

    #[test]
    fn crumbs_are_gathered_in_order_and_into_few_pieces() {
        let mut pending = InputBuffer::default();
        let (mut all, mut pieces) = (Vec::new(), std::collections::HashSet::new());
        for n in 0..60_000_u32 {
            pending.push(Bytes::copy_from_slice(&n.to_le_bytes()));
            if n % 7 == 0 {
                let bytes = pending.advance(9, false);
                pieces.insert(bytes.as_ptr() as usize >> 12);
                all.extend_from_slice(&bytes);
            }
        }
        all.extend_from_slice(&pending.advance(usize::MAX, false));
        assert!(all.chunks(4).map(|n| u32::from_le_bytes(n.try_into().unwrap())).eq(0..60_000));
        assert!(pieces.len() <= 90, "{}: many places in few pieces", pieces.len());
    }

    #[test]
    fn a_beginning_is_looked_at_again_when_it_has_doubled() {
        let mut pending = InputBuffer::default();
        pending.push(Bytes::from_static(b"abcde"));
        assert!(pending.is_ready());
        pending.advance(2, true);
        assert!(!pending.is_ready());
        pending.push(Bytes::from_static(b"fg"));
        assert!(!pending.is_ready());
        pending.push(Bytes::from_static(b"h"));
        assert!(pending.is_ready());
    }
}
