//! Fixed-point decimals for fiat values, which are sort keys and parts of cursors.

use std::{fmt, str::FromStr};

use alloy_primitives::{U256, U512};

use crate::chain::decimal::{Decimal, ParseDecimalError};

/// Digits kept after the decimal point.
const FRACTION_DIGITS: usize = 18;

/// A decimal number, in units of 10^-18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FixedDecimal(U512);

impl FixedDecimal {
    /// Returns the fiat value of `value` base units of a token that has `decimals` and costs `rate`.
    pub(crate) fn fiat_value(value: U256, decimals: u64, rate: Self) -> Option<Self> {
        let amount = Decimal::new(U512::from(value), usize::try_from(decimals).ok()?);
        let rate = Decimal::new(rate.0, FRACTION_DIGITS);
        amount.checked_mul(rate)?.floor_to_units(FRACTION_DIGITS).map(Self)
    }
}

impl FromStr for FixedDecimal {
    type Err = ParseDecimalError;

    fn from_str(text: &str) -> Result<Self, ParseDecimalError> {
        // Blockscout takes neither exponents nor a point without digits on both sides.
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if whole.is_empty() || fraction.is_empty() || text.contains(['e', 'E']) {
            return Err(ParseDecimalError);
        }
        let decimal: Decimal = text.parse()?;
        decimal.floor_to_units(FRACTION_DIGITS).map(Self).ok_or(ParseDecimalError)
    }
}

impl fmt::Display for FixedDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Decimal::new(self.0, FRACTION_DIGITS).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_parsed() {
        for text in ["0", "12", "0.5", "1.000000000000000001"] {
            assert_eq!(text.parse::<FixedDecimal>().unwrap().to_string(), text);
        }
        for text in ["", ".", "1.", ".5", "-1", "1e3", "1.2E-7", "0x1", "1_0", &"9".repeat(200)] {
            assert_eq!(text.parse::<FixedDecimal>(), Err(ParseDecimalError), "{text}");
        }
    }

    #[test]
    fn fiat_value_of_a_balance() {
        let worth = |value: u64, decimals, rate: &str| {
            FixedDecimal::fiat_value(U256::from(value), decimals, rate.parse().unwrap())
                .unwrap()
                .to_string()
        };
        assert_eq!(worth(1_500_000, 6, "1.0003"), "1.50045");
        assert_eq!(worth(100_042_234_069_907, 8, "0.0000001234"), "0.123452116842265238");
        assert_eq!(worth(7, 255, "3150.42"), "0");
        let most = FixedDecimal::fiat_value(U256::MAX, 0, "1000000".parse().unwrap());
        assert!(most > FixedDecimal::fiat_value(U256::MAX, 1, "1000000".parse().unwrap()));
    }
}
