//! Addresses: within other objects, and by themselves.

use serde_json::value::RawValue;

use super::json_fields::{Field, FromJson, RawObject};
use super::token::Token;
use crate::chain::{Address, TxHash, U256};
use crate::safety::label_marks::escape_label_marks;
use crate::sanitize::SafeText;

/// An address inside another object (`from`, `to`, `owner`, `created_contract`, …).
#[derive(Debug, Clone)]
pub struct AddressRef {
    pub hash: Address,
    /// Whether it has code. True for accounts that delegate to a contract (EIP-7702).
    pub is_contract: Field<bool>,
    pub is_verified: Field<bool>,
    pub name: Field<SafeText>,
    pub ens: Field<SafeText>,
    /// The name of a proxy's implementation. Sent by servers before version 6.8.
    pub implementation_name: Field<SafeText>,
    /// The kind of proxy, an open set (`eip1967`, `eip7702`, …).
    pub proxy_type: Field<SafeText>,
    pub implementations: Field<Vec<ProxyImplementation>>,
    pub is_scam: Field<bool>,
    /// The server's rating (`ok`, `scam`).
    pub reputation: Field<SafeText>,
    /// Names from tags: public, private and metadata tags and watch-list names, in that order.
    pub tags: Vec<SafeText>,
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

#[derive(Debug, Clone)]
pub struct ProxyImplementation {
    pub address: Field<Address>,
    pub name: Field<SafeText>,
}

impl AddressRef {
    /// Returns the best name: the ENS name, the contract's name, or a tag.
    pub fn label(&self) -> Option<&SafeText> {
        let given = [&self.ens, &self.name, &self.implementation_name];
        given
            .into_iter()
            .find_map(Field::value)
            .or_else(|| self.tags.first())
            .filter(|n| !n.is_empty())
    }
}

impl FromJson for AddressRef {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        Self::from_object(&RawObject::parse(json)?)
    }
}

impl AddressRef {
    fn from_object(object: &RawObject<'_>) -> Result<Self, SafeText> {
        let hash = match object.field(&["hash"]) {
            Field::Present(hash) => hash,
            Field::Absent => return Err("an address object without `hash`".into()),
            Field::Invalid(reason) => return Err(reason),
        };
        Ok(Self {
            hash,
            is_contract: object.field(&["is_contract"]),
            is_verified: object.field(&["is_verified"]),
            name: chain_name(object, "name"),
            ens: chain_name(object, "ens_domain_name"),
            implementation_name: chain_name(object, "implementation_name"),
            proxy_type: object.field(&["proxy_type"]),
            implementations: object.field(&["implementations"]),
            is_scam: object.field(&["is_scam"]),
            reputation: object.field(&["reputation"]),
            tags: tags(object),
            extra_fields: object.extra_fields(),
        })
    }
}

/// A name from a response. It cannot be confused with the user's own.
fn chain_name(object: &RawObject<'_>, field: &str) -> Field<SafeText> {
    match object.field(&[field]) {
        Field::Present(name) => Field::Present(escape_label_marks(name)),
        other => other,
    }
}

impl FromJson for ProxyImplementation {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            address: object.field(&["address_hash", "address"]),
            name: chain_name(&object, "name"),
        })
    }
}

/// The name of a tag of any of the four kinds.
struct AddressTag(Option<SafeText>);

impl FromJson for AddressTag {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        // An invalid tag must not invalidate the others.
        let Ok(object) = RawObject::parse(json) else { return Ok(Self(None)) };
        Ok(Self(
            object
                .field(&["display_name", "name", "label", "slug"])
                .value()
                .cloned()
                .map(escape_label_marks),
        ))
    }
}

/// `metadata` is `{tags: […]}` on the service and a single tag in the specification.
struct TagMetadata(Vec<AddressTag>);

impl FromJson for TagMetadata {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        match RawObject::parse(json)?.field(&["tags"]) {
            Field::Present(tags) => Ok(Self(tags)),
            Field::Absent => Ok(Self(vec![AddressTag::from_json(json)?])),
            Field::Invalid(reason) => Err(reason),
        }
    }
}

fn tags(object: &RawObject<'_>) -> Vec<SafeText> {
    let list = |name| {
        object
            .field::<Vec<AddressTag>>(&[name])
            .value()
            .map(|tags| tag_names(tags))
            .unwrap_or_default()
    };
    let mut tags = list("public_tags");
    tags.extend(list("private_tags"));
    tags.extend(
        object
            .field::<TagMetadata>(&["metadata"])
            .value()
            .map(|m| tag_names(&m.0))
            .unwrap_or_default(),
    );
    tags.extend(list("watchlist_names"));
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.clone()));
    tags
}

fn tag_names(tags: &[AddressTag]) -> Vec<SafeText> {
    tags.iter().filter_map(|tag| tag.0.clone()).collect()
}

/// An address by itself (`/addresses/{hash}`).
#[derive(Debug, Clone)]
pub struct AddressInfo {
    pub address: AddressRef,
    /// The balance in wei, as of a recent block.
    pub coin_balance: Field<U256>,
    /// The price of the coin in US dollars, decimal.
    pub exchange_rate: Field<SafeText>,
    pub creator: Field<Address>,
    pub creation_transaction: Field<TxHash>,
    pub token: Field<Token>,
}

impl FromJson for AddressInfo {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
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

/// The counters of an address (`/addresses/{hash}/counters`). The server computes them on the first
/// request, whose response can be too small.
#[derive(Debug, Clone)]
pub struct AddressCounters {
    /// Transactions that are from, to or create the address.
    pub transactions: Field<u64>,
    /// Logs of token transfers. A batch counts once, but is listed as several rows.
    pub token_transfers: Field<u64>,
    pub gas_used: Field<u64>,
}

impl FromJson for AddressCounters {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            transactions: object.field(&["transactions_count"]),
            token_transfers: object.field(&["token_transfers_count"]),
            gas_used: object.field(&["gas_usage_count"]),
        })
    }
}
