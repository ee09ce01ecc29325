//! `completions` and `man`: shell completions and manual pages, generated from the arguments.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::output::{CliError, ignore_broken_pipe};

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Write one page per command into this existing folder
    folder: Option<PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    generate(args.shell, &mut super::command(), "chainglass", &mut script);
    print(&script)
}

pub(super) fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let command = super::command();
    match &args.folder {
        Some(folder) => write_all(&command, folder),
        None => print(&page(&command)?),
    }
}

fn page(command: &Command) -> Result<Vec<u8>, CliError> {
    let mut page = Vec::new();
    let rendered = Man::new(command.clone()).render(&mut page);
    rendered.map_err(|e| CliError::Runtime(e.to_string()))?;
    Ok(page)
}

fn write_all(command: &Command, folder: &Path) -> Result<ExitCode, CliError> {
    let failed = |e: io::Error| CliError::Runtime(format!("{}: {e}", folder.display()));
    clap_mangen::generate_to(command.clone(), folder).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn print(bytes: &[u8]) -> Result<ExitCode, CliError> {
    io::stdout().write_all(bytes).or_else(|e| ignore_broken_pipe(&e))?;
    Ok(ExitCode::SUCCESS)
}
