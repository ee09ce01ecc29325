//! The copy actions of a trace. The lines of a subtree are written in slices: there may be thousands.

use std::ops::Range;

use alloy_primitives::hex;

use super::TracePane;
use super::views::TraceView;
use crate::action::Action;
use crate::calls::formatter::CallFormatter;
use crate::chain::network::Endpoint;
use crate::messages::page::PageMessage;
use crate::messages::trace;
use crate::pane::export::shell_quote;
use crate::pane::{Command, PaneContext};
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;
use crate::trace::export::call_line;
use crate::trace::frame_json::frame_json;
use crate::trace::{CallKind, CallTree};
use crate::ui::document::DocumentEntry;

/// Maximum lines of a copied tree; an export is complete.
const MAX_COPIED_LINES: u32 = 20_000;

/// The lines of a subtree, which are copied once all are written.
#[derive(Debug)]
pub(super) struct TreeCopy {
    what: &'static str,
    /// The calls without a line yet.
    calls: Range<u32>,
    root_depth: u16,
    text: SafeText,
    /// `true` if there are more calls than lines.
    is_cut: bool,
}

impl TracePane {
    /// Copies a part of the selected call, after a confirmation if it is a suspicious address.
    pub(super) fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let formatter = self.export_formatter(cx);
        let of_balances = self.copied_of_balances(action);
        let of_log = of_balances.or_else(|| self.copied_of_log(action, cx));
        let (what, text) = of_log.or_else(|| self.copied_text(action, &formatter))?;
        Some(match text.filter(|text| !text.is_empty()) {
            Some(text) => crate::pane::copy_or_confirm(what, text, cx, &[]),
            None => Command::notify(&PageMessage::NothingToCopy { what }),
        })
    }

    /// Returns the part of the selected account that an action copies, while balance changes are shown.
    fn copied_of_balances(&self, action: Action) -> Option<(&'static str, Option<SafeText>)> {
        let TraceView::BalanceChanges(view) = &self.view else { return None };
        if self.detail.has_focus() {
            return None;
        }
        let account = view.account_address().map(|account| account.to_string().into());
        match action {
            Action::CopyCell => view.copied_cell().or(Some(("account's address", account))),
            Action::CopyAddress => Some(("account's address", account)),
            Action::CopyValue => Some(("raw amount", view.raw_amount())),
            _ => None,
        }
    }

    /// Returns the name of the part that an action copies, and its text if the call has it.
    fn copied_text(
        &self,
        action: Action,
        formatter: &CallFormatter<'_>,
    ) -> Option<(&'static str, Option<SafeText>)> {
        let tree = formatter.tree;
        let at = self.cursor.call;
        if action == Action::CopyHash {
            return Some(("transaction hash", Some(SafeText::new(&self.transaction.to_string()))));
        }
        let frame = tree.get(at)?;
        let text = |span| Some(SafeText::new(&String::from_utf8_lossy(&tree.body.bytes(span))));
        let address = || tree.target_address(at).map(|address| SafeText::new(&address.to_string()));
        Some(match action {
            Action::CopyCell if self.detail.has_focus() => {
                ("line", self.detail.selected().map(DocumentEntry::copy_text))
            }
            Action::CopyCell | Action::CopyAddress => ("address", address()),
            Action::CopyInput => ("input", text(frame.input)),
            Action::CopyOutput => ("output", text(frame.output)),
            Action::CopySelector => (
                "selector",
                tree.selector(at).map(|selector| SafeText::new(&hex::encode_prefixed(selector))),
            ),
            Action::CopyValue => {
                ("value", tree.value(at).map(|wei| SafeText::new(&wei.to_string())))
            }
            Action::CopyCall => {
                ("decoded call", Some(SafeText::new(&formatter.whole_call_label(at).line())))
            }
            Action::CopyReason => {
                ("reason", Some(SafeText::new(&formatter.exact_failure_reason(at))))
            }
            Action::CopyCast => {
                let data =
                    || Some(["--data ", &hex::encode_prefixed(calldata(tree, at)?)].concat());
                ("cast command", cast_command(formatter, at, data))
            }
            Action::CopyCastArguments => {
                ("cast arguments", cast_command(formatter, at, || typed_call(formatter, at)))
            }
            Action::CopyJson => ("call JSON", Some(frame_json(tree, at))),
            _ => return None,
        })
    }

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
        self.tree_copy =
            Some(TreeCopy { what, calls, root_depth, text: SafeText::default(), is_cut });
        self.continue_copy(cx)
    }

    /// Writes the next lines, and copies all of them after the last.
    pub(super) fn continue_copy(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let mut copy = self.tree_copy.take()?;
        let formatter = self.export_formatter(cx);
        let mut slice = TimeSlice::begin();
        while slice.has_time() {
            let Some(call) = copy.calls.next() else {
                if copy.is_cut {
                    copy.text.push_line(&cx.keys.expand(trace::REST_EXPORTED));
                }
                return Some(Command::copy(copy.what, copy.text));
            };
            copy.text.push_line(&call_line(&self.tree, &formatter, call, copy.root_depth));
        }
        self.tree_copy = Some(copy);
        None
    }
}

/// Returns the calldata of a call: as bytes, because a node's text could be more commands for the shell.
fn calldata(tree: &CallTree, call: u32) -> Option<Vec<u8>> {
    tree.hex(tree.get(call)?.input, usize::MAX)
}

/// Returns the signature and the arguments of a call for the shell, if they are encoded into its calldata.
fn typed_call(formatter: &CallFormatter<'_>, number: u32) -> Option<String> {
    let (call, _) = formatter.whole_call(number)?;
    let (signature, arguments) = call.typed(&calldata(formatter.tree, number)?)?;
    // The shell would hand on other bytes, or `cast` would read an option.
    let is_plain = |text: &String| *SafeText::new(text) == **text && !text.starts_with('-');
    let words = [signature].into_iter().chain(arguments);
    let quoted = words.map(|word| is_plain(&word).then(|| shell_quote(&word)));
    Some(quoted.collect::<Option<Vec<_>>>()?.join(" "))
}

/// Returns a `cast` command that repeats the call: same calldata, contract and caller, on the state before the
/// block. A node's URL may be a key, and is left out then.
fn cast_command(
    formatter: &CallFormatter<'_>,
    number: u32,
    data: impl FnOnce() -> Option<String>,
) -> Option<SafeText> {
    let tree = formatter.tree;
    let frame =
        tree.get(number).filter(|f| !f.kind.creates() && f.kind != CallKind::SelfDestruct)?;
    let [to, from] = [tree.address(frame.to)?, tree.address(frame.from)?].map(|a| a.to_string());
    let value = tree
        .value(number)
        .filter(|wei| !wei.is_zero() && frame.kind == CallKind::Call)
        .map(|wei| format!(" --value {wei}"))
        .unwrap_or_default();
    let command = ["cast call", &to, &data()?, "--from", &from].join(" ");
    let block = formatter.transaction.and_then(|tx| tx.block_number.value());
    let before = block.and_then(|block| block.checked_sub(1));
    let state = before.map(|block| format!(" --block {block}")).unwrap_or_default();
    let node = match &formatter.network.endpoint {
        Endpoint::Node(url) if !url.has_keys() => format!(" --rpc-url {}", url.without_keys()),
        _ => String::new(),
    };
    Some(SafeText::new(&[command, value, state, node].concat()))
}
