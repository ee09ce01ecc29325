//! Themes as data: the built-in ones, and those that a user writes.

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use strum::{EnumCount, EnumString, IntoEnumIterator, VariantNames};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::color::{AnsiColor, nearest_ansi, parse_hex};
use super::{Role, Styles};
use crate::sanitize::SafeText;
use crate::toml_reader::{ConfigDiagnostic, unknown_name_message};

/// The built-in themes.
const BUILT_IN: [(&str, &str); 5] = [
    ("dark", include_str!("../../../assets/themes/dark.toml")),
    ("light", include_str!("../../../assets/themes/light.toml")),
    ("mono", include_str!("../../../assets/themes/mono.toml")),
    ("high-contrast", include_str!("../../../assets/themes/high-contrast.toml")),
    ("dusk", include_str!("../../../assets/themes/dusk.toml")),
];
/// What a theme says it is changed from.
const BASE_KEY: &str = "base";

/// How every role looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme([RoleStyle; Role::COUNT]);

/// How one role looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct RoleStyle {
    fg: Option<ThemeColor>,
    bg: Option<ThemeColor>,
    modifiers: Modifier,
}

/// A colour, and what it is in sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ThemeColor {
    exact: Color,
    ansi: Color,
}

impl ThemeColor {
    fn color(self, is_full: bool) -> Color {
        if is_full { self.exact } else { self.ansi }
    }
}

/// What may be added to a text besides colour.
#[derive(Debug, Clone, Copy, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
enum ThemeModifier {
    Bold,
    Dim,
    Italic,
    Underlined,
    Reversed,
}

impl From<ThemeModifier> for Modifier {
    fn from(added: ThemeModifier) -> Self {
        match added {
            ThemeModifier::Bold => Self::BOLD,
            ThemeModifier::Dim => Self::DIM,
            ThemeModifier::Italic => Self::ITALIC,
            ThemeModifier::Underlined => Self::UNDERLINED,
            ThemeModifier::Reversed => Self::REVERSED,
        }
    }
}

/// Why there is no theme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// It has a mistake.
    #[error("{0}")]
    Invalid(#[from] ConfigDiagnostic),
    /// No theme has this name.
    #[error("{0}")]
    Unknown(SafeText),
}

/// The names of the built-in themes.
pub fn built_in_names() -> [&'static str; BUILT_IN.len()] {
    BUILT_IN.map(|(name, _)| name)
}

/// The theme of this name: the user's own, where `own` is what its file holds, else a built-in one.
pub fn load_theme(name: &str, own: Option<&str>) -> Result<Theme, ThemeError> {
    match own.or_else(|| built_in(name)) {
        Some(source) => Ok(Theme::parse(source)?),
        None => Err(ThemeError::Unknown(SafeText::new(&unknown_name_message(
            "theme",
            name,
            &built_in_names(),
        )))),
    }
}

fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

impl Theme {
    /// Reads a theme: a line a role, as in `link = { fg = "blue", add = ["underlined"] }`. What
    /// `base = "dark"` names says how the roles look that are left out.
    pub fn parse(source: &str) -> Result<Self, ConfigDiagnostic> {
        let reader = ThemeReader { source };
        let table = reader.table()?;
        let mut paints = match table.get(BASE_KEY) {
            Some(name) => reader.base(name)?,
            None => [None; Role::COUNT],
        };
        reader.roles(&table, &mut paints)?;
        let mut theme = Self([RoleStyle::default(); Role::COUNT]);
        for ((role, paint), whole) in Role::iter().zip(paints).zip(&mut theme.0) {
            let what =
                || format!("nothing is said of {}, and no `{BASE_KEY}` is named", role_name(role));
            *whole = paint.ok_or_else(|| reader.error_at(source.len(), &what()))?;
        }
        Ok(theme)
    }

    /// Its styles, for a terminal that has all colours or only sixteen.
    pub fn styles(&self, is_full: bool) -> Styles {
        Styles::from_roles(self.0.map(|paint| Style {
            fg: paint.fg.map(|ink| ink.color(is_full)),
            bg: paint.bg.map(|ink| ink.color(is_full)),
            add_modifier: paint.modifiers,
            ..Style::new()
        }))
    }
}

fn role_name(role: Role) -> &'static str {
    role.into()
}

type ThemeRoles = [Option<RoleStyle>; Role::COUNT];

/// Reads one source, and knows where in it a mistake is.
struct ThemeReader<'a> {
    source: &'a str,
}

impl<'a> ThemeReader<'a> {
    fn error_at(&self, at: usize, what: &str) -> ConfigDiagnostic {
        let before = self.source.get(..at).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        ConfigDiagnostic { line, message: SafeText::new(what) }
    }

    fn table(&self) -> Result<DeTable<'a>, ConfigDiagnostic> {
        let parsed = DeTable::parse(self.source).map(Spanned::into_inner);
        parsed.map_err(|e| self.error_at(e.span().map_or(0, |span| span.start), e.message()))
    }

    /// The built-in theme that another is changed from. It has no base itself.
    fn base(&self, name: &Spanned<DeValue<'_>>) -> Result<ThemeRoles, ConfigDiagnostic> {
        let word = self.string(name)?;
        let source = built_in(word).ok_or_else(|| {
            self.error_at(
                name.span().start,
                &unknown_name_message("theme", word, &built_in_names()),
            )
        })?;
        let (reader, mut paints) = (ThemeReader { source }, [None; Role::COUNT]);
        reader.roles(&reader.table()?, &mut paints)?;
        Ok(paints)
    }

    fn roles(&self, table: &DeTable<'_>, paints: &mut ThemeRoles) -> Result<(), ConfigDiagnostic> {
        for (key, value) in table.iter().filter(|(key, _)| key.get_ref() != BASE_KEY) {
            let role: Role = self.parse_name("role", key.get_ref(), key.span().start)?;
            if let Some(paint) = paints.get_mut(role as usize) {
                *paint = Some(self.role_style(value)?);
            }
        }
        Ok(())
    }

    fn role_style(&self, value: &Spanned<DeValue<'_>>) -> Result<RoleStyle, ConfigDiagnostic> {
        let DeValue::Table(table) = value.get_ref() else {
            let words = r#"a role looks like { fg = "blue", bg = "white", add = ["bold"] }"#;
            return Err(self.error_at(value.span().start, words));
        };
        let mut paint = RoleStyle::default();
        for (key, value) in table {
            match &**key.get_ref() {
                "fg" => paint.fg = Some(self.theme_color(value)?),
                "bg" => paint.bg = Some(self.theme_color(value)?),
                "add" => paint.modifiers = self.modifiers(value)?,
                other => {
                    let words =
                        unknown_name_message("part of a style", other, &["fg", "bg", "add"]);
                    return Err(self.error_at(key.span().start, &words));
                }
            }
        }
        Ok(paint)
    }

    /// A colour, or two: the exact one, and what it is in sixteen.
    fn theme_color(&self, value: &Spanned<DeValue<'_>>) -> Result<ThemeColor, ConfigDiagnostic> {
        let DeValue::Array(both) = value.get_ref() else {
            return self
                .color(value)
                .map(|full| ThemeColor { exact: full, ansi: nearest_ansi(full) });
        };
        let mut both = both.iter();
        let (Some(full), Some(sixteen), None) = (both.next(), both.next(), both.next()) else {
            let words = r##"two colours are wanted: ["#ffb86c", "yellow"]"##;
            return Err(self.error_at(value.span().start, words));
        };
        let word = self.string(sixteen)?;
        let sixteen: AnsiColor = self.parse_name("colour", word, sixteen.span().start)?;
        Ok(ThemeColor { exact: self.color(full)?, ansi: sixteen.into() })
    }

    fn color(&self, value: &Spanned<DeValue<'_>>) -> Result<Color, ConfigDiagnostic> {
        let (word, at) = (self.string(value)?, value.span().start);
        match parse_hex(word) {
            Some(color) => Ok(color),
            None if word.starts_with('#') => {
                Err(self.error_at(at, &format!("{word} is no colour: six hex digits are wanted")))
            }
            None => self.parse_name::<AnsiColor>("colour", word, at).map(Color::from),
        }
    }

    fn modifiers(&self, value: &Spanned<DeValue<'_>>) -> Result<Modifier, ConfigDiagnostic> {
        let DeValue::Array(words) = value.get_ref() else {
            return Err(self.error_at(value.span().start, r#"a list is wanted: ["bold"]"#));
        };
        let added = words.iter().map(|word| {
            let added: ThemeModifier =
                self.parse_name("modifier", self.string(word)?, word.span().start)?;
            Ok(Modifier::from(added))
        });
        added.collect()
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, ConfigDiagnostic> {
        match value.get_ref() {
            DeValue::String(word) => Ok(word),
            _ => Err(self.error_at(value.span().start, "a word in quotes is wanted")),
        }
    }

    fn parse_name<T: FromStr + VariantNames>(
        &self,
        what: &str,
        word: &str,
        at: usize,
    ) -> Result<T, ConfigDiagnostic> {
        word.parse().map_err(|_| self.error_at(at, &unknown_name_message(what, word, T::VARIANTS)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::color::default_rgb;
    use super::*;

    fn whole(name: &str) -> Theme {
        load_theme(name, None).unwrap()
    }

    fn wrong(source: &str) -> String {
        Theme::parse(source).unwrap_err().to_string()
    }

    /// How well one colour can be read on another, from 1 to 21, as WCAG has it.
    fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
        let light = |color: [u8; 3]| {
            let [r, g, b] = color.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (one, other) = (light(one), light(other));
        one.max(other) / one.min(other)
    }

    const BLACK: [u8; 3] = [0, 0, 0];
    const WHITE: [u8; 3] = [255, 255, 255];

    /// Every colour of a theme stands out from what it is on: 3 is what WCAG asks of signs and large
    /// letters; what is less important may be fainter.
    fn is_readable(name: &str, on: [u8; 3], is_full: bool) {
        let styles = whole(name).styles(is_full);
        for role in Role::iter() {
            let style = styles.of(role);
            let bg = style.bg.and_then(default_rgb).unwrap_or(on);
            let least = if role == Role::Dim { 2.5 } else { 3.0 };
            if let Some(fg) = style.fg.and_then(default_rgb) {
                assert!(contrast(fg, bg) >= least, "{name} {role:?} {}", contrast(fg, bg));
            }
        }
    }

    #[test]
    fn every_built_in_theme_is_whole_and_readable() {
        for is_full in [false, true] {
            is_readable("dark", BLACK, is_full);
            is_readable("dusk", BLACK, is_full);
            is_readable("light", WHITE, is_full);
            for on in [BLACK, WHITE] {
                is_readable("mono", on, is_full);
                is_readable("high-contrast", on, is_full);
            }
        }
    }

    #[test]
    fn states_differ_in_every_theme() {
        let states = [Role::Ok, Role::Failed, Role::Warning];
        let over = [Role::Plain, Role::Selection, Role::Cell, Role::Match];
        for name in built_in_names() {
            let styles = whole(name).styles(false);
            for group in [states.as_slice(), over.as_slice()] {
                for (n, one) in group.iter().enumerate() {
                    for other in &group[..n] {
                        assert_ne!(styles.of(*one), styles.of(*other), "{name} {one:?} {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn mono_has_no_colour_and_high_contrast_nothing_faint() {
        let (mono, high) = (whole("mono").styles(true), whole("high-contrast").styles(true));
        for role in Role::iter() {
            let inks = [mono.of(role).fg, mono.of(role).bg];
            assert!(inks.iter().all(|ink| ink.is_none_or(|c| c == Color::Reset)), "{role:?}");
            let style = high.of(role);
            assert!(!style.add_modifier.contains(Modifier::DIM), "{role:?}");
            // A colour on a background that nobody knows can be anything.
            let is_set = |ink: Option<Color>| ink.is_some_and(|c| c != Color::Reset);
            assert_eq!(is_set(style.fg), is_set(style.bg), "{role:?}");
            if let (Some(fg), Some(bg)) =
                (style.fg.and_then(default_rgb), style.bg.and_then(default_rgb))
            {
                assert!(contrast(fg, bg) >= 7.0, "{role:?} {}", contrast(fg, bg));
            }
        }
    }

    #[test]
    fn sixteen_colours_stand_in_for_all() {
        let source = r##"
            base = "mono"
            link = { fg = ["#ff5533", "blue"], bg = "#fefefe", add = ["bold", "underlined"] }
        "##;
        let theme = Theme::parse(source).unwrap();
        let (full, sixteen) =
            (theme.styles(true).of(Role::Link), theme.styles(false).of(Role::Link));
        assert_eq!(full.fg, Some(Color::Rgb(255, 85, 51)));
        assert_eq!((sixteen.fg, sixteen.bg), (Some(Color::Blue), Some(Color::White)));
        assert_eq!(full.add_modifier, Modifier::BOLD | Modifier::UNDERLINED);
        let rest = |role| theme.styles(true).of(role) == whole("mono").styles(true).of(role);
        assert!(Role::iter().filter(|role| *role != Role::Link).all(rest));
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_what_was_meant() {
        for (source, words) in [
            ("base = \"mono\"\nlnk = {}", "line 2: unknown role `lnk`: did you mean `link`?"),
            ("base = \"drak\"", "line 1: unknown theme `drak`: did you mean `dark`?"),
            (
                "base = \"mono\"\n\nlink = {fg = \"bleu\"}",
                "line 3: unknown colour `bleu`: did you mean `blue`?",
            ),
            ("link = {fg = \"#12345\"}", "line 1: #12345 is no colour: six hex digits are wanted"),
            (
                "link = {fg = [\"#123456\", \"gren\"]}",
                "line 1: unknown colour `gren`: did you mean `green`?",
            ),
            (
                "link = {add = [\n\"bold\",\n\"blink\"]}",
                "line 3: unknown modifier `blink`; available: `bold`, `dim`, `italic`, `underlined`, `reversed`",
            ),
            ("link = {add = \"bold\"}", "line 1: a list is wanted: [\"bold\"]"),
            (
                "link = {foo = 1}",
                "line 1: unknown part of a style `foo`; available: `fg`, `bg`, `add`",
            ),
            ("link = {fg = 1}", "line 1: a word in quotes is wanted"),
            (
                "link = \"blue\"",
                "line 1: a role looks like { fg = \"blue\", bg = \"white\", add = [\"bold\"] }",
            ),
            (
                "link = {fg = [\"red\"]}",
                "line 1: two colours are wanted: [\"#ffb86c\", \"yellow\"]",
            ),
            ("plain = {}\n", "line 2: nothing is said of dim, and no `base` is named"),
        ] {
            assert_eq!(wrong(source), words);
        }
        assert!(wrong("link = {\n}}").starts_with("line 2: "), "{}", wrong("link = {\n}}"));
        assert!(!wrong("link = {fg = \"\\u001b[2J\"}").contains('\u{1b}'));
        let none = load_theme("lihgt", None).unwrap_err().to_string();
        assert_eq!(none, "unknown theme `lihgt`: did you mean `light`?");
    }

    proptest! {
        #[test]
        fn any_text_is_a_theme_or_has_a_mistake_in_a_line_of_it(
            pieces in prop::collection::vec("link|fg|bg|add|base|\"(bold|#12345|#123456|mono)?\"|[={}\\[\\],.#\n ]|.", 0..20)
        ) {
            let source = pieces.concat();
            if let Err(mistake) = Theme::parse(&source) {
                prop_assert!((1..=source.lines().count() + 1).contains(&mistake.line), "{mistake}");
            }
        }
    }

    #[test]
    fn an_own_theme_goes_before_a_built_in_one_of_its_name() {
        let own = load_theme("dark", Some("base = \"mono\"")).unwrap();
        assert_eq!(own, whole("mono"));
        assert!(matches!(
            load_theme("dark", Some("?")),
            Err(ThemeError::Invalid(ConfigDiagnostic { line: 1, .. }))
        ));
    }
}
