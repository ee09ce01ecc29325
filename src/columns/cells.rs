//! Cells that several lists share.

use std::borrow::Cow;

use super::RowContext;
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::api::token_instances::TokenInstance;
use crate::chain::abbreviate::abbreviate;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash, U256, amount};
use crate::route::Route;
use crate::safety::confusables::spoofed_symbol;
use crate::sanitize::SafeText;
use crate::ui::format::{self, cut};
use crate::ui::table::{ColumnWidth, TableCell};
use crate::ui::theme::Role;

/// A column's width: least, most, and rank.
pub const fn column_width(min: u16, max: u16, rank: u8) -> ColumnWidth {
    ColumnWidth { min, max, rank }
}

/// A link to an address.
pub fn address_route(address: &Field<AddressRef>) -> Option<Route> {
    address.value().map(|a| Route::Target(TargetKind::Address(a.hash)))
}

/// A link to a transaction.
pub fn transaction_route(hash: &Field<TxHash>) -> Option<Route> {
    hash.value().map(|hash| Route::Target(TargetKind::Transaction(*hash)))
}

/// Where a token leads: the instances of an NFT contract, else the contract's address.
pub fn token_route(
    token: &Token,
    kind: Option<&SafeText>,
    holder: Option<Address>,
) -> Option<Route> {
    let address = *token.address.value()?;
    let kind = token.kind.value().or(kind);
    Some(match kind.map(|k| &**k) {
        Some("ERC-721" | "ERC-1155" | "ERC-404") => Route::Instances { token: address, holder },
        _ => Route::Target(TargetKind::Address(address)),
    })
}

/// A field's full value for CSV: empty when absent, `?` when unreadable.
pub fn csv_value<T>(field: &Field<T>, show: impl FnOnce(&T) -> String) -> Cow<'_, str> {
    match field {
        Field::Absent => "".into(),
        Field::Present(value) => show(value).into(),
        Field::Invalid(_) => "?".into(),
    }
}

/// A cell for a field: `—` when absent, `?` when unreadable.
pub fn field_cell<T>(field: &Field<T>, show: impl FnOnce(&T) -> TableCell) -> TableCell {
    match field {
        Field::Absent => TableCell::new("—", Role::Dim),
        Field::Present(value) => show(value),
        Field::Invalid(_) => TableCell::new("?", Role::Warning),
    }
}

/// A cell of plain text.
pub fn text_cell(field: &Field<SafeText>) -> TableCell {
    field_cell(field, |text| TableCell::new(text.to_string(), Role::Plain))
}

/// A cell of a number.
pub fn number_cell<T: ToString>(field: &Field<T>) -> TableCell {
    field_cell(field, |n| TableCell::new(n.to_string(), Role::Plain))
}

/// A transaction hash, whole where there is room.
pub fn hash_cell(hash: &Field<TxHash>, room: usize) -> TableCell {
    field_cell(hash, |hash| {
        let text = if room < 66 { abbreviate(hash) } else { hash.to_string() };
        TableCell::new(text, Role::Link)
    })
}

/// An address as wide as there is room: in full, with its name, or shortened; with a `!` when it
/// looks like another that the viewed address has dealt with.
pub fn address_cell(address: &Field<AddressRef>, cx: &RowContext<'_>, room: usize) -> TableCell {
    field_cell(address, |address| {
        let suspicious = cx.known_addresses.find_lookalike(&address.hash).is_some();
        let role = match (suspicious, cx.viewed == Some(address.hash)) {
            (true, _) => Role::Warning,
            (false, true) => Role::Dim,
            (false, false) => Role::Link,
        };
        let mark = if suspicious { "!" } else { "" };
        let text = address_text(address, cx, room.saturating_sub(mark.len()));
        TableCell::new([mark, &text].concat(), role)
    })
}

fn address_text(address: &AddressRef, cx: &RowContext<'_>, room: usize) -> String {
    match cx.name_cache.labels().decorated_name(&address.hash) {
        Some(own) => labelled_text(&address.hash, &own, cx, room),
        None => named_text(&address.hash, address.label().map(|label| &**label), cx, room),
    }
}

/// An address with what the user calls it: that alone says which one is meant, unless another is called
/// the same.
fn labelled_text(address: &Address, own: &str, cx: &RowContext<'_>, room: usize) -> String {
    let short = cx.short_address(address);
    let both = format::width(own) + 1 + format::width(&short);
    if both <= room || !cx.name_cache.labels().has_unique_name(address) {
        return named_text(address, Some(own), cx, room);
    }
    if format::fits(own, room) {
        return own.to_owned();
    }
    // Its marks say whose name it is: they stay when it is cut.
    let inside = own.trim_start_matches('«').trim_end_matches('»');
    let inside = cut(inside, room.saturating_sub(2));
    if room >= 8 && cx.name_cache.labels().is_unique_prefix(inside.trim_end_matches('…')) {
        return ["«", &inside, "»"].concat();
    }
    named_text(address, Some(own), cx, room)
}

fn named_text(address: &Address, name: Option<&str>, cx: &RowContext<'_>, room: usize) -> String {
    let (full, short) = (address.to_string(), cx.short_address(address));
    let left = |hash: &str| room.saturating_sub(format::width(hash) + 1);
    let whole = if full.len() <= room { &full } else { &short };
    // The hash is always there: names are chosen by whoever owns the address.
    match name {
        Some(name) if format::fits(name, left(&full)) => [name, " ", &full].concat(),
        Some(name) if left(&short) >= 4 => [&cut(name, left(&short)), " ", &short].concat(),
        _ => whole.clone(),
    }
}

/// A token's contract: its name stands in a column of its own, so only the user's stands here.
pub fn contract_cell(contract: &Address, cx: &RowContext<'_>, room: usize) -> TableCell {
    let text = match cx.name_cache.labels().decorated_name(contract) {
        Some(own) => labelled_text(contract, &own, cx, room),
        None => named_text(contract, None, cx, room),
    };
    TableCell::new(text, Role::Link)
}

/// A coin amount.
pub fn coin_cell(wei: &Field<U256>, cx: &RowContext<'_>, room: usize) -> TableCell {
    let decimals = cx.format.unit.decimals(cx.network.decimals);
    field_cell(wei, |wei| amount_cell(*wei, decimals, room))
}

/// An amount with so many decimals.
pub fn amount_cell(value: U256, decimals: u8, room: usize) -> TableCell {
    let role = if value.is_zero() { Role::Dim } else { Role::Value };
    TableCell::new(amount::format_to_width(value, decimals, room), role)
}

/// An amount of a token: its decimals are the contract's own claim, and may be missing.
pub fn token_amount(value: U256, decimals: Option<u8>) -> String {
    match decimals {
        Some(decimals) => amount::format_exact(value, decimals),
        None => format!("{} units", amount::format_exact(value, 0)),
    }
}

/// What is done to an amount of a token for the screen.
pub fn decimals_provenance(decimals: Option<u8>) -> SafeText {
    match decimals {
        Some(0) => "whole units: nothing to divide by".into(),
        Some(decimals) => SafeText::new(&format!("divided by 10^{decimals}")),
        None => "not divided: the decimals are not known".into(),
    }
}

/// A token's symbol; marked when it imitates a well-known one.
pub fn symbol_cell(token: &Field<Token>, room: usize) -> TableCell {
    field_cell(token, |token| {
        let symbol = symbol(token);
        match spoofed_symbol(&symbol) {
            Some(_) => {
                TableCell::new(format!("!{}", cut(&symbol, room.saturating_sub(1))), Role::Warning)
            }
            None => TableCell::new(cut(&symbol, room).into_owned(), Role::Link),
        }
    })
}

/// A token's symbol, or what stands for it.
pub fn symbol(token: &Token) -> SafeText {
    match (token.symbol.value(), token.name.value()) {
        (Some(symbol), _) if !symbol.is_empty() => symbol.clone(),
        (_, Some(name)) if !name.is_empty() => name.clone(),
        _ => "—".into(),
    }
}

/// A token in full: symbol, name, standard, contract.
pub fn token_line(token: &Token) -> SafeText {
    let part = |field: &Field<SafeText>| field.display_with(|t| Cow::Borrowed(t)).into_owned();
    let address = token.address.display_with(|a| a.to_string().into());
    SafeText::new(&format!(
        "{address} · {} · {} · {}",
        part(&token.symbol),
        part(&token.name),
        part(&token.kind)
    ))
}

/// What a token's symbol or name pretends to be.
pub fn spoof_warning(token: Option<&Token>) -> Option<SafeText> {
    let token = token?;
    let given = [token.symbol.value(), token.name.value()];
    let imitated = given.into_iter().flatten().find_map(|text| Some((text, spoofed_symbol(text)?)));
    imitated.map(|(text, real)| {
        SafeText::new(&format!("the token's name {text} imitates {real} by look-alike letters"))
    })
}

/// Which one of an NFT's contract: `#` and the id.
pub fn instance_label(instance: &TokenInstance) -> SafeText {
    instance.id.display_with(|id| format!("#{id}").into()).into_owned().into()
}

/// Which way a row goes, seen from the viewed address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferDirection {
    /// To the viewed address.
    In,
    /// From it.
    Out,
    /// Both.
    ToSelf,
    /// Neither: somebody else's, or on somebody's behalf.
    Other,
}

/// Which way from `from` to `to` is for `viewed`.
pub fn transfer_direction(
    viewed: Option<Address>,
    from: &Field<AddressRef>,
    to: &Field<AddressRef>,
) -> TransferDirection {
    let is =
        |party: &Field<AddressRef>| viewed.is_some() && party.value().map(|a| a.hash) == viewed;
    match (is(from), is(to)) {
        (true, true) => TransferDirection::ToSelf,
        (true, false) => TransferDirection::Out,
        (false, true) => TransferDirection::In,
        (false, false) => TransferDirection::Other,
    }
}

impl TransferDirection {
    /// The mark between the two addresses.
    pub fn field_cell(self) -> TableCell {
        match self {
            Self::In => TableCell::new("in →", Role::Ok),
            Self::Out => TableCell::new("out→", Role::Warning),
            Self::ToSelf => TableCell::new("self", Role::Dim),
            Self::Other => TableCell::new("   →", Role::Dim),
        }
    }
}

/// An address and its best name, in full.
pub fn address_line(address: &AddressRef) -> SafeText {
    match address.label() {
        Some(label) => SafeText::new(&format!("{} {label}", address.hash)),
        None => address.hash.to_string().into(),
    }
}

/// An address field and its best name, in full, or the sign for what is missing.
pub fn address_field_line(address: &Field<AddressRef>) -> SafeText {
    address.display_with(|a| Cow::Owned(address_line(a).to_string())).into_owned().into()
}

/// The other side's address of a row, seen from the viewed one.
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

/// An amount of the coin in full, with its unit.
pub fn coin_amount(wei: &Field<U256>, cx: &RowContext<'_>) -> String {
    match wei.value() {
        Some(wei) => cx.format.coin(*wei, cx.network),
        None => format!("{} {}", wei.display_with(|_| "".into()), cx.format.unit.name(cx.network)),
    }
}
