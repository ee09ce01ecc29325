//! Routes: the pages to which the program can navigate.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::api::internal_transactions::InternalTransaction;
use crate::api::logs::Log;
use crate::api::nft_instances::TokenInstance;
use crate::api::state_changes::StateChange;
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{ChainQuery, InstanceKey, Item};
use crate::chain::data_input::DataInput;
use crate::chain::target::{Target, TargetKind, TokenPage};
use crate::chain::{Address, B256, TxHash};
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::user_data::recents::RecentEntry;

#[derive(Debug, Clone)]
pub enum Route {
    Start,
    Target(TargetKind),
    /// A transaction that a list or the cache already has.
    Transaction(Arc<Item<Transaction>>),
    /// A list of the whole chain, without filters.
    List(ChainQuery),
    Token(Address),
    /// The instances of a token held by an address.
    Instances {
        token: Address,
        holder: Address,
    },
    Instance {
        instance: Box<TokenInstance>,
        /// The token, if the list had it.
        token: Option<Box<Token>>,
    },
    /// An instance of a token without data from a list.
    LinkedInstance(InstanceKey),
    Log(Arc<Item<Log>>),
    /// A row in another list of a transaction.
    Part {
        transaction: TxHash,
        part: TransactionPart,
    },
    UserOperation(B256),
    /// A batch of an Optimism chain.
    Batch(u64),
    /// The comparison of two call traces: the baseline and another.
    Diff(Box<[DiffBaseline; 2]>),
    /// A row with every field that the server sent.
    Row {
        raw: Arc<RawValue>,
        /// Kind and number of the row: `log 3`.
        name: SafeText,
        /// The page that the row leads to, if it has one.
        page: Option<Box<Route>>,
    },
    /// Data that was typed or pasted.
    Decoded {
        input: Arc<DataInput>,
        /// The contract that calldata is decoded for.
        contract: Option<Address>,
    },
    Unreadable {
        why: SafeText,
        raw: Arc<RawValue>,
    },
}

impl Route {
    /// Returns the address or transaction of the page.
    pub fn target(&self) -> Option<TargetKind> {
        match self {
            Self::Target(subject) => Some(subject.clone()),
            Self::Transaction(item) => {
                Some(TargetKind::Transaction(item.parsed.as_ref().ok()?.hash))
            }
            _ => None,
        }
    }

    /// Returns the NFT of the page, if it has one whose token and id are known.
    pub fn instance(&self) -> Option<InstanceKey> {
        match self {
            Self::LinkedInstance(key) => Some(*key),
            Self::Instance { instance, token } => {
                let token = instance.token.value().or(token.as_deref())?;
                let (token, id) = (*token.address.value()?, *instance.id.value()?);
                Some(InstanceKey { token, id })
            }
            _ => None,
        }
    }

    /// Returns the entry of the page in the list of recent pages, if it belongs there.
    pub fn recent_entry(&self) -> Option<RecentEntry> {
        match (self.target(), self) {
            (Some(TargetKind::Address(address)), _) => Some(RecentEntry::Address(address)),
            (Some(TargetKind::Transaction(hash)), _) => Some(RecentEntry::Transaction(hash)),
            (None, Self::Token(token)) => Some(RecentEntry::Token(*token)),
            _ => None,
        }
    }
}

impl From<&Target> for Route {
    fn from(target: &Target) -> Self {
        match (&target.kind, target.token_page) {
            (TargetKind::Address(token), Some(TokenPage::Token)) => Self::Token(*token),
            (TargetKind::Address(token), Some(TokenPage::Instance(id))) => {
                Self::LinkedInstance(InstanceKey { token: *token, id })
            }
            (kind, _) => Self::Target(kind.clone()),
        }
    }
}

/// A row in a list of a transaction.
#[derive(Debug, Clone)]
pub enum TransactionPart {
    Transfer(Arc<Item<TokenTransfer>>),
    Call(Arc<Item<InternalTransaction>>),
    StateChange(Arc<Item<StateChange>>),
    Log(Arc<Item<Log>>),
}

/// A trace for comparison with others.
#[derive(Debug, Clone)]
pub struct DiffBaseline {
    pub transaction: TxHash,
    pub tree: Arc<CallTree>,
}
