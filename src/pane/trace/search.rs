//! Looking for calls: words with scopes, slice after slice, so that a million calls do not hold up
//! the screen.

use regex_lite::Regex;

use super::call_labels::Names;
use crate::chain::U256;
use crate::sanitize::Text;
use crate::trace::Tree;

/// Calls looked at in one go, where each has to be decoded.
const SLICE: u32 = 1_000;

/// A search and what it has found.
#[derive(Debug, Clone)]
pub(super) struct Search {
    /// What was typed.
    pub(super) text: Text,
    conditions: Vec<Condition>,
    hits: Vec<u32>,
    looked_at: u32,
    /// Folds that were opened to show hits, outermost first.
    pub(super) opened: Vec<u32>,
}

/// One word of a search. All must hold.
#[derive(Debug, Clone)]
enum Condition {
    Anywhere(Needle),
    To(Needle),
    From(Needle),
    Function(Needle),
    Selector(Needle),
    Error(Needle),
    Value(Bound),
    Gas(Bound),
    Path(Vec<u32>),
}

#[derive(Debug, Clone)]
enum Needle {
    /// Capitals count only where some are typed.
    Plain {
        text: String,
        exact: bool,
    },
    Pattern(Regex),
}

#[derive(Debug, Clone, Copy)]
struct Bound {
    more: bool,
    than: U256,
}

impl Needle {
    fn new(text: &str) -> Self {
        Self::Plain { text: text.to_owned(), exact: text.chars().any(char::is_uppercase) }
    }

    fn is_in(&self, hay: &str) -> bool {
        match self {
            Self::Plain { text, exact: true } => hay.contains(text.as_str()),
            Self::Plain { text, exact: false } => hay.to_lowercase().contains(text.as_str()),
            Self::Pattern(pattern) => pattern.is_match(hay),
        }
    }
}

impl Search {
    /// Reads what was typed: words, each perhaps with a scope (`to:`, `from:`, `fn:`, `sel:`, `err:`,
    /// `val:>0`, `gas:>100k`, `at:0.3.1`), or `re:` and a regular expression.
    pub(super) fn parse(text: &str, decimals: u8) -> Result<Self, Text> {
        let conditions = match text.strip_prefix("re:") {
            Some(pattern) => {
                let pattern = Regex::new(pattern).map_err(|e| Text::new(&e.to_string()))?;
                vec![Condition::Anywhere(Needle::Pattern(pattern))]
            }
            None => text
                .split_whitespace()
                .map(|word| Condition::parse(word, decimals))
                .collect::<Result<_, _>>()?,
        };
        let text = Text::new(text);
        Ok(Self { text, conditions, hits: Vec::new(), looked_at: 0, opened: Vec::new() })
    }

    /// The calls found so far.
    pub(super) fn hits(&self) -> &[u32] {
        &self.hits
    }

    /// Whether a call was found.
    pub(super) fn is_hit(&self, number: u32) -> bool {
        self.hits.binary_search(&number).is_ok()
    }

    /// Whether every call has been looked at.
    pub(super) fn is_done(&self, tree: &Tree) -> bool {
        self.looked_at >= tree.len()
    }

    /// Looks at the next slice; whether that was the last one.
    pub(super) fn go_on(&mut self, names: &Names<'_>) -> bool {
        let all = names.tree.len();
        let end = self.looked_at.saturating_add(SLICE).min(all);
        let found = (self.looked_at..end)
            .filter(|number| self.conditions.iter().all(|c| c.holds(*number, names)));
        let found: Vec<u32> = found.collect();
        self.hits.extend(found);
        self.looked_at = end;
        end == all
    }

    /// The hit after, or before, a call; round the end. Also its place among the hits.
    pub(super) fn next(&self, from: u32, ahead: bool) -> Option<(usize, u32)> {
        let after = self.hits.partition_point(|hit| *hit <= from);
        let before = self.hits.partition_point(|hit| *hit < from);
        let at = match ahead {
            true if after < self.hits.len() => after,
            true => 0,
            false => before.checked_sub(1).unwrap_or(self.hits.len().checked_sub(1)?),
        };
        self.hits.get(at).map(|hit| (at, *hit))
    }

    /// `3/41`, and how far it has looked.
    pub(super) fn words(&self, selected: u32, all: u32) -> String {
        let at = self.hits.binary_search(&selected).map_or("–".into(), |at| (at + 1).to_string());
        let percent = u64::from(self.looked_at) * 100 / u64::from(all.max(1));
        let far =
            if self.looked_at < all { format!(" ({percent}% searched)") } else { String::new() };
        format!("/{} {at}/{}{far}", self.text, self.hits.len())
    }
}

impl Condition {
    fn parse(word: &str, decimals: u8) -> Result<Self, Text> {
        let Some((scope, rest)) = word.split_once(':') else {
            return Ok(Self::Anywhere(Needle::new(word)));
        };
        Ok(match scope {
            "to" => Self::To(Needle::new(rest)),
            "from" => Self::From(Needle::new(rest)),
            "fn" => Self::Function(Needle::new(rest)),
            "sel" => Self::Selector(Needle::new(rest.trim_start_matches("0x"))),
            "err" => Self::Error(Needle::new(rest)),
            "val" => Self::Value(Bound::parse(rest, decimals)?),
            "gas" => Self::Gas(Bound::parse(rest, 0)?),
            "at" => Self::Path(parse_path(rest).ok_or("at: takes a path like 0.3.1")?),
            _ => Self::Anywhere(Needle::new(word)),
        })
    }

    fn holds(&self, number: u32, names: &Names<'_>) -> bool {
        let tree = names.tree;
        let Some(frame) = tree.get(number) else { return false };
        let address = |span| {
            let address = tree.address(span)?;
            let label = names.label(&address).unwrap_or_default();
            Some(format!("{label} {address} {address:x}"))
        };
        let party = |needle: &Needle, span| address(span).is_some_and(|hay| needle.is_in(&hay));
        match self {
            Self::To(needle) => party(needle, frame.to),
            Self::From(needle) => party(needle, frame.from),
            Self::Function(needle) => {
                names.called(number).name.is_some_and(|name| needle.is_in(&name))
            }
            Self::Selector(needle) => selector(names, number).is_some_and(|s| needle.is_in(&s)),
            Self::Error(needle) => frame.failed() && needle.is_in(&names.reason(number)),
            Self::Value(bound) => bound.holds(tree.value(number)),
            Self::Gas(bound) => bound.holds(frame.used().map(U256::from)),
            Self::Path(path) => tree.path(number) == *path,
            Self::Anywhere(needle) => {
                needle.is_in(&names.called(number).line())
                    || party(needle, frame.to)
                    || party(needle, frame.from)
                    || selector(names, number).is_some_and(|s| needle.is_in(&format!("0x{s}")))
                    || (frame.failed() && needle.is_in(&names.reason(number)))
            }
        }
    }
}

fn selector(names: &Names<'_>, number: u32) -> Option<String> {
    names.tree.selector(number).map(alloy_primitives::hex::encode)
}

/// `0.3.1`; the root's is `root`.
pub(crate) fn parse_path(text: &str) -> Option<Vec<u32>> {
    match text {
        "" | "root" => Some(Vec::new()),
        text => text.split('.').map(|number| number.parse().ok()).collect(),
    }
}

impl Bound {
    /// `>100k`, `<2.5`, `0.1` (at least that).
    fn parse(text: &str, decimals: u8) -> Result<Self, Text> {
        let (more, rest) = match text.strip_prefix('<') {
            Some(rest) => (false, rest),
            None => (true, text.strip_prefix('>').unwrap_or(text)),
        };
        let (digits, scale) = match rest.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 3),
            None => rest.strip_suffix('M').map_or((rest, 0), |digits| (digits, 6)),
        };
        let than = number(digits, decimals.saturating_add(scale));
        Ok(Self { more, than: than.ok_or("a bound is a number like >100k or <0.5")? })
    }

    fn holds(&self, value: Option<U256>) -> bool {
        value.is_some_and(|value| if self.more { value > self.than } else { value < self.than })
    }
}

/// A decimal number in units of 10^`decimals`.
fn number(text: &str, decimals: u8) -> Option<U256> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > usize::from(decimals) || whole.is_empty() {
        return None;
    }
    let digits = format!("{whole}{fraction:0<width$}", width = usize::from(decimals));
    U256::from_str_radix(&digits, 10).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_exact() {
        let bound = |text| Bound::parse(text, 18).unwrap();
        let eth = |n: u64| Some(U256::from(n) * U256::from(10).pow(U256::from(17)));
        assert!(bound(">0").holds(Some(U256::from(1))) && !bound(">0").holds(Some(U256::ZERO)));
        assert!(bound(">1.5").holds(eth(16)) && !bound(">1.5").holds(eth(15)));
        assert!(bound("<0.5").holds(eth(4)) && !bound("<0.5").holds(None));
        assert_eq!(Bound::parse(">100k", 0).unwrap().than, U256::from(100_000));
        assert!(Bound::parse(">x", 0).is_err() && Bound::parse(">1.5", 0).is_err());
    }

    #[test]
    fn capitals_count_only_where_some_are_typed() {
        assert!(Needle::new("usdc").is_in("transfer of USDC"));
        assert!(!Needle::new("Usdc").is_in("transfer of USDC"));
    }

    #[test]
    fn paths() {
        assert_eq!(parse_path("0.3.1"), Some(vec![0, 3, 1]));
        assert_eq!(parse_path("root"), Some(vec![]));
        assert_eq!(parse_path("0.x"), None);
    }
}
