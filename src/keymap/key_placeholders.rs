//! Placeholders for keys in messages: expands `{action}` to the keys that are bound to the action.

use std::borrow::Cow;

use super::{KeyContext, Keymap};
use crate::action::Action;

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
