//! Changes of storage slots, which explorers do not report.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, U256};
use serde::Serialize;

use super::{AddressResponse, address};
use crate::abi::{ChangedStorage, ChangedVariable, StorageShift, known_slot_name, upgraded_code};
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
    snapshot: &Snapshot,
    transaction: &TransactionRecord,
    changes: &StorageChanges,
) -> StoreResult<Vec<ChangedSlot>> {
    let mut rows = Vec::new();
    for (address, slots) in &changes.contracts {
        let (found, lacks_layout) =
            variables(snapshot, *address, transaction.position(), slots, changes)?;
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

/// Returns the variables of a contract that changed, by its layout or by the layout of the contract
/// that it ran as a proxy then. Without a layout all slots are unnamed. Also returns `true` if the
/// contract is the project's, but has no layout.
fn variables(
    snapshot: &Snapshot,
    address: Address,
    then: TransactionPosition,
    slots: &BTreeMap<U256, StorageShift>,
    changes: &StorageChanges,
) -> StoreResult<(ChangedStorage, bool)> {
    let account = snapshot.state.account(address)?;
    let mut accounts: Vec<Option<&AccountRecord>> = vec![account];
    for implementation in implementations(snapshot, address, account, then)? {
        accounts.push(snapshot.state.account(implementation)?);
    }
    let mut artifacts =
        accounts.into_iter().flatten().filter_map(|known| known.artifact.as_ref()).peekable();
    let is_compiled = artifacts.peek().is_some();
    let layout = artifacts.find_map(|artifact| artifact.storage_layout());
    let lacks_layout = is_compiled && layout.is_none();
    let unnamed = || slots.keys().copied().collect();
    let found = match layout {
        Some(layout) => layout.changed_variables(slots, &changes.preimages),
        None => ChangedStorage { unnamed: unnamed(), ..ChangedStorage::default() },
    };
    Ok((found, lacks_layout))
}

/// Returns the code of a proxy in a transaction: the implementations of now, unless it was upgraded since.
fn implementations(
    snapshot: &Snapshot,
    proxy: Address,
    account: Option<&AccountRecord>,
    then: TransactionPosition,
) -> StoreResult<Vec<Address>> {
    let known = account.into_iter().flat_map(|account| &account.implementations);
    let now: Vec<_> = known.map(|implementation| implementation.address_hash).collect();
    if now.is_empty() {
        return Ok(now);
    }
    let logs = snapshot.logs(u64::MAX)?.filter(|log| log.address == proxy);
    let upgrades =
        logs.filter_map(|log| Some((log.transaction(), upgraded_code(&log.topics, &log.data)?)));
    Ok(code_before_later_upgrades(upgrades, then).unwrap_or(now))
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
    let accounts = variable.map(accounts).into_iter().flatten();
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
