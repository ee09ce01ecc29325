//! The search language of lists and traces: words that must all match, each with an optional scope, as
//! in `to:bob amount:>100k`, or `re:` and a regular expression for the whole text.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use regex_lite::Regex;

use crate::chain::U256;
use crate::chain::decimal::Decimal;
use crate::messages::list;
use crate::sanitize::SafeText;

#[derive(Debug, Clone)]
pub enum TextPattern {
    /// Case-sensitive only if it contains upper case.
    Literal {
        pattern: String,
        case_sensitive: bool,
    },
    Regex(Regex),
}

impl TextPattern {
    pub fn new(pattern: &str) -> Self {
        let case_sensitive = pattern.chars().any(char::is_uppercase);
        Self::Literal { pattern: pattern.to_owned(), case_sensitive }
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Literal { pattern, case_sensitive: true } => text.contains(pattern),
            Self::Literal { pattern, case_sensitive: false } => {
                text.to_lowercase().contains(pattern)
            }
            Self::Regex(pattern) => pattern.is_match(text),
        }
    }
}

/// Parses a search: `parse_word` takes the scope of each word, if it has one, and the rest of it;
/// `anywhere` takes a regular expression.
///
/// # Errors
///
/// Returns a message for the user about the first invalid word.
pub fn parse_search<T>(
    text: &str,
    anywhere: fn(TextPattern) -> T,
    parse_word: impl Fn(Option<&str>, &str) -> Result<T, SafeText>,
) -> Result<Vec<T>, SafeText> {
    if let Some(pattern) = text.strip_prefix("re:") {
        let pattern = Regex::new(pattern).map_err(|e| SafeText::new(&e.to_string()))?;
        return Ok(vec![anywhere(TextPattern::Regex(pattern))]);
    }
    let words = text.split_whitespace().map(|word| match word.split_once(':') {
        Some((scope, rest)) => parse_word(Some(scope), rest),
        None => parse_word(None, word),
    });
    words.collect()
}

/// A bound for numbers: `>100k`, `<2.5`, or `0.1` (greater than); or for times: `<5m`, `>2024-05-01`.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<N> {
    is_greater: bool,
    bound: N,
}

impl Comparison<Decimal> {
    /// # Errors
    ///
    /// Returns a message for the user if there is no number.
    pub fn parse(text: &str) -> Result<Self, SafeText> {
        let (is_greater, rest) = split_sign(text);
        let (digits, factor) = match rest.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, "1e3"),
            None => rest.strip_suffix('M').map_or((rest, "1"), |digits| (digits, "1e6")),
        };
        let factor: Option<Decimal> = factor.parse().ok();
        let number: Option<Decimal> = digits.replace(',', "").parse().ok();
        let bound = number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        Ok(Self { is_greater, bound: bound.ok_or(list::EXPECTED_BOUND)? })
    }

    /// Converts the bound to units of 10^-`decimals`.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if it has more digits after the point.
    pub fn to_units(self, decimals: u8) -> Result<Comparison<U256>, SafeText> {
        let bound = self.bound.to_units(decimals.into()).ok_or(list::EXPECTED_BOUND)?;
        Ok(Comparison { is_greater: self.is_greater, bound })
    }
}

impl Comparison<Timestamp> {
    /// Parses a bound for the age of events, or the day (in UTC) from which or until which they are.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if there is neither.
    pub fn parse_time(text: &str, now: Timestamp) -> Result<Self, SafeText> {
        let (is_greater, rest) = split_sign(text);
        if let Ok(Ok(day)) = rest.parse().map(|day: Date| day.to_zoned(TimeZone::UTC)) {
            return Ok(Self { is_greater, bound: day.timestamp() });
        }
        let age: Option<Span> = rest.parse().ok();
        let then = age.and_then(|age| now.to_zoned(TimeZone::UTC).checked_sub(age).ok());
        let bound = then.ok_or(list::EXPECTED_TIME)?.timestamp();
        // The greater the age, the earlier the event.
        Ok(Self { is_greater: !is_greater, bound })
    }
}

/// Returns `true` if a bound is a minimum, and the bound without its sign.
fn split_sign(text: &str) -> (bool, &str) {
    (!text.starts_with('<'), text.strip_prefix(['<', '>']).unwrap_or(text))
}

impl<N: PartialOrd> Comparison<N> {
    /// Returns `true` if a number is within the bound. An unknown one is not.
    pub fn matches(&self, value: Option<N>) -> bool {
        value.is_some_and(
            |value| if self.is_greater { value > self.bound } else { value < self.bound },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_exact() {
        let bound = |text| Comparison::parse(text).unwrap().to_units(18).unwrap();
        let eth = |n: u64| Some(U256::from(n) * U256::from(10).pow(U256::from(17)));
        assert!(bound(">0").matches(Some(U256::from(1))) && !bound(">0").matches(Some(U256::ZERO)));
        assert!(bound(">1.5").matches(eth(16)) && !bound(">1.5").matches(eth(15)));
        assert!(bound("<0.5").matches(eth(4)) && !bound("<0.5").matches(None));
        let gas = |text| Comparison::parse(text)?.to_units(0);
        assert_eq!(gas(">100k").unwrap().bound, U256::from(100_000));
        assert_eq!(gas("1,500").unwrap().bound, U256::from(1_500));
        assert!(gas(">x").is_err() && gas(">1.5").is_err() && gas("").is_err());
    }

    #[test]
    fn times_are_compared_by_age_or_day() {
        let now: Timestamp = "2024-05-03T00:00:00Z".parse().unwrap();
        let matches = |bound, then: &str| {
            Comparison::parse_time(bound, now).unwrap().matches(then.parse().ok())
        };
        let [new, old] = ["2024-05-02T23:58:00Z", "2024-04-30T23:59:59Z"];
        for bound in ["<5m", "<1h30m", ">2024-05-01", "<1d"] {
            assert!(matches(bound, new) && !matches(bound, old), "{bound}");
        }
        for bound in [">5m", ">2d", "<2024-05-01"] {
            assert!(!matches(bound, new) && matches(bound, old), "{bound}");
        }
        assert!(matches("<1y", old) && !matches("<1y", "?"));
        for text in ["<", "<5", ">may", "<19998y"] {
            assert!(Comparison::parse_time(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn search_is_case_sensitive_only_with_upper_case() {
        assert!(TextPattern::new("usdc").matches("transfer of USDC"));
        assert!(!TextPattern::new("Usdc").matches("transfer of USDC"));
    }
}
