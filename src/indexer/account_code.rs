//! What the code of an account tells: whether it is a contract, whose code it runs, and its name.

use std::sync::Arc;

use crate::abi::Artifact;
use crate::chain::{Address, Bytes, U256};
use crate::store::{AccountRecord, ImplementationRecord};

/// The code of an EIP-1167 clone, before and after the address of its implementation.
const CLONE_PREFIX: [u8; 10] = alloy_primitives::hex!("363d3d373d3d3d363d73");
const CLONE_SUFFIX: [u8; 15] = alloy_primitives::hex!("5af43d82803e903d91602b57fd5bf3");
/// The code of an account that delegates (EIP-7702), before the address.
const DELEGATION_PREFIX: [u8; 3] = [0xef, 0x01, 0x00];

const CLONE: &str = "eip1167";

#[derive(Debug)]
pub(super) struct AccountCode {
    pub(super) address: Address,
    pub(super) code: Bytes,
    /// The account whose code it runs, and how.
    proxied: Option<(&'static str, Address)>,
}

impl AccountCode {
    /// Reads an account from its code and its slot of EIP-1967.
    pub(super) fn new(address: Address, code: Bytes, slot: Option<U256>) -> Self {
        let slot = slot.filter(|slot| !slot.is_zero() && !code.is_empty());
        let proxied = slot.map(|slot| ("eip1967", Address::from_word(slot.into())));
        Self { address, proxied: delegate(&code).or(proxied), code }
    }

    pub(super) fn implementation(&self) -> Option<Address> {
        self.proxied.map(|(_, address)| address)
    }

    /// Returns the code, if it is that of a contract which is no clone.
    pub(super) fn own_code(&self) -> Option<&[u8]> {
        let is_own = !self.code.is_empty() && delegate(&self.code).is_none();
        is_own.then_some(&*self.code)
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
        });
        let is_clone = self.proxied.is_some_and(|(kind, _)| kind == CLONE);
        let artifact = if is_clone { behind } else { artifact(self.address) };
        AccountRecord {
            is_contract: !self.code.is_empty(),
            name: artifact.map(|artifact| (*artifact.name).into()),
            is_verified: Some(false),
            artifact: artifact.cloned(),
            proxy_type: self.proxied.map(|(kind, _)| kind.into()),
            implementations: implementation.into_iter().collect(),
            ..AccountRecord::new(self.address)
        }
    }
}

/// Returns what runs in place of a clone's or a delegating account's code.
fn delegate(code: &[u8]) -> Option<(&'static str, Address)> {
    let clone = code.strip_prefix(&CLONE_PREFIX).and_then(|rest| rest.strip_suffix(&CLONE_SUFFIX));
    let clone = clone.map(|address| (CLONE, address));
    let delegation = code.strip_prefix(&DELEGATION_PREFIX).map(|address| ("eip7702", address));
    let (kind, address) = clone.or(delegation)?;
    Some((kind, Address::try_from(address).ok()?))
}
