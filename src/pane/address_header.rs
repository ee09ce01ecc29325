//! The header above the tabs of an address: names, kind, balance and counts. Not every server
//! answers these requests; missing values are `?`.

use std::borrow::Cow;

use ratatui::buffer::Buffer;

use super::{Availability, Command, Pane, PaneContext, PaneEvent, PaneState};
use crate::action::Action;
use crate::api::address::{AddressCounters, AddressInfo};
use crate::api::{ApiError, Field, Query, Reply};
use crate::chain::{Address, amount};
use crate::msg::Priority;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

pub const HEADER_HEIGHT: u16 = 2;

#[derive(Debug)]
pub struct AddressHeader {
    address: Address,
    info: HeaderSection<Box<AddressInfo>>,
    counters: HeaderSection<AddressCounters>,
    epoch: u32,
}

/// The state of a request that a server may not support.
#[derive(Debug)]
enum HeaderSection<T> {
    NotRequested,
    Loading,
    Loaded(T),
    Failed(ApiError),
}

impl<T> HeaderSection<T> {
    fn loaded(&self) -> Option<&T> {
        match self {
            Self::Loaded(answer) => Some(answer),
            _ => None,
        }
    }

    fn cancel(&mut self) {
        if matches!(self, Self::Loading) {
            *self = Self::NotRequested;
        }
    }

    fn apply(&mut self, reply: Result<T, ApiError>) {
        *self = reply.map_or_else(Self::Failed, Self::Loaded);
    }

    /// Returns a value of the reply, `…` while it is loading, or `?`.
    fn show<'a>(&'a self, show: impl FnOnce(&'a T) -> Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::NotRequested | Self::Loading => "…".into(),
            Self::Loaded(answer) => show(answer),
            Self::Failed(_) => "?".into(),
        }
    }
}

impl AddressHeader {
    pub fn new(address: Address) -> Self {
        Self {
            address,
            info: HeaderSection::NotRequested,
            counters: HeaderSection::NotRequested,
            epoch: 0,
        }
    }

    fn fetch(&mut self) -> Vec<Command> {
        let mut wants = Vec::new();
        if matches!(self.info, HeaderSection::NotRequested) {
            self.info = HeaderSection::Loading;
            wants.push(Command::fetch(Query::Address(self.address), None, Priority::Interactive));
        }
        if matches!(self.counters, HeaderSection::NotRequested) {
            self.counters = HeaderSection::Loading;
            wants.push(Command::fetch(Query::Counters(self.address), None, Priority::Interactive));
        }
        wants
    }

    fn badges(&self) -> Vec<(Cow<'_, str>, Role)> {
        let Some(info) = self.info.loaded() else {
            let words = match &self.info {
                HeaderSection::Failed(error) => format!("details unavailable: {error}").into(),
                _ => "…".into(),
            };
            return vec![(words, Role::Dim)];
        };
        let address = &info.address;
        let mut marks: Vec<(Cow<'_, str>, Role)> = Vec::new();
        let scam = address.reputation.value().is_some_and(|r| **r == *"scam");
        if scam || address.is_scam.value() == Some(&true) {
            marks.push(("SCAM".into(), Role::Failed));
        }
        marks.push(match (&address.is_contract, address.proxy_type.value()) {
            (Field::Present(true), Some(kind)) if **kind == *"eip7702" => {
                ("account with code".into(), Role::Plain)
            }
            (Field::Present(true), _) => ("contract".into(), Role::Plain),
            (Field::Present(false), _) => ("account".into(), Role::Plain),
            _ => ("?".into(), Role::Dim),
        });
        match &address.is_verified {
            Field::Present(true) => marks.push(("verified".into(), Role::Ok)),
            Field::Present(false) => marks.push(("not verified".into(), Role::Warning)),
            _ => {}
        }
        if let Some(kind) = address.proxy_type.value() {
            marks.push((proxy_badge(kind, info).into(), Role::Plain));
        }
        if let Some(token) = info.token.value() {
            let symbol = token.symbol.display_with(|s| Cow::Borrowed(s));
            let kind = token.kind.display_with(|k| Cow::Borrowed(k));
            marks.push((format!("{kind} token {symbol}").into(), Role::Plain));
        }
        marks
    }

    fn balance_line(&self, cx: &PaneContext<'_>) -> String {
        let unit = cx.format.unit;
        let decimals = unit.decimals(cx.network.decimals);
        let balance = self.info.show(|info| {
            info.coin_balance.display_with(|wei| amount::format_exact(*wei, decimals).into())
        });
        let count = |field: fn(&AddressCounters) -> &Field<u64>| {
            self.counters
                .show(|c| field(c).display_with(|n| amount::group_digits(&n.to_string()).into()))
        };
        let transactions = count(|c| &c.transactions);
        let transfers = count(|c| &c.token_transfers);
        format!(
            "{balance} {} · {transactions} transactions · {transfers} token transfers",
            unit.name(cx.network)
        )
    }

    fn names(&self) -> Vec<&SafeText> {
        let Some(info) = self.info.loaded() else { return Vec::new() };
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
        }
        self.info.cancel();
        self.counters.cancel();
    }

    fn availability(&self, action: Action, _: &PaneContext<'_>) -> Availability {
        match action {
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
        self.info = HeaderSection::NotRequested;
        self.counters = HeaderSection::NotRequested;
        [vec![Command::cancel()], self.fetch()].concat()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, _: &PaneContext<'_>) -> Vec<Command> {
        if let PaneEvent::Reply { query, reply } = event {
            self.on_reply(query, reply);
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
        let mut x = first.x;
        let mut put = |text: &str, role: Role| {
            let text = cut(text, usize::from(first.right().saturating_sub(x)));
            buf.set_string(x, first.y, &text, cx.styles.of(role));
            x = x.saturating_add(u16::try_from(width(&text)).unwrap_or(u16::MAX)).saturating_add(2);
        };
        put(&self.address.to_string(), Role::Accent);
        let labels = cx.name_cache.labels();
        if let Some(own) = labels.decorated_name(&self.address) {
            put(&own, Role::Title);
        }
        if labels.is_watched(&self.address) {
            put("watched", Role::Ok);
        }
        for name in self.names() {
            put(name, Role::Title);
        }
        for (mark, role) in self.badges() {
            put(&mark, role);
        }
        let figures = self.balance_line(cx);
        buf.set_string(
            second.x,
            second.y,
            cut(&figures, usize::from(second.width)),
            cx.styles.of(Role::Plain),
        );
    }

    fn state(&self) -> PaneState {
        PaneState { epoch: self.epoch, is_busy: self.is_busy(), ..PaneState::default() }
    }

    fn status(&self, _: &PaneContext<'_>) -> SafeText {
        SafeText::default()
    }
}

impl AddressHeader {
    fn on_reply(&mut self, query: &Query, reply: Result<Reply, ApiError>) {
        match (query, reply) {
            (Query::Address(_), Ok(Reply::Address(info))) => self.info.apply(Ok(info)),
            (Query::Counters(_), Ok(Reply::Counters(counters))) => {
                self.counters.apply(Ok(counters));
            }
            (Query::Address(_), Err(error)) => self.info.apply(Err(error)),
            (Query::Counters(_), Err(error)) => self.counters.apply(Err(error)),
            _ => {}
        }
    }

    fn is_busy(&self) -> bool {
        matches!(self.info, HeaderSection::Loading)
            || matches!(self.counters, HeaderSection::Loading)
    }
}
