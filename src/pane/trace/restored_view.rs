//! The view of a trace as arguments of a command line: view, filter, order and selected row.

use super::TracePane;
use super::folds::SiblingOrder;
use super::views::TraceView;
use super::views::balance_changes::BalanceChangesView;
use super::views::function_gas::FunctionGasView;
use crate::messages::Count;
use crate::messages::trace::TraceNote;
use crate::pane::Command;
use crate::pane::export::{TraceChart, ViewParams};
use crate::trace::log_rows::TraceRow;

impl TracePane {
    pub(super) fn current_params(&self) -> ViewParams {
        let here = self.tree.path(self.cursor.call);
        let node = if self.start.path.is_empty() { here } else { self.start.path.clone() };
        let event = match self.cursor.log_row {
            Some(TraceRow::Log(log)) => Some(log),
            _ => self.start.event,
        };
        let zoom = match self.view {
            TraceView::Icicle(top) => self.tree.path(top),
            _ => self.start.zoom.clone(),
        };
        let row = match &self.view {
            TraceView::BalanceChanges(view) => view.account_number().filter(|number| *number > 1),
            _ => self.start.account,
        };
        let filter = self.finding.filter.as_ref().map(|filter| filter.text.clone());
        ViewParams {
            node,
            event: event.map(|log| log + 1),
            filter: filter.or_else(|| self.start.filter.clone()),
            sort: self.folding.order.as_sort(),
            chart: self.view.chart().or(self.start.chart),
            zoom,
            row,
            ..ViewParams::default()
        }
    }

    pub(super) fn restore_params(&mut self, params: ViewParams) {
        self.start.path = params.node;
        self.start.event = params.event.and_then(|number| number.checked_sub(1));
        self.start.filter = params.filter;
        self.start.chart = params.chart;
        let has_accounts = params.chart == Some(TraceChart::Balances);
        self.start.account = params.row.filter(|number| *number > 1 && has_accounts);
        self.start.zoom = params.zoom;
        self.folding.order =
            params.sort.as_ref().and_then(SiblingOrder::from_sort).unwrap_or_default();
    }

    /// Opens the view that the command line names, at the function of the selected call.
    pub(super) fn open_start_chart(&mut self) {
        let chart = self.start.chart.take().filter(|_| !self.user_interacted);
        let zoom = std::mem::take(&mut self.start.zoom);
        match chart {
            Some(TraceChart::Icicle) => {
                self.view = TraceView::Icicle(self.tree.find(&zoom).unwrap_or_default());
            }
            Some(TraceChart::Balances) => {
                let mut view = Box::new(BalanceChangesView::new(&self.tree));
                view.select_account(self.start.account.take());
                self.view = TraceView::BalanceChanges(view);
            }
            Some(TraceChart::Functions) => {
                let mut view = FunctionGasView::new(&self.tree);
                view.select_function_of(self.cursor.call);
                self.view = TraceView::Functions(view);
                self.select_call_of_function();
            }
            None => {}
        }
    }

    /// Reports that the last page of the events has not the one that the command line names.
    pub(super) fn missing_start_event(&mut self) -> Option<Command> {
        let events = self.logs.len();
        let is_all = events > 0 && self.logs.known_count().is_some();
        let event = self.start.event.take_if(|log| is_all && *log >= events)?;
        let events = Count(events, "event");
        Some(Command::notify(&TraceNote::NoEvent { number: event + 1, events }))
    }

    /// Selects the event that the command line names, once its place is known.
    pub(super) fn go_to_start_event(&mut self) {
        let Some(log) = self.start.event.filter(|log| *log < self.logs.len()) else { return };
        if self.user_interacted {
            self.start.event = None;
            return;
        }
        match self.logs.place(log) {
            Some(place) => {
                self.folding.visible.reveal(&self.tree, place.call);
                self.folding.visible.set_expanded(&self.tree, place.call, true);
                self.cursor.call = place.call;
            }
            None => self.list_unplaced(true),
        }
        self.cursor.log_row = Some(TraceRow::Log(log));
        self.start.event = None;
    }
}
