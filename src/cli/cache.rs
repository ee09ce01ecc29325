//! `cache_dir`: where answers are kept that cannot change, and how they go.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::batch::CliError;
use crate::chain::amount::group_digits;
use crate::config;
use crate::net::cache::{CacheStats, DiskCache};
use crate::sanitize::sanitize;

/// What is to be done with them.
#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Remove them
    Clear,
}

/// Says how much is kept, or removes it.
pub(super) fn cache(command: Option<&CacheCommand>) -> Result<ExitCode, CliError> {
    let Some(folder) = config::cache_dir() else {
        return Err(CliError::Runtime(
            "it is not known where your cache folder is: is HOME set?".into(),
        ));
    };
    let disk = DiskCache::new(folder.clone());
    let (held, before) = match command {
        None => (disk.stats(), ""),
        Some(CacheCommand::Clear) => (disk.clear(), "removed from "),
    };
    let held = held.map_err(|e| CliError::Runtime(format!("{}: {e}", folder.display())))?;
    let _ = writeln!(io::stdout(), "{before}{}", describe_stats(&folder, held)); // nobody reads it
    Ok(ExitCode::SUCCESS)
}

fn describe_stats(folder: &Path, held: CacheStats) -> String {
    let answers = if held.files == 1 { "answer" } else { "answers" };
    let (files, bytes) =
        (group_digits(&held.files.to_string()), group_digits(&held.bytes.to_string()));
    let folder = folder.display().to_string();
    format!("{}: {files} {answers}, {bytes} bytes", sanitize(&folder))
}
