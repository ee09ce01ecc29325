//! `chains`: the chains that can be named, and who is asked for each.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;

use crate::batch::CliError;
use crate::chain::chains::Chains;
use crate::chain::network::Endpoint;
use crate::chain::registry::ChainInfo;
use crate::ui::format::{cut, width};

/// What is listed, and how.
#[derive(Debug, clap::Args)]
pub(super) struct ChainsArgs {
    /// Only chains with this in a name, or at the beginning of their id
    filter: Option<String>,

    /// `table` for reading, `jsonl` with full values
    #[arg(long, value_enum, default_value_t = ChainsFormat::Table)]
    format: ChainsFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ChainsFormat {
    Table,
    Jsonl,
}

/// The titles of the columns, and how wide each may become.
const COLUMNS: [(&str, usize); 7] = [
    ("id", 20),
    ("short name", 20),
    ("name", 34),
    ("coin", 8),
    ("net", 7),
    ("why", 28),
    ("asked at", 80),
];

/// Prints the chains. A closed pipe ends it quietly.
pub(super) fn chains(args: &ChainsArgs, chains: &Chains) -> Result<ExitCode, CliError> {
    let filter = args.filter.as_deref().unwrap_or_default();
    let listed: Vec<&ChainInfo> =
        chains.all().filter(|known| known.matches_query(filter)).collect();
    if listed.is_empty() {
        let words = format!("no chain has {filter:?} in its name: `chainglass chains` lists all");
        return Err(CliError::Runtime(words));
    }
    let lines = match args.format {
        ChainsFormat::Table => table(listed.iter().map(|known| cells(known, chains)).collect()),
        ChainsFormat::Jsonl => listed.iter().map(|known| json_object(known, chains)).collect(),
    };
    let room = match (args.format, crossterm::terminal::size()) {
        (ChainsFormat::Table, Ok((columns, _))) if io::stdout().is_terminal() => columns.into(),
        _ => usize::from(u16::MAX),
    };
    let mut out = BufWriter::new(io::stdout());
    let written = lines.iter().try_for_each(|line| writeln!(out, "{}", cut(line, room)));
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::Runtime(error.to_string()))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

type ChainCells = [String; COLUMNS.len()];

/// Lines of a table as wide as what is in it.
fn table(rows: Vec<ChainCells>) -> Vec<String> {
    let head = COLUMNS.map(|(title, _)| title.to_owned());
    let rows: Vec<ChainCells> = [head].into_iter().chain(rows).collect();
    let widest = |column: usize| rows.iter().filter_map(|row| Some(width(row.get(column)?))).max();
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(column, (_, most))| widest(column).unwrap_or_default().min(*most))
        .collect();
    rows.iter().map(|row| table_line(row, &widths)).collect()
}

fn table_line(cells: &ChainCells, widths: &[usize]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, room)| {
        let cell = cut(cell, *room);
        let space = " ".repeat(room.saturating_sub(width(&cell)));
        [&*cell, &space].concat()
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn cells(known: &ChainInfo, chains: &Chains) -> ChainCells {
    let (network, route) = (&known.network, chains.endpoint_choice(known));
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "—".into());
    [
        or_none(network.id.map(|id| id.to_string())),
        or_none(known.names.first().map(ToString::to_string)),
        network.name.clone(),
        network.symbol.as_ref().map_or_else(|| "?".into(), ToString::to_string),
        if network.testnet { "testnet" } else { "—" }.into(),
        route.reason.describe().into(),
        or_none(api_url(&route.endpoint)),
    ]
}

fn api_url(endpoint: &Endpoint) -> Option<String> {
    match endpoint {
        Endpoint::Embedded => None,
        Endpoint::Remote(base) => Some(base.to_string()),
    }
}

fn json_object(known: &ChainInfo, chains: &Chains) -> String {
    let (network, route) = (&known.network, chains.endpoint_choice(known));
    let names: Vec<&str> = known.names.iter().map(|name| &**name).collect();
    let source: &str = route.reason.into();
    json!({
        "id": network.id,
        "names": names,
        "name": network.name,
        "symbol": network.symbol.as_deref(),
        "decimals": network.decimals,
        "testnet": network.testnet,
        "explorer": network.web.as_ref().map(ToString::to_string),
        "asked_at": api_url(&route.endpoint),
        "source": source,
        "why": route.reason.describe(),
    })
    .to_string()
}
