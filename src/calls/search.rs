//! Search for calls by scoped words. The search runs in slices, so that a million calls do not block the
//! screen.

use super::formatter::CallFormatter;
use super::prefilter::CallPrefilter;
use crate::action::Step;
use crate::chain::U256;
use crate::messages::trace_problem::{self, TraceProblem};
use crate::sanitize::SafeText;
use crate::search_terms::{SearchTerm, TextPattern, ValueRange, is_scope, parse_search};
use crate::time_slice::TimeSlice;
use crate::trace::tree::to_index;
use crate::trace::{BodySpan, CallFrame, CallTree};

/// A search and its hits so far.
#[derive(Debug, Clone)]
pub struct CallSearch {
    pub text: SafeText,
    terms: Vec<SearchTerm<CallPredicate>>,
    /// The prefilter of each term that has one, from the first slice on.
    prefilters: Option<Vec<Option<CallPrefilter>>>,
    hits: Vec<u32>,
    searched: u32,
    /// `true` if the cursor has moved to the first hit, or there was none.
    pub is_settled: bool,
    /// Folds opened to reveal hits, outermost first.
    pub opened_folds: Vec<u32>,
}

/// The property that one word of a search describes.
#[derive(Debug, Clone)]
enum CallPredicate {
    Any(TextPattern),
    To(TextPattern),
    From(TextPattern),
    Function(TextPattern),
    Selector(TextPattern),
    Error(TextPattern),
    Value(ValueRange<U256>),
    Gas(ValueRange<U256>),
    Path(Vec<u32>),
}

/// A call with the texts that are searched.
#[derive(Clone, Copy)]
struct SearchedCall<'a> {
    number: u32,
    frame: &'a CallFrame,
    formatter: &'a CallFormatter<'a>,
}

impl CallSearch {
    /// Parses a search: words with an optional scope (`to:`, `from:`, `fn:`, `sel:`, `err:`,
    /// `val:>0`, `gas:>100k`, `at:0.3.1`), perhaps after `not:`, or `re:` and a regular expression
    /// for the whole text.
    pub fn parse(text: &str, decimals: u8) -> Result<Self, SafeText> {
        let terms = parse_search(text, CallPredicate::Any, |scope, rest| {
            CallPredicate::parse(scope, rest, decimals)
        })?;
        let text = SafeText::new(text);
        Ok(Self {
            text,
            terms,
            prefilters: None,
            hits: Vec::new(),
            searched: 0,
            is_settled: false,
            opened_folds: Vec::new(),
        })
    }

    pub fn hits(&self) -> &[u32] {
        &self.hits
    }

    /// Returns `true` if a call is a hit.
    pub fn is_hit(&self, number: u32) -> bool {
        self.hits.binary_search(&number).is_ok()
    }

    /// Returns `true` if every call was searched.
    pub fn is_done(&self, tree: &CallTree) -> bool {
        self.searched >= tree.len()
    }

    /// Searches all calls again, after names or signatures have changed.
    pub fn restart(&mut self) {
        self.prefilters = None;
        self.hits.clear();
        self.searched = 0;
    }

    /// Searches calls for one slice. Returns `true` if it was the last one.
    pub fn resume(&mut self, formatter: &CallFormatter<'_>) -> bool {
        let terms = &self.terms;
        let prefilters = self
            .prefilters
            .get_or_insert_with(|| terms.iter().map(|term| prefilter(term, formatter)).collect());
        let frames = formatter.tree.frames();
        let mut slice = TimeSlice::begin();
        while let Some(frame) = frames.get(to_index(self.searched)).filter(|_| slice.has_time()) {
            let mut terms = terms.iter().zip(&*prefilters);
            let call = SearchedCall { number: self.searched, frame, formatter };
            if terms.all(|(term, prefilter)| {
                term.predicate.matches(call, prefilter.as_ref()) != term.is_negated
            }) {
                self.hits.push(self.searched);
            }
            self.searched += 1;
        }
        self.is_done(formatter.tree)
    }

    /// Adds the calls whose events contain every word to the hits.
    pub fn add_events(&mut self, events: impl Iterator<Item = (u32, String)>) {
        for (call, text) in events {
            // An event without a word does not make its call one without it.
            let is_hit = self.terms.iter().all(|term| matches!(&term.predicate, CallPredicate::Any(pattern) if !term.is_negated && pattern.matches(&text)));
            if let Err(at) = self.hits.binary_search(&call)
                && is_hit
            {
                self.hits.insert(at, call);
            }
        }
    }

    /// Returns the hit after or before a call, wrapping around.
    pub fn next_hit(&self, from: u32, step: Step) -> Option<u32> {
        let after = self.hits.partition_point(|hit| *hit <= from);
        let before = self.hits.partition_point(|hit| *hit < from);
        let at = match step {
            Step::Next if after < self.hits.len() => after,
            Step::Next => 0,
            Step::Previous => before.checked_sub(1).unwrap_or(self.hits.len().checked_sub(1)?),
        };
        self.hits.get(at).copied()
    }

    /// Describes the position among the hits and the progress: `/text 3/41 (50% searched)`.
    pub fn status_text(&self, selected: u32, all: u32) -> String {
        let at = self.hits.binary_search(&selected).map_or("–".into(), |at| (at + 1).to_string());
        let percent = u64::from(self.searched) * 100 / u64::from(all.max(1));
        let progress =
            if self.searched < all { format!(" ({percent}% searched)") } else { String::new() };
        format!("/{} {at}/{}{progress}", self.text, self.hits.len())
    }
}

/// Returns the prefilter of a term, unless it is of the calls that the term leaves out.
fn prefilter(
    term: &SearchTerm<CallPredicate>,
    formatter: &CallFormatter<'_>,
) -> Option<CallPrefilter> {
    if term.is_negated { None } else { term.predicate.prefilter(formatter) }
}

impl CallPredicate {
    fn parse(scope: Option<&str>, rest: &str, decimals: u8) -> Result<Self, SafeText> {
        let Some(scope) = scope else { return Ok(Self::Any(TextPattern::new(rest))) };
        Ok(match scope {
            "to" => Self::To(TextPattern::new(rest)),
            "from" => Self::From(TextPattern::new(rest)),
            "fn" | "method" => Self::Function(TextPattern::new(rest)),
            "sel" => Self::Selector(TextPattern::new(rest.trim_start_matches("0x"))),
            "err" => Self::Error(TextPattern::new(rest)),
            "val" | "value" => Self::Value(ValueRange::parse(rest)?.to_units(decimals)?),
            "gas" => Self::Gas(ValueRange::parse(rest)?.to_units(0)?),
            "at" => Self::Path(parse_path(rest).ok_or(trace_problem::INVALID_PATH)?),
            _ if is_scope(scope, rest) => {
                return Err(SafeText::new(&TraceProblem::UnknownScope { scope }.to_string()));
            }
            _ => Self::Any(TextPattern::new(&[scope, ":", rest].concat())),
        })
    }

    fn prefilter(&self, formatter: &CallFormatter<'_>) -> Option<CallPrefilter> {
        match self {
            Self::Any(TextPattern::Literal(pattern))
            | Self::To(TextPattern::Literal(pattern))
            | Self::From(TextPattern::Literal(pattern))
            | Self::Function(TextPattern::Literal(pattern)) => {
                CallPrefilter::new(pattern, formatter)
            }
            _ => None,
        }
    }

    /// Returns `true` if a call matches. A call ruled out by the word's prefilter is not decoded.
    fn matches(&self, call: SearchedCall<'_>, prefilter: Option<&CallPrefilter>) -> bool {
        let SearchedCall { number, frame, formatter } = call;
        let tree = formatter.tree;
        let may = |admits: fn(&CallPrefilter, &CallFrame, &CallTree) -> bool| {
            prefilter.is_none_or(|prefilter| admits(prefilter, frame, tree))
        };
        match self {
            Self::To(pattern) => {
                may(|p, frame, tree| p.admits_party(frame.to, tree))
                    && call.party_matches(pattern, frame.to)
            }
            Self::From(pattern) => {
                may(|p, frame, tree| p.admits_party(frame.from, tree))
                    && call.party_matches(pattern, frame.from)
            }
            Self::Function(pattern) => {
                may(CallPrefilter::admits_label)
                    && formatter
                        .identifier()
                        .called_function(number)
                        .is_some_and(|name| pattern.matches(&name))
            }
            Self::Selector(pattern) => call.selector().is_some_and(|s| pattern.matches(&s)),
            Self::Error(pattern) => call.failure_matches(pattern),
            Self::Value(bound) => bound.matches(tree.value(number)),
            Self::Gas(bound) => bound.matches(frame.gas_used().map(U256::from)),
            Self::Path(path) => {
                let is_last = path.last().is_none_or(|last| frame.child_index == *last);
                is_last && tree.path(number) == *path
            }
            Self::Any(pattern) => {
                (may(CallPrefilter::admits) && call.text_matches(pattern))
                    || call.failure_matches(pattern)
            }
        }
    }
}

impl SearchedCall<'_> {
    fn text_matches(&self, pattern: &TextPattern) -> bool {
        pattern.matches(&self.formatter.call_label(self.number).line())
            || self.party_matches(pattern, self.frame.to)
            || self.party_matches(pattern, self.frame.from)
            || self.selector().is_some_and(|s| pattern.matches(&format!("0x{s}")))
    }

    fn party_matches(&self, pattern: &TextPattern, party: BodySpan) -> bool {
        let Some(address) = self.formatter.tree.address(party) else { return false };
        let label = self.formatter.label(&address).unwrap_or_default();
        // Not only the user's label, which stands in its place.
        let name = self.formatter.name_cache.cached_name(&address).map_or("", |name| name);
        pattern.matches(&format!("{label} {name} {address} {address:x}"))
    }

    fn failure_matches(&self, pattern: &TextPattern) -> bool {
        let reasons = || {
            [
                self.formatter.failure_reason(self.number),
                self.formatter.exact_failure_reason(self.number),
            ]
        };
        self.frame.failed() && reasons().iter().any(|reason| pattern.matches(reason))
    }

    fn selector(&self) -> Option<String> {
        self.formatter.tree.selector(self.number).map(alloy_primitives::hex::encode)
    }
}

/// Parses a path such as `0.3.1`, or `root`.
fn parse_path(text: &str) -> Option<Vec<u32>> {
    match text {
        "" | "root" => Some(Vec::new()),
        text => text.split('.').map(|number| number.parse().ok()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_parse() {
        assert_eq!(parse_path("0.3.1"), Some(vec![0, 3, 1]));
        assert_eq!(parse_path("root"), Some(vec![]));
        assert_eq!(parse_path("0.x"), None);
    }

    #[test]
    fn hits_are_visited_in_a_circle() {
        let search = CallSearch { hits: vec![2, 5], ..CallSearch::parse("x", 18).unwrap() };
        for (from, next, previous) in [(1, 2, 5), (2, 5, 5), (3, 5, 2), (5, 2, 2), (9, 2, 5)] {
            assert_eq!(search.next_hit(from, Step::Next), Some(next), "{from}");
            assert_eq!(search.next_hit(from, Step::Previous), Some(previous), "{from}");
        }
        let none = CallSearch::parse("x", 18).unwrap();
        assert_eq!(none.next_hit(1, Step::Previous), None);
    }

    #[test]
    fn events_with_the_words_are_hits_but_none_without_one() {
        let hits = |text: &str| {
            let mut search = CallSearch::parse(text, 18).unwrap();
            search.add_events([(3, "Transfer".to_owned()), (3, "Approval".to_owned())].into_iter());
            search.hits
        };
        assert_eq!(hits("transfer"), [3]);
        assert!(hits("not:transfer").is_empty());
        assert!(hits("transfer approval").is_empty(), "of two events");
    }

    #[test]
    fn unknown_scopes_are_refused() {
        let error = |text| CallSearch::parse(text, 18).unwrap_err().to_string();
        let known = "to: from: fn: sel: err: val: gas: at:";
        assert_eq!(error("metod:swap"), format!("no metod:, only {known}"));
        for text in ["0xab:1", "data:image", "https://a.b", "STF:low", "fn:", "re:metod:swap"] {
            assert!(CallSearch::parse(text, 18).is_ok(), "{text}");
        }
        for scope in known.split_whitespace().filter(|scope| *scope != "at:") {
            assert!(CallSearch::parse(&format!("{scope}1"), 18).is_ok(), "{scope}");
        }
    }
}
