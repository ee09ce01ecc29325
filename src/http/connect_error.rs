//! Classification of the errors of a connection, and the name lookup that makes them distinct.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;
use std::{io, iter};

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::CertificateError;
use tokio::net::lookup_host;
use url::Url;

use super::is_loopback;
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
            let found = lookup_host((name.as_str(), 0)).await.map_err(NameLookupError)?;
            let found: Vec<SocketAddr> = found.collect();
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
    SafeText::new(without_link(&innermost))
}

/// Cuts the link to an explanation off, which rustls appends.
fn without_link(why: &str) -> &str {
    why.split_once(": https://").map_or(why, |(why, _)| why)
}

/// Classifies the error of a request that no server has answered.
pub(super) fn connect_error(error: &reqwest::Error, connect_timeout: Duration) -> ConnectError {
    let is_refused = |cause: &(dyn Error + 'static)| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused)
    };
    let why = if error.is_timeout() {
        ConnectError::TimedOut { seconds: connect_timeout.as_secs() }
    } else if causes(error).any(is_refused) {
        ConnectError::Refused
    } else if causes(error).any(<dyn Error>::is::<NameLookupError>) {
        ConnectError::NoAddress
    } else if let Some(problem) = causes(error).find_map(certificate_problem) {
        ConnectError::Certificate(problem)
    } else {
        ConnectError::Other(uncapitalized(&root_cause(error)))
    };
    match error.url().and_then(proxy).filter(|_| error.is_connect()) {
        Some(proxy) => ConnectError::Proxy { proxy, why: Box::new(why) },
        None => why,
    }
}

/// Returns the problem of a server's certificate, which is inside errors of reading.
fn certificate_problem(cause: &(dyn Error + 'static)) -> Option<CertificateProblem> {
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        return certificate_problem(error.get_ref()?);
    }
    let Some(rustls::Error::InvalidCertificate(error)) = cause.downcast_ref() else { return None };
    Some(match error {
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
    })
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
    fn problem_of_a_certificate_is_found_inside_errors() {
        let error = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let inner = io::Error::new(io::ErrorKind::InvalidData, error);
        let problem = certificate_problem(&io::Error::other(inner));
        assert_eq!(problem, Some(CertificateProblem::UnknownIssuer));
        assert_eq!(certificate_problem(&io::Error::other("reset")), None);
    }

    #[test]
    fn words_end_before_links_and_numbers_of_errors() {
        let of_rustls =
            "peer closed connection without sending TLS close_notify: https://docs.rs/x";
        let closed = "peer closed connection without sending TLS close_notify";
        assert_eq!(without_link(of_rustls), closed);
        assert_eq!(without_link("no link"), "no link");
        assert_eq!(&*uncapitalized("Network is down (os error 100)"), "network is down");
    }
}
