//! Formats amounts exactly: no amount passes through a float.

use std::borrow::Cow;
use std::fmt;

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use super::U256;
use super::network::Network;
use super::significant_digits::{
    MAX_SMALL_UNIT_DIGITS, MAX_WHOLE_DIGITS, ReadableNumber, format_balances, group_digits,
    grouped_digits, is_tiny, readable_digits, readable_or_least,
};

/// Symbol of a coin whose symbol is unknown: most are called ETH.
const UNKNOWN_SYMBOL: &str = "?";
/// Maximum digits of an integer that is not shortened.
const MAX_GROUPED_DIGITS: usize = 15;
/// Maximum digits of an integer that may be an amount of a token with 18 decimals.
const MAX_AMOUNT_DIGITS: usize = 27;
/// Decimals of a coin with gwei and wei, and of most tokens.
const ETHER_DECIMALS: u8 = 18;
const GWEI: U256 = U256::from_limbs([1_000_000_000, 0, 0, 0]);

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Unit {
    #[default]
    Coin,
    /// 10^9 base units if the coin has 18 decimals, else the base unit.
    Gwei,
    Wei,
}

impl Unit {
    /// Returns the next unit that differs for a coin with `decimals` decimals.
    #[must_use]
    pub fn next(self, decimals: u8) -> Self {
        match self {
            Self::Coin if decimals == ETHER_DECIMALS => Self::Gwei,
            Self::Coin | Self::Gwei if self.decimals(decimals) > 0 => Self::Wei,
            _ => Self::Coin,
        }
    }

    pub fn name(self, network: &Network) -> &str {
        match (self, network.decimals) {
            (Self::Coin, _) => network.symbol.as_deref().unwrap_or(UNKNOWN_SYMBOL),
            (Self::Gwei, ETHER_DECIMALS) => "gwei",
            (Self::Wei, ETHER_DECIMALS) => "wei",
            _ => "base units",
        }
    }

    pub fn decimals(self, of_coin: u8) -> u8 {
        match (self, of_coin) {
            (Self::Coin, decimals) => decimals,
            (Self::Gwei, ETHER_DECIMALS) => 9,
            _ => 0,
        }
    }

    /// Formats an amount of the coin for reading. A smaller unit is used for more digits, so all of
    /// them are shown.
    pub fn format_readable(self, value: U256, network: &Network) -> ReadableNumber {
        let max_whole = if self == Self::Coin { MAX_WHOLE_DIGITS } else { MAX_SMALL_UNIT_DIGITS };
        let decimals = self.decimals(network.decimals);
        readable_or_least(value, decimals, max_whole)
    }

    /// Formats an amount for reading with its unit: `1.5 ETH`, or `1 wei` if it is too small for that.
    pub fn describe(self, value: U256, network: &Network) -> String {
        self.for_amount(value, network).format_with_unit(value, network)
    }

    /// Returns `true` for an amount that is not zero, but less than the last digit for reading.
    pub fn is_tiny(self, value: U256, network: &Network) -> bool {
        is_tiny(value, self.decimals(network.decimals))
    }

    /// Returns the unit for an amount: a smaller one if the amount is too small for this one.
    #[must_use]
    pub fn for_amount(self, value: U256, network: &Network) -> Self {
        match self.is_tiny(value, network) {
            true if network.decimals != ETHER_DECIMALS => self,
            true if value >= GWEI => Self::Gwei,
            true => Self::Wei,
            false => self,
        }
    }

    fn format_with_unit(self, value: U256, network: &Network) -> String {
        format!("{} {}", self.format_readable(value, network).text, self.name(network))
    }

    /// Formats an exact amount with its unit: `1.5 ETH`, `1,500,000,000 gwei`.
    pub fn format_exact(self, value: U256, network: &Network) -> String {
        let shown = format_exact(value, self.decimals(network.decimals));
        format!("{shown} {}", self.name(network))
    }
}

/// Formats `value` in units of 10^`decimals` with grouped digits and no trailing zeros: `1234567`
/// with 3 decimals is `1,234.567`.
pub fn format_exact(value: U256, decimals: u8) -> String {
    grouped_digits(&value.to_string(), decimals.into())
}

/// A whole number with its digits in groups of three: `1,234,567`.
#[derive(Debug, Clone, Copy)]
pub struct Grouped<T>(pub T);

impl<T: ToString> fmt::Display for Grouped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&group_digits(&self.0.to_string()))
    }
}

/// Groups the digits of an integer, or shortens one of more than 15 to six, in units of most tokens where it
/// may be one or more: `2,490.26e18`, `3.33333e15`, `2.49026e38`. Other texts stay as they are.
pub fn group_integer(text: &str) -> Cow<'_, str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let sign = if digits.len() < text.len() { "-" } else { "" };
    let head = digits.get(..7).and_then(|head| head.parse::<u32>().ok());
    let is_long = digits.len() > MAX_GROUPED_DIGITS && is_integer(digits);
    let Some(head) = head.filter(|_| is_long) else { return group_whole_integer(text) };
    if (usize::from(ETHER_DECIMALS) + 1..=MAX_AMOUNT_DIGITS).contains(&digits.len()) {
        let amount = readable_digits(digits, ETHER_DECIMALS.into()).text;
        return format!("{sign}{amount}e{ETHER_DECIMALS}").into();
    }
    let (rounded, carry) = match (head + 5) / 10 {
        1_000_000 => (100_000, 1),
        rounded => (rounded, 0),
    };
    let padded = format!("{}.{:05}", rounded / 100_000, rounded % 100_000);
    let mantissa = padded.trim_end_matches('0').trim_end_matches('.');
    format!("{sign}{mantissa}e{}", digits.len() - 1 + carry).into()
}

/// Formats an integer before and after a change as [`group_integer`] does, with the digits that changed.
pub fn group_integers(numbers: [U256; 2]) -> [String; 2] {
    let amounts = usize::from(ETHER_DECIMALS) + 1..=MAX_AMOUNT_DIGITS;
    let is_amount = |n: &U256| n.is_zero() || amounts.contains(&n.to_string().len());
    if !numbers.iter().all(is_amount) {
        return numbers.map(|number| group_digits(&number.to_string()));
    }
    format_balances(numbers, ETHER_DECIMALS).map(|shown| match &*shown {
        "0" => shown,
        _ => format!("{shown}e{ETHER_DECIMALS}"),
    })
}

/// Groups the digits of an integer. Other texts stay as they are.
pub fn group_whole_integer(text: &str) -> Cow<'_, str> {
    match text.strip_prefix('-') {
        Some(digits) if is_integer(digits) => format!("-{}", group_digits(digits)).into(),
        None if is_integer(text) => group_digits(text).into(),
        _ => text.into(),
    }
}

fn is_integer(digits: &str) -> bool {
    digits.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #[test]
    fn integers_are_grouped_and_long_ones_keep_six_digits() {
        for (text, shown) in [
            ("1000", "1,000"),
            ("-5000000", "-5,000,000"),
            ("499751843938001", "499,751,843,938,001"),
            ("2490263645426609674873", "2,490.26e18"),
            ("-1500000000000000", "-1.5e15"),
            ("3333333333333333", "3.33333e15"),
            ("2490263645426609674873000000000000", "2.49026e33"),
            ("-9999999999999999999999999999999", "-1e31"),
            ("0x0000000000000000000000", "0x0000000000000000000000"),
        ] {
            assert_eq!(group_integer(text), shown);
        }
    }

    #[test]
    fn integers_next_to_their_change_show_it() {
        let ether = U256::from(10).pow(U256::from(18));
        let thousands = U256::from(2_000) * ether;
        for (numbers, shown) in [
            ([U256::ONE, U256::from(2_000)], ["1", "2,000"]),
            ([thousands, thousands + ether], ["2,000e18", "2,001e18"]),
            ([thousands, thousands + ether / U256::from(4)], ["2,000.00e18", "2,000.25e18"]),
            ([U256::ONE, ether], ["1", "1,000,000,000,000,000,000"]),
            ([U256::ZERO, thousands], ["0", "2,000e18"]),
        ] {
            assert_eq!(group_integers(numbers), shown);
        }
    }

    use proptest::prelude::*;

    use super::*;

    fn units(n: u128) -> U256 {
        U256::from(n)
    }

    #[test]
    fn exact_amounts_keep_every_digit() {
        assert_eq!(format_exact(U256::ZERO, 18), "0");
        assert_eq!(format_exact(units(1), 18), "0.000000000000000001");
        assert_eq!(format_exact(units(1_500_000_000_000_000_000), 18), "1.5");
        assert_eq!(format_exact(units(1_234_567), 0), "1,234,567");
        assert_eq!(format_exact(units(123), 255).len(), 257);
        assert!(format_exact(U256::MAX, 77).starts_with("1.15792089237316195"));
        assert_eq!(format_exact(U256::MAX, 0).replace(',', ""), U256::MAX.to_string());
    }

    #[test]
    fn units_follow_the_coins_decimals() {
        let ether = Network::demo();
        let of_six = Network { decimals: 6, ..Network::demo() };
        let value = units(1_500_000_000_000_000_001);
        let mut unit = Unit::default();
        for shown in [
            "1.500000000000000001 ETH",
            "1,500,000,000.000000001 gwei",
            "1,500,000,000,000,000,001 wei",
        ] {
            assert_eq!(unit.format_exact(value, &ether), shown);
            unit = unit.next(ether.decimals);
        }
        assert_eq!(unit, Unit::Coin);
        assert_eq!(Unit::Coin.format_exact(units(1_500_000), &of_six), "1.5 ETH");
        let unknown = Network { symbol: None, ..Network::demo() };
        assert_eq!(Unit::Coin.format_exact(U256::ZERO, &unknown), "0 ?");
        assert_eq!(Unit::Coin.next(6), Unit::Wei, "no gwei without 18 decimals");
        for unit in [Unit::Gwei, Unit::Wei] {
            assert_eq!(unit.format_exact(units(1_500_000), &of_six), "1,500,000 base units");
        }
        assert_eq!((Unit::Gwei.next(6), Unit::Wei.next(6)), (Unit::Coin, Unit::Coin));
        assert_eq!(Unit::Coin.next(0), Unit::Coin);
        assert_eq!("gwei".parse(), Ok(Unit::Gwei));
    }

    #[test]
    fn tiny_amounts_are_described_in_a_smaller_unit() {
        let ether = Network::demo();
        for (wei, text) in [
            (0, "0 ETH"),
            (1, "1 wei"),
            (1_000_000_000, "1 gwei"),
            (999_999_999_999, "999.999 gwei"),
            (1_000_000_000_000, "0.000001 ETH"),
        ] {
            assert_eq!(Unit::Coin.describe(units(wei), &ether), text);
        }
        assert_eq!(Unit::Gwei.describe(units(7), &ether), "7 wei");
        let in_wei = Unit::Wei.format_readable(units(1_234_567_890_123_456_789), &ether);
        assert_eq!(in_wei.text, "1,234,567,890,123,456,789");
        let of_nine = Network { decimals: 9, ..ether };
        assert_eq!(Unit::Coin.describe(units(1), &of_nine), "<0.000001 ETH");
    }

    proptest! {
        #[test]
        fn formatting_loses_no_digit(limbs in any::<[u64; 4]>(), decimals in any::<u8>()) {
            let value = U256::from_limbs(limbs);
            let text = format_exact(value, decimals).replace(',', "");
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            let digits = format!("{whole}{fraction:0<width$}", width = usize::from(decimals));
            let all = value.to_string();
            prop_assert_eq!(digits.trim_start_matches('0'), all.trim_start_matches('0'));
        }
    }
}
