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
use crate::pane::Route;
use crate::pane::preview::PreviewTarget;
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

    /// What the pane that has the keys is about.
    pub(super) fn focused_route(&self) -> Option<&Route> {
        let beside =
            self.split().filter(|side| side.is_focused).and_then(|side| side.preview.as_ref());
        beside.map(|shown| &shown.target.link).or(self.current_entry().map(|place| &place.route))
    }

    fn split(&self) -> Option<&SplitPane> {
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
        tab.is_some_and(|slot| slot.pane.context() == KeyContext::List)
    }

    /// Whether the keys are a call trace's, which has a use of its own for some.
    pub(super) fn is_trace(&self) -> bool {
        self.focused_tab().is_some_and(|slot| slot.pane.context() == KeyContext::Trace)
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
        self.with_pane(tab, |slot, cx| slot.pane.resize(cx));
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

    /// What an action means for the two panes together; none when one of them is meant.
    pub(super) fn act_on_split(&mut self, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::SidePane => return Some(self.toggle_split()),
            Action::OtherPane => return Some(self.switch_focus()),
            Action::Zoom if !self.is_trace() => return Some(self.zoom_preview()),
            _ if self.focused_slot() != PaneSlot::Preview => return None,
            Action::Focus => {
                let stays =
                    self.with_pane(PaneSlot::Preview, |slot, cx| slot.pane.cycle_focus(cx))?;
                self.set_focus(stays);
            }
            Action::Back => match self.act_in_slot(PaneSlot::Preview, action) {
                Some(effects) => return Some(effects),
                None => self.set_focus(false),
            },
            _ => return self.cycle_preview_tab(action),
        }
        Some(Vec::new())
    }

    fn set_focus(&mut self, to_side: bool) {
        if let Some(side) = self.split_mut() {
            side.is_focused = to_side;
        }
    }

    fn toggle_split(&mut self) -> Vec<Effect> {
        if self.size.width < MIN_SPLIT_WIDTH {
            let here = self.size.width;
            return self.notify(&format!(
                "a second pane needs {MIN_SPLIT_WIDTH} columns: here are {here}"
            ));
        }
        self.split_settings.is_enabled ^= true;
        match (self.split_settings.is_enabled, self.is_list()) {
            (false, _) => self.notify_with_keys("one pane: {side_pane} brings the second back"),
            (true, false) => self.notify("two panes wherever there is a list"),
            (true, true) => Vec::new(),
        }
    }

    /// Why nothing stands beside the pane; none when something does.
    pub(super) fn split_unavailable_reason(&self) -> Option<&'static str> {
        let why = match self.size.width {
            ..MIN_SPLIT_WIDTH => "a second pane needs 160 columns",
            _ if !self.split_settings.is_enabled => {
                "one pane: {side_pane} shows a second one beside lists"
            }
            _ => "nothing stands beside this",
        };
        (!self.has_preview()).then_some(why)
    }

    /// The keys go to the other pane.
    fn switch_focus(&mut self) -> Vec<Effect> {
        if let Some(why) = self.split_unavailable_reason() {
            return self.notify_with_keys(why);
        }
        let to_side = self.focused_slot() != PaneSlot::Preview;
        self.set_focus(to_side);
        match self.preview_mut() {
            Some(shown) if to_side && shown.pending_timer.is_some() => self.load_preview(),
            _ => Vec::new(),
        }
    }

    /// What stands beside the list becomes a place of its own, as it is.
    fn zoom_preview(&mut self) -> Vec<Effect> {
        let Some(shown) = self.split_mut().and_then(|side| side.preview.take()) else {
            return self.notify("nothing stands beside this");
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

    /// Changes the tab of what stands beside the list, for what comes after it too.
    fn cycle_preview_tab(&mut self, action: Action) -> Option<Vec<Effect>> {
        let shown = self.split()?.preview.as_ref()?;
        let (active, tabs) = (shown.active, shown.tabs.len().max(1));
        let to = match action {
            Action::NextTab => (active + 1) % tabs,
            Action::PreviousTab => (active + tabs - 1) % tabs,
            other => tab_index(other)?,
        };
        if to >= tabs {
            return Some(self.notify("there is no such tab here"));
        }
        Some(if to == active { Vec::new() } else { self.select_preview_tab(to) })
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
