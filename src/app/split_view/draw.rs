//! Draws what stands beside a list, and which of the two has the keys. Reads only.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::layout::ScreenLayout;
use super::super::title::route_title;
use super::{App, HistoryEntry, PaneSlot, Preview};
use crate::pane::PaneContext;
use crate::ui::format::cut;
use crate::ui::theme::{Role, Styles};

impl App {
    /// The styles of a part: only the one that has the keys has a cursor that stands out.
    pub(in crate::app) fn slot_styles(&self, part: PaneSlot) -> Styles {
        if self.focused_slot() == part { self.styles.clone() } else { self.styles.unfocused() }
    }

    pub(in crate::app) fn draw_preview(
        &self,
        place: &HistoryEntry,
        regions: &ScreenLayout,
        buf: &mut Buffer,
    ) {
        let Some(side) = &place.split else { return };
        let dim = self.styles.of(Role::Dim);
        for line in regions.divider.rows() {
            buf.set_string(line.x, line.y, "│", dim);
        }
        let words = match &side.preview {
            None => "no row is selected",
            Some(shown) => {
                self.draw_preview_title(shown, regions.preview_title, buf);
                if shown.pending_timer.is_some() { "…" } else { "" }
            }
        };
        let room = usize::from(regions.preview.width);
        match side.tab().filter(|_| words.is_empty()) {
            None => drop(buf.set_stringn(regions.preview.x, regions.preview.y, words, room, dim)),
            Some(slot) => {
                let styles = self.slot_styles(PaneSlot::Preview);
                slot.pane.view(
                    &PaneContext {
                        styles: &styles,
                        ..self.pane_context(place, slot, regions.preview)
                    },
                    buf,
                );
            }
        }
    }

    /// What is shown, and its tabs. A bar stands before it where it has the keys.
    fn draw_preview_title(&self, shown: &Preview, area: Rect, buf: &mut Buffer) {
        let has_keys = self.focused_slot() == PaneSlot::Preview;
        let styles = self.slot_styles(PaneSlot::Preview);
        let (bar, role) = if has_keys { ("▌", Role::Accent) } else { (" ", Role::Title) };
        let mut x = area.x;
        let mut put = |text: &str, style| {
            let room = usize::from(area.right().saturating_sub(x));
            x = buf.set_stringn(x, area.y, cut(text, room), room, style).0.saturating_add(1);
        };
        let title = route_title(&shown.target.link, self.session().name_cache.labels());
        put(&format!("{bar}{title}"), styles.of(role));
        if shown.tabs.len() < 2 {
            return;
        }
        for (n, slot) in shown.tabs.iter().enumerate() {
            let is_active = n == shown.active;
            let style = if is_active { styles.selection() } else { styles.of(Role::Dim) };
            put(&format!(" {} {} ", n + 1, slot.kind.title()), style);
        }
    }
}
