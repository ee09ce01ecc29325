//! Parses traces of every format from bytes as they arrive, without recursion and without copying the
//! body.
//!
//! [`InputBuffer`] joins received bytes to a window, `detect` chooses between the parsers of nested
//! calls and of flat arrays, and both build frames from `fields`. An entry cut by the window's end is
//! parsed again when more bytes have arrived.

mod call_tracer;
mod detect;
mod fields;
mod flat_traces;
mod input_buffer;
mod scan;
#[cfg(test)]
mod tests;

use bytes::Bytes;

use self::call_tracer::NestedCalls;
use self::flat_traces::FlatTraces;
use self::input_buffer::InputBuffer;
use self::scan::{ScanError, ScanResult, Scanner};
use super::{CallFrame, CallTree, TraceChunk, TraceFormat, TraceSummary};
use crate::messages::trace_format;
use crate::sanitize::SafeText;

/// Maximum depth of a call. The EVM has 1,024 levels, and nodes list the refused call below the last.
const MAX_CALL_DEPTH: usize = 1_025;
/// Number of calls that a trace may always have, and the bytes required for each further one, because a
/// call takes up to 200 bytes of memory. Nodes send at least 150 bytes per call.
const MAX_SHORT_CALLS: u64 = 250_000;
const MIN_CALL_BYTES: u64 = 128;

/// Maximum calls in a chunk, so that applying it causes no visible delay.
const MAX_CHUNK_CALLS: usize = 4_096;

#[derive(Debug, Default)]
pub struct TraceParser {
    input: InputBuffer,
    core: ParserCore,
}

#[derive(Debug, Default)]
struct ParserCore {
    state: ParserState,
    format: TraceFormat,
    flat: FlatTraces,
    unsent: UnsentFrames,
    error: Option<SafeText>,
}

#[derive(Debug, Default)]
enum ParserState {
    #[default]
    Start,
    Array {
        first: bool,
    },
    Entries {
        first: bool,
    },
    Nested(NestedCalls),
    /// White space after the value.
    End,
    Ignored,
}

#[derive(Debug, Default)]
struct UnsentFrames {
    frames: Vec<CallFrame>,
    completed: Vec<(u32, CallFrame)>,
    sent: u32,
    unreadable: u32,
}

impl UnsentFrames {
    fn next_number(&self) -> u32 {
        self.sent.saturating_add(u32::try_from(self.frames.len()).unwrap_or(u32::MAX))
    }

    /// Replaces a frame, even one of an earlier chunk.
    fn replace(&mut self, number: u32, frame: CallFrame) {
        let index = number.checked_sub(self.sent).and_then(|n| usize::try_from(n).ok());
        match index.and_then(|n| self.frames.get_mut(n)) {
            Some(place) => *place = frame,
            None => self.completed.push((number, frame)),
        }
    }

    fn take_chunk(&mut self, bytes: Bytes) -> TraceChunk {
        self.sent = self.next_number();
        // The next chunk will be about as large.
        let empty = Vec::with_capacity(self.frames.len());
        let frames = std::mem::replace(&mut self.frames, empty);
        TraceChunk { bytes, frames, completed: std::mem::take(&mut self.completed), summary: None }
    }
}

impl TraceParser {
    pub fn feed(&mut self, chunk: Bytes) {
        self.input.push(chunk);
    }

    /// Parses at most about `max_bytes` bytes of the input, or returns `None` if more input is needed.
    pub fn next_chunk(&mut self, max_bytes: usize) -> Option<TraceChunk> {
        let mut bytes = Bytes::new();
        while bytes.is_empty() {
            if !self.input.is_ready() {
                return None;
            }
            let mut scan = Scanner::new(self.input.window(), self.input.offset, false);
            let is_incomplete = self.core.run(&mut scan, max_bytes, MAX_CHUNK_CALLS);
            let parsed_len = scan.position;
            bytes = self.input.advance(parsed_len, is_incomplete);
            if bytes.is_empty() && !is_incomplete {
                return None;
            }
        }
        if let ParserState::Nested(nested) = &self.core.state {
            nested.emit_unfinished(self.input.offset, &mut self.core.unsent);
        }
        Some(self.core.unsent.take_chunk(bytes))
    }

    /// Parses the rest of the body and returns the last chunk. `error` is the reason if the body broke
    /// off.
    pub fn finish(mut self, error: Option<SafeText>) -> TraceChunk {
        self.input.join();
        let mut scan = Scanner::new(self.input.window(), self.input.offset, error.is_none());
        self.core.run(&mut scan, usize::MAX, usize::MAX);
        let bytes = self.input.advance(usize::MAX, false);
        self.core.finish(bytes, self.input.offset, error)
    }

    pub fn format(&self) -> TraceFormat {
        self.core.format.clone()
    }
}

impl ParserCore {
    /// Parses about `max_bytes` bytes or `max_calls` calls of a window. Returns `true` if an incomplete
    /// part is left.
    fn run(&mut self, scan: &mut Scanner<'_>, max_bytes: usize, max_calls: usize) -> bool {
        while scan.position < max_bytes && self.unsent.frames.len() < max_calls && !scan.is_at_end()
        {
            let before = scan.position;
            match self.step(scan) {
                Ok(()) => {}
                Err(ScanError::Incomplete) => {
                    scan.rewind(before);
                    return true;
                }
                Err(ScanError::Invalid(error)) => self.fail(error, scan.offset()),
            }
        }
        false
    }

    fn step(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        // Out-of-order calls take twice the memory.
        let calls = self.entries_read() + self.flat.out_of_order.len() as u64;
        let short_calls = calls.saturating_sub(scan.offset() / MIN_CALL_BYTES);
        if short_calls > MAX_SHORT_CALLS && !matches!(self.state, ParserState::Ignored) {
            return Err(ScanError::Invalid("too many calls of a few bytes each"));
        }
        match &mut self.state {
            ParserState::Start => self.parse_start(scan),
            ParserState::Array { first } => {
                let first = *first;
                self.parse_element(first, scan)
            }
            ParserState::Entries { first } => {
                // An incomplete entry is parsed again, so it stays the first until it is complete.
                let mut is_first = *first;
                if scan.next_element(&mut is_first)? {
                    self.flat.parse_entry(scan, &mut self.unsent)?;
                    *first = false;
                } else {
                    self.state = ParserState::End;
                }
                Ok(())
            }
            ParserState::Nested(nested) => {
                if !nested.step(scan, &mut self.unsent)? {
                    self.state = ParserState::End;
                }
                Ok(())
            }
            ParserState::End => scan.expect_end(),
            ParserState::Ignored => {
                scan.skip_remaining();
                Ok(())
            }
        }
    }

    /// Detects the format of any value but an array.
    fn parse_start(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        scan.skip_byte_order_mark()?;
        match scan.peek()? {
            b'[' => {
                scan.advance();
                self.state = ParserState::Array { first: true };
            }
            b'{' => {
                let from = scan.position;
                self.format = detect::detect_object(scan)?;
                self.state = match self.format {
                    TraceFormat::CallTracer => {
                        scan.rewind(from);
                        ParserState::Nested(NestedCalls::single_root())
                    }
                    TraceFormat::StructLogs => ParserState::Ignored,
                    _ => ParserState::End,
                };
            }
            _ => {
                self.format = detect::detect_scalar(scan)?;
                self.state = ParserState::End;
            }
        }
        Ok(())
    }

    /// Detects the format of an array from its next element.
    fn parse_element(&mut self, mut first: bool, scan: &mut Scanner<'_>) -> ScanResult<()> {
        let before = scan.position;
        let was_first = first;
        if !scan.next_element(&mut first)? {
            let empty = TraceFormat::Other(SafeText::new("an array without calls"));
            self.format = if first { TraceFormat::Empty } else { empty };
            self.state = ParserState::End;
        } else if scan.peek()? == b'{' {
            self.format = detect::detect_entry(scan)?;
            scan.rewind(before);
            self.state = match self.format {
                TraceFormat::CallTracer => ParserState::Nested(NestedCalls::in_array(was_first)),
                TraceFormat::Parity | TraceFormat::Flat => {
                    ParserState::Entries { first: was_first }
                }
                _ => ParserState::Ignored,
            };
        } else {
            scan.skip()?;
            self.unsent.unreadable = self.unsent.unreadable.saturating_add(1);
            self.state = ParserState::Array { first };
        }
        Ok(())
    }

    /// Ignores the rest of the body, which is malformed. Frames parsed so far stay.
    fn fail(&mut self, error: &str, offset: u64) {
        if self.format == TraceFormat::Unknown {
            self.format = TraceFormat::Other(SafeText::new("not JSON"));
        }
        let entries = self.describe_entries();
        self.error = Some(SafeText::new(&format!("{error} at byte {offset}{entries}")));
        self.close_calls(offset);
        self.state = ParserState::Ignored;
    }

    fn entries_read(&self) -> u64 {
        let read = u64::from(self.unsent.next_number()) + u64::from(self.unsent.unreadable);
        read + self.flat.out_of_order.len() as u64
    }

    fn describe_entries(&self) -> String {
        match self.entries_read() {
            0 => String::new(),
            1 => ", after 1 entry".to_owned(),
            n => format!(", after {n} entries"),
        }
    }

    fn close_calls(&mut self, end: u64) {
        if let ParserState::Nested(nested) = &mut self.state {
            nested.finish(end, &mut self.unsent);
        }
    }

    fn finish(mut self, bytes: Bytes, end: u64, error: Option<SafeText>) -> TraceChunk {
        if self.error.is_none() {
            self.error = error.or_else(|| match self.state {
                ParserState::End | ParserState::Ignored => None,
                ParserState::Start if self.is_blank(&bytes) => {
                    Some(SafeText::new("the response is empty"))
                }
                _ => {
                    let entries = self.describe_entries();
                    Some(SafeText::new(&format!("the response ends at byte {end}{entries}")))
                }
            });
        }
        if self.error.is_none() && self.flat.has_too_deep {
            self.error = Some(trace_format::TOO_DEEP.into());
        }
        self.close_calls(end);
        let chunk = self.unsent.take_chunk(bytes);
        let summary = TraceSummary {
            format: self.format,
            out_of_order: self.flat.finish(),
            unreadable: self.unsent.unreadable,
            child_count_mismatches: 0,
            error: self.error,
        };
        TraceChunk { summary: Some(summary), ..chunk }
    }

    fn is_blank(&self, bytes: &[u8]) -> bool {
        self.unsent.sent == 0 && bytes.iter().all(u8::is_ascii_whitespace)
    }
}

pub fn parse_trace(body: Bytes) -> CallTree {
    let mut parser = TraceParser::default();
    let mut tree = CallTree::default();
    parser.feed(body);
    while let Some(chunk) = parser.next_chunk(4 << 20) {
        tree.apply_chunk(chunk);
    }
    tree.apply_chunk(parser.finish(None));
    tree
}
