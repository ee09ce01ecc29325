//! Sentences that name keys: by what the keys do, so that they are right however keys are bound.

use std::borrow::Cow;

use super::{KeyContext, Keymap};
use crate::msg::Action;

/// The keys as they are bound where a sentence is read.
#[derive(Debug, Clone, Copy)]
pub struct KeyHints<'a> {
    keymap: &'a Keymap,
    /// The nearer first.
    contexts: [KeyContext; 2],
}

impl<'a> KeyHints<'a> {
    /// Those of a context, and those of everywhere where they count in it.
    pub fn new(keymap: &'a Keymap, nearest: KeyContext) -> Self {
        let far = if nearest.is_exclusive() { nearest } else { KeyContext::Everywhere };
        Self { keymap, contexts: [nearest, far] }
    }

    /// A sentence with keys in it: `{refresh}` becomes the key that refreshes, or the action's words
    /// where none does. Only for our own sentences: a text from outside may hold braces.
    pub fn expand(&self, words: &'static str) -> Cow<'static, str> {
        if !words.contains('{') {
            return words.into();
        }
        let mut said = String::new();
        for part in words.split_inclusive('}') {
            let named = part.strip_suffix('}').and_then(|part| part.rsplit_once('{'));
            let key = named.and_then(|(before, name)| Some((before, self.key_label(name)?)));
            match key {
                Some((before, key)) => said.extend([before, &key]),
                None => said.push_str(part),
            }
        }
        said.into()
    }

    fn key_label(&self, name: &str) -> Option<String> {
        let action: Action = name.parse().ok()?;
        let chord = self.keymap.chord_for(&self.contexts, action);
        Some(chord.map_or_else(|| action.label(), ToString::to_string))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_the_keys_that_are_bound() {
        let mut keymap = Keymap::embedded().unwrap();
        let words = "{refresh} to retry, {mark} marks one; {last} loads, {back} closes {this} {";
        let said = |keymap: &Keymap, context| KeyHints::new(keymap, context).expand(words);
        let trace = "r to retry, mm marks one; G loads, Esc closes {this} {";
        assert_eq!(said(&keymap, KeyContext::Trace), trace);
        let source = "[everywhere]\n\"R\" = \"refresh\"\nesc = false\n[trace]\n\"m m\" = false";
        assert!(keymap.apply_user_keymap(source).is_empty());
        let trace = "R to retry, mark marks one; G loads, back closes {this} {";
        assert_eq!(said(&keymap, KeyContext::Trace), trace);
        let menu = "refresh to retry, mark marks one; G loads, Esc closes {this} {";
        assert_eq!(said(&keymap, KeyContext::Menu), menu);
    }
}
