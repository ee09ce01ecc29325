//! Calls inside of calls: the object of Geth's callTracer, whose keys come in any order.

use super::Found;
use super::fields::{Fields, Section};
use super::flat_traces::DEEPEST;
use super::scan::{Read, Scan, Stop};
use crate::trace::{Frame, Span};

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a call, before a member or its end.
    Call { first: bool },
    /// In an array of calls, before a call or its end.
    Calls { first: bool },
}

/// A call whose end has not been read.
#[derive(Debug)]
struct Level {
    fields: Fields,
    from: u64,
    /// The number of its frame.
    number: u32,
    nth: u32,
    /// How many calls were read in it.
    calls: u32,
}

/// The calls of an object, or of an array of such objects.
#[derive(Debug)]
pub(super) struct Nested {
    /// The calls that are open, the outermost first. A stack of ours, because no other is as deep
    /// as a body may ask.
    levels: Vec<Level>,
    place: Place,
    /// Whether the objects are in an array.
    in_array: bool,
    roots: u32,
}

impl Nested {
    /// Before an object.
    pub(super) fn alone() -> Self {
        Self::new(false, true)
    }

    /// Before an element of an array.
    pub(super) fn in_array(first: bool) -> Self {
        Self::new(true, first)
    }

    fn new(in_array: bool, first: bool) -> Self {
        Self { levels: Vec::new(), place: Place::Calls { first }, in_array, roots: 0 }
    }

    /// Reads the next member, or the next beginning or end of a call; whether there may be more.
    pub(super) fn step(&mut self, scan: &mut Scan<'_>, found: &mut Found) -> Read<bool> {
        match self.place {
            Place::Call { first } => self.member(first, scan, found),
            Place::Calls { .. } if self.levels.is_empty() && !self.in_array => {
                scan.peek()?;
                self.open(scan, found).map(|()| true)
            }
            Place::Calls { first } => self.call(first, scan, found),
        }
    }

    fn member(&mut self, mut first: bool, scan: &mut Scan<'_>, found: &mut Found) -> Read<bool> {
        let Some(key) = scan.key(&mut first)? else { return Ok(self.close(scan.place(), found)) };
        if key == b"calls" && scan.peek()? == b'[' {
            scan.pass();
            self.place = Place::Calls { first: true };
            return Ok(true);
        }
        if let Some(level) = self.levels.last_mut() {
            level.fields.read(key, Section::Action, scan)?;
        }
        self.place = Place::Call { first: false };
        Ok(true)
    }

    fn call(&mut self, mut first: bool, scan: &mut Scan<'_>, found: &mut Found) -> Read<bool> {
        if !scan.element(&mut first)? {
            self.place = Place::Call { first: false };
            return Ok(!self.levels.is_empty());
        }
        if scan.peek()? == b'{' {
            return self.open(scan, found).map(|()| true);
        }
        scan.skip()?;
        found.unread = found.unread.saturating_add(1);
        self.place = Place::Calls { first: false };
        Ok(true)
    }

    /// Begins a call: its frame is sent before its end is read.
    fn open(&mut self, scan: &mut Scan<'_>, found: &mut Found) -> Read<()> {
        let depth = self.levels.len();
        if depth > DEEPEST {
            return Err(Stop::Bad("calls are deeper than 60,000"));
        }
        let from = scan.place();
        scan.pass();
        let nth = match self.levels.last_mut() {
            Some(above) => count(&mut above.calls),
            None => count(&mut self.roots),
        };
        let level = Level { fields: Fields::default(), from, number: found.next(), nth, calls: 0 };
        found.frames.push(level.frame(Span::new(from, 1), depth));
        self.levels.push(level);
        self.place = Place::Call { first: true };
        Ok(())
    }

    /// Ends the innermost call; whether there may be more.
    fn close(&mut self, to: u64, found: &mut Found) -> bool {
        let Some(level) = self.levels.pop() else { return false };
        let entry = Span::new(level.from, to - level.from);
        found.fill(level.number, level.frame(entry, self.levels.len()));
        self.place = Place::Calls { first: false };
        self.in_array || !self.levels.is_empty()
    }

    /// Writes down what is known so far of the calls that are open and about to be sent.
    pub(super) fn sketch(&self, to: u64, found: &mut Found) {
        for (depth, level) in self.levels.iter().enumerate().rev() {
            if level.number < found.sent {
                return;
            }
            let mut frame = level.frame(Span::new(level.from, to - level.from), depth);
            frame.set_open(true);
            found.fill(level.number, frame);
        }
    }

    /// Ends all calls where the body ends.
    pub(super) fn finish(&mut self, to: u64, found: &mut Found) {
        while !self.levels.is_empty() {
            self.close(to, found);
        }
    }
}

impl Level {
    fn frame(&self, entry: Span, depth: usize) -> Frame {
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        self.fields.frame(entry, depth, self.nth)
    }
}

/// The number of what is next, counted from zero.
fn count(of: &mut u32) -> u32 {
    let nth = *of;
    *of = of.saturating_add(1);
    nth
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::trace::parser::{Reader, read};
    use crate::trace::{Dialect, Kind, Outcome, Tree};

    fn tree(body: &str) -> Tree {
        read(Bytes::copy_from_slice(body.as_bytes()))
    }

    #[test]
    fn calls_may_come_before_everything_else() {
        let tree = tree(
            r#"{"calls":[{"calls":[],"type":"STATICCALL","to":"0x3"},null,{"type":"create2","error":"x","to":"0x4"}],
                "error":"execution reverted","gasUsed":"0x5","type":"CALL","to":"0x2"}"#,
        );
        let kinds: Vec<Kind> = tree.frames().iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [Kind::Call, Kind::StaticCall, Kind::Create2]);
        let outcomes: Vec<_> = (0..3).filter_map(|n| tree.outcome(n)).collect();
        assert_eq!(outcomes, [Outcome::Failed, Outcome::Undone, Outcome::Failed]);
        assert_eq!((tree.path(2), tree.get(2).unwrap().to.is_some()), (vec![1], false));
        assert_eq!(tree.ending().unwrap().unread, 1);
    }

    #[test]
    fn a_call_is_known_before_its_end_as_far_as_it_was_read() {
        let mut reader = Reader::default();
        let mut tree = Tree::default();
        reader.feed(Bytes::from_static(br#"{"type":"CREATE","from":"0x1","calls":[{"value":"#));
        tree.grow(reader.part(99).unwrap());
        let root = tree.get(0).unwrap();
        assert_eq!((root.kind, root.is_open(), root.from.is_some()), (Kind::Create, true, true));
        assert_eq!(tree.len(), 2);
        reader.feed(Bytes::from_static(br#""0x7"}],"error":"Out of gas","gas":"0x9"}"#));
        tree.grow(reader.finish(None));
        let root = tree.get(0).unwrap();
        assert_eq!((root.is_open(), root.failed(), root.used()), (false, true, Some(9)));
        assert_eq!(
            (tree.value(1).unwrap().to_string(), tree.outcome(1)),
            ("7".into(), Some(Outcome::Undone))
        );
        assert_eq!(tree.body.true_len(root.entry), tree.body.len());
    }

    #[test]
    fn a_trace_may_be_deep_and_no_deeper() {
        let nest = |deep: usize| {
            let body =
                format!("{}{}", r#"{"type":"CALL","calls":["#.repeat(deep), "]}".repeat(deep));
            read(Bytes::from(body))
        };
        let deep = nest(60_000);
        assert_eq!((deep.len(), &deep.ending().unwrap().broken), (60_000, &None));
        assert_eq!(deep.path(59_999).len(), 59_999);
        let deeper = nest(70_000);
        assert_eq!(deeper.len(), 60_001);
        let broken = deeper.ending().unwrap().broken.clone().unwrap();
        assert!(broken.starts_with("calls are deeper than 60,000 at byte "), "{broken}");
        assert!(deeper.frames().iter().all(|frame| !frame.is_open()));
    }

    #[test]
    fn calls_in_an_array() {
        let tree = tree(r#"[ {"type":"CALL","calls":[{"type":"CALL"}]} , {"type":"CALL"}]"#);
        assert_eq!(tree.dialect(), &Dialect::CallTracer);
        assert_eq!((tree.len(), tree.roots().count()), (3, 2));
        assert!(tree.ending().unwrap().broken.is_none());
    }
}
