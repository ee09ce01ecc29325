//! The state of the split view: a preview of what the selected row of a list leads to.

use super::pane_instance::PaneInstance;
use crate::msg::Effect;
use crate::pane::PaneKind;
use crate::pane::preview::PreviewTarget;

/// The settings of the split view, the same on every page.
#[derive(Debug)]
pub(super) struct SplitSettings {
    pub(super) is_enabled: bool,
    /// The tab that was selected last.
    pub(super) preview_kind: PaneKind,
    /// The number of the latest timer: earlier ones are ignored.
    pub(super) timer_generation: u32,
}

impl SplitSettings {
    pub(super) fn next_timer(&mut self) -> u32 {
        self.timer_generation = self.timer_generation.wrapping_add(1);
        self.timer_generation
    }
}

#[derive(Debug, Default)]
pub(super) struct SplitPane {
    /// `None` while no row is selected.
    pub(super) preview: Option<Preview>,
    pub(super) is_focused: bool,
}

#[derive(Debug)]
pub(super) struct Preview {
    pub(super) target: PreviewTarget,
    pub(super) tabs: Vec<PaneInstance>,
    pub(super) active: usize,
    /// The timer that activates it for the first time.
    pub(super) pending_timer: Option<u32>,
}

impl SplitPane {
    pub(super) fn tab(&self) -> Option<&PaneInstance> {
        self.preview.as_ref().and_then(|preview| preview.tabs.get(preview.active))
    }

    pub(super) fn tab_mut(&mut self) -> Option<&mut PaneInstance> {
        self.preview.as_mut().and_then(|preview| preview.tabs.get_mut(preview.active))
    }

    /// Hides the preview. One that is not loaded completely is dropped.
    pub(super) fn deactivate(&mut self) -> Option<Effect> {
        let is_pending = self.preview.as_ref().is_some_and(|shown| shown.pending_timer.is_some());
        let cancel = self.tab_mut().and_then(PaneInstance::deactivate);
        if is_pending || cancel.is_some() {
            *self = Self::default();
        }
        cancel
    }
}
