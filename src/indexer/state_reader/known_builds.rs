//! The contracts of a project among the accounts of a load, and the names of their deployments.

use std::collections::HashMap;
use std::sync::Arc;

use super::account_code::AccountCode;
use crate::abi::{Artifact, ArtifactIndex, Deployments};
use crate::chain::{Address, Bytes};
use crate::store::{AccountRecord, DeployedBuildRecord};

pub(super) struct KnownBuilds<'a> {
    pub(super) artifacts: &'a ArtifactIndex,
    pub(super) deployments: &'a Deployments,
    /// Codes of the accounts and of their implementations.
    pub(super) codes: &'a HashMap<Address, Bytes>,
    pub(super) chain_id: Option<u64>,
}

impl<'a> KnownBuilds<'a> {
    /// Returns the artifacts of all codes.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Arc<Artifact>> {
        self.codes.values().filter_map(|code| self.artifacts.find(code))
    }

    fn artifact(&self, address: Address) -> Option<&'a Arc<Artifact>> {
        self.artifacts.find(self.codes.get(&address)?)
    }

    /// Returns an account with its name. `numbers` are the places of contracts among several of a name.
    pub(super) fn record(
        &self,
        account: &AccountCode,
        numbers: &HashMap<Address, usize>,
    ) -> AccountRecord {
        let mut record = account.record(|address| self.artifact(address));
        let behind = record.implementations.first().and_then(|behind| behind.name.as_deref());
        record.build = self.build(record.hash, record.artifact.as_deref(), behind, numbers);
        for behind in &mut record.implementations {
            let code = self.artifact(behind.address_hash).map(|artifact| &**artifact);
            behind.build = self.build(behind.address_hash, code, None, numbers);
        }
        record
    }

    /// Describes a contract by its artifact, and a proxy, which may be compiled elsewhere, by its
    /// implementation's name too.
    fn build(
        &self,
        address: Address,
        code: Option<&Artifact>,
        behind: Option<&str>,
        numbers: &HashMap<Address, usize>,
    ) -> DeployedBuildRecord {
        let contracts: Vec<&str> = code.map(|code| &*code.name).into_iter().chain(behind).collect();
        let chain_id = self.chain_id;
        let name = chain_id.and_then(|chain| self.deployments.name(chain, address, &contracts));
        let number = numbers.get(&address).copied();
        DeployedBuildRecord {
            deployment_number: number.filter(|_| name.is_none()),
            deployment_name: name.map(|name| (*name).into()),
            is_older_build: code.filter(|code| code.is_older_build).map(|_| true),
            was_upgraded: None,
        }
    }
}
