//! Draws the app. Reads only.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::chain_switching::Chain;
use super::history::Place;
use super::layout::{self, LEAST};
use super::tab::Slot;
use super::title::title;
use super::{App, Part, request_log};
use crate::keymap::key_hints::Keys;
use crate::pane::Cx;
use crate::ui::ascii;
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

impl App {
    /// Draws everything.
    pub fn view(&self, frame: &mut Frame<'_>) {
        self.draw(frame);
        if self.ascii {
            ascii::replace(frame.buffer_mut());
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let screen = frame.area();
        let buf = frame.buffer_mut();
        if screen.width < LEAST.width || screen.height < LEAST.height {
            let words = format!("too small: {}x{} needed", LEAST.width, LEAST.height);
            buf.set_stringn(
                0,
                0,
                cut(&words, usize::from(screen.width)),
                usize::from(screen.width),
                ratatui::style::Style::new(),
            );
            return;
        }
        let regions = self.regions();
        self.draw_title(regions.title, buf);
        if let Some(place) = self.place() {
            if let Some(header) = &place.header {
                header.pane.view(&self.cx(place, header, regions.header), buf);
            }
            self.draw_tabs(place, regions.tabs, buf);
            if let Some(slot) = place.tabs.get(place.active) {
                let styles = self.styles_of(Part::Tab(place.active));
                let cx = Cx { styles: &styles, ..self.cx(place, slot, regions.body) };
                slot.pane.view(&cx, buf);
            }
            self.draw_side(place, &regions, buf);
        }
        self.draw_footer(regions.footer, buf);
        self.draw_chord(Rect { height: regions.footer.y, ..screen }, buf);
        self.draw_overlay(frame);
    }

    /// What a pane of a place is drawn with.
    pub(super) fn cx<'a>(&'a self, place: &'a Place, slot: &Slot, area: Rect) -> Cx<'a> {
        let Chain { network, seen, lately, book, marked, .. } = self.visited.at(place.chain);
        let (now, styles, notation) = (self.now, &self.styles, &self.notation);
        let (marked, known) = (marked.as_ref(), &place.known);
        let visits = (&lately.visits, lately.trouble.as_ref());
        let keys = Keys::new(&self.keymap, slot.pane.context());
        Cx { area, now, network, styles, book, marked, known, seen, visits, notation, keys }
    }

    fn draw_title(&self, area: Rect, buf: &mut Buffer) {
        let labels = self.chain().seen.labels();
        let subject = self.place().map(|place| title(&place.link, labels)).unwrap_or_default();
        let left = format!(" {}  {subject}", self.chain().network);
        let history = match self.places.len() {
            0 | 1 => "chainglass ".to_owned(),
            all => format!("{}/{all} in history · chainglass ", self.at + 1),
        };
        let style = self.styles.selection();
        buf.set_style(area, style);
        let room = usize::from(area.width);
        let standing = &self.chain().standing;
        let right = request_log::title(standing, &history, room.saturating_sub(width(&left) + 2));
        let used = width(&right);
        let x = area.right().saturating_sub(u16::try_from(used).unwrap_or(0));
        buf.set_string(area.x, area.y, cut(&left, room.saturating_sub(used)), style);
        buf.set_string(x, area.y, right, style);
    }

    fn draw_tabs(&self, place: &Place, area: Rect, buf: &mut Buffer) {
        if area.height == 0 {
            return;
        }
        let styles = self.styles_of(Part::Tab(place.active));
        for (n, (at, text)) in layout::tabs(place, area).into_iter().enumerate() {
            let style =
                if n == place.active { styles.selection() } else { self.styles.of(Role::Dim) };
            buf.set_stringn(at.x, at.y, text, usize::from(at.width), style);
        }
    }

    fn draw_footer(&self, area: Rect, buf: &mut Buffer) {
        let status = self.status();
        let right = u16::try_from(width(&status)).unwrap_or(u16::MAX).min(area.width);
        buf.set_string(
            area.right().saturating_sub(right),
            area.y,
            cut(&status, usize::from(right)),
            self.styles.of(Role::Dim),
        );
        let end = area.right().saturating_sub(right + 1);
        if let Some(notice) = &self.notice {
            let room = usize::from(end.saturating_sub(area.x));
            let notice = cut(notice, room);
            // A notice matters more than the keys, and may need the whole line.
            buf.set_string(area.x, area.y, notice, self.styles.of(Role::Warning));
            return;
        }
        for (at, chord, hint) in self.hints_at(area) {
            let room = usize::from(at.width);
            let keys = chord.to_string();
            let (x, _) = buf.set_stringn(at.x, at.y, &keys, room, self.styles.of(Role::Accent));
            buf.set_stringn(x + 1, at.y, hint, room, self.styles.of(Role::Plain));
        }
    }
}
