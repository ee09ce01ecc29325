//! What the user points at: an address, a transaction, or an explorer's page about one.

use std::str::FromStr;

use url::Url;

use super::{Address, TxHash};
use crate::sanitize::SafeText;

/// A thing that can be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// An account or a contract.
    Address(Address),
    /// A transaction.
    Transaction(TxHash),
}

/// What somebody typed or pasted, recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What it points at.
    pub kind: TargetKind,
    /// The explorer it was copied from, when it was a web address: everything before
    /// `/address/…` or `/tx/…`.
    pub explorer: Option<Url>,
    /// It is an address in mixed case that is not its own checksum: a digit may be wrong.
    pub checksum_mismatch: bool,
}

/// What somebody typed or pasted, as far as it says itself where to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetOrName {
    /// It says where.
    Target(Target),
    /// It may be a name that an explorer knows: `vitalik.eth`, a token's symbol.
    Name(SafeText),
}

/// Longer texts are no names.
const MAX_NAME_CHARS: usize = 100;

/// Input that points at nothing we can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not something to open: give an address (0x and 40 hex digits), a transaction hash (0x and 64 \
     hex digits), an explorer's web address of one, or a name"
)]
pub struct ParseTargetError;

impl FromStr for TargetKind {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let hex =
            text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).ok_or(ParseTargetError)?;
        if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(ParseTargetError);
        }
        match hex.len() {
            40 => hex.parse().map(Self::Address).map_err(|_| ParseTargetError),
            64 => hex.parse().map(Self::Transaction).map_err(|_| ParseTargetError),
            _ => Err(ParseTargetError),
        }
    }
}

impl FromStr for Target {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        match text.parse() {
            Ok(subject) => Ok(Self {
                checksum_mismatch: has_checksum_mismatch(text, &subject),
                kind: subject,
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
        // What begins so was meant for a hash or a web address, and a digit or a word is wrong.
        let broken = text.starts_with("0x") || text.starts_with("0X") || text.contains("://");
        let fits = !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS;
        if fits && !broken { Ok(Self::Name(SafeText::new(text))) } else { Err(ParseTargetError) }
    }
}

/// Whether an address is in mixed case and yet not its own checksum (EIP-55). Services take any
/// case, so it is not refused.
fn has_checksum_mismatch(text: &str, subject: &TargetKind) -> bool {
    let digits = text.get(2..).unwrap_or_default();
    let has = |test: fn(&u8) -> bool| digits.bytes().any(|b| test(&b));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let sum = match subject {
        TargetKind::Address(address) => address.to_string(),
        TargetKind::Transaction(_) => return false,
    };
    mixed && sum.strip_prefix("0x") != Some(digits)
}

/// Reads `https://host[/path]/(address|tx|token)/0x…[/…]`.
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
    let subject = hash.parse().ok()?;
    let doubtful = has_checksum_mismatch(hash, &subject);
    url.set_path(&segments.get(..place)?.join("/"));
    url.set_query(None);
    url.set_fragment(None);
    Some(Target { kind: subject, explorer: Some(url), checksum_mismatch: doubtful })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TX: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

    #[test]
    fn hashes_in_any_case() {
        for text in [ALICE, &ALICE.to_lowercase(), &ALICE.to_uppercase(), &format!(" {ALICE}\n")] {
            let target: Target = text.parse().unwrap();
            assert_eq!(target.kind, TargetKind::Address(ALICE.parse().unwrap()), "{text}");
        }
        let target: Target = TX.parse().unwrap();
        assert_eq!(target.kind, TargetKind::Transaction(TX.parse().unwrap()));
    }

    #[test]
    fn web_addresses_name_their_explorer() {
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
    fn a_wrong_digit_is_noticed() {
        let doubtful = |text: &str| text.parse::<Target>().unwrap().checksum_mismatch;
        assert!(doubtful("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"));
        assert!(doubtful(
            "https://eth.blockscout.com/address/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"
        ));
        for sure in [ALICE, &ALICE.to_lowercase(), &ALICE.to_uppercase(), TX] {
            assert!(!doubtful(sure), "{sure}");
        }
    }

    #[test]
    fn names_are_what_may_be_one() {
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
    fn everything_else_is_refused() {
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
