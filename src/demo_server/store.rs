//! The tables of the chain, each loaded on first use and then kept.
//!
//! Loading one is milliseconds of computing, so calls belong on a blocking thread.

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use alloy_primitives::{Address, B256, U256};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    demo_chain::{DemoArchive, DemoDataError},
    models::{
        AccountRecord, BalanceRecord, BlockRecord, ChainMetaRecord, ContractRecord, InstanceRecord,
        InternalTransactionRecord, RawTraceRecord, TokenRecord, TransactionRecord,
    },
    transfer_batches::{self, DemoTransfer},
};

#[derive(Debug)]
pub(crate) struct TransactionTable {
    pub(crate) rows: Vec<TransactionRecord>,
    by_hash: HashMap<B256, usize>,
}

impl TransactionTable {
    pub(crate) fn get(&self, hash: B256) -> Option<&TransactionRecord> {
        self.by_hash.get(&hash).and_then(|&row| self.rows.get(row))
    }
}

pub(crate) type AccountTable = HashMap<Address, AccountRecord>;
pub(crate) type TokenTable = HashMap<Address, TokenRecord>;
pub(crate) type InstanceTable = HashMap<Address, BTreeMap<U256, InstanceRecord>>;

type LazyTable<T> = OnceLock<Result<T, DemoDataError>>;

/// The records of a chain, loaded table by table.
#[derive(Debug)]
pub struct Store {
    archive: DemoArchive,
    tables: StoreTables,
}

#[derive(Debug, Default)]
struct StoreTables {
    meta: LazyTable<ChainMetaRecord>,
    blocks: LazyTable<Vec<BlockRecord>>,
    accounts: LazyTable<AccountTable>,
    tokens: LazyTable<TokenTable>,
    instances: LazyTable<InstanceTable>,
    balances: LazyTable<Vec<BalanceRecord>>,
    transactions: LazyTable<TransactionTable>,
    transfers: LazyTable<Vec<DemoTransfer>>,
    internals: LazyTable<Vec<InternalTransactionRecord>>,
}

impl Store {
    /// Opens the demo chain without loading a table.
    pub fn demo() -> Result<Self, DemoDataError> {
        Ok(Self { archive: DemoArchive::open()?, tables: StoreTables::default() })
    }

    pub(crate) fn meta(&self) -> Result<&ChainMetaRecord, DemoDataError> {
        load_once(&self.tables.meta, || self.archive.read_value("meta.json"))
    }

    /// Returns all blocks; the index of a block is its number.
    pub(crate) fn blocks(&self) -> Result<&[BlockRecord], DemoDataError> {
        load_once(&self.tables.blocks, || self.table("blocks.jsonl")).map(Vec::as_slice)
    }

    pub(crate) fn block(&self, number: u32) -> Result<Option<&BlockRecord>, DemoDataError> {
        Ok(self.blocks()?.get(number as usize))
    }

    pub(crate) fn accounts(&self) -> Result<&AccountTable, DemoDataError> {
        load_once(&self.tables.accounts, || {
            self.indexed_table("addresses.jsonl", |row: &AccountRecord| row.hash)
        })
    }

    pub(crate) fn tokens(&self) -> Result<&TokenTable, DemoDataError> {
        load_once(&self.tables.tokens, || {
            self.indexed_table("tokens.jsonl", |row: &TokenRecord| row.address_hash)
        })
    }

    pub(crate) fn instances(&self) -> Result<&InstanceTable, DemoDataError> {
        load_once(&self.tables.instances, || {
            let mut table = InstanceTable::new();
            self.archive.read_lines("instances.jsonl", |row: InstanceRecord| {
                table.entry(row.token).or_default().insert(row.id, row);
            })?;
            Ok(table)
        })
    }

    pub(crate) fn balances(&self) -> Result<&[BalanceRecord], DemoDataError> {
        load_once(&self.tables.balances, || self.table("balances.jsonl")).map(Vec::as_slice)
    }

    pub(crate) fn transactions(&self) -> Result<&TransactionTable, DemoDataError> {
        load_once(&self.tables.transactions, || {
            let mut rows: Vec<TransactionRecord> = self.table("transactions.jsonl")?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse((row.block_number, row.position)));
            let by_hash = rows.iter().enumerate().map(|(row, it)| (it.hash, row)).collect();
            Ok(TransactionTable { rows, by_hash })
        })
    }

    /// Returns the token transfers, newest first, with batches expanded.
    pub(crate) fn transfers(&self) -> Result<&[DemoTransfer], DemoDataError> {
        load_once(&self.tables.transfers, || {
            let mut rows = Vec::new();
            self.archive.read_lines("token_transfers.jsonl", |log| {
                rows.extend(transfer_batches::expand_batch(&log));
            })?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.position));
            Ok(rows)
        })
        .map(Vec::as_slice)
    }

    /// Returns the internal transactions, newest first.
    pub(crate) fn internals(&self) -> Result<&[InternalTransactionRecord], DemoDataError> {
        load_once(&self.tables.internals, || {
            let mut rows: Vec<InternalTransactionRecord> =
                self.table("internal_transactions.jsonl")?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.position()));
            Ok(rows)
        })
        .map(Vec::as_slice)
    }

    /// Returns the raw trace of a transaction. Traces are two thirds of the archive and rarely
    /// requested, so they are decompressed per block and not kept.
    pub(crate) fn raw_trace(
        &self,
        of: &TransactionRecord,
    ) -> Result<Option<Box<RawValue>>, DemoDataError> {
        let mut found = None;
        let member = format!("raw_traces/{}.jsonl", of.block_number);
        self.archive.read_lines(&member, |row: RawTraceRecord| {
            if row.hash == of.hash {
                found = Some(row.trace);
            }
        })?;
        Ok(found)
    }

    /// Returns the ABI of the verified contract with a name.
    pub(crate) fn contract_abi(&self, name: &str) -> Result<Option<Box<RawValue>>, DemoDataError> {
        let mut found = None;
        self.archive.read_lines("contracts.jsonl", |row: ContractRecord| {
            if *row.name == *name {
                found = Some(row.abi);
            }
        })?;
        Ok(found)
    }

    fn table<T: DeserializeOwned>(&self, member: &str) -> anyhow::Result<Vec<T>> {
        let mut rows = Vec::new();
        self.archive.read_lines(member, |row| rows.push(row))?;
        rows.shrink_to_fit();
        Ok(rows)
    }

    fn indexed_table<T: DeserializeOwned>(
        &self,
        member: &str,
        key: impl Fn(&T) -> Address,
    ) -> anyhow::Result<HashMap<Address, T>> {
        let rows: Vec<T> = self.table(member)?;
        Ok(rows.into_iter().map(|row| (key(&row), row)).collect())
    }
}

fn load_once<T>(
    cell: &LazyTable<T>,
    read: impl FnOnce() -> anyhow::Result<T>,
) -> Result<&T, DemoDataError> {
    cell.get_or_init(|| Ok(read()?)).as_ref().map_err(Clone::clone)
}
