//! Parses what the user wants to open: an address, a transaction hash, an explorer link or a name.

use std::str::FromStr;

use url::Url;

use super::{Address, TxHash};
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TargetKind {
    Address(Address),
    Transaction(TxHash),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub kind: TargetKind,
    /// The base URL of the explorer if the text was a link: everything before `/address/…` or
    /// `/tx/…`.
    pub explorer: Option<Url>,
    /// Whether the address is in mixed case with a wrong checksum: a digit may be mistyped.
    pub checksum_mismatch: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetOrName {
    Target(Target),
    /// A name for the explorer's search: `vitalik.eth`, a token's symbol.
    Name(SafeText),
}

const MAX_NAME_CHARS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an address, transaction hash, explorer link or name")]
pub struct ParseTargetError;

impl FromStr for TargetKind {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let hex = hex.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.ok_or(ParseTargetError)? {
            hex if hex.len() == 40 => hex.parse().map(Self::Address),
            hex => hex.parse().map(Self::Transaction),
        }
        .map_err(|_| ParseTargetError)
    }
}

impl FromStr for Target {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        match text.parse() {
            Ok(kind) => Ok(Self {
                checksum_mismatch: has_checksum_mismatch(text, &kind),
                kind,
                explorer: None,
            }),
            Err(_) => parse_explorer_url(text).ok_or(ParseTargetError),
        }
    }
}

impl FromStr for TargetOrName {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        if let Ok(target) = text.parse() {
            return Ok(Self::Target(target));
        }
        // A mistyped hash or link is not a name.
        let is_mistyped = text.starts_with("0x") || text.starts_with("0X") || text.contains("://");
        let fits = !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS;
        if fits && !is_mistyped {
            Ok(Self::Name(SafeText::new(text)))
        } else {
            Err(ParseTargetError)
        }
    }
}

/// Returns whether an address is in mixed case but has a wrong checksum (EIP-55). It is not refused,
/// as servers accept any case.
fn has_checksum_mismatch(text: &str, kind: &TargetKind) -> bool {
    let digits = text.get(2..).unwrap_or_default();
    let has = |test: fn(&u8) -> bool| digits.bytes().any(|b| test(&b));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let checksum = match kind {
        TargetKind::Address(address) => address.to_string(),
        TargetKind::Transaction(_) => return false,
    };
    mixed && checksum.strip_prefix("0x") != Some(digits)
}

/// Parses `https://host[/path]/(address|tx|token)/0x…[/…]`.
fn parse_explorer_url(text: &str) -> Option<Target> {
    let mut url = Url::parse(text).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let segments: Vec<_> = url.path_segments()?.map(str::to_owned).collect();
    let place = segments.windows(2).position(|pair| {
        matches!(
            pair.first().map(String::as_str),
            Some("address" | "addresses" | "tx" | "transactions" | "token" | "tokens")
        ) && pair.last().is_some_and(|hash| hash.parse::<TargetKind>().is_ok())
    })?;
    let hash = segments.get(place + 1)?;
    let kind = hash.parse().ok()?;
    let mismatch = has_checksum_mismatch(hash, &kind);
    url.set_path(&segments.get(..place)?.join("/"));
    url.set_query(None);
    url.set_fragment(None);
    Some(Target { kind, explorer: Some(url), checksum_mismatch: mismatch })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TX: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

    #[test]
    fn hashes_parse_in_any_case() {
        for text in [ALICE, &ALICE.to_lowercase(), &ALICE.to_uppercase(), &format!(" {ALICE}\n")] {
            let target: Target = text.parse().unwrap();
            assert_eq!(target.kind, TargetKind::Address(ALICE.parse().unwrap()), "{text}");
        }
        let target: Target = TX.parse().unwrap();
        assert_eq!(target.kind, TargetKind::Transaction(TX.parse().unwrap()));
    }

    #[test]
    fn links_have_their_explorer() {
        for (url, explorer) in [
            (
                format!("https://eth.blockscout.com/address/{ALICE}?tab=txs"),
                "https://eth.blockscout.com/",
            ),
            (
                format!("https://cronos.org/explorer/address/{ALICE}/x#y"),
                "https://cronos.org/explorer",
            ),
            (
                format!("http://127.0.0.1:4000/api/v2/addresses/{ALICE}/transactions"),
                "http://127.0.0.1:4000/api/v2",
            ),
        ] {
            let target: Target = url.parse().unwrap();
            assert_eq!(target.kind, TargetKind::Address(ALICE.parse().unwrap()));
            assert_eq!(target.explorer.unwrap().as_str(), explorer);
        }
        let target: Target = format!("https://eth.blockscout.com/tx/{TX}").parse().unwrap();
        assert_eq!(target.kind, TargetKind::Transaction(TX.parse().unwrap()));
    }

    #[test]
    fn wrong_checksum_is_reported() {
        let mismatch = |text: &str| text.parse::<Target>().unwrap().checksum_mismatch;
        assert!(mismatch("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"));
        assert!(mismatch(
            "https://eth.blockscout.com/address/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"
        ));
        for sure in [ALICE, &ALICE.to_lowercase(), &ALICE.to_uppercase(), TX] {
            assert!(!mismatch(sure), "{sure}");
        }
    }

    #[test]
    fn other_texts_are_names() {
        let longest = "a".repeat(MAX_NAME_CHARS);
        for name in ["vitalik.eth", "GLD", "Glass Dollar", "12", "名前.eth", &longest] {
            assert_eq!(format!(" {name}\n").parse(), Ok(TargetOrName::Name(name.into())));
        }
        assert!(matches!(ALICE.parse(), Ok(TargetOrName::Target(_))));
        let hostile: TargetOrName = "a\u{1b}[31m".parse().unwrap();
        assert_eq!(hostile, TargetOrName::Name("a␛[31m".into()));
        for text in ["", " ", "0x12", "0Xzz", "https://eth.blockscout.com/", &(longest + "a")] {
            assert_eq!(text.parse::<TargetOrName>(), Err(ParseTargetError), "{text}");
        }
    }

    #[test]
    fn invalid_targets_are_refused() {
        for text in [
            "",
            "0x",
            "alice",
            "f39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
            "0x12",
            "0xzz",
            "https://eth.blockscout.com/",
            "https://x/address/0x12",
            "ftp://x/address/0x12",
            "file:///etc/passwd",
            &format!("{ALICE}00"),
        ] {
            assert_eq!(text.parse::<Target>(), Err(ParseTargetError), "{text}");
        }
    }
}
