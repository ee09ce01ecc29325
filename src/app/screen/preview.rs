//! Draws the preview.

use ratatui::buffer::Buffer;

use super::layout::{PaneLayout, TITLE_MARGIN, has_space_for_titles};
use crate::app::navigation::route_title::route_title;
use crate::app::{App, PaneSlot};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::TargetKind;
use crate::ui::format::width;
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

    /// Returns the title of the preview, in its frame. Of a transaction it is the hash, as the selected row
    /// has the method. Tabs that are cut next to a title have all of the line.
    pub(in crate::app) fn preview_title(&self) -> Option<String> {
        let link = &self.nav.preview()?.target.link;
        let title = match link.target() {
            Some(TargetKind::Transaction(hash)) => abbreviate(&hash),
            _ => route_title(link, self.session()),
        };
        let (tabs, _) = self.tabs_of(PaneSlot::Preview);
        let columns = usize::from(self.layout().preview.tabs.width);
        let space = columns.saturating_sub(width(&title) + TITLE_MARGIN);
        (tabs.len() == 1 || has_space_for_titles(&tabs, space)).then_some(title)
    }
}
