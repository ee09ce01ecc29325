//! The scopes of a search in a list: the columns that they name, and the likeliest scope for a
//! mistyped word.

use strsim::normalized_damerau_levenshtein;

use crate::api::ListSubject;
use crate::columns::table::column::{ColumnHead, ColumnKind};
use crate::search_terms::is_scope_name;

/// One wrong letter of three.
const MIN_SIMILARITY: f64 = 0.66;
/// One wrong letter of five: reasons have words that resemble outcomes, such as `access` and `filled`.
const MIN_OUTCOME_SIMILARITY: f64 = 0.8;

/// Scopes, each with titles and CSV names of columns that it also searches.
const SCOPE_ALIASES: [(&str, &[&str]); 10] = [
    ("amount", &["balance", "held", "value"]),
    ("date", &["age"]),
    ("val", &["value"]),
    ("fn", &["method"]),
    ("err", &["error", "status"]),
    ("status", &["error"]),
    ("party", &["counterparty"]),
    ("token", &["collection", "token_symbol", "token_name", "token_contract"]),
    ("id", &["token_id"]),
    ("worth", &["USD"]),
];
/// Scopes of other lists: not in this one, they are a mistake rather than a text.
pub const SCOPES: [&str; 20] = [
    "age", "amount", "balance", "block", "date", "dir", "err", "fee", "fn", "from", "gas", "id",
    "method", "name", "party", "status", "to", "token", "val", "value",
];
/// Words for the outcome of a row, each with the one that cells have.
const OUTCOME_WORDS: [(&str, &str); 7] = [
    ("ok", "ok"),
    ("failed", "failed"),
    ("pending", "pending"),
    ("reverted", "reverted"),
    ("success", "ok"),
    ("succeeded", "ok"),
    ("failure", "failed"),
];

/// Returns the columns that a scope names.
pub fn scoped_columns(scope: &str, columns: &[ColumnHead]) -> Vec<usize> {
    let alias = SCOPE_ALIASES.iter().find(|(alias, _)| *alias == scope);
    let names = |name: &str| name == scope || alias.is_some_and(|(_, also)| also.contains(&name));
    let titled = |column: &ColumnHead| title_words(column).any(names);
    let is_named = |column: &ColumnHead| titled(column) || column.csv_name.is_some_and(names);
    (0..).zip(columns).filter(|(_, column)| is_named(column)).map(|(n, _)| n).collect()
}

/// Returns the words of a title that are scopes: of an address only the last, as a `fee recipient` is no fee.
fn title_words(column: &ColumnHead) -> impl Iterator<Item = &'static str> {
    let words = column.title.split(' ').filter(|word| !word.is_empty());
    let adjectives = if column.kind == ColumnKind::Address { words.clone().count() } else { 1 };
    words.skip(adjectives.saturating_sub(1))
}

/// Returns the scopes of the columns that a list may show, in their order, with `status:` and `date:` at the end:
/// `age: block: to: date:`.
pub fn scope_names(columns: &[ColumnHead], subject: ListSubject) -> String {
    let searched = columns.iter().filter(|column| column.is_searched_in(subject));
    let mut names = column_names(searched);
    for untitled in ["status", "date"] {
        if !names.contains(&untitled) && !scoped_columns(untitled, columns).is_empty() {
            names.push(untitled);
        }
    }
    names.into_iter().map(|name| [name, ":"].concat()).collect::<Vec<_>>().join(" ")
}

/// Returns the names of columns, in their order.
pub fn column_names<'a>(columns: impl Iterator<Item = &'a ColumnHead>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for column in columns {
        let is_word = |word: &&str| word.starts_with(char::is_alphanumeric);
        let title = title_words(column).find(is_word).unwrap_or_default();
        // `USD now` is no word to type.
        let alias = SCOPE_ALIASES.iter().find(|(_, also)| also.contains(&title));
        let name = match alias {
            Some((alias, _)) if !is_scope_name(title) => alias,
            _ => title,
        };
        if is_scope_name(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the scope that resembles a word.
pub fn similar_scope(word: &str, columns: &[ColumnHead]) -> Option<&'static str> {
    let titles = columns.iter().flat_map(|column| column.title.split(' '));
    let names = SCOPES.into_iter().chain(SCOPE_ALIASES.map(|(alias, _)| alias)).chain(titles);
    let known = names.filter(|known| is_scope_name(known) && is_scope_name(word));
    nearest(word, known, MIN_SIMILARITY)
}

/// Returns the outcome that a word means in other letters. The rest of a status is the reason of a failure,
/// which may have any word.
pub fn similar_outcome(word: &str) -> Option<&'static str> {
    let mut outcomes = OUTCOME_WORDS.iter().map(|(_, outcome)| *outcome);
    if outcomes.any(|outcome| outcome.contains(word)) {
        return None;
    }
    let alike =
        OUTCOME_WORDS.iter().filter(|(known, _)| known.chars().next() == word.chars().next());
    let meant = nearest(word, alike.map(|(known, _)| *known), MIN_OUTCOME_SIMILARITY)?;
    OUTCOME_WORDS.iter().find(|(word, _)| *word == meant).map(|(_, outcome)| *outcome)
}

/// Returns the word that a mistyped one resembles most, if it does.
fn nearest<'a>(
    word: &str,
    known: impl Iterator<Item = &'a str>,
    min_similarity: f64,
) -> Option<&'a str> {
    let similar = known.map(|known| (normalized_damerau_levenshtein(word, known), known));
    let nearest = similar.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (nearest.0 >= min_similarity).then_some(nearest.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::endpoints::block::Block;
    use crate::columns::ListRow;

    #[test]
    fn scopes_are_words_of_titles_but_no_adjectives_of_addresses() {
        let columns = Block::KIND.columns;
        let titles = |scope| {
            let named = scoped_columns(scope, columns).into_iter();
            named.map(|column| columns[column].title).collect::<Vec<_>>()
        };
        assert_eq!(titles("fee"), ["base fee gwei"]);
        assert_eq!(titles("recipient"), ["fee recipient"]);
        assert_eq!(titles("gas"), ["gas used"]);
    }
}
