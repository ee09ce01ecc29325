//! Parses the user's input for opening a page: an address, a transaction hash, an explorer link or a
//! name.

use std::fmt;
use std::str::FromStr;

use url::Url;

use super::other_explorers::{chain_by_name, parse_other_explorer_link};
use super::{Address, BlockId, TxHash, U256};
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TargetKind {
    Address(Address),
    Transaction(TxHash),
    Block(BlockId),
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Transaction(hash) => write!(f, "{hash}"),
            Self::Block(id) => id.fmt(f),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub kind: TargetKind,
    /// The token page of the address, if the link is to one.
    pub token_page: Option<TokenPage>,
    /// The chain of a link, unless the link does not name it.
    pub chain: Option<LinkedChain>,
    /// `true` if the address is in mixed case with a wrong checksum: a digit may be mistyped.
    pub checksum_mismatch: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPage {
    Token,
    Instance(U256),
}

/// The chain of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedChain {
    /// The chain of the Blockscout instance at a base URL: everything before `/address/…` or `/tx/…`.
    At(Url),
    /// The chain with an id, on an explorer of another kind.
    Id(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetOrName {
    Target(Target),
    /// A name for the explorer's search: `vitalik.eth`, a token's symbol.
    Name(SafeText),
}

impl TargetOrName {
    pub fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Target(target) => target.chain.as_ref(),
            Self::Name(_) => None,
        }
    }
}

const MAX_NAME_CHARS: usize = 100;

/// Upper bound on the targets that are found in a text.
const MAX_TARGETS: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseTargetError {
    Unknown,
    /// The targets in a text that contains several, or the hash in one that contains more: it may be
    /// a private key.
    Unclear(Vec<Target>),
}

impl FromStr for TargetKind {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let hex = hex.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.ok_or(ParseTargetError::Unknown)? {
            hex if hex.len() == 40 => hex.parse().map(Self::Address),
            hex => hex.parse().map(Self::Transaction),
        }
        .map_err(|_| ParseTargetError::Unknown)
    }
}

impl FromStr for Target {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        if let Some(kind) = text.parse().ok().or_else(|| parse_block_number(text)) {
            return Ok(Self::new(text, kind));
        }
        if let Some(target) = parse_link(text) {
            return Ok(target);
        }
        let found = find_targets(text);
        match &found[..] {
            [] => Err(ParseTargetError::Unknown),
            [one] if one.chain.is_some() || matches!(one.kind, TargetKind::Address(_)) => {
                Ok(one.clone())
            }
            _ => Err(ParseTargetError::Unclear(found)),
        }
    }
}

impl Target {
    fn new(text: &str, kind: TargetKind) -> Self {
        let checksum_mismatch = has_checksum_mismatch(text, &kind);
        Self { kind, token_page: None, chain: None, checksum_mismatch }
    }
}

impl FromStr for TargetOrName {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let text = text.trim();
        match text.parse() {
            Ok(target) => return Ok(Self::Target(target)),
            Err(unclear @ ParseTargetError::Unclear(_)) => return Err(unclear),
            Err(ParseTargetError::Unknown) => {}
        }
        // A mistyped hash or link is not a name.
        let is_mistyped = text.starts_with("0x") || text.starts_with("0X") || text.contains("://");
        let fits = !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS;
        if fits && !is_mistyped {
            Ok(Self::Name(SafeText::new(text)))
        } else {
            Err(ParseTargetError::Unknown)
        }
    }
}

/// Returns `true` if an address is in mixed case but has a wrong checksum (EIP-55). It is not refused,
/// as servers accept any case.
pub fn has_checksum_mismatch(text: &str, kind: &TargetKind) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let has = |test: fn(&u8) -> bool| digits.bytes().any(|b| test(&b));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let checksum = match kind {
        TargetKind::Address(address) => address.to_string(),
        TargetKind::Transaction(_) | TargetKind::Block(_) => return false,
    };
    mixed && checksum.strip_prefix("0x") != Some(digits)
}

/// Returns the links, addresses and hashes in a text, as in a log or in source code, each once.
fn find_targets(text: &str) -> Vec<Target> {
    let is_delimiter = |c: char| c.is_whitespace() || "\"'`<>()[]{},;|".contains(c);
    let mut found: Vec<Target> = Vec::new();
    for part in text.split(is_delimiter) {
        let link = parse_link(part);
        let hashes = find_hashes(part).filter(|_| link.is_none());
        for target in link.iter().cloned().chain(hashes) {
            if found.iter().all(|known| known.kind != target.kind) && found.len() < MAX_TARGETS {
                found.push(target);
            }
        }
    }
    found
}

/// Returns the addresses, with or without `0x`, and the hashes in a text without spaces, on the chain
/// that a prefix names (`eth:0x…`, ERC-3770).
fn find_hashes(text: &str) -> impl Iterator<Item = Target> {
    let chain = text.split_once(':').and_then(|(name, _)| chain_by_name(name));
    words(text).filter_map(move |word| {
        let digits = || word.parse().ok().filter(|_| word.len() == 40).map(TargetKind::Address);
        let kind = word.parse().ok().or_else(digits)?;
        Some(Target { chain: chain.map(LinkedChain::Id), ..Target::new(word, kind) })
    })
}

fn parse_block_number(text: &str) -> Option<TargetKind> {
    let number = parse_id(text)?.try_into().ok()?;
    Some(TargetKind::Block(BlockId::Number(number)))
}

/// Parses a link with a hash, an address or a block. A link of the form
/// `https://host[/path]/(address|tx|token|block)/0x…[/…]` is to a Blockscout instance, unless the host
/// is known as another explorer.
fn parse_link(text: &str) -> Option<Target> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let segments: Vec<String> = url.path_segments()?.map(str::to_owned).collect();
    let (place, kind) = match find_in_path(&segments) {
        Some((place, kind)) => (Some(place), kind),
        None => (None, find_in_query(&url).or_else(|| find_anywhere(text))?),
    };
    let (before, after) = segments.split_at_checked(place.unwrap_or(segments.len()))?;
    let is_address = matches!(kind, TargetKind::Address(_));
    let token_page = find_token_page(before, after, &url).filter(|_| is_address);
    let chain = match (parse_other_explorer_link(&url, before), before.split_last()) {
        (Some(link), _) => link.chain.map(LinkedChain::Id),
        (None, Some((page, base))) if place.is_some() && is_page(page) => {
            Some(LinkedChain::At(base_url(url, base)))
        }
        // A page of any other kind may name the chain: `/assets/ethereum/0x…`.
        _ => before.iter().find_map(|part| chain_by_name(part)).map(LinkedChain::Id),
    };
    let checksum_mismatch = words(text)
        .any(|word| word.parse() == Ok(kind.clone()) && has_checksum_mismatch(word, &kind));
    Some(Target { kind, token_page, chain, checksum_mismatch })
}

/// Returns the page of a token in a link: `/token/0x…`, `/token/0x…/instance/7`, `/token/0x…?a=7` or
/// `/nft/0x…/7`.
fn find_token_page(before: &[String], after: &[String], url: &Url) -> Option<TokenPage> {
    after.first()?;
    let is_token =
        |part: &String| matches!(&**part, "token" | "tokens" | "nft" | "assets" | "item");
    before.iter().find(|part| is_token(part))?;
    let mut pairs = url.query_pairs();
    let in_query = pairs.find(|(name, _)| name == "a").and_then(|(_, id)| parse_id(&id));
    let id = after.iter().find_map(|part| parse_id(part)).or(in_query);
    Some(id.map_or(TokenPage::Token, TokenPage::Instance))
}

fn parse_id(text: &str) -> Option<U256> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Returns the target of a path, and its position there: the last part after `block`, or the first that
/// is a hash or an address.
fn find_in_path(segments: &[String]) -> Option<(usize, TargetKind)> {
    let is_block = |segment: &String| matches!(&**segment, "block" | "blocks");
    let after_block = segments.iter().position(is_block).map_or(segments.len(), |at| at + 1);
    let id = |segment: &String| segment.parse().ok().filter(|_| !segment.is_empty());
    let mut parts = segments.iter().enumerate();
    let block = parts.clone().skip(after_block).rev();
    let mut block = block.filter_map(|(at, part)| Some((at, TargetKind::Block(id(part)?))));
    block.next().or_else(|| parts.find_map(|(at, part)| Some((at, part.parse().ok()?))))
}

/// Returns the block in the query of a list: `/txs?block=12`.
fn find_in_query(url: &Url) -> Option<TargetKind> {
    let mut pairs = url.query_pairs();
    pairs.find_map(|(name, value)| parse_block_number(&value).filter(|_| name == "block"))
}

fn find_anywhere(text: &str) -> Option<TargetKind> {
    words(text).find_map(|word| word.parse().ok())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
}

/// Returns `true` if a part of a path comes before the hash on pages of Blockscout.
fn is_page(part: &str) -> bool {
    let pages =
        ["address", "addresses", "tx", "transactions", "token", "tokens", "block", "blocks"];
    pages.contains(&part)
}

fn base_url(mut url: Url, path: &[String]) -> Url {
    url.set_path(&path.join("/"));
    url.set_query(None);
    url.set_fragment(None);
    url
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
            assert_eq!(target.chain, Some(LinkedChain::At(explorer.parse().unwrap())), "{url}");
        }
        let target: Target = format!("https://eth.blockscout.com/tx/{TX}").parse().unwrap();
        assert_eq!(target.kind, TargetKind::Transaction(TX.parse().unwrap()));
    }

    #[test]
    fn links_to_other_explorers_have_their_chain() {
        for (link, id) in [
            ("https://etherscan.io/tx/{TX}", Some(1)),
            ("https://www.etherscan.io/tx/{TX}#eventlog", Some(1)),
            ("https://etherscan.io/nft/{ADDRESS}/12", Some(1)),
            (
                "https://etherscan.io/token/{ADDRESS}?a=0x00000000000000000000000000000000000000aa",
                Some(1),
            ),
            ("https://etherscan.io/tokenholdings?a={ADDRESS}", Some(1)),
            ("https://sepolia.etherscan.io/address/{ADDRESS}#code", Some(11_155_111)),
            ("https://optimistic.etherscan.io/tx/{TX}", Some(10)),
            ("https://goerli.etherscan.io/tx/{TX}", None),
            ("https://basescan.org/tx/{TX}", Some(8_453)),
            ("https://sepolia.basescan.org/tx/{TX}", Some(84_532)),
            ("https://bscscan.com/tx/{TX}", Some(56)),
            ("https://snowtrace.io/tx/{TX}?chainid=43113", Some(43_113)),
            ("https://routescan.io/tx/{TX}?chainid=1", Some(1)),
            ("https://43114.routescan.io/address/{ADDRESS}", Some(43_114)),
            ("https://43113.testnet.routescan.io/address/{ADDRESS}", Some(43_113)),
            ("https://sepolia.otterscan.io/tx/{TX}", Some(11_155_111)),
            ("http://localhost:5100/tx/{TX}", None),
            ("https://app.blocksec.com/explorer/tx/eth/{TX}?line=2", Some(1)),
            ("https://phalcon.blocksec.com/explorer/tx/arbitrum/{TX}", Some(42_161)),
            ("https://dashboard.tenderly.co/tx/mainnet/{TX}", Some(1)),
            ("https://dashboard.tenderly.co/explorer/tx/8453/{TX}/gas-usage", Some(8_453)),
            ("https://dashboard.tenderly.co/tx/optimistic/{TX}", Some(10)),
            ("https://blockscan.com/address/{ADDRESS}", None),
            ("https://etherscan.io/tx/{TX}?block=12", Some(1)),
            ("https://forum.example/post?tx={TX}", None),
            ("https://forum.example/{ADDRESS}", None),
            ("https://lite.example/#/tx/{TX}", None),
            ("https://opensea.io/assets/ethereum/{ADDRESS}/12", Some(1)),
            ("https://opensea.io/item/matic/{ADDRESS}/12", Some(137)),
            ("https://app.uniswap.org/explore/tokens/arbitrum/{ADDRESS}", Some(42_161)),
            ("https://openchain.xyz/trace/ethereum/{TX}", Some(1)),
        ] {
            let text = link.replace("{TX}", TX).replace("{ADDRESS}", ALICE);
            let target: Target = text.parse().unwrap();
            let kind = if link.contains("{TX}") { TX } else { ALICE }.parse().unwrap();
            assert_eq!((target.kind, target.chain), (kind, id.map(LinkedChain::Id)), "{text}");
        }
    }

    #[test]
    fn links_to_tokens_open_their_pages() {
        let instance = |id: u64| Some(TokenPage::Instance(U256::from(id)));
        for (link, page) in [
            ("https://etherscan.io/token/{ADDRESS}", Some(TokenPage::Token)),
            ("https://etherscan.io/token/{ADDRESS}#balances", Some(TokenPage::Token)),
            ("https://etherscan.io/token/{ADDRESS}?a={ADDRESS}", Some(TokenPage::Token)),
            ("https://basescan.org/token/{ADDRESS}?a=12", instance(12)),
            ("https://etherscan.io/nft/{ADDRESS}/12", instance(12)),
            ("https://eth.blockscout.com/token/{ADDRESS}?tab=holders", Some(TokenPage::Token)),
            ("https://x.example/sub/token/{ADDRESS}/instance/7", instance(7)),
            ("http://127.0.0.1:4/api/v2/tokens/{ADDRESS}/instances/7/transfers", instance(7)),
            ("https://opensea.io/assets/ethereum/{ADDRESS}/12", instance(12)),
            ("https://opensea.io/item/matic/{ADDRESS}/12", instance(12)),
            ("https://etherscan.io/address/{ADDRESS}", None),
            ("https://etherscan.io/tokenholdings?a={ADDRESS}", None),
            ("https://x.example/address/{ADDRESS}/token/7", None),
            ("{ADDRESS}", None),
        ] {
            let target: Target = link.replace("{ADDRESS}", ALICE).parse().unwrap();
            assert_eq!(target.kind, TargetKind::Address(ALICE.parse().unwrap()), "{link}");
            assert_eq!(target.token_page, page, "{link}");
        }
        let huge = format!("https://x.example/token/{ALICE}/instance/{}", "9".repeat(99));
        assert_eq!(huge.parse::<Target>().unwrap().token_page, Some(TokenPage::Token));
    }

    #[test]
    fn numbers_and_links_open_blocks() {
        let (number, hash) = (BlockId::Number(333), BlockId::Hash(TX.parse().unwrap()));
        let at = |base: &str| Some(LinkedChain::At(base.parse().unwrap()));
        for (text, id, chain) in [
            (" 333\n", number, None),
            (
                "https://eth.blockscout.com/block/333?tab=txs",
                number,
                at("https://eth.blockscout.com"),
            ),
            ("https://x.example/sub/block/{TX}", hash, at("https://x.example/sub")),
            (
                "http://127.0.0.1:4/api/v2/blocks/333/transactions",
                number,
                at("http://127.0.0.1:4/api/v2"),
            ),
            ("https://etherscan.io/block/333", number, Some(LinkedChain::Id(1))),
            ("https://etherscan.io/block/countdown/333", number, Some(LinkedChain::Id(1))),
            ("https://etherscan.io/txs?block=333&p=2", number, Some(LinkedChain::Id(1))),
            ("https://basescan.org/block/{TX}", hash, Some(LinkedChain::Id(8_453))),
            (
                "https://sepolia.otterscan.io/block/333/txs",
                number,
                Some(LinkedChain::Id(11_155_111)),
            ),
            ("https://43114.routescan.io/block/333", number, Some(LinkedChain::Id(43_114))),
            (
                "https://dashboard.tenderly.co/explorer/block/10/333",
                number,
                Some(LinkedChain::Id(10)),
            ),
        ] {
            let text = text.replace("{TX}", TX);
            let kind = TargetKind::Block(id);
            let target = Target { kind, token_page: None, chain, checksum_mismatch: false };
            assert_eq!(text.parse(), Ok(target), "{text}");
        }
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
        for name in ["vitalik.eth", "GLD", "Glass Dollar", "12a", "+12", "名前.eth", &longest] {
            assert_eq!(format!(" {name}\n").parse(), Ok(TargetOrName::Name(name.into())));
        }
        assert!(matches!(ALICE.parse(), Ok(TargetOrName::Target(_))));
        let hostile: TargetOrName = "a\u{1b}[31m".parse().unwrap();
        assert_eq!(hostile, TargetOrName::Name("a␛[31m".into()));
        for text in ["", " ", "0x12", "0Xzz", "https://eth.blockscout.com/", &(longest + "a")] {
            assert_eq!(text.parse::<TargetOrName>(), Err(ParseTargetError::Unknown), "{text}");
        }
    }

    #[test]
    fn a_target_is_found_in_a_text() {
        let (address, tx) = (ALICE.parse().unwrap(), TX.parse().unwrap());
        for (text, kind, chain) in [
            ("{ADDRESS}", &address, None),
            ("\"{ADDRESS}\",", &address, None),
            ("address alice = {ADDRESS};", &address, None),
            ("eth:{ADDRESS}", &address, Some(1)),
            ("matic:{ADDRESS}", &address, Some(137)),
            ("to:{ADDRESS}", &address, None),
            ("{DIGITS}", &address, None),
            ("see <https://etherscan.io/tx/{TX}>.", &tx, Some(1)),
        ] {
            let text = text.replace("{ADDRESS}", ALICE).replace("{TX}", TX);
            let text = text.replace("{DIGITS}", &ALICE[2..]);
            let target: Target = text.parse().unwrap();
            assert_eq!((&target.kind, target.chain), (kind, chain.map(LinkedChain::Id)), "{text}");
            assert!(!target.checksum_mismatch, "{text}");
        }
        let mistyped = &ALICE.replace("92266", "92267")[2..];
        assert!(mistyped.parse::<Target>().unwrap().checksum_mismatch);
    }

    #[test]
    fn targets_in_a_text_are_listed() {
        let listed = |text: &str| match text.parse::<TargetOrName>() {
            Err(ParseTargetError::Unclear(found)) => found.into_iter().map(|target| target.kind),
            other => panic!("{text}: {other:?}"),
        };
        let (address, tx): (TargetKind, TargetKind) = (ALICE.parse().unwrap(), TX.parse().unwrap());
        let both = [tx.clone(), address];
        assert!(listed(&format!("{TX} from {ALICE} to {ALICE}")).eq(both));
        for text in
            ["tx: {TX}", "Transaction hash: {TX} (mined in block 12)", "KEY={TX}", "{TX}\n{TX}"]
        {
            assert!(listed(&text.replace("{TX}", TX)).eq([tx.clone()]), "{text}");
        }
        let many: Vec<String> = (0..MAX_TARGETS + 9).map(|n| format!("0x{n:040x}")).collect();
        assert_eq!(listed(&many.join("\n")).count(), MAX_TARGETS);
        // A hash always has its prefix: keys are often without one.
        assert_eq!(TX[2..].parse(), Ok(TargetOrName::Name(TX[2..].into())));
    }

    #[test]
    fn invalid_targets_are_refused() {
        for text in [
            "",
            "0x",
            "alice",
            "0x12",
            "0xzz",
            "https://eth.blockscout.com/",
            "https://x/address/0x12",
            "ftp://x/address/0x12",
            "file:///etc/passwd",
            &format!("{ALICE}00"),
        ] {
            assert_eq!(text.parse::<Target>(), Err(ParseTargetError::Unknown), "{text}");
        }
    }
}
