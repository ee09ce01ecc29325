//! The user's configuration. Defaults are overridden by `config.toml`, then by the environment, then by
//! command-line arguments.
//!
//! - [`settings`]: every setting of `config.toml`, its default and its parser
//! - [`paths`]: locations of the user's files and of the kept ones
//! - [`api_keys`]: API keys by host, from the environment, a file or `config.toml`
//! - [`time_format`]: display formats of times

mod api_keys;
mod paths;
mod settings;
pub mod time_format;

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::sanitize::SafeText;
use crate::secure_fs;
use crate::toml_reader::ConfigDiagnostic;
pub use api_keys::KeyLookup;
use paths::names_config_file;
pub use paths::{
    abi_dir, cache_dir, config_file, keymap_file, signatures_file, theme_file, themes_dir,
    user_data_files,
};
pub use settings::{AppSettings, HttpSettings, PictureSetting, Settings};

/// The default `config.toml`, with every setting explained.
pub const DEFAULT_CONFIG: &str = include_str!("../assets/config.toml");

const MAX_CONFIG_FILE_BYTES: u64 = 256 << 10;

pub fn read_text(path: &Path) -> io::Result<String> {
    secure_fs::read_text(path, MAX_CONFIG_FILE_BYTES)
}

#[derive(Debug, Default)]
pub struct Config {
    /// The settings; an invalid one has its default.
    pub settings: Settings,
    pub problems: Vec<ConfigDiagnostic>,
    path: PathBuf,
}

impl Config {
    /// Loads `config.toml`, or the defaults if it does not exist.
    pub fn load() -> anyhow::Result<Self> {
        let path = config_file().unwrap_or_default();
        match read_text(&path) {
            Ok(source) => Ok(Self::from_toml(&source, path)),
            // A mistyped name of the file must not pass for a file without settings.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !names_config_file() => {
                Ok(Self { path, ..Self::default() })
            }
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    fn from_toml(source: &str, path: PathBuf) -> Self {
        let (settings, problems) = settings::parse_settings(source);
        Self { settings, problems, path }
    }

    /// Returns the problems, each prefixed with the file's path.
    pub fn describe_problems(&self) -> Vec<String> {
        let name = self.path.display();
        self.problems.iter().map(|problem| format!("{name}: {problem}")).collect()
    }

    /// Reports the theme, and skips it like any other invalid line.
    pub fn reject_theme(&mut self, message: SafeText) {
        self.settings.theme = None;
        let line = self.settings.theme_line.unwrap_or(1);
        self.problems.push(ConfigDiagnostic { line, message });
        self.problems.sort_by_key(|problem| problem.line);
    }

    /// Resolves the chain to open: the argument (or `CHAINGLASS_CHAIN`), else the setting, else the demo
    /// chain.
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

/// Parses settings. Problems do not quote the line: it may contain an API key.
pub fn parse(source: &str) -> Config {
    Config::from_toml(source, PathBuf::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_repeat_an_api_key() {
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
            let output = format!("{config:?} {:?}", config.describe_problems());
            assert!(!output.contains("canary") && output.contains("line "), "{source}: {output}");
        }
        let file = parse("api_key = \"canary\"\n[keys]\n\"a.example\" = \"canary\"");
        assert!(!format!("{file:?}").contains("canary") && file.problems.is_empty(), "{file:?}");
    }

    #[test]
    fn chain_argument_overrides_the_setting() {
        let config = parse("chain = \"eth\"");
        let chains = Chains::default();
        assert_eq!(config.network(Some("demo"), &chains).unwrap(), Network::demo());
        assert_eq!(config.network(None, &chains).unwrap(), chains.resolve("eth").unwrap());
        assert!(config.network(Some("nowhere"), &chains).is_err());
        assert_eq!(parse("").network(None, &chains).unwrap(), Network::demo());
    }

    #[test]
    fn problems_are_in_the_order_of_their_lines() {
        let mut config = parse("theme = \"mine\"\nunit = 5");
        config.reject_theme("not found".into());
        let lines: Vec<usize> = config.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 2]);
    }
}
