//! The text of a row that searches look at first, in lower case: the whole values of its columns, and the
//! other values in its JSON that cells may show. It is a fraction of the JSON, so that the texts of a million
//! rows are searched at once, and stays readable when the row itself is packed.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::api::ListSubject;
use crate::api::json_fields::RawObject;
use crate::columns::table::any_row::{AnyItem, RowKind};
use crate::columns::table::column::{ColumnHead, ColumnKind};
use crate::sanitize::string_end;

/// After each value.
const SEPARATOR: u8 = b'\n';
/// The Kelvin sign and the dotted I, which are ASCII in lower case.
const ASCII_IN_LOWER_CASE: [&str; 2] = ["\u{212a}", "\u{130}"];

/// The text of a row.
#[derive(Debug, Clone, Copy)]
pub struct RowText<'a> {
    /// The whole values of the searched columns.
    pub values: &'a [u8],
    /// The values, and other text of the row.
    pub all: &'a [u8],
}

impl<'a> RowText<'a> {
    pub fn new(all: &'a [u8], values: usize) -> Self {
        Self { values: all.get(..values).unwrap_or(all), all }
    }

    /// Returns `true` if cells may show any other text.
    pub fn is_open(self) -> bool {
        self.all.len() == self.values.len()
    }

    /// Returns the whole value of a column, by its number among the searched ones.
    pub fn value(self, number: usize) -> Option<&'a str> {
        let value = self.values.split(|byte| *byte == SEPARATOR).nth(number)?;
        str::from_utf8(value).ok()
    }
}

/// The fields of a row's JSON that columns show.
#[derive(Debug)]
pub struct ShownFields {
    /// The names of the fields, but of those whose whole value is all that cells show. Empty if cells may
    /// show anything.
    names: Vec<&'static str>,
    /// The numbers of the columns in which searches look.
    columns: Vec<usize>,
}

/// Returns the names of the fields at the paths of columns.
fn field_names<'a>(columns: impl Iterator<Item = &'a ColumnHead>) -> Vec<&'static str> {
    let paths = columns.flat_map(|column| column.json_paths);
    let roots = paths.filter_map(|path| path.split('.').next());
    let mut names: Vec<&str> = roots.flat_map(|names| names.split('|')).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns `true` for the columns of which a text has the whole values. Searches of the pool look into the
/// rows themselves.
fn is_in_text(column: &ColumnHead) -> bool {
    column.is_searched_in(ListSubject::Other)
}

/// Returns the number of a column among the values of a text.
pub fn value_position(columns: &[ColumnHead], column: usize) -> Option<usize> {
    let (before, rest) = columns.split_at_checked(column)?;
    rest.first().filter(|column| is_in_text(column))?;
    Some(before.iter().filter(|column| is_in_text(column)).count())
}

impl ShownFields {
    pub fn new(kind: &RowKind) -> Self {
        let columns: Vec<(usize, &ColumnHead)> =
            (0..).zip(kind.columns).filter(|(_, column)| is_in_text(column)).collect();
        let has_own_text = columns.iter().any(|(_, column)| column.has_own_text());
        // The text of a time is another one in each format; its digits are not searched for.
        let shown = columns
            .iter()
            .map(|(_, column)| *column)
            .filter(|column| column.kind != ColumnKind::Time && !has_own_text);
        Self {
            names: field_names(shown),
            columns: columns.into_iter().map(|(number, _)| number).collect(),
        }
    }

    /// Appends the text of a row, and returns the length of its values. There is nothing after them if the
    /// cells may have any other text.
    pub fn append_text(&self, item: &dyn AnyItem, out: &mut Vec<u8>) -> usize {
        let start = out.len();
        let Ok(row) = item.row() else { return 0 };
        for column in &self.columns {
            let value = row.full_value(*column).to_lowercase();
            out.extend(value.bytes().map(|byte| if byte == SEPARATOR { b' ' } else { byte }));
            out.push(SEPARATOR);
        }
        let end = out.len();
        if !row.has_computed_text() && !self.names.is_empty() {
            self.append_others(item, start..end, out);
        }
        end - start
    }

    /// Appends the shown fields of a row without what its values have, or nothing if one has another form
    /// on the screen.
    fn append_others(&self, item: &dyn AnyItem, values: Range<usize>, out: &mut Vec<u8>) {
        let object = RawObject::parse(&**item.raw()).ok();
        let fields = object.iter().flat_map(RawObject::entries);
        let shown = fields.filter(|(name, _)| self.names.contains(name));
        out.push(SEPARATOR);
        for json in shown.map(|(_, value)| value.get()) {
            let is_other_on_screen = |letter: &&str| json.contains(*letter);
            if json.contains('\\') || ASCII_IN_LOWER_CASE.iter().any(is_other_on_screen) {
                out.truncate(values.end);
                return;
            }
            for_each_value(json, |value| {
                let at = out.len();
                out.extend(value.iter().map(u8::to_ascii_lowercase));
                let is_known = out.split_at_checked(at).is_some_and(|(before, value)| {
                    is_part_of(before.get(values.clone()).unwrap_or_default(), value)
                });
                if is_known {
                    out.truncate(at);
                } else {
                    out.push(SEPARATOR);
                }
            });
        }
    }
}

/// Returns `true` if a text is in values. Most that are there are whole ones, which are compared faster than a search
/// is prepared.
fn is_part_of(values: &[u8], text: &[u8]) -> bool {
    let mut start = 0;
    let mut whole = memchr_iter(SEPARATOR, values)
        .filter_map(|end| values.get(std::mem::replace(&mut start, end + 1)..end));
    whole.any(|value| value == text) || memmem::find(values, text).is_some()
}

/// Calls a function with the strings and numbers of a JSON value, without keys.
fn for_each_value(json: &str, mut visit: impl FnMut(&[u8])) {
    let mut rest = json.as_bytes();
    let is_nested = matches!(rest.first(), Some(b'{' | b'['));
    while let Some(first) = rest.first() {
        let is_number = matches!(first, b'0'..=b'9' | b'-' | b'+' | b'.');
        let length = match first {
            b'"' => string_end(rest),
            _ if is_number || first.is_ascii_alphabetic() => rest
                .iter()
                .position(|c| !c.is_ascii_alphanumeric() && !matches!(c, b'-' | b'+' | b'.'))
                .unwrap_or(rest.len()),
            _ => 1,
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let is_key = || after.iter().find(|c| !c.is_ascii_whitespace()) == Some(&b':');
        match first {
            b'"' if is_key() => {}
            b'"' => visit(token.get(1..token.len().saturating_sub(1)).unwrap_or_default()),
            // Columns show the flags of a row, not those in its parts.
            _ if is_number || (!is_nested && length > 1) => visit(token),
            _ => {}
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
        let mut values = Vec::new();
        for_each_value(json, |value| values.push(String::from_utf8(value.into()).unwrap()));
        values.retain(|value| !value.is_empty());
        values.join(" ")
    }

    #[test]
    fn fields_of_pending_transactions_take_no_memory_in_other_lists() {
        let ShownFields { names, .. } = ShownFields::new(Transaction::KIND);
        assert!(names.contains(&"method") && !names.contains(&"nonce"), "{names:?}");
    }

    #[test]
    fn texts_are_parts_of_values_whole_or_not() {
        let known = |text: &str| is_part_of(b"0xab\nok\n\n", text.as_bytes());
        assert!(["0xab", "ok", "", "xa", "k"].into_iter().all(known));
        assert!(["0xabc", "no", "okk"].into_iter().all(|text| !known(text)));
    }

    #[test]
    fn values_are_without_keys_and_punctuation() {
        assert_eq!(values(r#""0xAb""#), "0xAb");
        assert_eq!(values("true"), "true");
        assert_eq!(values("-1.5e3"), "-1.5e3");
        let nested =
            r#"{ "name" : "a:b", "is_scam": true, "tags": [{"n": 7}, "", "x"], "y" :null}"#;
        assert_eq!(values(nested), "a:b 7 x");
        assert_eq!(values("\"cut"), "cu", "never beyond the end");
    }
}
