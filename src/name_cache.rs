//! Names and transactions cached from earlier responses, so that other views can use them without
//! requests of their own.
//!
//! Every reply is ingested once, and adds the names, tokens and transactions that it contains. Better
//! sources replace worse ones. The maps are bounded and evict the least recently ingested entry; only
//! the user's labels, which override all other names, are never evicted.

mod ingest;
mod pools;
mod transactions;

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use crate::api::Item;
use crate::api::address::proxy_name;
use crate::api::decoded_input::AbiIdentifier;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::{Address, B256, BlockId, TxHash, U256};
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::user_data::labels::{LabelEdit, Labels};
use ingest::CachedName;
pub use ingest::{add_decoded_events, add_verified_abi};
use transactions::CachedTransaction;
pub use transactions::ContradictedChange;

/// Maximum addresses, and maximum different names of them.
const MAX_NAMES: usize = 50_000;
const MAX_TRANSACTIONS: usize = 2_000;
const MAX_BLOCKS: usize = 1_000;
const MAX_POOLS: usize = 1_000;
const MAX_TRACES: usize = 4;
/// Length of the longest symbol that stands for a name.
const MAX_SYMBOL_BYTES: usize = 8;
/// Maximum size of a trace that is kept, and parsed between two frames.
const MAX_TRACE_BYTES: u64 = 4 << 20;

/// A map that evicts the least recently ingested entry. The keys come from outside, so they are hashed
/// with the standard library's keyed hasher.
type BoundedMap<K, V> = LruCache<K, V, RandomState>;

#[derive(Debug)]
pub struct NameCache {
    /// The user's labels override all other names and are never evicted.
    labels: Arc<Labels>,
    search_revision: u32,
    names: BoundedMap<Address, CachedName>,
    /// Address with a name, or `None` if several have it.
    name_owners: BoundedMap<String, Option<Address>>,
    /// Token with a symbol, or `None` if several have it.
    symbol_owners: BoundedMap<String, Option<Address>>,
    transactions: BoundedMap<TxHash, CachedTransaction>,
    block_numbers: BoundedMap<B256, u64>,
    /// The tokens of liquidity pools, or `None` if events contradict each other.
    pools: BoundedMap<Address, Option<[Address; 2]>>,
    /// Blocks whose transactions the explorer no longer lists.
    replaced_blocks: BoundedMap<B256, ()>,
    /// The price of the chain's coin in US dollars that was reported last.
    coin_rate: Option<SafeText>,
    /// Small traces of transactions.
    traces: BoundedMap<TxHash, Arc<CallTree>>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is reported by itself")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressName {
    /// Best name: the address's own, or its token's.
    pub label: Option<SafeText>,
    /// The contract's own name, by which ABIs are found.
    pub contract: Option<SafeText>,
    /// The implementation contracts of a proxy, with their names.
    pub implementations: Vec<(Option<Address>, Option<SafeText>)>,
    pub token: Option<TokenMetadata>,
    /// `true` if the explorer has reported that the address is no token.
    pub is_no_token: bool,
    /// `true` if there is code at the address. Only its own page can report that there is none, because
    /// rows of lists may be older than the code.
    pub has_code: Option<bool>,
    /// `true` if any response reported the source as verified.
    pub is_verified: bool,
    /// `true` if the explorer has the code, but no verified source.
    pub lacks_source: bool,
    /// `true` if any response reported the address, or its token, as a scam.
    pub is_scam: bool,
    /// The response that the label is from.
    pub origin: SafeText,
}

/// The parts of a token that determine the format of its amounts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenMetadata {
    pub symbol: Option<SafeText>,
    pub decimals: Option<u8>,
    pub standard: Option<SafeText>,
    /// In the smallest unit.
    pub supply: Option<U256>,
}

impl Default for NameCache {
    fn default() -> Self {
        Self {
            labels: Arc::default(),
            search_revision: 0,
            names: bounded_map(MAX_NAMES),
            name_owners: bounded_map(MAX_NAMES),
            symbol_owners: bounded_map(MAX_NAMES),
            transactions: bounded_map(MAX_TRANSACTIONS),
            block_numbers: bounded_map(MAX_BLOCKS),
            pools: bounded_map(MAX_POOLS),
            replaced_blocks: bounded_map(MAX_BLOCKS),
            coin_rate: None,
            traces: bounded_map(MAX_TRACES),
        }
    }
}

/// Creates a map that allocates nothing before the first insert.
fn bounded_map<K: Hash + Eq, V>(max: usize) -> BoundedMap<K, V> {
    let mut map = LruCache::unbounded_with_hasher(RandomState::new());
    map.resize(NonZeroUsize::new(max).unwrap_or(NonZeroUsize::MIN));
    map
}

impl NameCache {
    /// Clears everything but the user's labels.
    pub fn forget(&mut self) {
        self.names.clear();
        self.name_owners.clear();
        self.symbol_owners.clear();
        self.transactions.clear();
        self.block_numbers.clear();
        self.pools.clear();
        self.replaced_blocks.clear();
        self.coin_rate = None;
        self.traces.clear();
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Returns a number that changes with the labels and the known traces, to detect outdated copies.
    pub fn search_revision(&self) -> u32 {
        self.search_revision
    }

    pub fn labelled_addresses(&self) -> &KnownAddresses {
        self.labels.known_addresses()
    }

    pub fn set_labels(&mut self, labels: Arc<Labels>) {
        self.labels = labels;
        self.search_revision = self.search_revision.wrapping_add(1);
    }

    pub fn edit_label(&mut self, edit: &LabelEdit) {
        Arc::make_mut(&mut self.labels).apply(edit);
        self.search_revision = self.search_revision.wrapping_add(1);
    }

    pub fn name(&self, address: &Address) -> Option<&AddressName> {
        self.names.peek(address).map(|known| &known.name)
    }

    /// Returns `true` if the explorer calls the address, or its token, a scam.
    pub fn is_scam(&self, address: &Address) -> bool {
        self.name(address).is_some_and(|name| name.is_scam)
    }

    /// Returns the user's label of an address, else its name or its token's symbol. If several
    /// addresses have the name, the first digits of the address follow it.
    pub fn short_name(&self, address: &Address) -> Option<Cow<'_, str>> {
        if let Some(own) = self.labels.decorated_name(address) {
            return Some(Cow::Owned(own));
        }
        let name = self.cached_name(address)?;
        if !self.is_ambiguous(name) {
            return Some(Cow::Borrowed(name));
        }
        Some(Cow::Owned([name, &*name_digits(address)].concat()))
    }

    /// Returns the symbol of a token as its name if it is a plain word, unless the user labelled the token, or other
    /// addresses have its name or its symbol too.
    pub fn symbol_as_name(&self, token: &Address) -> Option<&SafeText> {
        let symbol = self.name(token)?.token.as_ref()?.symbol.as_ref()?;
        let is_own = [&self.name_owners, &self.symbol_owners]
            .iter()
            .all(|owners| owners.peek(&**symbol).is_none_or(|owner| *owner == Some(*token)));
        let is_named = self.labels.name(token).is_some() || self.has_shared_name(token);
        (is_own && is_plain_word(symbol) && !is_named).then_some(symbol)
    }

    /// Returns `true` for an address whose name other addresses have too.
    pub fn has_shared_name(&self, address: &Address) -> bool {
        self.cached_name(address).is_some_and(|name| self.is_ambiguous(name))
    }

    /// Returns the user's label of an address, else its name, which other addresses may have too.
    pub fn label_or_name(&self, address: &Address) -> Option<Cow<'_, str>> {
        match self.labels.decorated_name(address) {
            Some(own) => Some(Cow::Owned(own)),
            None => self.cached_name(address).map(|name| Cow::Borrowed(&**name)),
        }
    }

    /// Returns the name of an address for a text in which the user's label follows the address, which would
    /// stand twice.
    pub fn name_without_label(&self, address: &Address) -> Option<Cow<'_, str>> {
        match self.labels.decorated_name(address) {
            Some(_) => self.cached_name(address).map(|name| Cow::Borrowed(&**name)),
            None => self.short_name(address),
        }
    }

    /// Returns the name of an address, or its token's symbol.
    pub fn cached_name(&self, address: &Address) -> Option<&SafeText> {
        let name = self.name(address)?;
        name.label.as_ref().or_else(|| name.token.as_ref().and_then(|token| token.symbol.as_ref()))
    }

    /// Returns the names of a contract and of its implementations.
    pub fn contract_names(&self, address: Option<Address>) -> Vec<&str> {
        let Some(name) = address.and_then(|address| self.name(&address)) else {
            return Vec::new();
        };
        let behind = name.implementations.iter().filter_map(|(_, name)| name.as_deref());
        name.contract.as_deref().into_iter().chain(behind).collect()
    }

    /// Returns the only known proxy of a contract with a name, or else the only contract with it.
    pub fn only_contract(&self, name: &str) -> Option<Address> {
        let only = |is_it: &dyn Fn(&AddressName) -> bool| {
            let mut found = self.addresses().filter(|(_, known)| is_it(known));
            let first = found.next().map(|(address, _)| *address);
            (first.is_some(), first.filter(|_| found.next().is_none()))
        };
        let is_name = |own: &Option<SafeText>| own.as_deref() == Some(name);
        match only(&|known| known.implementations.iter().any(|(_, behind)| is_name(behind))) {
            (true, proxy) => proxy,
            (false, _) => only(&|known| is_name(&known.contract)).1,
        }
    }

    /// Keeps a trace, if it is small.
    pub fn keep_trace(&mut self, transaction: TxHash, tree: Arc<CallTree>) {
        if tree.body.size() <= MAX_TRACE_BYTES {
            self.traces.push(transaction, tree);
            self.search_revision = self.search_revision.wrapping_add(1);
        }
    }

    /// Returns the transactions whose traces are known.
    pub fn traced_transactions(&self) -> Vec<TxHash> {
        self.traces.iter().map(|(transaction, _)| *transaction).collect()
    }

    /// Returns the calls of a transaction, if their trace was received and is small.
    pub fn trace(&self, transaction: &TxHash) -> Option<&Arc<CallTree>> {
        self.traces.peek(transaction)
    }

    /// Returns the price of the chain's coin in US dollars, as the page of an address reported it last.
    pub fn coin_rate(&self) -> Option<&str> {
        self.coin_rate.as_deref()
    }

    /// Returns `true` if there is code at an address, or `None` if that is unknown.
    pub fn has_code(&self, address: &Address) -> Option<bool> {
        self.name(address)?.has_code
    }

    /// Returns `true` for an address that is known to have code, by whatever was sent of it.
    pub fn is_contract(&self, address: &Address) -> bool {
        self.name(address).is_some_and(|name| {
            name.is_verified
                || name.has_code == Some(true)
                || name.token.is_some()
                || !name.implementations.is_empty()
        })
    }

    /// Returns `true` for a proxy with known implementations.
    pub fn is_proxy(&self, address: &Address) -> bool {
        self.name(address).is_some_and(|name| !name.implementations.is_empty())
    }

    /// Returns `true` if there is an ERC-20 token at an address, which has no instances.
    pub fn is_erc20(&self, address: &Address) -> bool {
        let token = self.name(address).and_then(|name| name.token.as_ref());
        let standard = token.and_then(|token| token.standard.as_ref());
        standard.is_some_and(|standard| standard == "ERC-20")
    }

    pub fn is_token(&self, address: &Address) -> bool {
        self.name(address).is_some_and(|name| name.token.is_some())
    }

    /// Returns `true` if neither a token at an address is known, nor that there is none.
    pub fn may_be_token(&self, address: &Address) -> bool {
        self.name(address).is_none_or(|name| name.token.is_none() && !name.is_no_token)
    }

    /// Records that the explorer has no token at an address.
    pub fn mark_no_token(&mut self, address: Address) {
        self.names.get_or_insert_mut(address, Default::default).name.is_no_token = true;
    }

    /// Returns the only address with a name. The name of a proxy need not have the implementation's.
    pub fn address_named(&self, name: &str) -> Option<Address> {
        let is_named = |known: &AddressName| {
            let Some(label) = known.label.as_deref() else { return false };
            let mut behind = known.implementations.iter().filter_map(|(_, name)| name.as_deref());
            let own = behind.find_map(|behind| proxy_name(label, behind));
            label.eq_ignore_ascii_case(name)
                || own.is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        let mut named = self.addresses().filter(|(_, known)| is_named(known));
        let (only, _) = named.next().filter(|_| named.next().is_none())?;
        Some(*only)
    }

    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.name_owners.peek(name) == Some(&None)
    }

    /// Records the current name and symbol of `address` as its own, or as ambiguous.
    fn add_name_owner(&mut self, address: Address) {
        let Some(CachedName { name, .. }) = self.names.peek(&address) else { return };
        let symbol = name.token.as_ref().and_then(|token| token.symbol.as_deref());
        let names = [name.label.as_deref(), symbol];
        for (owners, name) in
            [&mut self.name_owners, &mut self.symbol_owners].into_iter().zip(names)
        {
            let Some(name) = name else { continue };
            let owner = owners.get_or_insert_mut_ref(name, || Some(address));
            *owner = owner.filter(|known| *known == address);
        }
    }

    /// Returns the known addresses, most recently ingested first.
    pub fn addresses(&self) -> impl Iterator<Item = (&Address, &AddressName)> {
        self.names.iter().map(|(address, known)| (address, &known.name))
    }

    /// Returns the number of a block, if it is known.
    pub fn block_number(&self, block: BlockId) -> Option<u64> {
        match block {
            BlockId::Number(number) => Some(number),
            BlockId::Hash(hash) => self.block_numbers.peek(&hash).copied(),
        }
    }

    /// Returns `true` if a block had transactions that the explorer no longer lists.
    pub fn is_replaced(&self, block: BlockId) -> bool {
        matches!(block, BlockId::Hash(hash) if self.replaced_blocks.contains(&hash))
    }

    /// Returns the known transactions, most recently ingested first.
    pub fn transactions(&self) -> impl Iterator<Item = (&TxHash, &Transaction)> {
        self.transactions.iter().filter_map(|(hash, cached)| Some((hash, cached.parsed()?)))
    }

    /// Returns the most complete object of a transaction.
    pub fn transaction(&self, hash: &TxHash) -> Option<&Arc<Item<Transaction>>> {
        self.transactions.peek(hash)?.item()
    }

    /// Returns the name of the method that a transaction calls, if any reply had it.
    pub fn method_name(&self, hash: &TxHash) -> Option<&AbiIdentifier> {
        self.transactions.peek(hash)?.method_name()
    }

    /// Returns a transaction's token transfers from its own object and from lists, without
    /// duplicates, in the order of their logs.
    pub fn transfers(&self, hash: &TxHash) -> Vec<&TokenTransfer> {
        self.transactions.peek(hash).map(CachedTransaction::transfers).unwrap_or_default()
    }

    /// Returns the place of an account in the order in which the token transfers of a transaction come to them.
    pub fn account_place(&self, hash: &TxHash, account: &Address) -> Option<u64> {
        self.transactions.peek(hash)?.place(account)
    }

    /// Returns the token of which a transaction moved exactly this amount, if it is only one.
    pub fn token_of_amount(&self, hash: &TxHash, amount: &U256) -> Option<&Address> {
        self.transactions.peek(hash)?.token_of(amount)
    }

    /// Returns the changes of a transaction's token balances that are known to be contradicted.
    pub fn contradicted_changes(&self, hash: &TxHash) -> &[ContradictedChange] {
        self.transactions.peek(hash).map(CachedTransaction::contradicted).unwrap_or_default()
    }

    /// Returns the balances of a token before and after a transaction, if its state changes are known.
    pub fn token_balances(
        &self,
        hash: &TxHash,
        account: Address,
        token: Address,
    ) -> Option<[U256; 2]> {
        self.transactions.peek(hash)?.balances(account, token)
    }

    /// Returns `true` if the transaction's own object lists all of its token transfers.
    pub fn knows_all_transfers(&self, hash: &TxHash) -> bool {
        self.transactions.peek(hash).is_some_and(CachedTransaction::knows_all_transfers)
    }
}

/// Returns `true` for a symbol that cannot be taken for several.
fn is_plain_word(symbol: &str) -> bool {
    symbol.len() <= MAX_SYMBOL_BYTES && symbol.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the first digits of an address in the form that follows a name: `·Cba6`.
pub fn name_digits(address: &Address) -> String {
    let hash = address.to_string();
    ["·", hash.get(2..6).unwrap_or_default()].concat()
}

fn parsed<T>(items: &[Arc<Item<T>>]) -> impl Iterator<Item = &T> {
    items.iter().filter_map(|item| item.parsed.as_ref().ok())
}

#[cfg(test)]
mod tests;
