//! From bytes to frames, as they arrive: every dialect, no recursion, no copy of what is in the body.

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
use crate::sanitize::SafeText;

/// Reads a trace from pieces of its body.
#[derive(Debug, Default)]
pub struct TraceParser {
    input: InputBuffer,
    core: ParserCore,
}

/// Everything but the bytes.
#[derive(Debug, Default)]
struct ParserCore {
    state: ParserState,
    format: TraceFormat,
    flat: FlatTraces,
    unsent: UnsentFrames,
    error: Option<SafeText>,
}

/// What comes next.
#[derive(Debug, Default)]
enum ParserState {
    /// The value itself.
    #[default]
    Start,
    /// An element of an array in which no object was seen.
    Array { first: bool },
    /// An entry of an array.
    Entries { first: bool },
    /// Something of calls in calls.
    Nested(NestedCalls),
    /// White space.
    End,
    /// What is not read.
    Ignored,
}

/// What has been read and not been sent.
#[derive(Debug, Default)]
struct UnsentFrames {
    frames: Vec<CallFrame>,
    filled: Vec<(u32, CallFrame)>,
    /// How many frames were sent before these.
    sent: u32,
    unreadable: u32,
}

impl UnsentFrames {
    /// The number of the next frame.
    fn next_number(&self) -> u32 {
        self.sent.saturating_add(u32::try_from(self.frames.len()).unwrap_or(u32::MAX))
    }

    /// Writes a frame down again: in its place, or to be sent after it.
    fn replace(&mut self, number: u32, frame: CallFrame) {
        let here = number.checked_sub(self.sent).and_then(|n| usize::try_from(n).ok());
        match here.and_then(|n| self.frames.get_mut(n)) {
            Some(place) => *place = frame,
            None => self.filled.push((number, frame)),
        }
    }

    /// Everything that is to be sent, with the bytes that it was read from.
    fn take_chunk(&mut self, bytes: Bytes) -> TraceChunk {
        self.sent = self.next_number();
        // The next part will be about as large.
        let room = Vec::with_capacity(self.frames.len());
        let frames = std::mem::replace(&mut self.frames, room);
        TraceChunk { bytes, frames, completed: std::mem::take(&mut self.filled), summary: None }
    }
}

impl TraceParser {
    /// Takes the next bytes of the body.
    pub fn feed(&mut self, chunk: Bytes) {
        self.input.push(chunk);
    }

    /// What is new since the last part, from at most about `most` bytes; none when more bytes are
    /// needed first.
    pub fn next_chunk(&mut self, most: usize) -> Option<TraceChunk> {
        if !self.input.is_ready() {
            return None;
        }
        let mut scan = Scanner::new(self.input.window(), self.input.offset(), false);
        let short = self.core.run(&mut scan, most);
        let read = scan.position();
        let bytes = self.input.advance(read, short);
        if bytes.is_empty() {
            return None;
        }
        if let ParserState::Nested(nested) = &self.core.state {
            nested.emit_unfinished(self.input.offset(), &mut self.core.unsent);
        }
        Some(self.core.unsent.take_chunk(bytes))
    }

    /// The last part: the body is complete, or broke off for a reason.
    pub fn finish(mut self, broken: Option<SafeText>) -> TraceChunk {
        let mut scan = Scanner::new(self.input.window(), self.input.offset(), broken.is_none());
        self.core.run(&mut scan, usize::MAX);
        let bytes = self.input.advance(usize::MAX, false);
        self.core.finish(bytes, self.input.offset(), broken)
    }

    /// What the body is, as far as it is known.
    pub fn format(&self) -> TraceFormat {
        self.core.format.clone()
    }
}

impl ParserCore {
    /// Reads from a window until it is used up, or `most` bytes of it are; whether it ends in the
    /// middle of something.
    fn run(&mut self, scan: &mut Scanner<'_>, most: usize) -> bool {
        while scan.position() < most && !scan.is_at_end() {
            let before = scan.position();
            match self.step(scan) {
                Ok(()) => {}
                Err(ScanError::Incomplete) => {
                    scan.rewind(before);
                    return true;
                }
                Err(ScanError::Invalid(words)) => self.fail(words, scan.offset()),
            }
        }
        false
    }

    fn step(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        match &mut self.state {
            ParserState::Start => self.parse_start(scan),
            ParserState::Array { first } => {
                let first = *first;
                self.parse_element(first, scan)
            }
            ParserState::Entries { first } => {
                // Known only when the entry is read: until then it is still the first.
                let mut is_first = *first;
                if scan.element(&mut is_first)? {
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

    /// Reads what kind of value the body is.
    fn parse_start(&mut self, scan: &mut Scanner<'_>) -> ScanResult<()> {
        scan.skip_byte_order_mark()?;
        match scan.peek()? {
            b'[' => {
                scan.advance();
                self.state = ParserState::Array { first: true };
            }
            b'{' => {
                let from = scan.position();
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

    /// Reads an element of an array whose dialect is not known.
    fn parse_element(&mut self, mut first: bool, scan: &mut Scanner<'_>) -> ScanResult<()> {
        let (before, was_first) = (scan.position(), first);
        if !scan.element(&mut first)? {
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

    /// Reads nothing more, because the body is not JSON from here on. What was read stays.
    fn fail(&mut self, words: &str, at: u64) {
        if self.format == TraceFormat::Unknown {
            self.format = TraceFormat::Other(SafeText::new("not JSON"));
        }
        self.error = Some(SafeText::new(&format!("{words} at byte {at}{}", self.entries_read())));
        self.close_calls(at);
        self.state = ParserState::Ignored;
    }

    fn entries_read(&self) -> String {
        let read = u64::from(self.unsent.next_number()) + u64::from(self.unsent.unreadable);
        match read + self.flat.out_of_order_count() {
            0 => String::new(),
            1 => ", after 1 entry".to_owned(),
            n => format!(", after {n} entries"),
        }
    }

    /// Ends the calls that are open.
    fn close_calls(&mut self, at: u64) {
        if let ParserState::Nested(nested) = &mut self.state {
            nested.finish(at, &mut self.unsent);
        }
    }

    fn finish(mut self, bytes: Bytes, end: u64, broken: Option<SafeText>) -> TraceChunk {
        if self.error.is_none() {
            self.error = broken.or_else(|| match self.state {
                ParserState::End | ParserState::Ignored => None,
                ParserState::Start if self.is_blank(&bytes) => {
                    Some(SafeText::new("the body is empty"))
                }
                _ => {
                    let entries = self.entries_read();
                    Some(SafeText::new(&format!("the body breaks off at byte {end}{entries}")))
                }
            });
        }
        self.close_calls(end);
        let part = self.unsent.take_chunk(bytes);
        let ending = TraceSummary {
            format: self.format,
            out_of_order: self.flat.finish(),
            unreadable: self.unsent.unreadable,
            child_count_mismatches: 0,
            error: self.error,
        };
        TraceChunk { summary: Some(ending), ..part }
    }

    fn is_blank(&self, bytes: &[u8]) -> bool {
        self.unsent.sent == 0 && bytes.iter().all(u8::is_ascii_whitespace)
    }
}

/// The tree of a whole body.
pub fn parse_trace(body: Bytes) -> CallTree {
    let mut reader = TraceParser::default();
    let mut tree = CallTree::default();
    reader.feed(body);
    while let Some(part) = reader.next_chunk(4 << 20) {
        tree.apply_chunk(part);
    }
    tree.apply_chunk(reader.finish(None));
    tree
}
