//! API keys: the host they belong to, the header they are sent in, and their redaction.

use std::fmt;

use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use url::Url;

use crate::api::ApiError;
use crate::chain::echoed_secret::EchoedSecret;
use crate::chain::network::{PRO_HOST, is_loopback};
use crate::messages::settings::ApiKeyError;
use crate::sanitize::SafeText;

const REDACTED: &str = "‹key›";
/// The header in which an instance accepts a key, since version 9.
const INSTANCE_KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");
const KEY_PARAMETERS: [&str; 4] = ["apikey", "api_key", "api-key", "key"];
/// Lengths of a key. Redacting a shorter one would hit other text.
const SECRET_LENGTHS: std::ops::RangeInclusive<usize> = 8..=512;

/// A key and the host that it may be sent to.
#[derive(Clone)]
pub struct ApiKey {
    host: Box<str>,
    port: Option<u16>,
    value: HeaderValue,
    secret: EchoedSecret,
}

impl ApiKey {
    /// Creates a key for a host with an optional port, by default 443.
    pub fn new(host: &str, secret: &str) -> Result<Self, ApiKeyError> {
        let secret = secret.trim();
        let is_valid = |b: u8| b.is_ascii_graphic() && !b"\\%".contains(&b);
        if !SECRET_LENGTHS.contains(&secret.len()) || !secret.bytes().all(is_valid) {
            return Err(ApiKeyError::InvalidSecret);
        }
        let url = host_url(host).ok_or(ApiKeyError::InvalidHost)?;
        let name = url.host_str().unwrap_or_default();
        let sent = if name == PRO_HOST { format!("Bearer {secret}") } else { secret.to_owned() };
        let mut value = HeaderValue::try_from(sent).map_err(|_| ApiKeyError::InvalidSecret)?;
        // Keeps the key out of debug output.
        value.set_sensitive(true);
        let (port, secret) = (url.port_or_known_default(), EchoedSecret::new(secret));
        Ok(Self { host: name.into(), port, value, secret })
    }

    pub fn belongs_to(&self, url: &Url) -> bool {
        url.host_str() == Some(&*self.host) && url.port_or_known_default() == self.port
    }

    /// Returns the header for a request to `url`. Returns `None` if the key does not belong there
    /// or would be sent unencrypted.
    pub fn header_for(&self, url: &Url) -> Option<(HeaderName, HeaderValue)> {
        let name = if &*self.host == PRO_HOST { AUTHORIZATION } else { INSTANCE_KEY_HEADER };
        (self.belongs_to(url) && is_confidential(url)).then(|| (name, self.value.clone()))
    }

    /// Returns `true` if the key is in `text`, in any case, plainly or escaped as in JSON or URLs.
    pub fn occurs_in(&self, text: &[u8]) -> bool {
        self.secret.find(text).is_some()
    }

    /// Redacts the key in a body: some servers echo the request.
    pub fn redact(&self, body: Bytes) -> Bytes {
        self.secret.redact(&body, REDACTED).map_or(body, Bytes::from)
    }

    /// Returns the number of bytes at the end of `piece` that may be the start of the key.
    pub fn partial_match_len(&self, piece: &[u8]) -> usize {
        self.secret.partial_match_len(piece)
    }

    pub fn redact_error(&self, error: ApiError) -> ApiError {
        error.map_texts(|text| {
            let clean = self.redact(Bytes::copy_from_slice(text.as_bytes()));
            SafeText::new(str::from_utf8(&clean).unwrap_or(REDACTED))
        })
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// Returns `true` if a key can belong to a host with an optional port.
pub fn is_key_host(host: &str) -> bool {
    host_url(host.trim()).is_some()
}

fn host_url(host: &str) -> Option<Url> {
    let url = Url::parse(&format!("https://{host}")).ok()?;
    (url.has_host() && has_only_host(&url)).then_some(url)
}

fn has_only_host(url: &Url) -> bool {
    let other_parts = [url.query(), url.fragment(), url.password()];
    url.path() == "/" && url.username().is_empty() && other_parts.iter().all(Option::is_none)
}

/// Returns `true` if a request to `url` cannot be read on its way.
pub fn is_confidential(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

/// Returns a URL that is safe to show and log: without user and password, and with parameters that
/// contain keys redacted.
pub fn redact_url(url: &Url) -> Url {
    let mut shown = url.clone();
    // These fail only for URLs that cannot contain a user.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    let is_key = |name: &str| KEY_PARAMETERS.iter().any(|key| name.eq_ignore_ascii_case(key));
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
    use proptest::prelude::*;

    use super::*;

    const CANARY: &str = "canary-1c0ffee";

    fn sent_header(host: &str, url: &str) -> Option<(SafeText, SafeText)> {
        let (name, value) = ApiKey::new(host, CANARY).unwrap().header_for(&url.parse().unwrap())?;
        assert!(value.is_sensitive());
        Some((name.as_str().into(), value.to_str().unwrap().into()))
    }

    #[test]
    fn key_is_sent_in_the_header_of_its_host() {
        let bearer = ("authorization".into(), format!("Bearer {CANARY}").into());
        assert_eq!(sent_header(PRO_HOST, "https://api.blockscout.com/1/api/v2/x"), Some(bearer));
        let own = ("x-api-key".into(), CANARY.into());
        assert_eq!(
            sent_header("Explorer.Example", "https://explorer.example/api"),
            Some(own.clone())
        );
        assert_eq!(sent_header("a.example:8443", "https://a.example:8443/"), Some(own.clone()));
        assert_eq!(sent_header("127.0.0.1:4000", "http://127.0.0.1:4000/"), Some(own));
    }

    #[test]
    fn key_is_not_sent_to_other_hosts() {
        for (host, url) in [
            (PRO_HOST, "https://eth.blockscout.com/"),
            (PRO_HOST, "https://api.blockscout.com.evil.example/"),
            (PRO_HOST, "https://api.blockscout.com@evil.example/"),
            (PRO_HOST, "https://api.blockscout.com:8443/"),
            (PRO_HOST, "http://api.blockscout.com/"),
            (PRO_HOST, "http://api.blockscout.com:443/"),
            ("a.example", "https://b.a.example/"),
            ("a.example", "https://a.example./"),
            ("a.example:8443", "https://a.example/"),
            ("a.example:80", "http://a.example/"),
            ("127.0.0.1:4000", "http://127.0.0.1:4001/"),
            ("localhost:4000", "http://127.0.0.1:4000/"),
        ] {
            assert_eq!(sent_header(host, url), None, "{host} {url}");
        }
    }

    #[test]
    fn key_is_redacted() {
        let key = ApiKey::new(PRO_HOST, CANARY).unwrap();
        assert_eq!(format!("{key:?} {:#?}", Some(&key)), "‹key› Some(\n    ‹key›,\n)");
        assert!(
            !format!("{:?}", key.header_for(&format!("https://{PRO_HOST}/").parse().unwrap()))
                .contains(CANARY)
        );
        let echo = Bytes::from(format!("[{CANARY},{CANARY}]"));
        assert_eq!(key.redact(echo), "[‹key›,‹key›]");
        assert_eq!(key.partial_match_len(format!("[{CANARY},canary-1").as_bytes()), 8);
        assert_eq!(
            (
                key.partial_match_len(CANARY.as_bytes()),
                key.partial_match_len(b"c"),
                key.partial_match_len(b"")
            ),
            (0, 1, 0)
        );
        for echo in [
            "[\\u0063anary\\u002d1c0ffee]",
            "[\\\\u0063anary\\\\u002D1c0ffee]",
            "[%63anary%2d1c0ffee]",
            "[\\canary%252D1c0ffe%252565]",
            "[c%61na\\u0072y-1c0ffee]",
            "[CANARY-1C0FFEE]",
            "[Canary%2D1c0fFee]",
        ] {
            assert_eq!(key.redact(Bytes::from(echo)), "[‹key›]", "{echo}");
            for end in 2..echo.len() - 1 {
                assert_eq!(key.partial_match_len(&echo.as_bytes()[..end]), end - 1, "{echo} {end}");
            }
        }
        for other in ["[canary-1c0ffe]", "[%6]", "\\u00", "%canary-\\1c0ff", "\\\\", ""] {
            assert_eq!(key.redact(Bytes::from(other)), other);
        }
        let odd = ApiKey::new("a.example", "/a+\"<&61").unwrap();
        for echo in [
            "/a+\"<&61",
            "\\/a+\\\"\\u003c\\u002661",
            "%2f%61%2b%22%3c%2661",
            "%252fa%2b\\\"<%252661",
        ] {
            assert_eq!(odd.redact(Bytes::from(echo)), "‹key›", "{echo}");
        }
        let body = format!("{{\"message\":\"Bearer {CANARY} is wrong\"}}");
        let error = key.redact_error(ApiError::from_error_body(401, body.as_bytes()));
        assert_eq!(
            error,
            ApiError::from_error_body(401, b"\"Bearer \xe2\x80\xb9key\xe2\x80\xba is wrong\"")
        );
    }

    /// Escapes each character of a key in one of five ways.
    fn escape(secret: &str, ways: &[u8]) -> Box<str> {
        let characters = secret.chars().zip(ways.iter().cycle());
        characters.fold("".into(), |text, (c, way)| match way {
            0 => format!("{text}{c}").into(),
            1 => format!("{text}\\u{:04x}", u32::from(c)).into(),
            2 => format!("{text}\\\\\\u{:04X}", u32::from(c)).into(),
            3 => format!("{text}%{:02x}", u32::from(c)).into(),
            _ => format!("{text}%25{:02X}", u32::from(c)).into(),
        })
    }

    proptest! {
        #[test]
        fn escaped_key_is_redacted_in_one_piece_and_in_two(
            secret in "[!-$&-\\[\\]-~]{8,20}",
            ways in prop::collection::vec(0..5_u8, 1..9),
            around in "[a\\\\%u25\"]{0,9}",
            cut in any::<prop::sample::Index>(),
        ) {
            let key = ApiKey::new("a.example", &secret).unwrap();
            let text = [&around, &*escape(&secret, &ways), &around].concat();
            let whole = key.redact(text.clone().into());
            prop_assert!(str::from_utf8(&whole).unwrap().contains(REDACTED), "{text}");
            let (first, second) = text.split_at(cut.index(text.len()));
            let first = key.redact(first.to_owned().into());
            let (sent, withheld) = first.split_at(first.len() - key.partial_match_len(&first));
            let second = key.redact([withheld, second.as_bytes()].concat().into());
            let both = [sent, &second].concat();
            prop_assert!(str::from_utf8(&both).unwrap().contains(REDACTED), "{text}");
        }
    }

    #[test]
    fn invalid_key_is_refused_without_being_repeated() {
        for secret in [
            "",
            "short",
            "two words",
            "caf\u{e9}-canary",
            "line\r\nbreak",
            "nul\0nul12",
            "back\\slash",
        ] {
            let error = ApiKey::new(PRO_HOST, secret).unwrap_err();
            assert_eq!(error, ApiKeyError::InvalidSecret);
        }
        assert_eq!(
            ApiKey::new(PRO_HOST, &"k".repeat(513)).unwrap_err(),
            ApiKeyError::InvalidSecret
        );
        for host in ["", "https://a.example", "a.example/x", "u@a.example", "a b", "a.example?x"] {
            assert_eq!(ApiKey::new(host, CANARY).unwrap_err(), ApiKeyError::InvalidHost, "{host}");
        }
    }

    #[test]
    fn urls_are_redacted() {
        for (url, shown) in [
            ("https://a/b?apikey=canary&x=1", "https://a/b?apikey=REDACTED&x=1"),
            ("https://a/b?x=%26&ApiKey=canary", "https://a/b?x=%26&ApiKey=REDACTED"),
            ("https://a/b?api-key=canary", "https://a/b?api-key=REDACTED"),
            ("https://me:canary@a/b", "https://a/b"),
            ("https://a/b?x=a%20b&token=0x1", "https://a/b?x=a%20b&token=0x1"),
        ] {
            assert_eq!(redact_url(&url.parse().unwrap()).as_str(), shown);
        }
    }
}
