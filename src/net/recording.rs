//! Recordings: the responses of a run in JSON Lines, and their replay without a network.
//!
//! A recorder and a replay stand at the place of the HTTP client, below the scheduler, so that a replay has
//! the retries and the limits of the run. The first line has the chain and the time, every other one an
//! exchange; what is no exchange, such as the ABIs of a project, has a path that no request has.

mod recorder;
mod replay;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use url::{Position, Url};

pub(super) use recorder::RecordedSource;
pub use recorder::Recorder;
pub use replay::Replay;

use crate::api::ApiError;
use crate::api::exchange::{Exchange, GET, RateLimit};
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network, parse_web_url};
use crate::safety::name_marks::{guard_name, quote_recorded_name};
use crate::safety::public_hosts::is_public;
use crate::sanitize::SafeText;

/// The value of the key `chainglass` in the first line.
const MAGIC: &str = "recording";
/// Maximum characters of a coin's symbol.
const MAX_SYMBOL_CHARS: usize = 12;
/// The URL of the node of a replay, where nothing is sent to.
const REPLAYED_NODE_URL: &str = "http://127.0.0.1/";
/// Path of the line with the ABIs of the project: in place of a request, which other programs ignore.
const PROJECT_ABIS_PATH: &str = "project-abis";
/// Path of the line with the id of a node's chain.
const CHAIN_ID_PATH: &str = "chain-id";
/// Path of the line that is there if the chain, undecided at the start of the run, is a node's.
const NODE_PATH: &str = "node";
/// Format version; incremented when older programs would misread the file.
const VERSION: u32 = 1;

#[derive(Debug, Clone)]
pub enum RecordingMode {
    Record(Arc<Recorder>),
    Replay(Arc<Replay>),
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordingHeader {
    chainglass: String,
    version: u32,
    chain: RecordedChain,
    started: String,
}

/// The chain of the run. It repeats the user's configuration, which may differ at replay.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedChain {
    name: String,
    base: Option<String>,
    id: Option<u64>,
    symbol: Option<SafeText>,
    decimals: Option<u8>,
    testnet: Option<bool>,
    /// `true` for the chain of a node, whose URL may have keys and is left out.
    #[serde(default)]
    is_node: bool,
}

impl RecordedChain {
    fn from_network(network: &Network) -> Self {
        let base = match &network.endpoint {
            Endpoint::Embedded | Endpoint::Node(_) => None,
            Endpoint::Remote(base) => Some(base.to_string()),
            Endpoint::Undecided(url) => Some(url.without_keys().to_string()),
        };
        Self {
            name: network.name.clone(),
            base,
            id: network.id,
            symbol: network.symbol.clone(),
            decimals: Some(network.decimals),
            testnet: Some(network.testnet),
            is_node: network.endpoint.is_node(),
        }
    }

    fn into_network(self) -> Option<Network> {
        let is_recorded = true;
        let Some(base) = self.base.filter(|_| !self.is_node) else {
            let name = quote_recorded_name(&self.name).to_string();
            if !self.is_node {
                return Some(Network { name, is_recorded, ..Network::demo() });
            }
            let url = Url::parse(REPLAYED_NODE_URL).ok()?.try_into().ok()?;
            let (id, symbol) = (self.id, self.symbol.as_ref().map(recorded_symbol));
            return Some(Network { id, symbol, is_recorded, ..Network::of_node(&name, url) });
        };
        let known = Chains::default().network_at(&parse_web_url(&base)?);
        Some(Network {
            is_recorded,
            // The browser would act in the network of the replay.
            web: known.web.filter(is_public),
            name: quote_recorded_name(&self.name).to_string(),
            id: self.id.or(known.id),
            symbol: self.symbol.as_ref().map(recorded_symbol).or(known.symbol),
            decimals: self.decimals.unwrap_or(known.decimals),
            testnet: self.testnet.unwrap_or(known.testnet),
            ..known
        })
    }
}

/// Returns the symbol of a coin in a recording.
fn recorded_symbol(symbol: &SafeText) -> SafeText {
    guard_name(SafeText::bounded(symbol, MAX_SYMBOL_CHARS))
}

/// Any other line: a request and its response.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct RecordedExchange {
    /// Since the start of the run.
    elapsed_ms: u64,
    method: String,
    path: String,
    status: Option<u16>,
    /// Until the end of the response; if streamed, until its start.
    took_ms: u64,
    bytes: u64,
    #[serde(rename = "limits")]
    rate_limit: Option<RateLimit>,
    retry_after_ms: Option<u64>,
    #[serde(rename = "expected")]
    expected_bytes: Option<u64>,
    body: Option<String>,
    /// The body if it is not UTF-8.
    body_base64: Option<String>,
    /// Set together with a body if the response broke off after it.
    #[serde(rename = "failure")]
    error: Option<ApiError>,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn path_and_query(url: &Url) -> String {
    // The fragment, which is not sent, distinguishes calls of functions.
    url[Position::BeforePath..].to_owned()
}

impl RecordedExchange {
    fn new<B>(exchange: &Exchange<B>, elapsed: Duration) -> Self {
        Self {
            elapsed_ms: millis(elapsed),
            method: exchange.method.to_owned(),
            path: path_and_query(&exchange.url),
            status: exchange.status,
            took_ms: millis(exchange.elapsed),
            bytes: exchange.bytes,
            rate_limit: exchange.rate_limit,
            retry_after_ms: exchange.retry_after.map(millis),
            error: exchange.body.as_ref().err().cloned(),
            ..Self::default()
        }
    }

    /// Creates a line that is no exchange.
    fn note(path: &str, text: String, elapsed: Duration) -> Self {
        Self {
            elapsed_ms: millis(elapsed),
            method: GET.to_owned(),
            path: path.to_owned(),
            bytes: text.len() as u64,
            body: Some(text),
            ..Self::default()
        }
    }

    fn with_body(mut self, body: &[u8]) -> Self {
        match str::from_utf8(body) {
            Ok(text) => self.body = Some(text.to_owned()),
            Err(_) => self.body_base64 = Some(BASE64_STANDARD.encode(body)),
        }
        self
    }
}
