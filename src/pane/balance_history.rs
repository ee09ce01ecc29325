//! The pane of an address's coin balance over time: a plot above the list of changes.

use std::cmp::Ordering;

use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{self, Fill, Length};
use ratatui::layout::{Layout, Margin, Rect};

use crate::action::Action;
use crate::api::balance_history::{CoinBalanceChange, DailyBalance, DailyBalances};
use crate::api::{AddressQuery, Query};
use crate::chain::amount::Unit;
use crate::chain::network::Network;
use crate::chain::significant_digits::format_with_change;
use crate::chain::{Address, U256};
use crate::columns::{CopyValue, ListRow};
use crate::messages::Count;
use crate::messages::page::{self, PageMessage};
use crate::msg::Priority;
use crate::pane::export::ViewParams;
use crate::pane::header::HeaderSection;
use crate::pane::list::ListPane;
use crate::pane::preview::PreviewTarget;
use crate::pane::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneKind, PaneState,
    RowCount,
};
use crate::sanitize::SafeText;
use crate::ui::charts::area_chart;
use crate::ui::format::{cut, width};
use crate::ui::frame::ScrollExtent;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// On lower panes the list has all the space.
const MIN_HEIGHT: u16 = 12;
const MAX_PLOT_ROWS: u16 = 10;
/// The characters of a date.
const DATE_WIDTH: usize = 10;
/// The heading, the plot, and the dates below.
const PLOT_PARTS: [Constraint; 3] = [Length(1), Fill(1), Length(1)];

#[derive(Debug)]
pub struct BalanceHistoryPane {
    address: Address,
    days: HeaderSection<DailyBalances>,
    list: ListPane,
}

/// Balances over time, oldest first.
struct BalanceCurve {
    values: Vec<U256>,
    /// Title, which names the times of the values.
    title: String,
    /// The dates of the first and the last, with times if they are of one day.
    dates: [String; 2],
}

impl BalanceHistoryPane {
    pub fn new(address: Address) -> Self {
        let query = Query::Address(address, AddressQuery::BalanceHistory);
        let list = ListPane::new(CoinBalanceChange::KIND, query).with_parsed_rows();
        Self { address, days: HeaderSection::default(), list }
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
            commands.push(self.refresh_days());
        }
        commands
    }

    /// Lets the bar of the largest loaded change fill its column.
    fn scale_bars(&mut self) {
        let changes =
            self.list.parsed_rows().filter_map(|row: &CoinBalanceChange| row.delta.value());
        let largest = changes.map(|delta| delta.unsigned_abs()).max();
        self.list.set_bar_scale(largest);
    }

    fn days_query(&self) -> Query {
        Query::Address(self.address, AddressQuery::DailyBalances)
    }

    fn refresh_days(&mut self) -> Command {
        self.days.refresh(self.days_query(), Priority::Refresh)
    }

    /// Returns the balances of the days or, if there are too few, of the loaded rows.
    fn curve(&self) -> BalanceCurve {
        if let Some(DailyBalances { items, .. }) = self.days.value() {
            let mut days: Vec<&DailyBalance> = items.value().into_iter().flatten().collect();
            days.sort_by_key(|day| day.date.value());
            days.retain(|day| day.value.value().is_some());
            if days.len() > 1 {
                let date = |day: Option<&&DailyBalance>| {
                    let date = day.map(|day| day.date.display_with(|date| cut(date, DATE_WIDTH)));
                    date.unwrap_or_default().into_owned()
                };
                let dates = [date(days.first()), date(days.last())];
                let values = days.iter().filter_map(|day| day.value.value().copied()).collect();
                return BalanceCurve { values, title: page::BALANCE_BY_DAY.into(), dates };
            }
        }
        let mut rows: Vec<&CoinBalanceChange> = self.list.parsed_rows().collect();
        rows.retain(|change| change.value.value().is_some());
        let ends = |format: &str| {
            [rows.last(), rows.first()].map(|row| {
                let then = row.and_then(|row| row.timestamp.value());
                then.map_or("?".into(), |then| then.strftime(format).to_string())
            })
        };
        let dates = match ends("%Y-%m-%d") {
            [first, last] if first == last => ends("%Y-%m-%d %H:%M"),
            dates => dates,
        };
        let before = rows.last().and_then(|oldest| balance_before(oldest));
        let balances = rows.iter().rev().filter_map(|row| row.value.value().copied());
        let values: Vec<U256> = before.into_iter().chain(balances).collect();
        let changes = Count(values.len().saturating_sub(1), "change");
        let title = PageMessage::BalanceHistory { changes }.to_string();
        BalanceCurve { values, title, dates }
    }

    fn draw_plot(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let BalanceCurve { values, title, dates: [from, to] } = self.curve();
        let (Some(low), Some(high)) = (values.iter().min(), values.iter().max()) else { return };
        if area.is_empty() {
            return;
        }
        let (unit, dim) = (cx.format.unit, cx.styles.of(Role::Dim));
        let decimals = unit.decimals(cx.network.decimals);
        let [low, high] = [low, high].map(|wei| format_with_change(*wei, *high - *low, decimals));
        let range = PageMessage::BalanceRange { low: &low, high: &high }.to_string();
        let inner = area.inner(Margin::new(1, 0));
        let [heading, chart, below] = inner.layout(&Layout::vertical(PLOT_PARTS));
        let (change, role) = change(&values, unit, cx.network);
        let title_end = draw_text(buf, heading, &format!("{title} · "), dim);
        let after_title = Rect { x: title_end, width: heading.right() - title_end, ..heading };
        let change_end = draw_text(buf, after_title, &change, cx.styles.of(role));
        let free = usize::from(heading.right() - change_end);
        if width(&range) < free {
            let rest = Rect { x: change_end, width: heading.right() - change_end, ..heading };
            draw_text(buf, rest, &format!("{range:>free$}"), dim);
        }
        let lines = area_chart(&values, chart.width.into(), chart.height.into());
        for (text, line) in lines.iter().zip(chart.rows()) {
            draw_text(buf, line, text, cx.styles.of(Role::Value));
        }
        let space = usize::from(chart.width).saturating_sub(width(&from));
        draw_text(buf, below, &format!("{from}{to:>space$}"), dim);
    }
}

/// Returns the balance before a change.
fn balance_before(change: &CoinBalanceChange) -> Option<U256> {
    let (balance, delta) = (change.value.value()?, change.delta.value()?);
    let size = delta.unsigned_abs();
    if delta.is_negative() { balance.checked_add(size) } else { balance.checked_sub(size) }
}

/// Describes the difference from the oldest to the newest balance, in the colour of a gain or a loss.
fn change(values: &[U256], unit: Unit, network: &Network) -> (String, Role) {
    let [before, now] =
        [values.first(), values.last()].map(|value| value.copied().unwrap_or_default());
    let (sign, role) = match now.cmp(&before) {
        Ordering::Less => ("−", Role::Failed),
        Ordering::Equal => ("±", Role::Dim),
        Ordering::Greater => ("+", Role::Ok),
    };
    ([sign, &unit.describe(now.abs_diff(before), network)].concat(), role)
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
        commands.extend(self.days.request(self.days_query(), Priority::Interactive));
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
                commands.push(self.refresh_days());
                commands
            }
            _ => self.with_list(cx, |list, cx| list.act(action, cx)),
        }
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_rollback = matches!(event, PaneEvent::ChainRolledBack);
        let is_new = is_rollback || matches!(event, PaneEvent::ChainAdvanced);
        let is_retry = matches!(event, PaneEvent::RetryFailed);
        let may_have_rows = matches!(event, PaneEvent::Reply { .. });
        match event {
            PaneEvent::Reply { query: Query::Address(_, AddressQuery::DailyBalances), reply } => {
                self.days.set(reply, cx.now);
                Vec::new()
            }
            event => {
                let mut commands = self.with_list(cx, |list, cx| list.on_event(event, cx));
                if may_have_rows {
                    self.scale_bars();
                }
                if is_retry {
                    commands.extend(self.days.retry(self.days_query(), Priority::Refresh));
                }
                if is_rollback {
                    self.days = HeaderSection::default();
                }
                if is_new && !self.days.is_loading() {
                    commands.push(self.refresh_days());
                }
                commands
            }
        }
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let [plot, _] = areas(cx.area);
        self.draw_plot(plot, cx, buf);
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
