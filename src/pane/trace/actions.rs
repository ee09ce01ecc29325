//! Actions that lead out of the pane: opening, prompting, comparing.

use std::sync::Arc;

use alloy_primitives::hex;

use super::TracePane;
use super::fetch::FetchState;
use super::views::TraceView;
use crate::abi::{DecodedRevert, SignatureHash};
use crate::action::Action;
use crate::calls::formatter::MAX_CALLS_TO_DELEGATION;
use crate::calls::identity::CallIdentity;
use crate::calls::placed_logs::emitter;
use crate::calls::search::CallSearch;
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::TargetKind;
use crate::columns::cells::log_event::LogEvent;
use crate::messages::trace::{self, TraceNote};
use crate::messages::{call, column, list};
use crate::pane::export::SourcePlace;
use crate::pane::{Command, PaneContext, PanePrompt, Route};
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;
use crate::trace::CallKind;
use crate::trace::frame_json::raw_json;

/// Longer revert data is not of a custom error.
const MAX_ERROR_BYTES: usize = 64 << 10;

impl TracePane {
    /// Returns `true` if [`Self::go_back`] has anything to undo.
    pub(super) fn can_go_back(&self) -> bool {
        self.detail.has_focus()
            || self.is_loading()
            || self.call_export.is_some()
            || self.finding.search.is_some()
            || self.finding.filter.is_some()
            || !matches!(self.view, TraceView::Tree)
    }

    fn is_loading(&self) -> bool {
        self.successor.is_some() || self.loading.fetch.is_in_flight()
    }

    /// Undoes one thing: loading, the search, the filter, or another view than the tree.
    fn go_back(&mut self) -> Vec<Command> {
        if self.is_loading() {
            self.cancel();
            return vec![Command::Cancel];
        }
        if self.call_export.is_some() {
            self.stop_export();
            return vec![Command::Notify(list::STOPPED.into())];
        }
        if let Some(search) = self.finding.search.take() {
            for folded in search.opened_folds {
                self.folding.visible.set_expanded(&self.tree, folded, false);
            }
            self.select_visible_ancestor();
        } else if self.finding.filter.take().is_some() {
            self.apply_hidden();
        } else {
            return self.show_tree();
        }
        Vec::new()
    }

    /// Shows the hottest call of the selected function in the tree, or opens the selected address.
    fn enter_or_open(&mut self) -> Vec<Command> {
        if !matches!(self.view, TraceView::Functions(_)) {
            return self.open_selected();
        }
        self.show_tree()
    }

    /// Leaves another view.
    pub(super) fn show_tree(&mut self) -> Vec<Command> {
        self.view = TraceView::Tree;
        self.go_to(self.cursor.call).into_iter().collect()
    }

    pub(super) fn open_selected(&mut self) -> Vec<Command> {
        if let Some(row) = self.cursor.log_row {
            return self.open_log(row).into_iter().collect();
        }
        vec![match self.call_address() {
            Some(address) => Command::Navigate(Route::Target(TargetKind::Address(address))),
            None => Command::Notify(trace::NOTHING_TO_OPEN.into()),
        }]
    }

    /// Opens the contract that the call runs, for a proxy the one behind it.
    fn open_source(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let input = |call| self.tree.get(call).map(|frame| self.tree.body.bytes(frame.input));
        let is_behind = |call: &u32| {
            let kind = self.tree.get(*call).map(|frame| frame.kind);
            kind == Some(CallKind::DelegateCall) && input(*call) == input(self.cursor.call)
        };
        let first_calls = self.tree.children(self.cursor.call).take(MAX_CALLS_TO_DELEGATION);
        let call = first_calls.filter(is_behind).last().unwrap_or(self.cursor.call);
        self.open_source_of(call, cx)
    }

    /// Opens the source of the code that a call runs, at the line of its failure, else at the called
    /// function.
    pub(super) fn source_of(&self, call: u32, cx: &PaneContext<'_>) -> Command {
        let Some(contract) = self.tree.target_address(call) else {
            return Command::Notify(trace::NO_CONTRACT.into());
        };
        let selector =
            || self.tree.selector(call).map(|selector| hex::encode_prefixed(selector).into());
        let function = || self.formatter(cx).identifier().declared_function(call).or_else(selector);
        let function = || function().map(|name| SourcePlace::Definition(SafeText::new(&name)));
        Command::OpenSource(contract, self.failure_lines.place(call).or_else(function))
    }

    fn call_address(&self) -> Option<Address> {
        match &self.view {
            TraceView::BalanceChanges(view) => {
                view.selected_address().or_else(|| view.account_address())
            }
            _ if self.selected_log().is_some() => self.selected_log().and_then(|log| emitter(log)),
            _ => self.tree.target_address(self.cursor.call),
        }
    }

    /// Returns the address of the selected line of a focused detail, else of the call.
    pub(super) fn selected_address(&self) -> Option<Address> {
        self.detail.selected_address().or_else(|| self.call_address())
    }

    pub(super) fn handle_action(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        match action {
            Action::Open => self.enter_or_open(),
            Action::Source => self.open_source(cx),
            Action::RevertOrigin => self.go_to_revert_origin(cx),
            Action::Refresh => {
                self.loading.fetch.was_repeated = false;
                self.refresh(cx)
            }
            Action::Back => self.go_back(),
            Action::Continue if self.logs.can_continue() => {
                self.continue_logs(cx).into_iter().collect()
            }
            Action::Continue => {
                self.loading.fetch.state = FetchState::Reading;
                vec![Command::ContinueTrace]
            }
            Action::Search => {
                vec![Command::Prompt(PanePrompt::SearchCalls.into())]
            }
            Action::FilterRows => {
                vec![Command::Prompt(PanePrompt::FilterCalls.into())]
            }
            Action::ContractNames => self.fetch_all_names(),
            Action::Provenance => vec![Command::Notify(self.origins(cx))],
            Action::LookUp => vec![Command::LookUp(self.unknown_signatures(cx))],
            Action::Signature => vec![Command::Prompt(PanePrompt::Signature.into())],
            Action::Export => {
                let transaction = abbreviate(&self.transaction).replace('…', "-");
                let name = cx.export_name(&format!("trace-{transaction}"), "txt");
                vec![Command::Prompt(PanePrompt::ExportTrace.with_text(name))]
            }
            Action::HideEvents => self.toggle_logs(cx),
            Action::AllFields => vec![self.all_fields()],
            Action::Mark => vec![
                Command::SetDiffBaseline(self.as_baseline()),
                Command::NotifyKeys(trace::MARKED),
            ],
            Action::Diff => self.compare_with_baseline(cx).into_iter().collect(),
            Action::CopySubtree => {
                self.copy_tree("subtree", self.cursor.call, cx).into_iter().collect()
            }
            Action::CopyTree => self.copy_tree("tree", 0, cx).into_iter().collect(),
            _ => self.copy(action, cx).into_iter().collect(),
        }
    }

    /// Opens the selected event or call with every field.
    fn all_fields(&self) -> Command {
        let log = self.selected_log().map(|log| {
            let index = log.parsed.as_ref().ok().and_then(|log| log.index.value());
            let name = index.map_or_else(|| "log".to_owned(), |index| format!("log {index}"));
            (name, Ok(log.raw.clone()))
        });
        let call = || {
            let json = raw_json(&self.tree, self.cursor.call);
            let raw = serde_json::value::RawValue::from_string(json).map(Arc::from);
            (format!("call {}", Grouped(self.cursor.call + 1)), raw)
        };
        let (name, raw) = log.unwrap_or_else(call);
        match raw {
            Ok(raw) => Command::Navigate(Route::Row { raw, name: name.into(), page: None }),
            Err(_) => Command::Notify(trace::NOT_JSON.into()),
        }
    }

    /// Describes the origin of the selected call's decoding, and of its target's name if it is a label.
    fn origins(&self, cx: &PaneContext<'_>) -> SafeText {
        let meaning = self.event_origin(cx).unwrap_or_else(|| self.meaning_origin(cx));
        let labels = cx.name_cache.labels();
        match self.selected_address().and_then(|address| labels.decorated_name(&address)) {
            Some(name) => TraceNote::OwnLabel { meaning: &meaning, name: &name }.to_string().into(),
            None => meaning,
        }
    }

    fn meaning_origin(&self, cx: &PaneContext<'_>) -> SafeText {
        let formatter = self.formatter(cx);
        let Some(frame) = self.tree.get(self.cursor.call) else { return SafeText::default() };
        if formatter.identifier().explorer_decoding(self.cursor.call, frame).is_some() {
            return column::decoded_by_explorer(&cx.network.endpoint).into();
        }
        let input = self.tree.hex(frame.input, usize::MAX).unwrap_or_default();
        let Some(decoded) = formatter.identifier().decode(self.tree.address(frame.to), &input)
        else {
            let hint = cx.keys.expand(call::UNKNOWN_SELECTOR);
            return SafeText::new(&hint);
        };
        decoded.source.describe()
    }

    /// Returns the topic of the event under the cursor, else the selectors of the call and of its
    /// revert data, if they are unknown.
    fn unknown_signatures(&self, cx: &PaneContext<'_>) -> Vec<SignatureHash> {
        if let Some(Ok(log)) = self.selected_log().map(|log| &log.parsed) {
            let is_unknown = LogEvent::new(log, cx.signature_db).is_none();
            let topic = log.topics().first().filter(|_| is_unknown);
            return topic.map(|topic| SignatureHash::Topic(*topic)).into_iter().collect();
        }
        let formatter = self.formatter(cx);
        let Some(frame) = self.tree.get(self.cursor.call) else { return Vec::new() };
        let selector = self.tree.selector(self.cursor.call);
        let identity = formatter.identifier().identify(self.cursor.call, frame);
        // The fallback of a contract may call one with the function.
        let is_unknown = matches!(
            identity,
            CallIdentity::Unknown | CallIdentity::Long(None) | CallIdentity::Fallback
        );
        let called = selector.filter(|_| is_unknown);
        let output = self.tree.hex(frame.output, MAX_ERROR_BYTES).filter(|_| frame.failed());
        let error = output.and_then(|data| match cx.signature_db.revert_reason(&data) {
            DecodedRevert::Unknown { selector, .. } => selector,
            _ => None,
        });
        called.into_iter().chain(error).map(SignatureHash::Selector).collect()
    }

    fn compare_with_baseline(&self, cx: &PaneContext<'_>) -> Option<Command> {
        let baseline = cx.diff_baseline?.clone();
        Some(Command::Navigate(Route::Diff(Box::new([baseline, self.as_baseline()]))))
    }

    fn as_baseline(&self) -> DiffBaseline {
        DiffBaseline { transaction: self.transaction, tree: self.tree.clone() }
    }

    pub(super) fn apply_prompt(
        &mut self,
        prompt: PanePrompt,
        text: &str,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let text = text.trim();
        let parse = || match text {
            "" => Ok(None),
            text => CallSearch::parse(text, cx.network.decimals).map(Some),
        };
        let parsed = match prompt {
            PanePrompt::Signature => return vec![Command::AddSignature(SafeText::new(text))],
            PanePrompt::ExportTrace => return self.export_to_file(text, cx).into_iter().collect(),
            PanePrompt::SearchCalls => parse().map(|search| self.finding.search = search),
            // A filter applies when it has searched every call.
            PanePrompt::FilterCalls => parse().map(|filter| self.finding.filter = filter),
            _ => Ok(()),
        };
        if let Err(error) = parsed {
            return vec![Command::RefusePrompt(prompt, error)];
        }
        if prompt == PanePrompt::FilterCalls && self.finding.filter.is_none() {
            self.apply_hidden();
        }
        self.continue_search(cx).into_iter().collect()
    }
}
