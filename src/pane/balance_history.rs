//! The pane of an address's coin balance over time: a plot above the list of changes.

mod curve;
mod plot;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use crate::action::Action;
use crate::api::balance_history::{CoinBalanceChange, DailyBalance, DailyBalances};
use crate::api::{AddressQuery, Field, Query};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::{Address, Timestamp, U256};
use crate::columns::{CopyValue, ListRow};
use crate::messages::page::{self, PageMessage};
use crate::messages::{Count, column};
use crate::pane::export::ViewParams;
use crate::pane::list::ListPane;
use crate::pane::preview::PreviewTarget;
use crate::pane::section::Section;
use crate::pane::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneKind, PaneState,
    RowCount,
};
use crate::sanitize::SafeText;
use crate::ui::format_options::FormatOptions;
use crate::ui::frame::ScrollExtent;
use curve::BalanceCurve;

/// On lower panes the list has all the space.
const MIN_HEIGHT: u16 = 12;
const MAX_PLOT_ROWS: u16 = 10;

#[derive(Debug)]
pub struct BalanceHistoryPane {
    days: Section<DailyBalances>,
    list: ListPane,
}

impl BalanceHistoryPane {
    pub fn new(address: Address) -> Self {
        let query = Query::Address(address, AddressQuery::BalanceHistory);
        let list = ListPane::new(CoinBalanceChange::KIND, query).with_parsed_rows();
        let days = Query::Address(address, AddressQuery::DailyBalances);
        Self { days: Section::new(days, Priority::Interactive), list }
    }

    /// Passes an event to the list, and requests the days again if the list has cancelled that.
    fn with_list(
        &mut self,
        cx: &PaneContext<'_>,
        run: impl FnOnce(&mut ListPane, &PaneContext<'_>) -> Vec<Command>,
    ) -> Vec<Command> {
        let mut commands = run(&mut self.list, &list_context(cx));
        let has_cancelled = commands.iter().any(|command| matches!(command, Command::Cancel));
        if has_cancelled && self.days.is_loading() {
            commands.push(self.days.refresh());
        }
        commands
    }

    /// Returns the balances of the days or, if there are too few, of the loaded rows.
    fn curve(&self, format: &FormatOptions) -> BalanceCurve {
        let mut rows: Vec<&CoinBalanceChange> = self.list.parsed_rows().collect();
        rows.reverse();
        let note = whole_block_note(&rows);
        if let Some(DailyBalances { items, .. }) = self.days.value() {
            let mut days: Vec<&DailyBalance> = items.value().into_iter().flatten().collect();
            days.sort_by_key(|day| day.start());
            let points = days.iter().filter_map(|day| Some((day.start(), *day.value.value()?)));
            let points: Vec<_> = points.collect();
            if points.len() > 1 {
                let (zone, title) = (TimeZone::UTC, page::BALANCE_BY_DAY.into());
                return BalanceCurve { points, zone, title, note };
            }
        }
        let first = rows.iter().find(|row| row.value.value().is_some());
        let before = first.and_then(|row| Some((time_of(row), balance_before(row)?)));
        let after = rows.iter().filter_map(|row| Some((time_of(row), *row.value.value()?)));
        let points: Vec<_> = before.into_iter().chain(after).collect();
        let known = points.len().saturating_sub(before.iter().len());
        let title = if known < rows.len() {
            let changes = Count(rows.len(), "change");
            PageMessage::PartOfBalanceHistory { known: Grouped(known), changes }.to_string()
        } else {
            let changes = Count(points.len().saturating_sub(1), "change");
            PageMessage::BalanceHistory { changes }.to_string()
        };
        BalanceCurve { points, zone: format.zone(), title, note }
    }
}

/// Explains the words of rows without a transaction, if there are any.
fn whole_block_note(rows: &[&CoinBalanceChange]) -> String {
    let is_of_block = |row: &&CoinBalanceChange| {
        matches!(row.transaction_hash, Field::Absent) && !row.is_unexplained()
    };
    let has_words = rows.iter().any(is_of_block);
    let note = PageMessage::WholeBlock { words: column::WHOLE_BLOCK };
    if has_words { note.to_string() } else { String::new() }
}

fn time_of(change: &CoinBalanceChange) -> Option<Timestamp> {
    change.timestamp.value().copied()
}

/// Returns the balance before a change.
fn balance_before(change: &CoinBalanceChange) -> Option<U256> {
    let (balance, delta) = (change.value.value()?, change.delta.value()?);
    let size = delta.unsigned_abs();
    if delta.is_negative() { balance.checked_add(size) } else { balance.checked_sub(size) }
}

/// Returns the areas of the plot and of the list.
fn areas(area: Rect) -> [Rect; 2] {
    let rows = if area.height < MIN_HEIGHT { 0 } else { (area.height / 3).min(MAX_PLOT_ROWS) };
    area.layout(&Layout::vertical([Length(rows), Fill(1)]))
}

fn list_context<'a>(cx: &PaneContext<'a>) -> PaneContext<'a> {
    let [_, area] = areas(cx.area);
    PaneContext { area, ..*cx }
}

impl Pane for BalanceHistoryPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = self.with_list(cx, Pane::activate);
        commands.extend(self.days.request());
        commands
    }

    fn on_cancelled(&mut self, cx: &PaneContext<'_>) {
        self.days.cancel();
        self.list.on_cancelled(cx);
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        self.list.availability(action, &list_context(cx))
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        match action {
            Action::Refresh => {
                self.days.cancel();
                let mut commands = self.with_list(cx, |list, cx| list.act(action, cx));
                commands.push(self.days.refresh());
                commands
            }
            _ => self.with_list(cx, |list, cx| list.act(action, cx)),
        }
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_rollback = matches!(event, PaneEvent::ChainRolledBack);
        let is_new = is_rollback || matches!(event, PaneEvent::ChainAdvanced);
        let is_retry = matches!(event, PaneEvent::RetryFailed);
        match event {
            PaneEvent::Reply { query: Query::Address(_, AddressQuery::DailyBalances), reply } => {
                self.days.set(reply, cx.now);
                Vec::new()
            }
            event => {
                let mut commands = self.with_list(cx, |list, cx| list.on_event(event, cx));
                if is_retry && self.days.can_recover() {
                    commands.push(self.days.refresh());
                }
                if is_rollback {
                    self.days.forget();
                }
                if is_new && !self.days.is_loading() {
                    commands.push(self.days.refresh());
                }
                commands
            }
        }
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let [plot, _] = areas(cx.area);
        self.curve(cx.format).draw(plot, cx, buf);
        // Without rows there is no plot either.
        let is_alone = self.list.describes_wait();
        self.list.view(&if is_alone { *cx } else { list_context(cx) }, buf);
    }

    fn state(&self) -> PaneState {
        self.list.state()
    }

    fn can_recover(&self) -> bool {
        self.list.can_recover() || self.days.can_recover()
    }

    fn describes_wait(&self) -> bool {
        self.list.describes_wait()
    }

    fn status(&self, cx: &PaneContext<'_>) -> SafeText {
        self.list.status(&list_context(cx))
    }

    fn scroll_extent(&self, cx: &PaneContext<'_>) -> Option<ScrollExtent> {
        self.list.scroll_extent(&list_context(cx))
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        self.list.row_count(kind)
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.list.address(cx)
    }

    fn copied_value(&self, action: Action, cx: &PaneContext<'_>) -> Option<CopyValue> {
        self.list.copied_value(action, cx)
    }

    fn preview_target(&self, cx: &PaneContext<'_>) -> Option<PreviewTarget> {
        self.list.preview_target(cx)
    }

    fn export(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Vec<Command> {
        self.list.export(tool, cx)
    }

    fn view_params(&self) -> ViewParams {
        self.list.view_params()
    }

    fn restore(&mut self, params: ViewParams) {
        self.list.restore(params);
    }
}
