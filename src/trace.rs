//! Call traces: frames in pre-order in one flat arena, with ranges into the body they came from.
//!
//! A body becomes a tree in two steps that never meet in one place: a [`TraceParser`] takes
//! bytes as they arrive and yields [`Part`]s, and a [`CallTree`] takes parts in, wherever it lives. So the
//! first calls can be looked at while the rest is on its way, and no step ever recurses: a trace may
//! be a thousand calls deep and a million long.

pub mod diff;
pub mod export;
pub mod fold_state;
pub mod frame;
pub mod frame_json;
pub mod input_data;
pub mod parser;
pub mod revert_origin;
#[cfg(test)]
pub(crate) mod test_util;
pub mod tree;
pub mod value_flow;
pub mod visible_frames;

pub use frame::{CallFrame, CallKind, CallOutcome};
pub use input_data::{BodySpan, TraceBody};
pub use parser::TraceParser;
pub use tree::CallTree;
pub use visible_frames::VisibleFrames;

use bytes::Bytes;

use crate::sanitize::SafeText;

/// Something new of a trace that is being read.
#[derive(Debug, Clone, Default)]
pub struct TraceChunk {
    /// The body goes on with these bytes.
    pub bytes: Bytes,
    /// The next frames in pre-order.
    pub frames: Vec<CallFrame>,
    /// Frames that were sent before their end was read (an object may name its `calls` before its
    /// own `error`), by their number, as they turned out to be.
    pub completed: Vec<(u32, CallFrame)>,
    /// The end, with the last part.
    pub summary: Option<TraceSummary>,
}

/// What is known when the body is complete, or given up.
#[derive(Debug, Clone, Default)]
pub struct TraceSummary {
    /// What it was.
    pub format: TraceFormat,
    /// Entries that did not come in pre-order, sorted by path: they are to be put in between.
    pub out_of_order: Vec<OutOfOrderFrame>,
    /// Entries that could not be read.
    pub unreadable: u32,
    /// Frames whose `subtraces` is not the number of their children.
    pub child_count_mismatches: u32,
    /// Why it ended before its end.
    pub error: Option<SafeText>,
}

/// An entry that waits for its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfOrderFrame {
    /// Its `traceAddress`.
    pub path: Box<[u32]>,
    /// It.
    pub frame: CallFrame,
}

/// The forms in which explorers send raw traces (api-facts §2.7 of the project's notes: since 6.8
/// the service passes on whatever its node says).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TraceFormat {
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
    Message(SafeText),
    /// JSON of some other kind.
    Other(SafeText),
}

impl TraceFormat {
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
            Self::Message(_) => "words",
            Self::Other(_) => "unknown JSON",
        }
    }
}
