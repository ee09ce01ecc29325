//! Layout and drawing of the trace pane: summary, notes, calls and detail.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::style::Style;

use super::TracePane;
use super::fetch::FetchState;
use super::folds::{self, HiddenCalls, SiblingOrder};
use super::logs::log_context;
use super::rows::call_row::{Branches, CallPainter, has_short_badges};
use super::rows::gas_columns::GasColumns;
use super::views::TraceView;
use super::views::icicle::has_frames;
use super::views::icicle_layout::{IcicleAreas, ancestor_lines, useful_lines};
use super::views::transfer_list::{TransferCalls, WithContracts};
use crate::api::transactions::{Transaction, TransactionOutcome as TxOutcome};
use crate::api::{Query, TransactionQuery};
use crate::calls::diagnostics::{RecoveryHints, no_calls_message, problems};
use crate::calls::fallback::TraceFallback;
use crate::calls::formatter::CallFormatter;
use crate::calls::gas;
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::columns::{Row, RowContext};
use crate::messages::Count;
use crate::messages::trace::{self, TraceNote};
use crate::messages::{list, prompt};
use crate::pane::failure_report::FailedRequest;
use crate::pane::{PaneContext, PaneKind};
use crate::sanitize::SafeText;
use crate::trace::CallFrame;
use crate::trace::log_rows::TraceRow;
use crate::trace::tree::{FrameClass, to_index};
use crate::ui::document::Rule;
use crate::ui::format::{cut, width, wrapped_lines};
use crate::ui::frame::{ScrollExtent, draw_rule, draw_scrollbar};
use crate::ui::selection::draw_selection;
use crate::ui::theme::{FillShade, Role, Styles};

/// Maximum failed calls whose gas is looked at for the legend.
const MAX_CALLS_FOR_LEGEND: usize = 1_000;
const MAX_SUMMARY_LINES: usize = 2;
/// Columns between the legend and the frame.
const RIGHT_PADDING: u16 = 1;
/// Columns before a legend in the titles.
const LEGEND_GAP: u16 = 3;
/// Width from which text keeps a column free on both sides.
const MIN_INSET_COLUMNS: u16 = 58;
/// Minimum rows of the tree next to a detail.
const MIN_TREE_ROWS: u16 = 6;
/// Minimum free lines for a detail next to the tree.
const MIN_SPLIT_LINES: u16 = 14;
const MAX_DETAIL_LINES: u16 = 16;
/// Width from which the detail is on the right of the calls instead of below them.
const MIN_WIDE_COLUMNS: u16 = 170;
const MAX_DETAIL_COLUMNS: u16 = 90;
/// Minimum width of a detail right of the tree: an address in full after its label.
const MIN_DETAIL_COLUMNS: u16 = 58;
/// Minimum width of the tree left of a detail, with all columns of gas.
const MIN_TREE_COLUMNS: u16 = 100;
/// Maximum columns of the tree beyond what its rows need.
const MAX_UNUSED_COLUMNS: u16 = 20;
/// The rule between tree and detail, and a blank.
const RULE_COLUMNS: u16 = 2;
/// Minimum free lines below calls left of a detail for their icicle.
const MIN_ICICLE_LINES: u16 = 12;

pub(super) struct TraceLayout {
    failure: Rect,
    summary: Rect,
    notes: Rect,
    /// The line above the calls of the tree.
    pub(super) titles: Rect,
    pub(super) rows: Rect,
    rule: Rect,
    pub(super) detail: Rect,
    /// The rule above an icicle in the lines that the calls leave free next to a detail, and its area.
    icicle: [Rect; 2],
}

impl TraceLayout {
    /// Returns `true` if the detail is on the right of the calls.
    pub(super) fn is_side_by_side(&self) -> bool {
        self.rule.height > 1
    }
}

impl TracePane {
    /// Returns the extent of the tree's visible rows, if the tree is visible.
    pub(super) fn tree_extent(&self, area: Rect) -> Option<ScrollExtent> {
        let len = self.row_total();
        matches!(self.view, TraceView::Tree).then_some(ScrollExtent {
            area,
            offset: self.cursor.first_row,
            len,
        })
    }

    pub(super) fn layout(&self, cx: &PaneContext<'_>) -> TraceLayout {
        let summary = u16::try_from(self.summary_lines(cx).len()).unwrap_or(1);
        let notes = u16::from(!self.notes(cx).is_empty());
        let failure = u16::from(!self.failure_line(cx).is_empty());
        let [failure, summary, notes] = [failure, summary, notes].map(Constraint::Length);
        let heights = [failure, summary, notes, Constraint::Min(0)];
        let [failure, summary, notes, body] = cx.area.layout(&Layout::vertical(heights));
        let [calls, rule, detail] = self.split_body(body);
        let [failure, summary, notes] = [failure, summary, notes].map(inset);
        let detail = if rule.height > 1 { detail } else { inset(detail) };
        let has_titles = matches!(self.view, TraceView::Tree | TraceView::BalanceChanges(_))
            && calls.height >= MIN_TREE_ROWS;
        let heights = [Constraint::Length(u16::from(has_titles)), Constraint::Min(0)];
        let [mut titles, mut rows] = calls.layout(&Layout::vertical(heights));
        if matches!(self.view, TraceView::BalanceChanges(_) | TraceView::Functions(_)) {
            [titles, rows] = [titles, rows].map(inset);
        }
        let is_wide =
            rule.height > 1 || has_no_detail(&self.view) && body.width >= MIN_WIDE_COLUMNS;
        let used = self.used_lines(rows.height).filter(|_| is_wide).unwrap_or(rows.height);
        let icicle_rule = u16::from(used < rows.height);
        let heights =
            [Constraint::Length(used), Constraint::Length(icicle_rule), Constraint::Min(0)];
        let [rows, icicle_rule, chart] = rows.layout(&Layout::vertical(heights));
        let icicle = [icicle_rule, chart];
        TraceLayout { failure, summary, notes, titles, rows, rule, detail, icicle }
    }

    /// Returns the lines of calls, functions or balance changes that leave enough of some lines for an icicle of the whole trace.
    fn used_lines(&self, lines: u16) -> Option<u16> {
        let used = match &self.view {
            TraceView::Tree => self.row_total(),
            TraceView::Functions(view) => view.line_count(),
            TraceView::BalanceChanges(view) => view.needed_lines(),
            TraceView::Icicle(_) => return None,
        };
        let used = u16::try_from(used).ok().filter(|used| *used > 0)?;
        let has_space = used.saturating_add(MIN_ICICLE_LINES) < lines && self.tree.len() > 1;
        let is_complete = matches!(self.loading.fetch.state, FetchState::Complete);
        (has_space && is_complete).then_some(used)
    }

    pub(super) fn icicle_areas(
        &self,
        root: u32,
        layout: &TraceLayout,
        cx: &PaneContext<'_>,
    ) -> IcicleAreas {
        let ancestors = ancestor_lines(&self.tree, root, layout.rows.height);
        IcicleAreas::new(layout.rows, ancestors, !has_frames(cx.format, cx.styles))
    }

    /// Splits the body into calls, rule and detail: side by side if it is wide, but below an icicle, whose names
    /// need the width.
    fn split_body(&self, body: Rect) -> [Rect; 3] {
        let is_fullscreen = self.detail.is_fullscreen();
        if has_no_detail(&self.view) && !is_fullscreen {
            return [body, Rect::ZERO, Rect::ZERO];
        }
        let is_icicle = matches!(self.view, TraceView::Icicle(_));
        let is_wide = body.width >= MIN_WIDE_COLUMNS && !is_icicle;
        if is_wide && !self.tree.is_empty() && !is_fullscreen {
            let usual = (body.width * 2 / 5).min(MAX_DETAIL_COLUMNS);
            let detail = match self.view {
                TraceView::Tree => body
                    .width
                    .saturating_sub(self.tree_columns.max(MIN_TREE_COLUMNS) + RULE_COLUMNS)
                    .max(MIN_DETAIL_COLUMNS),
                _ => usual,
            };
            let widths =
                [Constraint::Min(0), Constraint::Length(RULE_COLUMNS), Constraint::Length(detail)];
            return body.layout(&Layout::horizontal(widths));
        }
        let detail = if is_fullscreen {
            body.height.saturating_sub(1)
        } else {
            self.detail_lines(body.height)
        };
        let heights = [
            if is_fullscreen { Constraint::Length(0) } else { Constraint::Min(0) },
            Constraint::Length(u16::from(detail > 0)),
            Constraint::Length(detail),
        ];
        body.layout(&Layout::vertical(heights))
    }

    /// Returns the height of the detail below the tree: a third, and the space below a short tree.
    fn detail_lines(&self, free: u16) -> u16 {
        if free < MIN_SPLIT_LINES {
            return 0;
        }
        let rows = match self.view {
            TraceView::Tree => u16::try_from(self.row_total() + 1).unwrap_or(u16::MAX),
            TraceView::Icicle(root) => {
                useful_lines(&self.tree, root, free) + ancestor_lines(&self.tree, root, free)
            }
            _ => u16::MAX,
        };
        let unused = free.saturating_sub(rows.max(MIN_TREE_ROWS).saturating_add(1));
        (free / 3).min(MAX_DETAIL_LINES).max(unused)
    }

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
                if let Some(extent) = self.tree_extent(layout.rows) {
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
    fn with_painter<T>(
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

    /// Fits the tree left of a detail to what the rows on the screen need. It becomes narrower only if they need
    /// much less, or the detail would move with each row.
    pub(super) fn fit_tree(&mut self, cx: &PaneContext<'_>) {
        let layout = self.layout(cx);
        if !layout.is_side_by_side() || !matches!(self.view, TraceView::Tree) {
            return;
        }
        let columns = self.gas_columns(layout.rows);
        let shown = self.cursor.first_row..self.cursor.first_row + usize::from(layout.rows.height);
        let longest = self.with_painter(cx, layout.rows, |painter| {
            let rows = shown.map_while(|row| self.logs.rows.get(&self.folding.visible, row));
            rows.map(|row| painter.row_columns(row, &columns, layout.rows.width)).max()
        });
        let most = (layout.rows.width + layout.detail.width).saturating_sub(MIN_DETAIL_COLUMNS);
        let needed = longest.map_or(0, |columns| u16::try_from(columns).unwrap_or(most).min(most));
        if !(needed..=needed + MAX_UNUSED_COLUMNS).contains(&self.tree_columns) {
            self.tree_columns = needed;
        }
    }

    fn draw_icicle_below(&self, cx: &PaneContext<'_>, buf: &mut Buffer, [rule, area]: [Rect; 2]) {
        if area.is_empty() {
            return;
        }
        Rule { title: prompt::ICICLE_OF_ALL.into(), split: None }.draw(rule, buf, cx.styles);
        let lines = useful_lines(&self.tree, 0, area.height);
        let chart = Rect { height: lines, ..area };
        let areas = IcicleAreas::new(chart, 0, !has_frames(cx.format, cx.styles));
        self.with_painter(cx, area, |painter| painter.draw_icicle(0, &areas, "", buf));
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
                painter.draw_icicle(*root, &self.icicle_areas(*root, layout, cx), &note, buf);
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
            let function = label.function.split('(').next().unwrap_or_default();
            match (label.contract(), function) {
                ("", _) | (_, "") => label.without_arrow(), // a creation, a plain send
                (_, function) if !has_contracts => function.to_owned(),
                (contract, function) => [contract, ".", function].concat(),
            }
        };
        (self.tree.parent(call).map(names), names(call))
    }

    fn draw_tree(&self, painter: &CallPainter<'_>, layout: &TraceLayout, buf: &mut Buffer) {
        let columns = self.gas_columns(layout.rows);
        let titles = columns.titles(self.folding.order, self.row_options.share_of_parent);
        let titles = format!(" {titles}  call");
        draw_text(&titles, layout.titles, Role::Title, painter.styles, buf);
        let legend = columns.legend();
        let x = layout.titles.x.saturating_add(legend.start);
        let swatches = Rect { x, width: legend.end - legend.start, ..layout.titles };
        buf.set_style(swatches.intersection(layout.titles), painter.styles.of(Role::Dim));
        painter.colour_legend(legend, layout.titles, buf);
        let used = u16::try_from(width(&titles)).unwrap_or(u16::MAX);
        let end = self.explain_signs(painter, layout, used, buf);
        self.explain_highlight(painter, layout, end, buf);
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

    /// Explains the signs among the calls after the titles, which end at a column, as far as there is space.
    /// Returns the new end.
    fn explain_signs(
        &self,
        painter: &CallPainter<'_>,
        layout: &TraceLayout,
        from: u16,
        buf: &mut Buffer,
    ) -> u16 {
        let start = from.saturating_add(LEGEND_GAP);
        let space = usize::from(layout.titles.width.saturating_sub(start.saturating_add(1)));
        let mut legend = String::new();
        for sign in self.signs_on_screen(painter, layout.rows) {
            let longer =
                if legend.is_empty() { sign.into() } else { [&legend, " · ", sign].concat() };
            if width(&longer) <= space {
                legend = longer;
            }
        }
        let columns = u16::try_from(width(&legend)).unwrap_or(u16::MAX);
        if columns == 0 {
            return from;
        }
        let end = start.saturating_add(columns);
        let x = layout.titles.x + from + LEGEND_GAP;
        let area = Rect { x, width: columns, ..layout.titles };
        draw_text(&legend, area, Role::Dim, painter.styles, buf);
        end
    }

    /// Explains the underlined calls on the screen at the right end of the titles, beyond a column.
    fn explain_highlight(
        &self,
        painter: &CallPainter<'_>,
        layout: &TraceLayout,
        from: u16,
        buf: &mut Buffer,
    ) {
        let mut others = self.calls_on_screen(layout.rows).iter();
        let are_others =
            others.any(|call| *call != self.cursor.call && painter.has_target_of_selection(*call));
        let space = layout.titles.width.saturating_sub(from.saturating_add(2 + RIGHT_PADDING));
        let fitting = [trace::UNDERLINED, trace::UNDERLINED_IN_SHORT]
            .into_iter()
            .map(|text| (text, u16::try_from(width(text)).unwrap_or(u16::MAX)))
            .find(|(_, columns)| *columns <= space);
        if let Some((text, columns)) = fitting.filter(|_| are_others) {
            let x = layout.titles.right() - columns - RIGHT_PADDING;
            let area = Rect { x, width: columns, ..layout.titles };
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

    fn summary_role(&self) -> Role {
        match self.loading.fetch.state {
            FetchState::Failed(_) => Role::Failed,
            FetchState::Paused | FetchState::Stopped => Role::Warning,
            FetchState::Complete => Role::Title,
            _ => Role::Dim,
        }
    }

    /// Returns the state of loading, or a summary of the trace, on one line if it fits.
    fn summary_lines(&self, cx: &PaneContext<'_>) -> Vec<String> {
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
    fn signs_on_screen(
        &self,
        painter: &CallPainter<'_>,
        rows: Rect,
    ) -> impl Iterator<Item = &'static str> {
        let calls = self.calls_on_screen(rows);
        let on_screen = self.cursor.first_row..self.cursor.first_row + usize::from(rows.height);
        let mut shown = on_screen.map_while(|row| self.logs.rows.get(&self.folding.visible, row));
        let has_letter = |kind: CallKind| {
            let is_of_kind =
                |call: &u32| self.tree.get(*call).is_some_and(|call| call.kind == kind);
            has_short_badges(rows.width) && calls.iter().any(is_of_kind)
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
    fn failure_line(&self, cx: &PaneContext<'_>) -> String {
        let is_whole = self.revert_path.outermost == Some(0);
        let Some(origin) = self.revert_path.frames.last().copied().filter(|_| is_whole) else {
            return String::new();
        };
        let formatter = self.screen_formatter(cx);
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

    pub(super) fn call_counts(&self) -> String {
        let calls = Count(to_index(self.tree.len()), "call");
        match self.tree.frames_of(FrameClass::Failed).len() {
            0 => calls.to_string(),
            failed => format!("{calls}, {} failed", Grouped(failed)),
        }
    }

    /// Describes the failures of calls that the transaction survived.
    fn caught_failures(&self) -> Option<String> {
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
    fn notes(&self, cx: &PaneContext<'_>) -> Vec<String> {
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
    pub(super) fn icicle_status(&self, root: u32, cx: &PaneContext<'_>) -> String {
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

    pub(super) fn position_text(&self) -> SafeText {
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

/// Returns `true` for a view without the detail of a call.
fn has_no_detail(view: &TraceView) -> bool {
    matches!(view, TraceView::BalanceChanges(_))
}

/// Keeps a column free on both sides of text, as on other pages. Calls have one for marks.
fn inset(text: Rect) -> Rect {
    if text.width < MIN_INSET_COLUMNS { text } else { text.inner(Margin::new(1, 0)) }
}

/// Returns the columns of the lines above the calls.
fn text_columns(cx: &PaneContext<'_>) -> usize {
    inset(cx.area).width.into()
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
