//! The value of a token amount in US dollars. It is an estimate: the rate is the explorer's.

use std::fmt;

use alloy_primitives::U512;

use super::U256;
use super::decimal::Decimal;
use super::significant_digits::{group_digits, scaled};

/// Digits of a value of a million or more.
const MILLIONS_DIGITS: usize = 3;

/// A value in US dollars, rounded to the cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiatValue {
    /// Less than a cent, but not zero.
    BelowCent,
    Cents(U512),
}

impl FiatValue {
    /// Returns the value of `amount` base units of a token that costs `rate`, or `None` if the rate
    /// is not a decimal number or the value is out of range.
    pub fn new(amount: U256, decimals: u8, rate: &str) -> Option<Self> {
        let amount = Decimal::new(U512::from(amount), usize::from(decimals));
        let value = amount.checked_mul(rate.parse().ok()?)?;
        if value.floor_to_units(2)?.is_zero() && !value.is_zero() {
            return Some(Self::BelowCent);
        }
        Some(Self::Cents(rounded(value.floor_to_units(3)?, 1)?))
    }

    pub fn is_zero(self) -> bool {
        matches!(self, Self::Cents(cents) if cents.is_zero())
    }

    /// Returns the sign of a gain or a loss of this value. Zero has none.
    pub fn sign(self, is_loss: bool) -> &'static str {
        match is_loss {
            _ if self.is_zero() => "",
            true => "−",
            false => "+",
        }
    }

    /// Formats the value to the cent: `$989,953.16`, `<$0.01`.
    pub fn exact(self) -> String {
        match self {
            Self::BelowCent => self.readable(),
            Self::Cents(_) => format!("${self}"),
        }
    }

    /// Formats the value for reading: `$12.34`, `$989,953`, `$3.15B`.
    pub fn readable(self) -> String {
        let Self::Cents(cents) = self else { return "<$0.01".to_owned() };
        let len = cents.to_string().len();
        let dropped = if len < 9 { 2 } else { len - MILLIONS_DIGITS };
        match rounded(cents, dropped) {
            Some(kept) if len >= 6 => {
                let digits = format!("{kept}{:0<dropped$}", "");
                match digits.len() {
                    ..9 => format!("${}", group_digits(&kept.to_string())),
                    _ => ["$", &scaled(&digits, 2, MILLIONS_DIGITS)].concat(),
                }
            }
            _ => format!("${self}"),
        }
    }
}

/// The price of a coin or a token in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeRate<'a> {
    pub dollars: &'a str,
    /// `true` for the current rate, `false` for the rate at the time of the amount.
    pub is_current: bool,
}

impl ExchangeRate<'_> {
    /// Formats the value of an amount: ` ($85.70 then)`, or ` ($85.70 now)` at the current rate.
    pub fn value_text(self, amount: U256, decimals: u8) -> Option<String> {
        let value = self.value_alone(amount, decimals)?;
        Some(format!(" ({value}{})", if self.is_current { " now" } else { " then" }))
    }

    /// Formats the value of an amount, where something else says of which time: `$85.70`.
    pub fn value_alone(self, amount: U256, decimals: u8) -> Option<String> {
        FiatValue::new(amount, decimals, self.dollars).map(FiatValue::readable)
    }
}

/// Drops the last digits of a number, rounded half up.
fn rounded(number: U512, dropped: usize) -> Option<U512> {
    let unit = U512::from(10).checked_pow(U512::from(dropped))?;
    Some(number.checked_add(unit / U512::from(2))? / unit)
}

impl fmt::Display for FiatValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Cents(cents) = self else { return f.write_str("<0.01") };
        let digits = format!("{:0>3}", cents.to_string());
        let (whole, fraction) = digits.split_at(digits.len() - 2);
        write!(f, "{}.{fraction}", group_digits(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fiat(amount: U256, decimals: u8, rate: &str) -> Option<String> {
        FiatValue::new(amount, decimals, rate).map(|value| value.to_string())
    }

    #[test]
    fn value_is_rounded_to_the_cent() {
        for (amount, decimals, rate, value) in [
            (1_500_000_u128, 6, "1.0003", Some("1.50")),
            (34_276_950_000_000_000, 18, "2500.17", Some("85.70")),
            (9_999_999, 9, "1", Some("<0.01")),
            (1_005, 3, "1", Some("1.01")),
            (1_005_000_000 - 1, 9, "1", Some("1.00")),
            (989_656_265_749, 6, "1.0003", Some("989,953.16")),
            (1, 18, "3150.42", Some("<0.01")),
            (0, 18, "3150.42", Some("0.00")),
            (100_042_234_069_907, 8, "0.0000001234", Some("0.12")),
            (3, 0, "5.95E-7", Some("<0.01")),
            (2, 0, "1e3", Some("2,000.00")),
            (1, 0, "", None),
            (1, 0, "NaN", None),
            (1, 0, "-1", None),
        ] {
            assert_eq!(fiat(U256::from(amount), decimals, rate).as_deref(), value, "{rate}");
        }
        assert_eq!(fiat(U256::from(5), 255, "1").as_deref(), Some("<0.01"));
    }

    #[test]
    fn overflow_gives_no_value() {
        assert_eq!(fiat(U256::MAX, 0, &"9".repeat(100)), None);
        assert!(fiat(U256::MAX, 0, "2").unwrap().starts_with("231,584,178,474,632,390"));
    }

    #[test]
    fn value_by_todays_rate_says_so() {
        let rate = ExchangeRate { dollars: "2500.17", is_current: true };
        let text =
            |rate: ExchangeRate<'_>| rate.value_text(U256::from(34_276_950_063_983_640_u64), 18);
        assert_eq!(text(rate).as_deref(), Some(" ($85.70 now)"));
        assert_eq!(
            text(ExchangeRate { is_current: false, ..rate }).as_deref(),
            Some(" ($85.70 then)")
        );
        assert_eq!(text(ExchangeRate { dollars: "much", ..rate }), None);
    }

    #[test]
    fn readable_values_are_short() {
        for (cents, shown) in [
            (0_u64, "$0.00"),
            (1_234, "$12.34"),
            (99_999, "$999.99"),
            (98_995_316, "$989,953"),
            (123_456_789, "$1.23M"),
            (314_697_775_737, "$3.15B"),
            (784_536_490, "$7.85M"),
            (98_995_350, "$989,954"),
            (99_999_950, "$1M"),
            (99_999_949, "$999,999"),
            (99_950_000_000, "$1B"),
            (99_949_999_999, "$999M"),
            (12_345_678_901_234_567, "$123T"),
            (1_234_567_890_123_456_789, "$12,300T"),
        ] {
            assert_eq!(FiatValue::Cents(U512::from(cents)).readable(), shown);
        }
        let small = FiatValue::BelowCent;
        assert_eq!([small.readable(), small.exact()], ["<$0.01", "<$0.01"]);
        assert_eq!(FiatValue::Cents(U512::from(98_995_316)).exact(), "$989,953.16");
    }

    #[test]
    fn gains_and_losses_have_signs() {
        let signs = |value: FiatValue| [false, true].map(|is_loss| value.sign(is_loss));
        assert_eq!(signs(FiatValue::BelowCent), ["+", "−"]);
        assert_eq!(signs(FiatValue::Cents(U512::ONE)), ["+", "−"]);
        assert_eq!(signs(FiatValue::Cents(U512::ZERO)), ["", ""]);
    }
}
