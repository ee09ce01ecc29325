//! What the copy keys mean in a trace.

use super::call_labels::Names;
use super::{Trace, text};
use crate::chain::Address;
use crate::keymap::key_hints::Keys;
use crate::msg::Action;
use crate::pane::{Cx, Want};
use crate::sanitize::Text;
use crate::trace::Kind;

/// Lines of a copied tree; a file (x) takes all.
const LINES: usize = 20_000;

impl Trace {
    /// What a copy key copies, guarded as everywhere.
    pub(super) fn copy(&self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let names = self.names(cx);
        let (what, text) = self.copied(action, &names, cx.keys)?;
        Some(vec![match text.filter(|text| !text.is_empty()) {
            Some(text) => crate::pane::guarded(what, text, cx.known, &[]),
            None => Want::Say(Text::new(&format!("no {what} to copy here"))),
        }])
    }

    fn copied(
        &self,
        action: Action,
        names: &Names<'_>,
        keys: Keys<'_>,
    ) -> Option<(&'static str, Option<Text>)> {
        let (tree, at) = (names.tree, self.selected);
        if action == Action::CopyHash {
            return Some(("transaction hash", Some(Text::new(&self.transaction.to_string()))));
        }
        let frame = tree.get(at)?;
        let hex = |span| tree.body.bytes(span);
        let written = |span| Some(Text::new(&String::from_utf8_lossy(&hex(span))));
        let address = || target(names, at).map(|address| Text::new(&address.to_string()));
        Some(match action {
            Action::CopyCell if self.is_entered() => {
                ("line", self.detail.selected().map(crate::ui::document::Entry::copied))
            }
            Action::CopyCell | Action::CopyAddress => ("address", address()),
            Action::CopyInput => ("input", written(frame.input)),
            Action::CopyOutput => ("output", written(frame.output)),
            Action::CopySelector => (
                "selector",
                tree.selector(at)
                    .map(|selector| Text::new(&alloy_primitives::hex::encode_prefixed(selector))),
            ),
            Action::CopyValue => ("value", tree.value(at).map(|wei| Text::new(&wei.to_string()))),
            Action::CopyCall => ("decoded call", Some(Text::new(&names.called(at).line()))),
            Action::CopyCast => ("cast command", cast(names, at)),
            Action::CopyJson => ("JSON of the call", Some(super::frame_json::json(tree, at))),
            Action::CopySubtree => ("subtree", Some(lines(names, at, keys))),
            Action::CopyTree => ("tree", Some(lines(names, 0, keys))),
            _ => return None,
        })
    }
}

fn lines(names: &Names<'_>, from: u32, keys: Keys<'_>) -> Text {
    let (lines, all) = text::subtree(names, from, LINES);
    let rest = if all { "" } else { "\n… ({export} writes all of it to a file)" };
    Text::lines(&(lines.join("\n") + &keys.sentence(rest)))
}

/// The account that a call is about.
pub(super) fn target(names: &Names<'_>, number: u32) -> Option<Address> {
    let frame = names.tree.get(number)?;
    names.tree.address(match frame.kind {
        Kind::SelfDestruct => frame.from,
        _ => frame.to,
    })
}

/// A path as people write it: `0.3.1`; the root's is `root`.
pub fn dotted(path: &[u32]) -> String {
    match path {
        [] => "root".into(),
        path => path.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
    }
}

/// The call, again, for `cast`: the same calldata to the same contract, as the same caller.
fn cast(names: &Names<'_>, number: u32) -> Option<Text> {
    let tree = names.tree;
    let frame = tree.get(number).filter(|f| !f.kind.creates() && f.kind != Kind::SelfDestruct)?;
    let (from, to) = (tree.address(frame.from)?, tree.address(frame.to)?);
    let input = String::from_utf8_lossy(&tree.body.bytes(frame.input)).into_owned();
    let value = match tree.value(number).filter(|wei| !wei.is_zero() && frame.kind == Kind::Call) {
        Some(wei) => format!(" --value {wei}"),
        None => String::new(),
    };
    Some(Text::new(&format!("cast call {to} --data {input} --from {from}{value}")))
}
