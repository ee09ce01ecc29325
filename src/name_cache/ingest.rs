//! Reading an answer for what is worth remembering.

use std::sync::Arc;

use super::{Name, Seen, TRANSFERS, read, same};
use crate::api::address::{AddressRef, Implementation};
use crate::api::internal_transactions::InternalTransaction;
use crate::api::token::Token;
use crate::api::token_instances::TokenInstance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::{Outcome, Transaction};
use crate::api::{Field, Item, Query, Reply};
use crate::chain::Address;
use crate::sanitize::Text;
use crate::user_data::labels::theirs;

/// Where a label comes from, the poorest source first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    #[default]
    Nowhere,
    Proxy,
    Itself,
    /// Better than the contract's own: many tokens have one source, and so one name of a contract.
    Token,
}

/// A name, and how good it is.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) name: Name,
    source: Source,
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
                page.items.iter().for_each(|i| pupil.transaction(i, false));
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
            Reply::Counters(_) | Reply::RawTrace(_) | Reply::Redirect(_) => {}
        }
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
        let (label, is_verified) = (address.label(), address.is_verified.known() == Some(&true));
        let is_scam = is_scam(address);
        // Most addresses are somebody's of whom nothing is said: they are not worth a place.
        if label.is_some() || is_verified || is_scam || !behind.is_empty() {
            let known = self.seen.names.of_key(address.hash);
            known.call(label, Source::Itself, &self.origin);
            known.name.is_verified |= is_verified;
            known.name.is_scam |= is_scam;
            known.stand_before(behind);
            self.seen.note_bearer(address.hash);
        }
        for one in behind {
            if let (Some(address), Some(name)) = (one.address.known(), said_of(&one.name)) {
                self.seen.names.of_key(*address).call(Some(name), Source::Proxy, &self.origin);
                self.seen.note_bearer(*address);
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
        let symbol = said_of(&token.symbol).cloned().map(theirs);
        let label = said_of(&token.name).cloned().map(theirs);
        known.call(label.as_ref().or(symbol.as_ref()), Source::Token, &self.origin);
        known.name.is_scam |= token.reputation.known().is_some_and(|r| **r == *"scam");
        let name = known.name.token.get_or_insert_default();
        if symbol.is_some() && name.symbol != symbol {
            name.symbol = symbol;
        }
        name.decimals = token.decimals.known().copied().or(name.decimals);
        self.seen.note_bearer(address);
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

/// A text that says something.
fn said_of(text: &Field<Text>) -> Option<&Text> {
    text.known().filter(|text| !text.is_empty())
}

fn is_scam(address: &AddressRef) -> bool {
    let ill = address.reputation.known().is_some_and(|reputation| **reputation == *"scam");
    ill || address.is_scam.known() == Some(&true)
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
        Query::Redirect(_) => "name",
    };
    let whose = match query {
        Query::Address(address) | Query::Counters(address) => [" ", &short(address)].concat(),
        Query::Transaction(hash) | Query::RawTrace(hash) => [" ", &short(hash)].concat(),
        Query::TransactionInternals(hash) => [" of ", &short(hash)].concat(),
        Query::Instances { token, .. } => [" of ", &short(token)].concat(),
        _ => query.viewed().map(|address| [" of ", &short(&address)].concat()).unwrap_or_default(),
    };
    Text::from([what, &whose].concat())
}

/// The ends of an address or a hash.
fn short(name: &impl ToString) -> String {
    let full = name.to_string();
    let end = full.len().saturating_sub(4);
    [full.get(..6).unwrap_or(&full), "…", full.get(end..).unwrap_or_default()].concat()
}
