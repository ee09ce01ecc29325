//! State of the split view: the preview of a list's selected row.

use super::pane_instance::PaneInstance;
use crate::msg::Effect;
use crate::pane::PaneKind;
use crate::pane::preview::PreviewTarget;

/// The settings of the split view, the same on every page.
#[derive(Debug)]
pub(in crate::app) struct SplitSettings {
    pub(in crate::app) is_enabled: bool,
    /// The tab that was selected last.
    pub(in crate::app) preview_kind: PaneKind,
    /// Number of the latest timer: earlier ones are ignored.
    pub(in crate::app) timer_generation: u32,
}

impl SplitSettings {
    pub(in crate::app) fn next_timer(&mut self) -> u32 {
        self.timer_generation = self.timer_generation.wrapping_add(1);
        self.timer_generation
    }
}

#[derive(Debug, Default)]
pub(in crate::app) struct SplitPane {
    /// `None` while no row is selected.
    pub(in crate::app) preview: Option<Preview>,
    pub(in crate::app) is_focused: bool,
}

#[derive(Debug)]
pub(in crate::app) struct Preview {
    pub(in crate::app) target: PreviewTarget,
    pub(in crate::app) tabs: Vec<PaneInstance>,
    pub(in crate::app) active: usize,
    /// The timer that activates it for the first time.
    pub(in crate::app) pending_timer: Option<u32>,
}

impl SplitPane {
    pub(in crate::app) fn tab(&self) -> Option<&PaneInstance> {
        self.preview.as_ref().and_then(|preview| preview.tabs.get(preview.active))
    }

    pub(in crate::app) fn tab_mut(&mut self) -> Option<&mut PaneInstance> {
        self.preview.as_mut().and_then(|preview| preview.tabs.get_mut(preview.active))
    }

    /// Hides the preview. One that is not loaded completely is dropped.
    pub(in crate::app) fn deactivate(&mut self) -> Option<Effect> {
        let is_pending = self.preview.as_ref().is_some_and(|shown| shown.pending_timer.is_some());
        let cancel = self.tab_mut().and_then(PaneInstance::deactivate);
        if is_pending || cancel.is_some() {
            *self = Self::default();
        }
        cancel
    }
}
