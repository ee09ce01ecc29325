//! Sources of signatures, from the user's own ABI to a signature database.

use crate::chain::Address;
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureSource {
    /// The user's ABI of this address.
    Address(Address),
    /// The user's ABI of contracts with this name.
    Contract(SafeText),
    User,
    /// The explorer's ABI of this contract, or of its implementation.
    Explorer(SafeText),
    /// The user's ABI of another contract, matched by selector.
    OtherAbi(SafeText),
    /// The built-in table under this heading, matched by selector.
    BuiltIn(&'static str),
    /// A signature database, matched by the hash alone.
    Database,
}

impl SignatureSource {
    pub fn is_selector_only(&self) -> bool {
        matches!(self, Self::OtherAbi(_) | Self::BuiltIn(_) | Self::Database)
    }

    pub fn describe(&self) -> SafeText {
        let description = match self {
            Self::Address(address) => format!("your ABI of {}", address.to_checksum(None)),
            Self::Contract(name) => format!("your ABI of {name}"),
            Self::User => "the signature you typed".to_owned(),
            Self::Explorer(name) => format!("the explorer's ABI of {name}"),
            Self::OtherAbi(name) => format!("selector match in your ABI of {name}"),
            Self::Database => "the signature database".to_owned(),
            Self::BuiltIn(group) => format!("selector match in the built-in table, {group}"),
        };
        SafeText::new(&description)
    }
}
