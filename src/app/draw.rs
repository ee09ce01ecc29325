//! Draws the app. Reads only.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layout::{self, MIN_SCREEN};
use super::title::route_title;
use super::{App, PaneSlot, request_log};
use crate::pane::PaneContext;
use crate::ui::ascii;
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

impl App {
    pub fn view(&self, frame: &mut Frame<'_>) {
        self.draw(frame);
        if self.display.ascii {
            ascii::replace_non_ascii(frame.buffer_mut());
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let screen = frame.area();
        let buf = frame.buffer_mut();
        if screen.width < MIN_SCREEN.width || screen.height < MIN_SCREEN.height {
            let words = format!("enlarge to {}×{}", MIN_SCREEN.width, MIN_SCREEN.height);
            buf.set_stringn(
                0,
                0,
                cut(&words, usize::from(screen.width)),
                usize::from(screen.width),
                ratatui::style::Style::new(),
            );
            return;
        }
        let layout = self.layout();
        self.draw_title(layout.title, buf);
        self.draw_tabs(layout.tabs, buf);
        self.draw_pane(PaneSlot::Header, buf);
        self.draw_pane(self.nav.active_slot(), buf);
        self.draw_preview(&layout, buf);
        self.draw_footer(layout.footer, buf);
        self.draw_which_key(Rect { height: layout.footer.y, ..screen }, buf);
        self.draw_overlay(frame);
    }

    pub(super) fn draw_pane(&self, slot: PaneSlot, buf: &mut Buffer) {
        if let Some((tab, cx)) = self.pane(slot) {
            let styles = self.pane_styles(slot);
            tab.pane.view(&PaneContext { styles: &styles, ..cx }, buf);
        }
    }

    fn draw_title(&self, area: Rect, buf: &mut Buffer) {
        let labels = self.session().name_cache.labels();
        let subject =
            self.nav.entry().map(|place| route_title(&place.route, labels)).unwrap_or_default();
        let left = format!(" {}  {subject}", self.session().network);
        let history = match self.nav.entries().len() {
            0 | 1 => "chainglass ".to_owned(),
            all => format!("{}/{all} in history · chainglass ", self.nav.position() + 1),
        };
        let style = self.display.styles.selection();
        buf.set_style(area, style);
        let space = usize::from(area.width);
        let standing = &self.session().connection;
        let right = request_log::connection_title(
            standing,
            &history,
            space.saturating_sub(width(&left) + 2),
        );
        let used = width(&right);
        let x = area.right().saturating_sub(u16::try_from(used).unwrap_or(0));
        buf.set_string(area.x, area.y, cut(&left, space.saturating_sub(used)), style);
        buf.set_string(x, area.y, right, style);
    }

    fn draw_tabs(&self, area: Rect, buf: &mut Buffer) {
        let Some(entry) = self.nav.entry().filter(|_| area.height > 0) else { return };
        let styles = self.pane_styles(self.nav.active_slot());
        for (n, (at, text)) in layout::tab_bar(entry, area).into_iter().enumerate() {
            let style = if n == entry.active {
                styles.selection()
            } else {
                self.display.styles.of(Role::Dim)
            };
            buf.set_stringn(at.x, at.y, text, usize::from(at.width), style);
        }
    }

    fn draw_footer(&self, area: Rect, buf: &mut Buffer) {
        let status = self.status_text();
        let right = u16::try_from(width(&status)).unwrap_or(u16::MAX).min(area.width);
        buf.set_string(
            area.right().saturating_sub(right),
            area.y,
            cut(&status, usize::from(right)),
            self.display.styles.of(Role::Dim),
        );
        let end = area.right().saturating_sub(right + 1);
        if let Some(notice) = &self.notice {
            let space = usize::from(end.saturating_sub(area.x));
            let notice = cut(notice, space);
            // A notice matters more than the keys, and may need the whole line.
            buf.set_string(area.x, area.y, notice, self.display.styles.of(Role::Warning));
            return;
        }
        for (at, hint) in self.place_hints(area) {
            let space = usize::from(at.width);
            let keys = hint.chord.to_string();
            let roles =
                if hint.is_enabled { (Role::Accent, Role::Plain) } else { (Role::Dim, Role::Dim) };
            let (x, _) = buf.set_stringn(at.x, at.y, &keys, space, self.display.styles.of(roles.0));
            buf.set_stringn(x + 1, at.y, hint.label, space, self.display.styles.of(roles.1));
        }
    }
}
