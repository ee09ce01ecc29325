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
use crate::batch::{self, CliError};
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::config::{self as settings, Config};
use crate::demo_server::{DemoServer, DemoServerOptions};
use crate::runtime::{Signal, Signals, log_writer, suspend_self, terminal};
use crate::sanitize::sanitize;
use cache::CacheCommand;
use chains::ChainsArgs;
use completions::{CompletionsArgs, ManArgs};
use config::ConfigArgs;
use context::{CliContext, SourceArgs};
use display_args::DisplayArgs;
use explore::ExploreArgs;
use get::GetCommand;
use signatures::load_signatures;
use trace::TraceArgs;

/// A terminal explorer for EVM chains.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(flatten)]
    explore: ExploreArgs,

    #[command(flatten)]
    display: DisplayArgs,

    /// The chain: a name or an id that `chainglass chains` lists, or an explorer's base address
    #[arg(long, global = true, env = "CHAINGLASS_CHAIN", hide_env_values = true)]
    #[arg(value_name = "NAME|ID|URL")]
    chain: Option<String>,

    /// Add a line for every request and failure to the end of a file
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Print a list and exit
    #[command(subcommand)]
    Get(GetCommand),
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
    terminal::sanitize_panics();
    let cli = match Cli::try_parse().and_then(check_conflicts) {
        Ok(cli) => cli,
        Err(error) => {
            print_clap_error(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let begun = cli.log.as_deref().map_or(Ok(()), start_log);
    match begun.and_then(|()| dispatch(cli)) {
        Ok(code) => code,
        Err(CliError::Usage(why)) => report_error(&why, 2),
        Err(CliError::Runtime(why)) => report_error(&why, 1),
    }
}

/// Help on stdout; on stderr what is wrong, which may repeat an argument that a stranger wrote.
fn print_clap_error(error: &clap::Error) {
    let text = error.render().to_string();
    let mut lines = text.lines();
    // A closed pipe: nobody reads it.
    let _ = if error.use_stderr() {
        lines.try_for_each(|line| writeln!(io::stderr(), "{}", sanitize(line)))
    } else {
        error.print()
    };
}

/// What clap cannot say: a target and a subcommand exclude each other.
fn check_conflicts(cli: Cli) -> Result<Cli, clap::Error> {
    let opens = !cli.explore.is_empty();
    if opens && cli.command.is_some() {
        let words = "a TARGET, or where in it to begin, and a subcommand cannot be used together";
        return Err(Cli::command().error(ErrorKind::ArgumentConflict, words));
    }
    Ok(cli)
}

fn start_log(path: &Path) -> Result<(), CliError> {
    log_writer::start(path).map_err(|e| CliError::Usage(format!("--log {}: {e}", path.display())))
}

/// One line on stderr.
fn report_error(why: &str, status: u8) -> ExitCode {
    error!("{why}");
    let line = why.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr(), "chainglass: {}", sanitize(&line)); // nobody reads it
    ExitCode::from(status)
}

fn dispatch(cli: Cli) -> Result<ExitCode, CliError> {
    // An empty variable is none; an empty argument is a script's variable that was never set.
    let is_variable = std::env::var_os("CHAINGLASS_CHAIN").is_some_and(|value| value.is_empty());
    let chain = cli.chain.as_deref().filter(|chain| !(chain.is_empty() && is_variable));
    if chain.is_some_and(str::is_empty) {
        return Err(CliError::Usage("--chain is empty: which chain is meant?".into()));
    }
    let config = Config::load().map_err(|e| CliError::Usage(format!("{e:#}")))?;
    if !matches!(cli.command, None | Some(CliCommand::Config(_))) {
        print_config_warnings(&config);
    }
    let run = CliContext::new(chain, config, cli.source)?;
    let code = match cli.command {
        Some(CliCommand::Completions(args)) => completions::completions(&args),
        Some(CliCommand::Man(args)) => completions::man(&args),
        Some(CliCommand::Config(args)) => config::config(&args, &run.config),
        Some(CliCommand::Serve { .. }) if chain.is_some_and(|c| !is_demo(c)) => {
            Err(CliError::Usage("only the demo chain can be served".into()))
        }
        Some(CliCommand::Serve { port, page_size }) => {
            block_on(serve(DemoServerOptions { port, page_size: page_size.into() }))
        }
        Some(CliCommand::Cache { command }) => cache::cache(command.as_ref()),
        Some(CliCommand::Chains(args)) => chains::chains(&args, run.chains()?),
        Some(CliCommand::Get(list)) => {
            let network = run.network(None)?;
            let source = run.provider(&network)?;
            let manner = cli.display.output_style(&run.config.settings)?;
            block_on(get::print_list(list, network, source, &manner))
        }
        Some(CliCommand::Trace(args)) => print_trace(args, &cli.display, &run),
        None => explore::explore(cli.explore, &cli.display, &run),
    }?;
    run.finish()?;
    Ok(code)
}

/// Says what is wrong with the settings. The app says it by itself, `config --check` as its answer.
fn print_config_warnings(config: &Config) {
    for startup_notice in config.describe_problems() {
        let _ = writeln!(io::stderr(), "chainglass: {}", sanitize(&startup_notice)); // nobody reads it
    }
}

/// Prints a trace.
fn print_trace(
    args: TraceArgs,
    look: &DisplayArgs,
    run: &CliContext,
) -> Result<ExitCode, CliError> {
    let network = &run.network(args.explorer())?;
    let mut book = load_signatures(network);
    for problem in settings::abi_dir().iter().flat_map(|abis| abi_dir::load(&mut book, abis)) {
        let _ = writeln!(io::stderr(), "{problem}"); // nobody reads it
    }
    let (source, wanted) =
        (run.provider(network)?, args.into_options(look.text_style(&run.config.settings)?));
    let known =
        batch::trace::TraceContext { network, book: &book, seen: &batch::load_labels(network) };
    block_on(batch::trace::print_trace(&source, known, &wanted))?;
    Ok(ExitCode::SUCCESS)
}

fn is_demo(chain: &str) -> bool {
    Chains::default().resolve(chain).is_ok_and(|network| network == Network::demo())
}

fn block_on<T>(future: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| CliError::Runtime(e.to_string()))?;
    let result = runtime.block_on(future);
    // A request that is being decoded need not be waited for.
    runtime.shutdown_background();
    result
}

/// Serves the demo chain until it is told to end.
async fn serve(options: DemoServerOptions) -> Result<ExitCode, CliError> {
    let failed = |e: io::Error| CliError::Runtime(e.to_string());
    let mut signals = Signals::listen().map_err(failed)?;
    let explorer = DemoServer::start(options).await;
    let explorer =
        explorer.map_err(|e| CliError::Runtime(format!("port {}: {e}", options.port)))?;
    let mut out = io::stdout();
    writeln!(out, "http://{}", explorer.address()).and_then(|()| out.flush()).map_err(failed)?;
    loop {
        match signals.next().await {
            Signal::End(_) => break,
            Signal::Suspend => suspend_self().map_err(failed)?,
            Signal::Resumed => {}
        }
    }
    explorer.stop().await;
    Ok(ExitCode::SUCCESS)
}
