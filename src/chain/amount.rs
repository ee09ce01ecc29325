//! Formats amounts exactly: no amount passes through a float.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use super::U256;
use super::network::Network;

/// The coin of a chain whose symbol is not known: most are called so.
const UNKNOWN_SYMBOL: &str = "ETH?";
/// The decimals of a coin that has gwei and wei.
const ETHER_DECIMALS: u8 = 18;

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

    /// Formats an exact amount with its unit: `1.5 ETH`, `1,500,000,000 gwei`.
    pub fn format_exact(self, value: U256, network: &Network) -> String {
        let shown = format_exact(value, self.decimals(network.decimals));
        format!("{shown} {}", self.name(network))
    }
}

/// Formats `value` in units of 10^`decimals` with grouped digits and no trailing zeros: `1234567`
/// with 3 decimals is `1,234.567`.
pub fn format_exact(value: U256, decimals: u8) -> String {
    grouped(&value.to_string(), decimals.into())
}

/// Formats `value` in at most `width` columns.
///
/// A cut is marked with `…`. Where cutting would hide the magnitude (a long whole part, or only
/// zeros left) the amount is written as `1.23…e-15`.
pub fn format_to_width(value: U256, decimals: u8, width: usize) -> String {
    fit_digits(&value.to_string(), decimals.into(), width)
}

/// [`format_to_width`] for a number given by its decimal digits.
pub(super) fn fit_digits(digits: &str, decimals: usize, width: usize) -> String {
    let exact = grouped(digits, decimals);
    if exact.len() <= width {
        return exact;
    }
    let point = exact.find('.').unwrap_or(exact.len());
    let kept = exact.get(..width.saturating_sub(1)).unwrap_or("");
    if point < kept.len() && kept.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        return format!("{kept}…");
    }
    scientific(digits, decimals, width)
}

/// Places the decimal point in a number given by its digits, without grouping.
pub(super) fn plain_digits(digits: &str, decimals: usize) -> String {
    let (whole, fraction) = split_at_point(digits, decimals);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

fn grouped(digits: &str, decimals: usize) -> String {
    let (whole, fraction) = split_at_point(digits, decimals);
    let whole = group_digits(&whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

fn scientific(digits: &str, decimals: usize, width: usize) -> String {
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let tail = format!("e{}", number(digits.len()) - 1 - number(decimals));
    let (first, rest) = digits.split_at(1);
    let rest = rest.trim_end_matches('0');
    if rest.is_empty() {
        return format!("{first}{tail}");
    }
    let fraction_width = width.saturating_sub(tail.len() + 2); // the first digit and the point
    if rest.len() <= fraction_width {
        return format!("{first}.{rest}{tail}");
    }
    match rest.get(..fraction_width.saturating_sub(1)).unwrap_or("") {
        "" => format!("{first}…{tail}"),
        kept => format!("{first}.{kept}…{tail}"),
    }
}

/// Returns the digits before the point, and those after it without trailing zeros.
fn split_at_point(digits: &str, decimals: usize) -> (String, String) {
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    (whole.to_owned(), fraction.trim_end_matches('0').to_owned())
}

/// Groups decimal digits by threes: `1,234,567`.
pub fn group_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(n: u128) -> U256 {
        U256::from(n)
    }

    #[test]
    fn exact_amounts_keep_every_digit() {
        assert_eq!(format_exact(U256::ZERO, 18), "0");
        assert_eq!(format_exact(of(1), 18), "0.000000000000000001");
        assert_eq!(format_exact(of(1_500_000_000_000_000_000), 18), "1.5");
        assert_eq!(format_exact(of(1_234_567), 0), "1,234,567");
        assert_eq!(format_exact(of(123), 255).len(), 257);
        assert!(format_exact(U256::MAX, 77).starts_with("1.15792089237316195"));
        assert_eq!(format_exact(U256::MAX, 0).replace(',', ""), U256::MAX.to_string());
    }

    #[test]
    fn units_follow_the_coins_decimals() {
        let ether = Network::demo();
        let of_six = Network { decimals: 6, ..Network::demo() };
        let value = of(1_500_000_000_000_000_001);
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
        assert_eq!(Unit::Coin.format_exact(of(1_500_000), &of_six), "1.5 ETH");
        let unknown = Network { symbol: None, ..Network::demo() };
        assert_eq!(Unit::Coin.format_exact(U256::ZERO, &unknown), "0 ETH?");
        assert_eq!(Unit::Coin.next(6), Unit::Wei, "no gwei without 18 decimals");
        for unit in [Unit::Gwei, Unit::Wei] {
            assert_eq!(unit.format_exact(of(1_500_000), &of_six), "1,500,000 base units");
        }
        assert_eq!((Unit::Gwei.next(6), Unit::Wei.next(6)), (Unit::Coin, Unit::Coin));
        assert_eq!(Unit::Coin.next(0), Unit::Coin);
        assert_eq!("gwei".parse(), Ok(Unit::Gwei));
    }

    #[test]
    fn cut_amounts_are_marked() {
        assert_eq!(format_to_width(of(428_571_428_571_428_571), 18, 12), "0.428571428…");
        assert_eq!(format_to_width(of(1), 18, 12), "1e-18");
        assert_eq!(format_to_width(of(123_456_789), 18, 8), "1.2…e-10");
        assert_eq!(format_to_width(of(12_345_678_901_234), 0, 10), "1.2345…e13");
        assert_eq!(format_to_width(of(1_500_000), 6, 12), "1.5");
        assert_eq!(format_to_width(of(123_456), 2, 8), "1,234.56");
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

        #[test]
        fn fitted_amounts_fit(limbs in any::<[u64; 4]>(), decimals in any::<u8>(), width in 8usize..40) {
            let text = format_to_width(U256::from_limbs(limbs), decimals, width);
            prop_assert!(text.chars().count() <= width, "{text}");
        }
    }
}
