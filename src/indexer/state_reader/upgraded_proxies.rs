//! Proxies whose rows are partly of other code than they run now.

use std::collections::{HashMap, HashSet};

use super::account_code::AccountCode;
use crate::abi::upgraded_code;
use crate::chain::Address;
use crate::chain::coverage::MissingBlocks;
use crate::store::{Snapshot, StoreResult, TransactionPosition};

/// Returns the proxies among accounts with a transaction, a call or a log before their newest upgrade.
///
/// The code then is not looked up, as names are of all rows. An upgrade in the first transaction of a proxy is its
/// installation. Blocks that are still to be indexed may have an upgrade of any.
pub(super) fn upgraded_proxies(
    snapshot: &Snapshot,
    accounts: &[AccountCode],
) -> StoreResult<HashSet<Address>> {
    let proxies = accounts.iter().filter(|account| account.is_upgradable());
    let proxies: HashSet<Address> = proxies.map(|proxy| proxy.address).collect();
    let older = snapshot.coverage.as_ref().and_then(|coverage| coverage.older.as_ref());
    if older == Some(&MissingBlocks::Unindexed) {
        return Ok(proxies);
    }
    let mut upgrades: HashMap<Address, TransactionPosition> = HashMap::new();
    if !proxies.is_empty() {
        let logs = snapshot.logs(u64::MAX)?;
        for log in logs.filter(|log| upgraded_code(&log.topics, &log.data).is_some()) {
            if proxies.contains(&log.address) {
                upgrades.entry(log.address).or_insert(log.transaction());
            }
        }
    }
    if upgrades.is_empty() {
        return Ok(HashSet::new());
    }
    let is_before = |proxy: &Address, position: TransactionPosition| {
        upgrades.get(proxy).is_some_and(|upgrade| position < *upgrade)
    };
    let logs = snapshot.logs(u64::MAX)?;
    let logged = logs.filter(|log| is_before(&log.address, log.transaction()));
    let mut found: HashSet<Address> = logged.map(|log| log.address).collect();
    let sent = snapshot.transactions(u64::MAX)?;
    found.extend(sent.filter_map(|row| row.to.filter(|to| is_before(to, row.position()))));
    let (calls, _) = snapshot.internal_transactions(u64::MAX);
    found.extend(calls.filter_map(|row| row.to.filter(|to| is_before(to, row.transaction()))));
    Ok(found)
}
