//! The NFT collections an address holds something of, by standard and then by address.

use alloy_primitives::Address;
use serde::Serialize;

use super::{ITEMS_COUNT, Page, Question, TYPE, instances::held, split};
use crate::demo_server::{
    cursor::Cursor,
    demo_chain::Broken,
    error::Fault,
    models::{Token, TokenType},
    query_params::{Declared, Params, Rule},
    responses::Instance,
    serde_util,
    store::Ledger,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[Declared] = &[
    TYPE,
    ("token_contract_address_hash", Rule::Address),
    ("token_type", Rule::Word(&["ERC-20", "ERC-721", "ERC-1155", "ERC-404", "ERC-7984"])),
    ITEMS_COUNT,
];

/// Instances shown of each collection.
const PREVIEW: usize = 9;

/// A collection.
#[derive(Debug, Serialize)]
pub(crate) struct Item<'a> {
    token: &'a Token,
    /// How many different ids are held, not how many of them.
    #[serde(with = "serde_util::text")]
    amount: usize,
    token_instances: Vec<Instance<'a>>,
}

/// Lists the collections an address holds.
pub(crate) fn list<'a>(question: &Question<'a>, whom: Address) -> Result<Page<Item<'a>>, Fault> {
    let Question { ledger, params, page_size } = *question;
    let mut tokens = collections(ledger, whom, params.token_types().as_deref())?;
    let mark = mark(params);
    tokens.retain(|token| mark.is_none_or(|mark| mark < key(token)));

    let (page, next) = split(tokens.into_iter(), page_size);
    let next_page_params = next.and(page.last()).map(|last| cursor(params, last, page.len()));
    let items = page.into_iter().map(|token| item(ledger, whom, token));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params })
}

fn key(token: &Token) -> (TokenType, Address) {
    (token.standard, token.address_hash)
}

/// The key of the last row of the page before.
fn mark(params: &Params) -> Option<(TokenType, Address)> {
    Some((params.get("token_type")?, params.get("token_contract_address_hash")?))
}

fn collections<'a>(
    ledger: &'a Ledger,
    whom: Address,
    types: Option<&[TokenType]>,
) -> Result<Vec<&'a Token>, Broken> {
    let tokens = ledger.tokens()?;
    let mut held: Vec<&Token> = (ledger.balances()?.iter())
        .filter(|row| row.address == whom && row.token_type != TokenType::Erc20)
        .filter(|row| types.is_none_or(|types| types.contains(&row.token_type)))
        .filter_map(|row| tokens.get(&row.token))
        .collect();
    held.sort_unstable_by_key(|token| key(token));
    // A multi-token has a balance for every id.
    held.dedup_by_key(|token| key(token));
    Ok(held)
}

fn item<'a>(ledger: &'a Ledger, whom: Address, token: &'a Token) -> Result<Item<'a>, Broken> {
    let held = held(ledger, whom, token)?;
    let previews = held.iter().take(PREVIEW);
    Ok(Item {
        token,
        amount: held.len(),
        token_instances: previews
            .map(|&(record, value)| Instance::preview(record, token.standard, value))
            .collect(),
    })
}

fn cursor(params: &Params, last: &Token, items_count: usize) -> Cursor {
    Cursor::echo(params)
        .with("token_contract_address_hash", last.address_hash)
        .with("token_type", <&str>::from(last.standard))
        .with("items_count", items_count)
}
