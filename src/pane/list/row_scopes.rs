//! The scopes of a search in a list: the columns that they name, and the likeliest scope for a
//! mistyped word.

use strsim::normalized_damerau_levenshtein;

use crate::api::ListSubject;
use crate::columns::column::ColumnHead;

/// One wrong letter of three.
const MIN_SCOPE_SIMILARITY: f64 = 0.66;

/// Scopes, each with titles and CSV names of columns that it also searches.
const SCOPE_ALIASES: [(&str, &[&str]); 9] = [
    ("amount", &["balance", "held", "value"]),
    ("date", &["age"]),
    ("val", &["value"]),
    ("fn", &["method"]),
    ("err", &["error", "status"]),
    ("status", &["error"]),
    ("party", &["counterparty"]),
    ("token", &["collection", "token_symbol", "token_name", "token_contract"]),
    ("id", &["token_id"]),
];
/// Scopes of other lists: not in this one, they are a mistake rather than a text.
pub(super) const SCOPES: [&str; 20] = [
    "age", "amount", "balance", "block", "date", "dir", "err", "fee", "fn", "from", "gas", "id",
    "method", "name", "party", "status", "to", "token", "val", "value",
];

/// Returns the columns that a scope names.
pub(super) fn scoped_columns(scope: &str, columns: &[ColumnHead]) -> Vec<usize> {
    let alias = SCOPE_ALIASES.iter().find(|(alias, _)| *alias == scope);
    let names = |name: &str| name == scope || alias.is_some_and(|(_, also)| also.contains(&name));
    let titled = |title: &str| title.split(' ').any(|word| !word.is_empty() && names(word));
    let is_named = |column: &ColumnHead| titled(column.title) || column.csv_name.is_some_and(names);
    (0..).zip(columns).filter(|(_, column)| is_named(column)).map(|(n, _)| n).collect()
}

/// Returns `true` if a word before a colon is meant as a scope. Anything else is part of a text: `0x…:1`, a
/// `data:` URI.
pub(super) fn is_scope(word: &str) -> bool {
    word.len() > 1 && word != "data" && word.bytes().all(|c| c.is_ascii_lowercase())
}

/// Returns the scopes of the columns that a list may show, in their order: `age: block: to:`.
pub(super) fn scope_names(columns: &[ColumnHead], subject: ListSubject) -> String {
    let mut names: Vec<&str> = Vec::new();
    for column in columns.iter().filter(|column| column.is_searched_in(subject)) {
        let name = column.title.split(' ').next().unwrap_or_default();
        if is_scope(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| [name, ":"].concat()).collect::<Vec<_>>().join(" ")
}

/// Returns the scope that resembles a word.
pub(super) fn similar_scope(word: &str, columns: &[ColumnHead]) -> Option<&'static str> {
    let titles = columns.iter().flat_map(|column| column.title.split(' '));
    let names = SCOPES.into_iter().chain(SCOPE_ALIASES.map(|(alias, _)| alias)).chain(titles);
    let known = names.filter(|known| is_scope(known) && is_scope(word));
    let similar = known.map(|known| (normalized_damerau_levenshtein(word, known), known));
    let nearest = similar.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (nearest.0 >= MIN_SCOPE_SIMILARITY).then_some(nearest.1)
}
