//! One provider per chain, created when the chain is first opened.

use anyhow::bail;

use super::provider::Provider;
use super::signature_lookup::SignatureDatabase;
use crate::chain::network::Network;
use crate::messages::notice::chain_switch;
use crate::sanitize::SafeText;

pub(crate) type ProviderFactory<'a> = dyn Fn(&Network) -> anyhow::Result<OpenedProvider> + 'a;

/// The first chain's provider, and a factory for the others.
pub struct Providers<'a> {
    pub(crate) first: Provider,
    pub(crate) create: Box<ProviderFactory<'a>>,
    /// Database of unknown signatures, if the user has named one.
    pub(crate) signatures: Option<SignatureDatabase>,
}

#[derive(Debug)]
pub struct OpenedProvider {
    pub provider: Provider,
    pub warning: Option<SafeText>,
}

impl<'a> Providers<'a> {
    /// Creates providers. An error of `create` is shown to the user.
    pub fn new(
        first: Provider,
        create: impl Fn(&Network) -> anyhow::Result<OpenedProvider> + 'a,
    ) -> Self {
        Self { first, create: Box::new(create), signatures: None }
    }

    #[must_use]
    pub fn with_signatures(self, signatures: Option<SignatureDatabase>) -> Self {
        Self { signatures, ..self }
    }
}

impl From<Provider> for Providers<'_> {
    fn from(first: Provider) -> Self {
        Self::new(first, |_| bail!(chain_switch::SINGLE_CHAIN))
    }
}
