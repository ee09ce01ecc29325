//! What stands beside a list follows the selection, when that rests, and has the keys at times.

mod draw;
pub(in crate::app) mod state;

use std::time::Duration;

use ratatui::layout::Rect;

use super::history::HistoryEntry;
use super::layout::MIN_SPLIT_WIDTH;
use super::overlay::Overlay;
use super::tab::Tab;
use super::{App, PaneSlot, PromptKind, tab_index};
use crate::keymap::KeyContext;
use crate::msg::{Action, Effect, Timer};
use crate::pane::preview::PreviewTarget;
use crate::pane::{Availability, PaneEvent, Route};
use state::{Preview, SplitPane};

/// How long the selection must rest before the explorer is asked about it.
const PREVIEW_DELAY: Duration = Duration::from_millis(150);

impl App {
    /// The part of the place that has the keys.
    pub(super) fn focused_slot(&self) -> PaneSlot {
        match self.current_entry() {
            Some(HistoryEntry { split: Some(SplitPane { is_focused: true, .. }), .. }) => {
                PaneSlot::Preview
            }
            place => PaneSlot::Tab(place.map_or(0, |place| place.active)),
        }
    }

    /// The pane that has the keys.
    pub(super) fn focused_tab(&self) -> Option<&Tab> {
        match self.focused_slot() {
            PaneSlot::Preview => self.preview_tab(),
            _ => self.current_entry().and_then(|place| place.tabs.get(place.active)),
        }
    }

    /// Where the pane is that has the keys.
    pub(super) fn focused_area(&self) -> Rect {
        let regions = self.layout();
        if self.focused_slot() == PaneSlot::Preview { regions.preview } else { regions.body }
    }

    /// The pane in a slot of the current page, and its area.
    pub(super) fn tab_in(&self, slot: PaneSlot) -> Option<(&Tab, Rect)> {
        let (entry, layout) = (self.current_entry()?, self.layout());
        match slot {
            PaneSlot::Header => entry.header.as_ref().map(|tab| (tab, layout.header)),
            PaneSlot::Tab(at) => entry.tabs.get(at).map(|tab| (tab, layout.body)),
            PaneSlot::Preview => self.preview_tab().map(|tab| (tab, layout.preview)),
        }
    }

    /// What the pane that has the keys is about.
    pub(super) fn focused_route(&self) -> Option<&Route> {
        let beside =
            self.split().filter(|side| side.is_focused).and_then(|side| side.preview.as_ref());
        beside.map(|shown| &shown.target.link).or(self.current_entry().map(|place| &place.route))
    }

    pub(super) fn split(&self) -> Option<&SplitPane> {
        self.current_entry().and_then(|place| place.split.as_ref())
    }

    fn split_mut(&mut self) -> Option<&mut SplitPane> {
        self.history.get_mut(self.current).and_then(|place| place.split.as_mut())
    }

    fn preview_mut(&mut self) -> Option<&mut Preview> {
        self.split_mut().and_then(|side| side.preview.as_mut())
    }

    /// The pane beside the list.
    pub(super) fn preview_tab(&self) -> Option<&Tab> {
        self.split().and_then(SplitPane::tab)
    }

    /// Whether something stands beside the list.
    pub(super) fn has_preview(&self) -> bool {
        self.preview_tab().is_some()
    }

    fn is_list(&self) -> bool {
        let tab = self.current_entry().and_then(|place| place.tabs.get(place.active));
        tab.is_some_and(|slot| slot.pane.state().key_context == KeyContext::List)
    }

    /// Whether the keys are a call trace's, which has a use of its own for some.
    pub(super) fn is_trace(&self) -> bool {
        self.focused_tab().is_some_and(|slot| slot.pane.state().key_context == KeyContext::Trace)
    }

    /// Gives the place a side, or takes it away, as the screen, the user and the tab will have it.
    pub(super) fn update_split(&mut self) -> Vec<Effect> {
        let has_room =
            self.split_settings.is_enabled && self.size.width >= MIN_SPLIT_WIDTH && self.is_list();
        let Some(place) = self.history.get_mut(self.current) else { return Vec::new() };
        if has_room == place.split.is_some() {
            return Vec::new();
        }
        let tab = PaneSlot::Tab(place.active);
        let mut gone = place.split.take();
        place.split = has_room.then(SplitPane::default);
        if gone.as_ref().is_some_and(|side| side.is_focused) {
            self.dismiss_orphaned_prompt();
        }
        // The list has another width now.
        self.send_event(tab, PaneEvent::Resized);
        gone.as_mut().and_then(SplitPane::deactivate).into_iter().collect()
    }

    /// Closes what a pane has asked the user, when that pane is gone.
    fn dismiss_orphaned_prompt(&mut self) {
        let is_question = match &self.overlay {
            Some(Overlay::Prompt(field)) => matches!(field.kind, PromptKind::Pane(_)),
            Some(Overlay::Filters(_)) => true,
            _ => false,
        };
        if is_question {
            self.overlay = None;
        }
    }

    /// Keeps what stands beside the list with the selected row; asked after every message.
    pub(super) fn sync_preview(&mut self) -> Vec<Effect> {
        let mut effects = self.update_split();
        let tab = self.current_entry().map_or(0, |place| place.active);
        let Some(has_keys) = self.split().map(|side| side.is_focused) else { return effects };
        if has_keys && self.overlay.is_some() {
            return effects; // what lies on top is about what is shown now
        }
        let wanted =
            self.with_pane(PaneSlot::Tab(tab), |slot, cx| slot.pane.preview_target(cx)).flatten();
        let Some(side) = self.split_mut() else { return effects };
        match (wanted, &side.preview) {
            (None, None) => {}
            (Some(wanted), Some(shown)) if wanted.shows_same(&shown.target) => {}
            (wanted, _) => {
                effects.extend(side.tab_mut().and_then(Tab::deactivate));
                side.preview = None;
                side.is_focused &= wanted.is_some();
                effects.extend(wanted.map(|wanted| self.show_preview(wanted)).unwrap_or_default());
            }
        }
        effects
    }

    /// Shows something else: at once where nobody must be asked, or else after a pause, and nothing
    /// until then.
    fn show_preview(&mut self, of: PreviewTarget) -> Vec<Effect> {
        let slots = Tab::create_all(&of.link, self.current_chain(), &mut self.next_pane_id);
        let active = slots
            .iter()
            .position(|slot| slot.kind == self.split_settings.preview_kind)
            .unwrap_or(0);
        let is_at_hand = slots.get(active).is_some_and(|slot| of.is_loaded(slot.kind));
        self.split_settings.timer_generation = self.split_settings.timer_generation.wrapping_add(1);
        let pause = self.split_settings.timer_generation;
        let shown = Preview {
            target: of,
            tabs: slots,
            active,
            pending_timer: (!is_at_hand).then_some(pause),
        };
        if let Some(side) = self.split_mut() {
            side.preview = Some(shown);
        }
        if is_at_hand {
            return self.activate_pane(PaneSlot::Preview);
        }
        vec![Effect::StartTimer(Timer::Preview(pause), PREVIEW_DELAY)]
    }

    /// A pause is over.
    pub(super) fn on_preview_timer(&mut self, pause: u32) -> Vec<Effect> {
        match self.preview_mut() {
            Some(shown) if shown.pending_timer == Some(pause) => self.load_preview(),
            _ => Vec::new(),
        }
    }

    fn load_preview(&mut self) -> Vec<Effect> {
        if let Some(shown) = self.preview_mut() {
            shown.pending_timer = None;
        }
        self.activate_pane(PaneSlot::Preview)
    }

    /// What stands beside the list comes into sight again, with its place.
    pub(super) fn activate_preview(&mut self) -> Vec<Effect> {
        match self.preview_mut() {
            Some(shown) if shown.pending_timer.is_none() => self.activate_pane(PaneSlot::Preview),
            _ => Vec::new(),
        }
    }

    /// Carries out an action of the split view that is available.
    pub(super) fn act_on_split(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::SidePane => self.toggle_split(),
            Action::OtherPane => self.switch_focus(),
            Action::Zoom => self.zoom_preview(),
            Action::Focus => self.cycle_focus(),
            _ => self.cycle_preview_tab(action),
        }
    }

    /// Moves the focus from the preview to the part inside it, and from there to the list.
    fn cycle_focus(&mut self) -> Vec<Effect> {
        let was_inside = self.preview_tab().is_some_and(|tab| tab.pane.state().has_inner_focus);
        let mut effects = Vec::new();
        if self.pane_availability(PaneSlot::Preview, Action::Focus) == Availability::Enabled {
            effects = self.act_in_slot(PaneSlot::Preview, Action::Focus);
        }
        let is_inside = self.preview_tab().is_some_and(|tab| tab.pane.state().has_inner_focus);
        self.set_focus(is_inside && !was_inside);
        effects
    }

    pub(super) fn set_focus(&mut self, to_preview: bool) -> Vec<Effect> {
        if let Some(split) = self.split_mut() {
            split.is_focused = to_preview;
        }
        Vec::new()
    }

    fn toggle_split(&mut self) -> Vec<Effect> {
        self.split_settings.is_enabled ^= true;
        match (self.split_settings.is_enabled, self.is_list()) {
            (false, _) => self.notify_with_keys("one pane: {side_pane} brings the second back"),
            (true, false) => self.notify("two panes wherever there is a list"),
            (true, true) => Vec::new(),
        }
    }

    /// Why there is no preview.
    pub(super) fn split_unavailable_reason(&self) -> &'static str {
        match self.size.width {
            ..MIN_SPLIT_WIDTH => "a second pane needs 160 columns",
            _ if !self.split_settings.is_enabled => {
                "one pane: {side_pane} shows a second one beside lists"
            }
            _ => "nothing stands beside this",
        }
    }

    /// Moves the focus from the list to the preview, or back.
    fn switch_focus(&mut self) -> Vec<Effect> {
        let to_preview = self.focused_slot() != PaneSlot::Preview;
        self.set_focus(to_preview);
        match self.preview_mut() {
            Some(preview) if to_preview && preview.pending_timer.is_some() => self.load_preview(),
            _ => Vec::new(),
        }
    }

    /// What stands beside the list becomes a place of its own, as it is.
    fn zoom_preview(&mut self) -> Vec<Effect> {
        let Some(shown) = self.split_mut().and_then(|side| side.preview.take()) else {
            return Vec::new();
        };
        self.set_focus(false);
        let Preview { target: of, tabs: slots, active, .. } = shown;
        let place = HistoryEntry::new(
            of.link,
            self.current_chain(),
            &mut self.next_pane_id,
            self.history.get(self.current),
        );
        self.push_entry(HistoryEntry { tabs: slots, active, ..place })
    }

    /// Selects a tab of the preview, for later previews too.
    fn cycle_preview_tab(&mut self, action: Action) -> Vec<Effect> {
        let preview = self.split().and_then(|split| split.preview.as_ref());
        let Some(preview) = preview else { return Vec::new() };
        let (active, count) = (preview.active, preview.tabs.len().max(1));
        match (action, tab_index(action)) {
            (Action::NextTab, _) => self.select_preview_tab((active + 1) % count),
            (Action::PreviousTab, _) => self.select_preview_tab((active + count - 1) % count),
            (_, Some(tab)) => self.select_preview_tab(tab),
            _ => Vec::new(),
        }
    }

    fn select_preview_tab(&mut self, to: usize) -> Vec<Effect> {
        let left = self.split_mut().and_then(SplitPane::tab_mut).and_then(Tab::deactivate);
        if let Some(shown) = self.preview_mut() {
            shown.active = to;
        }
        self.split_settings.preview_kind =
            self.preview_tab().map_or(self.split_settings.preview_kind, |slot| slot.kind);
        let mut effects: Vec<Effect> = left.into_iter().collect();
        effects.extend(self.load_preview());
        effects
    }

    /// What the footer calls an action that leads from one pane to the other.
    pub(super) fn split_hint(&self, action: Action) -> Option<&'static str> {
        if self.overlay.is_some() || self.focused_slot() != PaneSlot::Preview {
            return None;
        }
        match action {
            Action::OtherPane => Some("list"),
            Action::Back if !self.is_trace() => Some("list"), // a trace has more to go back from
            Action::Focus => Some("detail, list"),
            _ => None,
        }
    }
}
