//! One thing in full: every field of its object, labelled, nothing shortened.

use std::fmt::Debug;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use serde_json::value::RawValue;

use super::export::Paper;
use super::{Confirm, Cx, Link, Pane, Viewer, Want, detail_lines};
use crate::api::address::AddressRef;
use crate::api::{ApiError, Query, Reply};
use crate::chain::Address;
use crate::chain::target::Subject;
use crate::keymap::Context;
use crate::msg::{Action, Effect, Why};
use crate::safety::url_policy::Media;
use crate::sanitize::{Text, json_line, json_pretty, json_whole};
use crate::ui::document::{Document, Entry, Leads, Pressed};
use crate::ui::format::wrap;
use crate::ui::theme::Role;

/// Something that can be shown in full.
pub trait Detailed: Debug {
    /// Its lines.
    fn entries(&self, cx: &Cx<'_>) -> Vec<Entry>;

    /// What a copy key means here, seen from `viewed`: what it is called, and the value, or none when
    /// there is none.
    fn copy(&self, action: Action, viewed: Option<Address>)
    -> Option<(&'static str, Option<Text>)>;

    /// Every address in it, for warnings.
    fn parties(&self) -> Vec<&AddressRef>;
}

/// What is shown: the thing, or why it cannot be read, and what the server sent of it.
#[derive(Debug)]
pub struct Shown {
    /// The thing.
    pub read: Result<Box<dyn Detailed>, Text>,
    /// Its original JSON, where there is one of its own.
    pub raw: Option<Arc<RawValue>>,
}

/// Takes a thing out of an answer, if it is in there.
pub type Take = fn(Reply) -> Option<Shown>;

/// The pane.
#[derive(Debug)]
pub struct Detail {
    /// How to ask for it, where it can be asked for.
    query: Option<Query>,
    /// Takes the thing out of an answer.
    take: Take,
    title: Text,
    shown: Option<Shown>,
    state: State,
    /// What is shown is an answer, not what a list had.
    answered: bool,
    epoch: u32,
    document: Document,
    /// With which of the user's labels it was written.
    labels: u32,
}

/// What the explorer was asked about it.
#[derive(Debug)]
enum State {
    /// Nothing: what a list had is shown.
    FromList,
    /// To be asked.
    Unasked,
    Waiting,
    Answered,
    Failed(ApiError),
}

impl Detail {
    /// Something that is to be asked for.
    pub fn asked(query: Query, title: Text, take: Take) -> Self {
        Self { take, state: State::Unasked, ..Self::blank(Some(query), title) }
    }

    /// Something that a list had, and how to ask for more of it, if that is possible.
    pub fn of(shown: Shown, again: Option<(Query, Take)>) -> Self {
        let (query, take) = match again {
            Some((query, take)) => (Some(query), take),
            None => (None, nothing as Take),
        };
        Self { shown: Some(shown), take, ..Self::blank(query, Text::default()) }
    }

    /// The same of a thing that an earlier answer held in full.
    #[must_use]
    pub fn answered(self) -> Self {
        Self { state: State::Answered, answered: true, ..self }
    }

    /// A row that could not be read.
    pub fn unread(why: Text, raw: &Arc<RawValue>) -> Self {
        Self::of(Shown { read: Err(why), raw: Some(raw.clone()) }, None)
    }

    fn blank(query: Option<Query>, title: Text) -> Self {
        let (state, document) = (State::FromList, Document::default());
        Self {
            query,
            take: nothing,
            title,
            shown: None,
            state,
            answered: false,
            epoch: 0,
            document,
            labels: 0,
        }
    }

    fn ask(&mut self, why: Why) -> Vec<Want> {
        let Some(query) = self.query.clone() else { return Vec::new() };
        self.state = State::Waiting;
        vec![Want::Ask(query, None, why)]
    }

    fn write(&mut self, cx: &Cx<'_>) {
        let Some(shown) = &self.shown else { return };
        let mut entries = match &shown.read {
            Ok(thing) => warned(thing.entries(cx), thing.as_ref(), cx),
            Err(why) => vec![Entry::text("unreadable", why.clone()).role(Role::Warning)],
        };
        detail_lines::entries(&mut entries, cx.seen.labels());
        self.labels = cx.seen.relabelled();
        if let Some(raw) = &shown.raw {
            let open = shown.read.is_err();
            let head = Entry::text("JSON", "as the explorer sent it").fold(open);
            entries.push(head.copy(json_line(raw.get())));
            let lines = json_pretty(raw.get()).into_iter();
            entries.extend(lines.map(|line| Entry::text("", line).under(1)));
        }
        self.document.resize(cx.area);
        self.document.set(entries);
    }

    fn open(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        match self.document.selected().and_then(|entry| entry.leads.clone()) {
            Some(Leads::To(subject)) => vec![Want::Follow(Link::Subject(subject))],
            Some(Leads::Web(url)) => vec![open_media(&url)],
            None => {
                self.document.fold(None, cx.area.height);
                Vec::new()
            }
        }
    }

    fn copy(&self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let shown = self.shown.as_ref()?;
        let (what, text) = match (action, &shown.read) {
            (Action::CopyCell, _) => ("line", self.document.selected().map(Entry::copied)),
            (Action::CopyJson, _) if shown.raw.is_some() => {
                ("JSON", shown.raw.as_ref().map(|raw| Text::new(&json_line(raw.get()))))
            }
            (_, Ok(thing)) => thing.copy(action, cx.known.whose())?,
            (_, Err(_)) => return None,
        };
        Some(vec![match text.filter(|text| !text.is_empty()) {
            Some(text) => super::guarded(what, text, cx.known, &[]),
            None => Want::Say(Text::new(&format!("no {what} to copy here"))),
        }])
    }

    /// The original JSON: its own, or what the thing is.
    fn json(&self, cx: &Cx<'_>) -> Option<Vec<Text>> {
        let shown = self.shown.as_ref()?;
        let json = match (&shown.raw, &shown.read) {
            (Some(raw), _) => json_line(raw.get()),
            (None, Ok(thing)) => thing.copy(Action::CopyJson, cx.known.whose())?.1?.to_string(),
            (None, Err(_)) => return None,
        };
        Some(json_whole(&json))
    }

    fn go(&mut self, action: Action, height: u16) -> bool {
        let Some(by) = action.rows(height) else { return false };
        self.document.go(by, height);
        true
    }
}

fn nothing(_: Reply) -> Option<Shown> {
    None
}

/// The lines of a thing, and before them what its addresses warn of.
fn warned(mut entries: Vec<Entry>, thing: &dyn Detailed, cx: &Cx<'_>) -> Vec<Entry> {
    for party in thing.parties() {
        if let Some(resemblance) = cx.known.resembles(&party.hash) {
            let words = format!("{} {}", party.hash, resemblance.words());
            entries.insert(0, Entry::text("! look-alike", words).role(Role::Warning));
        }
    }
    entries
}

/// Asks before a stranger's address is opened: the host first.
fn open_media(url: &Text) -> Want {
    match Media::read(url).openable() {
        Ok(url) => Want::Confirm(Confirm::open(url.clone())),
        Err(why) => Want::Say(why),
    }
}

impl Pane for Detail {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        // Amounts and times may be written in another way by now.
        self.write(cx);
        self.document.resize(cx.area);
        match self.state {
            State::Unasked => self.ask(Why::Asked),
            _ => Vec::new(),
        }
    }

    fn leave(&mut self) {
        if self.is_busy() {
            self.epoch += 1;
            self.state = match (&self.shown, self.answered) {
                (None, _) => State::Unasked,
                (Some(_), false) => State::FromList,
                (Some(_), true) => State::Answered,
            };
        }
    }

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let height = cx.area.height;
        if self.go(action, height) {
            return Some(Vec::new());
        }
        match action {
            Action::NextCell => drop(self.document.fold(Some(true), height)),
            Action::PreviousCell => drop(self.document.fold(Some(false), height)),
            Action::Toggle => drop(self.document.fold(None, height)),
            Action::Open => return Some(self.open(cx)),
            Action::Refresh if self.query.is_some() => {
                self.epoch += 1;
                return Some([vec![Want::Drop], self.ask(Why::Refresh)].concat());
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
        match reply.map(self.take) {
            Ok(Some(shown)) => {
                self.shown = Some(shown);
                (self.state, self.answered) = (State::Answered, true);
                self.write(cx);
            }
            Ok(None) => {}
            Err(error) => self.state = State::Failed(error),
        }
        Vec::new()
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.document.resize(cx.area);
    }

    fn rewrite(&mut self, cx: &Cx<'_>) {
        self.write(cx);
    }

    fn click(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        self.shown.as_ref()?;
        Some(match self.document.click(at, cx.area)? {
            Pressed::Again => self.open(cx),
            Pressed::Line | Pressed::Mark => Vec::new(),
        })
    }

    fn wheel(&mut self, by: isize, _: Position, cx: &Cx<'_>) -> Vec<Want> {
        self.document.scroll(by, cx.area.height);
        Vec::new()
    }

    fn paper(&self, viewer: Viewer, cx: &Cx<'_>) -> Result<Paper, Text> {
        if self.shown.is_none() {
            return Err("it is not loaded".into());
        }
        let json = || self.json(cx).map(|lines| Paper::new("object.json", lines));
        match viewer {
            Viewer::Pager => Ok(Paper::new("object.txt", self.document.text())),
            Viewer::Editor => json().ok_or_else(|| "there is no JSON of it".into()),
        }
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        if self.shown.is_some() {
            return self.document.view(cx.area, buf, cx.styles);
        }
        let (text, role) = match &self.state {
            State::Failed(error) => {
                let retry = cx.keys.sentence("✗ failed, {refresh} to retry");
                (format!("{retry}: {error} ({})", error.hint()), Role::Failed)
            }
            State::Waiting => ("loading…".into(), Role::Dim),
            _ => (cx.keys.sentence("not loaded: {refresh} loads").into_owned(), Role::Dim),
        };
        let mut lines = cx.area.rows();
        let room = usize::from(cx.area.width).max(2);
        for (text, role) in [(&*self.title, Role::Accent), (&*text, role)] {
            for (part, line) in wrap(text, room).into_iter().zip(lines.by_ref()) {
                let part = text.get(part).unwrap_or_default();
                buf.set_stringn(line.x, line.y, part, room, cx.styles.of(role));
            }
        }
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn is_busy(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    fn address(&self, _: &Cx<'_>) -> Option<Address> {
        match self.document.selected()?.leads {
            Some(Leads::To(Subject::Address(address))) => Some(address),
            _ => None,
        }
    }

    fn relabelled(&mut self, cx: &Cx<'_>) {
        self.write(cx);
    }

    fn context(&self) -> Context {
        Context::Document
    }

    fn why_not(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        let waits = self.shown.is_none();
        match action {
            Action::Refresh if self.query.is_some() => None,
            Action::Toggle | Action::NextCell | Action::PreviousCell | Action::Open if waits => {
                Some("nothing is loaded yet")
            }
            Action::NextCell | Action::PreviousCell => None,
            Action::Open => {
                let leads = self.document.selected().is_some_and(|entry| entry.leads.is_some());
                (!leads && !self.document.folds()).then_some("this line leads nowhere")
            }
            Action::Toggle => (!self.document.folds()).then_some("this line has nothing to fold"),
            Action::CopyCell if !waits => None,
            _ => action.elsewhere().filter(|_| self.copy(action, cx).is_none()),
        }
    }

    fn status(&self, cx: &Cx<'_>) -> Text {
        if self.shown.is_none() {
            return Text::default();
        }
        let (first, last, all) = self.document.extent(cx.area.height);
        let state = match &self.state {
            State::Waiting => "loading… · ".to_owned(),
            State::Failed(error) => format!("✗ {error} · "),
            State::FromList if self.query.is_some() => {
                cx.keys.sentence("from the list, {refresh}: in full · ").into_owned()
            }
            _ => String::new(),
        };
        Text::new(&format!("{state}lines {first}–{last} of {all}"))
    }
}

/// What opening a web address comes to, once the user has seen it.
impl Confirm {
    /// Opens a web address in the browser.
    pub fn open(url: url::Url) -> Self {
        let host = url.host_str().unwrap_or_default().to_owned();
        Self {
            title: "Open in the browser? ({open} opens, {back} does not)",
            lines: vec![Text::new(&format!("host: {host}")), Text::new(url.as_str())],
            effect: Some(Effect::Open(url)),
        }
    }
}
