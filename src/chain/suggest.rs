//! A chain that nobody here knows, and what may have been meant.

use similar::get_close_matches;

use super::registry::{ChainInfo, normalize_name};

/// So many suggestions are made.
const MAX_SUGGESTIONS: usize = 3;
/// So many chains are listed where several fit.
const MAX_LISTED_CHAINS: usize = 8;
/// A longer text is no mistyped name.
const MAX_MISTYPED_BYTES: usize = 40;
/// How much of two names has to be the same.
const MIN_SIMILARITY: f32 = 0.6;

/// Why what was given is not a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownChainError {
    /// No chain is called that.
    #[error(
        "unknown chain {text:?}: {}give a name or an id that `chainglass chains` lists, or an \
         explorer's base address (https://…)",
        did_you_mean(near)
    )]
    Unknown {
        /// What was given.
        text: String,
        /// What may have been meant: at most three.
        near: Vec<String>,
    },
    /// Several begin so, or are called so.
    #[error("{text:?} is more than one chain: give one of {}", format_list(fitting))]
    Ambiguous {
        /// What was given.
        text: String,
        /// All that fit.
        fitting: Vec<String>,
    },
}

impl UnknownChainError {
    pub(super) fn unknown<'a>(text: &str, chains: impl Iterator<Item = &'a ChainInfo>) -> Self {
        let text = without_secrets(text).to_owned();
        Self::Unknown { near: find_suggestions(&text, chains), text }
    }

    pub(super) fn ambiguous<'a>(text: &str, fitting: impl Iterator<Item = &'a ChainInfo>) -> Self {
        let text = without_secrets(text).to_owned();
        Self::Ambiguous { text, fitting: fitting.map(chain_label).collect() }
    }
}

/// A chain by what to type for it and by its name.
fn chain_label(known: &ChainInfo) -> String {
    format!("{} ({})", known.handle(), known.network.name)
}

/// Chains with names like the text.
fn find_suggestions<'a>(text: &str, chains: impl Iterator<Item = &'a ChainInfo>) -> Vec<String> {
    if text.len() > MAX_MISTYPED_BYTES {
        return Vec::new();
    }
    let names: Vec<(String, &ChainInfo)> =
        chains.flat_map(|known| known.normalized_names().map(move |name| (name, known))).collect();
    let words: Vec<&str> = names.iter().map(|(name, _)| &**name).collect();
    // A chain may be found by each of its names.
    let alike =
        get_close_matches(&*normalize_name(text), &words, 3 * MAX_SUGGESTIONS, MIN_SIMILARITY);
    let mut labels: Vec<String> = Vec::new();
    for (_, known) in alike.iter().filter_map(|a| names.iter().find(|(name, _)| name == a)) {
        let label = chain_label(known);
        if labels.len() < MAX_SUGGESTIONS && !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("did you mean {one}? Else "),
        [others @ .., last] => format!("did you mean {} or {last}? Else ", others.join(", ")),
    }
}

fn format_list(labels: &[String]) -> String {
    let shown =
        labels.iter().take(MAX_LISTED_CHAINS).map(String::as_str).collect::<Vec<_>>().join(", ");
    match labels.len().saturating_sub(MAX_LISTED_CHAINS) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What was given for a chain, without where a key or a password may stand.
fn without_secrets(text: &str) -> &str {
    let text = text.split(['?', '#']).next().unwrap_or(text);
    text.rsplit('@').next().unwrap_or(text)
}
