//! The lists of the whole chain that have no filters.

use strum::{EnumIter, EnumMessage, IntoStaticStr, VariantNames};

use super::{ApiEndpoint, page};
use crate::api::account_abstraction::{AbstractionParty, OperationBundle, SmartAccount};
use crate::api::account_abstraction::{OPERATIONS_PATH, UserOperation};
use crate::api::accounts::{HotContract, RankedAccount, VerifiedContract};
use crate::api::beacon_deposits::BeaconDeposit;
use crate::api::endpoints::block::Withdrawal;
use crate::api::endpoints::subject::Subject;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::optimism::{
    DisputeGame, OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot,
};
use crate::api::transactions::Transaction;
use crate::messages::prompt;

/// A list of the whole chain. Most chains lack some of them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, EnumMessage, IntoStaticStr, VariantNames,
)]
pub enum ChainQuery {
    #[strum(message = "pending transactions")]
    Pending,
    #[strum(message = "internal transactions")]
    InternalTransactions,
    /// The addresses with the most coin.
    #[strum(message = "top accounts")]
    Accounts,
    #[strum(message = "verified contracts")]
    VerifiedContracts,
    /// The contracts with the most transactions of the last day.
    #[strum(message = "busy contracts")]
    HotContracts,
    #[strum(message = "withdrawals")]
    Withdrawals,
    #[strum(message = "beacon deposits")]
    BeaconDeposits,
    #[strum(message = "user operations")]
    UserOperations,
    #[strum(message = "operation bundles")]
    Bundles,
    #[strum(message = "smart accounts")]
    SmartAccounts,
    #[strum(message = "bundlers")]
    Bundlers,
    #[strum(message = "account factories")]
    Factories,
    #[strum(message = "paymasters")]
    Paymasters,
    #[strum(message = "Optimism batches")]
    OptimismBatches,
    #[strum(message = "Optimism deposits")]
    OptimismDeposits,
    #[strum(message = "Optimism withdrawals")]
    OptimismWithdrawals,
    #[strum(message = "dispute games")]
    DisputeGames,
    #[strum(message = "output roots")]
    OutputRoots,
}

impl ChainQuery {
    /// Returns the name of the list.
    pub fn title(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// Returns the kind or the order of its rows.
    pub fn description(self) -> &'static str {
        match self {
            Self::Pending => prompt::UNMINED,
            Self::InternalTransactions => prompt::CALLS,
            Self::Accounts => prompt::BY_BALANCE,
            Self::VerifiedContracts => prompt::WITH_SOURCES,
            Self::HotContracts => prompt::BY_USE,
            Self::Withdrawals => prompt::FROM_BEACON_CHAIN,
            Self::BeaconDeposits => prompt::TO_BEACON_CHAIN,
            Self::UserOperations => prompt::OF_SMART_ACCOUNTS,
            Self::Bundles => prompt::BY_TRANSACTION,
            Self::SmartAccounts => prompt::OF_OPERATIONS,
            Self::Bundlers => prompt::SENDERS,
            Self::Factories => prompt::CREATORS,
            Self::Paymasters => prompt::PAYERS,
            Self::OptimismBatches => prompt::ON_L1,
            Self::OptimismDeposits => prompt::FROM_L1,
            Self::OptimismWithdrawals => prompt::TO_L1,
            Self::DisputeGames => prompt::ABOUT_ROOTS,
            Self::OutputRoots => prompt::STATES_ON_L1,
        }
    }

    /// Returns `true` if this program's own server has the list of a node's chain.
    pub fn is_served_here(self) -> bool {
        use ChainQuery as Of;
        matches!(
            self,
            Of::Pending
                | Of::InternalTransactions
                | Of::Accounts
                | Of::VerifiedContracts
                | Of::HotContracts
        )
    }

    pub(super) fn endpoint(self) -> ApiEndpoint {
        let row = |path, decode| ApiEndpoint::new(Subject::Chain, path, decode);
        match self {
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
}
