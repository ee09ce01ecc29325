//! The coin balance of an address after each block that changed it, newest first, and at the end of
//! days.

use std::collections::HashMap;

use alloy_primitives::{Address, B256, U256};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::{BLOCK_NUMBER_PARAM, ITEMS_COUNT_PARAM, ListEnd, page};
use crate::api_server::{
    cursor::NextPageParams,
    error::ApiServerError,
    query_params::ParamSpec,
    request::{JsonResult, RequestContext, to_json},
};
use crate::messages::chain_data::ChainDataError;
use crate::store::{BalanceEffect, Snapshot, StoreResult, TransactionRecord, serde_util};

pub(crate) const PARAMETERS: &[ParamSpec] = &[BLOCK_NUMBER_PARAM, ITEMS_COUNT_PARAM];

/// The days with a change that are listed at most.
const MAX_DAYS: usize = 90;

#[derive(Debug, Serialize)]
struct CoinBalanceResponse {
    block_number: u64,
    #[serde(with = "serde_util::text")]
    block_timestamp: Timestamp,
    delta: String,
    #[serde(with = "serde_util::option")]
    transaction_hash: Option<B256>,
    #[serde(with = "serde_util::text")]
    value: U256,
    /// `true` if no transaction is known that changed it. Not in the API.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_unexplained: bool,
}

#[derive(Debug, Serialize)]
struct DailyBalancesResponse {
    days: usize,
    items: Vec<DailyBalanceResponse>,
}

#[derive(Debug, Serialize)]
struct DailyBalanceResponse {
    #[serde(with = "serde_util::text")]
    date: Date,
    #[serde(with = "serde_util::text")]
    value: U256,
}

/// A balance before and after a block.
#[derive(Clone, Copy, Debug)]
struct BalanceStep {
    effect: BalanceEffect,
    before: U256,
    after: U256,
    /// `true` for the end of some blocks whose rows changed nothing.
    is_unexplained: bool,
}

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let RequestContext { snapshot, params, page_size, .. } = *request;
    let (effects, end) = snapshot.balance_effects(address)?;
    let after: Option<u64> = params.get("block_number");
    // With the last block of the page before, whose balance may not be the next one's.
    let listed = effects
        .iter()
        .filter(|effect| after.is_none_or(|after| effect.block_number <= after))
        .take(page_size.saturating_add(1 + usize::from(after.is_some())))
        .copied()
        .collect();
    let known = steps(request, address, &effects, listed)?;
    // The accounts that a rollup pays its fees to receive them in no row.
    let has_all_rows = end.is_ok()
        && snapshot.coverage.as_ref().is_none_or(|blocks| blocks.unreadable == 0)
        && !snapshot.transactions(u64::MAX)?.any(TransactionRecord::is_on_rollup);
    let all = if has_all_rows {
        let head = if after.is_none() { balance_at_head(request, address)? } else { None };
        with_unexplained(head, known)
    } else {
        known
    };
    let is_listed = |step: &BalanceStep| after.is_none_or(|after| step.effect.block_number < after);
    let steps = all.into_iter().filter(is_listed);
    let cursor = |last: &BalanceStep, next: NextPageParams| {
        next.with("block_number", last.effect.block_number)
    };
    page(request, steps, ListEnd::Indexed(end), cursor, |step| response(snapshot, step))
}

/// Lists the balances at the end of the days (UTC) that changed it, oldest first.
pub(crate) fn list_by_day(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let (effects, _) = request.snapshot.balance_effects(address)?;
    let mut days: Vec<(Date, BalanceEffect)> = Vec::new();
    for effect in &effects {
        let Some(block) = request.snapshot.block(effect.block_number)? else { continue };
        let date = block.timestamp.to_zoned(TimeZone::UTC).date();
        if days.last().is_none_or(|(last, _)| *last != date) {
            days.push((date, *effect));
        }
    }
    days.truncate(MAX_DAYS);
    let last = days.iter().map(|(_, effect)| *effect).collect();
    let steps = steps(request, address, &effects, last)?;
    let mut items: Vec<_> = days
        .iter()
        .zip(steps)
        .rev()
        .map(|((date, _), step)| DailyBalanceResponse { date: *date, value: step.after })
        .collect();
    if let Some(last) = items.last()
        && let Some((head, value)) = balance_at_head(request, address)?
        && value != last.value
        && let Some(time) = request.snapshot.block_time(head)?
    {
        // It changed without a row since.
        let date = time.to_zoned(TimeZone::UTC).date();
        items.retain(|day| day.date != date);
        items.push(DailyBalanceResponse { date, value });
    }
    to_json(&DailyBalancesResponse { days: MAX_DAYS, items })
}

/// Returns the newest block and the balance after it, if the chain keeps balances.
fn balance_at_head(
    request: &RequestContext<'_>,
    address: Address,
) -> StoreResult<Option<(u64, U256)>> {
    let Some(head) = request.snapshot.head()? else { return Ok(None) };
    let balances = request.chain.coin_balances(address, &[head.number])?;
    Ok(balances.and_then(|kept| Some((head.number, *kept.first()?))))
}

/// Returns the balances around some of the blocks that changed them: from the chain, if it keeps
/// them, or else by what the rows of all newer blocks took and gave.
fn steps(
    request: &RequestContext<'_>,
    address: Address,
    all: &[BalanceEffect],
    listed: Vec<BalanceEffect>,
) -> Result<Vec<BalanceStep>, ApiServerError> {
    let blocks = listed
        .iter()
        .flat_map(|effect| [effect.block_number.saturating_sub(1), effect.block_number]);
    if let Some(kept) = request.chain.coin_balances(address, &blocks.collect::<Vec<_>>())? {
        let (pairs, _) = kept.as_chunks();
        return Ok(listed
            .into_iter()
            .zip(pairs)
            .map(|(effect, [before, after])| BalanceStep {
                effect,
                before: *before,
                after: *after,
                is_unexplained: false,
            })
            .collect());
    }
    let computed = compute_steps(request.snapshot, address, all)?;
    Ok(listed
        .into_iter()
        .filter_map(|effect| computed.get(&effect.block_number).copied())
        .collect())
}

/// Computes the balances around all blocks from the newest balance.
fn compute_steps(
    snapshot: &Snapshot,
    address: Address,
    effects: &[BalanceEffect],
) -> Result<HashMap<u64, BalanceStep>, ApiServerError> {
    let mut steps = HashMap::new();
    if effects.is_empty() {
        return Ok(steps);
    }
    let account = snapshot.state.account_detail(address)?;
    let newest = account.and_then(|account| account.coin_balance.as_deref()?.parse().ok());
    let mut after: U256 = newest.ok_or(ApiServerError::Unsupported(ChainDataError::NoBalance))?;
    for effect in effects {
        let before = effect
            .before(after)
            .ok_or(ApiServerError::Unsupported(ChainDataError::NoBalanceChanges))?;
        let step = BalanceStep { effect: *effect, before, after, is_unexplained: false };
        steps.insert(effect.block_number, step);
        after = before;
    }
    Ok(steps)
}

/// Adds the changes between blocks, and up to the head, that no row explains: a development node sets
/// balances on request.
fn with_unexplained(head: Option<(u64, U256)>, steps: Vec<BalanceStep>) -> Vec<BalanceStep> {
    let mut all: Vec<BalanceStep> = Vec::with_capacity(steps.len());
    // The last block before the row above, and the balance after it.
    let mut newer = head;
    for step in steps {
        let between =
            newer.filter(|(_, balance)| *balance != step.after).map(|(block, balance)| {
                BalanceStep {
                    effect: BalanceEffect::none(block),
                    before: step.after,
                    after: balance,
                    is_unexplained: true,
                }
            });
        newer = Some((step.effect.block_number.saturating_sub(1), step.before));
        all.extend(between.into_iter().chain([step]));
    }
    all
}

fn response(snapshot: &Snapshot, step: BalanceStep) -> StoreResult<CoinBalanceResponse> {
    let BalanceStep { effect, before, after, is_unexplained } = step;
    let delta = match after.checked_sub(before) {
        Some(gain) => gain.to_string(),
        None => format!("-{}", before - after),
    };
    let sole = effect.sole_transaction(before, after);
    let transaction = sole.map(|position| snapshot.transaction_hash(position));
    let time = snapshot.block_time(effect.block_number)?;
    Ok(CoinBalanceResponse {
        block_number: effect.block_number,
        block_timestamp: time.unwrap_or(Timestamp::UNIX_EPOCH),
        delta,
        transaction_hash: transaction.transpose()?.flatten(),
        value: after,
        is_unexplained,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_that_no_row_explains_is_a_step_between_blocks_or_at_the_head() {
        let step = |block, before: u64, after: u64| BalanceStep {
            effect: BalanceEffect::none(block),
            before: U256::from(before),
            after: U256::from(after),
            is_unexplained: false,
        };
        let head = Some((12, U256::from(8)));
        let known = vec![step(9, 10, 7), step(6, 999, 998), step(5, 1_000, 999)];
        let steps = with_unexplained(head, known);
        let shown: Vec<_> = steps
            .iter()
            .map(|step| {
                let [before, after] = [step.before, step.after].map(|wei| wei.to::<u64>());
                (step.effect.block_number, before, after, step.is_unexplained)
            })
            .collect();
        let expected = [
            (12, 7, 8, true),
            (9, 10, 7, false),
            (8, 998, 10, true),
            (6, 999, 998, false),
            (5, 1_000, 999, false),
        ];
        assert_eq!(shown, expected);
    }
}
