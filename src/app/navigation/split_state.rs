//! State of the split view: the preview of a list's selected row.

use super::pane_instance::PaneInstance;
use crate::pane::PaneKind;
use crate::pane::preview::PreviewTarget;

/// The settings of the split view, the same on every page.
#[derive(Debug)]
pub(in crate::app) struct SplitSettings {
    pub(in crate::app) is_enabled: bool,
    /// The tab that was selected last.
    pub(in crate::app) preview_kind: PaneKind,
}

#[derive(Debug, Default)]
pub(in crate::app) struct SplitPane {
    /// `None` while no row is selected.
    pub(in crate::app) preview: Option<Preview>,
    pub(in crate::app) is_focused: bool,
    /// Lines of a list with its frame that is above the preview instead of next to it.
    pub(in crate::app) list_lines: Option<u16>,
}

#[derive(Debug)]
pub(in crate::app) struct Preview {
    pub(in crate::app) target: PreviewTarget,
    pub(in crate::app) tabs: Vec<PaneInstance>,
    pub(in crate::app) active: usize,
}

impl SplitPane {
    pub(in crate::app) fn tab(&self) -> Option<&PaneInstance> {
        self.preview.as_ref().and_then(|preview| preview.tabs.get(preview.active))
    }

    pub(in crate::app) fn tab_mut(&mut self) -> Option<&mut PaneInstance> {
        self.preview.as_mut().and_then(|preview| preview.tabs.get_mut(preview.active))
    }
}
