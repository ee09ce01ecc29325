//! The feed of the start page: the latest blocks and transactions, gas prices and load of the chain,
//! the balances of watched addresses, and a development node's accounts. It is refreshed while the page is visible.

use std::collections::HashMap;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect};

use super::feed_list::{FeedItem, draw_list, feed_lines};
use super::layout::{FeedList, StartLayout};
use super::rows::{StartRow, feed_rows};
use crate::api::accounts::RankedAccount;
use crate::api::endpoints::address::AddressInfo;
use crate::api::endpoints::block::Block;
use crate::api::stats::{DailyTransactions, GasPrice, GasPrices, Stats};
use crate::api::transactions::Transaction;
use crate::api::{AddressQuery, ApiError, ChainQuery, Field, Page, Query, ReplyResult};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::decimal::Decimal;
use crate::chain::development_accounts::{DEVELOPMENT_ACCOUNTS, development_account_number};
use crate::chain::network::Endpoint;
use crate::chain::percent::Percent;
use crate::chain::{Address, Timestamp};
use crate::columns::cells::token_call::unknown_moved_token;
use crate::messages::failed_refresh::DataAge;
use crate::messages::start::{self, StartNote};
use crate::pane::failure_report::FailedRequest;
use crate::pane::section::Section;
use crate::pane::{Command, PaneContext};
use crate::ui::charts::sparkline;
use crate::ui::format::width;
use crate::ui::frame::{draw_frame, draw_frame_status, draw_frame_title};
use crate::ui::theme::Role;

/// Minimum time between two requests for the same, so that an explorer's limits are far away.
const MIN_POLL_INTERVAL: Duration = Duration::from_secs(10);
const MAX_POLL_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum failures that double the pause before the next request.
const MAX_COUNTED_FAILURES: u32 = 5;
/// Interval between updates of the shown ages.
const AGE_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum watched addresses whose balances are requested.
const MAX_BALANCES: usize = 8;
/// Number of blocks that every explorer sends for its own start page.
const SHORT_LIST_ROWS: usize = 4;
const DAYS: usize = 14;
/// Digits after the point of the load of blocks, which is in percent.
const LOAD_DECIMALS: usize = 6;
/// Full load in units of the last digit.
const FULL_LOAD: u64 = 100_000_000;
/// From this width of the page on the box at the top has the vitals of the chain.
const MIN_VITALS_WIDTH: u16 = 100;
/// Columns of the title of that box, and of its corners.
const TITLE_COLUMNS: u16 = 20;
/// From this width of a frame on there is space for the range of the gas price.
const WIDE: u16 = 60;
/// From this width of a frame on there is space for the block time in words.
const MIN_BLOCK_TIME_WIDTH: u16 = 35;

#[derive(Debug)]
pub(super) struct ChainFeed {
    blocks: Section<Page<Block>>,
    transactions: Section<Page<Transaction>>,
    stats: Section<Stats>,
    days: Section<DailyTransactions>,
    balances: HashMap<Address, Section<AddressInfo>>,
    /// Accounts of a development node.
    accounts: Section<Page<RankedAccount>>,
    is_stopped: bool,
    /// `true` if more rows were requested than the start page of an explorer has.
    is_long: bool,
    /// The way in which new blocks become known.
    source: BlockSource,
    /// Time of the last request. `None` before the first.
    asked_at: Option<Timestamp>,
    /// `true` if the chain has advanced while requests were in flight.
    is_behind: bool,
    /// Number of updates so far.
    updates: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum BlockSource {
    /// The demo chain makes none.
    #[default]
    None,
    Polled,
    /// The chain of a node reports them itself.
    Pushed,
}

impl BlockSource {
    fn of_chain(endpoint: &Endpoint) -> Self {
        match endpoint {
            Endpoint::Embedded => Self::None,
            Endpoint::Remote(_) => Self::Polled,
            Endpoint::Node(_) | Endpoint::Undecided(_) => Self::Pushed,
        }
    }
}

/// The sections that an update requests besides the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UpdateScope {
    All,
    /// Without failed ones that the recovery repeats, less and less often. While blocks come, a poll would go on for
    /// ever. Others are in each second, fourth, and so on up to each 32nd update.
    Healthy,
}

impl UpdateScope {
    fn refresh<T>(self, section: &mut Section<T>, update: u32) -> Option<Command> {
        let pause = 1 << section.failures().min(MAX_COUNTED_FAILURES);
        let is_due = update.is_multiple_of(pause) && !section.can_recover();
        (self == Self::All || is_due).then(|| section.refresh())
    }
}

impl Default for ChainFeed {
    fn default() -> Self {
        Self {
            blocks: Section::new(Query::LatestBlocks, Priority::Interactive),
            transactions: Section::new(Query::LatestTransactions, Priority::Interactive),
            stats: Section::new(Query::Stats, Priority::Interactive),
            days: Section::new(Query::DailyTransactions, Priority::Idle),
            balances: HashMap::new(),
            accounts: Section::new(Query::Chain(ChainQuery::Accounts), Priority::Refresh),
            is_stopped: false,
            is_long: false,
            source: BlockSource::None,
            asked_at: None,
            is_behind: false,
            updates: 0,
        }
    }
}

impl ChainFeed {
    /// Requests everything that was not requested yet, the chart last.
    pub(super) fn request(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands =
            if self.asked_at.is_none() { self.update(UpdateScope::All, cx) } else { Vec::new() };
        commands.extend(self.days.request());
        commands
    }

    /// Requests the data that changes with each block again. The old data stays visible until the
    /// replies come.
    fn update(&mut self, scope: UpdateScope, cx: &PaneContext<'_>) -> Vec<Command> {
        self.is_behind = cx.is_busy;
        if self.is_behind {
            return Vec::new();
        }
        self.asked_at = Some(cx.now);
        self.source = BlockSource::of_chain(&cx.network.endpoint);
        self.is_long = self.has_long_lists(cx);
        let [blocks, transactions] = if self.is_long {
            [Query::Chain(ChainQuery::Blocks), Query::Chain(ChainQuery::Transactions)]
        } else {
            [Query::LatestBlocks, Query::LatestTransactions]
        };
        self.blocks.set_query(blocks);
        self.transactions.set_query(transactions);
        let is_polled = self.source == BlockSource::Polled && self.blocks.failures() == 0;
        let scope = if is_polled { scope } else { UpdateScope::All };
        self.updates = self.updates.wrapping_add(1);
        let update = self.updates;
        let watched = cx.name_cache.labels().watched().take(MAX_BALANCES);
        let balances =
            watched.map(|address| scope.refresh(balance_of(&mut self.balances, address), update));
        let blocks = Some(self.blocks.refresh());
        let rest =
            [scope.refresh(&mut self.transactions, update), scope.refresh(&mut self.stats, update)];
        let has_accounts = cx.network.is_development();
        let accounts =
            has_accounts.then_some(&mut self.accounts).map(|list| scope.refresh(list, update));
        [blocks].into_iter().chain(rest).chain(balances).chain(accounts).flatten().collect()
    }

    /// Returns `true` if there is space for more rows than an explorer's own start page has.
    fn has_long_lists(&self, cx: &PaneContext<'_>) -> bool {
        feed_rows(&self.accounts(), cx).into_iter().any(|rows| rows > SHORT_LIST_ROWS)
    }

    /// Returns `true` if a list has nothing to show before a reply.
    pub(super) fn describes_wait(&self) -> bool {
        self.blocks.is_awaited() || self.transactions.is_awaited()
    }

    pub(super) fn can_recover(&self) -> bool {
        self.blocks.can_recover()
            || self.transactions.can_recover()
            || self.stats.can_recover()
            || self.days.can_recover()
            || self.accounts.can_recover()
            || self.balances.values().any(Section::can_recover)
    }

    pub(super) fn retry_failed(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let chain = [self.blocks.retry(), self.transactions.retry(), self.stats.retry()];
        let balances = self.balances.values_mut().map(Section::retry);
        let rest = [self.days.retry(), self.accounts.retry()];
        let retried: Vec<Command> =
            chain.into_iter().chain(balances).chain(rest).flatten().collect();
        if !retried.is_empty() {
            self.asked_at = Some(cx.now);
        }
        retried
    }

    /// Requests longer lists if there is space for them now.
    pub(super) fn on_resize(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_short = self.asked_at.is_some() && !self.is_long;
        if is_short && self.has_long_lists(cx) {
            self.update(UpdateScope::Healthy, cx)
        } else {
            Vec::new()
        }
    }

    /// Requests the balances of newly watched addresses.
    pub(super) fn request_balances(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.asked_at.is_none() {
            return Vec::new();
        }
        let watched = cx.name_cache.labels().watched().take(MAX_BALANCES);
        watched.filter_map(|address| balance_of(&mut self.balances, address).request()).collect()
    }

    /// Cancels the requests in flight. Missing data is requested when the page is shown again.
    pub(super) fn cancel(&mut self) {
        self.blocks.cancel();
        self.transactions.cancel();
        self.stats.cancel();
        self.days.cancel();
        self.accounts.cancel();
        self.balances.values_mut().for_each(Section::cancel);
        if self.blocks.is_unasked() {
            self.asked_at = None;
        }
    }

    pub(super) fn toggle(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.is_stopped ^= true;
        if self.is_stopped {
            return vec![Command::Notify("live off".into())];
        }
        let notice = Command::Notify(start::LIVE_FEED.into());
        [vec![notice], self.update(UpdateScope::All, cx)].concat()
    }

    pub(super) fn refresh(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.blocks.reset_failures();
        let mut commands = self.update(UpdateScope::All, cx);
        if self.days.is_unasked() || self.days.failure().is_some() {
            commands.push(self.days.refresh());
        }
        commands
    }

    /// Returns the time between two requests: at least the chain's block time, and more after failures.
    fn poll_interval(&self) -> Duration {
        let block_time = self.stats.value().and_then(Stats::block_time);
        let interval = block_time.unwrap_or_default().clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL);
        let failures = self.blocks.failures();
        interval * (1 << failures.saturating_sub(1).min(MAX_COUNTED_FAILURES))
    }

    /// Returns `true` if new blocks are polled. What may have failed in an outage is requested again like
    /// anything else on the screen.
    fn is_polled(&self) -> bool {
        self.source == BlockSource::Polled && !self.is_stopped && !self.blocks.can_recover()
    }

    /// Returns the interval between ticks.
    pub(super) fn tick_interval(&self) -> Option<Duration> {
        self.asked_at?;
        let has_ages = self.blocks.value().is_some() || self.transactions.value().is_some();
        match self.source {
            BlockSource::None => None,
            BlockSource::Polled if self.is_polled() => Some(self.poll_interval()),
            BlockSource::Polled | BlockSource::Pushed => has_ages.then_some(AGE_INTERVAL),
        }
    }

    pub(super) fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let waited = self.asked_at.map(|then| cx.now.duration_since(then).unsigned_abs());
        let is_due = waited.is_some_and(|waited| waited >= self.poll_interval());
        if self.is_polled() && cx.has_focus && is_due && !cx.is_busy {
            self.update(UpdateScope::Healthy, cx)
        } else {
            Vec::new()
        }
    }

    pub(super) fn on_chain_advanced(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_live = self.asked_at.is_some() && !self.is_stopped;
        if is_live { self.update(UpdateScope::Healthy, cx) } else { Vec::new() }
    }

    pub(super) fn on_reply(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match query {
            Query::LatestBlocks | Query::Chain(ChainQuery::Blocks) => {
                self.blocks.set(reply, cx.now);
            }
            Query::LatestTransactions | Query::Chain(ChainQuery::Transactions) => {
                self.transactions.set(reply, cx.now);
            }
            Query::Stats => self.stats.set(reply, cx.now),
            Query::DailyTransactions => self.days.set(reply, cx.now),
            Query::Chain(ChainQuery::Accounts) => self.accounts.set(reply, cx.now),
            Query::Address(address, AddressQuery::Details) => {
                balance_of(&mut self.balances, *address).set_item(reply, cx.now);
            }
            _ => {}
        }
        // An undecided chain has been decided meanwhile.
        self.source = BlockSource::of_chain(&cx.network.endpoint);
        let is_behind = !cx.is_busy && std::mem::take(&mut self.is_behind);
        if is_behind { self.update(UpdateScope::Healthy, cx) } else { Vec::new() }
    }

    /// Drops the data of blocks that were rolled back.
    pub(super) fn forget(&mut self) {
        *self = Self { is_stopped: self.is_stopped, ..Self::default() };
    }

    /// Returns the tokens of the listed transactions that are unknown.
    pub(super) fn unknown_tokens(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        let [_, shown] = feed_rows(&self.accounts(), cx);
        let listed = feed_lines(&self.transactions).take(shown);
        listed.flatten().filter_map(|listed| unknown_moved_token(listed, cx.name_cache)).collect()
    }

    /// Returns the rows that the cursor can be on: the blocks, then the transactions.
    pub(super) fn rows(&self, cx: &PaneContext<'_>) -> Vec<StartRow> {
        let [blocks, transactions] = feed_rows(&self.accounts(), cx);
        let blocks = feed_lines(&self.blocks).take(blocks).flatten();
        let transactions = feed_lines(&self.transactions).take(transactions).flatten();
        let blocks = blocks.filter_map(FeedItem::start_row);
        blocks.chain(transactions.filter_map(FeedItem::start_row)).collect()
    }

    /// Returns the row at a place on the screen.
    pub(super) fn row_at(&self, at: Position, frames: [Rect; 2]) -> Option<StartRow> {
        let line = |frame: Rect| {
            let rows = FeedList::new(frame).rows;
            rows.contains(at).then(|| usize::from(at.y - rows.y))
        };
        match frames.map(line) {
            [Some(line), _] => feed_lines(&self.blocks).nth(line)??.start_row(),
            [_, line] => feed_lines(&self.transactions).nth(line?)??.start_row(),
        }
    }

    /// Returns the accounts of a development node, the default ones first by their numbers, then by balance.
    pub(super) fn accounts(&self) -> Vec<Address> {
        let listed = self.accounts.value().into_iter().flat_map(Page::parsed);
        let mut accounts: Vec<Address> = listed.map(|account| account.address.hash).collect();
        accounts.sort_by_key(|account| development_account_number(account).unwrap_or(usize::MAX));
        accounts.truncate(DEVELOPMENT_ACCOUNTS.len());
        accounts
    }

    /// Returns the balance of a watched address or of an account, if the explorer reported it.
    pub(super) fn balance(&self, address: &Address, cx: &PaneContext<'_>) -> Option<String> {
        let watched = self.balances.get(address).and_then(Section::value);
        let mut accounts = self.accounts.value().into_iter().flat_map(Page::parsed);
        let balance = match watched {
            Some(info) => &info.coin_balance,
            None => &accounts.find(|account| account.address.hash == *address)?.coin_balance,
        };
        Some(cx.format.unit.describe(*balance.value()?, cx.network))
    }

    /// Returns the age of a balance that could not be loaded again.
    pub(super) fn balance_age(&self, address: &Address, cx: &PaneContext<'_>) -> Option<DataAge> {
        self.balances.get(address)?.failed_age(cx.now)
    }

    pub(super) fn view(
        &self,
        frames: [Rect; 2],
        (has_focus, selected): (bool, Option<StartRow>),
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let border = |is_selected| {
            if is_selected { cx.styles.border() } else { cx.styles.of(Role::Border) }
        };
        let live = if self.is_stopped { " · live off" } else { "" };
        if let Some(error) = self.common_failure(cx) {
            let frame = StartLayout::whole_feed(frames);
            draw_frame(buf, frame, border(has_focus));
            let title = ["Latest activity", live].concat();
            draw_frame_title(buf, frame, &title, cx.styles.in_frame(Role::Title));
            let query = Some(&Query::LatestBlocks);
            let failed = FailedRequest { error, subject: None, query };
            cx.draw_failure(&failed, frame.inner(Margin::new(1, 1)), buf);
            return;
        }
        let mark = |age: Option<DataAge>| age.map_or(String::new(), |age| format!(" · ✗ {age}"));
        let titles = [
            ["Latest blocks", live, &mark(self.blocks.failed_age(cx.now))].concat(),
            ["Latest transactions", &mark(self.transactions.failed_age(cx.now))].concat(),
        ];
        let [blocks, transactions] = frames;
        // A list with a free line has the key there.
        let rows = FeedList::new(transactions).rows.height;
        let last_line = usize::from(rows).saturating_sub(1);
        let has_free_line = feed_lines(&self.transactions).nth(last_line).is_none();
        let of_transactions = if has_vitals_above(cx) {
            let note = cx.keys.expand(start::ALL_TRANSACTIONS).into_owned();
            Some(note).filter(|_| !has_free_line).into_iter().collect()
        } else {
            self.vitals(transactions.width, cx)
        };
        let notes = [self.chain_notes(blocks.width, cx), of_transactions];
        let is_selected = [
            matches!(selected, Some(StartRow::Block(_))),
            matches!(selected, Some(StartRow::Transaction(_))),
        ];
        for (((frame, title), notes), is_selected) in
            frames.into_iter().zip(titles).zip(notes).zip(is_selected)
        {
            draw_frame(buf, frame, border(is_selected));
            draw_frame_title(buf, frame, &title, cx.styles.in_frame(Role::Title));
            let note = notes_that_fit(notes, usize::from(frame.width.saturating_sub(6)));
            if !note.is_empty() {
                draw_frame_status(buf, frame, &note, cx.styles.in_frame(Role::Plain));
            }
        }
        let [left, right] = frames.map(FeedList::new);
        draw_list(&self.blocks, left, selected, cx, buf);
        draw_list(&self.transactions, right, selected, cx, buf);
    }

    /// Draws the prices of gas and coin, and the number of transactions, in the upper edge of the box at the top.
    pub(super) fn draw_vitals(&self, frame: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if !has_vitals_above(cx) || self.common_failure(cx).is_some() {
            return;
        }
        let space = frame.width.saturating_sub(TITLE_COLUMNS);
        let vitals = notes_that_fit(self.vitals(frame.width, cx), space.into());
        if vitals.is_empty() {
            return;
        }
        let used = u16::try_from(width(&vitals)).unwrap_or(u16::MAX).saturating_add(6);
        let x = frame.right().saturating_sub(used).max(frame.x);
        let right = Rect { x, width: frame.right() - x, ..frame };
        draw_frame_title(buf, right, &vitals, cx.styles.in_frame(Role::Plain));
    }

    /// Returns the reason why there are neither blocks nor transactions, if it is the same: usually that
    /// the explorer cannot be reached. It stays while they are requested again.
    pub(super) fn common_failure(&self, cx: &PaneContext<'_>) -> Option<&ApiError> {
        let blocks = self.blocks.missing_because()?;
        let transactions = self.transactions.missing_because()?;
        (cx.reason(blocks) == cx.reason(transactions)).then_some(blocks)
    }

    /// Describes the block time of the chain, and the load of its blocks.
    fn chain_notes(&self, width: u16, cx: &PaneContext<'_>) -> Vec<String> {
        let Some(stats) = self.stats.value() else { return Vec::new() };
        let age = self.stats.failed_age(cx.now).map(|age| format!("✗ {age}"));
        if cx.network.is_development() {
            return age.into_iter().collect(); // it mines when it is asked to
        }
        let time = stats.block_time().map(|time| {
            let tenths = time.as_millis() / 100;
            let seconds = &format!("{}.{}", tenths / 10, tenths % 10);
            let is_wide = width >= MIN_BLOCK_TIME_WIDTH;
            let note = if is_wide {
                StartNote::BlockTime { seconds }
            } else {
                StartNote::ShortBlockTime { seconds }
            };
            note.to_string()
        });
        age.into_iter().chain(time).chain(load_note(&stats.load)).collect()
    }

    /// Describes the price of gas and of the coin, and the number of transactions, with a chart of the
    /// days.
    fn vitals(&self, width: u16, cx: &PaneContext<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(stats) = self.stats.value() {
            let is_wide = width >= WIDE;
            notes.extend(self.stats.failed_age(cx.now).map(|age| format!("✗ {age}")));
            notes.extend(stats.gas_prices.value().and_then(|prices| gas_note(prices, is_wide)));
            let price = &stats.coin_price;
            if let (Some(symbol), false) = (&cx.network.symbol, matches!(price, Field::Absent)) {
                let shown = price.display_with(|price| price.readable().text.into());
                notes.push(format!("{symbol} ${shown}"));
            }
            let all = stats.total_transactions.value();
            notes.extend(all.map(|all| match Grouped(*all) {
                count if is_wide => StartNote::AllTransactions { count }.to_string(),
                count => format!("{count} tx"),
            }));
        }
        if let Some(DailyTransactions(days)) = self.days.value()
            && days.len() > 1
        {
            let newest = days.get(days.len().saturating_sub(DAYS)..).unwrap_or_default();
            notes.push(StartNote::Daily { chart: &sparkline(newest) }.to_string());
        }
        notes
    }
}

/// Returns `true` if the box at the top has the prices of gas and coin, and the number of transactions.
fn has_vitals_above(cx: &PaneContext<'_>) -> bool {
    cx.area.width >= MIN_VITALS_WIDTH
}

/// Returns the section of an address's balance.
fn balance_of(
    balances: &mut HashMap<Address, Section<AddressInfo>>,
    address: Address,
) -> &mut Section<AddressInfo> {
    let query = Query::Address(address, AddressQuery::Details);
    balances.entry(address).or_insert_with(|| Section::new(query, Priority::Refresh))
}

/// Describes the load of blocks, if it was sent.
fn load_note(load: &Field<Decimal>) -> Option<String> {
    let percent = |load: Decimal| {
        let units = u64::try_from(load.floor_to_units(LOAD_DECIMALS)?).ok()?;
        Percent::of(units, FULL_LOAD).filter(|_| units <= FULL_LOAD)
    };
    let percent = match load {
        Field::Absent => return None,
        Field::Present(load) => percent(*load),
        Field::Invalid(_) => None,
    };
    let known = percent.map(|percent| StartNote::Load { percent });
    Some(known.unwrap_or(StartNote::UnknownLoad).to_string())
}

/// Describes the usual price of gas, if it was sent, and, if there is space, the prices of slow and fast
/// transactions.
fn gas_note(GasPrices { slow, average, fast }: &GasPrices, is_wide: bool) -> Option<String> {
    if matches!(average, Field::Absent) {
        return None;
    }
    let [slow, average, fast] = [slow, average, fast].map(|price| {
        price.display_with(|GasPrice(price)| price.readable().text.into()).into_owned()
    });
    let range = if slow == fast || !is_wide {
        String::new()
    } else {
        format!(" (slow {slow}, fast {fast})")
    };
    Some(format!("gas {average} gwei{range}"))
}

/// Joins the notes that fit, also after a longer one that does not.
fn notes_that_fit(notes: Vec<String>, space: usize) -> String {
    notes.into_iter().fold(String::new(), |line, note| {
        let dot = if line.is_empty() { "" } else { " · " };
        let longer = [&*line, dot, &*note].concat();
        if width(&longer) <= space { longer } else { line }
    })
}
