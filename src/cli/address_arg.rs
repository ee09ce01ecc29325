//! The arguments of `get` for an address, a transaction or a block: itself, an explorer link to it, or
//! a name, as on the screen.

use std::str::FromStr;

use crate::api::{Query, resolved_target};
use crate::chain::network::without_secrets;
use crate::chain::target::{LinkedChain, Target, TargetKind, TargetOrName};
use crate::chain::{Address, BlockId};
use crate::messages::cli;
use crate::msg::Priority;
use crate::net::provider::Provider;
use crate::output::{CliError, wait_for_index, with_progress};

/// An address, a transaction or a block.
#[derive(Debug, Clone)]
pub(super) struct TargetArg(TargetOrName);

#[derive(Debug, Clone)]
pub(super) struct AddressArg(TargetArg);

impl FromStr for TargetArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|_| cli::NOT_A_TARGET)
    }
}

impl FromStr for AddressArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(
                target @ (TargetOrName::Name(_)
                | TargetOrName::Target(Target { kind: TargetKind::Address(_), .. })),
            ) => Ok(Self(TargetArg(target))),
            _ => Err(cli::NOT_AN_ADDRESS_OR_NAME),
        }
    }
}

impl TargetArg {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        self.0.linked_chain()
    }

    /// Returns the address, the transaction or the block. A name is resolved with a request.
    pub(super) async fn resolve(&self, provider: &Provider) -> Result<TargetKind, CliError> {
        match &self.0 {
            TargetOrName::Target(target) => Ok(target.kind.clone()),
            TargetOrName::Name(name) => {
                wait_for_index(provider).await;
                let query = Query::Redirect(name.clone());
                let reply = provider.fetch(&query, None, Priority::Interactive);
                let reply = with_progress(provider, reply).await;
                let failed = |why| CliError::Runtime(format!("{}: {why}", without_secrets(name)));
                let host = provider.network().endpoint.host();
                resolved_target(name, &reply, host.as_deref()).map_err(failed)
            }
        }
    }

    pub(super) async fn resolve_block(&self, provider: &Provider) -> Result<BlockId, CliError> {
        match self.resolve(provider).await? {
            TargetKind::Block(block) => Ok(block),
            // A hash as typed.
            TargetKind::Transaction(hash) => Ok(BlockId::Hash(hash)),
            TargetKind::Address(_) => Err(CliError::Runtime(cli::FOUND_NO_BLOCK.into())),
        }
    }
}

impl AddressArg {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        self.0.linked_chain()
    }

    pub(super) async fn resolve(&self, provider: &Provider) -> Result<Address, CliError> {
        match self.0.resolve(provider).await? {
            TargetKind::Address(address) => Ok(address),
            TargetKind::Transaction(_) | TargetKind::Block(_) => {
                Err(CliError::Runtime(cli::FOUND_NO_ADDRESS.into()))
            }
        }
    }
}
