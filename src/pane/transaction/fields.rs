//! Entries of single fields: numbers, addresses and amounts, which are copied as whole numbers.

use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::chain::amount::Grouped;
use crate::chain::{U256, amount};
use crate::columns::cells::address_line;
use crate::columns::cells::fee::fee_token_amount;
use crate::columns::cells::token_amount::token_amount;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::field_entry;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::theme::Role;

pub fn number_entry(label: &str, value: &Field<u64>) -> DocumentEntry {
    field_entry(label, value, |n| {
        DocumentEntry::text(label, Grouped(n).to_string()).copy(n.to_string())
    })
}

pub fn address_entry(
    label: &str,
    value: &Field<AddressRef>,
    cx: &PaneContext<'_>,
) -> DocumentEntry {
    field_entry(label, value, |a| {
        let line = address_line(a, cx.name_cache);
        let whole = a.hash.to_string();
        let name = line.strip_prefix(&*whole).unwrap_or_default().trim_start().to_owned();
        DocumentEntry::text(label, whole).link_address(a.hash).side_note(&name)
    })
}

/// Returns the entry of an amount of the chain's coin, which is copied in wei.
pub fn coin_entry(label: &str, value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry(label, value, |wei| {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        let amount = cx.format.unit.format_exact(*wei, cx.network);
        DocumentEntry::text(label, amount).copy(wei.to_string()).role(role)
    })
}

/// Returns the entry of the coin that a transaction sends, in a smaller unit if it is tiny, as lists have it.
pub(super) fn value_entry(value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    let entry = coin_entry("value", value, cx);
    let Some(wei) = value.value().filter(|wei| !wei.is_zero()) else { return entry };
    let unit = cx.format.unit.for_amount(*wei, cx.network);
    let shown = EntryValue::Text(unit.format_exact(*wei, cx.network).into());
    DocumentEntry { value: shown, ..entry }
}

/// Returns the entry of a gas price in gwei, which is copied in wei.
pub fn gas_price_entry(label: &str, value: &Field<U256>) -> DocumentEntry {
    field_entry(label, value, |wei| {
        let gwei = format!("{} gwei", amount::format_exact(*wei, 9));
        DocumentEntry::text(label, gwei).copy(wei.to_string())
    })
}

/// Returns the entry of a gas price in a token.
pub(super) fn token_price_entry(
    label: &str,
    price: &Field<U256>,
    token: &Field<Box<Token>>,
) -> DocumentEntry {
    field_entry(label, price, |price| {
        let amount = fee_token_amount(token, *price, token_amount);
        DocumentEntry::text(label, amount).copy(price.to_string())
    })
}
