//! Filter arguments that several commands have.

use strum::VariantNames;

use super::display_args::name_parser;
use crate::api::Direction;
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

pub(super) fn parse_address(text: &str) -> Result<Address, &'static str> {
    match text.parse() {
        Ok(TargetKind::Address(address)) => Ok(address),
        _ => Err(cli::NOT_AN_ADDRESS),
    }
}

/// Parses a token standard: `ERC-20`, `erc20`.
fn parse_token_type(text: &str) -> Result<TokenStandard, String> {
    let normalize = |name: &str| name.replace('-', "").to_ascii_lowercase();
    let known = TokenStandard::VARIANTS.iter().find(|name| normalize(name) == normalize(text));
    let error =
        || CliProblem::UnknownStandard { known: &TokenStandard::VARIANTS.join(", ") }.to_string();
    known.and_then(|name| name.parse().ok()).ok_or_else(error)
}
