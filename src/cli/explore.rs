//! The explorer on the terminal: where it begins, and with what.

use std::env;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::context::CliContext;
use super::display_args::DisplayArgs;
use super::location_args::{LocationArgs, StartLocation};
use super::signatures::load_signatures;
use super::{block_on, config};
use crate::app::{App, Setup};
use crate::batch::CliError;
use crate::chain::target::TargetOrName;
use crate::runtime::{self, ExitReason};

/// Where it begins.
#[derive(Debug, clap::Args)]
pub(super) struct ExploreArgs {
    /// An address, a transaction hash, an explorer's web address of one, or a name (`alice.eth`)
    pub(super) target: Option<String>,

    #[command(flatten)]
    pub(super) location: LocationArgs,

    /// Hear of the mouse from the start (M turns it on and off)
    #[arg(long)]
    mouse: bool,
}

impl ExploreArgs {
    /// Whether anything is said.
    pub(super) fn is_empty(&self) -> bool {
        self.target.is_none() && self.location.is_empty() && !self.mouse
    }
}

/// Opens the explorer on the terminal.
pub(super) fn explore(
    args: ExploreArgs,
    look: &DisplayArgs,
    run: &CliContext,
) -> Result<ExitCode, CliError> {
    let goal = args.target.as_deref().map(str::parse::<TargetOrName>).transpose();
    let goal = goal.map_err(|e| CliError::Usage(e.to_string()))?;
    let explorer = goal.as_ref().and_then(|goal| match goal {
        TargetOrName::Target(target) => target.explorer.as_ref(),
        TargetOrName::Name(_) => None,
    });
    let network = run.network(explorer)?;
    let begin = StartLocation::from_args(goal, args.location)?;
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    if dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let words = "this needs a terminal; for scripts there is `chainglass get --help`";
        return Err(CliError::Usage(words.into()));
    }
    let settings = &run.config.settings;
    let (keymap, of_keys) = config::load_keymap()?;
    let problems = config::startup_warnings(&run.config, &of_keys);
    let sources = run.providers(&network)?;
    let mut app = App::new(Setup {
        chains: run.chains()?.clone(),
        appearance: look.appearance(settings)?,
        format: look.format_options(settings),
        keymap,
        signature_db: load_signatures(&network),
        now: sources.now(),
        records_recents: settings.remembers_recents,
        network,
        problems,
        split: settings.split_view,
        mouse: args.mouse || settings.mouse,
    });
    let end = block_on(async {
        let run = runtime::run(sources, |size| {
            let effects = match begin {
                StartLocation::Name(name) => app.start(size, Some(TargetOrName::Name(name))),
                StartLocation::Location(spot, doubtful) => {
                    app.start_at_location(size, spot, doubtful)
                }
            };
            (app, effects)
        });
        run.await.map_err(|e| CliError::Runtime(format!("{e:#}")))
    })?;
    Ok(match end {
        ExitReason::Quit => ExitCode::SUCCESS,
        ExitReason::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
        ExitReason::TerminalClosed => ExitCode::FAILURE,
    })
}
