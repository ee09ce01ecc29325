//! Locations of the user's files: configuration, key map, themes, ABIs, signatures, labels, recents and
//! the cache.

use std::env;
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy, home_dir};

use crate::user_data::files::UserDataFiles;

const CONFIG_PATH_VARIABLE: &str = "CHAINGLASS_CONFIG";

/// Returns the path of `config.toml`: `CHAINGLASS_CONFIG`, else `chainglass/config.toml` in the user's
/// configuration folder.
pub fn config_file() -> Option<PathBuf> {
    if let Some(path) = named_config_file() {
        return Some(path);
    }
    Some(choose_base_strategy().ok()?.config_dir().join("chainglass").join("config.toml"))
}

fn named_config_file() -> Option<PathBuf> {
    env::var_os(CONFIG_PATH_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns `true` if the environment names the file.
pub(super) fn names_config_file() -> bool {
    named_config_file().is_some()
}

pub fn keymap_file() -> Option<PathBuf> {
    in_config_folder("keymap.toml")
}

pub fn themes_dir() -> Option<PathBuf> {
    in_config_folder("themes")
}

/// Returns the path of a user theme: `themes/NAME.toml` next to the configuration. Returns `None` if
/// the name could lead out of that folder.
pub fn theme_file(name: &str) -> Option<PathBuf> {
    let file = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        .then(|| format!("{name}.toml"))?;
    Some(themes_dir()?.join(file))
}

/// Returns the folder of the user's ABIs (`abis` next to the configuration): plain ABI JSON or
/// Foundry's `out`.
pub fn abi_dir() -> Option<PathBuf> {
    in_config_folder("abis")
}

/// Returns the path of the signatures that the user entered, one per line.
pub fn signatures_file() -> Option<PathBuf> {
    in_config_folder("signatures.txt")
}

/// Returns the folders of labels and of recently visited places.
pub fn user_data_files() -> UserDataFiles {
    UserDataFiles { labels: in_config_folder("labels"), recents: recents_dir() }
}

/// Returns the folder of recently visited places, one file per chain: `chainglass/recent` in the user's
/// state folder, or in the data folder where the platform has no state folder.
fn recents_dir() -> Option<PathBuf> {
    let strategy = choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Some(folder.join("chainglass").join("recent"))
}

/// Returns the folder of cached responses that cannot change: `chainglass/v1` in the user's cache folder.
pub fn cache_dir() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.cache_dir().join("chainglass").join("v1"))
}

/// Expands a leading `~` to the user's home folder, if it is known.
pub(super) fn expand_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

fn in_config_folder(name: &str) -> Option<PathBuf> {
    Some(config_file()?.with_file_name(name))
}
