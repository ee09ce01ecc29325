//! The page of the selected transaction or log in the lines that a short list leaves below its rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ListPane;
use crate::api::logs::Log;
use crate::api::paged_rows::TailState;
use crate::api::transactions::Transaction;
use crate::columns::ListRow;
use crate::pane::{Pane, PaneContext, PanePlace};
use crate::ui::frame::draw_rule;
use crate::ui::theme::Role;

/// Lines of a preview that says more than the details of the row.
const MIN_PREVIEW_HEIGHT: u16 = 14;
/// Lines of the table's header and of the note after the last row.
const LINES_AROUND_ROWS: u16 = 2;

impl ListPane {
    /// Returns the lines that a list of transactions or logs leaves free, of which all rows are loaded,
    /// if they are enough for a preview with the rule above it. A filter does not change them.
    pub(super) fn preview_height(&self, cx: &PaneContext<'_>) -> Option<u16> {
        let rows = u16::try_from(self.paged.rows().len()).ok().filter(|rows| *rows > 0)?;
        let used = rows.saturating_add(LINES_AROUND_ROWS + u16::from(self.gap.is_some()));
        let free = cx.area.height.saturating_sub(used);
        let is_whole = *self.paged.tail() == TailState::End;
        let has_pages = [Transaction::LIST_NAME, Log::LIST_NAME].contains(&self.kind.list_name);
        let has_space = free > MIN_PREVIEW_HEIGHT && cx.place != PanePlace::NextToPreview;
        (is_whole && has_pages && has_space).then_some(free)
    }

    /// Draws the page of the selected row as far as the row contains it. Returns `false` if there is no
    /// space for it, or nothing to draw without a request.
    pub(super) fn draw_row_preview(
        &self,
        area: Rect,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) -> bool {
        if self.preview_height(cx).is_none() {
            return false;
        }
        let styles = &cx.styles.unfocused();
        let place = PanePlace::Preview;
        let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let preview_cx = PaneContext { area: inner, styles, place, is_busy: false, ..*cx };
        let target = self.preview_target(cx);
        let Some(mut pane) = target.and_then(|target| target.pane_of_row()) else { return false };
        // It builds what it draws when it is activated, and the page sends its requests.
        pane.activate(&preview_cx);
        draw_rule(buf, Rect { height: 1, ..area }, cx.styles.of(Role::Border));
        pane.view(&preview_cx, buf);
        true
    }
}
