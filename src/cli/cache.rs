//! `cache`: shows or clears the disk cache.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::chain::amount::group_digits;
use crate::config;
use crate::net::cache::{CacheStats, DiskCache};
use crate::output::{CliError, ignore_broken_pipe};
use crate::sanitize::sanitize;

#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Delete all cached responses
    Clear,
}

pub(super) fn cache(command: Option<&CacheCommand>) -> Result<ExitCode, CliError> {
    let Some(folder) = config::cache_dir() else {
        return Err(CliError::Runtime("cannot find the cache folder: is HOME set?".into()));
    };
    let disk = DiskCache::new(folder.clone());
    let (stats, prefix) = match command {
        None => (disk.stats(), ""),
        Some(CacheCommand::Clear) => (disk.clear(), "removed from "),
    };
    let stats = stats.map_err(|e| CliError::Runtime(format!("{}: {e}", folder.display())))?;
    writeln!(io::stdout(), "{prefix}{}", describe_stats(&folder, stats))
        .or_else(|e| ignore_broken_pipe(&e))?;
    Ok(ExitCode::SUCCESS)
}

fn describe_stats(folder: &Path, stats: CacheStats) -> String {
    let responses = if stats.files == 1 { "response" } else { "responses" };
    let files = group_digits(&stats.files.to_string());
    let bytes = group_digits(&stats.bytes.to_string());
    let folder = folder.display().to_string();
    format!("{}: {files} {responses}, {bytes} bytes", sanitize(&folder))
}
