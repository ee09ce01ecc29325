//! One transaction in full: every field of its object, labelled, nothing shortened.

mod entries;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use serde_json::value::RawValue;

use super::row::csv_line;
use super::{Cx, Link, Pane, Want};
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Item, Query, Reply};
use crate::chain::TxHash;
use crate::keymap::Context;
use crate::msg::Action;
use crate::pane::row::{Row, RowCx};
use crate::text::{Text, json_line, json_pretty};
use crate::ui::document::{Document, Entry};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// The pane.
#[derive(Debug)]
pub struct Detail {
    /// None for a row so broken that it has no hash.
    hash: Option<TxHash>,
    item: Option<Arc<Item<Transaction>>>,
    state: State,
    epoch: u32,
    document: Document,
}

/// What the explorer was asked about it.
#[derive(Debug)]
enum State {
    /// Nothing: the row of a list is shown.
    Row,
    /// To be asked.
    Unasked,
    Waiting,
    Answered,
    Failed(ApiError),
}

impl Detail {
    /// A transaction of which only the hash is known.
    pub fn by_hash(hash: TxHash) -> Self {
        Self {
            hash: Some(hash),
            item: None,
            state: State::Unasked,
            epoch: 0,
            document: Document::default(),
        }
    }

    /// A transaction that stands in a list.
    pub fn of(item: Arc<Item<Transaction>>) -> Self {
        let hash = item.read.as_ref().ok().map(|t| t.hash);
        Self { hash, item: Some(item), state: State::Row, epoch: 0, document: Document::default() }
    }

    /// A row that could not be read.
    pub fn unread(why: Text, raw: &Arc<RawValue>) -> Self {
        Self::of(Arc::new(Item { read: Err(why), raw: raw.clone() }))
    }

    fn ask(&mut self) -> Vec<Want> {
        let Some(hash) = self.hash else { return Vec::new() };
        self.state = State::Waiting;
        vec![Want::Ask(Query::Transaction(hash), None)]
    }

    fn write(&mut self, cx: &Cx<'_>) {
        let Some(item) = &self.item else { return };
        let mut entries = match &item.read {
            Ok(transaction) => entries::of(transaction, cx),
            Err(why) => vec![Entry::text("unreadable", why.clone()).role(Role::Warning)],
        };
        let open = item.read.is_err();
        entries.push(
            Entry::text("JSON", "as the explorer sent it")
                .fold(open)
                .copy(json_line(item.raw.get())),
        );
        entries.extend(
            json_pretty(item.raw.get()).into_iter().map(|line| Entry::text("", line).under(1)),
        );
        self.document.resize(cx.area);
        self.document.set(entries);
    }

    fn open(&mut self, height: u16) -> Vec<Want> {
        if let Some(subject) = self.document.selected().and_then(|entry| entry.link.clone()) {
            return vec![Want::Follow(Link::Subject(subject))];
        }
        self.document.fold(None, height);
        Vec::new()
    }

    fn copy(&self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let item = self.item.as_ref()?;
        let (what, text) = match (action, &item.read) {
            (Action::CopyCell, _) => ("line", self.document.selected().map(Entry::copied)),
            (Action::CopyJson, _) => ("JSON", Some(Text::new(&json_line(item.raw.get())))),
            (Action::CopyRow, Ok(transaction)) => ("row", Some(csv_line(transaction))),
            (_, Ok(transaction)) => {
                let row_cx = RowCx { viewed: None, now: cx.now, network: cx.network };
                transaction.copy(action, &row_cx)?
            }
            (_, Err(_)) => return None,
        };
        Some(vec![match text {
            Some(text) => Want::Copy(what, text),
            None => Want::Say(Text::new(&format!("this transaction has no {what}"))),
        }])
    }
}

impl Pane for Detail {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        self.write(cx);
        match self.state {
            State::Unasked => self.ask(),
            _ => Vec::new(),
        }
    }

    fn leave(&mut self) {
        if self.is_busy() {
            self.epoch += 1;
            self.state = if self.item.is_some() { State::Row } else { State::Unasked };
        }
    }

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let height = cx.area.height;
        let half = isize::try_from(height / 2).unwrap_or(1);
        match action {
            Action::NextRow => self.document.go(1, height),
            Action::PreviousRow => self.document.go(-1, height),
            Action::HalfPageDown => self.document.go(half, height),
            Action::HalfPageUp => self.document.go(-half, height),
            Action::PageDown => self.document.go(half * 2, height),
            Action::PageUp => self.document.go(-half * 2, height),
            Action::First => self.document.go(isize::MIN, height),
            Action::Last => self.document.go(isize::MAX, height),
            Action::NextCell => drop(self.document.fold(Some(true), height)),
            Action::PreviousCell => drop(self.document.fold(Some(false), height)),
            Action::Toggle => drop(self.document.fold(None, height)),
            Action::Open => return Some(self.open(height)),
            Action::Refresh => {
                self.epoch += 1;
                return Some([vec![Want::Drop], self.ask()].concat());
            }
            Action::Interrupt if self.is_busy() => {
                self.leave();
                return Some(vec![Want::Drop]);
            }
            _ => return self.copy(action, cx),
        }
        Some(Vec::new())
    }

    fn reply(&mut self, _: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want> {
        match reply {
            Ok(Reply::Transaction(item)) => {
                self.item = Some(item);
                self.state = State::Answered;
                self.write(cx);
            }
            Ok(_) => {}
            Err(error) => self.state = State::Failed(error),
        }
        Vec::new()
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.document.resize(cx.area);
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        if self.item.is_some() {
            return self.document.view(cx.area, buf, cx.styles);
        }
        let (text, role) = match &self.state {
            State::Failed(error) => {
                (format!("✗ failed, r to retry: {error} ({})", error.hint()), Role::Failed)
            }
            State::Waiting => ("loading…".to_owned(), Role::Dim),
            _ => ("not loaded: r loads".to_owned(), Role::Dim),
        };
        let width = usize::from(cx.area.width);
        if let Some(hash) = self.hash {
            buf.set_string(
                cx.area.x,
                cx.area.y,
                cut(&hash.to_string(), width),
                cx.styles.of(Role::Accent),
            );
        }
        if cx.area.height > 1 {
            buf.set_string(cx.area.x, cx.area.y + 1, cut(&text, width), cx.styles.of(role));
        }
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn is_busy(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    fn context(&self) -> Context {
        Context::Document
    }

    fn status(&self, cx: &Cx<'_>) -> Text {
        if self.item.is_none() {
            return Text::default();
        }
        let (first, last, all) = self.document.extent(cx.area.height);
        let state = match &self.state {
            State::Waiting => "loading… · ".to_owned(),
            State::Failed(error) => format!("✗ {error} · "),
            State::Row => "from the list, r: in full · ".to_owned(),
            _ => String::new(),
        };
        Text::new(&format!("{state}lines {first}–{last} of {all}"))
    }
}
