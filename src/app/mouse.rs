//! Mouse input, and whether the mouse is captured.

use ratatui::layout::{Position, Rect};

use super::screen::tab_bar::tab_bar;
use super::{App, Overlay, PaneSlot};
use crate::action::Action;
use crate::app_message::{Effect, MouseInput, MouseKind};
use crate::messages::notice::with_keys;
use crate::pane::PaneEvent;

const WHEEL_ROWS: isize = 3;

#[derive(Debug)]
pub(super) struct MouseState {
    /// `true` if the user has enabled it.
    pub(super) is_enabled: bool,
    /// `true` if the terminal reports it.
    pub(super) is_captured: bool,
}

impl App {
    pub(super) fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.input.mouse.is_enabled ^= true;
        self.notify_with_keys(if self.input.mouse.is_enabled {
            with_keys::MOUSE_ON
        } else {
            with_keys::MOUSE_OFF
        })
    }

    /// Captures the mouse while it is on, except where text is selected with it.
    pub(super) fn sync_mouse_capture(&mut self, effects: &mut Vec<Effect>) {
        let wanted = self.input.mouse.is_enabled
            && !matches!(&self.overlays.top, Some(Overlay::PlainText(_)));
        if wanted != self.input.mouse.is_captured {
            self.input.mouse.is_captured = wanted;
            effects.push(Effect::CaptureMouse(wanted));
        }
    }

    pub(super) fn on_mouse(&mut self, mouse: MouseInput) -> Vec<Effect> {
        if !self.input.mouse.is_captured {
            return Vec::new(); // sent before the terminal released the mouse
        }
        match mouse.kind {
            MouseKind::Click => self.on_click(mouse.at),
            MouseKind::WheelUp => self.on_wheel(-WHEEL_ROWS, mouse.at),
            MouseKind::WheelDown => self.on_wheel(WHEEL_ROWS, mouse.at),
        }
    }

    fn on_click(&mut self, at: Position) -> Vec<Effect> {
        let (hint, _) = self.lay_out_footer(self.layout().footer);
        if let Some((_, hint)) = hint.into_iter().find(|(area, _)| area.contains(at)) {
            // A click on a key hint types its keys.
            return hint.chord.0.into_iter().flat_map(|key| self.on_key(key)).collect();
        }
        let page = Rect { height: self.layout().footer.y, ..Rect::from(self.display.size) };
        if let Some(chord) = self.which_key_at(at, page) {
            return chord.0.into_iter().flat_map(|key| self.on_key(key)).collect();
        }
        self.notice = None;
        self.input.clear_chord();
        if self.overlays.top.is_some() {
            return self.click_overlay(at);
        }
        for slot in [self.nav.active_slot(), PaneSlot::Preview] {
            if let Some(effects) = self.click_frame(slot, at) {
                return effects;
            }
        }
        let Some(part) = self.slot_at(at) else { return Vec::new() };
        match part {
            PaneSlot::Header if self.has_header_cells() => self.nav.focus(part),
            PaneSlot::Tab(_) if self.nav.is_header_focused() => self.nav.focus_list(),
            _ => {}
        }
        self.send_event(part, PaneEvent::Click(at))
    }

    fn on_wheel(&mut self, by: isize, at: Position) -> Vec<Effect> {
        self.input.clear_chord();
        match &self.overlays.top {
            None => {
                let Some(part) = self.slot_at(at) else { return Vec::new() };
                self.send_event(part, PaneEvent::Wheel { rows: by, at })
            }
            // Rows would close these.
            Some(Overlay::Prompt(_) | Overlay::Confirm(_)) => Vec::new(),
            Some(_) => {
                let step = if by < 0 { Action::PreviousRow } else { Action::NextRow };
                (0..by.unsigned_abs()).flat_map(|_| self.act_in_overlay(step)).collect()
            }
        }
    }

    fn click_overlay(&mut self, at: Position) -> Vec<Effect> {
        let size = self.display.size;
        let screen = Rect::new(0, 0, size.width, size.height);
        match &mut self.overlays.top {
            Some(Overlay::Filters(filters)) => filters.click(at, screen),
            Some(Overlay::RequestLog(inspector)) => inspector.click(at, screen, &self.request_log),
            _ => {}
        }
        Vec::new()
    }

    /// Selects the tab, scrolls to the place of the scrollbar, or focuses the pane, whose frame is
    /// under the mouse.
    fn click_frame(&mut self, slot: PaneSlot, at: Position) -> Option<Vec<Effect>> {
        let layout = self.layout();
        let layout = if slot == PaneSlot::Preview { layout.preview } else { layout.body };
        if layout.inner.contains(at) || !(layout.frame.contains(at) || layout.tabs.contains(at)) {
            return None;
        }
        let has_preview = slot == PaneSlot::Preview && self.nav.preview().is_some();
        self.nav.focus(if has_preview { slot } else { self.nav.active_slot() });
        let (tabs, active) = self.tabs_of(slot);
        let tabs = tab_bar(&tabs, active, self.tab_line(slot, &layout));
        if let Some(tab) = tabs.iter().position(|(area, _)| area.contains(at)) {
            return Some(match slot {
                PaneSlot::Preview => self.select_preview_tab(tab),
                _ => self.switch_tab(tab),
            });
        }
        let extent = self
            .pane(slot)
            .and_then(|(tab, cx)| tab.pane.scroll_extent(&cx))
            .filter(|_| at.x + 1 == layout.frame.right());
        let rows = extent.and_then(|extent| extent.lines_to(at.y.checked_sub(extent.area.y)?));
        let scroll = rows.map(|rows| self.send_event(slot, PaneEvent::Wheel { rows, at }));
        Some(scroll.unwrap_or_default())
    }

    fn slot_at(&self, at: Position) -> Option<PaneSlot> {
        let (place, regions) = (self.nav.entry()?, self.layout());
        if regions.header.contains(at) {
            return place.header.is_some().then_some(PaneSlot::Header);
        }
        if regions.preview.inner.contains(at) {
            return self.nav.preview().is_some().then_some(PaneSlot::Preview);
        }
        regions.body.inner.contains(at).then_some(PaneSlot::Tab(place.active))
    }
}
