//! `decode`: prints the meanings of hex, a signature or a number. Only if a chain is named, its explorer is
//! asked for the ABI of the called contract.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use jiff::Timestamp;

use super::block_on;
use super::context::{CliContext, load_signatures};
use super::display_args::DisplayArgs;
use super::filters::parse_address;
use crate::abi::abi_dir;
use crate::chain::Address;
use crate::chain::data_input::{DataInput, MAX_DATA_CHARS};
use crate::config;
use crate::messages::cli;
use crate::output::trace::fetch_contract_names;
use crate::output::{self, CliError, decoded_data, print_note};
use crate::pane::decoded_data::{DataFormatter, DataOnPage};
use crate::ui::age::AgeClock;

#[derive(Debug, clap::Args)]
pub(super) struct DecodeArgs {
    /// Calldata, return or revert data, a raw transaction, a selector, a topic, a signature or a number;
    /// `-` reads it from stdin
    #[arg(value_name = "HEX|-", default_value = "-", allow_hyphen_values = true)]
    data: String,
    /// Contract that calldata is for, to decode it by your ABI of it, or with --chain by the explorer's
    #[arg(long, value_parser = parse_address)]
    to: Option<Address>,
    /// Output format
    #[arg(long, value_enum, default_value_t = DecodeFormat::Text)]
    format: DecodeFormat,
}

/// An output format. The variants' comments are part of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DecodeFormat {
    /// A line for each value, those inside others indented
    Text,
    /// One object with all meanings
    Json,
}

pub(super) fn decode(
    args: &DecodeArgs,
    display: &DisplayArgs,
    context: &CliContext,
) -> Result<ExitCode, CliError> {
    let text = if args.data == "-" { read_stdin()? } else { args.data.clone() };
    let input: DataInput = text.parse().map_err(|why| CliError::Usage(format!("{why}")))?;
    let network = &context.network(None)?;
    let mut signatures = load_signatures();
    for problem in config::abi_dir().iter().flat_map(|dir| abi_dir::load(&mut signatures, dir)) {
        print_note(&problem.to_string());
    }
    let mut name_cache = output::load_labels(network);
    let data = DataOnPage { input: Arc::new(input), contract: args.to };
    let called = data.called_contract(network).filter(|_| context.names_chain());
    if let Some(contract) = called {
        let provider = context.provider(network)?;
        block_on(async {
            let contracts = vec![contract];
            fetch_contract_names(&provider, contracts, &mut signatures, &mut name_cache).await;
            Ok(())
        })?;
    }
    let names = name_cache.contract_names(args.to);
    let meanings = signatures
        .meanings(&data.input, args.to, &names)
        .map_err(|why| CliError::Usage(why.to_string()))?;
    let formatter = DataFormatter {
        signatures: &signatures,
        name_cache: &name_cache,
        network,
        format: &display.format_options(&context.config.settings),
        ages: AgeClock::running(Timestamp::now()),
        lookup_hint: None,
    };
    match args.format {
        DecodeFormat::Text => decoded_data::print_text(&formatter.entries(&meanings, args.to)),
        DecodeFormat::Json => decoded_data::print_json(&data.input, &meanings, args.to, &formatter),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn read_stdin() -> Result<String, CliError> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(CliError::Usage(cli::NOTHING_TO_DECODE.into()));
    }
    let mut text = String::new();
    // One more than is decoded, so that longer data is refused rather than cut.
    let most = u64::try_from(MAX_DATA_CHARS).unwrap_or(u64::MAX).saturating_add(1);
    let read = stdin.lock().take(most).read_to_string(&mut text);
    read.map_err(|why| CliError::Usage(why.to_string()))?;
    Ok(text)
}
