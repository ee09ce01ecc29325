//! Actions on rows: open, search, filter, export, and where a value comes from.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::super::{
    Availability, Command, Confirmation, PaneContext, PanePrompt, PromptRequest, Route,
};
use super::rows::search::Jump;
use super::{ListPane, LoadAll};
use crate::action::{Action, Step};
use crate::api::json_fields::RawObject;
use crate::api::page::paged_rows::TailState;
use crate::api::{ListSubject, Query};
use crate::chain::Address;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::chain::target::TargetKind;
use crate::columns::RowContext;
use crate::columns::cells::AS_SENT;
use crate::columns::table::any_row::AnyItem;
use crate::columns::table::column::{ColumnHead, ColumnKind, FULL_CELL_WIDTH};
use crate::messages::Count;
use crate::messages::list::{self, ListNotice};
use crate::messages::prompt::{self, OverlayText};
use crate::pane::preview::own_page;
use crate::sanitize::{SafeText, json_line};
use crate::ui::table::Align;

/// Raw values are cut to this many characters where their origin is shown.
const MAX_RAW_CHARS: usize = 400;
/// Columns of the labels where a value's origin is shown.
const ORIGIN_INDENT: usize = 8;
/// Path of the arguments of a call.
const CALLDATA_PATHS: &[&str] = &["raw_input"];
/// The words of a search for a day, which a list with ages has too.
const DATE_COLUMN: &str = "date:";
/// Characters of an address in the name of a file.
const FILE_HASH_CHARS: usize = 10;

impl ListPane {
    pub(super) fn row_context<'a>(
        &self,
        cx: &PaneContext<'a>,
        abbreviator: Option<&'a Abbreviator>,
    ) -> RowContext<'a> {
        let transaction = match &self.query {
            Query::Transaction(hash, _) => Some(*hash),
            _ => None,
        };
        let subject = self.query.subject();
        let cx = cx.row_context(self.viewed);
        let bar_scale = self.bar_scale;
        RowContext { subject, abbreviator, transaction, bar_scale, ..cx }
    }

    pub(super) fn act_on_rows(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        match action {
            Action::PreviousCell => self.select_column(Step::Previous, cx),
            Action::NextCell => self.select_column(Step::Next, cx),
            Action::Open => self.unfold(cx).unwrap_or_else(|| self.open(cx)),
            Action::AllFields => {
                let row = |item: Arc<dyn AnyItem>| {
                    let raw = item.raw().clone();
                    let name = item.row().map_or("row", |row| row.kind().singular);
                    let page = own_page(&item, self.viewed).map(Box::new);
                    Command::Navigate(Route::Row { raw, name: name.into(), page })
                };
                self.selected_item().map(row).into_iter().collect()
            }
            Action::Search => vec![Command::Prompt(self.search_prompt(PanePrompt::Search, cx))],
            Action::NextMatch => self.find_match(Jump::Next, cx),
            Action::PreviousMatch => self.find_match(Jump::Previous, cx),
            Action::FilterRows => {
                vec![Command::Prompt(self.search_prompt(PanePrompt::Filter, cx))]
            }
            Action::Filters => vec![Command::Filters(self.query.clone(), self.selected_token())],
            Action::SortRows => self.sort_at_cursor(cx),
            Action::Provenance => self.show_provenance(cx),
            Action::AtBlock => vec![Command::Prompt(PanePrompt::Block.into())],
            Action::Export => {
                let owner = self
                    .viewed
                    .map(|viewed| format!("-{:.1$}", viewed.to_string(), FILE_HASH_CHARS));
                let content = [self.kind.list_name, &owner.unwrap_or_default()].concat();
                let name = || cx.export_name(&content, "csv");
                let name = self.export.clone().unwrap_or_else(name);
                let rows = match self.filter.text() {
                    Some(_) => Count(self.len(), "matching row").to_string(),
                    None => self.loaded_text(cx),
                };
                let title = OverlayText::ExportTitle { rows: &rows };
                let title = Some(title.to_string().into());
                let request = PanePrompt::Export.with_text(name);
                vec![Command::Prompt(PromptRequest { title, ..request })]
            }
            Action::OpenWeb => self.open_web(cx),
            _ => self.copy(action, cx).into_iter().collect(),
        }
    }

    /// Returns a prompt that names the columns which can be searched.
    pub(super) fn search_prompt(&self, kind: PanePrompt, cx: &PaneContext<'_>) -> PromptRequest {
        let mut columns: Vec<String> = Vec::new();
        let placed = self.layout(cx).1;
        let shown = self.kind.columns.iter().zip(&placed).filter(|(_, placed)| placed.width > 0);
        let (mut number, mut has_age) = (None, false);
        for (ColumnHead { title, kind: column, align, .. }, _) in shown {
            has_age |= *column == ColumnKind::Time;
            let is_word = title.len() > 1 && title.bytes().all(|c| c.is_ascii_lowercase());
            let is_amount = *column == ColumnKind::Coin || *align == Align::Point;
            // Two words would be two searches.
            number = number.or((is_word && is_amount).then_some((title, column)));
            if is_word && !columns.iter().any(|known| known.trim_end_matches(':') == *title) {
                columns.push(format!("{title}:"));
            }
        }
        if has_age && !columns.iter().any(|known| known == DATE_COLUMN) {
            columns.push(DATE_COLUMN.to_owned());
        }
        // Next to amounts of coin, a column may have tokens, which numbers do not find.
        let amount = number.map(|(title, kind)| match kind {
            ColumnKind::Coin => format!("{title}:>1 ({}) ", cx.format.unit.name(cx.network)),
            _ => format!("{title}:>1 "),
        });
        let age = if has_age { prompt::TIME_EXAMPLES } else { "" };
        let examples = [&*amount.unwrap_or_default(), age].concat();
        let (words, has_examples) = (&columns.join(" "), !examples.is_empty());
        let examples = OverlayText::SearchExamples { examples: examples.trim_end() };
        let columns = OverlayText::SearchColumns { columns: words };
        let help = [prompt::SEARCH_WORDS.into(), columns.to_string(), examples.to_string()];
        let lines = if has_examples { help.map(SafeText::from).into() } else { Vec::new() };
        PromptRequest { help: lines, ..kind.into() }
    }

    /// Returns the address that the selected cell opens.
    pub(super) fn address_of_cell(&self) -> Option<Address> {
        let item = self.selected_item()?;
        match item.cell_route(self.column, self.viewed)? {
            Route::Target(TargetKind::Address(address)) => Some(address),
            Route::Token(token) | Route::Instances { token, .. } => Some(token),
            _ => None,
        }
    }

    /// Returns a line about the user's label of the selected cell's address.
    fn label_line(&self, cx: &PaneContext<'_>) -> Option<SafeText> {
        let name = cx.name_cache.labels().decorated_name(&self.address_of_cell()?)?;
        let changes = &*cx.keys.expand(list::LABEL_HINT);
        let note = ListNotice::OwnLabel { name: &name, changes };
        Some(SafeText::new(&format!("name    {note}")))
    }

    /// Returns the availability of an action in the current list.
    pub(super) fn row_availability(&self, action: Action) -> Availability {
        match action {
            Action::Back => {
                let can_stop = self.row_export.is_some()
                    || matches!(self.load_all, LoadAll::Running | LoadAll::Ended);
                let is_narrowed = self.search.is_some() || self.filter.text().is_some();
                Availability::supported_if(can_stop || is_narrowed)
            }
            Action::Filters => {
                let filters = self.query.filters(None);
                let is_bare = self.paged.rows().is_empty() && !filters.iter().any(|one| one.is_set);
                if filters.is_empty() {
                    Availability::Disabled(list::NO_FILTERS)
                } else {
                    Availability::enabled_if(!is_bare, self.why_empty())
                }
            }
            Action::AtBlock => Availability::supported_if(self.query.at_block(None).is_some()),
            Action::AllEvents => Availability::supported_if(self.query.other_events().is_some()),
            Action::NextMatch | Action::PreviousMatch => {
                Availability::enabled_if(self.search.is_some(), list::NO_SEARCH)
            }
            Action::CopyJson | Action::CopyCell | Action::CopyRow => {
                Availability::supported_if(self.selected_item().is_some())
            }
            Action::Open
            | Action::AllFields
            | Action::Provenance
            | Action::SortRows
            | Action::Export => {
                Availability::enabled_if(self.selected_item().is_some(), self.why_empty())
            }
            Action::Follow => Availability::enabled_if(
                self.query.subject() != ListSubject::Transaction,
                list::NO_NEW_ROWS,
            ),
            // A search of rows that are loading finds them when they come.
            Action::Search | Action::FilterRows if self.has_no_rows() => {
                Availability::Disabled(self.why_empty())
            }
            Action::Refresh
            | Action::Search
            | Action::FilterRows
            | Action::PreviousCell
            | Action::NextCell
            | Action::OpenWeb => Availability::Enabled,
            Action::CopyHash
            | Action::CopyAddress
            | Action::CopyToken
            | Action::CopyBlock
            | Action::CopyMethod
            | Action::CopySelector
            | Action::CopyInput
            | Action::CopyValue => Availability::supported_if(self.copy_value(action).is_some()),
            _ => Availability::supported_if(action.is_row_move()),
        }
    }

    /// Returns the reason why there is no row.
    pub(super) fn why_empty(&self) -> &'static str {
        match self.paged.tail() {
            _ if self.is_filtering() => list::STILL_FILTERING,
            _ if self.is_busy() => list::STILL_LOADING,
            _ if !self.paged.rows().is_empty() => list::NO_ROW_MATCHES,
            TailState::More(_) | TailState::Failed(..) => list::NOT_LOADED,
            TailState::End => list::EMPTY,
        }
    }

    /// Returns `true` if there are no rows, and none are loading.
    fn has_no_rows(&self) -> bool {
        let is_answered = matches!(self.paged.tail(), TailState::End | TailState::Failed(..));
        is_answered && self.paged.rows().is_empty()
    }

    fn selected_token(&self) -> Option<(crate::chain::Address, SafeText)> {
        self.selected_item()?.row().ok()?.token_symbol()
    }

    fn select_column(&mut self, step: Step, cx: &PaneContext<'_>) -> Vec<Command> {
        // Columns without a title cannot be selected.
        let shown: Vec<usize> = (0..)
            .zip(self.kind.columns.iter().zip(self.layout(cx).1))
            .filter(|(_, (column, placed))| placed.width > 0 && !column.title.is_empty())
            .map(|(i, _)| i)
            .collect();
        let next = match step {
            Step::Next => shown.iter().find(|i| **i > self.column),
            Step::Previous => shown.iter().rev().find(|i| **i < self.column),
        };
        self.column = next.copied().unwrap_or(self.column);
        Vec::new()
    }

    pub(super) fn open(&self, cx: &PaneContext<'_>) -> Vec<Command> {
        if let Some(address) = self.address_elsewhere(cx) {
            return vec![Command::OpenOnEthereum(Route::Target(TargetKind::Address(address)))];
        }
        let Some(item) = self.selected_item() else {
            return vec![Command::Notify(self.why_empty().into())];
        };
        // A cell that opens nothing opens its row, and so do a blank one and a card.
        let is_shown = self.grid(cx).is_none() && !self.is_blank(&*item, cx);
        let own = item.clone().cell_route(self.column, self.viewed).filter(|_| is_shown);
        let link = own.or_else(|| item.clone().row_route(self.viewed));
        match link {
            Some(link) => vec![Command::Navigate(link)],
            None => vec![Command::Notify(list::NOTHING_TO_OPEN.into())],
        }
    }

    /// Returns `true` if the selected cell shows nothing, whatever its column could open.
    fn is_blank(&self, item: &dyn AnyItem, cx: &PaneContext<'_>) -> bool {
        let row_cx = self.row_context(cx, None);
        item.row()
            .is_ok_and(|row| row.cell(self.column, &row_cx, FULL_CELL_WIDTH.into()).text.is_empty())
    }

    /// Prompts before the row's page on the web explorer is opened.
    fn open_web(&self, cx: &PaneContext<'_>) -> Vec<Command> {
        let subject = match self.open(cx).pop() {
            Some(Command::Navigate(Route::Token(token) | Route::Instances { token, .. })) => {
                Some(TargetKind::Address(token))
            }
            Some(Command::Navigate(link)) => link.target(),
            _ => None,
        };
        match subject.and_then(|subject| cx.network.web_page(&subject)) {
            Some(url) => vec![Command::Confirm(Confirmation::open(url))],
            None => vec![Command::Notify(list::NO_WEB_PAGE.into())],
        }
    }

    /// Shows where the selected cell's value comes from.
    fn show_provenance(&self, cx: &PaneContext<'_>) -> Vec<Command> {
        let (Some(item), Some(column)) = (self.selected_item(), self.kind.columns.get(self.column))
        else {
            return vec![Command::Notify(self.why_empty().into())];
        };
        let own = item.row().ok().and_then(|row| row.shown_value(column, cx.name_cache));
        let is_called = own.is_some();
        let paths = if is_called { CALLDATA_PATHS } else { column.json_paths };
        let sent = resolve_paths(item.raw(), paths);
        let mut lines = vec![format!("column  {}", column.title)];
        let mut whole = String::new();
        if let Ok(row) = item.row() {
            let (short, placed) = self.layout(cx);
            let cut_cx = self.row_context(cx, Some(&short));
            let width =
                placed.get(self.column).map_or(FULL_CELL_WIDTH, |placed| placed.width).into();
            let row_cx = self.row_context(cx, None);
            let shown = row.cell(self.column, &cut_cx, width).to_string();
            let how = row.provenance(self.column, &row_cx);
            let copied = match self.own_cell_value(row, cx) {
                Some(own) => own.text.map(|text| text.to_string()).unwrap_or_default(),
                None => row.full_value(self.column).into_owned(),
            };
            let copied = truncate_value(&copied);
            whole = if is_called {
                String::clone(&shown)
            } else {
                row.cell(self.column, &row_cx, FULL_CELL_WIDTH.into()).to_string()
            };
            let is_sent = sent.iter().any(|(_, value)| value.trim_matches('"') == copied);
            lines.push(format!("shown   {shown}"));
            lines.extend(
                (whole != shown).then(|| OverlayText::InFull { value: &whole }.to_string()),
            );
            lines.extend((*how != *AS_SENT).then(|| format!("how     {how}")));
            let is_known = is_sent || copied.is_empty() || copied == shown || copied == whole;
            lines.extend((!is_known).then(|| format!("copied  {copied}")));
        }
        lines.extend(self.label_line(cx).map(|line| line.to_string()));
        lines.extend(sent.iter().map(|(path, value)| {
            // The line above may have it already.
            let is_known = value.trim_matches('"') == whole;
            if is_known { format!("field   {path}") } else { format!("field   {path} = {value}") }
        }));
        lines.push(format!("request {}", self.query.request_line()));
        let title = prompt::ORIGIN_TITLE;
        let texts = lines.iter().map(|line| SafeText::new(line)).collect();
        let confirmation =
            Confirmation { title, lines: texts, indent: ORIGIN_INDENT, effect: None };
        vec![Command::Confirm(confirmation)]
    }
}

/// Returns the raw values at paths, with the paths in this item.
fn resolve_paths(raw: &RawValue, paths: &[&str]) -> Vec<(String, String)> {
    let resolved = paths.iter().map(|path| resolve_path(raw, path));
    resolved.map(|(path, found)| (path, found.unwrap_or_else(|| "missing".to_owned()))).collect()
}

/// Returns the raw value at a path such as `from.hash`, and the path in this item: a part may have
/// an older name (`block_number|block`).
fn resolve_path(raw: &RawValue, path: &str) -> (String, Option<String>) {
    let mut at = Some(raw);
    let mut found = Vec::new();
    for part in path.split('.') {
        let names: Vec<&str> = part.split('|').collect();
        let object = at.and_then(|json| RawObject::parse(json).ok());
        let here = names.iter().find_map(|name| Some((*name, object.as_ref()?.raw(&[name])?)));
        let sent =
            |name: &&str| object.as_ref().is_some_and(|o| o.entries().any(|(n, _)| n == *name));
        if let (None, Some(name)) = (here, names.iter().find(|name| sent(name))) {
            found.push(*name);
            return (found.join("."), Some("null".to_owned()));
        }
        found.push(here.map_or(names.first().copied().unwrap_or(part), |(name, _)| name));
        at = here.map(|(_, json)| json);
    }
    (found.join("."), at.map(|json| truncate_value(&json_line(json.get()))))
}

/// Returns the start of a value of any length.
fn truncate_value(value: &str) -> String {
    match value.char_indices().nth(MAX_RAW_CHARS) {
        Some((cut, _)) => {
            format!("{}… ({} bytes)", value.get(..cut).unwrap_or_default(), value.len())
        }
        None => value.to_owned(),
    }
}
