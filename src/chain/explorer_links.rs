//! Links to explorers: the paths of their pages, the hosts of explorers other than Blockscout, and the chain
//! that a link names.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use url::{Position, Url};

use super::target::{
    LinkedChain, Target, TargetKind, TokenPage, has_checksum_mismatch, parse_block_number,
    parse_id, words,
};

#[derive(Default, Deserialize)]
struct ExplorerTable {
    explorers: Vec<ExplorerRow>,
    names: HashMap<String, u64>,
}

#[derive(Deserialize)]
struct ExplorerRow {
    host: String,
    id: Option<u64>,
}

struct KnownHosts {
    /// Chain of each host, if all its pages are about one.
    hosts: BTreeMap<String, Option<u64>>,
    names: HashMap<String, u64>,
}

static KNOWN_HOSTS: LazyLock<KnownHosts> = LazyLock::new(|| {
    // The file is built in and covered by tests.
    let table: ExplorerTable =
        toml::from_str(include_str!("../../assets/chains/explorer_link_hosts.toml"))
            .unwrap_or_default();
    let hosts = table.explorers.into_iter().map(|row| (row.host, row.id)).collect();
    KnownHosts { hosts, names: table.names }
});

/// Parses a link with a hash, an address or a block. A link of the form
/// `https://host[/path]/(address|tx|token|block)/0x…[/…]` is to a Blockscout instance, unless the host
/// is known as another explorer.
pub(super) fn parse_link(text: &str) -> Option<Target> {
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

/// Returns the target of a path, and its position there: the last part after `block`, or the first that
/// is a hash or an address.
fn find_in_path(segments: &[String]) -> Option<(usize, TargetKind)> {
    let after_block = segments
        .iter()
        .position(|segment| matches!(&**segment, "block" | "blocks"))
        .map_or(segments.len(), |at| at + 1);
    let mut parts = segments.iter().enumerate();
    let mut block = parts.clone().skip(after_block).rev().filter_map(|(at, part)| {
        Some((at, TargetKind::Block(part.parse().ok().filter(|_| !part.is_empty())?)))
    });
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

/// A link to an explorer other than Blockscout.
#[derive(Debug, PartialEq, Eq)]
struct OtherExplorerLink {
    /// Id of the chain in the link.
    chain: Option<u64>,
}

/// Returns `None` if the link is not to a known explorer. `parts` are the segments of the path before
/// the hash.
fn parse_other_explorer_link(url: &Url, parts: &[String]) -> Option<OtherExplorerLink> {
    let full_host = &url[Position::BeforeHost..Position::AfterPort];
    let host = full_host.strip_prefix("www.").unwrap_or(full_host);
    let mut domain = host;
    let id = loop {
        match KNOWN_HOSTS.hosts.get(domain) {
            Some(id) => break id.filter(|_| domain == host),
            None => domain = domain.split_once('.')?.1,
        }
    };
    let in_query = url
        .query_pairs()
        .find(|(name, _)| name.eq_ignore_ascii_case("chainid"))
        .and_then(|(_, id)| named_chain(&id));
    let mut labels = host.split('.').chain(parts.iter().map(String::as_str));
    Some(OtherExplorerLink { chain: in_query.or(id).or_else(|| labels.find_map(named_chain)) })
}

/// Returns the id of a chain by its name in a page's URL.
pub(super) fn chain_by_name(name: &str) -> Option<u64> {
    KNOWN_HOSTS.names.get(&name.to_lowercase()).copied()
}

fn named_chain(name: &str) -> Option<u64> {
    name.parse().ok().or_else(|| chain_by_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::U256;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TX: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

    #[test]
    fn every_row_is_used() {
        let KnownHosts { hosts, names } = &*KNOWN_HOSTS;
        assert!(hosts.len() > 50 && names.len() > 30, "the file cannot be parsed");
        for (host, id) in hosts {
            let url = format!("https://{host}/tx/0x12").parse().unwrap();
            assert_eq!(
                parse_other_explorer_link(&url, &[]),
                Some(OtherExplorerLink { chain: *id }),
                "{host}"
            );
        }
        for (name, id) in names {
            let url = "https://dashboard.tenderly.co/tx".parse().unwrap();
            let link = parse_other_explorer_link(&url, &["tx".into(), name.to_uppercase()]);
            assert_eq!(link, Some(OtherExplorerLink { chain: Some(*id) }));
        }
        let blockscout = "https://eth.blockscout.com/tx/0x12".parse().unwrap();
        assert_eq!(parse_other_explorer_link(&blockscout, &["1".into()]), None);
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
}
