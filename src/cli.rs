//! The command line: arguments and subcommands.
//!
//! `parse` reads the arguments, and `dispatch` runs the subcommand, or the app in `explore` without one.
//! A subcommand takes its settings, signatures and the provider of its chain from the `context`, and
//! prints with the functions of [`output`](crate::output). Errors are printed here alone, and decide the
//! exit code.

mod address_arg;
mod cache;
mod chains;
mod completions;
mod config;
mod context;
mod decode;
mod display_args;
mod explore;
mod filters;
mod get;
mod location_args;
mod trace;
mod watch;

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing::error;

use crate::abi::{Project, ProjectContracts};
use crate::api_server::{ApiServer, ApiServerOptions, DEFAULT_PAGE_SIZE};
use crate::chain::network::{Endpoint, without_secrets};
use crate::demo_chain::DemoChain;
use crate::disk_cache::DiskCache;
use crate::indexer::{IndexLimits, NodeChain};
use crate::messages::cli;
use crate::messages::target::mistyped_subcommand;
use crate::output::{CliError, ignore_broken_pipe, print_note};
use crate::picture::run_as_decoder;
use crate::rpc::RpcClient;
use crate::runtime::terminal::ignore_panics_of_other_threads;
use crate::runtime::{
    Signal, Signals, log_writer, survive_file_size_limit, suspend_self, terminal,
};
use crate::sanitize::sanitize;
use crate::store::ServedChain;
use cache::CacheCommand;
use chains::ChainsArgs;
use completions::{CompletionsArgs, ManArgs};
use config::ConfigArgs;
use context::{CliContext, SourceArgs};
use decode::DecodeArgs;
use display_args::DisplayArgs;
use explore::ExploreArgs;
use get::GetCommand;
use trace::TraceArgs;
use watch::WatchArgs;

/// Maximum number of files that a run opens: its event loop, connections, the cache.
#[cfg(unix)]
const NEEDED_DESCRIPTORS: usize = 32;

/// Letters by which a mistyped option differs from the one that a tip names.
const MAX_MISTYPED_LETTERS: usize = 2;

/// Exit status if what was asked for does not exist, or no signature of it is known.
const NOT_FOUND: u8 = 3;

/// A terminal explorer for EVM chains
#[derive(Debug, Parser)]
#[command(version, about, after_help = include_str!("../assets/examples.txt"))]
struct Cli {
    #[command(flatten)]
    explore: ExploreArgs,

    #[command(flatten)]
    display: DisplayArgs,

    /// Chain: `anvil`, a name or ID from `chainglass chains`, or the URL of an explorer or a node
    #[arg(long, global = true, env = "CHAINGLASS_CHAIN", hide_env_values = true)]
    #[arg(value_name = "NAME|ID|URL")]
    chain: Option<String>,

    /// `true` if the environment names the chain.
    #[arg(skip)]
    is_chain_variable: bool,

    /// Append a request log to FILE, `-` for stderr
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Print a list, or one transaction, address, token or block
    #[command(subcommand)]
    Get(GetCommand),
    /// Print the call trace of a transaction
    ///
    /// Functions have names by your ABIs and signatures, a project in this folder and a list of usual
    /// selectors. `--names` asks for the ABIs of the called contracts.
    ///
    /// In `json` and `jsonl`, `name` is the function of a call; it is a guess if only its selector is
    /// known (`is_guess`), and null if that is unknown. Amounts and gas are decimal strings, or null if the trace
    /// lacks them. `input` and `output` are whole; `output` of a failed call is its revert data. `outcome` is `kept`, `failed`, `caught` (failed, but its caller did not) or
    /// `undone` (succeeded, but a call above it failed).
    Trace(TraceArgs),
    /// Decode hex, a signature or a number, offline
    ///
    /// Prints every meaning that the data can have, the likeliest first, by the built-in signatures, yours and
    /// the project in this folder. A function or an event known only by its hash is a guess. The exit
    /// status is 3 if no signature is known.
    Decode(DecodeArgs),
    /// Print what is new at addresses, until interrupted
    ///
    /// A line for each transaction and each token transfer, once it is in a block, oldest first. After an
    /// outage the lists are read back to the last known row. Notes go to stderr.
    Watch(WatchArgs),
    /// Show the cache's location and size
    Cache {
        #[command(subcommand)]
        command: Option<CacheCommand>,
    },
    /// Print all settings with defaults and the config path
    Config(ConfigArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
    /// List known chains and the API used for each
    Chains(ChainsArgs),
    /// Serve the API of the demo chain, or of a node, for other programs
    Serve {
        /// Port on 127.0.0.1; 0 picks a free one
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Items per page
        #[arg(long, default_value_t = DEFAULT_PAGE_SIZE, value_parser = clap::value_parser!(u16).range(1..=1000))]
        page_size: u16,
    },
}

/// Global options that have no effect on a subcommand. Its help does not list them.
fn unused_options(subcommand: &str) -> &'static [&'static str] {
    match subcommand {
        "get" | "watch" => &["theme"],
        "trace" => &["unit", "times"],
        "decode" => &["theme", "ascii", "log", "no_cache", "record", "replay"],
        _ => &["theme", "ascii", "unit", "times", "chain", "log", "no_cache", "record", "replay"],
    }
}

fn command() -> Command {
    let mut command = Cli::command();
    let globals: Vec<Arg> =
        command.get_arguments().filter(|a| a.is_global_set()).cloned().collect();
    for subcommand in command.get_subcommands_mut() {
        let unused = unused_options(subcommand.get_name());
        let hidden: Vec<Arg> = globals
            .iter()
            .filter(|arg| unused.contains(&arg.get_id().as_str()))
            .map(|arg| arg.clone().hide(true))
            .collect();
        // clap does not propagate a global option to a subcommand that defines it itself.
        *subcommand = std::mem::take(subcommand).args(hidden);
    }
    command
}

/// Parses the arguments, and checks the rule that clap cannot express: a target and a subcommand
/// exclude each other.
fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(first) = args.get(1).and_then(|arg| arg.to_str())
        && let Some(meant) = similar_subcommand(first)
    {
        let message = mistyped_subcommand(first, meant);
        return Err(command().error(ErrorKind::InvalidSubcommand, message));
    }
    let matches = command()
        .try_get_matches_from(&args)
        .map_err(|error| without_variables(error, &args))
        .map_err(hide_secrets)
        .map_err(keep_near_tips)
        .map_err(|error| name_variable(error, &args))?;
    let cli = Cli {
        is_chain_variable: matches.value_source("chain") == Some(ValueSource::EnvVariable),
        ..Cli::from_arg_matches(&matches)?
    };
    if cli.command.is_some() && !cli.explore.is_empty() {
        let error = command().error(ErrorKind::ArgumentConflict, cli::SUBCOMMAND_WITH_TARGET);
        return Err(error);
    }
    Ok(cli)
}

/// Returns the subcommand that an argument differs from by one letter. It would be searched as a name.
fn similar_subcommand(arg: &str) -> Option<&'static str> {
    let subcommands =
        ["get", "trace", "decode", "watch", "cache", "config", "completions", "chains", "serve"];
    subcommands
        .into_iter()
        .find(|name| arg.len() > 3 && strsim::damerau_levenshtein(arg, name) == 1)
}

/// Runs the program and returns its exit code: 0 for success, 1 for a failure of the explorer, the
/// network or the terminal, 2 for invalid arguments or settings, 3 for what does not exist, 128 + N after
/// signal N.
pub fn main() -> ExitCode {
    terminal::exit_on_panics();
    if let Some(code) = run_as_decoder(env::args_os()) {
        return code;
    }
    // Fails only where the signal does not exist.
    let _ = survive_file_size_limit();
    let result = match parse(env::args_os()) {
        Ok(cli) => start_log(&cli).and_then(|()| dispatch(cli)),
        Err(error) => print_clap_error(&error),
    };
    match result {
        Ok(code) => code,
        Err(CliError::Usage(error)) => report_error(&error, 2),
        Err(CliError::Runtime(error)) => report_error(&error, 1),
        Err(CliError::NotFound(error)) => report_error(&error, NOT_FOUND),
    }
}

/// Returns the same error of the arguments alone: usage would show an option that a variable stands for as one
/// that is required.
fn without_variables(error: clap::Error, args: &[OsString]) -> clap::Error {
    if error.get(ContextKind::Usage).is_none() {
        return error; // help, which names the variables
    }
    let without = |command: Command| command.mut_args(|arg| arg.env(None::<&'static str>));
    let typed = without(command().mut_subcommands(without)).try_get_matches_from(args).err();
    typed.filter(|typed| typed.kind() == error.kind()).unwrap_or(error)
}

/// Hides possible keys in the URLs that an error repeats.
fn hide_secrets(mut error: clap::Error) -> clap::Error {
    let urls = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if text.contains("://") => Some((kind, without_secrets(text))),
        _ => None,
    });
    for (kind, text) in urls.collect::<Vec<_>>() {
        error.insert(kind, ContextValue::String(text));
    }
    error
}

/// Leaves out the tips of an unknown option that name others than mistyped ones, and lists similar subcommands by
/// their likeness.
fn keep_near_tips(mut error: clap::Error) -> clap::Error {
    if let (Some(ContextValue::String(typed)), Some(ContextValue::Strings(known))) =
        (error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::SuggestedSubcommand))
    {
        let mut known = known.clone();
        known.sort_by_key(|known| strsim::damerau_levenshtein(typed, known));
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(known));
        return error;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let [typed, meant] = [ContextKind::InvalidArg, ContextKind::SuggestedArg].map(text);
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
        if strsim::damerau_levenshtein(&typed, &meant) > MAX_MISTYPED_LETTERS {
            error.remove(ContextKind::SuggestedArg);
        }
    }
    error
}

/// Names the environment variable of an invalid value, instead of the option that it stands for.
fn name_variable(mut error: clap::Error, args: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(invalid)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let mut built = command();
    built.build();
    let option = built.get_arguments().find(|arg| arg.to_string() == *invalid);
    let Some((name, variable)) = option.and_then(|arg| arg.get_long().zip(arg.get_env())) else {
        return error;
    };
    let option = format!("--{name}");
    let is_given = args.iter().any(|arg| arg.to_string_lossy().starts_with(&option));
    if !is_given && env::var_os(variable).is_some() {
        let name = ContextValue::String(variable.to_string_lossy().into_owned());
        error.insert(ContextKind::InvalidArg, name);
    }
    error
}

/// Prints help to stdout, and errors to stderr: sanitized, as they may repeat an argument.
fn print_clap_error(error: &clap::Error) -> Result<ExitCode, CliError> {
    if error.use_stderr() {
        error.render().to_string().lines().for_each(|line| print_note(&sanitize(line)));
    } else {
        error.print().or_else(ignore_broken_pipe)?;
    }
    Ok(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)))
}

fn start_log(cli: &Cli) -> Result<(), CliError> {
    let Some(path) = &cli.log else { return Ok(()) };
    if log_writer::is_stderr(path) && cli.command.is_none() && io::stderr().is_terminal() {
        return Err(CliError::Usage(cli::LOG_ON_SCREEN.into()));
    }
    log_writer::start(path).map_err(|e| CliError::Usage(format!("--log {}: {e}", path.display())))
}

fn report_error(error: &str, code: u8) -> ExitCode {
    error!("{error}");
    let lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    print_note(&format!("chainglass: {}", sanitize(&lines.collect::<Vec<_>>().join(" "))));
    ExitCode::from(code)
}

fn dispatch(cli: Cli) -> Result<ExitCode, CliError> {
    // An empty variable is unset. An empty argument may be a script's unset variable.
    let is_chain_variable = cli.is_chain_variable;
    let chain = cli.chain.as_deref().filter(|chain| !(chain.is_empty() && is_chain_variable));
    if chain.is_some_and(str::is_empty) {
        return Err(CliError::Usage(cli::EMPTY_CHAIN.into()));
    }
    let config = config::load()?;
    // The app shows these itself, and `config --check` prints them.
    if !matches!(cli.command, None | Some(CliCommand::Config(_))) {
        for problem in config.describe_problems() {
            print_note(&format!("chainglass: {}", sanitize(&problem)));
        }
        for problem in cli.display.theme_problems(&config.settings) {
            print_note(&format!("chainglass: {problem}"));
        }
    }
    let mut context = CliContext::new(chain, config, cli.source)?;
    context.is_chain_variable = is_chain_variable;
    let code = match cli.command {
        Some(CliCommand::Completions(args)) => completions::completions(&args),
        Some(CliCommand::Man(args)) => completions::man(&args),
        Some(CliCommand::Config(args)) => config::config(&args, &context.config),
        Some(CliCommand::Serve { port, page_size }) => {
            let endpoint = match chain {
                Some(_) => context.decided_network(None)?.endpoint,
                None => Endpoint::Embedded,
            };
            let options = ApiServerOptions { port, page_size: page_size.into() };
            block_on(serve(endpoint, options))
        }
        Some(CliCommand::Cache { command }) => cache::cache(command.as_ref()),
        Some(CliCommand::Chains(args)) => block_on(chains::chains(&args, context.chains()?)),
        Some(CliCommand::Get(list)) => {
            let network = context.printed_network(list.linked_chain())?;
            let provider = context.provider(&network)?;
            let style = cli.display.output_style(&context.config.settings)?;
            block_on(get::print_list(list, &network, &provider, &style))
        }
        Some(CliCommand::Decode(args)) => decode::decode(&args, &cli.display, &context),
        Some(CliCommand::Watch(args)) => watch::watch(&args, &cli.display, &context),
        Some(CliCommand::Trace(args)) => trace::print_trace(args, &cli.display, &context),
        None => explore::explore(cli.explore, &cli.display, &context),
    }?;
    context.finish()?;
    Ok(code)
}

fn block_on<T>(future: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    check_descriptors()?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // As one type, so that tokio's code around it is compiled once.
    let future: Pin<&mut dyn Future<Output = _>> = pin!(future);
    let result = runtime.block_on(future);
    // Does not wait for responses that are being decoded. Tasks that wait for a node panic then.
    ignore_panics_of_other_threads();
    runtime.shutdown_background();
    result
}

/// Checks that as many files can be opened as a run may need. Libraries panic otherwise.
#[cfg(unix)]
fn check_descriptors() -> Result<(), CliError> {
    use std::os::fd::AsFd;
    let stdin = io::stdin();
    let opened = (0..NEEDED_DESCRIPTORS)
        .map(|_| stdin.as_fd().try_clone_to_owned())
        .collect::<io::Result<Vec<_>>>()
        .map(drop);
    opened.map_err(|e| {
        CliError::Runtime(cli::CliProblem::FewDescriptors { why: &e.to_string() }.to_string())
    })
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn check_descriptors() -> Result<(), CliError> {
    Ok(())
}

/// Opens a chain that can be served: the demo, or a node's, which is followed from now on.
fn served_chain(endpoint: Endpoint) -> Result<Arc<dyn ServedChain>, CliError> {
    Ok(match endpoint {
        Endpoint::Embedded => DemoChain::open().map_err(|e| CliError::Runtime(e.to_string()))?,
        Endpoint::Node(url) => {
            let node = RpcClient::new(url).map_err(|e| CliError::Runtime(e.to_string()))?;
            let folder = crate::config::cache_dir();
            let cache = folder.clone().map(DiskCache::new).map(Arc::new);
            let chain = NodeChain::follow_with_cache(node, IndexLimits::default(), cache);
            let found = Project::of_current_dir();
            let project = found
                .map(|project| project.with_cache(folder))
                .map(ProjectContracts::new)
                .map(Arc::new);
            Arc::new(chain.with_project(project))
        }
        Endpoint::Remote(_) | Endpoint::Undecided(_) => {
            return Err(CliError::Usage(cli::NOT_SERVED.into()));
        }
    })
}

async fn serve(endpoint: Endpoint, options: ApiServerOptions) -> Result<ExitCode, CliError> {
    let signals = Signals::listen()?;
    let chain = served_chain(endpoint)?;
    let server = ApiServer::start(chain, options)
        .await
        .map_err(|e| CliError::Runtime(format!("port {}: {e}", options.port)))?;
    let mut out = io::stdout();
    writeln!(out, "http://{}", server.address()).and_then(|()| out.flush())?;
    wait_for_end(signals).await?;
    server.stop().await;
    Ok(ExitCode::SUCCESS)
}

/// Waits for a signal that ends the program, and suspends it meanwhile on those that ask for it.
async fn wait_for_end(mut signals: Signals) -> Result<(), CliError> {
    loop {
        match signals.next().await {
            Signal::End(_) => return Ok(()),
            Signal::Suspend => suspend_self()?,
            Signal::Resumed => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(args: &str) -> String {
        let args = args.split(' ').map(OsString::from);
        parse(args).unwrap_err().render().to_string()
    }

    #[test]
    fn mistyped_subcommands_are_no_names() {
        for (typed, meant) in [("gett", "get"), ("trcae", "trace"), ("chain", "chains")] {
            for rest in ["", " transactions 0x12"] {
                let error = help(&format!("chainglass {typed}{rest}"));
                assert!(error.contains(&format!("did you mean `{meant}`?")), "{error}");
            }
        }
        for name in ["GET", "gem", "mana", "vitalik.eth"] {
            let args = ["chainglass", name].map(OsString::from);
            assert_eq!(parse(args).unwrap().explore.target.as_deref(), Some(name));
        }
    }

    #[test]
    fn nearest_subcommand_is_the_first_tip() {
        let error = help("chainglass get transctions 0x12");
        let tips = error.lines().find(|line| line.contains("tip:")).unwrap();
        let first = tips.split('\'').nth(1);
        assert_eq!(first, Some("transactions"), "{error}");
    }

    #[test]
    fn options_without_effect_are_hidden_but_accepted() {
        for subcommand in ["cache", "cache clear", "config", "completions", "man", "chains"] {
            let help = help(&format!("chainglass {subcommand} --help"));
            assert!(!help.contains("--theme") && !help.contains("--record"), "{help}");
        }
        for (command, shown, hidden) in [
            ("chainglass -h", "--theme", "--format"),
            ("chainglass get tokens -h", "--unit", "--theme"),
            ("chainglass trace -h", "--theme", "--unit"),
        ] {
            let help = help(command);
            assert!(help.contains(shown) && !help.contains(hidden), "{help}");
            assert!(help.contains("--chain") && help.contains("--replay"), "{help}");
        }
        let args = "chainglass --theme dark cache --ascii --chain demo clear --no-cache";
        let cli = parse(args.split(' ').map(OsString::from)).unwrap();
        assert_eq!(cli.chain.as_deref(), Some("demo"));
    }
}
