//! Amounts of tokens: the decimals they are divided by, and their text.

use crate::api::Field;
use crate::api::token::Token;
use crate::chain::{U256, amount};
use crate::sanitize::SafeText;
use crate::ui::format::fits;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Returns the decimals of an amount of a token, or `None` if they are not known. `sent` are those
/// that came with the amount.
pub fn amount_decimals(
    token: Option<&Token>,
    standard: Option<&SafeText>,
    sent: &Field<u8>,
) -> Option<u8> {
    let of_token = token.map_or(&Field::Absent, |token| &token.decimals);
    match (standard.map(|standard| &**standard), sent, of_token) {
        // Items are counted; those of ERC-721 whatever the contract says.
        (Some("ERC-721"), ..) | (Some("ERC-1155"), Field::Absent, Field::Absent) => Some(0),
        (_, Field::Present(decimals), _) | (_, Field::Absent, Field::Present(decimals)) => {
            Some(*decimals)
        }
        _ => None,
    }
}

/// Returns an amount in full. Without decimals it counts units.
pub fn token_amount(value: U256, decimals: Option<u8>) -> String {
    match decimals {
        Some(decimals) => amount::format_exact(value, decimals),
        None => format!("{} units", amount::format_exact(value, 0)),
    }
}

/// Returns a cell with an amount in at most `width` columns, with a `u` if it counts units.
pub fn token_amount_cell(value: U256, decimals: Option<u8>, width: usize) -> TableCell {
    let role = if value.is_zero() { Role::Dim } else { Role::Value };
    let full = token_amount(value, decimals);
    let text = match decimals {
        _ if fits(&full, width) => full,
        Some(decimals) => amount::format_to_width(value, decimals, width),
        None => amount::format_to_width(value, 0, width.saturating_sub(1)) + "u",
    };
    TableCell::new(text, role)
}

/// Describes how an amount is written.
pub fn decimals_provenance(decimals: Option<u8>) -> SafeText {
    match decimals {
        Some(0) => "whole units: nothing to divide by".into(),
        Some(decimals) => SafeText::new(&format!("divided by 10^{decimals}")),
        None => "not divided: the decimals are not known".into(),
    }
}
