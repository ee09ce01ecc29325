//! A pane on a page, with its id.

use std::time::Duration;

use crate::app::requests::ledger::PaneId;
use crate::chain::Timestamp;
use crate::pane::{Pane, PaneKind, PaneOfKind};

#[derive(Debug)]
pub(in crate::app) struct PaneInstance {
    pub(in crate::app) id: PaneId,
    pub(in crate::app) kind: PaneKind,
    pub(in crate::app) pane: Box<dyn Pane>,
    /// `true` if it may show blocks that are gone.
    pub(in crate::app) is_stale: bool,
    /// `true` if it is visible, but will be activated only when the user rests.
    pub(in crate::app) is_delayed: bool,
    /// The first tick since it waits for its present requests.
    busy_since: Option<Timestamp>,
}

impl PaneInstance {
    /// Creates a tab of each pane. `last_id` is the id given last.
    pub(in crate::app) fn create_all(panes: Vec<PaneOfKind>, last_id: &mut u32) -> Vec<Self> {
        let new_tab = |(kind, pane)| {
            *last_id += 1;
            Self {
                id: PaneId(*last_id),
                kind,
                pane,
                is_stale: false,
                is_delayed: false,
                busy_since: None,
            }
        };
        panes.into_iter().map(new_tab).collect()
    }

    /// Returns the time that a busy pane has been busy.
    pub(in crate::app) fn busy_for(&self, now: Timestamp) -> Duration {
        now.duration_since(self.busy_since.unwrap_or(now)).unsigned_abs()
    }

    pub(in crate::app) fn on_tick(&mut self, now: Timestamp) {
        self.busy_since = self.busy_since.or(Some(now));
    }

    /// Forgets since when the pane waited, as it no longer waits or for something else.
    pub(in crate::app) fn restart_wait(&mut self) {
        self.busy_since = None;
    }
}
