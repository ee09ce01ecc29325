//! Query parameters: validation rules and parsing.

use std::{iter, str::FromStr};

use alloy_primitives::{Address, B256, U256};
use url::form_urlencoded;

use super::error::{ApiServerError, FieldError};
use crate::chain::{decimal::Decimal, token_standard::TokenStandard};

#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamRule {
    AnyOf(&'static [ParamRule]),
    OneOf(&'static [&'static str]),
    /// Token types, separated by commas, optionally in brackets, in any case.
    TokenTypes,
    Address,
    Hash,
    /// A 32-bit integer with a minimum.
    Integer(u32),
    /// An integer with a minimum and a maximum.
    Range(u32, u32),
    Id,
    /// A 256-bit integer.
    Digits,
    Decimal,
    Time,
    Empty,
    Null,
    Text,
}

pub(crate) type ParamSpec = (&'static str, ParamRule);

pub(crate) const ADDRESS_PATTERN: &str = "Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/";
pub(crate) const HASH_PATTERN: &str = "Invalid format. Expected ~r/^0x([A-Fa-f0-9]{64})$/";
/// Blockscout adds the problem of each.
pub(crate) const BLOCK_PATTERN: &str = "Failed to cast value using any of: Schema(title: \"FullHash\", \
    type: :string), Schema(type: :integer)";
const NOT_INTEGER: &str = "Invalid integer. Got: string";
const NOT_TIME: &str = "Invalid format. Expected :\"date-time\"";
const TOKEN_TYPES_PATTERN: &str = "Invalid format. Expected ~r/^\\[?(ERC-20|ERC-721|ERC-1155|\
    ERC-404|ERC-7984)(,(ERC-20|ERC-721|ERC-1155|ERC-404|ERC-7984))*\\]?$/i";
pub(crate) const DIGITS_PATTERN: &str = "Invalid format. Expected ~r/^-?([1-9][0-9]*|0)$/";
const DECIMAL_PATTERN: &str = "Invalid format. Expected ~r/^([1-9][0-9]*|0)(\\.[0-9]+)?$/";

/// API keys, which Blockscout takes on every route and this server ignores.
const IGNORED_PARAMS: [&str; 2] = ["apikey", "key"];

impl ParamRule {
    /// Returns Blockscout's error messages, none if the value is valid.
    fn check(self, value: &str) -> Vec<String> {
        let (fits, detail) = match self {
            Self::AnyOf(rules) => return check_any(rules, value),
            Self::Integer(least) => return check_integer(value, least, u32::MAX),
            Self::Range(least, most) => return check_integer(value, least, most),
            Self::OneOf(words) => (words.contains(&value), "Invalid value for enum"),
            Self::TokenTypes => (parse_token_types(value).is_some(), TOKEN_TYPES_PATTERN),
            Self::Address => (parse_address(value).is_some(), ADDRESS_PATTERN),
            Self::Hash => (parse_hash(value).is_some(), HASH_PATTERN),
            Self::Id => (value.parse::<u64>().is_ok(), NOT_INTEGER),
            Self::Digits => (is_digits(value), DIGITS_PATTERN),
            Self::Decimal => (is_plain_decimal(value), DECIMAL_PATTERN),
            Self::Time => (value.parse::<jiff::Timestamp>().is_ok(), NOT_TIME),
            Self::Empty => (value.is_empty(), "String length is larger than maxLength: 0"),
            Self::Null => (value == "null", "Invalid format. Expected ~r/^null$/"),
            Self::Text => (true, ""),
        };
        if fits { Vec::new() } else { vec![detail.to_owned()] }
    }

    /// Names the rule as the message about several does.
    fn schema(self) -> &'static str {
        match self {
            Self::Integer(_) | Self::Range(..) | Self::Id => "Schema(type: :integer)",
            Self::Digits => "Schema(title: \"IntegerString\", type: :string)",
            Self::Decimal => "Schema(title: \"FloatString\", type: :string)",
            Self::Empty => "Schema(title: \"EmptyString\", type: :string)",
            Self::Null => "Schema(title: \"NullString\", type: :string)",
            _ => "Schema(type: :string)",
        }
    }
}

/// Returns a message that names all rules, the last first, and then the problems of each rule.
fn check_any(rules: &[ParamRule], value: &str) -> Vec<String> {
    let failures: Vec<_> = rules.iter().map(|rule| rule.check(value)).collect();
    if failures.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let schemas: Vec<_> = rules.iter().rev().map(|rule| rule.schema()).collect();
    let summary = format!("Failed to cast value using any of: {}", schemas.join(", "));
    iter::once(summary).chain(failures.into_iter().flatten()).collect()
}

fn check_integer(value: &str, least: u32, most: u32) -> Vec<String> {
    vec![match value.parse::<i64>() {
        Ok(number) if number < least.into() => {
            format!("{number} is smaller than inclusive minimum {least}")
        }
        Ok(number) if number <= most.into() => return Vec::new(),
        Ok(number) if number <= u32::MAX.into() => {
            format!("{number} is larger than inclusive maximum {most}")
        }
        _ => NOT_INTEGER.to_owned(),
    }]
}

fn is_digits(value: &str) -> bool {
    let leading_zero = value.len() > 1 && value.starts_with('0');
    let plain = value.bytes().all(|byte| byte.is_ascii_digit());
    plain && !leading_zero && value.parse::<U256>().is_ok()
}

/// Returns `true` for a decimal without an exponent, with digits on both sides of a point.
fn is_plain_decimal(value: &str) -> bool {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let is_plain = !whole.is_empty() && !fraction.is_empty() && !value.contains(['e', 'E']);
    is_plain && value.parse::<Decimal>().is_ok()
}

/// Parses `0x` and 40 hex digits of any case.
pub(crate) fn parse_address(text: &str) -> Option<Address> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 40)?.parse().ok()
}

/// Parses `0x` and 64 hex digits of any case.
pub(crate) fn parse_hash(text: &str) -> Option<B256> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 64)?.parse().ok()
}

fn parse_token_types(text: &str) -> Option<Vec<TokenStandard>> {
    let rest = text.strip_prefix('[').unwrap_or(text);
    let inner = rest.strip_suffix(']').unwrap_or(rest);
    inner.split(',').map(|word| word.parse().ok()).collect()
}

#[derive(Clone, Debug, Default)]
pub(crate) struct QueryParams(Vec<(&'static str, String)>);

impl QueryParams {
    /// Parses a query string, or returns everything that is wrong with it.
    pub(crate) fn parse(query: &str, declared: &[ParamSpec]) -> Result<Self, Vec<FieldError>> {
        let mut params = Self::default();
        let mut errors = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match declared.iter().find(|(known, _)| *known == name) {
                Some(&(known, rule)) => {
                    let details = rule.check(&value).into_iter();
                    errors.extend(details.map(|detail| FieldError::new(known, detail)));
                    params.set(known, value.into_owned());
                }
                None if IGNORED_PARAMS.contains(&name.as_ref()) => {}
                None => {
                    let detail = format!("Unexpected field: {name}");
                    errors.push(FieldError::new(name, detail));
                }
            }
        }
        // Blockscout has them in alphabetical order.
        errors.sort_by(|one, other| one.parameter.cmp(&other.parameter));
        if errors.is_empty() { Ok(params) } else { Err(errors) }
    }

    /// Sets a parameter; the last value wins.
    fn set(&mut self, name: &'static str, value: String) {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
    }

    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a parameter, or `None` if it is absent, empty or `null`.
    pub(crate) fn get<T: FromStr>(&self, name: &str) -> Option<T> {
        self.raw(name)?.parse().ok()
    }

    /// Returns the requested token types, or `None` if all are.
    pub(crate) fn token_types(&self) -> Option<Vec<TokenStandard>> {
        self.raw("type").and_then(parse_token_types)
    }
}

/// Joins the errors of path and query in one response, as Blockscout does.
pub(crate) fn combine_results<T>(
    path: Result<T, FieldError>,
    query: Result<QueryParams, Vec<FieldError>>,
) -> Result<(T, QueryParams), ApiServerError> {
    match (path, query) {
        (Ok(subject), Ok(params)) => Ok((subject, params)),
        (path, query) => {
            let errors = path.err().into_iter().chain(query.err().unwrap_or_default());
            Err(ApiServerError::Unprocessable(errors.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_parameters() {
        for text in ["0", "12", "0.5", "1.000000000000000001"] {
            assert!(is_plain_decimal(text), "{text}");
        }
        for text in ["", ".", "1.", ".5", "-1", "1e3", "1.2E-7", "0x1", "1_0", &"9".repeat(200)] {
            assert!(!is_plain_decimal(text), "{text}");
        }
    }
}
