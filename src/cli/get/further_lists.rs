//! Lists that most chains lack, and lists of accounts and contracts.

use clap::Subcommand;
use strum::{IntoEnumIterator, IntoStaticStr};

use super::super::address_arg::TargetArg;
use super::activity::no_list;
use super::{ListArgs, OutputArgs};
use crate::api::ChainQuery;
use crate::chain::target::LinkedChain;
use crate::net::provider::Provider;
use crate::output::CliError;
use crate::pane::{PageList, Route, chain_list, hidden_lists};

/// A list with the name of its tab.
#[derive(Debug, Subcommand, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(in crate::cli) enum FurtherListCommand {
    /// Pending transactions of an address, or of the chain
    Pending(FurtherListArgs),
    /// Addresses with the most coin
    Accounts(FurtherListArgs),
    /// Verified contracts of the chain
    VerifiedContracts(FurtherListArgs),
    /// Contracts with the most transactions of the last day
    HotContracts(FurtherListArgs),
    /// Deposits to the beacon chain, of an address, a transaction, a block, or all
    BeaconDeposits(FurtherListArgs),
    /// Blobs of a transaction
    Blobs(FurtherListArgs),
    /// Transactions of another chain that a transaction caused
    ExternalTransactions(FurtherListArgs),
    /// User operations (ERC-4337) of an account, of a bundle's transaction, or all
    UserOperations(FurtherListArgs),
    /// Bundles of user operations
    Bundles(FurtherListArgs),
    /// Accounts of user operations
    SmartAccounts(FurtherListArgs),
    /// Addresses that bundle user operations
    Bundlers(FurtherListArgs),
    /// Contracts that create smart accounts
    Factories(FurtherListArgs),
    /// Contracts that pay for user operations
    Paymasters(FurtherListArgs),
    /// Batches of an Optimism chain
    OptimismBatches(FurtherListArgs),
    /// Deposits from L1 to an Optimism chain
    OptimismDeposits(FurtherListArgs),
    /// Withdrawals from an Optimism chain to L1
    OptimismWithdrawals(FurtherListArgs),
    /// Dispute games of an Optimism chain
    DisputeGames(FurtherListArgs),
    /// Output roots of an Optimism chain
    OutputRoots(FurtherListArgs),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FurtherListArgs {
    /// Address, transaction or block, link to one, or name, if the list is not of the whole chain
    target: Option<TargetArg>,
    #[command(flatten)]
    output: OutputArgs,
}

impl FurtherListCommand {
    fn args(&self) -> &FurtherListArgs {
        match self {
            Self::Pending(args)
            | Self::Accounts(args)
            | Self::VerifiedContracts(args)
            | Self::HotContracts(args)
            | Self::BeaconDeposits(args)
            | Self::Blobs(args)
            | Self::ExternalTransactions(args)
            | Self::UserOperations(args)
            | Self::Bundles(args)
            | Self::SmartAccounts(args)
            | Self::Bundlers(args)
            | Self::Factories(args)
            | Self::Paymasters(args)
            | Self::OptimismBatches(args)
            | Self::OptimismDeposits(args)
            | Self::OptimismWithdrawals(args)
            | Self::DisputeGames(args)
            | Self::OutputRoots(args) => args,
        }
    }

    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        self.args().target.as_ref()?.linked_chain()
    }

    pub(super) async fn list(self, provider: &Provider) -> Result<ListArgs, CliError> {
        let name: &str = (&self).into();
        let FurtherListArgs { target, output } = self.args();
        let lists: Vec<PageList> = match target {
            Some(target) => hidden_lists(&Route::Target(target.resolve(provider).await?)),
            None => ChainQuery::iter().map(chain_list).collect(),
        };
        let list = lists.into_iter().find(|list| list.kind.name() == name);
        let PageList { rows, query, .. } = list.ok_or_else(|| no_list(name))?;
        Ok((rows, query, output.clone()))
    }
}
