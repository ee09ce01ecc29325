//! The split view: a preview of the selected row next to a list.

use super::availability::tab_index;
use super::navigation::split_state::{Preview, SplitPane};
use super::requests::ledger::PaneId;
use super::screen::layout::MIN_SPLIT_WIDTH;
use super::{App, PaneSlot};
use crate::action::Action;
use crate::app_message::Effect;
use crate::messages::notice::{AppNotice, with_keys};
use crate::messages::unavailable;
use crate::pane::preview::PreviewTarget;
use crate::pane::{Availability, PaneEvent, PaneKind, Route};

/// Upper and lower edge of a frame.
const FRAME_LINES: u16 = 2;
/// Least lines of a preview below a list, with its frame.
const MIN_LINES_BELOW: u16 = 22;

impl App {
    /// Opens or closes the split view of the page, as the screen, the settings and the tab require.
    pub(super) fn update_split(&mut self) -> Vec<Effect> {
        let has_target = self.preview_target().is_some();
        self.split_for(has_target)
    }

    /// Returns the page of the selected row, unless the row says all.
    fn preview_target(&self) -> Option<PreviewTarget> {
        let (tab, cx) = self.pane(self.nav.active_slot())?;
        tab.pane.preview_target(&cx)
    }

    /// Opens the split view if there is something to preview. It stays while the list loads other rows.
    fn split_for(&mut self, has_target: bool) -> Vec<Effect> {
        let Some(entry) = self.nav.entry() else { return Vec::new() };
        let is_wanted = has_target || entry.split.is_some() && self.is_busy(self.nav.active_slot());
        let is_split = is_wanted
            && self.nav.split.is_enabled
            && self.display.size.width >= MIN_SPLIT_WIDTH
            && self.nav.is_list();
        if is_split == entry.split.is_some() {
            return self.place_preview();
        }
        if entry.split.as_ref().is_some_and(|split| split.is_focused) {
            self.overlays.close_pane_prompt();
        }
        let closed = self.hide_preview();
        if let Some(entry) = self.nav.entry_mut() {
            entry.split = is_split.then(SplitPane::default);
        }
        let placed = self.place_preview();
        // The width of the list has changed.
        let resized = self.send_event(self.nav.active_slot(), PaneEvent::Resized);
        closed.into_iter().chain(placed).chain(resized).collect()
    }

    /// Moves the preview below a short list, or next to a list that became longer.
    fn place_preview(&mut self) -> Vec<Effect> {
        let lines = self.lines_above_preview();
        let Some(split) = self.nav.split_pane_mut().filter(|split| split.list_lines != lines)
        else {
            return Vec::new();
        };
        split.list_lines = lines;
        let slots = [self.nav.active_slot(), PaneSlot::Preview];
        slots.into_iter().flat_map(|slot| self.send_event(slot, PaneEvent::Resized)).collect()
    }

    /// Returns the lines of the list with its frame, if the rest of the screen has the whole of most previews.
    fn lines_above_preview(&self) -> Option<u16> {
        let layout = self.layout();
        let all = layout.footer.y.saturating_sub(layout.body.frame.y);
        let (tab, cx) = self.pane(self.nav.active_slot())?;
        let framed = tab.pane.lines_above_preview(&cx)?.saturating_add(FRAME_LINES);
        (framed.saturating_add(MIN_LINES_BELOW) <= all).then_some(framed)
    }

    /// Makes the preview show the selected row. Called after every message.
    pub(super) fn sync_preview(&mut self) -> Vec<Effect> {
        let target = self.preview_target();
        let mut effects = self.split_for(target.is_some());
        let Some(split) = self.nav.split_pane() else { return effects };
        if split.is_focused && self.overlays.top.is_some() {
            return effects; // the overlay belongs to what is shown now
        }
        let is_same = match (&target, &split.preview) {
            (None, None) => true,
            (Some(target), Some(preview)) => target.shows_same(&preview.target),
            _ => false,
        };
        if !is_same {
            effects.extend(self.cancel_pane(PaneSlot::Preview));
            let dropped = self.preview_panes().into_iter();
            effects.extend(dropped.filter_map(|pane| self.drop_contract_names(pane)));
            if let Some(split) = self.nav.split_pane_mut() {
                split.preview = None;
                split.is_focused &= target.is_some();
            }
            effects.extend(target.map(|target| self.show_preview(target)).unwrap_or_default());
        }
        effects
    }

    /// Shows another preview: at once with the data in the row, and the rest when the user rests.
    fn show_preview(&mut self, target: PreviewTarget) -> Vec<Effect> {
        let mut tabs = self.nav.create_tabs(target.create_panes());
        if matches!(&target.link, Route::Token(token) if self.session().name_cache.is_erc20(token))
        {
            tabs.retain(|tab| tab.kind != PaneKind::TokenInstances);
        }
        let tab_of = |kind| tabs.iter().position(|tab| tab.kind == kind);
        let active = tab_of(self.nav.split.preview_kind)
            .or_else(|| target.usual_kind().and_then(tab_of))
            .unwrap_or(0);
        let is_loaded = tabs.get(active).is_some_and(|tab| target.is_loaded(tab.kind));
        if let Some(split) = self.nav.split_pane_mut() {
            split.preview = Some(Preview { target, tabs, active });
        }
        if is_loaded {
            return self.activate_pane(PaneSlot::Preview);
        }
        self.activate_after_step(&[PaneSlot::Preview])
    }

    /// Hides the preview. One that is not loaded completely is dropped.
    pub(super) fn hide_preview(&mut self) -> Vec<Effect> {
        let is_delayed = self.is_delayed(PaneSlot::Preview);
        let cancel = self.cancel_pane(PaneSlot::Preview);
        let is_dropped = is_delayed || cancel.is_some();
        let panes = self.preview_panes().into_iter();
        let cancel_names =
            if is_dropped { Self::drop_contract_names } else { Self::cancel_contract_names };
        let names: Vec<Effect> = panes.filter_map(|pane| cancel_names(self, pane)).collect();
        if is_dropped {
            self.nav.split_pane_mut().map(std::mem::take);
        }
        cancel.into_iter().chain(names).collect()
    }

    fn preview_panes(&self) -> Vec<PaneId> {
        let tabs = self.nav.preview().map(|preview| preview.tabs.iter());
        tabs.into_iter().flatten().map(|tab| tab.id).collect()
    }

    pub(super) fn act_on_split(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::ToggleSplit => self.toggle_split(),
            Action::SwitchPane => self.switch_focus(),
            Action::FocusHeader | Action::NextRow => {
                let is_there = self.nav.is_header_focused();
                self.nav.focus(if is_there { self.nav.active_slot() } else { PaneSlot::Header });
                Vec::new()
            }
            Action::Zoom => self.zoom_preview(),
            Action::Focus => self.cycle_focus(),
            _ => self.cycle_preview_tab(action),
        }
    }

    /// Moves the focus from the preview to the part inside it, and from there to the list.
    fn cycle_focus(&mut self) -> Vec<Effect> {
        let is_inside = |app: &Self| {
            app.nav.tab(PaneSlot::Preview).is_some_and(|tab| tab.pane.state().has_inner_focus)
        };
        let was_inside = is_inside(self);
        let mut effects = Vec::new();
        if self.pane_availability(PaneSlot::Preview, Action::Focus) == Availability::Enabled {
            effects = self.act_in_pane(PaneSlot::Preview, Action::Focus);
        }
        let stays = is_inside(self) && !was_inside;
        self.nav.focus(if stays { PaneSlot::Preview } else { self.nav.active_slot() });
        effects
    }

    fn toggle_split(&mut self) -> Vec<Effect> {
        self.nav.split.is_enabled ^= true;
        match (self.nav.split.is_enabled, self.nav.is_list()) {
            (false, _) => self.notify_with_keys(with_keys::SPLIT_OFF),
            (true, false) => self.notify(&AppNotice::SplitOn),
            (true, true) => Vec::new(),
        }
    }

    pub(super) fn split_unavailable_reason(&self) -> &'static str {
        match self.display.size.width {
            ..MIN_SPLIT_WIDTH => unavailable::NARROW_SPLIT,
            _ if !self.nav.split.is_enabled => unavailable::SPLIT_IS_OFF,
            _ => unavailable::NO_PREVIEW,
        }
    }

    /// Moves the focus from the list to the preview, or else to the header, and back.
    fn switch_focus(&mut self) -> Vec<Effect> {
        let next = match self.nav.focused_slot() {
            PaneSlot::Tab(_) if self.nav.preview().is_some() => PaneSlot::Preview,
            PaneSlot::Tab(_) => PaneSlot::Header,
            _ => self.nav.active_slot(),
        };
        self.nav.focus(next);
        let is_awaited = next == PaneSlot::Preview && self.is_delayed(PaneSlot::Preview);
        if is_awaited { self.activate_pane(PaneSlot::Preview) } else { Vec::new() }
    }

    /// Turns the preview into a page, with its tabs as they are.
    fn zoom_preview(&mut self) -> Vec<Effect> {
        let preview = self.nav.split_pane_mut().and_then(|split| split.preview.take());
        let Some(Preview { target, tabs, active }) = preview else { return Vec::new() };
        self.nav.focus_list();
        let mut entry = self.nav.create_entry(target.link, self.nav.chain());
        entry.tabs = tabs;
        entry.active = active;
        self.push_entry(entry)
    }

    /// Selects a tab of the preview, for later previews too.
    fn cycle_preview_tab(&mut self, action: Action) -> Vec<Effect> {
        let Some(preview) = self.nav.preview() else { return Vec::new() };
        let active = preview.active;
        let count = preview.tabs.len().max(1);
        match (action, tab_index(action)) {
            (Action::NextTab, _) => self.select_preview_tab((active + 1) % count),
            (Action::PreviousTab, _) => self.select_preview_tab((active + count - 1) % count),
            (_, Some(tab)) => self.select_preview_tab(tab),
            _ => Vec::new(),
        }
    }

    pub(super) fn select_preview_tab(&mut self, to: usize) -> Vec<Effect> {
        let mut effects: Vec<Effect> = self.cancel_pane(PaneSlot::Preview).into_iter().collect();
        if let Some(preview) = self.nav.preview_mut() {
            preview.active = to;
        }
        if let Some(kind) = self.nav.tab(PaneSlot::Preview).map(|tab| tab.kind) {
            self.nav.split.preview_kind = kind;
        }
        effects.extend(self.activate_after_step(&[PaneSlot::Preview]));
        effects
    }

    /// Returns the name in the footer of an action that moves the focus.
    pub(super) fn split_hint(&self, action: Action) -> Option<&'static str> {
        if self.nav.is_header_focused() {
            return match action {
                Action::SwitchPane => Some("list"),
                Action::FocusHeader | Action::Back => Some(""),
                _ => None,
            };
        }
        if !self.nav.is_preview_focused() {
            if action == Action::SwitchPane && self.nav.preview().is_none() {
                return Some(""); // the header is less often needed than other keys
            }
            return None;
        }
        match action {
            Action::Focus if self.nav.is_trace() => Some("detail, list"),
            // Back has further uses in a trace.
            Action::Back if self.nav.is_trace() => None,
            Action::SwitchPane | Action::Focus => Some("list"),
            Action::Back => Some(""), // the same key as another
            _ => None,
        }
    }
}
