//! The tree format: one call per line, indented with branches.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::{CallNames, TraceExport};
use crate::chain::amount::Grouped;
use crate::sanitize::sanitize;
use crate::trace::{CallOutcome, CallTree};

impl TraceExport<'_> {
    pub(super) fn write_tree(&self, out: &mut dyn Write) -> io::Result<()> {
        self.scope.calls(self.tree).try_for_each(|(call, _)| {
            let line = call_line(self.tree, self.names, call, self.scope.root_depth);
            let line = sanitize(&line);
            let outcome = self.tree.outcome(call).unwrap_or(CallOutcome::Succeeded);
            let styled = self.line_style.map(|style| Cow::Owned(style(outcome, &line)));
            writeln!(out, "{}", styled.unwrap_or(line))
        })
    }
}

/// Formats a subtree in at most `max_lines` lines, and returns `true` if they are complete.
pub fn subtree_lines(
    tree: &CallTree,
    names: &dyn CallNames,
    root: u32,
    max_lines: usize,
) -> (Vec<String>, bool) {
    let root_depth = tree.get(root).map_or(0, |frame| frame.depth);
    let range = tree.subtree(root);
    let is_all = usize::try_from(range.end - range.start).is_ok_and(|calls| calls <= max_lines);
    (range.take(max_lines).map(|call| call_line(tree, names, call, root_depth)).collect(), is_all)
}

/// Formats a call in the style of `cast run`, with its outcome and gas.
fn call_line(tree: &CallTree, names: &dyn CallNames, call: u32, root_depth: u16) -> String {
    let Some(frame) = tree.get(call) else { return String::new() };
    let symbol = tree.outcome(call).map_or("", CallOutcome::symbol);
    let gas = frame.format_gas_used(|gas| Grouped(gas).to_string());
    let mut line = branches(tree, call, usize::from(frame.depth.saturating_sub(root_depth)));
    let kind = frame.kind.abbreviation();
    let text = full_call_text(names, call);
    let _ = write!(line, "{symbol} {kind} [{gas}] {text}"); // writing to a String cannot fail
    line
}

pub fn full_call_text(names: &dyn CallNames, call: u32) -> String {
    let mut text = names.call_text(call);
    if let Some(value) = names.sent_value(call) {
        let _ = write!(text, " {{{value}}}");
    }
    let result = names.result_text(call);
    if !result.is_empty() {
        let _ = write!(text, " {result}");
    }
    text
}

/// Draws the branches that lead to a call through the given number of levels.
fn branches(tree: &CallTree, call: u32, levels: usize) -> String {
    let is_last = |f: u32| tree.parent(f).is_none_or(|parent| tree.end(f) == tree.end(parent));
    let mut parts: Vec<&str> = Vec::with_capacity(levels);
    for (n, above) in std::iter::once(call).chain(tree.ancestors(call)).take(levels).enumerate() {
        parts.push(match (n, is_last(above)) {
            (0, true) => "└─ ",
            (0, false) => "├─ ",
            (_, true) => "   ",
            (_, false) => "│  ",
        });
    }
    parts.reverse();
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Address;
    use crate::sanitize::SafeText;
    use crate::trace::test_util::{calls_by_level_ups, sample_tree};

    struct NoNames;

    impl CallNames for NoNames {
        fn call_text(&self, call: u32) -> String {
            call.to_string()
        }

        fn function_name(&self, _: u32) -> Option<Cow<'_, str>> {
            None
        }

        fn console_line(&self, _: u32) -> Option<SafeText> {
            None
        }

        fn sent_value(&self, _: u32) -> Option<String> {
            None
        }

        fn result_text(&self, _: u32) -> String {
            String::new()
        }

        fn address_name(&self, _: &Address) -> Option<Cow<'_, str>> {
            None
        }
    }

    #[test]
    fn lines_of_a_subtree_are_complete_up_to_the_maximum() {
        let tree = sample_tree(&calls_by_level_ups(&[0, 0, 1]));
        for (max_lines, is_complete) in [(3, false), (4, true), (5, true)] {
            let (lines, complete) = subtree_lines(&tree, &NoNames, 0, max_lines);
            assert_eq!((lines.len(), complete), (max_lines.min(4), is_complete), "{lines:?}");
        }
    }
}
