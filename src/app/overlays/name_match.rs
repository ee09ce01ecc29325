//! The place of a typed text in a name, by which the palette and the prompt order what they find.

/// Places of a text in a name. Better ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameMatch {
    Inside,
    WordStart,
    Start,
    Whole,
}

impl NameMatch {
    /// Returns the best place of a text, in lower case, in a name. Signs around the name, such as the marks of a
    /// label, are no part of it.
    pub(super) fn find(name: &str, typed: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let names = [&*lower, lower.trim_matches(|c: char| !c.is_alphanumeric())];
        if names.contains(&typed) {
            Some(Self::Whole)
        } else if names.iter().any(|name| name.starts_with(typed)) {
            Some(Self::Start)
        } else if begins_word(&lower, typed) {
            Some(Self::WordStart)
        } else {
            lower.contains(typed).then_some(Self::Inside)
        }
    }
}

/// Returns `true` if a word of a text begins with the typed text. Both are in lower case.
pub(super) fn begins_word(lower: &str, typed: &str) -> bool {
    let is_inside = |at: usize| lower[..at].ends_with(char::is_alphanumeric);
    lower.match_indices(typed).any(|(at, _)| !is_inside(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_is_better_than_its_start_and_that_than_its_words() {
        for (name, expected) in [
            ("Al", Some(NameMatch::Whole)),
            ("«al»", Some(NameMatch::Whole)),
            ("alice.eth", Some(NameMatch::Start)),
            ("«Alice»", Some(NameMatch::Start)),
            ("fold all", Some(NameMatch::WordStart)),
            ("No Decimals", Some(NameMatch::Inside)),
            ("bob.eth", None),
        ] {
            assert_eq!(NameMatch::find(name, "al"), expected, "{name}");
        }
        assert!(NameMatch::Whole > NameMatch::Start && NameMatch::WordStart > NameMatch::Inside);
    }
}
