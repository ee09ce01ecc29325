//! A pane on a page, with its id.

use std::time::Duration;

use crate::chain::Timestamp;
use crate::msg::{ChainIndex, Effect, PaneId, PaneRequest, Ticket};
use crate::pane::{Pane, PaneKind};

#[derive(Debug)]
pub(in crate::app) struct PaneInstance {
    id: PaneId,
    chain: ChainIndex,
    pub(in crate::app) kind: PaneKind,
    pub(in crate::app) pane: Box<dyn Pane>,
    /// `true` if it may show blocks that are gone.
    pub(in crate::app) is_stale: bool,
    /// The first tick since it is busy.
    busy_since: Option<Timestamp>,
}

impl PaneInstance {
    /// Creates a tab of each pane. `last_id` is the id given last.
    pub(in crate::app) fn create_all(
        panes: Vec<(PaneKind, Box<dyn Pane>)>,
        chain: ChainIndex,
        last_id: &mut u32,
    ) -> Vec<Self> {
        let new_tab = |(kind, pane)| {
            *last_id += 1;
            Self { id: PaneId(*last_id), chain, kind, pane, is_stale: false, busy_since: None }
        };
        panes.into_iter().map(new_tab).collect()
    }

    pub(in crate::app) fn ticket(&self) -> Ticket {
        Ticket { chain: self.chain, pane: self.id, epoch: self.pane.state().epoch }
    }

    /// Returns the time since which the pane has been busy. `None` if it is not.
    pub(in crate::app) fn busy_for(&self, now: Timestamp) -> Option<Duration> {
        let since = self.busy_since.unwrap_or(now);
        self.pane.state().is_busy.then(|| now.duration_since(since).unsigned_abs())
    }

    /// Returns the interval between ticks: a busy pane shows its progress.
    pub(in crate::app) fn tick_interval(&self) -> Option<Duration> {
        let state = self.pane.state();
        let progress = state.is_busy.then_some(crate::app::SPINNER_INTERVAL);
        state.tick_interval.into_iter().chain(progress).min()
    }

    pub(in crate::app) fn on_tick(&mut self, now: Timestamp) {
        self.busy_since = self.busy_since.or(Some(now));
    }

    /// Clears the time since which the pane was busy, if it no longer is.
    pub(in crate::app) fn sync_progress(&mut self) {
        self.busy_since = self.busy_since.filter(|_| self.pane.state().is_busy);
    }

    /// Hides the pane. Returns the effect that cancels its requests, if there are any.
    pub(in crate::app) fn deactivate(&mut self) -> Option<Effect> {
        let is_busy = self.pane.state().is_busy;
        self.pane.deactivate();
        is_busy.then(|| Effect::Request { ticket: self.ticket(), request: PaneRequest::Cancel })
    }
}
