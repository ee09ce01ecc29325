//! Arguments that say which part of a list is meant.

use clap::ValueEnum;
use strum::VariantNames;

use crate::api::{Direction, TokenType};
use crate::chain::Address;
use crate::chain::target::Subject;

/// Which direction.
#[derive(Debug, clap::Args)]
pub(super) struct DirectionArg {
    /// Only what goes to, or comes from, the address
    #[arg(long, value_enum)]
    pub(super) filter: Option<Filter>,
}

/// Which token standards.
#[derive(Debug, clap::Args)]
pub(super) struct TypesArg {
    /// Only these standards, separated by commas: ERC-20, ERC-721, ERC-1155, ERC-404, and on servers
    /// since version 10 ERC-7984
    #[arg(long = "type", value_delimiter = ',', value_parser = token_type)]
    pub(super) types: Vec<TokenType>,
}

/// The value of `--filter`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Filter {
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

/// An address, in words of its own where it is none.
pub(super) fn address(text: &str) -> Result<Address, &'static str> {
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
