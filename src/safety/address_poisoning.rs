//! Detects address poisoning: addresses made to be mistaken for one that was used before.
//!
//! An attacker searches for a key whose address begins and ends like an address the victim has sent
//! to, and puts it into the victim's history with a worthless transfer, where it waits to be copied.
//! Each digit that has to be equal makes the search sixteen times as long, so the middle stays
//! different. Wallets show three to six digits of each end, and users copy by those.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::chain::{Address, TxHash};

const ADDRESS_DIGITS: usize = 40;
/// Minimum equal digits at each end: no wallet shows fewer.
const MIN_EQUAL_DIGITS_PER_END: usize = 3;
/// Minimum equal digits in all. With seven, one of 140 million pairs of random addresses is alike;
/// with six it would be one of 17 million, too many for long histories.
const MIN_EQUAL_DIGITS: usize = 7;
/// Leading zeros that no search for a key reaches. Only the chain itself has such addresses: the
/// zero address and the precompiles.
const RESERVED_LEADING_ZEROS: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutgoingTransfer {
    pub to: Address,
    pub transaction: TxHash,
    pub block: Option<u64>,
    /// Whether the viewed address has signed the transaction. A token contract can log any
    /// transfer, also one from the victim to the poison.
    pub signed: bool,
}

/// Addresses that others may imitate: the viewed address and those it has sent to.
#[derive(Debug, Clone, Default)]
pub struct KnownAddresses {
    /// By the three digits at each end, which a look-alike shares. Each visible row is looked up in
    /// each frame, against thousands of addresses.
    by_ends: HashMap<[u8; 4], Vec<KnownAddress>>,
    viewed: Option<Address>,
}

#[derive(Debug, Clone, Copy)]
struct KnownAddress {
    address: Address,
    /// The transfer to the address, or `None` if it is the viewed address.
    sent: Option<OutgoingTransfer>,
}

impl KnownAddresses {
    pub fn viewed(address: Address) -> Self {
        let known = KnownAddress { address, sent: None };
        let by_ends = HashMap::from([(end_digits(&address), vec![known])]);
        Self { by_ends, viewed: Some(address) }
    }

    pub fn viewed_address(&self) -> Option<Address> {
        self.viewed
    }

    /// Adds a transfer. Of several to one address a signed one is kept, else the earliest.
    pub fn add(&mut self, transfer: OutgoingTransfer) {
        let alike = self.by_ends.entry(end_digits(&transfer.to)).or_default();
        match alike.iter_mut().find(|known| known.address == transfer.to) {
            None => alike.push(KnownAddress { address: transfer.to, sent: Some(transfer) }),
            Some(KnownAddress { sent: Some(before), .. })
                if !before.signed && (transfer.signed || is_earlier(&transfer, before)) =>
            {
                *before = transfer;
            }
            Some(_) => {}
        }
    }

    /// Returns the known address that this one could be mistaken for, the most similar if there are
    /// several.
    ///
    /// The first and the last three digits must be equal, and seven in all. A run of zeros at an end
    /// counts as three, however long it is: contracts with such addresses are common, and the zero
    /// address and the precompiles consist of zeros.
    ///
    /// Of two known addresses that look alike, the later is the poison: it was made after the other
    /// was used. An address is never poison if the viewed address has signed a transaction to it.
    pub fn find_lookalike(&self, address: &Address) -> Option<Similarity> {
        let alike = self.by_ends.get(&end_digits(address))?;
        let own = match alike.iter().find(|known| known.address == *address) {
            Some(KnownAddress { sent: None, .. }) => return None,
            Some(KnownAddress { sent: Some(own), .. }) if own.signed => return None,
            own => own.and_then(|known| known.sent),
        };
        let zeros = digits(address).take_while(|digit| *digit == 0).count();
        if zeros >= RESERVED_LEADING_ZEROS {
            return None;
        }
        let is_older = |known: &KnownAddress| match (&known.sent, &own) {
            (Some(known), Some(own)) => known.signed || is_earlier(known, own),
            _ => true,
        };
        let older = alike.iter().rev().filter(|known| known.address != *address && is_older(known));
        // `max_by_key` returns the last of equal ones: the address that was known first.
        older
            .filter_map(|known| known.similarity(address))
            .max_by_key(|found| ADDRESS_DIGITS - found.differing_digits.clone().count())
    }
}

impl KnownAddress {
    fn similarity(&self, address: &Address) -> Option<Similarity> {
        let (first, last) = count_equal_ends(&self.address, address);
        let equal = significance(digits(address).take(first))
            + significance(digits(address).rev().take(last));
        (equal >= MIN_EQUAL_DIGITS).then(|| Similarity {
            known: self.address,
            sent_in: self.sent.map(|sent| sent.transaction),
            differing_digits: first + 1..=ADDRESS_DIGITS - last,
        })
    }
}

fn is_earlier(one: &OutgoingTransfer, other: &OutgoingTransfer) -> bool {
    one.block.unwrap_or(u64::MAX) < other.block.unwrap_or(u64::MAX)
}

/// The address that another one could be mistaken for, and where the two differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similarity {
    pub known: Address,
    /// The transaction in which the viewed address has sent to `known`, or `None` if `known` is the
    /// viewed address.
    pub sent_in: Option<TxHash>,
    /// The first and the last differing digit, counted from one over the forty digits after `0x`.
    pub differing_digits: RangeInclusive<usize>,
}

impl Similarity {
    /// Describes the difference and the known address, to follow “This address …”.
    pub fn describe(&self) -> String {
        let first = self.differing_digits.start();
        let last = self.differing_digits.end();
        let place = if first == last {
            format!("character {first}")
        } else {
            format!("characters {first}–{last}")
        };
        match self.sent_in {
            None => format!("differs at {place} from the address you look at"),
            Some(hash) => {
                format!("differs at {place} from {}, which you sent to in {hash}", self.known)
            }
        }
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

fn digits(address: &Address) -> impl DoubleEndedIterator<Item = u8> {
    address.0.0.into_iter().flat_map(|byte| [byte >> 4, byte & 0xf])
}

/// Returns the first three digits and the last three.
fn end_digits(address: &Address) -> [u8; 4] {
    let [first, second, .., before, last] = address.0.0;
    [first, second & 0xf0, before & 0x0f, last]
}

fn count_equal_ends(a: &Address, b: &Address) -> (usize, usize) {
    let first = digits(a).zip(digits(b)).take_while(|(a, b)| a == b).count();
    let last = digits(a).rev().zip(digits(b).rev()).take_while(|(a, b)| a == b).count();
    (first, last)
}

/// Returns what a run of equal digits counts: its length, but at most three if it is all zeros.
fn significance(run: impl Iterator<Item = u8>) -> usize {
    let (length, zeros) =
        run.fold((0, 0), |(length, zeros), digit| (length + 1, zeros + usize::from(digit == 0)));
    if length == zeros { MIN_EQUAL_DIGITS_PER_END.min(length) } else { length }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALICE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    const SENT: TxHash = TxHash::repeat_byte(0x11);

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn signed(to: Address) -> OutgoingTransfer {
        OutgoingTransfer { to, transaction: SENT, block: Some(7), signed: true }
    }

    /// A token transfer that was only logged as sent by the viewed address.
    fn logged(to: Address, block: u64) -> OutgoingTransfer {
        OutgoingTransfer { to, transaction: SENT, block: Some(block), signed: false }
    }

    fn sent_to(text: &str) -> KnownAddresses {
        let mut known = KnownAddresses::viewed(Address::repeat_byte(0x77));
        known.add(signed(address(text)));
        known
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
            let found = sent_to(ALICE).find_lookalike(&lookalike_of(&alice, first, last, 0xa));
            let expected = alike.then_some(Similarity {
                known: alice,
                sent_in: Some(SENT),
                differing_digits: first + 1..=ADDRESS_DIGITS - last,
            });
            assert_eq!(found, expected, "{first} and {last}");
        }
    }

    #[test]
    fn addresses_signed_to_are_never_lookalikes() {
        let mut known = sent_to(ALICE);
        let signed_later = lookalike_of(&address(ALICE), 4, 4, 0xa);
        assert!(known.find_lookalike(&signed_later).is_some());
        known.add(signed(signed_later));
        assert_eq!(known.find_lookalike(&signed_later), None);
        assert_eq!(known.find_lookalike(&address(ALICE)), None);
        assert_eq!(KnownAddresses::default().find_lookalike(&address(ALICE)), None);
    }

    #[test]
    fn first_transaction_and_most_similar_address_are_reported() {
        let alice = address(ALICE);
        let mut known = KnownAddresses::viewed(alice);
        known.add(signed(alice));
        let made = lookalike_of(&alice, 4, 4, 0xa);
        assert_eq!(known.find_lookalike(&made).unwrap().sent_in, None);

        let nearer = lookalike_of(&made, 6, 6, 0x5);
        known.add(signed(nearer));
        known.add(OutgoingTransfer { transaction: TxHash::repeat_byte(0x22), ..signed(nearer) });
        let found = known.find_lookalike(&made).unwrap();
        assert_eq!(
            (found.known, found.sent_in, found.differing_digits),
            (nearer, Some(SENT), 7..=34)
        );
    }

    #[test]
    fn later_of_two_recipients_is_the_lookalike() {
        let alice = address(ALICE);
        let made = lookalike_of(&alice, 4, 4, 0xa);
        for order in [[logged(alice, 5), logged(made, 9)], [logged(made, 9), logged(alice, 5)]] {
            let mut known = KnownAddresses::viewed(Address::repeat_byte(0x77));
            for sent in order {
                known.add(sent);
            }
            assert_eq!(known.find_lookalike(&alice), None);
            assert_eq!(known.find_lookalike(&made).unwrap().known, alice);
        }
        let mut known = KnownAddresses::viewed(Address::repeat_byte(0x77));
        known.add(logged(made, 3)); // older, but not signed
        known.add(signed(alice));
        assert_eq!(known.find_lookalike(&alice), None);
        assert_eq!(known.find_lookalike(&made).unwrap().known, alice);
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
                assert_eq!(sent_to(known).find_lookalike(&address(other)), None, "{known} {other}");
            }
        }
        // Two vanity contracts with leading zeros, and three equal digits by chance.
        let vain = "0x00000000000000adc04c56bf30ac9d3c0aaf14dc";
        let chance = "0x00000000000001ad428e4906ae43d8f9852d04dc";
        assert_eq!(sent_to(vain).find_lookalike(&address(chance)), None);
        let padded = "0x00000000219ab540356cbb839cbe05303d770000";
        assert_eq!(
            sent_to(padded).find_lookalike(&address("0x00000123456789012345678901234567890b0000")),
            None
        );
        // An actual imitation of one is still found.
        let made = "0x0000ab0000000123456789012345678901aa14dc";
        assert!(sent_to(vain).find_lookalike(&address(made)).is_some());
    }

    #[test]
    fn description_names_place_and_transaction() {
        let alice = address(ALICE);
        let made = lookalike_of(&alice, 6, 5, 0xa);
        assert_eq!(
            sent_to(ALICE).find_lookalike(&made).unwrap().describe(),
            "differs at characters 7–35 from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, which you \
             sent to in 0x1111111111111111111111111111111111111111111111111111111111111111"
        );
        let one = lookalike_of(&alice, 20, 19, 0xa);
        assert_eq!(
            KnownAddresses::viewed(alice).find_lookalike(&one).unwrap().describe(),
            "differs at character 21 from the address you look at"
        );
    }

    #[test]
    fn comparison_marks_differing_digits() {
        let mut made = address(ALICE);
        made.0.0[5] ^= 0x01;
        made.0.0[15] ^= 0xf0;
        let lines = sent_to(ALICE).find_lookalike(&made).unwrap().comparison(&made);
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
        let mut known = KnownAddresses::viewed(random.address());
        for _ in 0..100 {
            known.add(signed(random.address()));
        }
        for _ in 0..100_000 {
            assert_eq!(known.find_lookalike(&random.address()), None);
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
                known.add(signed(Address::from(address)));
            }
            let found = known.find_lookalike(&made);
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
