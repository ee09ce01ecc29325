//! Cells and texts that several lists share.

pub mod called_method;
pub mod failure_reason;
pub mod fee;
pub mod log_argument;
pub mod log_event;
pub mod log_line;
pub mod token_amount;
pub mod token_call;

use std::borrow::Cow;

use super::RowContext;
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::nft_instances::TokenInstance;
use crate::api::token::Token;
use crate::api::transactions::TransactionOutcome;
use crate::chain::amount::Grouped;
use crate::chain::fiat_value::FiatValue;
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, abbreviate, keep_ends};
use crate::chain::significant_digits::format_readable;
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId, Timestamp, TxHash, U256, amount};
use crate::messages::token::{self, TokenNote};
use crate::name_cache::{NameCache, name_digits};
use crate::route::Route;
use crate::safety::confusables::spoofed_symbol;
use crate::safety::name_marks::{guard_name, is_quoted};
use crate::sanitize::SafeText;
use crate::ui::address_mark::{AddressMark, MARK_WIDTH};
use crate::ui::charts::line_bar;
use crate::ui::format::{self, cut};
use crate::ui::format_options::FormatOptions;
use crate::ui::table::{LEAD_WIDTH, TableCell};
use crate::ui::theme::Role;

/// Origin of a value that is shown as it was received.
pub const AS_SENT: &str = "as sent";
/// A zero amount.
pub const ZERO: &str = "⋅";
/// Columns of a bar. Narrower ones have too few steps to compare amounts.
pub const BAR_WIDTH: u16 = 14;
const GWEI_DECIMALS: u8 = 9;
/// Digits at each end of a long id.
const ID_END_DIGITS: usize = 6;
/// Minimum columns of a cut name.
const MIN_NAME_WIDTH: usize = 4;
/// Least columns of a name with its address: in a narrower column, no name has its address next to it.
const MIN_NAMED_ADDRESS_WIDTH: usize = 20;
/// Columns below which a name is not written next to a whole address.
const SHORT_NAMES_WIDTH: usize = ADDRESS_WIDTH + 1 + MIN_NAME_WIDTH;

pub fn address_route(address: &Field<AddressRef>) -> Option<Route> {
    address.value().map(|a| Route::Target(TargetKind::Address(a.hash)))
}

pub fn transaction_route(hash: &Field<TxHash>) -> Option<Route> {
    hash.value().map(|hash| Route::Target(TargetKind::Transaction(*hash)))
}

pub fn block_route(number: &Field<u64>) -> Option<Route> {
    number.value().map(|number| Route::Target(TargetKind::Block(BlockId::Number(*number))))
}

/// Returns the route to a token or, for an NFT, to its instances held by an address.
pub fn token_route(token: &Token, holder: Option<Address>) -> Option<Route> {
    let address = *token.address.value()?;
    Some(match (token.kind.value().map(|kind| &**kind), holder) {
        (Some("ERC-721" | "ERC-1155" | "ERC-404"), Some(holder)) => {
            Route::Instances { token: address, holder }
        }
        _ => Route::Token(address),
    })
}

/// Returns a field's full value for CSV: empty if absent, `?` if unreadable.
pub fn csv_value<T: ToString>(field: &Field<T>) -> Cow<'static, str> {
    csv_value_with(field, T::to_string)
}

/// Like [`csv_value`], with a function that writes the value.
pub fn csv_value_with<T>(field: &Field<T>, write: impl FnOnce(&T) -> String) -> Cow<'static, str> {
    match field {
        Field::Absent => "".into(),
        Field::Present(value) => write(value).into(),
        Field::Invalid(_) => "?".into(),
    }
}

/// Returns the cell of a field: `—` if absent, `?` if unreadable.
pub fn field_cell<T>(field: &Field<T>, cell: impl FnOnce(&T) -> TableCell) -> TableCell {
    match field {
        Field::Absent => TableCell::absent(),
        Field::Present(value) => cell(value),
        Field::Invalid(_) => TableCell::new("?", Role::Warning),
    }
}

pub fn text_cell<T: ToString>(field: &Field<T>) -> TableCell {
    field_cell(field, |text| TableCell::new(text.to_string(), Role::Plain))
}

/// Returns a cell with a count, grouped by threes.
pub fn count_cell<T: ToString>(field: &Field<T>) -> TableCell {
    field_cell(field, |n| match n.to_string() {
        zero if zero == "0" => zero_cell(),
        digits => TableCell::new(Grouped(digits).to_string(), Role::Plain),
    })
}

/// Returns a cell with a number whose zero is written: the name of a thing, or the load of an empty block.
pub fn number_cell<T: ToString>(field: &Field<T>) -> TableCell {
    field_cell(field, |n| TableCell::new(Grouped(n.to_string()).to_string(), Role::Plain))
}

/// Returns a cell with the bar of an amount, a part of the whole. A row on its own has no bar.
pub fn bar_cell(
    amount: Option<U256>,
    whole: Option<U256>,
    cx: &RowContext<'_>,
    width: usize,
) -> TableCell {
    let parts = amount.zip(whole).filter(|_| !cx.is_in_full());
    let bar = parts.map(|(amount, whole)| line_bar(amount, whole, width));
    TableCell::new(bar.unwrap_or_default(), Role::Value)
}

pub fn block_cell(number: &Field<u64>) -> TableCell {
    field_cell(number, |number| TableCell::new(number.to_string(), Role::Link))
}

/// Returns a cell with a time in the format of the user's choice.
pub fn time_cell(time: &Field<Timestamp>, cx: &RowContext<'_>, width: usize) -> TableCell {
    field_cell(time, |then| {
        let in_full = cx.is_in_full();
        let format = if in_full { FormatOptions::short_time } else { FormatOptions::column_time };
        TableCell::new(format(cx.format, *then, cx.ages(), width), Role::Plain)
    })
}

pub fn hash_cell(hash: &Field<TxHash>, width: usize) -> TableCell {
    field_cell(hash, |hash| {
        let text = if width < 66 { abbreviate(hash) } else { hash.to_string() };
        TableCell::new(text, Role::Link)
    })
}

/// Returns a cell with an address: in full or abbreviated, with its name if that fits, and with a `!`
/// if it looks like another or the explorer calls it a scam.
pub fn address_cell(address: &Field<AddressRef>, cx: &RowContext<'_>, width: usize) -> TableCell {
    field_cell(address, |address| known_address_cell(address, cx, width))
}

/// Like [`known_address_cell`], without the address where the name identifies it and both do not fit whole.
pub fn name_or_address_cell(address: &AddressRef, cx: &RowContext<'_>, width: usize) -> TableCell {
    let cell = known_address_cell(address, cx, width);
    let has_label = cx.name_cache.labels().decorated_name(&address.hash).is_some();
    let columns = text_width(cx, width);
    let fit_both = best_name(address, cx.name_cache)
        .is_some_and(|name| format::width(name) + 1 + ADDRESS_WIDTH <= columns);
    match name_alone(&address.hash, cx, columns) {
        Some(name) if !has_label && !fit_both && !cx.is_in_full() => {
            TableCell { text: name.into(), ..cell }
        }
        _ => cell,
    }
}

/// Like [`address_cell`], of an address that is always sent.
pub fn known_address_cell(address: &AddressRef, cx: &RowContext<'_>, width: usize) -> TableCell {
    let is_suspicious = cx.is_suspicious(&address.hash);
    let role = match (is_suspicious, cx.viewed == Some(address.hash)) {
        (true, _) => Role::Warning,
        (false, true) => Role::Dim,
        (false, false) => Role::Link,
    };
    let warning = if is_suspicious { "!" } else { "" };
    let width = text_width(cx, width).saturating_sub(warning.len());
    let text = address_text(address, cx, width);
    with_address(&address.hash, TableCell::new([warning, &text].concat(), role), cx)
}

/// Returns the columns left for the text of an address after its mark.
fn text_width(cx: &RowContext<'_>, width: usize) -> usize {
    if has_marks(cx) { width.saturating_sub(MARK_WIDTH.into()) } else { width }
}

fn has_marks(cx: &RowContext<'_>) -> bool {
    cx.format.address_marks && !cx.is_in_full()
}

fn with_address(address: &Address, cell: TableCell, cx: &RowContext<'_>) -> TableCell {
    let mark = has_marks(cx).then(|| AddressMark::new(address));
    TableCell { mark, address: Some(*address), ..cell }
}

/// Returns a cell with the other party of a row, seen from the viewed address, after an arrow: `←` for
/// the sender, `→` for the receiver. If neither side is viewed, the cell has both.
pub fn counterparty_cell(
    from: &Field<AddressRef>,
    to: &Field<AddressRef>,
    cx: &RowContext<'_>,
    width: usize,
) -> TableCell {
    let width = width.saturating_sub(LEAD_WIDTH.into());
    let direction = transfer_direction(cx.viewed, from, to);
    let (arrow, role, party) = match direction {
        TransferDirection::In => ("←", Role::Ok, from),
        TransferDirection::Out => ("→", Role::Dim, to),
        TransferDirection::ToSelf => ("↔", Role::Dim, to),
        TransferDirection::Other => {
            let sender = address_cell(from, cx, 0).text;
            let cell = address_cell(to, cx, 0);
            let text = format!("{sender} → {}", cell.text).into();
            return TableCell { lead: Some((" ", Role::Dim)), mark: None, text, ..cell };
        }
    };
    TableCell { lead: Some((arrow, role)), ..address_cell(party, cx, width) }
}

fn address_text(address: &AddressRef, cx: &RowContext<'_>, width: usize) -> String {
    if let Some(label) = cx.name_cache.labels().decorated_name(&address.hash) {
        return labelled_text(&address.hash, &label, cx, width);
    }
    let name = best_name(address, cx.name_cache);
    // The digits after a name that others have too are part of it.
    let is_shared = cx.name_cache.has_shared_name(&address.hash) && width < SHORT_NAMES_WIDTH;
    let alone = match name {
        Some(_) if width < MIN_NAMED_ADDRESS_WIDTH || is_shared => {
            name_alone(&address.hash, cx, width)
        }
        _ => None,
    };
    alone.unwrap_or_else(|| named_text(&address.hash, name.map(|name| &**name), cx, width))
}

/// Returns the name of an address without its hash, if that identifies it: `alice.eth`, `Pool·Cba6`,
/// `Long na…·Cba6`.
fn name_alone(address: &Address, cx: &RowContext<'_>, width: usize) -> Option<String> {
    let has_own_start = cx.abbreviator?.has_own_start(address);
    let name = cx.name_cache.cached_name(address).filter(|name| !is_quoted(name))?;
    if !has_own_start || cx.is_suspicious(address) {
        return None;
    }
    let alone = cx.name_cache.short_name(address)?;
    if format::fits(&alone, width) {
        return Some(alone.into_owned());
    }
    let digits = name_digits(address);
    let rest = width.saturating_sub(format::width(&digits));
    (rest >= MIN_NAME_WIDTH).then(|| [&cut(name, rest), &*digits].concat())
}

/// Returns an address with its label. A unique label replaces the address if both do not fit.
fn labelled_text(address: &Address, label: &str, cx: &RowContext<'_>, width: usize) -> String {
    let both = format::width(label) + 1 + cx.short_width(address);
    let has_space = both <= width && width >= MIN_NAMED_ADDRESS_WIDTH;
    if has_space || !cx.name_cache.labels().has_unique_name(address) {
        return named_text(address, Some(label), cx, width);
    }
    if format::fits(label, width) {
        return label.to_owned();
    }
    // The marks distinguish a label from a name of the chain, so a cut label keeps them.
    let inside = cut(label.trim_start_matches('«').trim_end_matches('»'), width.saturating_sub(2));
    if width >= 8 && cx.name_cache.labels().is_unique_prefix(inside.trim_end_matches('…')) {
        return ["«", &inside, "»"].concat();
    }
    named_text(address, Some(label), cx, width)
}

/// Returns an address with a name. The address is always there.
fn named_text(address: &Address, name: Option<&str>, cx: &RowContext<'_>, width: usize) -> String {
    // Measured before they are written: the checksum of an address costs more than the rest of a cell.
    let rest_of_short = width.saturating_sub(cx.short_width(address) + 1);
    match name {
        Some(name) if format::fits(name, width.saturating_sub(ADDRESS_WIDTH + 1)) => {
            [name, " ", &cx.whole_address(address)].concat()
        }
        Some(name) if rest_of_short >= MIN_NAME_WIDTH || format::fits(name, rest_of_short) => {
            [&cut(name, rest_of_short), " ", &cx.short_address(address)].concat()
        }
        _ if ADDRESS_WIDTH <= width => cx.whole_address(address).into_owned(),
        _ => cx.short_address(address),
    }
}

/// Returns a cell with a token's contract and its label. Its other name has its own column.
pub fn contract_cell(contract: &Address, cx: &RowContext<'_>, width: usize) -> TableCell {
    with_address(contract, unmarked_contract_cell(contract, cx, text_width(cx, width)), cx)
}

/// Like [`contract_cell`], next to a cell with the mark.
pub fn unmarked_contract_cell(contract: &Address, cx: &RowContext<'_>, width: usize) -> TableCell {
    let text = match cx.name_cache.labels().decorated_name(contract) {
        Some(label) => labelled_text(contract, &label, cx, width),
        None => named_text(contract, None, cx, width),
    };
    TableCell { address: Some(*contract), ..TableCell::new(text, Role::Link) }
}

pub fn coin_cell(wei: &Field<U256>, cx: &RowContext<'_>) -> TableCell {
    let unit = cx.format.unit;
    field_cell(wei, |wei| match *wei {
        wei if cx.is_in_full() || wei.is_zero() => {
            amount_cell(wei, unit.decimals(cx.network.decimals), cx)
        }
        wei => TableCell::number(unit.format_readable(wei, cx.network), Role::Value),
    })
}

/// Returns the cell of a value that a call has from its caller and does not send.
pub fn inherited_cell(value: TableCell) -> TableCell {
    TableCell { text: inherited_text(&value.text).into(), role: Role::Dim, ..value }
}

/// Returns such a value as traces write it: `(2)`.
pub fn inherited_text(value: &str) -> String {
    ["(", value, ")"].concat()
}

/// Returns a cell with a value in dollars: its first digits on the screen, to the cent in full.
pub fn worth_cell(value: Option<FiatValue>, role: Role, cx: &RowContext<'_>) -> TableCell {
    let Some(value) = value else { return TableCell::absent() };
    let text = if cx.is_in_full() { value.exact() } else { value.readable() };
    TableCell::new(text, role)
}

/// Like [`worth_cell`], of a change: `−<$0.01` is a loss of less than a cent.
pub fn signed_worth_cell(
    is_loss: bool,
    value: Option<FiatValue>,
    role: Role,
    cx: &RowContext<'_>,
) -> TableCell {
    let cell = worth_cell(value, role, cx);
    let sign = value.map_or("", |value| value.sign(is_loss));
    TableCell { text: [sign, &cell.text].concat().into(), ..cell }
}

/// Returns a cell with a price of gas.
pub fn gwei_cell(wei: &Field<U256>, cx: &RowContext<'_>) -> TableCell {
    field_cell(wei, |wei| amount_cell(*wei, GWEI_DECIMALS, cx))
}

/// Returns a cell with an amount: its first digits on the screen, all of them in full.
pub fn amount_cell(value: U256, decimals: u8, cx: &RowContext<'_>) -> TableCell {
    match value {
        _ if cx.is_in_full() => TableCell::new(amount::format_exact(value, decimals), Role::Value),
        U256::ZERO => zero_cell(),
        value => TableCell::number(format_readable(value, decimals), Role::Value),
    }
}

pub fn zero_cell() -> TableCell {
    TableCell::new(ZERO, Role::Dim)
}

/// Returns a cell with a token's symbol after the mark of its contract, with a `!` if it imitates a
/// well-known symbol or belongs to a scam.
pub fn symbol_cell(token: &Token, cx: &RowContext<'_>, width: usize) -> TableCell {
    let (symbol, width) = (symbol(token), text_width(cx, width));
    let cell = if spoofed_symbol(&symbol).is_some() || is_scam(token) {
        TableCell::new(format!("!{}", cut(&symbol, width.saturating_sub(1))), Role::Warning)
    } else {
        TableCell::new(cut(&symbol, width).into_owned(), Role::Link)
    };
    match token.address.value() {
        Some(address) => with_address(address, cell, cx),
        None => cell,
    }
}

/// Returns a token's symbol, or else its name, guarded like the names of addresses; `—` without both.
pub fn symbol(token: &Token) -> SafeText {
    given_symbol(token).unwrap_or_else(|| "—".into())
}

/// Returns a token's symbol, with a `!` if it imitates a well-known one.
pub fn marked_symbol(token: &Token) -> String {
    let own = symbol(token);
    let mark = if spoofed_symbol(&own).is_some() { "!" } else { "" };
    [mark, &own].concat()
}

/// Returns a token's symbol, or else its name, if it has one of them.
pub fn given_symbol(token: &Token) -> Option<SafeText> {
    let mut given = [&token.symbol, &token.name].into_iter().filter_map(|field| field.value());
    given.find(|text| !text.is_empty()).cloned().map(guard_name)
}

/// Returns a token's name, or its symbol if it has none.
pub fn token_title(token: &Token) -> SafeText {
    let name = token.name.value().filter(|name| !name.is_empty());
    name.map_or_else(|| symbol(token), |name| guard_name(name.clone()))
}

pub fn token_line(token: &Token) -> SafeText {
    let [name, kind, symbol] = [&token.name, &token.kind, &token.symbol].map(guarded_text);
    SafeText::new(&format!("{} {name} · {kind} {symbol}", token.address))
}

/// Like [`token_line`], without the standard.
pub fn short_token_line(token: &Token) -> SafeText {
    let [name, symbol] = [&token.name, &token.symbol].map(guarded_text);
    SafeText::new(&format!("{} {name} · {symbol}", token.address))
}

fn guarded_text(field: &Field<SafeText>) -> String {
    field.display_with(|text| guard_name(text.clone()).to_string().into()).into_owned()
}

/// Returns the line of a transferred amount, with the token on pages that are not its own.
pub fn amount_line(amount: &str, token: Option<&Token>) -> SafeText {
    match token {
        Some(token) => SafeText::new(&format!("{amount} · {}", token_line(token))),
        None => SafeText::new(amount),
    }
}

/// Returns the warnings about a token: a symbol or name that imitates a well-known one, and a bad
/// reputation.
pub fn token_warnings(token: Option<&Token>) -> Vec<SafeText> {
    let Some(token) = token else { return Vec::new() };
    let given = [token.symbol.value(), token.name.value()];
    let imitated = given.into_iter().flatten().find_map(|text| Some((text, spoofed_symbol(text)?)));
    let imitation = imitated
        .map(|(text, real)| SafeText::new(&TokenNote::Imitation { name: text, real }.to_string()));
    let scam = is_scam(token).then(|| token::SCAM.into());
    imitation.into_iter().chain(scam).collect()
}

pub fn is_scam(token: &Token) -> bool {
    token.reputation.value().is_some_and(|reputation| reputation == "scam")
}

/// Returns the id of an NFT: `#1`.
pub fn instance_label(instance: &TokenInstance) -> SafeText {
    instance.id.display_with(|id| format!("#{id}").into()).into_owned().into()
}

/// Returns at most `width` columns of an id. Both ends are kept, because ids of 78 digits often share
/// their first digits.
pub fn truncate_middle(id: &str, width: usize) -> String {
    let tail = width.saturating_sub(1) / 2;
    keep_ends(id, width.saturating_sub(1) - tail, tail)
}

/// Returns the id of an NFT: on the screen both ends of a long one, which may differ in either.
pub fn id_text(id: &U256, cx: &RowContext<'_>) -> String {
    let text = format!("#{id}");
    if cx.is_in_full() { text } else { keep_ends(&text, ID_END_DIGITS + 1, ID_END_DIGITS) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferDirection {
    In,
    Out,
    ToSelf,
    Other,
}

/// Returns the direction of a row from `from` to `to`.
pub fn transfer_direction(
    viewed: Option<Address>,
    from: &Field<AddressRef>,
    to: &Field<AddressRef>,
) -> TransferDirection {
    let is = |party: &Field<AddressRef>| viewed.is_some() && party.hash() == viewed;
    match (is(from), is(to)) {
        (true, true) => TransferDirection::ToSelf,
        (true, false) => TransferDirection::Out,
        (false, true) => TransferDirection::In,
        (false, false) => TransferDirection::Other,
    }
}

impl TransferDirection {
    pub fn word(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::ToSelf => "self",
            Self::Other => "",
        }
    }
}

/// Returns an address in full with its best name.
pub fn address_line(address: &AddressRef, names: &NameCache) -> SafeText {
    let known = names.name_without_label(&address.hash);
    match known.as_deref().or(address.label().map(|label| &**label)) {
        Some(name) => SafeText::new(&format!("{} {name}", address.hash)),
        None => address.hash.to_string().into(),
    }
}

/// Like [`address_line`]: `—` if absent, `?` if unreadable.
pub fn address_field_line(address: &Field<AddressRef>, cx: &RowContext<'_>) -> SafeText {
    address
        .display_with(|a| Cow::Owned(address_line(a, cx.name_cache).to_string()))
        .into_owned()
        .into()
}

/// Returns a mark for every outcome but plain success, or the outcome in full.
pub fn outcome_cell(outcome: TransactionOutcome, cx: &RowContext<'_>) -> TableCell {
    let (mark, full, role) = match outcome {
        TransactionOutcome::Ok => ("", "✓ ok", Role::Ok),
        TransactionOutcome::OkInnerFailure => ("!", "✓ inner ✗", Role::Warning),
        TransactionOutcome::Failed => ("✗", "✗ failed", Role::Failed),
        TransactionOutcome::Dropped => ("✗", "✗ dropped", Role::Dim),
        TransactionOutcome::Pending => ("…", "… pending", Role::Dim),
        TransactionOutcome::Unknown => ("?", "?", Role::Warning),
    };
    TableCell::new(if cx.is_in_full() { full } else { mark }, role)
}

/// Returns the word of an outcome in CSV, the same in all lists.
pub fn outcome_word(outcome: TransactionOutcome) -> &'static str {
    match outcome {
        TransactionOutcome::Ok | TransactionOutcome::OkInnerFailure => "ok",
        TransactionOutcome::Failed => "failed",
        TransactionOutcome::Dropped => "dropped",
        TransactionOutcome::Pending => "pending",
        TransactionOutcome::Unknown => "?",
    }
}

/// Returns the mark of an outcome before its words.
pub fn outcome_mark(outcome: TransactionOutcome) -> &'static str {
    match outcome {
        TransactionOutcome::Ok => "✓ ",
        TransactionOutcome::OkInnerFailure => "! ",
        TransactionOutcome::Failed | TransactionOutcome::Dropped => "✗ ",
        TransactionOutcome::Pending | TransactionOutcome::Unknown => "",
    }
}

/// Returns the name of an address that rows, their details and pages show: the best one that is known,
/// else the one of this reply.
fn best_name<'a>(address: &'a AddressRef, names: &'a NameCache) -> Option<&'a SafeText> {
    names.cached_name(&address.hash).or_else(|| address.label())
}

/// Returns the other party of a row, seen from the viewed address.
pub fn counterparty<'a>(
    viewed: Option<Address>,
    from: &'a Field<AddressRef>,
    to: &'a Field<AddressRef>,
) -> Option<&'a AddressRef> {
    match transfer_direction(viewed, from, to) {
        TransferDirection::In => from.value(),
        _ => to.value(),
    }
}

pub fn coin_amount(wei: &Field<U256>, cx: &RowContext<'_>) -> String {
    match wei.value() {
        Some(wei) => cx.format.unit.format_exact(*wei, cx.network),
        None => format!("{} {}", wei.display_with(|_| "".into()), cx.format.unit.name(cx.network)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Query, TokenQuery};
    use crate::chain::hash_abbreviation::Abbreviator;
    use crate::name_cache::NameCache;
    use crate::safety::address_poisoning::{Evidence, KnownAddresses};
    use crate::safety::name_marks::{guard_name, is_quoted};
    use crate::user_data::labels::Labels;

    const TOKEN: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cffeb92266";
    const ALIKE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

    #[test]
    fn names_like_outcomes_are_quoted() {
        use TransactionOutcome::{Dropped, Failed, Ok, OkInnerFailure, Pending, Unknown};
        for outcome in [Ok, OkInnerFailure, Failed, Dropped, Pending, Unknown] {
            let name = guard_name(outcome_word(outcome).into());
            assert!(is_quoted(&name), "{name}");
        }
    }

    /// Returns the name of the token alone, if it has this symbol and these addresses are known.
    fn token_alone(symbol: &str, known: &KnownAddresses, width: usize) -> Option<String> {
        let token: Address = TOKEN.parse().unwrap();
        let query = Query::Token(token, TokenQuery::Details);
        let body = format!(r#"{{"address_hash":"{token}","symbol":"{symbol}","type":"ERC-20"}}"#);
        let mut names = NameCache::default();
        names.ingest(&query, &query.decode(body.as_bytes(), None).unwrap());
        let abbreviator = Abbreviator::new([token]);
        let cx = RowContext {
            name_cache: &names,
            known_addresses: known,
            abbreviator: Some(&abbreviator),
            ..RowContext::blank()
        };
        name_alone(&token, &cx, width)
    }

    #[test]
    fn name_stands_alone_if_it_identifies_the_address() {
        let mut known = KnownAddresses::default();
        assert_eq!(token_alone("USDC", &known, 4).as_deref(), Some("USDC"));
        assert_eq!(token_alone("LongSymbol", &known, 9).as_deref(), Some("Lon…·f39F"));
        assert_eq!(token_alone("LongSymbol", &known, 8), None, "less would say nothing");
        known.add(ALIKE.parse().unwrap(), Evidence::PaidIn(TxHash::ZERO));
        assert_eq!(token_alone("USDC", &known, 4), None, "it may be an imitation");
    }

    #[test]
    fn label_of_two_addresses_is_never_alone() {
        for (other, is_alone) in [("Other", true), ("Shared", false)] {
            let file = format!("{TOKEN},Shared,\n0x{},{other},\n", "11".repeat(20));
            let mut names = NameCache::default();
            names.set_labels(Labels::from_csv(&file).into());
            let abbreviator = Abbreviator::default();
            let cx = RowContext {
                name_cache: &names,
                abbreviator: Some(&abbreviator),
                ..RowContext::blank()
            };
            let cell = known_address_cell(&AddressRef::unnamed(TOKEN.parse().unwrap()), &cx, 12);
            assert_eq!(cell.text == "«Shared»", is_alone, "{}", cell.text);
        }
    }

    #[test]
    fn zero_is_a_number_but_no_count() {
        let zero = Field::Present(0);
        assert_eq!([number_cell(&zero).text, count_cell(&zero).text], ["0", "⋅"]);
    }

    #[test]
    fn address_of_a_scam_is_marked() {
        let mut names = NameCache::default();
        let query = Query::Transaction(TxHash::ZERO, crate::api::TransactionQuery::Details);
        let sender = format!(r#""from":{{"hash":"{TOKEN}","name":"Claim","is_scam":true}}"#);
        let body = format!(r#"{{"hash":"{}",{sender}}}"#, TxHash::ZERO);
        names.ingest(&query, &query.decode(body.as_bytes(), None).unwrap());
        let cx = RowContext { name_cache: &names, ..RowContext::blank() };
        let cell = known_address_cell(&AddressRef::unnamed(TOKEN.parse().unwrap()), &cx, 80);
        assert!(cell.text.starts_with('!'), "{}", cell.text);
        assert_eq!(cell.role, Role::Warning);
    }

    #[test]
    fn hash_is_whole_where_it_fits() {
        let hash = TxHash::repeat_byte(0xab);
        let cell = |width| hash_cell(&Field::Present(hash), width).text.to_string();
        assert_eq!([65, 66].map(cell), ["0xabab…abab".to_owned(), hash.to_string()]);
    }
}
