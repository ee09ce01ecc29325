//! One thing in full: every field of its object, labelled, nothing shortened.

use std::fmt::Debug;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use serde_json::value::RawValue;

use super::export::Export;
use super::{
    Availability, Command, Confirmation, ExternalTool, Pane, PaneContext, PaneEvent, PaneState,
    Route, detail_lines,
};
use crate::api::address::AddressRef;
use crate::api::{ApiError, Query, Reply};
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::columns::CopyValue;
use crate::keymap::KeyContext;
use crate::msg::{Action, Effect, Priority};
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::{SafeText, json_line, json_pretty, json_pretty_full};
use crate::ui::document::{Document, DocumentClick, DocumentEntry, EntryLink};
use crate::ui::format::wrap;
use crate::ui::theme::Role;

/// Something that can be shown in full.
pub trait DetailSource: Debug {
    /// Its lines.
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry>;

    /// What a copy key means here, seen from `viewed`: what it is called, and the value, or none when
    /// there is none.
    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue>;

    /// Every address in it, for warnings.
    fn parties(&self) -> Vec<&AddressRef>;

    /// Whether it is JSON itself, and copied as such.
    fn is_json(&self) -> bool {
        false
    }
}

/// What is shown: the thing, or why it cannot be read, and what the server sent of it.
#[derive(Debug)]
pub struct LoadedDetail {
    /// The thing.
    pub source: Result<Box<dyn DetailSource>, SafeText>,
    /// Its original JSON, where there is one of its own.
    pub raw: Option<Arc<RawValue>>,
}

impl LoadedDetail {
    /// Whether a copy key means anything here.
    fn can_copy(&self, action: Action, cx: &PaneContext<'_>) -> bool {
        let viewed = cx.known_addresses.viewed_address();
        self.source.as_ref().is_ok_and(|source| match action {
            // The JSON may be long: it is not built to answer this.
            Action::CopyJson => self.raw.is_some() || source.is_json(),
            _ => source.copy_value(action, viewed).is_some(),
        })
    }
}

/// Takes a thing out of an answer, if it is in there.
pub type LoadFn = fn(Reply) -> Option<LoadedDetail>;

/// The pane.
#[derive(Debug)]
pub struct DetailPane {
    /// How to ask for it, where it can be asked for.
    query: Option<Query>,
    /// Takes the thing out of an answer.
    load: LoadFn,
    title: SafeText,
    loaded: Option<LoadedDetail>,
    state: DetailState,
    /// What is shown is an answer, not what a list had.
    answered: bool,
    epoch: u32,
    document: Document,
    /// With which of the user's labels it was written.
    label_revision: u32,
}

/// What the explorer was asked about it.
#[derive(Debug)]
enum DetailState {
    /// Nothing: what a list had is shown.
    FromList,
    /// To be asked.
    NotRequested,
    Loading,
    Loaded,
    Failed(ApiError),
}

impl DetailPane {
    /// Something that is to be asked for.
    pub fn from_query(query: Query, title: SafeText, take: LoadFn) -> Self {
        Self { load: take, state: DetailState::NotRequested, ..Self::empty(Some(query), title) }
    }

    /// Something that a list had, and how to ask for more of it, if that is possible.
    pub fn from_loaded(shown: LoadedDetail, again: Option<(Query, LoadFn)>) -> Self {
        let (query, take) = match again {
            Some((query, take)) => (Some(query), take),
            None => (None, load_nothing as LoadFn),
        };
        Self { loaded: Some(shown), load: take, ..Self::empty(query, SafeText::default()) }
    }

    /// The same of a thing that an earlier answer held in full.
    #[must_use]
    pub fn answered(self) -> Self {
        Self { state: DetailState::Loaded, answered: true, ..self }
    }

    /// A row that could not be read.
    pub fn from_unreadable(why: SafeText, raw: &Arc<RawValue>) -> Self {
        Self::from_loaded(LoadedDetail { source: Err(why), raw: Some(raw.clone()) }, None)
    }

    fn empty(query: Option<Query>, title: SafeText) -> Self {
        let (state, document) = (DetailState::FromList, Document::default());
        Self {
            query,
            load: load_nothing,
            title,
            loaded: None,
            state,
            answered: false,
            epoch: 0,
            document,
            label_revision: 0,
        }
    }

    fn fetch(&mut self, why: Priority) -> Vec<Command> {
        let Some(query) = self.query.clone() else { return Vec::new() };
        self.state = DetailState::Loading;
        vec![Command::fetch(query, None, why)]
    }

    fn rebuild(&mut self, cx: &PaneContext<'_>) {
        let Some(shown) = &self.loaded else { return };
        let mut entries = match &shown.source {
            Ok(thing) => with_warnings(thing.entries(cx), thing.as_ref(), cx),
            Err(why) => vec![DocumentEntry::text("unreadable", why.clone()).role(Role::Warning)],
        };
        detail_lines::label_entries(&mut entries, cx.name_cache.labels());
        self.label_revision = cx.name_cache.label_revision();
        if let Some(raw) = &shown.raw {
            let open = shown.source.is_err();
            let head = DocumentEntry::text("JSON", "as the explorer sent it").fold(open);
            entries.push(head.copy(json_line(raw.get())));
            let lines = json_pretty(raw.get()).into_iter();
            entries.extend(lines.map(|line| DocumentEntry::text("", line).at_level(1)));
        }
        self.document.resize(cx.area);
        self.document.set(entries);
    }

    fn open(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        match self.document.selected().and_then(|entry| entry.link.clone()) {
            Some(EntryLink::Target(subject)) => vec![Command::Navigate(Route::Target(subject))],
            Some(EntryLink::Web(url)) => vec![confirm_open_url(&url)],
            None => {
                self.document.fold(None, cx.area.height);
                Vec::new()
            }
        }
    }

    fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let shown = self.loaded.as_ref()?;
        let value = match (action, &shown.source) {
            (Action::CopyCell, _) => {
                let entry = self.document.selected();
                CopyValue::new(action, "line", entry.map(DocumentEntry::copy_text))
            }
            (Action::CopyJson, _) if shown.raw.is_some() => {
                let json = shown.raw.as_ref().map(|raw| json_line(raw.get()));
                CopyValue::new(action, "JSON", json)
            }
            (_, Ok(source)) => source.copy_value(action, cx.known_addresses.viewed_address())?,
            (_, Err(_)) => return None,
        };
        Some(match value.text.filter(|text| !text.is_empty()) {
            Some(text) => super::copy_or_confirm(value.label, text, cx.known_addresses, &[]),
            None => Command::Notify(SafeText::new(&format!("no {} to copy here", value.label))),
        })
    }

    /// The original JSON: its own, or what the thing is.
    fn json_lines(&self, cx: &PaneContext<'_>) -> Option<Vec<SafeText>> {
        let shown = self.loaded.as_ref()?;
        let json = match (&shown.raw, &shown.source) {
            (Some(raw), _) => json_line(raw.get()),
            (None, Ok(source)) => {
                let viewed = cx.known_addresses.viewed_address();
                source.copy_value(Action::CopyJson, viewed)?.text?.to_string()
            }
            (None, Err(_)) => return None,
        };
        Some(json_pretty_full(&json))
    }

    fn go(&mut self, action: Action, height: u16) -> bool {
        let Some(by) = action.row_delta(height) else { return false };
        self.document.move_cursor(by, height);
        true
    }
}

fn load_nothing(_: Reply) -> Option<LoadedDetail> {
    None
}

/// The lines of a thing, and before them what its addresses warn of.
fn with_warnings(
    mut entries: Vec<DocumentEntry>,
    thing: &dyn DetailSource,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    for party in thing.parties() {
        if let Some(resemblance) = cx.known_addresses.find_lookalike(&party.hash) {
            let words = format!("{} {}", party.hash, resemblance.describe());
            entries.insert(0, DocumentEntry::text("! look-alike", words).role(Role::Warning));
        }
    }
    entries
}

/// Asks before a stranger's address is opened: the host first.
fn confirm_open_url(url: &SafeText) -> Command {
    match UntrustedUrl::parse(url).openable() {
        Ok(url) => Command::Confirm(Confirmation::open(url.clone())),
        Err(why) => Command::Notify(why),
    }
}

impl Pane for DetailPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        // Amounts and times may be written in another way by now.
        self.rebuild(cx);
        self.document.resize(cx.area);
        match self.state {
            DetailState::NotRequested => self.fetch(Priority::Interactive),
            _ => Vec::new(),
        }
    }

    fn deactivate(&mut self) {
        if self.is_busy() {
            self.epoch += 1;
            self.state = match (&self.loaded, self.answered) {
                (None, _) => DetailState::NotRequested,
                (Some(_), false) => DetailState::FromList,
                (Some(_), true) => DetailState::Loaded,
            };
        }
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        let Some(loaded) = &self.loaded else { return self.unloaded_availability(action) };
        match action {
            Action::Refresh => Availability::supported_if(self.query.is_some()),
            Action::Interrupt => Availability::supported_if(self.is_busy()),
            Action::NextCell | Action::PreviousCell | Action::CopyCell => Availability::Enabled,
            Action::Open => {
                let has_link = self.document.selected().is_some_and(|entry| entry.link.is_some());
                let opens = has_link || self.document.can_fold();
                Availability::enabled_if(opens, "this line leads nowhere")
            }
            Action::Toggle => {
                Availability::enabled_if(self.document.can_fold(), "this line has nothing to fold")
            }
            Action::CopyJson if loaded.raw.is_some() => Availability::Enabled,
            _ if action.is_row_move() => Availability::Enabled,
            _ => Availability::supported_if(loaded.can_copy(action, cx)),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        let height = cx.area.height;
        match action {
            Action::NextCell => drop(self.document.fold(Some(true), height)),
            Action::PreviousCell => drop(self.document.fold(Some(false), height)),
            Action::Toggle => drop(self.document.fold(None, height)),
            Action::Open => return self.open(cx),
            Action::Refresh => {
                self.epoch += 1;
                return [vec![Command::cancel()], self.fetch(Priority::Refresh)].concat();
            }
            Action::Interrupt => {
                self.deactivate();
                return vec![Command::cancel()];
            }
            _ if self.go(action, height) => {}
            _ => return self.copy(action, cx).into_iter().collect(),
        }
        Vec::new()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply { reply, .. } => self.on_reply(reply, cx),
            PaneEvent::Resized => self.document.resize(cx.area),
            PaneEvent::Reformatted | PaneEvent::LabelsChanged => self.rebuild(cx),
            PaneEvent::Click(at) => return self.on_click(at, cx),
            PaneEvent::Wheel { rows, .. } => self.document.scroll(rows, cx.area.height),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if self.loaded.is_some() {
            return self.document.view(cx.area, buf, cx.styles);
        }
        let (text, role) = match &self.state {
            DetailState::Failed(error) => {
                let retry = cx.keys.expand("✗ failed, {refresh} to retry");
                (format!("{retry}: {error} ({})", error.hint()), Role::Failed)
            }
            DetailState::Loading => ("loading…".into(), Role::Dim),
            _ => (cx.keys.expand("not loaded: {refresh} loads").into_owned(), Role::Dim),
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

    fn state(&self) -> PaneState {
        PaneState {
            epoch: self.epoch,
            is_busy: self.is_busy(),
            key_context: KeyContext::Document,
            ..PaneState::default()
        }
    }

    fn status(&self, cx: &PaneContext<'_>) -> SafeText {
        if self.loaded.is_none() {
            return SafeText::default();
        }
        let position = self.document.describe_position(cx.area.height);
        let state = match &self.state {
            DetailState::Loading => "loading… · ".to_owned(),
            DetailState::Failed(error) => format!("✗ {error} · "),
            DetailState::FromList if self.query.is_some() => {
                cx.keys.expand("from the list, {refresh}: in full · ").into_owned()
            }
            _ => String::new(),
        };
        SafeText::new(&format!("{state}{position}"))
    }

    fn address(&self, _: &PaneContext<'_>) -> Option<Address> {
        match self.document.selected()?.link {
            Some(EntryLink::Target(TargetKind::Address(address))) => Some(address),
            _ => None,
        }
    }

    fn export(&self, viewer: ExternalTool, cx: &PaneContext<'_>) -> Result<Export, SafeText> {
        if self.loaded.is_none() {
            return Err("it is not loaded".into());
        }
        let json = || self.json_lines(cx).map(|lines| Export::new("object.json", lines));
        match viewer {
            ExternalTool::Pager => Ok(Export::new("object.txt", self.document.text())),
            ExternalTool::Editor => json().ok_or_else(|| "there is no JSON of it".into()),
        }
    }
}

impl DetailPane {
    fn on_reply(&mut self, reply: Result<Reply, ApiError>, cx: &PaneContext<'_>) {
        match reply.map(self.load) {
            Ok(Some(loaded)) => {
                self.loaded = Some(loaded);
                self.state = DetailState::Loaded;
                self.answered = true;
                self.rebuild(cx);
            }
            Ok(None) => {}
            Err(error) => self.state = DetailState::Failed(error),
        }
    }

    fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Vec<Command> {
        match self.document.click(at, cx.area).filter(|_| self.loaded.is_some()) {
            Some(DocumentClick::SelectedLine) => self.open(cx),
            _ => Vec::new(),
        }
    }

    fn is_busy(&self) -> bool {
        matches!(self.state, DetailState::Loading)
    }

    fn unloaded_availability(&self, action: Action) -> Availability {
        match action {
            Action::Refresh => Availability::supported_if(self.query.is_some()),
            Action::Interrupt => Availability::supported_if(self.is_busy()),
            Action::Toggle | Action::NextCell | Action::PreviousCell | Action::Open => {
                Availability::Disabled("nothing is loaded yet")
            }
            _ => Availability::supported_if(action.is_row_move()),
        }
    }
}

/// What opening a web address comes to, once the user has seen it.
impl Confirmation {
    /// Opens a web address in the browser.
    pub fn open(url: url::Url) -> Self {
        let host = url.host_str().unwrap_or_default().to_owned();
        Self {
            title: "Open in the browser? ({open} opens, {back} does not)",
            lines: vec![SafeText::new(&format!("host: {host}")), SafeText::new(url.as_str())],
            effect: Some(Effect::OpenBrowser(url)),
        }
    }
}
