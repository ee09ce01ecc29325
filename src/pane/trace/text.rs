//! Calls as lines of text, for the clipboard, files and programs.

use std::fmt::Write;

use super::call_labels::CallFormatter;
use super::row::{kind_abbreviation, outcome_mark};
use crate::chain::amount::group_digits;
use crate::trace::CallFrame;

/// One call on a line, indented below `top`: what `cast run` would print, with outcome and gas.
pub fn call_line(names: &CallFormatter<'_>, number: u32, top: u16) -> String {
    let Some(frame) = names.tree.get(number) else { return String::new() };
    let mark = names.tree.outcome(number).map_or("", outcome_mark);
    let gas = frame.gas_used().map_or_else(|| "?".into(), |gas| group_digits(&gas.to_string()));
    let mut line = branch_prefix(names, number, frame, top);
    let called = names.call_label(number).line();
    let _ = write!(line, "{mark} {} [{gas}] {called}", kind_abbreviation(frame.kind)); // a String takes all
    if let Some(carried) = names.call_value(number) {
        let _ = write!(line, " {{{carried}}}");
    }
    let back = names.result_text(number);
    if !back.is_empty() {
        let _ = write!(line, " {back}");
    }
    line
}

/// The lines that lead to a call from those above it, as far up as `top`.
fn branch_prefix(names: &CallFormatter<'_>, number: u32, frame: &CallFrame, top: u16) -> String {
    let tree = names.tree;
    let levels = usize::from(frame.depth.saturating_sub(top));
    let is_last = |f: u32| tree.parent(f).is_none_or(|parent| tree.end(f) == tree.end(parent));
    let mut parts: Vec<&str> = Vec::with_capacity(levels);
    for (n, at) in std::iter::once(number).chain(tree.ancestors(number)).take(levels).enumerate() {
        parts.push(match (n, is_last(at)) {
            (0, true) => "└─ ",
            (0, false) => "├─ ",
            (_, true) => "   ",
            (_, false) => "│  ",
        });
    }
    parts.reverse();
    parts.concat()
}

/// A call and all below it, at most `most` lines, and whether that was all.
pub fn subtree_lines(names: &CallFormatter<'_>, number: u32, most: usize) -> (Vec<String>, bool) {
    let top = names.tree.get(number).map_or(0, |frame| frame.depth);
    let range = names.tree.subtree(number);
    let all = usize::try_from(range.end - range.start).is_ok_and(|calls| calls <= most);
    (range.take(most).map(|call| call_line(names, call, top)).collect(), all)
}
