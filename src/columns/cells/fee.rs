//! Fees of transactions and prices of gas, which are amounts of a token on some chains.

use super::token_amount::{WriteAmount, short_token_amount, token_amount, token_decimals};
use super::{coin_cell, field_cell, gwei_cell, marked_symbol};
use crate::api::Field;
use crate::api::token::Token;
use crate::api::transactions::{Transaction, TransactionFee, TransactionOutcome};
use crate::chain::U256;
use crate::chain::amount::Unit;
use crate::chain::fiat_value::ExchangeRate;
use crate::chain::network::Network;
use crate::columns::RowContext;
use crate::ui::format::cut;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Fields of a transaction with the token of its fee.
pub const FEE_TOKEN_FIELDS: &[&str] = &["celo", "stability_fee"];

/// Returns the first digits of a fee, with its unit.
pub fn short_fee(fee: &TransactionFee, (unit, network): (Unit, &Network)) -> Option<String> {
    let value = *fee.value.value()?;
    Some(match &fee.token {
        Field::Absent => unit.describe(value, network),
        token => fee_token_amount(token, value, short_token_amount),
    })
}

/// Returns every digit of a fee, with its unit.
pub fn exact_fee(fee: &TransactionFee, (unit, network): (Unit, &Network)) -> Option<String> {
    let value = *fee.value.value()?;
    Some(match &fee.token {
        Field::Absent => unit.format_exact(value, network),
        token => fee_token_amount(token, value, token_amount),
    })
}

/// Returns the value of a fee in dollars: of the coin when it was paid, of a token now. A fee that is not paid has
/// no price of the past.
pub fn fee_worth(transaction: &Transaction, network: &Network) -> Option<String> {
    let fee = transaction.fee.value()?;
    let (rate, decimals) = match &fee.token {
        Field::Absent => {
            let is_pending = transaction.outcome() == TransactionOutcome::Pending;
            let now = transaction.current_coin_rate().filter(|rate| rate.is_current);
            let rate = if is_pending { now } else { transaction.coin_rate() };
            (rate?, network.decimals)
        }
        token => {
            let token = token.value()?;
            let rate = ExchangeRate { dollars: token.exchange_rate.value()?, is_current: true };
            (rate, token_decimals(token)?)
        }
    };
    rate.value_text(*fee.value.value()?, decimals)
}

/// Writes an amount of the token of a fee: `0.00714317 cUSD`, or `?` if the token is unknown.
pub fn fee_token_amount(token: &Field<Box<Token>>, value: U256, write: WriteAmount) -> String {
    token.value().map_or_else(
        || "?".to_owned(),
        |token| format!("{} {}", write(value, token_decimals(token)), marked_symbol(token)),
    )
}

/// Returns the cell of a fee: in a column of amounts of the coin, an amount of a token has its unit.
pub(in crate::columns) fn fee_cell(
    fee: &TransactionFee,
    cx: &RowContext<'_>,
    width: usize,
) -> TableCell {
    match &fee.token {
        _ if fee.value == Field::Absent => TableCell::new("?", Role::Warning),
        Field::Absent => coin_cell(&fee.value, cx),
        token => token_cell(token, &fee.value, cx, width),
    }
}

/// Returns the cell of a price of gas.
pub(in crate::columns) fn gas_price_cell(
    transaction: &Transaction,
    price: &Field<U256>,
    cx: &RowContext<'_>,
    width: usize,
) -> TableCell {
    match transaction.fee_token() {
        None => gwei_cell(price, cx),
        Some(token) => token_cell(token, price, cx, width),
    }
}

fn token_cell(
    token: &Field<Box<Token>>,
    amount: &Field<U256>,
    cx: &RowContext<'_>,
    width: usize,
) -> TableCell {
    let write: WriteAmount = if cx.is_in_full() { token_amount } else { short_token_amount };
    field_cell(amount, |amount| {
        let text = fee_token_amount(token, *amount, write);
        let role = if token.value().is_some() { Role::Value } else { Role::Warning };
        let cell = TableCell::new(cut(&text, width).into_owned(), role);
        TableCell { has_own_unit: true, ..cell }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;
    use crate::chain::TxHash;

    #[test]
    fn fee_that_is_not_paid_has_no_price_of_the_past() {
        let worth = |block: Option<u64>, now: Option<&str>| {
            let json = json!({
                "hash": TxHash::ZERO, "block_number": block, "status": block.map(|_| "ok"),
                "result": if block.is_some() { "success" } else { "pending" },
                "fee": { "type": "actual", "value": "1000000000000000000" },
                "exchange_rate": now, "historic_exchange_rate": "3.00",
            });
            let row = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap()).parsed.unwrap();
            fee_worth(&row, &Network::demo())
        };
        assert_eq!(worth(Some(5), Some("2.00")).as_deref(), Some(" ($3.00 then)"));
        assert_eq!(worth(None, Some("2.00")).as_deref(), Some(" ($2.00 now)"));
        assert_eq!(worth(None, None), None);
    }
}
