//! Ages: the time since an event, in words for the screen.

use jiff::Timestamp;

use crate::chain::network::{DEMO_LAST_BLOCK_TIME, Endpoint, Network};
use crate::messages::column;

/// The time from which ages are counted.
#[derive(Debug, Clone, Copy)]
pub struct AgeClock {
    now: Timestamp,
    /// `true` if the clock stands still, so that ages can have seconds.
    has_stopped: bool,
    /// `true` if ages of less than a minute have seconds, as on the chain of a development node.
    counts_seconds: bool,
}

impl AgeClock {
    /// Returns the clock of a chain. The demo chain's stopped at its last block, and a development
    /// chain's goes on from its newest one if that is ahead.
    pub fn new(network: &Network, now: Timestamp) -> Self {
        if network.endpoint == Endpoint::Embedded {
            return Self { has_stopped: true, ..Self::running(DEMO_LAST_BLOCK_TIME) };
        }
        let now = network.newest_block.map_or(now, |newest| newest.chain_time(now));
        Self { counts_seconds: network.is_development(), ..Self::running(now) }
    }

    pub fn running(now: Timestamp) -> Self {
        Self { now, has_stopped: false, counts_seconds: false }
    }

    /// Returns `true` if the age of the newest block of a chain changes each second.
    pub fn is_fresh(network: &Network, now: Timestamp) -> bool {
        let now = Self::new(network, now).now;
        let age = network.newest_block.map(|newest| now.duration_since(newest.time).as_secs());
        network.is_development() && age.is_some_and(|age| (0..60).contains(&age))
    }

    pub fn now(self) -> Timestamp {
        self.now
    }

    /// Returns the time since `then` in its two largest units: `1m 5s`, `23h 59m`, `3y 9d`. A time
    /// ahead of the clock has a sign: `+59m`. On a running clock it is `<1m`, `1m`, `2m`, which changes
    /// at most once a minute and keeps redraws rare, but for the first minute on a development node.
    pub fn age(self, then: Timestamp) -> String {
        let seconds = self.now.as_second() - then.as_second();
        let past = seconds.unsigned_abs();
        let shown = if self.has_stopped { past } else { past - past % 60 };
        match seconds {
            0..60 if self.counts_seconds => two_units(past),
            -119..60 if !self.has_stopped => "<1m".into(),
            0.. => two_units(shown),
            ..-3_153_599_999 => "+>99y".into(),
            _ => format!("+{}", two_units(shown)),
        }
    }

    /// Returns the time since `then` in words: `7m ago`.
    pub fn ago(self, then: Timestamp) -> String {
        let age = self.age(then);
        match age.strip_prefix('+') {
            Some(ahead) if ahead.starts_with('>') => column::FUTURE.to_owned(),
            Some(ahead) => format!("in {ahead}"),
            None => format!("{age} ago"),
        }
    }

    pub fn has_stopped(self) -> bool {
        self.has_stopped
    }

    /// Describes the ages on a screen.
    pub fn describe(self) -> &'static str {
        if self.has_stopped { column::AGE_AT_LAST_BLOCK } else { column::AGE }
    }
}

/// Returns the time between two times in its largest unit.
pub fn rough_span(first: Timestamp, last: Timestamp) -> String {
    let seconds = first.duration_until(last).as_secs().unsigned_abs();
    let unit = UNITS.iter().find(|(unit, _)| *unit <= seconds);
    let (unit, name) = unit.unwrap_or(&(1, "s"));
    format!("{}{name}", seconds / unit)
}

/// Seconds of each unit.
const UNITS: [(u64, &str); 5] =
    [(31_536_000, "y"), (86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];

fn two_units(seconds: u64) -> String {
    let first = UNITS.iter().position(|(unit, _)| *unit <= seconds).unwrap_or(UNITS.len() - 1);
    let mut left = seconds;
    let mut counts = UNITS.iter().skip(first).take(2).map(|(unit, name)| {
        let count = left / unit;
        left %= unit;
        (count, format!("{count}{name}"))
    });
    let (_, largest) = counts.next().unwrap_or_default();
    match counts.next() {
        Some((1.., second)) => format!("{largest} {second}"),
        _ => largest,
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::chain::network::NewestBlock;

    const NOW: i64 = 1_700_000_000;

    fn age_of(seconds: i64, has_stopped: bool) -> String {
        let clock = AgeClock { has_stopped, ..AgeClock::running(Timestamp::constant(NOW, 0)) };
        clock.age(Timestamp::from_second(NOW - seconds).unwrap())
    }

    #[test]
    fn ages_have_two_units() {
        for (seconds, age) in [
            (0, "<1m"),
            (59, "<1m"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (86_399, "23h 59m"),
            (86_400, "1d"),
            (90_060, "1d 1h"),
            (31_535_999, "364d 23h"),
            (31_536_000, "1y"),
            (95_385_600, "3y 9d"),
            (-30, "<1m"),
            (-119, "<1m"),
            (-600, "+10m"),
            (-86_399, "+23h 59m"),
            (-8_640_000, "+100d"),
            (-31_536_000, "+1y"),
            (-3_153_599_999, "+99y 364d"),
            (-200_000_000_000, "+>99y"),
        ] {
            assert_eq!(age_of(seconds, false), age, "{seconds}");
        }
        let clock = AgeClock::running(Timestamp::constant(NOW, 0));
        let words = [-600, 600].map(|s| clock.ago(Timestamp::from_second(NOW - s).unwrap()));
        assert_eq!(words, ["in 10m", "10m ago"]);
    }

    #[test]
    fn ages_on_a_stopped_clock_have_seconds() {
        for (seconds, age) in [
            (0, "0s"),
            (12, "12s"),
            (60, "1m"),
            (65, "1m 5s"),
            (160, "2m 40s"),
            (3_605, "1h"),
            (11_045, "3h 4m"),
            (95_385_645, "3y 9d"),
            (-5, "+5s"),
            (-200_000_000_000, "+>99y"),
        ] {
            assert_eq!(age_of(seconds, true), age, "{seconds}");
        }
        let of_demo = AgeClock::new(&Network::demo(), Timestamp::MAX);
        assert_eq!(of_demo.age(DEMO_LAST_BLOCK_TIME), "0s", "however late it is");
    }

    #[test]
    fn ages_begin_at_the_newest_block_of_a_chain_that_is_ahead() {
        let now = Timestamp::constant(NOW, 0);
        let ages = |newest: i64, elapsed: i64| {
            let time = Timestamp::constant(NOW + newest, 0);
            let seen_at = Timestamp::constant(NOW - elapsed, 0);
            let newest_block = Some(NewestBlock { time, seen_at });
            let clock = AgeClock::new(&Network { newest_block, ..node() }, now);
            [newest, -elapsed].map(|then| clock.age(Timestamp::constant(NOW + then, 0)))
        };
        assert_eq!(ages(86_400, 0), ["<1m", "1d"]);
        assert_eq!(ages(86_400, 180), ["3m", "1d"], "the chain's clock goes on");
        assert_eq!(ages(-7_200, 180), ["2h", "3m"], "nothing was mined for two hours");
    }

    #[test]
    fn ages_of_a_development_chain_have_seconds_in_the_first_minute() {
        let block = Timestamp::constant(NOW, 0);
        let newest_block = Some(NewestBlock { time: block, seen_at: block });
        let anvil = Network { id: Some(31_337), newest_block, ..node() };
        let age = |seconds: i64| {
            let now = Timestamp::constant(NOW + seconds, 0);
            let age = AgeClock::new(&anvil, now).age(block);
            (age, AgeClock::is_fresh(&anvil, now))
        };
        assert_eq!([0, 59].map(age), [("0s".to_owned(), true), ("59s".to_owned(), true)]);
        assert_eq!(age(61), ("1m".to_owned(), false));
    }

    fn node() -> Network {
        Network::of_node("anvil", Url::parse("http://127.0.0.1").unwrap().try_into().unwrap())
    }
}
