//! Reads the state that a response needs: code, balances, and what tokens say of themselves.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::chain::{Address, B256, Bytes, U256};
use crate::rpc::{RpcClient, RpcError, RpcRequest};
use crate::store::{
    AccountRecord, AccountTable, BalanceRecord, ChainState, ImplementationRecord, InstanceRecord,
    InstanceTable, Snapshot, StateKey, StoreError, Table, TokenRecord, TokenStandard, TokenTable,
};

use super::token_index::{self, TokenIndex};
use super::token_metadata::InlineMetadata;

/// Tokens up to which all are asked for the balance of an address: that also finds what a cheat code
/// gave without a transfer.
const MAX_TOKENS_ASKED: usize = 500;

/// The slot of EIP-1967 with the address of a proxy's implementation.
const IMPLEMENTATION_SLOT: B256 =
    alloy_primitives::b256!("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc");
/// The code of an EIP-1167 clone, before and after the address of its implementation.
const CLONE_PREFIX: [u8; 10] = alloy_primitives::hex!("363d3d373d3d3d363d73");
const CLONE_SUFFIX: [u8; 15] = alloy_primitives::hex!("5af43d82803e903d91602b57fd5bf3");
/// The code of an account that delegates (EIP-7702), before the address.
const DELEGATION_PREFIX: [u8; 3] = [0xef, 0x01, 0x00];

/// Functions that are asked for.
mod selector {
    pub(super) const NAME: [u8; 4] = [0x06, 0xfd, 0xde, 0x03];
    pub(super) const SYMBOL: [u8; 4] = [0x95, 0xd8, 0x9b, 0x41];
    pub(super) const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
    pub(super) const TOTAL_SUPPLY: [u8; 4] = [0x18, 0x16, 0x0d, 0xdd];
    /// `balanceOf(address)`
    pub(super) const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
    /// `balanceOf(address,uint256)`
    pub(super) const BALANCE_OF_ID: [u8; 4] = [0x00, 0xfd, 0xd5, 0x8e];
    pub(super) const OWNER_OF: [u8; 4] = [0x63, 0x52, 0x21, 0x1e];
    pub(super) const TOKEN_URI: [u8; 4] = [0xc8, 0x7b, 0x56, 0xdd];
    pub(super) const URI: [u8; 4] = [0x0e, 0x89, 0x34, 0x1c];
}

/// Asks a node for parts of its state, as it is now.
#[derive(Debug)]
pub(super) struct StateReader {
    client: RpcClient,
}

/// The tables of a state that is being made.
struct StateTables {
    accounts: AccountTable,
    tokens: TokenTable,
    instances: InstanceTable,
    balances: Vec<BalanceRecord>,
}

impl StateReader {
    pub(super) fn new(client: RpcClient) -> Self {
        Self { client }
    }

    /// Returns the snapshot with more parts of the state.
    pub(super) async fn load(
        &self,
        snapshot: &Snapshot,
        parts: HashSet<StateKey>,
    ) -> Result<Snapshot, StoreError> {
        let index = TokenIndex::new(snapshot)?;
        let state = &snapshot.state;
        let mut tables = StateTables {
            accounts: state.accounts.get()?.clone(),
            tokens: state.tokens.get()?.clone(),
            instances: state.instances.get()?.clone(),
            balances: state.balances.get()?.clone(),
        };
        self.load_accounts(&parts, snapshot, &mut tables).await?;
        self.load_tokens(&parts, snapshot, &index, &mut tables).await?;
        self.load_balances(&parts, snapshot, &index, &mut tables).await?;
        self.load_instances(&parts, snapshot, &index, &mut tables).await?;
        let known = state.parts.known().chain(parts).collect();
        let state = ChainState {
            accounts: Table::loaded(tables.accounts),
            tokens: Table::loaded(tables.tokens),
            instances: Table::loaded(tables.instances),
            balances: Table::loaded(tables.balances),
            ..ChainState::partial(known)
        };
        Ok(Snapshot { state: Arc::new(state), ..snapshot.clone() })
    }

    async fn load_accounts(
        &self,
        parts: &HashSet<StateKey>,
        snapshot: &Snapshot,
        tables: &mut StateTables,
    ) -> Result<(), StoreError> {
        let asked: Vec<Address> = parts.iter().filter_map(StateKey::account).collect();
        let codes =
            self.ask(asked.iter().map(|address| at_head("eth_getCode", json!([address])))).await?;
        let codes: Vec<Bytes> = codes.iter().map(|code| bytes(code.as_deref())).collect();
        let slots = asked.iter().zip(&codes).map(|(address, code)| {
            let is_plain_contract = !code.is_empty() && delegate(code).is_none();
            is_plain_contract
                .then(|| at_head("eth_getStorageAt", json!([address, IMPLEMENTATION_SLOT])))
        });
        let slots = self.ask_some(slots).await?;
        for ((address, code), slot) in asked.into_iter().zip(codes).zip(slots) {
            let slot =
                slot.and_then(|slot| slot.parse::<U256>().ok()).filter(|slot| !slot.is_zero());
            let proxied = slot.map(|slot| ("eip1967", Address::from_word(slot.into())));
            let proxied = delegate(&code).or(proxied);
            let implementation = |address_hash| ImplementationRecord { address_hash, name: None };
            let record = AccountRecord {
                is_contract: !code.is_empty(),
                proxy_type: proxied.map(|(kind, _)| kind.into()),
                implementations: proxied.map(|(_, to)| implementation(to)).into_iter().collect(),
                ..AccountRecord::new(address)
            };
            tables.accounts.insert(address, record);
        }
        self.load_account_details(parts, snapshot, tables).await
    }

    async fn load_account_details(
        &self,
        parts: &HashSet<StateKey>,
        snapshot: &Snapshot,
        tables: &mut StateTables,
    ) -> Result<(), StoreError> {
        let asked: Vec<Address> = parts.iter().filter_map(StateKey::account_detail).collect();
        let requests = asked.iter().map(|address| at_head("eth_getBalance", json!([address])));
        for (address, balance) in asked.iter().zip(self.ask(requests).await?) {
            let balance = balance.and_then(|balance| balance.parse::<U256>().ok());
            let creation = snapshot.creation(*address)?;
            let account =
                tables.accounts.entry(*address).or_insert_with(|| AccountRecord::new(*address));
            account.coin_balance = balance.map(|balance| balance.to_string().into());
            account.creator = creation.map(|(creator, _)| creator);
            account.creation_tx = creation.map(|(_, transaction)| transaction);
        }
        Ok(())
    }

    async fn load_tokens(
        &self,
        parts: &HashSet<StateKey>,
        snapshot: &Snapshot,
        index: &TokenIndex,
        tables: &mut StateTables,
    ) -> Result<(), StoreError> {
        const FUNCTIONS: [[u8; 4]; 4] =
            [selector::NAME, selector::SYMBOL, selector::DECIMALS, selector::TOTAL_SUPPLY];
        let asked = parts.iter().filter_map(StateKey::token);
        let asked: Vec<_> =
            asked.filter_map(|token| Some((token, index.standard(token)?))).collect();
        let requests = asked
            .iter()
            .flat_map(|(token, _)| FUNCTIONS.map(|function| call(*token, function, &[])));
        let answers = self.ask(requests).await?;
        for ((token, standard), answers) in asked.into_iter().zip(answers.chunks(FUNCTIONS.len())) {
            let answer = |index: usize| bytes(answers.get(index).and_then(Option::as_deref));
            let number = |index| number(&answer(index)).map(|number| number.to_string().into());
            let record = TokenRecord {
                name: text(&answer(0)).map(Into::into),
                symbol: text(&answer(1)).map(Into::into),
                decimals: number(2),
                total_supply: number(3),
                holders_count: Some(token_index::holder_count(snapshot, token)?.to_string().into()),
                ..TokenRecord::new(token, standard)
            };
            tables.tokens.insert(token, record);
        }
        Ok(())
    }

    async fn load_balances(
        &self,
        parts: &HashSet<StateKey>,
        snapshot: &Snapshot,
        index: &TokenIndex,
        tables: &mut StateTables,
    ) -> Result<(), StoreError> {
        for holder in parts.iter().filter_map(StateKey::balances) {
            let received = token_index::received_tokens(snapshot, holder)?;
            let mut asked = Vec::new();
            for (token, standard) in index.iter() {
                if standard == TokenStandard::Erc1155 {
                    let ids = token_index::received_ids(snapshot, token, holder)?;
                    asked.extend(ids.into_iter().map(|id| (token, standard, Some(id))));
                } else if index.len() <= MAX_TOKENS_ASKED || received.contains(&token) {
                    asked.push((token, standard, None));
                }
            }
            let holder_word = U256::from_be_bytes(holder.into_word().0);
            let requests = asked.iter().map(|(token, _, id)| match id {
                Some(id) => call(*token, selector::BALANCE_OF_ID, &[holder_word, *id]),
                None => call(*token, selector::BALANCE_OF, &[holder_word]),
            });
            let answers = self.ask(requests).await?;
            for (id, ((token, token_type, token_id), answer)) in
                (0..).zip(asked.into_iter().zip(answers))
            {
                let value = number(&bytes(answer.as_deref())).filter(|value| !value.is_zero());
                tables.balances.extend(value.map(|value| BalanceRecord {
                    id,
                    address: holder,
                    token,
                    token_type,
                    token_id,
                    value,
                }));
            }
        }
        Ok(())
    }

    async fn load_instances(
        &self,
        parts: &HashSet<StateKey>,
        snapshot: &Snapshot,
        index: &TokenIndex,
        tables: &mut StateTables,
    ) -> Result<(), StoreError> {
        for token in parts.iter().filter_map(StateKey::instances) {
            let is_unique = index.standard(token) == Some(TokenStandard::Erc721);
            let known = tables.instances.entry(token).or_default();
            for (id, owner) in token_index::ids(snapshot, token)? {
                known.entry(id).or_insert_with(|| InstanceRecord {
                    owner,
                    is_unique,
                    ..InstanceRecord::new(token, id)
                });
            }
        }
        let asked: Vec<_> = parts.iter().filter_map(StateKey::instance).collect();
        let is_unique = |token| index.standard(token) == Some(TokenStandard::Erc721);
        let requests = asked.iter().flat_map(|&(token, id)| {
            let uri = if is_unique(token) { selector::TOKEN_URI } else { selector::URI };
            [call(token, uri, &[id]), call(token, selector::OWNER_OF, &[id])]
        });
        let answers = self.ask(requests).await?;
        for ((token, id), answers) in asked.into_iter().zip(answers.chunks(2)) {
            let answer = |index: usize| bytes(answers.get(index).and_then(Option::as_deref));
            let owner = number(&answer(1)).map(|owner| Address::from_word(owner.into()));
            let metadata = text(&answer(0)).and_then(|uri| InlineMetadata::inline(&uri));
            let mut record = InstanceRecord {
                owner: owner.filter(|owner| is_unique(token) && !owner.is_zero()),
                is_unique: is_unique(token),
                ..InstanceRecord::new(token, id)
            };
            if let Some(metadata) = metadata {
                metadata.fill(&mut record);
            }
            tables.instances.entry(token).or_default().insert(id, record);
        }
        Ok(())
    }

    /// Sends requests. The result of one that is refused is `None`.
    async fn ask(
        &self,
        requests: impl Iterator<Item = RpcRequest>,
    ) -> Result<Vec<Option<String>>, StoreError> {
        self.ask_some(requests.map(Some)).await
    }

    async fn ask_some(
        &self,
        requests: impl Iterator<Item = Option<RpcRequest>>,
    ) -> Result<Vec<Option<String>>, StoreError> {
        let requests: Vec<Option<RpcRequest>> = requests.collect();
        let sent: Vec<RpcRequest> = requests.iter().flatten().cloned().collect();
        let mut answers = Vec::with_capacity(sent.len());
        for result in self.client.batch(&sent).await.map_err(|error| unavailable(&error))? {
            answers.push(match result {
                Ok(result) => self.client.decode::<Option<String>>(&result).ok().flatten(),
                Err(error) if error.is_refusal() => None,
                Err(error) => return Err(unavailable(&error)),
            });
        }
        let mut answers = answers.into_iter();
        Ok(requests
            .iter()
            .map(|request| request.as_ref().and_then(|_| answers.next().flatten()))
            .collect())
    }
}

fn unavailable(error: &RpcError) -> StoreError {
    StoreError::Unavailable(error.to_string().into())
}

/// Returns a request about the newest block, with `params` before it.
fn at_head(method: &'static str, params: Value) -> RpcRequest {
    let mut params = params;
    if let Some(params) = params.as_array_mut() {
        params.push("latest".into());
    }
    RpcRequest::new(method, params)
}

fn call(to: Address, function: [u8; 4], arguments: &[U256]) -> RpcRequest {
    let mut data = function.to_vec();
    data.extend(arguments.iter().flat_map(U256::to_be_bytes::<32>));
    at_head("eth_call", json!([{ "to": to, "data": Bytes::from(data) }]))
}

/// Returns what runs in place of a clone's or a delegating account's code.
fn delegate(code: &[u8]) -> Option<(&'static str, Address)> {
    let clone = code.strip_prefix(&CLONE_PREFIX).and_then(|rest| rest.strip_suffix(&CLONE_SUFFIX));
    let clone = clone.map(|address| ("eip1167", address));
    let delegation = code.strip_prefix(&DELEGATION_PREFIX).map(|address| ("eip7702", address));
    let (kind, address) = clone.or(delegation)?;
    Some((kind, Address::try_from(address).ok()?))
}

fn bytes(answer: Option<&str>) -> Bytes {
    answer.and_then(|hex| hex.parse().ok()).unwrap_or_default()
}

fn number(answer: &[u8]) -> Option<U256> {
    (answer.len() == 32).then(|| U256::from_be_slice(answer))
}

/// Decodes a `string`, or a `bytes32` as old tokens return.
fn text(answer: &[u8]) -> Option<String> {
    let (first, rest) = answer.split_first_chunk::<32>()?;
    if rest.is_empty() {
        let end = first.iter().rposition(|byte| *byte != 0)? + 1;
        return Some(String::from_utf8_lossy(&first[..end]).into_owned());
    }
    let word = |at: usize| {
        let word = answer.get(at..at.checked_add(32)?)?;
        usize::try_from(U256::from_be_slice(word)).ok()
    };
    let start = word(0)?;
    let length = word(start)?;
    let text = answer.get(start + 32..(start + 32).checked_add(length)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}
