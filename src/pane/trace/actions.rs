//! What the pane wants done: going elsewhere, asking, searching, comparing, writing.

use super::call_labels::CallFormatter;
use super::fetch::FetchState;
use super::search::CallSearch;
use super::{TracePane, TraceView};
use crate::chain::Address;
use crate::chain::abbreviate::abbreviate;
use crate::chain::target::TargetKind;
use crate::msg::{Action, Effect, PaneRequest};
use crate::pane::export::Export;
use crate::pane::{Command, ExternalTool, PaneContext, PanePrompt, Route};
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;
use crate::trace::export::{ExportScope, TraceExport, TraceExportFormat};
use crate::trace::frame_json::raw_json;
use crate::ui::document::EntryLink;

impl TracePane {
    /// Whether [`Self::go_back`] has anything to undo.
    pub(super) fn can_go_back(&self) -> bool {
        self.detail_has_focus()
            || self.fetch.is_in_flight()
            || self.search.is_some()
            || self.filter.is_some()
            || !matches!(self.view, TraceView::Tree)
    }

    /// Undoes one thing: loading, the search, the filter, or another view than the tree.
    fn go_back(&mut self) -> Vec<Command> {
        if self.fetch.is_in_flight() {
            self.cancel();
            return vec![Command::cancel()];
        }
        if let Some(search) = self.search.take() {
            for folded in search.opened_folds {
                self.visible.set_expanded(&self.tree, folded, false);
            }
            self.select_visible_ancestor();
        } else if self.filter.take().is_some() {
            self.apply_hidden();
        } else {
            self.view = TraceView::Tree;
        }
        Vec::new()
    }

    pub(super) fn open_selected(&self) -> Vec<Command> {
        let subject = match &self.view {
            TraceView::ValueFlow(flow, at) => {
                flow.accounts.get(*at).map(|(address, _)| TargetKind::Address(*address))
            }
            _ => self.tree.target_address(self.selected).map(TargetKind::Address),
        };
        match subject {
            Some(subject) => vec![Command::Navigate(Route::Target(subject))],
            None => vec![Command::Notify("this call leads to no address".into())],
        }
    }

    /// The address under the cursor: of the detail's line, the account, or what the call leads to.
    pub(super) fn selected_address(&self) -> Option<Address> {
        let of_line =
            self.detail_has_focus().then(|| self.detail.selected()?.link.clone()).flatten();
        match (of_line, &self.view) {
            (Some(EntryLink::Target(TargetKind::Address(address))), _) => Some(address),
            (_, TraceView::ValueFlow(flow, at)) => {
                flow.accounts.get(*at).map(|(address, _)| *address)
            }
            _ => match self.tree.target_address(self.selected).map(TargetKind::Address)? {
                TargetKind::Address(address) => Some(address),
                TargetKind::Transaction(_) => None,
            },
        }
    }

    pub(super) fn handle_action(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        match action {
            Action::Open => self.open_selected(),
            Action::Refresh => self.reload(cx),
            Action::Interrupt => {
                self.cancel();
                vec![Command::cancel()]
            }
            Action::Back => self.go_back(),
            Action::Continue => {
                vec![Command::Request(PaneRequest::RaiseTraceLimit(self.fetch.raise_limit()))]
            }
            Action::Search => {
                vec![Command::Prompt(PanePrompt::SearchCalls, previous_input(self.search.as_ref()))]
            }
            Action::FilterRows => {
                vec![Command::Prompt(PanePrompt::FilterCalls, previous_input(self.filter.as_ref()))]
            }
            Action::Provenance => vec![Command::Notify(self.origins(cx))],
            Action::Signature => vec![Command::Prompt(PanePrompt::Signature, SafeText::default())],
            Action::Export => {
                let name = format!("trace-{}.txt", abbreviate(&self.transaction));
                vec![Command::Prompt(
                    PanePrompt::ExportTrace,
                    SafeText::new(&name.replace('…', "-")),
                )]
            }
            Action::InFull => {
                let raw = raw_json(&self.tree, self.selected);
                match serde_json::value::RawValue::from_string(raw) {
                    Ok(raw) => vec![Command::Navigate(Route::Row(raw.into()))],
                    Err(_) => vec![Command::Notify("this entry is no JSON of its own".into())],
                }
            }
            Action::Mark => {
                let marked =
                    DiffBaseline { transaction: self.transaction, tree: self.tree.clone() };
                vec![
                    Command::SetDiffBaseline(marked),
                    Command::NotifyKeys("marked: {diff} in another trace compares the two"),
                ]
            }
            Action::Diff => self.compare_with_baseline(cx),
            _ => self.copy(action, cx).into_iter().collect(),
        }
    }

    /// Where the meaning of the selected call is from, and its target's name, where that is the user's.
    fn origins(&self, cx: &PaneContext<'_>) -> SafeText {
        let meaning = self.meaning_origin(cx);
        match self
            .selected_address()
            .and_then(|address| cx.name_cache.labels().decorated_name(&address))
        {
            Some(name) => SafeText::new(&format!("{meaning} · {name} is your label")),
            None => meaning,
        }
    }

    /// Where the meaning of the selected call is from.
    pub(super) fn meaning_origin(&self, cx: &PaneContext<'_>) -> SafeText {
        let names = self.formatter(cx);
        let Some(frame) = self.tree.get(self.selected) else { return SafeText::default() };
        if names.server_decoding(self.selected, frame).is_some() {
            return "decoded by the explorer".into();
        }
        let input = self.tree.hex(frame.input, usize::MAX).unwrap_or_default();
        let Some(decoded) = names.decode(self.tree.address(frame.to), &input) else {
            let words = "nobody here knows this call: {signature} types its signature";
            return SafeText::new(&cx.keys.expand(words));
        };
        decoded.source.describe()
    }

    pub(super) fn compare_with_baseline(&self, cx: &PaneContext<'_>) -> Vec<Command> {
        let ours = DiffBaseline { transaction: self.transaction, tree: self.tree.clone() };
        match cx.diff_baseline {
            None => vec![Command::NotifyKeys(
                "no trace of this chain is marked: {mark} marks one, then {diff} in another",
            )],
            Some(_) if !matches!(self.fetch.state, FetchState::Complete) => {
                vec![Command::Notify("only a complete trace can be compared".into())]
            }
            Some(marked) => vec![Command::Navigate(Route::Diff(Box::new([marked.clone(), ours])))],
        }
    }

    pub(super) fn apply_prompt(
        &mut self,
        prompt: PanePrompt,
        text: &str,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let parsed = |text: &str| CallSearch::parse(text.trim(), cx.network.decimals);
        match prompt {
            PanePrompt::Signature => {
                return vec![Command::AddSignature(SafeText::new(text.trim()))];
            }
            PanePrompt::ExportTrace => return vec![self.export_to_file(text, cx)],
            PanePrompt::SearchCalls if text.trim().is_empty() => self.search = None,
            PanePrompt::FilterCalls if text.trim().is_empty() => {
                self.filter = None;
                self.apply_hidden();
            }
            PanePrompt::SearchCalls => match parsed(text) {
                Ok(search) => self.search = Some(search),
                Err(why) => return vec![Command::Notify(why)],
            },
            PanePrompt::FilterCalls => match parsed(text) {
                Ok(filter) => self.filter = Some(filter),
                Err(why) => return vec![Command::Notify(why)],
            },
            _ => {}
        }
        self.continue_search(cx);
        self.pending_notice.take().into_iter().collect()
    }

    /// The trace as a file: its ending says in which form.
    pub(super) fn export_to_file(&self, path: &str, cx: &PaneContext<'_>) -> Command {
        let path = path.trim();
        let format = match TraceExportFormat::from_file_name(path) {
            Ok(format) => format,
            Err(endings) => return Command::Notify(SafeText::from(endings)),
        };
        let (names, scope) = (self.formatter(cx), ExportScope::all(&self.tree));
        let export = self.trace_export(&names, &scope);
        let what = export.warning(format).unwrap_or_else(|| "calls".into()).into();
        match export.lines(format) {
            Ok(lines) => Command::Effect(Effect::Save { path: path.into(), lines, what }),
            Err(why) => Command::Notify(SafeText::from(format!("cannot export: {why}"))),
        }
    }
}

impl TracePane {
    /// The trace for another program: a tree to read, or an object a line.
    pub(super) fn export_for_viewer(
        &self,
        viewer: ExternalTool,
        cx: &PaneContext<'_>,
    ) -> Result<Export, SafeText> {
        if self.tree.is_empty() {
            return Err("there is no call to show".into());
        }
        let (name, format) = match viewer {
            ExternalTool::Pager => ("trace.txt", TraceExportFormat::Tree),
            ExternalTool::Editor => ("trace.jsonl", TraceExportFormat::Jsonl),
        };
        let (names, scope) = (self.formatter(cx), ExportScope::all(&self.tree));
        let lines = self.trace_export(&names, &scope).lines(format).map_err(SafeText::from)?;
        Ok(Export { name: name.into(), lines })
    }

    fn trace_export<'a>(
        &'a self,
        names: &'a CallFormatter<'a>,
        scope: &'a ExportScope,
    ) -> TraceExport<'a> {
        let (tree, transaction) = (&*self.tree, self.transaction);
        TraceExport { tree, names, transaction, scope, line_style: None }
    }
}

/// What was typed before, to be changed.
fn previous_input(search: Option<&CallSearch>) -> SafeText {
    search.map(|search| search.text.clone()).unwrap_or_default()
}
