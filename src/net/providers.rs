//! Who answers for each chain: one source an explorer, made when its chain is first opened.

use anyhow::bail;
use jiff::Timestamp;

use super::provider::Provider;
use crate::chain::network::Network;
use crate::sanitize::SafeText;

/// Makes the source of another chain.
pub(crate) type ProviderFactory<'a> = dyn Fn(&Network) -> anyhow::Result<ConnectedProvider> + 'a;

/// The first chain's source, and how those of others are made.
pub struct Providers<'a> {
    pub(crate) first: Provider,
    pub(crate) connect: Box<ProviderFactory<'a>>,
}

/// A source that was made, and what is to be said of it.
#[derive(Debug)]
pub struct ConnectedProvider {
    /// Who answers.
    pub provider: Provider,
    /// What the user should know.
    pub warning: Option<SafeText>,
}

impl<'a> Providers<'a> {
    /// `first` answers for the first chain; for each other one, whom `connect` finds. Why it finds
    /// none is shown to the user.
    pub fn new(
        first: Provider,
        connect: impl Fn(&Network) -> anyhow::Result<ConnectedProvider> + 'a,
    ) -> Self {
        Self { first, connect: Box::new(connect) }
    }

    /// The time, as the first source has it.
    pub fn now(&self) -> Timestamp {
        self.first.now()
    }
}

impl From<Provider> for Providers<'_> {
    /// One chain only.
    fn from(first: Provider) -> Self {
        Self::new(first, |_| bail!("this run has one chain"))
    }
}
