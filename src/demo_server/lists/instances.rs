//! The instances of a token, or those one holder has of it, the highest id first.

use alloy_primitives::{Address, U256};

use super::{PageResponse, RequestContext, take_page};
use crate::demo_server::{
    cursor::{CursorValue, DemoCursor},
    demo_chain::DemoDataError,
    error::DemoApiError,
    models::{DemoTokenType, InstanceRecord, TokenRecord},
    query_params::{ParamRule, ParamSpec, QueryParams},
    responses,
    store::Store,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[ParamSpec] =
    &[("holder_address_hash", ParamRule::Address), ("unique_token", ParamRule::Digits)];

/// Lists the instances of a token.
pub(crate) fn list<'a>(
    question: &RequestContext<'a>,
    token: Address,
) -> Result<PageResponse<responses::InstanceResponse<'a>>, DemoApiError> {
    let RequestContext { store: ledger, params, page_size } = *question;
    let token = ledger.tokens()?.get(&token).ok_or(DemoApiError::NotFound)?;
    let holder: Option<Address> = params.get("holder_address_hash");
    if holder.is_some() && token.standard == DemoTokenType::Erc20 {
        return Err(DemoApiError::NotFound);
    }
    let mut rows: Vec<(&InstanceRecord, Option<U256>)> = match holder {
        Some(holder) => {
            let held = held_instances(ledger, holder, token)?;
            held.into_iter().map(|(row, value)| (row, Some(value))).collect()
        }
        None => all_instances(ledger, token)?.map(|row| (row, None)).collect(),
    };
    let mark: Option<U256> = params.get("unique_token");
    rows.retain(|(row, _)| mark.is_none_or(|mark| row.id < mark));

    let (page, next) = take_page(rows.into_iter(), page_size);
    let next_page_params = next.and(page.last()).map(|(last, _)| cursor(params, last));
    let items = page.into_iter().map(|(row, held)| responses::instance(ledger, row, token, held));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params })
}

/// What a holder has of a token, and how much of each id, the highest id first.
pub(super) fn held_instances<'a>(
    ledger: &'a Store,
    holder: Address,
    token: &TokenRecord,
) -> Result<Vec<(&'a InstanceRecord, U256)>, DemoDataError> {
    let balances: Vec<_> = (ledger.balances()?.iter())
        .filter(|row| row.address == holder && row.token == token.address_hash)
        .collect();
    let value = |row: &InstanceRecord| match token.standard {
        // Balances of a collection of unique tokens are per contract: the owner tells.
        DemoTokenType::Erc721 => (row.owner == Some(holder)).then_some(U256::ONE),
        _ => balances.iter().find(|it| it.token_id == Some(row.id)).map(|it| it.value),
    };
    Ok(all_instances(ledger, token)?.filter_map(|row| Some((row, value(row)?))).collect())
}

fn all_instances<'a>(
    ledger: &'a Store,
    token: &TokenRecord,
) -> Result<impl Iterator<Item = &'a InstanceRecord> + use<'a>, DemoDataError> {
    let instances = ledger.instances()?.get(&token.address_hash);
    Ok(instances.into_iter().flat_map(|all| all.values().rev()))
}

fn cursor(params: &QueryParams, last: &InstanceRecord) -> DemoCursor {
    DemoCursor::echo(params).with("unique_token", CursorValue::BigNumber(last.id))
}
