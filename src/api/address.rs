//! Addresses: within other objects, and by themselves.

use std::collections::HashSet;

use super::json::Json;
use super::json_fields::{Field, FromJson, FromObject, RawObject};
use crate::chain::Address;
use crate::messages::contract;
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
    /// The name with its number among several deployments, and with the implementation of a proxy, if
    /// there are any: `Desk-2`, `Proxy › Vault`.
    pub full_name: Option<SafeText>,
    /// The name that the explorer's directory gives it.
    pub name_tag: Option<SafeText>,
    pub ens: Field<SafeText>,
    /// The name of a proxy's implementation. Sent by servers before version 6.8.
    pub implementation_name: Field<SafeText>,
    /// The kind of proxy, an open set (`eip1967`, `eip7702`, …).
    pub proxy_type: Field<SafeText>,
    pub implementations: Field<Vec<ProxyImplementation>>,
    pub is_scam: Field<bool>,
    /// The server's rating (`ok`, `scam`).
    pub reputation: Field<SafeText>,
    /// Other tags: public, private and metadata tags and watch-list names, in that order.
    pub tags: Vec<SafeText>,
}

impl Field<AddressRef> {
    /// Returns the address alone.
    pub fn hash(&self) -> Option<Address> {
        self.value().map(|address| address.hash)
    }
}

#[derive(Debug, Clone)]
pub struct ProxyImplementation {
    pub address: Field<Address>,
    /// Name of the contract.
    pub name: Field<SafeText>,
    /// The name that distinguishes it from other contracts of that name.
    pub own_name: Field<SafeText>,
}

impl AddressRef {
    /// Creates an address of which nothing is known.
    pub fn unnamed(hash: Address) -> Self {
        Self {
            hash,
            is_contract: Field::Absent,
            is_verified: Field::Absent,
            name: Field::Absent,
            full_name: None,
            name_tag: None,
            ens: Field::Absent,
            implementation_name: Field::Absent,
            proxy_type: Field::Absent,
            implementations: Field::Absent,
            is_scam: Field::Absent,
            reputation: Field::Absent,
            tags: Vec::new(),
        }
    }

    /// Returns the best name, in the order of Blockscout's pages: the name tag, the ENS name, the
    /// contract's name, or a tag.
    pub fn label(&self) -> Option<&SafeText> {
        let given = [&self.name, &self.implementation_name];
        let own = self.name_tag.as_ref().or(self.ens.value()).or(self.full_name.as_ref());
        own.or_else(|| given.into_iter().find_map(Field::value))
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
        let name = chain_name(object, "name");
        let proxy_type: Field<SafeText> = object.field(&["proxy_type"]);
        let implementations: Field<Vec<ProxyImplementation>> = object.field(&["implementations"]);
        // A minimal proxy has no source: its name is its token's.
        let is_clone = proxy_type.value().is_some_and(|kind| kind == "eip1167");
        let behind = implementations.value().filter(|_| !is_clone);
        let build = DeployedBuild::of_object(object);
        let full_name = full_name(name.value(), &build, behind.map_or(&[], Vec::as_slice));
        let (name_tag, tags) = tags(object);
        Ok(Self {
            hash,
            is_contract: object.field(&["is_contract"]),
            is_verified: object.field(&["is_verified"]),
            name,
            full_name,
            name_tag,
            ens: chain_name(object, "ens_domain_name"),
            implementation_name: chain_name(object, "implementation_name"),
            proxy_type,
            implementations,
            is_scam: object.field(&["is_scam"]),
            reputation: object.field(&["reputation"]),
            tags,
        })
    }
}

/// One of the contracts of a name that a node's chain has.
pub(super) struct DeployedBuild {
    /// The name that the project's scripts gave it.
    pub(super) name: Field<SafeText>,
    /// Its place among them, counted from 1 for the oldest, if there are several.
    pub(super) number: Field<u64>,
    /// `true` if the project was compiled again since.
    pub(super) is_older: Field<bool>,
    /// `true` for a proxy that may have run other code in older blocks.
    pub(super) was_upgraded: Field<bool>,
}

impl DeployedBuild {
    fn of_object(object: &RawObject<'_>) -> Self {
        Self {
            name: chain_name(object, "deployment_name"),
            number: object.field(&["deployment_number"]),
            is_older: object.field(&["is_older_build"]),
            was_upgraded: object.field(&["was_upgraded"]),
        }
    }
}

/// Stands between the name of a proxy and its implementation's.
const BEHIND: &str = " › ";

/// Adds the number of a deployment to the name of a contract, and the name of the implementation to a
/// proxy's, unless that is not the one of all its rows. Returns `None` if there is neither.
pub(super) fn full_name(
    name: Option<&SafeText>,
    build: &DeployedBuild,
    behind: &[ProxyImplementation],
) -> Option<SafeText> {
    let was_upgraded = build.was_upgraded.value() == Some(&true);
    let behind = match behind {
        [one] if !was_upgraded => one.name.value().filter(|behind| Some(*behind) != name),
        _ => None,
    };
    let given = build.name.value();
    let number = build.number.value().map(|number| format!("-{number}"));
    let is_older = build.is_older.value() == Some(&true);
    let age = is_older.then(|| format!(" ({})", contract::OLDER_BUILD));
    let is_distinguished = given.is_some() || number.is_some() || is_older;
    let numbered = given.or(name).filter(|_| is_distinguished).map(|name| {
        let rest = [number, age].map(Option::unwrap_or_default).concat();
        SafeText::new(&format!("{name}{rest}"))
    });
    match (numbered.as_ref().or(name), behind) {
        (Some(proxy), Some(behind)) => Some(SafeText::new(&[proxy, BEHIND, behind].concat())),
        _ => numbered,
    }
}

/// Returns the name of a proxy without the one of an implementation.
pub fn proxy_name<'a>(name: &'a str, behind: &str) -> Option<&'a str> {
    name.strip_suffix(behind)?.strip_suffix(BEHIND)
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
        let name = chain_name(&object, "name");
        let own_name = full_name(name.value(), &DeployedBuild::of_object(&object), &[]);
        Ok(Self {
            address: object.field(&["address_hash", "address"]),
            own_name: own_name.map_or_else(|| name.clone(), Field::Present),
            name,
        })
    }
}

/// A tag of any of the four kinds.
struct AddressTag {
    name: Option<SafeText>,
    /// The rank among the names of the address, if the tag is one.
    name_rank: Option<u64>,
}

impl FromJson for AddressTag {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        // An invalid tag must not invalidate the others.
        let Ok(object) = RawObject::parse(json) else {
            return Ok(Self { name: None, name_rank: None });
        };
        let name: Field<SafeText> = object.field(&["display_name", "name", "label", "slug"]);
        let kind: Field<SafeText> = object.field(&["tagType"]);
        let is_name = kind.value().is_some_and(|kind| kind == "name");
        Ok(Self {
            name: name.value().filter(|name| !name.is_empty()).cloned().map(guard_name),
            name_rank: is_name.then(|| object.field(&["ordinal"]).value().copied().unwrap_or(0)),
        })
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

/// Returns the name tag of the highest rank, and the names of the other tags without repetitions.
fn tags(object: &RawObject<'_>) -> (Option<SafeText>, Vec<SafeText>) {
    let [public, private, watched] = ["public_tags", "private_tags", "watchlist_names"]
        .map(|name| object.field::<Vec<AddressTag>>(&[name]));
    let field = object.field::<TagMetadata>(&["metadata"]);
    let metadata = field.value().map(|metadata| &metadata.0);
    let ranked =
        metadata.into_iter().flatten().filter_map(|tag| tag.name_rank.zip(tag.name.as_ref()));
    let name_tag = ranked.rev().max_by_key(|(rank, _)| *rank).map(|(_, name)| name);
    let all = [public.value(), private.value(), metadata, watched.value()];
    let mut seen = name_tag.into_iter().collect::<HashSet<_>>();
    let names = all.into_iter().flatten().flatten().filter_map(|tag| tag.name.as_ref());
    let others = names.filter(|name| seen.insert(*name)).cloned().collect();
    (name_tag.cloned(), others)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn label(fields: &str) -> Option<SafeText> {
        let json = format!(r#"{{"hash": "{}", {fields}}}"#, Address::ZERO);
        let json: Box<RawValue> = serde_json::from_str(&json).unwrap();
        AddressRef::from_json(Json::from(&*json)).unwrap().label().cloned()
    }

    #[test]
    fn labels_distinguish_deployments_and_proxies() {
        let behind = |name: &str| {
            format!(
                r#""implementations": [{{"address_hash": "{}", "name": {name}}}]"#,
                Address::ZERO
            )
        };
        let (vault, nameless) = (behind(r#""Vault""#), behind("null"));
        for (fields, expected) in [
            (r#""name": "Desk""#.to_owned(), Some("Desk")),
            (r#""name": "Desk", "deployment_number": 2"#.to_owned(), Some("Desk-2")),
            (format!(r#""name": "Proxy", {vault}"#), Some("Proxy › Vault")),
            (
                format!(r#""name": "Proxy", "deployment_number": 1, {vault}"#),
                Some("Proxy-1 › Vault"),
            ),
            (format!(r#""name": "Vault", {vault}"#), Some("Vault")),
            (format!(r#""name": "Proxy", {nameless}"#), Some("Proxy")),
            (format!(r#""name": null, {vault}"#), None),
            (format!(r#""name": "Gold", "proxy_type": "eip1167", {vault}"#), Some("Gold")),
            (r#""name": "Desk", "is_older_build": true"#.to_owned(), Some("Desk (older build)")),
            (format!(r#""name": "Proxy", "was_upgraded": true, {vault}"#), Some("Proxy")),
            (
                format!(r#""name": "Proxy", "deployment_name": "Desk", {vault}"#),
                Some("Desk › Vault"),
            ),
            (r#""name": "Desk", "deployment_name": "A › B""#.to_owned(), Some("“A › B”")),
            (r#""name": "A › B""#.to_owned(), Some("“A › B”")),
        ] {
            assert_eq!(label(&fields).as_deref(), expected, "{fields}");
        }
    }
    #[test]
    fn name_tag_of_the_highest_rank_is_the_name() {
        let tag = |kind: &str, name: &str, ordinal: i64| {
            format!(
                r#"{{"slug":"x","name":"{name}","tagType":"{kind}","ordinal":{ordinal},"meta":{{}}}}"#
            )
        };
        let [whale, gold, tagged] =
            [tag("generic", "Whale", 99), tag("name", "Gold", 10), tag("name", "Gold: Coin", 11)];
        let named = r#""name": "Token", "ens_domain_name": "a.eth", "metadata": {"tags":"#;
        for (tags, expected) in [
            (format!("[{gold}, {whale}, {tagged}]"), "Gold: Coin"),
            (format!("[7, {gold}]"), "Gold"),
            (format!("[{whale}]"), "a.eth"),
        ] {
            assert_eq!(label(&format!("{named} {tags}}}")).as_deref(), Some(expected), "{tags}");
        }
    }
}
