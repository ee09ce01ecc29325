//! The rows of the start page's feed: a block or a transaction in a line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::rows::StartRow;
use crate::api::address::AddressRef;
use crate::api::endpoints::block::Block;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Page, Query};
use crate::chain::abbreviate::abbreviate;
use crate::chain::amount::Grouped;
use crate::chain::{Address, BlockId, Timestamp, U256};
use crate::columns::called_method::CalledMethod;
use crate::columns::failure_reason::failure_reason;
use crate::messages::start::StartNote;
use crate::pane::PaneContext;
use crate::pane::header::HeaderSection;
use crate::ui::bars::bar;
use crate::ui::format::{cut, width, wrapped_lines};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// From this width on there is space for bars of gas, and for hashes.
const BARS_FROM: usize = 34;
const HASHES_FROM: usize = 60;
const GAS_BAR_WIDTH: usize = 6;
/// The columns of a number of transactions, and of the share of the gas limit.
const COUNT_WIDTH: usize = 8;
const SHARE_WIDTH: usize = 5;
/// The least and the most columns of methods.
const METHOD_WIDTHS: [usize; 2] = [9, 22];
/// Minimum columns of the reason of a failure.
const MIN_REASON_WIDTH: usize = 8;

pub(super) type FeedPiece = (String, Role);

/// A block or a transaction of the feed.
pub(super) trait FeedItem: Sized {
    /// Common widths of all rows.
    type Columns;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> Self::Columns;

    fn row(&self) -> Option<StartRow>;

    fn timestamp(&self) -> &Field<Timestamp>;

    /// Returns its line, but its age.
    fn pieces(&self, columns: &Self::Columns, cx: &PaneContext<'_>) -> Vec<FeedPiece>;
}

pub(super) fn loaded<T>(section: &HeaderSection<Page<T>>) -> impl Iterator<Item = &T> {
    let items = section.value().into_iter().flat_map(|page| &page.items);
    items.filter_map(|item| item.parsed.as_ref().ok())
}

/// Draws the items of a list, each with its age at the right edge.
pub(super) fn draw_list<T: FeedItem>(
    (section, query): (&HeaderSection<Page<T>>, &Query),
    area: Rect,
    selected: Option<StartRow>,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let note = match (section.value(), section.failure()) {
        (None, Some(why)) if why.is_repeated() => cx.failure(why, None).0,
        (None, Some(why)) => StartNote::Unavailable { why: &cx.reason(why) }.to_string(),
        (None, None) => cx.loading_text(query),
        (Some(page), _) if page.items.is_empty() => "none yet".to_owned(),
        (Some(_), _) => String::new(),
    };
    let space = usize::from(area.width);
    for (part, line) in wrapped_lines(&note, space.max(2)).zip(area.rows()) {
        draw_pieces(buf, line, [(part, cx.styles.of(Role::Dim))]);
    }
    let items: Vec<&T> = loaded(section).take(area.height.into()).collect();
    let ages: Vec<String> = items.iter().map(|item| age(item.timestamp(), cx)).collect();
    let left = space.saturating_sub(widest(ages.iter()) + 3);
    let columns = T::columns(&items, left, cx);
    for ((item, age), line) in items.into_iter().zip(ages).zip(area.rows()) {
        let mut texts = item.pieces(&columns, cx);
        let used: usize = texts.iter().map(|(text, _)| width(text)).sum();
        let gap = space.saturating_sub(used + width(&age) + 1);
        texts.extend([(" ".repeat(gap), Role::Plain), (age, Role::Dim)]);
        let pieces = texts.iter().map(|(text, role)| (&**text, cx.styles.of(*role)));
        draw_pieces(buf, line, pieces);
        if selected.is_some() && item.row() == selected {
            draw_selection(buf, line, cx.styles.selection());
        }
    }
}

fn age(then: &Field<Timestamp>, cx: &PaneContext<'_>) -> String {
    then.display_with(|then| cx.format.short_time(*then, cx.ages(), 0).into()).into_owned()
}

fn widest<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> usize {
    texts.map(|text| width(text.as_ref())).max().unwrap_or(0)
}

/// The columns of numbers of blocks, and their gas.
#[derive(Debug)]
pub(super) struct BlockColumns {
    number: usize,
    /// `true` if there is space for the share of the gas limit.
    has_share: bool,
    /// The gas of the fullest block, if there is space for bars.
    most_gas: Option<u64>,
}

impl FeedItem for Block {
    type Columns = BlockColumns;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> BlockColumns {
        let most = items.iter().filter_map(|block| block.gas_used.value()).max();
        // A development node mines what it gets: its blocks are never full.
        let is_limited = !cx.network.is_development();
        let has_bars = space >= BARS_FROM && is_limited;
        let number = widest(items.iter().map(|block| number_text(block)));
        BlockColumns {
            number,
            has_share: is_limited && number + COUNT_WIDTH + SHARE_WIDTH < space,
            most_gas: has_bars.then(|| most.copied().unwrap_or_default()),
        }
    }

    fn row(&self) -> Option<StartRow> {
        Some(StartRow::Block(BlockId::Number(*self.number.value()?)))
    }

    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn pieces(&self, columns: &BlockColumns, _: &PaneContext<'_>) -> Vec<FeedPiece> {
        let number = number_text(self);
        let count = self.transactions_count.display_with(|n| Grouped(n).to_string().into());
        let used = self.gas_used.value();
        let share = self.gas_percent().map_or("?".into(), |percent| format!("{percent}%"));
        let mut pieces = vec![
            (format!(" {number:>columns$}", columns = columns.number), Role::Link),
            (format!("{:>COUNT_WIDTH$}", format!("{count} tx")), Role::Plain),
        ];
        if let Some(most) = columns.most_gas {
            let [used, most] = [used.copied().unwrap_or_default(), most].map(U256::from);
            pieces.push((format!("  {}", bar(used, most, GAS_BAR_WIDTH)), Role::Dim));
        }
        if columns.has_share {
            pieces.push((format!("{share:>SHARE_WIDTH$}"), Role::Dim));
        }
        pieces
    }
}

fn number_text(block: &Block) -> String {
    block.number.display_with(|number| number.to_string().into()).into_owned()
}

/// The columns of methods, sender and receiver, and amounts, and whether there are hashes.
#[derive(Debug)]
pub(super) struct TransactionColumns {
    has_hash: bool,
    /// `true` if addresses without names are in full.
    has_whole_addresses: bool,
    method: usize,
    parties: usize,
    /// Zero if there is no space for the values.
    value: usize,
}

impl FeedItem for Transaction {
    type Columns = TransactionColumns;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> TransactionColumns {
        let has_hash = space >= HASHES_FROM;
        let hash =
            items.first().filter(|_| has_hash).map_or(0, |item| width(&abbreviate(&item.hash)) + 1);
        let left = space.saturating_sub(3 + hash);
        let [least, most] = METHOD_WIDTHS;
        let parties = |is_whole| widest(items.iter().map(|item| parties_text(item, is_whole, cx)));
        let short_parties = parties(false);
        let value = widest(items.iter().map(|item| value_text(&item.value, cx)));
        let value = if least + short_parties + value <= left { value } else { 0 };
        let method = widest(items.iter().map(|item| method_text(item, cx).0))
            .clamp(least, most)
            .min(left.saturating_sub(short_parties + value).max(least));
        let for_parties = left.saturating_sub(method + value);
        TransactionColumns {
            has_hash,
            has_whole_addresses: parties(true) <= for_parties,
            method,
            parties: for_parties,
            value,
        }
    }

    fn row(&self) -> Option<StartRow> {
        Some(StartRow::Transaction(self.hash))
    }

    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn pieces(&self, columns: &TransactionColumns, cx: &PaneContext<'_>) -> Vec<FeedPiece> {
        let (mark, role) = match self.outcome() {
            TransactionOutcome::Ok => (" ", Role::Plain),
            TransactionOutcome::OkInnerFailure => ("!", Role::Warning),
            TransactionOutcome::Failed => ("✗", Role::Failed),
            TransactionOutcome::Dropped => ("✗", Role::Dim),
            TransactionOutcome::Pending => ("…", Role::Dim),
            TransactionOutcome::Unknown => ("?", Role::Warning),
        };
        let hash = if columns.has_hash { abbreviate(&self.hash) + " " } else { String::new() };
        let (method, method_role) = method_text(self, cx);
        let mut pieces = vec![
            (mark.to_owned(), role),
            (format!(" {hash}"), Role::Link),
            (padded(&method, columns.method) + " ", method_role),
        ];
        let parties = parties_text(self, columns.has_whole_addresses, cx);
        if let Some(pieces_of_failure) = failure_pieces(self, &parties, columns, cx) {
            pieces.extend(pieces_of_failure);
            return pieces;
        }
        pieces.push((padded(&parties, columns.parties), Role::Link));
        if columns.value > 0 {
            let value = value_text(&self.value, cx);
            pieces.push((format!("{value:>columns$}", columns = columns.value), Role::Value));
        }
        pieces
    }
}

/// Returns sender, receiver and the reason of a failure in place of the amount, which has not moved.
/// `None` if the reason is unknown or has no space.
fn failure_pieces(
    transaction: &Transaction,
    parties: &str,
    columns: &TransactionColumns,
    cx: &PaneContext<'_>,
) -> Option<[FeedPiece; 2]> {
    let name = |address: &Address| cx.short_name(address);
    let reason = failure_reason(transaction, cx.signature_db, name)?;
    let space = (columns.parties + columns.value).checked_sub(width(parties) + 2)?;
    let pieces = [(format!("{parties}  "), Role::Link), (padded(&reason, space), Role::Failed)];
    (space >= MIN_REASON_WIDTH).then_some(pieces)
}

fn method_text(transaction: &Transaction, cx: &PaneContext<'_>) -> (String, Role) {
    if let Some(kind) = transaction.kind_without_method() {
        return (kind.into(), Role::Dim);
    }
    let method = CalledMethod::new(transaction, cx.name_cache, cx.signature_db);
    (method.display_with(|method| method.to_string().into()).into_owned(), Role::Plain)
}

fn parties_text(transaction: &Transaction, is_whole: bool, cx: &PaneContext<'_>) -> String {
    let name = |address: &Address| match cx.name_cache.short_name(address) {
        None if is_whole => address.to_string(),
        _ => cx.short_name(address),
    };
    let party = |party: &Field<AddressRef>| {
        party.display_with(|party| name(&party.hash).into()).into_owned()
    };
    let is_call = transaction.to.value().is_some();
    let to = if is_call { &transaction.to } else { transaction.created() };
    format!("{} → {}", party(&transaction.from), party(to))
}

/// Returns a text in exactly so many columns.
fn padded(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let space = columns.saturating_sub(width(&text));
    text.into_owned() + &" ".repeat(space)
}

/// Returns the sent value after a space, or nothing.
fn value_text(value: &Field<U256>, cx: &PaneContext<'_>) -> String {
    let text = value.display_with(|wei| match wei {
        wei if wei.is_zero() => "".into(),
        wei => format!(" {}", cx.format.unit.describe(*wei, cx.network)).into(),
    });
    text.into_owned()
}
