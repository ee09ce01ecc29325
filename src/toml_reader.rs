//! A TOML file of the user's, read so that a mistake costs no more than itself.

use std::ops::Range;
use std::rc::Rc;
use std::str::FromStr;

use similar::get_close_matches;
use strum::VariantNames;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::sanitize::Text;

/// Characters of a name that is not known, in what is said of it.
const LONGEST: usize = 40;
/// How alike a name must be to be meant.
const ALIKE: f32 = 0.6;
/// No more problems are told.
const MOST: usize = 100;
/// So many names are listed where none is alike.
const LISTED: usize = 12;

/// What is wrong with a line. Never repeats a value: it may be a key that stands in the wrong place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {words}")]
pub struct Problem {
    /// Which, from 1.
    pub line: usize,
    /// What, and what may have been meant.
    pub words: Text,
}

/// A table of the file. What is taken out of it is known; what is left in the end is not.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// Where lines end.
    ends: Rc<[usize]>,
    table: DeTable<'a>,
    /// The names that were asked for.
    known: Vec<String>,
    problems: Vec<Problem>,
}

/// A name with its value and where they stand.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// The value.
    pub value: DeValue<'a>,
}

impl<'a> Sheet<'a> {
    /// Reads a whole file.
    pub fn read(source: &'a str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(source);
        let ends = source.match_indices('\n').map(|(at, _)| at).collect();
        let mut sheet =
            Self { ends, table: table.into_inner(), known: Vec::new(), problems: Vec::new() };
        for error in errors {
            let line = sheet.line(error.span().as_ref());
            // One mistake is often met twice.
            if sheet.problems.last().is_none_or(|last| last.line != line) {
                sheet.complain(line, error.message());
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
        self.value(name, &format!("one of {}", quoted(T::VARIANTS)), |value| {
            value.as_str()?.parse().ok()
        })
    }

    /// A value that `read` understands; otherwise it is said what is wanted.
    pub fn value<T>(
        &mut self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let entry = self.take(name)?;
        let found = read(&entry.value);
        if found.is_none() {
            self.complain(entry.line, &format!("`{name}` must be {wanted}"));
        }
        found
    }

    /// What `read` makes of a table of this name.
    pub fn section<T>(&mut self, name: &str, read: impl FnOnce(&mut Sheet<'a>) -> T) -> Option<T> {
        let entry = self.take(name)?;
        self.inside(entry, read)
    }

    /// What `read` makes of a table that was taken out.
    pub fn inside<T>(
        &mut self,
        entry: Entry<'a>,
        read: impl FnOnce(&mut Sheet<'a>) -> T,
    ) -> Option<T> {
        let DeValue::Table(table) = entry.value else {
            let words = format!("`{0}` must be a table: [{0}]", entry.name);
            self.complain(entry.line, &words);
            return None;
        };
        let problems = std::mem::take(&mut self.problems);
        let mut inner = Sheet { ends: Rc::clone(&self.ends), table, known: Vec::new(), problems };
        let made = read(&mut inner);
        self.problems = inner.finish();
        Some(made)
    }

    /// Takes out whatever has this name.
    pub fn take(&mut self, name: &str) -> Option<Entry<'a>> {
        self.known.push(name.to_owned());
        let (name, value) = self.table.remove_entry(name)?;
        Some(self.entry(name, value))
    }

    /// Takes out everything that is left, in the order of the file.
    pub fn rest(&mut self) -> Vec<Entry<'a>> {
        let table = std::mem::take(&mut self.table);
        table.into_iter().map(|(name, value)| self.entry(name, value)).collect()
    }

    /// The names that were asked for so far.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }

    /// Notes what is wrong with a line.
    pub fn complain(&mut self, line: usize, words: &str) {
        if self.problems.len() < MOST {
            self.problems.push(Problem { line, words: Text::new(words) });
        }
    }

    /// All that is wrong, in the order of the lines. What was not asked for is unknown.
    pub fn finish(mut self) -> Vec<Problem> {
        let known = std::mem::take(&mut self.known);
        for Entry { name, line, .. } in self.rest() {
            if self.problems.len() == MOST {
                break;
            }
            // What is left of a line that cannot be read is no name.
            if self.problems.iter().all(|problem| problem.line != line) {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                self.complain(line, &unknown("key", &name, &known));
            }
        }
        self.problems.sort_by_key(|problem| problem.line);
        self.problems
    }

    fn entry(
        &self,
        name: Spanned<std::borrow::Cow<'a, str>>,
        value: Spanned<DeValue<'a>>,
    ) -> Entry<'a> {
        let line = self.line(Some(&name.span()));
        Entry { name: name.into_inner().into_owned(), line, value: value.into_inner() }
    }

    fn line(&self, span: Option<&Range<usize>>) -> usize {
        span.map_or(1, |span| self.ends.partition_point(|end| *end < span.start) + 1)
    }
}

/// That a name is unknown, and which of those that are known may have been meant.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let name: String = name.chars().take(LONGEST).collect();
    let close = get_close_matches(&*name, known, 1, ALIKE);
    match close.first() {
        Some(meant) => format!("unknown {what} `{name}`: did you mean `{meant}`?"),
        None => format!("unknown {what} `{name}`: there are {}", quoted(known)),
    }
}

fn quoted(names: &[&str]) -> String {
    let listed = names.iter().take(LISTED).map(|name| format!("`{name}`"));
    listed.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sheet: Sheet<'_>) -> Vec<String> {
        sheet.finish().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_unknown_is_named_with_its_line_and_what_was_meant() {
        let mut sheet = Sheet::read("chain = \"eth\"\n\nchian = \"base\"\nzzz = 1\n");
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
        let mut sheet = Sheet::read(source);
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
        let sheet = Sheet::read(&all);
        assert_eq!(sheet.line(Some(&(all.len() - 1..all.len()))), 10_000);
        assert_eq!(sheet.finish().len(), MOST);
        let same = "a = 1\n".repeat(10_000);
        assert_eq!(Sheet::read(&same).finish().len(), MOST);
    }

    #[test]
    fn what_should_be_a_table_is_said_to_be_one() {
        let mut sheet = Sheet::read("http = 5");
        assert_eq!(sheet.section("http", |_| ()), None);
        assert_eq!(words(sheet), ["line 1: `http` must be a table: [http]"]);
    }
}
