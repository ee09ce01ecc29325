//! The arguments of `get` for an address, a transaction or a block: itself, an explorer link to it, a
//! name, or the time of a block, as on the screen.

use std::str::FromStr;

use crate::api::{BlockQuery, Query, ReplyResult, block_at_time, latest_block, resolved_target};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::data_input::{GoToError, GoToInput, LATEST_BLOCK};
use crate::chain::network::without_secrets;
use crate::chain::target::{LinkedChain, ParseTargetError, Target, TargetKind, TargetOrName};
use crate::chain::time_input::TimeInput;
use crate::chain::{Address, BlockId};
use crate::messages::api_error::{BlockTimeError, NameSearchError};
use crate::messages::cli;
use crate::messages::notice::AppNotice;
use crate::messages::page::{self, PageMessage};
use crate::net::provider::Provider;
use crate::output::{CliError, age_clock, print_note, wait_for_index, with_progress};

/// Maximum hexadecimal digits of a block's number.
const MAX_BLOCK_DIGITS: usize = 10;
/// The tag of the first block.
const EARLIEST_BLOCK: &str = "earliest";

/// An address, a transaction or a block.
#[derive(Debug, Clone)]
pub(super) enum TargetArg {
    Place(TargetOrName),
    LatestBlock,
    /// The time of a block.
    Time(TimeInput),
}

#[derive(Debug, Clone)]
pub(super) struct AddressArg(TargetArg);

/// Parses a whole argument. An address among other words is not meant.
fn parse_place(text: &str) -> Result<TargetOrName, ParseTargetError> {
    match text.parse()? {
        TargetOrName::Target(_) if text.trim().contains(char::is_whitespace) => {
            Err(ParseTargetError::Unknown)
        }
        place => Ok(place),
    }
}

impl FromStr for TargetArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Other tags may be names.
        match &*text.to_ascii_lowercase() {
            LATEST_BLOCK => return Ok(Self::LatestBlock),
            EARLIEST_BLOCK => return Ok(Self::block(0)),
            _ => {}
        }
        if let Some(number) = hex_number(text) {
            return Ok(Self::block(number));
        }
        if let Ok(time) = text.parse() {
            return Ok(Self::Time(time));
        }
        parse_place(text).map(Self::Place).map_err(|_| match text.parse::<GoToInput>() {
            // It counts the digits of a hash, or names the forms of a time.
            Err(why @ (GoToError::Data(_) | GoToError::Target(ParseTargetError::Time))) => {
                why.to_string()
            }
            _ => cli::NOT_A_TARGET.to_owned(),
        })
    }
}

impl FromStr for AddressArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match parse_place(text) {
            Ok(
                target @ (TargetOrName::Name(_)
                | TargetOrName::Target(Target { kind: TargetKind::Address(_), .. })),
            ) => Ok(Self(TargetArg::Place(target))),
            _ => Err(cli::NOT_AN_ADDRESS_OR_NAME),
        }
    }
}

/// A block by its number, also as JSON-RPC writes it, or by its time.
#[derive(Debug, Clone, Copy)]
pub(super) enum BlockArg {
    Number(u64),
    Latest,
    Time(TimeInput),
}

impl FromStr for BlockArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(block) = Self::from_tag(text)? {
            return Ok(block);
        }
        let number = hex_number(text).or_else(|| text.parse().ok());
        let time = || TimeInput::parse_past(text).map(Self::Time);
        number.map(Self::Number).or_else(time).ok_or(page::NOT_A_BLOCK)
    }
}

impl BlockArg {
    /// Returns the block that a tag names.
    fn from_tag(text: &str) -> Result<Option<Self>, &'static str> {
        Ok(match &*text.to_ascii_lowercase() {
            LATEST_BLOCK | "now" => Some(Self::Latest),
            EARLIEST_BLOCK => Some(Self::Number(0)),
            "safe" | "finalized" | "pending" => return Err(cli::NO_SUCH_TAG),
            _ => None,
        })
    }

    pub(super) async fn resolve(self, provider: &Provider) -> Result<u64, CliError> {
        let found = match self {
            Self::Number(number) => return Ok(number),
            Self::Latest => find_latest(provider).await?,
            Self::Time(time) => find_block(time, provider).await?,
        };
        match found {
            TargetKind::Block(BlockId::Number(number)) => Ok(number),
            _ => Err(CliError::Runtime(cli::FOUND_NO_BLOCK.into())),
        }
    }

    /// Returns the number of a block that exists.
    pub(super) async fn resolve_known(self, provider: &Provider) -> Result<u64, CliError> {
        let number = self.resolve(provider).await?;
        if has_block(BlockId::Number(number), provider).await? {
            return Ok(number);
        }
        let missing = PageMessage::NoBlock { block: Grouped(number) };
        Err(CliError::NotFound(missing.to_string()))
    }
}

/// Returns `false` if the explorer does not know a block.
pub(super) async fn has_block(block: BlockId, provider: &Provider) -> Result<bool, CliError> {
    match ask(&Query::Block(block, BlockQuery::Details), provider).await {
        Ok(_) => Ok(true),
        Err(error) if error.is_missing() => Ok(false),
        // A node's, which is not indexed.
        Err(error) if error.is_not_found() => Ok(true),
        Err(error) => Err(CliError::from_api(&error, provider.network())),
    }
}

/// Returns the number of a block in the form of JSON-RPC. More digits are of a hash that was cut.
fn hex_number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() <= MAX_BLOCK_DIGITS)?;
    u64::from_str_radix(digits, 16).ok()
}

/// A block in all its forms.
#[derive(Debug, Clone)]
pub(super) enum AnyBlockArg {
    Block(BlockArg),
    Target(TargetArg),
}

impl FromStr for AnyBlockArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match BlockArg::from_tag(text)? {
            Some(block) => Ok(Self::Block(block)),
            None => text.parse().map(Self::Target),
        }
    }
}

impl AnyBlockArg {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Block(_) => None,
            Self::Target(target) => target.linked_chain(),
        }
    }

    pub(super) async fn resolve(&self, provider: &Provider) -> Result<BlockId, CliError> {
        match self {
            Self::Block(block) => block.resolve(provider).await.map(BlockId::Number),
            Self::Target(target) => target.resolve_block(provider).await,
        }
    }
}

impl TargetArg {
    fn block(number: u64) -> Self {
        Self::Place(TargetOrName::Target(TargetKind::Block(BlockId::Number(number)).into()))
    }

    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Place(place) => place.linked_chain(),
            Self::LatestBlock | Self::Time(_) => None,
        }
    }

    /// Returns the address, the transaction or the block. A name or a time is resolved with a request.
    pub(super) async fn resolve(&self, provider: &Provider) -> Result<TargetKind, CliError> {
        match self {
            Self::Time(time) => find_block(*time, provider).await,
            Self::LatestBlock => find_latest(provider).await,
            Self::Place(TargetOrName::Target(target)) => {
                if target.checksum_mismatch {
                    print_note(&AppNotice::ChecksumMismatch.to_string());
                }
                Ok(target.kind.clone())
            }
            Self::Place(TargetOrName::Name(name)) => {
                wait_for_index(provider).await;
                let reply = ask(&Query::Redirect(name.clone()), provider).await;
                let host = provider.network().endpoint.host();
                resolved_target(name, &reply, host.as_deref()).map_err(|why| {
                    let shown = without_secrets(name);
                    let place = if shown.is_empty() { shown } else { format!("{shown}: ") };
                    let error = format!("{place}{why}");
                    match why {
                        NameSearchError::NotFound { .. } => CliError::NotFound(error),
                        _ => CliError::Runtime(error),
                    }
                })
            }
        }
    }

    async fn resolve_block(&self, provider: &Provider) -> Result<BlockId, CliError> {
        match self.resolve(provider).await? {
            TargetKind::Block(block) => Ok(block),
            // A hash as typed.
            TargetKind::Transaction(hash) => Ok(BlockId::Hash(hash)),
            TargetKind::Address(_) => Err(CliError::Runtime(cli::FOUND_NO_BLOCK.into())),
        }
    }
}

async fn find_latest(provider: &Provider) -> Result<TargetKind, CliError> {
    let reply = ask(&Query::LatestBlocks, provider).await;
    let found = latest_block(&reply, provider.network().endpoint.host().as_deref());
    found.map_err(|why| CliError::Runtime(why.to_string()))
}

async fn ask(query: &Query, provider: &Provider) -> ReplyResult {
    with_progress(provider, provider.fetch(query, None, Priority::Interactive)).await
}

/// Asks for the block of a time.
async fn find_block(time: TimeInput, provider: &Provider) -> Result<TargetKind, CliError> {
    let failed = |why: BlockTimeError| match why {
        // It names the time.
        BlockTimeError::BeforeFirst(_) => CliError::NotFound(why.to_string()),
        BlockTimeError::Future | BlockTimeError::NoBlocks => {
            CliError::NotFound(format!("{time}: {why}"))
        }
        _ => CliError::Runtime(format!("{time}: {why}")),
    };
    let now = age_clock(provider).now();
    let at = match time.resolve(now) {
        Some(at) if at <= now => at,
        Some(_) => return Err(failed(BlockTimeError::Future)),
        None => return Err(failed(BlockTimeError::BeforeCalendar)),
    };
    let reply = ask(&Query::BlockByTime(at), provider).await;
    let host = provider.network().endpoint.host();
    block_at_time(&reply, at, host.as_deref()).map_err(failed)
}

impl AddressArg {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        self.0.linked_chain()
    }

    pub(super) async fn resolve(&self, provider: &Provider) -> Result<Address, CliError> {
        match self.0.resolve(provider).await? {
            TargetKind::Address(address) => Ok(address),
            TargetKind::Transaction(_) | TargetKind::Block(_) => {
                Err(CliError::Runtime(cli::FOUND_NO_ADDRESS.into()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_mistyped_hash_are_counted() {
        let error = |text: &str| text.parse::<TargetArg>().unwrap_err();
        assert_eq!(error(&format!("0x{}", "a1".repeat(31))), cli::NOT_A_TARGET);
        let short = format!("0x{}b", "a1".repeat(31));
        assert_eq!(error(&short), "63 hex digits: a hash has 64");
        assert_eq!(error("https://example.org/"), cli::NOT_A_TARGET);
    }

    #[test]
    fn address_in_other_text_is_not_meant() {
        const ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        for text in ["to ADDRESS", "ADDRESS 0x12", "ADDRESS.eth"] {
            let text = text.replace("ADDRESS", ADDRESS);
            assert!(parse_place(&text).is_err(), "{text}");
            assert!(text.parse::<AddressArg>().is_err(), "{text}");
        }
        let link = format!("https://eth.blockscout.com/address/{ADDRESS}");
        for whole in [ADDRESS.to_owned(), format!("base:{ADDRESS}"), link] {
            assert!(matches!(parse_place(&whole), Ok(TargetOrName::Target(_))), "{whole}");
        }
    }

    #[test]
    fn unreadable_time_names_the_forms() {
        let why = "2026-1-1".parse::<TargetArg>().unwrap_err();
        assert_eq!(why, ParseTargetError::Time.to_string());
    }
}
