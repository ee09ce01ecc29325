//! The columns of the tokens of a chain.

pub mod balances;
pub mod holders;
pub mod nft_collections;
pub mod nft_instances;
pub mod transfers;

use super::cells::token_amount::{token_amount, token_decimals};
use super::cells::{field_cell, symbol, token_line};
use super::common::{self, dollars, rate_cell};
use super::table::any_row::RowId;
use super::table::column::{Column, RouteFn, field, number_width, text_width};
use super::{CopyValue, ListRow, Row, RowContext, RowPreview};
use crate::api::Field;
use crate::api::token::Token;
use crate::chain::amount::Grouped;
use crate::chain::{Address, U256};
use crate::route::Route;
use crate::sanitize::SafeText;

const MARKET_CAP_TITLE: &str = "market cap $";
const TOKEN_ROUTE: RouteFn<Token> = |_, token, _| Some(Route::Token(*token.address.value()?));

impl ListRow for Token {
    const LIST_NAME: &'static str = "all-tokens";
    const PLURAL: &'static str = "tokens";
    const SINGULAR: &'static str = "token";
    const NEWEST_FIRST: bool = false;
    const RANKED_BY: Option<&'static str> = Some(MARKET_CAP_TITLE);
    const DETAIL_LINES: u16 = 4;
    const PREVIEW: RowPreview = RowPreview::Accounts;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            json_paths: &["symbol", "name", "address_hash|address"],
            ..common::token_symbol("token", text_width(8, 14, 0), TOKEN_ROUTE)
        },
        Column { json_paths: &["name"], ..common::token_name(text_width(14, 40, 5), TOKEN_ROUTE) },
        Column {
            csv_name: Some("token_contract"),
            json_paths: &["address_hash|address"],
            ..common::token_contract(8)
        },
        Column { csv_name: Some("token_type"), json_paths: &["type"], ..common::token_type(2) },
        Column { json_paths: &["holders_count|holders"], ..common::token_holders(1) },
        Column { json_paths: &["total_supply", "decimals"], ..common::token_supply(6) },
        Column { json_paths: &["exchange_rate"], ..common::token_price(3) },
        Column {
            title: MARKET_CAP_TITLE,
            csv_name: Some("market_cap"),
            width: number_width(4),
            cell: |token, cx, _| {
                field_cell(&token.circulating_market_cap, |cap| rate_cell(cap, cx))
            },
            ..field!(AMOUNT: circulating_market_cap)
        },
        Column { json_paths: &["decimals"], ..common::csv_token_decimals() },
    ];
}

impl Row for Token {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Holding(*self.address.value()?, None))
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let amount = |supply: &U256| {
            let amount = token_amount(*supply, token_decimals(self));
            format!("{amount} {}", symbol(self)).into()
        };
        let supply = self.total_supply.display_with(amount);
        let holders = self.holders.display_with(|holders| Grouped(holders).to_string().into());
        let dollars = |field: &Field<SafeText>| {
            SafeText::new(&field.display_with(|number| dollars(number).into()))
        };
        let cap = dollars(&self.circulating_market_cap);
        let market = common::market_text(self).map(|market| format!(" · {market}"));
        vec![
            ("token", token_line(self)),
            ("supply", SafeText::new(&format!("{supply} · holders {holders}"))),
            ("price", dollars(&self.exchange_rate)),
            ("cap", SafeText::new(&[&*cap, &*market.unwrap_or_default()].concat())),
        ]
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        common::token_copies(Some(self), "raw supply", self.total_supply.value())
    }

    fn token(&self) -> Option<&Token> {
        Some(self)
    }
}
