//! Reasons why a host cannot be reached.

use serde::{Deserialize, Serialize};

use crate::sanitize::SafeText;

/// Recordings contain the serialized form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectError {
    #[error("connection refused")]
    Refused,
    /// The host has no address, or the name server cannot be asked.
    #[error("no DNS (offline?)")]
    NoAddress,
    #[error("no connection within {seconds} s")]
    TimedOut { seconds: u64 },
    /// No connection through a proxy, which is named without credentials.
    #[error("proxy {proxy}: {why}")]
    Proxy { proxy: SafeText, why: Box<ConnectError> },
    /// Any other reason, such as a certificate, in the words of the system.
    #[error("{0}")]
    #[serde(untagged)]
    Other(SafeText),
}

impl ConnectError {
    /// Applies `f` to the text from outside.
    #[must_use]
    pub fn map_text(self, f: impl FnOnce(&SafeText) -> SafeText) -> Self {
        match self {
            Self::Other(text) => Self::Other(f(&text)),
            Self::Proxy { proxy, why } => Self::Proxy { proxy, why: Box::new(why.map_text(f)) },
            other => other,
        }
    }
}

impl From<&str> for ConnectError {
    fn from(why: &str) -> Self {
        Self::Other(why.into())
    }
}
