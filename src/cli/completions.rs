//! `completions` and `man`: shell completions and manual pages, generated from the arguments.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::messages::cli::CliProblem;
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
    let mut command = super::command();
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return print(&page);
    };
    if !folder.is_dir() {
        let problem = CliProblem::NoFolder { folder: &folder.display().to_string() };
        return Err(CliError::Usage(problem.to_string()));
    }
    command = command.disable_help_subcommand(true);
    command.build();
    write_pages(&command, folder)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of a command and its subcommands. Overwrites no file and follows no link.
fn write_pages(command: &Command, folder: &Path) -> Result<(), CliError> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    let page = Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let written = File::create_new(&path).and_then(|mut file| page.render(&mut file));
    written.map_err(|e| CliError::Runtime(format!("{}: {e}", path.display())))
}

fn print(bytes: &[u8]) -> Result<ExitCode, CliError> {
    io::stdout().write_all(bytes).or_else(ignore_broken_pipe)?;
    Ok(ExitCode::SUCCESS)
}
