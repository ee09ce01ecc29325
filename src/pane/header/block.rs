//! The header above the tabs of a block: its time, load and fees.

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{HeaderPiece, draw_names};
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::endpoints::block::Block;
use crate::api::{ApiError, BlockQuery, Field, Item, Query};
use crate::app_message::Priority;
use crate::chain::amount::{Grouped, Unit};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::{BlockId, U256};
use crate::columns::cells::address_line;
use crate::messages::page::{self, PageMessage};
use crate::pane::section::Section;
use crate::pane::{
    Availability, Command, Pane, PaneContext, PaneEvent, PaneKind, PaneState, RowCount,
};
use crate::ui::charts::gauge;
use crate::ui::format::width;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

#[derive(Debug)]
pub struct BlockHeader {
    id: BlockId,
    block: Section<Arc<Item<Block>>>,
}

/// A fact about a block between two dots.
type Fact<'a> = Vec<HeaderPiece<'a>>;

impl BlockHeader {
    pub fn new(id: BlockId) -> Self {
        let query = Query::Block(id, BlockQuery::Details);
        Self { id, block: Section::new(query, Priority::Interactive) }
    }

    fn loaded(&self) -> Option<&Block> {
        self.block.value()?.parsed.as_ref().ok()
    }

    fn names(&self, cx: &PaneContext<'_>) -> Vec<HeaderPiece<'_>> {
        let number = self.loaded().and_then(|block| block.number.value());
        let id = number.map_or_else(|| abbreviate(&self.id), |number| Grouped(number).to_string());
        let mut pieces = vec![(format!("block {id}").into(), Role::Title)];
        let unavailable =
            |why: String| (PageMessage::Unavailable { why: &why }.to_string().into(), Role::Dim);
        let failure = self.block.failure_piece(cx);
        let Some(item) = self.block.value() else {
            return [pieces, vec![failure.unwrap_or(("…".into(), Role::Dim))]].concat();
        };
        match &item.parsed {
            Ok(block) => {
                let other_kind = block.kind.value().filter(|kind| *kind != "block");
                pieces.extend(other_kind.map(|kind| (Cow::from(&**kind), Role::Warning)));
                let time = |time: &_| cx.format.full_time(*time, cx.ages()).into();
                pieces.push((block.timestamp.display_with(time), Role::Plain));
            }
            Err(why) => pieces.push(unavailable(why.to_string())),
        }
        pieces.extend(failure);
        pieces
    }

    /// Draws the number and the time, and the hash as far as there are columns.
    fn draw_identity(&self, line: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let pieces = self.names(cx);
        let used: usize = pieces.iter().map(|(text, _)| width(text) + 2).sum();
        let hash = match (self.loaded().and_then(|block| block.hash.value()), &self.id) {
            (Some(hash), _) | (None, BlockId::Hash(hash)) => hash.to_string(),
            _ => return draw_names(line, &pieces, "", cx, buf),
        };
        let fits = used + width(&hash) + 2 <= usize::from(line.width);
        let hash = if fits { hash } else { abbreviate(&hash) };
        draw_names(line, &pieces, &hash, cx, buf);
    }
}

impl Pane for BlockHeader {
    fn activate(&mut self, _: &PaneContext<'_>) -> Vec<Command> {
        self.block.request().into_iter().collect()
    }

    fn on_cancelled(&mut self, _: &PaneContext<'_>) {
        self.block.cancel();
    }

    fn availability(&self, action: Action, _: &PaneContext<'_>) -> Availability {
        Availability::supported_if(action == Action::Refresh)
    }

    fn act(&mut self, _: Action, _: &PaneContext<'_>) -> Vec<Command> {
        vec![Command::Cancel, self.block.refresh()]
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply { reply, .. } => {
                let had_block = self.has_block();
                self.block.set(reply, cx.now);
                let has_changed = self.has_block() != had_block;
                return has_changed.then_some(Command::RefreshBody).into_iter().collect();
            }
            PaneEvent::ChainAdvanced
                if self.block.failure().is_some_and(ApiError::may_come_with_blocks) =>
            {
                return self.act(Action::Refresh, cx);
            }
            PaneEvent::RetryFailed => return self.block.retry().into_iter().collect(),
            PaneEvent::ChainRolledBack => {
                self.block.forget();
                return self.act(Action::Refresh, cx);
            }
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut lines = cx.area.rows();
        let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return };
        self.draw_identity(first, cx, buf);
        let second = self.block.draw_failure(second, cx, buf);
        let Some(block) = self.loaded() else { return };
        let space = usize::from(second.width);
        let others = other_facts(block, |miner| address_line(miner, cx.name_cache).to_string(), cx);
        let whole = [vec![gas_fact(block, GasDetail::Gauge)], others].concat();
        let facts = if facts_width(&whole) <= space {
            whole
        } else {
            let gas = [GasDetail::Gauge, GasDetail::Limit, GasDetail::Used]
                .into_iter()
                .map(|detail| gas_fact(block, detail))
                .find(|gas| pieces_width(gas) <= space);
            let others = other_facts(block, |miner| cx.short_name(&miner.hash), cx);
            gas.into_iter().chain(others).collect()
        };
        draw_facts(second, facts, cx, buf);
        let Some(third) = lines.next() else { return };
        let is_first = block.number.value() == Some(&0);
        let ways = [page::PARENT_BLOCK_KEY, page::NEXT_BLOCK_KEY].into_iter();
        let shown = ways.skip(is_first.into()).map(|way| cx.keys.expand(way));
        let keys = shown.collect::<Vec<_>>().join(" · ");
        let columns = u16::try_from(width(&keys)).unwrap_or(u16::MAX);
        let space = usize::from(third.width);
        let each = coin_facts(block, UnitPlace::EachAmount, MAX_COIN_FACTS, cx);
        let has_space = facts_width(&each) + KEYS_GAP + width(&keys) <= space;
        // The last amount that fits has the unit of all.
        let fitting = (1..=MAX_COIN_FACTS)
            .rev()
            .map(|most| coin_facts(block, UnitPlace::LastAmount, most, cx))
            .find(|facts| facts_width(facts) <= space);
        let facts = if has_space { each } else { fitting.unwrap_or_default() };
        let rest = draw_facts(third, facts, cx, buf);
        if KEYS_GAP + usize::from(columns) <= usize::from(rest.width) {
            let at = Rect { x: rest.right() - columns, width: columns, ..rest };
            cx.draw_message(at, &keys, Role::Dim, buf);
        }
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        let block = self.loaded()?;
        let count = match kind {
            PaneKind::Transactions if block.has_unlisted_transactions() => return None,
            PaneKind::Transactions => &block.transactions_count,
            PaneKind::InternalTransactions => &block.internal_transactions_count,
            PaneKind::Withdrawals => &block.withdrawals_count,
            PaneKind::BeaconDeposits => &block.beacon_deposits_count,
            _ => return None,
        };
        count.value().copied().map(RowCount::Exactly)
    }

    fn state(&self) -> PaneState {
        PaneState::default()
    }

    fn can_recover(&self) -> bool {
        self.block.can_recover()
    }

    fn has_block(&self) -> bool {
        self.loaded().is_some()
    }
}

/// Facts about the gas of a block, of which narrow screens have fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GasDetail {
    /// The used gas.
    Used,
    /// The used gas and the limit.
    Limit,
    /// The used gas, the limit, and a gauge of the share.
    Gauge,
}

/// Returns the gas of a block.
fn gas_fact(block: &Block, detail: GasDetail) -> Fact<'_> {
    let count = |n: &Field<u64>| n.display_with(|n| Grouped(n).to_string().into()).into_owned();
    let (used, limit) = (count(&block.gas_used), count(&block.gas_limit));
    let mut gas: Fact<'_> = vec![("gas ".into(), Role::Dim)];
    if let Some(percent) = block.gas_percent() {
        let share = match detail {
            GasDetail::Gauge => format!("{} {percent}%  ", gauge(percent)),
            GasDetail::Limit | GasDetail::Used => format!("{percent}%  "),
        };
        gas.push((share.into(), Role::Plain));
    }
    gas.push((used.into(), Role::Plain));
    if detail != GasDetail::Used {
        gas.push((format!(" of {limit}").into(), Role::Dim));
    }
    gas
}

/// Returns the base fee and the validator, as written by `name`.
fn other_facts<'a>(
    block: &'a Block,
    name: impl Fn(&AddressRef) -> String,
    cx: &PaneContext<'_>,
) -> Vec<Fact<'a>> {
    let base_fee = block.base_fee.display_with(|wei| Unit::Gwei.describe(*wei, cx.network).into());
    let validator = block.miner.value().map(|miner| {
        let warning = if cx.find_lookalike(&miner.hash).is_some() { "! " } else { "" };
        let role = if warning.is_empty() { Role::Link } else { Role::Failed };
        vec![
            ("fee recipient ".into(), Role::Dim),
            (format!("{warning}{}", name(miner)).into(), role),
        ]
    });
    let base_fee = (block.base_fee != Field::Absent)
        .then(|| vec![("base fee ".into(), Role::Dim), (base_fee, Role::Plain)]);
    base_fee.into_iter().chain(validator).collect()
}

/// Least columns between amounts and keys.
const KEYS_GAP: usize = 2;
/// Maximum number of amounts in the line of fees.
const MAX_COIN_FACTS: usize = 3;

/// Place of the unit in a line of amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitPlace {
    EachAmount,
    LastAmount,
}

/// Returns the first fees and rewards with their unit.
fn coin_facts<'a>(
    block: &'a Block,
    unit: UnitPlace,
    most: usize,
    cx: &PaneContext<'a>,
) -> Vec<Fact<'a>> {
    let amounts =
        [("fees ", &block.fees), ("tips ", &block.priority_fee), ("burnt ", &block.burnt_fees)]
            .into_iter()
            .filter(|(_, amount)| **amount != Field::Absent)
            .take(most);
    let readable = |wei: &U256| cx.format.unit.format_readable(*wei, cx.network).text.into();
    let mut facts: Vec<Fact<'_>> = amounts
        .map(|(label, amount)| {
            vec![(label.into(), Role::Dim), (amount.display_with(readable), Role::Plain)]
        })
        .collect();
    let without = match unit {
        UnitPlace::EachAmount => 0,
        UnitPlace::LastAmount => facts.len().saturating_sub(1),
    };
    for fact in facts.iter_mut().skip(without) {
        fact.push((format!(" {}", cx.format.unit.name(cx.network)).into(), Role::Dim));
    }
    facts
}

fn pieces_width(pieces: &[HeaderPiece<'_>]) -> usize {
    pieces.iter().map(|(text, _)| width(text)).sum()
}

/// Returns the columns of facts on one line.
fn facts_width(facts: &[Fact<'_>]) -> usize {
    let texts = facts.iter().map(|fact| pieces_width(fact));
    texts.sum::<usize>() + facts.len().saturating_sub(1) * " · ".chars().count()
}

/// Draws the facts that fit. Returns the space after them.
fn draw_facts(line: Rect, facts: Vec<Fact<'_>>, cx: &PaneContext<'_>, buf: &mut Buffer) -> Rect {
    let mut rest = line;
    for (n, fact) in facts.into_iter().enumerate() {
        let dot = (n > 0).then_some((" · ".into(), Role::Dim));
        let pieces: Fact<'_> = dot.into_iter().chain(fact).collect();
        if pieces_width(&pieces) > rest.width.into() {
            break;
        }
        let styled = pieces.iter().map(|(text, role)| (text, cx.styles.of(*role)));
        let x = draw_pieces(buf, rest, styled);
        rest = Rect { x, width: line.right() - x, ..line };
    }
    rest
}
