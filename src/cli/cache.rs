//! `cache`: where answers are kept that cannot change, and how they go.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::batch::Failure;
use crate::chain::amount::grouped;
use crate::config;
use crate::net::cache::{Disk, Held};
use crate::sanitize::clean;

/// What is to be done with them.
#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Remove them
    Clear,
}

/// Says how much is kept, or removes it.
pub(super) fn cache(command: Option<&CacheCommand>) -> Result<ExitCode, Failure> {
    let Some(folder) = config::cache() else {
        return Err(Failure::Answer(
            "it is not known where your cache folder is: is HOME set?".into(),
        ));
    };
    let disk = Disk::at(folder.clone());
    let (held, before) = match command {
        None => (disk.held(), ""),
        Some(CacheCommand::Clear) => (disk.clear(), "removed from "),
    };
    let held = held.map_err(|e| Failure::Answer(format!("{}: {e}", folder.display())))?;
    let _ = writeln!(io::stdout(), "{before}{}", words(&folder, held)); // nobody reads it
    Ok(ExitCode::SUCCESS)
}

fn words(folder: &Path, held: Held) -> String {
    let answers = if held.files == 1 { "answer" } else { "answers" };
    let (files, bytes) = (grouped(&held.files.to_string()), grouped(&held.bytes.to_string()));
    let folder = folder.display().to_string();
    format!("{}: {files} {answers}, {bytes} bytes", clean(&folder))
}
