//! The columns of blocks.

use super::cells::{
    BAR_WIDTH, address_cell, address_field_line, bar_cell, coin_amount, gwei_cell, hash_cell,
};
use super::common::{self, ChainEvent, EventFields};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnKind, ColumnUse, field, number_width, text_width};
use super::{CopyValue, ListRow, Row, RowContext};
use crate::action::Action;
use crate::api::Field;
use crate::api::endpoints::block::Block;
use crate::chain::amount::Grouped;
use crate::chain::{Address, U256};
use crate::messages::column;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

impl ChainEvent for Block {
    fn event(&self) -> EventFields<'_> {
        EventFields {
            transaction: None,
            timestamp: &self.timestamp,
            block_number: &self.number,
            from: &Field::Absent,
            to: &self.miner,
        }
    }
}

impl ListRow for Block {
    const LIST_NAME: &'static str = "blocks";
    const PLURAL: &'static str = "blocks";
    const SINGULAR: &'static str = "block";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 4;
    const COLUMNS: &'static [Column<Self>] = &[
        // Here the number is the route of the row itself.
        Column { kind: ColumnKind::Other, json_paths: &["height|number"], ..common::block(0) },
        common::age(1),
        Column { title: "tx", width: number_width(2), ..field!(number: transactions_count) },
        Column { title: "gas used", width: number_width(4), ..field!(number: gas_used) },
        Column {
            title: "full",
            json_paths: &["gas_used", "gas_limit"],
            provenance: |_, _| column::SHARE_OF_LIMIT.into(),
            is_computed: true,
            width: number_width(3),
            cell: |b, _, _| gas_share_cell(b),
            ..Column::NUMBER
        },
        Column {
            title: column::OF_LARGEST,
            json_paths: &["gas_used"],
            is_computed: true,
            kind: ColumnKind::Bar,
            width: text_width(BAR_WIDTH, BAR_WIDTH, 9),
            cell: |b, cx, width| bar_cell(b.bar_amount(), cx.bar_scale, cx, width),
            ..Column::TEXT
        },
        field!(TEXT: gas_limit),
        Column {
            title: "base fee gwei",
            csv_name: Some("base_fee_wei"),
            provenance: |_, _| column::GWEI.into(),
            width: number_width(5),
            cell: |b, cx, _| gwei_cell(&b.base_fee, cx),
            value_name: Some("base fee in wei"),
            ..field!(AMOUNT: base_fee)
        },
        Column {
            title: "fees",
            csv_name: Some("fees_wei"),
            width: number_width(7),
            value_name: Some("fees in wei"),
            ..field!(coin: fees)
        },
        Column {
            title: "burnt",
            csv_name: Some("burnt_wei"),
            width: number_width(8),
            value_name: Some("burnt fees in wei"),
            ..field!(coin: burnt_fees)
        },
        Column {
            title: "fee recipient",
            csv_name: Some("validator"),
            json_paths: &["miner.hash", "miner.name", "miner.ens_domain_name"],
            value_name: Some("fee recipient"),
            usage: ColumnUse::Always,
            cell: validator_cell,
            ..common::to("validator", 6)
        },
        Column { title: "bytes", width: number_width(10), ..field!(count: size) },
        Column {
            title: "hash",
            kind: ColumnKind::Hash,
            width: text_width(11, 66, 11),
            cell: |b, _, width| hash_cell(&b.hash, width),
            ..field!(TEXT: hash)
        },
    ];
}

impl Row for Block {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Hash(*self.hash.value()?))
    }

    fn bar_amount(&self) -> Option<U256> {
        Some(U256::from(*self.gas_used.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let count = |n: &Field<u64>| n.display_with(|n| Grouped(n).to_string().into()).into_owned();
        let is_empty = self.transactions_count.value() == Some(&0);
        let time = self.timestamp.value().map(|time| cx.format.date_time(*time));
        let transactions = if is_empty {
            column::NO_TRANSACTIONS.to_owned()
        } else {
            format!("{} tx", count(&self.transactions_count))
        };
        let block: Vec<String> =
            [count(&self.number)].into_iter().chain(time).chain([transactions]).collect();
        let are_none = match &self.fees {
            Field::Present(fees) => fees.is_zero(),
            Field::Absent => true,
            Field::Invalid(_) => false,
        };
        let fees =
            (!is_empty || !are_none).then(|| format!(" · fees {}", coin_amount(&self.fees, cx)));
        let gas = format!("{} of {}", count(&self.gas_used), count(&self.gas_limit));
        let fees_to =
            (!self.has_no_recipient()).then(|| ("fees to", address_field_line(&self.miner, cx)));
        let named =
            [("block", SafeText::new(&block.join(" · "))), ("hash", self.hash.to_string().into())];
        let gas = ("gas", SafeText::new(&(gas + &fees.unwrap_or_default())));
        named.into_iter().chain(fees_to).chain([gas]).collect()
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let miner = self.miner.hash();
        vec![
            CopyValue::new(Action::CopyHash, "block hash", self.hash.value()),
            CopyValue::new(Action::CopyAddress, "fee recipient", miner),
            CopyValue::new(Action::CopyBlock, "block number", self.number.value()),
        ]
    }
}

impl Block {
    /// Returns `true` if the chain has no validators: development nodes send a zero address.
    fn has_no_recipient(&self) -> bool {
        self.miner.value().is_some_and(|miner| miner.hash.is_zero())
    }
}

/// Returns the cell of the fee recipient, absent on a chain without validators.
fn validator_cell(block: &Block, cx: &RowContext<'_>, width: usize) -> TableCell {
    if block.has_no_recipient() && !cx.is_in_full() {
        return TableCell::absent();
    }
    address_cell(&block.miner, cx, width)
}

/// Returns the used percentage of the gas limit.
fn gas_share_cell(block: &Block) -> TableCell {
    match block.gas_percent() {
        Some(percent) => TableCell::new(format!("{percent}%"), Role::Plain),
        None => TableCell::new("?", Role::Dim),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;

    #[test]
    fn empty_block_hides_its_fees_unless_they_are_unknown() {
        for (fees, shown) in [
            (json!("0"), ""),
            (json!(null), ""),
            (json!("much"), " · fees ?"),
            (json!("2000000000000000"), " · fees 0.002"),
        ] {
            let json = json!({ "height": 4, "transactions_count": 0, "gas_used": "0",
                "gas_limit": "30000000", "transaction_fees": fees });
            let block = Item::<Block>::from_json(&to_raw_value(&json).unwrap()).parsed.unwrap();
            let lines = block.detail_lines(&RowContext::blank());
            let gas = lines.iter().find(|(label, _)| *label == "gas").unwrap();
            assert!(gas.1.starts_with(&format!("0 of 30,000,000{shown}")), "{gas:?}");
            assert_eq!(gas.1.contains("fees"), !shown.is_empty(), "{gas:?}");
        }
    }
}
