//! Calls inside of calls: the object of Geth's callTracer, whose keys come in any order.

use super::UnsentFrames;
use super::fields::{EntryFields, EntrySection};
use super::flat_traces::MAX_CALL_DEPTH;
use super::scan::{ScanError, ScanResult, Scanner};
use crate::trace::{BodySpan, CallFrame};

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NestedPosition {
    /// In a call, before a member or its end.
    Call { first: bool },
    /// In an array of calls, before a call or its end.
    Calls { first: bool },
}

/// A call whose end has not been read.
#[derive(Debug)]
struct OpenCall {
    fields: EntryFields,
    start: u64,
    /// The number of its frame.
    number: u32,
    nth: u32,
    /// How many calls were read in it.
    child_count: u32,
}

/// The calls of an object, or of an array of such objects.
#[derive(Debug)]
pub(super) struct NestedCalls {
    /// The calls that are open, the outermost first. A stack of ours, because no other is as deep
    /// as a body may ask.
    open_calls: Vec<OpenCall>,
    position: NestedPosition,
    /// Whether the objects are in an array.
    in_array: bool,
    root_count: u32,
}

impl NestedCalls {
    /// Before an object.
    pub(super) fn single_root() -> Self {
        Self::new(false, true)
    }

    /// Before an element of an array.
    pub(super) fn in_array(first: bool) -> Self {
        Self::new(true, first)
    }

    fn new(in_array: bool, first: bool) -> Self {
        Self {
            open_calls: Vec::new(),
            position: NestedPosition::Calls { first },
            in_array,
            root_count: 0,
        }
    }

    /// Reads the next member, or the next beginning or end of a call; whether there may be more.
    pub(super) fn step(
        &mut self,
        scan: &mut Scanner<'_>,
        found: &mut UnsentFrames,
    ) -> ScanResult<bool> {
        match self.position {
            NestedPosition::Call { first } => self.parse_member(first, scan, found),
            NestedPosition::Calls { .. } if self.open_calls.is_empty() && !self.in_array => {
                scan.peek()?;
                self.open_call(scan, found).map(|()| true)
            }
            NestedPosition::Calls { first } => self.parse_element(first, scan, found),
        }
    }

    fn parse_member(
        &mut self,
        mut first: bool,
        scan: &mut Scanner<'_>,
        found: &mut UnsentFrames,
    ) -> ScanResult<bool> {
        let Some(key) = scan.next_key(&mut first)? else {
            return Ok(self.close_call(scan.offset(), found));
        };
        if key == b"calls" && scan.peek()? == b'[' {
            scan.advance();
            self.position = NestedPosition::Calls { first: true };
            return Ok(true);
        }
        if let Some(level) = self.open_calls.last_mut() {
            level.fields.read_field(key, EntrySection::Action, scan)?;
        }
        self.position = NestedPosition::Call { first: false };
        Ok(true)
    }

    fn parse_element(
        &mut self,
        mut first: bool,
        scan: &mut Scanner<'_>,
        found: &mut UnsentFrames,
    ) -> ScanResult<bool> {
        if !scan.element(&mut first)? {
            self.position = NestedPosition::Call { first: false };
            return Ok(!self.open_calls.is_empty());
        }
        if scan.peek()? == b'{' {
            return self.open_call(scan, found).map(|()| true);
        }
        scan.skip()?;
        found.unreadable = found.unreadable.saturating_add(1);
        self.position = NestedPosition::Calls { first: false };
        Ok(true)
    }

    /// Begins a call: its frame is sent before its end is read.
    fn open_call(&mut self, scan: &mut Scanner<'_>, found: &mut UnsentFrames) -> ScanResult<()> {
        let depth = self.open_calls.len();
        if depth > MAX_CALL_DEPTH {
            return Err(ScanError::Invalid("calls are deeper than 60,000"));
        }
        let from = scan.offset();
        scan.advance();
        let nth = match self.open_calls.last_mut() {
            Some(above) => post_increment(&mut above.child_count),
            None => post_increment(&mut self.root_count),
        };
        let level = OpenCall {
            fields: EntryFields::default(),
            start: from,
            number: found.next_number(),
            nth,
            child_count: 0,
        };
        found.frames.push(level.frame(BodySpan::new(from, 1), depth));
        self.open_calls.push(level);
        self.position = NestedPosition::Call { first: true };
        Ok(())
    }

    /// Ends the innermost call; whether there may be more.
    fn close_call(&mut self, to: u64, found: &mut UnsentFrames) -> bool {
        let Some(level) = self.open_calls.pop() else { return false };
        let entry = BodySpan::new(level.start, to - level.start);
        found.replace(level.number, level.frame(entry, self.open_calls.len()));
        self.position = NestedPosition::Calls { first: false };
        self.in_array || !self.open_calls.is_empty()
    }

    /// Writes down what is known so far of the calls that are open and about to be sent.
    pub(super) fn emit_unfinished(&self, to: u64, found: &mut UnsentFrames) {
        for (depth, level) in self.open_calls.iter().enumerate().rev() {
            if level.number < found.sent {
                return;
            }
            let mut frame = level.frame(BodySpan::new(level.start, to - level.start), depth);
            frame.set_unfinished(true);
            found.replace(level.number, frame);
        }
    }

    /// Ends all calls where the body ends.
    pub(super) fn finish(&mut self, to: u64, found: &mut UnsentFrames) {
        while !self.open_calls.is_empty() {
            self.close_call(to, found);
        }
    }
}

impl OpenCall {
    fn frame(&self, entry: BodySpan, depth: usize) -> CallFrame {
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        self.fields.frame(entry, depth, self.nth)
    }
}

/// The number of what is next, counted from zero.
fn post_increment(of: &mut u32) -> u32 {
    let nth = *of;
    *of = of.saturating_add(1);
    nth
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::trace::parser::{TraceParser, parse_trace};
    use crate::trace::{CallKind, CallOutcome, CallTree, TraceFormat};

    fn tree(body: &str) -> CallTree {
        parse_trace(Bytes::copy_from_slice(body.as_bytes()))
    }

    #[test]
    fn calls_may_come_before_everything_else() {
        let tree = tree(
            r#"{"calls":[{"calls":[],"type":"STATICCALL","to":"0x3"},null,{"type":"create2","error":"x","to":"0x4"}],
                "error":"execution reverted","gasUsed":"0x5","type":"CALL","to":"0x2"}"#,
        );
        let kinds: Vec<CallKind> = tree.frames().iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [CallKind::Call, CallKind::StaticCall, CallKind::Create2]);
        let outcomes: Vec<_> = (0..3).filter_map(|n| tree.outcome(n)).collect();
        assert_eq!(outcomes, [CallOutcome::Failed, CallOutcome::RolledBack, CallOutcome::Failed]);
        assert_eq!((tree.path(2), tree.get(2).unwrap().to.is_some()), (vec![1], false));
        assert_eq!(tree.summary().unwrap().unreadable, 1);
    }

    #[test]
    fn a_call_is_known_before_its_end_as_far_as_it_was_read() {
        let mut reader = TraceParser::default();
        let mut tree = CallTree::default();
        reader.feed(Bytes::from_static(br#"{"type":"CREATE","from":"0x1","calls":[{"value":"#));
        tree.apply_chunk(reader.next_chunk(99).unwrap());
        let root = tree.get(0).unwrap();
        assert_eq!(
            (root.kind, root.is_unfinished(), root.from.is_some()),
            (CallKind::Create, true, true)
        );
        assert_eq!(tree.len(), 2);
        reader.feed(Bytes::from_static(br#""0x7"}],"error":"Out of gas","gas":"0x9"}"#));
        tree.apply_chunk(reader.finish(None));
        let root = tree.get(0).unwrap();
        assert_eq!((root.is_unfinished(), root.failed(), root.gas_used()), (false, true, Some(9)));
        assert_eq!(
            (tree.value(1).unwrap().to_string(), tree.outcome(1)),
            ("7".into(), Some(CallOutcome::RolledBack))
        );
        assert_eq!(tree.body.full_len(root.entry), tree.body.len());
    }

    #[test]
    fn a_trace_may_be_deep_and_no_deeper() {
        let nest = |deep: usize| {
            let body =
                format!("{}{}", r#"{"type":"CALL","calls":["#.repeat(deep), "]}".repeat(deep));
            parse_trace(Bytes::from(body))
        };
        let deep = nest(60_000);
        assert_eq!((deep.len(), &deep.summary().unwrap().error), (60_000, &None));
        assert_eq!(deep.path(59_999).len(), 59_999);
        let deeper = nest(70_000);
        assert_eq!(deeper.len(), 60_001);
        let broken = deeper.summary().unwrap().error.clone().unwrap();
        assert!(broken.starts_with("calls are deeper than 60,000 at byte "), "{broken}");
        assert!(deeper.frames().iter().all(|frame| !frame.is_unfinished()));
    }

    #[test]
    fn calls_in_an_array() {
        let tree = tree(r#"[ {"type":"CALL","calls":[{"type":"CALL"}]} , {"type":"CALL"}]"#);
        assert_eq!(tree.format(), &TraceFormat::CallTracer);
        assert_eq!((tree.len(), tree.roots().count()), (3, 2));
        assert!(tree.summary().unwrap().error.is_none());
    }
}
