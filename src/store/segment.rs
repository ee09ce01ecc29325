//! A run of consecutive blocks with their rows.

use alloy_primitives::B256;

use super::records::{
    BlockRecord, InternalTransactionRecord, LogRecord, TransactionPosition, TransactionRecord,
};
use super::table::{StoreError, Table};
use super::transfer_batch::TransferRecord;

/// Consecutive blocks and their rows. Blocks are in the order of their numbers, all other rows are
/// newest first.
#[derive(Debug)]
pub struct Segment {
    pub first_block: u64,
    pub blocks: Table<Vec<BlockRecord>>,
    pub transactions: Table<Vec<TransactionRecord>>,
    pub internal_transactions: Table<Vec<InternalTransactionRecord>>,
    pub transfers: Table<Vec<TransferRecord>>,
    pub logs: Table<Vec<LogRecord>>,
}

impl Segment {
    pub fn block(&self, number: u64) -> Result<Option<&BlockRecord>, StoreError> {
        let Some(index) = number.checked_sub(self.first_block) else { return Ok(None) };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        Ok(self.blocks.get()?.get(index))
    }

    pub(super) fn transaction_at(
        &self,
        position: TransactionPosition,
    ) -> Result<Option<&TransactionRecord>, StoreError> {
        let rows = self.transactions.get()?;
        let index = rows.partition_point(|row| row.position() > position);
        Ok(rows.get(index).filter(|row| row.position() == position))
    }

    pub(super) fn transaction_in_block(
        &self,
        block_number: u64,
        hash: B256,
    ) -> Result<Option<&TransactionRecord>, StoreError> {
        let rows = self.transactions.get()?;
        let start = rows.partition_point(|row| row.block_number > block_number);
        let mut of_block =
            rows.iter().skip(start).take_while(|row| row.block_number == block_number);
        Ok(of_block.find(|row| row.hash == hash))
    }

    pub(super) fn transaction(&self, hash: B256) -> Result<Option<&TransactionRecord>, StoreError> {
        Ok(self.transactions.get()?.iter().find(|row| row.hash == hash))
    }
}
