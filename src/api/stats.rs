//! Numbers about the whole chain.

use std::time::Duration;

use super::json::{Json, for_each_element};
use super::json_fields::{Field, FromJson, RawObject, json_object};
use super::reply::ReplyData;
use crate::chain::decimal::Decimal;
use crate::messages::node::ResponseDefect::MissingField;
use crate::sanitize::SafeText;

json_object! {
    pub struct Stats {
        /// In milliseconds.
        pub average_block_time: Field<Decimal>,
        pub gas_prices: Field<GasPrices>,
        /// In percent of the gas limits.
        pub load: Field<Decimal> = "network_utilization_percentage",
        pub total_transactions: Field<u64>,
        /// In US dollars.
        pub coin_price: Field<Decimal>,
    }
}

impl ReplyData for Stats {}

json_object! {
    /// Prices of gas, in gwei.
    pub struct GasPrices {
        pub slow: Field<GasPrice>,
        pub average: Field<GasPrice>,
        pub fast: Field<GasPrice>,
    }
}

#[derive(Debug, Clone, Copy)]
pub struct GasPrice(pub Decimal);

/// Number of transactions per day, oldest first.
#[derive(Debug, Clone)]
pub struct DailyTransactions(pub Vec<u64>);

impl ReplyData for DailyTransactions {}

/// Days that are kept: servers send a month.
const MAX_DAYS: usize = 366;

impl Stats {
    /// Returns the average time between blocks. A server sends zero until it has computed it once.
    pub fn block_time(&self) -> Option<Duration> {
        let milliseconds = self.average_block_time.value()?.floor_to_units(0)?;
        let time = u64::try_from(milliseconds).ok().map(Duration::from_millis);
        time.filter(|time| !time.is_zero())
    }
}

impl FromJson for Decimal {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let text = SafeText::from_json(json)?;
        text.parse().map_err(|_| super::json::type_error("a decimal number", json))
    }
}

/// Parses a number, as old servers send it, or an object with `price`.
impl FromJson for GasPrice {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let Ok(object) = RawObject::parse(json) else { return Decimal::from_json(json).map(Self) };
        match object.field(&["price"]) {
            Field::Present(price) => Ok(Self(price)),
            Field::Absent => Err(MissingField("price").into()),
            Field::Invalid(why) => Err(why),
        }
    }
}

impl FromJson for DailyTransactions {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let chart = RawObject::parse(json)?;
        let data = chart.raw(&["chart_data"]).ok_or(MissingField("chart_data"))?;
        let mut days: Vec<(SafeText, u64)> = Vec::new();
        for_each_element(data, |day| {
            let Ok(day) = RawObject::parse(json.part(day)) else { return };
            let names = ["transactions_count", "transaction_count", "tx_count"];
            // A day without a number would look like one without transactions.
            if let (Field::Present(date), Field::Present(count)) =
                (day.field(&["date"]), day.field(&names))
                && days.len() < MAX_DAYS
            {
                days.push((date, count));
            }
        })?;
        days.sort_unstable();
        Ok(Self(days.into_iter().map(|(_, count)| count).collect()))
    }
}
