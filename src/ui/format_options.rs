//! The user's preferences for amounts, times and addresses.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::age::AgeClock;
use crate::chain::amount::Unit;
pub use crate::config::time_format::TimeFormat;
use crate::messages::notice::AppNotice;

/// Width of a time with its day, and of one with its date.
pub const TIME_WIDTHS: [u16; 2] = [11, 19];
/// Width of a time with its day and seconds.
const SECONDS_WIDTH: usize = 14;
/// Days for which a day and a month say enough.
const MAX_DAYS_WITHOUT_YEAR: i64 = 300;

static UTC: LazyLock<TimeZone> = LazyLock::new(|| TimeZone::UTC);

#[derive(Debug, Clone, Copy)]
pub struct FormatOptions {
    pub unit: Unit,
    pub time_format: TimeFormat,
    /// The user's time zone. Reading it takes a millisecond, and only local times need it.
    pub zone: &'static LazyLock<TimeZone>,
    /// `true` if addresses have a colour mark.
    pub address_marks: bool,
    /// `true` if only ASCII is drawn, which has no thin lines and no marks.
    pub is_ascii: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            unit: Unit::default(),
            time_format: TimeFormat::default(),
            zone: &UTC,
            address_marks: true,
            is_ascii: false,
        }
    }
}

impl FormatOptions {
    /// Returns a time in `width` columns: without its year if that is clear, of old times the date only,
    /// and an age if none of these fits.
    pub fn short_time(&self, then: Timestamp, ages: AgeClock, width: usize) -> String {
        let [least, full] = TIME_WIDTHS.map(usize::from);
        if self.time_format == TimeFormat::Age || width < least {
            return ages.age(then);
        }
        let format = match width {
            _ if width >= full => "%Y-%m-%d %H:%M:%S",
            SECONDS_WIDTH.. if is_recent(then, ages) => "%m-%d %H:%M:%S",
            _ if is_recent(then, ages) => "%m-%d %H:%M",
            _ => "%Y-%m-%d",
        };
        then.to_zoned(self.zone()).strftime(format).to_string()
    }

    /// Returns a time like [`short_time`](Self::short_time), without a clear year in any width: a column of
    /// the same year says nothing.
    pub fn column_time(&self, then: Timestamp, ages: AgeClock, width: usize) -> String {
        let [_, full] = TIME_WIDTHS.map(usize::from);
        let width = if is_recent(then, ages) { width.min(full - 1) } else { width };
        self.short_time(then, ages, width)
    }

    pub fn full_time(&self, then: Timestamp, ages: AgeClock) -> String {
        format!("{} ({})", self.date_time(then), ages.ago(then))
    }

    /// Returns a time in full: of the user's time zone if local times are chosen, else UTC.
    pub fn date_time(&self, then: Timestamp) -> String {
        let zoned = then.to_zoned(self.zone());
        let zone = if self.time_format == TimeFormat::Local { "%:z" } else { "UTC" };
        zoned.strftime(&["%Y-%m-%d %H:%M:%S ", zone].concat()).to_string()
    }

    /// Returns the time of the day: of the user's time zone unless UTC is chosen.
    pub fn clock_time(&self, then: Timestamp) -> String {
        let is_utc = self.time_format == TimeFormat::Utc;
        let zone = if is_utc { TimeZone::UTC } else { TimeZone::clone(self.zone) };
        then.to_zoned(zone).strftime("%H:%M:%S").to_string()
    }

    pub fn describe_times(&self, now: Timestamp) -> String {
        match self.time_format {
            TimeFormat::Age => AppNotice::Ages.to_string(),
            TimeFormat::Utc => AppNotice::UtcTimes.to_string(),
            TimeFormat::Local => {
                let offset = &now.to_zoned(self.zone()).strftime("%:z").to_string();
                AppNotice::LocalTimes { offset }.to_string()
            }
        }
    }

    /// Returns the zone of dates: the user's if local times are chosen, else UTC.
    pub fn zone(&self) -> TimeZone {
        if self.time_format == TimeFormat::Local {
            TimeZone::clone(self.zone)
        } else {
            TimeZone::UTC
        }
    }
}

/// Returns `true` if a time is clear without its year.
fn is_recent(then: Timestamp, ages: AgeClock) -> bool {
    ages.now().duration_since(then).abs().as_hours() / 24 < MAX_DAYS_WITHOUT_YEAR
}

/// Formats a size, such as `12.3 MB` or `45 kB`.
pub fn format_bytes(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        ..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => {
            format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
        }
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::offset;

    use super::*;

    static FIVE_HOURS_WEST: LazyLock<TimeZone> = LazyLock::new(|| TimeZone::fixed(offset(-5)));

    fn notation(times: TimeFormat) -> FormatOptions {
        FormatOptions { time_format: times, zone: &FIVE_HOURS_WEST, ..FormatOptions::default() }
    }

    #[test]
    fn times_are_ages_or_dates() {
        let then: Timestamp = "2026-11-21T03:09:59Z".parse().unwrap();
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        for (times, stamp, time, words) in [
            (TimeFormat::Age, "6h 50m", "2026-11-21 03:09:59 UTC (6h 50m ago)", "times are ages"),
            (
                TimeFormat::Local,
                "2026-11-20 22:09:59",
                "2026-11-20 22:09:59 -05:00 (6h 50m ago)",
                "times are local: UTC-05:00 now",
            ),
            (
                TimeFormat::Utc,
                "2026-11-21 03:09:59",
                "2026-11-21 03:09:59 UTC (6h 50m ago)",
                "times are in UTC",
            ),
        ] {
            let notation = notation(times);
            assert_eq!(notation.short_time(then, AgeClock::running(now), 19), stamp);
            assert_eq!(
                notation.short_time(then, AgeClock::running(now), 10),
                "6h 50m",
                "too narrow for a time"
            );
            assert_eq!(notation.full_time(then, AgeClock::running(now)), time);
            assert_eq!(notation.describe_times(now), words);
            assert_eq!(times.to_string().parse(), Ok(times));
        }
    }

    #[test]
    fn narrow_times_have_no_year() {
        let then: Timestamp = "2026-11-21T03:09:59Z".parse().unwrap();
        for (now, short) in [
            ("2026-11-21T10:00:00Z", "11-20 22:09:59"),
            ("2027-09-01T10:00:00Z", "11-20 22:09:59"),
            ("2027-10-01T10:00:00Z", "2026-11-20"),
        ] {
            let ages = AgeClock::running(now.parse().unwrap());
            let [day, full] =
                [14, 18].map(|width| notation(TimeFormat::Local).short_time(then, ages, width));
            assert_eq!((&*day, &*full), (short, short));
            let column = notation(TimeFormat::Local).column_time(then, ages, 19);
            let narrow = notation(TimeFormat::Local).short_time(then, ages, 11);
            assert!(short.starts_with(&narrow), "{narrow}");
            let is_old = narrow == short;
            assert_eq!(column, if is_old { "2026-11-20 22:09:59" } else { short });
        }
    }

    #[test]
    fn extreme_times_do_not_panic() {
        for then in [Timestamp::MIN, Timestamp::MAX] {
            for times in [TimeFormat::Age, TimeFormat::Local, TimeFormat::Utc] {
                let notation = notation(times);
                let ages = AgeClock::running(Timestamp::UNIX_EPOCH);
                assert!(!notation.short_time(then, ages, 19).is_empty());
                assert!(notation.full_time(then, ages).contains(" ("));
            }
        }
    }
}
