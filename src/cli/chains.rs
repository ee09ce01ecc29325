//! `chains`: lists the known chains.

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;

use crate::chain::chains::Chains;
use crate::chain::chains::endpoint::EndpointReason;
use crate::chain::chains::registry::ChainInfo;
use crate::chain::chains::unknown_chain::UnknownChainError;
use crate::chain::network::{Endpoint, without_secrets};
use crate::messages::cli::{self, CliProblem};
use crate::net::local_nodes::find_local_nodes;
use crate::output::{CliError, ignore_broken_pipe, print_note, terminal_width};
use crate::ui::format::{cut, width};

#[derive(Debug, clap::Args)]
pub(super) struct ChainsArgs {
    /// Only chains whose name contains this, or whose ID starts with it
    filter: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t = ChainsFormat::Table)]
    format: ChainsFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ChainsFormat {
    /// Columns shortened to the width of the terminal
    Table,
    /// One object per line, with full values
    Jsonl,
    /// The objects of `jsonl` in one array
    Json,
}

const COLUMNS: [(&str, usize); 7] = [
    ("id", 20),
    ("short name", 20),
    ("name", 34),
    ("coin", 8),
    ("net", 7),
    ("source", 28),
    ("api", 80),
];

/// Prints the chains, nodes on this machine first. A closed pipe is not an error.
pub(super) async fn chains(args: &ChainsArgs, chains: &Chains) -> Result<ExitCode, CliError> {
    let filter = args.filter.as_deref().unwrap_or_default();
    let nodes: Vec<ChainInfo> =
        find_local_nodes().await.into_iter().map(ChainInfo::of_local_node).collect();
    let mut listed: Vec<&ChainInfo> =
        nodes.iter().chain(chains.all()).filter(|chain| chain.matches_query(filter)).collect();
    listed.sort_by_key(|chain| Reverse(chain.is_called(filter)));
    if listed.is_empty() {
        let advice = chains.resolve(filter).err().filter(UnknownChainError::is_understood);
        let problem = || CliProblem::NoChain { filter: &without_secrets(filter) }.to_string();
        return Err(CliError::NotFound(advice.map_or_else(problem, |why| why.to_string())));
    }
    let objects = || listed.iter().map(|chain| json_object(chain, chains)).collect::<Vec<_>>();
    let lines = match args.format {
        ChainsFormat::Table => {
            let width = terminal_width().unwrap_or(u16::MAX).into();
            let lines = table(listed.iter().map(|chain| cells(chain, chains)).collect());
            lines.iter().map(|line| cut(line, width).into_owned()).collect()
        }
        ChainsFormat::Jsonl => objects(),
        ChainsFormat::Json => vec!["[".to_owned(), objects().join(",\n"), "]".to_owned()],
    };
    let mut out = BufWriter::new(io::stdout());
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    written.and_then(|()| out.flush()).or_else(ignore_broken_pipe)?;
    let uses_own =
        |chain: &&ChainInfo| chains.endpoint_choice(chain).reason == EndpointReason::NoKey;
    if matches!(args.format, ChainsFormat::Table) && listed.iter().any(uses_own) {
        print_note(&format!("\n{}", cli::NO_PRO_KEY));
    }
    Ok(ExitCode::SUCCESS)
}

type ChainCells = [String; COLUMNS.len()];

fn table(rows: Vec<ChainCells>) -> Vec<String> {
    let header = COLUMNS.map(|(title, _)| title.to_owned());
    let rows: Vec<ChainCells> = [header].into_iter().chain(rows).collect();
    let widest = |column: usize| rows.iter().filter_map(|row| Some(width(row.get(column)?))).max();
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(column, (_, max))| widest(column).unwrap_or_default().min(*max))
        .collect();
    rows.iter().map(|row| table_line(row, &widths)).collect()
}

fn table_line(cells: &ChainCells, widths: &[usize]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, column)| {
        let cell = cut(cell, *column);
        let space = " ".repeat(column.saturating_sub(width(&cell)));
        [&*cell, &space].concat()
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn cells(chain: &ChainInfo, chains: &Chains) -> ChainCells {
    let network = &chain.network;
    let endpoint = chains.endpoint_choice(chain);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "—".into());
    [
        or_dash(network.id.map(|id| id.to_string())),
        or_dash(chain.names.first().map(ToString::to_string)),
        network.name.clone(),
        network.symbol.as_ref().map_or_else(|| "?".into(), ToString::to_string),
        if network.testnet { "testnet" } else { "—" }.into(),
        endpoint.reason.describe().into(),
        or_dash(api_url(&endpoint.endpoint)),
    ]
}

fn api_url(endpoint: &Endpoint) -> Option<String> {
    match endpoint {
        Endpoint::Embedded => None,
        Endpoint::Remote(base) => Some(base.to_string()),
        Endpoint::Node(url) | Endpoint::Undecided(url) => Some(url.to_string()),
    }
}

fn json_object(chain: &ChainInfo, chains: &Chains) -> String {
    let network = &chain.network;
    let endpoint = chains.endpoint_choice(chain);
    let names: Vec<&str> = chain.names.iter().map(|name| &**name).collect();
    let source: &str = endpoint.reason.into();
    json!({
        "id": network.id,
        "names": names,
        "name": network.name,
        "symbol": network.symbol.as_deref(),
        "decimals": network.decimals,
        "testnet": network.testnet,
        "explorer": network.web.as_ref().map(ToString::to_string),
        "asked_at": api_url(&endpoint.endpoint),
        "source": source,
        "why": endpoint.reason.describe(),
    })
    .to_string()
}
