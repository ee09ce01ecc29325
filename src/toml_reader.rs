//! A TOML file of the user's, read so that a mistake costs no more than itself.

use std::ops::Range;
use std::rc::Rc;
use std::str::FromStr;

use similar::get_close_matches;
use strum::VariantNames;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::sanitize::SafeText;

/// Characters of a name that is not known, in what is said of it.
const MAX_NAME_CHARS: usize = 40;
/// How alike a name must be to be meant.
const MIN_SIMILARITY: f32 = 0.6;
/// No more problems are told.
const MAX_DIAGNOSTICS: usize = 100;
/// So many names are listed where none is alike.
const MAX_LISTED_NAMES: usize = 12;

/// What is wrong with a line. Never repeats a value: it may be a key that stands in the wrong place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ConfigDiagnostic {
    /// Which, from 1.
    pub line: usize,
    /// What, and what may have been meant.
    pub message: SafeText,
}

/// A table of the file. What is taken out of it is known; what is left in the end is not.
#[derive(Debug)]
pub struct TomlReader<'a> {
    /// Where lines end.
    line_ends: Rc<[usize]>,
    table: DeTable<'a>,
    /// The names that were asked for.
    known_keys: Vec<String>,
    diagnostics: Vec<ConfigDiagnostic>,
}

/// A name with its value and where they stand.
#[derive(Debug)]
pub struct TomlEntry<'a> {
    /// The name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// The value.
    pub value: DeValue<'a>,
}

impl<'a> TomlReader<'a> {
    /// Reads a whole file.
    pub fn parse(source: &'a str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(source);
        let ends = source.match_indices('\n').map(|(at, _)| at).collect();
        let mut sheet = Self {
            line_ends: ends,
            table: table.into_inner(),
            known_keys: Vec::new(),
            diagnostics: Vec::new(),
        };
        for error in errors {
            let line = sheet.line(error.span().as_ref());
            // One mistake is often met twice.
            if sheet.diagnostics.last().is_none_or(|last| last.line != line) {
                sheet.report(line, error.message());
            }
        }
        sheet
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.value(name, "a text in quotes", |value| value.as_str().map(ToOwned::to_owned))
    }

    /// True or false.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        self.value(name, "true or false", DeValue::as_bool)
    }

    /// A whole number in a range.
    pub fn number(&mut self, name: &str, range: Range<u64>) -> Option<u64> {
        let wanted = format!("a whole number from {} to {}", range.start, range.end - 1);
        self.value(name, &wanted, |value| {
            let number = value.as_integer()?;
            let read = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
            range.contains(&read).then_some(read)
        })
    }

    /// One of the names of a type.
    pub fn choice<T: FromStr + VariantNames>(&mut self, name: &str) -> Option<T> {
        self.value(name, &format!("one of {}", quote_names(T::VARIANTS)), |value| {
            value.as_str()?.parse().ok()
        })
    }

    /// A value that `parse` understands; otherwise it is said what is wanted.
    pub fn value<T>(
        &mut self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let entry = self.take(name)?;
        let found = read(&entry.value);
        if found.is_none() {
            self.report(entry.line, &format!("`{name}` must be {wanted}"));
        }
        found
    }

    /// What `parse` makes of a table of this name.
    pub fn section<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut TomlReader<'a>) -> T,
    ) -> Option<T> {
        let entry = self.take(name)?;
        self.subtable(entry, read)
    }

    /// What `parse` makes of a table that was taken out.
    pub fn subtable<T>(
        &mut self,
        entry: TomlEntry<'a>,
        read: impl FnOnce(&mut TomlReader<'a>) -> T,
    ) -> Option<T> {
        let DeValue::Table(table) = entry.value else {
            let words = format!("`{0}` must be a table: [{0}]", entry.name);
            self.report(entry.line, &words);
            return None;
        };
        let problems = std::mem::take(&mut self.diagnostics);
        let mut inner = TomlReader {
            line_ends: Rc::clone(&self.line_ends),
            table,
            known_keys: Vec::new(),
            diagnostics: problems,
        };
        let made = read(&mut inner);
        self.diagnostics = inner.finish();
        Some(made)
    }

    /// Takes out whatever has this name.
    pub fn take(&mut self, name: &str) -> Option<TomlEntry<'a>> {
        self.known_keys.push(name.to_owned());
        let (name, value) = self.table.remove_entry(name)?;
        Some(self.entry(name, value))
    }

    /// Takes out everything that is left, in the order of the file.
    pub fn take_remaining(&mut self) -> Vec<TomlEntry<'a>> {
        let table = std::mem::take(&mut self.table);
        table.into_iter().map(|(name, value)| self.entry(name, value)).collect()
    }

    /// Returns the names asked for so far.
    #[cfg(test)]
    pub fn known_keys(&self) -> impl Iterator<Item = &str> {
        self.known_keys.iter().map(String::as_str)
    }

    /// Notes what is wrong with a line.
    pub fn report(&mut self, line: usize, words: &str) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(ConfigDiagnostic { line, message: SafeText::new(words) });
        }
    }

    /// All that is wrong, in the order of the lines. What was not asked for is unknown.
    pub fn finish(mut self) -> Vec<ConfigDiagnostic> {
        let known = std::mem::take(&mut self.known_keys);
        for TomlEntry { name, line, .. } in self.take_remaining() {
            if self.diagnostics.len() == MAX_DIAGNOSTICS {
                break;
            }
            // What is left of a line that cannot be read is no name.
            if self.diagnostics.iter().all(|problem| problem.line != line) {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                self.report(line, &unknown_name_message("key", &name, &known));
            }
        }
        self.diagnostics.sort_by_key(|problem| problem.line);
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

/// That a name is unknown, and which of those that are known may have been meant.
pub fn unknown_name_message(what: &str, name: &str, known: &[&str]) -> String {
    let name: String = name.chars().take(MAX_NAME_CHARS).collect();
    let close = get_close_matches(&*name, known, 1, MIN_SIMILARITY);
    match close.first() {
        Some(meant) => format!("unknown {what} `{name}`: did you mean `{meant}`?"),
        None => format!("unknown {what} `{name}`: there are {}", quote_names(known)),
    }
}

fn quote_names(names: &[&str]) -> String {
    let listed = names.iter().take(MAX_LISTED_NAMES).map(|name| format!("`{name}`"));
    listed.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sheet: TomlReader<'_>) -> Vec<String> {
        sheet.finish().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_unknown_is_named_with_its_line_and_what_was_meant() {
        let mut sheet = TomlReader::parse("chain = \"eth\"\n\nchian = \"base\"\nzzz = 1\n");
        assert_eq!(sheet.text("chain").as_deref(), Some("eth"));
        assert_eq!(sheet.flag("mouse"), None);
        assert_eq!(
            words(sheet),
            [
                "line 3: unknown key `chian`: did you mean `chain`?",
                "line 4: unknown key `zzz`: there are `chain`, `mouse`"
            ]
        );
    }

    #[test]
    fn a_mistake_costs_only_itself() {
        let source = "a = 5\nb = \"x\"\nc = = 3\n[deep]\nd = true\ne = 900\nf = 9\n";
        let mut sheet = TomlReader::parse(source);
        assert_eq!(sheet.text("a"), None);
        assert_eq!(sheet.text("b").as_deref(), Some("x"));
        let deep = sheet.section("deep", |deep| {
            (deep.flag("d"), deep.number("e", 1..10), deep.number("f", 1..10))
        });
        assert_eq!(deep, Some((Some(true), None, Some(9))));
        sheet.take("c");
        let words = words(sheet);
        assert_eq!(words[0], "line 1: `a` must be a text in quotes");
        assert!(words[1].starts_with("line 3: "), "{words:?}");
        assert_eq!(words[2], "line 6: `e` must be a whole number from 1 to 9");
        assert_eq!(words.len(), 3, "{words:?}");
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_complained_about_briefly() {
        let all = (0..10_000).map(|n| format!("k{n} = {n}\n")).collect::<Vec<_>>().concat();
        let sheet = TomlReader::parse(&all);
        assert_eq!(sheet.line(Some(&(all.len() - 1..all.len()))), 10_000);
        assert_eq!(sheet.finish().len(), MAX_DIAGNOSTICS);
        let same = "a = 1\n".repeat(10_000);
        assert_eq!(TomlReader::parse(&same).finish().len(), MAX_DIAGNOSTICS);
    }

    #[test]
    fn what_should_be_a_table_is_said_to_be_one() {
        let mut sheet = TomlReader::parse("http = 5");
        assert_eq!(sheet.section("http", |_| ()), None);
        assert_eq!(words(sheet), ["line 1: `http` must be a table: [http]"]);
    }
}
