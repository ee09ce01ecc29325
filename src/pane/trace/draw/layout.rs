//! The layout of the trace pane: notes above the calls, and the detail below them or to the right.

use ratatui::layout::{Constraint, Layout, Margin, Rect};

use crate::pane::PaneContext;
use crate::pane::icicle::has_frames;
use crate::pane::icicle::layout::{IcicleAreas, ancestor_lines, useful_lines};
use crate::pane::trace::TracePane;
use crate::pane::trace::views::TraceView;
use crate::ui::frame::ScrollExtent;

/// Minimum rows of the tree next to a detail.
const MIN_TREE_ROWS: u16 = 6;
/// Minimum free lines for a detail next to the tree.
const MIN_SPLIT_LINES: u16 = 14;
const MAX_DETAIL_LINES: u16 = 16;
/// Width from which the detail is on the right of the calls instead of below them.
const MIN_WIDE_COLUMNS: u16 = 170;
const MAX_DETAIL_COLUMNS: u16 = 90;
/// Width of a detail right of the tree from which it has the same columns when it is enlarged: a word of data after its
/// place.
const MIN_ENLARGED_COLUMNS: u16 = 76;
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
/// Width from which text keeps a column free on both sides.
const MIN_INSET_COLUMNS: u16 = 58;

pub(in crate::pane::trace) struct TraceLayout {
    pub(in crate::pane::trace) failure: Rect,
    pub(in crate::pane::trace) summary: Rect,
    pub(in crate::pane::trace) notes: Rect,
    /// The line above the calls of the tree.
    pub(in crate::pane::trace) titles: Rect,
    pub(in crate::pane::trace) rows: Rect,
    pub(in crate::pane::trace) rule: Rect,
    pub(in crate::pane::trace) detail: Rect,
    /// The lines that the calls leave free next to a detail: a rule, and an icicle.
    pub(in crate::pane::trace) icicle: Rect,
}

impl TraceLayout {
    /// Returns `true` if the detail is on the right of the calls.
    pub(in crate::pane::trace) fn is_side_by_side(&self) -> bool {
        self.rule.height > 1
    }

    /// Returns the lines of the calls, with their titles and what is below them.
    pub(in crate::pane::trace) fn calls_height(&self) -> u16 {
        self.titles.height + self.rows.height + self.icicle.height
    }
}

impl TracePane {
    /// Returns the extent of the visible rows of the tree or of the functions.
    pub(in crate::pane::trace) fn rows_extent(&self, area: Rect) -> Option<ScrollExtent> {
        match &self.view {
            TraceView::Tree => {
                let offset = self.cursor.first_row;
                Some(ScrollExtent { area, offset, len: self.row_total() })
            }
            TraceView::Functions(view) => Some(view.extent(area)),
            TraceView::Icicle(_) | TraceView::BalanceChanges(_) => None,
        }
    }

    pub(in crate::pane::trace) fn layout(&self, cx: &PaneContext<'_>) -> TraceLayout {
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
        let heights = [Constraint::Length(used), Constraint::Min(0)];
        let [rows, icicle] = rows.layout(&Layout::vertical(heights));
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
        (has_space && self.loading.fetch.is_complete()).then_some(used)
    }

    pub(in crate::pane::trace) fn icicle_areas(
        &self,
        root: u32,
        layout: &TraceLayout,
        cx: &PaneContext<'_>,
    ) -> IcicleAreas {
        let ancestors = ancestor_lines(&self.tree, root, layout.rows.height);
        let has_colours = !has_frames(cx.format, cx.styles);
        IcicleAreas::new(layout.rows, ancestors, has_colours, layout.detail.is_empty()).with_note(
            &self.tree,
            root,
            self.cursor.call,
        )
    }

    /// Splits the body into calls, rule and detail: side by side if it is wide, but below an icicle, whose names
    /// need the width.
    fn split_body(&self, body: Rect) -> [Rect; 3] {
        let is_enlarged = self.detail.is_enlarged();
        if has_no_detail(&self.view) && !is_enlarged {
            return [body, Rect::ZERO, Rect::ZERO];
        }
        let has_right = matches!(self.view, TraceView::Tree | TraceView::Functions(_));
        if has_right && body.width >= MIN_WIDE_COLUMNS && !self.tree.is_empty() {
            let usual = match self.view {
                TraceView::Tree => body
                    .width
                    .saturating_sub(self.tree_columns.max(MIN_TREE_COLUMNS) + RULE_COLUMNS)
                    .max(MIN_DETAIL_COLUMNS),
                _ => (body.width * 2 / 5).min(MAX_DETAIL_COLUMNS),
            };
            let has_space = !is_enlarged || usual >= MIN_ENLARGED_COLUMNS;
            let detail = if has_space { usual } else { usual.max(body.width / 2) };
            let widths =
                [Constraint::Min(0), Constraint::Length(RULE_COLUMNS), Constraint::Length(detail)];
            return body.layout(&Layout::horizontal(widths));
        }
        let detail = if is_enlarged {
            self.enlarged_lines(body.height.saturating_sub(1))
        } else {
            self.detail_lines(body.height)
        };
        let has_calls = !is_enlarged || detail + 1 < body.height;
        let heights = [
            if has_calls { Constraint::Min(0) } else { Constraint::Length(0) },
            Constraint::Length(u16::from(detail > 0)),
            Constraint::Length(detail),
        ];
        body.layout(&Layout::vertical(heights))
    }

    /// Returns the height of an enlarged detail below the tree, of which lines are left only if it needs none of them.
    fn enlarged_lines(&self, free: u16) -> u16 {
        let needed = u16::try_from(self.detail.line_count()).unwrap_or(free);
        let has_calls =
            matches!(self.view, TraceView::Tree) && needed.saturating_add(MIN_TREE_ROWS) <= free;
        if has_calls { needed } else { free }
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

    /// Fits the tree left of a detail to what the rows on the screen need. It becomes narrower only if they need
    /// much less, or the detail would move with each row.
    pub(in crate::pane::trace) fn fit_tree(&mut self, cx: &PaneContext<'_>) {
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
pub(in crate::pane::trace) fn text_columns(cx: &PaneContext<'_>) -> usize {
    inset(cx.area).width.into()
}
