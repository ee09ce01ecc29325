//! Draws the preview.

use ratatui::buffer::Buffer;

use super::layout::PaneLayout;
use crate::app::navigation::route_title::route_title;
use crate::app::{App, PaneSlot};
use crate::messages::prompt;
use crate::pane::Route;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};

impl App {
    /// Returns the styles of a pane: only the focused one has a selection that stands out.
    pub(in crate::app) fn pane_styles(&self, slot: PaneSlot) -> Styles {
        let styles = &self.display.styles;
        if self.nav.focused_slot() == slot { styles.clone() } else { styles.unfocused() }
    }

    pub(in crate::app) fn draw_preview(&self, layout: &PaneLayout, buf: &mut Buffer) {
        let Some(split) = self.nav.split_pane() else { return };
        self.draw_frame(PaneSlot::Preview, layout, buf);
        if split.preview.is_some() {
            self.draw_pane(PaneSlot::Preview, buf);
        } else if !self.is_busy(self.nav.active_slot()) {
            let dim = self.display.styles.of(Role::Dim);
            draw_text(buf, layout.inner, prompt::NO_ROW_SELECTED, dim);
        }
    }

    /// Returns the title of the preview, in its frame.
    pub(in crate::app) fn preview_title(&self) -> Option<String> {
        let preview = self.nav.preview()?;
        let subject = match &preview.target.link {
            Route::Row(_) => preview.target.subject.as_ref()?, // else its tab says it
            link => link,
        };
        Some(route_title(subject, self.session()))
    }
}
