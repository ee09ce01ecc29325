//! The user's own keys, laid over those that come with the program.

use strum::{IntoEnumIterator, VariantNames};
use toml::de::DeValue;

use super::{Binding, Chord, Context, Keymap, Lookup};
use crate::msg::Action;
use crate::toml_reader::{Entry, Problem, Sheet, unknown};

/// A key of the user's: an action, or none where it is to mean nothing.
struct Own {
    context: Context,
    line: usize,
    chord: Chord,
    action: Option<Action>,
}

impl Keymap {
    /// Lays the user's keys over these. Theirs win; what cannot be read or reached, and what theirs hide,
    /// is said with its line.
    pub fn overlay(&mut self, source: &str) -> Vec<Problem> {
        let mut sheet = Sheet::read(source);
        let mut own = Vec::new();
        for (context, name) in Context::iter().zip(Context::VARIANTS) {
            own.extend(sheet.section(name, |sheet| read(context, sheet)).unwrap_or_default());
        }
        // What is to mean nothing first: it makes room for the rest, wherever it stands.
        own.sort_by_key(|own| (own.action.is_some(), own.line));
        for key in &own {
            self.lay(key, &mut sheet);
        }
        for key in &own {
            self.tell_hidden(key, &mut sheet);
        }
        sheet.finish()
    }

    fn lay(&mut self, own: &Own, sheet: &mut Sheet<'_>) {
        let bindings = self.0.entry(own.context).or_default();
        let before = bindings.len();
        bindings.retain(|bound| bound.chord != own.chord);
        let Some(action) = own.action else {
            if bindings.len() == before {
                sheet.complain(own.line, &format!("nothing is bound to {} here", own.chord));
            }
            return;
        };
        let first = bindings.iter().find(|bound| own.chord.0.starts_with(&bound.chord.0));
        if let Some(first) = first {
            let (own_chord, first) = (&own.chord, &first.chord);
            sheet.complain(
                own.line,
                &format!(
                    "{own_chord} can never be reached, {first} comes first: \"{}\" = false removes it",
                    first.written()
                ),
            );
            return;
        }
        let (hidden, mut kept): (Vec<Binding>, Vec<Binding>) =
            bindings.drain(..).partition(|bound| bound.chord.0.starts_with(&own.chord.0));
        kept.insert(0, Binding { chord: own.chord.clone(), action });
        *bindings = kept;
        if !hidden.is_empty() {
            let names: Vec<String> = hidden.iter().map(name).collect();
            sheet.complain(own.line, &format!("{} hides {}", own.chord, names.join(", ")));
        }
    }

    /// Says where a key that is bound everywhere means something else.
    fn tell_hidden(&self, own: &Own, sheet: &mut Sheet<'_>) {
        let Some(action) = own.action.filter(|_| own.context == Context::Everywhere) else {
            return;
        };
        for (context, name) in Context::iter().zip(Context::VARIANTS) {
            if context.is_alone() || context == own.context {
                continue;
            }
            let meant = match self.lookup(&[context], &own.chord.0) {
                Lookup::Nothing => continue,
                Lookup::Action(other) if other == action => continue,
                Lookup::Action(other) => format!("is {}", <&str>::from(other)),
                Lookup::Prefix => "begins other keys".into(),
            };
            sheet.complain(own.line, &format!("in `{name}` {} {meant}", own.chord));
        }
    }
}

fn read(context: Context, sheet: &mut Sheet<'_>) -> Vec<Own> {
    let entries = sheet.rest();
    entries.into_iter().filter_map(|entry| one(context, entry, sheet)).collect()
}

fn one(context: Context, entry: Entry<'_>, sheet: &mut Sheet<'_>) -> Option<Own> {
    let Entry { name, line, value } = entry;
    let Ok(chord) = name.parse::<Chord>() else {
        let names: Vec<&str> = super::NAMED.iter().map(|(name, _)| *name).collect();
        let words = "keys are characters, `ctrl-` before one, and";
        sheet.complain(line, &format!("unknown key `{name}`: {words} {}", names.join(", ")));
        return None;
    };
    let action = match value {
        DeValue::Boolean(false) => None,
        DeValue::String(text) => {
            let action = text.parse().ok();
            if action.is_none() {
                sheet.complain(line, &unknown("action", &text, Action::VARIANTS));
                return None;
            }
            action
        }
        _ => {
            sheet.complain(line, "a key does an action in quotes, or nothing: false");
            return None;
        }
    };
    Some(Own { context, line, chord, action })
}

fn name(binding: &Binding) -> String {
    format!("{} ({})", binding.chord, <&str>::from(binding.action))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaid(source: &str) -> (Keymap, Vec<String>) {
        let mut keymap = Keymap::embedded().unwrap();
        let problems = keymap.overlay(source);
        (keymap, problems.iter().map(ToString::to_string).collect())
    }

    fn look(keymap: &Keymap, context: Context, keys: &str) -> Lookup {
        keymap.lookup(&[context, Context::Everywhere], &keys.parse::<Chord>().unwrap().0)
    }

    #[test]
    fn own_keys_win_and_the_others_stay() {
        let (keymap, problems) = overlaid(
            "[everywhere]\n\"ctrl-n\" = \"next_row\"\n\"Q\" = false\n[list]\n\"X\" = \"export\"\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(look(&keymap, Context::List, "ctrl-n"), Lookup::Action(Action::NextRow));
        assert_eq!(look(&keymap, Context::List, "Q"), Lookup::Nothing);
        assert_eq!(look(&keymap, Context::List, "X"), Lookup::Action(Action::Export));
        assert_eq!(look(&keymap, Context::List, "j"), Lookup::Action(Action::NextRow));
        // The user's own is the one that the footer and the help show.
        let shown = keymap.chord(&[Context::List], Action::Export).unwrap();
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
            assert_eq!(look(&keymap, Context::List, "/"), Lookup::Action(Action::Search));
        }
    }

    #[test]
    fn what_is_hidden_or_out_of_reach_is_said() {
        let (keymap, problems) = overlaid("[everywhere]\n\"y\" = \"copy_cell\"\n");
        assert!(problems[0].starts_with("line 2: y hides yy (copy_cell), yh"), "{problems:?}");
        assert!(problems[1].contains("in `trace` y begins other keys"), "{problems:?}");
        assert_eq!(look(&keymap, Context::List, "y"), Lookup::Action(Action::CopyCell));

        let (keymap, problems) = overlaid("[everywhere]\n\"q x\" = \"quit\"\n");
        assert_eq!(
            problems,
            ["line 2: qx can never be reached, q comes first: \"q\" = false removes it"]
        );
        assert_eq!(look(&keymap, Context::List, "q"), Lookup::Action(Action::Close));

        let (keymap, problems) = overlaid("[everywhere]\n\"q x\" = \"quit\"\n\"q\" = false\n");
        assert_eq!(problems, [""; 0]);
        assert_eq!(look(&keymap, Context::List, "q x"), Lookup::Action(Action::Quit));

        let (_, problems) = overlaid("[everywhere]\n\"t\" = \"transfers\"\n");
        assert_eq!(problems, ["line 2: in `trace` t is display_mode"]);
    }
}
