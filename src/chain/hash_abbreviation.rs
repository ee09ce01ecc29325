//! Shortens hashes and addresses to their ends, so that different ones still look different.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use alloy_primitives::B256;

use super::Address;

/// Columns of a whole address: `0x` and its digits.
pub const ADDRESS_WIDTH: usize = "0x".len() + 40;

const END_DIGITS: usize = 4;
/// Columns of an abbreviated hash: `0x`, both ends and the ellipsis.
pub const ABBREVIATED_WIDTH: usize = "0x".len() + END_DIGITS + 1 + END_DIGITS;
const MIDDLE_DIGITS: usize = 32;
/// Numbers of digits in the middle that are tried until all addresses differ. There are few, so that a
/// screen full of addresses made to collide is laid out as fast as any other.
const TRIED_LENGTHS: [usize; 7] = [4, 6, 8, 12, 16, 24, MIDDLE_DIGITS];

/// Returns the ends of an address (checksummed) or of a hash: `0xf39F…2266`.
pub fn abbreviate(hash: &impl ToString) -> String {
    keep_ends(&hash.to_string(), "0x".len() + END_DIGITS, END_DIGITS)
}

/// Abbreviates a hash next to `other`: if the ends are equal, with the first digits that differ,
/// `0x0000…6f05…0000`.
pub fn abbreviate_apart(hash: &B256, other: &B256) -> String {
    let (full, other) = (hash.to_string(), other.to_string());
    let ends = abbreviate(&full);
    let differs = full.bytes().zip(other.bytes()).position(|(one, other)| one != other);
    let Some(at) = differs.filter(|_| ends == abbreviate(&other)) else { return ends };
    let (start, end) = ("0x".len() + END_DIGITS, full.len() - END_DIGITS);
    let from = at.min(end.saturating_sub(END_DIGITS)).max(start);
    let gap = |digits: usize| if digits == 0 { "" } else { "…" };
    let part = |range: Range<usize>| full.get(range).unwrap_or_default();
    let to = from + END_DIGITS;
    let shown =
        [part(0..start), gap(from - start), part(from..to), gap(end - to), part(end..full.len())];
    shown.concat()
}

/// Returns the first `head` and the last `tail` bytes of an ASCII text, with `…` between them, or the
/// whole text if that is no longer.
pub fn keep_ends(text: &str, head: usize, tail: usize) -> String {
    let end = text.len().saturating_sub(tail);
    match (text.get(..head), text.get(end..)) {
        (Some(start), Some(end)) if head + tail + 1 < text.len() => [start, "…", end].concat(),
        _ => text.to_owned(),
    }
}

/// Abbreviates the addresses of one screen: `0xf39F…2266`, or `0xf39F…88F6…2266` if several have the
/// same ends, with digits in which all of them differ.
#[derive(Debug, Clone, Default)]
pub struct Abbreviator {
    /// The addresses by their ends, with their checksummed form once it was needed: that costs more
    /// than the rest of a cell.
    addresses: Vec<(Address, OnceLock<String>)>,
    ambiguous: HashMap<Address, String>,
    /// First digits that several addresses share.
    common_starts: HashSet<[u8; 2]>,
}

impl Abbreviator {
    /// Takes all addresses on the screen, in any order; repeated ones count once.
    pub fn new(addresses: impl IntoIterator<Item = Address>) -> Self {
        let mut addresses: Vec<Address> = addresses.into_iter().collect();
        addresses.sort_unstable_by_key(|address| (ends(address), *address));
        addresses.dedup();
        let neighbours = addresses.iter().zip(addresses.iter().skip(1));
        let starts = neighbours.map(|(one, next)| (start(one), start(next)));
        let common_starts = starts.filter(|(one, next)| one == next).map(|(one, _)| one).collect();
        let mut ambiguous = HashMap::new();
        for group in addresses.chunk_by(|one, next| ends(one) == ends(next)) {
            if group.len() > 1 {
                let shown = distinguishing_digits(group);
                ambiguous.extend(group.iter().map(|one| (*one, with_middle(one, &shown))));
            }
        }
        Self {
            addresses: addresses.into_iter().map(|one| (one, OnceLock::new())).collect(),
            ambiguous,
            common_starts,
        }
    }

    /// Returns `true` if the first digits distinguish an address from all others.
    pub fn has_own_start(&self, address: &Address) -> bool {
        !self.common_starts.contains(&start(address))
    }

    /// Returns the whole address.
    pub fn whole(&self, address: &Address) -> Cow<'_, str> {
        let key = (ends(address), *address);
        let found = self.addresses.binary_search_by_key(&key, |(one, _)| (ends(one), *one));
        match found.ok().and_then(|place| self.addresses.get(place)) {
            Some((_, text)) => Cow::Borrowed(text.get_or_init(|| address.to_string())),
            None => Cow::Owned(address.to_string()),
        }
    }

    /// Abbreviates an address. No two different addresses given to [`Abbreviator::new`] get the
    /// same text, even if case is ignored. Any other address is reduced to its ends.
    pub fn abbreviate(&self, address: &Address) -> Cow<'_, str> {
        match self.ambiguous.get(address) {
            Some(text) => Cow::Borrowed(text),
            None => {
                Cow::Owned(keep_ends(&self.whole(address), "0x".len() + END_DIGITS, END_DIGITS))
            }
        }
    }

    /// Returns the columns of an abbreviated address.
    pub fn width(&self, address: &Address) -> usize {
        self.ambiguous.get(address).map_or(ABBREVIATED_WIDTH, |text| text.chars().count())
    }

    pub fn max_width(&self) -> usize {
        let widths = self.ambiguous.values().map(|text| text.chars().count());
        widths.fold(ABBREVIATED_WIDTH, usize::max)
    }
}

/// Returns the bytes of the first digits.
fn start(address: &Address) -> [u8; 2] {
    let [a, b, ..] = address.0.0;
    [a, b]
}

/// Returns the bytes of the first and the last digits.
fn ends(address: &Address) -> [u8; 4] {
    let [a, b, .., y, z] = address.0.0;
    [a, b, y, z]
}

/// Returns digits of the middle in which all of these addresses differ: as few as possible, and as
/// near to the centre as possible, because forged addresses are made to match at their ends.
fn distinguishing_digits(group: &[Address]) -> Range<usize> {
    let middles: Vec<u128> = group.iter().map(middle_digits).collect();
    let mut sorted = Vec::with_capacity(middles.len());
    for length in TRIED_LENGTHS {
        let last = MIDDLE_DIGITS - length;
        for step in 0..=last {
            // From the centre outwards, left and right in turn; all lengths are even.
            let centre = last / 2;
            let distance = step.div_ceil(2);
            let start =
                if step % 2 == 0 { centre + distance } else { centre.saturating_sub(distance) };
            let shown = start..start + length;
            if all_distinct(&middles, &shown, &mut sorted) {
                // An ellipsis for one digit is as wide as the digit.
                let from = if shown.start == 1 { 0 } else { shown.start };
                let to = if shown.end + 1 == MIDDLE_DIGITS { MIDDLE_DIGITS } else { shown.end };
                return from..to;
            }
        }
    }
    0..MIDDLE_DIGITS
}

fn middle_digits(address: &Address) -> u128 {
    let [_, _, middle @ .., _, _] = address.0.0;
    u128::from_be_bytes(middle)
}

/// Returns `true` if no two numbers are equal in these digits. `sorted` is a buffer to reuse.
fn all_distinct(middles: &[u128], shown: &Range<usize>, sorted: &mut Vec<u128>) -> bool {
    sorted.clear();
    // Shift out the digits on the left, then those on the right.
    let left = shown.start * 4;
    let right = (MIDDLE_DIGITS - shown.len()) * 4;
    sorted.extend(middles.iter().map(|middle| (middle << left) >> right));
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair.first() != pair.last())
}

fn with_middle(address: &Address, shown: &Range<usize>) -> String {
    let full = address.to_string();
    let start = "0x".len() + END_DIGITS;
    let part = |range: Range<usize>| full.get(range).unwrap_or_default();
    let gap = |digits: usize| if digits == 0 { "" } else { "…" };
    [
        part(0..start),
        gap(shown.start),
        part(start + shown.start..start + shown.end),
        gap(MIDDLE_DIGITS - shown.end),
        part(start + MIDDLE_DIGITS..full.len()),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const ALICE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn abbreviations(addresses: &[&str]) -> Vec<String> {
        let abbreviator = Abbreviator::new(addresses.iter().map(|text| address(text)));
        addresses.iter().map(|text| abbreviator.abbreviate(&address(text)).into_owned()).collect()
    }

    #[test]
    fn ends_are_kept() {
        assert_eq!(abbreviate(&address(ALICE)), "0xf39F…2266");
        assert_eq!(keep_ends("123456", 2, 2), "12…56");
        assert_eq!(keep_ends("12345", 2, 2), "12345", "no shorter with an ellipsis");
        assert_eq!(keep_ends("", 2, 2), "");
    }

    #[test]
    fn unique_ends_are_enough() {
        assert_eq!(abbreviations(&[ALICE, ALICE]), ["0xf39F…2266", "0xf39F…2266"]);
        assert_eq!(
            abbreviations(&[&format!("0x{:040x}", 0), ALICE]),
            ["0x0000…0000", "0xf39F…2266"]
        );
        let abbreviator = Abbreviator::new([]);
        assert_eq!(abbreviator.abbreviate(&address(ALICE)), "0xf39F…2266");
        assert_eq!(abbreviator.max_width(), 11);
    }

    #[test]
    fn colliding_ends_show_a_differing_middle() {
        let made = "0xf39f111111111111111111111111111111112266";
        assert_eq!(abbreviations(&[ALICE, made]), ["0xf39F…ce6a…2266", "0xF39f…1111…2266"]);
        let near = "0xf39fd7e51aad88f6f4ce6ab8827279cfffb92266";
        assert_eq!(abbreviations(&[ALICE, near])[0], "0xf39Fd6e51…2266");
        let late = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb82266";
        assert_eq!(abbreviations(&[ALICE, late])[0], "0xf39F…fFb92266");
        // They differ in no digits near each other.
        assert_eq!(abbreviations(&[ALICE, near, late])[0], address(ALICE).to_string());

        let abbreviator = Abbreviator::new([address(ALICE), address(made)]);
        assert_eq!(abbreviator.max_width(), 16);
        assert_eq!(
            abbreviator.abbreviate(&address(near)),
            "0xF39f…2266",
            "it is not on the screen"
        );
    }

    #[test]
    fn hashes_with_equal_ends_show_where_they_differ() {
        let word = |digits: &str| format!("{digits:0>64}").parse::<B256>().unwrap();
        let apart = |one: &str, other: &str| abbreviate_apart(&word(one), &word(other));
        assert_eq!(apart("6f05b59d3b20000", "0"), "0x0000…6f05…0000");
        assert_eq!(apart("0", "6f05b59d3b20000"), "0x0000…0000…0000");
        assert_eq!(apart("10001", "20001"), "0x0000…00010001");
        assert_eq!(apart("20000001", "10000001"), "0x0000…20000001");
        assert_eq!(apart("1", "2"), "0x0000…0001", "the ends differ");
        assert_eq!(apart("1", "1"), "0x0000…0001", "nothing differs");
        let [one, other] = ["a", "b"].map(|digit| ["00001", &digit.repeat(55), "0001"].concat());
        assert_eq!(apart(&one, &other), "0x0000…aaaa…0001");
        let [one, other] = ["a", "b"].map(|digit| ["0000", &digit.repeat(56), "0001"].concat());
        assert_eq!(apart(&one, &other), "0x0000aaaa…0001");
    }

    #[test]
    fn common_starts_distinguish_nothing() {
        let [alice, other] = [ALICE, "0xf39f111111111111111111111111111111111111"].map(address);
        let abbreviator = Abbreviator::new([alice, other, alice]);
        assert!(!abbreviator.has_own_start(&alice) && !abbreviator.has_own_start(&other));
        assert!(Abbreviator::new([alice, alice]).has_own_start(&alice));
    }

    #[test]
    fn three_hundred_colliding_addresses_stay_short() {
        let all: Vec<Address> = (0..300_u32)
            .map(|n| {
                let mut bytes = address(ALICE).0.0;
                bytes[8..12].copy_from_slice(&n.wrapping_mul(0x9e37_79b9).to_be_bytes());
                Address::from(bytes)
            })
            .collect();
        let abbreviator = Abbreviator::new(all.iter().copied());
        let shown: BTreeSet<String> =
            all.iter().map(|one| abbreviator.abbreviate(one).to_lowercase()).collect();
        assert_eq!(shown.len(), all.len());
        assert!(abbreviator.max_width() <= 18, "{}", abbreviator.max_width());
    }

    /// Addresses that differ in a few bytes only.
    fn similar_addresses() -> impl Strategy<Value = Vec<Address>> {
        let changes = prop::collection::vec((0..20_usize, any::<u8>()), 0..3);
        (any::<[u8; 20]>(), prop::collection::vec(changes, 1..40)).prop_map(|(base, all)| {
            all.into_iter()
                .map(|changes| {
                    let mut bytes = base;
                    for (at, to) in changes {
                        bytes[at] = to;
                    }
                    Address::from(bytes)
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn different_addresses_get_different_abbreviations(addresses in similar_addresses()) {
            let abbreviator = Abbreviator::new(addresses.iter().copied());
            let written: Vec<String> =
                addresses.iter().map(|one| abbreviator.abbreviate(one).to_lowercase()).collect();
            for (a, short_a) in addresses.iter().zip(&written) {
                let full = format!("0x{:x}", a.0);
                let parts: Vec<&str> = short_a.split('…').collect();
                prop_assert!(full.starts_with(parts[0]) && full.ends_with(parts[parts.len() - 1]));
                prop_assert!(parts.iter().all(|part| full.contains(part)));
                prop_assert!((11..=abbreviator.max_width().min(42)).contains(&short_a.chars().count()));
                for (b, short_b) in addresses.iter().zip(&written) {
                    prop_assert_eq!(a == b, short_a == short_b);
                }
            }
        }
    }
}
