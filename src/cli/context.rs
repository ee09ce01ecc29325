//! The settings, signatures and connections of a run.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};

use super::{block_on, config as user_config};
use crate::abi::{Project, ProjectContracts, SignatureDb, abi_dir};
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network};
use crate::chain::target::LinkedChain;
use crate::config::{self, AppSettings, Config, HttpSettings, KeyLookup};
use crate::disk_cache::DiskCache;
use crate::http::TransportConfig;
use crate::messages::cli::{self, CliProblem};
use crate::messages::notice::chain_switch;
use crate::messages::target::DEMO_CHAIN_NOTE;
use crate::net::cache::ResponseCache;
use crate::net::endpoint_probe::decide;
use crate::net::provider::{Provider, ProviderOptions};
use crate::net::providers::{OpenedProvider, Providers};
use crate::net::recording::{Recorder, RecordingMode, Replay};
use crate::net::scheduler::RequestScheduler;
use crate::net::signature_lookup::SignatureDatabase;
use crate::output::{CliError, print_note};
use crate::sanitize::SafeText;
use crate::secure_fs;

/// Maximum size of the `ca_file`; a system's own bundle has some 250 kB.
const MAX_CA_FILE_BYTES: u64 = 4 << 20;

#[derive(Debug, clap::Args)]
pub(super) struct SourceArgs {
    /// Do not read or write the cache
    #[arg(long, global = true)]
    no_cache: bool,

    /// Record all responses to a new file
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,

    /// Replay a recording, offline
    #[arg(long, global = true, value_name = "FILE")]
    replay: Option<PathBuf>,
}

/// State shared by all commands: settings, chains and connections.
pub(super) struct CliContext<'a> {
    chain: Option<&'a str>,
    /// `true` if the environment names that chain: a default, for which a link has its own.
    pub(super) is_chain_variable: bool,
    pub(super) config: Config,
    args: SourceArgs,
    chains: OnceCell<Chains>,
    replay: Option<Arc<Replay>>,
    recorder: OnceCell<Arc<Recorder>>,
    cache: OnceCell<Option<ResponseCache>>,
    /// By host, so that all chains of a host share its rate limit.
    schedulers: RefCell<HashMap<String, Arc<RequestScheduler>>>,
}

impl<'a> CliContext<'a> {
    pub(super) fn new(
        chain: Option<&'a str>,
        config: Config,
        args: SourceArgs,
    ) -> Result<Self, CliError> {
        let replay = args
            .replay
            .as_deref()
            .map(|path| {
                Replay::load(path).map(Arc::new).map_err(|e| option_error("--replay", path, &e))
            })
            .transpose()?;
        Ok(Self {
            chain,
            is_chain_variable: false,
            config,
            args,
            chains: OnceCell::new(),
            replay,
            recorder: OnceCell::new(),
            cache: OnceCell::new(),
            schedulers: RefCell::default(),
        })
    }

    /// Returns `true` if the command line or the environment names a chain.
    pub(super) fn names_chain(&self) -> bool {
        self.chain.is_some()
    }

    pub(super) fn is_replay(&self) -> bool {
        self.replay.is_some()
    }

    /// Returns the replay's chain, else `--chain`, else the chain of a link, else `CHAINGLASS_CHAIN`, else the
    /// default.
    pub(super) fn network(&self, linked: Option<&LinkedChain>) -> Result<Network, CliError> {
        if let Some(replay) = &self.replay {
            if self.chain.is_some() && !self.is_chain_variable {
                let named = self.named_network()?;
                check_replayed_chain(&named, &replay.network)?;
            }
            return Ok(replay.network.clone());
        }
        let Some(linked) = linked.filter(|_| self.chain.is_none() || self.is_chain_variable) else {
            return self.named_network();
        };
        self.chains()?.linked_network(linked).ok_or_else(|| {
            let problem = CliProblem::NoExplorer { chain: &linked.to_string() };
            CliError::Usage(problem.to_string())
        })
    }

    /// Returns the chain of a command that can be recorded. A recording begins with the URL of an explorer, but must
    /// not contain a node's, which may contain a key.
    pub(super) fn recorded_network(
        &self,
        linked: Option<&LinkedChain>,
    ) -> Result<Network, CliError> {
        let network = self.network(linked)?;
        match &network.endpoint {
            Endpoint::Undecided(url) if self.args.record.is_some() && url.has_keys() => {
                self.decided_network(linked)
            }
            _ => Ok(network),
        }
    }

    /// Returns the chain of a command that prints. Stderr gets a note if nothing chose the demo chain: its empty lists
    /// would look like an unused address.
    pub(super) fn printed_network(
        &self,
        linked: Option<&LinkedChain>,
    ) -> Result<Network, CliError> {
        let network = self.recorded_network(linked)?;
        let is_chosen = self.chain.is_some() || self.config.settings.chain.is_some();
        if !is_chosen && !self.is_replay() && network.endpoint == Endpoint::Embedded {
            print_note(DEMO_CHAIN_NOTE);
        }
        Ok(network)
    }

    /// Returns the chain of a command after probing a URL that may be a node's or an explorer's.
    pub(super) fn decided_network(
        &self,
        linked: Option<&LinkedChain>,
    ) -> Result<Network, CliError> {
        let network = self.network(linked)?;
        let ProviderOptions { transport, scheduler, .. } =
            self.provider_options(&network).map_err(usage_error)?;
        let KeyLookup { key, .. } = self.config.api_key_for(&network).map_err(usage_error)?;
        block_on(async {
            let decided = decide(&network, &transport, key, &scheduler).await;
            decided.map_err(|error| CliError::from_api(&error, &network))
        })
    }

    fn named_network(&self) -> Result<Network, CliError> {
        let is_variable = self.chain.is_some() && self.is_chain_variable;
        let prefix = if is_variable { "CHAINGLASS_CHAIN: " } else { "" };
        let network = self.config.network(self.chain, self.chains()?);
        network.map_err(|e| CliError::Usage(format!("{prefix}{e:#}")))
    }

    pub(super) fn chains(&self) -> Result<&Chains, CliError> {
        if let Some(chains) = self.chains.get() {
            return Ok(chains);
        }
        let has_pro_key = self.config.has_pro_key().map_err(usage_error)?;
        let user_chains = self.config.settings.chains.clone();
        let chains =
            Chains::new(user_chains, has_pro_key).map_err(|e| CliError::Usage(e.to_string()))?;
        Ok(self.chains.get_or_init(|| chains))
    }

    /// Creates the provider of a chain, with its API key. Warnings about the key go to stderr.
    pub(super) fn provider(&self, network: &Network) -> Result<Provider, CliError> {
        let mut options = self.provider_options(network).map_err(usage_error)?;
        if let Some(replay) = &self.replay {
            options.recording = Some(RecordingMode::Replay(Arc::clone(replay)));
        } else {
            let KeyLookup { key, warnings } =
                self.config.api_key_for(network).map_err(usage_error)?;
            for warning in warnings {
                print_note(&format!("chainglass: {warning}"));
            }
            options.key = key;
            options.recording = self.recorder(network)?.map(RecordingMode::Record);
        }
        Ok(Provider::with_options(network, options))
    }

    fn transport(&self) -> anyhow::Result<TransportConfig> {
        let HttpSettings { ca_file, connect_timeout, timeout } = &self.config.settings.http;
        let mut transport = TransportConfig {
            connect_timeout: *connect_timeout,
            response_timeout: *timeout,
            ..TransportConfig::default()
        };
        if let Some(path) = ca_file {
            let pem = secure_fs::read_text(path, MAX_CA_FILE_BYTES)
                .map_err(|e| SafeText::new(&e.to_string()));
            let added = pem.and_then(|pem| transport.add_root_certificates(pem.as_bytes()));
            added.map_err(|error| anyhow!("ca_file {}: {error}", path.display()))?;
        }
        Ok(transport)
    }

    /// Creates the providers of all chains that the app opens, beginning with `first`.
    pub(super) fn providers(&self, first: &Network) -> Result<Providers<'_>, CliError> {
        let providers =
            Providers::new(self.provider(first)?, |network| self.open_provider(network));
        let signatures = self.signature_database().map_err(usage_error)?;
        Ok(providers.with_signatures(signatures))
    }

    /// Returns the settings of the app: without a signature database if the run is offline.
    pub(super) fn app_settings(&self) -> AppSettings {
        let mut settings = self.config.settings.app.clone();
        settings.signature_database.take_if(|_| self.is_replay());
        settings
    }

    fn signature_database(&self) -> anyhow::Result<Option<SignatureDatabase>> {
        let Some(url) = self.app_settings().signature_database else { return Ok(None) };
        Ok(Some(SignatureDatabase::new(url, self.transport()?, self.cache())?))
    }

    fn cache(&self) -> Option<ResponseCache> {
        let open = || config::cache_dir().map(ResponseCache::new);
        (!self.args.no_cache).then(|| self.cache.get_or_init(open).clone()).flatten()
    }

    fn open_provider(&self, network: &Network) -> anyhow::Result<OpenedProvider> {
        // A recording has one chain.
        if self.args.record.is_some() {
            bail!(chain_switch::RECORDING);
        }
        if self.replay.is_some() {
            bail!(chain_switch::REPLAY);
        }
        let KeyLookup { key, warnings } = self.config.api_key_for(network)?;
        let options = ProviderOptions { key, ..self.provider_options(network)? };
        let provider = Provider::with_options(network, options);
        Ok(OpenedProvider { provider, warning: warnings.into_iter().next() })
    }

    /// Returns the options that all providers share; providers of one host share the scheduler too.
    fn provider_options(&self, network: &Network) -> anyhow::Result<ProviderOptions> {
        let cache = self.cache();
        let host = network.endpoint.host().unwrap_or_default();
        let scheduler = Arc::clone(self.schedulers.borrow_mut().entry(host).or_default());
        let transport = self.transport()?;
        let may_be_node = matches!(network.endpoint, Endpoint::Node(_) | Endpoint::Undecided(_));
        let found = may_be_node.then(Project::of_current_dir).flatten();
        let folder = config::cache_dir().filter(|_| !self.args.no_cache);
        let index_cache = folder.clone().filter(|_| may_be_node).map(DiskCache::new).map(Arc::new);
        let project = found
            .map(|project| project.with_cache(folder))
            .map(ProjectContracts::new)
            .map(Arc::new);
        let defaults = ProviderOptions::default();
        Ok(ProviderOptions { cache, index_cache, transport, scheduler, project, ..defaults })
    }

    fn recorder(&self, network: &Network) -> Result<Option<Arc<Recorder>>, CliError> {
        let Some(path) = self.args.record.as_deref() else { return Ok(None) };
        let recorder = Recorder::start(path, network).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => option_error("--record", path, &cli::FILE_EXISTS),
            _ => option_error("--record", path, &error),
        })?;
        Ok(Some(Arc::clone(self.recorder.get_or_init(|| Arc::new(recorder)))))
    }

    /// Finishes the recording, if there is one.
    pub(super) fn finish(&self) -> Result<(), CliError> {
        let (Some(recorder), Some(path)) = (self.recorder.get(), &self.args.record) else {
            return Ok(());
        };
        recorder.finish().map_err(|e| {
            let (path, why) = (&path.display().to_string(), &e.to_string());
            CliError::Runtime(CliProblem::IncompleteRecording { path, why }.to_string())
        })
    }
}

/// Checks that a recording is of the chain that the command line names, as far as both are known.
fn check_replayed_chain(named: &Network, recorded: &Network) -> Result<(), CliError> {
    let ids = named.id.zip(recorded.id);
    let hosts = named.endpoint.host().zip(recorded.endpoint.host());
    let are_other_hosts = || hosts.is_some_and(|(one, other)| one != other);
    if ids.map_or_else(are_other_hosts, |(one, other)| one != other) {
        let problem = CliProblem::OtherRecording { recorded: &recorded.name };
        return Err(CliError::Usage(problem.to_string()));
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped to it")]
fn usage_error(error: anyhow::Error) -> CliError {
    CliError::Usage(format!("{error:#}"))
}

fn option_error(option: &str, path: &Path, error: &dyn Display) -> CliError {
    CliError::Usage(format!("{option} {}: {error}", path.display()))
}

/// Loads the signatures, and prints the problems of the user's file to stderr.
pub(super) fn load_signatures() -> SignatureDb {
    let (signatures, problems) = user_config::load_signatures();
    for problem in &problems {
        print_note(&format!("{}: {problem}", user_config::SIGNATURES_FILE));
    }
    signatures
}

/// Loads the signatures with the user's ABI files.
pub(super) fn load_own_signatures() -> SignatureDb {
    let mut signatures = load_signatures();
    for problem in config::abi_dir().iter().flat_map(|dir| abi_dir::load(&mut signatures, dir)) {
        print_note(&problem.to_string());
    }
    signatures
}

/// Loads all signatures: also the user's ABI files, and the project's contracts on its own chain.
pub(super) async fn load_all_signatures(provider: &Provider) -> SignatureDb {
    let mut signatures = load_own_signatures();
    if let Some(project) = provider.take_project_signatures().await {
        signatures.share_project_abis(&project);
    }
    signatures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recording_is_of_a_chain_whatever_its_host() {
        let check = |named: &str, recorded: &str| {
            let [named, recorded] =
                [named, recorded].map(|chain| Chains::default().resolve(chain).unwrap());
            check_replayed_chain(&named, &recorded).is_ok()
        };
        assert!(check("eth", "https://api.blockscout.com/1"));
        assert!(!check("base", "https://api.blockscout.com/1"));
        assert!(!check("https://one.example", "https://other.example"));
        assert!(check("https://one.example", "https://one.example"));
    }

    #[test]
    fn one_host_has_one_scheduler() {
        let args = SourceArgs { no_cache: false, record: None, replay: None };
        let context = CliContext::new(None, Config::default(), args)
            .unwrap_or_else(|_| panic!("no file is read"));
        let scheduler = |base: &str| {
            let network = Chains::default().resolve(base).unwrap();
            context.provider_options(&network).unwrap().scheduler
        };
        let one = scheduler("https://api.blockscout.com/1");
        assert!(Arc::ptr_eq(&one, &scheduler("https://api.blockscout.com/8453")));
        for other in ["https://api.blockscout.com:8443/1", "https://eth.blockscout.com", "demo"] {
            assert!(!Arc::ptr_eq(&one, &scheduler(other)), "{other}");
        }
    }
}
