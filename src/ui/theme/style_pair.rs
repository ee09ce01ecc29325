//! Styles of roles in a theme file.

use std::fmt;

use ratatui::style::{Modifier, Style};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::color::{ColorDepth, ThemeColor};
use crate::toml_reader::unknown_name_message;

/// Names of the modifiers, in lower case as in theme files. Blinking and hidden text is not offered.
const MODIFIERS: [&str; 5] = ["bold", "dim", "italic", "underlined", "reversed"];

/// A style, and its substitute on a terminal with sixteen colours: the same in fewer colours, unless
/// the theme gives two, as in `[{ bg = "#28334a" }, { add = ["reversed"] }]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StylePair {
    full: RoleStyle,
    sixteen: RoleStyle,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RoleStyle {
    fg: Option<ThemeColor>,
    bg: Option<ThemeColor>,
    #[serde(deserialize_with = "modifiers")]
    add: Modifier,
}

impl StylePair {
    pub(super) fn at(self, depth: ColorDepth) -> Style {
        let style = if depth == ColorDepth::Sixteen { self.sixteen } else { self.full };
        Style {
            fg: style.fg.map(|color| color.get(depth)),
            bg: style.bg.map(|color| color.get(depth)),
            add_modifier: style.add,
            ..Style::new()
        }
    }
}

impl<'de> Deserialize<'de> for StylePair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StylePairVisitor)
    }
}

struct StylePairVisitor;

impl<'de> Visitor<'de> for StylePairVisitor {
    type Value = StylePair;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a style such as { fg = "blue", bg = "white", add = ["bold"] }, or two"#)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StylePair, A::Error> {
        let style = RoleStyle::deserialize(MapAccessDeserializer::new(map))?;
        Ok(StylePair { full: style, sixteen: style })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut styles: A) -> Result<StylePair, A::Error> {
        let missing = || A::Error::invalid_length(1, &self);
        let full = styles.next_element()?.ok_or_else(missing)?;
        let sixteen = styles.next_element()?.ok_or_else(missing)?;
        match styles.next_element::<RoleStyle>()? {
            None => Ok(StylePair { full, sixteen }),
            Some(_) => Err(A::Error::invalid_length(3, &self)),
        }
    }
}

fn modifiers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Modifier, D::Error> {
    deserializer.deserialize_seq(ModifiersVisitor)
}

struct ModifiersVisitor;

impl<'de> Visitor<'de> for ModifiersVisitor {
    type Value = Modifier;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a list such as ["bold"]"#)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Modifier, A::Error> {
        let mut modifiers = Modifier::empty();
        while let Some(ModifierName(modifier)) = names.next_element()? {
            modifiers |= modifier;
        }
        Ok(modifiers)
    }
}

struct ModifierName(Modifier);

impl<'de> Deserialize<'de> for ModifierName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let modifier = Modifier::from_name(&name.to_ascii_uppercase())
            .filter(|_| MODIFIERS.contains(&&*name))
            .map(Self);
        modifier
            .ok_or_else(|| D::Error::custom(unknown_name_message("modifier", &name, &MODIFIERS)))
    }
}
