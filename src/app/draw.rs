//! Draws the app. Reads only.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::index_progress::describe_progress;
use super::layout::{self, MIN_SCREEN};
use super::title::route_title;
use super::{App, PaneSlot, request_log};
use crate::pane::PaneContext;
use crate::ui::ascii;
use crate::ui::format::width;
use crate::ui::text::draw_text;
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
        buf.set_style(screen, self.display.styles.of(Role::Plain));
        if screen.width < MIN_SCREEN.width || screen.height < MIN_SCREEN.height {
            let words = format!("enlarge to {}×{}", MIN_SCREEN.width, MIN_SCREEN.height);
            draw_text(buf, screen, &words, Style::new());
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
        let progress = describe_progress(self.session());
        let left = format!(" {}{progress}  {subject}", self.session().network);
        let history = match self.nav.entries.len() {
            0 | 1 => "chainglass ".to_owned(),
            all => format!("{}/{all} in history · chainglass ", self.nav.current + 1),
        };
        let style = self.display.styles.selection();
        buf.set_style(area, style);
        let space = usize::from(area.width).saturating_sub(width(&left) + 2);
        let status = &self.session().connection;
        let right = request_log::connection_title(status, &history, space);
        let (left_area, right_area) = split_right(area, &right);
        draw_text(buf, left_area, &left, style);
        draw_text(buf, right_area, &right, style);
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
        let (left, right) = split_right(area, &status);
        draw_text(buf, right, &status, self.display.styles.of(Role::Dim));
        if let Some(notice) = &self.notice {
            // A notice matters more than the keys, and may need the whole line.
            let space = Rect { width: left.width.saturating_sub(1), ..left };
            draw_text(buf, space, notice, self.display.styles.of(Role::Warning));
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

/// Divides a line into the left part and the one that a text takes at its right end.
fn split_right(line: Rect, text: &str) -> (Rect, Rect) {
    let right = u16::try_from(width(text)).unwrap_or(u16::MAX).min(line.width);
    let left = line.width - right;
    (Rect { width: left, ..line }, Rect { x: line.x + left, width: right, ..line })
}
