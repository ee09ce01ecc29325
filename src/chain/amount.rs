//! Amounts as people read them, exact to the last digit: no float ever holds one.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use super::U256;
use super::network::Network;

/// The decimals of a coin that is divided into gwei and wei.
const ETHER_DECIMALS: u8 = 18;

/// In which unit amounts of a chain's coin are shown.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Unit {
    /// The coin itself.
    #[default]
    Coin,
    /// 10^9 of the smallest unit, of a coin that has 18 decimals; of another the smallest unit.
    Gwei,
    /// The smallest unit.
    Wei,
}

impl Unit {
    /// The next one that differs for a coin of so many decimals.
    #[must_use]
    pub fn next(self, decimals: u8) -> Self {
        match self {
            Self::Coin if decimals == ETHER_DECIMALS => Self::Gwei,
            Self::Coin | Self::Gwei if self.decimals(decimals) > 0 => Self::Wei,
            _ => Self::Coin,
        }
    }

    /// What it is called on a chain.
    pub fn name(self, network: &Network) -> &str {
        match (self, network.decimals) {
            (Self::Coin, _) => network.symbol.as_deref().unwrap_or("native"),
            (Self::Gwei, ETHER_DECIMALS) => "gwei",
            (Self::Wei, ETHER_DECIMALS) => "wei",
            _ => "base units",
        }
    }

    /// The power of ten by which an amount is divided, for a coin of so many decimals.
    pub fn decimals(self, of_coin: u8) -> u8 {
        match (self, of_coin) {
            (Self::Coin, decimals) => decimals,
            (Self::Gwei, ETHER_DECIMALS) => 9,
            _ => 0,
        }
    }

    /// A whole amount with its unit: `1.5 ETH`, `1,500,000,000 gwei`.
    pub fn format_exact(self, value: U256, network: &Network) -> String {
        let shown = format_exact(value, self.decimals(network.decimals));
        format!("{shown} {}", self.name(network))
    }
}

/// The whole amount in units of 10^`decimals`: `1234567` with 3 decimals is `1,234.567`.
/// Trailing zeros of the fraction are not written.
pub fn format_exact(value: U256, decimals: u8) -> String {
    let (whole, fraction) = split_at_point(value, decimals);
    let whole = group_digits(&whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// The same number for other programs: no grouping.
pub fn format_plain(value: U256, decimals: u8) -> String {
    let (whole, fraction) = split_at_point(value, decimals);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// The amount in at most `width` columns. What is cut is marked with `…`; where cutting would hide
/// the size of the number (a long whole part, or only zeros left) it is written as `1.23…e-15`.
pub fn format_to_width(value: U256, decimals: u8, width: usize) -> String {
    let exact = format_exact(value, decimals);
    if exact.len() <= width {
        return exact;
    }
    let point = exact.find('.').unwrap_or(exact.len());
    let kept = exact.get(..width.saturating_sub(1)).unwrap_or("");
    if point < kept.len() && kept.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        return format!("{kept}…");
    }
    format_scientific(value, decimals, width)
}

fn format_scientific(value: U256, decimals: u8, width: usize) -> String {
    let digits = value.to_string();
    let exponent = i32::try_from(digits.len()).unwrap_or(i32::MAX) - 1 - i32::from(decimals);
    let (first, rest) = digits.split_at(1);
    let rest = rest.trim_end_matches('0');
    let tail = format!("e{exponent}");
    if rest.is_empty() {
        return format!("{first}{tail}");
    }
    let room = width.saturating_sub(tail.len() + 2); // the first digit and the point
    if rest.len() <= room {
        return format!("{first}.{rest}{tail}");
    }
    match rest.get(..room.saturating_sub(1)).unwrap_or("") {
        "" => format!("{first}…{tail}"),
        kept => format!("{first}.{kept}…{tail}"),
    }
}

fn split_at_point(value: U256, decimals: u8) -> (String, String) {
    let decimals = usize::from(decimals);
    let digits = format!("{value:0>width$}", width = decimals + 1, value = value.to_string());
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    (whole.to_owned(), fraction.trim_end_matches('0').to_owned())
}

/// Groups a run of decimal digits by threes.
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
    fn exact_amounts() {
        assert_eq!(format_exact(U256::ZERO, 18), "0");
        assert_eq!(format_exact(of(1), 18), "0.000000000000000001");
        assert_eq!(format_exact(of(1_500_000_000_000_000_000), 18), "1.5");
        assert_eq!(format_exact(of(1_234_567), 0), "1,234,567");
        assert_eq!(format_exact(of(123), 255).len(), 257);
        assert!(format_exact(U256::MAX, 77).starts_with("1.15792089237316195"));
        assert_eq!(format_exact(U256::MAX, 0).replace(',', ""), U256::MAX.to_string());
    }

    #[test]
    fn units_of_a_coin() {
        let (ether, of_six) = (Network::demo(), Network { decimals: 6, ..Network::demo() });
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
        assert_eq!(Unit::Coin.next(6), Unit::Wei, "gwei mean nothing there");
        for unit in [Unit::Gwei, Unit::Wei] {
            assert_eq!(unit.format_exact(of(1_500_000), &of_six), "1,500,000 base units");
        }
        assert_eq!((Unit::Gwei.next(6), Unit::Wei.next(6)), (Unit::Coin, Unit::Coin));
        assert_eq!(Unit::Coin.next(0), Unit::Coin);
        assert_eq!("gwei".parse(), Ok(Unit::Gwei));
    }

    #[test]
    fn what_is_cut_is_marked() {
        assert_eq!(format_to_width(of(428_571_428_571_428_571), 18, 12), "0.428571428…");
        assert_eq!(format_to_width(of(1), 18, 12), "1e-18");
        assert_eq!(format_to_width(of(123_456_789), 18, 8), "1.2…e-10");
        assert_eq!(format_to_width(of(12_345_678_901_234), 0, 10), "1.2345…e13");
        assert_eq!(format_to_width(of(1_500_000), 6, 12), "1.5");
        assert_eq!(format_to_width(of(123_456), 2, 8), "1,234.56");
    }

    proptest! {
        #[test]
        fn printing_loses_no_digit(limbs in any::<[u64; 4]>(), decimals in any::<u8>()) {
            let value = U256::from_limbs(limbs);
            let text = format_plain(value, decimals);
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            let digits = format!("{whole}{fraction:0<width$}", width = usize::from(decimals));
            let all = value.to_string();
            prop_assert_eq!(digits.trim_start_matches('0'), all.trim_start_matches('0'));
        }

        #[test]
        fn fitted_fits(limbs in any::<[u64; 4]>(), decimals in any::<u8>(), width in 8usize..40) {
            let text = format_to_width(U256::from_limbs(limbs), decimals, width);
            prop_assert!(text.chars().count() <= width, "{text}");
        }
    }
}
