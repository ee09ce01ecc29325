//! The mouse: what it is pressed on, and whether the program hears of it at all.

use ratatui::layout::{Position, Rect};

use super::{App, Overlay, Part, layout};
use crate::msg::{Action, Effect, Gesture, Mouse};

/// Rows that the wheel scrolls at a time.
const ROWS: isize = 3;

/// Whether the mouse is heard.
#[derive(Debug, Default)]
pub(super) struct Pointer {
    /// The user wants it so.
    wanted: bool,
    /// The terminal was told so.
    captured: bool,
}

impl Pointer {
    pub(super) fn new(wanted: bool) -> Self {
        Self { wanted, captured: false }
    }
}

impl App {
    /// Hears of the mouse from now on, or leaves it to the terminal.
    pub(super) fn turn_mouse(&mut self) -> Vec<Effect> {
        self.pointer.wanted ^= true;
        self.tell(if self.pointer.wanted {
            "mouse on; with Shift held most terminals still select text ({mouse}: off)"
        } else {
            "mouse off: the terminal selects text again"
        })
    }

    /// The program hears of the mouse while it is on, except where text is to be selected by hand.
    pub(super) fn capture(&mut self, effects: &mut Vec<Effect>) {
        let wanted = self.pointer.wanted && !matches!(self.overlay, Some(Overlay::Print(_)));
        if wanted != self.pointer.captured {
            self.pointer.captured = wanted;
            effects.push(Effect::Mouse(wanted));
        }
    }

    pub(super) fn take_mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        if !self.pointer.captured {
            return Vec::new(); // on its way when the terminal was told
        }
        match mouse.gesture {
            Gesture::Click => self.click(mouse.at),
            Gesture::WheelUp => self.wheel(-ROWS, mouse.at),
            Gesture::WheelDown => self.wheel(ROWS, mouse.at),
        }
    }

    fn click(&mut self, at: Position) -> Vec<Effect> {
        let hint = self.hints_at(self.regions().footer);
        if let Some((_, chord, _)) = hint.into_iter().find(|(area, ..)| area.contains(at)) {
            // As if its keys were pressed.
            return chord.0.into_iter().flat_map(|key| self.key(key)).collect();
        }
        self.notice = None;
        self.pending.clear();
        if self.overlay.is_some() {
            return self.click_overlay(at);
        }
        if let Some(tab) = self.tab_at(at) {
            return self.switch(tab);
        }
        let Some(part) = self.part_at(at) else { return Vec::new() };
        let wants = self.with(part, |slot, cx| slot.pane.click(at, cx)).flatten();
        self.grant(part, wants.unwrap_or_default())
    }

    fn wheel(&mut self, by: isize, at: Position) -> Vec<Effect> {
        self.pending.clear();
        match &self.overlay {
            None => {
                let Some(part) = self.part_at(at) else { return Vec::new() };
                let wants = self.with(part, |slot, cx| slot.pane.wheel(by, at, cx));
                self.grant(part, wants.unwrap_or_default())
            }
            // A box closes at what it has no use for.
            Some(Overlay::Field(_) | Overlay::Confirm(_)) => Vec::new(),
            Some(_) => {
                let step = if by < 0 { Action::PreviousRow } else { Action::NextRow };
                (0..by.unsigned_abs()).flat_map(|_| self.act_in_overlay(step)).collect()
            }
        }
    }

    fn click_overlay(&mut self, at: Position) -> Vec<Effect> {
        let size = self.size;
        let screen = Rect::new(0, 0, size.width, size.height);
        match &mut self.overlay {
            Some(Overlay::Filters(filters)) => filters.click(at, screen),
            Some(Overlay::Requests(inspector)) => inspector.click(at, screen, &self.requests),
            _ => {}
        }
        Vec::new()
    }

    fn tab_at(&self, at: Position) -> Option<usize> {
        let tabs = layout::tabs(self.place()?, self.regions().tabs);
        tabs.iter().position(|(area, _)| area.contains(at))
    }

    /// The pane under the mouse.
    fn part_at(&self, at: Position) -> Option<Part> {
        let (place, regions) = (self.place()?, self.regions());
        if regions.header.contains(at) {
            return place.header.is_some().then_some(Part::Header);
        }
        if regions.side.contains(at) {
            return self.has_beside().then_some(Part::Side);
        }
        regions.body.contains(at).then_some(Part::Tab(place.active))
    }
}
