//! The token balances of an address, the most valuable first.

use std::cmp::Reverse;

use alloy_primitives::{Address, U256};
use serde::Serialize;

use super::{ITEMS_COUNT, Page, Question, TYPE, split};
use crate::demo_server::{
    cursor::{Cursor, Mark},
    decimal::Fiat,
    demo_chain::Broken,
    error::Fault,
    models::{Balance, Token},
    query_params::{Declared, Params, Rule},
    responses::{self, Instance},
    serde_util,
    store::Ledger,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[Declared] = &[
    TYPE,
    ("fiat_value", Rule::DecimalOrNull),
    ("value", Rule::DigitsOrNull),
    ("id", Rule::Id),
    ITEMS_COUNT,
];

/// A token balance.
#[derive(Debug, Serialize)]
pub(crate) struct Item<'a> {
    #[serde(with = "serde_util::text")]
    value: U256,
    token: Option<&'a Token>,
    #[serde(with = "serde_util::option")]
    token_id: Option<U256>,
    token_instance: Option<Instance<'a>>,
}

/// What rows are sorted by, the greatest first; a balance without a price is worth less than any.
type Key = (Option<Fiat>, U256, u64);

/// Lists what an address holds.
pub(crate) fn list<'a>(question: &Question<'a>, whom: Address) -> Result<Page<Item<'a>>, Fault> {
    let Question { ledger, params, page_size } = *question;
    let types = params.token_types();
    let tokens = ledger.tokens()?;
    let mark = mark(params);
    let mut rows: Vec<(Key, &Balance)> = (ledger.balances()?.iter())
        .filter(|row| row.address == whom)
        .filter(|row| types.as_ref().is_none_or(|types| types.contains(&row.token_type)))
        .map(|row| ((tokens.get(&row.token).and_then(|it| worth(row, it)), row.value, row.id), row))
        .filter(|(key, _)| mark.is_none_or(|mark| *key < mark))
        .collect();
    rows.sort_unstable_by_key(|(key, _)| Reverse(*key));

    let (page, next) = split(rows.into_iter(), page_size);
    let next_page_params = next.and(page.last()).map(|(key, _)| cursor(params, *key, page.len()));
    let items = page.into_iter().map(|(_, row)| item(ledger, row));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params })
}

/// The key of the last row of the page before.
fn mark(params: &Params) -> Option<Key> {
    Some((params.get("fiat_value"), params.get("value")?, params.get("id")?))
}

fn worth(balance: &Balance, token: &Token) -> Option<Fiat> {
    let rate = token.exchange_rate.as_deref()?.parse().ok()?;
    let decimals = token.decimals.as_deref().map_or(Ok(0), str::parse).ok()?;
    Fiat::worth(balance.value, decimals, rate)
}

fn cursor(params: &Params, (fiat, value, id): Key, items_count: usize) -> Cursor {
    Cursor::echo(params)
        .with("fiat_value", fiat.map(|fiat| Mark::Text(fiat.to_string())))
        .with("value", &*value.to_string())
        .with("id", id)
        .with("items_count", items_count)
}

fn item<'a>(ledger: &'a Ledger, row: &'a Balance) -> Result<Item<'a>, Broken> {
    let token = ledger.tokens()?.get(&row.token);
    let part = token.map(|token| responses::instance_part(ledger, token, row.token_id));
    let token_instance = part.transpose()?.flatten();
    Ok(Item { value: row.value, token, token_id: row.token_id, token_instance })
}
