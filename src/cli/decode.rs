//! `decode`: prints the meanings of hex, a signature or a number, by your signatures and the project in the
//! folder. Only if a chain is named, its explorer is asked for the ABI of the called contract.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use jiff::Timestamp;

use super::context::{CliContext, load_own_signatures};
use super::display_args::DisplayArgs;
use super::filters::parse_address;
use super::{NOT_FOUND, block_on};
use crate::abi::{DataMeaning, LogEmitter, Project};
use crate::chain::data_input::{DataInput, DataInputError, MAX_DATA_CHARS};
use crate::chain::network::{Endpoint, Network};
use crate::chain::target::Target;
use crate::chain::{Address, B256, Bytes};
use crate::messages::cli::{self, CliProblem};
use crate::messages::notice::AppNotice;
use crate::output::trace::fetch_contract_names;
use crate::output::{self, CliError, decoded_data, print_note};
use crate::pane::decoded_data::{DataFormatter, DataOnPage};
use crate::ui::age::AgeClock;

#[derive(Debug, clap::Args)]
pub(super) struct DecodeArgs {
    /// Calldata, return or revert data, a raw transaction, a selector, a topic, a signature or a number, or
    /// with --topic the data of a log; `-` reads it from stdin, or several values, each on a line with 0x
    #[arg(value_name = "HEX|-", default_value = "-", allow_hyphen_values = true)]
    data: String,
    /// Contract that calldata is for, or that emitted the log, to decode by your ABI of it, or with --chain by
    /// the explorer's
    #[arg(long, value_parser = parse_address)]
    to: Option<Address>,
    /// Topic of a log, the first one first; once for each
    #[arg(long = "topic", value_name = "TOPIC", value_parser = parse_topic)]
    topics: Vec<B256>,
    /// Output format
    #[arg(long, value_enum, default_value_t = DecodeFormat::Text)]
    format: DecodeFormat,
}

/// An output format. The variants' comments are part of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DecodeFormat {
    /// A line for each value, those inside others indented
    Text,
    /// One object with all meanings, on a line for each value
    #[value(alias = "jsonl")]
    Json,
}

/// One value to decode.
struct TypedData {
    /// The text as it was typed.
    text: String,
    input: Arc<DataInput>,
}

impl TypedData {
    fn new(text: &str, input: DataInput) -> Self {
        Self { text: text.trim().to_owned(), input: Arc::new(input) }
    }

    /// Parses data, which is empty where a transaction only moves coin.
    fn parse(text: &str) -> Result<Self, DataInputError> {
        let input = match text.trim() {
            "0x" => DataInput::Bytes(Bytes::new()),
            text => text.parse()?,
        };
        Ok(Self::new(text, input))
    }

    /// Parses one value, on a line or wrapped, or several: one on each line.
    fn parse_all(text: &str) -> Result<Vec<Self>, CliError> {
        let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines: Vec<(usize, &str)> = filled.collect();
        let whole =
            if is_wrapped(&lines) { Self::parse(text) } else { Err(DataInputError::Unknown) };
        match whole {
            Ok(data) => Ok(vec![data]),
            Err(why) if lines.len() < 2 => Err(CliError::Usage(why.to_string())),
            Err(_) => lines.into_iter().map(|(n, line)| Self::parse_line(n, line)).collect(),
        }
    }

    fn parse_line(n: usize, line: &str) -> Result<Self, CliError> {
        Self::parse(line).map_err(|why| {
            let problem = CliProblem::BadLine { line: n + 1, why: &why.to_string() };
            CliError::Usage(problem.to_string())
        })
    }

    /// Parses the data of a log.
    fn parse_log(text: &str) -> Result<Self, CliError> {
        match Self::parse(text) {
            Ok(data) if matches!(*data.input, DataInput::Bytes(_)) => Ok(data),
            Ok(_) | Err(DataInputError::Unknown) => Err(CliError::Usage(cli::NOT_LOG_DATA.into())),
            Err(why) => Err(CliError::Usage(why.to_string())),
        }
    }

    fn on_page(&self, contract: Option<Address>) -> DataOnPage {
        DataOnPage { input: Arc::clone(&self.input), contract }
    }
}

impl DecodeArgs {
    fn data(&self) -> Result<Vec<TypedData>, CliError> {
        let text = if self.data == "-" { read_stdin()? } else { self.data.clone() };
        if self.topics.is_empty() {
            TypedData::parse_all(&text)
        } else {
            TypedData::parse_log(&text).map(|data| vec![data])
        }
    }

    /// Returns the contracts whose ABIs may have the signatures of the data.
    fn contracts(&self, data: &[TypedData], network: &Network) -> Vec<Address> {
        if !self.topics.is_empty() {
            return self.to.into_iter().collect();
        }
        let called = data.iter().filter_map(|data| data.on_page(self.to).called_contract(network));
        called.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn meanings(
        &self,
        data: &TypedData,
        formatter: &DataFormatter<'_>,
    ) -> Result<Vec<DataMeaning>, CliError> {
        let contract_names = formatter.name_cache.contract_names(self.to);
        match (self.topics.first(), &*data.input) {
            (Some(topic), DataInput::Bytes(log)) => {
                let address = self.to.unwrap_or_default();
                let emitter = LogEmitter { address, names: &contract_names };
                let event = formatter.signatures.decode_event(emitter, &self.topics, log);
                Ok(vec![event.map_or(DataMeaning::Hash(*topic), DataMeaning::Log)])
            }
            _ => formatter
                .meanings(&data.input, self.to)
                .map_err(|why| CliError::Usage(why.to_string())),
        }
    }
}

pub(super) fn decode(
    args: &DecodeArgs,
    display: &DisplayArgs,
    context: &CliContext,
) -> Result<ExitCode, CliError> {
    let data = args.data()?;
    let has_wrong_checksum =
        |data: &TypedData| data.text.parse::<Target>().is_ok_and(|target| target.checksum_mismatch);
    if data.iter().any(has_wrong_checksum) {
        print_note(&AppNotice::ChecksumMismatch.to_string());
    }
    let network = &context.network(None)?;
    let mut signatures = load_own_signatures();
    // A folder can give any name to any contract: it is believed of the user's own chains only.
    let is_explorer = matches!(network.endpoint, Endpoint::Remote(_));
    let is_own = !is_explorer && network.endpoint.is_on_this_machine();
    let is_data = |data: &TypedData| matches!(*data.input, DataInput::Bytes(_));
    let is_wanted = is_own && data.iter().any(is_data);
    if let Some(project) = Project::of_current_dir().filter(|_| is_wanted) {
        let (contracts, problems) = project.load();
        for problem in problems {
            print_note(&problem.to_string());
        }
        signatures.share_project_abis(&contracts.signatures());
    }
    let mut name_cache = output::load_labels(network);
    let called = args.contracts(&data, network);
    if context.names_chain() && !called.is_empty() {
        let provider = context.provider(network)?;
        block_on(async {
            fetch_contract_names(&provider, called, &mut signatures, &mut name_cache).await;
            Ok(())
        })?;
    }
    let formatter = DataFormatter {
        signatures: &signatures,
        name_cache: &name_cache,
        network,
        format: &display.format_options(&context.config.settings),
        ages: AgeClock::running(Timestamp::now()),
        lookup_hint: None,
    };
    let mut lacks_signature = true;
    for (n, value) in data.iter().enumerate() {
        let meanings = args.meanings(value, &formatter)?;
        lacks_signature &= meanings.iter().any(|meaning| match meaning {
            DataMeaning::UnknownSelector(_) => true,
            // By itself, it may be any hash.
            DataMeaning::Hash(_) => !args.topics.is_empty(),
            _ => false,
        });
        match args.format {
            DecodeFormat::Text => {
                output::print_lines(if n > 0 { "\n" } else { "" })?;
                decoded_data::print_text(&formatter.entries(&meanings, args.to))
            }
            DecodeFormat::Json => {
                decoded_data::print_json(&value.text, &meanings, args.to, &formatter)
            }
        }?;
    }
    Ok(if lacks_signature { ExitCode::from(NOT_FOUND) } else { ExitCode::SUCCESS })
}

/// Returns `true` for the lines of one value, which a program has wrapped: only the first one begins with `0x`, or none
/// does and the first one is no decimal number.
fn is_wrapped(lines: &[(usize, &str)]) -> bool {
    let mut texts = lines.iter().map(|(_, line)| line.trim());
    let Some(first) = texts.next().filter(|_| lines.len() > 1) else { return true };
    let is_begin = |line: &str| line.get(..2).is_some_and(|sign| sign.eq_ignore_ascii_case("0x"));
    let is_number = first.bytes().all(|digit| digit.is_ascii_digit()) && !first.starts_with('0');
    !is_number && !texts.any(is_begin)
}

fn parse_topic(text: &str) -> Result<B256, &'static str> {
    text.parse().map_err(|_| cli::NOT_A_TOPIC)
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
