//! Placeholders for keys in messages: expands `{action}` to the keys that are bound to the action.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use super::{KeyContext, Keymap};
use crate::action::Action;

/// A key that is also a word, and a key only before a verb: `a labels the address`.
const ARTICLE: &str = "a";

#[derive(Debug, Clone, Copy)]
pub struct KeyPlaceholders<'a> {
    keymap: &'a Keymap,
    contexts: [KeyContext; 2],
}

impl<'a> KeyPlaceholders<'a> {
    /// Uses the bindings of a context, and the global ones if they apply in it.
    pub fn new(keymap: &'a Keymap, context: KeyContext) -> Self {
        let global = if context.is_exclusive() { context } else { KeyContext::Everywhere };
        Self { keymap, contexts: [context, global] }
    }

    /// Replaces placeholders: `{refresh}` becomes the key that refreshes, or the action's name if no
    /// key does. The template is `'static` because text from outside may contain braces.
    pub fn expand(&self, template: &'static str) -> Cow<'static, str> {
        if !template.contains('{') {
            return template.into();
        }
        let mut expanded = String::new();
        for part in template.split_inclusive('}') {
            let placeholder = part.strip_suffix('}').and_then(|part| part.rsplit_once('{'));
            let key = placeholder.and_then(|(before, name)| Some((before, self.key_label(name)?)));
            match key {
                Some((before, key)) => expanded.extend([before, &key]),
                None => expanded.push_str(part),
            }
        }
        expanded.into()
    }

    /// Returns the places of the keys in an expanded message. A key begins the message, a part of it after `·`
    /// or `:`, or a bracket, and another one may follow with `or`: `more · j or G loads`.
    pub fn keys_in(&self, message: &str) -> Vec<Range<usize>> {
        let chords = LazyCell::new(|| self.chord_texts());
        let mut keys = Vec::new();
        let (mut begins, mut at) = (true, 0);
        let mut words = message.split_inclusive(' ').peekable();
        while let Some(part) = words.next() {
            let word = part.trim_end();
            let bare = word.trim_start_matches('(').trim_end_matches([')', ',']);
            let next = words.peek().map_or("", |next| next.trim_end());
            let is_key = (begins || word.starts_with('('))
                && is_key(bare, &chords)
                && (bare != ARTICLE || next.ends_with('s'));
            if is_key {
                let start = at + word.len() - word.trim_start_matches('(').len();
                keys.push(start..start + bare.len());
            }
            begins = word == "·" || word.ends_with(':') || (word == "or" && begins);
            // What follows `or` is a key only after a key.
            begins |= is_key && next == "or";
            at += part.len();
        }
        keys
    }

    /// Returns the keys of all actions as they are written.
    fn chord_texts(&self) -> Vec<String> {
        let bindings = self.contexts.iter().flat_map(|context| self.keymap.bindings(*context));
        bindings.map(|binding| binding.chord.to_string()).collect()
    }

    fn key_label(&self, name: &str) -> Option<String> {
        let action: Action = name.parse().ok()?;
        let chord = self.keymap.chord_for(&self.contexts, action);
        Some(chord.map_or_else(|| action.label(), ToString::to_string))
    }
}

/// Returns `true` for the keys of an action, or for one that is pressed twice. No message names the digits of
/// tabs: a digit is a count.
fn is_key(text: &str, chords: &[String]) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && chords.iter().any(|chord| chord == text || chord.repeat(2) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_where_messages_have_them() {
        let keymap = Keymap::embedded().unwrap();
        let keys = KeyPlaceholders::new(&keymap, KeyContext::Document);
        for (message, expected) in [
            ("more · j or G loads", vec!["j", "G"]),
            ("retrying in 4 s · r now · gc another chain · ! requests", vec!["r", "gc", "!"]),
            ("no match for \"j\" in 50 of 826 rows · j loads more · Esc clears", vec!["j", "Esc"]),
            ("a labels the address · w watches it", vec!["a", "w"]),
            ("a transaction gets no new rows", vec![]),
            ("it may be an event's topic (gs) or a slot", vec!["gs"]),
            ("sorted by age ↑ · 50 loaded (GG loads all)", vec!["GG"]),
            ("nothing yet: s opens an address or w a transaction", vec!["s"]),
            ("1 match for \"x\" · 3 of 9 rows", vec![]),
            ("", vec![]),
        ] {
            let found = keys.keys_in(message).into_iter().map(|at| &message[at]);
            assert_eq!(found.collect::<Vec<_>>(), expected, "{message}");
        }
    }

    #[test]
    fn placeholders_expand_to_bound_keys() {
        let mut keymap = Keymap::embedded().unwrap();
        let template = "{refresh} to retry, {mark} marks one; {last} loads, {back} closes {this} {";
        let expand =
            |keymap: &Keymap, context| KeyPlaceholders::new(keymap, context).expand(template);
        let trace = "r to retry, mm marks one; G loads, Esc closes {this} {";
        assert_eq!(expand(&keymap, KeyContext::Trace), trace);
        let source = "[everywhere]\n\"R\" = \"refresh\"\nesc = false\n[trace]\n\"m m\" = false";
        assert!(keymap.apply_user_keymap(source).is_empty());
        let trace = "R to retry, mark marks one; G loads, back closes {this} {";
        assert_eq!(expand(&keymap, KeyContext::Trace), trace);
        let menu = "refresh to retry, mark marks one; G loads, Esc closes {this} {";
        assert_eq!(expand(&keymap, KeyContext::Menu), menu);
    }
}
