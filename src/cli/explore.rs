//! The explorer on the terminal: where it begins, and with what.

use std::env;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::context::Run;
use super::display_args::LookArgs;
use super::location_args::{Begin, PlaceArgs};
use super::signatures::book;
use super::{block_on, config};
use crate::app::{App, Setup};
use crate::batch::Failure;
use crate::chain::target::Goal;
use crate::runtime::{self, End};

/// Where it begins.
#[derive(Debug, clap::Args)]
pub(super) struct ExploreArgs {
    /// An address, a transaction hash, an explorer's web address of one, or a name (`alice.eth`)
    pub(super) target: Option<String>,

    #[command(flatten)]
    pub(super) place: PlaceArgs,

    /// Hear of the mouse from the start (M turns it on and off)
    #[arg(long)]
    mouse: bool,
}

impl ExploreArgs {
    /// Whether anything is said.
    pub(super) fn is_empty(&self) -> bool {
        self.target.is_none() && self.place.is_empty() && !self.mouse
    }
}

/// Opens the explorer on the terminal.
pub(super) fn explore(args: ExploreArgs, look: &LookArgs, run: &Run) -> Result<ExitCode, Failure> {
    let goal = args.target.as_deref().map(str::parse::<Goal>).transpose();
    let goal = goal.map_err(|e| Failure::Usage(e.to_string()))?;
    let explorer = goal.as_ref().and_then(|goal| match goal {
        Goal::Target(target) => target.explorer.as_ref(),
        Goal::Name(_) => None,
    });
    let network = run.network(explorer)?;
    let begin = Begin::at(goal, args.place)?;
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    if dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let words = "this needs a terminal; for scripts there is `chainglass get --help`";
        return Err(Failure::Usage(words.into()));
    }
    let settings = &run.config.settings;
    let (keymap, of_keys) = config::keymap()?;
    let problems = config::complaints(&run.config, &of_keys);
    let sources = run.sources(&network)?;
    let mut app = App::new(Setup {
        chains: run.chains()?.clone(),
        look: look.look(settings)?,
        notation: look.notation(settings),
        keymap,
        book: book(&network),
        now: sources.now(),
        recent: settings.recent,
        network,
        problems,
        side: settings.side,
        mouse: args.mouse || settings.mouse,
    });
    let end = block_on(async {
        let run = runtime::run(sources, |size| {
            let effects = match begin {
                Begin::Name(name) => app.start(size, Some(Goal::Name(name))),
                Begin::Spot(spot, doubtful) => app.start_at(size, spot, doubtful),
            };
            (app, effects)
        });
        run.await.map_err(|e| Failure::Answer(format!("{e:#}")))
    })?;
    Ok(match end {
        End::Quit => ExitCode::SUCCESS,
        End::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
        End::Gone => ExitCode::FAILURE,
    })
}
