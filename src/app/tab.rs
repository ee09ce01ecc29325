//! A pane in its place.

use crate::msg::PaneId;
use crate::pane::{Kind, Link, Pane};

/// A pane and its name.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: PaneId,
    pub(super) kind: Kind,
    pub(super) pane: Box<dyn Pane>,
}

impl Slot {
    /// A slot for each pane of a link.
    pub(super) fn all(link: &Link, panes: &mut u32) -> Vec<Self> {
        let named = |(kind, pane)| {
            *panes += 1;
            Self { id: PaneId(*panes), kind, pane }
        };
        Kind::all(link).into_iter().map(named).collect()
    }

    /// It goes out of sight; its name when something of it was under way.
    pub(super) fn leave(&mut self) -> Option<PaneId> {
        let busy = self.pane.is_busy();
        self.pane.leave();
        busy.then_some(self.id)
    }
}
