//! The header above the tabs of an address: names, kind and balance. Not every explorer
//! answers these requests; missing values are `?`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::cells::{HeaderCell, HeaderCursor, draw_cells, lay_out};
use super::{
    HeaderPiece, draw_facts, draw_names, hidden_characters_note, rating_piece, user_pieces,
};
use crate::action::Action;
use crate::api::endpoints::address::{
    AddressCounters, AddressInfo, AddressTabCounters, MAX_TAB_COUNT,
};
use crate::api::transactions::Transaction;
use crate::api::{AddressQuery, ApiError, Field, Item, Query, ReplyResult, TransactionQuery};
use crate::app_message::Priority;
use crate::chain::fiat_value::FiatValue;
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, abbreviate};
use crate::chain::network::Endpoint;
use crate::chain::significant_digits::format_to_cents;
use crate::chain::{Address, Timestamp, TxHash, amount};
use crate::columns::common::dollars;
use crate::messages::Count;
use crate::messages::page::{self, PageMessage};
use crate::messages::token;
use crate::pane::section::Section;
use crate::pane::{
    Availability, Command, Pane, PaneContext, PaneEvent, PaneKind, PaneState, RowCount,
};
use crate::safety::name_marks::{guard_name, is_quoted};
use crate::sanitize::SafeText;
use crate::ui::age::rough_span;
use crate::ui::charts::{histogram, sparkline};
use crate::ui::document::{EntryCell, EntryLink};
use crate::ui::format::width;
use crate::ui::marked_text::MarkedText;
use crate::ui::table::TableCell;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Time that an explorer may take for counts that it has not made yet.
const RECOUNT_DELAY: Duration = Duration::from_secs(2);
const ACTIVITY_COLUMNS: usize = 12;
const VERIFIED: &str = "verified";
/// Columns between two names.
const NAME_GAP: usize = 2;
/// Columns after a warning.
const WARNING_GAP: usize = 2;
/// Transactions whose times are drawn: as many as a page has, so that further pages do not change the header.
const MAX_ACTIVITY_TRANSACTIONS: usize = 50;

#[derive(Debug)]
pub struct AddressHeader {
    address: Address,
    info: Section<AddressInfo>,
    counters: Section<AddressCounters>,
    tab_counters: Section<AddressTabCounters>,
    /// The transaction that created the contract, once that is known.
    creation: Option<Section<Arc<Item<Transaction>>>>,
    cursor: HeaderCursor,
    recount: Recount,
    has_transactions: bool,
    /// The newest transactions, and their number in each part of their time.
    transactions: BTreeSet<(Timestamp, TxHash)>,
    activity: Vec<u64>,
    /// `true` if the chain has advanced while requests were in flight.
    is_behind: bool,
}

/// State of another request for zeros that cannot be true.
#[derive(Debug, PartialEq, Eq)]
enum Recount {
    NotRequested,
    Delayed,
    Requested,
}

impl AddressHeader {
    pub fn new(address: Address) -> Self {
        let query = |query| Query::Address(address, query);
        Self {
            address,
            info: Section::new(query(AddressQuery::Details), Priority::Interactive),
            counters: Section::new(query(AddressQuery::Counters), Priority::Idle),
            tab_counters: Section::new(query(AddressQuery::TabCounters), Priority::Idle),
            creation: None,
            cursor: HeaderCursor::default(),
            recount: Recount::NotRequested,
            has_transactions: false,
            transactions: BTreeSet::new(),
            activity: Vec::new(),
            is_behind: false,
        }
    }

    fn is_no_token(&self, cx: &PaneContext<'_>) -> bool {
        let has_none = match self.info.value() {
            Some(info) => info.token.value().is_none(),
            None => matches!(self.info.failure(), Some(ApiError::Unreachable { .. })),
        };
        has_none && cx.name_cache.name(&self.address).is_none_or(|name| name.token.is_none())
    }

    /// Requests the counts of other tabs, and the time of the creation, once the explorer has answered.
    fn fetch_rest(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let Some(info) = self.info.value() else { return Vec::new() };
        let details = info
            .creation_transaction
            .value()
            .filter(|_| info.is_contract())
            .filter(|hash| creation_time(hash, cx).is_none())
            .map(|hash| Query::Transaction(*hash, TransactionQuery::Details));
        let creation = details.and_then(|query| {
            self.creation.get_or_insert_with(|| Section::new(query, Priority::Idle)).request()
        });
        self.tab_counters.request().into_iter().chain(creation).collect()
    }

    /// Requests the data again. The old data stays visible until the replies come.
    fn update(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.is_behind = cx.is_busy;
        if self.is_behind {
            return Vec::new();
        }
        // An explorer's are not worth a request for each change of a live list.
        if cx.network.endpoint.is_node() { self.refresh() } else { self.refresh_details() }
    }

    fn refresh_details(&mut self) -> Vec<Command> {
        vec![self.info.refresh(), self.counters.refresh()]
    }

    fn refresh(&mut self) -> Vec<Command> {
        [self.refresh_details(), vec![self.tab_counters.refresh()]].concat()
    }

    /// Returns `true` if the list or another counter makes a zero doubtful: an explorer answers zero
    /// while it is still counting.
    fn has_doubtful_zero(&self) -> bool {
        let Some(counters) = self.counters.value() else { return false };
        let others = [&counters.gas_used, &counters.token_transfers];
        let is_used = others.into_iter().any(|count| count.value().is_some_and(|n| *n > 0));
        counters.transactions.value() == Some(&0) && (self.has_transactions || is_used)
    }

    /// Requests the counters once more, a little later, if they cannot be true.
    fn delay_recount(&mut self) -> Option<Command> {
        if self.recount != Recount::NotRequested || !self.has_doubtful_zero() {
            return None;
        }
        self.recount = Recount::Delayed;
        Some(Command::Wake(RECOUNT_DELAY))
    }

    fn badges(&self, cx: &PaneContext<'_>) -> Vec<HeaderPiece<'_>> {
        let failure = self.info.failure_piece(cx);
        let Some(info) = self.info.value() else {
            return vec![failure.unwrap_or(("…".into(), Role::Dim))];
        };
        let address = &info.address;
        let mut marks: Vec<HeaderPiece<'_>> = Vec::new();
        let scam = address.reputation.value().is_some_and(|r| r == "scam");
        if scam || address.is_scam.value() == Some(&true) {
            marks.push(("SCAM".into(), Role::Failed));
        }
        marks.extend(rating_piece(&address.reputation));
        let kind = |kind: &'static str| (kind.into(), Role::Plain);
        let proxy = address.proxy_type.value();
        marks.push(match (&address.is_contract, info.token.value()) {
            (_, Some(token)) => {
                let symbol =
                    token.symbol.display_with(|s| guard_name(s.clone()).to_string().into());
                let kind = token.kind.display_with(|k| Cow::Borrowed(k));
                (format!("{kind} {symbol}").into(), Role::Plain)
            }
            (Field::Present(true), _) if proxy.is_some_and(|kind| kind == "eip7702") => {
                kind(page::CODE_ACCOUNT)
            }
            (Field::Present(true), _) => kind("contract"),
            // Nothing is known of it but that it has no code.
            (Field::Present(false), _) if self.is_unused() => kind(page::UNUSED_ADDRESS),
            (Field::Present(false), _) => kind("account"),
            _ => ("?".into(), Role::Dim),
        });
        marks.extend(proxy_badge(info).map(|badge| (badge.into(), Role::Plain)));
        match &address.is_verified {
            _ if info.compiled_artifact.value().is_some() => marks.push(kind("compiled here")),
            Field::Present(true) => marks.push((VERIFIED.into(), Role::Ok)),
            Field::Present(false) if address.is_contract.value() != Some(&false) => {
                marks.push(("not verified".into(), Role::Warning));
            }
            _ => {}
        }
        marks.extend(failure);
        marks
    }

    fn warning(&self, cx: &PaneContext<'_>) -> HeaderPiece<'static> {
        let similar = cx.find_lookalike(&self.address);
        let danger =
            similar.map(|similar| (format!("! {}", similar.describe()).into(), Role::Failed));
        danger.or_else(|| hidden_characters_note(self.names(cx))).unwrap_or_default()
    }

    /// Returns the cells as they are drawn: the address, the balance and the creation. Counts are in
    /// the tabs.
    fn cells(&self, cx: &PaneContext<'_>) -> Vec<HeaderCell> {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return Vec::new() };
        let mut cells = vec![HeaderCell::address(&self.address, first)];
        if self.info.is_missing() {
            return cells;
        }
        let age = self.info.failed_age(cx.now).map(|age| format!("✗ {age}"));
        let before = [self.warning(cx).0, age.unwrap_or_default().into()];
        let shown = before.iter().filter(|text| !text.is_empty());
        let used: usize = shown.map(|text| width(text) + WARNING_GAP).sum();
        let used = u16::try_from(used).unwrap_or(u16::MAX).min(second.width);
        let space = Rect { x: second.x + used, width: second.width - used, ..second };
        let facts = [self.balance_cell(cx)]
            .into_iter()
            .chain(self.filecoin_cells())
            .chain(self.token_cell(cx))
            .chain(self.creation_cells(cx));
        cells.extend(lay_out(facts, space));
        cells
    }

    fn balance_cell(&self, cx: &PaneContext<'_>) -> HeaderCell {
        let balance = self.info.value().and_then(|info| info.coin_balance.value());
        let mut cell = EntryCell::new(self.balance_line(cx), Role::Plain);
        cell.copy = balance.map(|balance| balance.to_string().into());
        HeaderCell::new("", "balance in wei", cell)
    }

    /// Returns the page of a token, whose own lists the tabs of its address lack: these are of what the
    /// contract itself sends and holds.
    fn token_cell(&self, cx: &PaneContext<'_>) -> Option<HeaderCell> {
        let token = self.info.value()?.token.value()?;
        let price = token.exchange_rate.value().map(dollars);
        let holders =
            token.holders.value().copied().map(|count| {
                Count(usize::try_from(count).unwrap_or(usize::MAX), "holder").to_string()
            });
        let known = price.into_iter().chain(holders);
        let facts = known.fold(String::new(), |line, fact| format!("{line} · {fact}"));
        let link = EntryLink::Token(self.address);
        let text = cx.keys.expand(page::TOKEN_PAGE).into_owned();
        let end_of_key = cx.keys.keys_in(&text).first().map_or(0, |key| key.end);
        let (key, lists) = text.split_at(end_of_key);
        let parts = [(key, Role::Accent), (lists, Role::Link), (&facts, Role::Plain)]
            .map(|(part, role)| MarkedText::new(part.to_owned(), role));
        let cell = TableCell::of_parts(parts.into());
        let linked = EntryCell { cell, ..EntryCell::new("", Role::Link).link(link) };
        Some(HeaderCell::new(" · ", "token page", linked))
    }

    fn filecoin_cells(&self) -> Vec<HeaderCell> {
        let Some(forms) = self.info.value().and_then(|info| info.filecoin.value()) else {
            return Vec::new();
        };
        let named = [("Filecoin id", &forms.id), ("Filecoin address", &forms.robust)];
        let known = named.into_iter().filter_map(|(name, form)| Some((name, form.value()?)));
        known
            .map(|(name, form)| {
                let cell = EntryCell::new(form.to_string(), Role::Plain).copy(form.clone());
                HeaderCell::new(" · ", name, cell)
            })
            .collect()
    }

    /// Returns the creator of a contract, the transaction and the time.
    fn creation_cells(&self, cx: &PaneContext<'_>) -> Vec<HeaderCell> {
        let Some(info) = self.info.value().filter(|info| info.is_contract()) else {
            return Vec::new();
        };
        let creator = match &info.creator {
            Field::Present(creator) => cx.address_cell(*creator),
            // Blocks that are not indexed may have it.
            Field::Absent if !cx.network.endpoint.is_node() => EntryCell::new("—", Role::Dim),
            Field::Absent | Field::Invalid(_) => EntryCell::new("?", Role::Dim),
        };
        let creator = HeaderCell::new(" · created by ", "creator", creator);
        let hash = info.creation_transaction.value();
        let transaction = hash.map(|hash| {
            HeaderCell::transaction(" in ", "creation transaction", *hash, abbreviate(hash))
        });
        let time = hash.and_then(|hash| creation_time(hash, cx)).map(|time| {
            let cell = EntryCell::new(cx.past_time(time), Role::Plain).copy(time.to_string());
            HeaderCell::new(" · ", "time", cell)
        });
        [creator].into_iter().chain(transaction).chain(time).collect()
    }

    fn balance_line(&self, cx: &PaneContext<'_>) -> String {
        if self.info.is_awaited() {
            return "…".into();
        }
        if self.is_unused() {
            let is_demo = cx.network.endpoint == Endpoint::Embedded;
            return if is_demo { page::NOT_ON_DEMO } else { page::NOT_USED_YET }.into();
        }
        let (unit, coin) = (cx.format.unit, cx.network.decimals);
        let balance = self.info.show(|info| {
            let decimals = unit.decimals(coin);
            info.coin_balance.display_with(|wei| format_to_cents(*wei, decimals).into())
        });
        let value = self.info.value().and_then(|info| {
            let rate = info.exchange_rate.value()?;
            FiatValue::new(*info.coin_balance.value()?, coin, rate)
        });
        let shown = value.filter(|value| !value.is_zero());
        let value = shown.map(|value| format!(" ≈ {}", value.readable())).unwrap_or_default();
        format!("{balance} {}{value}", unit.name(cx.network))
    }

    /// Returns `true` if the explorer knows no code and no balance of the address, and counted no transactions and
    /// token transfers.
    fn is_unused(&self) -> bool {
        let counters = self.counters.value();
        let counts = counters.map(|counters| [&counters.transactions, &counters.token_transfers]);
        let is_blank = self.info.value().is_some_and(|info| {
            let has_code = info.address.is_contract.value() == Some(&true);
            !has_code && matches!(info.coin_balance, Field::Absent)
        });
        is_blank && counts.is_some_and(|counts| counts.map(Field::value) == [Some(&0); 2])
    }

    /// Draws when the loaded transactions were.
    fn activity_text(&self) -> String {
        let ends = (self.transactions.first(), self.transactions.last());
        let (Some((first, _)), Some((last, _))) = ends else { return String::new() };
        if first == last {
            return String::new();
        }
        let count = amount::Grouped(self.transactions.len());
        let time = &*rough_span(*first, *last);
        let loaded = PageMessage::LoadedActivity { count, time };
        format!("{loaded}: {} ", sparkline(&self.activity))
    }

    /// Returns the name that other pages show, and the others.
    fn names<'a>(&'a self, cx: &'a PaneContext<'_>) -> Vec<&'a SafeText> {
        let Some(info) = self.info.value() else { return Vec::new() };
        let address = &info.address;
        let best = cx.name_cache.cached_name(&self.address);
        let is_full = address.full_name.is_some() && address.full_name.as_ref() == best;
        let behind = address.implementations.value().into_iter().flatten();
        // The badge of the proxy has them.
        let badge: Vec<&SafeText> = behind.filter_map(|behind| behind.name.value()).collect();
        let parts = [&address.name, &address.implementation_name]
            .into_iter()
            .filter(|part| !is_full && part.value().is_none_or(|name| !badge.contains(&name)));
        let given =
            [&address.ens].into_iter().chain(parts).filter_map(Field::value).chain(&address.tags);
        best.into_iter().chain(given.filter(|name| Some(*name) != best)).collect()
    }

    /// Returns `true` for the name of a contract's source next to a better name.
    fn is_name_of_source(&self, name: &SafeText, cx: &PaneContext<'_>) -> bool {
        let address = self.info.value().map(|info| &info.address);
        let of_source = address.and_then(|address| address.name.value());
        of_source == Some(name) && cx.name_cache.cached_name(&self.address) != Some(name)
    }

    fn on_reply(&mut self, query: &Query, reply: ReplyResult, now: Timestamp) {
        match query {
            Query::Address(_, AddressQuery::Details) => self.info.set_item(reply, now),
            Query::Address(_, AddressQuery::Counters) => self.counters.set(reply, now),
            Query::Address(_, AddressQuery::TabCounters) => self.tab_counters.set(reply, now),
            _ => {}
        }
    }

    fn on_listed(&mut self, query: &Query, transactions: &[(TxHash, Timestamp)]) {
        if query.viewed_address() == Some(self.address) {
            self.transactions.extend(transactions.iter().map(|(hash, time)| (*time, *hash)));
            while self.transactions.len() > MAX_ACTIVITY_TRANSACTIONS {
                self.transactions.pop_first();
            }
            let times = self.transactions.iter().map(|(time, _)| time.as_second());
            self.activity = histogram(times, ACTIVITY_COLUMNS);
            self.has_transactions = true;
        }
    }
}

/// Returns the time of a transaction, once that is known.
fn creation_time(hash: &TxHash, cx: &PaneContext<'_>) -> Option<Timestamp> {
    let known = cx.name_cache.transaction(hash)?.parsed.as_ref().ok()?;
    known.timestamp.value().copied()
}

/// `proxy of Vault`, or `proxy (eip1967)` of an unknown contract.
fn proxy_badge(info: &AddressInfo) -> Option<String> {
    let behind = info.address.implementations.value().into_iter().flatten();
    let names: Vec<String> = behind
        .filter_map(|i| match (i.own_name.value(), i.address.value()) {
            (Some(name), Some(address)) if is_quoted(name) => {
                Some(format!("{name} {}", abbreviate(address)))
            }
            (Some(name), _) => Some(name.to_string()),
            (None, Some(address)) => Some(address.to_string()),
            (None, None) => None,
        })
        .collect();
    match names.as_slice() {
        [] => info.address.proxy_type.value().map(|kind| format!("proxy ({kind})")),
        names => Some(PageMessage::ProxyOf { implementations: &names.join(", ") }.to_string()),
    }
}

/// Returns the number of rows in the tab of a kind, as far as the explorer counts.
fn limited_row_count(counters: &AddressTabCounters, kind: PaneKind) -> Option<RowCount> {
    let count = match kind {
        PaneKind::Transactions => &counters.transactions,
        PaneKind::InternalTransactions => &counters.internal_transactions,
        PaneKind::TokenTransfers => &counters.token_transfers,
        PaneKind::TokenBalances => &counters.token_balances,
        // NFTs are among them.
        PaneKind::NftCollections if counters.token_balances.value() == Some(&0) => {
            &counters.token_balances
        }
        PaneKind::Logs => &counters.logs,
        PaneKind::Withdrawals => &counters.withdrawals,
        PaneKind::Blocks => &counters.blocks,
        PaneKind::BeaconDeposits => &counters.beacon_deposits,
        _ => return None,
    };
    Some(match *count.value()? {
        count if count >= MAX_TAB_COUNT => RowCount::MoreThan(MAX_TAB_COUNT - 1),
        count => RowCount::Exactly(count),
    })
}

impl Pane for AddressHeader {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let requested = self.info.request().into_iter().chain(self.counters.request());
        let mut commands: Vec<Command> = requested.collect();
        commands.extend(self.fetch_rest(cx));
        commands.extend(self.delay_recount());
        commands
    }

    fn on_cancelled(&mut self, _: &PaneContext<'_>) {
        self.info.cancel();
        self.counters.cancel();
        self.tab_counters.cancel();
        self.creation.iter_mut().for_each(Section::cancel);
        if self.recount == Recount::Delayed {
            self.recount = Recount::NotRequested;
        }
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Token if self.is_no_token(cx) => {
                Availability::Disabled(token::NOT_A_KNOWN_TOKEN)
            }
            Action::Refresh => Availability::Enabled,
            _ => self.cursor.availability(action, &self.cells(cx)),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        if action != Action::Refresh {
            let cells = self.cells(cx);
            return self.cursor.act(action, &cells, cx);
        }
        self.recount = Recount::NotRequested;
        [vec![Command::Cancel], self.refresh()].concat()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply { query, reply } => {
                self.on_reply(query, reply, cx.now);
                if !cx.is_busy && self.is_behind {
                    return self.update(cx);
                }
            }
            PaneEvent::Listed { query, transactions } => self.on_listed(query, transactions),
            PaneEvent::ChainAdvanced => return self.update(cx),
            PaneEvent::RetryFailed => {
                let counters = [self.counters.retry(), self.tab_counters.retry()];
                return [self.info.retry()].into_iter().chain(counters).flatten().collect();
            }
            PaneEvent::ChainRolledBack => {
                self.transactions.clear();
                self.info.forget();
                self.counters.forget();
                self.tab_counters.forget();
                self.creation = None;
                return self.act(Action::Refresh, cx);
            }
            PaneEvent::Woken if self.recount == Recount::Delayed => {
                self.recount = Recount::Requested;
                return vec![self.counters.refresh()];
            }
            PaneEvent::Click(at) => {
                let cells = self.cells(cx);
                self.cursor.click(at, &cells);
            }
            _ => {}
        }
        let rest = self.fetch_rest(cx);
        rest.into_iter().chain(self.delay_recount()).collect()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
        let mut pieces = user_pieces(&self.address, cx);
        // Where there is little space, the kind says more than the name of a contract's source.
        let (of_source, names): (Vec<_>, Vec<_>) =
            self.names(cx).into_iter().partition(|name| self.is_name_of_source(name, cx));
        pieces.extend(names.into_iter().map(|name| ((&**name).into(), Role::Title)));
        pieces.extend(self.badges(cx));
        let used: usize = pieces.iter().map(|(text, _)| width(text) + NAME_GAP).sum();
        let space = usize::from(first.width).saturating_sub(used + ADDRESS_WIDTH + NAME_GAP);
        let mut of_source = of_source.into_iter();
        if let Some(verified) = pieces.iter_mut().find(|(text, _)| text == VERIFIED)
            && let Some(name) = of_source.next()
        {
            let with_name = PageMessage::VerifiedAs { name }.to_string();
            if width(&with_name) <= space + VERIFIED.len() {
                verified.0 = with_name.into();
            }
        }
        pieces.extend(of_source.map(|name| ((&**name).into(), Role::Title)));
        draw_names(first, &pieces, &self.address.to_string(), cx, buf);
        let (warning, role) = self.warning(cx);
        let space = draw_facts(second, (&warning, role), "", cx, buf);
        let space = self.info.draw_failure(space, cx, buf);
        let cells = self.cells(cx);
        let space = draw_cells(cells.get(1..).unwrap_or_default(), space, cx, buf);
        let activity = self.activity_text();
        let columns = u16::try_from(width(&activity)).unwrap_or(u16::MAX);
        if columns > 0 && columns.saturating_add(1) < space.width {
            let at = Rect { x: space.right() - columns, width: columns, ..space };
            draw_text(buf, at, &activity, cx.styles.of(Role::Dim));
        }
        self.cursor.draw(&cells, cx, buf);
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.cursor.selected_address(&self.cells(cx))
    }

    fn unused_address(&self) -> Option<Address> {
        self.is_unused().then_some(self.address)
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        let reported = self.counters.value().and_then(|counters| counters.transactions.value());
        // The explorer may not have counted them yet.
        let counted = reported.filter(|count| kind == PaneKind::Transactions && **count > 0);
        if kind == PaneKind::Contract {
            let is_account = self.info.value()?.address.is_contract == Field::Present(false);
            return is_account.then_some(RowCount::Exactly(0));
        }
        let has_none = matches!(kind, PaneKind::Balance | PaneKind::Approvals) && self.is_unused();
        if has_none {
            return Some(RowCount::Exactly(0));
        }
        counted
            .copied()
            .map(RowCount::Exactly)
            .or_else(|| limited_row_count(self.tab_counters.value()?, kind))
    }

    fn state(&self) -> PaneState {
        PaneState::default()
    }

    fn can_recover(&self) -> bool {
        self.info.can_recover() || self.counters.can_recover() || self.tab_counters.can_recover()
    }
}
