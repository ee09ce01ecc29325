//! Who is asked in a run of the program, and by which ways.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use url::Url;

use crate::api::client::Reach;
use crate::batch::Failure;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::config::{self, Config, Found, Http};
use crate::net::cache::Cache;
use crate::net::provider::{Source, Ways};
use crate::net::providers::{Connection, Sources};
use crate::net::recording::{Recorder, Replay, Tape};
use crate::net::scheduler::Desk;
use crate::sanitize::Text;

/// A file of certificates has at most so many bytes; a system's own have some 250 kB.
const BUNDLE: u64 = 4 << 20;

/// By which ways answers come.
#[derive(Debug, clap::Args)]
pub(super) struct WaysArgs {
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
pub(super) struct Run<'a> {
    chain: Option<&'a str>,
    pub(super) config: Config,
    ways: WaysArgs,
    chains: OnceCell<Chains>,
    replay: Option<Arc<Replay>>,
    recorder: OnceCell<Arc<Recorder>>,
    cache: OnceCell<Cache>,
    /// By host.
    desks: RefCell<HashMap<String, Arc<Desk>>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        chain: Option<&'a str>,
        config: Config,
        ways: WaysArgs,
    ) -> Result<Self, Failure> {
        let replay = ways
            .replay
            .as_deref()
            .map(|path| Replay::read(path).map(Arc::new).map_err(|e| wrong("--replay", path, &e)));
        let replay = replay.transpose()?;
        Ok(Self {
            chain,
            config,
            ways,
            chains: OnceCell::new(),
            replay,
            recorder: OnceCell::new(),
            cache: OnceCell::new(),
            desks: RefCell::default(),
        })
    }

    /// The chain; a web address says which explorer is meant, unless the user says otherwise, and a
    /// recording in any case.
    pub(super) fn network(&self, explorer: Option<&Url>) -> Result<Network, Failure> {
        if let Some(replay) = &self.replay {
            return Ok(replay.network().clone());
        }
        match explorer {
            Some(explorer) if self.chain.is_none() => Ok(self.chains()?.at(explorer)),
            _ => self.chosen(),
        }
    }

    /// The chain that was chosen by name.
    fn chosen(&self) -> Result<Network, Failure> {
        let chain = self.chain;
        let from_environment =
            chain.is_some() && std::env::var("CHAINGLASS_CHAIN").ok().as_deref() == chain;
        let source = if from_environment { "CHAINGLASS_CHAIN: " } else { "" };
        let found = self.config.network(chain, self.chains()?);
        found.map_err(|e| Failure::Usage(format!("{source}{e:#}")))
    }

    /// The chains that can be named.
    pub(super) fn chains(&self) -> Result<&Chains, Failure> {
        if let Some(chains) = self.chains.get() {
            return Ok(chains);
        }
        let has_pro = self.config.has_pro().map_err(usage)?;
        let own = self.config.settings.chains.clone();
        let chains = Chains::new(own, has_pro).map_err(|e| Failure::Usage(e.to_string()))?;
        Ok(self.chains.get_or_init(|| chains))
    }

    /// Who answers, with the key that is theirs.
    pub(super) fn source(&self, network: &Network) -> Result<Source, Failure> {
        if let Some(replay) = &self.replay {
            let tape = Some(Tape::Replay(Arc::clone(replay)));
            return Ok(Source::by(network, Ways { tape, ..self.ways(network).map_err(usage)? }));
        }
        let found = self.config.key(network).map_err(usage)?;
        for warning in found.warnings {
            let _ = writeln!(io::stderr(), "chainglass: {warning}"); // nobody reads it
        }
        let tape = self.recorder(network)?.map(Tape::Record);
        let ways = self.ways(network).map_err(usage)?;
        Ok(Source::by(network, Ways { key: found.key, tape, ..ways }))
    }

    /// How the settings want the network reached.
    fn reach(&self) -> anyhow::Result<Reach> {
        let Http { ca_file, connect_timeout, timeout } = &self.config.settings.http;
        let mut reach = Reach::default();
        reach.connect = connect_timeout.unwrap_or(reach.connect);
        reach.answer = timeout.unwrap_or(reach.answer);
        if let Some(path) = ca_file {
            let pem = config::text_up_to(path, BUNDLE).map_err(|e| Text::new(&e.to_string()));
            let trusted = pem.and_then(|pem| reach.trust(pem.as_bytes()));
            trusted.map_err(|why| anyhow!("ca_file {}: {why}", path.display()))?;
        }
        Ok(reach)
    }

    /// Who answers for each chain of a run that begins with this one.
    pub(super) fn sources(&self, first: &Network) -> Result<Sources<'_>, Failure> {
        Ok(Sources::new(self.source(first)?, |network| self.connect(network)))
    }

    /// Who answers for another chain than the first, while a screen is shown.
    fn connect(&self, network: &Network) -> anyhow::Result<Connection> {
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
        let Found { key, warnings } = self.config.key(network)?;
        let source = Source::by(network, Ways { key, ..self.ways(network)? });
        Ok(Connection { source, warning: warnings.into_iter().next() })
    }

    /// What all sources share; those of one host its desk too.
    fn ways(&self, network: &Network) -> anyhow::Result<Ways> {
        let cache = (!self.ways.no_cache).then(|| self.cache.get_or_init(cache).clone());
        let host = network.endpoint.host().unwrap_or_default();
        let desk = Arc::clone(self.desks.borrow_mut().entry(host).or_default());
        Ok(Ways { key: None, cache, tape: None, desk, reach: self.reach()? })
    }

    fn recorder(&self, network: &Network) -> Result<Option<Arc<Recorder>>, Failure> {
        let Some(path) = self.ways.record.as_deref() else { return Ok(None) };
        let recorder = Recorder::start(path, network).map_err(|e| wrong("--record", path, &e))?;
        Ok(Some(Arc::clone(self.recorder.get_or_init(|| Arc::new(recorder)))))
    }

    /// Says whether the recording is complete, if one is made.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        let (Some(recorder), Some(path)) = (self.recorder.get(), &self.ways.record) else {
            return Ok(());
        };
        let broken =
            |e: &io::Error| format!("the recording {} is not complete: {e}", path.display());
        recorder.finish().map_err(|e| Failure::Answer(broken(&e)))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped to it")]
fn usage(error: anyhow::Error) -> Failure {
    Failure::Usage(format!("{error:#}"))
}

fn wrong(option: &str, path: &Path, why: &dyn Display) -> Failure {
    Failure::Usage(format!("{option} {}: {why}", path.display()))
}

fn cache() -> Cache {
    config::cache().map_or_else(Cache::in_memory, Cache::in_folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_to_one_host_are_ordered_together() {
        let ways = WaysArgs { no_cache: false, record: None, replay: None };
        let run =
            Run::new(None, Config::default(), ways).unwrap_or_else(|_| panic!("nothing is read"));
        let desk = |base: &str| run.ways(&Chains::default().find(base).unwrap()).unwrap().desk;
        let one = desk("https://api.blockscout.com/1");
        assert!(Arc::ptr_eq(&one, &desk("https://api.blockscout.com/8453")));
        for other in ["https://api.blockscout.com:8443/1", "https://eth.blockscout.com", "demo"] {
            assert!(!Arc::ptr_eq(&one, &desk(other)), "{other}");
        }
    }
}
