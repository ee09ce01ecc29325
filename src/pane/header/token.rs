//! The header above the tabs of a token: names, standard, supply and price. Not every explorer
//! answers these requests; missing values are `?`.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::cells::{HeaderCell, HeaderCursor};
use super::{
    HeaderPiece, draw_facts, draw_names, hidden_characters_note, rating_piece, user_pieces,
};
use crate::action::Action;
use crate::api::endpoints::token::TokenCounters;
use crate::api::token::Token;
use crate::api::{ApiError, Field, Query, ReplyResult, TokenQuery};
use crate::app_message::Priority;
use crate::chain::decimal::Decimal;
use crate::chain::{Address, Timestamp, U256};
use crate::columns::cells::token_amount::{amount_decimals, token_amount};
use crate::columns::cells::{symbol, token_warnings};
use crate::columns::common::{dollars, market_text};
use crate::messages::Count;
use crate::messages::token::{self, TokenNote};
use crate::pane::section::Section;
use crate::pane::{
    Availability, Command, Pane, PaneContext, PaneEvent, PaneKind, PaneState, RowCount,
};
use crate::safety::name_marks::{guard_name, hides_characters};
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

/// Market capitalizations that differ by less than this part of supply × price are not marked.
const MIN_MARKED_PART: U256 = U256::from_limbs([50, 0, 0, 0]);

/// Least columns of a name that is cut.
const MIN_NAME_WIDTH: usize = 8;
/// Most columns of a name that hides characters.
const MAX_DOUBTFUL_WIDTH: usize = 24;

#[derive(Debug)]
pub struct TokenHeader {
    address: Address,
    token: Section<Token>,
    counters: Section<TokenCounters>,
    cursor: HeaderCursor,
}

impl TokenHeader {
    pub fn new(address: Address) -> Self {
        let query = |query| Query::Token(address, query);
        Self {
            address,
            token: Section::new(query(TokenQuery::Details), Priority::Interactive),
            counters: Section::new(query(TokenQuery::Counters), Priority::Idle),
            cursor: HeaderCursor::default(),
        }
    }

    /// Requests the data again. The old data stays visible until the replies come.
    fn update(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if cx.is_busy { Vec::new() } else { self.refresh() }
    }

    fn refresh(&mut self) -> Vec<Command> {
        vec![self.token.refresh(), self.counters.refresh()]
    }

    fn on_reply(&mut self, query: &Query, reply: ReplyResult, now: Timestamp) {
        match query {
            Query::Token(_, TokenQuery::Details) => self.token.set_item(reply, now),
            Query::Token(_, TokenQuery::Counters) => self.counters.set(reply, now),
            _ => {}
        }
    }

    fn loaded(&self) -> Option<&Token> {
        self.token.value()
    }

    /// Returns `true` if the explorer has no token at this address.
    fn is_unknown_token(&self) -> bool {
        self.loaded().is_none() && self.token.failure().is_some_and(ApiError::is_not_found)
    }

    fn names(&self, cx: &PaneContext<'_>) -> Vec<HeaderPiece<'_>> {
        if self.is_unknown_token() {
            return vec![(token::NO_TOKEN.into(), Role::Dim)];
        }
        let failure = self.token.failure_piece(cx);
        let Some(token) = self.loaded() else {
            return vec![failure.unwrap_or(("…".into(), Role::Dim))];
        };
        let own_symbol = symbol(token).to_string();
        let name = token.name.display_with(|name| {
            let most = if hides_characters(name) { MAX_DOUBTFUL_WIDTH } else { usize::MAX };
            cut(&guard_name(name.clone()), most).into_owned().into()
        });
        let kind = token.kind.display_with(|kind| Cow::Borrowed(kind));
        let pieces = match token.name.value() {
            Some(_) if *name != *own_symbol => [name, format!("{kind} {own_symbol}").into()],
            _ => [own_symbol.into(), kind],
        };
        let roles = [Role::Title, Role::Plain];
        let rating = rating_piece(&token.reputation);
        pieces.into_iter().zip(roles).chain(rating).chain(failure).collect()
    }

    /// Returns name and symbol from the chain.
    fn given_names(&self) -> impl Iterator<Item = &SafeText> {
        let token = self.loaded().into_iter();
        token.flat_map(|token| [token.name.value(), token.symbol.value()]).flatten()
    }

    /// Returns the cell of the address.
    fn cells(&self, cx: &PaneContext<'_>) -> Vec<HeaderCell> {
        cx.area.rows().take(1).map(|line| HeaderCell::address(&self.address, line)).collect()
    }

    fn draw_facts(&self, line: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let similar = cx.find_lookalike(&self.address).map(|similar| similar.describe());
        let danger = similar.or_else(|| Some(token_warnings(self.loaded()).first()?.to_string()));
        let piece = danger.map(|danger| (format!("! {danger}").into(), Role::Failed));
        let (warning, role) =
            piece.or_else(|| hidden_characters_note(self.given_names())).unwrap_or_default();
        let space = draw_facts(line, (&warning, role), "", cx, buf);
        if self.is_unknown_token() {
            return;
        }
        let space = self.token.draw_failure(space, cx, buf);
        if !self.token.is_missing() {
            let forms = [("market cap", true), ("cap", true), ("cap", false)];
            let lines = forms.map(|(label, has_note)| self.facts(label, has_note));
            let with_holders = lines.iter().flat_map(|line| {
                [self.holders().map(|holders| format!("{line} · {holders}")), Some(line.clone())]
            });
            let facts: Vec<String> = with_holders.flatten().collect();
            let market = self.loaded().and_then(market_text);
            let longest =
                facts.first().zip(market).map(|(line, market)| format!("{line} · {market}"));
            let mut fitting = longest.into_iter().chain(facts);
            let facts = fitting.find(|line| width(line) <= usize::from(space.width));
            let [.., shortest] = &lines;
            let line = facts.as_ref().unwrap_or(shortest);
            draw_facts(space, ("", Role::Plain), line, cx, buf);
        }
    }

    fn decimals(&self) -> Option<u8> {
        let token = self.loaded()?;
        amount_decimals(Some(token), token.kind.value(), &Field::Absent)
    }

    fn holders(&self) -> Option<String> {
        let count = *self.loaded()?.holders.value()?;
        Some(Count(usize::try_from(count).ok()?, "holder").to_string())
    }

    /// Compares the market capitalization with the price of all tokens, unless they agree.
    fn part_of_value(&self, token: &Token) -> Option<TokenNote<'static>> {
        let number = |field: &Field<SafeText>| field.value()?.parse::<Decimal>().ok();
        let supply = Decimal::new(token.total_supply.value()?.to(), self.decimals()?.into());
        let value = supply.checked_mul(number(&token.exchange_rate)?)?;
        let percent = number(&token.circulating_market_cap)?.percent_of(value)?;
        let (cap, value) = percent.parts();
        let is_equal = cap.abs_diff(value) < value / MIN_MARKED_PART;
        (!is_equal).then_some(if cap > value {
            TokenNote::MoreThanValue
        } else {
            TokenNote::ShareOfValue { percent }
        })
    }

    /// Returns the facts in one line, with a note about the market capitalization if there is space.
    fn facts(&self, cap_label: &str, has_note: bool) -> String {
        let supply = self.token.show(|token| {
            token.total_supply.display_with(|supply| token_amount(*supply, self.decimals()).into())
        });
        let token = self.loaded();
        let decimals =
            token.and_then(|token| token.decimals.value()).map(|count| format!("{count} decimals"));
        let rate = token.and_then(|token| token.exchange_rate.value());
        let price = rate.map(|price| format!("price {}", dollars(price)));
        let value = token.and_then(|token| token.circulating_market_cap.value());
        let cap = value.map(|cap| {
            let note = token.filter(|_| has_note).and_then(|token| self.part_of_value(token));
            let part = note.map(|note| format!(" {note}")).unwrap_or_default();
            [cap_label, " ", &dollars(cap), &part].concat()
        });
        let facts =
            [format!("supply {supply}")].into_iter().chain(price).chain(cap).chain(decimals);
        facts.collect::<Vec<_>>().join(" · ")
    }
}

/// Cuts a long name, so that the standard and the symbol after it fit into `columns` too.
fn cut_name(mut pieces: Vec<HeaderPiece<'_>>, columns: usize) -> Vec<HeaderPiece<'_>> {
    let needed: usize = pieces.iter().map(|(text, _)| width(text) + 2).sum();
    let excess = needed.saturating_sub(columns);
    if let [(name, _), _, ..] = &mut *pieces
        && let space = width(name).saturating_sub(excess)
        && (MIN_NAME_WIDTH..width(name)).contains(&space)
    {
        *name = cut(name, space).into_owned().into();
    }
    pieces
}

impl Pane for TokenHeader {
    fn activate(&mut self, _: &PaneContext<'_>) -> Vec<Command> {
        self.token.request().into_iter().chain(self.counters.request()).collect()
    }

    fn on_cancelled(&mut self, _: &PaneContext<'_>) {
        self.token.cancel();
        self.counters.cancel();
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Refresh => Availability::Enabled,
            _ => self.cursor.availability(action, &self.cells(cx)),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        if action != Action::Refresh {
            let cells = self.cells(cx);
            return self.cursor.act(action, &cells, cx);
        }
        [vec![Command::Cancel], self.refresh()].concat()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply { query, reply } => {
                self.on_reply(query, reply, cx.now);
                Vec::new()
            }
            PaneEvent::ChainAdvanced => self.update(cx),
            PaneEvent::RetryFailed => {
                self.token.retry().into_iter().chain(self.counters.retry()).collect()
            }
            PaneEvent::ChainRolledBack => {
                *self = Self::new(self.address);
                self.act(Action::Refresh, cx)
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
        self.draw_facts(second, cx, buf);
        let own = user_pieces(&self.address, cx);
        let id = self.address.to_string();
        let used: usize = own.iter().map(|(text, _)| width(text) + 2).sum();
        let space = usize::from(first.width).saturating_sub(id.len() + 2 + used);
        let pieces = [own, cut_name(self.names(cx), space)].concat();
        draw_names(first, &pieces, &id, cx, buf);
        self.cursor.draw(&self.cells(cx), cx, buf);
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        let counters = self.counters.value();
        let count = match kind {
            PaneKind::TransfersOfToken => counters?.transfers.value(),
            PaneKind::Holders => {
                let counted = counters.and_then(|counters| counters.holders.value());
                counted.or_else(|| self.loaded()?.holders.value())
            }
            _ => None,
        };
        // The explorer may not have counted them yet.
        count.filter(|count| **count > 0).copied().map(RowCount::Exactly)
    }

    fn state(&self) -> PaneState {
        PaneState::default()
    }

    fn can_recover(&self) -> bool {
        self.token.can_recover() || self.counters.can_recover()
    }
}
