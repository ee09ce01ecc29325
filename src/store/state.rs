//! The state of a chain, without its blocks: accounts, tokens, instances and balances.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use alloy_primitives::{Address, B256, Bytes, U256};
use parking_lot::Mutex;
use serde_json::value::RawValue;

use super::lazy_table::{StoreError, StoreResult, Table};
use super::records::{
    AccountRecord, BalanceRecord, InstanceRecord, TokenRecord, TransactionFailure,
    TransactionRecord, UNTRACED_ERROR,
};
use crate::abi::{ContractSource, DecodedCall, SignatureDb};
use crate::messages::chain_data::ChainDataError;
use crate::messages::transaction::ALL_GAS_USED;

pub type AccountTable = HashMap<Address, AccountRecord>;
pub type TokenTable = HashMap<Address, TokenRecord>;
pub type InstanceTable = HashMap<Address, BTreeMap<U256, InstanceRecord>>;

/// A list of an address whose rows a node may find in its own history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HistoryList {
    Transactions,
    InternalTransactions,
    TokenTransfers,
}

/// The rows of a list that are before a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HistoryKey {
    pub list: HistoryList,
    pub address: Address,
    pub before: u64,
}

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumTryAs)]
pub enum StateKey {
    Account(Address),
    /// The coin balance of an account, and who created it.
    AccountDetail(Address),
    Token(Address),
    /// The token balances of an address.
    Balances(Address),
    /// All contracts that the chain's transactions created, as accounts.
    Contracts,
    /// The balances of a token.
    Holders(Address),
    /// The ids of a token.
    Instances(Address),
    /// The owner and the metadata of an instance.
    Instance(Address, U256),
    /// The blocks before those that are known.
    OlderBlocks,
    /// The blocks after those that are known.
    NewerBlocks,
    /// The block of a transaction that is in no known block.
    Transaction(B256),
    /// A block before those that are known.
    Block(u64),
    /// Rows before the index that the node finds itself.
    History(HistoryKey),
    /// The failure of a transaction whose calls are read on demand.
    Failure(B256),
}

impl StateKey {
    /// Returns `true` for data of tokens, which are found by their transfers.
    pub fn is_of_tokens(&self) -> bool {
        match self {
            Self::Token(_)
            | Self::Balances(_)
            | Self::Holders(_)
            | Self::Instances(_)
            | Self::Instance(..) => true,
            Self::Account(_)
            | Self::AccountDetail(_)
            | Self::Contracts
            | Self::OlderBlocks
            | Self::NewerBlocks
            | Self::Transaction(_)
            | Self::Block(_)
            | Self::History(_)
            | Self::Failure(_) => false,
        }
    }

    /// Returns `true` for blocks before those that are known, read for one response.
    pub fn is_older_block(&self) -> bool {
        matches!(self, Self::Transaction(_) | Self::Block(_) | Self::History(..))
    }
}

/// A failure as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct KnownFailure<'a> {
    /// `None` while it is read.
    pub error: Option<&'a str>,
    pub revert_data: Option<&'a Bytes>,
}

/// The state at the head of a chain: all of it, or the parts that were asked for.
#[derive(Debug)]
pub struct ChainState {
    pub accounts: Table<AccountTable>,
    pub tokens: Table<TokenTable>,
    pub instances: Table<InstanceTable>,
    pub balances: Table<Vec<BalanceRecord>>,
    /// Tokens whose holders are unknown: more accounts may be than a node can be asked for.
    pub unasked_holders: HashSet<Address>,
    /// By transaction, those that are not in the transactions themselves. `None` is one that is still read.
    pub failures: HashMap<B256, Option<TransactionFailure>>,
    pub contracts: Arc<Table<VerifiedContracts>>,
    /// Dollars for one coin, now and when the transactions were mined.
    pub coin_exchange_rate: Option<Box<str>>,
    pub historic_coin_exchange_rate: Option<Box<str>>,
    /// `true` for the demo chain: responses lack what Blockscout's lack, and have what it adds.
    pub imitates_blockscout: bool,
    pub parts: StateParts,
}

/// The parts of the state that the tables have.
#[derive(Debug)]
pub enum StateParts {
    All,
    Some {
        known: HashSet<StateKey>,
        /// The parts that were looked up in vain.
        missed: Mutex<HashSet<StateKey>>,
    },
}

impl StateParts {
    /// Returns the parts that are known, if not all are.
    pub fn known(&self) -> impl Iterator<Item = StateKey> {
        let known = if let Self::Some { known, .. } = self { Some(known) } else { None };
        known.into_iter().flatten().copied()
    }

    /// Notes a part that is not known.
    pub fn look_up(&self, key: StateKey) {
        if let Self::Some { known, missed } = self
            && !known.contains(&key)
        {
            missed.lock().insert(key);
        }
    }

    /// Returns the parts that were looked up in vain.
    pub fn missed(&self) -> HashSet<StateKey> {
        match self {
            Self::All => HashSet::new(),
            Self::Some { missed, .. } => missed.lock().clone(),
        }
    }
}

impl ChainState {
    /// Creates a state with empty tables, of which some parts are known.
    pub fn partial(known: HashSet<StateKey>) -> Self {
        Self {
            accounts: Table::loaded(AccountTable::new()),
            tokens: Table::loaded(TokenTable::new()),
            instances: Table::loaded(InstanceTable::new()),
            balances: Table::loaded(Vec::new()),
            unasked_holders: HashSet::new(),
            failures: HashMap::new(),
            contracts: Arc::new(Table::loaded(VerifiedContracts::default())),
            coin_exchange_rate: None,
            historic_coin_exchange_rate: None,
            imitates_blockscout: false,
            parts: StateParts::Some { known, missed: Mutex::default() },
        }
    }

    /// Returns the failure of a transaction, if it failed.
    pub fn failure<'a>(&'a self, tx: &'a TransactionRecord) -> Option<KnownFailure<'a>> {
        let error = tx.error.as_deref()?;
        let sent = KnownFailure { error: Some(error), revert_data: tx.revert_data.as_ref() };
        if error != UNTRACED_ERROR {
            return Some(sent);
        }
        self.parts.look_up(StateKey::Failure(tx.hash));
        let read = self.failures.get(&tx.hash);
        let named = read.and_then(Option::as_ref).filter(|read| &*read.error != UNTRACED_ERROR);
        if let Some(TransactionFailure { error, revert_data }) = named {
            return Some(KnownFailure { error: Some(error), revert_data: revert_data.as_ref() });
        }
        if tx.gas_used == tx.gas_limit && tx.revert_data.is_none() {
            return Some(KnownFailure { error: Some(ALL_GAS_USED), revert_data: None });
        }
        let is_unread = read.is_some_and(Option::is_none) && tx.revert_data.is_none();
        Some(if is_unread { KnownFailure { error: None, ..sent } } else { sent })
    }

    pub fn account(&self, address: Address) -> StoreResult<Option<&AccountRecord>> {
        self.parts.look_up(StateKey::Account(address));
        Ok(self.accounts.get()?.get(&address))
    }

    /// Returns the account whose code runs in calls of another: its own, or the one that it delegates to.
    pub fn running_account(&self, address: Address) -> StoreResult<Option<&AccountRecord>> {
        let account = self.account(address)?;
        match account.and_then(AccountRecord::delegate) {
            Some(delegate) => self.account(delegate),
            None => Ok(account),
        }
    }

    /// Returns an account with its balance and creation.
    pub fn account_detail(&self, address: Address) -> StoreResult<Option<&AccountRecord>> {
        self.parts.look_up(StateKey::AccountDetail(address));
        self.account(address)
    }

    /// Returns `true` if an address is known never to have had code, and so to have emitted no log: all accounts
    /// are known, with the creations of destroyed contracts.
    pub fn never_had_code(&self, address: Address) -> StoreResult<bool> {
        if !matches!(self.parts, StateParts::All) {
            return Ok(false);
        }
        let account = self.account(address)?;
        Ok(account.is_none_or(|account| !account.has_code() && account.creation_tx.is_none()))
    }

    /// Returns the account that a domain name points to.
    pub fn account_by_domain(&self, name: &str) -> StoreResult<Option<&AccountRecord>> {
        let mut accounts = self.accounts.get()?.values();
        Ok(accounts.find(|account| {
            account.ens.as_deref().is_some_and(|ens| ens.eq_ignore_ascii_case(name))
        }))
    }

    /// Notes that a response searches the names of all contracts.
    pub fn request_contracts(&self) {
        self.parts.look_up(StateKey::Contracts);
    }

    pub fn token(&self, address: Address) -> StoreResult<Option<&TokenRecord>> {
        self.parts.look_up(StateKey::Token(address));
        Ok(self.tokens.get()?.get(&address))
    }

    pub fn balances(&self, holder: Address) -> StoreResult<impl Iterator<Item = &BalanceRecord>> {
        self.parts.look_up(StateKey::Balances(holder));
        Ok(self.balances.get()?.iter().filter(move |row| row.address == holder))
    }

    pub fn holders(&self, token: Address) -> StoreResult<impl Iterator<Item = &BalanceRecord>> {
        self.request_holder_count(token);
        if self.unasked_holders.contains(&token) {
            return Err(StoreError::Unsupported(ChainDataError::TooManyHolders));
        }
        Ok(self.balances.get()?.iter().filter(move |row| row.token == token))
    }

    /// Notes that a response has the number of a token's holders.
    pub fn request_holder_count(&self, token: Address) {
        self.parts.look_up(StateKey::Holders(token));
    }

    /// Returns the instances of a token by descending id, perhaps without metadata.
    pub fn instances(&self, token: Address) -> StoreResult<impl Iterator<Item = &InstanceRecord>> {
        self.parts.look_up(StateKey::Instances(token));
        let instances = self.instances.get()?.get(&token);
        Ok(instances.into_iter().flat_map(|all| all.values().rev()))
    }

    pub fn instance(&self, token: Address, id: U256) -> StoreResult<Option<&InstanceRecord>> {
        self.parts.look_up(StateKey::Instance(token, id));
        Ok(self.instances.get()?.get(&token).and_then(|all| all.get(&id)))
    }
}

/// The contracts whose source is known, by name.
#[derive(Debug, Default)]
pub struct VerifiedContracts {
    abis: BTreeMap<Box<str>, Box<RawValue>>,
    sources: HashMap<Box<str>, Arc<ContractSource>>,
    /// The signatures of all contracts.
    signatures: OnceLock<Arc<SignatureDb>>,
    parsed: Mutex<ParsedAbis>,
}

/// The ABIs that were asked for: a page of rows has calls of few contracts.
#[derive(Debug, Default)]
struct ParsedAbis {
    names: HashSet<Box<str>>,
    signatures: Arc<SignatureDb>,
}

impl ParsedAbis {
    /// Adds the ABI of the contracts with a name. Entries that cannot be parsed decode nothing.
    fn add(&mut self, name: &str, abi: &RawValue) {
        if self.names.insert(name.into()) {
            let _ = Arc::make_mut(&mut self.signatures).add_abi(Path::new(name), abi.get());
        }
    }
}

impl From<Arc<SignatureDb>> for VerifiedContracts {
    /// Creates contracts with the ABIs of their accounts.
    fn from(signatures: Arc<SignatureDb>) -> Self {
        Self { signatures: signatures.into(), ..Self::default() }
    }
}

impl VerifiedContracts {
    /// Adds the ABI of the contracts with a name.
    pub fn insert(&mut self, name: Box<str>, abi: Box<RawValue>) {
        self.abis.insert(name, abi);
    }

    /// Returns the signatures of all contracts.
    pub fn signatures(&self) -> &SignatureDb {
        self.signatures.get_or_init(|| {
            let mut parsed = ParsedAbis::default();
            self.abis.iter().for_each(|(name, abi)| parsed.add(name, abi));
            parsed.signatures
        })
    }

    /// Returns the signatures of the contracts with some names, and perhaps of others.
    pub fn signatures_of(&self, names: &[&str]) -> Arc<SignatureDb> {
        if let Some(all) = self.signatures.get() {
            return Arc::clone(all);
        }
        let mut parsed = self.parsed.lock();
        for name in names {
            if let Some(abi) = self.abis.get(*name) {
                parsed.add(name, abi);
            }
        }
        Arc::clone(&parsed.signatures)
    }

    /// Decodes the creation of a compiled contract. An ABI alone has no code.
    pub fn decode_creation(&self, init_code: &[u8]) -> Option<DecodedCall> {
        self.signatures.get()?.decode_creation(init_code)
    }

    pub fn add_source(&mut self, name: Box<str>, source: Arc<ContractSource>) {
        self.sources.insert(name, source);
    }

    pub fn source(&self, name: &str) -> Option<&ContractSource> {
        self.sources.get(name).map(|source| &**source)
    }

    pub fn abi(&self, name: &str) -> Option<&RawValue> {
        self.abis.get(name).map(|abi| &**abi)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    #[test]
    fn abis_are_parsed_when_their_contracts_are_asked_for() {
        let mut contracts = VerifiedContracts::default();
        for name in ["Pool", "Vault"] {
            let function =
                serde_json::json!([{ "type": "function", "name": "sync", "inputs": [] }]);
            contracts.insert(name.into(), to_raw_value(&function).unwrap());
        }
        let parsed = |contracts: &VerifiedContracts| contracts.parsed.lock().names.len();
        let decode = |names: &[&str]| {
            let call =
                contracts.signatures_of(names).decode_call(None, names, &[0xff, 0xf6, 0xca, 0xe9]);
            call.map(|call| call.source.is_selector_only())
        };
        assert_eq!((decode(&["Router"]), parsed(&contracts)), (None, 0));
        assert_eq!((decode(&["Router", "Vault"]), parsed(&contracts)), (Some(false), 1));
        assert_eq!((decode(&["Pool"]), parsed(&contracts)), (Some(false), 2));
        assert!(contracts.decode_creation(&[]).is_none() && contracts.signatures.get().is_none());
        assert_eq!(contracts.signatures().functions(|_, _| true).len(), 1);
        assert_eq!((decode(&["Vault"]), parsed(&contracts)), (Some(false), 2));
    }
}
