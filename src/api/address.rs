//! Addresses: within other objects, and by themselves.

use std::collections::HashSet;

use super::json::Json;
use super::json_fields::{Field, FromJson, FromObject, RawObject};
use crate::chain::Address;
use crate::messages::node::ResponseDefect::MissingField;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;

/// An address inside another object (`from`, `to`, `owner`, `created_contract`, …).
#[derive(Debug, Clone)]
pub struct AddressRef {
    pub hash: Address,
    /// `true` if it has code, including accounts that delegate to a contract (EIP-7702).
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

    /// Returns the names that an ABI of the contract, or of its implementations, may have.
    pub fn contract_names(&self) -> impl Iterator<Item = &str> {
        let behind = self
            .implementations
            .value()
            .into_iter()
            .flatten()
            .map(|implementation| &implementation.name);
        let own = [&self.name, &self.implementation_name].into_iter();
        own.chain(behind).filter_map(Field::value).map(|name| &**name)
    }
}

impl FromJson for AddressRef {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        Self::from_object(&RawObject::parse(json)?, &[])
    }
}

impl FromObject for AddressRef {
    fn from_object(object: &RawObject<'_>, _: &[&str]) -> Result<Self, SafeText> {
        let hash = match object.field(&["hash"]) {
            Field::Present(hash) => hash,
            Field::Absent => return Err(MissingField("hash").into()),
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
        })
    }
}

/// A name from a response. It cannot be confused with the user's own.
fn chain_name(object: &RawObject<'_>, field: &str) -> Field<SafeText> {
    match object.field(&[field]) {
        Field::Present(name) => Field::Present(guard_name(name)),
        other => other,
    }
}

impl FromJson for ProxyImplementation {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
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
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        // An invalid tag must not invalidate the others.
        let Ok(object) = RawObject::parse(json) else { return Ok(Self(None)) };
        let name = object.field(&["display_name", "name", "label", "slug"]);
        Ok(Self(name.value().cloned().map(guard_name)))
    }
}

/// `metadata` is `{tags: […]}` on the service and a single tag in the specification.
struct TagMetadata(Vec<AddressTag>);

impl FromJson for TagMetadata {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        match RawObject::parse(json)?.field(&["tags"]) {
            Field::Present(tags) => Ok(Self(tags)),
            Field::Absent => Ok(Self(vec![AddressTag::from_json(json)?])),
            Field::Invalid(reason) => Err(reason),
        }
    }
}

/// Returns the names of tags without repetitions.
fn tags(object: &RawObject<'_>) -> Vec<SafeText> {
    let [public, private, watched] = ["public_tags", "private_tags", "watchlist_names"]
        .map(|name| object.field::<Vec<AddressTag>>(&[name]));
    let metadata = object.field::<TagMetadata>(&["metadata"]);
    let metadata = metadata.value().map(|metadata| &metadata.0);
    let all = [public.value(), private.value(), metadata, watched.value()];
    let mut seen = HashSet::new();
    let names = all.into_iter().flatten().flatten().filter_map(|tag| tag.0.as_ref());
    names.filter(|name| seen.insert(*name)).cloned().collect()
}
