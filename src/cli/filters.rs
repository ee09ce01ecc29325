//! Arguments that say which part of a list is meant.

use clap::ValueEnum;
use strum::VariantNames;

use crate::api::{Direction, TokenType};
use crate::chain::Address;
use crate::chain::target::TargetKind;

/// Which direction.
#[derive(Debug, clap::Args)]
pub(super) struct DirectionArg {
    /// Only what goes to, or comes from, the address
    #[arg(long, value_enum)]
    pub(super) filter: Option<DirectionChoice>,
}

/// Which token standards.
#[derive(Debug, clap::Args)]
pub(super) struct TypesArg {
    /// Only these standards, separated by commas: ERC-20, ERC-721, ERC-1155, ERC-404, and on servers
    /// since version 10 ERC-7984
    #[arg(long = "type", value_delimiter = ',', value_parser = parse_token_type)]
    pub(super) types: Vec<TokenType>,
}

/// The value of `--filter`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum DirectionChoice {
    To,
    From,
}

impl From<DirectionChoice> for Direction {
    fn from(filter: DirectionChoice) -> Self {
        match filter {
            DirectionChoice::To => Self::To,
            DirectionChoice::From => Self::From,
        }
    }
}

/// An address, in words of its own where it is none.
pub(super) fn parse_address(text: &str) -> Result<Address, &'static str> {
    match text.parse() {
        Ok(TargetKind::Address(address)) => Ok(address),
        _ => Err("not an address: give 0x and 40 hex digits"),
    }
}

/// `ERC-20`, and also `erc20`.
fn parse_token_type(text: &str) -> Result<TokenType, String> {
    let bare = |name: &str| name.replace('-', "").to_ascii_lowercase();
    let known = TokenType::VARIANTS.iter().find(|name| bare(name) == bare(text));
    let words = || format!("not a token standard: give some of {}", TokenType::VARIANTS.join(", "));
    known.and_then(|name| name.parse().ok()).ok_or_else(words)
}
