//! How amounts of the coin and times are written, as the user likes it now.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::format::{age, ago};
use crate::chain::U256;
use crate::chain::amount::Unit;
use crate::chain::network::Network;
pub use crate::config::time_format::Times;

/// Columns of a date with a sign that its time is cut, and of both.
pub const STAMP: [u16; 2] = [11, 16];

/// How amounts of the coin and times are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// The unit of amounts.
    pub unit: Unit,
    /// The form of times.
    pub times: Times,
    /// The user's time zone.
    pub zone: TimeZone,
}

impl Default for Notation {
    fn default() -> Self {
        Self { unit: Unit::default(), times: Times::default(), zone: TimeZone::UTC }
    }
}

impl Notation {
    /// An amount in full, with its unit.
    pub fn coin(&self, value: U256, network: &Network) -> String {
        self.unit.exact(value, network)
    }

    /// A time in so many columns; an age where a date does not fit.
    pub fn stamp(&self, then: Timestamp, now: Timestamp, room: usize) -> String {
        let [least, _] = STAMP;
        if self.times == Times::Age || room < usize::from(least) {
            return age(then, now);
        }
        then.to_zoned(self.zone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// A time in full, and how long ago that is.
    pub fn time(&self, then: Timestamp, now: Timestamp) -> String {
        let zoned = then.to_zoned(self.zone());
        let zone = if self.times == Times::Local { "%:z" } else { "UTC" };
        let time = zoned.strftime(&["%Y-%m-%d %H:%M:%S ", zone].concat()).to_string();
        format!("{time} ({})", ago(then, now))
    }

    /// What is shown now, for a notice.
    pub fn times_words(&self, now: Timestamp) -> String {
        match self.times {
            Times::Age => "times are ages".into(),
            Times::Utc => "times are in UTC".into(),
            Times::Local => {
                let offset = now.to_zoned(self.zone()).strftime("%:z").to_string();
                format!("times are local: UTC{offset} now")
            }
        }
    }

    /// The zone that is shown.
    fn zone(&self) -> TimeZone {
        if self.times == Times::Local { self.zone.clone() } else { TimeZone::UTC }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::offset;

    use super::*;

    fn notation(times: Times) -> Notation {
        Notation { times, zone: TimeZone::fixed(offset(-5)), ..Notation::default() }
    }

    #[test]
    fn times_in_their_forms() {
        let then: Timestamp = "2026-11-21T03:09:59Z".parse().unwrap();
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        for (times, stamp, time, words) in [
            (Times::Age, "6h", "2026-11-21 03:09:59 UTC (6h ago)", "times are ages"),
            (
                Times::Local,
                "2026-11-20 22:09",
                "2026-11-20 22:09:59 -05:00 (6h ago)",
                "times are local: UTC-05:00 now",
            ),
            (
                Times::Utc,
                "2026-11-21 03:09",
                "2026-11-21 03:09:59 UTC (6h ago)",
                "times are in UTC",
            ),
        ] {
            let notation = notation(times);
            assert_eq!(notation.stamp(then, now, 16), stamp);
            assert_eq!(notation.stamp(then, now, 10), "6h", "no room for a date");
            assert_eq!(notation.time(then, now), time);
            assert_eq!(notation.times_words(now), words);
            assert_eq!(times.to_string().parse(), Ok(times));
        }
    }

    #[test]
    fn any_time_can_be_shown() {
        for then in [Timestamp::MIN, Timestamp::MAX] {
            for times in [Times::Age, Times::Local, Times::Utc] {
                let notation = notation(times);
                assert!(!notation.stamp(then, Timestamp::UNIX_EPOCH, 16).is_empty());
                assert!(notation.time(then, Timestamp::UNIX_EPOCH).contains(" ("));
            }
        }
    }
}
