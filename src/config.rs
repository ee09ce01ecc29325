//! Settings: defaults, then the file, then the environment, then the arguments.

use std::path::PathBuf;
use std::{env, fs, io};

use anyhow::Context;
use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Deserialize;

use crate::chain::network::Network;

/// What the file may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// As `--chain`.
    chain: Option<String>,
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

/// The chain: what the argument says (`CHAINGLASS_CHAIN` counts as one), else the file, else the
/// demo chain.
pub fn network(argument: Option<&str>) -> anyhow::Result<Network> {
    if let Some(chain) = argument {
        return Ok(Network::find(chain)?);
    }
    let Some(path) = path() else { return Ok(Network::demo()) };
    let file = match fs::read_to_string(&path) {
        Ok(source) => parse(&source),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(File::default()),
        Err(error) => Err(error.into()),
    };
    let file = file.with_context(|| format!("{}", path.display()))?;
    match file.chain {
        Some(chain) => Network::find(&chain).with_context(|| format!("{}", path.display())),
        None => Ok(Network::demo()),
    }
}

fn parse(source: &str) -> anyhow::Result<File> {
    Ok(toml::from_str(source)?)
}

/// Whether colours are wanted (<https://no-color.org>).
pub fn color() -> bool {
    env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
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
    fn the_argument_counts_most() {
        assert_eq!(network(Some("demo")).unwrap(), Network::demo());
        assert!(network(Some("nowhere")).is_err());
    }
}
