//! A pane in its place.

use crate::msg::PaneId;
use crate::pane::{Pane, PaneKind, Route};

/// A pane and its name.
#[derive(Debug)]
pub(super) struct Tab {
    pub(super) id: PaneId,
    pub(super) kind: PaneKind,
    pub(super) pane: Box<dyn Pane>,
}

impl Tab {
    /// A slot for each pane of a link.
    pub(super) fn create_all(link: &Route, panes: &mut u32) -> Vec<Self> {
        let named = |(kind, pane)| {
            *panes += 1;
            Self { id: PaneId(*panes), kind, pane }
        };
        PaneKind::create_all(link).into_iter().map(named).collect()
    }

    /// It goes out of sight; its name when something of it was under way.
    pub(super) fn deactivate(&mut self) -> Option<PaneId> {
        let busy = self.pane.is_busy();
        self.pane.deactivate();
        busy.then_some(self.id)
    }
}
