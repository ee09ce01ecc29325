//! Addresses with their checksums.

use std::cell::RefCell;

use alloy_primitives::AddressChecksumBuffer;

use super::Address;

/// Checksums that a thread keeps.
const MAX_KEPT: usize = 1 << 12;

thread_local! {
    static RECENT: RefCell<RecentChecksums> = const { RefCell::new(RecentChecksums(Vec::new())) };
}

/// Returns the text of an address with its checksum. Those written last are kept: each costs a hash, and most
/// addresses of a trace are in many of its calls.
pub fn checksummed(address: &Address) -> AddressChecksumBuffer {
    let hash = |address: &Address| address.to_checksum_buffer(None);
    RECENT.with_borrow_mut(|recent| recent.get(address, hash))
}

/// Checksums by some bits of their addresses. An address takes the place of another with the same.
#[derive(Default)]
struct RecentChecksums(Vec<Option<(Address, AddressChecksumBuffer)>>);

impl RecentChecksums {
    fn get(
        &mut self,
        address: &Address,
        hash: impl FnOnce(&Address) -> AddressChecksumBuffer,
    ) -> AddressChecksumBuffer {
        self.0.resize(MAX_KEPT, None);
        let Some(place) = self.0.get_mut(place(address)) else { return hash(address) };
        match place {
            Some((known, text)) if known == address => text.clone(),
            _ => place.insert((*address, hash(address))).1.clone(),
        }
    }
}

fn place(address: &Address) -> usize {
    let [.., a, b, c, d] = address.0.0;
    usize::from(u16::from_be_bytes([a ^ c, b ^ d])) % MAX_KEPT
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn checksum_is_hashed_once_while_it_is_kept() {
        let mut recent = RecentChecksums::default();
        let hashed = Cell::new(0);
        let mut text = |address: Address| {
            let hash = |address: &Address| {
                hashed.set(hashed.get() + 1);
                address.to_checksum_buffer(None)
            };
            assert_eq!(recent.get(&address, hash).as_str(), address.to_checksum(None));
            hashed.get()
        };
        let [one, other] = [Address::repeat_byte(0xab), Address::with_last_byte(0xcd)];
        let in_its_place = Address::repeat_byte(0xcd);
        assert_eq!([one, one, other, one, other].map(&mut text), [1, 1, 2, 2, 2]);
        assert_eq!(place(&in_its_place), place(&one));
        assert_eq!([in_its_place, one, other].map(&mut text), [3, 4, 4]);
        assert_eq!(checksummed(&one).as_str(), one.to_checksum(None));
    }
}
