//! The chains that this program knows, and what they can be called.

use std::sync::LazyLock;

use serde::Deserialize;
use url::Url;

use super::network::{DEFAULT_DECIMALS, DEMO_NAME, Endpoint, Network, normalize_base_url};
use crate::sanitize::SafeText;

/// A chain that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainInfo {
    /// The chain, asked at its own explorer.
    pub network: Network,
    /// Its short names; the first is the one that is shown.
    pub names: Vec<SafeText>,
    /// Who says so.
    pub source: ChainSource,
}

/// Who says what a chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainSource {
    /// It is in this program.
    Demo,
    /// The user's configuration.
    Config,
    /// The program's table.
    Table {
        /// Whether Blockscout hosts its explorer.
        hosted: bool,
    },
}

impl ChainInfo {
    /// What to type for it: its short name, else its id, else its explorer's address.
    pub fn handle(&self) -> String {
        let id = || self.network.id.map(|id| id.to_string());
        let name = self.names.first().map(ToString::to_string).or_else(id);
        name.or_else(|| self.network.web.as_ref().map(Url::to_string)).unwrap_or_default()
    }

    /// All that it is called, in one manner of writing.
    pub(super) fn normalized_names(&self) -> impl Iterator<Item = String> {
        self.all_names().map(normalize_name)
    }

    fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name).chain([&*self.network.name])
    }

    /// Whether this, in that manner, is its name or its id.
    pub(super) fn has_name_or_id(&self, text: &str) -> bool {
        let id = self.network.id.filter(|id| text.parse() == Ok(*id));
        id.is_some() || self.all_names().any(|name| normalized_chars(name).eq(text.chars()))
    }

    /// Whether a name of it begins so.
    pub(super) fn has_name_prefix(&self, text: &str) -> bool {
        self.all_names().any(|name| {
            let mut name = normalized_chars(name);
            text.chars().all(|c| name.next() == Some(c))
        })
    }

    /// Whether it has this in its id or a name; the text is written in any manner.
    pub fn matches_query(&self, text: &str) -> bool {
        let text = normalize_name(text);
        let id = self.network.id.map(|id| id.to_string());
        id.is_some_and(|id| id.starts_with(&text))
            || self.normalized_names().any(|name| name.contains(&text))
    }
}

/// A name in the one manner of writing that names are compared in.
pub(super) fn normalize_name(name: &str) -> String {
    normalized_chars(name).collect()
}

fn normalized_chars(name: &str) -> impl Iterator<Item = char> {
    let lower = name.trim().chars().flat_map(char::to_lowercase);
    lower.map(|c| if matches!(c, ' ' | '_') { '-' } else { c })
}

/// The demo chain.
pub(super) fn demo_chain() -> &'static ChainInfo {
    static CHAIN: LazyLock<ChainInfo> = LazyLock::new(|| ChainInfo {
        network: Network::demo(),
        names: vec![DEMO_NAME.into()],
        source: ChainSource::Demo,
    });
    &CHAIN
}

/// The chains of the table. It is read when it is first needed: the demo chain starts without.
pub(super) fn builtin_table() -> &'static [ChainInfo] {
    static TABLE: LazyLock<Vec<ChainInfo>> = LazyLock::new(load_builtin_table);
    &TABLE
}

#[derive(Deserialize)]
struct ChainFile<T> {
    chains: Vec<T>,
}

/// A line of `assets/chains.toml`.
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

/// A line of `assets/chains/names.toml`.
#[derive(Deserialize)]
struct ChainNamesRow {
    id: u64,
    names: Vec<String>,
}

// Both files are ours, and the tests read them.
fn load_builtin_table() -> Vec<ChainInfo> {
    let rows: Option<ChainFile<ChainRow>> =
        toml::from_str(include_str!("../../assets/chains.toml")).ok();
    let rows = rows.into_iter().flat_map(|file| file.chains);
    let mut chains: Vec<ChainInfo> = rows.filter_map(ChainRow::into_chain_info).collect();
    let names: Option<ChainFile<ChainNamesRow>> =
        toml::from_str(include_str!("../../assets/chains/names.toml")).ok();
    for ChainNamesRow { id, names } in names.into_iter().flat_map(|file| file.chains) {
        if let Some(chain) = chains.iter_mut().find(|chain| chain.network.id == Some(id)) {
            chain.names = names.into_iter().map(SafeText::from).collect();
        }
    }
    chains
}

impl ChainRow {
    fn into_chain_info(self) -> Option<ChainInfo> {
        let base = normalize_base_url(&Url::parse(&self.url).ok()?);
        let network = Network {
            id: self.id,
            name: SafeText::from(self.name).to_string(),
            symbol: self.symbol.map(SafeText::from),
            decimals: DEFAULT_DECIMALS,
            testnet: self.testnet,
            web: Some(base.clone()),
            endpoint: Endpoint::Remote(base),
        };
        Some(ChainInfo {
            network,
            names: Vec::new(),
            source: ChainSource::Table { hosted: self.hosted },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn rows<T: for<'a> Deserialize<'a>>(file: &str) -> Vec<T> {
        toml::from_str::<ChainFile<T>>(file).unwrap().chains
    }

    #[test]
    fn every_row_is_read() {
        let rows: Vec<ChainRow> = rows(include_str!("../../assets/chains.toml"));
        assert_eq!((rows.len(), builtin_table().len()), (730, 730));
        for row in rows {
            assert!(row.url.starts_with("https://"), "{}", row.url);
            let name = row.name.clone();
            let known = row.into_chain_info().unwrap();
            assert!(!name.is_empty() && known.network.name == name, "{name:?} hides something");
        }
    }

    #[test]
    fn ids_and_addresses_are_there_once() {
        let (mut ids, mut bases) = (HashSet::new(), HashSet::new());
        for ChainInfo { network, .. } in builtin_table() {
            assert!(network.id.is_none_or(|id| ids.insert(id)), "{network:?}");
            assert!(bases.insert(network.web.clone().unwrap()), "{network:?}");
        }
        assert!(!ids.contains(&Network::demo().id.unwrap()));
    }

    #[test]
    fn short_names_are_of_chains_that_are_there_and_of_one_only() {
        let mut seen = HashSet::new();
        let rows: Vec<ChainNamesRow> = rows(include_str!("../../assets/chains/names.toml"));
        assert!(rows.is_sorted_by_key(|row| row.id));
        for ChainNamesRow { id, names } in rows {
            assert!(builtin_table().iter().any(|chain| chain.network.id == Some(id)), "{id}");
            for name in names {
                assert_eq!(normalize_name(&name), name);
                assert!(seen.insert(name.clone()), "{name} is there twice");
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
    fn names_are_compared_in_one_manner_of_writing() {
        for name in ["OP Mainnet", " op-mainnet ", "Op_mainnet"] {
            assert_eq!(normalize_name(name), "op-mainnet");
        }
    }
}
