//! The lists of the whole chain.
//!
//! [`ChainQuery`] is the table of them: the pages, the palette and the command line have a list from its variant here.

use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr, VariantNames};

use super::{ApiEndpoint, activity, page};
use crate::action::Action;
use crate::api::account_abstraction::{AbstractionParty, OperationBundle, SmartAccount};
use crate::api::account_abstraction::{OPERATIONS_PATH, UserOperation};
use crate::api::accounts::{HotContract, RankedAccount, VerifiedContract};
use crate::api::activity::ActivityFilter;
use crate::api::beacon_deposits::BeaconDeposit;
use crate::api::console_lines::ConsoleLine;
use crate::api::endpoints::block::{Block, Withdrawal};
use crate::api::endpoints::subject::Subject;
use crate::api::filters::FilterSlots;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::optimism::{
    DisputeGame, OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot,
};
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::chain::token_standard::TokenStandard;
use crate::messages::prompt;

/// A list of the whole chain as the user meets it.
#[derive(Debug)]
pub struct ListEntry {
    /// Title of its page.
    pub title: &'static str,
    /// Title above its rows.
    pub heading: &'static str,
    pub access: ListAccess,
}

/// The way to a list of the whole chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListAccess {
    /// The key of an action, which has the list's description.
    Key(Action),
    /// An entry in the list of lists and the palette.
    Listed {
        /// Kind or order of the rows.
        description: &'static str,
        /// `true` if this program's own server has the list of a node's chain.
        is_served_here: bool,
    },
}

/// A list of the whole chain. Most chains lack some of them.
///
/// The comment of a variant is its description on command lines, where some also list a part of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EnumIter, EnumMessage, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum ChainQuery {
    /// Latest blocks
    Blocks,
    /// Transactions of the whole chain
    Transactions,
    /// Token transfers of the whole chain
    Transfers { types: Vec<TokenStandard> },
    /// Tokens of the whole chain
    Tokens { types: Vec<TokenStandard> },
    /// Transactions, internal transactions and token transfers in one list
    Activity(Box<ActivityFilter>),
    /// Lines that contracts printed on the console. Only this program's own server has them
    Console,
    /// Pending transactions of an address, or of the chain
    Pending,
    /// Internal transactions of the whole chain
    #[strum(serialize = "internal")]
    InternalTransactions,
    /// Addresses with the most coin
    Accounts,
    /// Verified contracts of the chain
    VerifiedContracts,
    /// Contracts with the most transactions of the last day
    HotContracts,
    /// Withdrawals of the whole chain
    Withdrawals,
    /// Deposits to the beacon chain, of an address, a transaction, a block, or all
    BeaconDeposits,
    /// User operations (ERC-4337) of an account, of a bundle's transaction, or all
    UserOperations,
    /// Bundles of user operations
    Bundles,
    /// Accounts of user operations
    SmartAccounts,
    /// Addresses that bundle user operations
    Bundlers,
    /// Contracts that create smart accounts
    Factories,
    /// Contracts that pay for user operations
    Paymasters,
    /// Batches of an Optimism chain
    OptimismBatches,
    /// Deposits from L1 to an Optimism chain
    OptimismDeposits,
    /// Withdrawals from an Optimism chain to L1
    OptimismWithdrawals,
    /// Dispute games of an Optimism chain
    DisputeGames,
    /// Output roots of an Optimism chain
    OutputRoots,
}

impl ChainQuery {
    /// Returns its name on command lines.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Returns the list that the key of an action opens.
    pub fn of_action(action: Action) -> Option<Self> {
        Self::iter().find(|list| list.entry().access == ListAccess::Key(action))
    }

    /// Returns the titles of the list, and the way to it.
    pub fn entry(&self) -> ListEntry {
        let list = |title, heading, access| ListEntry { title, heading, access };
        let key = |title, heading, action| list(title, heading, ListAccess::Key(action));
        let listed = |title, heading, description| {
            list(title, heading, ListAccess::Listed { description, is_served_here: false })
        };
        let served = |title, heading, description| {
            list(title, heading, ListAccess::Listed { description, is_served_here: true })
        };
        match self {
            Self::Blocks => key("all blocks", "Blocks", Action::Blocks),
            Self::Transactions => {
                key("all transactions", prompt::TRANSACTIONS_OF_CHAIN, Action::Transactions)
            }
            Self::Transfers { .. } => {
                key(prompt::ALL_TRANSFERS, prompt::TRANSFERS_OF_CHAIN, Action::Transfers)
            }
            Self::Tokens { .. } => key("all tokens", prompt::TOKENS_OF_CHAIN, Action::Tokens),
            Self::Activity(_) => key("all activity", prompt::ACTIVITY_OF_CHAIN, Action::Activity),
            Self::Console => key(prompt::CONSOLE_TITLE, "Console", Action::Console),
            Self::Pending => served("pending transactions", "Pending", prompt::UNMINED),
            Self::InternalTransactions => {
                served("internal transactions", prompt::INTERNAL_OF_CHAIN, prompt::CALLS)
            }
            Self::Accounts => served("top accounts", "Accounts", prompt::BY_BALANCE),
            Self::VerifiedContracts => {
                served("verified contracts", "Verified contracts", prompt::WITH_SOURCES)
            }
            Self::HotContracts => served("busy contracts", "Busy contracts", prompt::BY_USE),
            Self::Withdrawals => listed("withdrawals", "Withdrawals", prompt::FROM_BEACON_CHAIN),
            Self::BeaconDeposits => listed("beacon deposits", "Deposits", prompt::TO_BEACON_CHAIN),
            Self::UserOperations => {
                listed("user operations", "User ops", prompt::OF_SMART_ACCOUNTS)
            }
            Self::Bundles => listed("operation bundles", "Bundles", prompt::BY_TRANSACTION),
            Self::SmartAccounts => listed("smart accounts", "Accounts", prompt::OF_OPERATIONS),
            Self::Bundlers => listed("bundlers", "Bundlers", prompt::SENDERS),
            Self::Factories => listed("account factories", "Factories", prompt::CREATORS),
            Self::Paymasters => listed("paymasters", "Paymasters", prompt::PAYERS),
            Self::OptimismBatches => listed("Optimism batches", "Batches", prompt::ON_L1),
            Self::OptimismDeposits => listed("Optimism deposits", "Deposits", prompt::FROM_L1),
            Self::OptimismWithdrawals => {
                listed("Optimism withdrawals", "Withdrawals", prompt::TO_L1)
            }
            Self::DisputeGames => listed("dispute games", "Games", prompt::ABOUT_ROOTS),
            Self::OutputRoots => listed("output roots", "Output roots", prompt::STATES_ON_L1),
        }
    }

    pub(super) fn endpoint(&self) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Chain, path, decode);
        match self {
            Self::Blocks => row("blocks", page::<Block>),
            Self::Transactions => row("transactions", page::<Transaction>),
            Self::Transfers { .. } => row("token-transfers", page::<TokenTransfer>),
            Self::Tokens { .. } => ApiEndpoint {
                accepts_null: |key| {
                    matches!(key, "market_cap" | "fiat_value" | "holders_count" | "name")
                },
                ..row("tokens", page::<Token>)
            },
            Self::Activity(filter) => activity(None, filter),
            Self::Console => row("console-lines", page::<ConsoleLine>),
            Self::Pending => ApiEndpoint {
                params: vec![("filter", "pending".into())],
                words: "pending-transactions",
                ..row("transactions", page::<Transaction>)
            },
            Self::InternalTransactions => row("internal-transactions", page::<InternalTransaction>),
            Self::Accounts => row("addresses", page::<RankedAccount>),
            Self::VerifiedContracts => ApiEndpoint {
                accepts_null: |key| matches!(key, "coin_balance" | "transactions_count"),
                ..row("smart-contracts", page::<VerifiedContract>)
            },
            Self::HotContracts => ApiEndpoint {
                params: vec![("scale", "1d".into())],
                ..row("stats/hot-smart-contracts", page::<HotContract>)
            },
            Self::Withdrawals => row("withdrawals", page::<Withdrawal>),
            Self::BeaconDeposits => row("beacon/deposits", page::<BeaconDeposit>),
            Self::UserOperations => row(OPERATIONS_PATH, page::<UserOperation>),
            Self::Bundles => row("proxy/account-abstraction/bundles", page::<OperationBundle>),
            Self::SmartAccounts => row("proxy/account-abstraction/accounts", page::<SmartAccount>),
            Self::Bundlers => row("proxy/account-abstraction/bundlers", page::<AbstractionParty>),
            Self::Factories => row("proxy/account-abstraction/factories", page::<AbstractionParty>),
            Self::Paymasters => {
                row("proxy/account-abstraction/paymasters", page::<AbstractionParty>)
            }
            Self::OptimismBatches => row("optimism/batches", page::<OptimismBatch>),
            Self::OptimismDeposits => row("optimism/deposits", page::<OptimismDeposit>),
            Self::OptimismWithdrawals => row("optimism/withdrawals", page::<OptimismWithdrawal>),
            Self::DisputeGames => row("optimism/games", page::<DisputeGame>),
            Self::OutputRoots => row("optimism/output-roots", page::<OutputRoot>),
        }
    }

    pub(super) fn filter_slots(&mut self) -> FilterSlots<'_> {
        match self {
            Self::Activity(filter) => FilterSlots { direction: None, ..filter.slots() },
            Self::Transfers { types } | Self::Tokens { types } => {
                FilterSlots::of_types(&TokenStandard::COMMON, types)
            }
            _ => FilterSlots::default(),
        }
    }
}
