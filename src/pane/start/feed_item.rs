//! The rows of the start page's feed: a block or a transaction in a line.

use ratatui::buffer::Buffer;
use ratatui::layout::Margin;
use ratatui::style::Style;

use super::layout::FeedList;
use super::rows::StartRow;
use crate::api::address::AddressRef;
use crate::api::endpoints::block::Block;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Next, Page};
use crate::chain::amount::{Grouped, Unit};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::{Address, BlockId, Timestamp, U256};
use crate::columns::cells::ZERO;
use crate::columns::cells::called_method::CalledMethod;
use crate::columns::cells::failure_reason::failure_reason;
use crate::columns::cells::token_call::{moves_tokens, token_recipient, unknown_moved_token};
use crate::columns::transactions::moved_value;
use crate::messages::column;
use crate::messages::start::{self, StartNote};
use crate::pane::PaneContext;
use crate::pane::section::Section;
use crate::pane::transaction::call_text;
use crate::ui::address_mark::AddressMark;
use crate::ui::charts::{GAUGE_WIDTH, line_bar};
use crate::ui::format::{cut, width, wrapped_lines};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// Minimum columns of a feed with hashes.
const MIN_HASH_COLUMNS: usize = 60;
/// Columns of the mark of an outcome, and of the space before a row and after its method.
const MARK_WIDTH: usize = 2;
const GUTTER: usize = 2;
/// Titles of columns.
const AGE_TITLE: &str = "age";
const BLOCK_TITLE: &str = "block";
const GAS_TITLE: &str = "gas used";
/// Of the share of the gas limit.
const SHARE_TITLE: &str = "full";
/// Of amounts that move. If methods have no column, the names of calls that move none are among them.
const VALUE_TITLE: &str = "value";
/// Columns of the used gas.
const GAS_WIDTH: usize = 14;
/// Least columns of a bar, and the columns before it.
const MIN_GAS_BAR_WIDTH: usize = 8;
const GAS_BAR_GAP: usize = 2;
const COUNT_TITLE: &str = "tx";
/// Columns between a block's number and its count of transactions.
const COUNT_GAP: usize = 2;
/// Columns of number and count with space for their titles.
const MIN_COUNTED_COLUMNS: usize = 8;
/// The columns of the share of the gas limit.
const SHARE_WIDTH: usize = 5;
/// Most columns of amounts, but of coin if there is space for the whole number.
const MAX_VALUE_WIDTH: usize = 14;
/// The least and the most columns of methods.
const METHOD_WIDTHS: [usize; 2] = [9, 22];
/// The least columns of amounts in their place.
const MIN_AMOUNT_WIDTH: usize = 13;
const ARROW: &str = " → ";
/// Columns of the mark of an address with the space after it.
const MARKED_NAME_GAP: usize = 3;
/// Minimum columns of a cut name, as many as a short address has.
const MIN_NAME_COLUMNS: usize = 11;
/// Minimum columns of a call with the arguments of its method.
const MIN_CALL_COLUMNS: usize = 34;
/// Minimum columns of the reason of a failure.
const MIN_REASON_WIDTH: usize = 8;
/// Columns of a reason, with the space before it, for which the names of a failed transaction are cut.
const SHORT_REASON_COLUMNS: usize = 13;
/// Least columns of these names.
const CUT_NAMES_COLUMNS: usize = 12;

pub(super) type FeedPiece = (String, Style);

/// A block or a transaction of the feed.
pub(super) trait FeedItem: Sized {
    /// Common widths of all rows.
    type Columns;
    /// The key of the list with all items.
    const ALL: &'static str;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> Self::Columns;

    /// Returns the titles of the columns before the age.
    fn titles(columns: &Self::Columns) -> String;

    /// Returns the title of the bars after the age and their columns, with the space before them.
    fn bars(_: &Self::Columns) -> (&'static str, usize) {
        ("", 0)
    }

    /// Returns the bar after the age.
    fn bar(&self, _: &Self::Columns) -> String {
        String::new()
    }

    fn row(&self) -> Option<StartRow>;

    fn timestamp(&self) -> &Field<Timestamp>;

    /// Returns its line before its age.
    fn pieces(&self, columns: &Self::Columns, cx: &PaneContext<'_>) -> Vec<FeedPiece>;
}

pub(super) fn loaded<T>(section: &Section<Page<T>>) -> impl Iterator<Item = &T> {
    let items = section.value().into_iter().flat_map(|page| &page.items);
    items.filter_map(|item| item.parsed.as_ref().ok())
}

/// Draws the items of a list, each with its age at the right edge or before its bar.
pub(super) fn draw_list<T: FeedItem>(
    section: &Section<Page<T>>,
    FeedList { titles, rows: area }: FeedList,
    selected: Option<StartRow>,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let note = match (section.value(), section.failure()) {
        (None, Some(why)) if why.is_repeated() => cx.failure(why, None).0,
        (None, Some(why)) => StartNote::Unavailable { why: &cx.reason(why) }.to_string(),
        (None, None) => return cx.draw_wait(section.query(), area, buf),
        (Some(page), _) if page.items.is_empty() => "none yet".to_owned(),
        (Some(_), _) => String::new(),
    };
    let space = usize::from(area.width);
    let text = area.inner(Margin::new(1, 0));
    for (part, line) in wrapped_lines(&note, usize::from(text.width).max(2)).zip(text.rows()) {
        draw_pieces(buf, line, [(part, cx.styles.of(Role::Dim))]);
    }
    let items: Vec<&T> = loaded(section).take(area.height.into()).collect();
    let ages: Vec<String> = items.iter().map(|item| age(item.timestamp(), cx)).collect();
    let left = space.saturating_sub(widest(ages.iter()).max(AGE_TITLE.len()) + 3);
    let columns = T::columns(&items, left, cx);
    let (bar_title, bars) = T::bars(&columns);
    if titles.height > 0 && !items.is_empty() {
        let before_age = space.saturating_sub(AGE_TITLE.len() + bars + 1);
        let text = padded(&T::titles(&columns), before_age);
        let gap = if bars > 0 { " ".repeat(GAS_BAR_GAP) } else { String::new() };
        let line = [&*text, AGE_TITLE, &*gap, bar_title].concat();
        draw_pieces(buf, titles, [(line, cx.styles.of(Role::Title))]);
    }
    let has_older = section.value().is_some_and(|page| matches!(page.next, Next::Page(_)));
    if let Some(line) = text.rows().nth(items.len()).filter(|_| has_older) {
        draw_pieces(buf, line, [(cx.keys.expand(T::ALL), cx.styles.of(Role::Dim))]);
    }
    for ((item, age), line) in items.into_iter().zip(ages).zip(area.rows()) {
        let mut texts = item.pieces(&columns, cx);
        let used: usize = texts.iter().map(|(text, _)| width(text)).sum();
        let gap = space.saturating_sub(used + width(&age) + bars + 1);
        texts.extend([(" ".repeat(gap), Style::new()), (age, cx.styles.of(Role::Dim))]);
        if bars > 0 {
            let bar = " ".repeat(GAS_BAR_GAP) + &item.bar(&columns);
            texts.push((bar, cx.styles.of(Role::Value)));
        }
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
    /// Columns of the counts of transactions, with the space before them.
    count: usize,
    /// `true` if there is space for the share of the gas limit.
    has_share: bool,
    /// `true` if there is space for the used gas.
    has_gas: bool,
    /// Columns of the bars, or zero if there is no space for them.
    bar: usize,
    /// The most gas of a block, whose bar has all columns.
    most_gas: U256,
}

impl FeedItem for Block {
    type Columns = BlockColumns;
    const ALL: &'static str = start::ALL_BLOCKS;

    fn columns(items: &[&Self], space: usize, _: &PaneContext<'_>) -> BlockColumns {
        let number = widest(items.iter().map(|block| number_text(block)));
        let counts = widest(items.iter().map(|block| count_text(block))) + COUNT_GAP;
        let count = counts.max(MIN_COUNTED_COLUMNS.saturating_sub(number));
        let numbers = 1 + number + count + SHARE_WIDTH;
        let has_gas = numbers + GAS_WIDTH + GAUGE_WIDTH + GAS_BAR_GAP <= space;
        let gas = if has_gas { GAS_WIDTH } else { 0 };
        let bar = space.saturating_sub(numbers + gas + GAS_BAR_GAP);
        BlockColumns {
            number,
            count,
            has_share: numbers <= space,
            has_gas,
            bar: if bar >= MIN_GAS_BAR_WIDTH { bar } else { 0 },
            most_gas: items.iter().map(|block| gas_used(block)).max().unwrap_or_default(),
        }
    }

    fn titles(columns: &BlockColumns) -> String {
        let BlockColumns { number, count, has_share, has_gas, .. } = *columns;
        // The title of the numbers may reach into the column of the counts.
        let counts = (number + count).saturating_sub(BLOCK_TITLE.len());
        let mut titles = vec![format!(" {BLOCK_TITLE}{COUNT_TITLE:>counts$}")];
        if has_share {
            titles.push(format!("{SHARE_TITLE:>SHARE_WIDTH$}"));
        }
        if has_gas {
            titles.push(format!("{GAS_TITLE:>GAS_WIDTH$}"));
        }
        titles.concat()
    }

    fn bars(columns: &BlockColumns) -> (&'static str, usize) {
        // The column at the right edge is free too.
        let has_space = columns.bar + 1 >= width(start::GAS_BARS);
        let title = if has_space { start::GAS_BARS } else { column::OF_LARGEST };
        if columns.bar > 0 { (title, columns.bar + GAS_BAR_GAP) } else { ("", 0) }
    }

    fn bar(&self, columns: &BlockColumns) -> String {
        line_bar(gas_used(self), columns.most_gas, columns.bar)
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
        let count = count_text(self);
        let share = self.gas_percent().map_or("?".into(), |percent| format!("{percent}%"));
        let mut pieces = vec![
            (format!(" {number:>columns$}", columns = columns.number), style(Role::Link)),
            (format!("{count:>columns$}", columns = columns.count), style(Role::Plain)),
        ];
        if columns.has_share {
            pieces.push((format!("{share:>SHARE_WIDTH$}"), style(Role::Dim)));
        }
        if columns.has_gas {
            let gas = self.gas_used.display_with(|gas| Grouped(gas).to_string().into());
            pieces.push((format!("{gas:>GAS_WIDTH$}"), style(Role::Plain)));
        }
        pieces
    }
}

/// Returns the used gas, which has no bar if it is unknown.
fn gas_used(block: &Block) -> U256 {
    U256::from(block.gas_used.value().copied().unwrap_or_default())
}

fn number_text(block: &Block) -> String {
    block.number.to_string()
}

fn count_text(block: &Block) -> String {
    block.transactions_count.display_with(|count| Grouped(count).to_string().into()).into_owned()
}

/// The columns of methods, sender and receiver, and amounts, and whether there are hashes.
#[derive(Debug)]
pub(super) struct TransactionColumns {
    /// Columns of the marks of outcomes. Zero if all transactions succeeded.
    mark: usize,
    /// Zero if there is no space for hashes.
    hash: usize,
    party: PartyForm,
    method: usize,
    /// `true` if methods have their arguments.
    has_calls: bool,
    /// Columns of senders, so that the arrows are below each other. Zero if there is no space for that.
    sender: usize,
    parties: usize,
    /// Zero if there is no space for the values: then amounts are in place of the methods that only move them.
    value: usize,
}

/// The form of senders and receivers.
#[derive(Debug, Clone, Copy)]
struct PartyForm {
    /// `true` if there is space for the marks of addresses.
    has_mark: bool,
    /// Maximum columns of a name.
    most_columns: usize,
}

impl PartyForm {
    /// Returns the form of two parties in so many columns, unless addresses would be cut.
    fn cut_to(columns: usize, cx: &PaneContext<'_>) -> Option<Self> {
        let party = columns.saturating_sub(width(ARROW)) / 2;
        [(true, MARKED_NAME_GAP), (false, 0)].into_iter().find_map(|(mark, gap)| {
            let most_columns = party.checked_sub(gap).filter(|most| *most >= MIN_NAME_COLUMNS)?;
            (cx.format.address_marks || !mark).then_some(Self { has_mark: mark, most_columns })
        })
    }
}

impl FeedItem for Transaction {
    type Columns = TransactionColumns;
    const ALL: &'static str = start::ALL_TRANSACTIONS;

    fn columns(items: &[&Self], space: usize, cx: &PaneContext<'_>) -> TransactionColumns {
        let [least, most] = METHOD_WIDTHS;
        let first = items.first().filter(|_| space >= MIN_HASH_COLUMNS);
        let hash = first.map_or(0, |item| width(&abbreviate(&item.hash)) + 1);
        let parties = |form, sender| {
            let widths =
                items.iter().map(|item| pieces_width(&parties_pieces(item, form, sender, cx)));
            widths.max().unwrap_or(0)
        };
        let senders = |form| {
            let widths = items.iter().map(|item| pieces_width(&party_pieces(&item.from, form, cx)));
            widths.max().unwrap_or(0)
        };
        let values = [usize::MAX, MAX_VALUE_WIDTH]
            .map(|most| widest(items.iter().map(|item| value_text(item, most, cx).0)));
        let is_ok = |item: &&Self| item.outcome() == TransactionOutcome::Ok;
        let mark = if items.iter().all(is_ok) { 0 } else { MARK_WIDTH };
        let all = space.saturating_sub(GUTTER + mark);
        let fits = |columns: usize| hash + least + columns <= all;
        let [_, least_value] = values;
        let marked = PartyForm { has_mark: true, most_columns: usize::MAX };
        let has_mark = cx.format.address_marks && fits(parties(marked, 0) + least_value);
        let whole = PartyForm { has_mark, ..marked };
        let names = parties(whole, 0);
        let whole_value = values.into_iter().find(|value| fits(names + value));
        let name_space = all.saturating_sub(hash + least + least_value);
        let cut = PartyForm::cut_to(name_space, cx).filter(|_| whole_value.is_none());
        let party = cut.unwrap_or(whole);
        let value = whole_value.or(cut.map(|_| least_value)).unwrap_or(0);
        let has_columns = fits(parties(party, senders(party)) + value);
        let sender = if has_columns { senders(party) } else { 0 };
        let names = parties(party, sender);
        let called = items.iter().map(|item| method_or_amount(item, value > 0, cx).0);
        let methods = widest(called).clamp(least, most);
        let left = all.saturating_sub(hash + value);
        let rest = left.saturating_sub(names);
        let has_calls = rest >= MIN_CALL_COLUMNS;
        let least = if value > 0 { least } else { MIN_AMOUNT_WIDTH };
        let method = if has_calls { rest } else { methods.min(rest.max(least)) };
        // What is left is on both sides of the parties.
        let left_over = if value > 0 { rest.saturating_sub(method) / 2 } else { 0 };
        let parties = left.saturating_sub(method + left_over);
        TransactionColumns {
            mark,
            hash,
            party,
            method: method + left_over,
            has_calls,
            sender,
            parties,
            value,
        }
    }

    fn titles(columns: &TransactionColumns) -> String {
        let Self::Columns { mark, hash, method, sender, parties, value, .. } = *columns;
        let tx = if hash > 0 { "tx" } else { "" };
        let from = format!("{:sender$}", "from");
        let names = if sender > 0 { from + "   to" } else { "from → to".to_owned() };
        let start = format!(" {:mark$}{tx:hash$}", "");
        if value == 0 {
            return format!("{start}{names:parties$} {VALUE_TITLE:>method$}");
        }
        let called = padded("method", method);
        format!("{start}{called} {names:parties$}{VALUE_TITLE:>value$}")
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
            _ => abbreviate(&self.hash) + " ",
        };
        let (method, method_role) = match method_or_amount(self, columns.value > 0, cx) {
            // The first digits alone would be another amount.
            (amount, Role::Value) if width(&amount) > columns.method => method_text(self, cx),
            shown => shown,
        };
        let failure = failed_call_piece(self, &method, columns, cx);
        let call = call_text(self, cx).filter(|_| columns.has_calls && failure.is_none());
        let method_width = columns.method - failure.as_ref().map_or(0, |(text, _)| width(text));
        let style = |role| cx.styles.of(role);
        let mut pieces = vec![
            (" ".to_owned(), Style::new()),
            (padded(mark, columns.mark), style(role)),
            (hash, style(Role::Link)),
            (padded(&call.unwrap_or(method), method_width), style(method_role)),
        ];
        if columns.value == 0 {
            let amount = pieces.pop().map(|(text, style)| (text.trim_end().to_owned(), style));
            pieces.extend(self.party_columns(columns, cx));
            let space = columns.method + 1;
            pieces.extend(amount.map(|(text, style)| (format!("{text:>space$}"), style)));
            return pieces;
        }
        let has_failed = failure.is_some();
        pieces.extend(failure);
        pieces.push((" ".to_owned(), Style::new()));
        let parties = parties_pieces(self, columns.party, columns.sender, cx);
        let used = pieces_width(&parties);
        if has_failed {
            pieces.extend(parties);
            pieces.push((
                " ".repeat((columns.parties + columns.value).saturating_sub(used)),
                Style::new(),
            ));
            return pieces;
        }
        if let Some(failed) = failed_pieces(self, &parties, columns, cx) {
            pieces.extend(failed);
            return pieces;
        }
        pieces.extend(self.party_columns(columns, cx));
        let (value, role) = value_text(self, columns.value.saturating_sub(1), cx);
        pieces.push((format!("{value:>columns$}", columns = columns.value), style(role)));
        pieces
    }
}

impl Transaction {
    /// Returns sender and receiver in the width of their columns.
    fn party_columns(&self, columns: &TransactionColumns, cx: &PaneContext<'_>) -> Vec<FeedPiece> {
        let mut pieces = parties_pieces(self, columns.party, columns.sender, cx);
        let Some(rest) = columns.parties.checked_sub(pieces_width(&pieces)) else {
            let text: String = pieces.iter().map(|(text, _)| &**text).collect();
            return vec![(padded(&text, columns.parties), cx.styles.of(Role::Link))];
        };
        pieces.push((" ".repeat(rest), Style::new()));
        pieces
    }
}

/// Returns the parties of a failed transaction, cut where the reason would have no space, and the reason.
fn failed_pieces(
    transaction: &Transaction,
    parties: &[FeedPiece],
    columns: &TransactionColumns,
    cx: &PaneContext<'_>,
) -> Option<Vec<FeedPiece>> {
    let used = pieces_width(parties);
    if let Some(failure) = failure_piece(transaction, used, columns, cx) {
        return Some([parties, &[failure]].concat());
    }
    let rest = (columns.parties + columns.value).checked_sub(SHORT_REASON_COLUMNS);
    let most = rest.filter(|most| *most >= CUT_NAMES_COLUMNS)?;
    let failure = failure_piece(transaction, most, columns, cx)?;
    let text: String = parties.iter().map(|(text, _)| &**text).collect();
    Some(vec![(padded(&text, most), cx.styles.of(Role::Link)), failure])
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

/// Returns the reason of a failure after the method, in place of the arguments.
fn failed_call_piece(
    transaction: &Transaction,
    method: &str,
    columns: &TransactionColumns,
    cx: &PaneContext<'_>,
) -> Option<FeedPiece> {
    let name = |address: &Address| cx.short_name(address);
    let reason =
        failure_reason(transaction, cx.signature_db, name).filter(|_| columns.has_calls)?;
    let space = columns.method.checked_sub(width(method) + 2)?;
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

/// Returns the method. If values have no column, the coin that is sent and the known tokens of a transfer are in
/// its place.
fn method_or_amount(
    transaction: &Transaction,
    has_values: bool,
    cx: &PaneContext<'_>,
) -> (String, Role) {
    let names = cx.name_cache;
    let has_failed = transaction.outcome() == TransactionOutcome::Failed;
    let sends_coin = !has_failed && transaction.value.value().is_some_and(|wei| !wei.is_zero());
    let is_amount = || {
        transaction.is_plain_send()
            || sends_coin
            || moves_tokens(transaction, names) && unknown_moved_token(transaction, names).is_none()
    };
    match moved_text(transaction, MAX_VALUE_WIDTH, cx).filter(|_| !has_values && is_amount()) {
        Some(moved) => (moved, Role::Value),
        None => method_text(transaction, cx),
    }
}

/// Returns sender and receiver, of coin or of the tokens that the call moves, and the arrow after the columns
/// of senders.
fn parties_pieces(
    transaction: &Transaction,
    form: PartyForm,
    sender: usize,
    cx: &PaneContext<'_>,
) -> Vec<FeedPiece> {
    let recipient = token_recipient(transaction, cx.name_cache)
        .map(|recipient| Field::Present(AddressRef::unnamed(recipient)));
    let is_call = transaction.to.value().is_some();
    let callee = if is_call { &transaction.to } else { transaction.created() };
    let to = recipient.as_ref().unwrap_or(callee);
    let mut pieces = party_pieces(&transaction.from, form, cx);
    let space = " ".repeat(sender.saturating_sub(pieces_width(&pieces)));
    pieces.push((space + ARROW, cx.styles.of(Role::Dim)));
    pieces.extend(party_pieces(to, form, cx));
    pieces
}

/// Returns the name of a party, or its address.
fn party_pieces(
    party: &Field<AddressRef>,
    form: PartyForm,
    cx: &PaneContext<'_>,
) -> Vec<FeedPiece> {
    let name = party.display_with(|party| cx.short_name(&party.hash).into()).into_owned();
    let address = party.value().filter(|_| form.has_mark).map(|party| party.hash);
    let mark = address.map(|address| AddressMark::new(&address).glyphs(cx.styles));
    mark.map(|[left, right]| [left, right, (" ", Style::new())])
        .into_iter()
        .flatten()
        .map(|(glyph, style)| (glyph.to_owned(), style))
        .chain([(cut(&name, form.most_columns).into_owned(), cx.styles.of(Role::Link))])
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

/// Returns the value after a space: the sent coin, or the tokens that the call moves.
fn value_text(transaction: &Transaction, most: usize, cx: &PaneContext<'_>) -> (String, Role) {
    if let Some(moved) = moved_text(transaction, most, cx) {
        return ([" ", &*moved].concat(), Role::Value);
    }
    let text = transaction.value.display_with(|_| ZERO.into());
    ([" ", &*text].concat(), Role::Dim)
}

/// Returns the coin or the tokens that a transaction moves. An amount of coin is in a larger unit if it needs more
/// columns than `most`: the first digits alone would be another amount.
fn moved_text(transaction: &Transaction, most: usize, cx: &PaneContext<'_>) -> Option<String> {
    let moved_in = |unit| moved_value(transaction, cx.name_cache, (unit, cx.network));
    let moved = moved_in(cx.format.unit)?;
    let is_coin = transaction.value.value().is_some_and(|wei| !wei.is_zero());
    if is_coin && width(&moved) > most {
        return moved_in(Unit::Coin);
    }
    let most = if is_coin { most } else { most.min(MAX_VALUE_WIDTH) };
    Some(cut(&moved, most).into_owned())
}
