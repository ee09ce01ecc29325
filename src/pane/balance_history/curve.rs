//! Balances over time, and their values at equal distances.

use std::cmp::Ordering;

use jiff::tz::TimeZone;

use crate::chain::amount::Unit;
use crate::chain::network::Network;
use crate::chain::{Timestamp, U256};
use crate::ui::theme::Role;

/// Balances over time, oldest first.
#[derive(Debug)]
pub(super) struct BalanceCurve {
    /// Times, if they are known, and the balances from then on, or at the end of the day that begins then.
    pub(super) points: Vec<(Option<Timestamp>, U256)>,
    /// Zone of the dates.
    pub(super) zone: TimeZone,
    /// Title, which names the times of the points.
    pub(super) title: String,
    /// Explanation of a word in the list below.
    pub(super) note: String,
}

impl BalanceCurve {
    /// Describes the difference from the oldest to the newest balance, in the colour of a gain or a loss.
    pub(super) fn change(&self, unit: Unit, network: &Network) -> (String, Role) {
        let [before, now] = [self.points.first(), self.points.last()]
            .map(|point| point.map_or(U256::ZERO, |(_, balance)| *balance));
        let (sign, role) = match now.cmp(&before) {
            Ordering::Less => ("−", Role::Failed),
            Ordering::Equal => ("±", Role::Dim),
            Ordering::Greater => ("+", Role::Ok),
        };
        ([sign, &unit.describe(now.abs_diff(before), network)].concat(), role)
    }

    /// Returns the dates of the first and the last point, with times if they are of one day. Times that do not rise are
    /// no axis.
    pub(super) fn dates(&self) -> [String; 2] {
        if !self.points.iter().filter_map(|(then, _)| *then).is_sorted() {
            return ["?".into(), "?".into()];
        }
        let ends = |format: &str| {
            [self.points.first(), self.points.last()].map(|point| {
                let then = point.and_then(|(then, _)| *then);
                let date =
                    then.map(|then| then.to_zoned(self.zone.clone()).strftime(format).to_string());
                date.unwrap_or_else(|| "?".into())
            })
        };
        match ends("%Y-%m-%d") {
            [first, last] if first == last => ends("%Y-%m-%d %H:%M"),
            dates => dates,
        }
    }

    /// Returns the seconds of the points since the first, or their numbers if the times do not rise.
    fn seconds(&self) -> Vec<i64> {
        let times = self.points.iter().map(|(then, _)| then.map(Timestamp::as_second));
        let times: Vec<i64> = times.map(Option::unwrap_or_default).collect();
        let first = times.first().copied().unwrap_or_default();
        let is_known = self.points.iter().all(|(then, _)| then.is_some());
        if is_known && times.is_sorted() && times.last() > Some(&first) {
            times.iter().map(|time| time.saturating_sub(first)).collect()
        } else {
            (0..).take(times.len()).collect()
        }
    }

    /// Returns a balance for each of so many columns: the first one, and the last ones within equal times.
    pub(super) fn sampled(&self, columns: u16) -> Vec<U256> {
        let seconds = self.seconds();
        let all = i128::from(seconds.last().copied().unwrap_or_default());
        let balances = self.points.iter().map(|(_, balance)| *balance);
        let mut rest = seconds.into_iter().map(i128::from).zip(balances).peekable();
        let mut balance = rest.next().map(|(_, balance)| balance).unwrap_or_default();
        let steps = i128::from(columns.saturating_sub(1)).max(1);
        let mut sampled = Vec::new();
        for step in 0..i128::from(columns) {
            let end = all * step / steps;
            while let Some((_, later)) = rest.next_if(|(then, _)| step > 0 && *then <= end) {
                balance = later;
            }
            sampled.push(balance);
        }
        sampled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_do_not_rise_are_no_dates() {
        let dates = |times: [i64; 3]| {
            let point = |time| (Some(Timestamp::from_second(time).unwrap()), U256::ZERO);
            let (zone, title, note) = (TimeZone::UTC, String::new(), String::new());
            BalanceCurve { points: times.map(point).into(), zone, title, note }.dates()
        };
        assert_eq!(dates([0, 86_400, 200_000]), ["1970-01-01", "1970-01-03"]);
        assert_eq!(dates([0, 200_000, 86_400]), ["?", "?"]);
    }

    #[test]
    fn columns_are_equal_times() {
        let sampled = |times: &[Option<i64>], columns| {
            let times = times.iter().map(|time| time.map(|s| Timestamp::from_second(s).unwrap()));
            let points = times.zip(1..).map(|(time, n)| (time, U256::from(n))).collect();
            let (zone, title, note) = (TimeZone::UTC, String::new(), String::new());
            let curve = BalanceCurve { points, zone, title, note };
            curve.sampled(columns).into_iter().map(|n| n.to::<u64>()).collect::<Vec<_>>()
        };
        let times = [0, 0, 10, 90, 100].map(Some);
        assert_eq!(sampled(&times, 6), [1, 3, 3, 3, 3, 5], "20 seconds each, after the first");
        assert_eq!(sampled(&times, 1), [1]);
        assert_eq!(sampled(&times, 0), Vec::<u64>::new());
        assert_eq!(sampled(&[Some(7); 3], 5), [1, 1, 2, 2, 3], "at one time");
        assert_eq!(sampled(&[Some(9), None, Some(5)], 3), [1, 2, 3], "unknown");
        assert_eq!(sampled(&[Some(9), Some(5)], 2), [1, 2], "not in order");
        assert_eq!(sampled(&[], 2), [0, 0]);
    }
}
