//! Amounts of tokens: their decimals, and their text.

use super::{amount_cell, field_cell, id_text, symbol, zero_cell};
use crate::api::Field;
use crate::api::token::Token;
use crate::api::token_transfers::TransferAmount;
use crate::chain::significant_digits::format_readable;
use crate::chain::{Address, TxHash, U256, amount};
use crate::columns::RowContext;
use crate::messages::call::CallNote;
use crate::messages::column::{self, ValueOrigin};
use crate::messages::token;
use crate::name_cache::NameCache;
use crate::safety::confusables::spoofed_symbol;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Writes an amount with its decimals, if they are known.
pub type WriteAmount = fn(U256, Option<u8>) -> String;

/// Returns the decimals of an amount of a token, or `None` if they are unknown. `sent` are the decimals
/// that came with the amount.
pub fn amount_decimals(
    token: Option<&Token>,
    standard: Option<&SafeText>,
    sent: &Field<u8>,
) -> Option<u8> {
    let of_token = token.map_or(&Field::Absent, |token| &token.decimals);
    match (standard.map(|standard| &**standard), sent, of_token) {
        // NFTs are counted, in ERC-721 whatever the contract reports.
        (Some("ERC-721"), ..) | (Some("ERC-1155"), Field::Absent, Field::Absent) => Some(0),
        (_, Field::Present(decimals), _) | (_, Field::Absent, Field::Present(decimals)) => {
            Some(*decimals)
        }
        _ => None,
    }
}

/// Returns the decimals in a token's metadata.
pub fn token_decimals(token: &Token) -> Option<u8> {
    amount_decimals(Some(token), token.kind.value(), &Field::Absent)
}

/// Returns an amount in full. Without decimals it counts units.
pub fn token_amount(value: U256, decimals: Option<u8>) -> String {
    match decimals {
        Some(decimals) => amount::format_exact(value, decimals),
        None => amount::format_exact(value, 0) + units(value),
    }
}

/// Returns an amount's first digits. Without decimals it counts units.
pub fn short_token_amount(value: U256, decimals: Option<u8>) -> String {
    let shown = format_readable(value, decimals.unwrap_or_default()).text;
    if decimals.is_some() { shown } else { shown + units(value) }
}

fn units(value: U256) -> &'static str {
    if value == U256::ONE { " unit" } else { " units" }
}

/// Returns an amount of a known token with its symbol: `2,490.26 WTH`.
pub fn known_token_amount(names: &NameCache, token: &Address, value: U256) -> Option<String> {
    let token = names.name(token)?.token.as_ref()?;
    let (symbol, decimals) = (token.symbol.as_ref()?, token.decimals?);
    let is_fungible = token.standard.as_ref().is_none_or(|standard| standard == "ERC-20");
    let mark = if spoofed_symbol(symbol).is_some() { "!" } else { "" };
    let shown = format_readable(value, decimals).text;
    (is_fungible && value != U256::MAX).then(|| format!("{shown} {mark}{symbol}"))
}

/// Returns a number in the unit of the token of which a transaction moved exactly so much.
pub fn moved_amount(names: &NameCache, transaction: &TxHash, value: U256) -> Option<String> {
    let token = names.token_of_amount(transaction, &value)?;
    known_token_amount(names, token, value)
}

/// Returns the note of an amount with the number that it is in the data, unless it shows the same digits.
pub fn raw_note(amount: &str, number: &str) -> String {
    if amount.split(' ').next() == Some(number) {
        return String::new();
    }
    CallNote::Raw { number }.to_string()
}

/// Returns a cell with an amount: its first digits on the screen, all of them in full.
pub fn token_amount_cell(value: U256, decimals: Option<u8>, cx: &RowContext<'_>) -> TableCell {
    match decimals {
        Some(decimals) => amount_cell(value, decimals, cx),
        None if cx.is_in_full() => TableCell::new(token_amount(value, None), Role::Value),
        None if value.is_zero() => zero_cell(),
        None => TableCell {
            has_own_unit: true,
            ..TableCell::new(short_token_amount(value, None), Role::Value)
        },
    }
}

/// Returns a cell with a transferred amount, blank for an NFT without one.
pub fn transferred_amount_cell(
    total: &Field<TransferAmount>,
    decimals: Option<u8>,
    cx: &RowContext<'_>,
) -> TableCell {
    field_cell(total, |total| match (&total.value, &total.token_id) {
        (Field::Absent, Field::Present(_)) => TableCell::default(),
        (Field::Present(U256::ZERO), _) => TableCell::new("!0", Role::Warning),
        (value, _) => field_cell(value, |value| token_amount_cell(*value, decimals, cx)),
    })
}

/// Returns a cell with the id of a transferred NFT, blank for other tokens.
pub fn transferred_id_cell(total: &Field<TransferAmount>, cx: &RowContext<'_>) -> TableCell {
    match total.value().map(|total| &total.token_id) {
        None | Some(Field::Absent) => TableCell::default(),
        Some(id) => field_cell(id, |id| TableCell::new(id_text(id, cx), Role::Value)),
    }
}

/// Describes what a transfer moved: `1,250 USDC`, `ITEM #7 × 2`.
pub fn describe_transferred(
    token: Option<&Token>,
    total: &Field<TransferAmount>,
    decimals: Option<u8>,
    write: WriteAmount,
) -> String {
    let symbol = token.map_or("unknown token".into(), symbol);
    let Field::Present(total) = total else {
        return match total {
            Field::Invalid(why) => format!("? {symbol} ({why})"),
            _ => format!("— {symbol}"),
        };
    };
    let id = total.token_id.value().map(|id| format!("#{id}"));
    let value = match &total.value {
        Field::Absent => None,
        Field::Present(value) => Some(write(*value, decimals)),
        Field::Invalid(_) => Some("?".to_owned()),
    };
    match (value, id) {
        (Some(value), Some(id)) if value != "1" => format!("{symbol} {id} × {value}"),
        (_, Some(id)) => format!("{symbol} {id}"),
        (Some(value), None) => format!("{value} {symbol}"),
        (None, None) => format!("— {symbol}"),
    }
}

/// Describes the scaling of an amount.
pub fn decimals_provenance(decimals: Option<u8>) -> SafeText {
    match decimals {
        Some(0) => column::WHOLE_UNITS.into(),
        Some(decimals) => SafeText::new(&ValueOrigin::Token { decimals }.to_string()),
        None => token::UNKNOWN_DECIMALS.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_without_decimals_are_in_units() {
        for write in [token_amount as WriteAmount, short_token_amount] {
            assert_eq!(write(U256::ONE, None), "1 unit");
            assert_eq!(write(U256::from(2), None), "2 units");
            assert_eq!(write(U256::from(250), Some(2)), "2.5");
        }
    }
}
