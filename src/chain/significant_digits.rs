//! Digits of a number for reading: the first ones, in groups of three. No number passes through a float.

use super::U256;

/// A number for reading, rounded to its first digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadableNumber {
    pub text: String,
    /// Number of bytes at the end that matter least.
    pub tail: usize,
}

/// Digits of a number for reading.
const READABLE_DIGITS: usize = 6;
/// Digits after the point of a number with more digits before it, as far as it has them.
const MIN_FRACTION_DIGITS: usize = 2;
/// Digits before the less important ones of a fraction.
const BRIGHT_DIGITS: usize = 3;
/// Maximum digits after the point.
const MAX_FRACTION_DIGITS: usize = 8;
/// Maximum zeros after the point. Smaller numbers are written as [`LEAST`].
const MAX_ZEROS: usize = 5;
/// Maximum zeros after the point of a price. Smaller ones are in scientific notation.
const MAX_PLAIN_ZEROS: usize = 9;
/// Digits of a price with more zeros than amounts have.
const TINY_DIGITS: usize = 4;
/// Maximum power of ten of a number of trillions: larger ones are in scientific notation.
const MAX_TRILLIONS_EXPONENT: i64 = 20;
/// Text of a number that is too small to be written.
const LEAST: &str = "<0.000001";
/// Maximum digits before the point.
pub(super) const MAX_WHOLE_DIGITS: usize = 9;
/// Maximum digits before the point of an amount in a smaller unit than the coin.
pub(super) const MAX_SMALL_UNIT_DIGITS: usize = 24;

/// Formats `value` in units of 10^`decimals` for reading: `2,490.26`, `4,996,512.94`, `0.0343`, `3.14698B`,
/// `<0.000001`. The digits before the point are exact, however the others are rounded.
pub fn format_readable(value: U256, decimals: u8) -> ReadableNumber {
    readable_or_least(value, decimals, MAX_WHOLE_DIGITS)
}

pub(super) fn readable_or_least(value: U256, decimals: u8, max_whole: usize) -> ReadableNumber {
    if is_tiny(value, decimals) {
        return ReadableNumber { text: LEAST.to_owned(), tail: 0 };
    }
    readable_with_whole(&value.to_string(), decimals.into(), max_whole)
}

/// Returns `true` if an amount that is not zero is less than the last digit of a readable one.
pub(super) fn is_tiny(value: U256, decimals: u8) -> bool {
    !value.is_zero() && value.to_string().len() + MAX_ZEROS < decimals.into()
}

/// Formats a number, given by its decimal digits without leading zeros, for reading. A tiny one is in
/// scientific notation.
pub(super) fn readable_digits(digits: &str, decimals: usize) -> ReadableNumber {
    readable_with_whole(digits, decimals, MAX_WHOLE_DIGITS)
}

/// Formats a balance for reading next to its change, with all digits before the point and as many after
/// it as the change has, or itself: `9,999,999.3457201` next to `0.0342769`, `0.0003` next to `5,000`.
pub fn format_with_change(balance: U256, change: U256, decimals: u8) -> String {
    let places = readable_places(change, decimals).max(readable_places(balance, decimals));
    let shown = format_to_places(balance, decimals, places);
    if is_rounded(balance, decimals, places) { with_zeros(&shown, places) } else { shown }
}

/// Formats a balance before and after its change for reading, as [`format_with_change`] does, with as many digits after
/// both points.
pub fn format_balances(balances: [U256; 2], decimals: u8) -> [String; 2] {
    let [before, after] = balances;
    let change = before.abs_diff(after);
    let readable = [change, before, after].map(|value| readable_places(value, decimals));
    let places = readable.into_iter().fold(0, usize::max);
    let shown = format_balances_to(balances, decimals, places);
    shown.unwrap_or_else(|| balances.map(|balance| format_with_change(balance, change, decimals)))
}

/// Formats a balance before and after its change with some digits after both points. The rounded change is their
/// difference: one of them, rounded itself, may be off by one in its last digit. `None` of numbers that are too large.
pub fn format_balances_to(balances: [U256; 2], decimals: u8, places: usize) -> Option<[String; 2]> {
    let rounded = round_with_change(balances, decimals, places)?;
    let shown_decimals = u8::try_from(places).ok()?;
    Some([0, 1].map(|n| {
        let shown = format_to_places(rounded[n], shown_decimals, places);
        if balances[n].is_zero() { shown } else { with_zeros(&shown, places) }
    }))
}

/// Formats the change of a balance with some digits after the point. `None` of a change that is too small or too large to
/// be written with all its digits.
pub fn format_change(change: U256, decimals: u8, places: usize) -> Option<String> {
    let whole = change.to_string().len().saturating_sub(decimals.into());
    let has_space = whole <= MAX_WHOLE_DIGITS && !is_tiny(change, decimals);
    has_space.then(|| with_zeros(&format_to_places(change, decimals, places), places))
}

/// Returns the number of digits after the point at which some amounts differ in a table: cents, or the first digits of
/// the smallest fraction.
pub fn common_places(amounts: impl IntoIterator<Item = U256>, decimals: u8) -> usize {
    let written = amounts.into_iter().filter(|amount| !is_tiny(*amount, decimals));
    written.map(|amount| first_places(amount, decimals)).max().unwrap_or_default()
}

/// Returns the number of digits after the point up to the first digits of an amount.
fn first_places(amount: U256, decimals: u8) -> usize {
    let (whole, fraction) = split_at_point(&amount.to_string(), decimals.into());
    let zeros = fraction.len() - fraction.trim_start_matches('0').len();
    let kept = if whole == "0" { zeros + BRIGHT_DIGITS } else { MIN_FRACTION_DIGITS };
    rounded_fraction(&fraction, kept).len()
}

/// Rounds two balances to units of the last place, so that their difference is the rounded one. One that
/// has no more digits keeps them.
fn round_with_change(balances: [U256; 2], decimals: u8, places: usize) -> Option<[U256; 2]> {
    let [before, after] = balances;
    let change = round_to_units(before.abs_diff(after), decimals, places)?;
    if is_rounded(before, decimals, places) && !is_rounded(after, decimals, places) {
        let after_units = round_to_units(after, decimals, places)?;
        Some([add_signed(after_units, change, before > after)?, after_units])
    } else {
        let before_units = round_to_units(before, decimals, places)?;
        Some([before_units, add_signed(before_units, change, after > before)?])
    }
}

fn add_signed(units: U256, change: U256, is_gain: bool) -> Option<U256> {
    if is_gain { units.checked_add(change) } else { units.checked_sub(change) }
}

/// Rounds a value to units of a decimal place.
fn round_to_units(value: U256, decimals: u8, places: usize) -> Option<U256> {
    let ten_to = |exponent: usize| U256::from(10).checked_pow(U256::from(exponent));
    match usize::from(decimals).checked_sub(places) {
        Some(dropped) => {
            let unit = ten_to(dropped)?;
            Some(value.checked_add(unit / U256::from(2))? / unit)
        }
        None => value.checked_mul(ten_to(places - usize::from(decimals))?),
    }
}

/// Returns `true` if a value has more digits after the point than some.
fn is_rounded(value: U256, decimals: u8, places: usize) -> bool {
    let (_, exact) = split_at_point(&value.to_string(), decimals.into());
    exact.trim_end_matches('0').len() > places
}

/// Adds the zeros at the end of a number: they count, as in the balance before or after.
fn with_zeros(shown: &str, places: usize) -> String {
    let kept = shown.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let point = if kept == 0 && places > 0 { "." } else { "" };
    [shown, point, &"0".repeat(places.saturating_sub(kept))].concat()
}

/// Formats a balance for reading with all digits before the point and at least two after it:
/// `9,999,999.38`, `0.0342769`.
pub fn format_to_cents(balance: U256, decimals: u8) -> String {
    format_to_places(balance, decimals, readable_places(balance, decimals).max(2))
}

fn format_to_places(value: U256, decimals: u8, places: usize) -> String {
    let (whole, fraction) = split_at_point(&value.to_string(), decimals.into());
    let fraction = rounded_fraction(&fraction, places);
    let point = if fraction.is_empty() { "" } else { "." };
    [&group_digits(&whole), point, &fraction].concat()
}

/// Returns the number of digits after the point in a number for reading.
fn readable_places(value: U256, decimals: u8) -> usize {
    let shown = readable_digits(&value.to_string(), decimals.into()).text;
    let (shown, exponent) = shown.split_once("e-").unwrap_or((&shown, "0"));
    let fraction = shown.split_once('.').map_or("", |(_, fraction)| fraction);
    // Millions and more have a letter after their digits.
    let is_plain = fraction.bytes().all(|digit| digit.is_ascii_digit());
    let places = if is_plain { fraction.len() } else { 0 };
    places + exponent.parse::<usize>().unwrap_or(0)
}

fn readable_with_whole(digits: &str, decimals: usize, max_whole: usize) -> ReadableNumber {
    let (whole, fraction) = split_at_point(digits, decimals);
    let significant = if whole == "0" { 0 } else { whole.len() };
    let zeros = fraction.len() - fraction.trim_start_matches('0').len();
    let is_tiny = significant == 0 && zeros > MAX_PLAIN_ZEROS;
    if significant > max_whole || (is_tiny && !fraction.is_empty()) {
        return ReadableNumber { text: scaled(digits, decimals, READABLE_DIGITS), tail: 0 };
    }
    let leading = if significant == 0 { zeros } else { 0 };
    let most = if leading > MAX_ZEROS { leading + TINY_DIGITS } else { MAX_FRACTION_DIGITS };
    // A smaller unit is chosen for digits before the point.
    let has_cents = significant > 0 && max_whole == MAX_WHOLE_DIGITS;
    let least = if has_cents { MIN_FRACTION_DIGITS } else { 0 };
    let kept = (READABLE_DIGITS + leading).saturating_sub(significant).clamp(least, most);
    let fraction = rounded_fraction(&fraction, kept);
    if fraction.is_empty() {
        return ReadableNumber { text: group_digits(&whole), tail: 0 };
    }
    let bright = (BRIGHT_DIGITS + leading).saturating_sub(significant);
    let tail = match fraction.len().saturating_sub(bright) {
        dim if bright == 0 => dim + 1, // and the point
        dim => dim,
    };
    ReadableNumber { text: format!("{}.{fraction}", group_digits(&whole)), tail }
}

/// Formats a number by its first digits and its magnitude: `3.15B`, `1.5e-18`.
pub(super) fn scaled(digits: &str, decimals: usize, significant: usize) -> String {
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let exponent = number(digits.len()) - 1 - number(decimals);
    let (whole, suffix) = match exponent {
        6..9 => (digits.len() - decimals - 6, "M".to_owned()),
        9..12 => (digits.len() - decimals - 9, "B".to_owned()),
        12..=MAX_TRILLIONS_EXPONENT => (digits.len() - decimals - 12, "T".to_owned()),
        _ => (1, format!("e{exponent}")),
    };
    let (whole, fraction) = digits.split_at(whole.min(digits.len()));
    let fraction = rounded_fraction(fraction, significant.saturating_sub(whole.len()));
    let point = if fraction.is_empty() { "" } else { "." };
    [&group_digits(whole), point, &fraction, &suffix].concat()
}

/// Rounds a fraction, half up, to its first `kept` digits without trailing zeros. Digits before the
/// point are exact, so nines are cut instead: 0.9999999 is not 1.
fn rounded_fraction(fraction: &str, kept: usize) -> String {
    let (head, rest) = fraction.split_at_checked(kept).unwrap_or((fraction, ""));
    let is_up = rest.starts_with(|digit| digit >= '5');
    match head.trim_end_matches('9').as_bytes().split_last() {
        Some((last, stem)) if is_up => {
            stem.iter().copied().chain([last + 1]).map(char::from).collect()
        }
        _ => head.trim_end_matches('0').to_owned(),
    }
}

/// Places the decimal point in a number given by its digits, without grouping.
pub(super) fn plain_digits(digits: &str, decimals: usize) -> String {
    let (whole, fraction) = split_at_point(digits, decimals);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// Places the decimal point in a number given by its digits, and groups those before it.
pub(super) fn grouped_digits(digits: &str, decimals: usize) -> String {
    let (whole, fraction) = split_at_point(digits, decimals);
    let whole = group_digits(&whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// Returns the digits before the point, and those after it without trailing zeros.
fn split_at_point(digits: &str, decimals: usize) -> (String, String) {
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    (whole.to_owned(), fraction.trim_end_matches('0').to_owned())
}

/// Groups decimal digits by threes: `1,234,567`.
pub(super) fn group_digits(digits: &str) -> String {
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
    use crate::chain::decimal::Decimal;

    fn units(n: u128) -> U256 {
        U256::from(n)
    }

    #[test]
    fn value_is_rounded_to_fewer_digits_than_it_has() {
        let is_rounded = |value, decimals| is_rounded(units(value), decimals, 2);
        assert!(!is_rounded(125, 2) && is_rounded(1_251, 3) && !is_rounded(1_250, 3));
    }

    #[test]
    fn readable_amounts_have_six_digits_or_cents() {
        for (value, decimals, text, tail) in [
            (0, 18, "0", ""),
            (1, 18, "<0.000001", ""),
            (1_500_000_000_000_000_000, 18, "1.5", ""),
            (9_999_999_380_000_000_000_000_000, 18, "9,999,999.38", ".38"),
            (4_996_512_935_116_740_214_260_435, 18, "4,996,512.94", ".94"),
            (4_996_512_999_116_740_214_260_435, 18, "4,996,512.99", ".99"),
            (123_456_789, 3, "123,456.79", ".79"),
            (2_490_260_000, 6, "2,490.26", ".26"),
            (34_298_765_432_109_876, 18, "0.0342988", "988"),
            (428_571_428_571_428_571, 18, "0.428571", "571"),
            (428_570_999_999_999_999, 18, "0.428571", "571"),
            (1_666_666, 6, "1.66667", "667"),
            (999_999_949_999, 12, "0.999999", "999"),
            (999_999_999_999, 12, "0.999999", "999"),
            (1_999_999_999_999, 12, "1.99999", "999"),
            (99_999_999_999, 12, "0.1", ""),
            (12_345_678_900, 3, "12,345,678.9", ".9"),
            (1_999_999_999_999, 0, "1.99999T", ""),
            (12_345_678, 6, "12.3457", "457"),
            (31_500_000_000_000, 18, "0.0000315", ""),
            (3_150_000_000_000, 18, "0.00000315", ""),
            (999_999_999_999, 18, "<0.000001", ""),
            (999_999_999, 0, "999,999,999", ""),
            (3_146_977_757_370, 3, "3.14698B", ""),
            (1_000_000_000_000_000, 0, "1,000T", ""),
            (123_456_789_012_345_678_901, 0, "123,456,789T", ""),
            (1_000_000_000_000_000_000_000, 0, "1e21", ""),
            (999_999_999_999_999, 0, "999.999T", ""),
        ] {
            let number = format_readable(units(value), decimals);
            assert_eq!(number.text, text);
            assert_eq!(&text[text.len() - number.tail..], tail, "{text}");
        }
        assert_eq!(format_readable(units(123), 255).text, "<0.000001");
        assert_eq!(readable_digits("123", 255).text, "1.23e-253");
        assert_eq!(format_readable(U256::MAX, 0).text, "1.15792e77");
    }

    #[test]
    fn balances_have_the_digits_of_their_change() {
        for (balance, change, decimals, text) in [
            (
                9_999_999_345_720_100_000_000_000_u128,
                34_276_950_063_983_640,
                18,
                "9,999,999.345720",
            ),
            (9_999_999_311_443_150_000_000_000, 34_276_900_000_000_000, 18, "9,999,999.3114432"),
            (5_000_000_000_000_000_001, 1, 18, "5.000000000000000001"),
            (3_146_977_757_370_000, 5_250_000, 6, "3,146,977,757.37"),
            (3_146_977_757_370_000, 3_000_000, 6, "3,146,977,757"),
            (500_000, 1_500_000, 6, "0.5"),
            (1_000_000_000_000_400_000_000_000, 991_634_000_000_000_000, 18, "1,000,000.000000"),
            (300, 5_000_000_000, 6, "0.0003"),
        ] {
            assert_eq!(format_with_change(units(balance), units(change), decimals), text);
        }
    }

    #[test]
    fn balances_have_all_digits_before_the_point() {
        for (balance, text) in [
            (9_999_999_379_289_104_186_775_358_000_u128, "9,999,999,379.29"),
            (34_276_950_063_983_640, "0.034277"),
            (12_345_678_900_000_000_000, "12.3457"),
            (5_000_000_000_000_000_000, "5"),
        ] {
            assert_eq!(format_to_cents(units(balance), 18), text);
        }
    }

    proptest! {
        #[test]
        fn readable_amounts_are_short_and_near(limbs in any::<[u64; 4]>(), shift in 0..256_usize, decimals in 0..100_u8) {
            let value = U256::from_limbs(limbs) >> shift;
            let number = format_readable(value, decimals);
            prop_assert!(number.text.len() <= 14 && number.tail <= number.text.len(), "{number:?}");
            let exact = Decimal::new(value.to(), decimals.into());
            if number.text == LEAST {
                prop_assert!(!value.is_zero() && exact < "0.000001".parse().unwrap());
                return Ok(());
            }
            let plain = number.text.replace(',', "").replace('B', "e9").replace('T', "e12");
            let shown: Decimal = plain.parse().unwrap();
            let near = |factor: &str| exact.checked_mul(factor.parse().unwrap()).unwrap();
            prop_assert!(near("0.99") <= shown && shown <= near("1.01"), "{exact} {number:?}");
        }
    }

    #[test]
    fn shown_balances_differ_by_their_rounded_change() {
        for (balances, decimals, text, change) in [
            (
                [4_996_512_935_116_000_u64, 4_996_510_943_902_000],
                9,
                ["4,996,512.93512", "4,996,510.94391"],
                "1.99121",
            ),
            (
                [5_002_490_263_645_400, 5_002_491_259_252_600],
                9,
                ["5,002,490.263645", "5,002,491.259252"],
                "0.995607",
            ),
            (
                [1_000_000_000_000_000, 1_000_000_991_634_400],
                9,
                ["1,000,000.000000", "1,000,000.991634"],
                "0.991634",
            ),
            ([1_234_567_800, 2_000_000_000], 9, ["1.234568", "2.000000"], "0.765432"),
            ([500, 5_000_500], 3, ["0.5", "5,000.5"], "5,000"),
        ] {
            let [before, after] = balances.map(U256::from);
            assert_eq!(format_balances([before, after], decimals), text);
            assert_eq!(format_readable(before.abs_diff(after), decimals).text, change);
        }
        let most = [U256::MAX, U256::MAX - U256::ONE];
        let alone = most.map(|balance| format_with_change(balance, U256::ONE, 255));
        assert_eq!(format_balances(most, 255), alone, "too many digits to add up");
        assert_eq!(format_balances_to(most, 255, 2), None);
    }

    #[test]
    fn changes_of_one_coin_have_as_many_digits_after_the_point() {
        let changes = [34_276_950_u64, 24_086_110, 5].map(U256::from);
        let places = common_places(changes, 9);
        assert_eq!(places, 4, "a tiny one is not written");
        let written = changes.map(|change| format_change(change, 9, places));
        let expected = [Some("0.0343"), Some("0.0241"), None];
        assert_eq!(written.each_ref().map(Option::as_deref), expected);
        let balances = [9_999_999_740_519_313_u64, 9_999_999_706_242_363].map(U256::from);
        let expected = ["9,999,999.7405", "9,999,999.7062"].map(str::to_owned);
        assert_eq!(format_balances_to(balances, 9, places), Some(expected), "their difference");
        for (amount, shown) in [(2_490_264_000_u64, 2), (1_500_000, 1), (300, 4), (0, 0)] {
            assert_eq!(common_places([U256::from(amount)], 6), shown, "{amount}");
        }
        assert_eq!(format_change(U256::from(10).pow(U256::from(18)), 0, 2), None);
    }
}
