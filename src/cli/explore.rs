//! Starts the app.

use std::env;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::context::CliContext;
use super::display_args::DisplayArgs;
use super::location_args::{LocationArgs, StartArg, StartLocation};
use super::{block_on, config};
use crate::app::{App, Setup};
use crate::chain::data_input::GoToInput;
use crate::chain::target::TargetOrName;
use crate::config::AppSettings;
use crate::messages::cli;
use crate::output::CliError;
use crate::runtime::{self, ExitReason};
use crate::ui::theme::Appearance;

#[derive(Debug, clap::Args)]
pub(super) struct ExploreArgs {
    /// Address, transaction hash, block number, date, explorer link or name (alice.eth)
    pub(super) target: Option<String>,

    #[command(flatten)]
    pub(super) location: LocationArgs,

    /// Enable the mouse (M toggles)
    #[arg(long)]
    mouse: bool,
}

impl ExploreArgs {
    pub(super) fn is_empty(&self) -> bool {
        self.target.is_none() && self.location.is_empty() && !self.mouse
    }
}

fn check_terminal() -> Result<(), CliError> {
    if env::var_os("TERM").is_some_and(|term| term == "dumb") {
        Err(CliError::Usage(cli::DUMB_TERMINAL.into()))
    } else if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        Err(CliError::Usage(cli::NOT_A_TERMINAL.into()))
    } else {
        Ok(())
    }
}

pub(super) fn explore(
    args: ExploreArgs,
    display: &DisplayArgs,
    context: &CliContext,
) -> Result<ExitCode, CliError> {
    let parsed = args.target.as_deref().map(str::parse::<GoToInput>).transpose();
    let linked = parsed.as_ref().ok().and_then(|t| t.as_ref()?.linked_chain());
    let network = context.recorded_network(linked)?;
    let target = parsed.map_err(|e| CliError::Usage(e.to_string()))?;
    let start = StartArg::new(target, args.location)?;
    check_terminal()?;
    let settings = &context.config.settings;
    let (keymap, keymap_problems) = config::load_keymap()?;
    let (signature_db, signature_problems) = config::load_signatures();
    let problems = config::startup_warnings(
        &context.config,
        &keymap_problems,
        &signature_problems,
        display.theme_problems(settings),
    );
    let providers = context.providers(&network)?;
    let mut app = App::new(Setup {
        chains: context.chains()?.clone(),
        appearance: Appearance {
            user_themes: config::user_themes(),
            ..display.appearance(settings)?
        },
        format: display.format_options(settings),
        keymap,
        signature_db,
        now: providers.first.now(),
        network,
        problems,
        settings: AppSettings { mouse: args.mouse || settings.app.mouse, ..context.app_settings() },
        pictures: display.picture_options(settings, context.is_replay()),
    });
    let exit = block_on(async {
        let start = start.resolve(&providers.first).await?;
        let run = runtime::run(providers, |size| {
            let effects = match start {
                StartLocation::Name(name) => app.start(size, Some(TargetOrName::Name(name))),
                StartLocation::Location { location, checksum_mismatch } => {
                    app.start_at_location(size, *location, checksum_mismatch)
                }
            };
            (app, effects)
        });
        run.await.map_err(|e| CliError::Runtime(format!("{e:#}")))
    })?;
    Ok(match exit {
        ExitReason::Quit => ExitCode::SUCCESS,
        ExitReason::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
        ExitReason::TerminalClosed => ExitCode::FAILURE,
    })
}
