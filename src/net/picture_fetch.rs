//! Fetches pictures from URLs chosen by authors of tokens: only from public addresses, so that nothing
//! on this machine or its network is contacted.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, LOCATION};
use reqwest::{Client, Response, StatusCode};
use tokio::net::lookup_host;
use url::Url;

use crate::http::{self, TransportConfig, TransportError};
use crate::messages::picture::PictureError;
use crate::picture::{MAX_PICTURE_BYTES, PictureAnswer, PictureFetch, RASTER_MEDIA_TYPES};
use crate::safety::public_hosts::{is_public, is_public_ip};
use crate::sanitize::SafeText;

const MAX_REDIRECTS: usize = 3;
const TIMEOUT: Duration = Duration::from_secs(20);

/// Filters for URLs and addresses that may be contacted.
#[derive(Debug, Clone, Copy)]
pub struct AddressPolicy {
    pub url: fn(&Url) -> bool,
    pub address: fn(IpAddr) -> bool,
}

impl AddressPolicy {
    pub const PUBLIC: Self = Self { url: is_public, address: is_public_ip };
}

/// Resolves names, without addresses that may not be contacted.
#[derive(Debug)]
struct FilteringResolver(AddressPolicy);

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.0.address;
        Box::pin(async move {
            let found = lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|found| is_allowed(found.ip())).collect();
            if allowed.is_empty() {
                return Err(PictureError::NotPublic.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Fetches a picture, or reports its new location.
///
/// # Errors
///
/// Returns a reason for the screen.
pub async fn fetch_picture(
    fetch: &PictureFetch,
    policy: AddressPolicy,
) -> Result<PictureAnswer, SafeText> {
    let transport = TransportConfig {
        response_timeout: TIMEOUT,
        max_body_bytes: MAX_PICTURE_BYTES as u64,
        ..TransportConfig::default()
    };
    let reason = |error: TransportError| match error {
        TransportError::Unreachable(why) => SafeText::new(&why.to_string()),
        TransportError::Interrupted(why) => why,
        TransportError::TimedOut { .. } => PictureError::TimedOut.into(),
        TransportError::TooLarge { .. } => PictureError::TooLarge.into(),
    };
    let client = transport
        .builder()
        .dns_resolver(FilteringResolver(policy))
        .build()
        .map_err(|e| reason(transport.error(&e)))?;
    match follow(&client, fetch, policy, |e| reason(transport.error(&e))).await? {
        Followed::To(url) => Ok(PictureAnswer::Moved(url)),
        Followed::Response(response) => {
            let body = transport.read_body(*response).await.body;
            body.map(PictureAnswer::Picture).map_err(reason)
        }
    }
}

/// The end of a chain of redirects.
enum Followed {
    Response(Box<Response>),
    /// A URL that the user has not confirmed.
    To(Url),
}

/// Follows redirects to confirmed URLs.
async fn follow(
    client: &Client,
    fetch: &PictureFetch,
    policy: AddressPolicy,
    reason: impl Fn(reqwest::Error) -> SafeText,
) -> Result<Followed, SafeText> {
    let mut url = fetch.from.clone();
    for _ in 0..=MAX_REDIRECTS {
        if !(policy.url)(&url) {
            return Err(PictureError::NotPublic.into());
        }
        if url.origin() != fetch.from.origin() && !fetch.origins.contains(&url.origin()) {
            return Ok(Followed::To(url));
        }
        let accept = format!("image/svg+xml,{RASTER_MEDIA_TYPES}");
        let request = client.get(url.clone()).header(ACCEPT, accept);
        let response = request.send().await.map_err(&reason)?;
        // A proxy may have an address that was not resolved.
        if response.remote_addr().is_none_or(|peer| !(policy.address)(peer.ip())) {
            return Err(PictureError::NotPublic.into());
        }
        let target = http::header(&response, LOCATION.as_str()).map(|target| url.join(target));
        match (response.status(), target) {
            (StatusCode::OK, _) => return Ok(Followed::Response(Box::new(response))),
            (status, Some(Ok(target))) if status.is_redirection() => url = target,
            (status, _) => return Err(SafeText::new(&format!("HTTP {}", status.as_u16()))),
        }
    }
    Err(PictureError::TooManyRedirects.into())
}
