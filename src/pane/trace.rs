//! The call trace of a transaction: a tree that folds, with gas, value and what became of each call.

mod actions;
mod availability;
pub mod call_labels;
pub mod copy;
mod detail;
pub mod diagnostics;
pub mod export;
mod fallback;
mod fetch;
mod find;
mod folds;
pub mod frame_json;
pub mod gas;
mod goto;
mod icicle;
mod mouse;
pub mod row;
mod scroll;
pub(crate) mod search;
pub mod text;
pub mod transfer_matching;
mod value_flow;
mod view;

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Position;

use super::export::{Aim, Paper};
use super::{Cx, Pane, Prompt, Viewer, Want};
use crate::abi::Mode;
use crate::api::transactions::{Outcome as TxOutcome, Transaction};
use crate::api::{ApiError, Query, Reply};
use crate::chain::amount::Unit;
use crate::chain::{Address, TxHash};
use crate::keymap::Context;
use crate::msg::{Action, TraceNews, Why};
use crate::sanitize::Text;
use crate::trace::revert_origin;
use crate::trace::value_flow::Flow;
use crate::trace::{Frame, Outline, Tree};
use crate::ui::document::Document;
use call_labels::Names;
use detail::How;
use fallback::Substitute;
use fetch::{Fetch, State};
use folds::{Left, Order};
use search::Search;
use transfer_matching::Overlay;
use view::Parts;

/// Columns a level is indented at first.
const STEP: u16 = 2;

/// What the pane shows.
#[derive(Debug)]
enum View {
    Tree,
    /// Gas as an icicle, below this call.
    Icicle(u32),
    /// Who gained and lost, and which line is selected.
    Flow(Box<Flow>, usize),
}

/// How the detail stands to the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Below the tree, of the call that is passed by.
    Beside,
    /// Below the tree, with the keys.
    Entered,
    /// Over the whole pane, with the keys.
    Alone,
}

/// The pane.
#[derive(Debug)]
pub struct Trace {
    transaction: TxHash,
    fetch: Fetch,
    tree: Arc<Tree>,
    outline: Outline,
    selected: u32,
    /// The first row in sight.
    top: usize,
    view: View,
    left: Left,
    order: Order,
    /// The user has done something already: folds and selection are not changed under the hand.
    touched: bool,
    /// The call to go to when it is there, by its path.
    sought: Vec<u32>,
    overlay: Overlay,
    /// From the outermost failure down to where it began, and which failure that is.
    revert: (Option<u32>, Vec<u32>),
    search: Option<Search>,
    filter: Option<Search>,
    detail: Document,
    /// Of which call the detail is, and in which form.
    detailed: Option<(u32, (Mode, bool), bool)>,
    side: Side,
    mode: Mode,
    of_parent: bool,
    step: u16,
    substitute: Substitute,
    /// The transaction itself is asked for.
    asks: bool,
    said: Option<Want>,
    epoch: u32,
}

impl Trace {
    /// The trace of a transaction, asked for when it is first looked at.
    pub fn new(transaction: TxHash) -> Self {
        Self {
            transaction,
            fetch: Fetch::default(),
            tree: Arc::default(),
            outline: Outline::default(),
            selected: 0,
            top: 0,
            view: View::Tree,
            left: Left::default(),
            order: Order::default(),
            touched: false,
            sought: Vec::new(),
            overlay: Overlay::default(),
            revert: (None, Vec::new()),
            search: None,
            filter: None,
            detail: Document::default(),
            detailed: None,
            side: Side::Beside,
            mode: Mode::Natural,
            of_parent: false,
            step: STEP,
            substitute: Substitute::default(),
            asks: false,
            said: None,
            epoch: 0,
        }
    }

    fn names<'a>(&'a self, cx: &Cx<'a>) -> Names<'a> {
        Names {
            tree: &self.tree,
            book: cx.book,
            seen: cx.seen,
            network: cx.network,
            transaction: self.seen(cx),
            overlay: &self.overlay,
            unit: Unit::Coin,
        }
    }

    /// The same for the screen.
    fn shown_names<'a>(&'a self, cx: &Cx<'a>) -> Names<'a> {
        Names { unit: cx.notation.unit, ..self.names(cx) }
    }

    /// The transaction, as far as it was seen elsewhere.
    fn seen<'a>(&self, cx: &Cx<'a>) -> Option<&'a Transaction> {
        cx.seen.transaction(&self.transaction)?.read.as_ref().ok()
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        if self.seen(cx).is_some_and(|transaction| transaction.outcome() == TxOutcome::Pending) {
            self.fetch.state = State::Pending;
            return Vec::new();
        }
        let about = self.ask_about(cx);
        [Want::Trace(self.transaction, self.fetch.ask())].into_iter().chain(about).collect()
    }

    /// Asks for the transaction too, unless it is known: it says what its calldata means, what else it
    /// cost and which tokens moved.
    fn ask_about(&mut self, cx: &Cx<'_>) -> Option<Want> {
        self.asks = !cx.seen.knows_all_transfers(&self.transaction);
        self.asks.then(|| Want::Ask(Query::Transaction(self.transaction), None, Why::Asked))
    }

    /// Asks anew; what is here goes.
    fn ask_again(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        self.epoch += 1;
        self.tree = Arc::default();
        self.outline = Outline::default();
        (self.selected, self.top, self.touched) = (0, 0, false);
        (self.overlay, self.revert, self.substitute) =
            (Overlay::default(), (None, Vec::new()), Substitute::default());
        (self.search, self.filter, self.detailed) = (None, None, None);
        self.view = View::Tree;
        let anew = [Want::Drop, Want::Trace(self.transaction, self.fetch.ask_longer())];
        anew.into_iter().chain(self.ask_about(cx)).collect()
    }

    /// Names, and transfers, may have become known.
    fn know_more(&mut self, cx: &Cx<'_>) {
        if matches!(self.fetch.state, State::Complete) {
            self.overlay = Overlay::lay(&self.tree, &cx.seen.transfers(&self.transaction));
        }
        self.detailed = None;
        self.follow_selection(cx);
    }

    /// Nobody waits for the rest any more.
    fn stop(&mut self) {
        self.epoch += 1;
        self.asks = false;
        self.fetch.state = if self.tree.is_empty() { State::Unasked } else { State::Stopped };
    }

    /// The trace is as complete as it will be.
    fn settle(&mut self, cx: &Cx<'_>) {
        let transfers = cx.seen.transfers(&self.transaction);
        self.overlay = Overlay::lay(&self.tree, &transfers);
        self.apply_left();
        if !self.touched {
            self.fold_at_first(self.parts(cx).rows.height);
        }
        self.find_sought();
        (self.detailed, self.revert) = (None, (None, Vec::new()));
    }

    /// Brings everything that hangs on the selection up to date.
    fn follow_selection(&mut self, cx: &Cx<'_>) {
        self.selected = self.selected.min(self.tree.len().saturating_sub(1));
        let from = revert_origin::outermost(&self.tree, self.selected);
        let from = from.or_else(|| revert_origin::outermost(&self.tree, 0));
        if from != self.revert.0 {
            let found = from.and_then(|from| revert_origin::origin(&self.tree, from));
            self.revert = (from, found.map(|found| found.path).unwrap_or_default());
        }
        let row = self.outline.row(self.selected);
        let height = usize::from(self.parts(cx).rows.height).max(1);
        self.top = self.top.clamp((row + 1).saturating_sub(height), row);
        self.write_detail(cx);
    }

    fn write_detail(&mut self, cx: &Cx<'_>) {
        let open = self.tree.get(self.selected).is_some_and(Frame::is_open);
        let (mode, whole) = (self.mode, self.side != Side::Beside);
        let wanted = (self.selected, (mode, whole), open);
        let area = self.parts(cx).detail;
        if self.detailed != Some(wanted) && area.height > 0 {
            let how = How { mode, whole, keys: cx.keys };
            let mut entries = detail::entries(&self.shown_names(cx), self.selected, how);
            crate::pane::detail_lines::entries(&mut entries, cx.seen.labels());
            if self.detailed.is_none_or(|(before, ..)| before != self.selected) {
                self.detail = Document::default();
            }
            self.detail.resize(area);
            self.detail.set(entries);
            self.detailed = Some(wanted);
        }
        self.detail.resize(area);
    }

    fn parts(&self, cx: &Cx<'_>) -> Parts {
        let rows = match self.view {
            View::Tree => self.outline.rows().len(),
            _ => usize::from(cx.area.height),
        };
        let summary = u16::try_from(self.summary(cx).len()).unwrap_or(1);
        let head = (summary, !self.notes(cx).is_empty());
        Parts::of(cx.area, self.side == Side::Alone, head, rows)
    }

    fn part(&mut self, part: crate::trace::Part, cx: &Cx<'_>) {
        let tree = Arc::make_mut(&mut self.tree);
        let complete = part.ending.is_some();
        if let Some(moves) = tree.grow(part) {
            self.selected = moves.get(self.selected);
            self.outline.moved(&self.tree, |frame| moves.get(frame));
        } else {
            self.outline.grow(&self.tree);
        }
        self.find_sought();
        if complete {
            // Of one that broke off on its way the failure is told next.
            self.fetch.state = State::Complete;
            self.settle(cx);
        }
    }
}

impl Trace {
    /// Whether an action is one of those that only change how the trace is looked at; then it is done.
    fn moves(&mut self, action: Action, cx: &Cx<'_>) -> bool {
        (matches!(self.view, View::Icicle(_)) && self.walk_icicle(action))
            || self.go(action, cx)
            || self.jump(action)
            || self.fold(action)
            || self.scroll(action, cx)
            || self.turn(action)
            || self.seek(action)
    }
}

impl Pane for Trace {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        let wants = match self.fetch.state {
            State::Unasked | State::Pending => self.ask(cx),
            _ => Vec::new(),
        };
        self.know_more(cx);
        wants
    }

    fn leave(&mut self) {
        if self.is_busy() {
            self.substitute.stop();
            self.asks = false;
            if self.fetch.is_under_way() { self.stop() } else { self.epoch += 1 }
        }
    }

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        self.said = None;
        if let Some(why) = self.why_idle(action, cx).filter(|_| self.tree.is_empty()) {
            return Some(vec![Want::Tell(why)]);
        }
        let mut wants = Vec::new();
        let in_detail = self.is_entered().then(|| self.move_in_detail(action, cx)).flatten();
        if let Some(more) = in_detail {
            wants = more;
        } else if !self.moves(action, cx) {
            wants = self.want(action, cx)?;
        }
        self.touched |= action != Action::Refresh;
        wants.extend(self.said.take());
        self.follow_selection(cx);
        Some(wants)
    }

    fn reply(&mut self, query: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want> {
        if matches!(query, Query::Transaction(_)) {
            self.asks = false;
            self.know_more(cx);
            return Vec::new();
        }
        let (wants, body) = self.substitute.take(query, reply);
        if let Some(body) = body {
            self.tree = Arc::new(crate::trace::parser::read(body));
            self.outline = Outline::default();
            self.outline.grow(&self.tree);
            self.settle(cx);
        }
        self.follow_selection(cx);
        wants
    }

    fn traced(&mut self, news: TraceNews, cx: &Cx<'_>) -> Vec<Want> {
        let mut wants = Vec::new();
        match news {
            TraceNews::Begun { expected } => {
                self.fetch.state = State::Reading;
                self.fetch.progress.expected = expected;
            }
            TraceNews::Part { part, dialect, progress } => {
                (self.fetch.progress, self.fetch.dialect) = (progress, dialect);
                self.part(*part, cx);
            }
            TraceNews::Paused(progress) => {
                self.fetch.progress = progress;
                self.fetch.state = State::Paused;
            }
            TraceNews::Failed(error) => self.fetch.state = State::Failed(error),
        }
        if self.is_without_calls() {
            wants.extend(self.substitute.ask(self.transaction));
        }
        wants.extend(self.said.take());
        self.follow_selection(cx);
        wants
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.follow_selection(cx);
    }

    fn rewrite(&mut self, cx: &Cx<'_>) {
        self.detailed = None;
        self.follow_selection(cx);
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut ratatui::buffer::Buffer) {
        self.draw(cx, buf);
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn is_busy(&self) -> bool {
        self.fetch.is_under_way() || self.substitute.is_busy() || self.asks
    }

    fn address(&self, cx: &Cx<'_>) -> Option<Address> {
        self.address_here(cx)
    }

    fn relabelled(&mut self, cx: &Cx<'_>) {
        self.detailed = None;
        self.follow_selection(cx);
    }

    fn context(&self) -> Context {
        Context::Trace
    }

    fn focus_next(&mut self, cx: &Cx<'_>) -> bool {
        let is_shown = !self.tree.is_empty() && self.parts(cx).detail.height > 0;
        let enters = is_shown && !self.is_entered();
        self.side = if enters { Side::Entered } else { Side::Beside };
        self.follow_selection(cx);
        enters
    }

    fn why_not(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        self.why_idle(action, cx)
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        self.place_words()
    }

    fn entered(&mut self, prompt: Prompt, text: &str, cx: &Cx<'_>) -> Vec<Want> {
        let wants = self.typed_in(prompt, text, cx);
        self.follow_selection(cx);
        wants
    }

    fn click(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        self.clicked(at, cx)
    }

    fn wheel(&mut self, by: isize, at: Position, cx: &Cx<'_>) -> Vec<Want> {
        self.wheeled(by, at, cx)
    }

    fn paper(&self, viewer: Viewer, cx: &Cx<'_>) -> Result<Paper, Text> {
        self.written(viewer, cx)
    }

    fn aim(&self) -> Aim {
        let here = self.tree.path(self.selected);
        let node = if self.sought.is_empty() { here } else { self.sought.clone() };
        Aim { node, ..Aim::default() }
    }

    fn take_aim(&mut self, aim: Aim) {
        self.sought = aim.node;
    }

    fn tick(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        if self.is_searching() {
            self.search_on(cx);
            self.follow_selection(cx);
        }
        self.said.take().into_iter().collect()
    }

    fn beat(&self) -> Option<Duration> {
        self.is_searching().then_some(Duration::from_millis(1))
    }
}

impl Trace {
    /// The question was answered, or failed, and there is no call to show.
    fn is_without_calls(&self) -> bool {
        // What the explorer does not know at all has no internal transactions either.
        let unknown =
            |error: &ApiError| matches!(error, ApiError::Refused { status: 401..=404 | 422, .. });
        self.tree.is_empty()
            && match &self.fetch.state {
                State::Complete => true,
                State::Failed(error) => !unknown(error),
                _ => false,
            }
    }
}
