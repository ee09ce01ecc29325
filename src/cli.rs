//! Arguments, and what the program does with them.

mod cache;
mod chains;
mod config;
mod look;
mod manual;
mod place;
mod run;
mod trace;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use strum::VariantNames;
use tracing::error;

use crate::abi::{Book, folder};
use crate::api::balances::TokenBalance;
use crate::api::collections::Collection;
use crate::api::instances::TokenInstance;
use crate::api::internals::InternalTransaction;
use crate::api::transactions::Transaction;
use crate::api::transfers::TokenTransfer;
use crate::api::{Direction, Query, TokenType};
use crate::app::{App, Setup};
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network};
use crate::chain::subject::{Goal, Subject};
use crate::chain::{Address, TxHash};
use crate::config::Config;
use crate::explorer::{Explorer, Options};
use crate::oneshot::{self, Failure, Output};
use crate::runtime::source::Source;
use crate::runtime::{self, End, Signal, Signals, log, stop_here, terminal};
use crate::text::clean;
use crate::ui::notation::Notation;
use cache::CacheCommand;
use chains::ChainsArgs;
use config::ConfigArgs;
use manual::{CompletionsArgs, ManArgs};
use place::{Begin, PlaceArgs};
use run::{Run, WaysArgs};
use trace::TraceArgs;

/// A terminal explorer for EVM chains.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    /// An address, a transaction hash, an explorer's web address of one, or a name (`alice.eth`)
    target: Option<String>,

    #[command(flatten)]
    place: PlaceArgs,

    /// Hear of the mouse from the start (M turns it on and off)
    #[arg(long)]
    mouse: bool,

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

#[derive(Debug, Subcommand)]
enum Get {
    /// An address's transactions
    Transactions {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An address's internal transactions
    InternalTransactions {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An address's token transfers, or without one the whole chain's
    TokenTransfers {
        /// The address
        #[arg(value_parser = address)]
        address: Option<Address>,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        types: TypesArg,
        /// Only of this token contract
        #[arg(long, requires = "address", value_parser = address)]
        token: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The tokens an address holds
    Tokens {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The NFT collections an address holds pieces of
    NftCollections {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// A transaction's raw trace as the chain's node gave it: an array is printed an entry a line
    RawTrace {
        /// The transaction
        transaction: TxHash,
    },
    /// The instances of a token contract
    Instances {
        /// The token contract
        #[arg(value_parser = address)]
        token: Address,
        /// Only those held by this address
        #[arg(long, value_parser = address)]
        holder: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, clap::Args)]
struct DirectionArg {
    /// Only what goes to, or comes from, the address
    #[arg(long, value_enum)]
    filter: Option<Filter>,
}

#[derive(Debug, clap::Args)]
struct TypesArg {
    /// Only these standards, separated by commas: ERC-20, ERC-721, ERC-1155, ERC-404, and on servers
    /// since version 10 ERC-7984
    #[arg(long = "type", value_delimiter = ',', value_parser = token_type)]
    types: Vec<TokenType>,
}

#[derive(Debug, clap::Args)]
struct OutputArgs {
    /// How many rows [default: 50]
    #[arg(long, conflicts_with = "all")]
    limit: Option<usize>,
    /// All rows, page after page
    #[arg(long)]
    all: bool,
    /// `table` for reading, `jsonl` as the server sent it, `csv` with full values
    #[arg(long, value_enum, default_value_t = oneshot::Format::Table)]
    format: oneshot::Format,
}

/// The value of `--filter`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Filter {
    To,
    From,
}

impl From<Filter> for Direction {
    fn from(filter: Filter) -> Self {
        match filter {
            Filter::To => Self::To,
            Filter::From => Self::From,
        }
    }
}

impl From<OutputArgs> for Output {
    fn from(args: OutputArgs) -> Self {
        let chosen = if args.all { Some(usize::MAX) } else { args.limit };
        Self { limit: chosen.unwrap_or(50), format: args.format, say_more: chosen.is_none() }
    }
}

fn address(text: &str) -> Result<Address, &'static str> {
    match text.parse() {
        Ok(Subject::Address(address)) => Ok(address),
        _ => Err("not an address: give 0x and 40 hex digits"),
    }
}

/// `ERC-20`, and also `erc20`.
fn token_type(text: &str) -> Result<TokenType, String> {
    let bare = |name: &str| name.replace('-', "").to_ascii_lowercase();
    let known = TokenType::VARIANTS.iter().find(|name| bare(name) == bare(text));
    let words = || format!("not a token standard: give some of {}", TokenType::VARIANTS.join(", "));
    known.and_then(|name| name.parse().ok()).ok_or_else(words)
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
    let opens = cli.target.is_some() || !cli.place.is_empty() || cli.mouse;
    if opens && cli.command.is_some() {
        let words = "a TARGET, or where in it to begin, and a subcommand cannot be used together";
        return Err(Cli::command().error(ErrorKind::ArgumentConflict, words));
    }
    Ok(cli)
}

fn begin_log(path: &Path) -> Result<(), Failure> {
    log::start(path).map_err(|e| Failure::Usage(format!("--log {}: {e}", path.display())))
}

/// One line on stderr.
fn complain(why: &str, status: u8) -> ExitCode {
    error!("{why}");
    let line = why.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr(), "chainglass: {}", clean(&line)); // nobody reads it
    ExitCode::from(status)
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    // An empty variable is none.
    let chain = cli.chain.as_deref().filter(|chain| !chain.is_empty());
    let config = Config::load().map_err(|e| Failure::Usage(format!("{e:#}")))?;
    if !matches!(cli.command, None | Some(Command::Config(_))) {
        warn(&config);
    }
    let run = Run::new(chain, config, cli.ways)?;
    let code = match cli.command {
        Some(Command::Completions(args)) => manual::completions(&args),
        Some(Command::Man(args)) => manual::man(&args),
        Some(Command::Config(args)) => config::config(&args, &run.config),
        Some(Command::Serve { .. }) if chain.is_some_and(|c| !is_demo(c)) => {
            Err(Failure::Usage("only the demo chain can be served".into()))
        }
        Some(Command::Serve { port, page_size }) => {
            block_on(serve(Options { port, page_size: page_size.into() }))
        }
        Some(Command::Cache { command }) => cache::cache(command.as_ref()),
        Some(Command::Chains(args)) => chains::chains(&args, run.chains()?),
        Some(Command::Get(get)) => {
            let network = run.network(None)?;
            let source = run.source(&network)?;
            block_on(print(get, network, source))
        }
        Some(Command::Trace(args)) => trace(args, &run),
        None => open(cli.target.as_deref(), cli.place, cli.mouse, &run),
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
fn trace(args: TraceArgs, run: &Run) -> Result<ExitCode, Failure> {
    let network = &run.network(args.explorer())?;
    let mut book = book(network);
    for problem in crate::config::abis().iter().flat_map(|abis| folder::read(&mut book, abis)) {
        let _ = writeln!(io::stderr(), "{problem}"); // nobody reads it
    }
    let (source, wanted) = (run.source(network)?, args.wanted(look::of_text()?));
    let known = oneshot::trace::Known { network, book: &book, seen: &oneshot::own(network) };
    block_on(oneshot::trace::trace(&source, known, &wanted))?;
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

/// Prints a list.
async fn print(get: Get, network: Network, source: Source) -> Result<ExitCode, Failure> {
    let to = |direction: DirectionArg| direction.filter.map(Into::into);
    match get {
        Get::Transactions { address, direction, output } => {
            let query = Query::Transactions { address, direction: to(direction) };
            oneshot::list::<Transaction>(&source, query, &network, output.into()).await
        }
        Get::InternalTransactions { address, direction, output } => {
            let query = Query::InternalTransactions { address, direction: to(direction) };
            oneshot::list::<InternalTransaction>(&source, query, &network, output.into()).await
        }
        Get::TokenTransfers {
            address: None, direction: DirectionArg { filter: Some(_) }, ..
        } => Err(Failure::Usage("--filter needs an address: to or from whom?".into())),
        Get::TokenTransfers { address, direction, types: TypesArg { types }, token, output } => {
            let query = Query::TokenTransfers { address, direction: to(direction), types, token };
            oneshot::list::<TokenTransfer>(&source, query, &network, output.into()).await
        }
        Get::Tokens { address, types: TypesArg { types }, output } => {
            let query = Query::Tokens { address, types };
            oneshot::list::<TokenBalance>(&source, query, &network, output.into()).await
        }
        Get::NftCollections { address, types: TypesArg { types }, output } => {
            let query = Query::Collections { address, types };
            oneshot::list::<Collection>(&source, query, &network, output.into()).await
        }
        Get::RawTrace { transaction } => oneshot::raw_trace(&source, transaction).await,
        Get::Instances { token, holder, output } => {
            let query = Query::Instances { token, holder };
            oneshot::list::<TokenInstance>(&source, query, &network, output.into()).await
        }
    }?;
    Ok(ExitCode::SUCCESS)
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

/// The signatures that are known from the start: the built-in ones, the demo chain's own, and those
/// that the user typed before.
fn book(network: &Network) -> Book {
    let mut book = Book::embedded();
    if network.endpoint == Endpoint::Embedded {
        book.add_demo();
    }
    let typed = crate::config::signatures().and_then(|path| std::fs::read_to_string(path).ok());
    for signature in typed.iter().flat_map(|typed| typed.lines()) {
        // A line that is none was typed into the file by hand; the others still count.
        let _ = book.add_signature(signature);
    }
    book
}

/// Opens the explorer on the terminal.
fn open(
    target: Option<&str>,
    place: PlaceArgs,
    mouse: bool,
    run: &Run,
) -> Result<ExitCode, Failure> {
    let goal = target.map(str::parse::<Goal>).transpose();
    let goal = goal.map_err(|e| Failure::Usage(e.to_string()))?;
    let explorer = goal.as_ref().and_then(|goal| match goal {
        Goal::Target(target) => target.explorer.as_ref(),
        Goal::Name(_) => None,
    });
    let network = run.network(explorer)?;
    let begin = Begin::at(goal, place)?;
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let words = "this needs a terminal; for scripts there is `chainglass get --help`";
        return Err(Failure::Usage(words.into()));
    }
    let (keymap, of_keys) = config::keymap()?;
    let problems = config::complaints(&run.config, &of_keys);
    let sources = run.sources(&network)?;
    let mut app = App::new(Setup {
        chains: run.chains()?.clone(),
        look: look::look()?,
        notation: Notation { zone: look::zone(), ..Notation::default() },
        keymap,
        book: book(&network),
        now: sources.now(),
        recent: run.config.settings.recent,
        network,
        problems,
        side: run.config.settings.side,
        mouse: mouse || run.config.settings.mouse,
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
