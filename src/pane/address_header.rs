//! The header above the tabs of an address: names, kind, balance and counts. Not every server
//! answers these requests; missing values are `?`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::header::{HeaderPiece, HeaderSection, draw_facts, draw_names, user_pieces};
use super::{Availability, Command, Pane, PaneContext, PaneEvent, PaneKind, PaneState};
use crate::action::Action;
use crate::api::address::{AddressCounters, AddressInfo};
use crate::api::{ApiError, Field, Query, Reply};
use crate::chain::abbreviate::abbreviate;
use crate::chain::{Address, Timestamp, TxHash, amount};
use crate::msg::Priority;
use crate::safety::name_marks::{guard_name, is_quoted};
use crate::sanitize::SafeText;
use crate::ui::age::span;
use crate::ui::format::width;
use crate::ui::plot::{histogram, sparkline};
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// How long a server may take to count what it had not counted yet.
const RECOUNT_DELAY: Duration = Duration::from_secs(2);
const ACTIVITY_COLUMNS: usize = 12;

#[derive(Debug)]
pub struct AddressHeader {
    address: Address,
    info: HeaderSection<Box<AddressInfo>>,
    counters: HeaderSection<AddressCounters>,
    recount: Recount,
    has_transactions: bool,
    has_token_transfers: bool,
    /// How many the whole list of token transfers has: a batch is counted as one by servers.
    listed_transfers: u64,
    /// The loaded transactions, and how many of them fall into each part of their time.
    transactions: HashMap<TxHash, Timestamp>,
    activity: Vec<u64>,
    epoch: u32,
    /// The number of requests in flight.
    in_flight: usize,
    /// Whether the chain advanced meanwhile.
    is_behind: bool,
}

/// Whether zeros that cannot be true were asked for again.
#[derive(Debug, PartialEq, Eq)]
enum Recount {
    NotRequested,
    Delayed,
    Requested,
}

impl AddressHeader {
    pub fn new(address: Address) -> Self {
        Self {
            address,
            info: HeaderSection::default(),
            counters: HeaderSection::default(),
            recount: Recount::NotRequested,
            has_transactions: false,
            has_token_transfers: false,
            listed_transfers: 0,
            transactions: HashMap::new(),
            activity: Vec::new(),
            epoch: 0,
            in_flight: 0,
            is_behind: false,
        }
    }

    fn is_no_token(&self, cx: &PaneContext<'_>) -> bool {
        let has_none = self.info.value().is_some_and(|info| info.token.value().is_none());
        has_none && cx.name_cache.name(&self.address).is_none_or(|name| name.token.is_none())
    }

    fn fetch(&mut self) -> Vec<Command> {
        let info = self.info.request(Query::Address(self.address));
        let counters = self.counters.request(Query::Counters(self.address));
        let mut commands: Vec<Command> = info.into_iter().chain(counters).collect();
        self.in_flight += commands.len();
        commands.extend(self.delay_recount());
        commands
    }

    /// Asks again. What is shown stays until the replies come.
    fn update(&mut self) -> Vec<Command> {
        self.is_behind = self.is_busy();
        if self.is_behind {
            return Vec::new();
        }
        let queries = [Query::Address(self.address), Query::Counters(self.address)];
        self.in_flight = queries.len();
        queries.map(|query| Command::fetch(query, None, Priority::Refresh)).into()
    }

    /// Returns whether a list or the address contradicts a zero: a server answers all zeros while it
    /// is still counting.
    fn has_false_zeros(&self) -> bool {
        let is_zero = |count: &Field<u64>| count.value() == Some(&0);
        let Some(counters) = self.counters.value() else { return false };
        (self.has_transactions && is_zero(&counters.transactions))
            || (self.has_token_transfers && is_zero(&counters.token_transfers))
    }

    /// Asks once more, a little later, if the counters cannot be true.
    fn delay_recount(&mut self) -> Option<Command> {
        if self.recount != Recount::NotRequested || !self.has_false_zeros() {
            return None;
        }
        self.recount = Recount::Delayed;
        Some(Command::Wake(RECOUNT_DELAY))
    }

    fn badges(&self) -> Vec<HeaderPiece<'_>> {
        let info = match &self.info {
            HeaderSection::Loaded(info) => info,
            HeaderSection::Failed(error) => {
                return vec![(format!("details unavailable: {error}").into(), Role::Dim)];
            }
            _ => return vec![("…".into(), Role::Dim)],
        };
        let address = &info.address;
        let mut marks: Vec<HeaderPiece<'_>> = Vec::new();
        let scam = address.reputation.value().is_some_and(|r| **r == *"scam");
        if scam || address.is_scam.value() == Some(&true) {
            marks.push(("SCAM".into(), Role::Failed));
        }
        let kind = |kind: &'static str| (kind.into(), Role::Plain);
        let proxy = address.proxy_type.value();
        marks.push(match (&address.is_contract, info.token.value()) {
            (_, Some(token)) => {
                let symbol =
                    token.symbol.display_with(|s| guard_name(s.clone()).to_string().into());
                let kind = token.kind.display_with(|k| Cow::Borrowed(k));
                (format!("{kind} {symbol}").into(), Role::Plain)
            }
            (Field::Present(true), _) if proxy.is_some_and(|kind| **kind == *"eip7702") => {
                kind("account with code")
            }
            (Field::Present(true), _) => kind("contract"),
            (Field::Present(false), _) => kind("account"),
            _ => ("?".into(), Role::Dim),
        });
        match &address.is_verified {
            Field::Present(true) => marks.push(("verified".into(), Role::Ok)),
            Field::Present(false) if address.is_contract.value() != Some(&false) => {
                marks.push(("not verified".into(), Role::Warning));
            }
            _ => {}
        }
        marks.extend(proxy.map(|kind| (proxy_badge(kind, info).into(), Role::Plain)));
        marks
    }

    fn balance_line(&self, cx: &PaneContext<'_>) -> String {
        let unit = cx.format.unit;
        let decimals = unit.decimals(cx.network.decimals);
        let balance = self.info.show(|info| {
            info.coin_balance.display_with(|wei| amount::format_exact(*wei, decimals).into())
        });
        let has_false_zeros = self.has_false_zeros();
        let number = |n: &u64| match n {
            0 if has_false_zeros => "?".into(),
            n => amount::group_digits(&n.to_string()).into(),
        };
        let count = |field: fn(&AddressCounters) -> &Field<u64>| {
            self.counters.show(|c| match field(c) {
                Field::Absent => "?".into(), // there is a count, but it is unknown
                count => count.display_with(number),
            })
        };
        let is_token = self.info.value().is_some_and(|info| info.token.value().is_some());
        // Those of the token itself are in its tab, and not counted.
        let is_zero = self.counters.value().is_some_and(|c| c.token_transfers.value() == Some(&0));
        let counted = count(|c| &c.token_transfers);
        let one = self.counters.value().and_then(|c| c.token_transfers.value());
        let transfers = if is_token || (is_zero && !has_false_zeros) {
            String::new()
        } else if one.is_some_and(|count| *count < self.listed_transfers) {
            format!(" · ~{counted} token transfers by the server's count")
        } else {
            let plural = if one == Some(&1) { "" } else { "s" };
            format!(" · {counted} token transfer{plural}")
        };
        format!("{balance} {}{transfers}", unit.name(cx.network))
    }

    /// Draws when the loaded transactions were.
    fn activity_text(&self) -> String {
        let times = self.transactions.values();
        let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
            return String::new();
        };
        let count = amount::group_digits(&self.transactions.len().to_string());
        format!("{} {count} loaded tx in {} ", sparkline(&self.activity), span(*first, *last))
    }

    fn names(&self) -> Vec<&SafeText> {
        let Some(info) = self.info.value() else { return Vec::new() };
        let address = &info.address;
        let given = [&address.ens, &address.name, &address.implementation_name];
        given.into_iter().filter_map(Field::value).chain(&address.tags).collect()
    }
}

/// `proxy (eip1967) of Vault`.
fn proxy_badge(kind: &SafeText, info: &AddressInfo) -> String {
    let behind = info.address.implementations.value().into_iter().flatten();
    let names: Vec<String> = behind
        .filter_map(|i| match (i.name.value(), i.address.value()) {
            (Some(name), Some(address)) if is_quoted(name) => {
                Some(format!("{name} {}", abbreviate(address)))
            }
            (Some(name), _) => Some(name.to_string()),
            (None, Some(address)) => Some(address.to_string()),
            (None, None) => None,
        })
        .collect();
    match names.as_slice() {
        [] => format!("proxy ({kind})"),
        names => format!("proxy ({kind}) of {}", names.join(", ")),
    }
}

impl Pane for AddressHeader {
    fn activate(&mut self, _: &PaneContext<'_>) -> Vec<Command> {
        self.fetch()
    }

    fn deactivate(&mut self) {
        if self.is_busy() {
            self.epoch += 1;
            self.in_flight = 0;
        }
        self.info.cancel();
        self.counters.cancel();
        if self.recount == Recount::Delayed {
            self.recount = Recount::NotRequested;
        }
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Token if self.is_no_token(cx) => {
                Availability::Disabled("this address is no token that is known here")
            }
            Action::Interrupt => Availability::supported_if(self.is_busy()),
            Action::Refresh => Availability::Enabled,
            _ => Availability::Unsupported,
        }
    }

    fn act(&mut self, action: Action, _: &PaneContext<'_>) -> Vec<Command> {
        if action == Action::Interrupt {
            self.deactivate();
            return vec![Command::cancel()];
        }
        self.epoch += 1;
        self.in_flight = 0;
        self.info = HeaderSection::NotRequested;
        self.counters = HeaderSection::NotRequested;
        self.recount = Recount::NotRequested;
        [vec![Command::cancel()], self.fetch()].concat()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply { query, reply } => {
                self.on_reply(query, reply);
                self.in_flight = self.in_flight.saturating_sub(1);
                if !self.is_busy() && self.is_behind {
                    return self.update();
                }
            }
            PaneEvent::Listed { query, transactions, total } => {
                self.on_listed(query, transactions, total);
            }
            PaneEvent::ChainAdvanced => return self.update(),
            PaneEvent::ChainSetBack => {
                self.transactions.clear();
                return self.act(Action::Refresh, cx);
            }
            PaneEvent::Woken if self.recount == Recount::Delayed => {
                self.recount = Recount::Requested;
                self.counters = HeaderSection::NotRequested;
                return self.fetch();
            }
            _ => {}
        }
        self.delay_recount().into_iter().collect()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
        let mut pieces = user_pieces(&self.address, cx);
        pieces.extend(self.names().into_iter().map(|name| ((&**name).into(), Role::Title)));
        pieces.extend(self.badges());
        draw_names(first, &pieces, &self.address.to_string(), cx, buf);
        let similar = cx.find_lookalike(&self.address);
        let warning = similar.map(|it| format!("! {}", it.describe())).unwrap_or_default();
        let space = draw_facts(second, &warning, &self.balance_line(cx), cx, buf);
        let activity = self.activity_text();
        let columns = u16::try_from(width(&activity)).unwrap_or(u16::MAX);
        if columns > 0 && columns.saturating_add(1) < space.width {
            let at = Rect { x: space.right() - columns, width: columns, ..space };
            draw_text(buf, at, &activity, cx.styles.of(Role::Dim));
        }
    }

    fn row_count(&self, kind: PaneKind) -> Option<u64> {
        let counters = self.counters.value()?;
        let count = counters.transactions.value().filter(|_| kind == PaneKind::Transactions)?;
        (*count > 0 || !self.has_false_zeros()).then_some(*count)
    }

    fn state(&self) -> PaneState {
        PaneState { epoch: self.epoch, is_busy: self.is_busy(), ..PaneState::default() }
    }
}

impl AddressHeader {
    fn on_reply(&mut self, query: &Query, reply: Result<Reply, ApiError>) {
        match query {
            Query::Address(_) => self.info.set(reply, Reply::try_as_address),
            Query::Counters(_) => self.counters.set(reply, Reply::try_as_counters),
            _ => {}
        }
        let has_token_transfers = self.info.value().map(|info| info.has_token_transfers.value());
        self.has_token_transfers |= has_token_transfers == Some(Some(&true));
    }

    fn on_listed(
        &mut self,
        query: &Query,
        transactions: &[(TxHash, Timestamp)],
        total: Option<u64>,
    ) {
        if query.viewed_address() == Some(self.address) {
            self.transactions.extend(transactions.iter().copied());
            let times = self.transactions.values().map(|time| time.as_second());
            self.activity = histogram(times, ACTIVITY_COLUMNS);
            self.has_transactions |= matches!(query, Query::Transactions { .. });
            if let Query::TokenTransfers { .. } = query {
                self.has_token_transfers = true;
                self.listed_transfers = total.unwrap_or(self.listed_transfers);
            }
        }
    }

    fn is_busy(&self) -> bool {
        self.in_flight > 0
    }
}
