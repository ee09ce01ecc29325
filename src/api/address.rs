//! Addresses: as they appear in every other object, and by themselves.

use serde_json::value::RawValue;

use super::json_fields::{Field, Object, Read};
use super::token::Token;
use crate::chain::{Address, TxHash, U256};
use crate::sanitize::Text;
use crate::user_data::labels::theirs;

/// An address inside another object (`from`, `to`, `owner`, `created_contract`, …).
#[derive(Debug, Clone)]
pub struct AddressRef {
    /// The account.
    pub hash: Address,
    /// Whether code lives there. True for accounts that delegate to a contract (EIP-7702).
    pub is_contract: Field<bool>,
    /// Whether its source is verified.
    pub is_verified: Field<bool>,
    /// The contract's name.
    pub name: Field<Text>,
    /// The name service's name.
    pub ens: Field<Text>,
    /// The name of the contract behind a proxy: servers before 6.8.
    pub implementation_name: Field<Text>,
    /// The kind of proxy, an open set (`eip1967`, `eip7702`, …).
    pub proxy_type: Field<Text>,
    /// The contracts behind a proxy.
    pub implementations: Field<Vec<Implementation>>,
    /// Whether the server calls it a scam: `is_scam` or `reputation`.
    pub is_scam: Field<bool>,
    /// What the server thinks of it (`ok`, `scam`).
    pub reputation: Field<Text>,
    /// Names given by anybody: public, private and metadata tags and watch-list names, in that order.
    pub tags: Vec<Text>,
    /// Fields this build does not know.
    pub rest: Vec<(Text, Text)>,
}

/// A contract that a proxy calls.
#[derive(Debug, Clone)]
pub struct Implementation {
    /// Its address.
    pub address: Field<Address>,
    /// Its name.
    pub name: Field<Text>,
}

impl AddressRef {
    /// The best name the server gave: the name service's, the contract's, then a tag.
    pub fn label(&self) -> Option<&Text> {
        let given = [&self.ens, &self.name, &self.implementation_name];
        given
            .into_iter()
            .find_map(Field::known)
            .or_else(|| self.tags.first())
            .filter(|n| !n.is_empty())
    }
}

impl Read for AddressRef {
    fn read(json: &RawValue) -> Result<Self, Text> {
        Self::from_object(&Object::parse(json)?)
    }
}

impl AddressRef {
    fn from_object(object: &Object<'_>) -> Result<Self, Text> {
        let hash = match object.field(&["hash"]) {
            Field::Read(hash) => hash,
            Field::Absent => return Err("an address object without `hash`".into()),
            Field::Unread(why) => return Err(why),
        };
        Ok(Self {
            hash,
            is_contract: object.field(&["is_contract"]),
            is_verified: object.field(&["is_verified"]),
            name: given(object, "name"),
            ens: given(object, "ens_domain_name"),
            implementation_name: given(object, "implementation_name"),
            proxy_type: object.field(&["proxy_type"]),
            implementations: object.field(&["implementations"]),
            is_scam: object.field(&["is_scam"]),
            reputation: object.field(&["reputation"]),
            tags: tags(object),
            rest: object.rest(),
        })
    }
}

/// A name that somebody gave: it cannot pass for the user's own.
fn given(object: &Object<'_>, field: &str) -> Field<Text> {
    match object.field(&[field]) {
        Field::Read(name) => Field::Read(theirs(name)),
        other => other,
    }
}

impl Read for Implementation {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            address: object.field(&["address_hash", "address"]),
            name: given(&object, "name"),
        })
    }
}

/// A tag of any of the four kinds; only its name matters to us.
struct Tag(Option<Text>);

impl Read for Tag {
    fn read(json: &RawValue) -> Result<Self, Text> {
        // One odd tag must not cost the others.
        let Ok(object) = Object::parse(json) else { return Ok(Self(None)) };
        Ok(Self(
            object.field(&["display_name", "name", "label", "slug"]).known().cloned().map(theirs),
        ))
    }
}

/// `metadata` is `{tags: […]}` on the service and a single tag in the specification.
struct Metadata(Vec<Tag>);

impl Read for Metadata {
    fn read(json: &RawValue) -> Result<Self, Text> {
        match Object::parse(json)?.field(&["tags"]) {
            Field::Read(tags) => Ok(Self(tags)),
            Field::Absent => Ok(Self(vec![Tag::read(json)?])),
            Field::Unread(why) => Err(why),
        }
    }
}

fn tags(object: &Object<'_>) -> Vec<Text> {
    let list = |name| {
        object.field::<Vec<Tag>>(&[name]).known().map(|tags| names(tags)).unwrap_or_default()
    };
    let mut tags = list("public_tags");
    tags.extend(list("private_tags"));
    tags.extend(
        object.field::<Metadata>(&["metadata"]).known().map(|m| names(&m.0)).unwrap_or_default(),
    );
    tags.extend(list("watchlist_names"));
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.clone()));
    tags
}

fn names(tags: &[Tag]) -> Vec<Text> {
    tags.iter().filter_map(|tag| tag.0.clone()).collect()
}

/// An address by itself (`/addresses/{hash}`).
#[derive(Debug, Clone)]
pub struct AddressInfo {
    /// What every address object says.
    pub address: AddressRef,
    /// Wei held, as of some block the server saw.
    pub coin_balance: Field<U256>,
    /// Price of one coin in US dollars, decimal.
    pub exchange_rate: Field<Text>,
    /// Who created this contract.
    pub creator: Field<Address>,
    /// In which transaction.
    pub creation_transaction: Field<TxHash>,
    /// The token that this contract is.
    pub token: Field<Token>,
}

impl Read for AddressInfo {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            coin_balance: object.field(&["coin_balance"]),
            exchange_rate: object.field(&["exchange_rate"]),
            creator: object.field(&["creator_address_hash"]),
            creation_transaction: object.field(&["creation_transaction_hash", "creation_tx_hash"]),
            token: object.field(&["token"]),
            address: AddressRef::from_object(&object)?,
        })
    }
}

/// Counts of an address (`/addresses/{hash}/counters`): computed when first asked for, so a first
/// answer may be too small.
#[derive(Debug, Clone)]
pub struct Counters {
    /// Transactions from, to or creating the address.
    pub transactions: Field<u64>,
    /// Token-transfer logs (a batch counts once, though it is listed as several rows).
    pub token_transfers: Field<u64>,
    /// Gas used by its transactions.
    pub gas_used: Field<u64>,
}

impl Read for Counters {
    fn read(json: &RawValue) -> Result<Self, Text> {
        let object = Object::parse(json)?;
        Ok(Self {
            transactions: object.field(&["transactions_count"]),
            token_transfers: object.field(&["token_transfers_count"]),
            gas_used: object.field(&["gas_usage_count"]),
        })
    }
}
