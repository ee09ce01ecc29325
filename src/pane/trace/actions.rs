//! What the pane wants done: going elsewhere, asking, searching, comparing, writing.

use super::export::{Export, Format, Scope};
use super::fetch::State;
use super::search::Search;
use super::{Trace, View, detail, frame_json};
use crate::chain::Address;
use crate::chain::target::Subject;
use crate::msg::Action;
use crate::pane::diff_baseline::Marked;
use crate::pane::export::Paper;
use crate::pane::{Cx, Link, Prompt, Viewer, Want};
use crate::sanitize::Text;
use crate::ui::document::Leads;
use crate::ui::format::short_hash;

impl Trace {
    /// Follows Esc: overlays of this pane go one by one before the place is left.
    pub(super) fn back(&mut self) -> Option<Vec<Want>> {
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

    pub(super) fn open(&self, cx: &Cx<'_>) -> Vec<Want> {
        let subject = match &self.view {
            View::Flow(flow, at) => {
                flow.accounts.get(*at).map(|(address, _)| Subject::Address(*address))
            }
            _ => detail::leads(&self.names(cx), self.selected),
        };
        match subject {
            Some(subject) => vec![Want::Follow(Link::Subject(subject))],
            None => vec![Want::Say("this call leads to no address".into())],
        }
    }

    /// The address under the cursor: of the detail's line, the account, or what the call leads to.
    pub(super) fn address_here(&self, cx: &Cx<'_>) -> Option<Address> {
        let of_line = self.is_entered().then(|| self.detail.selected()?.leads.clone()).flatten();
        match (of_line, &self.view) {
            (Some(Leads::To(Subject::Address(address))), _) => Some(address),
            (_, View::Flow(flow, at)) => flow.accounts.get(*at).map(|(address, _)| *address),
            _ => match detail::leads(&self.names(cx), self.selected)? {
                Subject::Address(address) => Some(address),
                Subject::Transaction(_) => None,
            },
        }
    }

    pub(super) fn want(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        Some(match action {
            Action::Open => self.open(cx),
            Action::Refresh => self.ask_again(cx),
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
                vec![Want::Prompt(Prompt::SearchCalls, typed(self.search.as_ref()))]
            }
            Action::FilterRows => {
                vec![Want::Prompt(Prompt::FilterCalls, typed(self.filter.as_ref()))]
            }
            Action::Provenance => vec![Want::Say(self.provenances(cx))],
            Action::Signature => vec![Want::Prompt(Prompt::Signature, Text::default())],
            Action::Export => {
                let name = format!("trace-{}.txt", short_hash(&self.transaction));
                vec![Want::Prompt(Prompt::ExportTrace, Text::new(&name.replace('…', "-")))]
            }
            Action::InFull => {
                let raw = frame_json::raw(&self.tree, self.selected);
                match serde_json::value::RawValue::from_string(raw) {
                    Ok(raw) => vec![Want::Follow(Link::Row(raw.into()))],
                    Err(_) => vec![Want::Say("this entry is no JSON of its own".into())],
                }
            }
            Action::Mark if matches!(self.fetch.state, State::Complete) => {
                let marked = Marked { transaction: self.transaction, tree: self.tree.clone() };
                vec![
                    Want::Mark(marked),
                    Want::Tell("marked: {diff} in another trace compares the two"),
                ]
            }
            Action::Mark => vec![Want::Say("only a complete trace can be marked".into())],
            Action::Diff => self.diff(cx),
            _ => return self.copy(action, cx),
        })
    }

    /// Where the meaning of the selected call is from, and its target's name, where that is the user's.
    fn provenances(&self, cx: &Cx<'_>) -> Text {
        let meaning = self.provenance(cx);
        match self.address_here(cx).and_then(|address| cx.seen.labels().shown(&address)) {
            Some(name) => Text::new(&format!("{meaning} · {name} is your label")),
            None => meaning,
        }
    }

    /// Where the meaning of the selected call is from.
    pub(super) fn provenance(&self, cx: &Cx<'_>) -> Text {
        let names = self.names(cx);
        let Some(frame) = self.tree.get(self.selected) else { return Text::default() };
        if names.by_server(self.selected, frame).is_some() {
            return "decoded by the explorer".into();
        }
        let input = self.tree.hex(frame.input, usize::MAX).unwrap_or_default();
        let Some(decoded) = names.decoded(self.tree.address(frame.to), &input) else {
            let words = "nobody here knows this call: {signature} types its signature";
            return Text::new(&cx.keys.sentence(words));
        };
        decoded.source.words()
    }

    pub(super) fn diff(&self, cx: &Cx<'_>) -> Vec<Want> {
        let ours = Marked { transaction: self.transaction, tree: self.tree.clone() };
        match cx.marked {
            None => vec![Want::Tell(
                "no trace of this chain is marked: {mark} marks one, then {diff} in another",
            )],
            Some(_) if !matches!(self.fetch.state, State::Complete) => {
                vec![Want::Say("only a complete trace can be compared".into())]
            }
            Some(marked) => vec![Want::Follow(Link::Diff(Box::new([marked.clone(), ours])))],
        }
    }

    pub(super) fn typed_in(&mut self, prompt: Prompt, text: &str, cx: &Cx<'_>) -> Vec<Want> {
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
        self.said.take().into_iter().collect()
    }

    /// The trace as a file: its ending says in which form.
    pub(super) fn export(&self, path: &str, cx: &Cx<'_>) -> Want {
        let path = path.trim();
        let format = match Format::of_file(path) {
            Ok(format) => format,
            Err(endings) => return Want::Say(Text::from(endings)),
        };
        let scope = Scope::all(&self.tree);
        let names = self.names(cx);
        let (transaction, styles) = (self.transaction, None);
        let export = Export { names, transaction, scope: &scope, styles, ascii: false };
        let said = export.shortcoming(format).unwrap_or_else(|| "calls".into());
        match export.lines(format) {
            Ok(lines) => Want::Save(path.into(), lines, said.into()),
            Err(why) => Want::Say(Text::from(format!("not written: {why}"))),
        }
    }
}

impl Trace {
    /// The trace for another program: a tree to read, or an object a line.
    pub(super) fn written(&self, viewer: Viewer, cx: &Cx<'_>) -> Result<Paper, Text> {
        if self.tree.is_empty() {
            return Err("there is no call to show".into());
        }
        let (name, format) = match viewer {
            Viewer::Pager => ("trace.txt", Format::Tree),
            Viewer::Editor => ("trace.jsonl", Format::Jsonl),
        };
        let (names, scope) = (self.names(cx), &Scope::all(&self.tree));
        let (transaction, styles) = (self.transaction, None);
        let export = Export { names, transaction, scope, styles, ascii: false };
        let lines = export.lines(format).map_err(Text::from)?;
        Ok(Paper { name: name.into(), lines })
    }
}

/// What was typed before, to be changed.
fn typed(search: Option<&Search>) -> Text {
    search.map(|search| search.text.clone()).unwrap_or_default()
}
