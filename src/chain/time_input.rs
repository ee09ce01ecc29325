//! Times that a user types: a date, a time of a day, or an age. Dates and days are of UTC.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, SpanFieldwise, Timestamp};

/// A time, which may be relative to the clock of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeInput {
    At(Timestamp),
    /// A time of today or of yesterday.
    Day {
        days_ago: u8,
        time: Time,
    },
    Ago(SpanFieldwise),
}

const DAYS: [&str; 2] = ["today", "yesterday"];
const TIMES: [(&str, Time); 2] =
    [("noon", Time::constant(12, 0, 0, 0)), ("midnight", Time::midnight())];

impl FromStr for TimeInput {
    type Err = ();

    /// Parses `2026-01-01`, `2026-01-01 12:00`, `yesterday noon`, `22:30` of today, `12h ago` or `<2d`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let lower = text.trim().to_ascii_lowercase();
        let text = lower.strip_suffix(" utc").unwrap_or(&lower);
        if let Some(age) = text.strip_prefix('<').or_else(|| text.strip_suffix(" ago")) {
            return parse_age(age).map(Self::Ago).ok_or(());
        }
        let (day, time) =
            text.split_once(' ').map_or((text, None), |(day, time)| (day, Some(time)));
        let named = TIMES.iter().find(|(name, _)| Some(*name) == time).map(|(_, time)| *time);
        if let Some(days_ago) = (0..).zip(DAYS).find(|(_, name)| *name == day).map(|(n, _)| n) {
            let time = named
                .or_else(|| time.map_or(Some(Time::midnight()), |time| time.parse().ok()))
                .ok_or(())?;
            return Ok(Self::Day { days_ago, time });
        }
        if !has_date(text) {
            let time = text.parse().ok().filter(|_| text.contains(':')).ok_or(())?;
            return Ok(Self::Day { days_ago: 0, time });
        }
        if let Ok(at) = text.parse() {
            return Ok(Self::At(at));
        }
        let at: DateTime = match named {
            Some(time) => day.parse::<DateTime>().map_err(drop)?.date().to_datetime(time),
            None => text.parse().map_err(drop)?,
        };
        at.to_zoned(TimeZone::UTC).map(|at| Self::At(at.timestamp())).map_err(drop)
    }
}

/// Formats the time as text that is parsed as the same again.
impl fmt::Display for TimeInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => at.fmt(f),
            Self::Day { days_ago, time } => {
                let day = DAYS.get(usize::from(*days_ago)).copied().unwrap_or_default();
                write!(f, "{day} {time}")
            }
            Self::Ago(age) => write!(f, "<{:#}", age.0),
        }
    }
}

impl TimeInput {
    /// Parses a time, or an age without `ago`, where nothing else is expected.
    pub fn parse_past(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| parse_age(text.trim()).map(Self::Ago))
    }

    /// Returns the time, or `None` if no calendar has it.
    pub fn resolve(self, now: Timestamp) -> Option<Timestamp> {
        let now = now.to_zoned(TimeZone::UTC);
        let at = match self {
            Self::At(at) => return Some(at),
            Self::Day { days_ago, time } => {
                let day = now.date().checked_sub(Span::new().days(days_ago)).ok()?;
                day.to_datetime(time).to_zoned(TimeZone::UTC).ok()?
            }
            Self::Ago(age) => now.checked_sub(age.0).ok()?,
        };
        Some(at.timestamp())
    }
}

/// Parses an age such as `2d` or `1h 30m`.
pub fn parse_age(text: &str) -> Option<SpanFieldwise> {
    let age: Span = text.parse().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit()))?;
    (!age.is_negative()).then(|| age.fieldwise())
}

/// Returns `true` for a text that may be a time in another form, but hardly a name: `tomorrow`, `2026-1-1`,
/// `1.5.2026`, `9:61`, `2 fortnights ago`.
pub fn is_meant_as_time(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let are_numbers = |sign: &dyn Fn(char) -> bool, least: usize| {
        let mut groups = text.split(sign);
        let is_number = |group: &str| {
            (1..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
        };
        groups.clone().count() >= least && groups.all(is_number)
    };
    let begins_with_day = DAYS.iter().any(|day| text.starts_with(day));
    let is_meant = text == "tomorrow"
        || text.ends_with(" ago")
        || (begins_with_day && text.contains(':'))
        || are_numbers(&|c| matches!(c, '-' | '/' | ':'), 2)
        || (are_numbers(&|c| c == '.', 3) && !are_numbers(&|c| c == '.', 4));
    is_meant && text.parse::<TimeInput>().is_err()
}

/// Returns `true` if a text begins with a date. A number is none.
fn has_date(text: &str) -> bool {
    text.len() >= "2026-01-01".len()
        && text.bytes().zip(0..).take(8).all(|(byte, at)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_days_and_ages_are_times() {
        let now: Timestamp = "2026-03-02T15:30:00Z".parse().unwrap();
        for (text, at) in [
            ("2026-01-01", "2026-01-01T00:00:00Z"),
            (" 2026-01-01 12:00 ", "2026-01-01T12:00:00Z"),
            ("2026-01-01T12:00", "2026-01-01T12:00:00Z"),
            ("2026-01-01 12:00 UTC", "2026-01-01T12:00:00Z"),
            ("2026-01-01 noon", "2026-01-01T12:00:00Z"),
            ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z"),
            ("2026-01-01T12:00:00+02:00", "2026-01-01T10:00:00Z"),
            ("today", "2026-03-02T00:00:00Z"),
            ("Yesterday", "2026-03-01T00:00:00Z"),
            ("yesterday noon", "2026-03-01T12:00:00Z"),
            ("yesterday 23:59", "2026-03-01T23:59:00Z"),
            ("22:30", "2026-03-02T22:30:00Z"),
            ("07:30:15 UTC", "2026-03-02T07:30:15Z"),
            ("<2d", "2026-02-28T15:30:00Z"),
            ("12h ago", "2026-03-02T03:30:00Z"),
            ("1h30m ago", "2026-03-02T14:00:00Z"),
            ("2 days ago", "2026-02-28T15:30:00Z"),
        ] {
            let time: TimeInput = text.parse().unwrap();
            assert_eq!(time.resolve(now), at.parse().ok(), "{text}");
            assert_eq!(time.to_string().parse(), Ok(time), "{text}: {time}");
        }
    }

    #[test]
    fn names_and_numbers_are_no_times() {
        for text in [
            "",
            "noon",
            "yesterday's",
            "tomorrow",
            "20260101",
            "1700000000",
            "2d",
            "2026-1-1",
            "2026-01-32",
            "2026-01-01 25:00",
            "25:00",
            "2230",
            "ago",
            "x ago",
            "<",
            "<2",
            "<-2d",
            "-2d ago",
            "day.eth",
        ] {
            assert_eq!(text.parse::<TimeInput>(), Err(()), "{text}");
        }
        for text in ["tomorrow", "2 fortnights ago", "2026/1/1", "1.1.2026", "25:00", "today 25:00"]
        {
            assert!(is_meant_as_time(text), "{text}");
        }
        for text in ["", "noon", "today", "tomorrow.eth", "1.1.1.1", "go", "yesterday's"] {
            assert!(!is_meant_as_time(text), "{text}");
        }
        assert_eq!(TimeInput::parse_past(" 2d "), "2d ago".parse().ok());
        assert_eq!(TimeInput::parse_past("today"), "today".parse().ok());
        assert_eq!(TimeInput::parse_past("day.eth"), None);
        let oldest: TimeInput = "19998y ago".parse().unwrap();
        assert_eq!(oldest.resolve(Timestamp::UNIX_EPOCH), None);
    }
}
