//! Draws the app. Reads only.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::chain_switching::ChainSession;
use super::history::HistoryEntry;
use super::layout::{self, MIN_SCREEN};
use super::tab::Tab;
use super::title::route_title;
use super::{App, PaneSlot, request_log};
use crate::keymap::key_hints::KeyHints;
use crate::pane::PaneContext;
use crate::ui::ascii;
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

impl App {
    /// Draws everything.
    pub fn view(&self, frame: &mut Frame<'_>) {
        self.draw(frame);
        if self.ascii {
            ascii::replace_non_ascii(frame.buffer_mut());
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let screen = frame.area();
        let buf = frame.buffer_mut();
        if screen.width < MIN_SCREEN.width || screen.height < MIN_SCREEN.height {
            let words = format!("too small: {}x{} needed", MIN_SCREEN.width, MIN_SCREEN.height);
            buf.set_stringn(
                0,
                0,
                cut(&words, usize::from(screen.width)),
                usize::from(screen.width),
                ratatui::style::Style::new(),
            );
            return;
        }
        let regions = self.layout();
        self.draw_title(regions.title, buf);
        if let Some(place) = self.current_entry() {
            if let Some(header) = &place.header {
                header.pane.view(&self.pane_context(place, header, regions.header), buf);
            }
            self.draw_tabs(place, regions.tabs, buf);
            if let Some(slot) = place.tabs.get(place.active) {
                let styles = self.slot_styles(PaneSlot::Tab(place.active));
                let cx =
                    PaneContext { styles: &styles, ..self.pane_context(place, slot, regions.body) };
                slot.pane.view(&cx, buf);
            }
            self.draw_preview(place, &regions, buf);
        }
        self.draw_footer(regions.footer, buf);
        self.draw_which_key(Rect { height: regions.footer.y, ..screen }, buf);
        self.draw_overlay(frame);
    }

    /// What a pane of a place is drawn with.
    pub(super) fn pane_context<'a>(
        &'a self,
        place: &'a HistoryEntry,
        slot: &Tab,
        area: Rect,
    ) -> PaneContext<'a> {
        let ChainSession {
            network,
            name_cache: seen,
            recents: lately,
            signature_db: book,
            diff_baseline: marked,
            ..
        } = self.sessions.at(place.chain);
        let (now, styles, notation) = (self.now, &self.styles, &self.format);
        let (marked, known) = (marked.as_ref(), &place.known_addresses);
        let visits = (&lately.recents, lately.error.as_ref());
        let keys = KeyHints::new(&self.keymap, slot.pane.state().key_context);
        PaneContext {
            area,
            now,
            network,
            styles,
            signature_db: book,
            diff_baseline: marked,
            known_addresses: known,
            name_cache: seen,
            recents: visits,
            format: notation,
            keys,
        }
    }

    fn draw_title(&self, area: Rect, buf: &mut Buffer) {
        let labels = self.session().name_cache.labels();
        let subject =
            self.current_entry().map(|place| route_title(&place.route, labels)).unwrap_or_default();
        let left = format!(" {}  {subject}", self.session().network);
        let history = match self.history.len() {
            0 | 1 => "chainglass ".to_owned(),
            all => format!("{}/{all} in history · chainglass ", self.current + 1),
        };
        let style = self.styles.selection();
        buf.set_style(area, style);
        let room = usize::from(area.width);
        let standing = &self.session().connection;
        let right = request_log::connection_title(
            standing,
            &history,
            room.saturating_sub(width(&left) + 2),
        );
        let used = width(&right);
        let x = area.right().saturating_sub(u16::try_from(used).unwrap_or(0));
        buf.set_string(area.x, area.y, cut(&left, room.saturating_sub(used)), style);
        buf.set_string(x, area.y, right, style);
    }

    fn draw_tabs(&self, place: &HistoryEntry, area: Rect, buf: &mut Buffer) {
        if area.height == 0 {
            return;
        }
        let styles = self.slot_styles(PaneSlot::Tab(place.active));
        for (n, (at, text)) in layout::tab_bar(place, area).into_iter().enumerate() {
            let style =
                if n == place.active { styles.selection() } else { self.styles.of(Role::Dim) };
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
        for (at, hint) in self.place_hints(area) {
            let room = usize::from(at.width);
            let keys = hint.chord.to_string();
            let roles =
                if hint.is_enabled { (Role::Accent, Role::Plain) } else { (Role::Dim, Role::Dim) };
            let (x, _) = buf.set_stringn(at.x, at.y, &keys, room, self.styles.of(roles.0));
            buf.set_stringn(x + 1, at.y, hint.label, room, self.styles.of(roles.1));
        }
    }
}
