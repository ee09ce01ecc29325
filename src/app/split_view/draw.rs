//! Draws the preview and its title.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::layout::ScreenLayout;
use super::super::title::route_title;
use super::{App, PaneSlot, Preview};
use crate::ui::format::cut;
use crate::ui::theme::{Role, Styles};

impl App {
    /// Returns the styles of a pane: only the focused one has a selection that stands out.
    pub(in crate::app) fn pane_styles(&self, slot: PaneSlot) -> Styles {
        let styles = &self.display.styles;
        if self.nav.focused_slot() == slot { styles.clone() } else { styles.unfocused() }
    }

    pub(in crate::app) fn draw_preview(&self, layout: &ScreenLayout, buf: &mut Buffer) {
        let Some(split) = self.nav.split_pane() else { return };
        let dim = self.display.styles.of(Role::Dim);
        for line in layout.divider.rows() {
            buf.set_string(line.x, line.y, "│", dim);
        }
        let placeholder = match &split.preview {
            None => Some("no row selected"),
            Some(preview) => {
                self.draw_preview_title(preview, layout.preview_title, buf);
                let kind = preview.tabs.get(preview.active).map(|tab| tab.kind);
                let has_content = kind.is_some_and(|kind| preview.target.has_content(kind));
                preview.pending_timer.filter(|_| !has_content).map(|_| "…")
            }
        };
        if let Some(text) = placeholder {
            let width = usize::from(layout.preview.width);
            buf.set_stringn(layout.preview.x, layout.preview.y, text, width, dim);
        } else {
            self.draw_pane(PaneSlot::Preview, buf);
        }
    }

    /// Draws the title and the tabs, with a bar before them if the preview is focused.
    fn draw_preview_title(&self, preview: &Preview, area: Rect, buf: &mut Buffer) {
        let is_focused = self.nav.is_preview_focused();
        let styles = self.pane_styles(PaneSlot::Preview);
        let (bar, role) = if is_focused { ("▌", Role::Accent) } else { (" ", Role::Title) };
        let mut x = area.x;
        let mut put = |text: &str, style| {
            let width = usize::from(area.right().saturating_sub(x));
            x = buf.set_stringn(x, area.y, cut(text, width), width, style).0.saturating_add(1);
        };
        let title = route_title(&preview.target.link, self.session().name_cache.labels());
        put(&format!("{bar}{title}"), styles.of(role));
        if preview.tabs.len() < 2 {
            return;
        }
        for (n, tab) in preview.tabs.iter().enumerate() {
            let is_active = n == preview.active;
            let style = if is_active { styles.selection() } else { styles.of(Role::Dim) };
            put(&format!(" {} {} ", n + 1, tab.kind.title()), style);
        }
    }
}
