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

/// Formats a call in the style of `cast run`, with its outcome, its gas, and the line of a failure.
pub fn call_line(tree: &CallTree, names: &dyn CallNames, call: u32, root_depth: u16) -> String {
    let Some(frame) = tree.get(call) else { return String::new() };
    let symbol = tree.outcome(call).map_or("", CallOutcome::symbol);
    let gas = frame.format_gas_used(|gas| Grouped(gas).to_string());
    let mut line = branches(tree, call, usize::from(frame.depth.saturating_sub(root_depth)));
    let kind = frame.kind.short_name();
    let text = full_call_text(names, call);
    let _ = write!(line, "{symbol} {kind} [{gas}] {text}"); // writing to a String cannot fail
    if let Some(place) = names.failure_place(call) {
        let _ = write!(line, " ({place})");
    }
    line
}

fn full_call_text(names: &dyn CallNames, call: u32) -> String {
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
