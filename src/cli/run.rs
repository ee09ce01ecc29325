//! Who is asked in a run of the program, and by which ways.

use std::io::{self, Write};

use url::Url;

use crate::chain::network::Network;
use crate::config;
use crate::oneshot::Failure;
use crate::runtime::cache::Cache;
use crate::runtime::source::{Source, Ways};

/// By which ways answers come.
#[derive(Debug, clap::Args)]
pub(super) struct WaysArgs {
    /// Keep no answers, and use none that were kept
    #[arg(long, global = true)]
    no_cache: bool,
}

/// What the arguments say of who is asked.
pub(super) struct Run<'a> {
    chain: Option<&'a str>,
    ways: WaysArgs,
}

impl<'a> Run<'a> {
    pub(super) fn new(chain: Option<&'a str>, ways: WaysArgs) -> Self {
        Self { chain, ways }
    }

    /// The chain; a web address says which explorer is meant, unless the user says otherwise.
    pub(super) fn network(&self, explorer: Option<&Url>) -> Result<Network, Failure> {
        match explorer {
            Some(explorer) if self.chain.is_none() => Ok(Network::at(explorer)),
            _ => network(self.chain),
        }
    }

    /// Who answers, with the key that is theirs.
    pub(super) fn source(&self, network: &Network) -> Result<Source, Failure> {
        let found = config::key(network).map_err(|e| Failure::Usage(format!("{e:#}")))?;
        for warning in found.warnings {
            let _ = writeln!(io::stderr(), "chainglass: {warning}"); // nobody reads it
        }
        let cache = (!self.ways.no_cache).then(cache);
        Ok(Source::by(network, Ways { key: found.key, cache }))
    }
}

fn network(chain: Option<&str>) -> Result<Network, Failure> {
    let from_environment =
        chain.is_some() && std::env::var("CHAINGLASS_CHAIN").ok().as_deref() == chain;
    let source = if from_environment { "CHAINGLASS_CHAIN: " } else { "" };
    config::network(chain).map_err(|e| Failure::Usage(format!("{source}{e:#}")))
}

fn cache() -> Cache {
    config::cache().map_or_else(Cache::in_memory, Cache::in_folder)
}
