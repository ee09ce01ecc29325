//! Draws the app. Reads only.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use super::footer::FOOTER_MARGIN;
use super::layout::{MIN_SCREEN, PaneLayout};
use crate::api::ApiError;
use crate::app::{App, PaneSlot};
use crate::app_message::ConnectionStatus;
use crate::keymap::Chord;
use crate::messages::node::NodeErrorCode;
use crate::messages::notice::NoticeKind;
use crate::messages::prompt::OverlayText;
use crate::pane::{PaneContext, PaneKind};
use crate::ui::ascii;
use crate::ui::format::width;
use crate::ui::frame::{draw_frame, draw_frame_status, draw_joined_frame, draw_scrollbar};
use crate::ui::text::{draw_pieces, draw_text, styled_parts};
use crate::ui::theme::{Role, Styles};

impl App {
    /// Draws a frame, and returns the position of the cursor if it is shown.
    pub fn view(&self, frame: &mut Buffer) -> Option<Position> {
        let cursor = self.draw(frame);
        if self.display.ascii {
            ascii::replace_non_ascii(frame);
        }
        cursor
    }

    fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        let screen = buf.area;
        let plain = self.display.styles.of(Role::Plain);
        if plain != Style::new() {
            buf.set_style(screen, plain);
        }
        if screen.width < MIN_SCREEN.width || screen.height < MIN_SCREEN.height {
            let Size { width, height } = MIN_SCREEN;
            let words = OverlayText::SmallScreen { width, height }.to_string();
            draw_text(buf, screen, &words, Style::new());
            return None;
        }
        let layout = self.layout();
        self.draw_title(layout.title, buf);
        draw_frame(buf, layout.header_frame, self.pane_styles(PaneSlot::Header).border());
        self.draw_pane(PaneSlot::Header, buf);
        self.draw_frame(self.nav.active_slot(), &layout.body, buf);
        self.draw_pane(self.nav.active_slot(), buf);
        self.draw_preview(&layout.preview, buf);
        self.draw_footer(layout.footer, buf);
        self.draw_which_key(Rect { height: layout.footer.y, ..screen }, buf);
        self.draw_overlay(buf)
    }

    fn draw_pane(&self, slot: PaneSlot, buf: &mut Buffer) {
        if let Some((tab, cx)) = self.pane(slot) {
            let styles = self.pane_styles(slot);
            tab.pane.view(&PaneContext { styles: &styles, ..cx }, buf);
        }
    }

    /// Returns the styles of a pane: only the focused one has a selection that stands out.
    pub(in crate::app) fn pane_styles(&self, slot: PaneSlot) -> Styles {
        let styles = &self.display.styles;
        if self.nav.focused_slot() == slot { styles.clone() } else { styles.unfocused() }
    }

    fn draw_preview(&self, layout: &PaneLayout, buf: &mut Buffer) {
        let Some(split) = self.nav.split_pane() else { return };
        self.draw_frame(PaneSlot::Preview, layout, buf);
        if split.preview.is_some() {
            self.draw_pane(PaneSlot::Preview, buf);
        }
    }

    /// Draws the frame of a pane: its tabs in the upper edge, its progress and position in the lower
    /// one, and a scrollbar in the right one.
    pub(in crate::app) fn draw_frame(&self, slot: PaneSlot, layout: &PaneLayout, buf: &mut Buffer) {
        let styles = self.pane_styles(slot);
        let header = self.layout().header_frame;
        if header.height > 0 && layout.frame.y < header.bottom() {
            draw_joined_frame(buf, layout.frame, header, styles.border());
        } else {
            draw_frame(buf, layout.frame, styles.border());
        }
        self.draw_tabs(slot, layout, buf);
        let bottom = layout.bottom();
        if let Some((tab, cx)) = self.pane(slot).filter(|_| bottom.height > 0) {
            if let Some(progress) = self.progress_text(slot) {
                draw_text(buf, bottom, &format!(" {progress} "), styles.in_frame(Role::Warning));
            }
            let status = tab.pane.status(&cx);
            if !status.is_empty() {
                draw_frame_status(buf, layout.frame, &status, styles.in_frame(Role::Dim));
            }
            if let Some(extent) = tab.pane.scroll_extent(&cx) {
                draw_scrollbar(buf, layout.frame, &extent, styles.of(Role::Accent));
            }
        }
    }

    /// Returns the reason why a pane waits, with the time since it does, unless the pane shows it.
    pub(in crate::app) fn progress_text(&self, slot: PaneSlot) -> Option<String> {
        let tab = self.nav.tab(slot).filter(|_| self.is_busy(slot))?;
        let (_, cx) = self.pane(slot)?;
        let connection = &self.session().connection;
        let wait = connection.wait_text();
        if wait.is_none() && tab.pane.describes_wait() {
            return None;
        }
        // The countdown of a rate limit is the only time that counts.
        Some(match wait {
            Some(limit) if connection.limited_secs.is_some() => cx.spinning(&limit),
            wait => cx.with_spinner(wait.as_deref().unwrap_or("loading")),
        })
    }

    /// Returns the status of the connection without the part that a pane shows.
    pub(in crate::app) fn title_status(&self) -> ConnectionStatus {
        let mut status = self.session().connection;
        let layout = self.layout();
        let slots = [(self.nav.active_slot(), layout.body), (PaneSlot::Preview, layout.preview)];
        let shows =
            |(slot, layout): (PaneSlot, PaneLayout)| self.is_busy(slot) && layout.frame.height > 0;
        if slots.into_iter().any(shows) {
            (status.limited_secs, status.retrying) = (None, None);
        }
        status
    }

    /// Returns `true` if no tab of a page can have content: its host cannot be reached, or its transaction
    /// does not exist.
    pub(super) fn has_failed_page(&self, slot: PaneSlot) -> bool {
        let Some((tab, cx)) = self.pane(slot) else { return false };
        let is_absent = tab.kind == PaneKind::Transaction
            && tab.pane.reported_failure(&cx).is_some_and(ApiError::is_not_found);
        is_absent || self.is_unreachable(slot)
    }

    /// Returns `true` if the host of a page cannot be reached.
    pub(in crate::app) fn is_unreachable(&self, slot: PaneSlot) -> bool {
        let failure = self.pane(slot).and_then(|(tab, cx)| tab.pane.reported_failure(&cx).cloned());
        matches!(
            failure,
            Some(
                ApiError::Unreachable { .. }
                    | ApiError::Node { code: NodeErrorCode::Unavailable, .. }
            )
        )
    }

    fn draw_footer(&self, area: Rect, buf: &mut Buffer) {
        let text = self.footer_text();
        let (hints, right) = self.lay_out_footer(area);
        let role = match self.notice.as_ref().map(|notice| notice.kind) {
            Some(NoticeKind::Report | NoticeKind::Refresh) => Role::Plain,
            Some(NoticeKind::Warning) => Role::Warning,
            Some(NoticeKind::Failure | NoticeKind::Outage) => Role::Failed,
            None => Role::Dim,
        };
        let styles = (self.display.styles.of(role), self.display.styles.of(Role::Accent));
        let keys = self.pane_keys().keys_in(&text);
        draw_pieces(buf, right, styled_parts(&text, 0..text.len(), &keys, styles));
        if hints.is_empty() && !self.input.pending().is_empty() {
            let pending = format!("{} …", Chord(self.input.pending().to_vec()));
            let line = Rect { x: area.x + FOOTER_MARGIN, ..area }.intersection(area);
            draw_text(buf, line, &pending, self.display.styles.of(Role::Accent));
        }
        for (at, hint) in hints {
            let space = usize::from(at.width);
            let keys = hint.chord.to_string();
            let roles =
                if hint.is_enabled { (Role::Accent, Role::Plain) } else { (Role::Dim, Role::Dim) };
            let (x, _) = buf.set_stringn(at.x, at.y, &keys, space, self.display.styles.of(roles.0));
            buf.set_stringn(x + 1, at.y, hint.label, space, self.display.styles.of(roles.1));
        }
    }
}

/// Divides a line into the left part and the part for a text at its right end.
pub(in crate::app) fn split_right(line: Rect, text: &str) -> (Rect, Rect) {
    let right = u16::try_from(width(text)).unwrap_or(u16::MAX).min(line.width);
    let left = line.width - right;
    (Rect { width: left, ..line }, Rect { x: line.x + left, width: right, ..line })
}
