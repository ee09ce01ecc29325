//! Drawing of the trace pane: the lines of the `summary`, calls and detail, in the places of the `layout`.

mod layout;
mod summary;

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::TracePane;
use super::fetch::FetchState;
use super::folds;
use super::logs::log_context;
use super::rows::call_row::{Branches, CallPainter};
use super::rows::gas_columns::GasColumns;
use super::views::TraceView;
use super::views::transfer_list::{TransferCalls, WithContracts};
use crate::api::{Query, TransactionQuery};
use crate::calls::diagnostics::{RecoveryHints, no_calls_message};
use crate::calls::fallback::TraceFallback;
use crate::calls::formatter::CallFormatter;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::columns::{Row, RowContext};
use crate::messages::trace;
use crate::pane::failure_report::FailedRequest;
use crate::pane::{PaneContext, PaneKind};
use crate::trace::CallFrame;
use crate::trace::log_rows::TraceRow;
use crate::ui::format::{cut, width, wrapped_lines};
use crate::ui::frame::{draw_rule, draw_scrollbar};
use crate::ui::selection::draw_selection;
use crate::ui::theme::{Role, Styles};
use layout::TraceLayout;

/// Columns between the legend and the frame.
const RIGHT_PADDING: u16 = 1;
/// Columns before a legend in the titles.
const LEGEND_GAP: u16 = 3;

impl TracePane {
    pub(super) fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let layout = self.layout(cx);
        draw_text(&self.failure_line(cx), layout.failure, Role::Failed, cx.styles, buf);
        for (line, text) in layout.summary.rows().zip(self.summary_lines(cx)) {
            draw_text(&text, line, self.summary_role(), cx.styles, buf);
            let failures = self.caught_failures().filter(|failures| text.starts_with(failures));
            draw_text(&failures.unwrap_or_default(), line, Role::Warning, cx.styles, buf);
        }
        cx.draw_message(layout.notes, &self.notes(cx).join(" · "), Role::Warning, buf);
        if self.tree.is_empty() {
            let height = cx.area.bottom().saturating_sub(layout.rows.y);
            return self.draw_empty_reason(cx, buf, Rect { height, ..layout.rows });
        }
        let role = if self.detail.has_focus() { Role::BorderFocused } else { Role::Border };
        if layout.is_side_by_side() {
            layout.rule.rows().for_each(|cell| draw_text("│", cell, role, cx.styles, buf));
        }
        self.draw_icicle_below(cx, buf, layout.icicle);
        self.draw_calls(cx, buf, &layout);
        if layout.detail.height > 0 {
            if layout.is_side_by_side() {
                let frame = Rect { width: layout.rule.x + 1 - cx.area.x, ..cx.area };
                if let Some(extent) = self.rows_extent(layout.rows) {
                    draw_scrollbar(buf, frame, &extent, cx.styles.of(Role::Accent));
                }
            } else {
                draw_rule(buf, layout.rule, cx.styles.of(role));
            }
            // Without the focus it repeats the address of the row.
            let is_wanted = cx.settings.address_highlight && self.detail.has_focus();
            let highlight = self.detail.selected_address().filter(|_| is_wanted);
            self.detail.draw(layout.detail, highlight, buf, cx.styles);
            let frame = Rect { width: cx.area.width + 1, ..cx.area };
            draw_scrollbar(buf, frame, &self.detail.extent(layout.detail), cx.styles.of(role));
        }
    }

    /// Hands the painter of the calls on the screen to a function.
    pub(super) fn with_painter<T>(
        &self,
        cx: &PaneContext<'_>,
        rows: Rect,
        draw: impl FnOnce(&CallPainter<'_>) -> T,
    ) -> T {
        let search = self.finding.typed.as_ref().or(self.finding.search.as_ref());
        let is_hit = |number| search.is_some_and(|search| search.is_hit(number));
        let is_merged = |number| {
            folds::is_merged_into_proxy(
                &self.folding.visible,
                &self.tree,
                self.folding.hidden,
                number,
            )
        };
        let short = self.abbreviator(rows);
        draw(&CallPainter {
            formatter: CallFormatter { short_amounts: true, ..self.screen_formatter(cx) },
            visible: &self.folding.visible,
            styles: cx.styles,
            format: cx.format,
            has_highlight: cx.settings.address_highlight,
            options: self.row_options,
            revert_path: &self.revert_path.frames,
            selected: self.cursor.call,
            is_hit: &is_hit,
            is_merged: &is_merged,
            logs: &self.logs,
            log_context: RowContext {
                balances: Some(&self.transfers.balances),
                ..log_context(cx, Some(&short))
            },
        })
    }

    fn draw_icicle_below(&self, cx: &PaneContext<'_>, buf: &mut Buffer, area: Rect) {
        if !area.is_empty() {
            self.with_painter(cx, area, |painter| painter.icicle().draw_all(area, buf));
        }
    }

    fn draw_calls(&self, cx: &PaneContext<'_>, buf: &mut Buffer, layout: &TraceLayout) {
        self.with_painter(cx, layout.rows, |painter| self.draw_view(painter, cx, buf, layout));
    }

    fn draw_view(
        &self,
        painter: &CallPainter<'_>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
        layout: &TraceLayout,
    ) {
        let area = layout.rows;
        match &self.view {
            TraceView::Icicle(root) => {
                let note = cx.keys.expand(trace::DEEPER_CALLS);
                let areas = self.icicle_areas(*root, layout, cx);
                painter.icicle().draw(*root, &areas, &note, buf);
            }
            TraceView::Functions(view) => {
                let pane = if layout.is_side_by_side() {
                    Rect { width: layout.rule.x - cx.area.x, ..cx.area }
                } else {
                    cx.area
                };
                view.draw(painter, (area, pane), buf);
            }
            TraceView::BalanceChanges(view) => {
                let calls = TransferCalls {
                    transaction: self.known_transaction(cx),
                    tree: &self.tree,
                    by_log: self.transfers.calls_by_log(),
                    names: &|call, with| self.names_with_caller(call, with, &painter.formatter),
                };
                view.draw((self.transaction, &calls), (layout.titles, area), cx, buf);
            }
            TraceView::Tree => self.draw_tree(painter, layout, buf),
        }
    }

    /// Returns the function that made a call, and the called one: `Router.swap`, `Glass Dollar.transfer`.
    fn names_with_caller(
        &self,
        call: u32,
        WithContracts(has_contracts): WithContracts,
        formatter: &CallFormatter<'_>,
    ) -> (Option<String>, String) {
        let names = |call: u32| {
            let label = formatter.call_label(call);
            match (&*label.contract, &*label.name) {
                ("", _) | (_, "") => label.without_arrow(), // a creation, a plain send
                (_, function) if !has_contracts => function.to_owned(),
                _ => label.short(),
            }
        };
        (self.tree.parent(call).map(names), names(call))
    }

    fn draw_tree(&self, painter: &CallPainter<'_>, layout: &TraceLayout, buf: &mut Buffer) {
        let calls = self.calls_on_screen(layout.rows);
        let columns = self.columns_of(calls, painter, layout.rows);
        let titles = columns.titles(self.folding.order, self.row_options.share_of_parent);
        let titles = format!(" {titles}  call");
        draw_text(&titles, layout.titles, Role::Title, painter.styles, buf);
        let legend = columns.legend();
        let x = layout.titles.x.saturating_add(legend.start);
        let swatches = Rect { x, width: legend.end - legend.start, ..layout.titles };
        buf.set_style(swatches.intersection(layout.titles), painter.styles.of(Role::Dim));
        painter.colour_legend(legend, layout.titles, buf);
        let used = u16::try_from(width(&titles)).unwrap_or(u16::MAX);
        let signs = self.signs_on_screen((calls, layout.rows), painter, &columns);
        let end = explain_signs(signs, (layout.titles, used), painter.styles, buf);
        self.explain_highlight(calls, painter, (layout.titles, end), buf);
        let cursor = self.cursor_row();
        for (row, number) in layout.rows.rows().zip(self.cursor.first_row..) {
            let Some(shown) = self.logs.rows.get(&self.folding.visible, number) else { return };
            painter.draw_log_row(shown, &columns, row, buf);
            if number == cursor {
                let inactive = painter.styles.of(Role::SelectionInactive);
                let is_active = !self.detail.has_focus();
                let style = if is_active { painter.styles.selection() } else { inactive };
                draw_selected_row(style, columns.bars(), painter.styles, row, buf);
            }
        }
    }

    /// Explains the underlined calls on the screen at the right end of the titles, beyond a column.
    fn explain_highlight(
        &self,
        calls: &[u32],
        painter: &CallPainter<'_>,
        (titles, from): (Rect, u16),
        buf: &mut Buffer,
    ) {
        let are_others = calls
            .iter()
            .any(|call| *call != self.cursor.call && painter.has_target_of_selection(*call));
        let space = titles.width.saturating_sub(from.saturating_add(2 + RIGHT_PADDING));
        let fitting = [trace::UNDERLINED, trace::UNDERLINED_IN_SHORT]
            .into_iter()
            .map(|text| (text, u16::try_from(width(text)).unwrap_or(u16::MAX)))
            .find(|(_, columns)| *columns <= space);
        if let Some((text, columns)) = fitting.filter(|_| are_others) {
            let x = titles.right() - columns - RIGHT_PADDING;
            let area = Rect { x, width: columns, ..titles };
            draw_text(text, area, Role::Dim, painter.styles, buf);
        }
    }

    pub(super) fn calls_on_screen(&self, area: Rect) -> &[u32] {
        let end = self.cursor.first_row + usize::from(area.height);
        self.logs.rows.calls(&self.folding.visible, self.cursor.first_row..end)
    }

    /// Returns the abbreviations of the addresses in the logs on the screen.
    fn abbreviator(&self, area: Rect) -> Abbreviator {
        let rows = self.cursor.first_row..self.cursor.first_row + usize::from(area.height);
        let logs = rows.filter_map(|row| match self.logs.rows.get(&self.folding.visible, row)? {
            TraceRow::Log(log) => self.logs.get(log)?.parsed.as_ref().ok(),
            _ => None,
        });
        Abbreviator::new(logs.flat_map(Row::addresses))
    }

    pub(super) fn gas_columns(&self, area: Rect) -> GasColumns {
        GasColumns::measure(&self.tree, self.calls_on_screen(area), area.width)
    }

    /// Returns the columns of gas on the screen.
    pub(super) fn shown_columns(&self, painter: &CallPainter<'_>, rows: Rect) -> GasColumns {
        self.columns_of(self.calls_on_screen(rows), painter, rows)
    }

    /// Returns the columns of gas of some calls: tighter ones if the reason of a failure would be cut.
    fn columns_of(&self, calls: &[u32], painter: &CallPainter<'_>, rows: Rect) -> GasColumns {
        let columns = GasColumns::measure(&self.tree, calls, rows.width);
        let is_cut = |call: &u32| {
            let has_failed = self.tree.get(*call).is_some_and(CallFrame::failed);
            let needed = has_failed
                .then(|| painter.row_columns(TraceRow::Call(*call), &columns, rows.width));
            needed.is_some_and(|needed| needed > rows.width.into())
        };
        if calls.iter().any(is_cut) { columns.tightened() } else { columns }
    }

    pub(super) fn branches(&self, row_width: u16) -> Branches<'_> {
        let indent = self.row_options.indent;
        Branches {
            tree: &self.tree,
            visible: &self.folding.visible,
            logs: &self.logs,
            indent,
            row_width,
        }
    }

    fn draw_empty_reason(&self, cx: &PaneContext<'_>, buf: &mut Buffer, area: Rect) {
        let status = match (&self.loading.fetch.state, &self.loading.fallback) {
            // The reason is reported once.
            (FetchState::Failed(one), TraceFallback::Failed(other)) if one == other => None,
            (_, fallback) => fallback.status_text(),
        };
        let fallback = status.unwrap_or_default();
        let mut lines = area.rows();
        if let FetchState::Failed(error) = &self.loading.fetch.state {
            let query = Query::Transaction(self.transaction, TransactionQuery::RawTrace);
            let failed = FailedRequest { error, subject: None, query: Some(&query) };
            let height = area.height.saturating_sub(if fallback.is_empty() { 0 } else { 3 });
            let report = Rect { height, ..area };
            cx.draw_failure(&failed, report, buf);
            lines = Rect { y: report.bottom(), height: area.height - height, ..area }.rows();
        }
        let columns = usize::from(area.width).max(2);
        let reason = self.no_calls_reason(cx);
        for (text, role) in [(&*reason, Role::Plain), (&*fallback, Role::Dim)] {
            for part in wrapped_lines(text, columns).filter(|part| !part.is_empty()) {
                let Some(line) = lines.next() else { return };
                cx.draw_message(line, part, role, buf);
            }
        }
    }

    fn no_calls_reason(&self, cx: &PaneContext<'_>) -> String {
        let FetchState::Complete = self.loading.fetch.state else { return String::new() };
        let retry = cx.keys.expand(trace::RETRY_KEY);
        let hints = RecoveryHints {
            retry: &retry,
            retry_longer: &cx.keys.expand(trace::LONGER_TIMEOUT),
            raw_view: PaneKind::RawTrace.title(),
        };
        no_calls_message(self.tree.format(), hints)
    }
}

/// Explains the signs among the calls after the titles, which end at a column, as far as there is space. Returns the new
/// end.
fn explain_signs(
    signs: impl Iterator<Item = &'static str>,
    (titles, from): (Rect, u16),
    styles: &Styles,
    buf: &mut Buffer,
) -> u16 {
    let start = from.saturating_add(LEGEND_GAP);
    let space = usize::from(titles.width.saturating_sub(start.saturating_add(1)));
    let mut legend = String::new();
    for sign in signs {
        let longer = if legend.is_empty() { sign.into() } else { [&legend, " · ", sign].concat() };
        if width(&longer) <= space {
            legend = longer;
        }
    }
    let columns = u16::try_from(width(&legend)).unwrap_or(u16::MAX);
    if columns == 0 {
        return from;
    }
    let area = Rect { x: titles.x + start, width: columns, ..titles };
    draw_text(&legend, area, Role::Dim, styles, buf);
    start.saturating_add(columns)
}

/// Styles the selected row, whose bar keeps the colours of the legend.
fn draw_selected_row(style: Style, bars: Range<u16>, styles: &Styles, row: Rect, buf: &mut Buffer) {
    let has_blank =
        |buf: &Buffer, x: u16| buf.cell((x, row.y)).is_none_or(|cell| cell.symbol() == " ");
    let [start, mut end] = [bars.start, bars.end].map(|column| row.x.saturating_add(column));
    // A reversed row has its bar reversed too: another would continue the row.
    if bars.is_empty() || has_blank(buf, start) || !styles.has_shades() {
        return draw_selection(buf, row, style);
    }
    while end > start && has_blank(buf, end - 1) {
        end -= 1;
    }
    draw_selection(buf, Rect { width: start - row.x, ..row }, style);
    draw_selection(buf, Rect { x: end, width: row.right().saturating_sub(end), ..row }, style);
}

pub(super) fn draw_text(text: &str, line: Rect, role: Role, styles: &Styles, buf: &mut Buffer) {
    if line.height > 0 {
        let columns = usize::from(line.width);
        buf.set_stringn(line.x, line.y, cut(text, columns), columns, styles.of(role));
    }
}
