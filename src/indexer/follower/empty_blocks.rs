//! Long runs of empty blocks, in the disk cache: development chains get thousands of them at once, and
//! reading each costs the node a request.
//!
//! The hash of a block covers the hash of its parent. So a run is the node's, whatever was restarted or
//! rolled back since, if the block after it names its last block as the parent. Blocks that do not name
//! their parents, as many of Hardhat's, are not kept.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tracing::warn;

use crate::chain::{Address, B256, Timestamp};
use crate::disk_cache::DiskCache;
use crate::store::{BlockRecord, Segment, Withdrawals};

/// Minimum blocks of a run: fewer are read about as fast.
const MIN_RUN_BLOCKS: usize = 100;
/// Maximum blocks in all runs, newest first. A block takes about 110 bytes of the file.
const MAX_KEPT_BLOCKS: usize = 100_000;
/// Number of empty blocks that were read after which the runs are written again.
const MIN_NEW_BLOCKS: usize = 1_000;

/// The runs of empty blocks of a node.
#[derive(Debug)]
pub(super) struct EmptyBlockCache {
    disk: Arc<DiskCache>,
    key: String,
    /// Runs that were kept before and are not indexed, oldest first. `None` before they are read.
    runs: Option<Vec<EmptyRun>>,
    /// Number of empty blocks that were read since the runs were written.
    new_blocks: usize,
}

/// Consecutive empty blocks, of which each names the one before as its parent.
#[derive(Debug, Deserialize, Serialize)]
struct EmptyRun {
    first_block: u64,
    parent_hash: Option<B256>,
    miner: Option<Address>,
    lists_withdrawals: bool,
    blocks: Vec<EmptyBlock>,
}

/// The hash, the seconds of the time, the size, the gas limit and the base fee of a block.
#[derive(Debug, Deserialize, Serialize)]
struct EmptyBlock(B256, i64, Option<u64>, Option<u64>, Option<u64>);

impl EmptyBlockCache {
    pub(super) fn new(disk: Arc<DiskCache>, node: &str) -> Self {
        Self { disk, key: format!("empty-blocks:{node}"), runs: None, new_blocks: 0 }
    }

    /// Takes out the blocks of a run that end before a block with this number and parent, without those
    /// before `oldest`.
    pub(super) async fn take_before(
        &mut self,
        number: u64,
        parent_hash: B256,
        oldest: u64,
    ) -> Option<Vec<BlockRecord>> {
        if self.runs.is_none() {
            let (disk, key) = (Arc::clone(&self.disk), self.key.clone());
            self.runs = Some(spawn_blocking(move || read(&disk, &key)).await.unwrap_or_default());
        }
        let runs = self.runs.as_mut()?;
        let last = number.checked_sub(1)?;
        let index = runs.iter().position(|run| run.hash(last) == Some(parent_hash))?;
        let mut blocks = runs.remove(index).into_records()?;
        blocks.retain(|block| (oldest..number).contains(&block.number));
        Some(blocks).filter(|blocks| !blocks.is_empty())
    }

    /// Counts the empty blocks among blocks that were read from the node.
    pub(super) fn count(&mut self, read: &[BlockRecord]) {
        self.new_blocks += read.iter().filter(|block| is_empty(block)).count();
    }

    /// Returns `true` if it is worth the time to write the runs.
    pub(super) fn is_stale(&self) -> bool {
        self.new_blocks >= MIN_NEW_BLOCKS
    }

    /// Writes the runs of an index, in place of all before.
    pub(super) async fn write(&mut self, segments: Arc<[Arc<Segment>]>) {
        self.new_blocks = 0;
        let (disk, key) = (Arc::clone(&self.disk), self.key.clone());
        let written = spawn_blocking(move || -> io::Result<()> {
            let blocks = segments.iter().filter_map(|segment| segment.blocks.get().ok()).flatten();
            disk.write(&key, &serde_json::to_vec(&runs(blocks))?)
        })
        .await
        .map_err(io::Error::from)
        .flatten();
        if let Err(error) = written {
            warn!(%error, "cache"); // the program works without it
        }
    }
}

impl EmptyRun {
    fn new(first: &BlockRecord, block: EmptyBlock) -> Self {
        Self {
            first_block: first.number,
            parent_hash: first.parent_hash,
            miner: first.miner,
            lists_withdrawals: first.withdrawals.0.is_some(),
            blocks: vec![block],
        }
    }

    /// Adds a block if it continues the run.
    fn extend(&mut self, block: &BlockRecord) -> bool {
        let last = self.blocks.last().map(|EmptyBlock(hash, ..)| *hash);
        let is_next = self.first_block + self.blocks.len() as u64 == block.number
            && last.is_some_and(|last| block.parent_hash == Some(last))
            && self.miner == block.miner
            && self.lists_withdrawals == block.withdrawals.0.is_some();
        let next = EmptyBlock::new(block).filter(|_| is_next);
        let is_extended = next.is_some();
        self.blocks.extend(next);
        is_extended
    }

    fn hash(&self, number: u64) -> Option<B256> {
        let index = usize::try_from(number.checked_sub(self.first_block)?).ok()?;
        self.blocks.get(index).map(|EmptyBlock(hash, ..)| *hash)
    }

    /// Returns `None` if the file has numbers that no block has.
    fn into_records(self) -> Option<Vec<BlockRecord>> {
        let mut parent_hash = self.parent_hash;
        (self.first_block..)
            .zip(self.blocks)
            .map(|(number, EmptyBlock(hash, seconds, size, gas_limit, base_fee))| {
                Some(BlockRecord {
                    number,
                    hash,
                    timestamp: Timestamp::from_second(seconds).ok()?,
                    parent_hash: parent_hash.replace(hash),
                    miner: self.miner,
                    size,
                    gas_limit,
                    gas_used: Some(0),
                    base_fee_per_gas: base_fee.map(u128::from),
                    withdrawals: Withdrawals(self.lists_withdrawals.then(Box::default)),
                })
            })
            .collect()
    }
}

impl EmptyBlock {
    /// Returns `None` if the block may have transactions or withdrawals.
    fn new(block: &BlockRecord) -> Option<Self> {
        let base_fee = block.base_fee_per_gas.map(u64::try_from).transpose().ok()?;
        let BlockRecord { hash, timestamp, size, gas_limit, .. } = *block;
        is_empty(block).then(|| Self(hash, timestamp.as_second(), size, gas_limit, base_fee))
    }
}

/// Returns `true` for a block without transactions, all of which use gas, or withdrawals.
fn is_empty(block: &BlockRecord) -> bool {
    block.gas_used == Some(0) && block.withdrawals.0.as_ref().is_none_or(|list| list.is_empty())
}

fn read(disk: &DiskCache, key: &str) -> Vec<EmptyRun> {
    disk.read(key).and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default()
}

/// Returns the long runs among the blocks, which are oldest first.
fn runs<'a>(blocks: impl Iterator<Item = &'a BlockRecord>) -> Vec<EmptyRun> {
    let mut runs: Vec<EmptyRun> = Vec::new();
    for block in blocks {
        if !runs.last_mut().is_some_and(|run| run.extend(block)) {
            runs.pop_if(|run| run.blocks.len() < MIN_RUN_BLOCKS);
            runs.extend(EmptyBlock::new(block).map(|empty| EmptyRun::new(block, empty)));
        }
    }
    runs.pop_if(|run| run.blocks.len() < MIN_RUN_BLOCKS);
    let mut kept = 0;
    let newest = runs.iter().rev().take_while(|run| {
        kept += run.blocks.len();
        kept <= MAX_KEPT_BLOCKS
    });
    let dropped = runs.len() - newest.count();
    runs.split_off(dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexer::tests::block_record;

    /// Empty blocks that name their parents.
    fn empty(numbers: std::ops::Range<u64>) -> Vec<BlockRecord> {
        let hash = |number: u64| B256::from(alloy_primitives::U256::from(number + 1));
        let block = |number: u64| BlockRecord {
            parent_hash: number.checked_sub(1).map(hash),
            gas_used: Some(0),
            base_fee_per_gas: Some(7),
            ..block_record(number, hash(number))
        };
        numbers.map(block).collect()
    }

    fn lengths(blocks: &[BlockRecord]) -> Vec<(u64, usize)> {
        runs(blocks.iter()).iter().map(|run| (run.first_block, run.blocks.len())).collect()
    }

    #[test]
    fn run_ends_at_a_block_that_is_not_empty_or_names_another_parent() {
        let mut blocks = empty(0..400);
        assert_eq!(lengths(&blocks), [(0, 400)]);
        blocks[150].gas_used = Some(21_000);
        assert_eq!(lengths(&blocks), [(0, 150), (151, 249)]);
        blocks[251].parent_hash = Some(B256::ZERO);
        assert_eq!(lengths(&blocks), [(0, 150), (151, 100), (251, 149)]);
        blocks[200].gas_used = None;
        assert_eq!(lengths(&blocks), [(0, 150), (251, 149)], "fewer than 100 are not kept");
        blocks[300].miner = Some(Address::ZERO);
        blocks[30].withdrawals = Withdrawals(None);
        assert_eq!(lengths(&blocks), [(31, 119)]);
    }

    #[test]
    fn newest_runs_are_kept_within_the_bound() {
        let mut blocks = empty(0..100_500);
        blocks[600].gas_used = Some(1);
        assert_eq!(lengths(&blocks), [(601, 99_899)]);
        assert_eq!(lengths(&blocks[500..600]), [(500, 100)]);
        blocks[600].gas_used = Some(0);
        assert_eq!(lengths(&blocks[..100_000]), [(0, 100_000)], "as many as the bound");
    }

    #[tokio::test]
    async fn blocks_before_a_parent_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Arc::new(DiskCache::new(folder.path().join("cache")));
        let blocks = empty(10..1_010);
        let rows =
            crate::indexer::block_rows::BlockRows { blocks: blocks.clone(), ..Default::default() };
        let segment = crate::indexer::segment_list::IndexedSegment::new(rows, None).unwrap();
        let mut writing = EmptyBlockCache::new(Arc::clone(&disk), "node");
        writing.count(&blocks[..999]);
        assert!(!writing.is_stale());
        writing.count(&blocks[999..]);
        assert!(writing.is_stale());
        writing.write(Arc::new([segment.into()])).await;
        assert!(!writing.is_stale());
        let hash = |number: usize| blocks[number - 10].hash;
        let take = async |number, parent, oldest| {
            let mut cache = EmptyBlockCache::new(Arc::clone(&disk), "node");
            cache.take_before(number, parent, oldest).await
        };
        let taken = take(800, hash(799), 300).await.unwrap();
        assert_eq!(format!("{taken:?}"), format!("{:?}", &blocks[290..790]));
        let taken = take(1_010, hash(1_009), 0).await.unwrap();
        assert_eq!(format!("{taken:?}"), format!("{blocks:?}"));
        assert!(take(800, hash(800), 0).await.is_none(), "another parent");
        assert!(take(10, hash(10), 0).await.is_none(), "before the run");
        assert!(take(300, hash(299), 300).await.is_none(), "before the bound");
    }
}
