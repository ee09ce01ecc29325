//! Facts from the code of an account: whether it is a contract, its implementation, and its name.

use std::sync::Arc;

use crate::abi::Artifact;
use crate::chain::{Address, B256, Bytes, U256};
use crate::store::{AccountRecord, DELEGATION, DeployedBuildRecord, ImplementationRecord};

/// The code of an EIP-1167 clone, before and after the address of its implementation.
const CLONE_PREFIX: [u8; 10] = alloy_primitives::hex!("363d3d373d3d3d363d73");
const CLONE_SUFFIX: [u8; 15] = alloy_primitives::hex!("5af43d82803e903d91602b57fd5bf3");
/// The code of an account that delegates (EIP-7702), before the address.
const DELEGATION_PREFIX: [u8; 3] = [0xef, 0x01, 0x00];

/// Part of the code of a Safe's proxy, which answers `masterCopy()` itself, and its maximum length.
const MASTER_COPY: [u8; 5] = alloy_primitives::hex!("7fa619486e");
const MAX_SAFE_PROXY_BYTES: usize = 512;

/// The slot of EIP-1967 with the address of a proxy's beacon.
const BEACON_SLOT: B256 =
    alloy_primitives::b256!("a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50");

const CLONE: &str = "eip1167";
const PROXY: &str = "eip1967";
const BEACON: &str = "eip1967_beacon";
const SAFE: &str = "master_copy";

#[derive(Debug)]
pub(super) struct AccountCode {
    pub(super) address: Address,
    /// The code, empty if there is none. `None` if the node does not say.
    pub(super) code: Option<Bytes>,
    /// The account whose code it runs, and how.
    proxied: Option<(&'static str, Address)>,
}

impl AccountCode {
    /// Reads an account from its code and its slot of EIP-1967.
    pub(super) fn new(address: Address, code: Option<Bytes>, slot: Option<U256>) -> Self {
        let account = Self { address, code, proxied: None };
        let slot = slot.filter(|slot| !slot.is_zero() && !account.bytes().is_empty());
        let proxied = slot.map(|slot| (PROXY, Address::from_word(slot.into())));
        Self { proxied: delegate(account.bytes()).or(proxied), ..account }
    }

    fn bytes(&self) -> &[u8] {
        self.code.as_ref().map_or(&[], |code| code)
    }

    /// Returns the slot that may have the address of a contract's implementation or beacon, if that is
    /// still unknown.
    pub(super) fn other_slot(&self) -> Option<B256> {
        let is_unknown = !self.bytes().is_empty() && self.proxied.is_none();
        is_unknown.then(|| if self.is_safe_proxy() { B256::ZERO } else { BEACON_SLOT })
    }

    /// Notes the content of [`other_slot`](Self::other_slot). Returns it if it is the address of a
    /// beacon, to be asked for the implementation.
    pub(super) fn set_other_slot(&mut self, slot: U256) -> Option<Address> {
        let found = Address::from_word(slot.into());
        let kind = if self.is_safe_proxy() { SAFE } else { BEACON };
        self.proxied = (!found.is_zero()).then_some((kind, found));
        self.proxied.filter(|(kind, _)| *kind == BEACON).map(|(_, beacon)| beacon)
    }

    /// Notes the implementation that the beacon returned. Without one, the account is no proxy.
    pub(super) fn set_implementation(&mut self, implementation: Option<Address>) {
        self.proxied =
            implementation.filter(|address| !address.is_zero()).map(|address| (BEACON, address));
    }

    fn is_safe_proxy(&self) -> bool {
        self.bytes().len() <= MAX_SAFE_PROXY_BYTES
            && self.bytes().windows(MASTER_COPY.len()).any(|bytes| bytes == MASTER_COPY)
    }

    /// Returns `true` for a proxy with its implementation in the slot of EIP-1967.
    pub(super) fn is_upgradable(&self) -> bool {
        self.proxied.is_some_and(|(kind, _)| kind == PROXY)
    }

    pub(super) fn implementation(&self) -> Option<Address> {
        self.proxied.map(|(_, address)| address)
    }

    /// Returns the account, named after the artifacts of addresses.
    pub(super) fn record<'a>(
        &self,
        artifact: impl Fn(Address) -> Option<&'a Arc<Artifact>>,
    ) -> AccountRecord {
        let behind = self.implementation().and_then(&artifact);
        let implementation = self.implementation().map(|address_hash| ImplementationRecord {
            address_hash,
            name: behind.map(|artifact| (*artifact.name).into()),
            build: DeployedBuildRecord::default(),
        });
        let is_clone = self.proxied.is_some_and(|(kind, _)| kind == CLONE);
        let artifact = if is_clone { behind } else { artifact(self.address) };
        AccountRecord {
            is_contract: self.code.as_ref().map(|code| !code.is_empty()),
            name: artifact.map(|artifact| (*artifact.name).into()),
            artifact: artifact.cloned(),
            proxy_type: self.proxied.map(|(kind, _)| kind.into()),
            implementations: implementation.into_iter().collect(),
            ..AccountRecord::new(self.address)
        }
    }
}

/// Returns the implementation of a clone or a delegating account.
fn delegate(code: &[u8]) -> Option<(&'static str, Address)> {
    let clone = code
        .strip_prefix(&CLONE_PREFIX)
        .and_then(|rest| rest.strip_suffix(&CLONE_SUFFIX))
        .map(|address| (CLONE, address));
    let delegation = code.strip_prefix(&DELEGATION_PREFIX).map(|address| (DELEGATION, address));
    let (kind, address) = clone.or(delegation)?;
    Some((kind, Address::try_from(address).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMPLEMENTATION: Address = Address::repeat_byte(7);

    fn account(code: &[u8], slot: u64) -> AccountCode {
        AccountCode::new(Address::ZERO, Some(code.to_vec().into()), Some(U256::from(slot)))
    }

    #[test]
    fn slot_of_an_account_without_code_is_no_proxy() {
        let behind = |code: &[u8], slot| account(code, slot).implementation();
        assert_eq!(behind(&[1], 7), Some(Address::with_last_byte(7)));
        assert_eq!((behind(&[], 7), behind(&[1], 0)), (None, None));
    }

    #[test]
    fn clone_leads_to_its_implementation() {
        let clone = [&CLONE_PREFIX[..], IMPLEMENTATION.as_slice(), &CLONE_SUFFIX].concat();
        let clone = account(&clone, 0);
        assert_eq!(clone.implementation(), Some(IMPLEMENTATION));
        assert_eq!(clone.record(|_| None).proxy_type.as_deref(), Some(CLONE));
    }

    #[test]
    fn empty_slots_and_beacons_lead_nowhere() {
        let mut plain = account(&[1], 0);
        assert_eq!(plain.other_slot(), Some(BEACON_SLOT));
        assert_eq!((plain.set_other_slot(U256::ZERO), plain.implementation()), (None, None));
        assert_eq!(plain.set_other_slot(U256::from(9)), Some(Address::with_last_byte(9)));
        plain.set_implementation(Some(Address::ZERO));
        assert_eq!(plain.implementation(), None);
        plain.set_implementation(Some(IMPLEMENTATION));
        assert_eq!(plain.implementation(), Some(IMPLEMENTATION));
    }

    #[test]
    fn only_short_code_is_the_proxy_of_a_safe() {
        let code = |length| [&MASTER_COPY[..], &vec![0; length - MASTER_COPY.len()]].concat();
        let mut safe = account(&code(MAX_SAFE_PROXY_BYTES), 0);
        assert_eq!(safe.other_slot(), Some(B256::ZERO));
        assert_eq!(safe.set_other_slot(U256::from(9)), None, "not a beacon");
        assert_eq!(safe.implementation(), Some(Address::with_last_byte(9)));
        let longer = account(&code(MAX_SAFE_PROXY_BYTES + 1), 0);
        assert_eq!(longer.other_slot(), Some(BEACON_SLOT));
        assert_eq!(account(&[1; 40], 0).other_slot(), Some(BEACON_SLOT), "other short code");
    }
}
