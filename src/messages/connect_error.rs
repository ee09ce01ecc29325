//! Reasons why a host cannot be reached.

use serde::{Deserialize, Serialize};

use crate::sanitize::SafeText;

super::sentences! {
    NO_CERTIFICATE = "no certificate found (-----BEGIN CERTIFICATE-----)";
}

/// Recordings contain the serialized form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectError {
    #[error("connection refused")]
    Refused,
    /// The host has no address, or the name server cannot be asked.
    #[error("no DNS (offline?)")]
    NoAddress,
    #[error("{0}")]
    Certificate(CertificateProblem),
    #[error("the TLS handshake failed")]
    TlsFailed,
    /// Something else than TLS answered, as at the port of a node.
    #[error("no TLS there: try http")]
    NoTls,
    #[error("the connection was closed")]
    Closed,
    #[error("no connection within {seconds} s")]
    TimedOut { seconds: u64 },
    /// No connection through a proxy, which is named without credentials.
    #[error("proxy {proxy}: {why}")]
    Proxy { proxy: SafeText, why: Box<ConnectError> },
    /// Any other reason, in the words of the system.
    #[error("{0}")]
    #[serde(untagged)]
    Other(SafeText),
}

/// Reason why the certificate of a server is not accepted. Another server may have answered: a gateway
/// that requires a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CertificateProblem {
    #[strum(to_string = "its certificate is of an unknown issuer")]
    UnknownIssuer,
    #[strum(to_string = "its certificate has expired")]
    Expired,
    #[strum(to_string = "its certificate is not valid yet")]
    NotValidYet,
    #[strum(to_string = "its certificate is for another host")]
    OtherHost,
    #[strum(to_string = "its certificate is not valid")]
    Invalid,
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
