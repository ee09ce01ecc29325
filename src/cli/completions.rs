//! `completions` and `man`: what the shell and the manual know of the arguments, made from them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::Cli;
use crate::batch::CliError;

/// For which shell.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Which pages.
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Write a page for each command into this folder, which must be there
    folder: Option<PathBuf>,
}

/// Prints a script that completes arguments.
pub(super) fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "chainglass", &mut script);
    print(&script)
}

/// Prints the manual's first page, or writes all of them.
pub(super) fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let command = Cli::command();
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
    match io::stdout().write_all(bytes) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Runtime(e.to_string())),
        _ => Ok(ExitCode::SUCCESS),
    }
}
