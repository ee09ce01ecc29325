//! Settings: defaults, then the file, then the environment, then the arguments.

mod keys;

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, anyhow};
use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Deserialize;

use crate::chain::network::Network;
pub use keys::{Found, key};

/// What the file may say. Its keys are not shown, not even in debug output.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// As `--chain`.
    chain: Option<String>,
    /// The key for `api.blockscout.com`.
    api_key: Option<keys::Secret>,
    /// A file with that key in it.
    api_key_file: Option<PathBuf>,
    /// The key of each other host.
    #[serde(default)]
    keys: keys::Secrets,
}

/// Where the file is looked for: `chainglass/config.toml` below the user's configuration folder.
pub fn path() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.config_dir().join("chainglass").join("config.toml"))
}

/// Where the user's ABI files are: `chainglass/abis` beside the configuration, plain ABI JSON or
/// Foundry's `out`.
pub fn abis() -> Option<PathBuf> {
    Some(path()?.with_file_name("abis"))
}

/// Where signatures that were typed are kept, one a line.
pub fn signatures() -> Option<PathBuf> {
    Some(path()?.with_file_name("signatures.txt"))
}

/// Where answers are kept that cannot change: `chainglass/v1` below the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.cache_dir().join("chainglass").join("v1"))
}

/// The chain: what the argument says (`CHAINGLASS_CHAIN` counts as one), else the file, else the
/// demo chain.
pub fn network(argument: Option<&str>) -> anyhow::Result<Network> {
    if let Some(chain) = argument {
        return Ok(Network::find(chain)?);
    }
    let Some(path) = path() else { return Ok(Network::demo()) };
    match settings(&path)?.chain {
        Some(chain) => Network::find(&chain).with_context(|| format!("{}", path.display())),
        None => Ok(Network::demo()),
    }
}

fn settings(path: &Path) -> anyhow::Result<Settings> {
    let file = match fs::read_to_string(path) {
        Ok(source) => parse(&source),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Settings::default()),
        Err(error) => Err(error.into()),
    };
    file.with_context(|| format!("{}", path.display()))
}

/// Reads the file. What is wrong is said without the line itself: there may be a key in it.
pub fn parse(source: &str) -> anyhow::Result<Settings> {
    toml::from_str(source).map_err(|error| {
        let before = error.span().and_then(|span| source.get(..span.start)).unwrap_or_default();
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        anyhow!("line {line}: {}", error.message())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_the_file_is_named_with_its_line() {
        let error = parse("chain = \"demo\"\nchian = \"eth\"\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("chian"), "{error}");
    }

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
            let error = format!("{:?}", parse(source).unwrap_err());
            assert!(!error.contains("canary") && error.contains("line "), "{source}: {error}");
        }
        let file = parse("api_key = \"canary\"\n[keys]\n\"a.example\" = \"canary\"").unwrap();
        assert!(!format!("{file:?}").contains("canary"), "{file:?}");
    }

    #[test]
    fn the_argument_counts_most() {
        assert_eq!(network(Some("demo")).unwrap(), Network::demo());
        assert!(network(Some("nowhere")).is_err());
    }
}
