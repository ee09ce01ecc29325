//! Cells that several lists share.

use std::borrow::Cow;

use super::Link;
use super::row::RowCx;
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::api::token_instances::TokenInstance;
use crate::chain::target::Subject;
use crate::chain::{Address, TxHash, U256, amount};
use crate::safety::confusables::imitates;
use crate::sanitize::Text;
use crate::ui::format::{self, cut, short_hash};
use crate::ui::table::{Cell, Width};
use crate::ui::theme::Role;

/// A column's width: least, most, and rank.
pub const fn width(min: u16, max: u16, rank: u8) -> Width {
    Width { min, max, rank }
}

/// A link to an address.
pub fn to_address(address: &Field<AddressRef>) -> Option<Link> {
    address.known().map(|a| Link::Subject(Subject::Address(a.hash)))
}

/// A link to a transaction.
pub fn to_transaction(hash: &Field<TxHash>) -> Option<Link> {
    hash.known().map(|hash| Link::Subject(Subject::Transaction(*hash)))
}

/// Where a token leads: the instances of an NFT contract, else the contract's address.
pub fn to_token(token: &Token, kind: Option<&Text>, holder: Option<Address>) -> Option<Link> {
    let address = *token.address.known()?;
    let kind = token.kind.known().or(kind);
    Some(match kind.map(|k| &**k) {
        Some("ERC-721" | "ERC-1155" | "ERC-404") => Link::Instances { token: address, holder },
        _ => Link::Subject(Subject::Address(address)),
    })
}

/// A field's full value for CSV: empty when absent, `?` when unreadable.
pub fn full<T>(field: &Field<T>, show: impl FnOnce(&T) -> String) -> Cow<'_, str> {
    match field {
        Field::Absent => "".into(),
        Field::Read(value) => show(value).into(),
        Field::Unread(_) => "?".into(),
    }
}

/// A cell for a field: `—` when absent, `?` when unreadable.
pub fn cell<T>(field: &Field<T>, show: impl FnOnce(&T) -> Cell) -> Cell {
    match field {
        Field::Absent => Cell::new("—", Role::Dim),
        Field::Read(value) => show(value),
        Field::Unread(_) => Cell::new("?", Role::Warning),
    }
}

/// A cell of plain text.
pub fn text_cell(field: &Field<Text>) -> Cell {
    cell(field, |text| Cell::new(text.to_string(), Role::Plain))
}

/// A cell of a number.
pub fn number_cell<T: ToString>(field: &Field<T>) -> Cell {
    cell(field, |n| Cell::new(n.to_string(), Role::Plain))
}

/// A transaction hash, whole where there is room.
pub fn hash_cell(hash: &Field<TxHash>, room: usize) -> Cell {
    cell(hash, |hash| {
        let text = if room < 66 { short_hash(hash) } else { hash.to_string() };
        Cell::new(text, Role::Link)
    })
}

/// An address as wide as there is room: in full, with its name, or shortened; with a `!` when it
/// looks like another that the viewed address has dealt with.
pub fn address_cell(address: &Field<AddressRef>, cx: &RowCx<'_>, room: usize) -> Cell {
    cell(address, |address| {
        let suspicious = cx.known.resembles(&address.hash).is_some();
        let role = match (suspicious, cx.viewed == Some(address.hash)) {
            (true, _) => Role::Warning,
            (false, true) => Role::Dim,
            (false, false) => Role::Link,
        };
        let mark = if suspicious { "!" } else { "" };
        let text = address_text(address, cx, room.saturating_sub(mark.len()));
        Cell::new([mark, &text].concat(), role)
    })
}

fn address_text(address: &AddressRef, cx: &RowCx<'_>, room: usize) -> String {
    match cx.seen.labels().shown(&address.hash) {
        Some(own) => own_text(&address.hash, &own, cx, room),
        None => named_text(&address.hash, address.label().map(|label| &**label), cx, room),
    }
}

/// An address with what the user calls it: that alone says which one is meant, unless another is called
/// the same.
fn own_text(address: &Address, own: &str, cx: &RowCx<'_>, room: usize) -> String {
    let short = cx.shortened(address);
    let both = format::width(own) + 1 + format::width(&short);
    if both <= room || !cx.seen.labels().is_unmistakable(address) {
        return named_text(address, Some(own), cx, room);
    }
    if format::fits(own, room) {
        return own.to_owned();
    }
    // Its marks say whose name it is: they stay when it is cut.
    let inside = own.trim_start_matches('«').trim_end_matches('»');
    let inside = cut(inside, room.saturating_sub(2));
    if room >= 8 && cx.seen.labels().begins_unmistakably(inside.trim_end_matches('…')) {
        return ["«", &inside, "»"].concat();
    }
    named_text(address, Some(own), cx, room)
}

fn named_text(address: &Address, name: Option<&str>, cx: &RowCx<'_>, room: usize) -> String {
    let (full, short) = (address.to_string(), cx.shortened(address));
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
pub fn contract_cell(contract: &Address, cx: &RowCx<'_>, room: usize) -> Cell {
    let text = match cx.seen.labels().shown(contract) {
        Some(own) => own_text(contract, &own, cx, room),
        None => named_text(contract, None, cx, room),
    };
    Cell::new(text, Role::Link)
}

/// A coin amount.
pub fn coin_cell(wei: &Field<U256>, cx: &RowCx<'_>, room: usize) -> Cell {
    let decimals = cx.notation.unit.decimals(cx.network.decimals);
    cell(wei, |wei| amount_cell(*wei, decimals, room))
}

/// An amount with so many decimals.
pub fn amount_cell(value: U256, decimals: u8, room: usize) -> Cell {
    let role = if value.is_zero() { Role::Dim } else { Role::Value };
    Cell::new(amount::fitted(value, decimals, room), role)
}

/// An amount of a token: its decimals are the contract's own claim, and may be missing.
pub fn token_amount(value: U256, decimals: Option<u8>) -> String {
    match decimals {
        Some(decimals) => amount::exact(value, decimals),
        None => format!("{} units", amount::exact(value, 0)),
    }
}

/// What is done to an amount of a token for the screen.
pub fn divided(decimals: Option<u8>) -> Text {
    match decimals {
        Some(0) => "whole units: nothing to divide by".into(),
        Some(decimals) => Text::new(&format!("divided by 10^{decimals}")),
        None => "not divided: the decimals are not known".into(),
    }
}

/// A token's symbol; marked when it imitates a well-known one.
pub fn symbol_cell(token: &Field<Token>, room: usize) -> Cell {
    cell(token, |token| {
        let symbol = symbol(token);
        match imitates(&symbol) {
            Some(_) => {
                Cell::new(format!("!{}", cut(&symbol, room.saturating_sub(1))), Role::Warning)
            }
            None => Cell::new(cut(&symbol, room).into_owned(), Role::Link),
        }
    })
}

/// A token's symbol, or what stands for it.
pub fn symbol(token: &Token) -> Text {
    match (token.symbol.known(), token.name.known()) {
        (Some(symbol), _) if !symbol.is_empty() => symbol.clone(),
        (_, Some(name)) if !name.is_empty() => name.clone(),
        _ => "—".into(),
    }
}

/// A token in full: symbol, name, standard, contract.
pub fn token_line(token: &Token) -> Text {
    let part = |field: &Field<Text>| field.show(|t| Cow::Borrowed(t)).into_owned();
    let address = token.address.show(|a| a.to_string().into());
    Text::new(&format!(
        "{address} · {} · {} · {}",
        part(&token.symbol),
        part(&token.name),
        part(&token.kind)
    ))
}

/// What a token's symbol or name pretends to be.
pub fn imitation(token: Option<&Token>) -> Option<Text> {
    let token = token?;
    let given = [token.symbol.known(), token.name.known()];
    let imitated = given.into_iter().flatten().find_map(|text| Some((text, imitates(text)?)));
    imitated.map(|(text, real)| {
        Text::new(&format!("the token's name {text} imitates {real} by look-alike letters"))
    })
}

/// Which one of an NFT's contract: `#` and the id.
pub fn instance_id(instance: &TokenInstance) -> Text {
    instance.id.show(|id| format!("#{id}").into()).into_owned().into()
}

/// Which way a row goes, seen from the viewed address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the viewed address.
    In,
    /// From it.
    Out,
    /// Both.
    Itself,
    /// Neither: somebody else's, or on somebody's behalf.
    Other,
}

/// Which way from `from` to `to` is for `viewed`.
pub fn way(viewed: Option<Address>, from: &Field<AddressRef>, to: &Field<AddressRef>) -> Way {
    let is =
        |party: &Field<AddressRef>| viewed.is_some() && party.known().map(|a| a.hash) == viewed;
    match (is(from), is(to)) {
        (true, true) => Way::Itself,
        (true, false) => Way::Out,
        (false, true) => Way::In,
        (false, false) => Way::Other,
    }
}

impl Way {
    /// The mark between the two addresses.
    pub fn cell(self) -> Cell {
        match self {
            Self::In => Cell::new("in →", Role::Ok),
            Self::Out => Cell::new("out→", Role::Warning),
            Self::Itself => Cell::new("self", Role::Dim),
            Self::Other => Cell::new("   →", Role::Dim),
        }
    }
}

/// An address and its best name, in full.
pub fn address_line(address: &AddressRef) -> Text {
    match address.label() {
        Some(label) => Text::new(&format!("{} {label}", address.hash)),
        None => address.hash.to_string().into(),
    }
}

/// An address field and its best name, in full, or the sign for what is missing.
pub fn party_line(address: &Field<AddressRef>) -> Text {
    address.show(|a| Cow::Owned(address_line(a).to_string())).into_owned().into()
}

/// The other side's address of a row, seen from the viewed one.
pub fn other_side<'a>(
    viewed: Option<Address>,
    from: &'a Field<AddressRef>,
    to: &'a Field<AddressRef>,
) -> Option<&'a AddressRef> {
    match way(viewed, from, to) {
        Way::In => from.known(),
        _ => to.known(),
    }
}

/// An amount of the coin in full, with its unit.
pub fn coin_text(wei: &Field<U256>, cx: &RowCx<'_>) -> String {
    match wei.known() {
        Some(wei) => cx.notation.coin(*wei, cx.network),
        None => format!("{} {}", wei.show(|_| "".into()), cx.notation.unit.name(cx.network)),
    }
}
