//! Changes of storage slots, which explorers do not report.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, U256};
use serde::Serialize;

use super::{AddressResponse, address};
use crate::abi::{ChangedStorage, ChangedVariable, StorageShift, known_slot_name};
use crate::store::{AccountRecord, Snapshot, StorageChanges, StoreResult};

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
    changes: &StorageChanges,
) -> StoreResult<Vec<ChangedSlot>> {
    let mut rows = Vec::new();
    for (address, slots) in &changes.contracts {
        let (found, lacks_layout) = variables(snapshot, *address, slots, changes)?;
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
/// that it runs as a proxy. Without a layout all slots are unnamed. Also returns `true` if the
/// contract is the project's, but has no layout.
fn variables(
    snapshot: &Snapshot,
    address: Address,
    slots: &BTreeMap<U256, StorageShift>,
    changes: &StorageChanges,
) -> StoreResult<(ChangedStorage, bool)> {
    let account = snapshot.state.account(address)?;
    let mut accounts: Vec<Option<&AccountRecord>> = vec![account];
    for implementation in account.into_iter().flat_map(|account| &account.implementations) {
        accounts.push(snapshot.state.account(implementation.address_hash)?);
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
