//! What earlier answers said of addresses, tokens and transactions: names for the call trace without
//! a request of its own.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem::take;
use std::sync::Arc;

use crate::api::address::{AddressRef, Implementation};
use crate::api::instances::TokenInstance;
use crate::api::internals::InternalTransaction;
use crate::api::token::Token;
use crate::api::transactions::{Outcome, Transaction};
use crate::api::transfers::{TokenTransfer, Total};
use crate::api::{Field, Item, Query, Reply};
use crate::chain::{Address, TxHash};
use crate::text::Text;

/// Addresses that are remembered.
const NAMES: usize = 50_000;
/// Transactions that are remembered.
const TRANSACTIONS: usize = 2_000;
/// Transfers that are remembered of one transaction: an airdrop has thousands.
const TRANSFERS: usize = 500;

/// All that is remembered. What was not heard of for longest is forgotten first.
#[derive(Debug)]
pub struct Seen {
    names: Recent<Address, Known>,
    deeds: Recent<TxHash, Deed>,
}

/// What is known of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    /// Its best name: its own, or that of the token it is.
    pub label: Option<Text>,
    /// The contracts behind it, if it is a proxy, and their names.
    pub implementations: Vec<(Option<Address>, Option<Text>)>,
    /// The token it is.
    pub token: Option<TokenName>,
    /// Whether its source is verified, as far as was said.
    pub is_verified: bool,
    /// Whether any answer called it, or the token it is, a scam.
    pub is_scam: bool,
    /// Which answer said it.
    pub origin: Text,
}

/// What amounts of a token are written with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenName {
    /// Its symbol, chosen by whoever deployed it.
    pub symbol: Option<Text>,
    /// How many digits of an amount stand after the point.
    pub decimals: Option<u8>,
}

/// Where a label comes from, the poorest source first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    #[default]
    Nowhere,
    Token,
    Proxy,
    Itself,
}

#[derive(Debug, Default)]
struct Known {
    name: Name,
    source: Source,
}

/// What is known of a transaction.
#[derive(Debug, Default)]
struct Deed {
    transaction: Option<Arc<Item<Transaction>>>,
    /// How much that says: whether it is final, and whether it is the transaction's own object.
    depth: (bool, bool),
    /// From lists.
    transfers: Vec<Arc<Item<TokenTransfer>>>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { names: Recent::of(NAMES), deeds: Recent::of(TRANSACTIONS) }
    }
}

impl Seen {
    /// Remembers what an answer says.
    pub fn learn(&mut self, query: &Query, reply: &Reply) {
        let mut pupil = Pupil { seen: self, origin: origin(query) };
        match reply {
            Reply::Address(info) => {
                pupil.address(&info.address);
                pupil.token_of(info.token.known(), Some(info.address.hash));
            }
            Reply::Transaction(item) => pupil.transaction(item, true),
            Reply::Transactions(page) => {
                page.items.iter().for_each(|i| pupil.transaction(i, false))
            }
            Reply::InternalTransactions(page) => read(&page.items).for_each(|i| pupil.internal(i)),
            Reply::TokenTransfers(page) => page.items.iter().for_each(|i| pupil.listed(i)),
            Reply::Tokens(page) => read(&page.items).for_each(|balance| {
                pupil.token(&balance.token);
                pupil.instance(balance.token_instance.known().map(|instance| &**instance));
            }),
            Reply::Collections(page) => read(&page.items).for_each(|collection| {
                pupil.token(&collection.token);
                let pieces = collection.instances.known().into_iter().flatten();
                pieces.for_each(|piece| pupil.instance(Some(piece)));
            }),
            Reply::Instances(page) => read(&page.items).for_each(|i| pupil.instance(Some(i))),
            Reply::Counters(_) | Reply::RawTrace(_) => {}
        }
    }

    /// What is known of an address.
    pub fn name(&self, address: &Address) -> Option<&Name> {
        self.names.get(address).map(|known| &known.name)
    }

    /// A transaction: its own object, if that was seen, rather than a row of a list.
    pub fn transaction(&self, hash: &TxHash) -> Option<&Arc<Item<Transaction>>> {
        self.deeds.get(hash)?.transaction.as_ref()
    }

    /// A transaction's token transfers, from its own object and from lists, each once, in the order
    /// of their logs.
    pub fn transfers(&self, hash: &TxHash) -> Vec<&TokenTransfer> {
        let Some(deed) = self.deeds.get(hash) else { return Vec::new() };
        let own = deed.read().and_then(|transaction| transaction.token_transfers.known());
        let mut transfers: Vec<&TokenTransfer> = own.into_iter().flatten().collect();
        let listed = read(&deed.transfers).filter(|t| !transfers.iter().any(|own| same(own, t)));
        let listed: Vec<&TokenTransfer> = listed.collect();
        transfers.extend(listed);
        transfers.sort_by_key(|transfer| transfer.log_index.known());
        transfers
    }

    /// Whether its own object said that it has no more token transfers than it lists.
    pub fn knows_all_transfers(&self, hash: &TxHash) -> bool {
        self.deeds.get(hash).and_then(Deed::read).is_some_and(|transaction| {
            let more = transaction.token_transfers_overflow.known();
            transaction.token_transfers.known().is_some() && more == Some(&false)
        })
    }
}

/// Someone who reads one answer and remembers it.
struct Pupil<'a> {
    seen: &'a mut Seen,
    origin: Text,
}

impl Pupil<'_> {
    fn transaction(&mut self, item: &Arc<Item<Transaction>>, own: bool) {
        let Ok(transaction) = &item.read else { return };
        self.party(&transaction.from);
        self.party(&transaction.to);
        self.party(&transaction.created_contract);
        for transfer in transaction.token_transfers.known().into_iter().flatten() {
            self.transfer(transfer);
        }
        let deed = self.seen.deeds.of_key(transaction.hash);
        let depth = (transaction.outcome() != Outcome::Pending, own);
        if deed.transaction.is_none() || depth >= deed.depth {
            deed.transaction = Some(Arc::clone(item));
            deed.depth = depth;
        }
    }

    fn internal(&mut self, internal: &InternalTransaction) {
        self.party(&internal.from);
        self.party(&internal.to);
        self.party(&internal.created_contract);
    }

    fn listed(&mut self, item: &Arc<Item<TokenTransfer>>) {
        let Ok(transfer) = &item.read else { return };
        self.transfer(transfer);
        let Some(hash) = transfer.transaction_hash.known() else { return };
        let transfers = &mut self.seen.deeds.of_key(*hash).transfers;
        if transfers.len() < TRANSFERS && !read(transfers).any(|known| same(known, transfer)) {
            transfers.push(Arc::clone(item));
        }
    }

    fn transfer(&mut self, transfer: &TokenTransfer) {
        self.party(&transfer.from);
        self.party(&transfer.to);
        self.token(&transfer.token);
        let total = transfer.total.known();
        let instance = total.and_then(|total| total.token_instance.known());
        self.instance(instance.map(|instance| &**instance));
    }

    fn instance(&mut self, instance: Option<&TokenInstance>) {
        let Some(instance) = instance else { return };
        self.party(&instance.owner);
        self.token(&instance.token);
    }

    fn party(&mut self, party: &Field<AddressRef>) {
        if let Some(address) = party.known() {
            self.address(address);
        }
    }

    fn address(&mut self, address: &AddressRef) {
        let behind = address.implementations.known().map(Vec::as_slice).unwrap_or_default();
        let said = (address.label(), address.is_verified.known(), is_scam(address));
        if said != (None, None, false) && said != (None, Some(&false), false) || !behind.is_empty()
        {
            let known = self.seen.names.of_key(address.hash);
            known.call(said.0, Source::Itself, &self.origin);
            known.name.is_verified = said.1.copied().unwrap_or(known.name.is_verified);
            known.name.is_scam |= said.2;
            known.stand_before(behind);
        }
        for one in behind {
            if let (Some(address), Some(name)) = (one.address.known(), said_of(&one.name)) {
                self.seen.names.of_key(*address).call(Some(name), Source::Proxy, &self.origin);
            }
        }
    }

    fn token(&mut self, token: &Field<Token>) {
        self.token_of(token.known(), None);
    }

    /// A token, at its own address or, where it does not say that, at `contract`.
    fn token_of(&mut self, token: Option<&Token>, contract: Option<Address>) {
        let Some(token) = token else { return };
        let Some(address) = token.address.known().copied().or(contract) else { return };
        let known = self.seen.names.of_key(address);
        let symbol = said_of(&token.symbol);
        known.call(said_of(&token.name).or(symbol), Source::Token, &self.origin);
        known.name.is_scam |= token.reputation.known().is_some_and(|r| **r == *"scam");
        let name = known.name.token.get_or_insert_default();
        if symbol.is_some_and(|symbol| name.symbol.as_ref() != Some(symbol)) {
            name.symbol = symbol.cloned();
        }
        name.decimals = token.decimals.known().copied().or(name.decimals);
    }
}

impl Known {
    /// Takes a label over, unless a better one is known.
    fn call(&mut self, label: Option<&Text>, source: Source, origin: &Text) {
        let better = label.is_some() && source >= self.source && label != self.name.label.as_ref();
        if better {
            self.name.label = label.cloned();
            self.source = source;
        }
        if better || self.name.origin.is_empty() {
            self.name.origin = origin.clone();
        }
    }

    fn stand_before(&mut self, behind: &[Implementation]) {
        let one = |it: &Implementation| (it.address.known().copied(), said_of(&it.name).cloned());
        if !behind.is_empty() {
            self.name.implementations = behind.iter().map(one).collect();
        }
    }
}

impl Deed {
    fn read(&self) -> Option<&Transaction> {
        self.transaction.as_ref()?.read.as_ref().ok()
    }
}

/// The items that could be read.
fn read<T>(items: &[Arc<Item<T>>]) -> impl Iterator<Item = &T> {
    items.iter().filter_map(|item| item.read.as_ref().ok())
}

/// A text that says something.
fn said_of(text: &Field<Text>) -> Option<&Text> {
    text.known().filter(|text| !text.is_empty())
}

fn is_scam(address: &AddressRef) -> bool {
    let ill = address.reputation.known().is_some_and(|reputation| **reputation == *"scam");
    ill || address.is_scam.known() == Some(&true)
}

/// Whether two objects are about one transfer. A batch has one log for all its ids.
fn same(one: &TokenTransfer, other: &TokenTransfer) -> bool {
    let parties = |t: &TokenTransfer| {
        let hash = |party: &Field<AddressRef>| party.known().map(|address| address.hash);
        (
            hash(&t.from),
            hash(&t.to),
            t.token.known().and_then(|token| token.address.known().copied()),
        )
    };
    let amount = |total: &Total| (total.value.known().copied(), total.token_id.known().copied());
    one.log_index.known() == other.log_index.known()
        && parties(one) == parties(other)
        && one.total.known().map(amount) == other.total.known().map(amount)
}

/// What a question's answer is called.
fn origin(query: &Query) -> Text {
    let what = match query {
        Query::Address(_) | Query::Counters(_) => "address",
        Query::Transaction(_) | Query::RawTrace(_) => "transaction",
        Query::Transactions { .. } => "transactions",
        Query::InternalTransactions { .. } | Query::TransactionInternals(_) => {
            "internal transactions"
        }
        Query::TokenTransfers { .. } => "token transfers",
        Query::Tokens { .. } => "tokens",
        Query::Collections { .. } => "collections",
        Query::Instances { .. } => "instances",
    };
    let whose = match query {
        Query::Address(address) | Query::Counters(address) => format!(" {address}"),
        Query::Transaction(hash) | Query::RawTrace(hash) => format!(" {hash}"),
        Query::Instances { token, .. } => format!(" of {token}"),
        _ => query.viewed().map(|address| format!(" of {address}")).unwrap_or_default(),
    };
    Text::from([what, &whose].concat())
}

/// A map that forgets: the newer half of what it may hold, and the half before.
#[derive(Debug)]
struct Recent<K, V> {
    new: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Copy + Eq + Hash, V: Default> Recent<K, V> {
    fn of(most: usize) -> Self {
        Self { new: HashMap::new(), old: HashMap::new(), half: most / 2 }
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.new.get(key).or_else(|| self.old.get(key))
    }

    /// What is remembered of a key, which is heard of now.
    fn of_key(&mut self, key: K) -> &mut V {
        if !self.new.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_default();
            if self.new.len() >= self.half {
                self.old = take(&mut self.new);
            }
            self.new.insert(key, value);
        }
        self.new.entry(key).or_default()
    }
}
