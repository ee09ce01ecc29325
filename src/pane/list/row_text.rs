//! The text of a row that searches look at first: the values in its JSON that columns show, in lower
//! case. It is a fraction of the JSON, so that the texts of a million rows are searched at once, and stays
//! readable when the row itself is packed.

use crate::api::ListSubject;
use crate::api::json_fields::RawObject;
use crate::columns::Row;
use crate::columns::any_row::{AnyItem, RowKind};
use crate::sanitize::string_end;

/// Between two values.
const SEPARATOR: u8 = b'\n';
/// The Kelvin sign and the dotted I, which are ASCII in lower case.
const ASCII_IN_LOWER_CASE: [&str; 2] = ["\u{212a}", "\u{130}"];

/// The fields of a row's JSON that columns show.
#[derive(Debug)]
pub(super) struct ShownFields(Vec<&'static str>);

impl ShownFields {
    pub(super) fn new(kind: &RowKind) -> Self {
        // The text of a computed column may be anything.
        if kind.columns.iter().any(|column| column.is_computed) {
            return Self(Vec::new());
        }
        // Searches of the pool look into the rows themselves.
        let columns = kind.columns.iter().filter(|c| c.is_searched_in(ListSubject::Other));
        let paths = columns.flat_map(|column| column.json_paths);
        let roots = paths.filter_map(|path| path.split('.').next());
        let mut names: Vec<&str> = roots.flat_map(|names| names.split('|')).collect();
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// Appends the text of a row. It is empty if the cells may have any other text.
    pub(super) fn append_text(&self, item: &dyn AnyItem, out: &mut Vec<u8>) {
        let start = out.len();
        let has_other_text = item.row().map_or(true, Row::has_computed_text);
        let object = RawObject::parse(&**item.raw()).ok().filter(|_| !has_other_text);
        for (name, value) in object.iter().flat_map(RawObject::entries) {
            if !self.0.contains(&name) {
                continue;
            }
            let json = value.get();
            // Escaped text has another form on the screen.
            if json.contains('\\') || ASCII_IN_LOWER_CASE.iter().any(|letter| json.contains(letter))
            {
                out.truncate(start);
                return;
            }
            append_values(json, out);
        }
        if let Some(text) = out.get_mut(start..) {
            text.make_ascii_lowercase();
        }
    }
}

/// Appends the strings and numbers of a JSON value, without keys.
fn append_values(json: &str, out: &mut Vec<u8>) {
    let mut rest = json.as_bytes();
    let is_nested = matches!(rest.first(), Some(b'{' | b'['));
    while let Some(first) = rest.first() {
        let is_number = matches!(first, b'0'..=b'9' | b'-' | b'+' | b'.');
        let length = match first {
            b'"' => string_end(rest),
            _ if is_number || first.is_ascii_alphabetic() => {
                let ends = |c: &u8| !c.is_ascii_alphanumeric() && !matches!(c, b'-' | b'+' | b'.');
                rest.iter().position(ends).unwrap_or(rest.len())
            }
            _ => 1,
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let is_key = || after.iter().find(|c| !c.is_ascii_whitespace()) == Some(&b':');
        match first {
            b'"' if is_key() => {}
            b'"' => out.extend(token.iter().skip(1).take(token.len().saturating_sub(2))),
            // Columns show the flags of a row, not those in its parts.
            _ if is_number || (!is_nested && length > 1) => out.extend(token),
            _ => {}
        }
        if out.last().is_some_and(|last| *last != SEPARATOR) {
            out.push(SEPARATOR);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::transactions::Transaction;
    use crate::columns::ListRow;

    fn values(json: &str) -> String {
        let mut out = Vec::new();
        append_values(json, &mut out);
        String::from_utf8(out).unwrap().replace('\n', " ")
    }

    #[test]
    fn fields_of_pending_transactions_take_no_memory_in_other_lists() {
        let ShownFields(names) = ShownFields::new(Transaction::KIND);
        assert!(names.contains(&"method") && !names.contains(&"nonce"), "{names:?}");
    }

    #[test]
    fn values_are_without_keys_and_punctuation() {
        assert_eq!(values(r#""0xAb""#), "0xAb ");
        assert_eq!(values("true"), "true ");
        assert_eq!(values("-1.5e3"), "-1.5e3 ");
        let nested =
            r#"{ "name" : "a:b", "is_scam": true, "tags": [{"n": 7}, "", "x"], "y" :null}"#;
        assert_eq!(values(nested), "a:b 7 x ");
        assert_eq!(values("\"cut"), "cu ", "never beyond the end");
    }
}
