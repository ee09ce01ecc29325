//! The lines above the calls of a trace: the reason of a failure, a summary, notes and the meanings of signs.

use ratatui::layout::Rect;

use super::layout::text_columns;
use crate::api::transactions::{Transaction, TransactionOutcome as TxOutcome};
use crate::calls::diagnostics::problems;
use crate::calls::formatter::CallFormatter;
use crate::calls::gas;
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::messages::trace::{self, TraceNote};
use crate::messages::{Count, list};
use crate::pane::PaneContext;
use crate::pane::icicle::has_frames;
use crate::pane::trace::TracePane;
use crate::pane::trace::fetch::FetchState;
use crate::pane::trace::folds::{HiddenCalls, SiblingOrder};
use crate::pane::trace::rows::call_row::CallPainter;
use crate::pane::trace::rows::gas_columns::GasColumns;
use crate::pane::trace::views::TraceView;
use crate::sanitize::SafeText;
use crate::trace::CallFrame;
use crate::trace::log_rows::TraceRow;
use crate::trace::tree::{FrameClass, to_index};
use crate::ui::format::{cut, width};
use crate::ui::theme::{FillShade, Role};

/// Maximum failed calls whose gas is looked at for the legend.
const MAX_CALLS_FOR_LEGEND: usize = 1_000;
const MAX_SUMMARY_LINES: usize = 2;

impl TracePane {
    pub(in crate::pane::trace) fn summary_role(&self) -> Role {
        match self.loading.fetch.state {
            FetchState::Failed(_) => Role::Failed,
            FetchState::Paused | FetchState::Stopped => Role::Warning,
            FetchState::Complete => Role::Title,
            _ => Role::Dim,
        }
    }

    /// Returns the state of loading, or a summary of the trace, on one line if it fits.
    pub(in crate::pane::trace) fn summary_lines(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let columns = text_columns(cx);
        let parts = self.summary_parts(false, cx);
        let [whole, short] = [parts.join(" · "), self.summary_parts(true, cx).join(" · ")];
        if width(&whole) > columns && width(&short) <= columns {
            return vec![short];
        }
        let mut lines: Vec<String> = Vec::new();
        for part in parts {
            let is_last = lines.len() == MAX_SUMMARY_LINES;
            match lines.last_mut() {
                Some(line) if is_last || width(line) + 3 + width(&part) <= columns => {
                    *line = [&**line, " · ", &part].concat();
                }
                _ => lines.push(part),
            }
        }
        lines
    }

    /// Returns the parts of the summary, in fewer words if it `is_short`.
    fn summary_parts(&self, is_short: bool, cx: &PaneContext<'_>) -> Vec<String> {
        if let Some(fallback) =
            self.loading.fallback.status_text().filter(|_| !self.tree.is_empty())
        {
            let status = self.loading.fetch.status_text(0, cx);
            let format = || self.loading.fetch.format.name().to_owned();
            return vec![fallback, if status.is_empty() { format() } else { status }];
        }
        if cx.is_busy && matches!(self.loading.fetch.state, FetchState::NotRequested) {
            return vec![cx.with_spinner(list::LOADING)];
        }
        if let (FetchState::Failed(_), true) = (&self.loading.fetch.state, self.tree.is_empty()) {
            return Vec::new();
        }
        let FetchState::Complete = self.loading.fetch.state else {
            let status = self.loading.fetch.status_text(self.tree.len(), cx);
            return vec![if self.tree.is_empty() { cx.with_spinner(&status) } else { status }];
        };
        if self.tree.is_empty() {
            return vec![TraceNote::NoTrace { format: self.tree.format().name() }.to_string()];
        }
        if let TraceView::BalanceChanges(view) = &self.view {
            return [Some(view.title()), self.transfers_summary(is_short)]
                .into_iter()
                .flatten()
                .collect();
        }
        let mut parts = vec![self.caught_failures().unwrap_or_else(|| self.call_counts())];
        parts.extend(self.transfers_summary(is_short));
        parts.extend(self.logs.summary());
        let transaction = self.known_transaction(cx);
        parts.extend(transaction.and_then(|known| gas::reconcile(&self.tree, known, is_short)));
        parts
    }

    /// Returns the meanings of the letters of calls on the screen, and of the signs of what is inferred.
    pub(in crate::pane::trace) fn signs_on_screen(
        &self,
        (calls, rows): (&[u32], Rect),
        painter: &CallPainter<'_>,
        columns: &GasColumns,
    ) -> impl Iterator<Item = &'static str> {
        let on_screen = self.cursor.first_row..self.cursor.first_row + usize::from(rows.height);
        let mut shown = on_screen.map_while(|row| self.logs.rows.get(&self.folding.visible, row));
        let has_letter = |kind: CallKind| {
            let is_of_kind =
                |call: &u32| self.tree.get(*call).is_some_and(|call| call.kind == kind);
            columns.has_letters && calls.iter().any(is_of_kind)
        };
        let mut failed = self.tree.frames_of(FrameClass::Failed).iter().take(MAX_CALLS_FOR_LEGEND);
        let is_inferred = |call: &u32| self.tree.get(*call).is_some_and(CallFrame::is_gas_inferred);
        let legend = [
            (has_letter(CallKind::StaticCall), trace::STATIC_LETTER),
            (has_letter(CallKind::DelegateCall), trace::DELEGATE_LETTER),
            (failed.any(is_inferred), trace::GAS_INFERRED),
            (shown.clone().any(|row| self.logs.has_inferred_place(row)), trace::PLACES_INFERRED),
            (shown.any(|row| painter.has_guessed_name(row)), trace::NAMES_GUESSED),
        ];
        legend.into_iter().filter(|(is_on, _)| *is_on).map(|(_, text)| text)
    }

    /// Returns the reason and place of the transaction's failure, or an empty line if it succeeded.
    pub(in crate::pane::trace) fn failure_line(&self, cx: &PaneContext<'_>) -> String {
        let is_whole = self.revert_path.outermost == Some(0);
        let Some(origin) = self.revert_path.frames.last().copied().filter(|_| is_whole) else {
            return String::new();
        };
        let formatter = CallFormatter { short_amounts: true, ..self.screen_formatter(cx) };
        let contract = &*formatter.target(origin);
        let place = match self.revert_path.frames.len() {
            1 => String::new(),
            2 => format!(" · {}", TraceNote::RaisedBelow { contract }),
            n => format!(" · {}", TraceNote::RaisedFarBelow { calls: n - 1, contract }),
        };
        let reason = formatter.failure_reason(origin);
        let columns = text_columns(cx).saturating_sub(2);
        // The origin is marked among the calls too.
        let shown_place = if width(&reason) + width(&place) <= columns { &*place } else { "" };
        format!("✗ {}{shown_place}", cut(&reason, columns))
    }

    pub(in crate::pane::trace) fn call_counts(&self) -> String {
        let calls = Count(to_index(self.tree.len()), "call");
        match self.tree.frames_of(FrameClass::Failed).len() {
            0 => calls.to_string(),
            failed => format!("{calls}, {} failed", Grouped(failed)),
        }
    }

    /// Describes the failures of calls that the transaction survived.
    pub(in crate::pane::trace) fn caught_failures(&self) -> Option<String> {
        let failed = Grouped(self.tree.frames_of(FrameClass::Failed).len());
        let has_survived = self.tree.get(0).is_some_and(|root| !root.failed());
        let calls = Count(to_index(self.tree.len()), "call");
        let note = TraceNote::Caught { failed, calls };
        (has_survived && failed.0 > 0).then(|| note.to_string())
    }

    fn transfers_summary(&self, is_short: bool) -> Option<String> {
        let matched = self.transfers.matched_count();
        let all = matched + self.transfers.unmatched.len();
        let transfers = Count(all, if is_short { "transfer" } else { "token transfer" });
        match all {
            0 => None,
            all if matched == all => Some(transfers.to_string()),
            _ => Some(TraceNote::UnmatchedTransfers { matched, transfers }.to_string()),
        }
    }

    /// Returns the problems of the trace, the state of search and filter, and the hidden calls.
    pub(in crate::pane::trace) fn notes(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let mut notes = problems(&self.tree);
        notes.extend(self.status_mismatch(cx).map(str::to_owned));
        notes.extend(
            self.finding.search.as_ref().map(|s| s.status_text(self.cursor.call, self.tree.len())),
        );
        notes.extend(self.finding.filter.as_ref().map(|filter| {
            let text = &*filter.text;
            match filter.hits().len() {
                1 => TraceNote::Match { text }.to_string(),
                hits => TraceNote::Matches { matches: Grouped(hits), text }.to_string(),
            }
        }));
        // The titles mark the column of another order.
        let order =
            self.folding.order.label().filter(|_| self.folding.order == SiblingOrder::Value);
        notes.extend(order.map(|label| cx.keys.expand(label).into_owned()));
        if self.folding.hidden != HiddenCalls::default() {
            notes.push(cx.keys.expand(self.folding.hidden.describe()).into_owned());
        }
        notes.extend(self.logs.note(cx));
        notes
    }

    /// Reports a transaction status that the trace contradicts, which explorers have shown
    /// (blockscout #8349).
    fn status_mismatch(&self, cx: &PaneContext<'_>) -> Option<&'static str> {
        let FetchState::Complete = self.loading.fetch.state else { return None };
        if self.loading.fallback.is_requested() {
            return None;
        }
        let failed = self.tree.get(0).map(CallFrame::failed)?;
        match (self.known_transaction(cx).map(Transaction::outcome)?, failed) {
            (TxOutcome::Ok | TxOutcome::OkInnerFailure, true) => {
                Some(trace::SUCCEEDED_BUT_TRACE_FAILED)
            }
            (TxOutcome::Failed, false) => Some(trace::FAILED_BUT_TRACE_SUCCEEDED),
            _ => None,
        }
    }

    /// Returns the legend of the icicle, the share of the gas that it shows, and the position.
    pub(in crate::pane::trace) fn icicle_status(&self, root: u32, cx: &PaneContext<'_>) -> String {
        let has_blank = has_frames(cx.format, cx.styles);
        let is_leaf = self.tree.children(root).next().is_none();
        let is_coloured = cx.styles.hue_fill(0, FillShade::Own).bg.is_some();
        let is_hatched = has_blank && is_coloured && !cx.format.is_ascii;
        let legend = match (has_blank, is_hatched) {
            (_, true) if is_leaf => trace::HATCHED_OWN_GAS,
            (_, true) => trace::BLANK_INNER_AND_HATCHED_OWN_GAS,
            _ if is_leaf => trace::OWN_GAS,
            (true, _) => trace::BLANK_INNER_AND_OWN_GAS,
            (false, _) => trace::INNER_AND_OWN_GAS,
        };
        let zoomed = self.tree.parent(root).map(|_| {
            let share = gas::gas_share(&self.tree, root, false);
            format!("{} · ", TraceNote::ZoomedTo { share: &share })
        });
        format!("{legend} · {}{}", zoomed.unwrap_or_default(), self.position_text())
    }

    pub(in crate::pane::trace) fn position_text(&self) -> SafeText {
        if self.tree.is_empty() {
            return SafeText::default();
        }
        if let Some(TraceRow::Log(log)) = self.cursor.log_row {
            let [number, events] = [log + 1, self.logs.len()].map(Grouped);
            return SafeText::new(&format!("event {number} of {events}"));
        }
        let number = Grouped(u64::from(self.cursor.call) + 1);
        let calls = Grouped(self.tree.len());
        SafeText::new(&format!("call {number} of {calls}"))
    }
}
