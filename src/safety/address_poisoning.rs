//! Detects address poisoning: addresses made to be mistaken for one that was used before.
//!
//! An attacker searches for a key whose address begins and ends like an address the victim has paid,
//! and puts it into the victim's history with a worthless transfer, where it waits to be copied. Each
//! digit that has to be equal makes the search sixteen times as long, so the middle stays different.
//! Wallets show three to six digits of each end, and users copy by those.
//!
//! On the corpus of `tests/suite/poisoning_corpus.rs` (82,944 histories, 26,352 of them with both
//! addresses on loaded pages) every imitation is marked, and no real address alone. Of unrelated
//! addresses, 4 of 200,000 are marked in histories of 1,000, and 10 of 100,000 in histories of 10,000.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::lookalike_digits::{ADDRESS_DIGITS, EndDigits, differing_digits, digits, end_digits};
use crate::chain::{Address, TxHash};
use crate::messages::safety::{GenuineAddress, LookalikeWarning};

/// Leading zeros that no search for a key reaches. Only the chain itself has such addresses: the zero
/// address and the precompiles.
const RESERVED_LEADING_ZEROS: usize = 24;
/// Maximum seen addresses kept with the same ends. Logs can name any number of them without a search
/// for keys.
const MAX_SEEN_ALIKE: usize = 64;

/// Evidence that an address is the genuine one, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It is in a row or a log. Any contract can log a transfer from and to any address.
    Seen,
    /// The viewed address has signed a call of it, or calldata that names it as a recipient, in this
    /// transaction. A contract of the attacker takes any calldata, and can be at any address: a
    /// signature obtained for one decides nothing.
    NamedIn(TxHash),
    /// The viewed address has paid coin to it in this transaction.
    PaidIn(TxHash),
    /// It is the viewed address.
    Viewed,
    /// The user has named it, or watches it.
    Labelled,
}

impl Evidence {
    fn rank(self) -> u8 {
        match self {
            Self::Seen => 0,
            Self::NamedIn(_) => 1,
            Self::PaidIn(_) => 2,
            Self::Viewed => 3,
            Self::Labelled => 4,
        }
    }

    /// Returns the rank of the evidence. `Seen` and `NamedIn` are equal.
    fn strength(self) -> u8 {
        self.rank().saturating_sub(1)
    }
}

/// Addresses that others may imitate, each with its strongest evidence.
#[derive(Debug, Clone, Default)]
pub struct KnownAddresses {
    /// By the three digits at each end, which a look-alike shares. Each visible row is looked up in
    /// each frame, against thousands of addresses.
    by_ends: BTreeMap<(EndDigits, Address), Evidence>,
    viewed: Option<Address>,
}

impl KnownAddresses {
    pub fn new(viewed: Option<Address>) -> Self {
        let by_ends = viewed.map(|address| (by_ends(&address), Evidence::Viewed));
        Self { by_ends: by_ends.into_iter().collect(), viewed }
    }

    pub fn viewed_address(&self) -> Option<Address> {
        self.viewed
    }

    /// Adds evidence for an address, unless there is stronger evidence already. Returns `true` if it is
    /// new.
    pub fn add(&mut self, address: Address, evidence: Evidence) -> bool {
        let is_known = match self.by_ends.get(&by_ends(&address)) {
            Some(before) => before.rank() >= evidence.rank(),
            None => {
                evidence == Evidence::Seen
                    && self.alike(end_digits(&address)).count() >= MAX_SEEN_ALIKE
            }
        };
        if !is_known {
            self.by_ends.insert(by_ends(&address), evidence);
        }
        !is_known
    }

    pub fn remove(&mut self, address: &Address) {
        self.by_ends.remove(&by_ends(address));
    }

    /// Returns the address that `address` could be mistaken for: the best known one, and among equals
    /// the most similar. `labelled` are the user's own.
    ///
    /// Of two addresses that look alike, the less well known is the imitation. If both are known
    /// equally well, either can be: the order of rows decides nothing, because the page with the first
    /// real payment may not be loaded.
    pub fn find_lookalike(&self, address: &Address, labelled: &Self) -> Option<Similarity> {
        let key = by_ends(address);
        let mut alike = self.alike(key.0).chain(labelled.alike(key.0));
        let zeros = || digits(address).take_while(|digit| *digit == 0).count();
        // Nearly always the address has its ends alone.
        if !alike.any(|(known, _)| known != address) || zeros() >= RESERVED_LEADING_ZEROS {
            return None;
        }
        let seen = [labelled, self].into_iter().filter_map(|all| all.by_ends.get(&key));
        let own = seen.map(|evidence| evidence.strength()).max().unwrap_or(0);
        if own == Evidence::Labelled.strength() {
            return None;
        }
        let others = self.alike(key.0).chain(labelled.alike(key.0));
        others
            .filter(|(known, evidence)| *known != address && evidence.strength() >= own)
            .filter_map(|(known, evidence)| {
                let differing_digits = differing_digits(known, address)?;
                let is_mutual = evidence.strength() == own;
                Some(Similarity { known: *known, evidence, is_mutual, differing_digits })
            })
            .max_by_key(|found| {
                let differing = found.differing_digits.clone().count();
                (found.evidence.rank(), ADDRESS_DIGITS - differing)
            })
    }

    /// Returns the known addresses with these ends.
    fn alike(&self, ends: EndDigits) -> impl Iterator<Item = (&Address, Evidence)> {
        let from_first = self.by_ends.range((ends, Address::ZERO)..);
        let with_ends = from_first.take_while(move |((other, _), _)| *other == ends);
        with_ends.map(|((_, known), evidence)| (known, *evidence))
    }
}

fn by_ends(address: &Address) -> (EndDigits, Address) {
    (end_digits(address), *address)
}

/// An address that another one could be mistaken for, with the digits in which they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similarity {
    pub known: Address,
    pub evidence: Evidence,
    /// `true` if both addresses are known equally well: either can be the imitation.
    pub is_mutual: bool,
    /// The first and the last differing digit, counted from one over the forty digits after `0x`.
    pub differing_digits: RangeInclusive<usize>,
}

impl Similarity {
    /// Describes the difference and the known address, to follow “This address …”.
    pub fn describe(&self) -> String {
        let address = &self.known.to_string();
        let transaction = &match self.evidence {
            Evidence::NamedIn(hash) | Evidence::PaidIn(hash) => hash.to_string(),
            Evidence::Seen | Evidence::Viewed | Evidence::Labelled => String::new(),
        };
        let genuine = match self.evidence {
            Evidence::Seen => GenuineAddress::Seen { address },
            Evidence::NamedIn(_) => GenuineAddress::NamedIn { address, transaction },
            Evidence::PaidIn(_) => GenuineAddress::PaidIn { address, transaction },
            Evidence::Viewed => GenuineAddress::Viewed,
            Evidence::Labelled => GenuineAddress::Labelled { address },
        };
        let (digits, is_mutual) = (&self.differing_digits, self.is_mutual);
        LookalikeWarning { digits, genuine, is_mutual }.to_string()
    }

    /// Returns three lines to compare by eye: the known address, `address`, and `^` under each digit
    /// that differs. The case of a letter is its checksum, not a difference.
    pub fn comparison(&self, address: &Address) -> [String; 3] {
        let marks = digits(&self.known)
            .zip(digits(address))
            .map(|(known, digit)| if known == digit { ' ' } else { '^' });
        let marks: String = "  ".chars().chain(marks).collect();
        [self.known.to_string(), address.to_string(), marks.trim_end().to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::safety::lookalike_digits::MIN_EQUAL_DIGITS;

    const ALICE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    const PAID: TxHash = TxHash::repeat_byte(0x11);

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn paid(text: &str) -> KnownAddresses {
        let mut known = KnownAddresses::new(Some(Address::repeat_byte(0x77)));
        known.add(address(text), Evidence::PaidIn(PAID));
        known
    }

    /// Finds the look-alike of an address without labels.
    fn find(known: &KnownAddresses, address: &Address) -> Option<Similarity> {
        known.find_lookalike(address, &KnownAddresses::default())
    }

    /// Returns an address that shares exactly `first` and `last` digits with `like`.
    fn lookalike_of(like: &Address, first: usize, last: usize, filling: u8) -> Address {
        let mut made: Vec<u8> = digits(like).collect();
        let end = ADDRESS_DIGITS - last;
        for digit in &mut made[first..end] {
            *digit ^= filling & 0xf;
        }
        made[first] = digits(like).nth(first).unwrap() ^ 1;
        made[end - 1] = digits(like).nth(end - 1).unwrap() ^ 1;
        Address::from_slice(&made.chunks(2).map(|two| two[0] << 4 | two[1]).collect::<Vec<u8>>())
    }

    #[test]
    fn addresses_that_a_chain_reserves_imitate_none() {
        let with_zeros = |zeros: usize, last: char| {
            let rest: String = (zeros..ADDRESS_DIGITS - 5).map(|_| last).collect();
            format!("0x{}{rest}98765", "0".repeat(zeros))
        };
        for (zeros, is_reserved) in [(23, false), (24, true), (25, true)] {
            let known = paid(&with_zeros(zeros, '1'));
            let found = find(&known, &address(&with_zeros(zeros, '2')));
            assert_eq!(found.is_none(), is_reserved, "{zeros} zeros");
        }
    }

    #[test]
    fn lookalikes_share_three_digits_per_end_and_seven_in_all() {
        let alice = address(ALICE);
        for (first, last, alike) in [
            (3, 3, false),
            (3, 4, true),
            (4, 3, true),
            (2, 8, false),
            (8, 2, false),
            (0, 12, false),
            (4, 4, true),
            (20, 19, true),
        ] {
            let found = find(&paid(ALICE), &lookalike_of(&alice, first, last, 0xa));
            let expected = alike.then_some(Similarity {
                known: alice,
                evidence: Evidence::PaidIn(PAID),
                is_mutual: false,
                differing_digits: first + 1..=ADDRESS_DIGITS - last,
            });
            assert_eq!(found, expected, "{first} and {last}");
        }
    }

    #[test]
    fn address_known_less_well_is_the_lookalike() {
        let alice = address(ALICE);
        let made = lookalike_of(&alice, 4, 4, 0xa);
        let levels = [
            Evidence::Seen,
            Evidence::NamedIn(PAID),
            Evidence::PaidIn(PAID),
            Evidence::Viewed,
            Evidence::Labelled,
        ];
        for (of_alice, of_made) in levels.into_iter().flat_map(|a| levels.map(|b| (a, b))) {
            let mut known = KnownAddresses::default();
            assert!(known.add(made, of_made) && known.add(alice, of_alice));
            assert!(!known.add(alice, Evidence::Seen), "no more is known of it");
            let found = |address| find(&known, address).map(|found| (found.known, found.is_mutual));
            let (alice_level, made_level) = (of_alice.strength(), of_made.strength());
            let is_labelled = |evidence| evidence == Evidence::Labelled;
            let is_mutual = alice_level == made_level;
            let expected = |is_marked: bool, known| is_marked.then_some((known, is_mutual));
            let marks_alice = made_level >= alice_level && !is_labelled(of_alice);
            let marks_made = alice_level >= made_level && !is_labelled(of_made);
            assert_eq!(found(&alice), expected(marks_alice, made), "{of_alice:?} {of_made:?}");
            assert_eq!(found(&made), expected(marks_made, alice), "{of_alice:?} {of_made:?}");
        }
        assert_eq!(find(&KnownAddresses::default(), &alice), None);
    }

    #[test]
    fn labels_outweigh_what_the_page_knows() {
        let alice = address(ALICE);
        let made = lookalike_of(&alice, 4, 4, 0xa);
        let mut labelled = KnownAddresses::default();
        labelled.add(alice, Evidence::Labelled);
        let mut known = KnownAddresses::new(Some(made));
        known.add(alice, Evidence::Seen);
        let found = known.find_lookalike(&made, &labelled).unwrap();
        assert_eq!((found.known, found.evidence), (alice, Evidence::Labelled));
        assert!(found.describe().contains("cffFb92266, which you labelled or watch; "));
        assert_eq!(known.find_lookalike(&alice, &labelled), None);
    }

    #[test]
    fn best_known_and_most_similar_address_is_reported() {
        let alice = address(ALICE);
        let made = lookalike_of(&alice, 4, 4, 0xa);
        let mut known = KnownAddresses::new(Some(alice));
        let nearer = lookalike_of(&made, 6, 6, 0x5);
        known.add(nearer, Evidence::PaidIn(PAID));
        assert_eq!(find(&known, &made).unwrap().known, alice);

        known = paid(ALICE);
        known.add(nearer, Evidence::PaidIn(PAID));
        assert!(!known.add(nearer, Evidence::PaidIn(TxHash::repeat_byte(0x22))));
        let found = find(&known, &made).unwrap();
        assert_eq!(
            (found.known, found.evidence, found.differing_digits),
            (nearer, Evidence::PaidIn(PAID), 7..=34)
        );
    }

    #[test]
    fn flood_of_imitations_is_bounded() {
        let alice = address(ALICE);
        let mut known = KnownAddresses::default();
        let flood = (0..=u8::MAX).map(|n| {
            let mut made = alice;
            made.0.0[9] ^= n;
            made
        });
        let kept = flood.filter(|made| known.add(*made, Evidence::Seen)).count();
        assert_eq!(kept, MAX_SEEN_ALIKE);
        let unseen = lookalike_of(&alice, 5, 5, 0xa);
        assert!(!known.add(unseen, Evidence::Seen));
        assert!(find(&known, &unseen).unwrap().is_mutual, "marked all the same");
        assert!(known.add(unseen, Evidence::PaidIn(PAID)));
        assert_eq!(find(&known, &unseen), None);
    }

    #[test]
    fn runs_of_zeros_are_not_lookalikes() {
        let of_the_chain = [
            "0x0000000000000000000000000000000000000000",
            "0x0000000000000000000000000000000000000001",
            "0x00000000000000000000000000000000000000ff",
            "0x0000000000000000000000000000000000000100",
            "0x0000000000000000000000000000000000001000",
            "0x0000000000000000000000000000000000010001",
            "0x0000000000000000000000000000000000001001",
            "0x000000000000000000000000000000000000dead",
        ];
        for known in of_the_chain {
            for other in of_the_chain {
                assert_eq!(find(&paid(known), &address(other)), None, "{known} {other}");
            }
        }
        // Two vanity contracts with leading zeros, and three equal digits by chance.
        let vain = "0x00000000000000adc04c56bf30ac9d3c0aaf14dc";
        let chance = "0x00000000000001ad428e4906ae43d8f9852d04dc";
        assert_eq!(find(&paid(vain), &address(chance)), None);
        let padded = "0x00000000219ab540356cbb839cbe05303d770000";
        assert_eq!(
            find(&paid(padded), &address("0x00000123456789012345678901234567890b0000")),
            None
        );
        // An actual imitation of a vanity contract is still found.
        let made = "0x0000ab0000000123456789012345678901aa14dc";
        assert!(find(&paid(vain), &address(made)).is_some());
    }

    #[test]
    fn description_names_place_and_transaction() {
        let alice = address(ALICE);
        let made = lookalike_of(&alice, 6, 5, 0xa);
        assert_eq!(
            find(&paid(ALICE), &made).unwrap().describe(),
            "differs at characters 7–35 from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, which you \
             paid in 0x1111111111111111111111111111111111111111111111111111111111111111"
        );
        let one = lookalike_of(&alice, 20, 19, 0xa);
        assert_eq!(
            find(&KnownAddresses::new(Some(alice)), &one).unwrap().describe(),
            "differs at character 21 from the address of this page"
        );
        let mut known = KnownAddresses::default();
        known.add(alice, Evidence::Seen);
        assert_eq!(
            find(&known, &made).unwrap().describe(),
            "differs at characters 7–35 from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: one of the \
             two is an imitation; label the one you know"
        );
        assert!(known.add(alice, Evidence::NamedIn(PAID)));
        assert_eq!(
            find(&known, &made).unwrap().describe(),
            "differs at characters 7–35 from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, which \
             your calldata in 0x1111111111111111111111111111111111111111111111111111111111111111 names: one of the \
             two is an imitation; label the one you know"
        );
    }

    #[test]
    fn comparison_marks_differing_digits() {
        let mut made = address(ALICE);
        made.0.0[5] ^= 0x01;
        made.0.0[15] ^= 0xf0;
        let lines = find(&paid(ALICE), &made).unwrap().comparison(&made);
        assert_eq!(
            lines.each_ref().map(|line| line.to_lowercase()),
            [
                "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "0xf39fd6e51aac88f6f4ce6ab88272793fffb92266",
                "             ^                  ^",
            ]
        );
        assert_eq!(lines[0], address(ALICE).to_string(), "checksummed");
    }

    /// Marsaglia's xorshift, for the same addresses in each run.
    struct Random(u64);

    impl Random {
        fn address(&mut self) -> Address {
            let mut bytes = [0; 20];
            for byte in &mut bytes {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                *byte = self.0.to_be_bytes()[0];
            }
            Address::from(bytes)
        }
    }

    #[test]
    fn random_addresses_are_not_lookalikes() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut known = KnownAddresses::new(Some(random.address()));
        for _ in 0..100 {
            known.add(random.address(), Evidence::PaidIn(PAID));
        }
        for _ in 0..100_000 {
            assert_eq!(find(&known, &random.address()), None);
        }
    }

    proptest! {
        #[test]
        fn every_lookalike_is_found(
            victims in prop::collection::vec(any::<[u8; 20]>(), 1..50),
            which in any::<prop::sample::Index>(),
            (first, last) in (3_usize..=20, 3_usize..=19),
            filling in any::<u8>(),
        ) {
            prop_assume!(first + last >= MIN_EQUAL_DIGITS);
            let victim = Address::from(victims[which.index(victims.len())]);
            let made = lookalike_of(&victim, first, last, filling);
            prop_assume!(digits(&made).take(first).any(|digit| digit != 0));
            prop_assume!(digits(&made).rev().take(last).any(|digit| digit != 0));

            let mut known = KnownAddresses::default();
            for address in victims {
                known.add(Address::from(address), Evidence::PaidIn(PAID));
            }
            let found = find(&known, &made);
            prop_assert!(found.is_some());
            let found = found.unwrap();
            prop_assert!(found.known == victim || *found.differing_digits.start() >= first);
            let [above, below, marks] = found.comparison(&made);
            for ((a, b), mark) in above.chars().zip(below.chars()).zip(marks.chars()) {
                prop_assert_eq!(!a.eq_ignore_ascii_case(&b), mark == '^');
            }
        }
    }
}
