//! Settings: defaults, then the file, then the environment, then the arguments.

mod api_keys;
mod secret;
mod settings;
pub mod time_format;
mod user_files;

use std::path::PathBuf;
use std::{env, io};

use anyhow::Context;
use etcetera::{BaseStrategy, choose_base_strategy};

use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::toml_reader::ConfigDiagnostic;
pub use api_keys::KeyLookup;
pub use settings::{HttpSettings, Settings};
pub use user_files::{read_text, read_text_up_to};

/// The settings as they are without a file, each explained.
pub const DEFAULT_CONFIG: &str = include_str!("../assets/config.toml");

/// The variable that says where the file is, if not where it is looked for.
const CONFIG_PATH_VARIABLE: &str = "CHAINGLASS_CONFIG";

/// The file as it was read.
#[derive(Debug, Default)]
pub struct Config {
    /// What it says, as far as it could be read.
    pub settings: Settings,
    /// What is wrong with it.
    pub problems: Vec<ConfigDiagnostic>,
    path: PathBuf,
}

/// Where the file is: what `CHAINGLASS_CONFIG` says, else `chainglass/config.toml` below the user's
/// configuration folder.
pub fn config_file() -> Option<PathBuf> {
    if let Some(path) = env::var_os(CONFIG_PATH_VARIABLE).filter(|path| !path.is_empty()) {
        return Some(path.into());
    }
    Some(choose_base_strategy().ok()?.config_dir().join("chainglass").join("config.toml"))
}

/// Where the user's own keys are: `keymap.toml` beside the configuration.
pub fn keymap_file() -> Option<PathBuf> {
    Some(config_file()?.with_file_name("keymap.toml"))
}

/// Where the user's own theme of a name is: `themes/NAME.toml` beside the configuration.
pub fn theme_file(name: &str) -> Option<PathBuf> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let file = name.chars().all(plain).then(|| format!("{name}.toml"))?;
    Some(config_file()?.with_file_name("themes").join(file))
}

/// Where the user's ABI files are: `chainglass/abis` beside the configuration, plain ABI JSON or
/// Foundry's `out`.
pub fn abi_dir() -> Option<PathBuf> {
    Some(config_file()?.with_file_name("abis"))
}

/// Where signatures that were typed are kept, one a line.
pub fn signatures_file() -> Option<PathBuf> {
    Some(config_file()?.with_file_name("signatures.txt"))
}

/// Where answers are kept that cannot change: `chainglass/v1` below the user's cache folder.
pub fn cache_dir() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.cache_dir().join("chainglass").join("v1"))
}

/// Where the user's labels are: a file a chain.
pub fn labels_dir() -> Option<PathBuf> {
    Some(config_file()?.with_file_name("labels"))
}

/// Where it is kept which places were visited lately: a file a chain, in `chainglass/recent` below the
/// user's folder for such, or for data where there is none.
pub fn recents_dir() -> Option<PathBuf> {
    let strategy = choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Some(folder.join("chainglass").join("recent"))
}

impl Config {
    /// Reads the file, if there is one.
    pub fn load() -> anyhow::Result<Self> {
        let path = config_file().unwrap_or_default();
        match read_text(&path) {
            Ok(source) => Ok(Self::from_toml(&source, path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { path, ..Self::default() })
            }
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    fn from_toml(source: &str, path: PathBuf) -> Self {
        let (settings, problems) = settings::parse_settings(source);
        Self { settings, problems, path }
    }

    /// What is wrong, each with the name of the file.
    pub fn describe_problems(&self) -> Vec<String> {
        let name = self.path.display();
        self.problems.iter().map(|problem| format!("{name}: {problem}")).collect()
    }

    /// The chain: what the argument says (`CHAINGLASS_CHAIN` counts as one), else the file, else the
    /// demo chain.
    pub fn network(&self, argument: Option<&str>, chains: &Chains) -> anyhow::Result<Network> {
        if let Some(chain) = argument {
            return Ok(chains.resolve(chain)?);
        }
        match &self.settings.chain {
            Some(chain) => chains.resolve(chain).with_context(|| self.path.display().to_string()),
            None => Ok(Network::demo()),
        }
    }
}

/// Reads settings. What is wrong is said without the line itself: there may be a key in it.
pub fn parse(source: &str) -> Config {
    Config::from_toml(source, PathBuf::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_file_with_a_mistake_is_not_repeated() {
        for source in [
            "api_key = \"canary",
            "api_key = canary-key",
            "api_key = \"canary\\q\"",
            "api_key = [\"canary\"]",
            "keys = \"canary\"",
            "[keys]\n\"a.example\" = { key = \"canary\" }",
            "[keys]\n\"a.example\" = canary",
            "api_key = \"one\"\napi_key = \"canary\"",
            "api_key = \"canary\" \"canary\"",
            "api_key_file = { canary = \"canary\" ",
            "canary",
        ] {
            let config = parse(source);
            let said = format!("{config:?} {:?}", config.describe_problems());
            assert!(!said.contains("canary") && said.contains("line "), "{source}: {said}");
        }
        let file = parse("api_key = \"canary\"\n[keys]\n\"a.example\" = \"canary\"");
        assert!(!format!("{file:?}").contains("canary") && file.problems.is_empty(), "{file:?}");
    }

    #[test]
    fn the_argument_counts_most() {
        let config = parse("chain = \"eth\"");
        let chains = Chains::default();
        assert_eq!(config.network(Some("demo"), &chains).unwrap(), Network::demo());
        assert_eq!(config.network(None, &chains).unwrap(), chains.resolve("eth").unwrap());
        assert!(config.network(Some("nowhere"), &chains).is_err());
        assert_eq!(parse("").network(None, &chains).unwrap(), Network::demo());
    }
}
