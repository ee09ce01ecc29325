//! The call trace of a transaction: a tree that folds, with gas, value and what became of each call.

pub mod copy;
mod detail;
pub mod entry;
mod fetch;
mod folds;
pub mod formats;
pub mod gas;
mod icicle;
mod jumps;
pub mod names;
pub mod overlay;
pub mod reason;
pub mod row;
pub(crate) mod search;
mod substitute;
pub mod text;
mod value_flow;
mod view;

use std::sync::Arc;
use std::time::Duration;

use super::{Cx, Link, Pane, Prompt, Want};
use crate::abi::Mode;
use crate::api::transactions::{Outcome as TxOutcome, Transaction};
use crate::api::{ApiError, Query, Reply};
use crate::chain::TxHash;
use crate::keymap::Context;
use crate::msg::{Action, TraceNews};
use crate::text::Text;
use crate::trace::flow::{self, Flow};
use crate::trace::revert;
use crate::trace::{Frame, Outline, Tree};
use crate::ui::document::Document;
use fetch::{Fetch, State};
use folds::{Left, Order};
use formats::{Export, Format, Scope};
use names::Names;
use overlay::Overlay;
use search::Search;
use substitute::Substitute;
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

/// A trace that others are compared with.
#[derive(Debug, Clone)]
pub struct Marked {
    /// The transaction.
    pub transaction: TxHash,
    /// Its complete trace.
    pub tree: Arc<Tree>,
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
    overlay: Overlay,
    /// From the outermost failure down to where it began, and which failure that is.
    revert: (Option<u32>, Vec<u32>),
    search: Option<Search>,
    filter: Option<Search>,
    detail: Document,
    /// Of which call the detail is, and in which form.
    detailed: Option<(u32, Mode, bool, bool)>,
    /// Keys move in the detail.
    focus: bool,
    zoomed: bool,
    mode: Mode,
    of_parent: bool,
    step: u16,
    substitute: Substitute,
    said: Option<Text>,
    epoch: u32,
}

use Trace as TracePane;

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
            overlay: Overlay::default(),
            revert: (None, Vec::new()),
            search: None,
            filter: None,
            detail: Document::default(),
            detailed: None,
            focus: false,
            zoomed: false,
            mode: Mode::Natural,
            of_parent: false,
            step: STEP,
            substitute: Substitute::default(),
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
        }
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
        vec![Want::Trace(self.transaction, self.fetch.ask())]
    }

    /// Asks anew; what is here goes.
    fn ask_again(&mut self) -> Vec<Want> {
        self.epoch += 1;
        self.tree = Arc::default();
        self.outline = Outline::default();
        (self.selected, self.top, self.touched) = (0, 0, false);
        (self.overlay, self.revert, self.substitute) =
            (Overlay::default(), (None, Vec::new()), Substitute::default());
        (self.search, self.filter, self.detailed) = (None, None, None);
        self.view = View::Tree;
        vec![Want::Drop, Want::Trace(self.transaction, self.fetch.ask_longer())]
    }

    /// Nobody waits for the rest any more.
    fn stop(&mut self) {
        self.epoch += 1;
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
        (self.detailed, self.revert) = (None, (None, Vec::new()));
    }

    /// Brings everything that hangs on the selection up to date.
    fn follow_selection(&mut self, cx: &Cx<'_>) {
        self.selected = self.selected.min(self.tree.len().saturating_sub(1));
        let from = revert::outermost(&self.tree, self.selected);
        let from = from.or_else(|| revert::outermost(&self.tree, 0));
        if from != self.revert.0 {
            let found = from.and_then(|from| revert::origin(&self.tree, from));
            self.revert = (from, found.map(|found| found.path).unwrap_or_default());
        }
        let row = self.outline.row(self.selected);
        let height = usize::from(self.parts(cx).rows.height).max(1);
        self.top = self.top.clamp((row + 1).saturating_sub(height), row);
        self.write_detail(cx);
    }

    fn write_detail(&mut self, cx: &Cx<'_>) {
        let open = self.tree.get(self.selected).is_some_and(Frame::is_open);
        let wanted = (self.selected, self.mode, self.focus || self.zoomed, open);
        let area = self.parts(cx).detail;
        if self.detailed != Some(wanted) && area.height > 0 {
            let entries = detail::entries(&self.names(cx), self.selected, self.mode, wanted.2);
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
        Parts::of(cx.area, self.zoomed, !self.notes(cx).is_empty(), rows)
    }

    /// Moves by rows of the tree, or to what is drawn next to it in the other views.
    fn go(&mut self, action: Action, cx: &Cx<'_>) -> bool {
        let half = isize::try_from(self.parts(cx).rows.height / 2).unwrap_or(1).max(1);
        let by = match action {
            Action::NextRow => 1,
            Action::PreviousRow => -1,
            Action::HalfPageDown => half,
            Action::HalfPageUp => -half,
            Action::PageDown => half * 2,
            Action::PageUp => -half * 2,
            Action::First => isize::MIN,
            Action::Last => isize::MAX,
            _ => return false,
        };
        if let View::Flow(flow, at) = &mut self.view {
            let last = flow.accounts.len().saturating_sub(1);
            *at = at.saturating_add_signed(by).min(last);
            return true;
        }
        let last = self.outline.rows().len().saturating_sub(1);
        let row = self.outline.row(self.selected).saturating_add_signed(by).min(last);
        self.selected = self.outline.rows().get(row).copied().unwrap_or(self.selected);
        true
    }

    /// In the icicle, down is in, and left and right are siblings.
    fn walk_icicle(&mut self, action: Action) -> bool {
        let at = self.selected;
        let to = match action {
            Action::NextRow => self.tree.children(at).next(),
            Action::PreviousRow => self.tree.parent(at),
            Action::NextCell => return self.jump(Action::NextSibling),
            Action::PreviousCell => return self.jump(Action::PreviousSibling),
            _ => return false,
        };
        if let Some(to) = to {
            self.go_to(to);
        }
        true
    }

    fn scroll(&mut self, action: Action, cx: &Cx<'_>) -> bool {
        let height = usize::from(self.parts(cx).rows.height).max(1);
        let row = self.outline.row(self.selected);
        self.top = match action {
            Action::ScrollTop => row,
            Action::ScrollMiddle => row.saturating_sub(height / 2),
            Action::ScrollBottom => (row + 1).saturating_sub(height),
            _ => return false,
        };
        true
    }

    /// Another way to look at it.
    fn turn(&mut self, action: Action) -> bool {
        match action {
            Action::Icicle => {
                self.view = match self.view {
                    View::Icicle(_) => View::Tree,
                    _ => View::Icicle(0),
                };
            }
            Action::ValueFlow => {
                self.view = match self.view {
                    View::Flow(..) => View::Tree,
                    _ => View::Flow(Box::new(flow::flow(&self.tree)), 0),
                };
            }
            Action::ZoomIn => self.view = View::Icicle(self.selected),
            Action::ZoomOut => {
                if let View::Icicle(root) = self.view {
                    self.view = View::Icicle(self.tree.parent(root).unwrap_or(root));
                }
            }
            Action::Percent => self.of_parent ^= true,
            Action::Indent => self.step = (self.step + 1).min(8),
            Action::Outdent => self.step = self.step.saturating_sub(1).max(1),
            Action::Focus => self.focus ^= true,
            Action::Zoom => {
                self.zoomed ^= true;
                self.focus = self.zoomed;
            }
            Action::DisplayMode => {
                self.mode = self.mode.next();
                self.said = Some(Text::new(&format!("arguments as {}", self.mode.words())));
            }
            _ => return false,
        }
        true
    }

    fn move_in_detail(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let height = self.parts(cx).detail.height;
        let half = isize::try_from(height / 2).unwrap_or(1).max(1);
        match action {
            Action::NextRow => self.detail.go(1, height),
            Action::PreviousRow => self.detail.go(-1, height),
            Action::HalfPageDown => self.detail.go(half, height),
            Action::HalfPageUp => self.detail.go(-half, height),
            Action::PageDown => self.detail.go(half * 2, height),
            Action::PageUp => self.detail.go(-half * 2, height),
            Action::First => self.detail.go(isize::MIN, height),
            Action::Last => self.detail.go(isize::MAX, height),
            Action::NextCell => drop(self.detail.fold(Some(true), height)),
            Action::PreviousCell => drop(self.detail.fold(Some(false), height)),
            Action::Toggle => drop(self.detail.fold(None, height)),
            Action::Open => match self.detail.selected().and_then(|entry| entry.leads.clone()) {
                Some(crate::ui::document::Leads::To(subject)) => {
                    return Some(vec![Want::Follow(Link::Subject(subject))]);
                }
                _ => drop(self.detail.fold(None, height)),
            },
            Action::Back => (self.focus, self.zoomed) = (false, false),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Follows Esc: overlays of this pane go one by one before the place is left.
    fn back(&mut self) -> Option<Vec<Want>> {
        if self.fetch.is_under_way() {
            self.stop();
            return Some(vec![Want::Drop]);
        }
        if let Some(search) = self.search.take() {
            for folded in search.opened {
                self.outline.set_open(&self.tree, folded, false);
            }
            self.stay_in_sight();
            return Some(Vec::new());
        }
        if self.filter.take().is_some() {
            self.apply_left();
            return Some(Vec::new());
        }
        if !matches!(self.view, View::Tree) {
            self.view = View::Tree;
            return Some(Vec::new());
        }
        None
    }

    fn open(&self, cx: &Cx<'_>) -> Vec<Want> {
        let subject = match &self.view {
            View::Flow(flow, at) => flow
                .accounts
                .get(*at)
                .map(|(address, _)| crate::chain::subject::Subject::Address(*address)),
            _ => detail::leads(&self.names(cx), self.selected),
        };
        match subject {
            Some(subject) => vec![Want::Follow(Link::Subject(subject))],
            None => vec![Want::Say("this call leads to no address".into())],
        }
    }

    fn next_hit(&mut self, ahead: bool) {
        let Some(search) = &self.search else {
            self.said = Some("nothing is searched for: / searches".into());
            return;
        };
        let Some((_, hit)) = search.next(self.selected, ahead) else {
            self.said = Some("no call matches".into());
            return;
        };
        let opened = self.outline.reveal(&self.tree, hit);
        if let Some(search) = &mut self.search {
            search.opened.extend(opened);
        }
        self.go_to(hit);
    }

    /// Looks at the next slice of calls for what is searched for.
    fn search_on(&mut self, cx: &Cx<'_>) {
        if let Some(mut search) = self.search.take() {
            let none_yet = search.hits().is_empty();
            let done = search.go_on(&self.names(cx));
            let first = none_yet && !search.hits().is_empty();
            let nothing = done && search.hits().is_empty();
            self.search = Some(search);
            if first && !self.search.as_ref().is_some_and(|s| s.is_hit(self.selected)) {
                self.next_hit(true);
            }
            if nothing {
                self.said = Some("no call matches".into());
            }
        }
        if let Some(mut filter) = self.filter.take() {
            let done = filter.is_done(&self.tree) || filter.go_on(&self.names(cx));
            self.filter = Some(filter);
            if done {
                self.apply_left();
            }
        }
    }

    fn is_searching(&self) -> bool {
        let unfinished = |s: &Option<Search>| s.as_ref().is_some_and(|s| !s.is_done(&self.tree));
        unfinished(&self.search) || unfinished(&self.filter)
    }

    fn want(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        Some(match action {
            Action::Open => self.open(cx),
            Action::Refresh => self.ask_again(),
            Action::Interrupt if self.fetch.is_under_way() => {
                self.stop();
                vec![Want::Drop]
            }
            Action::Back => return self.back(),
            Action::Continue => match self.fetch.state {
                State::Paused => vec![Want::Allow(self.fetch.allow_more())],
                _ => vec![Want::Say("reading is not paused".into())],
            },
            Action::Search => {
                vec![Want::Prompt(Prompt::SearchCalls, self.typed(self.search.as_ref()))]
            }
            Action::FilterRows => {
                vec![Want::Prompt(Prompt::FilterCalls, self.typed(self.filter.as_ref()))]
            }
            Action::Provenance => vec![Want::Say(self.provenance(cx))],
            Action::Signature => vec![Want::Prompt(Prompt::Signature, Text::default())],
            Action::Export => {
                let name =
                    format!("trace-{}.txt", crate::ui::format::short_hash(&self.transaction));
                vec![Want::Prompt(Prompt::ExportTrace, Text::new(&name.replace('…', "-")))]
            }
            Action::InFull => {
                let raw = entry::raw(&self.tree, self.selected);
                match serde_json::value::RawValue::from_string(raw) {
                    Ok(raw) => vec![Want::Follow(Link::Row(raw.into()))],
                    Err(_) => vec![Want::Say("this entry is no JSON of its own".into())],
                }
            }
            Action::Mark if matches!(self.fetch.state, State::Complete) => {
                let marked = Marked { transaction: self.transaction, tree: self.tree.clone() };
                vec![
                    Want::Mark(marked),
                    Want::Say("marked: D in another trace compares the two".into()),
                ]
            }
            Action::Mark => vec![Want::Say("only a complete trace can be marked".into())],
            Action::Diff => self.diff(cx),
            _ => return self.copy(action, cx),
        })
    }

    /// Where the meaning of the selected call is from.
    fn provenance(&self, cx: &Cx<'_>) -> Text {
        let names = self.names(cx);
        let Some(frame) = self.tree.get(self.selected) else { return Text::default() };
        if names.by_server(self.selected, frame).is_some() {
            return "decoded by the explorer".into();
        }
        let input = self.tree.hex(frame.input, usize::MAX).unwrap_or_default();
        match names.decoded(self.tree.address(frame.to), &input) {
            Some(decoded) => decoded.source.words(),
            None => "nobody here knows this call: S types its signature".into(),
        }
    }

    fn typed(&self, search: Option<&Search>) -> Text {
        search.map(|search| search.text.clone()).unwrap_or_default()
    }

    fn diff(&self, cx: &Cx<'_>) -> Vec<Want> {
        let ours = Marked { transaction: self.transaction, tree: self.tree.clone() };
        match cx.marked {
            None => vec![Want::Say("no trace is marked: mm marks one, then D in another".into())],
            Some(_) if !matches!(self.fetch.state, State::Complete) => {
                vec![Want::Say("only a complete trace can be compared".into())]
            }
            Some(marked) => vec![Want::Follow(Link::Diff(Box::new([marked.clone(), ours])))],
        }
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
        if complete {
            let broken = self.tree.ending().is_some_and(|ending| ending.broken.is_some());
            if !broken || matches!(self.fetch.state, State::Reading | State::Waiting) {
                self.fetch.state = State::Complete;
            }
            self.settle(cx);
        }
    }
}

impl Pane for Trace {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        let wants = match self.fetch.state {
            State::Unasked | State::Pending => self.ask(cx),
            _ => Vec::new(),
        };
        if matches!(self.fetch.state, State::Complete) {
            // Names, and transfers, may have become known elsewhere.
            self.overlay = Overlay::lay(&self.tree, &cx.seen.transfers(&self.transaction));
            self.detailed = None;
        }
        self.follow_selection(cx);
        wants
    }

    fn leave(&mut self) {
        if self.is_busy() {
            self.substitute.stop();
            match self.fetch.is_under_way() {
                true => self.stop(),
                false => self.epoch += 1,
            }
        }
    }

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        self.said = None;
        let mut wants = Vec::new();
        let in_detail = self.focus.then(|| self.move_in_detail(action, cx)).flatten();
        if let Some(more) = in_detail {
            wants = more;
        } else if !(matches!(self.view, View::Icicle(_)) && self.walk_icicle(action))
            && !self.go(action, cx)
            && !self.jump(action)
            && !self.fold(action)
            && !self.scroll(action, cx)
            && !self.turn(action)
        {
            match action {
                Action::NextMatch => self.next_hit(true),
                Action::PreviousMatch => self.next_hit(false),
                _ => wants = self.want(action, cx)?,
            }
        }
        self.touched |= action != Action::Refresh;
        wants.extend(self.said.take().map(Want::Say));
        self.follow_selection(cx);
        Some(wants)
    }

    fn reply(&mut self, query: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want> {
        let (wants, body) = self.substitute.take(query, reply);
        if let Some(body) = body {
            self.tree = Arc::new(crate::trace::reader::read(body));
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
        self.follow_selection(cx);
        wants
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.follow_selection(cx);
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut ratatui::buffer::Buffer) {
        self.draw(cx, buf);
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn is_busy(&self) -> bool {
        self.fetch.is_under_way() || self.substitute.is_busy()
    }

    fn context(&self) -> Context {
        Context::Trace
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        self.place_words()
    }

    fn entered(&mut self, prompt: Prompt, text: &str, cx: &Cx<'_>) -> Vec<Want> {
        let wants = self.typed_in(prompt, text, cx);
        self.follow_selection(cx);
        wants
    }

    fn tick(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        if self.is_searching() {
            self.search_on(cx);
            self.follow_selection(cx);
        }
        self.said.take().map(Want::Say).into_iter().collect()
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

    fn typed_in(&mut self, prompt: Prompt, text: &str, cx: &Cx<'_>) -> Vec<Want> {
        let parsed = |text: &str| Search::parse(text.trim(), cx.network.decimals);
        match prompt {
            Prompt::Signature => return vec![Want::Learn(Text::new(text.trim()))],
            Prompt::ExportTrace => return vec![self.export(text, cx)],
            Prompt::SearchCalls if text.trim().is_empty() => self.search = None,
            Prompt::FilterCalls if text.trim().is_empty() => {
                self.filter = None;
                self.apply_left();
            }
            Prompt::SearchCalls => match parsed(text) {
                Ok(search) => self.search = Some(search),
                Err(why) => return vec![Want::Say(why)],
            },
            Prompt::FilterCalls => match parsed(text) {
                Ok(filter) => self.filter = Some(filter),
                Err(why) => return vec![Want::Say(why)],
            },
            _ => {}
        }
        self.search_on(cx);
        self.said.take().map(Want::Say).into_iter().collect()
    }

    /// The trace as a file: its ending says in which form.
    fn export(&self, path: &str, cx: &Cx<'_>) -> Want {
        let path = path.trim();
        let format = match Format::of_file(path) {
            Ok(format) => format,
            Err(endings) => return Want::Say(Text::from(endings)),
        };
        let scope = Scope::all(&self.tree);
        let names = self.names(cx);
        let export = Export { names, transaction: self.transaction, scope: &scope, styles: None };
        let said = export.shortcoming(format).unwrap_or_else(|| "calls".into());
        match export.lines(format) {
            Ok(lines) => Want::Save(path.into(), lines, said.into()),
            Err(why) => Want::Say(Text::from(format!("not written: {why}"))),
        }
    }
}
