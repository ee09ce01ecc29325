//! The transfers of tokens and of the coin next to the balance changes, with the calls that made them.

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::amount::Grouped;
use crate::chain::{Address, TxHash, U256};
use crate::columns::Row;
use crate::messages::column;
use crate::pane::PaneContext;
use crate::pane::balance_changes::lines::{AssetFormatter, moved_asset};
use crate::trace::CallTree;
use crate::trace::balance_changes::Asset;
use crate::trace::tree::FrameClass;
use crate::ui::format::{cut, width};
use crate::ui::marked_text::MarkedText;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// Maximum calls with a value that are looked at for a frame.
const MAX_LISTED_COIN_CALLS: usize = 2_000;
/// Sign between a caller and its call.
const ARROW: &str = " → ";
/// A caller with less space is left out.
const MIN_CALLER_COLUMNS: usize = 4;

/// Least columns of a list whose depths have a title of their own.
const MIN_TITLED_COLUMNS: u16 = 90;
/// Columns between a depth and its call.
const GAP: usize = 2;

fn has_depth_title(columns: u16) -> bool {
    columns >= MIN_TITLED_COLUMNS
}

/// Returns the titles over the calls of a list that is `columns` wide.
pub fn calls_title(columns: u16) -> String {
    if has_depth_title(columns) {
        [column::DEPTH, &" ".repeat(GAP), column::MOVED_BY].concat()
    } else {
        [column::DEPTH, ", ", column::MOVED_BY].concat()
    }
}

/// `true` if functions are written after their contracts.
pub struct WithContracts(pub bool);

/// Transfers in their order.
pub struct Moves<'a> {
    pub rows: Vec<Move<'a>>,
    /// There are more calls with a value, which may have moved coin.
    pub has_others: bool,
}

/// The calls that made the transfers.
pub struct TransferCalls<'a> {
    pub transaction: Option<&'a Transaction>,
    pub tree: &'a CallTree,
    /// The calls of token transfers by their logs.
    pub by_log: HashMap<u64, u32>,
    /// Returns the caller of a call and the call in words, with or without their contracts.
    pub names: &'a dyn Fn(u32, WithContracts) -> (Option<String>, String),
}

impl<'a> TransferCalls<'a> {
    /// Returns a call after the one that made it.
    fn whole_text(&self, call: u32) -> String {
        let (caller, call) = (self.names)(call, WithContracts(true));
        caller.map_or_else(|| call.clone(), |caller| [&*caller, ARROW, &call].concat())
    }

    /// Returns a call after the one that made it, without their contracts: sender and receiver say them. The caller
    /// is shortened, because the call says more of a transfer.
    fn short_text(&self, call: u32, columns: usize) -> String {
        let (caller, call) = (self.names)(call, WithContracts(false));
        let space = columns.saturating_sub(width(&call) + width(ARROW));
        match caller.filter(|_| space >= MIN_CALLER_COLUMNS) {
            Some(caller) => [&*cut(&caller, space), ARROW, &call].concat(),
            None => cut(&call, columns).into_owned(),
        }
    }

    /// Returns the calls that made transfers, after their depths, which have a title of their own if there is space.
    /// All are without contracts if one does not fit.
    fn texts(&self, moves: &[MoveLine], columns: usize, has_space: bool) -> Vec<String> {
        let depth = |call: u32| self.tree.ancestors(call).count().to_string();
        let calls = || moves.iter().filter_map(|moved| moved.call);
        let widest = calls().map(|call| depth(call).len()).max().unwrap_or_default();
        let (depths, gap) = if has_space { (column::DEPTH.len(), GAP) } else { (widest, 1) };
        let space = columns.saturating_sub(depths + gap);
        let is_short = calls().any(|call| width(&self.whole_text(call)) > space);
        let text = |call| {
            let text = if is_short { self.short_text(call, space) } else { self.whole_text(call) };
            format!("  {:>depths$}{:gap$}{text}", depth(call), "")
        };
        moves.iter().map(|moved| moved.call.map(text).unwrap_or_default()).collect()
    }

    /// Returns the formatter of the amounts of transfers.
    pub fn assets<'m>(&self, moves: &[Move<'m>], cx: &PaneContext<'m>) -> AssetFormatter<'m>
    where
        'a: 'm,
    {
        let rate = self.transaction.and_then(Transaction::current_coin_rate);
        let tokens = moves.iter().filter_map(|moved| match moved {
            Move::Token { transfer, .. } => Some(*transfer),
            Move::Coin(_) => None,
        });
        AssetFormatter::new(cx.network, cx.format.unit, rate, tokens)
    }

    /// Returns the transfers: all, or an account's. Transfers of tokens are in the order of their logs, and coin
    /// is moved before the first log of its call or of a later one.
    pub fn moves<'t>(
        &self,
        hash: TxHash,
        account: Option<Address>,
        cx: &PaneContext<'t>,
    ) -> Moves<'t> {
        let with_value = self.tree.frames_of(FrameClass::WithValue);
        let has_others = with_value.len() > MAX_LISTED_COIN_CALLS;
        let first = with_value.iter().take(MAX_LISTED_COIN_CALLS).copied();
        let mut coin = first.filter(|call| self.moves_coin(*call, account)).peekable();
        let mut moves = Vec::new();
        for (number, transfer) in (1..).zip(cx.name_cache.transfers(&hash)) {
            if account.is_some_and(|one| !parties(transfer).contains(&Some(one))) {
                continue;
            }
            let call = transfer.log_index.value().and_then(|log| self.by_log.get(log)).copied();
            while let Some(earlier) = coin.next_if(|coin| call.is_some_and(|call| *coin <= call)) {
                moves.push(Move::Coin(earlier));
            }
            moves.push(Move::Token { number, transfer, call });
        }
        moves.extend(coin.map(Move::Coin));
        Moves { rows: moves, has_others }
    }

    /// Returns `true` if a call moves coin, from or to an account if one is given.
    fn moves_coin(&self, call: u32, account: Option<Address>) -> bool {
        let Some(frame) = self.tree.get(call) else { return false };
        let has_value = || self.tree.value(call).is_some_and(|wei| !wei.is_zero());
        let is_party =
            |one| [frame.from, frame.to].iter().any(|party| self.tree.address(*party) == Some(one));
        frame.kind.moves_value()
            && frame.is_committed()
            && account.is_none_or(is_party)
            && has_value()
    }
}

/// Returns sender and receiver of a transfer.
fn parties(transfer: &TokenTransfer) -> [Option<Address>; 2] {
    [transfer.from.hash(), transfer.to.hash()]
}

/// A transfer of a token, or of the chain's coin by a call.
pub enum Move<'a> {
    Token {
        /// The number among the token transfers.
        number: usize,
        transfer: &'a TokenTransfer,
        /// The call that made it, if it is known.
        call: Option<u32>,
    },
    Coin(u32),
}

impl Move<'_> {
    /// Returns the call that made it, if it is known.
    pub fn call(&self) -> Option<u32> {
        match *self {
            Self::Token { call, .. } => call,
            Self::Coin(call) => Some(call),
        }
    }

    /// Returns sender and receiver.
    pub fn parties(&self, tree: &CallTree) -> [Option<Address>; 2] {
        match *self {
            Self::Token { transfer, .. } => parties(transfer),
            Self::Coin(call) => {
                let frame = tree.get(call);
                let spans = [frame.map(|frame| frame.from), frame.map(|frame| frame.to)];
                spans.map(|party| tree.address(party?))
            }
        }
    }

    /// Returns the moved asset and its amount, if it can be read.
    pub fn amount(&self, tree: &CallTree) -> Option<(Asset, U256)> {
        match *self {
            Self::Token { transfer, .. } => moved_asset(transfer),
            Self::Coin(call) => Some((Asset::Coin, tree.value(call)?)),
        }
    }
}

/// The parts of a transfer's line.
struct MoveLine {
    number: String,
    call: Option<u32>,
    parties: [Option<Address>; 2],
    amount: String,
    /// ` ($12.34)` by today's rate, or nothing.
    fiat: String,
}

impl MoveLine {
    fn new(moved: &Move<'_>, assets: &AssetFormatter<'_>, tree: &CallTree) -> Self {
        let (number, mark, unread) = match *moved {
            Move::Token { number, transfer, .. } => {
                let mark = if transfer.warnings().is_empty() { "" } else { "!" };
                (number.to_string(), mark, transfer.summary())
            }
            Move::Coin(_) => (String::new(), "", "?".to_owned()),
        };
        let shown = moved.amount(tree).map(|(asset, all)| assets.amount(asset, all, mark));
        let (amount, fiat) =
            shown.map_or_else(|| (unread, String::new()), |shown| (shown.text, shown.fiat));
        Self { number, call: moved.call(), parties: moved.parties(tree), amount, fiat }
    }

    /// Returns sender and receiver, a selected one as such.
    fn cells(&self, selected: Option<Address>, cx: &PaneContext<'_>) -> [MarkedText; 2] {
        let [from, to] = self.parties;
        [(from, "mint"), (to, "burn")].map(|(party, word)| match party {
            Some(party) if party.is_zero() && !self.number.is_empty() => {
                MarkedText::new(word, Role::Dim)
            }
            Some(party) => {
                let role = if selected == Some(party) { Role::Highlight } else { Role::Link };
                let mark = cx.address_mark(&party);
                MarkedText { mark, ..MarkedText::new(cx.short_name(&party), role) }
            }
            None => MarkedText::new("?", Role::Warning),
        })
    }
}

/// The calls next to drawn transfers.
pub struct DrawnCalls {
    pub x: u16,
    /// `true` if the names of some are guesses.
    pub has_guesses: bool,
}

/// Draws transfers. Those without space are counted. Returns the place of the calls, if there are any.
pub fn draw_transfers(
    Moves { rows: moves, has_others }: &Moves<'_>,
    (selected, calls): (Option<Address>, &TransferCalls<'_>),
    area: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) -> Option<DrawnCalls> {
    let space = usize::from(area.height);
    let shown = if moves.len() + usize::from(*has_others) > space {
        space.saturating_sub(1).min(moves.len())
    } else {
        moves.len()
    };
    let hidden = moves.len() - shown;
    let assets = calls.assets(moves.get(..shown).unwrap_or(moves), cx);
    let listed: Vec<MoveLine> =
        moves.iter().take(shown).map(|moved| MoveLine::new(moved, &assets, calls.tree)).collect();
    let parties: Vec<_> = listed.iter().map(|moved| moved.cells(selected, cx)).collect();
    let [from, to] = [0, 1].map(|side| {
        let widths = parties.iter().map(|parties| parties[side].width());
        widths.max().unwrap_or_default()
    });
    let widest = |text: fn(&MoveLine) -> &str| {
        listed.iter().map(|moved| width(text(moved))).max().unwrap_or_default()
    };
    let (numbers, amounts) = (widest(|moved| &moved.number), widest(|moved| &moved.amount));
    let worth = widest(|moved| &moved.fiat);
    let used = numbers + usize::from(numbers > 0) + from + 3 + to + 2 + amounts + worth + 2;
    let space = usize::from(area.width).saturating_sub(used);
    let texts = calls.texts(&listed, space, has_depth_title(area.width));
    let mut lines = area.rows();
    let dim = cx.styles.of(Role::Dim);
    let rows = listed.iter().zip(&parties).zip(&texts);
    for (((moved, [sender, receiver]), call), line) in rows.zip(lines.by_ref()) {
        let number =
            if numbers > 0 { format!("{:>numbers$} ", moved.number) } else { String::new() };
        let arrow = format!("{:1$} → ", "", from - sender.width());
        let gap = " ".repeat(to - receiver.width() + 2 + amounts - width(&moved.amount));
        let amount = format!("{}{:<worth$}", moved.amount, moved.fiat);
        let after = [(&*gap, Style::new()), (&*amount, cx.styles.of(Role::Value))];
        let pieces = [(&*number, dim)]
            .into_iter()
            .chain(sender.pieces(cx.styles))
            .chain([(&*arrow, dim)])
            .chain(receiver.pieces(cx.styles))
            .chain(after)
            .chain([(&**call, dim)]);
        draw_pieces(buf, line, pieces);
    }
    let count = match (hidden, has_others) {
        (0, false) => None,
        (0, true) => Some("?".to_owned()),
        (_, false) => Some(Grouped(hidden).to_string()),
        (_, true) => Some(format!("{}+", Grouped(hidden))),
    };
    if let Some((line, count)) = lines.next().zip(count) {
        draw_text(buf, line, &format!("… {count} more"), dim);
    }
    let has_calls = space > 0 && listed.iter().any(|moved| moved.call.is_some());
    let has_guesses = texts.iter().any(|text| text.contains('?'));
    let x = u16::try_from(used).ok().filter(|_| has_calls)?;
    Some(DrawnCalls { x, has_guesses })
}
