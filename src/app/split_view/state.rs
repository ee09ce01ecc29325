//! The side of a place: a pane of what its list's selected row leads to.

use crate::app::tab::Tab;
use crate::msg::Effect;
use crate::pane::PaneKind;
use crate::pane::preview::PreviewTarget;

/// How the user wants it, at every place.
#[derive(Debug)]
pub(crate) struct SplitSettings {
    pub(crate) is_enabled: bool,
    /// Which tab was chosen last.
    pub(crate) preview_kind: PaneKind,
    /// Pauses begun so far: the number of the latest is the only one that counts.
    pub(crate) timer_generation: u32,
}

impl SplitSettings {
    /// On or off, as the program starts.
    pub(crate) fn new(on: bool) -> Self {
        Self { is_enabled: on, preview_kind: PaneKind::Transaction, timer_generation: 0 }
    }
}

/// The side of a place.
#[derive(Debug, Default)]
pub(crate) struct SplitPane {
    /// None while no row is selected.
    pub(crate) preview: Option<Preview>,
    pub(crate) is_focused: bool,
}

/// What the selected row leads to, with its panes.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) target: PreviewTarget,
    pub(crate) tabs: Vec<Tab>,
    pub(crate) active: usize,
    /// The pause after which it is looked at for the first time.
    pub(crate) pending_timer: Option<u32>,
}

impl SplitPane {
    /// The pane in sight.
    pub(crate) fn tab(&self) -> Option<&Tab> {
        self.preview.as_ref().and_then(|shown| shown.tabs.get(shown.active))
    }

    pub(crate) fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.preview.as_mut().and_then(|shown| shown.tabs.get_mut(shown.active))
    }

    /// It goes out of sight. What is complete stays; what is not is begun anew, after a pause.
    pub(crate) fn deactivate(&mut self) -> Option<Effect> {
        let awaits = self.preview.as_ref().is_some_and(|shown| shown.pending_timer.is_some());
        let left = self.tab_mut().and_then(Tab::deactivate);
        if awaits || left.is_some() {
            (self.preview, self.is_focused) = (None, false);
        }
        left
    }
}
