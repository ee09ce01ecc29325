//! The columns of the balance history of an address.

use alloy_primitives::I256;

use super::cells::{
    BAR_WIDTH, amount_cell, bar_cell, block_cell, block_route, coin_amount, coin_cell, field_cell,
    hash_cell, signed_worth_cell, time_cell, transaction_route,
};
use super::common::{self, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnKind, field, number_width, text_width};
use super::{CopyValue, ListRow, Row, RowContext};
use crate::action::Action;
use crate::api::Field;
use crate::api::balance_history::CoinBalanceChange;
use crate::chain::fiat_value::FiatValue;
use crate::chain::significant_digits::format_with_change;
use crate::chain::{Address, U256};
use crate::messages::column;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Before the last block, or the latest time, at which something can have happened.
const BOUND_MARK: &str = "≤ ";
/// Fields on which block and age depend.
const UNEXPLAINED_FIELDS: &[&str] = &["is_unexplained"];

chain_event!(CoinBalanceChange, |row| &Field::Absent => &Field::Absent);

impl ListRow for CoinBalanceChange {
    const LIST_NAME: &'static str = "balance-history";
    const PLURAL: &'static str = "balance changes";
    const SINGULAR: &'static str = "balance change";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 4;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            json_paths: &["block_timestamp"],
            other_fields: Some(&[UNEXPLAINED_FIELDS]),
            cell: |change, cx, width| {
                if change.is_unexplained() {
                    return TableCell::new("?", Role::Dim);
                }
                time_cell(&change.timestamp, cx, width)
            },
            ..common::age(3)
        },
        Column {
            other_fields: Some(&[UNEXPLAINED_FIELDS]),
            cell: |change, _, _| {
                if change.is_unexplained() {
                    return TableCell::new(change.block_text(), Role::Link);
                }
                block_cell(&change.block_number)
            },
            ..common::block(2)
        },
        Column {
            route: |_, change, _| {
                let transaction = transaction_route(&change.transaction_hash);
                // Several transactions of a block have no hash in common.
                let block = || block_route(&change.block_number);
                transaction.or_else(|| block().filter(|_| !change.is_unexplained()))
            },
            is_computed: true,
            width: text_width(11, 66, 4),
            cell: |change, _, width| match change.transaction_hash {
                Field::Absent if change.is_unexplained() => {
                    TableCell::new(column::NO_KNOWN_TRANSACTION, Role::Warning)
                }
                // It is no change of a single transaction.
                Field::Absent => TableCell::new(column::WHOLE_BLOCK, Role::Dim),
                ref hash => hash_cell(hash, width),
            },
            ..common::transaction(4)
        },
        Column {
            title: "change",
            is_computed: true,
            width: number_width(1),
            cell: |change, cx, _| change.delta_cell(cx),
            value_name: Some("change in wei"),
            csv_name: Some("delta_wei"),
            ..field!(COIN: delta)
        },
        Column {
            title: column::OF_LARGEST,
            json_paths: &["delta"],
            is_computed: true,
            kind: ColumnKind::Bar,
            width: text_width(BAR_WIDTH, BAR_WIDTH, 6),
            cell: |change, cx, width| TableCell {
                role: change.delta.value().map_or(Role::Dim, delta_role),
                ..bar_cell(change.bar_amount(), cx.bar_scale, cx, width)
            },
            ..Column::TEXT
        },
        Column {
            title: "USD now",
            json_paths: &["delta"],
            is_computed: true,
            width: number_width(5),
            cell: |change, cx, _| {
                let delta = change.delta.value().copied().unwrap_or_default();
                let worth = change.worth_now(cx);
                signed_worth_cell(delta.is_negative(), worth, delta_role(&delta), cx)
            },
            ..Column::NUMBER
        },
        Column {
            title: "balance",
            width: number_width(0),
            cell: |change, cx, _| change.balance_cell(cx),
            value_name: Some("balance in wei"),
            csv_name: Some("value_wei"),
            ..field!(COIN: value)
        },
        field!(TEXT: is_unexplained),
    ];
}

impl Row for CoinBalanceChange {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Number(U256::from(*self.block_number.value()?)))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let in_full = RowContext { abbreviator: None, ..*cx };
        let is_loss = self.delta.value().is_some_and(I256::is_negative);
        let worth = self.worth_now(cx).map(|worth| {
            let sign = worth.sign(is_loss);
            format!(" ({sign}{} now)", worth.readable())
        });
        let unit = cx.format.unit.name(cx.network);
        let change = [&*self.delta_cell(&in_full).text, " ", unit, &*worth.unwrap_or_default()];
        let time = self.timestamp.display_with(|then| {
            let mark = if self.is_unexplained() { BOUND_MARK } else { "" };
            [mark, &cx.format.date_time(*then)].concat().into()
        });
        let has_time = !matches!(self.timestamp, Field::Absent);
        let number = self.block_text();
        let block = if has_time { [&*number, &*time].join(" · ") } else { number };
        let mut lines = Vec::new();
        if !matches!(self.transaction_hash, Field::Absent) {
            lines.push(("tx", self.transaction_hash.to_string().into()));
        } else if self.is_unexplained() {
            lines.push(("tx", column::NO_KNOWN_TRANSACTION.into()));
        }
        lines.extend([
            ("block", SafeText::new(&block)),
            ("change", SafeText::new(&change.concat())),
            ("balance", SafeText::new(&coin_amount(&self.value, cx))),
        ]);
        lines
    }

    fn bar_amount(&self) -> Option<U256> {
        Some(self.delta.value()?.unsigned_abs())
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let hash = self.transaction_hash.value();
        vec![
            CopyValue::new(Action::CopyHash, "transaction hash", hash),
            CopyValue::new(Action::CopyBlock, "block number", self.block_number.value()),
            CopyValue::new(Action::CopyValue, "balance in wei", self.value.value()),
        ]
    }
}

impl CoinBalanceChange {
    /// Returns `true` if no transaction is known that changed it.
    pub fn is_unexplained(&self) -> bool {
        self.is_unexplained.value() == Some(&true)
    }

    /// Returns the block, or the last one at which a change without a known transaction can have happened.
    fn block_text(&self) -> String {
        let mark = if self.is_unexplained() { BOUND_MARK } else { "" };
        [mark, &self.block_number.to_string()].concat()
    }

    /// Returns the cell of the balance, with the digits that changed.
    fn balance_cell(&self, cx: &RowContext<'_>) -> TableCell {
        let change = self.delta.value().map_or(U256::ZERO, |delta| delta.unsigned_abs());
        match self.value.value().filter(|wei| !wei.is_zero() && !change.is_zero()) {
            Some(wei) if !cx.is_in_full() => {
                let decimals = cx.format.unit.decimals(cx.network.decimals);
                TableCell::new(format_with_change(*wei, change, decimals), Role::Value)
            }
            _ => coin_cell(&self.value, cx),
        }
    }

    fn delta_cell(&self, cx: &RowContext<'_>) -> TableCell {
        field_cell(&self.delta, |delta| {
            let decimals = cx.format.unit.decimals(cx.network.decimals);
            let cell = amount_cell(delta.unsigned_abs(), decimals, cx);
            let sign = match delta {
                &I256::ZERO => "",
                delta if delta.is_negative() => "−",
                _ => "+",
            };
            let text = [sign, &cell.text].concat().into();
            TableCell { text, role: delta_role(delta), ..cell }
        })
    }

    /// Returns the value of the change, without its sign, at the current price of the coin.
    fn worth_now(&self, cx: &RowContext<'_>) -> Option<FiatValue> {
        let change = self.delta.value().filter(|delta| !delta.is_zero())?;
        FiatValue::new(change.unsigned_abs(), cx.network.decimals, cx.name_cache.coin_rate()?)
    }
}

fn delta_role(delta: &I256) -> Role {
    match delta {
        &I256::ZERO => Role::Dim,
        delta if delta.is_negative() => Role::Failed,
        _ => Role::Ok,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;
    use crate::chain::hash_abbreviation::Abbreviator;
    use crate::ui::format;

    #[test]
    fn only_changes_of_a_known_largest_have_bars() {
        let row = to_raw_value(&json!({ "delta": "-5", "value": "7" })).unwrap();
        let change = Item::<CoinBalanceChange>::from_json(&row).parsed.unwrap();
        let columns = CoinBalanceChange::COLUMNS;
        let bars = columns.iter().find(|column| column.kind == ColumnKind::Bar).unwrap();
        let abbreviator = Abbreviator::default();
        let bar = |bar_scale| {
            let abbreviator = Some(&abbreviator);
            let cx = RowContext { abbreviator, bar_scale, ..RowContext::blank() };
            format::width(&(bars.cell)(&change, &cx, 8).text)
        };
        let scales = [None, Some(U256::from(5)), Some(U256::from(10))];
        assert_eq!(scales.map(bar), [0, 8, 4]);
    }

    #[test]
    fn details_leave_out_what_is_absent_but_not_what_is_unreadable() {
        for (of_transaction, lines) in [
            (json!({}), vec![("block", "3")]),
            (
                json!({ "transaction_hash": 7, "block_timestamp": 7 }),
                vec![("tx", "?"), ("block", "3 · ?")],
            ),
        ] {
            let mut row = of_transaction;
            row["block_number"] = 3.into();
            let change = Item::<CoinBalanceChange>::from_json(&to_raw_value(&row).unwrap());
            let details = change.parsed.unwrap().detail_lines(&RowContext::blank());
            let first: Vec<_> = details.iter().map(|(label, text)| (*label, &**text)).collect();
            assert_eq!(first[..lines.len()], lines);
        }
    }
}
