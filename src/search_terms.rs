//! The search language of lists and traces: words that must all match, each with an optional scope, as
//! in `to:bob amount:>100k`, or `not:` and a word that must not; or `re:` and a regular expression for
//! the whole text.

use std::ops::{Bound, Range, RangeBounds};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use regex_lite::Regex;

use crate::chain::U256;
use crate::chain::decimal::Decimal;
use crate::chain::time_input::{TimeInput, parse_age};
use crate::messages::list;
use crate::sanitize::SafeText;

/// The characters of comparisons.
const COMPARISONS: [char; 3] = ['<', '>', '='];

#[derive(Debug, Clone)]
pub enum TextPattern {
    /// A text in lower case, which matches in any.
    Literal(String),
    Regex(Regex),
}

impl TextPattern {
    pub fn new(pattern: &str) -> Self {
        Self::Literal(pattern.to_lowercase())
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Literal(pattern) => text.to_lowercase().contains(pattern),
            Self::Regex(pattern) => pattern.is_match(text),
        }
    }

    /// Returns the first place of the pattern in a text.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Self::Literal(pattern) => text.char_indices().find_map(|(start, _)| {
                let length = lower_case_prefix(text.get(start..)?, pattern)?;
                Some(start..start + length)
            }),
            Self::Regex(pattern) => pattern.find(text).map(|found| found.range()),
        }
    }
}

/// Returns the length of the beginning of a text that is a pattern in lower case.
fn lower_case_prefix(text: &str, pattern: &str) -> Option<usize> {
    let mut rest = pattern;
    for (at, letter) in text.char_indices() {
        if rest.is_empty() {
            return Some(at);
        }
        for lower in letter.to_lowercase() {
            rest = rest.strip_prefix(lower)?;
        }
    }
    rest.is_empty().then_some(text.len())
}

/// A word of a search. A row or a call matches all of them.
#[derive(Debug, Clone)]
pub struct SearchTerm<T> {
    /// `true` if what the predicate describes is left out: `not:from:bob`.
    pub is_negated: bool,
    pub predicate: T,
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
) -> Result<Vec<SearchTerm<T>>, SafeText> {
    if let Some(pattern) = text.strip_prefix("re:") {
        let pattern = Regex::new(pattern).map_err(|e| SafeText::new(&e.to_string()))?;
        let predicate = anywhere(TextPattern::Regex(pattern));
        return Ok(vec![SearchTerm { is_negated: false, predicate }]);
    }
    let words = text.split_whitespace().map(|word| {
        let negated = word.strip_prefix("not:");
        let predicate = match negated.unwrap_or(word) {
            "" => Err(list::EXPECTED_WORD.into()),
            word => match word.split_once(':') {
                Some((scope, rest)) => parse_word(Some(scope), rest),
                None => parse_word(None, word),
            },
        };
        Ok(SearchTerm { is_negated: negated.is_some(), predicate: predicate? })
    });
    words.collect()
}

/// A range of numbers: `>100k`, `<=2.5`, `100..200`, or `0.1` alone; or of times: `<5m`, `>2024-05-01`,
/// `2024-05-01..2024-06-01`. The bounds of a range from one to another belong to it.
#[derive(Debug, Clone, Copy)]
pub struct ValueRange<N> {
    from: Bound<N>,
    to: Bound<N>,
}

impl ValueRange<Decimal> {
    /// # Errors
    ///
    /// Returns a message for the user if there is no number.
    pub fn parse(text: &str) -> Result<Self, SafeText> {
        Self::parse_with(text, parse_number)
    }

    /// Converts the bounds to units of 10^-`decimals`.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if one has more digits after the point.
    pub fn to_units(self, decimals: u8) -> Result<ValueRange<U256>, SafeText> {
        let is_exact = |bound: Bound<Decimal>| match bound.map(|n| n.to_units(decimals.into())) {
            Bound::Included(Some(n)) => Ok(Bound::Included(n)),
            Bound::Excluded(Some(n)) => Ok(Bound::Excluded(n)),
            Bound::Unbounded => Ok(Bound::Unbounded),
            Bound::Included(None) | Bound::Excluded(None) => {
                Err(SafeText::from(list::EXPECTED_BOUND))
            }
        };
        Ok(ValueRange { from: is_exact(self.from)?, to: is_exact(self.to)? })
    }
}

impl ValueRange<Timestamp> {
    /// Parses a bound for the age of events, or for their day (in UTC), a day, which may be `today` or
    /// `yesterday`, or a range of ages or days. What is after a day begins at its end.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if there is neither.
    pub fn parse_time(text: &str, now: Timestamp) -> Result<Self, SafeText> {
        if let Some((from, to)) = text.split_once("..") {
            return Self::between(from, to, now);
        }
        let (sign, rest) = split_sign(text);
        let (from, to) = if let Some((start, end)) = parse_day(rest, now) {
            match sign {
                ">" => (after(end), Bound::Unbounded),
                ">=" => (Bound::Included(start), Bound::Unbounded),
                "<" => (Bound::Unbounded, Bound::Excluded(start)),
                "<=" => (Bound::Unbounded, end),
                "" | "=" => (Bound::Included(start), end),
                _ => return Err(list::EXPECTED_TIME.into()),
            }
        } else {
            let then = time_before(rest, now)?;
            // The greater the age, the earlier the event.
            match sign {
                ">" => (Bound::Unbounded, Bound::Excluded(then)),
                ">=" => (Bound::Unbounded, Bound::Included(then)),
                "<" => (Bound::Excluded(then), Bound::Unbounded),
                "<=" => (Bound::Included(then), Bound::Unbounded),
                _ => return Err(list::EXPECTED_TIME.into()),
            }
        };
        Ok(Self { from, to })
    }

    /// Creates the range between two days, which are part of it, or two ages, in either order.
    fn between(one: &str, other: &str, now: Timestamp) -> Result<Self, SafeText> {
        let ends = |text: &str| match (text, parse_day(text, now)) {
            ("", _) => Ok(None),
            (_, Some((start, end))) => Ok(Some((start, end))),
            (age, None) => {
                let then = time_before(age, now)?;
                Ok::<_, SafeText>(Some((then, Bound::Included(then))))
            }
        };
        // The least age comes first, and is of the latest time.
        let is_age = |text: &str| !text.is_empty() && parse_day(text, now).is_none();
        let (one, other) = if is_age(one) || is_age(other) { (other, one) } else { (one, other) };
        let (from, to) = match (ends(one)?, ends(other)?) {
            (Some(from), Some(to)) if from.0 > to.0 => (Some(to), Some(from)),
            ends => ends,
        };
        if from.is_none() && to.is_none() {
            return Err(list::EXPECTED_TIME.into());
        }
        Ok(Self {
            from: from.map_or(Bound::Unbounded, |(start, _)| Bound::Included(start)),
            to: to.map_or(Bound::Unbounded, |(_, end)| end),
        })
    }
}

/// Returns the beginning of what is after an end.
fn after<N>(end: Bound<N>) -> Bound<N> {
    match end {
        Bound::Included(last) => Bound::Excluded(last),
        Bound::Excluded(first) => Bound::Included(first),
        Bound::Unbounded => Bound::Unbounded,
    }
}

/// Parses a number, which may have grouped digits and a suffix for thousands or millions.
///
/// # Errors
///
/// Returns a message for the user if there is none.
pub fn parse_number(text: &str) -> Result<Decimal, SafeText> {
    let (digits, power) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, "1e3"),
        None => text.strip_suffix('M').map_or((text, "1"), |digits| (digits, "1e6")),
    };
    let factor: Option<Decimal> = power.parse().ok();
    let parsed: Option<Decimal> = digits.replace(',', "").parse().ok();
    let number = parsed.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    number.ok_or_else(|| list::EXPECTED_BOUND.into())
}

/// Returns the start of a day and the end of its events, or a time of a day twice.
fn parse_day(text: &str, now: Timestamp) -> Option<(Timestamp, Bound<Timestamp>)> {
    let time: TimeInput = text.parse().ok().filter(|time| !matches!(time, TimeInput::Ago(_)))?;
    let start = time.resolve(now)?;
    let day: Date = start.to_zoned(TimeZone::UTC).date();
    let is_whole = text.parse::<Date>().is_ok_and(|day| text.len() <= day.to_string().len())
        || matches!(time, TimeInput::Day { .. }) && !text.contains(':');
    let next = day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some((start, if is_whole { Bound::Excluded(next) } else { Bound::Included(start) }))
}

/// Returns the time that is an age before the present.
fn time_before(age: &str, now: Timestamp) -> Result<Timestamp, SafeText> {
    let then = parse_age(age).and_then(|age| TimeInput::Ago(age).resolve(now));
    then.ok_or_else(|| list::EXPECTED_TIME.into())
}

/// Returns `true` if a word before a colon is meant as a scope. Anything else is part of a text: `0x…:1`, a
/// `data:` URI, a URL.
pub fn is_scope(word: &str, rest: &str) -> bool {
    is_scope_name(word) && !rest.is_empty() && !rest.starts_with("//")
}

/// Returns `true` for a word of small letters that begins no URI.
pub fn is_scope_name(word: &str) -> bool {
    word.len() > 1 && word != "data" && word.bytes().all(|c| c.is_ascii_lowercase())
}

/// Returns `true` if a text begins with a comparison.
pub fn is_comparison(text: &str) -> bool {
    text.starts_with(COMPARISONS)
}

/// Returns `true` if a text is meant as a range of numbers, ages or days, either end of which may be
/// missing.
pub fn is_range(text: &str) -> bool {
    text.split_once("..").is_some_and(|(from, to)| {
        let first = if from.is_empty() { to } else { from };
        starts_with_number(first)
    })
}

/// Returns `true` if a text begins with a digit, or with a minus sign before one.
pub fn starts_with_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '−']).unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Splits a bound into its sign, which may be empty, and the rest.
fn split_sign(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(COMPARISONS).len())
}

impl<N: PartialOrd + Copy> ValueRange<N> {
    /// Parses a range of numbers, each with `number`.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if there is no range, and the errors of `number`.
    pub fn parse_with(
        text: &str,
        number: impl Fn(&str) -> Result<N, SafeText>,
    ) -> Result<Self, SafeText> {
        if let Some((from, to)) = text.split_once("..") {
            let bound = |text: &str| match text {
                "" => Ok(Bound::Unbounded),
                text => number(text).map(Bound::Included),
            };
            return Ok(Self { from: bound(from)?, to: bound(to)? });
        }
        let (sign, digits) = split_sign(text);
        let number = number(digits)?;
        let (from, to) = match sign {
            ">" => (Bound::Excluded(number), Bound::Unbounded),
            ">=" => (Bound::Included(number), Bound::Unbounded),
            "<" => (Bound::Unbounded, Bound::Excluded(number)),
            "<=" => (Bound::Unbounded, Bound::Included(number)),
            "" | "=" => (Bound::Included(number), Bound::Included(number)),
            _ => return Err(list::EXPECTED_BOUND.into()),
        };
        Ok(Self { from, to })
    }

    /// Returns the ends of the range, which may not belong to it.
    pub fn ends(&self) -> [Option<N>; 2] {
        [self.from, self.to].map(|bound| match bound {
            Bound::Included(end) | Bound::Excluded(end) => Some(end),
            Bound::Unbounded => None,
        })
    }

    /// Returns `true` if a value is within the range. An unknown one is not.
    pub fn matches(&self, value: Option<N>) -> bool {
        value.is_some_and(|value| {
            RangeBounds::<N>::contains(&(self.from.as_ref(), self.to.as_ref()), &value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_numbers_are_exact() {
        let bound = |text| ValueRange::parse(text).unwrap().to_units(18).unwrap();
        let eth = |n: u64| Some(U256::from(n) * U256::from(10).pow(U256::from(17)));
        assert!(bound(">0").matches(Some(U256::from(1))) && !bound(">0").matches(Some(U256::ZERO)));
        assert!(bound(">1.5").matches(eth(16)) && !bound(">1.5").matches(eth(15)));
        assert!(bound("<0.5").matches(eth(4)) && !bound("<0.5").matches(None));
        let gas = |text| ValueRange::parse(text)?.to_units(0);
        let above = |text, n: u64| {
            let range = gas(text).unwrap();
            range.matches(Some(U256::from(n + 1))) && !range.matches(Some(U256::from(n)))
        };
        assert!(above(">100k", 100_000) && above(">=1,501", 1_500));
        for text in [">x", ">1.5", "", "=>1", "<>1", ">", "==1"] {
            assert!(gas(text).is_err(), "{text}");
        }
        assert!(gas("1..x").is_err() && gas("1.5..2").is_err());
        for (text, within) in [
            ("1..2", [true, true]),
            ("2..", [false, true]),
            ("..1", [true, false]),
            ("1", [true, false]),
            ("=2", [false, true]),
            ("<=2", [true, true]),
            (">=2", [false, true]),
        ] {
            let range = gas(text).unwrap();
            assert_eq!([1, 2].map(|n| range.matches(Some(U256::from(n)))), within);
            assert_eq!(range.matches(Some(U256::from(3))), ["2..", ">=2"].contains(&text));
        }
    }

    #[test]
    fn times_are_compared_by_age_or_day() {
        let now: Timestamp = "2024-05-03T00:00:00Z".parse().unwrap();
        let matches = |bound, then: &str| {
            ValueRange::parse_time(bound, now).unwrap().matches(then.parse().ok())
        };
        let [new, old] = ["2024-05-02T23:58:00Z", "2024-04-30T23:59:59Z"];
        for bound in [
            "<5m",
            "<1h30m",
            ">2024-05-01",
            "<1d",
            "2024-05-02",
            "2024-05-01..2024-05-02",
            "2024-05-02..2024-05-01",
            "2024-05-01..",
            "1m..2d",
            "2d..1m",
            "..1d",
            ">2024-05-02T23:57",
            "yesterday",
            "Yesterday..today",
            ">=yesterday",
            "<=2m",
            ">=2024-05-02",
            "=2024-05-02",
            "=yesterday",
            ">2024-04-30",
        ] {
            assert!(matches(bound, new) && !matches(bound, old), "{bound}");
        }
        for bound in [
            ">5m",
            ">2d",
            "<2024-05-01",
            "2024-04-30",
            "..2024-04-30",
            "2024-04-30T23:59:59..2024-05-02T23:57:59",
            "2d..3d",
            "<yesterday",
            ">=2d",
            "<=2024-05-01",
            "=2024-04-30",
        ] {
            assert!(!matches(bound, new) && matches(bound, old), "{bound}");
        }
        assert!(!matches(">yesterday", new), "it is of that day");
        assert!(matches("<1y", old) && !matches("<1y", "?"));
        for text in [
            "<",
            "<5",
            ">may",
            "<19998y",
            "..",
            "x..2d",
            "2024-05-32",
            "=5m",
            "=>1d",
            "=<2024-05-01",
        ] {
            assert!(ValueRange::parse_time(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn start_of_a_range_is_its_earliest_time() {
        let now: Timestamp = "2024-05-03T00:00:00Z".parse().unwrap();
        for (range, start) in [
            ("2024-05-01..2024-05-02", Some("2024-05-01T00:00:00Z")),
            (">2024-05-01", Some("2024-05-02T00:00:00Z")),
            (">=2024-05-01", Some("2024-05-01T00:00:00Z")),
            ("2024-05-01", Some("2024-05-01T00:00:00Z")),
            ("<1d", Some("2024-05-02T00:00:00Z")),
            ("1d..2d", Some("2024-05-01T00:00:00Z")),
            ("<2024-05-01", None),
            (">1d", None),
            ("..2024-05-02", None),
        ] {
            let start = start.map(|start| start.parse().unwrap());
            assert_eq!(ValueRange::parse_time(range, now).unwrap().ends()[0], start, "{range}");
        }
    }

    #[test]
    fn words_are_negated_with_their_scope() {
        let parse = |text: &str| {
            let word =
                |scope: Option<&str>, rest: &str| Ok(format!("{}|{rest}", scope.unwrap_or("")));
            let terms = parse_search(text, |_| String::new(), word)?;
            Ok::<_, SafeText>(
                terms.into_iter().map(|t| (t.is_negated, t.predicate)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            parse("a not:b not:from:c").unwrap(),
            [(false, "|a".into()), (true, "|b".into()), (true, "from|c".into())]
        );
        assert!(parse("not:").is_err());
        assert_eq!(parse("re:not:a").unwrap().len(), 1);
    }

    #[test]
    fn words_match_in_any_case() {
        for word in ["usdc", "Usdc", "USDC"] {
            let pattern = TextPattern::new(word);
            assert!(pattern.matches("transfer of USDC") && pattern.matches("usdc"), "{word}");
            assert_eq!(pattern.find("transfer of USDC"), Some(12..16), "{word}");
        }
        assert!(!TextPattern::Regex(Regex::new("Usdc").unwrap()).matches("USDC"));
    }
}
