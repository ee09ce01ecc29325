//! Merges the user's `keymap.toml` into the default key map.

use strum::{IntoEnumIterator, VariantNames};
use toml::de::DeValue;

use super::{Binding, Chord, KeyContext, Keymap, Lookup, unreachable_chord};
use crate::action::Action;
use crate::messages::settings::KeymapError;
use crate::toml_reader::{ConfigDiagnostic, TomlEntry, TomlReader, unknown_name_message};

/// Former names of actions, which users' files may have.
const FORMER_NAMES: [(&str, Action); 15] = [
    ("depth_4", Action::UnfoldAll),
    ("depth_5", Action::UnfoldAll),
    ("depth_6", Action::UnfoldAll),
    ("depth_7", Action::UnfoldAll),
    ("depth_8", Action::UnfoldAll),
    ("depth_9", Action::UnfoldAll),
    ("forget", Action::RemoveRow),
    ("go_to_hex", Action::GoToHex),
    ("hot_path", Action::HottestCall),
    ("in_full", Action::AllFields),
    ("other_pane", Action::SwitchPane),
    ("print", Action::ShowLastCopy),
    ("provenance", Action::Provenance),
    ("side_pane", Action::ToggleSplit),
    ("value_flow", Action::BalanceChanges),
];

/// A binding in the user's file; an action of `None` removes the default binding.
struct UserBinding {
    context: KeyContext,
    line: usize,
    chord: Chord,
    action: Option<Action>,
}

impl Keymap {
    /// Merges the user's bindings, which take precedence. Returns a problem for each binding that is
    /// invalid, unreachable, or hides another.
    pub fn apply_user_keymap(&mut self, source: &str) -> Vec<ConfigDiagnostic> {
        let mut reader = TomlReader::parse(source);
        let mut bindings = Vec::new();
        for (context, name) in KeyContext::iter().zip(KeyContext::VARIANTS) {
            bindings.extend(
                reader.section(name, |reader| read_bindings(context, reader)).unwrap_or_default(),
            );
        }
        // Removals first: they free chords for the other bindings, whatever their order. Global bindings next, which
        // others may hide.
        bindings.sort_by_key(|own: &UserBinding| {
            (own.action.is_some(), own.context != KeyContext::Everywhere, own.line)
        });
        for binding in &bindings {
            self.merge(binding, &mut reader);
        }
        for binding in &bindings {
            self.warn_shadowed(binding, &mut reader);
        }
        reader.finish()
    }

    fn merge(&mut self, own: &UserBinding, reader: &mut TomlReader<'_>) {
        let hidden_globals = self.hidden_globals(own);
        let bindings = self.0.entry(own.context).or_default();
        let before = bindings.len();
        bindings.retain(|bound| bound.chord != own.chord);
        let Some(action) = own.action else {
            if bindings.len() == before {
                report(own.line, &KeymapError::NotBound { chord: own.chord.to_string() }, reader);
            }
            return;
        };
        let first = bindings.iter().find(|bound| own.chord.0.starts_with(&bound.chord.0));
        if let Some(first) = first {
            return report(own.line, &unreachable_chord(&own.chord, &first.chord), reader);
        }
        let (hidden, mut kept): (Vec<Binding>, Vec<Binding>) =
            bindings.drain(..).partition(|bound| bound.chord.0.starts_with(&own.chord.0));
        kept.insert(0, Binding { chord: own.chord.clone(), action });
        *bindings = kept;
        let hidden: Vec<String> =
            hidden.iter().chain(&hidden_globals).map(describe_binding).collect();
        if !hidden.is_empty() {
            let (chord, hidden) = (own.chord.to_string(), hidden.join(", "));
            report(own.line, &KeymapError::Hides { chord, hidden }, reader);
        }
    }

    /// Returns the global bindings of several keys that a binding of one context ends at the first.
    fn hidden_globals(&self, own: &UserBinding) -> Vec<Binding> {
        if own.context.is_exclusive() || own.context == KeyContext::Everywhere {
            return Vec::new();
        }
        let global = self.0.get(&KeyContext::Everywhere).into_iter().flatten();
        let is_hidden =
            |bound: &&Binding| bound.chord != own.chord && bound.chord.0.starts_with(&own.chord.0);
        global.filter(is_hidden).cloned().collect()
    }

    /// Reports the contexts in which a global binding is shadowed.
    fn warn_shadowed(&self, own: &UserBinding, reader: &mut TomlReader<'_>) {
        let Some(action) = own.action.filter(|_| own.context == KeyContext::Everywhere) else {
            return;
        };
        for (context, name) in KeyContext::iter().zip(KeyContext::VARIANTS) {
            if context.is_exclusive() || context == own.context {
                continue;
            }
            let chord = own.chord.to_string();
            let problem = match self.lookup(&[context], &own.chord.0) {
                Lookup::Nothing => continue,
                Lookup::Action(other) if other == action => continue,
                Lookup::Action(other) => {
                    KeymapError::ShadowedBy { context: name, chord, action: other.into() }
                }
                Lookup::Prefix => KeymapError::BeginsOthers { context: name, chord },
            };
            report(own.line, &problem, reader);
        }
    }
}

fn read_bindings(context: KeyContext, reader: &mut TomlReader<'_>) -> Vec<UserBinding> {
    let entries = reader.take_remaining();
    entries.into_iter().filter_map(|entry| parse_binding(context, entry, reader)).collect()
}

fn parse_binding(
    context: KeyContext,
    entry: TomlEntry<'_>,
    reader: &mut TomlReader<'_>,
) -> Option<UserBinding> {
    let TomlEntry { name, line, value } = entry;
    let chord = name.parse().map_err(|error| report(line, &error, reader)).ok()?;
    let action = match value {
        DeValue::Boolean(false) => None,
        DeValue::String(text) => Some(parse_action(&text, line, reader)?),
        _ => {
            report(line, &KeymapError::NotAnAction, reader);
            return None;
        }
    };
    Some(UserBinding { context, line, chord, action })
}

/// Parses the name of an action. A former name works too, and is reported with the new one.
fn parse_action(text: &str, line: usize, reader: &mut TomlReader<'_>) -> Option<Action> {
    if let Ok(action) = text.parse() {
        return Some(action);
    }
    let Some((_, action)) = FORMER_NAMES.iter().find(|(former, _)| *former == text) else {
        reader.report(line, &unknown_name_message("action", text, Action::VARIANTS));
        return None;
    };
    let renamed = KeymapError::Renamed { former: text.into(), name: (*action).into() };
    report(line, &renamed, reader);
    Some(*action)
}

fn report(line: usize, problem: &KeymapError, reader: &mut TomlReader<'_>) {
    reader.report(line, &problem.to_string());
}

fn describe_binding(binding: &Binding) -> String {
    format!("{} ({})", binding.chord, <&str>::from(binding.action))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_user_keymap(source: &str) -> (Keymap, Vec<String>) {
        let mut keymap = Keymap::embedded().unwrap();
        let problems = keymap.apply_user_keymap(source);
        (keymap, problems.iter().map(ToString::to_string).collect())
    }

    fn look(keymap: &Keymap, context: KeyContext, keys: &str) -> Lookup {
        keymap.lookup(&[context, KeyContext::Everywhere], &keys.parse::<Chord>().unwrap().0)
    }

    #[test]
    fn user_bindings_override_defaults() {
        let (keymap, problems) = with_user_keymap(
            "[everywhere]\n\"ctrl-n\" = \"next_row\"\n\"Q\" = false\n[list]\n\"X\" = \"export\"\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(look(&keymap, KeyContext::List, "ctrl-n"), Lookup::Action(Action::NextRow));
        assert_eq!(look(&keymap, KeyContext::List, "Q"), Lookup::Nothing);
        assert_eq!(look(&keymap, KeyContext::List, "X"), Lookup::Action(Action::Export));
        assert_eq!(look(&keymap, KeyContext::List, "j"), Lookup::Action(Action::NextRow));
        // Messages show the user's binding.
        let shown = keymap.chord_for(&[KeyContext::List], Action::Export).unwrap();
        assert_eq!(shown.to_string(), "X");
    }

    #[test]
    fn problems_name_their_line() {
        for (source, words) in [
            ("[lst]\n\"x\" = \"export\"", "line 1: unknown key `lst`: did you mean `list`?"),
            (
                "[list]\n\"x\" = \"exprot\"",
                "line 2: unknown action `exprot`: did you mean `export`?",
            ),
            ("[list]\n\n\"hyper-x\" = \"export\"", "line 3: unknown key `hyper-x`: expected a"),
            ("[list]\n\"x\" = 5", "line 2: expected an action in quotes"),
            ("[list]\n\"ctrl-e\" = false", "line 2: ^e is not bound here"),
            ("[list]\n\"x\" = \"export\"\n\"x\" = \"search\"", "line 3: duplicate key"),
        ] {
            let (keymap, problems) = with_user_keymap(source);
            assert!(problems[0].starts_with(words), "{problems:?}");
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!(look(&keymap, KeyContext::List, "/"), Lookup::Action(Action::Search));
        }
    }

    #[test]
    fn former_action_names_work_and_are_reported() {
        for (name, action) in FORMER_NAMES {
            let (keymap, problems) = with_user_keymap(&format!("[list]\n\"X\" = \"{name}\""));
            assert_eq!(look(&keymap, KeyContext::List, "X"), Lookup::Action(action));
            let new: &str = action.into();
            assert_eq!(problems, [format!("line 2: `{name}` is now called `{new}`")]);
        }
    }

    #[test]
    fn hidden_and_unreachable_bindings_are_reported() {
        let (keymap, problems) = with_user_keymap("[everywhere]\n\"y\" = \"copy_cell\"\n");
        assert!(problems[0].starts_with("line 2: y hides yy (copy_cell), yh"), "{problems:?}");
        assert!(problems[1].contains("in `trace` y begins other keys"), "{problems:?}");
        assert_eq!(look(&keymap, KeyContext::List, "y"), Lookup::Action(Action::CopyCell));

        let (keymap, problems) = with_user_keymap("[everywhere]\n\"q x\" = \"quit\"\n");
        assert_eq!(problems, ["line 2: qx is unreachable, q is bound: \"q\" = false removes it"]);
        assert_eq!(look(&keymap, KeyContext::List, "q"), Lookup::Action(Action::Close));

        let (keymap, problems) =
            with_user_keymap("[everywhere]\n\"q x\" = \"quit\"\n\"q\" = false\n");
        assert_eq!(problems, [""; 0]);
        assert_eq!(look(&keymap, KeyContext::List, "q x"), Lookup::Action(Action::Quit));

        let (_, problems) = with_user_keymap("[list]\n\"g\" = \"open\"\n\"r\" = \"first\"\n");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("line 2: g hides "), "{problems:?}");
        assert!(problems[0].contains("gc (chains)"), "{problems:?}");

        let (_, problems) = with_user_keymap("[trace]\n\"g\" = \"open\"\n");
        assert_eq!(problems.len(), 1, "own and global ones at once: {problems:?}");
        assert!(problems[0].contains("gc (chains)"), "{problems:?}");

        let [trace, global] = ["[trace]\n\"z\" = \"open\"\n", "[everywhere]\n\"z x\" = \"quit\"\n"];
        for source in [[trace, global], [global, trace]].map(|sections| sections.concat()) {
            let (_, problems) = with_user_keymap(&source);
            let hides =
                |problem: &String| problem.contains(" z hides ") && problem.contains("zx (quit)");
            assert!(problems.iter().any(hides), "{problems:?}");
        }

        let (_, problems) = with_user_keymap("[everywhere]\n\"t\" = \"transfers\"\n");
        assert_eq!(problems, ["line 2: in `trace` t is display_mode"]);
    }
}
