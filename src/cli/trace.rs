//! `trace`: prints the call trace of a transaction.

use std::process::ExitCode;
use std::str::FromStr;

use super::block_on;
use super::context::{CliContext, load_all_signatures};
use super::display_args::DisplayArgs;
use crate::calls::trace_contracts::MAX_NAMED_CONTRACTS;
use crate::chain::TxHash;
use crate::chain::target::{LinkedChain, Target, TargetKind};
use crate::messages::cli;
use crate::output::trace::{TraceContext, TraceOutputOptions};
use crate::output::{self, CliError};
use crate::trace::export::TraceExportFormat;

const DEFAULT_MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub(super) struct TraceArgs {
    /// Transaction hash, or an explorer link to one
    transaction: TraceTarget,
    /// Output format
    #[arg(long, value_enum, default_value_t = TraceExportFormat::Tree)]
    format: TraceExportFormat,
    /// Maximum depth below the first call [default: unlimited]
    #[arg(long, value_name = "N")]
    depth: Option<u16>,
    /// Start at this call, e.g. 0.3.1 [default: root]
    #[arg(long, value_name = "PATH")]
    node: Option<NodePath>,
    #[arg(long, help = names_help())]
    names: bool,
    /// Ask for the events too, as `events` of each call in json and jsonl
    #[arg(long)]
    events: bool,
    /// Maximum response size in bytes
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_BYTES)]
    max_bytes: u64,
}

fn names_help() -> String {
    format!("Ask for the names and ABIs of the called contracts, at most {MAX_NAMED_CONTRACTS}")
}

/// Path of a call: the index of a subcall at each level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodePath(pub(super) Vec<u32>);

impl FromStr for NodePath {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "root" {
            return Ok(Self(Vec::new()));
        }
        let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse());
        let path: Option<Vec<u32>> = text.split('.').map(|part| number(part)?.ok()).collect();
        path.map(Self).ok_or(cli::NOT_A_CALL_PATH)
    }
}

/// A transaction, and the explorer if it was given as a link.
#[derive(Debug, Clone)]
pub(super) struct TraceTarget {
    pub(super) hash: TxHash,
    pub(super) chain: Option<LinkedChain>,
}

impl FromStr for TraceTarget {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(Target { kind: TargetKind::Transaction(hash), chain, .. }) => {
                Ok(Self { hash, chain })
            }
            _ => Err(cli::NOT_A_TRANSACTION),
        }
    }
}

pub(super) fn print_trace(
    args: TraceArgs,
    display: &DisplayArgs,
    context: &CliContext,
) -> Result<ExitCode, CliError> {
    let is_json = matches!(args.format, TraceExportFormat::Json | TraceExportFormat::Jsonl);
    if args.events && !is_json {
        return Err(CliError::Usage(cli::EVENTS_IN_JSON.into()));
    }
    let mut network = context.printed_network(args.transaction.chain.as_ref())?;
    let provider = context.provider(&network)?;
    let options = TraceOutputOptions {
        transaction: args.transaction.hash,
        format: args.format,
        node: args.node.map(|node| node.0),
        max_depth: args.depth,
        max_bytes: args.max_bytes,
        asks_names: args.names,
        asks_events: args.events,
        style: display.text_style(&context.config.settings)?,
    };
    let mut name_cache = output::load_labels(&network);
    block_on(async {
        output::wait_for_index(&provider).await;
        output::learn_from_node(&mut network, &provider);
        let signatures = load_all_signatures(&provider).await;
        if provider.is_node() {
            output::trace::fetch_transaction_names(&provider, options.transaction, &mut name_cache)
                .await;
        }
        let trace_context = TraceContext { network: &network, signatures, name_cache };
        output::trace::print_trace(&provider, trace_context, &options).await
    })?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_paths_are_numbers_and_dots() {
        assert_eq!("0.3.1".parse(), Ok(NodePath(vec![0, 3, 1])));
        assert_eq!("7".parse(), Ok(NodePath(vec![7])));
        assert_eq!("root".parse(), Ok(NodePath(vec![])));
        for text in ["", ".", "0.", "-1", "+1", "0x1", "0,1", "4294967296", "root.0"] {
            assert!(text.parse::<NodePath>().is_err(), "{text}");
        }
    }
}
