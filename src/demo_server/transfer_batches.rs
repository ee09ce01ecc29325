//! Token transfers as lists contain them: one per log, or one per token id of a batch.

use alloy_primitives::{Address, B256, U256};

use super::models::{DemoTokenType, TransferLogRecord};

/// The position of a transfer in the chain. Newer ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TransferPosition {
    pub(crate) block_number: u32,
    pub(crate) log_index: u32,
    pub(crate) index_in_batch: u32,
}

impl TransferPosition {
    pub(crate) fn is_same_log(self, other: Self) -> bool {
        (self.block_number, self.log_index) == (other.block_number, other.log_index)
    }
}

#[derive(Debug)]
pub(crate) struct DemoTransfer {
    pub(crate) position: TransferPosition,
    pub(crate) transaction_hash: B256,
    pub(crate) token: Address,
    pub(crate) token_type: DemoTokenType,
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) token_id: Option<U256>,
    pub(crate) value: Option<U256>,
}

impl DemoTransfer {
    pub(crate) fn involves(&self, address: Address) -> bool {
        self.from == address || self.to == address
    }

    fn new(log: &TransferLogRecord, index_in_batch: u32) -> Self {
        Self {
            position: TransferPosition {
                block_number: log.block,
                log_index: log.log_index,
                index_in_batch,
            },
            transaction_hash: log.tx,
            token: log.token,
            token_type: log.token_type,
            from: log.from,
            to: log.to,
            token_id: None,
            value: log.amount,
        }
    }
}

/// Returns the transfers of a log. An id that a batch repeats is one transfer of the sum, at its
/// first position.
pub(crate) fn expand_batch(log: &TransferLogRecord) -> Vec<DemoTransfer> {
    let Some(ids) = &log.ids else { return vec![DemoTransfer::new(log, 0)] };
    let mut transfers: Vec<DemoTransfer> = Vec::with_capacity(ids.len());
    for (index, &id) in (0..).zip(ids) {
        let amount = log.amounts.as_ref().and_then(|all| all.get(index as usize)).copied();
        match transfers.iter_mut().find(|known| known.token_id == Some(id)) {
            Some(known) => known.value = add_amounts(known.value, amount),
            None => transfers.push(DemoTransfer {
                token_id: Some(id),
                value: amount.or(log.amount),
                ..DemoTransfer::new(log, index)
            }),
        }
    }
    transfers
}

fn add_amounts(known: Option<U256>, more: Option<U256>) -> Option<U256> {
    Some(known?.saturating_add(more?))
}
