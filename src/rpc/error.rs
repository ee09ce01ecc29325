//! Classification of the errors of nodes, whose texts and codes differ.

use crate::chain::node_url::NodeUrl;
use crate::http::TransportError;
use crate::http::node_errors::{is_revert, lacks_state};
use crate::messages::node::ResponseDefect;
pub use crate::messages::node::RpcError;
use crate::sanitize::SafeText;

/// Maximum length of a node's message.
const MAX_MESSAGE_CHARS: usize = 200;
/// Maximum length of a message that is searched for its meaning.
const MAX_CLASSIFIED_CHARS: usize = 2_000;

const METHOD_NOT_FOUND: i64 = -32601;
/// The code of EIP-1474, which Hardhat uses.
const METHOD_NOT_SUPPORTED: i64 = -32004;
/// The code of EIP-1474.
const LIMIT_EXCEEDED: i64 = -32005;
/// The code of a call that reverts.
const REVERTED: i64 = 3;

impl RpcError {
    /// Returns `true` if the node refused this request, so that a retry is of no use.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Unsupported
            | Self::TooLarge { .. }
            | Self::Pruned { .. }
            | Self::Unanswered
            | Self::Unreadable { .. }
            | Self::Other { .. } => true,
            // Some gateways refuse a method so.
            Self::NotJsonRpc { status, .. } => (400..500).contains(status),
            Self::RateLimited { .. }
            | Self::Unreachable { .. }
            | Self::Interrupted { .. }
            | Self::Timeout { .. } => false,
        }
    }

    /// Returns `true` if a call used all its gas.
    pub fn is_out_of_gas(&self) -> bool {
        let Self::Other { message, .. } = self else { return false };
        let words = message.to_ascii_lowercase();
        OUT_OF_GAS_WORDS.iter().any(|part| words.contains(part))
    }

    pub(super) fn from_transport(error: TransportError, url: &NodeUrl) -> Self {
        match error {
            TransportError::Unreachable(why) => Self::Unreachable {
                address: url.shown_address(),
                why: why.map_text(|text| clean(text, url)),
            },
            TransportError::Interrupted(why) => {
                Self::Interrupted { address: url.shown_address(), why: clean(&why, url) }
            }
            TransportError::TimedOut { seconds } => {
                Self::Timeout { address: url.shown_address(), seconds }
            }
            TransportError::TooLarge { limit } => {
                let why = ResponseDefect::TooLarge { megabytes: limit }.into();
                Self::TooLarge { address: url.shown_address(), why }
            }
        }
    }

    pub(super) fn unreadable(error: &serde_json::Error, url: &NodeUrl) -> Self {
        Self::Unreadable { why: clean(&error.to_string(), url) }
    }

    /// Creates an error from the error object of a response.
    pub(super) fn from_node(code: Option<i64>, message: &str, url: &NodeUrl) -> Self {
        let why = clean(message, url);
        let start: String = message.chars().take(MAX_CLASSIFIED_CHARS).collect();
        let words = start.to_ascii_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        let address = url.shown_address();
        if code == Some(REVERTED) || is_revert(&words) {
            // The rest is a contract's, which must not be able to pass for a limit of the node.
            Self::Other { address, code, message: why, data: None }
        } else if says(&TOO_LARGE_WORDS) {
            Self::TooLarge { address, why }
        } else if matches!(code, Some(METHOD_NOT_FOUND | METHOD_NOT_SUPPORTED))
            || says(&UNSUPPORTED_WORDS)
        {
            Self::Unsupported
        } else if code == Some(LIMIT_EXCEEDED) || says(&RATE_LIMIT_WORDS) {
            Self::RateLimited { address, retry_after: None }
        } else if lacks_state(&words) {
            Self::Pruned { address, why }
        } else {
            Self::Other { address, code, message: why, data: None }
        }
    }
}

/// Words of anvil, and of the others.
const OUT_OF_GAS_WORDS: [&str; 2] = ["outofgas", "out of gas"];

/// Words of anvil, Hardhat 2, ganache, Geth and Reth.
const UNSUPPORTED_WORDS: [&str; 6] = [
    "does not exist/is not available",
    "only supports the default tracer",
    "method not found",
    "tracer not found",
    "tracer is not enabled",
    "unimplemented",
];

/// Words of nodes and providers. Their codes differ, and some are for rate limits.
const TOO_LARGE_WORDS: [&str; 16] = [
    "000 range",
    "batch limit",
    "batch request was too large",
    "batch size",
    "batch too large",
    "block range",
    "max results",
    "query returned",
    "range is too",
    "range limit",
    "request entity too large",
    "requests in batch",
    "response is too big",
    "response size",
    "response too large",
    "returned more than",
];

const RATE_LIMIT_WORDS: [&str; 6] = [
    "capacity exceeded",
    "compute units",
    "rate limit",
    "request limit",
    "requests per second",
    "too many requests",
];

/// Returns text from outside without keys, sanitized, and cut to [`MAX_MESSAGE_CHARS`].
pub(super) fn clean(text: &str, url: &NodeUrl) -> SafeText {
    let redacted = url.redact(text);
    let text = redacted.trim();
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        None => SafeText::new(text),
        Some((end, _)) => SafeText::new(&format!("{}…", text.get(..end).unwrap_or_default())),
    }
}
