//! Search for calls by scoped words. The search runs in slices, so that a million calls do not block the
//! screen.

use regex_lite::Regex;

use super::call_labels::CallFormatter;
use super::call_prefilter::CallPrefilter;
use crate::chain::U256;
use crate::chain::decimal::Decimal;
use crate::pane::time_slice::TimeSlice;
use crate::sanitize::SafeText;
use crate::trace::tree::to_index;
use crate::trace::{BodySpan, CallFrame, CallTree};

/// A search and its hits so far.
#[derive(Debug, Clone)]
pub struct CallSearch {
    pub(super) text: SafeText,
    predicates: Vec<CallPredicate>,
    /// The prefilter of each predicate that has one, from the first slice on.
    prefilters: Option<Vec<Option<CallPrefilter>>>,
    hits: Vec<u32>,
    searched: u32,
    /// Whether the first hit was gone to, or there was none.
    pub(super) is_settled: bool,
    /// Folds that were opened to reveal hits, outermost first.
    pub(super) opened_folds: Vec<u32>,
}

/// One word of a search; a hit matches every word.
#[derive(Debug, Clone)]
enum CallPredicate {
    Any(TextPattern),
    To(TextPattern),
    From(TextPattern),
    Function(TextPattern),
    Selector(TextPattern),
    Error(TextPattern),
    Value(Comparison),
    Gas(Comparison),
    Path(Vec<u32>),
}

/// A call that is searched.
#[derive(Clone, Copy)]
struct SearchedCall<'a> {
    number: u32,
    frame: &'a CallFrame,
    formatter: &'a CallFormatter<'a>,
}

#[derive(Debug, Clone)]
enum TextPattern {
    /// Case-sensitive only if it contains upper case.
    Literal {
        pattern: String,
        case_sensitive: bool,
    },
    Regex(Regex),
}

#[derive(Debug, Clone, Copy)]
struct Comparison {
    is_greater: bool,
    bound: U256,
}

impl TextPattern {
    fn new(pattern: &str) -> Self {
        let case_sensitive = pattern.chars().any(char::is_uppercase);
        Self::Literal { pattern: pattern.to_owned(), case_sensitive }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Literal { pattern, case_sensitive: true } => text.contains(pattern),
            Self::Literal { pattern, case_sensitive: false } => {
                text.to_lowercase().contains(pattern)
            }
            Self::Regex(pattern) => pattern.is_match(text),
        }
    }
}

impl CallSearch {
    /// Parses a search: words with an optional scope (`to:`, `from:`, `fn:`, `sel:`, `err:`,
    /// `val:>0`, `gas:>100k`, `at:0.3.1`), or `re:` and a regular expression
    /// for the whole text.
    pub fn parse(text: &str, decimals: u8) -> Result<Self, SafeText> {
        let conditions = match text.strip_prefix("re:") {
            Some(pattern) => {
                let pattern = Regex::new(pattern).map_err(|e| SafeText::new(&e.to_string()))?;
                vec![CallPredicate::Any(TextPattern::Regex(pattern))]
            }
            None => text
                .split_whitespace()
                .map(|word| CallPredicate::parse(word, decimals))
                .collect::<Result<_, _>>()?,
        };
        let text = SafeText::new(text);
        Ok(Self {
            text,
            predicates: conditions,
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

    /// Returns whether a call is a hit.
    pub(super) fn is_hit(&self, number: u32) -> bool {
        self.hits.binary_search(&number).is_ok()
    }

    /// Returns whether every call was searched.
    pub(super) fn is_done(&self, tree: &CallTree) -> bool {
        self.searched >= tree.len()
    }

    /// Searches all calls again, with names and signatures that may be new.
    pub(super) fn restart(&mut self) {
        self.prefilters = None;
        self.hits.clear();
        self.searched = 0;
    }

    /// Searches calls for one slice. Returns whether it was the last one.
    pub fn resume(&mut self, formatter: &CallFormatter<'_>) -> bool {
        let predicates = &self.predicates;
        let prefilters = self.prefilters.get_or_insert_with(|| {
            predicates.iter().map(|predicate| predicate.prefilter(formatter)).collect()
        });
        let frames = formatter.tree.frames();
        let mut slice = TimeSlice::begin();
        while let Some(frame) = frames.get(to_index(self.searched)).filter(|_| slice.has_time()) {
            let mut predicates = predicates.iter().zip(&*prefilters);
            let call = SearchedCall { number: self.searched, frame, formatter };
            if predicates.all(|(predicate, prefilter)| predicate.matches(call, prefilter.as_ref()))
            {
                self.hits.push(self.searched);
            }
            self.searched += 1;
        }
        self.is_done(formatter.tree)
    }

    /// Returns the hit after or before a call, wrapping around.
    pub(super) fn next_hit(&self, from: u32, ahead: bool) -> Option<u32> {
        let after = self.hits.partition_point(|hit| *hit <= from);
        let before = self.hits.partition_point(|hit| *hit < from);
        let at = match ahead {
            true if after < self.hits.len() => after,
            true => 0,
            false => before.checked_sub(1).unwrap_or(self.hits.len().checked_sub(1)?),
        };
        self.hits.get(at).copied()
    }

    /// Describes the position among the hits and the progress: `/text 3/41 (50% searched)`.
    pub(super) fn status_text(&self, selected: u32, all: u32) -> String {
        let at = self.hits.binary_search(&selected).map_or("–".into(), |at| (at + 1).to_string());
        let percent = u64::from(self.searched) * 100 / u64::from(all.max(1));
        let progress =
            if self.searched < all { format!(" ({percent}% searched)") } else { String::new() };
        format!("/{} {at}/{}{progress}", self.text, self.hits.len())
    }
}

impl CallPredicate {
    fn parse(word: &str, decimals: u8) -> Result<Self, SafeText> {
        let Some((scope, rest)) = word.split_once(':') else {
            return Ok(Self::Any(TextPattern::new(word)));
        };
        Ok(match scope {
            "to" => Self::To(TextPattern::new(rest)),
            "from" => Self::From(TextPattern::new(rest)),
            "fn" => Self::Function(TextPattern::new(rest)),
            "sel" => Self::Selector(TextPattern::new(rest.trim_start_matches("0x"))),
            "err" => Self::Error(TextPattern::new(rest)),
            "val" => Self::Value(Comparison::parse(rest, decimals)?),
            "gas" => Self::Gas(Comparison::parse(rest, 0)?),
            "at" => Self::Path(parse_path(rest).ok_or("at: expects a path such as 0.3.1")?),
            _ => Self::Any(TextPattern::new(word)),
        })
    }

    fn prefilter(&self, formatter: &CallFormatter<'_>) -> Option<CallPrefilter> {
        match self {
            Self::Any(TextPattern::Literal { pattern, .. })
            | Self::To(TextPattern::Literal { pattern, .. })
            | Self::From(TextPattern::Literal { pattern, .. })
            | Self::Function(TextPattern::Literal { pattern, .. }) => {
                CallPrefilter::new(pattern, formatter)
            }
            _ => None,
        }
    }

    /// Returns whether a call matches. What the prefilter of the word rules out is not decoded.
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
                    && formatter.called_function(number).is_some_and(|name| pattern.matches(&name))
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
        pattern.matches(&format!("{label} {address} {address:x}"))
    }

    fn failure_matches(&self, pattern: &TextPattern) -> bool {
        self.frame.failed() && pattern.matches(&self.formatter.failure_reason(self.number))
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

impl Comparison {
    /// Parses a comparison such as `>100k`, `<2.5`, or `0.1` (greater than).
    fn parse(text: &str, decimals: u8) -> Result<Self, SafeText> {
        let is_greater = !text.starts_with('<');
        let rest = text.strip_prefix(['<', '>']).unwrap_or(text);
        let (digits, scale) = match rest.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 3),
            None => rest.strip_suffix('M').map_or((rest, 0), |digits| (digits, 6)),
        };
        let decimals = usize::from(decimals) + scale;
        let bound = digits.parse::<Decimal>().ok().and_then(|bound| bound.to_units(decimals));
        Ok(Self { is_greater, bound: bound.ok_or("expected a number such as >100k or <0.5")? })
    }

    fn matches(&self, value: Option<U256>) -> bool {
        value.is_some_and(
            |value| if self.is_greater { value > self.bound } else { value < self.bound },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_exact() {
        let bound = |text| Comparison::parse(text, 18).unwrap();
        let eth = |n: u64| Some(U256::from(n) * U256::from(10).pow(U256::from(17)));
        assert!(bound(">0").matches(Some(U256::from(1))) && !bound(">0").matches(Some(U256::ZERO)));
        assert!(bound(">1.5").matches(eth(16)) && !bound(">1.5").matches(eth(15)));
        assert!(bound("<0.5").matches(eth(4)) && !bound("<0.5").matches(None));
        assert_eq!(Comparison::parse(">100k", 0).unwrap().bound, U256::from(100_000));
        assert!(Comparison::parse(">x", 0).is_err() && Comparison::parse(">1.5", 0).is_err());
    }

    #[test]
    fn search_is_case_sensitive_only_with_upper_case() {
        assert!(TextPattern::new("usdc").matches("transfer of USDC"));
        assert!(!TextPattern::new("Usdc").matches("transfer of USDC"));
    }

    #[test]
    fn paths_parse() {
        assert_eq!(parse_path("0.3.1"), Some(vec![0, 3, 1]));
        assert_eq!(parse_path("root"), Some(vec![]));
        assert_eq!(parse_path("0.x"), None);
    }
}
