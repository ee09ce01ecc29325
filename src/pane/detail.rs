//! The pane of one object: every field with its label, nothing abbreviated.
//!
//! The object is a [`DetailSource`]: it turns itself into the entries of a document and names the requests
//! for its missing parts. The pane loads it, and keeps cursor and folds while the document is built again.

pub mod arguments;
mod code_panel;
mod draw;
pub mod empty_fields;
pub mod field_entries;
mod json_entries;
mod line_columns;
mod loading;
mod reading;
mod source;
pub mod value_entries;

use ratatui::buffer::Buffer;
use ratatui::layout::Size;

use super::addresses::labels::label_entries;
use super::addresses::lookalike_marks;
use super::block_prompt::BlockPrompt;
use super::export::{Export, SourcePlace, ViewParams};
use super::load_state::LoadState;
use super::picture;
use super::{
    Availability, Command, Confirmation, ExternalTool, Pane, PaneContext, PaneEvent, PaneKind,
    PanePlace, PanePrompt, PaneState, Route, RowCount,
};
use crate::abi::SignatureHash;
use crate::action::{Action, Step};
use crate::api::{ApiError, Query};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::{Address, Timestamp};
use crate::columns::CopyValue;
use crate::columns::table::csv::csv_row;
use crate::keymap::KeyContext;
use crate::messages::list;
use crate::messages::page::{self, PageMessage};
use crate::messages::transaction;
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::{SafeText, json_line, json_pretty_full};
use crate::ui::address_mark::AddressMark;
use crate::ui::document::{Document, DocumentEntry, EntryLink, ValueColumns};
use crate::ui::frame::ScrollExtent;
use crate::ui::theme::Role;

pub use code_panel::columns_next_to_code;
use code_panel::{CodeLayout, CodePanel};
pub use draw::columns_next_to_picture;
pub(in crate::pane) use json_entries::{JSON_LABEL, unfolded_json};
use json_entries::{JsonLines, json_entries, json_tree};
use loading::POLL_INTERVAL;
use reading::UnfinishedCall;
pub use reading::{CallableFunction, FunctionCall, SlotRead, StateReads, VariableWords};
pub use source::{DetailRequest, DetailSource, LoadedDetail, ShownContract};
use value_entries::{shown_lines, unfold_what_fits};

/// Lines that are left free next to fields, for hashes below their labels.
const SPARE_JSON_LINES: u16 = 4;

#[derive(Debug)]
pub struct DetailPane {
    request: Option<DetailRequest>,
    title: SafeText,
    loaded: Option<LoadedDetail>,
    /// Time at which it was loaded. `None` for a row of a list.
    loaded_at: Option<Timestamp>,
    /// Before the object is requested, a row of a list may be shown.
    state: LoadState,
    /// Time of the last answer, which may be a failure.
    answered_at: Option<Timestamp>,
    /// A block has come since the request that is in flight.
    is_behind: bool,
    /// The object is complete, unlike a row of a list.
    is_complete: bool,
    document: Document,
    /// `true` once a key or a click has used the cursor. Before that nothing is selected.
    has_cursor: bool,
    json_lines: JsonLines,
    /// The code, if it is next to the document.
    code: Option<CodePanel>,
    /// Text of the last search.
    searched: SafeText,
    /// The place in its code that is to be shown.
    place: Option<SourcePlace>,
    open_call: Option<UnfinishedCall>,
    block_prompt: BlockPrompt,
}

impl DetailPane {
    pub fn from_query(request: DetailRequest, title: SafeText) -> Self {
        Self { title, ..Self::empty(Some(request)) }
    }

    /// Creates a pane for an object that a list had, which requests all of it if it can.
    pub fn from_loaded(loaded: LoadedDetail, request: Option<DetailRequest>) -> Self {
        Self { loaded: Some(loaded), ..Self::empty(request) }
    }

    /// Marks the object as complete, as an earlier reply of its own was.
    #[must_use]
    pub fn complete(mut self) -> Self {
        self.state.succeed();
        self.is_complete = true;
        self
    }

    fn empty(request: Option<DetailRequest>) -> Self {
        Self {
            request,
            title: SafeText::default(),
            loaded: None,
            loaded_at: None,
            state: LoadState::default(),
            answered_at: None,
            is_behind: false,
            is_complete: false,
            document: Document::default(),
            has_cursor: false,
            json_lines: JsonLines::default(),
            code: None,
            searched: SafeText::default(),
            place: None,
            open_call: None,
            block_prompt: BlockPrompt::default(),
        }
    }

    /// The object, once it is loaded and can be parsed.
    fn source(&self) -> Option<&dyn DetailSource> {
        Some(self.loaded.as_ref()?.source.as_ref().ok()?.as_ref())
    }

    fn source_mut(&mut self) -> Option<&mut (dyn DetailSource + 'static)> {
        Some(self.loaded.as_mut()?.source.as_mut().ok()?.as_mut())
    }

    /// Returns the address under the cursor, or else the one whose code it is.
    fn address_to_copy(&self) -> Option<CopyValue> {
        let value = |name, address| CopyValue::new(Action::CopyAddress, name, Some(address));
        let selected = self.focused().selected_address();
        let of_page = || match self.request.as_ref()?.query {
            Query::Contract(address) => Some(value(list::PAGE_ADDRESS, address)),
            _ => None,
        };
        selected.map(|address| value("address", address)).or_else(of_page)
    }

    fn contract(&self) -> Option<&dyn ShownContract> {
        self.source()?.contract()
    }

    fn picture(&self) -> Option<&SafeText> {
        self.source()?.picture()
    }

    fn mark(&self) -> Option<AddressMark> {
        self.source()?.mark()
    }

    fn is_json(&self) -> bool {
        self.source().is_some_and(DetailSource::is_json)
    }

    fn has_ages(&self) -> bool {
        self.source().is_some_and(DetailSource::has_ages)
    }

    fn rebuild(&mut self, cx: &PaneContext<'_>) {
        let (flow, area) = (self.flow_area(cx), self.entries_area(cx));
        let has_column = flow.is_some();
        let Some(loaded) = &mut self.loaded else { return };
        let mut entries = match &mut loaded.source {
            Ok(source) => {
                source.prepare_chart(cx);
                with_warnings(source.as_ref(), &PaneContext { area, ..*cx })
            }
            Err(why) => vec![DocumentEntry::text("unreadable", why.clone()).role(Role::Warning)],
        };
        label_entries(&mut entries, cx.name_cache.labels());
        let has_json_head = loaded.raw.is_some() && !has_column;
        self.set_code(cx);
        let (area, _) = self.areas(cx);
        if cx.place == PanePlace::Preview && self.code.is_none() {
            let column = if has_column { cx.area.height } else { area.height };
            let lines = usize::from(column).saturating_sub(has_json_head.into());
            unfold_what_fits(&mut entries, lines);
        }
        entries.extend(self.entries_below(&entries, cx));
        let Some(loaded) = &self.loaded else { return };
        let json = loaded.raw.as_ref().map(|raw| {
            if has_column {
                let lines = cx.area.height.saturating_sub(SPARE_JSON_LINES);
                return json_tree(raw, lines.into(), true, cx);
            }
            let free = usize::from(cx.area.height).saturating_sub(shown_lines(&entries) + 1);
            let lines = loaded.source.as_ref().map_or(0, |source| source.json_lines(free, cx));
            unfolded_json(raw, lines, cx)
                .unwrap_or_else(|| json_entries(raw.get(), loaded.source.is_err(), self.json_lines))
        });
        let unfolds = json.as_ref().and_then(|json| json.first()?.open) == Some(true);
        if !has_column {
            self.fold_json(unfolds);
        }
        let second_column = json.as_ref().filter(|_| has_column).map(|_| entries.len());
        let is_moved = second_column.is_some() != self.document.has_second_column();
        self.document.set_second_column(second_column);
        if is_moved || !self.has_cursor {
            // The lines of the JSON are others next to the fields than below them, and unfolded where they have space:
            // their folds are not carried over.
            self.document.set(entries.clone());
        }
        entries.extend(json.into_iter().flatten());
        // The keys of JSON are longer than the labels of fields.
        let has_json_below = unfolds && !has_column;
        let has_one_column = self.source().is_some_and(DetailSource::has_one_column);
        self.document.set_value_columns(match has_one_column && !has_json_below {
            _ if self.is_json() => ValueColumns::Tree,
            true => ValueColumns::One,
            false => ValueColumns::BySiblings,
        });
        self.document.resize(area);
        self.document.set(entries);
        // A function is called with one key.
        if !self.has_cursor && cx.place != PanePlace::Preview {
            let is_function = |link: &EntryLink| matches!(link, EntryLink::Function(_));
            self.has_cursor = self.document.select_link(is_function);
        }
        self.follow(cx);
    }

    /// Returns the entries in the lines that the others leave free next to JSON.
    fn entries_below(&self, entries: &[DocumentEntry], cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Some((source, area)) = self.source().zip(self.flow_area(cx)) else { return Vec::new() };
        let used = Document::lines_of(entries.to_vec(), area.width);
        let free = usize::from(cx.area.height).saturating_sub(used);
        let mut below = source.entries_below(free, &PaneContext { area, ..*cx });
        label_entries(&mut below, cx.name_cache.labels());
        below
    }

    /// Unfolds the JSON below the fields when it gets space, and folds it again without that, unless the user has.
    fn fold_json(&mut self, has_space: bool) {
        self.json_lines = match self.json_lines {
            JsonLines::Unfolded if !has_space && self.document.has_closed(JSON_LABEL) => {
                JsonLines::Folded
            }
            JsonLines::Added if has_space => JsonLines::Unfolded,
            JsonLines::Unfolded if !has_space => JsonLines::Added,
            _ => return,
        };
        self.document.set_open(JSON_LABEL, has_space);
    }

    /// Adds the lines of folded JSON before the first key or click.
    fn add_json_lines(&mut self, cx: &PaneContext<'_>) {
        if self.json_lines == JsonLines::LeftOut {
            self.json_lines = JsonLines::Added;
            self.rebuild(cx);
        }
    }

    /// Returns `true` if the selected line leads to a page or to code, or folds.
    fn can_open(&self) -> bool {
        let document = self.focused();
        document.selected_link().is_some()
            || document.selected().is_some_and(|entry| entry.open.is_some())
            || self.declaration_line().is_some()
    }

    fn open(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_declared = self.declaration_line().is_some();
        let (document, height) = self.focused_mut(cx);
        match document.selected_link().cloned() {
            Some(EntryLink::Function(function)) => self.start_reading(function, cx),
            Some(EntryLink::Slot(slot)) => self.open_slot(&slot, cx),
            Some(EntryLink::Signature(hash)) => vec![Command::LookUp(vec![hash])],
            Some(EntryLink::Target(subject)) => vec![Command::Navigate(Route::Target(subject))],
            Some(EntryLink::Token(token)) => vec![Command::Navigate(Route::Token(token))],
            Some(EntryLink::Call(transaction, path)) => {
                vec![Command::OpenCall(transaction, path)]
            }
            Some(EntryLink::Web(url)) => vec![match UntrustedUrl::parse(&url).openable() {
                Ok(url) => Command::Confirm(Confirmation::open(url.clone())),
                Err(why) => Command::Notify(why.into()),
            }],
            Some(EntryLink::CodeLine(_)) => {
                self.focus_code(true);
                Vec::new()
            }
            None if is_declared => {
                self.focus_code(true);
                Vec::new()
            }
            // A line does not fold what is around it.
            None => {
                if document.selected().is_some_and(|entry| entry.open.is_some()) {
                    document.fold(None, height);
                }
                Vec::new()
            }
        }
    }

    fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let value = self.copied_value(action, cx)?;
        Some(match value.text.filter(|text| !text.is_empty()) {
            Some(text) => super::copy_or_confirm(value.label, text, cx, &[]),
            None => Command::notify(&PageMessage::NothingToCopy { what: value.label }),
        })
    }

    /// Returns the source line that the failure of the object began at, with the contract: none if a creation failed
    /// there.
    fn source_place(&self) -> Option<(Option<Address>, SourcePlace)> {
        self.loaded.as_ref()?.source.as_ref().ok()?.source_place()
    }

    fn json_lines(&self, cx: &PaneContext<'_>) -> Option<Vec<SafeText>> {
        let loaded = self.loaded.as_ref()?;
        let json = match (&loaded.raw, &loaded.source) {
            (Some(raw), _) => json_line(raw.get()),
            (None, Ok(source)) => {
                let viewed = cx.known_addresses.viewed_address();
                source.copy_value(Action::CopyJson, viewed)?.text?.to_string()
            }
            (None, Err(_)) => return None,
        };
        Some(json_pretty_full(&json))
    }
}

fn with_warnings(source: &dyn DetailSource, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let mut entries = source.entries(cx);
    entries.splice(0..0, source.warnings().iter().map(DocumentEntry::warning));
    lookalike_marks::mark_addresses(&mut entries, cx);
    entries
}

impl Pane for DetailPane {
    fn has_margins(&self) -> bool {
        true
    }

    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        // The format of amounts and times may have changed.
        self.rebuild(cx);
        let mut commands = if self.state.is_unasked() {
            self.fetch(Priority::Interactive)
        } else if cx.is_busy {
            Vec::new()
        } else {
            self.fetch_missing(cx)
        };
        commands.extend(self.record_evidence(cx));
        commands
    }

    fn on_cancelled(&mut self, _: &PaneContext<'_>) {
        self.stop_reading();
        self.state.cancel(self.is_complete);
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match (action, &self.loaded) {
            (Action::Refresh, _) => Availability::supported_if(self.request.is_some()),
            (Action::Focus | Action::Zoom, Some(LoadedDetail { source: Ok(source), .. })) => {
                let contract = source.contract();
                Availability::supported_if(contract.is_some_and(ShownContract::has_code))
            }
            (Action::Back, _) => Availability::supported_if(self.is_code_focused()),
            (Action::Picture, _) if self.picture().is_some() => {
                picture::availability(self.picture(), cx)
            }
            (
                Action::Toggle
                | Action::NextCell
                | Action::PreviousCell
                | Action::Open
                | Action::Search,
                None,
            ) if cx.is_busy => Availability::Disabled(page::STILL_LOADING),
            (Action::LookUp, None) if self.absent_transaction().is_some() => Availability::Enabled,
            (Action::CopyAddress, _) if self.address_to_copy().is_some() => Availability::Enabled,
            (_, None) => Availability::supported_if(action.is_row_move()),
            (Action::NextMatch | Action::PreviousMatch, _) => {
                Availability::enabled_if(!self.searched.is_empty(), page::NO_SEARCH_YET)
            }
            (
                Action::NextCell
                | Action::PreviousCell
                | Action::CopyCell
                | Action::FoldAll
                | Action::UnfoldAll
                | Action::Search,
                _,
            ) => Availability::Enabled,
            (Action::Open, _) => Availability::enabled_if(self.can_open(), page::NOTHING_TO_OPEN),
            (Action::LookUp, _) => {
                let has_unknown = !self.focused().selected_signatures().is_empty();
                Availability::enabled_if(has_unknown, page::NO_UNKNOWN_SIGNATURE)
            }
            (Action::Toggle, _) => {
                Availability::enabled_if(self.focused().can_fold(), page::NOTHING_TO_FOLD)
            }
            (Action::Source, _) => match self.source_place() {
                Some((contract, _)) => {
                    Availability::enabled_if(contract.is_some(), transaction::NO_CREATED_CONTRACT)
                }
                None => Availability::Unsupported,
            },
            (Action::AtBlock | Action::ReadSlot, _) => {
                Availability::supported_if(self.state_reads().is_some())
            }
            (_, Some(loaded)) => {
                Availability::supported_if(action.is_row_move() || loaded.can_copy(action, cx))
            }
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        self.add_json_lines(cx);
        if self.move_in_document(action, cx) {
            self.has_cursor = true;
            self.follow(cx);
            return Vec::new();
        }
        match action {
            Action::Open => self.open(cx),
            Action::Search => vec![Command::Prompt(PanePrompt::SearchText.into())],
            Action::NextMatch => self.find(Step::Next, cx),
            Action::PreviousMatch => self.find(Step::Previous, cx),
            Action::LookUp => vec![Command::LookUp(match self.absent_transaction() {
                Some(hash) => vec![SignatureHash::Topic(hash)],
                None => self.focused().selected_signatures(),
            })],
            Action::Source => {
                let place = self.source_place();
                let (contract, at) = place.unzip();
                contract.flatten().map(|own| Command::OpenSource(own, at)).into_iter().collect()
            }
            Action::ReadSlot => vec![Command::Prompt(PanePrompt::Slot.into())],
            Action::AtBlock => vec![Command::Prompt(self.block_request())],
            Action::Picture => picture::fetch(self.picture(), cx).into_iter().collect(),
            Action::Refresh => {
                self.stop_reading();
                [vec![Command::Cancel], self.fetch(Priority::Refresh)].concat()
            }
            _ => self.copy(action, cx).into_iter().collect(),
        }
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply {
                query: query @ (Query::Call(_) | Query::Storage(_) | Query::StorageWords(_)),
                reply,
            } => self.on_state(query, &reply, cx),
            PaneEvent::Reply { query, reply } if self.block_prompt.awaits(query) => {
                return self.on_block_found(&reply, cx);
            }
            PaneEvent::Reply { query: Query::Redirect(name), reply } => {
                return self.on_name_resolved(name, &reply, cx);
            }
            PaneEvent::Prompt { prompt: PanePrompt::Argument, text } => {
                return self.on_argument(text, cx);
            }
            PaneEvent::Prompt { prompt: PanePrompt::Slot, text } => {
                return self.read_slot(text, cx);
            }
            PaneEvent::Prompt { prompt: PanePrompt::Block, text } => {
                return self.on_block(text, cx);
            }
            PaneEvent::Reply { query, reply } => return self.on_reply(query, reply, cx),
            PaneEvent::Resized => {
                self.rebuild(cx);
                // More may be listed now, which has missing parts of its own.
                if !cx.is_busy && cx.place != PanePlace::Preview {
                    return self.fetch_missing(cx);
                }
            }
            PaneEvent::Delayed | PaneEvent::Reformatted | PaneEvent::NamesChanged => {
                self.rebuild(cx);
            }
            PaneEvent::Tick => {
                if !cx.is_busy && self.has_ages() {
                    self.rebuild(cx);
                }
                return self.poll(cx);
            }
            PaneEvent::ChainAdvanced if !self.state.is_answered() => self.is_behind = true,
            PaneEvent::ChainAdvanced if self.may_come_with_blocks() => {
                return self.fetch(Priority::Interactive);
            }
            PaneEvent::ChainAdvanced => return self.read_variables_again(),
            PaneEvent::RetryFailed => return self.retry_failed(cx),
            PaneEvent::ChainRolledBack if self.request.is_some() => {
                return self.act(Action::Refresh, cx);
            }
            PaneEvent::ChainRolledBack if !cx.is_busy => return self.fetch_missing(cx),
            PaneEvent::Prompt { prompt: PanePrompt::SearchText, text } if !text.is_empty() => {
                self.searched = text.into();
                return self.find(Step::Next, cx);
            }
            PaneEvent::Click(at) => {
                self.add_json_lines(cx);
                self.has_cursor = true;
                return self.on_click(at, cx);
            }
            PaneEvent::Wheel { rows, at } => self.scroll(rows, at, cx),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        self.draw(cx, buf);
    }

    fn pictures(&self, cx: &PaneContext<'_>) -> Vec<(&SafeText, Size)> {
        let area = self.areas(cx).1.filter(|_| self.loaded.is_some());
        let picture =
            area.and_then(|area| Some((self.picture()?, picture::inside(area).as_size())));
        picture.into_iter().collect()
    }

    fn state(&self) -> PaneState {
        PaneState {
            key_context: KeyContext::Document,
            has_inner_focus: self.is_code_focused(),
            tick_interval: self.is_awaited().then_some(POLL_INTERVAL),
            ..PaneState::default()
        }
    }

    fn copied_value(&self, action: Action, cx: &PaneContext<'_>) -> Option<CopyValue> {
        let address = self.address_to_copy().filter(|_| action == Action::CopyAddress);
        if address.is_some() {
            return address;
        }
        let loaded = self.loaded.as_ref()?;
        Some(match (action, &loaded.source) {
            (Action::CopyCell, _) => {
                let of_cell = self.focused().selected_cell().is_some();
                let what = if of_cell { "cell" } else { "line" };
                CopyValue::new(action, what, self.focused().copied_text())
            }
            (Action::CopyJson, _) if loaded.raw.is_some() => {
                let json = loaded.raw.as_ref().map(|raw| json_line(raw.get()));
                CopyValue::new(action, "JSON", json)
            }
            (Action::CopyValue, _) if let Some(amount) = self.focused().selected_amount() => {
                CopyValue::new(action, "raw amount", Some(amount))
            }
            (Action::CopyReason, Ok(source)) => {
                CopyValue::new(action, "reason", source.failure_reason(cx))
            }
            (Action::CopyRow, Ok(source)) => {
                let row_cx = cx.row_context(cx.known_addresses.viewed_address());
                CopyValue::new(action, "row", Some(csv_row(source.row()?, &row_cx)))
            }
            (_, Ok(source)) => source.copy_value(action, cx.known_addresses.viewed_address())?,
            (_, Err(_)) => return None,
        })
    }

    fn unknown_tokens(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        self.source().map(|source| source.unknown_tokens(cx)).unwrap_or_default()
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Focus if self.is_code_focused() => Some("functions"),
            Action::Focus if self.code.as_ref().is_some_and(CodePanel::has_long_lines) => {
                Some(page::WHOLE_LINES)
            }
            Action::Focus => Some("source"),
            Action::Open
                if matches!(self.focused().selected_link(), Some(EntryLink::Function(_))) =>
            {
                Some("call")
            }
            Action::Toggle
                if self.focused().selected().is_some_and(|entry| entry.open == Some(false)) =>
            {
                Some(page::UNFOLD)
            }
            // Both keys fold there, and one has the word for it.
            Action::Open if self.is_json() && self.focused().selected_link().is_none() => Some(""),
            _ => None,
        }
    }

    fn can_recover(&self) -> bool {
        self.state.can_recover() || self.parts_can_recover()
    }

    fn reported_failure(&self, cx: &PaneContext<'_>) -> Option<&ApiError> {
        self.failure_without_document(cx)
    }

    fn describes_wait(&self) -> bool {
        self.loaded.is_none()
    }

    fn status(&self, cx: &PaneContext<'_>) -> SafeText {
        if self.loaded.is_none() {
            return SafeText::default();
        }
        let mut position = self.describe_position(cx);
        if let Some(block) = self.state_reads().and_then(|reads| reads.block) {
            let block = PageMessage::AtBlock { block: Grouped(block) };
            position = joined([&block.to_string(), &position]);
        }
        let is_partial = self.state.is_unasked() && self.request.is_some();
        SafeText::new(&match self.state.last_failure() {
            Some(error) => cx.failed_refresh(error, self.loaded_at, &position),
            None if is_partial => joined(["partial", &position]),
            None => position,
        })
    }

    fn scroll_extent(&self, cx: &PaneContext<'_>) -> Option<ScrollExtent> {
        self.loaded.as_ref().map(|_| match (&self.code, self.code_layout(cx)) {
            (Some(code), Some(layout)) => code.document.extent(layout.lines),
            _ => self.document_extent(cx),
        })
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        self.source()?.row_count(kind)
    }

    fn restore(&mut self, params: ViewParams) {
        self.place = params.source;
    }

    fn address(&self, _: &PaneContext<'_>) -> Option<Address> {
        self.document.selected_address()
    }

    fn export(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.loaded.is_none() {
            return vec![Command::Notify(page::STILL_LOADING.into())];
        }
        self.add_json_lines(cx);
        let code = self.code.iter().flat_map(|code| code.document.text());
        let export = match tool {
            ExternalTool::Pager => {
                Some(Export::new("object.txt", self.document.text().into_iter().chain(code)))
            }
            ExternalTool::Editor => {
                self.json_lines(cx).map(|lines| Export::new("object.json", lines))
            }
        };
        let opened = export.map(|export| export.open(tool));
        vec![opened.unwrap_or_else(|| Command::Notify(page::NO_JSON.into()))]
    }
}

impl DetailPane {
    /// Moves the cursor or the focus, or folds. Returns `false` for other actions.
    fn move_in_document(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let (document, height) = self.focused_mut(cx);
        match action {
            Action::NextCell | Action::PreviousCell => {
                let is_next = action == Action::NextCell;
                let step = if is_next { Step::Next } else { Step::Previous };
                if !document.move_cell(step) {
                    document.fold(Some(is_next), height);
                }
            }
            Action::Toggle => drop(document.fold(None, height)),
            Action::FoldAll | Action::UnfoldAll => {
                document.fold_all(action == Action::UnfoldAll, height);
            }
            Action::Zoom => self.zoom_code(cx),
            Action::Focus | Action::Back => self.toggle_code_focus(cx),
            _ => match action.row_delta(height) {
                Some(by) if by.unsigned_abs() > 1 => document.scroll_page(by, height),
                Some(by) => document.move_cursor(by, height),
                None => return false,
            },
        }
        true
    }

    /// Describes the visible lines of the document, and of its code if that is shown.
    fn describe_position(&self, cx: &PaneContext<'_>) -> String {
        let lines = || self.document.describe_position(self.document_height(cx));
        match (&self.code, self.code_layout(cx)) {
            (Some(code), Some(layout)) => {
                let source = code.document.describe_position(layout.lines.height);
                let in_source = format!("source {source}");
                if code.is_alone() { source } else { joined([&lines(), &in_source]) }
            }
            // Nothing else shows that this is all of raw JSON.
            _ if self.is_json() => self.document.describe_all_or_position(self.document_height(cx)),
            _ => lines(),
        }
    }

    fn show_place(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let place = self.place.take()?;
        let source = self.source()?;
        let Some(line) = source.contract().and_then(|contract| contract.code_line(&place)) else {
            return Some(Command::notify(&PageMessage::NoSource { place: &place.to_string() }));
        };
        self.focus_code(true);
        let (document, height) = self.focused_mut(cx);
        document.show_code_line(line, height);
        self.follow(cx);
        None
    }

    fn find(&mut self, step: Step, cx: &PaneContext<'_>) -> Vec<Command> {
        self.has_cursor = true;
        let (searched, had_focus) = (self.searched.clone(), self.is_code_focused());
        let found = [had_focus, !had_focus].into_iter().find_map(|has_focus| {
            self.focus_code(has_focus);
            let (document, height) = self.focused_mut(cx);
            document.find(&searched, step, height)
        });
        self.focus_code(self.is_code_focused() ^ found.is_none());
        self.follow(cx);
        let text = &*searched;
        vec![Command::notify(&match found {
            Some((number, all)) => PageMessage::Match { number, all, text },
            None => PageMessage::NoMatch { text },
        })]
    }

    fn record_evidence(&self, cx: &PaneContext<'_>) -> Option<Command> {
        let source = self.source()?;
        let evidence = source.evidence(cx.known_addresses.viewed_address());
        (!evidence.is_empty()).then_some(Command::RecordEvidence(evidence))
    }
}

/// Joins the parts of a status that say anything.
fn joined(parts: [&str; 2]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}
