//! The sum of what the loaded approvals of a list put at risk.

use std::any::Any;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ListPane;
use super::regions::table_area;
use crate::api::approvals::Approval;
use crate::api::page::paged_rows::TailState;
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::columns::approvals::{SumAtRisk, total_at_risk};
use crate::columns::cells::address_field_line;
use crate::columns::table::any_row::AnyRow;
use crate::columns::{Row, RowContext};
use crate::messages::Count;
use crate::messages::approvals::{self, ApprovalNote, RiskTotal};
use crate::pane::{PaneContext, PanePlace};
use crate::sanitize::SafeText;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Most tokens without a price that are named.
const MAX_UNPRICED: usize = 3;
/// Least lines of a list with its total above.
const MIN_HEIGHT_WITH_TOTAL: u16 = 10;

/// Least lines of a spender's other approvals: two, and the value of all.
const MIN_SPENDER_LINES: usize = 3;

/// The value at risk by the loaded rows, added up when a page arrives.
#[derive(Debug)]
pub(super) struct LoadedRisks {
    sum: SumAtRisk,
    /// The number of rows that can be read.
    read: usize,
}

impl ListPane {
    /// Adds up the values at risk, after the rows have changed.
    pub(super) fn add_up_risks(&mut self) {
        self.risks = self.query.has_risks().then(|| {
            let read = self.parsed_rows::<Approval>().count();
            LoadedRisks { sum: total_at_risk(self.parsed_rows()), read }
        });
    }

    /// Returns the lines of the total above the list: none on a low screen. Above a preview a low list is short.
    pub(super) fn total_lines(&self, cx: &PaneContext<'_>) -> u16 {
        let is_low = cx.area.height < MIN_HEIGHT_WITH_TOTAL && cx.place != PanePlace::NextToPreview;
        u16::from(self.risk_total().is_some() && !is_low)
    }

    pub(super) fn draw_total(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let lines = self.total_lines(cx);
        let line = table_area(Rect { height: lines.min(cx.area.height), ..cx.area }, cx);
        let total = self.risk_total().map(|total| total.to_string()).unwrap_or_default();
        draw_text(buf, line, &total, cx.styles.of(Role::Warning));
    }

    /// Returns the sum of the total above the list, if that is drawn.
    pub(super) fn shown_sum(&self, cx: &PaneContext<'_>) -> Option<&SumAtRisk> {
        let risks = self.risks.as_ref()?;
        (self.total_lines(cx) > 0).then_some(&risks.sum)
    }

    /// Returns the value of what the loaded rows put at risk.
    fn risk_total(&self) -> Option<RiskTotal> {
        if self.filter.text().is_some() || self.paged.rows().is_empty() {
            return None;
        }
        self.total_of(&self.risks.as_ref()?.sum)
    }

    /// Returns labelled lines with the other permissions of an approval's spender and the value of all of them, unless that
    /// is the sum that is shown, at most `lines`.
    pub(super) fn spender_lines(
        &self,
        row: &dyn AnyRow,
        (lines, shown_sum): (usize, Option<&SumAtRisk>),
        cx: &RowContext<'_>,
    ) -> Vec<(&'static str, SafeText)> {
        let others = self.other_approvals(row);
        if others.is_empty() || lines < MIN_SPENDER_LINES {
            return Vec::new();
        }
        let shown = if others.len() < lines { others.len() } else { lines - 2 };
        let labels = iter::once(approvals::OTHERS_LABEL).chain(iter::repeat(""));
        let summaries = others.iter().take(shown).map(|row| row.summary(cx));
        let hidden = others.len() - shown;
        let note = ApprovalNote::More { hidden: Grouped(hidden) };
        let more = (hidden > 0).then(|| ("", SafeText::new(&note.to_string())));
        let spender = others.first().and_then(|other| other.spender());
        let of_spender = self.parsed_rows::<Approval>().filter(|row| row.spender() == spender);
        let sum = total_at_risk(of_spender);
        let total = self.total_of(&sum).filter(|_| shown_sum != Some(&sum));
        let total = total.map(|total| (approvals::TOTAL_LABEL, SafeText::new(&total.to_string())));
        labels.zip(summaries).chain(more).chain(total).collect()
    }

    /// Returns the other permissions of an approval's spender, by their value at risk.
    pub(super) fn other_approvals(&self, row: &dyn AnyRow) -> Vec<&Approval> {
        let selected = (row as &dyn Any).downcast_ref::<Approval>();
        let Some(selected) = selected.filter(|_| self.risks.is_some()) else { return Vec::new() };
        // Unreadable ones may be of several.
        let Some(spender) = selected.spender() else { return Vec::new() };
        let all = self.parsed_rows::<Approval>().filter(|row| row.spender() == Some(spender));
        let mut others: Vec<&Approval> = all.filter(|row| row.id() != selected.id()).collect();
        others.sort_by_cached_key(|row| Reverse(row.risk_rank()));
        others
    }

    /// Returns labelled lines with the permissions of each spender, by their value at risk. None of a single spender, or if
    /// they are more than `lines`.
    pub(super) fn spender_totals(
        &self,
        lines: usize,
        cx: &RowContext<'_>,
    ) -> Vec<(&'static str, SafeText)> {
        let mut spenders: BTreeMap<Address, Vec<&Approval>> = BTreeMap::new();
        for row in self.parsed_rows::<Approval>().filter(|_| self.risks.is_some()) {
            if let Some(spender) = row.spender() {
                spenders.entry(spender).or_default().push(row);
            }
        }
        if !(2..=lines).contains(&spenders.len()) {
            return Vec::new();
        }
        let mut all: Vec<_> = spenders.into_values().collect();
        all.sort_by_cached_key(|rows| Reverse(rows.iter().map(|row| row.risk_rank()).max()));
        let texts = all.into_iter().map(|rows| {
            let spender = rows.first().map(|row| address_field_line(&row.spender, cx));
            let count = Count(rows.len(), "approval").to_string();
            let sum = self.total_of(&total_at_risk(rows.into_iter()));
            let total = sum.map(|total| total.to_string());
            let known = spender.as_deref().into_iter().chain([&*count]).chain(total.as_deref());
            SafeText::new(&known.collect::<Vec<_>>().join(" · "))
        });
        iter::once(approvals::SPENDERS_LABEL).chain(iter::repeat("")).zip(texts).collect()
    }

    fn total_of(&self, sum: &SumAtRisk) -> Option<RiskTotal> {
        let LoadedRisks { read, .. } = self.risks.as_ref()?;
        let is_all = *self.paged.tail() == TailState::End
            && self.paged.coverage().is_none()
            && *read == self.paged.rows().len();
        let has_others = sum.has_unknown || !is_all;
        let is_least = has_others || sum.has_fractions || !sum.unpriced.is_empty();
        let dollars = (!is_least || !sum.dollars.is_zero()).then(|| sum.dollars.readable())?;
        let first = sum.unpriced.iter().take(MAX_UNPRICED).map(|symbol| &**symbol);
        let tokens = first.collect::<Vec<_>>().join(", ");
        let rest = if sum.unpriced.len() > MAX_UNPRICED { ", …" } else { "" };
        Some(match &*tokens {
            _ if !is_least => RiskTotal::Exactly { dollars },
            tokens if has_others || tokens.is_empty() => RiskTotal::AtLeast { dollars },
            _ => RiskTotal::WithoutPrices { dollars, tokens: tokens + rest },
        })
    }
}
