//! The columns of the holders of a token: address, amount and share of the supply.

use crate::action::Action;
use crate::api::Field;
use crate::api::endpoints::token::Holder;
use crate::chain::percent::Percent;
use crate::chain::{Address, U256};
use crate::columns::cells::token_amount::{
    amount_decimals, decimals_provenance, token_amount, token_amount_cell,
};
use crate::columns::cells::{
    BAR_WIDTH, address_cell, address_field_line, bar_cell, field_cell, truncate_middle,
};
use crate::columns::table::any_row::RowId;
use crate::columns::table::column::{Column, ColumnKind, field, number_width, text_width};
use crate::columns::{CopyValue, ListRow, Row, RowContext};
use crate::messages::column::{self, ValueOrigin};
use crate::messages::token::TokenNote;
use crate::name_cache::TokenMetadata;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

const AMOUNT_TITLE: &str = "amount";

impl ListRow for Holder {
    const LIST_NAME: &'static str = "holders";
    const PLURAL: &'static str = "holders";
    const SINGULAR: &'static str = "holder";
    const NEWEST_FIRST: bool = false;
    const RANKED_BY: Option<&'static str> = Some(AMOUNT_TITLE);
    const DETAIL_LINES: u16 = 4;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "holder",
            csv_name: Some("holder"),
            json_paths: &["address.hash", "address.name", "address.ens_domain_name"],
            width: text_width(11, 82, 1),
            cell: |h, cx, width| {
                // The viewed address is the token's, which may hold itself.
                address_cell(&h.address, &RowContext { viewed: None, ..*cx }, width)
            },
            ..field!(address: address)
        },
        Column {
            title: "id",
            width: text_width(4, 41, 5),
            cell: |h, cx, width| match &h.token_id {
                Field::Absent => TableCell::new("", Role::Plain),
                id => field_cell(id, |id| {
                    let width = if cx.is_in_full() { width } else { width.min(16) };
                    TableCell::new(truncate_middle(&format!("#{id}"), width), Role::Plain)
                }),
            },
            ..field!(NUMBER: token_id)
        },
        Column {
            title: AMOUNT_TITLE,
            provenance: |h, cx| decimals_provenance(h.decimals(cx)),
            width: number_width(0),
            cell: |h, cx, _| field_cell(&h.value, |v| token_amount_cell(*v, h.decimals(cx), cx)),
            value_name: Some("raw amount"),
            ..field!(AMOUNT: value)
        },
        Column {
            title: "share",
            json_paths: &["value"],
            provenance: |h, cx| match h.supply(cx) {
                Some(supply) => {
                    let supply = &*supply.to_string();
                    SafeText::new(&ValueOrigin::ShareOfSupply { supply }.to_string())
                }
                None => column::UNKNOWN_SUPPLY.into(),
            },
            is_computed: true,
            width: number_width(2),
            cell: |h, cx, _| match h.share(cx) {
                Some(share) if cx.is_in_full() => TableCell::new(share, Role::Plain),
                Some(share) => TableCell::new([&share, " %"].concat(), Role::Plain),
                // The supply of a single id is not sent.
                None if h.token_id.value().is_some() => TableCell::new("", Role::Plain),
                None => TableCell::new("?", Role::Dim),
            },
            ..Column::AMOUNT
        },
        Column {
            title: column::SHARE_TITLE,
            json_paths: &["value"],
            is_computed: true,
            kind: ColumnKind::Bar,
            width: text_width(8, BAR_WIDTH, 3),
            cell: |h, cx, width| bar_cell(h.bar_amount(), h.supply(cx), cx, width),
            ..Column::TEXT
        },
    ];
}

impl Row for Holder {
    fn id(&self) -> Option<RowId> {
        let id = self.token_id.value().copied().map(Box::new);
        Some(RowId::Holding(self.address.value()?.hash, id))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let amount = |value: &U256| token_amount(*value, self.decimals(cx)).into();
        let amount = self.value.display_with(amount);
        let symbol = metadata(cx).and_then(|token| token.symbol.as_deref()).unwrap_or_default();
        let text = self.share(cx);
        let share = text.map(|share| format!(" · {}", TokenNote::ShareOfSupply { share: &share }));
        let holds = format!("{amount} {symbol}").trim_end().to_owned() + &share.unwrap_or_default();
        let id = self.token_id.value().map(|id| ("id", format!("#{id}").into()));
        let lines =
            [("holder", address_field_line(&self.address, cx)), ("holds", SafeText::new(&holds))];
        lines.into_iter().chain(id).collect()
    }

    fn bar_amount(&self) -> Option<U256> {
        self.value.value().copied()
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let holder = self.address.hash();
        vec![
            CopyValue::new(Action::CopyAddress, "holder's address", holder),
            CopyValue::new(Action::CopyToken, "token's contract", viewed),
            CopyValue::new(Action::CopyValue, "raw amount", self.value.value()),
        ]
    }
}

/// Returns the token's metadata from other replies.
fn metadata<'a>(cx: &RowContext<'a>) -> Option<&'a TokenMetadata> {
    cx.name_cache.name(&cx.viewed?)?.token.as_ref()
}

impl Holder {
    fn decimals(&self, cx: &RowContext<'_>) -> Option<u8> {
        let known = metadata(cx);
        let standard = known.and_then(|token| token.standard.as_ref());
        let decimals = known.and_then(|token| token.decimals).map_or(Field::Absent, Field::Present);
        amount_decimals(self.token(), standard, &decimals)
    }

    /// Returns the supply of the token, unless the row is about one of its ids.
    fn supply(&self, cx: &RowContext<'_>) -> Option<U256> {
        let of_row = self.token().and_then(|token| token.total_supply.value().copied());
        let supply = of_row.or_else(|| metadata(cx)?.supply);
        supply.filter(|supply| !supply.is_zero() && self.token_id.value().is_none())
    }

    /// Returns the share of the supply in percent. Only a token that misstates one of both has more than
    /// all of it, maybe with dozens of digits.
    fn share(&self, cx: &RowContext<'_>) -> Option<String> {
        let (value, supply) = (*self.value.value()?, self.supply(cx)?);
        if value > supply {
            return Some(">100".into());
        }
        let share = format!("{:.2}", Percent::new(value, supply)?);
        match share.trim_end_matches('0').trim_end_matches('.') {
            "100" if value < supply => Some(">99.99".into()),
            share => Some(share.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;

    #[test]
    fn share_is_of_the_supply_of_a_whole_token() {
        for (value, id, share) in [
            (1_000_000, None, Some("100")),
            (333_333, None, Some("33.33")),
            (999_999, None, Some(">99.99")),
            (1_000_001, None, Some(">100")),
            (500_000, Some("7"), None),
        ] {
            let json = json!({
                "address": { "hash": Address::ZERO }, "value": value.to_string(), "token_id": id,
                "token": { "total_supply": "1000000" },
            });
            let row = Item::<Holder>::from_json(&to_raw_value(&json).unwrap()).parsed.unwrap();
            assert_eq!(row.share(&RowContext::blank()).as_deref(), share, "{value}");
        }
    }
}
