//! Keys as the user wrote them down.

use std::collections::BTreeMap;
use std::fmt;

/// A key as it was written down. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(pub(super) String);

/// The keys of hosts.
#[derive(Debug, Default)]
pub(super) struct HostSecrets(pub(super) BTreeMap<String, Secret>);

impl Secret {
    pub(super) fn new(key: String) -> Self {
        Self(key)
    }
}

impl HostSecrets {
    pub(super) fn add(&mut self, host: String, key: Secret) {
        self.0.insert(host, key);
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("‹key›")
    }
}
