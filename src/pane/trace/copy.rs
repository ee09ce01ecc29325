//! The copy actions of a trace.

use super::TracePane;
use crate::action::Action;
use crate::calls::formatter::CallFormatter;
use crate::messages::page::PageMessage;
use crate::pane::{Command, PaneContext};
use crate::sanitize::SafeText;
use crate::trace::CallKind;
use crate::trace::frame_json::frame_json;
use crate::ui::document::DocumentEntry;

impl TracePane {
    /// Copies a part of the selected call, after a confirmation if it is a suspicious address.
    pub(super) fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let formatter = self.export_formatter(cx);
        let of_log = self.copied_of_log(action, cx);
        let (what, text) = of_log.or_else(|| self.copied_text(action, &formatter))?;
        Some(match text.filter(|text| !text.is_empty()) {
            Some(text) => crate::pane::copy_or_confirm(what, text, cx, &[]),
            None => Command::notify(&PageMessage::NothingToCopy { what }),
        })
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
                tree.selector(at).map(|selector| {
                    SafeText::new(&alloy_primitives::hex::encode_prefixed(selector))
                }),
            ),
            Action::CopyValue => {
                ("value", tree.value(at).map(|wei| SafeText::new(&wei.to_string())))
            }
            Action::CopyCall => {
                ("decoded call", Some(SafeText::new(&formatter.call_label(at).line())))
            }
            Action::CopyCast => ("cast command", cast_command(formatter, at)),
            Action::CopyJson => ("call JSON", Some(frame_json(tree, at))),
            _ => return None,
        })
    }
}

/// Returns a `cast` command that repeats the call: same calldata, contract and caller.
fn cast_command(formatter: &CallFormatter<'_>, number: u32) -> Option<SafeText> {
    let tree = formatter.tree;
    let frame =
        tree.get(number).filter(|f| !f.kind.creates() && f.kind != CallKind::SelfDestruct)?;
    let [to, from] = [tree.address(frame.to)?, tree.address(frame.from)?].map(|a| a.to_string());
    let input = tree.body.bytes(frame.input);
    let input = String::from_utf8_lossy(&input);
    let value = tree.value(number).filter(|wei| !wei.is_zero() && frame.kind == CallKind::Call);
    let value = value.map(|wei| format!(" --value {wei}")).unwrap_or_default();
    let command = ["cast call", &to, "--data", &input, "--from", &from].join(" ");
    Some(SafeText::new(&(command + &value)))
}
