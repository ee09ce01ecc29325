//! Call traces: frames in pre-order in one flat arena, with ranges into the body they came from.
//!
//! A body becomes a tree in two steps that never meet in one place: a [`Reader`] takes
//! bytes as they arrive and yields [`Part`]s, and a [`Tree`] takes parts in, wherever it lives. So the
//! first calls can be looked at while the rest is on its way, and no step ever recurses: a trace may
//! be a thousand calls deep and a million long.

pub mod diff;
pub mod frame;
pub mod input_data;
pub mod parser;
pub mod revert_origin;
#[cfg(test)]
pub(crate) mod test_util;
pub mod tree;
pub mod value_flow;
pub mod visible_frames;

pub use frame::{Frame, Kind, Outcome};
pub use input_data::{Body, Span};
pub use parser::Reader;
pub use tree::Tree;
pub use visible_frames::Outline;

use bytes::Bytes;

use crate::sanitize::Text;

/// Something new of a trace that is being read.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The body goes on with these bytes.
    pub bytes: Bytes,
    /// The next frames in pre-order.
    pub frames: Vec<Frame>,
    /// Frames that were sent before their end was read (an object may name its `calls` before its
    /// own `error`), by their number, as they turned out to be.
    pub filled: Vec<(u32, Frame)>,
    /// The end, with the last part.
    pub ending: Option<Ending>,
}

/// What is known when the body is complete, or given up.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    /// What it was.
    pub dialect: Dialect,
    /// Entries that did not come in pre-order, sorted by path: they are to be put in between.
    pub aside: Vec<Aside>,
    /// Entries that could not be read.
    pub unread: u32,
    /// Frames whose `subtraces` is not the number of their children.
    pub mismatches: u32,
    /// Why it ended before its end.
    pub broken: Option<Text>,
}

/// An entry that waits for its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// Its `traceAddress`.
    pub path: Box<[u32]>,
    /// It.
    pub frame: Frame,
}

/// The forms in which explorers send raw traces (api-facts §2.7 of the project's notes: since 6.8
/// the service passes on whatever its node says).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Nothing but white space so far.
    #[default]
    Unknown,
    /// The array of the specification: entries with `action`, `result` and `traceAddress`.
    Parity,
    /// Geth's callTracer: one object with `calls` in it.
    CallTracer,
    /// Blockscout's own tracer for Geth: flat entries with `traceAddress`, no `action`.
    Flat,
    /// An array without entries.
    Empty,
    /// `null`.
    Null,
    /// Geth's struct logs: opcodes, not calls.
    StructLogs,
    /// A sentence instead of a trace.
    Words(Text),
    /// JSON of some other kind.
    Other(Text),
}

impl Dialect {
    /// Its name on the screen.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "?",
            Self::Parity => "Parity array",
            Self::CallTracer => "callTracer object",
            Self::Flat => "flat js tracer",
            Self::Empty => "empty array",
            Self::Null => "null",
            Self::StructLogs => "struct logs",
            Self::Words(_) => "words",
            Self::Other(_) => "unknown JSON",
        }
    }
}
