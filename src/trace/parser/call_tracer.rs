//! Nested calls: the object of Geth's callTracer, whose keys come in any order.

use super::fields::{EntryFields, EntrySection};
use super::scan::{ScanError, ScanResult, Scanner};
use super::{MAX_CALL_DEPTH, UnsentFrames};
use crate::messages::trace_format;
use crate::trace::{BodySpan, CallFrame, frame};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NestedPosition {
    /// In a call, before a member or the end.
    Call { first: bool },
    /// In an array of calls, before a call or the end.
    Calls { first: bool },
}

#[derive(Debug)]
struct OpenCall {
    fields: EntryFields,
    start: u64,
    number: u32,
    child_index: u32,
    child_count: u32,
}

#[derive(Debug)]
pub(super) struct NestedCalls {
    /// Open calls, outermost first. An explicit stack, because a body may nest deeper than the thread's
    /// stack allows.
    open_calls: Vec<OpenCall>,
    position: NestedPosition,
    in_array: bool,
    root_count: u32,
}

impl NestedCalls {
    pub(super) fn single_root() -> Self {
        Self::new(false, true)
    }

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

    /// Parses the next member, start or end of a call. Returns `true` if there may be more.
    pub(super) fn step(
        &mut self,
        scan: &mut Scanner<'_>,
        unsent: &mut UnsentFrames,
    ) -> ScanResult<bool> {
        match self.position {
            NestedPosition::Call { first } => self.parse_member(first, scan, unsent),
            NestedPosition::Calls { .. } if self.open_calls.is_empty() && !self.in_array => {
                scan.peek()?;
                self.open_call(scan, unsent).map(|()| true)
            }
            NestedPosition::Calls { first } => self.parse_element(first, scan, unsent),
        }
    }

    fn parse_member(
        &mut self,
        mut first: bool,
        scan: &mut Scanner<'_>,
        unsent: &mut UnsentFrames,
    ) -> ScanResult<bool> {
        let Some(key) = scan.next_key(&mut first)? else {
            return Ok(self.close_call(scan.offset(), unsent));
        };
        if key == b"calls" && scan.peek()? == b'[' {
            scan.advance();
            self.position = NestedPosition::Calls { first: true };
            return Ok(true);
        }
        if let Some(call) = self.open_calls.last_mut() {
            call.fields.read_field(key, EntrySection::Action, scan)?;
        }
        self.position = NestedPosition::Call { first: false };
        Ok(true)
    }

    fn parse_element(
        &mut self,
        mut first: bool,
        scan: &mut Scanner<'_>,
        unsent: &mut UnsentFrames,
    ) -> ScanResult<bool> {
        if !scan.next_element(&mut first)? {
            self.position = NestedPosition::Call { first: false };
            return Ok(!self.open_calls.is_empty());
        }
        if scan.peek()? == b'{' {
            return self.open_call(scan, unsent).map(|()| true);
        }
        scan.skip()?;
        unsent.unreadable = unsent.unreadable.saturating_add(1);
        self.position = NestedPosition::Calls { first: false };
        Ok(true)
    }

    /// Opens a call. Its frame is sent before its end is parsed.
    fn open_call(&mut self, scan: &mut Scanner<'_>, unsent: &mut UnsentFrames) -> ScanResult<()> {
        let depth = self.open_calls.len();
        if depth > MAX_CALL_DEPTH {
            return Err(ScanError::Invalid(trace_format::TOO_DEEP));
        }
        let start = scan.offset();
        scan.advance();
        let child_index = match self.open_calls.last_mut() {
            Some(parent) => post_increment(&mut parent.child_count),
            None => post_increment(&mut self.root_count),
        };
        let call = OpenCall {
            fields: EntryFields::default(),
            start,
            number: unsent.next_number(),
            child_index,
            child_count: 0,
        };
        unsent.frames.push(call.frame(BodySpan::new(start, 1), depth));
        self.open_calls.push(call);
        self.position = NestedPosition::Call { first: true };
        Ok(())
    }

    /// Closes the innermost call. Returns `true` if there may be more.
    fn close_call(&mut self, end: u64, unsent: &mut UnsentFrames) -> bool {
        let Some(call) = self.open_calls.pop() else { return false };
        let entry = BodySpan::new(call.start, end - call.start);
        unsent.replace(call.number, call.frame(entry, self.open_calls.len()));
        self.position = NestedPosition::Calls { first: false };
        self.in_array || !self.open_calls.is_empty()
    }

    /// Updates the unsent frames of open calls with the members parsed so far.
    pub(super) fn emit_unfinished(&self, end: u64, unsent: &mut UnsentFrames) {
        for (depth, call) in self.open_calls.iter().enumerate().rev() {
            if call.number < unsent.sent {
                return;
            }
            let mut frame = call.frame(BodySpan::new(call.start, end - call.start), depth);
            frame.set_flag(frame::UNFINISHED, true);
            unsent.replace(call.number, frame);
        }
    }

    pub(super) fn finish(&mut self, end: u64, unsent: &mut UnsentFrames) {
        while !self.open_calls.is_empty() {
            self.close_call(end, unsent);
        }
    }
}

impl OpenCall {
    fn frame(&self, entry: BodySpan, depth: usize) -> CallFrame {
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        self.fields.frame(entry, depth, self.child_index)
    }
}

fn post_increment(counter: &mut u32) -> u32 {
    let nth = *counter;
    *counter = counter.saturating_add(1);
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
    fn calls_may_precede_other_keys() {
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

    /// zkSync's callTracer has `error` for failures of the VM only.
    #[test]
    fn revert_reason_alone_means_failure() {
        for (reason, text) in
            [(r#""too low""#, Some("too low")), ("null", None), (r#""""#, None), (r#""0x""#, None)]
        {
            let tree = tree(&format!(
                r#"{{"type":"Call","calls":[{{"type":"Call","value":"0x1","output":"0x",
                     "error":null,"revertReason":{reason}}}]}}"#
            ));
            let call = tree.get(1).unwrap();
            assert_eq!((call.failed(), call.error.is_some()), (text.is_some(), false), "{reason}");
            assert_eq!(tree.reason_text(1).as_deref(), text);
            assert_eq!(tree.subtree_totals(1).failed, usize::from(text.is_some()));
        }
    }

    #[test]
    fn unfinished_calls_are_sent() {
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
        assert_eq!(tree.body.full_len(root.entry), tree.body.len);
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |deep: usize| {
            let body =
                format!("{}{}", r#"{"type":"CALL","calls":["#.repeat(deep), "]}".repeat(deep));
            parse_trace(Bytes::from(body))
        };
        let deep = nest(1_026);
        assert_eq!((deep.len(), &deep.summary().unwrap().error), (1_026, &None));
        assert_eq!(deep.path(1_025).len(), 1_025);
        let deeper = nest(1_027);
        assert_eq!(deeper.len(), 1_026);
        let broken = deeper.summary().unwrap().error.clone().unwrap();
        let reason = "calls nest deeper than the EVM's 1,024 levels at byte ";
        assert!(broken.starts_with(reason), "{broken}");
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
