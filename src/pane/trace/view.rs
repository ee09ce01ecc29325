//! Draws the pane. Reads only.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::diagnostics::{RecoveryHints, no_calls_message, problems};
use super::fetch::FetchState;
use super::row::CallPainter;
use super::{TracePane, TraceView, folds, gas, value_flow};
use crate::api::transactions::{Transaction, TransactionOutcome as TxOutcome};
use crate::chain::amount::group_digits;
use crate::pane::PaneContext;
use crate::sanitize::SafeText;
use crate::trace::CallFrame;
use crate::trace::tree::{FrameClass, format_path};
use crate::ui::format::{cut, width, wrap};
use crate::ui::theme::Role;

/// Lines of the summary.
const MAX_SUMMARY_LINES: usize = 2;
/// A detail is not shown beside fewer rows of the tree.
const MIN_TREE_ROWS: u16 = 6;

/// Where what is.
pub(super) struct TraceLayout {
    summary: Rect,
    notes: Rect,
    pub(super) rows: Rect,
    rule: Rect,
    pub(super) detail: Rect,
}

impl TraceLayout {
    /// `rows` is how many the tree has: where it needs less room, the detail has more.
    pub(super) fn new(
        area: Rect,
        zoomed: bool,
        (summary, notes): (u16, bool),
        rows: usize,
    ) -> Self {
        let free = area.height.saturating_sub(summary + u16::from(notes));
        let spare = usize::from(free).saturating_sub(rows.max(usize::from(MIN_TREE_ROWS)) + 1);
        let detail = match (zoomed, free) {
            (true, _) => free.saturating_sub(1),
            (false, ..14) => 0,
            (false, free) => (free / 3).min(16).max(u16::try_from(spare).unwrap_or(0)),
        };
        let heights = [
            Constraint::Length(summary),
            Constraint::Length(u16::from(notes)),
            if zoomed { Constraint::Length(0) } else { Constraint::Min(0) },
            Constraint::Length(u16::from(detail > 0)),
            Constraint::Length(detail),
        ];
        let [summary, notes, rows, rule, detail] = area.layout(&Layout::vertical(heights));
        Self { summary, notes, rows, rule, detail }
    }
}

impl TracePane {
    pub(super) fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let parts = self.layout(cx);
        for (at, text) in parts.summary.rows().zip(self.summary_lines(cx)) {
            draw_line(buf, at, &text, cx, self.summary_role());
        }
        draw_line(buf, parts.notes, &self.notes(cx).join(" · "), cx, Role::Warning);
        if self.tree.is_empty() {
            return self.draw_empty_reason(cx, buf, parts.rows);
        }
        self.draw_calls(cx, buf, parts.rows);
        if parts.detail.height > 0 {
            let rule = "─".repeat(usize::from(parts.rule.width));
            let look = if self.detail_has_focus() { Role::Accent } else { Role::Dim };
            draw_line(buf, parts.rule, &rule, cx, look);
            if self.detail_has_focus() {
                self.detail.view(parts.detail, buf, cx.styles);
            } else {
                self.detail.draw_lines(parts.detail, buf, cx.styles);
            }
        }
    }

    fn draw_calls(&self, cx: &PaneContext<'_>, buf: &mut Buffer, area: Rect) {
        let is_hit = |number| self.search.as_ref().is_some_and(|search| search.is_hit(number));
        let is_merged =
            |number| folds::is_merged_into_proxy(&self.visible, &self.tree, self.hidden, number);
        let look = CallPainter {
            formatter: self.screen_formatter(cx),
            visible: &self.visible,
            styles: cx.styles,
            share_of_parent: self.share_of_parent,
            indent: self.indent,
            revert_path: &self.revert_path.1,
            selected: self.selected,
            is_hit: &is_hit,
            is_merged: &is_merged,
        };
        match &self.view {
            TraceView::Icicle(root) => look.draw_icicle(*root, area, buf),
            TraceView::ValueFlow(flow, at) => {
                value_flow::draw((flow, *at), &look.formatter, area, buf, cx.styles);
            }
            TraceView::Tree => {
                let shown = self.visible.rows().iter().skip(self.first_row);
                for (row, number) in area.rows().zip(shown) {
                    look.draw_row(*number, row, buf);
                    if *number == self.selected {
                        let style = cx.styles.selection();
                        buf.set_style(
                            row,
                            if self.detail_has_focus() { cx.styles.of(Role::Title) } else { style },
                        );
                    }
                }
            }
        }
    }

    /// Why there is no call to be seen, and what can be done.
    fn draw_empty_reason(&self, cx: &PaneContext<'_>, buf: &mut Buffer, area: Rect) {
        let mut lines = area.rows();
        let room = usize::from(area.width).max(2);
        let reason = self.no_calls_reason(cx);
        let substitute = self.fallback.status_text().unwrap_or_default();
        for (text, role) in [(&*reason, Role::Plain), (&*substitute, Role::Dim)] {
            for (part, line) in wrap(text, room).into_iter().zip(lines.by_ref()) {
                let part = text.get(part).unwrap_or_default();
                buf.set_stringn(line.x, line.y, part, room, cx.styles.of(role));
            }
        }
    }

    /// A sentence for each kind of answer that holds no calls.
    fn no_calls_reason(&self, cx: &PaneContext<'_>) -> String {
        let FetchState::Complete = self.fetch.state else { return String::new() };
        let again = cx.keys.expand("{refresh} asks again");
        let longer = cx.keys.expand("{refresh} asks again, and waits longer");
        let advice = RecoveryHints { retry: &again, retry_longer: &longer, raw_view: "tab 3" };
        no_calls_message(self.tree.format(), advice)
    }

    fn summary_role(&self) -> Role {
        match self.fetch.state {
            FetchState::Failed(_) => Role::Failed,
            FetchState::Paused | FetchState::Stopped => Role::Warning,
            FetchState::Complete => Role::Title,
            _ => Role::Dim,
        }
    }

    /// The first line, or two where it is narrow: how far the trace is here, or what it comes to.
    pub(super) fn summary_lines(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let room = usize::from(cx.area.width);
        let mut lines: Vec<String> = Vec::new();
        for part in self.summary_parts(cx) {
            let full = lines.len() == MAX_SUMMARY_LINES;
            match lines.last_mut() {
                Some(line) if full || width(line) + 3 + width(&part) <= room => {
                    *line = [&**line, " · ", &part].concat();
                }
                _ => lines.push(part),
            }
        }
        lines
    }

    fn summary_parts(&self, cx: &PaneContext<'_>) -> Vec<String> {
        if let Some(words) = self.fallback.status_text().filter(|_| !self.tree.is_empty()) {
            let why = self.fetch.status_text(0, cx.keys);
            return vec![words, if why.is_empty() { self.fetch.format.name().into() } else { why }];
        }
        let FetchState::Complete = self.fetch.state else {
            return vec![self.fetch.status_text(self.tree.len(), cx.keys)];
        };
        if self.tree.is_empty() {
            return vec![format!("no trace ({})", self.tree.format().name())];
        }
        let whole = self
            .known_transaction(cx)
            .and_then(|transaction| transaction.gas.used.value().copied());
        let mut parts = vec![self.call_counts(), self.tree.format().name().to_owned()];
        parts.extend(gas::reconcile(&self.tree, whole));
        parts.extend(self.transfers_summary());
        parts
    }

    fn call_counts(&self) -> String {
        let calls = self.tree.len();
        let failed = self.tree.frames_of(FrameClass::Failed).len();
        let noun = if calls == 1 { "call" } else { "calls" };
        match failed {
            0 => format!("{} {noun}", group_digits(&calls.to_string())),
            n => format!(
                "{} {noun}, {} failed",
                group_digits(&calls.to_string()),
                group_digits(&n.to_string())
            ),
        }
    }

    fn transfers_summary(&self) -> Option<String> {
        let unmatched = self.transfers.unmatched.len();
        let all = self.transfers.matched_count() + unmatched;
        match (all, unmatched) {
            (0, _) => None,
            (all, 0) => Some(format!("{all} token transfers on their calls")),
            (all, _) => {
                Some(format!("{} of {all} token transfers on their calls", all - unmatched))
            }
        }
    }

    /// What is wrong with the trace, and what the view leaves out.
    pub(super) fn notes(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let mut notes = problems(&self.tree);
        notes.extend(self.status_mismatch(cx).map(str::to_owned));
        notes.extend(self.search.as_ref().map(|s| s.status_text(self.selected, self.tree.len())));
        notes.extend(
            self.filter
                .as_ref()
                .map(|f| format!("only paths to {} matches of {}", f.matches().len(), f.text)),
        );
        notes.extend(self.order.label().map(|words| cx.keys.expand(words).into_owned()));
        if self.hidden != folds::HiddenCalls::default() {
            notes.push(cx.keys.expand(self.hidden.describe()).into_owned());
        }
        notes
    }

    /// Explorers have shown statuses that their own traces contradict (blockscout #8349).
    fn status_mismatch(&self, cx: &PaneContext<'_>) -> Option<&'static str> {
        let FetchState::Complete = self.fetch.state else { return None };
        self.fallback.status_text().is_none().then_some(())?;
        let failed = self.tree.get(0).map(CallFrame::failed)?;
        match (self.known_transaction(cx).map(Transaction::outcome)?, failed) {
            (TxOutcome::Ok | TxOutcome::OkInnerFailure, true) => {
                Some("trace and status disagree: the transaction is ok, its trace failed")
            }
            (TxOutcome::Failed, false) => {
                Some("trace and status disagree: the transaction failed, its trace did not")
            }
            _ => None,
        }
    }

    /// Where in the trace one is, for the footer.
    pub(super) fn position_text(&self) -> SafeText {
        if self.tree.is_empty() {
            return SafeText::default();
        }
        let path = format_path(&self.tree.path(self.selected));
        let number = group_digits(&(u64::from(self.selected) + 1).to_string());
        let all = group_digits(&self.tree.len().to_string());
        SafeText::new(&format!("{} {number}/{all}", cut(&path, 24)))
    }
}

fn draw_line(buf: &mut Buffer, at: Rect, text: &str, cx: &PaneContext<'_>, role: Role) {
    if at.height > 0 {
        let room = usize::from(at.width);
        buf.set_stringn(at.x, at.y, cut(text, room), room, cx.styles.of(role));
    }
}
