//! Two call traces compared: what was added, what is gone, and where the gas went.

mod folds;
mod format;
mod mouse;
mod view;

use ratatui::buffer::Buffer;

use super::export::Export;
use super::trace::call_labels::CallFormatter;
use super::trace::transfer_matching::TransferMap;
use super::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneState, Route,
    copy_or_confirm,
};
use crate::api::transactions::Transaction;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::keymap::KeyContext;
use crate::msg::Action;
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;
use crate::trace::CallKind;
use crate::trace::diff::{self, DiffRow};
use folds::{DiffFolds, DiffLine};

/// An added or removed call that hides more than so many others is folded at first.
const MAX_UNFOLDED_CALLS: u32 = 8;

/// The pane.
#[derive(Debug)]
pub struct DiffPane {
    traces: [DiffBaseline; 2],
    diff: diff::TraceDiff,
    folds: DiffFolds,
    selected: DiffLine,
    /// The first line in sight.
    top: usize,
    /// Neither trace's token transfers are laid over its calls.
    overlay: TransferMap,
}

impl DiffPane {
    /// Compares a marked trace, on the left, with another.
    pub fn new(two: &[DiffBaseline; 2]) -> Self {
        let found = diff::TraceDiff::compare(&two[0].tree, &two[1].tree);
        let folds = DiffFolds::new(&found, MAX_UNFOLDED_CALLS);
        let selected = folds.line_at(0);
        Self {
            traces: two.clone(),
            diff: found,
            folds,
            selected,
            top: 0,
            overlay: TransferMap::default(),
        }
    }

    fn names<'a>(&'a self, of: &'a DiffBaseline, cx: &PaneContext<'a>) -> CallFormatter<'a> {
        CallFormatter {
            tree: &of.tree,
            signatures: cx.signature_db,
            name_cache: cx.name_cache,
            network: cx.network,
            transaction: cached_transaction(cx, &of.transaction),
            transfers: &self.overlay,
            unit: cx.format.unit,
        }
    }

    /// The call that a row is named after: the right one, unless it is gone.
    fn labelled_frame<'a>(
        &'a self,
        row: &DiffRow,
        cx: &PaneContext<'a>,
    ) -> Option<(CallFormatter<'a>, u32)> {
        let [left, right] = &self.traces;
        let of_left = || Some((self.names(left, cx), row.left?));
        row.right.map(|frame| (self.names(right, cx), frame)).or_else(of_left)
    }

    /// The account that the selected call is about.
    fn selected_address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        let (names, frame) = self.labelled_frame(self.diff.row(self.selected.call()?)?, cx)?;
        let it = names.tree.get(frame)?;
        names.tree.address(if it.kind == CallKind::SelfDestruct { it.from } else { it.to })
    }

    /// Brings the selected line into sight.
    fn keep_selection_visible(&mut self, cx: &PaneContext<'_>) {
        let place = self.folds.position(self.selected);
        self.selected = self.folds.line_at(place);
        let height = usize::from(self.parts(cx).rows.height).max(1);
        self.top = self.top.clamp((place + 1).saturating_sub(height), place);
    }

    fn move_selection(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let Some(by) = action.row_delta(self.parts(cx).rows.height) else { return false };
        let last = self.folds.lines().len().saturating_sub(1);
        let place = self.folds.position(self.selected).saturating_add_signed(by).min(last);
        self.selected = self.folds.line_at(place);
        true
    }

    fn fold(&mut self, action: Action) -> bool {
        let open = self.folds.is_expanded(&self.diff, self.selected);
        match (action, open) {
            (Action::Toggle, Some(open)) => self.set_open(!open),
            (Action::NextCell, Some(false)) => self.set_open(true),
            (Action::PreviousCell, Some(true)) => self.set_open(false),
            (Action::PreviousCell | Action::Parent, _) => self.select_parent(),
            (Action::Toggle | Action::NextCell, _) => {}
            (Action::FoldAll, _) => self.folds.set_all(&self.diff, false),
            (Action::UnfoldAll, _) => self.folds.set_all(&self.diff, true),
            _ => return false,
        }
        true
    }

    fn set_open(&mut self, open: bool) {
        self.folds.set_expanded(&self.diff, self.selected, open);
    }

    fn select_parent(&mut self) {
        if let Some(above) = self.diff.ancestors(self.selected.row()).next() {
            self.selected = DiffLine::Call(above);
        }
    }

    /// To the next, or the previous, call that differs by itself.
    fn go_to_difference(&mut self, ahead: bool) -> Vec<Command> {
        let (from, len) = (self.selected.row(), self.diff.len());
        let is_cause = |row: &u32| self.diff.row(*row).is_some_and(|row| row.differs_itself);
        let found = if ahead {
            (from.saturating_add(1)..len).find(is_cause)
        } else {
            (0..from).rev().find(is_cause)
        };
        let Some(row) = found else {
            let side = if ahead { "below" } else { "above" };
            return vec![Command::Notify(SafeText::new(&format!("no difference {side}")))];
        };
        self.folds.reveal(&self.diff, row);
        self.selected = DiffLine::Call(row);
        Vec::new()
    }

    fn open(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.selected.call().is_none() {
            self.fold(Action::Toggle);
            return Vec::new();
        }
        vec![match self.selected_address(cx) {
            Some(address) => Command::Navigate(Route::Target(TargetKind::Address(address))),
            None => Command::Notify("this call leads to no address".into()),
        }]
    }

    fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let (what, text) = match action {
            Action::CopyCell | Action::CopyAddress => (
                "address",
                self.selected_address(cx).map(|address| SafeText::new(&address.to_string())),
            ),
            Action::CopyHash => {
                ("transaction hash", Some(SafeText::new(&self.transaction().to_string())))
            }
            Action::CopySubtree => {
                ("comparison of the call", Some(self.subtree_text(self.selected, cx)))
            }
            Action::CopyTree => ("comparison", Some(self.subtree_text(DiffLine::Call(0), cx))),
            _ => return None,
        };
        Some(match text.filter(|text| !text.is_empty()) {
            Some(text) => copy_or_confirm(what, text, cx.known_addresses, &[]),
            None => Command::Notify(SafeText::new(&format!("no {what} to copy here"))),
        })
    }

    /// Whose call the selected one is: the right transaction's, unless it is gone there.
    fn transaction(&self) -> TxHash {
        let row = self.selected.call().and_then(|row| self.diff.row(row));
        let [left, right] = &self.traces;
        let gone = row.is_some_and(|row| row.right.is_none());
        if gone { left.transaction } else { right.transaction }
    }
}

/// A transaction, as far as it was seen elsewhere.
fn cached_transaction<'a>(cx: &PaneContext<'a>, hash: &TxHash) -> Option<&'a Transaction> {
    cx.name_cache.transaction(hash)?.parsed.as_ref().ok()
}

impl Pane for DiffPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.keep_selection_visible(cx);
        Vec::new()
    }

    fn deactivate(&mut self) {}

    fn availability(&self, action: Action, _: &PaneContext<'_>) -> Availability {
        match action {
            Action::Toggle => {
                let folds = self.folds.is_expanded(&self.diff, self.selected).is_some();
                Availability::enabled_if(folds, "this call makes no calls: nothing to fold")
            }
            Action::Parent => {
                let has_parent = self.diff.ancestors(self.selected.row()).next().is_some();
                Availability::enabled_if(
                    has_parent,
                    "nothing calls this: it is the transaction itself",
                )
            }
            Action::Open
            | Action::NextCell
            | Action::PreviousCell
            | Action::FoldAll
            | Action::UnfoldAll
            | Action::NextDifference
            | Action::PreviousDifference
            | Action::CopyCell
            | Action::CopyAddress
            | Action::CopyHash
            | Action::CopySubtree
            | Action::CopyTree => Availability::Enabled,
            _ => Availability::supported_if(action.is_row_move()),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut wants = Vec::new();
        if !self.move_selection(action, cx) && !self.fold(action) {
            wants = match action {
                Action::NextDifference => self.go_to_difference(true),
                Action::PreviousDifference => self.go_to_difference(false),
                Action::Open => self.open(cx),
                _ => self.copy(action, cx).into_iter().collect(),
            };
        }
        self.keep_selection_visible(cx);
        wants
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Resized => self.keep_selection_visible(cx),
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows, .. } => self.on_wheel(rows, cx),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        self.draw(cx, buf);
    }

    fn state(&self) -> PaneState {
        PaneState { key_context: KeyContext::Diff, ..PaneState::default() }
    }

    fn status(&self, _: &PaneContext<'_>) -> SafeText {
        self.position_text()
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.selected_address(cx)
    }

    fn export(&self, viewer: ExternalTool, cx: &PaneContext<'_>) -> Result<Export, SafeText> {
        let text = self.subtree_text(DiffLine::Call(0), cx);
        match viewer {
            ExternalTool::Pager => Ok(Export::new("comparison.txt", text.lines())),
            ExternalTool::Editor => Err(SafeText::new(
                &cx.keys.expand("a comparison is no data: {pager} shows it as text"),
            )),
        }
    }
}
