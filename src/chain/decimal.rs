//! Exact decimal numbers: exchange rates, fiat values and amounts that the user types.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use alloy_primitives::U512;
use alloy_primitives::ruint::UintTryTo;

use super::U256;
use super::percent::Percent;
use super::significant_digits::{self, ReadableNumber};

/// Maximum digits after the point. It bounds the text that a hostile exponent expands to.
const MAX_SCALE: usize = 200;

/// A non-negative decimal number with at most 154 digits: `units` times ten to the minus `scale`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decimal {
    units: U512,
    scale: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct ParseDecimalError;

impl Decimal {
    pub fn new(units: U512, scale: usize) -> Self {
        Self { units, scale }
    }

    /// Returns the product, or `None` if it has more than 512 bits.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let units = self.units.checked_mul(other.units)?;
        Some(Self { units, scale: self.scale.checked_add(other.scale)? })
    }

    /// Returns the number in units of 10^-`decimals`, rounded down, or `None` if that has more than
    /// 512 bits.
    pub fn floor_to_units(self, decimals: usize) -> Option<U512> {
        match decimals.checked_sub(self.scale) {
            Some(up) => self.units.checked_mul(power_of_ten(up)?),
            // No number reaches a divisor of more than 512 bits.
            None => Some(
                power_of_ten(self.scale - decimals).map_or(U512::ZERO, |down| self.units / down),
            ),
        }
    }

    /// Returns the number in units of 10^-`decimals`, or `None` if it has more digits after the
    /// point or the result more than 256 bits.
    pub fn to_units(self, decimals: usize) -> Option<U256> {
        let units = self.floor_to_units(decimals)?;
        let is_exact = self.scale <= decimals
            || units.checked_mul(power_of_ten(self.scale - decimals)?) == Some(self.units);
        units.uint_try_to().ok().filter(|_| is_exact)
    }

    /// Returns the number as a share of another, or `None` of zero or out of range.
    pub fn percent_of(self, whole: Self) -> Option<Percent> {
        let scale = self.scale.max(whole.scale);
        Percent::new(self.to_units(scale)?, whole.to_units(scale)?)
    }

    pub fn readable(self) -> ReadableNumber {
        significant_digits::readable_digits(&self.units.to_string(), self.scale)
    }

    pub fn is_zero(self) -> bool {
        self.units.is_zero()
    }

    /// Returns a number that is less by a small part of its last digit.
    #[must_use]
    pub fn just_below(self) -> Self {
        const MORE_DIGITS: usize = 6;
        let units = power_of_ten(MORE_DIGITS).and_then(|power| self.units.checked_mul(power));
        units.map_or(self, |units| Self {
            units: units.saturating_sub(U512::from(1)),
            scale: self.scale + MORE_DIGITS,
        })
    }

    /// Compares numbers with few digits, as nearly all are, in a fraction of the time.
    fn compare_small(&self, other: &Self) -> Option<Ordering> {
        let scale = self.scale.max(other.scale);
        let scaled = |number: &Self| {
            let up = 10_u128.checked_pow(u32::try_from(scale - number.scale).ok()?)?;
            u128::try_from(number.units).ok()?.checked_mul(up)
        };
        Some(scaled(self)?.cmp(&scaled(other)?))
    }
}

/// Compares the numbers, whatever their scales.
impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if let Some(ordering) = self.compare_small(other) {
            return ordering;
        }
        let scale = self.scale.max(other.scale);
        // More than 512 bits are more than any other number has.
        let scaled = |number: &Self| match number.units {
            U512::ZERO => Some(U512::ZERO),
            units => units.checked_mul(power_of_ten(scale - number.scale)?),
        };
        match (scaled(self), scaled(other)) {
            (Some(one), Some(other)) => one.cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

/// Returns a text that compares with others as the numbers do: the number of digits before the point as a
/// character, and the digits.
pub fn sortable_digits(number: &str) -> String {
    let (digits, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = digits.trim_start_matches('0');
    let count = u32::try_from(whole.len()).ok().and_then(char::from_u32).unwrap_or(char::MAX);
    let mut text = String::with_capacity(count.len_utf8() + whole.len() + fraction.len());
    text.push(count);
    text.extend([whole, fraction]);
    text
}

fn power_of_ten(exponent: usize) -> Option<U512> {
    U512::from(10).checked_pow(U512::from(exponent))
}

/// Parses plain and scientific notation, as servers write tiny rates: `5.95E-7`.
impl FromStr for Decimal {
    type Err = ParseDecimalError;

    fn from_str(text: &str) -> Result<Self, ParseDecimalError> {
        parse(text).ok_or(ParseDecimalError)
    }
}

fn parse(text: &str) -> Option<Decimal> {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = power.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let units = U512::from_str_radix(&digits, 10).ok()?;
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    if let Ok(scale) = usize::try_from(scale) {
        return (scale <= MAX_SCALE).then_some(Decimal { units, scale });
    }
    let up = power_of_ten(usize::try_from(scale.unsigned_abs()).ok()?)?;
    Some(Decimal { units: units.checked_mul(up)?, scale: 0 })
}

/// Formats in plain notation without grouping, for other programs.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&significant_digits::plain_digits(&self.units.to_string(), self.scale))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn number_just_below_is_less_by_little() {
        let below = decimal("5").just_below();
        assert!(below < decimal("5") && below > decimal("4.9999"));
    }

    #[test]
    fn scientific_notation_is_written_out() {
        for (text, plain) in [
            ("5.95E-7", "0.000000595"),
            ("1.50", "1.5"),
            ("12.5e1", "125"),
            ("1.25E1", "12.5"),
            ("1e3", "1000"),
            ("1.", "1"),
            (".5", "0.5"),
            ("0e-200", "0"),
        ] {
            assert_eq!(decimal(text).to_string(), plain, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            ".",
            "NaN",
            "-1",
            "+1",
            "1_0",
            "0x1",
            "0xe1",
            "1e",
            "1e1.5",
            "1,000",
            "<0.01",
            "1e2147483647",
            "1e-2147483648",
            "1e-201",
            "1e155",
            &"9".repeat(200),
        ] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_compare_whatever_their_scale() {
        assert!(decimal("1.50") == decimal("1.5") && decimal("0") == decimal("0e-200"));
        assert!(decimal("0.3") < decimal("12") && decimal("1e-200") > decimal("0"));
        assert!(decimal("9e150") > decimal("1e-200") && decimal("1e-200") < decimal("9e150"));
        assert!(decimal("2e-7") < decimal("0.00001"));
    }

    #[test]
    fn rates_are_readable() {
        for (text, shown) in [
            ("3146977757.37", "3.14698B"),
            ("2500.17", "2,500.17"),
            ("0.00000595", "0.00000595"),
            ("5.95E-7", "0.000000595"),
            ("1.23456E-9", "0.000000001235"),
            ("1.23456E-11", "1.23456e-11"),
        ] {
            assert_eq!(decimal(text).readable().text, shown, "{text}");
        }
    }

    #[test]
    fn units_are_exact_or_rounded_down() {
        for (text, decimals, exact, floor) in [
            ("1.5", 3, Some(1_500), 1_500),
            ("1.50", 1, Some(15), 15),
            ("1.55", 1, None, 15),
            ("0.001", 0, None, 0),
            ("2e3", 0, Some(2_000), 2_000),
        ] {
            assert_eq!(decimal(text).to_units(decimals), exact.map(U256::from), "{text}");
            assert_eq!(decimal(text).floor_to_units(decimals), Some(U512::from(floor)), "{text}");
        }
        assert_eq!(decimal("9").to_units(200), None);
        assert_eq!(Decimal::new(U512::MAX, 500).floor_to_units(2), Some(U512::ZERO));
    }

    proptest! {
        #[test]
        fn sortable_digits_are_in_the_order_of_the_numbers(
            texts in prop::collection::vec("[01]{0,3}[0-9]{1,80}(\\.[0-9]{0,4}0{0,2})?(e-?[0-9]{1,2})?", 2)
        ) {
            let [one, other] = [0, 1].map(|n| texts[n].parse::<Decimal>());
            if let (Ok(one), Ok(other)) = (one, other) {
                let [digits, others] =
                    [one, other].map(|number| sortable_digits(&number.to_string()));
                let ordering = digits.cmp(&others);
                prop_assert_eq!(ordering, one.cmp(&other));
            }
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in "\\PC*|[0-9]{0,90}\\.?[0-9]{0,90}([eE]-?[0-9]{1,3})?") {
            if let Ok(decimal) = text.parse::<Decimal>() {
                prop_assert_eq!(decimal.to_string(), decimal.to_string().parse::<Decimal>().unwrap().to_string());
                let _ = (decimal.readable(), decimal.to_units(18));
            }
        }
    }
}
