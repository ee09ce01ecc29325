//! Token transfers as lists contain them: one per log, or one per token id of a batch.

use crate::chain::token_standard::TokenStandard;
use alloy_primitives::{Address, B256, U256};

/// A token transfer log, which is several transfers if it is a batch.
#[derive(Debug)]
pub struct TransferLog {
    pub block_number: u64,
    pub log_index: u32,
    pub transaction_hash: B256,
    pub token: Address,
    pub standard: TokenStandard,
    pub from: Address,
    pub to: Address,
    pub ids: Option<Vec<U256>>,
    pub amount: Option<U256>,
    pub amounts: Option<Vec<U256>>,
}

/// The position of a transfer in the chain. Newer ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransferPosition {
    pub block_number: u64,
    pub log_index: u32,
    pub index_in_batch: u32,
}

impl TransferPosition {
    pub fn is_same_log(self, other: Self) -> bool {
        (self.block_number, self.log_index) == (other.block_number, other.log_index)
    }
}

#[derive(Clone, Debug)]
pub struct TransferRecord {
    pub position: TransferPosition,
    pub transaction_hash: B256,
    pub token: Address,
    pub standard: TokenStandard,
    pub from: Address,
    pub to: Address,
    pub token_id: Option<U256>,
    /// Of unique instances only if their ids are unknown: their number.
    pub value: Option<U256>,
}

impl TransferRecord {
    pub fn involves(&self, address: Address) -> bool {
        self.from == address || self.to == address
    }

    fn new(log: &TransferLog, index_in_batch: u32) -> Self {
        Self {
            position: TransferPosition {
                block_number: log.block_number,
                log_index: log.log_index,
                index_in_batch,
            },
            transaction_hash: log.transaction_hash,
            token: log.token,
            standard: log.standard,
            from: log.from,
            to: log.to,
            token_id: None,
            value: log.amount,
        }
    }
}

/// Returns the transfers of a log. An id that a batch repeats is one transfer of the sum, at its
/// first position.
pub fn expand_batch(log: &TransferLog) -> Vec<TransferRecord> {
    let Some(ids) = &log.ids else { return vec![TransferRecord::new(log, 0)] };
    let mut transfers: Vec<TransferRecord> = Vec::with_capacity(ids.len());
    for (index, &id) in (0..).zip(ids) {
        let amount = log.amounts.as_ref().and_then(|all| all.get(index as usize)).copied();
        // Unique ids are not repeated.
        let is_unique = log.standard == TokenStandard::Erc721;
        let mut searched = if is_unique { [].iter_mut() } else { transfers.iter_mut() };
        match searched.find(|known| known.token_id == Some(id)) {
            Some(known) => known.value = add_amounts(known.value, amount),
            None => transfers.push(TransferRecord {
                token_id: Some(id),
                value: amount.or(log.amount),
                ..TransferRecord::new(log, index)
            }),
        }
    }
    transfers
}

fn add_amounts(known: Option<U256>, more: Option<U256>) -> Option<U256> {
    Some(known?.saturating_add(more?))
}
