//! What earlier answers said of addresses, tokens and transactions: names for the call trace without
//! a request of its own.

mod bounded_map;
mod ingest;

use std::collections::HashMap;
use std::sync::Arc;

use crate::api::address::AddressRef;
use crate::api::token_transfers::{TokenTransfer, TransferAmount};
use crate::api::transactions::Transaction;
use crate::api::{Field, Item};
use crate::chain::{Address, TxHash};
use crate::sanitize::SafeText;
use crate::user_data::labels::{LabelEdit, Labels};
use bounded_map::BoundedMap;
use ingest::CachedName;

/// Addresses that are remembered.
const MAX_NAMES: usize = 50_000;
/// Transactions that are remembered.
const MAX_TRANSACTIONS: usize = 2_000;
/// Transfers that are remembered of one transaction: an airdrop has thousands.
const MAX_TRANSFERS_PER_TRANSACTION: usize = 500;

/// All that is remembered. What was not heard of for longest is forgotten first.
#[derive(Debug)]
pub struct NameCache {
    /// What the user says of addresses: it counts more than any answer, and is never forgotten.
    labels: Labels,
    /// How often that has changed.
    label_revision: u32,
    names: BoundedMap<Address, CachedName>,
    /// Who is called so; none, if several are.
    name_owners: HashMap<String, Option<Address>>,
    cached_transactions: BoundedMap<TxHash, CachedTransaction>,
}

/// What is known of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressName {
    /// Its best name: its own, or that of the token it is.
    pub label: Option<SafeText>,
    /// The contracts behind it, if it is a proxy, and their names.
    pub implementations: Vec<(Option<Address>, Option<SafeText>)>,
    /// The token it is.
    pub token: Option<TokenMetadata>,
    /// Whether its source is verified, as far as was said.
    pub is_verified: bool,
    /// Whether any answer called it, or the token it is, a scam.
    pub is_scam: bool,
    /// Which answer said it.
    pub origin: SafeText,
}

/// What amounts of a token are written with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenMetadata {
    /// Its symbol, chosen by whoever deployed it.
    pub symbol: Option<SafeText>,
    /// How many digits of an amount stand after the point.
    pub decimals: Option<u8>,
}

/// What is known of a transaction.
#[derive(Debug, Default)]
struct CachedTransaction {
    transaction: Option<Arc<Item<Transaction>>>,
    /// How much that says: whether it is final, and whether it is the transaction's own object.
    completeness: (bool, bool),
    /// From lists.
    transfers: Vec<Arc<Item<TokenTransfer>>>,
}

impl Default for NameCache {
    fn default() -> Self {
        let (labels, relabelled) = (Labels::default(), 0);
        let (names, deeds) =
            (BoundedMap::with_capacity(MAX_NAMES), BoundedMap::with_capacity(MAX_TRANSACTIONS));
        Self {
            labels,
            label_revision: relabelled,
            names,
            name_owners: HashMap::new(),
            cached_transactions: deeds,
        }
    }
}

impl NameCache {
    /// What the user says of addresses.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How often that has changed, for those who wrote it down somewhere.
    pub fn label_revision(&self) -> u32 {
        self.label_revision
    }

    /// The user says this of addresses from now on.
    pub fn set_labels(&mut self, labels: Labels) {
        self.labels = labels;
        self.label_revision = self.label_revision.wrapping_add(1);
    }

    /// The user has changed a label.
    pub fn edit_label(&mut self, change: &LabelEdit) {
        self.labels.apply(change);
        self.label_revision = self.label_revision.wrapping_add(1);
    }

    /// What answers say of an address.
    pub fn name(&self, address: &Address) -> Option<&AddressName> {
        self.names.get(address).map(|known| &known.name)
    }

    /// Whether answers call several addresses this.
    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.name_owners.get(name) == Some(&None)
    }

    /// An address may be called something else now.
    fn add_name_owner(&mut self, address: Address) {
        let label = self.names.get(&address).and_then(|known| known.name.label.as_ref());
        let Some(label) = label.map(ToString::to_string) else { return };
        if self.name_owners.len() >= MAX_NAMES {
            // They will be met again.
            self.name_owners.clear();
        }
        let bearer = self.name_owners.entry(label).or_insert(Some(address));
        *bearer = bearer.filter(|known| *known == address);
    }

    /// Every address of which something is known, what was heard of lately first.
    pub fn addresses(&self) -> impl Iterator<Item = (&Address, &AddressName)> {
        self.names.iter().map(|(address, known)| (address, &known.name))
    }

    /// Every transaction that was seen, those heard of lately first.
    pub fn transactions(&self) -> impl Iterator<Item = (&TxHash, &Transaction)> {
        self.cached_transactions.iter().filter_map(|(hash, deed)| Some((hash, deed.parsed()?)))
    }

    /// A transaction: its own object, if that was seen, rather than a row of a list.
    pub fn transaction(&self, hash: &TxHash) -> Option<&Arc<Item<Transaction>>> {
        self.cached_transactions.get(hash)?.transaction.as_ref()
    }

    /// A transaction's token transfers, from its own object and from lists, each once, in the order
    /// of their logs.
    pub fn transfers(&self, hash: &TxHash) -> Vec<&TokenTransfer> {
        let Some(deed) = self.cached_transactions.get(hash) else { return Vec::new() };
        let own = deed.parsed().and_then(|transaction| transaction.token_transfers.value());
        let mut transfers: Vec<&TokenTransfer> = own.into_iter().flatten().collect();
        let listed = parsed(&deed.transfers)
            .filter(|t| !transfers.iter().any(|own| is_same_transfer(own, t)));
        let listed: Vec<&TokenTransfer> = listed.collect();
        transfers.extend(listed);
        transfers.sort_by_key(|transfer| transfer.log_index.value());
        transfers
    }

    /// Whether its own object said that it has no more token transfers than it lists.
    pub fn knows_all_transfers(&self, hash: &TxHash) -> bool {
        self.cached_transactions.get(hash).and_then(CachedTransaction::parsed).is_some_and(
            |transaction| {
                let more = transaction.token_transfers_overflow.value();
                transaction.token_transfers.value().is_some() && more == Some(&false)
            },
        )
    }
}

impl CachedTransaction {
    fn parsed(&self) -> Option<&Transaction> {
        self.transaction.as_ref()?.parsed.as_ref().ok()
    }
}

/// The items that could be read.
fn parsed<T>(items: &[Arc<Item<T>>]) -> impl Iterator<Item = &T> {
    items.iter().filter_map(|item| item.parsed.as_ref().ok())
}

/// Whether two objects are about one transfer. A batch has one log for all its ids.
fn is_same_transfer(one: &TokenTransfer, other: &TokenTransfer) -> bool {
    let parties = |t: &TokenTransfer| {
        let hash = |party: &Field<AddressRef>| party.value().map(|address| address.hash);
        (
            hash(&t.from),
            hash(&t.to),
            t.token.value().and_then(|token| token.address.value().copied()),
        )
    };
    let amount =
        |total: &TransferAmount| (total.value.value().copied(), total.token_id.value().copied());
    one.log_index.value() == other.log_index.value()
        && parties(one) == parties(other)
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

    fn learn(seen: &mut NameCache, query: &Query, body: &str) {
        seen.ingest(query, &query.decode(body.as_bytes(), None).unwrap());
    }

    fn transactions() -> Query {
        Query::Transactions { address: address(A), direction: None }
    }

    /// A page of these items.
    fn page(items: &str) -> String {
        format!("{{\"items\":[{items}],\"next_page_params\":null}}")
    }

    fn label<'a>(seen: &'a NameCache, whose: &str) -> Option<&'a str> {
        seen.name(&address(whose))?.label.as_deref()
    }

    #[test]
    fn a_better_name_wins_and_nothing_wins_never() {
        let mut seen = NameCache::default();
        let mut says = |fields: &str| {
            let item = format!(r#"{{"hash":"{}","to":{{"hash":"{A}"{fields}}}}}"#, hash(1));
            learn(&mut seen, &transactions(), &page(&item));
            seen.name(&address(A)).cloned()
        };
        assert_eq!(says(""), None, "one of whom nothing is said takes no place");
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
    fn tokens_name_their_contracts_whatever_their_source_is_called() {
        let mut seen = NameCache::default();
        let tokens = Query::Tokens { address: address(A), types: vec![] };
        let token = |more: &str| page(&format!(r#"{{"token":{{"address_hash":"{B}"{more}}}}}"#));
        let item = format!(r#"{{"hash":"{}","to":{{"hash":"{B}","name":"GoldToken"}}}}"#, hash(1));
        learn(&mut seen, &transactions(), &page(&item));
        assert_eq!(label(&seen, B), Some("GoldToken"));
        learn(&mut seen, &tokens, &token(r#","symbol":"GLD""#));
        assert_eq!(label(&seen, B), Some("GLD"));
        learn(&mut seen, &tokens, &token(r#","name":"Gold","decimals":"18""#));
        assert_eq!(label(&seen, B), Some("Gold"));
        let known = seen.name(&address(B)).unwrap().token.clone().unwrap();
        assert_eq!(known, TokenMetadata { symbol: Some("GLD".into()), decimals: Some(18) });
        learn(&mut seen, &transactions(), &page(&item));
        learn(&mut seen, &tokens, &token(r#","name":"Gold","reputation":"scam""#));
        assert_eq!(label(&seen, B), Some("Gold"));
        assert!(seen.name(&address(B)).unwrap().is_scam);
    }

    #[test]
    fn a_name_of_several_is_known_to_be_shared() {
        let mut seen = NameCache::default();
        let mut named = |whose: &str, name: &str| {
            let to = format!(r#"{{"hash":"{whose}","name":"{name}"}}"#);
            let item = format!(r#"{{"hash":"{}","to":{to}}}"#, hash(1));
            learn(&mut seen, &transactions(), &page(&item));
            seen.is_ambiguous("Pool")
        };
        assert!(!named(A, "Pool") && !named(A, "Pool") && !named(B, "Router"));
        assert!(named(B, "Pool") && named(C, "Vault"), "it stays so");
    }

    #[test]
    fn a_proxy_says_what_is_behind_it() {
        let mut seen = NameCache::default();
        let body = format!(
            r#"{{"hash":"{A}","name":"Proxy","implementations":[{{"address_hash":"{B}","name":"Logic"}},7],
                "token":{{"symbol":"USD","decimals":"6"}}}}"#
        );
        let whole = body.replace(",7", "");
        learn(&mut seen, &Query::Address(address(A)), &whole);
        let name = seen.name(&address(A)).unwrap();
        assert_eq!(name.implementations, [(Some(address(B)), Some("Logic".into()))]);
        assert_eq!(name.token.as_ref().unwrap().decimals, Some(6), "it is its own token");
        assert_eq!((label(&seen, A), label(&seen, B)), (Some("USD"), Some("Logic")));
        assert_eq!(&*seen.name(&address(B)).unwrap().origin, "address 0xaAaA…aaAa");
        // One that cannot be read costs the list of implementations, and nothing that was known.
        learn(&mut seen, &Query::Address(address(A)), &body);
        assert_eq!(seen.name(&address(A)).unwrap().implementations.len(), 1);
    }

    #[test]
    fn every_kind_of_answer_is_read() {
        let of = |letter: &str, name: &str| {
            format!(r#"{{"hash":"0x{}","name":"{name}"}}"#, letter.repeat(40))
        };
        let token = format!(r#"{{"address_hash":"{C}","name":"Coin"}}"#);
        let piece = format!(r#"{{"id":"1","owner":{},"token":{token}}}"#, of("b", "Owner"));
        let (whom, token_of) = (address(A), address(C));
        let (direction, types) = (None, vec![]);
        let parties = format!(
            r#"{{"from":{},"to":{},"created_contract":{}}}"#,
            of("a", "From"),
            of("b", "To"),
            of("c", "Made")
        );
        for (query, item, names) in [
            (
                Query::InternalTransactions { address: whom, direction },
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
                Query::Tokens { address: whom, types: types.clone() },
                format!(r#"{{"token":{token},"token_instance":{piece}}}"#),
                [None, Some("Owner"), Some("Coin")],
            ),
            (
                Query::Collections { address: whom, types },
                format!(r#"{{"token":{token},"token_instances":[{piece}]}}"#),
                [None, Some("Owner"), Some("Coin")],
            ),
            (
                Query::Instances { token: token_of, holder: None },
                piece.clone(),
                [None, Some("Owner"), Some("Coin")],
            ),
        ] {
            let mut seen = NameCache::default();
            learn(&mut seen, &query, &page(&item));
            assert_eq!([A, B, C].map(|whose| label(&seen, whose)), names, "{query:?}");
        }
    }

    #[test]
    fn the_fullest_object_of_a_transaction_is_kept() {
        let mut seen = NameCache::default();
        let body = |more: &str| format!(r#"{{"hash":"{}"{more}}}"#, hash(1));
        let method = |seen: &NameCache| {
            let item = seen.transaction(&hash(1)).unwrap();
            item.parsed.as_ref().unwrap().method.value().map(ToString::to_string)
        };
        let own = Query::Transaction(hash(1));
        learn(&mut seen, &own, &body(r#","method":"pending""#));
        learn(&mut seen, &transactions(), &page(&body(r#","method":"listed","status":"ok""#)));
        assert_eq!(method(&seen).as_deref(), Some("listed"), "what is final is more");
        learn(&mut seen, &own, &body(r#","method":"own","status":"ok""#));
        learn(&mut seen, &transactions(), &page(&body(r#","method":"listed","status":"ok""#)));
        assert_eq!(method(&seen).as_deref(), Some("own"));
        learn(&mut seen, &own, &body(r#","method":"newer","status":"ok""#));
        assert_eq!(method(&seen).as_deref(), Some("newer"));
        assert!(seen.transaction(&hash(2)).is_none());
    }

    #[test]
    fn transfers_of_two_answers_are_each_there_once() {
        let mut seen = NameCache::default();
        let transfer = |log: u64, id: u64| {
            format!(
                r#"{{"transaction_hash":"{}","log_index":{log},"from":{{"hash":"{A}"}},"token":{{"address_hash":"{C}"}},"total":{{"token_id":"{id}","value":"1"}}}}"#,
                hash(1)
            )
        };
        let logs = |seen: &NameCache| -> Vec<u64> {
            let transfers = seen.transfers(&hash(1));
            transfers.iter().map(|transfer| *transfer.log_index.value().unwrap()).collect()
        };
        let list = page(&[transfer(9, 1), transfer(5, 2), transfer(5, 1)].join(","));
        learn(&mut seen, &Query::token_transfers(None), &list);
        learn(&mut seen, &Query::token_transfers(Some(address(A))), &list);
        assert_eq!(logs(&seen), [5, 5, 9], "a batch is one log");
        assert!(seen.transaction(&hash(1)).is_none() && !seen.knows_all_transfers(&hash(1)));
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
            learn(&mut seen, &Query::Transaction(hash(1)), &own(overflow));
            assert_eq!(logs(&seen), [2, 5, 5, 9]);
            assert_eq!(seen.knows_all_transfers(&hash(1)), all, "{overflow}");
        }
    }

    #[test]
    fn the_transfers_of_an_airdrop_do_not_pile_up() {
        let mut seen = NameCache::default();
        let transfer = |log| format!(r#"{{"transaction_hash":"{}","log_index":{log}}}"#, hash(1));
        let all: Vec<String> = (0..2 * MAX_TRANSFERS_PER_TRANSACTION).map(transfer).collect();
        learn(&mut seen, &Query::token_transfers(None), &page(&all.join(",")));
        assert_eq!(seen.transfers(&hash(1)).len(), MAX_TRANSFERS_PER_TRANSACTION);
    }
}
