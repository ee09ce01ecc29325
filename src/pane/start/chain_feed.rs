//! What is new on the chain, on the start page: its latest blocks and transactions, gas prices and
//! load, and the balances of watched addresses. It is asked for again while it is looked at.

use std::collections::HashMap;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect};

use super::rows::{StartRow, feed_rows};
use crate::api::address::AddressRef;
use crate::api::blocks::Block;
use crate::api::stats::{DailyTransactions, GasPrice, Stats};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{ApiError, Field, Page, Query, Reply};
use crate::chain::amount::group_digits;
use crate::chain::network::Endpoint;
use crate::chain::{Address, BlockId, Timestamp, U256};
use crate::msg::Priority;
use crate::pane::header::HeaderSection;
use crate::pane::{Command, PaneContext};
use crate::ui::format::{cut, width};
use crate::ui::frame::{draw_frame, draw_frame_status, draw_frame_title};
use crate::ui::plot::{bar, sparkline};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// Minimum time between two requests for the same, so that a server's limits are far away.
const MIN_POLL_INTERVAL: Duration = Duration::from_secs(10);
const MAX_POLL_INTERVAL: Duration = Duration::from_mins(1);
/// How often ages are drawn.
const AGE_INTERVAL: Duration = Duration::from_mins(1);
/// Watched addresses whose balances are asked for.
const MAX_BALANCES: usize = 8;
/// From this width of a frame on there is space for every number.
const WIDE: u16 = 55;
/// The rows that servers send at least of what their own start page shows: so many blocks.
const SHORT_LIST_ROWS: usize = 4;
const GAS_BAR_WIDTH: usize = 6;
const DAYS: usize = 14;

#[derive(Debug, Default)]
pub(super) struct ChainFeed {
    blocks: HeaderSection<Page<Block>>,
    transactions: HeaderSection<Page<Transaction>>,
    stats: HeaderSection<Box<Stats>>,
    days: HeaderSection<DailyTransactions>,
    balances: HashMap<Address, Field<U256>>,
    is_stopped: bool,
    /// Whether more rows were asked for than the start page of a server has.
    is_long: bool,
    /// How the chain's new blocks become known.
    source: BlockSource,
    /// When it was asked for last. `None` if it was not.
    asked_at: Option<Timestamp>,
    in_flight: usize,
    /// Whether the chain advanced meanwhile.
    is_behind: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum BlockSource {
    /// The demo chain makes none.
    #[default]
    None,
    Polled,
    /// The chain of a node tells of them by itself.
    Pushed,
}

impl ChainFeed {
    pub(super) fn is_busy(&self) -> bool {
        self.in_flight > 0
    }

    /// Asks for everything that was not asked for yet.
    pub(super) fn request(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.asked_at.is_some() {
            return Vec::new();
        }
        let days = self.days.request(Query::DailyTransactions);
        let commands: Vec<Command> = days.into_iter().chain(self.update(cx)).collect();
        self.in_flight = commands.len();
        commands
    }

    /// Asks again for what changes with each block. What is shown stays until the replies come.
    fn update(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.is_behind = self.is_busy();
        if self.is_behind {
            return Vec::new();
        }
        self.asked_at = Some(cx.now);
        self.source = match cx.network.endpoint {
            Endpoint::Embedded => BlockSource::None,
            Endpoint::Remote(_) => BlockSource::Polled,
            Endpoint::Node(_) | Endpoint::Undecided(_) => BlockSource::Pushed,
        };
        self.is_long = feed_rows(cx) > SHORT_LIST_ROWS;
        let lists = if self.is_long {
            [Query::Blocks, Query::ChainTransactions, Query::Stats]
        } else {
            [Query::LatestBlocks, Query::LatestTransactions, Query::Stats]
        };
        let watched = cx.name_cache.labels().watched().take(MAX_BALANCES).map(Query::Address);
        let queries = lists.into_iter().chain(watched);
        let commands: Vec<Command> =
            queries.map(|query| Command::fetch(query, None, Priority::Refresh)).collect();
        self.in_flight = commands.len();
        commands
    }

    /// Asks for longer lists if there is space for them now.
    pub(super) fn on_resize(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_short = self.asked_at.is_some() && !self.is_long;
        if is_short && feed_rows(cx) > SHORT_LIST_ROWS { self.update(cx) } else { Vec::new() }
    }

    /// Asks for the balances of addresses that are watched since.
    pub(super) fn request_balances(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let watched = cx.name_cache.labels().watched().take(MAX_BALANCES);
        let unknown: Vec<Address> = watched.filter(|it| !self.balances.contains_key(it)).collect();
        if self.asked_at.is_none() {
            return Vec::new();
        }
        self.in_flight += unknown.len();
        self.balances.extend(unknown.iter().map(|address| (*address, Field::Absent)));
        let queries = unknown.into_iter().map(Query::Address);
        queries.map(|query| Command::fetch(query, None, Priority::Refresh)).collect()
    }

    /// Gives up what is in flight. What never came is asked for when the page is shown again.
    pub(super) fn cancel(&mut self) {
        self.in_flight = 0;
        self.days.cancel();
        if matches!(self.blocks, HeaderSection::NotRequested) {
            self.asked_at = None;
        }
    }

    pub(super) fn toggle(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.is_stopped ^= true;
        if self.is_stopped {
            return vec![Command::Notify("live off".into())];
        }
        let notice = Command::Notify("live: what is new appears by itself".into());
        [vec![notice], self.update(cx)].concat()
    }

    pub(super) fn refresh(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if matches!(self.days, HeaderSection::Failed(_)) {
            self.days = HeaderSection::NotRequested;
        }
        let days = self.days.request(Query::DailyTransactions);
        let commands: Vec<Command> = days.into_iter().chain(self.update(cx)).collect();
        self.in_flight = self.in_flight.max(commands.len());
        commands
    }

    /// Returns how long to wait between two requests: no less than the chain takes for a block.
    fn poll_interval(&self) -> Duration {
        let block_time = self.stats.value().and_then(|stats| stats.block_time());
        block_time.unwrap_or_default().clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL)
    }

    /// Returns how often it wants a tick.
    pub(super) fn tick_interval(&self) -> Option<Duration> {
        self.asked_at?;
        match self.source {
            BlockSource::None => None,
            BlockSource::Polled if !self.is_stopped => Some(self.poll_interval()),
            BlockSource::Polled | BlockSource::Pushed => Some(AGE_INTERVAL),
        }
    }

    pub(super) fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_polled = self.source == BlockSource::Polled && cx.has_focus;
        let waited = self.asked_at.map(|then| cx.now.duration_since(then).unsigned_abs());
        let is_due = waited.is_some_and(|waited| waited >= self.poll_interval());
        if is_polled && is_due && !self.is_stopped && !self.is_busy() {
            self.update(cx)
        } else {
            Vec::new()
        }
    }

    pub(super) fn on_chain_advanced(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_live = self.asked_at.is_some() && !self.is_stopped;
        if is_live { self.update(cx) } else { Vec::new() }
    }

    pub(super) fn on_reply(
        &mut self,
        query: &Query,
        reply: Result<Reply, ApiError>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        self.in_flight = self.in_flight.saturating_sub(1);
        match query {
            Query::LatestBlocks | Query::Blocks => self.blocks.set(reply, Reply::try_as_blocks),
            Query::LatestTransactions | Query::ChainTransactions => {
                self.transactions.set(reply, Reply::try_as_transactions);
            }
            Query::Stats => self.stats.set(reply, Reply::try_as_stats),
            Query::DailyTransactions => self.days.set(reply, Reply::try_as_daily_transactions),
            Query::Address(address) => {
                if let Ok(Reply::Address(info)) = reply {
                    self.balances.insert(*address, info.coin_balance);
                }
            }
            _ => {}
        }
        let is_behind = !self.is_busy() && std::mem::take(&mut self.is_behind);
        if is_behind { self.update(cx) } else { Vec::new() }
    }

    /// Forgets what blocks that are gone said.
    pub(super) fn forget(&mut self) {
        *self = Self { is_stopped: self.is_stopped, ..Self::default() };
    }

    /// Returns the rows that the cursor can be on: the blocks, then the transactions.
    pub(super) fn rows(&self, cx: &PaneContext<'_>) -> Vec<StartRow> {
        let most = feed_rows(cx);
        let blocks = loaded(&self.blocks).take(most).filter_map(block_row);
        let transactions = loaded(&self.transactions).take(most);
        blocks.chain(transactions.map(|it| StartRow::Transaction(it.hash))).collect()
    }

    /// Returns the row at a place on the screen.
    pub(super) fn row_at(&self, at: Position, frames: [Rect; 2]) -> Option<StartRow> {
        let line = |frame: Rect| {
            let rows = frame.inner(Margin::new(1, 1));
            rows.contains(at).then(|| usize::from(at.y - rows.y))
        };
        match frames.map(line) {
            [Some(line), _] => loaded(&self.blocks).nth(line).and_then(block_row),
            [_, line] => {
                let transaction = loaded(&self.transactions).nth(line?)?;
                Some(StartRow::Transaction(transaction.hash))
            }
        }
    }

    /// Returns the balance of a watched address, if the server told it.
    pub(super) fn balance(&self, address: &Address, cx: &PaneContext<'_>) -> Option<String> {
        let wei = *self.balances.get(address)?.value()?;
        let amount = cx.format.unit.format_readable(wei, cx.network).text;
        Some(format!("{amount} {}", cx.format.unit.name(cx.network)))
    }

    pub(super) fn view(
        &self,
        frames: [Rect; 2],
        selected: Option<StartRow>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let live = if self.is_stopped { " · live off" } else { "" };
        let titles = [format!("Latest blocks{live}"), "Latest transactions".to_owned()];
        let notes = [self.chain_note(frames[0].width), self.count_note(cx)];
        let is_selected = [
            matches!(selected, Some(StartRow::Block(_))),
            matches!(selected, Some(StartRow::Transaction(_))),
        ];
        for (((frame, title), note), is_selected) in
            frames.into_iter().zip(titles).zip(notes).zip(is_selected)
        {
            let border = if is_selected { cx.styles.border() } else { cx.styles.of(Role::Border) };
            draw_frame(buf, frame, border);
            draw_frame_title(buf, frame, &title, cx.styles.in_frame(Role::Title));
            if !note.is_empty() {
                draw_frame_status(buf, frame, &note, cx.styles.in_frame(Role::Dim));
            }
        }
        let [left, right] = frames.map(|frame| frame.inner(Margin::new(1, 1)));
        let blocks = FeedList { section: &self.blocks, row: block_row, pieces: block_pieces };
        blocks.draw(left, selected, cx, buf);
        let row = |it: &Transaction| Some(StartRow::Transaction(it.hash));
        let list = FeedList { section: &self.transactions, row, pieces: transaction_pieces };
        list.draw(right, selected, cx, buf);
    }

    /// Says how fast the chain is, what gas costs and how full blocks are.
    fn chain_note(&self, width: u16) -> String {
        let Some(stats) = self.stats.value() else { return String::new() };
        let mut notes = Vec::new();
        if let Some(time) = stats.block_time().filter(|_| width >= WIDE) {
            let tenths = time.as_millis() / 100;
            notes.push(format!("{}.{} s a block", tenths / 10, tenths % 10));
        }
        let price = |price: &Field<GasPrice>| {
            price.display_with(|GasPrice(price)| price.readable().text.into()).into_owned()
        };
        if let Some(prices) = stats.gas_prices.value() {
            let [slow, average, fast] = [&prices.slow, &prices.average, &prices.fast].map(price);
            notes.push(if slow == fast || width < WIDE {
                format!("gas {average} gwei")
            } else {
                format!("gas {slow} · {average} · {fast} gwei")
            });
        }
        if let Some(load) = stats.load.value().and_then(|load| load.floor_to_units(0)) {
            notes.push(format!("load {load}%"));
        }
        notes.join(" · ")
    }

    /// Says how many transactions there are, and draws those of each day.
    fn count_note(&self, cx: &PaneContext<'_>) -> String {
        let mut notes = Vec::new();
        if let Some(stats) = self.stats.value() {
            if let (Some(price), Some(symbol)) = (stats.coin_price.value(), &cx.network.symbol) {
                notes.push(format!("{symbol} ${}", price.readable().text));
            }
            let all = stats.total_transactions.value();
            notes.extend(all.map(|all| format!("{} tx", group_digits(&all.to_string()))));
        }
        if let Some(DailyTransactions(days)) = self.days.value()
            && days.len() > 1
        {
            let newest = days.get(days.len().saturating_sub(DAYS)..).unwrap_or_default();
            notes.push(format!("a day {}", sparkline(newest)));
        }
        notes.join(" · ")
    }
}

fn loaded<T>(section: &HeaderSection<Page<T>>) -> impl Iterator<Item = &T> {
    let items = section.value().into_iter().flat_map(|page| &page.items);
    items.filter_map(|item| item.parsed.as_ref().ok())
}

fn block_row(block: &Block) -> Option<StartRow> {
    Some(StartRow::Block(BlockId::Number(*block.number.value()?)))
}

type FeedPiece = (String, Role);

struct FeedList<'a, T> {
    section: &'a HeaderSection<Page<T>>,
    row: fn(&T) -> Option<StartRow>,
    pieces: fn(&T, usize, &PaneContext<'_>) -> Vec<FeedPiece>,
}

impl<T> FeedList<'_, T> {
    fn draw(&self, area: Rect, selected: Option<StartRow>, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let note = match self.section {
            HeaderSection::Failed(why) => format!("not available: {why}"),
            HeaderSection::Loaded(page) if page.items.is_empty() => "none yet".to_owned(),
            HeaderSection::Loaded(_) => String::new(),
            HeaderSection::NotRequested | HeaderSection::Loading => "loading…".to_owned(),
        };
        let space = usize::from(area.width);
        draw_pieces(buf, area, [(&*cut(&note, space), cx.styles.of(Role::Dim))]);
        for (item, line) in loaded(self.section).zip(area.rows()) {
            let pieces = (self.pieces)(item, space, cx);
            draw_pieces(
                buf,
                line,
                pieces.iter().map(|(text, role)| (&**text, cx.styles.of(*role))),
            );
            if selected.is_some() && (self.row)(item) == selected {
                draw_selection(buf, line, cx.styles.selection());
            }
        }
    }
}

/// Puts `end` at the right edge of a line.
fn with_end(mut pieces: Vec<FeedPiece>, end: String, space: usize) -> Vec<FeedPiece> {
    let used: usize = pieces.iter().map(|(text, _)| width(text)).sum();
    let gap = space.saturating_sub(used + width(&end) + 1);
    pieces.push((" ".repeat(gap), Role::Plain));
    pieces.push((end, Role::Dim));
    pieces
}

fn age(then: &Field<Timestamp>, cx: &PaneContext<'_>) -> String {
    then.display_with(|then| cx.format.short_time(*then, cx.now, 0).into()).into_owned()
}

fn block_pieces(block: &Block, space: usize, cx: &PaneContext<'_>) -> Vec<FeedPiece> {
    let number = block.number.display_with(|number| number.to_string().into());
    let count = block.transactions_count.display_with(|n| group_digits(&n.to_string()).into());
    let gas = block.gas_percent().map_or_else(
        || "?".to_owned(),
        |percent| {
            let gas = bar(U256::from(percent), U256::from(100), GAS_BAR_WIDTH);
            format!("{gas} {percent}%")
        },
    );
    let pieces = vec![
        (format!(" {number:<10}"), Role::Link),
        (format!("{:>8}  ", format!("{count} tx")), Role::Plain),
        (gas, Role::Dim),
    ];
    with_end(pieces, age(&block.timestamp, cx), space)
}

fn transaction_pieces(
    transaction: &Transaction,
    space: usize,
    cx: &PaneContext<'_>,
) -> Vec<FeedPiece> {
    let (mark, role) = match transaction.outcome() {
        TransactionOutcome::Ok => (" ", Role::Plain),
        TransactionOutcome::OkInnerFailure => ("!", Role::Warning),
        TransactionOutcome::Failed => ("✗", Role::Failed),
        TransactionOutcome::Pending => ("…", Role::Dim),
        TransactionOutcome::Unknown => ("?", Role::Warning),
    };
    let method = transaction.known_method().display_with(|method| Into::into(&**method));
    let age = age(&transaction.timestamp, cx);
    let party = |party: &Field<AddressRef>| {
        party.display_with(|party| cx.short_name(&party.hash).into()).into_owned()
    };
    let to = if transaction.to.value().is_some() { &transaction.to } else { transaction.created() };
    let parties = format!("{} → {}", party(&transaction.from), party(to));
    let method = cut(&method, 12).into_owned();
    let left = space.saturating_sub(16 + width(&age) + 1);
    let pieces = vec![
        (mark.to_owned(), role),
        (format!(" {method}{} ", " ".repeat(12_usize.saturating_sub(width(&method)))), Role::Plain),
        (cut(&parties, left).into_owned(), Role::Link),
    ];
    with_end(pieces, age, space)
}
