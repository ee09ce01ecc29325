//! A run of consecutive blocks with their rows.
//!
//! Each block of the run is either a row or an [`UnreadableBlock`], so that the hashes are without gaps
//! even where rows are unknown.

use alloy_primitives::B256;

use super::lazy_table::{StoreError, StoreResult, Table};
use super::records::{
    BlockNumHash, BlockRecord, ConsoleLineRecord, InternalTransactionRecord, LogRecord,
    TransactionPosition, TransactionRecord,
};
use super::transfer_batch::TransferRecord;
use crate::messages::chain_data::ChainDataError;
use crate::sanitize::SafeText;

/// Consecutive blocks and their rows. Blocks are in the order of their numbers, all other rows are
/// newest first.
#[derive(Debug)]
pub struct Segment {
    pub first_block: u64,
    /// All but the unreadable ones.
    pub blocks: Table<Vec<BlockRecord>>,
    pub transactions: Table<Vec<TransactionRecord>>,
    pub internal_transactions: Table<Vec<InternalTransactionRecord>>,
    pub console_lines: Table<Vec<ConsoleLineRecord>>,
    pub transfers: Table<Vec<TransferRecord>>,
    pub logs: Table<Vec<LogRecord>>,
    /// Blocks without rows, in the order of their numbers.
    pub unreadable: Vec<UnreadableBlock>,
}

/// A block of which the node sends something that cannot be decoded. Its rows are unknown.
#[derive(Debug, Clone)]
pub struct UnreadableBlock {
    pub block: BlockNumHash,
    pub why: SafeText,
}

impl UnreadableBlock {
    pub(super) fn error(&self) -> StoreError {
        let (block, why) = (self.block.number, self.why.clone());
        StoreError::Unsupported(ChainDataError::UnreadableBlock { block, why })
    }
}

impl Segment {
    /// Returns a block. Fails if it is unreadable.
    pub fn block(&self, number: u64) -> StoreResult<Option<&BlockRecord>> {
        if let Some(unreadable) = self.unreadable(number) {
            return Err(unreadable.error());
        }
        let blocks = self.blocks.get()?;
        let index = blocks.binary_search_by_key(&number, |block| block.number);
        Ok(index.ok().and_then(|index| blocks.get(index)))
    }

    /// Returns the hash of a block, readable or not.
    pub fn block_hash(&self, number: u64) -> StoreResult<Option<B256>> {
        match self.unreadable(number) {
            Some(unreadable) => Ok(Some(unreadable.block.hash)),
            None => Ok(self.block(number)?.map(|block| block.hash)),
        }
    }

    fn unreadable(&self, number: u64) -> Option<&UnreadableBlock> {
        let index = self
            .unreadable
            .binary_search_by_key(&number, |unreadable| unreadable.block.number)
            .ok()?;
        self.unreadable.get(index)
    }

    /// Returns the newest block, readable or not.
    pub fn last_block(&self) -> StoreResult<Option<BlockNumHash>> {
        let readable = self.blocks.get()?.last().map(BlockRecord::id);
        let unreadable = self.unreadable.last().map(|unreadable| unreadable.block);
        Ok(readable.into_iter().chain(unreadable).max_by_key(|block| block.number))
    }

    pub(super) fn transaction_at(
        &self,
        position: TransactionPosition,
    ) -> StoreResult<Option<&TransactionRecord>> {
        let rows = self.transactions.get()?;
        let index = rows.partition_point(|row| row.position() > position);
        Ok(rows.get(index).filter(|row| row.position() == position))
    }

    pub(super) fn transaction_in_block(
        &self,
        block_number: u64,
        hash: B256,
    ) -> StoreResult<Option<&TransactionRecord>> {
        let rows = self.transactions.get()?;
        let start = rows.partition_point(|row| row.block_number > block_number);
        let mut of_block =
            rows.iter().skip(start).take_while(|row| row.block_number == block_number);
        Ok(of_block.find(|row| row.hash == hash))
    }

    pub(super) fn transaction(&self, hash: B256) -> StoreResult<Option<&TransactionRecord>> {
        Ok(self.transactions.get()?.iter().find(|row| row.hash == hash))
    }
}
