//! Classification of the errors of a connection, and the name lookup that makes them distinct.

use std::error::Error;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;
use std::{io, iter};

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::CertificateError;
use tokio::net::lookup_host;
use url::Url;

use crate::chain::network::is_loopback;
use crate::messages::connect_error::{CertificateProblem, ConnectError};
use crate::sanitize::SafeText;

/// The system's name lookup. Its errors have a type of their own, unlike the default resolver's.
#[derive(Debug)]
pub(super) struct SystemLookup;

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct NameLookupError(io::Error);

impl Resolve for SystemLookup {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                lookup_host((name.as_str(), 0)).await.map_err(NameLookupError)?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Returns an error and its causes. The innermost is the most specific.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    iter::successors(Some(error as &(dyn Error + 'static)), |&error| error.source())
}

/// Returns the innermost cause, without the URL.
pub(super) fn root_cause(error: &reqwest::Error) -> SafeText {
    let innermost = causes(error).last().map(ToString::to_string).unwrap_or_default();
    SafeText::new(&innermost)
}

/// Returns the reason why a response ended early.
pub(super) fn interruption(error: &reqwest::Error) -> SafeText {
    match causes(error).find_map(tls_problem) {
        Some(problem) => problem.to_string().into(),
        None if causes(error).any(is_closed) => ConnectError::Closed.to_string().into(),
        None => root_cause(error),
    }
}

fn io_kind(cause: &(dyn Error + 'static)) -> Option<ErrorKind> {
    cause.downcast_ref::<io::Error>().map(io::Error::kind)
}

/// Returns `true` if the server closed the connection. Without a farewell of TLS, it is the end of a file.
fn is_closed(cause: &(dyn Error + 'static)) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let is_cut_off = cause.downcast_ref().is_some_and(hyper::Error::is_incomplete_message);
    is_cut_off
        || matches!(
            io_kind(cause),
            Some(BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
        )
}

/// Classifies the error of a request that no server has answered.
pub(super) fn connect_error(error: &reqwest::Error, connect_timeout: Duration) -> ConnectError {
    let why = if error.is_timeout() {
        ConnectError::TimedOut { seconds: connect_timeout.as_secs() }
    } else if causes(error).any(|cause| io_kind(cause) == Some(ErrorKind::ConnectionRefused)) {
        ConnectError::Refused
    } else if causes(error).any(<dyn Error>::is::<NameLookupError>) {
        ConnectError::NoAddress
    } else if let Some(problem) = causes(error).find_map(tls_problem) {
        problem
    } else if causes(error).any(is_closed) {
        ConnectError::Closed
    } else {
        ConnectError::Other(uncapitalized(&root_cause(error)))
    };
    match error.url().and_then(proxy).filter(|_| error.is_connect()) {
        Some(proxy) => ConnectError::Proxy { proxy, why: Box::new(why) },
        None => why,
    }
}

/// Returns the problem of TLS, which is inside errors of reading.
fn tls_problem(cause: &(dyn Error + 'static)) -> Option<ConnectError> {
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        return tls_problem(error.get_ref()?);
    }
    Some(match cause.downcast_ref()? {
        rustls::Error::InvalidCertificate(error) => {
            ConnectError::Certificate(certificate_problem(error))
        }
        rustls::Error::InvalidMessage(_) => ConnectError::NoTls,
        _ => ConnectError::TlsFailed,
    })
}

fn certificate_problem(error: &CertificateError) -> CertificateProblem {
    match error {
        CertificateError::UnknownIssuer => CertificateProblem::UnknownIssuer,
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            CertificateProblem::Expired
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateProblem::NotValidYet
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateProblem::OtherHost
        }
        _ => CertificateProblem::Invalid,
    }
}

/// Returns the address of the proxy for a URL.
fn proxy(url: &Url) -> Option<SafeText> {
    let proxy = Matcher::from_system().intercept(&url.as_str().parse().ok()?)?;
    let host = proxy.uri().host().filter(|_| !is_loopback(url))?;
    let port = proxy.uri().port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(SafeText::new(&[host, &port].concat()))
}

/// Returns the words of a system's error as messages have them: `network is unreachable`.
fn uncapitalized(why: &str) -> SafeText {
    let words = why.split(" (os error").next().unwrap_or(why);
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    SafeText::new(&first.into_iter().chain(chars).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_of_tls_is_found_inside_errors() {
        let issuer = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let http = rustls::InvalidMessage::InvalidContentType.into();
        for (error, problem) in [
            (issuer, ConnectError::Certificate(CertificateProblem::UnknownIssuer)),
            (http, ConnectError::NoTls),
            (rustls::Error::HandshakeNotComplete, ConnectError::TlsFailed),
        ] {
            let inner = io::Error::new(ErrorKind::InvalidData, error);
            assert_eq!(tls_problem(&io::Error::other(inner)), Some(problem));
        }
        assert_eq!(tls_problem(&io::Error::other("reset")), None);
    }

    #[test]
    fn words_of_the_system_end_before_its_number() {
        assert_eq!(&*uncapitalized("Network is down (os error 100)"), "network is down");
    }
}
