//! Records the names, tokens and transactions of one response.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{AddressName, MAX_TRACE_BYTES, NameCache};
use crate::abi::SignatureDb;
use crate::api::activity::Activity;
use crate::api::address::{AddressRef, ProxyImplementation};
use crate::api::contract::Contract;
use crate::api::endpoints::address::AddressInfo;
use crate::api::endpoints::block::Block;
use crate::api::logs::Log;
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{Field, Item, NamedPart, Page, Query, Reply, TransactionQuery};
use crate::chain::development_accounts::{DEMO_NAMES, DEVELOPMENT_ACCOUNTS};
use crate::chain::{Address, TxHash};
use crate::messages::column;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::trace::parser::parse_trace;

/// Maximum size of a name in the cache: the longest of real contracts have a hundred bytes.
const MAX_NAME_BYTES: usize = 1_000;

/// Maximum implementations of a contract.
const MAX_IMPLEMENTATIONS: usize = 32;

/// Sources of a name, least preferred first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum NameSource {
    #[default]
    Unknown,
    Proxy,
    /// The contract's source. Its address may say more.
    Source,
    Itself,
    /// Better than the contract's own name: many tokens share one source, and so its name.
    Token,
    /// The explorer's directory.
    NameTag,
}

#[derive(Debug, Default)]
pub(super) struct CachedName {
    pub(super) name: AddressName,
    source: NameSource,
}

impl NameCache {
    pub fn ingest(&mut self, query: &Query, reply: &Reply) {
        let mut ingestor = Ingestor { cache: self, origin: query.describe() };
        for part in reply.named_parts() {
            match part {
                NamedPart::Address(address) => ingestor.add_address(address),
                NamedPart::Token(token) => ingestor.add_token(token, None),
            }
        }
        ingestor.add_objects(query, reply);
    }

    /// Names the accounts of the demo chain that have names, which not every reply with an address of theirs does.
    pub fn name_demo_accounts(&mut self) {
        for (name, account) in DEMO_NAMES.into_iter().zip(DEVELOPMENT_ACCOUNTS) {
            let known = self.names.get_or_insert_mut(account, Default::default);
            known.set_label(Some(&name.into()), NameSource::Itself, &column::DEMO_ACCOUNT.into());
            self.add_name_owner(account);
        }
    }

    /// Names the default accounts of a development node, which not every reply with an address of theirs does.
    pub fn name_development_accounts(&mut self) {
        for (number, account) in DEVELOPMENT_ACCOUNTS.iter().enumerate() {
            let known = self.names.get_or_insert_mut(*account, Default::default);
            if known.name.label.is_none() {
                known.name.label = Some(SafeText::new(&format!("#{number}")));
                known.name.origin = column::DEVELOPMENT_ACCOUNT.into();
                self.add_name_owner(*account);
            }
        }
    }
}

struct Ingestor<'a> {
    cache: &'a mut NameCache,
    origin: SafeText,
}

impl Ingestor<'_> {
    /// Adds the objects in a reply besides names.
    fn add_objects(&mut self, query: &Query, reply: &Reply) {
        if let Some(info) = reply.parsed_item::<AddressInfo>() {
            self.set_has_code(&info.address);
            self.cache.coin_rate = info.exchange_rate.value().cloned();
            if let Some(token) = info.token.value() {
                self.add_token(token, Some(info.address.hash));
            }
        } else if let Some(token) = reply.parsed_item::<Token>() {
            self.add_token(token, query.viewed_address());
        } else if let (Query::Contract(address), Some(item)) = (query, reply.item::<Contract>()) {
            self.add_contract(*address, item);
        } else if let Some(item) = reply.item::<Transaction>() {
            self.add_transaction(item, true);
        } else if let Some(page) = reply.get::<Page<Transaction>>() {
            page.items.iter().for_each(|item| self.add_transaction(item, false));
        } else if let Some(page) = reply.get::<Page<TokenTransfer>>() {
            page.items.iter().for_each(|item| self.add_listed_transfer(item));
        } else if let Some(page) = reply.get::<Page<Activity>>() {
            page.parsed().for_each(|activity| self.add_activity(activity));
        } else if let Some(page) = reply.get::<Page<StateChange>>() {
            page.parsed().for_each(|change| self.add_state_change(query, change));
        } else if let (Query::Transaction(..), Some(page)) = (query, reply.get::<Page<Log>>()) {
            self.cache.learn_pools(&page.parsed().collect::<Vec<_>>());
        } else if let (Query::Transaction(transaction, TransactionQuery::RawTrace), Some(json)) =
            (query, reply.get::<Arc<RawValue>>())
        {
            self.add_trace(*transaction, json.get());
        } else if let Some(page) = reply.page::<Block>() {
            page.parsed().for_each(|block| self.add_block(block));
        }
    }

    fn add_trace(&mut self, transaction: TxHash, json: &str) {
        if json.len() as u64 <= MAX_TRACE_BYTES {
            let tree = parse_trace(Bytes::copy_from_slice(json.as_bytes()));
            self.cache.keep_trace(transaction, Arc::new(tree));
        }
    }

    fn add_transaction(&mut self, item: &Arc<Item<Transaction>>, is_full: bool) {
        let Ok(transaction) = &item.parsed else { return };
        let cached = self.cache.transactions.get_or_insert_mut(transaction.hash, Default::default);
        if cached.update(item, is_full) {
            self.cache.traces.pop(&transaction.hash);
        }
    }

    fn add_state_change(&mut self, query: &Query, change: &StateChange) {
        if let Query::Transaction(transaction, TransactionQuery::StateChanges) = query {
            let known = &mut self.cache.transactions;
            known.get_or_insert_mut(*transaction, Default::default).add_state_change(change);
        }
    }

    fn add_block(&mut self, block: &Block) {
        if let (Some(hash), Some(number)) = (block.hash.value(), block.number.value()) {
            self.cache.block_numbers.push(*hash, *number);
            if block.has_unlisted_transactions() {
                self.cache.replaced_blocks.push(*hash, ());
            }
        }
    }

    fn add_listed_transfer(&mut self, item: &Arc<Item<TokenTransfer>>) {
        let Ok(transfer) = &item.parsed else { return };
        let Some(hash) = transfer.transaction_hash.value() else { return };
        let cached = self.cache.transactions.get_or_insert_mut(*hash, Default::default);
        cached.add_transfer(item);
    }

    fn add_activity(&mut self, activity: &Activity) {
        let Some(hash) = activity.transaction_hash.value() else { return };
        let cached = self.cache.transactions.get_or_insert_mut(*hash, Default::default);
        cached.add_activity(activity);
    }

    fn add_contract(&mut self, address: Address, item: &Item<Contract>) {
        let Ok(contract) = &item.parsed else { return };
        let implementations = contract.implementations.value().map_or(&[][..], Vec::as_slice);
        let name = short_name(&contract.name).cloned().map(guard_name);
        let is_verified = contract.is_verified.value() == Some(&true);
        let lacks_source = name.is_none() && !is_verified;
        let known = self.cache.names.get_or_insert_mut(address, Default::default);
        known.name.lacks_source = lacks_source;
        if lacks_source && implementations.is_empty() {
            return;
        }
        known.set_label(name.as_ref(), NameSource::Source, &self.origin);
        known.name.contract = name.or(known.name.contract.take());
        known.name.is_verified |= is_verified;
        known.set_implementations(implementations);
        self.cache.add_name_owner(address);
        self.add_implementations(implementations);
    }

    fn add_address(&mut self, address: &AddressRef) {
        let implementations =
            address.implementations.value().map(Vec::as_slice).unwrap_or_default();
        let label = address.label().filter(|label| is_short_name(label));
        let is_verified = address.is_verified.value() == Some(&true);
        let is_scam = is_scam(address);
        // Most addresses have no metadata. They would only evict others.
        if label.is_some() || is_verified || is_scam || !implementations.is_empty() {
            let known = self.cache.names.get_or_insert_mut(address.hash, Default::default);
            let is_tagged = address.name_tag.is_some();
            let source = if is_tagged { NameSource::NameTag } else { NameSource::Itself };
            known.set_label(label, source, &self.origin);
            let contract = [&address.name, &address.implementation_name]
                .into_iter()
                .find_map(short_name)
                .cloned();
            known.name.contract = contract.or(known.name.contract.take());
            known.name.is_verified |= is_verified;
            known.name.is_scam |= is_scam;
            known.set_implementations(implementations);
            self.cache.add_name_owner(address.hash);
        }
        self.add_implementations(implementations);
        if address.is_contract.value() == Some(&true)
            && let Some(known) = self.cache.names.peek_mut(&address.hash)
        {
            known.name.has_code = Some(true);
        }
    }

    fn set_has_code(&mut self, address: &AddressRef) {
        let known = self.cache.names.get_or_insert_mut(address.hash, Default::default);
        known.name.has_code = address.is_contract.value().copied();
    }

    fn add_implementations(&mut self, implementations: &[ProxyImplementation]) {
        for one in implementations {
            if let (Some(address), Some(name)) = (one.address.value(), short_name(&one.name)) {
                let known = self.cache.names.get_or_insert_mut(*address, Default::default);
                known.set_label(short_name(&one.own_name), NameSource::Proxy, &self.origin);
                known.name.contract.get_or_insert_with(|| name.clone());
                self.cache.add_name_owner(*address);
            }
        }
    }

    /// Adds a token at its own address or, if it has none, at `contract`.
    fn add_token(&mut self, token: &Token, contract: Option<Address>) {
        let Some(address) = token.address.value().copied().or(contract) else { return };
        let known = self.cache.names.get_or_insert_mut(address, Default::default);
        let symbol = short_name(&token.symbol).cloned().map(guard_name);
        let label = short_name(&token.name).cloned().map(guard_name);
        known.set_label(label.as_ref().or(symbol.as_ref()), NameSource::Token, &self.origin);
        known.name.is_scam |= token.reputation.value().is_some_and(|r| r == "scam");
        let name = known.name.token.get_or_insert_default();
        if symbol.is_some() && name.symbol != symbol {
            name.symbol = symbol;
        }
        // Ids and counts of NFTs are not divided, whatever the contract says.
        let is_nft = token.kind.value().is_some_and(|kind| kind == "ERC-721");
        let decimals = token.decimals.value().filter(|_| !is_nft);
        name.decimals = decimals.copied().or(name.decimals);
        name.standard = short_name(&token.kind).cloned().or(name.standard.take());
        name.supply = token.total_supply.value().copied().or(name.supply);
        self.cache.add_name_owner(address);
    }
}

impl CachedName {
    /// Sets the label, unless a better one is known.
    fn set_label(&mut self, label: Option<&SafeText>, source: NameSource, origin: &SafeText) {
        let better = label.is_some() && source >= self.source && label != self.name.label.as_ref();
        if better {
            self.name.label = label.cloned();
            self.source = source;
        }
        if better || self.name.origin.is_empty() {
            self.name.origin = origin.clone();
        }
    }

    fn set_implementations(&mut self, implementations: &[ProxyImplementation]) {
        if !implementations.is_empty() {
            let parts = implementations.iter().map(|implementation| {
                (implementation.address.value().copied(), short_name(&implementation.name).cloned())
            });
            self.name.implementations = parts.collect();
        }
    }
}

/// Returns a name that is worth remembering.
fn short_name(text: &Field<SafeText>) -> Option<&SafeText> {
    text.value().filter(|text| is_short_name(text))
}

fn is_short_name(text: &SafeText) -> bool {
    (1..=MAX_NAME_BYTES).contains(&text.len())
}

fn is_scam(address: &AddressRef) -> bool {
    let has_bad_reputation =
        address.reputation.value().is_some_and(|reputation| reputation == "scam");
    has_bad_reputation || address.is_scam.value() == Some(&true)
}

/// Adds the events that an explorer decoded in logs, for the logs of contracts whose ABI it does not have.
pub fn add_decoded_events(signatures: &mut SignatureDb, reply: &Reply) {
    let Some(page) = reply.get::<Page<Log>>() else { return };
    for log in page.parsed() {
        let decoded = log.decoded.value().and_then(|decoded| decoded.method_call.value());
        if let (Some(event), Some(contract)) = (decoded, log.address.value()) {
            let known = contract.contract_names().next().map(SafeText::new);
            let name = known.unwrap_or_else(|| contract.hash.to_string().into());
            signatures.add_explorer_event(&event.0, &name);
        }
    }
}

/// Adds the ABI of a contract. Returns the contract's implementations.
pub fn add_verified_abi(
    signatures: &mut SignatureDb,
    address: Address,
    contract: &Contract,
) -> Vec<Address> {
    if let Some((name, abi)) = contract.named_abi() {
        // Entries that cannot be parsed decode nothing.
        let _ = signatures.add_explorer_abi(address, name, abi.get());
    }
    let mut behind = contract.implementation_addresses();
    behind.truncate(MAX_IMPLEMENTATIONS);
    signatures.set_implementations(address, behind.clone());
    behind
}
