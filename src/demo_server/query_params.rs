//! Query parameters: which a route takes, what each may hold, and reading them.

use std::str::FromStr;

use alloy_primitives::{Address, B256, U256};
use url::form_urlencoded;

use super::{
    decimal::FixedDecimal,
    error::{DemoApiError, FieldError},
    models::DemoTokenType,
};

/// What a parameter may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamRule {
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Token types, separated by commas, in brackets or not, in any case; empty for all.
    TokenTypes,
    /// An address.
    Address,
    /// A transaction or block hash.
    Hash,
    /// A whole number of 32 bits, not below this.
    Integer(u32),
    /// The number of a database row.
    Id,
    /// A whole number of 32 bits, or nothing, or `null`: a cursor may stand at a row without one.
    IntegerOrNull,
    /// A whole number of 256 bits.
    Digits,
    /// A whole number of 256 bits, or nothing, or `null`.
    DigitsOrNull,
    /// A decimal number, or nothing, or `null`.
    DecimalOrNull,
    /// A moment as ISO 8601.
    Time,
    /// Anything.
    Text,
}

/// A parameter and what it may hold.
pub(crate) type ParamSpec = (&'static str, ParamRule);

pub(crate) const ADDRESS_PATTERN: &str = "Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/";
pub(crate) const HASH_PATTERN: &str = "Invalid format. Expected ~r/^0x([A-Fa-f0-9]{64})$/";
const NOT_INTEGER: &str = "Invalid integer. Got: string";
const TOKEN_TYPES_PATTERN: &str = "Invalid format. Expected ~r/^\\[?(ERC-20|ERC-721|ERC-1155|\
    ERC-404|ERC-7984)(,(ERC-20|ERC-721|ERC-1155|ERC-404|ERC-7984))*\\]?$/i";
const DIGITS_PATTERN: &str = "Invalid format. Expected ~r/^-?([1-9][0-9]*|0)$/";
const DECIMAL_PATTERN: &str = "Invalid format. Expected ~r/^([1-9][0-9]*|0)(\\.[0-9]+)?$/";

/// Keys of an account, which the real service takes on every route. Nothing here needs one.
const IGNORED_PARAMS: [&str; 2] = ["apikey", "key"];

impl ParamRule {
    /// What is wrong with a value, in the words of the real service.
    fn check(self, value: &str) -> Option<String> {
        let nothing = value.is_empty() || value == "null";
        let (fits, detail) = match self {
            Self::OneOf(words) => (words.contains(&value), "Invalid value for enum"),
            Self::TokenTypes => (parse_token_types(value).is_some(), TOKEN_TYPES_PATTERN),
            Self::Address => (parse_address(value).is_some(), ADDRESS_PATTERN),
            Self::Hash => (parse_hash(value).is_some(), HASH_PATTERN),
            Self::Integer(least) => return check_integer(value, least),
            Self::IntegerOrNull if !nothing => return check_integer(value, 0),
            Self::Id => (value.parse::<u64>().is_ok(), NOT_INTEGER),
            Self::Digits => (is_digits(value), DIGITS_PATTERN),
            Self::DigitsOrNull => (nothing || is_digits(value), DIGITS_PATTERN),
            Self::DecimalOrNull => {
                (nothing || value.parse::<FixedDecimal>().is_ok(), DECIMAL_PATTERN)
            }
            Self::Time => {
                let fits = value.parse::<jiff::Timestamp>().is_ok();
                (fits, "Invalid format. Expected :\"date-time\"")
            }
            Self::IntegerOrNull | Self::Text => (true, ""),
        };
        (!fits).then(|| detail.to_owned())
    }
}

fn check_integer(value: &str, least: u32) -> Option<String> {
    match value.parse::<u32>() {
        Err(_) => Some(NOT_INTEGER.to_owned()),
        Ok(number) if number < least => {
            Some(format!("{number} is smaller than inclusive minimum {least}"))
        }
        Ok(_) => None,
    }
}

fn is_digits(value: &str) -> bool {
    let leading_zero = value.len() > 1 && value.starts_with('0');
    let plain = value.bytes().all(|byte| byte.is_ascii_digit());
    plain && !leading_zero && value.parse::<U256>().is_ok()
}

/// Reads `0x` and forty hexadecimal digits, in any letter case.
pub(crate) fn parse_address(text: &str) -> Option<Address> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 40)?.parse().ok()
}

/// Reads `0x` and sixty-four hexadecimal digits, in any letter case.
pub(crate) fn parse_hash(text: &str) -> Option<B256> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 64)?.parse().ok()
}

fn parse_token_types(text: &str) -> Option<Vec<DemoTokenType>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let inner = text.strip_prefix('[').unwrap_or(text);
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    inner.split(',').map(|word| word.parse().ok()).collect()
}

/// The parameters of one request: each declared by its route and well formed.
#[derive(Debug, Default)]
pub(crate) struct QueryParams(Vec<(&'static str, String)>);

impl QueryParams {
    /// Reads a query string, or says everything that is wrong with it.
    pub(crate) fn parse(query: &str, declared: &[ParamSpec]) -> Result<Self, Vec<FieldError>> {
        let mut params = Self::default();
        let mut complaints = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match declared.iter().find(|(known, _)| *known == name) {
                Some(&(known, rule)) => match rule.check(&value) {
                    Some(detail) => complaints.push(FieldError::new(known, detail)),
                    None => params.set(known, value.into_owned()),
                },
                None if IGNORED_PARAMS.contains(&name.as_ref()) => {}
                None => {
                    let detail = format!("Unexpected field: {name}");
                    complaints.push(FieldError::new(name, detail));
                }
            }
        }
        if complaints.is_empty() { Ok(params) } else { Err(complaints) }
    }

    /// A parameter given twice counts as given last.
    fn set(&mut self, name: &'static str, value: String) {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
    }

    /// A parameter as it was sent.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// A parameter's value; nothing when it is absent, empty or `null`.
    pub(crate) fn get<T: FromStr>(&self, name: &str) -> Option<T> {
        self.raw(name)?.parse().ok()
    }

    /// The token types asked for; nothing when all are.
    pub(crate) fn parse_token_types(&self) -> Option<Vec<DemoTokenType>> {
        self.raw("type").and_then(parse_token_types).filter(|types| !types.is_empty())
    }
}

/// Complaints about the path and the query together, as the real service lists them.
pub(crate) fn combine_results<T>(
    path: Result<T, FieldError>,
    query: Result<QueryParams, Vec<FieldError>>,
) -> Result<(T, QueryParams), DemoApiError> {
    match (path, query) {
        (Ok(subject), Ok(params)) => Ok((subject, params)),
        (path, query) => {
            let complaints = path.err().into_iter().chain(query.err().unwrap_or_default());
            Err(DemoApiError::Unprocessable(complaints.collect()))
        }
    }
}
