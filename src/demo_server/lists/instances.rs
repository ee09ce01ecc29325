//! The instances of a token, or those one holder has of it, the highest id first.

use alloy_primitives::{Address, U256};

use super::{Page, Question, split};
use crate::demo_server::{
    cursor::{Cursor, Mark},
    demo_chain::Broken,
    error::Fault,
    models::{Instance, Token, TokenType},
    query_params::{Declared, Params, Rule},
    responses,
    store::Ledger,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[Declared] =
    &[("holder_address_hash", Rule::Address), ("unique_token", Rule::Digits)];

/// Lists the instances of a token.
pub(crate) fn list<'a>(
    question: &Question<'a>,
    token: Address,
) -> Result<Page<responses::Instance<'a>>, Fault> {
    let Question { ledger, params, page_size } = *question;
    let token = ledger.tokens()?.get(&token).ok_or(Fault::NotFound)?;
    let holder: Option<Address> = params.get("holder_address_hash");
    if holder.is_some() && token.standard == TokenType::Erc20 {
        return Err(Fault::NotFound);
    }
    let mut rows: Vec<(&Instance, Option<U256>)> = match holder {
        Some(holder) => {
            let held = held(ledger, holder, token)?;
            held.into_iter().map(|(row, value)| (row, Some(value))).collect()
        }
        None => all(ledger, token)?.map(|row| (row, None)).collect(),
    };
    let mark: Option<U256> = params.get("unique_token");
    rows.retain(|(row, _)| mark.is_none_or(|mark| row.id < mark));

    let (page, next) = split(rows.into_iter(), page_size);
    let next_page_params = next.and(page.last()).map(|(last, _)| cursor(params, last));
    let items = page.into_iter().map(|(row, held)| responses::instance(ledger, row, token, held));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params })
}

/// What a holder has of a token, and how much of each id, the highest id first.
pub(super) fn held<'a>(
    ledger: &'a Ledger,
    holder: Address,
    token: &Token,
) -> Result<Vec<(&'a Instance, U256)>, Broken> {
    let balances: Vec<_> = (ledger.balances()?.iter())
        .filter(|row| row.address == holder && row.token == token.address_hash)
        .collect();
    let value = |row: &Instance| match token.standard {
        // Balances of a collection of unique tokens are per contract: the owner tells.
        TokenType::Erc721 => (row.owner == Some(holder)).then_some(U256::ONE),
        _ => balances.iter().find(|it| it.token_id == Some(row.id)).map(|it| it.value),
    };
    Ok(all(ledger, token)?.filter_map(|row| Some((row, value(row)?))).collect())
}

fn all<'a>(
    ledger: &'a Ledger,
    token: &Token,
) -> Result<impl Iterator<Item = &'a Instance> + use<'a>, Broken> {
    let instances = ledger.instances()?.get(&token.address_hash);
    Ok(instances.into_iter().flat_map(|all| all.values().rev()))
}

fn cursor(params: &Params, last: &Instance) -> Cursor {
    Cursor::echo(params).with("unique_token", Mark::Huge(last.id))
}
