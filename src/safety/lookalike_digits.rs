//! The digits of two addresses that make one a look-alike of the other.
//!
//! The first and the last three must be equal, and seven in all. A run of zeros at an end counts as three,
//! however long it is: contracts with such addresses are common, and the zero address and the
//! precompiles consist of zeros.

use std::ops::RangeInclusive;

use crate::chain::Address;

pub(super) const ADDRESS_DIGITS: usize = 40;
/// Minimum equal digits at each end: no wallet shows fewer.
const MIN_EQUAL_DIGITS_PER_END: usize = 3;
/// The digits at both ends of an address.
pub(super) type EndDigits = [u8; 2 * MIN_EQUAL_DIGITS_PER_END];
/// Minimum equal digits in all. With seven, one of 140 million pairs of random addresses is alike; with
/// six it would be one of 17 million, too many for long histories.
pub(super) const MIN_EQUAL_DIGITS: usize = 7;

pub(super) fn digits(address: &Address) -> impl DoubleEndedIterator<Item = u8> {
    address.0.0.into_iter().flat_map(|byte| [byte >> 4, byte & 0xf])
}

/// Returns the digits at both ends that look-alikes share.
pub(super) fn end_digits(address: &Address) -> EndDigits {
    let [one, two, .., last_but_one, last] = address.0.0;
    [one >> 4, one & 0xf, two >> 4, last & 0xf, last >> 4, last_but_one & 0xf]
}

fn count_equal_ends(a: &Address, b: &Address) -> (usize, usize) {
    let first = digits(a).zip(digits(b)).take_while(|(a, b)| a == b).count();
    let last = digits(a).rev().zip(digits(b).rev()).take_while(|(a, b)| a == b).count();
    (first, last)
}

/// Returns the weight of a run of equal digits: its length, but at most three if it is all zeros.
fn significance(run: impl Iterator<Item = u8>) -> usize {
    let (length, zeros) =
        run.fold((0, 0), |(length, zeros), digit| (length + 1, zeros + usize::from(digit == 0)));
    if length == zeros { MIN_EQUAL_DIGITS_PER_END.min(length) } else { length }
}

/// Returns the first and the last differing digit of two addresses that look alike.
pub(super) fn differing_digits(
    known: &Address,
    address: &Address,
) -> Option<RangeInclusive<usize>> {
    let (first, last) = count_equal_ends(known, address);
    let equal =
        significance(digits(address).take(first)) + significance(digits(address).rev().take(last));
    (equal >= MIN_EQUAL_DIGITS).then(|| first + 1..=ADDRESS_DIGITS - last)
}
