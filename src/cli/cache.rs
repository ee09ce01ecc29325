//! `cache`: shows or clears the disk cache.

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::chain::amount::Grouped;
use crate::config;
use crate::disk_cache::{CacheStats, DiskCache};
use crate::messages::cli;
use crate::output::{CliError, print_lines};

#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Delete all cached responses
    Clear,
}

pub(super) fn cache(command: Option<&CacheCommand>) -> Result<ExitCode, CliError> {
    let Some(folder) = config::cache_dir() else {
        return Err(CliError::Runtime(cli::NO_CACHE_FOLDER.into()));
    };
    let disk = DiskCache::new(folder.clone());
    let (outcome, prefix) = match command {
        None => (disk.stats(), ""),
        Some(CacheCommand::Clear) => (disk.clear(), "removed from "),
    };
    let stats = outcome.map_err(|e| CliError::Runtime(format!("{}: {e}", folder.display())))?;
    print_lines(&format!("{prefix}{}", describe_stats(&folder, stats)))?;
    Ok(ExitCode::SUCCESS)
}

fn describe_stats(folder: &Path, stats: CacheStats) -> String {
    let responses = if stats.files == 1 { "response" } else { "responses" };
    let (files, bytes) = (Grouped(stats.files), Grouped(stats.bytes));
    format!("{}: {files} {responses}, {bytes} bytes", folder.display())
}
