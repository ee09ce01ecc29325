//! The key map: binds chords to actions by context.
//!
//! The default bindings of `assets/keymap.toml` are merged with the user's. Input handling, key hints
//! and help all read the resulting table: the keys pressed so far are looked up in the contexts of the
//! focused part, the first of which takes precedence, until they are a whole chord.

pub mod key_placeholders;
mod user_keymap;

use std::collections::BTreeMap;
use std::fmt;

use crossterm::event::KeyCode;
use serde::Deserialize;
use serde::de::Error;
use strum::{EnumIter, VariantNames};

use crate::action::Action;
use crate::app_message::Key;
use crate::messages::settings::KeymapError;

const DEFAULT_KEYMAP: &str = include_str!("../assets/keymap.toml");

/// The part of the program in which a binding applies.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, EnumIter, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum KeyContext {
    #[default]
    Everywhere,
    Start,
    List,
    Document,
    Trace,
    Diff,
    Requests,
    Help,
    Menu,
    Picker,
    Field,
}

impl KeyContext {
    /// Returns `true` if global bindings do not apply: letters are text or choose an entry.
    pub fn is_exclusive(self) -> bool {
        matches!(self, Self::Menu | Self::Field)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Keymap(BTreeMap<KeyContext, Vec<Binding>>);

/// A chord and its action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub chord: Chord,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord(pub Vec<Key>);

/// The result of looking up the keys pressed so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The keys are bound to this action.
    Action(Action),
    /// The keys begin a longer chord.
    Prefix,
    /// The keys are not bound.
    Nothing,
}

impl Keymap {
    pub fn embedded() -> Result<Self, KeymapError> {
        Self::parse(DEFAULT_KEYMAP)
    }

    pub fn parse(source: &str) -> Result<Self, KeymapError> {
        let table: BTreeMap<KeyContext, toml::Table> = toml::from_str(source)?;
        let mut contexts = BTreeMap::new();
        for (context, bindings) in table {
            let mut parsed = Vec::new();
            for (keys, action) in bindings {
                let name = action.as_str().unwrap_or_default();
                let action = name
                    .parse()
                    .map_err(|_| toml::de::Error::unknown_variant(name, Action::VARIANTS))?;
                parsed.push(Binding { chord: keys.parse()?, action });
            }
            contexts.insert(context, parsed);
        }
        let keymap = Self(contexts);
        keymap.check_reachable()?;
        Ok(keymap)
    }

    fn check_reachable(&self) -> Result<(), KeymapError> {
        for bindings in self.0.values() {
            for shorter in bindings {
                let longer = bindings.iter().find(|b| {
                    b.chord.0.len() > shorter.chord.0.len()
                        && b.chord.0.starts_with(&shorter.chord.0)
                });
                if let Some(longer) = longer {
                    return Err(unreachable_chord(&longer.chord, &shorter.chord));
                }
            }
        }
        Ok(())
    }

    /// Looks up keys in contexts, the first of which takes precedence.
    pub fn lookup(&self, contexts: &[KeyContext], keys: &[Key]) -> Lookup {
        for context in contexts {
            let bindings = self.bindings(*context);
            if let Some(binding) = bindings.iter().find(|b| b.chord.0 == keys) {
                return Lookup::Action(binding.action);
            }
            if bindings.iter().any(|b| b.chord.0.starts_with(keys)) {
                return Lookup::Prefix;
            }
        }
        Lookup::Nothing
    }

    /// Looks up keys in all contexts in which keys are not text.
    pub fn lookup_anywhere(&self, keys: &[Key]) -> Lookup {
        let contexts: Vec<_> =
            self.0.keys().copied().filter(|context| !context.is_exclusive()).collect();
        self.lookup(&contexts, keys)
    }

    pub fn bindings(&self, context: KeyContext) -> &[Binding] {
        self.0.get(&context).map_or(&[], Vec::as_slice)
    }

    /// Returns the first chord bound to an action in the contexts.
    pub fn chord_for(&self, contexts: &[KeyContext], action: Action) -> Option<&Chord> {
        let mut all = contexts.iter().flat_map(|c| self.bindings(*c));
        all.find(|b| b.action == action).map(|b| &b.chord)
    }
}

/// Returns the error of a chord that starts with another whole chord.
fn unreachable_chord(chord: &Chord, first: &Chord) -> KeymapError {
    let first_in_file = first.to_config();
    KeymapError::Unreachable { chord: chord.to_string(), first: first.to_string(), first_in_file }
}

impl std::str::FromStr for Chord {
    type Err = KeymapError;

    /// Parses a chord such as `g g`, `ctrl-d` or `enter`.
    fn from_str(text: &str) -> Result<Self, KeymapError> {
        let keys: Option<Vec<Key>> = text.split(' ').map(parse_key).collect();
        keys.filter(|k| !k.is_empty()).map(Self).ok_or_else(|| {
            let named = NAMED_KEYS.map(|(name, _)| name).join(", ");
            KeymapError::UnknownKey { name: text.into(), named }
        })
    }
}

/// Names of keys that are not a character.
const NAMED_KEYS: [(&str, KeyCode); 15] = [
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("space", KeyCode::Char(' ')),
];

fn parse_key(text: &str) -> Option<Key> {
    // The screen shows `^d`.
    let without_ctrl = text.strip_prefix("ctrl-").or_else(|| text.strip_prefix('^'));
    let (ctrl, name) = match without_ctrl.filter(|name| !name.is_empty()) {
        Some(name) => (true, name),
        None => (false, text),
    };
    if let Some((_, code)) = NAMED_KEYS.iter().find(|(known, _)| *known == name) {
        return Some(Key { code: *code, ctrl, alt: false });
    }
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Some(Key { code: KeyCode::Char(c), ctrl, alt: false }),
        _ => None,
    }
}

impl Chord {
    /// Formats the chord as in `keymap.toml`.
    fn to_config(&self) -> String {
        self.0.iter().map(key_to_config).collect::<Vec<_>>().join(" ")
    }
}

fn key_to_config(key: &Key) -> String {
    let named = NAMED_KEYS.iter().find(|(_, code)| *code == key.code).map(|(name, _)| *name);
    let name = named.map_or_else(|| key.code.to_string(), ToOwned::to_owned);
    if key.ctrl { format!("ctrl-{name}") } else { name }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<String> = self.0.iter().map(key_label).collect();
        f.pad(&keys.join(if keys.iter().all(|k| k.len() == 1) { "" } else { " " }))
    }
}

fn key_label(key: &Key) -> String {
    let name = NAMED_KEYS.iter().find(|(_, code)| *code == key.code);
    let name = match (name, key.code) {
        (_, KeyCode::PageUp) => "PgUp".into(),
        (_, KeyCode::PageDown) => "PgDn".into(),
        (_, KeyCode::BackTab) => "S-Tab".into(),
        (_, KeyCode::Backspace) => "BkSp".into(),
        (Some((name, _)), _) => {
            name.chars().next().map_or(String::new(), |c| c.to_ascii_uppercase().to_string())
                + &name[1..]
        }
        (None, KeyCode::Char(c)) => c.to_string(),
        (None, code) => code.to_string(),
    };
    if key.ctrl { format!("^{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use strum::IntoEnumIterator;

    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.parse::<Chord>().unwrap().0
    }

    #[test]
    fn every_action_is_bound_and_described() {
        let keymap = Keymap::embedded().unwrap();
        let bound: HashSet<Action> = keymap.0.values().flatten().map(|b| b.action).collect();
        for action in Action::iter() {
            assert!(bound.contains(&action), "{action:?} has no key");
            assert!(!action.description().is_empty(), "{action:?} is not described");
        }
    }

    #[test]
    fn chords_are_looked_up_key_by_key() {
        let keymap = Keymap::embedded().unwrap();
        let look = |k: &str| keymap.lookup(&[KeyContext::Everywhere], &keys(k));
        assert_eq!(look("g"), Lookup::Prefix);
        assert_eq!(look("g g"), Lookup::Action(Action::First));
        assert_eq!(look("G"), Lookup::Action(Action::Last));
        assert_eq!(look("g x"), Lookup::Nothing);
        assert_eq!(look("ctrl-c"), Lookup::Action(Action::Interrupt));
        assert_eq!(look("c"), Lookup::Nothing);
    }

    #[test]
    fn first_context_takes_precedence() {
        let keymap = Keymap::embedded().unwrap();
        let both = [KeyContext::Document, KeyContext::Everywhere];
        assert_eq!(keymap.lookup(&both, &keys("space")), Lookup::Action(Action::Toggle));
        assert_eq!(keymap.lookup(&both, &keys("j")), Lookup::Action(Action::NextRow));
    }

    #[test]
    fn invalid_key_maps_are_rejected_with_a_reason() {
        for (source, reason) in [
            ("[everywhere]\n\"g\" = \"first\"\n\"g g\" = \"last\"", "unreachable"),
            ("[everywhere]\n\"hyper-x\" = \"first\"", "hyper-x"),
            ("[everywhere]\n\"x\" = \"frist\"", "frist"),
            ("[nowhere]\n\"x\" = \"first\"", "nowhere"),
        ] {
            let error = Keymap::parse(source).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn chords_display_compactly() {
        for (chord, shown) in
            [("g g", "gg"), ("ctrl-d", "^d"), ("enter", "Enter"), ("y h", "yh"), ("G", "G")]
        {
            assert_eq!(chord.parse::<Chord>().unwrap().to_string(), shown);
        }
    }
}
