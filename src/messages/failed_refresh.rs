//! Failed refreshes of parts of a page, and the age of the data that stays.

use std::fmt;

use jiff::Timestamp;

/// Age of data that could not be loaded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataAge {
    pub seconds: u64,
}

impl DataAge {
    pub fn between(loaded_at: Timestamp, now: Timestamp) -> Self {
        Self { seconds: now.duration_since(loaded_at).as_secs().unsigned_abs() }
    }
}

impl fmt::Display for DataAge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, unit) = match self.seconds {
            seconds @ 0..60 => (seconds, "s"),
            seconds @ 60..3_600 => (seconds / 60, "min"),
            seconds @ 3_600..86_400 => (seconds / 3_600, "h"),
            seconds => (seconds / 86_400, "d"),
        };
        write!(f, "{count} {unit} old")
    }
}

/// A failed refresh, next to the older data.
#[derive(Debug, Clone, Copy)]
pub struct FailedRefresh<'a> {
    pub why: &'a str,
    /// `None` if the data came with another response, at an unknown time.
    pub age: Option<DataAge>,
    pub retry: Option<NextRetry>,
}

impl fmt::Display for FailedRefresh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "✗ {}", self.why)?;
        self.age.map_or(Ok(()), |age| write!(f, " · {age}"))?;
        self.retry.map_or(Ok(()), |retry| write!(f, " · {retry}"))
    }
}

/// The time when a request is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum NextRetry {
    #[strum(to_string = "retrying in {seconds} s")]
    In { seconds: u64 },
    #[strum(to_string = "retrying within {minutes} min")]
    Within { minutes: u64 },
}

/// The reason why a connection waits.
#[derive(Debug, strum::Display)]
pub enum ConnectionWait {
    #[strum(to_string = "rate limited · {seconds} s")]
    RateLimited { seconds: u64 },
    #[strum(to_string = "retrying ({attempt} of {max_attempts})")]
    Retrying { attempt: u8, max_attempts: u8 },
}
