//! The columns of the tokens that an address holds.

use crate::api::endpoints::address::TokenBalance;
use crate::api::{Field, ListSubject};
use crate::chain::decimal::sortable_digits;
use crate::chain::fiat_value::FiatValue;
use crate::chain::{Address, U256};
use crate::columns::cells::token_amount::{
    decimals_provenance, token_amount, token_amount_cell, token_decimals,
};
use crate::columns::cells::{
    csv_value_with, field_cell, is_scam, symbol, token_line, token_route, truncate_middle,
    zero_cell,
};
use crate::columns::common;
use crate::columns::table::any_row::RowId;
use crate::columns::table::column::{Column, ColumnUse, RouteFn, field, number_width, text_width};
use crate::columns::{CopyValue, ListRow, Row, RowContext, RowPreview};
use crate::messages::column::{self, ValueOrigin};
use crate::messages::token::{self, TokenNote};
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// The items of the viewed address, or the token.
const TOKEN_ROUTE: RouteFn<TokenBalance> = |_, b, viewed| token_route(b.token()?, viewed);

const WORTH_TITLE: &str = "≈ worth";

impl ListRow for TokenBalance {
    const LIST_NAME: &'static str = "tokens";
    const PLURAL: &'static str = "tokens";
    const SINGULAR: &'static str = "token";
    const NEWEST_FIRST: bool = false;
    const RANKED_BY: Option<&'static str> = Some(WORTH_TITLE);
    const DETAIL_LINES: u16 = 5;
    const PREVIEW: RowPreview = RowPreview::Accounts;
    const COLUMNS: &'static [Column<Self>] = &[
        common::token_symbol("token", text_width(8, 19, 0), TOKEN_ROUTE),
        common::token_name(text_width(22, 40, 5), TOKEN_ROUTE),
        common::csv_token_contract(),
        common::csv_token_type(),
        Column {
            title: "id",
            json_paths: &["token_id", "token_instance.id"],
            width: text_width(4, 41, 5),
            cell: |b, cx, width| {
                let width = if cx.is_in_full() { width } else { width.min(16) };
                field_cell(&b.token_id, |id| {
                    TableCell::new(truncate_middle(&format!("#{id}"), width), Role::Link)
                })
            },
            route: |_, b, _| {
                let instance = b.token_instance.value()?.clone();
                Some(Route::Instance { instance, token: b.token().cloned().map(Box::new) })
            },
            ..field!(NUMBER: token_id)
        },
        Column {
            title: "balance",
            json_paths: &["value", "token.decimals"],
            provenance: |b, _| decimals_provenance(b.decimals()),
            width: number_width(1),
            cell: |b, cx, _| field_cell(&b.balance(), |v| token_amount_cell(*v, b.decimals(), cx)),
            value_name: Some("raw balance"),
            ..field!(AMOUNT: value)
        },
        Column {
            title: "then",
            csv_name: Some("balance_at_block"),
            json_paths: &["balance_at_block.result", "token.decimals"],
            provenance: |b, _| match &b.balance_at_block {
                Field::Invalid(why) => why.clone(),
                _ => token::AS_ANSWERED_THEN.into(),
            },
            is_computed: true,
            width: number_width(2),
            usage: ColumnUse::In(&[ListSubject::Past]),
            cell: |b, cx, _| {
                field_cell(&b.balance_at_block, |words| {
                    token_amount_cell(words.first(), b.decimals(), cx)
                })
            },
            full_value: |b| csv_value_with(&b.balance_at_block, |words| words.first().to_string()),
            ..Column::AMOUNT
        },
        Column {
            title: WORTH_TITLE,
            json_paths: &["value", "token.decimals", "token.exchange_rate"],
            provenance: |b, _| {
                let amount = &*decimals_provenance(b.decimals());
                SafeText::new(&ValueOrigin::Dollars { amount }.to_string())
            },
            is_computed: true,
            width: number_width(3),
            cell: |b, cx, _| {
                field_cell(&b.fiat_value(), |value| match value {
                    value if cx.is_in_full() => TableCell::new(value.exact(), Role::Plain),
                    value if value.is_zero() => zero_cell(),
                    value => TableCell::new(value.readable(), Role::Plain),
                })
            },
            ..Column::NUMBER
        },
        common::token_price(8),
        common::token_holders(4),
        common::token_supply(9),
        common::token_type(6),
        common::token_contract(7),
        common::csv_token_decimals(),
    ];
}

impl Row for TokenBalance {
    fn id(&self) -> Option<RowId> {
        let id = self.token_id.value().copied().map(Box::new);
        Some(RowId::Holding(*self.token()?.address.value()?, id))
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let token = self.token();
        let supply = token.map_or("—".into(), |t| {
            t.total_supply
                .display_with(|supply| {
                    let amount = token_amount(*supply, self.decimals());
                    format!("{amount} {}", symbol(t)).into()
                })
                .into_owned()
        });
        let worth = match self.fiat_value() {
            Field::Absent => "no rate".into(),
            Field::Present(value) => TokenNote::Worth { dollars: &value.exact() }.to_string(),
            Field::Invalid(why) => format!("? ({why})"),
        };
        vec![
            ("holds", SafeText::new(&self.describe_amount())),
            ("worth", worth.into()),
            ("token", token.map_or(column::NOT_INDEXED_YET.into(), token_line)),
            ("supply", SafeText::new(&supply)),
        ]
    }

    /// Returns one place for all tokens with a price, whose order is their worth. Explorers order the others by their raw
    /// balances, which mean nothing: here those with the most holders come first, then single NFTs, tokens without a
    /// symbol, and scams last.
    fn usual_place(&self, _: &RowContext<'_>) -> Option<String> {
        let token = self.token()?;
        let symbol = token.symbol.value().map(|symbol| symbol.to_lowercase());
        Some(match (symbol, token.holders.value()) {
            _ if token.exchange_rate.value().is_some() => "0".into(),
            _ if is_scam(token) => "4".into(),
            (None, _) => "3".into(),
            (Some(symbol), holders) => {
                let class = if self.token_id.value().is_some() { "2" } else { "1" };
                let fewer = u64::MAX - holders.copied().unwrap_or(0);
                format!("{class}{} {symbol}", sortable_digits(&fewer.to_string()))
            }
        })
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        common::token_copies(self.token(), "raw value", self.value.value())
    }
}

impl TokenBalance {
    /// Returns the amount. If the explorer omits it, it is unknown, as the token is held.
    fn balance(&self) -> Field<U256> {
        match &self.value {
            Field::Absent => Field::Invalid("not reported".into()),
            value => value.clone(),
        }
    }

    fn standard(&self) -> Option<&SafeText> {
        self.token().and_then(|token| token.kind.value())
    }

    fn decimals(&self) -> Option<u8> {
        self.token().and_then(token_decimals)
    }

    fn describe_amount(&self) -> String {
        let symbol = self.token().map_or("unknown token".into(), symbol);
        let balance = self.balance();
        let value = balance.display_with(|v| token_amount(*v, self.decimals()).into());
        let id = self.token_id.value().map(|id| format!(" #{id}")).unwrap_or_default();
        let items = if self.standard().is_some_and(|s| s == "ERC-721") { "NFTs of " } else { "" };
        let note = match self.decimals() {
            None => [" · ", token::UNKNOWN_DECIMALS].concat(),
            Some(_) => String::new(),
        };
        format!("{value} {items}{symbol}{id}{note}")
    }

    /// Returns the value in US dollars at the explorer's rate, absent if it sent none.
    fn fiat_value(&self) -> Field<FiatValue> {
        let rate = match self.token().map(|token| &token.exchange_rate) {
            None | Some(Field::Absent) => return Field::Absent,
            Some(Field::Present(rate)) => rate,
            Some(Field::Invalid(why)) => return Field::Invalid(why.clone()),
        };
        let (Some(value), Some(decimals)) = (self.value.value(), self.decimals()) else {
            return Field::Invalid("unknown amount".into());
        };
        FiatValue::new(*value, decimals, rate)
            .map_or_else(|| Field::Invalid(column::NOT_COMPUTED.into()), Field::Present)
    }
}
