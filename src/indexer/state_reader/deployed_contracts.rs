//! The contracts that a chain's transactions created, in the order of their creation, with their codes.
//!
//! A list of them is kept, as they number the deployments of one contract in each response. It grows
//! with the chain, and is dropped with the rest of the memory of contracts after a rollback.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::abi::ArtifactIndex;
use crate::chain::coverage::MissingBlocks;
use crate::chain::{Address, Bytes};
use crate::rpc::{BlockTag, RpcRequest};
use crate::store::{Snapshot, StoreResult, TransactionPosition};

use crate::indexer::contract_reader::{ContractReader, DeployedContracts};

/// Maximum contracts of a chain that are listed. More are known by their addresses alone.
const MAX_CONTRACTS: usize = 5_000;
/// Bytes of distinct codes from which on no more contracts are listed.
const MAX_CODE_BYTES: usize = 32 << 20;
/// Contracts whose codes are asked for at once.
const CONTRACTS_PER_STEP: usize = 100;
/// Maximum contracts that a search reads.
const MAX_SEARCHED_CONTRACTS: usize = 500;

impl DeployedContracts {
    /// Returns the contracts for a search: the project's, then possible proxies, each newest first.
    pub(in crate::indexer) fn searched(
        &self,
        artifacts: &ArtifactIndex,
    ) -> impl Iterator<Item = Address> {
        let names = self.names(artifacts);
        let (own, others): (Vec<&_>, Vec<&_>) =
            self.contracts.iter().rev().partition(|(_, code)| names.contains_key(code));
        let found = own.into_iter().chain(others).map(|(address, _)| *address);
        found.take(MAX_SEARCHED_CONTRACTS)
    }

    /// Returns the names of contracts by the number of their code.
    fn names<'a>(&self, artifacts: &'a ArtifactIndex) -> HashMap<usize, &'a str> {
        self.codes
            .iter()
            .filter_map(|(code, number)| Some((*number, &*artifacts.find(code)?.name)))
            .collect()
    }

    fn add(&mut self, address: Address, code: Bytes) {
        let next = self.codes.len();
        let number = *self.codes.entry(code).or_insert(next);
        self.contracts.push((address, number));
    }

    fn is_full(&self) -> bool {
        let code_bytes: usize = self.codes.keys().map(|code| code.len()).sum();
        self.contracts.len() >= MAX_CONTRACTS || code_bytes >= MAX_CODE_BYTES
    }

    /// Numbers the contracts of which several were deployed, from 1 for the oldest of each name.
    pub(in crate::indexer) fn numbers(&self, artifacts: &ArtifactIndex) -> HashMap<Address, usize> {
        let names = self.names(artifacts);
        let mut by_name: HashMap<&str, Vec<Address>> = HashMap::new();
        for (address, code) in &self.contracts {
            if let Some(name) = names.get(code) {
                by_name.entry(name).or_default().push(*address);
            }
        }
        let several = by_name.into_values().filter(|same| same.len() > 1);
        several.flat_map(|same| same.into_iter().zip(1..)).collect()
    }
}

impl ContractReader {
    /// Returns the contracts of a chain, and asks for the codes of new ones. There are none while older
    /// blocks are read, which may have others.
    pub(in crate::indexer) async fn deployed_contracts(
        &self,
        snapshot: &Snapshot,
    ) -> StoreResult<Arc<DeployedContracts>> {
        let known = Arc::clone(&self.memory.lock().deployed);
        let head = snapshot.head()?.map_or(0, |head| head.number);
        let older = snapshot.coverage.as_ref().and_then(|coverage| coverage.older.as_ref());
        if older == Some(&MissingBlocks::Unindexed) {
            return Ok(Arc::default());
        }
        if known.next_block > head || known.is_full() {
            return Ok(known);
        }
        let listed: HashSet<Address> =
            known.contracts.iter().map(|(address, _)| *address).collect();
        let first_indexed = snapshot.coverage.as_ref().map_or(0, |coverage| coverage.first_block);
        let mut new = creations(snapshot, known.next_block.max(first_indexed))?;
        new.retain(|address| !listed.contains(address));
        new.truncate(MAX_CONTRACTS - known.contracts.len());
        let code = |address: &Address| [RpcRequest::code(*address, BlockTag::Latest)];
        let mut deployed = DeployedContracts::clone(&known);
        for addresses in new.chunks(CONTRACTS_PER_STEP) {
            if deployed.is_full() {
                break;
            }
            for (address, [code]) in self.ask(addresses.to_vec(), code).await? {
                deployed.add(address, code.bytes());
            }
        }
        deployed.next_block = head.saturating_add(1);
        let deployed = Arc::new(deployed);
        self.memory.lock().deployed = Arc::clone(&deployed);
        Ok(deployed)
    }
}

/// Returns the contracts created in a block or later, oldest first.
pub(in crate::indexer) fn creations(
    snapshot: &Snapshot,
    first_block: u64,
) -> StoreResult<Vec<Address>> {
    let mut created: BTreeMap<(TransactionPosition, u32), Address> = BTreeMap::new();
    let sent = snapshot.transactions(u64::MAX)?;
    for row in sent.take_while(|row| row.block_number >= first_block) {
        let address = row.created_contract.filter(|_| row.error.is_none());
        created.extend(address.map(|address| ((row.position(), 0), address)));
    }
    let (calls, _) = snapshot.internal_transactions(u64::MAX);
    for row in calls.take_while(|row| row.block_number >= first_block) {
        let address = row.created_contract.filter(|_| row.error.is_none());
        created.extend(address.map(|address| (row.position(), address)));
    }
    let mut seen = HashSet::new();
    Ok(created.into_values().filter(|address| seen.insert(*address)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_are_bounded_by_number_and_by_bytes_of_their_codes() {
        let contracts = |count: usize, code: &dyn Fn(usize) -> Bytes| {
            let mut deployed = DeployedContracts::default();
            (0..count).for_each(|n| deployed.add(Address::ZERO, code(n)));
            deployed.is_full()
        };
        let large = |n: usize| Bytes::from(vec![u8::try_from(n).unwrap(); MAX_CODE_BYTES / 4]);
        assert_eq!([3, 4].map(|count| contracts(count, &large)), [false, true]);
        let same = |_: usize| large(1);
        assert!(!contracts(100, &same), "equal codes are kept once");
        let small = |_: usize| Bytes::new();
        assert_eq!([MAX_CONTRACTS - 1, MAX_CONTRACTS].map(|n| contracts(n, &small)), [false, true]);
    }
}
