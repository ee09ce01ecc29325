//! Flat arrays, whose entries have a `traceAddress`: Parity's traces, and Blockscout's own tracer.

use super::fields::{EntryFields, EntrySection, parse_u64};
use super::scan::{ScanResult, ScannedValue, Scanner};
use super::{MAX_CALL_DEPTH, UnsentFrames};
use crate::trace::{CallFrame, CallKind, OutOfOrderFrame};

#[derive(Debug, Default)]
pub(super) struct FlatTraces {
    /// The path of the last frame in pre-order.
    path: Option<Vec<u32>>,
    next_path: Vec<u32>,
    /// `true` if the last root is a reward, which has no children.
    last_root_is_leaf: bool,
    /// `true` if calls were left out for their depth.
    pub(super) has_too_deep: bool,
    pub(super) out_of_order: Vec<OutOfOrderFrame>,
}

impl FlatTraces {
    pub(super) fn parse_entry(
        &mut self,
        scan: &mut Scanner<'_>,
        unsent: &mut UnsentFrames,
    ) -> ScanResult<()> {
        if scan.peek()? != b'{' {
            scan.skip()?;
            unsent.unreadable = unsent.unreadable.saturating_add(1);
            return Ok(());
        }
        let start = scan.offset();
        let mut fields = EntryFields::default();
        let mut is_placed = false;
        scan.advance();
        let mut first = true;
        while let Some(key) = scan.next_key(&mut first)? {
            match key {
                b"action" => fields.read_section(EntrySection::Action, scan)?,
                b"result" => fields.read_section(EntrySection::Result, scan)?,
                b"traceAddress" if !is_placed => is_placed = self.read_path(scan)?,
                _ => fields.read_field(key, EntrySection::Action, scan)?,
            }
        }
        // The first entry is the root even without a path.
        if !is_placed && self.path.is_none() && self.out_of_order.is_empty() {
            self.next_path.clear();
            is_placed = true;
        }
        let depth = self.next_path.len();
        self.has_too_deep |= is_placed && depth > MAX_CALL_DEPTH;
        match u16::try_from(depth).ok().filter(|_| is_placed && depth <= MAX_CALL_DEPTH) {
            Some(depth) => {
                let child_index = self.next_path.last().copied().unwrap_or_default();
                self.emit(fields.frame(scan.span_from(start), depth, child_index), unsent);
            }
            None => unsent.unreadable = unsent.unreadable.saturating_add(1),
        }
        Ok(())
    }

    /// Reads a path into `next_path`. Returns `true` if it is well-formed.
    #[inline]
    fn read_path(&mut self, scan: &mut Scanner<'_>) -> ScanResult<bool> {
        if scan.peek()? != b'[' {
            scan.skip()?;
            return Ok(false);
        }
        scan.advance();
        if let Some(len) = parse_plain_path(scan.remaining(), &mut self.next_path) {
            scan.advance_by(len);
            return Ok(true);
        }
        self.next_path.clear();
        let mut first = true;
        let mut is_path = true;
        while scan.next_element(&mut first)? {
            let number = match scan.value()? {
                ScannedValue::Number(token) | ScannedValue::String(token) => parse_u64(token.text),
                _ => None,
            };
            match number.and_then(|number| u32::try_from(number).ok()) {
                Some(number) => self.next_path.push(number),
                None => is_path = false,
            }
        }
        Ok(is_path)
    }

    /// Adds the parsed frame if it is next in pre-order, and keeps it for merging otherwise.
    #[inline]
    fn emit(&mut self, frame: CallFrame, unsent: &mut UnsentFrames) {
        if self.is_next_in_pre_order() {
            if self.next_path.is_empty() {
                self.last_root_is_leaf = frame.kind == CallKind::Reward;
            }
            std::mem::swap(self.path.get_or_insert_default(), &mut self.next_path);
            unsent.frames.push(frame);
        } else {
            self.out_of_order
                .push(OutOfOrderFrame { path: self.next_path.as_slice().into(), frame });
        }
    }

    /// Returns `true` if the parsed path is next in pre-order and its parent is present.
    #[inline]
    fn is_next_in_pre_order(&self) -> bool {
        let Some((index, parent)) = self.next_path.split_last() else { return true };
        let Some(path) = self.path.as_ref().filter(|_| !self.last_root_is_leaf) else {
            return false;
        };
        match path.split_at_checked(parent.len()) {
            Some((same, after)) => same == parent && after.first().is_none_or(|last| last < index),
            None => false,
        }
    }

    pub(super) fn finish(mut self) -> Vec<OutOfOrderFrame> {
        self.out_of_order.sort_by(|a, b| a.path.cmp(&b.path));
        self.out_of_order
    }
}

/// Parses a path of decimal digits and commas, as almost every node writes it, up to its closing
/// bracket. Returns its length, or `None` if it has another form or is incomplete.
fn parse_plain_path(text: &[u8], path: &mut Vec<u32>) -> Option<usize> {
    path.clear();
    let mut number = None;
    for (at, byte) in text.iter().enumerate() {
        match (byte, number) {
            (b'0'..=b'9', _) => {
                let before = number.unwrap_or(0_u32).checked_mul(10)?;
                number = Some(before.checked_add(u32::from(byte - b'0'))?);
            }
            (b',', Some(last)) => {
                path.push(last);
                number = None;
            }
            (b']', _) if number.is_some() || path.is_empty() => {
                path.extend(number);
                return Some(at + 1);
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::trace::parser::parse_trace;
    use crate::trace::{CallKind, CallOutcome, CallTree, TraceFormat};

    fn tree(body: &str) -> CallTree {
        parse_trace(Bytes::copy_from_slice(body.as_bytes()))
    }

    fn paths(tree: &CallTree) -> Vec<Vec<u32>> {
        (0..tree.len()).map(|n| tree.path(n)).collect()
    }

    /// Builds entries with a path only.
    fn path_entries(paths: &[&str]) -> String {
        let entries: Vec<String> = paths
            .iter()
            .map(|path| format!(r#"{{"action":{{}},"traceAddress":{path}}}"#))
            .collect();
        format!("[{}]", entries.join(","))
    }

    #[test]
    fn failed_creation_has_no_target() {
        let tree = tree(
            r#"[{"action":{"from":"0x11","gas":"0x9","init":"0x60","value":"0x0"},"error":"Reverted",
                 "result":{"address":"0x22","code":"0x08c379a0","gasUsed":"0x5"},"traceAddress":[],
                 "type":"create"}]"#,
        );
        let root = tree.get(0).unwrap();
        assert_eq!(
            (root.kind, root.to.is_some(), root.gas_used()),
            (CallKind::Create, false, Some(5))
        );
        assert_eq!(tree.hex(root.output, 9).unwrap(), [0x08, 0xc3, 0x79, 0xa0]);
        assert_eq!(tree.outcome(0), Some(CallOutcome::Failed));
    }

    #[test]
    fn missing_gas_is_unknown_or_inferred_from_the_limit() {
        for (rest, used, stated) in [
            (r#""result":{"gasUsed":"0x5"}"#, Some(5), Some(5)),
            (r#""result":null,"error":"Reverted""#, None, None),
            (r#""error":"Out of gas""#, Some(9), None),
            (r#""error":"Bad instruction""#, Some(9), None),
            (r#""error":"CallTooDeep""#, None, None),
            (r#""result":{"gasUsed":"0x5"},"error":"out of gas""#, Some(5), Some(5)),
            (r#""result":{"gasUsed":"a few"}"#, None, None),
        ] {
            let body =
                format!(r#"[{{"action":{{"gas":9,"callType":"call"}},{rest},"type":"call"}}]"#);
            let tree = tree(&body);
            let root = tree.get(0).unwrap();
            assert_eq!((root.gas_used(), root.stated_gas_used()), (used, stated), "{rest}");
        }
    }

    /// Besu has the revert data next to `error` only.
    #[test]
    fn revert_reason_has_the_revert_data() {
        for (result, data) in [
            ("null", "0x08c379a0"),
            (r#"{"output":"0x"}"#, "0x08c379a0"),
            (r#"{"output":"0x4e487b71"}"#, "0x4e487b71"),
        ] {
            let tree = tree(&format!(
                r#"[{{"action":{{"callType":"call"}},"result":{result},"error":"Reverted",
                     "revertReason":"0x08c379a0","traceAddress":[],"type":"call"}}]"#
            ));
            let root = tree.get(0).unwrap();
            assert_eq!(&*tree.text(root.output).unwrap(), data, "{result}");
            assert_eq!((&*tree.text(root.error).unwrap(), tree.reason_text(0)), ("Reverted", None));
        }
    }

    #[test]
    fn errors_of_any_type_are_failures() {
        for (error, failed) in [
            (r#""Reverted""#, true),
            (r#"{"code":-32015}"#, true),
            ("7", true),
            ("true", true),
            (r#""""#, false),
            ("null", false),
            ("false", false),
        ] {
            let tree = tree(&format!(r#"[{{"action":{{}},"error":{error},"type":"call"}}]"#));
            let root = tree.get(0).unwrap();
            assert_eq!((root.failed(), root.error.is_some()), (failed, failed), "{error}");
        }
    }

    #[test]
    fn zero_values_in_every_form() {
        for (value, is_some) in [
            (r#""0x0""#, false),
            (r#""0x""#, false),
            (r#""0x00""#, false),
            (r#""0""#, false),
            ("0", false),
            ("null", false),
            ("{}", false),
            (r#""0x0100""#, true),
            ("100", true),
        ] {
            let tree = tree(&format!(r#"[{{"action":{{"value":{value}}},"type":"call"}}]"#));
            assert_eq!(tree.get(0).unwrap().has_value(), is_some, "{value}");
        }
    }

    #[test]
    fn first_valid_value_of_equal_keys_counts() {
        let tree = tree(
            r#"[{"action":{"from":null,"from":7,"from":"0x1","from":"0x2","gas":"x","gas":"0x3"},
                 "type":"call","type":"create"}]"#,
        );
        let root = tree.get(0).unwrap();
        assert_eq!((&*tree.text(root.from).unwrap(), root.gas()), ("0x1", Some(3)));
        assert_eq!(root.kind, CallKind::Call);
    }

    #[test]
    fn selfdestruct_has_contract_and_beneficiary() {
        let tree = tree(
            r#"[{"action":{"address":"0x1","refundAddress":"0x2","balance":"0x3"},"result":null,
                 "subtraces":0,"traceAddress":[],"type":"suicide"}]"#,
        );
        let root = tree.get(0).unwrap();
        let text = |span| tree.text(span).unwrap().to_string();
        assert_eq!(
            (root.kind, text(root.from), text(root.to)),
            (CallKind::SelfDestruct, "0x1".into(), "0x2".into())
        );
        assert_eq!(tree.value(0).unwrap(), 3);
    }

    #[test]
    fn rewards_are_roots_without_children() {
        let reward =
            r#"{"action":{"author":"0x9","value":"0x1"},"traceAddress":[],"type":"reward"}"#;
        let call = |path| {
            format!(r#"{{"action":{{"callType":"call"}},"traceAddress":{path},"type":"call"}}"#)
        };
        let (root, child) = (call("[]"), call("[0]"));
        for body in [
            format!("[{root},{child},{reward},{reward}]"),
            format!("[{root},{reward},{child},{reward}]"),
        ] {
            let tree = tree(&body);
            let kinds: Vec<CallKind> = tree.frames().iter().map(|f| f.kind).collect();
            assert_eq!(
                kinds,
                [CallKind::Call, CallKind::Call, CallKind::Reward, CallKind::Reward],
                "{body}"
            );
            assert_eq!(
                (tree.roots().count(), tree.parent(1), tree.orphan_count()),
                (3, Some(0), 0)
            );
        }
    }

    #[test]
    fn late_entries_are_merged_and_orphans_attached_to_the_nearest() {
        let late = tree(&path_entries(&["[]", "[1]", "[1,0]", "[0,0]", "[0]", "[3,1,4]"]));
        let places: Vec<(u16, u32)> =
            late.frames().iter().map(|f| (f.depth, f.child_index)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (2, 0), (1, 1), (2, 0), (1, 4)]);
        assert_eq!((late.orphan_count(), late.get(5).unwrap().is_orphan()), (1, true));
        let twice = tree(&path_entries(&["[]", "[0]", "[0]"]));
        assert_eq!(paths(&twice), [vec![], vec![0], vec![0]]);
    }

    #[test]
    fn paths_in_other_forms_or_missing() {
        let odd = tree(&path_entries(&["[ ]", "[ \"0x0\" ]", "[0 ,\"1\"]", "[1]"]));
        assert_eq!(paths(&odd), [vec![], vec![0], vec![0, 1], vec![1]]);
        let alone = tree(r#"[{"action":{},"traceAddress":null,"type":"call"}]"#);
        assert_eq!((alone.len(), alone.summary().unwrap().unreadable), (1, 0), "it is the root");
        let bad = tree(&path_entries(&["[]", "null", "[-1]", "[4294967296]", "[[0]]", "[0]"]));
        assert_eq!((bad.len(), bad.summary().unwrap().unreadable), (2, 4));
    }

    #[test]
    fn elements_other_than_objects_are_unreadable() {
        let tree = tree(r#"[7,null,{"action":{},"traceAddress":[]},"x",[{}]]"#);
        assert_eq!(tree.format(), &TraceFormat::Parity);
        assert_eq!((tree.len(), tree.summary().unwrap().unreadable), (1, 4));
        assert!(tree.summary().unwrap().error.is_none());
    }

    #[test]
    fn child_count_mismatches_include_late_entries() {
        let entry = |subtraces: &str, path| {
            format!(r#"{{"action":{{}},"subtraces":{subtraces},"traceAddress":{path}}}"#)
        };
        let mismatches = |entries: &[String]| {
            tree(&format!("[{}]", entries.join(","))).summary().unwrap().child_count_mismatches
        };
        let (last, first) = (entry("0", "[1]"), entry("0", "[0]"));
        assert_eq!(mismatches(&[entry("2", "[]"), last.clone(), first.clone()]), 0);
        assert_eq!(mismatches(&[entry("\"0x2\"", "[]"), first.clone(), last.clone()]), 0);
        assert_eq!(mismatches(&[entry("3", "[]"), first, entry("1", "[1]")]), 2);
        assert_eq!(mismatches(&[entry("null", "[]"), last]), 0, "it does not say");
    }
}
