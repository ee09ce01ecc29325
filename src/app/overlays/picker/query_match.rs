//! Matches of a query among the entries of a picker.

use std::iter;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Matcher, Utf32Str};

use super::entry::{EntryDetail, PickerEntry};
use crate::app::overlays::name_match::{NameMatch, begins_word};

/// Fewer characters are matched at the beginning of words only, and these digits not in the middle of an address.
const MIN_INNER_CHARS: usize = 3;
const MIN_ADDRESS_DIGITS: usize = 4;
/// Score of a term that occurs in the detail. In the name it has two to five times that, by its place there.
/// Terms whose letters are merely in the name, in order, have less.
pub(super) const WHOLE_WORD_SCORE: u32 = 1_000;
/// Least score of a term that begins a word of the name.
pub(super) const NAME_WORD_SCORE: u32 = (2 + NameMatch::WordStart as u32) * WHOLE_WORD_SCORE;
/// Added to the score of an entry with all terms.
pub(super) const ALL_WORDS_SCORE: u32 = 1_000_000;

/// Groups of matches, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RankGroup {
    /// The name begins with a term.
    Named,
    Other,
    /// Like `Named`, but dimmed.
    NamedDim,
    OtherDim,
}

impl RankGroup {
    pub(super) fn new(entry: &PickerEntry, terms: &[QueryTerm]) -> Self {
        let begins = |term: &QueryTerm| entry.find_in_names(&term.typed) >= Some(NameMatch::Start);
        match (terms.iter().any(begins), entry.dim) {
            (true, false) => Self::Named,
            (true, true) => Self::NamedDim,
            (false, false) => Self::Other,
            (false, true) => Self::OtherDim,
        }
    }
}

#[derive(Debug)]
pub(in crate::app) struct QueryTerm {
    /// In lower case.
    typed: String,
    fuzzy: Atom,
    pub(super) whole: Atom,
}

impl QueryTerm {
    pub(in crate::app::overlays) fn new(text: &str) -> Self {
        let atom = |kind| Atom::new(text, CaseMatching::Ignore, Normalization::Smart, kind, false);
        let typed = text.to_lowercase();
        Self { typed, fuzzy: atom(AtomKind::Fuzzy), whole: atom(AtomKind::Substring) }
    }

    /// Returns the score of an entry. `None` if it does not match.
    pub(super) fn score(&self, entry: &PickerEntry, finder: &mut FuzzyMatcher) -> Option<u32> {
        let is_short = self.typed.chars().count() < MIN_INNER_CHARS;
        let called = iter::once(&entry.name).chain(&entry.aliases);
        let scores = called.filter_map(|name| {
            let score = finder.score(&self.whole, name)?;
            let place = NameMatch::find(name, &self.typed).unwrap_or(NameMatch::Inside);
            let is_near = !is_short || place > NameMatch::Inside;
            is_near.then_some((2 + place as u32) * WHOLE_WORD_SCORE + score)
        });
        let whole = scores.max();
        let others = |finder: &mut FuzzyMatcher| {
            let detail = match &entry.detail {
                EntryDetail::Address(_) if !self.is_part_of_address() => None,
                EntryDetail::Text(_) | EntryDetail::Cells(_)
                    if !entry.detail.with_text(|text| self.begins_word_of(text)) =>
                {
                    None
                }
                detail => detail.with_text(|text| finder.score(&self.whole, text)),
            };
            let texts = [&entry.right, &entry.keywords];
            let named = texts.into_iter().filter(|text| self.begins_word_of(text));
            let mut scores = named.filter_map(|text| finder.score(&self.whole, text));
            detail.or_else(|| scores.next()).map(|score| WHOLE_WORD_SCORE + score)
        };
        whole.or_else(|| others(finder)).or_else(|| finder.score(&self.fuzzy, &entry.name))
    }

    fn begins_word_of(&self, text: &str) -> bool {
        begins_word(&text.to_lowercase(), &self.typed)
    }

    fn is_part_of_address(&self) -> bool {
        self.typed.starts_with("0x") || self.typed.len() >= MIN_ADDRESS_DIGITS
    }
}

#[derive(Default)]
pub(in crate::app::overlays) struct FuzzyMatcher {
    matcher: Matcher,
    chars: Vec<char>,
}

impl FuzzyMatcher {
    fn score(&mut self, atom: &Atom, text: &str) -> Option<u32> {
        let score = atom.score(haystack(text, &mut self.chars), &mut self.matcher);
        score.map(u32::from)
    }

    /// Adds the indices of the matching characters to `found`. Returns `true` if there are any.
    pub(super) fn append_positions(
        &mut self,
        atom: &Atom,
        text: &str,
        found: &mut Vec<u32>,
    ) -> bool {
        atom.indices(haystack(text, &mut self.chars), &mut self.matcher, found).is_some()
    }

    /// Returns the positions of the characters of a text that are the whole term.
    pub(in crate::app::overlays) fn whole_positions(
        &mut self,
        term: &QueryTerm,
        text: &str,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        self.append_positions(&term.whole, text, &mut found);
        found
    }

    pub(super) fn match_positions(
        &mut self,
        words: &[QueryTerm],
        entry: &PickerEntry,
    ) -> [Vec<u32>; 2] {
        let [mut name, mut detail] = [Vec::new(), Vec::new()];
        for word in words {
            let _ = self.append_positions(&word.fuzzy, &entry.name, &mut name)
                || entry
                    .detail
                    .with_text(|text| self.append_positions(&word.whole, text, &mut detail));
        }
        [name, detail]
    }
}

/// Converts a text for the matcher. `Utf32Str::new` would keep only the first character of a
/// grapheme, such as a letter without its accent.
fn haystack<'a>(text: &'a str, chars: &'a mut Vec<char>) -> Utf32Str<'a> {
    if text.is_ascii() {
        return Utf32Str::Ascii(text.as_bytes());
    }
    chars.clear();
    chars.extend(text.chars());
    Utf32Str::Unicode(chars)
}
