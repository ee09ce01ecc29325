//! Entries of amounts: the coin that a transaction sends, and a gas price in a token.

use crate::api::Field;
use crate::api::token::Token;
use crate::chain::U256;
use crate::columns::cells::fee::fee_token_amount;
use crate::columns::cells::token_amount::token_amount;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{coin_entry, field_entry};
use crate::ui::document::{DocumentEntry, EntryValue};

/// Returns the entry of the coin that a transaction sends, in a smaller unit if it is tiny, as lists have it.
pub(super) fn value_entry(value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    let entry = coin_entry("value", value, cx);
    let Some(wei) = value.value().filter(|wei| !wei.is_zero()) else { return entry };
    let unit = cx.format.unit.for_amount(*wei, cx.network);
    let shown = EntryValue::Text(unit.format_exact(*wei, cx.network).into());
    DocumentEntry { value: shown, ..entry }
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
