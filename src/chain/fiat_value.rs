//! What an amount is worth, in decimal arithmetic. Always an estimate: the rate is somebody's.

use super::{U256, amount};

/// A decimal number: digits times ten to the minus `scale`.
struct Decimal {
    digits: U256,
    scale: usize,
}

/// Digits after the point that a server's rate may have; more are noise.
const MAX_RATE_SCALE: usize = 40;

/// The worth of `value` (with `decimals`) at `rate` dollars apiece, to the cent, rounded down; below
/// a cent `<0.01`. None when the rate is no decimal number or the product passes 256 bits.
pub fn fiat_value(value: U256, decimals: u8, rate: &str) -> Option<String> {
    let rate = Decimal::parse(rate)?;
    let product = value.checked_mul(rate.digits)?;
    let scale = usize::from(decimals) + rate.scale;
    let cents = match scale.checked_sub(2) {
        Some(drop) => {
            U256::from(10).checked_pow(U256::from(drop)).map_or(U256::ZERO, |d| product / d)
        }
        None => product.checked_mul(U256::from(10_u8.pow(u32::try_from(2 - scale).ok()?)))?,
    };
    if cents.is_zero() && !product.is_zero() {
        return Some("<0.01".into());
    }
    let whole = amount::format_exact(cents / U256::from(100), 0);
    Some(format!("{whole}.{:02}", u64::try_from(cents % U256::from(100)).ok()?))
}

/// A decimal in plain notation: servers write tiny rates as `5.95E-7`. What is no decimal number
/// stays as it is.
pub fn format_plain(rate: &str) -> String {
    match Decimal::parse(rate) {
        Some(Decimal { digits, scale }) => {
            let scale = u8::try_from(scale).unwrap_or(u8::MAX);
            amount::format_plain(digits, scale)
        }
        None => rate.to_owned(),
    }
}

/// A decimal, grouped or not, in at most `width` columns: what is cut never hides how large it is. None
/// when it is no decimal number.
pub fn format_to_width(text: &str, width: usize) -> Option<String> {
    let Decimal { digits, scale } = Decimal::parse(&text.replace(',', ""))?;
    Some(amount::format_to_width(digits, u8::try_from(scale).ok()?, width))
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits = U256::from_str_radix(&digits, 10).ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        match usize::try_from(scale) {
            Ok(scale) if scale <= MAX_RATE_SCALE => Some(Self { digits, scale }),
            Ok(_) => None,
            Err(_) => {
                let up = U256::from(10).checked_pow(U256::from(scale.unsigned_abs()))?;
                Some(Self { digits: digits.checked_mul(up)?, scale: 0 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_does_not_hide_how_large_it_is() {
        for (text, room, shown) in [
            ("3,146,977,757.37", 16, "3,146,977,757.37"),
            ("3,146,977,757.37", 10, "3.14697…e9"),
            ("0.00000595", 8, "5.95e-6"),
            ("5.95E-7", 8, "5.95e-7"),
        ] {
            assert_eq!(format_to_width(text, room).unwrap(), shown, "{text}");
        }
        assert_eq!(format_to_width("<0.01", 3), None);
    }

    #[test]
    fn worth_to_the_cent() {
        for (value, decimals, rate, worth) in [
            (1_500_000_u128, 6, "1.0003", Some("1.50")),
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
            assert_eq!(
                super::fiat_value(U256::from(value), decimals, rate).as_deref(),
                worth,
                "{rate}"
            );
        }
        assert_eq!(
            super::fiat_value(U256::MAX, 0, "2"),
            None,
            "rather nothing than a wrong number"
        );
        assert_eq!(super::fiat_value(U256::from(5), 255, "1").as_deref(), Some("<0.01"));
    }

    #[test]
    fn rates_are_written_out() {
        assert_eq!(format_plain("5.95E-7"), "0.000000595");
        assert_eq!(format_plain("1.50"), "1.5");
        assert_eq!(format_plain("n/a"), "n/a");
    }
}
