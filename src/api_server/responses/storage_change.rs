//! Changes of storage slots, which explorers do not report.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, U256};
use serde::Serialize;

use super::{AddressResponse, address};
use crate::abi::{
    ChangedStorage, ChangedVariable, IMPLEMENTATION_SLOT, PROXY_SLOTS, StorageShift,
    known_slot_name, proxy_address, upgraded_code,
};
use crate::api_server::request::RequestContext;
use crate::store::{
    AccountRecord, Snapshot, StorageChanges, StoreResult, TransactionPosition, TransactionRecord,
};

/// Maximum accounts of a variable whose names are sent.
const MAX_ACCOUNTS: usize = 8;

/// A changed variable of a contract, or a changed slot without a known variable.
#[derive(Debug)]
pub(crate) struct ChangedSlot {
    address: Address,
    slot: U256,
    shift: StorageShift,
    variable: Option<ChangedVariable>,
    /// `true` if the compiler did not write the layout of a contract of the project.
    lacks_layout: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct StorageChangeResponse<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    address: AddressResponse<'a>,
    slot: B256,
    variable: Option<&'a str>,
    variable_type: Option<&'a str>,
    stored_before: Option<&'a str>,
    stored_after: Option<&'a str>,
    word_before: B256,
    word_after: B256,
    lacks_layout: bool,
    accounts: Vec<AddressResponse<'a>>,
}

/// Returns the changed slots of all contracts, those with variables first.
pub(crate) fn changed_slots(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
    changes: &StorageChanges,
) -> StoreResult<Vec<ChangedSlot>> {
    let mut rows = Vec::new();
    for (address, slots) in &changes.contracts {
        let contract = ChangedContract { request, address: *address, transaction, slots };
        let (found, lacks_layout) = contract.variables(changes)?;
        let row = |slot: U256, variable| {
            let shift = slots.get(&slot).copied()?;
            Some(ChangedSlot { address: *address, slot, shift, variable, lacks_layout })
        };
        let named = found.variables.into_iter().filter_map(|one| row(one.slot, Some(one)));
        rows.extend(named);
        rows.extend(found.unnamed.into_iter().filter_map(|slot| row(slot, None)));
    }
    Ok(rows)
}

/// A contract whose storage a transaction changed.
struct ChangedContract<'a> {
    request: &'a RequestContext<'a>,
    address: Address,
    transaction: &'a TransactionRecord,
    slots: &'a BTreeMap<U256, StorageShift>,
}

impl ChangedContract<'_> {
    /// Returns the variables that changed, by the contract's layout or by the layout of the contract that it ran
    /// as a proxy then. Without a layout all slots are unnamed. Also returns `true` if that code is the project's,
    /// but has no layout.
    fn variables(&self, changes: &StorageChanges) -> StoreResult<(ChangedStorage, bool)> {
        let state = &self.request.snapshot.state;
        let account = state.account(self.address)?;
        let codes = self.implementations(account)?;
        // Without the code behind it, a proxy's own layout says nothing of the other variables.
        let is_known = codes.as_ref().is_some_and(|codes| !codes.is_empty());
        let is_proxy = account.is_some_and(|account| !account.implementations.is_empty());
        let mut accounts: Vec<Option<&AccountRecord>> = vec![account];
        for code in codes.into_iter().flatten() {
            accounts.push(state.account(code)?);
        }
        let mut artifacts =
            accounts.into_iter().flatten().filter_map(|known| known.artifact.as_ref()).peekable();
        let is_compiled = artifacts.peek().is_some() && (is_known || !is_proxy);
        let layout = artifacts.find_map(|artifact| artifact.storage_layout());
        let lacks_layout = is_compiled && layout.is_none();
        let unnamed = || self.slots.keys().copied().collect();
        let found = match layout {
            Some(layout) => layout.changed_variables(self.slots, &changes.preimages),
            None => ChangedStorage { unnamed: unnamed(), ..ChangedStorage::default() },
        };
        Ok((found, lacks_layout))
    }

    /// Returns the code of a proxy in the transaction: the implementations of now, unless it was upgraded since.
    /// Returns `None` if the code is unknown.
    fn implementations(
        &self,
        account: Option<&AccountRecord>,
    ) -> StoreResult<Option<Vec<Address>>> {
        let known = account.into_iter().flat_map(|account| &account.implementations);
        let now: Vec<_> = known.map(|implementation| implementation.address_hash).collect();
        if now.is_empty() {
            return Ok(Some(now));
        }
        let logs = self.request.snapshot.logs(u64::MAX)?.filter(|log| log.address == self.address);
        let upgrades = logs
            .filter_map(|log| Some((log.transaction(), upgraded_code(&log.topics, &log.data)?)));
        Ok(match code_before_later_upgrades(upgrades, self.transaction.position()) {
            Some(installed) if installed.is_empty() => {
                self.installed_silently().map(|code| vec![code])
            }
            Some(installed) => Some(installed),
            None => Some(now),
        })
    }

    /// Returns the code in the slot of EIP-1967, as far as the node has the state then. A constructor may fill it
    /// without an event.
    fn installed_silently(&self) -> Option<Address> {
        let slot = IMPLEMENTATION_SLOT.into();
        let word = if let Some(shift) = self.slots.get(&slot) {
            shift.after
        } else {
            let before = self.transaction.block_number.checked_sub(1)?;
            self.request.chain.storage_at(self.address, slot, Some(before)).ok()?
        };
        proxy_address(word)
    }
}

/// Returns the code that was installed until a transaction, if it is known, by upgrades in the order of the newest
/// first. Returns `None` without a later upgrade.
fn code_before_later_upgrades(
    upgrades: impl Iterator<Item = (TransactionPosition, Address)>,
    then: TransactionPosition,
) -> Option<Vec<Address>> {
    let is_later = |(position, _): &(TransactionPosition, Address)| *position > then;
    let mut newest_first = upgrades.peekable();
    newest_first.next_if(is_later)?;
    let own = newest_first.find(|upgrade| !is_later(upgrade));
    Some(own.map(|(_, code)| code).into_iter().collect())
}

pub(crate) fn storage_change<'a>(
    snapshot: &'a Snapshot,
    changed: &'a ChangedSlot,
) -> StoreResult<StorageChangeResponse<'a>> {
    let slot = B256::from(changed.slot);
    let variable = changed.variable.as_ref();
    let named = variable.map(accounts).into_iter().flatten();
    let accounts = named.chain(proxy_parts(changed));
    Ok(StorageChangeResponse {
        kind: "storage",
        address: address(snapshot, changed.address)?,
        slot,
        variable: variable.map(|variable| &*variable.path).or_else(|| known_slot_name(slot)),
        variable_type: variable.map(|variable| &*variable.type_name),
        stored_before: variable.map(|variable| &*variable.before),
        stored_after: variable.map(|variable| &*variable.after),
        word_before: changed.shift.before.into(),
        word_after: changed.shift.after.into(),
        lacks_layout: changed.lacks_layout,
        accounts: accounts.map(|account| address(snapshot, account)).collect::<StoreResult<_>>()?,
    })
}

/// Returns the contracts in a slot with a part of a proxy.
fn proxy_parts(changed: &ChangedSlot) -> impl Iterator<Item = Address> {
    let is_part =
        known_slot_name(changed.slot.into()).is_some_and(|name| PROXY_SLOTS.contains(&name));
    let words = [changed.shift.before, changed.shift.after].into_iter().filter(move |_| is_part);
    words.filter_map(proxy_address)
}

/// Returns the addresses among the keys and values of a variable.
fn accounts(variable: &ChangedVariable) -> impl Iterator<Item = Address> {
    let ChangedVariable { path, before, after, .. } = variable;
    let keys = path.split(['[', ']']);
    let texts = keys.chain([&**before, &**after]).filter(|text| text.starts_with("0x"));
    texts.filter_map(|text| text.parse().ok()).take(MAX_ACCOUNTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_a_proxy_is_the_one_of_the_transaction() {
        let at = |block_number, index| TransactionPosition { block_number, index };
        let code = Address::repeat_byte;
        let upgrades = [(at(480, 0), code(3)), (at(61, 2), code(2)), (at(13, 0), code(1))];
        let found = |then| code_before_later_upgrades(upgrades.into_iter(), then);
        assert_eq!(found(at(480, 1)), None, "today's");
        assert_eq!(found(at(480, 0)), None, "installed in the transaction itself");
        assert_eq!(found(at(61, 3)), Some(vec![code(2)]));
        assert_eq!(found(at(61, 1)), Some(vec![code(1)]));
        assert_eq!(found(at(12, 0)), Some(vec![]), "before all known upgrades");
    }
}
