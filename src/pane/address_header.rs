//! The head of an address: who it is, what it holds, how busy it is. Asked of neighbour endpoints
//! that not every server answers; what is not known is `?`.

use std::borrow::Cow;

use ratatui::buffer::Buffer;

use super::{Cx, Pane, Want};
use crate::api::address::{AddressInfo, Counters};
use crate::api::{ApiError, Field, Query, Reply};
use crate::chain::{Address, amount};
use crate::msg::{Action, Why};
use crate::sanitize::Text;
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

/// Lines the head takes.
pub const HEIGHT: u16 = 2;

/// The pane.
#[derive(Debug)]
pub struct Overview {
    address: Address,
    info: Answer<Box<AddressInfo>>,
    counters: Answer<Counters>,
    epoch: u32,
}

/// One answer that may not come.
#[derive(Debug)]
enum Answer<T> {
    Unasked,
    Waiting,
    Here(T),
    Failed(ApiError),
}

impl<T> Answer<T> {
    fn here(&self) -> Option<&T> {
        match self {
            Self::Here(answer) => Some(answer),
            _ => None,
        }
    }

    fn forget(&mut self) {
        if matches!(self, Self::Waiting) {
            *self = Self::Unasked;
        }
    }

    fn take(&mut self, reply: Result<T, ApiError>) {
        *self = reply.map_or_else(Self::Failed, Self::Here);
    }

    /// A value of the answer, or the sign for why there is none.
    fn show<'a>(&'a self, show: impl FnOnce(&'a T) -> Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::Unasked | Self::Waiting => "…".into(),
            Self::Here(answer) => show(answer),
            Self::Failed(_) => "?".into(),
        }
    }
}

impl Overview {
    /// The head of this address.
    pub fn new(address: Address) -> Self {
        Self { address, info: Answer::Unasked, counters: Answer::Unasked, epoch: 0 }
    }

    fn ask(&mut self) -> Vec<Want> {
        let mut wants = Vec::new();
        if matches!(self.info, Answer::Unasked) {
            self.info = Answer::Waiting;
            wants.push(Want::Ask(Query::Address(self.address), None, Why::Asked));
        }
        if matches!(self.counters, Answer::Unasked) {
            self.counters = Answer::Waiting;
            wants.push(Want::Ask(Query::Counters(self.address), None, Why::Asked));
        }
        wants
    }

    /// Names, tags and marks, each with how it looks.
    fn marks(&self) -> Vec<(Cow<'_, str>, Role)> {
        let Some(info) = self.info.here() else {
            let words = match &self.info {
                Answer::Failed(error) => format!("no details: {error}").into(),
                _ => "…".into(),
            };
            return vec![(words, Role::Dim)];
        };
        let address = &info.address;
        let mut marks: Vec<(Cow<'_, str>, Role)> = Vec::new();
        let scam = address.reputation.known().is_some_and(|r| **r == *"scam");
        if scam || address.is_scam.known() == Some(&true) {
            marks.push(("SCAM".into(), Role::Failed));
        }
        marks.push(match (&address.is_contract, address.proxy_type.known()) {
            (Field::Read(true), Some(kind)) if **kind == *"eip7702" => {
                ("account with code".into(), Role::Plain)
            }
            (Field::Read(true), _) => ("contract".into(), Role::Plain),
            (Field::Read(false), _) => ("account".into(), Role::Plain),
            _ => ("?".into(), Role::Dim),
        });
        match &address.is_verified {
            Field::Read(true) => marks.push(("verified".into(), Role::Ok)),
            Field::Read(false) => marks.push(("not verified".into(), Role::Warning)),
            _ => {}
        }
        if let Some(kind) = address.proxy_type.known() {
            marks.push((proxy(kind, info).into(), Role::Plain));
        }
        if let Some(token) = info.token.known() {
            let symbol = token.symbol.show(|s| Cow::Borrowed(s));
            let kind = token.kind.show(|k| Cow::Borrowed(k));
            marks.push((format!("{kind} token {symbol}").into(), Role::Plain));
        }
        marks
    }

    fn figures(&self, cx: &Cx<'_>) -> String {
        let unit = cx.notation.unit;
        let decimals = unit.decimals(cx.network.decimals);
        let balance = self
            .info
            .show(|info| info.coin_balance.show(|wei| amount::exact(*wei, decimals).into()));
        let count = |field: fn(&Counters) -> &Field<u64>| {
            self.counters.show(|c| field(c).show(|n| amount::grouped(&n.to_string()).into()))
        };
        let transactions = count(|c| &c.transactions);
        let transfers = count(|c| &c.token_transfers);
        format!(
            "{balance} {} · {transactions} transactions · {transfers} transfer logs",
            unit.name(cx.network)
        )
    }

    /// Every name given to the address.
    fn names(&self) -> Vec<&Text> {
        let Some(info) = self.info.here() else { return Vec::new() };
        let address = &info.address;
        let given = [&address.ens, &address.name, &address.implementation_name];
        given.into_iter().filter_map(Field::known).chain(&address.tags).collect()
    }
}

/// `proxy (eip1967) of Vault`.
fn proxy(kind: &Text, info: &AddressInfo) -> String {
    let behind = info.address.implementations.known().into_iter().flatten();
    let names: Vec<String> = behind
        .filter_map(|i| match (i.name.known(), i.address.known()) {
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

impl Pane for Overview {
    fn look(&mut self, _: &Cx<'_>) -> Vec<Want> {
        self.ask()
    }

    fn leave(&mut self) {
        if self.is_busy() {
            self.epoch += 1;
        }
        self.info.forget();
        self.counters.forget();
    }

    fn act(&mut self, action: Action, _: &Cx<'_>) -> Option<Vec<Want>> {
        if action == Action::Interrupt && self.is_busy() {
            self.leave();
            return Some(vec![Want::Drop]);
        }
        if action != Action::Refresh {
            return None;
        }
        self.epoch += 1;
        self.info = Answer::Unasked;
        self.counters = Answer::Unasked;
        Some([vec![Want::Drop], self.ask()].concat())
    }

    fn reply(&mut self, query: &Query, reply: Result<Reply, ApiError>, _: &Cx<'_>) -> Vec<Want> {
        match (query, reply) {
            (Query::Address(_), Ok(Reply::Address(info))) => self.info.take(Ok(info)),
            (Query::Counters(_), Ok(Reply::Counters(counters))) => self.counters.take(Ok(counters)),
            (Query::Address(_), Err(error)) => self.info.take(Err(error)),
            (Query::Counters(_), Err(error)) => self.counters.take(Err(error)),
            _ => {}
        }
        Vec::new()
    }

    fn resize(&mut self, _: &Cx<'_>) {}

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
        let mut x = first.x;
        let mut put = |text: &str, role: Role| {
            let room = usize::from(first.right().saturating_sub(x));
            let text = cut(text, room);
            buf.set_string(x, first.y, &text, cx.styles.of(role));
            x = x.saturating_add(u16::try_from(width(&text)).unwrap_or(u16::MAX)).saturating_add(2);
        };
        put(&self.address.to_string(), Role::Accent);
        let labels = cx.seen.labels();
        if let Some(own) = labels.shown(&self.address) {
            put(&own, Role::Title);
        }
        if labels.is_watched(&self.address) {
            put("watched", Role::Ok);
        }
        for name in self.names() {
            put(name, Role::Title);
        }
        for (mark, role) in self.marks() {
            put(&mark, role);
        }
        let figures = self.figures(cx);
        buf.set_string(
            second.x,
            second.y,
            cut(&figures, usize::from(second.width)),
            cx.styles.of(Role::Plain),
        );
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn is_busy(&self) -> bool {
        matches!(self.info, Answer::Waiting) || matches!(self.counters, Answer::Waiting)
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        Text::default()
    }
}
