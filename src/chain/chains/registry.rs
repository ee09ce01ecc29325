//! The built-in chains and their names.

use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::chain::network::{DEMO_NAME, Network, normalize_base_url};
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainInfo {
    /// The chain, with its own explorer as the endpoint.
    pub network: Network,
    /// The short names. The first one is shown.
    pub names: Vec<SafeText>,
    pub source: ChainSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainSource {
    Demo,
    /// A node that runs on this machine.
    LocalNode,
    Config,
    Table {
        /// `true` if Blockscout hosts the explorer.
        hosted: bool,
    },
}

impl ChainInfo {
    /// Describes the chain of a node that runs on this machine, which has the name of its program.
    pub fn of_local_node(network: Network) -> Self {
        let names = vec![SafeText::new(&network.name)];
        Self { network, names, source: ChainSource::LocalNode }
    }

    /// Returns the text that selects the chain: a short name, else the id, else the explorer's URL.
    pub fn handle(&self) -> String {
        let id = || self.network.id.map(|id| id.to_string());
        let name = self.names.first().map(ToString::to_string).or_else(id);
        name.or_else(|| self.network.web.as_ref().map(Url::to_string)).unwrap_or_default()
    }

    pub(super) fn normalized_names(&self) -> impl Iterator<Item = String> {
        self.all_names().map(normalize_name)
    }

    pub(super) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name).chain([&*self.network.name])
    }

    /// Returns `true` if a normalized text is a name or the id.
    pub(super) fn has_name_or_id(&self, text: &str) -> bool {
        let id = self.network.id.filter(|id| text.parse() == Ok(*id));
        id.is_some() || self.all_names().any(|name| normalized_chars(name).eq(text.chars()))
    }

    pub(super) fn has_name_prefix(&self, text: &str) -> bool {
        self.all_names().any(|name| {
            let mut name = normalized_chars(name);
            text.chars().all(|c| name.next() == Some(c))
        })
    }

    /// Returns `true` if this chain has the id, or the explorer at the base URL.
    pub(super) fn is_same(&self, id: Option<u64>, base: &Url) -> bool {
        self.network.web.as_ref() == Some(base) || id.is_some() && self.network.id == id
    }

    /// Returns `true` if a text is a name or the id, in any spelling.
    pub fn is_called(&self, text: &str) -> bool {
        self.has_name_or_id(&normalize_name(text))
    }

    /// Returns `true` if the id starts with a text or a name contains it, in any spelling.
    pub fn matches_query(&self, text: &str) -> bool {
        let text = normalize_name(text);
        let id = self.network.id.map(|id| id.to_string());
        id.is_some_and(|id| id.starts_with(&text))
            || self.normalized_names().any(|name| name.contains(&text))
    }
}

/// Normalizes a name for comparison: lower case, with `-` for spaces and underscores.
pub(super) fn normalize_name(name: &str) -> String {
    normalized_chars(name).collect()
}

fn normalized_chars(name: &str) -> impl Iterator<Item = char> {
    let lower = name.trim().chars().flat_map(char::to_lowercase);
    lower.map(|c| if matches!(c, ' ' | '_') { '-' } else { c })
}

pub(super) fn demo_chain() -> &'static ChainInfo {
    static CHAIN: LazyLock<ChainInfo> = LazyLock::new(|| ChainInfo {
        network: Network::demo(),
        names: vec![DEMO_NAME.into()],
        source: ChainSource::Demo,
    });
    &CHAIN
}

/// Returns the built-in table. It is parsed at the first use, so the demo chain starts without it.
pub(super) fn builtin_table() -> &'static [ChainInfo] {
    static TABLE: LazyLock<Vec<ChainInfo>> = LazyLock::new(load_builtin_table);
    &TABLE
}

#[derive(Deserialize)]
struct ChainFile<T> {
    chains: Vec<T>,
}

#[derive(Deserialize)]
struct ChainRow {
    id: Option<u64>,
    name: String,
    url: String,
    symbol: Option<String>,
    #[serde(default)]
    testnet: bool,
    #[serde(default)]
    hosted: bool,
}

#[derive(Deserialize)]
struct ChainNamesRow {
    id: u64,
    names: Vec<String>,
}

fn load_builtin_table() -> Vec<ChainInfo> {
    let rows = parse_rows(include_str!("../../../assets/chains.toml"));
    let mut chains: Vec<_> = rows.into_iter().filter_map(ChainRow::into_chain_info).collect();
    let named: Vec<ChainNamesRow> = parse_rows(include_str!("../../../assets/chains/names.toml"));
    let place = |chain: &ChainInfo| named.iter().position(|row| Some(row.id) == chain.network.id);
    chains.sort_by_cached_key(|chain| place(chain).unwrap_or(named.len()));
    for (chain, row) in chains.iter_mut().zip(named) {
        chain.names = row.names.into_iter().map(SafeText::from).collect();
    }
    chains
}

// The files are built in and covered by tests, so errors are not reported.
fn parse_rows<T: DeserializeOwned>(file: &str) -> Vec<T> {
    toml::from_str(file).map_or_else(|_| Vec::new(), |file: ChainFile<T>| file.chains)
}

impl ChainRow {
    fn into_chain_info(self) -> Option<ChainInfo> {
        let base = normalize_base_url(&Url::parse(&self.url).ok()?);
        let network = Network {
            id: self.id,
            name: SafeText::from(self.name).to_string(),
            symbol: self.symbol.map(SafeText::from),
            testnet: self.testnet,
            ..Network::from_base_url(base)
        };
        let source = ChainSource::Table { hosted: self.hosted };
        Some(ChainInfo { network, names: Vec::new(), source })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_is_valid() {
        let rows: Vec<ChainRow> = parse_rows(include_str!("../../../assets/chains.toml"));
        assert_eq!((rows.len(), builtin_table().len()), (730, 730));
        for row in rows {
            assert!(row.url.starts_with("https://"), "{}", row.url);
            let name = row.name.clone();
            let known = row.into_chain_info().unwrap();
            assert!(!name.is_empty() && known.network.name == name, "{name:?} hides something");
        }
    }

    #[test]
    fn filter_looks_into_names_and_for_the_start_of_ids() {
        let optimism = builtin_table().iter().find(|chain| chain.network.id == Some(10)).unwrap();
        for (text, expected) in [
            ("10", true),
            ("1", true),
            ("0", false),
            ("OP Main", true),
            ("mainnet", true),
            ("x", false),
        ] {
            assert_eq!(optimism.matches_query(text), expected, "{text}");
        }
    }

    #[test]
    fn ids_and_urls_are_unique() {
        let (mut ids, mut bases) = (HashSet::new(), HashSet::new());
        for ChainInfo { network, .. } in builtin_table() {
            assert!(network.id.is_none_or(|id| ids.insert(id)), "{network:?}");
            assert!(bases.insert(network.web.clone().unwrap()), "{network:?}");
        }
        assert!(!ids.contains(&Network::demo().id.unwrap()));
    }

    #[test]
    fn short_names_belong_to_one_existing_chain() {
        let mut seen = HashSet::new();
        let rows: Vec<ChainNamesRow> =
            parse_rows(include_str!("../../../assets/chains/names.toml"));
        assert!(
            rows.iter().zip(builtin_table()).all(|(row, chain)| chain.network.id == Some(row.id))
        );
        for ChainNamesRow { id, names } in rows {
            assert!(builtin_table().iter().any(|chain| chain.network.id == Some(id)), "{id}");
            for name in names {
                assert_eq!(normalize_name(&name), name);
                assert!(seen.insert(name.clone()), "{name} is a duplicate");
                let mut others =
                    builtin_table().iter().filter(|chain| chain.network.id != Some(id));
                assert!(
                    others.all(|other| !other.has_name_or_id(&name)),
                    "{name} is another chain's name"
                );
            }
        }
    }

    #[test]
    fn names_are_normalized() {
        for name in ["OP Mainnet", " op-mainnet ", "Op_mainnet"] {
            assert_eq!(normalize_name(name), "op-mainnet");
        }
    }
}
