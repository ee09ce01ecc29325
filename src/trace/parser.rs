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

use self::call_tracer::Nested;
use self::flat_traces::Flat;
use self::input_buffer::Pending;
use self::scan::{Read, Scan, Stop};
use super::{Dialect, Ending, Frame, Part, Tree};
use crate::sanitize::Text;

/// Reads a trace from pieces of its body.
#[derive(Debug, Default)]
pub struct Reader {
    pending: Pending,
    machine: Machine,
}

/// Everything but the bytes.
#[derive(Debug, Default)]
struct Machine {
    state: State,
    dialect: Dialect,
    flat: Flat,
    found: Found,
    broken: Option<Text>,
}

/// What comes next.
#[derive(Debug, Default)]
enum State {
    /// The value itself.
    #[default]
    Start,
    /// An element of an array in which no object was seen.
    Array { first: bool },
    /// An entry of an array.
    Entries { first: bool },
    /// Something of calls in calls.
    Calls(Nested),
    /// White space.
    End,
    /// What is not read.
    Rest,
}

/// What has been read and not been sent.
#[derive(Debug, Default)]
struct Found {
    frames: Vec<Frame>,
    filled: Vec<(u32, Frame)>,
    /// How many frames were sent before these.
    sent: u32,
    unread: u32,
}

impl Found {
    /// The number of the next frame.
    fn next(&self) -> u32 {
        self.sent.saturating_add(u32::try_from(self.frames.len()).unwrap_or(u32::MAX))
    }

    /// Writes a frame down again: in its place, or to be sent after it.
    fn fill(&mut self, number: u32, frame: Frame) {
        let here = number.checked_sub(self.sent).and_then(|n| usize::try_from(n).ok());
        match here.and_then(|n| self.frames.get_mut(n)) {
            Some(place) => *place = frame,
            None => self.filled.push((number, frame)),
        }
    }

    /// Everything that is to be sent, with the bytes that it was read from.
    fn send(&mut self, bytes: Bytes) -> Part {
        self.sent = self.next();
        // The next part will be about as large.
        let room = Vec::with_capacity(self.frames.len());
        let frames = std::mem::replace(&mut self.frames, room);
        Part { bytes, frames, filled: std::mem::take(&mut self.filled), ending: None }
    }
}

impl Reader {
    /// Takes the next bytes of the body.
    pub fn feed(&mut self, chunk: Bytes) {
        self.pending.push(chunk);
    }

    /// What is new since the last part, from at most about `most` bytes; none when more bytes are
    /// needed first.
    pub fn part(&mut self, most: usize) -> Option<Part> {
        if !self.pending.is_enough() {
            return None;
        }
        let mut scan = Scan::new(self.pending.window(), self.pending.place(), false);
        let short = self.machine.run(&mut scan, most);
        let read = scan.at();
        let bytes = self.pending.pass(read, short);
        if bytes.is_empty() {
            return None;
        }
        if let State::Calls(nested) = &self.machine.state {
            nested.sketch(self.pending.place(), &mut self.machine.found);
        }
        Some(self.machine.found.send(bytes))
    }

    /// The last part: the body is complete, or broke off for a reason.
    pub fn finish(mut self, broken: Option<Text>) -> Part {
        let mut scan = Scan::new(self.pending.window(), self.pending.place(), broken.is_none());
        self.machine.run(&mut scan, usize::MAX);
        let bytes = self.pending.pass(usize::MAX, false);
        self.machine.finish(bytes, self.pending.place(), broken)
    }

    /// What the body is, as far as it is known.
    pub fn dialect(&self) -> Dialect {
        self.machine.dialect.clone()
    }
}

impl Machine {
    /// Reads from a window until it is used up, or `most` bytes of it are; whether it ends in the
    /// middle of something.
    fn run(&mut self, scan: &mut Scan<'_>, most: usize) -> bool {
        while scan.at() < most && !scan.is_at_end() {
            let before = scan.at();
            match self.step(scan) {
                Ok(()) => {}
                Err(Stop::More) => {
                    scan.back_to(before);
                    return true;
                }
                Err(Stop::Bad(words)) => self.give_up(words, scan.place()),
            }
        }
        false
    }

    fn step(&mut self, scan: &mut Scan<'_>) -> Read<()> {
        match &mut self.state {
            State::Start => self.start(scan),
            State::Array { first } => {
                let first = *first;
                self.element(first, scan)
            }
            State::Entries { first } => {
                // Known only when the entry is read: until then it is still the first.
                let mut is_first = *first;
                if scan.element(&mut is_first)? {
                    self.flat.entry(scan, &mut self.found)?;
                    *first = false;
                } else {
                    self.state = State::End;
                }
                Ok(())
            }
            State::Calls(nested) => {
                if !nested.step(scan, &mut self.found)? {
                    self.state = State::End;
                }
                Ok(())
            }
            State::End => scan.end(),
            State::Rest => {
                scan.pass_all();
                Ok(())
            }
        }
    }

    /// Reads what kind of value the body is.
    fn start(&mut self, scan: &mut Scan<'_>) -> Read<()> {
        scan.pass_mark()?;
        match scan.peek()? {
            b'[' => {
                scan.pass();
                self.state = State::Array { first: true };
            }
            b'{' => {
                let from = scan.at();
                self.dialect = detect::object(scan)?;
                self.state = match self.dialect {
                    Dialect::CallTracer => {
                        scan.back_to(from);
                        State::Calls(Nested::alone())
                    }
                    Dialect::StructLogs => State::Rest,
                    _ => State::End,
                };
            }
            _ => {
                self.dialect = detect::scalar(scan)?;
                self.state = State::End;
            }
        }
        Ok(())
    }

    /// Reads an element of an array whose dialect is not known.
    fn element(&mut self, mut first: bool, scan: &mut Scan<'_>) -> Read<()> {
        let (before, was_first) = (scan.at(), first);
        if !scan.element(&mut first)? {
            let empty = Dialect::Other(Text::new("an array without calls"));
            self.dialect = if first { Dialect::Empty } else { empty };
            self.state = State::End;
        } else if scan.peek()? == b'{' {
            self.dialect = detect::entry(scan)?;
            scan.back_to(before);
            self.state = match self.dialect {
                Dialect::CallTracer => State::Calls(Nested::in_array(was_first)),
                Dialect::Parity | Dialect::Flat => State::Entries { first: was_first },
                _ => State::Rest,
            };
        } else {
            scan.skip()?;
            self.found.unread = self.found.unread.saturating_add(1);
            self.state = State::Array { first };
        }
        Ok(())
    }

    /// Reads nothing more, because the body is not JSON from here on. What was read stays.
    fn give_up(&mut self, words: &str, at: u64) {
        if self.dialect == Dialect::Unknown {
            self.dialect = Dialect::Other(Text::new("not JSON"));
        }
        self.broken = Some(Text::new(&format!("{words} at byte {at}{}", self.after_entries())));
        self.close(at);
        self.state = State::Rest;
    }

    fn after_entries(&self) -> String {
        let read = u64::from(self.found.next()) + u64::from(self.found.unread);
        match read + self.flat.waiting() {
            0 => String::new(),
            1 => ", after 1 entry".to_owned(),
            n => format!(", after {n} entries"),
        }
    }

    /// Ends the calls that are open.
    fn close(&mut self, at: u64) {
        if let State::Calls(nested) = &mut self.state {
            nested.finish(at, &mut self.found);
        }
    }

    fn finish(mut self, bytes: Bytes, end: u64, broken: Option<Text>) -> Part {
        if self.broken.is_none() {
            self.broken = broken.or_else(|| match self.state {
                State::End | State::Rest => None,
                State::Start if self.is_blank(&bytes) => Some(Text::new("the body is empty")),
                _ => {
                    let entries = self.after_entries();
                    Some(Text::new(&format!("the body breaks off at byte {end}{entries}")))
                }
            });
        }
        self.close(end);
        let part = self.found.send(bytes);
        let ending = Ending {
            dialect: self.dialect,
            aside: self.flat.finish(),
            unread: self.found.unread,
            mismatches: 0,
            broken: self.broken,
        };
        Part { ending: Some(ending), ..part }
    }

    fn is_blank(&self, bytes: &[u8]) -> bool {
        self.found.sent == 0 && bytes.iter().all(u8::is_ascii_whitespace)
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
