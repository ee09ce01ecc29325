//! The results of a search for any text.

use super::address::{DeployedBuild, ProxyImplementation, full_name};
use super::json_fields::{Field, json_object};
use super::reply::ReplyData;
use crate::chain::{Address, B256};
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;

json_object! {
    /// Something that a text was found in.
    pub struct SearchResult {
        /// `token`, `address`, `contract`, `label`, `ens_domain`, `block`, `transaction`, …: an open set.
        pub kind: Field<SafeText> = "type",
        pub name: Field<SafeText>,
        pub symbol: Field<SafeText>,
        /// The domain of an address.
        pub domain: Field<NamedBy> = "ens_info",
        /// The tag of an address.
        pub tag: Field<NamedBy> = "metadata",
        /// The server's rating (`ok`, `scam`).
        pub reputation: Field<SafeText>,
        pub address: Field<Address> = "address_hash" | "address",
        pub block_number: Field<u64>,
        pub block_hash: Field<B256>,
        pub transaction_hash: Field<B256> = "transaction_hash" | "tx_hash",
        pub operation_hash: Field<B256> = "user_operation_hash",
        pub deployment_number: Field<u64>,
        pub deployment_name: Field<SafeText>,
        pub is_older_build: Field<bool>,
        pub implementations: Field<Vec<ProxyImplementation>>,
    }
}

impl SearchResult {
    /// Returns the name as lists show it: `Desk-2`, `Proxy › Vault`.
    pub fn full_name(&self) -> Option<SafeText> {
        let name = self.name.value().cloned().map(guard_name);
        let behind = self.implementations.value().map(Vec::as_slice).unwrap_or_default();
        let build = DeployedBuild {
            name: match self.deployment_name.clone() {
                Field::Present(name) => Field::Present(guard_name(name)),
                other => other,
            },
            number: self.deployment_number.clone(),
            is_older: self.is_older_build.clone(),
            // A search finds contracts by the code that they run now.
            was_upgraded: Field::Absent,
        };
        full_name(name.as_ref(), &build, behind).or(name)
    }
}

impl ReplyData for SearchResult {}

json_object! {
    /// A domain or a tag that an address was found by.
    pub struct NamedBy {
        pub name: Field<SafeText>,
    }
}
