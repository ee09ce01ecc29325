//! The user's own keys, laid over those that come with the program.

use strum::{IntoEnumIterator, VariantNames};
use toml::de::DeValue;

use super::{Binding, Chord, KeyContext, Keymap, Lookup};
use crate::msg::Action;
use crate::toml_reader::{ConfigDiagnostic, TomlEntry, TomlReader, unknown_name_message};

/// A key of the user's: an action, or none where it is to mean nothing.
struct UserBinding {
    context: KeyContext,
    line: usize,
    chord: Chord,
    action: Option<Action>,
}

impl Keymap {
    /// Lays the user's keys over these. Theirs win; what cannot be read or reached, and what theirs hide,
    /// is said with its line.
    pub fn apply_user_keymap(&mut self, source: &str) -> Vec<ConfigDiagnostic> {
        let mut sheet = TomlReader::parse(source);
        let mut own = Vec::new();
        for (context, name) in KeyContext::iter().zip(KeyContext::VARIANTS) {
            own.extend(
                sheet.section(name, |sheet| read_bindings(context, sheet)).unwrap_or_default(),
            );
        }
        // What is to mean nothing first: it makes room for the rest, wherever it stands.
        own.sort_by_key(|own| (own.action.is_some(), own.line));
        for key in &own {
            self.merge(key, &mut sheet);
        }
        for key in &own {
            self.warn_shadowed(key, &mut sheet);
        }
        sheet.finish()
    }

    fn merge(&mut self, own: &UserBinding, sheet: &mut TomlReader<'_>) {
        let bindings = self.0.entry(own.context).or_default();
        let before = bindings.len();
        bindings.retain(|bound| bound.chord != own.chord);
        let Some(action) = own.action else {
            if bindings.len() == before {
                sheet.report(own.line, &format!("nothing is bound to {} here", own.chord));
            }
            return;
        };
        let first = bindings.iter().find(|bound| own.chord.0.starts_with(&bound.chord.0));
        if let Some(first) = first {
            let (own_chord, first) = (&own.chord, &first.chord);
            sheet.report(
                own.line,
                &format!(
                    "{own_chord} can never be reached, {first} comes first: \"{}\" = false removes it",
                    first.key_to_config()
                ),
            );
            return;
        }
        let (hidden, mut kept): (Vec<Binding>, Vec<Binding>) =
            bindings.drain(..).partition(|bound| bound.chord.0.starts_with(&own.chord.0));
        kept.insert(0, Binding { chord: own.chord.clone(), action });
        *bindings = kept;
        if !hidden.is_empty() {
            let names: Vec<String> = hidden.iter().map(describe_binding).collect();
            sheet.report(own.line, &format!("{} hides {}", own.chord, names.join(", ")));
        }
    }

    /// Says where a key that is bound everywhere means something else.
    fn warn_shadowed(&self, own: &UserBinding, sheet: &mut TomlReader<'_>) {
        let Some(action) = own.action.filter(|_| own.context == KeyContext::Everywhere) else {
            return;
        };
        for (context, name) in KeyContext::iter().zip(KeyContext::VARIANTS) {
            if context.is_exclusive() || context == own.context {
                continue;
            }
            let meant = match self.lookup(&[context], &own.chord.0) {
                Lookup::Nothing => continue,
                Lookup::Action(other) if other == action => continue,
                Lookup::Action(other) => format!("is {}", <&str>::from(other)),
                Lookup::Prefix => "begins other keys".into(),
            };
            sheet.report(own.line, &format!("in `{name}` {} {meant}", own.chord));
        }
    }
}

fn read_bindings(context: KeyContext, sheet: &mut TomlReader<'_>) -> Vec<UserBinding> {
    let entries = sheet.take_remaining();
    entries.into_iter().filter_map(|entry| parse_binding(context, entry, sheet)).collect()
}

fn parse_binding(
    context: KeyContext,
    entry: TomlEntry<'_>,
    sheet: &mut TomlReader<'_>,
) -> Option<UserBinding> {
    let TomlEntry { name, line, value } = entry;
    let Ok(chord) = name.parse::<Chord>() else {
        let names: Vec<&str> = super::NAMED_KEYS.iter().map(|(name, _)| *name).collect();
        let words = "keys are characters, `ctrl-` before one, and";
        sheet.report(line, &format!("unknown key `{name}`: {words} {}", names.join(", ")));
        return None;
    };
    let action = match value {
        DeValue::Boolean(false) => None,
        DeValue::String(text) => {
            let action = text.parse().ok();
            if action.is_none() {
                sheet.report(line, &unknown_name_message("action", &text, Action::VARIANTS));
                return None;
            }
            action
        }
        _ => {
            sheet.report(line, "a key does an action in quotes, or nothing: false");
            return None;
        }
    };
    Some(UserBinding { context, line, chord, action })
}

fn describe_binding(binding: &Binding) -> String {
    format!("{} ({})", binding.chord, <&str>::from(binding.action))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaid(source: &str) -> (Keymap, Vec<String>) {
        let mut keymap = Keymap::embedded().unwrap();
        let problems = keymap.apply_user_keymap(source);
        (keymap, problems.iter().map(ToString::to_string).collect())
    }

    fn look(keymap: &Keymap, context: KeyContext, keys: &str) -> Lookup {
        keymap.lookup(&[context, KeyContext::Everywhere], &keys.parse::<Chord>().unwrap().0)
    }

    #[test]
    fn own_keys_win_and_the_others_stay() {
        let (keymap, problems) = overlaid(
            "[everywhere]\n\"ctrl-n\" = \"next_row\"\n\"Q\" = false\n[list]\n\"X\" = \"export\"\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(look(&keymap, KeyContext::List, "ctrl-n"), Lookup::Action(Action::NextRow));
        assert_eq!(look(&keymap, KeyContext::List, "Q"), Lookup::Nothing);
        assert_eq!(look(&keymap, KeyContext::List, "X"), Lookup::Action(Action::Export));
        assert_eq!(look(&keymap, KeyContext::List, "j"), Lookup::Action(Action::NextRow));
        // The user's own is the one that the footer and the help show.
        let shown = keymap.chord_for(&[KeyContext::List], Action::Export).unwrap();
        assert_eq!(shown.to_string(), "X");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (source, words) in [
            ("[lst]\n\"x\" = \"export\"", "line 1: unknown key `lst`: did you mean `list`?"),
            (
                "[list]\n\"x\" = \"exprot\"",
                "line 2: unknown action `exprot`: did you mean `export`?",
            ),
            ("[list]\n\n\"hyper-x\" = \"export\"", "line 3: unknown key `hyper-x`: keys are"),
            ("[list]\n\"x\" = 5", "line 2: a key does an action in quotes"),
            ("[list]\n\"ctrl-e\" = false", "line 2: nothing is bound to ^e here"),
            ("[list]\n\"x\" = \"export\"\n\"x\" = \"search\"", "line 3: duplicate key"),
        ] {
            let (keymap, problems) = overlaid(source);
            assert!(problems[0].starts_with(words), "{problems:?}");
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!(look(&keymap, KeyContext::List, "/"), Lookup::Action(Action::Search));
        }
    }

    #[test]
    fn what_is_hidden_or_out_of_reach_is_said() {
        let (keymap, problems) = overlaid("[everywhere]\n\"y\" = \"copy_cell\"\n");
        assert!(problems[0].starts_with("line 2: y hides yy (copy_cell), yh"), "{problems:?}");
        assert!(problems[1].contains("in `trace` y begins other keys"), "{problems:?}");
        assert_eq!(look(&keymap, KeyContext::List, "y"), Lookup::Action(Action::CopyCell));

        let (keymap, problems) = overlaid("[everywhere]\n\"q x\" = \"quit\"\n");
        assert_eq!(
            problems,
            ["line 2: qx can never be reached, q comes first: \"q\" = false removes it"]
        );
        assert_eq!(look(&keymap, KeyContext::List, "q"), Lookup::Action(Action::Close));

        let (keymap, problems) = overlaid("[everywhere]\n\"q x\" = \"quit\"\n\"q\" = false\n");
        assert_eq!(problems, [""; 0]);
        assert_eq!(look(&keymap, KeyContext::List, "q x"), Lookup::Action(Action::Quit));

        let (_, problems) = overlaid("[everywhere]\n\"t\" = \"transfers\"\n");
        assert_eq!(problems, ["line 2: in `trace` t is display_mode"]);
    }
}
