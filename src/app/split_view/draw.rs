//! Draws what stands beside a list, and which of the two has the keys. Reads only.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::layout::Regions;
use super::super::title::title;
use super::{App, Part, Place, Shown};
use crate::pane::Cx;
use crate::ui::format::cut;
use crate::ui::theme::{Role, Styles};

impl App {
    /// The styles of a part: only the one that has the keys has a cursor that stands out.
    pub(in crate::app) fn styles_of(&self, part: Part) -> Styles {
        if self.part() == part { self.styles.clone() } else { self.styles.resting() }
    }

    pub(in crate::app) fn draw_side(&self, place: &Place, regions: &Regions, buf: &mut Buffer) {
        let Some(side) = &place.side else { return };
        let dim = self.styles.of(Role::Dim);
        for line in regions.rule.rows() {
            buf.set_string(line.x, line.y, "│", dim);
        }
        let words = match &side.shown {
            None => "no row is selected",
            Some(shown) => {
                self.draw_side_title(shown, regions.side_title, buf);
                if shown.awaits.is_some() { "…" } else { "" }
            }
        };
        let room = usize::from(regions.side.width);
        match side.slot().filter(|_| words.is_empty()) {
            None => drop(buf.set_stringn(regions.side.x, regions.side.y, words, room, dim)),
            Some(slot) => {
                let styles = self.styles_of(Part::Side);
                slot.pane.view(&Cx { styles: &styles, ..self.cx(place, slot, regions.side) }, buf);
            }
        }
    }

    /// What is shown, and its tabs. A bar stands before it where it has the keys.
    fn draw_side_title(&self, shown: &Shown, area: Rect, buf: &mut Buffer) {
        let has_keys = self.part() == Part::Side;
        let styles = self.styles_of(Part::Side);
        let (bar, role) = if has_keys { ("▌", Role::Accent) } else { (" ", Role::Title) };
        let mut x = area.x;
        let mut put = |text: &str, style| {
            let room = usize::from(area.right().saturating_sub(x));
            x = buf.set_stringn(x, area.y, cut(text, room), room, style).0.saturating_add(1);
        };
        let title = title(&shown.of.link, self.chain().seen.labels());
        put(&format!("{bar}{title}"), styles.of(role));
        if shown.slots.len() < 2 {
            return;
        }
        for (n, slot) in shown.slots.iter().enumerate() {
            let is_active = n == shown.active;
            let style = if is_active { styles.selection() } else { styles.of(Role::Dim) };
            put(&format!(" {} {} ", n + 1, slot.kind.title()), style);
        }
    }
}
