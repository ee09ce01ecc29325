//! The errors for unknown and ambiguous chain names, with suggestions.

use strsim::normalized_damerau_levenshtein;
use url::Url;

use super::registry::{ChainInfo, normalize_name};
use crate::chain::explorer_links::chain_by_name;
use crate::chain::network::without_secrets;
use crate::chain::node_url::NodeUrl;

const MAX_SUGGESTIONS: usize = 3;
/// Maximum length of a mistyped name.
const MAX_MISTYPED_BYTES: usize = 40;
/// Similarity of a suggestion: one or two wrong letters, but not a shared word like `chain`.
const MIN_SIMILARITY: f64 = 0.7;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownChainError {
    Unknown {
        /// The given text, without secrets.
        text: String,
        /// Similar chains, at most `MAX_SUGGESTIONS`.
        near: Vec<String>,
    },
    /// A chain of which only explorers other than Blockscout are known.
    NoExplorer { text: String, id: u64 },
    /// A node's WebSocket, with its address alone.
    WebSocket { http: String },
    /// Several chains have this name, or names that start with it.
    Ambiguous { text: String, fitting: Vec<String> },
}

impl UnknownChainError {
    pub(super) fn unknown<'a>(text: &str, chains: impl Iterator<Item = &'a ChainInfo>) -> Self {
        if let Some(http) = http_of_websocket(text) {
            return Self::WebSocket { http };
        }
        let text = without_secrets(text);
        if let Some(id) = chain_by_name(&normalize_name(&text)) {
            return Self::NoExplorer { text, id };
        }
        Self::Unknown { near: find_suggestions(&text, chains), text }
    }

    /// Returns `true` if the text names a chain that is known, but cannot be opened by it.
    pub fn is_understood(&self) -> bool {
        matches!(self, Self::NoExplorer { .. } | Self::WebSocket { .. })
    }

    pub(super) fn ambiguous<'a>(text: &str, fitting: impl Iterator<Item = &'a ChainInfo>) -> Self {
        let text = without_secrets(text);
        Self::Ambiguous { text, fitting: fitting.map(chain_label).collect() }
    }
}

/// Returns the URL by which nodes serve HTTP at the same port, without keys.
fn http_of_websocket(text: &str) -> Option<String> {
    let mut url = Url::parse(text).ok()?;
    let scheme = match url.scheme() {
        "ws" => "http",
        "wss" => "https",
        _ => return None,
    };
    url.set_scheme(scheme).ok()?;
    let address = NodeUrl::try_from(url).ok()?.shown_address();
    Some(format!("{scheme}://{address}"))
}

/// Returns a chain's name, with the text to type for it.
fn chain_label(known: &ChainInfo) -> String {
    format!("{} ({})", known.handle(), known.network.name)
}

fn find_suggestions<'a>(text: &str, chains: impl Iterator<Item = &'a ChainInfo>) -> Vec<String> {
    if text.len() > MAX_MISTYPED_BYTES {
        return Vec::new();
    }
    let text = normalize_name(text);
    let mut alike: Vec<(f64, &ChainInfo)> = chains
        .flat_map(|known| known.normalized_names().map(move |name| (name, known)))
        .map(|(name, known)| (normalized_damerau_levenshtein(&text, &name), known))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Several names of one chain may be similar.
    let mut labels: Vec<String> = Vec::new();
    for (_, known) in alike {
        let label = chain_label(known);
        if labels.len() < MAX_SUGGESTIONS && !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::chains::registry::builtin_table;

    #[test]
    fn few_of_many_similar_chains_are_suggested() {
        let near = find_suggestions("linea testnet", builtin_table().iter());
        assert_eq!(near.len(), MAX_SUGGESTIONS, "{near:?}");
    }
}
