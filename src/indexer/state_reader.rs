//! Reads the parts of the state that a response needs: code, balances and the metadata of tokens.
//!
//! A response is made of a snapshot, whose state notes the parts that were looked up and are not there.
//! [`StateReader::load`] asks the node for these and returns a snapshot that has them; the response is
//! then made again. Everything is asked for at the newest block, and for each response again: cheat
//! codes change the state without a block.

mod account_code;
pub(super) mod deployed_contracts;
pub(super) mod holder_candidates;
mod inline_metadata;
mod known_builds;
mod token_balances;
pub(super) mod token_index;
mod token_standards;
mod upgraded_proxies;

use std::array;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::abi::{
    Artifact, CompiledContracts, IMPLEMENTATION_SLOT, ProjectContracts, code_selectors,
};
use crate::chain::development_accounts::{DEVELOPMENT_ACCOUNTS, development_account_number};
use crate::chain::token_standard::TokenStandard;
use crate::chain::{Address, B256, Bytes, U256};
use crate::rpc::{BlockTag, RpcClient, RpcError, RpcRequest};
use crate::store::{
    AccountRecord, AccountTable, BalanceRecord, ChainState, InstanceRecord, InstanceTable,
    Snapshot, StateKey, StoreResult, Table, TagRecord, TokenRecord, TokenTable, TransactionFailure,
    VerifiedContracts,
};

use super::contract_calls::{CallAnswer, ContractCall, selector};
use super::contract_reader::{ContractReader, unavailable};
use super::progress::IndexProgress;
use account_code::AccountCode;
use holder_candidates::{MAX_CANDIDATES, holder_candidates};
use inline_metadata::InlineMetadata;
use known_builds::KnownBuilds;
use token_balances::AskedBalance;
use token_index::TokenIndex;
use upgraded_proxies::upgraded_proxies;

/// Maximum tokens of a chain if all of them are asked for the balance of an address, which also finds
/// balances that a cheat code set without a transfer.
const MAX_TOKENS_ASKED: usize = 500;
/// Maximum accounts that are asked about to count the holders of several tokens.
const MAX_COUNTED_CANDIDATES: usize = 1_000;
/// Time that a response waits for parts of the state.
const LOAD_TIMEOUT: Duration = Duration::from_secs(8);
/// Time that a response waits for the metadata of tokens.
const METADATA_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks a node for parts of its current state.
#[derive(Debug)]
pub(super) struct StateReader {
    reader: ContractReader,
    project: Option<Arc<ProjectContracts>>,
}

/// A load of parts of the state: the tables that it fills, and the data to fill them from.
struct StateLoad<'a> {
    reader: &'a ContractReader,
    project: Option<&'a Arc<ProjectContracts>>,
    /// `true` for a development node on this machine.
    is_local: bool,
    chain_id: Option<u64>,
    snapshot: &'a Snapshot,
    parts: &'a HashSet<StateKey>,
    index: TokenIndex,
    accounts: AccountTable,
    tokens: TokenTable,
    instances: InstanceTable,
    balances: Vec<BalanceRecord>,
    /// Tokens of which too many accounts may be holders.
    unasked_holders: HashSet<Address>,
    contracts: Arc<Table<VerifiedContracts>>,
}

impl StateReader {
    pub(super) fn new(client: RpcClient, project: Option<Arc<ProjectContracts>>) -> Self {
        Self { reader: ContractReader::new(client), project }
    }

    pub(super) fn project(&self) -> Option<&ProjectContracts> {
        self.project.as_deref()
    }

    pub(super) fn reader(&self) -> &ContractReader {
        &self.reader
    }

    /// Returns the snapshot with more parts of the state.
    pub(super) async fn load(
        &self,
        snapshot: &Snapshot,
        parts: HashSet<StateKey>,
        chain: &IndexProgress,
        failures: HashMap<B256, Option<TransactionFailure>>,
    ) -> StoreResult<Snapshot> {
        let (address, seconds) = (self.reader.address(), LOAD_TIMEOUT.as_secs());
        timeout(LOAD_TIMEOUT, self.load_parts(snapshot, parts, chain, failures))
            .await
            .unwrap_or_else(|_| Err(unavailable(&RpcError::Timeout { address, seconds })))
    }

    async fn load_parts(
        &self,
        snapshot: &Snapshot,
        parts: HashSet<StateKey>,
        chain: &IndexProgress,
        mut failures: HashMap<B256, Option<TransactionFailure>>,
    ) -> StoreResult<Snapshot> {
        let needs_index = parts.iter().any(StateKey::is_of_tokens);
        let mut index =
            if needs_index { TokenIndex::new(snapshot)? } else { TokenIndex::default() };
        self.reader.note_head(snapshot)?;
        if let Ok(judged) = timeout(METADATA_TIMEOUT, self.reader.judge_nfts(&mut index)).await {
            judged?;
        }
        let state = &snapshot.state;
        let mut load = StateLoad {
            reader: &self.reader,
            project: self.project.as_ref(),
            is_local: chain.is_local,
            chain_id: chain.chain_id,
            snapshot,
            parts: &parts,
            index,
            accounts: state.accounts.get()?.clone(),
            tokens: state.tokens.get()?.clone(),
            instances: state.instances.get()?.clone(),
            balances: state.balances.get()?.clone(),
            unasked_holders: state.unasked_holders.clone(),
            contracts: Arc::clone(&state.contracts),
        };
        load.load_accounts().await?;
        load.load_account_details().await?;
        load.load_tokens().await?;
        load.load_balances().await?;
        load.load_holders().await?;
        load.list_instances()?;
        load.load_instances().await?;
        failures.extend(state.failures.iter().map(|(hash, failure)| (*hash, failure.clone())));
        let known: HashSet<_> = state.parts.known().chain(parts.iter().copied()).collect();
        if snapshot.coverage.is_none() {
            load.count_holders(&known);
        }
        let state = ChainState {
            accounts: Table::loaded(load.accounts),
            tokens: Table::loaded(load.tokens),
            instances: Table::loaded(load.instances),
            balances: Table::loaded(load.balances),
            unasked_holders: load.unasked_holders,
            failures,
            contracts: load.contracts,
            ..ChainState::partial(known)
        };
        Ok(Snapshot { state: Arc::new(state), ..snapshot.clone() })
    }
}

impl StateLoad<'_> {
    async fn load_accounts(&mut self) -> StoreResult<()> {
        let mut asked: HashSet<Address> =
            self.parts.iter().copied().filter_map(StateKey::try_as_account).collect();
        let compiled = match self.project.cloned() {
            // Artifacts are read for as long as they need, but waited for only within the time of a load.
            Some(project) => spawn_blocking(move || project.current()).await.ok().flatten(),
            None => None,
        };
        let CompiledContracts { artifacts, signatures, deployments } =
            &*compiled.unwrap_or_default();
        if self.parts.contains(&StateKey::Contracts) {
            let deployed = self.reader.deployed_contracts(self.snapshot).await?;
            asked.extend(deployed.searched(artifacts));
            asked.extend(DEVELOPMENT_ACCOUNTS.iter().filter(|_| self.is_local));
        }
        let code = |address: &Address| RpcRequest::code(*address, BlockTag::Latest);
        let slot = |address: &Address| {
            RpcRequest::storage(*address, IMPLEMENTATION_SLOT, BlockTag::Latest)
        };
        let read = self
            .reader
            .ask(asked.into_iter().collect(), |address| [code(address), slot(address)])
            .await?;
        let mut accounts: Vec<AccountCode> = read
            .into_iter()
            .map(|(address, [code, slot])| AccountCode::new(address, code.code(), slot.quantity()))
            .collect();
        self.load_other_proxies(&mut accounts).await?;
        let behind: HashSet<_> = accounts.iter().filter_map(AccountCode::implementation).collect();
        let behind = self
            .reader
            .ask(behind.into_iter().collect(), |address| [code(address)])
            .await?
            .into_iter()
            .map(|(address, [code])| (address, code.bytes()));
        let own = accounts.iter().filter_map(|own| Some((own.address, own.code.clone()?)));
        let codes: HashMap<Address, Bytes> = behind.chain(own).collect();

        let builds = KnownBuilds { artifacts, deployments, codes: &codes, chain_id: self.chain_id };
        self.keep_builds(builds.all());
        let has_builds = builds.all().next().is_some();
        let deployed = self.reader.deployed_contracts(self.snapshot);
        let numbers = if has_builds { deployed.await?.numbers(artifacts) } else { HashMap::new() };
        let mut token_names = self.token_names(&accounts, &codes).await?;
        let upgraded = upgraded_proxies(self.snapshot, &accounts)?;
        for account in &accounts {
            let address = account.address;
            let mut record = builds.record(account, &numbers);
            record.build.was_upgraded = upgraded.contains(&address).then_some(true);
            let given = record.build.deployment_name.clone();
            record.tags = token_names.remove(&address).map(|name| name_tags(given.unwrap_or(name)));
            if self.is_local && record.is_contract == Some(false) {
                let number = development_account_number(&address);
                record.name = number.map(|number| format!("#{number}").into());
            }
            self.accounts.insert(address, record);
        }
        self.contracts = Arc::new(Table::loaded(Arc::clone(signatures).into()));
        Ok(())
    }

    /// Keeps the builds of contracts, without waiting for it.
    fn keep_builds<'a>(&self, deployed: impl Iterator<Item = &'a Arc<Artifact>>) {
        let Some(project) = self.project else { return };
        let unkept = project.take_unkept(deployed);
        if !unkept.is_empty() {
            let project = Arc::clone(project);
            spawn_blocking(move || project.keep(&unkept));
        }
    }

    /// Calls `name()` of contracts whose code, or whose implementation's, has the functions of a token.
    async fn token_names(
        &self,
        accounts: &[AccountCode],
        codes: &HashMap<Address, Bytes>,
    ) -> StoreResult<HashMap<Address, Box<str>>> {
        const FUNCTIONS: [[u8; 4]; 3] = [selector::NAME, selector::SYMBOL, selector::BALANCE_OF];
        let is_token = |account: &&AccountCode| {
            let code = codes.get(&account.implementation().unwrap_or(account.address));
            let selectors = code.map(|code| code_selectors(code)).unwrap_or_default();
            FUNCTIONS.iter().all(|function| selectors.contains(function))
        };
        let tokens = accounts.iter().filter(is_token).map(|account| account.address).collect();
        let name = |token: &Address| [ContractCall::new(*token, selector::NAME, &[])];
        let named = self.ask_metadata(tokens, name).await?.into_iter();
        Ok(named
            .filter_map(|(token, [name])| {
                let name = name.text().filter(|name| !name.is_empty())?;
                Some((token, name.into()))
            })
            .collect())
    }

    /// Finds the implementations of proxies that have a beacon, and of Safes.
    async fn load_other_proxies(&self, accounts: &mut [AccountCode]) -> StoreResult<()> {
        let slots =
            accounts.iter_mut().filter_map(|account| Some((account.other_slot()?, account)));
        let slot = |(slot, account): &(B256, &mut AccountCode)| {
            [RpcRequest::storage(account.address, *slot, BlockTag::Latest)]
        };
        let mut behind_beacons = Vec::new();
        for ((_, account), [slot]) in self.reader.ask(slots.collect(), slot).await? {
            let beacon = slot.quantity().and_then(|slot| account.set_other_slot(slot));
            behind_beacons.extend(beacon.map(|beacon| (beacon, account)));
        }
        let implementation = |(beacon, _): &(Address, &mut AccountCode)| {
            [ContractCall::new(*beacon, selector::IMPLEMENTATION, &[])]
        };
        let read = self.reader.call(behind_beacons, BlockTag::Latest, implementation).await?;
        for ((_, account), [implementation]) in read {
            account.set_implementation(implementation.address());
        }
        Ok(())
    }

    async fn load_account_details(&mut self) -> StoreResult<()> {
        let asked =
            self.parts.iter().copied().filter_map(StateKey::try_as_account_detail).collect();
        let balance = |address: &Address| [RpcRequest::balance(*address, BlockTag::Latest)];
        for (address, [balance]) in self.reader.ask(asked, balance).await? {
            let is_contract = self.accounts.get(&address).is_some_and(AccountRecord::has_code);
            let creation = if is_contract { self.creation(address).await? } else { None };
            let account =
                self.accounts.entry(address).or_insert_with(|| AccountRecord::new(address));
            account.coin_balance = balance.quantity().map(|balance| balance.to_string().into());
            account.creator = creation.map(|(creator, _)| creator);
            account.creation_tx = creation.map(|(_, transaction)| transaction);
        }
        Ok(())
    }

    /// Returns the creator of a contract with the transaction, from the node if the contract may be
    /// older than the index.
    async fn creation(&self, contract: Address) -> StoreResult<Option<(Address, B256)>> {
        let indexed = self.snapshot.creation(contract)?;
        if indexed.is_some() || self.snapshot.first_indexed().is_none() {
            return Ok(indexed);
        }
        // The page of the contract does not depend on it.
        let creator = timeout(METADATA_TIMEOUT, self.reader.creator(contract)).await;
        Ok(creator.ok().and_then(Result::ok).flatten())
    }

    async fn load_tokens(&mut self) -> StoreResult<()> {
        const FUNCTIONS: [[u8; 4]; 4] =
            [selector::NAME, selector::SYMBOL, selector::DECIMALS, selector::TOTAL_SUPPLY];
        let tokens = self.parts.iter().copied().filter_map(StateKey::try_as_token);
        let asked = tokens.filter_map(|token| Some((token, self.index.standard(token)?))).collect();
        let read = self
            .ask_metadata(asked, |&(token, _)| {
                FUNCTIONS.map(|function| ContractCall::new(token, function, &[]))
            })
            .await?;
        for ((token, standard), [name, symbol, decimals, supply]) in read {
            let digits = |answer: CallAnswer| Some(answer.number()?.to_string().into());
            let record = TokenRecord {
                name: name.text().map(Into::into),
                symbol: symbol.text().map(Into::into),
                decimals: digits(decimals),
                total_supply: digits(supply),
                ..TokenRecord::new(token, standard)
            };
            self.tokens.insert(token, record);
        }
        Ok(())
    }

    async fn load_balances(&mut self) -> StoreResult<()> {
        for holder in self.parts.iter().copied().filter_map(StateKey::try_as_balances) {
            let received = token_index::received_tokens(self.snapshot, holder)?;
            let mut asked = Vec::new();
            for (token, standard) in self.index.iter() {
                if standard == TokenStandard::Erc1155 {
                    let ids = received.get(&token).into_iter().flatten();
                    asked.extend(ids.map(|id| (holder, token, standard, Some(*id))));
                } else if self.index.len() <= MAX_TOKENS_ASKED || received.contains_key(&token) {
                    asked.push((holder, token, standard, None));
                }
            }
            let balances = self.reader.balances(asked, self.snapshot).await?;
            self.balances.extend(balances.filter(|balance| {
                balance
                    .value
                    .map_or(received.contains_key(&balance.token), |value| !value.is_zero())
            }));
        }
        Ok(())
    }

    async fn load_holders(&mut self) -> StoreResult<()> {
        let keys = self.parts.iter().copied().filter_map(StateKey::try_as_holders);
        let tokens = keys.filter_map(|token| Some((token, self.index.standard(token)?)));
        let standards: HashMap<Address, TokenStandard> = tokens.collect();
        if standards.is_empty() {
            return Ok(());
        }
        let mut candidates =
            holder_candidates(self.snapshot, &standards.keys().copied().collect())?;
        let owner = |token: &Address| [ContractCall::new(*token, selector::OWNER, &[])];
        for (token, [owner]) in
            self.ask_metadata(standards.keys().copied().collect(), owner).await?
        {
            candidates.entry(token).or_default().add(owner.address().into_iter());
        }
        let mut asked: Vec<(Address, Vec<AskedBalance>)> = Vec::new();
        for (token, standard) in &standards {
            let accounts = candidates.entry(*token).or_default().accounts(*standard);
            let balance = |(holder, id)| (holder, *token, *standard, id);
            asked.push((*token, accounts.into_iter().map(balance).collect()));
        }
        // Of several tokens, the holders are only counted.
        let (most, time) = match &*asked {
            [_] => (MAX_CANDIDATES, LOAD_TIMEOUT),
            _ => (MAX_COUNTED_CANDIDATES, METADATA_TIMEOUT),
        };
        asked.sort_unstable_by_key(|(_, accounts)| accounts.len());
        let mut sum = 0;
        let count = asked
            .iter()
            .take_while(|(_, accounts)| {
                sum += accounts.len();
                sum <= most
            })
            .count();
        let unasked = asked.split_off(count);
        self.unasked_holders.extend(unasked.iter().map(|(token, _)| *token));
        let (tokens, accounts): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
        let balances =
            self.reader.balances(accounts.into_iter().flatten().collect(), self.snapshot);
        let Ok(balances) = timeout(time, balances).await else {
            self.unasked_holders.extend(tokens);
            return Ok(());
        };
        let is_holder = |balance: &BalanceRecord| match balance.value {
            Some(value) => !value.is_zero(),
            None => candidates
                .get(&balance.token)
                .is_some_and(|accounts| accounts.is_in_transfers(balance.address)),
        };
        self.balances.extend(balances?.filter(is_holder));
        Ok(())
    }

    async fn load_instances(&mut self) -> StoreResult<()> {
        let asked = self.parts.iter().copied().filter_map(StateKey::try_as_instance).collect();
        let facts = |&(token, id): &_| {
            let uri = if self.index.is_unique(token) { selector::TOKEN_URI } else { selector::URI };
            [uri, selector::OWNER_OF].map(|function| ContractCall::new(token, function, &[id]))
        };
        let mut receivers: HashMap<Address, BTreeMap<U256, Option<Address>>> = HashMap::new();
        for ((token, id), [uri, owner]) in self.ask_metadata(asked, facts).await? {
            let is_unique = self.index.is_unique(token);
            let mut record = InstanceRecord { is_unique, ..InstanceRecord::new(token, id) };
            if let Some(owner) = owner.address() {
                record.owner = Some(owner).filter(|owner| is_unique && !owner.is_zero());
            } else if is_unique {
                let ids = match receivers.entry(token) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(token_index::ids(self.snapshot, token)?),
                };
                let received = ids.get(&id);
                record.owner = received.copied().flatten();
                // One that is burnt has no owner.
                record.is_owner_unknown = received != Some(&None);
            }
            if let Some(metadata) = uri.text().and_then(|uri| InlineMetadata::inline(&uri)) {
                metadata.fill(&mut record);
            }
            self.instances.entry(token).or_default().insert(id, record);
        }
        Ok(())
    }

    /// Counts the holders of tokens whose balances are known, as their lists have them.
    fn count_holders(&mut self, known: &HashSet<StateKey>) {
        for token in known.iter().copied().filter_map(StateKey::try_as_holders) {
            let balances = || self.balances.iter().filter(|balance| balance.token == token);
            let is_known = !self.unasked_holders.contains(&token)
                && balances().all(|balance| balance.value.is_some());
            let holders: HashSet<Address> = balances().map(|balance| balance.address).collect();
            if let Some(token) = self.tokens.get_mut(&token) {
                token.holders_count = is_known.then(|| holders.len().to_string().into());
            }
        }
    }

    /// Lists the ids of tokens, with the owners according to transfers.
    fn list_instances(&mut self) -> StoreResult<()> {
        for token in self.parts.iter().copied().filter_map(StateKey::try_as_instances) {
            let is_unique = self.index.is_unique(token);
            let known = self.instances.entry(token).or_default();
            for (id, owner) in token_index::ids(self.snapshot, token)? {
                known.entry(id).or_insert_with(|| InstanceRecord {
                    owner,
                    is_unique,
                    ..InstanceRecord::new(token, id)
                });
            }
        }
        Ok(())
    }

    /// Calls the metadata functions of tokens. The metadata is unknown if that takes too long.
    async fn ask_metadata<T: Copy, const N: usize>(
        &self,
        items: Vec<T>,
        calls: impl Fn(&T) -> [ContractCall; N],
    ) -> StoreResult<Vec<(T, [CallAnswer; N])>> {
        let read = self.reader.call(items.clone(), BlockTag::Latest, calls);
        timeout(METADATA_TIMEOUT, read).await.unwrap_or_else(|_| {
            Ok(items
                .into_iter()
                .map(|item| (item, array::from_fn(|_| CallAnswer::default())))
                .collect())
        })
    }
}

/// Returns the tags of a token with a name.
fn name_tags(name: Box<str>) -> Vec<TagRecord> {
    vec![TagRecord::of_name(name)]
}
