//! The contracts that a chain's transactions created, in the order of their creation, with their codes.
//!
//! A list of them is kept, as they number the deployments of one contract in each response. It grows
//! with the chain, and is dropped with the rest of the memory of contracts after a rollback.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;

use crate::abi::ArtifactIndex;
use crate::chain::Address;
use crate::chain::coverage::MissingBlocks;
use crate::store::{Snapshot, StoreError, TransactionPosition};

use super::contract_calls::at_head;
use super::contract_reader::{ContractReader, DeployedContracts};

/// Maximum contracts of a chain that are listed. More are known by their addresses alone.
const MAX_CONTRACTS: usize = 500;

impl DeployedContracts {
    pub(super) fn addresses(&self) -> impl Iterator<Item = Address> {
        self.contracts.iter().map(|(address, _)| *address)
    }

    /// Numbers the contracts of which several were deployed, from 1 for the oldest of each name.
    pub(super) fn numbers(&self, artifacts: &ArtifactIndex) -> HashMap<Address, usize> {
        let mut by_name: HashMap<&str, Vec<Address>> = HashMap::new();
        for (address, code) in &self.contracts {
            if let Some(artifact) = artifacts.find(code) {
                by_name.entry(&artifact.name).or_default().push(*address);
            }
        }
        let several = by_name.into_values().filter(|same| same.len() > 1);
        several.flat_map(|same| same.into_iter().zip(1..)).collect()
    }
}

impl ContractReader {
    /// Returns the contracts of a chain, and asks for the codes of new ones. There are none while older
    /// blocks are read, which may have others.
    pub(super) async fn deployed_contracts(
        &self,
        snapshot: &Snapshot,
    ) -> Result<DeployedContracts, StoreError> {
        let known = self.memory().deployed.clone();
        let head = snapshot.head()?.map_or(0, |head| head.number);
        let older = snapshot.coverage.as_ref().and_then(|coverage| coverage.older.as_ref());
        if older == Some(&MissingBlocks::Unread) {
            return Ok(DeployedContracts::default());
        }
        if known.next_block > head || known.contracts.len() >= MAX_CONTRACTS {
            return Ok(known);
        }
        let listed: HashSet<Address> = known.addresses().collect();
        let mut new = creations(snapshot, known.next_block)?;
        new.retain(|address| !listed.contains(address));
        new.truncate(MAX_CONTRACTS - known.contracts.len());
        let code = |address: &Address| [at_head("eth_getCode", json!([address]))];
        let read = self.ask(new, code).await?;
        let mut deployed = known;
        deployed
            .contracts
            .extend(read.into_iter().map(|(address, [code])| (address, code.bytes())));
        deployed.next_block = head.saturating_add(1);
        self.memory().deployed = deployed.clone();
        Ok(deployed)
    }
}

/// Returns the contracts created in a block or later, oldest first.
fn creations(snapshot: &Snapshot, first_block: u64) -> Result<Vec<Address>, StoreError> {
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
