//! Asks a node about accounts and contracts, in batches.
//!
//! Answers are of the newest block, but for those about a block that is named. Functions that used all
//! their gas and the standards of tokens are remembered until the chain is rolled back, as other
//! contracts may then be at the same addresses.

use std::array;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, B256, Bytes};
use crate::rpc::wire::transaction::RpcContractCreator;
use crate::rpc::{BlockTag, RpcClient, RpcError, RpcRequest};
use crate::sanitize::SafeText;
use crate::store::{BlockNumHash, Snapshot, StoreError, StoreResult};

use super::contract_calls::{CallAnswer, ContractCall};

#[derive(Debug)]
pub(super) struct ContractReader {
    client: RpcClient,
    pub(super) memory: Mutex<ContractMemory>,
}

/// Properties of contracts found so far. After a rollback, others may be at the same addresses.
#[derive(Debug, Default)]
pub(super) struct ContractMemory {
    /// The head of the chain at the last request.
    head: Option<BlockNumHash>,
    /// Functions that used all their gas, as an endless loop does: each is called once.
    exhausted: HashSet<(Address, [u8; 4])>,
    /// The standards of tokens as their functions show them, if they do.
    pub(super) standards: HashMap<Address, Option<TokenStandard>>,
    pub(super) deployed: Arc<DeployedContracts>,
}

/// Contracts that the transactions of a chain created.
#[derive(Debug, Clone, Default)]
pub(super) struct DeployedContracts {
    /// The oldest block whose creations are not among them.
    pub(super) next_block: u64,
    /// Their addresses with the numbers of the codes, oldest first.
    pub(super) contracts: Vec<(Address, usize)>,
    /// The numbers of the distinct codes: factories deploy the same one often.
    pub(super) codes: HashMap<Bytes, usize>,
}

impl ContractReader {
    pub(super) fn new(client: RpcClient) -> Self {
        Self { client, memory: Mutex::default() }
    }

    /// Notes the head of the chain, and clears the memory after a rollback.
    pub(super) fn note_head(&self, snapshot: &Snapshot) -> StoreResult<()> {
        let head = snapshot.head()?;
        let known = self.memory.lock().head;
        let is_kept = match known {
            Some(known) => snapshot.block_hash(known.number)? == Some(known.hash),
            None => false,
        };
        let mut memory = self.memory.lock();
        if !is_kept {
            *memory = ContractMemory::default();
        }
        memory.head = head;
        Ok(())
    }

    /// Returns the address of the node, for messages.
    pub(super) fn address(&self) -> SafeText {
        self.client.url().shown_address()
    }

    /// Asks for the creator of a contract and the transaction. Returns `None` if the node has no method
    /// for that, or if the contract is of the first block.
    pub(super) async fn creator(&self, contract: Address) -> StoreResult<Option<(Address, B256)>> {
        let creator = self.client.call("ots_getContractCreator", json!([contract])).await;
        let sent: Option<RpcContractCreator> = match creator {
            Err(error) if error.is_refusal() => None,
            creator => creator.map_err(|error| unavailable(&error))?,
        };
        let creator = sent.filter(|creator| !creator.hash.is_zero());
        Ok(creator.map(|RpcContractCreator { hash, creator }| (creator, hash)))
    }

    /// Sends the same requests about each item.
    pub(super) async fn ask<T, const N: usize>(
        &self,
        items: Vec<T>,
        requests: impl Fn(&T) -> [RpcRequest; N],
    ) -> StoreResult<Vec<(T, [CallAnswer; N])>> {
        let sent: Vec<RpcRequest> = items.iter().flat_map(requests).collect();
        let results = self.client.batch(&sent).await.map_err(|error| unavailable(&error))?;
        let answers = results.into_iter().map(|result| match result {
            Ok(result) => Ok(CallAnswer(self.client.decode(&result).ok().flatten())),
            Err(error) if error.is_refusal() => Ok(CallAnswer::default()),
            Err(error) => Err(unavailable(&error)),
        });
        Ok(with_answers(items, answers.collect::<Result<_, _>>()?))
    }

    /// Calls the same functions about each item, at a block. A function that does not answer within
    /// its gas has no answer, and is not called again.
    pub(super) async fn call<T, const N: usize>(
        &self,
        items: Vec<T>,
        block: BlockTag,
        calls: impl Fn(&T) -> [ContractCall; N],
    ) -> StoreResult<Vec<(T, [CallAnswer; N])>> {
        let calls: Vec<ContractCall> = items.iter().flat_map(calls).collect();
        let is_sent: Vec<bool> = {
            let memory = self.memory.lock();
            calls.iter().map(|call| !memory.exhausted.contains(&(call.to, call.function))).collect()
        };
        let asked = calls.iter().zip(&is_sent).filter(|(_, is_sent)| **is_sent);
        let sent: Vec<RpcRequest> = asked.map(|(call, _)| call.request(block)).collect();
        let mut results =
            self.client.batch(&sent).await.map_err(|error| unavailable(&error))?.into_iter();
        let mut answers = Vec::with_capacity(calls.len());
        for (call, is_sent) in calls.into_iter().zip(is_sent) {
            answers.push(match is_sent.then(|| results.next()).flatten() {
                Some(Ok(result)) => CallAnswer(self.client.decode(&result).ok().flatten()),
                // The block is gone, which says nothing of the contract.
                Some(Err(error @ RpcError::Pruned { .. })) => {
                    return Err(StoreError::Unsupported(error.into()));
                }
                Some(Err(error)) if error.is_refusal() => {
                    if error.is_out_of_gas() {
                        self.memory.lock().exhausted.insert((call.to, call.function));
                    }
                    CallAnswer::default()
                }
                Some(Err(error)) => return Err(unavailable(&error)),
                None => CallAnswer::default(),
            });
        }
        Ok(with_answers(items, answers))
    }
}

fn with_answers<T, const N: usize>(
    items: Vec<T>,
    answers: Vec<CallAnswer>,
) -> Vec<(T, [CallAnswer; N])> {
    let mut answers = answers.into_iter();
    let mut next = |_| answers.next().unwrap_or_default();
    items.into_iter().map(|item| (item, array::from_fn(&mut next))).collect()
}

pub(super) fn unavailable(error: &RpcError) -> StoreError {
    StoreError::Unavailable(error.into())
}
