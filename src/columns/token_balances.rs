//! The columns and links of the tokens an address holds.

use std::borrow::Cow;

use super::cells::{
    amount_cell, column_width, contract_cell, csv_value, decimals_provenance, field_cell,
    number_cell, spoof_warning, symbol, symbol_cell, token_amount, token_line, token_route,
};
use super::common::{self, HasToken};
use super::{Column, Row, RowContext, no_route, unmodified};
use crate::api::token::Token;
use crate::api::token_balances::TokenBalance;
use crate::api::{Field, Page, Reply};
use crate::chain::decimal::Decimal;
use crate::chain::fiat_value::FiatValue;
use crate::chain::{Address, U256, amount};
use crate::msg::Action;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, fits};
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

impl HasToken for TokenBalance {
    fn token_info(&self) -> Option<&Token> {
        self.token.value()
    }
}

impl Row for TokenBalance {
    type Id = (Address, Option<U256>);

    const LIST_NAME: &'static str = "tokens";
    const NEWEST_FIRST: bool = false;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::Tokens(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<Self::Id> {
        Some((*self.token.value()?.address.value()?, self.token_id.value().copied()))
    }

    fn detail_lines(&self, _: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let token = self.token.value();
        let supply = token.map_or("—".into(), |t| {
            t.total_supply
                .display_with(|s| token_amount(*s, t.decimals.value().copied()).into())
                .into_owned()
        });
        let worth = self.worth().map_or("no rate".into(), |w| format!("≈ ${w} (an estimate)"));
        vec![
            ("holds", SafeText::new(&self.held())),
            ("worth", worth.into()),
            ("token", token.map_or("not indexed yet".into(), token_line)),
            ("supply", SafeText::new(&supply)),
        ]
    }

    fn copy(&self, action: Action, _: &RowContext<'_>) -> Option<(&'static str, Option<SafeText>)> {
        let text = |s: String| Some(SafeText::from(s));
        Some(match action {
            Action::CopyAddress | Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyValue => {
                ("raw value", self.value.value().and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn token(&self) -> Option<(Address, SafeText)> {
        let token = self.token.value()?;
        Some((*token.address.value()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<SafeText> {
        spoof_warning(self.token.value()).into_iter().collect()
    }
}

impl TokenBalance {
    fn standard(&self) -> Option<&SafeText> {
        self.token.value().and_then(|t| t.kind.value())
    }

    /// The decimals that apply: pieces of an ERC-721 have none, whatever the contract says.
    fn decimals(&self) -> Option<u8> {
        match self.standard().map(|s| &**s) {
            Some("ERC-721" | "ERC-1155" | "ERC-404") => Some(0),
            _ => self.token.value().and_then(|t| t.decimals.value()).copied(),
        }
    }

    /// What is held, in full.
    fn held(&self) -> String {
        let symbol = self.token.value().map_or("unknown token".into(), symbol);
        let value = self.value.display_with(|v| token_amount(*v, self.decimals()).into());
        let id = self.token_id.value().map(|id| format!(" #{id}")).unwrap_or_default();
        let pieces =
            if self.standard().is_some_and(|s| **s == *"ERC-721") { "pieces of " } else { "" };
        format!("{value} {pieces}{symbol}{id}")
    }

    /// Worth in US dollars at the server's rate, where there is one.
    fn worth(&self) -> Option<FiatValue> {
        let rate = self.token.value()?.exchange_rate.value()?;
        FiatValue::new(*self.value.value()?, self.decimals()?, rate)
    }
}

/// A field of the token.
fn token_field<T>(
    balance: &TokenBalance,
    show: impl FnOnce(&Token) -> T,
    other: impl FnOnce(TableCell) -> T,
) -> T {
    match &balance.token {
        Field::Present(token) => show(token),
        Field::Absent => other(TableCell::new("—", Role::Dim)),
        Field::Invalid(_) => other(TableCell::new("?", Role::Warning)),
    }
}

fn token_text(balance: &TokenBalance, field: fn(&Token) -> &Field<SafeText>) -> Cow<'_, str> {
    balance.token.value().map_or("".into(), |token| csv_value(field(token), ToString::to_string))
}

const COLUMNS: &[Column<TokenBalance>] = &[
    Column {
        title: "token",
        csv_name: Some("token_symbol"),
        json_paths: &["token.symbol", "token.name", "token.address_hash|address"],
        provenance: unmodified,
        width: column_width(8, 16, 0),
        align: Align::Left,
        cell: |b, _, room| symbol_cell(&b.token, room),
        full_value: |b| csv_value(&b.token, |token| symbol(token).to_string()),
        route: |_, b, viewed| b.token.value().and_then(|token| token_route(token, None, viewed)),
    },
    Column {
        title: "name",
        csv_name: Some("token_name"),
        json_paths: &["token.name"],
        provenance: unmodified,
        width: column_width(10, 30, 6),
        align: Align::Left,
        cell: |b, _, room| {
            token_field(
                b,
                |t| field_cell(&t.name, |n| TableCell::new(cut(n, room).into_owned(), Role::Plain)),
                |c| c,
            )
        },
        full_value: |b| token_text(b, |t| &t.name),
        route: |_, b, viewed| b.token.value().and_then(|token| token_route(token, None, viewed)),
    },
    Column {
        title: "contract",
        csv_name: Some("token_contract"),
        json_paths: &["token.address_hash|address"],
        provenance: unmodified,
        width: column_width(11, 42, 7),
        align: Align::Left,
        cell: |b, cx, room| {
            token_field(b, |t| field_cell(&t.address, |a| contract_cell(a, cx, room)), |c| c)
        },
        full_value: |b| {
            b.token.value().map_or("".into(), |t| csv_value(&t.address, ToString::to_string))
        },
        route: |_, b, _| {
            let address = b.token.value()?.address.value()?;
            Some(crate::route::Route::Target(crate::chain::target::TargetKind::Address(*address)))
        },
    },
    Column {
        title: "type",
        csv_name: Some("token_type"),
        json_paths: &["token.type"],
        provenance: unmodified,
        width: column_width(8, 8, 2),
        align: Align::Left,
        cell: |b, _, _| {
            token_field(
                b,
                |t| field_cell(&t.kind, |k| TableCell::new(k.to_string(), Role::Dim)),
                |c| c,
            )
        },
        full_value: |b| token_text(b, |t| &t.kind),
        route: no_route,
    },
    Column {
        title: "id",
        csv_name: Some("token_id"),
        json_paths: &["token_id", "token_instance.id"],
        provenance: unmodified,
        width: column_width(4, 12, 5),
        align: Align::Right,
        cell: |b, _, room| {
            field_cell(&b.token_id, |id| {
                TableCell::new(cut(&format!("#{id}"), room).into_owned(), Role::Link)
            })
        },
        full_value: |b| csv_value(&b.token_id, ToString::to_string),
        route: |_, b, _| {
            let token = b.token.value().cloned().map(Box::new);
            Some(crate::route::Route::Instance {
                instance: b.token_instance.value()?.clone(),
                token,
            })
        },
    },
    Column {
        title: "balance",
        csv_name: Some("value"),
        json_paths: &["value", "token.decimals"],
        provenance: |b, _| decimals_provenance(b.decimals()),
        width: column_width(14, 30, 1),
        align: Align::Right,
        cell: |b, _, room| {
            field_cell(&b.value, |v| amount_cell(*v, b.decimals().unwrap_or(0), room))
        },
        full_value: |b| csv_value(&b.value, ToString::to_string),
        route: no_route,
    },
    Column {
        title: "≈ $",
        csv_name: None,
        json_paths: &["value", "token.decimals", "token.exchange_rate"],
        provenance: |b, _| {
            SafeText::new(&format!(
                "{} and multiplied by the rate, cents rounded down",
                decimals_provenance(b.decimals())
            ))
        },
        width: column_width(10, 18, 3),
        align: Align::Right,
        cell: |b, _, room| {
            let Some(worth) = b.worth() else { return TableCell::new("—", Role::Dim) };
            let shown = worth.format_to_width(room.saturating_sub(1));
            TableCell::new(["≈", &shown].concat(), Role::Plain)
        },
        full_value: |_| "".into(),
        route: no_route,
    },
    Column {
        title: "price $",
        csv_name: Some("exchange_rate"),
        json_paths: &["token.exchange_rate"],
        provenance: unmodified,
        width: column_width(8, 14, 8),
        align: Align::Right,
        cell: |b, _, room| {
            token_field(
                b,
                |t| {
                    field_cell(&t.exchange_rate, |r| {
                        let shown = r.parse::<Decimal>().map_or(r.to_string(), |rate| {
                            let plain = rate.to_string();
                            if fits(&plain, room) { plain } else { rate.format_to_width(room) }
                        });
                        TableCell::new(cut(&shown, room).into_owned(), Role::Plain)
                    })
                },
                |c| c,
            )
        },
        full_value: |b| token_text(b, |t| &t.exchange_rate),
        route: no_route,
    },
    Column {
        title: "holders",
        csv_name: Some("holders"),
        json_paths: &["token.holders_count|holders"],
        provenance: unmodified,
        width: column_width(7, 9, 4),
        align: Align::Right,
        cell: |b, _, _| token_field(b, |t| number_cell(&t.holders), |c| c),
        full_value: |b| {
            b.token.value().map_or("".into(), |t| csv_value(&t.holders, ToString::to_string))
        },
        route: no_route,
    },
    Column {
        title: "supply",
        csv_name: Some("total_supply"),
        json_paths: &["token.total_supply", "token.decimals"],
        provenance: |b, _| decimals_provenance(b.decimals()),
        width: column_width(12, 26, 9),
        align: Align::Right,
        cell: |b, _, room| {
            token_field(
                b,
                |t| {
                    field_cell(&t.total_supply, |s| {
                        TableCell::new(
                            amount::format_to_width(*s, b.decimals().unwrap_or(0), room),
                            Role::Plain,
                        )
                    })
                },
                |c| c,
            )
        },
        full_value: |b| {
            b.token.value().map_or("".into(), |t| csv_value(&t.total_supply, ToString::to_string))
        },
        route: no_route,
    },
    common::token_decimals(),
];
