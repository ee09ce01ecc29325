//! Draws the app. Reads only.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::App;
use super::layout::{self, LEAST};
use super::place::Place;
use crate::chain::subject::Subject;
use crate::pane::instances::piece_title;
use crate::pane::{Cx, Link};
use crate::ui::format::{cut, short_address, short_hash, width};
use crate::ui::theme::Role;

impl App {
    /// Draws everything.
    pub fn view(&self, frame: &mut Frame<'_>) {
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
                header.pane.view(&self.cx(place, regions.header), buf);
            }
            self.draw_tabs(place, regions.tabs, buf);
            if let Some(slot) = place.tabs.get(place.active) {
                slot.pane.view(&self.cx(place, regions.body), buf);
            }
        }
        self.draw_footer(regions.footer, buf);
        self.draw_overlay(frame);
    }

    pub(super) fn cx<'a>(&'a self, place: &'a Place, area: Rect) -> Cx<'a> {
        let (network, styles, seen) = (&self.network, &self.styles, &self.seen);
        let (book, marked) = (&self.book, self.marked.as_ref());
        Cx { area, now: self.now, network, styles, known: &place.known, seen, book, marked }
    }

    fn draw_title(&self, area: Rect, buf: &mut Buffer) {
        let subject = self.place().map(title).unwrap_or_default();
        let left = format!(" {}  {subject}", self.network);
        let history = match self.places.len() {
            0 | 1 => "chainglass ".to_owned(),
            all => format!("{}/{all} in history · chainglass ", self.at + 1),
        };
        let style = self.styles.selection();
        buf.set_style(area, style);
        let room = usize::from(area.width);
        let right = self.requests.title(&history, room.saturating_sub(width(&left) + 2));
        let used = width(&right);
        let x = area.right().saturating_sub(u16::try_from(used).unwrap_or(0));
        buf.set_string(area.x, area.y, cut(&left, room.saturating_sub(used)), style);
        buf.set_string(x, area.y, right, style);
    }

    fn draw_tabs(&self, place: &Place, area: Rect, buf: &mut Buffer) {
        if area.height == 0 {
            return;
        }
        for (n, (at, text)) in layout::tabs(place, area).into_iter().enumerate() {
            let style =
                if n == place.active { self.styles.selection() } else { self.styles.of(Role::Dim) };
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

/// What a place is about, for the title.
fn title(place: &Place) -> String {
    match (place.link.subject(), &place.link) {
        (Some(Subject::Address(address)), _) => format!("address {}", short_address(&address)),
        (Some(Subject::Transaction(hash)), _) => format!("transaction {}", short_hash(&hash)),
        (None, Link::Start) => "start".to_owned(),
        (None, Link::Transfers) => "all token transfers".to_owned(),
        (None, Link::Instances { token, holder: None }) => {
            format!("instances of {}", short_address(token))
        }
        (None, Link::Instances { token, holder: Some(holder) }) => {
            format!("instances of {} held by {}", short_address(token), short_address(holder))
        }
        (None, Link::Instance { instance, token }) => piece_title(instance, token.as_deref()),
        (None, Link::Row(_)) => "row as sent".to_owned(),
        (None, Link::Diff(_)) => "comparison of two traces".to_owned(),
        (None, _) => "unreadable row".to_owned(),
    }
}
