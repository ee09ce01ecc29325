//! An error-tolerant TOML reader: an invalid line or key is reported and skipped.

use std::ops::{Range, RangeInclusive};
use std::rc::Rc;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use strsim::normalized_damerau_levenshtein;
use strum::VariantNames;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::sanitize::SafeText;

const MAX_NAME_CHARS: usize = 40;
/// Similarity above which a known name is suggested for an unknown one.
const MIN_SIMILARITY: f64 = 0.6;
const MAX_DIAGNOSTICS: usize = 100;
/// Maximum known names listed when none is similar.
const MAX_LISTED_NAMES: usize = 12;

/// A problem with a line. It never contains a value, which may be an API key under a wrong name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ConfigDiagnostic {
    /// The line number, from 1.
    pub line: usize,
    /// The problem, and a suggestion.
    pub message: SafeText,
}

/// Reads one table. Each requested key is removed; the remaining ones are unknown.
#[derive(Debug)]
pub struct TomlReader<'a> {
    /// The offsets of the line feeds.
    line_ends: Rc<[usize]>,
    table: DeTable<'a>,
    known_keys: Vec<String>,
    /// The lines that are no TOML. What is left of them is not reported again.
    malformed_lines: Rc<[usize]>,
    diagnostics: Vec<ConfigDiagnostic>,
}

/// A key with its value and line.
#[derive(Debug)]
pub struct TomlEntry<'a> {
    pub name: String,
    pub line: usize,
    pub value: DeValue<'a>,
}

impl<'a> TomlReader<'a> {
    /// Parses a file. Syntax errors are reported by [`finish`](Self::finish).
    pub fn parse(source: &'a str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(source);
        let mut reader = Self {
            line_ends: source.match_indices('\n').map(|(at, _)| at).collect(),
            table: table.into_inner(),
            known_keys: Vec::new(),
            malformed_lines: Rc::default(),
            diagnostics: Vec::new(),
        };
        for error in errors {
            let line = reader.line(error.span().as_ref());
            // The parser often reports one mistake twice.
            if reader.diagnostics.last().is_none_or(|last| last.line != line) {
                reader.report(line, error.message());
            }
        }
        reader.malformed_lines =
            reader.diagnostics.iter().map(|diagnostic| diagnostic.line).collect();
        reader
    }

    pub fn text(&mut self, name: &str) -> Option<String> {
        self.value(name, "a quoted string", |value| value.as_str().map(ToOwned::to_owned))
    }

    /// Returns the line of a key that has not been read yet.
    pub fn line_of(&self, name: &str) -> Option<usize> {
        self.table.get_key_value(name).map(|(name, _)| self.line(Some(&name.span())))
    }

    pub fn flag(&mut self, name: &str) -> Option<bool> {
        self.value(name, "true or false", DeValue::as_bool)
    }

    pub fn number(&mut self, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.value(name, &expected, |value| {
            let integer = value.as_integer()?;
            let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            range.contains(&number).then_some(number)
        })
    }

    pub fn choice<T: FromStr + VariantNames>(&mut self, name: &str) -> Option<T> {
        self.value(name, &format!("one of {}", quote_names(T::VARIANTS)), |value| {
            value.as_str()?.parse().ok()
        })
    }

    /// Reads a value with `parse`, and reports that it must be `expected` if that returns `None`.
    pub fn value<T>(
        &mut self,
        name: &str,
        expected: &str,
        parse: impl FnOnce(&DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let entry = self.take(name)?;
        let value = parse(&entry.value);
        if value.is_none() && !self.malformed_lines.contains(&entry.line) {
            self.report(entry.line, &format!("`{name}` must be {expected}"));
        }
        value
    }

    /// Reads a value of a type that describes its own mistakes. They may contain it: not for files with secrets.
    pub fn deserialize<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        self.known_keys.push(name.to_owned());
        let (_, value) = self.table.remove_entry(name)?;
        let span = value.span();
        match T::deserialize(ValueDeserializer::from(value)) {
            Ok(value) => Some(value),
            Err(error) => {
                let line = self.line(error.span().or(Some(span)).as_ref());
                self.report(line, error.message());
                None
            }
        }
    }

    pub fn section<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut TomlReader<'a>) -> T,
    ) -> Option<T> {
        let entry = self.take(name)?;
        self.subtable(entry, read)
    }

    /// Reads a subtable that was taken out with `read`.
    pub fn subtable<T>(
        &mut self,
        entry: TomlEntry<'a>,
        read: impl FnOnce(&mut TomlReader<'a>) -> T,
    ) -> Option<T> {
        let DeValue::Table(table) = entry.value else {
            self.report(entry.line, &format!("`{0}` must be a table: [{0}]", entry.name));
            return None;
        };
        let mut subtable = TomlReader {
            line_ends: Rc::clone(&self.line_ends),
            table,
            known_keys: Vec::new(),
            malformed_lines: Rc::clone(&self.malformed_lines),
            diagnostics: std::mem::take(&mut self.diagnostics),
        };
        let value = read(&mut subtable);
        self.diagnostics = subtable.finish();
        Some(value)
    }

    pub fn take(&mut self, name: &str) -> Option<TomlEntry<'a>> {
        self.known_keys.push(name.to_owned());
        let (name, value) = self.table.remove_entry(name)?;
        Some(self.entry(name, value))
    }

    /// Takes out all remaining entries, in file order.
    pub fn take_remaining(&mut self) -> Vec<TomlEntry<'a>> {
        let table = std::mem::take(&mut self.table);
        table.into_iter().map(|(name, value)| self.entry(name, value)).collect()
    }

    #[cfg(test)]
    pub fn known_keys(&self) -> impl Iterator<Item = &str> {
        self.known_keys.iter().map(String::as_str)
    }

    pub fn report(&mut self, line: usize, message: &str) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(ConfigDiagnostic { line, message: SafeText::new(message) });
        }
    }

    /// Reports the remaining keys as unknown, and returns all diagnostics in line order.
    pub fn finish(mut self) -> Vec<ConfigDiagnostic> {
        let known = std::mem::take(&mut self.known_keys);
        for TomlEntry { name, line, .. } in self.take_remaining() {
            if self.diagnostics.len() == MAX_DIAGNOSTICS {
                break;
            }
            // The remains of an invalid line are not a key.
            if !self.malformed_lines.contains(&line) {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                self.report(line, &unknown_name_message("key", &name, &known));
            }
        }
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
        self.diagnostics
    }

    fn entry(
        &self,
        name: Spanned<std::borrow::Cow<'a, str>>,
        value: Spanned<DeValue<'a>>,
    ) -> TomlEntry<'a> {
        let line = self.line(Some(&name.span()));
        TomlEntry { name: name.into_inner().into_owned(), line, value: value.into_inner() }
    }

    fn line(&self, span: Option<&Range<usize>>) -> usize {
        span.map_or(1, |span| self.line_ends.partition_point(|end| *end < span.start) + 1)
    }
}

/// Returns the message for an unknown name, with a similar known one or a list of them.
pub fn unknown_name_message(what: &str, name: &str, known: &[&str]) -> String {
    let name: String = name.chars().take(MAX_NAME_CHARS).collect();
    let similarities =
        known.iter().map(|known| (normalized_damerau_levenshtein(&name, known), known));
    match similarities.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((similarity, similar)) if similarity >= MIN_SIMILARITY => {
            format!("unknown {what} `{name}`: did you mean `{similar}`?")
        }
        _ => format!("unknown {what} `{name}`; available: {}", quote_names(known)),
    }
}

fn quote_names(names: &[&str]) -> String {
    let listed = names.iter().take(MAX_LISTED_NAMES).map(|name| format!("`{name}`"));
    let text = listed.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_LISTED_NAMES) {
        0 => text,
        others => format!("{text} and {others} others"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(reader: TomlReader<'_>) -> Vec<String> {
        reader.finish().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn list_of_names_counts_those_that_it_leaves_out() {
        let names: Vec<String> = (0..14).map(|n| format!("key{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = unknown_name_message("key", "xyz", &names);
        assert!(message.ends_with("`key11` and 2 others"), "{message}");
    }

    #[test]
    fn value_that_is_none_is_reported_once() {
        let mut reader = TomlReader::parse("side = false\nmouse = maybe\n");
        assert_eq!((reader.flag("mouse"), reader.flag("side")), (None, Some(false)));
        let found = messages(reader);
        assert!(found.len() == 1 && found[0].starts_with("line 2: "), "{found:?}");
    }

    #[test]
    fn each_invalid_value_of_a_line_is_reported() {
        let mut reader = TomlReader::parse("x = { url = 1, id = \"a\" }\n");
        let read = |chain: &mut TomlReader<'_>| (chain.text("url"), chain.number("id", 1..=9));
        assert_eq!(reader.section("x", read), Some((None, None)));
        assert_eq!(messages(reader).len(), 2);
    }

    #[test]
    fn unknown_keys_are_reported_with_line_and_suggestion() {
        let mut reader = TomlReader::parse("chain = \"eth\"\n\nchian = \"base\"\nzzz = 1\n");
        assert_eq!(reader.text("chain").as_deref(), Some("eth"));
        assert_eq!(reader.flag("mouse"), None);
        assert_eq!(
            messages(reader),
            [
                "line 3: unknown key `chian`: did you mean `chain`?",
                "line 4: unknown key `zzz`; available: `chain`, `mouse`"
            ]
        );
    }

    #[test]
    fn invalid_lines_are_skipped() {
        let source = "a = 5\nb = \"x\"\nc = = 3\n[deep]\nd = true\ne = 900\nf = 9\n";
        let mut reader = TomlReader::parse(source);
        assert_eq!(reader.text("a"), None);
        assert_eq!(reader.text("b").as_deref(), Some("x"));
        let deep = reader.section("deep", |deep| {
            (deep.flag("d"), deep.number("e", 1..=9), deep.number("f", 1..=9))
        });
        assert_eq!(deep, Some((Some(true), None, Some(9))));
        reader.take("c");
        let messages = messages(reader);
        assert_eq!(messages[0], "line 1: `a` must be a quoted string");
        assert!(messages[1].starts_with("line 3: "), "{messages:?}");
        assert_eq!(messages[2], "line 6: `e` must be a whole number from 1 to 9");
        assert_eq!(messages.len(), 3, "{messages:?}");
    }

    #[test]
    fn the_number_of_diagnostics_is_bounded() {
        let all = (0..10_000).map(|n| format!("k{n} = {n}\n")).collect::<Vec<_>>().concat();
        let reader = TomlReader::parse(&all);
        assert_eq!(reader.line(Some(&(all.len() - 1..all.len()))), 10_000);
        assert_eq!(reader.finish().len(), MAX_DIAGNOSTICS);
        let same = "a = 1\n".repeat(10_000);
        assert_eq!(TomlReader::parse(&same).finish().len(), MAX_DIAGNOSTICS);
    }

    #[test]
    fn a_value_instead_of_a_table_is_reported() {
        let mut reader = TomlReader::parse("http = 5");
        assert_eq!(reader.section("http", |_| ()), None);
        assert_eq!(messages(reader), ["line 1: `http` must be a table: [http]"]);
    }
}
