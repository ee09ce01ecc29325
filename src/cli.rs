//! Arguments, and what the program does with them.

mod cache;
mod chains;
mod completions;
mod config;
mod context;
mod display_args;
mod explore;
mod filters;
mod get;
mod location_args;
mod signatures;
mod trace;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use tracing::error;

use crate::abi::abi_dir;
use crate::batch::{self, Failure};
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::config::{self as settings, Config};
use crate::demo_server::{Explorer, Options};
use crate::runtime::{Signal, Signals, log_writer, stop_here, terminal};
use crate::sanitize::clean;
use cache::CacheCommand;
use chains::ChainsArgs;
use completions::{CompletionsArgs, ManArgs};
use config::ConfigArgs;
use context::{Run, WaysArgs};
use display_args::LookArgs;
use explore::ExploreArgs;
use get::Get;
use signatures::book;
use trace::TraceArgs;

/// A terminal explorer for EVM chains.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(flatten)]
    explore: ExploreArgs,

    #[command(flatten)]
    look: LookArgs,

    /// The chain: a name or an id that `chainglass chains` lists, or an explorer's base address
    #[arg(long, global = true, env = "CHAINGLASS_CHAIN", hide_env_values = true)]
    #[arg(value_name = "NAME|ID|URL")]
    chain: Option<String>,

    /// Add a line for every request and failure to the end of a file
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,

    #[command(flatten)]
    ways: WaysArgs,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a list and exit
    #[command(subcommand)]
    Get(Get),
    /// Print a transaction's call trace and exit
    ///
    /// In `json` and `jsonl` a call's `name` is that of its function, by an ABI or by the selector
    /// alone, in which case it is a guess; it is null where nobody knows it. Amounts and gas are
    /// decimal strings, and null where the trace does not say them. An `outcome` is `kept`, `failed`,
    /// `caught` (it failed and its caller did not), or `undone` (it succeeded, and a call above it
    /// failed).
    Trace(TraceArgs),
    /// Say where answers are kept that cannot change, and how large they are
    Cache {
        #[command(subcommand)]
        command: Option<CacheCommand>,
    },
    /// Print the settings with their defaults, and where their file is
    Config(ConfigArgs),
    /// Print a script that completes the arguments in a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write a page for each command
    Man(ManArgs),
    /// List the chains that can be named, and who is asked for each
    Chains(ChainsArgs),
    /// Serve the demo chain's read API for other programs
    Serve {
        /// The port on 127.0.0.1; 0 lets the system choose
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Items on a page
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        page_size: u16,
    },
}

/// Runs the program: 0 when all went well, 1 when the server, the network or the terminal failed, 2
/// when it was called wrongly, 128 and more after a signal.
pub fn main() -> ExitCode {
    terminal::tell_panics();
    let cli = match Cli::try_parse().and_then(check) {
        Ok(cli) => cli,
        Err(error) => {
            say(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let begun = cli.log.as_deref().map_or(Ok(()), begin_log);
    match begun.and_then(|()| dispatch(cli)) {
        Ok(code) => code,
        Err(Failure::Usage(why)) => complain(&why, 2),
        Err(Failure::Answer(why)) => complain(&why, 1),
    }
}

/// Help on stdout; on stderr what is wrong, which may repeat an argument that a stranger wrote.
fn say(error: &clap::Error) {
    let text = error.render().to_string();
    let mut lines = text.lines();
    // A closed pipe: nobody reads it.
    let _ = if error.use_stderr() {
        lines.try_for_each(|line| writeln!(io::stderr(), "{}", clean(line)))
    } else {
        error.print()
    };
}

/// What clap cannot say: a target and a subcommand exclude each other.
fn check(cli: Cli) -> Result<Cli, clap::Error> {
    let opens = !cli.explore.is_empty();
    if opens && cli.command.is_some() {
        let words = "a TARGET, or where in it to begin, and a subcommand cannot be used together";
        return Err(Cli::command().error(ErrorKind::ArgumentConflict, words));
    }
    Ok(cli)
}

fn begin_log(path: &Path) -> Result<(), Failure> {
    log_writer::start(path).map_err(|e| Failure::Usage(format!("--log {}: {e}", path.display())))
}

/// One line on stderr.
fn complain(why: &str, status: u8) -> ExitCode {
    error!("{why}");
    let line = why.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr(), "chainglass: {}", clean(&line)); // nobody reads it
    ExitCode::from(status)
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    // An empty variable is none; an empty argument is a script's variable that was never set.
    let is_variable = std::env::var_os("CHAINGLASS_CHAIN").is_some_and(|value| value.is_empty());
    let chain = cli.chain.as_deref().filter(|chain| !(chain.is_empty() && is_variable));
    if chain.is_some_and(str::is_empty) {
        return Err(Failure::Usage("--chain is empty: which chain is meant?".into()));
    }
    let config = Config::load().map_err(|e| Failure::Usage(format!("{e:#}")))?;
    if !matches!(cli.command, None | Some(Command::Config(_))) {
        warn(&config);
    }
    let run = Run::new(chain, config, cli.ways)?;
    let code = match cli.command {
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Man(args)) => completions::man(&args),
        Some(Command::Config(args)) => config::config(&args, &run.config),
        Some(Command::Serve { .. }) if chain.is_some_and(|c| !is_demo(c)) => {
            Err(Failure::Usage("only the demo chain can be served".into()))
        }
        Some(Command::Serve { port, page_size }) => {
            block_on(serve(Options { port, page_size: page_size.into() }))
        }
        Some(Command::Cache { command }) => cache::cache(command.as_ref()),
        Some(Command::Chains(args)) => chains::chains(&args, run.chains()?),
        Some(Command::Get(list)) => {
            let network = run.network(None)?;
            let source = run.source(&network)?;
            let manner = cli.look.manner(&run.config.settings)?;
            block_on(get::print(list, network, source, &manner))
        }
        Some(Command::Trace(args)) => trace(args, &cli.look, &run),
        None => explore::explore(cli.explore, &cli.look, &run),
    }?;
    run.finish()?;
    Ok(code)
}

/// Says what is wrong with the settings. The app says it by itself, `config --check` as its answer.
fn warn(config: &Config) {
    for complaint in config.complaints() {
        let _ = writeln!(io::stderr(), "chainglass: {}", clean(&complaint)); // nobody reads it
    }
}

/// Prints a trace.
fn trace(args: TraceArgs, look: &LookArgs, run: &Run) -> Result<ExitCode, Failure> {
    let network = &run.network(args.explorer())?;
    let mut book = book(network);
    for problem in settings::abis().iter().flat_map(|abis| abi_dir::read(&mut book, abis)) {
        let _ = writeln!(io::stderr(), "{problem}"); // nobody reads it
    }
    let (source, wanted) = (run.source(network)?, args.wanted(look.of_text(&run.config.settings)?));
    let known = batch::trace::Known { network, book: &book, seen: &batch::own(network) };
    block_on(batch::trace::trace(&source, known, &wanted))?;
    Ok(ExitCode::SUCCESS)
}

fn is_demo(chain: &str) -> bool {
    Chains::default().find(chain).is_ok_and(|network| network == Network::demo())
}

fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| Failure::Answer(e.to_string()))?;
    let result = runtime.block_on(future);
    // A request that is being decoded need not be waited for.
    runtime.shutdown_background();
    result
}

/// Serves the demo chain until it is told to end.
async fn serve(options: Options) -> Result<ExitCode, Failure> {
    let failed = |e: io::Error| Failure::Answer(e.to_string());
    let mut signals = Signals::listen().map_err(failed)?;
    let explorer = Explorer::start(options).await;
    let explorer = explorer.map_err(|e| Failure::Answer(format!("port {}: {e}", options.port)))?;
    let mut out = io::stdout();
    writeln!(out, "http://{}", explorer.address()).and_then(|()| out.flush()).map_err(failed)?;
    loop {
        match signals.next().await {
            Signal::End(_) => break,
            Signal::Suspend => stop_here().map_err(failed)?,
            Signal::Resumed => {}
        }
    }
    explorer.stop().await;
    Ok(ExitCode::SUCCESS)
}
