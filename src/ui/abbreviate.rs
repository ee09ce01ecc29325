//! Addresses shortened so that different ones on one screen look different.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::format::{short_address, width};
use crate::chain::Address;

/// Digits shown of each end.
const END_DIGITS: usize = 4;
/// Digits between the ends.
const MIDDLE_DIGITS: usize = 32;
/// How many digits of the middle are tried, until all are different. Few lengths, so that a screen
/// full of addresses made to collide is laid out as fast as any other.
const TRIED_LENGTHS: [usize; 7] = [4, 6, 8, 12, 16, 24, MIDDLE_DIGITS];

/// Shortens the addresses of one screen: `0xf39F…2266`, and where several have those ends,
/// `0xf39F…88F6…2266`, with the digits in which all of them differ.
#[derive(Debug, Clone, Default)]
pub struct Abbreviator(
    /// Those that would look the same as another, and how they are written instead.
    HashMap<Address, String>,
);

impl Abbreviator {
    /// For all addresses on the screen; it does not matter how often each is there.
    pub fn new(addresses: impl IntoIterator<Item = Address>) -> Self {
        let mut groups: HashMap<[u8; 4], Vec<Address>> = HashMap::new();
        for address in addresses {
            let [a, b, .., y, z] = address.0.0;
            groups.entry([a, b, y, z]).or_default().push(address);
        }
        let mut longer = HashMap::new();
        for mut group in groups.into_values() {
            group.sort_unstable();
            group.dedup();
            if group.len() > 1 {
                let shown = distinguishing_digits(&group);
                longer.extend(group.into_iter().map(|one| (one, abbreviate_with(&one, &shown))));
            }
        }
        Self(longer)
    }

    /// The address, checksummed. Of the addresses given to [`Abbreviator::new`], no two different ones
    /// are written alike, whatever the case of their letters; any other gets its ends alone.
    pub fn abbreviate(&self, address: &Address) -> Cow<'_, str> {
        self.0
            .get(address)
            .map_or_else(|| Cow::Owned(short_address(address)), |text| Cow::Borrowed(text.as_str()))
    }

    /// Columns of the longest, to make room for it.
    pub fn max_width(&self) -> usize {
        let ends_alone = "0x".len() + END_DIGITS + width("…") + END_DIGITS;
        self.0.values().map(|text| width(text)).fold(ends_alone, usize::max)
    }
}

/// The digits of the middle in which all of these differ: as few as possible, and as near to the
/// centre as possible, as one who imitates an address begins at its ends.
fn distinguishing_digits(group: &[Address]) -> Range<usize> {
    let middles: Vec<u128> = group.iter().map(middle_digits).collect();
    let mut seen = Vec::with_capacity(middles.len());
    for length in TRIED_LENGTHS {
        let last = MIDDLE_DIGITS - length;
        for step in 0..=last {
            // From the centre outwards, to the left and to the right by turns; all lengths are even.
            let (centre, aside) = (last / 2, step.div_ceil(2));
            let start = if step % 2 == 0 { centre + aside } else { centre.saturating_sub(aside) };
            let shown = start..start + length;
            if all_distinct(&middles, &shown, &mut seen) {
                // A gap of one digit is as wide as the digit.
                let from = if shown.start == 1 { 0 } else { shown.start };
                let to = if shown.end + 1 == MIDDLE_DIGITS { MIDDLE_DIGITS } else { shown.end };
                return from..to;
            }
        }
    }
    0..MIDDLE_DIGITS
}

/// The digits between the ends as a number: the first is its highest.
fn middle_digits(address: &Address) -> u128 {
    let [_, _, middle @ .., _, _] = address.0.0;
    u128::from_be_bytes(middle)
}

/// Whether no two are equal in these digits. `seen` is only room to work in.
fn all_distinct(middles: &[u128], shown: &Range<usize>, seen: &mut Vec<u128>) -> bool {
    seen.clear();
    // Shifting out what is to the left, then what is to the right, leaves a number as good as any.
    let (left, right) = (shown.start * 4, (MIDDLE_DIGITS - shown.len()) * 4);
    seen.extend(middles.iter().map(|middle| (middle << left) >> right));
    seen.sort_unstable();
    seen.windows(2).all(|pair| pair.first() != pair.last())
}

/// The ends, and these digits of the middle between them.
fn abbreviate_with(address: &Address, shown: &Range<usize>) -> String {
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

    fn shorts(addresses: &[&str]) -> Vec<String> {
        let short = Abbreviator::new(addresses.iter().map(|text| address(text)));
        addresses.iter().map(|text| short.abbreviate(&address(text)).into_owned()).collect()
    }

    #[test]
    fn the_ends_are_enough_for_most() {
        assert_eq!(shorts(&[ALICE, ALICE]), ["0xf39F…2266", "0xf39F…2266"]);
        assert_eq!(shorts(&[&format!("0x{:040x}", 0), ALICE]), ["0x0000…0000", "0xf39F…2266"]);
        let short = Abbreviator::new([]);
        assert_eq!(short.abbreviate(&address(ALICE)), "0xf39F…2266");
        assert_eq!(short.max_width(), 11);
    }

    #[test]
    fn those_with_the_same_ends_show_where_they_differ() {
        let made = "0xf39f111111111111111111111111111111112266";
        assert_eq!(shorts(&[ALICE, made]), ["0xf39F…ce6a…2266", "0xF39f…1111…2266"]);
        let near = "0xf39fd7e51aad88f6f4ce6ab8827279cfffb92266";
        assert_eq!(shorts(&[ALICE, near])[0], "0xf39Fd6e51…2266");
        let late = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb82266";
        assert_eq!(shorts(&[ALICE, late])[0], "0xf39F…fFb92266");
        // They differ in nothing that is near each other.
        assert_eq!(shorts(&[ALICE, near, late])[0], address(ALICE).to_string());

        let short = Abbreviator::new([address(ALICE), address(made)]);
        assert_eq!(short.max_width(), 16);
        assert_eq!(short.abbreviate(&address(near)), "0xF39f…2266", "it is not on the screen");
    }

    #[test]
    fn three_hundred_made_to_collide_stay_short() {
        let all: Vec<Address> = (0..300_u32)
            .map(|n| {
                let mut bytes = address(ALICE).0.0;
                bytes[8..12].copy_from_slice(&n.wrapping_mul(0x9e37_79b9).to_be_bytes());
                Address::from(bytes)
            })
            .collect();
        let short = Abbreviator::new(all.iter().copied());
        let shown: BTreeSet<String> =
            all.iter().map(|one| short.abbreviate(one).to_lowercase()).collect();
        assert_eq!(shown.len(), all.len());
        assert!(short.max_width() <= 18, "{}", short.max_width());
    }

    /// Addresses of which many differ in a few digits only.
    fn alike() -> impl Strategy<Value = Vec<Address>> {
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
        fn written_alike_only_if_they_are_the_same(addresses in alike()) {
            let short = Abbreviator::new(addresses.iter().copied());
            let written: Vec<String> =
                addresses.iter().map(|one| short.abbreviate(one).to_lowercase()).collect();
            for (a, short_a) in addresses.iter().zip(&written) {
                let full = format!("0x{:x}", a.0);
                let parts: Vec<&str> = short_a.split('…').collect();
                prop_assert!(full.starts_with(parts[0]) && full.ends_with(parts[parts.len() - 1]));
                prop_assert!(parts.iter().all(|part| full.contains(part)));
                prop_assert!((11..=short.max_width().min(42)).contains(&width(short_a)));
                for (b, short_b) in addresses.iter().zip(&written) {
                    prop_assert_eq!(a == b, short_a == short_b);
                }
            }
        }
    }
}
