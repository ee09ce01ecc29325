//! Subjects of queries, with which their paths begin.

use crate::api::exchange::RequestText;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::{Address, BlockId, TxHash, U256};
use crate::sanitize::SafeText;

/// The object that a path begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::api) enum Subject {
    Chain,
    Address(Address),
    Contract(Address),
    Transaction(TxHash),
    Block(BlockId),
    Token(Address),
    Instance(InstanceKey),
}

/// Identity of an NFT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstanceKey {
    pub token: Address,
    pub id: U256,
}

/// Subject of a list, which the page names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListSubject {
    Other,
    Transaction,
    Block,
    Token,
    /// The newest rows of the chain, on its start page.
    Feed,
    /// The transactions that are in no block.
    Pool,
    /// Events of the past, without what is so now.
    History,
    /// Balances now and after a block.
    Past,
}

impl Subject {
    /// Returns the path of a part of the subject, or of the subject itself.
    pub(in crate::api) fn path(&self, part: &str) -> RequestText {
        let own = match self {
            Self::Chain => return format!("api/v2/{part}"),
            Self::Address(address) => format!("addresses/{address}"),
            Self::Contract(address) => format!("smart-contracts/{address}"),
            Self::Transaction(hash) => format!("transactions/{hash}"),
            Self::Block(id) => format!("blocks/{id}"),
            Self::Token(token) => format!("tokens/{token}"),
            Self::Instance(InstanceKey { token, id }) => format!("tokens/{token}/instances/{id}"),
        };
        let slash = if part.is_empty() { "" } else { "/" };
        format!("api/v2/{own}{slash}{part}")
    }

    pub(in crate::api) fn address(&self) -> Option<Address> {
        match self {
            Self::Address(address) | Self::Contract(address) | Self::Token(address) => {
                Some(*address)
            }
            Self::Chain | Self::Transaction(_) | Self::Block(_) | Self::Instance(_) => None,
        }
    }

    pub(in crate::api) fn list_subject(&self) -> ListSubject {
        match self {
            Self::Transaction(_) => ListSubject::Transaction,
            Self::Block(_) => ListSubject::Block,
            Self::Token(_) | Self::Instance(_) => ListSubject::Token,
            Self::Chain | Self::Address(_) | Self::Contract(_) => ListSubject::Other,
        }
    }

    /// Describes a list of the subject, or the subject itself.
    pub(in crate::api) fn describe(&self, list: &str) -> SafeText {
        let (kind, name) = match self {
            Self::Chain => return SafeText::new(list),
            Self::Address(address) => ("address", abbreviate(address)),
            Self::Contract(address) => ("contract", abbreviate(address)),
            Self::Transaction(hash) => ("transaction", abbreviate(hash)),
            Self::Block(id) => ("block", abbreviate(id)),
            Self::Token(token) => ("token", abbreviate(token)),
            Self::Instance(key) if list.is_empty() => ("instance of", abbreviate(&key.token)),
            Self::Instance(key) => ("", abbreviate(&key.token)),
        };
        SafeText::new(&match (self, list) {
            (_, "") => format!("{kind} {name}"),
            (Self::Block(_), _) => format!("{list} of {kind} {name}"),
            _ => format!("{list} of {name}"),
        })
    }
}
