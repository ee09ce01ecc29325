//! Names and transactions remembered from earlier responses, so that other views can use them
//! without requests of their own.

mod abis;
mod ingest;

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use crate::api::address::AddressRef;
use crate::api::token_transfers::{TokenTransfer, TransferAmount};
use crate::api::transactions::Transaction;
use crate::api::{Field, Item};
use crate::chain::{Address, B256, BlockId, TxHash, U256};
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::SafeText;
use crate::user_data::labels::{LabelEdit, Labels};
pub use abis::learn_abi;
use ingest::CachedName;

/// Maximum addresses, and maximum different names of them.
const MAX_NAMES: usize = 50_000;
const MAX_TRANSACTIONS: usize = 2_000;
const MAX_BLOCKS: usize = 1_000;
/// Maximum transfers per transaction: an airdrop has thousands.
const MAX_TRANSFERS_PER_TRANSACTION: usize = 500;

/// A map that evicts the entry that was ingested least recently. The keys come from outside, so they
/// are hashed with the standard library's keyed hasher.
type BoundedMap<K, V> = LruCache<K, V, RandomState>;

#[derive(Debug)]
pub struct NameCache {
    /// The user's labels override all other names and are never evicted.
    labels: Labels,
    label_revision: u32,
    /// The addresses with labels, which others may imitate.
    labelled_addresses: KnownAddresses,
    names: BoundedMap<Address, CachedName>,
    /// The address that has a name, or `None` if several have it.
    name_owners: BoundedMap<String, Option<Address>>,
    transactions: BoundedMap<TxHash, CachedTransaction>,
    block_numbers: BoundedMap<B256, u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressName {
    /// The best name: the address's own, or that of the token at the address.
    pub label: Option<SafeText>,
    /// The contract's own name, which ABIs are found by.
    pub contract: Option<SafeText>,
    /// The implementation contracts of a proxy, with their names.
    pub implementations: Vec<(Option<Address>, Option<SafeText>)>,
    pub token: Option<TokenMetadata>,
    /// Whether there is code at the address, by its own page.
    pub has_code: Option<bool>,
    /// Whether any response called the source verified.
    pub is_verified: bool,
    /// Whether any response called the address, or the token at it, a scam.
    pub is_scam: bool,
    /// The response that the label is from.
    pub origin: SafeText,
}

/// The parts of a token that its amounts are formatted with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenMetadata {
    pub symbol: Option<SafeText>,
    pub decimals: Option<u8>,
    pub standard: Option<SafeText>,
    /// In the smallest unit.
    pub supply: Option<U256>,
}

#[derive(Debug, Default)]
struct CachedTransaction {
    transaction: Option<Arc<Item<Transaction>>>,
    completeness: Completeness,
    transfers: Vec<Arc<Item<TokenTransfer>>>,
}

/// How much a transaction's object says. Of a list's rows, a greater one replaces a lesser one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Completeness {
    is_mined: bool,
    is_indexed: bool,
    /// Whether the object is from the transaction's own endpoint rather than from a list.
    is_full: bool,
}

impl Default for NameCache {
    fn default() -> Self {
        Self {
            labels: Labels::default(),
            label_revision: 0,
            labelled_addresses: KnownAddresses::default(),
            names: bounded_map(MAX_NAMES),
            name_owners: bounded_map(MAX_NAMES),
            transactions: bounded_map(MAX_TRANSACTIONS),
            block_numbers: bounded_map(MAX_BLOCKS),
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
    /// Forgets everything but the user's labels.
    pub fn forget(&mut self) {
        self.names.clear();
        self.name_owners.clear();
        self.transactions.clear();
        self.block_numbers.clear();
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Returns a number that changes with the labels, to detect outdated copies.
    pub fn label_revision(&self) -> u32 {
        self.label_revision
    }

    pub fn labelled_addresses(&self) -> &KnownAddresses {
        &self.labelled_addresses
    }

    pub fn set_labels(&mut self, labels: Labels) {
        self.labelled_addresses = KnownAddresses::labelled(labels.addresses());
        self.labels = labels;
        self.label_revision = self.label_revision.wrapping_add(1);
    }

    pub fn edit_label(&mut self, edit: &LabelEdit) {
        let mut labels = std::mem::take(&mut self.labels);
        labels.apply(edit);
        self.set_labels(labels);
    }

    pub fn name(&self, address: &Address) -> Option<&AddressName> {
        self.names.peek(address).map(|known| &known.name)
    }

    /// Returns the user's label of an address, else its name or its token's symbol. The first digits of
    /// the address follow a name that several addresses have.
    pub fn short_name(&self, address: &Address) -> Option<Cow<'_, str>> {
        if let Some(own) = self.labels.decorated_name(address) {
            return Some(Cow::Owned(own));
        }
        let name = self.cached_name(address)?;
        if !self.is_ambiguous(name) {
            return Some(Cow::Borrowed(name));
        }
        let hash = address.to_string();
        Some(Cow::Owned([name, "·", hash.get(2..6).unwrap_or_default()].concat()))
    }

    /// Returns the name of an address, or its token's symbol.
    pub fn cached_name(&self, address: &Address) -> Option<&SafeText> {
        let name = self.name(address)?;
        name.label.as_ref().or_else(|| name.token.as_ref().and_then(|token| token.symbol.as_ref()))
    }

    /// Returns whether there is an ERC-20 token at an address, which has no instances.
    pub fn is_erc20(&self, address: &Address) -> bool {
        let token = self.name(address).and_then(|name| name.token.as_ref());
        let standard = token.and_then(|token| token.standard.as_ref());
        standard.is_some_and(|standard| **standard == *"ERC-20")
    }

    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.name_owners.peek(name) == Some(&None)
    }

    /// Records the current name of `address` as its own, or as ambiguous.
    fn add_name_owner(&mut self, address: Address) {
        let label = self.names.peek(&address).and_then(|known| known.name.label.as_deref());
        let Some(label) = label else { return };
        let owner = self.name_owners.get_or_insert_mut_ref(label, || Some(address));
        *owner = owner.filter(|known| *known == address);
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

    /// Returns the known transactions, most recently ingested first.
    pub fn transactions(&self) -> impl Iterator<Item = (&TxHash, &Transaction)> {
        self.transactions.iter().filter_map(|(hash, cached)| Some((hash, cached.parsed()?)))
    }

    /// Returns the most complete object of a transaction.
    pub fn transaction(&self, hash: &TxHash) -> Option<&Arc<Item<Transaction>>> {
        self.transactions.peek(hash)?.transaction.as_ref()
    }

    /// Returns a transaction's token transfers from its own object and from lists, without
    /// duplicates, in the order of their logs.
    pub fn transfers(&self, hash: &TxHash) -> Vec<&TokenTransfer> {
        let Some(cached) = self.transactions.peek(hash) else { return Vec::new() };
        let own = cached.parsed().and_then(|transaction| transaction.token_transfers.value());
        let mut transfers: Vec<&TokenTransfer> = own.into_iter().flatten().collect();
        let listed: Vec<&TokenTransfer> = parsed(&cached.transfers)
            .filter(|listed| !transfers.iter().any(|own| is_same_transfer(own, listed)))
            .collect();
        transfers.extend(listed);
        transfers.sort_by_key(|transfer| transfer.log_index.value());
        transfers
    }

    /// Returns whether the transaction's own object lists all of its token transfers.
    pub fn knows_all_transfers(&self, hash: &TxHash) -> bool {
        let transaction = self.transactions.peek(hash).and_then(CachedTransaction::parsed);
        transaction.is_some_and(|transaction| {
            let has_more = transaction.token_transfers_overflow.value();
            transaction.token_transfers.value().is_some() && has_more == Some(&false)
        })
    }
}

impl CachedTransaction {
    fn parsed(&self) -> Option<&Transaction> {
        self.transaction.as_ref()?.parsed.as_ref().ok()
    }
}

fn parsed<T>(items: &[Arc<Item<T>>]) -> impl Iterator<Item = &T> {
    items.iter().filter_map(|item| item.parsed.as_ref().ok())
}

/// Returns whether two objects describe the same transfer. A batch has one log for all its ids, so
/// the log index alone is not enough.
fn is_same_transfer(one: &TokenTransfer, other: &TokenTransfer) -> bool {
    let hash = |party: &Field<AddressRef>| party.value().map(|address| address.hash);
    let token = |transfer: &TokenTransfer| {
        transfer.token.value().and_then(|token| token.address.value().copied())
    };
    let amount =
        |total: &TransferAmount| (total.value.value().copied(), total.token_id.value().copied());
    one.log_index.value() == other.log_index.value()
        && hash(&one.from) == hash(&other.from)
        && hash(&one.to) == hash(&other.to)
        && token(one) == token(other)
        && one.total.value().map(amount) == other.total.value().map(amount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Query;

    const A: &str = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const C: &str = "0xcccccccccccccccccccccccccccccccccccccccc";

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn hash(n: u64) -> TxHash {
        format!("0x{n:064x}").parse().unwrap()
    }

    fn ingest(cache: &mut NameCache, query: &Query, body: &str) {
        cache.ingest(query, &query.decode(body.as_bytes(), None).unwrap());
    }

    fn transactions() -> Query {
        Query::Transactions { address: address(A), direction: None }
    }

    /// Returns the JSON of a page with these items.
    fn page(items: &str) -> String {
        format!("{{\"items\":[{items}],\"next_page_params\":null}}")
    }

    fn label<'a>(cache: &'a NameCache, of: &str) -> Option<&'a str> {
        cache.name(&address(of))?.label.as_deref()
    }

    #[test]
    fn better_name_replaces_a_worse_one() {
        let mut cache = NameCache::default();
        let mut says = |fields: &str| {
            let item = format!(r#"{{"hash":"{}","to":{{"hash":"{A}"{fields}}}}}"#, hash(1));
            ingest(&mut cache, &transactions(), &page(&item));
            cache.name(&address(A)).cloned()
        };
        assert_eq!(says(""), None, "an address without metadata is not kept");
        assert_eq!(says(r#","is_verified":false,"name":"""#), None);
        let named = says(r#","name":"Vault","is_verified":true"#).unwrap();
        assert_eq!(named.label, Some("Vault".into()));
        assert_eq!(&*named.origin, "transactions of 0xaAaA…aaAa");
        assert!(named.is_verified && !named.is_scam);
        assert_eq!(says(""), Some(named.clone()));
        assert_eq!(says(r#","is_verified":true"#), Some(named));
        let ens = says(r#","name":"Vault","ens_domain_name":"vault.eth","is_scam":true"#).unwrap();
        assert_eq!((ens.label, ens.is_scam), (Some("vault.eth".into()), true));
        assert!(says(r#","name":"Vault","is_scam":false"#).unwrap().is_scam, "a warning stays");
    }

    #[test]
    fn token_names_replace_contract_names() {
        let mut cache = NameCache::default();
        let tokens = Query::Tokens { address: address(A), types: vec![] };
        let token = |more: &str| page(&format!(r#"{{"token":{{"address_hash":"{B}"{more}}}}}"#));
        let item = format!(r#"{{"hash":"{}","to":{{"hash":"{B}","name":"GoldToken"}}}}"#, hash(1));
        ingest(&mut cache, &transactions(), &page(&item));
        assert_eq!(label(&cache, B), Some("GoldToken"));
        ingest(&mut cache, &tokens, &token(r#","symbol":"GLD""#));
        assert_eq!(label(&cache, B), Some("GLD"));
        let contract = |cache: &NameCache| cache.name(&address(B)).unwrap().contract.clone();
        assert_eq!(contract(&cache), Some("GoldToken".into()), "ABIs go by it");
        ingest(&mut cache, &tokens, &token(r#","name":"Gold","decimals":"18""#));
        assert_eq!(label(&cache, B), Some("Gold"));
        let known = cache.name(&address(B)).unwrap().token.clone().unwrap();
        let expected = TokenMetadata {
            symbol: Some("GLD".into()),
            decimals: Some(18),
            ..TokenMetadata::default()
        };
        assert_eq!(known, expected);
        ingest(&mut cache, &transactions(), &page(&item));
        ingest(&mut cache, &tokens, &token(r#","name":"Gold","reputation":"scam""#));
        assert_eq!(label(&cache, B), Some("Gold"));
        assert!(cache.name(&address(B)).unwrap().is_scam);
    }

    #[test]
    fn name_of_several_addresses_is_ambiguous() {
        let mut cache = NameCache::default();
        let mut named = |owner: &str, name: &str| {
            let to = format!(r#"{{"hash":"{owner}","name":"{name}"}}"#);
            let item = format!(r#"{{"hash":"{}","to":{to}}}"#, hash(1));
            ingest(&mut cache, &transactions(), &page(&item));
            cache.is_ambiguous("Pool")
        };
        assert!(!named(A, "Pool") && !named(A, "Pool") && !named(B, "Router"));
        assert!(named(B, "Pool") && named(C, "Vault"), "it stays so");
    }

    #[test]
    fn proxy_keeps_its_implementations() {
        let mut cache = NameCache::default();
        let body = format!(
            r#"{{"hash":"{A}","name":"Proxy","implementations":[{{"address_hash":"{B}","name":"Logic"}},7],
                "token":{{"symbol":"USD","decimals":"6"}}}}"#
        );
        let whole = body.replace(",7", "");
        ingest(&mut cache, &Query::Address(address(A)), &whole);
        let name = cache.name(&address(A)).unwrap();
        assert_eq!(name.implementations, [(Some(address(B)), Some("Logic".into()))]);
        assert_eq!(name.token.as_ref().unwrap().decimals, Some(6), "it is its own token");
        assert_eq!((label(&cache, A), label(&cache, B)), (Some("USD"), Some("Logic")));
        assert_eq!(&*cache.name(&address(B)).unwrap().origin, "address 0xaAaA…aaAa");
        // An implementation that cannot be parsed drops the list, but not the known ones.
        ingest(&mut cache, &Query::Address(address(A)), &body);
        assert_eq!(cache.name(&address(A)).unwrap().implementations.len(), 1);
    }

    #[test]
    fn every_kind_of_response_is_ingested() {
        let of = |letter: &str, name: &str| {
            format!(r#"{{"hash":"0x{}","name":"{name}"}}"#, letter.repeat(40))
        };
        let token = format!(r#"{{"address_hash":"{C}","name":"Coin"}}"#);
        let piece = format!(r#"{{"id":"1","owner":{},"token":{token}}}"#, of("b", "Owner"));
        let address_a = address(A);
        let token_of = address(C);
        let direction = None;
        let types = vec![];
        let parties = format!(
            r#"{{"from":{},"to":{},"created_contract":{}}}"#,
            of("a", "From"),
            of("b", "To"),
            of("c", "Made")
        );
        for (query, item, names) in [
            (
                Query::InternalTransactions { address: address_a, direction },
                parties.clone(),
                [Some("From"), Some("To"), Some("Made")],
            ),
            (
                Query::TransactionInternals(hash(1)),
                parties,
                [Some("From"), Some("To"), Some("Made")],
            ),
            (
                Query::token_transfers(None),
                format!(
                    r#"{{"from":{},"token":{token},"total":{{"token_instance":{piece}}}}}"#,
                    of("a", "From")
                ),
                [Some("From"), Some("Owner"), Some("Coin")],
            ),
            (
                Query::Tokens { address: address_a, types: types.clone() },
                format!(r#"{{"token":{token},"token_instance":{piece}}}"#),
                [None, Some("Owner"), Some("Coin")],
            ),
            (
                Query::Collections { address: address_a, types },
                format!(r#"{{"token":{token},"token_instances":[{piece}]}}"#),
                [None, Some("Owner"), Some("Coin")],
            ),
            (
                Query::Instances { token: token_of, holder: None },
                piece.clone(),
                [None, Some("Owner"), Some("Coin")],
            ),
        ] {
            let mut cache = NameCache::default();
            ingest(&mut cache, &query, &page(&item));
            assert_eq!([A, B, C].map(|of| label(&cache, of)), names, "{query:?}");
        }
    }

    #[test]
    fn most_complete_transaction_is_kept() {
        let mut cache = NameCache::default();
        let body = |more: &str| format!(r#"{{"hash":"{}"{more}}}"#, hash(1));
        let method = |cache: &NameCache| {
            let item = cache.transaction(&hash(1)).unwrap();
            item.parsed.as_ref().unwrap().method.value().map(ToString::to_string)
        };
        let own = Query::Transaction(hash(1));
        ingest(&mut cache, &own, &body(r#","method":"pending""#));
        ingest(&mut cache, &transactions(), &page(&body(r#","method":"listed","status":"ok""#)));
        assert_eq!(method(&cache).as_deref(), Some("listed"), "a final object is more complete");
        ingest(&mut cache, &own, &body(r#","method":"own","status":"ok""#));
        ingest(&mut cache, &transactions(), &page(&body(r#","method":"listed","status":"ok""#)));
        assert_eq!(method(&cache).as_deref(), Some("own"));
        ingest(&mut cache, &own, &body(r#","method":"newer","status":"ok""#));
        assert_eq!(method(&cache).as_deref(), Some("newer"));
        ingest(&mut cache, &own, &body(r#","method":"pending again""#));
        assert_eq!(method(&cache).as_deref(), Some("pending again"), "the chain was reorganized");
        assert!(cache.transaction(&hash(2)).is_none());
    }

    #[test]
    fn transfers_of_two_responses_are_merged() {
        let mut cache = NameCache::default();
        let transfer = |log: u64, id: u64| {
            format!(
                r#"{{"transaction_hash":"{}","log_index":{log},"from":{{"hash":"{A}"}},"token":{{"address_hash":"{C}"}},"total":{{"token_id":"{id}","value":"1"}}}}"#,
                hash(1)
            )
        };
        let logs = |cache: &NameCache| -> Vec<u64> {
            let transfers = cache.transfers(&hash(1));
            transfers.iter().map(|transfer| *transfer.log_index.value().unwrap()).collect()
        };
        let list = page(&[transfer(9, 1), transfer(5, 2), transfer(5, 1)].join(","));
        ingest(&mut cache, &Query::token_transfers(None), &list);
        ingest(&mut cache, &Query::token_transfers(Some(address(A))), &list);
        assert_eq!(logs(&cache), [5, 5, 9], "a batch is one log");
        assert!(cache.transaction(&hash(1)).is_none() && !cache.knows_all_transfers(&hash(1)));
        let own = |overflow: &str| {
            let transfers = [transfer(2, 1), transfer(5, 1)].join(",");
            format!(
                r#"{{"hash":"{}","status":"ok","token_transfers":[{transfers}]{overflow}}}"#,
                hash(1)
            )
        };
        for (overflow, all) in [
            ("", false),
            (r#","token_transfers_overflow":null"#, false),
            (r#","token_transfers_overflow":true"#, false),
            (r#","token_transfers_overflow":false"#, true),
        ] {
            ingest(&mut cache, &Query::Transaction(hash(1)), &own(overflow));
            assert_eq!(logs(&cache), [2, 5, 5, 9]);
            assert_eq!(cache.knows_all_transfers(&hash(1)), all, "{overflow}");
        }
        for block in [7, 8] {
            let overflow = format!(r#","block_number":{block}"#);
            ingest(&mut cache, &Query::Transaction(hash(1)), &own(&overflow));
        }
        assert_eq!(logs(&cache), [2, 5], "those of another block are not listed");
    }

    #[test]
    fn least_recently_ingested_entry_is_evicted() {
        let mut map: BoundedMap<u32, u32> = bounded_map(10);
        for key in 0..100 {
            *map.get_or_insert_mut(key, u32::default) += 1;
            *map.get_or_insert_mut(0, u32::default) += 1;
            assert!(map.len() <= 10);
        }
        assert_eq!(map.peek(&0), Some(&101), "it is touched all the time");
        assert_eq!((map.peek(&91), map.peek(&90)), (Some(&1), None));
        assert!(map.iter().map(|(key, _)| *key).eq([0].into_iter().chain((91..100).rev())));
    }

    #[test]
    fn transfers_per_transaction_are_bounded() {
        let mut cache = NameCache::default();
        let transfer = |log| format!(r#"{{"transaction_hash":"{}","log_index":{log}}}"#, hash(1));
        let all: Vec<String> = (0..2 * MAX_TRANSFERS_PER_TRANSACTION).map(transfer).collect();
        ingest(&mut cache, &Query::token_transfers(None), &page(&all.join(",")));
        assert_eq!(cache.transfers(&hash(1)).len(), MAX_TRANSFERS_PER_TRANSACTION);
    }
}
