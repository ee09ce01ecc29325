//! The columns and links of the tokens an address holds.

use std::borrow::Cow;

use super::cell_format::{
    amount_cell, cell, contract_cell, divided, full, imitation, number_cell, symbol, symbol_cell,
    to_token, token_amount, token_line, width,
};
use super::common_columns::{self, HasToken};
use super::row::{Column, Row, RowCx, as_sent, no_link};
use crate::api::token::Token;
use crate::api::token_balances::TokenBalance;
use crate::api::{Field, Page, Reply};
use crate::chain::{Address, U256, amount, fiat_value};
use crate::msg::Action;
use crate::sanitize::Text;
use crate::ui::format::{cut, fits};
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

impl HasToken for TokenBalance {
    fn of_token(&self) -> Option<&Token> {
        self.token.known()
    }
}

impl Row for TokenBalance {
    type Id = (Address, Option<U256>);

    const NAME: &'static str = "tokens";
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
        Some((*self.token.known()?.address.known()?, self.token_id.known().copied()))
    }

    fn strip(&self, _: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        let token = self.token.known();
        let supply = token.map_or("—".into(), |t| {
            t.total_supply
                .show(|s| token_amount(*s, t.decimals.known().copied()).into())
                .into_owned()
        });
        let worth = self.worth().map_or("no rate".into(), |w| format!("≈ ${w} (an estimate)"));
        vec![
            ("holds", Text::new(&self.held())),
            ("worth", worth.into()),
            ("token", token.map_or("not indexed yet".into(), token_line)),
            ("supply", Text::new(&supply)),
        ]
    }

    fn copy(&self, action: Action, _: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        Some(match action {
            Action::CopyAddress | Action::CopyToken => {
                ("token's contract", self.token().and_then(|t| text(t.0.to_string())))
            }
            Action::CopyValue => {
                ("raw value", self.value.known().and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn token(&self) -> Option<(Address, Text)> {
        let token = self.token.known()?;
        Some((*token.address.known()?, symbol(token)))
    }

    fn warnings(&self) -> Vec<Text> {
        imitation(self.token.known()).into_iter().collect()
    }
}

impl TokenBalance {
    fn standard(&self) -> Option<&Text> {
        self.token.known().and_then(|t| t.kind.known())
    }

    /// The decimals that apply: pieces of an ERC-721 have none, whatever the contract says.
    fn decimals(&self) -> Option<u8> {
        match self.standard().map(|s| &**s) {
            Some("ERC-721" | "ERC-1155" | "ERC-404") => Some(0),
            _ => self.token.known().and_then(|t| t.decimals.known()).copied(),
        }
    }

    /// What is held, in full.
    fn held(&self) -> String {
        let symbol = self.token.known().map_or("unknown token".into(), symbol);
        let value = self.value.show(|v| token_amount(*v, self.decimals()).into());
        let id = self.token_id.known().map(|id| format!(" #{id}")).unwrap_or_default();
        let pieces =
            if self.standard().is_some_and(|s| **s == *"ERC-721") { "pieces of " } else { "" };
        format!("{value} {pieces}{symbol}{id}")
    }

    /// Worth in US dollars at the server's rate, where there is one.
    fn worth(&self) -> Option<String> {
        let rate = self.token.known()?.exchange_rate.known()?;
        fiat_value::worth(*self.value.known()?, self.decimals()?, rate)
    }
}

/// A field of the token.
fn of<T>(
    balance: &TokenBalance,
    show: impl FnOnce(&Token) -> T,
    other: impl FnOnce(Cell) -> T,
) -> T {
    match &balance.token {
        Field::Read(token) => show(token),
        Field::Absent => other(Cell::new("—", Role::Dim)),
        Field::Unread(_) => other(Cell::new("?", Role::Warning)),
    }
}

fn text_of(balance: &TokenBalance, field: fn(&Token) -> &Field<Text>) -> Cow<'_, str> {
    balance.token.known().map_or("".into(), |token| full(field(token), ToString::to_string))
}

const COLUMNS: &[Column<TokenBalance>] = &[
    Column {
        title: "token",
        name: Some("token_symbol"),
        paths: &["token.symbol", "token.name", "token.address_hash|address"],
        how: as_sent,
        width: width(8, 16, 0),
        align: Align::Left,
        cell: |b, _, room| symbol_cell(&b.token, room),
        full: |b| full(&b.token, |token| symbol(token).to_string()),
        link: |_, b, viewed| b.token.known().and_then(|token| to_token(token, None, viewed)),
    },
    Column {
        title: "name",
        name: Some("token_name"),
        paths: &["token.name"],
        how: as_sent,
        width: width(10, 30, 6),
        align: Align::Left,
        cell: |b, _, room| {
            of(b, |t| cell(&t.name, |n| Cell::new(cut(n, room).into_owned(), Role::Plain)), |c| c)
        },
        full: |b| text_of(b, |t| &t.name),
        link: |_, b, viewed| b.token.known().and_then(|token| to_token(token, None, viewed)),
    },
    Column {
        title: "contract",
        name: Some("token_contract"),
        paths: &["token.address_hash|address"],
        how: as_sent,
        width: width(11, 42, 7),
        align: Align::Left,
        cell: |b, cx, room| of(b, |t| cell(&t.address, |a| contract_cell(a, cx, room)), |c| c),
        full: |b| b.token.known().map_or("".into(), |t| full(&t.address, ToString::to_string)),
        link: |_, b, _| {
            let address = b.token.known()?.address.known()?;
            Some(super::Link::Subject(crate::chain::target::Subject::Address(*address)))
        },
    },
    Column {
        title: "type",
        name: Some("token_type"),
        paths: &["token.type"],
        how: as_sent,
        width: width(8, 8, 2),
        align: Align::Left,
        cell: |b, _, _| of(b, |t| cell(&t.kind, |k| Cell::new(k.to_string(), Role::Dim)), |c| c),
        full: |b| text_of(b, |t| &t.kind),
        link: no_link,
    },
    Column {
        title: "id",
        name: Some("token_id"),
        paths: &["token_id", "token_instance.id"],
        how: as_sent,
        width: width(4, 12, 5),
        align: Align::Right,
        cell: |b, _, room| {
            cell(&b.token_id, |id| Cell::new(cut(&format!("#{id}"), room).into_owned(), Role::Link))
        },
        full: |b| full(&b.token_id, ToString::to_string),
        link: |_, b, _| {
            let token = b.token.known().cloned().map(Box::new);
            Some(super::Link::Instance { instance: b.token_instance.known()?.clone(), token })
        },
    },
    Column {
        title: "balance",
        name: Some("value"),
        paths: &["value", "token.decimals"],
        how: |b, _| divided(b.decimals()),
        width: width(14, 30, 1),
        align: Align::Right,
        cell: |b, _, room| cell(&b.value, |v| amount_cell(*v, b.decimals().unwrap_or(0), room)),
        full: |b| full(&b.value, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "≈ $",
        name: None,
        paths: &["value", "token.decimals", "token.exchange_rate"],
        how: |b, _| {
            Text::new(&format!(
                "{} and multiplied by the rate, cents rounded down",
                divided(b.decimals())
            ))
        },
        width: width(10, 18, 3),
        align: Align::Right,
        cell: |b, _, room| {
            let Some(worth) = b.worth() else { return Cell::new("—", Role::Dim) };
            let shown = if fits(&worth, room.saturating_sub(1)) {
                worth
            } else {
                fiat_value::fitted(&worth, room.saturating_sub(1)).unwrap_or(worth)
            };
            Cell::new(["≈", &shown].concat(), Role::Plain)
        },
        full: |_| "".into(),
        link: no_link,
    },
    Column {
        title: "price $",
        name: Some("exchange_rate"),
        paths: &["token.exchange_rate"],
        how: as_sent,
        width: width(8, 14, 8),
        align: Align::Right,
        cell: |b, _, room| {
            of(
                b,
                |t| {
                    cell(&t.exchange_rate, |r| {
                        let plain = fiat_value::plain(r);
                        let fitted = fiat_value::fitted(r, room).filter(|_| !fits(&plain, room));
                        let shown = fitted.unwrap_or(plain);
                        Cell::new(cut(&shown, room).into_owned(), Role::Plain)
                    })
                },
                |c| c,
            )
        },
        full: |b| text_of(b, |t| &t.exchange_rate),
        link: no_link,
    },
    Column {
        title: "holders",
        name: Some("holders"),
        paths: &["token.holders_count|holders"],
        how: as_sent,
        width: width(7, 9, 4),
        align: Align::Right,
        cell: |b, _, _| of(b, |t| number_cell(&t.holders), |c| c),
        full: |b| b.token.known().map_or("".into(), |t| full(&t.holders, ToString::to_string)),
        link: no_link,
    },
    Column {
        title: "supply",
        name: Some("total_supply"),
        paths: &["token.total_supply", "token.decimals"],
        how: |b, _| divided(b.decimals()),
        width: width(12, 26, 9),
        align: Align::Right,
        cell: |b, _, room| {
            of(
                b,
                |t| {
                    cell(&t.total_supply, |s| {
                        Cell::new(amount::fitted(*s, b.decimals().unwrap_or(0), room), Role::Plain)
                    })
                },
                |c| c,
            )
        },
        full: |b| b.token.known().map_or("".into(), |t| full(&t.total_supply, ToString::to_string)),
        link: no_link,
    },
    common_columns::token_decimals(),
];
