//! Fetches pictures behind URLs, which authors of tokens choose: from public addresses only, so that
//! nothing on this machine or its network is asked.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, LOCATION};
use reqwest::{Client, Response, StatusCode};
use tokio::net::lookup_host;
use url::Url;

use crate::http::{self, TransportConfig, TransportError};
use crate::picture::MAX_PICTURE_BYTES;
use crate::safety::public_hosts::{is_public, is_public_ip};
use crate::sanitize::SafeText;

const MAX_REDIRECTS: usize = 3;
const TIMEOUT: Duration = Duration::from_secs(20);
const NOT_PUBLIC: &str = "not on the public internet";

/// Which URLs and addresses may be asked.
#[derive(Debug, Clone, Copy)]
pub struct AddressPolicy {
    pub url: fn(&Url) -> bool,
    pub address: fn(IpAddr) -> bool,
}

impl AddressPolicy {
    pub const PUBLIC: Self = Self { url: is_public, address: is_public_ip };
}

/// Looks up names, and leaves out addresses that may not be asked.
#[derive(Debug)]
struct FilteringResolver(AddressPolicy);

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.0.address;
        Box::pin(async move {
            let found = lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|found| is_allowed(found.ip())).collect();
            if allowed.is_empty() {
                return Err(NOT_PUBLIC.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Fetches a picture.
///
/// # Errors
/// Returns a reason for the screen.
pub async fn fetch_picture(url: Url, policy: AddressPolicy) -> Result<Bytes, SafeText> {
    let transport = TransportConfig {
        response_timeout: TIMEOUT,
        max_body_bytes: MAX_PICTURE_BYTES as u64,
        ..TransportConfig::default()
    };
    let reason = |error: TransportError| match error {
        TransportError::Unreachable(why) | TransportError::Interrupted(why) => why,
        TransportError::TimedOut { .. } => "no response in time".into(),
        TransportError::TooLarge { .. } => "too many bytes".into(),
    };
    let client = transport.builder().dns_resolver(FilteringResolver(policy));
    let client = client.build().map_err(|e| reason(transport.error(&e)))?;
    let response = follow(&client, url, policy, |e| reason(transport.error(&e))).await?;
    transport.read_body(response).await.body.map_err(reason)
}

/// Follows redirects to what may be asked.
async fn follow(
    client: &Client,
    mut url: Url,
    policy: AddressPolicy,
    reason: impl Fn(reqwest::Error) -> SafeText,
) -> Result<Response, SafeText> {
    for _ in 0..=MAX_REDIRECTS {
        if !(policy.url)(&url) {
            return Err(NOT_PUBLIC.into());
        }
        let accept = "image/svg+xml,image/png,image/jpeg,image/gif,image/webp";
        let request = client.get(url.clone()).header(ACCEPT, accept);
        let response = request.send().await.map_err(&reason)?;
        // A proxy may be an address that was not looked up.
        if response.remote_addr().is_none_or(|peer| !(policy.address)(peer.ip())) {
            return Err(NOT_PUBLIC.into());
        }
        let target = http::header(&response, LOCATION.as_str()).map(|target| url.join(target));
        match (response.status(), target) {
            (StatusCode::OK, _) => return Ok(response),
            (status, Some(Ok(target))) if status.is_redirection() => url = target,
            (status, _) => return Err(SafeText::new(&format!("HTTP {}", status.as_u16()))),
        }
    }
    Err("too many redirects".into())
}
