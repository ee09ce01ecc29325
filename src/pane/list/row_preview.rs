//! The page of the selected transaction, or of a part of one, in the lines that a short list leaves below its rows.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};

use super::{ListPane, TracedCall};
use crate::api::page::paged_rows::TailState;
use crate::api::transactions::TransactionOutcome;
use crate::api::{ListSubject, Query};
use crate::columns::RowPreview;
use crate::pane::{Command, Pane, PaneContext, PanePlace};
use crate::ui::frame::{draw_rule, draw_scrollbar};
use crate::ui::theme::Role;

/// Lines of a preview that says more than the details of the row.
const MIN_PREVIEW_HEIGHT: u16 = 13;
/// Lines of a preview of a part of a transaction, whose details are short.
const MIN_PART_HEIGHT: u16 = 8;
/// Lines of the table's header and of the note after the last row.
const LINES_AROUND_ROWS: u16 = 2;
/// Maximum transactions of a block above their preview.
const MAX_FEW_ROWS: u16 = 8;
/// Maximum internal calls of an address above a preview: below more of them it would be cut.
const MAX_FEW_PARTS: u16 = 14;

impl ListPane {
    /// Returns the lines that a list of transactions or their parts leaves free, of which all rows are loaded,
    /// if they are enough for a preview with the rule above it. A filter does not change them.
    pub(super) fn preview_height(&self, cx: &PaneContext<'_>) -> Option<u16> {
        let free = self.free_height(cx);
        let is_part = self.has_transaction_parts();
        let has_pages = is_part || self.kind.preview == RowPreview::Below;
        let least = if is_part { MIN_PART_HEIGHT } else { MIN_PREVIEW_HEIGHT };
        let has_space = free > least && cx.place != PanePlace::NextToPreview;
        (has_pages && has_space).then_some(free)
    }

    /// Returns `true` for approvals and internal calls of an address, whose previews are of their transactions.
    pub(super) fn has_parts_of_several(&self) -> bool {
        self.kind.preview == RowPreview::Transactions
            && self.query.subject() != ListSubject::Transaction
    }

    fn has_transaction_parts(&self) -> bool {
        self.query.subject() == ListSubject::Transaction && self.kind.has_parts
    }

    /// Returns the lines of a list that is loaded whole: of parts of transactions, or of a block's few transactions.
    /// Approvals have their details next to the preview.
    pub(super) fn lines_above_preview(&self, cx: &PaneContext<'_>) -> Option<u16> {
        let rows = u16::try_from(self.paged.rows().len()).unwrap_or(u16::MAX);
        let are_calls = self.has_parts_of_several() && !self.query.has_risks();
        let has_parts = self.has_transaction_parts() || are_calls && rows <= MAX_FEW_PARTS;
        let is_of_block = self.query.subject() == ListSubject::Block;
        let are_few = is_of_block && self.kind.preview == RowPreview::Below && rows <= MAX_FEW_ROWS;
        let is_whole = *self.paged.tail() == TailState::End && (has_parts || are_few);
        let around = u16::from(self.gap.is_some()) + self.total_lines(cx);
        let lines = rows.saturating_add(1 + around + self.most_lines_after_rows(cx));
        (rows > 0 && is_whole).then_some(lines)
    }

    /// Returns the lines below the rows of a list that is loaded whole.
    pub(super) fn free_height(&self, cx: &PaneContext<'_>) -> u16 {
        let rows = u16::try_from(self.paged.rows().len()).unwrap_or(u16::MAX);
        if rows == 0 || *self.paged.tail() != TailState::End {
            return 0;
        }
        let after = self.lines_after_rows(cx).saturating_sub(1);
        let before = u16::from(self.gap.is_some()) + self.total_lines(cx);
        let used = rows.saturating_add(LINES_AROUND_ROWS + before + after);
        cx.area.height.saturating_sub(used)
    }

    /// Requests the transaction that all rows are of, unless it is known and executed: it has the tokens and the
    /// amounts that it moved.
    pub(super) fn request_transaction(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let query = self.query.details_of_transaction()?;
        let Query::Transaction(hash, _) = &query else { return None };
        let known = cx.name_cache.transaction(hash).and_then(|item| item.parsed.as_ref().ok());
        let is_known = known.is_some_and(|known| {
            known.token_transfers.value().is_some()
                && known.outcome() != TransactionOutcome::Pending
        });
        if is_known && self.transaction_failure.take().is_some() {
            self.filter.reset_order(); // another tab has loaded it
        }
        (!is_known).then(|| Command::Background(query, None))
    }

    /// Builds the page of the selected row again, as far as the row contains it, if there is space for
    /// it, or else the call for its details. The page's commands are not carried out: the page itself
    /// sends its requests.
    pub(super) fn update_row_preview(&mut self, cx: &PaneContext<'_>) {
        let target = self.preview_height(cx).and_then(|_| self.preview_target(cx));
        self.row_preview = target.and_then(|target| target.pane_of_row());
        let detailed = self.selected_item().filter(|_| self.row_preview.is_none());
        self.traced_call = detailed.and_then(|item| TracedCall::of_row(item.row().ok()?, cx));
        let [.., area] = self.regions(cx);
        let below = preview_context(area, cx);
        if let Some(pane) = &mut self.row_preview {
            pane.activate(&PaneContext { styles: &cx.styles.unfocused(), ..below });
        }
    }

    /// Draws the page of the selected row. Returns `false` if there is none.
    pub(super) fn draw_row_preview(
        &self,
        area: Rect,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) -> bool {
        let Some(pane) = &self.row_preview else { return false };
        draw_rule(buf, Rect { height: 1, ..area }, cx.styles.of(Role::Border));
        let below = PaneContext { styles: &cx.styles.unfocused(), ..preview_context(area, cx) };
        pane.view(&below, buf);
        if let Some(extent) = pane.scroll_extent(&below) {
            let frame = Rect { width: area.width + 1, ..area };
            draw_scrollbar(buf, frame, &extent, cx.styles.of(Role::Border));
        }
        true
    }

    /// Returns the lines of the selected row's page, or of its details, that have no space.
    pub(super) fn lines_below(&self, cx: &PaneContext<'_>) -> usize {
        let [.., area] = self.regions(cx);
        if area.height == 0 || self.grid(cx).is_some() {
            return 0;
        }
        let Some(pane) = &self.row_preview else {
            let lines = self.detail_rows(area, cx);
            return (lines.len() + 1).saturating_sub(area.height.into());
        };
        let extent = pane.scroll_extent(&preview_context(area, cx));
        extent.map_or(0, |extent| extent.len.saturating_sub(extent.area.height.into()))
    }
}

/// Returns the context of the page below a rule.
fn preview_context<'a>(area: Rect, cx: &PaneContext<'a>) -> PaneContext<'a> {
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    PaneContext {
        area: below.inner(Margin::new(1, 0)),
        place: PanePlace::Preview,
        is_busy: false,
        ..*cx
    }
}
