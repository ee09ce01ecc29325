//! The URL of a JSON-RPC node, whose path, query and user part may be keys.

use std::cmp::Reverse;
use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use url::{Position, Url};

use super::echoed_secret::EchoedSecret;
use crate::sanitize::SafeText;

const REDACTED: &str = "‹…›";
/// Minimum length of a redacted part. A shorter one would occur in other text.
const MIN_SECRET_LEN: usize = 6;

/// The URL of a JSON-RPC node. Parts that may be keys are neither displayed nor in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct NodeUrl(Url);

/// A URL that no node can have. The message does not contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct NodeUrlError;

impl TryFrom<Url> for NodeUrl {
    type Error = NodeUrlError;

    fn try_from(url: Url) -> Result<Self, NodeUrlError> {
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        is_web.then_some(Self(url)).ok_or(NodeUrlError)
    }
}

impl NodeUrl {
    /// Returns the URL with its keys, for requests.
    pub fn expose(&self) -> &Url {
        &self.0
    }

    /// Returns `true` if there is a path, a query or a user, which may be keys.
    pub fn has_keys(&self) -> bool {
        let url = &self.0;
        let has_user = !url.username().is_empty() || url.password().is_some();
        &url[Position::BeforePath..] != "/" || has_user
    }

    /// Returns the host, with its port if it is not the default, and `‹…›` in place of possible keys.
    pub fn shown_address(&self) -> SafeText {
        let address = &self.0[Position::BeforeHost..Position::AfterPort];
        let rest = if self.has_keys() { "/‹…›" } else { "" };
        SafeText::new(&[address, rest].concat())
    }

    /// Returns the scheme, the host and the port alone.
    pub fn without_keys(&self) -> Url {
        let mut url = self.0.clone();
        url.set_path("");
        url.set_query(None);
        url.set_fragment(None);
        // These fail for URLs without a host only.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        url
    }

    /// Replaces possible keys, in any case and with any escapes, in `text` from the node: some nodes repeat the request.
    pub fn redact(&self, text: &str) -> String {
        let redact =
            |text: Vec<u8>, secret: &EchoedSecret| secret.redact(&text, REDACTED).unwrap_or(text);
        let redacted = self.secrets().iter().fold(text.as_bytes().to_vec(), redact);
        String::from_utf8_lossy(&redacted).into_owned()
    }

    /// Returns the parts that may be keys, the longest first. A repeated header ends without spaces.
    fn secrets(&self) -> Vec<EchoedSecret> {
        let url = &self.0;
        let (user, password) = (url.username(), url.password().unwrap_or_default());
        let segments = url.path_segments().into_iter().flatten();
        let queries = url.query().into_iter().flat_map(|query| query.split(['&', '=']));
        let in_header = BASE64_STANDARD.encode(format!("{}:{}", decode(user), decode(password)));
        let parts = segments.chain(queries).chain([user, password, &in_header]);
        // Escapes make a part longer, and no less of a key.
        let mut secrets: Vec<EchoedSecret> = parts
            .filter(|part| part.len() >= MIN_SECRET_LEN)
            .map(EchoedSecret::new)
            .filter(|secret| secret.byte_len() > 0)
            .collect();
        secrets.sort_unstable_by_key(|secret| Reverse(secret.byte_len()));
        secrets
    }
}

fn decode(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

impl fmt::Display for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown_address())
    }
}

impl fmt::Debug for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(url: &str) -> NodeUrl {
        Url::parse(url).unwrap().try_into().unwrap()
    }

    #[test]
    fn address_is_shown_without_keys() {
        for (url, shown) in [
            ("http://localhost:8545", "localhost:8545"),
            ("https://LOCALHOST:443/", "localhost"),
            ("http://[::1]:8545/", "[::1]:8545"),
            ("https://eth.example/v2/canary", "eth.example/‹…›"),
            ("https://eth.example/?key=canary", "eth.example/‹…›"),
            ("https://eth.example/#canary", "eth.example/‹…›"),
            ("https://canary@eth.example", "eth.example/‹…›"),
            ("https://:canary@eth.example:1/", "eth.example:1/‹…›"),
        ] {
            assert_eq!(&*node(url).shown_address(), shown);
            assert_eq!(format!("{:?} {0}", node(url)), format!("NodeUrl({shown}) {shown}"));
        }
    }

    #[test]
    fn other_urls_are_refused() {
        for url in ["ws://localhost:8545", "file:///canary", "data:,canary", "localhost:8545"] {
            assert_eq!(NodeUrl::try_from(Url::parse(url).unwrap()), Err(NodeUrlError));
        }
    }

    #[test]
    fn keys_are_redacted_with_any_escapes() {
        let url = node("https://canary1:can%20ary2@a.example/v3/canary3/canary%2f4?x=canary5");
        for (text, clean) in [
            ("canary1 can ary2 can%20ary2", "‹…› ‹…› ‹…›"),
            ("/v3/canary3/canary%2f4 canary/4", "/v3/‹…›/‹…› ‹…›"),
            ("?x=canary5", "?x=‹…›"),
            ("Basic Y2FuYXJ5MTpjYW4gYXJ5Mg==", "Basic ‹…›"),
            ("CANARY1 Ünder /V3/Canary3, cAnary/4!", "‹…› Ünder /V3/‹…›, ‹…›!"),
            (r"/v3\/canary3\/canary\/4 canary\u002f4 canary\\u002F4", r"/v3\/‹…›\/‹…› ‹…› ‹…›"),
            (r"can\u0020ary2 \u0063anary3 canary%252f4 c%61nary5", "‹…› ‹…› ‹…› ‹…›"),
            (r"canar\y", r"canar\y"),
            ("method v3 not found", "method v3 not found"),
        ] {
            assert_eq!(url.redact(text), clean);
        }
        assert_eq!(node("http://localhost:8545").redact("a:b, c"), "a:b, c");
        assert_eq!(node("http://:canary%20%20@a.example").redact("x:canary"), "x:‹…›");
        assert_eq!(node("http://:p%40s!@a.example").redact("p@s! P%40S!"), "‹…› ‹…›");
    }
}
