//! What can be done with a list's rows: follow, copy, search, filter, export, and ask where a value
//! comes from.

use std::path::PathBuf;

use serde_json::value::RawValue;

use super::super::paged::Tail;
use super::super::row::{Column, Row, RowCx, csv_head, csv_line, warnings};
use super::super::{Confirm, Cx, Link, Prompt, Want, guarded};
use super::List;
use crate::api::Item;
use crate::api::json_fields::Object;
use crate::chain::Address;
use crate::chain::target::Subject;
use crate::msg::Action;
use crate::sanitize::{Text, json_line};
use crate::ui::abbreviate::Shortener;

/// Columns of a cell that is read, not seen.
const WIDE: usize = 200;
/// A raw value in the provenance is cut after so many characters; copies have it whole.
const RAW: usize = 400;

/// What is looked for, and where it was found: rows are read once for it, not at each step.
#[derive(Debug)]
pub(super) struct Search {
    text: Text,
    lower: String,
    /// Rows that hold it, among those that are covered.
    hits: Vec<usize>,
    /// The first rows, of which the hits are known.
    covered: usize,
}

impl Search {
    /// None for an empty text.
    pub(super) fn new(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        (!text.is_empty()).then(|| Self { text: text.into(), lower, hits: Vec::new(), covered: 0 })
    }

    /// The rows are others now.
    pub(super) fn forget(&mut self) {
        self.hits.clear();
        self.covered = 0;
    }
}

/// Whether a row holds a text, in lower case, in any of its columns.
pub(super) fn holds<T: Row>(item: &Item<T>, needle: &str, cx: &RowCx<'_>) -> bool {
    match &item.read {
        Err(_) => item.raw.get().to_lowercase().contains(needle),
        Ok(row) => T::columns().iter().any(|column| {
            (column.full)(row).to_lowercase().contains(needle)
                || (column.cell)(row, cx, WIDE).text.to_lowercase().contains(needle)
        }),
    }
}

impl<T: Row> List<T> {
    pub(super) fn row_cx<'a>(&self, cx: &Cx<'a>, short: Option<&'a Shortener>) -> RowCx<'a> {
        let (now, network, known, notation) = (cx.now, cx.network, cx.known, cx.notation);
        let (viewed, seen) = (self.viewed, cx.seen);
        RowCx { viewed, now, network, known, seen, short, notation }
    }

    pub(super) fn use_tool(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        Some(match action {
            Action::PreviousCell => self.step_column(false, cx),
            Action::NextCell => self.step_column(true, cx),
            Action::Open => self.open(),
            Action::InFull => {
                let row = self.item().map(|item| Want::Follow(Link::Row(item.raw.clone())));
                row.into_iter().collect()
            }
            Action::Search => {
                vec![Want::Prompt(Prompt::Search, Text::default())]
            }
            Action::NextMatch => self.find(true, cx),
            Action::PreviousMatch => self.find(false, cx),
            Action::FilterRows => vec![Want::Prompt(Prompt::Filter, Text::default())],
            Action::Filters => vec![Want::Filters(self.query.clone(), self.selected_token())],
            Action::Provenance => self.provenance(cx),
            Action::Export if self.export.is_some() => {
                vec![Want::Prompt(Prompt::Export, self.export.clone().unwrap_or_default())]
            }
            Action::Export => {
                let name =
                    format!("chainglass-{}-{}.csv", T::NAME, cx.now.strftime("%Y%m%d-%H%M%S"));
                vec![Want::Prompt(Prompt::Export, name.into())]
            }
            Action::OpenWeb => self.open_web(cx),
            _ => return self.copy(action, cx),
        })
    }

    /// The address that the selected cell leads to.
    pub(super) fn address_of_cell(&self) -> Option<Address> {
        let item = self.item()?;
        let row = item.read.as_ref().ok()?;
        match (T::columns().get(self.column)?.link)(item, row, self.viewed)? {
            Link::Subject(Subject::Address(address)) => Some(address),
            Link::Instances { token, .. } => Some(token),
            _ => None,
        }
    }

    /// Who says what the address of the selected cell is called, where that is the user.
    fn own_name(&self, cx: &Cx<'_>) -> Option<Text> {
        let name = cx.seen.labels().shown(&self.address_of_cell()?)?;
        let way = cx.keys.sentence("{label} changes it");
        Some(Text::new(&format!("name    {name} is your label ({way})")))
    }

    /// Why an action does nothing now; none when it does something.
    pub(super) fn why_idle(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        match action {
            Action::Filters => {
                self.query.filters(None).is_empty().then_some("this list has no filters")
            }
            Action::NextMatch | Action::PreviousMatch => {
                self.search.is_none().then_some("nothing to look for: {search} first")
            }
            Action::Open | Action::InFull | Action::Provenance | Action::CopyJson
                if self.item().is_none() =>
            {
                Some("there is no row here")
            }
            Action::Open
            | Action::InFull
            | Action::Provenance
            | Action::CopyJson
            | Action::Follow
            | Action::Refresh
            | Action::Search
            | Action::FilterRows
            | Action::PreviousCell
            | Action::NextCell
            | Action::Export => None,
            _ => action.elsewhere().filter(|_| self.copy(action, cx).is_none()),
        }
    }

    fn selected_token(&self) -> Option<(crate::chain::Address, Text)> {
        self.item()?.read.as_ref().ok()?.token()
    }

    fn step_column(&mut self, forward: bool, cx: &Cx<'_>) -> Vec<Want> {
        // A column without a title only joins its neighbours.
        let shown: Vec<usize> = (0..)
            .zip(T::columns().iter().zip(self.layout(cx).1))
            .filter(|(_, (column, width))| *width > 0 && !column.title.is_empty())
            .map(|(i, _)| i)
            .collect();
        let next = if forward {
            shown.iter().find(|i| **i > self.column)
        } else {
            shown.iter().rev().find(|i| **i < self.column)
        };
        self.column = next.copied().unwrap_or(self.column);
        Vec::new()
    }

    pub(super) fn open(&self) -> Vec<Want> {
        let Some(item) = self.item() else { return vec![Want::Say("there is no row here".into())] };
        let link = match &item.read {
            Err(why) => Some(Link::Unread { why: why.clone(), raw: item.raw.clone() }),
            Ok(row) => {
                let own =
                    T::columns().get(self.column).and_then(|c| (c.link)(item, row, self.viewed));
                // A cell that leads nowhere stands for its row.
                own.or_else(|| T::columns().iter().find_map(|c| (c.link)(item, row, self.viewed)))
            }
        };
        match link {
            Some(link) => vec![Want::Follow(link)],
            None => vec![Want::Say("this row leads nowhere".into())],
        }
    }

    /// Asks before the web explorer's page of the selected row is opened.
    fn open_web(&self, cx: &Cx<'_>) -> Vec<Want> {
        let subject = match self.open().pop() {
            Some(Want::Follow(Link::Instances { token, .. })) => Some(Subject::Address(token)),
            Some(Want::Follow(link)) => link.subject(),
            _ => None,
        };
        match subject.and_then(|subject| cx.network.web_page(&subject)) {
            Some(url) => vec![Want::Confirm(Confirm::open(url))],
            None => vec![Want::Say("there is no web explorer's page of this".into())],
        }
    }

    fn copy(&self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let item = self.item()?;
        let (what, text) = match (action, &item.read) {
            (Action::CopyJson, _) => ("JSON", Some(Text::new(&json_line(item.raw.get())))),
            (Action::CopyCell, Ok(row)) => cell_text(T::columns().get(self.column)?, row),
            (Action::CopyRow, Ok(row)) => ("row", Some(csv_line(row))),
            (_, Ok(row)) => row.copy(action, &self.row_cx(cx, None))?,
            (Action::CopyCell | Action::CopyRow, Err(_)) => ("readable value", None),
            (_, Err(_)) => return None,
        };
        Some(vec![match text {
            Some(text) => {
                let warned = item.read.as_ref().map(|row| warnings(row, cx.known));
                guarded(what, text, cx.known, &warned.unwrap_or_default())
            }
            None => Want::Say(Text::new(&format!("this row has no {what}"))),
        }])
    }

    /// Goes to the next row that holds what is looked for, round the end.
    pub(super) fn find(&mut self, forward: bool, cx: &Cx<'_>) -> Vec<Want> {
        let Some(mut search) = self.search.take() else {
            return vec![Want::Tell("nothing to look for: {search} first")];
        };
        let (row_cx, rows) = (self.row_cx(cx, None), self.paged.rows());
        let unseen = rows.iter().enumerate().skip(search.covered);
        let found =
            unseen.filter(|(_, item)| holds(item, &search.lower, &row_cx)).map(|(row, _)| row);
        search.hits.extend(found);
        search.covered = rows.len();
        let places = search.hits.iter().filter_map(|row| self.sight.place_of(*row, rows.len()));
        let hits: Vec<usize> = places.collect();
        let (all, loaded, text) = (hits.len(), rows.len(), search.text.clone());
        self.search = Some(search);
        let here = self.sight.selected;
        let at = if forward {
            hits.iter().position(|place| *place > here).unwrap_or(0)
        } else {
            hits.iter().rposition(|place| *place < here).unwrap_or(all.saturating_sub(1))
        };
        let Some(place) = hits.get(at) else {
            let words = format!("{text} is not in the {loaded} loaded rows");
            return vec![Want::Say(Text::new(&words))];
        };
        let words = format!("match {} of {all} for {text}, in the {loaded} loaded rows", at + 1);
        let mut wants = self.go(*place, cx);
        wants.push(Want::Say(Text::new(&words)));
        wants
    }

    /// The rows as shown, as lines for a file.
    pub(super) fn export(&mut self, path: &str) -> Vec<Want> {
        self.export = Some(path.into());
        let items =
            (0..self.len()).filter_map(|place| self.paged.rows().get(self.sight.row(place)?));
        let path = PathBuf::from(path);
        let is_csv = path.extension().is_some_and(|e| e == "csv");
        let lines: Vec<String> = match path.extension().and_then(|e| e.to_str()) {
            Some("jsonl") => items.map(|item| json_line(item.raw.get())).collect(),
            Some("csv") => {
                let rows = items.filter_map(|item| item.read.as_ref().ok());
                let rows = rows.map(|row| csv_line(row).to_string());
                [csv_head::<T>()].into_iter().chain(rows).collect()
            }
            _ => return vec![Want::Say("the name must end in .csv or .jsonl".into())],
        };
        let more = if *self.paged.tail() == Tail::End { "" } else { "; more are not loaded" };
        let left_out = (0..self.len()).filter(|place| self.is_unread(*place)).count();
        let left_out = match (left_out, is_csv) {
            (0, _) | (_, false) => String::new(),
            (n, true) => format!(", {n} of them unreadable and left out"),
        };
        let note = format!("{} rows{left_out}{more}", self.len());
        vec![Want::Save(path, lines, note.into())]
    }

    fn is_unread(&self, place: usize) -> bool {
        let item = self.sight.row(place).and_then(|row| self.paged.rows().get(row));
        item.is_some_and(|item| item.read.is_err())
    }

    /// Where the selected cell's value comes from.
    fn provenance(&self, cx: &Cx<'_>) -> Vec<Want> {
        let (Some(item), Some(column)) = (self.item(), T::columns().get(self.column)) else {
            return vec![Want::Say("there is no row here".into())];
        };
        let mut lines = vec![Text::new(&format!("column  {}", column.title))];
        if let Ok(row) = &item.read {
            lines.push(Text::new(&format!(
                "shown   {}",
                (column.cell)(row, &self.row_cx(cx, None), WIDE).text
            )));
            lines
                .push(Text::new(&format!("how     {}", (column.how)(row, &self.row_cx(cx, None)))));
            lines.push(Text::new(&format!("copied  {}", brief(&(column.full)(row)))));
        }
        lines.extend(self.own_name(cx));
        for path in column.paths {
            let (path, value) = resolve(&item.raw, path);
            let value = value.unwrap_or_else(|| "not sent".to_owned());
            lines.push(Text::new(&format!("JSON    {path} = {value}")));
        }
        lines.push(Text::new(&format!("from    GET /{}", self.query.path())));
        let title = "Where this value comes from ({back} closes)";
        vec![Want::Confirm(Confirm { title, lines, effect: None })]
    }
}

/// The whole value of a cell, or none where it is empty.
fn cell_text<T>(column: &Column<T>, row: &T) -> (&'static str, Option<Text>) {
    let text = Text::new(&(column.full)(row));
    (column.title, (!text.is_empty()).then_some(text))
}

/// The raw value at a path like `from.hash`, and the path as it is in this item: a part may have an
/// older name (`block_number|block`).
fn resolve(raw: &RawValue, path: &str) -> (String, Option<String>) {
    let mut at = Some(raw);
    let mut found = Vec::new();
    for part in path.split('.') {
        let names: Vec<&str> = part.split('|').collect();
        let object = at.and_then(|json| Object::parse(json).ok());
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
    (found.join("."), at.map(|json| brief(&json_line(json.get()))))
}

/// A value that may be of any length, for a box.
fn brief(value: &str) -> String {
    match value.char_indices().nth(RAW) {
        Some((cut, _)) => {
            format!("{}… ({} bytes)", value.get(..cut).unwrap_or_default(), value.len())
        }
        None => value.to_owned(),
    }
}
