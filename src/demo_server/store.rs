//! The chain's tables. Each is read when it is first asked for, and then stays.
//!
//! Reading one takes milliseconds of pure computing, so whoever asks must not be on a thread of
//! the async runtime.

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use alloy_primitives::{Address, B256, U256};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    demo_chain::{Archive, Broken},
    models::{Account, Balance, Block, Instance, Internal, Meta, RawTrace, Token, Transaction},
    transfer_batches::{self, Transfer},
};

/// The transactions, newest first.
#[derive(Debug)]
pub(crate) struct Transactions {
    pub(crate) rows: Vec<Transaction>,
    by_hash: HashMap<B256, usize>,
}

impl Transactions {
    /// The transaction with this hash.
    pub(crate) fn get(&self, hash: B256) -> Option<&Transaction> {
        self.by_hash.get(&hash).and_then(|&row| self.rows.get(row))
    }
}

/// What is known of each address.
pub(crate) type Accounts = HashMap<Address, Account>;
/// The token contracts.
pub(crate) type Tokens = HashMap<Address, Token>;
/// The instances of each token, by id.
pub(crate) type Instances = HashMap<Address, BTreeMap<U256, Instance>>;

type Lazy<T> = OnceLock<Result<T, Broken>>;

/// A chain's records, read table by table as they are needed.
#[derive(Debug)]
pub struct Ledger {
    archive: Archive,
    meta: Lazy<Meta>,
    blocks: Lazy<Vec<Block>>,
    accounts: Lazy<Accounts>,
    tokens: Lazy<Tokens>,
    instances: Lazy<Instances>,
    balances: Lazy<Vec<Balance>>,
    transactions: Lazy<Transactions>,
    transfers: Lazy<Vec<Transfer>>,
    internals: Lazy<Vec<Internal>>,
}

impl Ledger {
    /// The demo chain. Opens the archive and reads no table yet.
    pub fn demo() -> Result<Self, Broken> {
        Ok(Self {
            archive: Archive::open()?,
            meta: Lazy::new(),
            blocks: Lazy::new(),
            accounts: Lazy::new(),
            tokens: Lazy::new(),
            instances: Lazy::new(),
            balances: Lazy::new(),
            transactions: Lazy::new(),
            transfers: Lazy::new(),
            internals: Lazy::new(),
        })
    }

    pub(crate) fn meta(&self) -> Result<&Meta, Broken> {
        once(&self.meta, || self.archive.read_value("meta.json"))
    }

    /// All blocks; a block's number is its index.
    pub(crate) fn blocks(&self) -> Result<&[Block], Broken> {
        once(&self.blocks, || self.table("blocks.jsonl")).map(Vec::as_slice)
    }

    /// The block with this number.
    pub(crate) fn block(&self, number: u32) -> Result<Option<&Block>, Broken> {
        Ok(self.blocks()?.get(number as usize))
    }

    pub(crate) fn accounts(&self) -> Result<&Accounts, Broken> {
        once(&self.accounts, || self.keyed("addresses.jsonl", |row: &Account| row.hash))
    }

    pub(crate) fn tokens(&self) -> Result<&Tokens, Broken> {
        once(&self.tokens, || self.keyed("tokens.jsonl", |row: &Token| row.address_hash))
    }

    pub(crate) fn instances(&self) -> Result<&Instances, Broken> {
        once(&self.instances, || {
            let mut table = Instances::new();
            self.archive.read_lines("instances.jsonl", |row: Instance| {
                table.entry(row.token).or_default().insert(row.id, row);
            })?;
            Ok(table)
        })
    }

    pub(crate) fn balances(&self) -> Result<&[Balance], Broken> {
        once(&self.balances, || self.table("balances.jsonl")).map(Vec::as_slice)
    }

    pub(crate) fn transactions(&self) -> Result<&Transactions, Broken> {
        once(&self.transactions, || {
            let mut rows: Vec<Transaction> = self.table("transactions.jsonl")?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse((row.block_number, row.position)));
            let by_hash = rows.iter().enumerate().map(|(row, it)| (it.hash, row)).collect();
            Ok(Transactions { rows, by_hash })
        })
    }

    /// Token transfers, newest first, batches unrolled.
    pub(crate) fn transfers(&self) -> Result<&[Transfer], Broken> {
        once(&self.transfers, || {
            let mut rows = Vec::new();
            self.archive.read_lines("token_transfers.jsonl", |log| {
                rows.extend(transfer_batches::unroll(&log));
            })?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.place()));
            Ok(rows)
        })
        .map(Vec::as_slice)
    }

    /// Internal transactions, newest first.
    pub(crate) fn internals(&self) -> Result<&[Internal], Broken> {
        once(&self.internals, || {
            let mut rows: Vec<Internal> = self.table("internal_transactions.jsonl")?;
            rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.place()));
            Ok(rows)
        })
        .map(Vec::as_slice)
    }

    /// The raw trace of a transaction. Traces are two thirds of the chain and seldom asked for:
    /// they are unpacked block by block and not kept.
    pub(crate) fn raw_trace(&self, of: &Transaction) -> Result<Option<Box<RawValue>>, Broken> {
        let mut found = None;
        let member = format!("raw_traces/{}.jsonl", of.block_number);
        self.archive.read_lines(&member, |row: RawTrace| {
            if row.hash == of.hash {
                found = Some(row.trace);
            }
        })?;
        Ok(found)
    }

    fn table<T: DeserializeOwned>(&self, member: &str) -> Result<Vec<T>, Broken> {
        let mut rows = Vec::new();
        self.archive.read_lines(member, |row| rows.push(row))?;
        rows.shrink_to_fit();
        Ok(rows)
    }

    fn keyed<T: DeserializeOwned>(
        &self,
        member: &str,
        key: impl Fn(&T) -> Address,
    ) -> Result<HashMap<Address, T>, Broken> {
        let rows: Vec<T> = self.table(member)?;
        Ok(rows.into_iter().map(|row| (key(&row), row)).collect())
    }
}

fn once<T>(cell: &Lazy<T>, read: impl FnOnce() -> Result<T, Broken>) -> Result<&T, Broken> {
    cell.get_or_init(read).as_ref().map_err(Clone::clone)
}
