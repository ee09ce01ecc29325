//! The bundled demo chain: its tables, each loaded when it is first needed, and highlights.
//!
//! It is served like the chain of a node, through [`ServedChain`], so that the whole program works
//! offline as it does with an explorer. Calls of functions and words of storage are answered as far as
//! the tables have them.

mod archive;
mod creation_frame;
mod recorded_calls;
mod recorded_storage;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use alloy_primitives::{Address, B256, Bytes, U256};
use anyhow::Context as _;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::abi::ContractSource;
use crate::chain::token_standard::TokenStandard;
use crate::messages::chain_data::ChainDataError;
use crate::messages::start::highlight;
use crate::store::{
    AccountRecord, CallFailure, ChainState, ContractCode, InstanceRecord, InstanceTable,
    InternalTransactionRecord, LogRecord, Segment, ServedChain, Snapshot, StateKey, StateParts,
    StoreError, StoreResult, Table, TokenRecord, TransactionPosition, TransactionRecord,
    TransferLog, TransferRecord, VerifiedContracts, expand_batch, serde_util,
};
use archive::{DemoArchive, block_member};
use creation_frame::created_code;
use recorded_calls::{balance_after, recorded_answer};
use recorded_storage::word_after;

/// An address or a transaction of the demo chain for the start page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    pub name: &'static str,
    /// Its address (20 bytes) or transaction hash (32 bytes).
    pub hash: &'static str,
    pub description: &'static str,
}

/// The highlights. They are constants, so that the start page does not open the archive.
pub const HIGHLIGHTS: [Highlight; 9] = [
    Highlight {
        name: "Alice",
        hash: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        description: highlight::ALICE,
    },
    Highlight {
        name: "Router swap",
        hash: "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5",
        description: highlight::SWAP,
    },
    Highlight {
        name: "Reentrancy",
        hash: "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa",
        description: highlight::REENTRANCY,
    },
    Highlight {
        name: "Deep revert",
        hash: "0xdfb1e46155218dee231ecdef3b29a02bcbcbc2f1b216450885f79f4a0c28166c",
        description: highlight::DEEP_REVERT,
    },
    Highlight {
        name: "Swallowed errors",
        hash: "0x8fead60105b67d1c1d4cb7f34bae2f09bfb9b852a282ba481e2084b7ae7ca89f",
        description: highlight::SWALLOWED_ERRORS,
    },
    Highlight {
        name: "Recursor",
        hash: "0x7ef8E99980Da5bcEDcF7C10f41E55f759F6A174B",
        description: highlight::RECURSOR,
    },
    Highlight {
        name: "Zero address",
        hash: "0x0000000000000000000000000000000000000000",
        description: highlight::ZERO_ADDRESS,
    },
    Highlight {
        name: "Hostile token",
        hash: "0x0165878A594ca255338adfa4d48449f69242Eb8F",
        description: highlight::HOSTILE_TOKEN,
    },
    Highlight {
        name: "Exactly 51",
        hash: "0x71bE63f3384f5fb98995898A86B02Fb2426c5788",
        description: highlight::EXACTLY_51,
    },
];

/// The demo chain. Its tables are loaded on first use, the newest blocks without the others.
#[derive(Debug)]
pub struct DemoChain {
    archive: DemoArchive,
    snapshot: Snapshot,
}

#[derive(Deserialize)]
struct ContractMember {
    name: Box<str>,
    abi: Box<RawValue>,
    /// The path of its source.
    file: Box<str>,
}

#[derive(Deserialize)]
struct ChainMember {
    coin_exchange_rate: Box<str>,
    coin_historic_exchange_rate: Box<str>,
}

/// A log of token transfers, with the place of its transaction.
#[derive(Deserialize)]
struct TransferMember {
    block: u64,
    position: u32,
    log_index: u32,
    #[serde(with = "serde_util::text")]
    token: Address,
    #[serde(rename = "type")]
    standard: TokenStandard,
    #[serde(with = "serde_util::text")]
    from: Address,
    #[serde(with = "serde_util::text")]
    to: Address,
    #[serde(with = "serde_util::list")]
    ids: Option<Vec<U256>>,
    #[serde(with = "serde_util::option")]
    amount: Option<U256>,
    #[serde(with = "serde_util::list")]
    amounts: Option<Vec<U256>>,
}

impl TransferMember {
    fn into_log(self, transaction_hash: B256) -> TransferLog {
        TransferLog {
            block_number: self.block,
            log_index: self.log_index,
            transaction_hash,
            token: self.token,
            standard: self.standard,
            from: self.from,
            to: self.to,
            ids: self.ids,
            amount: self.amount,
            amounts: self.amounts,
        }
    }
}

#[derive(Deserialize)]
struct RawTraceMember {
    block: u64,
    position: u32,
    trace: Box<RawValue>,
}

impl DemoChain {
    /// Returns the chain, which all servers share, without loading a table.
    pub fn open() -> StoreResult<Arc<Self>> {
        static SHARED: OnceLock<StoreResult<Arc<DemoChain>>> = OnceLock::new();
        SHARED.get_or_init(|| Ok(Arc::new(Self::open_archive()?))).clone()
    }

    fn open_archive() -> anyhow::Result<Self> {
        let archive = DemoArchive::open()?;
        let chain: ChainMember = archive.read_value("meta.json")?;
        let segments = archive.first_blocks("blocks").into_iter();
        let segments = segments.map(|first_block| Arc::new(segment(&archive, first_block)));
        let state = ChainState {
            accounts: indexed_table(&archive, "addresses.jsonl", |row: &AccountRecord| row.hash),
            tokens: indexed_table(&archive, "tokens.jsonl", |row: &TokenRecord| row.address_hash),
            instances: instances(archive.clone()),
            balances: archive.table("balances.jsonl".to_owned()),
            unasked_holders: HashSet::new(),
            failures: HashMap::new(),
            contracts: Arc::new(contracts(archive.clone())),
            coin_exchange_rate: Some(chain.coin_exchange_rate),
            historic_coin_exchange_rate: Some(chain.coin_historic_exchange_rate),
            imitates_blockscout: true,
            parts: StateParts::All,
        };
        let snapshot = Snapshot {
            segments: segments.collect(),
            histories: Arc::default(),
            coverage: None,
            state: Arc::new(state),
        };
        Ok(Self { archive, snapshot })
    }
}

impl ServedChain for DemoChain {
    fn snapshot(&self) -> StoreResult<Snapshot> {
        Ok(self.snapshot.clone())
    }

    fn older_blocks(&self, _: &Snapshot, _: Instant) -> Option<Snapshot> {
        None
    }

    fn load(&self, snapshot: &Snapshot, _: HashSet<StateKey>) -> StoreResult<Snapshot> {
        Ok(snapshot.clone())
    }

    fn call(
        &self,
        to: Address,
        data: &Bytes,
        block: Option<u64>,
    ) -> StoreResult<Result<Bytes, CallFailure>> {
        let newest = self.snapshot.head()?.map(|head| head.number);
        let (answer, none) = match block {
            Some(block) if Some(block) > newest => {
                return Err(StoreError::Unsupported(ChainDataError::NoBlockYet { block }));
            }
            Some(block) if Some(block) < newest => {
                (balance_after(&self.snapshot, to, data, block)?, ChainDataError::NoOldAnswers)
            }
            _ => (recorded_answer(&self.snapshot, to, data)?, ChainDataError::NoCode),
        };
        answer.map(|answer| Ok(answer.into())).ok_or(StoreError::Unsupported(none))
    }

    fn storage_at(&self, contract: Address, slot: U256, block: Option<u64>) -> StoreResult<U256> {
        let newest = self.snapshot.head()?.map_or(0, |head| head.number);
        match block {
            Some(block) if block > newest => {
                Err(StoreError::Unsupported(ChainDataError::NoBlockYet { block }))
            }
            block => word_after(&self.archive, contract, slot, block.unwrap_or(newest)),
        }
    }

    /// The tables have no code, but the trace of the creation does.
    fn contract_code(&self, account: &AccountRecord, at: &Snapshot) -> StoreResult<ContractCode> {
        let creation = account.creation_tx.map(|hash| at.transaction(hash)).transpose()?.flatten();
        let trace = creation.map(|creation| self.raw_trace(creation)).transpose()?.flatten();
        Ok(trace.map(|trace| created_code(&trace, account.hash)).unwrap_or_default())
    }

    /// Traces are a third of the archive and rarely requested, so they are decompressed by a few blocks
    /// and not kept.
    fn raw_trace(&self, transaction: &TransactionRecord) -> StoreResult<Option<Box<RawValue>>> {
        let Some(member) = self.archive.trace_member(transaction.block_number) else {
            return Ok(None);
        };
        let mut found = None;
        self.archive.read_lines(&member, |row: RawTraceMember| {
            let position = TransactionPosition { block_number: row.block, index: row.position };
            if position == transaction.position() {
                found = Some(row.trace);
            }
        })?;
        Ok(found)
    }
}

/// Returns the blocks of the members that begin with one.
fn segment(archive: &DemoArchive, first_block: u64) -> Segment {
    let member = |table| block_member(table, first_block);
    let transactions = archive.sorted_table(member("transactions"), TransactionRecord::position);
    Segment {
        first_block,
        blocks: archive.table(member("blocks")),
        transactions: transactions.clone(),
        internal_transactions: archive
            .sorted_table(member("internal_transactions"), InternalTransactionRecord::position),
        console_lines: Table::loaded(Vec::new()),
        transfers: transfers(archive.clone(), member("token_transfers"), transactions),
        logs: archive.sorted_table(member("logs"), LogRecord::position),
        unreadable: Vec::new(),
    }
}

/// Returns the token transfers of a member with batches expanded.
fn transfers(
    archive: DemoArchive,
    member: String,
    transactions: Table<Vec<TransactionRecord>>,
) -> Table<Vec<TransferRecord>> {
    Table::new(move || {
        let known = transactions.get()?;
        let mut rows = Vec::new();
        for log in archive.rows::<TransferMember>(&member)? {
            let position = TransactionPosition { block_number: log.block, index: log.position };
            let found = known.binary_search_by(|row| position.cmp(&row.position()));
            let transaction = found.ok().and_then(|index| known.get(index));
            let transaction = transaction.with_context(|| member.clone())?;
            rows.extend(expand_batch(&log.into_log(transaction.hash)));
        }
        rows.sort_unstable_by_key(|row| Reverse(row.position));
        Ok(rows)
    })
}

fn contracts(archive: DemoArchive) -> Table<VerifiedContracts> {
    Table::new(move || {
        let mut contracts = VerifiedContracts::default();
        let mut sources = HashMap::new();
        archive.read_lines("sources.jsonl", |row: ContractSource| {
            sources.insert(row.file_path.clone(), Arc::new(row));
        })?;
        archive.read_lines("contracts.jsonl", |row: ContractMember| {
            if let Some(source) = sources.get(&Some(row.file)) {
                contracts.add_source(row.name.clone(), Arc::clone(source));
            }
            contracts.insert(row.name, row.abi);
        })?;
        Ok(contracts)
    })
}

fn instances(archive: DemoArchive) -> Table<InstanceTable> {
    Table::new(move || {
        let mut table = InstanceTable::new();
        archive.read_lines("instances.jsonl", |row: InstanceRecord| {
            table.entry(row.token).or_default().insert(row.id, row);
        })?;
        Ok(table)
    })
}

fn indexed_table<T: DeserializeOwned + 'static>(
    archive: &DemoArchive,
    member: &'static str,
    key: fn(&T) -> Address,
) -> Table<HashMap<Address, T>> {
    let archive = archive.clone();
    Table::new(move || {
        let mut table = HashMap::new();
        archive.read_lines(member, |row| drop(table.insert(key(&row), row)))?;
        Ok(table)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the demo chain with older blocks whose tables cannot be read.
    fn without_older_rows(demo: &DemoChain) -> Snapshot {
        fn unread<T: Send + 'static>() -> Table<T> {
            Table::failed(StoreError::Damaged("unread".into()))
        }
        let newest = Arc::clone(demo.snapshot.segments.last().unwrap());
        let older = Segment {
            first_block: 0,
            blocks: unread(),
            transactions: unread(),
            internal_transactions: unread(),
            console_lines: unread(),
            transfers: unread(),
            logs: unread(),
            unreadable: Vec::new(),
        };
        Snapshot { segments: [Arc::new(older), newest].into(), ..demo.snapshot.clone() }
    }

    #[test]
    fn newest_rows_of_an_address_need_no_older_blocks() {
        let snapshot = without_older_rows(&DemoChain::open().unwrap());
        let alice: Address = HIGHLIGHTS[0].hash.parse().unwrap();
        let rows = |count| {
            let found = snapshot.newest_transactions(u64::MAX, count, |row| row.from == alice);
            found.map(|rows| rows.len())
        };
        assert_eq!(rows(51).unwrap(), 51);
        assert!(rows(1_000).is_err(), "unknown rows are not taken for none");
        assert_eq!(snapshot.newest_transfers(51, |row| row.involves(alice)).unwrap().len(), 51);
        assert!(snapshot.newest_transfers(51, |row| row.token == alice).is_err());
        assert_eq!(snapshot.newest_logs(51, |_| true).unwrap().len(), 51);
        let (calls, end) = snapshot.newest_internal_transactions(51, |_| true);
        assert!(calls.len() == 51 && end.is_ok());
        let (calls, end) = snapshot.newest_internal_transactions(5_000, |_| true);
        assert!(calls.len() > 51 && end.is_err(), "those before are known");
    }

    #[test]
    fn accounts_without_code_emit_no_logs() {
        let demo = DemoChain::open().unwrap();
        let (snapshot, mut emitters) = (&demo.snapshot, HashSet::new());
        emitters.extend(snapshot.logs(u64::MAX).unwrap().map(|log| log.address));
        emitters.extend(snapshot.transfers(u64::MAX).unwrap().map(|transfer| transfer.token));
        assert!(emitters.iter().all(|emitter| !snapshot.state.never_had_code(*emitter).unwrap()));
        let alice: Address = HIGHLIGHTS[0].hash.parse().unwrap();
        assert!(snapshot.state.never_had_code(alice).unwrap());
        let partial = ChainState::partial(HashSet::new());
        assert!(!partial.never_had_code(alice).unwrap(), "an unknown account may have had code");
    }
}
