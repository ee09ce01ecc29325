//! Numbers about the whole chain. Unknown ones are null.

use std::collections::{BTreeMap, HashSet};

use alloy_primitives::U256;
use serde::Serialize;

use super::request::{JsonResult, RequestContext, to_json};
use super::responses::{basis_points, percentage};
use crate::store::{Snapshot, StoreResult};

/// The newest blocks, of which averages are made.
const RECENT_BLOCKS: usize = 100;
const CHART_DAYS: usize = 31;
/// The shares of the recent transactions, in percent, that paid less than the slow, the average and the
/// fast price.
const PRICE_PERCENTILES: [usize; 3] = [35, 60, 90];
/// A hundredth of a gwei.
const PRICE_UNIT: u128 = 10_000_000;

#[derive(Default, Serialize)]
struct StatsResponse<'a> {
    total_blocks: Option<String>,
    total_transactions: Option<String>,
    total_addresses: Option<()>,
    average_block_time: Option<f64>,
    coin_price: Option<&'a str>,
    coin_price_change_percentage: Option<()>,
    coin_image: Option<()>,
    secondary_coin_image: Option<()>,
    secondary_coin_price: Option<()>,
    gas_prices: GasPricesResponse,
    gas_price_updated_at: Option<()>,
    gas_prices_update_in: Option<()>,
    static_gas_price: Option<()>,
    total_gas_used: Option<()>,
    gas_used_today: Option<()>,
    transactions_today: Option<()>,
    network_utilization_percentage: Option<f64>,
    market_cap: Option<()>,
    tvl: Option<()>,
}

#[derive(Default, Serialize)]
struct GasPricesResponse {
    slow: Option<GasPriceResponse>,
    average: Option<GasPriceResponse>,
    fast: Option<GasPriceResponse>,
}

#[derive(Serialize)]
struct GasPriceResponse {
    /// In gwei.
    price: f64,
    wei: String,
}

#[derive(Serialize)]
struct ChartResponse {
    chart_data: Vec<DayResponse>,
}

#[derive(Serialize)]
struct DayResponse {
    date: String,
    transactions_count: usize,
}

pub(crate) fn stats(request: &RequestContext<'_>) -> JsonResult {
    let snapshot = request.snapshot;
    // Of a part of the chain nothing is a total.
    let whole = |count: usize| request.coverage.is_none().then(|| count.to_string());
    to_json(&StatsResponse {
        total_blocks: whole(snapshot.blocks(u64::MAX)?.count()),
        total_transactions: whole(snapshot.transactions(u64::MAX)?.count()),
        average_block_time: average_block_time(snapshot)?,
        coin_price: snapshot.state.coin_exchange_rate.as_deref(),
        gas_prices: gas_prices(snapshot)?,
        network_utilization_percentage: load(snapshot)?,
        ..StatsResponse::default()
    })
}

/// Returns milliseconds between the recent blocks.
fn average_block_time(snapshot: &Snapshot) -> StoreResult<Option<f64>> {
    let mut recent = snapshot.blocks(u64::MAX)?.take(RECENT_BLOCKS);
    let Some(newest) = recent.next() else { return Ok(None) };
    let oldest = recent.last().unwrap_or(newest);
    let [newest_ms, oldest_ms] = [newest, oldest].map(|block| block.timestamp.as_millisecond());
    let blocks = i64::try_from(newest.number.saturating_sub(oldest.number)).unwrap_or(i64::MAX);
    let average_ms = newest_ms.saturating_sub(oldest_ms).checked_div(blocks);
    let average = average_ms.and_then(|average| i32::try_from(average).ok());
    Ok(average.filter(|average| *average >= 0).map(f64::from))
}

/// Returns the average use of the limits of the recent blocks, in percent.
fn load(snapshot: &Snapshot) -> StoreResult<Option<f64>> {
    let recent = snapshot.blocks(u64::MAX)?.take(RECENT_BLOCKS);
    let gas = recent.filter_map(|block| block.gas_used.zip(block.gas_limit));
    let (used, limit) = gas.fold((U256::ZERO, U256::ZERO), |(used, limit), (more, of)| {
        (used + U256::from(more), limit + U256::from(of))
    });
    Ok(basis_points(used, limit).map(percentage))
}

fn gas_prices(snapshot: &Snapshot) -> StoreResult<GasPricesResponse> {
    let recent = snapshot.blocks(u64::MAX)?.take(RECENT_BLOCKS).last();
    let Some(oldest) = recent.map(|block| block.number) else {
        return Ok(GasPricesResponse::default());
    };
    let recent = snapshot.transactions(u64::MAX)?.take_while(|row| row.block_number >= oldest);
    let mut prices: Vec<u128> = recent.map(|row| row.gas_price).collect();
    prices.sort_unstable();
    let [slow, average, fast] = PRICE_PERCENTILES.map(|percent| {
        let wei = *prices.get(prices.len() * percent / 100)?;
        let price = percentage(i32::try_from(wei / PRICE_UNIT).ok()?);
        Some(GasPriceResponse { price, wei: wei.to_string() })
    });
    Ok(GasPricesResponse { slow, average, fast })
}

/// Counts the transactions of each day of the chain, the newest first. Days that are not indexed whole
/// are left out: the first one of a part of the chain, and those around unreadable blocks.
pub(crate) fn daily_transactions(request: &RequestContext<'_>) -> JsonResult {
    let snapshot = request.snapshot;
    let mut days: BTreeMap<String, usize> = BTreeMap::new();
    let mut incomplete: HashSet<String> = HashSet::new();
    let mut expected = snapshot.head()?.map(|head| head.number);
    for block in snapshot.blocks(u64::MAX)? {
        let day = block.timestamp.strftime("%Y-%m-%d").to_string();
        if expected != Some(block.number) {
            incomplete.insert(day.clone());
            incomplete.extend(days.first_key_value().map(|(newer, _)| newer.clone()));
        }
        expected = block.number.checked_sub(1);
        if days.len() == CHART_DAYS && !days.contains_key(&day) {
            break;
        }
        *days.entry(day).or_default() += snapshot.transactions_in(block.number)?.count();
    }
    if request.coverage.is_some() && days.len() < CHART_DAYS {
        days.pop_first();
    }
    days.retain(|day, _| !incomplete.contains(day));
    let day = |(date, transactions_count)| DayResponse { date, transactions_count };
    to_json(&ChartResponse { chart_data: days.into_iter().rev().map(day).collect() })
}
