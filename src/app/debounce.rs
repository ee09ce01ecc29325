//! Steps through blocks, tabs, previews and the history. The screen follows each step. Its panes are
//! activated at once after the first step, and after steps in fast succession when the user rests, so
//! that nothing is requested for what is only passed by.

use super::requests::REST_DELAY;
use super::requests::ledger::Owner;
use super::{App, PaneSlot};
use crate::app_message::Effect;
use crate::pane::PaneEvent;

impl App {
    /// Activates the panes that a step leads to: at once if the user rested before, else when the user
    /// rests again.
    pub(super) fn activate_after_step(&mut self, slots: &[PaneSlot]) -> Vec<Effect> {
        // The preview opens together with the rows, so no tab waits for it.
        let is_preview = matches!(slots, [PaneSlot::Preview]);
        let owner = if is_preview { Owner::DelayedPreview } else { Owner::DelayedPage };
        let is_moving = self.ledger.has(owner);
        let mut effects = Vec::new();
        for slot in slots {
            if is_moving {
                self.set_delayed(*slot, true);
                effects.extend(self.send_event(*slot, PaneEvent::Delayed));
            } else {
                effects.extend(self.activate_pane(*slot));
            }
        }
        // A step to what is loaded does not delay the next one.
        if is_moving || effects.iter().any(|effect| matches!(effect, Effect::Request { .. })) {
            self.cancel(owner);
            effects.push(self.start_timer(owner, REST_DELAY));
        }
        effects
    }

    /// Activates the panes that the last steps led to.
    pub(super) fn activate_delayed(&mut self, slots: &[PaneSlot]) -> Vec<Effect> {
        let mut effects = Vec::new();
        for slot in slots.iter().copied() {
            if self.is_delayed(slot) {
                effects.extend(self.activate_pane(slot));
            }
        }
        effects
    }

    pub(super) fn is_delayed(&self, slot: PaneSlot) -> bool {
        self.nav.tab(slot).is_some_and(|tab| tab.is_delayed)
    }

    pub(super) fn set_delayed(&mut self, slot: PaneSlot, is_delayed: bool) {
        if let Some(tab) = self.nav.entry_mut().and_then(|entry| entry.tab_mut(slot)) {
            tab.is_delayed = is_delayed;
        }
    }
}
