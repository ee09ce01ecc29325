//! Links to explorers other than Blockscout: their hosts, and the chain that a link names. `target` parses the
//! paths of all explorers.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use url::{Position, Url};

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
        toml::from_str(include_str!("../../assets/chains/other_explorers.toml"))
            .unwrap_or_default();
    let hosts = table.explorers.into_iter().map(|row| (row.host, row.id)).collect();
    KnownHosts { hosts, names: table.names }
});

/// A link to an explorer other than Blockscout.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OtherExplorerLink {
    /// Id of the chain in the link.
    pub(super) chain: Option<u64>,
}

/// Returns `None` if the link is not to a known explorer. `parts` are the segments of the path before
/// the hash.
pub(super) fn parse_other_explorer_link(url: &Url, parts: &[String]) -> Option<OtherExplorerLink> {
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let host = host.strip_prefix("www.").unwrap_or(host);
    let mut domain = host;
    let id = loop {
        match KNOWN_HOSTS.hosts.get(domain) {
            Some(id) => break id.filter(|_| domain == host),
            None => domain = domain.split_once('.')?.1,
        }
    };
    let in_query = url.query_pairs().find(|(name, _)| name.eq_ignore_ascii_case("chainid"));
    let in_query = in_query.and_then(|(_, id)| named_chain(&id));
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
}
