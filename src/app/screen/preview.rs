//! Draws the preview.

use ratatui::buffer::Buffer;

use super::layout::PaneLayout;
use crate::app::navigation::route_title::route_title;
use crate::app::{App, PaneSlot};
use crate::pane::Route;
use crate::ui::theme::Styles;

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
