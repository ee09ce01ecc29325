//! Who is asked in a run of the program, and by which ways.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use url::Url;

use crate::api::client::TransportConfig;
use crate::batch::CliError;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::config::{self, Config, HttpSettings, KeyLookup};
use crate::net::cache::ResponseCache;
use crate::net::provider::{Provider, ProviderOptions};
use crate::net::providers::{ConnectedProvider, Providers};
use crate::net::recording::{Recorder, RecordingMode, Replay};
use crate::net::scheduler::RequestScheduler;
use crate::sanitize::SafeText;
use crate::secure_fs;

/// A file of certificates has at most so many bytes; a system's own have some 250 kB.
const MAX_CA_FILE_BYTES: u64 = 4 << 20;

/// By which ways answers come.
#[derive(Debug, clap::Args)]
pub(super) struct SourceArgs {
    /// Keep no answers, and use none that were kept
    #[arg(long, global = true)]
    no_cache: bool,

    /// Write what is answered, and when, to a new file
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,

    /// Have the chain, the answers and the clock from a recording; nobody is asked
    #[arg(long, global = true, value_name = "FILE")]
    replay: Option<PathBuf>,
}

/// What the arguments say of who is asked.
pub(super) struct CliContext<'a> {
    chain: Option<&'a str>,
    pub(super) config: Config,
    ways: SourceArgs,
    chains: OnceCell<Chains>,
    replay: Option<Arc<Replay>>,
    recorder: OnceCell<Arc<Recorder>>,
    cache: OnceCell<ResponseCache>,
    /// By host.
    schedulers: RefCell<HashMap<String, Arc<RequestScheduler>>>,
}

impl<'a> CliContext<'a> {
    pub(super) fn new(
        chain: Option<&'a str>,
        config: Config,
        ways: SourceArgs,
    ) -> Result<Self, CliError> {
        let replay = ways.replay.as_deref().map(|path| {
            Replay::load(path).map(Arc::new).map_err(|e| option_error("--replay", path, &e))
        });
        let replay = replay.transpose()?;
        Ok(Self {
            chain,
            config,
            ways,
            chains: OnceCell::new(),
            replay,
            recorder: OnceCell::new(),
            cache: OnceCell::new(),
            schedulers: RefCell::default(),
        })
    }

    /// The chain; a web address says which explorer is meant, unless the user says otherwise, and a
    /// recording in any case.
    pub(super) fn network(&self, explorer: Option<&Url>) -> Result<Network, CliError> {
        if let Some(replay) = &self.replay {
            return Ok(replay.network().clone());
        }
        match explorer {
            Some(explorer) if self.chain.is_none() => Ok(self.chains()?.network_at(explorer)),
            _ => self.named_network(),
        }
    }

    /// The chain that was chosen by name.
    fn named_network(&self) -> Result<Network, CliError> {
        let chain = self.chain;
        let from_environment =
            chain.is_some() && std::env::var("CHAINGLASS_CHAIN").ok().as_deref() == chain;
        let source = if from_environment { "CHAINGLASS_CHAIN: " } else { "" };
        let found = self.config.network(chain, self.chains()?);
        found.map_err(|e| CliError::Usage(format!("{source}{e:#}")))
    }

    /// The chains that can be named.
    pub(super) fn chains(&self) -> Result<&Chains, CliError> {
        if let Some(chains) = self.chains.get() {
            return Ok(chains);
        }
        let has_pro = self.config.has_pro_key().map_err(usage_error)?;
        let own = self.config.settings.chains.clone();
        let chains = Chains::new(own, has_pro).map_err(|e| CliError::Usage(e.to_string()))?;
        Ok(self.chains.get_or_init(|| chains))
    }

    /// Who answers, with the key that is theirs.
    pub(super) fn provider(&self, network: &Network) -> Result<Provider, CliError> {
        if let Some(replay) = &self.replay {
            let tape = Some(RecordingMode::Replay(Arc::clone(replay)));
            return Ok(Provider::with_options(
                network,
                ProviderOptions { recording: tape, ..self.ways(network).map_err(usage_error)? },
            ));
        }
        let found = self.config.api_key_for(network).map_err(usage_error)?;
        for warning in found.warnings {
            let _ = writeln!(io::stderr(), "chainglass: {warning}"); // nobody reads it
        }
        let tape = self.recorder(network)?.map(RecordingMode::Record);
        let ways = self.ways(network).map_err(usage_error)?;
        Ok(Provider::with_options(
            network,
            ProviderOptions { key: found.key, recording: tape, ..ways },
        ))
    }

    /// How the settings want the network reached.
    fn transport(&self) -> anyhow::Result<TransportConfig> {
        let HttpSettings { ca_file, connect_timeout, timeout } = &self.config.settings.http;
        let mut reach = TransportConfig::default();
        reach.connect_timeout = connect_timeout.unwrap_or(reach.connect_timeout);
        reach.response_timeout = timeout.unwrap_or(reach.response_timeout);
        if let Some(path) = ca_file {
            let pem = secure_fs::read_text(path, MAX_CA_FILE_BYTES)
                .map_err(|e| SafeText::new(&e.to_string()));
            let trusted = pem.and_then(|pem| reach.add_root_certificates(pem.as_bytes()));
            trusted.map_err(|why| anyhow!("ca_file {}: {why}", path.display()))?;
        }
        Ok(reach)
    }

    /// Who answers for each chain of a run that begins with this one.
    pub(super) fn providers(&self, first: &Network) -> Result<Providers<'_>, CliError> {
        Ok(Providers::new(self.provider(first)?, |network| self.connect(network)))
    }

    /// Who answers for another chain than the first, while a screen is shown.
    fn connect(&self, network: &Network) -> anyhow::Result<ConnectedProvider> {
        if self.ways.record.is_some() {
            bail!(
                "this run is recorded, and a recording has one chain: start again without --record"
            );
        }
        if self.replay.is_some() {
            bail!(
                "this run is replayed, and a recording has one chain: start again without --replay"
            );
        }
        let KeyLookup { key, warnings } = self.config.api_key_for(network)?;
        let source =
            Provider::with_options(network, ProviderOptions { key, ..self.ways(network)? });
        Ok(ConnectedProvider { provider: source, warning: warnings.into_iter().next() })
    }

    /// What all sources share; those of one host its desk too.
    fn ways(&self, network: &Network) -> anyhow::Result<ProviderOptions> {
        let cache = (!self.ways.no_cache).then(|| self.cache.get_or_init(open_cache).clone());
        let host = network.endpoint.host().unwrap_or_default();
        let desk = Arc::clone(self.schedulers.borrow_mut().entry(host).or_default());
        Ok(ProviderOptions {
            key: None,
            cache,
            recording: None,
            scheduler: desk,
            transport: self.transport()?,
        })
    }

    fn recorder(&self, network: &Network) -> Result<Option<Arc<Recorder>>, CliError> {
        let Some(path) = self.ways.record.as_deref() else { return Ok(None) };
        let recorder =
            Recorder::start(path, network).map_err(|e| option_error("--record", path, &e))?;
        Ok(Some(Arc::clone(self.recorder.get_or_init(|| Arc::new(recorder)))))
    }

    /// Says whether the recording is complete, if one is made.
    pub(super) fn finish(&self) -> Result<(), CliError> {
        let (Some(recorder), Some(path)) = (self.recorder.get(), &self.ways.record) else {
            return Ok(());
        };
        let broken =
            |e: &io::Error| format!("the recording {} is not complete: {e}", path.display());
        recorder.finish().map_err(|e| CliError::Runtime(broken(&e)))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped to it")]
fn usage_error(error: anyhow::Error) -> CliError {
    CliError::Usage(format!("{error:#}"))
}

fn option_error(option: &str, path: &Path, why: &dyn Display) -> CliError {
    CliError::Usage(format!("{option} {}: {why}", path.display()))
}

fn open_cache() -> ResponseCache {
    config::cache_dir().map_or_else(ResponseCache::in_memory, ResponseCache::on_disk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_to_one_host_are_ordered_together() {
        let ways = SourceArgs { no_cache: false, record: None, replay: None };
        let run = CliContext::new(None, Config::default(), ways)
            .unwrap_or_else(|_| panic!("nothing is read"));
        let desk =
            |base: &str| run.ways(&Chains::default().resolve(base).unwrap()).unwrap().scheduler;
        let one = desk("https://api.blockscout.com/1");
        assert!(Arc::ptr_eq(&one, &desk("https://api.blockscout.com/8453")));
        for other in ["https://api.blockscout.com:8443/1", "https://eth.blockscout.com", "demo"] {
            assert!(!Arc::ptr_eq(&one, &desk(other)), "{other}");
        }
    }
}
