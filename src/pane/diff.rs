//! Two call traces compared: what was added, what is gone, and where the gas went.

mod folds;
mod format;
mod mouse;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::diff_baseline::Marked;
use super::export::Paper;
use super::trace::call_labels::Names;
use super::trace::transfer_matching::Overlay;
use super::{Cx, Link, Pane, Viewer, Want, guarded};
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Query, Reply};
use crate::chain::target::Subject;
use crate::chain::{Address, TxHash};
use crate::keymap::Context;
use crate::msg::Action;
use crate::sanitize::Text;
use crate::trace::Kind;
use crate::trace::diff::{self, Row};
use folds::{Folds, Line};

/// An added or removed call that hides more than so many others is folded at first.
const HIDES: u32 = 8;

/// The pane.
#[derive(Debug)]
pub struct Diff {
    two: [Marked; 2],
    found: diff::Diff,
    folds: Folds,
    selected: Line,
    /// The first line in sight.
    top: usize,
    /// Neither trace's token transfers are laid over its calls.
    overlay: Overlay,
}

impl Diff {
    /// Compares a marked trace, on the left, with another.
    pub fn new(two: &[Marked; 2]) -> Self {
        let found = diff::Diff::of(&two[0].tree, &two[1].tree);
        let folds = Folds::new(&found, HIDES);
        let selected = folds.line(0);
        Self { two: two.clone(), found, folds, selected, top: 0, overlay: Overlay::default() }
    }

    fn names<'a>(&'a self, of: &'a Marked, cx: &Cx<'a>) -> Names<'a> {
        Names {
            tree: &of.tree,
            book: cx.book,
            seen: cx.seen,
            network: cx.network,
            transaction: seen(cx, &of.transaction),
            overlay: &self.overlay,
            unit: cx.notation.unit,
        }
    }

    /// The call that a row is named after: the right one, unless it is gone.
    fn named<'a>(&'a self, row: &Row, cx: &Cx<'a>) -> Option<(Names<'a>, u32)> {
        let [left, right] = &self.two;
        let of_left = || Some((self.names(left, cx), row.left?));
        row.right.map(|frame| (self.names(right, cx), frame)).or_else(of_left)
    }

    /// The account that the selected call is about.
    fn account_of_call(&self, cx: &Cx<'_>) -> Option<Address> {
        let (names, frame) = self.named(self.found.row(self.selected.call()?)?, cx)?;
        let it = names.tree.get(frame)?;
        names.tree.address(if it.kind == Kind::SelfDestruct { it.from } else { it.to })
    }

    /// Brings the selected line into sight.
    fn settle(&mut self, cx: &Cx<'_>) {
        let place = self.folds.place(self.selected);
        self.selected = self.folds.line(place);
        let height = usize::from(self.parts(cx).rows.height).max(1);
        self.top = self.top.clamp((place + 1).saturating_sub(height), place);
    }

    fn go(&mut self, action: Action, cx: &Cx<'_>) -> bool {
        let Some(by) = action.rows(self.parts(cx).rows.height) else { return false };
        let last = self.folds.lines().len().saturating_sub(1);
        let place = self.folds.place(self.selected).saturating_add_signed(by).min(last);
        self.selected = self.folds.line(place);
        true
    }

    fn fold(&mut self, action: Action) -> bool {
        let open = self.folds.is_open(&self.found, self.selected);
        match (action, open) {
            (Action::Toggle, Some(open)) => self.set_open(!open),
            (Action::NextCell, Some(false)) => self.set_open(true),
            (Action::PreviousCell, Some(true)) => self.set_open(false),
            (Action::PreviousCell | Action::Parent, _) => self.go_above(),
            (Action::Toggle | Action::NextCell, _) => {}
            (Action::FoldAll, _) => self.folds.set_all(&self.found, false),
            (Action::UnfoldAll, _) => self.folds.set_all(&self.found, true),
            _ => return false,
        }
        true
    }

    fn set_open(&mut self, open: bool) {
        self.folds.set_open(&self.found, self.selected, open);
    }

    fn go_above(&mut self) {
        if let Some(above) = self.found.above(self.selected.row()).next() {
            self.selected = Line::Call(above);
        }
    }

    /// To the next, or the previous, call that differs by itself.
    fn jump(&mut self, ahead: bool) -> Vec<Want> {
        let (from, len) = (self.selected.row(), self.found.len());
        let is_cause = |row: &u32| self.found.row(*row).is_some_and(|row| row.cause);
        let found = if ahead {
            (from.saturating_add(1)..len).find(is_cause)
        } else {
            (0..from).rev().find(is_cause)
        };
        let Some(row) = found else {
            let side = if ahead { "below" } else { "above" };
            return vec![Want::Say(Text::new(&format!("no difference {side}")))];
        };
        self.folds.reveal(&self.found, row);
        self.selected = Line::Call(row);
        Vec::new()
    }

    fn open(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        if self.selected.call().is_none() {
            self.fold(Action::Toggle);
            return Vec::new();
        }
        vec![match self.account_of_call(cx) {
            Some(address) => Want::Follow(Link::Subject(Subject::Address(address))),
            None => Want::Say("this call leads to no address".into()),
        }]
    }

    fn copy(&self, action: Action, cx: &Cx<'_>) -> Option<Want> {
        let (what, text) = match action {
            Action::CopyCell | Action::CopyAddress => {
                ("address", self.account_of_call(cx).map(|address| Text::new(&address.to_string())))
            }
            Action::CopyHash => {
                ("transaction hash", Some(Text::new(&self.transaction().to_string())))
            }
            Action::CopySubtree => ("comparison of the call", Some(self.text(self.selected, cx))),
            Action::CopyTree => ("comparison", Some(self.text(Line::Call(0), cx))),
            _ => return None,
        };
        Some(match text.filter(|text| !text.is_empty()) {
            Some(text) => guarded(what, text, cx.known, &[]),
            None => Want::Say(Text::new(&format!("no {what} to copy here"))),
        })
    }

    /// Whose call the selected one is: the right transaction's, unless it is gone there.
    fn transaction(&self) -> TxHash {
        let row = self.selected.call().and_then(|row| self.found.row(row));
        let [left, right] = &self.two;
        let gone = row.is_some_and(|row| row.right.is_none());
        if gone { left.transaction } else { right.transaction }
    }
}

/// A transaction, as far as it was seen elsewhere.
fn seen<'a>(cx: &Cx<'a>, hash: &TxHash) -> Option<&'a Transaction> {
    cx.seen.transaction(hash)?.read.as_ref().ok()
}

impl Pane for Diff {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        self.settle(cx);
        Vec::new()
    }

    fn leave(&mut self) {}

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let mut wants = Vec::new();
        if !self.go(action, cx) && !self.fold(action) {
            wants = match action {
                Action::NextDifference => self.jump(true),
                Action::PreviousDifference => self.jump(false),
                Action::Open => self.open(cx),
                _ => vec![self.copy(action, cx)?],
            };
        }
        self.settle(cx);
        Some(wants)
    }

    fn reply(&mut self, _: &Query, _: Result<Reply, ApiError>, _: &Cx<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.settle(cx);
    }

    fn click(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        self.clicked(at, cx)
    }

    fn wheel(&mut self, by: isize, _: Position, cx: &Cx<'_>) -> Vec<Want> {
        self.wheeled(by, cx);
        Vec::new()
    }

    fn paper(&self, viewer: Viewer, cx: &Cx<'_>) -> Result<Paper, Text> {
        let text = self.text(Line::Call(0), cx);
        match viewer {
            Viewer::Pager => Ok(Paper::new("comparison.txt", text.lines())),
            Viewer::Editor => Err(Text::new(
                &cx.keys.sentence("a comparison is no data: {pager} shows it as text"),
            )),
        }
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        self.draw(cx, buf);
    }

    fn epoch(&self) -> u32 {
        0
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn address(&self, cx: &Cx<'_>) -> Option<Address> {
        self.account_of_call(cx)
    }

    fn context(&self) -> Context {
        Context::Diff
    }

    fn offers(&self, action: Action) -> bool {
        !matches!(
            action,
            Action::Refresh
                | Action::CopyToken
                | Action::CopyBlock
                | Action::CopyMethod
                | Action::CopyValue
                | Action::CopyJson
                | Action::CopyRow
        )
    }

    fn why_not(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        match action {
            Action::Toggle => {
                let open = self.folds.is_open(&self.found, self.selected);
                open.is_none().then_some("this call makes no calls: nothing to fold")
            }
            Action::Parent => {
                let above = self.found.above(self.selected.row()).next();
                above.is_none().then_some("nothing calls this: it is the transaction itself")
            }
            Action::NextCell
            | Action::PreviousCell
            | Action::FoldAll
            | Action::UnfoldAll
            | Action::NextDifference
            | Action::PreviousDifference
            // The text of a comparison may be long: it is there.
            | Action::CopySubtree
            | Action::CopyTree => None,
            _ => action.elsewhere().filter(|_| self.copy(action, cx).is_none()),
        }
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        self.place_words()
    }
}
