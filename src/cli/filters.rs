//! Filter arguments that several commands have.

use strum::VariantNames;

use super::display_args::name_parser;
use crate::api::{ActivityKind, Direction, Filter};
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::chain::token_standard::TokenStandard;
use crate::messages::cli::{self, CliProblem};

#[derive(Debug, clap::Args)]
pub(super) struct DirectionArg {
    /// Only items to or from the address
    #[arg(long, value_parser = name_parser::<Direction>())]
    pub(super) filter: Option<Direction>,
}

#[derive(Debug, clap::Args)]
pub(super) struct TypesArg {
    /// Only these token standards, separated by commas: ERC-20, ERC-721, ERC-1155, ERC-404, ERC-7984
    /// (servers since version 10)
    #[arg(long = "type", value_delimiter = ',', value_parser = parse_token_type)]
    pub(super) types: Vec<TokenStandard>,
}

#[derive(Debug, clap::Args)]
pub(super) struct ActivityTypesArg {
    /// Only these types, separated by commas: coin, call, creation (of activity), or token standards:
    /// ERC-20, ERC-721, ERC-1155, ERC-404, ERC-7984 (servers since version 10)
    #[arg(long = "type", value_delimiter = ',', value_parser = parse_activity_type)]
    pub(super) types: Vec<Filter>,
}

pub(super) fn parse_address(text: &str) -> Result<Address, &'static str> {
    match text.parse() {
        Ok(TargetKind::Address(address)) => Ok(address),
        _ => Err(cli::NOT_AN_ADDRESS),
    }
}

/// Parses a kind of activity, or a token standard.
fn parse_activity_type(text: &str) -> Result<Filter, String> {
    match text.parse::<ActivityKind>() {
        Ok(kind) => Ok(Filter::Kind(kind)),
        Err(_) => match find_standard(text) {
            Some(standard) => Ok(Filter::Type(standard)),
            None => Err(unknown_type(&[ActivityKind::VARIANTS, TokenStandard::VARIANTS].concat())),
        },
    }
}

/// Parses a token standard: `ERC-20`, `erc20`.
fn parse_token_type(text: &str) -> Result<TokenStandard, String> {
    find_standard(text).ok_or_else(|| unknown_type(TokenStandard::VARIANTS))
}

fn find_standard(text: &str) -> Option<TokenStandard> {
    let normalize = |name: &str| name.replace('-', "").to_ascii_lowercase();
    let known = TokenStandard::VARIANTS.iter().find(|name| normalize(name) == normalize(text));
    known.and_then(|name| name.parse().ok())
}

fn unknown_type(known: &[&str]) -> String {
    CliProblem::UnknownType { known: &known.join(", ") }.to_string()
}
