//! The rows of the start page's feed: a block or a transaction in a line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

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
use crate::ui::address_mark::AddressMark;
use crate::ui::bars::{GAUGE_WIDTH, TRACK, gauge_of};
use crate::ui::format::{cut, width, wrapped_lines};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// From this width on there is space for hashes.
const HASHES_FROM: usize = 60;
/// Columns of a whole hash.
const HASH_WIDTH: usize = 66;
/// Columns of the space around the mark of an outcome, and between a hash and a method.
const GUTTER: usize = 3;
/// Least columns of a bar, and the columns before it.
const MIN_GAS_BAR_WIDTH: usize = 4;
const GAS_BAR_GAP: usize = 2;
/// The columns of a number of transactions, and of the share of the gas limit.
const COUNT_WIDTH: usize = 8;
const SHARE_WIDTH: usize = 5;
/// The least and the most columns of methods.
const METHOD_WIDTHS: [usize; 2] = [9, 22];
/// Minimum columns of the reason of a failure.
const MIN_REASON_WIDTH: usize = 8;

pub(super) type FeedPiece = (String, Style);

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
        (None, None) => return cx.draw_wait(query, area, buf),
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
        texts.extend([(" ".repeat(gap), Style::new()), (age, cx.styles.of(Role::Dim))]);
        draw_pieces(buf, line, texts);
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
    /// Columns of the bars, or zero if there is no space for them.
    bar: usize,
}

impl FeedItem for Block {
    type Columns = BlockColumns;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> BlockColumns {
        // A development node mines what it gets: its blocks are never full.
        let is_limited = !cx.network.is_development();
        let number = widest(items.iter().map(|block| number_text(block)));
        let numbers = 1 + number + COUNT_WIDTH + SHARE_WIDTH;
        let bar = space.saturating_sub(numbers + GAS_BAR_GAP);
        let has_bars = bar >= MIN_GAS_BAR_WIDTH && is_limited;
        BlockColumns {
            number,
            has_share: is_limited && numbers <= space,
            bar: if has_bars { bar.min(GAUGE_WIDTH) } else { 0 },
        }
    }

    fn row(&self) -> Option<StartRow> {
        Some(StartRow::Block(BlockId::Number(*self.number.value()?)))
    }

    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn pieces(&self, columns: &BlockColumns, cx: &PaneContext<'_>) -> Vec<FeedPiece> {
        let style = |role| cx.styles.of(role);
        let number = number_text(self);
        let count = self.transactions_count.display_with(|n| Grouped(n).to_string().into());
        let share = self.gas_percent().map_or("?".into(), |percent| format!("{percent}%"));
        let mut pieces = vec![
            (format!(" {number:>columns$}", columns = columns.number), style(Role::Link)),
            (format!("{:>COUNT_WIDTH$}", format!("{count} tx")), style(Role::Plain)),
        ];
        if columns.bar > 0 {
            let gauge = self.gas_percent().map(|percent| gauge_of(percent, columns.bar));
            let gas = gauge.unwrap_or_else(|| " ".repeat(columns.bar));
            let (used, free) = gas.split_at(gas.trim_end_matches(TRACK).len());
            pieces.push((format!("{:GAS_BAR_GAP$}{used}", ""), style(Role::Value)));
            pieces.push((free.to_owned(), style(Role::Border)));
        }
        if columns.has_share {
            pieces.push((format!("{share:>SHARE_WIDTH$}"), style(Role::Dim)));
        }
        pieces
    }
}

fn number_text(block: &Block) -> String {
    block.number.to_string()
}

/// The form of senders and receivers.
#[derive(Debug, Clone, Copy)]
struct PartyForm {
    has_marks: bool,
    /// `true` if addresses without names are whole.
    is_whole: bool,
}

/// The columns of methods, sender and receiver, and amounts, and whether there are hashes.
#[derive(Debug)]
pub(super) struct TransactionColumns {
    /// Zero if there is no space for hashes.
    hash: usize,
    parties_form: PartyForm,
    method: usize,
    /// Columns of senders, so that the arrows are below each other. Zero if there is no space for that.
    sender: usize,
    parties: usize,
    /// Zero if there is no space for the values.
    value: usize,
}

impl FeedItem for Transaction {
    type Columns = TransactionColumns;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> TransactionColumns {
        let [least, most] = METHOD_WIDTHS;
        let first = items.first().filter(|_| space >= HASHES_FROM);
        let short_hash = first.map_or(0, |item| width(&abbreviate(&item.hash)) + 1);
        let methods = widest(items.iter().map(|item| method_text(item, cx).0)).clamp(least, most);
        let parties = |form, sender| {
            let widths =
                items.iter().map(|item| pieces_width(&parties_pieces(item, form, sender, cx)));
            widths.max().unwrap_or(0)
        };
        let senders = |form| {
            let widths = items.iter().map(|item| pieces_width(&party_pieces(&item.from, form, cx)));
            widths.max().unwrap_or(0)
        };
        let values = widest(items.iter().map(|item| value_text(&item.value, cx)));
        let all = space.saturating_sub(GUTTER);
        let plain = PartyForm { has_marks: false, is_whole: false };
        let marked = PartyForm { has_marks: cx.format.address_marks, ..plain };
        let whole = PartyForm { is_whole: true, ..marked };
        let is_whole =
            short_hash > 0 && short_hash + methods + parties(whole, senders(whole)) + values <= all;
        let form = match is_whole {
            true => whole,
            false if short_hash + least + parties(marked, 0) + values <= all => marked,
            false => plain,
        };
        let value = if short_hash + least + parties(form, 0) + values <= all { values } else { 0 };
        let has_columns = short_hash + least + parties(form, senders(form)) + value <= all;
        let sender = if has_columns { senders(form) } else { 0 };
        let names = parties(form, sender);
        let has_whole_hash = short_hash > 0 && HASH_WIDTH + 1 + methods + names + value <= all;
        let hash = if has_whole_hash { HASH_WIDTH + 1 } else { short_hash };
        let left = all.saturating_sub(hash + value);
        let method = methods.min(left.saturating_sub(names).max(least));
        let parties = left.saturating_sub(method);
        TransactionColumns { hash, parties_form: form, method, sender, parties, value }
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
        let hash = match columns.hash {
            0 => String::new(),
            whole if whole > HASH_WIDTH => self.hash.to_string() + " ",
            _ => abbreviate(&self.hash) + " ",
        };
        let (method, method_role) = method_text(self, cx);
        let style = |role| cx.styles.of(role);
        let mut pieces = vec![
            (mark.to_owned(), style(role)),
            (format!(" {hash}"), style(Role::Link)),
            (padded(&method, columns.method) + " ", style(method_role)),
        ];
        let parties = parties_pieces(self, columns.parties_form, columns.sender, cx);
        let used = pieces_width(&parties);
        if let Some(failure) = failure_piece(self, used, columns, cx) {
            pieces.extend(parties);
            pieces.push(failure);
            return pieces;
        }
        if used > columns.parties {
            let text: String = parties.iter().map(|(text, _)| &**text).collect();
            pieces.push((padded(&text, columns.parties), style(Role::Link)));
        } else {
            pieces.extend(parties);
            pieces.push((" ".repeat(columns.parties - used), Style::new()));
        }
        if columns.value > 0 {
            let value = value_text(&self.value, cx);
            let value = format!("{value:>columns$}", columns = columns.value);
            pieces.push((value, style(Role::Value)));
        }
        pieces
    }
}

/// Returns the reason of a failure in place of the amount, which has not moved. `None` if the reason is
/// unknown or has no space.
fn failure_piece(
    transaction: &Transaction,
    parties: usize,
    columns: &TransactionColumns,
    cx: &PaneContext<'_>,
) -> Option<FeedPiece> {
    let reason = failure_reason(transaction, cx.signature_db, |address| cx.short_name(address))?;
    let space = (columns.parties + columns.value).checked_sub(parties + 2)?;
    let piece = (format!("  {}", padded(&reason, space)), cx.styles.of(Role::Failed));
    (space >= MIN_REASON_WIDTH).then_some(piece)
}

fn method_text(transaction: &Transaction, cx: &PaneContext<'_>) -> (String, Role) {
    if let Some(kind) = transaction.kind_without_method() {
        return (kind.into(), Role::Dim);
    }
    let method = CalledMethod::new(transaction, cx.name_cache, cx.signature_db);
    (method.to_string(), Role::Plain)
}

/// Returns sender and receiver, and the arrow after the columns of senders.
fn parties_pieces(
    transaction: &Transaction,
    form: PartyForm,
    sender: usize,
    cx: &PaneContext<'_>,
) -> Vec<FeedPiece> {
    let is_call = transaction.to.value().is_some();
    let to = if is_call { &transaction.to } else { transaction.created() };
    let mut pieces = party_pieces(&transaction.from, form, cx);
    let space = " ".repeat(sender.saturating_sub(pieces_width(&pieces)));
    pieces.push((space + " → ", cx.styles.of(Role::Dim)));
    pieces.extend(party_pieces(to, form, cx));
    pieces
}

/// Returns the name of a party, or its address.
fn party_pieces(
    party: &Field<AddressRef>,
    form: PartyForm,
    cx: &PaneContext<'_>,
) -> Vec<FeedPiece> {
    let shown = |address: &Address| match cx.name_cache.short_name(address) {
        None if form.is_whole => address.to_string(),
        _ => cx.short_name(address),
    };
    let name = party.display_with(|party| shown(&party.hash).into()).into_owned();
    let address = party.value().filter(|_| form.has_marks).map(|party| party.hash);
    let mark = address.map(|address| AddressMark::new(&address).glyphs(cx.styles));
    mark.map(|[left, right]| [left, right, (" ", Style::new())])
        .into_iter()
        .flatten()
        .map(|(glyph, style)| (glyph.to_owned(), style))
        .chain([(name, cx.styles.of(Role::Link))])
        .collect()
}

fn pieces_width(pieces: &[FeedPiece]) -> usize {
    pieces.iter().map(|(text, _)| width(text)).sum()
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
