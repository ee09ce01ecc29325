//! The comparison of two call traces.
//!
//! [`TraceDiff`] pairs the calls once, when the pane is created. `folds` decides which pairs are lines,
//! and `format` writes them for the screen, for copies and for files, with the names of `row_name` and the gas of
//! `gas_text`. `header` has the lines above them. `call_pair` shows the selected call in both
//! traces, with the `fields` that both have next to each other.

mod call_pair;
mod fields;
mod folds;
mod format;
mod gas_text;
mod header;
mod mouse;
mod row_name;
mod view;

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::export::Export;
use super::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneState, Route,
    below_text, copy_or_confirm,
};
use crate::action::{Action, Step};
use crate::calls::formatter::CallFormatter;
use crate::calls::transfer_matching::TransferMap;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::keymap::KeyContext;
use crate::messages::diff;
use crate::messages::page::PageMessage;
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;
use crate::trace::diff::{CallChange, DiffRow, TraceDiff};
use crate::trace::{CallFrame, CallTree};
use call_pair::CallDetails;
use folds::{DiffFolds, DiffLine, FoldLimits};

/// Limits for traces with a common root.
const USUAL_LIMITS: FoldLimits = FoldLimits { calls_below: 8, siblings: u32::MAX };
/// Stricter limits for traces whose calls have little in common.
const STRICT_LIMITS: [FoldLimits; 2] =
    [FoldLimits { calls_below: 0, ..USUAL_LIMITS }, FoldLimits { calls_below: 0, siblings: 3 }];

/// One of the two traces, with the transfers that give the tokens of its amounts.
#[derive(Debug)]
struct ComparedTrace {
    transaction: TxHash,
    tree: Arc<CallTree>,
    transfers: TransferMap,
}

#[derive(Debug)]
pub struct DiffPane {
    left: ComparedTrace,
    right: ComparedTrace,
    diff: TraceDiff,
    folds: DiffFolds,
    selected: DiffLine,
    top: usize,
    no_transfers: TransferMap,
    /// `true` once there are folds for the height of the screen.
    is_fitted: bool,
    /// `true` if a call failed in one of the traces: rows have an outcome then.
    has_failures: bool,
    calls: CallDetails,
}

impl DiffPane {
    /// Compares the marked trace, on the left, with another.
    pub fn new([left, right]: &[DiffBaseline; 2]) -> Self {
        let diff = TraceDiff::compare(&left.tree, &right.tree);
        let folds = DiffFolds::new(&diff, USUAL_LIMITS);
        let selected = folds.line_at(0);
        let has_failed = |trace: &DiffBaseline| trace.tree.frames().iter().any(CallFrame::failed);
        let compared = |DiffBaseline { transaction, tree }: &DiffBaseline| ComparedTrace {
            transaction: *transaction,
            tree: tree.clone(),
            transfers: TransferMap::default(),
        };
        Self {
            is_fitted: false,
            has_failures: has_failed(left) || has_failed(right),
            calls: CallDetails::new(),
            left: compared(left),
            right: compared(right),
            diff,
            folds,
            selected,
            top: 0,
            no_transfers: TransferMap::default(),
        }
    }

    /// Returns a row's call in each trace.
    fn sides(&self, row: &DiffRow) -> [(&ComparedTrace, Option<u32>); 2] {
        [(&self.left, row.left), (&self.right, row.right)]
    }

    fn formatter<'a>(
        &'a self,
        trace: &'a ComparedTrace,
        cx: &PaneContext<'a>,
    ) -> CallFormatter<'a> {
        // A number would differ from itself if only one trace had its token.
        let have_tokens = !self.left.transfers.is_empty() && !self.right.transfers.is_empty();
        self.formatter_with(have_tokens, trace, cx)
    }

    /// Returns the formatter of a row in one of the traces. Calls whose numbers are not compared have the tokens of their
    /// trace: a call of one trace alone, and calls of two functions.
    fn row_formatter<'a>(
        &'a self,
        row: &DiffRow,
        trace: &'a ComparedTrace,
        cx: &PaneContext<'a>,
    ) -> CallFormatter<'a> {
        let [left, right] =
            self.sides(row).map(|(trace, frame)| frame.map(|frame| trace.tree.selector(frame)));
        let is_compared = left.is_some() && left == right;
        if is_compared { self.formatter(trace, cx) } else { self.formatter_with(true, trace, cx) }
    }

    fn formatter_with<'a>(
        &'a self,
        has_tokens: bool,
        trace: &'a ComparedTrace,
        cx: &PaneContext<'a>,
    ) -> CallFormatter<'a> {
        let transfers = if has_tokens { &trace.transfers } else { &self.no_transfers };
        let screen = cx.call_formatter(&trace.tree, &trace.transaction, transfers);
        CallFormatter { short_amounts: false, ..screen }
    }

    /// Returns the frame that labels a row: the right one, or the left one of a removed call.
    fn labelled_frame<'a>(
        &'a self,
        row: &DiffRow,
        cx: &PaneContext<'a>,
    ) -> Option<(CallFormatter<'a>, u32)> {
        row.right
            .map(|frame| (self.formatter(&self.right, cx), frame))
            .or_else(|| Some((self.formatter(&self.left, cx), row.left?)))
    }

    fn selected_address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        let (names, frame) = self.labelled_frame(self.diff.row(self.selected.call()?)?, cx)?;
        names.tree.target_address(frame)
    }

    /// Folds the calls of two different roots once, if the right ones would begin below the screen.
    fn show_both_sides(&mut self, cx: &PaneContext<'_>) {
        if std::mem::replace(&mut self.is_fitted, true) || !self.diff.roots_differ {
            return;
        }
        for limits in STRICT_LIMITS {
            let is_added = |row: &DiffRow| row.change == CallChange::Added;
            let mut lines = self.folds.lines().iter();
            let first = lines.position(|line| self.diff.row(line.row()).is_some_and(is_added));
            let height = usize::from(self.layout(cx).rows.height);
            if first.is_none_or(|first| first < height) {
                return;
            }
            self.folds = DiffFolds::new(&self.diff, limits);
        }
    }

    fn keep_selection_visible(&mut self, cx: &PaneContext<'_>) {
        let position = self.folds.position(self.selected);
        self.selected = self.folds.line_at(position);
        self.show_calls(cx);
        let height = usize::from(self.layout(cx).rows.height).max(1);
        self.top = self.top.clamp((position + 1).saturating_sub(height), position);
    }

    /// Scrolls the details if they have the focus.
    fn scroll_calls(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let area = self.layout(cx).calls;
        let Some(lines) = action.row_delta(area.height) else { return false };
        if self.calls.has_focus() {
            self.calls.scroll(lines, area);
        }
        self.calls.has_focus()
    }

    fn move_selection(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        if self.scroll_calls(action, cx) {
            return true;
        }
        let Some(delta) = action.row_delta(self.layout(cx).rows.height) else { return false };
        let last = self.folds.lines().len().saturating_sub(1);
        let position = self.folds.position(self.selected).saturating_add_signed(delta).min(last);
        self.selected = self.folds.line_at(position);
        true
    }

    fn fold(&mut self, action: Action) -> bool {
        let expanded = self.folds.is_expanded(&self.diff, self.selected);
        match (action, expanded) {
            (Action::Toggle, Some(expanded)) => self.set_expanded(!expanded),
            (Action::NextCell, Some(false)) => self.set_expanded(true),
            (Action::PreviousCell, Some(true)) => self.set_expanded(false),
            (Action::PreviousCell | Action::Parent, _) => self.select_parent(),
            (Action::Toggle | Action::NextCell, _) => {}
            (Action::FoldAll, _) => self.folds.set_all(&self.diff, false),
            (Action::UnfoldAll, _) => self.folds.set_all(&self.diff, true),
            _ => return false,
        }
        true
    }

    fn set_expanded(&mut self, expanded: bool) {
        self.folds.set_expanded(&self.diff, self.selected, expanded);
    }

    fn select_parent(&mut self) {
        if let Some(parent) = self.diff.ancestors(self.selected.row()).next() {
            self.selected = DiffLine::Call(parent);
        }
    }

    /// Goes to the next or the previous call that differs itself.
    fn go_to_difference(&mut self, step: Step) -> Vec<Command> {
        let from = self.selected.row();
        let differs_itself = |row: &u32| self.diff.row(*row).is_some_and(|row| row.differs_itself);
        let (found, absence) = match step {
            Step::Next => {
                let mut below = from.saturating_add(1)..self.diff.len();
                (below.find(differs_itself), diff::NO_DIFFERENCE_BELOW)
            }
            Step::Previous => ((0..from).rev().find(differs_itself), diff::NO_DIFFERENCE_ABOVE),
        };
        let Some(row) = found else {
            return vec![Command::Notify(absence.into())];
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
            None => Command::Notify(diff::NO_CALL_ADDRESS.into()),
        }]
    }

    fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let (what, text) = match action {
            Action::CopyCell | Action::CopyAddress => {
                let address = self.selected_address(cx).map(|address| address.to_string());
                ("address", address.unwrap_or_default().into())
            }
            Action::CopyHash => ("transaction hash", self.transaction().to_string().into()),
            Action::CopySubtree => ("call comparison", self.subtree_text(self.selected, cx)),
            Action::CopyTree => ("comparison", self.subtree_text(DiffLine::Call(0), cx)),
            _ => return None,
        };
        Some(if text.is_empty() {
            Command::notify(&PageMessage::NothingToCopy { what })
        } else {
            copy_or_confirm(what, text, cx, &[])
        })
    }

    /// Returns the transaction of the selected call: the right one, or the left one of a removed call.
    fn transaction(&self) -> TxHash {
        let row = self.selected.call().and_then(|row| self.diff.row(row));
        let is_removed = row.is_some_and(|row| row.right.is_none());
        if is_removed { self.left.transaction } else { self.right.transaction }
    }
}

impl Pane for DiffPane {
    fn has_margins(&self) -> bool {
        true
    }

    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        for trace in [&mut self.left, &mut self.right] {
            let transfers = cx.name_cache.transfers(&trace.transaction);
            trace.transfers = TransferMap::build(&trace.tree, &transfers).without_calls();
        }
        self.show_both_sides(cx);
        self.keep_selection_visible(cx);
        Vec::new()
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Back => Availability::supported_if(self.calls.has_focus()),
            Action::Focus if self.calls.has_focus() => Availability::Enabled,
            Action::Focus => {
                let area = self.layout(cx).calls;
                let has_space = area.height > 0;
                let why = if has_space { diff::NOTHING_TO_SCROLL } else { diff::NO_SPACE };
                Availability::enabled_if(self.calls.hidden_lines(area) > 0, why)
            }
            Action::Toggle => {
                let folds = self.folds.is_expanded(&self.diff, self.selected).is_some();
                Availability::enabled_if(folds, diff::NO_CALLS_TO_FOLD)
            }
            Action::Parent => {
                let has_parent = self.diff.ancestors(self.selected.row()).next().is_some();
                Availability::enabled_if(has_parent, diff::ROOT_CALL)
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
            Action::Export => Availability::Disabled(diff::NOT_EXPORTED),
            _ => Availability::supported_if(action.is_row_move()),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = Vec::new();
        if !self.move_selection(action, cx) && !self.fold(action) {
            commands = match action {
                Action::NextDifference => self.go_to_difference(Step::Next),
                Action::PreviousDifference => self.go_to_difference(Step::Previous),
                Action::Open => self.open(cx),
                Action::Focus | Action::Back => {
                    self.calls.set_focus(!self.calls.has_focus());
                    Vec::new()
                }
                _ => self.copy(action, cx).into_iter().collect(),
            };
        }
        self.keep_selection_visible(cx);
        commands
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Resized | PaneEvent::Reformatted | PaneEvent::NamesChanged => {
                self.keep_selection_visible(cx);
            }
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows, at } => self.on_wheel(rows, at, cx),
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

    fn status(&self, cx: &PaneContext<'_>) -> SafeText {
        let lines = match self.folds.lines().len() {
            0 => return SafeText::default(),
            lines => lines,
        };
        let below = below_text(self.calls.lines_below(self.layout(cx).calls));
        let place = format!("line {} of {lines}", self.folds.position(self.selected) + 1);
        [below, place].concat().into()
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        let leads_to_rows = matches!(action, Action::Focus | Action::Back);
        (leads_to_rows && self.calls.has_focus()).then_some("calls")
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.selected_address(cx)
    }

    fn export(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Vec<Command> {
        let text = self.subtree_text(DiffLine::Call(0), cx);
        vec![match tool {
            ExternalTool::Pager => Export::new("comparison.txt", text.lines()).open(tool),
            ExternalTool::Editor => Command::NotifyKeys(diff::NOT_EXPORTED),
        }]
    }
}
