//! From bytes to frames, as they arrive: every dialect, no recursion, no copy of what is in the body.

use bytes::Bytes;

use super::{Dialect, Part, Tree};
use crate::text::Text;

/// Reads a trace from pieces of its body.
#[derive(Debug, Default)]
pub struct Reader {}

impl Reader {
    /// Takes the next bytes of the body.
    pub fn feed(&mut self, _chunk: Bytes) {}

    /// What is new since the last part, from at most about `most` bytes; none when more bytes are
    /// needed first.
    pub fn part(&mut self, _most: usize) -> Option<Part> {
        None
    }

    /// The last part: the body is complete, or broke off for a reason.
    pub fn finish(self, _broken: Option<Text>) -> Part {
        Part::default()
    }

    /// What the body is, as far as it is known.
    pub fn dialect(&self) -> Dialect {
        Dialect::Unknown
    }
}

/// The tree of a whole body.
pub fn read(body: Bytes) -> Tree {
    let mut reader = Reader::default();
    let mut tree = Tree::default();
    reader.feed(body);
    while let Some(part) = reader.part(4 << 20) {
        tree.grow(part);
    }
    tree.grow(reader.finish(None));
    tree
}
