//! An explorer's API key: whose it is, the one way it travels, and that nobody sees it.

use std::fmt;

use bytes::Bytes;
use memchr::memmem;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use url::{Host, Url};

use super::ApiError;
use crate::sanitize::Text;

/// The explorer of every chain, which wants a key from everybody.
pub const PRO: &str = "api.blockscout.com";
/// What stands where the key would.
const HIDDEN: &str = "‹key›";
/// The header in which an instance takes a key; those before version 9 take none in a header.
const INSTANCE: HeaderName = HeaderName::from_static("x-api-key");
/// What servers call a key in a web address.
const NAMES: [&str; 4] = ["apikey", "api_key", "api-key", "key"];
/// How long keys are. A shorter one could not be told from other text that it is struck out of.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=512;

/// A key, and the one host that may have it.
#[derive(Clone)]
pub struct Key {
    host: Box<str>,
    port: Option<u16>,
    /// As it is sent.
    value: HeaderValue,
    secret: Bytes,
}

/// Why there is no key. Says nothing of what was given instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// It could not be sent in a header, or not be struck out of an answer.
    #[error("not an API key: a key has 8 to 512 letters, digits and signs, and no space")]
    Shape,
    /// The host is none.
    #[error("not a host: give a name, and a port where it has one, as in explorer.example:8443")]
    Host,
}

impl Key {
    /// A key for a host, which may have a port; without one it is the port of https.
    pub fn new(host: &str, secret: &str) -> Result<Self, BadKey> {
        let secret = secret.trim();
        if !LENGTH.contains(&secret.len()) || !secret.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(BadKey::Shape);
        }
        let url = Url::parse(&format!("https://{host}")).map_err(|_| BadKey::Host)?;
        let name = url.host_str().filter(|_| is_only_a_host(&url)).ok_or(BadKey::Host)?;
        let sent = if name == PRO { format!("Bearer {secret}") } else { secret.to_owned() };
        let mut value = HeaderValue::try_from(sent).map_err(|_| BadKey::Shape)?;
        // HTTP/2 must not keep it in its table, and no library prints it.
        value.set_sensitive(true);
        let secret = Bytes::copy_from_slice(secret.as_bytes());
        Ok(Self { host: name.into(), port: url.port_or_known_default(), value, secret })
    }

    /// Whether it belongs to the host of `url`.
    pub fn is_for(&self, url: &Url) -> bool {
        url.host_str() == Some(&*self.host) && url.port_or_known_default() == self.port
    }

    /// The header that carries it to `url`; none if it does not belong there, or others could read it
    /// on the way.
    pub fn header(&self, url: &Url) -> Option<(HeaderName, HeaderValue)> {
        let name = if &*self.host == PRO { AUTHORIZATION } else { INSTANCE };
        (self.is_for(url) && is_private(url)).then(|| (name, self.value.clone()))
    }

    /// Whether a text holds it.
    pub fn is_in(&self, text: &[u8]) -> bool {
        memmem::find(text, &self.secret).is_some()
    }

    /// An answer without it: some servers repeat what they were sent.
    pub fn struck_out(&self, body: Bytes) -> Bytes {
        if !self.is_in(&body) {
            return body;
        }
        let (mut out, mut end) = (Vec::with_capacity(body.len()), 0);
        for at in memmem::find_iter(&body, &self.secret) {
            out.extend_from_slice(body.get(end..at).unwrap_or_default());
            out.extend_from_slice(HIDDEN.as_bytes());
            end = at + self.secret.len();
        }
        out.extend_from_slice(body.get(end..).unwrap_or_default());
        out.into()
    }

    /// How many bytes at the end of a piece of an answer may be its beginning.
    pub fn begun(&self, piece: &[u8]) -> usize {
        let longest = piece.len().min(self.secret.len().saturating_sub(1));
        let begins =
            |n: &usize| self.secret.starts_with(piece.get(piece.len() - n..).unwrap_or_default());
        (1..=longest).rev().find(begins).unwrap_or_default()
    }

    /// A failure without it.
    pub fn struck_out_of(&self, error: ApiError) -> ApiError {
        error.with_texts(|text| {
            let clean = self.struck_out(Bytes::copy_from_slice(text.as_bytes()));
            Text::new(str::from_utf8(&clean).unwrap_or(HIDDEN))
        })
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

fn is_only_a_host(url: &Url) -> bool {
    let beside = [url.query(), url.fragment(), url.password()];
    url.path() == "/" && url.username().is_empty() && beside.iter().all(Option::is_none)
}

/// Whether nobody on the way can read what is sent to `url`.
pub fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

/// Whether `url` is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// A web address as it may be shown and written down: without a user and a password, and with nothing
/// where a key stands, which some servers want there.
pub fn redacted(url: &Url) -> Url {
    let mut shown = url.clone();
    // They fail for addresses that hold no user in any case.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    let is_key = |name: &str| NAMES.iter().any(|key| name.eq_ignore_ascii_case(key));
    if url.query_pairs().any(|(name, _)| is_key(&name)) {
        let pairs = url.query_pairs().map(|(name, value)| {
            let value = if is_key(&name) { "REDACTED".into() } else { value };
            (name, value)
        });
        shown.query_pairs_mut().clear().extend_pairs(pairs);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &str = "canary-1c0ffee";

    fn carried(host: &str, url: &str) -> Option<(Text, Text)> {
        let (name, value) = Key::new(host, CANARY).unwrap().header(&url.parse().unwrap())?;
        assert!(value.is_sensitive());
        Some((name.as_str().into(), value.to_str().unwrap().into()))
    }

    #[test]
    fn it_travels_in_the_header_of_its_host() {
        let bearer = ("authorization".into(), format!("Bearer {CANARY}").into());
        assert_eq!(carried(PRO, "https://api.blockscout.com/1/api/v2/x"), Some(bearer));
        let own = ("x-api-key".into(), CANARY.into());
        assert_eq!(carried("Explorer.Example", "https://explorer.example/api"), Some(own.clone()));
        assert_eq!(carried("a.example:8443", "https://a.example:8443/"), Some(own.clone()));
        assert_eq!(carried("127.0.0.1:4000", "http://127.0.0.1:4000/"), Some(own));
    }

    #[test]
    fn it_goes_nowhere_else() {
        for (host, url) in [
            (PRO, "https://eth.blockscout.com/"),
            (PRO, "https://api.blockscout.com.evil.example/"),
            (PRO, "https://api.blockscout.com@evil.example/"),
            (PRO, "https://api.blockscout.com:8443/"),
            (PRO, "http://api.blockscout.com/"),
            (PRO, "http://api.blockscout.com:443/"),
            ("a.example", "https://b.a.example/"),
            ("a.example", "https://a.example./"),
            ("a.example:8443", "https://a.example/"),
            ("a.example:80", "http://a.example/"),
            ("127.0.0.1:4000", "http://127.0.0.1:4001/"),
            ("localhost:4000", "http://127.0.0.1:4000/"),
        ] {
            assert_eq!(carried(host, url), None, "{host} {url}");
        }
    }

    #[test]
    fn it_is_never_shown() {
        let key = Key::new(PRO, CANARY).unwrap();
        assert_eq!(format!("{key} {key:?} {:#?}", Some(&key)), "‹key› ‹key› Some(\n    ‹key›,\n)");
        assert!(
            !format!("{:?}", key.header(&format!("https://{PRO}/").parse().unwrap()))
                .contains(CANARY)
        );
        let echo = Bytes::from(format!("[{CANARY},{CANARY}]"));
        assert_eq!(key.struck_out(echo), "[‹key›,‹key›]");
        assert_eq!(key.begun(format!("[{CANARY},canary-1").as_bytes()), 8);
        assert_eq!((key.begun(CANARY.as_bytes()), key.begun(b"c"), key.begun(b"")), (0, 1, 0));
        let body = format!("{{\"message\":\"Bearer {CANARY} is wrong\"}}");
        let error = key.struck_out_of(ApiError::refused(401, body.as_bytes()));
        assert_eq!(
            error,
            ApiError::refused(401, b"\"Bearer \xe2\x80\xb9key\xe2\x80\xba is wrong\"")
        );
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_repeated() {
        for secret in ["", "short", "two words", "caf\u{e9}-canary", "line\r\nbreak", "nul\0nul12"]
        {
            let error = Key::new(PRO, secret).unwrap_err();
            assert_eq!(error, BadKey::Shape);
        }
        assert_eq!(Key::new(PRO, &"k".repeat(513)).unwrap_err(), BadKey::Shape);
        for host in ["", "https://a.example", "a.example/x", "u@a.example", "a b", "a.example?x"] {
            assert_eq!(Key::new(host, CANARY).unwrap_err(), BadKey::Host, "{host}");
        }
    }

    #[test]
    fn a_web_address_is_shown_without_its_secrets() {
        for (url, shown) in [
            ("https://a/b?apikey=canary&x=1", "https://a/b?apikey=REDACTED&x=1"),
            ("https://a/b?x=%26&ApiKey=canary", "https://a/b?x=%26&ApiKey=REDACTED"),
            ("https://a/b?api-key=canary", "https://a/b?api-key=REDACTED"),
            ("https://me:canary@a/b", "https://a/b"),
            ("https://a/b?x=a%20b&token=0x1", "https://a/b?x=a%20b&token=0x1"),
        ] {
            assert_eq!(redacted(&url.parse().unwrap()).as_str(), shown);
        }
    }
}
