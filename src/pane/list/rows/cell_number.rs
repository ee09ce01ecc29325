//! Numbers as cells show them, for searches and sorts: with a sign, as a bound, or without end.

use std::cmp::Ordering;

use crate::chain::decimal::{Decimal, sortable_digits};
use crate::columns::cells::ZERO;
use crate::messages::approvals;
use crate::sanitize::SafeText;
use crate::search_terms::parse_number;

/// Kinds of sort keys, in their order.
const NEGATIVE_KEY: &str = "-";
const POSITIVE_KEY: &str = "0";
const UNLIMITED_KEY: &str = "9";
/// The end of a negative number's key: shorter numbers are greater.
const END_OF_DIGITS: char = '~';

/// A number in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellNumber {
    Negative(Decimal),
    Positive(Decimal),
    Unlimited,
}

impl CellNumber {
    /// Parses the text of a cell, which may have words around its number, or `None` if its number is not
    /// known or counts units. A number that is only known to be less than a bound is just below that.
    pub fn in_cell(text: &str) -> Option<Self> {
        match text.trim() {
            ZERO | approvals::NOTHING => return Some(Self::Positive(Decimal::default())),
            approvals::UNLIMITED | approvals::ALL_NFTS => return Some(Self::Unlimited),
            _ => {}
        }
        let (before, text) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
        let sign = before.rsplit(char::is_alphanumeric).next().unwrap_or(before);
        // An id is no amount, and a value in brackets is sent by another call.
        if sign.contains(['#', '(']) {
            return None;
        }
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.')));
        let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
        if unit.trim() == "units" {
            return None;
        }
        let number: Decimal = digits.replace(',', "").parse().ok()?;
        let number = if sign.contains('<') { number.just_below() } else { number };
        Some(Self::new(sign.contains('-'), number))
    }

    /// Parses a number that the user typed.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if there is no number.
    pub fn parse(text: &str) -> Result<Self, SafeText> {
        let digits = text.strip_prefix(['-', '−']);
        let number = parse_number(digits.unwrap_or(text))?;
        Ok(Self::new(digits.is_some(), number))
    }

    fn new(is_negative: bool, size: Decimal) -> Self {
        if is_negative && !size.is_zero() { Self::Negative(size) } else { Self::Positive(size) }
    }

    /// Returns the number if it is neither negative nor without end.
    pub fn positive(self) -> Option<Decimal> {
        match self {
            Self::Positive(number) => Some(number),
            Self::Negative(_) | Self::Unlimited => None,
        }
    }

    /// Returns a text that compares with others as the numbers do.
    pub fn sort_key(self) -> String {
        let key = |number: Decimal| sortable_digits(&number.to_string());
        match self {
            Self::Negative(number) => {
                let reversed = key(number).chars().map(reverse).collect::<String>();
                format!("{NEGATIVE_KEY}{reversed}{END_OF_DIGITS}")
            }
            Self::Positive(number) => POSITIVE_KEY.to_owned() + &key(number),
            Self::Unlimited => UNLIMITED_KEY.to_owned(),
        }
    }
}

/// Turns the order of the characters of keys around: digits, and the number of digits before the point.
fn reverse(c: char) -> char {
    let (first, last) = if c.is_ascii_digit() { ('0', '9') } else { ('\0', char::MAX) };
    char::from_u32(u32::from(first) + u32::from(last) - u32::from(c)).unwrap_or(first)
}

impl PartialOrd for CellNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let rank = |number: &Self| match number {
            Self::Negative(_) => 0,
            Self::Positive(_) => 1,
            Self::Unlimited => 2,
        };
        match (self, other) {
            (Self::Negative(one), Self::Negative(other)) => other.partial_cmp(one),
            (Self::Positive(one), Self::Positive(other)) => one.partial_cmp(other),
            _ => Some(rank(self).cmp(&rank(other))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_ordered_by_their_numbers() {
        let ascending = [
            "-1,000,000 ETH",
            "-12.5",
            "-9.75",
            "-9.5",
            "-9",
            "-$0.02",
            "⋅",
            "<0.000001 CC54",
            "0.0001",
            "<1%",
            "1%",
            "+ 1.5 ETH",
            "$9",
            "12",
            "$1,000.5",
            "unlimited",
        ];
        assert_eq!(CellNumber::in_cell("all NFTs"), Some(CellNumber::Unlimited));
        assert_eq!(CellNumber::in_cell("nothing"), CellNumber::in_cell("⋅"));
        let numbers = ascending.map(|text| CellNumber::in_cell(text).unwrap());
        for pair in numbers.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
            assert!(pair[0].sort_key() < pair[1].sort_key(), "{pair:?}");
        }
        assert_eq!(CellNumber::in_cell("-0"), CellNumber::in_cell("0"));
        for text in ["", "—", "?", "none", "5 units", "#129", "(2)"] {
            assert_eq!(CellNumber::in_cell(text), None, "{text}");
        }
    }

    #[test]
    fn typed_numbers_may_be_negative() {
        let parse = |text: &str| CellNumber::parse(text).unwrap();
        assert!(
            parse("-1.5k") < parse("−1") && parse("-1") < parse("0") && parse("-0") == parse("0")
        );
        assert!(["", "-", "--1", "x"].into_iter().all(|text| CellNumber::parse(text).is_err()));
    }
}
