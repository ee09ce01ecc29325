//! Copies the lines of a subtree. They are written in slices: there may be thousands.

use std::ops::Range;

use super::TracePane;
use crate::messages::trace;
use crate::pane::{Command, PaneContext};
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;
use crate::trace::export::call_line;

/// Maximum lines of a copied tree; an export is complete.
const MAX_COPIED_LINES: u32 = 20_000;

/// The lines of a subtree, which are copied once all are written.
#[derive(Debug)]
pub(super) struct TreeCopy {
    what: &'static str,
    /// The calls without a line yet.
    calls: Range<u32>,
    root_depth: u16,
    lines: Vec<String>,
    /// `true` if there are more calls than lines.
    is_cut: bool,
}

impl TracePane {
    /// Begins to copy a call and the calls below it.
    pub(super) fn copy_tree(
        &mut self,
        what: &'static str,
        root: u32,
        cx: &PaneContext<'_>,
    ) -> Option<Command> {
        let root_depth = self.tree.get(root)?.depth;
        let all = self.tree.subtree(root);
        let end = all.end.min(all.start.saturating_add(MAX_COPIED_LINES));
        let (calls, is_cut) = (all.start..end, end < all.end);
        self.tree_copy = Some(TreeCopy { what, calls, root_depth, lines: Vec::new(), is_cut });
        self.continue_copy(cx)
    }

    /// Writes the next lines, and copies all of them after the last.
    pub(super) fn continue_copy(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let mut copy = self.tree_copy.take()?;
        let formatter = self.export_formatter(cx);
        let mut slice = TimeSlice::begin();
        while slice.has_time() {
            let Some(call) = copy.calls.next() else {
                let rest = copy.is_cut.then(|| cx.keys.expand(trace::REST_EXPORTED).into_owned());
                copy.lines.extend(rest);
                return Some(Command::copy(copy.what, SafeText::multiline(&copy.lines.join("\n"))));
            };
            copy.lines.push(call_line(&self.tree, &formatter, call, copy.root_depth));
        }
        self.tree_copy = Some(copy);
        None
    }
}
