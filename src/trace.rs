//! Call traces: parsing, the call tree, comparison and export.
//!
//! A [`TraceParser`] takes the bytes of a response as they arrive and yields [`TraceChunk`]s; a
//! [`CallTree`], perhaps on another thread, applies them. So the first calls can be shown while the
//! rest is downloaded. Frames are kept in pre-order in one vector and refer to ranges of the response
//! body. Nothing recurses: a trace may be a thousand calls deep and a million calls long.

pub mod balance_changes;
pub mod body;
pub mod coin_changes;
pub mod diff;
pub mod export;
pub mod fold_state;
pub mod frame;
pub mod frame_json;
pub mod gas_by_function;
pub mod log_places;
pub mod log_rows;
pub mod parser;
pub mod queried_balances;
pub mod revert_origin;
#[cfg(test)]
pub(crate) mod test_util;
pub mod tree;
pub mod visible_frames;

pub use body::{BodySpan, TraceBody};
pub use frame::{CallFrame, CallOutcome};
pub use parser::TraceParser;
pub use tree::CallTree;
pub use visible_frames::VisibleFrames;

use bytes::Bytes;

pub use crate::chain::call_kind::CallKind;
use crate::sanitize::SafeText;

/// Frames parsed since the last chunk.
#[derive(Debug, Clone, Default)]
pub struct TraceChunk {
    pub bytes: Bytes,
    pub frames: Vec<CallFrame>,
    /// Updates of frames in earlier chunks, by number: an object may have its `calls` before its
    /// `error`.
    pub completed: Vec<(u32, CallFrame)>,
    pub summary: Option<TraceSummary>,
}

/// Facts that are known when the body is complete or broken off.
#[derive(Debug, Clone, Default)]
pub struct TraceSummary {
    pub format: TraceFormat,
    /// Entries that came out of pre-order and have yet to be merged, sorted by path.
    pub out_of_order: Vec<OutOfOrderFrame>,
    pub unreadable: u32,
    /// Number of frames whose `subtraces` differs from the number of their children.
    pub child_count_mismatches: u32,
    pub error: Option<SafeText>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfOrderFrame {
    /// The entry's `traceAddress`.
    pub path: Box<[u32]>,
    pub frame: CallFrame,
}

/// The format of a raw trace. Since Blockscout 6.8 the explorer passes on whatever its node returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TraceFormat {
    /// Only white space so far.
    #[default]
    Unknown,
    /// The array of Parity's trace module: entries with `action`, `result` and `traceAddress`.
    Parity,
    /// Geth's callTracer: one object with nested `calls`.
    CallTracer,
    /// Blockscout's JavaScript tracer for Geth: flat entries with `traceAddress`, without `action`.
    Flat,
    Empty,
    Null,
    /// Geth's struct logs: opcodes, not calls.
    StructLogs,
    Message(SafeText),
    Other(SafeText),
}

impl TraceFormat {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "?",
            Self::Parity => "Parity array",
            Self::CallTracer => "callTracer object",
            Self::Flat => "flat js tracer",
            Self::Empty => "empty array",
            Self::Null => "null",
            Self::StructLogs => "struct logs",
            Self::Message(_) => "message",
            Self::Other(_) => "unknown JSON",
        }
    }
}
