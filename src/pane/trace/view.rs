//! Draws the pane. Reads only.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::diagnostics::{Advice, troubles, without_calls};
use super::fetch::State;
use super::row::Look;
use super::{Trace, View, copy, folds, gas, value_flow};
use crate::api::transactions::{Outcome as TxOutcome, Transaction};
use crate::chain::amount::grouped;
use crate::pane::Cx;
use crate::sanitize::Text;
use crate::trace::Frame;
use crate::trace::tree::Sort;
use crate::ui::format::{cut, width, wrap};
use crate::ui::theme::Role;

/// Lines of the summary.
const SUMMARY: usize = 2;
/// A detail is not shown beside fewer rows of the tree.
const ROWS: u16 = 6;

/// Where what is.
pub(super) struct Parts {
    summary: Rect,
    notes: Rect,
    pub(super) rows: Rect,
    rule: Rect,
    pub(super) detail: Rect,
}

impl Parts {
    /// `rows` is how many the tree has: where it needs less room, the detail has more.
    pub(super) fn of(area: Rect, zoomed: bool, (summary, notes): (u16, bool), rows: usize) -> Self {
        let free = area.height.saturating_sub(summary + u16::from(notes));
        let spare = usize::from(free).saturating_sub(rows.max(usize::from(ROWS)) + 1);
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

impl Trace {
    pub(super) fn draw(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let parts = self.parts(cx);
        for (at, text) in parts.summary.rows().zip(self.summary(cx)) {
            line(buf, at, &text, cx, self.summary_role());
        }
        line(buf, parts.notes, &self.notes(cx).join(" · "), cx, Role::Warning);
        if self.tree.is_empty() {
            return self.draw_reason(cx, buf, parts.rows);
        }
        self.draw_calls(cx, buf, parts.rows);
        if parts.detail.height > 0 {
            let rule = "─".repeat(usize::from(parts.rule.width));
            let look = if self.is_entered() { Role::Accent } else { Role::Dim };
            line(buf, parts.rule, &rule, cx, look);
            if self.is_entered() {
                self.detail.view(parts.detail, buf, cx.styles);
            } else {
                self.detail.view_plain(parts.detail, buf, cx.styles);
            }
        }
    }

    fn draw_calls(&self, cx: &Cx<'_>, buf: &mut Buffer, area: Rect) {
        let is_hit = |number| self.search.as_ref().is_some_and(|search| search.is_hit(number));
        let is_merged = |number| folds::is_merged(&self.outline, &self.tree, self.left, number);
        let look = Look {
            names: self.shown_names(cx),
            outline: &self.outline,
            styles: cx.styles,
            of_parent: self.of_parent,
            step: self.step,
            revert: &self.revert.1,
            selected: self.selected,
            is_hit: &is_hit,
            is_merged: &is_merged,
        };
        match &self.view {
            View::Icicle(root) => look.draw_icicle(*root, area, buf),
            View::Flow(flow, at) => {
                value_flow::draw((flow, *at), &look.names, area, buf, cx.styles);
            }
            View::Tree => {
                let shown = self.outline.rows().iter().skip(self.top);
                for (row, number) in area.rows().zip(shown) {
                    look.draw(*number, row, buf);
                    if *number == self.selected {
                        let style = cx.styles.selection();
                        buf.set_style(
                            row,
                            if self.is_entered() { cx.styles.of(Role::Title) } else { style },
                        );
                    }
                }
            }
        }
    }

    /// Why there is no call to be seen, and what can be done.
    fn draw_reason(&self, cx: &Cx<'_>, buf: &mut Buffer, area: Rect) {
        let mut lines = area.rows();
        let room = usize::from(area.width).max(2);
        let reason = self.reason(cx);
        let substitute = self.substitute.words().unwrap_or_default();
        for (text, role) in [(&*reason, Role::Plain), (&*substitute, Role::Dim)] {
            for (part, line) in wrap(text, room).into_iter().zip(lines.by_ref()) {
                let part = text.get(part).unwrap_or_default();
                buf.set_stringn(line.x, line.y, part, room, cx.styles.of(role));
            }
        }
    }

    /// A sentence for each kind of answer that holds no calls.
    fn reason(&self, cx: &Cx<'_>) -> String {
        let State::Complete = self.fetch.state else { return String::new() };
        let again = cx.keys.sentence("{refresh} asks again");
        let longer = cx.keys.sentence("{refresh} asks again, and waits longer");
        let advice = Advice { again: &again, longer: &longer, raw: "tab 3" };
        without_calls(self.tree.dialect(), advice)
    }

    fn summary_role(&self) -> Role {
        match self.fetch.state {
            State::Failed(_) => Role::Failed,
            State::Paused | State::Stopped => Role::Warning,
            State::Complete => Role::Title,
            _ => Role::Dim,
        }
    }

    /// The first line, or two where it is narrow: how far the trace is here, or what it comes to.
    pub(super) fn summary(&self, cx: &Cx<'_>) -> Vec<String> {
        let room = usize::from(cx.area.width);
        let mut lines: Vec<String> = Vec::new();
        for part in self.summary_parts(cx) {
            let full = lines.len() == SUMMARY;
            match lines.last_mut() {
                Some(line) if full || width(line) + 3 + width(&part) <= room => {
                    *line = [&**line, " · ", &part].concat();
                }
                _ => lines.push(part),
            }
        }
        lines
    }

    fn summary_parts(&self, cx: &Cx<'_>) -> Vec<String> {
        if let Some(words) = self.substitute.words().filter(|_| !self.tree.is_empty()) {
            let why = self.fetch.words(0, cx.keys);
            return vec![
                words,
                if why.is_empty() { self.fetch.dialect.name().into() } else { why },
            ];
        }
        let State::Complete = self.fetch.state else {
            return vec![self.fetch.words(self.tree.len(), cx.keys)];
        };
        if self.tree.is_empty() {
            return vec![format!("no trace ({})", self.tree.dialect().name())];
        }
        let whole = self.seen(cx).and_then(|transaction| transaction.gas.used.known().copied());
        let mut parts = vec![self.counts(), self.tree.dialect().name().to_owned()];
        parts.extend(gas::reconciled(&self.tree, whole));
        parts.extend(self.overlay_words());
        parts
    }

    fn counts(&self) -> String {
        let calls = self.tree.len();
        let failed = self.tree.count(Sort::Failed);
        let noun = if calls == 1 { "call" } else { "calls" };
        match failed {
            0 => format!("{} {noun}", grouped(&calls.to_string())),
            n => format!(
                "{} {noun}, {} failed",
                grouped(&calls.to_string()),
                grouped(&n.to_string())
            ),
        }
    }

    fn overlay_words(&self) -> Option<String> {
        let unmatched = self.overlay.unmatched.len();
        let all = self.overlay.matched() + unmatched;
        match (all, unmatched) {
            (0, _) => None,
            (all, 0) => Some(format!("{all} token transfers on their calls")),
            (all, _) => {
                Some(format!("{} of {all} token transfers on their calls", all - unmatched))
            }
        }
    }

    /// What is wrong with the trace, and what the view leaves out.
    pub(super) fn notes(&self, cx: &Cx<'_>) -> Vec<String> {
        let mut notes = troubles(&self.tree);
        notes.extend(self.disagreement(cx).map(str::to_owned));
        notes.extend(self.search.as_ref().map(|s| s.words(self.selected, self.tree.len())));
        notes.extend(
            self.filter
                .as_ref()
                .map(|f| format!("only paths to {} matches of {}", f.hits().len(), f.text)),
        );
        notes.extend(self.order.words().map(|words| cx.keys.sentence(words).into_owned()));
        if self.left != folds::Left::default() {
            notes.push(cx.keys.sentence(self.left.words()).into_owned());
        }
        notes
    }

    /// Explorers have shown statuses that their own traces contradict (blockscout #8349).
    fn disagreement(&self, cx: &Cx<'_>) -> Option<&'static str> {
        let State::Complete = self.fetch.state else { return None };
        self.substitute.words().is_none().then_some(())?;
        let failed = self.tree.get(0).map(Frame::failed)?;
        match (self.seen(cx).map(Transaction::outcome)?, failed) {
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
    pub(super) fn place_words(&self) -> Text {
        if self.tree.is_empty() {
            return Text::default();
        }
        let path = copy::dotted(&self.tree.path(self.selected));
        let number = grouped(&(u64::from(self.selected) + 1).to_string());
        let all = grouped(&self.tree.len().to_string());
        Text::new(&format!("{} {number}/{all}", cut(&path, 24)))
    }
}

fn line(buf: &mut Buffer, at: Rect, text: &str, cx: &Cx<'_>, role: Role) {
    if at.height > 0 {
        let room = usize::from(at.width);
        buf.set_stringn(at.x, at.y, cut(text, room), room, cx.styles.of(role));
    }
}
